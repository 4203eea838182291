/* Reductions of the default tree: partial results for the lanes of vectors and for threads; then vectors and threads
 * for every nest.
 *
 * A row that lies along memory is reduced in lanes, a few vectors side by side, whose results are then reduced
 * together.  A reduction of everything is cut in chunks first, one for a thread at a time; how many there are does not
 * depend on the number of threads.
 */
#include <string.h>
#include "base/names.h"
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"
#include "looptree/default/vectorize_cpu.h"
#include "looptree/default/share.h"

enum {
	MIN_CHUNKED = 1 << 18,        /* of a reduction that needs partial results for it */
	MAX_CHUNKS = 64, FEW_ITERATIONS = 64,
	MAX_CACHE = 32 << 20,          /* bytes of the last cache, where it is not known */
	MAX_SIDE = 4,                  /* vectors side by side: enough to hide the latency of an addition */
	MIN_CHUNK = 4096              /* bytes of a run of elements that one thread takes; iterations of leaves inside a
	                               * parallel loop */
};

/* A reduction and what it gets; names, because nodes are numbered again when it is made. */
struct nest_part {
	lt_node sum;
	lt_tnode outermost;             /* of the loops that reduce it */
	const char *chunk, *lanes, *out, *chunk_dim, *lanes_dim;
	const struct lt_inner *inner;
};
struct nest_rows {
	struct lt_looptree *t;
	const struct lt_target *target;
	const bool *open;
	struct lt_edit e;
	struct lt_inner *inner; int32_t n_inner, cap_inner;
	struct nest_part *part; int32_t n_part, cap_part;
	struct lt_derived_step *step; int32_t n_step, cap_step;
	int64_t *chunk;                 /* by tree node: step of the loop over chunks that it gets around it, 0: none */
};

/* -- what is wanted -- */

static bool name_is_free(const struct nest_rows *s, const char *name)
{
	for (int32_t i = 0; i < s->n_step; i++)
		if (s->step[i].dim && !strcmp(s->step[i].dim, name))
			return false;
	return lt__names_find(s->t->graph->var_names, name, strlen(name)) == -1;
}

static const char *add_partial(struct nest_rows *s, lt_node sum, const char *of, lt_var v, int64_t step, int64_t span,
	const char *what, const char **dim)
{
	struct lt_arena *a = s->t->arena;
	const char *var = s->t->graph->var[v].name, *base = lt__arena_format(a, "%s_%lld", var, (long long)step);
	*dim = base;
	for (int32_t i = 2; !name_is_free(s, *dim); i++)
		*dim = lt__arena_format(a, "%s_%d", base, (int)i);
	const char *made = lt__derived_name(s->t, lt__arena_format(a, "%s.%s", s->t->graph->node[sum].name, what));
	LT_GROW(a, s->step, s->n_step, s->cap_step);
	s->step[s->n_step++] = (struct lt_derived_step){
		.kind = LT_DERIVED_PARTIAL, .made = made, .of = of, .var = var, .step = step, .span = span, .dim = *dim
	};
	return made;
}

static const char *add_out(struct nest_rows *s, lt_node sum)
{
	const char *name = s->t->graph->node[sum].name;
	LT_GROW(s->t->arena, s->step, s->n_step, s->cap_step);
	struct lt_derived_step *step = &s->step[s->n_step++];
	*step = (struct lt_derived_step){ .kind = LT_DERIVED_MATERIALIZE, .of = name };
	step->made = lt__derived_name(s->t, lt__arena_format(s->t->arena, "%s.out", name));
	return step->made;
}

/* Whether all loops from `loop` out to `outermost` but `but` reduce the sum. */
static bool reduces_all(const struct lt_looptree *t, lt_node sum, lt_tnode loop, lt_tnode outermost, lt_tnode but)
{
	for (lt_tnode at = loop;; at = t->node[at].parent) {
		if (at != but && (t->node[at].kind != LT_TLOOP || !lt__loop_reduces(t, sum, at)))
			return false;
		if (at == outermost)
			return true;
	}
}

