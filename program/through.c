/* Writing through a view: a result that only re-indexes what leaves write needs no copy, its sources are slices of it.
 *
 * That holds where the pieces' inverse is a plain layout: each source dim runs along one result dim from a constant on
 * (permute, slice, concatenation), or source and result have the same order in memory (reshape), and the
 * sources fill the result exactly.
 */
#include "program/program.h"

enum { MAX_PIECES = 64 };

struct box { int64_t *low, *size; };

static void result_strides(const struct lt_graph *g, const struct lt_nodedef *d, int64_t *stride)
{
	int64_t unit = 1;
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		stride[i] = unit;
		unit *= g->var[d->dim[i]].extent;
	}
}

static bool bounded(const struct lt_graph *g, const struct lt_nodedef *d)
{
	for (int32_t i = 0; i < d->n_dim; i++)
		if (g->var[d->dim[i]].bounded)
			return true;
	return false;
}

/* The same order in memory: the source's flat index at the map's rows is the result's flat index, term by term. */
static bool same_order(const struct lt_graph *g, const struct lt_nodedef *view, const struct lt_nodedef *x, const struct lt_map *m,
	int64_t *stride)
{
	int32_t width = lt__map_width(m);
	for (int32_t c = 0; c < width; c++) {
		int64_t sum = 0, unit = 1, want = 0;
		for (int32_t i = x->n_dim - 1; i >= 0; i--) {
			sum += unit * m->row[(int64_t)i * width + c];
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
	result_strides(g, x, stride);
	return true;
}

/* Each source dim along one result dim: fills the slice's box and the source's strides. */
static bool slice_of(const struct lt_graph *g, const struct lt_nodedef *view, const struct lt_nodedef *x, const struct lt_map *m,
	const int64_t *out_stride, struct lt_place *place, struct box *box)
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
		place->stride[i] = along < 0 ? 0 : out_stride[along];
		if (along < 0)
			continue;
		box->low[along] = -row[0];
		box->size[along] = g->var[x->dim[i]].extent;
		place->offset += out_stride[along] * -row[0];
		if (box->low[along] < 0 || box->low[along] + box->size[along] > g->var[view->dim[along]].extent)
			return false;
	}
	for (int32_t c = 0; c < view->n_dim; c++)
		if (!box->size[c]) {
			if (g->var[view->dim[c]].extent != 1)
				return false;
			box->size[c] = 1;
		}
	return true;
}

/* Least (high false) or greatest value of a guard over a box. */
static int64_t guard_end(const struct lt_map *m, int32_t guard, const struct box *box, bool high)
{
	const int64_t *row = m->guard + (int64_t)guard * lt__map_width(m);
	int64_t end = row[0];
	for (int32_t c = 0; c < m->n_dim; c++)
		end += row[1 + c] * (box->low[c] + ((row[1 + c] > 0) == high ? box->size[c] - 1 : 0));
	return end;
}

/* In its own box a piece's guards hold, and some guard of each earlier piece fails. */
static bool chosen(const struct lt_nodedef *view, int32_t p, const struct box *box)
{
	for (int32_t q = 0; q <= p; q++) {
		const struct lt_map *m = &view->piece[q].map;
		bool fails = false;
		for (int32_t i = 0; i < m->n_guard; i++) {
			if (q == p && guard_end(m, i, box, false) < 0)
				return false;
			fails = fails || guard_end(m, i, box, true) < 0;
		}
		if (q < p && !fails)
			return false;
	}
	return true;
}

static bool disjoint(const struct box *a, const struct box *b, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (a->low[i] + a->size[i] <= b->low[i] || b->low[i] + b->size[i] <= a->low[i])
			return true;
	return false;
}

bool lt__write_through(const struct lt_graph *g, struct lt_arena *a, lt_node n, struct lt_place *place)
{
	const struct lt_nodedef *view = &g->node[n];
	if (view->n_piece > MAX_PIECES || view->n_piece != view->n_operand || bounded(g, view))
		return false;
	int64_t *stride = LT_NEW(a, int64_t, view->n_dim + 1), elems = 0;
	struct box *box = LT_NEW(a, struct box, view->n_piece + 1);
	result_strides(g, view, stride);
	for (int32_t p = 0; p < view->n_piece; p++) {
		const struct lt_graphpiece *piece = &view->piece[p];
		if (piece->source != p || !lt__has_leaf(g, view->operand[p]))
			return false;
		const struct lt_nodedef *x = &g->node[view->operand[p]];
		for (int32_t q = 0; q < p; q++)
			if (view->operand[q] == view->operand[p])
				return false;
		if (x->op == LT_OP_update || bounded(g, x))
			return false;
		place[p] = (struct lt_place){ .stride = LT_NEW(a, int64_t, x->n_dim + 1) };
		box[p] = (struct box){ LT_NEW(a, int64_t, view->n_dim + 1), LT_NEW(a, int64_t, view->n_dim + 1) };
		int64_t own = lt__node_elems(g, view->operand[p]);
		elems += own;
		if (view->n_piece == 1 && piece->map.n_guard == 0 && own == lt__node_elems(g, n) && same_order(g, view, x, &piece->map, place[p].stride))
			return true;
		if (!slice_of(g, view, x, &piece->map, stride, &place[p], &box[p]) || !chosen(view, p, &box[p]))
			return false;
		for (int32_t q = 0; q < p; q++)
			if (!disjoint(&box[q], &box[p], view->n_dim))
				return false;
	}
	return elems == lt__node_elems(g, n);
}
