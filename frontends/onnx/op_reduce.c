/* op_reduce.c -- reductions over axes, and the place of the largest. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"

/* What is done before, the reduction, and after it; what a reduction over nothing gives (of max and min: the least and
 * the greatest number of the type). */
static const struct reduction { const char *name, *before, *op, *after; double nothing; } reductions[] = {
	{ "sum", NULL, "add", NULL, 0 }, { "prod", NULL, "mul", NULL, 1 }, { "max", NULL, "max", NULL, -INFINITY },
	{ "min", NULL, "min", NULL, INFINITY }, { "l1", "abs", "add", NULL, 0 }, { "l2", "square", "add", "sqrt", 0 },
	{ "sumsquare", "square", "add", NULL, 0 }, { "logsum", NULL, "add", "log", -INFINITY },
	{ "mean", NULL, "mean", NULL, NAN }, { "logsumexp", NULL, "logsumexp", NULL, -INFINITY },
};

static const struct reduction *reduction_of(const struct lt_onnx_call *c)
{
	for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
		if (!strcmp(reductions[i].name, c->op->arg))
			return &reductions[i];
	lt_bug("a row of ops.def names no reduction");
}

/* The axes of a node: an attribute in versions below `since`, then an input.  NULL with a sentence.  Without any: all,
 * unless that is to do nothing (*nothing). */
static bool *reduced_axes(struct lt_onnx_call *c, int32_t rank, int64_t since, bool *nothing)
{
	struct lt_onnx *m = c->m;
	int32_t n = 0;
	const int64_t *axis = NULL;
	*nothing = c->version >= since && lt__onnx_int(c, "noop_with_empty_axes", 0) != 0;
	if (c->version < since)
		axis = lt__onnx_ints(c, "axes", &n);
	else if (lt__onnx_has(c, 1))
		axis = lt__onnx_in_ints(c, 1, "the axes", &n);
	bool *mask = lt__onnx_failed(m) ? NULL : lt__onnx_axes(m, n, axis, rank);
	if (n > 0)
		*nothing = false;
	for (int32_t i = 0; mask && n == 0 && !*nothing && i < rank; i++)
		mask[i] = true;
	return mask;
}

/* x without elements: what a reduction over nothing gives, or nothing again. */
static void reduce_empty(struct lt_onnx_call *c, const struct lt_onnx_value *x, const bool *over, bool keep,
	double nothing)
{
	struct lt_onnx *m = c->m;
	int64_t *shape = LT_NEW(m->arena, int64_t, x->rank + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < x->rank; i++)
		if (!over[i] || keep)
			shape[n++] = over[i] ? 1 : x->shape[i];
	struct lt_onnx_value none = lt__onnx_of_data(m, x->dtype, n, shape, NULL);
	if (none.empty)
		lt__onnx_give_value(c, 0, &none);
	else
		lt__onnx_give(c, 0, lt__onnx_expand(m, lt__onnx_number(m, x->dtype, x->dtype == LT_BOOL ? nothing > 0 : nothing), n,
			shape));
}

/* Integers are computed exactly where sums are, and in float64 where roots and logarithms are. */
static lt_node reduce_node(struct lt_onnx *m, const struct reduction *r, lt_node x, const bool *over, bool keep)
{
	const bool whole = !lt__onnx_is_float(m, x);
	const bool real = r->after || !strcmp(r->op, "mean") || !strcmp(r->op, "logsumexp");
	x = whole && real ? lt__onnx_cast(m, x, LT_F64) : x;
	if (r->before)
		x = !strcmp(r->before, "square") ? lt__onnx_op2(m, "mul", x, x) : lt__onnx_op1(m, r->before, x);
	if (!strcmp(r->op, "mean"))
		return lt__onnx_mean(m, x, over, keep);
	if (!strcmp(r->op, "logsumexp"))
		return lt__build_log_sum_exp(m->graph, x, over, keep);
	x = lt__onnx_reduce(m, r->op, x, over, keep);
	return r->after ? lt__onnx_op1(m, r->after, x) : x;
}

