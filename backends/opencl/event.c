/* event.c -- time on the device, between two moments of its queue. */
#include <stdlib.h>
#include "backends/opencl/session.h"

struct lt_event { struct lt_session *s; cl_event event; };

lt_status lt__opencl_event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag)
{
	*out = calloc(1, sizeof **out);
	if (!*out)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory on the host");
	(*out)->s = s;
	return LT_OK;
}

lt_status lt__opencl_event_record(struct lt_event *e, void *stream, struct lt_diag *diag)
{
	struct lt_session *s = e->s;
	cl_event event = NULL;
	lt_status status = lt__opencl_check(s->cl.marker(stream ? stream : s->queue, 0, NULL, &event), diag,
		"recording an event");
	if (status)
		return status;
	if (e->event)
		(void)s->cl.event_free(e->event);
	e->event = event;
	return LT_OK;
}

lt_status lt__opencl_event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag)
{
	struct lt_session *s = from->s;
	const cl_event both[2] = { from->event, to->event };
	cl_ulong at[2] = { 0, 0 };
	*ns = 0;
	if (!both[0] || !both[1])
		return lt__report(diag, LT_EINVAL, -1, -1, "record both first", "an event was never recorded");
	cl_int r = s->cl.event_wait(2, both);
	for (int i = 0; i < 2 && !r; i++)
		r = s->cl.event_time(both[i], CL_PROFILING_COMMAND_END, sizeof at[i], &at[i], NULL);
	lt_status status = lt__opencl_check(r, diag, "the time between two events");
	if (!status)
		*ns = (int64_t)(at[1] - at[0]);
	return status;
}

void lt__opencl_event_free(struct lt_event *e)
{
	if (e && e->event)
		(void)e->s->cl.event_free(e->event);
	free(e);
}
