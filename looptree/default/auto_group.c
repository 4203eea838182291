/* auto_group.c -- groups of leaves for routines, of targets that have some that say what they take by a call's
 * description (lt/target.h: LT_PATTERN_GRAPH).
 *
 * From each reduction on, with the terms that it adds up, a group grows behind, by the next leaf that reads one of its
 * own, and from each that is taken before, by leaves that only it reads (another reduction with its terms), as long as
 * it stays taken.  Each set on the
 * way is described as if it were frozen, and the rows of the table, those of products among them, say whether they take
 * it: the first one that does has it.  Which of those become
 * groups is chosen by what they cost (auto_group_cost.c, auto_group_choose.c).  No operator is named here: what an
 * anchor is, and what may be around it, is the table's.
 *
 * Where a row asks for an image's channels side by side, and it comes from outside in another order, the row is asked
 * again as if there were a copy in that order, which the option then pays for.  Filters that are constant are copied
 * once, whatever row takes them so: one after the other, and each as the row wants it.  Where the graph wants the
 * result's channels apart, the row is asked as if it were written with them side by side: its readers turn it; of a
 * result of the graph's a copy does.
 *
 * A cast that widens what lies in memory costs nothing to be done again where it is read: it is a member of each group
 * that reads it, whoever else does, and is computed again for those that are chosen.
 *
 * A leaf that comes before the group's last one and reads one of its leaves is in the group, too.  So groups are
 * convex, no two wait for each other, and each can be placed where its last leaf is.
 */
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/default/auto_group.h"
#include "looptree/derive/derive.h"
#include "looptree/freeze/freeze.h"

enum { MAX_GROUP = 40 };        /* leaves: so that a chain of any length stays linear */

/* One that a row takes, and that was refused in the end. */
struct refused_group { const char *name, *why; lt_node seed, *member; int32_t n, next; };
struct growing {
	struct lt_auto *s;
	lt_node seed;
	int32_t n, n_behind;
	lt_node member[MAX_GROUP];      /* the seed, what is behind it, then what is before */
	bool *pinned;                   /* by node: a view that is a result shows it */
	bool *in, *again;               /* by node; again: others may read it, too, and it is computed for the group */
	int32_t *n_inside;              /* by node: members that read it */
	int32_t reductions;             /* of the members */
	int32_t max_reductions;
	/* by node: what its group was refused for, by the row that came farthest; how far that was */
	const char **why;
	struct lt_take_reach *reach;
	struct refused_group *refused; int32_t n_refused, cap_refused;
	int32_t *refused_at;            /* by node: the last of those whose last leaf it is, and 1; 0: none */
	const lt_node *base;            /* by node: of the graph that trees are made for */
	int32_t *end_of_readers;        /* by node: into `readers`; they begin where those of the node before end */
	lt_node *readers;
	bool *fits;                     /* by node: it is in an option */
	bool *positional;               /* by node: find_positional */
	int32_t *passed;                /* by node: the last of the tries in which it was refused before the others */
	int32_t n_try;
	struct lt_group_option *option; int32_t n_option, cap_option;
	int64_t *alone;                 /* by node: what it costs as a kernel of loops; -1: nobody asked */
	lt_node *touched; int32_t n_touched, cap_touched;       /* members, and what they read, in order */
	int32_t *number;                /* by node: its number among these; -1: none */
};

static bool has_graph_rows(const struct lt_target *t)
{
	for (int32_t i = 0; i < lt__routine_count(t); i++)
		if (lt__routine_is_graph(t, i))
			return true;
	return false;
}

/* Of a group that a row may take. */
static int32_t most_reductions(const struct lt_target *t)
{
	int32_t most = 0;
	for (int32_t i = 0; i < lt__routine_count(t); i++)
		if (lt__routine_is_graph(t, i)) {
			int32_t n = lt__routine_reductions(lt__routine_at(t, i));
			most = n > most ? n : most;
		}
	return most;
}

bool lt__may_be_left_out(const struct lt_graph *g, lt_node n)
{
	const struct lt_nodedef *d = &g->node[n];
	return !d->reduce && (d->op == LT_OP_copy || (d->op == LT_OP_cast
		&& lt__dtype_info(g->node[d->operand[0]].dtype)->bytes <= lt__dtype_info(d->dtype)->bytes));
}

/* What is computed before the first run stays there, but for casts, without which the routine reads more bytes, and
 * copies, which have the order that loops would like. */
static bool may_be_in(const struct growing *x, lt_node n)
{
	const struct lt_auto *s = x->s;
	const struct lt_leaf *leaf = lt__has_leaf(s->g, n) ? s->t->leaf[n] : NULL;
	const bool once = s->constant[n] != s->constant[x->seed];
	if (once && !lt__may_be_left_out(s->g, n))
		return false;
	return leaf && !x->in[n] && !s->in_call[n] && s->g->node[n].op != LT_OP_update && !leaf->gather && leaf->n_trip == 0
		&& lt__auto_same_class(s, n, x->seed) && !lt__is_many(s->g, n, leaf)
		&& x->reductions + s->g->node[n].reduce <= x->max_reductions && x->n < MAX_GROUP;
}

/* Counts, or no more, what the leaf reads: each value once. */
static void count_reads(struct growing *x, lt_node n, int32_t by)
{
	const struct lt_leaf *leaf = x->s->t->leaf[n];
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			lt_node base = leaf->read[k].piece[p].base;
			bool again = base < 0;
			for (int32_t i = 0; i < k && !again; i++)
				for (int32_t q = 0; q < leaf->read[i].n_piece; q++)
					again = again || leaf->read[i].piece[q].base == base;
			for (int32_t q = 0; q < p && !again; q++)
				again = leaf->read[k].piece[q].base == base;
			if (!again)
				x->n_inside[base] += by;
		}
}

/* Whether a member that others read, too, may be computed again for the group: a cast of fewer bytes that lie in
 * memory, read through no view that is a result itself. */
static bool may_be_again(const struct growing *x, lt_node n)
{
	const struct lt_nodedef *d = &x->s->g->node[n];
	const struct lt_leaf *leaf = x->s->t->leaf[n];
	if (d->op != LT_OP_cast || d->reduce || x->pinned[n] || leaf->read[0].n_piece != 1)
		return false;
	const lt_node base = leaf->read[0].piece[0].base;
	return base >= 0 && !x->in[base]
		&& lt__dtype_info(x->s->g->node[d->operand[0]].dtype)->bytes < lt__dtype_info(d->dtype)->bytes;
}

/* What is computed again reads its value beside others that do. */
static void put_in(struct growing *x, lt_node n)
{
	x->member[x->n++] = n;
	x->in[n] = true;
	x->reductions += x->s->g->node[n].reduce;
	x->again[n] = x->n_inside[n] < x->s->n_reader[n] && may_be_again(x, n);
	if (!x->again[n])
		count_reads(x, n, 1);
}

