/* nodes_math.c -- operators of ir/op/op.def with NumPy's broadcasting, functions of
 * ir/build/function.def, and reductions. */
#include <math.h>
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

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

enum script_reduction { REDUCE_OP, REDUCE_MEAN, REDUCE_LOG_SUM_EXP, REDUCE_L2 };

static lt_node reduce_masked(struct lt_graph *g, enum script_reduction how, const char *op, lt_node x, const bool *over,
	bool keep)
{
	lt_node wide = how == REDUCE_OP ? x : lt__build_wide(g, x), y;
	if (how == REDUCE_OP)
		return lt__pos_reduce(g, op, x, over, keep);
	if (how == REDUCE_MEAN)
		return lt__pos_mean(g, x, over, keep);
	if (how == REDUCE_LOG_SUM_EXP)
		y = lt__build_log_sum_exp(g, wide, over, keep);
	else
		y = lt__pos_op1(g, "sqrt", lt__pos_reduce(g, "add", lt__pos_op2(g, "mul", wide, wide), over, keep));
	return y < 0 ? -1 : lt_graph_cast(g, y, lt_node_dtype(g, x));
}

/* Over the axes of a list, all if none is given. */
static lt_node script_reduce(struct lt_script *s, enum script_reduction how, const char *op, const struct lt_arg *a)
{
	struct lt_graph *g = s->graph;
	const int32_t rank = lt_node_rank(g, a[0].node);
	bool over[LT_MAX_RANK] = { false };
	if (how == REDUCE_OP ? !lt__script_takes(s, a, (enum lt_opcode)lt__op_find(op)) : !lt__script_float(s, a))
		return -1;
	if (a[2].given && !a[1].given)
		return lt__script_refuse(s, a[2].position, LT_EINVAL,
			"The axes are a list: [%lld]; keepdims comes after a list of axes",
			(long long)a[2].i);
	if (!lt__script_flag(s, &a[2], "keepdims") || !lt__script_axes(s, &a[1], rank, over))
		return -1;
	for (int32_t i = 0; i < rank; i++)
		over[i] |= !a[1].given;
	if (how <= REDUCE_MEAN && (rank == 0 || (a[1].given && a[1].n == 0)))
		return lt_graph_unary(g, "copy", a[0].node);
	return reduce_masked(g, how, op, a[0].node, over, a[2].i);
}

LT_BUILDER(reduce_sum)     { return script_reduce(s, REDUCE_OP, "add", a); }
LT_BUILDER(reduce_product) { return script_reduce(s, REDUCE_OP, "mul", a); }
LT_BUILDER(reduce_min)     { return script_reduce(s, REDUCE_OP, "min", a); }
LT_BUILDER(reduce_max)     { return script_reduce(s, REDUCE_OP, "max", a); }
LT_BUILDER(reduce_mean)    { return script_reduce(s, REDUCE_MEAN, NULL, a); }
LT_BUILDER(reduce_l2)      { return script_reduce(s, REDUCE_L2, NULL, a); }
LT_BUILDER(reduce_log_sum_exp) { return script_reduce(s, REDUCE_LOG_SUM_EXP, NULL, a); }

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

/* A bound of a type that has no infinities may be one, too. */
static bool clip_bound(struct lt_script *s, const struct lt_arg *a, enum lt_dtype t, const char *op, lt_node *x)
{
	if (!a->given || isinf(a->number))
		return true;
	lt_node bound = lt__script_literal(s, a, t);
	*x = bound < 0 ? -1 : lt_graph_binary(s->graph, op, *x, bound);
	return *x >= 0;
}

LT_BUILDER(clip)
{
	lt_node x = a[0].node;
	const enum lt_dtype t = lt_node_dtype(s->graph, x);
	if (!lt__script_takes(s, a, LT_OP_max) || !clip_bound(s, &a[1], t, "max", &x) || !clip_bound(s, &a[2], t, "min", &x))
		return -1;
	return x;
}

LT_BUILDER(is_nan)
{
	return lt__script_float(s, a) ? lt_graph_binary(s->graph, "ne", a[0].node, a[0].node) : -1;
}

LT_BUILDER(is_inf)
{
	struct lt_graph *g = s->graph;
	if (!lt__script_float(s, a))
		return -1;
	lt_node infinity = lt_graph_literal(g, lt_node_dtype(g, a[0].node), INFINITY);
	return lt_graph_binary(g, "eq", lt_graph_unary(g, "abs", a[0].node), infinity);
}

/* A row of ir/build/function.def: the node's name without its end. */
lt_script_build lt__script_build_function;
lt_node lt__script_build_function(
	struct lt_script *s, const struct lt_script_node *type, const struct lt_arg *a, int32_t n)
{
	const struct lt_function *f = lt__function_find(LT_FUNCTION_OPERATOR, type->name, strlen(type->name) - strlen("Node"));
	if (!f || !lt__script_float(s, a))
		return -1;
	return lt__build_function(s->graph, f, a[0].node, n > 1 ? a[1].number : 0, n > 2 ? a[2].number : 0);
}
