/* terms.c -- the values of threads that are combined: by exchanges within a subgroup, then in shared
 * memory (grid.h).
 *
 * Members of a subgroup that lie side by side are combined by exchanges, the lower with the one that is a power of two
 * further.  What is left of them the first thread of those that share the element reads from shared memory: a few all
 * at once, combined by halves, many one after the other.  So the order depends on the numbers of threads alone.
 */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

enum { MAX_TERMS_AT_ONCE = 32 };

static const struct lower_grid *grid_now(const struct lowering *l) { return &l->grid[l->team]; }

static int64_t block_threads(const struct lower_grid *g) { return g->threads[0] * g->threads[1] * g->threads[2]; }

/* Exchanges are for threads along axis 0 that are one run in each row of the block, and in each iteration of the loops
 * around: group is the most of them that always begin at a multiple of it. */
static int64_t group_of(const struct lowering *l, const struct lower_terms *c, int32_t inside)
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

struct lower_terms lt__lower_terms(const struct lowering *l, int32_t s)
{
	const struct lower_grid *g = grid_now(l);
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const int64_t row[LOWER_AXES] = { 1, g->threads[0], g->threads[0] * g->threads[1] };
	struct lower_terms c = { .n = 1 };
	for (int32_t i = st->loop; i >= 0 && i != lt__lower_combine_scope(l, st); i = lower_loop_at(l, i)->parent) {
		if (!lt__lower_is_combined(l, st, i))
			continue;
		c.loop[c.n_loop] = i;
		c.stride[c.n_loop++] = l->part[i].stride * row[lower_loop_at(l, i)->kind_arg];
		c.n *= lower_loop_at(l, i)->max_trip_count;
	}
	c.all = c.n == block_threads(g);
	c.group = group_of(l, &c, st->loop);
	c.n /= c.group;
	return c;
}

int32_t lt__lower_join(struct lowering *l, int32_t s, int32_t a, int32_t b)
{
	const struct lt_op *op = lower_op_at(l, s);
	int32_t x[4] = { lt__lower_as(l, a, op->in[0]), lt__lower_as(l, b, op->in[1]), -1, -1 };
	return lt__lower_as(l, lt__lower_apply(l, op, x), op->out);
}

bool lt__lower_combine_own(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_op *op = lower_op_at(l, s);
	const int32_t v = l->combined[s].variable;
	if (v < 0)
		return false;
	value = lt__lower_as(l, value, op->out);
	if (lt__lower_opcode_of(op) != LT_OPCODE_TEXT && !lt__opcode_tests(op->opcode) && op->in[0] == op->out
		&& op->in[1] == op->out)
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_update, .operand = { value, -1, -1, -1 },
			.what = v, .number = op->opcode, .origin = s });
	else
		lt__build_set(&l->b, v, lt__lower_join(l, s, lt__build_get(&l->b, v), value));
	return true;
}

int32_t lt__lower_exchange(struct lowering *l, int32_t s, const struct lower_terms *c, int32_t value)
{
	for (int64_t distance = c->group / 2; distance; distance /= 2) {
		int32_t other = lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_exchange,
			.dtype = (uint8_t)lower_op_at(l, s)->out, .lanes = 1, .operand = { value, lt__lower_i64(l, distance), -1, -1 },
			.what = LT_EXCHANGE_XOR, .origin = s });
		value = lt__lower_join(l, s, value, other);
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

static int32_t scratch_of(struct lowering *l, int32_t s, const struct lower_terms *c)
{
	struct lower_combined *x = &l->combined[s];
	int64_t elems = block_threads(grid_now(l)) / c->group;
	uint32_t dtype = lower_op_at(l, s)->out;
	if (x->scratch < 0)
		x->scratch = lt__build_buffer(&l->b, &(struct lt_kernel_buffer){ .name = "parts", .dtype = dtype,
			.space = LT_SPACE_SHARED, .elems = elems, .align = 16, .slot = -1, .written = 1, .exclusive = 1, .origin = -1,
			.offset = lt__lower_share(l, l->team, elems * lt__kernel_element_bytes(dtype), LOWER_SHARED_ALIGN) });
	return x->scratch;
}

void lt__lower_share_value(struct lowering *l, int32_t s, const struct lower_terms *c, int32_t value)
{
	int32_t own = thread_in_block(l), mark = -1;
	if (c->group > 1) {
		int32_t group = lt__lower_i64(l, c->group);
		int32_t member = lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, own, group, -1, 0);
		own = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, own, group, -1, 0);
		mark = lt__lower_if(l, lt__lower_pure(l, LT_OPCODE_eq, LT_LANE_MASK, member, lt__lower_i64(l, 0), -1, 0));
	}
	l->b.origin = s;
	lt__build_store(&l->b, scratch_of(l, s, c), own, 0, value);
	if (mark >= 0)
		lt__lower_end(l, mark);
}

/* Where term number `at` is, from the first thread's own on. */
static int64_t term_offset(const struct lowering *l, const struct lower_terms *c, int64_t at)
{
	int64_t sum = 0;
	if (c->group > 1)
		return at;
	for (int32_t i = 0; i < c->n_loop; i++) {
		int64_t n = lower_loop_at(l, c->loop[i])->max_trip_count;
		sum += (i + 1 < c->n_loop ? at % n : at) * c->stride[i];
		at /= n;
	}
	return sum;
}

/* The same of a number that is a value. */
static int32_t term_address(struct lowering *l, const struct lower_terms *c, int32_t own, int32_t at)
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

static int32_t sum_at_once(struct lowering *l, int32_t s, const struct lower_terms *c, int32_t scratch, int32_t own)
{
	int32_t x[MAX_TERMS_AT_ONCE];
	for (int64_t i = 0; i < c->n; i++)
		x[i] = lt__build_load(&l->b, scratch, own, term_offset(l, c, i));
	for (int64_t n = c->n, half; n > 1; n = half) {
		half = (n + 1) / 2;
		for (int64_t i = 0; i + half < n; i++)
			x[i] = lt__lower_join(l, s, x[i], x[i + half]);
	}
	return x[0];
}

static int32_t sum_in_turn(struct lowering *l, int32_t s, const struct lower_terms *c, int32_t scratch, int32_t own)
{
	int32_t sum = lt__build_variable(&l->b, "sum", lower_op_at(l, s)->out, 1);
	lt__build_begins(&l->b, LT_OPCODE_variable, sum);
	lt__build_set(&l->b, sum, lt__build_load(&l->b, scratch, own, 0));
	int32_t from = lt__lower_i64(l, 1), to = lt__lower_i64(l, c->n), mark = lt__lower_mark(l);
	int32_t at = lt__build_loop(&l->b, from, to, 1, -1);
	int32_t term = lt__build_load(&l->b, scratch, term_address(l, c, own, at), 0);
	lt__build_set(&l->b, sum, lt__lower_join(l, s, lt__build_get(&l->b, sum), term));
	lt__lower_end(l, mark);
	return lt__build_get(&l->b, sum);
}

/* If all threads share the element, the first is number 0. */
int32_t lt__lower_sum_terms(struct lowering *l, int32_t s, const struct lower_terms *c)
{
	int32_t scratch = scratch_of(l, s, c), own = -1;
	bool once = c->n <= MAX_TERMS_AT_ONCE;
	if (!c->all || !once) {
		own = thread_in_block(l);
		if (c->group > 1)
			own = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, own, lt__lower_i64(l, c->group), -1, 0);
	}
	l->b.origin = s;
	return once ? sum_at_once(l, s, c, scratch, own) : sum_in_turn(l, s, c, scratch, own);
}
