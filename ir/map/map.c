/* map.c -- quasi-affine maps by plain arithmetic: apply, make, compose, compare. */
#include <string.h>
#include "ir/map/map.h"

static size_t row_bytes(const struct lt_map *m, int64_t n_row, int extra)
{
	return sizeof(int64_t) * (size_t)n_row * (size_t)(lt__map_width(m) + extra);
}

static int64_t dot(const int64_t *row, const int64_t *column, int32_t n)
{
	uint64_t sum = 0;

	for (int32_t i = 0; i < n; i++)
		sum += (uint64_t)row[i] * (uint64_t)column[i];
	return (int64_t)sum;
}

bool lt__map_apply(const struct lt_map *m, const int64_t *param, const int64_t *dim, int64_t *out)
{
	int32_t width = lt__map_width(m), known = 1 + m->n_param + m->n_dim;
	int64_t column[width];

	column[0] = 1;
	if (m->n_param)
		memcpy(column + 1, param, sizeof *param * (size_t)m->n_param);
	if (m->n_dim)
		memcpy(column + 1 + m->n_param, dim, sizeof *dim * (size_t)m->n_dim);
	for (int32_t d = 0; d < m->n_div; d++) {
		const int64_t *div = m->div + (int64_t)d * (1 + width);

		column[known + d] = lt__floor_div(dot(div + 1, column, known + d), div[0]);
	}
	for (int32_t g = 0; g < m->n_guard; g++)
		if (dot(m->guard + (int64_t)g * width, column, width) < 0)
			return false;
	for (int32_t r = 0; r < m->n_row; r++)
		out[r] = dot(m->row + (int64_t)r * width, column, width);
	return true;
}

struct lt_map lt__map_identity(struct lt_arena *arena, int32_t n)
{
	struct lt_map m = { .n_dim = n, .n_row = n };
	int64_t *row = LT_NEW(arena, int64_t, (size_t)n * (size_t)(n + 1));

	for (int32_t i = 0; i < n; i++)
		row[i * (int64_t)(n + 1) + 1 + i] = 1;
	m.row = row;
	return m;
}

struct lt_map lt__map_select(
	struct lt_arena *arena, int32_t n_dim, int32_t n_row, const int32_t *at, const int64_t *add)
{
	struct lt_map m = { .n_dim = n_dim, .n_row = n_row };
	int64_t *row = LT_NEW(arena, int64_t, (size_t)n_row * (size_t)(n_dim + 1));

	for (int32_t i = 0; i < n_row; i++) {
		row[i * (int64_t)(n_dim + 1)] = add ? add[i] : 0;
		row[i * (int64_t)(n_dim + 1) + 1 + at[i]] = 1;
	}
	m.row = row;
	return m;
}

/* A composition under way: the new map's columns, and where inner's params are among them. */
struct composing {
	const struct lt_map *outer, *inner;
	struct lt_map m;
	int32_t *param;         /* column of inner's param i */
	bool overflow;
};

static void add_scaled(struct composing *c, int64_t *to, const int64_t *from, int32_t n, int64_t by)
{
	int64_t product;

	for (int32_t i = 0; i < n && by != 0; i++)
		if (from[i] != 0)
			c->overflow |= __builtin_mul_overflow(from[i], by, &product)
				|| __builtin_add_overflow(to[i], product, &to[i]);
}

/* A row over outer's columns as one over the new map's: the new params and divs are after outer's of each. */
static void add_outer(struct composing *c, int64_t *to, const int64_t *from, int64_t by)
{
	int32_t n = 1 + c->outer->n_param, at = 1 + c->m.n_param;

	add_scaled(c, to, from, n, by);
	add_scaled(c, to + at, from + n, c->outer->n_dim + c->outer->n_div, by);
}

static void add_inner(struct composing *c, int64_t *to, const int64_t *from, int32_t n_div)
{
	int32_t dim = 1 + c->inner->n_param, div = dim + c->inner->n_dim;
	int32_t new_div = 1 + c->m.n_param + c->m.n_dim + c->outer->n_div;

	add_scaled(c, to, from, 1, 1);
	for (int32_t i = 0; i < c->inner->n_param; i++)
		add_scaled(c, to + c->param[i], from + 1 + i, 1, 1);
	for (int32_t i = 0; i < c->inner->n_dim; i++)
		add_outer(c, to, c->outer->row + (int64_t)i * lt__map_width(c->outer), from[dim + i]);
	add_scaled(c, to + new_div, from + div, n_div, 1);
}

