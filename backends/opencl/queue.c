/* queue.c -- waiting for what was enqueued: in the session's queue, and in those of the caller. */
#include <stdlib.h>
#include "backends/opencl/session.h"

lt_status lt__opencl_wait(struct lt_session *s, cl_command_queue queue, struct lt_diag *diag, const char *kernel)
{
	cl_event done = NULL;
	cl_int r = s->cl.marker(queue, 0, NULL, &done);
	if (!r) {
		r = s->cl.event_wait(1, &done);
		(void)s->cl.event_free(done);
	}
	return kernel ? lt__opencl_check(r, diag, "kernel %s, or what was enqueued before it", kernel)
		: lt__opencl_check(r, diag, "waiting for the device");
}

lt_status lt__opencl_remember(struct lt_session *s, cl_command_queue queue, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	(void)pthread_mutex_lock(&s->lock);
	struct lt_opencl_stream *x = s->streams;
	while (x && x->queue != queue)
		x = x->next;
	if (queue != s->queue && !x) {
		x = calloc(1, sizeof *x);
		status = x ? lt__opencl_check(s->cl.queue_keep(queue), diag, "the caller's queue")
			: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory on the host");
		if (status) {
			free(x);
		} else {
			*x = (struct lt_opencl_stream){ s->streams, queue };
			s->streams = x;
		}
	}
	(void)pthread_mutex_unlock(&s->lock);
	return status;
}

/* Takes that queue out of the list, or (NULL) the first; it is the taker's to release.  NULL: it is not there. */
static cl_command_queue stream_take(struct lt_session *s, cl_command_queue queue)
{
	(void)pthread_mutex_lock(&s->lock);
	struct lt_opencl_stream **where = &s->streams, *x;
	while (queue && *where && (*where)->queue != queue)
		where = &(*where)->next;
	if ((x = *where))
		*where = x->next;
	(void)pthread_mutex_unlock(&s->lock);
	cl_command_queue taken = x ? x->queue : NULL;
	free(x);
	return taken;
}

static lt_status sync_one(struct lt_session *s, cl_command_queue queue, struct lt_diag *diag)
{
	lt_status status = lt__opencl_wait(s, queue, diag, NULL);
	lt__opencl_records_deliver(s, queue);
	return status;
}

lt_status lt__opencl_stream_new(struct lt_session *s, void **out, struct lt_diag *diag)
{
	cl_int r = CL_SUCCESS;
	*out = s->cl.queue_new(s->context, s->device, CL_QUEUE_PROFILING_ENABLE, &r);
	if (!*out)
		*out = s->cl.queue_new(s->context, s->device, 0, &r);
	return lt__opencl_check(r, diag, "a queue of device %d", s->config.device);
}

void lt__opencl_stream_free(struct lt_session *s, void *stream)
{
	cl_command_queue kept = stream_take(s, stream);
	if (kept)
		(void)s->cl.queue_free(kept);
	(void)s->cl.queue_free(stream);
}

lt_status lt__opencl_sync(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	lt_status status = sync_one(s, stream ? stream : s->queue, diag);
	for (cl_command_queue q; (q = stream_take(s, stream)); ) {
		if (!stream) {
			lt_status one = sync_one(s, q, status ? NULL : diag);
			status = status ? status : one;
		}
		(void)s->cl.queue_free(q);
	}
	return status;
}

void lt__opencl_forget(struct lt_session *s)
{
	for (cl_command_queue q; (q = stream_take(s, NULL)); ) {
		(void)lt__opencl_wait(s, q, NULL, NULL);
		(void)s->cl.queue_free(q);
	}
}
