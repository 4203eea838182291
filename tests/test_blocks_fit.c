/* test_blocks_fit.c -- what blocks of a kernel program ask for, against what a device has: threads, and all of
 * their shared memory, that through which threads are combined, too. */
#include <criterion/criterion.h>
#include <string.h>
#include "kernel/form/form.h"
#include "lt/kernel.h"
#include "tests/keeper.h"
#include "tests/ltrun.h"

TestSuite(blocks_fit, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

Test(blocks_fit, threads_and_shared_memory)
{
	static const char text[] = "kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer y f32[48] slot 0 align 16 exclusive written\n"
		"region host\n\tlaunch_grid 1 1 1 1 ()\n"
		"region grid 1 blocks (1, 1, 1) threads (8, 3, 2) subgroup 1 shared 512\n\t%t = thread 0\n\tstore y[%t] 1\n";
	static const struct { int64_t threads, bytes; const char *says; } cases[] = { { 48, 512, NULL },
		{ 47, 512, "its blocks have 48 threads, and 47 are the most here" },
		{ 48, 511, "its blocks have 512 bytes of shared memory, and 511 are the most here" }, { 1024, 1 << 20, NULL } };
	struct keeper k = keeper_new();
	struct lt_kernel *kernel;
	cr_assert_eq(lt_kernel_parse(text, strlen(text), &kernel, &k.diag), LT_OK, "%s", k.text);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		k = keeper_new();
		cr_expect_eq(lt__blocks_fit(kernel, cases[i].threads, cases[i].bytes, &k.diag),
			cases[i].says ? LT_EUNSUPPORTED : LT_OK);
		cr_expect(!cases[i].says || strstr(k.text, cases[i].says), "%s", k.text);
	}
	lt_kernel_free(kernel);
}

/* A sum over threads has no local in shared memory, and needs some of it. */
Test(blocks_fit, what_threads_are_combined_through_counts)
{
	ltrun_write_text("sum.graph", "graph 1\nvar i 4\nvar j 256\n%x = f64[i, j] input \"x\"\n%y = f64[i] add.reduce %x\n"
		"result \"y\" = %y\n");
	ltrun_write_text("sum.tree", "looptree 1\ngraph 5e6f36489bed1556\ntarget sim:grid\nvar i 4\nvar j 256\n"
		"value %x f64[i j] = input\ntree\nfor i grid.x\n  for j block.x\n    %y f64[i] = add.reduce[j] %x\n");
	for (int bytes = 8; bytes <= 4096; bytes += 4088) {
		const int rc = ltrun("--no-cache -b sim:grid/shared=%d --strict -q --verify -i '*=random' --schedule=sum.tree "
			"sum.graph", bytes);
		cr_expect((rc == 0) == (bytes > 8), "%d: %s", bytes, ltrun_err);
		cr_expect(rc == 0 || strstr(ltrun_err, " bytes of shared memory, and 8 are the most here"), "%s", ltrun_err);
	}
}
