/* test_simulate_grid.c -- grids in the simulator: what their opcodes do, written out, and every check against a
 * fault that was planted for it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/simulate/simulate.h"
#include "tests/grid_kernel.h"
#include "tests/grid_rows.h"
#include "tests/kernel_text.h"
#include "tests/simulated.h"

TestSuite(simulate_grid, .timeout = 120);

struct memory { _Alignas(64) float x[256]; _Alignas(64) float y[256]; };
static void memory_fill(struct memory *m)
{
	for (int i = 0; i < 256; i++) {
		m->x[i] = (float)i;
		m->y[i] = -1;
	}
}

static void run_text(const char *text, const struct lt_simulate_options *o, struct memory *m, struct simulated *s)
{
	struct lt_kernel *k = simulated_kernel("%s", text);
	memory_fill(m);
	simulated_run(k, (void *const[]){ m->x, m->y }, o, NULL, s);
	lt_kernel_free(k);
}

static float roles(int b, int i) { return (float)(b * 16 + i); }

Test(simulate_grid, opcodes)
{
	for (size_t r = 0; r < N_GRID_ROW; r++)
		for (int order = 0; order < 6; order++) {
			struct lt_simulate_options o = { .seed = (uint64_t)order, .order = (enum lt_simulate_order)(order % 3) };
			struct simulated s;
			struct memory m;
			bool in_roles = strncmp(grid_rows[r].what, "roles", 5) == 0;
			run_text(grid_row_text(grid_rows[r].lines), &o, &m, &s);
			cr_assert_eq(s.status, LT_OK, "%s: %s", grid_rows[r].what, s.diags.text);
			for (int t = 0; t < 32; t++)
				cr_expect_eq(m.y[t], (in_roles ? roles : grid_rows[r].want)(t / 16, t % 16),
					"%s: thread %d has %g", grid_rows[r].what, t,
					(double)m.y[t]);
		}
}

struct fault_row { enum lt_simulate_check check; const char *what, *lines,
	*sentence; void (*spoil)(struct lt_kernel *); };

static struct lt_instruction *first_of(struct lt_kernel *k, uint32_t opcode)
{
	struct lt_instruction *i = (struct lt_instruction *)(uintptr_t)k->instructions;
	while (i->opcode != opcode)
		i++;
	return i;
}
/* What the verifier would refuse: the condition of the first if is that of a thread. */
static void divide_if(struct lt_kernel *k)
{
	first_of(k, LT_OPCODE_if)->operand[0] = (int32_t)(first_of(k, LT_OPCODE_less) - k->instructions);
}
static void fewer_blocks(struct lt_kernel *k)
{
	((struct lt_region *)(uintptr_t)k->regions)[1].blocks[0] = 1;
}
static void more_blocks(struct lt_kernel *k)
{
	((struct lt_region *)(uintptr_t)k->regions)[1].blocks[0] = 5;
}

