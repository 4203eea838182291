/* test_onnx_run.c -- models of ONNX in lt-run: --dim, --fix, external data; and contents of constants. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ltrun.h"
#include "tests/onnx/cases.h"

static struct onnx_cases cases;

static void set_up(void)
{
	ltrun_set_up();
	onnx_cases_read(ltrun_ctx, &cases);
}

static void tear_down(void)
{
	onnx_cases_free(&cases);
	ltrun_tear_down();
}

TestSuite(onnx_run, .init = set_up, .fini = tear_down, .timeout = 300);

static void write_bytes(const char *name, const void *at, size_t bytes)
{
	FILE *f = fopen(scratch(name), "wb");
	cr_assert(f && fwrite(at, 1, bytes, f) == bytes && !fclose(f));
}

static void write_npy(const char *name, const struct lt_tensor *t)
{
	ltrun_write(name, 1, t);
}

/* m.onnx, and its tensors as NAME.npy */
static const struct onnx_case *write_case(const char *name)
{
	char file[100];
	for (int i = 0; i < cases.n; i++) {
		const struct onnx_case *one = &cases.at[i];
		if (strcmp(one->name, name))
			continue;
		write_bytes("m.onnx", one->model->data, one->model->bytes);
		for (int k = 0; k < one->run[0].n_in; k++) {
			snprintf(file, sizeof file, "%s.npy", onnx_case_tensor(one->run[0].in[k]));
			write_npy(file, one->run[0].in[k]);
		}
		return one;
	}
	cr_assert_fail("there is no case %s", name);
	return NULL;
}

/* As a mistake of who called. */
static void expect_refused(const char *options, const char *words)
{
	cr_assert_eq(ltrun("%s", options), 2, "%s: %s", options, ltrun_err);
	cr_assert(strstr(ltrun_err, words), "%s: %s", options, ltrun_err);
}

static void expect_result(const struct onnx_case *one)
{
	struct lt_tensors t;
	ltrun_read("y.npy", &t);
	cr_assert_eq(t.at[0].rank, one->run[0].out[0]->rank);
	for (int32_t d = 0; d < t.at[0].rank; d++)
		cr_assert_eq(t.at[0].shape[d], one->run[0].out[0]->shape[d], "axis %d", d);
	for (size_t i = 0; i < t.at[0].bytes / sizeof(float); i++)
		cr_assert_float_eq(((float *)t.at[0].data)[i], ((float *)one->run[0].out[0]->data)[i], 1e-4);
	lt__tensors_free(&t);
}

Test(onnx_run, a_symbolic_dimension_is_fixed_or_read_from_a_shape)
{
	const struct onnx_case *one = write_case("run_time_extent");
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=2 -i x=x.npy -o y.npy"), 0, "%s", ltrun_err);
	expect_result(one);
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..5 -i x=x.npy -o y.npy --verify"), 0, "%s", ltrun_err);
	expect_result(one);
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..5 -i x=x.npy -i batch=2 -o y.npy"), 0, "%s", ltrun_err);
	expect_result(one);
	expect_refused("m.onnx -b ref --dim batch=1..5 -i batch=3 -i x=x.npy",
		"x=x.npy: its extent is 2, but 'batch' is 3 by batch=3");
	cr_assert_neq(ltrun("m.onnx -b ref --dim batch=3..5 -i x=x.npy"), 0);
	cr_assert(strstr(ltrun_err, "it must be in 3..5"), "%s", ltrun_err);
}

