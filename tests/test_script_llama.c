/* test_script_llama.c -- a LLaMA-2 step written as a script: evaluated token by token with its cache kept, it
 * gives what a direct implementation of the network gives. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "lt/lt.h"

enum { DIM = 8, HEADS = 2, HEAD = DIM / HEADS, HIDDEN = 12, SEQ = 5, VOCAB = 7, LAYERS = 2, TOKENS = 4 };

/* The same number for the same name and place, on both sides. */
static double weight(const char *name, int64_t i)
{
	uint64_t h = 88172645463325252u + (uint64_t)i * 0x9e3779b97f4a7c15u;
	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	h ^= h >> 29, h *= 0xbf58476d1ce4e5b9u, h ^= h >> 32;
	double x = (double)(float)((double)(h >> 40) / (1 << 24) - 0.5);
	return strncmp(name, "rms", 3) ? x : 1 + x;
}

/* The script */

struct writer { FILE *f; int n; };

/* Writes "$n = CALL;" and returns n. */
static int node(struct writer *w, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	fprintf(w->f, "$%d = ", ++w->n);
	vfprintf(w->f, fmt, list);
	fprintf(w->f, ";\n");
	va_end(list);
	return w->n;
}

struct shared { int x, indicator, plus_one, freq, rms_att, scale, keys, values; };

/* One projection: x times a constant of a layer. */
static int project(struct writer *w, int x, const char *name, int layer, int rows, int columns)
{
	int c = node(w, "ConstantTensor(%s_%d, float32, [%d, %d])", name, layer, rows, columns);
	return node(w, "MatMulNode($%d, $%d)", x, c);
}

static int rotate(struct writer *w, int x, int freq)
{
	int pairs = node(w, "ReshapeNode($%d, [%d, %d, 2])", x, HEADS, HEAD / 2);
	return node(w, "ReshapeNode($%d, [%d])", node(w, "ComplexHadamardProductNode($%d, $%d)", pairs, freq), DIM);
}

/* This layer's part of a whole cache, as [HEADS, ..] by `perm`. */
static int cached(struct writer *w, int cache, int layer, const char *perm)
{
	int part = node(w, "SliceNode($%d, %d, %d)", cache, layer * SEQ * DIM, (layer + 1) * SEQ * DIM);
	return node(w, "PermuteNode($%d, %s)", node(w, "ReshapeNode($%d, [%d, %d, %d])", part, SEQ, HEADS, HEAD), perm);
}

static int attention(struct writer *w, struct shared *s, int x, int layer)
{
	int norm = node(w, "RMSNormNode($%d, $%d)", x,
		node(w, "SliceNode($%d, %d, %d)", s->rms_att, layer * DIM, (layer + 1) * DIM));
	int q = project(w, norm, "wq", layer, DIM, DIM), k = project(w, norm, "wk", layer, DIM, DIM),
	    v = project(w, norm, "wv", layer, DIM, DIM);
	int freq = node(w, "ReshapeNode($%d, [1, %d, 2])", s->freq, HEAD / 2);
	q = rotate(w, q, freq);
	k = rotate(w, k, freq);
	int begin = node(w, "InputTensor(cache_start_%d, int64, [1])", layer),
	    end = node(w, "InputTensor(cache_end_%d, int64, [1])", layer);
	s->keys = node(w, "ReplaceSliceNode($%d, $%d, $%d, $%d)", s->keys, k, begin, end);
	s->values = node(w, "ReplaceSliceNode($%d, $%d, $%d, $%d)", s->values, v, begin, end);
	q = node(w, "ReshapeNode($%d, [%d, %d, 1])", q, HEADS, HEAD);
	int scores = node(w, "MatMulNode($%d, $%d)", cached(w, s->keys, layer, "[1, 0, 2]"), q);
	scores = node(w, "HadamardProductNode($%d, $%d)", node(w, "ReshapeNode($%d, [%d, %d])", scores, HEADS, SEQ), s->scale);
	scores = node(w, "SlicedSoftmaxNode($%d, $%d)", scores, s->plus_one);
	scores = node(w, "HadamardProductNode($%d, $%d)", scores, node(w, "ReshapeNode($%d, [1, %d])", s->indicator, SEQ));
	scores = node(w, "ReshapeNode($%d, [%d, %d, 1])", scores, HEADS, SEQ);
	int mixed = node(w, "MatMulNode($%d, $%d)", cached(w, s->values, layer, "[1, 2, 0]"), scores);
	mixed = project(w, node(w, "ReshapeNode($%d, [%d])", mixed, DIM), "wo", layer, DIM, DIM);
	return node(w, "SumNode($%d, $%d)", x, mixed);
}

