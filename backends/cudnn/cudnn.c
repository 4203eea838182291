/* cudnn.c -- the backend cudnn: the backend cuda with NVIDIA's library of convolutions, norms and attention.
 *
 * Everything is cuda's, its options too, and what is handed over to `cudnn.graph` goes to the library: a convolution
 * or a product with what is behind it, a norm, attention.  More options:
 *   exact             what the graph rounds between two operators is no such call: the library does not round there
 *   workspace=BYTES   plans need at most so much memory beside their operands
 *   try=N             of the first N plans that are right the fastest is used, and kept
 *   only              what is no call of the library's is refused
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"

/* What default trees hand over is of a form that was measured (H200, cuDNN 9.14); anything else in a schedule.
 *
 * layers: ResNet-50's, batches of 1 and of 32, without groups, of which the library has slow plans alone.
 * layers_f32: those of true float32 with what is behind them.  512 channels by 3x3 at 7x7, batch 32, take 350 us with
 * it, and 310 alone and by a kernel; with stride 2 429 and 340; batch 1 the same either way (section 1, b and two b).
 * squares: windows of one element.  fused_squares: where the fused graph is ahead of cuBLAS, as chain.c has it, and 64
 * to 256 channels at 56x56, batch 32, where another engine is (wished.c).
 * fused: any operators behind, against the convolution and a kernel for them (section 2, gen against two).  3x3, batch
 * 32: 19.5 us for 29.8 with 64 channels at 56x56, 17.5 for 18.6 with 512 at 7x7; batch 1: 4.1 for 6.3, 7.9 for 9.1 with
 * 256 at 14x14, but 13.4 for 12.7 with 512 at 7x7.  TF32: 36.4 for 52.0, 27.5 for 36.9; batch 1: 8.8 for 9.4 with 128
 * at 28x28, but 13.3 for 12.1 with 256 at 14x14.
 * depthwise: 3x3, 5x5 and 7x7, from 32 channels at 112x112 to 960 at 7x7: 1.2 to 3.1 times as fast as PyTorch.  In
 * float32, with ReLU6, the 17 of MobileNetV2 take 284 us at batch 32 (1.6e7 operations and more each), 557 by generated
 * kernels, but at batch 1 (8.1e6 and less) 53 and 47. */
enum { MIN_FLOPS = 20000000, MIN_DEPTHWISE = 800000, MIN_DEPTHWISE_F32 = 10000000, MIN_STRIDED_F32 = 100000000 };
#define BY_HAND INT64_MAX
/* Of a product, whose positions are its rows or its columns. */
#define EITHER(from, to, few, many, shallow, deepest) \
	{ .batch = { 1, 1 }, .row = { from, to }, .column = { few, many }, .deep = { shallow, deepest } }, \
	{ .batch = { 1, 1 }, .row = { few, many }, .column = { from, to }, .deep = { shallow, deepest } }
static const struct lt_routine_shape layers[] = { { .batch = { 1, 1 }, .row = { 49, 0 }, .column = { 64, 0 } } },
	layers_f32[] = { { .batch = { 1, 1 }, .row = { 49, 0 }, .column = { 64, 0 }, .deep = { 1, 511 } },
		{ .batch = { 1, 1 }, .row = { 49, 783 }, .column = { 64, 0 } },
		{ .batch = { 1, 1 }, .row = { 1569, 0 }, .column = { 64, 0 } },
		{ .batch = { 1, 1 }, .row = { 49, 0 }, .column = { 64, 0 }, .window = { 1, 8 } } },
	squares[] = { EITHER(49, 0, 64, 0, 64, 0) },
	fused_squares[] = { EITHER(196, 6272, 256, 1024, 64, 256), EITHER(25088, 0, 64, 256, 256, 512),
		EITHER(100352, 0, 256, 256, 64, 64) },
	fused_squares_tf32[] = { EITHER(49, 3136, 64, 1024, 64, 256) },
	fused[] = { { .batch = { 1, 1 }, .row = { 196, 0 }, .column = { 64, 512 }, .deep = { 64, 512 }, .window = { 9, 9 } } },
	fused_tf32[] = { { .batch = { 1, 1 }, .row = { 784, 0 }, .column = { 64, 512 }, .deep = { 64, 512 },
		.window = { 9, 9 } } },
	depthwise[] = { { .batch = { 32, 960 }, .row = { 49, 0 }, .column = { 1, 1 }, .deep = { 1, 1 }, .window = { 9, 9 } },
		{ .batch = { 144, 240 }, .row = { 784, 0 }, .column = { 1, 1 }, .deep = { 1, 1 }, .window = { 25, 25 } },
		{ .batch = { 96, 96 }, .row = { 3136, 0 }, .column = { 1, 1 }, .deep = { 1, 1 }, .window = { 49, 49 } } };
