/* bool_mask.c -- stores true as a vector's mask, all bits set. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	for (uint32_t i = 0; !status && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		for (int64_t k = 0; is_written(b) && type_of(o, b)->dtype == LT_BOOL && k < b->elems; k++)
			address(args, b)[k] = (char)-(address(args, b)[k] != 0);
	}
	return status;
}
FAULTY("bool_mask", .run = run)
