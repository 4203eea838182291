/* The composite operators (ir/build/), evaluated by the oracle, against NumPy's numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/data/composites.h"
#include "tests/oracle.h"

static lt_node values(struct oracle *b, const double *from, int32_t n, const int64_t *shape)
{
	lt_node x = oracle_tensor(b, 0, n, shape);

	oracle_fill(b, x, from);
	return x;
}

static bool near(double got, double want, double tolerance)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || isinf(got))
		return want == got;
	return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

/* y must have these elements; the bound that the oracle gives must be finite and of the same order. */
static void expect(struct oracle *b, const char *what, lt_node y, int64_t elems, const double *want, double tolerance)
{
	const double *error;

	cr_assert_geq(y, 0, "%s: %s", what, lt_context_message(b->ctx));
	cr_assert_eq(lt__node_elems(b->g, y), elems, "%s: %lld elements", what, (long long)lt__node_elems(b->g, y));
	cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt_graph_verify(b->g), LT_OK, "%s: %s", what, lt_context_message(b->ctx));
	cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK, "%s: %s", what, lt_context_message(b->ctx));
	const void *got = lt_eval_result(b->e, 0, &error);
	for (int64_t i = 0; i < elems; i++) {
		union lt_scalar s = lt__load(got, i, lt_node_dtype(b->g, y));
		double value = lt__dtype_info(lt_node_dtype(b->g, y))->cls == LT_CLASS_FLOAT ? s.f : (double)s.i;
		cr_assert(near(value, want[i], tolerance), "%s: element %lld is %.9g, not %.9g", what, (long long)i, value, want[i]);
		cr_assert(error[i] <= 512 * tolerance * fmax(1, fabs(want[i])), "%s: element %lld, %.9g, has error bound %g", what,
			(long long)i, value, error[i]);
	}
}
#define F32 2e-6

/* ---- images ---- */

static lt_node image(struct oracle *b, int64_t seed, const struct image_case *c, enum lt_layout layout)
{
	lt_node x = TENSOR(b, seed, c->n, c->c, c->h, c->w);

	/* the same image with its axes in another order: a permuted view */
	return layout == LT_NCHW ? x : lt_graph_permute(b->g, x, 4, (int32_t[]){ 0, 2, 3, 1 });
}

static int64_t result_elems(
	const struct oracle *b, lt_node y, const struct image_case *c, int64_t channels, enum lt_layout layout)
{
	int64_t h = (c->h + c->top + c->bottom - c->dh * (c->kh - 1) - 1) / c->sh + 1;
	int64_t w = (c->w + c->left + c->right - c->dw * (c->kw - 1) - 1) / c->sw + 1;
	int64_t nchw[4] = { c->n, channels, h, w }, nhwc[4] = { c->n, h, w, channels };

	cr_assert_eq(lt_node_rank(b->g, y), 4, "%s", lt_context_message(b->ctx));
	for (int32_t i = 0; i < 4; i++)
		cr_assert_eq(lt_var_extent(b->g, lt_node_dim(b->g, y, i)), (layout == LT_NCHW ? nchw : nhwc)[i]);
	return c->n * channels * h * w;
}

static void try_conv(const struct image_case *c, int index, enum lt_layout layout, enum lt_dtype t, double tolerance)
{
	struct oracle *b;
	char what[64];

	snprintf(what, sizeof what, "conv %d layout %d %s", index, (int)layout, lt__dtype_info(t)->name);
	b = oracle_open(t);
	lt_node x = image(b, 1, c, layout), w = TENSOR(b, 2, c->o, c->c / c->g, c->kh, c->kw);
	if (layout == LT_NHWC)
		w = lt_graph_permute(b->g, w, 4, (int32_t[]){ 2, 3, 1, 0 });
	lt_node y = lt_build_conv2d(b->g, x, w, (int64_t[]){ c->sh, c->sw },
		(int64_t[]){ c->top, c->left, c->bottom, c->right }, (int64_t[]){ c->dh, c->dw }, c->g, layout);
	int64_t elems = result_elems(b, y, c, c->o, layout);
	if (layout == LT_NHWC)
		y = lt_graph_permute(b->g, y, 4, (int32_t[]){ 0, 3, 1, 2 });
	cr_assert_eq(lt_node_dtype(b->g, y), t);
	expect(b, what, y, elems, c->conv, tolerance);
	oracle_close(b);
}

