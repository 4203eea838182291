/* record.c -- fault records on the device: kept from run to run, one for each run that is under way. */
#include <stdlib.h>
#include "backends/opencl/session.h"

static struct lt_opencl_record *record_new(struct lt_session *s, struct lt_diag *diag)
{
	cl_int r = CL_OUT_OF_HOST_MEMORY;
	struct lt_opencl_record *x = calloc(1, sizeof *x);
	if (x)
		x->at = s->cl.memory_new(s->context, CL_MEM_READ_WRITE, sizeof x->landed, NULL, &r);
	if (!lt__opencl_check(r, diag, "memory for a fault record"))
		return x;
	free(x);
	return NULL;
}

lt_status lt__opencl_record_take(struct lt_session *s, cl_command_queue queue, struct lt_fault *fault,
	struct lt_opencl_record **out, struct lt_diag *diag)
{
	static const cl_uint zero = 0;
	(void)pthread_mutex_lock(&s->lock);
	struct lt_opencl_record *x = s->records;
	while (x && x->fault)
		x = x->next;
	const bool made = !x;
	if (made && (x = record_new(s, diag))) {
		x->next = s->records;
		s->records = x;
	}
	if (x) {
		x->fault = fault;
		x->queue = queue;
		x->landed = (struct lt_fault){ 0 };
	}
	(void)pthread_mutex_unlock(&s->lock);
	*out = x;
	if (!x)
		return LT_ENOMEM;
	lt_status status = lt__opencl_check(s->cl.fill(queue, x->at, &zero, sizeof zero, 0, sizeof x->landed, 0, NULL, NULL),
		diag, "clearing a fault record");
	if (status) {
		lt__opencl_record_deliver(s, x);
		*out = NULL;
	}
	return status;
}

lt_status lt__opencl_record_land(struct lt_session *s, struct lt_opencl_record *x, struct lt_diag *diag)
{
	return lt__opencl_check(s->cl.read(x->queue, x->at, CL_FALSE, 0, sizeof x->landed, &x->landed, 0, NULL, NULL), diag,
		"reading a fault record");
}

/* With the lock held. */
static void record_deliver(struct lt_opencl_record *x)
{
	if (x->landed.n)
		*x->fault = x->landed;
	x->fault = NULL;
}

void lt__opencl_record_deliver(struct lt_session *s, struct lt_opencl_record *x)
{
	(void)pthread_mutex_lock(&s->lock);
	record_deliver(x);
	(void)pthread_mutex_unlock(&s->lock);
}

void lt__opencl_records_deliver(struct lt_session *s, cl_command_queue queue)
{
	(void)pthread_mutex_lock(&s->lock);
	for (struct lt_opencl_record *x = s->records; x; x = x->next)
		if (x->fault && x->queue == queue)
			record_deliver(x);
	(void)pthread_mutex_unlock(&s->lock);
}

void lt__opencl_records_free(struct lt_session *s)
{
	for (struct lt_opencl_record *x; (x = s->records); ) {
		s->records = x->next;
		(void)s->cl.memory_free(x->at);
		free(x);
	}
}
