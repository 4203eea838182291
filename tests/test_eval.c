/* The oracle (ir/eval/): reductions against plain loops, operators against NumPy, views against their maps point by
 * point. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/map/map.h"
#include "tests/data/operators.h"
#include "tests/oracle.h"

/* ---- reductions ---- */

static double fold(const char *op, double a, double b)
{
	if (!strcmp(op, "add"))
		return a + b;
	if (!strcmp(op, "mul"))
		return a * b;
	return !strcmp(op, "min") ? fmin(a, b) : fmax(a, b);
}

static void try_reduction(const int64_t shape[3], int over, const char *op, enum lt_dtype t)
{
	static const char *const names[3] = { "p", "q", "r" };
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 7;
	const double *error;
	lt_var dims[3], reduced[3];
	int32_t n = 0;
	int64_t kept[3] = { 0 }, elems = 1;

	for (int i = 0; i < 3; i++)
		dims[i] = lt_graph_var(b->g, names[i], shape[i]);
	for (int i = 2; i >= 0; i--) {
		if (over >> i & 1) {
			reduced[n++] = dims[i];
		} else {
			kept[i] = elems;
			elems *= shape[i];
		}
	}
	lt_node x = oracle_random(b, t, 3, dims, &seed, !strcmp(op, "mul") ? 1. / 64 : 0.125);
	double *want = malloc((size_t)elems * sizeof *want);
	for (int64_t i = 0; i < elems; i++)
		want[i] = !strcmp(op, "add") ? 0 : !strcmp(op, "mul") ? 1 : !strcmp(op, "min") ? 1e9 : -1e9;
	for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; i++) {
		int64_t at = i / (shape[1] * shape[2]) * kept[0] + i / shape[2] % shape[1] * kept[1] + i % shape[2] * kept[2];
		want[at] = fold(op, want[at], oracle_number(b->data[x], i, t));
	}
	const void *got = oracle_run(b, lt_graph_reduce(b->g, op, x, n, reduced), &error);
	for (int64_t i = 0; i < elems; i++) {
		double value = oracle_number(got, i, t), close = !strcmp(op, "mul") ? 1e-6 * fabs(want[i]) : 0;
		cr_assert(fabs(value - want[i]) <= close, "%s over %d of %lldx%lldx%lld %s: element %lld is %g, not %g",
			op, over, (long long)shape[0], (long long)shape[1], (long long)shape[2],
			lt__dtype_info(t)->name, (long long)i, value, want[i]);
		if (strcmp(op, "mul"))  /* sums of eighths are exact in any order */
			cr_assert_eq(error[i], 0);
	}
	free(want);
	oracle_close(b);
}

Test(eval, reductions)
{
	static const int64_t shapes[][3] = { { 1, 1, 1 }, { 2, 3, 5 }, { 3, 1, 300 }, { 257, 2, 3 }, { 2, 513, 2 } };
	static const char *const ops[] = { "add", "mul", "min", "max" };
	static const enum lt_dtype types[] = { LT_F32, LT_F64, LT_I64 };

	for (int s = 0; s < COUNT(shapes); s++)
		for (int over = 1; over < 8; over++)
			for (int op = 0; op < 4; op++)
				for (int t = 0; t < COUNT(types); t++)
					if (op != 1 || t < 2)
						try_reduction(shapes[s], over, ops[op], types[t]);
}

