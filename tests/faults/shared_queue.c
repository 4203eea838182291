/* tests/faults/shared_queue.c -- one place for the run that is enqueued, and not one in each session. */
#include "tests/faults/fault.h"

static struct lt_object *waiting;
static const struct lt_args *args_of;

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	if (!args->async)
		return plain_run(o, args, diag);
	waiting = o;
	args_of = args;
	return LT_OK;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	lt_status status = plain_sync(s, stream, diag);
	if (!status && waiting)
		status = plain_run(waiting, args_of, diag);
	waiting = NULL;
	return status;
}
FAULTY("shared_queue", .run = run, .sync = sync_)
