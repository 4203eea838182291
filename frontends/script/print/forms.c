/* forms.c -- candidates for what a node of the graph is in the language: layers, convolutions and pools, views.
 * Whether one is, match.c finds out. */
#include <string.h>
#include "frontends/script/print/printer.h"

static struct lt_script_form *form_new(struct lt_scripter *p, int32_t n, const lt_node *operand)
{
	struct lt_script_form *f = LT_NEW(p->arena, struct lt_script_form, 1);
	f->n = n;
	f->operand = lt__arena_copy(p->arena, operand, sizeof *operand * (size_t)n);
	f->text.arena = p->arena;
	return f;
}

static bool form_try(struct lt_scripter *p, lt_node x, struct lt_script_form *f)
{
	for (int32_t k = 0; k < f->n; k++)
		if (f->operand[k] < 0)
			return false;
	if (!lt__script_matches(p, x, f))
		return false;
	p->form[x] = f;
	return true;
}

static const struct lt_nodedef *form_operand(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k)
{
	return &p->g->node[p->alias.core[d->operand[k]]];
}

static lt_node form_value(const struct lt_scripter *p, const struct lt_nodedef *d, int32_t k)
{
	return p->alias.same[d->operand[k]];
}

/* -- Layers. */

static bool is_op(const struct lt_nodedef *d, enum lt_opcode op)
{
	return d->op == op && !d->reduce;
}

static bool is_reduce(const struct lt_nodedef *d, enum lt_opcode op)
{
	return d->op == op && d->reduce;
}

/* name($0, $1 ..rest) */
static bool try_form(
	struct lt_scripter *p, lt_node x, const char *name, int32_t n, const lt_node *operand, const char *rest)
{
	struct lt_script_form *f = form_new(p, n, operand);
	lt__text_format(&f->text, "%s($0", name);
	for (int32_t k = 1; k < n; k++)
		lt__text_format(&f->text, ", $%d", k);
	lt__text_format(&f->text, "%s)", rest);
	return form_try(p, x, f);
}

static bool try_unary(struct lt_scripter *p, lt_node x, const char *name, lt_node operand)
{
	return try_form(p, x, name, 1, &operand, "");
}

/* ", 1" of the axes that are reduced; keep: and ", 1" */
static const char *axes_text(struct lt_scripter *p, const struct lt_nodedef *sum, bool keep)
{
	struct lt_text t = { .arena = p->arena };
	int32_t n = 0;
	lt__text_format(&t, ", [");
	for (int32_t i = 0; i < p->g->node[sum->operand[0]].n_dim; i++)
		if (lt__script_find_axis(p->g, sum, 0, i) < 0)
			lt__text_format(&t, "%s%d", n++ ? ", " : "", i);
	lt__text_format(&t, "]%s", keep ? ", 1" : "");
	return t.at;
}

static int32_t reduced_axis(const struct lt_scripter *p, const struct lt_nodedef *sum)
{
	int32_t i = 0;
	while (lt__script_find_axis(p->g, sum, 0, i) >= 0)
		i++;
	return i;
}

static bool form_softmax(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *power = form_operand(p, d, 0), *sum = form_operand(p, d, 1);
	if (!is_op(power, LT_OP_exp) || !is_reduce(sum, LT_OP_add))
		return false;
	const struct lt_nodedef *apart = form_operand(p, power, 0);
	if (!is_op(apart, LT_OP_sub))
		return false;
	lt_node from = form_value(p, apart, 0);
	int32_t axis = reduced_axis(p, sum);
	return try_form(p, x, "SoftmaxNode", 1, &from, axis == d->n_dim - 1 ? "" : lt__arena_format(p->arena, ", %d", axis));
}

/* A number that is added; its text. */
static const char *eps_text(struct lt_scripter *p, const struct lt_nodedef *d)
{
	struct lt_text t = { .arena = p->arena };
	lt__text_format(&t, ", ");
	lt__say_bits(&t, d->bits, d->dtype);
	return strcmp(t.at, ", 1e-05") ? t.at : "";
}

/* y / sqrt(mean + eps): the eps, or NULL. */
static const struct lt_nodedef *eps_of(struct lt_scripter *p, const struct lt_nodedef *d)
{
	if (!is_op(d, LT_OP_div))
		return NULL;
	const struct lt_nodedef *root = form_operand(p, d, 1);
	if (!is_op(root, LT_OP_sqrt))
		return NULL;
	const struct lt_nodedef *sum = form_operand(p, root, 0);
	if (!is_op(sum, LT_OP_add))
		return NULL;
	const struct lt_nodedef *eps = form_operand(p, sum, 1);
	return eps->op == LT_OP_lit ? eps : NULL;
}

/* A member of the value's kin that is a vector. */
static lt_node vector_of(const struct lt_scripter *p, lt_node y)
{
	while (y >= 0 && p->g->node[y].n_dim != 1)
		y = p->alias.up[y] < 0 ? -1 : p->alias.same[p->alias.up[y]];
	return y;
}

