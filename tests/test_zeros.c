/* test_zeros.c -- min, max and ReLU of zeros and NaN: one rule (ir/op/op.def) on every backend and target, to the
 * sign bit.
 *
 * -0 is less than +0, NaN is handed on.  The wanted values come from a sort by value and sign that shares nothing with
 * the library.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/random/random.h"
#include "ir/eval/eval.h"
#include "lt/lt.h"
#include "tests/built.h"
#include "tests/keeper.h"

TestSuite(zeros, .timeout = 600);
TestSuite(more_zeros, .timeout = 600);

static const enum lt_dtype types[] = { LT_F32, LT_F64, LT_F16, LT_BF16 };
static const char *const backends[] = { "ref", "cpu", "cpu:O0", "cpu:target=sse2", "cpu:target=sse4", "cpu:target=avx2",
	"cpu:target=avx512", "llvm" };
enum { N_TYPE = 4, N_BACKEND = sizeof backends / sizeof *backends, MAX_RESULT = 64 };

static const double values[] = { -INFINITY, -2, -1.5, -0x1p-14, -0.0, 0.0, 0x1p-14, 1.5, 2, INFINITY, NAN };
enum { N_VALUE = sizeof values / sizeof *values };

static double wanted(bool is_max, double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	bool a_less = a < b || (a == b && signbit(a) && !signbit(b));
	return a_less == is_max ? b : a;
}

/* -- running a graph of results y0, y1 .. on all that there is -- */

struct job {
	struct lt_context *ctx;
	struct lt_graph *g;
	enum lt_dtype t;
	int n_input, n_result;
	void *input[2];
	int64_t n[MAX_RESULT];
	double *want[MAX_RESULT];
	char what[MAX_RESULT][80];
};

static void open_job(struct job *j, enum lt_dtype t)
{
	*j = (struct job){ .t = t };
	cr_assert_eq(lt_context_new(&j->ctx), LT_OK);
	cr_assert_eq(lt_graph_new(j->ctx, &j->g), LT_OK);
}

static lt_node add_input(struct job *j, int32_t rank, const lt_var *dims, const double *from, int64_t n)
{
	char name[8];
	j->input[j->n_input] = malloc((size_t)n * 8);
	for (int64_t i = 0; i < n; i++)
		lt__store(j->input[j->n_input], i, j->t, lt__round_to((union lt_scalar){ .f = from[i] }, j->t));
	(void)snprintf(name, sizeof name, "x%d", j->n_input++);
	return lt_graph_input(j->g, name, j->t, rank, dims);
}

/* The values that are wanted, room for n of them. */
static double *add_result(struct job *j, lt_node y, int64_t n, const char *what)
{
	char name[8];
	cr_assert_lt(j->n_result, MAX_RESULT);
	(void)snprintf(name, sizeof name, "y%d", j->n_result);
	(void)snprintf(j->what[j->n_result], sizeof j->what[0], "%s", what);
	cr_assert_eq(lt_graph_result(j->g, name, y), LT_OK, "%s: %s", what, lt_context_message(j->ctx));
	j->n[j->n_result] = n;
	return j->want[j->n_result++] = calloc((size_t)n, sizeof(double));
}

static void compare(const struct job *j, int32_t i, const void *got, const char *who)
{
	for (int64_t k = 0; k < j->n[i]; k++) {
		double x = lt__load(got, k, j->t).f, want = lt__round_to((union lt_scalar){ .f = j->want[i][k] }, j->t).f;
		cr_assert((isnan(x) && isnan(want)) || (x == want && signbit(x) == signbit(want)),
			"%s, %s, %s, element %d: %a; it is %a", who, lt_dtype_name(j->t), j->what[i], (int)k, x, want);
	}
}

