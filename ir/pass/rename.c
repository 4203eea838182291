/* rename.c -- vars that views make equal become one; views that then change nothing are read past.
 *
 * Two vars may become one where no node has both among its loops.  Sets of vars that occur together are merged
 * smaller into larger, so that all merging is n log n.
 */
#include <string.h>
#include "ir/pass/work.h"

struct pairs { uint64_t *slot; uint64_t n_slot, n_used; };      /* 0: free */
struct var_list { lt_var *at; int32_t n, cap; };
struct vars {
	struct lt_rewrite *w;
	lt_var *up;             /* union-find: -1 for a class's root */
	lt_var *chosen;         /* of a root: the var whose name the class keeps */
	struct var_list *neighbour;   /* of a root: vars that are in one node with it */
	struct pairs pairs;     /* the same, to look up */
};

static lt_var root_of(const struct vars *s, lt_var v) { return lt__work_root(s->up, v); }

static uint64_t *slot_of(const struct pairs *p, uint64_t key)
{
	uint64_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (p->n_slot - 1);

	while (p->slot[at] && p->slot[at] != key)
		at = (at + 1) & (p->n_slot - 1);
	return &p->slot[at];
}

static uint64_t pair_key(lt_var a, lt_var b)
{
	return (uint64_t)(a < b ? a : b) << 32 | (uint64_t)((a < b ? b : a) + 1);
}

static bool together(const struct vars *s, lt_var a, lt_var b)
{
	return s->pairs.n_slot && *slot_of(&s->pairs, pair_key(a, b)) != 0;
}

static void add_pair(struct vars *s, uint64_t key)
{
	struct pairs *p = &s->pairs, old = *p;

	if ((p->n_used + 1) * 2 > p->n_slot) {
		p->n_slot = old.n_slot ? old.n_slot * 2 : 64;
		p->slot = LT_NEW(s->w->arena, uint64_t, p->n_slot);
		for (uint64_t i = 0; i < old.n_slot; i++)
			if (old.slot[i])
				*slot_of(p, old.slot[i]) = old.slot[i];
	}
	*slot_of(p, key) = key;
	p->n_used++;
}

static void add_beside(struct vars *s, lt_var a, lt_var b)
{
	struct var_list *l = &s->neighbour[a];

	LT_GROW(s->w->arena, l->at, l->n, l->cap);
	l->at[l->n++] = b;
}

/* a and b, two roots, are in one node. */
static void record_pair(struct vars *s, lt_var a, lt_var b)
{
	if (a == b || together(s, a, b))
		return;
	add_pair(s, pair_key(a, b));
	add_beside(s, a, b);
	add_beside(s, b, a);
}

static bool is_automatic(const char *name)
{
	size_t lead = (name[0] >= 'i' && name[0] <= 'n') || name[0] == 'd';

	return lead && strspn(name + lead, "0123456789") == strlen(name + lead);
}

/* A name that somebody gave is kept rather than one that was made up, then the older one. */
static bool better(const struct lt_graph *g, lt_var a, lt_var b)
{
	bool made_a = is_automatic(g->var[a].name), made_b = is_automatic(g->var[b].name);

	return made_a != made_b ? made_b : a < b;
}

static void join(struct vars *s, lt_var a, lt_var b)
{
	struct var_list *from;

	a = root_of(s, a);
	b = root_of(s, b);
	if (a == b || together(s, a, b) || !lt__var_same_range(s->w->in, a, b))
		return;
	if (s->neighbour[a].n > s->neighbour[b].n) {
		lt_var keep = a;

		a = b;
		b = keep;
	}
	if (better(s->w->in, s->chosen[a], s->chosen[b]))
		s->chosen[b] = s->chosen[a];
	s->up[a] = b;
	from = &s->neighbour[a];
	for (int32_t i = 0; i < from->n; i++)
		record_pair(s, b, root_of(s, from->at[i]));
	s->w->changed = true;
}

