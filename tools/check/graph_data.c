/* graph_data.c -- graphs about data that move: gathers, states, run-time scalars; products. */
#include "tools/check/parts.h"

/* Axis `variant`, or that axis with an extent that a run-time scalar bounds. */
lt_node lt__check_build_gather(struct lt_graph *g, const struct check_case *c)
{
	static const int64_t extents[2] = { 9, 17 }, min[2] = { 4, 5 };
	static const char *const names[2] = { "m", "n" };
	const int64_t factor = 1;
	int32_t axis = c->spec.variant % 2;
	lt_var dims[2], k = lt_graph_var(g, "k", 13);
	for (int i = 0; i < 2; i++)
		if (c->spec.variant >= CHECK_G_BOUNDED && i == axis) {
			lt_node length = lt_graph_input(g, "length", LT_I64, 0, NULL);
			lt_param p = lt_graph_param(g, length, 0, min[i], extents[i]);
			dims[i] = lt_graph_var_bounded(g, names[i], extents[i], 0, 1, &p, &factor);
		} else {
			dims[i] = lt_graph_var(g, names[i], extents[i]);
		}
	lt_node x = lt_graph_input(g, "x", c->spec.dtype, 2, dims), index = lt_graph_input(g, "index", c->spec.other, 1, &k);
	return lt_graph_gather(g, x, index, axis);
}

/* -- states -- */

static lt_node add_nodes(struct lt_graph *g, lt_node a, lt_node b)
{
	return lt_graph_binary(g, lt_node_dtype(g, a) == LT_BOOL ? "xor" : "add", a, b);
}

/* The state's new content; the result is made of it. */
static lt_node data_keep_state(struct lt_graph *g, lt_node state, lt_node value)
{
	return value >= 0 && lt_graph_set_state(g, state, value) ? -1 : value;
}

static lt_param offset(struct lt_graph *g, int64_t high)
{
	lt_var one = lt_graph_var(g, "one", 1);
	return lt_graph_param(g, lt_graph_input(g, "at", LT_I64, 1, &one), 0, 0, high);
}

lt_node lt__check_build_state(struct lt_graph *g, const struct check_case *c)
{
	enum lt_dtype t = c->spec.dtype;
	lt_var dims[2] = { lt_graph_var(g, "m", 6), lt_graph_var(g, "n", 19) },
	       part[2] = { lt_graph_var(g, "p", 2), lt_graph_var(g, "q", 19) };
	lt_node s = lt_graph_state(g, "s", t, 2, dims), second, x;
	const int64_t zero[2] = { 0, 0 };
	switch (c->spec.variant) {
	case CHECK_UPDATE: {
		lt_param at[2] = { offset(g, 4), LT_OMIT };
		x = lt_graph_input(g, "x", t, 2, part);
		return data_keep_state(g, s, lt_graph_update(g, s, x, zero, at));
	}
	case CHECK_SWAP:
		second = lt_graph_state(g, "s2", t, 2, dims);
		if (data_keep_state(g, s, add_nodes(g, second, lt_graph_input(g, "x", t, 2, dims))) < 0)
			return -1;
		return data_keep_state(g, second, lt_graph_unary(g, "copy", s));
	case CHECK_COUNTER: {           /* the state is read as a run-time scalar */
		lt_var one = lt_graph_var(g, "one", 1);
		lt_node count = lt_graph_state(g, "count", LT_I64, 1, &one);
		lt_param at[2] = { lt_graph_param(g, count, 0, 0, 4), LT_OMIT };
		lt_node next = lt_graph_binary(g, "add", count, lt_graph_literal_int(g, LT_I64, 1));
		x = lt_graph_input(g, "x", t, 2, part);
		if (data_keep_state(g, count, lt_graph_binary(g, "min", next, lt_graph_literal_int(g, LT_I64, 4))) < 0)
			return -1;
		return data_keep_state(g, s, lt_graph_update(g, s, x, zero, at));
	}
	case CHECK_APPEND: {            /* a row is added, then all are read */
		lt_param at[2] = { offset(g, 4), LT_OMIT };
		x = lt_graph_input(g, "x", t, 2, part);
		second = data_keep_state(g, s, lt_graph_update(g, s, x, zero, at));
		return lt_graph_reduce(g, "max", second, 1, &dims[0]);
	}
	default:
		return data_keep_state(g, s, add_nodes(g, s, lt_graph_input(g, "x", t, 2, dims)));
	}
}

