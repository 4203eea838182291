/* test_kernel_grid.c -- grids in kernel programs: their text, each rule that they have, which values are the same
 * in which threads. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "tests/grid_kernel.h"
#include "tests/kernel_text.h"

TestSuite(kernel_grid, .timeout = 60);

Test(kernel_grid, prints_what_was_parsed)
{
	struct lt_kernel *k = NULL;
	struct kernel_text text = { 0 };
	cr_assert_eq(kernel_parse(grid_kernel, strlen(grid_kernel), &k), LT_OK, "%s", kernel_message);
	lt_kernel_print(k, kernel_text_add, &text);
	cr_expect_str_eq(text.at, grid_kernel);
	cr_expect_eq(k->regions[1].threads[1], 4);
	cr_expect_eq(k->regions[1].blocks[0], 8);
	free(text.at);
	lt_kernel_free(k);
}

#define HEAD "kernel 1\nname k\nbuffer y f32[1024] slot 0 align 4 exclusive\n" \
	"buffer o f32[1024] slot 1 align 4 exclusive written\n"
#define GRID "region grid 1 blocks (4, 1, 1) threads (64, 2, 1) subgroup 32 shared 64\n"
#define LAUNCH "region host\n\tlaunch_grid 1 4 1 1 ()\n"
#define STORE "\tstore o[0] 1\n"

/* Lines behind HEAD (line 5 is their first), and what is said. */
static const struct { const char *text, *message; } broken[] = {
	{ LAUNCH "region grid 1 blocks (0, 1, 1) threads (1, 1, 1) subgroup 1 shared 0\n",
		"kernel:7:23: expected how many blocks there are at most" },
	{ LAUNCH "region grid 1 blocks (1, 70000, 1) threads (1, 1, 1) subgroup 1 shared 0\n" STORE,
		"kernel:7:1: region 1: a grid has 1 to 65535 blocks along axis 1, not 70000" },
	{ LAUNCH "region grid 1 blocks (1, 1, 1) threads (32, 32, 2) subgroup 1 shared 0\n" STORE,
		"kernel:7:1: region 1: a block has 1 to 1024 threads" },
	{ LAUNCH "region grid 1 blocks (1, 1, 1) threads (48, 1, 1) subgroup 32 shared 0\n" STORE,
		"kernel:7:1: region 1: a subgroup has 1, 2, 4 ... 64 threads, of which a block's 48 are a multiple; not 32; round" },
	{ LAUNCH "region grid 1 blocks (1, 1, 1) threads (48, 1, 1) subgroup 24 shared 0\n" STORE,
		"kernel:7:1: region 1: a subgroup has 1, 2, 4" },
	{ LAUNCH "region grid 1 blocks (1, 1, 1) threads (32, 1, 1) subgroup 32 shared 16777217\n" STORE,
		"kernel:7:1: region 1: a block has 0 to 16777216 bytes of shared memory" },
	{ "region host\n\tlaunch_grid 1 5 1 1 ()\n" GRID STORE,
		"kernel:6:2: region 0: 5 blocks along axis 0, but region 1 has at most 4; make `blocks` of the region larger" },
	{ "region host\n\tlaunch 1 5 ()\n" GRID STORE,
		"kernel:6:2: region 0: region 1 is a grid, which 'launch' does not launch; write `launch_grid`" },
	{ "region host\n\tlaunch_grid 1 1 1 1 ()\nregion team 1\n" STORE,
		"kernel:6:2: region 0: region 1 is a team, which 'launch_grid' does not launch; write `launch`" },
	{ "region host\n\tlaunch_grid 3 1 1 1 ()\n" GRID STORE,
		"kernel:6:2: region 0: there is no region 3 to launch: the program has region 1" },
	{ "region host\n" GRID STORE, "kernel:6:1: region 1: no launch runs this region; remove it" },
	{ "buffer s f32[32] shared 0 align 4 written\nregion host\n\tstore s[0] 1\n",
		"kernel:7:2: region 0: buffer s is shared by the threads of a block; only a grid has blocks" },
	{ "buffer s f32[16] shared 4 align 4 exclusive written\n" LAUNCH GRID "\tstore s[0] 1\n" STORE,
		"kernel:5:1: buffer s ends behind the 64 bytes of shared memory; make `shared` of the region larger" },
	{ "buffer s f32[1] shared 4 align 16 exclusive written\n" LAUNCH GRID "\tstore s[0] 1\n" STORE,
		"kernel:5:1: offset 4 of buffer s is no multiple of its alignment" },
	{ "buffer s f32[2] shared 0 align 4 exclusive written\nbuffer r f32[2] shared 4 align 4 written\n" LAUNCH GRID
		"\tstore s[0] 1\n\tstore r[0] 1\n" STORE,
		"kernel:6:1: buffers r and s overlap, but s is exclusive; declare both without `exclusive`" },
	{ "buffer s f32[2] shared 0 align 4 exclusive written\nregion host\n\tlaunch_grid 1 1 1 1 ()\n"
		"\tlaunch_grid 2 1 1 1 ()\n" GRID "\tstore s[0] 1\n" STORE
		"region grid 2 blocks (1, 1, 1) threads (1, 1, 1) subgroup 1 shared 64\n\tstore s[1] 1\n",
		"kernel:13:2: region 2: shared buffer s is used in region 1, too; give each region its own" },
	{ "workspace 0 thread 64\nbuffer s f32[2] thread 0 align 4 written\n" LAUNCH GRID "\tstore s[0] 1\n" STORE,
		"kernel:10:2: region 1: buffer s is a part of each thread of a team; a grid has none; make it an array" },
	{ "region host\n\t%0 = thread 0\n", "kernel:6:2: region 0: 'thread' is for the threads of a grid; this region is "
		"none" },
	{ LAUNCH GRID "\t%0 = first\n" STORE, "kernel:8:2: region 1: 'first' is a point of a team; the grid's region has "
		"none" },
	{ LAUNCH GRID "\t%0 = block 3\n" STORE, "kernel:8:2: region 1: 'block' is along axis 0, 1 or 2, not 3" },
	{ LAUNCH GRID "\t%0 = subgroup 2\n" STORE,
		"kernel:8:2: region 1: 'subgroup' numbers single subgroups (1) or four together (4), not 2" },
	{ LAUNCH "region grid 1 blocks (4, 1, 1) threads (32, 3, 1) subgroup 32 shared 64\n\t%0 = subgroup 4\n" STORE,
		"kernel:8:2: region 1: a block of 96 threads is not made of four subgroups at a time" },
	{ LAUNCH "region grid 1 blocks (4, 1, 1) threads (32, 3, 1) subgroup 1 shared 64\n\t%0 = exchange i64 up 1 1\n" STORE,
		"kernel:8:2: region 1: 'exchange' needs subgroups, and this grid has none; say `subgroup 32`" },
	{ LAUNCH GRID "\tbarrier subgroup 1 threads 32\n" STORE,
		"kernel:8:2: region 1: the barrier of a subgroup is number 0, of its 32 threads" },
	{ LAUNCH GRID "\tbarrier block 16 threads 32\n" STORE,
		"kernel:8:2: region 1: barriers of a block have the numbers 0 to 15, not 16" },
	{ LAUNCH GRID "\tbarrier block 0 threads 160\n" STORE,
		"kernel:8:2: region 1: a barrier is of whole subgroups of 32, and of at most the block's 128 threads; not of 160" },
	{ LAUNCH GRID "\tbarrier block 0 threads 48\n" STORE, "kernel:8:2: region 1: a barrier is of whole subgroups of 32" },
	{ LAUNCH GRID "\tbarrier block 0 threads 32\n" STORE,
		"kernel:8:2: region 1: barrier 0 of a block is of all its 128 threads; give this one another number" },
	{ LAUNCH GRID "\tbarrier grid 0 threads 128\n" STORE, "kernel:8:10: expected 'block' or 'subgroup', found 'grid'" },
	{ LAUNCH GRID "\t%0 = exchange i64 left 1 1\n" STORE,
		"kernel:8:20: expected 'up', 'down', 'xor' or 'index', found 'left'" },
	/* Who runs it together. */
	{ LAUNCH GRID "\t%0 = thread 0\n\t%1 = less i64 %0 9\n\tif %1\n\t\tbarrier block 0 threads 128\n\tend\n" STORE,
		"kernel:11:3: region 1: all threads of a block run 'barrier' or none does, but the conditions of the 'if' around it "
		"differ among them (line 10); move it out of that block" },
	{ LAUNCH GRID "\t%0 = subgroup 1\n\tloop %1 from 0 to %0\n\t\tbarrier block 0 threads 128\n\tend\n" STORE,
		"kernel:10:3: region 1: all threads of a block run 'barrier' or none does, but the trips of the 'loop' around it" },
	{ LAUNCH GRID "\t%0 = member\n\t%1 = eq i64 %0 9\n\tif %1\n\t\tbarrier block 1 threads 32\n\tend\n" STORE,
		"kernel:11:3: region 1: all threads of a subgroup run 'barrier' or none does" },
	{ LAUNCH GRID "\t%0 = member\n\t%1 = eq i64 %0 9\n\tif 0x1\n\telse\n\t\tif %1\n\t\telse\n\t\t\t%2 = exchange i64 up "
		"1 1\n"
		"\t\tend\n\tend\n" STORE,
		"kernel:14:4: region 1: all threads of a subgroup run 'exchange' or none does, but the conditions of the 'if' "
			"around it "
		"differ among them (line 12)" },
	{ "variable n i64\n" LAUNCH GRID "\tvariable n\n\tset n 4\n\tloop %0 from 0 to 2\n\t\t%1 = get n\n"
		"\t\tloop %2 from 0 to %1\n\t\t\twait copies 0\n\t\tend\n\t\t%3 = thread 0\n\t\tset n %3\n\tend\n" STORE,
		"kernel:14:4: region 1: all threads of a subgroup run 'wait' or none does, but the trips of the 'loop'" },
	{ "variable n i64\n" LAUNCH GRID "\tvariable n\n\tset n 4\n\t%0 = thread 0\n\t%1 = eq i64 %0 0\n\tif %1\n\t\tset n 5\n"
		"\tend\n\t%2 = get n\n\t%3 = eq i64 %2 4\n\tif %3\n\t\tcommit copies\n\tend\n" STORE,
		"kernel:19:3: region 1: all threads of a subgroup run 'commit' or none does" },
	{ LAUNCH GRID "\t%0 = member\n\t%1 = exchange i64 xor %0 %0\n" STORE,
		"kernel:9:2: region 1: the distance of 'exchange' is the same in all threads of a subgroup, but operand 1 differs "
			"among "
		"them (line 8)" },
	{ LAUNCH GRID "\t%0 = subgroup 1\n\t%1 = eq i64 %0 0\n\tleave %1\n" STORE,
		"kernel:10:2: region 1: the condition of 'leave' is the same in all threads of a block, but operand 0 differs" },
	{ LAUNCH GRID "\tif 0x1\n\t\tleave 0x0\n\tend\n" STORE,
		"kernel:9:3: region 1: 'leave' stands in a block (line 8); put it in front of that block" },
	{ LAUNCH GRID "\tbarrier block 0 threads 128\n\tleave 0x0\n" STORE,
		"kernel:9:2: region 1: a block leaves before its threads wait for each other (line 8); put it at the beginning" },
	/* Copies. */
	{ LAUNCH GRID "\tcopy_async f32x4 o[0] from y[0]\n" STORE,
		"kernel:8:2: region 1: 'copy_async' is from a slot or the workspace to shared memory, not from y to o; load and "
			"store" },
	{ "buffer s f32[8] shared 0 align 16 written\n" LAUNCH GRID "\tcopy_async f32x8 s[0] from y[0]\n" STORE,
		"kernel:9:2: region 1: 'copy_async' copies 4, 8 or 16 bytes, not 32" },
	{ "buffer s i32[8] shared 0 align 16 written\n" LAUNCH GRID "\tcopy_async i32x4 s[0] from y[0]\n" STORE,
		"kernel:9:2: region 1: y has elements of type f32, s of type i32; load, cast and store it" },
	{ "buffer s f32[8] shared 0 align 16\n" LAUNCH GRID "\tcopy_async s[0] from y[0]\n" STORE,
		"kernel:9:2: region 1: buffer s is written here, but declared without `written`" },
};