static void take_out(struct growing *x)
{
	lt_node n = x->member[--x->n];
	x->in[n] = false;
	x->reductions -= x->s->g->node[n].reduce;
	if (!x->again[n])
		count_reads(x, n, -1);
	x->again[n] = false;
}

static void count_step(const struct growing *x) { x->s->t->ctx->labour.calls++; }

/* The leaves that read each, in order: their number first, where those of each end after that. */
static void list_readers(struct growing *x)
{
	const struct lt_auto *s = x->s;
	int32_t *end = x->end_of_readers = LT_NEW(s->t->arena, int32_t, s->g->n_node + 1), total = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (lt_node n = 0; n < s->g->n_node; n++) {
			const struct lt_leaf *leaf = lt__has_leaf(s->g, n) ? s->t->leaf[n] : NULL;
			for (int32_t k = 0; leaf && k < leaf->n_read; k++)
				for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
					const lt_node base = leaf->read[k].piece[p].base;
					if (base >= 0 && pass)
						x->readers[end[base]] = n;
					if (base >= 0)
						end[base]++;
				}
		}
		for (lt_node n = 0; n < s->g->n_node && !pass; n++) {
			total += end[n];
			end[n] = total - end[n];
		}
		if (!pass)
			x->readers = LT_NEW(s->t->arena, lt_node, total + 1);
	}
}

/* Its first reader behind a leaf; -1: there is none. */
static lt_node reader_behind(const struct growing *x, lt_node n, lt_node last)
{
	const int32_t end = x->end_of_readers[n];
	int32_t low = n ? x->end_of_readers[n - 1] : 0, high = end;
	while (low < high) {
		const int32_t mid = low + (high - low) / 2;
		count_step(x);
		if (x->readers[mid] > last)
			high = mid;
		else
			low = mid + 1;
	}
	return low < end ? x->readers[low] : -1;
}

/* The next leaf that reads a member and is none; -1: there is none, or it may be in no group. */
static lt_node next_behind(const struct growing *x)
{
	lt_node last = -1, next = -1;
	for (int32_t i = 0; i < x->n; i++)
		last = x->member[i] > last ? x->member[i] : last;
	for (int32_t i = 0; i < x->n; i++) {
		const lt_node n = reader_behind(x, x->member[i], last);
		next = n >= 0 && (next < 0 || n < next) ? n : next;
	}
	return next >= 0 && may_be_in(x, next) ? next : -1;
}

/* Whether a leaf is a term that a reduction adds up where it is made: nobody stores those. */
static bool is_term(const struct lt_auto *s, lt_node n)
{
	return s->n_reader[n] == 1 && s->g->node[s->reader[n]].reduce && lt__reads_in_place(s, s->reader[n], n, -1);
}

/* What may be put before a group: a leaf that was not passed; one that a routine may leave out, passed or not; of
 * those, one that a term reads. */
enum put_before { ANY_BEFORE, CASTS_BEFORE, CASTS_OF_TERMS };
/* The last such leaf that only members read, or that is computed again for them.  -1: there is none. */
static lt_node next_before(const struct growing *x, enum put_before which)
{
	lt_node best = -1;
	for (int32_t i = 0; i < x->n; i++) {
		const struct lt_leaf *leaf = x->s->t->leaf[x->member[i]];
		if (x->again[x->member[i]] || (which == CASTS_OF_TERMS && !is_term(x->s, x->member[i])))
			continue;
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				count_step(x);
				if (base > best && may_be_in(x, base)
					&& (x->n_inside[base] == x->s->n_reader[base] || (which != ANY_BEFORE && may_be_again(x, base)))
					&& (which == ANY_BEFORE ? x->passed[base] != x->n_try : lt__may_be_left_out(x->s->g, base)))
					best = base;
			}
	}
	return best;
}

static bool is_result(const struct growing *x, lt_node n)
{
	return !x->again[n] && x->s->n_reader[n] > x->n_inside[n];
}

/* -- asking the table: the group is frozen by itself, each value in memory of its own -- */

/* Whether a member has no loops of its own, but stands with its only reader, which reads it at its own position. */
static bool rides(const struct lt_auto *s, const lt_node *member, int32_t n, int32_t i)
{
	const struct lt_nodedef *d = &s->g->node[member[i]];
	const struct lt_leaf *leaf = s->t->leaf[member[i]];
	lt_node reader = s->reader[member[i]];
	if (d->reduce || s->n_reader[member[i]] != 1 || !lt__has(member, n, reader)
		|| leaf->n_var != s->t->leaf[reader]->n_var || !lt__reads_in_place(s, reader, member[i], -1))
		return false;
	for (int32_t k = 0; k < leaf->n_var; k++)
		if (lt__leaf_column(s->t->leaf[reader], leaf->var[k]) < 0)
			return false;
	return true;
}

/* The leaves that ride with `reader`, then it. */
static lt_tnode add_riders(const struct lt_auto *s, struct lt_looptree *t, const int32_t *number, lt_tnode at,
	const lt_node *member, int32_t n, lt_node reader)
{
	for (int32_t i = 0; i < n && member[i] < reader && at >= 0; i++)
		if (s->reader[member[i]] == reader && rides(s, member, n, i))
			at = add_riders(s, t, number, at, member, n, member[i]);
	return at < 0 || lt_looptree_add_leaf(t, at, number ? number[reader] : reader) < 0 ? -1 : at;
}

/* A nest in the group for each leaf that does not ride.  number: what nodes are called in t; NULL: the same. */
static lt_status add_leaves(const struct lt_auto *s, struct lt_looptree *t, const int32_t *number, lt_tnode group,
	const lt_node *member, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		const struct lt_leaf *leaf = s->t->leaf[member[i]];
		lt_tnode at = group;
		if (rides(s, member, n, i))
			continue;
		for (int32_t k = 0; k < leaf->n_var && at >= 0; k++)
			at = lt_looptree_add_loop(t, at, leaf->var[k], 1);
		if (at < 0 || add_riders(s, t, number, at, member, n, member[i]) < 0)
			return lt_context_code(t->ctx);
	}
	return LT_OK;
}

static void touch(struct growing *x, lt_node n)
{
	if (x->number[n] >= 0)
		return;
	x->number[n] = 0;
	LT_GROW(x->s->t->arena, x->touched, x->n_touched, x->cap_touched);
	x->touched[x->n_touched++] = n;
}

static void find_touched(struct growing *x)
{
	for (int32_t i = 0; i < x->n_touched; i++)
		x->number[x->touched[i]] = -1;
	x->n_touched = 0;
	for (int32_t i = 0; i < x->n; i++) {
		const struct lt_leaf *leaf = x->s->t->leaf[x->member[i]];
		touch(x, x->member[i]);
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				if (leaf->read[k].piece[p].base >= 0)
					touch(x, leaf->read[k].piece[p].base);
	}
	lt__auto_sort(x->touched, x->n_touched);
	for (int32_t i = 0; i < x->n_touched; i++)
		x->number[x->touched[i]] = i;
}

