/* The default tree: nodes placed one cluster after the other, sharing loops with their producers where that is
 * legal and saves memory.
 *
 * A cluster is a node with the pointwise nodes that only it reads, element by element: they need no loops of their
 * own.  A cluster goes to the end of the nest that its latest producer is in, inside as many of that nest's
 * loops as it may share, or else into a new nest.  Views, literals and sources have no leaf.
 */
#include <string.h>
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"
#include "looptree/default/auto_gpu.h"
#include "looptree/default/vectorize_cpu.h"
#include "looptree/default/share.h"

enum { MAX_NEST = 256, LOOK_BACK = 64 };      /* leaves, nodes: so that a chain of any length stays linear */

/* On a GPU: whether the cluster in hand is made of a sum in that nest element by element, so that threads that have the
 * sum go on: what else it reads is less. */
static bool reads_sum_elementwise(const struct lt_auto *s, const struct lt_leaf *leaf, lt_tnode loop)
{
	for (int32_t i = 0; lt__target_has_grid(s->target) && i < s->n_producer; i++) {
		const struct lt_nodedef *d = &s->g->node[s->producer[i]];
		bool all = d->reduce && d->n_dim == leaf->n_var && lt__is_above(s->t, loop, s->t->leaf_of[s->producer[i]]);
		for (int32_t k = 0; k < d->n_dim && all; k++)
			all = lt__leaf_column(leaf, d->dim[k]) >= 0;
		if (all)
			return true;
	}
	return false;
}

static bool may_share(const struct lt_auto *s, lt_node n, lt_tnode loop, int32_t n_shared_out)
{
	const struct lt_tnodedef *d = &s->t->node[loop];
	const struct lt_leaf *leaf = s->t->leaf[n];
	if (d->kind != LT_TLOOP)
		return false;
	int32_t column = lt__leaf_column(leaf, d->var);
	if (column < 0)
		return false;
	/* Inside a shared reducing loop every result would need its own accumulator: all result loops first. */
	if (column >= leaf->n_out && n_shared_out < leaf->n_out)
		return false;
	if (column < leaf->n_out && s->order.contraction && !lt__auto_is_batch(s, d->var)
		&& !reads_sum_elementwise(s, leaf, loop))
		return false;
	for (int32_t i = 0; i < s->n_producer; i++) {
		lt_node u = s->producer[i];
		if (!lt__is_above(s->t, loop, s->t->leaf_of[u]))
			continue;
		if (s->g->node[u].op == LT_OP_update || lt__reduces(s->g, u, d->var))
			return false;
		bool has = false;
		for (int32_t k = 0; k < s->g->node[u].n_dim; k++)
			has = has || s->g->node[u].dim[k] == d->var;
		if (!has)
			return false;
		for (int32_t k = 0; k < s->n_member; k++)
			if (!lt__reads_in_place(s, s->member[k], u, d->var))
				return false;
	}
	return true;
}

static bool completes_inside(const struct lt_auto *s, lt_node n, lt_tnode root)
{
	/* An update needs its old value whole: the nest that makes it must have ended. */
	const struct lt_nodedef *d = &s->g->node[n];
	return d->op != LT_OP_update || s->t->leaf_of[d->operand[0]] < 0
		|| lt__root_of(s->t, s->t->leaf_of[d->operand[0]]) != root;
}

/* Whether run-time scalars say how many iterations each of these loops has, and one may be all. */
static bool all_counted(const struct lt_looptree *t, lt_tnode loop)
{
	bool counted = false;
	for (lt_tnode at = loop; at >= 0; at = t->node[at].parent) {
		if (lt__min_trip_count(t, at) > 1)
			return false;
		counted = counted || (t->node[at].kind == LT_TLOOP && t->graph->var[t->node[at].var].bounded);
	}
	return counted;
}

/* Innermost loop of `root`, or of a loop in its group, under which the cluster may be at the end of the nest; -1:
 * none. */
