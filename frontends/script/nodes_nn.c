/* nodes_nn.c -- layers of neural networks, normalizations by channels, recurrent networks, with the argument order and
 * defaults of ONNX. */
#include <math.h>
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

LT_BUILDER(gelu)
{
	if (!lt__script_float(s, a))
		return -1;
	return a[1].i ? lt__build_gelu_tanh(s->graph, a[0].node) : lt_build_gelu(s->graph, a[0].node);
}

/* x, below 0 slope * x; the slope broadcasts to x as NumPy does. */
LT_BUILDER(prelu)
{
	struct lt_graph *g = s->graph;
	lt_node operand[2], scaled;
	int32_t rank;
	lt_var *dim;
	if (!lt__script_float(s, a) || !lt__script_same_type(s, &a[0], &a[1]) ||
		!lt__script_broadcast(s, 2, a, &rank, &dim, operand))
		return -1;
	scaled = lt_graph_op_to(g, "mul", 2, operand, rank, dim);
	return lt__pos_select(g, lt__pos_opf(g, "less", a[0].node, 0), scaled, a[0].node);
}

/* As PyTorch's: x w^T + b, w [out, in]. */
LT_BUILDER(linear)
{
	struct lt_graph *g = s->graph;
	if (!lt__script_same_type(s, &a[0], &a[1]) || !lt__script_takes(s, a, LT_OP_mul))
		return -1;
	const int32_t rank = lt_node_rank(g, a[0].node);
	bool fits = rank > 0 && lt_node_rank(g, a[1].node) == 2 &&
		lt__var_same_range(g, lt_node_dim(g, a[0].node, rank - 1), lt_node_dim(g, a[1].node, 1));
	if (!fits)
		return lt__script_refuse(s, a[1].position, LT_ETYPE, "Incompatible shapes for matrix multiplication: %s and %s; the "
			"weights have to be [out, in], and in the last dimension of the first", lt__script_value(s, &a[0]),
			lt__script_value(s, &a[1]));
	lt_node y = lt_build_matmul(g, a[0].node, lt__pos_swap(g, a[1].node, 0, 1));
	if (!a[2].given || y < 0)
		return y;
	if (!lt__script_same_type(s, &a[0], &a[2]))
		return -1;
	if (lt_node_rank(g, a[2].node) != 1 ||
		!lt__var_same_range(g, lt_node_dim(g, a[1].node, 0), lt_node_dim(g, a[2].node, 0)))
		return lt__script_refuse(s, a[2].position, LT_ETYPE,
			"Different shapes: %s and %s; the bias has to be one vector of the first's first dimension",
			lt__script_value(s, &a[1]), lt__script_value(s, &a[2]));
	return lt__pos_op2(g, "add", y, a[2].node);
}

LT_BUILDER(softmax)
{
	int32_t axis;
	if (!lt__script_float(s, a) || !lt__script_axis(s, &a[1], lt_node_rank(s->graph, a[0].node), &axis))
		return -1;
	return lt_build_softmax(s->graph, a[0].node, axis);
}

LT_BUILDER(log_softmax)
{
	struct lt_graph *g = s->graph;
	int32_t axis;
	if (!lt__script_float(s, a) || !lt__script_axis(s, &a[1], lt_node_rank(g, a[0].node), &axis))
		return -1;
	lt_node y = lt__build_log_softmax(g, lt__build_wide(g, a[0].node), axis);
	return y < 0 ? -1 : lt_graph_cast(g, y, lt_node_dtype(g, a[0].node));
}