static bool form_norm(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	lt_node operand[3] = { -1, -1, -1 };
	int32_t n = 1;
	if (is_op(d, LT_OP_add)) {
		operand[2] = vector_of(p, form_value(p, d, 1));
		d = form_operand(p, d, 0);
		n = 3;
	}
	if (is_op(d, LT_OP_mul) && (n == 3 || form_operand(p, d, 0)->op == LT_OP_div)) {
		operand[1] = vector_of(p, form_value(p, d, 1));
		d = form_operand(p, d, 0);
		n = n < 2 ? 2 : n;
	}
	const struct lt_nodedef *eps = eps_of(p, d);
	if (!eps)
		return false;
	operand[0] = form_value(p, d, 0);
	if (n == 2 && try_form(p, x, "RMSNormNode", n, operand, eps_text(p, eps)))
		return true;
	const struct lt_nodedef *apart = form_operand(p, d, 0);
	if (!is_op(apart, LT_OP_sub))
		return false;
	operand[0] = form_value(p, apart, 0);
	return try_form(p, x, "LayerNormNode", n, operand, eps_text(p, eps));
}

static bool form_mean(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d, bool keep)
{
	const struct lt_nodedef *sum = form_operand(p, d, 0);
	if (!is_reduce(sum, LT_OP_add))
		return false;
	lt_node from = form_value(p, sum, 0);
	return try_form(p, x, "ReduceMeanNode", 1, &from, axes_text(p, sum, keep));
}

static bool form_div(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	return form_softmax(p, x, d) || form_norm(p, x, d) || form_mean(p, x, d, false);
}

static bool form_mul(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *l = form_operand(p, d, 0), *r = form_operand(p, d, 1);
	if (is_op(r, LT_OP_sigmoid))
		return try_unary(p, x, "SiLUNode", form_value(p, d, 0));
	if (is_op(r, LT_OP_add) && is_op(l, LT_OP_mul) && is_op(form_operand(p, r, 0), LT_OP_erf))
		return try_unary(p, x, "GeluNode", form_value(p, l, 0));
	return form_norm(p, x, d);
}

static bool form_max(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *r = form_operand(p, d, 1);
	return r->op == LT_OP_lit && !r->bits && try_unary(p, x, "ReLUNode", form_value(p, d, 0));
}

/* Letters of a value's axes: those of the product's. */
static void say_axes(const struct lt_scripter *p, struct lt_text *t, const struct lt_nodedef *product, int32_t n,
	const lt_var *dim)
{
	(void)p;
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = 0; k < product->n_dim; k++)
			if (product->dim[k] == dim[i])
				lt__text_format(t, "%c", "ijklmnopqrstuvwxyzabcdefgh"[k]);
}

static bool form_product(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *mul = &p->g->node[p->alias.same[d->operand[0]]];
	if (!is_reduce(d, LT_OP_add) || !is_op(mul, LT_OP_mul) || mul->n_dim > 26)
		return false;
	const lt_node operand[2] = { form_value(p, mul, 0), form_value(p, mul, 1) };
	if (try_form(p, x, "MatMulNode", 2, operand, ""))
		return true;
	struct lt_script_form *f = form_new(p, 2, operand);
	lt__text_format(&f->text, "EinsumNode(");
	for (int32_t k = 0; k < 2; k++) {
		say_axes(p, &f->text, mul, p->g->node[mul->operand[k]].n_dim, p->g->node[mul->operand[k]].dim);
		lt__text_format(&f->text, "%s", k ? "->" : ",");
	}
	say_axes(p, &f->text, mul, d->n_dim, d->dim);
	lt__text_format(&f->text, ": $0, $1)");
	return form_try(p, x, f);
}

/* A reduction whose axes are kept, of one element. */
static bool form_kept(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[p->alias.same[p->alias.up[x]]];
	static const char *const name[LT_NOP] = { [LT_OP_add] = "ReduceSumNode", [LT_OP_mul] = "ReduceProductNode",
		[LT_OP_min] = "ReduceMinNode", [LT_OP_max] = "ReduceMaxNode" };
	if (is_op(d, LT_OP_div))
		return form_mean(p, x, d, true);
	if (!d->reduce)
		return false;
	lt_node from = form_value(p, d, 0);
	return try_form(p, x, name[d->op], 1, &from, axes_text(p, d, true));
}

bool lt__form_layer(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	if (d->op == LT_OP_view)
		return p->alias.up[x] >= 0 && form_kept(p, x);
	if (d->reduce)
		return form_product(p, x, d);
	switch (d->op) {
	case LT_OP_div: return form_div(p, x, d);
	case LT_OP_mul: return form_mul(p, x, d);
	case LT_OP_add: return form_norm(p, x, d);
	case LT_OP_max: return form_max(p, x, d);
	default: return false;
	}
}

