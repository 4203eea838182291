/* flatten_write.c -- the graph in which dims have become one: nodes of a group, and the views around them. */
#include <string.h>
#include "base/names.h"
#include "ir/node/node.h"
#include "ir/pass/flatten.h"

lt_status lt__flatten_var(struct lt_flatten *s, struct lt_flat_run *r)
{
	const size_t bytes = (size_t)r->n * sizeof *r->var;
	const char *name = s->g->var[r->var[0]].name;
	int64_t extent = s->g->var[r->var[0]].extent;

	r->joined = lt__names_find(s->names, (const char *)r->var, bytes);
	if (r->joined >= 0)
		return LT_OK;
	for (int32_t i = 1; i < r->n; i++) {
		name = lt__arena_format(s->arena, "%s_%s", name, s->g->var[r->var[i]].name);
		if (lt__mul_overflow(extent, s->g->var[r->var[i]].extent, &extent))
			return lt_fail(s->g->ctx, LT_EOVERFLOW, "%s exceeds 63 bits", name);
	}
	r->joined = lt__var_add(s->f->out, name, extent, NULL);
	if (r->joined < 0)
		return s->g->ctx->code;
	lt__names_add(s->names, (const char *)r->var, bytes, r->joined);
	return LT_OK;
}

bool lt__flatten_ends(const struct lt_flatten *s, lt_node x)
{
	const struct lt_nodedef *n = &s->g->node[x];

	return n->reduce && s->group[n->operand[0]] == s->group[x];
}

struct flat_writer {
	struct lt_flatten *s;
	/* By node of the old graph: its value with the old dims, and as its group has it; -1: not made. */
	lt_node *whole, *flat;
	/* By node: somebody reads it with the old dims, and as the group `view_of` has it: the node of the new graph. */
	bool *wants_whole;
	lt_node *view, *view_of;
};

static const struct lt_flat_run *starts_run(const struct lt_flat_runs *runs, lt_var v)
{
	for (int32_t i = 0; i < runs->n; i++)
		if (runs->at[i].var[0] == v)
			return &runs->at[i];
	return NULL;
}

/* The dims with those of each run as one; whether any were. */
static bool flat_dims(struct lt_flatten *s, const struct lt_nodedef *n, const struct lt_flat_runs *runs, lt_var **dim,
	int32_t *n_dim)
{
	bool any = false;

	*dim = LT_NEW(s->arena, lt_var, n->n_dim + 1);
	*n_dim = 0;
	for (int32_t i = 0; i < n->n_dim;) {
		const struct lt_flat_run *r = starts_run(runs, n->dim[i]);

		(*dim)[(*n_dim)++] = r ? r->joined : n->dim[i];
		i += r ? r->n : 1;
		any = any || r;
	}
	return any;
}

static const struct lt_flat_runs *runs_of(const struct lt_flatten *s, lt_node x) { return &s->runs[s->group[x]]; }

static bool is_flat(struct lt_flatten *s, lt_node x)
{
	lt_var *dim;
	int32_t n_dim;

	return flat_dims(s, &s->g->node[x], runs_of(s, x), &dim, &n_dim);
}

/* Whether it reads what it reads as its group has it: also a reduction over all of a run, which has none itself. */
static bool reads_runs(struct lt_flatten *s, lt_node x)
{
	return is_flat(s, x) || (lt__flatten_ends(s, x) && is_flat(s, s->g->node[x].operand[0]));
}

/* Whether both make the same of node x's dims. */
static bool flat_same_dims(
	struct lt_flatten *s, lt_node x, const struct lt_flat_runs *one, const struct lt_flat_runs *two)
{
	lt_var *dim[2];
	int32_t n_dim[2];

	(void)flat_dims(s, &s->g->node[x], one, &dim[0], &n_dim[0]);
	(void)flat_dims(s, &s->g->node[x], two, &dim[1], &n_dim[1]);
	return n_dim[0] == n_dim[1] && !memcmp(dim[0], dim[1], (size_t)n_dim[0] * sizeof **dim);
}

