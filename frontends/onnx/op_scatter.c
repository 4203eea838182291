/* op_scatter.c -- values put at positions that are computed.
 *
 * The graph writes nowhere but where an element is defined: each element looks for the updates that are meant for it.
 * That is as many comparisons as elements of the axis times updates.  Where the positions of ScatterND are known when
 * the model is read, each row is read from where it is, and nothing is compared.
 */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/scatter.h"
#include "frontends/onnx/take.h"

/* The reduction, and what an element takes that no update is meant for. */
static const struct scattering { const char *name, *op; double nothing; } scatterings[] = {
	{ "none", NULL, 0 }, { "add", "add", 0 }, { "mul", "mul", 1 }, { "max", "max", -INFINITY }, { "min", "min", INFINITY },
};

static const struct scattering *scattering_of(struct lt_onnx_call *c)
{
	const char *name = lt__onnx_text(c, "reduction", "none");
	for (size_t i = 0; i < sizeof scatterings / sizeof *scatterings; i++)
		if (!strcmp(name, scatterings[i].name))
			return &scatterings[i];
	lt__onnx_refuse(c->m, "attribute 'reduction' is '%s'", name);
	return NULL;
}

/* x with updates along an axis: x [.., p, ..], index and update [.., u, ..], whose other axes are x's or 1. */
static lt_node scatter(struct lt_onnx *m, const struct scattering *s, lt_node x, lt_node index, lt_node update,
	int32_t axis)
{
	if (x < 0 || index < 0 || update < 0)
		return LT_NONE;
	const enum lt_dtype t = lt_node_dtype(m->graph, x);
	const int32_t rank = lt__onnx_rank(m, x) + 1;
	const int64_t n = lt__onnx_extent(m, x, axis), n_update = lt__onnx_extent(m, index, axis);
	lt_node at = lt__onnx_cast(m, index, LT_I64);
	at = lt__onnx_select(m, lt__onnx_opf(m, "less", at, 0), lt__onnx_opf(m, "add", at, (double)n), at);
	lt_node hit = lt__onnx_op2(m, "eq", lt__onnx_insert(m, at, axis), lt__onnx_range(m, n, axis, rank));
	const bool wide = t != LT_BOOL;
	lt_node old = wide ? lt__onnx_wide(m, x) : x;
	lt_node each = lt__onnx_insert(m, wide ? lt__onnx_wide(m, update) : update, axis);
	if (old < 0)
		return LT_NONE;
	const enum lt_dtype of = lt_node_dtype(m->graph, old);
	if (s->op) {
		lt_node part = lt__onnx_select(m, hit, each, lt__onnx_number(m, of, s->nothing));
		return lt__onnx_cast(m, lt__onnx_op2(m, s->op, old, lt__onnx_reduce1(m, s->op, part, axis + 1, false)), t);
	}
	/* The last one; a sum of it and of zeros (of bools: whether it or none is true). */
	lt_node order = lt__onnx_range(m, n_update, axis + 1, rank);
	lt_node hit_order = lt__onnx_select(m, hit, order, lt__onnx_whole(m, LT_I64, -1));
	lt_node last = lt__onnx_reduce1(m, "max", hit_order, axis + 1, true);
	lt_node one = lt__onnx_select(m, lt__onnx_op2(m, "eq", order, last), each, lt__onnx_whole(m, of, 0));
	lt_node picked = lt__onnx_reduce1(m, wide ? "add" : "max", one, axis + 1, false);
	lt_node any = lt__onnx_reduce1(m, "max", hit, axis + 1, false);
	return lt__onnx_cast(m, lt__onnx_select(m, any, picked, old), t);
}

lt_node lt__onnx_scatter(struct lt_onnx *m, lt_node x, lt_node index, lt_node update)
{
	return scatter(m, &scatterings[0], x, index, update, 0);
}

/* The index may cover a part of the other axes only: the rest gets an index that is nowhere. */
void lt__onnx_build_scatter_elements(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const struct scattering *s = scattering_of(c);
	lt_node x = lt__onnx_in(c, 0), index = lt__onnx_in(c, 1), update = lt__onnx_in(c, 2);
	const int32_t rank = lt__onnx_rank(m, x), axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), rank);
	if (!s || x < 0 || index < 0 || update < 0 || axis < 0)
		return;
	int64_t none[LT_MAX_RANK] = { 0 }, more[LT_MAX_RANK] = { 0 };
	const enum lt_dtype t = lt_node_dtype(m->graph, index);
	const int64_t nowhere = -1 - lt__onnx_extent(m, x, axis);
	for (int32_t i = 0; i < rank; i++) {
		int64_t own = i < lt__onnx_rank(m, index) ? lt__onnx_extent(m, index, i) : -1;
		if (lt__onnx_rank(m, update) != rank || own != lt__onnx_extent(m, update, i)
		    || (i != axis && own > lt__onnx_extent(m, x, i)) || lt__onnx_rank(m, index) != rank) {
			lt__onnx_refuse(m, "index and updates have different shapes, or reach out of the value");
			return;
		}
		more[i] = i == axis ? 0 : lt__onnx_extent(m, x, i) - own;
	}
	index = lt_graph_pad(m->graph, index, none, more, lt__bits_of((union lt_scalar){ .i = nowhere }, t));
	update = lt_graph_pad(m->graph, update, none, more, 0);
	lt__onnx_give(c, 0, scatter(m, s, x, index, update, axis));
}

