/* join.c -- copies of a loop that fold vectors to elements side by side fold them together.
 *
 * Each copy leaves a vector; behind the last one lanes of two vectors are combined at a time, half of each with the
 * other half, so that one vector has the sums of all copies.  Every sum is made in the order of `fold`.
 */
#include "kernel/lower/lowering.h"
#include "kernel/build/build.h"

enum { MAX_JOINED = 64, MAX_FOLDS = 8 };        /* copies; folds of each */

struct lower_join {
	int32_t loop, stmt, reset;      /* reset: the statement that gives the elements the identity, -1: none */
	int32_t copy, n[MAX_JOINED], value[MAX_JOINED][MAX_FOLDS];
	struct lower_join *next;
};

bool lt__lower_can_fold(const struct lowering *l, const struct lt_stmt *s)
{
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, s->op);
	return s->kind == LT_COMBINE && lt__opcode_commutes(lt__lower_opcode_of(op)) && op->in[0] == op->out
		&& op->in[1] == op->out && lower_dtype_of(l, lower_access_at(l, s->dest)->buffer) == op->out;
}

/* Whether statement s of the loop reads or writes the buffer. */
static bool touches(const struct lowering *l, const struct lt_stmt *st, int32_t buffer)
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
	for (int32_t a = st->dest; a >= 0; a = lower_access_at(l, a)->index)
		if (lower_access_at(l, a)->buffer == buffer)
			return true;
	return false;
}

static bool same_row(const struct lowering *l, int32_t a, int32_t b)
{
	const int64_t *x = lower_row_at(l->t, lower_access_at(l, a)->row), *y = lower_row_at(l->t, lower_access_at(l, b)->row);
	for (int32_t i = 0; i < l->t->n_column; i++)
		if (x[i] != y[i])
			return false;
	return true;
}

/* Whether a statement of the loop may be joined: its vectors are made in the block that the copies are in, and of what
 * touches the same buffer only its reset does not count. */
static bool join_fits(struct lowering *l, int32_t loop, int32_t s, int32_t *reset)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_loop *x = lower_loop_at(l, loop);
	const struct lt_access *dest = lower_access_at(l, st->dest);
	const int32_t v = st->loop;
	*reset = -1;
	if (v < 0 || v == loop || l->loop[v].mode != LOWER_LANES || l->loop[v].bounded || lower_loop_at(l, v)->parent != loop
		|| st->n_guard || !lt__lower_can_fold(l, st) || dest->index >= 0 || l->storage[dest->buffer].is_variable
		|| lower_dtype_of(l, dest->buffer) == LT_BOOL || lt__lower_depends(l->t, dest->row, v)
		|| !lt__lower_is_adjacent(l, dest->row, loop) || !lt__lower_is_invariant(l, s))
		return false;
	for (int32_t other = x->first_stmt; other < x->first_stmt + x->n_stmt; other++) {
		const struct lt_stmt *o = lower_stmt_at(l, other);
		if (other == s || o->kind >= LT_BARRIER || !touches(l, o, dest->buffer))
			continue;
		if (o->kind != LT_RESET || o->loop != loop || o->n_guard || other > s || *reset >= 0
			|| !same_row(l, o->dest, st->dest))
			return false;
		*reset = other;
	}
	return true;
}

void lt__lower_begin_joins(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	if (l->part || !l->machine.vector_bytes || x->max_trip_count < 2 || x->max_trip_count > MAX_JOINED)
		return;
	for (int32_t s = x->first_stmt; s < x->first_stmt + x->n_stmt; s++) {
		int32_t reset;
		if (lower_stmt_at(l, s)->kind != LT_COMBINE || !join_fits(l, loop, s, &reset))
			continue;
		struct lower_join *j = lt__pool_alloc(&l->b.pool, 1, sizeof *j);
		*j = (struct lower_join){ .loop = loop, .stmt = s, .reset = reset, .next = l->joins };
		l->joins = j;
	}
}

void lt__lower_next_copy(struct lowering *l, int32_t loop, int64_t copy)
{
	for (struct lower_join *j = l->joins; j && j->loop == loop; j = j->next)
		j->copy = (int32_t)copy;
}

bool lt__lower_join_resets(const struct lowering *l, int32_t s)
{
	for (const struct lower_join *j = l->joins; j; j = j->next)
		if (j->reset == s)
			return true;
	return false;
}

bool lt__lower_join_fold(struct lowering *l, int32_t s, int32_t value)
{
	for (struct lower_join *j = l->joins; j; j = j->next)
		if (j->stmt == s && j->n[j->copy] < MAX_FOLDS) {
			const struct lt_instruction *i = lt__build_at(&l->b, value);
			if (i->opcode == LT_OPCODE_get)         /* another copy may set the variable */
				value = lt__build_value(&l->b, LT_OPCODE_copy, i->dtype, i->lanes, value, -1);
			j->value[j->copy][j->n[j->copy]++] = value;
			return true;
		}
	return false;
}

