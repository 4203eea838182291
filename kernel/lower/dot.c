/* dot.c -- sums of products of bytes: a vector loop that casts two runs of i8 or u8 to i32, multiplies
 * them and adds the products to one element takes bytes as its lanes, four of which go to a lane of the sum (`dot`).
 *
 * Nothing is rounded and sums wrap, so that any order gives the same.  Casts and products have no value of their own
 * then: nobody else reads them.  A thread of a grid has no vectors but these: runs that begin at multiples of 16 bytes.
 * Nor has a machine without vectors, which takes few bytes at once: all of a loop's are such, and where each of its
 * iterations has a sum, which are combined in the end, the first of them gets all.
 */
#include "kernel/lower/lowering.h"
#include "kernel/build/build.h"

enum { GRID_LANES = 16 };     /* bytes of a vector of a grid, and what they begin at a multiple of */

/* The only piece of the operand, which is read as it is; NULL: there are others. */
static const struct lt_access *dot_read(const struct lowering *l, const struct lt_stmt *st, int32_t k)
{
	const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, st->first_operand + k);
	const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece);
	const struct lt_access *a = o->n_piece == 1 && p->kind == LT_READ ? lower_access_at(l, p->access) : NULL;
	return a && a->index < 0 && o->dtype == lower_dtype_of(l, a->buffer) ? a : NULL;
}

/* The statement of the loop that writes what is read there, a local of the loop alone; NULL. */
static const struct lt_stmt *dot_writer(
	const struct lowering *l, int32_t loop, const struct lt_access *a, uint32_t opcode)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	const struct lt_buffer *b = a ? lower_buffer_at(l, a->buffer) : NULL;
	for (int32_t s = x->first_stmt; b && b->role == LT_LOCAL && b->scope == loop && s < x->first_stmt + x->n_stmt; s++) {
		const struct lt_stmt *st = lower_stmt_at(l, s);
		const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
		if (lower_access_at(l, st->dest)->buffer == a->buffer)
			return st->kind == LT_MAP && !st->n_guard && op->out == LT_I32 && lt__lower_opcode_of(op) == opcode ? st : NULL;
	}
	return NULL;
}

/* Bytes that factor k of the product is a cast of; -1: it is none. */
static int32_t dot_source(const struct lowering *l, int32_t loop, const struct lt_stmt *mul, int32_t k,
	const struct lt_stmt **cast)
{
	*cast = dot_writer(l, loop, dot_read(l, mul, k), LT_OPCODE_cast);
	const struct lt_access *from = *cast ? dot_read(l, *cast, 0) : NULL;
	const uint32_t dtype = from ? lower_dtype_of(l, from->buffer) : 0;
	if (!from || (dtype != LT_I8 && dtype != LT_U8) || !lt__lower_is_adjacent(l, from->row, loop)
		|| lt__lower_around(l->t, loop, lower_buffer_at(l, from->buffer)->scope))
		return -1;
	const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, (*cast)->first_operand);
	return LT_AT(struct lt_piece, l->t->pieces, o->first_piece)->access;
}

/* Whether the vectors of a loop of a grid, which begin at multiples of so many bytes in it, do so in memory. */
static bool dot_is_aligned(const struct lowering *l, int32_t loop, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	const int64_t *r = lower_row_at(l->t, a->row);
	for (int32_t c = 0; c < l->t->n_column; c++)
		if (r[c] % GRID_LANES && c != lower_loop_column(l->t, loop))
			return false;
	return lower_buffer_at(l, a->buffer)->align % GRID_LANES == 0;
}

/* Where there are no other vectors, nothing is left over for shorter ones. */
static bool dot_is_whole(const struct lowering *l, int32_t loop, const struct lower_dot *dot)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	const uint32_t bytes = l->machine.subgroup ? GRID_LANES : l->machine.dot_bytes;
	return l->machine.vector_bytes || (!l->loop[loop].bounded && x->max_trip_count % bytes == 0 && (!l->machine.subgroup
		|| (dot_is_aligned(l, loop, dot->access[0]) && dot_is_aligned(l, loop, dot->access[1]))));
}

/* How many loops around the vector the access depends on. */
static int32_t dot_moves(const struct lowering *l, int32_t loop, int32_t access)
{
	int32_t n = 0;
	for (int32_t up = lower_loop_at(l, loop)->parent; up >= 0; up = lower_loop_at(l, up)->parent)
		n += lt__lower_depends(l->t, lower_access_at(l, access)->row, up);
	return n;
}

/* Whether a statement reads an element of the buffer. */
static bool dot_reads(const struct lowering *l, const struct lt_stmt *st, int32_t buffer)
{
	for (int32_t k = st->first_operand; k < st->first_operand + st->n_operand; k++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, k);
		for (int32_t p = o->first_piece; p < o->first_piece + o->n_piece; p++) {
			const struct lt_piece *piece = LT_AT(struct lt_piece, l->t->pieces, p);
			for (int32_t a = piece->kind == LT_READ ? piece->access : -1; a >= 0; a = lower_access_at(l, a)->index)
				if (lower_access_at(l, a)->buffer == buffer)
					return true;
		}
	}
	return false;
}