/* The leaf with the numbers of what it reads. */
static struct lt_leaf *numbered_leaf(const struct growing *x, struct lt_arena *a, lt_node n)
{
	struct lt_leaf *leaf = lt__arena_copy(a, x->s->t->leaf[n], sizeof *leaf);
	leaf->read = lt__arena_copy(a, leaf->read, sizeof *leaf->read * (size_t)leaf->n_read);
	for (int32_t k = 0; k < leaf->n_read; k++) {
		struct lt_read *r = &leaf->read[k];
		r->piece = lt__arena_copy(a, r->piece, sizeof *r->piece * (size_t)r->n_piece);
		for (int32_t p = 0; p < r->n_piece; p++)
			r->piece[p].base = r->piece[p].base < 0 ? -1 : x->number[r->piece[p].base];
	}
	return leaf;
}

/* A graph and a tree of what is touched alone, so that asking takes as long as the group is, not as the graph: members
 * as they are, everything else an input. */
static void make_small(const struct growing *x, struct lt_arena *a, struct lt_graph *g, struct lt_looptree *t)
{
	const struct lt_auto *s = x->s;
	const int32_t n = x->n_touched;
	*g = *s->g;
	g->n_node = n;
	g->n_result = g->n_set = 0;
	g->node = LT_NEW(a, struct lt_nodedef, n + 1);
	*t = *s->t;
	t->graph = t->base = g;
	t->derived = NULL;
	t->arena = a;
	t->node = NULL;
	t->n_node = t->cap_node = t->n_root = 0;
	t->root = t->last_root = -1;
	t->leaf_of = LT_NEW(a, lt_tnode, n + 1);
	t->leaf = LT_NEW(a, struct lt_leaf *, n + 1);
	t->layout = LT_NEW(a, struct lt_memlayout *, n + 1);
	for (int32_t i = 0; i < n; i++) {
		struct lt_nodedef *d = &g->node[i];
		*d = s->g->node[x->touched[i]];
		t->leaf_of[i] = -1;
		if (!x->in[x->touched[i]]) {
			d->op = LT_OP_input;
			d->reduce = false;
			d->n_operand = 0;
			continue;
		}
		t->leaf[i] = numbered_leaf(x, a, x->touched[i]);
		d->operand = LT_NEW(a, lt_node, d->n_operand + 1);
		for (int32_t k = 0; k < d->n_operand; k++) {    /* for sentences: views stand for what they show */
			lt_node base = k < t->leaf[i]->n_read ? t->leaf[i]->read[k].piece[0].base : -1;
			d->operand[k] = base < 0 ? i : base;
		}
	}
}

/* A result that is written through a view lies as that has it. */
static void place_result(
	const struct growing *x, struct lt_arena *a, lt_node n, struct lt_fstorage *storage, struct lt_location *at)
{
	const struct lt_graph *g = x->s->g;
	const int64_t *stride = lt__auto_strides_written(x->s, a, n);
	int64_t last = 0;
	for (int32_t d = 0; d < g->node[n].n_dim && stride; d++) {
		at->stride[d] = stride[d];
		last = lt__add_sat(last, lt__mul_sat(stride[d], g->var[g->node[n].dim[d]].extent - 1));
	}
	storage->elems = stride && last >= storage->elems ? lt__add_sat(last, 1) : storage->elems;
}

static void lay_in(const struct lt_graph *g, lt_node n, const int32_t *order, int64_t *stride)
{
	int64_t below = 1;
	for (int32_t i = g->node[n].n_dim; i-- > 0;) {
		stride[order[i]] = below;
		below *= g->var[g->node[n].dim[order[i]]].extent;
	}
}

/* Memory for what the group reads from outside, and for its results. */
static void give_memory(const struct growing *x, struct lt_arena *a, const struct lt_looptree *t,
	const struct lt_group_copy *copied, const struct lt_group_copy *turned, struct lt_fmemory *out)
{
	const struct lt_graph *g = t->graph;
	struct lt_fstorage *storage = LT_NEW(a, struct lt_fstorage, g->n_node + 1);
	struct lt_location *location = LT_NEW(a, struct lt_location, g->n_node + 1);
	int32_t n = 0;
	for (lt_node i = 0; i < g->n_node; i++) {
		const bool in = x->in[x->touched[i]];
		location[i].storage = -1;
		if (in && !is_result(x, x->touched[i]))
			continue;
		storage[n] = (struct lt_fstorage){ .role = in ? LT_OUTPUT : LT_INPUT, .dtype = g->node[i].dtype, .aligned = true,
			.elems = lt__node_elems(g, i) };
		location[i] = (struct lt_location){ .storage = n, .stride = LT_NEW(a, int64_t, g->node[i].n_dim + 1) };
		lt__dense_strides(g, i, location[i].stride);
		if (x->touched[i] == copied->node)
			lay_in(g, i, copied->order, location[i].stride);
		if (x->touched[i] == turned->node)
			lay_in(g, i, turned->order, location[i].stride);
		else if (in)
			place_result(x, a, x->touched[i], &storage[n], &location[i]);
		n++;
		if (in)
			t->scope[i].whole = true;
	}
	storage[n] = (struct lt_fstorage){ .role = LT_INPUT, .dtype = LT_I64, .elems = g->n_param };
	*out = (struct lt_fmemory){ .n_storage = n + 1, .storage = storage, .location = location, .param_storage = n };
}

struct asked_group {
	struct growing *x;
	struct lt_arena *a;
	const lt_node *member; int32_t n;
	const struct lt_looptree *t;    /* of the group alone */
	const struct lt_routine *row;
	int32_t roundings, added;       /* that the row leaves out, and that it may have where the graph has none */
	struct lt_group_copy copied, filters, turned;
	const char *why;
	struct lt_take_reach reach;
};

/* What was refused in the end, once: groups that grow from another reduction may have the same leaves. */
static void keep_refused(struct growing *x, const struct asked_group *q, const char *name, const char *why)
{
	struct lt_arena *a = x->s->t->arena;
	int32_t *last = &x->refused_at[q->member[q->n - 1]];
	for (int32_t i = *last - 1; i >= 0; i = x->refused[i].next - 1)
		if (x->refused[i].n == q->n && strcmp(x->refused[i].name, name) == 0
			&& memcmp(x->refused[i].member, q->member, sizeof *q->member * (size_t)q->n) == 0)
			return;
	LT_GROW(a, x->refused, x->n_refused, x->cap_refused);
	x->refused[x->n_refused++] = (struct refused_group){ .name = name, .why = why, .seed = x->seed, .n = q->n,
		.next = *last,
		.member = lt__arena_copy(a, q->member, sizeof *q->member * (size_t)q->n) };
	*last = x->n_refused;
}