static lt_tnode find_innermost(const struct lt_auto *s, lt_node n, lt_tnode root)
{
	const struct lt_auto_nest *nest = &s->nest[lt__root_of(s->t, root)];
	double work = 0;
	lt_tnode at_node = -1;
	int32_t n_out = 0;
	if (!completes_inside(s, n, root))
		return -1;
	for (lt_tnode at = root; at >= 0 && lt__auto_may_enter(s, n, at) && may_share(s, n, at, n_out);
		at = s->t->node[at].last) {
		at_node = at;
		if (s->t->node[at].step == 1 && lt__leaf_column(s->t->leaf[n], s->t->node[at].var) < s->t->leaf[n]->n_out)
			n_out++;
	}
	if (nest->closed && at_node != nest->fusion_point
		&& (at_node < 0 || !lt__is_above(s->t, nest->fusion_point, at_node)))
		return -1;
	if (at_node >= 0 && lt__target_has_grid(s->target) && !lt__gpu_may_join(s, n, at_node))
		return -1;
	/* Where there may be one iteration of the shared loops, and much to do in it, threads share what is inside. */
	for (lt_tnode c = at_node < 0 ? -1 : s->t->node[at_node].child; c >= 0; c = s->t->node[c].next)
		work += lt__nest_work(s->t, c);
	if (at_node >= 0 && s->target && s->target->cores > 1 && !lt__target_has_grid(s->target) && work >= LT_MIN_SHARED
		&& all_counted(s->t, at_node))
		return -1;
	return at_node;
}

static lt_tnode latest_root(const struct lt_auto *s, lt_node n)
{
	lt_tnode latest = -1;
	for (int32_t i = 0; i < s->n_producer; i++) {
		lt_tnode root = lt__root_of(s->t, s->t->leaf_of[s->producer[i]]);
		if (latest < 0 || s->nest[root].number > s->nest[latest].number)
			latest = root;
	}
	if (s->g->node[n].op == LT_OP_update && s->t->leaf_of[s->g->node[n].operand[0]] >= 0) {
		lt_tnode root = lt__root_of(s->t, s->t->leaf_of[s->g->node[n].operand[0]]);
		if (latest < 0 || s->nest[root].number > s->nest[latest].number)
			latest = root;
	}
	return latest;
}

static bool reads_from(const struct lt_auto *s, lt_node n, const struct lt_leaf *other)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	for (int32_t i = 0; i < leaf->n_read * other->n_read; i++) {
		const struct lt_read *a = &leaf->read[i % leaf->n_read], *b = &other->read[i / leaf->n_read];
		if (a->n_piece == 1 && b->n_piece == 1 && a->piece[0].base >= 0 && a->piece[0].base == b->piece[0].base
		    && s->g->node[a->piece[0].base].n_dim > 0)
			return true;
	}
	return false;
}

/* Whether the cluster in hand, of node n, may be added to the nest. */
static bool nest_fits(const struct lt_auto *s, lt_tnode root, lt_node n)
{
	const struct lt_auto_nest *x = &s->nest[root];
	return (!x->closed || x->fusion_point >= 0) && x->constant == s->constant[n] && x->class == s->aim
		&& x->leaves + s->n_member <= MAX_NEST;
}

/* Whether the cluster of n takes one thread a short time; on a GPU, one block. */
static bool is_short(const struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	double work = s->n_member;
	if (lt__target_has_grid(s->target))
		return lt__gpu_is_short(s, n);
	for (int32_t i = 0; i < leaf->n_var; i++)
		work *= (double)s->g->var[leaf->var[i]].extent;
	return s->target && work <= (double)LT_MIN_SHARED_NS * LT_LEAF_RATE;
}

/* A sum over all of a short row gets a group, in which what is made of it joins it: a norm of one row is one nest. */
static bool begins_row(const struct lt_auto *s, lt_node n)
{
	return is_short(s, n) && ((s->g->node[n].reduce && s->g->node[n].n_dim == 0)
		|| (lt__target_has_grid(s->target) && lt__gpu_is_summed(s, n)));
}

