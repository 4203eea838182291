/* row.c -- affine rows as values of 64-bit integers, and what is known of them. */
#include <string.h>
#include "base/checked.h"
#include "kernel/lower/lowering.h"

/* Of all lanes, or of the first, as far as it is known by itself. */
static struct lower_range range_of(const struct lowering *l, int32_t row, bool first)
{
	const int64_t *r = lower_row_at(l->t, row);
	struct lower_range sum = { true, r[0], r[0] };
	for (int32_t c = 1; c < l->t->n_column; c++) {
		int64_t low, high;
		if (r[c] == 0)
			continue;
		struct lower_range x = l->column[c].range;
		if (first && l->column[c].fixed)
			x = (struct lower_range){ true, l->column[c].number, l->column[c].number };
		if (!x.known || __builtin_mul_overflow(r[c], r[c] > 0 ? x.low : x.high, &low)
			|| __builtin_mul_overflow(r[c], r[c] > 0 ? x.high : x.low, &high)
			|| __builtin_add_overflow(sum.low, low, &sum.low) || __builtin_add_overflow(sum.high, high, &sum.high))
			return (struct lower_range){ false, 0, 0 };
	}
	return sum;
}

struct lower_range lt__lower_range(const struct lowering *l, int32_t row) { return range_of(l, row, false); }

bool lt__lower_stride(const struct lowering *l, int32_t row, int64_t *stride)
{
	const int64_t *r = lower_row_at(l->t, row);
	int64_t one;
	*stride = 0;
	for (int32_t c = 1; c < l->t->n_column && l->lanes > 1; c++)
		if (r[c] && (l->column[c].irregular || __builtin_mul_overflow(r[c], l->column[c].stride, &one)
			|| __builtin_add_overflow(*stride, one, stride)))
			return false;
	return true;
}

/* The row with the columns that are numbers added to its constant. */
static void fold_row(const struct lowering *l, int32_t row, int64_t *out)
{
	const int64_t *r = lower_row_at(l->t, row);
	uint64_t sum = (uint64_t)r[0];
	for (int32_t c = 1; c < l->t->n_column; c++) {
		bool fixed = r[c] && l->column[c].fixed;
		out[c] = fixed ? 0 : r[c];
		sum += fixed ? (uint64_t)r[c] * (uint64_t)l->column[c].number : 0;
	}
	out[0] = (int64_t)sum;
}

static bool is_number(const struct lowering *l, int32_t row, int64_t *number)
{
	const int64_t *r = lower_row_at(l->t, row);
	uint64_t sum = (uint64_t)r[0];
	for (int32_t c = 1; c < l->t->n_column; c++) {
		if (r[c] && !l->column[c].fixed)
			return false;
		sum += r[c] ? (uint64_t)r[c] * (uint64_t)l->column[c].number : 0;
	}
	*number = (int64_t)sum;
	return true;
}

/* How floor(row / den) moves from lane to lane: by stride/den, or not at all where no lane leaves the quotient of the
 * first. */
static void stride_of_div(const struct lowering *l, const struct lt_div *d, struct lower_column *c)
{
	const int64_t *r = lower_row_at(l->t, d->row);
	uint64_t constant = (uint64_t)r[0];
	int64_t stride, last;
	c->irregular = !lt__lower_stride(l, d->row, &stride);
	c->stride = c->irregular ? 0 : stride / d->den;
	if (c->irregular || stride % d->den == 0)
		return;
	for (int32_t k = 1; k < l->t->n_column; k++) {         /* vectors that are counted begin at multiples of their lanes */
		int64_t step = k == lower_loop_column(l->t, l->lane_loop) ? l->lanes : 1, whole;
		if (r[k] && l->column[k].fixed)
			constant += (uint64_t)r[k] * (uint64_t)l->column[k].number;
		else if (r[k])
			c->irregular = c->irregular || __builtin_mul_overflow(r[k], step, &whole) || whole % d->den != 0;
	}
	int64_t first = (int64_t)constant - lt__floor_div((int64_t)constant, d->den) * d->den;
	if (__builtin_mul_overflow(stride, (int64_t)l->lanes - 1, &last) || __builtin_add_overflow(first, last, &last))
		c->irregular = true;
	c->irregular = c->irregular || last < 0 || last >= d->den;
	c->stride = 0;
}