#define FAULT(check, what, ...) { LT_SIMULATE_##check, what, __VA_ARGS__ }
static const struct fault_row faults[] = {
	FAULT(blocks, "two blocks write one cell", KEEP "\tstore y[%i] 1 @3\n",
		"store in line 13 of grid 1, statement 3, at thread 0 of block (1, 0, 0): writes element 0 of buffer y, which "
			"another "
		"block has written (store in line 13 of grid 1, statement 3)", NULL),
	FAULT(blocks, "a block reads what another one writes", KEEP "\t%v = load f32 y[%i]\n\tstore y[%g] 1\n",
		"buffer y, which another block has", NULL),
	FAULT(blocks, "a block writes what others have read",
		KEEP "\t%m = eq i64 %g 16\n\t%k = eq i64 %b 0\n\tif %m\n\t\tstore y[0] 1\n\tend\n\tif %k\n"
		"\t\t%v = load f32 y[0]\n\tend\n", "element 0 of buffer y, which another block has", NULL),
	FAULT(threads, "a missing barrier", KEEP BARRIER "\t%v = load f32 x[%g]\n\tstore s[%i] %v @1\n\t%n = sub i64 15 %i\n"
		"\t%r = load f32 s[%n] @2\n" OUT, "buffer s, which thread", NULL),
	FAULT(threads, "a missing second barrier", "\tloop %j from 0 to 2\n\t\tstore s[%i] 1\n\t\tbarrier block 0 threads 16\n"
		"\t\t%n = sub i64 15 %i\n\t\t%r = load f32 s[%n]\n\t\tstore y[%g] %r\n\tend\n",
		"buffer s, which thread", NULL),
	FAULT(threads, "a barrier of the subgroup where it takes the block's",
		"\tstore s[%i] 1\n\tbarrier subgroup 0 threads 8\n\t%n = sub i64 15 %i\n\t%r = load f32 s[%n]\n" OUT,
		"buffer s, which thread", NULL),
	FAULT(threads, "equal values", "\tstore s[5] 1\n\tstore y[%g] 1\n", "writes element 5 of buffer s, which thread",
		NULL),
	FAULT(threads, "within a subgroup", "\tstore s[%i] 1\n\t%n = exchange i64 xor %i 1\n\t%r = load f32 s[%n]\n" OUT,
		"buffer s, which thread", NULL),
	FAULT(threads, "in global memory", KEEP "\tstore y[%g] 1\n\t%n = exchange i64 xor %g 1\n\t%r = load f32 y[%n]\n",
		"buffer y, which thread", NULL),
	FAULT(threads, "a barrier of others", "\t%u = subgroup 1\n\t%p = eq i64 %u 0\n\tif %p\n\t\tstore s[%i] 1\n"
		"\t\tbarrier block 1 threads 8\n\telse\n\t\tbarrier block 2 threads 8\n\t\t%r = load f32 s[%i - 8]\n"
		"\t\tstore y[%g] %r\n\tend\n", "buffer s, which thread", NULL),
	FAULT(threads, "a copy that others read without a barrier", KEEP BARRIER "\tcopy_async s[%i] from x[%g]\n\tcommit "
		"copies\n"
		"\twait copies 0\n\t%n = sub i64 15 %i\n\t%r = load f32 s[%n]\n" OUT, "buffer s, which thread", NULL),
	FAULT(barrier, "a barrier in a branch of some threads", KEEP "\t%k = less i64 %i 4\n\tif 0x1\n"
		"\t\tbarrier block 0 threads 16\n\tend\n\tstore y[%g] 1\n",
		"waits for ever: thread 4 has come to its end instead", divide_if),
	FAULT(barrier, "too few come", KEEP "\t%u = subgroup 1\n\t%p = eq i64 %u 0\n\tif %p\n\t\tbarrier block 1 threads 8\n"
		"\t\tbarrier block 1 threads 16\n\tend\n\tstore y[%g] 1\n", NULL, NULL),
	FAULT(barrier, "two wait at different barriers", KEEP "\t%u = subgroup 1\n\t%p = eq i64 %u 0\n\tif %p\n"
		"\t\tbarrier block 1 threads 8\n\t\tbarrier block 2 threads 8\n\telse\n\t\tbarrier block 1 threads 8\n\tend\n"
		"\tstore y[%g] 1\n", "16 threads wait at barrier 1, which is for 8", NULL),
	FAULT(barrier, "two wait at one barrier for other numbers of threads", KEEP "\t%u = subgroup 1\n\t%p = eq i64 %u 0\n"
		"\tif %p\n\t\tbarrier block 1 threads 8\n\telse\n\t\tbarrier block 1 threads 16\n\tend\n\tstore y[%g] 1\n",
		"barrier 1 is for 8 threads here, and for 16 at barrier in line 20 of grid 1", NULL),
	FAULT(barrier, "and the other way round", KEEP "\t%u = subgroup 1\n\t%p = eq i64 %u 0\n"
		"\tif %p\n\t\tbarrier block 1 threads 16\n\telse\n\t\tbarrier block 1 threads 8\n\tend\n\tstore y[%g] 1\n",
		"barrier 1 is for 16 threads here, and for 8 at barrier in line 20 of grid 1", NULL),
	FAULT(exchanged, "a value that was never set", "variable v f32\n~" KEEP "\tvariable v\n\t%k = less i64 %i 12\n\tif "
		"%k\n"
		"\t\tset v 1\n\tend\n\t%v = get v\n\t%r = exchange f32 xor %v 1\n\tstore y[%g] 1\n",
		"at thread 12 of block (1, 0, 0): a value that is exchanged is undefined", NULL),
	FAULT(member, "a member that there is not", KEEP "\t%r = exchange i64 index %i %i\n\tstore y[%g] 1\n",
		"takes the value of member 8 of a subgroup that has 8", NULL),
	FAULT(in_flight, "a forgotten wait", "\tcopy_async s[%i] from x[%g]\n\tcommit copies\n\t%v = load f32 s[%i]\n"
		"\twait copies 0\n\tstore y[%g] 1\n", "reads element 15 of buffer s, to which a copy is in flight", NULL),
	FAULT(in_flight, "a wait for too few", "\tcopy_async s[%i] from x[%g]\n\tcommit copies\n\twait copies 1\n"
		"\t%v = load f32 s[%i]\n\twait copies 0\n\tstore y[%g] 1\n", "to which a copy is in flight", NULL),
	FAULT(in_flight, "the source is written", "\tcopy_async s[%i] from y[%g]\n\tcommit copies\n\tstore y[%g] 1\n"
		"\twait copies 0\n", "writes element 31 of buffer y, of which a reader is in flight", NULL),
	FAULT(uncommitted, "a wait without a commit", "\tcopy_async s[%i] from x[%g]\n\twait copies 0\n\tcommit copies\n"
		"\twait copies 0\n\tstore y[%g] 1\n", "waits for groups, but something was begun after the last commit", NULL),
	FAULT(uncommitted, "no commit at all", KEEP "\twait copies 0\n\tstore y[%g] 1\n", "but there was no commit", NULL),
	FAULT(unwaited, "no wait at all", "\tcopy_async s[%i] from x[%g]\n\tcommit copies\n\tstore y[%g] 1\n",
		"copy_async in line 12 of grid 1, at thread 15 of block (1, 0, 0): the thread ends while what it has begun is in "
		"flight", NULL),
	FAULT(beyond, "no early exit", KEEP "\tstore y[%g] 1\n",
		"at thread 15 of block (2, 0, 0): a launch that is recorded has this block, too, which is beyond the 2 x 1 x 1",
		more_blocks),
	FAULT(extent, "more blocks than there may be", KEEP "\tstore y[%g] 1\n",
		"2 blocks along axis 0 of region 1, which has at most 1", fewer_blocks),
	FAULT(wide, "lanes at an odd place", KEEP "\t%h = add i64 %g 1\n\t%v = load f32x2 x[%h]\n\tstore y[%g] 1\n",
		"accesses 8 bytes side by side from element 31 of buffer x on, which is no multiple of 8 bytes", NULL),
	FAULT(wide, "lanes at an odd place, of which some are off", KEEP "\t%m = below maskx4 3\n"
		"\t%v = load f32x4 x[%g] mask %m\n\tstore y[%g] 1\n",
		"accesses 16 bytes side by side from element 31 of buffer x on, which is no multiple of 16 bytes", NULL),
	FAULT(wide, "six lanes at an odd place", KEEP "\t%v = load f32x6 x[%g]\n\tstore y[%g] 1\n",
		"accesses 24 bytes side by side from element 31 of buffer x on, which is no multiple of 8 bytes", NULL),
	FAULT(wide, "a copy from an odd place", "\t%h = mul i64 %i 2\n\tcopy_async f32x2 s[%h] from x[%h + 1]\n"
		"\tcommit copies\n\twait copies 0\n\tstore y[%g] 1\n", "copies 8 bytes from element 31 of buffer x", NULL),
	FAULT(element, "an access past the end", KEEP "\t%v = load f32 x[%g + 240]\n\tstore y[%g] 1\n",
		"reads element 271 of buffer x, which has 256", NULL),
	FAULT(element, "a copy past the end", "\tcopy_async s[%i] from x[%g + 240]\n\tcommit copies\n\twait copies 0\n"
		"\tstore y[%g] 1\n", "reads element 271 of buffer x, which has 256", NULL),
	FAULT(stored, "a shared cell that was never written", "\t%m = less i64 %i 4\n\tif %m\n\t\tstore s[%i] 1\n\tend\n"
		"\tbarrier block 0 threads 16\n\t%r = load f32 s[%i]\n" OUT, "an undefined value goes to element", NULL),
	FAULT(stored, "shared memory of the block before", "\t%m = eq i64 %b 0\n\tif %m\n\t\tstore s[%i] 1\n\tend\n"
		"\t%r = load f32 s[%i]\n" OUT, "an undefined value goes to element", NULL),
};
enum { N_FAULT = sizeof faults / sizeof *faults };

