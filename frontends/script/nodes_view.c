/* nodes_view.c -- the same elements elsewhere: slice, expand, concat, pad, window; ViewNode, which shows elements by
 * sums over its axes. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

/* A fixed end of an axis of a run-time extent: so many elements may not be there. */
static lt_node refuse_fixed_end(struct lt_script *s, const struct lt_arg *a, int32_t axis)
{
	return lt__script_refuse(s, a[0].position, LT_EUNSUPPORTED,
		"Axis %d of %s has a run-time extent already: a slice of it ends at a run-time value, and begins at "
		"one or at 0; or take both slices in one",
		axis, lt__script_value(s, &a[0]));
}

/* Bounds that are known; the sentences count as numpy does. */
static lt_node slice_static(struct lt_script *s, const struct lt_arg *a, int32_t axis)
{
	int64_t extent = lt__script_extent(s, a[0].node, axis), begin = a[1].i, end = a[2].i, step = a[4].i;
	if (begin < 0 || begin >= extent)
		return lt__script_refuse(s, a[1].position, LT_EINVAL, "Invalid begin index %lld: axis %d of %s allows 0 .. %lld",
			(long long)begin, axis, lt__script_value(s, &a[0]), (long long)extent - 1);
	if (end < 0 || end > extent)
		return lt__script_refuse(s, a[2].position, LT_EINVAL, "Invalid end index %lld: axis %d of %s allows up to %lld",
			(long long)end, axis, lt__script_value(s, &a[0]), (long long)extent);
	if (begin >= end)
		return lt__script_refuse(s, a[2].position, LT_EINVAL,
			"Invalid slice range %lld .. %lld: the end has to be above the begin", (long long)begin,
			(long long)end);
	if (step < 1)
		return lt__script_refuse(s, a[4].position, LT_EINVAL, "Invalid step %lld, it has to be at least 1", (long long)step);
	if (lt__script_bounded(s, a[0].node, axis))
		return refuse_fixed_end(s, a, axis);
	return lt_graph_slice(s->graph, a[0].node, axis, begin, step, (end - begin - 1) / step + 1);
}

/* A begin other than 0 that is known, an end that is not: element i is begin + i, i < end - begin. */
static lt_node slice_to(struct lt_script *s, lt_node x, int32_t axis, int64_t begin, lt_param end)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, x), width = 2 + rank;
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int64_t *row = LT_NEW(s->arena, int64_t, (int64_t)rank * width);
	const int64_t one = 1;
	for (int32_t i = 0; i < rank; i++) {
		v[i] = lt_node_dim(g, x, i);
		row[(int64_t)i * width + 2 + i] = 1;
	}
	v[axis] = lt_graph_var_bounded(g, g->var[v[axis]].name, lt_var_extent(g, v[axis]) - begin, -begin, 1, &end, &one);
	row[(int64_t)axis * width] = begin;
	struct lt_view_piece piece = { .source = x,
		.map = { .n_param = 1, .n_dim = rank, .n_row = rank, .param = &end, .row = row } };
	return lt_graph_view(g, rank, v, 1, &piece, 0, 0);
}

static lt_node slice_bounded(struct lt_script *s, const struct lt_arg *a, int32_t axis)
{
	struct lt_graph *g = s->graph;
	lt_node x = a[0].node;
	int64_t extent = lt__script_extent(s, x, axis);
	lt_param begin = LT_OMIT, end = LT_OMIT;
	if (a[4].i != 1)
		return lt__script_refuse(s, a[4].position, LT_EUNSUPPORTED,
			"Invalid step %lld: a slice with a run-time begin or end has step 1", (long long)a[4].i);
	if (g->var[lt_node_dim(g, x, axis)].bounded && (a[2].statement < 0 || (a[1].statement < 0 && a[1].i != 0)))
		return refuse_fixed_end(s, a, axis);
	if (a[2].statement < 0) {
		if (a[2].i < 0 || a[2].i > extent)
			return lt__script_refuse(s, a[2].position, LT_EINVAL, "Invalid end index %lld: axis %d of %s allows up to %lld",
				(long long)a[2].i, axis, lt__script_value(s, &a[0]), (long long)extent);
		if (a[2].i < 1)
			return lt__script_refuse(s, a[2].position, LT_EINVAL, "Invalid slice range: it ends at 0, before its first element");
		if (a[2].i < extent)
			x = lt_graph_slice(g, x, axis, 0, 1, a[2].i);
		extent = a[2].i;
	} else {
		int64_t low = a[1].statement < 0 ? a[1].i : 0;
		if (low < 0 || low >= extent)
			return lt__script_refuse(s, a[1].position, LT_EINVAL, "Invalid begin index %lld: axis %d of %s allows 0 .. %lld",
				(long long)low, axis, lt__script_value(s, &a[0]), (long long)extent - 1);
		end = lt__script_param(s, &a[2], low, extent, "End");
		if (end < 0)
			return -1;
		if (low > 0)
			return slice_to(s, x, axis, low, end);
	}
	if (a[1].statement >= 0) {
		begin = lt__script_param(s, &a[1], 0, extent, "Begin");
		if (begin < 0)
			return -1;
	}
	return lt_graph_slice_bounded(g, x, axis, begin, end);
}

