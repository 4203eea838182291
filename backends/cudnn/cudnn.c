/* cudnn.c -- the backend cudnn: the backend cuda with NVIDIA's library of convolutions.
 *
 * Everything is cuda's, its options too, and what is handed over to `cudnn.graph` goes to the library: a convolution
 * with a residual, a bias and a ReLU behind it.  More options:
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

/* What default trees hand over is of a form that was measured (ResNet-50's layers, batches of 1 and of 32): no groups,
 * of which the library has slow plans alone; anything else in a schedule. */
enum { MIN_FLOPS = 20000000 };
#define BY_HAND INT64_MAX
static const struct lt_routine_shape layers[] = { { .batch = { 1, 1 }, .row = { 49, 0 }, .column = { 64, 0 } } },
	squares[] = { { .batch = { 1, 1 }, .row = { 49, 0 }, .column = { 64, 0 }, .deep = { 64, 0 } } };
#define OP(name) (UINT64_C(1) << LT_OPCODE_##name)
#define ROW(anchor, type, order, from, which, leave) \
	{ .name = "cudnn.graph", .pattern = LT_PATTERN_GRAPH, .left = 1u << (type), .right = 1u << (type), \
		.result = 1u << (type), .sum = LT_F32, .layouts = LT_LAYOUT_BATCH | (order), .min_flops = (from), \
		.anchors = 1u << (anchor), .behind = OP(add) | OP(max), .max_ops = 3, .max_reads = 4, .max_results = 1, \
		.wide = (leave), .shapes = { which, sizeof which / sizeof *which, sizeof *which } }
/* Halves are fast with channels inside alone; of float32 the library takes any order.  Windows of one element are
 * products: those of float32 are faster by cuBLAS. */
#define LAYERS(leave) \
	ROW(LT_ANCHOR_CONVOLUTION, LT_F32, LT_LAYOUT_ANY, MIN_FLOPS, layers, leave), \
	ROW(LT_ANCHOR_CONVOLUTION, LT_F16, LT_LAYOUT_CHANNELS_LAST, MIN_FLOPS, layers, leave), \
	ROW(LT_ANCHOR_CONVOLUTION, LT_BF16, LT_LAYOUT_CHANNELS_LAST, MIN_FLOPS, layers, leave)
#define SQUARES(leave) \
	ROW(LT_ANCHOR_PRODUCT, LT_F16, LT_LAYOUT_CHANNELS_LAST, MIN_FLOPS, squares, leave), \
	ROW(LT_ANCHOR_PRODUCT, LT_BF16, LT_LAYOUT_CHANNELS_LAST, MIN_FLOPS, squares, leave), \
	ROW(LT_ANCHOR_PRODUCT, LT_F32, LT_LAYOUT_ANY, BY_HAND, squares, leave)
enum { N_LAYER = 3, N_ROW = 6 };
static const struct lt_routine loose[N_ROW] = { LAYERS(1), SQUARES(1) }, exact[N_ROW] = { LAYERS(0), SQUARES(0) };

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

/* Convolutions before cuda's rows, products behind them.  With `only` there are none of cuda's. */
static bool add_routines(struct lt_session *s, struct lt_cudnn *d)
{
	const struct lt_array none = { NULL, 0, 0 }, have = s->config.only ? none : s->target.routines;
	struct lt_routine *rows = calloc(N_ROW + have.n, sizeof *rows);
	if (!rows)
		return false;
	const struct lt_routine *ours = s->config.exact ? exact : loose;
	memcpy(rows, ours, N_LAYER * sizeof *rows);
	for (uint32_t i = 0; i < have.n; i++)
		rows[N_LAYER + i] = *LT_AT(struct lt_routine, have, i);
	memcpy(rows + N_LAYER + have.n, ours + N_LAYER, (N_ROW - N_LAYER) * sizeof *rows);
	d->routines = (struct lt_array){ rows, N_ROW + have.n, sizeof *rows };
	s->target.routines = d->routines;
	return true;
}

static lt_status cudnn_more_open(struct lt_session *s, struct lt_diag *diag)
{
	struct lt_cudnn *d = calloc(1, sizeof *d);
	if (!d)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	d->lock = d->trial = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	d->made = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	s->library = d;
	lt_status status = lt__cudnn_load(&d->api, diag);
	if (status)
		return status;
	const size_t version = d->api.version();
	(void)snprintf(s->target_name, sizeof s->target_name, "cudnn:%s/%u.%u", s->facts.arch, (unsigned)(version / 10000),
		(unsigned)(version / 100 % 100));
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
	const size_t version = cudnn_of(s)->api.version();
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
	.summary = "NVIDIA's GPUs: as cuda, convolutions by cuDNN",
	.version = "1",
	.score = cudnn_score,
	.open = cudnn_open,
	.describe = cudnn_describe,
	.accepts = lt__cudnn_accepts,
	.accepts_all = lt__cudnn_accepts_all,
	LT_CUDA_MEMBERS
};
LT_BACKEND(cudnn)
