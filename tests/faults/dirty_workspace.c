/* dirty_workspace.c -- takes its workspace to be zeros: what it holds is added to the first element of a
 * sum. */
#include "tests/faults/fault.h"

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	plain_need(o, n_thread, bytes, align);
	*bytes += 64;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	size_t bytes, align;
	plain_need(o, args->n_thread, &bytes, &align);
	lt_status status = plain_run(o, args, diag);
	float *sum = (float *)(void *)((char *)args->workspace + bytes);
	for (uint32_t i = 0; !status && i < o->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(o, i);
		if (!is_written(b) || !b->elems || type_of(o, b)->dtype != LT_F32 || !has_op(o->tree, "add", (int32_t)i))
			continue;
		float *out = (float *)(void *)address(args, b);
		*out += *sum;
	}
	*sum = 0;
	return status;
}
FAULTY("dirty_workspace", .run = run, .need = need)
