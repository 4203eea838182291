/* Access analysis: what each leaf reads, as exact maps from its own vars to the elements of stored values.
 *
 * Views have no leaf: they are read through, their maps composed into the reader's access.  Pieces keep their
 * order, so that the first whose guards hold gives the value.
 */
#include <string.h>
#include "looptree/tree/tree.h"

bool lt__has_leaf(const struct lt_graph *g, lt_node n)
{
	switch (g->node[n].op) {
	case LT_OP_lit: case LT_OP_input: case LT_OP_constant: case LT_OP_state: case LT_OP_index: case LT_OP_view:
		return false;
	default:
		return true;
	}
}

bool lt__row_is(const struct lt_map *m, int32_t i, int32_t x)
{
	int32_t width = lt__map_width(m);
	const int64_t *row = m->row + (int64_t)i * width;
	for (int32_t c = 0; c < width; c++)
		if (row[c] != (c == 1 + m->n_param + x))
			return false;
	return true;
}

int32_t lt__leaf_column(const struct lt_leaf *leaf, lt_var v)
{
	for (int32_t i = 0; i < leaf->n_var + leaf->n_trip; i++)
		if (leaf->var[i] == v)
			return i;
	return -1;
}

int64_t lt__var_step(const struct lt_graph *g, lt_var v, lt_var over, int64_t step)
{
	const struct lt_vardef *d = &g->var[v];
	if (v == over)
		return step;
	return d->unit && d->of == over && step >= d->unit && (!d->span || step < d->span) ? step / d->unit : 0;
}

int32_t lt__loop_column(const struct lt_looptree *t, const struct lt_leaf *leaf, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	for (int32_t i = 0; i < leaf->n_var; i++)
		if (leaf->var[i] != d->var && lt__var_step(t->graph, leaf->var[i], d->var, d->step))
			return i;
	return lt__leaf_column(leaf, d->var);
}

bool lt__reduces(const struct lt_graph *g, lt_node n, lt_var v)
{
	const struct lt_nodedef *d = &g->node[n];
	if (!d->reduce)
		return false;
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] == v)
			return false;
	return true;
}

/* A piece still to be resolved: the value of `node` (-1: the immediate) at the rows of `map`. */
struct todo { lt_node node; uint64_t bits; struct lt_map map; };

/* Most reads are one piece: the first of them need no memory of the arena, which keeps what it gave. */
enum { FEW_PIECES = 8 };
struct resolve {
	const struct lt_graph *g;
	struct lt_arena *a;
	const struct lt_box *box;
	struct lt_readpiece *piece; int32_t n, cap;
	struct todo *stack; int32_t n_stack, cap_stack;
	struct lt_readpiece few[FEW_PIECES];
	struct todo first[FEW_PIECES];
};

static void resolve_begin(
	struct resolve *r, const struct lt_graph *g, struct lt_arena *a, const struct lt_box *box)
{
	r->g = g;
	r->a = a;
	r->box = box;
	r->piece = r->few;
	r->stack = r->first;
	r->n = r->n_stack = 0;
	r->cap = r->cap_stack = FEW_PIECES;
}

static void push_piece(struct resolve *r, int kind, lt_node base, uint64_t bits, const struct lt_map *map)
{
	LT_GROW(r->a, r->piece, r->n, r->cap);
	r->piece[r->n++] = (struct lt_readpiece){ .kind = kind, .base = base, .bits = bits, .map = *map };
}

static void push_todo(struct resolve *r, lt_node node, uint64_t bits, const struct lt_map *map)
{
	LT_GROW(r->a, r->stack, r->n_stack, r->cap_stack);
	r->stack[r->n_stack++] = (struct todo){ .node = node, .bits = bits, .map = *map };
}

/* The pieces of a view come before everything after it, so they are pushed in reverse. */
static lt_status expand_view(struct resolve *r, const struct lt_nodedef *view, const struct lt_map *at)
{
	bool covered = false;
	for (int32_t i = 0; i < view->n_piece; i++)
		covered = covered || view->piece[i].map.n_guard == 0;
	if (!covered) {         /* the fill is under the guards that led here */
		struct lt_map remainder = *at;
		remainder.n_row = 0;
		push_todo(r, -1, view->bits, &remainder);
	}
	for (int32_t i = view->n_piece - 1; i >= 0; i--) {
		const struct lt_graphpiece *p = &view->piece[i];
		struct lt_map both;
		LT_TRY(lt__map_compose(r->g->ctx, r->a, at, &p->map, &both));
		push_todo(r, p->source < 0 ? -1 : view->operand[p->source], p->bits, &both);
	}
	return LT_OK;
}

