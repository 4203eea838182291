/* regroup.c -- reshapes of values whose extents differ from run to run: see groups.h.
 *
 * The dims of the value, from the outside to the inside, are dealt out to the axes that are wanted: numbers are split
 * where an axis ends within them, run-time extents stay whole.  What an axis gets is its group.
 */
#include <string.h>
#include "frontends/onnx/groups.h"
#include "frontends/onnx/trace.h"

/* A dim that is dealt out: a var of the value, or (var -1) a part of one whose extent is a number. */
struct dealt_dim { struct lt_onnx_poly extent; lt_var var; };
/* Dims low .. high - 1 are left. */
struct deal {
	struct lt_onnx *m;
	struct dealt_dim *dim;
	int32_t low, high;
	struct dealt_dim *axis;         /* what each axis got, one after the other: room for `cap` each */
	int32_t *count, cap;
};

static void deal_give(struct deal *d, int32_t axis, struct dealt_dim one, bool from_left)
{
	struct dealt_dim *own = d->axis + (int64_t)axis * d->cap;
	int64_t a, b, product;
	struct dealt_dim *last = d->count[axis] ? &own[from_left ? d->count[axis] - 1 : 0] : NULL;
	/* Numbers that meet are one dim. */
	if (last && lt__poly_known(&last->extent, &a) && lt__poly_known(&one.extent, &b)
		&& !lt__mul_overflow(a, b, &product)) {
		*last = (struct dealt_dim){ lt__poly_whole(d->m, product), LT_NONE };
		return;
	}
	if (from_left) {
		own[d->count[axis]++] = one;
		return;
	}
	memmove(own + 1, own, sizeof *own * (size_t)d->count[axis]++);
	own[0] = one;
}

/* Gives an axis the next dims whose product is its extent; false: there are none. */
static bool deal_axis(struct deal *d, int32_t axis, const struct lt_onnx_poly *want, bool from_left)
{
	struct lt_onnx *m = d->m;
	struct lt_onnx_poly have = lt__poly_whole(m, 1);
	while (!lt__poly_equal(&have, want)) {
		if (d->low == d->high)
			return false;
		struct dealt_dim *next = &d->dim[from_left ? d->low : d->high - 1];
		int64_t number, ratio, part = 0;
		if (lt__poly_known(&next->extent, &number) && lt__poly_ratio(want, &have, &ratio) && ratio % number)
			part = number % ratio ? -1 : ratio;
		if (part < 0)
			return false;
		const struct dealt_dim one = part ? (struct dealt_dim){ lt__poly_whole(m, part), LT_NONE } : *next;
		if (!lt__poly_mul(m, &have, &one.extent, &have))
			return false;
		deal_give(d, axis, one, from_left);
		if (part)
			*next = (struct dealt_dim){ lt__poly_whole(m, number / part), LT_NONE };
		else if (from_left)
			d->low++;
		else
			d->high--;
	}
	return true;
}

static void deal_begin(struct deal *d, lt_node x, int32_t rank)
{
	const int32_t n = lt_node_rank(d->m->graph, x);
	d->dim = LT_NEW(d->m->arena, struct dealt_dim, n + 1);
	for (int32_t i = 0; i < n; i++) {
		const struct lt_linear extent = lt__onnx_extent_sum(d->m, x, i);
		const struct dealt_dim one = { lt__poly_linear(d->m, &extent), lt_node_dim(d->m->graph, x, i) };
		if (!lt__poly_is(&one.extent, 1))
			d->dim[d->high++] = one;
	}
	d->cap = 2 * n + 1;
	d->axis = LT_NEW(d->m->arena, struct dealt_dim, (int64_t)d->cap * rank + 1);
	d->count = LT_NEW(d->m->arena, int32_t, rank + 1);
}

