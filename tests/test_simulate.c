/* test_simulate.c -- the simulator of kernel programs: what each opcode of the machine does, written out, and
 * every check against a fault that was planted for it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/simulated.h"

TestSuite(simulate, .timeout = 60);

#define HEAD "kernel 1\nname k\nworkspace 64 thread 64\n"
#define BUFFERS "buffer a i64[16] slot 0 align 8 exclusive\nbuffer o i64[32] slot 1 align 8 exclusive@\n" \
	"buffer f f32[16] slot 2 align 4 exclusive\n"

/* a is 10, 11 ...; f is 0, 0.5, 1 ...; o is -1 before. */
struct memory { int64_t a[16], o[32]; float f[16]; };
static void memory_fill(struct memory *m)
{
	for (int i = 0; i < 32; i++) {
		m->o[i] = -1;
		if (i < 16) {
			m->a[i] = 10 + i;
			m->f[i] = (float)i / 2;
		}
	}
}

/* A program of lines behind HEAD; o is said to be written where a line writes it. */
static struct lt_kernel *kernel_of(const char *lines)
{
	const char *at = strchr(lines, '@');
	bool written = strstr(lines, "store o[") || strstr(lines, " o[0 at");
	return simulated_kernel(HEAD "%.*s%s%s", (int)(at - lines), lines, written ? " written" : "", at + 1);
}