/* Whether a row takes the product that the group as a whole is; NULL: it does. */
static const char *product_row_refuses(struct asked_group *q, const struct lt_frozen *f, const struct lt_routine *r)
{
	const struct lt_auto *s = q->x->s;
	const lt_node mul = s->g->node[q->x->seed].n_operand ? s->g->node[q->x->seed].operand[0] : -1;
	struct lt_callshape shape;
	lt__call_shape(q->t, f, 0, &shape);
	const char *why = lt__auto_avoids_product(q->a, s->target, r, &shape);
	return why || !lt__has(q->member, q->n, mul) || !lt__auto_stores_cast(s, mul, q->member, q->n) ? why
		: "a factor would be cast and stored, and each of its elements read a few times only";
}

/* Why a row does not take it for a default tree; NULL: it does. */
static const char *row_refuses(
	struct asked_group *q, const struct lt_frozen *f, const struct lt_routine *r, struct lt_take_reach *reach)
{
	const struct lt_call *c = LT_AT(struct lt_call, f->tree.calls, 0);
	*reach = (struct lt_take_reach){ LT_TAKE_WHOLE, 0 };
	const char *why = r->pattern == LT_PATTERN_PRODUCT ? product_row_refuses(q, f, r)
		: lt__routine_refuses_graph(q->a, r, &f->tree, c, &f->call[0].name, reach);
	if (why)
		return why;
	*reach = (struct lt_take_reach){ LT_TAKE_SHAPE, q->n };       /* of those, the largest group came farthest */
	why = r->pattern == LT_PATTERN_PRODUCT ? NULL : lt__routine_avoids_graph(q->a, r, &f->tree, c);
	if (why)
		return why;
	*reach = (struct lt_take_reach){ LT_TAKE_BACKEND, q->n };
	why = lt__auto_refused_call(q->x->s, q->x->base, r->name, q->member, q->n, q->x->again);
	if (why)
		keep_refused(q->x, q, r->name, why);
	return why;
}

/* The first row of the table that takes it; else why the one does not that came farthest. */
static void ask_rows(struct asked_group *q, const struct lt_frozen *f)
{
	const struct lt_target *target = q->x->s->target;
	const struct lt_call *c = f->tree.calls.n > 0 ? LT_AT(struct lt_call, f->tree.calls, 0) : NULL;
	q->why = !c ? "it is no call" : c->undescribed;
	for (int32_t i = 0; i < lt__routine_count(target) && !q->row && c && !c->undescribed; i++) {
		const struct lt_routine *r = lt__routine_at(target, i);
		if (!lt__routine_is_graph(target, i) && (r->pattern != LT_PATTERN_PRODUCT || !lt__routine_is_sound(r)))
			continue;
		struct lt_take_reach reach;
		const char *why = row_refuses(q, f, r, &reach);
		if (!why) {
			q->row = r;
			q->roundings = lt__routine_is_wide(target, r) ? lt__call_roundings(&f->tree, c) : 0;
			q->added = r->pattern == LT_PATTERN_PRODUCT ? 0 : lt__call_added_roundings(&f->tree, c);
		} else if (!q->why || lt__came_farther(reach, q->reach)) {
			q->why = lt__arena_format(q->a, "%s: %s", r->name, why);
			q->reach = reach;
		}
	}
}

/* The dim of a value that lies densely that an axis counts along, or a part of; -1. */
static int32_t dim_along(const struct lt_graph *g, lt_node n, const struct lt_location *at, int64_t stride)
{
	for (int32_t d = 0; d < g->node[n].n_dim; d++)
		if (stride >= at->stride[d] && stride < at->stride[d] * g->var[g->node[n].dim[d]].extent)
			return d;
	return -1;
}

enum { IMAGE, FILTERS };
/* Where dims of what a convolution reads belong, from the outermost on. */
enum { NUMBER_OF_FILTER, BETWEEN, CHANNELS, N_PLACE };

/* By dim, where it belongs: channels last; of filters, what numbers them first.  False: no dim is known to be such. */
static bool place_dims(const struct lt_frozen *f, const struct lt_graph *g, lt_node n, const struct lt_location *at,
	int which, bool channels_last, int32_t *place)
{
	const struct lt_call *c = LT_AT(struct lt_call, f->tree.calls, 0);
	const struct lt_call_anchor *a = LT_AT(struct lt_call_anchor, f->tree.call_anchors, c->anchor);
	const struct lt_call_read *r = LT_AT(struct lt_call_read, f->tree.call_reads, c->first_read + a->read[which]);
	bool any = false;
	for (int32_t d = 0; d < g->node[n].n_dim; d++)
		place[d] = BETWEEN;
	for (int32_t i = 0; i < c->n_axis; i++) {
		const int32_t role = LT_AT(struct lt_call_dim, f->tree.call_dims, c->first_axis + i)->role;
		const int32_t d = dim_along(g, n, at, f->tree.strides[r->first_stride + i]);
		bool inside = d < 0;
		for (int32_t w = 0; w < a->n_window; w++)
			inside = inside
				|| LT_AT(struct lt_call_window, f->tree.call_windows, a->first_window + w)->window == i;
		if (inside || (role != LT_DIM_DEEP && which == IMAGE) || (role == LT_DIM_DEEP && !channels_last))
			continue;
		place[d] = role == LT_DIM_DEEP ? CHANNELS : NUMBER_OF_FILTER;
		any = true;
	}
	return any;
}

/* The image of a convolution, which others hand over, or its filters, that lie in another order than a routine wants:
 * what a copy would bring into it. */
static struct lt_group_copy find_apart(const struct growing *x, const struct lt_frozen *f, const struct lt_graph *g,
	const struct lt_fmemory *memory, int which, bool channels_last)
{
	const struct lt_group_copy none = { -1, NULL };
	const struct lt_call *c = f->tree.calls.n > 0 ? LT_AT(struct lt_call, f->tree.calls, 0) : NULL;
	lt_node found = -1;
	if (!c || c->undescribed || c->anchor < 0 || c->n_anchor != 1)
		return none;
	const struct lt_call_anchor *a = LT_AT(struct lt_call_anchor, f->tree.call_anchors, c->anchor);
	if (a->kind != LT_ANCHOR_CONVOLUTION)
		return none;
	const struct lt_call_read *r = LT_AT(struct lt_call_read, f->tree.call_reads, c->first_read + a->read[which]);
	const int32_t slot = LT_AT(struct lt_buffer, f->tree.buffers, r->buffer)->slot;
	for (lt_node i = 0; i < g->n_node && slot >= 0; i++)
		if (memory->location[i].storage == f->bind[slot].storage && memory->location[i].storage >= 0)
			found = i;
	const lt_node of = found < 0 ? -1 : x->touched[found];
	if (of < 0 || lt__has_leaf(x->s->g, of))
		return none;
	if (x->s->n_reader[of] != 1 && (which == FILTERS || x->s->g->node[of].op != LT_OP_input || x->s->written[of]))
		return none;            /* others would read the copy: of an image they may */
	int32_t place[LT_MAX_RANK], n = 0;
	int32_t *order = LT_NEW(x->s->t->arena, int32_t, g->node[found].n_dim + 1);
	if (!place_dims(f, g, found, &memory->location[found], which, channels_last, place))
		return none;
	bool moved = false;
	for (int32_t p = 0; p < N_PLACE; p++)
		for (int32_t d = 0; d < g->node[found].n_dim; d++)
			if (place[d] == p) {
				moved = moved || d != n;
				order[n++] = d;
			}
	return moved ? (struct lt_group_copy){ x->touched[found], order } : none;
}

