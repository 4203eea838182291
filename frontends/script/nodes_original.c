/* nodes_original.c -- the arithmetic of the original language: float32, only r broadcasts. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

/* Types and shapes of SumNode and its like. */
static bool check_pointwise(struct lt_script *s, const struct lt_arg *l, const struct lt_arg *r)
{
	int32_t rank = lt_node_rank(s->graph, l->node);
	if (!lt__script_same_type(s, l, r) || !lt__script_float32(s, l))
		return false;
	if (lt_node_rank(s->graph, r->node) != rank) {
		lt__script_fail(s, r->position, LT_ETYPE,
			"Different number of dimensions: %s and %s; ReshapeNode adds dimensions of 1",
			lt__script_value(s, l), lt__script_value(s, r));
		return false;
	}
	for (int32_t i = 0; i < rank; i++) {
		lt_var to = lt_node_dim(s->graph, l->node, i), from = lt_node_dim(s->graph, r->node, i);
		bool one = lt_var_extent(s->graph, from) == 1 && !lt__script_bounded(s, r->node, i);
		if (one || lt__var_same_range(s->graph, to, from))
			continue;
		lt__script_fail(s, r->position, LT_ETYPE, "Incompatible shapes for pointwise operation: %s and %s differ at axis %d, "
			"where the second has to be equal or 1%s", lt__script_value(s, l), lt__script_value(s, r), i,
			lt__script_unlike(s, to, from));
		return false;
	}
	return true;
}

static lt_node build_pointwise(struct lt_script *s, const char *op, const struct lt_arg *a)
{
	struct lt_graph *g = s->graph;
	if (!check_pointwise(s, &a[0], &a[1]))
		return -1;
	int32_t rank = lt_node_rank(g, a[0].node);
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	for (int32_t i = 0; i < rank; i++)
		v[i] = lt_node_dim(g, a[0].node, i);
	const lt_node operand[] = { a[0].node, lt_build_broadcast_to(g, a[1].node, a[0].node) };
	return lt_graph_op_to(g, op, 2, operand, rank, v);
}

LT_BUILDER(sum)
{
	return build_pointwise(s, "add", a);
}

LT_BUILDER(hadamard)
{
	return build_pointwise(s, "mul", a);
}

LT_BUILDER(complex_hadamard)
{
	struct lt_graph *g = s->graph;
	if (!check_pointwise(s, &a[0], &a[1]))
		return -1;
	for (int32_t i = 0; i < 2; i++) {
		int32_t rank = lt_node_rank(g, a[i].node);
		if (rank < 1 || lt__script_extent(s, a[i].node, rank - 1) != 2 || lt__script_bounded(s, a[i].node, rank - 1))
			return lt__script_refuse(s, a[i].position, LT_ETYPE,
				"Incompatible shapes for pointwise operation: the last dimension of %s has to be 2, real and imaginary part",
				lt__script_value(s, &a[i]));
	}
	return lt_build_complex_mul(g, a[0].node, a[1].node);
}

LT_BUILDER(relu)
{
	return lt__script_float32(s, a) ? lt_build_relu(s->graph, a[0].node) : -1;
}

LT_BUILDER(silu)
{
	return lt__script_float32(s, a) ? lt_build_silu(s->graph, a[0].node) : -1;
}

/* The field's letter for a dim, where it has none of its own yet but an input's (i, j, l or one made up). */
static void name_dim(struct lt_graph *g, lt_node x, int32_t axis, const char *letter)
{
	lt_var v = lt_node_dim(g, x, axis);
	const char *now = g->var[v].name;
	if (strchr("ijld", now[0]) && now[1 + strspn(now + 1, "0123456789")] == '\0')
		lt_var_set_name(g, v, letter);
}

