/* false_promise.c -- ref's promise to run objects on several threads at once, which is broken: the results
 * of an object go through a buffer of its own. */
#include "tests/faults/fault.h"
#include <time.h>

enum { BUFFERS = 64 };
static char scratch[BUFFERS][1 << 12];

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	char *mine = scratch[(uintptr_t)o / 64 % BUFFERS];
	lt_status status = plain_run(o, args, diag);
	for (uint32_t i = 0; !status && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (!is_written(b) || !b->elems)
			continue;
		size_t bytes = bytes_of(o, b) < (int64_t)sizeof *scratch ? (size_t)bytes_of(o, b) : sizeof *scratch;
		memcpy(mine, address(args, b), bytes);
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);        /* what a device takes */
		memcpy(address(args, b), mine, bytes);
	}
	return status;
}
FAULTY("false_promise", .run = run)
