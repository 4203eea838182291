/* The default tree of a GPU: the loops of a nest become grid loops, block loops, and what one thread has.
 *
 *     for i grid.x                            # the chain: blocks outside,
 *       for j step 1024 grid.x  tail mask
 *         for j' step 4 block.x               # threads inside,
 *           for j'' vector                    # and what one thread has
 *
 *     for i grid.x                            # two rows of a short sum are a thread's:
 *       for j' step 2 block.x
 *         for k unroll
 *           for j'' vector
 *         for j'' vector
 *
 *     for i grid.x                            # a row of the chain is a block's:
 *       for j step 1024 unroll                # what the threads go through together
 *         for j' step 4 block.x
 *           for j'' unroll
 */
#include "looptree/default/auto_gpu.h"

enum { UNROLLED = 32, TOGETHER = 8 };

/* A loop of the chain, cut: iterations of the grid, of threads, of one thread. */
struct chain_cut { lt_tnode loop; int64_t iterations, threads, wide; int axis; };

static lt_tnode bind_loop(struct lt_gpu *s, const struct chain_cut *c, int64_t step, enum lt_loop_kind kind, int axis)
{
	lt_tnode at = lt__edit_new_loop(&s->e, s->t->node[c->loop].var, step);
	s->t->node[at].loop = kind;
	s->t->node[at].arg = axis;
	return at;
}

/* Loops are put into each other from the outermost on. */
struct bind_stack { lt_tnode first, last; };

static void push(struct lt_gpu *s, struct bind_stack *x, lt_tnode at)
{
	if (x->first < 0)
		x->first = at;
	else
		lt__edit_insert(&s->e, x->last, -1, at);
	x->last = at;
}

static bool is_bounded(const struct lt_looptree *t, lt_tnode loop) { return t->graph->var[t->node[loop].var].bounded; }

/* Whether all of the loop is in the block: nothing of it is left for the grid. */
static bool is_inside(const struct lt_looptree *t, const struct chain_cut *c)
{
	return c->threads * c->wide >= c->iterations && c->iterations % c->wide == 0 && !is_bounded(t, c->loop);
}

static void push_grid(struct lt_gpu *s, struct bind_stack *x, const struct chain_cut *c, bool serial)
{
	if (is_inside(s->t, c) && c->threads * c->wide == c->iterations && c->threads > 1)
		return;
	int64_t side = c->threads * c->wide;
	lt_tnode at = bind_loop(s, c, s->t->node[c->loop].step * side, serial ? LT_SERIAL : LT_GRID, 0);
	s->t->node[at].tail = side > 1 && (c->iterations % side || is_bounded(s->t, c->loop)) ? LT_MASK
		: s->t->node[c->loop].tail;
	push(s, x, at);
}

/* Rows beside each other, all that a thread has: the loop over them around each run of leaves, and the loops of the
 * body are straight code. */
static void bind_leaves(struct lt_gpu *s, const struct chain_cut *c, lt_tnode first)
{
	struct lt_looptree *t = s->t;
	for (lt_tnode at = first, next; at >= 0; at = next) {
		next = t->node[at].next;
		if (t->node[at].kind != LT_TLEAF) {
			t->node[at].loop = lt_looptree_trip_count(t, at) > 1 ? LT_UNROLL : LT_SERIAL;
			bind_leaves(s, c, t->node[at].child);
			continue;
		}
		lt_tnode run = bind_loop(s, c, t->node[c->loop].step, LT_VECTOR, 0);
		lt__edit_replace(&s->e, at, run);
		lt__edit_insert(&s->e, run, -1, at);
		for (lt_tnode last = at; next >= 0 && t->node[next].kind == LT_TLEAF; last = at) {
			at = next;
			next = t->node[at].next;
			lt__edit_detach(&s->e, at);
			lt__edit_insert(&s->e, run, last, at);
		}
	}
}

/* The grid's loops outermost, blocks of the first along one axis; the threads'; what a thread has.  Then the body. */
static void rebuild(struct lt_gpu *s, const struct lt_gpu_nest *n, const struct chain_cut *cut)
{
	struct lt_looptree *t = s->t;
	struct bind_stack x = { -1, -1 };
	int64_t blocks = 1, first = 0;
	for (int32_t i = n->n_chain; i-- > 0;)
		if (lt__mul_overflow(blocks, (cut[i].iterations - 1) / (cut[i].threads * cut[i].wide) + 1, &blocks)
			|| blocks > INT32_MAX) {
			first = i + 1;
			break;
		}
	for (int32_t i = (int32_t)first; i < n->n_chain; i++)
		push_grid(s, &x, &cut[i], false);
	for (int32_t i = 0; i < first; i++)             /* more blocks than a grid has */
		push_grid(s, &x, &cut[i], true);
	for (int32_t i = 0; i < n->n_chain; i++)
		if (cut[i].threads > 1) {
			lt_tnode at = bind_loop(s, &cut[i], t->node[cut[i].loop].step * cut[i].wide, LT_BLOCK, cut[i].axis);
			t->node[at].tail = cut[i].wide == 1 ? t->node[cut[i].loop].tail : LT_GUARD;
			push(s, &x, at);
		}
	const bool outside = n->form != LT_GPU_THREADS;
	for (int32_t i = 0; i < n->n_chain && outside; i++)
		if (cut[i].wide > 1)
			push(s, &x, bind_loop(s, &cut[i], t->node[cut[i].loop].step, LT_VECTOR, 0));
	lt_tnode inner = n->chain[n->n_chain - 1];
	lt__edit_replace(&s->e, n->top, x.first);
	for (lt_tnode c = t->node[inner].child, next, last = -1; c >= 0; last = c, c = next) {
		next = t->node[c].next;
		lt__edit_detach(&s->e, c);
		lt__edit_insert(&s->e, x.last, last, c);
	}
	if (!outside && cut[n->n_chain - 1].wide > 1)
		bind_leaves(s, &cut[n->n_chain - 1], t->node[x.last].child);
}

