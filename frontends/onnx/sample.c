/* sample.c -- see sample.h. */
#include <math.h>
#include "frontends/onnx/sample.h"

static const double cubic = -0.75;

static lt_node clamped(struct lt_onnx *m, lt_node x, double low, double high)
{
	return lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", x, low), high);
}

/* Back and forth between two borders. */
static lt_node reflected(struct lt_onnx *m, lt_node x, double low, double high)
{
	const double way = high - low;
	if (!(way > 0))
		return clamped(m, x, low, high);
	lt_node at = lt__onnx_opf(m, "mod", lt__onnx_opf(m, "sub", x, low), 2 * way);
	return lt__onnx_opf(m, "add", lt__onnx_op2(m, "min", at, lt__onnx_opr(m, "sub", 2 * way, at)), low);
}

/* What an element counts that is `d` away. */
static lt_node tap_weight(struct lt_onnx *m, enum lt_onnx_between between, lt_node d)
{
	lt_node far = lt__onnx_op1(m, "abs", d), in, out;
	if (between == LT_ONNX_LINEAR)
		return lt__onnx_opr(m, "sub", 1, far);
	in = lt__onnx_opf(m, "sub", lt__onnx_opf(m, "mul", far, cubic + 2), cubic + 3);
	in = lt__onnx_opf(m, "add", lt__onnx_op2(m, "mul", lt__onnx_op2(m, "mul", in, far), far), 1);
	out = lt__onnx_opf(m, "sub", lt__onnx_opf(m, "mul", far, cubic), 5 * cubic);
	out = lt__onnx_opf(m, "add", lt__onnx_op2(m, "mul", out, far), 8 * cubic);
	out = lt__onnx_opf(m, "sub", lt__onnx_op2(m, "mul", out, far), 4 * cubic);
	return lt__onnx_select(m, lt__onnx_opf(m, "lessequal", far, 1), in, out);
}

/* One spatial axis of n elements: its taps' elements and weights; inside: whether each is in the image. */
struct tap_axis { lt_node at, weight, inside; };

static struct tap_axis tap_axis(struct lt_onnx *m, lt_node place, int64_t n, int32_t axis, int32_t rank,
	const struct lt_onnx_sampling *how)
{
	static const struct { int64_t first, n; } taps[] = { { 0, 1 }, { 0, 2 }, { -1, 4 } };
	const double low = how->corners ? 0 : -0.5, high = (double)n - (how->corners ? 1 : 0.5);
	struct tap_axis out = { LT_NONE, LT_NONE, LT_OMIT };
	if (place < 0)
		return out;
	const enum lt_dtype t = lt_node_dtype(m->graph, place);
	if (how->between == LT_ONNX_NEAREST)
		place = lt__onnx_op1(m, "round", place);
	if (how->outside == LT_ONNX_REFLECTED)
		place = reflected(m, place, low, high);
	if (how->outside == LT_ONNX_BORDER) {
		lt_node away = lt__onnx_op2(m, "or", lt__onnx_opf(m, "less", place, low), lt__onnx_opf(m, "greater", place, high));
		place = lt__onnx_select(m, away, clamped(m, place, 0, (double)n - 1), place);
	}
	/* The taps' axes are behind all others. */
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = lt__onnx_rank(m, place); i < rank; i++)
		mask[i] = true;
	place = lt__onnx_unsqueeze(m, place, rank, mask);
	lt_node tap = lt__onnx_cast(m, lt__onnx_range(m, taps[how->between].n, axis, rank), t);
	tap = lt__onnx_opf(m, "add", tap, (double)taps[how->between].first);
	lt_node base = how->between == LT_ONNX_NEAREST ? place : lt__onnx_op1(m, "floor", place);
	lt_node at = lt__onnx_op2(m, "add", base, tap);
	if (how->between != LT_ONNX_NEAREST)
		out.weight = tap_weight(m, how->between, lt__onnx_op2(m, "sub", lt__onnx_op2(m, "sub", place, base), tap));
	else
		out.weight = lt__onnx_opf(m, "add", tap, 1);            /* its only tap is 0 */
	if (how->outside == LT_ONNX_ZEROS)
		out.inside = lt__onnx_op2(m, "and", lt__onnx_opf(m, "greaterequal", at, 0),
			lt__onnx_opf(m, "lessequal", at, (double)n - 1));
	if (how->outside == LT_ONNX_REFLECTED)
		at = reflected(m, at, low, high);
	out.at = lt__onnx_cast(m, clamped(m, at, 0, (double)n - 1), LT_I64);
	return out;
}

