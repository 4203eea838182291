/* grid_rows.h -- what the opcodes of grids do, a small program each, and what it leaves. */
#ifndef TESTS_GRID_ROWS_H
#define TESTS_GRID_ROWS_H
#include <stdio.h>
#include <string.h>

#define HEAD "kernel 1\nname k\nworkspace 0 thread 0\nbuffer x f32[256] slot 0 align 16 exclusive\n" \
	"buffer y f32[256] slot 1 align 16 exclusive written\nbuffer s f32[64] shared 0 align 16 exclusive written\n"
/* Two blocks of two subgroups of 8; i is the number of a thread, g of all. */
#define GRID "region host\n\tlaunch_grid 1 2 1 1 ()\n" \
	"region grid 1 blocks (2, 1, 1) threads (16, 1, 1) subgroup 8 shared 256\n" \
	"\t%i = thread 0\n\t%b = block 0\n\t%w = mul i64 %b 16\n\t%g = add i64 %w %i\n"
#define OUT "\tstore y[%g] %r\n"
#define KEEP "\tstore s[%i] 1\n"
/* Of four lanes: one of the sum. */
#define DOT(type) "\t%v = cast " type " from i64 %m\n\t%x = splat " type "x4 %v\n\t%z = splat " type "x4 3\n" \
	"\t%q = shuffle " type "x4 %x %z (0, 4, 5, 1)\n\t%d = dot i32 from " type "x4 %q %x 5\n" \
	"\t%r = cast f32 from i32 %d\n" OUT
#define BARRIER "\tbarrier block 0 threads 16\n"

/* What thread i of block b stores: r. */
static float number_block(int b, int i) { return (float)(b * 100 + i); }
static float number_subgroup(int b, int i) { (void)b; return (float)(i / 8 * 100 + i % 8); }
static float take_up(int b, int i) { return (float)(b * 16 + (i % 8 < 3 ? i : i - 3)); }
static float take_down(int b, int i) { return (float)(b * 16 + (i % 8 > 5 ? i : i + 2)); }
static float take_xor(int b, int i) { return (float)(b * 16 + (i ^ 5)); }
static float take_index(int b, int i) { return (float)(b * 16 + i / 8 * 8 + (7 - i % 8)); }
static float sum_subgroup(int b, int i)
{
	float sum = 0;
	for (int m = 0; m < 8; m++)
		sum += (float)(b * 16 + i / 8 * 8 + m);
	return sum;
}
static float sum_block(int b, int i) { return sum_subgroup(b, i) + sum_subgroup(b, i < 8 ? 8 : 0); }
static float reversed(int b, int i) { return (float)(b * 16 + 15 - i); }
static float padded(int b, int i) { return i < 10 ? (float)(b * 16 + i) : 0; }
static float dot_of(int v) { return (float)(2 * v * v + 6 * v + 5); }
static float dot_signed(int b, int i) { return dot_of(7 * (b * 16 + i - 18)); }
static float dot_unsigned(int b, int i) { return dot_of(8 * (b * 16 + i)); }
static float own_array(int b, int i) { (void)b; return (float)(i * i); }