/* A view of a flat value reads it as it is; with guards, which are on dims of the source, it has these again. */
static bool reads_flat(struct lt_flatten *s, const struct lt_nodedef *view)
{
	return view->op == LT_OP_view && view->n_operand == 1 && view->n_piece == 1 && view->piece[0].map.n_guard == 0
		&& is_flat(s, view->operand[0]);
}

/* -- maps -- */

/* From the dims with runs as one to the old ones. */
static struct lt_map split_map(struct lt_flatten *s, const struct lt_nodedef *n, const struct lt_flat_runs *runs)
{
	struct lt_map m = { .n_row = n->n_dim };
	int32_t at = 0, div = 0;

	for (int32_t i = 0; i < n->n_dim; m.n_dim++) {
		const struct lt_flat_run *r = starts_run(runs, n->dim[i]);

		m.n_div += r ? r->n - 1 : 0;
		i += r ? r->n : 1;
	}
	size_t width = (size_t)lt__map_width(&m);
	int64_t *row = LT_NEW(s->arena, int64_t, width * (size_t)m.n_row + 1),
		*divs = LT_NEW(s->arena, int64_t, (width + 1) * (size_t)m.n_div + 1);

	for (int32_t i = 0; i < n->n_dim; at++) {
		const struct lt_flat_run *r = starts_run(runs, n->dim[i]);
		int64_t unit = 1;

		if (!r) {
			row[(size_t)i++ * width + 1 + (size_t)at] = 1;
			continue;
		}
		row[(size_t)(i + r->n - 1) * width + 1 + (size_t)at] = 1;
		for (int32_t k = r->n - 1; k > 0; k--, div++) {
			int64_t extent = s->g->var[r->var[k]].extent, *d = divs + (size_t)div * (width + 1);
			const size_t column = 1 + (size_t)m.n_dim + (size_t)div;

			unit *= extent;
			d[0] = unit;
			d[1 + 1 + at] = 1;
			row[(size_t)(i + k) * width + column] = -extent;
			row[(size_t)(i + k - 1) * width + column] = 1;
		}
		i += r->n;
	}
	m.row = row;
	m.div = divs;
	return m;
}

/* The rows of a map into the old dims of x, as rows into its flat ones. */
static lt_status join_rows(struct lt_flatten *s, lt_node x, struct lt_map *m)
{
	const struct lt_nodedef *n = &s->g->node[x];
	const struct lt_flat_runs *runs = runs_of(s, x);
	size_t width = (size_t)lt__map_width(m);
	int64_t *row = LT_NEW(s->arena, int64_t, width * (size_t)m->n_row + 1);
	int32_t to = 0;

	for (int32_t i = 0; i < n->n_dim; to++) {
		const struct lt_flat_run *r = starts_run(runs, n->dim[i]);
		int64_t *sum = row + (size_t)to * width;

		for (int32_t k = 0; k < (r ? r->n : 1); k++, i++)
			for (size_t c = 0; c < width; c++)
				if ((k > 0 && lt__mul_overflow(sum[c], s->g->var[n->dim[i]].extent, &sum[c]))
					|| lt__add_overflow(sum[c], m->row[(size_t)i * width + c], &sum[c]))
					return lt_fail(s->g->ctx, LT_EOVERFLOW, "the index into %%%s exceeds 63 bits", n->name);
	}
	m->row = row;
	m->n_row = to;
	return LT_OK;
}

static lt_status simplify(struct lt_flatten *s, struct lt_nodedef *view, struct lt_map *m)
{
	int64_t *extent = LT_NEW(s->arena, int64_t, view->n_dim + 1);
	const struct lt_linear **limit = LT_NEW(s->arena, const struct lt_linear *, view->n_dim + 1);
	bool empty;

	for (int32_t i = 0; i < view->n_dim; i++) {
		const struct lt_vardef *v = &s->f->out->var[view->dim[i]];

		extent[i] = v->extent;
		limit[i] = v->bounded ? &v->limit : NULL;
	}
	return lt__map_simplify(s->f->out, s->arena, &(struct lt_box){ view->n_dim, extent, limit }, m, &empty);
}

