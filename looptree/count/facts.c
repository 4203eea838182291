/* What is computed and touched inside each loop of a tree: operations, and bytes of values that live outside the
 * loop.
 *
 * All are counted with every bounded dim at its maximum.  Useful operations are of the elements that the leaves
 * compute, each once; what really runs (padding, leaves that a loop repeats, clones, sums of partial results) is
 * counted in the frozen tree, count_tree.c.  Bytes count each element once, as far as the accesses show it: those that
 * differ by a constant only make one box, others add up, and no value counts for more than what is held of it.
 */
#include <string.h>
#include "looptree/count/count.h"

/* What is touched of one value within one run of a loop. */
struct leaf_touch {
	lt_tnode loop;
	int32_t next, n_dim;            /* next touch of the same value; -1 */
	uint64_t outer, all;            /* hashes of the part of the access that the loop does not move, and of all of it */
	int64_t *low, *high;            /* of the part that it moves */
	int64_t points;                 /* accesses: no more elements than these */
};
/* The part of a leaf's var that the loops from some point inwards cover. */
/* step of the innermost and of the outermost loop; unit: of the innermost that counts a var of the leaf, 0: none
 * does */
struct fact_cover { lt_var var; int64_t span, step, outer, unit; };

struct tree_facts {
	struct lt_looptree *t;
	struct lt_arena *a;
	struct lt_fact *fact;
	struct leaf_touch *touch; int32_t n_touch, cap_touch;
	int32_t *first;                 /* by node: its first touch in this nest, -1 */
	lt_node *touched; int32_t n_touched, cap_touched;
	struct fact_cover *cover; int32_t n_cover, cap_cover;
	const bool *useful;             /* by node */
	int64_t *sum;                   /* by tree node: elements of the value in hand; 0 */
};

static void mix(uint64_t *h, int64_t x) { *h = (*h ^ (uint64_t)x) * UINT64_C(0x9E3779B97F4A7C15) + (*h >> 29); }

static const struct fact_cover *covered(const struct tree_facts *f, lt_var v)
{
	for (int32_t i = 0; i < f->n_cover; i++)
		if (f->cover[i].var == v)
			return &f->cover[i];
	return NULL;
}

/* Elements of var v that the loops covered so far run over. */
static int64_t span_of(const struct tree_facts *f, lt_var v)
{
	const struct lt_vardef *d = &f->t->graph->var[v];
	const struct fact_cover *at = covered(f, v);
	if (at || !d->unit)
		return at ? at->span : 1;
	at = covered(f, d->of);         /* the iterations of a loop over another var */
	if (!at || at->outer < d->unit)
		return 1;
	int64_t trip_count = (at->span - 1) / d->unit + 1;
	return trip_count < d->extent ? trip_count : d->extent;
}

/* One loop more around the leaf. */
static void cover_loop(struct tree_facts *f, const struct lt_leaf *leaf, lt_tnode loop)
{
	const struct lt_looptree *t = f->t;
	const struct lt_tnodedef *d = &t->node[loop];
	int64_t span = lt__loop_span(t, loop), unit = lt__loop_column(t, leaf, loop) < 0 ? 0 : d->step;
	for (int32_t i = 0; i < f->n_cover; i++)
		if (f->cover[i].var == d->var) {
			f->cover[i].span = span;
			f->cover[i].outer = d->step;
			f->cover[i].unit = f->cover[i].unit ? f->cover[i].unit : unit;
			return;
		}
	LT_GROW(f->a, f->cover, f->n_cover, f->cap_cover);
	f->cover[f->n_cover++] = (struct fact_cover){ d->var, span, d->step, d->step, unit };
}

static int64_t runs_of(const struct tree_facts *f)
{
	int64_t runs = 1;
	for (int32_t i = 0; i < f->n_cover; i++)
		runs = lt__mul_sat(runs, (f->cover[i].span - 1) / f->cover[i].step + 1);
	return runs;
}