/* Whether each iteration of the loop adds to a sum of its own, and all that is done with these is to add to them, as
 * what a loop has left over does, and to add them up: then it does not matter which of them gets what. */
static bool dot_sums_meet(const struct lowering *l, int32_t loop, const struct lt_stmt *sum)
{
	const struct lt_access *dest = lower_access_at(l, sum->dest);
	const struct lt_buffer *b = lower_buffer_at(l, dest->buffer);
	if (l->machine.vector_bytes || l->machine.subgroup || sum->kind != LT_REDUCE || b->role != LT_LOCAL || dest->index >= 0
		|| !lt__lower_is_adjacent(l, dest->row, loop))
		return false;
	for (int32_t s = 0; s < (int32_t)l->t->stmts.n; s++) {
		const struct lt_stmt *st = lower_stmt_at(l, s);
		const struct lt_op *op = st->kind < LT_BARRIER ? LT_AT(struct lt_op, l->t->ops, st->op) : NULL;
		const bool writes = op && lower_access_at(l, st->dest)->buffer == dest->buffer;
		const bool adds = op && lt__lower_opcode_of(op) == LT_OPCODE_add && op->out == LT_I32;
		const bool reads = op && dot_reads(l, st, dest->buffer);
		if (st == sum || (writes && st->kind == LT_RESET))
			continue;
		if ((writes && (st->kind != LT_REDUCE || !adds || reads))
			|| (!writes && reads && (st->kind != LT_COMBINE || st->n_guard || !adds)))
			return false;
	}
	return true;
}

uint32_t lt__lower_dot_bytes(const struct lowering *l)
{
	return l->machine.subgroup ? l->machine.memory_bytes : l->machine.vector_bytes ? l->machine.vector_bytes
		: l->machine.dot_bytes;
}

bool lt__lower_find_dot(const struct lowering *l, int32_t loop, struct lower_dot *out)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	const struct lt_stmt *sum = lower_stmt_at(l, x->first_stmt + x->n_stmt - 1);
	if (!l->machine.dot_bytes || lt__lower_dot_bytes(l) < l->machine.dot_bytes || x->kind != LT_VECTOR
		|| x->max_trip_count < l->machine.dot_bytes || x->n_stmt < 3 || x->n_stmt > 4)
		return false;
	for (int32_t s = x->first_stmt; s < x->first_stmt + x->n_stmt; s++)
		if (lower_stmt_at(l, s)->loop != loop || lower_stmt_at(l, s)->kind >= LT_BARRIER)
			return false;
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, sum->op);
	const bool adds = sum->kind == LT_COMBINE || dot_sums_meet(l, loop, sum);
	const struct lt_stmt *mul = adds && !sum->n_guard && op->out == LT_I32 && op->in[0] == LT_I32
			&& lt__lower_opcode_of(op) == LT_OPCODE_add && lower_dtype_of(l, lower_access_at(l, sum->dest)->buffer) == LT_I32
		? dot_writer(l, loop, dot_read(l, sum, 0), LT_OPCODE_mul) : NULL;
	*out = (struct lower_dot){ .stmt = x->first_stmt + x->n_stmt - 1 };
	const struct lt_stmt *cast[2];
	for (int k = 0; mul && k < 2; k++)
		if ((out->access[k] = dot_source(l, loop, mul, k, &cast[k])) < 0)
			return false;
	if (!mul || x->n_stmt != (cast[0] == cast[1] ? 3 : 4)           /* another statement may read a cast */
		|| lower_dtype_of(l, lower_access_at(l, out->access[0])->buffer)
			!= lower_dtype_of(l, lower_access_at(l, out->access[1])->buffer) || !dot_is_whole(l, loop, out))
		return false;
	if (dot_moves(l, loop, out->access[0]) < dot_moves(l, loop, out->access[1])) {
		int32_t first = out->access[0];         /* printers prepare the second operand, which changes less often */
		out->access[0] = out->access[1];
		out->access[1] = first;
	}
	return true;
}

bool lt__lower_is_dot(const struct lowering *l)
{
	return l->lane_loop >= 0 && l->loop[l->lane_loop].dot && l->lanes >= l->machine.dot_bytes;
}

/* Lanes that are off are 0. */
int32_t lt__lower_dot(struct lowering *l, int32_t sum)
{
	const struct lower_dot *d = l->loop[l->lane_loop].dot;
	int32_t x[2];
	for (int k = 0; k < 2; k++)
		x[k] = lt__lower_load(l, d->stmt, d->access[k]);
	return lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_dot, .dtype = LT_I32, .lanes = l->lanes / 4,
		.operand = { x[0], x[1], sum, -1 }, .what = -1, .origin = d->stmt });
}
