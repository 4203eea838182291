/* leak_session.c -- every session keeps four kilobytes.  A list holds them, so that a sanitizer has
 * nothing to say. */
#include "tests/faults/fault.h"

struct block { struct block *next; char rest[4088]; };
static struct block *first;

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct block *b = allocate(1, sizeof *b);
	memset(b->rest, 1, sizeof b->rest);
	b->next = __atomic_exchange_n(&first, b, __ATOMIC_SEQ_CST);
	return plain_open(host, config, out, diag);
}
FAULTY("leak_session", .open = open_)
