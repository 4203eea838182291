/* guard.c -- guards in a vector: the same for all lanes, or a mask; quotients that are the same in all. */
#include <string.h>
#include "kernel/lower/lowering.h"

/* A guard whose row moves by equal steps holds in all lanes if it does at the lowest, and in any only if it does at the
 * highest. */
struct lower_guards lt__lower_lane_guards(struct lowering *l, int32_t first, int32_t n)
{
	struct lower_guards g = { LOWER_YES, false, LOWER_YES, LOWER_YES, true };
	for (int32_t i = 0; i < n; i++) {
		struct lower_range r = lt__lower_range(l, l->t->guards[first + i]);
		if (r.known && r.high < 0)
			return (struct lower_guards){ LOWER_NO, false, LOWER_NO, LOWER_NO, true };
	}
	for (int32_t i = 0; i < n; i++) {
		int32_t row = l->t->guards[first + i];
		struct lower_range r = lt__lower_range(l, row);
		int64_t stride, last;
		if (r.known && r.low >= 0)
			continue;
		if (!lt__lower_stride(l, row, &stride) || __builtin_mul_overflow(stride, (int64_t)l->lanes - 1, &last)) {
			g.differ = true;        /* what the first lane says is no help */
			g.all = LOWER_NO;
			g.regular = false;
		} else if (last == 0) {
			g.shared = lt__lower_both(l, g.shared, lt__lower_holds(l, row, 0));
		} else {
			int32_t low = lt__lower_holds(l, row, last < 0 ? last : 0);
			g.differ = g.differ || low != LOWER_YES;
			if (low == LOWER_YES)
				continue;
			g.all = lt__lower_both(l, g.all, low);
			g.some = lt__lower_both(l, g.some, lt__lower_holds(l, row, last > 0 ? last : 0));
		}
	}
	if (g.shared == LOWER_NO || g.some == LOWER_NO)
		return (struct lower_guards){ LOWER_NO, false, LOWER_NO, LOWER_NO, true };
	return g;
}

int32_t lt__lower_mask_and(struct lowering *l, int32_t a, int32_t b)
{
	return a < 0 ? b : lt__lower_wide(l, LT_OPCODE_and, LT_LANE_MASK, a, b, 0);
}

/* row + stride*lane >= 0: the lanes from a number on, or those below one. */
static int32_t mask_of(struct lowering *l, int32_t row, int64_t stride)
{
	int32_t x = lt__lower_row(l, row);
	if (stride < 0) {
		x = lt__lower_add(l, lt__lower_floor(l, x, -stride), lt__lower_i64(l, 1));
		return lt__lower_wide(l, LT_OPCODE_below, LT_LANE_MASK, x, -1, 0);
	}
	x = lt__lower_pure(l, LT_OPCODE_neg, LT_I64, lt__lower_floor(l, x, stride), -1, -1, 0);
	return lt__lower_wide(l, LT_OPCODE_not, LT_LANE_MASK, lt__lower_wide(l, LT_OPCODE_below, LT_LANE_MASK, x, -1, 0), -1,
		0);
}

int32_t lt__lower_guard_mask(struct lowering *l, int32_t first, int32_t n)
{
	int32_t all = -1;
	for (int32_t i = 0; i < n; i++) {
		int32_t row = l->t->guards[first + i];
		struct lower_range r = lt__lower_range(l, row);
		int64_t stride;
		if (r.known && r.low >= 0)
			continue;
		if (!lt__lower_stride(l, row, &stride)) {
			int32_t x = lt__lower_row_of_lanes(l, row), zero = lt__lower_spread(l, lt__lower_i64(l, 0));
			all = lt__lower_mask_and(l, all, lt__lower_wide(l, LT_OPCODE_greaterequal, LT_LANE_MASK, x, zero, 0));
		} else if (stride) {
			all = lt__lower_mask_and(l, all, mask_of(l, row, stride));
		} else {
			int32_t holds = lt__lower_holds(l, row, 0);
			if (holds != LOWER_YES)         /* never NO: that was seen before */
				all = lt__lower_mask_and(l, all, lt__lower_spread(l, holds));
		}
	}
	return all;
}

/* The irregular columns that a row uses, and those that they use, are marked. */
static void mark_row(const struct lowering *l, int32_t row, bool *used)
{
	const int64_t *r = lower_row_at(l->t, row);
	for (int32_t d = 0; d < l->t->n_div; d++) {
		int32_t c = lower_div_column(l->t, d);
		if (r[c] && l->column[c].irregular && !used[d]) {
			used[d] = true;
			mark_row(l, LT_AT(struct lt_div, l->t->divs, d)->row, used);
		}
	}
}