static void set_div(struct lowering *l, int32_t div)
{
	const struct lt_div *d = LT_AT(struct lt_div, l->t->divs, div);
	struct lower_column *c = &l->column[lower_div_column(l->t, div)];
	struct lower_range r = lt__lower_range(l, d->row);
	*c = (struct lower_column){ .value = -1,
		.range = r.known ? (struct lower_range){ true, lt__floor_div(r.low, d->den), lt__floor_div(r.high, d->den) } : r };
	c->fixed = is_number(l, d->row, &c->number);
	if (c->fixed)
		c->number = lt__floor_div(c->number, d->den);
	if (l->lanes > 1)
		stride_of_div(l, d, c);
	if (c->irregular || c->stride)
		return;
	if (c->fixed) {
		c->range = (struct lower_range){ true, c->number, c->number };
	} else if (c->range.known && c->range.low == c->range.high) {
		c->fixed = true;
		c->number = c->range.low;
	}
}

static void set_divs(struct lowering *l, int32_t loop)
{
	for (int32_t d = 0; d < l->t->n_div; d++)
		if (LT_AT(struct lt_div, l->t->divs, d)->loop == loop)
			set_div(l, d);
}

static struct lower_column column_between(int64_t low, int64_t high)
{
	return (struct lower_column){ .range = { true, low, high }, .fixed = low == high, .number = low, .value = -1 };
}

struct lower_column lt__lower_any_of(int64_t n, int32_t value)
{
	struct lower_column c = column_between(0, n - 1);
	c.value = value;
	return c;
}

struct lower_column lt__lower_any_iteration(const struct lowering *l, int32_t loop, int32_t value)
{
	return lt__lower_any_of(lower_loop_at(l, loop)->max_trip_count, value);
}

void lt__lower_enter(struct lowering *l, int32_t loop, struct lower_column c)
{
	l->column[lower_loop_column(l->t, loop)] = c;
	set_divs(l, loop);
}

void lt__lower_leave(struct lowering *l, int32_t loop)
{
	lt__lower_enter(l, loop, lt__lower_any_iteration(l, loop, -1));
}

void lt__lower_columns(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	struct lower_column *c = l->column = lt__pool_alloc(&l->b.pool, (size_t)t->n_column, sizeof *l->column);
	l->lanes = 1;
	*c++ = column_between(1, 1);
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		*c++ = column_between(p->low, p->high);
	}
	for (int32_t i = 0; i < t->n_loop; i++)
		*c++ = lt__lower_any_iteration(l, i, -1);
	for (int32_t i = 0; i < t->n_div; i++)
		set_div(l, i);
}

bool lt__lower_depends(const struct lt_tree *t, int32_t row, int32_t loop)
{
	const int64_t *r = lower_row_at(t, row);
	if (r[lower_loop_column(t, loop)])
		return true;
	for (int32_t d = 0; d < t->n_div; d++)
		if (r[lower_div_column(t, d)] && lt__lower_depends(t, LT_AT(struct lt_div, t->divs, d)->row, loop))
			return true;
	return false;
}

int32_t lt__lower_i64(struct lowering *l, int64_t x)
{
	return lt__lower_pure(l, LT_OPCODE_const, LT_I64, -1, -1, -1, x);
}

int32_t lt__lower_add(struct lowering *l, int32_t x, int32_t y)
{
	return x < 0 ? y : y < 0 ? x : lt__lower_pure(l, LT_OPCODE_add, LT_I64, x, y, -1, 0);
}

int32_t lt__lower_times(struct lowering *l, int32_t x, int64_t by)
{
	return by == 1 ? x : lt__lower_pure(l, LT_OPCODE_mul, LT_I64, x, lt__lower_i64(l, by), -1, 0);
}

int32_t lt__lower_floor(struct lowering *l, int32_t x, int64_t den)
{
	return den == 1 ? x : lt__lower_pure(l, LT_OPCODE_div, LT_I64, x, lt__lower_i64(l, den), -1, 0);
}

static int32_t column_value(struct lowering *l, int32_t c);

/* In a grid: how far inside a column is known, so that a sum begins with what the most threads and iterations share:
 * params, blocks, threads, then loops from the outermost on. */
static int32_t rank_of(const struct lowering *l, int32_t c)
{
	const struct lt_tree *t = l->t;
	if (!l->part || c < 1 + t->n_param)
		return 0;
	if (c < lower_div_column(t, 0)) {
		const enum lower_mode mode = l->loop[c - lower_loop_column(t, 0)].mode;
		return mode == LOWER_BLOCKS ? 1 : mode == LOWER_THREAD ? 2 : 3 + c;
	}
	int32_t rank = 0;
	const int64_t *r = lower_row_at(t, LT_AT(struct lt_div, t->divs, c - lower_div_column(t, 0))->row);
	for (int32_t k = 1; k < t->n_column; k++)
		if (r[k] && !l->column[k].fixed && rank_of(l, k) > rank)
			rank = rank_of(l, k);
	return rank;
}

