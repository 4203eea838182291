/* operand.c -- operands in a vector.
 *
 * Of several pieces, the first whose guards hold: where all lanes agree on it, a branch; where they do not, each piece
 * under a mask, or lane by lane if that needs a loop anyway.  Where masks cost nothing, branches are made only for
 * guards that are the same in all lanes: of what no lane takes, loads under a mask would still ask for the addresses.
 */
#include "kernel/lower/lowering.h"

enum { MAX_BRANCHES = 16 };     /* pieces that branches are made for; of more, the lanes are asked one by one */

static const struct lt_piece *piece_at(const struct lowering *l, const struct lt_operand *o, int32_t i)
{
	return LT_AT(struct lt_piece, l->t->pieces, o->first_piece + i);
}

/* Whether it needs no loop over the lanes. */
static bool piece_is_wide(const struct lowering *l, const struct lt_piece *p)
{
	int64_t stride;
	if (p->kind == LT_AFFINE)
		return lt__lower_stride(l, p->row, &stride) || l->machine.gathered;
	return p->kind == LT_IMMEDIATE || lt__lower_is_wide(l, p->access);
}

/* One scalar for all lanes, or a vector. */
static int32_t piece_value(struct lowering *l, int32_t s, const struct lt_piece *p, uint32_t dtype)
{
	int64_t stride;
	if (p->kind == LT_IMMEDIATE)
		return lt__lower_pure(l, LT_OPCODE_const, dtype, -1, -1, -1, (int64_t)p->bits);
	if (p->kind == LT_READ)
		return lt__lower_as(l, lt__lower_load(l, s, p->access), dtype);
	bool shared = lt__lower_stride(l, p->row, &stride) && stride == 0;
	return lt__lower_as(l, shared ? lt__lower_row(l, p->row) : lt__lower_row_of_lanes(l, p->row), dtype);
}

/* Whether each piece can be read under a mask. */
bool lt__lower_operand_is_wide(struct lowering *l, const struct lt_operand *o)
{
	int64_t stride;
	if (o->n_piece > MAX_BRANCHES)
		return false;
	for (int32_t i = 0; i < o->n_piece; i++) {
		const struct lt_piece *p = piece_at(l, o, i);
		for (int32_t k = 0; k < p->n_guard && i + 1 < o->n_piece; k++)
			if (!l->machine.gathered && !lt__lower_stride(l, l->t->guards[p->first_guard + k], &stride))
				return false;
		if (!piece_is_wide(l, p))
			return false;
	}
	return true;
}

/* Pieces from i on, in the lanes of `left` (-1: all that are on), each under the mask of its own lanes. */
static int32_t blended(struct lowering *l, int32_t s, const struct lt_operand *o, int32_t i, int32_t left)
{
	const struct lt_piece *p = piece_at(l, o, i);
	struct lower_guards g = lt__lower_lane_guards(l, p->first_guard, i + 1 < o->n_piece ? p->n_guard : 0);
	int32_t mask = l->mask, of_piece = -1;
	bool guarded = l->guarded;
	if (g.shared == LOWER_NO)
		return blended(l, s, o, i + 1, left);
	if (i + 1 < o->n_piece)
		of_piece = lt__lower_guard_mask(l, p->first_guard, p->n_guard);
	l->mask = of_piece < 0 ? left : lt__lower_mask_and(l, left, of_piece);
	l->guarded = guarded || l->mask != mask;
	int32_t value = lt__lower_spread(l, piece_value(l, s, p, o->dtype));
	l->mask = mask;
	l->guarded = guarded;
	if (of_piece < 0)
		return value;
	int32_t others = lt__lower_wide(l, LT_OPCODE_not, LT_LANE_MASK, of_piece, -1, 0);
	int32_t rest = blended(l, s, o, i + 1, lt__lower_mask_and(l, left, others));
	const struct lt_instruction *loaded = lt__build_at(&l->b, value), *other = lt__build_at(&l->b, rest);
	if (other->opcode == LT_OPCODE_const && other->number == 0 && loaded->opcode == LT_OPCODE_load
		&& loaded->operand[2] == of_piece)
		return value;                           /* lanes that are off are 0 */
	return lt__build_select(&l->b, of_piece, value, rest);
}

