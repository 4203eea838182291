/* over_workspace.c -- writes after the workspace that it asked for. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	size_t bytes, align;
	plain_need(o, args->n_thread, &bytes, &align);
	lt_status status = plain_run(o, args, diag);
	if (!status && args->workspace)
		memset((char *)args->workspace + bytes, 0, 4);
	return status;
}
FAULTY("over_workspace", .run = run)