/* Every var among the loops of the node, and those of operands that are accessed by position as well. */
static void record_node(struct vars *s, const struct lt_nodedef *n, lt_var **all, int32_t *cap)
{
	bool operands = n->reduce || n->op == LT_OP_gather || n->op == LT_OP_update;
	int32_t count = n->n_dim;

	for (int32_t i = 0; operands && i < n->n_operand; i++)
		count += s->w->node[lt__work_find(s->w, n->operand[i])].n_dim;
	if (count > *cap) {
		*cap = 2 * count;
		*all = LT_NEW(s->w->arena, lt_var, *cap);
	}
	for (count = 0; count < n->n_dim; count++)
		(*all)[count] = n->dim[count];
	for (int32_t i = 0; operands && i < n->n_operand; i++) {
		const struct lt_nodedef *from = &s->w->node[lt__work_find(s->w, n->operand[i])];

		for (int32_t j = 0; j < from->n_dim; j++)
			(*all)[count++] = from->dim[j];
	}
	for (int32_t i = 0; i < count; i++)
		for (int32_t j = 0; j < i; j++)
			record_pair(s, (*all)[i], (*all)[j]);
}

/* A view of one piece that shows its source whole, dim by dim: at[r] is the view's dim for the source's dim r. */
static bool is_rename(struct lt_rewrite *w, const struct lt_nodedef *n, int32_t *at)
{
	const struct lt_nodedef *from;
	const struct lt_map *m;
	bool used[LT_MAX_RANK] = { false };

	if (n->n_piece != 1 || n->piece[0].source < 0 || n->piece[0].map.n_guard || n->piece[0].map.n_row != n->n_dim)
		return false;
	m = &n->piece[0].map;
	from = &w->node[lt__work_find(w, n->operand[n->piece[0].source])];
	for (int32_t r = 0; r < m->n_row; r++) {
		at[r] = lt__work_row_dim(m, r);
		if (at[r] >= 0 && (used[at[r]] || !lt__var_same_range(w->in, n->dim[at[r]], from->dim[r])))
			return false;
		if (at[r] >= 0)
			used[at[r]] = true;
	}
	for (int32_t r = 0; r < m->n_row; r++) {        /* the one position of a dim of extent 1 */
		const int64_t *row = m->row + (size_t)r * (size_t)lt__map_width(m);
		int32_t j = 0;

		if (at[r] >= 0)
			continue;
		for (int32_t c = 0; c < lt__map_width(m); c++)
			if (row[c])
				return false;
		while (j < n->n_dim && (used[j] || !lt__var_same_range(w->in, n->dim[j], from->dim[r])))
			j++;
		if (j == n->n_dim || w->in->var[from->dim[r]].extent != 1)
			return false;
		at[r] = j;
		used[j] = true;
	}
	return true;
}

static void join_renamed(struct vars *s, const struct lt_nodedef *n)
{
	const struct lt_nodedef *from;
	int32_t at[LT_MAX_RANK];

	if (n->op != LT_OP_view || !is_rename(s->w, n, at))
		return;
	from = &s->w->node[lt__work_find(s->w, n->operand[n->piece[0].source])];
	for (int32_t r = 0; r < from->n_dim; r++)
		join(s, from->dim[r], n->dim[at[r]]);
}

/* Dims that a view shows whole though it does something with others. */
static void join_shown(struct vars *s, const struct lt_nodedef *n)
{
	for (int32_t i = 0; n->op == LT_OP_view && i < n->n_piece; i++) {
		const struct lt_map *m = &n->piece[i].map;
		int32_t times[LT_MAX_RANK] = { 0 };

		if (n->piece[i].source < 0)
			continue;
		for (int32_t r = 0; r < m->n_row; r++)
			for (int32_t d = 0; d < m->n_dim; d++)
				times[d] += m->row[(size_t)r * (size_t)lt__map_width(m) + (size_t)(1 + m->n_param + d)] != 0;
		for (int32_t r = 0; r < m->n_row; r++) {
			int32_t d = lt__work_row_dim(m, r);

			if (d >= 0 && times[d] == 1)
				join(s, s->w->node[lt__work_find(s->w, n->operand[n->piece[i].source])].dim[r], n->dim[d]);
		}
	}
}

static void rewrite_dims(struct vars *s, struct lt_nodedef *n)
{
	lt_var *dim;
	bool same = true;

	for (int32_t i = 0; i < n->n_dim; i++)
		same &= s->chosen[root_of(s, n->dim[i])] == n->dim[i];
	if (same)
		return;
	dim = LT_NEW(s->w->arena, lt_var, n->n_dim);
	for (int32_t i = 0; i < n->n_dim; i++)
		dim[i] = s->chosen[root_of(s, n->dim[i])];
	n->dim = dim;
	if (n->op == LT_OP_index)
		n->var = dim[0];
}

