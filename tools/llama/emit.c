/* emit.c -- --emit-script: a model as scripts with their weights.  step.lt has the graph that is run here;
 * original.lt the nodes of the original language alone, and its weights as [in, out]. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/llama/llama.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

/* The script as it grows: values are numbered. */
struct emission {
	struct llama *l;
	FILE *to;
	struct lt_tensors tensors;
	int32_t cap;
	int n;                          /* the number of the last value */
	bool lost;                      /* no memory for a tensor */
};

/* A path in the folder, malloc; NULL: no memory. */
static char *path_in(const struct llama *l, const char *name)
{
	char *path = malloc(strlen(l->o.emit) + strlen(name) + 2);

	if (path)
		sprintf(path, "%s/%s", l->o.emit, name);
	return path;
}

__attribute__((format(printf, 2, 3))) static int emit_value(struct emission *e, const char *fmt, ...)
{
	va_list args;

	fprintf(e->to, "$%d = ", ++e->n);
	va_start(args, fmt);
	vfprintf(e->to, fmt, args);
	va_end(args);
	fputs(";\n", e->to);
	return e->n;
}

/* A tensor of floats for the weights' file; NULL: no memory. */
static float *emit_tensor(struct emission *e, const char *name, int32_t rank, int64_t rows, int64_t columns)
{
	struct lt_tensors *t = &e->tensors;
	const int64_t shape[] = { rows, columns };

	if (t->n == e->cap) {
		const int32_t cap = e->cap ? 2 * e->cap : 64;
		struct lt_tensor *more = realloc(t->at, (size_t)cap * sizeof *more);

		if (!more) {
			e->lost = true;
			return NULL;
		}
		t->at = more;
		e->cap = cap;
	}
	if (lt__tensor_new(e->l->ctx, name, name, LT_F32, rank, rank == 1 ? shape + 1 : shape, &t->at[t->n])) {
		e->lost = true;
		return NULL;
	}
	return t->at[t->n++].data;
}

/* A vector, or a matrix as [in, out]. */
static int emit_weights(struct emission *e, const char *name, enum lt_llama_kind kind, int32_t layer)
{
	const struct lt_llama_weights *w = &e->l->model.weights[kind];
	char full[64];

	snprintf(full, sizeof full, lt__llama_layered(kind) ? "%s_%d" : "%s", name, layer);
	const bool vector = lt__llama_is_vector(kind);
	float *to = emit_tensor(e, full, vector ? 1 : 2, w->columns, vector ? w->columns : w->rows);
	for (int64_t i = 0; to && i < w->rows; i++)
		for (int64_t j = 0; j < w->columns; j++)
			to[j * w->rows + i] = lt__llama_weight(&e->l->model, kind, layer, i * w->columns + j);
	return vector ? emit_value(e, "ConstantTensor(%s, float32, [%lld])", full, (long long)w->columns) :
		emit_value(e, "ConstantTensor(%s, float32, [%lld, %lld])", full, (long long)w->columns, (long long)w->rows);
}

static int emit_product(struct emission *e, int x, const char *name, enum lt_llama_kind kind, int32_t layer)
{
	const int w = emit_weights(e, name, kind, layer);

	return emit_value(e, "MatMulNode($%d, $%d)", x, w);
}

static int emit_norm(struct emission *e, int x, const char *name, enum lt_llama_kind kind, int32_t layer)
{
	const int w = emit_weights(e, name, kind, layer);

	return emit_value(e, "RMSNormNode($%d, $%d)", x, w);
}

static int emit_rotated(struct emission *e, int x, int rotation, int heads)
{
	const int head = lt__llama_head(&e->l->model);
	const int pairs = emit_value(e, "ReshapeNode($%d, [%d, %d, 2])", x, heads, head / 2);
	const int turned = emit_value(e, "ComplexHadamardProductNode($%d, $%d)", pairs, rotation);

	return emit_value(e, "ReshapeNode($%d, [%d])", turned, heads * head);
}

