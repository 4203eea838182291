/* tools/check_reduce_dims.c -- steps of the reducer: smaller extents, and dims of extent 1 that go. */
#include <string.h>
#include "tools/check_reduce.h"

/* The greatest value of a row over the dims and scalars, whatever the guards say; false: not found out. */
static bool greatest(const struct lt_graph *g, const struct lt_nodedef *view, const struct lt_map *m, const int64_t *row, int64_t *out)
{
	*out = row[0];
	for (int32_t c = 1; c < lt__map_width(m); c++) {
		int64_t low = 0, high, more;
		if (!row[c])
			continue;
		if (c <= m->n_param) {
			low = g->param[m->param[c - 1]].low;
			high = g->param[m->param[c - 1]].high;
		} else if (c <= m->n_param + m->n_dim) {
			high = g->var[view->dim[c - 1 - m->n_param]].extent - 1;
		} else {
			return false;
		}
		if (__builtin_mul_overflow(row[c], row[c] > 0 ? high : low, &more) || __builtin_add_overflow(*out, more, out))
			return false;
	}
	return true;
}

/* Index row i of a piece stays below the extent: by the guard that says so already, or by a new one. */
static void hold_below(struct lt_graph *g, struct lt_nodedef *view, struct lt_graphpiece *p, int32_t i, int64_t extent)
{
	struct lt_map *m = &p->map;
	int32_t width = lt__map_width(m);
	const int64_t *row = m->row + (int64_t)i * width;
	int64_t most, *guard = LT_NEW(g->arena, int64_t, (int64_t)(m->n_guard + 1) * width);
	for (int64_t c = 0; c < (int64_t)m->n_guard * width; c++)
		guard[c] = m->guard[c];
	m->guard = guard;
	for (int32_t k = 0; k < m->n_guard; k++, guard += width) {
		int32_t c = 1;
		while (c < width && guard[c] == -row[c])
			c++;
		if (c == width && (width == 1 || memcmp(guard + 1, row + 1, (size_t)(width - 1) * sizeof *row))) {
			guard[0] = guard[0] + row[0] < extent ? guard[0] : extent - 1 - row[0];
			return;
		}
	}
	if (greatest(g, view, m, row, &most) && most < extent)
		return;
	for (int32_t c = 1; c < width; c++)
		guard[c] = -row[c];
	guard[0] = extent - 1 - row[0];
	m->n_guard++;
	view->bits = view->has_fill ? view->bits : 0;
	view->has_fill = true;
}

static void shrink(struct lt_graph *g, lt_var v, int64_t extent)
{
	g->var[v].extent = extent;
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];
		for (int32_t i = 0; i < n->n_piece; i++) {
			struct lt_graphpiece *p = &n->piece[i];
			const struct lt_nodedef *from = p->source < 0 ? NULL : &g->node[n->operand[p->source]];
			for (int32_t d = 0; from && d < from->n_dim; d++)
				if (from->dim[d] == v)
					hold_below(g, n, p, d, extent);
		}
	}
}

enum reduce_made lt__reduce_shrink(struct lt_graph *g, int64_t k)
{
	static const int64_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 16 };
	enum { N = sizeof sizes / sizeof *sizes };
	int64_t v = k / (N + 2), i = k % (N + 2);
	if (v >= g->n_var)
		return REDUCE_NONE;
	int64_t now = g->var[v].extent, size = i < N ? sizes[i] : i == N ? now / 2 : now - 1;
	if (size < 1 || size >= now)
		return REDUCE_NOT;
	shrink(g, (lt_var)v, size);
	return REDUCE_MADE;
}

static int32_t axis_of(const struct lt_nodedef *n, lt_var v)
{
	for (int32_t i = 0; i < n->n_dim; i++)
		if (n->dim[i] == v)
			return i;
	return -1;
}

/* Whether x can do without the dim; its maps and attributes do already. */
static bool drop_from(struct lt_graph *g, struct lt_nodedef *n, lt_var v)
{
	int32_t axis = axis_of(n, v);
	if (n->op == LT_OP_index && axis >= 0)
		return false;
	if (n->op == LT_OP_gather) {
		int32_t of = axis_of(&g->node[n->operand[0]], v);
		n->axis -= of >= 0 && of < n->axis;
		return of < 0 || g->node[n->operand[0]].dim[n->axis] != v;
	}
	if (n->op == LT_OP_update && axis >= 0) {
		if (n->at[axis] >= 0)
			return false;
		memmove(n->at + axis, n->at + axis + 1, sizeof *n->at * (size_t)(n->n_dim - axis - 1));
		memmove(n->offset + axis, n->offset + axis + 1, sizeof *n->offset * (size_t)(n->n_dim - axis - 1));
	}
	for (int32_t i = 0; i < n->n_piece; i++) {
		struct lt_graphpiece *p = &n->piece[i];
		int32_t row = p->source < 0 ? -1 : axis_of(&g->node[n->operand[p->source]], v);
		if (row >= 0)
			lt__reduce_drop_row(g, &p->map, row);
		if (axis >= 0)
			lt__reduce_drop_column(g, &p->map, 1 + p->map.n_param + axis);
	}
	return true;
}

enum reduce_made lt__reduce_drop_dim(struct lt_graph *g, int64_t k)
{
	if (k >= g->n_var)
		return REDUCE_NONE;
	lt_var v = (lt_var)k;
	if (g->var[v].extent != 1 || g->var[v].bounded)
		return REDUCE_NOT;
	for (lt_node x = 0; x < g->n_node; x++)
		if (!drop_from(g, &g->node[x], v))
			return REDUCE_NOT;
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];
		lt_var *dim = lt__arena_copy(g->arena, n->dim, sizeof *dim * (size_t)n->n_dim);
		int32_t axis = axis_of(n, v);
		if (axis >= 0) {
			memmove(dim + axis, dim + axis + 1, sizeof *dim * (size_t)(n->n_dim - axis - 1));
			n->dim = dim;
			n->n_dim--;
		}
		if (n->reduce && g->node[n->operand[0]].n_dim == n->n_dim) {    /* a reduction over nothing */
			n->op = LT_OP_copy;
			n->reduce = false;
		}
	}
	return REDUCE_MADE;
}
