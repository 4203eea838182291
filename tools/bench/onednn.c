/* onednn.c -- oneDNN as a contestant: products, convolutions, an MLP, softmax.
 *
 * Where it has two ways (its sgemm or its matmul; row-major tensors or its own layout with the reorders in the time),
 * both are tried when a case begins, and the faster one is measured.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"
#include "tools/bench/dnnl.h"

struct onednn_contestant {
	struct lt_context *ctx;
	struct bench_dnnl *d;
	const struct bench_case *c;
	float *out, *hidden;
	int64_t n_hidden;
	bool sgemm;                     /* instead of layers */
};

static struct bench_shape shape_of(int rank, const int64_t *extent)
{
	struct bench_shape s = { .rank = rank };

	memcpy(s.extent, extent, (size_t)rank * sizeof *extent);
	return s;
}

static bool once(struct onednn_contestant *s)
{
	const struct bench_case *c = s->c;

	return s->sgemm ? bench_dnnl_sgemm(s->d, c->in[0].shape[0], c->in[0].shape[1], c->in[1].shape[1], c->in[0].data,
		       c->in[1].data, s->out)
			: bench_dnnl_run(s->d);
}

static bool add_convolution(struct onednn_contestant *s, const struct bench_case *c, bool blocked)
{
	int64_t groups = bench_case_get(c, "groups"), in = bench_case_get(c, "in"), out = bench_case_get(c, "out"),
		window = bench_case_get(c, "window");
	const int64_t weights[] = { groups, out / groups, in / groups, window, window };
	int skip = groups == 1;
	const struct bench_layer y = { .kind = BENCH_CONVOLUTION,
		.src = shape_of(4, c->in[0].shape),
		.weights = shape_of(5 - skip, weights + skip),
		.dst = shape_of(4, c->out.shape),
		.in = c->in[0].data,
		.w = c->in[1].data,
		.out = s->out,
		.constant = true,
		.blocked = blocked,
		.stride = bench_case_get(c, "stride"),
		.pad = bench_case_get(c, "pad") };

	return bench_dnnl_add(s->d, &y);
}

static bool add_dense(struct onednn_contestant *s, const float *in, const struct bench_tensor *w,
	const struct bench_tensor *b, float *out, int64_t batch, bool relu)
{
	struct bench_layer y = { .kind = BENCH_MATMUL,
		.src = shape_of(2, (const int64_t[]){ batch, w->shape[0] }),
		.weights = shape_of(2, w->shape),
		.dst = shape_of(2, (const int64_t[]){ batch, w->shape[1] }),
		.in = in,
		.w = w->data,
		.b = b ? b->data : NULL,
		.out = out,
		.relu = relu,
		.constant = w->constant };

	if (b)
		y.bias = shape_of(b->rank, b->shape);
	return bench_dnnl_add(s->d, &y);
}

static bool add_softmax(struct onednn_contestant *s, const struct bench_case *c)
{
	const struct bench_layer y = { .kind = BENCH_SOFTMAX,
		.src = shape_of(2, c->in[0].shape),
		.dst = shape_of(2, c->out.shape),
		.in = c->in[0].data,
		.out = s->out };

	return bench_dnnl_add(s->d, &y);
}

static bool add_mlp(struct onednn_contestant *s, const struct bench_case *c)
{
	int64_t batch = bench_case_get(c, "batch");

	s->n_hidden = batch * bench_case_get(c, "hidden");
	s->hidden = machine_buffer(s->n_hidden);
	return add_dense(s, c->in[0].data, &c->in[1], &c->in[2], s->hidden, batch, true) &&
		add_dense(s, s->hidden, &c->in[3], &c->in[4], s->out, batch, false);
}