/* Elements that the leaf computes. */
static int64_t elems_computed(const struct tree_facts *f)
{
	int64_t elems = 1;
	for (int32_t i = 0; i < f->n_cover; i++)
		if (f->cover[i].unit)
			elems = lt__mul_sat(elems, (f->cover[i].span - 1) / f->cover[i].unit + 1);
	return elems;
}

/* What an access moves over: of column c of a leaf's map (its own vars, then a gathered axis). */
struct leaf_columns { const struct lt_leaf *leaf; int64_t gathered; };

static int64_t reach_of(
	const struct tree_facts *f, const struct leaf_columns *c, int32_t column, lt_tnode loop, bool *moves_outside)
{
	if (column >= c->leaf->n_var + c->leaf->n_trip)
		return c->gathered;
	for (lt_tnode up = f->t->node[loop].parent; up >= 0 && !*moves_outside; up = f->t->node[up].parent)
		*moves_outside = f->t->node[up].kind == LT_TLOOP
			&& lt__var_step(f->t->graph, c->leaf->var[column], f->t->node[up].var, f->t->node[up].step);
	return span_of(f, c->leaf->var[column]);
}

/* Range of a row over what is covered; what the loops outside and the params give goes into *outer. */
static void row_range(const struct tree_facts *f, const struct leaf_columns *c, const struct lt_map *m,
	const int64_t *row, lt_tnode loop, const int64_t *div_size, int64_t *low, int64_t *high, uint64_t *outer)
{
	*low = *high = row[0];
	for (int32_t i = 0; i < m->n_param; i++)
		if (row[1 + i]) {
			mix(outer, -1 - m->param[i]);
			mix(outer, row[1 + i]);
		}
	for (int32_t i = 0; i < m->n_dim + m->n_div; i++) {
		int64_t coef = row[1 + m->n_param + i], size;
		bool outside = false;
		if (!coef)
			continue;
		size = i < m->n_dim ? reach_of(f, c, i, loop, &outside) - 1 : div_size[i - m->n_dim];
		if (outside) {
			mix(outer, i < c->leaf->n_var + c->leaf->n_trip ? c->leaf->var[i] : -1);
			mix(outer, coef);
		}
		size = lt__mul_sat(coef < 0 ? (coef == INT64_MIN ? INT64_MAX : -coef) : coef, size);
		if (coef < 0)
			*low = size > INT64_MAX - 1 || *low < INT64_MIN + size ? INT64_MIN / 2 : *low - size;
		else
			*high = lt__add_sat(*high, size);
	}
}

static uint64_t hash_map(const struct leaf_columns *c, const struct lt_map *m)
{
	uint64_t h = 1;
	int32_t width = lt__map_width(m);
	for (int32_t i = 0; i < c->leaf->n_var + c->leaf->n_trip; i++)
		mix(&h, c->leaf->var[i]);
	for (int32_t i = 0; i < m->n_param; i++)
		mix(&h, m->param[i]);
	for (int64_t i = 0; i < (int64_t)m->n_div * (1 + width); i++)
		mix(&h, m->div[i]);
	for (int64_t i = 0; i < (int64_t)m->n_row * width; i++)
		mix(&h, m->row[i]);
	return h;
}

/* Sizes of the ranges of the map's divisions. */
static int64_t *div_sizes(
	const struct tree_facts *f, const struct leaf_columns *c, const struct lt_map *m, lt_tnode loop)
{
	int64_t *size = LT_NEW(f->a, int64_t, m->n_div + 1), low, high;
	uint64_t ignored = 0;
	int32_t width = lt__map_width(m);
	for (int32_t i = 0; i < m->n_div; i++) {
		const int64_t *div = m->div + (int64_t)i * (1 + width);
		row_range(f, c, m, div + 1, loop, size, &low, &high, &ignored);
		uint64_t range = (uint64_t)high - (uint64_t)low, den = (uint64_t)div[0], n = range / den + (range % den != 0);
		size[i] = n < INT64_MAX ? (int64_t)n : INT64_MAX;
	}
	return size;
}