/* x with groups, over all dims of axes. */
static void reduce_groups(struct lt_onnx_call *c, const struct reduction *r, struct lt_onnx_value *x, const bool *over,
	bool keep)
{
	struct lt_onnx *m = c->m;
	bool *dims = LT_NEW(m->arena, bool, LT_MAX_RANK + 1), *ones = LT_NEW(m->arena, bool, LT_MAX_RANK + 1);
	int32_t *part = LT_NEW(m->arena, int32_t, x->rank + 1), rank = 0, n = 0, own = 0;
	for (int32_t i = 0; i < x->rank; i++) {
		for (int32_t k = 0; k < lt__onnx_parts(x, i); k++)
			dims[n++] = over[i];
		if (over[i] && !keep)
			continue;
		part[rank] = over[i] ? 1 : lt__onnx_parts(x, i);
		ones[own] = over[i];
		own += part[rank++];
	}
	lt_node wide = x->dtype == LT_BOOL ? x->node : lt__onnx_wide(m, x->node);
	lt_node y = lt__onnx_cast(m, reduce_node(m, r, wide, dims, false), x->dtype);
	const struct lt_onnx_value out = lt__onnx_grouped(m, lt__onnx_unsqueeze(m, y, own, ones), rank, part);
	lt__onnx_give_value(c, 0, &out);
}

void lt__onnx_build_reduce(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const struct reduction *r = reduction_of(c);
	struct lt_onnx_value *x = lt__onnx_value(c, 0);
	const bool keep = lt__onnx_int(c, "keepdims", 1) != 0;
	bool nothing;
	bool *over = reduced_axes(c, x->rank, !strcmp(r->name, "sum") ? 13 : 18, &nothing);
	if (!over)
		return;
	if (x->empty) {
		reduce_empty(c, x, over, keep, r->nothing);
		return;
	}
	if (x->part) {
		reduce_groups(c, r, x, over, keep);
		return;
	}
	lt_node wide = x->dtype == LT_BOOL ? lt__onnx_in(c, 0) : lt__onnx_wide(m, lt__onnx_in(c, 0));
	lt_node y = reduce_node(m, r, wide, over, keep);
	if (y >= 0)
		lt__onnx_give(c, 0, lt__onnx_cast(m, y, x->dtype));
}

void lt__onnx_build_arg(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	const int32_t rank = lt__onnx_rank(m, x), axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), rank);
	const bool keep = lt__onnx_int(c, "keepdims", 1) != 0, last = lt__onnx_int(c, "select_last_index", 0) != 0;
	lt_node y = lt__build_arg(m->graph, x, axis, c->op->arg, last);
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	if (axis < 0)
		return;
	mask[axis] = true;
	lt__onnx_give(c, 0, keep ? y : lt__onnx_squeeze(m, y, mask));
}

/* 1 at the first largest of each row, else 0.  Versions below 13: rows of a value that is flattened at the axis. */
void lt__onnx_build_hardmax(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	lt_node x = lt__onnx_in(c, 0);
	int32_t axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", c->version < 13 ? 1 : -1), v->rank);
	if (x < 0 || axis < 0)
		return;
	if (c->version < 13) {
		int64_t flat[2] = { 1, 1 };
		for (int32_t i = 0; i < v->rank; i++)
			flat[i >= axis] = lt__mul_sat(flat[i >= axis], v->shape[i]);
		x = lt__onnx_reshape(m, x, 2, flat);
	}
	const int32_t over = c->version < 13 ? 1 : axis;
	lt_node at = lt__onnx_positions(m, x, over);
	lt_node hit = lt__onnx_op2(m, "eq", lt__build_arg(m->graph, x, over, "max", false), at);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, lt__onnx_cast(m, hit, v->dtype), v->rank, v->shape));
}
