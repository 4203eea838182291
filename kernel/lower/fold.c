/* fold.c -- lanes that are combined with one element: vectors of a loop with each other first, in a
 * variable, then the lanes of that, then the element. */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

static int32_t identity_of(struct lowering *l, const struct lt_op *op)
{
	return lt__lower_spread(l, lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity));
}

/* Lanes of the variable of a fold. */
static uint32_t fold_lanes(const struct lowering *l, int32_t loop)
{
	return l->loop[loop].dot ? l->loop[loop].lanes / 4 : l->loop[loop].lanes;
}

void lt__lower_finish_fold(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, lower_stmt_at(l, s)->op);
	if (lt__lower_join_fold(l, s, value))
		return;
	int32_t all = value;
	if (lower_lanes_of(l, value) > 1) {
		all = lt__build_value(&l->b, LT_OPCODE_fold, op->out, 1, value, -1);
		l->b.region[l->b.now].at[all].what = (int32_t)op->opcode;
	}
	if (!l->part || !lt__lower_combine_own(l, s, all))      /* in a grid: the thread's part of it */
		lt__lower_reduce(l, s, all);
}

/* Statements that combine right in the loop with an element that stays where it is. */
void lt__lower_begin_folds(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (int32_t s = x->first_stmt; s < x->first_stmt + x->n_stmt; s++) {
		const struct lt_stmt *st = lower_stmt_at(l, s);
		const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
		const struct lt_access *dest = lower_access_at(l, st->dest);
		if (st->loop != loop || st->n_guard || !lt__lower_can_fold(l, st) || dest->index >= 0
			|| lt__lower_depends(l->t, dest->row, loop) || l->storage[dest->buffer].lanes_loop == loop)
			continue;
		struct lower_fold *f = lt__pool_alloc(&l->b.pool, 1, sizeof *f);
		*f = (struct lower_fold){ s, lt__build_variable(&l->b, "sum", op->out, fold_lanes(l, loop)),
			l->b.region[l->b.now].n_open, l->folds };
		l->folds = f;
		l->b.origin = s;
		lt__build_begins(&l->b, LT_OPCODE_variable, f->variable);
		l->lanes = fold_lanes(l, loop);
		lt__build_set(&l->b, f->variable, identity_of(l, op));
		l->lanes = 1;
	}
}

void lt__lower_end_folds(struct lowering *l, const struct lower_fold *outside)
{
	for (; l->folds != outside; l->folds = l->folds->next) {
		const struct lower_fold *f = l->folds;
		l->b.origin = f->stmt;
		lt__lower_finish_fold(l, f->stmt, lt__build_get(&l->b, f->variable));
	}
}

/* Those of four bytes are added to the element at once: there are no lanes of a sum. */
static void add_dot(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const int32_t buffer = lower_access_at(l, st->dest)->buffer;
	const struct lower_address at = l->storage[buffer].is_variable ? (struct lower_address){ -1, 0 }
		: lt__lower_locate(l, s, st->dest);
	lt__lower_write_at(l, buffer, at, lt__lower_dot(l, lt__lower_read_at(l, buffer, at, -1)));
}

/* The products of a vector of bytes are added to the lanes of the variable, or folded at once. */
static void fold_dot(struct lowering *l, int32_t s, struct lower_fold *f)
{
	if (!f && l->lanes == 4) {
		add_dot(l, s);
		return;
	}
	int32_t sum = f ? lt__build_get(&l->b, f->variable) : lt__build_value(&l->b, LT_OPCODE_splat, LT_I32, l->lanes / 4,
		lt__lower_pure(l, LT_OPCODE_const, LT_I32, -1, -1, -1, 0), -1);
	sum = lt__lower_dot(l, sum);
	if (!f) {
		lt__lower_finish_fold(l, s, sum);
		return;
	}
	lt__build_set(&l->b, f->variable, sum);
	f->fresh = -1;
}

void lt__lower_fold(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, lower_stmt_at(l, s)->op);
	struct lower_fold *f = l->folds;
	while (f && f->stmt != s)
		f = f->next;
	if (lt__lower_is_dot(l)) {
		fold_dot(l, s, f);
		return;
	}
	value = lt__lower_spread(l, value);
	if (l->mask >= 0)
		value = lt__build_select(&l->b, l->mask, value, identity_of(l, op));
	if (f && f->fresh == l->b.region[l->b.now].n_open) {
		f->fresh = -1;
		lt__build_set(&l->b, f->variable, value);
		return;
	}
	if (f) {
		f->fresh = -1;
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_update, .operand = { value, -1, -1, -1 },
			.what = f->variable, .number = op->opcode, .origin = s });
		return;
	}
	lt__lower_finish_fold(l, s, value);
}

bool lt__lower_dot_stmt(struct lowering *l, int32_t s)
{
	if (!lt__lower_is_dot(l))
		return false;
	if (s == l->loop[l->lane_loop].dot->stmt)
		lt__lower_fold(l, s, -1);
	return true;
}
