/* print_shapes.c -- candidates for views: reshape, permute, slice, expand, concat, pad, window. */
#include <string.h>
#include "frontends/script/printer.h"

/* A view of one piece, of a source. */
struct shown {
	lt_node x, value;
	const struct lt_nodedef *d, *from;
	const struct lt_map *m;
};

static int64_t extent(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t axis)
{
	return p->g->var[d->dim[axis]].extent;
}

/* Column of a dim in row i of the map. */
static int64_t by(const struct shown *v, int32_t i, int32_t dim)
{
	return v->m->row[(int64_t)i * lt__map_width(v->m) + 1 + v->m->n_param + dim];
}

static int64_t offset(const struct shown *v, int32_t i)
{
	return v->m->row[(int64_t)i * lt__map_width(v->m)];
}

static struct lt_script_form *one_form(struct lt_scripter *p, const struct shown *v, const char *name)
{
	struct lt_script_form *f = lt__form_new(p, 1, &v->value);
	lt__text_format(&f->text, "%s($0", name);
	return f;
}

static bool form_end(struct lt_scripter *p, const struct shown *v, struct lt_script_form *f)
{
	lt__text_format(&f->text, ")");
	return lt__form_try(p, v->x, f);
}

static bool form_permute(struct lt_scripter *p, const struct shown *v)
{
	struct lt_script_form *f = one_form(p, v, "PermuteNode");
	int64_t perm[LT_MAX_RANK];
	if (v->d->n_dim != v->from->n_dim || v->m->n_guard)
		return false;
	memset(perm, -1, sizeof perm);
	for (int32_t i = 0; i < v->from->n_dim; i++)
		for (int32_t k = 0; k < v->d->n_dim; k++)
			if (by(v, i, k) == 1 && perm[k] < 0)
				perm[k] = i;
	lt__text_format(&f->text, ", ");
	lt__say_list(&f->text, v->d->n_dim, perm);
	return form_end(p, v, f);
}

static bool form_shape(struct lt_scripter *p, const struct shown *v, const char *name)
{
	struct lt_script_form *f = one_form(p, v, name);
	int64_t shape[LT_MAX_RANK];
	for (int32_t i = 0; i < v->d->n_dim; i++)
		shape[i] = extent(p, v->d, i);
	lt__text_format(&f->text, ", ");
	lt__say_list(&f->text, v->d->n_dim, shape);
	return form_end(p, v, f);
}

static bool form_slice(struct lt_scripter *p, const struct shown *v)
{
	int32_t axis = -1;
	if (v->d->n_dim != v->from->n_dim || v->m->n_guard)
		return false;
	for (int32_t i = 0; i < v->d->n_dim; i++)
		if (extent(p, v->d, i) != extent(p, v->from, i)) {
			if (axis >= 0)
				return false;
			axis = i;
		}
	if (axis < 0)
		return false;
	int64_t begin = offset(v, axis), count = extent(p, v->d, axis), step = count > 1 ? by(v, axis, axis) : 1;
	struct lt_script_form *f = one_form(p, v, "SliceNode");
	lt__text_format(&f->text, ", %lld, %lld", (long long)begin, (long long)(begin + step * (count - 1) + 1));
	if (axis || step != 1)
		lt__text_format(&f->text, ", %d", axis);
	if (step != 1)
		lt__text_format(&f->text, ", %lld", (long long)step);
	return form_end(p, v, f);
}

static bool form_pad(struct lt_scripter *p, const struct shown *v)
{
	struct lt_script_form *f = one_form(p, v, "PadNode");
	int64_t before[LT_MAX_RANK], after[LT_MAX_RANK];
	if (v->d->n_dim != v->from->n_dim || !v->m->n_guard || !v->d->has_fill)
		return false;
	for (int32_t i = 0; i < v->d->n_dim; i++) {
		before[i] = -offset(v, i);
		after[i] = extent(p, v->d, i) - extent(p, v->from, i) - before[i];
	}
	lt__text_format(&f->text, ", ");
	lt__say_list(&f->text, v->d->n_dim, before);
	lt__text_format(&f->text, ", ");
	lt__say_list(&f->text, v->d->n_dim, after);
	if (v->d->bits) {
		lt__text_format(&f->text, ", ");
		lt__say_bits(&f->text, v->d->bits, v->d->dtype);
	}
	return form_end(p, v, f);
}

