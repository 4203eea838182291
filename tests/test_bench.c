/* test_bench.c -- the arithmetic of lt-bench's protocol: quantiles, means, rotation, ratios, and what a check
 * finds. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

static struct lt_context *context(void)
{
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	return ctx;
}

static void near(double a, double b)
{
	cr_assert(fabs(a - b) <= 1e-12 * (1 + fabs(b)), "%.17g is not %.17g", a, b);
}

Test(bench, the_median_of_an_odd_number_is_the_middle_one)
{
	double x[] = { 5, 1, 4, 2, 3 };

	bench_sort(x, 5);
	near(bench_quantile(x, 5, 0.5), 3);
	near(bench_quantile(x, 5, 0), 1);
	near(bench_quantile(x, 5, 1), 5);
}

Test(bench, the_median_of_an_even_number_is_the_mean_of_the_middle_two)
{
	double x[] = { 8, 1, 2, 4 };

	bench_sort(x, 4);
	near(bench_quantile(x, 4, 0.5), 3);
	near(bench_quantile(x, 4, 0.25), 1.75);
	near(bench_quantile(x, 1, 0.5), 1);
	near(bench_quantile(x, 0, 0.5), 0);
}

Test(bench, the_geometric_mean_leaves_out_what_has_no_ratio)
{
	near(bench_geomean((double[]){ 2, 8 }, 2), 4);
	near(bench_geomean((double[]){ 2, 0, 8, 0 }, 4), 4);
	near(bench_geomean((double[]){ 0 }, 1), 0);
	near(bench_geomean(NULL, 0), 0);
	/* A factor and its inverse are even, which an arithmetic mean would not say. */
	near(bench_geomean((double[]){ 0.5, 2 }, 2), 1);
}

Test(bench, everybody_is_at_every_place_equally_often)
{
	for (int n = 1; n < 9; n++) {
		int at[9][9] = { { 0 } };

		for (int round = 0; round < 3 * n; round++) {
			bool there[9] = { false };

			for (int position = 0; position < n; position++) {
				int who = bench_turn(round, position, n);

				cr_assert(who >= 0 && who < n && !there[who], "round %d of %d has %d twice", round, n, who);
				there[who] = true;
				at[who][position]++;
			}
		}
		for (int who = 0; who < n; who++)
			for (int position = 0; position < n; position++)
				cr_assert_eq(at[who][position], 3, "%d of %d is %d times at place %d", who, n, at[who][position], position);
	}
}

Test(bench, a_sample_lasts_long_enough)
{
	cr_assert_eq(machine_repeat(0.02, 0.05), 3);
	cr_assert_eq(machine_repeat(0.05, 0.05), 1);
	cr_assert_eq(machine_repeat(7, 0.05), 1);
	cr_assert_eq(machine_repeat(0x1p-20, 0.25), 1 << 18);
	cr_assert_eq(machine_repeat(0, 0.05), 1000000000);
	cr_assert_eq(machine_repeat(1e-12, 1), 1000000000);
}

Test(bench, a_row_has_median_minimum_spread_and_rate)
{
	double x[] = { 0.4, 0.2, 0.1, 0.3, 0.5 };
	struct bench_row r = { .sample = x, .n_sample = 5 };

	bench_row_finish(&r, 6);
	near(r.median, 0.3);
	near(r.minimum, 0.1);
	near(r.spread, (0.4 - 0.2) / 0.3);
	near(r.rate, 20);
	/* In the order of measuring still: who was slow when may be of interest. */
	near(x[0], 0.4);
}

Test(bench, a_row_without_samples_has_no_rate)
{
	struct bench_row r = { .n_sample = 0 };

	bench_row_finish(&r, 6);
	near(r.rate, 0);
	near(r.median, 0);
}

static struct bench_row row(const char *label, enum bench_role role, enum bench_answer answer, double rate)
{
	struct bench_row r = { .role = role, .answer = answer, .rate = rate };

	snprintf(r.label, sizeof r.label, "%s", label);
	return r;
}

static const struct bench_case flops = { .bound = MACHINE_FLOPS };

/* Of the peak the fastest sample counts, of a bandwidth the median. */
Test(bench, a_disturbed_peak_is_no_lower)
{
	struct bench_row r[] = { row("cpu", BENCH_OURS, BENCH_READY, 60), row("peak", BENCH_DENOMINATOR, BENCH_READY, 80) };
	struct bench_case bytes = flops;
	struct bench_outcome o = { .c = &flops, .row = r, .n_row = 2 };

	r[1].median = 5;
	r[1].minimum = 4;
	bench_ratios(&o);
	near(o.peak, 100);
	near(r[0].of_peak, 0.6);
	bytes.bound = MACHINE_COPY;
	o.c = &bytes;
	bench_ratios(&o);
	near(o.peak, 80);
}

