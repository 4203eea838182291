/* event.c -- time on the device, between two moments of its queue. */
#include <math.h>
#include <stdlib.h>
#include "backends/cuda/session.h"

struct lt_event { struct lt_session *s; CUevent event; };

lt_status lt__cuda_event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag)
{
	struct lt_event *e = calloc(1, sizeof *e);
	*out = NULL;
	if (!e)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory on the host");
	e->s = s;
	lt_status status = lt__cuda_enter(s, diag);
	if (!status) {
		status = lt__cuda_check(s, s->cuda.event_new(&e->event, CU_EVENT_DEFAULT), diag, "an event");
		lt__cuda_leave(s);
	}
	if (status)
		free(e);
	else
		*out = e;
	return status;
}

lt_status lt__cuda_event_record(struct lt_event *e, void *stream, struct lt_diag *diag)
{
	struct lt_session *s = e->s;
	struct lt_cuda_queue *q;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_queue_take(s, stream, true, &q, diag);
	if (!status) {
		status = lt__cuda_check(s, s->cuda.event_record(e->event, q->stream), diag, "recording an event");
		lt__cuda_queue_give(s, q);
	}
	lt__cuda_leave(s);
	return status;
}

lt_status lt__cuda_event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag)
{
	struct lt_session *s = from->s;
	float ms = 0;
	*ns = 0;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	CUresult r = s->cuda.event_wait(from->event);
	if (!r)
		r = s->cuda.event_wait(to->event);
	if (!r)
		r = s->cuda.event_elapsed(&ms, from->event, to->event);
	status = lt__cuda_check(s, r, diag, "the time between two events");
	if (!status)
		*ns = llround((double)ms * 1e6);
	lt__cuda_leave(s);
	return status;
}

lt_status lt__cuda_event_wait(struct lt_event *e, struct lt_diag *diag)
{
	struct lt_session *s = e->s;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_check(s, s->cuda.event_wait(e->event), diag, "waiting for an event");
	lt__cuda_leave(s);
	return status;
}

lt_status lt__cuda_stream_wait(struct lt_session *s, void *stream, struct lt_event *e, struct lt_diag *diag)
{
	struct lt_cuda_queue *q;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_queue_take(s, stream, true, &q, diag);
	if (!status) {
		status = lt__cuda_check(s, s->cuda.stream_wait_event(q->stream, e->event, 0), diag, "waiting for another queue");
		lt__cuda_queue_give(s, q);
	}
	lt__cuda_leave(s);
	return status;
}

void lt__cuda_event_free(struct lt_event *e)
{
	if (!e)
		return;
	if (lt__cuda_enter(e->s, NULL) == LT_OK) {
		(void)e->s->cuda.event_free(e->event);
		lt__cuda_leave(e->s);
	}
	free(e);
}
