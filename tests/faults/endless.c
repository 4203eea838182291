/* endless.c -- a run with a remainder never ends. */
#include "tests/faults/fault.h"
#include <time.h>

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	while (has_op(o->tree, "mod", -1))
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	return plain_run(o, args, diag);
}
FAULTY("endless", .run = run)
