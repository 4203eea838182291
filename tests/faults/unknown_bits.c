/* tests/faults/unknown_bits.c -- does not look at what a tree needs: features that it has never heard of are taken, too. */
#include "tests/faults/fault.h"

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_tree all = { 0 };
	memcpy(&all, t, t->size < sizeof all ? t->size : sizeof all);
	all.needs &= s->table->caps(s->ref)->understands;
	return s->table->accepts(s->ref, &all, diag);
}
FAULTY("unknown_bits", .accepts = accepts)
