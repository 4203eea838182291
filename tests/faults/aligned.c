/* aligned.c -- takes every slot to begin at a multiple of 16 bytes. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_args inner = *args;
	struct lt_slot *slot = allocate(args->n_slot, sizeof *slot);
	for (uint32_t i = 0; i < args->n_slot; i++) {
		slot[i] = args->slot[i];
		slot[i].offset -= (int64_t)(((uintptr_t)slot[i].base + (uintptr_t)slot[i].offset) & 15);
	}
	inner.slot = slot;
	lt_status status = plain_run(o, &inner, diag);
	free(slot);
	return status;
}
FAULTY("aligned", .run = run)
