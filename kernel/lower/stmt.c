/* stmt.c -- statements of a frozen tree, one element at a time. */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

static int32_t lower_piece(struct lowering *l, int32_t s, const struct lt_piece *p, uint32_t dtype)
{
	if (p->kind == LT_IMMEDIATE)
		return lt__lower_pure(l, LT_OPCODE_const, dtype, -1, -1, -1, (int64_t)p->bits);
	return lt__lower_as(l, p->kind == LT_AFFINE ? lt__lower_row(l, p->row) : lt__lower_read(l, s, p->access), dtype);
}

/* The first piece whose guards hold: one that always does ends them. */
static void choose(struct lowering *l, int32_t s, const struct lt_operand *o, int32_t first, int32_t variable)
{
	int32_t mask = LOWER_YES, i = first;
	for (; i < o->n_piece - 1; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + i);
		mask = lt__lower_guards(l, p->first_guard, p->n_guard);
		if (mask != LOWER_NO)
			break;
	}
	const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + i);
	if (i == o->n_piece - 1 || mask == LOWER_YES) {
		lt__build_set(&l->b, variable, lower_piece(l, s, p, o->dtype));
		return;
	}
	int32_t mark = lt__lower_if(l, mask);
	lt__build_set(&l->b, variable, lower_piece(l, s, p, o->dtype));
	lt__lower_else(l, mark);
	choose(l, s, o, i + 1, variable);
	lt__lower_end(l, mark);
}

/* In a grid: pieces that are read where their guards hold, and are 0 elsewhere, without a branch. */
enum { MAX_BLENDS = 4 };

static bool blends(const struct lowering *l, const struct lt_operand *o)
{
	bool fits = l->part && l->team >= 0 && o->n_piece <= MAX_BLENDS;
	for (int32_t i = o->first_piece; i < o->first_piece + o->n_piece && fits; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, i);
		fits = p->kind != LT_READ || lower_access_at(l, p->access)->index < 0;
	}
	return fits;
}

/* mask: where it is read; -1: everywhere. */
static int32_t masked_piece(struct lowering *l, int32_t s, const struct lt_piece *p, uint32_t dtype, int32_t mask)
{
	if (p->kind != LT_READ || mask < 0)
		return lower_piece(l, s, p, dtype);
	int32_t buffer = lower_access_at(l, p->access)->buffer;
	struct lower_address at = l->storage[buffer].is_variable ? (struct lower_address){ -1, 0 }
		: lt__lower_locate(l, s, p->access);
	return lt__lower_as(l, lt__lower_read_at(l, buffer, at, mask), dtype);
}

/* Pieces from i on, where `left` holds. */
static int32_t blend_pieces(struct lowering *l, int32_t s, const struct lt_operand *o, int32_t i, int32_t left)
{
	const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + i);
	int32_t mask = i + 1 < o->n_piece ? lt__lower_guards(l, p->first_guard, p->n_guard) : LOWER_YES;
	if (mask == LOWER_NO)
		return blend_pieces(l, s, o, i + 1, left);
	int32_t both = lt__lower_both(l, left, mask);
	int32_t value = masked_piece(l, s, p, o->dtype, both);
	if (mask == LOWER_YES)
		return value;
	int32_t others = lt__lower_both(l, left, lt__lower_pure(l, LT_OPCODE_not, LT_LANE_MASK, mask, -1, -1, 0));
	int32_t rest = blend_pieces(l, s, o, i + 1, others);
	const struct lt_instruction *loaded = lt__build_at(&l->b, value), *other = lt__build_at(&l->b, rest);
	if (other->opcode == LT_OPCODE_const && other->number == 0 && loaded->opcode == LT_OPCODE_load
		&& loaded->operand[2] == both)
		return value;                   /* what is not read is 0 */
	return lt__build_select(&l->b, mask, value, rest);
}