/* -- run-time scalars -- */

lt_node lt__check_build_param(struct lt_graph *g, const struct check_case *c)
{
	enum lt_dtype t = c->spec.dtype;
	struct check_dims d = lt__check_dims(g, CHECK_ZERO);
	int64_t one = 1;
	lt_node x = lt__check_input(g, "x", t, &d);
	switch (c->spec.variant) {
	case CHECK_P_SLICE: {           /* whole and in part: its begin and its end vary */
		lt_var two = lt_graph_var(g, "ends", 2), dims[2] = { lt_graph_var(g, "a", 4), lt_graph_var(g, "b", 12) };
		lt_node ends = lt_graph_input(g, "begin_end", LT_I64, 1, &two), y = lt_graph_input(g, "y", t, 2, dims);
		lt_param begin = lt_graph_param(g, ends, 0, 0, 5), end = lt_graph_param(g, ends, 1, 5, 12);
		return lt_graph_unary(g, "neg", lt_graph_slice_bounded(g, y, 1, begin, end));
	}
	case CHECK_P_SUM:      return lt_graph_reduce(g, "add", x, 1, &d.at[1]);
	case CHECK_P_GREATEST: return lt_graph_reduce(g, "max", x, 1, &d.at[1]);
	case CHECK_P_BOTH:     return lt_graph_reduce(g, "add", lt_graph_binary(g, "mul", x, x), 2, d.at);
	case CHECK_P_SOFTMAX:  return lt_build_softmax(g, x, 1);
	case CHECK_P_DIFFERENCE: {      /* an extent that is another less a constant, and may fall below zero */
		lt_var ones = lt_graph_var(g, "once", 1);
		lt_param p = lt_graph_param(g, lt_graph_input(g, "length", LT_I64, 1, &ones), 0, 0, 9);
		lt_var v = lt_graph_var_bounded(g, "v", 6, -3, 1, &p, &one);
		lt_var dims[2] = { d.at[0], v };
		return lt_graph_binary(g, "sub", lt_graph_input(g, "y", t, 2, dims), lt_graph_reduce(g, "min", x, 1, &d.at[1]));
	}
	default: return lt_graph_binary(g, "add", x, lt_graph_input(g, "y", t, 1, &d.at[1]));
	}
}

/* -- products -- */

struct product_extents { int64_t m, n, k, b; };
static struct product_extents extents_of(int shape)
{
	return shape == CHECK_ONE      ? (struct product_extents){ 1, 1, 1, 1 }
		: shape == CHECK_PRIME ? (struct product_extents){ 7, 13, 5, 3 }
		: shape == CHECK_ABOVE ? (struct product_extents){ 17, 33, 65, 2 }
				       : (struct product_extents){ 40, 70, 129, 2 };
}

static lt_node product_of(struct lt_graph *g, enum lt_dtype t, int kind, lt_var m, lt_var n, lt_var k, lt_var b)
{
	lt_var left[3] = { m, k, 0 }, right[3] = { k, n, 0 };
	int32_t n_left = 2, n_right = 2;
	if (kind == CHECK_NT) {
		right[0] = n;
		right[1] = k;
	} else if (kind == CHECK_TN) {
		left[0] = k;
		left[1] = m;
	} else if (kind == CHECK_VECTOR) {
		left[0] = k;
		n_left = 1;
	} else if (kind == CHECK_BATCH) {
		left[0] = right[0] = b;
		left[1] = m;
		left[2] = right[1] = k;
		right[2] = n;
		n_left = n_right = 3;
	}
	lt_node x = lt_graph_input(g, "x", t, n_left, left), w = lt_graph_constant(g, "w", t, n_right, right);
	return lt_graph_contract(g, x, w, 1, &k);
}

