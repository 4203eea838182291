/* position.c -- views and reductions by axis (build.h). */
#include <stdarg.h>
#include <stdio.h>
#include "ir/build/parts.h"
#include "ir/node/node.h"

int32_t lt__pos_rank(const struct lt_graph *g, lt_node x)
{
	return x < 0 ? 0 : lt_node_rank(g, x);
}

int64_t lt__pos_extent(const struct lt_graph *g, lt_node x, int32_t axis)
{
	return x < 0 ? 0 : lt_var_extent(g, lt_node_dim(g, x, axis));
}

bool lt__pos_bounded(const struct lt_graph *g, lt_node x, int32_t axis)
{
	return x >= 0 && g->var[lt_node_dim(g, x, axis)].bounded;
}

bool lt__pos_is_one(const struct lt_graph *g, lt_var v)
{
	return g->var[v].extent == 1 && !g->var[v].bounded;
}

bool lt__pos_is_float(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && lt__dtype_info(lt_node_dtype(g, x))->cls == LT_CLASS_FLOAT;
}

enum { SHOWN_AXES = 12 };
struct extent_text { char *at; size_t n, bytes; };

static void __attribute__((format(printf, 2, 3))) extent_add(struct extent_text *t, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(t->at + t->n, t->bytes - t->n, fmt, list);
	va_end(list);
	t->n += (size_t)n < t->bytes - t->n ? (size_t)n : t->bytes - t->n - 1;
}

/* "2*past + n - 1" */
static void limit_text(const struct lt_graph *g, const struct lt_linear *l, struct extent_text *t)
{
	for (int32_t i = 0; i < l->n; i++) {
		const struct lt_paramdef *p = &g->param[l->param[i]];
		const int64_t by = l->coef[i];
		extent_add(t, "%s", by < 0 ? (i ? " - " : "-") : i ? " + " : "");
		if (by != 1 && by != -1)
			extent_add(t, "%lld*", by < 0 ? -(long long)by : (long long)by);
		extent_add(t, "%.100s", g->node[p->source].label);
		if (lt__node_elems(g, p->source) > 1)
			extent_add(t, "[%lld]", (long long)p->element);
	}
	if (l->constant)
		extent_add(t, " %c %lld", l->constant < 0 ? '-' : '+',
			l->constant < 0 ? -(long long)l->constant : (long long)l->constant);
}

static void var_text(const struct lt_graph *g, lt_var v, struct extent_text *t)
{
	const struct lt_vardef *d = &g->var[v];
	if (d->bounded && d->limit.n)
		limit_text(g, &d->limit, t);
	else
		extent_add(t, "%lld", (long long)(d->bounded ? d->limit.constant : d->extent));
}

const char *lt__pos_extent_text(const struct lt_graph *g, lt_var v)
{
	char text[200] = "";
	struct extent_text t = { text, 0, sizeof text };
	var_text(g, v, &t);
	return lt__scratch(g->ctx, "%s", text);
}

const char *lt__pos_shape(const struct lt_graph *g, lt_node x)
{
	char text[250] = "[";
	struct extent_text t = { text, 1, sizeof text };
	int32_t n = lt__pos_rank(g, x);
	for (int32_t i = 0; i < n && i < SHOWN_AXES; i++) {
		extent_add(&t, "%s", i ? ", " : "");
		var_text(g, lt_node_dim(g, x, i), &t);
	}
	return lt__scratch(g->ctx, "%s%s]", text, n > SHOWN_AXES ? ", ..." : "");
}

lt_var lt__pos_fresh(struct lt_graph *g, lt_var like)
{
	const struct lt_vardef *v = &g->var[like];
	lt_var fresh = LT_NONE;
	LT_GUARDED(g->ctx, fresh, lt__var_like(g, like, v->extent, v->bounded ? &v->limit : NULL));
	return fresh;
}

lt_var lt__pos_like(struct lt_graph *g, lt_node x, int32_t axis)
{
	return x < 0 ? LT_NONE : lt__pos_fresh(g, lt_node_dim(g, x, axis));
}

static bool rank_fits(const struct lt_graph *g, int32_t rank)
{
	if (rank <= LT_MAX_RANK)
		return true;
	lt__graph_fail(g, LT_EUNSUPPORTED, "A shape of %d dimensions: a value has at most %d", (int)rank, LT_MAX_RANK);
	return false;
}

