/* no_sync.c -- a run that is to be enqueued is done when the next one comes; sync does not wait for it. */
#include "tests/faults/fault.h"

static _Thread_local struct { struct lt_object *o; struct lt_args args; struct lt_slot slot[64]; } waiting;

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	if (waiting.o) {
		struct lt_object *before = waiting.o;
		waiting.o = NULL;
		lt_status status = plain_run(before, &waiting.args, diag);
		if (status)
			return status;
	}
	if (!args->async || args->n_slot > 64)
		return plain_run(o, args, diag);
	waiting.o = o;
	waiting.args = *args;
	memcpy(waiting.slot, args->slot, args->n_slot * sizeof *args->slot);
	waiting.args.slot = waiting.slot;
	return LT_OK;
}
FAULTY("no_sync", .run = run)
