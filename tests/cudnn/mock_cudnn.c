/* mock_cudnn.c -- cuDNN that is not there: libcudnn.so.9 for tests, on the driver that is not there.
 *
 * It takes convolutions with a residual, a bias and a ReLU, in the order that the library has a form for; convolutions
 * with channels inside and products with any pointwise operations behind them, of products before them, too; norms;
 * attention, of the operations and in the order that the library has engines for.  It computes them in double when
 * somebody waits for their stream.  What the library would read astray is in the driver's `wrong`.
 *
 *   MOCK_CUDNN=FAULT:ENGINE   what that engine does wrong: element, term, behind, other, tf32, build, load, workspace,
 *                             lost, crash, slow (its runs take ten times as long), length (one key too many counts)
 *   MOCK_CUDNN_LOG=FILE       gets a line for each "heuristic", and for "built N", "loaded N", "run N" with an engine;
 *                             at the end what was wrong, and "left N" where handles or descriptors are
 *   MOCK_CUDNN_VERSION=N      what the library says it is
 *   MOCK_CUDNN_HOLD=FILE      builds last as long as the file is there; the log gets "building N" for each
 *
 * Engines: 43 is attention's alone, has other bits in each run, and a knob that tells it; 40 computes convolutions of
 * float32 in TF32 and says so; 41 says that no two runs are the same; 12 is right; 0 is, too, and last.  Of what is
 * compiled for its graph: 50 and, last, 51, which say that they use tensor cores, and do in float32.  77 is right, and
 * no heuristic names it, nor 8, for one filter a channel alone, which says that it uses tensor cores and does not; the
 * log gets "knob T V" for each that is given by hand.
 */
#include <cudnn_graph.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cudnn/reference.h"
#include "kernel/form/form.h"
#include "tests/cuda/mock_state.h"

enum { MAX_DIM = 5, MAX_TENSOR = 64, MAX_STEP = 48, MAX_IN = 4 };
struct dnn_tensor { int64_t id, n, dim[MAX_DIM], stride[MAX_DIM], align; int32_t type, virtual, by_value; };
/* in, out: tensors of the graph.  kind: a descriptor's type.  Of a norm: what is normed, scale, a bias if there is one,
 * epsilon. */
struct dnn_step { int32_t kind, mode, axis, n_in, in[MAX_IN], out; double low, high; };
struct dnn_graph {
	struct dnn_tensor tensor[MAX_TENSOR];
	struct dnn_step step[MAX_STEP];
	int64_t n_space, before[3], after[3], stride[3], dilation[3];
	int32_t n_tensor, n_step;
};
struct dnn_plan { struct dnn_graph graph; int64_t engine, workspace, runs; };

struct attribute { struct attribute *next; int name, type; int64_t n; char data[]; };
struct descriptor {
	cudnnBackendDescriptorType_t type;
	int finished;
	struct attribute *attributes;
	struct dnn_graph graph;         /* of a graph, and what is made of it */
	struct dnn_plan plan;
	int64_t engine;
};
struct cudnnContext { CUstream stream; };

/* ---- faults ---- */

static int is_fault(const char *name, int64_t engine)
{
	const char *say = getenv("MOCK_CUDNN");
	const size_t n = strlen(name);
	while (say && *say) {
		if (strncmp(say, name, n) == 0 && say[n] == ':' && atoll(say + n + 1) == engine)
			return 1;
		say = strchr(say, ' ');
		say += say != NULL;
	}
	return 0;
}

static void note(const char *what, int64_t engine)
{
	const char *path = getenv("MOCK_CUDNN_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;
	if (f) {
		if (engine >= 0)
			(void)fprintf(f, "%s %lld\n", what, (long long)engine);
		else
			(void)fprintf(f, "%s\n", what);
		(void)fclose(f);
	}
}

/* What the driver and the library would not forgive, and what is left of what was made. */
__attribute__((destructor)) static void at_end(void)
{
	if (mock.wrong[0] && !mock.lost)
		note(mock.wrong, 0);
	if (mock.handles && !mock.lost)
		note("left", mock.handles);
}

/* ---- attributes ---- */

static size_t bytes_of(cudnnBackendAttributeType_t type)
{
	switch (type) {
	case CUDNN_TYPE_CHAR: case CUDNN_TYPE_BOOLEAN: return 1;
	case CUDNN_TYPE_HANDLE: case CUDNN_TYPE_VOID_PTR: case CUDNN_TYPE_BACKEND_DESCRIPTOR: case CUDNN_TYPE_INT64:
	case CUDNN_TYPE_DOUBLE: return 8;
	default: return 4;
	}
}

static const struct attribute *find(const struct descriptor *d, int name)
{
	const struct attribute *a = d->attributes;
	while (a && a->name != name)
		a = a->next;
	return a;
}

/* Of at most n elements; how many there are. */
static int64_t fetch(const struct descriptor *d, int name, void *to, int64_t n)
{
	const struct attribute *a = find(d, name);
	if (!a)
		return 0;
	n = a->n < n ? a->n : n;
	memcpy(to, a->data, (size_t)n * bytes_of((cudnnBackendAttributeType_t)a->type));
	return n;
}
static const struct descriptor *part(const struct descriptor *d, int name)
{
	const struct descriptor *x = NULL;
	(void)fetch(d, name, &x, 1);
	return x;
}

/* Into the graph, where it is one tensor however many operations have it; -1: it is none. */
static int32_t fetch_tensor(struct dnn_graph *g, const struct descriptor *d, int name)
{
	const struct descriptor *x = part(d, name);
	struct dnn_tensor t = { .id = -1 };
	char is = 0, by_value = 0;
	if (!x || !x->finished || x->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR)
		return -1;
	(void)fetch(x, CUDNN_ATTR_TENSOR_UNIQUE_ID, &t.id, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_DATA_TYPE, &t.type, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, &t.align, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_IS_VIRTUAL, &is, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_IS_BY_VALUE, &by_value, 1);
	t.virtual = is;
	t.by_value = by_value;
	t.n = fetch(x, CUDNN_ATTR_TENSOR_DIMENSIONS, t.dim, MAX_DIM);
	if (fetch(x, CUDNN_ATTR_TENSOR_STRIDES, t.stride, MAX_DIM) != t.n || t.n < 3)
		return -1;
	for (int64_t i = 0; i < t.n; i++)
		if (t.dim[i] < 1 || t.stride[i] < 1)
			return -1;
	for (int32_t i = 0; i < g->n_tensor; i++)
		if (g->tensor[i].id == t.id)
			return memcmp(&g->tensor[i], &t, sizeof t) == 0 ? i : -1;
	if (g->n_tensor == MAX_TENSOR)
		return -1;
	g->tensor[g->n_tensor] = t;
	return g->n_tensor++;
}

/* ---- graphs ---- */

static int same_dims(const struct dnn_tensor *a, const struct dnn_tensor *b)
{
	return a->n == b->n && !memcmp(a->dim, b->dim, (size_t)a->n * sizeof *a->dim);
}

/* The step's tensors by the names of their attributes, the result's last; 0: some are none. */
static int fetch_tensors(struct dnn_graph *g, struct dnn_step *s, const struct descriptor *op, const int *names, int n)
{
	int good = 1;
	s->kind = (int32_t)op->type;
	s->n_in = n - 1;
	for (int i = 0; i < n; i++) {
		int32_t *to = i == n - 1 ? &s->out : &s->in[i];
		*to = fetch_tensor(g, op, names[i]);
		good = good && *to >= 0;
	}
	return good;
}

static cudnnStatus_t graph_convolution(const struct descriptor *op, struct dnn_graph *g, struct dnn_step *s)
{
	static const int names[] = { CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
		CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y };
	const struct descriptor *c = part(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
	if (!c || g->n_space || !fetch_tensors(g, s, op, names, 3))
		return CUDNN_STATUS_BAD_PARAM;
	const struct dnn_tensor *x = &g->tensor[s->in[0]], *w = &g->tensor[s->in[1]], *y = &g->tensor[s->out];
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, &g->n_space, 1);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, g->before, 3);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, g->after, 3);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, g->stride, 3);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_DILATIONS, g->dilation, 3);
	if (g->n_space < 2 || g->n_space + 2 != x->n || x->n != w->n || w->n != y->n || x->dim[0] != y->dim[0]
		|| w->dim[0] != y->dim[1] || x->dim[1] % w->dim[1] || w->dim[0] % (x->dim[1] / w->dim[1]))
		return CUDNN_STATUS_BAD_PARAM;
	for (int64_t i = 0; i < g->n_space; i++)
		if ((x->dim[2 + i] + g->before[i] + g->after[i] - g->dilation[i] * (w->dim[2 + i] - 1) - 1) / g->stride[i] + 1
			!= y->dim[2 + i])
			return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

