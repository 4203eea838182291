/* run.c -- runs of objects: their launches enqueued, and waited for unless the host does that later. */
#include <stdlib.h>
#include "backends/backends.h"
#include "backends/opencl/session.h"
#include "kernel/form/form.h"

struct opencl_launcher {
	struct lt_text_launcher base;
	struct lt_object *o;
	const struct lt_args *args;
	cl_command_queue queue;
	cl_mem fault;
	struct lt_diag *diag;
};

static cl_mem buffer_object(const struct lt_kernel_buffer *b, const struct lt_args *args)
{
	return b->space == LT_SPACE_SLOT ? args->slot[b->slot].base : args->workspace;
}

static int64_t buffer_offset(const struct lt_kernel_buffer *b, const struct lt_args *args)
{
	return b->space == LT_SPACE_SLOT ? args->slot[b->slot].offset : b->offset;
}

static cl_int set_argument(const struct opencl_launcher *l, const struct lt_text_grid *g, cl_kernel function,
	const struct lt_text_launch *x, uint32_t i)
{
	const struct lt_text_parameter *p = &g->parameters[i];
	const struct lt_kernel_buffer *b = p->kind <= LT_TEXT_OFFSET ? &l->o->kernel->buffers[p->index] : NULL;
	const cl_mem object = p->kind == LT_TEXT_FAULT ? l->fault : b ? buffer_object(b, l->args) : NULL;
	const cl_long offset = b ? buffer_offset(b, l->args) : 0;
	switch (p->kind) {
	case LT_TEXT_BUFFER:
	case LT_TEXT_FAULT: return l->o->s->cl.kernel_argument(function, i, sizeof(cl_mem), &object);
	case LT_TEXT_OFFSET: return l->o->s->cl.kernel_argument(function, i, sizeof offset, &offset);
	case LT_TEXT_ARGUMENT: break;
	}
	return l->o->s->cl.kernel_argument(function, i,
		p->dtype == LT_LANE_MASK ? sizeof(cl_int) : (size_t)lt__kernel_element_bytes(p->dtype), &x->argument[p->index]);
}

static lt_status launch(struct lt_text_launcher *launcher, const struct lt_text_launch *x)
{
	struct opencl_launcher *l = (struct opencl_launcher *)(void *)launcher;
	struct lt_object *o = l->o;
	const struct lt_text_grid *g = &o->grids->grids[x->region - 1];
	cl_kernel function = o->function[x->region - 1];
	size_t global[3], local[3];
	cl_int r = CL_SUCCESS;
	for (int a = 0; a < 3; a++) {
		local[a] = (size_t)o->kernel->regions[x->region].threads[a];
		global[a] = local[a] * (size_t)x->blocks[a];
	}
	(void)pthread_mutex_lock(&o->turn);
	for (uint32_t i = 0; !r && i < g->n_parameter; i++)
		r = set_argument(l, g, function, x, i);
	if (!r)
		r = o->s->cl.launch(l->queue, function, 3, NULL, global, local, 0, NULL, NULL);
	(void)pthread_mutex_unlock(&o->turn);
	return lt__opencl_check(r, l->diag, "kernel %s: launching %s", opencl_name(o->tree), g->name);
}

/* Of a host that does not tell them: read from the device, which waits for what was enqueued before; only launches that
 * depend on them need it. */
static lt_status read_params(const struct opencl_launcher *l, int64_t *param)
{
	const struct lt_kernel *k = l->o->kernel;
	lt_status status = LT_OK;
	for (uint32_t i = 0; !status && i < k->n_param; i++) {
		const struct lt_kernel_param *p = &k->params[i];
		const struct lt_kernel_buffer *b = &k->buffers[p->buffer];
		const size_t at = (size_t)buffer_offset(b, l->args) + (size_t)p->element * sizeof *param;
		status = lt__opencl_check(l->o->s->cl.read(l->queue, buffer_object(b, l->args), CL_TRUE, at, sizeof *param,
			&param[i], 0, NULL, NULL), l->diag, "kernel %s: run-time scalar %s", opencl_name(l->o->tree), p->name);
	}
	return status;
}

/* With the run-time scalars a grid has as many blocks as they ask for; without, the most that there may be. */
static lt_status enqueue(struct opencl_launcher *l)
{
	const struct lt_kernel *k = l->o->kernel;
	if (LT_HAS(struct lt_args, l->args, param) || l->o->recorded)
		return lt__text_launches(k, LT_HAS(struct lt_args, l->args, param) ? l->args->param : NULL, &l->base, l->diag);
	int64_t *param = calloc(k->n_param + 1, sizeof *param);
	lt_status status = param ? read_params(l, param) : lt__report(l->diag, LT_ENOMEM, -1, -1, NULL,
		"no memory for the run-time scalars of kernel %s", opencl_name(l->o->tree));
	if (!status)
		status = lt__text_launches(k, param, &l->base, l->diag);
	free(param);
	return status;
}

/* A record that is cleared before the launches, and read after them. */
static lt_status enqueue_faulting(struct opencl_launcher *l, struct lt_opencl_record **record)
{
	struct lt_session *s = l->o->s;
	*record = NULL;
	lt_status status = l->o->faults ? lt__opencl_record_take(s, l->queue, l->args->fault, record, l->diag) : LT_OK;
	if (!status) {
		l->fault = *record ? (*record)->at : NULL;
		status = enqueue(l);
	}
	return !status && *record ? lt__opencl_record_land(s, *record, l->diag) : status;
}

lt_status lt__opencl_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_session *s = o->s;
	struct lt_opencl_record *record;
	struct opencl_launcher l = { { launch, NULL }, o, args, args->stream ? args->stream : s->queue, NULL, diag };
	lt_status status = o->program ? lt__check_arguments(o->tree, args, o->kernel->workspace_bytes, diag)
		: lt__report(diag, LT_EUNSUPPORTED, -1, -1, "compile it without text_only", "kernel %s was only printed",
			opencl_name(o->tree));
	if (status)
		return status;
	status = enqueue_faulting(&l, &record);
	if (!status && args->async && !(status = lt__opencl_remember(s, l.queue, diag)))
		return lt__opencl_check(s->cl.queue_flush(l.queue), diag, "kernel %s: handing it to the device",
			opencl_name(o->tree));
	/* What was enqueued before an error uses the caller's memory. */
	lt_status waited = lt__opencl_wait(s, l.queue, status ? NULL : diag, opencl_name(o->tree));
	if (record)
		lt__opencl_record_deliver(s, record);
	return status ? status : waited;
}