/* As many threads as leave the fewest off, counting those that fill a subgroup; of equals a divisor, so that no
 * iteration needs a mask, then the most.  each: threads that each of them stands for. */
static int64_t share_of(const struct lt_gpu *s, int64_t iterations, int64_t max, int64_t each)
{
	int64_t best = max, least = INT64_MAX, subgroup = (int64_t)s->target->warp;
	if (iterations <= max)
		return iterations;
	for (int64_t n = max; 2 * n > max; n--) {
		int64_t blocks = (iterations - 1) / n + 1, all, full = lt__round_up(n * each, subgroup);
		if (lt__mul_overflow(blocks, full, &all) || lt__mul_overflow(all, 2, &all))
			return max;
		all += iterations % n != 0;
		if (all < least) {
			least = all;
			best = n;
		}
	}
	return best;
}

static void cut_chain(const struct lt_gpu *s, const struct lt_gpu_nest *n, struct chain_cut *cut)
{
	for (int32_t i = 0; i < n->n_chain; i++)
		cut[i] = (struct chain_cut){ n->chain[i], lt_looptree_trip_count(s->t, n->chain[i]), 1, 1, 0 };
}

/* The lane's loop moves to the end: its threads are side by side. */
static void lane_last(struct lt_gpu_nest *n, struct chain_cut *cut)
{
	int32_t i = 0;
	while (i < n->n_chain && cut[i].loop != n->lane)
		i++;
	for (; i + 1 < n->n_chain; i++) {
		struct chain_cut kept = cut[i];
		cut[i] = cut[i + 1];
		cut[i + 1] = kept;
	}
}

/* From the innermost loop outwards until the block has threads enough. */
static void fill_block(const struct lt_gpu *s, struct chain_cut *cut, int32_t n, int64_t max)
{
	int64_t threads = 1;
	for (int32_t i = n; i-- > 0 && threads * 2 <= max;) {
		cut[i].threads = share_of(s, (cut[i].iterations - 1) / cut[i].wide + 1, max / threads, threads);
		threads *= cut[i].threads;
	}
}

/* -- the body -- */

/* Of many rounds some are straight code, so that a thread asks for all that they read before it waits for the first. */
static void unroll_some(struct lt_gpu *s, lt_tnode loop, int64_t rounds, int64_t remainder)
{
	int64_t some = TOGETHER;
	while (some > 1 && (remainder || rounds % some))
		some /= 2;
	if (some < 2)
		return;
	lt_tnode outer = lt__edit_new_loop(&s->e, s->t->node[loop].var, s->t->node[loop].step * some);
	lt__edit_replace(&s->e, loop, outer);
	lt__edit_insert(&s->e, outer, -1, loop);
	s->t->node[loop].loop = LT_UNROLL;
}

/* How a loop of the body is shared out.  sums: nothing of it stays in registers. */
struct share { int64_t threads, wide; int axis; bool reduces, sums; };

/* Iterations that a run-time scalar counts: straight code has a part of them at a time, or all, if what a thread has
 * of them stays in registers; those that are too many are masked. */
static void mask_parts(struct lt_gpu *s, lt_tnode outer, int64_t iterations, int64_t side, bool sums)
{
	struct lt_looptree *t = s->t;
	int64_t rounds = (iterations - 1) / side + 1, part = sums && rounds > TOGETHER ? TOGETHER : rounds;
	if (part > UNROLLED) {
		t->node[outer].tail = LT_MASK;
		return;
	}
	lt_tnode all = lt__edit_new_loop(&s->e, t->node[outer].var, part * side);
	lt__edit_replace(&s->e, outer, all);
	lt__edit_insert(&s->e, all, -1, outer);
	t->node[all].tail = LT_MASK;
	t->node[outer].loop = LT_UNROLL;
}

