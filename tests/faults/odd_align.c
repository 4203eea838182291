/* odd_align.c -- says that it needs no workspace, at an alignment that is no power of two. */
#include "tests/faults/fault.h"

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)o, (void)n_thread;
	*bytes = 0;
	*align = 48;
}
FAULTY("odd_align", .need = need)
