/* Counting what a frozen tree runs: instances of its statements, and elements of its slots.
 *
 * A statement has as many instances as there are iterations of the loops around it in which its guards hold.  Trip
 * counts depend on iterations further out only where a step does not divide, so that a loop's iterations fall into few
 * stretches in which everything inside is the same: each stretch is counted once.  A stretch ends where some bound or
 * guard inside no longer gives the same answer for all of its iterations.
 */
#include "looptree/count/count.h"

/* The loops around one statement, outermost first, and the iterations of each that are in hand: all of those not gone
 * into yet. */
struct chain {
	const struct lt_tree *x;
	const int64_t *param;           /* by param of the tree */
	const struct lt_stmt *s;
	int32_t n, first;               /* loops before `first`: their first iteration only */
	int32_t *loop;
	int64_t *low, *high;
	bool *once;                     /* its iterations are not distinguished: one of them */
};

static const struct lt_loop *chain_loop(const struct chain *c, int32_t k)
{
	return LT_AT(struct lt_loop, c->x->loops, c->loop[k]);
}
static const int64_t *row_at(const struct chain *c, int32_t row) { return c->x->rows + (int64_t)row * c->x->n_column; }

static void add_range(int64_t coef, int64_t a, int64_t b, int64_t *low, int64_t *high)
{
	int64_t x = lt__mul_sat(coef, a), y = lt__mul_sat(coef, b);
	*low = lt__add_sat(*low, x < y ? x : y);
	*high = lt__add_sat(*high, x < y ? y : x);
}

/* What a row may be over the iterations in hand: exact where no division and another term move against each other. */
static void row_range(const struct chain *c, int32_t row, int64_t *low, int64_t *high)
{
	const int64_t *r = row_at(c, row), *loops = r + 1 + c->x->n_param, *divs = loops + c->x->n_loop;
	*low = *high = r[0];
	for (int32_t i = 0; i < c->x->n_param; i++)
		if (r[1 + i])
			add_range(r[1 + i], c->param[i], c->param[i], low, high);
	for (int32_t k = 0; k < c->n; k++)
		if (loops[c->loop[k]])
			add_range(loops[c->loop[k]], c->low[k], c->high[k], low, high);
	for (int32_t i = 0; i < c->x->n_div; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, c->x->divs, i);
		int64_t a, b;
		if (!divs[i])
			continue;
		row_range(c, d->row, &a, &b);
		add_range(divs[i], lt__floor_div(a, d->den), lt__floor_div(b, d->den), low, high);
	}
}

static bool moves_with(const struct chain *c, int32_t row, int32_t loop)
{
	const int64_t *r = row_at(c, row), *loops = r + 1 + c->x->n_param, *divs = loops + c->x->n_loop;
	bool moves = loops[loop] != 0;
	for (int32_t i = 0; i < c->x->n_div && !moves; i++)
		moves = divs[i] && moves_with(c, LT_AT(struct lt_div, c->x->divs, i)->row, loop);
	return moves;
}

static int32_t bound_at(const struct chain *c, int32_t k, int32_t i)
{
	return c->x->bounds[chain_loop(c, k)->first_bound + i];
}
static int32_t guard_at(const struct chain *c, int32_t i) { return c->x->guards[c->s->first_guard + i]; }

/* Whether a bound or guard inside moves with loop k. */
static bool is_felt(const struct chain *c, int32_t k)
{
	for (int32_t j = k + 1; j < c->n; j++)
		for (int32_t i = 0; i < chain_loop(c, j)->n_bound; i++)
			if (moves_with(c, bound_at(c, j, i), c->loop[k]))
				return true;
	for (int32_t i = 0; i < c->s->n_guard; i++)
		if (moves_with(c, guard_at(c, i), c->loop[k]))
			return true;
	return false;
}

/* Whether all that moves with loop k inside of it is the same in its iterations from .. to. */
static bool is_stretch(struct chain *c, int32_t k, int64_t from, int64_t to)
{
	int64_t low, high;
	c->low[k] = from;
	c->high[k] = to;
	for (int32_t j = k + 1; j < c->n; j++)
		for (int32_t i = 0; i < chain_loop(c, j)->n_bound; i++) {
			if (!moves_with(c, bound_at(c, j, i), c->loop[k]))
				continue;
			row_range(c, bound_at(c, j, i), &low, &high);
			if (low != high && low < chain_loop(c, j)->max_trip_count && high > 0)
				return false;
		}
	for (int32_t i = 0; i < c->s->n_guard; i++) {
		if (!moves_with(c, guard_at(c, i), c->loop[k]))
			continue;
		row_range(c, guard_at(c, i), &low, &high);
		if (low != high && low < 0 && high >= 0)
			return false;
	}
	return true;
}