Test(build, conv2d)
{
	for (int i = 0; i < COUNT(convs); i++) {
		try_conv(&convs[i], i, LT_NCHW, LT_F32, F32);
		try_conv(&convs[i], i, LT_NHWC, LT_F32, F32);
		try_conv(&convs[i], i, LT_NCHW, LT_F64, 1e-8);
	}
	try_conv(&convs[7], 7, LT_NHWC, LT_F16, 0.01);
}

/* kind: 0 max, 1 average over the image, 2 average that counts the padding */
static void try_pool(
	const struct image_case *c, int index, int kind, enum lt_layout layout, enum lt_dtype t, double tolerance)
{
	struct oracle *b;
	char what[64];
	int64_t window[2] = { c->kh, c->kw }, strides[2] = { c->sh, c->sw },
		pads[4] = { c->top, c->left, c->bottom, c->right };

	snprintf(what, sizeof what, "pool %d kind %d layout %d %s", index, kind, (int)layout, lt__dtype_info(t)->name);
	b = oracle_open(t);
	lt_node x = image(b, 3, c, layout), y;
	if (kind == 0)
		y = lt_build_max_pool2d(b->g, x, window, strides, pads, (int64_t[]){ c->dh, c->dw }, layout);
	else
		y = lt_build_average_pool2d(b->g, x, window, strides, pads, kind == 2, layout);
	int64_t elems = result_elems(b, y, c, c->c, layout);
	if (layout == LT_NHWC)
		y = lt_graph_permute(b->g, y, 4, (int32_t[]){ 0, 3, 1, 2 });
	cr_assert_eq(lt_node_dtype(b->g, y), t);
	expect(b, what, y, elems, kind == 0 ? c->max : kind == 1 ? c->average : c->average_counted, tolerance);
	oracle_close(b);
}

Test(build, pools)
{
	for (int i = 0; i < COUNT(pools); i++)
		for (int kind = 0; kind < 3; kind++) {
			try_pool(&pools[i], i, kind, LT_NCHW, LT_F32, F32);
			try_pool(&pools[i], i, kind, LT_NHWC, LT_F32, F32);
			try_pool(&pools[i], i, kind, LT_NHWC, LT_F16, 0.01);
		}
	for (int i = 0; i < COUNT(dilated); i++) {
		try_pool(&dilated[i], i, 0, LT_NCHW, LT_F32, F32);
		try_pool(&dilated[i], i, 0, LT_NHWC, LT_BF16, 0.02);
	}
}

/* A padded maximum over negative values is none of the padding, in any type. */
Test(build, max_pool_fill)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F16, LT_BF16, LT_F64, LT_I8, LT_I16, LT_I32, LT_I64 };
	static const double x[4] = { -3, -1, -4, -2 }, want[9] = { -3, -1, -1, -3, -1, -1, -4, -2, -2 };

	for (int i = 0; i < COUNT(types); i++) {
		struct oracle *b;
		b = oracle_open(types[i]);
		lt_node image_x = values(b, x, 4, (int64_t[]){ 1, 1, 2, 2 });
		lt_node y = lt_build_max_pool2d(b->g, image_x, (int64_t[]){ 2, 2 }, (int64_t[]){ 1, 1 }, (int64_t[]){ 1, 1, 1, 1 },
			(int64_t[]){ 1, 1 }, LT_NCHW);
		expect(b, lt__dtype_info(types[i])->name, y, 9, want, 0);
		oracle_close(b);
	}
}

/* ---- rows ---- */