static void fault_run(const struct fault_row *row, uint64_t off, enum lt_simulate_order order, struct simulated *s)
{
	struct lt_simulate_options o = { .seed = 5, .order = order, .off = off };
	struct memory m;
	struct lt_kernel *k = simulated_kernel("%s", grid_row_text(row->lines));
	memory_fill(&m);
	if (row->spoil)
		row->spoil(k);
	simulated_run(k, (void *const[]){ m.x, m.y }, &o, NULL, s);
	lt_kernel_free(k);
}

Test(simulate_grid, finds_every_planted_fault)
{
	for (int r = 0; r < N_FAULT; r++)
		for (int order = 0; order < 3; order++) {
			const struct fault_row *row = &faults[r];
			struct simulated s;
			fault_run(row, 0, (enum lt_simulate_order)order, &s);
			cr_expect(s.status == LT_EDEVICE && s.found.check == row->check, "%s: %s", row->what, s.diags.text);
			/* Which thread is the first to do it is another one in each order. */
			bool named = order != LT_SIMULATE_BACKWARD || !row->sentence || strstr(s.diags.text, row->sentence);
			if (!named && strstr(row->sentence, "(1, 0, 0)"))
				named = strstr(s.diags.text, strstr(row->sentence, "0, 0)")) || strstr(s.diags.text, "block (0, 0, 0)");
			cr_expect(named, "%s: '%s', not '%s'", row->what, s.diags.text, row->sentence);
			cr_expect(s.diags.n == 1 && s.diags.remedy[0], "%s: one finding, with a way out", row->what);
		}
}