/* Which row of the updates is meant for each row of x, -1: none; the last one of several.  NULL: the index is not known
 * when the model is read, or (with a sentence) leaves x.  several: a row has more than one. */
static int64_t *known_rows(struct lt_onnx_call *c, int64_t whole, int64_t updates, int32_t n, const int64_t *extent,
	bool *several)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 1);
	const void *index = lt__onnx_maybe(m, v);
	int64_t *row = index ? LT_ONNX_TABLE(m, int64_t, whole + 1) : NULL;
	*several = false;
	for (int64_t e = 0; row && e < whole; e++)
		row[e] = -1;
	for (int64_t u = 0; row && u < updates; u++) {
		int64_t at = 0;
		for (int32_t k = 0; k < n; k++) {
			const int64_t i = lt__load(index, u * n + k, v->dtype).i;
			if (i < -extent[k] || i >= extent[k]) {
				lt__onnx_refuse(m, "index %lld at axis %d of %lld elements", (long long)i, k, (long long)extent[k]);
				return NULL;
			}
			at = at * extent[k] + (i < 0 ? i + extent[k] : i);
		}
		*several = *several || row[at] >= 0;
		row[at] = u;
	}
	return row;
}

/* Rows of x [e, r], some of which are those of the updates [u, r]: each row is read where it is. */
static lt_node scatter_known(struct lt_onnx *m, const struct scattering *s, lt_node x, lt_node update, int64_t *row)
{
	if (x < 0 || update < 0)
		return LT_NONE;
	const int64_t whole = lt__onnx_extent(m, x, 0), rest = lt__onnx_extent(m, x, 1);
	const enum lt_dtype t = lt_node_dtype(m->graph, x), wide = lt__dtype_info(t)->compute;
	/* Before the updates: x, or what changes nothing. */
	const lt_node both[2] = { s->op ? lt__onnx_expand(m, lt__onnx_number(m, wide, s->nothing), 2,
		(const int64_t[]){ 1, rest }) : x, s->op ? lt__onnx_wide(m, update) : update };
	const int64_t before = s->op ? 1 : whole;
	for (int64_t e = 0; e < whole; e++)
		row[e] = row[e] >= 0 ? before + row[e] : s->op ? 0 : e;
	lt_node part = lt__onnx_take(m, lt__onnx_concat(m, 0, 2, both), 0, whole, row);
	if (!s->op)
		return part;
	return lt__onnx_cast(m, lt__onnx_op2(m, s->op, lt__onnx_wide(m, x), part), t);
}

/* x [e1..en, r..], index [u.., n], updates [u.., r..]: as [e, r], [u, 1] and [u, r] along axis 0. */
void lt__onnx_build_scatter_nd(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const struct scattering *s = scattering_of(c);
	lt_node x = lt__onnx_in(c, 0), index = lt__onnx_cast(m, lt__onnx_in(c, 1), LT_I64), update = lt__onnx_in(c, 2);
	if (!s || x < 0 || index < 0 || update < 0)
		return;
	const int32_t rx = lt__onnx_rank(m, x), ri = lt__onnx_rank(m, index);
	const int64_t n = ri ? lt__onnx_extent(m, index, ri - 1) : 0;
	if (n < 1 || n > rx) {
		lt__onnx_refuse(m, "an index of %lld numbers into a value of rank %d", (long long)n, rx);
		return;
	}
	int64_t whole = 1, rest = 1, updates = 1;
	for (int32_t i = 0; i < rx; i++)
		*(i < n ? &whole : &rest) *= lt__onnx_extent(m, x, i);
	for (int32_t i = 0; i < ri - 1; i++)
		updates *= lt__onnx_extent(m, index, i);
	int64_t extent[LT_MAX_RANK];
	bool bounded = false, several;
	for (int32_t i = 0; i < rx; i++) {
		extent[i] = lt__onnx_extent(m, x, i);
		bounded = bounded || lt__onnx_bounded(m, x, i);
	}
	int64_t *row = bounded || lt_node_dtype(m->graph, x) == LT_BOOL ? NULL :
		known_rows(c, whole, updates, (int32_t)n, extent, &several);
	if (lt__onnx_failed(m))
		return;
	if (row && !(several && s->op)) {
		lt_node y = scatter_known(m, s, lt__onnx_reshape(m, x, 2, (const int64_t[]){ whole, rest }),
			lt__onnx_reshape(m, update, 2, (const int64_t[]){ updates, rest }), row);
		lt__onnx_give(c, 0, lt__onnx_reshape(m, y, lt__onnx_value(c, 0)->rank, lt__onnx_value(c, 0)->shape));
		return;
	}
	lt_node rows = lt__onnx_reshape(m, index, 2, (const int64_t[]){ updates, n }), at = LT_NONE;
	for (int32_t k = 0; k < n; k++) {
		lt_node part = lt__onnx_slice(m, rows, 1, k, k + 1, 1);
		part = lt__onnx_select(m, lt__onnx_opf(m, "less", part, 0), lt__onnx_opf(m, "add", part, (double)extent[k]), part);
		at = k ? lt__onnx_op2(m, "add", lt__onnx_opf(m, "mul", at, (double)extent[k]), part) : part;
	}
	lt_node from = lt__onnx_reshape(m, x, 2, (const int64_t[]){ whole, rest });
	lt_node y = scatter(m, s, from, at, lt__onnx_reshape(m, update, 2, (const int64_t[]){ updates, rest }), 0);
	const struct lt_onnx_value *v = lt__onnx_value(c, 0);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, y, v->rank, v->shape));
}
