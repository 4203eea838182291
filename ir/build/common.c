/* common.c -- steps that several of the composite builders share. */
#include "ir/build/parts.h"

lt_node lt__build_wide(struct lt_graph *g, lt_node x)
{
	return x < 0 ? -1 : lt_graph_cast(g, x, lt__dtype_info(lt_node_dtype(g, x))->compute);
}

bool lt__build_is_float(const struct lt_graph *g, lt_node x, const char *what)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(lt_node_dtype(g, x));

	if (type->cls == LT_CLASS_FLOAT)
		return true;
	lt__graph_fail(g, LT_ETYPE, "%s needs a floating type, but '%.100s' is %s: cast it first", what,
		g->node[x].name, type->name);
	return false;
}

/* A new var that covers the positions of `like`. */
static lt_var like_var(struct lt_graph *g, const char *name, lt_var like)
{
	if (like < 0)
		return -1;
	struct lt_vardef v = g->var[like];
	if (!v.bounded)
		return lt_graph_var(g, name, v.extent);
	return lt_graph_var_bounded(g, name, v.extent, v.limit.constant, v.limit.n, v.limit.param, v.limit.coef);
}

lt_var lt__build_apart(struct lt_graph *g, const char *name, lt_var own, int32_t n, const lt_var *others)
{
	return lt__has(others, n, own) ? like_var(g, name, own) : own;
}

lt_node lt__build_extent(struct lt_graph *g, lt_var v, enum lt_dtype dtype)
{
	if (v < 0)
		return -1;
	if (!g->var[v].bounded)
		return lt_graph_literal_int(g, dtype, g->var[v].extent);
	lt_node one = lt_graph_literal_int(g, LT_I64, 1);
	lt_node count = lt_graph_reduce(g, "add", lt_graph_op_to(g, "copy", 1, &one, 1, &v), 1, &v);
	return lt_graph_cast(g, count, dtype);
}

lt_node lt__build_softmax_over(struct lt_graph *g, lt_node x, lt_var v)
{
	lt_node max = lt_graph_reduce(g, "max", x, 1, &v);
	lt_node power = lt_graph_unary(g, "exp", lt_graph_binary(g, "sub", x, max));

	return lt_graph_binary(g, "div", power, lt_graph_reduce(g, "add", power, 1, &v));
}