Test(onnx_run, a_file_of_the_most_elements_says_its_extents)
{
	const struct onnx_case *one = write_case("run_time_extent");
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..2 -i x=x.npy -o y.npy"), 0, "%s", ltrun_err);
	expect_result(one);
	/* It may be room for fewer, if that is said. */
	struct lt_tensors t;
	for (int before = 0; before < 2; before++) {
		cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..2 %s -i x=x.npy %s -o y.npy", before ? "-i batch=1" : "",
			before ? "" : "-i batch=1"), 0, "%s", ltrun_err);
		ltrun_read("y.npy", &t);
		cr_assert_eq(t.at[0].shape[0], 1);
		cr_assert_float_eq(*(float *)t.at[0].data, *(float *)one->run[0].out[0]->data, 1e-4);
		lt__tensors_free(&t);
	}
	/* What is drawn fills the room and says nothing. */
	expect_refused("m.onnx -b ref --dim batch=1..5 -i x=random",
		"input 'batch', the extent of axis 0 of 'x', 1 to 5: give it with  -i batch=5");
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..5 -i x=random -i batch=3 --verify"), 0, "%s", ltrun_err);
}

Test(onnx_run, files_that_disagree_about_an_extent_are_refused)
{
	const struct onnx_case *one = write_case("bert");
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..2 --dim length=1..5 -i ids=ids.npy -i mask=mask.npy --verify"), 0,
		"%s", ltrun_err);
	struct lt_tensor other = *one->run[2].in[1];
	cr_assert_eq(other.shape[0], 4);
	write_npy("other.npy", &other);
	expect_refused("m.onnx -b ref --dim batch=1..4 --dim length=1..8 -i ids=ids.npy -i mask=other.npy",
		"mask=other.npy: its extent is 4, but 'batch' is 2 by ids=ids.npy");
	cr_assert(strstr(ltrun_err, "mask=other.npy: its extent is 8, but 'length' is 5 by ids=ids.npy"), "%s", ltrun_err);
	cr_assert_eq(ltrun("m.onnx -b ref --dim batch=1..3 --dim length=1..8 -i ids=ids.npy -i mask=other.npy"), 2);
	cr_assert(strstr(ltrun_err,
			"mask=other.npy: the input 'mask' is int64 [at most 3, at most 8], but this is int64 (4, 8)"),
		"%s", ltrun_err);
}

Test(onnx_run, an_extent_that_is_a_sum_is_checked)
{
	const struct onnx_case *one = write_case("sums");
	const char *dims = "--dim b=2 --dim past_length=1..4 --dim length=1..3";
	cr_assert_eq(ltrun("m.onnx -b ref %s -i past=past.npy -i x=x.npy -i mask=mask.npy -o y.npy --verify", dims), 0, "%s",
		ltrun_err);
	expect_result(one);
	struct lt_tensor other = *one->run[1].in[1];
	for (int i = 0; i < one->run[1].n_in; i++)
		if (!strcmp(onnx_case_tensor(one->run[1].in[i]), "mask"))
			other = *one->run[1].in[i];
	write_npy("other.npy", &other);
	cr_assert_eq(ltrun("m.onnx -b ref %s -i mask=other.npy -i past=past.npy -i x=x.npy", dims), 2);
	cr_assert(strstr(ltrun_err, "mask=other.npy: axis 1 of 'mask' has 2 elements, but by the other inputs it has 5"), "%s",
		ltrun_err);
}

/* An extent of 0, and a symbol with the name of an input. */
Test(onnx_run, a_cache_may_be_empty)
{
	struct lt_tensors t;
	const float none[1] = { 0 };
	const int64_t shape[] = { 2, 2, 2, 0, 3 };
	write_case("gpt2_cache");
	struct lt_tensor past = ltrun_tensor("", LT_F32, 5, shape, none);
	write_npy("none.npy", &past);
	const char *dims = "--dim batch=1..3 --dim length=1..4 --dim past=0..7";
	cr_assert_eq(ltrun("m.onnx -b ref %s -i ids=ids.npy -i past=none.npy -o out.npz --verify", dims), 0, "%s", ltrun_err);
	ltrun_read("out.npz", &t);
	for (int i = 0; i < t.n; i++)
		cr_assert_eq(t.at[i].shape[strcmp(t.at[i].name, "present") ? 1 : 3], 1, "%s", t.at[i].name);
	lt__tensors_free(&t);
	cr_assert_neq(ltrun("m.onnx -b ref %s -i ids=ids.npy -i past=none.npy", "--dim batch=1..3 --dim length=1..4 --dim "
		"past=1..7"), 0);
	cr_assert(strstr(ltrun_err, "it must be in 1..7"), "%s", ltrun_err);
}