static bool joins_row(const struct lt_auto *s, lt_node n, lt_tnode root)
{
	return root >= 0 && s->nest[root].row && nest_fits(s, root, n) && s->g->node[n].op != LT_OP_update && is_short(s, n);
}

/* Where in the group it goes: on a GPU into the last loop, if it may share that. */
static lt_tnode find_in_row(const struct lt_auto *s, lt_node n, lt_tnode root)
{
	lt_tnode last = s->t->node[root].last;
	if (last < 0 || s->t->node[last].kind != LT_TLOOP || !lt__target_has_grid(s->target))
		return root;
	lt_tnode at = find_innermost(s, n, last);
	return at < 0 ? root : at;
}

/* The loops of an earlier reduction that are those which this one wants, for a value that both read; -1: none. */
static lt_tnode find_matching_reduction(const struct lt_auto *s, lt_node n, lt_tnode latest)
{
	for (lt_node u = n - 1; s->g->node[n].reduce && u >= 0 && u > n - LOOK_BACK; u--) {
		lt_tnode at = s->g->node[u].reduce ? s->t->leaf_of[u] : -1, root = at < 0 ? -1 : lt__root_of(s->t, at),
			 parent = at < 0 ? -1 : s->t->node[at].parent;
		if (parent < 0 || s->nest[root].closed || !nest_fits(s, root, n)
			|| (latest >= 0 && s->nest[latest].number >= s->nest[root].number))
			continue;
		int32_t i = s->order.n;
		for (at = parent; i > 0 && at >= 0 && s->t->node[at].kind == LT_TLOOP
			&& s->t->node[at].var == s->order.loop[i - 1].var
			&& s->t->node[at].step == s->order.loop[i - 1].step;
			at = s->t->node[at].parent)
			i--;
		if (i > 0 || (at >= 0 && !s->nest[root].row))
			continue;
		for (lt_tnode c = s->t->node[parent].child; c >= 0; c = s->t->node[c].next)
			for (int32_t k = 0; k < s->n_member && s->t->node[c].kind == LT_TLEAF; k++)
				if (reads_from(s, s->member[k], s->t->leaf[s->t->node[c].leaf]))
					return parent;
	}
	return -1;
}

/* The part of the loop order that `at_node` and the loops above it do not give yet. */
static lt_tnode add_loops(struct lt_auto *s, lt_tnode at_node)
{
	for (int32_t i = 0; i < s->order.n; i++) {
		const struct lt_auto_loop *want = &s->order.loop[i];
		int64_t step = 0;               /* of the innermost loop over that var so far; 0: none */
		for (lt_tnode up = at_node; up >= 0 && !step; up = s->t->node[up].parent)
			if (s->t->node[up].kind == LT_TLOOP && s->t->node[up].var == want->var)
				step = s->t->node[up].step;
		if (step == 1 || (step && want->step >= step))
			continue;
		at_node = lt_looptree_add_loop(s->t, at_node, want->var, want->step);
		if (at_node < 0)
			return -2;
	}
	return at_node;
}

