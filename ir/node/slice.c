/* slice.c -- views that move along an axis: slice, pad, window. */
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"
#include "ir/map/map.h"

/* The map of x's dims onto themselves, in which the caller replaces what differs. */
static struct lt_map plain_map(struct lt_graph *g, int32_t n)
{
	return lt__map_identity(g->arena, n);
}

static int64_t *row_of(const struct lt_map *m, int32_t i)
{
	return (int64_t *)(uintptr_t)m->row + (int64_t)i * lt__map_width(m);    /* made here, not yet frozen */
}

static lt_var *dims_of(struct lt_graph *g, lt_node x, int32_t more)
{
	const struct lt_nodedef *n = &g->node[x];
	lt_var *dims = LT_NEW(g->arena, lt_var, n->n_dim + more);

	if (n->n_dim)
		memcpy(dims, n->dim, sizeof *dims * (size_t)n->n_dim);
	return dims;
}

/* A step along a bounded axis would need its run-time extent. */
static bool is_fixed(const struct lt_graph *g, lt_node x, int32_t axis, const char *what, const char *remedy)
{
	const struct lt_vardef *v = &g->var[g->node[x].dim[axis]];

	if (v->bounded)
		lt__graph_fail(g, LT_EUNSUPPORTED,
			"axis %d ('%.100s') of '%.200s' is bounded by a run-time scalar and cannot be %s: %s", axis,
			v->name, g->node[x].name, what, remedy);
	return !v->bounded;
}

static lt_node add_slice(struct lt_graph *g, lt_node x, int32_t axis, int64_t begin, int64_t step, int64_t count)
{
	const struct lt_vardef *v;
	struct lt_map map;
	int64_t last;
	lt_var *dims;

	if (!lt__graph_has_axis(g, x, axis))
		return -1;
	v = &g->var[g->node[x].dim[axis]];
	if (begin == 0 && (step == 1 || count == 1) && count == v->extent)
		return x;
	if (!is_fixed(g, x, axis, "sliced", "slice it with run-time ends"))
		return -1;
	if (count < 1 || step == 0 || begin < 0 || begin >= v->extent || __builtin_mul_overflow(step, count - 1, &last)
	    || __builtin_add_overflow(last, begin, &last) || last < 0 || last >= v->extent) {
		lt__graph_fail(g, LT_EINVAL, "a slice of %lld elements from %lld in steps of %lld leaves axis %d of '%.200s' (%s)",
			(long long)count, (long long)begin, (long long)step, axis, g->node[x].name, lt__node_shape_text(g, x));
		return -1;
	}
	map = plain_map(g, g->node[x].n_dim);
	row_of(&map, axis)[0] = begin;
	row_of(&map, axis)[1 + axis] = step;
	dims = dims_of(g, x, 0);
	dims[axis] = lt__var_like(g, dims[axis], count, NULL);
	return lt__build_view(g, x, map.n_dim, dims, &map, 0);
}

lt_node lt_graph_slice(struct lt_graph *g, lt_node x, int32_t axis, int64_t begin, int64_t step, int64_t count)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_slice(g, x, axis, begin, step, count));
	return y;
}

/* a - b */
static lt_status difference(
	struct lt_graph *g, const struct lt_linear *a, const struct lt_linear *b, struct lt_linear *out)
{
	lt_param *param = LT_NEW(g->arena, lt_param, a->n + b->n);
	int64_t *coef = LT_NEW(g->arena, int64_t, a->n + b->n), constant;
	bool overflow = false;

	for (int32_t i = 0; i < a->n; i++)
		param[i] = a->param[i], coef[i] = a->coef[i];
	for (int32_t i = 0; i < b->n; i++) {
		param[a->n + i] = b->param[i];
		overflow |= __builtin_sub_overflow((int64_t)0, b->coef[i], &coef[a->n + i]);
	}
	overflow |= __builtin_sub_overflow(a->constant, b->constant, &constant);
	if (overflow)
		return lt__graph_fail(g, LT_EOVERFLOW, "a run-time extent exceeds 63 bits");
	return lt__linear_make(g, constant, a->n + b->n, param, coef, out);
}

/* A param as a sum; -1: the constant. */
static struct lt_linear end_of(struct lt_graph *g, lt_param p, int64_t constant)
{
	struct lt_linear l = { .constant = constant };