Test(onnx_run, a_dimension_that_is_not_said_or_not_there_is_refused)
{
	write_case("run_time_extent");
	expect_refused("m.onnx -b ref -i x=random", "'batch', is not said: --dim batch=8 fixes it");
	cr_assert(strstr(ltrun_err, "a tensor from a file says it, too: -i x=FILE.npy"), "%s", ltrun_err);
	cr_assert(strstr(ltrun_err, "m.onnx: the model leaves extents open:\n"), "%s", ltrun_err);
	expect_refused("m.onnx -b ref -i x=random --dim q=1", "m.onnx: the model cannot be converted:\n");
	expect_refused("m.onnx -b ref --dim batch=2 --dim other=3 -i x=x.npy",
		"it has no symbolic dimension of --dim other=3");
	expect_refused("m.onnx -b ref --dim batch=5..1 -i x=x.npy", "--dim batch=5..1: an extent such as 8");
	expect_refused("add.lt -b ref --dim batch=2 -i x=ones -c w=ones",
		"dimensions of a text for the frontend 'script' cannot be set");
}

/* A depth that is the length of x: what the batch is does not help.  (In depth.onnx x is [batch, length].) */
Test(onnx_run, advice_names_the_extent_that_is_asked_for)
{
	expect_refused("$OLDPWD/tests/onnx/depth.onnx --dim batch=1..4 --dim length=1..5 -i x=random",
		"it depends on 'length'; --dim length=8 fixes an extent\n");
	cr_assert_eq(ltrun("$OLDPWD/tests/onnx/depth.onnx -b ref --dim batch=1..4 --dim length=5 -i x=random -i batch=2 -q"),
		0, "%s", ltrun_err);
}

/* Without --dim. */
Test(onnx_run, a_file_says_its_extents_without_an_option)
{
	const struct onnx_case *one = write_case("run_time_extent");
	cr_assert_eq(ltrun("m.onnx -b ref -i x=x.npy -o y.npy --verify"), 0, "%s", ltrun_err);
	expect_result(one);
	cr_assert_eq(ltrun("m.onnx -b ref -i '*=x.npy' -o y.npy"), 0, "%s", ltrun_err);
	expect_result(one);
	cr_assert_eq(ltrun("m.onnx --dump=graph -i x=x.npy"), 0, "%s", ltrun_err);
	cr_assert_not(strstr(ltrun_out, "param"), "%s", ltrun_out);
	expect_refused("m.onnx -b ref -i x=none.npy", "none.npy: cannot be opened");
	cr_assert_null(strstr(ltrun_err, "-i x=FILE.npy"), "%s", ltrun_err);
	/* A file of another rank says nothing, and is named for it. */
	const float numbers[6] = { 0 };
	struct lt_tensor flat = ltrun_tensor("", LT_F32, 2, (const int64_t[]){ 1, 6 }, numbers),
		single = ltrun_tensor("", LT_F32, 0, NULL, numbers);
	write_npy("flat.npy", &flat);
	write_npy("single.npy", &single);
	expect_refused("m.onnx -b ref -i x=flat.npy", "its shape is (1, 6), and the model asks for 'x' [batch, ");
	cr_assert_not(strstr(ltrun_err, "says it, too"), "%s", ltrun_err);
	expect_refused("m.onnx -b ref -i x=single.npy", "its shape is (), and the model asks for 'x' [batch, ");
	/* An option is stronger than a file. */
	expect_refused("m.onnx -b ref --dim batch=5 -i x=x.npy", "x=x.npy: the input 'x' is float32 [5, ");
}

