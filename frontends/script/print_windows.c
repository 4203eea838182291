/* print_windows.c -- candidates for what moves windows over images: convolutions and pools. */
#include <string.h>
#include "frontends/script/printer.h"

/* How an axis of an image is windowed by a view. */
struct view_sweep { int32_t axis; int64_t extent, count, size, step, dilation, before, after; };

/* The axis that became two; false: none did. */
static bool sweep_of(const struct lt_scripter *p, const struct lt_nodedef *v, struct view_sweep *out)
{
	if (v->op != LT_OP_view || v->n_piece != 1 || v->piece[0].source < 0)
		return false;
	const struct lt_nodedef *x = &p->g->node[v->operand[0]];
	const struct lt_map *m = &v->piece[0].map;
	if (v->n_dim != x->n_dim + 1 || m->n_param || m->n_div)
		return false;
	for (int32_t i = 0; i < x->n_dim; i++) {
		const int64_t *row = m->row + (int64_t)i * lt__map_width(m);
		if (!row[1 + i] || !row[2 + i])
			continue;
		*out = (struct view_sweep){ i, p->g->var[x->dim[i]].extent, p->g->var[v->dim[i]].extent,
			p->g->var[v->dim[i + 1]].extent, row[1 + i], row[2 + i], -row[0], 0 };
		out->after = (out->count - 1) * out->step + (out->size - 1) * out->dilation + 1 - out->before - out->extent;
		/* as many as before, if that makes no more windows */
		int64_t room = out->extent + 2 * out->before - (out->size - 1) * out->dilation - 1;
		if (out->after < out->before && room / out->step + 1 == out->count)
			out->after = out->before;
		out->after = out->after < 0 ? 0 : out->after;
		return true;
	}
	return false;
}

struct image { lt_node x; struct view_sweep rows, columns; const char *layout; };

/* The value of rank 4 that is windowed along both axes; of rank 5 where its channels are in groups. */
static bool image_of(const struct lt_scripter *p, lt_node windows, struct image *out)
{
	const struct lt_nodedef *d = &p->g->node[p->alias.same[windows]];
	if (!sweep_of(p, d, &out->columns))
		return false;
	const struct lt_nodedef *e = &p->g->node[lt__form_value(p, d, 0)];
	if (!sweep_of(p, e, &out->rows))
		return false;
	out->x = lt__form_value(p, e, 0);
	int32_t rank = p->g->node[out->x].n_dim, grouped = rank == 5;
	if (grouped && p->g->node[out->x].op == LT_OP_view)
		out->x = lt__form_value(p, &p->g->node[out->x], 0);
	out->layout = out->rows.axis == 2 + grouped ? "" : ", NHWC";
	return p->g->node[out->x].n_dim == 4;
}

static bool is_default(int64_t a, int64_t b, int64_t c, int64_t d, int64_t all)
{
	return a == all && b == all && c == all && d == all;
}

/* ", [strides], [pads], [dilations]", from the last that is not the default back. */
static void say_sweeps(struct lt_text *t, const struct image *i, bool dilations, bool more)
{
	const struct view_sweep *r = &i->rows, *c = &i->columns;
	bool dilated = dilations && (more || !is_default(r->dilation, c->dilation, 1, 1, 1));
	bool padded = dilated || more || !is_default(r->before, c->before, r->after, c->after, 0);
	bool strided = padded || !is_default(r->step, c->step, 1, 1, 1);
	if (strided)
		lt__text_format(t, ", [%lld, %lld]", (long long)r->step, (long long)c->step);
	if (padded)
		lt__text_format(t, ", [%lld, %lld, %lld, %lld]", (long long)r->before, (long long)c->before, (long long)r->after,
			(long long)c->after);
	if (dilated)
		lt__text_format(t, ", [%lld, %lld]", (long long)r->dilation, (long long)c->dilation);
}

static bool form_conv(struct lt_scripter *p, lt_node x, const struct lt_nodedef *sum)
{
	const struct lt_nodedef *mul = lt__form_operand(p, sum, 0);
	struct image i;
	if (mul->op != LT_OP_mul || mul->reduce || !image_of(p, mul->operand[0], &i))
		return false;
	lt_node w = lt__form_value(p, mul, 1);
	while (w >= 0 && p->g->node[w].n_dim != 4)
		w = p->g->node[w].op == LT_OP_view ? lt__form_value(p, &p->g->node[w], 0) : -1;
	if (w < 0)
		return false;
	bool first = !*i.layout;
	int64_t in = p->g->var[p->g->node[w].dim[first ? 1 : 2]].extent;
	int64_t groups = p->g->var[p->g->node[i.x].dim[first ? 1 : 3]].extent / in;
	struct lt_script_form *f = lt__form_new(p, 2, (const lt_node[]){ i.x, w });
	lt__text_format(&f->text, "Conv2dNode($0, $1");
	say_sweeps(&f->text, &i, true, false);
	if (groups != 1)
		lt__text_format(&f->text, ", %lld", (long long)groups);
	lt__text_format(&f->text, "%s)", i.layout);
	return lt__form_try(p, x, f);
}

static bool form_pool(struct lt_scripter *p, lt_node x, const struct lt_nodedef *max)
{
	struct image i;
	if (!image_of(p, max->operand[0], &i))
		return false;
	struct lt_script_form *f = lt__form_new(p, 1, &i.x);
	lt__text_format(&f->text, "MaxPool2dNode($0, [%lld, %lld]", (long long)i.rows.size, (long long)i.columns.size);
	say_sweeps(&f->text, &i, true, false);
	lt__text_format(&f->text, "%s)", i.layout);
	return lt__form_try(p, x, f);
}

/* Pads that count are said so; else there may be none. */
static bool form_average(struct lt_scripter *p, lt_node x, const struct lt_nodedef *div)
{
	const struct lt_nodedef *sum = lt__form_operand(p, div, 0);
	struct image i;
	if (sum->op != LT_OP_add || !sum->reduce || !image_of(p, sum->operand[0], &i))
		return false;
	for (int32_t count = 0; count < 2; count++) {
		struct lt_script_form *f = lt__form_new(p, 1, &i.x);
		lt__text_format(&f->text, "AveragePool2dNode($0, [%lld, %lld]", (long long)i.rows.size, (long long)i.columns.size);
		say_sweeps(&f->text, &i, false, count);
		lt__text_format(&f->text, "%s%s)", count ? ", 1" : "", i.layout);
		if (lt__form_try(p, x, f))
			return true;
	}
	return false;
}

/* The node at the root may be the view or the cast after the sum. */
bool lt__form_window(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x], *root = d;
	if ((d->op == LT_OP_view && d->n_piece == 1 && d->piece[0].source >= 0) || d->op == LT_OP_cast)
		root = lt__form_operand(p, d, 0);
	if (root->op == LT_OP_view && root->n_piece == 1 && root->piece[0].source >= 0)
		root = lt__form_operand(p, root, 0);
	if (root->reduce && root->op == LT_OP_add)
		return form_conv(p, x, root);
	if (root->reduce && root->op == LT_OP_max)
		return form_pool(p, x, root);
	return !root->reduce && root->op == LT_OP_div && form_average(p, x, root);
}