	if (p >= 0) {
		static const int64_t one = 1;

		l.constant = 0;
		l.n = 1;
		l.param = lt__arena_copy(g->arena, &p, sizeof p);
		l.coef = lt__arena_copy(g->arena, &one, sizeof one);
	}
	return l;
}

static lt_status require_ends(struct lt_graph *g, lt_node x, int32_t axis, const struct lt_linear *begin,
	const struct lt_linear *length, const struct lt_linear *space)
{
	const char *of = lt__arena_format(g->arena, "axis %d of '%s' (%s)", axis, g->node[x].name, lt__node_shape_text(g, x));

	lt__graph_require(g, false, begin, lt__arena_format(g->arena, "the slice of %s begins before 0", of));
	lt__graph_require(g, false, length, lt__arena_format(g->arena, "the slice of %s ends before it begins", of));
	lt__graph_require(g, false, space, lt__arena_format(g->arena, "the slice of %s ends past the axis", of));
	return LT_OK;
}

static lt_node add_slice_bounded(struct lt_graph *g, lt_node x, int32_t axis, lt_param begin, lt_param end)
{
	struct lt_linear first, past, limit, length, space, shortest;
	const struct lt_vardef *v;
	struct lt_map map;
	int64_t max;
	lt_var *dims;

	if (!lt__graph_has_axis(g, x, axis))
		return -1;
	if (!lt__param_given(g, begin, &begin) || !lt__param_given(g, end, &end))
		return -1;
	if (begin < 0 && end < 0)
		return x;
	v = &g->var[g->node[x].dim[axis]];
	limit = v->bounded ? v->limit : (struct lt_linear){ .constant = v->extent };
	first = end_of(g, begin, 0);
	past = end < 0 ? limit : end_of(g, end, 0);
	if (difference(g, &past, &first, &length) || difference(g, &limit, &past, &space)
	    || difference(g, &first, &past, &shortest) || require_ends(g, x, axis, &first, &length, &space))
		return -1;
	max = lt__linear_min(g, &shortest);          /* the longest is minus the least of begin - end */
	max = max == INT64_MIN || -max > v->extent ? v->extent : -max < 1 ? 1 : -max;
	map = plain_map(g, g->node[x].n_dim);
	if (begin >= 0) {
		int32_t n = map.n_dim;
		int64_t *row = LT_NEW(g->arena, int64_t, n * (n + 2));

		for (int32_t i = 0; i < n; i++)
			row[i * (n + 2) + 2 + i] = 1;
		row[axis * (n + 2) + 1] = 1;
		map.row = row;
		map.n_param = 1;
		map.param = lt__arena_copy(g->arena, &begin, sizeof begin);
	}
	dims = dims_of(g, x, 0);
	dims[axis] = lt__var_like(g, dims[axis], max, &length);
	return lt__build_view(g, x, map.n_dim, dims, &map, 0);
}

lt_node lt_graph_slice_bounded(struct lt_graph *g, lt_node x, int32_t axis, lt_param begin, lt_param end)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_slice_bounded(g, x, axis, begin, end));
	return y;
}

static lt_node add_pad(struct lt_graph *g, lt_node x, const int64_t *before, const int64_t *after, uint64_t bits)
{
	struct lt_map map;
	int64_t *guard;
	lt_var *dims;
	int32_t n;

	if (!lt__graph_has(g, x))
		return -1;
	n = g->node[x].n_dim;
	map = plain_map(g, n);
	map.guard = guard = LT_NEW(g->arena, int64_t, 2 * n * (n + 1));
	dims = dims_of(g, x, 0);
	for (int32_t i = 0; i < n; i++) {
		int64_t extent = g->var[dims[i]].extent, sum;

		if (before[i] < 0 || after[i] < 0) {
			lt__graph_fail(g, LT_EINVAL, "axis %d of '%.200s' is padded by %lld and %lld: 0 or more are needed; slice to "
				"take elements away", i, g->node[x].name, (long long)before[i], (long long)after[i]);
			return -1;
		}
		if (!before[i] && !after[i])
			continue;
		if (!is_fixed(g, x, i, "padded", "pad first, then slice"))
			return -1;
		if (__builtin_add_overflow(extent, before[i], &sum) || __builtin_add_overflow(sum, after[i], &sum)) {
			lt__graph_fail(g, LT_EOVERFLOW, "axis %d of '%.200s', padded by %lld and %lld, exceeds 63 bits", i,
				g->node[x].name, (long long)before[i], (long long)after[i]);
			return -1;
		}
		row_of(&map, i)[0] = -before[i];
		if (before[i]) {
			guard[0] = -before[i], guard[1 + i] = 1;
			map.n_guard++, guard += n + 1;
		}
		if (after[i]) {
			guard[0] = extent - 1 + before[i], guard[1 + i] = -1;
			map.n_guard++, guard += n + 1;
		}
		dims[i] = lt__var_like(g, dims[i], sum, NULL);
	}
	return map.n_guard ? lt__build_view(g, x, n, dims, &map, bits) : x;
}

