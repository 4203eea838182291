/* What the default tree of a GPU asks of a nest: which loops can be shared out, and how what it touches lies along
 * them. */
#include "looptree/default/auto_gpu.h"
#include "looptree/tree/tree.h"

enum { SECTOR = 32, LANES = 32, WIDEST = 16, LONG = 32 };      /* bytes, threads, bytes, iterations */

static bool is_shared_at(const struct lt_looptree *t, lt_tnode loop, lt_tnode at, bool sums)
{
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		if (!is_shared_at(t, loop, c, sums))
			return false;
	if (t->node[at].kind != LT_TLEAF || lt__is_private(t, t->node[at].leaf, loop))
		return true;
	lt_node n = t->node[at].leaf;
	int32_t column = lt__loop_column(t, t->leaf[n], loop);
	return column >= 0 && (column < t->leaf[n]->n_out
		|| (sums && t->graph->node[n].reduce && !lt__op_info(t->graph->node[n].op)->ordered));
}

bool lt__gpu_may_share(const struct lt_looptree *t, lt_tnode loop, bool sums)
{
	return is_shared_at(t, loop, loop, sums);
}

int64_t lt__gpu_elems(const struct lt_looptree *t, lt_tnode at)
{
	int64_t max = 1;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next) {
		int64_t elems = lt__gpu_elems(t, c);
		max = elems > max ? elems : max;
	}
	int64_t trip_count = lt_looptree_trip_count(t, at), all;
	return lt__mul_overflow(max, trip_count > 0 ? trip_count : 1, &all) ? INT64_MAX : all;
}

bool lt__gpu_reduces(const struct lt_looptree *t, lt_tnode at)
{
	if (t->node[at].kind == LT_TLEAF)
		return t->graph->node[t->node[at].leaf].reduce;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		if (lt__gpu_reduces(t, c))
			return true;
	return false;
}

bool lt__gpu_sums_only(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	for (lt_tnode c = n->body; c >= 0; c = n->n_chain ? s->t->node[c].next : -1)
		if (s->t->node[c].kind == LT_TLOOP && lt__gpu_elems(s->t, c) > 1 && !lt__gpu_reduces(s->t, c))
			return false;
	return true;
}

static lt_node last_leaf(const struct lt_looptree *t, lt_tnode at)
{
	while (t->node[at].kind != LT_TLEAF)
		for (at = t->node[at].child; t->node[at].next >= 0; at = t->node[at].next)
			;
	return t->node[at].leaf;
}

/* Whether there is nothing in it but a leaf, and loops of one iteration. */
static bool is_point(const struct lt_looptree *t, lt_tnode at)
{
	while (t->node[at].kind == LT_TLOOP && t->graph->var[t->node[at].var].extent == 1
		&& t->node[t->node[at].child].next < 0)
		at = t->node[at].child;
	return t->node[at].kind == LT_TLEAF;
}

void lt__gpu_look(const struct lt_gpu *s, lt_tnode top, struct lt_gpu_nest *out)
{
	const struct lt_looptree *t = s->t;
	*out = (struct lt_gpu_nest){ .top = top, .body = top, .rows = 1, .elems = 1, .lane = -1, .wide = 1, .threads = 1,
		.side = 1, .deep = 1 };
	for (lt_tnode at = top; t->node[at].kind == LT_TLOOP && t->node[at].loop == LT_SERIAL && out->n_chain < LT_GPU_CHAIN
		&& lt__gpu_may_share(t, at, false); at = out->body) {
		out->chain[out->n_chain++] = at;
		out->body = t->node[at].child;
		if (lt__mul_overflow(out->rows, lt_looptree_trip_count(t, at), &out->rows))
			out->rows = INT64_MAX;
		if (t->node[out->body].next >= 0)
			break;
	}
	out->leaves = true;
	out->last = last_leaf(t, top);
	for (lt_tnode c = out->body; c >= 0; c = out->n_chain ? t->node[c].next : -1) {
		int64_t elems = lt__gpu_elems(t, c);
		out->leaves = out->leaves && is_point(t, c);
		out->elems = elems > out->elems ? elems : out->elems;
	}
}

/* -- memory -- */

/* Everything in a nest that a leaf touches outside of it: how far apart for neighbours along v. */
struct gpu_access { lt_node leaf, base; int32_t column; struct lt_readpiece piece; };
typedef void gpu_access_call(const struct lt_gpu *, const struct gpu_access *, void *);

static bool is_stored(const struct lt_looptree *t, lt_node n)
{
	return t->leaf_of[n] < 0 || t->scope[n].whole || t->scope[n].owner < 0;
}