/* Integers wrap, in any order; NaN wins over minimum and maximum; a sum is not hurt by cancellation. */
Test(eval, odd_reductions)
{
	static const int32_t large[3] = { INT32_MAX, INT32_MAX, 5 };
	static const float nan_inside[3] = { 1, NAN, -2 }, cancels[4] = { 1, 1e8f, 1, -1e8f };
	static const double far_apart[4] = { 1, 1e100, 1, -1e100 };
	static const uint8_t bools[3] = { 0, 1, 0 };
	static const struct { enum lt_dtype t; int64_t n; const void *x; const char *op; double want; } cases[] = {
		{ LT_I32, 3, large, "add", 3 }, { LT_I32, 3, large, "mul", 5 }, { LT_F32, 3, nan_inside, "min", NAN },
		{ LT_F32, 3, nan_inside, "max", NAN }, { LT_F32, 3, nan_inside, "add", NAN }, { LT_F32, 4, cancels, "add", 2 },
		{ LT_F64, 4, far_apart, "add", 2 },
		{ LT_BOOL, 3, bools, "max", 1 }, { LT_BOOL, 3, bools, "min", 0 },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b = oracle_open(LT_F32);
		lt_var v = lt_graph_var(b->g, "v", cases[i].n);
		lt_node x = oracle_input(b, cases[i].t, 1, &v, cases[i].x);
		double got = oracle_number(oracle_run(b, lt_graph_reduce(b->g, cases[i].op, x, 1, &v), NULL), 0, cases[i].t);
		cr_expect(got == cases[i].want || (isnan(got) && isnan(cases[i].want)), "case %d gives %g", i, got);
		oracle_close(b);
	}
}

/* ---- operators, against NumPy ---- */

static bool same(double got, double want, double tolerance)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	return got == want || fabs(got - want) <= tolerance * fabs(want);
}

/* Every value, or every pair of values, of x. */
static void try_operator(const struct operator_case *c, enum lt_dtype t, int64_t n, const double *x, double tolerance)
{
	struct oracle *b = oracle_open(LT_F32);
	lt_var v = lt_graph_var(b->g, "v", n), w = lt_graph_var(b->g, "w", n);
	lt_node operand[2] = { oracle_input(b, t, 1, &v, NULL), oracle_input(b, t, 1, &w, NULL) };

	oracle_fill(b, operand[0], x);
	oracle_fill(b, operand[1], x);
	lt_node y = lt_graph_op(b->g, c->op, c->arity, operand);
	const double *error;
	const void *got = oracle_run(b, y, &error);
	for (int64_t i = 0; i < (c->arity == 1 ? n : n * n); i++) {
		double value = oracle_number(got, i, lt_node_dtype(b->g, y));
		cr_expect(same(value, c->want[i], tolerance), "%s of %s %g, %g is %.9g, not %.9g", c->op, lt__dtype_info(t)->name,
			x[c->arity == 1 ? i : i / n], x[i % n], value, c->want[i]);
		cr_expect(error[i] <= 1e-5, "%s of %g, %g: bound %g", c->op, x[c->arity == 1 ? i : i / n], x[i % n], error[i]);
	}
	oracle_close(b);
}

Test(eval, operators)
{
	for (int i = 0; i < COUNT(unary); i++) {
		try_operator(&unary[i], LT_F32, COUNT(floats), floats, 1e-6);
		try_operator(&unary[i], LT_F64, COUNT(floats), floats, 1e-8);
	}
	for (int i = 0; i < COUNT(binary); i++) {
		try_operator(&binary[i], LT_F32, COUNT(floats), floats, 1e-6);
		try_operator(&binary[i], LT_F64, COUNT(floats), floats, 1e-8);
	}
	for (int i = 0; i < COUNT(int_unary); i++)
		try_operator(&int_unary[i], LT_I32, COUNT(ints), ints, 0);
	for (int i = 0; i < COUNT(int_binary); i++)
		try_operator(&int_binary[i], LT_I32, COUNT(ints), ints, 0);
}