/* Whether the value lives outside the loop: one iteration of it finds what another has left. */
static bool lives_outside(const struct lt_looptree *t, lt_node base, lt_tnode loop)
{
	if (t->leaf_of[base] < 0 || t->scope[base].whole)
		return true;
	lt_tnode owner = t->scope[base].owner;
	return owner >= 0 ? lt__is_above(t, owner, loop) : t->node[loop].kind == LT_TLOOP;
}

static void add_touch(struct tree_facts *f, lt_node base, const struct lt_leaf *leaf, const struct lt_map *m,
	int64_t gathered, lt_tnode loop)
{
	struct leaf_columns c = { .leaf = leaf, .gathered = gathered };
	struct leaf_touch x = { .loop = loop,
		.next = -1,
		.n_dim = m->n_row,
		.outer = 2,
		.all = hash_map(&c, m),
		.points = runs_of(f),
		.low = LT_NEW(f->a, int64_t, m->n_row + 1),
		.high = LT_NEW(f->a, int64_t, m->n_row + 1) };
	const int64_t *size = div_sizes(f, &c, m, loop);
	int32_t width = lt__map_width(m);
	for (int32_t i = 0; i < m->n_row; i++, mix(&x.outer, i))
		row_range(f, &c, m, m->row + (int64_t)i * width, loop, size, &x.low[i], &x.high[i], &x.outer);
	if (m->n_div > 0)
		x.outer = x.all;        /* a box of its own: where a division begins is not known */
	for (int32_t at = f->first[base]; at >= 0; at = f->touch[at].next) {
		struct leaf_touch *y = &f->touch[at];
		if (y->loop != loop || y->outer != x.outer || y->n_dim != x.n_dim)
			continue;
		for (int32_t i = 0; i < x.n_dim; i++) {
			y->low[i] = x.low[i] < y->low[i] ? x.low[i] : y->low[i];
			y->high[i] = x.high[i] > y->high[i] ? x.high[i] : y->high[i];
		}
		y->points = y->all == x.all ? (x.points > y->points ? x.points : y->points) : lt__add_sat(x.points, y->points);
		return;
	}
	if (f->first[base] < 0) {
		LT_GROW(f->a, f->touched, f->n_touched, f->cap_touched);
		f->touched[f->n_touched++] = base;
	}
	LT_GROW(f->a, f->touch, f->n_touch, f->cap_touch);
	x.next = f->first[base];
	f->first[base] = f->n_touch;
	f->touch[f->n_touch++] = x;
}

static void add_loop(
	struct tree_facts *f, lt_node n, const struct lt_leaf *leaf, const struct lt_map *written, lt_tnode loop)
{
	const struct lt_looptree *t = f->t;
	const struct lt_nodedef *d = &t->graph->node[n];
	if (f->useful[n] && lt__op_counts(d->op))
		f->fact[loop].flops = lt__add_sat(f->fact[loop].flops, elems_computed(f));
	if (lives_outside(t, n, loop))
		add_touch(f, n, leaf, written, 1, loop);
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			const struct lt_readpiece *r = &leaf->read[k].piece[p];
			const struct lt_nodedef *x = &t->graph->node[d->operand[0]];
			if (r->kind == LT_PIECE_READ && lives_outside(t, r->base, loop))
				add_touch(f, r->base, leaf, &r->map, leaf->gather ? t->graph->var[x->dim[d->axis]].extent : 1, loop);
		}
}

/* What is held of a value. */
static int64_t held(const struct lt_looptree *t, lt_node n)
{
	int64_t elems = 1;
	for (int32_t i = 0; i < t->graph->node[n].n_dim; i++)
		elems = lt__mul_sat(elems,
			t->leaf_of[n] >= 0 ? t->scope[n].extent[i] : t->graph->var[t->graph->node[n].dim[i]].extent);
	return elems;
}