/* The columns of a row that are no numbers, and in `number` what is added.  regular: without irregular ones. */
static int32_t sum_of(struct lowering *l, const int64_t *r, bool regular, int64_t *number)
{
	uint64_t constant = (uint64_t)r[0];
	int32_t sum = -1, last = INT32_MIN, next;
	for (int32_t rank = 0; rank < INT32_MAX; last = rank, rank = next) {
		next = INT32_MAX;
		for (int32_t c = 1; c < l->t->n_column; c++) {
			if (r[c] == 0 || (regular && l->column[c].irregular))
				continue;
			if (l->column[c].fixed) {
				constant += last == INT32_MIN ? (uint64_t)r[c] * (uint64_t)l->column[c].number : 0;
				continue;
			}
			int32_t mine = rank_of(l, c);
			if (mine == rank)
				sum = lt__lower_add(l, sum, lt__lower_times(l, column_value(l, c), r[c]));
			else if (mine > rank && mine < next)
				next = mine;
		}
	}
	*number = (int64_t)constant;
	return sum;
}

static int32_t with_number(struct lowering *l, int32_t x, int64_t number)
{
	return x < 0 ? lt__lower_i64(l, number) : number ? lt__lower_add(l, x, lt__lower_i64(l, number)) : x;
}

/* floor(row / den) in the first lane: without a division where each column's share is whole. */
static int32_t div_value(struct lowering *l, const struct lt_div *d)
{
	int64_t *r = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *r), number;
	struct lower_range range = lt__lower_range(l, d->row);
	bool whole = true;
	if (!l->machine.vector_bytes)
		return lt__lower_pure(l, LT_OPCODE_div, LT_I64, lt__lower_row(l, d->row), lt__lower_i64(l, d->den), -1, 0);
	fold_row(l, d->row, r);
	for (int32_t c = 1; c < l->t->n_column; c++)
		whole = whole && r[c] % d->den == 0;
	if (!whole)
		return lt__lower_pure(l, range.known && range.low >= 0 ? LT_OPCODE_quotient : LT_OPCODE_div, LT_I64,
			lt__lower_row(l, d->row), lt__lower_i64(l, d->den), -1, 0);
	for (int32_t c = 0; c < l->t->n_column; c++)
		r[c] = lt__floor_div(r[c], d->den);
	int32_t x = sum_of(l, r, false, &number);
	return with_number(l, x, number);
}

/* A column as a value: in the first lane. */
static int32_t column_value(struct lowering *l, int32_t c)
{
	const struct lt_tree *t = l->t;
	if (c < 1 + t->n_param)
		return lt__lower_pure(l, LT_OPCODE_param, LT_I64, -1, -1, c - 1, 0);
	if (c < lower_div_column(t, 0))
		return l->column[c].value;
	return div_value(l, LT_AT(struct lt_div, t->divs, c - lower_div_column(t, 0)));
}

/* A column that is one number has a share in the constant. */
int32_t lt__lower_address(struct lowering *l, int32_t row, int64_t *number)
{
	return sum_of(l, lower_row_at(l->t, row), false, number);
}

int32_t lt__lower_address_of(struct lowering *l, const int64_t *row, int64_t *number)
{
	return sum_of(l, row, false, number);
}

int32_t lt__lower_row(struct lowering *l, int32_t row)
{
	int64_t number;
	int32_t x = lt__lower_address(l, row, &number);
	return with_number(l, x, number);
}