lt_node lt__pos_view(struct lt_graph *g, lt_node x, int32_t n, const lt_var *v, const int32_t *at)
{
	int64_t row[LT_MAX_RANK * (1 + LT_MAX_RANK)];
	if (x < 0 || !rank_fits(g, n))
		return LT_NONE;
	int32_t rank = lt_node_rank(g, x), width = 1 + n;
	bool same = rank == n;
	for (int32_t i = 0; same && i < n; i++)
		same = at[i] == i && lt_node_dim(g, x, i) == v[i];
	if (same)
		return x;
	for (int32_t i = 0; i < rank * width; i++)
		row[i] = i % width == 1 + at[i / width] && at[i / width] >= 0;
	struct lt_view_piece piece = { .source = x, .map = { .n_dim = n, .n_row = rank, .row = row } };
	return lt_graph_view(g, n, v, 1, &piece, 0, 0);
}

lt_node lt__pos_unsqueeze(struct lt_graph *g, lt_node x, int32_t rank, const bool *mask)
{
	lt_var v[LT_MAX_RANK];
	int32_t at[LT_MAX_RANK], k = 0;
	if (x < 0 || !mask || !rank_fits(g, rank))
		return LT_NONE;
	int32_t own = lt_node_rank(g, x);
	for (int32_t i = 0; i < rank; i++) {
		if (mask[i] || k >= own) {
			v[i] = lt_graph_var(g, NULL, 1);
			continue;
		}
		v[i] = lt_node_dim(g, x, k);
		at[k++] = i;
	}
	return lt__pos_view(g, x, rank, v, at);
}

lt_node lt__pos_insert(struct lt_graph *g, lt_node x, int32_t axis)
{
	bool mask[LT_MAX_RANK + 1] = { false };
	mask[axis] = true;
	return lt__pos_unsqueeze(g, x, lt__pos_rank(g, x) + 1, mask);
}

lt_node lt__pos_squeeze(struct lt_graph *g, lt_node x, const bool *mask)
{
	lt_var v[LT_MAX_RANK];
	int32_t at[LT_MAX_RANK], n = 0;
	if (x < 0 || !mask)
		return LT_NONE;
	for (int32_t i = 0; i < lt_node_rank(g, x); i++) {
		if (mask[i] && !lt__pos_is_one(g, lt_node_dim(g, x, i))) {
			lt__graph_fail(g, LT_ETYPE, "axis %d has %lld elements: only an axis of one can be left out", i,
				(long long)lt__pos_extent(g, x, i));
			return LT_NONE;
		}
		at[i] = mask[i] ? -1 : n;
		if (!mask[i])
			v[n++] = lt_node_dim(g, x, i);
	}
	return lt__pos_view(g, x, n, v, at);
}

lt_node lt__pos_at(struct lt_graph *g, lt_node x, int32_t axis, int64_t i)
{
	bool mask[LT_MAX_RANK] = { false };
	if (x < 0)
		return LT_NONE;
	mask[axis] = true;
	return lt__pos_squeeze(g, lt__pos_slice(g, x, axis, i, i + 1, 1), mask);
}

/* The vars of the axes in a mask. */
static int32_t masked_vars(const struct lt_graph *g, lt_node x, const bool *mask, lt_var *v)
{
	int32_t n = 0;
	for (int32_t i = 0; i < lt_node_rank(g, x); i++)
		if (mask[i])
			v[n++] = lt_node_dim(g, x, i);
	return n;
}

lt_node lt__pos_reduce(struct lt_graph *g, const char *op, lt_node x, const bool *over, bool keep)
{
	lt_var v[LT_MAX_RANK];
	if (x < 0 || !over)
		return LT_NONE;
	int32_t n = masked_vars(g, x, over, v);
	lt_node y = lt_graph_reduce(g, op, x, n, v);
	return keep && n ? lt__pos_unsqueeze(g, y, lt_node_rank(g, x), over) : y;
}

lt_node lt__pos_reduce1(struct lt_graph *g, const char *op, lt_node x, int32_t axis, bool keep)
{
	bool over[LT_MAX_RANK] = { false };
	if (axis < 0)
		return LT_NONE;
	over[axis] = true;
	return lt__pos_reduce(g, op, x, over, keep);
}

lt_node lt__pos_mean(struct lt_graph *g, lt_node x, const bool *over, bool keep)
{
	lt_var v[LT_MAX_RANK];
	if (x < 0 || !over)
		return LT_NONE;
	int32_t n = masked_vars(g, x, over, v);
	lt_node y = n ? lt_build_mean(g, x, n, v) : x;
	return keep && n ? lt__pos_unsqueeze(g, y, lt_node_rank(g, x), over) : y;
}