/* What was given for an input whose extents are open, and does not say them: that is what has to be mended. */
Test(onnx_run, what_was_given_and_says_no_extent_is_named)
{
	static const int64_t flat[] = { 6 };
	static const float one[6] = { 1 };
	static const struct { const char *given, *says; } rows[] = {
		{ "-i x=flat.npy", "axis 0, 'batch', is not known by what is given: its shape is (6,), and the model asks for 'x' "
			"[batch, " },
		{ "-i x=add.lt", "the name of the file 'add.lt' does not end in .npy: numpy.save writes" },
		{ "-i x=randm", "'randm' is none of FILE.npy, zeros, ones, VALUE, iota, random[:SEED]" },
		{ "-i x=", "a value is missing after '='" },
		{ "-i x=other.npz", "may hold several tensors: give it with --inputs" },
		{ "--inputs other.npz", "other.npz has no 'x'; it has 'y' (without a file: --dim batch=8)" },
	};
	const struct lt_tensor t = ltrun_tensor("", LT_F32, 1, flat, one), y = ltrun_tensor("y", LT_F32, 1, flat, one);
	write_case("run_time_extent");
	ltrun_write("flat.npy", 1, &t);
	ltrun_write("other.npz", 1, &y);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(ltrun("m.onnx -b ref %s", rows[i].given), 2, "%s", rows[i].given);
		cr_expect(strstr(ltrun_err, rows[i].says), "%s: %s", rows[i].given, ltrun_err);
	}
	/* An option says it: then that is a mistake like any other. */
	cr_expect_eq(ltrun("m.onnx -b ref --dim batch=2 -i x=flat.npy"), 2);
	cr_expect(strstr(ltrun_err, "x=flat.npy: the input 'x' is float32 [2, "), "%s", ltrun_err);
}

/* In bert.onnx two inputs are [batch, length]: one --dim says both. */
Test(onnx_run, a_name_that_several_inputs_have_is_asked_for_once)
{
	write_case("bert");
	cr_expect_eq(ltrun("m.onnx -b ref -i ids=random -i mask=1"), 2);
	for (int k = 0; k < 2; k++) {
		const char *name = k ? "--dim length=8 fixes" : "--dim batch=8 fixes", *at = strstr(ltrun_err, name);
		cr_expect(at && !strstr(at + 1, name), "%s", ltrun_err);
	}
	cr_expect(strstr(ltrun_err, "the model leaves extents open:\n"), "%s", ltrun_err);
}

/* An extent that is an input is told as one, with a number that may be given. */
Test(onnx_run, an_extent_that_is_not_given_is_said_to_be_one)
{
	write_case("run_time_extent");
	cr_expect_eq(ltrun("m.onnx -b ref --dim batch=1..8 -i x=random"), 2);
	cr_expect(strstr(ltrun_err, "input 'batch', the extent of axis 0 of 'x', 1 to 8: give it with  -i batch=8, or 'x' "
		"from a file"), "%s", ltrun_err);
	cr_expect_eq(ltrun("m.onnx -b ref --dim batch=1..8 -i x=random -i batch=8 -q"), 0, "%s", ltrun_err);
}

/* Extents that differ between evaluations, in one program. */
Test(onnx_run, files_of_evaluations_say_how_far_extents_differ)
{
	const struct onnx_case *one = write_case("sums");
	struct lt_tensors t;
	for (int k = 0; k < 2; k++) {
		struct lt_tensor in[3];
		for (int i = 0; i < 3; i++) {
			in[i] = *one->run[k].in[i];
			in[i].name = strdup(onnx_case_tensor(one->run[k].in[i]));
		}
		ltrun_write(k ? "1.npz" : "0.npz", 3, in);
		for (int i = 0; i < 3; i++)
			free(in[i].name);
	}
	cr_assert_neq(one->run[0].out[0]->shape[1], one->run[1].out[0]->shape[1]);
	cr_assert_eq(ltrun("m.onnx -b ref --inputs 0.npz --inputs 1.npz -o y%%d.npy --verify"), 0, "%s", ltrun_err);
	for (int k = 0; k < 2; k++) {
		ltrun_read(k ? "y1.npy" : "y0.npy", &t);
		cr_assert_eq(t.at[0].shape[1], one->run[k].out[0]->shape[1]);
		cr_assert_arr_eq(t.at[0].data, one->run[k].out[0]->data, t.at[0].bytes);
		lt__tensors_free(&t);
	}
}

