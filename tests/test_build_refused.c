/* test_build_refused.c -- composite operators that cannot be built: what is refused, failures that travel, memory
 * that runs out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "tests/oracle.h"

static const int64_t ones[4] = { 1, 1, 1, 1 }, none[4] = { 0, 0, 0, 0 };

static lt_node conv_with(
	struct oracle *b, int64_t channels, int64_t kernel, int64_t stride, int64_t pad, int64_t groups)
{
	lt_node x = TENSOR(b, 1, 1, 4, 5, 5), w = TENSOR(b, 1, 6, channels, kernel, kernel);

	return lt_build_conv2d(b->g, x, w, (int64_t[]){ stride, 1 }, (int64_t[]){ pad, 0, 0, 0 }, ones, groups, LT_NCHW);
}
static lt_node small_window(struct oracle *b) { return conv_with(b, 4, 7, 1, 0, 1); }
static lt_node no_stride(struct oracle *b) { return conv_with(b, 4, 3, 0, 0, 1); }
static lt_node negative_pad(struct oracle *b) { return conv_with(b, 4, 3, 1, -1, 1); }
static lt_node odd_groups(struct oracle *b) { return conv_with(b, 4, 3, 1, 0, 3); }
static lt_node wrong_channels(struct oracle *b) { return conv_with(b, 3, 3, 1, 0, 1); }
static lt_node no_groups(struct oracle *b) { return conv_with(b, 4, 3, 1, 0, 0); }
static lt_node huge_pad(struct oracle *b) { return conv_with(b, 4, 3, 1, INT64_MAX, 1); }
static lt_node flat_image(struct oracle *b)
{
	return lt_build_max_pool2d(b->g, TENSOR(b, 1, 4, 5, 5), ones, ones, none, ones, LT_NCHW);
}
static lt_node lost_window(struct oracle *b)
{
	return lt_build_average_pool2d(
		b->g, TENSOR(b, 1, 1, 1, 5, 5), (int64_t[]){ 2, 2 }, ones, (int64_t[]){ 2, 0, 0, 0 }, 0, LT_NCHW);
}
static lt_node inner(struct oracle *b) { return lt_build_matmul(b->g, TENSOR(b, 1, 2, 3), TENSOR(b, 1, 4, 5)); }
static lt_node ranks(struct oracle *b)
{
	return lt_build_matmul(b->g, TENSOR(b, 1, 2, 3), lt_graph_literal(b->g, LT_F32, 1));
}
static lt_node batch(struct oracle *b) { return lt_build_matmul(b->g, TENSOR(b, 1, 2, 3, 4), TENSOR(b, 1, 3, 4, 5)); }
static lt_node mixed(struct oracle *b)
{
	lt_node x = TENSOR(b, 1, 2, 3);

	b->t = LT_F64;
	return lt_build_matmul(b->g, x, TENSOR(b, 1, 3, 5));
}
static lt_node whole_softmax(struct oracle *b)
{
	b->t = LT_I32;
	return lt_build_softmax(b->g, TENSOR(b, 1, 3), 0);
}
static lt_node far_axis(struct oracle *b) { return lt_build_softmax(b->g, TENSOR(b, 1, 3), 1); }
static lt_node long_weight(struct oracle *b)
{
	return lt_build_rms_norm(b->g, TENSOR(b, 1, 2, 3), TENSOR(b, 1, 4), 1e-5);
}
static lt_node no_weight(struct oracle *b)
{
	return lt_build_rms_norm(b->g, TENSOR(b, 1, 2, 3), lt_graph_reshape(b->g, TENSOR(b, 1, 4), 1, ones), 1e-5);
}
static lt_node triple(struct oracle *b) { return lt_build_complex_mul(b->g, TENSOR(b, 1, 2, 3), TENSOR(b, 1, 2, 3)); }
static lt_node broad(struct oracle *b) { return lt_build_broadcast_to(b->g, TENSOR(b, 1, 2, 3), TENSOR(b, 1, 4, 3)); }
static lt_node keys(struct oracle *b)
{
	return lt_build_attention(b->g, TENSOR(b, 1, 3, 5), TENSOR(b, 1, 4, 6), TENSOR(b, 1, 4, 2), 1, 0);
}

Test(build_refused, refusals)
{
	static const struct { lt_node (*build)(struct oracle *); const char *says;
	} cases[] = {
		{ small_window, "window of 7 with dilation 1 reaches over 7 elements, but there are 0 + 5 + 0" },
		{ no_stride, "stride 0" },
		{ negative_pad, "pads -1 and 0" },
		{ odd_groups, "3 groups" },
		{ wrong_channels, "4 channels, weights from 3 to 6 channels" },
		{ no_groups, "0 groups" },
		{ huge_pad, "exceeds 63 bits" },
		{ flat_image, "rank 4" },
		{ lost_window, "pads must be smaller than the window" },
		{ inner, "Incompatible shapes for matrix multiplication" },
		{ ranks, "Incompatible shapes for matrix multiplication" },
		{ batch, "Incompatible shapes for matrix multiplication" },
		{ mixed, "Different value types" },
		{ whole_softmax, "floating type" },
		{ far_axis, "axis 1" },
		{ long_weight, "RMS norm" },
		{ no_weight, "" },
		{ triple, "last dim of 2" },
		{ broad, "does not broadcast" },
		{ keys, "attention needs" },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct oracle *b;
		b = oracle_open(LT_F32);
		lt_graph_at(b->g, 3, 7);
		cr_expect_eq(cases[i].build(b), -1, "case %d", i);
		cr_expect(strstr(lt_context_message(b->ctx), cases[i].says), "case %d says: %s", i, lt_context_message(b->ctx));
		cr_expect(strstr(lt_context_message(b->ctx), "3:7"), "case %d says no place: %s", i, lt_context_message(b->ctx));
		oracle_close(b);
	}
}

/* A failed operand gives a failed node and keeps the first sentence. */
Test(build_refused, failure_travels)
{
	struct oracle *b;

	b = oracle_open(LT_F32);
	lt_node x = TENSOR(b, 1, 1, 1, 4, 4), bad = lt_build_softmax(b->g, x, 9);
	char first[256];
	snprintf(first, sizeof first, "%s", lt_context_message(b->ctx));
	lt_var v = lt_node_dim(b->g, x, 0);
	lt_node whole = oracle_input(b, LT_I32, 2, (lt_var[]){ lt_node_dim(b->g, x, 2), lt_node_dim(b->g, x, 3) }, NULL);
	const struct lt_requant shift = { .kind = LT_REQUANT_SHIFT, .shift = bad, .most = 1, .to = LT_I8 };
	const struct lt_requant by = { .kind = LT_REQUANT_MULTIPLIER, .rounding = LT_ROUND_UP, .by = bad, .shift = whole,
		.most = 1, .to = LT_I8 };
	const struct lt_requant step = { .kind = LT_REQUANT_STEP, .by = bad, .most = 1, .to = LT_I8 };
	const struct lt_fixed_product plain = { .zero_b = LT_OMIT, .bias = LT_OMIT },
		biased = { .zero_b = LT_OMIT, .bias = bad }, apart = { .zero_b = bad, .bias = LT_OMIT };
	const struct lt_fixed_window window = { { 1, 1 }, { 0 }, { 1, 1 }, 1, LT_NCHW };
	const lt_node results[] = {
		lt_build_requant(b->g, bad, &shift),
		lt_build_requant(b->g, whole, &shift),
		lt_build_requant(b->g, whole, &by),
		lt_build_requant(b->g, whole, &step),
		lt_build_fixed_matmul(b->g, bad, whole, &plain, NULL),
		lt_build_fixed_matmul(b->g, whole, bad, &plain, NULL),
		lt_build_fixed_matmul(b->g, whole, whole, &biased, NULL),
		lt_build_fixed_matmul(b->g, whole, whole, &apart, NULL),
		lt_build_fixed_conv2d(b->g, bad, whole, &window, &plain, NULL),
		lt_build_fixed_conv2d(b->g, whole, bad, &window, &plain, NULL),
		lt_build_table(b->g, bad, whole),
		lt_build_table(b->g, whole, bad),
		lt_build_fixed_exp(b->g, bad, whole, whole),
		lt_build_fixed_sigmoid(b->g, whole, bad, whole),
		lt_build_fixed_tanh(b->g, whole, whole, bad),
		lt_build_fixed_softmax(b->g, bad, whole, whole, 0),
		lt_build_fixed_l2_norm(b->g, bad, 0),
		lt_build_relu(b->g, bad),
		lt_build_silu(b->g, bad),
		lt_build_gelu(b->g, bad),
		lt_build_mean(b->g, bad, 1, &v),
		lt_build_softmax(b->g, bad, 0),
		lt_build_sliced_softmax(b->g, bad, 0),
		lt_build_layer_norm(b->g, bad, LT_OMIT, LT_OMIT, 1),
		lt_build_rms_norm(b->g, bad, x, 1),
		lt_build_rms_norm(b->g, x, bad, 1),
		lt_build_matmul(b->g, bad, x),
		lt_build_matmul(b->g, x, bad),
		lt_build_conv2d(b->g, bad, x, ones, none, ones, 1, LT_NCHW),
		lt_build_conv2d(b->g, x, bad, ones, none, ones, 1, LT_NCHW),
		lt_build_max_pool2d(b->g, bad, ones, ones, none, ones, LT_NCHW),
		lt_build_average_pool2d(b->g, bad, ones, ones, none, 0, LT_NHWC),
		lt_build_attention(b->g, x, bad, x, 1, 0),
		lt_build_complex_mul(b->g, x, bad),
		lt_build_broadcast_to(b->g, bad, x),
	};
	for (int i = 0; i < COUNT(results); i++)
		cr_expect_eq(results[i], -1, "case %d", i);
	cr_expect_str_eq(lt_context_message(b->ctx), first);
	oracle_close(b);
}