lt_node lt__pos_expand(struct lt_graph *g, lt_node x, int32_t rank, const int64_t *shape)
{
	lt_var v[LT_MAX_RANK];
	int32_t at[LT_MAX_RANK];
	if (x < 0 || !rank_fits(g, rank))
		return LT_NONE;
	int32_t own = lt_node_rank(g, x), n = rank > own ? rank : own;
	for (int32_t i = 0; i < n; i++) {
		int32_t k = i - (n - own), j = i - (n - rank);
		int64_t have = k >= 0 ? lt__pos_extent(g, x, k) : 1, want = j >= 0 ? shape[j] : 1;
		bool one = k < 0 || lt__pos_is_one(g, lt_node_dim(g, x, k)), stretched = one && want != 1;
		if (want < 1 || (have != want && want != 1 && !one)) {
			lt__graph_fail(g, LT_ETYPE, "a value of %lld elements at axis -%d cannot be broadcast to %lld", (long long)have,
				n - i, (long long)want);
			return LT_NONE;
		}
		v[i] = stretched || k < 0 ? lt_graph_var(g, NULL, want) : lt_node_dim(g, x, k);
		if (k >= 0)
			at[k] = stretched ? -1 : i;
	}
	return lt__pos_view(g, x, n, v, at);
}

lt_node lt__pos_swap(struct lt_graph *g, lt_node x, int32_t a, int32_t b)
{
	int32_t perm[LT_MAX_RANK], rank = lt__pos_rank(g, x);
	for (int32_t i = 0; i < rank; i++)
		perm[i] = i == a ? b : i == b ? a : i;
	return x < 0 ? LT_NONE : lt_graph_permute(g, x, rank, perm);
}

lt_node lt__pos_slice(struct lt_graph *g, lt_node x, int32_t axis, int64_t begin, int64_t end, int64_t step)
{
	int64_t count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
	return x < 0 ? LT_NONE : lt_graph_slice(g, x, axis, begin, step, count);
}

lt_node lt__pos_concat(struct lt_graph *g, int32_t axis, int32_t n, const lt_node *x)
{
	for (int32_t i = 0; i < n; i++)
		if (x[i] < 0)
			return LT_NONE;
	return lt_graph_concat(g, axis, n, x);
}

lt_node lt__pos_shift(struct lt_graph *g, lt_node x, int32_t axis, int64_t by, double none)
{
	lt_var v[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * (LT_MAX_RANK + 1)] = { 0 }, guard[LT_MAX_RANK + 1] = { 0 };
	if (x < 0)
		return LT_NONE;
	const enum lt_dtype t = lt_node_dtype(g, x);
	const int32_t rank = lt_node_rank(g, x), width = 1 + rank;
	for (int32_t i = 0; i < rank; i++) {
		v[i] = lt_node_dim(g, x, i);
		row[i * width + 1 + i] = 1;
	}
	row[axis * width] = -by;
	guard[0] = by > 0 ? -by : lt__pos_extent(g, x, axis) - 1 + by;
	guard[1 + axis] = by > 0 ? 1 : -1;
	const struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank, .n_guard = 1, .n_row = rank, .guard = guard,
		.row = row } };
	return lt_graph_view(g, rank, v, 1, &piece, lt__bits_of(lt__convert((union lt_scalar){ .f = none }, LT_F64, t), t), 1);
}

static lt_node positions_of(struct lt_graph *g, lt_var v, int32_t axis, int32_t rank)
{
	bool mask[LT_MAX_RANK + 1] = { false };
	for (int32_t i = 0; i < rank; i++)
		mask[i] = i != axis;
	return lt__pos_unsqueeze(g, lt_graph_index(g, v), rank, mask);
}

lt_node lt__pos_range(struct lt_graph *g, int64_t extent, int32_t axis, int32_t rank)
{
	return positions_of(g, lt_graph_var(g, NULL, extent), axis, rank);
}

lt_node lt__pos_along(struct lt_graph *g, lt_node x, int32_t axis)
{
	return x < 0 ? LT_NONE : positions_of(g, lt_node_dim(g, x, axis), axis, lt_node_rank(g, x));
}

/* The index with new vars, none of which x has. */
static lt_node index_apart(struct lt_graph *g, lt_node index)
{
	lt_var v[LT_MAX_RANK];
	int32_t at[LT_MAX_RANK], rank = lt__pos_rank(g, index);
	for (int32_t i = 0; i < rank; i++) {
		v[i] = lt__pos_like(g, index, i);
		at[i] = i;
	}
	return lt__pos_view(g, index, rank, v, at);
}

lt_node lt__pos_gather(struct lt_graph *g, lt_node x, lt_node index, int32_t axis)
{
	if (x < 0 || index < 0 || axis < 0)
		return LT_NONE;
	return lt_graph_gather(g, x, index_apart(g, index), axis);
}
