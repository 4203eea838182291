/* Writing through a view: a result that only re-indexes what leaves write needs no copy, its sources are slices of it.
 *
 * That holds where the pieces' inverse is a plain layout: each source dim runs along one result dim from a constant on
 * (permute, slice, concatenation), or source and result have the same order in memory (reshape), and the
 * sources fill the result exactly.  A dim that a run-time scalar bounds is one dim of each source, with the same bound:
 * then that holds at every index along it.
 */
#include <stdlib.h>
#include "looptree/freeze/freeze.h"

struct box { int64_t *low, *size; };

static int32_t count_bounded(const struct lt_graph *g, const struct lt_nodedef *d)
{
	int32_t n = 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		n += g->var[d->dim[i]].bounded;
	return n;
}

/* Whether row i of the map is dim c, and no other row or floor has that dim. */
static bool is_alone(const struct lt_map *m, int32_t i, int32_t c)
{
	const int32_t width = lt__map_width(m), at = 1 + m->n_param + c;
	for (int32_t k = 0; k < width; k++)
		if (m->row[(int64_t)i * width + k] != (k == at))
			return false;
	for (int32_t k = 0; k < m->n_row; k++)
		if (k != i && m->row[(int64_t)k * width + at])
			return false;
	for (int32_t k = 0; k < m->n_div; k++)
		if (m->div[(int64_t)k * (width + 1) + 1 + at])
			return false;
	return true;
}

/* Each dim of the view that a run-time scalar bounds is one of the source, as long, and the source has no others. */
static bool keeps_bounds(const struct lt_graph *g, const struct lt_nodedef *view, const struct lt_nodedef *x,
	const struct lt_map *m)
{
	int32_t n_same = 0;
	for (int32_t c = 0; c < view->n_dim; c++) {
		const struct lt_vardef *v = &g->var[view->dim[c]];
		for (int32_t i = 0; v->bounded && i < x->n_dim; i++) {
			const struct lt_vardef *u = &g->var[x->dim[i]];
			n_same += u->bounded && u->extent == v->extent && lt__linear_equal(&u->limit, &v->limit) && is_alone(m, i, c);
		}
	}
	return n_same == count_bounded(g, view) && n_same == count_bounded(g, x);
}

/* The same order in memory: the source's flat index at the map's rows is the result's flat index, term by term. */
static bool same_order(const struct lt_graph *g, const struct lt_nodedef *view, lt_node source, const struct lt_map *m,
	int64_t *stride)
{
	const struct lt_nodedef *x = &g->node[source];
	int32_t width = lt__map_width(m);
	for (int32_t c = 0; c < width; c++) {
		int64_t sum = 0, unit = 1, want = 0, term;
		for (int32_t i = x->n_dim - 1; i >= 0; i--) {
			if (lt__mul_overflow(unit, m->row[(int64_t)i * width + c], &term) || lt__add_overflow(sum, term, &sum))
				return false;
			unit *= g->var[x->dim[i]].extent;
		}
		if (c > m->n_param && c <= m->n_param + m->n_dim) {
			want = 1;
			for (int32_t i = view->n_dim - 1; i > c - 1 - m->n_param; i--)
				want *= g->var[view->dim[i]].extent;
			if (g->var[view->dim[c - 1 - m->n_param]].extent == 1)
				want = sum;
		}
		if (sum != want)
			return false;
	}
	lt__dense_strides(g, source, stride);
	return true;
}

/* Each source dim along one result dim: fills the slice's box and the source's strides. */
static bool slice_of(const struct lt_graph *g, const struct lt_nodedef *view, const struct lt_nodedef *x,
	const struct lt_map *m, const int64_t *out_stride, struct lt_location *location, struct box *box)
{
	int32_t width = lt__map_width(m);
	if (m->n_div > 0 || m->n_param > 0)
		return false;
	for (int32_t i = 0; i < view->n_dim; i++)
		box->low[i] = box->size[i] = 0;
	for (int32_t i = 0; i < x->n_dim; i++) {
		const int64_t *row = m->row + (int64_t)i * width;
		int32_t along = -1;
		for (int32_t c = 0; c < m->n_dim; c++) {
			if (row[1 + c] == 0)
				continue;
			if (row[1 + c] != 1 || along >= 0 || box->size[c])
				return false;
			along = c;
		}
		if (along < 0 && (g->var[x->dim[i]].extent != 1 || row[0] != 0))
			return false;
		location->stride[i] = along < 0 ? 0 : out_stride[along];
		if (along < 0)
			continue;
		box->low[along] = -row[0];
		box->size[along] = g->var[x->dim[i]].extent;
		if (box->low[along] < 0 || box->low[along] + box->size[along] > g->var[view->dim[along]].extent)
			return false;
		location->offset += out_stride[along] * box->low[along];
	}
	for (int32_t c = 0; c < view->n_dim; c++)
		if (!box->size[c]) {
			if (g->var[view->dim[c]].extent != 1)
				return false;
			box->size[c] = 1;
		}
	return true;
}