/* Whether each iteration of the loop has elements of its own; sums: except for values that it reduces. */
static bool is_shared_out(const struct lt_looptree *t, lt_tnode loop, bool sums)
{
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		if (t->leaf_of[n] < 0 || !lt__is_above(t, loop, t->leaf_of[n]) || lt__is_private(t, n, loop))
			continue;
		int32_t column = lt__loop_column(t, t->leaf[n], loop);
		if (column < 0
			|| (column >= t->leaf[n]->n_out
				&& (!sums || lt__reducing_loop(t, n) != loop
					|| lt__op_info(t->graph->node[n].op)->ordered)))
			return false;
	}
	return true;
}

/* Whether the sum's one dim is in lanes. */
static bool keeps_lanes(const struct nest_rows *s, lt_node sum)
{
	for (int32_t i = 0; i < s->n_inner; i++)
		if (s->inner[i].loop == s->t->node[s->t->leaf_of[sum]].parent)
			return s->inner[i].v == s->t->graph->node[sum].dim[0] && !s->inner[i].reduces
				&& lt__loop_around(s->t, s->inner[i].loop) < 0;
	return false;
}

/* Root loops that reduce, with nothing outside to be shared out. */
static void want_chunks(struct nest_rows *s, lt_tnode root)
{
	const struct lt_looptree *t = s->t;
	const struct lt_tnodedef *d = &t->node[root];
	int64_t unit = 1;
	if (d->kind != LT_TLOOP || d->step != 1 || t->graph->var[d->var].bounded || lt__nest_work(t, root) < MIN_CHUNKED)
		return;
	bool reduces = false;
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (t->leaf_of[n] >= 0 && lt__is_above(t, root, t->leaf_of[n])) {
			reduces = reduces || lt__reducing_loop(t, n) == root;
			if (t->graph->node[n].n_dim > 1 && lt__reducing_loop(t, n) == root)
				return;         /* has other loops to share out, or few elements */
		}
	for (int32_t i = 0; i < s->n_inner; i++)
		if (s->inner[i].loop == root)
			unit = s->inner[i].lanes * s->inner[i].unroll;
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (t->leaf_of[n] >= 0 && t->graph->node[n].n_dim > 0 && lt__is_above(t, root, t->leaf_of[n])
			&& lt__reducing_loop(t, n) == root && !keeps_lanes(s, n))
			return;
	int64_t extent = t->graph->var[d->var].extent, step = lt__round_up((extent - 1) / MAX_CHUNKS + 1, unit);
	if (reduces && step < extent && is_shared_out(t, root, true))
		s->chunk[root] = step;
}

static void want_part(struct nest_rows *s, const struct lt_inner *x, lt_node sum)
{
	struct lt_looptree *t = s->t;
	struct nest_part p = { .sum = sum, .outermost = lt__reducing_loop(t, sum), .inner = x };
	if (p.outermost < 0)
		return;
	const char *of = t->graph->node[sum].name;
	int64_t span = lt__loop_span(t, x->loop), side = x->lanes * x->unroll;
	bool lanes = lt__loop_reduces(t, sum, x->loop) && span >= 2 * x->lanes
		&& reduces_all(t, sum, x->loop, p.outermost, -1);
	if (s->chunk[p.outermost])
		of = p.chunk = add_partial(s, sum, of, t->node[p.outermost].var, s->chunk[p.outermost], 0, "chunk", &p.chunk_dim);
	if (lanes)
		p.lanes = add_partial(s, sum, of, x->v, 1, side, "part", &p.lanes_dim);
	if (!x->reduces && t->scope[sum].whole && !p.chunk && t->graph->node[sum].n_dim > 0
	    && reduces_all(t, sum, x->loop, p.outermost, x->loop))
		p.out = add_out(s, sum);
	if (!p.chunk && !p.lanes && !p.out)
		return;
	LT_GROW(t->arena, s->part, s->n_part, s->cap_part);
	s->part[s->n_part++] = p;
}

/* Whether the last iteration of another nest's block around, which stays as it is, has fewer of the loop's own. */
static bool is_cut_off(const struct nest_rows *s, lt_tnode loop)
{
	const struct lt_looptree *t = s->t;
	const lt_var v = t->node[loop].var;
	if (s->open[lt__root_of(t, loop)])
		return false;
	for (lt_tnode up = t->node[loop].parent; up >= 0; up = t->node[up].parent)
		if (!s->open[up] && t->node[up].kind == LT_TLOOP && t->node[up].var == v && t->node[up].tail == LT_GUARD
			&& lt__loop_span(t, up) % t->node[up].step != 0)
			return true;
	return false;
}

