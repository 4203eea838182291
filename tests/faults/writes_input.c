/* writes_input.c -- uses the last element of an input as scratch. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	for (uint32_t i = 0; !status && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		size_t bytes = type_of(o, b)->bytes;
		if (b->role == LT_INPUT && !b->written && b->elems)
			memset(address(args, b) + bytes * (size_t)(b->elems - 1), 0, bytes);
	}
	return status;
}
FAULTY("writes_input", .run = run)
