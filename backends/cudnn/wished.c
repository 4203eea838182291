/* wished.c -- forms for which the first plan that the library names was measured to be far from the best: the engine
 * that is asked for before those that the library names.
 *
 * An engine's number means something in one version of the library alone, so a row is for the version, the device and
 * the extents that were measured (an H200, cuDNN 9.14).  Of depthwise layers it is for all extents: the other engines
 * that have them compute something else, or take 5 to 13 times as long.
 */
#include <string.h>
#include "backends/cudnn/cudnn.h"

enum { MEASURED = 914, TYPE_F32 = 1u << LT_F32, TYPE_HALVES = 1u << LT_F16 | 1u << LT_BF16 };
/* A convolution with a bias behind it, channels inside.  tf32: of float32 only where TF32 is allowed. */
struct cudnn_measured {
	uint32_t types;
	int64_t images, channels, filters, window, plane;       /* window, plane: elements, positions */
	bool residual;
	struct lt_cudnn_wished wished;
};
static const struct cudnn_measured rows[] = {
	/* First and best in microseconds, f16 and bf16: 29.0 and 23.1, 28.5 and 23.0. */
	{ TYPE_HALVES, 32, 64, 256, 1, 3136, false, { .engine = 41 } },
	/* TF32: 57.0 and 27.6. */
	{ TYPE_F32, 32, 64, 64, 1, 3136, true, { .engine = 39 } },
};

/* Of one filter for each channel, with anything behind: the one engine that was right and fast in the sizes that were
 * measured.  The library does not always name it; as it is by itself it is slower than with the library's knobs. */
static const struct lt_cudnn_wished depthwise = { .engine = LT_CUDNN_DEPTHWISE_ENGINE };

static int64_t space_of(const struct lt_cudnn_tensor *t)
{
	int64_t n = 1;
	for (int i = 2; i < t->n_dim; i++)
		n *= t->dim[i];
	return n;
}

/* 1: something of the result's extents is added; 0: a bias alone; -1: something else is behind the convolution. */
static int residual_of(const struct lt_cudnn_form *f)
{
	bool bias = false, residual = false;
	for (int i = 1; i < f->n_node; i++) {
		const struct lt_cudnn_node *n = &f->node[i];
		if (n->kind != LT_CUDNN_POINTWISE || (n->mode != CUDNN_POINTWISE_ADD && n->mode != CUDNN_POINTWISE_RELU_FWD))
			return -1;
		if (n->mode == CUDNN_POINTWISE_RELU_FWD)
			continue;
		const bool full = space_of(&f->tensor[n->in[1]]) > 1;
		residual = residual || full;
		bias = bias || !full;
	}
	return bias ? residual : -1;
}

/* Attention of halves with as many queries as keys, of which each head has its own: `n` batches times heads, as a
 * script may have them as one axis or as two, and keys, from .. to; lengths: -1: with and without.  Best of
 * ../shared/data/cudnn-attention.txt, where the front end's unified engines 4 and 5 are 1 and 2 of the graph that
 * attention.c makes: first and best in microseconds. */