static int feed_forward(struct writer *w, int x, int layer)
{
	int norm = node(w, "RmsNormNode($%d, $%d)", x, node(w, "ConstantTensor(rms_ffn_%d, float32, [%d])", layer, DIM));
	int gate = node(w, "SiLUNode($%d)", project(w, norm, "w1", layer, DIM, HIDDEN));
	int up = node(w, "HadamardProductNode($%d, $%d)", gate, project(w, norm, "w3", layer, DIM, HIDDEN));
	return node(w, "SumNode($%d, $%d)", x, project(w, up, "w2", layer, HIDDEN, DIM));
}

static char *write_script(int layers, int *n_node)
{
	char *text;
	size_t bytes;
	struct writer w = { .f = open_memstream(&text, &bytes) };
	struct shared s = {
		.x = node(&w, "InputTensor(x, float32, [%d])", DIM),
		.indicator = node(&w, "InputTensor(pos_indicator, float32, [%d])", SEQ),
		.plus_one = node(&w, "InputTensor(pos_plus_one, int64, [1])"),
		.freq = node(&w, "InputTensor(freq_cis, float32, [%d, 2])", HEAD / 2),
		.rms_att = node(&w, "ConstantTensor(rms_att, float32, [%d])", layers * DIM),
		.scale = node(&w, "ConstantTensor(scale, float32, [1, 1])"),
		.keys = node(&w, "BufferTensor(float32, [%d])", layers * SEQ * DIM),
		.values = node(&w, "BufferTensor(float32, [%d])", layers * SEQ * DIM),
	};
	int x = s.x;
	for (int i = 0; i < layers; i++)
		x = feed_forward(&w, attention(&w, &s, x, i), i);
	x = node(&w, "RMSNormNode($%d, $%d)", x, node(&w, "ConstantTensor(rms_final, float32, [%d])", DIM));
	fprintf(w.f, "result = $%d;\n", project(&w, x, "wcls", 0, DIM, VOCAB));
	*n_node = w.n;
	fclose(w.f);
	return text;
}

/* The network itself */

static void norm(const double *x, const char *name, int64_t from, double *out)
{
	double sum = 0;
	for (int i = 0; i < DIM; i++)
		sum += x[i] * x[i];
	for (int i = 0; i < DIM; i++)
		out[i] = weight(name, from + i) * x[i] / sqrt(sum / DIM + 1e-5);
}

static void product(const double *x, const char *name, int layer, int rows, int columns, double *out)
{
	char full[32];
	snprintf(full, sizeof full, "%s_%d", name, layer);
	for (int j = 0; j < columns; j++) {
		out[j] = 0;
		for (int i = 0; i < rows; i++)
			out[j] += x[i] * weight(full, (int64_t)i * columns + j);
	}
}

static void turn(double *x, int pos)
{
	for (int i = 0; i < DIM; i += 2) {
		double angle = pos * pow(10000, -(double)(i % HEAD) / HEAD), c = (float)cos(angle),
		       s = (float)sin(angle), a = x[i], b = x[i + 1];
		x[i] = a * c - b * s;
		x[i + 1] = a * s + b * c;
	}
}

static double keys[LAYERS][SEQ][DIM], values[LAYERS][SEQ][DIM];

static void attend(double *x, int layer, int pos)
{
	double xb[DIM], q[DIM], mixed[DIM] = { 0 }, out[DIM], p[SEQ];
	norm(x, "rms_att", (int64_t)layer * DIM, xb);
	product(xb, "wq", layer, DIM, DIM, q);
	product(xb, "wk", layer, DIM, DIM, keys[layer][pos]);
	product(xb, "wv", layer, DIM, DIM, values[layer][pos]);
	turn(q, pos);
	turn(keys[layer][pos], pos);
	for (int h = 0; h < HEADS; h++) {
		double sum = 0;
		for (int t = 0; t <= pos; t++) {
			double score = 0;
			for (int i = 0; i < HEAD; i++)
				score += q[h * HEAD + i] * keys[layer][t][h * HEAD + i];
			sum += p[t] = exp(score / sqrt(HEAD));
		}
		for (int t = 0; t <= pos; t++)
			for (int i = 0; i < HEAD; i++)
				mixed[h * HEAD + i] += p[t] / sum * values[layer][t][h * HEAD + i];
	}
	product(mixed, "wo", layer, DIM, DIM, out);
	for (int i = 0; i < DIM; i++)
		x[i] += out[i];
}

