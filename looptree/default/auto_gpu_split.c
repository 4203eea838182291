/* The default tree of a GPU, before its loops are bound: long reductions that too few blocks would share.
 *
 * Each of them is cut in chunks whose partial results are a kernel's, and a second one reduces those:
 *
 *     for j                               group
 *       %s = add.reduce[j] %x               for j step 4096          # a block each
 *                                             for j'
 *                                               %s.part[j_4096] = add.reduce[j'] %x
 *                                           group                    # one block
 *                                             for j_4096
 *                                               %s = add.reduce[j_4096] %s.part
 *
 * How many chunks there are depends on the target's number of multiprocessors and on nothing else, so results are the
 * same in every run.
 */
#include <string.h>
#include "base/names.h"
#include "looptree/default/auto_gpu.h"
#include "looptree/derive/derive.h"
#include "looptree/tree/tree.h"

enum { CHUNKED = 1 << 15, EACH = 4 };   /* elements of a block that are worth more blocks; blocks of a multiprocessor */

/* A nest, and how it is cut; names, because nodes are numbered again when partial results are made. */
struct split_nest {
	struct lt_gpu_nest nest;
	lt_tnode child;                 /* of the body: what reduces */
	lt_var v;
	int64_t step;
	bool columns;
};
struct split_part { int32_t nest; const char *sum, *part, *dim; };
struct split_work {
	struct lt_gpu *s;
	struct split_nest *nest; int32_t n_nest, cap_nest;
	struct split_part *part; int32_t n_part, cap_part;
	struct lt_derived_step *step; int32_t n_step, cap_step;
};

/* -- what is wanted -- */

static bool name_is_free(const struct split_work *w, const char *name)
{
	for (int32_t i = 0; i < w->n_step; i++)
		if (!strcmp(w->step[i].dim, name))
			return false;
	return lt__names_find(w->s->t->graph->var_names, name, strlen(name)) == -1;
}

/* Whether every reduction in `at` is over v, and stays what it is if it is done in another order. */
static bool all_reduce(const struct lt_looptree *t, lt_tnode at, lt_var v)
{
	if (t->node[at].kind == LT_TLEAF && t->graph->node[t->node[at].leaf].reduce)
		return lt__reduces(t->graph, t->node[at].leaf, v)
			&& !lt__op_info(t->graph->node[t->node[at].leaf].op)->ordered;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		if (!all_reduce(t, c, v))
			return false;
	return true;
}

/* The outermost loop of more than one iteration, if it can be cut; -1. */
static lt_tnode loop_to_cut(const struct lt_looptree *t, lt_tnode child)
{
	lt_tnode at = child;
	while (at >= 0 && t->node[at].kind == LT_TLOOP && lt_looptree_trip_count(t, at) == 1
		&& t->node[t->node[at].child].next < 0)
		at = t->node[at].child;
	if (at < 0 || t->node[at].kind != LT_TLOOP || t->node[at].step != 1 || t->graph->var[t->node[at].var].bounded
		|| !lt__gpu_reduces(t, child) || !all_reduce(t, child, t->node[at].var) || lt__loop_around(t, at) >= 0)
		return -1;
	return at;
}

/* The body's first child reduces, and nothing else in it has loops: what follows goes with the second kernel. */
static bool has_form(const struct lt_looptree *t, const struct lt_gpu_nest *n)
{
	if (n->body < 0 || t->node[n->body].kind != LT_TLOOP)
		return false;
	for (lt_tnode c = n->n_chain ? t->node[n->body].next : -1; c >= 0; c = t->node[c].next)
		if (t->node[c].kind != LT_TLEAF)
			return false;
	return n->n_chain > 0 || t->node[n->top].parent < 0;
}

/* Iterations of a chunk: whole rounds of the threads that share it.  If some number of chunks, not half as many, leaves
 * no partial one, then so many. */