struct opcode_row { const char *what, *text; int n; int64_t o[16]; };
static const struct opcode_row opcode_rows[] = {
	{ "lane, splat", BUFFERS "region host\n\t%l = lane i64x8\n\t%s = splat i64x8 7\n\t%r = add i64x8 %l %s\n"
		"\tstore o[0] %r\n",
		9, { 7, 8, 9, 10, 11, 12, 13, 14, -1 } },
	{ "below, select", BUFFERS "region host\n\t%l = lane i64x4\n\t%m = below maskx4 3\n\t%r = select i64x4 %m %l 100\n"
		"\tstore o[0] %r\n\t%n = below maskx4 -2\n\t%s = select i64x4 %n %l 100\n\tstore o[4] %s\n"
		"\t%p = below maskx4 99\n\t%t = select i64x4 %p %l 100\n\tstore o[8] %t\n",
		12, { 0, 1, 2, 100, 100, 100, 100, 100, 0, 1, 2, 3 } },
	{ "shuffle of two, wider and narrower", BUFFERS "region host\n\t%x = load i64x4 a[0]\n\t%y = load i64x4 a[8]\n"
		"\t%r = shuffle i64x4 %x %y (0, 5, 2, 7)\n\tstore o[0] %r\n\t%s = shuffle i64x4 %x %y (4, 3)\n\tstore o[4] %s\n"
		"\t%m = shuffle maskx4 0x5 0x2 (0, 1, 5, 2)\n\t%t = select i64x4 %m %x 0\n\tstore o[6] %t\n",
		10, { 10, 19, 12, 21, 18, 13, 10, 0, 12, 13 } },
	/* (1 - 4) - (2 - 8): the upper half onto the lower */
	{ "fold in its order", BUFFERS "region host\n\t%l = lane i64x4\n\t%x = shift_left i64x4 1 %l\n"
		"\t%r = fold i64x4 sub %x\n"
		"\tstore o[0] %r\n\t%m = fold maskx4 and 0xf\n\tif %m\n\t\tstore o[1] 5\n\tend\n\t%n = fold maskx4 and 0xd\n"
		"\tif %n\n\t\tstore o[1] 6\n\tend\n", 2, { 3, 5 } },
	{ "any, all, flag, test", BUFFERS "region host\n\t%m = below maskx4 2\n\t%y = any maskx4 %m\n\t%z = all maskx4 %m\n"
		"\t%b = flag maskx4 %m\n\t%i = cast i64x4 from boolx4 %b\n\tstore o[0] %i\n\t%t = test boolx4 %b\n"
		"\t%r = select i64x4 %t 8 9\n\tstore o[4] %r\n\tif %y\n\t\tstore o[8] 1\n\tend\n\tif %z\n\t\tstore o[8] 2\n\tend\n",
		9, { 1, 1, 0, 0, 8, 8, 9, 9, 1 } },
	{ "bits", BUFFERS "region host\n\t%x = load f32 f[3]\n\t%b = bits i32 from f32 %x\n\t%r = cast i64 from i32 %b\n"
		"\tstore o[0] %r\n\t%c = bits f32 from i32 %b\n\t%d = cast i64 from f32 %c\n\tstore o[1] %d\n", 2, { 0x3fc00000,
		1 } },
	{ "constants", BUFFERS "region host\n\t%r = cast i64 from f32 -2.5\n\tstore o[0] %r\n\t%s = cast i64 from f16 0xc500\n"
		"\tstore o[1] %s\n\t%t = cast i64x2 from u8x2 200\n\tstore o[2] %t\n\t%q = select i64x4 0xa 1 0\n\tstore o[4] %q\n",
		8, { -2, -5, 200, 200, 0, 1, 0, 1 } },
	{ "loads by a stride, backwards, at indices", BUFFERS "region host\n\t%x = load i64x4 a[1 by 4]\n\tstore o[0] %x\n"
		"\t%y = load i64x4 a[3 by -1]\n\tstore o[4] %y\n\t%l = lane i64x4\n\t%i = mul i64x4 %l %l\n"
		"\t%z = load i64x4 a[2 at %i]\n"
		"\tstore o[8] %z\n", 12, { 11, 15, 19, 23, 13, 12, 11, 10, 12, 13, 16, 21 } },
	{ "lanes that are off read nothing", BUFFERS "region host\n\t%m = below maskx4 2\n\t%x = load i64x4 a[14] mask %m\n"
		"\tstore o[0] %x\n", 4, { 24, 25, 0, 0 } },
	{ "stores by a stride, at indices, under a mask", BUFFERS "region host\n\t%x = load i64x4 a[0]\n\tstore o[1 by 2] %x\n"
		"\tstore o[30] %x mask 0x3\n\t%l = lane i64x4\n\t%i = sub i64x4 12 %l\n\tstore i64x4 o[0 at %i] %x mask 0x5\n",
		13, { -1, 10, -1, 11, -1, 12, -1, 13, -1, -1, 12, -1, 10 } },
	{ "prefetch, anywhere", BUFFERS "region host\n\tprefetch a[1000]\n\tstore o[0] 4\n", 1, { 4 } },
	{ "variables", BUFFERS "variable v i64x2\nvariable m maskx2\nregion host\n\tvariable v\n\tvariable m\n\tset v 3\n"
		"\t%l = lane i64x2\n"
		"\tupdate v mul %l\n\t%r = get v\n\tstore o[0] %r\n\tset m 0x3\n\tupdate m and 0x2\n\t%n = get m\n"
		"\t%s = select i64x2 %n 1 0\n\tstore o[2] %s\n", 4, { 0, 3, 0, 1 } },
	{ "arrays, loops and ifs", BUFFERS "buffer t i32[4] array align 4 exclusive written\nregion host\n"
		"\tloop %i from 1 to 8 step 3\n"
		"\t\tarray t\n\t\t%c = cast i32 from i64 %i\n\t\tstore t[2] %c\n\t\t%x = load i32 t[2]\n"
		"\t\t%y = cast i64 from i32 %x\n"
		"\t\t%m = less i64 %i 4\n\t\tif %m\n\t\t\tstore o[%i] %y\n\t\telse\n\t\t\t%z = neg i64 %y\n\t\t\tstore o[%i] %z\n"
		"\t\tend\n"
		"\tend\n\tloop %j from 5 to 5\n\t\tstore o[0] %j\n\tend\n", 8, { -1, 1, -1, -1, -4, -1, -1, -7 } },
	{ "launch, arguments", BUFFERS "region host\n\t%x = load i64 a[2]\n\tlaunch 1 5 (%x, i64 3)\n"
		"\tlaunch 1 -1 (%x, i64 4)\n"
		"region team 1\n\t%p = argument i64 0\n\t%q = argument i64 1\n\t%f = first\n\t%l = last\n\tloop %i from %f to %l\n"
		"\t\t%y = mul i64 %i %q\n\t\t%z = add i64 %y %p\n\t\tstore o[%i] %z\n\tend\n", 6, { 12, 15, 18, 21, 24, -1 } },
	{ "parameters", BUFFERS "param n buffer a element 5 range 0..20\nregion host\n\t%n = param 0\n\tstore o[0] %n\n", 1,
		{ 15 } },
	{ "quotient, remainder, shift_right", BUFFERS "region host\n\t%q = quotient i64 -7 2\n\tstore o[0] %q\n"
		"\t%r = remainder i64 -7 2\n\tstore o[1] %r\n\t%s = shift_right i64 -1 60\n\tstore o[2] %s\n", 3, { -3, -1, 15 } },
	{ "lesser, larger, shift_signed", BUFFERS "region host\n\t%q = lesser i64 -7 2\n\tstore o[0] %q\n"
		"\t%r = larger i64 -7 2\n\tstore o[1] %r\n\t%s = shift_signed i64 -256 4\n\tstore o[2] %s\n", 3, { -7, 2, -16 } },
	{ "scale, convert, each", BUFFERS "region host\n\t%x = scale f32x2 -1.5 10\n\t%y = convert i64x2 from f32x2 %x\n"
		"\tstore o[0] %y\n\t%z = each f64x2 sqrt 144\n\t%u = each f64x2 remainder %z -7\n"
		"\t%v = convert i64x2 from f64x2 %u\n\tstore o[2] %v\n", 4, { -1536, -1536, 5, 5 } },
	/* -128 * -128 + 0, then 1 * -2 + 3 * 4; without signs, 255 * 255 four times; sums go on */
	{ "dot", BUFFERS "buffer b i8[8] array align 64 exclusive written\nregion host\n\tarray b\n\tstore b[0] -128\n"
		"\tstore b[1] 0\n\tstore b[2] 0\n\tstore b[3] 0\n\tstore b[4] 1\n\tstore b[5] 3\n\tstore b[6] 0\n\tstore b[7] 0\n"
		"\t%x = load i8x8 b[0]\n\tstore b[4] -2\n\tstore b[5] 4\n\t%y = load i8x8 b[0]\n"
		"\t%s = dot i32x2 from i8x8 %x %y 5\n\t%r = convert i64x2 from i32x2 %s\n\tstore o[0] %r\n"
		"\t%t = dot i32 from u8x4 255 255 -1\n\t%u = convert i64 from i32 %t\n\tstore o[2] %u\n", 3,
		{ 16389, 15, 260099 } },
	{ "parts of the workspace and of a thread", BUFFERS "buffer w i64[2] workspace 16 align 8 exclusive written\n"
		"buffer t i64[2] thread 8 align 8 exclusive written\nregion host\n\tstore w[1] 6\n\tlaunch 1 3 ()\nregion team 1\n"
		"\t%f = first\n\t%l = last\n\tloop %i from %f to %l\n\t\t%x = load i64 w[1]\n\t\tstore t[0] %x\n"
		"\t\t%y = load i64 t[0]\n"
		"\t\tstore o[%i] %y\n\tend\n", 3, { 6, 6, 6 } },
};