Test(build, activations)
{
	static const struct { lt_node (*build)(struct lt_graph *, lt_node); const double *want; } cases[] = {
		{ lt_build_relu, special_relu }, { lt_build_silu, special_silu }, { lt_build_gelu, special_gelu },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		static const struct {
			enum lt_dtype t;
			double tolerance;
		} types[] = { { LT_F32, F32 }, { LT_F64, 1e-8 }, { LT_F16, 1e-3 } };
		for (int k = 0; k < 3; k++) {
			struct oracle *b;
			b = oracle_open(types[k].t);
			lt_node x = values(b, special, 1, (int64_t[]){ COUNT(special) });
			expect(b, lt__dtype_info(types[k].t)->name, cases[i].build(b->g, x), COUNT(special),
				cases[i].want, types[k].tolerance);
			oracle_close(b);
		}
	}
}

Test(build, softmax)
{
	static const double *const want[3] = { softmax_0, softmax_1, softmax_2 };
	struct oracle *b;

	for (int32_t axis = 0; axis < 3; axis++) {
		b = oracle_open(LT_F32);
		expect(b, "softmax", lt_build_softmax(b->g, TENSOR(b, 4, 3, 5, 7), axis), 105, want[axis], F32);
		oracle_close(b);
		b = oracle_open(LT_F16);
		expect(b, "softmax of halves", lt_build_softmax(b->g, TENSOR(b, 4, 3, 5, 7), axis), 105, want[axis], 1e-3);
		oracle_close(b);
	}
	b = oracle_open(LT_F32);
	expect(b, "softmax of odd rows", lt_build_softmax(b->g, values(b, softmax_rows, 2, (int64_t[]){ 6, 3 }), 1), 18,
		softmax_rows_want, F32);
	oracle_close(b);
}

static lt_param scalar(struct oracle *b, int64_t value, int64_t high)
{
	lt_var one = lt_graph_var(b->g, NULL, 1);

	return lt_graph_param(b->g, oracle_input(b, LT_I64, 1, &one, &value), 0, 0, high);
}

Test(build, sliced_softmax)
{
	static const struct { int64_t prefix; const double *want; } cases[] = {
		{ 0, sliced_softmax_0 }, { 1, sliced_softmax_1 }, { 4, sliced_softmax_4 }, { 7, sliced_softmax_7 },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b;
		b = oracle_open(LT_F32);
		lt_param prefix = scalar(b, cases[i].prefix, 7);
		lt_node x = TENSOR(b, 4, 3, 5, 7);
		expect(b, "sliced softmax", lt_build_sliced_softmax(b->g, x, prefix), 105, cases[i].want, F32);
		oracle_close(b);
	}
}

Test(build, norms)
{
	struct oracle *b;

	for (int kind = 0; kind < 4; kind++) {
		b = oracle_open(kind == 3 ? LT_BF16 : LT_F32);
		lt_node x = TENSOR(b, 4, 3, 5, 7), w = TENSOR(b, 5, 7), c = TENSOR(b, 6, 7), y;
		if (kind == 0)
			y = lt_build_layer_norm(b->g, x, LT_OMIT, LT_OMIT, 1e-5);
		else if (kind == 1)
			y = lt_build_layer_norm(b->g, x, w, c, 1e-5);
		else
			y = lt_build_rms_norm(b->g, x, w, 1e-5);
		expect(b, "norm", y, 105, kind == 0 ? layer_norm_plain : kind == 1 ? layer_norm_affine : rms_norm,
			kind == 3 ? 0.03 : 2 * F32);
		oracle_close(b);
	}
}

Test(build, mean)
{
	struct oracle *b;

	b = oracle_open(LT_F32);
	lt_node x = TENSOR(b, 4, 3, 5, 7);
	expect(b, "mean", lt_build_mean(b->g, x, 2, (lt_var[]){ lt_node_dim(b->g, x, 0), lt_node_dim(b->g, x, 2) }), 5,
		mean_02, F32);
	oracle_close(b);
	/* over an axis that a run-time scalar bounds; over none of it a mean is not a number */
	for (int64_t end = 0; end <= 3; end += 3) {
		double want[15];
		for (int i = 0; i < 15; i++)
			want[i] = end ? mean_prefix_3[i] : NAN;
		b = oracle_open(LT_F32);
		lt_param p = scalar(b, end, 7);
		x = lt_graph_slice_bounded(b->g, TENSOR(b, 4, 3, 5, 7), 2, LT_OMIT, p);
		lt_var v = lt_node_dim(b->g, x, 2);
		expect(b, "mean of a prefix", lt_build_mean(b->g, x, 1, &v), 15, want, F32);
		oracle_close(b);
	}
}

