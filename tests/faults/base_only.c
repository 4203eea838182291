/* base_only.c -- takes a slot's base for its address: what its offset says is not looked at. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_args inner = *args;
	struct lt_slot *slot = allocate(args->n_slot, sizeof *slot);
	for (uint32_t i = 0; i < args->n_slot; i++)
		slot[i] = (struct lt_slot){ .base = args->slot[i].base, .bytes = args->slot[i].bytes };
	inner.slot = slot;
	lt_status status = plain_run(o, &inner, diag);
	free(slot);
	return status;
}
FAULTY("base_only", .run = run)
