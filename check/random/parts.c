/* parts.c -- random gathers, updates, states and composites. */
#include <string.h>
#include "check/random/must.h"
#include "check/random/maker.h"

/* An index into an axis of `extent` elements: a source, or computed from the position. */
static lt_node make_index(struct random_maker *m, int64_t extent)
{
	static const enum lt_dtype type[] = { LT_I64, LT_I32, LT_I16, LT_U8, LT_I8, LT_U16, LT_U32, LT_U64 };
	enum lt_dtype t = type[random_pick_int(m, 0, (int64_t)(sizeof type / sizeof *type) - 1)];
	lt_var dims[2] = { m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)], m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)] };
	int32_t n = (int32_t)random_pick_int(m, 0, dims[0] == dims[1] ? 1 : 2);
	if (random_maybe(m, 35) && n > 0) {
		lt_node i = lt_graph_index(m->g, dims[0]), three = lt_graph_literal_int(m->g, LT_I64, random_pick_int(m, 1, 5));
		return lt_graph_binary(m->g, "mod", lt_graph_binary(m->g, "mul", i, three),
			lt_graph_literal_int(m->g, LT_I64, extent));
	}
	int64_t low = 0, high = extent - 1;
	if (m->out->wild && random_maybe(m, 40)) {
		low = lt__dtype_info(t)->is_signed ? -1 : 0;
		high = extent;
	}
	return random_range_source(m, t, n, dims, 1, &low, &high);
}

lt_node random_gather(struct random_maker *m)
{
	lt_node x = random_value_of(m, 0);
	if (m->g->node[x].n_dim == 0 || random_elems(m->g, x) * 7 > RANDOM_ELEMS || m->n_gather == 16)
		return LT_OMIT;
	int32_t axis = (int32_t)random_pick_int(m, 0, m->g->node[x].n_dim - 1);
	if (m->g->var[m->g->node[x].dim[axis]].bounded && !m->out->wild)
		return LT_OMIT;              /* in range only where the run leaves enough of it */
	lt_node index = make_index(m, random_extent(m->g, x, axis));
	if (random_maybe(m, 20))
		index = random_view(m, index);
	if (index < 0 || random_is_bounded(m->g, index)
		|| random_elems(m->g, index) * random_elems(m->g, x) > 4 * RANDOM_ELEMS)
		return LT_OMIT;
	lt_node y = random_keep(m, lt_graph_gather(m->g, x, index, axis), random_size(m, x));
	if (y >= 0)
		m->gather[m->n_gather++] = y;
	return y;
}

/* A block for x: a slice of x itself, or a source, or what a position gives. */
static lt_node make_part(struct random_maker *m, lt_node x, const int64_t *size)
{
	const struct lt_nodedef *d = &m->g->node[x];
	int64_t how = random_pick_int(m, 0, 2);
	lt_node part = x;
	lt_var dims[8];
	if (how == 0) {
		for (int32_t i = 0; i < d->n_dim && part >= 0; i++)
			part = lt_graph_slice(m->g, part, i, random_pick_int(m, 0, random_extent(m->g, x, i) - size[i]), 1, size[i]);
		if (random_maybe(m, 50) && d->dtype != LT_BOOL)
			part = lt_graph_unary(m->g, "neg", part);
		return part;
	}
	for (int32_t i = 0; i < d->n_dim; i++)
		dims[i] = size[i] == random_extent(m->g, x, i) && random_maybe(m, 50) ? d->dim[i] : lt_graph_var(m->g, NULL, size[i]);
	return random_source(m, d->dtype, d->n_dim, dims);
}

lt_node random_update(struct random_maker *m, lt_node x)
{
	const struct lt_nodedef *d = &m->g->node[x];
	int64_t size[8], offset[8];
	lt_param at[8];
	if (m->n_state > 0 && random_maybe(m, 50))
		x = m->state[random_pick_int(m, 0, m->n_state - 1)];
	for (lt_node n = m->g->n_node - 1; n >= 0; n--)      /* usually the end of a chain of updates */
		if (m->g->node[n].op == LT_OP_update && m->g->node[n].operand[0] == x && random_maybe(m, 70))
			x = n;
	d = &m->g->node[x];
	if (d->n_dim > 6 || random_is_bounded(m->g, x))
		return LT_OMIT;
	for (int32_t i = 0; i < d->n_dim; i++) {
		int64_t extent = random_extent(m->g, x, i);
		size[i] = random_pick_int(m, 1, extent);
		offset[i] = random_pick_int(m, 0, extent - size[i]);
		at[i] = LT_OMIT;
		if (random_maybe(m, 50)) {
			at[i] = random_param(m, 0, extent - size[i] - offset[i]);
			if (random_maybe(m, 30)) {
				at[i] = random_param(m, offset[i], extent - size[i]);
				offset[i] = 0;
			}
		}
	}
	lt_node part = make_part(m, x, size);
	if (part < 0)
		return random_keep(m, part, 0);
	return random_keep(m, lt_graph_update(m->g, x, part, offset, at), random_size(m, x) + 4);
}

