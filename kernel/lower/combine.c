/* combine.c -- threads that are combined with one element, and barriers (grid.h).
 *
 * Each thread of the block has a value, one that is off the identity.  Where a loop gives to one element only, a thread
 * combines what it has in that loop by itself, and the threads are combined behind it: all statements of the loop
 * together, between the same barriers (terms.c).  The first thread of those that share the element adds the rest
 * to it.
 */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

static int64_t threads_now(const struct lowering *l)
{
	const struct lower_grid *g = &l->grid[l->team];
	return g->threads[0] * g->threads[1] * g->threads[2];
}

void lt__lower_barrier(struct lowering *l)
{
	l->written++;
	if (l->team >= 0 && threads_now(l) > 1)
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_barrier, .operand = { -1, -1, -1, -1 },
			.what = LT_BARRIER_BLOCK, .stride = threads_now(l), .origin = -1 });
}

/* A variable that holds the identity. */
static int32_t begin_part(struct lowering *l, int32_t s)
{
	const struct lt_op *op = lower_op_at(l, s);
	int32_t v = lt__build_variable(&l->b, "part", op->out, 1);
	l->b.origin = s;
	lt__build_begins(&l->b, LT_OPCODE_variable, v);
	lt__build_set(&l->b, v, lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity));
	return v;
}

/* What a thread has where the statement stands: the identity, if it is off. */
static int32_t own_value(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	int32_t v = begin_part(l, s), mask = lt__lower_both(l, lt__lower_open(l, st->loop, (1 << LOWER_AXES) - 1),
		lt__lower_guards(l, st->first_guard, st->n_guard));
	l->b.origin = s;
	if (mask != LOWER_NO) {
		int32_t mark = mask >= 0 ? lt__lower_if(l, mask) : lt__lower_mark(l);
		const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, st->first_operand);
		lt__build_set(&l->b, v, lt__lower_as(l, lt__lower_operand(l, s, o), lower_op_at(l, s)->out));
		if (mask >= 0)
			lt__lower_end(l, mark);
	}
	return lt__build_get(&l->b, v);
}

/* The bound at the iterations of the combined loops where it is largest; the first thread is at their first ones.
 * -1: that is not known. */
static int32_t largest_bound(struct lowering *l, const struct lower_terms *c, int32_t row)
{
	const int64_t *r = lower_row_at(l->t, row);
	int64_t more = 0;
	for (int32_t k = 0; k < c->n_loop; k++) {
		const int64_t coef = r[lower_loop_column(l->t, c->loop[k])];
		for (int32_t d = 0; d < l->t->n_div; d++)
			if (r[lower_div_column(l->t, d)]
				&& lt__lower_depends(l->t, LT_AT(struct lt_div, l->t->divs, d)->row, c->loop[k]))
				return -1;
		more += coef > 0 ? coef * (lower_loop_at(l, c->loop[k])->max_trip_count - 1) : 0;
	}
	return lt__lower_add(l, lt__lower_row(l, row), more ? lt__lower_i64(l, more) : -1);
}

/* Whether the loop's iteration is there for any thread that shares the element: its own may be none of the first's. */
static int32_t is_on_for_any(struct lowering *l, int32_t loop, const struct lower_terms *c)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	bool depends = false;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++)
		for (int32_t k = 0; k < c->n_loop; k++)
			depends = depends || lt__lower_depends(l->t, l->t->bounds[b], c->loop[k]);
	if (!depends || (!lt__lower_is_thread(l, loop) && !l->part[loop].waits))
		return lt__lower_on(l, loop);
	int32_t count = lt__lower_i64(l, x->max_trip_count);
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++) {
		const int32_t most = largest_bound(l, c, l->t->bounds[b]);
		count = most < 0 ? count : lt__lower_pure(l, LT_OPCODE_min, LT_I64, count, most, -1, 0);
	}
	return lt__lower_pure(l, LT_OPCODE_less, LT_LANE_MASK, l->column[lower_loop_column(l->t, loop)].value, count, -1, 0);
}

/* A condition: the first thread of those that share the element, which is there. */
static int32_t leads(struct lowering *l, int32_t s, const struct lower_terms *c)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	int32_t all = LOWER_YES;
	const int32_t here = l->combined[s].loop < 0 ? st->loop : lower_loop_at(l, l->combined[s].loop)->parent;
	for (int32_t up = here; up >= 0; up = lower_loop_at(l, up)->parent) {
		bool combined = false;
		for (int32_t i = 0; i < c->n_loop; i++)
			combined = combined || c->loop[i] == up;
		if (combined)
			all = lt__lower_both(l, all, lt__lower_pure(l, LT_OPCODE_eq, LT_LANE_MASK,
				l->column[lower_loop_column(l->t, up)].value, lt__lower_i64(l, 0), -1, 0));
		else if (!l->part[up].held)
			all = lt__lower_both(l, all, is_on_for_any(l, up, c));
	}
	all = lt__lower_both(l, all, lt__lower_is_first(l, here, (uint8_t)(~l->first_axes)));
	for (int32_t i = 0; i < st->n_guard; i++) {
		int32_t row = l->t->guards[st->first_guard + i];
		bool depends = false;
		for (int32_t k = 0; k < c->n_loop; k++)
			depends = depends || lt__lower_depends(l->t, row, c->loop[k]);
		for (int32_t up = st->loop; up != here; up = lower_loop_at(l, up)->parent)
			depends = depends || lt__lower_depends(l->t, row, up);
		if (!depends)
			all = lt__lower_both(l, all, lt__lower_guards(l, st->first_guard + i, 1));
	}
	return all;
}

