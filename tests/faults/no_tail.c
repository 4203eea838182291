/* no_tail.c -- drops a tail: the last trip of a loop is left out where the loops in it are cut short
 * there. */
#include "tests/faults/fault.h"

static void change(struct copy *c)
{
	for (int32_t l = 0; l < c->t.n_loop; l++)
		for (int32_t b = 0; b < c->loop[l].n_bound; b++) {
			int32_t row = c->t.bounds[c->loop[l].first_bound + b], outer = c->loop[l].parent;
			while (outer >= 0 && *loop_cell(c, row, outer) >= 0)
				outer = c->loop[outer].parent;
			if (outer < 0)
				continue;
			struct lt_loop *o = &c->loop[outer];
			int64_t last = copy_row(c, row)[0] + *loop_cell(c, row, outer) * (o->max_trip_count - 1);
			o->max_trip_count -= o->max_trip_count > 1 && last > 0 && last < c->loop[l].max_trip_count;
		}
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return compile_changed(s, tree, n, object, diag, change);
}
FAULTY("no_tail", .compile = compile)