void random_state(struct random_maker *m)
{
	static const enum lt_dtype type[] = { LT_F32, LT_F32, LT_F64, LT_F16, LT_I32, LT_I64, LT_BOOL, LT_U8 };
	lt_var dims[3];
	int32_t n = (int32_t)random_pick_int(m, 0, 3);
	if (m->n_state == 3)
		return;
	for (int32_t i = 0; i < n; i++) {
		dims[i] = m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)];
		for (int32_t k = 0; k < i; k++)
			if (dims[k] == dims[i] || m->g->var[dims[i]].bounded)
				dims[i] = lt_graph_var(m->g, NULL, random_pick_int(m, 1, 4));
		if (m->g->var[dims[i]].bounded)
			dims[i] = lt_graph_var(m->g, NULL, random_pick_int(m, 1, 4));
	}
	lt_node s = lt_graph_state(m->g, random_name(m, "s"), random_allowed(m, type[random_pick_int(m, 0, 7)]), n, dims);
	m->state[m->n_state++] = random_keep(m, s, 8);
}

/* x with exactly that rank: a reshape of a random value, or a new source. */
static lt_node of_rank(struct random_maker *m, enum lt_dtype t, int32_t n, const int64_t *shape)
{
	lt_var dims[4];
	int64_t elems = 1;
	for (int32_t i = 0; i < n; i++)
		elems *= shape[i];
	for (int tries = 0; tries < 5; tries++) {
		lt_node x = random_value_of(m, 0);
		if (random_elems(m->g, x) == elems && !random_is_bounded(m->g, x))
			return lt_graph_reshape(m->g, random_tame(m, random_cast(m, x, t), 8), n, shape);
	}
	for (int32_t i = 0; i < n; i++)
		dims[i] = lt_graph_var(m->g, NULL, shape[i]);
	return random_source(m, t, n, dims);
}

static lt_node make_conv(struct random_maker *m, enum lt_dtype t, bool pool)
{
	int64_t groups = random_maybe(m, 30) ? 2 : 1, in = groups * random_pick_int(m, 1, 2),
		out = groups * random_pick_int(m, 1, 2);
	int64_t size[2], window[2], strides[2], pads[4], dilations[2];
	enum lt_layout layout = random_maybe(m, 50) ? LT_NCHW : LT_NHWC;
	for (int i = 0; i < 2; i++) {
		window[i] = random_pick_int(m, 1, 3);
		dilations[i] = random_pick_int(m, 1, 2);
		strides[i] = random_pick_int(m, 1, 2);
		pads[i] = random_pick_int(m, 0, window[i] - 1);
		pads[2 + i] = random_pick_int(m, 0, window[i] - 1);
		size[i] = random_pick_int(m, (window[i] - 1) * dilations[i] + 1, (window[i] - 1) * dilations[i] + 3);
	}
	const int64_t nchw[4] = { 1, in, size[0], size[1] }, nhwc[4] = { 1, size[0], size[1], in };
	const int64_t oihw[4] = { out, in / groups, window[0], window[1] },
		      hwio[4] = { window[0], window[1], in / groups, out };
	lt_node x = of_rank(m, t, 4, layout == LT_NCHW ? nchw : nhwc);
	if (pool && random_maybe(m, 50))
		return lt_build_max_pool2d(m->g, x, window, strides, pads, dilations, layout);
	if (pool)
		return lt_build_average_pool2d(m->g, x, window, strides, pads, 1, layout);
	lt_node w = of_rank(m, t, 4, layout == LT_NCHW ? oihw : hwio);
	return lt_build_conv2d(m->g, x, w, strides, pads, dilations, groups, layout);
}