LT_BUILDER(matmul)
{
	lt_var v, w;
	if (!lt__script_same_type(s, &a[0], &a[1]) || !lt__script_takes(s, a, LT_OP_mul))
		return -1;
	const char *why = lt__build_matmul_misfit(s->graph, a[0].node, a[1].node, &v, &w);
	if (why)
		return lt__script_refuse(s, a[1].position, LT_ETYPE, "Incompatible shapes for matrix multiplication: %s and %s; %s%s",
			lt__script_value(s, &a[0]), lt__script_value(s, &a[1]), why, v < 0 ? "" : lt__script_unlike(s, v, w));
	int32_t left = lt_node_rank(s->graph, a[0].node), right = lt_node_rank(s->graph, a[1].node);
	name_dim(s->graph, a[0].node, left - 1, "k");
	if (left > 1)
		name_dim(s->graph, a[0].node, left - 2, "m");
	if (left > 2)
		name_dim(s->graph, a[0].node, left - 3, "b");
	if (right > 1)
		name_dim(s->graph, a[1].node, right - 1, "n");
	return lt_build_matmul(s->graph, a[0].node, a[1].node);
}

static const char *unlike_last(struct lt_script *s, const struct lt_arg *x, const struct lt_arg *w)
{
	int32_t rank = lt_node_rank(s->graph, x->node);
	if (rank < 1 || lt_node_rank(s->graph, w->node) != 1)
		return "";
	return lt__script_unlike(s, lt_node_dim(s->graph, x->node, rank - 1), lt_node_dim(s->graph, w->node, 0));
}

LT_BUILDER(rms_norm)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	if (!lt__script_same_type(s, &a[0], &a[1]) || !lt__script_float32(s, a))
		return -1;
	if (rank < 1 || lt_node_rank(g, a[1].node) != 1 ||
		!lt__var_same_range(s->graph, lt_node_dim(g, a[0].node, rank - 1), lt_node_dim(g, a[1].node, 0)))
		return lt__script_refuse(s, a[1].position, LT_ETYPE,
			"Different shapes: %s and %s; the weights have to be one vector as "
			"long as the last dimension%s", lt__script_value(s, &a[0]), lt__script_value(s, &a[1]), unlike_last(s, a, &a[1]));
	if (!lt__script_eps(s, &a[2], LT_F32))
		return -1;
	return lt_build_rms_norm(g, a[0].node, a[1].node, a[2].number);
}

/* A prefix that is known: softmax of a slice, joined with what is copied. */
static lt_node fixed_softmax(struct lt_script *s, const struct lt_arg *a, int32_t axis, int64_t prefix)
{
	struct lt_graph *g = s->graph;
	int64_t extent = lt__script_extent(s, a->node, axis);
	if (prefix == 0)
		return lt_graph_unary(g, "copy", a->node);
	if (prefix == extent)
		return lt_build_softmax(g, a->node, axis);
	const lt_node part[] = { lt_build_softmax(g, lt_graph_slice(g, a->node, axis, 0, 1, prefix), axis),
		lt_graph_slice(g, a->node, axis, prefix, 1, extent - prefix) };
	return lt_graph_concat(g, axis, 2, part);
}

LT_BUILDER(sliced_softmax)
{
	struct lt_graph *g = s->graph;
	int32_t axis = lt_node_rank(g, a[0].node) - 1;
	if (!lt__script_float32(s, a))
		return -1;
	if (axis < 0)
		return lt__script_refuse(
			s, a[0].position, LT_ETYPE, "%s has no dimension to take a prefix of", lt__script_value(s, &a[0]));
	int64_t extent = lt__script_extent(s, a[0].node, axis);
	const struct lt_vardef *v = &g->var[lt_node_dim(g, a[0].node, axis)];
	if (v->bounded)
		return lt__script_refuse(s, a[0].position, LT_EUNSUPPORTED,
			"The last dimension of %s depends on a run-time value already; SoftmaxNode takes all of it",
			lt__script_value(s, &a[0]));
	if (a[1].statement >= 0) {
		lt_param prefix = lt__script_param(s, &a[1], 0, extent, "Prefix size");
		return prefix < 0 ? -1 : lt_build_sliced_softmax(g, a[0].node, prefix);
	}
	if (a[1].i < 0 || a[1].i > extent)
		return lt__script_refuse(s, a[1].position, LT_EINVAL,
			"Invalid prefix size %lld: the last dimension of %s allows 0 .. %lld", (long long)a[1].i,
			lt__script_value(s, &a[0]), (long long)extent);
	return fixed_softmax(s, &a[0], axis, a[1].i);
}