/* Filters that are constant are copied once, before the first run, for a row that wants channels side by side: a
 * library that takes others brings them into that order in each run.  Each filter lies together. */
static struct lt_group_copy find_filters(
	const struct asked_group *q, const struct lt_frozen *f, const struct lt_graph *g, const struct lt_fmemory *memory)
{
	const struct lt_group_copy none = { -1, NULL };

	if (!q->row || !(q->row->layouts & (LT_LAYOUT_CHANNELS_LAST | LT_LAYOUT_ANY)))
		return none;
	const bool last = !(q->row->layouts & LT_LAYOUT_ANY);
	const struct lt_group_copy found = find_apart(q->x, f, g, memory, FILTERS, last);
	return found.node >= 0 && q->x->s->constant[found.node] ? found : none;
}

/* The one result of a convolution, whose channels lie apart: all dims as they were, but for these. */
static struct lt_group_copy find_turned(const struct growing *x, const struct lt_frozen *f, const struct lt_graph *g,
	const struct lt_fmemory *memory)
{
	const struct lt_group_copy none = { -1, NULL };
	const struct lt_call *c = f->tree.calls.n > 0 ? LT_AT(struct lt_call, f->tree.calls, 0) : NULL;
	lt_node found = -1;
	int32_t last = -1, n = 0;
	if (!c || c->undescribed || c->anchor < 0 || c->n_anchor != 1 || c->n_result != 1
		|| LT_AT(struct lt_call_anchor, f->tree.call_anchors, c->anchor)->kind != LT_ANCHOR_CONVOLUTION)
		return none;
	const struct lt_call_result *r = LT_AT(struct lt_call_result, f->tree.call_results, c->first_result);
	for (lt_node i = 0; i < g->n_node; i++)
		if (x->in[x->touched[i]] && memory->location[i].storage >= 0)
			found = i;
	for (int32_t i = 0; i < c->n_axis && found >= 0; i++) {
		const struct lt_call_dim *axis = LT_AT(struct lt_call_dim, f->tree.call_dims, c->first_axis + i);
		if (axis->role == LT_DIM_COLUMN)
			last = dim_along(g, found, &memory->location[found], f->tree.strides[r->first_stride + i]);
	}
	if (last < 0 || last == g->node[found].n_dim - 1)
		return none;
	int32_t *order = LT_NEW(x->s->t->arena, int32_t, g->node[found].n_dim + 1);
	for (int32_t d = 0; d < g->node[found].n_dim; d++)
		if (d != last)
			order[n++] = d;
	order[n] = last;
	return (struct lt_group_copy){ x->touched[found], order };
}

/* *image, *result: what a copy of might help, if no row takes it, and what might be written in another order. */
static lt_status ask_about(struct asked_group *q, struct lt_group_copy *image, struct lt_group_copy *result)
{
	struct lt_graph g;
	struct lt_looptree t;
	struct lt_fmemory memory;
	struct lt_frozen *frozen;
	lt_tnode failed;
	make_small(q->x, q->a, &g, &t);
	q->t = &t;
	lt_tnode group = lt_looptree_add_group(&t, -1);
	if (group < 0)
		return lt_context_code(t.ctx);
	t.node[group].loop = LT_CALL;
	t.node[group].call = "a routine";
	LT_TRY(add_leaves(q->x->s, &t, q->x->number, group, q->member, q->n));
	LT_TRY(lt__fill_scopes(&t));
	give_memory(q->x, q->a, &t, &q->copied, &q->turned, &memory);
	LT_TRY(lt__freeze(&t, &memory, q->a, &frozen, &failed));
	ask_rows(q, &frozen[0]);
	*image = find_apart(q->x, &frozen[0], &g, &memory, IMAGE, true);
	*result = find_turned(q->x, &frozen[0], &g, &memory);
	q->filters = find_filters(q, &frozen[0], &g, &memory);
	return LT_OK;
}

static bool wants_layout(const struct asked_group *q) { return !q->row && q->reach.step == LT_TAKE_LAYOUT; }

static lt_status ask_body(void *arg)
{
	struct asked_group *q = arg;
	struct lt_group_copy image, none, result;
	LT_TRY(ask_about(q, &image, &result));
	if (wants_layout(q) && image.node >= 0) {
		q->copied = image;
		LT_TRY(ask_about(q, &none, &result));
	}
	if (wants_layout(q) && result.node >= 0) {
		q->turned = result;
		LT_TRY(ask_about(q, &none, &none));
	}
	return LT_OK;
}

/* -- options -- */

/* What the members cost as kernels of loops, less what a call of the row does. */
static int64_t gain_of(struct growing *x, struct lt_arena *a, const struct lt_routine *r, const lt_node *member)
{
	int64_t alone = 0;
	for (int32_t i = 0; i < x->n; i++) {
		if (x->again[member[i]])
			continue;               /* others may read it as it is */
		if (x->alone[member[i]] < 0)
			x->alone[member[i]] = lt__routine_cost(x->s, a, NULL, &member[i], 1, NULL);
		alone = lt__add_sat(alone, x->alone[member[i]]);
	}
	return alone - lt__routine_cost(x->s, a, r, member, x->n, x->again);
}

static bool tears_terms(const struct growing *x)
{
	for (int32_t i = 0; i < x->n; i++)
		if (is_term(x->s, x->member[i]) && !x->in[x->s->reader[x->member[i]]])
			return true;
	return false;
}

/* Whether a result is a cast of less, which its readers make again from fewer bytes. */
static bool hands_on_more(const struct growing *x)
{
	for (int32_t i = 0; i < x->n; i++)
		if (is_result(x, x->member[i]) && x->s->reader[x->member[i]] >= 0
			&& x->s->g->node[x->member[i]].op == LT_OP_cast && lt__may_be_left_out(x->s->g, x->member[i]))
			return true;
	return false;
}

