/* nodes_norm.c -- normalizations by channels, and recurrent networks; the argument order and defaults
 * are those of ONNX. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

/* A vector as long as x's axis 1, of x's type. */
static bool check_channels(struct lt_script *s, const struct lt_arg *x, const struct lt_arg *w)
{
	const struct lt_graph *g = s->graph;
	if (!lt__script_same_type(s, x, w))
		return false;
	const lt_var channels = lt_node_dim(g, x->node, 1);
	const bool vector = lt_node_rank(g, w->node) == 1;
	if (vector && lt__var_same_range(g, channels, lt_node_dim(g, w->node, 0)))
		return true;
	lt__script_fail(s, w->position, LT_ETYPE,
		"Different shapes: %s and %s; it has to be one vector as long as axis 1, the channels%s",
		lt__script_value(s, x), lt__script_value(s, w),
		vector ? lt__script_unlike(s, channels, lt_node_dim(g, w->node, 0)) : "");
	return false;
}

/* x [N, C, ..], and n vectors of its channels after it. */
static bool check_norm(struct lt_script *s, const struct lt_arg *a, int32_t n, const struct lt_arg *eps)
{
	if (!lt__script_float(s, a))
		return false;
	if (lt_node_rank(s->graph, a->node) < 2) {
		lt__script_fail(s, a->position, LT_ETYPE, "Different number of dimensions: %s has to have two at least, [N, C, ..]",
			lt__script_value(s, a));
		return false;
	}
	for (int32_t i = 1; i <= n; i++)
		if (!check_channels(s, a, &a[i]))
			return false;
	return lt__script_eps(s, eps, lt_node_dtype(s->graph, a->node));
}

LT_BUILDER(batch_norm)
{
	struct lt_graph *g = s->graph;
	if (!check_norm(s, a, 4, &a[5]))
		return -1;
	const int32_t rank = lt_node_rank(g, a[0].node);
	lt_node x = lt__build_wide(g, a[0].node), mean = lt__build_per_channel(g, a[3].node, rank, x);
	lt_node variance = lt__build_per_channel(g, a[4].node, rank, x);
	lt_node y = lt__build_batch_norm(g, x, a[1].node, a[2].node, mean, variance, a[5].number);
	return y < 0 ? -1 : lt_graph_cast(g, y, lt_node_dtype(g, a[0].node));
}

LT_BUILDER(instance_norm)
{
	if (!check_norm(s, a, 2, &a[3]))
		return -1;
	if (lt_node_rank(s->graph, a[0].node) < 3)
		return lt__script_refuse(s, a[0].position, LT_ETYPE,
			"Different number of dimensions: %s has to have three at least, [N, C, ..]", lt__script_value(s, a));
	return lt__build_instance_norm(s->graph, a[0].node, a[1].node, a[2].node, a[3].number);
}

LT_BUILDER(group_norm)
{
	if (!check_norm(s, a, 2, &a[4]))
		return -1;
	if (!lt__script_fixed(s, a, 1, "grouped", "group first, then slice"))
		return -1;
	if (a[3].i < 1 || lt__script_extent(s, a[0].node, 1) % a[3].i)
		return lt__script_refuse(s, a[3].position, LT_ETYPE,
			"Invalid number of groups %lld: it has to divide the channels of %s, axis 1", (long long)a[3].i,
			lt__script_value(s, a));
	return lt__build_group_norm(s->graph, a[0].node, a[3].i, a[1].node, a[2].node, a[4].number, false);
}

/* ---- RNN, GRU and LSTM ---- */

/* An operand that 0 may stand for. */
static bool read_norm_operand(
	struct lt_script *s, const struct lt_arg *x, const struct lt_arg *a, bool whole, lt_node *out)
{
	*out = LT_OMIT;
	if (a->statement < 0 && a->i == 0)
		return true;
	*out = a->node;
	if (a->statement < 0)
		lt__script_fail(s, a->position, LT_EINVAL, "Invalid number %lld: this is a node, or 0 for none", (long long)a->i);
	else if (!whole)
		return lt__script_same_type(s, x, a);
	else if (lt__dtype_info(lt_node_dtype(s->graph, a->node))->cls == LT_CLASS_INT)
		return true;
	else
		lt__script_fail(s, a->position, LT_ETYPE, "Unsupported value type: %s has to be of an integer type",
			lt__script_value(s, a));
	return false;
}

static void default_activations(struct lt_recurrent *u)
{
	const struct lt_recurrent_info *info = &lt__recurrent_info[u->kind];
	for (int32_t i = 0; i < info->n_act * LT_RECURRENT_DIRECTIONS; i++) {
		const char *name = info->act[i % info->n_act];
		u->act[i / info->n_act][i % info->n_act].function =
			lt__function_find(LT_FUNCTION_RECURRENT, name, strlen(name));
	}
}

/* Operands x, w, r, bias, lengths, h, for the LSTM cell and peepholes; then the direction, then what is wanted. */
static lt_node script_recurrent(struct lt_script *s, struct lt_recurrent *u, const struct lt_arg *a, int32_t n)
{
	lt_node out[3], *optional[] = { &u->bias, &u->lengths, &u->h, &u->cell, &u->peephole };
	const bool lstm = u->kind == LT_RECURRENT_LSTM;
	const int32_t n_operand = lstm ? 8 : 6;
	const struct lt_arg *direction = &a[n_operand], *wanted = &a[n - 1];
	u->cell = u->peephole = LT_OMIT;
	for (int32_t i = 0; i < 3; i++)
		if (!lt__script_same_type(s, a, &a[i]) || !lt__script_float(s, &a[i]))
			return -1;
	for (int32_t i = 3; i < n_operand; i++)
		if (!read_norm_operand(s, a, &a[i], i == 4, optional[i - 3]))
			return -1;
	u->x = a[0].node;
	u->w = a[1].node;
	u->r = a[2].node;
	const int32_t rank = lt_node_rank(s->graph, u->r);
	u->hidden = rank ? lt__script_extent(s, u->r, rank - 1) : 0;
	u->n_direction = direction->i == 2 ? 2 : 1;
	u->backwards = direction->i == 1;
	return lt__build_recurrent(s->graph, u, out) ? out[wanted->i] : -1;
}

LT_BUILDER(rnn)
{
	struct lt_recurrent u = { .kind = LT_RECURRENT_RNN };
	default_activations(&u);
	if (a[7].i)
		for (int d = 0; d < LT_RECURRENT_DIRECTIONS; d++)
			u.act[d][0].function = lt__function_find(LT_FUNCTION_RECURRENT, "Relu", 4);
	return script_recurrent(s, &u, a, n);
}

LT_BUILDER(gru)
{
	struct lt_recurrent u = { .kind = LT_RECURRENT_GRU, .linear_before_reset = a[7].i };
	default_activations(&u);
	return script_recurrent(s, &u, a, n);
}

LT_BUILDER(lstm)
{
	struct lt_recurrent u = { .kind = LT_RECURRENT_LSTM };
	default_activations(&u);
	return script_recurrent(s, &u, a, n);
}
