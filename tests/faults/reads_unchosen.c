/* reads_unchosen.c -- reads every piece of an operand before it looks which of them is chosen, as code
 * does that selects between values: an element outside its buffer, too. */
#include "tests/faults/fault.h"

/* The least and the greatest value of a row over whole loops; 0: it has run-time scalars or divisions in it. */
static int range_of(const struct lt_tree *t, int32_t row, int64_t *low, int64_t *high)
{
	const int64_t *r = t->rows + (int64_t)row * t->n_column;
	*low = *high = r[0];
	for (int32_t p = 0; p < t->n_param; p++)
		if (r[1 + p])
			return 0;
	for (int32_t l = 0; l < t->n_loop; l++) {
		int64_t max = r[1 + t->n_param + l] * (LT_AT(struct lt_loop, t->loops, l)->max_trip_count - 1);
		*(max < 0 ? low : high) += max;
	}
	for (int32_t d = 0; d < t->n_div; d++)
		if (r[1 + t->n_param + t->n_loop + d])
			return 0;
	return 1;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	unsigned sum = 0;
	for (uint32_t i = 0; i < t->pieces.n; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces, i);
		const struct lt_access *a =
			p->kind == LT_READ && p->n_guard > 0 ? LT_AT(struct lt_access, t->accesses, p->access) : NULL;
		const struct lt_buffer *b = a ? buffer_at(o, (uint32_t)a->buffer) : NULL;
		int64_t low, high, bytes = b ? type_of(o, b)->bytes : 0;
		if (!b || b->slot < 0 || a->index >= 0 || !range_of(t, a->row, &low, &high))
			continue;
		sum += *(const volatile unsigned char *)(address(args, b) + low * bytes);
		sum += *(const volatile unsigned char *)(address(args, b) + high * bytes);
	}
	o->count = sum;
	return plain_run(o, args, diag);
}
FAULTY("reads_unchosen", .run = run)