/* -- nodes -- */

static lt_status add(struct flat_writer *w, const struct lt_nodedef *n, lt_node *made)
{
	*made = lt__graph_add(w->s->f->out, n);
	return *made < 0 ? w->s->g->ctx->code : LT_OK;
}

/* Node x with its old dims, of the flat one. */
static lt_status add_whole(struct flat_writer *w, lt_node x)
{
	struct lt_flatten *s = w->s;
	const struct lt_nodedef *n = &s->g->node[x];
	struct lt_map m = lt__map_identity(s->arena, n->n_dim);
	struct lt_graphpiece piece = { .source = 0 };

	LT_TRY(join_rows(s, x, &m));
	piece.map = m;
	return add(w, &(struct lt_nodedef){ .op = LT_OP_view, .dtype = n->dtype, .n_operand = 1, .operand = &w->flat[x],
		.n_dim = n->n_dim, .dim = n->dim, .name = lt__arena_format(s->arena, "%s.whole", n->name), .n_piece = 1,
		.piece = &piece, .line = n->line, .column = n->column }, &w->whole[x]);
}

/* A view of the old graph, or NULL runs: over its own dims. */
static lt_status add_view(struct flat_writer *w, lt_node x, const struct lt_flat_runs *runs, lt_node *made)
{
	struct lt_flatten *s = w->s;
	const struct lt_nodedef *old = &s->g->node[x];
	struct lt_nodedef n = *old;
	const bool is_view = old->op == LT_OP_view;
	struct lt_map split, own;
	const struct lt_graphpiece whole = { .map = lt__map_identity(s->arena, old->n_dim) };

	n.n_operand = is_view ? old->n_operand : 1;
	n.operand = LT_NEW(s->arena, lt_node, n.n_operand + 1);
	n.n_piece = is_view ? old->n_piece : 1;
	n.piece = LT_NEW(s->arena, struct lt_graphpiece, n.n_piece + 1);
	for (int32_t i = 0; i < n.n_operand; i++)
		n.operand[i] = !is_view ? w->whole[x] : reads_flat(s, old) ? w->flat[old->operand[i]] : w->whole[old->operand[i]];
	if (!is_view)
		n = (struct lt_nodedef){ .op = LT_OP_view, .dtype = old->dtype, .n_operand = 1, .operand = n.operand,
			.name = lt__arena_format(s->arena, "%s.flat", old->name), .n_piece = 1, .piece = n.piece, .line = old->line,
			.column = old->column, .n_dim = old->n_dim, .dim = old->dim };
	if (runs) {
		split = split_map(s, old, runs);
		(void)flat_dims(s, old, runs, &n.dim, &n.n_dim);
	}
	for (int32_t i = 0; i < n.n_piece; i++) {
		struct lt_graphpiece *p = &n.piece[i];

		*p = is_view ? old->piece[i] : whole;
		if (reads_flat(s, old))
			LT_TRY(join_rows(s, old->operand[0], &p->map));
		if (!runs)
			continue;
		own = p->map;
		LT_TRY(lt__map_compose(s->g->ctx, s->arena, &split, &own, &p->map));
		LT_TRY(simplify(s, &n, &p->map));
	}
	return add(w, &n, made);
}

