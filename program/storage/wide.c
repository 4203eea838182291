/* Views that are copied before other views read them: together their indices would exceed what a row may be.
 *
 * Views are read through: the rows of one are put into those of the next.  Where that does not fit 62 bits, be it only
 * where guards do not hold, the pass that composes views leaves them apart; here the inner one gets a copy, which is
 * read at indices of its own.  How large an index can become is known from the reader on, so the graph is walked
 * backwards.
 */
#include "ir/map/map.h"
#include "program/storage/storage.h"

#define MAX_COEF (LT_ROW_MAX / 4)          /* what simplifying makes of a row may be larger than it was */

struct wide {
	const struct lt_graph *g;
	struct lt_arena *a;
	/* by node: how large an index along each dim becomes in the views that read it; NULL: in none */
	int64_t **index;
	bool *copied;
};

static int64_t size_of(int64_t x) { return x == INT64_MIN ? INT64_MAX : x < 0 ? -x : x; }

/* sum += |factor| * size; false: it is too large. */
static bool wide_add(int64_t *sum, int64_t factor, int64_t size)
{
	int64_t term;
	return !lt__mul_overflow(size_of(factor), size, &term) && !lt__add_overflow(*sum, term, sum) && *sum <= MAX_COEF;
}

static bool weigh_row(const int64_t *row, int32_t n, const int64_t *size, int64_t *out)
{
	bool fits = true;
	*out = 0;
	for (int32_t i = 0; i < n && fits; i++)
		fits = !row[i] || wide_add(out, row[i], size[i]);
	return fits;
}

/* How large the piece's indices become where those of the view are as large as `index`; false: too large. */
static bool weigh(const struct wide *w, const struct lt_nodedef *n, const struct lt_graphpiece *p, const int64_t *index,
	int64_t *out)
{
	const struct lt_map *m = &p->map;
	int32_t width = lt__map_width(m), base = width - m->n_div;
	int64_t *size = LT_NEW(w->a, int64_t, width), flat = 0, unit = 8, weight;
	size[0] = 1;
	for (int32_t i = 0; i < m->n_param; i++) {
		const struct lt_paramdef *d = &w->g->param[m->param[i]];
		size[1 + i] = size_of(d->low) > size_of(d->high) ? size_of(d->low) : d->high ? size_of(d->high) : 1;
	}
	for (int32_t i = 0; i < m->n_dim; i++)
		size[1 + m->n_param + i] = index[i];
	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *div = m->div + (int64_t)k * (1 + width);
		if (!weigh_row(div + 1, base + k, size, &weight))
			return false;
		size[base + k] = weight / div[0] + 1;
	}
	for (int32_t i = 0; i < m->n_guard; i++)
		if (!weigh_row(m->guard + (int64_t)i * width, width, size, &weight))
			return false;
	for (int32_t r = m->n_row - 1; r >= 0; r--) {
		if (!weigh_row(m->row + (int64_t)r * width, width, size, &out[r]) || !wide_add(&flat, unit, out[r]))
			return false;
		if (r > 0 && lt__mul_overflow(unit, w->g->var[w->g->node[n->operand[p->source]].dim[r]].extent, &unit))
			return false;
	}
	return true;
}

/* Tells the views that n reads how large their indices become; false: too large.  index: those of n. */
static bool wide_report(struct wide *w, const struct lt_nodedef *n, const int64_t *index)
{
	int64_t out[LT_MAX_RANK];
	for (int32_t i = 0; i < n->n_piece; i++) {
		const struct lt_graphpiece *p = &n->piece[i];
		lt_node x = p->source < 0 ? -1 : n->operand[p->source];
		if (!weigh(w, n, p, index, out))
			return false;
		if (x < 0 || w->g->node[x].op != LT_OP_view)
			continue;
		if (!w->index[x])
			w->index[x] = LT_NEW(w->a, int64_t, p->map.n_row + 1);
		for (int32_t r = 0; r < p->map.n_row; r++)
			w->index[x][r] = w->index[x][r] > out[r] ? w->index[x][r] : out[r];
	}
	return true;
}

bool *lt__wide_views(const struct lt_graph *g, struct lt_arena *a)
{
	struct wide w = {
		.g = g, .a = a, .index = LT_NEW(a, int64_t *, g->n_node + 1), .copied = LT_NEW(a, bool, g->n_node + 1)
	};
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const struct lt_nodedef *n = &g->node[x];
		int64_t own[LT_MAX_RANK], all[LT_MAX_RANK];
		if (n->op != LT_OP_view)
			continue;
		for (int32_t d = 0; d < n->n_dim; d++) {
			own[d] = g->var[n->dim[d]].extent;
			all[d] = w.index[x] && w.index[x][d] > own[d] ? w.index[x][d] : own[d];
		}
		if (wide_report(&w, n, all))
			continue;
		w.copied[x] = w.index[x] != NULL;
		if (wide_report(&w, n, own))
			continue;
		for (int32_t i = 0; i < n->n_operand; i++)      /* nearly too large by itself */
			w.copied[n->operand[i]] |= g->node[n->operand[i]].op == LT_OP_view;
	}
	return w.copied;
}
