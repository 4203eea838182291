/* kernel/lower_stmt.c -- statements of a frozen tree, one element at a time.
 *
 * Values are of the operator's types.  A bool is a number here, 0 or 1, and becomes a mask where one is asked for.
 */
#include <string.h>
#include "kernel/lower.h"

static const struct lt_stmt *stmt_at(const struct lowering *l, int32_t s)
{
	return LT_AT(struct lt_stmt, l->t->stmts, s);
}
static const struct lt_access *access_at(const struct lowering *l, int32_t a)
{
	return LT_AT(struct lt_access, l->t->accesses, a);
}

static int32_t as(struct lowering *l, int32_t value, uint32_t dtype)
{
	return lt__build_at(&l->b, value)->dtype == dtype ? value
		: lt__build_value(&l->b, LT_OPCODE_cast, dtype, 1, value, -1);
}

static int32_t as_mask(struct lowering *l, int32_t value)
{
	const struct lt_instruction *i = lt__build_at(&l->b, value);
	if (i->dtype == LT_LANE_MASK)
		return value;
	return i->opcode == LT_OPCODE_flag ? i->operand[0]
		: lt__build_value(&l->b, LT_OPCODE_test, LT_LANE_MASK, 1, value, -1);
}

/* An address and what is added to it. */
struct lower_address { int32_t value; int64_t number; };

static struct lower_address locate(struct lowering *l, int32_t s, int32_t access);

static int32_t read(struct lowering *l, int32_t s, int32_t access)
{
	const struct lower_place *p = &l->place[access_at(l, access)->buffer];
	if (p->variable >= 0)
		return lt__build_get(&l->b, p->variable);
	struct lower_address a = locate(l, s, access);
	return lt__build_load(&l->b, p->buffer, a.value, a.number);
}

/* Which element an access names.  An index that is out of range leaves a fault, and 0 is used. */
static struct lower_address locate(struct lowering *l, int32_t s, int32_t access)
{
	const struct lt_access *a = access_at(l, access);
	struct lower_address at;
	if (a->index < 0) {
		at.value = lt__lower_address(l, a->row, &at.number);
		return at;
	}
	int32_t index = as(l, read(l, s, a->index), LT_I64), zero = lt__lower_i64(l, 0);
	int32_t bad = lt__build_test(&l->b, LT_OPCODE_less, index, zero);
	for (int32_t i = -1; i < a->n_bound; i++) {
		int32_t extent = i < 0 ? lt__lower_i64(l, a->index_extent)
			: lt__lower_row(l, l->t->bounds[a->first_bound + i]);
		int32_t beyond = lt__build_test(&l->b, LT_OPCODE_greaterequal, index, extent);
		bad = lt__build_value(&l->b, LT_OPCODE_or, LT_LANE_MASK, 1, bad, beyond);
	}
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_fault, .operand = { bad, index, -1, -1 },
		.what = access, .origin = s });
	index = lt__build_select(&l->b, bad, zero, index);
	if (a->index_stride != 1)
		index = lt__build_value(&l->b, LT_OPCODE_mul, LT_I64, 1, index, lt__lower_i64(l, a->index_stride));
	at.value = lt__lower_address(l, a->row, &at.number);
	at.value = at.value < 0 ? index : lt__build_value(&l->b, LT_OPCODE_add, LT_I64, 1, at.value, index);
	return at;
}

static int32_t lower_piece(struct lowering *l, int32_t s, const struct lt_piece *p, uint32_t dtype)
{
	if (p->kind == LT_IMMEDIATE)
		return lt__lower_pure(l, LT_OPCODE_const, dtype, -1, -1, -1, (int64_t)p->bits);
	return as(l, p->kind == LT_AFFINE ? lt__lower_row(l, p->row) : read(l, s, p->access), dtype);
}

/* The first piece whose guards hold: one that always does ends them. */
static void choose(struct lowering *l, int32_t s, const struct lt_operand *o, int32_t first, int32_t variable)
{
	bool never = false;
	int32_t mask = -1, i = first;
	for (; i < o->n_piece - 1; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + i);
		mask = lt__lower_guards(l, p->first_guard, p->n_guard, &never);
		if (!never)
			break;
	}
	const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece + i);
	if (i == o->n_piece - 1 || mask < 0) {
		lt__build_set(&l->b, variable, lower_piece(l, s, p, o->dtype));
		return;
	}
	int32_t mark = lt__lower_mark(l);
	lt__build_if(&l->b, mask);
	lt__build_set(&l->b, variable, lower_piece(l, s, p, o->dtype));
	lt__lower_forget(l, mark);
	lt__build_else(&l->b);
	choose(l, s, o, i + 1, variable);
	lt__lower_forget(l, mark);
	lt__build_end(&l->b);
}