/* What a node of a group reads: as the group has it. */
static lt_status flat_operand(struct flat_writer *w, lt_node x, lt_node from, lt_node *made)
{
	struct lt_flatten *s = w->s;
	const struct lt_flat_runs *runs = runs_of(s, x);

	if (w->flat[from] >= 0 && flat_same_dims(s, from, runs, runs_of(s, from))) {
		*made = w->flat[from];
		return LT_OK;
	}
	if (flat_same_dims(s, from, runs, &(struct lt_flat_runs){ 0 })) {
		*made = w->whole[from];
		return LT_OK;
	}
	if (w->view[from] < 0 || w->view_of[from] != s->group[x]) {
		LT_TRY(add_view(w, from, runs, &w->view[from]));
		w->view_of[from] = s->group[x];
	}
	*made = w->view[from];
	return LT_OK;
}

/* Marks, of what node x reads, what has to be there with its old dims. */
static void mark_operands(struct flat_writer *w, lt_node x, bool *wants_view)
{
	struct lt_flatten *s = w->s;
	const struct lt_nodedef *n = &s->g->node[x];
	const struct lt_flat_runs *runs = runs_of(s, x), none = { 0 };

	if (n->op == LT_OP_view) {
		for (int32_t i = 0; (w->wants_whole[x] || wants_view[x]) && i < n->n_operand; i++)
			w->wants_whole[n->operand[i]] |= !reads_flat(s, n);
		return;
	}
	for (int32_t i = 0; i < n->n_operand; i++) {
		lt_node from = n->operand[i];

		if (reads_runs(s, x) && is_flat(s, from) && flat_same_dims(s, from, runs, runs_of(s, from)))
			continue;
		if (reads_runs(s, x) && s->g->node[from].op == LT_OP_view && !flat_same_dims(s, from, runs, &none))
			wants_view[from] = true;
		else
			w->wants_whole[from] = true;
	}
}

static void mark_wants(struct flat_writer *w)
{
	const struct lt_graph *g = w->s->g;
	bool *wants_view = LT_NEW(w->s->arena, bool, g->n_node + 1);

	for (int32_t i = 0; i < g->n_result; i++)
		w->wants_whole[g->result[i].node] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		w->wants_whole[g->set[i].value] = w->wants_whole[g->set[i].state] = true;
	for (lt_param p = 0; p < g->n_param; p++)
		w->wants_whole[g->param[p].source] = true;
	for (lt_node x = g->n_node; x-- > 0;)
		mark_operands(w, x, wants_view);
}

static lt_status write_node(struct flat_writer *w, lt_node x)
{
	struct lt_flatten *s = w->s;
	const bool flat = is_flat(s, x);
	struct lt_nodedef n = s->g->node[x];

	if (n.op == LT_OP_view)
		return w->wants_whole[x] ? add_view(w, x, NULL, &w->whole[x]) : LT_OK;
	n.operand = LT_NEW(s->arena, lt_node, n.n_operand + 1);
	for (int32_t i = 0; i < n.n_operand; i++) {
		n.operand[i] = w->whole[s->g->node[x].operand[i]];
		if (reads_runs(s, x))
			LT_TRY(flat_operand(w, x, s->g->node[x].operand[i], &n.operand[i]));
	}
	if (!flat)
		return add(w, &n, &w->whole[x]);
	(void)flat_dims(s, &s->g->node[x], runs_of(s, x), &n.dim, &n.n_dim);
	LT_TRY(add(w, &n, &w->flat[x]));
	return w->wants_whole[x] ? add_whole(w, x) : LT_OK;
}

lt_status lt__flatten_write(struct lt_flatten *s)
{
	const int32_t n = s->g->n_node;
	struct flat_writer w = { .s = s, .whole = s->f->to, .flat = LT_NEW(s->arena, lt_node, n + 1),
		.wants_whole = LT_NEW(s->arena, bool, n + 1), .view = LT_NEW(s->arena, lt_node, n + 1),
		.view_of = LT_NEW(s->arena, lt_node, n + 1) };

	for (lt_node x = 0; x < n; x++)
		w.flat[x] = w.view[x] = w.view_of[x] = -1;
	mark_wants(&w);
	for (lt_node x = 0; x < n; x++)
		LT_TRY(write_node(&w, x));
	return LT_OK;
}
