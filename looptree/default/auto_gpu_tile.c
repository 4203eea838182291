/* The default tree of a GPU, before its loops are bound: elements that are read in one order and written in another go
 * through a tile in shared memory, so that both sides are read and written side by side.
 *
 *     for i step 32 grid.x  tail mask
 *       for j step 32 grid.x  tail mask
 *         for j' step 8 unroll                # along i, as %x lies
 *           for j'' block.y
 *             for i' block.x
 *               %x.copy[j i] = copy %x  layout [j i] pad 1
 *         for i' step 8 unroll                # along j, as %y lies
 *           for i'' block.y
 *             for j' block.x
 *               %y[i j] = add %x.copy %b
 *
 * The elements that are left free after each run of the tile spread its columns over the banks.
 */
#include "looptree/default/auto_gpu.h"
#include "looptree/derive/derive.h"
#include "looptree/tree/tree.h"

/* Elements along a side; threads along block.y, at most. */
enum { TILE = 32, HIGH = 8, MIN = 16, MAX_COPIES = 4 };

struct tile_copy { lt_node reader; int32_t operand; const char *name; };
struct tile_nest {
	struct lt_gpu_nest nest;
	lt_var along, across;           /* the results lie along one, what is copied along the other */
	struct tile_copy copy[MAX_COPIES]; int32_t n_copy;
};
struct tile_work {
	struct lt_gpu *s;
	struct tile_nest *nest; int32_t n_nest, cap_nest;
	struct lt_derived_step *step; int32_t n_step, cap_step;
};

static int32_t chain_of(const struct lt_looptree *t, const struct lt_gpu_nest *n, lt_var v)
{
	for (int32_t i = 0; i < n->n_chain; i++)
		if (t->node[n->chain[i]].var == v && t->node[n->chain[i]].step == 1)
			return i;
	return -1;
}

/* The var of the chain along which what a leaf reads lies, if it does not lie along `along`, which it has; -1. */
static lt_var lies_across(
	const struct lt_looptree *t, const struct lt_gpu_nest *n, lt_node leaf, int32_t k, lt_var along)
{
	const struct lt_leaf *l = t->leaf[leaf];
	const struct lt_read *r = &l->read[k];
	const struct lt_readpiece *p = &r->piece[0];
	int32_t column = lt__leaf_column(l, along);
	if (r->n_piece < 1 || p->kind != LT_PIECE_READ || column < 0 || l->gather
		|| (t->leaf_of[p->base] >= 0 && (!t->scope[p->base].whole || lt__is_above(t, n->top, t->leaf_of[p->base])))
		|| t->graph->node[p->base].n_dim < 2)
		return -1;
	int64_t stride = lt__auto_stride(t->graph, p, column);
	if (stride < MIN)
		return -1;
	for (int32_t i = 0; i < l->n_out; i++)
		if (l->var[i] != along && lt__auto_stride(t->graph, p, i) == 1 && chain_of(t, n, l->var[i]) >= 0
			&& t->graph->var[l->var[i]].extent >= MIN)
			return l->var[i];
	return -1;
}

static void look_at_leaf(struct tile_work *w, struct tile_nest *x, lt_node leaf)
{
	const struct lt_looptree *t = w->s->t;
	const struct lt_nodedef *d = &t->graph->node[leaf];
	for (int32_t k = 0; k < t->leaf[leaf]->n_read && k < d->n_operand && d->op != LT_OP_update; k++) {
		lt_var across = lies_across(t, &x->nest, leaf, k, x->along);
		if (across < 0 || (x->across >= 0 && across != x->across) || x->n_copy == MAX_COPIES
			|| !lt__has_dim(t->graph, d->operand[k], across) || !lt__has_dim(t->graph, d->operand[k], x->along))
			continue;
		bool again = false;
		for (int32_t i = 0; i < x->n_copy; i++)
			again = again || (x->copy[i].reader == leaf && d->operand[x->copy[i].operand] == d->operand[k]);
		if (again)
			continue;
		x->across = across;
		x->copy[x->n_copy++] = (struct tile_copy){ .reader = leaf, .operand = k };
	}
}

/* Elements that are left free behind each run: 4 bytes, or one element. */
static int64_t tile_gap(const struct lt_looptree *t, lt_node n)
{
	int64_t bytes = lt__dtype_info(t->graph->node[n].dtype)->bytes;
	return bytes < 4 ? 4 / bytes : 1;
}

/* Whether a block has the memory for all of the copies, and a row of them threads. */
static bool tile_fits(const struct tile_work *w, const struct tile_nest *x)
{
	const struct lt_graph *g = w->s->t->graph;
	int64_t sum = 0;
	for (int32_t i = 0; i < x->n_copy; i++) {
		lt_node of = g->node[x->copy[i].reader].operand[x->copy[i].operand];
		sum += lt__round_up(TILE * (TILE + tile_gap(w->s->t, of)) * lt__dtype_info(g->node[of].dtype)->bytes, 16);
	}
	return sum <= (int64_t)w->s->target->shared_bytes && lt__gpu_max_block(w->s->target) >= TILE;
}

