/* What the exact check asks about: the touches of one value in one root nest, as plain numbers. */
#include "looptree/legality/depend.h"

struct lt_order { int64_t *position, *reset; };    /* among siblings: by tree node; by graph node */

static void number_siblings(const struct lt_looptree *t, lt_tnode first, const int64_t *n_reset, int64_t *position)
{
	int64_t next = 0;
	for (lt_tnode at = first; at >= 0; at = t->node[at].next) {
		next += n_reset[at];
		position[at] = next++;
	}
}

static lt_tnode resets_at(const struct lt_looptree *t, lt_node n)
{
	return t->leaf_of[n] >= 0 && t->graph->node[n].reduce ? lt__reducing_loop(t, n) : -1;
}

/* The resets of a loop are before it, in the order of their nodes. */
struct lt_order *lt__depend_order(const struct lt_looptree *t, struct lt_arena *a)
{
	const struct lt_graph *g = t->graph;
	struct lt_order *o = LT_NEW(a, struct lt_order, 1);
	int64_t *n_reset = LT_NEW(a, int64_t, t->n_node + 1);
	o->position = LT_NEW(a, int64_t, t->n_node + 1);
	o->reset = LT_NEW(a, int64_t, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++) {
		lt_tnode loop = resets_at(t, n);
		if (loop >= 0)
			o->reset[n] = n_reset[loop]++;
	}
	number_siblings(t, t->root, n_reset, o->position);
	for (lt_tnode at = 0; at < t->n_node; at++)
		number_siblings(t, t->node[at].child, n_reset, o->position);
	for (lt_node n = 0; n < g->n_node; n++) {
		lt_tnode loop = resets_at(t, n);
		if (loop >= 0)
			o->reset[n] += o->position[loop] - n_reset[loop];
	}
	return o;
}

struct ask {
	struct lt_looptree *t;
	const struct lt_order *order;
	struct lt_arena *a;
	struct lt_question *q;
	lt_tnode reducing;
};

static void record_param(struct ask *k, lt_param p)
{
	struct lt_question *q = k->q;
	for (int32_t i = 0; i < q->n_param; i++)
		if (q->param[i] == p)
			return;
	q->param[q->n_param++] = p;
}

static void report_limit(struct ask *k, const struct lt_linear *l)
{
	for (int32_t i = 0; l && i < l->n; i++)
		record_param(k, l->param[i]);
}

static void record_map(struct ask *k, const struct lt_map *m)
{
	for (int32_t i = 0; i < m->n_param; i++)
		record_param(k, m->param[i]);
}

/* Path from the root to `at`, itself included; the number of its nodes. */
static int32_t path_to(const struct lt_looptree *t, lt_tnode at, lt_tnode *out)
{
	int32_t n = 0;
	for (lt_tnode up = at; up >= 0; up = t->node[up].parent)
		n++;
	int32_t i = n;
	for (lt_tnode up = at; out && up >= 0; up = t->node[up].parent)
		out[--i] = up;
	return n;
}

static void add_counter(struct ask *k, struct lt_touch *x, lt_tnode at, lt_tnode loop)
{
	const struct lt_tnodedef *d = &k->t->node[at];
	const struct lt_vardef *v = &k->t->graph->var[d->var];
	report_limit(k, v->bounded ? &v->limit : NULL);
	x->when[x->n_when++] = (struct lt_when){ x->n_counter, 0 };
	x->counter[x->n_counter++] = (struct lt_counter){ loop, d->var, d->step };
	/* A loop of a reset that is a dim of a partial sum counts that dim: nothing around the reset counts the reduced
	 * var. */
	int32_t column = loop < 0 ? lt__loop_column(k->t, x->leaf, at) : -1;
	if (column >= 0 && x->leaf->var[column] != d->var)
		x->counter[x->n_counter - 1] = (struct lt_counter){ loop, x->leaf->var[column],
			lt__var_step(k->t->graph, x->leaf->var[column], d->var, d->step) };
}

static void add_position(struct lt_touch *x, int64_t position)
{
	x->when[x->n_when++] = (struct lt_when){ -1, position };
}


/* Counters and time of a touch inside `path`: places and iterations in turn (a group: its one iteration). */
static void add_path(struct ask *k, struct lt_touch *x, const lt_tnode *path, int32_t n)
{
	const struct lt_looptree *t = k->t;
	lt_tnode owner = t->scope[k->q->value].owner;
	bool local = !t->scope[k->q->value].whole && owner >= 0, outer = k->reducing >= 0;
	for (int32_t i = 0; i < n; i++) {
		add_position(x, k->order->position[path[i]]);
		if (path[i] == k->reducing) {
			x->n_outer = x->n_counter;
			outer = false;
		}
		if (t->node[path[i]].kind == LT_TLOOP)
			add_counter(k, x, path[i], path[i]);
		else if (t->node[path[i]].kind == LT_TGROUP)
			add_position(x, 0);
		if (local && path[i] == owner)
			x->n_owned = x->n_counter;
	}
	if (outer)
		x->n_outer = x->n_counter;
}

