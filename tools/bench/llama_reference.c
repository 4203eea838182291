/* llama_reference.c -- what a model computes, by plain loops in double: nothing of it is shared with the
 * graph.  Weights are made row by row, as they are needed, so that no model is too large. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/host/host.h"
#include "ir/op/op.h"
#include "tools/bench/llama.h"

struct reference {
	const struct bench_llama *x;
	struct lt_llama m;
	int n;                                  /* tokens */
	double *keys, *values;                  /* of a layer: [n, kv_heads * head] */
};

/* One row of a matrix; of int8 its numbers are whole, and `scale` has one for each group. */
static void weights_row(const struct reference *r, enum lt_llama_kind kind, int32_t layer, int64_t row, float *w,
	float *scale)
{
	const int64_t columns = r->m.weights[kind].columns;
	int8_t q[64];

	bench_llama_floats(&r->m, r->x->seed, kind, layer, row * columns, columns, w);
	if (lt__llama_is_vector(kind))
		return;
	for (int64_t i = 0; r->x->type == BENCH_LLAMA_BF16 && i < columns; i++)
		w[i] = lt__half_load(lt__half_store(w[i], LT_BF16), LT_BF16);
	for (int64_t i = 0; r->x->type == BENCH_LLAMA_F16 && i < columns; i++)
		w[i] = lt__half_load(lt__half_store(w[i], LT_F16), LT_F16);
	for (int64_t g = 0; r->x->type == BENCH_LLAMA_INT8 && g < columns / r->m.group; g++) {
		lt__llama_round_group(w + g * r->m.group, r->m.group, q, &scale[g]);
		for (int32_t i = 0; i < r->m.group; i++)
			w[g * r->m.group + i] = q[i];
	}
}

/* What a matrix of int8 is multiplied with is rounded in the same groups; scale NULL: it is not. */
struct operand { const double *x; double *rounded, *scale; };

static void round_operand(const struct reference *r, int64_t n, struct operand *o)
{
	const int32_t size = r->m.group;

	for (int64_t g = 0; g < n / size; g++) {
		float top = 0;

		for (int32_t i = 0; i < size; i++)
			top = fmaxf(top, fabsf((float)o->x[g * size + i]));
		o->scale[g] = top / 127;
		for (int32_t i = 0; i < size; i++)
			o->rounded[g * size + i] = top > 0 ? rintf((float)o->x[g * size + i] / (top / 127)) : 0;
	}
}

struct product_rows {
	const struct reference *r;
	enum lt_llama_kind kind;
	int32_t layer;
	const double *x;
	struct operand o;
	double *y;
	int n;
};

static double row_by(const struct product_rows *p, const float *w, const float *scale, int t)
{
	const int64_t columns = p->r->m.weights[p->kind].columns;
	const int32_t size = p->r->m.group;
	double sum = 0;

	if (!p->o.scale) {
		for (int64_t i = 0; i < columns; i++)
			sum += w[i] * p->x[t * columns + i];
		return sum;
	}
	for (int64_t g = 0; g < columns / size; g++) {
		double exact = 0;

		for (int32_t i = 0; i < size; i++)
			exact += w[g * size + i] * p->o.rounded[t * columns + g * size + i];
		sum += exact * scale[g] * p->o.scale[t * (columns / size) + g];
	}
	return sum;
}

static void product_part(void *arg, uint32_t part, uint32_t parts)
{
	const struct product_rows *p = arg;
	const struct lt_llama_weights *of = &p->r->m.weights[p->kind];
	float *w = lt__must_alloc(2 * (size_t)of->columns * sizeof *w);

	for (int64_t row = of->rows * part / parts; row < of->rows * (part + 1) / parts; row++) {
		weights_row(p->r, p->kind, p->layer, row, w, w + of->columns);
		for (int t = 0; t < p->n; t++)
			p->y[t * of->rows + row] = row_by(p, w, w + of->columns, t);
	}
	free(w);
}

/* Rows of y by n rows of x. */
static void reference_product(const struct reference *r, enum lt_llama_kind kind, int32_t layer, const double *x, int n,
	double *y)
{
	const int64_t all = n * r->m.weights[kind].columns;
	struct product_rows p = { .r = r, .kind = kind, .layer = layer, .x = x, .o = { .x = x }, .y = y, .n = n };

	if (r->x->type == BENCH_LLAMA_INT8) {
		p.o.rounded = lt__must_alloc((size_t)all * sizeof (double));
		p.o.scale = lt__must_alloc((size_t)all * sizeof (double));
		round_operand(r, all, &p.o);
	}
	lt__host_on_threads(NULL, lt__processors(), product_part, &p);
	free(p.o.rounded);
	free(p.o.scale);
}

static void norm_rows(const struct reference *r, enum lt_llama_kind kind, int32_t layer, const double *x, int n,
	double *y)
{
	const int32_t dim = r->m.dim;
	float *w = lt__must_alloc((size_t)dim * sizeof *w);

	weights_row(r, kind, layer, 0, w, NULL);
	for (int t = 0; t < n; t++) {
		double squares = 0;

		for (int32_t i = 0; i < dim; i++)
			squares += x[t * dim + i] * x[t * dim + i];
		for (int32_t i = 0; i < dim; i++)
			y[t * dim + i] = w[i] * x[t * dim + i] / sqrt(squares / dim + 1e-5);
	}
	free(w);
}