/* Vectors side by side: as many sums at once as keep the processor busy, and no more than there are registers for.
 * Their partial results are folded by halves, so that vectors of other numbers of lanes are alone. */
static void choose_unroll(const struct nest_rows *s, struct lt_inner *x)
{
	const struct lt_looptree *t = s->t;
	int64_t vectors = lt__loop_span(t, x->loop) / x->lanes, n = 0, limit = s->target->vector_registers / 2;
	for (lt_tnode c = t->node[x->loop].child; c >= 0; c = t->node[c].next)
		n += lt__reducing_loop(t, t->node[c].leaf) >= 0;
	if (x->reduces && lt__auto_halves(x->lanes))
		for (int64_t side = 2; side <= MAX_SIDE && 2 * side <= vectors && side * n <= limit; side *= 2)
			x->unroll = side;
	vectors = (lt__loop_span(t, x->loop) - 1) / x->lanes + 1;
	if (x->accumulates && !x->reduces && !x->bounded && vectors * n <= limit && !is_cut_off(s, x->loop))
		x->unroll = vectors;
}

static void survey(struct nest_rows *s)
{
	struct lt_looptree *t = s->t;
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at)) {
		struct lt_inner x;
		if ((!s->open[lt__root_of(t, at)] && !s->open[at]) || !lt__inner_look(t, s->target, at, &x))
			continue;
		choose_unroll(s, &x);
		LT_GROW(t->arena, s->inner, s->n_inner, s->cap_inner);
		s->inner[s->n_inner++] = x;
	}
	s->chunk = LT_NEW(t->arena, int64_t, t->n_node + 1);
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		if (s->open[root])
			want_chunks(s, root);
	for (int32_t i = 0; i < s->n_inner; i++)
		for (lt_tnode c = t->node[s->inner[i].loop].child; c >= 0; c = t->node[c].next)
			if (t->graph->node[t->node[c].leaf].reduce)
				want_part(s, &s->inner[i], t->node[c].leaf);
	/* Chunks are for whole nests: every sum of one has its partial results. */
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		for (lt_node n = 0; s->chunk[root] && n < t->graph->n_node; n++) {
			bool has = t->leaf_of[n] < 0 || !lt__is_above(t, root, t->leaf_of[n]) || lt__reducing_loop(t, n) != root;
			for (int32_t i = 0; i < s->n_part && !has; i++)
				has = s->part[i].sum == n;
			if (!has) {
				struct nest_part p = { .sum = n, .outermost = root };
				p.chunk = add_partial(s, n, t->graph->node[n].name, t->node[root].var, s->chunk[root], 0, "chunk", &p.chunk_dim);
				LT_GROW(t->arena, s->part, s->n_part, s->cap_part);
				s->part[s->n_part++] = p;
			}
		}
}

/* Elements that no cache holds until somebody reads them, written by whole vectors. */
static bool is_streamed(const struct nest_rows *s, const struct lt_inner *x, lt_node n)
{
	const struct lt_looptree *t = s->t;
	const struct lt_nodedef *d = &t->graph->node[n];
	int64_t bytes = lt__dtype_info(d->dtype)->bytes;
	if (!t->scope[n].whole || d->reduce || d->op == LT_OP_update || d->n_dim == 0 || d->dim[d->n_dim - 1] != x->v)
		return false;
	if (d->n_dim > 1 && t->graph->var[x->v].extent * bytes % s->target->vector_bytes != 0)
		return false;           /* most rows begin in the middle of a vector */
	double all = (double)bytes;
	for (int32_t i = 0; i < d->n_dim; i++)
		all *= (double)t->graph->var[d->dim[i]].extent;
	if (all < (double)(s->target->l3_bytes ? s->target->l3_bytes : MAX_CACHE))
		return false;
	for (lt_node u = 0; u < t->graph->n_node; u++)
		if (t->leaf_of[u] >= 0 && lt__root_of(t, t->leaf_of[u]) == lt__root_of(t, x->loop))
			for (int32_t k = 0; k < t->leaf[u]->n_read; k++)
				for (int32_t i = 0; i < t->leaf[u]->read[k].n_piece; i++)
					if (t->leaf[u]->read[k].piece[i].base == n)
						return false;
	return true;
}

