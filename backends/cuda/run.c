/* run.c -- runs of objects: their launches enqueued, and waited for unless the host does that later. */
#include <stdio.h>
#include <stdlib.h>
#include "backends/backends.h"
#include "backends/cuda/session.h"

lt_status lt__cuda_run_check(const struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	if (!o->code.cubin)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "compile it without text_only", "kernel %s was only printed",
			cuda_name(o->tree));
	lt_status status = lt__check_arguments(o->tree, args, o->code.kernel->workspace_bytes, diag);
	return status ? status : lt__check_addresses(o->tree, args, diag);
}

/* From Hopper on its blocks may come while those of the kernel before it still run, and wait (lt_after in the text):
 * what it takes to begin a kernel is not between the two. */
static CUresult begin(const struct lt_session *s, CUfunction f, const uint32_t blocks[3], const int32_t threads[3],
	unsigned bytes, CUstream stream, void **at)
{
	enum { FIRST = 9 };
	CUlaunchAttribute early = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION };
	early.value.programmaticStreamSerializationAllowed = 1;
	const CUlaunchConfig config = { .gridDimX = blocks[0], .gridDimY = blocks[1], .gridDimZ = blocks[2],
		.blockDimX = (unsigned)threads[0], .blockDimY = (unsigned)threads[1], .blockDimZ = (unsigned)threads[2],
		.sharedMemBytes = bytes, .hStream = stream, .attrs = &early, .numAttrs = s->facts.major >= FIRST };
	return s->cuda.launch(&config, f, at, NULL);
}

static CUresult launch(const struct lt_object *o, const struct lt_cuda_launch *l, const uint64_t *argument,
	const struct lt_args *args, CUstream stream, CUdeviceptr fault)
{
	const struct lt_kernel *k = o->code.kernel;
	const struct lt_text_grid *g = &o->code.grids->grids[l->grid];
	const struct lt_region *r = &k->regions[g->region];
	uint64_t value[LT_CUDA_MAX_PARAMETERS];
	void *at[LT_CUDA_MAX_PARAMETERS];
	for (uint32_t p = 0; p < g->n_parameter; p++) {
		const struct lt_text_parameter *x = &g->parameters[p];
		value[p] = x->kind == LT_TEXT_BUFFER ? lt__cuda_buffer_address(&k->buffers[x->index], args)
			: x->kind == LT_TEXT_FAULT ? fault : argument[l->first_argument + (uint32_t)x->index];
		at[p] = &value[p];
	}
	return begin(o->s, o->function[l->grid], l->blocks, r->threads, (unsigned)g->dynamic_bytes, stream, at);
}

lt_status lt__cuda_enqueue(struct lt_object *o, const struct lt_cuda_launches *all, const struct lt_args *args,
	const struct lt_cuda_where *to, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; !status && i < all->n_launch; i++)
		status = all->launch[i].call >= 0 ? lt__cuda_call(o, all, i, args, to, diag)
			: lt__cuda_check(o->s, launch(o, &all->launch[i], all->argument, args, to->stream, to->fault), diag,
				"kernel %s: launching %s", cuda_name(o->tree), o->code.grids->grids[all->launch[i].grid].name);
	return status;
}

/* A record that is cleared before the launches, and copied to the host after them. */
static lt_status enqueue_faulting(struct lt_object *o, const struct lt_cuda_launches *all, const struct lt_args *args,
	struct lt_cuda_queue *q, struct lt_diag *diag)
{
	const struct lt_cuda_driver *cuda = &o->s->cuda;
	const uint32_t i = q->n_fault;
	const CUdeviceptr at = q->device_fault + i * sizeof(struct lt_fault);
	CUresult r = cuda->fill(at, 0, sizeof(struct lt_fault), q->stream);
	lt_status status = lt__cuda_check(o->s, r, diag, "kernel %s: clearing its fault record", cuda_name(o->tree));
	if (!status)
		status = lt__cuda_enqueue(o, all, args, &(struct lt_cuda_where){ q->stream, at, q->workspace, q->handle }, diag);
	if (status)
		return status;
	r = cuda->copy_to_host(&q->landed[i], at, sizeof(struct lt_fault), q->stream);
	q->fault[q->n_fault++] = args->fault;
	return lt__cuda_check(o->s, r, diag, "kernel %s: its fault record", cuda_name(o->tree));
}

/* What the host's region asks for that no recorded run can have, or has better: the run-time scalars.  A host that does
 * not tell them has them in the device's memory. */