void lt__work_join_vars(struct lt_rewrite *w)
{
	struct vars s = { .w = w };
	int32_t n, cap = 0;
	lt_var *all = NULL;
	const lt_node *order = lt__work_order(w, &n);

	s.up = LT_NEW(w->arena, lt_var, w->in->n_var);
	s.chosen = LT_NEW(w->arena, lt_var, w->in->n_var);
	s.neighbour = LT_NEW(w->arena, struct var_list, w->in->n_var);
	for (lt_var v = 0; v < w->in->n_var; v++) {
		s.up[v] = -1;
		s.chosen[v] = v;
	}
	for (int32_t i = 0; i < n; i++)
		record_node(&s, &w->node[order[i]], &all, &cap);
	for (int32_t i = 0; i < n; i++)
		join_renamed(&s, &w->node[order[i]]);
	for (int32_t i = 0; i < n; i++)
		join_shown(&s, &w->node[order[i]]);
	for (int32_t i = 0; i < n; i++)
		rewrite_dims(&s, &w->node[order[i]]);
}

/* -- views that are read past -- */

/* A view that shows its source by var: each element of it is the source's element of the same vars. */
static bool shows_by_var(struct lt_rewrite *w, const struct lt_nodedef *n)
{
	const struct lt_nodedef *from;
	const struct lt_map *m;

	if (n->op != LT_OP_view || n->n_piece != 1 || n->piece[0].source < 0 || n->piece[0].map.n_guard)
		return false;
	m = &n->piece[0].map;
	from = &w->node[lt__work_find(w, n->operand[n->piece[0].source])];
	for (int32_t r = 0; r < m->n_row; r++) {
		int32_t d = lt__work_row_dim(m, r), at = lt__node_axis(n, from->dim[r]);
		bool zero = w->in->var[from->dim[r]].extent == 1;

		for (int32_t c = 0; c < lt__map_width(m) && zero; c++)
			zero = !m->row[(size_t)r * (size_t)lt__map_width(m) + (size_t)c];
		if (at < 0 || (d != at && !zero))
			return false;
	}
	return true;
}

/* Whether operand `at` of n may be one whose dims are in another order (same_set), or that lacks some of them. */
static bool reads_by_var(const struct lt_nodedef *n, bool same_set)
{
	return lt__node_is_pointwise(n) || (same_set && (n->reduce || n->op == LT_OP_gather));
}

static void skip_operands(struct lt_rewrite *w, lt_node x)
{
	struct lt_nodedef *n = &w->node[x];
	lt_node *operand = NULL;

	for (int32_t i = 0; i < n->n_operand; i++) {
		lt_node was = lt__work_find(w, n->operand[i]), now = was;

		while (shows_by_var(w, &w->node[now])) {
			const struct lt_nodedef *view = &w->node[now];
			lt_node source = lt__work_find(w, view->operand[view->piece[0].source]);

			if (!reads_by_var(n, view->n_dim == w->node[source].n_dim))
				break;
			now = source;
		}
		if (now == was)
			continue;
		if (n->op == LT_OP_gather && i == 0)
			n->axis = lt__node_axis(&w->node[now], w->node[was].dim[n->axis]);
		if (!operand)
			operand = lt__arena_copy(w->arena, n->operand, sizeof *operand * (size_t)n->n_operand);
		operand[i] = now;
	}
	if (!operand)
		return;
	lt__work_set_operands(w, x, n->n_operand, operand);
	w->changed = true;
}

void lt__work_skip_views(struct lt_rewrite *w)
{
	int32_t n;
	const lt_node *order = lt__work_order(w, &n);

	for (int32_t i = 0; i < n; i++) {
		const struct lt_nodedef *v = &w->node[order[i]];
		bool same;

		const struct lt_nodedef *from;

		if (!w->readers[order[i]])
			continue;
		skip_operands(w, order[i]);
		if (!shows_by_var(w, v))
			continue;
		from = &w->node[lt__work_find(w, v->operand[v->piece[0].source])];
		same = v->n_dim == from->n_dim;
		for (int32_t d = 0; d < v->n_dim && same; d++)
			same = v->dim[d] == from->dim[d];
		if (same)
			lt__work_alias(w, order[i], v->operand[v->piece[0].source]);
	}
}
