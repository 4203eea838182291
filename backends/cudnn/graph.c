/* graph.c -- a form as the library is told of it: tensors, operations, their graphs; the plans that it offers
 * for that, the best first, less those that compute something else than what is asked for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"

/* Descriptors that are made one after the other; the first error stays. */
enum { MAX_MADE = LT_CUDNN_TENSORS + 2 * LT_CUDNN_NODES + CUDNN_KNOB_TYPE_COUNTS + 16 };
struct cudnn_make {
	const struct lt_cudnn *d;
	cudnnStatus_t r;
	cudnnBackendDescriptor_t made[MAX_MADE];
	int n;
};

static cudnnBackendDescriptor_t make(struct cudnn_make *m, cudnnBackendDescriptorType_t type)
{
	cudnnBackendDescriptor_t x = NULL;
	if (!m->r && m->n == MAX_MADE)
		m->r = CUDNN_STATUS_INTERNAL_ERROR;
	if (!m->r)
		m->r = m->d->api.descriptor_new(type, &x);
	if (x)
		m->made[m->n++] = x;
	return x;
}
static void set(struct cudnn_make *m, cudnnBackendDescriptor_t x, cudnnBackendAttributeName_t name,
	cudnnBackendAttributeType_t type, int64_t n, const void *values)
{
	if (!m->r)
		m->r = m->d->api.set(x, name, type, n, values);
}
static void set_number(
	struct cudnn_make *m, cudnnBackendDescriptor_t x, cudnnBackendAttributeName_t name, int64_t value)
{
	set(m, x, name, CUDNN_TYPE_INT64, 1, &value);
}
static void set_type(
	struct cudnn_make *m, cudnnBackendDescriptor_t x, cudnnBackendAttributeName_t name, cudnnDataType_t t)
{
	set(m, x, name, CUDNN_TYPE_DATA_TYPE, 1, &t);
}
static void set_part(struct cudnn_make *m, cudnnBackendDescriptor_t x, cudnnBackendAttributeName_t name,
	cudnnBackendDescriptor_t part)
{
	set(m, x, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part);
}
static void finish(struct cudnn_make *m, cudnnBackendDescriptor_t x)
{
	if (!m->r)
		m->r = m->d->api.finish(x);
}
static void unmake(struct cudnn_make *m, int from)
{
	while (m->n > from)
		(void)m->d->api.descriptor_free(m->made[--m->n]);
}

static cudnnDataType_t type_of(uint32_t dtype)
{
	return dtype == LT_F16 ? CUDNN_DATA_HALF : dtype == LT_BF16 ? CUDNN_DATA_BFLOAT16 : dtype == LT_I32 ? CUDNN_DATA_INT32
		: dtype == LT_BOOL ? CUDNN_DATA_BOOLEAN : CUDNN_DATA_FLOAT;
}

/* ---- the graph ---- */

static cudnnBackendDescriptor_t tensor(struct cudnn_make *m, const struct lt_cudnn_wish *w, int i)
{
	const struct lt_cudnn_tensor *t = &w->form.tensor[i];
	const bool yes = true;
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
	set_type(m, x, CUDNN_ATTR_TENSOR_DATA_TYPE, type_of(t->dtype));
	set(m, x, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, t->n_dim, t->dim);
	set(m, x, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, t->n_dim, t->stride);
	set_number(m, x, CUDNN_ATTR_TENSOR_UNIQUE_ID, 1 + i);
	set_number(m, x, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, cudnn_is_bound(t) ? w->align[i] : 16);
	if (t->operand == LT_CUDNN_BETWEEN)
		set(m, x, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &yes);
	if (t->operand == LT_CUDNN_NUMBER)
		set(m, x, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &yes);
	finish(m, x);
	return x;
}