Test(onnx_run, files_say_extents_that_inputs_share_or_sum)
{
	const struct onnx_case *one = write_case("sums");
	cr_assert_eq(ltrun("m.onnx -b ref -i past=past.npy -i x=x.npy -i mask=mask.npy -o y.npy --verify"), 0, "%s",
		ltrun_err);
	expect_result(one);
	cr_assert_eq(ltrun("m.onnx -b ref --dim past_length=1..4 -i past=past.npy -i x=x.npy -i mask=mask.npy -o y.npy"), 0,
		"%s", ltrun_err);
	expect_result(one);
	/* The sum alone does not say its parts, and is not taken for one. */
	expect_refused("m.onnx -b ref -i past=random -i x=x.npy -i mask=mask.npy",
		"'past_length', is not said: --dim past_length=8 fixes it");
	one = write_case("bert");
	cr_assert_eq(ltrun("m.onnx -b ref -i ids=ids.npy -i mask=mask.npy --verify"), 0, "%s", ltrun_err);
	cr_assert_eq(ltrun("m.onnx -b ref -i ids=ids.npy -i mask=1 --verify"), 0, "%s", ltrun_err);
	write_npy("other.npy", one->run[2].in[1]);
	cr_assert_eq(ltrun("m.onnx -b ref -i ids=ids.npy -i mask=other.npy"), 2);
	cr_assert(strstr(ltrun_err, "input 'mask': its tensor has 4 elements along axis 0, 'batch', and that of 'ids' has 2"),
		"%s", ltrun_err);
}

Test(onnx_run, an_option_that_says_nothing_is_answered_with_the_file)
{
	static const struct { const char *options, *words; } rows[] = {
		{ "--dim batch=2 --dim batch=3", "--dim batch=3: 'batch' is said twice, here and by --dim batch=2; it is axis 0 of "
			"'x' [" },
		{ "--dim batch", "--dim batch: an extent is expected, such as batch=8, or the least and the most, such as "
			"batch=1..64; it is axis 0 of 'x' [batch, " },
		{ "--dim batch=2 --dim x.1=3", "--dim x.1=3: the extent is fixed: it is axis 1 of 'x' [batch, " },
		{ "--dim x.0=2 --dim batch=2", "--dim batch=2: something else says it already; it is axis 0 of 'x' [" },
		{ "--dim batch=2 --dim q=3", "it has no symbolic dimension of --dim q=3; it has 'batch'" },
		{ "--dim batch=2 --dim batches=3", "it has no symbolic dimension of --dim batches=3; did you mean 'batch'?" },
	};
	write_case("run_time_extent");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(ltrun("m.onnx -b ref %s -i x=x.npy", rows[i].options), 2, "%s", rows[i].options);
		cr_expect(strstr(ltrun_err, rows[i].words), "%s: %s", rows[i].options, ltrun_err);
	}
	write_case("relu");
	cr_expect_eq(ltrun("m.onnx -b ref --dim batch=3"), 2);
	cr_expect(strstr(ltrun_err, "it has no symbolic dimension of --dim batch=3; all extents of its inputs are fixed: "
		"'a' [2, 5]"), "%s", ltrun_err);
}