/* What a run checks of the bounds, in words of the script; the graph's own end in "... begins before 0" and the
 * like. */
static void name_requires(struct lt_script *s, const struct lt_arg *a, int32_t axis, int32_t from)
{
	const struct lt_position at = a[2].statement >= 0 ? a[2].position : a[1].position;
	for (int32_t i = from; i < s->graph->n_require; i++) {
		struct lt_require *r = &s->graph->require[i];
		const char *end = strrchr(r->text, ')');
		r->text = lt__arena_format(s->graph->arena, "the slice of axis %d of %s%s", axis,
			lt__script_value(s, &a[0]), end ? end + 1 : "");
		r->line = at.line;
		r->column = at.column;
	}
}

LT_BUILDER(slice)
{
	int32_t axis, rank = lt_node_rank(s->graph, a[0].node);
	if (!lt__script_axis(s, &a[3], rank, &axis))
		return -1;
	if (a[1].statement < 0 && a[2].statement < 0)
		return slice_static(s, a, axis);
	int32_t from = s->graph->n_require;
	lt_node x = slice_bounded(s, a, axis);
	name_requires(s, a, axis, from);
	return x;
}

static bool is_limited(const struct lt_script *s, lt_node x, int32_t axis, const struct lt_linear *limit)
{
	const struct lt_vardef *v = &s->graph->var[lt_node_dim(s->graph, x, axis)];
	return v->bounded && lt__linear_equal(&v->limit, limit);
}

LT_BUILDER(expand)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node), m = a[1].n;
	lt_var *v = LT_NEW(s->arena, lt_var, m);
	int32_t *at = LT_NEW(s->arena, int32_t, rank);
	if (!lt__script_no_overflow(s, &a[1], lt_node_dtype(g, a[0].node)))
		return -1;
	for (int32_t i = 0; i < m; i++) {
		int32_t own = i - (m - rank);
		int64_t extent = own >= 0 ? lt__script_extent(s, a[0].node, own) : 1;
		bool one = extent == 1 && (own < 0 || !lt__script_bounded(s, a[0].node, own));
		const struct lt_linear *limit = a[1].limit ? a[1].limit[i] : NULL;
		bool same = own >= 0 && extent == a[1].list[i] && (!limit || is_limited(s, a[0].node, own, limit));
		if (m < rank || (!same && !one))
			return lt__script_refuse(s, a[1].position, LT_ETYPE, "Incompatible shapes: %s cannot be broadcast to %s",
				lt__script_value(s, &a[0]), lt__script_list(s, a[1].list, m));
		v[i] = same ? lt_node_dim(g, a[0].node, own) : lt__script_var(s, i, a[1].list[i], limit);
		if (own >= 0)
			at[own] = same ? i : -1;
	}
	if (m < rank)
		return lt__script_refuse(s, a[1].position, LT_ETYPE, "Incompatible shapes: %s cannot be broadcast to %s",
			lt__script_value(s, &a[0]), lt__script_list(s, a[1].list, m));
	return lt__pos_view(s->graph, a[0].node, m, v, at);
}

LT_BUILDER(concat)
{
	struct lt_graph *g = s->graph;
	int32_t axis, rank = lt_node_rank(g, a[1].node), m = n - 1;
	lt_node *x = LT_NEW(s->arena, lt_node, m);
	if (!lt__script_axis(s, &a[0], rank, &axis))
		return -1;
	for (int32_t k = 0; k < m; k++) {
		const struct lt_arg *b = &a[1 + k];
		x[k] = b->node;
		if (!lt__script_same_type(s, &a[1], b))
			return -1;
		bool fit = lt_node_rank(g, b->node) == rank;
		const char *unlike = "";
		for (int32_t i = 0; fit && i < rank; i++) {
			lt_var v = lt_node_dim(g, a[1].node, i), w = lt_node_dim(g, b->node, i);
			fit = i == axis || lt__var_same_range(g, v, w);
			unlike = fit ? "" : lt__script_unlike(s, v, w);
		}
		if (!fit)
			return lt__script_refuse(s, b->position, LT_ETYPE,
				"Incompatible shapes for concatenation along axis %d: %s and %s%s", axis,
				lt__script_value(s, &a[1]), lt__script_value(s, b), unlike);
		if (m > 1 && !lt__script_fixed(s, b, axis, "joined", "join first, then slice"))
			return -1;
	}
	return lt_graph_concat(g, axis, m, x);
}