static void expect_message(const char *text, const char *message)
{
	struct lt_kernel *k = NULL;
	cr_expect_neq(kernel_parse(text, strlen(text), &k), LT_OK, "%s", text);
	cr_expect(strncmp(kernel_message, message, strlen(message)) == 0, "\n%s\nsays %s\nnot  %s", text, kernel_message,
		message);
	lt_kernel_free(k);
}

Test(kernel_grid, each_rule)
{
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		char text[4096];
		(void)snprintf(text, sizeof text, "%s%s", HEAD, broken[i].text);
		expect_message(text, broken[i].message);
	}
}

/* A part of grid_kernel, what stands there instead, and what is said (without its place). */
static const struct { const char *part, *instead, *message; } spoiled[] = {
	{ "threads 128 a", "threads 64 a", "matrix wide: it takes 32 or 128 threads, extents of 1 to 256, and elements of "
		"some" },
	{ "(k1, m8, k8) (k2, k4, m1, m2, m4) b", "(k1, m8, k4) (k2, k4, m1, m2, m4) b",
		"matrix mma: the bits of a do not give each of its 256 elements to one place of one of 32 threads" },
	{ "b f16 (k1, k8)", "b f16 (k1)", "matrix mma: the bits of b do not give" },
	{ "c f32 (n1, m8)", "c f32 (n1, m3)", "3 is no power of two" },
	{ "c f32 (n1, m8)", "c f32 (n1, q8)", "expected at most 8 of m1, n2, k4 ..., found 'q8'" },
	{ "c f32 (n1, m8)", "c i32 (n1, m8)", "region 1: matrix mma adds products of f16 to i32" },
	{ "matrix wide (64", "matrix mma (64", "'mma' is declared twice; all names are different" },
	{ "%14 0x3c00", "%14 1.5", "expected a value such as %0 or a constant of type f16" },
	{ "mma (c) %14", "mma (c) %21", "no line above in this region makes '%21'" },
	{ "mma (c) %14", "mma (c) %13", "'%13' is i64; f16x8 is needed here" },
	{ "mma (c) t", "mma (d) t", "region 1: the accumulators have 8 lanes; a thread's part of c has 4" },
	{ "wide (d, e)", "wide (d, d)", "region 1: accumulator d is there twice" },
	{ "wide (d, e)", "wide (d, z)", "expected the name of a variable that a line above the regions declares, found 'z'" },
	{ "u[8 by 1, 16]", "x[8 by 1, 16]", "region 1: a matrix is in registers or in a shared buffer" },
	{ "u[8 by 1, 16]", "u[%4 by 1, 16]",
		"region 1: an address of 'matrix' is the same in all threads of four subgroups, but operand 1 differs among them" },
	{ "swizzle 128]", "swizzle 96]", "region 1: a swizzle is of 32, 64 or 128 bytes, not 96" },
	{ "t f16[1024] shared 0 align 128", "t f16[1024] shared 0 swizzle 96 align 1024",
		"has a swizzle of 96 bytes, of which" },
	{ "t f16[1024] shared 0 align 128", "t f16[1024] shared 0 swizzle 32 align 128",
		"has a swizzle of 32 bytes, of which" },
	{ "u f16[400] shared 2048 align 128", "u f16[400] shared 2048 swizzle 32 align 256",
		"region 1: buffer u has a swizzle itself" },
	{ "t f16[1024] shared 0", "t f16[1024] array swizzle 32", "buffer t has a swizzle, and is not in shared memory" },
	{ "u[8 by 1, 16]", "%14", "'%14' is f16x8; f16x3 is needed here" },
	{ "threads (32, 4, 1)", "threads (32, 6, 1)", "region 1: a block of 192 threads is not made of four" },
	{ "\tmatrix wide", "\tif %12\n\tend\n\tmatrx wide", "expected an instruction, found 'matrx'; did you mean 'matrix'?" },
	{ "\tset d 0\n", "", "" },
	{ "\t%0 = add i64 2 2\n", "\tmatrix mma (c) 0x3c00 0x3c00\n\t%0 = add i64 2 2\n",
		"region 0: 'matrix' is for the threads of a grid; this region is none" },
	{ "\tbarrier subgroup 0 threads 32\n", "\t%s = get c\n\tmatrix mma (c) %14 0x3c00\n\t%v = fold f32x4 add %s\n",
		"region 1: operand 0 is what variable c held before it was set again" },
};