static lt_status resolve(struct resolve *r, lt_node node, const struct lt_map *at)
{
	r->n_stack = 0;
	push_todo(r, node, 0, at);
	while (r->n_stack > 0) {
		struct todo t = r->stack[--r->n_stack];
		bool empty = false;
		if (t.map.n_guard > 0 || t.map.n_div > 0)
			LT_TRY(lt__map_simplify(r->g, r->a, r->box, &t.map, &empty));
		if (empty)
			continue;
		const struct lt_nodedef *d = t.node < 0 ? NULL : &r->g->node[t.node];
		if (d && d->op == LT_OP_view) {
			LT_TRY(expand_view(r, d, &t.map));
			continue;
		}
		if (!d || d->op == LT_OP_lit) {
			t.map.n_row = 0;
			push_piece(r, LT_PIECE_IMMEDIATE, -1, d ? d->bits : t.bits, &t.map);
		} else if (d->op == LT_OP_index) {
			push_piece(r, LT_PIECE_INDEX, -1, 0, &t.map);
		} else {
			push_piece(r, LT_PIECE_READ, t.node, 0, &t.map);
		}
		if (t.map.n_guard == 0)         /* it always holds: what comes after is never reached */
			break;
	}
	/* The pieces cover every point, so where all others fail the last one holds; equal immediates there are one. */
	while (r->n > 1 && r->piece[r->n - 1].kind == LT_PIECE_IMMEDIATE && r->piece[r->n - 2].kind == LT_PIECE_IMMEDIATE
	       && r->piece[r->n - 1].bits == r->piece[r->n - 2].bits)
		r->n--;
	if (r->n > 0)
		r->piece[r->n - 1].map.n_guard = 0;
	return LT_OK;
}

static lt_status read_operand(struct resolve *r, lt_node operand, const struct lt_map *at, struct lt_read *out)
{
	r->n = 0;
	LT_TRY(resolve(r, operand, at));
	if (r->n == 0) {        /* an empty box: any value will do, none is read */
		struct lt_map none = lt__map_select(r->a, at->n_dim, 0, NULL, NULL);
		push_piece(r, LT_PIECE_IMMEDIATE, -1, 0, &none);
	}
	*out = (struct lt_read){ .n_piece = r->n, .dtype = r->g->node[operand].dtype,
		.piece = lt__arena_copy(r->a, r->piece, (size_t)r->n * sizeof *r->piece) };
	return LT_OK;
}

lt_status lt__node_read(const struct lt_graph *g, struct lt_arena *a, lt_node n, struct lt_read *out)
{
	const struct lt_nodedef *d = &g->node[n];
	int64_t *extent = LT_NEW(a, int64_t, d->n_dim + 1);
	const struct lt_linear **limit = LT_NEW(a, const struct lt_linear *, d->n_dim + 1);
	for (int32_t i = 0; i < d->n_dim; i++) {
		extent[i] = g->var[d->dim[i]].extent;
		limit[i] = g->var[d->dim[i]].bounded ? &g->var[d->dim[i]].limit : NULL;
	}
	struct lt_box box = { .n = d->n_dim, .extent = extent, .limit = limit };
	struct resolve r;
	resolve_begin(&r, g, a, &box);
	struct lt_map identity = lt__map_identity(a, d->n_dim);
	return read_operand(&r, n, &identity, out);
}

/* Vars of the leaf's iteration: the result's, then the reduced ones; of an update: the part's. */
static void fill_vars(const struct lt_graph *g, struct lt_arena *a, lt_node n, struct lt_leaf *leaf)
{
	const struct lt_nodedef *d = &g->node[n], *shape = d;
	if (d->op == LT_OP_update)
		shape = &g->node[d->operand[1]];
	leaf->n_out = shape->n_dim;
	int32_t cap = shape->n_dim + (d->reduce ? g->node[d->operand[0]].n_dim : 0);
	leaf->var = LT_NEW(a, lt_var, cap);
	for (int32_t i = 0; i < shape->n_dim; i++)
		leaf->var[leaf->n_var++] = shape->dim[i];
	if (d->reduce) {
		const struct lt_nodedef *x = &g->node[d->operand[0]];
		for (int32_t i = 0; i < x->n_dim; i++)
			if (lt__reduces(g, n, x->dim[i]))
				leaf->var[leaf->n_var++] = x->dim[i];
	}
}

