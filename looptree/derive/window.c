/* Windows: a copy of what a view of a source reads in one iteration of a loop, tile and halo, lower corner first.
 *
 * The view reads row i of its source at a sum of its dims, low(i) + h: low moves with the iterations of the loops
 * around the copy, h runs over the rest.  The copy has a dim for each h and for each loop that moves a corner; outside
 * of the source it holds the view's fill.
 */
#include <string.h>
#include "base/names.h"
#include "ir/node/node.h"
#include "looptree/derive/derive.h"

/* What happens to dim j of the view: range elements in an iteration of the loops that are around the copy; trip: the
 * dim of the copy that says which iteration (step 1: the var itself), -1: no loop moves it. */
struct window_column { int64_t range, step; int32_t trip; };
struct window {
	const struct lt_graph *g;
	struct lt_arena *a;
	const struct lt_nodedef *view, *from;
	const struct lt_map *map;
	struct window_column *column;          /* by dim of the view */
	int32_t *plain;                 /* by dim of the source: the view's dim that it is, -1: a window */
	int32_t n_dim, *at;             /* of the copy; by dim of the source: where its h, or itself, is */
	lt_var *dim;
};

static const int64_t *row_of(const struct window *w, int32_t i)
{
	return w->map->row + (int64_t)i * lt__map_width(w->map);
}

static lt_status window_refuse(const struct window *w, const char *why)
{
	return lt_fail(w->g->ctx, LT_EILLEGAL, "%%%s is not a window of %%%s: %s; stage %%%s itself", w->view->name,
		w->from->name, why, w->view->name);
}

/* Whether guard g says that some row is within the source, and nothing else. */
static bool is_bound(const struct window *w, const int64_t *guard)
{
	int32_t width = lt__map_width(w->map);
	for (int32_t i = 0; i < w->from->n_dim; i++) {
		const int64_t *row = row_of(w, i);
		bool low = true, high = guard[0] == w->g->var[w->from->dim[i]].extent - 1 - row[0];
		for (int32_t c = 0; c < width; c++) {
			low = low && guard[c] == row[c];
			high = high && (c == 0 || guard[c] == -row[c]);
		}
		if (low || high)
			return true;
	}
	return false;
}

static lt_status window_check(const struct window *w)
{
	const struct lt_nodedef *v = w->view;
	if (v->op != LT_OP_view || v->n_operand != 1 || v->n_piece < 1 || v->piece[0].source != 0 || v->n_piece > 2
	    || (v->n_piece == 2 && (v->piece[1].source >= 0 || v->piece[1].map.n_guard > 0)))
		return window_refuse(w, "it reads more than one source, or a part of it");
	if (w->map->n_div > 0 || w->map->n_param > 0)
		return window_refuse(w, "its indices are not plain sums of its dims");
	for (int32_t i = 0; i < w->map->n_guard; i++)
		if (!is_bound(w, w->map->guard + (int64_t)i * lt__map_width(w->map)))
			return window_refuse(w, "it leaves out elements that the source has");
	return LT_OK;
}

static bool is_same_extent(const struct lt_graph *g, lt_var a, lt_var b)
{
	const bool bounded = g->var[a].bounded || g->var[b].bounded;
	return a == b || (!bounded && g->var[a].extent == g->var[b].extent);
}

/* The dim of the view that row i is, all of it and nowhere else; -1. */
static int32_t plain_dim(const struct window *w, int32_t i)
{
	const int64_t *row = row_of(w, i);
	int32_t found = -1;
	for (int32_t j = 0; j < w->view->n_dim; j++) {
		if (!row[1 + j])
			continue;
		if (found >= 0 || row[1 + j] != 1)
			return -1;
		found = j;
	}
	if (found < 0 || row[0] != 0 || !is_same_extent(w->g, w->view->dim[found], w->from->dim[i]))
		return -1;
	for (int32_t k = 0; k < w->from->n_dim; k++)
		if (k != i && row_of(w, k)[1 + found])
			return -1;
	return found;
}

static bool moves(const struct window *w, int32_t j)
{
	for (int32_t i = 0; i < w->from->n_dim; i++)
		if (w->plain[i] < 0 && row_of(w, i)[1 + j])
			return true;
	return false;
}

