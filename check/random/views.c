/* views.c -- random views: each kind that lt/graph.h builds, and maps by hand. */
#include <math.h>
#include <string.h>
#include "check/random/maker.h"

uint64_t random_fill_bits(struct random_maker *m, enum lt_dtype t)
{
	static const double number[] = { 0, 0, 1, -2.5, INFINITY, -INFINITY };
	union lt_scalar x = { .i = random_pick_int(m, -3, 3) };
	switch (lt__dtype_info(t)->cls) {
	case LT_CLASS_FLOAT: x.f = number[random_pick_int(m, 0, 5)]; break;
	case LT_CLASS_BOOL:  x.i = random_pick_int(m, 0, 1); break;
	default:             x.i = !lt__dtype_info(t)->is_signed ? x.i + 3 : x.i;
	}
	return lt__bits_of(x, t);
}

/* An axis that no run-time scalar bounds; -1: none. */
static int32_t pick_axis(struct random_maker *m, lt_node x)
{
	const struct lt_nodedef *d = &m->g->node[x];
	for (int tries = 0; d->n_dim > 0 && tries < 6; tries++) {
		int32_t axis = (int32_t)random_pick_int(m, 0, d->n_dim - 1);
		if (!m->g->var[d->dim[axis]].bounded)
			return axis;
	}
	return -1;
}

static lt_var var_of(struct random_maker *m, int64_t extent, lt_node x)
{
	/* A var of the pool where one fits, so that the result shares axes with other values. */
	for (int tries = 0; tries < 6; tries++) {
		lt_var v = m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)];
		bool has = m->g->var[v].extent != extent || m->g->var[v].bounded;
		for (int32_t i = 0; i < m->g->node[x].n_dim; i++)
			has = has || m->g->node[x].dim[i] == v;
		if (!has)
			return v;
	}
	return lt_graph_var(m->g, NULL, extent);
}

static lt_node view_slice(struct random_maker *m, lt_node x)
{
	int32_t axis = pick_axis(m, x);
	if (axis < 0)
		return x;
	int64_t extent = random_extent(m->g, x, axis), count = random_pick_int(m, 1, extent);
	int64_t step = count > 1 ? random_pick_int(m, 1, (extent - 1) / (count - 1)) : 1;
	int64_t begin = random_pick_int(m, 0, extent - 1 - step * (count - 1));
	if (random_maybe(m, 30)) {
		begin += step * (count - 1);
		step = -step;
	}
	return lt_graph_slice(m->g, x, axis, begin, step, count);
}

static lt_node view_pad(struct random_maker *m, lt_node x)
{
	int64_t before[16] = { 0 }, after[16] = { 0 };
	const struct lt_nodedef *d = &m->g->node[x];
	if (d->n_dim > 8)
		return x;
	for (int32_t i = 0; i < d->n_dim; i++)
		if (!m->g->var[d->dim[i]].bounded && random_maybe(m, 60)) {
			before[i] = random_pick_int(m, 0, 3);
			after[i] = random_pick_int(m, 0, 2);
		}
	return lt_graph_pad(m->g, x, before, after, random_fill_bits(m, d->dtype));
}

static lt_node view_permute(struct random_maker *m, lt_node x)
{
	int32_t perm[16], n = m->g->node[x].n_dim;
	for (int32_t i = 0; i < n; i++)
		perm[i] = i;
	for (int32_t i = n - 1; i > 0; i--) {
		int32_t k = (int32_t)random_pick_int(m, 0, i), keep = perm[i];
		perm[i] = perm[k];
		perm[k] = keep;
	}
	return n > 1 && n <= 16 ? lt_graph_permute(m->g, x, n, perm) : x;
}

/* Any other shape with as many elements: factors dealt out to a random number of dims. */
static lt_node view_reshape(struct random_maker *m, lt_node x)
{
	static const int64_t prime[] = { 2, 3, 5, 7, 11, 13 };
	int64_t rest = random_elems(m->g, x), shape[4] = { 1, 1, 1, 1 };
	int32_t n = (int32_t)random_pick_int(m, 1, 4);
	if (random_is_bounded(m->g, x))
		return x;
	for (size_t p = 0; p < sizeof prime / sizeof *prime; p++)
		for (; rest % prime[p] == 0; rest /= prime[p])
			shape[random_pick_int(m, 0, n - 1)] *= prime[p];
	shape[random_pick_int(m, 0, n - 1)] *= rest;
	return lt_graph_reshape(m->g, x, n, shape);
}