/* Lists of paddings: one a axis, not negative. */
static bool check_padding(struct lt_script *s, const struct lt_arg *x, const struct lt_arg *list)
{
	int32_t rank = lt_node_rank(s->graph, x->node);
	bool good = list->n == rank;
	for (int32_t i = 0; good && i < rank; i++)
		good = list->list[i] >= 0;
	if (!good)
		lt__script_fail(s, list->position, LT_EINVAL, "Invalid padding %s: %s takes %d numbers, none negative",
			lt__script_list(s, list->list, list->n), lt__script_value(s, x), rank);
	return good;
}

/* The axes with their padding: it needs extents that are known, and must not overflow. */
static bool check_padded(struct lt_script *s, const struct lt_arg *a)
{
	int64_t bytes = lt__dtype_info(lt_node_dtype(s->graph, a[0].node))->bytes;
	for (int32_t i = 0; i < a[1].n; i++) {
		int64_t before = a[1].list[i], after = a[2].list[i], extent;
		if ((before || after) && !lt__script_fixed(s, &a[0], i, "padded", "pad first, then slice"))
			return false;
		if (lt__add_overflow(lt__script_extent(s, a[0].node, i), before, &extent)
			|| lt__add_overflow(extent, after, &extent) || lt__mul_overflow(bytes, extent, &bytes)) {
			lt__script_fail(s, a[before ? 1 : 2].position, LT_EOVERFLOW,
				"Padding too large: with %lld and %lld more at axis %d the bytes of %s exceed 63 bits",
				(long long)before, (long long)after, i, lt__script_value(s, &a[0]));
			return false;
		}
	}
	return true;
}

LT_BUILDER(pad)
{
	uint64_t bits;
	if (!check_padding(s, &a[0], &a[1]) || !check_padding(s, &a[0], &a[2]) || !check_padded(s, a) ||
		!lt__script_bits(s, &a[3], lt_node_dtype(s->graph, a[0].node), &bits))
		return -1;
	return lt_graph_pad(s->graph, a[0].node, a[1].list, a[2].list, bits);
}

LT_BUILDER(window)
{
	struct lt_graph *g = s->graph;
	int32_t axis;
	int64_t size = a[2].i, step = a[3].i, dilation = a[4].i, before = a[5].i, after = a[6].i, span, padded;
	uint64_t bits;
	for (int32_t i = 2; i < 7; i++)
		if (a[i].i < (i < 5))
			return lt__script_refuse(s, a[i].position, LT_EINVAL, "Invalid %lld: size, step and dilation are at least 1, "
				"before and after at least 0", (long long)a[i].i);
	if (!lt__script_axis(s, &a[1], lt_node_rank(g, a[0].node), &axis) ||
		!lt__script_bits(s, &a[7], lt_node_dtype(g, a[0].node), &bits))
		return -1;
	if (!lt__script_fixed(s, &a[0], axis, "windowed", "window first, then slice"))
		return -1;
	if (lt__mul_overflow(dilation, size - 1, &span)
		|| lt__add_overflow(lt__script_extent(s, a[0].node, axis), before, &padded)
		|| lt__add_overflow(padded, after, &padded))
		return lt__script_refuse(s, a[2].position, LT_EOVERFLOW, "The window exceeds 63 bits");
	if (span >= padded)
		return lt__script_refuse(s, a[2].position, LT_ETYPE,
			"Incompatible shapes: a window over %lld elements does not fit in the %lld of axis %d of %s",
			(long long)span + 1, (long long)padded, axis, lt__script_value(s, &a[0]));
	lt_var out = lt_graph_var(g, "o", (padded - 1 - span) / step + 1), tap = lt_graph_var(g, "t", size);
	return lt_graph_window(g, a[0].node, axis, out, tap, step, dilation, before, bits);
}

/* -- ViewNode. */

/* Columns of a piece's map: the params and divisions that it uses. */
struct columns { const struct lt_script_view *view; lt_param *param; int32_t n_param, *div, n_div; };

static int32_t param_column(const struct columns *c, lt_param p)
{
	int32_t i = 0;
	while (i < c->n_param && c->param[i] != p)
		i++;
	return i;
}

static void use_sum(struct columns *c, const struct lt_script_sum *sum)
{
	for (int32_t i = 0; i < sum->n; i++) {
		int32_t at = sum->param[i] >= 0 ? param_column(c, sum->param[i]) : sum->name[i] - c->view->n_axis;
		if (sum->param[i] >= 0 && at == c->n_param)
			c->param[c->n_param++] = sum->param[i];
		else if (sum->param[i] < 0 && at >= 0)
			c->div[at] = 0;
	}
}

