/* test_simulate_blocks.c -- how many blocks of a grid the simulator runs: those that are launched, and some that
 * a recorded launch has, too. */
#include <criterion/criterion.h>
#include <string.h>
#include "tests/simulated.h"

TestSuite(simulate_blocks, .timeout = 60);

/* A block that is too many leaves; those that are wanted store. */
Test(simulate_blocks, blocks_beyond_leave)
{
	static const char text[] = "kernel 1\nname k\nworkspace 0 thread 0\nbuffer p i64[1] slot 0 align 8 exclusive\n"
		"buffer y f32[64] slot 1 align 16 exclusive written\nparam n buffer p element 0 range 0..4\nregion host\n"
		"\t%n = param 0\n\tlaunch_grid 1 %n 2 1 (%n)\nregion grid 1 blocks (4, 2, 1) threads (8, 1, 1) subgroup 8 shared 0\n"
		"\t%0 = block 0\n\t%1 = argument i64 0\n\t%2 = greaterequal i64 %0 %1\n\tleave %2\n\t%3 = block 1\n"
		"\t%4 = mul i64 %3 4\n\t%5 = add i64 %4 %0\n\t%6 = mul i64 %5 8\n\t%7 = thread 0\n\t%8 = add i64 %6 %7\n"
		"\tstore y[%8] 1\n";
	for (int64_t n = 0; n <= 4; n++) {
		struct lt_kernel *k = simulated_kernel("%s", text);
		float y[64] = { 0 };
		simulated_good(k, (void *const[]){ &n, y });
		for (int i = 0; i < 64; i++)
			cr_expect_eq(y[i], (float)(i / 8 % 4 < n), "%d of %d", i, (int)n);
		lt_kernel_free(k);
	}
}

/* Also where none are wanted: one that is recorded has all of them. */
Test(simulate_blocks, blocks_beyond_none)
{
	static const char text[] = "kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer y f32[8] slot 0 align 4 exclusive written\nregion host\n\tlaunch_grid 1 0 1 1 ()\n"
		"region grid 1 blocks (8, 1, 1) threads (1, 1, 1) subgroup 1 shared 0\n"
		"\t%b = block 0\n\tstore y[%b] 1\n";
	struct lt_kernel *k = simulated_kernel("%s", text);
	struct simulated s;
	float y[8] = { 0 };
	simulated_run(k, (void *const[]){ y }, NULL, NULL, &s);
	cr_expect(s.status == LT_EDEVICE && s.found.check == LT_SIMULATE_beyond, "%s", s.diags.text);
	cr_expect_not_null(strstr(s.diags.text, "at thread 0 of block (0, 0, 0): a launch that is recorded has this block, "
		"too, which is beyond the 0 x 1 x 1 that are wanted"), "%s", s.diags.text);
	lt_kernel_free(k);
}

/* More blocks than have numbers are not run one by one; some of them are. */
Test(simulate_blocks, very_many_blocks)
{
	static const char text[] = "kernel 1\nname k\nworkspace 0 thread 0\nbuffer y f32[8] slot 0 align 4 exclusive\n"
		"region host\n\tlaunch_grid 1 2147483647 4 1 ()\n"
		"region grid 1 blocks (2147483647, 4, 1) threads (1, 1, 1) subgroup 1 shared 0\n"
		"\t%b = block 0\n\tprefetch y[%b]\n";
	struct lt_kernel *k = simulated_kernel("%s", text);
	struct simulated s;
	float y[8] = { 0 };
	simulated_run(k, (void *const[]){ y }, NULL, NULL, &s);
	cr_expect_eq(s.status, LT_EUNSUPPORTED);
	cr_expect_str_eq(s.diags.text, "kernel k: a launch of 8589934588 blocks is too large to be run block by block");
	simulated_run(k, (void *const[]){ y }, &(struct lt_simulate_options){ .blocks = 5 }, NULL, &s);
	cr_expect_eq(s.status, LT_OK, "%s", s.diags.text);
	lt_kernel_free(k);
}
