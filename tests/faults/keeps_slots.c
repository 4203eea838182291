/* keeps_slots.c -- keeps the place of the first input of its first run, and reads it there in all later
 * runs. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_args inner = *args;
	struct lt_slot *slot = allocate(args->n_slot, sizeof *slot);
	memcpy(slot, args->slot, args->n_slot * sizeof *slot);
	inner.slot = slot;
	for (uint32_t i = 0; i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (b->role != LT_INPUT || b->written || b->slot < 0)
			continue;
		if (!o->count++)
			o->kept = slot[b->slot];
		slot[b->slot] = o->kept;
		break;
	}
	lt_status status = plain_run(o, &inner, diag);
	free(slot);
	return status;
}
FAULTY("keeps_slots", .run = run)