static int32_t join_shuffle(struct lowering *l, int32_t x, int32_t y, const int64_t *lane, uint32_t n)
{
	return lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle, .dtype = lt__build_at(&l->b, x)->dtype,
		.lanes = n, .operand = { x, y, -1, -1 }, .what = -1, .origin = l->b.origin,
		.first_extra = lt__build_extras(&l->b, lane, (int32_t)n), .n_extra = (int32_t)n });
}

/* Of x and y, whose lanes are groups of `width`: of each group `n` lanes, from `first` on. */
static int32_t join_lanes(struct lowering *l, int32_t x, int32_t y, uint32_t width, uint32_t first, uint32_t n)
{
	int64_t lane[LT_MAX_LANES];
	const uint32_t all = 2 * lower_lanes_of(l, x);
	uint32_t to = 0;
	for (uint32_t group = 0; group < all; group += width)
		for (uint32_t k = 0; k < n; k++)
			lane[to++] = group + first + k;
	return join_shuffle(l, x, y, lane, to);
}

static int32_t join_pair(struct lowering *l, const struct lt_op *op, int32_t x, int32_t y, uint32_t width)
{
	int32_t low = join_lanes(l, x, y, width, 0, width / 2), high = join_lanes(l, x, y, width, width / 2, width / 2);
	return lt__build_value(&l->b, (int)op->opcode, op->out, lower_lanes_of(l, low), low, high);
}

/* `n` vectors of `width` lanes, both powers of two, as one of the sums of each.  The last one of all is combined with
 * itself: its sums are in both halves then. */
static int32_t join_all(struct lowering *l, const struct lt_op *op, const int32_t *value, uint32_t n, uint32_t width)
{
	const uint32_t sums = n;
	int32_t now[MAX_JOINED];
	int64_t lane[LT_MAX_LANES];
	for (uint32_t k = 0; k < n; k++)
		now[k] = value[k];
	for (; width > 1 || n > 1; width = width > 1 ? width / 2 : 1) {
		for (uint32_t k = 0; k < n; k += 2) {
			int32_t other = n > 1 ? now[k + 1] : now[k];
			now[k / 2] = width == 1 ? join_lanes(l, now[k], other, 1, 0, 1) : join_pair(l, op, now[k], other, width);
		}
		n = n > 1 ? n / 2 : 1;
	}
	for (uint32_t k = 0; k < sums; k++)
		lane[k] = k;
	return sums < lower_lanes_of(l, now[0]) ? join_shuffle(l, now[0], now[0], lane, sums) : now[0];
}

/* The elements of copies from `first` on. */
static void join_write(struct lowering *l, const struct lower_join *j, int32_t first, uint32_t n)
{
	const struct lt_stmt *st = lower_stmt_at(l, j->stmt);
	const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, st->op);
	const int32_t buffer = lower_access_at(l, st->dest)->buffer;
	const bool real = op->out == LT_F32 || op->out == LT_F64;
	int32_t sum = -1, part[MAX_JOINED];
	l->b.origin = j->stmt;
	struct lower_address at = lt__lower_locate(l, j->stmt, st->dest);
	struct lt_instruction element = { .dtype = (uint8_t)op->out, .lanes = n, .operand = { at.value, -1, -1, -1 },
		.what = lt__lower_location(l, buffer), .number = at.number };
	if (j->reset < 0)
		sum = lt__lower_build_load(l, element);
	else if (real || !j->n[first]) {
		sum = lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity);
		sum = n > 1 ? lt__build_value(&l->b, LT_OPCODE_splat, op->out, n, sum, -1) : sum;
	}
	for (int32_t f = 0; f < j->n[first]; f++) {
		for (uint32_t k = 0; k < n; k++)
			part[k] = j->value[first + (int32_t)k][f];
		int32_t folded = join_all(l, op, part, n, lower_lanes_of(l, part[0]));
		sum = sum < 0 ? folded : lt__build_value(&l->b, (int)op->opcode, op->out, n, sum, folded);
	}
	element.operand[3] = sum;
	element.lanes = 0;
	element.dtype = 0;
	lt__lower_build_store(l, element);
}

void lt__lower_end_joins(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (; l->joins && l->joins->loop == loop; l->joins = l->joins->next) {
		const struct lower_join *j = l->joins;
		const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, lower_stmt_at(l, j->stmt)->op);
		uint32_t n = l->machine.vector_bytes / lt__kernel_element_bytes(op->out);
		for (int64_t first = 0; first < x->max_trip_count; first += n) {
			while (n > x->max_trip_count - first)
				n /= 2;
			lt__lower_enter(l, loop, (struct lower_column){ .fixed = true, .number = first, .value = -1,
				.range = { true, first, first } });
			join_write(l, j, (int32_t)first, n);
			lt__lower_leave(l, loop);
		}
	}
}