Test(simulate, opcodes_of_the_machine)
{
	bool tried[LT_NOPCODE] = { false };
	for (size_t r = 0; r < sizeof opcode_rows / sizeof *opcode_rows; r++) {
		const struct opcode_row *row = &opcode_rows[r];
		struct memory m;
		memory_fill(&m);
		struct lt_kernel *k = kernel_of(row->text);
		simulated_good(k, (void *const[]){ m.a, m.o, m.f });
		for (int i = 0; i < row->n; i++)
			cr_expect_eq(m.o[i], row->o[i], "%s: o[%d] is %lld", row->what, i, (long long)m.o[i]);
		for (uint32_t i = 0; i < k->n_instruction; i++)
			tried[k->instructions[i].opcode] = true;
		lt_kernel_free(k);
	}
	tried[LT_OPCODE_fault] = tried[LT_OPCODE_text] = true;          /* tests of their own */
	for (uint32_t opcode = LT_OPCODE_const; opcode < LT_OPCODE_block; opcode++)
		cr_expect(!lt_opcode_name(opcode) || tried[opcode], "%s is not tried", lt_opcode_name(opcode));
}

Test(simulate, gathers_out_of_range_leave_one_record)
{
	struct memory m;
	struct simulated s;
	memory_fill(&m);
	struct lt_kernel *k = kernel_of(BUFFERS "region host\n\t%x = load i64x4 a[2 by 3]\n"
		"\t%b = greater i64x4 %x 14\n\tfault i64x4 %b %x access 9 @5\n\tfault i64x4 0x1 %x access 8 @4\n");
	simulated_run(k, (void *const[]){ m.a, m.o, m.f }, NULL, NULL, &s);
	cr_expect(s.status == LT_OK && s.fault.n == 4 && s.fault.stmt == 5 && s.fault.access == 9 && s.fault.value == 15,
		"%s %lld of %d %d: %lld", s.diags.text, (long long)s.fault.n, (int)s.fault.stmt, (int)s.fault.access,
		(long long)s.fault.value);
	lt_kernel_free(k);
}

