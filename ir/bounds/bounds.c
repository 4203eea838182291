/* bounds.c -- whether what a node reads or replaces lies within its source: by intervals, by guards, by what is
 * required; then by isl. */
#include <string.h>
#include "ir/bounds/parts.h"

/* -- the box in which a piece is shown -- */

/* The one dim that a guard is about, -1: none or several, or other columns count. */
static int32_t guard_dim(const struct lt_map *m, const int64_t *guard, bool *constant)
{
	int32_t found = -1;

	*constant = true;
	for (int32_t c = 1; c < lt__map_width(m); c++) {
		if (!guard[c])
			continue;
		if (!*constant || c <= m->n_param || c > m->n_param + m->n_dim) {
			*constant = false;
			return -1;
		}
		found = c - 1 - m->n_param;
		*constant = false;
	}
	return found;
}

/* Cuts the box to where coef*dim + constant >= 0. */
static void bounds_cut(struct lt_left *b, int32_t dim, int64_t coef, int64_t constant)
{
	int64_t end = coef > 0 ? -lt__floor_div(constant, coef) : lt__floor_div(constant, -coef);       /* 62 bits each */

	if (coef > 0 && b->low[dim] < end)
		b->low[dim] = end;
	if (coef < 0 && b->high[dim] > end)
		b->high[dim] = end;
	b->empty |= b->low[dim] > b->high[dim];
}

/* Whether the guard holds in all of the box already. */
static bool holds(const struct lt_left *b, int32_t dim, int64_t coef, int64_t constant)
{
	struct lt_left now = *b;

	bounds_cut(&now, dim, coef, constant);
	return now.low[dim] == b->low[dim] && now.high[dim] == b->high[dim];
}

/* The box of the piece; then what it leaves to those after it. */
static void find_box(struct lt_bounds *b)
{
	const struct lt_map *m = b->map;
	int32_t width = lt__map_width(m), n_open = 0, last = -1;
	bool open = false;

	b->box = b->left;
	for (int32_t i = 0; i < m->n_guard; i++) {
		const int64_t *guard = m->guard + (int64_t)i * width;
		bool constant;
		int32_t dim = guard_dim(m, guard, &constant);

		if (constant) {
			b->box.empty |= guard[0] < 0;
		} else if (dim < 0) {
			open = b->box.more = true;
		} else if (!holds(&b->left, dim, guard[1 + m->n_param + dim], guard[0])) {
			bounds_cut(&b->box, dim, guard[1 + m->n_param + dim], guard[0]);
			n_open++;
			last = i;
		}
	}
	if (b->box.empty)
		return;
	if (!open && n_open == 1) {     /* where its one guard does not hold */
		const int64_t *guard = m->guard + (int64_t)last * width;
		bool constant;
		int32_t dim = guard_dim(m, guard, &constant);

		bounds_cut(&b->left, dim, -guard[1 + m->n_param + dim], -guard[0] - 1);
	} else if (open || n_open) {
		b->left.more = true;
	} else {
		b->left.empty = true;
	}
}

/* -- what follows without isl -- */

/* The columns of a map with floors within the box; where there are very many floors, by plain intervals and within the
 * extents. */
static lt_status open_floors(struct lt_bounds *b)
{
	const struct lt_map *m = b->map;
	int32_t width = lt__map_width(m), base = width - m->n_div;
	size_t n = m->n_div <= LT_BOUND_DIVS ? lt__quasi_numbers(base, m->n_div) : 2 * (size_t)width;
	int64_t extent[LT_MAX_RANK];

	if (!m->n_div)
		return LT_OK;
	b->bytes = n * sizeof *b->numbers;
	b->numbers = b->bytes <= sizeof b->own ? b->own : lt__context_realloc(b->g->ctx, NULL, 0, b->bytes);
	if (!b->numbers)
		return lt_fail(b->g->ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", b->bytes);
	if (m->n_div > LT_BOUND_DIVS) {
		for (int32_t d = 0; d < m->n_dim; d++)
			extent[d] = b->g->var[b->n->dim[d]].extent;
		b->plain = lt__map_columns(b->g, extent, m, b->numbers, b->numbers + width, NULL);
		return LT_OK;
	}
	b->has_q = true;
	lt__quasi_init(&b->q, base, m->n_div, b->numbers);
	for (int32_t i = 0; i < m->n_param; i++) {
		b->q.low[1 + i] = b->g->param[m->param[i]].low;
		b->q.high[1 + i] = b->g->param[m->param[i]].high;
	}
	for (int32_t i = 0; i < m->n_dim; i++) {
		b->q.low[1 + m->n_param + i] = b->box.low[i];
		b->q.high[1 + m->n_param + i] = b->box.high[i];
	}
	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *div = m->div + (int64_t)k * (1 + width);

		memcpy(b->q.num + (size_t)k * (size_t)width, div + 1, (size_t)width * sizeof *div);
		b->q.den[k] = div[0];
		b->has_q &= lt__quasi_range(&b->q, div + 1, &b->q.low[base + k], &b->q.high[base + k]);
		b->q.low[base + k] = lt__floor_div(b->q.low[base + k], div[0]);
		b->q.high[base + k] = lt__floor_div(b->q.high[base + k], div[0]);
		b->q.n_div = k + 1;
	}
	return LT_OK;
}