/* Without the check that a fault was planted for, the run ends without that finding. */
Test(simulate_grid, each_check_is_needed)
{
	int planted[LT_NSIMULATE] = { 0 };
	for (int r = 0; r < N_FAULT; r++) {
		const struct fault_row *row = &faults[r];
		struct simulated s;
		fault_run(row, UINT64_C(1) << row->check, LT_SIMULATE_FORWARD, &s);
		cr_expect(s.status == LT_OK || s.found.check != row->check, "%s: %s", row->what, s.diags.text);
		fault_run(row, UINT64_MAX, LT_SIMULATE_FORWARD, &s);
		cr_expect(s.status == LT_OK, "%s: %s", row->what, s.diags.text);
		planted[row->check]++;
	}
	for (int c = LT_SIMULATE_blocks; c < LT_SIMULATE_routine; c++)
		cr_expect(planted[c] > 0, "no fault is planted for the check %s", lt__simulate_name((enum lt_simulate_check)c));
}

/* y (16 x 8) = x (16 x 16) w (16 x 8, by columns) by one subgroup: a in registers, as the maker of the instruction says
 * which thread keeps what; or in shared memory with a swizzle that the copies into it apply, too. */
static void product_text(char *text, size_t cap, bool in_shared, bool async)
{
	static const char head[] = "kernel 1\nname k\nworkspace 0 thread 0\nbuffer x f16[256] slot 0 align 16 exclusive\n"
		"buffer w f16[128] slot 1 align 16 exclusive\nbuffer y f32[128] slot 2 align 16 exclusive written\n"
		"buffer s f16[256] shared 0 align 128 exclusive written\nbuffer u f16[128] shared 512 align 128 exclusive written\n"
		"variable c f32x4\n" GRID_MMA "region host\n\tlaunch_grid 1 1 1 1 ()\n"
		"region grid 1 blocks (1, 1, 1) threads (32, 1, 1) subgroup 32 shared 768\n\t%m = member\n"
		"\t%g = quotient i64 %m 4\n\t%h = remainder i64 %m 4\n\t%q = mul i64 %h 2\n\tvariable c\n\tset c 0\n"
		"\t%e = mul i64 %m 8\n\t%d = mul i64 %m 4\n\tcopy_async f16x4 u[%d] from w[%d]\n";
	static const char copied[] = "\t%f = shift_right i64 %m 3\n\t%x = and i64 %f 1\n\t%z = xor i64 %m %x\n"
		"\t%i = mul i64 %z 8\n\tcopy_async f16x8 s[%i] from x[%e]\n";
	static const char kept[] = "\tstore s[%m] 0x0\n\t%r = mul i64 %g 16\n\t%a = add i64 %r %q\n\t%a0 = load f16x2 x[%a]\n"
		"\t%a1 = load f16x2 x[%a + 128]\n\t%a2 = load f16x2 x[%a + 8]\n\t%a3 = load f16x2 x[%a + 136]\n"
		"\t%b0 = shuffle f16x2 %a0 %a1 (0, 1, 2, 3)\n\t%b1 = shuffle f16x2 %a2 %a3 (0, 1, 2, 3)\n"
		"\t%A = shuffle f16x4 %b0 %b1 (0, 1, 2, 3, 4, 5, 6, 7)\n";
	(void)snprintf(text, cap, "%s%s\tcommit copies\n\twait copies 0\n\tbarrier subgroup 0 threads 32\n"
		"\tmatrix mma (c) %s u[0 by 1, 16]%s\n%s\t%%C = get c\n\t%%o = mul i64 %%g 8\n\t%%p = add i64 %%o %%q\n"
		"\t%%l = shuffle f32x4 %%C %%C (0, 1)\n\t%%n = shuffle f32x4 %%C %%C (2, 3)\n\tstore y[%%p] %%l\n"
		"\tstore y[%%p + 64] %%n\n", head, in_shared ? copied : kept, in_shared ? "s[0 by 16, 1 swizzle 32]" : "%A",
		async ? " async" : "", async ? "\tcommit products\n\twait products 0\n" : "");
}

