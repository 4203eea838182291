/* each.c -- scalar code for one lane after the other, where a vector has no instruction for it.
 *
 * A variable of lanes cannot be indexed, so that its lanes are in an array meanwhile.
 */
#include <string.h>
#include "kernel/lower/lowering.h"

/* What is outside of the loop over the lanes. */
struct lower_each { struct lower_column *column; int32_t mask, mark; bool guarded; };

static bool is_lane_variable(const struct lowering *l, int32_t b)
{
	return l->storage[b].is_variable && lt__lower_private(l, b);
}

static struct lt_instruction whole_vector(const struct lowering *l, int opcode, int32_t buffer, int32_t value)
{
	return (struct lt_instruction){ .opcode = (uint16_t)opcode, .operand = { -1, -1, -1, value }, .what = buffer,
		.origin = l->b.origin, .stride = 1 };
}

/* filled: its lanes are needed, those that are not written, too. */
static void spill(struct lowering *l, struct lower_spill **list, int32_t b, bool filled, bool written)
{
	int32_t n = 0;
	if (!is_lane_variable(l, b))
		return;
	for (struct lower_spill *x = *list; x; x = x->next, n++)
		if (x->buffer == b) {
			x->written = x->written || written;
			return;
		}
	struct lower_spill *x = lt__pool_alloc(&l->b.pool, 1, sizeof *x);
	*x = (struct lower_spill){ .buffer = b, .scratch = lt__lower_scratch(l, lower_dtype_of(l, b), n), .written = written,
		.next = *list };
	if (filled)
		(void)lt__build(&l->b,
			whole_vector(l, LT_OPCODE_store, x->scratch, lt__build_get(&l->b, lt__lower_location(l, b))));
	*list = x;
}

static void spill_access(struct lowering *l, struct lower_spill **list, int32_t access)
{
	for (; access >= 0; access = lower_access_at(l, access)->index)
		spill(l, list, lower_access_at(l, access)->buffer, true, false);
}

static void spill_operand(struct lowering *l, struct lower_spill **list, const struct lt_operand *o)
{
	for (int32_t k = 0; k < o->n_piece; k++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + k);
		if (p->kind == LT_READ)
			spill_access(l, list, p->access);
	}
}

static int32_t load_whole(struct lowering *l, int32_t scratch, uint32_t dtype)
{
	struct lt_instruction i = whole_vector(l, LT_OPCODE_load, scratch, -1);
	i.dtype = (uint8_t)dtype;
	i.lanes = l->lanes;
	return lt__build(&l->b, i);
}

/* What was said of the first lane is no longer so. */
static struct lower_each each_begin(struct lowering *l, const struct lower_spill *list)
{
	const struct lt_tree *t = l->t;
	struct lower_each e = { l->column, l->mask, lt__lower_mark(l), l->guarded };
	struct lower_column *inside = lt__pool_alloc(&l->b.pool, (size_t)t->n_column, sizeof *inside);
	const struct lower_column *base = &l->column[lower_loop_column(t, l->lane_loop)];
	int32_t to = l->on >= 0 ? l->on : lt__lower_i64(l, l->lanes), from = lt__lower_i64(l, 0);
	memcpy(inside, l->column, (size_t)t->n_column * sizeof *inside);
	l->lane = lt__build_loop(&l->b, from, to, 1, l->lane_loop);
	for (int32_t c = 0; c < t->n_column; c++)
		if (inside[c].stride || inside[c].irregular) {
			inside[c].fixed = inside[c].irregular = false;
			inside[c].stride = 0;
		}
	int32_t first = base->fixed ? (base->number ? lt__lower_i64(l, base->number) : -1) : base->value;
	inside[lower_loop_column(t, l->lane_loop)].value = lt__lower_add(l, first, l->lane);
	l->column = inside;
	l->spill = list;
	l->mask = -1;
	l->guarded = false;
	return e;
}

static void each_end(struct lowering *l, struct lower_each e)
{
	lt__lower_end(l, e.mark);
	l->column = e.column;
	l->mask = e.mask;
	l->guarded = e.guarded;
	l->lane = -1;
	for (const struct lower_spill *x = l->spill; x; x = x->next)
		if (x->written)
			lt__build_set(&l->b, lt__lower_location(l, x->buffer), load_whole(l, x->scratch, lower_dtype_of(l, x->buffer)));
	l->spill = NULL;
}

/* Whether each lane that is on writes what the statement writes, and does not read it. */
static bool overwrites(const struct lowering *l, const struct lt_stmt *st)
{
	return st->n_guard == 0 && !lower_reduces(st) && l->on < 0;
}

void lt__lower_one_by_one(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	struct lower_spill *list = NULL;
	l->b.origin = s;
	for (int32_t i = 0; i < st->n_operand && st->kind != LT_RESET; i++)
		spill_operand(l, &list, LT_AT(struct lt_operand, l->t->operands, st->first_operand + i));
	spill_access(l, &list, lower_access_at(l, st->dest)->index);
	spill(l, &list, lower_access_at(l, st->dest)->buffer, !overwrites(l, st), true);
	struct lower_each e = each_begin(l, list);
	lt__lower_stmt(l, s);
	each_end(l, e);
}

int32_t lt__lower_by_loop(struct lowering *l, int32_t s, const struct lt_operand *o)
{
	struct lower_spill *list = NULL;
	int32_t n = 0;
	spill_operand(l, &list, o);
	for (const struct lower_spill *x = list; x; x = x->next)
		n++;
	int32_t lanes = lt__lower_scratch(l, o->dtype, n);
	struct lower_each e = each_begin(l, list);
	int32_t value = lt__lower_operand(l, s, o);
	lt__build_store(&l->b, lanes, l->lane, 0, value);
	each_end(l, e);
	return load_whole(l, lanes, o->dtype);
}