/* Of 5 positions, 7, 6 and 4 that are added to: the last ones that leave a place for the queries, and others. */
Test(onnx_run, a_length_of_a_past_out_of_range_is_the_runs_fault)
{
	static const struct { const char *name; int32_t batch, low, high; const char *more; } of[] = {
		{ "step", 2, 0, 4, "" }, { "several", 1, 2, 6, "" }, { "buffer_step", 2, 0, 5, "" },
		{ "buffer_added", 2, 0, 3, " -i added=added.npy" } };
	for (int i = 0; i < 4; i++) {
		const struct lt_fixed *total = &write_case(of[i].name)->fixed[0];
		struct lt_tensor t = ltrun_tensor("", total->dtype, total->rank, total->shape, total->data);
		write_npy("total.npy", &t);
		for (int32_t last = of[i].low - 1; last <= of[i].high + 1; last++) {
			const bool inside = last >= of[i].low && last <= of[i].high;
			const int32_t lengths[2] = { last, last };
			const int64_t batch = of[i].batch;
			t = ltrun_tensor("", LT_I32, 1, &batch, lengths);
			write_npy("lengths.npy", &t);
			cr_expect_eq(ltrun("m.onnx -q -b ref --fix total=total.npy -i query=query.npy -i key=key.npy -i value=value.npy "
				"-i past_key=past_key.npy -i past_value=past_value.npy -i lengths=lengths.npy%s", of[i].more), inside ? 0 : 1,
				"%s, %d: %s", of[i].name, last, ltrun_err);
			cr_expect(inside || (strstr(ltrun_err, "seqlens_k") && strstr(ltrun_err, "is out of range 0..")), "%s", ltrun_err);
		}
	}
}

Test(onnx_run, an_input_that_decides_a_shape_is_fixed)
{
	const struct onnx_case *one = write_case("reshape");
	const struct lt_fixed *b = &one->fixed[0];
	struct lt_tensor t = ltrun_tensor("", b->dtype, b->rank, b->shape, b->data);
	write_npy("b.npy", &t);
	cr_assert_eq(ltrun("m.onnx -b ref --fix b=b.npy -i a=a.npy -o y.npy"), 0, "%s", ltrun_err);
	expect_result(one);
	expect_refused("m.onnx -b ref -i a=a.npy", "it depends on 'b'; --fix NAME=FILE gives an input");
	expect_refused("m.onnx -b ref --fix b=b.npy --fix c=b.npy -i a=a.npy", "it has no input 'c' to be fixed");
	expect_refused("m.onnx -b ref --fix b -i a=a.npy", "--fix takes NAME=FILE.npy, not 'b'");
	expect_refused("m.onnx -b ref --fix b=6 -i a=a.npy", "not 'b=6'; in NumPy, np.save('b.npy', np.int64(6)), of");
	expect_refused("m.onnx -b ref --fix b=b.npy -i a=a.npy -i b=b.npy",
		"b=b.npy: 'b' is no input any more, as --fix gives it: leave it out here, or --fix away");
}

Test(onnx_run, one_position_that_the_model_says_is_not_looked_up)
{
	const struct onnx_case *one = write_case("gather_known");
	cr_assert_eq(ltrun("m.onnx --dump=graph"), 0, "%s", ltrun_err);
	cr_assert(!strstr(ltrun_out, "gather") && strstr(ltrun_out, ", 2, "), "%s", ltrun_out);
	cr_assert_eq(ltrun("m.onnx -b ref -i x=x.npy -o y.npy"), 0, "%s", ltrun_err);
	expect_result(one);
}

Test(onnx_run, external_data_is_read_from_the_folder_of_the_model)
{
	static const float weights[] = { 9, 9, 9, 9, 1, 2, 3, 4 };
	struct lt_tensors t;
	write_case("external");
	expect_refused("m.onnx -b ref -i x=x.npy", "initializer 'w': external data 'w.bin' cannot be opened");
	write_bytes("w.bin", weights, sizeof weights);
	cr_assert_eq(ltrun("m.onnx -b ref -i x=zeros -o y.npy --verify"), 0, "%s", ltrun_err);
	ltrun_read("y.npy", &t);
	cr_assert_arr_eq(t.at[0].data, weights + 4, 16);
	lt__tensors_free(&t);
	cr_assert_eq(ltrun("m.onnx -b ref -i x=zeros -c w=ones -o y.npy"), 0, "%s", ltrun_err);
	ltrun_read("y.npy", &t);
	cr_assert_float_eq(((float *)t.at[0].data)[3], 1, 0);
	lt__tensors_free(&t);
	write_bytes("w.bin", weights, sizeof weights - 1);
	expect_refused("m.onnx -b ref -i x=x.npy", "'w.bin' has 31 bytes, too few for a part of 16 at 16");
}