Test(eval, casts)
{
	static const struct { enum lt_dtype t; const double *want; } cases[] = {
		{ LT_I8, casts_i8 }, { LT_U8, casts_u8 }, { LT_I16, casts_i16 }, { LT_I32, casts_i32 }, { LT_I64, casts_i64 },
		{ LT_BOOL, casts_bool }, { LT_F32, casts_f32 }, { LT_F16, casts_f16 },
	};

	for (int k = 0; k < COUNT(cases); k++) {
		struct oracle *b = oracle_open(LT_F32);
		lt_var v = lt_graph_var(b->g, "v", COUNT(casts));
		lt_node x = oracle_input(b, LT_F64, 1, &v, casts), y = lt_graph_cast(b->g, x, cases[k].t);
		const void *got = oracle_run(b, y, NULL);
		for (int64_t i = 0; i < COUNT(casts); i++) {
			double value = oracle_number(got, i, cases[k].t);
			cr_expect(same(value, cases[k].want[i], 1e-8), "%g as %s is %g, not %g", casts[i],
				lt__dtype_info(cases[k].t)->name, value, cases[k].want[i]);
		}
		oracle_close(b);
	}
}

/* ---- views ---- */

enum { WIDE = 12 };
struct level { int32_t rank; int64_t shape[3]; float *value; };

static int64_t elems_of(const struct level *l)
{
	int64_t n = 1;

	for (int32_t i = 0; i < l->rank; i++)
		n *= l->shape[i];
	return n;
}

/* A random piece: rows of dims and quotients, guarded so that it stays inside of the source. */
static void random_piece(
	struct lt_view_piece *piece, const struct level *from, int32_t n_dim, int64_t *store, uint64_t *seed)
{
	int32_t n_div = (int32_t)(oracle_noise(seed) % 3), width = 1 + n_dim + n_div;
	int64_t *div = store, *row = div + 2 * (1 + WIDE), *guard = row + 3 * WIDE;

	memset(store, 0, 20 * WIDE * sizeof *store);
	for (int32_t d = 0; d < n_div; d++) {
		int64_t *at = div + d * (1 + width);
		at[0] = 1 + (int64_t)(oracle_noise(seed) % 5);
		for (int32_t c = 0; c < 1 + n_dim + d; c++)
			at[1 + c] = (int64_t)(oracle_noise(seed) % 7) - 3;
	}
	for (int32_t r = 0; r < from->rank; r++) {
		for (int32_t c = 1; c < width; c++)
			row[r * width + c] = oracle_noise(seed) % 2 ? (int64_t)(oracle_noise(seed) % 5) - 2 : 0;
		row[r * width] = (int64_t)(oracle_noise(seed) % (uint64_t)from->shape[r]);
		for (int32_t c = 0; c < width; c++) {
			guard[2 * r * width + c] = row[r * width + c];
			guard[(2 * r + 1) * width + c] = -row[r * width + c];
		}
		guard[(2 * r + 1) * width] += from->shape[r] - 1;
	}
	piece->map = (struct lt_map){ .n_dim = n_dim, .n_div = n_div, .n_guard = 2 * from->rank, .n_row = from->rank,
		.div = div, .row = row, .guard = guard };
}

static float at_point(
	const struct level *from, const struct lt_view_piece *piece, int32_t n_piece, const int64_t *dim, float fill)
{
	for (int32_t p = 0; p < n_piece; p++) {
		int64_t to[3], at = 0;
		if (!lt__map_apply(&piece[p].map, NULL, dim, to))
			continue;
		for (int32_t i = 0; i < from->rank; i++)
			at = at * from->shape[i] + to[i];
		return from->value[at];
	}
	return fill;
}