/* The last iteration, `last` at most, of the longest stretch that begins at `from`. */
static int64_t stretch_end(struct chain *c, int32_t k, int64_t from, int64_t last)
{
	int64_t good = from, step = 1;
	if (is_stretch(c, k, from, last))
		return last;
	for (; step <= last - good && is_stretch(c, k, from, good + step); step *= 2)
		good += step;
	for (; step > 0; step /= 2)
		if (step <= last - good && is_stretch(c, k, from, good + step))
			good += step;
	return good;
}

/* Iterations of loop k at most, over the iterations in hand of those further out. */
static int64_t trip_count_of(const struct chain *c, int32_t k)
{
	int64_t trip_count = chain_loop(c, k)->max_trip_count, low, high;
	for (int32_t i = 0; i < chain_loop(c, k)->n_bound; i++) {
		row_range(c, bound_at(c, k, i), &low, &high);
		trip_count = high < trip_count ? high : trip_count;
	}
	return trip_count > 0 ? trip_count : 0;
}

static int64_t count_inside(struct chain *c, int32_t k)
{
	if (k == c->n) {
		for (int32_t i = 0; i < c->s->n_guard; i++) {
			int64_t low, high;
			row_range(c, guard_at(c, i), &low, &high);
			if (high < 0)
				return 0;
		}
		return 1;
	}
	int64_t trip_count = trip_count_of(c, k), n = 0;
	if (trip_count > 1 && (k < c->first || c->once[k]))
		trip_count = 1;
	bool felt = trip_count > 1 && is_felt(c, k);
	for (int64_t from = 0, to; from < trip_count; from = to + 1) {
		to = felt ? stretch_end(c, k, from, trip_count - 1) : trip_count - 1;
		c->low[k] = c->high[k] = from;
		n = lt__add_sat(n, lt__mul_sat(to - from + 1, count_inside(c, k + 1)));
	}
	c->low[k] = 0;
	c->high[k] = chain_loop(c, k)->max_trip_count - 1;
	return n;
}

/* inside: a loop of which one run is counted, in the first iterations of those around it; -1: the whole kernel. */
static struct chain chain_of(
	const struct lt_tree *x, const int64_t *param, const struct lt_stmt *s, int32_t inside, struct lt_arena *a)
{
	struct chain c = { .x = x, .param = param, .s = s };
	for (int32_t l = s->loop; l >= 0; l = LT_AT(struct lt_loop, x->loops, l)->parent)
		c.n++;
	c.loop = LT_NEW(a, int32_t, c.n + 1);
	c.low = LT_NEW(a, int64_t, c.n + 1);
	c.high = LT_NEW(a, int64_t, c.n + 1);
	c.once = LT_NEW(a, bool, c.n + 1);
	for (int32_t l = s->loop, k = c.n; k-- > 0; l = LT_AT(struct lt_loop, x->loops, l)->parent) {
		c.loop[k] = l;
		c.high[k] = LT_AT(struct lt_loop, x->loops, l)->max_trip_count - 1;
		c.first = l == inside ? k : c.first;
	}
	return c;
}

/* -- operations -- */

/* A reset is none: a sum of n terms counts n.  What a cast, a copy or a view moves is none. */
static bool computes(const struct lt_tree *x, const struct lt_stmt *s)
{
	if (s->kind == LT_RESET || s->kind >= LT_BARRIER)
		return false;
	int op = lt__op_find(LT_AT(struct lt_op, x->ops, s->op)->name);
	return op >= 0 && lt__op_counts((enum lt_opcode)op);
}

static int64_t operations(const struct lt_tree *x, const int64_t *param, int32_t loop, struct lt_arena *a)
{
	int32_t first = loop < 0 ? 0 : LT_AT(struct lt_loop, x->loops, loop)->first_stmt;
	int32_t n = loop < 0 ? (int32_t)x->stmts.n : LT_AT(struct lt_loop, x->loops, loop)->n_stmt;
	int64_t sum = 0;
	for (int32_t i = first; i < first + n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, x->stmts, i);
		if (!computes(x, s))
			continue;
		struct chain c = chain_of(x, param, s, loop, a);
		sum = lt__add_sat(sum, count_inside(&c, 0));
	}
	return sum;
}

/* -- bytes -- */

/* What is accessed of a slot: the hull, and accesses that differ in the iterations that they move with. */
struct access_touch { int64_t low, high, points; };

