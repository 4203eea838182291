/* The oracle's convolutions and products, in all modes, against loops over their indices: prime extents, padding,
 * strides, dilations, infinities and NaN, integers.  Panels of such products are read by tables (ir/eval/table.c). */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/oracle.h"

struct window { int64_t size, taps, stride, dilation, before, out; };
struct conv { int64_t batch, channels, filters; struct window y, x; };

static const struct conv convs[] = {
	{ 1, 3, 5, { 7, 3, 1, 1, 1, 7 }, { 7, 3, 1, 1, 1, 7 } },
	{ 2, 7, 11, { 13, 3, 2, 1, 1, 7 }, { 11, 3, 1, 2, 2, 11 } },
	{ 1, 2, 3, { 17, 5, 3, 2, 4, 6 }, { 31, 7, 2, 1, 3, 16 } },
	{ 1, 23, 139, { 5, 3, 1, 1, 1, 5 }, { 5, 3, 1, 1, 1, 5 } },            /* several tiles and depths */
	{ 1, 5, 2, { 29, 1, 1, 1, 0, 29 }, { 37, 1, 1, 1, 0, 37 } },           /* wide: more than a strip */
	{ 3, 1, 1, { 2, 3, 1, 1, 2, 4 }, { 3, 5, 1, 1, 4, 7 } },               /* more padding than data */
};

/* Element (batch, filter, y, x) by its definition: terms in order; returns how many. */
struct terms { double x[1024], w[1024]; int n; };

static int64_t window_index(const struct window *w, int64_t out, int64_t tap)
{
	int64_t at = out * w->stride + tap * w->dilation - w->before;

	return at < 0 || at >= w->size ? -1 : at;
}

static void list_terms(
	const struct oracle *b, const struct conv *c, lt_node x, lt_node w, int64_t flat, struct terms *t)
{
	int64_t ox = flat % c->x.out, oy = flat / c->x.out % c->y.out, f = flat / c->x.out / c->y.out % c->filters,
		image = flat / c->x.out / c->y.out / c->filters;

	t->n = 0;
	for (int64_t k = 0; k < c->channels; k++)
		for (int64_t r = 0; r < c->y.taps; r++)
			for (int64_t s = 0; s < c->x.taps; s++) {
				int64_t iy = window_index(&c->y, oy, r), ix = window_index(&c->x, ox, s);
				bool inside = iy >= 0 && ix >= 0;
				int64_t at = ((image * c->channels + k) * c->y.size + iy) * c->x.size + ix;
				t->x[t->n] = inside ? oracle_number(b->data[x], at, b->t) : 0;
				t->w[t->n++] = oracle_number(
					b->data[w], ((f * c->channels + k) * c->y.taps + r) * c->x.taps + s, b->t);
			}
}

static double by_definition(const struct terms *t, enum lt_dtype type, bool stepwise, double *size)
{
	long double exact = 0;
	double sum = 0;
	volatile float step = 0;
	uint32_t whole = 0;

	*size = 0;
	for (int i = 0; i < t->n; i++) {
		volatile float p = (float)t->x[i] * (float)t->w[i];
		volatile double d = t->x[i] * t->w[i];
		sum += type == LT_F32 ? (double)p : d;
		exact += (long double)d;
		step += p;
		whole += (uint32_t)(int32_t)t->x[i] * (uint32_t)(int32_t)t->w[i];
		*size += fabs(d);
	}
	return type == LT_I32 ? (double)(int32_t)whole
		: type == LT_F32 ? (double)(stepwise ? step : (float)sum)
		: stepwise ? sum : (double)exact;
}

static bool is_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static struct oracle *make_conv(const struct conv *c, enum lt_dtype t, bool odd, lt_node *x, lt_node *w)
{
	struct oracle *b = oracle_open(t);
	lt_var image = lt_graph_var(b->g, "b", c->batch), k = lt_graph_var(b->g, "k", c->channels),
	       iy = lt_graph_var(b->g, "iy", c->y.size), ix = lt_graph_var(b->g, "ix", c->x.size),
	       f = lt_graph_var(b->g, "f", c->filters), r = lt_graph_var(b->g, "r", c->y.taps),
	       s = lt_graph_var(b->g, "s", c->x.taps), oy = lt_graph_var(b->g, "oy", c->y.out),
	       ox = lt_graph_var(b->g, "ox", c->x.out);
	uint64_t seed = 5 + (uint64_t)c->channels;
	double unit = t == LT_I32 ? 1 : 1 / 37.;

	*x = oracle_random(b, t, 4, (lt_var[]){ image, k, iy, ix }, &seed, unit);
	*w = oracle_random(b, t, 4, (lt_var[]){ f, k, r, s }, &seed, unit);
	int64_t n = lt__node_elems(b->g, *x);
	const double rare[] = { (double)INFINITY, (double)NAN, 1e-30 };
	for (int64_t i = 0; i < n && odd; i += 1 + n / 5)
		lt__store(b->data[*x], i, t, (union lt_scalar){ .f = (double)(t == LT_F32 ? (float)rare[i % 3] : rare[i % 3]) });
	lt_node tall = lt_graph_window(b->g, *x, 2, oy, r, c->y.stride, c->y.dilation, c->y.before, 0);
	lt_node wide = lt_graph_window(b->g, tall, 4, ox, s, c->x.stride, c->x.dilation, c->x.before, 0);
	lt_node product = lt_graph_contract(b->g, wide, *w, 3, (lt_var[]){ k, r, s });
	lt_node y = lt_graph_permute(b->g, product, 4, (int32_t[]){ 0, 3, 1, 2 });
	cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK, "%s", lt_context_message(b->ctx));
	return b;
}