static void choose_streams(struct nest_rows *s)
{
	struct lt_looptree *t = s->t;
	for (int32_t i = 0; i < s->n_inner; i++)
		for (lt_tnode c = t->node[s->inner[i].loop].child; c >= 0; c = t->node[c].next)
			t->node[c].stream = is_streamed(s, &s->inner[i], t->node[c].leaf);
}

/* -- and made -- */

/* What is next to a root loop from now on needs a nest with it. */
static void ensure_group(struct nest_rows *s, lt_tnode at)
{
	if (s->t->node[at].parent >= 0)
		return;
	lt_tnode group = lt__edit_new_group(&s->e);
	lt__edit_replace(&s->e, at, group);
	lt__edit_insert(&s->e, group, -1, at);
}

/* A loop over partial results after `after`, with the leaf of n: its iterations are lanes, or those of a dim that n
 * keeps. */
static void add_fold(struct nest_rows *s, lt_tnode after, const char *dim, lt_node n, const struct lt_inner *inner)
{
	struct lt_looptree *t = s->t;
	lt_tnode loop = lt__edit_new_loop(&s->e, lt__names_find(t->graph->var_names, dim, strlen(dim)), 1);
	lt__edit_insert(&s->e, t->node[after].parent, after, loop);
	if (!inner) {
		int64_t lanes = lt__auto_lanes(s->target, t->graph->node[n].dtype), trip_count = lt_looptree_trip_count(t, loop);
		t->node[loop].loop = lanes > 1 ? LT_VECTOR : LT_SERIAL;
		lt__edit_insert(&s->e, loop, -1, lt__edit_new_leaf(&s->e, n));
		if (trip_count > lanes && lanes > 1 && !lt__auto_halves(lanes)) {
			lt_tnode outer = lt__inner_around(&s->e, loop, lanes);
			t->node[outer].tail = trip_count % lanes ? LT_PEEL : LT_GUARD;
		}
		return;
	}
	struct lt_inner x = *inner;
	x.loop = lt__edit_new_loop(&s->e, x.v, 1);
	lt__edit_insert(&s->e, loop, -1, x.loop);
	lt__edit_insert(&s->e, x.loop, -1, lt__edit_new_leaf(&s->e, n));
	lt__inner_cut(&s->e, &x);
}

/* Partial results of one chunk lie together. */
static void lay_by_chunk(struct lt_looptree *t, lt_node chunk)
{
	struct lt_digit digit[2] = { { .dim = 1, .step = 1 }, { .dim = 0, .step = 1 } };
	t->layout[chunk] = lt__layout_new(t, 2, digit, 0);
}

static void add_store(struct nest_rows *s, const struct nest_part *p)
{
	struct lt_looptree *t = s->t;
	lt_tnode loop = lt__edit_new_loop(&s->e, p->inner->v, 1);
	lt__edit_insert(&s->e, t->node[p->outermost].parent, p->outermost, loop);
	lt__edit_insert(&s->e, loop, -1, lt__edit_new_leaf(&s->e, lt__tree_node_named(t, p->out)));
	struct lt_inner x = *p->inner;
	x.loop = loop;
	lt__inner_cut(&s->e, &x);
}

static void make_chunks(struct nest_rows *s, lt_tnode loop)
{
	ensure_group(s, loop);
	lt_tnode outer = lt__inner_around(&s->e, loop, s->chunk[loop]);
	s->t->node[outer].loop = s->target->cores > 1 ? LT_PARALLEL : LT_SERIAL;        /* the sums are the same on one core */
}

/* In the place of a sum its innermost partial results are made; the others are after the loops that make them. */
static void make_part(struct nest_rows *s, const struct nest_part *p, const lt_node *to)
{
	struct lt_looptree *t = s->t;
	lt_node sum = to[p->sum], chunk = p->chunk ? lt__tree_node_named(t, p->chunk) : -1,
		lanes = p->lanes ? lt__tree_node_named(t, p->lanes) : -1;
	lt_tnode at = t->leaf_of[sum];
	lt_node first = lanes >= 0 ? lanes : chunk >= 0 ? chunk : sum;
	ensure_group(s, p->outermost);
	t->leaf_of[sum] = -1;
	t->node[at].leaf = first;
	t->leaf_of[first] = at;
	bool keeps = chunk >= 0 && t->graph->node[sum].n_dim > 0;
	if (keeps)
		lay_by_chunk(t, chunk);
	if (chunk >= 0)
		add_fold(s, t->node[p->outermost].parent, p->chunk_dim, sum, keeps ? p->inner : NULL);
	if (lanes >= 0)
		add_fold(s, p->outermost, p->lanes_dim, chunk >= 0 ? chunk : sum, NULL);
	if (p->out)
		add_store(s, p);
}

