/* backends/cuda/run.c -- runs of objects: their launches enqueued, and waited for unless the host does that later. */
#include <stdio.h>
#include "backends/cuda/session.h"

lt_status lt__cuda_run_check(const struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	const char *name = cuda_name(t);
	if (args->n_slot != (uint32_t)t->n_slot)
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s takes %d buffers, %u were given", name,
			(int)t->n_slot, (unsigned)args->n_slot);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t least = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (b->slot >= 0 && args->slot[b->slot].bytes < least)
			return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: buffer %s has %lld bytes and needs %lld", name,
				b->name ? b->name : "?", (long long)args->slot[b->slot].bytes, (long long)least);
	}
	if (o->code.workspace_bytes && !args->workspace)
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s needs a workspace of %llu bytes", name,
			(unsigned long long)o->code.workspace_bytes);
	return LT_OK;
}

static uint64_t argument_value(const struct lt_cuda_argument *a, const struct lt_args *args, CUdeviceptr fault)
{
	const struct lt_slot *slot;
	switch ((enum lt_cuda_argument_kind)a->kind) {
	case LT_CUDA_SLOT:
		slot = &args->slot[a->number];
		return (uint64_t)(uintptr_t)slot->base + (uint64_t)slot->offset;
	case LT_CUDA_WORKSPACE: return (uint64_t)(uintptr_t)args->workspace + (uint64_t)a->number;
	case LT_CUDA_FAULT: return fault;
	case LT_CUDA_NUMBER: break;
	}
	return (uint64_t)a->number;
}

static CUresult launch(const struct lt_object *o, uint32_t i, const struct lt_args *args, CUstream stream,
	CUdeviceptr fault)
{
	const struct lt_cuda_launch *l = &o->code.launches[i];
	uint64_t value[LT_CUDA_MAX_ARGUMENTS];
	void *at[LT_CUDA_MAX_ARGUMENTS];
	if (!l->blocks[0] || !l->blocks[1] || !l->blocks[2])
		return CUDA_SUCCESS;
	for (uint32_t k = 0; k < l->n_argument; k++) {
		value[k] = argument_value(&o->code.arguments[l->first_argument + k], args, fault);
		at[k] = &value[k];
	}
	return o->s->cuda.launch(o->function[i], l->blocks[0], l->blocks[1], l->blocks[2], l->threads[0], l->threads[1],
		l->threads[2], l->shared_bytes, stream, at, NULL);
}

lt_status lt__cuda_enqueue(
	struct lt_object *o, const struct lt_args *args, CUstream stream, CUdeviceptr fault, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; !status && i < o->code.n_launch; i++)
		status = lt__cuda_check(o->s, launch(o, i, args, stream, fault), diag, "kernel %s: launching %s",
			cuda_name(o->tree), o->code.launches[i].function);
	return status;
}

/* A record that is cleared before the launches, and copied to the host after them. */
static lt_status enqueue_faulting(
	struct lt_object *o, const struct lt_args *args, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	const struct lt_cuda_driver *cuda = &o->s->cuda;
	const uint32_t i = q->n_fault;
	const CUdeviceptr at = q->device_fault + i * sizeof(struct lt_fault);
	CUresult r = cuda->fill(at, 0, sizeof(struct lt_fault), q->stream);
	lt_status status = lt__cuda_check(o->s, r, diag, "kernel %s: clearing its fault record", cuda_name(o->tree));
	if (!status)
		status = lt__cuda_enqueue(o, args, q->stream, at, diag);
	if (status)
		return status;
	r = cuda->copy_to_host(&q->landed[i], at, sizeof(struct lt_fault), q->stream);
	q->fault[q->n_fault++] = args->fault;
	return lt__cuda_check(o->s, r, diag, "kernel %s: its fault record", cuda_name(o->tree));
}

static lt_status run_in(
	struct lt_object *o, const struct lt_args *args, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	const bool faults = lt__cuda_code_faults(&o->code);
	if (faults && q->n_fault == LT_CUDA_FAULTS)             /* every record is in use */
		status = lt__cuda_queue_wait(o->s, q, diag);
	if (status)
		return status;
	(void)snprintf(q->kernel, sizeof q->kernel, "%s", cuda_name(o->tree));
	lt__cuda_queue_running(o->s, q, true);
	status = faults ? enqueue_faulting(o, args, q, diag) : lt__cuda_enqueue(o, args, q->stream, 0, diag);
	if (!status && args->async)
		return LT_OK;
	/* What was enqueued before an error uses the caller's memory. */
	lt_status waited = lt__cuda_queue_wait(o->s, q, status ? NULL : diag);
	return status ? status : waited;
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