static lt_status open_window(struct window *w, const struct lt_graph *g, struct lt_arena *a, lt_node view)
{
	*w = (struct window){ .g = g, .a = a, .view = &g->node[view] };
	w->from = w->view->n_operand > 0 ? &g->node[w->view->operand[0]] : w->view;
	w->map = w->view->n_piece > 0 ? &w->view->piece[0].map : NULL;
	LT_TRY(window_check(w));
	w->plain = LT_NEW(a, int32_t, w->from->n_dim + 1);
	w->column = LT_NEW(a, struct window_column, w->view->n_dim + 1);
	for (int32_t i = 0; i < w->from->n_dim; i++) {
		w->plain[i] = plain_dim(w, i);
		if (w->plain[i] < 0 && g->var[w->from->dim[i]].bounded)
			return window_refuse(w, "the source's extent depends on run-time scalars");
	}
	for (int32_t j = 0; j < w->view->n_dim; j++)
		w->column[j] = (struct window_column){ g->var[w->view->dim[j]].extent, 0, -1 };
	return LT_OK;
}

lt_status lt__window_check(const struct lt_graph *g, struct lt_arena *a, lt_node view)
{
	struct window w;
	return open_window(&w, g, a, view);
}

bool lt__window_moves(const struct lt_graph *g, struct lt_arena *a, lt_node view, lt_var v)
{
	struct window w;
	if (open_window(&w, g, a, view))
		return false;
	for (int32_t j = 0; j < w.view->n_dim; j++)
		if (w.view->dim[j] == v)
			return moves(&w, j);
	return false;
}

/* The dims of the copy: iterations of the loops that move it, then its own. */
static lt_status make_dims(struct window *w, struct lt_graph *out, const struct lt_derived_step *s)
{
	w->dim = LT_NEW(w->a, lt_var, w->view->n_dim + w->from->n_dim + 1);
	w->at = LT_NEW(w->a, int32_t, w->from->n_dim + 1);
	for (int32_t k = 0; k < s->n_move; k++) {
		const struct lt_derived_move *m = &s->move[k];
		int32_t j = 0;
		while (j < w->view->n_dim && strcmp(out->var[w->view->dim[j]].name, m->var) != 0)
			j++;
		if (j == w->view->n_dim || !moves(w, j))
			return lt_fail(out->ctx, LT_EILLEGAL, "%s does not move the window of %%%s", m->var, w->view->name);
		lt_var v = w->view->dim[j];
		int64_t extent = out->var[v].extent;
		if (m->step < 1 || m->step >= extent + (extent == 1))
			return lt_fail(out->ctx, LT_EILLEGAL, "a loop over %s in steps of %lld has one iteration, so no window moves",
				m->var, (long long)m->step);
		w->column[j] = (struct window_column){ m->step, m->step, w->n_dim };
		if (m->step > 1) {
			lt_var trip = lt__var_add(out, m->dim, (extent - 1) / m->step + 1, NULL);
			if (trip < 0)
				return lt_context_code(out->ctx);
			if (strcmp(out->var[trip].name, m->dim) != 0)
				return lt_fail(out->ctx, LT_EILLEGAL, "there is a var %s already; choose another name", m->dim);
			out->var[trip].of = v;
			out->var[trip].unit = m->step;
			v = trip;
		}
		w->dim[w->n_dim++] = v;
	}
	for (int32_t i = 0; i < w->from->n_dim; i++) {
		int64_t extent = 1;
		for (int32_t j = 0; w->plain[i] < 0 && j < w->view->n_dim; j++) {
			int64_t c = row_of(w, i)[1 + j], more;
			if (lt__mul_overflow(c < 0 ? -c : c, w->column[j].range - 1, &more) || lt__add_overflow(extent, more, &extent))
				return lt_fail(out->ctx, LT_EOVERFLOW, "the window of %%%s exceeds 63 bits", w->view->name);
		}
		lt_var v = w->plain[i] >= 0 ? w->view->dim[w->plain[i]] : lt__var_like(out, w->from->dim[i], extent, NULL);
		if (v < 0)
			return lt_context_code(out->ctx);
		w->at[i] = w->n_dim;
		w->dim[w->n_dim++] = v;
	}
	return LT_OK;
}

/* Adds low(i) to a row: `trip[j]` is the column of the number of the trip that moves the view's dim j. */
static void add_low(const struct window *w, int32_t i, int64_t *row, const int32_t *trip, int64_t times)
{
	const int64_t *from = row_of(w, i);
	row[0] += times * from[0];
	for (int32_t j = 0; j < w->view->n_dim; j++) {
		const struct window_column *c = &w->column[j];
		if (from[1 + j] < 0)
			row[0] += times * from[1 + j] * (c->range - 1);
		if (c->trip >= 0)
			row[trip[j]] += times * from[1 + j] * c->step;
	}
}

