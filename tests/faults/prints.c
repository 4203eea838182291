/* prints.c -- prints at each run. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	(void)printf("kernel %s runs\n", o->tree->name);
	(void)fprintf(stderr, "said on stderr\n");
	return plain_run(o, args, diag);
}
FAULTY("prints", .run = run)
