/* leak.c -- every run keeps a kilobyte.  A list holds it, so that a sanitizer has nothing to say. */
#include "tests/faults/fault.h"

struct block { struct block *next; char rest[1016]; };
static struct block *first;

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct block *b = allocate(1, sizeof *b);
	memset(b->rest, 1, sizeof b->rest);
	b->next = __atomic_exchange_n(&first, b, __ATOMIC_SEQ_CST);
	return plain_run(o, args, diag);
}
FAULTY("leak", .run = run)