static lt_node make_matmul(struct random_maker *m, enum lt_dtype t)
{
	int64_t b = random_pick_int(m, 1, 3), i = random_pick_int(m, 1, 5), k = random_pick_int(m, 1, 7),
		j = random_pick_int(m, 1, 5);
	const int64_t left[3] = { b, i, k }, right[3] = { b, k, j };
	switch (random_pick_int(m, 0, 2)) {
	case 0:  return lt_build_matmul(m->g, of_rank(m, t, 1, left + 2), of_rank(m, t, 2, right + 1));
	case 1:  return lt_build_matmul(m->g, of_rank(m, t, 2, left + 1), of_rank(m, t, 2, right + 1));
	default: return lt_build_matmul(m->g, of_rank(m, t, 3, left), of_rank(m, t, 3, right));
	}
}

static lt_node make_attention(struct random_maker *m, enum lt_dtype t)
{
	int64_t s = random_pick_int(m, 1, 4), k = s + random_pick_int(m, 0, 2), d = random_pick_int(m, 1, 4),
		e = random_pick_int(m, 1, 3);
	lt_var batch = lt_graph_var(m->g, NULL, 2), to = lt_graph_var(m->g, NULL, k), depth = lt_graph_var(m->g, NULL, d);
	const lt_var q[3] = { batch, lt_graph_var(m->g, NULL, s), depth }, keys[3] = { batch, to, depth };
	const lt_var v[3] = { batch, to, lt_graph_var(m->g, NULL, e) };
	return lt_build_attention(m->g, random_source(m, t, 3, q), random_source(m, t, 3, keys),
		random_source(m, t, 3, v), 0.5, random_maybe(m, 50));
}

static lt_node make_norm(struct random_maker *m, lt_node x)
{
	const struct lt_nodedef *d = &m->g->node[x];
	int64_t last = random_extent(m->g, x, d->n_dim - 1);
	bool rms = random_maybe(m, 50);
	if (m->g->var[d->dim[d->n_dim - 1]].bounded)
		return LT_OMIT;
	lt_var w = lt_graph_var(m->g, NULL, last);
	lt_node weight = rms || random_maybe(m, 70) ? random_source(m, d->dtype, 1, &w) : LT_OMIT;
	if (rms)
		return lt_build_rms_norm(m->g, x, weight, 1e-2);
	lt_node bias = weight >= 0 && random_maybe(m, 70) ? random_source(m, d->dtype, 1, &w) : LT_OMIT;
	return lt_build_layer_norm(m->g, x, weight, bias, 1e-2);
}

lt_node random_composite(struct random_maker *m)
{
	enum lt_dtype t = random_float(m);
	lt_node x = random_tame(m, random_value_of(m, t), 8), y = LT_OMIT;
	for (int tries = 0; tries < 5 && m->g->node[x].n_dim == 0; tries++)
		x = random_tame(m, random_value_of(m, t), 8);
	int32_t rank = m->g->node[x].n_dim;
	bool large = random_elems(m->g, x) > 300;
	int64_t what = random_pick_int(m, 0, 10);
	switch (what) {
	case 0:  y = lt_build_relu(m->g, x); break;
	case 1:  y = lt_build_silu(m->g, x); break;
	case 2:  y = lt_build_gelu(m->g, x); break;
	case 3:  y = rank ? lt_build_mean(m->g, x, 1, m->g->node[x].dim) : LT_OMIT; break;
	case 4:  y = rank && !large ? lt_build_softmax(m->g, x, (int32_t)random_pick_int(m, 0, rank - 1)) : LT_OMIT; break;
	case 5:
		if (rank && !large && m->want->params && !random_is_bounded(m->g, x))
			y = lt_build_sliced_softmax(m->g, x, random_param(m, 0, random_extent(m->g, x, rank - 1)));
		break;
	case 6:  y = rank && !large ? make_norm(m, x) : LT_OMIT; break;
	case 7:  y = make_matmul(m, t); break;
	case 8:  y = make_conv(m, t, false); break;
	case 9:  y = make_conv(m, t, true); break;
	default: y = make_attention(m, t); break;
	}
	if (y == LT_OMIT)
		return LT_OMIT;
	y = random_keep(m, y, what == 5 || what == 4 ? random_size(m, x) : 128);
	return random_tame(m, y, 32);
}

bool random_same_form(const struct lt_graph *g, lt_node a, lt_node b)
{
	if (g->node[a].dtype != g->node[b].dtype || g->node[a].n_dim != g->node[b].n_dim)
		return false;
	for (int32_t i = 0; i < g->node[a].n_dim; i++) {
		const struct lt_vardef *x = &g->var[g->node[a].dim[i]], *y = &g->var[g->node[b].dim[i]];
		if (x->bounded || y->bounded || x->extent != y->extent)
			return false;
	}
	return true;
}