static void each_access(const struct lt_gpu *s, lt_tnode at, lt_var v, gpu_access_call *call, void *user)
{
	const struct lt_looptree *t = s->t;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		each_access(s, c, v, call, user);
	if (t->node[at].kind != LT_TLEAF)
		return;
	lt_node n = t->node[at].leaf;
	const struct lt_leaf *leaf = t->leaf[n];
	struct gpu_access x = { .leaf = n, .base = n, .column = lt__leaf_column(leaf, v) };
	x.piece = (struct lt_readpiece){ .kind = LT_PIECE_READ, .base = n };
	lt__leaf_dest(t->graph, t->arena, n, leaf, &x.piece.map);
	if (is_stored(t, n))
		call(s, &x, user);
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			x.piece = leaf->read[k].piece[p];
			x.base = x.piece.base;
			if (x.piece.kind == LT_PIECE_READ && is_stored(t, x.base) && t->graph->node[x.base].n_dim > 0)
				call(s, &x, user);
		}
}

/* Iterations of the leaf in one run of the whole nest. */
static double runs_of(const struct lt_looptree *t, lt_node n)
{
	double runs = 1;
	for (lt_tnode up = t->node[t->leaf_of[n]].parent; up >= 0; up = t->node[up].parent)
		runs *= (double)lt_looptree_trip_count(t, up);
	return runs;
}

/* Elements between neighbours along each dim, in the order in which the value lies; what is cut in digits lies as its
 * dims do. */
static void find_units(const struct lt_looptree *t, lt_node base, int64_t *unit)
{
	const struct lt_nodedef *d = &t->graph->node[base];
	const struct lt_memlayout *l = t->layout[base];
	int64_t all = 1;
	for (int32_t i = 0; l && i < l->n; i++)
		l = l->digit[i].step == 1 && l->n == d->n_dim ? l : NULL;
	for (int32_t i = d->n_dim; i-- > 0;) {
		int32_t dim = l ? l->digit[i].dim : i;
		unit[dim] = all;
		if (lt__mul_overflow(all, t->graph->var[d->dim[dim]].extent, &all))
			all = 0;
	}
}

/* The access as one sum over its map's columns, in elements; NULL: a floor division stays in it. */
static const int64_t *flat_of(const struct lt_looptree *t, const struct gpu_access *x)
{
	const struct lt_map *m = &x->piece.map;
	int64_t *unit = LT_NEW(t->arena, int64_t, t->graph->node[x->base].n_dim + 1);
	int64_t *flat = LT_NEW(t->arena, int64_t, lt__map_width(m) + 1);
	find_units(t, x->base, unit);
	return m->n_row == t->graph->node[x->base].n_dim && lt__flat_row(m, unit, flat) ? flat : NULL;
}

/* Elements between neighbours along v; -1: not known. */
static int64_t stride_of(const struct lt_looptree *t, const struct gpu_access *x)
{
	const int64_t *flat = x->column < 0 ? NULL : flat_of(t, x);
	if (x->column < 0)
		return 0;
	return flat ? flat[1 + x->piece.map.n_param + x->column] : -1;
}

struct traffic { lt_var v; double sum; };

static void add_traffic(const struct lt_gpu *s, const struct gpu_access *x, void *user)
{
	struct traffic *sum = user;
	const struct lt_graph *g = s->t->graph;
	int64_t bytes = lt__dtype_info(g->node[x->base].dtype)->bytes, extent = g->var[sum->v].extent;
	int64_t lanes = extent < LANES ? (extent > 0 ? extent : 1) : LANES, sectors = 1;
	int64_t stride = stride_of(s->t, x);
	if (stride < 0)
		stride = SECTOR;
	if (stride > SECTOR)
		stride = SECTOR;
	if (stride > 0)
		sectors = (lanes * stride * bytes - 1) / SECTOR + 1;
	sectors = sectors < lanes ? sectors : lanes;
	sum->sum += runs_of(s->t, x->leaf) / (double)lanes * (double)sectors;
}

double lt__gpu_traffic(const struct lt_gpu *s, lt_tnode at, lt_var v)
{
	struct traffic sum = { v, 0 };
	each_access(s, at, v, add_traffic, &sum);
	return sum.sum;
}

/* wide: of the widest type; max: of the narrowest; 0: nothing lies along v.  apart: something lies there with gaps that
 * are less than a sector. */
struct gpu_width { lt_var v; int64_t wide, max; bool apart; };

static int64_t power_in(int64_t n, int64_t max)
{
	while (max > 1 && n % max)
		max /= 2;
	return max;
}