/* What the copy holds at its dims: the source at low + h, and the fill outside. */
static lt_node add_content(const struct window *w, struct lt_graph *out, lt_node from, const char *name)
{
	const struct lt_nodedef *x = w->from;
	int32_t width = 1 + w->n_dim, n_window = 0, *trip = LT_NEW(w->a, int32_t, w->view->n_dim + 1);
	int64_t *row = LT_NEW(w->a, int64_t, (int64_t)width * x->n_dim + 1),
		*guard = LT_NEW(w->a, int64_t, (int64_t)width * 2 * x->n_dim + 1);
	for (int32_t j = 0; j < w->view->n_dim; j++)
		trip[j] = 1 + w->column[j].trip;
	for (int32_t i = 0; i < x->n_dim; i++) {
		int64_t *r = row + (int64_t)i * width;
		r[1 + w->at[i]] = 1;
		if (w->plain[i] >= 0)
			continue;
		add_low(w, i, r, trip, 1);
		int64_t *low = guard + (int64_t)width * 2 * n_window++, *high = low + width;
		high[0] = w->g->var[x->dim[i]].extent - 1;
		for (int32_t c = 0; c < width; c++) {
			low[c] = r[c];
			high[c] -= r[c];
		}
	}
	struct lt_graphpiece piece = {
		.map = { .n_dim = w->n_dim, .n_guard = 2 * n_window, .n_row = x->n_dim, .guard = guard, .row = row }
	};
	struct lt_nodedef view = { .op = LT_OP_view,
		.dtype = x->dtype,
		.n_operand = 1,
		.operand = &from,
		.n_dim = w->n_dim,
		.dim = w->dim,
		.name = name,
		.n_piece = 1,
		.piece = &piece,
		.has_fill = true,
		.line = w->view->line,
		.column = w->view->column,
		.bits = w->view->n_piece == 2 ? w->view->piece[1].bits
			: w->view->has_fill   ? w->view->bits
					      : 0 };
	return lt__graph_add(out, &view);
}

/* The view again, of the copy. */
static lt_node add_reading(const struct window *w, struct lt_graph *out, lt_node copy, const char *name)
{
	int32_t n_dim = w->view->n_dim, n_div = 0, *trip = LT_NEW(w->a, int32_t, n_dim + 1);
	for (int32_t j = 0; j < n_dim; j++)
		trip[j] = w->column[j].trip < 0 ? 0 : w->column[j].step == 1 ? 1 + j : 1 + n_dim + n_div++;
	int32_t width = 1 + n_dim + n_div;
	int64_t *row = LT_NEW(w->a, int64_t, (int64_t)width * w->n_dim + 1),
		*div = LT_NEW(w->a, int64_t, (int64_t)(1 + width) * n_div + 1);
	for (int32_t j = 0; j < n_dim; j++) {
		if (w->column[j].trip < 0)
			continue;
		if (w->column[j].step > 1) {
			int64_t *d = div + (int64_t)(1 + width) * (trip[j] - 1 - n_dim);
			d[0] = w->column[j].step;
			d[1 + 1 + j] = 1;
		}
		row[(int64_t)width * w->column[j].trip + trip[j]] = 1;
	}
	for (int32_t i = 0; i < w->from->n_dim; i++) {
		int64_t *r = row + (int64_t)width * w->at[i];
		for (int32_t c = 0; c < 1 + n_dim; c++)
			r[c] += row_of(w, i)[c];
		if (w->plain[i] < 0)
			add_low(w, i, r, trip, -1);
	}
	struct lt_graphpiece piece = { .map = { .n_dim = n_dim, .n_div = n_div, .n_row = w->n_dim, .div = div, .row = row } };
	struct lt_nodedef view = { .op = LT_OP_view,
		.dtype = w->view->dtype,
		.n_operand = 1,
		.operand = &copy,
		.n_dim = n_dim,
		.dim = w->view->dim,
		.name = name,
		.n_piece = 1,
		.piece = &piece,
		.line = w->view->line,
		.column = w->view->column };
	return lt__graph_add(out, &view);
}

lt_status lt__window_add(const struct lt_graph *in, lt_node of, struct lt_graph *out, lt_node from, struct lt_arena *a,
	const struct lt_derived_step *s, lt_node *made)
{
	struct window w;
	LT_TRY(open_window(&w, in, a, of));
	/* Vars keep their numbers, so that those of `in` are those of `out`. */
	LT_TRY(make_dims(&w, out, s));
	lt_node content = add_content(&w, out, from, lt__arena_format(a, "%s.window", s->made));
	if (content < 0)
		return lt_context_code(out->ctx);
	struct lt_nodedef copy = { .op = LT_OP_copy,
		.dtype = w.view->dtype,
		.n_operand = 1,
		.operand = &content,
		.n_dim = w.n_dim,
		.dim = w.dim,
		.name = s->made,
		.line = w.view->line,
		.column = w.view->column };
	lt_node at = lt__graph_add(out, &copy);
	*made = at < 0 ? -1 : add_reading(&w, out, at, lt__arena_format(a, "%s.view", s->made));
	return *made < 0 ? lt_context_code(out->ctx) : LT_OK;
}