static void judge_by_evaluator(const struct job *j)
{
	const void *source[2] = { j->input[0], j->input[1] };
	struct lt_evaluation *e;
	cr_assert_eq(lt_eval(j->g, source, false, &e), LT_OK, "%s", lt_context_message(j->ctx));
	for (int32_t i = 0; i < j->n_result; i++)
		compare(j, i, lt_eval_result(e, i, NULL), "the evaluator");
	lt_eval_free(e);
}

/* Whether it ran: a target that is not this machine's, and a tree that steps cannot have, are reported apart by their
 * messages. */
static bool run_on(const struct job *j, const char *backend, const char *apply, bool no_passes)
{
	const struct lt_options o = { .size = sizeof o,
		.backends = backend,
		.strict = 1,
		.apply = apply,
		.no_passes = no_passes,
		.n_thread = 2 };
	struct lt_program *p;
	struct lt_instance *r = NULL;
	void *out[MAX_RESULT];
	char who[300], why[1024] = "";
	lt_status st = lt_compile(j->ctx, j->g, &o, &p);
	if (st)
		(void)snprintf(why, sizeof why, "%s", lt_context_message(j->ctx));
	if (!st && (st = lt_instance_new(p, &r))) {
		(void)snprintf(why, sizeof why, "%s", lt_instance_message(r));
		lt_instance_free(r);
		lt_program_free(p);
	}
	if (!st)
		for (int32_t i = 0; i < j->n_result; i++)
			out[i] = calloc((size_t)j->n[i], 8);
	if (!st && (st = lt_instance_run(r, (const void *const *)j->input, out))) {
		(void)snprintf(why, sizeof why, "%s", lt_instance_message(r));
		for (int32_t i = 0; i < j->n_result; i++)
			free(out[i]);
		lt_instance_free(r);
		lt_program_free(p);
	}
	if (st) {
		cr_assert(strstr(why, "does not run code for the target") || (apply && st == LT_EILLEGAL),
			"%s, `%s`: %s", backend, apply ? apply : "", why);
		return false;
	}
	(void)snprintf(who, sizeof who, "%s, `%s`", backend, apply ? apply : "");
	for (int32_t i = 0; i < j->n_result; i++) {
		compare(j, i, out[i], who);
		free(out[i]);
	}
	lt_instance_free(r);
	lt_program_free(p);
	return true;
}

static void close_job(struct job *j)
{
	lt_graph_free(j->g);
	for (int i = 0; i < 2; i++)
		free(j->input[i]);
	for (int i = 0; i < j->n_result; i++)
		free(j->want[i]);
	lt_context_free(j->ctx);
}

/* Whether the plug-in is there; loaded. */
static bool has_plugin(const char *name, const char *file)
{
	struct keeper k = keeper_new();
	return lt_backend_find(name) || (access(built(file), R_OK) == 0 && lt_backend_load(built(file), &k.diag) == LT_OK);
}

/* The backends that are here, as a bit set. */
static unsigned present(void)
{
	unsigned all = 0;
	bool llvm = has_plugin("llvm", "backends/llvm.so");
	for (int b = 0; b < N_BACKEND; b++)
		if (llvm || strcmp(backends[b], "llvm") != 0)
			all |= 1u << b;
	return all;
}

static void run_everywhere(const struct job *j, const char *apply, bool no_passes, int *ran)
{
	unsigned here = present();
	for (int b = 0; b < N_BACKEND; b++)
		if (here >> b & 1
			&& (lt__dtype_info(j->t)->bytes == 4 || lt__dtype_info(j->t)->bytes == 8
				|| strchr(backends[b], ':') == NULL))
			*ran += run_on(j, backends[b], apply, no_passes);
}

/* -- operators -- */