/* Whether it may have run before in this block. */
static bool is_repeated(const struct lowering *l, int32_t s)
{
	const int32_t loop = l->combined[s].loop;
	for (int32_t i = loop < 0 ? lower_stmt_at(l, s)->loop : lower_loop_at(l, loop)->parent; i >= 0;
		i = lower_loop_at(l, i)->parent)
		if (l->loop[i].mode == LOWER_LOOP || l->loop[i].mode == LOWER_HINT || l->loop[i].mode == LOWER_COPIES)
			return true;
	return false;
}

/* The first thread adds what is combined to the element. */
static void add_to_element(struct lowering *l, int32_t s, const struct lower_terms *c, int32_t value)
{
	int32_t mask = leads(l, s, c), mark = lt__lower_mark(l);
	if (mask == LOWER_NO)
		return;
	if (mask >= 0)
		mark = lt__lower_if(l, mask);
	l->b.origin = s;
	lt__lower_reduce(l, s, c->n > 1 ? lt__lower_sum_terms(l, s, c) : value);
	if (mask >= 0)
		lt__lower_end(l, mark);
}

/* Threads have their values: `n` statements, one after the other in each step. */
static void combine_threads(struct lowering *l, const int32_t *s, int32_t *value, int32_t n)
{
	struct lower_terms *c = lt__pool_alloc(&l->b.pool, (size_t)n, sizeof *c);
	bool shares = false, repeated = false;
	for (int32_t i = 0; i < n; i++) {
		c[i] = lt__lower_terms(l, s[i]);
		value[i] = lt__lower_exchange(l, s[i], &c[i], value[i]);
		shares = shares || c[i].n > 1;
		repeated = repeated || (c[i].n > 1 && is_repeated(l, s[i]));
	}
	if (repeated)
		lt__lower_barrier(l);
	for (int32_t i = 0; i < n; i++)
		if (c[i].n > 1)
			lt__lower_share_value(l, s[i], &c[i], value[i]);
	if (shares)
		lt__lower_barrier(l);
	for (int32_t i = 0; i < n; i++)
		add_to_element(l, s[i], &c[i], value[i]);
}

void lt__lower_combine(struct lowering *l, int32_t s)
{
	int32_t value = own_value(l, s);
	combine_threads(l, &s, &value, 1);
}

bool lt__lower_has_combines(const struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (int32_t s = x->first_stmt; s < x->first_stmt + x->n_stmt; s++)
		if (l->combined[s].loop == loop)
			return true;
	return false;
}

/* Whether threads have their own of a statement now, in a loop directly in `outer`. */
static bool is_begun(const struct lowering *l, int32_t s, int32_t outer)
{
	return l->combined[s].variable >= 0 && lower_loop_at(l, l->combined[s].loop)->parent == outer;
}

bool lt__lower_needs_combined(const struct lowering *l, int32_t loop, int32_t first, int32_t end)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (int32_t s = first; s < end; s++)
		for (int32_t i = x->first_stmt; is_begun(l, s, x->parent) && i < x->first_stmt + x->n_stmt; i++)
			if (lower_stmt_at(l, i)->kind >= LT_BARRIER
				|| lt__lower_touches(l, i, lower_access_at(l, lower_stmt_at(l, s)->dest)->buffer))
				return true;
	return false;
}

void lt__lower_begin_combines(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (int32_t s = x->first_stmt; s < x->first_stmt + x->n_stmt; s++)
		if (l->combined[s].loop == loop)
			l->combined[s].variable = begin_part(l, s);
}

void lt__lower_end_combines(struct lowering *l, int32_t outer, int32_t first, int32_t end)
{
	const size_t room = (size_t)(end - first) + 1;
	int32_t *s = lt__pool_alloc(&l->b.pool, room, sizeof *s), *value = lt__pool_alloc(&l->b.pool, room, sizeof *value);
	int32_t n = 0;
	for (int32_t i = first; i < end; i++)
		if (is_begun(l, i, outer)) {
			l->b.origin = s[n] = i;
			value[n++] = lt__build_get(&l->b, l->combined[i].variable);
			l->combined[i].variable = -1;
		}
	combine_threads(l, s, value, n);
}
