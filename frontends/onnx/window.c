/* window.c -- see window.h. */
#include <string.h>
#include "frontends/onnx/window.h"
#include "frontends/onnx/trace.h"

static bool window_list(struct lt_onnx_call *c, const char *name, int32_t n, int64_t otherwise, int64_t least,
	int64_t *out)
{
	int32_t given;
	const int64_t *at = lt__onnx_ints(c, name, &given);
	for (int32_t i = 0; i < n; i++)
		out[i] = at && i < given ? at[i] : otherwise;
	bool good = !at || given == n;
	for (int32_t i = 0; i < n; i++)
		good = good && out[i] >= least && out[i] < INT32_MAX;
	if (!good && !lt__onnx_failed(c->m))
		lt__onnx_refuse(c->m, "attribute '%s' is %s: %d numbers of at least %lld are expected", name,
			lt__onnx_shape(c->m, given, at), n, (long long)least);
	return good && !lt__onnx_failed(c->m);
}

/* Elements that one window reaches over. */
static int64_t window_reach(const struct lt_onnx_window *w, int32_t i)
{
	return (w->kernel[i] - 1) * w->dilation[i] + 1;
}

/* Positions as many as steps fit; half of what is missing on each side, of an odd number more at the end (or begin). */
static void window_same(struct lt_onnx_window *w, bool upper)
{
	for (int32_t i = 0; i < w->n; i++) {
		int64_t out = lt__ceil_div(w->extent[i], w->stride[i]);
		int64_t missing = (out - 1) * w->stride[i] + window_reach(w, i) - w->extent[i];
		missing = missing < 0 ? 0 : missing;
		w->before[i] = upper ? missing / 2 : missing - missing / 2;
		w->after[i] = missing - w->before[i];
	}
}

static bool window_pads(struct lt_onnx_call *c, struct lt_onnx_window *w)
{
	const char *how = lt__onnx_text(c, "auto_pad", "NOTSET");
	int64_t pads[2 * LT_ONNX_SPATIAL];
	if (!window_list(c, "pads", 2 * w->n, 0, 0, pads))
		return false;
	for (int32_t i = 0; i < w->n; i++) {
		bool given = !strcmp(how, "NOTSET");
		w->before[i] = given ? pads[i] : 0;
		w->after[i] = given ? pads[i + w->n] : 0;
	}
	if (!strcmp(how, "SAME_UPPER") || !strcmp(how, "SAME_LOWER"))
		window_same(w, !strcmp(how, "SAME_UPPER"));
	else if (strcmp(how, "NOTSET") && strcmp(how, "VALID")) {
		lt__onnx_refuse(c->m, "attribute 'auto_pad' is '%s'", how);
		return false;
	}
	return true;
}

bool lt__onnx_window_read(struct lt_onnx_call *c, lt_node x, const int64_t *kernel, struct lt_onnx_window *w)
{
	struct lt_onnx *m = c->m;
	const int32_t n = lt__onnx_rank(m, x) - 2;
	*w = (struct lt_onnx_window){ .n = n };
	if (x < 0)
		return false;
	if (n < 1 || n > LT_ONNX_SPATIAL) {
		lt__onnx_refuse(m, "an image of rank %d: batch, channels and 1 to %d axes are expected", n + 2, LT_ONNX_SPATIAL);
		return false;
	}
	for (int32_t i = 0; i < n; i++) {
		w->extent[i] = lt__onnx_extent(m, x, i + 2);
		if (!lt__onnx_fixed(m, x, i + 2, "the extent of an axis that windows are moved over"))
			return false;
	}
	if (!window_list(c, "kernel_shape", n, 1, 1, w->kernel) || !window_list(c, "strides", n, 1, 1, w->stride)
	    || !window_list(c, "dilations", n, 1, 1, w->dilation))
		return false;
	if (kernel)
		memcpy(w->kernel, kernel, sizeof *kernel * (size_t)n);
	const bool ceil = lt__onnx_int(c, "ceil_mode", 0) != 0;
	if (!window_pads(c, w))
		return false;
	for (int32_t i = 0; i < n; i++) {
		int64_t room = w->extent[i] + w->before[i] + w->after[i] - window_reach(w, i), s = w->stride[i];
		w->out[i] = room < 0 ? 0 : (ceil ? lt__ceil_div(room, s) : room / s) + 1;
		/* A window that would begin in the padding at the end is none. */
		if (ceil && (w->out[i] - 1) * s >= w->extent[i] + w->before[i])
			w->out[i]--;
		if (w->out[i] < 1) {
			lt__onnx_refuse(m, "a window over %lld elements does not fit into the %lld of axis %d",
				(long long)window_reach(w, i), (long long)(w->extent[i] + w->before[i] + w->after[i]), i + 2);
			return false;
		}
	}
	return true;
}

lt_node lt__onnx_windows(struct lt_onnx *m, lt_node x, const struct lt_onnx_window *w, double fill, lt_var *taps)
{
	if (x < 0)
		return LT_NONE;
	const enum lt_dtype t = lt_node_dtype(m->graph, x);
	const uint64_t bits = lt__bits_of(lt__convert((union lt_scalar){ .f = fill }, LT_F64, t), t);
	const int32_t rank = lt__onnx_rank(m, x) + w->n;
	/* (out, tap) side by side, then the taps behind */
	for (int32_t i = 0; i < w->n; i++) {
		taps[i] = lt__onnx_var(m, w->kernel[i]);
		x = lt_graph_window(m->graph, x, 2 + 2 * i, lt__onnx_var(m, w->out[i]), taps[i], w->stride[i], w->dilation[i],
			w->before[i], bits);
	}
	int32_t *perm = LT_NEW(m->arena, int32_t, rank + 1);
	for (int32_t i = 0; i < rank; i++)
		perm[i] = i < 2 ? i : i < 2 + w->n ? 2 + 2 * (i - 2) : 3 + 2 * (i - 2 - w->n);
	return lt__onnx_transpose(m, x, perm);
}