static void join_params(struct composing *c, struct lt_arena *arena)
{
	int32_t n = c->outer->n_param;
	lt_param *param = LT_NEW(arena, lt_param, n + c->inner->n_param);

	if (n)
		memcpy(param, c->outer->param, sizeof *param * (size_t)n);
	c->param = LT_NEW(arena, int32_t, c->inner->n_param);
	for (int32_t i = 0; i < c->inner->n_param; i++) {
		int32_t at = 0;

		while (at < n && param[at] != c->inner->param[i])
			at++;
		if (at == n)
			param[n++] = c->inner->param[i];
		c->param[i] = 1 + at;
	}
	c->m.param = param;
	c->m.n_param = n;
}

lt_status lt__map_compose(struct lt_context *ctx, struct lt_arena *arena, const struct lt_map *outer,
	const struct lt_map *inner, struct lt_map *out)
{
	struct composing c = { .outer = outer, .inner = inner };
	int32_t outer_width = lt__map_width(outer), inner_width = lt__map_width(inner), width;
	int64_t *div, *guard, *row;

	memset(out, 0, sizeof *out);
	if (inner->n_dim != outer->n_row)
		lt_bug("composed maps do not fit");
	join_params(&c, arena);
	c.m.n_dim = outer->n_dim;
	c.m.n_div = outer->n_div + inner->n_div;
	c.m.n_guard = outer->n_guard + inner->n_guard;
	c.m.n_row = inner->n_row;
	width = lt__map_width(&c.m);
	c.m.div = div = lt__arena_alloc(arena, row_bytes(&c.m, c.m.n_div, 1));
	c.m.guard = guard = lt__arena_alloc(arena, row_bytes(&c.m, c.m.n_guard, 0));
	c.m.row = row = lt__arena_alloc(arena, row_bytes(&c.m, c.m.n_row, 0));
	for (int32_t i = 0; i < outer->n_div; i++, div += 1 + width) {
		div[0] = outer->div[(int64_t)i * (1 + outer_width)];
		add_outer(&c, div + 1, outer->div + (int64_t)i * (1 + outer_width) + 1, 1);
	}
	for (int32_t i = 0; i < inner->n_div; i++, div += 1 + width) {
		div[0] = inner->div[(int64_t)i * (1 + inner_width)];
		add_inner(&c, div + 1, inner->div + (int64_t)i * (1 + inner_width) + 1, inner->n_div);
	}
	for (int32_t i = 0; i < outer->n_guard; i++, guard += width)
		add_outer(&c, guard, outer->guard + (int64_t)i * outer_width, 1);
	for (int32_t i = 0; i < inner->n_guard; i++, guard += width)
		add_inner(&c, guard, inner->guard + (int64_t)i * inner_width, inner->n_div);
	for (int32_t i = 0; i < inner->n_row; i++, row += width)
		add_inner(&c, row, inner->row + (int64_t)i * inner_width, inner->n_div);
	if (c.overflow)
		return lt_fail(ctx, LT_EOVERFLOW, "the composed index of two views exceeds 63 bits");
	*out = c.m;
	return LT_OK;
}

struct lt_map lt__map_copy(struct lt_arena *arena, const struct lt_map *m)
{
	struct lt_map to = *m;

	to.param = lt__arena_copy(arena, m->param, sizeof *m->param * (size_t)m->n_param);
	to.div = lt__arena_copy(arena, m->div, row_bytes(m, m->n_div, 1));
	to.guard = lt__arena_copy(arena, m->guard, row_bytes(m, m->n_guard, 0));
	to.row = lt__arena_copy(arena, m->row, row_bytes(m, m->n_row, 0));
	return to;
}

static bool same_bytes(const void *a, const void *b, size_t bytes)
{
	return !bytes || !memcmp(a, b, bytes);
}

bool lt__map_equal(const struct lt_map *a, const struct lt_map *b)
{
	return a->n_param == b->n_param && a->n_dim == b->n_dim && a->n_div == b->n_div
		&& a->n_guard == b->n_guard && a->n_row == b->n_row
		&& same_bytes(a->param, b->param, sizeof *a->param * (size_t)a->n_param)
		&& same_bytes(a->div, b->div, row_bytes(a, a->n_div, 1))
		&& same_bytes(a->guard, b->guard, row_bytes(a, a->n_guard, 0))
		&& same_bytes(a->row, b->row, row_bytes(a, a->n_row, 0));
}