/* The map with column `div` (-1: none) turned into a last dim, after `more` dims that it does not use. */
static struct lt_map div_to_dim(struct lt_arena *a, const struct lt_map *m, int32_t div, int32_t more)
{
	struct lt_map out = *m;
	int32_t width = lt__map_width(m), first = 1 + m->n_param + m->n_dim, gone = div < 0 ? 0 : 1;
	out.n_dim += more + gone;
	out.n_div -= gone;
	int32_t wide = lt__map_width(&out);
	int64_t *at = LT_NEW(a, int64_t, (int64_t)(m->n_row + m->n_guard) * wide + (int64_t)m->n_div * (1 + wide) + 1);
	out.row = at;
	out.guard = at + (int64_t)m->n_row * wide;
	out.div = at + (int64_t)(m->n_row + m->n_guard) * wide;
	for (int32_t k = 0; k < m->n_row + m->n_guard + m->n_div; k++) {
		int32_t d = k - m->n_row - m->n_guard;
		if (d == div && div >= 0)
			continue;
		const int64_t *from = k < m->n_row ? m->row + (int64_t)k * width : d < 0 ? m->guard + (int64_t)(k - m->n_row) * width
			: m->div + (int64_t)d * (1 + width) + 1;
		if (d >= 0)
			*at++ = from[-1];
		for (int32_t c = 0; c < width; c++)
			at[c < first ? c : c - first == div ? first + more : c + more + (div < 0 || c - first < div)] = from[c];
		at += wide;
	}
	return out;
}

/* The div of the map that is floor(column of the leaf / unit), -1. */
static int32_t find_iteration(const struct lt_map *m, int32_t column, int64_t unit)
{
	int32_t width = lt__map_width(m);
	for (int32_t d = 0; d < m->n_div; d++) {
		const int64_t *div = m->div + (int64_t)d * (1 + width);
		bool same = div[0] == unit;
		for (int32_t c = 0; same && c < width; c++)
			same = div[1 + c] == (c == 1 + m->n_param + column);
		if (same)
			return d;
	}
	return -1;
}

/* Where a read's row is the number of an iteration of a loop, floor(y / 4), it becomes a column of that var: such a row
 * is in place. */
static void name_iterations(const struct lt_graph *g, struct lt_arena *a, struct lt_leaf *leaf)
{
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			struct lt_readpiece *piece = &leaf->read[k].piece[p];
			const struct lt_nodedef *base = piece->kind == LT_PIECE_READ && piece->map.n_div > 0 ? &g->node[piece->base] : NULL;
			for (int32_t i = 0; base && i < base->n_dim; i++) {
				const struct lt_vardef *v = &g->var[base->dim[i]];
				int32_t of = v->unit && !v->span ? lt__leaf_column(leaf, v->of) : -1, at = leaf->n_var, d;
				if (of < 0 || of >= leaf->n_var || lt__leaf_column(leaf, base->dim[i]) >= 0
					|| (d = find_iteration(&piece->map, of, v->unit)) < 0)
					continue;
				while (at < leaf->n_var + leaf->n_trip && leaf->var[at] != base->dim[i])
					at++;
				if (at < leaf->n_var + leaf->n_trip)
					continue;
				lt_var *var = LT_NEW(a, lt_var, at + 1);
				memcpy(var, leaf->var, sizeof *var * (size_t)at);
				var[at] = base->dim[i];
				leaf->var = var;
				leaf->n_trip++;
			}
		}
	for (int32_t k = 0; leaf->n_trip > 0 && k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
			for (int32_t i = leaf->n_var; i < leaf->n_var + leaf->n_trip; i++) {
				struct lt_map *m = &leaf->read[k].piece[p].map;
				const struct lt_vardef *v = &g->var[leaf->var[i]];
				int32_t d = find_iteration(m, lt__leaf_column(leaf, v->of), v->unit);
				*m = div_to_dim(a, m, d, d < 0);
			}
}