/* Every allocation fails once: an error and no leak. */
static lt_status build_and_run(struct lt_graph *g)
{
	float data[256] = { 0 };
	const void *source[64] = { NULL };
	struct lt_evaluation *e;
	lt_var dims[4];

	for (int i = 0; i < 4; i++)
		dims[i] = lt_graph_var(g, NULL, 4);
	lt_node x = lt_graph_input(g, "x", LT_F32, 4, dims);
	lt_node y = lt_build_conv2d(g, x, x, ones, (int64_t[]){ 1, 2, 3, 4 }, ones, 1, LT_NCHW);
	y = lt_build_attention(g, y, y, y, 1, 1);
	y = lt_build_layer_norm(g, y, LT_OMIT, LT_OMIT, 1e-5);
	lt_status status = lt_graph_result(g, "y", y);
	if (!status) {
		source[x] = data;
		status = lt_eval(g, source, true, &e);
	}
	if (!status)
		lt_eval_free(e);
	return status;
}

Test(build_refused, allocation_failure)
{
	long n = 0;

	for (lt_status status = LT_ENOMEM; status; n++) {
		struct oracle_ration r = { .left = n };
		struct lt_context *ctx = NULL;
		struct lt_graph *g = NULL;

		status = lt_context_new_with(oracle_rationed, &r, &ctx);
		if (!status)
			status = lt_graph_new(ctx, &g);
		if (!status)
			status = build_and_run(g);
		cr_assert(status == LT_OK || status == LT_ENOMEM, "allocation %ld: %s", n, lt_context_message(ctx));
		lt_graph_free(g);
		lt_context_free(ctx);
		cr_assert_eq(r.live, 0, "allocation %ld leaks", n);
	}
	cr_assert_gt(n, 10);
}