int32_t lt__lower_row_of_lanes(struct lowering *l, int32_t row)
{
	const int64_t *r = lower_row_at(l->t, row);
	uint64_t stride = 0;
	int64_t number;
	for (int32_t c = 1; c < l->t->n_column; c++)
		stride += l->column[c].irregular ? 0 : (uint64_t)r[c] * (uint64_t)l->column[c].stride;
	int32_t first = sum_of(l, r, true, &number), sum = lt__lower_spread(l, with_number(l, first, number));
	if (stride) {
		int32_t lane = lt__lower_wide(l, LT_OPCODE_lane, LT_I64, -1, -1, 0);
		if (stride != 1)
			lane = lt__lower_wide(l, LT_OPCODE_mul, LT_I64, lane, lt__lower_spread(l, lt__lower_i64(l, (int64_t)stride)), 0);
		sum = lt__lower_wide(l, LT_OPCODE_add, LT_I64, sum, lane, 0);
	}
	for (int32_t d = 0; d < l->t->n_div; d++) {
		int32_t c = lower_div_column(l->t, d);
		if (r[c] == 0 || !l->column[c].irregular)
			continue;
		const struct lt_div *div = LT_AT(struct lt_div, l->t->divs, d);
		struct lower_range range = lt__lower_range(l, div->row);
		int32_t x = lt__lower_row_of_lanes(l, div->row);
		x = lt__lower_wide(l, range.known && range.low >= 0 ? LT_OPCODE_quotient : LT_OPCODE_div, LT_I64, x,
			lt__lower_spread(l, lt__lower_i64(l, div->den)), 0);
		if (r[c] != 1)
			x = lt__lower_wide(l, LT_OPCODE_mul, LT_I64, x, lt__lower_spread(l, lt__lower_i64(l, r[c])), 0);
		sum = lt__lower_wide(l, LT_OPCODE_add, LT_I64, sum, x, 0);
	}
	return sum;
}

/* In a grid, of number + a row of multiples of g: the least number with which the sum is as often at least 0, so that
 * copies of a body ask the same where their answers are the same. */
static int64_t min_number(const struct lowering *l, int32_t row, int64_t number)
{
	const int64_t *r = lower_row_at(l->t, row);
	int64_t g = 0;
	for (int32_t c = 1; c < l->t->n_column && l->part; c++)
		for (int64_t x = l->column[c].fixed || r[c] == INT64_MIN ? 0 : r[c] < 0 ? -r[c] : r[c]; x; ) {
			int64_t rest = g % x;
			g = x;
			x = rest;
		}
	return g > 1 && number > INT64_MIN / 2 ? lt__floor_div(number, g) * g : number;
}

int32_t lt__lower_holds(struct lowering *l, int32_t row, int64_t add)
{
	struct lower_range r = lt__lower_range(l, row), first = range_of(l, row, true);
	int64_t number;
	r.known = r.known && (l->lanes > 1 || add == 0);        /* in a vector, of the lane that is `add` further, too */
	first.known = first.known && !__builtin_add_overflow(first.low, add, &first.low)
		&& !__builtin_add_overflow(first.high, add, &first.high);
	if ((r.known && r.low >= 0) || (first.known && first.low >= 0))
		return LOWER_YES;
	if ((r.known && r.high < 0) || (first.known && first.high < 0))
		return LOWER_NO;
	/* x + number >= 0: x >= -number, where that is a number. */
	int32_t x = lt__lower_address(l, row, &number);
	number = (int64_t)((uint64_t)number + (uint64_t)add);
	if (x < 0)
		return number >= 0 ? LOWER_YES : LOWER_NO;
	number = min_number(l, row, number);
	if (number == INT64_MIN) {
		x = lt__lower_add(l, x, lt__lower_i64(l, number));
		number = 0;
	}
	return lt__lower_pure(l, LT_OPCODE_greaterequal, LT_LANE_MASK, x, lt__lower_i64(l, -number), -1, 0);
}

int32_t lt__lower_both(struct lowering *l, int32_t a, int32_t b)
{
	if (a == LOWER_NO || b == LOWER_NO)
		return LOWER_NO;
	return a == LOWER_YES ? b : b == LOWER_YES || a == b ? a
		: lt__lower_pure(l, LT_OPCODE_and, LT_LANE_MASK, a, b, -1, 0);
}

/* One that never holds is found before anything is computed. */
int32_t lt__lower_guards(struct lowering *l, int32_t first, int32_t n)
{
	int32_t all = LOWER_YES;
	for (int32_t i = 0; i < n; i++) {
		struct lower_range r = lt__lower_range(l, l->t->guards[first + i]);
		if (r.known && r.high < 0)
			return LOWER_NO;
	}
	for (int32_t i = 0; i < n && all != LOWER_NO; i++)
		all = lt__lower_both(l, all, lt__lower_holds(l, l->t->guards[first + i], 0));
	return all;
}

bool lt__lower_is_adjacent(const struct lowering *l, int32_t row, int32_t loop)
{
	const int64_t *r = lower_row_at(l->t, row);
	for (int32_t d = 0; d < l->t->n_div; d++)
		if (r[lower_div_column(l->t, d)] && lt__lower_depends(l->t, LT_AT(struct lt_div, l->t->divs, d)->row, loop))
			return false;
	return r[lower_loop_column(l->t, loop)] == 1;
}