/* Batches of either factor are the result's, or divide them: heads that share keys. */
static cudnnStatus_t graph_product(const struct descriptor *op, struct dnn_graph *g, struct dnn_step *s)
{
	static const int names[] = { CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
		CUDNN_ATTR_OPERATION_MATMUL_CDESC };
	if (!part(op, CUDNN_ATTR_OPERATION_MATMUL_DESC) || !fetch_tensors(g, s, op, names, 3))
		return CUDNN_STATUS_BAD_PARAM;
	const struct dnn_tensor *a = &g->tensor[s->in[0]], *b = &g->tensor[s->in[1]], *c = &g->tensor[s->out];
	const int64_t n = c->n;
	if (a->n != n || b->n != n || a->dim[n - 2] != c->dim[n - 2] || b->dim[n - 1] != c->dim[n - 1]
		|| a->dim[n - 1] != b->dim[n - 2])
		return CUDNN_STATUS_BAD_PARAM;
	for (int64_t i = 0; i < n - 2; i++)
		if (c->dim[i] % a->dim[i] || c->dim[i] % b->dim[i])
			return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t graph_reduction(const struct descriptor *op, struct dnn_graph *g, struct dnn_step *s)
{
	static const int names[] = { CUDNN_ATTR_OPERATION_REDUCTION_XDESC, CUDNN_ATTR_OPERATION_REDUCTION_YDESC };
	const struct descriptor *what = part(op, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
	if (!what || !fetch_tensors(g, s, op, names, 2))
		return CUDNN_STATUS_BAD_PARAM;
	(void)fetch(what, CUDNN_ATTR_REDUCTION_OPERATOR, &s->mode, 1);
	const struct dnn_tensor *x = &g->tensor[s->in[0]], *y = &g->tensor[s->out];
	for (int64_t i = 0; i < y->n; i++)
		if (x->n != y->n || (y->dim[i] != 1 && y->dim[i] != x->dim[i]))
			return CUDNN_STATUS_BAD_PARAM;
	return s->mode == CUDNN_REDUCE_TENSOR_ADD || s->mode == CUDNN_REDUCE_TENSOR_MAX ? CUDNN_STATUS_SUCCESS
		: CUDNN_STATUS_BAD_PARAM;
}

/* The operands broadcast to the result: each dim is the result's, or one element. */
static int broadcasts(const struct dnn_graph *g, const struct dnn_step *s, int64_t dims)
{
	const struct dnn_tensor *y = &g->tensor[s->out];
	for (int32_t i = 0; i < s->n_in; i++)
		for (int64_t k = 0; k < dims; k++)
			if (g->tensor[s->in[i]].n != y->n || (g->tensor[s->in[i]].dim[k] != 1 && g->tensor[s->in[i]].dim[k] != y->dim[k]))
				return 0;
	return 1;
}

static cudnnStatus_t graph_pointwise(const struct descriptor *op, struct dnn_graph *g, struct dnn_step *s)
{
	static const int names[][4] = { { 0 }, { CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_YDESC },
		{ CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_ATTR_OPERATION_POINTWISE_YDESC },
		{ CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_ATTR_OPERATION_POINTWISE_TDESC,
			CUDNN_ATTR_OPERATION_POINTWISE_YDESC } };
	const struct descriptor *what = part(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
	const int n = 1 + (part(op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC) != NULL)
		+ (part(op, CUDNN_ATTR_OPERATION_POINTWISE_TDESC) != NULL);
	int64_t axis = -1;
	int32_t prec = -1;
	if (!what || !fetch_tensors(g, s, op, names[n], n + 1))
		return CUDNN_STATUS_BAD_PARAM;
	/* Integers are added as such and compared in booleans, as these are joined; all else is computed in float32. */
	(void)fetch(what, CUDNN_ATTR_POINTWISE_MATH_PREC, &prec, 1);
	const int32_t type = g->tensor[s->in[0]].type;
	if (prec != (type == CUDNN_DATA_INT32 || type == CUDNN_DATA_BOOLEAN ? g->tensor[s->out].type : CUDNN_DATA_FLOAT))
		return CUDNN_STATUS_BAD_PARAM;
	(void)fetch(what, CUDNN_ATTR_POINTWISE_MODE, &s->mode, 1);
	(void)fetch(what, CUDNN_ATTR_POINTWISE_AXIS, &axis, 1);
	s->axis = (int32_t)axis;
	s->high = INFINITY;
	(void)fetch(what, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, &s->low, 1);
	(void)fetch(what, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, &s->high, 1);
	return broadcasts(g, s, g->tensor[s->out].n) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

/* Scale and bias have the dims of the rows' elements, one along the others. */
static cudnnStatus_t graph_norm(const struct descriptor *op, struct dnn_graph *g, struct dnn_step *s)
{
	static const int with[] = { CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
		CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
		CUDNN_ATTR_OPERATION_NORM_FWD_YDESC }, without[] = { CUDNN_ATTR_OPERATION_NORM_FWD_XDESC,
		CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
		CUDNN_ATTR_OPERATION_NORM_FWD_YDESC };
	const int has_bias = part(op, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC) != NULL;
	int32_t phase = -1;
	(void)fetch(op, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, &s->mode, 1);
	(void)fetch(op, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, &phase, 1);
	if (phase != CUDNN_NORM_FWD_INFERENCE || (s->mode != CUDNN_LAYER_NORM && s->mode != CUDNN_RMS_NORM)
		|| has_bias != (s->mode == CUDNN_LAYER_NORM) || !fetch_tensors(g, s, op, has_bias ? with : without, 4 + has_bias))
		return CUDNN_STATUS_BAD_PARAM;
	const struct dnn_tensor *x = &g->tensor[s->in[0]], *scale = &g->tensor[s->in[1]];
	if (!same_dims(x, &g->tensor[s->out]) || !g->tensor[s->in[s->n_in - 1]].by_value || scale->n != x->n
		|| scale->dim[0] != 1 || (has_bias && !same_dims(scale, &g->tensor[s->in[2]])))
		return CUDNN_STATUS_BAD_PARAM;
	for (int64_t i = 1; i < x->n; i++)
		if (scale->dim[i] != x->dim[i])
			return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

/* What is virtual is made by a step before it is read. */
static int is_in_order(const struct dnn_graph *g)
{
	char made[MAX_TENSOR] = { 0 };
	for (int32_t i = 0; i < g->n_step; i++) {
		for (int32_t k = 0; k < g->step[i].n_in; k++)
			if (g->tensor[g->step[i].in[k]].virtual && !made[g->step[i].in[k]])
				return 0;
		if (made[g->step[i].out]++)
			return 0;
	}
	return 1;
}

static cudnnStatus_t graph_finish(struct descriptor *d)
{
	const struct descriptor *op[MAX_STEP + 1];
	struct dnn_graph *g = &d->graph;
	const int64_t n = fetch(d, CUDNN_ATTR_OPERATIONGRAPH_OPS, op, MAX_STEP + 1);
	cudnnStatus_t r = n < 1 || n > MAX_STEP ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
	for (int64_t i = 0; i < n && !r; i++) {
		struct dnn_step *s = &g->step[g->n_step++];
		switch (op[i]->type) {
		case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: r = graph_convolution(op[i], g, s); break;
		case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: r = graph_pointwise(op[i], g, s); break;
		case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR: r = graph_norm(op[i], g, s); break;
		case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: r = graph_product(op[i], g, s); break;
		case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: r = graph_reduction(op[i], g, s); break;
		default: r = CUDNN_STATUS_BAD_PARAM;
		}
	}
	return r ? r : is_in_order(g) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

/* Convolution, residual, bias, ReLU: each of them only before the next, the latter only behind a bias.  Halves with
 * channels inside alone. */
static int is_form_c(const struct dnn_graph *g)
{
	const struct dnn_step *first = &g->step[0];
	int at = 0, bias = 0;
	for (int32_t i = 1; i < g->n_step; i++) {
		const struct dnn_step *s = &g->step[i];
		const struct dnn_tensor *y = &g->tensor[s->out], *b = &g->tensor[s->in[1]];
		if (s->kind != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR || s->in[0] != g->step[i - 1].out
			|| (s->mode != CUDNN_POINTWISE_RELU_FWD && s->mode != CUDNN_POINTWISE_ADD))
			return 0;
		const int full = s->n_in == 2 && same_dims(b, y);
		const int is = s->mode == CUDNN_POINTWISE_RELU_FWD ? 3 : full && !bias && i + 1 < g->n_step ? 1 : 2;
		if (is <= at || (is == 3 && !bias) || (is == 2 && b->dim[1] != y->dim[1]))
			return 0;
		bias = bias || is == 2;
		at = is;
	}
	if (g->n_step > 1 && !bias)
		return 0;
	const struct dnn_tensor *x = &g->tensor[first->in[0]], *w = &g->tensor[first->in[1]],
		*y = &g->tensor[g->step[g->n_step - 1].out], *image[] = { x, w, y };
	for (int i = 0; i < 3 && x->type != CUDNN_DATA_FLOAT; i++)
		if (image[i]->stride[1] != 1)
			return 0;
	return x->type == w->type && w->type == y->type;
}

/* The step that is no pointwise operation; NULL: there are several, or none. */
static const struct dnn_step *anchor_of(const struct dnn_graph *g)
{
	const struct dnn_step *found = NULL;
	for (int32_t i = 0; i < g->n_step; i++)
		if (g->step[i].kind != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
			if (found)
				return NULL;
			found = &g->step[i];
		}
	return found;
}

static int is_depthwise(const struct dnn_graph *g)
{
	const struct dnn_step *a = anchor_of(g);
	return a && a->kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR && g->tensor[a->in[0]].dim[1] > 1
		&& g->tensor[a->in[1]].dim[1] == 1;
}

/* Two products of halves, neither made of the other: of others there are no plans, or wrong ones. */
static int is_pair(const struct dnn_graph *g)
{
	char of_product[MAX_TENSOR] = { 0 };
	int n = 0, joined = 0;
	for (int32_t i = 0; i < g->n_step; i++) {
		const struct dnn_step *s = &g->step[i];
		const int product = s->kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR;
		for (int32_t k = 0; k < s->n_in; k++) {
			if (product && (of_product[s->in[k]] || (g->tensor[s->in[k]].type != CUDNN_DATA_HALF
				&& g->tensor[s->in[k]].type != CUDNN_DATA_BFLOAT16)))
				return 0;
			of_product[s->out] |= of_product[s->in[k]];
		}
		if (!product && s->kind != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
			return 0;
		if (product)
			of_product[s->out] = (char)(1 << n++);
		joined = joined || of_product[s->out] == 3;
	}
	return n == 2 && joined;
}

/* Channels inside, halves multiplied as halves, nothing before a convolution; of bfloat16 and one filter a channel
 * nothing. */
static int is_fused(const struct dnn_graph *g)
{
	const struct dnn_step *a = anchor_of(g);
	const int32_t type = a ? g->tensor[g->step[g->n_step - 1].out].type : 0;
	const int convolves = a && a->kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
	if (is_pair(g))
		return 1;
	if (!a || (!convolves && a->kind != CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) || g->n_step < 2 - !convolves
		|| (convolves && a != g->step) || (type == CUDNN_DATA_BFLOAT16 && is_depthwise(g))
		|| g->tensor[a->in[0]].type != type || g->tensor[a->in[1]].type != type)
		return 0;
	for (int32_t i = 0; i < g->n_tensor && convolves; i++)
		if (!g->tensor[i].by_value && g->tensor[i].dim[1] > 1 && g->tensor[i].stride[1] != 1)
			return 0;
	return 1;
}

/* Alone, all in one type, elements of a row side by side. */
static int is_norm(const struct dnn_graph *g)
{
	const struct dnn_step *s = &g->step[0];
	int good = g->n_step == 1 && s->kind == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR
		&& g->tensor[s->in[0]].stride[1] == 1 && g->tensor[s->out].stride[1] == 1;
	for (int32_t i = 0; i < s->n_in - 1 && good; i++)
		good = g->tensor[s->in[i]].type == g->tensor[s->out].type;
	return good;
}

/* Product, scale, masks, causal mask with how many keys more, softmax with the logarithm that nobody reads, product: in
 * this order, each step of the one before, the probabilities in the type of the values. */
static int is_attention(const struct dnn_graph *g)
{
	static const struct { int kind, mode, optional; } all[] = { { CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, 0, 0 },
		{ 0, CUDNN_POINTWISE_MUL, 1 }, { 0, CUDNN_POINTWISE_ADD, 1 }, { 0, CUDNN_POINTWISE_MIN, 1 },
		{ 0, CUDNN_POINTWISE_GEN_INDEX, 1 }, { 0, CUDNN_POINTWISE_GEN_INDEX, 1 }, { 0, CUDNN_POINTWISE_CMP_LT, 1 },
		{ 0, CUDNN_POINTWISE_CMP_LT, 1 }, { 0, CUDNN_POINTWISE_LOGICAL_AND, 1 },
		{ 0, CUDNN_POINTWISE_BINARY_SELECT, 1 }, { 0, CUDNN_POINTWISE_GEN_INDEX, 1 },
		{ 0, CUDNN_POINTWISE_ADD, 1 }, { 0, CUDNN_POINTWISE_GEN_INDEX, 1 }, { 0, CUDNN_POINTWISE_CMP_GE, 1 },
		{ 0, CUDNN_POINTWISE_BINARY_SELECT, 1 },
		{ CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, CUDNN_REDUCE_TENSOR_MAX, 0 }, { 0, CUDNN_POINTWISE_SUB, 0 },
		{ 0, CUDNN_POINTWISE_EXP, 0 }, { CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, CUDNN_REDUCE_TENSOR_ADD, 0 },
		{ 0, CUDNN_POINTWISE_LOG, 0 }, { 0, CUDNN_POINTWISE_ADD, 0 }, { 0, CUDNN_POINTWISE_DIV, 0 },
		{ CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, 0, 0 } };
	int32_t at = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const int kind = all[i].kind ? all[i].kind : CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
		if (at < g->n_step && g->step[at].kind == kind && g->step[at].mode == all[i].mode)
			at++;
		else if (!all[i].optional)
			return 0;
	}
	const struct dnn_step *first = &g->step[0], *last = &g->step[g->n_step - 1];
	const struct dnn_tensor *q = &g->tensor[first->in[0]], *k = &g->tensor[first->in[1]], *v = &g->tensor[last->in[1]],
		*o = &g->tensor[last->out];
	const int64_t most = q->type == CUDNN_DATA_FLOAT ? 128 : 256;
	return at == g->n_step && g->tensor[last->in[0]].type == v->type && q->type == k->type && k->type == v->type
		&& v->type == o->type && q->dim[3] % 8 == 0 && v->dim[3] % 8 == 0 && q->dim[3] <= most && v->dim[3] <= most
		&& q->stride[3] == 1 && k->stride[2] == 1 && v->stride[3] == 1 && o->stride[3] == 1;
}

/* What is known as the plain form gets its engines alone. */
static int is_plain(const struct dnn_graph *g)
{
	return g->step[0].kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR && is_form_c(g);
}
static int is_taken(const struct dnn_graph *g)
{
	return is_plain(g) || is_fused(g) || is_norm(g) || is_attention(g);
}

/* ---- the backend's kernels, by their names ---- */

/* As the text says that NVRTC compiles for a device: here its addresses are the host's. */
static CUresult run_reference(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	const struct reference_program *p = mock.host(arg[0]);
	const int64_t n = (int64_t)arg[4], lanes = (int64_t)arg[5];
	struct reference_result *out = mock.host(arg[3]);
	const size_t bytes = sizeof *p + (size_t)p->n_axis * 8 + (size_t)p->n_operand * sizeof(struct reference_operand)
		+ (size_t)p->n_step * sizeof(struct reference_step) + (size_t)p->n_place * 8;
	struct reference_program *here = malloc(bytes);
	memcpy(here, p, bytes);
	struct reference_operand *o = (struct reference_operand *)(uintptr_t)REFERENCE_OPERANDS(here);
	for (int32_t i = 0; i < p->n_operand; i++)
		o[i].at = (uintptr_t)mock.host(o[i].at);
	for (int64_t i = 0; i < n; i++) {
		struct reference_result one;
		reference_run(here, (const int64_t *)mock.host(arg[1]) + i * p->n_axis, mock.host(arg[2]), &one, 1, 0, 1, 0);
		for (int64_t k = 0; k < lanes; k++)
			out[i * lanes + k] = one;
	}
	free(here);
	return (uint64_t)blocks[0] * threads[0] < (uint64_t)(n * lanes) || threads[0] % (unsigned)lanes
		? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

static CUresult run_same(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	(void)blocks, (void)threads;
	for (int64_t i = 0; i < (int64_t)arg[2]; i++)
		reference_compare_bytes(mock.host(arg[0]), mock.host(arg[1]), i, mock.host(arg[3]));
	return CUDA_SUCCESS;
}

static CUresult run_masked(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	double number[2];
	uint64_t slot[4];
	(void)blocks, (void)threads;
	memcpy(number, arg + 5, sizeof number);
	for (int i = 0; i < 4; i++)
		slot[i] = arg[7 + i] ? (uintptr_t)mock.host(arg[7 + i]) : 0;
	for (int64_t i = 0; i < (int64_t)arg[2]; i++)
		reference_mask(mock.host(arg[0]), mock.host(arg[1]), i, (int32_t)arg[3], arg[4] != 0, number[0], number[1], slot);
	return CUDA_SUCCESS;
}

static CUresult run_length(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	(void)blocks, (void)threads;
	for (int64_t i = 0; i < (int64_t)arg[6]; i++)
		reference_keep_length(mock.host(arg[0]), (int64_t)arg[1], (int64_t)arg[2], (int64_t)arg[3], (int64_t)arg[4],
			mock.host(arg[5]), i, (int64_t)arg[7], (int64_t)arg[8]);
	return CUDA_SUCCESS;
}

static CUresult run_empty(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3])
{
	int64_t extent[3], by[3];
	(void)blocks, (void)threads;
	memcpy(extent, arg + 7, sizeof extent);
	memcpy(by, arg + 10, sizeof by);
	for (int64_t i = 0; i < (int64_t)arg[6]; i++)
		if (reference_length(mock.host(arg[0]), (int64_t)arg[1], (int64_t)arg[2], i) < (int64_t)arg[3])
			for (int64_t lane = 0; lane < REFERENCE_EMPTY_LANES; lane++)
				reference_empty(mock.host(arg[4]), (int32_t)arg[5], i, lane, extent, by);
	return CUDA_SUCCESS;
}

__attribute__((constructor)) static void at_begin(void)
{
	static const struct mock_kernel kernels[] = { { "lt_cudnn_reference", run_reference, 6, 64, 1024, 0 },
		{ "lt_cudnn_same", run_same, 4, 32, 1024, 0 },
		{ "lt_cudnn_masked", run_masked, 11, 64, 1024, 0 }, { "lt_cudnn_length", run_length, 9, 32, 1024, 0 },
		{ "lt_cudnn_empty", run_empty, 13, 32, 1024, 0 } };
	mock.kernels(kernels, sizeof kernels / sizeof *kernels);
}

/* ---- a plan runs ---- */

static uint32_t dtype_of(int32_t type)
{
	return type == CUDNN_DATA_HALF ? LT_F16 : type == CUDNN_DATA_BFLOAT16 ? LT_BF16 : type == CUDNN_DATA_INT32 ? LT_I32
		: LT_F32;
}
static size_t element_bytes(const struct dnn_tensor *t) { return lt__number_bytes(dtype_of(t->type)); }
static size_t tensor_bytes(const struct dnn_tensor *t)
{
	int64_t last = 0;
	for (int64_t i = 0; i < t->n; i++)
		last += (t->dim[i] - 1) * t->stride[i];
	return (size_t)(last + 1) * element_bytes(t);
}

static int64_t tensor_elems(const struct dnn_tensor *t)
{
	int64_t n = 1;
	for (int64_t i = 0; i < t->n; i++)
		n *= t->dim[i];
	return n;
}
static void element_index(const struct dnn_tensor *t, int64_t element, int64_t *index)
{
	for (int64_t i = t->n - 1; i >= 0; i--) {
		index[i] = element % t->dim[i];
		element /= t->dim[i];
	}
}

/* address: of tensors in memory; number: of those that are handed over by value; between: of virtual ones, element by
 * element; read: of tensors in memory that no step writes, as doubles by where they lie. */
struct dnn_run {
	struct dnn_plan plan;
	char *at[MAX_TENSOR];
	uint64_t address[MAX_TENSOR];
	union { float f; int32_t i; } number[MAX_TENSOR];
	double *between[MAX_TENSOR], *read[MAX_TENSOR];
};

static double tf32(double x)
{
	float f = (float)x;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	bits &= ~UINT32_C(0x1fff);
	memcpy(&f, &bits, sizeof f);
	return (double)f;
}

static int64_t element_of(const struct dnn_tensor *t, const int64_t *index)
{
	int64_t at = 0;
	for (int64_t i = 0; i < t->n; i++)
		at += (t->dim[i] == 1 ? 0 : index[i]) * t->stride[i];
	return at;
}

/* Of a tensor at an index of the operation that reads it: along dims of one element it is repeated. */
static double value_at(const struct dnn_run *r, int32_t tensor, const int64_t *index)
{
	const struct dnn_tensor *t = &r->plan.graph.tensor[tensor];
	int64_t at = 0;
	if (t->by_value)
		return t->type == CUDNN_DATA_INT32 ? r->number[tensor].i : (double)r->number[tensor].f;
	if (r->read[tensor])
		return r->read[tensor][element_of(t, index)];
	if (!t->virtual) {
		const union lt_number x = lt__number_load(r->at[tensor], element_of(t, index), dtype_of(t->type));
		return t->type == CUDNN_DATA_INT32 ? (double)x.i : x.f;
	}
	for (int64_t i = 0; i < t->n; i++)
		at = at * t->dim[i] + (t->dim[i] == 1 ? 0 : index[i]);
	return r->between[tensor][at];
}

static int in_tf32(const struct dnn_run *r, int32_t type)
{
	const int64_t engine = r->plan.engine;
	return type == CUDNN_DATA_FLOAT && ((engine == 40 && anchor_of(&r->plan.graph)) || is_fault("tf32", engine)
		|| engine == 50 || engine == 51);
}

static double convolve(const struct dnn_run *r, const struct dnn_step *s, const int64_t *y)
{
	const struct dnn_graph *g = &r->plan.graph;
	const struct dnn_tensor *in = &g->tensor[s->in[0]], *by = &g->tensor[s->in[1]];
	const int64_t groups = in->dim[1] / by->dim[1], group = y[1] / (by->dim[0] / groups);
	const int rounds = in_tf32(r, in->type);
	int64_t w[MAX_DIM] = { y[1] }, x[MAX_DIM] = { y[0] }, terms = 1, left_out = -1;
	double sum = 0;
	for (int64_t i = 1; i < by->n; i++)
		terms *= by->dim[i];
	if (is_fault("term", r->plan.engine))
		left_out = terms / 2;
	for (int64_t t = 0; t < terms; t++) {
		int64_t rest = t, inside = 1;
		for (int64_t i = by->n - 1; i >= 1; i--) {
			w[i] = rest % by->dim[i];
			rest /= by->dim[i];
		}
		x[1] = group * by->dim[1] + w[1];
		for (int64_t i = 0; i < g->n_space; i++) {
			x[2 + i] = y[2 + i] * g->stride[i] + w[2 + i] * g->dilation[i] - g->before[i];
			inside = inside && x[2 + i] >= 0 && x[2 + i] < in->dim[2 + i];
		}
		if (!inside || t == left_out)
			continue;
		double a = value_at(r, s->in[0], x), b = value_at(r, s->in[1], w);
		sum += rounds ? tf32(a) * tf32(b) : a * b;
	}
	return sum;
}

/* A maximum and a minimum lose NaN, a ReLU does not. */
static double point(const struct dnn_step *s, double a, double b, double condition)
{
	switch (s->mode) {
	case CUDNN_POINTWISE_ADD: return a + b;
	case CUDNN_POINTWISE_SUB: return a - b;
	case CUDNN_POINTWISE_MUL: return a * b;
	case CUDNN_POINTWISE_DIV: return a / b;
	case CUDNN_POINTWISE_MAX: return fmax(a, b);
	case CUDNN_POINTWISE_MIN: return fmin(a, b);
	case CUDNN_POINTWISE_NEG: return -a;
	case CUDNN_POINTWISE_ABS: return fabs(a);
	case CUDNN_POINTWISE_EXP: return exp(a);
	case CUDNN_POINTWISE_LOG: return log(a);
	case CUDNN_POINTWISE_SQRT: return sqrt(a);
	case CUDNN_POINTWISE_RSQRT: return 1 / sqrt(a);
	case CUDNN_POINTWISE_RECIPROCAL: return 1 / a;
	case CUDNN_POINTWISE_ERF: return erf(a);
	case CUDNN_POINTWISE_SIN: return sin(a);
	case CUDNN_POINTWISE_COS: return cos(a);
	case CUDNN_POINTWISE_FLOOR: return floor(a);
	case CUDNN_POINTWISE_CEIL: return ceil(a);
	case CUDNN_POINTWISE_IDENTITY: return a;
	case CUDNN_POINTWISE_SIGMOID_FWD: return 1 / (1 + exp(-a));
	case CUDNN_POINTWISE_RELU_FWD: return a < s->low ? s->low : a > s->high ? s->high : a;
	case CUDNN_POINTWISE_CMP_EQ: return a == b;
	case CUDNN_POINTWISE_CMP_NEQ: return a != b;
	case CUDNN_POINTWISE_CMP_LT: return a < b;
	case CUDNN_POINTWISE_CMP_LE: return a <= b;
	case CUDNN_POINTWISE_CMP_GT: return a > b;
	case CUDNN_POINTWISE_CMP_GE: return a >= b;
	case CUDNN_POINTWISE_LOGICAL_AND: return a != 0 && b != 0;
	case CUDNN_POINTWISE_BINARY_SELECT: return condition != 0 ? a : b;
	default: return NAN;
	}
}

/* The axis whose numbers are compared with lengths, which are in memory; -1: the step is something else. */
static int64_t counted_axis(const struct dnn_graph *g, const struct dnn_step *s)
{
	const struct dnn_tensor *by = s->n_in > 1 ? &g->tensor[s->in[1]] : NULL;
	if (s->kind != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR || s->mode != CUDNN_POINTWISE_CMP_LT || !by || by->virtual
		|| by->by_value || by->type != CUDNN_DATA_INT32)
		return -1;
	for (int32_t i = 0; i < g->n_step; i++)
		if (g->step[i].out == s->in[0] && g->step[i].mode == CUDNN_POINTWISE_GEN_INDEX)
			return g->step[i].axis;
	return -1;
}

/* How many queries count: where keys alone are compared with lengths, engines of 9.14 on a device write 0 to queries
 * beyond these.  With lengths of both, engines there give other values; this is what they should do. */
static double queries_of(const struct dnn_run *r, const int64_t *y, int64_t n)
{
	const struct dnn_graph *g = &r->plan.graph;
	double count = INFINITY;
	for (int32_t i = 0; i < g->n_step; i++) {
		const int64_t axis = counted_axis(g, &g->step[i]);
		if (axis == n - 2 || (axis == n - 1 && isinf(count)))
			count = value_at(r, g->step[i].in[1], y);
	}
	return count;
}

static double pointed(const struct dnn_run *r, const struct dnn_step *s, const int64_t *y)
{
	double in[3] = { 0, 0, 0 };
	if (s->mode == CUDNN_POINTWISE_GEN_INDEX)
		return (double)y[s->axis];
	for (int32_t i = 0; i < s->n_in; i++)
		in[i] = value_at(r, s->in[i], y);
	const struct dnn_tensor *y_of = &r->plan.graph.tensor[s->out];
	const int64_t axis = counted_axis(&r->plan.graph, s);
	if (axis >= 0 && (in[1] < 1 || in[1] > (double)y_of->dim[axis]))
		mock_wrong("a length that there is nothing for");
	if (axis == y_of->n - 1 && is_fault("length", r->plan.engine))  /* one key too many */
		in[0] -= 1;
	return point(s, in[0], in[1], in[2]);
}

/* [..., rows, deep] by [..., deep, columns].  A factor with fewer batches has one for several of the result's, side by
 * side. */
static double multiplied(const struct dnn_run *r, const struct dnn_step *s, const int64_t *y)
{
	const struct dnn_tensor *a = &r->plan.graph.tensor[s->in[0]], *b = &r->plan.graph.tensor[s->in[1]],
		*c = &r->plan.graph.tensor[s->out];
	const int64_t n = c->n, deep = a->dim[n - 1], left_out = is_fault("term", r->plan.engine) ? deep / 2 : -1;
	const int rounds = in_tf32(r, a->type);
	int64_t at_a[MAX_DIM], at_b[MAX_DIM];
	double sum = 0;
	for (int64_t i = 0; i < n - 2; i++) {
		at_a[i] = y[i] / (c->dim[i] / a->dim[i]);
		at_b[i] = y[i] / (c->dim[i] / b->dim[i]);
	}
	at_a[n - 2] = y[n - 2];
	at_b[n - 1] = y[n - 1];
	if (s == &r->plan.graph.step[r->plan.graph.n_step - 1] && (double)y[n - 2] >= queries_of(r, y, n))
		return 0;
	for (int64_t k = 0; k < deep; k++) {
		at_a[n - 1] = at_b[n - 2] = k;
		const double x = value_at(r, s->in[0], at_a), w = value_at(r, s->in[1], at_b);
		if (k != left_out)
			sum += rounds ? tf32(x) * tf32(w) : x * w;
	}
	return sum;
}

static double reduced(const struct dnn_run *r, const struct dnn_step *s, const int64_t *y)
{
	const struct dnn_tensor *x = &r->plan.graph.tensor[s->in[0]], *t = &r->plan.graph.tensor[s->out];
	const bool max = s->mode == CUDNN_REDUCE_TENSOR_MAX;
	double sum = max ? -INFINITY : 0;
	int64_t at[MAX_DIM];
	for (int64_t e = 0; e < tensor_elems(x); e++) {
		int same = 1;
		element_index(x, e, at);
		for (int64_t i = 0; i < t->n; i++)
			same = same && (t->dim[i] == 1 || at[i] == y[i]);
		if (!same)
			continue;
		const double term = value_at(r, s->in[0], at);
		sum = !max ? sum + term : isnan(term) || isnan(sum) ? sum + term : term > sum ? term : sum;
	}
	return sum;
}

/* Over all elements of the row that the index is in. */
static double normed(const struct dnn_run *r, const struct dnn_step *s, const int64_t *y)
{
	const struct dnn_tensor *t = &r->plan.graph.tensor[s->in[0]];
	const int64_t terms = tensor_elems(t) / t->dim[0];
	int64_t at[MAX_DIM] = { y[0] };
	double mean = 0, squares = 0;
	for (int pass = s->mode == CUDNN_LAYER_NORM ? 0 : 1; pass < 2; pass++)
		for (int64_t e = is_fault("term", r->plan.engine); e < terms; e++) {
			element_index(t, y[0] * terms + e, at);
			const double x = value_at(r, s->in[0], at);
			mean += pass ? 0 : x / (double)terms;
			squares += pass ? (x - mean) * (x - mean) / (double)terms : 0;
		}
	const double epsilon = value_at(r, s->in[s->n_in - 1], y);
	return (value_at(r, s->in[0], y) - mean) / sqrt(squares + epsilon) * value_at(r, s->in[1], y)
		+ (s->n_in > 3 ? value_at(r, s->in[2], y) : 0);
}

static double step_value(const struct dnn_run *r, const struct dnn_step *s, const int64_t *y)
{
	switch (s->kind) {
	case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: return convolve(r, s, y);
	case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR: return normed(r, s, y);
	case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: return multiplied(r, s, y);
	case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: return reduced(r, s, y);
	default: return pointed(r, s, y);
	}
}

static double rounded(double x, int32_t type)
{
	return lt__number_round((union lt_number){ .f = x }, dtype_of(type)).f;
}

/* Of virtual tensors those of fewer bits than float32 are rounded. */
static void run_step(struct dnn_run *r, const struct dnn_step *s)
{
	const struct dnn_tensor *t = &r->plan.graph.tensor[s->out];
	const int64_t engine = r->plan.engine, n = tensor_elems(t);
	int64_t y[MAX_DIM] = { 0 };
	if (t->virtual)
		r->between[s->out] = calloc((size_t)n, sizeof *r->between[s->out]);
	for (int64_t e = 0; e < n; e++) {
		element_index(t, e, y);
		double x = step_value(r, s, y);
		if (t->virtual) {
			r->between[s->out][e] = element_bytes(t) < 4 ? rounded(x, t->type) : x;
			continue;
		}
		if ((is_fault("element", engine) && e == n - 1) || (is_fault("other", engine) && e == 0 && r->plan.runs > 0))
			x += 1;
		const union lt_number is = { .f = rounded(x, t->type) };
		lt__number_store(r->at[s->out], element_of(t, y), dtype_of(t->type), is);
	}
	if (is_fault("behind", engine) && !t->virtual)
		memset(r->at[s->out] + tensor_bytes(t), 0x5a, element_bytes(t));
}

/* A sum reads each element many times. */
static double *read_all(const struct dnn_run *r, int32_t tensor)
{
	const struct dnn_tensor *t = &r->plan.graph.tensor[tensor];
	const size_t n = tensor_bytes(t) / element_bytes(t);
	for (int32_t i = 0; i < r->plan.graph.n_step; i++)
		if (r->plan.graph.step[i].out == tensor)
			return NULL;
	double *all = malloc(n * sizeof *all);
	if (!all)
		abort();
	for (size_t i = 0; i < n; i++) {
		const union lt_number x = lt__number_load(r->at[tensor], (int64_t)i, dtype_of(t->type));
		all[i] = t->type == CUDNN_DATA_INT32 ? (double)x.i : x.f;
	}
	return all;
}

static CUresult run(void *arg, int device)
{
	struct dnn_run *r = arg;
	const struct dnn_graph *g = &r->plan.graph;
	for (int32_t i = 0; i < g->n_tensor; i++)
		if (r->address[i] && !(r->at[i] = mock_range(r->address[i], tensor_bytes(&g->tensor[i]), device)))
			return CUDA_ERROR_ILLEGAL_ADDRESS;
	if (is_fault("crash", r->plan.engine))
		(void)raise(SIGKILL);
	if (is_fault("lost", r->plan.engine))
		return mock.lost = CUDA_ERROR_ILLEGAL_ADDRESS;
	for (int32_t i = 0; i < g->n_tensor; i++)
		r->read[i] = r->address[i] ? read_all(r, i) : NULL;
	for (int32_t i = 0; i < g->n_step; i++)
		run_step(r, &g->step[i]);
	for (int32_t i = 0; i < g->n_tensor; i++) {
		free(r->between[i]);
		free(r->read[i]);
	}
	mock_pass(is_fault("slow", r->plan.engine) ? 0.02f : 0.002f);
	note("run", r->plan.engine);
	return CUDA_SUCCESS;
}

/* ---- the library's functions ---- */

#define DNN(context) \
	LOCKED; \
	if (mock_begin_call(__func__, context)) \
	return CUDNN_STATUS_EXECUTION_FAILED

API size_t cudnnGetVersion(void)
{
	return getenv("MOCK_CUDNN_VERSION") ? (size_t)atoll(getenv("MOCK_CUDNN_VERSION")) : 91400;
}
API const char *cudnnGetErrorString(cudnnStatus_t r)
{
	return r == CUDNN_STATUS_BAD_PARAM ? "CUDNN_STATUS_BAD_PARAM" : r == CUDNN_STATUS_NOT_SUPPORTED
		? "CUDNN_STATUS_NOT_SUPPORTED" : r == CUDNN_STATUS_EXECUTION_FAILED ? "CUDNN_STATUS_EXECUTION_FAILED"
		: "CUDNN_STATUS_UNKNOWN";
}
API void cudnnGetLastErrorString(char *message, size_t bytes) { (void)snprintf(message, bytes, "mock:\nno more"); }
API cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
	DNN(1);
	*handle = calloc(1, sizeof **handle);
	mock.handles++;
	return CUDNN_STATUS_SUCCESS;
}
API cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
	LOCKED;
	free(handle);
	mock.handles--;
	return CUDNN_STATUS_SUCCESS;
}
API cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
	LOCKED;
	handle->stream = (CUstream)stream;
	return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *out)
{
	LOCKED;
	struct descriptor *d = calloc(1, sizeof *d);
	d->type = type;
	*out = d;
	mock.handles++;
	return CUDNN_STATUS_SUCCESS;
}
API cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t x)
{
	LOCKED;
	struct descriptor *d = x;
	for (struct attribute *a; (a = d->attributes); ) {
		d->attributes = a->next;
		free(a);
	}
	free(d);
	mock.handles--;
	return CUDNN_STATUS_SUCCESS;
}
API cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t x, cudnnBackendAttributeName_t name,
	cudnnBackendAttributeType_t type, int64_t n, const void *values)
{
	LOCKED;
	struct descriptor *d = x;
	struct attribute *a = malloc(sizeof *a + (size_t)n * bytes_of(type));
	if (d->finished)
		mock_wrong("an attribute of a descriptor that is finished");
	*a = (struct attribute){ d->attributes, (int)name, (int)type, n };
	memcpy(a->data, values, (size_t)n * bytes_of(type));
	d->attributes = a;
	return CUDNN_STATUS_SUCCESS;
}

static const char begins[] = "{\"mock\":\"";

/* "{"mock":"00ff..."}" */
static void plan_text(const struct dnn_plan *p, char *to)
{
	const unsigned char *from = (const unsigned char *)p;
	to += sprintf(to, "%s", begins);
	for (size_t i = 0; i < sizeof *p; i++)
		to += sprintf(to, "%02x", from[i]);
	(void)sprintf(to, "\"}");
}
enum { PLAN_TEXT = sizeof begins + 2 * sizeof(struct dnn_plan) + 2 };

static cudnnStatus_t plan_read(struct descriptor *d)
{
	char text[PLAN_TEXT + 1] = "";
	unsigned char *to = (unsigned char *)&d->plan;
	if (fetch(d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, text, PLAN_TEXT) < PLAN_TEXT - 1
		|| strncmp(text, begins, strlen(begins)) != 0)
		return CUDNN_STATUS_BAD_PARAM;
	for (size_t i = 0; i < sizeof d->plan; i++) {
		char two[3] = { text[strlen(begins) + 2 * i], text[strlen(begins) + 2 * i + 1], '\0' };
		to[i] = (unsigned char)strtoul(two, NULL, 16);
	}
	if (is_fault("load", d->plan.engine))
		return CUDNN_STATUS_NOT_SUPPORTED;
	note("loaded", d->plan.engine);
	return CUDNN_STATUS_SUCCESS;
}

/* With the lock, which others have meanwhile. */
static void hold(int64_t engine)
{
	const char *path = getenv("MOCK_CUDNN_HOLD");
	if (path)
		note("building", engine);
	while (path && access(path, F_OK) == 0) {
		(void)pthread_mutex_unlock(&mock_lock);
		(void)usleep(1000);
		(void)pthread_mutex_lock(&mock_lock);
	}
}

static cudnnStatus_t plan_finish(struct descriptor *d)
{
	const struct descriptor *config = part(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
	if (!find(d, CUDNN_ATTR_EXECUTION_PLAN_HANDLE))
		return CUDNN_STATUS_BAD_PARAM;
	if (!config)
		return plan_read(d);
	hold(config->engine);
	if (is_fault("build", config->engine))
		return CUDNN_STATUS_NOT_SUPPORTED;
	d->plan = (struct dnn_plan){ .graph = config->graph, .engine = config->engine,
		.workspace = is_fault("workspace", config->engine) ? INT64_C(1) << 50 : config->engine == 12 ? 4096 : 0 };
	note("built", d->plan.engine);
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t engine_finish(struct descriptor *d)
{
	static const int64_t known[] = { 40, 41, 12, 0, 77, 8 };
	const struct descriptor *graph = part(d, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
	if (!graph || !graph->finished || fetch(d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, &d->engine, 1) != 1)
		return CUDNN_STATUS_BAD_PARAM;
	d->graph = graph->graph;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] == d->engine)
			return is_taken(&d->graph) && (d->engine != 8 || is_depthwise(&d->graph)) ? CUDNN_STATUS_SUCCESS
				: CUDNN_STATUS_NOT_SUPPORTED;
	return CUDNN_STATUS_NOT_SUPPORTED;
}

static cudnnStatus_t config_finish(struct descriptor *d)
{
	enum { MAX_KNOB = 8 };
	const struct descriptor *engine = part(d, CUDNN_ATTR_ENGINECFG_ENGINE), *knob[MAX_KNOB];
	const int64_t n = fetch(d, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knob, MAX_KNOB);
	if (!engine || !engine->finished)
		return CUDNN_STATUS_BAD_PARAM;
	d->engine = engine->engine;
	d->graph = engine->graph;
	for (int64_t i = 0; i < n; i++) {
		char text[60];
		int32_t type = -1;
		int64_t value = -1;
		if (!knob[i]->finished)
			return CUDNN_STATUS_BAD_PARAM;
		(void)fetch(knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, &type, 1);
		(void)fetch(knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, &value, 1);
		(void)snprintf(text, sizeof text, "knob %d", (int)type);
		note(text, value);
	}
	return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t x)
{
	struct descriptor *d = x;
	const struct descriptor *graph;
	DNN(1);
	d->finished = 1;
	switch (d->type) {
	case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return graph_finish(d);
	case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
		graph = part(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
		if (!graph || !graph->finished)
			return CUDNN_STATUS_BAD_PARAM;
		d->graph = graph->graph;
		note("heuristic", -1);
		return is_taken(&d->graph) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
	case CUDNN_BACKEND_ENGINE_DESCRIPTOR: return engine_finish(d);
	case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: return config_finish(d);
	case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return plan_finish(d);
	default: return CUDNN_STATUS_SUCCESS;
	}
}

/* By kind of graph (plain or a norm, plain of one filter a channel, fused, attention) and heuristic. */
static const struct { int64_t n, engine[4]; } engines[4][2] = { { { 3, { 40, 41, 12 } }, { 1, { 0 } } },
	{ { 0 }, { 1, { 0 } } }, { { 1, { 50 } }, { 1, { 51 } } }, { { 4, { 43, 40, 41, 12 } }, { 1, { 0 } } } };

static cudnnStatus_t get_results(const struct descriptor *d, int64_t most, int64_t *n, cudnnBackendDescriptor_t *out)
{
	int32_t mode = 0;
	(void)fetch(d, CUDNN_ATTR_ENGINEHEUR_MODE, &mode, 1);
	const int list = mode == CUDNN_HEUR_MODE_FALLBACK, kind = is_attention(&d->graph) ? 3 : is_norm(&d->graph) ? 0
		: !is_plain(&d->graph) ? 2 : is_depthwise(&d->graph) && d->graph.n_step > 1;
	*n = engines[kind][list].n;
	for (int64_t i = 0; i < most && i < *n; i++) {
		struct descriptor *config = out[i];
		config->engine = engines[kind][list].engine[i];
		config->graph = d->graph;
		config->finished = 1;
	}
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t get_notes(int64_t engine, int64_t *n, cudnnBackendNumericalNote_t *out)
{
	*n = engine == 40 || engine == 41 || engine == 50 || engine == 51 || engine == 8;
	if (*n)
		out[0] = engine == 41 ? CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC : CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
	return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const x, cudnnBackendAttributeName_t name,
	cudnnBackendAttributeType_t type, int64_t most, int64_t *n, void *out)
{
	LOCKED;
	const struct descriptor *d = x;
	char text[PLAN_TEXT + 1];
	(void)type;
	if (!d->finished)
		return CUDNN_STATUS_NOT_INITIALIZED;
	*n = 1;
	switch (name) {
	case CUDNN_ATTR_ENGINEHEUR_RESULTS: return get_results(d, most, n, out);
	case CUDNN_ATTR_ENGINECFG_ENGINE:
		(*(struct descriptor **)out)->engine = d->engine;
		(*(struct descriptor **)out)->finished = 1;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:         /* one: 35 is 43's */
		(*(struct descriptor **)out)->engine = d->engine;
		(*(struct descriptor **)out)->finished = 1;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE: *(cudnnBackendKnobType_t *)out = CUDNN_KNOB_TYPE_KERNEL_CFG;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE: *(int64_t *)out = d->engine == 43 ? 35 : 7; return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINE_GLOBAL_INDEX: *(int64_t *)out = d->engine; return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE: return get_notes(d->engine, n, out);
	case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE: *(int64_t *)out = d->plan.workspace; return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION:
		*n = PLAN_TEXT;
		plan_text(&d->plan, text);
		if (most)
			memcpy(out, text, (size_t)(most < PLAN_TEXT ? most : PLAN_TEXT));
		return CUDNN_STATUS_SUCCESS;
	default: return CUDNN_STATUS_NOT_SUPPORTED;
	}
}

API cudnnStatus_t cudnnBackendExecute(
	cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack)
{
	struct descriptor *p = plan, *v = pack;
	const struct dnn_graph *g = &p->plan.graph;
	int64_t id[MAX_TENSOR];
	void *at[MAX_TENSOR], *room = NULL;
	DNN(1);
	struct dnn_run r = { .plan = p->plan };
	const int64_t n = fetch(v, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, id, MAX_TENSOR);
	if (!p->finished || !v->finished || fetch(v, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, at, MAX_TENSOR) != n)
		return CUDNN_STATUS_BAD_PARAM;
	(void)fetch(v, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, &room, 1);
	if (p->plan.workspace && !mock_range((CUdeviceptr)(uintptr_t)room, (size_t)p->plan.workspace, mock_device()))
		mock_wrong("less room than the plan needs");
	for (int32_t i = 0; i < g->n_tensor; i++) {
		const struct dnn_tensor *t = &g->tensor[i];
		const void *is = NULL;
		for (int64_t k = 0; k < n; k++)
			is = id[k] == t->id ? at[k] : is;
		if (t->virtual ? is != NULL : !is)
			return CUDNN_STATUS_BAD_PARAM;
		if (t->by_value)
			memcpy(&r.number[i], is, sizeof r.number[i]);
		else
			r.address[i] = (uintptr_t)is;
		if (r.address[i] % (uint64_t)t->align)
			mock_wrong("an address that is less aligned than its tensor");
	}
	p->plan.runs++;
	return mock_work("cudnnBackendExecute", handle->stream, run, &r, sizeof r) ? CUDNN_STATUS_EXECUTION_FAILED
		: CUDNN_STATUS_SUCCESS;
}