/* -- Convolutions and pools. */

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
	const struct lt_nodedef *e = &p->g->node[form_value(p, d, 0)];
	if (!sweep_of(p, e, &out->rows))
		return false;
	out->x = form_value(p, e, 0);
	int32_t rank = p->g->node[out->x].n_dim, grouped = rank == 5;
	if (grouped && p->g->node[out->x].op == LT_OP_view)
		out->x = form_value(p, &p->g->node[out->x], 0);
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
	const struct lt_nodedef *mul = form_operand(p, sum, 0);
	struct image i;
	if (mul->op != LT_OP_mul || mul->reduce || !image_of(p, mul->operand[0], &i))
		return false;
	lt_node w = form_value(p, mul, 1);
	while (w >= 0 && p->g->node[w].n_dim != 4)
		w = p->g->node[w].op == LT_OP_view ? form_value(p, &p->g->node[w], 0) : -1;
	if (w < 0)
		return false;
	bool first = !*i.layout;
	int64_t in = p->g->var[p->g->node[w].dim[first ? 1 : 2]].extent;
	int64_t groups = p->g->var[p->g->node[i.x].dim[first ? 1 : 3]].extent / in;
	struct lt_script_form *f = form_new(p, 2, (const lt_node[]){ i.x, w });
	lt__text_format(&f->text, "Conv2dNode($0, $1");
	say_sweeps(&f->text, &i, true, false);
	if (groups != 1)
		lt__text_format(&f->text, ", %lld", (long long)groups);
	lt__text_format(&f->text, "%s)", i.layout);
	return form_try(p, x, f);
}

static bool form_pool(struct lt_scripter *p, lt_node x, const struct lt_nodedef *max)
{
	struct image i;
	if (!image_of(p, max->operand[0], &i))
		return false;
	struct lt_script_form *f = form_new(p, 1, &i.x);
	lt__text_format(&f->text, "MaxPool2dNode($0, [%lld, %lld]", (long long)i.rows.size, (long long)i.columns.size);
	say_sweeps(&f->text, &i, true, false);
	lt__text_format(&f->text, "%s)", i.layout);
	return form_try(p, x, f);
}

/* Pads that count are said so; else there may be none. */
static bool form_average(struct lt_scripter *p, lt_node x, const struct lt_nodedef *div)
{
	const struct lt_nodedef *sum = form_operand(p, div, 0);
	struct image i;
	if (sum->op != LT_OP_add || !sum->reduce || !image_of(p, sum->operand[0], &i))
		return false;
	for (int32_t count = 0; count < 2; count++) {
		struct lt_script_form *f = form_new(p, 1, &i.x);
		lt__text_format(&f->text, "AveragePool2dNode($0, [%lld, %lld]", (long long)i.rows.size, (long long)i.columns.size);
		say_sweeps(&f->text, &i, false, count);
		lt__text_format(&f->text, "%s%s)", count ? ", 1" : "", i.layout);
		if (form_try(p, x, f))
			return true;
	}
	return false;
}

/* The node at the root may be the view or the cast after the sum. */
bool lt__form_window(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x], *root = d;
	if ((d->op == LT_OP_view && d->n_piece == 1 && d->piece[0].source >= 0) || d->op == LT_OP_cast)
		root = form_operand(p, d, 0);
	if (root->op == LT_OP_view && root->n_piece == 1 && root->piece[0].source >= 0)
		root = form_operand(p, root, 0);
	if (root->reduce && root->op == LT_OP_add)
		return form_conv(p, x, root);
	if (root->reduce && root->op == LT_OP_max)
		return form_pool(p, x, root);
	return !root->reduce && root->op == LT_OP_div && form_average(p, x, root);
}

/* -- Views. */

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
	struct lt_script_form *f = form_new(p, 1, &v->value);
	lt__text_format(&f->text, "%s($0", name);
	return f;
}

static bool form_end(struct lt_scripter *p, const struct shown *v, struct lt_script_form *f)
{
	lt__text_format(&f->text, ")");
	return form_try(p, v->x, f);
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
		part[i] = d->piece[i].source < 0 ? -1 : form_value(p, d, d->piece[i].source);
	struct lt_script_form *f = form_new(p, d->n_piece, part);
	lt__text_format(&f->text, "ConcatNode(%d", axis);
	for (int32_t i = 0; i < d->n_piece; i++)
		lt__text_format(&f->text, ", $%d", i);
	lt__text_format(&f->text, ")");
	return form_try(p, x, f);
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
	struct shown v = { .x = x, .d = d, .m = &d->piece[0].map, .value = form_value(p, d, d->piece[0].source) };
	v.from = &p->g->node[v.value];
	return (same_count(p, &v) && (form_shape(p, &v, "ReshapeNode") || form_permute(p, &v))) || form_slice(p, &v)
		|| (may_expand(p, &v) && form_shape(p, &v, "ExpandNode")) || form_pad(p, &v) || form_windowed(p, &v);
}