/* Why there is no such group, for the member that was put in last.  Where a row would compute it as it is, and default
 * trees do not ask for that, it is why each member is in none: of its smaller groups a row says less. */
static void keep_why(struct growing *x, const struct asked_group *q, lt_node newest)
{
	const char *why = NULL;
	for (int32_t i = 0; i < x->n; i++) {
		const lt_node n = x->member[i];
		if ((n != newest && q->reach.step < LT_TAKE_SHAPE) || (x->why[n] && !lt__came_farther(q->reach, x->reach[n])))
			continue;
		why = why ? why : lt__arena_string(x->s->t->arena, q->why);
		x->why[n] = why;
		x->reach[n] = q->reach;
	}
}

/* Asks about the members as they are; newest: the one that was put in last. */
static lt_status try_group(struct growing *x, lt_node newest, bool *taken)
{
	struct lt_auto *s = x->s;
	lt_node sorted[MAX_GROUP];
	struct asked_group q = { .x = x, .member = sorted, .n = x->n, .copied = { -1, NULL },
		.filters = { -1, NULL }, .turned = { -1, NULL } };
	*taken = false;
	s->t->ctx->labour.calls += x->n;
	if (tears_terms(x) || hands_on_more(x))
		return LT_OK;
	memcpy(sorted, x->member, sizeof *sorted * (size_t)x->n);
	lt__auto_sort(sorted, x->n);
	find_touched(x);
	LT_TRY(lt__arena_new(s->t->ctx, &q.a));
	lt_status st = lt__protect(s->t->ctx, ask_body, &q);
	if (st && !lt__is_end(st)) {            /* what cannot be frozen is no group */
		q.why = lt__arena_format(q.a, "%s", lt_context_message(s->t->ctx));
		lt_context_clear(s->t->ctx);
		st = LT_OK;
	}
	if (!st && !q.row && q.why)
		keep_why(x, &q, newest);
	const lt_node turned = q.turned.node >= 0 && s->written[q.turned.node] ? q.turned.node : -1;
	const int64_t gain = st || !q.row ? 0
		: gain_of(x, q.a, q.row, sorted) - lt__copy_cost(s, q.copied.node) - lt__copy_cost(s, turned);
	lt__arena_free(q.a);
	if (st || !q.row)
		return st;
	LT_GROW(s->t->arena, x->option, x->n_option, x->cap_option);
	struct lt_group_option *o = &x->option[x->n_option++];
	*o = (struct lt_group_option){ .name = q.row->name, .seed = x->seed,
		.before = x->n - x->n_behind, .roundings = q.roundings, .added = q.added, .gain = gain,
		.product = q.row->pattern == LT_PATTERN_PRODUCT, .copied = { q.copied, q.filters }, .turned = q.turned,
		.member = LT_NEW(s->t->arena, lt_node, x->n + 1), .again = LT_NEW(s->t->arena, lt_node, x->n + 1) };
	for (int32_t i = 0; i < x->n; i++) {
		if (x->again[sorted[i]])
			o->again[o->n_again++] = sorted[i];
		else
			o->member[o->n++] = sorted[i];
		x->fits[sorted[i]] = true;
	}
	*taken = true;
	return LT_OK;
}

