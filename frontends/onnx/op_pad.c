/* op_pad.c -- more or fewer elements at the ends of axes. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/take.h"
#include "frontends/onnx/trace.h"

/* By axis: elements more (or, negative, fewer) before and behind. */
struct padding { int64_t before[LT_MAX_RANK], after[LT_MAX_RANK]; };

static bool padding_read(struct lt_onnx_call *c, int32_t rank, struct padding *p)
{
	struct lt_onnx *m = c->m;
	int32_t n, n_axis = 0;
	const int64_t *pads = c->version < 11 ? lt__onnx_ints(c, c->version < 2 ? "paddings" : "pads", &n) :
		lt__onnx_in_ints(c, 1, "the padding", &n);
	const int64_t *axis = c->version >= 18 && lt__onnx_has(c, 3) ? lt__onnx_in_ints(c, 3, "the axes", &n_axis) : NULL;
	*p = (struct padding){ { 0 }, { 0 } };
	if (!pads || lt__onnx_failed(m))
		return false;
	n_axis = axis ? n_axis : rank;
	if (n != 2 * n_axis) {
		lt__onnx_refuse(m, "%d numbers of padding for %d axes", n, n_axis);
		return false;
	}
	for (int32_t i = 0; i < n_axis; i++) {
		int32_t at = lt__onnx_axis(m, axis ? axis[i] : i, rank);
		if (at < 0)
			return false;
		p->before[at] = pads[i];
		p->after[at] = pads[i + n_axis];
	}
	return true;
}

/* Leaves out what is negative; the rest is left. */
static lt_node cut(struct lt_onnx *m, lt_node x, struct padding *p)
{
	for (int32_t i = 0; i < lt__onnx_rank(m, x) && x >= 0; i++) {
		int64_t begin = p->before[i] < 0 ? -p->before[i] : 0, end = lt__onnx_extent(m, x, i);
		end += p->after[i] < 0 ? p->after[i] : 0;
		if (begin >= end) {
			lt__onnx_refuse(m, "a padding of %lld and %lld leaves no element at axis %d", (long long)p->before[i],
				(long long)p->after[i], i);
			return LT_NONE;
		}
		x = lt__onnx_slice(m, x, i, begin, end, 1);
		p->before[i] = p->before[i] < 0 ? 0 : p->before[i];
		p->after[i] = p->after[i] < 0 ? 0 : p->after[i];
	}
	return x;
}

/* Where element i of an axis comes from, by mode; -1: from nowhere. */
static int64_t padded_place(const char *mode, int64_t i, int64_t n)
{
	if (!strcmp(mode, "edge"))
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	if (!strcmp(mode, "wrap"))
		return ((i % n) + n) % n;
	if (n == 1)
		return 0;
	int64_t period = 2 * (n - 1), at = ((i % period) + period) % period;
	return at < n ? at : period - at;
}

static lt_node pad_copies(struct lt_onnx *m, lt_node x, const char *mode, const struct padding *p)
{
	for (int32_t i = 0; i < lt__onnx_rank(m, x) && x >= 0; i++) {
		int64_t extent = lt__onnx_extent(m, x, i), n;
		if (!p->before[i] && !p->after[i])
			continue;
		if (lt__add_overflow(extent, p->before[i], &n) || lt__add_overflow(n, p->after[i], &n) || n > INT32_MAX) {
			lt__onnx_refuse(m, "a padding of %lld and %lld", (long long)p->before[i], (long long)p->after[i]);
			return LT_NONE;
		}
		int64_t *at = LT_ONNX_TABLE(m, int64_t, n);
		for (int64_t k = 0; k < n; k++)
			at[k] = padded_place(mode, k - p->before[i], extent);
		x = lt__onnx_take(m, x, i, n, at);
	}
	return x;
}

/* Padded with a number, or with a value that is computed: by a mask then. */
static lt_node pad_constant(struct lt_onnx_call *c, lt_node x, const struct padding *p)
{
	struct lt_onnx *m = c->m;
	if (x < 0)
		return LT_NONE;
	const enum lt_dtype t = lt_node_dtype(m->graph, x);
	union lt_scalar fill = lt__convert((union lt_scalar){ .f = lt__onnx_float(c, "value", 0) }, LT_F64, t);
	struct lt_onnx_value *v = c->version >= 11 && lt__onnx_has(c, 2) ? lt__onnx_value(c, 2) : NULL;
	const void *data = v && !v->empty ? lt__onnx_maybe(m, v) : NULL;
	if (data)
		fill = lt__load(data, 0, v->dtype);
	lt_node y = lt_graph_pad(m->graph, x, p->before, p->after, lt__bits_of(fill, t));
	if (!v || v->empty || data)
		return y;
	const int32_t rank = lt__onnx_rank(m, x);
	lt_node inside = lt_graph_pad(m->graph, lt__onnx_expand(m, lt__onnx_whole(m, LT_BOOL, 1), rank,
		lt__onnx_of_node(m, x).shape), p->before, p->after, 0);
	return lt__onnx_select(m, inside, y, lt__onnx_reshape(m, lt__onnx_in(c, 2), 0, NULL));
}

void lt__onnx_build_pad(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *mode = lt__onnx_text(c, "mode", "constant");
	lt_node x = lt__onnx_in(c, 0);
	struct padding p;
	if (x < 0 || !padding_read(c, lt__onnx_rank(m, x), &p))
		return;
	x = cut(m, x, &p);
	if (!strcmp(mode, "constant"))
		lt__onnx_give(c, 0, pad_constant(c, x, &p));
	else if (!strcmp(mode, "edge") || !strcmp(mode, "wrap") || !strcmp(mode, "reflect"))
		lt__onnx_give(c, 0, pad_copies(m, x, mode, &p));
	else
		lt__onnx_refuse(m, "attribute 'mode' is '%s'", mode);
}

/* Each axis cut or padded to an extent, as much before as behind, of an odd number more behind. */
void lt__onnx_build_center_crop_pad(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	int32_t n, n_axis;
	const int64_t *shape = lt__onnx_in_ints(c, 1, "the shape", &n), *axis = lt__onnx_ints(c, "axes", &n_axis);
	lt_node x = lt__onnx_in(c, 0);
	const int32_t rank = lt__onnx_rank(m, x);
	struct padding p = { { 0 }, { 0 } };
	if (!shape || x < 0)
		return;
	if (n != (axis ? n_axis : rank)) {
		lt__onnx_refuse(m, "a shape of %d extents for %d axes", n, axis ? n_axis : rank);
		return;
	}
	for (int32_t i = 0; i < n; i++) {
		int32_t at = lt__onnx_axis(m, axis ? axis[i] : i, rank);
		if (at < 0 || !lt__onnx_fixed(m, x, at, "the extent of an axis that is cut or padded"))
			return;
		int64_t more = shape[i] - lt__onnx_extent(m, x, at);
		p.before[at] = more / 2;
		p.after[at] = more - more / 2;
	}
	x = cut(m, x, &p);
	lt__onnx_give(c, 0, x < 0 ? LT_NONE : lt_graph_pad(m->graph, x, p.before, p.after, 0));
}