static void close_floors(struct lt_bounds *b)
{
	if (b->numbers && b->numbers != b->own)
		lt__context_realloc(b->g->ctx, b->numbers, b->bytes, 0);
	b->numbers = NULL;
	b->has_q = b->plain = false;
}

static bool has_floors(const struct lt_map *m, const int64_t *row)
{
	for (int32_t k = 0; k < m->n_div; k++)
		if (row[lt__map_width(m) - m->n_div + k])
			return true;
	return false;
}

/* What the condition is at the worst dims of the box, as a sum over params; false: it has floors, or is too large.
 * limits: a bounded dim ends with the run's extent, else with its greatest. */
static bool worst(const struct lt_bounds *b, const struct lt_condition *c, bool limits, struct lt_form *f)
{
	const struct lt_map *m = b->map;
	const int64_t *dim = c->row + 1 + m->n_param;
	bool fits = true;

	lt__form_begin(f);
	if (has_floors(m, c->row) || !lt__form_linear(f, &c->sum, 0, 1))
		return false;
	fits = lt__form_linear(f, &(struct lt_linear){ .constant = c->row[0] }, 0, c->times);
	for (int32_t i = 0; i < m->n_param && fits; i++)
		fits = !c->row[1 + i] || lt__form_add(f, m->param[i], c->times * c->row[1 + i]);
	for (int32_t d = 0; d < m->n_dim && fits; d++) {
		const struct lt_vardef *v = &b->g->var[b->n->dim[d]];
		int64_t coef = c->times * dim[d];

		if (!coef)
			continue;
		if (coef < 0 && v->bounded && limits && b->box.high[d] == v->extent - 1)
			fits = lt__form_linear(f, &v->limit, -1, coef);
		else
			fits = lt__form_linear(f, &(struct lt_linear){ .constant = coef < 0 ? b->box.high[d] : b->box.low[d] }, 0, coef);
	}
	return fits;
}

/* The condition by intervals alone. */
static bool holds_by_intervals(const struct lt_bounds *b, const struct lt_condition *c)
{
	int64_t low, high, remainder = lt__linear_min(b->g, &c->sum);
	struct lt_form f;

	if ((worst(b, c, false, &f) && lt__require_implies(b->g, &f.sum))
		|| (worst(b, c, true, &f) && lt__require_implies(b->g, &f.sum)))
		return true;
	if (remainder == INT64_MIN || (!b->plain && (!b->has_q || !lt__quasi_range(&b->q, c->row, &low, &high))))
		return false;
	if (b->plain)
		lt__row_values(c->row, lt__map_width(b->map), b->numbers, b->numbers + lt__map_width(b->map), &low, &high);
	return c->times > 0 ? !lt__add_overflow(low, remainder, &low) && low >= 0 : remainder >= high;
}

/* Whether the condition less one guard, which holds, is never negative: windows, and pads that shift. */
static bool holds_by_guard(const struct lt_bounds *b, const struct lt_condition *c)
{
	const struct lt_map *m = b->map;
	int32_t width = lt__map_width(m);
	int64_t row[LT_MAX_RANK * 2 + LT_BOUND_DIVS + 1];

	if (b->plain || width > (int32_t)(sizeof row / sizeof *row))
		return false;
	for (int32_t i = 0; i < m->n_guard; i++) {
		const int64_t *guard = m->guard + (int64_t)i * width;

		for (int32_t k = 0; k < width; k++)
			row[k] = c->row[k] - c->times * guard[k];       /* 63 bits */
		if (holds_by_intervals(b, &(struct lt_condition){ row, c->times, c->sum }))
			return true;
	}
	return false;
}