static void step(double *x, int pos, double *logits)
{
	double xb[DIM], gate[HIDDEN], up[HIDDEN];
	for (int layer = 0; layer < LAYERS; layer++) {
		char name[32];
		attend(x, layer, pos);
		snprintf(name, sizeof name, "rms_ffn_%d", layer);
		norm(x, name, 0, xb);
		product(xb, "w1", layer, DIM, HIDDEN, gate);
		product(xb, "w3", layer, DIM, HIDDEN, up);
		for (int i = 0; i < HIDDEN; i++)
			up[i] *= gate[i] / (1 + exp(-gate[i]));
		product(up, "w2", layer, HIDDEN, DIM, xb);
		for (int i = 0; i < DIM; i++)
			x[i] += xb[i];
	}
	norm(x, "rms_final", 0, xb);
	product(xb, "wcls", 0, DIM, VOCAB, logits);
}

/* What the script is given at a position */

static double given(const char *label, int64_t i, int pos)
{
	int layer;
	if (strcmp(label, "x") == 0)
		return weight("token", (int64_t)pos * DIM + i);
	if (strcmp(label, "pos_indicator") == 0)
		return i <= pos;
	if (strcmp(label, "pos_plus_one") == 0)
		return pos + 1;
	if (strcmp(label, "scale") == 0)
		return 1 / sqrt(HEAD);
	if (sscanf(label, "cache_start_%d", &layer) == 1)
		return (layer * SEQ + pos) * DIM;
	if (sscanf(label, "cache_end_%d", &layer) == 1)
		return (layer * SEQ + pos + 1) * DIM;
	if (strcmp(label, "freq_cis") == 0) {
		double angle = pos * pow(10000, -(double)(i / 2 * 2) / HEAD);
		return i % 2 ? sin(angle) : cos(angle);
	}
	return weight(label, i);
}

static void fill(const struct lt_graph *g, void **source, int pos)
{
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *d = &g->node[x];
		int64_t n = lt__node_elems(g, x);
		if (d->op != LT_OP_input && d->op != LT_OP_constant && d->op != LT_OP_state)
			continue;
		if (!source[x])
			source[x] = calloc((size_t)n, 8);
		for (int64_t i = 0; i < n && d->op != LT_OP_state; i++) {
			union lt_scalar v = { .f = given(d->label, i, pos) };
			lt__store(source[x], i, d->dtype, lt__convert(v, LT_F64, d->dtype));
		}
	}
}

Test(script_llama, tokens_one_by_one, .timeout = 60)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	int n;
	char *text = write_script(LAYERS, &n);
	lt_context_new(&ctx);
	cr_assert_eq(lt_parse(ctx, text, strlen(text), "llama.lt", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(g->n_set, 2);
	void **source = calloc((size_t)g->n_node, sizeof *source);
	for (int pos = 0; pos < TOKENS; pos++) {
		struct lt_evaluation *e;
		double x[DIM], logits[VOCAB];
		fill(g, source, pos);
		cr_assert_eq(lt_eval(g, (const void *const *)source, false, &e), LT_OK, "%s", lt_context_message(ctx));
		for (int i = 0; i < DIM; i++)
			x[i] = weight("token", (int64_t)pos * DIM + i);
		step(x, pos, logits);
		const float *got = lt_eval_result(e, 0, NULL);
		for (int i = 0; i < VOCAB; i++)
			cr_expect_lt(fabs((double)got[i] - logits[i]), 1e-5, "token %d, logit %d: %g, not %g", pos, i,
				(double)got[i], logits[i]);
		for (int32_t i = 0; i < g->n_set; i++)
			memcpy(source[g->set[i].state], lt_eval_state(e, i, NULL), sizeof(float) * LAYERS * SEQ * DIM);
		lt_eval_free(e);
	}
	for (lt_node x = 0; x < g->n_node; x++)
		free(source[x]);
	free(source);
	free(text);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* The script of six layers is that of the original program's frontend: 306 nodes. */
Test(script_llama, six_layers)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	int n;
	char *text = write_script(6, &n);
	lt_context_new(&ctx);
	cr_expect_eq(n, 306, "%d", n);
	cr_assert_eq(lt_parse(ctx, text, strlen(text), "llama.lt", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
}
