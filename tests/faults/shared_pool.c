/* shared_pool.c -- one pool of threads for all sessions, not reentrant: the job of the session that comes
 * last is everybody's. */
#include "tests/faults/fault.h"
#include <time.h>

static struct job { struct lt_object *o; const struct lt_args *args; } job;

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	int parallel = 0;
	for (int32_t i = 0; i < o->tree->n_loop; i++)
		parallel |= LT_AT(struct lt_loop, o->tree->loops, i)->kind == LT_PARALLEL;
	if (!parallel || args->n_thread < 2)
		return plain_run(o, args, diag);
	job = (struct job){ o, args };
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);       /* its threads wake up */
	return job.o == o ? plain_run(o, args, diag) : LT_OK;
}
FAULTY("shared_pool", .run = run)
