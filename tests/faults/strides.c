/* strides.c -- swaps two strides of an operand that is read across, its innermost loop not being its
 * contiguous one. */
#include "tests/faults/loose.h"

static void change(struct copy *c)
{
	for (uint32_t p = 0; p < c->t.pieces.n; p++) {
		int64_t *inner = NULL, *outer = NULL;
		if (c->piece[p].kind != LT_READ)
			continue;
		struct lt_access *a = &c->access[c->piece[p].access];
		if (c->buffer[a->buffer].slot < 0)
			continue;
		int32_t row = add_row(c, a->row);
		for (int32_t l = c->t.n_loop - 1; l >= 0; l--) {
			int64_t *cell = loop_cell(c, row, l);
			if (*cell && !inner)
				inner = cell;
			else if (*cell && !outer)
				outer = cell;
		}
		if (outer && *inner > *outer) {
			int64_t keep = *inner;
			*inner = *outer;
			*outer = keep;
			a->row = row;
		}
	}
	loosen(c);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("strides", .compile = compile, .run = loose_run)