/* Pairs of a head, turned by the position. */
static void rotate_rows(const struct reference *r, double *x, int heads)
{
	const int head = lt__llama_head(&r->m);

	for (int t = 0; t < r->n; t++)
		for (int i = 0; i < heads * head; i += 2) {
			const double angle = t * pow(10000, -(double)(i % head) / head), c = cos(angle), s = sin(angle);
			double *at = x + (int64_t)t * heads * head + i;
			const double a = at[0], b = at[1];

			at[0] = a * c - b * s;
			at[1] = a * s + b * c;
		}
}

/* One head's query at position t; y: what it attends to. */
static void attend_one(const struct reference *r, const double *q, int t, int kv, double *y)
{
	const int head = lt__llama_head(&r->m);
	const int64_t row = (int64_t)r->m.kv_heads * head;
	double *score = lt__must_alloc((size_t)(t + 1) * sizeof *score), top = -INFINITY, sum = 0;

	for (int p = 0; p <= t; p++) {
		for (int i = 0; i < head; i++)
			score[p] += q[i] * r->keys[p * row + kv * head + i];
		score[p] /= sqrt(head);
		top = fmax(top, score[p]);
	}
	for (int p = 0; p <= t; p++)
		sum += score[p] = exp(score[p] - top);
	for (int i = 0; i < head; i++) {
		y[i] = 0;
		for (int p = 0; p <= t; p++)
			y[i] += score[p] / sum * r->values[p * row + kv * head + i];
	}
	free(score);
}

/* x: [n, dim], added to; a, b: room for as much and for hidden. */
static void reference_layer(struct reference *r, int32_t layer, double *x, double *a, double *b, double *c)
{
	const struct lt_llama *m = &r->m;
	const int head = lt__llama_head(m);
	const int64_t all = (int64_t)r->n * m->dim, wide = (int64_t)r->n * m->hidden;

	norm_rows(r, LT_LLAMA_RMS_ATTENTION, layer, x, r->n, a);
	reference_product(r, LT_LLAMA_WQ, layer, a, r->n, b);
	reference_product(r, LT_LLAMA_WK, layer, a, r->n, r->keys);
	reference_product(r, LT_LLAMA_WV, layer, a, r->n, r->values);
	rotate_rows(r, b, m->heads);
	rotate_rows(r, r->keys, m->kv_heads);
	for (int t = 0; t < r->n; t++)
		for (int h = 0; h < m->heads; h++)
			attend_one(r, b + (int64_t)t * m->dim + h * head, t, h / (m->heads / m->kv_heads),
				a + (int64_t)t * m->dim + h * head);
	reference_product(r, LT_LLAMA_WO, layer, a, r->n, b);
	for (int64_t i = 0; i < all; i++)
		x[i] += b[i];
	norm_rows(r, LT_LLAMA_RMS_FFN, layer, x, r->n, a);
	reference_product(r, LT_LLAMA_W1, layer, a, r->n, b);
	reference_product(r, LT_LLAMA_W3, layer, a, r->n, c);
	for (int64_t i = 0; i < wide; i++)
		b[i] *= c[i] / (1 + exp(-b[i]));
	reference_product(r, LT_LLAMA_W2, layer, b, r->n, a);
	for (int64_t i = 0; i < all; i++)
		x[i] += a[i];
}

static void embed_row(const struct reference *r, int32_t token, double *x)
{
	float *w = lt__must_alloc(2 * (size_t)r->m.dim * sizeof *w), *scale = w + r->m.dim;

	weights_row(r, LT_LLAMA_EMBEDDING, 0, token, w, scale);
	for (int32_t i = 0; i < r->m.dim; i++)
		x[i] = r->x->type == BENCH_LLAMA_INT8 ? (double)w[i] * scale[i / r->m.group] : (double)w[i];
	free(w);
}

lt_status bench_llama_reference(struct lt_context *ctx, const struct bench_llama *x, const int32_t *token, int n,
	double *logits)
{
	struct reference r = { .x = x, .n = n };
	int64_t bytes;

	LT_TRY(bench_llama_sized(ctx, x, x->type, &r.m, &bytes));
	const int32_t widest = r.m.hidden > r.m.dim ? r.m.hidden : r.m.dim;
	const size_t each = (size_t)n * (size_t)widest * sizeof (double);
	double *h = lt__must_alloc(each), *a = lt__must_alloc(each), *b = lt__must_alloc(each), *c = lt__must_alloc(each);

	r.keys = lt__must_alloc(each);
	r.values = lt__must_alloc(each);
	for (int t = 0; t < n; t++)
		embed_row(&r, token[t], h + (int64_t)t * r.m.dim);
	for (int32_t layer = 0; layer < r.m.layers && !lt__interrupted(NULL); layer++)
		reference_layer(&r, layer, h, a, b, c);
	norm_rows(&r, LT_LLAMA_RMS_FINAL, 0, h + (int64_t)(n - 1) * r.m.dim, 1, a);
	reference_product(&r, r.m.shared ? LT_LLAMA_EMBEDDING : LT_LLAMA_CLASSIFIER, 0, a, 1, logits);
	free(h);
	free(a);
	free(b);
	free(c);
	free(r.keys);
	free(r.values);
	return LT_OK;
}