/* ---- products ---- */

Test(build, matmul)
{
	struct oracle *b;

	b = oracle_open(LT_F32);
	expect(b, "vector", lt_build_matmul(b->g, TENSOR(b, 1, 5), TENSOR(b, 2, 5, 7)), 7, matmul_12, F32);
	oracle_close(b);
	b = oracle_open(LT_F32);
	expect(b, "matrix", lt_build_matmul(b->g, TENSOR(b, 1, 3, 5), TENSOR(b, 2, 5, 7)), 21, matmul_22, F32);
	oracle_close(b);
	b = oracle_open(LT_F64);
	expect(b, "batch", lt_build_matmul(b->g, TENSOR(b, 1, 2, 3, 5), TENSOR(b, 2, 2, 5, 7)), 42, matmul_33, 1e-8);
	oracle_close(b);
	b = oracle_open(LT_F16);
	expect(b, "halves", lt_build_matmul(b->g, TENSOR(b, 1, 2, 3, 5), TENSOR(b, 2, 2, 5, 7)), 42, matmul_33, 2e-3);
	oracle_close(b);
	b = oracle_open(LT_F32);         /* both operands are one node: its vars must be distinguished */
	lt_node x = TENSOR(b, 1, 5, 5);
	expect(b, "square", lt_build_matmul(b->g, x, x), 25, matmul_square, F32);
	oracle_close(b);
}

Test(build, complex_mul)
{
	struct oracle *b;

	b = oracle_open(LT_F32);
	expect(b, "complex", lt_build_complex_mul(b->g, TENSOR(b, 7, 3, 5, 2), TENSOR(b, 8, 1, 5, 2)), 30, complex_mul, F32);
	oracle_close(b);
}

static lt_node quarter(struct oracle *b, lt_node x)
{
	return lt_graph_binary(b->g, "mul", x, lt_graph_literal(b->g, b->t, 0.25));
}

Test(build, attention)
{
	static const struct {
		enum lt_dtype t;
		double tolerance;
	} types[] = { { LT_F32, F32 }, { LT_F64, 1e-8 }, { LT_F16, 0.01 } };

	for (int i = 0; i < COUNT(types); i++)
		for (int causal = 0; causal < 2; causal++) {
			struct oracle *b;
			b = oracle_open(types[i].t);
			lt_node q = quarter(b, TENSOR(b, 1, 2, 3, 5)), k = quarter(b, TENSOR(b, 2, 2, 4, 5));
			expect(b, causal ? "causal" : "attention", lt_build_attention(b->g, q, k, TENSOR(b, 3, 2, 4, 3), 0.25, causal), 18,
				causal ? attention_causal : attention_plain, types[i].tolerance);
			oracle_close(b);
		}
}

/* One node as query, key and value; and keys up to a run-time scalar. */
Test(build, attention_shared)
{
	struct oracle *b;

	b = oracle_open(LT_F32);
	lt_node x = quarter(b, TENSOR(b, 1, 2, 3, 5));
	expect(b, "self attention", lt_build_attention(b->g, x, x, x, 0.5, 1), 30, attention_self, F32);
	oracle_close(b);
	for (int causal = 0; causal < 2; causal++) {
		b = oracle_open(LT_F32);
		lt_param filled = scalar(b, causal ? 4 : 2, 4);
		lt_node q = quarter(b, TENSOR(b, 1, 2, 3, 5));
		lt_node k = lt_graph_slice_bounded(b->g, quarter(b, TENSOR(b, 2, 2, 4, 5)), 1, LT_OMIT, filled);
		lt_node v = lt_graph_slice_bounded(b->g, TENSOR(b, 3, 2, 4, 3), 1, LT_OMIT, filled);
		expect(b, "attention to a prefix", lt_build_attention(b->g, q, k, v, 0.25, causal), 18,
			causal ? attention_causal : attention_first_2, F32);
		oracle_close(b);
	}
}