static void check_conv(const struct conv *c, enum lt_dtype t, bool odd)
{
	enum { MODES = 4 };
	static const char *const name[] = { "reference", "with bounds", "stepwise", "random" };
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	lt_node x, w;
	struct oracle *b = make_conv(c, t, odd, &x, &w);
	int64_t n = c->batch * c->filters * c->y.out * c->x.out;
	struct terms *terms = malloc(sizeof *terms);

	for (int mode = 0; mode < MODES; mode++) {
		struct lt_evaluation *e;
		struct lt_eval_options o = { .mode = mode < 2 ? LT_EVAL_EXACT : mode == 2 ? LT_EVAL_NEAREST : LT_EVAL_RANDOM,
			.want_error = mode == 1, .seed = 3, .amplify = 8 };
		cr_assert_eq(lt_eval_with(b->g, b->source, &o, &e), LT_OK, "%s", lt_context_message(b->ctx));
		const double *error;
		const void *got = lt_eval_result(e, 0, &error);
		for (int64_t i = 0; i < n; i++) {
			double size, value = oracle_number(got, i, t);
			list_terms(b, c, x, w, i, terms);
			double want = by_definition(terms, t, mode == 2, &size), stepwise = by_definition(terms, t, true, &size);
			double unit = t == LT_I32 ? 0 : (terms->n + 2) * type->unit * size;
			bool good = is_same(value, want);
			if (mode == 3 && isfinite(want))
				good = fabs(value - want) <= 9 * unit;
			if (mode < 2 && t == LT_F64 && isfinite(want))
				good = fabs(value - want) <= 2 * type->unit * fabs(want);       /* long double rounds, too */
			cr_assert(good, "type %d, %s, element %lld: %.17g, not %.17g", (int)t, name[mode], (long long)i, value,
				want);
			if (mode == 1 && t != LT_I32)
				cr_assert(!isfinite(want)
						|| (fabs(stepwise - value) <= (error ? error[i] : 0) && (!error || error[i] <= 3 * unit + type->tiny * terms->n)),
					"type %d, element %lld: %g apart, bound %g", (int)t, (long long)i, fabs(stepwise - value), error ? error[i] : 0);
		}
		lt_eval_free(e);
	}
	free(terms);
	oracle_close(b);
}

Test(eval_windows, as_loops_say, .timeout = 120)
{
	for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
		check_conv(&convs[i], LT_F32, false);
		check_conv(&convs[i], LT_F64, false);
		check_conv(&convs[i], LT_I32, false);
	}
}

Test(eval_windows, infinities_and_nan, .timeout = 120)
{
	for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
		check_conv(&convs[i], LT_F32, true);
		check_conv(&convs[i], LT_F64, true);
	}
}

/* Products whose smallest are below the normal numbers of f32, and sums that come back from there. */
Test(eval_windows, subnormal_products)
{
	enum { N = 37, K = 29 };

	for (int mode = 0; mode < 2; mode++) {
		struct oracle *b = oracle_open(LT_F32);
		lt_var i = lt_graph_var(b->g, "i", N), j = lt_graph_var(b->g, "j", N), k = lt_graph_var(b->g, "k", K);
		uint64_t seed = 11;
		lt_node x = oracle_random(b, LT_F32, 2, (lt_var[]){ i, k }, &seed, 0x1p-70),
			w = oracle_random(b, LT_F32, 2, (lt_var[]){ k, j }, &seed, 0x1.8p-68);
		struct lt_evaluation *e;
		struct lt_eval_options o = { .mode = mode ? LT_EVAL_NEAREST : LT_EVAL_EXACT };
		cr_assert_eq(lt_graph_result(b->g, "y", lt_graph_contract(b->g, x, w, 1, &k)), LT_OK);
		cr_assert_eq(lt_eval_with(b->g, b->source, &o, &e), LT_OK);
		for (int64_t at = 0; at < N * N; at++) {
			double sum = 0;
			volatile float step = 0;
			for (int64_t d = 0; d < K; d++) {
				volatile float p = (float)(oracle_number(b->data[x], at / N * K + d, LT_F32)
					* oracle_number(b->data[w], d * N + at % N, LT_F32));
				sum += (double)p;
				step += p;
			}
			cr_assert_eq(oracle_number(lt_eval_result(e, 0, NULL), at, LT_F32), mode ? (double)step : (double)(float)sum);
		}
		lt_eval_free(e);
		oracle_close(b);
	}
}
