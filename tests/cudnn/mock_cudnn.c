/* mock_cudnn.c -- cuDNN that is not there: libcudnn.so.9 for tests, on the driver that is not there.
 *
 * It takes convolutions with a residual, a bias and a ReLU, in the order that the library has a form for, and computes
 * them in double when somebody waits for their stream.  What the library would read astray is in the driver's `wrong`.
 *
 *   MOCK_CUDNN=FAULT:ENGINE   what that engine does wrong: element, term, behind, other, tf32, build, load, workspace,
 *                             lost
 *   MOCK_CUDNN_LOG=FILE       gets a line for each "heuristic", and for "built N", "loaded N", "run N" with an engine;
 *                             at the end what was wrong, and "left N" where handles or descriptors are
 *   MOCK_CUDNN_VERSION=N      what the library says it is
 *
 * Engines: 40 computes float32 in TF32 and says so; 41 says that no two runs are the same; 12 is right; 0 is, too, and
 * last.
 */
#include <cudnn_graph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "tests/cuda/mock_state.h"

enum { MAX_DIM = 5, MAX_STEP = 3 };
struct dnn_tensor { int64_t id, n, dim[MAX_DIM], stride[MAX_DIM], align; int32_t type, virtual; };
struct dnn_graph {
	struct dnn_tensor x, w, y, operand[MAX_STEP];
	int64_t n_space, before[3], after[3], stride[3], dilation[3];
	int32_t n_step, mode[MAX_STEP];
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

static int fetch_tensor(const struct descriptor *d, int name, struct dnn_tensor *t)
{
	const struct descriptor *x = part(d, name);
	char is = 0;
	*t = (struct dnn_tensor){ .id = -1 };
	if (!x || !x->finished || x->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR)
		return 0;
	(void)fetch(x, CUDNN_ATTR_TENSOR_UNIQUE_ID, &t->id, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_DATA_TYPE, &t->type, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, &t->align, 1);
	(void)fetch(x, CUDNN_ATTR_TENSOR_IS_VIRTUAL, &is, 1);
	t->virtual = is;
	t->n = fetch(x, CUDNN_ATTR_TENSOR_DIMENSIONS, t->dim, MAX_DIM);
	if (fetch(x, CUDNN_ATTR_TENSOR_STRIDES, t->stride, MAX_DIM) != t->n || t->n < 4)
		return 0;
	for (int64_t i = 0; i < t->n; i++)
		if (t->dim[i] < 1 || t->stride[i] < 1)
			return 0;
	return 1;
}

/* ---- graphs ---- */

static int same_dims(const struct dnn_tensor *a, const struct dnn_tensor *b)
{
	return a->n == b->n && !memcmp(a->dim, b->dim, (size_t)a->n * sizeof *a->dim);
}

static cudnnStatus_t graph_convolution(const struct descriptor *op, struct dnn_graph *g)
{
	const struct descriptor *c = part(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
	if (op->type != CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR || !c
		|| !fetch_tensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, &g->x)
		|| !fetch_tensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, &g->w)
		|| !fetch_tensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, &g->y))
		return CUDNN_STATUS_BAD_PARAM;
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, &g->n_space, 1);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, g->before, 3);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, g->after, 3);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, g->stride, 3);
	(void)fetch(c, CUDNN_ATTR_CONVOLUTION_DILATIONS, g->dilation, 3);
	if (g->n_space + 2 != g->x.n || g->x.n != g->w.n || g->w.n != g->y.n || g->x.dim[0] != g->y.dim[0]
		|| g->w.dim[0] != g->y.dim[1] || g->x.dim[1] % g->w.dim[1] || g->w.dim[0] % (g->x.dim[1] / g->w.dim[1]))
		return CUDNN_STATUS_BAD_PARAM;
	for (int64_t i = 0; i < g->n_space; i++)
		if ((g->x.dim[2 + i] + g->before[i] + g->after[i] - g->dilation[i] * (g->w.dim[2 + i] - 1) - 1) / g->stride[i] + 1
			!= g->y.dim[2 + i])
			return CUDNN_STATUS_BAD_PARAM;
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t graph_step(const struct descriptor *op, struct dnn_graph *g)
{
	struct dnn_tensor x, y, *b = &g->operand[g->n_step];
	const struct descriptor *what = part(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
	if (g->n_step == MAX_STEP || op->type != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR || !what
		|| !fetch_tensor(op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, &x)
		|| !fetch_tensor(op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, &y) || !g->y.virtual || x.id != g->y.id
		|| !same_dims(&x, &y))
		return CUDNN_STATUS_BAD_PARAM;
	int32_t *mode = &g->mode[g->n_step++];
	(void)fetch(what, CUDNN_ATTR_POINTWISE_MODE, mode, 1);
	if (*mode == CUDNN_POINTWISE_ADD && !fetch_tensor(op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b))
		return CUDNN_STATUS_BAD_PARAM;
	g->y = y;
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t graph_finish(struct descriptor *d)
{
	const struct descriptor *op[MAX_STEP + 1];
	const int64_t n = fetch(d, CUDNN_ATTR_OPERATIONGRAPH_OPS, op, MAX_STEP + 1);
	if (n < 1)
		return CUDNN_STATUS_BAD_PARAM;
	cudnnStatus_t r = graph_convolution(op[0], &d->graph);
	for (int64_t i = 1; i < n && !r; i++)
		r = graph_step(op[i], &d->graph);
	return r ? r : d->graph.y.virtual ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
}

/* Convolution, residual, bias, ReLU: each of them only before the next, the latter only behind a bias.  Halves with
 * channels inside alone. */
static int is_taken(const struct dnn_graph *g)
{
	int at = 0, bias = 0;
	for (int32_t i = 0; i < g->n_step; i++) {
		const int full = same_dims(&g->operand[i], &g->y);
		const int is = g->mode[i] == CUDNN_POINTWISE_RELU_FWD ? 3 : full && !bias && i + 1 < g->n_step ? 1 : 2;
		if (is <= at || (is == 3 && !bias) || (is == 2 && g->operand[i].dim[1] != g->y.dim[1]))
			return 0;
		bias = bias || is == 2;
		at = is;
	}
	if (g->n_step && !bias)
		return 0;
	const struct dnn_tensor *image[] = { &g->x, &g->w, &g->y };
	for (int i = 0; i < 3 && g->x.type != CUDNN_DATA_FLOAT; i++)
		if (image[i]->stride[1] != 1)
			return 0;
	return g->x.type == g->w.type && g->w.type == g->y.type;
}

/* ---- a plan runs ---- */

static uint32_t dtype_of(int32_t type)
{
	return type == CUDNN_DATA_HALF ? LT_F16 : type == CUDNN_DATA_BFLOAT16 ? LT_BF16 : LT_F32;
}
static size_t element_bytes(const struct dnn_tensor *t) { return lt__number_bytes(dtype_of(t->type)); }
static size_t tensor_bytes(const struct dnn_tensor *t)
{
	int64_t last = 0;
	for (int64_t i = 0; i < t->n; i++)
		last += (t->dim[i] - 1) * t->stride[i];
	return (size_t)(last + 1) * element_bytes(t);
}

struct dnn_run { struct dnn_plan plan; char *at[3 + MAX_STEP]; uint64_t address[3 + MAX_STEP]; };

static double tf32(double x)
{
	float f = (float)x;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	bits &= ~UINT32_C(0x1fff);
	memcpy(&f, &bits, sizeof f);
	return (double)f;
}

static double load(const char *at, const struct dnn_tensor *t, int64_t element)
{
	return lt__number_load(at, element, dtype_of(t->type)).f;
}

static int64_t element_of(const struct dnn_tensor *t, const int64_t *index)
{
	int64_t at = 0;
	for (int64_t i = 0; i < t->n; i++)
		at += (t->dim[i] == 1 ? 0 : index[i]) * t->stride[i];
	return at;
}

static double convolve(const struct dnn_run *r, const int64_t *y)
{
	const struct dnn_graph *g = &r->plan.graph;
	const int64_t groups = g->x.dim[1] / g->w.dim[1], group = y[1] / (g->w.dim[0] / groups);
	const int rounds = g->x.type == CUDNN_DATA_FLOAT && (r->plan.engine == 40 || is_fault("tf32", r->plan.engine));
	int64_t w[MAX_DIM] = { y[1] }, x[MAX_DIM] = { y[0] }, terms = 1, left_out = -1;
	double sum = 0;
	for (int64_t i = 1; i < g->w.n; i++)
		terms *= g->w.dim[i];
	if (is_fault("term", r->plan.engine))
		left_out = terms / 2;
	for (int64_t t = 0; t < terms; t++) {
		int64_t rest = t, inside = 1;
		for (int64_t i = g->w.n - 1; i >= 1; i--) {
			w[i] = rest % g->w.dim[i];
			rest /= g->w.dim[i];
		}
		x[1] = group * g->w.dim[1] + w[1];
		for (int64_t i = 0; i < g->n_space; i++) {
			x[2 + i] = y[2 + i] * g->stride[i] + w[2 + i] * g->dilation[i] - g->before[i];
			inside = inside && x[2 + i] >= 0 && x[2 + i] < g->x.dim[2 + i];
		}
		if (!inside || t == left_out)
			continue;
		double a = load(r->at[0], &g->x, element_of(&g->x, x)), b = load(r->at[1], &g->w, element_of(&g->w, w));
		sum += rounds ? tf32(a) * tf32(b) : a * b;
	}
	return sum;
}

static CUresult run(void *arg, int device)
{
	struct dnn_run *r = arg;
	const struct dnn_graph *g = &r->plan.graph;
	const struct dnn_tensor *t[] = { &g->x, &g->w, &g->y, &g->operand[0], &g->operand[1], &g->operand[2] };
	const int64_t engine = r->plan.engine;
	int64_t y[MAX_DIM] = { 0 }, n = 1;
	for (int i = 0; i < 3 + g->n_step; i++)
		if (r->address[i] && !(r->at[i] = mock_range(r->address[i], tensor_bytes(t[i]), device)))
			return CUDA_ERROR_ILLEGAL_ADDRESS;
	if (is_fault("lost", engine))
		return mock.lost = CUDA_ERROR_ILLEGAL_ADDRESS;
	for (int64_t i = 0; i < g->y.n; i++)
		n *= g->y.dim[i];
	for (int64_t e = 0; e < n; e++) {
		int64_t rest = e;
		for (int64_t i = g->y.n - 1; i >= 0; i--) {
			y[i] = rest % g->y.dim[i];
			rest /= g->y.dim[i];
		}
		double sum = convolve(r, y);
		for (int32_t i = 0; i < g->n_step; i++)
			sum = g->mode[i] == CUDNN_POINTWISE_RELU_FWD ? (sum < 0 ? 0 : sum)
				: sum + load(r->at[3 + i], &g->operand[i], element_of(&g->operand[i], y));
		if ((is_fault("element", engine) && e == n - 1) || (is_fault("other", engine) && e == 0 && r->plan.runs > 0))
			sum += 1;
		const union lt_number rounded = { .f = sum };
		lt__number_store(r->at[2], element_of(&g->y, y), dtype_of(g->y.type),
			lt__number_round(rounded, dtype_of(g->y.type)));
	}
	if (is_fault("behind", engine))
		memset(r->at[2] + tensor_bytes(&g->y), 0x5a, element_bytes(&g->y));
	note("run", engine);
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

static cudnnStatus_t plan_finish(struct descriptor *d)
{
	const struct descriptor *config = part(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
	if (!find(d, CUDNN_ATTR_EXECUTION_PLAN_HANDLE))
		return CUDNN_STATUS_BAD_PARAM;
	if (!config)
		return plan_read(d);
	if (is_fault("build", config->engine))
		return CUDNN_STATUS_NOT_SUPPORTED;
	d->plan = (struct dnn_plan){ .graph = config->graph, .engine = config->engine,
		.workspace = is_fault("workspace", config->engine) ? INT64_C(1) << 50 : config->engine == 12 ? 4096 : 0 };
	note("built", d->plan.engine);
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
	case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return plan_finish(d);
	default: return CUDNN_STATUS_SUCCESS;
	}
}

static const int64_t engines[2][3] = { { 40, 41, 12 }, { 0 } };
static const int64_t n_engine[2] = { 3, 1 };

static cudnnStatus_t get_results(const struct descriptor *d, int64_t most, int64_t *n, cudnnBackendDescriptor_t *out)
{
	int32_t mode = 0;
	(void)fetch(d, CUDNN_ATTR_ENGINEHEUR_MODE, &mode, 1);
	const int list = mode == CUDNN_HEUR_MODE_FALLBACK;
	*n = n_engine[list];
	for (int64_t i = 0; i < most && i < *n; i++) {
		struct descriptor *config = out[i];
		config->engine = engines[list][i];
		config->graph = d->graph;
		config->finished = 1;
	}
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t get_notes(int64_t engine, int64_t *n, cudnnBackendNumericalNote_t *out)
{
	*n = engine == 40 || engine == 41;
	if (*n)
		out[0] = engine == 40 ? CUDNN_NUMERICAL_NOTE_TENSOR_CORE : CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
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
	struct dnn_run r = { .plan = p->plan };
	const struct dnn_graph *g = &p->plan.graph;
	const struct dnn_tensor *t[] = { &g->x, &g->w, &g->y, &g->operand[0], &g->operand[1], &g->operand[2] };
	int64_t id[16];
	void *at[16], *room = NULL;
	DNN(1);
	const int64_t n = fetch(v, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, id, 16);
	if (!p->finished || !v->finished || fetch(v, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, at, 16) != n)
		return CUDNN_STATUS_BAD_PARAM;
	(void)fetch(v, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, &room, 1);
	if (p->plan.workspace && !mock_range((CUdeviceptr)(uintptr_t)room, (size_t)p->plan.workspace, mock_device()))
		mock_wrong("less room than the plan needs");
	for (int i = 0; i < 3 + g->n_step; i++) {
		if (i >= 3 && g->mode[i - 3] == CUDNN_POINTWISE_RELU_FWD)
			continue;
		for (int64_t k = 0; k < n; k++)
			if (id[k] == t[i]->id)
				r.address[i] = (uintptr_t)at[k];
		if (!r.address[i])
			return CUDNN_STATUS_BAD_PARAM;
		if (r.address[i] % (uint64_t)t[i]->align)
			mock_wrong("an address that is less aligned than its tensor");
	}
	p->plan.runs++;
	return mock_work("cudnnBackendExecute", handle->stream, run, &r, sizeof r) ? CUDNN_STATUS_EXECUTION_FAILED
		: CUDNN_STATUS_SUCCESS;
}