/* All axes: those before the open one from the left, those behind it from the right; the open one gets what is left. */
static bool deal_all(struct deal *d, int32_t rank, const struct lt_onnx_poly *want)
{
	int32_t open = rank;
	for (int32_t i = 0; i < rank; i++)
		open = lt__poly_is(&want[i], -1) ? i : open;
	for (int32_t i = 0; i < open; i++)
		if (!deal_axis(d, i, &want[i], true))
			return false;
	for (int32_t i = rank - 1; i > open; i--)
		if (!deal_axis(d, i, &want[i], false))
			return false;
	while (open < rank && d->low < d->high)
		deal_give(d, open, d->dim[d->low++], true);
	return d->low == d->high;
}

struct lt_onnx_value *lt__onnx_apart(struct lt_onnx *m, struct lt_onnx_value *v)
{
	struct lt_onnx_value one;
	if (!v->part)
		return v;
	one = lt__onnx_of_node(m, v->node);
	one.name = v->name;
	one.stored = v->stored;
	return lt__arena_copy(m->arena, &one, sizeof one);
}

struct lt_onnx_value lt__onnx_grouped(struct lt_onnx *m, lt_node x, int32_t rank, const int32_t *part)
{
	struct lt_onnx_value v = lt__onnx_of_node(m, x);
	const int64_t *each = v.shape;
	bool plain = true;
	if (x < 0)
		return v;
	v.rank = rank;
	v.shape = LT_NEW(m->arena, int64_t, rank + 1);
	for (int32_t i = 0, k = 0; i < rank; i++) {
		v.shape[i] = 1;
		plain = plain && part[i] == 1;
		for (int32_t j = 0; j < part[i]; j++)
			v.shape[i] *= each[k++];
	}
	v.part = plain ? NULL : part;
	return v;
}

static const char *wanted_text(struct lt_onnx *m, int32_t rank, const struct lt_onnx_poly *want)
{
	struct lt_text t = { .arena = m->arena };
	for (int32_t i = 0; i < rank; i++)
		lt__text_format(&t, "%s%s", i ? ", " : "", lt__poly_text(m, &want[i]));
	return rank ? t.at : "";
}

bool lt__onnx_regroup(struct lt_onnx *m, struct lt_onnx_value *v, int32_t rank, const struct lt_onnx_poly *want,
	struct lt_onnx_value *out)
{
	struct deal d = { .m = m };
	const lt_node x = v->part ? v->node : lt__onnx_node(m, v);
	int32_t *part = LT_NEW(m->arena, int32_t, rank + 1), n = 0;
	*out = (struct lt_onnx_value){ .node = LT_NONE, .lost = true };
	if (x < 0)
		return false;
	deal_begin(&d, x, rank);
	if (!deal_all(&d, rank, want)) {
		lt__onnx_refuse(m, "a value of %s cannot become [%s] while extents differ from run to run: %s",
			lt__onnx_extents(m, v), wanted_text(m, rank, want), lt__onnx_fixes_of(m, v));
		return false;
	}
	lt_var *dims = LT_NEW(m->arena, lt_var, (int64_t)d.cap * rank + 1);
	for (int32_t i = 0; i < rank; i++) {
		const struct dealt_dim *own = d.axis + (int64_t)i * d.cap;
		int64_t number;
		part[i] = d.count[i] ? d.count[i] : 1;
		for (int32_t k = 0; k < d.count[i]; k++)
			dims[n++] = own[k].var >= 0 || !lt__poly_known(&own[k].extent, &number) ? own[k].var : lt__onnx_var(m, number);
		if (!d.count[i])
			dims[n++] = lt__onnx_var(m, 1);
	}
	*out = lt__onnx_grouped(m, lt_graph_reshape_to(m->graph, x, n, dims), rank, part);
	out->stored = v->stored;
	return out->node >= 0;
}

lt_node lt__onnx_reshape_to(struct lt_onnx *m, lt_node x, int32_t rank, const struct lt_linear *want)
{
	struct lt_onnx_poly *each = LT_NEW(m->arena, struct lt_onnx_poly, rank + 1);
	struct lt_onnx_value v = lt__onnx_of_node(m, x), out;
	if (x < 0)
		return LT_NONE;
	for (int32_t i = 0; i < rank; i++)
		each[i] = lt__poly_linear(m, &want[i]);
	return lt__onnx_regroup(m, &v, rank, each, &out) ? lt__onnx_node(m, &out) : LT_NONE;
}