static int64_t step_of(int64_t iterations, int64_t chunks, int64_t unit)
{
	for (int64_t n = chunks; n > 1 && 2 * n > chunks; n--)
		if (iterations % n == 0 && iterations / n % unit == 0)
			return iterations / n;
	int64_t step = (iterations - 1) / (chunks > 0 ? chunks : 1) + 1;
	return step > unit ? lt__round_up(step, unit) : step;
}

static void want_split(struct split_work *w, lt_tnode top)
{
	struct lt_gpu *s = w->s;
	struct split_nest x = { .v = -1 };
	lt__gpu_choose(s, top, &x.nest);
	const struct lt_gpu_nest *n = &x.nest;
	int64_t blocks = n->rows / (n->side > 0 ? n->side : 1) + 1, full = EACH * (int64_t)s->target->multiprocessors;
	if ((n->form != LT_GPU_ROWS && n->form != LT_GPU_COLUMNS) || 2 * blocks > full || !has_form(s->t, n))
		return;
	int64_t each = n->form == LT_GPU_COLUMNS ? n->elems * 32 : n->elems;
	lt_tnode loop = each < CHUNKED ? -1 : loop_to_cut(s->t, n->body);
	if (loop < 0)
		return;
	int64_t iterations = lt_looptree_trip_count(s->t, loop), chunks = full / blocks;
	if (chunks > each / (CHUNKED / 8))
		chunks = each / (CHUNKED / 8);
	x.child = n->body;
	x.v = s->t->node[loop].var;
	x.columns = n->form == LT_GPU_COLUMNS;
	x.step = step_of(iterations, chunks, lt__gpu_lane_of(s, n->body) == loop ? n->threads * n->wide : 1);
	if (x.step >= iterations || x.step < 1)
		return;
	LT_GROW(s->t->arena, w->nest, w->n_nest, w->cap_nest);
	w->nest[w->n_nest++] = x;
}

static void want_part(struct split_work *w, int32_t nest, lt_node sum)
{
	struct lt_looptree *t = w->s->t;
	const struct split_nest *x = &w->nest[nest];
	/* it is looked for in the graph that the steps make, when the tree's own may be gone */
	const char *var = t->graph->var[x->v].name, *name = lt__arena_string(t->arena, t->graph->node[sum].name);
	struct split_part p = { .nest = nest, .sum = name };
	const char *base = p.dim = lt__arena_format(t->arena, "%s_%lld", var, (long long)x->step);
	for (int32_t i = 2; !name_is_free(w, p.dim); i++)
		p.dim = lt__arena_format(t->arena, "%s_%d", base, (int)i);
	p.part = lt__derived_name(t, lt__arena_format(t->arena, "%s.part", name));
	LT_GROW(t->arena, w->step, w->n_step, w->cap_step);
	w->step[w->n_step++] = (struct lt_derived_step){
		.kind = LT_DERIVED_PARTIAL, .made = p.part, .of = name, .var = var, .step = x->step, .dim = p.dim
	};
	LT_GROW(t->arena, w->part, w->n_part, w->cap_part);
	w->part[w->n_part++] = p;
}

static void want_parts(struct split_work *w, int32_t nest, lt_tnode at)
{
	const struct lt_looptree *t = w->s->t;
	if (t->node[at].kind == LT_TLEAF && t->graph->node[t->node[at].leaf].reduce)
		want_part(w, nest, t->node[at].leaf);
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		want_parts(w, nest, c);
}

/* -- and made -- */

/* Neighbours of a chunk lie side by side, as the columns do. */
static void lay_by_chunk(struct lt_looptree *t, lt_node part)
{
	int32_t n = t->graph->node[part].n_dim;
	struct lt_digit *digit = LT_NEW(t->arena, struct lt_digit, n + 1);
	digit[0] = (struct lt_digit){ .dim = n - 1, .step = 1 };
	for (int32_t i = 1; i < n; i++)
		digit[i] = (struct lt_digit){ .dim = i - 1, .step = 1 };
	t->layout[part] = lt__layout_new(t, n, digit, 0);
}