/* 1, 1.5, 2 ... as f16. */
static uint16_t half_of(int i)
{
	return (uint16_t)(i < 2 ? 0x3c00 + i * 0x200 : i < 4 ? 0x4000 + (i - 2) * 0x100 : 0x4200);
}
static float float_of(int i) { return i < 4 ? 1 + (float)i / 2 : 3; }

Test(simulate_grid, a_product_by_matrix_instructions)
{
	static _Alignas(64) uint16_t x[256], w[128];
	static _Alignas(64) float y[128];
	for (int i = 0; i < 256; i++)
		x[i] = half_of(i * 7 / 3 % 5);
	for (int i = 0; i < 128; i++)
		w[i] = half_of(i * i % 5);
	for (int way = 0; way < 4; way++) {
		char text[8192];
		product_text(text, sizeof text, way % 2, way / 2);
		struct lt_kernel *k = simulated_kernel("%s", text);
		simulated_good(k, (void *const[]){ x, w, y });
		for (int m = 0; m < 16; m++)
			for (int n = 0; n < 8; n++) {
				float sum = 0;
				for (int i = 0; i < 16; i++)
					sum += float_of((m * 16 + i) * 7 / 3 % 5) * float_of((n * 16 + i) * (n * 16 + i) % 5);
				cr_expect_eq(y[m * 8 + n], sum, "way %d, (%d, %d): %g, not %g", way, m, n, (double)y[m * 8 + n], (double)sum);
			}
		lt_kernel_free(k);
	}
}