/* Each pair of values, and each value beside literals on either side; in vectors and what is left of them. */
static void operators(enum lt_dtype t, bool alone)
{
	static const double literals[] = { 0.0, -0.0, 1.5, NAN };
	const int n_literal = lt__dtype_info(t)->bytes < 4 ? 2 : 4;     /* half types compute as f32 does */
	double a[N_VALUE * N_VALUE + 2], b[N_VALUE * N_VALUE + 2];
	int64_t n = alone ? 1 : N_VALUE * N_VALUE + 2;
	struct job j;
	int ran = 0;
	open_job(&j, t);
	for (int64_t i = 0; i < n; i++) {
		a[i] = alone ? -0.0 : values[i % N_VALUE];
		b[i] = alone ? 0.0 : values[i / N_VALUE % N_VALUE];
	}
	lt_var v = lt_graph_var(j.g, "n", n);
	lt_node x = add_input(&j, 1, &v, a, n), y = add_input(&j, 1, &v, b, n);
	for (int is_max = 0; is_max < 2; is_max++) {
		const char *op = is_max ? "max" : "min";
		double *want = add_result(&j, lt_graph_binary(j.g, op, x, y), n, op);
		for (int64_t i = 0; i < n; i++)
			want[i] = wanted(is_max, a[i], b[i]);
		/* what it is made visible by */
		want = add_result(&j,
			lt_graph_binary(j.g, "div", lt_graph_literal(j.g, t, 1), lt_graph_binary(j.g, op, y, x)), n,
			"1 over it");
		for (int64_t i = 0; i < n; i++)
			want[i] = lt__round_to(
				(union lt_scalar){ .f = 1
						/ lt__round_to((union lt_scalar){ .f = wanted(is_max, a[i], b[i]) }, t)
							  .f },
				t)
					  .f;
		for (int l = 0; l < n_literal; l++)
			for (int first = 0; first < 2; first++) {
				char what[60];
				lt_node c = lt_graph_literal(j.g, t, literals[l]);
				(void)snprintf(what, sizeof what, first ? "%s(%g, x)" : "%s(x, %g)", op, literals[l]);
				if (first)
					(void)snprintf(what, sizeof what, "%s(%g, x)", op, literals[l]);
				want = add_result(&j, lt_graph_binary(j.g, op, first ? c : x, first ? x : c), n, what);
				for (int64_t i = 0; i < n; i++)
					want[i] = wanted(is_max, a[i], literals[l]);
			}
	}
	double *want = add_result(&j, lt_build_relu(j.g, x), n, "ReLU");
	for (int64_t i = 0; i < n; i++)
		want[i] = wanted(true, a[i], 0.0);
	judge_by_evaluator(&j);
	run_everywhere(&j, NULL, false, &ran);
	cr_assert_geq(ran, 2);
	close_job(&j);
}

Test(zeros, operators_f32) { operators(LT_F32, false); }
Test(more_zeros, operators_f64) { operators(LT_F64, false); }
Test(zeros, operators_f16) { operators(LT_F16, false); }
Test(more_zeros, operators_bf16) { operators(LT_BF16, false); }
Test(more_zeros, operators_of_one_element) { operators(LT_F32, true); }

/* -- reductions -- */

/* Rows that have a zero at their end, or nothing else, in any order: the same row in another order has the same
 * result. */
static void fill_rows(double *x, int64_t rows, int64_t k, bool is_max, uint64_t *rng)
{
	for (int64_t r = 0; r < rows; r++) {
		int kind = (int)(r % 6);
		for (int64_t i = 0; i < k; i++) {
			double zero = random_chance(rng, 50) ? -0.0 : 0.0, past = is_max ? -1.5 : 1.5;
			x[r * k + i] = kind == 0         ? (i == 0 ? 0.0 : -0.0)
				: kind == 1              ? (i == 0 ? -0.0 : 0.0)
				: kind == 2              ? zero
				: kind == 3              ? -0.0
				: random_chance(rng, 60) ? past
							 : zero;
		}
		if (kind == 5 && k > 1 && random_chance(rng, 50))
			x[r * k + random_between(rng, 0, k - 1)] = NAN;
		for (int64_t i = k - 1; i > 0; i--) {
			int64_t with = random_between(rng, 0, i);
			double swap = x[r * k + i];
			x[r * k + i] = x[r * k + with];
			x[r * k + with] = swap;
		}
	}
}

