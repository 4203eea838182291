/* test_multibuffer.c -- copies that a loop makes ahead, into buffers in turn: what is computed, and what is
 * refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/built.h"

TestSuite(ahead, .timeout = 200);

static char out[1 << 16], err[1 << 14];

static int lt_run(const char *script, const char *more)
{
	char command[3072];
	snprintf(command, sizeof command, "%s --no-cache %s %s", built("lt-run"), script, more);
	return run_command(command, out, sizeof out, err, sizeof err);
}

static const char *write_script(const char *name, const char *text)
{
	const char *path = scratch(name);
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static const char product[] = "$1 = InputTensor(a, float32, [12, 36]);\n$2 = InputTensor(b, float32, [36, 40]);\n$3 = "
			      "MatMulNode($1, $2);\nresult = $3;\n";
static const char window[] =
	"$1 = InputTensor(x, float32, [1, 3, 9, 11]);\n$2 = ConstantTensor(w, float32, [4, 3, 3, 3]);\n"
	"$3 = Conv2dNode($1, $2, [1, 1], [1, 1, 1, 1]);\nresult = $3;\n";

/* Every depth gives the same numbers; more buffers than trips, too. */
Test(ahead, every_depth_computes_the_product)
{
	static const char *const steps[] = {
		"split k 4; reorder k m k' n; stage %%3.mul %%2 at k depth %d",
		"split k 4; reorder k m k' n; stage %%3.mul %%2 at k layout n/8 k n depth %d",
		"split k 12; split k' 4; reorder k k' m k'' n; stage %%3.mul %%2 at k' depth %d",
		"split m 4; stage %%3.mul %%1 at m depth %d; parallel %%3.mul/m'",
	};
	for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
		for (int depth = 1; depth <= 10; depth += depth < 4 ? 1 : 3) {
			char apply[300], more[500];
			snprintf(apply, sizeof apply, steps[s], depth);
			snprintf(more, sizeof more, "-b %s --apply=\"%s\" -q --verify -i '*=random'", s % 2 ? "cpu:O1" : "ref", apply);
			/* ref's default tree is the plain one. */
			snprintf(more + strlen(more), sizeof more - strlen(more), " --schedule=%s", write_script("plain", "schedule 1\n"));
			cr_expect_eq(lt_run(write_script("product.lt", product), more), 0, "%s: %s", apply, err);
		}
}

/* The frozen tree says the depth, which its rows and its buffer's size hold already: each backend runs the rows, and
 * has no more to do. */
Test(ahead, a_depth_is_the_same_to_all)
{
	static const char *const backends[] = { "-b ref", "-b cpu:O1", "-B %s -b llvm" };
	char llvm[512], script[512], plain[512];
	snprintf(llvm, sizeof llvm, "%s", built("backends/llvm.so"));
	snprintf(script, sizeof script, "%s", write_script("product.lt", product));
	snprintf(plain, sizeof plain, "%s", write_script("plain", "schedule 1\n"));
	for (int depth = 1; depth <= 3; depth++) {
		char more[2000], backend[600], want[100];
		snprintf(more, sizeof more,
			"-b ref --schedule=%s --apply=\"split k 4; reorder k m k' n; stage %%3.mul %%2 at k depth %d\" "
			"--dump=frozen",
			plain, depth);
		cr_expect_eq(lt_run(script, more), 0, "%s", err);
		snprintf(want, sizeof want, "local, %d elements, aligned to 64, written", depth * 4 * 40);
		cr_expect_not_null(strstr(out, want), "%s", out);
		snprintf(want, sizeof want, ", %d in turn\n", depth);
		cr_expect_eq(strstr(out, want) != NULL, depth > 1, "%s", out);
		for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
			if (b == 2 && access(llvm, R_OK) != 0)
				continue;
			snprintf(backend, sizeof backend, backends[b], llvm);
			snprintf(more, sizeof more,
				"%s --strict --schedule=%s --apply=\"split k 4; reorder k m k' n; stage %%3.mul %%2 at "
				"k depth %d\" -q --verify -i '*=random'",
				backend, plain, depth);
			cr_expect_eq(lt_run(script, more), 0, "%s, depth %d: %s", backend, depth, err);
		}
	}
}

Test(ahead, every_depth_computes_the_window)
{
	for (int depth = 1; depth <= 4; depth++) {
		char more[500];
		snprintf(more, sizeof more,
			"-b %s --schedule=%s --apply='stage %%3.mul %%1 at y depth %d' -q --verify -i '*=random' -c "
			"'*=random'",
			depth % 2 ? "ref" : "cpu:O1", write_script("plain", "schedule 1\n"), depth);
		cr_expect_eq(lt_run(write_script("window.lt", window), more), 0, "%d: %s", depth, err);
	}
}

Test(ahead, the_text_holds_the_depth)
{
	char more[500];
	snprintf(more, sizeof more,
		"-b ref --apply=\"split k 4; reorder k m k' n; stage %%3.mul %%2 at k layout n/8 k n depth 3\" "
		"--dump=tree -o %s",
		scratch("tree"));
	cr_assert_eq(lt_run(write_script("product.lt", product), more), 0, "%s", err);
	snprintf(more, sizeof more, "-b ref --schedule=%s --dump=tree", scratch("tree"));
	cr_assert_eq(lt_run(write_script("product.lt", product), more), 0, "%s", err);
	cr_expect_not_null(strstr(out, "%2.copy f32[k n] = copy %2 layout [n/8 k n] depth 3"), "%s", out);
	static char again[1 << 16];
	memcpy(again, out, sizeof again);
	char command[600];
	snprintf(command, sizeof command, "cat %s", scratch("tree"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0);
	cr_expect_str_eq(out, again);
}

Test(ahead, what_may_not_be_made_ahead)
{
	static const struct { const char *apply, *why; } refused[] = {
		{ "split k 5; reorder k m k' n; stage %3.mul %2 at k depth 2", "has a partial last iteration; choose a step that "
			"divides" },
		{ "split m 4; parallel m; stage %3.mul %1 at m depth 2", "is parallel; it has to be serial, with tail guard or pad" },
		{ "stage %3.mul %2 at root depth 2", "leave depth out" },
		{ "stage %3.mul %2 at m depth 5000", "a depth is at most" },
		{ "stage %3.mul %2 at m depth 1 async", "is copied async into one buffer" },
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char more[400];
		snprintf(more, sizeof more, "-b ref --apply=\"%s\" --dump=tree", refused[i].apply);
		cr_expect_neq(lt_run(write_script("product.lt", product), more), 0, "%s", refused[i].apply);
		cr_expect_not_null(strstr(err, refused[i].why), "%s: %s", refused[i].apply, err);
	}
}
