/* test_ltrun_script.c -- lt-run --dump=script: a script and its weights in files, which a run finds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun
#define DENSE "$OLDPWD/tests/standalone/dense.onnx"

TestSuite(ltrun_script, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

static void expect_same(const char *a, const char *b)
{
	struct lt_tensors x, y;
	ltrun_read(a, &x);
	ltrun_read(b, &y);
	cr_assert(x.n == 1 && y.n == 1 && x.at->bytes == y.at->bytes);
	cr_expect_arr_eq((char *)x.at->data, (char *)y.at->data, x.at->bytes);
	lt__tensors_free(&x);
	lt__tensors_free(&y);
}

/* The weights beside the script are its constants, and the results the same bits; others may be given. */
Test(ltrun_script, model)
{
	if (run("--dump=graph --dim batch=3 " DENSE))
		cr_skip_test("the frontend onnx was not built");
	cr_assert_eq(run("--dump=script --dim batch=3 " DENSE " -o dense.lt"), 0, "%s", err);
	cr_assert_eq(run(DENSE " --dim batch=3 -b ref -i x=random -q -o a.npy"), 0, "%s", err);
	cr_assert_eq(run("dense.lt -b ref -i x=random -q -o b.npy -v"), 0, "%s", err);
	cr_expect(strstr(err, "weights that are not given are read from dense.safetensors"), "%s", err);
	expect_same("a.npy", "b.npy");
	cr_assert_eq(run("dense.lt -b ref -i x=random -c w=0 -c b=0 -q -o b.npy"), 0, "%s", err);
	cr_assert_eq(run(DENSE " --dim batch=3 -b ref -i x=random -c w=0 -c b=0 -q -o a.npy"), 0, "%s", err);
	expect_same("a.npy", "b.npy");
	cr_assert_eq(run("--dump=script dense.lt"), 0, "%s", err);
	cr_expect(strstr(out, "ConstantTensor(w, float32, [3, 4]);"), "%s", out);
}

/* Run-time extents stay so. */
Test(ltrun_script, extents)
{
	const int64_t shape[] = { 2, 3 };
	const float x[] = { 1, 2, 3, 4, 5, 6 };
	const struct lt_tensor t = ltrun_tensor("", LT_F32, 2, shape, x);
	if (run("--dump=graph --dim batch=3 " DENSE))
		cr_skip_test("the frontend onnx was not built");
	ltrun_write("x.npy", 1, &t);
	cr_assert_eq(run("--dump=script --dim batch=1..5 " DENSE " -o some.lt"), 0, "%s", err);
	cr_assert_eq(run("some.lt -b ref -i x=x.npy -q -o a.npy"), 0, "%s", err);
	cr_assert_eq(run(DENSE " --dim batch=1..5 -b ref -i x=x.npy -q -o b.npy"), 0, "%s", err);
	expect_same("a.npy", "b.npy");
}

/* Without a file for it the script is printed, and what is missing is said. */
Test(ltrun_script, no_file)
{
	if (run("--dump=script --dim batch=3 " DENSE))
		cr_skip_test("the frontend onnx was not built");
	cr_expect(strstr(out, "$1 = InputTensor(x, float32, [3, 3]);"), "%s", out);
	cr_expect(strstr(err, "weights (") && strstr(err, "are not printed: -o FILE.lt writes the script"), "%s", err);
	cr_assert_eq(run("--dump=script --dim batch=3 -q " DENSE), 0);
	cr_expect_str_empty(err);
}

Test(ltrun_script, refused)
{
	cr_assert_eq(run("--dump=script add.lt -o add.npy"), 2);
	cr_expect(strstr(err, "--output takes the script's name, such as model.lt, not 'add.npy'"), "%s", err);
	cr_assert_eq(run("--dump=script add.lt -o none/add.lt"), 1);
	cr_expect(strstr(err, "none/add.lt"), "%s", err);
	ltrun_write_text("add.safetensors", "no weights");
	cr_assert_eq(run("add.lt -i x=1"), 2);
	cr_expect(strstr(err, "add.safetensors"), "%s", err);
}

/* What is read is not written over, by whatever name. */
Test(ltrun_script, an_input_stays)
{
	const char *const lines[] = { "--dump=script add.lt -o ./add.lt", "--dump=tree add.lt -o add.lt",
		"add.lt -i x=1 -q --view=add.lt", "add.lt -i x=1 -q --profile=add.lt", "add.lt -i x=x.npy -o x.npy" };
	float x[4] = { 1, 2, 3, 4 };
	const struct lt_tensor t = { .name = "x", .dtype = LT_F32, .rank = 1, .shape = (int64_t[]){ 4 }, .data = x };

	ltrun_write("x.npy", 1, &t);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		cr_expect_eq(run("%s", lines[i]), 2, "%s: %s", lines[i], err);
		cr_expect(strstr(err, "which is the same file: give another name"), "%s: %s", lines[i], err);
	}
	cr_expect_eq(run("add.lt -i x=1 -c w=1 -q"), 0, "%s", err);
}