/* What a layer has in a cache, with its axes in the order that a product takes. */
static int emit_cached(struct emission *e, int cache, int32_t layer, const char *order)
{
	const struct lt_llama *m = &e->l->model;
	const int64_t each = (int64_t)m->context * m->kv_heads * lt__llama_head(m);
	const int part = emit_value(e, "SliceNode($%d, %lld, %lld)", cache, (long long)(layer * each),
		(long long)((layer + 1) * each));
	const int whole = emit_value(e, "ReshapeNode($%d, [%d, %d, %d])", part, m->context, m->kv_heads, lt__llama_head(m));

	return emit_value(e, "PermuteNode($%d, [%s])", whole, order);
}

/* Values that all layers read. */
struct emitted { int indicator, end, rotation, scale, keys, values; };

/* Queries that share a head of keys are columns of one product. */
static int emit_attention(struct emission *e, struct emitted *of, int x, int32_t layer)
{
	const struct lt_llama *m = &e->l->model;
	const int head = lt__llama_head(m), each = m->heads / m->kv_heads;
	const int start = emit_value(e, "InputTensor(cache_start_%d, int64, [1])", layer);
	const int end = emit_value(e, "InputTensor(cache_end_%d, int64, [1])", layer);
	int q = emit_product(e, x, "wq", LT_LLAMA_WQ, layer);
	int k = emit_product(e, x, "wk", LT_LLAMA_WK, layer);
	const int v = emit_product(e, x, "wv", LT_LLAMA_WV, layer);

	q = emit_rotated(e, q, of->rotation, m->heads);
	k = emit_rotated(e, k, of->rotation, m->kv_heads);
	of->keys = emit_value(e, "ReplaceSliceNode($%d, $%d, $%d, $%d)", of->keys, k, start, end);
	of->values = emit_value(e, "ReplaceSliceNode($%d, $%d, $%d, $%d)", of->values, v, start, end);
	k = emit_cached(e, of->keys, layer, "1, 0, 2");
	q = emit_value(e, "ReshapeNode($%d, [%d, %d, %d])", q, m->kv_heads, each, head);
	q = emit_value(e, "PermuteNode($%d, [0, 2, 1])", q);
	int p = emit_value(e, "MatMulNode($%d, $%d)", k, q);
	p = emit_value(e, "PermuteNode($%d, [0, 2, 1])", p);
	p = emit_value(e, "ReshapeNode($%d, [%d, %d])", p, m->heads, m->context);
	p = emit_value(e, "HadamardProductNode($%d, $%d)", p, of->scale);
	p = emit_value(e, "SlicedSoftmaxNode($%d, $%d)", p, of->end);
	p = emit_value(e, "HadamardProductNode($%d, $%d)", p, of->indicator);
	p = emit_value(e, "ReshapeNode($%d, [%d, %d, %d])", p, m->kv_heads, each, m->context);
	p = emit_value(e, "MatMulNode($%d, $%d)", p, emit_cached(e, of->values, layer, "1, 0, 2"));
	p = emit_value(e, "ReshapeNode($%d, [%d])", p, m->dim);
	return emit_product(e, p, "wo", LT_LLAMA_WO, layer);
}

static int emit_feed_forward(struct emission *e, int x, int32_t layer)
{
	int gate = emit_product(e, x, "w1", LT_LLAMA_W1, layer);
	const int up = emit_product(e, x, "w3", LT_LLAMA_W3, layer);

	gate = emit_value(e, "SiLUNode($%d)", gate);
	gate = emit_value(e, "HadamardProductNode($%d, $%d)", gate, up);
	return emit_product(e, gate, "w2", LT_LLAMA_W2, layer);
}