Test(kernel_grid, each_rule_of_matrices)
{
	for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
		char text[8192];
		struct lt_kernel *k = NULL;
		const char *at = strstr(grid_kernel, spoiled[i].part);
		cr_assert_not_null(at, "%s", spoiled[i].part);
		(void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - grid_kernel), grid_kernel, spoiled[i].instead,
			at + strlen(spoiled[i].part));
		lt_status status = kernel_parse(text, strlen(text), &k);
		if (*spoiled[i].message)
			cr_expect(status && strstr(kernel_message, spoiled[i].message), "%s: says %s\nnot %s", spoiled[i].instead,
				kernel_message, spoiled[i].message);
		else
			cr_expect_eq(status, LT_OK, "%s", kernel_message);
		lt_kernel_free(k);
	}
}

/* The last value that is made, and in which threads it is the same. */
static const struct { const char *lines; enum lt_uniformity level; } levels[] = {
	{ "\t%0 = block 0\n", LT_UNIFORM_BLOCK }, { "\t%0 = block 1\n", LT_UNIFORM_LAUNCH },
	{ "\t%0 = thread 0\n", LT_UNIFORM_THREAD }, { "\t%0 = thread 1\n", LT_UNIFORM_SUBGROUP },
	{ "\t%0 = thread 2\n", LT_UNIFORM_FOUR }, { "\t%0 = subgroup 1\n", LT_UNIFORM_SUBGROUP },
	{ "\t%0 = subgroup 4\n", LT_UNIFORM_FOUR }, { "\t%0 = member\n", LT_UNIFORM_THREAD },
	{ "\t%0 = add i64 3 4\n", LT_UNIFORM_LAUNCH },
	{ "\t%0 = block 0\n\t%1 = thread 1\n\t%2 = add i64 %0 %1\n", LT_UNIFORM_SUBGROUP },
	{ "\t%0 = block 0\n\t%1 = load f32 y[%0]\n", LT_UNIFORM_BLOCK }, { "\t%0 = load f32 y[5]\n", LT_UNIFORM_LAUNCH },
	{ "\t%0 = load f32 s[5]\n", LT_UNIFORM_BLOCK }, { "\t%0 = thread 0\n\t%1 = load f32 y[%0]\n", LT_UNIFORM_THREAD },
	{ "\tarray a\n\tstore a[0] 1\n\t%0 = load f32 a[0]\n", LT_UNIFORM_THREAD },
	{ "\t%0 = member\n\t%1 = exchange i64 index %0 3\n", LT_UNIFORM_SUBGROUP },
	{ "\t%0 = member\n\t%1 = exchange i64 index %0 %0\n", LT_UNIFORM_THREAD },
	{ "\t%0 = member\n\t%1 = exchange i64 xor %0 3\n", LT_UNIFORM_THREAD },
	{ "\t%0 = block 0\n\t%1 = exchange i64 xor %0 3\n", LT_UNIFORM_BLOCK },
	{ "\tvariable n\n\tset n 3\n\t%0 = get n\n", LT_UNIFORM_LAUNCH },
	{ "\tvariable n\n\t%0 = block 0\n\tset n %0\n\tupdate n add 3\n\t%1 = get n\n", LT_UNIFORM_BLOCK },
	{ "\tvariable n\n\t%0 = thread 1\n\tloop %1 from 0 to %0\n\t\tset n 3\n\tend\n\t%2 = get n\n", LT_UNIFORM_SUBGROUP },
	{ "\tvariable n\n\t%0 = member\n\t%1 = less i64 %0 3\n\tif 0x1\n\t\tif %1\n\t\telse\n\t\t\tset n 3\n\t\tend\n\tend\n"
		"\t%2 = get n\n", LT_UNIFORM_THREAD },
	{ "\tvariable n\n\tset n 0\n\tloop %0 from 0 to 9\n\t\t%1 = get n\n\t\t%2 = add i64 %1 1\n\t\t%3 = member\n"
		"\t\tset n %3\n\t\t%4 = copy i64 %2\n\tend\n", LT_UNIFORM_THREAD },
	{ "\t%0 = thread 0\n\tloop %1 from 3 to %0\n\t\t%2 = mul i64 %1 2\n\tend\n", LT_UNIFORM_LAUNCH },
};