bool lt__is_positional(const struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *leaf = lt__has_leaf(s->g, n) ? s->t->leaf[n] : NULL;
	for (int32_t k = 0; leaf && k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
			if (leaf->read[k].piece[p].base >= 0)
				return false;
	return leaf;
}

/* Whether a value is made of positions along dims that the other does not have, and of numbers.  *any: of one. */
static bool numbers_other_dims(const struct lt_auto *s, lt_node n, lt_node other, bool *any)
{
	const struct lt_nodedef *d = &s->g->node[n];
	if (d->op == LT_OP_index || d->op == LT_OP_view) {
		lt_node from = n;
		while (s->g->node[from].op == LT_OP_view)
			from = s->g->node[from].operand[0];
		*any = *any || s->g->node[from].op == LT_OP_index;
		for (int32_t i = 0; s->g->node[from].op == LT_OP_index && i < d->n_dim; i++)
			if (s->g->var[d->dim[i]].extent > 1 && lt__has_dim(s->g, other, d->dim[i]))
				return false;
		return s->g->node[from].op == LT_OP_index || s->g->node[from].op == LT_OP_lit;
	}
	for (int32_t k = 0; k < d->n_operand && lt__is_positional(s, n); k++)
		if (!numbers_other_dims(s, d->operand[k], other, any))
			return false;
	return d->op == LT_OP_lit || lt__is_positional(s, n);
}

static bool may_be_length(enum lt_dtype t) { return t == LT_I32 || t == LT_I64; }

bool lt__compares_length(const struct lt_auto *s, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[n];
	if (d->reduce || !lt__has_leaf(s->g, n) || (d->op != LT_OP_less && d->op != LT_OP_lessequal && d->op != LT_OP_greater
		&& d->op != LT_OP_greaterequal))
		return false;
	for (int32_t k = 0; k < 2; k++) {
		bool any = false;
		if (may_be_length(s->g->node[d->operand[k]].dtype)
			&& numbers_other_dims(s, d->operand[1 - k], d->operand[k], &any) && any)
			return true;
	}
	return false;
}

/* Marks leaves that have one reader, and are made of positions and numbers by such leaves alone, or compare them with a
 * length: trees of them. */
static void find_positional(struct growing *x)
{
	const struct lt_auto *s = x->s;
	for (lt_node n = 0; n < s->g->n_node; n++) {
		const struct lt_leaf *leaf = lt__has_leaf(s->g, n) ? s->t->leaf[n] : NULL;
		bool all = leaf && s->n_reader[n] == 1;
		for (int32_t k = 0; all && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				all = all && (leaf->read[k].piece[p].base < 0 || x->positional[leaf->read[k].piece[p].base]
					|| (may_be_length(s->g->node[leaf->read[k].piece[p].base].dtype) && lt__compares_length(s, n)));
		x->positional[n] = all;
	}
}

static void find_pinned(struct growing *x)
{
	const struct lt_graph *g = x->s->g;
	for (lt_node n = g->n_node; n-- > 0;)
		for (int32_t k = 0; g->node[n].op == LT_OP_view && k < g->node[n].n_operand; k++)
			x->pinned[g->node[n].operand[k]] |= x->pinned[n] || x->s->written[n];
}

/* A leaf that may be in the group, and the terms that it adds up; what it alone reads of positions. */
static void put_with_terms(struct growing *x, lt_node n)
{
	const struct lt_leaf *leaf = x->s->t->leaf[n];
	put_in(x, n);
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			lt_node base = leaf->read[k].piece[p].base;
			if (base < 0 || x->s->reader[base] != n || !may_be_in(x, base))
				continue;
			if (is_term(x->s, base))
				put_in(x, base);
			else if (x->positional[base])
				put_with_terms(x, base);
		}
}

static void take_out_to(struct growing *x, int32_t n)
{
	while (x->n > n)
		take_out(x);
}

/* Asks with the casts before it that a routine may leave out, without which a row of halves alone takes nothing; then
 * with those of factors, as a row has it that reads everything else in the type of a wider result; then without them.
 * The members that are not taken are out again. */
static lt_status try_with_casts(struct growing *x, lt_node newest, bool *taken)
{
	const int32_t n = x->n;
	int32_t last = -1;
	*taken = false;
	for (int pass = 0; pass < 3 && !*taken && last != n; pass++) {
		const enum put_before which = pass ? CASTS_OF_TERMS : CASTS_BEFORE;
		take_out_to(x, n);
		for (lt_node cast; pass < 2 && (cast = next_before(x, which)) >= 0;)
			put_in(x, cast);
		if (x->n == last)
			continue;
		last = x->n;
		LT_TRY(try_group(x, newest, taken));
	}
	return LT_OK;
}

/* What a leaf rounds to fewer bytes, if only that reads it; -1: it does something else. */
static lt_node rounded_by(const struct growing *x, lt_node n)
{
	const struct lt_nodedef *d = &x->s->g->node[n];
	const struct lt_leaf *leaf = x->s->t->leaf[n];
	if (d->op != LT_OP_cast || lt__may_be_left_out(x->s->g, n) || leaf->read[0].n_piece != 1)
		return -1;
	const lt_node base = leaf->read[0].piece[0].base;
	return base >= 0 && x->s->n_reader[base] == 1 && may_be_in(x, base) ? base : -1;
}

/* What is before the group, as long as that is taken: a rounding with what it rounds, if it is not by itself. */
static lt_status grow_before(struct growing *x)
{
	x->n_try++;
	for (lt_node n; (n = next_before(x, ANY_BEFORE)) >= 0;) {
		const int32_t before = x->n;
		bool taken = false;
		for (lt_node next = n; next >= 0 && !taken; next = rounded_by(x, next)) {
			put_with_terms(x, next);
			LT_TRY(try_with_casts(x, n, &taken));
		}
		if (taken)
			continue;
		x->passed[n] = x->n_try;
		take_out_to(x, before);
	}
	return LT_OK;
}

/* All that grows from a reduction. */
static lt_status grow(struct growing *x, lt_node seed)
{
	bool taken;
	x->seed = seed;
	x->n = x->reductions = 0;
	if (!may_be_in(x, seed))
		return LT_OK;
	for (lt_node newest = seed; newest >= 0; newest = next_behind(x)) {
		put_with_terms(x, newest);
		x->n_behind = x->n;
		LT_TRY(try_with_casts(x, newest, &taken));
		if (taken)
			LT_TRY(grow_before(x));
		take_out_to(x, x->n_behind);
	}
	take_out_to(x, 0);
	return LT_OK;
}

/* -- what becomes of them -- */

static const char *member_names(const struct lt_auto *s, const lt_node *member, int32_t n)
{
	struct lt_text x = { .arena = s->t->arena };
	for (int32_t i = 0; i < n; i++)
		lt__text_format(&x, "%s%%%s", i ? ", " : "", s->g->node[member[i]].name);
	return x.at;
}

/* With what is computed again. */
static const char *all_names(const struct lt_auto *s, const struct lt_group_option *o)
{
	lt_node *all = LT_NEW(s->t->arena, lt_node, o->n + o->n_again + 1);
	memcpy(all, o->member, sizeof *all * (size_t)o->n);
	memcpy(all + o->n, o->again, sizeof *all * (size_t)o->n_again);
	lt__auto_sort(all, o->n + o->n_again);
	return member_names(s, all, o->n + o->n_again);
}

/* What a term of the group reads as a wider cast from outside, so that the call is one of the wider type; -1. */
static lt_node widened_before(const struct lt_auto *s, const struct lt_group_option *o)
{
	for (int32_t i = 0; i < o->n; i++) {
		const struct lt_leaf *leaf = is_term(s, o->member[i]) ? s->t->leaf[o->member[i]] : NULL;
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				const lt_node base = leaf->read[k].piece[p].base;
				const struct lt_nodedef *d = base < 0 || s->constant[base] ? NULL : &s->g->node[base];
				if (d && d->op == LT_OP_cast && !lt__has(o->member, o->n, base) && !lt__has(o->again, o->n_again, base)
					&& lt__dtype_info(s->g->node[d->operand[0]].dtype)->bytes < lt__dtype_info(d->dtype)->bytes)
					return base;
			}
	}
	return -1;
}

static const char *explain_widened(const struct lt_auto *s, const struct lt_group_option *o)
{
	const lt_node cast = widened_before(s, o);
	if (cast < 0)
		return "";
	const struct lt_nodedef *d = &s->g->node[cast];
	const char *joins = s->t->leaf[cast]->read[0].n_piece > 1
		? ", since that joins several values; materialize it, and group them" : "";
	return lt__arena_format(s->t->arena, ", and which multiplies %s, as %%%s is a cast of %s outside of it%s",
		lt__dtype_info(d->dtype)->name, d->name, lt__dtype_info(s->g->node[d->operand[0]].dtype)->name, joins);
}

static const char *order_text(const struct lt_auto *s, const struct lt_group_copy *of)
{
	const struct lt_nodedef *d = &s->g->node[of->node];
	struct lt_text x = { .arena = s->t->arena };
	lt__text_format(&x, "%%%s in the order [", d->name);
	for (int32_t k = 0; k < d->n_dim; k++)
		lt__text_format(&x, "%s%s", k ? " " : "", s->g->var[d->dim[of->order[k]]].name);
	lt__text_format(&x, "]");
	return x.at;
}

static void explain_group(struct lt_auto *s, const struct lt_group_option *o)
{
	struct lt_arena *a = s->t->arena;
	const char *roundings = o->roundings ? lt__arena_format(a, ", and in which %d rounding%s left out", (int)o->roundings,
		o->roundings == 1 ? " is" : "s are") : "";
	const char *added = o->added ? ", and which may round the probabilities, which the graph does not" : "";
	const char *copied = "";
	for (int i = 0; i < 2; i++) {
		const struct lt_group_copy *copy = &o->copied[i];
		copied = copy->node < 0 ? copied : lt__arena_format(a, "%s, and which reads a copy of %s%s", copied,
			order_text(s, copy), i == FILTERS ? ", made once" : "");
	}
	if (o->turned.node >= 0)
		copied = lt__arena_format(a, "%s, and which writes %s%s", copied, order_text(s, &o->turned),
			s->written[o->turned.node] ? ", which a copy turns" : "");
	lt__auto_group_because(s, o->seed, lt__arena_format(a, "tree: a call of %s for the group %s, whose leaves hand on "
		"%lld bytes%s%s%s%s", o->name, all_names(s, o), (long long)o->gain, roundings, added, copied,
		explain_widened(s, o)));
	for (int32_t i = 0; i < o->n; i++)
		if (o->member[i] != o->seed)
			lt__auto_group_because(s, o->member[i], lt__arena_format(s->t->arena, "tree: in the group of %%%s, a call of %s",
				s->g->node[o->seed].name, o->name));
}

