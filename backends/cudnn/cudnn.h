/* cudnn.h -- what the files of the backend share: the library, a call as a convolution, plans.
 *
 * cudnn.c     the table, the library's routine in the target
 * library.c   the library: where it is, its functions, handles
 * form.c      a described call as a convolution or a product: where its operands lie
 * chain.c     what is computed before its factors and behind it, as operations
 * wished.c    which engine is asked for first
 * norm.c      as a layer norm or an RMS norm
 * attention.c as attention
 * described.c the description of a call, as forms are read off it
 * constants.c zeros and ones, where the library wants an operand that the call does not have
 * mask.c      what says which scores of attention count, as a tensor that the library adds or takes the least with
 * graph.c     a convolution as the library is told of it, and a plan for it
 * reference.h what a call computes by its description: an interpreter, of the host and of the device
 * reference.c its programs, of descriptions
 * kernel.c    the interpreter as a kernel
 * verify.c    a plan tried against that before it is used
 * time.c      how long a plan takes
 * make.c      plans are made: one for equal forms, several at once, tried, kept by the host
 * plan.c      plans of calls, and a run of one
 */
#ifndef LT_CUDNN_CUDNN_H
#define LT_CUDNN_CUDNN_H
#include <cudnn_graph.h>
#include <stdio.h>
#include "backends/cuda/cuda.h"

#define LT_CUDNN_MAP(X) \
	X(version, cudnnGetVersion) X(error_text, cudnnGetErrorString) X(last_error, cudnnGetLastErrorString) \
	X(create, cudnnCreate) X(destroy, cudnnDestroy) X(set_stream, cudnnSetStream) \
	X(descriptor_new, cudnnBackendCreateDescriptor) X(descriptor_free, cudnnBackendDestroyDescriptor) \
	X(set, cudnnBackendSetAttribute) X(get, cudnnBackendGetAttribute) X(finish, cudnnBackendFinalize) \
	X(execute, cudnnBackendExecute)

/* The library: one for the process. */
struct lt_cudnn_library {
#define LT_CUDNN_MEMBER(member, function) __typeof__(function) *member;
	LT_CUDNN_MAP(LT_CUDNN_MEMBER)
#undef LT_CUDNN_MEMBER
};

/* A call as the library is told of it: operations, in data order, over tensors. */
enum { LT_CUDNN_DIMS = 5, LT_CUDNN_SPACE = 3, LT_CUDNN_TENSORS = 64, LT_CUDNN_NODES = 48, LT_CUDNN_INPUTS = 4 };
/* What a tensor is that is no operand of the call: one that only operations see; zeros and ones, which the session has;
 * a number, which is handed over with each run; the mask, or lengths, which a kernel in front makes behind the plan's
 * workspace. */
enum lt_cudnn_no_operand { LT_CUDNN_BETWEEN = -1, LT_CUDNN_ZEROS = -2, LT_CUDNN_NUMBER = -3, LT_CUDNN_ONES = -4,
	LT_CUDNN_MASK = -5 };
struct lt_cudnn_tensor {
	int32_t operand;                /* of the call's, results first; or enum lt_cudnn_no_operand */
	uint32_t dtype;                 /* enum lt_dtype */
	int32_t n_dim;
	int64_t offset;                 /* elements from where the operand begins to the first one that is read */
	int64_t dim[LT_CUDNN_DIMS], stride[LT_CUDNN_DIMS];      /* images or filters, channels, then space */
	double number;
};
/* CONVOLUTION: in[0] the image, in[1] the filters.  POINTWISE: by mode, a cudnnPointwiseMode_t; in[2]: the condition of
 * a selection.  NORM: by mode, a cudnnBackendNormMode_t: what is normed, scale, bias (of a layer norm), epsilon.
 * PRODUCT: in[0] by in[1], the last two dims their rows and columns.  REDUCTION: by mode, a cudnnReduceTensorOp_t,
 * along the dims that the result does not have.  INDEX: numbers along the dim `mode` of in[0]. */