static void add_touch(struct chain *c, int32_t access, struct access_touch *by_slot)
{
	const struct lt_tree *x = c->x;
	const struct lt_access *at = LT_AT(struct lt_access, x->accesses, access);
	int32_t slot = LT_AT(struct lt_buffer, x->buffers, at->buffer)->slot;
	int64_t low, high;
	bool runs = true;
	for (int32_t k = 0; k < c->n && slot >= 0 && runs; k++) {
		int64_t trip_count = trip_count_of(c, k);
		runs = trip_count > 0;
		c->high[k] = trip_count - 1;
		c->once[k] = true;
		for (int32_t i = access; i >= 0; i = LT_AT(struct lt_access, x->accesses, i)->index)
			c->once[k] = c->once[k] && !moves_with(c, LT_AT(struct lt_access, x->accesses, i)->row, c->loop[k]);
	}
	row_range(c, at->row, &low, &high);
	if (at->index >= 0)
		add_range(at->index_stride, 0, at->index_extent - 1, &low, &high);
	for (int32_t k = 0; k < c->n; k++)
		c->high[k] = chain_loop(c, k)->max_trip_count - 1;
	int64_t points = slot >= 0 && runs ? count_inside(c, 0) : 0;
	if (points == 0)
		return;
	struct access_touch *t = &by_slot[slot];
	t->low = t->points == 0 || low < t->low ? low : t->low;
	t->high = t->points == 0 || high > t->high ? high : t->high;
	t->points = lt__add_sat(t->points, points);
}

/* The access, and those that give its index. */
static void add_touches(struct chain *c, int32_t access, struct access_touch *by_slot)
{
	for (; access >= 0; access = LT_AT(struct lt_access, c->x->accesses, access)->index)
		add_touch(c, access, by_slot);
}

static int64_t touched_bytes(const struct lt_frozen *f, const int64_t *param, struct lt_arena *a)
{
	const struct lt_tree *x = &f->tree;
	struct access_touch *by_slot = LT_NEW(a, struct access_touch, f->n_bind + 1);
	int64_t bytes = 0;
	for (uint32_t i = 0; i < x->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, x->stmts, i);
		struct chain c = chain_of(x, param, s, -1, a);
		if (s->kind >= LT_BARRIER)
			continue;
		add_touches(&c, s->dest, by_slot);
		for (int32_t k = 0; k < s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, x->operands, s->first_operand + k);
			for (int32_t p = 0; p < o->n_piece; p++)
				if (LT_AT(struct lt_piece, x->pieces, o->first_piece + p)->kind == LT_READ)
					add_touches(&c, LT_AT(struct lt_piece, x->pieces, o->first_piece + p)->access, by_slot);
		}
	}
	for (uint32_t i = 0; i < x->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, x->buffers, i);
		if (b->slot < 0 || by_slot[b->slot].points == 0)
			continue;
		const struct access_touch *t = &by_slot[b->slot];
		uint64_t hull = (uint64_t)t->high - (uint64_t)t->low;
		int64_t elems = t->points < b->elems ? t->points : b->elems;
		elems = hull < (uint64_t)elems ? (int64_t)hull + 1 : elems;
		const struct lt_bind *bind = &f->bind[b->slot];
		elems = lt__mul_sat(elems, LT_AT(struct lt_type, x->types, b->type)->bytes);
		for (int times = (bind->written ? 1 : 0) + (bind->read ? 1 : 0); times > 0; times--)
			bytes = lt__add_sat(bytes, elems);
		by_slot[b->slot].points = 0;
	}
	return bytes;
}

/* The values of the kernel's own params: each is an element of the slot that holds those of the graph. */
static const int64_t *params_of(const struct lt_frozen *f, const int64_t *param, struct lt_arena *a)
{
	int64_t *out = LT_NEW(a, int64_t, f->tree.n_param + 1);
	for (int32_t i = 0; i < f->tree.n_param && param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, f->tree.params, i);
		out[i] = param[f->bind[LT_AT(struct lt_buffer, f->tree.buffers, p->buffer)->slot].offset + p->element];
	}
	return out;
}

void lt__count_kernel(const struct lt_frozen *f, const int64_t *param, struct lt_arena *a, struct lt_counted *out)
{
	const int64_t *values = params_of(f, param, a);
	out->executed = operations(&f->tree, values, -1, a);
	out->bytes = touched_bytes(f, values, a);
}

int64_t lt__count_loop(const struct lt_frozen *f, const int64_t *param, int32_t loop, struct lt_arena *a)
{
	return operations(&f->tree, params_of(f, param, a), loop, a);
}