static void explain_refused(struct lt_auto *s, const struct refused_group *o)
{
	lt__auto_group_because(s, o->seed, lt__arena_format(s->t->arena, "tree: a call of %s for the group %s was refused: %s",
		o->name, member_names(s, o->member, o->n), o->why));
}

static void explain_none(struct growing *x, lt_node n)
{
	struct lt_auto *s = x->s;
	const char *why = x->fits[n] ? "other groups, which it would overlap, gain as much or more"
		: x->why[n] ? x->why[n] : "it is beside no group that a routine takes as a whole";
	lt__auto_group_because(s, n, lt__arena_format(s->t->arena, "tree: in no group: %s", why));
}

lt_status lt__auto_groups(struct lt_auto *s, struct lt_group_option **option, int32_t *n_option)
{
	struct lt_arena *a = s->t->arena;
	const int32_t n_node = s->g->n_node + 1;
	struct growing *x = NULL;
	*option = NULL;
	*n_option = 0;
	for (lt_node n = 0; n < s->g->n_node; n++) {
		lt__auto_aim(s, n);
		if (!s->g->node[n].reduce || !lt__has_leaf(s->g, n) || !has_graph_rows(s->target))
			continue;
		if (!x) {
			x = LT_NEW(a, struct growing, 1);
			*x = (struct growing){ .s = s, .in = LT_NEW(a, bool, n_node), .again = LT_NEW(a, bool, n_node),
				.pinned = LT_NEW(a, bool, n_node), .n_inside = LT_NEW(a, int32_t, n_node),
				.why = LT_NEW(a, const char *, n_node), .reach = LT_NEW(a, struct lt_take_reach, n_node),
				.refused_at = LT_NEW(a, int32_t, n_node), .base = s->fallback ? lt__tree_bases(s->t, a) : NULL,
				.fits = LT_NEW(a, bool, n_node), .positional = LT_NEW(a, bool, n_node), .passed = LT_NEW(a, int32_t, n_node),
				.number = LT_NEW(a, int32_t, n_node), .alone = LT_NEW(a, int64_t, n_node) };
			for (lt_node i = 0; i < n_node; i++) {
				x->number[i] = -1;
				x->alone[i] = -1;
			}
			list_readers(x);
			find_positional(x);
			find_pinned(x);
		}
		x->max_reductions = most_reductions(s->target);
		LT_TRY(grow(x, n));
	}
	if (!x)
		return LT_OK;
	lt__group_choose(s, x->option, x->n_option);
	for (int32_t i = 0; i < x->n_refused; i++)
		explain_refused(s, &x->refused[i]);
	for (int32_t i = 0; i < x->n_option; i++)
		if (x->option[i].chosen) {
			explain_group(s, &x->option[i]);
			for (int32_t k = 0; k < x->option[i].n; k++)
				x->in[x->option[i].member[k]] = true;
			for (int32_t k = 0; k < x->option[i].n_again; k++) {
				const lt_node cast = x->option[i].again[k];
				if (!x->in[cast])
					lt__auto_group_because(s, cast, "tree: computed by each group that reads it, from fewer bytes");
				x->in[cast] = true;
			}
		}
	for (lt_node n = 0; n < s->g->n_node; n++) {
		lt__auto_aim(s, n);
		if (lt__has_leaf(s->g, n) && !x->in[n] && has_graph_rows(s->target))
			explain_none(x, n);
	}
	*option = x->option;
	*n_option = x->n_option;
	return LT_OK;
}

static struct lt_memlayout *layout_in(const struct lt_auto *s, lt_node n, const int32_t *order)
{
	const int32_t n_dim = s->g->node[n].n_dim;
	struct lt_digit *digit = LT_NEW(s->t->arena, struct lt_digit, n_dim + 1);
	for (int32_t i = 0; i < n_dim; i++)
		digit[i] = (struct lt_digit){ .dim = order[i], .step = 1 };
	return lt__layout_new(s->t, n_dim, digit, 0);
}

static void add_copy(struct lt_auto *s, struct lt_derived_step *step, int32_t *n, lt_node of)
{
	const char *name = lt__arena_string(s->t->arena, s->g->node[of].name);
	step[(*n)++] = (struct lt_derived_step){ .kind = LT_DERIVED_MATERIALIZE, .of = name,
		.made = lt__derived_name(s->t, lt__arena_format(s->t->arena, "%s.copy", name)) };
}

lt_status lt__auto_copy_read(
	struct lt_auto *s, const struct lt_group_option *option, int32_t n_option, const lt_node **to)
{
	struct lt_derived_step *step = LT_NEW(s->t->arena, struct lt_derived_step, 3 * n_option + 1);
	const int32_t **order = LT_NEW(s->t->arena, const int32_t *, 3 * n_option + 1);
	int32_t n = 0;
	lt_node *moved = LT_NEW(s->t->arena, lt_node, s->g->n_node + 1);
	bool *is_copied = LT_NEW(s->t->arena, bool, s->g->n_node + 1);
	*to = NULL;
	for (int32_t i = 0; i < 2 * n_option; i++) {
		const struct lt_group_copy *copy = &option[i / 2].copied[i % 2];

		if (!option[i / 2].chosen || copy->node < 0 || is_copied[copy->node])
			continue;
		is_copied[copy->node] = true;   /* all read it */
		order[n] = copy->order;
		add_copy(s, step, &n, copy->node);
	}
	for (int32_t i = 0; i < n_option; i++) {
		const struct lt_group_copy *turned = &option[i].turned;

		if (!option[i].chosen || turned->node < 0)
			continue;
		s->t->layout[turned->node] = layout_in(s, turned->node, turned->order);
		order[n] = NULL;                /* the copy is what the graph wants */
		if (s->written[turned->node])
			add_copy(s, step, &n, turned->node);
	}
	if (!n)
		return LT_OK;
	LT_TRY(lt__tree_derive(s->t, step, n, moved));
	s->g = s->t->graph;
	for (int32_t i = 0; i < n; i++) {
		const lt_node copy = lt__tree_node_named(s->t, step[i].made);
		if (order[i])
			s->t->layout[copy] = layout_in(s, copy, order[i]);
	}
	*to = moved;
	return LT_OK;
}

lt_status lt__auto_add_group(struct lt_auto *s, lt_tnode group, const lt_node *member, int32_t n)
{
	return add_leaves(s, s->t, NULL, group, member, n);
}