Test(kernel_grid, values_are_as_uniform_as_what_they_follow_from)
{
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		char text[4096];
		struct lt_kernel *k = NULL;
		struct lt_pool pool = { 0 };
		(void)snprintf(text, sizeof text, "%sbuffer s f32[16] shared 0 align 4 written\nbuffer a f32[4] array align 4 "
			"written\n"
			"variable n i64\n" LAUNCH "region grid 1 blocks (4, 1, 1) threads (32, 4, 2) subgroup 32 shared 64\n"
			"\tstore s[0] 1\n%s%s" STORE, HEAD, strstr(levels[i].lines, "array a") ? "" : "\tarray a\n\tstore a[0] 1\n",
			levels[i].lines);
		cr_assert_eq(kernel_parse(text, strlen(text), &k), LT_OK, "%s\n%s", kernel_message, text);
		cr_assert_eq(setjmp(pool.jump), 0);
		struct lt_uniform u = lt__uniform(k, &pool);
		int32_t last = -1;
		for (int32_t v = k->regions[1].first; v < (int32_t)k->n_instruction; v++)
			if (k->instructions[v].dtype && k->instructions[v].opcode != LT_OPCODE_const)
				last = v;
		cr_expect_eq(u.value[last], levels[i].level, "%s: %d, not %d", levels[i].lines, u.value[last], levels[i].level);
		lt__pool_free(&pool);
		lt_kernel_free(k);
	}
}

