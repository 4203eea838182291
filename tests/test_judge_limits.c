/* test_judge_limits.c -- where the judge draws its lines: of each number and rule what lies just inside, and what
 * lies just outside. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/judge_one.h"

TestSuite(judge_limits, .timeout = 60);

static float moved(float x, int ulps)
{
	for (; ulps > 0; ulps--)
		x = nextafterf(x, INFINITY);
	return x;
}

static lt_node literal(struct oracle *b, double value) { return lt_graph_literal(b->g, LT_F32, value); }

/* -- random errors -- */

/* x / 3.7, a little less than 2: one rounding, and a unit in the last place is twice what it may do. */
static lt_node quotient(struct oracle *b, int n)
{
	double data[256];
	lt_var i = lt_graph_var(b->g, "i", n);
	lt_node x = oracle_input(b, LT_F32, 1, &i, NULL);

	for (int k = 0; k < n; k++)
		data[k] = 7.39 - 0.0001 * k;
	oracle_fill(b, x, data);
	return lt_graph_binary(b->g, "div", x, literal(b, 3.7));
}

/* 8 times half a place, rounded, and twice that: 16 half places from the largest of 32 runs. */
Test(judge_limits, an_element_is_widened_sixteen_times)
{
	static const struct { int ulps; bool wrong; } cases[] = { { 13, false }, { 18, true } };

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		void *copy;
		struct lt_judge *j = judge_one(b, quotient(b, 1), &copy);
		float *got = copy;
		got[0] = moved(got[0], cases[i].ulps);
		struct lt_report r = judge_one_report(j, got);
		cr_assert_eq(r.wrong, cases[i].wrong, "%d: %s", cases[i].ulps, r.first);
		cr_assert_eq(r.judged, !cases[i].wrong);
		judge_one_end(b, j, copy);
	}
}

/* A comparison with a number that is so far away: not widened, since there is no distance between flags. */
Test(judge_limits, errors_are_drawn_eight_times_too_large)
{
	static const struct { int ulps; bool wrong; } cases[] = { { 6, false }, { 10, true } };

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		void *copy;
		lt_node y = quotient(b, 1), limit;
		limit = literal(b, moved(7.39f / 3.7f, cases[i].ulps));
		struct lt_judge *j = judge_one(b, lt_graph_binary(b->g, "less", y, limit), &copy);
		*(uint8_t *)copy ^= 1;
		struct lt_report r = judge_one_report(j, copy);
		cr_assert_eq(r.wrong, cases[i].wrong, "%d: %s", cases[i].ulps, r.first);
		cr_assert_eq(r.open, !cases[i].wrong);
		judge_one_end(b, j, copy);
	}
}

/* More runs where few of them agree by chance, and all of them before anything is wrong. */
Test(judge_limits, runs_are_added_where_something_looks_wrong)
{
	static const struct { int ulps, runs; bool wrong; } cases[] = { { 1, 5, false }, { 7, 12, false }, { 40, 32, true } };

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		void *copy;
		struct lt_judge *j = judge_one(b, quotient(b, 48), &copy);
		float *got = copy;
		for (int k = 0; k < 48; k++)
			got[k] = moved(got[k], k % 2 ? cases[i].ulps : -cases[i].ulps);
		struct lt_report r = judge_one_report(j, got);
		cr_assert_eq(r.runs, cases[i].runs, "%d: %lld runs, %s", cases[i].ulps, (long long)r.runs, r.first);
		cr_assert_eq(lt__report_failed(&r), cases[i].wrong, "%d: %s", cases[i].ulps, r.first);
		judge_one_end(b, j, copy);
	}
}

/* -- what nothing can judge -- */

/* (f + big) - big of n elements, f being x or its exp: what is left are multiples of 1/8, and the sum may be off by
 * some of them. */
static lt_node rounded_off(struct oracle *b, int n, double x, bool exponential)
{
	double data[256];
	lt_var i = lt_graph_var(b->g, "i", n);
	lt_node in = oracle_input(b, LT_F32, 1, &i, NULL), big = literal(b, 0x1.8p20);

	for (int k = 0; k < n; k++)
		data[k] = x;
	oracle_fill(b, in, data);
	in = exponential ? lt_graph_unary(b->g, "exp", in) : in;
	return lt_graph_binary(b->g, "sub", lt_graph_binary(b->g, "add", in, big), big);
}

