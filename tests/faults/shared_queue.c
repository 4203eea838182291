/* shared_queue.c -- one place for the run that is enqueued, and not one in each session. */
#include "tests/faults/fault.h"

static struct lt_object *waiting;
static struct lt_args args_of;          /* the host takes them back when run returns */
static struct lt_slot slots_of[64];

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	if (!args->async || args->n_slot > 64)
		return plain_run(o, args, diag);
	waiting = o;
	args_of = *args;
	args_of.slot = memcpy(slots_of, args->slot, args->n_slot * sizeof *args->slot);
	args_of.param = NULL;
	return LT_OK;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	lt_status status = plain_sync(s, stream, diag);
	if (!status && waiting)
		status = plain_run(waiting, &args_of, diag);
	waiting = NULL;
	return status;
}
FAULTY("shared_queue", .run = run, .sync = sync_)