static void mark_access(const struct lowering *l, int32_t access, bool *used)
{
	for (; access >= 0; access = lower_access_at(l, access)->index) {
		const struct lt_access *a = lower_access_at(l, access);
		mark_row(l, a->row, used);
		for (int32_t b = 0; b < a->n_bound; b++)
			mark_row(l, l->t->bounds[a->first_bound + b], used);
	}
}

static void mark_guards(const struct lowering *l, int32_t first, int32_t n, bool *used)
{
	for (int32_t i = 0; i < n; i++)
		mark_row(l, l->t->guards[first + i], used);
}

static void mark_operand(const struct lowering *l, const struct lt_operand *o, bool *used)
{
	for (int32_t k = 0; k < o->n_piece; k++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + k);
		mark_access(l, p->kind == LT_READ ? p->access : -1, used);
		mark_guards(l, p->first_guard, p->n_guard, used);
		if (p->kind == LT_AFFINE)
			mark_row(l, p->row, used);
	}
}

struct lower_column *lt__lower_invariant_columns(struct lowering *l)
{
	struct lower_column *c = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *c);
	memcpy(c, l->column, (size_t)l->t->n_column * sizeof *c);
	for (int32_t i = 0; i < l->t->n_column; i++)
		if (c[i].irregular) {
			c[i].irregular = false;
			c[i].stride = 0;
		}
	return c;
}

/* floor((row + last) / den) in the first lane is what it is without `last`: a condition. */
static int32_t same_quotient(struct lowering *l, int32_t div, int64_t last)
{
	const struct lt_div *d = LT_AT(struct lt_div, l->t->divs, div);
	struct lower_range r = lt__lower_range(l, d->row);
	int opcode = r.known && r.low >= 0 ? LT_OPCODE_quotient : LT_OPCODE_div;
	int32_t x = lt__lower_row(l, d->row), den = lt__lower_i64(l, d->den);
	int32_t from = lt__lower_pure(l, opcode, LT_I64, x, den, -1, 0);
	x = lt__lower_add(l, x, lt__lower_i64(l, last));
	return lt__lower_pure(l, LT_OPCODE_eq, LT_LANE_MASK, from, lt__lower_pure(l, opcode, LT_I64, x, den, -1, 0), -1, 0);
}

/* The quotients that change from lane to lane, as far as is known, and that the statement uses. */
static bool *mark_stmt(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	bool *used = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_div, 1);
	mark_access(l, st->dest, used);
	mark_guards(l, st->first_guard, st->n_guard, used);
	for (int32_t i = 0; i < st->n_operand; i++)
		mark_operand(l, LT_AT(struct lt_operand, l->t->operands, st->first_operand + i), used);
	return used;
}

/* A quotient whose row moves by equal steps, the quotients in it standing still, does not change if it is the same in
 * the first lane and the last. */
int32_t lt__lower_invariant(struct lowering *l, int32_t s)
{
	struct lower_column *known = l->column, *still = NULL;
	bool *used = mark_stmt(l, s);
	int32_t all = LOWER_YES;
	for (int32_t d = 0; d < l->t->n_div && all != LOWER_NO; d++) {
		int64_t stride, last;
		if (!used[d])
			continue;
		if (l->column[lower_div_column(l->t, d)].fixed)
			return LOWER_NO;        /* it was seen to change */
		still = still ? still : lt__lower_invariant_columns(l);
		l->column = still;
		bool regular = lt__lower_stride(l, LT_AT(struct lt_div, l->t->divs, d)->row, &stride)
			&& !__builtin_mul_overflow(stride, (int64_t)l->lanes - 1, &last);
		l->column = known;
		if (!regular)
			return LOWER_NO;
		if (stride)
			all = lt__lower_both(l, all, same_quotient(l, d, last));
	}
	return all;
}

/* Whatever is known of loops around it: less than where its instructions are made. */
bool lt__lower_is_invariant(struct lowering *l, int32_t s)
{
	const int32_t loop = lower_stmt_at(l, s)->loop;
	struct lower_column first = lt__lower_any_iteration(l, loop, -1);
	bool varies = false;
	first.stride = 1;
	l->lane_loop = loop;
	l->lanes = l->loop[loop].lanes;
	lt__lower_enter(l, loop, first);
	const bool *used = mark_stmt(l, s);
	for (int32_t d = 0; d < l->t->n_div; d++)
		varies = varies || used[d];
	l->lane_loop = -1;
	l->lanes = 1;
	lt__lower_leave(l, loop);
	return !varies;
}
