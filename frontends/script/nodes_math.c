/* frontends/script/nodes_math.c -- operators of ir/op.def with NumPy's broadcasting, and reductions. */
#include "frontends/script/script.h"

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

/* Reduced axes come back with extent 1. */
static lt_node keep_dims(struct lt_script *s, const struct lt_arg *x, lt_node sum, const bool *gone)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, x->node), m = 0;
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int32_t *at = LT_NEW(s->arena, int32_t, rank);
	for (int32_t i = 0; i < rank; i++) {
		v[i] = gone[i] ? lt__script_var(s, i, 1, NULL) : lt_node_dim(g, x->node, i);
		if (!gone[i])
			at[m++] = i;
	}
	return lt__script_view(s, sum, rank, v, at);
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
	if (a[2].i != 0 && a[2].i != 1)
		return lt__script_refuse(s, a[2].position, LT_EINVAL, "Invalid keepdims %lld, it is 0 or 1", (long long)a[2].i);
	int32_t n = pick_axes(s, &a[0], &a[1], over, gone);
	if (n < 0)
		return -1;
	if (n == 0)
		return lt_graph_unary(g, "copy", a[0].node);
	lt_node x = op ? lt_graph_reduce(g, op, a[0].node, n, over) : lt_build_mean(g, a[0].node, n, over);
	return x >= 0 && a[2].i ? keep_dims(s, &a[0], x, gone) : x;
}

LT_BUILDER(reduce_sum)     { return script_reduce(s, "add", a); }
LT_BUILDER(reduce_product) { return script_reduce(s, "mul", a); }
LT_BUILDER(reduce_min)     { return script_reduce(s, "min", a); }
LT_BUILDER(reduce_max)     { return script_reduce(s, "max", a); }
LT_BUILDER(reduce_mean)    { return script_reduce(s, NULL, a); }
