/* lane.c -- statements of a vector loop: all lanes at once where the operator and the accesses allow it.
 *
 * Guards      that are the same in all lanes are a branch.  Others: a mask where that costs nothing; else a branch to
 *             all lanes at once, or none, or some: under a mask, or one lane after the other if something in the
 *             statement needs a loop over the lanes.
 * Quotients   that change somewhere among the lanes: two versions, one for vectors in which they do not.
 * Reductions  lane by lane at once, each onto an element of its own; combines onto one element are folded.
 */
#include "kernel/lower/lowering.h"
#include "kernel/build/build.h"

/* Why the statement has no vector form; LOWER_WORDS: it has. */
static enum lower_word obstacle(const struct lowering *l, const struct lt_stmt *st)
{
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	struct lower_where w = lt__lower_where(l, st->dest);
	if (w.kind == LOWER_ANYWHERE)
		return LOWER_SCATTERED;
	if (w.kind == LOWER_ONE)
		return lt__lower_can_fold(l, st) ? LOWER_WORDS : LOWER_ONE_ELEMENT;
	if (lower_reduces(st) && lower_access_at(l, st->dest)->index >= 0)
		return LOWER_SCATTERED;
	return st->kind != LT_RESET && lt__lower_opcode_of(op) == LT_OPCODE_TEXT ? LOWER_TEXT : LOWER_WORDS;
}

static void one_by_one(struct lowering *l, int32_t s, enum lower_word why)
{
	lt__lower_say(l, s, why);
	lt__lower_one_by_one(l, s);
}

static void reduce_lanes(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	int32_t buffer = lower_access_at(l, st->dest)->buffer, x[4] = { -1, value, -1, -1 };
	uint32_t dtype = lower_dtype_of(l, buffer);
	bool is_test = lt__opcode_tests(op->opcode);
	if (l->storage[buffer].is_variable && !l->guarded && op->out == dtype && op->in[0] == dtype && !is_test) {
		value = lt__lower_spread(l, value);
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_update, .operand = { value, -1, -1, -1 },
			.what = lt__lower_location(l, buffer), .number = op->opcode, .origin = s });
		return;
	}
	x[0] = lt__lower_as(l, lt__lower_load(l, s, st->dest), op->in[0]);
	lt__lower_store(l, s, lt__lower_as(l, lt__lower_apply(l, op, x), dtype));
}

static void all_at_once(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	uint32_t dtype = lower_dtype_of(l, lower_access_at(l, st->dest)->buffer);
	int32_t x[4] = { -1, -1, -1, -1 };
	for (int32_t i = 0; i < st->n_operand && i < 3 && st->kind != LT_RESET; i++)
		x[i] = lt__lower_lane_operand(l, s, LT_AT(struct lt_operand, l->t->operands, st->first_operand + i));
	if (st->kind == LT_RESET)
		lt__lower_store(l, s, lt__lower_as(l, lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1,
			(int64_t)op->identity), dtype));
	else if (!lower_reduces(st))
		lt__lower_store(l, s, lt__lower_as(l, lt__lower_apply(l, op, x), dtype));
	else if (lt__lower_where(l, st->dest).kind == LOWER_ONE)
		lt__lower_fold(l, s, x[0]);
	else
		reduce_lanes(l, s, x[0]);
}

/* Whether the statement can run under a mask: nothing in it needs a loop over the lanes. */
static bool fits_mask(struct lowering *l, const struct lt_stmt *st)
{
	for (int32_t i = 0; i < st->n_operand && st->kind != LT_RESET; i++)
		if (!lt__lower_operand_is_wide(l, LT_AT(struct lt_operand, l->t->operands, st->first_operand + i)))
			return false;
	return true;
}

static void under_mask(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	int32_t mask = l->mask, guards = lt__lower_guard_mask(l, st->first_guard, st->n_guard);
	l->mask = mask < 0 ? guards : lt__lower_wide(l, LT_OPCODE_and, LT_LANE_MASK, mask, guards, 0);
	l->guarded = true;
	all_at_once(l, s);
	l->mask = mask;
	l->guarded = false;
}

/* Guards that differ among the lanes. */
static void guarded(struct lowering *l, int32_t s, const struct lower_guards *g)
{
	bool fits = (g->regular || l->machine.gathered) && fits_mask(l, lower_stmt_at(l, s));
	int32_t mark = -1, inner = -1;
	if (fits)
		lt__lower_say(l, s, LOWER_MASKED);
	if (fits && l->machine.masked) {
		under_mask(l, s);
		return;
	}
	if (g->all >= 0) {
		mark = lt__lower_if(l, g->all);
		all_at_once(l, s);
		lt__lower_else(l, mark);
	}
	if (g->some >= 0)
		inner = lt__lower_if(l, g->some);
	if (fits)
		under_mask(l, s);
	else
		one_by_one(l, s, LOWER_DIFFERS);
	if (g->some >= 0)
		lt__lower_end(l, inner);
	if (g->all >= 0)
		lt__lower_end(l, mark);
}

static void statement(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	struct lower_guards g = lt__lower_lane_guards(l, st->first_guard, st->n_guard);
	enum lower_word why = obstacle(l, st);
	int32_t mark = -1;
	if (g.shared == LOWER_NO)
		return;
	if (g.shared >= 0)
		mark = lt__lower_if(l, g.shared);
	if (why != LOWER_WORDS)
		one_by_one(l, s, why);
	else if (g.differ)
		guarded(l, s, &g);
	else
		all_at_once(l, s);
	if (g.shared >= 0)
		lt__lower_end(l, mark);
}

/* Where quotients that the statement uses change somewhere among the lanes, it is asked whether they do here. */
void lt__lower_lane_stmt(struct lowering *l, int32_t s)
{
	struct lower_column *known = l->column;
	l->b.origin = s;
	if (lt__lower_dot_stmt(l, s))
		return;
	int32_t steady = lt__lower_invariant(l, s);
	if (steady < 0) {
		statement(l, s);
		return;
	}
	lt__lower_say(l, s, LOWER_VERSIONS);
	int32_t mark = lt__lower_if(l, steady);
	l->column = lt__lower_invariant_columns(l);
	statement(l, s);
	l->column = known;
	lt__lower_else(l, mark);
	lt__lower_one_by_one(l, s);
	lt__lower_end(l, mark);
}