Test(simulate, text_of_others_is_refused)
{
	struct memory m;
	struct simulated s;
	memory_fill(&m);
	struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
		"operator twice i64 (i64) identity 0x0 \"($0 * 2)\"\nbuffer o i64[32] slot 0 align 8 exclusive written\n"
		"region host\n\t%%x = text i64 0 4 @7\n\tstore o[0] %%x\n");
	simulated_run(k, (void *const[]){ m.o }, NULL, NULL, &s);
	cr_expect_eq(s.status, LT_EUNSUPPORTED);
	cr_expect(s.diags.stmt == 7 && strstr(s.diags.text, "twice"), "%s", s.diags.text);
	lt_kernel_free(k);
}

/* Statement 0 begins a sum in a variable, 1 adds products, where the column is below 5 in two lanes, 2 stores.  5 rows
 * of a team of 3 planes. */
static const char nest[] = "kernel 1\nname nest\nworkspace 0 thread 0\nbuffer x f32[8] slot 0 align 4 exclusive\n"
	"buffer y f32[15] slot 1 align 4 exclusive written\nvariable s f32x2\nregion host\n\tlaunch 1 3 ()\nregion team 1\n"
	"\t%f = first\n\t%l = last\n\tloop %p from %f to %l @0\n\t\tloop %r from 0 to 5 @1\n\t\t\tvariable s\n"
	"\t\t\tset s 0 @0\n"
	"\t\t\tloop %c from 0 to 8 step 2 @2\n\t\t\t\t%d = sub i64 5 %c @1\n\t\t\t\t%m = below maskx2 %d @1\n"
	"\t\t\t\t%x = load f32x2 x[%c] mask %m @1\n\t\t\t\t%z = mul f32x2 %x %x @1\n\t\t\t\tupdate s add %z @1\n\t\t\tend\n"
	"\t\t\t%v = get s @2\n\t\t\t%t = fold f32x2 add %v @2\n\t\t\t%a = mul i64 %p 5 @2\n\t\t\t%b = add i64 %a %r @2\n"
	"\t\t\tstore y[%b] %t @2\n\t\tend\n\tend\n";

Test(simulate, counts_of_a_nest)
{
	struct lt_simulate_statement want[3] = { { 0 } };
	float x[8] = { 1, 2, 3 }, y[15];
	int32_t n;
	char *lines;
	for (int plane = 0; plane < 3; plane++)
		for (int row = 0; row < 5; row++) {
			want[0].executions += 2;
			for (int column = 0; column < 8; column++) {
				want[1].operations += 2;        /* off lanes compute, too */
				want[1].executions++;
				want[1].read_bytes += column < 5 ? 4 : 0;
			}
			want[2].operations++;
			want[2].executions++;
			want[2].written_bytes += 4;
		}
	struct lt_kernel *k = simulated_kernel("%s", nest);
	struct lt_simulate_statement *all = simulated_statements(k, (void *const[]){ x, y }, &n, &lines);
	cr_assert_eq(n, 3);
	for (int s = 0; s < 3; s++)
		cr_expect(memcmp(&all[s], &want[s], sizeof *all) == 0, "statement %d: %lld %lld %lld %lld", s,
			(long long)all[s].executions, (long long)all[s].operations, (long long)all[s].read_bytes,
			(long long)all[s].written_bytes);
	cr_expect_str_eq(lines, "statement0.executions 30\nstatement0.operations 0\nstatement0.read_bytes 0\n"
		"statement0.written_bytes 0\nstatement1.executions 120\nstatement1.operations 240\nstatement1.read_bytes 300\n"
		"statement1.written_bytes 0\nstatement2.executions 15\nstatement2.operations 15\nstatement2.read_bytes 0\n"
		"statement2.written_bytes 60\n");
	free(all);
	free(lines);
	lt_kernel_free(k);
}

/* -- planted faults -- */

/* What the verifier would refuse is made of a good program. */
static void forget_written(struct lt_kernel *k) { ((struct lt_kernel_buffer *)(uintptr_t)k->buffers)[1].written = 0; }
static void shift_lanes(struct lt_kernel *k) { ((int64_t *)(uintptr_t)k->extras)[1] = 9; }
static void shrink_workspace(struct lt_kernel *k) { k->workspace_bytes = 8; }
static void shrink_thread(struct lt_kernel *k) { k->thread_bytes = 8; }
static void move_base(struct lt_kernel *k) { ((struct lt_kernel_buffer *)(uintptr_t)k->buffers)[3].offset = 4; }
static void move_onto(struct lt_kernel *k) { ((struct lt_kernel_buffer *)(uintptr_t)k->buffers)[4].offset = 24; }
static void stop_loop(struct lt_kernel *k)
{
	for (uint32_t i = 0; i < k->n_instruction; i++)
		if (k->instructions[i].opcode == LT_OPCODE_loop)
			((struct lt_instruction *)(uintptr_t)k->instructions)[i].number = 0;
}
#define TEAM(n, lines) "region host\n\tlaunch 1 " #n " ()\nregion team 1\n\t%f = first\n\t%l = last\n" \
	"\tloop %i from %f to %l\n" lines "\tend\n"