int32_t lt__lower_operand(struct lowering *l, int32_t s, const struct lt_operand *o)
{
	if (o->n_piece == 1)
		return lower_piece(l, s, LT_AT(struct lt_piece, l->t->pieces, o->first_piece), o->dtype);
	if (blends(l, o))
		return blend_pieces(l, s, o, 0, l->predicate >= 0 ? l->predicate : LOWER_YES);
	int32_t v = lt__build_variable(&l->b, "piece", o->dtype, 1);
	lt__build_begins(&l->b, LT_OPCODE_variable, v);
	choose(l, s, o, 0, v);
	return lt__build_get(&l->b, v);
}

void lt__lower_reduce(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	int32_t buffer = lower_access_at(l, st->dest)->buffer, x[4] = { -1, value, -1, -1 };
	uint32_t dtype = lower_dtype_of(l, buffer);
	bool is_variable = l->storage[buffer].is_variable;
	if (is_variable && lt__lower_spilled(l, buffer) < 0 && lt__lower_opcode_of(op) != LT_OPCODE_TEXT
		&& !lt__opcode_tests(op->opcode) && op->out == dtype) {
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_update, .operand = { value, -1, -1, -1 },
			.what = lt__lower_location(l, buffer), .number = op->opcode, .origin = s });
		return;
	}
	struct lower_address at = is_variable ? (struct lower_address){ -1, 0 } : lt__lower_locate(l, s, st->dest);
	x[0] = lt__lower_as(l, lt__lower_read_at(l, buffer, at, -1), op->in[0]);
	lt__lower_write_at(l, buffer, at, lt__lower_as(l, lt__lower_apply(l, op, x), dtype));
}

static void assign(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	int32_t buffer = lower_access_at(l, st->dest)->buffer, x[4] = { -1, -1, -1, -1 };
	if (lt__lower_async(l, s))
		return;
	for (int32_t i = 0; i < st->n_operand && st->kind != LT_RESET; i++)
		x[i] = lt__lower_operand(l, s, LT_AT(struct lt_operand, l->t->operands, st->first_operand + i));
	if (lower_reduces(st)) {
		if (!lt__lower_join_fold(l, s, x[0]) && (!l->part || !lt__lower_combine_own(l, s, x[0])))
			lt__lower_reduce(l, s, x[0]);
		return;
	}
	struct lower_address at = l->storage[buffer].is_variable ? (struct lower_address){ -1, 0 }
		: lt__lower_locate(l, s, st->dest);
	int32_t value = st->kind == LT_RESET
		? lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity) : lt__lower_apply(l, op, x);
	lt__lower_write_at(l, buffer, at, lt__lower_as(l, value, lower_dtype_of(l, buffer)));
}

/* In a grid: whether a guard can turn off the store alone.  Then copies of the statement are one run of instructions,
 * whose accesses step W can join; what is read where it does not hold is 0. */
static bool is_predicated(const struct lowering *l, const struct lt_stmt *st)
{
	if (!l->part || l->team < 0 || st->kind != LT_MAP || st->async)
		return false;
	const struct lt_access *dest = lower_access_at(l, st->dest);
	const struct lower_storage *to = &l->storage[dest->buffer];
	bool fits = dest->index < 0 && !to->is_variable && to->made.space != LT_SPACE_ARRAY
		&& lt__lower_opcode_of(LT_AT(struct lt_op, l->t->ops, st->op)) != LT_OPCODE_TEXT;
	for (int32_t i = st->first_operand; i < st->first_operand + st->n_operand && fits; i++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, i);
		fits = o->n_piece == 1 || blends(l, o);
		for (int32_t k = o->first_piece; k < o->first_piece + o->n_piece && fits; k++) {
			const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, k);
			fits = p->kind != LT_READ || lower_access_at(l, p->access)->index < 0;
		}
	}
	return fits;
}

void lt__lower_stmt(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	if (lt__lower_join_resets(l, s))
		return;
	l->b.origin = s;
	int32_t mask = lt__lower_guards(l, st->first_guard, st->n_guard);
	if (mask == LOWER_NO)
		return;
	if (mask == LOWER_YES) {
		assign(l, s);
		return;
	}
	if (!st->async && is_predicated(l, st)) {
		l->predicate = mask;
		assign(l, s);
		l->predicate = -1;
		return;
	}
	mask = lt__lower_if(l, mask);
	assign(l, s);
	lt__lower_end(l, mask);
}