/* The runs move by up to 6 eighths, so that 12 are allowed. */
Test(judge_limits, a_tolerance_of_half_the_scale_judges_nothing)
{
	static const struct { double x; bool open; } cases[] = { { 3.27, false }, { 2.77, true } };

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		void *copy;
		struct lt_judge *j = judge_one(b, rounded_off(b, 256, cases[i].x, false), &copy);
		float *got = copy;
		for (int k = 0; k < 256; k++)
			got[k] += k % 2 ? 0.125f : -0.125f;
		struct lt_report r = judge_one_report(j, got);
		cr_assert(!lt__report_failed(&r), "%s", r.first);
		cr_assert_eq(r.open > 0, cases[i].open, "%g: %lld open", cases[i].x, (long long)r.open);
		judge_one_end(b, j, copy);
	}
}

/* -- neighbours -- */

/* exp of 200 rows of 4 numbers; all but the last of each row have lost most of their digits. */
static lt_node exp_of_some(struct oracle *b)
{
	double x[800], big[800];
	lt_var v[2] = { lt_graph_var(b->g, "i", 200), lt_graph_var(b->g, "j", 4) };
	lt_node in = oracle_input(b, LT_F32, 2, v, NULL), other = oracle_input(b, LT_F32, 2, v, NULL);

	for (int k = 0; k < 800; k++) {
		x[k] = 0.3 + k / 7777.;
		big[k] = k % 4 != 3 ? 20000 : 0;
	}
	oracle_fill(b, in, x);
	oracle_fill(b, other, big);
	lt_node sum = lt_graph_binary(b->g, "add", in, other);
	return lt_graph_unary(b->g, "exp", lt_graph_binary(b->g, "sub", sum, other));
}

/* Most of the elements may be off by a hundredth; that is no room for the others, neither for one of them nor for all
 * of them together. */
Test(judge_limits, inexact_neighbours_make_no_room)
{
	struct oracle *b = oracle_open(LT_F32);
	void *copy;
	struct lt_judge *j = judge_one(b, exp_of_some(b), &copy);
	float *got = copy;
	const float *want = lt_eval_result(lt__judge_reference(j), 0, NULL);
	struct lt_report r = { 0 };
	double error = 1e-7;

	for (int k = 0; k < 800; k++)
		got[k] *= k % 4 == 3 ? 1 : 1.001f;
	r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r) && r.open == 0, "%s", r.first);
	for (int k = 3; k < 800; k += 4)
		got[k] = want[k] * (1 + 1e-3f);
	r = judge_one_report(j, got);
	cr_assert_eq(r.wrong, 200, "%lld are wrong", (long long)r.wrong);
	/* The largest that still passes element by element. */
	do {
		for (int k = 3; k < 800; k += 4)
			got[k] = (float)(want[k] * (1 + error));
		r = judge_one_report(j, got);
		error *= 1.05;
	} while (!lt__report_failed(&r));
	cr_assert(r.norm_wrong == 1 && r.wrong == 0, "%g: %s", error, r.first);
	cr_assert(strstr(r.first, "in 200 elements such as y[0, 3]"), "%s", r.first);
	judge_one_end(b, j, copy);
}

/* Deviations of few of the smallest numbers, whose average over the runs rounds to zero. */
Test(judge_limits, deviations_below_the_smallest_number_are_judged)
{
	enum { N = 256 };
	struct oracle *b = oracle_open(LT_F64);
	void *copy;
	double data[N];
	lt_var i = lt_graph_var(b->g, "i", N);
	lt_node x = oracle_input(b, LT_F64, 1, &i, NULL);

	for (int k = 0; k < N; k++)
		data[k] = k * DBL_TRUE_MIN;
	oracle_fill(b, x, data);
	struct lt_judge *j = judge_one(b, lt_graph_binary(b->g, "div", x, lt_graph_literal(b->g, LT_F64, 3.7)), &copy);
	double *got = copy;
	struct lt_report r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r) && r.equal == N, "%s", r.first);
	got[200] *= 2;
	r = judge_one_report(j, got);
	cr_assert_eq(r.wrong, 1, "%s", r.first);
	judge_one_end(b, j, copy);
}

/* -- infinities and NaN -- */