static lt_node random_view(struct oracle *b, lt_node x, struct level *l, uint64_t *seed)
{
	struct lt_view_piece piece[3];
	struct level to = { .rank = 1 + (int32_t)(oracle_noise(seed) % 3) };
	static int64_t store[3][20 * WIDE];
	int32_t n_piece = 1 + (int32_t)(oracle_noise(seed) % 3);
	union lt_scalar fill = { .f = (double)(oracle_noise(seed) % 100) };
	lt_var dims[3];

	for (int32_t i = 0; i < to.rank; i++) {
		to.shape[i] = 1 + (int64_t)(oracle_noise(seed) % (to.rank == 1 ? 300 : 11));
		dims[i] = lt_graph_var(b->g, NULL, to.shape[i]);
	}
	for (int32_t p = 0; p < n_piece; p++) {
		piece[p] = (struct lt_view_piece){ .source = x };
		random_piece(&piece[p], l, to.rank, store[p], seed);
	}
	to.value = malloc((size_t)elems_of(&to) * sizeof *to.value);
	for (int64_t i = 0; i < elems_of(&to); i++) {
		int64_t dim[3], rest = i;
		for (int32_t d = to.rank - 1; d >= 0; d--) {
			dim[d] = rest % to.shape[d];
			rest /= to.shape[d];
		}
		to.value[i] = at_point(l, piece, n_piece, dim, (float)fill.f);
	}
	free(l->value);
	*l = to;
	lt_node y = lt_graph_view(b->g, to.rank, dims, n_piece, piece, lt__bits_of(fill, LT_F32), 1);
	cr_assert_geq(y, 0, "%s", lt_context_message(b->ctx));
	return y;
}

/* Views of views, up to twelve deep, with guards, floor divisions, negative strides and several pieces. */
Test(eval, views_by_points)
{
	uint64_t seed = 2024;

	for (int trial = 0; trial < 150; trial++) {
		struct oracle *b = oracle_open(LT_F32);
		uint64_t first = seed;
		struct level l = { .rank = 2, .shape = { 5, 7 } };
		lt_var dims[2] = { lt_graph_var(b->g, NULL, 5), lt_graph_var(b->g, NULL, 7) };
		lt_node x = oracle_random(b, LT_F32, 2, dims, &seed, 1);
		l.value = malloc(35 * sizeof *l.value);
		memcpy(l.value, b->data[x], 35 * sizeof *l.value);
		for (int depth = 1 + (int)(oracle_noise(&seed) % 12); depth > 0; depth--)
			x = random_view(b, x, &l, &seed);
		const float *got = oracle_run(b, x, NULL);
		for (int64_t i = 0; i < elems_of(&l); i++)
			cr_assert_eq(got[i], l.value[i], "seed %llu: element %lld is %g, not %g", (unsigned long long)first, (long long)i,
				(double)got[i], (double)l.value[i]);
		free(l.value);
		oracle_close(b);
	}
}

/* Reductions over padded and windowed values see the fill as a value. */
Test(eval, fill_is_a_value)
{
	static const float x[3] = { -1, -2, -3 };
	struct oracle *b = oracle_open(LT_F32);
	lt_var v = lt_graph_var(b->g, "v", 3);
	lt_node in = oracle_input(b, LT_F32, 1, &v, x);
	lt_node zero = lt_graph_pad(b->g, in, (int64_t[]){ 2 }, (int64_t[]){ 0 }, 0);
	lt_node both = lt_graph_pad(
		b->g, zero, (int64_t[]){ 1 }, (int64_t[]){ 0 }, lt__bits_of((union lt_scalar){ .f = 7 }, LT_F32));
	const float *got = oracle_run(b, both, NULL);
	static const float want[6] = { 7, 0, 0, -1, -2, -3 };

	for (int i = 0; i < 6; i++)
		cr_expect_eq(got[i], want[i], "element %d is %g", i, (double)got[i]);
	oracle_close(b);
	b = oracle_open(LT_F32);
	v = lt_graph_var(b->g, "v", 3);
	lt_node padded = lt_graph_pad(b->g, oracle_input(b, LT_F32, 1, &v, x), (int64_t[]){ 1 }, (int64_t[]){ 0 }, 0);
	lt_var w = lt_node_dim(b->g, padded, 0);
	cr_expect_eq(((const float *)oracle_run(b, lt_graph_reduce(b->g, "max", padded, 1, &w), NULL))[0], 0);
	oracle_close(b);
}