static cudnnBackendDescriptor_t convolution(struct cudnn_make *m, const struct lt_cudnn_form *f,
	const struct lt_cudnn_node *node, const cudnnBackendDescriptor_t *tensors)
{
	const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
	const float one = 1, zero = 0;
	const int64_t n = f->n_space;
	cudnnBackendDescriptor_t what = make(m, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
	set_type(m, what, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
	set(m, what, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
	set_number(m, what, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, n);
	set(m, what, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, n, f->dilation);
	set(m, what, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, n, f->stride);
	set(m, what, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, n, f->before);
	set(m, what, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, n, f->after);
	finish(m, what);
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
	set_part(m, x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, what);
	set_part(m, x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensors[node->in[0]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, tensors[node->in[1]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, tensors[node->out]);
	set(m, x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &one);
	set(m, x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &zero);
	finish(m, x);
	return x;
}

/* INDEX, too. */
static cudnnBackendDescriptor_t pointwise(struct cudnn_make *m, const struct lt_cudnn_form *f,
	const struct lt_cudnn_node *node, const cudnnBackendDescriptor_t *tensors)
{
	const cudnnNanPropagation_t nan = CUDNN_PROPAGATE_NAN;
	const bool index = node->kind == LT_CUDNN_INDEX;
	const cudnnPointwiseMode_t mode = index ? CUDNN_POINTWISE_GEN_INDEX : (cudnnPointwiseMode_t)node->mode;
	cudnnBackendDescriptor_t what = make(m, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
	set(m, what, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
	/* Numbers of places are added in their type and compared as attention's engines know it, and so are conditions;
	 * floats in float32. */
	const uint32_t dtype = f->tensor[node->in[0]].dtype;
	set_type(m, what, CUDNN_ATTR_POINTWISE_MATH_PREC, dtype != LT_I32 && dtype != LT_BOOL ? CUDNN_DATA_FLOAT
		: type_of(f->tensor[node->out].dtype));
	if (index)
		set_number(m, what, CUDNN_ATTR_POINTWISE_AXIS, node->mode);
	if (mode == CUDNN_POINTWISE_RELU_FWD && !m->r)  /* a NaN stays one; a version without the attribute does as it does */
		(void)m->d->api.set(what, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 1, &nan);
	if (node->clips && node->low != 0)
		set(m, what, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, CUDNN_TYPE_DOUBLE, 1, &node->low);
	if (node->clips && !isinf(node->high))
		set(m, what, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 1, &node->high);
	finish(m, what);
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
	set_part(m, x, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, what);
	set_part(m, x, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensors[node->in[0]]);
	if (node->n_in > 1)
		set_part(m, x, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensors[node->in[1]]);
	if (node->n_in > 2)
		set_part(m, x, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, tensors[node->in[2]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensors[node->out]);
	finish(m, x);
	return x;
}

static cudnnBackendDescriptor_t product(
	struct cudnn_make *m, const struct lt_cudnn_node *node, const cudnnBackendDescriptor_t *tensors)
{
	cudnnBackendDescriptor_t what = make(m, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
	set_type(m, what, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
	finish(m, what);
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
	set_part(m, x, CUDNN_ATTR_OPERATION_MATMUL_DESC, what);
	set_part(m, x, CUDNN_ATTR_OPERATION_MATMUL_ADESC, tensors[node->in[0]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_MATMUL_BDESC, tensors[node->in[1]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_MATMUL_CDESC, tensors[node->out]);
	finish(m, x);
	return x;
}

static cudnnBackendDescriptor_t reduction(
	struct cudnn_make *m, const struct lt_cudnn_node *node, const cudnnBackendDescriptor_t *tensors)
{
	const cudnnReduceTensorOp_t mode = (cudnnReduceTensorOp_t)node->mode;
	cudnnBackendDescriptor_t what = make(m, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
	set(m, what, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &mode);
	set_type(m, what, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
	finish(m, what);
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
	set_part(m, x, CUDNN_ATTR_OPERATION_REDUCTION_DESC, what);
	set_part(m, x, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, tensors[node->in[0]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, tensors[node->out]);
	finish(m, x);
	return x;
}

/* Without statistics: nothing but the result is written. */
static cudnnBackendDescriptor_t norm(
	struct cudnn_make *m, const struct lt_cudnn_node *node, const cudnnBackendDescriptor_t *tensors)
{
	const cudnnBackendNormMode_t mode = (cudnnBackendNormMode_t)node->mode;
	const cudnnBackendNormFwdPhase_t phase = CUDNN_NORM_FWD_INFERENCE;
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
	set(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, 1, &mode);
	set(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, 1, &phase);
	set_part(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, tensors[node->in[0]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, tensors[node->in[1]]);
	if (node->n_in > 3)
		set_part(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, tensors[node->in[2]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, tensors[node->in[node->n_in - 1]]);
	set_part(m, x, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, tensors[node->out]);
	finish(m, x);
	return x;
}

static cudnnBackendDescriptor_t operation(struct cudnn_make *m, const struct lt_cudnn_form *f,
	const struct lt_cudnn_node *node, const cudnnBackendDescriptor_t *tensors)
{
	switch (node->kind) {
	case LT_CUDNN_CONVOLUTION: return convolution(m, f, node, tensors);
	case LT_CUDNN_NORM: return norm(m, node, tensors);
	case LT_CUDNN_PRODUCT: return product(m, node, tensors);
	case LT_CUDNN_REDUCTION: return reduction(m, node, tensors);
	default: return pointwise(m, f, node, tensors);
	}
}

/* Nodes of a graph of the form, and which tensors they have. */
static const struct lt_cudnn_node *nodes_of(const struct lt_cudnn_form *f, int graph, int32_t *n, bool *has)
{
	const struct lt_cudnn_node *node = f->node + (graph ? f->n_node : 0);
	*n = graph ? f->n_other : f->n_node;
	memset(has, 0, LT_CUDNN_TENSORS * sizeof *has);
	for (int32_t i = 0; i < *n; i++) {
		has[node[i].out] = true;
		for (int32_t k = 0; k < node[i].n_in; k++)
			has[node[i].in[k]] = true;
	}
	return node;
}

static cudnnBackendDescriptor_t graph(
	struct cudnn_make *m, cudnnHandle_t handle, const struct lt_cudnn_wish *w, int which)
{
	const struct lt_cudnn_form *f = &w->form;
	cudnnBackendDescriptor_t tensors[LT_CUDNN_TENSORS] = { NULL }, op[LT_CUDNN_NODES];
	bool has[LT_CUDNN_TENSORS];
	int32_t n;
	const struct lt_cudnn_node *node = nodes_of(f, which, &n, has);
	for (int i = 0; i < f->n_tensor; i++)
		if (has[i])
			tensors[i] = tensor(m, w, i);
	for (int32_t i = 0; i < n; i++)
		op[i] = operation(m, f, &node[i], tensors);
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
	if (handle)
		set(m, x, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
	set(m, x, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, n, op);
	finish(m, x);
	return x;
}

/* ---- plans ---- */

/* Of one filter for each channel. */
static bool is_depthwise(const struct lt_cudnn_form *f)
{
	for (int i = 0; i < f->n_node; i++)
		if (f->node[i].kind == LT_CUDNN_CONVOLUTION)
			return f->tensor[f->node[i].in[0]].dim[1] > 1 && f->tensor[f->node[i].in[1]].dim[1] == 1;
	return false;
}

static bool has_node(const struct lt_cudnn_form *f, int32_t kind)
{
	bool found = false;
	for (int i = 0; i < f->n_node; i++)
		found = found || f->node[i].kind == kind;
	return found;
}

/* What a configuration says of a knob; -1: nothing. */
static int64_t knob_of(struct cudnn_make *m, cudnnBackendDescriptor_t config, cudnnBackendKnobType_t which)
{
	cudnnBackendDescriptor_t choice[CUDNN_KNOB_TYPE_COUNTS];
	int64_t n = 0, got, found = -1, value;
	const int from = m->n;
	for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; i++)
		choice[i] = make(m, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
	if (!m->r && m->d->api.get(config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
		CUDNN_KNOB_TYPE_COUNTS, &n, choice))
		n = 0;
	for (int64_t i = 0; i < n && i < CUDNN_KNOB_TYPE_COUNTS && !m->r; i++) {
		cudnnBackendKnobType_t type;
		if (!m->d->api.get(choice[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &got, &type)
			&& type == which
			&& !m->d->api.get(choice[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &got, &value))
			found = value;
	}
	unmake(m, from);
	return found;
}

/* Attention by keys that are split between blocks: other bits in each run, and no note that says so. */
enum { SPLIT_KEYS = 35 };

/* Of what engine, and whether that computes what is asked for: the same in each run, and float32 in float32. */
static bool is_allowed(
	struct cudnn_make *m, const struct lt_cudnn_wish *w, cudnnBackendDescriptor_t config, int64_t *engine)
{
	cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
	const bool strict = cudnn_dtype(&w->form) == LT_F32 && !w->tf32;
	bool is_exact;
	int64_t n = 0;
	if (!m->r)
		m->r = m->d->api.get(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n, &x);
	if (!m->r)
		m->r = m->d->api.get(x, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &n, engine);
	if (!m->r)
		m->r = m->d->api.get(x, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
			CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &n, notes);
	is_exact = is_depthwise(&w->form) && *engine == LT_CUDNN_DEPTHWISE_ENGINE;
	/* Attention's plans in float32 all say tensor cores, and those that were measured use none: the trial decides. */
	const bool attention = has_node(&w->form, LT_CUDNN_REDUCTION);
	for (int64_t i = 0; i < n && !m->r; i++)
		if (notes[i] == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC
			|| (strict && notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && !attention && !is_exact)
			|| (strict && notes[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))
			return false;
	return !m->r && (!attention || knob_of(m, config, CUDNN_KNOB_TYPE_KERNEL_CFG) != SPLIT_KEYS);
}

/* The plan of a configuration; false: it cannot be built, or needs more memory than there may be. */
static bool build(struct cudnn_make *m, const struct lt_cudnn_wish *w, cudnnBackendDescriptor_t config,
	struct lt_cudnn_plan *p)
{
	cudnnHandle_t handle = p->handle;
	int64_t n = 0;
	p->plan = NULL;
	m->r = m->d->api.descriptor_new(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &p->plan);
	if (m->d->device)
		set_part(m, p->plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, m->d->device);
	else
		set(m, p->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
	set_part(m, p->plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
	finish(m, p->plan);
	if (!m->r)
		m->r = m->d->api.get(p->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &n, &p->workspace);
	if (!m->r && (!w->workspace || p->workspace + (int64_t)lt__cudnn_mask_bytes(&w->form) <= w->workspace))
		return true;
	m->r = CUDNN_STATUS_SUCCESS;            /* the next one may do */
	if (p->plan)
		(void)m->d->api.descriptor_free(p->plan);
	p->plan = NULL;
	return false;
}

/* They stay as long as the plan does: nobody says that the library has copies. */
static bool keep_parts(struct cudnn_make *m, cudnnBackendDescriptor_t *config, struct lt_cudnn_plan *p)
{
	p->part = calloc((size_t)m->n + 1, sizeof *p->part);
	if (!p->part)
		return false;
	memcpy(p->part, m->made, (size_t)m->n * sizeof *p->part);
	p->n_part = m->n;
	p->part[p->n_part++] = *config;
	*config = NULL;
	m->n = 0;
	return true;
}

/* Configurations that a heuristic names: into a vector of malloc's; 0: none, which is no error. */
static int64_t configurations(struct cudnn_make *m, cudnnBackendDescriptor_t g, cudnnBackendHeurMode_t mode,
	cudnnBackendDescriptor_t **out)
{
	int64_t n = 0, got = 0;
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
	*out = NULL;
	set_part(m, x, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, g);
	if (m->d->device)
		set_part(m, x, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, m->d->device);
	set(m, x, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
	finish(m, x);
	if (!m->r)
		m->r = m->d->api.get(x, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &n, NULL);
	if (m->r || n <= 0)
		return 0;
	*out = calloc((size_t)n, sizeof **out);
	for (int64_t i = 0; *out && i < n && !m->r; i++)
		m->r = m->d->api.descriptor_new(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &(*out)[i]);
	if (*out && !m->r)
		m->r = m->d->api.get(x, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, n, &got, *out);
	for (int64_t i = got; *out && i < n; i++)       /* it may name fewer than it said */
		if ((*out)[i])
			(void)m->d->api.descriptor_free((*out)[i]);
	return *out ? got : 0;
}

/* Made by hand, with what it is made of in m; NULL: the library does not take it. */
static cudnnBackendDescriptor_t configuration(struct cudnn_make *m, cudnnBackendDescriptor_t g,
	const struct lt_cudnn_wished *wished)
{
	cudnnBackendDescriptor_t engine = make(m, CUDNN_BACKEND_ENGINE_DESCRIPTOR), knob[LT_CUDNN_KNOBS], config = NULL;
	set_part(m, engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, g);
	set_number(m, engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, wished->engine);
	if (m->d->device)
		set_part(m, engine, CUDNN_ATTR_ENGINE_DEVICEPROP, m->d->device);
	finish(m, engine);
	for (int32_t i = 0; i < wished->n_knob; i++) {
		const cudnnBackendKnobType_t type = (cudnnBackendKnobType_t)wished->knob[i].type;
		knob[i] = make(m, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
		set(m, knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
		set_number(m, knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, wished->knob[i].value);
		finish(m, knob[i]);
	}
	if (!m->r)
		m->r = m->d->api.descriptor_new(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &config);
	set_part(m, config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
	if (wished->n_knob)
		set(m, config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, wished->n_knob, knob);
	finish(m, config);
	if (!m->r)
		return config;
	if (config)
		(void)m->d->api.descriptor_free(config);
	m->r = CUDNN_STATUS_SUCCESS;            /* what the library names is asked for next */
	return NULL;
}

static int64_t engine_of(struct cudnn_make *m, cudnnBackendDescriptor_t config)
{
	int64_t n = 0, engine = -1;
	const int before = m->n;
	cudnnBackendDescriptor_t x = make(m, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
	if (!m->r)
		m->r = m->d->api.get(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n, &x);
	if (!m->r)
		m->r = m->d->api.get(x, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &n, &engine);
	unmake(m, before);
	return engine;
}

/* Of the engine that is wished: with these knobs, or the first that the library names, or as it is by itself. */
static int64_t wished_configuration(struct cudnn_make *m, cudnnBackendDescriptor_t g,
	const struct lt_cudnn_wished *wished, cudnnBackendDescriptor_t **out)
{
	cudnnBackendDescriptor_t found = NULL;
	*out = NULL;
	if (wished && wished->n_knob)
		found = configuration(m, g, wished);
	const int64_t n = wished && !wished->n_knob ? configurations(m, g, CUDNN_HEUR_MODE_A, out) : 0;
	for (int64_t k = 0; k < n; k++) {
		if (!found && !m->r && (*out)[k] && engine_of(m, (*out)[k]) == wished->engine)
			found = (*out)[k];
		else if ((*out)[k])
			(void)m->d->api.descriptor_free((*out)[k]);
	}
	if (n > 0 && !found) {
		free(*out);
		*out = NULL;
	}
	if (!found && wished && !wished->n_knob) {
		m->r = CUDNN_STATUS_SUCCESS;
		found = configuration(m, g, wished);
	}
	if (!found)
		return 0;
	if (!*out && !(*out = calloc(1, sizeof **out))) {
		(void)m->d->api.descriptor_free(found);
		return 0;
	}
	(*out)[0] = found;
	return 1;
}

/* What a graph is refused with is no failure: the next heuristic, or no plan.  One whose configurations the library
 * throws all away says that it is not initialized. */
static bool is_refusal(cudnnStatus_t r)
{
	return (r >= CUDNN_STATUS_NOT_SUPPORTED && r < CUDNN_STATUS_INTERNAL_ERROR) || r == CUDNN_STATUS_NOT_INITIALIZED;
}

/* The first plan of a graph that the wish allows, behind `skip` of the configurations that are counted; m: the graph's
 * parts. */
static bool find_plan(struct cudnn_make *m, cudnnBackendDescriptor_t g, const struct lt_cudnn_wish *w,
	const struct lt_cudnn_wished *first, int skip, struct lt_cudnn_plan *p, int *count)
{
	static const cudnnBackendHeurMode_t modes[] = { CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK };
	const struct lt_cudnn_library *api = &m->d->api;
	bool found = false;
	for (size_t i = 0; i <= sizeof modes / sizeof *modes && !found && (!m->r || is_refusal(m->r)) && g; i++) {
		cudnnBackendDescriptor_t *config;
		const int before = m->n;
		if (i)
			m->r = CUDNN_STATUS_SUCCESS;
		const int64_t n = i ? configurations(m, g, modes[i - 1], &config)
			: wished_configuration(m, g, first, &config);
		for (int64_t k = 0; k < n && !m->r && !found; k++) {
			const int made = m->n;
			if (++*count <= skip)
				continue;
			found = is_allowed(m, w, config[k], &p->engine) && build(m, w, config[k], p)
				&& keep_parts(m, &config[k], p);
			if (!found && p->plan) {
				(void)api->descriptor_free(p->plan);
				p->plan = NULL;
			}
			unmake(m, found ? 0 : made);
		}
		for (int64_t k = 0; k < n; k++)
			if (config[k])
				(void)api->descriptor_free(config[k]);
		free(config);
		unmake(m, m->n < before ? m->n : before);
	}
	return found;
}

lt_status lt__cudnn_plan_new(struct lt_cudnn *d, const struct lt_cudnn_wish *w, int skip, struct lt_cudnn_plan *p,
	int *count, struct lt_diag *diag)
{
	lt_status status = LT_EMISSING;
	*count = 0;
	for (int which = 0; which <= (w->form.n_other > 0) && status == LT_EMISSING; which++) {
		struct cudnn_make m = { .d = d };
		cudnnBackendDescriptor_t g = graph(&m, p->handle, w, which);
		/* An engine's number is one of its graph's. */
		const bool found = find_plan(&m, g, w, which ? NULL : w->first, skip, p, count);
		const cudnnStatus_t r = m.r;
		p->graph = which;
		status = found ? LT_OK : !r || is_refusal(r) ? LT_EMISSING
			: lt__cudnn_check(d, r, diag, "?", "asking for plans");
		unmake(&m, 0);
	}
	return status;
}

/* As the library writes it; which graph of the form it is of. */
lt_status lt__cudnn_plan_save(const struct lt_cudnn *d, const struct lt_cudnn_plan *p, char **text, size_t *bytes)
{
	int64_t n = 0;
	*text = NULL;
	*bytes = 0;
	if (d->api.get(p->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, &n, NULL) || n <= 0)
		return LT_EUNSUPPORTED;
	*text = calloc((size_t)n + 2, 1);
	if (!*text)
		return LT_ENOMEM;
	if (d->api.get(p->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, n, &n, *text)) {
		free(*text);
		*text = NULL;
		return LT_EUNSUPPORTED;
	}
	*bytes = strlen(*text);
	(*text)[(*bytes)++] = (char)('0' + p->graph);
	return LT_OK;
}

lt_status lt__cudnn_plan_load(struct lt_cudnn *d, const char *text, size_t bytes, struct lt_cudnn_plan *p)
{
	struct cudnn_make m = { .d = d };
	cudnnHandle_t handle = p->handle;
	int64_t n = 0;
	p->plan = NULL;
	if (!bytes--)
		return LT_EINVAL;
	p->graph = text[bytes] == '1';
	m.r = d->api.descriptor_new(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &p->plan);
	set(&m, p->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
	set(&m, p->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, (int64_t)bytes, text);
	finish(&m, p->plan);
	if (!m.r)
		m.r = d->api.get(p->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &n, &p->workspace);
	if (!m.r)
		return LT_OK;
	if (p->plan)
		(void)d->api.descriptor_free(p->plan);
	p->plan = NULL;
	return LT_EINVAL;
}

void lt__cudnn_plan_drop(struct lt_cudnn *d, struct lt_cudnn_plan *p)
{
	if (p->plan)
		(void)d->api.descriptor_free(p->plan);
	while (p->n_part)
		(void)d->api.descriptor_free(p->part[--p->n_part]);
	free(p->part);
	p->part = NULL;
	p->plan = NULL;
}

void lt__cudnn_plan_free(struct lt_cudnn *d, struct lt_cudnn_plan *p)
{
	lt__cudnn_plan_drop(d, p);
	free(p->key);
	p->key = NULL;
}

cudnnStatus_t lt__cudnn_execute(const struct lt_cudnn *d, const struct lt_cudnn_plan *p, const struct lt_cudnn_form *f,
	cudnnHandle_t handle, const uint64_t *at, uint64_t workspace)
{
	struct cudnn_make m = { .d = d };
	int64_t id[LT_CUDNN_TENSORS];
	union { float f; int32_t i; } number[LT_CUDNN_TENSORS];
	void *address[LT_CUDNN_TENSORS], *room = (void *)(uintptr_t)workspace;
	bool has[LT_CUDNN_TENSORS], other_has[LT_CUDNN_TENSORS];
	int32_t n;
	(void)nodes_of(f, p->graph, &n, has);
	(void)nodes_of(f, !p->graph, &n, other_has);
	n = 0;
	for (int i = 0; i < f->n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &f->tensor[i];
		if (t->operand == LT_CUDNN_BETWEEN || (other_has[i] && !has[i]) || (f->mask.how && !has[i]))
			continue;
		if (t->dtype == LT_I32)
			number[i].i = (int32_t)t->number;
		else
			number[i].f = (float)t->number;
		id[n] = 1 + i;
		address[n++] = t->operand == LT_CUDNN_NUMBER ? (void *)&number[i] : (void *)(uintptr_t)at[i];
	}
	cudnnBackendDescriptor_t x = make(&m, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
	set(&m, x, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, n, id);
	set(&m, x, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, n, address);
	set(&m, x, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &room);
	finish(&m, x);
	const cudnnStatus_t r = m.r ? m.r : d->api.execute(handle, p->plan, x);
	unmake(&m, 0);
	return r;
}
