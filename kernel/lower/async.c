/* async.c -- copies to shared memory that threads begin and wait for later (grid.h).
 *
 * Of the statements with `async` these become copy_async: plain copies from a slot or the workspace to shared memory,
 * with 0 where guards do not hold.  The iterations of a vector loop around one are copied together, as many as 16 bytes
 * hold, where both addresses are multiples of that and the guards hold for all of them or for none.  All others are
 * loaded and stored, which is as right, as everybody waits for both.
 */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

enum { MAX_BYTES = 16 };

/* What is read where the guards hold; NULL: another kind of copy. */
static const struct lt_piece *copied_piece(const struct lowering *l, const struct lt_stmt *st)
{
	const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, st->first_operand);
	const struct lt_piece *p = LT_AT(struct lt_piece, l->t->pieces, o->first_piece);
	const struct lt_piece *other = o->n_piece == 2 ? LT_AT(struct lt_piece, l->t->pieces, o->first_piece + 1) : NULL;
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	bool zero = other && other->kind == LT_IMMEDIATE && other->bits == 0;
	if (!st->async || st->kind != LT_MAP || op->opcode != LT_OPCODE_copy || p->kind != LT_READ
		|| (o->n_piece != 1 && !zero))
		return NULL;
	int32_t to = lower_access_at(l, st->dest)->buffer, from = lower_access_at(l, p->access)->buffer;
	uint32_t space = l->storage[from].made.space;
	bool same = lower_dtype_of(l, to) == lower_dtype_of(l, from) && o->dtype == lower_dtype_of(l, from)
		&& op->out == lower_dtype_of(l, from);
	bool outside = lt__lower_memory(l, from) == LOWER_GLOBAL && !l->storage[from].is_variable
		&& (space == LT_SPACE_SLOT || space == LT_SPACE_WORKSPACE);
	return same && outside && lt__lower_memory(l, to) == LOWER_SHARED && lower_access_at(l, p->access)->index < 0
		&& lower_access_at(l, st->dest)->index < 0 ? p : NULL;
}

static void begin_copies(struct lowering *l, int32_t s, const struct lt_piece *p, int64_t n)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	int32_t mask = lt__lower_guards(l, p->first_guard, p->n_guard), to = lower_access_at(l, st->dest)->buffer;
	struct lower_address target = lt__lower_locate(l, s, st->dest), source = { -1, 0 };
	if (mask == LOWER_NO)
		mask = lt__lower_pure(l, LT_OPCODE_const, LT_LANE_MASK, -1, -1, -1, 0);
	else
		source = lt__lower_locate(l, s, p->access);
	int64_t extra[2] = { lt__lower_location(l, lower_access_at(l, p->access)->buffer), source.number };
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_copy_async,
		.operand = { target.value, -1, mask == LOWER_YES ? -1 : mask, source.value }, .what = lt__lower_location(l, to),
		.origin = s, .number = target.number, .stride = n, .first_extra = lt__build_extras(&l->b, extra, 2),
		.n_extra = 2 });
}

bool lt__lower_async(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_piece *p = lower_has_grids(l) && st->async && st->n_operand == 1 ? copied_piece(l, st) : NULL;
	if (!p || lt__kernel_element_bytes(lower_dtype_of(l, lower_access_at(l, st->dest)->buffer)) < 4)
		return false;
	begin_copies(l, s, p, 1);
	return true;
}

/* -- several elements at once -- */