/* What is in flight is not touched: accumulators, and the operands in shared memory. */
Test(simulate_grid, a_product_in_flight)
{
	static const struct { const char *in_place_of, *line, *message; } rows_of_flight[] = {
		{ "\twait products 0\n", "", "variable c is an accumulator of a matrix instruction that is in flight" },
		{ "\tcommit products\n", "\tstore s[%e] 0x0\n\tcommit products\n", "of which a reader is in flight" },
		{ "\tcommit products\n", "", "something was begun after the last commit" },
	};
	static _Alignas(64) uint16_t x[256], w[128];
	static _Alignas(64) float y[128];
	for (size_t r = 0; r < sizeof rows_of_flight / sizeof *rows_of_flight; r++) {
		char text[8192], spoiled[8192];
		struct simulated s;
		product_text(text, sizeof text, true, true);
		const char *at = strstr(text, rows_of_flight[r].in_place_of);
		(void)snprintf(spoiled, sizeof spoiled, "%.*s%s%s", (int)(at - text), text, rows_of_flight[r].line,
			at + strlen(rows_of_flight[r].in_place_of));
		/* The race that goes with it is another finding. */
		struct lt_simulate_options o = { .seed = 1, .off = UINT64_C(1) << LT_SIMULATE_threads };
		struct lt_kernel *k = simulated_kernel("%s", spoiled);
		simulated_run(k, (void *const[]){ x, w, y }, &o, NULL, &s);
		cr_expect(s.status == LT_EDEVICE && strstr(s.diags.text, rows_of_flight[r].message), "%s: %s",
			rows_of_flight[r].message, s.diags.text);
		lt_kernel_free(k);
	}
}

Test(simulate_grid, the_program_of_all_opcodes_runs)
{
	static _Alignas(64) uint16_t x[4096];
	static _Alignas(64) float y[8192];
	struct lt_kernel *k = simulated_kernel("%s", grid_kernel);
	for (int i = 0; i < 4096; i++)
		x[i] = (uint16_t)(0x3c00 + i % 7 * 64);
	simulated_good(k, (void *const[]){ x, y });
	lt_kernel_free(k);
}

