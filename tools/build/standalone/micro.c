/* micro.c -- the main program by which lt-build tries a bare function: on an emulated microcontroller, or here.  Before
 * it stands what it is given: try_fill, try_call and try_show, of the model.  It says what the call answered, how long
 * it took, how much stack it used at most, and each byte of its results: words between '@' and ';', as a serial line
 * carries them. */
#if defined(__AVR__)
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint16_t wraps;

ISR(TIMER1_OVF_vect) { wraps++; }

static void try_put(char c)
{
	while (!(UCSR0A & 1 << UDRE0))
		;
	UDR0 = (uint8_t)c;
}

/* Cycles: the timer counts each. */
static void try_begin(void)
{
	UCSR0B = 1 << TXEN0;
	TIMSK1 = 1 << TOIE1;
	TCNT1 = 0;
	TCCR1B = 1;
	sei();
}

static uint32_t try_time(void)
{
	const uint16_t now = TCNT1;
	TCCR1B = 0;
	return (uint32_t)wraps << 16 | now;
}

static void try_end(void)
{
	cli();
	sleep_enable();
	for (;;)
		sleep_cpu();
}

extern uint8_t __heap_start;
#define TRY_STACK ((uint8_t *)SP)
#define TRY_WATCHED ((uint16_t)(here - &__heap_start))
#define main_ main
#elif defined(__arm__)
#define TRY_AT(address) (*(volatile uint32_t *)(uintptr_t)(address))

static void try_put(char c)
{
	while (TRY_AT(0x40004004) & 1)
		;
	TRY_AT(0x40004000) = (uint8_t)c;
}

/* Instructions of 64 ns by a timer of 25 MHz and 32 bits: 8 ticks are 5 instructions.  It begins two ticks late or so,
 * which would be 80 instructions of 1 ns. */
static void try_begin(void)
{
	TRY_AT(0x40004010) = 16;
	TRY_AT(0x40004008) = 1;
	TRY_AT(0x40000008) = 0xffffffff;
	TRY_AT(0x40000004) = 0xffffffff;
	TRY_AT(0x40000000) = 1;
}

static uint32_t try_time(void)
{
	const uint32_t now = 0xffffffff - TRY_AT(0x40000004);
	return now / 8 * 5 + (now % 8 * 5 + 4) / 8;
}

static void try_end(void)
{
	register uint32_t call __asm__("r0") = 0x18, why __asm__("r1") = 0x20026;
	__asm__ volatile("bkpt 0xab" : : "r"(call), "r"(why) : "memory");
	for (;;)
		;
}

static inline uint8_t *try_sp(void)
{
	uint8_t *sp;
	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
}
#define TRY_STACK try_sp()
#define TRY_WATCHED 65536
int main_(void);
static void try_start(void)
{
	extern uint32_t try_bss, try_bss_end;
	for (uint32_t *p = &try_bss; p < &try_bss_end; p++)
		*p = 0;
	main_();
}
static void try_fault(void) { try_put('!'); try_end(); }
extern uint8_t try_stack;
__attribute__((section(".vectors"), used)) static void (*const vectors[7])(void) = {
	(void (*)(void))&try_stack, try_start, try_fault, try_fault, try_fault, try_fault, try_fault };
#else
#include <stdio.h>
#include <stdlib.h>

static void try_put(char c) { putchar(c); }
static void try_begin(void) { }
static uint32_t try_time(void) { return 0; }
static void try_end(void) { exit(0); }
#define main_ main
#endif

static void try_text(const char *s)
{
	while (*s)
		try_put(*s++);
}

static void try_hex(uint32_t v, int digits)
{
	while (digits--)
		try_put("0123456789abcdef"[v >> 4 * digits & 15]);
}

static void try_word(const char *name, uint32_t v)
{
	try_put('@');
	try_text(name);
	try_put(' ');
	try_hex(v, 8);
	try_text(";\n");
}

/* Bytes of a tensor, some a line. */
static void try_bytes(char kind, int number, const void *at, uint32_t n)
{
	const uint8_t *p = at;
	for (uint32_t i = 0; i < n; i++) {
		if (i % 16 == 0) {
			try_put('@');
			try_put(kind);
			try_hex((uint32_t)number, 4);
			try_put(' ');
		}
		try_hex(p[i], 2);
		if (i % 16 == 15 || i + 1 == n)
			try_text(";\n");
	}
}

int main_(void)
{
	uint32_t stack = 0;
	try_fill();
#ifdef TRY_STACK
	/* What the call writes below is no longer this. */
	uint8_t *const here = TRY_STACK;
	for (uint32_t i = 1; i < TRY_WATCHED; i++)
		*(volatile uint8_t *)(here - i) = 0xc5;
#endif
	try_begin();
	const int code = try_call();
	const uint32_t time = try_time();
#ifdef TRY_STACK
	for (uint32_t i = 1; i < TRY_WATCHED; i++)
		if (*(volatile uint8_t *)(here - i) != 0xc5)
			stack = i;
#endif
	try_word("code", (uint32_t)code);
	try_word("time", time);
	try_word("stack", stack);
	try_show();
	try_text("@end 0;\n");
	try_end();
	return 0;
}