static lt_status add_cluster(struct lt_auto *s, lt_node n)
{
	lt__auto_gather(s, n);
	LT_TRY(lt__auto_order(s, n));
	lt_tnode root = latest_root(s, n), at_node = -1;
	bool scalar = s->t->leaf[n]->n_var == 0;
	if (scalar && s->last_group >= 0 && (root < 0 || s->nest[root].number <= s->nest[s->last_group].number))
		root = s->last_group;
	if (root >= 0 && nest_fits(s, root, n))
		at_node = !scalar                                                              ? find_innermost(s, n, root)
			: s->t->node[root].kind == LT_TGROUP && completes_inside(s, n, root) ? root
											     : -1;
	if (!scalar && at_node < 0)
		at_node = find_matching_reduction(s, n, root);
	if (!scalar && at_node < 0 && lt__target_has_grid(s->target) && s->t->last_root >= 0 && root != s->t->last_root
		&& nest_fits(s, s->t->last_root, n))
		at_node = lt__gpu_horizontal_fusion(s, n);
	bool row = !scalar && at_node < 0 && begins_row(s, n);
	if (!scalar && at_node < 0 && joins_row(s, n, root))
		at_node = find_in_row(s, n, root);
	else if (scalar && at_node < 0)
		at_node = s->last_group = lt_looptree_add_group(s->t, -1);
	else if (row)
		at_node = lt_looptree_add_group(s->t, -1);
	const lt_tnode own = s->t->n_node;
	const bool joins = root >= 0 && at_node >= 0 && lt__root_of(s->t, at_node) == root && s->nest[root].closed;
	if (!scalar && (!row || at_node >= 0))
		at_node = add_loops(s, at_node);
	if (joins)
		lt__auto_mark_fusible(s, own);
	s->n_joined += joins;
	if (at_node < 0)
		return lt_context_code(s->g->ctx);
	root = lt__root_of(s->t, at_node);
	lt__auto_record_nest(s, root, s->constant[n], false);
	s->nest[root].row = s->nest[root].row || row;
	for (int32_t i = 0; i < s->n_member; i++)
		if (lt_looptree_add_leaf(s->t, at_node, s->member[i]) < 0)
			return lt_context_code(s->g->ctx);
	s->nest[root].leaves += s->n_member;
	return LT_OK;
}

static bool wants_vectors(const struct lt_target *t) { return t && t->vector_bytes > 1; }

/* Whether what it is follows from its registers, which recipes fill (program/nest/recipe.def). */
static bool has_registers(const struct lt_target *t)
{
	return t && !t->vector_bytes && !t->warp && t->vector_registers;
}

/* Copies that the program makes by blocks: of very many pieces, and of constants in another order, for a host. */
static bool is_made_by_blocks(const struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	if (lt__is_many(s->g, n, leaf))
		return true;
	return wants_vectors(s->target) && !lt__target_has_grid(s->target) && !(s->role && s->role[n]) && !s->written[n]
		&& lt__is_constant_copy(s->g, s->t->arena, n, leaf);
}

/* They stand alone, in plain loops. */
static lt_status add_blocks(struct lt_auto *s, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[n];
	lt_tnode at_node = d->n_dim == 0 ? lt_looptree_add_group(s->t, -1) : -1;
	for (int32_t i = 0; i < d->n_dim; i++)
		if ((at_node = lt_looptree_add_loop(s->t, at_node, d->dim[i], 1)) < 0)
			return lt_context_code(s->g->ctx);
	if (at_node < 0 || lt_looptree_add_leaf(s->t, at_node, n) < 0)
		return lt_context_code(s->g->ctx);
	lt__auto_record_nest(s, lt__root_of(s->t, at_node), s->constant[n], true);
	return LT_OK;
}

struct auto_input {
	const struct lt_graph *g;
	struct lt_arena *arena;         /* of what is kept from one tree to the next */
	struct lt_looptree *t;
	const struct lt_target *const *target;
	int32_t n_target;
	const int32_t *class;
	bool *unfused; int32_t n_unfused;   /* by node of the graph: what is placed apart next time; how many */
	struct lt_fallback *fallback;     /* by node of the graph */
	const struct lt_fallback *from;  /* what it is at first, NULL: all 0 */
	bool is_fallen_back, has_grid;
	bool alone, is_joined;          /* no nests are joined; some were */
};

static lt_status add_any(struct lt_auto *s, lt_node n)
{
	struct lt_product *p = s->role ? s->role[n] : NULL;
	lt__auto_aim(s, n);
	if (s->in_call[n])
		return lt__auto_add_call(s, n);
	if (is_made_by_blocks(s, n))
		return add_blocks(s, n);
	if (p)
		return p->sum == n ? lt__product_add(s, p) : lt__product_add_shared(s, n);
	if (!s->role || !s->epilogue_of[n])
		return add_cluster(s, n);
	lt__auto_gather(s, n);
	return lt__product_add_epilogue(s, s->epilogue_of[n]);
}