static lt_node view_rename(struct random_maker *m, lt_node x)
{
	const struct lt_nodedef *d = &m->g->node[x];
	lt_var dims[16];
	if (d->n_dim == 0 || d->n_dim > 16)
		return x;
	memcpy(dims, d->dim, sizeof *dims * (size_t)d->n_dim);
	int32_t axis = pick_axis(m, x);
	if (axis < 0)
		return x;
	dims[axis] = var_of(m, m->g->var[dims[axis]].extent, x);
	return lt_graph_rename(m->g, x, d->n_dim, dims);
}

static lt_node view_concat(struct random_maker *m, lt_node x)
{
	int32_t axis = pick_axis(m, x);
	lt_node part[3] = { x, x, x };
	if (axis < 0 || random_elems(m->g, x) * 3 > RANDOM_ELEMS)
		return x;
	int32_t n = (int32_t)random_pick_int(m, 2, 3);
	const struct lt_nodedef *d = &m->g->node[x];
	for (int32_t i = 0; i < n; i++) {
		if (random_maybe(m, 50))
			part[i] = view_slice(m, x);
		else if (random_maybe(m, 50))
			part[i] = random_source(m, d->dtype, d->n_dim, d->dim);
		for (int32_t k = 0; k < d->n_dim; k++)  /* a slice of another axis does not fit */
			if (k != axis && random_extent(m->g, part[i], k) != m->g->var[d->dim[k]].extent)
				part[i] = x;
	}
	return lt_graph_concat(m->g, axis, n, part);
}

static lt_node view_window(struct random_maker *m, lt_node x)
{
	int32_t axis = pick_axis(m, x);
	if (axis < 0 || m->g->node[x].n_dim >= RANDOM_RANK || random_elems(m->g, x) * 4 > RANDOM_ELEMS)
		return x;
	int64_t extent = random_extent(m->g, x, axis), taps = random_pick_int(m, 1, 4);
	lt_var out = var_of(m, random_pick_int(m, 1, extent + 1), x), tap = lt_graph_var(m->g, "tap", taps);
	return lt_graph_window(m->g, x, axis, out, tap, random_pick_int(m, 1, 2), random_pick_int(m, 1, 2),
		random_pick_int(m, 0, 2), random_fill_bits(m, m->g->node[x].dtype));
}

/* Maps by hand: rows over [1 | params | dims | divs]. */
struct hand { struct lt_map map; int64_t row[8 * 24], guard[4 * 24], div[2 * 25]; lt_var dim[8]; lt_param param[1]; };

static void begin_hand(struct random_maker *m, struct hand *h, lt_node x, int32_t n_param, int32_t n_div)
{
	const struct lt_nodedef *d = &m->g->node[x];
	*h = (struct hand){ .map = { .n_param = n_param, .n_dim = d->n_dim, .n_div = n_div, .n_row = d->n_dim } };
	int32_t width = lt__map_width(&h->map);
	h->map.row = h->row;
	h->map.guard = h->guard;
	h->map.div = h->div;
	h->map.param = h->param;
	for (int32_t i = 0; i < d->n_dim; i++) {
		h->dim[i] = d->dim[i];
		h->row[i * width + 1 + n_param + i] = 1;
	}
}

static lt_node end_hand(struct random_maker *m, struct hand *h, lt_node x, bool fill)
{
	struct lt_view_piece piece = { .source = x, .map = h->map };
	return lt_graph_view(m->g, h->map.n_dim, h->dim, 1, &piece, fill ? random_fill_bits(m, m->g->node[x].dtype) : 0, fill);
}

