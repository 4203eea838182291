/* pick.c -- a map with some of its rows over other dims: what an operand of a moved view is read through. */
#include <string.h>
#include "ir/pass/work.h"
#include "ir/map/map.h"

/* The chosen rows over the old columns, and which params and floors they and the guards need, in the order of the
 * text. */
struct picked { struct lt_map map; int32_t *param, *div, n_param, n_div; };

static struct picked pick(struct lt_arena *a, const struct lt_map *m, int32_t n_row, const int32_t *row)
{
	size_t width = (size_t)lt__map_width(m);
	int64_t *rows = LT_NEW(a, int64_t, (size_t)n_row * width);
	int32_t *numbers = LT_NEW(a, int32_t, 2 * (size_t)m->n_param + 4 * (size_t)m->n_div);
	struct picked p = { .map = *m, .param = numbers, .div = numbers + m->n_param };

	for (int32_t r = 0; r < n_row; r++)
		if (row[r] >= 0)
			memcpy(rows + (size_t)r * width, m->row + (size_t)row[r] * width, width * sizeof *rows);
	p.map.row = rows;
	p.map.n_row = n_row;
	lt__map_appearance(&p.map, p.param, &p.n_param, p.div, &p.n_div, p.div + m->n_div);
	return p;
}

static void mark_row(const struct lt_map *m, const int64_t *row, bool *used)
{
	for (int32_t d = 0; d < m->n_dim; d++)
		used[d] |= row[1 + m->n_param + d] != 0;
}

void lt__work_mark_dims(struct lt_rewrite *w, const struct lt_map *m, int32_t n_row, const int32_t *row, bool *used)
{
	struct picked p = pick(w->arena, m, n_row, row);
	size_t width = (size_t)lt__map_width(m);

	for (int32_t r = 0; r < n_row; r++)
		mark_row(m, p.map.row + (size_t)r * width, used);
	for (int32_t i = 0; i < m->n_guard; i++)
		mark_row(m, m->guard + (size_t)i * width, used);
	for (int32_t k = 0; k < p.n_div; k++)
		mark_row(m, m->div + (size_t)p.div[k] * (width + 1) + 1, used);
}

static void pick_columns(const struct picked *p, const int64_t *from, int32_t n_dim, const int32_t *dim_to, int64_t *to)
{
	const struct lt_map *m = &p->map;

	to[0] = from[0];
	for (int32_t i = 0; i < p->n_param; i++)
		to[1 + i] = from[1 + p->param[i]];
	for (int32_t d = 0; d < m->n_dim; d++)
		if (dim_to[d] >= 0)
			to[1 + p->n_param + dim_to[d]] = from[1 + m->n_param + d];
	for (int32_t k = 0; k < p->n_div; k++)
		to[1 + p->n_param + n_dim + k] = from[1 + m->n_param + m->n_dim + p->div[k]];
}

struct lt_map lt__work_pick(struct lt_arena *a, const struct lt_map *m, int32_t n_row, const int32_t *row,
	int32_t n_dim, const int32_t *dim_to)
{
	struct picked p = pick(a, m, n_row, row);
	struct lt_map made = { .n_param = p.n_param, .n_dim = n_dim, .n_div = p.n_div, .n_guard = m->n_guard, .n_row = n_row };
	size_t width = (size_t)lt__map_width(&made), old = (size_t)lt__map_width(m);
	lt_param *param = LT_NEW(a, lt_param, p.n_param);
	int64_t *div = LT_NEW(a, int64_t, (size_t)p.n_div * (width + 1));
	int64_t *guard = LT_NEW(a, int64_t, (size_t)m->n_guard * width);
	int64_t *rows = LT_NEW(a, int64_t, (size_t)n_row * width);

	for (int32_t i = 0; i < p.n_param; i++)
		param[i] = m->param[p.param[i]];
	for (int32_t k = 0; k < p.n_div; k++) {
		const int64_t *from = m->div + (size_t)p.div[k] * (old + 1);

		div[(size_t)k * (width + 1)] = from[0];
		pick_columns(&p, from + 1, n_dim, dim_to, div + (size_t)k * (width + 1) + 1);
	}
	for (int32_t i = 0; i < m->n_guard; i++)
		pick_columns(&p, m->guard + (size_t)i * old, n_dim, dim_to, guard + (size_t)i * width);
	for (int32_t r = 0; r < n_row; r++) {
		pick_columns(&p, p.map.row + (size_t)r * old, n_dim, dim_to, rows + (size_t)r * width);
		if (row[r] < 0)
			rows[(size_t)r * width + (size_t)(1 + p.n_param + ~row[r])] = 1;
	}
	made.param = param;
	made.div = div;
	made.guard = guard;
	made.row = rows;
	return made;
}