Test(bench, ratios_are_to_the_denominator_and_to_the_best_of_the_others)
{
	struct bench_row r[] = {
		row("cpu", BENCH_OURS, BENCH_READY, 60),
		row("blas:a", BENCH_OTHER, BENCH_READY, 80),
		row("blas:b", BENCH_OTHER, BENCH_READY, 40),
		row("wrong", BENCH_OTHER, BENCH_BAD, 500),
		row("peak", BENCH_DENOMINATOR, BENCH_READY, 100),
		row("ref", BENCH_OURS, BENCH_BAD, 70),
	};
	struct bench_outcome o = { .c = &flops, .row = r, .n_row = 6 };

	bench_ratios(&o);
	near(o.peak, 100);
	near(r[0].of_peak, 0.6);
	near(r[0].of_best, 0.75);
	near(r[1].of_best, 1);
	near(r[2].of_best, 0.5);
	/* What was wrong counts for nothing, however fast. */
	near(r[3].of_peak, 0);
	near(r[5].of_best, 0);
}

/* Faster than the machine: the count of operations is wrong, or the time, and the row counts for nothing. */
Test(bench, a_rate_above_the_peak_fails_its_row)
{
	struct bench_row r[] = { row("cpu", BENCH_OURS, BENCH_READY, 0), row("blas", BENCH_OTHER, BENCH_READY, 0),
		row("peak", BENCH_DENOMINATOR, BENCH_READY, 0) };
	struct bench_case c = { .bound = MACHINE_FLOPS, .flops = 1000 };
	struct bench_outcome o = { .c = &c, .row = r, .n_row = 3 };
	struct lt_context *ctx = context();

	for (int bound = 0; bound < 3; bound++) {
		c.bound = (enum machine_bound)bound;
		for (int i = 0; i < 3; i++) {
			r[i].answer = BENCH_READY;
			*r[i].why = 0;
		}
		/* 1000 in 10, 9 and 1 seconds; the denominator's own rate is no operations. */
		r[0].median = 10;
		r[1].median = 9;
		r[2].median = 1;
		c.flops = 1000;
		cr_assert_eq(bench_impossible(ctx, &o, 105, true), 0, "%d", bound);
		cr_assert_eq(r[1].answer, BENCH_READY);
		/* A planted wrong count. */
		c.flops = 1600;
		cr_assert_eq(bench_impossible(ctx, &o, 150, false), 1);
		cr_assert_eq(r[1].answer, BENCH_READY);
		cr_assert_eq(bench_impossible(ctx, &o, 150, true), 1);
		cr_assert_eq(r[0].answer, BENCH_READY);
		cr_assert_eq(r[1].answer, BENCH_BAD);
		cr_assert_eq(r[2].answer, BENCH_READY);
		cr_assert(strstr(r[1].why, "count of 1600 operations") != NULL, "%s", r[1].why);
		/* No peak was measured: nothing is known. */
		cr_assert_eq(bench_impossible(ctx, &o, 0, true), 0);
	}
	c.bound = MACHINE_FLOPS;
	r[1].answer = BENCH_READY;
	o.peak = 170;                   /* what the case's own denominator reached counts, too */
	cr_assert_eq(bench_impossible(ctx, &o, 150, true), 0);
	lt_context_free(ctx);
}

/* One that has no sentence must not show that of the row before. */
Test(bench, a_reason_is_that_of_its_own_failure)
{
	struct lt_context *ctx = context();
	char why[BENCH_WHY];

	bench_reason(ctx, lt_fail(ctx, LT_EIO, "the file is gone"), why);
	cr_assert_str_eq(why, "the file is gone");
	bench_reason(ctx, LT_ENOMEM, why);
	cr_assert_str_eq(why, "out of memory");
	lt_context_free(ctx);
}

/* Looptree has to do every case; others may leave one out. */
Test(bench, only_others_leave_out_a_case)
{
	for (int role = BENCH_OURS; role <= BENCH_AGAIN; role++) {
		cr_assert_eq(bench_answer((enum bench_role)role, LT_OK), BENCH_READY);
		cr_assert_eq(bench_answer((enum bench_role)role, LT_EIO), BENCH_BAD);
		cr_assert_eq(bench_answer((enum bench_role)role, LT_EUNSUPPORTED), role == BENCH_OTHER ? BENCH_SKIP : BENCH_BAD);
	}
}

Test(bench, without_others_there_is_no_ratio_to_them)
{
	struct bench_row r[] = { row("cpu", BENCH_OURS, BENCH_READY, 60), row("peak", BENCH_DENOMINATOR, BENCH_READY, 100) };
	struct bench_outcome o = { .c = &flops, .row = r, .n_row = 2 };

	bench_ratios(&o);
	near(r[0].of_best, 0);
	near(r[0].of_peak, 0.6);
}