LT_BUILDER(layer_norm)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	if (!lt__script_float(s, a))
		return -1;
	if (rank < 1)
		return lt__script_refuse(
			s, a[0].position, LT_ETYPE, "%s has no dimension to normalize over", lt__script_value(s, &a[0]));
	for (int32_t i = 1; i < 3 && a[i].given; i++) {
		if (!lt__script_same_type(s, &a[0], &a[i]))
			return -1;
		if (lt_node_rank(g, a[i].node) != 1 ||
			!lt__var_same_range(s->graph, lt_node_dim(g, a[0].node, rank - 1), lt_node_dim(g, a[i].node, 0)))
			return lt__script_refuse(s, a[i].position, LT_ETYPE,
				"Different shapes: %s and %s; weights are one vector as long as "
				"the last dimension%s", lt__script_value(s, &a[0]), lt__script_value(s, &a[i]),
				lt_node_rank(g, a[i].node) != 1 ? "" :
				lt__script_unlike(s, lt_node_dim(g, a[0].node, rank - 1), lt_node_dim(g, a[i].node, 0)));
	}
	if (!lt__script_eps(s, &a[3], lt_node_dtype(g, a[0].node)))
		return -1;
	return lt_build_layer_norm(g, a[0].node, a[1].given ? a[1].node : LT_OMIT, a[2].given ? a[2].node : LT_OMIT,
		a[3].number);
}

/* Lists of `n` numbers, each at least `min`; what: "strides". */
static bool check_list(struct lt_script *s, const struct lt_arg *a, int32_t n, int64_t min, const char *what)
{
	bool good = a->n == n;
	for (int32_t i = 0; good && i < n; i++)
		good = a->list[i] >= min;
	if (!good)
		lt__script_fail(s, a->position, LT_EINVAL, "Invalid %s %s: %d numbers of at least %lld are needed", what,
			lt__script_list(s, a->list, a->n), n, (long long)min);
	return good;
}

/* Whether the windows along both axes of an image fit into it with its pads. */
static bool check_windows(struct lt_script *s, const struct lt_arg *x, enum lt_layout layout, const int64_t *window,
	const struct lt_arg *pads, const int64_t *dilations)
{
	for (int32_t i = 0; i < 2; i++) {
		int32_t axis = i + (layout == LT_NCHW ? 2 : 1);
		int64_t span, padded = lt__script_extent(s, x->node, axis);
		if (!lt__script_fixed(s, x, axis, "windowed", "window first, then slice"))
			return false;
		if (lt__mul_overflow(window[i] - 1, dilations[i], &span) || lt__add_overflow(padded, pads->list[i], &padded) ||
			lt__add_overflow(padded, pads->list[i + 2], &padded)) {
			lt__script_fail(s, pads->position, LT_EOVERFLOW, "The windows over %s exceed 63 bits", lt__script_value(s, x));
			return false;
		}
		if (span >= padded) {
			lt__script_fail(s, x->position, LT_ETYPE, "Incompatible shapes: the window is %lld %s, %s with its pads %lld",
				(long long)span + 1, i ? "wide" : "high", lt__script_value(s, x), (long long)padded);
			return false;
		}
	}
	return true;
}

static bool check_image(struct lt_script *s, const struct lt_arg *a, const char *what)
{
	if (!lt__script_float(s, a))
		return false;
	if (lt_node_rank(s->graph, a->node) == 4)
		return true;
	lt__script_fail(s, a->position, LT_ETYPE, "Different number of dimensions: %s has to have four, %s",
		lt__script_value(s, a), what);
	return false;
}

LT_BUILDER(conv2d)
{
	struct lt_graph *g = s->graph;
	const struct lt_arg *x = &a[0], *w = &a[1];
	enum lt_layout layout = a[6].layout;
	bool first = layout == LT_NCHW;         /* channels come first */
	if (!check_image(s, x, first ? "NCHW" : "NHWC") || !check_image(s, w, first ? "OIHW" : "HWIO") ||
		!lt__script_same_type(s, x, w) || !check_list(s, &a[2], 2, 1, "strides") || !check_list(s, &a[3], 4, 0, "pads") ||
		!check_list(s, &a[4], 2, 1, "dilations"))
		return -1;
	if (!lt__script_fixed(s, x, first ? 1 : 3, "convolved", "convolve first, then slice"))
		return -1;
	for (int32_t i = 0; i < 4; i++)
		if (!lt__script_fixed(s, w, i, "convolved", "a filter has a shape that is known"))
			return -1;
	int64_t channels = lt__script_extent(s, x->node, first ? 1 : 3), in = lt__script_extent(s, w->node, first ? 1 : 2);
	int64_t out = lt__script_extent(s, w->node, first ? 0 : 3), groups = a[5].i, all;
	if (groups < 1 || lt__mul_overflow(in, groups, &all) || all != channels || out % groups)
		return lt__script_refuse(s, groups < 1 ? a[5].position : w->position, LT_ETYPE,
			"Incompatible shapes for convolution: %s and %s with %lld groups; the input's channels have to "
			"be groups times the filter's, and its outputs a multiple of groups",
			lt__script_value(s, x), lt__script_value(s, w), (long long)groups);
	const int64_t window[] = { lt__script_extent(s, w->node, first ? 2 : 0),
		lt__script_extent(s, w->node, first ? 3 : 1) };
	if (!check_windows(s, x, layout, window, &a[3], a[4].list))
		return -1;
	return lt_build_conv2d(g, x->node, w->node, a[2].list, a[3].list, a[4].list, groups, layout);
}