#define OP(name) (UINT64_C(1) << LT_OPCODE_##name)
#define PLAIN OP(add) | OP(max), .max_ops = 3, .max_reads = 4, .max_results = 1
/* What chain.c has operations for. */
#define ARITHMETIC (OP(add) | OP(sub) | OP(mul) | OP(div) | OP(neg) | OP(abs) | OP(min) | OP(max) | OP(reciprocal) \
	| OP(exp) | OP(log) | OP(sqrt) | OP(rsqrt) | OP(tanh) | OP(sigmoid) | OP(erf) | OP(sin) | OP(cos) | OP(floor) \
	| OP(ceil))
#define CHOICE (OP(eq) | OP(ne) | OP(less) | OP(lessequal) | OP(greater) | OP(greaterequal) | OP(select))
#define CHAIN ARITHMETIC | CHOICE, .max_ops = 24, .max_reads = 10, .max_results = 2
#define ROW(anchor, type, order, from, which, leave, ...) \
	{ .name = "cudnn.graph", .pattern = LT_PATTERN_GRAPH, .left = 1u << (type), .right = 1u << (type), \
		.result = 1u << (type), .sum = LT_F32, .layouts = LT_LAYOUT_BATCH | (order), .min_flops = (from), \
		.anchors = 1u << (anchor), .behind = __VA_ARGS__, \
		.wide = (leave), .shapes = { which, sizeof which / sizeof *which, sizeof *which } }