enum lt_cudnn_node_kind { LT_CUDNN_CONVOLUTION, LT_CUDNN_POINTWISE, LT_CUDNN_NORM, LT_CUDNN_PRODUCT, LT_CUDNN_REDUCTION,
	LT_CUDNN_INDEX };
/* clips: a ReLU that gives nothing below `low` and nothing above `high`, and no 0. */
struct lt_cudnn_node { int32_t kind, mode, n_in, in[LT_CUDNN_INPUTS], out; bool clips; double low, high; };
/* What the mask is made of: value `value` of op `op` of the description, by its strides along the axes, in elements.
 * ADDED: that value.  SEEN, HIDDEN: infinity where it is true, or is not, and `hidden` elsewhere.  LENGTHS: how many
 * keys count in each batch, as read[0] says it, `stride[0]` elements apart: with `least` one does, with `most` all do.
 * What a batch gives whose length is less is no number.  Two tensors of int32 are made of them: how many keys count,
 * one or more, and how many queries, all (cudnn_queries_at).  Tensors of the form that no node has are what is read. */
enum lt_cudnn_masking { LT_CUDNN_UNMASKED, LT_CUDNN_ADDED, LT_CUDNN_SEEN, LT_CUDNN_HIDDEN, LT_CUDNN_LENGTHS };
enum { LT_CUDNN_MASK_AXES = 64, LT_CUDNN_MASK_READS = 4 };
struct lt_cudnn_mask {
	int32_t how, op, value, n_read;
	double hidden;
	int32_t read[LT_CUDNN_MASK_READS];      /* operands of the call */
	int64_t stride[LT_CUDNN_MASK_AXES], least, most;
};
struct lt_cudnn_form {
	int32_t n_space, n_tensor, n_node;              /* n_space: of a convolution, 2 or 3 */
	int64_t stride[LT_CUDNN_SPACE], dilation[LT_CUDNN_SPACE], before[LT_CUDNN_SPACE], after[LT_CUDNN_SPACE];
	struct lt_cudnn_tensor tensor[LT_CUDNN_TENSORS];
	struct lt_cudnn_node node[LT_CUDNN_NODES];
	/* Nodes behind the first n_node: another graph of the same operands, whose plans are asked for behind those of the
	 * first; 0: there is none. */
	int32_t n_other;
	struct lt_cudnn_mask mask;
};
/* Whether the device has it in memory. */
static inline bool cudnn_is_bound(const struct lt_cudnn_tensor *t)
{
	return t->operand >= 0 || t->operand == LT_CUDNN_ZEROS || t->operand == LT_CUDNN_ONES || t->operand == LT_CUDNN_MASK;
}
/* Bytes of an element, of the types that forms have: float32 and halves; from the first element to the last one. */
static inline size_t cudnn_element_bytes(uint32_t dtype) { return lt__number_bytes(dtype); }
static inline size_t cudnn_bytes(const struct lt_cudnn_tensor *t)
{
	int64_t last = 0;
	for (int i = 0; i < t->n_dim; i++)
		last += (t->dim[i] - 1) * t->stride[i];
	return (size_t)(last + 1) * cudnn_element_bytes(t->dtype);
}
/* Where a tensor that a kernel makes lies, of which the first lies there. */
static inline uint64_t cudnn_made_at(const struct lt_cudnn_tensor *t, uint64_t mask)
{
	return mask + (uint64_t)t->offset * cudnn_element_bytes(t->dtype);
}
/* How many elements behind the lengths of so many batches those of the queries lie: aligned to 16 bytes, as plans ask
 * for at most. */
static inline int64_t cudnn_queries_at(int64_t batches)
{
	enum { EACH = 16 / sizeof(int32_t) };
	return (batches + EACH - 1) / EACH * EACH;
}
/* room: of operands, in bytes; NULL: it is not known yet. */
static inline bool cudnn_has_room(const struct lt_cudnn_tensor *t, const uint64_t *room)
{
	return !room || t->operand < 0
		|| (uint64_t)t->offset * cudnn_element_bytes(t->dtype) + cudnn_bytes(t) <= room[t->operand];
}
/* That of its first result. */
static inline uint32_t cudnn_dtype(const struct lt_cudnn_form *f)
{
	for (int i = 0; i < f->n_tensor; i++)
		if (f->tensor[i].operand == 0)
			return f->tensor[i].dtype;
	return LT_F32;
}

