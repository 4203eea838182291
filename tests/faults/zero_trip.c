/* zero_trip.c -- crashes where a run-time scalar leaves a loop without a trip. */
#include "tests/faults/fault.h"

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	for (int32_t l = 0; l < t->n_loop; l++) {
		const struct lt_loop *loop = LT_AT(struct lt_loop, t->loops, l);
		for (int32_t b = 0; b < loop->n_bound; b++) {
			const int64_t *row = t->rows + (int64_t)t->bounds[loop->first_bound + b] * t->n_column;
			int64_t trip_count = row[0];
			int bounded = 0;
			for (int32_t p = 0; p < t->n_param; p++) {
				const struct lt_tparam *param = LT_AT(struct lt_tparam, t->params, p);
				trip_count += row[1 + p]
					* ((const int64_t *)(const void *)address(
						args, buffer_at(o, (uint32_t)param->buffer)))[param->element];
				bounded |= row[1 + p] != 0;
			}
			if (bounded && trip_count <= 0)
				abort();
		}
	}
	return plain_run(o, args, diag);
}
FAULTY("zero_trip", .run = run)
