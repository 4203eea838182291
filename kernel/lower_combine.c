/* kernel/lower_combine.c -- threads that are combined with one element, and barriers (lower_grid.h).
 *
 * Each thread of the block has a value, one that is off the identity.  Members of a subgroup that lie side by side are
 * combined by exchanges, the lower with the one that is a power of two further; what is left of them, in shared memory,
 * by the first thread of those that share the element, one after the other.  So the order depends on the numbers of
 * threads alone.
 */
#include "kernel/lower_grid.h"
#include "kernel/opcode.h"

/* The block loops that are combined, and how. */
struct combine {
	int32_t loop[LOWER_MAX_DEPTH], n_loop;  /* innermost first */
	int64_t stride[LOWER_MAX_DEPTH];        /* threads of the block, by their number, from an iteration to the next */
	int64_t group;                          /* threads side by side that exchange; 1: none */
	int64_t terms;                          /* that are left for the first thread */
};

static const struct lower_grid *grid_now(const struct lowering *l) { return &l->grid[l->team]; }

static int64_t threads_of(const struct lower_grid *g) { return g->threads[0] * g->threads[1] * g->threads[2]; }

void lt__lower_barrier(struct lowering *l)
{
	l->written++;
	if (l->team >= 0 && threads_of(grid_now(l)) > 1)
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_barrier, .operand = { -1, -1, -1, -1 },
			.what = LT_BARRIER_BLOCK, .stride = threads_of(grid_now(l)), .origin = -1 });
}

/* Exchanges are for threads along axis 0 that are one run in each row of the block, and in each iteration of the loops
 * around: group is the most of them that always begin at a multiple of it. */
static int64_t group_of(const struct lowering *l, const struct combine *c, int32_t inside)
{
	const struct lower_grid *g = grid_now(l);
	int64_t run = 1, group = 1, row = g->threads[0];
	for (int32_t i = 0; i < c->n_loop; i++) {
		if (lower_loop_at(l, c->loop[i])->kind_arg != 0 || c->stride[i] != run)
			return 1;
		run *= lower_loop_at(l, c->loop[i])->max_trip_count;
	}
	for (int32_t i = inside; i >= 0; i = lower_loop_at(l, i)->parent)
		if (lt__lower_is_thread(l, i) && lower_loop_at(l, i)->kind_arg == 0 && l->part[i].stride >= run)
			row = (row | l->part[i].stride) & -(row | l->part[i].stride);
	while (group * 2 <= l->machine.subgroup && run % (group * 2) == 0 && row % (group * 2) == 0)
		group *= 2;
	return group;
}

static void find_combined(const struct lowering *l, const struct lt_stmt *st, struct combine *c)
{
	const struct lower_grid *g = grid_now(l);
	const int64_t row[LOWER_AXES] = { 1, g->threads[0], g->threads[0] * g->threads[1] };
	*c = (struct combine){ .terms = 1 };
	for (int32_t i = st->loop; i >= 0 && i != lt__lower_combine_scope(l, st); i = lower_loop_at(l, i)->parent) {
		if (!lt__lower_is_combined(l, st, i))
			continue;
		c->loop[c->n_loop] = i;
		c->stride[c->n_loop++] = l->part[i].stride * row[lower_loop_at(l, i)->kind_arg];
		c->terms *= lower_loop_at(l, i)->max_trip_count;
	}
	c->group = group_of(l, c, st->loop);
	c->terms /= c->group;
}

static const struct lt_op *op_of(const struct lowering *l, int32_t s)
{
	return LT_AT(struct lt_op, l->t->ops, lower_stmt_at(l, s)->op);
}

/* The operator of two values of its result's type. */
static int32_t join(struct lowering *l, int32_t s, int32_t a, int32_t b)
{
	const struct lt_op *op = op_of(l, s);
	int32_t x[4] = { lt__lower_as(l, a, op->in[0]), lt__lower_as(l, b, op->in[1]), -1, -1 };
	return lt__lower_as(l, lt__lower_apply(l, op, x), op->out);
}