/* The second kernel: loops over the results, and in them one over each sum's partial results. */
static void make_folds(struct split_work *w, int32_t nest, lt_tnode group, lt_tnode first)
{
	struct lt_looptree *t = w->s->t;
	struct lt_edit *e = &w->s->e;
	const struct split_nest *x = &w->nest[nest];
	lt_tnode parent = group, after = first, inner = x->nest.n_chain ? x->nest.chain[x->nest.n_chain - 1] : -1;
	for (int32_t i = 0; i < x->nest.n_chain; i++) {
		lt_tnode loop = lt__edit_new_loop(e, t->node[x->nest.chain[i]].var, t->node[x->nest.chain[i]].step);
		lt__edit_insert(e, parent, after, loop);
		parent = loop;
		after = -1;
	}
	if (inner < 0) {                /* one launch of one block */
		lt_tnode alone = lt__edit_new_group(e);
		lt__edit_insert(e, parent, after, alone);
		parent = alone;
		after = -1;
	}
	for (int32_t i = 0; i < w->n_part; i++) {
		if (w->part[i].nest != nest)
			continue;
		const char *dim = w->part[i].dim;
		lt_tnode loop = lt__edit_new_loop(e, lt__names_find(t->graph->var_names, dim, strlen(dim)), 1);
		lt__edit_insert(e, parent, after, loop);
		lt__edit_insert(e, loop, -1, lt__edit_new_leaf(e, lt__tree_node_named(t, w->part[i].sum)));
		after = loop;
	}
	/* The loop over chunks; what is beside it follows the sums. */
	lt_tnode around = inner >= 0 ? t->node[inner].child : -1;
	for (lt_tnode c = around >= 0 ? t->node[around].next : -1, next; c >= 0; c = next) {
		next = t->node[c].next;
		lt__edit_detach(e, c);
		lt__edit_insert(e, parent, after, c);
		after = c;
	}
}

static void make_split(struct split_work *w, int32_t nest)
{
	struct lt_looptree *t = w->s->t;
	struct lt_edit *e = &w->s->e;
	const struct split_nest *x = &w->nest[nest];
	lt_tnode top = x->nest.n_chain ? x->nest.chain[0] : x->child, group = lt__edit_new_group(e);
	lt__edit_replace(e, top, group);
	lt__edit_insert(e, group, -1, top);
	lt_tnode outer = lt__edit_new_loop(e, x->v, x->step);
	t->node[outer].tail = t->graph->var[x->v].extent % x->step ? LT_MASK : LT_GUARD;
	lt__edit_replace(e, x->child, outer);
	lt__edit_insert(e, outer, -1, x->child);
	for (int32_t i = 0; i < w->n_part; i++) {
		if (w->part[i].nest != nest)
			continue;
		lt_node sum = lt__tree_node_named(t, w->part[i].sum), part = lt__tree_node_named(t, w->part[i].part);
		lt_tnode at = t->leaf_of[sum];
		t->node[at].leaf = part;
		t->leaf_of[part] = at;
		t->leaf_of[sum] = -1;
		if (x->columns && t->graph->node[part].n_dim > 1)
			lay_by_chunk(t, part);
	}
	make_folds(w, nest, group, x->nest.n_chain ? top : outer);
}

lt_status lt__gpu_split(struct lt_gpu *s, const bool *open)
{
	struct split_work w = { .s = s };
	for (lt_tnode root = s->t->root; root >= 0; root = s->t->node[root].next)
		if (open[root] && s->t->node[root].kind == LT_TLOOP && !lt__auto_fallback_in(s->t, s->fallback, root)->level)
			want_split(&w, root);
	for (int32_t i = 0; i < w.n_nest; i++)
		want_parts(&w, i, w.nest[i].child);
	if (w.n_step == 0)
		return LT_OK;
	LT_TRY(lt__tree_derive(s->t, w.step, w.n_step, NULL));
	for (int32_t i = 0; i < w.n_nest; i++)
		make_split(&w, i);
	return LT_OK;
}
