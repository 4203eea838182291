/* nodes_index.c -- elements by their positions: gather, the first in order, one-hot, triangles,
 * running sums. */
#include "frontends/script/reader.h"
#include "ir/build/build.h"

static bool check_index(struct lt_script *s, const struct lt_arg *a)
{
	if (lt__dtype_info(lt_node_dtype(s->graph, a->node))->cls == LT_CLASS_INT)
		return true;
	lt__script_fail(s, a->position, LT_ETYPE, "Unsupported value type: %s has to be of an integer type",
		lt__script_value(s, a));
	return false;
}

LT_BUILDER(gather)
{
	int32_t axis;
	if (!check_index(s, &a[1]) || !lt__script_axis(s, &a[2], lt_node_rank(s->graph, a[0].node), &axis))
		return -1;
	lt_node index = lt__script_places(s, a[1].node);
	index = index < 0 ? -1 : lt__script_apart(s, a[0].node, axis, index);
	return index < 0 ? -1 : lt_graph_gather(s->graph, a[0].node, index, axis);
}

LT_BUILDER(gather_elements)
{
	struct lt_graph *g = s->graph;
	int32_t axis, rank = lt_node_rank(g, a[0].node);
	if (!check_index(s, &a[1]) || !lt__script_axis(s, &a[2], rank, &axis))
		return -1;
	bool fits = lt_node_rank(g, a[1].node) == rank;
	for (int32_t i = 0; fits && i < rank; i++)
		fits = i == axis || lt__script_extent(s, a[1].node, i) <= lt__script_extent(s, a[0].node, i);
	if (!fits)
		return lt__script_refuse(s, a[1].position, LT_ETYPE,
			"Incompatible shapes: the index %s has to have the axes of %s, none longer except for axis %d",
			lt__script_value(s, &a[1]), lt__script_value(s, &a[0]), axis);
	for (int32_t i = 0; i < rank; i++)
		if (!lt__script_fixed(s, &a[0], i, "indexed by elements", "GatherNode takes whole slices") ||
			!lt__script_fixed(s, &a[1], i, "an index by elements", "GatherNode takes whole slices"))
			return -1;
	return lt__build_gather_elements(g, a[0].node, lt__script_places(s, a[1].node), axis);
}

LT_BUILDER(top_k)
{
	lt_node values, at;
	int32_t axis;
	if (!lt__script_takes(s, a, LT_OP_add) || !lt__script_axis(s, &a[2], lt_node_rank(s->graph, a[0].node), &axis) ||
		!lt__script_fixed(s, a, axis, "put in order", "put in order first, then slice"))
		return -1;
	if (a[1].i < 1 || a[1].i > lt__script_extent(s, a[0].node, axis))
		return lt__script_refuse(s, a[1].position, LT_EINVAL, "Invalid number %lld: axis %d of %s allows 1 .. %lld",
			(long long)a[1].i, axis, lt__script_value(s, a), (long long)lt__script_extent(s, a[0].node, axis));
	lt__build_top_k(s->graph, a[0].node, axis, a[1].i, a[3].i == 0, &values, &at);
	return a[4].i ? at : values;
}

LT_BUILDER(one_hot)
{
	struct lt_graph *g = s->graph;
	int32_t axis;
	if (!check_index(s, &a[0]) || !lt__script_axis(s, &a[2], lt_node_rank(g, a[0].node) + 1, &axis))
		return -1;
	if (a[1].i < 1)
		return lt__script_refuse(s, a[1].position, LT_EINVAL, "Invalid depth %lld, it has to be at least 1",
			(long long)a[1].i);
	lt_node hit = lt__build_one_hot(g, lt_graph_cast(g, a[0].node, LT_I64), a[1].i, axis);
	return hit < 0 ? -1 : lt_graph_cast(g, hit, a[3].dtype);
}

static lt_node script_triangle(struct lt_script *s, const struct lt_arg *a, bool upper)
{
	if (lt_node_rank(s->graph, a[0].node) < 2)
		return lt__script_refuse(s, a[0].position, LT_ETYPE,
			"Different number of dimensions: %s has to have two at least, for a triangle of the last two",
			lt__script_value(s, a));
	return lt__build_triangle(s->graph, a[0].node, a[1].i, upper);
}

LT_BUILDER(tril) { return script_triangle(s, a, false); }
LT_BUILDER(triu) { return script_triangle(s, a, true); }

static lt_node script_running(struct lt_script *s, const struct lt_arg *a, const char *op)
{
	int32_t axis;
	if (!lt__script_takes(s, a, (enum lt_opcode)lt__op_find(op)) ||
		!lt__script_axis(s, &a[1], lt_node_rank(s->graph, a[0].node), &axis) || !lt__script_flag(s, &a[2], "exclusive") ||
		!lt__script_flag(s, &a[3], "reverse"))
		return -1;
	if (a[3].i && !lt__script_fixed(s, a, axis, "summed in reverse", "sum first, then slice"))
		return -1;
	return lt__build_running(s->graph, op, a[0].node, axis, a[2].i, a[3].i);
}

LT_BUILDER(cum_sum)  { return script_running(s, a, "add"); }
LT_BUILDER(cum_prod) { return script_running(s, a, "mul"); }