/* Axis `axis` has become two. */
static bool form_sweep(struct lt_scripter *p, const struct shown *v, int32_t axis)
{
	int64_t step = by(v, axis, axis), dilation = by(v, axis, axis + 1), before = -offset(v, axis);
	int64_t count = extent(p, v->d, axis), size = extent(p, v->d, axis + 1);
	if (step < 1 || dilation < 1 || before < 0)
		return false;
	int64_t after = (count - 1) * step + (size - 1) * dilation + 1 - before - extent(p, v->from, axis);
	struct lt_script_form *f = one_form(p, v, "WindowNode");
	lt__text_format(&f->text, ", %d, %lld, %lld, %lld, %lld, %lld", axis, (long long)size, (long long)step,
		(long long)dilation, (long long)before, (long long)(after < 0 ? 0 : after));
	if (v->d->bits) {
		lt__text_format(&f->text, ", ");
		lt__say_bits(&f->text, v->d->bits, v->d->dtype);
	}
	return form_end(p, v, f);
}

/* The axis that is windowed: the first whose row has two dims, or of an extent of its own. */
static bool form_windowed(struct lt_scripter *p, const struct shown *v)
{
	if (v->d->n_dim != v->from->n_dim + 1 || v->m->n_div)
		return false;
	for (int32_t i = 0; i < v->from->n_dim; i++)
		if (by(v, i, i) && by(v, i, i + 1))
			return form_sweep(p, v, i);
	return false;
}

static bool form_concat(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	const struct lt_map *m = &d->piece[0].map;
	int32_t axis = 0;
	lt_node *part = LT_NEW(p->arena, lt_node, d->n_piece);
	if (d->has_fill || m->n_guard != 1)
		return false;
	while (axis < d->n_dim && m->guard[1 + m->n_param + axis] != -1)
		axis++;
	for (int32_t i = 0; i < d->n_piece; i++)
		part[i] = d->piece[i].source < 0 ? -1 : lt__form_value(p, d, d->piece[i].source);
	struct lt_script_form *f = lt__form_new(p, d->n_piece, part);
	lt__text_format(&f->text, "ConcatNode(%d", axis);
	for (int32_t i = 0; i < d->n_piece; i++)
		lt__text_format(&f->text, ", $%d", i);
	lt__text_format(&f->text, ")");
	return lt__form_try(p, x, f);
}

/* The elements of the source, all once. */
static bool same_count(const struct lt_scripter *p, const struct shown *v)
{
	return !v->m->n_guard && lt__node_elems(p->g, v->x) == lt__node_elems(p->g, v->value);
}

/* Axes that the source has not may be of any extent that is known. */
static bool may_expand(const struct lt_scripter *p, const struct shown *v)
{
	int32_t lead = v->d->n_dim - v->from->n_dim;
	bool may = lead >= 0 && !v->m->n_guard && !v->m->n_div;
	for (int32_t i = 0; may && i < v->d->n_dim; i++)
		may = !p->g->var[v->d->dim[i]].bounded || (i >= lead
			&& lt__var_same_range(p->g, v->d->dim[i], v->from->dim[i - lead]));
	return may;
}

bool lt__form_view(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	if (d->op != LT_OP_view)
		return false;
	if (d->n_piece > 1)
		return form_concat(p, x);
	if (d->piece[0].source < 0 || d->piece[0].map.n_param)
		return false;
	struct shown v = { .x = x, .d = d, .m = &d->piece[0].map, .value = lt__form_value(p, d, d->piece[0].source) };
	v.from = &p->g->node[v.value];
	return (same_count(p, &v) && (form_shape(p, &v, "ReshapeNode") || form_permute(p, &v))) || form_slice(p, &v)
		|| (may_expand(p, &v) && form_shape(p, &v, "ExpandNode")) || form_pad(p, &v) || form_windowed(p, &v);
}