static int32_t operand(struct lowering *l, int32_t s, const struct lt_operand *o)
{
	if (o->n_piece == 1)
		return lower_piece(l, s, LT_AT(struct lt_piece, l->t->pieces, o->first_piece), o->dtype);
	int32_t v = lt__build_variable(&l->b, "piece", o->dtype, 1);
	lt__build_begins(&l->b, LT_OPCODE_variable, v);
	choose(l, s, o, 0, v);
	return lt__build_get(&l->b, v);
}

/* One that came after this library was built is known by its text, as a third party's is. */
static uint32_t opcode_of(const struct lt_op *op)
{
	return op->opcode < LT_NOPERATOR_OPCODE ? op->opcode : LT_OPCODE_TEXT;
}

static bool is_test(uint32_t opcode) { return opcode >= LT_OPCODE_eq && opcode <= LT_OPCODE_greaterequal; }

/* What the operator gives, of its type. */
static int32_t apply(struct lowering *l, const struct lt_op *op, const int32_t *x)
{
	const uint32_t opcode = opcode_of(op);
	if (opcode == LT_OPCODE_copy)
		return as(l, x[0], op->out);
	if (opcode == LT_OPCODE_select)
		return lt__build_select(&l->b, as_mask(l, x[0]), x[1], x[2]);
	if (is_test(opcode)) {
		int32_t mask = lt__build_test(&l->b, (int)opcode, x[0], x[1]);
		return lt__build_value(&l->b, LT_OPCODE_flag, LT_BOOL, 1, mask, -1);
	}
	struct lt_instruction i = { .opcode = (uint16_t)opcode, .dtype = (uint8_t)op->out, .lanes = 1,
		.operand = { -1, -1, -1, -1 }, .what = -1, .origin = l->b.origin };
	for (int32_t k = 0; k < op->arity; k++)
		i.operand[k] = x[k];
	if (opcode == LT_OPCODE_TEXT) {
		struct lt_op text = *op;
		text.opcode = LT_OPCODE_TEXT;
		i.opcode = LT_OPCODE_text;
		i.what = lt__build_op(&l->b, &text);
	}
	return lt__build(&l->b, i);
}

static void assign(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = stmt_at(l, s);
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	const struct lt_access *dest = access_at(l, st->dest);
	const struct lower_place *p = &l->place[dest->buffer];
	uint32_t dtype = LT_AT(struct lt_type, l->t->types, LT_AT(struct lt_buffer, l->t->buffers, dest->buffer)->type)->dtype;
	bool reduces = st->kind == LT_REDUCE || st->kind == LT_COMBINE;
	int32_t x[4] = { -1, -1, -1, -1 }, value;
	for (int32_t i = 0; i < st->n_operand && st->kind != LT_RESET; i++)
		x[i + reduces] = operand(l, s, LT_AT(struct lt_operand, l->t->operands, st->first_operand + i));
	if (reduces && p->variable >= 0 && opcode_of(op) != LT_OPCODE_TEXT && !is_test(op->opcode) && op->out == dtype) {
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_update, .operand = { x[1], -1, -1, -1 },
			.what = p->variable, .number = op->opcode, .origin = s });
		return;
	}
	struct lower_address at = p->variable >= 0 ? (struct lower_address){ -1, 0 } : locate(l, s, st->dest);
	if (reduces)
		x[0] = as(l, p->variable >= 0 ? lt__build_get(&l->b, p->variable)
				: lt__build_load(&l->b, p->buffer, at.value, at.number), op->in[0]);
	value = st->kind == LT_RESET ? lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity)
		: apply(l, op, x);
	value = as(l, value, dtype);
	if (p->variable >= 0)
		lt__build_set(&l->b, p->variable, value);
	else
		lt__build_store(&l->b, p->buffer, at.value, at.number, value);
}

void lt__lower_stmt(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = stmt_at(l, s);
	bool never;
	l->b.origin = s;
	int32_t mask = lt__lower_guards(l, st->first_guard, st->n_guard, &never);
	if (never)
		return;
	if (mask < 0) {
		assign(l, s);
		return;
	}
	int32_t mark = lt__lower_mark(l);
	lt__build_if(&l->b, mask);
	assign(l, s);
	lt__lower_forget(l, mark);
	lt__build_end(&l->b);
}