/* Whether a column of the leaf's maps never moves. */
static bool is_single(const struct lt_looptree *t, const struct gpu_access *x, int32_t column)
{
	const struct lt_leaf *leaf = t->leaf[x->leaf];
	return column >= 0 && column < leaf->n_var && t->graph->var[leaf->var[column]].extent <= 1;
}

/* Every other step that the address takes is a multiple of the width, too. */
static void add_width(const struct lt_gpu *s, const struct gpu_access *x, void *user)
{
	struct gpu_width *w = user;
	const struct lt_map *m = &x->piece.map;
	int64_t bytes = lt__dtype_info(s->t->graph->node[x->base].dtype)->bytes;
	const int64_t *flat = x->column < 0 ? NULL : flat_of(s->t, x), step = flat ? flat[1 + m->n_param + x->column] : 0;
	w->apart = w->apart || (step > 1 && 2 * step <= SECTOR / bytes);
	if (step != 1)
		return;                 /* one element at a time, or the same one */
	int64_t wide = WIDEST / bytes;
	for (int32_t c = 0; c < 1 + m->n_param + m->n_dim; c++)
		if (c != 1 + m->n_param + x->column && !is_single(s->t, x, c - 1 - m->n_param))
			wide = power_in(flat[c], wide);
	w->wide = w->wide && w->wide < wide ? w->wide : wide;
	w->max = w->max > wide ? w->max : wide;
}

/* Where several elements that are apart lie in one sector (pixels of three channels), threads beside each other touch
 * it at the same time if each has one of them. */
int64_t lt__gpu_wide(const struct lt_gpu *s, lt_tnode at, lt_var v)
{
	struct gpu_width w = { v, 0, 0, false };
	each_access(s, at, v, add_width, &w);
	return !w.wide ? 0 : w.apart ? 1 : power_in(s->t->graph->var[v].extent, w.wide);
}

int64_t lt__gpu_widest(const struct lt_gpu *s, lt_tnode at, lt_var v)
{
	struct gpu_width w = { v, 0, 0, false };
	each_access(s, at, v, add_width, &w);
	return w.max ? power_in(s->t->graph->var[v].extent, w.max) : 0;
}

lt_tnode lt__gpu_longest(const struct lt_gpu *s, lt_tnode child)
{
	const struct lt_looptree *t = s->t;
	lt_tnode found = -1;
	for (lt_tnode at = child; at >= 0 && t->node[at].kind == LT_TLOOP;
		at = t->node[t->node[at].child].next < 0 ? t->node[at].child : -1)
		if (lt_looptree_trip_count(t, at) > (found < 0 ? 1 : lt_looptree_trip_count(t, found)) && t->node[at].step == 1
			&& lt__gpu_may_share(t, at, true))
			found = at;
	return found;
}

/* Loops that have nothing else in them, down to where they branch. */
lt_tnode lt__gpu_lane_of(const struct lt_gpu *s, lt_tnode child)
{
	const struct lt_looptree *t = s->t;
	lt_tnode found = -1;
	double best = 0;
	for (lt_tnode at = child; at >= 0 && t->node[at].kind == LT_TLOOP;
		at = t->node[t->node[at].child].next < 0 ? t->node[at].child : -1) {
		if (lt_looptree_trip_count(t, at) < 2 || t->node[at].step != 1 || !lt__gpu_may_share(t, at, true))
			continue;
		double traffic = lt__gpu_traffic(s, child, t->node[at].var);
		if (found < 0 || traffic <= best) {
			found = at;
			best = traffic;
		}
	}
	return found;
}

lt_tnode lt__gpu_inner_of(const struct lt_gpu *s, lt_tnode child, lt_tnode lane, bool *across)
{
	const struct lt_looptree *t = s->t;
	lt_tnode found = -1;
	*across = false;
	for (lt_tnode at = lane >= 0 ? t->node[lane].child : -1, next; at >= 0; at = next) {
		while (at >= 0 && t->node[at].kind != LT_TLOOP)
			at = t->node[at].next;
		next = at >= 0 ? t->node[at].child : -1;
		if (at >= 0 && t->node[at].step == 1 && lt_looptree_trip_count(t, at) >= LONG && lt__gpu_reduces(t, at)
			&& lt__gpu_may_share(t, at, true)
			&& (found < 0 || lt__gpu_traffic(s, child, t->node[at].var) < lt__gpu_traffic(s, child, t->node[found].var)))
			found = at;
	}
	if (found >= 0)
		*across = 2 * lt__gpu_traffic(s, child, t->node[found].var) < lt__gpu_traffic(s, child, t->node[lane].var);
	return found;
}
