/* part.c -- what the plan of a grid says: of loops, of where locals live, of threads that are combined;
 * and what a statement touches (grid.h). */
#include "kernel/lower/grid.h"

bool lt__lower_is_thread(const struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	return x->kind == LT_BLOCK && x->max_trip_count > 1;
}

bool lt__lower_is_called(const struct lowering *l, int32_t b)
{
	const struct lt_buffer *x = lower_buffer_at(l, b);
	return x->role == LT_LOCAL && x->scope >= 0 && l->part[x->scope].called;
}

enum lower_memory lt__lower_memory(const struct lowering *l, int32_t b)
{
	const struct lt_buffer *x = lower_buffer_at(l, b);
	bool outside = x->role != LT_LOCAL || x->scope < 0 || l->part[x->scope].root < 0;
	return outside || l->part[x->scope].called ? LOWER_GLOBAL : l->memory[b];
}

int64_t lt__lower_copies(const struct lowering *l, int32_t b)
{
	int64_t n = 1;
	for (int32_t i = lower_buffer_at(l, b)->scope; i >= 0; i = lower_loop_at(l, i)->parent)
		n *= lt__lower_is_thread(l, i) ? lower_loop_at(l, i)->max_trip_count : 1;
	return n;
}

int32_t lt__lower_copy_offset(struct lowering *l, int32_t b)
{
	int32_t sum = -1;
	int64_t elems = lower_buffer_at(l, b)->elems;
	for (int32_t i = lower_buffer_at(l, b)->scope; i >= 0; i = lower_loop_at(l, i)->parent)
		if (lt__lower_is_thread(l, i)) {
			sum = lt__lower_add(l, sum, lt__lower_times(l, l->column[lower_loop_column(l->t, i)].value, elems));
			elems *= lower_loop_at(l, i)->max_trip_count;
		}
	return sum;
}

int32_t lt__lower_swizzle(const struct lowering *l, int32_t buffer)
{
	bool has = LT_AT_HAS(struct lt_buffer, l->t->buffers, swizzle);
	return has ? lower_buffer_at(l, buffer)->swizzle : 0;
}

int64_t lt__lower_share(struct lowering *l, int32_t root, int64_t bytes, int64_t align)
{
	int64_t at = (l->grid[root].shared_used + align - 1) / align * align;
	l->grid[root].shared_used = at + (bytes + LOWER_SHARED_ALIGN - 1) / LOWER_SHARED_ALIGN * LOWER_SHARED_ALIGN;
	return at;
}

/* Whether the iterations of a loop around share the statement's element. */
bool lt__lower_is_combined(const struct lowering *l, const struct lt_stmt *st, int32_t loop)
{
	return lt__lower_is_thread(l, loop) && !lt__lower_depends(l->t, lower_access_at(l, st->dest)->row, loop);
}

int32_t lt__lower_combine_scope(const struct lowering *l, const struct lt_stmt *st)
{
	const struct lt_buffer *b = lower_buffer_at(l, lower_access_at(l, st->dest)->buffer);
	return b->role == LT_LOCAL ? b->scope : -1;
}

bool lt__lower_combines(const struct lowering *l, const struct lt_stmt *st)
{
	if (st->kind != LT_COMBINE || !lower_has_grids(l))
		return false;
	for (int32_t i = st->loop; i >= 0 && i != lt__lower_combine_scope(l, st); i = lower_loop_at(l, i)->parent)
		if (lt__lower_is_combined(l, st, i))
			return true;
	return false;
}

static bool names(const struct lowering *l, int32_t access, int32_t b)
{
	for (; access >= 0; access = lower_access_at(l, access)->index)
		if (lower_access_at(l, access)->buffer == b)
			return true;
	return false;
}

bool lt__lower_touches(const struct lowering *l, int32_t s, int32_t b)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	bool found = names(l, st->dest, b);
	for (int32_t o = st->first_operand; o < st->first_operand + st->n_operand; o++) {
		const struct lt_operand *x = LT_AT(struct lt_operand, l->t->operands, o);
		for (int32_t p = x->first_piece; p < x->first_piece + x->n_piece && !found; p++) {
			const struct lt_piece *piece = LT_AT(struct lt_piece, l->t->pieces, p);
			found = piece->kind == LT_READ && names(l, piece->access, b);
		}
	}
	return found;
}

/* Whether a statement in the loop, besides that one, touches the buffer. */
static bool is_touched(const struct lowering *l, int32_t loop, int32_t s, int32_t b)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	bool any = false;
	for (int32_t i = x->first_stmt; i < x->first_stmt + x->n_stmt && !any; i++)
		any = i != s && lower_stmt_at(l, i)->kind < LT_BARRIER && lt__lower_touches(l, i, b);
	return any;
}

int32_t lt__lower_combine_loop(const struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_access *dest = lower_access_at(l, st->dest);
	int32_t loop = -1, scope = lt__lower_combine_scope(l, st);
	for (int32_t i = st->loop; i >= 0 && i != scope && dest->index < 0; i = lower_loop_at(l, i)->parent) {
		if (lower_loop_at(l, i)->kind == LT_GRID || l->part[i].root < 0 || lt__lower_depends(l->t, dest->row, i)
			|| is_touched(l, i, s, dest->buffer))
			break;
		loop = i;
	}
	return loop;
}

int32_t lt__lower_tile_around(const struct lowering *l, int32_t loop)
{
	while (loop >= 0 && !(l->tile && l->tile[loop]))
		loop = lower_loop_at(l, loop)->parent;
	return loop;
}