static int64_t elems_of(const struct tree_facts *f, lt_node n, const struct leaf_touch *x)
{
	const struct lt_nodedef *d = &f->t->graph->node[n];
	int64_t box = 1;
	for (int32_t i = 0; i < x->n_dim; i++) {
		int64_t extent = f->t->graph->var[d->dim[i]].extent;
		uint64_t range = (uint64_t)x->high[i] - (uint64_t)x->low[i];
		box = lt__mul_sat(box, range < (uint64_t)extent ? (int64_t)range + 1 : extent);
	}
	return box < x->points ? box : x->points;
}

/* Sums up the nest in hand, and forgets it. */
static void finish_nest(struct tree_facts *f)
{
	for (int32_t i = 0; i < f->n_touched; i++) {
		lt_node n = f->touched[i];
		int64_t max = held(f->t, n), bytes = lt__dtype_info(f->t->graph->node[n].dtype)->bytes;
		for (int32_t at = f->first[n]; at >= 0; at = f->touch[at].next)
			f->sum[f->touch[at].loop] = lt__add_sat(f->sum[f->touch[at].loop], elems_of(f, n, &f->touch[at]));
		for (int32_t at = f->first[n]; at >= 0; at = f->touch[at].next) {
			int64_t *sum = &f->sum[f->touch[at].loop], *to = &f->fact[f->touch[at].loop].bytes;
			*to = lt__add_sat(*to, lt__mul_sat(*sum < max ? *sum : max, bytes));
			*sum = 0;
		}
		f->first[n] = -1;
	}
	f->n_touched = f->n_touch = 0;
}

/* What cannot be frozen is refused, with its reason, when it is to run; here the context keeps its message. */
static lt_status count_quietly(struct lt_looptree *t, struct lt_arena *a, int64_t *executed, bool *counted)
{
	struct lt_context *ctx = t->ctx;
	lt_status code = ctx->code;
	const char *message = lt__arena_string(a, ctx->message);
	lt_status st = lt__count_tree(t, a, executed, NULL);
	*counted = !st;
	if (!st || lt__is_end(st))
		return st;
	ctx->code = code;
	(void)snprintf(ctx->message, sizeof ctx->message, "%s", message);
	return LT_OK;
}

lt_status lt__fill_facts(struct lt_looptree *t, struct lt_arena *a, struct lt_fact *fact)
{
	struct tree_facts f = { .t = t, .a = a, .fact = fact, .first = LT_NEW(a, int32_t, t->graph->n_node + 1),
		.sum = LT_NEW(a, int64_t, t->n_node + 1), .useful = lt__useful_leaves(t, a) };
	int64_t *executed = LT_NEW(a, int64_t, t->n_node + 1);
	bool counted;
	lt_tnode root = -1;
	LT_TRY(count_quietly(t, a, executed, &counted));
	for (lt_node n = 0; n < t->graph->n_node; n++)
		f.first[n] = -1;
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at)) {
		const struct lt_leaf *leaf;
		lt_node n = t->node[at].leaf;
		LT_TRY(lt__leaf(t, n, &leaf));
		if (lt__root_of(t, at) != root)
			finish_nest(&f);
		root = lt__root_of(t, at);
		f.n_cover = 0;
		struct lt_map written;
		lt__leaf_dest(t->graph, a, n, leaf, &written);
		for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent) {
			if (t->node[up].kind == LT_TLOOP)
				cover_loop(&f, leaf, up);
			add_loop(&f, n, leaf, &written, up);
		}
	}
	finish_nest(&f);
	for (lt_tnode at = 0; at < t->n_node; at++)
		fact[at].executed = counted ? executed[at] : -1;
	return LT_OK;
}