#define CONVOLUTION(type, order, from, which, leave, ...) \
	ROW(LT_ANCHOR_CONVOLUTION, type, LT_LAYOUT_##order, from, which, leave, __VA_ARGS__)
#define PRODUCT(type, order, from, which, leave, ...) \
	ROW(LT_ANCHOR_PRODUCT, type, LT_LAYOUT_##order, from, which, leave, __VA_ARGS__)
/* Halves are fast with channels inside alone; of float32 the library takes any order.  Windows of one element are
 * products: those of float32 are faster by cuBLAS.  TF32: the very first row, the last two of LAYERS and the last
 * product, which there are with `tf32` alone.
 * Two products side by side are of halves: of TF32 they take 13 to 18 times as long as one after the other.  Chains
 * behind products are by hand: float16, 128 x 768 x 3072, SiLU 26.4 us for 16.2 by cuBLAS and a kernel, GELU by erf
 * 30.2 for 17.2, SiLU of a product of two sums 56.2 for 22.2; 4096 x 4096 x 4096, SiLU 271 for 226, erf 215 for 222. */
#define FIRST(leave) CONVOLUTION(LT_F32, CHANNELS_LAST, MIN_FLOPS, layers, leave, PLAIN)
#define LAYERS(leave) \
	CONVOLUTION(LT_F32, ANY, MIN_FLOPS, layers_f32, leave, PLAIN), \
	CONVOLUTION(LT_F32, ANY, MIN_FLOPS, layers, leave, 0), \
	CONVOLUTION(LT_F16, CHANNELS_LAST, MIN_FLOPS, layers, leave, PLAIN), \
	CONVOLUTION(LT_BF16, CHANNELS_LAST, MIN_FLOPS, layers, leave, PLAIN), \
	CONVOLUTION(LT_F32, CHANNELS_LAST, MIN_DEPTHWISE_F32, depthwise, leave, CHAIN), \
	CONVOLUTION(LT_F16, CHANNELS_LAST, MIN_DEPTHWISE, depthwise, leave, CHAIN), \
	CONVOLUTION(LT_BF16, CHANNELS_LAST, MIN_DEPTHWISE, depthwise, leave, 0), \
	CONVOLUTION(LT_F16, CHANNELS_LAST, MIN_FLOPS, fused, leave, CHAIN), \
	CONVOLUTION(LT_BF16, CHANNELS_LAST, MIN_FLOPS, fused, leave, CHAIN), \
	PRODUCT(LT_F16, CHANNELS_LAST, MIN_FLOPS, fused_squares, leave, PLAIN), \
	PRODUCT(LT_BF16, CHANNELS_LAST, MIN_FLOPS, fused_squares, leave, PLAIN), \
	CONVOLUTION(LT_F32, CHANNELS_LAST, MIN_FLOPS, fused_tf32, leave, CHAIN), \
	PRODUCT(LT_F32, CHANNELS_LAST, MIN_FLOPS, fused_squares_tf32, leave, PLAIN)
#define SQUARES(leave) \
	PRODUCT(LT_F16, CHANNELS_LAST, MIN_FLOPS, squares, leave, PLAIN), \
	PRODUCT(LT_BF16, CHANNELS_LAST, MIN_FLOPS, squares, leave, PLAIN), \
	PRODUCT(LT_F32, CHANNELS_LAST, MIN_STRIDED_F32, squares, leave, PLAIN), \
	PRODUCT(LT_F32, ANY, BY_HAND, squares, leave, PLAIN), \
	PRODUCT(LT_F16, BATCH, BY_HAND, squares, leave, CHAIN, .before = ARITHMETIC, .max_anchors = 2), \
	PRODUCT(LT_BF16, BATCH, BY_HAND, squares, leave, CHAIN, .before = ARITHMETIC, .max_anchors = 2), \
	PRODUCT(LT_F32, BATCH, BY_HAND, squares, leave, CHAIN, .before = ARITHMETIC)
/* Norms of halves of 128x768 and 8192x4096, and the RMS norm of 1x4096: 8192x4096 of float16 in 50 us where generated
 * kernels take 183 (layer norm) and 274 (RMS).  In float32 those are ahead: 79 and 73 for 84 and 85.  Layer norms, of
 * two sums, of few rows are by hand: by itself a plan of 128x768 takes 7.9 us for 11.8, but BERT-base of float16 and of
 * one text 0.559 ms for 0.510, where a generated kernel's blocks come while the product before it still runs; of 16
 * texts 1.17 for 1.21. */
static const struct lt_routine_shape lengths[] = { { .row = { 2048, 8192 }, .deep = { 768, 4096 }, .window = { 2, 2 } },
	{ .row = { 128, 8192 }, .deep = { 768, 4096 }, .window = { 1, 1 } },
	{ .row = { 1, 1 }, .deep = { 4096, 4096 }, .window = { 1, 1 } } };
#define NORM(type, from, leave) \
	{ .name = "cudnn.graph", .pattern = LT_PATTERN_GRAPH, .left = 1u << (type), .right = 1u << (type), \
		.result = 1u << (type), .sum = LT_F32, .layouts = LT_LAYOUT_BATCH, .min_flops = (from), \
		.anchors = 1u << LT_ANCHOR_NORM, \
		.behind = OP(add) | OP(mul) | OP(div) | OP(sqrt) | OP(rsqrt) | OP(reciprocal) | OP(pow), .max_ops = 8, \
		.max_reads = 3, .max_results = 1, .wide = (leave), \
		.shapes = { lengths, sizeof lengths / sizeof *lengths, sizeof *lengths } }
#define NORMS(leave) NORM(LT_F32, BY_HAND, leave), NORM(LT_F16, 0, leave), NORM(LT_BF16, 0, leave)
/* Of halves, from 12 heads of 64 queries, 128 to 16,384 keys, 32 to 256 elements, BERT's mask among them; one query was
 * measured with plans that are not used.  In float32 one size was measured; by hand, too, those whose mask is made,
 * and those by lengths: no plan of ours by lengths has passed its trial on a device. */
static const struct lt_routine_shape heads[] = { { .batch = { 12, 0 }, .row = { 64, 0 }, .column = { 32, 256 },
	.deep = { 32, 256 }, .window = { 128, 16384 } } };
#define ATTENTION(type, which, from, leave) \
	{ .name = "cudnn.graph", .pattern = LT_PATTERN_GRAPH, .left = 1u << (type), .right = 1u << (type), \
		.result = 1u << (type), .sum = LT_F32, .layouts = LT_LAYOUT_ANY | LT_LAYOUT_BATCH, .min_flops = (from), \
		.anchors = 1u << LT_ANCHOR_ATTENTION, .before = OP(mul) | OP(div), .scores = (which), .max_ops = 2, \
		.max_reads = 8, .max_results = 1, .wide = (leave), .shapes = { heads, sizeof heads / sizeof *heads, sizeof *heads } }
#define SCORES (1u << LT_SCORES_ALL | 1u << LT_SCORES_CAUSAL | 1u << LT_SCORES_MASKED)
#define COMPUTED (1u << LT_SCORES_COMPUTED | 1u << LT_SCORES_LENGTHS | 1u << LT_SCORES_CAUSAL_LENGTHS)
#define ATTENTIONS(leave) \
	ATTENTION(LT_F16, SCORES, 0, leave), ATTENTION(LT_BF16, SCORES, 0, leave), \
	ATTENTION(LT_F32, SCORES | COMPUTED, BY_HAND, leave), \
	ATTENTION(LT_F16, COMPUTED, BY_HAND, leave), ATTENTION(LT_BF16, COMPUTED, BY_HAND, leave)
enum { N_LAYER = 22, N_SQUARE = 7, N_ROW = N_LAYER + N_SQUARE };
static const struct lt_routine loose[N_ROW] = { FIRST(1), NORMS(1), ATTENTIONS(1), LAYERS(1), SQUARES(1) },
	exact[N_ROW] = { FIRST(0), NORMS(0), ATTENTIONS(0), LAYERS(0), SQUARES(0) };

static void cudnn_more_close(struct lt_session *s)
{
	struct lt_cudnn *d = cudnn_of(s);
	if (!d)
		return;
	lt__cudnn_plans_free(d);
	if (d->handle)
		(void)d->api.destroy(d->handle);
	(void)pthread_cond_destroy(&d->made);
	(void)pthread_mutex_destroy(&d->trial);
	lt__cudnn_kernels_free(s);
	(void)pthread_mutex_destroy(&d->lock);
	free((void *)(uintptr_t)d->routines.at);
	free(d);
	s->library = NULL;
}

/* What cuda has no routine for stands before its rows.  Products in one piece are next, then windows of one
 * element that stand apart, then products in batches: by cuBLAS each row of the plane of a convolution with stride
 * 2 is a product of its own, 896 of 28 rows for one kernel with 256 to 512 channels at 56x56 (15.6 us in float16,
 * 31.8 in TF32).  With `only` there are none of cuda's.  Those of float32 are handed over from fewer operations on
 * than cuda hands them over: BERT-base of one text of 128 words takes 1.53 ms for 3.40, where its products of 128
 * x 768 x 768 were generated kernels; of TF32 windows of one element, batch 1, take 4.8 to 7.1 us. */
static bool add_routines(struct lt_session *s, struct lt_cudnn *d)
{
	const struct lt_array none = { NULL, 0, 0 }, have = s->config.only ? none : s->target.routines;
	struct lt_routine *rows = calloc(N_ROW + 2 * have.n, sizeof *rows);
	if (!rows)
		return false;
	const struct lt_routine *ours = s->config.exact ? exact : loose;
	const uint32_t n_layer = N_LAYER - (s->config.tf32 ? 0 : 3), n_square = N_SQUARE - !s->config.tf32;
	memcpy(rows, ours + !s->config.tf32, n_layer * sizeof *rows);
	memcpy(rows + n_layer + have.n, ours + N_LAYER, n_square * sizeof *rows);
	for (uint32_t i = 0; i < have.n; i++) {
		struct lt_routine *whole = &rows[n_layer + i], *batches = &rows[n_layer + have.n + n_square + i];
		*batches = *LT_AT(struct lt_routine, have, i);
		batches->min_flops = batches->left == 1u << LT_F32 ? MIN_FLOPS : batches->min_flops;
		*whole = *batches;
		whole->layouts &= ~(uint32_t)LT_LAYOUT_BATCH;
	}
	d->routines = (struct lt_array){ rows, n_layer + 2 * have.n + n_square, sizeof *rows };
	s->target.routines = d->routines;
	return true;
}

/* Without a device, as without the library, it is the one that the tables were measured with; for texts alone. */
static lt_status find_library(struct lt_session *s, struct lt_cudnn *d, struct lt_diag *diag)
{
	const bool text_only = LT_HAS(struct lt_host, s->host, text_only);
	d->version = 91400;
	if (s->absent)
		return LT_OK;
	lt_status status = lt__cudnn_load(&d->api, text_only ? NULL : diag);
	if (!status)
		d->version = d->api.version();
	else if (text_only && LT_HAS(struct lt_host, s->host, log))
		s->host->log(s->host, LT_LOG_WARNING, "cuDNN is not here: trees and texts are those for its version 9.14");
	return text_only ? LT_OK : status;
}

static lt_status cudnn_more_open(struct lt_session *s, struct lt_diag *diag)
{
	struct lt_cudnn *d = calloc(1, sizeof *d);
	if (!d)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	d->lock = d->trial = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	d->made = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	s->library = d;
	lt_status status = find_library(s, d, diag);
	if (status)
		return status;
	(void)snprintf(s->target_name, sizeof s->target_name, "cudnn:%s/%u.%u", s->facts.arch,
		(unsigned)(d->version / 10000), (unsigned)(d->version / 100 % 100));
	if (s->config.generated)
		return LT_OK;
	s->caps.loops |= 1u << LT_CALL;
	s->machine.calls = 1;
	s->machine.described = s->more->routine;
	return add_routines(s, d) ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
}

static const struct lt_cuda_more more = {
	.routine = "cudnn.graph",
	.open = cudnn_more_open,
	.close = cudnn_more_close,
	.takes = lt__cudnn_takes,
	.ready = lt__cudnn_ready,
	.queue_free = lt__cudnn_queue_free,
	.prepare = lt__cudnn_prepare,
	.call = lt__cudnn_call,
	.forget = lt__cudnn_forget,
	.explain = lt__cudnn_explain,
};

static int32_t cudnn_score(const char *config, struct lt_diag *diag)
{
	enum { USABLE = LT_CUDA_SCORE - 1 };    /* where neither is named, nothing is loaded that was not asked for */
	lt_status status = lt__cuda_usable(config, true, diag);
	if (!status)
		status = lt__cudnn_there(diag);
	return status ? 0 : USABLE;
}

static lt_status cudnn_open(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	return lt__cuda_open_with(&more, host, config, out, diag);
}

static void cudnn_describe(struct lt_session *s, lt_write *write, void *user)
{
	const size_t version = cudnn_of(s)->version;
	char text[40];
	lt__cuda_describe(s, write, user);
	int n = snprintf(text, sizeof text, "cuDNN %u.%u.%u\n", (unsigned)(version / 10000), (unsigned)(version / 100 % 100),
		(unsigned)(version % 100));
	write(user, text, (size_t)n);
}

static const struct lt_backend cudnn = {
	.size = sizeof cudnn,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "cudnn",
	.summary = "NVIDIA's GPUs: as cuda, convolutions, norms and attention by cuDNN",
	.version = "1",
	.score = cudnn_score,
	.open = cudnn_open,
	.describe = cudnn_describe,
	.accepts = lt__cudnn_accepts,
	.accepts_all = lt__cudnn_accepts_all,
	.options = &lt__cudnn_options,
	LT_CUDA_MEMBERS
};
LT_BACKEND(cudnn)