/* Places all nodes.  What constants alone compute comes first, where nests are joined: a nest of them between two of a
 * run (the cast of a bias, after the product) would keep what follows from joining what is before.  Plain loops keep
 * the order of the graph. */
static lt_status add_all(struct lt_auto *s, bool constants_first)
{
	for (int32_t turn = !constants_first; turn < 2; turn++)
		for (lt_node i = 0; i < s->g->n_node; i++)
			if (lt__has_leaf(s->g, i) && !s->is_inlined[i] && (!constants_first || s->constant[i] == !turn))
				LT_TRY(add_any(s, i));
	return LT_OK;
}

/* Vectors and threads for the nests that have none; one target after the other, by the place of the roots, which
 * stays. */
static lt_status add_vectors(struct lt_auto *s, int32_t n_target, bool *unfused, int32_t *n_unfused)
{
	struct lt_looptree *t = s->t;
	struct lt_auto_nest *nest = LT_NEW(t->arena, struct lt_auto_nest, t->n_root + 1);
	const int32_t n_fusible = s->cap_fusible < t->n_node ? s->cap_fusible : t->n_node;
	bool numbered = true;           /* nodes have the numbers that they were added with */
	int32_t i = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		nest[i++] = s->nest[root];
	for (int32_t k = 0; k < n_target; k++) {
		bool *open = LT_NEW(t->arena, bool, t->n_node + 1), any = false;
		const struct lt_target *target = s->targets[k];
		if (!wants_vectors(target) && !lt__target_has_grid(target))
			continue;
		i = 0;
		for (lt_tnode root = t->root; root >= 0; root = t->node[root].next, i++)
			any = (open[root] = !nest[i].closed && nest[i].class == k) || any;
		for (lt_tnode at = 0; numbered && at < n_fusible; at++)
			any = (open[at] = open[at] || (s->fusible[at] && s->nest[lt__root_of(t, at)].class == k)) || any;
		numbered = numbered && !any;
		if (any)
			LT_TRY(lt__target_has_grid(target)
				? lt__auto_gpu(s, target, open, unfused, n_unfused)
				: lt__vectorize_cpu(t, target, open));
	}
	return LT_OK;
}

static lt_status auto_body(void *arg)
{
	struct auto_input *b = arg;
	struct lt_auto s = { .g = b->t->graph,
		.t = b->t,
		.target = b->target[0],
		.targets = b->target,
		.base_class = b->class,
		.base_unfused = b->n_unfused ? b->unfused : NULL,
		.base_fallback = b->is_fallen_back ? b->fallback : NULL,
		.last_group = -1,
		.alone = b->alone,
		.member = LT_NEW(b->t->arena, lt_node, LT_MAX_CLUSTER + 1) };
	bool any = false, blocks = false, registers = false;
	for (int32_t i = 0; i < b->n_target; i++) {
		any = any || wants_vectors(b->target[i]);
		registers = registers || has_registers(b->target[i]);
	}
	LT_TRY(lt__auto_survey(&s));
	for (int32_t i = 0; i < b->n_target; i++)
		blocks = blocks || lt__target_has_grid(b->target[i]);
	if (any || blocks)
		LT_TRY(lt__auto_rematerialize(&s, any));
	LT_TRY(lt__auto_split_casts(&s));
	LT_TRY(lt__auto_calls(&s));
	if (s.n_call > 0)
		LT_TRY(lt__auto_survey(&s));
	if (any || blocks)
		LT_TRY(lt__auto_products(&s));
	if (s.n_product > 0 || blocks)
		LT_TRY(lt__auto_survey(&s));
	LT_TRY(add_all(&s, any || blocks || registers));
	b->is_joined = s.n_joined > 0;
	lt__product_reasons(&s);
	return add_vectors(&s, b->n_target, b->unfused, &b->n_unfused);
}