/* The largest of the runs is just in the type, and twice its distance is not. */
Test(judge_limits, an_infinity_is_wrong_where_all_runs_have_numbers)
{
	struct oracle *b = oracle_open(LT_F32);
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 1);
	lt_node x = oracle_input(b, LT_F32, 1, &i, NULL), big = literal(b, 20000);
	oracle_fill(b, x, (double[]){ 88 + 361.25 / 512 });
	lt_node sum = lt_graph_binary(b->g, "add", x, big);
	struct lt_judge *j = judge_one(b, lt_graph_unary(b->g, "exp", lt_graph_binary(b->g, "sub", sum, big)), &copy);
	float *got = copy, want = got[0];

	got[0] = want * 0.985f;
	struct lt_report r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r) && r.judged == 1, "%s", r.first);
	got[0] = INFINITY;
	r = judge_one_report(j, got);
	cr_assert(r.wrong == 1 && r.runs == 32 && isfinite(r.absolute.value), "%s", r.first);
	judge_one_end(b, j, copy);
}

/* Sums whose order decides which infinity, or NaN, they are; and one of which every order gives the same. */
Test(judge_limits, what_no_order_gives_is_wrong)
{
	enum { EQUAL, JUDGED, OPEN, WRONG };
	static const struct { double x[4]; float got; int verdict; } cases[] = {
		{ { 3e38, 3e38, 3e38, 3e38 }, INFINITY, EQUAL }, { { 3e38, 3e38, 3e38, 3e38 }, -INFINITY, WRONG },
		{ { 3e38, 3e38, 3e38, 3e38 }, NAN, WRONG }, { { 3e38, 3e38, 3e38, 3e38 }, 1, WRONG },
		{ { 3e38, 3e38, -1e38, 3e38 }, NAN, WRONG }, { { 3e38, 3e38, -3e38, 1 }, NAN, OPEN },
		{ { 3e38, 3e38, -3e38, 1 }, INFINITY, JUDGED }, { { 3e38, 3e38, -3e38, 1 }, 2e38f, OPEN },
		{ { -INFINITY, 3e38, 1, 1 }, NAN, WRONG },
		{ { -INFINITY, 3e38, 3e38, 1 }, NAN, JUDGED }, { { -INFINITY, 3e38, 3e38, 1 }, INFINITY, OPEN },
		{ { -INFINITY, 3e38, 3e38, 1 }, 3, OPEN }
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		void *copy;
		lt_var k = lt_graph_var(b->g, "k", 4);
		lt_node x = oracle_input(b, LT_F32, 1, &k, NULL);
		oracle_fill(b, x, cases[i].x);
		struct lt_judge *j = judge_one(b, lt_graph_reduce(b->g, "add", x, 1, &k), &copy);
		*(float *)copy = cases[i].got;
		struct lt_report r = judge_one_report(j, copy);
		int verdict = r.wrong ? WRONG : r.open ? OPEN : r.judged ? JUDGED : EQUAL;
		cr_expect_eq(verdict, cases[i].verdict, "case %d: %d, %s", i, verdict, r.first);
		judge_one_end(b, j, copy);
	}
}

/* Beside a reference that is 0, or no number, there is no share of it. */
Test(judge_limits, the_largest_relative_error_is_over_all_elements)
{
	static const struct { double x; float got; double relative; } cases[] = { { 0, 1e-3f, INFINITY }, { 0, 0, 0 },
		{ INFINITY, NAN, INFINITY }, { INFINITY, INFINITY, 0 }, { 2, 3, 0.5 } };

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		void *copy;
		lt_var k = lt_graph_var(b->g, "k", 2);
		lt_node x = oracle_input(b, LT_F32, 1, &k, NULL);
		oracle_fill(b, x, (double[]){ 1, cases[i].x });
		struct lt_judge *j = judge_one(b, lt_graph_unary(b->g, "abs", x), &copy);
		((float *)copy)[1] = cases[i].got;
		struct lt_report r = judge_one_report(j, copy);
		cr_expect_eq(r.relative.value, cases[i].relative, "case %d: %g", i, r.relative.value);
		cr_expect_eq(strstr(r.relative.at, "y[1]") != NULL, cases[i].relative > 0);
		judge_one_end(b, j, copy);
	}
}

/* -- states -- */