static void want_tile(struct tile_work *w, lt_tnode top)
{
	struct lt_looptree *t = w->s->t;
	struct tile_nest x = { .across = -1 };
	if (lt__auto_fallback_in(t, w->s->fallback, top)->level)
		return;
	lt__gpu_choose(w->s, top, &x.nest);
	if (x.nest.form != LT_GPU_POINTS || x.nest.lane < 0 || x.nest.rows > INT32_MAX)
		return;
	x.along = t->node[x.nest.lane].var;
	if (t->graph->var[x.along].extent < MIN)
		return;
	for (lt_tnode c = x.nest.body; c >= 0; c = t->node[c].next)
		if (t->node[c].kind == LT_TLEAF)
			look_at_leaf(w, &x, t->node[c].leaf);
	if (x.n_copy == 0 || !tile_fits(w, &x))
		return;
	for (int32_t i = 0; i < x.n_copy; i++) {
		const struct lt_nodedef *d = &t->graph->node[x.copy[i].reader];
		const char *of = t->graph->node[d->operand[x.copy[i].operand]].name;
		x.copy[i].name = lt__derived_name(t, lt__arena_format(t->arena, "%s.%s.tile", of, d->name));
		LT_GROW(t->arena, w->step, w->n_step, w->cap_step);
		w->step[w->n_step++] = (struct lt_derived_step){
			.kind = LT_DERIVED_COPY, .made = x.copy[i].name, .of = of, .reader = d->name
		};
	}
	LT_GROW(t->arena, w->nest, w->n_nest, w->cap_nest);
	w->nest[w->n_nest++] = x;
}

/* A loop right inside `parent`, after `after`. */
static lt_tnode tile_loop(struct tile_work *w, lt_tnode parent, lt_tnode after, lt_var v, int64_t step,
	enum lt_loop_kind kind, int axis)
{
	lt_tnode loop = lt__edit_new_loop(&w->s->e, v, step);
	w->s->t->node[loop].loop = kind;
	w->s->t->node[loop].arg = axis;
	lt__edit_insert(&w->s->e, parent, after, loop);
	return loop;
}

static int64_t power_down(int64_t n)
{
	int64_t p = 1;
	while (2 * p <= n)
		p *= 2;
	return p;
}

/* The loops of one side: threads side by side along `inner`.  *first: the outermost. */
static lt_tnode add_side(
	struct tile_work *w, lt_tnode parent, lt_tnode after, lt_var outer, lt_var inner, lt_tnode *first)
{
	int64_t high = lt__gpu_max_block(w->s->target) / TILE;
	high = high < HIGH ? power_down(high) : HIGH;
	*first = tile_loop(w, parent, after, outer, high, LT_UNROLL, 0);
	lt_tnode above = high > 1 ? tile_loop(w, *first, -1, outer, 1, LT_BLOCK, 1) : *first;
	return tile_loop(w, above, -1, inner, 1, LT_BLOCK, 0);
}

/* Runs of the tile lie along `across`, each with a gap behind it. */
static void pad_tile(struct lt_looptree *t, lt_node copy, lt_var across)
{
	const struct lt_nodedef *d = &t->graph->node[copy];
	struct lt_digit *digit = LT_NEW(t->arena, struct lt_digit, d->n_dim + 1);
	int32_t n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int32_t i = 0; i < d->n_dim; i++)
			if ((d->dim[i] == across) == (pass == 1))
				digit[n++] = (struct lt_digit){ .dim = i, .step = 1 };
	t->layout[copy] = lt__layout_new(t, n, digit, tile_gap(t, copy));
}

static void make_tile(struct tile_work *w, const struct tile_nest *x)
{
	struct lt_looptree *t = w->s->t;
	struct lt_edit *e = &w->s->e;
	lt_tnode inner = x->nest.chain[x->nest.n_chain - 1], parent = -1, top = -1, side, after = -1;
	for (int pass = 0; pass < 2; pass++)
		for (int32_t i = 0; i < x->nest.n_chain; i++) {
			const struct lt_tnodedef d = t->node[x->nest.chain[i]];
			bool tiled = d.step == 1 && (d.var == x->along || d.var == x->across);
			if (tiled != (pass == 1))
				continue;
			lt_tnode loop = lt__edit_new_loop(e, d.var, tiled ? TILE : d.step);
			t->node[loop].loop = LT_GRID;
			bool partial = t->graph->var[d.var].extent % TILE || t->graph->var[d.var].bounded;
			t->node[loop].tail = tiled && partial ? LT_MASK : d.tail;
			if (parent < 0)
				top = loop;
			else
				lt__edit_insert(e, parent, -1, loop);
			parent = loop;
		}
	lt_tnode leaves = t->node[inner].child;
	LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
	t->note[t->n_note++] = (struct lt_tnote){ t->node[leaves].leaf,
		lt__arena_format(t->arena,
			"tree: tiles of %d by %d in shared memory: what is read lies along %s, what is written along %s",
			(int)TILE, (int)TILE, t->graph->var[x->across].name, t->graph->var[x->along].name) };
	lt__edit_replace(e, x->nest.top, top);
	for (int32_t i = 0; i < x->n_copy; i++) {
		lt_node copy = lt__tree_node_named(t, x->copy[i].name);
		pad_tile(t, copy, x->across);
		lt_tnode threads = add_side(w, parent, after, x->along, x->across, &side);
		lt__edit_insert(e, threads, -1, lt__edit_new_leaf(e, copy));
		after = side;
	}
	lt_tnode threads = add_side(w, parent, after, x->across, x->along, &side);
	for (lt_tnode c = leaves, next, last = -1; c >= 0; last = c, c = next) {
		next = t->node[c].next;
		lt__edit_detach(e, c);
		lt__edit_insert(e, threads, last, c);
	}
}

lt_status lt__gpu_tile(struct lt_gpu *s, const bool *open, int32_t n_open)
{
	struct tile_work w = { .s = s };
	for (lt_tnode root = s->t->root; root >= 0; root = s->t->node[root].next)
		if (root < n_open && open[root] && s->t->node[root].kind == LT_TLOOP)
			want_tile(&w, root);
	if (w.n_step == 0)
		return LT_OK;
	LT_TRY(lt__tree_derive(s->t, w.step, w.n_step, NULL));
	for (int32_t i = 0; i < w.n_nest; i++)
		make_tile(&w, &w.nest[i]);
	return LT_OK;
}
