/* Clones through a view: a node is computed at the points where a view reads it, so that it can be in the loops of the
 * view's readers.
 *
 * The clone has the view's dims.  It reads each operand where the view leads to, under the view's guards; where the
 * view does not read the node the operand counts as 0, and what is computed from that is not read: the view reads the
 * clone in place, under the same guards, and keeps its fill.  Where that is a number of the type before a cast, the
 * operand counts as that number, and the view reads the cast everywhere.
 */
#include "ir/node/node.h"
#include "looptree/derive/derive.h"

struct through {
	struct lt_frame *f;
	lt_node of;                     /* in f->in */
	const struct lt_nodedef *from, *view;
	lt_var *dim;                    /* of what the clone reads: the view's dims, then those that it reduces */
	lt_var *reduced;                /* by name in the operand; dim[view->n_dim + i] is what it is now */
	int32_t n_reduced;
};

lt_status lt__clone_view_check(const struct lt_graph *g, lt_node of, lt_node view, const bool *written)
{
	const struct lt_nodedef *d = &g->node[of], *v = &g->node[view];
	if (v->op != LT_OP_view)
		return lt_fail(g->ctx, LT_EILLEGAL, "%%%s is not a view, so %%%s has no other points to be computed at; write `for "
			"%%%s`", v->name, d->name, v->name);
	if (d->op == LT_OP_gather)
		return lt_fail(g->ctx, LT_EILLEGAL,
			"%%%s gathers: it cannot be computed at the points of %%%s; stage %%%s itself", d->name,
			v->name, v->name);
	if (written[view])
		return lt_fail(g->ctx, LT_EILLEGAL,
			"%%%s is a result, and %%%s is written through it; materialize %%%s first", v->name, d->name,
			v->name);
	return LT_OK;
}

/* A row with columns for `more` dims after the n_dim that it has. */
static void widen(const struct lt_map *m, int32_t more, const int64_t *row, int64_t *out)
{
	int32_t first = 1 + m->n_param + m->n_dim;
	for (int32_t c = 0; c < lt__map_width(m); c++)
		out[c < first ? c : c + more] = row[c];
}

/* The guards and floor divisions of a piece's map over the dims of the clone's operands; the rows lead to x, -1:
 * nowhere; or are those of the clone itself, in place. */
static struct lt_map lead(const struct through *w, const struct lt_map *m, const struct lt_nodedef *x, bool in_place)
{
	struct lt_arena *a = w->f->scratch;
	int32_t more = in_place ? 0 : w->n_reduced, width = lt__map_width(m), wide = width + more,
		first = 1 + m->n_param + m->n_dim;
	struct lt_map out = *m;
	out.n_dim += more;
	out.n_row = in_place ? m->n_dim : x ? x->n_dim : 0;
	int64_t *guard = LT_NEW(a, int64_t, (int64_t)wide * m->n_guard + 1),
		*div = LT_NEW(a, int64_t, (int64_t)(1 + wide) * m->n_div + 1);
	int64_t *row = LT_NEW(a, int64_t, (int64_t)wide * out.n_row + 1);
	for (int32_t i = 0; i < m->n_guard; i++)
		widen(m, more, m->guard + (int64_t)i * width, guard + (int64_t)i * wide);
	for (int32_t i = 0; i < m->n_div; i++) {
		div[(int64_t)i * (1 + wide)] = m->div[(int64_t)i * (1 + width)];
		widen(m, more, m->div + (int64_t)i * (1 + width) + 1, div + (int64_t)i * (1 + wide) + 1);
	}
	for (int32_t i = 0; i < out.n_row; i++) {
		int64_t *r = row + (int64_t)i * wide;
		int32_t p = 0;
		if (in_place) {
			r[1 + m->n_param + i] = 1;
			continue;
		}
		while (p < w->from->n_dim && w->from->dim[p] != x->dim[i])
			p++;
		if (p < w->from->n_dim)
			widen(m, more, m->row + (int64_t)p * width, r);
		for (int32_t k = 0; p == w->from->n_dim && k < w->n_reduced; k++)
			r[first + k] = w->reduced[k] == x->dim[i];
	}
	out.row = row;
	out.guard = guard;
	out.div = div;
	return out;
}

/* A var that is reduced keeps its name, unless the view has it for something else. */
static lt_status find_dims(struct through *w)
{
	struct lt_arena *a = w->f->scratch;
	const struct lt_nodedef *x = w->from->n_operand > 0 ? &w->f->in->node[w->from->operand[0]] : w->from;
	w->dim = LT_NEW(a, lt_var, w->view->n_dim + x->n_dim + 1);
	w->reduced = LT_NEW(a, lt_var, x->n_dim + 1);
	for (int32_t i = 0; i < w->view->n_dim; i++)
		w->dim[i] = w->view->dim[i];
	for (int32_t i = 0; w->from->reduce && i < x->n_dim; i++) {
		lt_var v = x->dim[i];
		if (lt__node_has_dim(w->from, v))
			continue;
		w->reduced[w->n_reduced] = v;
		if (lt__node_has_dim(w->view, v)) {
			const struct lt_vardef of = w->f->out->var[v];
			v = lt__var_like(w->f->out, v, of.extent, of.bounded ? &of.limit : NULL);
			if (v < 0)
				return lt_context_code(w->f->in->ctx);
		}
		w->dim[w->view->n_dim + w->n_reduced++] = v;
	}
	return LT_OK;
}