#define WORKSPACE "buffer w i64[4] workspace 16 align 8 exclusive written\n"
#define THREAD "buffer t i64[4] thread 16 align 8 exclusive written\n"

struct fault_row {
	enum lt_simulate_check check;
	const char *what, *text, *sentence;
	void (*spoil)(struct lt_kernel *);
};
#define FAULT(check, ...) { LT_SIMULATE_##check, __VA_ARGS__ }
static const struct fault_row fault_rows[] = {
	FAULT(space, "outside the workspace", BUFFERS WORKSPACE "region host\n\tstore w[0] 1\n",
		"kernel k: buffer w is 32 bytes from byte 16 on, of 8 (check space)", shrink_workspace),
	FAULT(space, "outside the thread's part", BUFFERS THREAD TEAM(2, "\t\tstore t[0] 1\n"),
		"buffer t is 32 bytes from byte 16 on, of 8", shrink_thread),
	FAULT(align, "a misaligned part", BUFFERS WORKSPACE "region host\n\tstore w[0] 1\n",
		"the base of buffer w is 4 bytes behind a multiple of 8", move_base),
	FAULT(exclusive, "two buffers at one place", BUFFERS WORKSPACE "buffer v i64[1] workspace 48 align 8 written\n"
		"region host\n\tstore w[0] 1\n\tstore v[0] 1\n", "buffer w is exclusive, and buffer v reaches it, too", move_onto),
	FAULT(element, "a load past the end", BUFFERS "region host\n\t%z = load i64 a[0]\n\t%x = load i64 a[%z + 6] @3\n"
		"\tstore o[0] %x\n",
		"kernel k, load in line 9 of the host's region, statement 3: reads element 16 of buffer a, which has 16", NULL),
	FAULT(element, "a store before the begin", BUFFERS "region host\n\t%z = load i64 a[0]\n\tstore o[%z - 11] 0 @4\n",
		"writes element -1 of buffer o, which has 32", NULL),
	FAULT(element, "one lane past the end", BUFFERS "region host\n\t%z = load i64 a[0]\n"
		"\t%x = load i64x4 a[%z - 6 by 4]\n\tstore o[0] %x\n",
		"reads element 16 of buffer a", NULL),
	FAULT(element, "an index far away", BUFFERS "region host\n\t%l = lane i64x2\n\t%i = mul i64x2 %l 9223372036854775807\n"
		"\t%x = load i64x2 a[10 at %i]\n\tstore o[0] %x\n",
		"an address in buffer a exceeds 63 bits (lane 1)",
		NULL),
	FAULT(written, "a store to what is only read", BUFFERS "region host\n\tstore o[2] 0 @4\n",
		"writes element 2 of buffer o, which nobody is said to write", forget_written),
	FAULT(address, "an address that was never set", BUFFERS "variable v i64\nregion host\n\tvariable v\n\t%v = get v\n"
		"\t%x = load i64 a[%v] @1\n\tstore o[0] %x\n", "an address in buffer a is undefined", NULL),
	FAULT(address, "an index that was never stored", BUFFERS "buffer t i64[2] array align 8 exclusive written\n"
		"region host\n"
		"\tarray t\n\tstore t[0] 1\n\t%i = load i64x2 t[0]\n\tstore i64x2 o[0 at %i] %i\n",
		"an address in buffer o is undefined (lane 1)",
		NULL),
	FAULT(condition, "a condition that was never set", BUFFERS "variable v mask\nregion host\n\tvariable v\n\t%v = get v\n"
		"\tif %v\n\t\tstore o[0] 1\n\tend\n", "if in line 11 of the host's region: whether lane 0 is on is undefined", NULL),
	FAULT(condition, "a mask of which a lane is not known", BUFFERS "variable v i64x4\nregion host\n\tvariable v\n"
		"\t%v = get v\n"
		"\t%m = less i64x4 %v 3\n\t%x = load i64x4 a[0] mask %m\n\tstore o[0] %x\n", "whether lane 0 is on is undefined",
		NULL),
	FAULT(condition, "a loop's end", BUFFERS "variable v i64\nregion host\n\tvariable v\n\t%v = get v\n"
		"\tloop %i from 0 to %v @6\n"
		"\t\tstore o[0] 1\n\tend\n", "loop 6: where a loop ends is undefined", NULL),
	FAULT(condition, "a number of points", BUFFERS "variable v i64\nregion host\n\tvariable v\n\t%v = get v\n"
		"\tlaunch 1 %v ()\n"
		"region team 1\n\t%f = first\n\tstore o[%f] 1\n", "a number of points is undefined", NULL),
	FAULT(stored, "a forgotten set", BUFFERS "variable v f32\nregion host\n\tvariable v\n\tupdate v add 1\n\t%v = get v\n"
		"\t%x = cast i64 from f32 %v\n\tstore o[5] %x @2\n",
		"store in line 13 of the host's region, statement 2: an undefined value goes to element 5 of buffer o (lane 0)",
		NULL),
	FAULT(stored, "a cell of an array", BUFFERS "buffer t i64[4] array align 8 exclusive written\nregion host\n\tarray t\n"
		"\tstore t[0 by 2] 7 mask 0x1\n\t%x = load i64 t[2]\n\tstore o[0] %x\n", "an undefined value goes to element 0",
		NULL),
	FAULT(stored, "an array that begins again", BUFFERS "buffer t i64[1] array align 8 exclusive written\nregion host\n"
		"\tloop %i from 0 to 2\n\t\tarray t\n\t\t%m = eq i64 %i 0\n\t\tif %m\n\t\t\tstore t[0] 1\n\t\tend\n"
		"\t\t%x = load i64 t[0]\n"
		"\t\tstore o[%i] %x\n\tend\n", "an undefined value goes to element 1 of buffer o", NULL),
	FAULT(stored, "the workspace", BUFFERS WORKSPACE "region host\n\tstore w[0] 7\n\t%x = load i64 w[1]\n"
		"\tstore o[0] %x\n",
		"an undefined value goes to element 0", NULL),
	FAULT(stored, "a thread's part of another range", BUFFERS THREAD TEAM(4, "\t\t%m = eq i64 %i %f\n"
		"\t\t%x = load i64 t[0]\n"
		"\t\tstore t[0] %i\n\t\tstore o[%i] %x\n"), "an undefined value goes to element", NULL),
	FAULT(stored, "some lanes of a value", BUFFERS "variable v i64x4\nregion host\n\tvariable v\n\t%l = lane i64x4\n"
		"\t%v = get v\n"
		"\t%m = below maskx4 3\n\t%x = select i64x4 %m %l %v\n\tstore o[0] %x\n",
		"an undefined value goes to element 3 of buffer o (lane 3)", NULL),
	FAULT(stored, "a value that was chosen by nothing", BUFFERS "variable v bool\nregion host\n\tvariable v\n"
		"\t%v = get v\n"
		"\t%m = test bool %v\n\t%x = select i64 %m 1 2\n\tstore o[0] %x\n", "an undefined value goes to element 0", NULL),
	FAULT(faulted, "a fault's mask", BUFFERS "variable v i64\nregion host\n\tvariable v\n\t%v = get v\n"
		"\t%m = less i64 %v 0\n"
		"\tfault %m 3 access 1 @2\n", "whether an index is out of range is undefined", NULL),
	FAULT(faulted, "a fault's index", BUFFERS "variable v i64\nregion host\n\tvariable v\n\t%v = get v\n"
		"\tfault 0x1 %v access 1 @2\n",
		"the index that is out of range is undefined", NULL),
	FAULT(result, "an element that nobody writes", BUFFERS "region host\n\tloop %i from 0 to 31\n\t\tstore o[%i] 1\n"
		"\tend\n",
		"kernel k: nobody has written element 31 of buffer o", NULL),
	FAULT(write_write, "two points write one cell", BUFFERS TEAM(4, "\t\t%j = quotient i64 %i 2\n\t\tstore o[%j] 1 @3\n"),
		"which point", NULL),
	FAULT(write_read, "a point reads what another one wrote", BUFFERS WORKSPACE TEAM(2, "\t\t%m = eq i64 %i 1\n\t\tif %m\n"
		"\t\t\tstore w[0] 1 @1\n\t\telse\n\t\t\t%x = load i64 w[0] @2\n\t\tend\n"),
		"reads element 0 of buffer w, which point 1 has written (store in line 16 of team 1, statement 1)", NULL),
	FAULT(read_write, "a point writes what another one read", BUFFERS WORKSPACE TEAM(2, "\t\t%m = eq i64 %i 0\n\t\tif %m\n"
		"\t\t\tstore w[0] 1 @1\n\t\telse\n\t\t\t%x = load i64 w[0] @2\n\t\tend\n"),
		"at point 0: writes element 0 of buffer w, which point 1 has read (load in line 18 of team 1, statement 2)", NULL),
	FAULT(write_read, "a neighbour is read", BUFFERS TEAM(8, "\t\t%x = load i64 o[%i + 1]\n\t\tstore o[%i] %x\n"),
		"buffer o, which point", NULL),
	FAULT(ranges, "a variable from point to point", BUFFERS "variable v i64\nregion host\n\tlaunch 1 8 ()\nregion team 1\n"
		"\t%f = first\n\t%l = last\n\tvariable v\n\tset v 0\n\tloop %i from %f to %l\n\t\tupdate v add %i\n\t\t%v = get v\n"
		"\t\tstore o[%i] %v\n\tend\n", "team 1 leaves another element", NULL),
	FAULT(shift, "a shift by all bits", BUFFERS "region host\n\t%l = lane i32x2\n\t%n = add i32x2 %l 31\n"
		"\t%s = shift_left i32x2 1 %n\n", "lane 1 is shifted by 32, and has 32 bits", NULL),
	FAULT(shift, "a shift by less than 0", BUFFERS "region host\n\t%l = lane i64x2\n\t%n = sub i64x2 %l 1\n"
		"\t%s = shift_right i64x2 1 %n\n", "lane 0 is shifted by -1, and has 64 bits", NULL),
	FAULT(divisor, "a quotient of 0", BUFFERS "region host\n\t%l = lane i64x2\n\t%d = sub i64x2 1 %l\n"
		"\t%q = quotient i64x2 8 %d\n", "the divisor of lane 1 is 0", NULL),
	FAULT(divisor, "a remainder of -1", BUFFERS "region host\n\t%l = lane i32x4\n\t%d = sub i32x4 2 %l\n"
		"\t%n = select i32x4 0x7 7 %d\n\t%r = remainder i32x4 8 %n\n", "the divisor of lane 3 is -1", NULL),
	FAULT(shift, "a shift to the right, with the sign", BUFFERS "region host\n\t%l = lane i32x2\n\t%n = add i32x2 %l 31\n"
		"\t%s = shift_signed i32x2 1 %n\n", "lane 1 is shifted by 32, and has 32 bits", NULL),
	FAULT(convert, "a float that is too large", BUFFERS "region host\n\t%l = lane i32x2\n"
		"\t%x = convert f32x2 from i32x2 %l\n\t%y = mul f32x2 %x 0x4f000000\n\t%z = convert i32x2 from f32x2 %y\n",
		"lane 1 converts 2.14748e+09, which its integer type does not have", NULL),
	FAULT(convert, "NaN", BUFFERS "region host\n\t%x = sub f64 inf inf\n\t%z = convert u8 from f64 %x\n",
		", which its integer type does not have", NULL),
	FAULT(scale, "by a power that is not whole", BUFFERS "region host\n\t%x = scale f32 1 0.5\n",
		"lane 0, 1, is scaled by 2 to the power of 0.5", NULL),
	FAULT(scale, "of a number that is not about 1", BUFFERS "region host\n\t%x = scale f64 5 1\n",
		"lane 0, 5, is scaled by 2 to the power of 1", NULL),
	FAULT(lanes, "a lane that no operand has", BUFFERS "region host\n\t%l = lane i64x4\n"
		"\t%s = shuffle i64x4 %l %l (0, 1)\n",
		"lane 1 is lane 9 of operands that have 8 together", shift_lanes),
	FAULT(step, "a loop whose number would wrap", BUFFERS "region host\n\t%z = load i64 a[0]\n"
		"\tloop %i from 9223372036854775800 to 9223372036854775807 step 5\n\t\tstore o[0] 1\n\tend\n",
		"a loop by steps of 5 ends at 9223372036854775807, so that it may never end", NULL),
	FAULT(step, "a loop that goes nowhere", BUFFERS "region host\n\tloop %i from 0 to 3 step 2\n\t\tstore o[%i] 1\n"
		"\tend\n",
		"a loop's step is 0", stop_loop),
};
enum { N_FAULT = sizeof fault_rows / sizeof *fault_rows };