static lt_node conv(struct lt_graph *g, enum lt_dtype t, const struct product_extents *e)
{
	static const int64_t strides[2] = { 2, 1 }, pads[4] = { 1, 0, 1, 2 }, dilations[2] = { 1, 2 };
	lt_var x[4] = { lt_graph_var(g, "batch", e->b), lt_graph_var(g, "c", e->k > 8 ? 8 : e->k),
		lt_graph_var(g, "h", e->m > 3 ? e->m : 4), lt_graph_var(g, "w", e->n > 5 ? e->n : 6) };
	lt_var w[4] = { lt_graph_var(g, "o", e->k > 6 ? 6 : e->k), lt_graph_var(g, "i", e->k > 8 ? 8 : e->k),
		lt_graph_var(g, "kh", 3), lt_graph_var(g, "kw", 3) };
	return lt_build_conv2d(g, lt_graph_input(g, "x", t, 4, x), lt_graph_constant(g, "k", t, 4, w), strides, pads,
		dilations, 1, LT_NCHW);
}

static lt_node attention(struct lt_graph *g, enum lt_dtype t, const struct product_extents *e)
{
	lt_var q[2] = { lt_graph_var(g, "s", e->m), lt_graph_var(g, "d", 8) },
	       k[2] = { lt_graph_var(g, "t", e->n), lt_graph_var(g, "d", 8) };
	lt_var v[2] = { lt_graph_var(g, "t", e->n), lt_graph_var(g, "e", 5) };
	return lt_build_attention(g, lt_graph_input(g, "q", t, 2, q), lt_graph_input(g, "k", t, 2, k),
		lt_graph_input(g, "v", t, 2, v), 0.25, e->m <= e->n);
}

lt_node lt__check_build_product(struct lt_graph *g, const struct check_case *c)
{
	enum lt_dtype t = c->spec.dtype;
	const struct product_extents e = extents_of(c->spec.shape);
	int kind = c->spec.variant;
	if (kind == CHECK_CONV)
		return conv(g, t, &e);
	if (kind == CHECK_ATTENTION)
		return attention(g, t, &e);
	lt_var m = lt_graph_var(g, "m", e.m), n = lt_graph_var(g, "n", e.n), k = lt_graph_var(g, "k", e.k),
	       b = lt_graph_var(g, "b", e.b);
	lt_var dims[2] = { m, n };
	lt_node p = product_of(g, t, kind, m, n, k, b);
	if (kind <= CHECK_VECTOR)
		return p;
	lt_node biased = kind == CHECK_SILU || kind == CHECK_SOFTMAX || kind == CHECK_CHAIN || kind == CHECK_MEAN ? p
		: lt_graph_binary(g, "add", p, lt_graph_constant(g, "bias", t, 1, &n));
	switch (kind) {
	case CHECK_BIAS_RELU:     return lt_build_relu(g, biased);
	case CHECK_BIAS_GELU:     return lt_build_gelu(g, biased);
	case CHECK_BIAS_RESIDUAL: return lt_graph_binary(g, "add", biased, lt_graph_input(g, "residual", t, 2, dims));
	case CHECK_SILU:          return lt_build_silu(g, biased);
	case CHECK_SOFTMAX:       return lt_build_softmax(g, biased, 1);
	case CHECK_MEAN:          return lt_build_mean(g, biased, 1, &n);
	default: {                      /* a second product over the first */
		lt_var o = lt_graph_var(g, "o", 6), second[2] = { n, o };
		return lt_graph_contract(g, p, lt_graph_constant(g, "w2", t, 2, second), 1, &n);
	}
	}
}