__attribute__((format(printf, 1, 2))) static int lt_build(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int code = run_in_scratch(ltrun_out, sizeof ltrun_out, ltrun_err, sizeof ltrun_err, built("lt-build"), fmt, args);
	va_end(args);
	return code;
}

/* They are known only when the model has been read. */
Test(onnx_run, external_data_is_not_written_over)
{
	static const char *const commands[] = { "m.onnx -o w.bin",
		"m.onnx --format c --data incbin --overwrite --name model -o w" };
	static const float weights[] = { 9, 9, 9, 9, 1, 2, 3, 4 };
	char bytes[sizeof weights + 1];
	write_case("external");
	for (int i = 0; i < 2; i++) {
		write_bytes("w.bin", weights, sizeof weights);
		cr_expect_eq(lt_build("%s", commands[i]), 2, "%s", ltrun_err);
		cr_expect(strstr(ltrun_err, "w.bin would be written over the input ") && strstr(ltrun_err, "give another name"),
			"%s", ltrun_err);
		FILE *f = fopen(scratch("w.bin"), "rb");
		cr_assert_eq(fread(bytes, 1, sizeof bytes, f), sizeof weights);
		fclose(f);
		cr_expect_arr_eq(bytes, weights, sizeof weights);
	}
}

Test(onnx_run, a_name_that_leads_out_of_the_folder_is_refused)
{
	write_case("external_without_folder");
	expect_refused("m.onnx -b ref", "external data '../etc/passwd' is outside of the model's folder");
}

static int released;

static void release(void *user)
{
	released += *(int *)user;
}

/* A content is there as long as a graph or a program of it. */
Test(onnx_run, what_a_graph_holds_is_released_with_its_last_program)
{
	static const float content[] = { 1, 2, 3 };
	static int one = 1;
	struct lt_graph *g;
	struct lt_program *p, *q;
	struct lt_instance *run;
	float y[3];
	void *result[] = { y };
	const struct lt_options options = { .size = sizeof options, .backends = "ref", .n_thread = 1 };
	cr_assert_eq(lt_graph_new(ltrun_ctx, &g), LT_OK);
	lt_var v = lt_graph_var(g, "i", 3);
	lt_node w = lt_graph_constant(g, "w", LT_F32, 1, &v), twice = lt_graph_binary(g, "add", w, w);
	cr_assert_null(lt_node_content(g, w));
	cr_assert_eq(lt_graph_content(g, w, content), LT_OK);
	cr_assert_eq(lt_graph_content(g, twice, content), LT_EINVAL);
	cr_assert_eq(lt_node_content(g, w), content);
	cr_assert_eq(lt_graph_result(g, "y", twice), LT_OK);
	cr_assert_eq(lt_graph_hold(g, release, &one), LT_OK);
	cr_assert_eq(lt_compile(ltrun_ctx, g, &options, &p), LT_OK, "%s", lt_context_message(ltrun_ctx));
	cr_assert_eq(lt_compile(ltrun_ctx, g, &options, &q), LT_OK);
	lt_graph_free(g);
	lt_program_free(q);
	cr_assert_eq(released, 0);
	cr_assert_eq(lt_instance_new(p, &run), LT_OK, "%s", lt_instance_message(run));
	cr_assert_eq(lt_instance_run(run, NULL, result), LT_OK);
	cr_assert_float_eq(y[2], 6, 0);
	lt_instance_free(run);
	lt_program_free(p);
	cr_assert_eq(released, 1);
}