lt_status lt__leaf_access(const struct lt_graph *g, struct lt_arena *a, lt_node n, struct lt_leaf **out)
{
	const struct lt_nodedef *d = &g->node[n];
	struct lt_leaf *leaf = LT_NEW(a, struct lt_leaf, 1);
	*out = NULL;
	fill_vars(g, a, n, leaf);
	leaf->gather = d->op == LT_OP_gather;
	int32_t n_dim = leaf->n_var + leaf->gather;     /* the gathered axis is one more column */
	int64_t *extent = LT_NEW(a, int64_t, n_dim + 1);
	const struct lt_linear **limit = LT_NEW(a, const struct lt_linear *, n_dim + 1);
	for (int32_t i = 0; i < leaf->n_var; i++) {
		const struct lt_vardef *v = &g->var[leaf->var[i]];
		extent[i] = v->extent;
		limit[i] = v->bounded ? &v->limit : NULL;
	}
	if (leaf->gather)
		extent[leaf->n_var] = g->var[g->node[d->operand[0]].dim[d->axis]].extent;
	struct lt_box box = { .n = n_dim, .extent = extent, .limit = limit };
	struct resolve r;
	resolve_begin(&r, g, a, &box);
	int32_t first = d->op == LT_OP_update ? 1 : 0;
	leaf->n_read = d->n_operand - first;
	leaf->read = LT_NEW(a, struct lt_read, leaf->n_read);
	int32_t cap = 1;
	for (int32_t k = first; k < d->n_operand; k++)
		if (g->node[d->operand[k]].n_dim > cap)
			cap = g->node[d->operand[k]].n_dim;
	int32_t *at = LT_NEW(a, int32_t, cap);
	for (int32_t k = first; k < d->n_operand; k++) {
		const struct lt_nodedef *x = &g->node[d->operand[k]];
		for (int32_t i = 0; i < x->n_dim; i++) {
			at[i] = lt__leaf_column(leaf, x->dim[i]);
			if (leaf->gather && k == 0 && i == d->axis)
				at[i] = leaf->n_var;
			if (at[i] < 0)
				return lt_fail(g->ctx, LT_EILLEGAL, "%%%s: operand %%%s has var %s, which the node does not have", d->name,
					x->name, g->var[x->dim[i]].name);
		}
		struct lt_map select = lt__map_select(a, n_dim, x->n_dim, at, NULL);
		LT_TRY(read_operand(&r, d->operand[k], &select, &leaf->read[k - first]));
	}
	if (!leaf->gather)
		name_iterations(g, a, leaf);
	*out = leaf;
	return LT_OK;
}

lt_status lt__leaf(struct lt_looptree *t, lt_node n, const struct lt_leaf **out)
{
	if (!t->leaf[n])
		LT_TRY(lt__leaf_access(t->graph, t->arena, n, &t->leaf[n]));
	*out = t->leaf[n];
	return LT_OK;
}

void lt__leaf_dest(
	const struct lt_graph *g, struct lt_arena *a, lt_node n, const struct lt_leaf *leaf, struct lt_map *out)
{
	const struct lt_nodedef *d = &g->node[n];
	int32_t *at = LT_NEW(a, int32_t, d->n_dim + 1), n_param = 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		at[i] = d->op == LT_OP_update ? i : lt__leaf_column(leaf, d->dim[i]);
	if (d->op != LT_OP_update) {
		*out = lt__map_select(a, leaf->n_var, d->n_dim, at, NULL);
		return;
	}
	for (int32_t i = 0; i < d->n_dim; i++)
		n_param += d->at[i] >= 0;
	*out = (struct lt_map){ .n_param = n_param, .n_dim = leaf->n_var, .n_row = d->n_dim };
	int32_t width = lt__map_width(out);
	lt_param *param = LT_NEW(a, lt_param, n_param);
	int64_t *row = LT_NEW(a, int64_t, (int64_t)width * d->n_dim);
	for (int32_t i = 0, p = 0; i < d->n_dim; i++) {
		row[(int64_t)i * width] = d->offset[i];
		row[(int64_t)i * width + 1 + n_param + i] = 1;
		if (d->at[i] >= 0) {
			param[p] = d->at[i];
			row[(int64_t)i * width + 1 + p++] = 1;
		}
	}
	out->param = param;
	out->row = row;
}