/* An engine of the library's that is asked for first, by its number there; without knobs as the library configures it
 * itself, with some of them by hand. */
enum { LT_CUDNN_KNOBS = 4 };
struct lt_cudnn_wished {
	int64_t engine;
	int32_t n_knob;
	struct { int32_t type; int64_t value; } knob[LT_CUDNN_KNOBS];   /* cudnnBackendKnobType_t */
};

/* What a plan is for: the form, and what divides the addresses of its tensors. */
struct lt_cudnn_wish {
	struct lt_cudnn_form form;
	uint32_t align[LT_CUDNN_TENSORS];
	bool tf32;
	int64_t workspace;              /* at most; 0: any */
	const struct lt_cudnn_wished *first;    /* before what the library names; NULL: nothing */
	const struct lt_tree *tree;     /* the call that it was first asked for: a plan is judged by its description */
	const struct lt_call *call;
};
/* What a call should give at its elements.  operand: of the call's, by their number, results first.  column: values of
 * run-time scalars and of the loops outside, as rows have them; NULL: nothing depends on one. */
struct reference_operand;
struct reference_program;
struct lt_cudnn_question {
	const struct lt_tree *tree;
	const struct lt_call *call;
	const struct reference_operand *operand;
	const int64_t *column;
	bool tf32;
};
/* Of convolutions with one filter for each channel: it computes in true float32, whatever its notes say. */
enum { LT_CUDNN_DEPTHWISE_ENGINE = 8 };
/* NONE: the library has none. */
enum lt_cudnn_state { LT_CUDNN_MAKING, LT_CUDNN_MADE, LT_CUDNN_NONE };
/* A plan of the library's, and what has to stay while there is one. */
struct lt_cudnn_plan {
	struct lt_cudnn_plan *next;
	char *key;                      /* text: all that it depends on */
	enum lt_cudnn_state state;      /* under the session's lock; what follows is written while it is MAKING alone */
	cudnnHandle_t handle;           /* that it is built or loaded with; NULL: for a device that is not there */
	int count;                      /* configurations that the library has named */
	int64_t engine, workspace;
	int graph;                      /* of the form: 0 the first, 1 the other */
	cudnnBackendDescriptor_t plan;
	cudnnBackendDescriptor_t *part; /* what it was made of; NULL where it was loaded */
	int n_part;
	CUdeviceptr zeros, ones;        /* of the form's tensor of such; 0: it has none */
};
/* Where a tensor lies that the session has; 0: it is none. */
static inline uint64_t cudnn_constant(const struct lt_cudnn_plan *p, const struct lt_cudnn_tensor *t)
{
	return t->operand == LT_CUDNN_ZEROS ? p->zeros : t->operand == LT_CUDNN_ONES ? p->ones : 0;
}

/* REFERENCE: what elements of a result should be.  SAME: whether two results have the same bits.  MASKED: a mask.
 * LENGTH: lengths.  EMPTY: results of batches that have no key. */
enum lt_cudnn_kernel { LT_CUDNN_REFERENCE, LT_CUDNN_SAME, LT_CUDNN_MASKED, LT_CUDNN_LENGTH, LT_CUDNN_EMPTY,
	LT_CUDNN_KERNELS };

