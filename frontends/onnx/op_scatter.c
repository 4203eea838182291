/* frontends/onnx/op_scatter.c -- values put at positions that are computed.
 *
 * The graph writes nowhere but where an element is defined: each element looks for the updates that are meant for it.
 * That is as many comparisons as elements of the axis times updates.
 */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/scatter.h"

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
	lt_node rows = lt__onnx_reshape(m, index, 2, (const int64_t[]){ updates, n }), at = LT_NONE;
	for (int32_t k = 0; k < n; k++) {
		const int64_t extent = lt__onnx_extent(m, x, k);
		lt_node part = lt__onnx_slice(m, rows, 1, k, k + 1, 1);
		part = lt__onnx_select(m, lt__onnx_opf(m, "less", part, 0), lt__onnx_opf(m, "add", part, (double)extent), part);
		at = k ? lt__onnx_op2(m, "add", lt__onnx_opf(m, "mul", at, (double)extent), part) : part;
	}
	lt_node from = lt__onnx_reshape(m, x, 2, (const int64_t[]){ whole, rest });
	lt_node y = scatter(m, s, from, at, lt__onnx_reshape(m, update, 2, (const int64_t[]){ updates, rest }), 0);
	const struct lt_onnx_value *v = lt__onnx_value(c, 0);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, y, v->rank, v->shape));
}