Test(judge_limits, states_are_judged_and_kept_ones_are_exact)
{
	static const struct { int ulps; bool set, wrong; } cases[] = { { 1, true, false }, { 40, true, true },
		{ 0, false, false }, { 1, false, true } };

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		float old[2] = { 0.25f, 1.5f }, got[2];
		struct lt_report r = { 0 };
		void *copy;
		lt_var k = lt_graph_var(b->g, "k", 2);
		lt_node set = lt_graph_state(b->g, "cache", LT_F32, 1, &k), kept = lt_graph_state(b->g, "kept", LT_F32, 1, &k);
		lt_node y = lt_graph_binary(b->g, "div", set, literal(b, 3.7));
		b->source[set] = old;
		b->source[kept] = old;
		cr_assert_eq(lt_graph_set_state(b->g, set, y), LT_OK);
		struct lt_judge *j = judge_one(b, lt_graph_unary(b->g, "neg", kept), &copy);
		memcpy(got, cases[i].set ? lt_eval_state(lt__judge_reference(j), 0, NULL) : old, sizeof got);
		got[1] = moved(got[1], cases[i].ulps);
		cr_assert_eq(lt__judge_state(j, cases[i].set ? set : kept, got, &r), LT_OK);
		cr_expect_eq(r.wrong, cases[i].wrong, "case %d: %s", i, r.first);
		cr_expect(!cases[i].wrong || strstr(r.first, cases[i].set ? "state cache[1]" : "state kept[1]"), "%s", r.first);
		cr_expect(r.elements == 2 && (r.runs > 0) == cases[i].set, "case %d: %lld runs", i, (long long)r.runs);
		judge_one_end(b, j, copy);
	}
}

/* -- kernels -- */

struct spoil { struct lt_kernel_judge *k; double by; };

static lt_status spoil_value(void *user, const struct lt_seen *seen, const void *data)
{
	struct spoil *s = user;
	float copy[8] = { 0 };

	cr_assert_leq(seen->elems, COUNT(copy));
	memcpy(copy, data, (size_t)seen->elems * sizeof *copy);
	copy[1] += (float)s->by;
	return lt__kernel_judge_see(s->k, seen, copy);
}

/* exp(x) beside 0x1.8p20: two half units in the last place, 0.19. */
static struct lt_report report_kernel(double x, double by)
{
	struct oracle *b = oracle_open(LT_F32);
	struct lt_program *p;
	struct lt_instance *r;
	struct lt_report found = { 0 };
	struct spoil s = { .by = by };
	struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1 };
	float in[8], out[8];

	for (int i = 0; i < 8; i++)
		in[i] = (float)x;
	cr_assert_eq(lt_graph_result(b->g, "y", rounded_off(b, 8, x, true)), LT_OK);
	cr_assert_eq(lt_compile(b->ctx, b->g, &o, &p), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt_instance_new(p, &r), LT_OK);
	const void **source = calloc((size_t)p->base->n_node, sizeof *source);
	for (lt_node n = 0; n < p->base->n_node; n++)
		source[n] = p->base->node[n].op == LT_OP_input ? in : NULL;
	cr_assert_eq(lt__kernel_judge_new(p, source, &judge_one_options, &s.k), LT_OK);
	cr_assert_eq(lt__instance_observe(r, (const void *[]){ in }, (void *[]){ out }, spoil_value, &s), LT_OK);
	cr_assert_eq(lt__kernel_judge_end(s.k, &found), LT_OK);
	cr_assert(found.values == 1 && found.kernel_elements == 8, "%lld values", (long long)found.values);
	lt__kernel_judge_free(s.k);
	free(source);
	lt_instance_free(r);
	lt_program_free(p);
	oracle_close(b);
	return found;
}

Test(judge_limits, a_bound_of_an_eighth_of_the_scale_is_left_to_the_noise)
{
	struct lt_report r = report_kernel(log(1.635), 0.15);           /* 1.625: a ninth of it */

	cr_assert(r.kernel_judged == 1 && r.kernel_left == 0 && r.kernel_wrong == 0 && !r.left[0], "%s", r.first);
	cr_assert(r.bound.value > 0.7 && r.bound.value < 0.9, "%g", r.bound.value);
	r = report_kernel(log(1.385), 0.15);                            /* 1.375: a seventh */
	cr_assert(r.kernel_judged == 0 && r.kernel_left == 1 && r.kernel_wrong == 0 && r.kernel_equal == 7);
	cr_assert(strstr(r.left, " of kernel "), "%s", r.left);
	r = report_kernel(log(1.385), 0.25);                            /* beyond the bound, however large that is */
	cr_assert(r.kernel_left == 0 && r.kernel_wrong == 1 && strstr(r.first, "kernel "), "%s", r.first);
}
