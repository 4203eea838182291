/* shared.c -- not reentrant: results go through one static buffer, which all sessions share. */
#include "tests/faults/fault.h"
#include <time.h>

static char scratch[1 << 12];

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	for (uint32_t i = 0; !status && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (!is_written(b) || !b->elems)
			continue;
		size_t bytes = bytes_of(o, b) < (int64_t)sizeof scratch ? (size_t)bytes_of(o, b) : sizeof scratch;
		memcpy(scratch, address(args, b), bytes);
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);        /* what a device takes */
		memcpy(address(args, b), scratch, bytes);
	}
	return status;
}
FAULTY("shared", .run = run)