static int64_t common(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	for (b = b < 0 ? -b : b; b; ) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The row is `constant` plus multiples of what is returned; 0: it is that number. */
static int64_t multiples_of(const struct lowering *l, int32_t row, int64_t *constant)
{
	const int64_t *r = lower_row_at(l->t, row);
	int64_t all = 0;
	*constant = r[0];
	for (int32_t c = 1; c < l->t->n_column; c++)
		if (r[c] && l->column[c].fixed)
			*constant = (int64_t)((uint64_t)*constant + (uint64_t)r[c] * (uint64_t)l->column[c].number);
		else if (r[c])
			all = common(all, r[c]);
	return all;
}

static bool is_aligned(const struct lowering *l, int32_t access, int64_t n)
{
	const struct lt_access *a = lower_access_at(l, access);
	const struct lt_kernel_buffer *b = &l->storage[a->buffer].made;
	int64_t constant, all = multiples_of(l, a->row, &constant);
	return all % n == 0 && constant % n == 0
		&& (int64_t)b->align >= n * (int64_t)lt__kernel_element_bytes(b->dtype);
}

/* Whether the guards hold in n iterations of the loop from this one on, or in none of them. */
static bool agree(const struct lowering *l, int32_t loop, const struct lt_piece *p, int64_t n)
{
	for (int32_t i = p->first_guard; i < p->first_guard + p->n_guard; i++) {
		int64_t constant, all = multiples_of(l, l->t->guards[i], &constant);
		int64_t far = lower_row_at(l->t, l->t->guards[i])[lower_loop_column(l->t, loop)] * (n - 1);
		if (!all && (constant >= 0) != (constant + far >= 0))
			return false;
		int64_t least = all ? ((constant % all) + all) % all : 0;      /* of its values that are not negative */
		if (all && (far < 0 ? least < -far : least - all >= -far))
			return false;
	}
	return true;
}

/* Whether n iterations of the loop from this one on can be one copy. */
static bool are_together(
	struct lowering *l, int32_t loop, const struct lt_stmt *st, const struct lt_piece *p, int64_t n)
{
	int32_t c = lower_loop_column(l->t, loop);
	const struct lt_access *to = lower_access_at(l, st->dest), *from = lower_access_at(l, p->access);
	for (int32_t d = 0; d < l->t->n_div; d++) {
		int32_t column = lower_div_column(l->t, d);
		bool used = lower_row_at(l->t, to->row)[column] || lower_row_at(l->t, from->row)[column];
		for (int32_t g = p->first_guard; g < p->first_guard + p->n_guard; g++)
			used = used || lower_row_at(l->t, l->t->guards[g])[column];
		if (used && lt__lower_depends(l->t, LT_AT(struct lt_div, l->t->divs, d)->row, loop))
			return false;
	}
	return lower_row_at(l->t, to->row)[c] == 1 && lower_row_at(l->t, from->row)[c] == 1
		&& is_aligned(l, st->dest, n) && is_aligned(l, p->access, n) && agree(l, loop, p, n);
}

/* Whether the loop's iterations are copies of n at a time: guards may end within any of them, the last one, too. */
static bool are_all_together(struct lowering *l, int32_t loop, const struct lt_piece *p, int64_t n)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	bool together = x->max_trip_count % n == 0;
	for (int64_t i = 0; i < x->max_trip_count && together; i += n) {
		lt__lower_enter(l, loop,
			(struct lower_column){ .fixed = true, .value = -1, .number = i, .range = { true, i, i } });
		together = are_together(l, loop, lower_stmt_at(l, x->first_stmt), p, n);
		lt__lower_leave(l, loop);
	}
	return together;
}

bool lt__lower_async_loop(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	const struct lt_stmt *st = lower_stmt_at(l, x->first_stmt);
	const struct lt_piece *p = x->kind == LT_VECTOR && x->n_stmt == 1 && st->loop == loop && st->n_operand == 1
		&& !l->loop[loop].bounded && l->lane_loop < 0 ? copied_piece(l, st) : NULL;
	if (!p || lt__lower_copies(l, lower_access_at(l, st->dest)->buffer) > 1)
		return false;
	int64_t bytes = lt__kernel_element_bytes(lower_dtype_of(l, lower_access_at(l, st->dest)->buffer));
	int64_t n = MAX_BYTES / bytes;
	struct lower_column at = { .fixed = true, .value = -1 };
	while (n > 1 && !are_all_together(l, loop, p, n))
		n /= 2;
	for (int32_t g = st->first_guard; g < st->first_guard + st->n_guard; g++)
		if (lower_row_at(l->t, l->t->guards[g])[lower_loop_column(l->t, loop)])
			n = 1;
	if (n == 1 || n * bytes < 4)
		return false;
	for (int64_t i = 0; i < x->max_trip_count; i += n) {
		at.number = i;
		at.range = (struct lower_range){ true, i, i };
		lt__lower_enter(l, loop, at);
		l->b.origin = x->first_stmt;
		int32_t mask = lt__lower_guards(l, st->first_guard, st->n_guard);
		if (mask >= 0)
			mask = lt__lower_if(l, mask);
		if (mask != LOWER_NO)
			begin_copies(l, x->first_stmt, p, n);
		if (mask >= 0)
			lt__lower_end(l, mask);
		lt__lower_leave(l, loop);
	}
	return true;
}

void lt__lower_flight(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	if (l->team < 0)
		return;
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = st->kind == LT_WAIT ? LT_OPCODE_wait : LT_OPCODE_commit,
		.operand = { -1, -1, -1, -1 }, .what = LT_FLIGHT_COPIES, .number = st->kind == LT_WAIT ? st->async : 0,
		.origin = -1 });
}