static void write_sum(const struct columns *c, const struct lt_script_sum *sum, int64_t *row)
{
	row[0] = sum->constant;
	for (int32_t i = 0; i < sum->n; i++) {
		int32_t name = sum->name[i], axes = c->view->n_axis;
		int32_t at = sum->param[i] >= 0 ? param_column(c, sum->param[i]) :
			c->n_param + (name < axes ? name : axes + c->div[name - axes]);
		row[1 + at] = sum->coef[i];
	}
}

/* Divisions of divisions come before them: the last ones are looked at first. */
static void find_columns(struct lt_script *s, struct columns *c, const struct lt_script_piece *p)
{
	const struct lt_script_view *view = c->view;
	int32_t most = 0;
	for (int32_t i = 0; i < p->n_row; i++)
		most += p->row[i].n;
	for (int32_t i = 0; i < p->n_guard; i++)
		most += p->guard[i].n;
	for (int32_t i = 0; i < view->n_div; i++)
		most += view->div[i].of.n;
	c->param = LT_NEW(s->arena, lt_param, most);
	c->div = LT_NEW(s->arena, int32_t, view->n_div);
	memset(c->div, -1, sizeof *c->div * (size_t)view->n_div);
	for (int32_t i = 0; i < p->n_row; i++)
		use_sum(c, &p->row[i]);
	for (int32_t i = 0; i < p->n_guard; i++)
		use_sum(c, &p->guard[i]);
	for (int32_t i = view->n_div; i-- > 0;)
		if (c->div[i] >= 0)
			use_sum(c, &view->div[i].of);
	for (int32_t i = 0; i < view->n_div; i++)
		if (c->div[i] >= 0)
			c->div[i] = c->n_div++;
}

static struct lt_map map_of(struct lt_script *s, const struct lt_script_view *view, const struct lt_script_piece *p)
{
	struct columns c = { .view = view };
	find_columns(s, &c, p);
	struct lt_map m = { .n_param = c.n_param, .n_dim = view->n_axis, .n_div = c.n_div, .n_guard = p->n_guard,
		.n_row = p->n_row, .param = c.param };
	int32_t width = lt__map_width(&m);
	int64_t *row = LT_NEW(s->arena, int64_t, (int64_t)width * p->n_row);
	int64_t *guard = LT_NEW(s->arena, int64_t, (int64_t)width * p->n_guard);
	int64_t *div = LT_NEW(s->arena, int64_t, (int64_t)(width + 1) * c.n_div);
	for (int32_t i = 0; i < p->n_row; i++)
		write_sum(&c, &p->row[i], row + (int64_t)i * width);
	for (int32_t i = 0; i < p->n_guard; i++)
		write_sum(&c, &p->guard[i], guard + (int64_t)i * width);
	for (int32_t i = 0; i < view->n_div; i++) {
		if (c.div[i] < 0)
			continue;
		int64_t *at = div + (int64_t)c.div[i] * (width + 1);
		at[0] = view->div[i].by;
		write_sum(&c, &view->div[i].of, at + 1);
	}
	m.row = row;
	m.guard = guard;
	m.div = div;
	return m;
}

/* An element without a condition at the end stands for all others. */
LT_BUILDER(view)
{
	const struct lt_script_view *view = a[1].view;
	struct lt_view_piece *piece = LT_NEW(s->arena, struct lt_view_piece, view->n_piece);
	const struct lt_script_piece *last = &view->piece[view->n_piece - 1];
	const struct lt_arg *first = NULL;
	uint64_t fill = 0;
	for (int32_t i = 0; i < view->n_piece && !first; i++)
		if (view->piece[i].source.statement >= 0)
			first = &view->piece[i].source;
	if (!first)
		return lt__script_refuse(s, a[1].position, LT_EINVAL,
			"A view shows elements of a node; FullNode gives a number alone");
	enum lt_dtype t = lt_node_dtype(s->graph, first->node);
	bool has_fill = last->source.statement < 0 && !last->n_guard;
	if (!lt__script_no_overflow(s, &view->shape, t))
		return -1;
	for (int32_t i = 0; i < view->n_piece; i++) {
		const struct lt_script_piece *p = &view->piece[i];
		const struct lt_arg *x = &p->source;
		if (x->statement < 0) {
			if (!lt__script_bits(s, x, t, p == last && has_fill ? &fill : &piece[i].bits))
				return -1;
		} else if (!lt__script_same_type(s, first, x)) {
			return -1;
		} else if (p->n_row != lt_node_rank(s->graph, x->node)) {
			return lt__script_refuse(s, x->position, LT_ETYPE, "Different number of dimensions: %d indices of %s", p->n_row,
				lt__script_value(s, x));
		}
		piece[i].source = x->statement < 0 ? LT_OMIT : x->node;
		piece[i].map = map_of(s, view, p);
	}
	return lt_graph_view(s->graph, view->n_axis, lt__script_vars(s, &view->shape), view->n_piece - has_fill, piece, fill,
		has_fill);
}