/* x [batch, channel, p] at index [batch, r..], as [batch, channel, r..] */
static lt_node read_at(struct lt_onnx *m, lt_node x, lt_node index)
{
	struct lt_graph *g = m->graph;
	if (x < 0 || index < 0)
		return LT_NONE;
	const int32_t rank = lt_node_rank(g, index);
	lt_var own[LT_MAX_RANK], want[LT_MAX_RANK];
	int32_t same[LT_MAX_RANK], to[LT_MAX_RANK] = { 0 };
	for (int32_t i = 0; i < rank; i++) {
		own[i] = i ? lt__onnx_like(m, index, i) : lt_node_dim(g, x, 0);
		same[i] = i;
		want[i ? i + 1 : 0] = own[i];
	}
	want[1] = lt_node_dim(g, x, 1);
	lt_node y = lt_graph_gather(g, x, lt__onnx_view(m, index, rank, own, same), 2);
	for (int32_t i = 0; y >= 0 && i < rank + 1; i++)
		for (int32_t k = 0; k < rank + 1; k++)
			to[i] = lt_node_dim(g, y, i) == want[k] ? k : to[i];
	return lt__onnx_view(m, y, rank + 1, want, to);
}

/* The same, where batch says which image each is of: all images are one. */
static lt_node read_of(struct lt_onnx *m, lt_node x, lt_node batch, lt_node index)
{
	const int32_t rank = lt__onnx_rank(m, index);
	const int64_t pixels = x < 0 ? 0 : lt__onnx_extent(m, x, 2);
	bool *mask = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = 1; i < rank; i++)
		mask[i] = true;
	if (x < 0 || index < 0)
		return LT_NONE;
	lt_node begin = lt__onnx_opf(m, "mul", lt__onnx_cast(m, batch, LT_I64), (double)pixels);
	lt_node at = lt__onnx_op2(m, "add", index, lt__onnx_unsqueeze(m, begin, rank, mask));
	lt_node all = lt__onnx_reshape(m, lt__onnx_swap(m, x, 0, 1), 2,
		(const int64_t[]){ lt__onnx_extent(m, x, 1), lt__onnx_extent(m, x, 0) * pixels });
	return lt__onnx_swap(m, lt__onnx_gather(m, all, at, 1), 0, 1);
}

struct lt_onnx_taps lt__onnx_taps(struct lt_onnx *m, lt_node x, const lt_node *place, lt_node batch,
	const struct lt_onnx_sampling *how)
{
	const int32_t n = lt__onnx_rank(m, x) - 2, outer = lt__onnx_rank(m, place[0]), rank = outer + n;
	struct lt_onnx_taps out = { LT_NONE, LT_NONE, n };
	lt_node at = LT_NONE, weight = LT_NONE, inside = LT_OMIT;
	int64_t pixels = 1;
	if (x < 0 || place[0] < 0)
		return out;
	for (int32_t i = 0; i < n; i++) {
		const int64_t extent = lt__onnx_extent(m, x, i + 2);
		const struct tap_axis a = tap_axis(m, place[i], extent, outer + i, rank, how);
		at = i ? lt__onnx_op2(m, "add", lt__onnx_opf(m, "mul", at, (double)extent), a.at) : a.at;
		weight = i ? lt__onnx_op2(m, "mul", weight, a.weight) : a.weight;
		inside = i && inside != LT_OMIT ? lt__onnx_op2(m, "and", inside, a.inside) : a.inside;
		pixels = lt__mul_sat(pixels, extent);
	}
	const int64_t flat[3] = { lt__onnx_extent(m, x, 0), lt__onnx_extent(m, x, 1), pixels };
	lt_node image = lt__onnx_reshape(m, lt__onnx_wide(m, x), 3, flat);
	if (image < 0 || at < 0 || weight < 0)
		return out;
	out.value = batch == LT_OMIT ? read_at(m, image, at) : read_of(m, image, batch, at);
	const enum lt_dtype t = lt_node_dtype(m->graph, image);
	if (inside != LT_OMIT)
		out.value = lt__onnx_select(m, lt__onnx_insert(m, inside, 1), out.value, lt__onnx_number(m, t, 0));
	out.weight = lt__onnx_insert(m, lt__onnx_cast(m, weight, t), 1);
	return out;
}

lt_node lt__onnx_sampled(struct lt_onnx *m, const struct lt_onnx_taps *taps)
{
	const int32_t rank = lt__onnx_rank(m, taps->value);
	bool *over = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = rank - taps->n; i < rank; i++)
		over[i] = true;
	return lt__onnx_reduce(m, "add", lt__onnx_op2(m, "mul", taps->value, taps->weight), over, false);
}