static lt_status launches_now(struct lt_object *o, const struct lt_args *args, struct lt_cuda_queue *q,
	struct lt_cuda_launches *out, struct lt_diag *diag)
{
	const struct lt_kernel *k = o->code.kernel;
	if (LT_HAS(struct lt_args, args, param))
		return lt__cuda_launches(&o->code, args->param, out, diag);
	int64_t *param = calloc(k->n_param + 1, sizeof *param);
	lt_status status = param ? LT_OK
		: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for the run-time scalars of kernel %s", cuda_name(o->tree));
	for (uint32_t i = 0; !status && i < k->n_param; i++) {
		const struct lt_kernel_param *p = &k->params[i];
		const CUdeviceptr at = lt__cuda_buffer_address(&k->buffers[p->buffer], args) + (uint64_t)p->element * sizeof *param;
		status = lt__cuda_check(o->s, o->s->cuda.copy_to_host(&param[i], at, sizeof *param, q->stream), diag,
			"kernel %s: run-time scalar %s", cuda_name(o->tree), p->name);
	}
	if (param) {                            /* also after an error: a copy may be under way */
		lt_status waited = lt__cuda_queue_wait(o->s, q, status ? NULL : diag);
		status = status ? status : waited;
	}
	if (!status)
		status = lt__cuda_launches(&o->code, param, out, diag);
	free(param);
	return status;
}

/* Memory for its calls, of each queue, as much as the largest needs: what is enqueued in it runs in order. */
static lt_status find_room(struct lt_object *o, const struct lt_cuda_launches *all, const struct lt_args *args,
	struct lt_cuda_queue *q, struct lt_diag *diag)
{
	struct lt_session *s = o->s;
	size_t bytes;
	lt_status status = lt__cuda_calls_prepare(o, all, args, &bytes, diag);
	if (!status && all->n_call && s->more)
		status = s->more->ready(s, q, diag);
	if (status || bytes <= q->workspace_bytes)
		return status;
	status = q->workspace ? lt__cuda_queue_wait(s, q, diag) : LT_OK;
	if (status)
		return status;
	bytes = bytes > LT_CUDA_BLAS_BYTES ? bytes : LT_CUDA_BLAS_BYTES;
	(void)pthread_mutex_lock(&s->lock);
	if (q->workspace)
		lt__cuda_pool_free(&s->pool, q->workspace);
	q->workspace = 0;
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes, &q->workspace);
	(void)pthread_mutex_unlock(&s->lock);
	q->workspace_bytes = r ? 0 : bytes;
	return lt__cuda_check(s, r, diag, "kernel %s: memory for its calls", cuda_name(o->tree));
}

static lt_status run_launches(struct lt_object *o, const struct lt_cuda_launches *all, const struct lt_args *args,
	struct lt_cuda_queue *q, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	if (o->code.faults && q->n_fault == LT_CUDA_FAULTS)             /* every record is in use */
		status = lt__cuda_queue_wait(o->s, q, diag);
	if (!status)
		status = find_room(o, all, args, q, diag);
	if (status)
		return status;
	(void)snprintf(q->kernel, sizeof q->kernel, "%s", cuda_name(o->tree));
	lt__cuda_queue_running(o->s, q, true);
	status = o->code.faults ? enqueue_faulting(o, all, args, q, diag)
		: lt__cuda_enqueue(o, all, args, &(struct lt_cuda_where){ q->stream, 0, q->workspace, q->handle }, diag);
	if (!status && args->async)
		status = lt__cuda_queue_end(o->s, q, diag);
	if (!status && args->async)
		return LT_OK;
	/* What was enqueued before an error uses the caller's memory. */
	lt_status waited = lt__cuda_queue_wait(o->s, q, status ? NULL : diag);
	return status ? status : waited;
}

static lt_status run_in(
	struct lt_object *o, const struct lt_args *args, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	struct lt_cuda_launches now = { 0 };
	const bool recorded = o->recorded && !(o->follows && LT_HAS(struct lt_args, args, param));
	lt_status status = recorded ? LT_OK : launches_now(o, args, q, &now, diag);
	if (!status)
		status = run_launches(o, recorded ? &o->launches : &now, args, q, diag);
	lt__cuda_launches_free(&now);
	return status;
}

lt_status lt__cuda_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_cuda_queue *q;
	lt_status status = lt__cuda_run_check(o, args, diag);
	if (!status)
		status = lt__cuda_enter(o->s, diag);
	if (status)
		return status;
	status = lt__cuda_queue_take(o->s, args->stream, args->async != 0, &q, diag);
	if (!status) {
		status = run_in(o, args, q, diag);
		lt__cuda_queue_give(o->s, q);
	}
	lt__cuda_leave(o->s);
	return status;
}
