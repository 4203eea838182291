/* frontends/script/nodes_math.c -- operators of ir/op.def with NumPy's broadcasting, and reductions. */
#include "frontends/script/script.h"
#include "ir/build.h"
#include "ir/position.h"

/* Every operator's node; select's first argument is bool, and all others are of one type. */
lt_script_build lt__script_build_op;
lt_node lt__script_build_op(struct lt_script *s, const struct lt_script_node *type, const struct lt_arg *a, int32_t n)
{
	int32_t first = type->op == LT_OP_select, rank;
	lt_node operand[3];
	lt_var *dim;
	if (first && lt_node_dtype(s->graph, a[0].node) != LT_BOOL)
		return lt__script_refuse(s, a[0].position, LT_ETYPE, "Unsupported value type: %s has to be bool",
			lt__script_value(s, &a[0]));
	for (int32_t i = first; i < n; i++)
		if (!lt__script_same_type(s, &a[first], &a[i]) || !lt__script_takes(s, &a[i], type->op))
			return -1;
	if (!lt__script_broadcast(s, n, a, &rank, &dim, operand))
		return -1;
	return lt_graph_op_to(s->graph, lt__op_info(type->op)->name, n, operand, rank, dim);
}

/* Vars of the axes in a list, all if none is given; -1 after a failure. */
static int32_t pick_axes(
	struct lt_script *s, const struct lt_arg *x, const struct lt_arg *axes, lt_var *over, bool *gone)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, x->node), n = 0;
	for (int32_t i = 0; !axes->given && i < rank; i++)
		gone[i] = true;
	for (int32_t i = 0; axes->given && i < axes->n; i++) {
		struct lt_arg one = { .position = axes->position, .i = axes->list[i] };
		int32_t axis;
		if (!lt__script_axis(s, &one, rank, &axis))
			return -1;
		if (gone[axis]) {
			lt__script_fail(s, axes->position, LT_EINVAL, "Duplicate axis %lld in %s", (long long)one.i,
				lt__script_list(s, axes->list, axes->n));
			return -1;
		}
		gone[axis] = true;
	}
	for (int32_t i = 0; i < rank; i++)
		if (gone[i])
			over[n++] = lt_node_dim(g, x->node, i);
	return n;
}

/* op NULL: the mean. */
static lt_node script_reduce(struct lt_script *s, const char *op, const struct lt_arg *a)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	lt_var *over = LT_NEW(s->arena, lt_var, rank);
	bool *gone = LT_NEW(s->arena, bool, rank);
	if (op ? !lt__script_takes(s, a, (enum lt_opcode)lt__op_find(op)) : !lt__script_float(s, a))
		return -1;
	if (a[2].given && !a[1].given)
		return lt__script_refuse(s, a[2].position, LT_EINVAL,
			"The axes are a list: [%lld]; keepdims comes after a list of axes",
			(long long)a[2].i);
	if (!lt__script_flag(s, &a[2], "keepdims"))
		return -1;
	int32_t n = pick_axes(s, &a[0], &a[1], over, gone);
	if (n < 0)
		return -1;
	if (n == 0)
		return lt_graph_unary(g, "copy", a[0].node);
	lt_node x = op ? lt_graph_reduce(g, op, a[0].node, n, over) : lt_build_mean(g, a[0].node, n, over);
	return x >= 0 && a[2].i ? lt__pos_unsqueeze(g, x, rank, gone) : x;
}

LT_BUILDER(reduce_sum)     { return script_reduce(s, "add", a); }
LT_BUILDER(reduce_product) { return script_reduce(s, "mul", a); }
LT_BUILDER(reduce_min)     { return script_reduce(s, "min", a); }
LT_BUILDER(reduce_max)     { return script_reduce(s, "max", a); }
LT_BUILDER(reduce_mean)    { return script_reduce(s, NULL, a); }

static lt_node script_arg(struct lt_script *s, const char *op, const struct lt_arg *a)
{
	int32_t axis;
	if (!lt__script_takes(s, a, (enum lt_opcode)lt__op_find(op)) ||
		!lt__script_axis(s, &a[1], lt_node_rank(s->graph, a[0].node), &axis) || !lt__script_flag(s, &a[2], "keepdims"))
		return -1;
	lt_node at = lt__build_arg(s->graph, a[0].node, axis, op, false);
	return a[2].i ? at : lt__pos_at(s->graph, at, axis, 0);
}

LT_BUILDER(arg_max) { return script_arg(s, "max", a); }
LT_BUILDER(arg_min) { return script_arg(s, "min", a); }
