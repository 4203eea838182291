/* unsteady.c -- sums in an order that changes from run to run: every other one has another last bit. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	uint64_t turn = __atomic_fetch_add(&o->count, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; !status && turn % 2 && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		for (uint32_t s = 0; is_written(b) && b->elems && type_of(o, b)->dtype == LT_F32 && s < o->tree->stmts.n; s++) {
			const struct lt_stmt *st = LT_AT(struct lt_stmt, o->tree->stmts, s);
			if (st->kind == LT_REDUCE && LT_AT(struct lt_access, o->tree->accesses, st->dest)->buffer == (int32_t)i) {
				*address(args, b) ^= 1;
				break;
			}
		}
	}
	return status;
}
FAULTY("unsteady", .run = run)