/* A loop of the body, shared out along an axis: what the threads do together is outside, and what one has inside. */
static void share_loop(struct lt_gpu *s, lt_tnode loop, struct share x)
{
	int64_t threads = x.threads, wide = x.wide;
	struct lt_looptree *t = s->t;
	int64_t iterations = lt_looptree_trip_count(t, loop), side;
	wide = iterations % wide ? 1 : wide;
	side = threads * wide;
	bool bounded = is_bounded(t, loop), whole = !bounded && iterations % wide == 0;
	lt_tnode chunk = lt__loop_around(t, loop);      /* no loop inside has a larger step */
	bool short_of = iterations < side && (!x.reduces || x.axis || (chunk >= 0 && t->node[chunk].step < side));
	if (whole && (iterations == side || short_of)) {
		threads = iterations / wide;
	} else {
		lt_tnode outer = lt__edit_new_loop(&s->e, t->node[loop].var, side);
		lt__edit_replace(&s->e, loop, outer);
		lt__edit_insert(&s->e, outer, -1, loop);
		if (bounded) {
			mask_parts(s, outer, iterations, side, x.sums);
		} else {
			t->node[outer].loop = (iterations - 1) / side < UNROLLED ? LT_UNROLL : LT_SERIAL;
			t->node[outer].tail = iterations % side ? LT_MASK : LT_GUARD;
			if (t->node[outer].loop == LT_SERIAL)
				unroll_some(s, outer, iterations / side, iterations % side);
		}
	}
	if (wide > 1) {
		lt_tnode block = lt__edit_new_loop(&s->e, t->node[loop].var, wide);
		lt__edit_replace(&s->e, loop, block);
		lt__edit_insert(&s->e, block, -1, loop);
		t->node[loop].loop = x.reduces ? LT_UNROLL : LT_VECTOR;
		loop = block;
	}
	t->node[loop].loop = LT_BLOCK;
	t->node[loop].arg = x.axis;
}

/* The loop of a child, and one inside over which something is reduced for each of its iterations. */
static void share_child(struct lt_gpu *s, const struct lt_gpu_nest *n, lt_tnode child, lt_tnode lane, int axis)
{
	struct lt_looptree *t = s->t;
	bool across = false, reduces = lt__gpu_reduces(t, child);
	if (!axis && lt__gpu_bytes_in(s, child) >= 0) {
		lt__gpu_bind_bytes(s, child, n->deep > 1);
		share_loop(s, lane, (struct share){ n->threads, 1, 0, true, true });
		return;
	}
	lt_tnode inner = axis ? -1 : lt__gpu_inner_of(s, child, lane, &across);
	if (inner >= 0 && across && n->threads >= lt__gpu_threads(s->target)) {
		int64_t subgroup = (int64_t)s->target->warp, wide = lt__gpu_wide(s, child, t->node[inner].var);
		share_loop(s, inner, (struct share){ subgroup, wide > 1 ? wide : 1, 0, true, false });
		share_loop(s, lane, (struct share){ n->threads / subgroup, 1, 0, true, false });
		return;
	}
	if (inner >= 0 && n->deep > 1)
		share_loop(s, inner, (struct share){ n->deep, 1, 1, true, false });
	share_loop(s, lane, (struct share){ n->threads, n->wide, axis, reduces, lt__gpu_sums_only(s, n) });
}

static void share_body(struct lt_gpu *s, const struct lt_gpu_nest *n, int axis)
{
	struct lt_looptree *t = s->t;
	for (lt_tnode c = n->body, next; c >= 0; c = next) {
		next = n->n_chain ? t->node[c].next : -1;
		lt_tnode lane = t->node[c].kind != LT_TLOOP ? -1 : axis ? lt__gpu_longest(s, c) : lt__gpu_lane_of(s, c);
		if (lane >= 0)
			share_child(s, n, c, lane, axis);
	}
}

/* A nest of one block is one launch with what stands before and after its loops: in a group. */
static void group_alone(struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	lt_tnode top = n->body;
	while (s->t->node[top].parent >= 0)
		top = s->t->node[top].parent;
	if (s->t->node[top].kind == LT_TGROUP)
		return;
	lt_tnode group = lt__edit_new_group(&s->e);
	lt__edit_replace(&s->e, top, group);
	lt__edit_insert(&s->e, group, -1, top);
}

void lt__gpu_bind(struct lt_gpu *s, struct lt_gpu_nest *n)
{
	struct chain_cut cut[LT_GPU_CHAIN];
	if (n->form == LT_GPU_NONE)
		return;
	cut_chain(s, n, cut);
	switch (n->form) {
	case LT_GPU_POINTS:
		lane_last(n, cut);
		cut[n->n_chain - 1].wide = n->wide;
		fill_block(s, cut, n->n_chain, lt__gpu_threads(s->target));
		break;
	case LT_GPU_THREADS:
		lane_last(n, cut);
		cut[n->n_chain - 1].wide = n->wide;
		fill_block(s, cut, n->n_chain, n->side);
		break;
	case LT_GPU_COLUMNS:
		lane_last(n, cut);
		fill_block(s, cut, n->n_chain, n->side);
		share_body(s, n, 1);
		break;
	default:
		if (n->n_chain && n->side > 1) {
			cut[n->n_chain - 1].threads = share_of(s, cut[n->n_chain - 1].iterations, n->side, n->threads);
			cut[n->n_chain - 1].axis = 1;
		}
		share_body(s, n, 0);
	}
	if (n->n_chain)
		rebuild(s, n, cut);
	else if (s->t->node[n->top].kind == LT_TLOOP)
		group_alone(s, n);
}