/* -- vectors and threads -- */

/* How many iterations all loops around the loop have at least, if they hold nothing else; -1. */
static int64_t trip_count_around(const struct lt_looptree *t, lt_tnode loop)
{
	int64_t trip_count = 1;
	for (lt_tnode at = loop; t->node[at].parent >= 0; at = t->node[at].parent) {
		if (!lt__edit_is_only(t, at))
			return -1;
		trip_count *= lt__min_trip_count(t, t->node[at].parent);
	}
	return trip_count;
}

/* A long run of elements inside few other loops is cut for threads. */
static void share_run(struct nest_rows *s, const struct lt_inner *x)
{
	const struct lt_looptree *t = s->t;
	int64_t around = trip_count_around(t, x->loop), span = lt__loop_span(t, x->loop);
	if (s->target->cores < 2 || x->reduces || x->accumulates || x->bounded || around < 0 || around >= FEW_ITERATIONS
		|| lt__nest_work(t, lt__root_of(t, x->loop)) < LT_MIN_SHARED)
		return;
	int64_t step = (MIN_CHUNK > s->target->vector_bytes ? MIN_CHUNK / (int64_t)s->target->vector_bytes : 1) * x->lanes;
	while (span / step * around > 2 * FEW_ITERATIONS)
		step *= 2;
	if (step < span)
		(void)lt__inner_around(&s->e, x->loop, step);
}

/* The outermost loops whose iterations have elements of their own, until there are enough for many threads, in every
 * run, or too little in each. */
static void share_nest(struct lt_looptree *t, lt_tnode root)
{
	int64_t trip_count = 1, min = 1;
	double work = lt__nest_work(t, root);
	if (work < LT_MIN_SHARED)
		return;
	for (lt_tnode at = root; min < FEW_ITERATIONS && work / (double)trip_count >= MIN_CHUNK;
		at = t->node[at].child) {
		if (t->node[at].kind != LT_TLOOP || t->node[at].loop != LT_SERIAL || !is_shared_out(t, at, false))
			return;
		int64_t count = lt_looptree_trip_count(t, at);
		if (count > 1)
			t->node[at].loop = LT_PARALLEL;
		trip_count *= count;
		min *= lt__min_trip_count(t, at);
		if (t->node[at].child < 0 || t->node[t->node[at].child].next >= 0)
			return;
	}
}

lt_status lt__vectorize_cpu(struct lt_looptree *t, const struct lt_target *target, const bool *open)
{
	struct nest_rows s = { .t = t, .target = target, .open = open, .e = { .t = t, .from = t } };
	LT_TRY(lt__fill_scopes(t));
	survey(&s);
	choose_streams(&s);
	lt_node *to = LT_NEW(t->arena, lt_node, t->graph->n_node + 1);
	int32_t n_node = t->n_node;
	bool *is_open = LT_NEW(t->arena, bool, n_node + 1);
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		is_open[root] = open[root];
	for (lt_node n = 0; n < t->graph->n_node; n++)
		to[n] = n;
	if (s.n_step > 0)
		LT_TRY(lt__tree_derive(t, s.step, s.n_step, to));
	for (lt_tnode at = 0; at < n_node; at++)
		if (s.chunk[at])
			make_chunks(&s, at);
	for (int32_t i = s.n_part; i-- > 0;)
		make_part(&s, &s.part[i], to);
	for (int32_t i = 0; i < s.n_inner; i++) {
		struct lt_inner *x = &s.inner[i];
		if (x->with >= 0) {
			lt__inner_block(&s.e, x);
			continue;
		}
		share_run(&s, x);
		lt__inner_cut(&s.e, x);
	}
	LT_TRY(lt__fill_scopes(t));
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		if (target->cores > 1 && (root >= n_node || is_open[root]))
			share_nest(t, root);
	return lt__edit_number(&s.e);
}