/* A piece that all lanes take, or the next one.  before: a condition that the earlier ones hold in no lane, where that
 * is not known. */
static void branch(struct lowering *l, int32_t s, const struct lt_operand *o, int32_t i, int32_t before, int32_t to)
{
	const struct lt_piece *p = piece_at(l, o, i);
	struct lower_guards g = lt__lower_lane_guards(l, p->first_guard, i + 1 < o->n_piece ? p->n_guard : 0);
	if (g.shared == LOWER_NO) {
		branch(l, s, o, i + 1, before, to);
		return;
	}
	int32_t all = lt__lower_both(l, before, lt__lower_both(l, g.shared, g.all)), mark = -1;
	if (all >= 0)
		mark = lt__lower_if(l, all);
	if (all != LOWER_NO)
		lt__build_set(&l->b, to, lt__lower_spread(l,
			piece_is_wide(l, p) ? piece_value(l, s, p, o->dtype) : lt__lower_by_loop(l, s, o)));
	if (all == LOWER_YES)
		return;
	if (all >= 0)
		lt__lower_else(l, mark);
	/* In no lane: not `shared`, or not `some`; where the guards are the same in all lanes that is sure now. */
	if (g.differ) {
		int32_t some = lt__lower_both(l, g.shared, g.some);
		before = some == LOWER_YES ? LOWER_NO
			: lt__lower_both(l, before, lt__lower_pure(l, LT_OPCODE_not, LT_LANE_MASK, some, -1, -1, 0));
	}
	if (i + 1 < o->n_piece && before != LOWER_NO)
		branch(l, s, o, i + 1, before, to);
	else if (lt__lower_operand_is_wide(l, o))
		lt__build_set(&l->b, to, blended(l, s, o, 0, l->mask));
	else
		lt__build_set(&l->b, to, lt__lower_by_loop(l, s, o));
	if (all >= 0)
		lt__lower_end(l, mark);
}

/* Whether the guards of all pieces from i on are the same in all lanes. */
static bool pieces_agree(struct lowering *l, const struct lt_operand *o, int32_t i)
{
	bool agree = true;
	for (; agree && i + 1 < o->n_piece; i++)
		agree = !lt__lower_lane_guards(l, piece_at(l, o, i)->first_guard, piece_at(l, o, i)->n_guard).differ;
	return agree;
}

int32_t lt__lower_lane_operand(struct lowering *l, int32_t s, const struct lt_operand *o)
{
	struct lower_guards g = { LOWER_YES, false, LOWER_YES, LOWER_YES, true };
	int32_t i = 0;
	for (; i + 1 < o->n_piece; i++) {
		g = lt__lower_lane_guards(l, piece_at(l, o, i)->first_guard, piece_at(l, o, i)->n_guard);
		if (g.shared != LOWER_NO)
			break;
	}
	if (i + 1 == o->n_piece || (g.shared == LOWER_YES && !g.differ)) {
		if (piece_is_wide(l, piece_at(l, o, i)))
			return piece_value(l, s, piece_at(l, o, i), o->dtype);
		lt__lower_say(l, s, LOWER_LOOPED);
		return lt__lower_by_loop(l, s, o);
	}
	lt__lower_say(l, s, lt__lower_operand_is_wide(l, o) ? LOWER_PIECES_MASKED : LOWER_PIECES);
	if (o->n_piece > MAX_BRANCHES)
		return lt__lower_by_loop(l, s, o);
	if (l->machine.masked && lt__lower_operand_is_wide(l, o) && !pieces_agree(l, o, i))
		return blended(l, s, o, i, l->mask);
	int32_t v = lt__build_variable(&l->b, "piece", o->dtype, l->lanes);
	lt__build_begins(&l->b, LT_OPCODE_variable, v);
	branch(l, s, o, i, LOWER_YES, v);
	return lt__build_get(&l->b, v);
}