static struct lt_touch *add_touch(struct ask *k, enum lt_touch_kind kind, lt_node n)
{
	struct lt_question *q = k->q;
	int32_t cap = path_to(k->t, k->t->leaf_of[n], NULL) + 1;
	LT_GROW(k->a, q->touch, q->n_touch, q->cap_touch);
	struct lt_touch *x = &q->touch[q->n_touch++];
	*x = (struct lt_touch){ .kind = kind, .node = n, .leaf = k->t->leaf[n] };
	x->counter = LT_NEW(k->a, struct lt_counter, cap);
	x->when = LT_NEW(k->a, struct lt_when, 2 * cap + 2);
	return x;
}

static struct lt_touch *add_leaf_touch(struct ask *k, enum lt_touch_kind kind, lt_node n)
{
	lt_tnode leaf = k->t->leaf_of[n], *path = LT_NEW(k->a, lt_tnode, path_to(k->t, leaf, NULL));
	struct lt_touch *x = add_touch(k, kind, n);
	add_path(k, x, path, path_to(k->t, leaf, path));
	return x;
}

/* As freezing makes it: the writer's loops over the result's vars, from the reducing loop inwards, just before that
 * loop. */
static void add_reset(struct ask *k, const struct lt_map *element)
{
	lt_node n = k->q->value;
	lt_tnode leaf = k->t->leaf_of[n], *path = LT_NEW(k->a, lt_tnode, path_to(k->t, leaf, NULL));
	int32_t n_path = path_to(k->t, leaf, path), above = path_to(k->t, k->reducing, NULL) - 1;
	struct lt_touch *x = add_touch(k, LT_TOUCH_RESETS, n);
	x->map = *element;
	add_path(k, x, path, above);
	add_position(x, k->order->reset[n]);
	for (int32_t i = above; i < n_path - 1; i++)
		if (k->t->node[path[i]].kind == LT_TLOOP && !lt__loop_reduces(k->t, n, path[i]))
			add_counter(k, x, path[i], -1);
}

static void add_reads(struct ask *k, lt_node n)
{
	const struct lt_graph *g = k->q->g;
	const struct lt_leaf *leaf = k->t->leaf[n];
	for (int32_t r = 0; r < leaf->n_read; r++)
		for (int32_t p = 0; p < leaf->read[r].n_piece; p++) {
			const struct lt_readpiece *piece = &leaf->read[r].piece[p];
			if (piece->base != k->q->value)
				continue;
			struct lt_touch *x = add_leaf_touch(k, LT_TOUCH_READS, n);
			x->map = piece->map;
			x->n_before = p;
			x->before = leaf->read[r].piece;
			for (int32_t i = 0; i <= p; i++)
				record_map(k, &leaf->read[r].piece[i].map);
			if (leaf->gather && piece->map.n_dim > leaf->n_var) {
				const struct lt_nodedef *from = &g->node[g->node[n].operand[0]];
				x->n_extra = 1;
				x->extra_extent = g->var[from->dim[g->node[n].axis]].extent;
			}
		}
}

/* Which elements the leaf writes: all of a value, of an update those of its part. */
static void fill_written(struct ask *k)
{
	struct lt_question *q = k->q;
	const struct lt_nodedef *d = &q->g->node[q->value];
	const struct lt_leaf *leaf = k->t->leaf[q->value];
	q->low = LT_NEW(k->a, int64_t, d->n_dim + 1);
	q->extent = LT_NEW(k->a, int64_t, d->n_dim + 1);
	q->limit = LT_NEW(k->a, const struct lt_linear *, d->n_dim + 1);
	q->at = LT_NEW(k->a, lt_param, d->n_dim + 1);
	for (int32_t i = 0; i < d->n_dim; i++) {
		bool update = d->op == LT_OP_update;
		const struct lt_vardef *v = &q->g->var[update ? leaf->var[i] : d->dim[i]];
		q->low[i] = update ? d->offset[i] : 0;
		q->at[i] = update ? d->at[i] : -1;
		q->extent[i] = v->extent;
		q->limit[i] = v->bounded ? &v->limit : NULL;
		report_limit(k, q->limit[i]);
		if (q->at[i] >= 0)
			record_param(k, q->at[i]);
	}
}

/* Steps of the loops over a touch's column, outermost first; returns their number. */
static int32_t steps_of(const struct lt_graph *g, const struct lt_touch *x, int32_t column, int64_t *out)
{
	int32_t n = 0;
	for (int32_t i = 0; i < x->n_counter; i++)
		if (lt__var_step(g, x->leaf->var[column], x->counter[i].var, x->counter[i].step))
			out[n++] = lt__var_step(g, x->leaf->var[column], x->counter[i].var, x->counter[i].step);
	return n;
}