static void fault_run(const struct fault_row *row, uint64_t off, struct simulated *s)
{
	/* Points backwards: where a write meets a read, which of them is first is part of the sentence. */
	struct lt_simulate_options options = { .seed = 3, .order = LT_SIMULATE_BACKWARD, .off = off };
	static const uint8_t fresh[] = { 0, 2, 0 };
	struct memory m;
	memory_fill(&m);
	struct lt_kernel *k = kernel_of(row->text);
	if (row->spoil)
		row->spoil(k);
	options.fresh = row->check == LT_SIMULATE_result ? fresh : NULL;
	simulated_run(k, (void *const[]){ m.a, m.o, m.f }, &options, NULL, s);
	lt_kernel_free(k);
}

Test(simulate, finds_every_planted_fault)
{
	for (int r = 0; r < N_FAULT; r++) {
		const struct fault_row *row = &fault_rows[r];
		struct simulated s;
		fault_run(row, 0, &s);
		cr_expect(s.status == LT_EDEVICE && s.found.check == row->check, "%s: %s", row->what, s.diags.text);
		cr_expect_not_null(strstr(s.diags.text, row->sentence), "%s: '%s', not '%s'", row->what, s.diags.text,
			row->sentence);
		cr_expect(s.diags.n == 1 && s.diags.remedy[0], "%s: one finding, with a way out", row->what);
	}
}

