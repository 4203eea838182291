/* no_fault.c -- leaves the fault record unset when an index is out of range. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_args inner = *args;
	struct lt_fault lost = { 0 };
	inner.fault = &lost;
	return plain_run(o, &inner, diag);
}
FAULTY("no_fault", .run = run)