/* Axis repeated, modulo its extent; or each element several times. */
static lt_node view_repeat(struct random_maker *m, lt_node x, int32_t axis)
{
	struct hand h;
	int64_t extent = random_extent(m->g, x, axis), times = random_pick_int(m, 2, 3);
	bool modulo = random_maybe(m, 50);
	begin_hand(m, &h, x, 0, 1);
	int32_t n = h.map.n_dim, width = lt__map_width(&h.map);
	h.dim[axis] = lt_graph_var(m->g, NULL, extent * times);
	h.div[0] = modulo ? extent : times;
	h.div[1 + 1 + axis] = 1;
	h.row[axis * width + 1 + axis] = modulo;
	h.row[axis * width + 1 + n] = modulo ? -extent : 1;
	return end_hand(m, &h, x, false);
}

/* Elements before the diagonal of two axes, or every second along one; elsewhere the fill. */
static lt_node view_mask(struct random_maker *m, lt_node x, int32_t axis)
{
	struct hand h;
	int32_t other = pick_axis(m, x);
	if (other != axis && other >= 0) {
		begin_hand(m, &h, x, 0, 0);
		h.map.n_guard = 1;
		h.guard[0] = random_pick_int(m, -1, 1);
		h.guard[1 + axis] = 1;
		h.guard[1 + other] = -1;
	} else {
		begin_hand(m, &h, x, 0, 1);
		h.map.n_guard = 1;
		h.div[0] = 2;
		h.div[1 + 1 + axis] = 1;
		h.guard[1 + axis] = -1;
		h.guard[1 + h.map.n_dim] = 2;
	}
	return end_hand(m, &h, x, true);
}

/* Moved along an axis by a run-time scalar, the fill where that leaves the source. */
static lt_node view_shift(struct random_maker *m, lt_node x, int32_t axis)
{
	struct hand h;
	int64_t extent = random_extent(m->g, x, axis);
	begin_hand(m, &h, x, 1, 0);
	int32_t width = lt__map_width(&h.map);
	h.param[0] = random_param(m, 0, extent);
	h.map.n_guard = 2;
	h.row[axis * width + 1] = 1;
	h.row[axis * width] = h.guard[0] = -1;
	h.guard[1] = h.guard[2 + axis] = 1;
	h.guard[width] = extent;
	h.guard[width + 1] = h.guard[width + 2 + axis] = -1;
	return end_hand(m, &h, x, true);
}

static lt_node view_hand(struct random_maker *m, lt_node x)
{
	int32_t axis = pick_axis(m, x);
	if (axis < 0 || m->g->node[x].n_dim > RANDOM_RANK || random_elems(m->g, x) * 3 > RANDOM_ELEMS)
		return x;
	switch (random_pick_int(m, 0, 2)) {
	case 0:  return view_repeat(m, x, axis);
	case 1:  return view_mask(m, x, axis);
	default: return m->want->params ? view_shift(m, x, axis) : x;
	}
}

static lt_node view_bounded(struct random_maker *m, lt_node x)
{
	int32_t axis = pick_axis(m, x);
	if (axis < 0 || !m->want->params)
		return x;
	int64_t extent = random_extent(m->g, x, axis), middle = random_pick_int(m, 0, extent);
	lt_param begin = random_maybe(m, 60) ? random_param(m, 0, middle) : LT_OMIT;
	lt_param end = begin < 0 || random_maybe(m, 70) ? random_param(m, middle, extent) : LT_OMIT;
	return lt_graph_slice_bounded(m->g, x, axis, begin, end);
}

lt_node random_view(struct random_maker *m, lt_node x)
{
	switch (random_pick_int(m, 0, 11)) {
	case 0: case 1: return view_slice(m, x);
	case 2: case 3: return view_pad(m, x);
	case 4:         return view_permute(m, x);
	case 5: case 6: return view_reshape(m, x);
	case 7:         return view_rename(m, x);
	case 8:         return view_concat(m, x);
	case 9:         return view_window(m, x);
	case 10:        return view_hand(m, x);
	default:        return view_bounded(m, x);
	}
}

lt_node random_views(struct random_maker *m, lt_node x)
{
	int64_t depth = random_maybe(m, 50) ? 1 : random_pick_int(m, 2, 6);
	double size = random_size(m, x);
	for (; depth > 0 && x >= 0; depth--)
		if (random_elems(m->g, x) * 2 < RANDOM_ELEMS)
			x = random_keep(m, random_view(m, x), size);
	return x;
}
