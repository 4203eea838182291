/* nodes_fixed.c -- integers that stand for numbers: other scales, products, functions by tables. */
#include "frontends/script/reader.h"
#include "ir/op/op.h"

/* A sentence about integers of the graph is one about the node that is built. */
static bool is_integer(struct lt_script *s, const struct lt_arg *a)
{
	const enum lt_dtype t = lt_node_dtype(s->graph, a->node);
	if (lt__dtype_info(t)->cls == LT_CLASS_INT && t != LT_U32 && t != LT_U64)
		return true;
	lt__script_fail(s, a->position, LT_ETYPE,
		"Unsupported value type: %s has to be int8, uint8, int16, uint16, int32 or int64", lt__script_value(s, a));
	return false;
}

LT_BUILDER(means)
{
	return lt_node_means(s->graph, a[0].node, a[1].number, a[2].i) ? -1 : a[0].node;
}

/* A node, or an integer that is there in its place. */
static lt_node node_or_literal(struct lt_script *s, const struct lt_arg *a)
{
	return a->statement >= 0 ? a->node : lt_graph_literal_int(s->graph, LT_I32, a->i);
}

/* The same where 0 says that there is none. */
static lt_node optional_node(struct lt_script *s, const struct lt_arg *a)
{
	return a->statement < 0 && a->i == 0 ? LT_OMIT : node_or_literal(s, a);
}

/* Whether what meets x does so as NumPy has it, without making x larger. */
static bool meets(struct lt_script *s, const struct lt_arg *x, const struct lt_arg *by)
{
	if (by->statement < 0)
		return true;
	const struct lt_graph *g = s->graph;
	const int32_t rank = lt_node_rank(g, x->node), own = lt_node_rank(g, by->node);
	bool fits = own <= rank;
	for (int32_t i = 1; fits && i <= own; i++)
		fits = lt__script_extent(s, by->node, own - i) == 1
			|| lt__var_same_range(g, lt_node_dim(g, by->node, own - i), lt_node_dim(g, x->node, rank - i));
	if (!fits)
		lt__script_fail(s, by->position, LT_ETYPE, "Different shapes: %s has to broadcast to %s", lt__script_value(s, by),
			lt__script_value(s, x));
	return fits;
}

/* The last three arguments: zero, least, most. */
static lt_node requantised(struct lt_script *s, const struct lt_arg *x, struct lt_requant *q, const struct lt_arg *end)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(q->to);
	if (!is_integer(s, x))
		return -1;
	q->zero = end[0].i;
	q->least = end[1].given ? end[1].i : info->is_signed ? -(int64_t)info->largest - 1 : 0;
	q->most = end[2].given ? end[2].i : (int64_t)info->largest;
	return lt_build_requant(s->graph, x->node, q);
}

/* Types beyond those of a result have no range that fits an int64. */
static bool is_target(struct lt_script *s, const struct lt_arg *type)
{
	const enum lt_dtype t = type->dtype;
	if (t == LT_I8 || t == LT_U8 || t == LT_I16 || t == LT_U16 || t == LT_I32)
		return true;
	lt__script_fail(s, type->position, LT_ETYPE,
		"Unsupported value type: integers are brought to int8, uint8, int16, uint16 or int32, not to %s",
		lt__dtype_info(t)->script);
	return false;
}

LT_BUILDER(requant_shift)
{
	static const enum lt_rounding words[] = { LT_ROUND_EVEN, LT_ROUND_FLOOR, LT_ROUND_ZERO, LT_ROUND_UP, LT_ROUND_AWAY };
	if (!is_target(s, &a[2]) || !meets(s, &a[0], &a[1]))
		return -1;
	struct lt_requant q = { .kind = LT_REQUANT_SHIFT, .rounding = words[a[3].i], .shift = node_or_literal(s, &a[1]),
		.to = a[2].dtype };
	return requantised(s, &a[0], &q, &a[4]);
}

LT_BUILDER(requant_multiplier)
{
	if (!is_target(s, &a[3]) || !meets(s, &a[0], &a[1]) || !meets(s, &a[0], &a[2]))
		return -1;
	struct lt_requant q = { .kind = LT_REQUANT_MULTIPLIER, .rounding = a[4].i ? LT_ROUND_UP : LT_ROUND_AWAY,
		.to = a[3].dtype };
	q.by = node_or_literal(s, &a[1]);
	q.shift = node_or_literal(s, &a[2]);
	return requantised(s, &a[0], &q, &a[5]);
}

LT_BUILDER(requant_step)
{
	if (!is_target(s, &a[2]) || !meets(s, &a[0], &a[1]) || !lt__script_float32(s, &a[1]))
		return -1;
	struct lt_requant q = { .kind = LT_REQUANT_STEP, .by = a[1].node, .to = a[2].dtype };
	return requantised(s, &a[0], &q, &a[3]);
}

/* bias, zero, zero of the second, type of the sums */
static struct lt_fixed_product fixed_product(struct lt_script *s, const struct lt_arg *a)
{
	static const enum lt_dtype sums[] = { 0, LT_I32, LT_I64 };
	struct lt_fixed_product p = { .zero_a = a[1].i, .bias = optional_node(s, &a[0]), .sum = sums[a[3].i] };
	p.zero_b = optional_node(s, &a[2]);
	return p;
}

LT_BUILDER(fixed_matmul)
{
	const struct lt_fixed_product p = fixed_product(s, &a[2]);
	return lt_build_fixed_matmul(s->graph, a[0].node, a[1].node, &p, NULL);
}

LT_BUILDER(fixed_conv2d)
{
	const struct lt_fixed_product p = fixed_product(s, &a[2]);
	struct lt_fixed_window by = { .groups = a[9].i, .layout = a[10].layout };
	for (int32_t i = 0; i < 3; i++) {
		static const char *const what[] = { "strides", "pads", "dilations" };
		int64_t *to[] = { by.strides, by.pads, by.dilations };
		const int32_t want = i == 1 ? 4 : 2;
		if (a[6 + i].n != want)
			return lt__script_refuse(s, a[6 + i].position, LT_EINVAL, "Invalid %s %s: %d numbers are needed", what[i],
				lt__script_list(s, a[6 + i].list, a[6 + i].n), want);
		for (int32_t k = 0; k < want; k++)
			to[i][k] = a[6 + i].list[k];
	}
	return lt_build_fixed_conv2d(s->graph, a[0].node, a[1].node, &by, &p, NULL);
}

LT_BUILDER(table) { return lt_build_table(s->graph, a[0].node, a[1].node); }
LT_BUILDER(fixed_exp) { return lt_build_fixed_exp(s->graph, a[0].node, a[1].node, a[2].node); }
LT_BUILDER(fixed_sigmoid) { return lt_build_fixed_sigmoid(s->graph, a[0].node, a[1].node, a[2].node); }
LT_BUILDER(fixed_tanh) { return lt_build_fixed_tanh(s->graph, a[0].node, a[1].node, a[2].node); }

LT_BUILDER(fixed_softmax)
{
	int32_t axis;
	if (!lt__script_axis(s, &a[3], lt_node_rank(s->graph, a[0].node), &axis))
		return -1;
	return lt_build_fixed_softmax(s->graph, a[0].node, a[1].node, a[2].node, axis);
}

LT_BUILDER(fixed_l2_norm)
{
	int32_t axis;
	if (!lt__script_axis(s, &a[1], lt_node_rank(s->graph, a[0].node), &axis))
		return -1;
	return lt_build_fixed_l2_norm(s->graph, a[0].node, axis);
}
