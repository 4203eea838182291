/* three_threads.c -- shares elements evenly among threads and forgets the rest: wrong with three. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	for (uint32_t i = 0; !status && args->n_thread == 3 && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		size_t bytes = type_of(o, b)->bytes;
		if (is_written(b))
			memset(address(args, b) + (size_t)(b->elems - b->elems % 3) * bytes, 0x77, (size_t)(b->elems % 3) * bytes);
	}
	return status;
}
FAULTY("three_threads", .run = run)