/* What a thread has: the identity, if it is off. */
static int32_t own_value(struct lowering *l, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_op *op = op_of(l, s);
	int32_t v = lt__build_variable(&l->b, "part", op->out, 1), mask = LOWER_YES;
	lt__build_begins(&l->b, LT_OPCODE_variable, v);
	lt__build_set(&l->b, v, lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity));
	mask = lt__lower_both(l, lt__lower_open(l, st->loop, (1 << LOWER_AXES) - 1),
		lt__lower_guards(l, st->first_guard, st->n_guard));
	l->b.origin = s;
	if (mask != LOWER_NO) {
		int32_t mark = mask >= 0 ? lt__lower_if(l, mask) : lt__lower_mark(l);
		const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, st->first_operand);
		lt__build_set(&l->b, v, lt__lower_as(l, lt__lower_operand(l, s, o), op->out));
		if (mask >= 0)
			lt__lower_end(l, mark);
	}
	return lt__build_get(&l->b, v);
}

static int32_t exchange(struct lowering *l, int32_t s, int32_t value, int64_t group)
{
	for (int64_t distance = group / 2; distance; distance /= 2) {
		int32_t other = lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_exchange,
			.dtype = (uint8_t)op_of(l, s)->out, .lanes = 1, .operand = { value, lt__lower_i64(l, distance), -1, -1 },
			.what = LT_EXCHANGE_XOR, .origin = s });
		value = join(l, s, value, other);
	}
	return value;
}

/* The number of the thread in its block. */
static int32_t thread_in_block(struct lowering *l)
{
	const struct lower_grid *g = grid_now(l);
	int32_t sum = -1;
	int64_t row = 1;
	for (int a = 0; a < LOWER_AXES; a++) {
		if (g->threads[a] > 1)
			sum = lt__lower_add(l, sum,
				lt__lower_times(l, lt__lower_pure(l, LT_OPCODE_thread, LT_I64, -1, -1, a, 0), row));
		row *= g->threads[a];
	}
	return sum;
}

/* A condition: the first thread of those that share the element, which is there. */
static int32_t leads(struct lowering *l, int32_t s, const struct combine *c)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	int32_t all = LOWER_YES;
	for (int32_t up = st->loop; up >= 0; up = lower_loop_at(l, up)->parent) {
		bool combined = false;
		for (int32_t i = 0; i < c->n_loop; i++)
			combined = combined || c->loop[i] == up;
		if (combined)
			all = lt__lower_both(l, all, lt__lower_pure(l, LT_OPCODE_eq, LT_LANE_MASK,
				l->column[lower_loop_column(l->t, up)].value, lt__lower_i64(l, 0), -1, 0));
		else if (!l->part[up].held)
			all = lt__lower_both(l, all, lt__lower_on(l, up));
	}
	all = lt__lower_both(l, all, lt__lower_is_first(l, st->loop, (uint8_t)(~l->first_axes)));
	for (int32_t i = 0; i < st->n_guard; i++) {
		bool depends = false;
		for (int32_t k = 0; k < c->n_loop; k++)
			depends = depends || lt__lower_depends(l->t, l->t->guards[st->first_guard + i], c->loop[k]);
		if (!depends)
			all = lt__lower_both(l, all, lt__lower_guards(l, st->first_guard + i, 1));
	}
	return all;
}

/* Whether it may have run before in this block. */
static bool is_repeated(const struct lowering *l, const struct lt_stmt *st)
{
	for (int32_t i = st->loop; i >= 0; i = lower_loop_at(l, i)->parent)
		if (l->loop[i].mode == LOWER_LOOP || l->loop[i].mode == LOWER_HINT || l->loop[i].mode == LOWER_COPIES)
			return true;
	return false;
}