/* Of a session.  BUILDERS: threads that build at once; a handle takes 9 MB of the device's memory. */
enum { LT_CUDNN_BUILDERS = 16 };
struct lt_cudnn {
	struct lt_cudnn_library api;    /* empty: the library is not there, and texts are looked at alone */
	size_t version;                 /* its, or of the one that the tables were measured with */
	pthread_mutex_t lock;           /* of the list of plans, their states, and idle handles */
	pthread_cond_t made;            /* a plan is MAKING no more */
	pthread_mutex_t trial;          /* plans are tried one at a time; of the handle that they are tried with: */
	cudnnHandle_t handle;
	cudnnBackendDescriptor_t device;        /* plans are for it, which is not there; NULL: for their handle's */
	struct lt_cudnn_plan *plans;
	cudnnHandle_t idle[LT_CUDNN_BUILDERS];  /* of threads that build */
	int n_idle;
	struct lt_array routines;       /* ours, then cuda's */
	CUmodule module;                /* what plans are judged by; NULL: not asked for yet */
	CUfunction kernel[LT_CUDNN_KERNELS];
	char *cubin;                    /* of the module */
};
static inline struct lt_cudnn *cudnn_of(const struct lt_session *s) { return s->library; }

/* library.c
 * there: LT_ELOAD says why the library is not.  load: its functions.  check: what it returned, and of what. */
lt_status lt__cudnn_there(struct lt_diag *);
lt_status lt__cudnn_load(struct lt_cudnn_library *, struct lt_diag *);
lt_status lt__cudnn_check(
	const struct lt_cudnn *, cudnnStatus_t, struct lt_diag *, const char *kernel, const char *what);
lt_status lt__cudnn_handle(struct lt_cudnn *, cudnnHandle_t *, struct lt_diag *);
lt_status lt__cudnn_ready(struct lt_session *, struct lt_cuda_queue *, struct lt_diag *);
void lt__cudnn_queue_free(struct lt_session *, struct lt_cuda_queue *);
/* form.c: the call of a loop that is described, or NULL.  form: NULL, or why a call is none where products of float32
 * may be computed in TF32 or may not: a sentence without its end, in `why`.  room: bytes from each operand's address to
 * the end of its memory; NULL: it is not known yet. */
const struct lt_call *lt__cudnn_call_at(const struct lt_tree *, int32_t loop);
const char *lt__cudnn_form(const struct lt_tree *, int32_t loop, bool tf32, const uint64_t *room,
	struct lt_cudnn_form *, char *why, size_t bytes);
/* The same for equal forms. */
void lt__cudnn_form_text(const struct lt_cudnn_wish *, FILE *);
/* wished.c: what was measured for this version and device; NULL: nothing. */
const struct lt_cudnn_wished *lt__cudnn_wished(size_t version, const char *arch, const struct lt_cudnn_wish *);
/* constants.c: into the plan, if its form has some. */
lt_status lt__cudnn_constants(
	struct lt_session *, const struct lt_cudnn_wish *, struct lt_cudnn_plan *, struct lt_diag *);
/* graph.c
 * new: the first plan that the wish allows, behind `skip` of the configurations: that of `first`, then
 * those that the library names; count: how many
 * up to this one.  LT_EMISSING: there is none; count: of all.  load: what save wrote, of this version of the library;
 * LT_EINVAL: it is not taken. */
lt_status lt__cudnn_plan_new(struct lt_cudnn *, const struct lt_cudnn_wish *, int skip, struct lt_cudnn_plan *,
	int *count, struct lt_diag *);
lt_status lt__cudnn_plan_save(const struct lt_cudnn *, const struct lt_cudnn_plan *, char **text, size_t *bytes);
lt_status lt__cudnn_plan_load(struct lt_cudnn *, const char *text, size_t bytes, struct lt_cudnn_plan *);
/* drop: the plan alone; free: its key, too. */
void lt__cudnn_plan_drop(struct lt_cudnn *, struct lt_cudnn_plan *);
void lt__cudnn_plan_free(struct lt_cudnn *, struct lt_cudnn_plan *);
/* at: of each tensor of the form that is bound. */
cudnnStatus_t lt__cudnn_execute(const struct lt_cudnn *, const struct lt_cudnn_plan *, const struct lt_cudnn_form *,
	cudnnHandle_t, const uint64_t *at, uint64_t workspace);
/* reference.c: the program of a result, or of a mask, malloc's (reference.h); or NULL, and why there is none: a
 * sentence without its end. */
const char *lt__cudnn_reference(
	const struct lt_cudnn_question *, int32_t result, struct reference_program **, size_t *bytes);
