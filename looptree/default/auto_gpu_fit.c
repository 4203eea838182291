/* The default tree of a GPU: whether a block has the memory for what a nest keeps in it.
 *
 * A value whose leaves all have the same block loops around them stays where it is: each thread has its own elements of
 * it.  Any other is for the threads of the block together, in shared memory, once for each iteration of the block loops
 * around it.
 */
#include "looptree/default/auto_gpu.h"

enum { THREAD_BYTES = 1024 };           /* of the arrays of one thread, each */

static bool is_threads(const struct lt_looptree *t, lt_tnode at)
{
	return t->node[at].kind == LT_TLOOP && t->node[at].loop == LT_BLOCK;
}

/* Block loops around `at`, inside `owner`, the innermost first. */
struct fit_threads { int32_t n; struct { lt_var var; int64_t step; int32_t axis; } at[LT_GPU_CHAIN]; };

static struct fit_threads threads_inside(const struct lt_looptree *t, lt_tnode owner, lt_tnode at)
{
	struct fit_threads x = { .n = 0 };
	for (lt_tnode up = t->node[at].parent; up >= 0 && up != owner && x.n < LT_GPU_CHAIN; up = t->node[up].parent)
		if (is_threads(t, up)) {
			x.at[x.n].var = t->node[up].var;
			x.at[x.n].step = t->node[up].step;
			x.at[x.n++].axis = t->node[up].arg;
		}
	return x;
}

static bool are_same(const struct lt_graph *g, lt_node n, const struct fit_threads *a, const struct fit_threads *b)
{
	for (int32_t i = 0; i < a->n && i < b->n; i++)
		if (a->at[i].var != b->at[i].var || a->at[i].step != b->at[i].step || a->at[i].axis != b->at[i].axis
			|| !lt__has_dim(g, n, a->at[i].var))
			return false;
	return a->n == b->n;
}

/* Whether node u reads n, at its own index only. */
static bool reads(const struct lt_looptree *t, lt_node u, lt_node n, bool *in_place)
{
	const struct lt_leaf *leaf = t->leaf[u];
	bool any = false;
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			const struct lt_readpiece *x = &leaf->read[k].piece[p];
			if (x->base != n)
				continue;
			any = true;
			for (int32_t i = 0; i < t->graph->node[n].n_dim; i++) {
				int32_t column = lt__leaf_column(leaf, t->graph->node[n].dim[i]);
				*in_place = *in_place && column >= 0 && lt__row_is(&x->map, i, column);
			}
		}
	return any;
}

/* The leaves of a nest. */
struct fit_leaves { int32_t n, cap; lt_node *at; };

static void find_leaves(const struct lt_looptree *t, lt_tnode at, struct fit_leaves *out)
{
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		find_leaves(t, c, out);
	if (t->node[at].kind != LT_TLEAF)
		return;
	LT_GROW(t->arena, out->at, out->n, out->cap);
	out->at[out->n++] = t->node[at].leaf;
}

/* The step of the outermost loop over v that is inside owner and around the leaf of n; 1: there is none. */
static int64_t fit_step(const struct lt_looptree *t, lt_node n, lt_var v)
{
	int64_t step = 1;
	for (lt_tnode up = t->node[t->leaf_of[n]].parent; up >= 0 && up != t->scope[n].owner; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && t->node[up].var == v)
			step = t->node[up].step;
	return step;
}

/* Whether threads run past the end of a dim into the next run of it, so that no element says whose it is. */
static bool fit_runs_over(const struct lt_looptree *t, lt_node n, const struct fit_threads *threads)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	bool outer = false;
	for (int32_t i = 0; i < d->n_dim; i++) {
		bool shared = false;
		for (int32_t k = 0; k < threads->n; k++)
			shared = shared || threads->at[k].var == d->dim[i];
		if (shared && outer && t->scope[n].extent[i] % fit_step(t, n, d->dim[i]))
			return true;
		outer = outer || t->scope[n].extent[i] > 1;
	}
	return false;
}

/* Whether each of its elements is one thread's.  threads: those around its leaf. */
static bool is_distributed(
	const struct lt_looptree *t, const struct fit_leaves *nest, lt_node n, const struct fit_threads *threads)
{
	bool in_place = true;
	for (int32_t i = 0; i < nest->n && in_place; i++) {
		if (!reads(t, nest->at[i], n, &in_place))
			continue;
		struct fit_threads of = threads_inside(t, t->scope[n].owner, t->leaf_of[nest->at[i]]);
		in_place = in_place && are_same(t->graph, n, threads, &of);
	}
	return in_place && !t->graph->node[n].reduce && !fit_runs_over(t, n, threads);
}

static int64_t threads_around(const struct lt_looptree *t, lt_tnode at)
{
	int64_t n = 1;
	for (; at >= 0; at = t->node[at].parent)
		n = is_threads(t, at) ? lt__mul_sat(n, lt_looptree_trip_count(t, at)) : n;
	return n;
}

static int64_t bytes_of(const struct lt_looptree *t, lt_node n)
{
	int64_t bytes = lt__dtype_info(t->graph->node[n].dtype)->bytes;
	for (int32_t i = 0; i < t->graph->node[n].n_dim; i++)
		bytes = lt__mul_sat(bytes, t->scope[n].extent[i]);
	return bytes;
}

/* Of the block's shared memory; -1: the thread has no room. */
static int64_t shared_bytes(const struct lt_looptree *t, const struct fit_leaves *nest, lt_node n)
{
	lt_tnode owner = t->scope[n].owner;
	struct fit_threads inside = threads_inside(t, owner, t->leaf_of[n]);
	int64_t bytes = bytes_of(t, n), share = 1;
	bool any = inside.n > 0;
	for (int32_t i = 0; i < nest->n && !any; i++) {
		bool in_place = true;
		any = reads(t, nest->at[i], n, &in_place) && threads_inside(t, owner, t->leaf_of[nest->at[i]]).n > 0;
	}
	for (lt_tnode up = t->node[t->leaf_of[n]].parent; up >= 0 && up != owner; up = t->node[up].parent)
		share = is_threads(t, up) ? lt__mul_sat(share, lt_looptree_trip_count(t, up)) : share;
	if (!any || is_distributed(t, nest, n, &inside))
		return bytes / share > THREAD_BYTES ? -1 : 0;
	return lt__mul_sat(bytes, threads_around(t, owner)) / 16 * 16 + 16;
}

static int64_t combined_bytes(const struct lt_looptree *t, lt_node n)
{
	bool combines = false;
	for (lt_tnode up = t->node[t->leaf_of[n]].parent; up >= 0; up = t->node[up].parent)
		combines = combines || (is_threads(t, up) && lt__loop_reduces(t, n, up));
	return !combines ? 0
		: lt__mul_sat(threads_around(t, t->leaf_of[n]), lt__dtype_info(t->graph->node[n].dtype)->bytes) + 32;
}

bool lt__gpu_fits(const struct lt_gpu *s, lt_tnode top)
{
	const struct lt_looptree *t = s->t;
	struct fit_leaves nest = { 0, 0, NULL };
	int64_t sum = 0;
	find_leaves(t, top, &nest);
	for (int32_t i = 0; i < nest.n; i++) {
		lt_node n = nest.at[i];
		int64_t bytes = t->scope[n].whole || t->scope[n].owner < 0 ? 0 : shared_bytes(t, &nest, n);
		if (bytes < 0 || lt__add_overflow(sum, bytes, &sum) || lt__add_overflow(sum, combined_bytes(t, n), &sum))
			return false;
	}
	return sum <= (int64_t)s->target->shared_bytes;
}
