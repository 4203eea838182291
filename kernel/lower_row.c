/* kernel/lower_row.c -- affine rows as values of 64-bit integers, guards as masks, and the range of both. */
#include <string.h>
#include "kernel/lower.h"

struct lower_range lt__lower_range(const struct lowering *l, int32_t row)
{
	const int64_t *r = lower_row_at(l->t, row);
	struct lower_range sum = { true, r[0], r[0] };
	for (int32_t c = 1; c < l->t->n_column; c++) {
		struct lower_range x = l->range[c];
		int64_t low, high;
		if (r[c] == 0)
			continue;
		if (!x.known || __builtin_mul_overflow(r[c], r[c] > 0 ? x.low : x.high, &low)
			|| __builtin_mul_overflow(r[c], r[c] > 0 ? x.high : x.low, &high)
			|| __builtin_add_overflow(sum.low, low, &sum.low) || __builtin_add_overflow(sum.high, high, &sum.high))
			return (struct lower_range){ false, 0, 0 };
	}
	return sum;
}

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

void lt__lower_ranges(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	struct lower_range *c = l->range = lt__pool_alloc(&l->b.pool, (size_t)t->n_column, sizeof *l->range);
	*c++ = (struct lower_range){ true, 1, 1 };
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		*c++ = (struct lower_range){ true, p->low, p->high };
	}
	for (int32_t i = 0; i < t->n_loop; i++)
		*c++ = (struct lower_range){ true, 0, LT_AT(struct lt_loop, t->loops, i)->max_trip_count - 1 };
	for (int32_t i = 0; i < t->n_div; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, t->divs, i);
		struct lower_range r = lt__lower_range(l, d->row);
		*c++ = r.known ? (struct lower_range){ true, floor_of(r.low, d->den), floor_of(r.high, d->den) } : r;
	}
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

int32_t lt__lower_mark(const struct lowering *l) { return l->n_known; }
void lt__lower_forget(struct lowering *l, int32_t mark) { l->n_known = mark; }

enum { MAX_LOOK = 256 };        /* how far back the same instruction is looked for */

int32_t lt__lower_pure(
	struct lowering *l, int opcode, uint32_t dtype, int32_t x, int32_t y, int32_t what, int64_t number)
{
	struct lower_known k = { .opcode = (uint16_t)opcode, .dtype = (uint8_t)dtype, .operand = { x, y, -1 }, .what = what,
		.number = number };
	for (int32_t i = l->n_known; i-- > l->first_known && l->n_known - i <= MAX_LOOK; ) {
		const struct lower_known *old = &l->known[i];
		if (old->opcode == k.opcode && old->dtype == k.dtype && old->operand[0] == x && old->operand[1] == y
			&& old->what == what && old->number == number)
			return old->value;
	}
	k.value = lt__build(&l->b, (struct lt_instruction){ .opcode = (uint16_t)opcode, .dtype = (uint8_t)dtype, .lanes = 1,
		.operand = { x, y, -1, -1 }, .what = what, .number = number, .origin = l->b.origin });
	if (l->n_known == l->cap_known) {
		struct lower_known *more = lt__pool_alloc(&l->b.pool, (size_t)l->cap_known * 2 + 64, sizeof *more);
		if (l->n_known)
			memcpy(more, l->known, (size_t)l->n_known * sizeof *more);
		l->known = more;
		l->cap_known = l->cap_known * 2 + 64;
	}
	l->known[l->n_known++] = k;
	return k.value;
}

int32_t lt__lower_i64(struct lowering *l, int64_t x)
{
	return lt__lower_pure(l, LT_OPCODE_const, LT_I64, -1, -1, -1, x);
}

int32_t lt__lower_add(struct lowering *l, int32_t x, int32_t y)
{
	return x < 0 ? y : y < 0 ? x : lt__lower_pure(l, LT_OPCODE_add, LT_I64, x, y, -1, 0);
}

/* A column as a value. */
static int32_t column(struct lowering *l, int32_t c)
{
	const struct lt_tree *t = l->t;
	if (c < 1 + t->n_param)
		return lt__lower_pure(l, LT_OPCODE_param, LT_I64, -1, -1, c - 1, 0);
	if (c < lower_div_column(t, 0))
		return l->value[c];
	const struct lt_div *d = LT_AT(struct lt_div, t->divs, c - lower_div_column(t, 0));
	return lt__lower_pure(l, LT_OPCODE_div, LT_I64, lt__lower_row(l, d->row), lt__lower_i64(l, d->den), -1, 0);
}

/* A column that is one number has a share in the constant. */
int32_t lt__lower_address(struct lowering *l, int32_t row, int64_t *number)
{
	const int64_t *r = lower_row_at(l->t, row);
	uint64_t constant = (uint64_t)r[0];
	int32_t sum = -1;
	for (int32_t c = 1; c < l->t->n_column; c++) {
		struct lower_range x = l->range[c];
		if (r[c] == 0)
			continue;
		if (x.known && x.low == x.high) {
			constant += (uint64_t)r[c] * (uint64_t)x.low;
			continue;
		}
		int32_t term = column(l, c);
		if (r[c] != 1)
			term = lt__lower_pure(l, LT_OPCODE_mul, LT_I64, term, lt__lower_i64(l, r[c]), -1, 0);
		sum = lt__lower_add(l, sum, term);
	}
	*number = (int64_t)constant;
	return sum;
}

int32_t lt__lower_row(struct lowering *l, int32_t row)
{
	int64_t number;
	int32_t x = lt__lower_address(l, row, &number);
	return x < 0 ? lt__lower_i64(l, number) : number ? lt__lower_add(l, x, lt__lower_i64(l, number)) : x;
}

int32_t lt__lower_guards(struct lowering *l, int32_t first, int32_t n, bool *never)
{
	int32_t all = -1;
	*never = false;
	for (int32_t i = 0; i < n; i++) {
		int32_t row = l->t->guards[first + i];
		struct lower_range r = lt__lower_range(l, row);
		*never = *never || (r.known && r.high < 0);
	}
	for (int32_t i = 0; i < n && !*never; i++) {
		int32_t row = l->t->guards[first + i];
		int64_t number;
		struct lower_range r = lt__lower_range(l, row);
		if (r.known && r.low >= 0)
			continue;
		/* x + number >= 0: x >= -number, where that is a number. */
		int32_t x = lt__lower_address(l, row, &number);
		if (number == INT64_MIN) {
			x = lt__lower_add(l, x, lt__lower_i64(l, number));
			number = 0;
		}
		int32_t mask = lt__lower_pure(l, LT_OPCODE_greaterequal, LT_LANE_MASK, x < 0 ? lt__lower_i64(l, 0) : x,
			lt__lower_i64(l, -number), -1, 0);
		all = all < 0 ? mask : lt__lower_pure(l, LT_OPCODE_and, LT_LANE_MASK, all, mask, -1, 0);
	}
	return all;
}