const char *lt__cudnn_reference_mask(
	const struct lt_cudnn_question *, const struct lt_cudnn_mask *, struct reference_program **, size_t *bytes);
/* mask.c
 * program: of a form's mask, malloc's; or NULL, and why there is none.  bytes: behind a workspace, its own padding
 * included; 0: the form has no mask.  new: the program on the device; 0: it needs none; with the context current.
 * make: the mask, of operands at these addresses, by their number; `to` is where `bytes` of memory begin.  after: what
 * is left to be done behind the plan. */
const char *lt__cudnn_mask_program(const struct lt_tree *, const struct lt_call *, const struct lt_cudnn_form *,
	struct reference_program **, size_t *bytes);
size_t lt__cudnn_mask_bytes(const struct lt_cudnn_form *);
uint64_t lt__cudnn_mask_at(uint64_t to);
lt_status lt__cudnn_mask_new(struct lt_session *, const struct lt_tree *, const struct lt_call *,
	const struct lt_cudnn_form *, CUdeviceptr *program, struct lt_diag *);
void lt__cudnn_mask_free(struct lt_session *, CUdeviceptr *program);
CUresult lt__cudnn_mask_make(struct lt_session *, const struct lt_cudnn_form *, CUdeviceptr program,
	const uint64_t *operand, uint64_t to, CUstream);
CUresult lt__cudnn_mask_after(struct lt_session *, const struct lt_cudnn_form *, const uint64_t *operand, CUstream);
/* kernel.c: all with the context current.
 * text: malloc's, of CUDA C.  kernels: compiled or recalled, once for a session; with the lock of trials.  launch:
 * arguments are what the kernel has as parameters, 8 bytes each. */
char *lt__cudnn_kernel_text(void);
lt_status lt__cudnn_kernels(struct lt_session *, struct lt_diag *);
void lt__cudnn_kernels_free(struct lt_session *);
CUresult lt__cudnn_launch(struct lt_session *, enum lt_cudnn_kernel, CUstream, int64_t n_thread,
	const uint64_t *argument, int n);
/* verify.c: with the context current and the lock of trials.  LT_EMISSING: it is wrong, and LT_EBUDGET:
 * the device has no memory for its workspace; `why` says how. */
lt_status lt__cudnn_verify(struct lt_session *, const struct lt_cudnn_wish *, const struct lt_cudnn_plan *, char *why,
	size_t bytes, struct lt_diag *);
/* time.c: with the context current and the lock of trials: microseconds of a recorded run. */
lt_status lt__cudnn_time(
	struct lt_session *, const struct lt_cudnn_wish *, const struct lt_cudnn_plan *, double *us, struct lt_diag *);
/* make.c: with the context current.
 * plans: of those that the session does not have; returns when they are there, or others make them.  plan_for: one,
 * whose state is MADE or NONE. */
lt_status lt__cudnn_plans(struct lt_session *, const struct lt_cudnn_wish *, uint32_t n, struct lt_diag *);
lt_status lt__cudnn_plan_for(
	struct lt_session *, const struct lt_cudnn_wish *, const struct lt_cudnn_plan **, struct lt_diag *);
void lt__cudnn_plans_free(struct lt_cudnn *);
/* plan.c: of the table; of struct lt_cuda_more. */
lt_status lt__cudnn_accepts(struct lt_session *, const struct lt_tree *, struct lt_diag *);
lt_status lt__cudnn_accepts_all(struct lt_session *, const struct lt_tree *const *, uint32_t n, lt_status *verdict,
	struct lt_diag *const *);
lt_status lt__cudnn_takes(
	struct lt_session *, const struct lt_tree *, const struct lt_kernel_call *, struct lt_diag *);
lt_status lt__cudnn_prepare(struct lt_object *, const struct lt_cuda_called *, size_t *bytes, struct lt_diag *);
lt_status lt__cudnn_call(
	struct lt_object *, const struct lt_cuda_called *, const struct lt_cuda_where *, struct lt_diag *);
void lt__cudnn_forget(struct lt_object *);
void lt__cudnn_explain(const struct lt_object *, lt_write *, void *user);
#endif