static const struct { const char *what, *lines; float (*want)(int b, int i); } grid_rows[] = {
	{ "numbers", "\t%h = mul i64 %b 100\n\t%n = add i64 %h %i\n\t%r = cast f32 from i64 %n\n" KEEP OUT, number_block },
	{ "subgroups", "\t%m = member\n\t%u = subgroup 1\n\t%h = mul i64 %u 100\n\t%n = add i64 %h %m\n"
		"\t%r = cast f32 from i64 %n\n" KEEP OUT, number_subgroup },
	{ "dot of i8", KEEP "\t%n = sub i64 %g 18\n\t%m = mul i64 %n 7\n" DOT("i8"), dot_signed },
	{ "dot of u8", KEEP "\t%m = mul i64 %g 8\n" DOT("u8"), dot_unsigned },
	{ "up", KEEP "\t%v = load f32 x[%g]\n\t%r = exchange f32 up %v 3\n" OUT, take_up },
	{ "down", KEEP "\t%v = load f32 x[%g]\n\t%r = exchange f32 down %v 2\n" OUT, take_down },
	{ "xor", KEEP "\t%v = load f32 x[%g]\n\t%r = exchange f32 xor %v 5\n" OUT, take_xor },
	{ "index", KEEP "\t%v = load f32 x[%g]\n\t%m = member\n\t%n = sub i64 7 %m\n\t%r = exchange f32 index %v %n\n" OUT,
		take_index },
	{ "two lanes and masks", KEEP "\t%v = load f32 x[%g]\n\t%p = splat f32x2 %v\n\t%q = exchange f32x2 xor %p 5\n"
		"\t%l = less i64 %i 100\n\t%k = exchange mask up %l 1\n\t%e = fold f32x2 max %q\n\t%r = select f32 %k %e 0\n" OUT,
		take_xor },
	{ "a sum by halves", KEEP "\t%v = load f32 x[%g]\n\t%c = exchange f32 xor %v 4\n\t%d = add f32 %v %c\n"
		"\t%e = exchange f32 xor %d 2\n\t%f = add f32 %d %e\n\t%h = exchange f32 xor %f 1\n\t%r = add f32 %f %h\n" OUT,
		sum_subgroup },
	{ "a sum over shared memory, in a loop", "variable a f32\n~\tvariable a\n\tset a 0\n\t%v = load f32 x[%g]\n"
		"\tstore s[%i] %v\n\tbarrier block 0 threads 16\n\tloop %j from 0 to 16\n\t\t%o = load f32 s[%j]\n"
		"\t\tupdate a add %o\n\tend\n\t%r = get a\n" OUT, sum_block },
	{ "shared memory between two barriers", "\tloop %j from 0 to 3\n\t\t%v = load f32 x[%g]\n\t\tstore s[%i] %v\n"
		"\t\tbarrier block 0 threads 16\n\t\t%n = sub i64 15 %i\n\t\t%r = load f32 s[%n]\n\t\tstore y[%g] %r\n"
		"\t\tbarrier block 0 threads 16\n\tend\n", reversed },
	{ "a copy, zeros where it is off", "\t%m = less i64 %i 10\n\tcopy_async s[%i] from x[%g] mask %m\n\tcommit copies\n"
		"\twait copies 0\n\t%r = load f32 s[%i]\n" OUT, padded },
	{ "four copies at a time", "\t%m = less i64 %i 4\n\tif %m\n\t\t%f = mul i64 %i 4\n\t\t%h = add i64 %f %w\n"
		"\t\tcopy_async f32x4 s[%f] from x[%h]\n\tend\n\tcommit copies\n\twait copies 0\n\tbarrier block 0 threads 16\n"
		"\t%n = sub i64 15 %i\n\t%r = load f32 s[%n]\n" OUT, reversed },
	{ "two groups in flight", "\tcopy_async s[%i] from x[%g]\n\tcommit copies\n\tcopy_async s[%i + 16] from x[%i]\n"
		"\tcommit copies\n\twait copies 1\n\tbarrier block 0 threads 16\n\t%n = sub i64 15 %i\n\t%r = load f32 s[%n]\n" OUT
		"\twait copies 0\n", reversed },
	{ "roles: one subgroup writes, the other one reads", "\t%u = subgroup 1\n\t%p = eq i64 %u 0\n\tif %p\n"
		"\t\t%v = load f32 x[%g]\n\t\tstore s[%i] %v\n\t\t%z = load f32 x[%g + 8]\n\t\tstore s[%i + 8] %z\n"
		"\t\tbarrier block 2 threads 16\n\telse\n\t\tbarrier block 2 threads 16\n\t\t%q = load f32 s[%i]\n"
		"\t\t%h = load f32 s[%i - 8]\n\t\tstore y[%g - 8] %h\n\t\tstore y[%g] %q\n\tend\n", number_block },
	{ "an array of each thread", "buffer t i64[2] array align 8 exclusive written\n~\tarray t\n\tstore t[1] %i\n"
		"\tbarrier block 0 threads 16\n\t%t = load i64 t[1]\n\t%n = mul i64 %t %t\n\t%r = cast f32 from i64 %n\n" KEEP OUT,
		own_array },
};

enum { N_GRID_ROW = sizeof grid_rows / sizeof *grid_rows };

/* Lines before a ~ stand before the regions. */
static inline const char *grid_row_text(const char *lines)
{
	static char text[8192];
	const char *at = strchr(lines, '~');
	size_t n = at ? (size_t)(at - lines) : 0;
	(void)snprintf(text, sizeof text, "%s%.*s%s%s", HEAD, (int)n, lines, GRID, at ? at + 1 : lines);
	return text;
}
#endif
