/* op_rearrange.c -- elements of known places in another order. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/take.h"

/* [N, C, H, W]: blocks of b x b pixels to channels and back.  DepthToSpace: mode DCR has the block's axes before the
 * channels, CRD behind. */
static bool block_size(struct lt_onnx_call *c, const struct lt_onnx_value *v, bool to_space, int64_t *b)
{
	*b = lt__onnx_int(c, "blocksize", 1);
	bool good = v->rank == 4 && *b > 0 && *b < 1 << 20 && !v->empty;
	if (good)
		good = to_space ? v->shape[1] % (*b * *b) == 0 : v->shape[2] % *b == 0 && v->shape[3] % *b == 0;
	if (!good && !v->lost)
		lt__onnx_refuse(c->m, "blocks of %lld x %lld of %s", (long long)*b, (long long)*b,
			lt__onnx_shape(c->m, v->rank, v->shape));
	return good;
}

void lt__onnx_build_depth_to_space(struct lt_onnx_call *c)
{
	static const int32_t dcr[] = { 0, 3, 4, 1, 5, 2 }, crd[] = { 0, 1, 4, 2, 5, 3 };
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const char *mode = lt__onnx_text(c, "mode", "DCR");
	int64_t b;
	if (!block_size(c, v, true, &b))
		return;
	const int64_t *s = v->shape, depth = s[1] / (b * b);
	const bool first = !strcmp(mode, "DCR");
	if (!first && strcmp(mode, "CRD")) {
		lt__onnx_refuse(m, "attribute 'mode' is '%s'", mode);
		return;
	}
	lt_node x = lt__onnx_reshape(m, lt__onnx_in(c, 0), 6, first ? (const int64_t[]){ s[0], b, b, depth, s[2], s[3] } :
		(const int64_t[]){ s[0], depth, b, b, s[2], s[3] });
	x = lt__onnx_transpose(m, x, first ? dcr : crd);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, x, 4, (const int64_t[]){ s[0], depth, s[2] * b, s[3] * b }));
}

void lt__onnx_build_space_to_depth(struct lt_onnx_call *c)
{
	static const int32_t perm_dcr[] = { 0, 3, 5, 1, 2, 4 }, perm_crd[] = { 0, 1, 3, 5, 2, 4 };
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const char *mode = lt__onnx_text(c, "mode", "DCR");
	int64_t b;
	if (!block_size(c, v, false, &b))
		return;
	const int64_t *s = v->shape;
	lt_node x = lt__onnx_reshape(m, lt__onnx_in(c, 0), 6, (const int64_t[]){ s[0], s[1], s[2] / b, b, s[3] / b, b });
	if (strcmp(mode, "DCR") && strcmp(mode, "CRD"))
		lt__onnx_refuse(m, "attribute 'mode' is '%s'", mode);
	x = lt__onnx_transpose(m, x, !strcmp(mode, "DCR") ? perm_dcr : perm_crd);
	lt__onnx_give(c, 0, lt__onnx_reshape(m, x, 4, (const int64_t[]){ s[0], s[1] * b * b, s[2] / b, s[3] / b }));
}

/* Of each batch the first `length` elements along the time in reverse order: position i comes from length - 1 - i. */
void lt__onnx_build_reverse_sequence(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), length = lt__onnx_cast(m, lt__onnx_in(c, 1), LT_I64);
	const int32_t rank = lt__onnx_rank(m, x), time = lt__onnx_axis(m, lt__onnx_int(c, "time_axis", 0), rank),
		batch = lt__onnx_axis(m, lt__onnx_int(c, "batch_axis", 1), rank);
	if (x < 0 || length < 0 || time < 0 || batch < 0)
		return;
	if (time == batch || lt__onnx_rank(m, length) != 1) {
		lt__onnx_refuse(m, "time and batch along axis %d, lengths of rank %d", time, lt__onnx_rank(m, length));
		return;
	}
	/* the place each element [batch, time] comes from, with x's var at the batch */
	const int64_t n = lt__onnx_extent(m, x, time);
	lt_node i = lt__onnx_range(m, n, 1, 2), end = lt__onnx_insert(m, length, 1);
	lt_node back = lt__onnx_opf(m, "sub", lt__onnx_op2(m, "sub", end, i), 1);
	lt_node at = lt__onnx_select(m, lt__onnx_op2(m, "less", i, end), back, i);
	if (at < 0)
		return;
	const lt_var v[2] = { lt_node_dim(m->graph, x, batch), lt__onnx_like(m, x, time) };
	const int32_t same[2] = { 0, 1 };
	lt_node y = lt_graph_gather(m->graph, x, lt__onnx_view(m, at, 2, v, same), time);
	lt__onnx_give(c, 0, y);
}

/* The elements of an axis (or of the flat value) where a known condition holds. */
void lt__onnx_build_compress(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0), *condition = lt__onnx_value(c, 1);
	const bool flat = !lt__onnx_has_attribute(c, "axis");
	const int32_t axis = flat ? 0 : lt__onnx_axis(m, lt__onnx_int(c, "axis", 0), v->rank);
	const char *holds = lt__onnx_content(m, condition, "the condition");
	lt_node x = lt__onnx_in(c, 0);
	if (!holds || axis < 0 || x < 0)
		return;
	const int64_t whole = lt__onnx_elems(v);
	x = flat ? lt__onnx_reshape(m, x, 1, &whole) : x;
	int64_t n = lt__onnx_elems(condition), count = 0, *at = LT_ONNX_TABLE(m, int64_t, n + 1);
	for (int64_t i = 0; i < n && i < lt__onnx_extent(m, x, axis); i++)
		if (holds[i])
			at[count++] = i;
	if (count) {
		lt__onnx_give(c, 0, lt__onnx_take(m, x, axis, count, at));
		return;
	}
	int64_t *shape = LT_NEW(m->arena, int64_t, v->rank + 1);
	for (int32_t i = 0; i < v->rank; i++)
		shape[i] = v->shape[i];
	shape[axis] = 0;
	struct lt_onnx_value none = lt__onnx_of_data(m, v->dtype, flat ? 1 : v->rank, shape, NULL);
	lt__onnx_give_value(c, 0, &none);
}

/* Indices of what is not 0, an axis a row. */
void lt__onnx_build_non_zero(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const void *data = lt__onnx_content(m, v, "what is asked for elements that are not 0");
	const int64_t elems = data && !v->empty ? lt__onnx_elems(v) : 0;
	const bool real = lt__dtype_info(v->dtype)->cls == LT_CLASS_FLOAT;
	int64_t shape[2] = { v->rank, 0 }, *place, n = 0;
	if (!data)
		return;
	if (v->rank == 0) {
		lt__onnx_refuse(m, "a value of rank 0 has no indices");
		return;
	}
	place = LT_ONNX_TABLE(m, int64_t, elems + 1);
	for (int64_t i = 0; i < elems; i++) {
		const union lt_scalar x = lt__load(data, i, v->dtype);
		if (real ? x.f != 0 : x.i != 0)
			place[shape[1]++] = i;
	}
	int64_t *out = lt__onnx_room(m, LT_I64, 2, shape), stride = elems;
	for (int32_t d = 0; d < v->rank && elems; d++) {
		stride /= v->shape[d];
		for (int64_t k = 0; k < shape[1]; k++)
			out[n++] = place[k] / stride % v->shape[d];
	}
	lt__onnx_give_data(c, 0, LT_I64, 2, shape, out);
}