static int32_t scratch_of(struct lowering *l, int32_t s, const struct combine *c)
{
	int64_t elems = threads_of(grid_now(l)) / c->group;
	uint32_t dtype = op_of(l, s)->out;
	if (!l->combine_scratch)
		l->combine_scratch = lt__pool_alloc(&l->b.pool, l->t->stmts.n, sizeof *l->combine_scratch);
	if (!l->combine_scratch[s])
		l->combine_scratch[s] = 1 + lt__build_buffer(&l->b, &(struct lt_kernel_buffer){ .name = "parts", .dtype = dtype,
			.space = LT_SPACE_SHARED, .elems = elems, .align = 16, .slot = -1, .written = 1, .exclusive = 1, .origin = -1,
			.offset = lt__lower_share(l, l->team, elems * lt__kernel_element_bytes(dtype)) });
	return l->combine_scratch[s] - 1;
}

/* Where the first thread finds term number `at`, from its own on. */
static int32_t term_address(struct lowering *l, const struct combine *c, int32_t own, int32_t at)
{
	if (c->group > 1 || c->n_loop == 1)
		return lt__lower_add(l, own, lt__lower_times(l, at, c->group > 1 ? 1 : c->stride[0]));
	for (int32_t i = 0; i < c->n_loop; i++) {
		int32_t n = lt__lower_i64(l, lower_loop_at(l, c->loop[i])->max_trip_count);
		int32_t digit = i + 1 < c->n_loop ? lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, at, n, -1, 0) : at;
		own = lt__lower_add(l, own, lt__lower_times(l, digit, c->stride[i]));
		at = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, at, n, -1, 0);
	}
	return own;
}

/* Leaves the values in shared memory; its address, in terms, of the thread's own. */
static int32_t share_values(struct lowering *l, int32_t s, const struct combine *c, int32_t scratch, int32_t value)
{
	int32_t own = thread_in_block(l);
	if (is_repeated(l, lower_stmt_at(l, s)))
		lt__lower_barrier(l);
	if (c->group > 1) {
		int32_t member = lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, own, lt__lower_i64(l, c->group), -1, 0);
		own = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, own, lt__lower_i64(l, c->group), -1, 0);
		int32_t mark = lt__lower_if(l,
			lt__lower_pure(l, LT_OPCODE_eq, LT_LANE_MASK, member, lt__lower_i64(l, 0), -1, 0));
		lt__build_store(&l->b, scratch, own, 0, value);
		lt__lower_end(l, mark);
	} else {
		lt__build_store(&l->b, scratch, own, 0, value);
	}
	lt__lower_barrier(l);
	return own;
}

static int32_t sum_terms(struct lowering *l, int32_t s, const struct combine *c, int32_t scratch, int32_t own)
{
	int32_t sum = lt__build_variable(&l->b, "sum", op_of(l, s)->out, 1);
	lt__build_begins(&l->b, LT_OPCODE_variable, sum);
	lt__build_set(&l->b, sum, lt__build_load(&l->b, scratch, own, 0));
	int32_t from = lt__lower_i64(l, 1), to = lt__lower_i64(l, c->terms), mark = lt__lower_mark(l);
	int32_t at = lt__build_loop(&l->b, from, to, 1, -1);
	int32_t term = lt__build_load(&l->b, scratch, term_address(l, c, own, at), 0);
	lt__build_set(&l->b, sum, join(l, s, lt__build_get(&l->b, sum), term));
	lt__lower_end(l, mark);
	return lt__build_get(&l->b, sum);
}

void lt__lower_combine(struct lowering *l, int32_t s)
{
	struct combine c;
	find_combined(l, lower_stmt_at(l, s), &c);
	int32_t value = exchange(l, s, own_value(l, s), c.group), scratch = -1, own = -1;
	if (c.terms > 1) {
		scratch = scratch_of(l, s, &c);
		own = share_values(l, s, &c, scratch, value);
	}
	int32_t mask = leads(l, s, &c), mark = lt__lower_mark(l);
	if (mask == LOWER_NO)
		return;
	if (mask >= 0)
		mark = lt__lower_if(l, mask);
	l->b.origin = s;
	lt__lower_reduce(l, s, c.terms > 1 ? sum_terms(l, s, &c, scratch, own) : value);
	if (mask >= 0)
		lt__lower_end(l, mark);
}
