/* past_end.c -- writes one element past the end of what it writes. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	for (uint32_t i = 0; !status && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (is_written(b))
			memset(address(args, b) + bytes_of(o, b), 0, type_of(o, b)->bytes);
	}
	return status;
}
FAULTY("past_end", .run = run)
