/* last_fault.c -- floats and int32 alone; the fault record holds the last index out of range, not the
 * first. */
#include "tests/faults/fault.h"

static const struct lt_caps *caps(const struct lt_session *s)
{
	static _Thread_local struct lt_caps mine;
	mine = *s->table->caps(s->ref);
	mine.dtypes = UINT64_C(1) << LT_F32 | UINT64_C(1) << LT_I32;
	return &mine;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = plain_run(o, args, diag);
	const struct lt_access *a =
		args->fault->n > 1 ? LT_AT(struct lt_access, o->tree->accesses, args->fault->access) : NULL;
	const struct lt_buffer *b =
		a ? buffer_at(o, (uint32_t)LT_AT(struct lt_access, o->tree->accesses, a->index)->buffer) : NULL;
	for (int64_t i = 0; b && b->slot >= 0 && i < b->elems; i++) {
		int32_t index;
		memcpy(&index, address(args, b) + 4 * i, sizeof index);
		if (index < 0 || index >= a->index_extent)
			args->fault->value = index;
	}
	return status;
}
FAULTY("last_fault", .caps = caps, .run = run)