static bool check_pool(struct lt_script *s, const struct lt_arg *a, const int64_t *dilations, enum lt_layout layout)
{
	return check_image(s, a, layout == LT_NCHW ? "NCHW" : "NHWC") && check_list(s, &a[1], 2, 1, "window") &&
		check_list(s, &a[2], 2, 1, "strides") && check_list(s, &a[3], 4, 0, "pads") &&
		check_windows(s, a, layout, a[1].list, &a[3], dilations);
}

LT_BUILDER(max_pool2d)
{
	if (!check_list(s, &a[4], 2, 1, "dilations") || !check_pool(s, a, a[4].list, a[5].layout))
		return -1;
	return lt_build_max_pool2d(s->graph, a[0].node, a[1].list, a[2].list, a[3].list, a[4].list, a[5].layout);
}

LT_BUILDER(average_pool2d)
{
	static const int64_t dense[] = { 1, 1 };
	if (!check_pool(s, a, dense, a[5].layout))
		return -1;
	if (!lt__script_flag(s, &a[4], "count_pad"))
		return -1;
	return lt_build_average_pool2d(s->graph, a[0].node, a[1].list, a[2].list, a[3].list, a[4].i == 1, a[5].layout);
}

/* q [.., s, d], k [.., t, d], v [.., t, e] */
static bool attention_fits(const struct lt_script *s, const struct lt_arg *a)
{
	const struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	if (rank < 2 || lt_node_rank(g, a[1].node) != rank || lt_node_rank(g, a[2].node) != rank)
		return false;
	for (int32_t i = 0; i < rank - 2; i++)
		for (int32_t k = 1; k < 3; k++)
			if (!lt__var_same_range(s->graph, lt_node_dim(g, a[0].node, i), lt_node_dim(g, a[k].node, i)))
				return false;
	return lt__var_same_range(s->graph, lt_node_dim(g, a[0].node, rank - 1), lt_node_dim(g, a[1].node, rank - 1)) &&
		lt__var_same_range(s->graph, lt_node_dim(g, a[1].node, rank - 2), lt_node_dim(g, a[2].node, rank - 2));
}

LT_BUILDER(attention)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	for (int32_t i = 0; i < 3; i++)
		if (!lt__script_same_type(s, &a[0], &a[i]) || !lt__script_float(s, &a[i]))
			return -1;
	if (!attention_fits(s, a))
		return lt__script_refuse(s, a[0].position, LT_ETYPE,
			"Incompatible shapes for attention: %s, %s and %s have to be [.., s, d], [.., t, d] and [.., "
			"t, e]",
			lt__script_value(s, &a[0]), lt__script_value(s, &a[1]), lt__script_value(s, &a[2]));
	if (!lt__script_flag(s, &a[4], "causal"))
		return -1;
	double scale = a[3].given ? a[3].number : 1 / sqrt((double)lt__script_extent(s, a[0].node, rank - 1));
	return lt_build_attention(g, a[0].node, a[1].node, a[2].node, scale, a[4].i == 1);
}

/* -- Normalizations, recurrent networks. */

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
