/* reads_past.c -- reads whole vectors of 16 bytes, past the end of what it reads. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	unsigned sum = 0;
	for (uint32_t i = 0; i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (b->slot < 0 || b->written)
			continue;
		for (int64_t k = bytes_of(o, b); k & 15; k++)
			sum += ((const volatile unsigned char *)address(args, b))[k];
	}
	o->count = sum;
	return plain_run(o, args, diag);
}
FAULTY("reads_past", .run = run)