lt_node lt_graph_pad(struct lt_graph *g, lt_node x, const int64_t *before, const int64_t *after, uint64_t bits)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_pad(g, x, before, after, bits));
	return y;
}

/* Greatest position of a window in the source; -1 with a sentence. */
static int64_t window_end(
	struct lt_graph *g, lt_node x, lt_var out, lt_var tap, int64_t stride, int64_t dilation, int64_t before)
{
	int64_t a, b, last;

	if (out < 0 || out >= g->n_var || tap < 0 || tap >= g->n_var) {
		if (out != -1 && tap != -1)
			lt__graph_fail(g, LT_EINVAL, "there is no var number %d: the graph has %d", out < 0 || out >= g->n_var ? out : tap,
				g->n_var);
		return -1;
	}
	if (stride < 1 || dilation < 1) {
		lt__graph_fail(g, LT_EINVAL, "the window over '%.200s' has stride %lld and dilation %lld: at least 1 is needed",
			g->node[x].name, (long long)stride, (long long)dilation);
		return -1;
	}
	if (before < 0) {
		lt__graph_fail(g, LT_EINVAL, "the window over '%.200s' begins %lld elements before it: 0 or more are needed; slice "
			"to begin later", g->node[x].name, (long long)before);
		return -1;
	}
	if (__builtin_mul_overflow(g->var[out].extent - 1, stride, &a)
		|| __builtin_mul_overflow(g->var[tap].extent - 1, dilation, &b)
		|| __builtin_add_overflow(a, b, &last)) {
		lt__graph_fail(g, LT_EOVERFLOW, "the window over '%.200s' exceeds 63 bits", g->node[x].name);
		return -1;
	}
	return last;
}

static lt_node add_window(struct lt_graph *g, lt_node x, int32_t axis, lt_var out, lt_var tap, int64_t stride,
	int64_t dilation, int64_t before, uint64_t bits)
{
	struct lt_map map = { 0 };
	int64_t last, extent, *row, *guard;
	lt_var *dims;
	int32_t n;

	if (!lt__graph_has_axis(g, x, axis) || !is_fixed(g, x, axis, "windowed", "window first, then slice"))
		return -1;
	last = window_end(g, x, out, tap, stride, dilation, before);
	if (last < 0)
		return -1;
	n = g->node[x].n_dim;
	extent = g->var[g->node[x].dim[axis]].extent;
	dims = dims_of(g, x, 1);
	memmove(dims + axis + 2, dims + axis + 1, sizeof *dims * (size_t)(n - axis - 1));
	dims[axis] = out;
	dims[axis + 1] = tap;
	map.n_dim = n + 1;
	map.n_row = n;
	map.row = row = LT_NEW(g->arena, int64_t, n * (n + 2));
	for (int32_t i = 0; i < n; i++)
		row[i * (n + 2) + 1 + i + (i > axis)] = 1;
	row += axis * (n + 2);
	row[0] = -before;
	row[1 + axis] = stride;
	row[2 + axis] = dilation;
	map.guard = guard = LT_NEW(g->arena, int64_t, 2 * (n + 2));
	if (before > 0) {
		memcpy(guard, row, sizeof *row * (size_t)(n + 2));
		map.n_guard++, guard += n + 2;
	}
	if (last - before > extent - 1) {
		guard[0] = extent - 1 + before;
		guard[1 + axis] = -stride;
		guard[2 + axis] = -dilation;
		map.n_guard++;
	}
	return lt__build_view(g, x, n + 1, dims, &map, bits);
}

lt_node lt_graph_window(struct lt_graph *g, lt_node x, int32_t axis, lt_var out, lt_var tap, int64_t stride,
	int64_t dilation, int64_t before, uint64_t bits)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_window(g, x, axis, out, tap, stride, dilation, before, bits));
	return y;
}