/* A tree that is not legal is made again, with another nest, or plainer ones where it is not known which is not; false:
 * they are as plain as may be. */
static bool auto_falls_back(struct auto_input *b, lt_status st)
{
	const struct lt_looptree *t = b->t;
	struct lt_context *ctx = t->ctx;
	lt_tnode failed = *t->failed < 0 ? -1 : lt__root_of(t, *t->failed);
	if (lt__is_end(st) || st == LT_EOVERFLOW)
		return false;
	const char *why = lt__arena_format(b->arena, "%s", lt_context_message(ctx));
	bool any = failed >= 0
		&& lt__fallback_nest(t, lt__tree_bases(t, t->arena), failed, b->has_grid, why, b->arena, b->fallback);
	const bool all = !any && b->has_grid;
	for (lt_node n = 0; all && n < t->base->n_node; n++)
		any = lt__raise_fallback(&b->fallback[n], why) || any;
	b->is_fallen_back = b->is_fallen_back || any;
	if (any)
		lt_context_clear(ctx);
	return any;
}

/* What a block of a GPU has no room for is placed apart, and the tree made again. */
static lt_status make_tree(const struct lt_graph *g, struct auto_input *b, bool *again)
{
	const int32_t had = b->n_unfused;
	LT_TRY(lt_looptree_new(g, &b->t));
	b->t->target = b->target[0] ? b->target[0]->name : NULL;
	lt_status st = lt__protect(g->ctx, auto_body, b);
	*again = !st && b->n_unfused > had;
	if (!st && !*again)
		st = lt_looptree_finish(b->t);
	if (st && b->is_joined && !b->alone && !lt__is_end(st)) {
		lt_context_clear(g->ctx);       /* not proven: each nest by itself, then */
		*again = b->alone = true;
		st = LT_OK;
	}
	if (st && auto_falls_back(b, st)) {
		*again = true;
		st = LT_OK;
	}
	if (st || *again) {
		lt_looptree_free(b->t);
		b->t = NULL;
	}
	return st;
}

static lt_status auto_make(void *arg)
{
	struct auto_input *b = arg;
	bool again = true;
	b->unfused = LT_NEW(b->arena, bool, b->g->n_node + 1);
	b->fallback = LT_NEW(b->arena, struct lt_fallback, b->g->n_node + 1);
	if (b->is_fallen_back)
		memcpy(b->fallback, b->from, (size_t)b->g->n_node * sizeof *b->fallback);
	while (again)
		LT_TRY(make_tree(b->g, b, &again));
	return LT_OK;
}

lt_status lt__looptree_auto_for(const struct lt_graph *g, const struct lt_target *const *target, int32_t n_target,
	const int32_t *class, const struct lt_fallback *fallback, struct lt_looptree **out)
{
	struct auto_input b = { .g = g, .target = target, .n_target = n_target, .class = class, .from = fallback };
	*out = NULL;
	for (int32_t i = 0; i < n_target; i++)
		b.has_grid = b.has_grid || lt__target_has_grid(target[i]);
	for (lt_node n = 0; fallback && n < g->n_node; n++)
		b.is_fallen_back = b.is_fallen_back || fallback[n].level > 0 || fallback[n].refused;
	LT_TRY(lt__arena_new(g->ctx, &b.arena));
	struct lt_spending spending;
	lt__spending_begin(g->ctx, &spending, "making the default tree");
	lt_status st = lt__protect(g->ctx, auto_make, &b);
	lt__spending_end(g->ctx, &spending);
	lt__arena_free(b.arena);
	if (st) {
		lt_looptree_free(b.t);
		b.t = NULL;
	}
	*out = b.t;
	return st;
}

lt_status lt_looptree_auto(const struct lt_graph *g, const struct lt_target *target, struct lt_looptree **out)
{
	return lt__looptree_auto_for(g, &target, 1, NULL, NULL, out);
}