static bool reads_of(const struct through *w, const struct lt_graphpiece *p)
{
	return p->source >= 0 && w->view->operand[p->source] == w->of;
}

/* Whether a cast of *bits, a number of its operand's type, is what the view shows where it reads nothing. */
static bool casts_fill(const struct through *w, uint64_t *bits)
{
	const struct lt_nodedef *v = w->view;
	int32_t here = 0;
	*bits = 0;
	for (int32_t i = 0; i < v->n_piece; i++) {
		if (v->piece[i].source >= 0 && !reads_of(w, &v->piece[i]))
			return false;
		here += reads_of(w, &v->piece[i]);
	}
	if (w->from->op != LT_OP_cast || w->from->reduce || !v->has_fill || here != 1 || v->n_operand != 1)
		return false;
	const enum lt_dtype from = w->f->in->node[w->from->operand[0]].dtype, to = v->dtype;
	*bits = lt__bits_of(lt__convert(lt__scalar_of(v->bits, to), to, from), from);
	return lt__bits_of(lt__convert(lt__scalar_of(*bits, from), from, to), to) == v->bits;
}

/* Operand k of the node, at the view's points; elsewhere these bits. */
static lt_status add_operand(const struct through *w, int32_t k, uint64_t bits, const char *name, lt_node *out)
{
	struct lt_frame *f = w->f;
	const struct lt_nodedef *x = &f->in->node[w->from->operand[k]];
	lt_node to = f->to[w->from->operand[k]];
	*out = to;
	if (x->n_dim == 0)      /* the same everywhere */
		return LT_OK;
	struct lt_graphpiece *piece = LT_NEW(f->scratch, struct lt_graphpiece, w->view->n_piece + 1);
	for (int32_t i = 0; i < w->view->n_piece; i++) {
		const struct lt_graphpiece *p = &w->view->piece[i];
		bool here = reads_of(w, p);
		piece[i] = (struct lt_graphpiece){ .source = here ? 0 : -1, .map = lead(w, &p->map, here ? x : NULL, false) };
	}
	struct lt_nodedef view = { .op = LT_OP_view,
		.dtype = x->dtype,
		.n_operand = 1,
		.operand = &to,
		.n_dim = w->view->n_dim + w->n_reduced,
		.dim = w->dim,
		.name = name,
		.n_piece = w->view->n_piece,
		.piece = piece,
		.has_fill = true,
		.bits = bits,
		.line = w->view->line,
		.column = w->view->column };
	*out = lt__graph_add(f->out, &view);
	return *out < 0 ? lt_context_code(f->in->ctx) : LT_OK;
}

lt_status lt__clone_view_add(
	struct lt_frame *f, lt_node of, lt_node view, struct lt_nodedef *d, const char *name, lt_node *made)
{
	struct through w = { .f = f, .of = of, .from = &f->in->node[of], .view = &f->in->node[view] };
	LT_TRY(find_dims(&w));
	struct lt_nodedef clone = *w.from;
	clone.name = name;
	clone.line = w.view->line;
	clone.column = w.view->column;
	clone.n_dim = w.view->n_dim;
	clone.dim = w.view->dim;
	clone.operand = LT_NEW(f->scratch, lt_node, clone.n_operand + 1);
	uint64_t bits;
	const bool whole = casts_fill(&w, &bits);
	for (int32_t k = 0; k < clone.n_operand; k++)
		LT_TRY(add_operand(&w, k, whole ? bits : 0, lt__arena_format(f->scratch, "%s.view", name), &clone.operand[k]));
	*made = lt__graph_add(f->out, &clone);
	if (*made < 0)
		return lt_context_code(f->in->ctx);
	struct lt_graphpiece *piece = LT_NEW(f->scratch, struct lt_graphpiece, d->n_piece + 1);
	int32_t n_piece = 0;
	for (int32_t i = 0; i < d->n_piece; i++) {
		if (whole && !reads_of(&w, &d->piece[i]))
			continue;
		piece[n_piece] = d->piece[i];
		struct lt_map *m = &piece[n_piece].map;
		if (whole)              /* rows are as wide as that */
			m->n_guard = m->n_div = 0;
		if (reads_of(&w, &d->piece[i]))
			*m = lead(&w, m, NULL, true);
		n_piece++;
	}
	d->piece = piece;
	d->n_piece = n_piece;
	d->has_fill = d->has_fill && !whole;
	for (int32_t i = 0; i < d->n_operand; i++)
		if (w.view->operand[i] == of)
			d->operand[i] = *made;
	return LT_OK;
}