/* The example of docs/kernel.md, which build/simulate runs. */
Test(simulate_grid, sums_of_blocks)
{
	static _Alignas(64) float x[4096];
	float y[16];
	char text[4096];
	FILE *f = fopen("tests/kernels/sum.kernel", "r");
	cr_assert_not_null(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	for (int i = 0; i < 4096; i++)
		x[i] = (float)(i % 97);
	struct lt_kernel *k = simulated_kernel("%s", text);
	simulated_good(k, (void *const[]){ x, y });
	for (int b = 0; b < 16; b++) {
		float sum = 0;
		for (int i = 0; i < 256; i++)
			sum += x[b * 256 + i];
		cr_expect_eq(y[b], sum, "block %d: %g, not %g", b, (double)y[b], (double)sum);
	}
	lt_kernel_free(k);
}

/* What is the most is named: of accesses of one bank, of sectors, of arithmetic; the cycles are counted by hand. */
static const struct { const char *lines, *message; } predicted[] = {
	/* 16 threads want 16 words of one bank, 10 times, in 2 blocks, each on a multiprocessor of its own: subgroups of 8
	 * have 8 words in a phase: 2 subgroups x 8 x 10 */
	{ "\t%o = mul i64 %i 32\n\tloop %j from 0 to 10\n\t\t%v = load f32 x[0]\n\t\t%z = load f32 big[%o]\n\tend\n" KEEP,
		"loop in line 17: bound by shared memory, 160 cycles" },
	/* Each thread a sector of its own: 16 x 32 bytes / 13.9, 4 times */
	{ "\t%o = mul i64 %i 8\n\tloop %j from 0 to 4\n\t\t%v = load f32 x[%o]\n\tend\n" KEEP,
		"loop in line 17: bound by memory, 147 cycles" },
};

Test(simulate_grid, says_what_bounds_a_loop)
{
	const struct lt_simulate_machine *m = lt__simulate_machine("h100");
	cr_assert(m && !lt__simulate_machine("h"));
	for (size_t i = 0; i < sizeof predicted / sizeof *predicted; i++) {
		char text[4096];
		struct memory memory;
		struct simulated s;
		struct kernel_text message = { 0 };
		(void)snprintf(text, sizeof text, "%sbuffer big f32[512] shared 256 align 4 exclusive\n%s\tstore y[%%g] 1\n%s", HEAD,
			GRID, predicted[i].lines);
		char *shared = strstr(text, "shared 256\n\t%i");
		memmove(shared + 11, shared + 10, strlen(shared + 10) + 1);
		memcpy(shared, "shared 4096", 11);
		struct lt_kernel *k = simulated_kernel("%s", text);
		struct lt_simulate_count c = { calloc(k->n_instruction, 8), calloc(k->n_instruction, 8),
			calloc(k->n_instruction, sizeof *c.request) };
		memory_fill(&memory);
		simulated_run(k, (void *const[]){ memory.x, memory.y }, NULL, &c, &s);
		cr_assert_eq(s.status, LT_OK, "%s", s.diags.text);
		cr_assert_eq(lt__simulate_predict(k, &c, m, kernel_text_add, &message), LT_OK);
		cr_expect(strstr(message.at, predicted[i].message)
			&& strstr(message.at, "grid 1: 2 blocks, 4096 bytes of shared memory"),
			"%s",
			message.at);
		free(message.at);
		free(c.runs);
		free(c.lanes);
		free(c.request);
		lt_kernel_free(k);
	}
}

/* Registers: values from their line to their last use, to the end of a loop that began behind them; variables. */
Test(simulate_grid, counts_registers_that_live_at_once)
{
	static const struct { const char *lines; int64_t registers; } rows_of_lives[] = {
		{ "\t%a = load f32 x[0]\n\t%b = load f32 x[1]\n\t%c = add f32 %a %b\n\tstore y[0] %c\n", 2 },
		{ "\t%a = load f32x4 x[0]\n\t%b = load f32x4 x[4]\n\t%c = add f32x4 %a %b\n\tstore y[0] %c\n", 8 },
		{ "\t%a = load f32 x[0]\n\tloop %j from 0 to 3\n\t\tstore y[%j] %a\n\t\t%b = load f32x2 x[2]\n"
			"\t\tstore y[4] %b\n\tend\n", 5 },
		{ "\tvariable v\n\tset v 1\n\t%a = load f32 x[0]\n\tset v %a\n\t%b = get v\n\tstore y[0] %b\n", 2 },
	};
	for (size_t i = 0; i < sizeof rows_of_lives / sizeof *rows_of_lives; i++) {
		int64_t n;
		struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nbuffer x f32[8] slot 0 align 16\n"
			"buffer y f32[8] slot 1 align 16 written\nvariable v f32\nregion host\n\tlaunch_grid 1 1 1 1 ()\n"
			"region grid 1 blocks (1, 1, 1) threads (1, 1, 1) subgroup 1 shared 0\n%s", rows_of_lives[i].lines);
		cr_assert_eq(lt__simulate_registers(k, 1, &n), LT_OK);
		cr_expect_eq(n, rows_of_lives[i].registers, "%s: %lld", rows_of_lives[i].lines, (long long)n);
		lt_kernel_free(k);
	}
}