static void fill_digits(struct ask *k)
{
	struct lt_question *q = k->q;
	int32_t n_dim = q->g->node[q->value].n_dim, max = 0;
	for (int32_t t = 0; t < q->n_touch; t++) {
		struct lt_touch *x = &q->touch[t];
		max = x->n_counter > max ? x->n_counter : max;
		x->column = LT_NEW(k->a, int32_t, n_dim + 1);
		for (int32_t i = 0; i < n_dim; i++) {
			int32_t c = (x->map.n_dim < x->leaf->n_var + x->leaf->n_trip ? x->map.n_dim : x->leaf->n_var + x->leaf->n_trip) - 1;
			while (c >= 0 && !lt__row_is(&x->map, i, c))
				c--;
			x->column[i] = c;
		}
	}
	int64_t *steps = LT_NEW(k->a, int64_t, 2 * max + 1);
	q->n_digit = LT_NEW(k->a, int32_t, n_dim + 1);
	q->remainder = LT_NEW(k->a, bool, n_dim + 1);
	for (int32_t i = 0; i < n_dim; i++) {
		int32_t n_first = q->touch[0].column[i] < 0 ? 0 : steps_of(q->g, &q->touch[0], q->touch[0].column[i], steps);
		q->n_digit[i] = n_first;
		for (int32_t t = 1; t < q->n_touch; t++) {
			int32_t same = 0,
				n = q->touch[t].column[i] < 0
				? 0
				: steps_of(q->g, &q->touch[t], q->touch[t].column[i], steps + max);
			while (same < n && same < q->n_digit[i] && steps[same] == steps[max + same])
				same++;
			q->remainder[i] = q->remainder[i] || n > same;
			q->n_digit[i] = same;
		}
		q->remainder[i] = q->remainder[i] || n_first > q->n_digit[i];
	}
}

/* The places that all touches share say nothing; all times get one length, and what is read comes before what is
 * written in the same instance. */
static void align_times(struct ask *k)
{
	struct lt_question *q = k->q;
	int32_t max = 0, n = 0;
	for (int32_t i = 0; i < q->n_touch; i++)
		max = q->touch[i].n_when > max ? q->touch[i].n_when : max;
	for (int32_t i = 0; i < q->n_touch; i++) {
		struct lt_touch *x = &q->touch[i];
		struct lt_when *longer = LT_NEW(k->a, struct lt_when, max + 1);
		for (int32_t d = 0; d < max; d++)
			longer[d] = d < x->n_when ? x->when[d] : (struct lt_when){ -1, 0 };
		longer[max] = (struct lt_when){ -1, x->kind == LT_TOUCH_WRITES || x->kind == LT_TOUCH_RESETS };
		x->when = longer;
	}
	for (int32_t d = 0; d <= max; d++) {
		bool same = true;
		const struct lt_when *first = &q->touch[0].when[d];
		for (int32_t i = 0; i < q->n_touch; i++)
			same = same && q->touch[i].when[d].counter < 0 && q->touch[i].when[d].position == first->position;
		for (int32_t i = 0; !same && i < q->n_touch; i++)
			q->touch[i].when[n] = q->touch[i].when[d];
		n += !same;
	}
	for (int32_t i = 0; i < q->n_touch; i++)
		q->touch[i].n_when = n;
}

lt_status lt__depend_question(
	struct lt_looptree *t, const struct lt_order *order, struct lt_arena *a, lt_node n, struct lt_question *out)
{
	const struct lt_leaf *leaf;
	*out = (struct lt_question){
		.g = t->graph, .value = n, .budget = t->budget, .param = LT_NEW(a, lt_param, t->graph->n_param + 1)
	};
	LT_TRY(lt__leaf(t, n, &leaf));
	struct ask k = { t, order, a, out, resets_at(t, n) };
	struct lt_map element;
	lt__leaf_dest(t->graph, a, n, leaf, &element);
	record_map(&k, &element);
	fill_written(&k);
	add_leaf_touch(&k, LT_TOUCH_WRITES, n)->map = element;
	if (k.reducing >= 0) {
		add_reset(&k, &element);
		add_leaf_touch(&k, LT_TOUCH_ADDS, n)->map = element;
	}
	out->n_write = k.reducing >= 0 ? 2 : 1;
	lt_tnode root = lt__root_of(t, t->leaf_of[n]);
	for (lt_tnode at = t->leaf_of[n]; at >= 0 && (at == root || t->node[at].parent >= 0); at = lt_looptree_after(t, at))
		if (t->node[at].kind == LT_TLEAF && t->node[at].leaf != n) {
			LT_TRY(lt__leaf(t, t->node[at].leaf, &leaf));
			add_reads(&k, t->node[at].leaf);
		}
	fill_digits(&k);
	align_times(&k);
	return LT_OK;
}