Test(bench, of_forms_of_one_library_the_fastest_counts)
{
	struct bench_row r[] = {
		row("blas:a", BENCH_OTHER, BENCH_READY, 40),
		row("blas:b", BENCH_OTHER, BENCH_READY, 80),
		row("blas:c", BENCH_OTHER, BENCH_BAD, 90),
		row("blast", BENCH_OTHER, BENCH_READY, 10),
		row("gone:a", BENCH_OTHER, BENCH_BAD, 0),
		row("gone:b", BENCH_OTHER, BENCH_BAD, 0),
		row("cpu:O2", BENCH_OURS, BENCH_READY, 1),
		row("cpu:O3", BENCH_OURS, BENCH_READY, 2),
		row("off:a", BENCH_OTHER, BENCH_SKIP, 0),
		row("off:b", BENCH_OTHER, BENCH_BAD, 0),
		row("tie:a", BENCH_OTHER, BENCH_READY, 5),
		row("tie:b", BENCH_OTHER, BENCH_READY, 5),
	};
	static const bool leads[] = { false, true, false, true, true, false, true, true, false, true, true, false };
	struct bench_outcome o = { .row = r, .n_row = 12 };

	for (int i = 0; i < o.n_row; i++)
		cr_assert_eq(bench_leads(&o, i), leads[i], "%s", r[i].label);
}

/* 4x4 identity-like product by hand: c = a b, with its tensors filled. */
static void make_product(struct bench_cases *l, bool exact)
{
	struct bench_cases all = { NULL, 0, 0 };

	bench_gemm_cases(&all);
	for (int i = 0; i < all.n; i++)
		if (!strcmp(all.at[i].name, "32")) {
			struct bench_case *c = bench_case_add(l, "gemm", "tiny", "gemm", "32");

			*c = all.at[i];
			c->script = lt__must_format("%s", all.at[i].script);
			/* So many operations that no product would be computed. */
			c->flops = exact ? c->flops : INT64_C(1) << 40;
		}
	bench_cases_free(&all);
	bench_case_fill(&l->at[0]);
}

static void check_finds(bool exact, const char *method)
{
	struct bench_cases l = { NULL, 0, 0 };
	struct bench_truth t;
	struct bench_case *c;
	double error = -1;
	struct lt_context *ctx = context();
	float *out;

	make_product(&l, exact);
	c = &l.at[0];
	out = machine_buffer(c->out.n);
	bench_truth_make(ctx, c, &t);
	cr_assert_str_eq(t.method, method);
	c->reference(c, out);
	cr_assert_eq(bench_check(c, &t, true, out, &error), LT_OK, "%s", lt_context_message(ctx));
	cr_assert(error <= bench_tolerance(c) && error >= 0);
	out[77] += 0.01f;
	cr_assert(bench_check(c, &t, true, out, &error));
	cr_assert(strstr(lt_context_message(ctx), "wrong result"), "%s", lt_context_message(ctx));
	if (exact)
		cr_assert(strstr(lt_context_message(ctx), "element 77"), "%s", lt_context_message(ctx));
	out[77] = NAN;
	cr_assert(bench_check(c, &t, true, out, &error));
	/* Rows that are right, in the wrong places. */
	c->reference(c, out);
	for (int i = 0; i < 32; i++) {
		float swap = out[i];

		out[i] = out[32 + i];
		out[32 + i] = swap;
	}
	cr_assert(bench_check(c, &t, true, out, &error));
	memset(out, 0, (size_t)c->out.n * sizeof *out);
	cr_assert(bench_check(c, &t, true, out, &error));
	bench_truth_free(&t);
	lt_context_free(ctx);
	machine_buffer_free(out);
	bench_cases_free(&l);
}

Test(bench, a_wrong_element_is_found_by_the_evaluator)
{
	check_finds(true, "graph evaluator");
}

Test(bench, a_wrong_element_is_found_without_a_product)
{
	check_finds(false, "C.t = A.(B.t), 1 of 32 rows by the graph evaluator");
}

