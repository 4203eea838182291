/* leak_object.c -- destroying an object frees nothing.  A list holds it, so that a sanitizer has nothing
 * to say. */
#include "tests/faults/fault.h"

struct kept { struct kept *next; struct lt_object *o; };
static struct kept *first;

static void destroy(struct lt_object *o)
{
	struct kept *k = allocate(1, sizeof *k);
	k->o = o;
	k->next = __atomic_exchange_n(&first, k, __ATOMIC_SEQ_CST);
}
FAULTY("leak_object", .destroy = destroy)