/* The boxes where the pieces are shown are those of their sources, element by element. */
static bool fill_exactly(
	const struct lt_graph *g, struct lt_arena *a, const struct lt_nodedef *view, const struct box *box)
{
	const struct lt_map **map = LT_NEW(a, const struct lt_map *, view->n_piece + 1);
	int64_t *extent = LT_NEW(a, int64_t, view->n_dim + 1), *left = LT_NEW(a, int64_t, view->n_piece + 1);
	struct lt_cells cells;
	for (int32_t i = 0; i < view->n_dim; i++)
		extent[i] = g->var[view->dim[i]].extent;
	for (int32_t p = 0; p < view->n_piece; p++) {
		map[p] = &view->piece[p].map;
		left[p] = lt__node_elems(g, view->operand[p]);
	}
	if (!lt__cells_cut(a, view->n_dim, extent, view->n_piece, map, &cells))
		return false;
	for (int32_t i = 0; i < cells.n; i++) {
		const struct lt_cell *c = &cells.at[i];
		int64_t elems = 1;
		if (c->piece == view->n_piece)
			return false;
		for (int32_t k = 0; k < view->n_dim; k++) {
			if (c->low[k] < box[c->piece].low[k] || c->high[k] > box[c->piece].low[k] + box[c->piece].size[k])
				return false;
			elems *= c->high[k] - c->low[k];
		}
		left[c->piece] -= elems;
	}
	for (int32_t p = 0; p < view->n_piece; p++)
		if (left[p])
			return false;
	return true;
}

static int by_result_node(const void *a, const void *b)
{
	return (*(const lt_node *)a > *(const lt_node *)b) - (*(const lt_node *)a < *(const lt_node *)b);
}

/* Each piece has a source of its own, which a leaf writes whole and nobody else has a place for. */
static bool has_own_sources(const struct lt_graph *g, struct lt_arena *a, const struct lt_nodedef *view)
{
	for (int32_t p = 0; p < view->n_piece; p++) {
		const struct lt_nodedef *x = &g->node[view->operand[p]];
		if (view->piece[p].source != p || !lt__has_leaf(g, view->operand[p]) || x->op == LT_OP_update
			|| !keeps_bounds(g, view, x, &view->piece[p].map))
			return false;
	}
	lt_node *sorted = lt__arena_copy(a, view->operand, sizeof *sorted * (size_t)view->n_operand);
	qsort(sorted, (size_t)view->n_operand, sizeof *sorted, by_result_node);
	for (int32_t p = 1; p < view->n_operand; p++)
		if (sorted[p] == sorted[p - 1])
			return false;
	return true;
}

bool lt__alias_result(const struct lt_graph *g, struct lt_arena *a, lt_node n, struct lt_location *location)
{
	const struct lt_nodedef *view = &g->node[n];
	if (view->n_piece != view->n_operand || !has_own_sources(g, a, view))
		return false;
	int64_t *stride = LT_NEW(a, int64_t, view->n_dim + 1);
	struct box *box = LT_NEW(a, struct box, view->n_piece + 1);
	lt__dense_strides(g, n, stride);
	for (int32_t p = 0; p < view->n_piece; p++) {
		const struct lt_graphpiece *piece = &view->piece[p];
		const struct lt_nodedef *x = &g->node[view->operand[p]];
		location[p] = (struct lt_location){ .stride = LT_NEW(a, int64_t, x->n_dim + 1) };
		box[p] = (struct box){ LT_NEW(a, int64_t, view->n_dim + 1), LT_NEW(a, int64_t, view->n_dim + 1) };
		if (view->n_piece == 1 && piece->map.n_guard == 0 && lt__node_elems(g, view->operand[p]) == lt__node_elems(g, n)
		    && same_order(g, view, view->operand[p], &piece->map, location[p].stride))
			return true;
		if (!slice_of(g, view, x, &piece->map, stride, &location[p], &box[p]))
			return false;
	}
	return fill_exactly(g, a, view, box);
}