/* Whether the box is exactly where the piece is shown, and never empty. */
static bool box_is_all(const struct lt_bounds *b)
{
	if (b->box.more)
		return false;
	for (int32_t d = 0; d < b->n->n_dim; d++) {
		const struct lt_vardef *v = &b->g->var[b->n->dim[d]];

		if (v->bounded && (b->box.low[d] != 0 || b->box.high[d] != v->extent - 1 || lt__linear_min(b->g, &v->limit) < 1))
			return false;
	}
	return true;
}

/* -- views -- */

/* No value of a param keeps the worst corner of the box inside: reported with the smallest ones. */
static lt_status outside_box(const struct lt_bounds *b, int32_t row, bool past_end)
{
	const struct lt_map *m = b->map;
	const int64_t *at = m->row + (int64_t)row * lt__map_width(m) + 1 + m->n_param;
	int64_t param[LT_MAX_RANK], dim[LT_MAX_RANK];

	if (m->n_param > LT_MAX_RANK)
		return lt__bounds_open(b, row, false);
	for (int32_t i = 0; i < m->n_param; i++)
		param[i] = b->g->param[m->param[i]].low;
	for (int32_t d = 0; d < m->n_dim; d++) {
		const struct lt_vardef *v = &b->g->var[b->n->dim[d]];
		int64_t extent = v->limit.constant;

		dim[d] = (at[d] > 0) == past_end ? b->box.high[d] : b->box.low[d];
		for (int32_t i = 0; v->bounded && i < v->limit.n; i++)  /* fits: a limit does */
			extent += v->limit.coef[i] * b->g->param[v->limit.param[i]].low;
		if (v->bounded && dim[d] > extent - 1)
			dim[d] = extent - 1;
	}
	return lt__bounds_outside(b, row, param, dim, past_end);
}

static lt_status check_side(const struct lt_bounds *b, int32_t row, bool past_end)
{
	const struct lt_vardef *v = &b->g->var[lt__bounds_axis(b, row)];
	struct lt_condition c = { .row = b->map->row + (int64_t)row * lt__map_width(b->map), .times = past_end ? -1 : 1 };
	struct lt_form f;

	if (past_end) {
		c.sum = v->bounded ? v->limit : (struct lt_linear){ .constant = v->extent };
		c.sum.constant--;
	}
	if (holds_by_intervals(b, &c) || holds_by_guard(b, &c))
		return LT_OK;
	if (!box_is_all(b) || !worst(b, &c, true, &f))
		return lt__bounds_ask(b, row, past_end);
	if (lt__linear_max(b->g, &f.sum) < 0)
		return outside_box(b, row, past_end);
	return lt__bounds_require_row(b, row, past_end, &f.sum);
}

static lt_status check_rows(struct lt_bounds *b)
{
	lt_status status = open_floors(b);

	for (int32_t r = 0; r < b->map->n_row && !status; r++) {
		status = check_side(b, r, false);
		if (!status)
			status = check_side(b, r, true);
	}
	close_floors(b);
	return status;
}

static lt_status check_view(struct lt_bounds *b)
{
	for (int32_t d = 0; d < b->n->n_dim; d++)
		b->left.high[d] = b->g->var[b->n->dim[d]].extent - 1;
	for (b->piece = 0; b->piece < b->n->n_piece && !b->left.empty; b->piece++) {
		b->map = &b->n->piece[b->piece].map;
		find_box(b);
		if (!b->box.empty && b->n->piece[b->piece].source >= 0)
			LT_TRY(check_rows(b));
	}
	return LT_OK;
}

lt_status lt__bounds_check(const struct lt_graph *g, lt_node x, struct lt_graph *add)
{
	struct lt_bounds b;

	if (g->node[x].op != LT_OP_view && g->node[x].op != LT_OP_update)
		return LT_OK;
	memset(&b, 0, offsetof(struct lt_bounds, own));
	b.g = g;
	b.add = add;
	b.x = x;
	b.n = &g->node[x];
	if (b.n->op == LT_OP_view && !b.n->reduce)
		return check_view(&b);
	for (int32_t i = 0; b.n->op == LT_OP_update && i < b.n->n_dim; i++) {
		LT_TRY(lt__bounds_block(&b, i, false));
		LT_TRY(lt__bounds_block(&b, i, true));
	}
	return LT_OK;
}