static int reductions(enum lt_dtype t, int64_t k, bool is_max, bool inner, const char *apply)
{
	enum { ROWS = 25 };
	uint64_t rng = (uint64_t)k * 31 + (uint64_t)t;
	double *x = calloc((size_t)(ROWS * k), sizeof *x), *turned = calloc((size_t)(ROWS * k), sizeof *x);
	struct job j;
	int ran = 0;
	open_job(&j, t);
	fill_rows(x, ROWS, k, is_max, &rng);
	for (int64_t r = 0; r < ROWS; r++)
		for (int64_t i = 0; i < k; i++)
			turned[i * ROWS + r] = x[r * k + i];
	lt_var m = lt_graph_var(j.g, "m", ROWS), d = lt_graph_var(j.g, "k", k);
	lt_node source = add_input(&j, 2, inner ? (lt_var[]){ m, d } : (lt_var[]){ d, m }, inner ? x : turned, ROWS * k);
	lt_node y = lt_graph_reduce(j.g, is_max ? "max" : "min", source, 1, &d);
	char what[40];
	if (lt_node_dtype(j.g, y) != t)
		y = lt_graph_cast(j.g, y, t);
	else
		lt_node_set_name(j.g, y, "r");
	(void)snprintf(what, sizeof what, "%s of %d %s", is_max ? "max" : "min", (int)k, inner ? "in a row" : "in a column");
	double *want = add_result(&j, y, ROWS, what);
	for (int64_t r = 0; r < ROWS; r++) {
		want[r] = x[r * k];
		for (int64_t i = 1; i < k; i++)
			want[r] = wanted(is_max, want[r], x[r * k + i]);
	}
	judge_by_evaluator(&j);
	run_everywhere(&j, apply, apply != NULL, &ran);
	close_job(&j);
	free(x);
	free(turned);
	return ran;
}

Test(zeros, reductions_by_default_trees)
{
	static const int64_t lengths[] = { 1, 2, 7, 16, 67, 300 };
	for (int t = 0; t < N_TYPE; t++)
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
			if (t < 2 || i % 3 == 1)
				cr_assert_geq(reductions(types[t], lengths[i], (i + (size_t)t) % 2, t % 2 == 0 || i % 2, NULL), 2);
}

/* Lanes that are folded, sums of their own in unrolled trips, partial results, tails of each kind. */
Test(zeros, reductions_by_other_trees)
{
	static const char *const trees[] = { "split %r/k 8; tail %r/k mask; vectorize %r/k'",
		"split %r/k 8; tail %r/k peel; vectorize %r/k'", "split %r/k 4; tail %r/k peel; unroll %r/k'",
		"split %r/k 16; rfactor %r k", "split %r/m 8; tail %r/m pad; vectorize %r/m'",
		"split %r/m 8; tail %r/m mask; reorder %r/m m k m'; vectorize %r/m'" };
	int ran = 0;
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
		for (int is_max = 0; is_max < 2; is_max++)
			ran += reductions(types[i % 2], 67, is_max, i < 4, trees[i]) > 0;
	cr_assert_geq(ran, 8, "%d of the trees ran", ran);
}

/* Integers and bools have no second zero: the same rule, for completeness. */
Test(zeros, integers_have_one)
{
	for (enum lt_dtype t = LT_I8; t < LT_NDTYPE; t++)
		for (int64_t a = -2; a <= 2; a++)
			for (int64_t b = -2; b <= 2; b++) {
				union lt_scalar x[2] = { { .i = a }, { .i = b } };
				cr_assert_eq(lt__op_value(LT_OP_max, LT_I64, x).i, a > b ? a : b);
				cr_assert_eq(lt__op_value(LT_OP_min, LT_I64, x).i, a < b ? a : b);
			}
}