struct cudnn_measured_attention { int64_t n[2], keys[2], d; int causal, lengths; struct lt_cudnn_wished wished; };
#define CONFIGURED(is, value) { .engine = (is), .n_knob = 1, .knob = { { CUDNN_KNOB_TYPE_KERNEL_CFG, value } } }
static const struct cudnn_measured_attention attentions[] = {
	{ { 16, 16 }, { 128, 512 }, 64, 1, 0, CONFIGURED(1, 3) },       /* 128 keys 8.3 and 3.9, 512 keys 9.9 and 7.8 */
	{ { 16, 16 }, { 128, 512 }, 128, 1, 0, CONFIGURED(1, 3) },      /* 7.2 and 4.9, 12.1 and 10.7 */
	{ { 16, 16 }, { 128, 512 }, 64, 0, 0, CONFIGURED(1, 3) },       /* 8.1 and 3.9, 9.6 and 7.7 */
	{ { 16, 16 }, { 128, 512 }, 128, 0, 0, CONFIGURED(1, 3) },      /* 6.7 and 4.7, 11.6 and 10.3 */
	/* n 256 12.8 and 6.6; by lengths 13.3 and 6.8.  With the launch n 12 13.9 and 9.3; with BERT's mask 11.0 and 10.2. */
	{ { 12, 256 }, { 128, 128 }, 64, 0, -1, CONFIGURED(1, 3) },
	{ { 16, 64 }, { 128, 333 }, 64, 0, 0, CONFIGURED(1, 3) },       /* n 64, 333 keys 17.1 and 12.8 */
	{ { 2048, 2048 }, { 128, 128 }, 64, 0, 0, CONFIGURED(2, 7) },   /* 65.8 and 37.0 */
	{ { 2048, 2048 }, { 128, 128 }, 64, 1, 0, CONFIGURED(2, 7) },   /* 71.1 and 40.9 */
	{ { 512, 512 }, { 512, 512 }, 64, 1, 0, CONFIGURED(2, 7) },     /* with the launch 86.5 and 77.4 */
	{ { 256, 256 }, { 1024, 1024 }, 64, 1, 0, CONFIGURED(2, 7) },   /* 114.8 and 107.1, 112.8 and 105.7 */
	{ { 256, 256 }, { 512, 512 }, 64, 0, 1, { .engine = 2 } },      /* 50.6 and 43.9, 50.9 and 44.2 */
	{ { 256, 256 }, { 1024, 1024 }, 64, 0, 1, CONFIGURED(2, 7) },   /* 153.3 and 147.6, 155.7 and 147.9 */
};
#undef CONFIGURED

static bool is_within(const int64_t *range, int64_t n) { return n >= range[0] && n <= range[1]; }

static const struct lt_cudnn_wished *attention_wished(const struct lt_cudnn_form *f)
{
	const struct lt_cudnn_tensor *q = &f->tensor[f->node[0].in[0]], *k = &f->tensor[f->node[0].in[1]];
	int causal = 0, softmax = 0;
	const int lengths = f->mask.how == LT_CUDNN_LENGTHS;
	for (int i = 0; i < f->n_node; i++) {
		causal = causal || (f->node[i].kind == LT_CUDNN_POINTWISE && f->node[i].mode == CUDNN_POINTWISE_CMP_GE);
		softmax = softmax || f->node[i].kind == LT_CUDNN_REDUCTION;
	}
	if (!softmax || !(TYPE_HALVES >> q->dtype & 1) || q->dim[1] != k->dim[1] || q->dim[2] != k->dim[3])
		return NULL;
	for (size_t i = 0; i < sizeof attentions / sizeof *attentions; i++) {
		const struct cudnn_measured_attention *a = &attentions[i];
		if (is_within(a->n, q->dim[0] * q->dim[1]) && is_within(a->keys, k->dim[3]) && q->dim[3] == a->d
			&& causal == a->causal && (a->lengths < 0 || a->lengths == lengths))
			return &a->wished;
	}
	return NULL;
}

const struct lt_cudnn_wished *lt__cudnn_wished(size_t version, const char *arch, const struct lt_cudnn_wish *w)
{
	const struct lt_cudnn_form *f = &w->form;
	if (version / 100 != MEASURED || strncmp(arch, "sm_90", 5) != 0 || !f->n_node)
		return NULL;
	if (f->node[0].kind == LT_CUDNN_PRODUCT)
		return attention_wished(f);
	if (f->node[0].kind != LT_CUDNN_CONVOLUTION)
		return NULL;
	const struct lt_cudnn_tensor *x = &f->tensor[f->node[0].in[0]], *by = &f->tensor[f->node[0].in[1]],
		*y = &f->tensor[f->node[0].out];
	const int residual = residual_of(f);
	const uint32_t dtype = cudnn_dtype(f);
	if (x->dim[1] > 1 && x->stride[1] == 1 && by->dim[1] == 1 && f->n_node > 1)
		return &depthwise;
	if (residual < 0 || x->stride[1] != 1 || (dtype == LT_F32 && !w->tf32))
		return NULL;
	for (int i = 0; i < f->n_space; i++)
		if (f->stride[i] != 1)
			return NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct cudnn_measured *r = &rows[i];
		if (r->types >> dtype & 1 && x->dim[0] == r->images && x->dim[1] == r->channels && by->dim[0] == r->filters
			&& by->dim[1] == r->channels && space_of(by) == r->window && space_of(y) == r->plane
			&& r->residual == (residual > 0))
			return &r->wished;
	}
	return NULL;
}