static void emit_original(struct emission *e)
{
	const struct lt_llama *m = &e->l->model;
	const int head = lt__llama_head(m);
	const long long cache = (long long)m->layers * m->context * m->kv_heads * head;
	struct emitted of;
	int x = emit_value(e, "InputTensor(x, float32, [%d])", m->dim);

	of.indicator = emit_value(e, "InputTensor(pos_indicator, float32, [%d])", m->context);
	of.indicator = emit_value(e, "ReshapeNode($%d, [1, %d])", of.indicator, m->context);
	of.end = emit_value(e, "InputTensor(pos_plus_one, int64, [1])");
	of.rotation = emit_value(e, "InputTensor(freq_cis, float32, [%d, 2])", head / 2);
	of.rotation = emit_value(e, "ReshapeNode($%d, [1, %d, 2])", of.rotation, head / 2);
	of.keys = emit_value(e, "BufferTensor(float32, [%lld])", cache);
	of.values = emit_value(e, "BufferTensor(float32, [%lld])", cache);
	float *scale = emit_tensor(e, "scale", 2, 1, 1);
	of.scale = emit_value(e, "ConstantTensor(scale, float32, [1, 1])");
	if (scale)
		*scale = (float)(1 / sqrt(head));
	for (int32_t i = 0; i < m->layers; i++) {
		int y = emit_attention(e, &of, emit_norm(e, x, "rms_att", LT_LLAMA_RMS_ATTENTION, i), i);

		x = emit_value(e, "SumNode($%d, $%d)", x, y);
		y = emit_feed_forward(e, emit_norm(e, x, "rms_ffn", LT_LLAMA_RMS_FFN, i), i);
		x = emit_value(e, "SumNode($%d, $%d)", x, y);
	}
	x = emit_norm(e, x, "rms_final", LT_LLAMA_RMS_FINAL, 0);
	x = emit_product(e, x, "wcls", m->shared ? LT_LLAMA_EMBEDDING : LT_LLAMA_CLASSIFIER, 0);
	fprintf(e->to, "result = $%d;\n", x);
}

static lt_status write_original(struct llama *l)
{
	char *script = path_in(l, "original.lt"), *weights = path_in(l, "original.safetensors");
	struct lt_outfile file = { 0 };
	struct emission e = { .l = l };
	lt_status s = script && weights ? lt__out_open(l->ctx, script, &file) : lt_fail(l->ctx, LT_ENOMEM, "out of memory");

	if (!s) {
		e.to = file.file;
		fputs("# weights: original.safetensors\n", e.to);
		emit_original(&e);
		s = e.lost ? lt_fail(l->ctx, LT_ENOMEM, "out of memory: original.lt takes all weights of the model") :
			lt__safetensors_write(l->ctx, weights, &e.tensors);
		const lt_status closed = lt__out_close(l->ctx, &file, !s);
		s = s ? s : closed;
	}
	lt__tensors_free(&e.tensors);
	free(script);
	free(weights);
	return s;
}

/* As lt-run --dump=script prints it. */
static lt_status write_step(struct llama *l)
{
	const struct lt_llama_options options = { .tokens = 1, .floats = l->floats, .cache = l->cache };
	char *script = path_in(l, "step.lt");
	struct run r = { .ctx = l->ctx, .o = { .tool = llama_tool.name, .script = l->o.checkpoint, .dump = "script",
		.output = script, .quiet = l->o.quiet } };
	lt_status s = script ? lt__llama_graph(l->ctx, &l->model, &options, &r.model.graph) :
		lt_fail(l->ctx, LT_ENOMEM, "out of memory");

	if (!s)
		s = model_bindings_find(r.model.graph, r.model.binding);
	if (!s)
		s = run_dump(&r);
	model_free(&r.model);
	free(script);
	return s;
}

lt_status llama_emit_check(const struct llama *l, const struct lt_tool_inputs *in)
{
	static const char *const names[] = { "step.lt", "step.safetensors", "original.lt", "original.safetensors" };
	struct stat st;
	lt_status s = LT_OK;

	if (mkdir(l->o.emit, 0777) && (errno != EEXIST || stat(l->o.emit, &st) || !S_ISDIR(st.st_mode)))
		return lt_fail(l->ctx, LT_EINVAL, "--emit-script: %s cannot be made: %s", l->o.emit, strerror(errno));
	for (int i = 0; i < 4 && !s; i++) {
		char *path = path_in(l, names[i]);

		s = path ? lt__mistake(lt__overwrite_check(l->ctx, path, in)) : lt_fail(l->ctx, LT_ENOMEM, "out of memory");
		s = s ? s : lt__out_check(l->ctx, path);
		free(path);
	}
	return s;
}

lt_status llama_emit(struct llama *l)
{
	LT_TRY(write_step(l));
	LT_TRY(write_original(l));
	if (!l->o.quiet)
		lt__say(stdout, "%s: step.lt, original.lt and their weights are written\n", lt__shown(l->o.emit).text);
	return LT_OK;
}