/* Element 0 stands for an index that is out of range, and may be undefined itself: the run ends, with the fault. */
Test(simulate, what_follows_from_a_fault_is_no_finding)
{
	static const char *const uses[] = { "store o[0] %x", "if %n\n\t\tstore o[0] 1\n\tend",
		"%y = load i64 a[%x]\n\tstore o[0] %y", "fault %n %x access 2 @3\n\tstore o[0] 1",
		"loop %i from 0 to %x\n\t\tstore o[0] %i\n\tend" };
	char text[1024];
	for (int r = 0; r < 2 * (int)(sizeof uses / sizeof *uses); r++) {
		const bool bad = r % 2;         /* -10 is out of range, 0 is not: nobody has stored w[0] */
		struct memory m;
		struct simulated s;
		memory_fill(&m);
		(void)snprintf(text, sizeof text, BUFFERS WORKSPACE "region host\n\tstore w[1] 1\n\t%%at = load i64 a[0]\n"
			"\t%%d = sub i64 %%at %d\n\t%%m = less i64 %%d 0\n\tfault %%m %%d access 1 @2\n"
			"\t%%e = select i64 %%m 0 %%d\n\t%%x = load i64 w[%%e]\n\t%%n = eq i64 %%x 3\n\t%s\n", bad ? 20 : 10,
			uses[r / 2]);
		struct lt_kernel *k = kernel_of(text);
		simulated_run(k, (void *const[]){ m.a, m.o, m.f }, NULL, NULL, &s);
		cr_expect_eq(s.status, bad ? LT_OK : LT_EDEVICE, "%s: %s", text, s.diags.text);
		cr_expect(!bad || (s.fault.n >= 1 && s.fault.stmt == 2 && s.fault.value == -10), "%s", text);
		lt_kernel_free(k);
	}
}

/* The checks are checked: without the one that a fault was planted for, the run ends without that finding. */
Test(simulate, each_check_is_needed)
{
	int planted[LT_NSIMULATE] = { 0 };
	for (int r = 0; r < N_FAULT; r++) {
		const struct fault_row *row = &fault_rows[r];
		struct simulated s;
		fault_run(row, UINT64_C(1) << row->check, &s);
		/* What the fault leads to, an undefined value that is stored or results that differ, may be found instead. */
		cr_expect(s.status == LT_OK || (s.found.check != row->check
			&& (s.found.check == LT_SIMULATE_stored || s.found.check == LT_SIMULATE_ranges)),
			"%s is found by the check %s, too: %s", row->what, lt__simulate_name(s.found.check), s.diags.text);
		fault_run(row, UINT64_MAX, &s);
		cr_expect(s.status == LT_OK, "%s: %s", row->what, s.diags.text);
		planted[row->check]++;
	}
	for (int c = 0; c < LT_SIMULATE_blocks; c++)    /* the others: tests/test_simulate_grid.c */
		cr_expect(planted[c] > 0, "no fault is planted for the check %s", lt__simulate_name((enum lt_simulate_check)c));
}
