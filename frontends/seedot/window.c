/* window.c -- operators of images [n, rows, columns, channels]: sums and maxima over windows. */
#include <math.h>
#include "frontends/seedot/seedot.h"

static uint64_t float_bits(float x)
{
	union { float f; uint32_t bits; } of = { x };

	return of.bits;
}

/* [.., n, y, i, x, j, ..] of [.., n, rows, columns, ..]. */
bool lt__sd_windows(struct sd_lower *l, const struct sd_value *x, const struct sd_window *w, uint64_t fill,
	struct sd_value *out)
{
	const int32_t loops = lt_node_rank(l->g, x->node) - x->rank;
	struct sd_value y = *x;

	for (int32_t i = 0; i < 2; i++) {
		const int32_t axis = 1 + 2 * i;
		const lt_var to = lt_graph_var(l->g, i ? "x" : "y", w->count[i]), tap = lt_graph_var(l->g, i ? "j" : "i", w->size[i]);

		if (to == LT_NONE || tap == LT_NONE)
			return false;
		for (int32_t k = y.rank++; k > axis; k--)
			y.axis[k] = y.axis[k - 1];
		y.axis[axis] = to;
		y.axis[axis + 1] = tap;
		y.node = lt_graph_window(l->g, y.node, loops + axis, to, tap, w->strides[i], w->dilations[i], w->before[i],
			fill);
		if (y.node == LT_NONE)
			return false;
	}
	*out = y;
	return true;
}

/* filter [groups, i, j, c, o] */
bool lt__sd_convolve(struct sd_lower *l, const struct sd_value *image, const struct sd_value *filter, int64_t groups,
	const struct sd_window *w, const struct sd_products *p, struct sd_value *out)
{
	const bool grouped = groups > 1;
	struct sd_row rows[5] = { { .axis = grouped ? 0 : -1, .coef = grouped } };
	struct sd_value x = *image, f, y = { .rank = 0 };
	lt_var group = LT_NONE, channel = x.axis[3], dims[LT_MAX_RANK], axes[SD_MAX_RANK + 1];
	int32_t n, n_axis = 0;
	const lt_var o = lt_graph_var(l->g, "o", lt_var_extent(l->g, filter->axis[4]));

	if (grouped) {
		group = lt_graph_var(l->g, "g", groups);
		channel = lt_graph_var(l->g, "c", lt_var_extent(l->g, filter->axis[3]));
		if (group == LT_NONE || channel == LT_NONE
		    || !lt__sd_reshape(l, &x, 5, (lt_var[]){ x.axis[0], x.axis[1], x.axis[2], group, channel }, &x))
			return false;
	}
	if (o == LT_NONE || !lt__sd_windows(l, &x, w, 0, &x))
		return false;
	const lt_var i_tap = x.axis[2], j_tap = x.axis[4];
	const lt_var over[3] = { p ? i_tap : channel, p ? j_tap : i_tap, p ? channel : j_tap };
	for (int32_t i = 1; i < 5; i++)
		rows[i] = (struct sd_row){ .axis = i - !grouped, .coef = 1 };
	if (!lt__sd_view(l, filter, rows, 4 + grouped, grouped ? (lt_var[]){ group, i_tap, j_tap, channel, o }
			: (lt_var[]){ i_tap, j_tap, channel, o }, &f))
		return false;
	axes[n_axis++] = x.axis[0];
	axes[n_axis++] = x.axis[1];
	axes[n_axis++] = x.axis[3];
	if (grouped)
		axes[n_axis++] = group;
	axes[n_axis++] = o;
	for (int32_t i = 0; i < n_axis; i++)
		y.axis[y.rank++] = axes[i];
	for (int32_t i = 0; i < 3; i++)
		axes[n_axis++] = over[i];
	if (!lt__sd_dims(l, 2, (const struct sd_value *[]){ &x, &f }, n_axis, axes, &n, dims))
		return false;
	const lt_node sum = p ? p->sum(l, p, x.node, f.node, n, dims, 3)
		: lt_graph_reduce(l->g, "add", lt_graph_op_to(l->g, "mul", 2, (lt_node[]){ x.node, f.node }, n, dims), 3, over);
	if (!lt__sd_set(l, &y, sum))
		return false;
	*out = y;
	if (!grouped)
		return true;
	const lt_var whole = lt_graph_var(l->g, NULL, groups * lt_var_extent(l->g, o));
	return whole != LT_NONE
		&& lt__sd_reshape(l, &y, 4, (lt_var[]){ y.axis[0], y.axis[1], y.axis[2], whole }, out);
}

struct sd_window lt__sd_window(const struct sd_expr *e, const int64_t size[2], const struct sd_list *pads,
	const struct sd_list *strides)
{
	return (struct sd_window){ .size = { size[0], size[1] }, .strides = { strides->at[0], strides->at[1] },
		.dilations = { 1, 1 }, .before = { pads->at[0], pads->at[2] },
		.count = { e->type.shape[1], e->type.shape[2] } };
}

bool lt__sd_build_conv2d(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_window w = lt__sd_window(e, &e->arg[1]->type.shape[1], &e->list[1], &e->list[0]);

	w.dilations[0] = e->list[2].at[0];
	w.dilations[1] = e->list[2].at[1];
	return lt__sd_convolve(l, &arg[0], &arg[1], e->list[3].at[0], &w, NULL, out);
}

bool lt__sd_pool(struct sd_lower *l, const struct sd_value *image, const struct sd_window *w, uint64_t fill,
	struct sd_value *out)
{
	struct sd_value x;

	return lt__sd_windows(l, image, w, fill, &x)
		&& lt__sd_reduce(l, "max", &x, 2, (lt_var[]){ x.axis[2], x.axis[4] }, out);
}

bool lt__sd_build_maxpool(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const struct sd_window w = lt__sd_window(e, e->list[0].at, &e->list[1], &e->list[2]);

	return lt__sd_pool(l, arg, &w, float_bits(-HUGE_VALF), out);
}

/* relu6((x + bias) * scale) after the first two convolutions; stage: the variable of the sum. */
static bool scaled(struct sd_lower *l, int32_t stage, struct sd_value *x, const struct sd_value *scale,
	const struct sd_value *bias)
{
	if (!lt__sd_last_axis(l, "add", x, bias, x))
		return false;
	lt__sd_see(l, stage, x);
	return lt__sd_last_axis(l, "mul", x, scale, x);
}

bool lt__sd_build_mbconv(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const int64_t *x = e->arg[0]->type.shape, *f = e->arg[4]->type.shape;
	const struct sd_window middle = lt__sd_window(e, &f[1], &e->list[1], &e->list[0]);
	const struct sd_window first = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { x[1], x[2] } };
	const struct sd_window last = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { e->type.shape[1], e->type.shape[2] } };
	struct sd_value y;

	if (!lt__sd_convolve(l, &arg[0], &arg[1], 1, &first, NULL, &y) || !scaled(l, e->stages, &y, &arg[2], &arg[3])
	    || !lt__sd_relu6(l, &y, &y)
	    || !lt__sd_convolve(l, &y, &arg[4], f[0], &middle, NULL, &y) || !scaled(l, e->stages + 1, &y, &arg[5], &arg[6])
	    || !lt__sd_relu6(l, &y, &y)
	    || !lt__sd_convolve(l, &y, &arg[7], 1, &last, NULL, &y) || !scaled(l, e->stages + 2, &y, &arg[8], &arg[9]))
		return false;
	*out = y;
	return true;
}