/* What four subgroups run together is good for an instruction of 128 threads; one subgroup's for one of 32. */
Test(kernel_grid, roles)
{
	static const struct { const char *condition, *inside; bool good; } rows[] = {
		{ "subgroup 4", "matrix wide (d, e) t[0 by 16, 1] u[8 by 1, 16]", true },
		{ "subgroup 1", "matrix wide (d, e) t[0 by 16, 1] u[8 by 1, 16]", false },
		{ "subgroup 1", "matrix mma (c) %14 0x3c00", true }, { "member", "matrix mma (c) %14 0x3c00", false },
		{ "subgroup 1", "barrier block 3 threads 64", true }, { "subgroup 1", "barrier block 3 threads 256", true },
		{ "subgroup 1", "barrier block 0 threads 256", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[8192];
		struct lt_kernel *k = NULL;
		const char *cut = strstr(grid_kernel, "\tmatrix mma (c) %14"), *threads = strstr(grid_kernel, "(32, 4, 1) sub");
		(void)snprintf(text, sizeof text, "%.*s(32, 8, 1)%.*s\t%%a = %s\n\t%%b = eq i64 %%a 1\n\tif "
			"%%b\n\t\t%s\n\tend\n\tstore y[0] 1\n",
			(int)(threads - grid_kernel), grid_kernel, (int)(cut - threads - 10), threads + 10, rows[i].condition,
			rows[i].inside);
		char *barrier = strstr(text, "barrier block 0 threads 128");
		memcpy(barrier, "barrier block 0 threads 256", 27);
		cr_expect_eq(!kernel_parse(text, strlen(text), &k), rows[i].good, "%s %s: %s", rows[i].condition, rows[i].inside,
			kernel_message);
		lt_kernel_free(k);
	}
}