/* The second of two ways, if there is one; false: refused. */
static bool onednn_prepare(struct onednn_contestant *s, const struct bench_case *c, bool second)
{
	bench_dnnl_reset(s->d);
	s->sgemm = false;
	if (!strcmp(c->op, "gemm"))
		return second ? (s->sgemm = true) : add_dense(s, c->in[0].data, &c->in[1], NULL, s->out, c->out.shape[0], false);
	return !strcmp(c->op, "conv2d") ? add_convolution(s, c, second)
		: !strcmp(c->op, "mlp") ? add_mlp(s, c)
					: add_softmax(s, c);
}

/* Seconds of a run, the least of a few; a large number if it cannot be run. */
static double try_it(struct onednn_contestant *s, const struct bench_case *c, bool second)
{
	double start, best = 1e9;
	bool ok = onednn_prepare(s, c, second) && once(s);
	int64_t n;

	start = machine_now();
	ok = ok && once(s);
	n = machine_repeat(machine_now() - start, 0.003);
	for (int k = 0; k < 3 && ok; k++) {
		start = machine_now();
		for (int64_t i = 0; i < n && ok; i++)
			ok = once(s);
		start = (machine_now() - start) / (double)n;
		best = ok && start < best ? start : best;
	}
	return ok ? best : 1e9;
}

static bool choose(struct onednn_contestant *s, const struct bench_case *c)
{
	bool two = !strcmp(c->op, "gemm") || !strcmp(c->op, "conv2d");

	if (two) {
		double second = try_it(s, c, true), first = try_it(s, c, false);

		if (first <= second)
			return first < 1e9;
	}
	return onednn_prepare(s, c, two);
}

static lt_status onednn_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	static const char *const known[] = { "gemm", "conv2d", "mlp", "softmax" };
	struct onednn_contestant *s = k->state;
	double start;
	bool knows = false;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		knows = knows || !strcmp(known[i], c->op);
	if (!knows)
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "no %s by oneDNN here", c->op);
	bench_dnnl_threads(s->d, threads);
	s->c = c;
	s->out = machine_buffer(c->out.n);
	start = machine_now();
	if (!choose(s, c))
		return lt_fail(s->ctx, LT_EDEVICE, "oneDNN refuses it");
	k->prepare = machine_now() - start;
	return LT_OK;
}

static lt_status onednn_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	struct onednn_contestant *s = k->state;
	double start = machine_now();

	for (int64_t i = 0; i < n; i++)
		if (!once(s))
			return lt_fail(s->ctx, LT_EDEVICE, "oneDNN failed");
	*seconds = machine_now() - start;
	return LT_OK;
}

static lt_status onednn_result(struct bench_contestant *k, const struct bench_case *c, float *out)
{
	struct onednn_contestant *s = k->state;

	memset(s->out, 0xff, (size_t)c->out.n * sizeof *out);
	if (!once(s))
		return lt_fail(s->ctx, LT_EDEVICE, "oneDNN failed");
	memcpy(out, s->out, (size_t)c->out.n * sizeof *out);
	return LT_OK;
}

static void onednn_end(struct bench_contestant *k)
{
	struct onednn_contestant *s = k->state;

	bench_dnnl_reset(s->d);
	if (s->out)
		machine_buffer_free(s->out);
	if (s->hidden)
		machine_buffer_free(s->hidden);
	s->out = s->hidden = NULL;
}

static void onednn_close(struct bench_contestant *k)
{
	struct onednn_contestant *s = k->state;

	bench_dnnl_close(s->d);
	free(s);
}

static const struct bench_ops ops = { onednn_begin, onednn_run, onednn_result, onednn_end, onednn_close };

lt_status bench_onednn_open(struct lt_context *ctx, struct bench_contestant *k)
{
	struct onednn_contestant *s = lt__must_alloc(sizeof *s);

	s->ctx = ctx;
	k->ops = &ops;
	k->state = s;
	LT_TRY(bench_dnnl_open(ctx, &s->d));
	bench_dnnl_name(s->d, k->about, sizeof k->about);
	return LT_OK;
}