/* The distance allows what one element does to the whole; the judge does not, in a row of its sample. */
Test(bench, a_wrong_element_of_a_sampled_row_is_found)
{
	struct bench_cases l = { NULL, 0, 0 };
	struct bench_truth t;
	struct bench_case *c;
	struct lt_context *ctx = context();
	double error = -1;
	int64_t row[2];
	float *out, right;

	make_product(&l, true);
	c = &l.at[0];
	c->flops = 9 * (INT64_C(1) << 30);      /* as if the evaluator could do three rows and a half */
	cr_assert_eq(bench_judged_rows(c), 3);
	bench_truth_make(ctx, c, &t);
	cr_assert_str_eq(t.method, "C.t = A.(B.t), 3 of 32 rows by the graph evaluator");
	out = machine_buffer(c->out.n);
	c->reference(c, out);
	cr_assert_eq(bench_check(c, &t, true, out, &error), LT_OK, "%s", lt_context_message(ctx));
	bench_sample_rows(c, 32, 2, row);
	cr_assert(row[0] == 0 && row[1] == 31);
	/* Beside an error that is within the distance for a whole of 1024 elements. */
	right = out[31 * 32 + 7];
	out[31 * 32 + 7] *= 1 + 0x1p-17f;
	cr_assert_eq(bench_check(c, &t, false, out, &error), LT_OK, "%s", lt_context_message(ctx));
	cr_assert(bench_check(c, &t, true, out, &error));
	cr_assert(strstr(lt_context_message(ctx), "[2, 7]") && strstr(lt_context_message(ctx), "row 31 is farthest off"), "%s",
		lt_context_message(ctx));
	out[31 * 32 + 7] = right;
	bench_truth_free(&t);
	lt_context_free(ctx);
	machine_buffer_free(out);
	bench_cases_free(&l);
}

Test(bench, a_sample_has_a_row_of_each_part)
{
	const struct bench_case c = { .name = "2048" };
	int64_t row[128];

	for (int64_t n = 1; n <= 128; n++) {
		bench_sample_rows(&c, 300, n, row);
		for (int64_t i = 0; i < n; i++)
			cr_assert(row[i] >= 300 * i / n && row[i] < 300 * (i + 1) / n, "%d of %d", (int)i, (int)n);
	}
	cr_assert(row[0] == 0 && row[127] == 299);
}

/* Every case of every suite stands before the judge, whole or by a sample of its rows. */
Test(bench, no_case_is_judged_by_its_norm_alone)
{
	struct bench_cases all = { NULL, 0, 0 };

	for (const struct bench_suite *s = bench_suites; s->name; s++)
		if (strcmp(s->name, "compile") != 0)
			s->cases(&all);
	for (int i = 0; i < all.n; i++) {
		const struct bench_case *c = &all.at[i];
		const int64_t rows = bench_judged_rows(c), elements = rows * (c->out.n / c->out.shape[0]);

		cr_expect(rows == -1 || rows >= 16 || (rows > 4 && elements >= 1 << 15), "%s/%s: %lld rows", c->suite, c->name,
			(long long)rows);
	}
	bench_cases_free(&all);
}

/* A case that counts other operations than its program has no rate. */
Test(bench, a_count_that_is_not_the_programs_is_an_error)
{
	const struct bench_options o = { .no_vendor = true };
	struct bench_cases l = { NULL, 0, 0 };
	struct bench_contestant k = { .role = BENCH_OURS };
	struct lt_context *ctx = context();

	make_product(&l, true);
	cr_assert_eq(bench_looptree_open(ctx, &k, "ref", NULL, NULL, &o), LT_OK);
	for (int off = -1; off <= 1; off++) {
		l.at[0].flops = 65536 + off;
		lt_status s = k.ops->begin(&k, &l.at[0], 1);
		cr_expect_eq(s, off ? LT_EDEVICE : LT_OK, "%d: %d", off, (int)s);
		if (off)
			cr_expect(strstr(lt_context_message(ctx), "the program counts 65536 operations, and the case 6553"), "%s",
				lt_context_message(ctx));
		k.ops->end(&k);
	}
	l.at[0].flops = -1;             /* of a case that is served: not known */
	cr_expect_eq(k.ops->begin(&k, &l.at[0], 1), LT_OK);
	k.ops->end(&k);
	k.ops->close(&k);
	bench_cases_free(&l);
	lt_context_free(ctx);
}

Test(bench, a_result_of_zeros_is_measured_absolutely)
{
	near(bench_distance((float[]){ 3, 4 }, (float[]){ 0, 0 }, 2), 5);
	near(bench_distance((float[]){ 3, 4 }, (float[]){ 3, 4 }, 2), 0);
	near(bench_distance((float[]){ 0, 0 }, (float[]){ 3, 4 }, 2), 1);
	cr_assert(isnan(bench_distance((float[]){ NAN, 4 }, (float[]){ 3, 4 }, 2)));
}

Test(bench, long_names_keep_their_ends)
{
	static const char *const names[][2] = { { "cpu", "cpu" }, { "openblas:SkylakeX", "openblas:SkylakeX" },
		{ "cpu examples/schedules/7-remainder.tree", "cpu ..7-remainder.tree" },
		{ "a_backend_of_somebody:with words", "a_backend_of_somebody:" } };
	char label[BENCH_LABEL + 1];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		cr_expect_str_eq(bench_label(names[i][0], (int)strlen(names[i][0]), label), names[i][1]);
}
