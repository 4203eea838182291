/* tools/check_reduce_tree.c -- the texts of the reducer's candidates: a graph, and a loop tree carried over to a smaller graph by names. */
#include <stdlib.h>
#include <string.h>
#include "ir/intern.h"
#include "ir/pass.h"
#include "looptree/layout.h"
#include "looptree/derived.h"
#include "program/program.h"
#include "tools/check_reduce.h"

struct tree_text { char *at; size_t n; bool bad; };

static void text_add(void *text, const char *more, size_t n)
{
	struct tree_text *t = text;
	char *at = t->bad ? NULL : realloc(t->at, t->n + n + 1);
	t->bad = !at;
	if (!at)
		return;
	memcpy(at + t->n, more, n);
	t->n += n;
	at[t->n] = '\0';
	t->at = at;
}

static char *text_end(struct tree_text *t, lt_status st)
{
	if (!st && !t->bad)
		return t->at;
	free(t->at);
	return NULL;
}

char *lt__reduce_text(const struct lt_graph *g)
{
	struct tree_text t = { NULL, 0, false };
	return text_end(&t, lt_graph_print(g, text_add, &t));
}

static char *tree_text(const struct lt_looptree *tree)
{
	struct tree_text t = { NULL, 0, false };
	return text_end(&t, lt_looptree_print(tree, text_add, &t));
}

/* The graph that trees stand over, as a program without passes has it. */
static lt_status reduce_lower(struct lt_context *ctx, const char *text, struct lt_graph **out)
{
	struct lt_graph *g, *live;
	*out = NULL;
	LT_TRY(lt_graph_parse(ctx, text, strlen(text), "graph", &g));
	lt_status st = lt__pass_dead(g, &live);
	lt_graph_free(g);
	LT_TRY(st);
	st = lt__materialize(live, out);
	lt_graph_free(live);
	return st;
}

char *lt__reduce_plain(struct lt_context *ctx, const char *graph)
{
	struct lt_graph *base;
	struct lt_looptree *t;
	char *text = NULL;
	if (reduce_lower(ctx, graph, &base))
		return NULL;
	if (!lt_looptree_auto(base, NULL, &t)) {
		text = tree_text(t);
		lt_looptree_free(t);
	}
	lt_graph_free(base);
	return text;
}

/* A tree on its way from one graph to another. */
struct move {
	const struct lt_looptree *from;
	struct lt_looptree *to;
	bool *alive;                    /* by node of from: it, or a leaf below it, is there in the other graph */
	lt_tnode *at;                   /* by node of from: where what is below it goes */
	int64_t k;
	enum reduce_made made;
	lt_tnode gone;                  /* a loop that is merged with one around it */
};

static lt_var var_named(const struct lt_looptree *t, const char *name)
{
	lt_var v = lt__names_find(t->graph->var_names, name, strlen(name));
	return v >= 0 && v < t->graph->n_var ? v : -1;
}

static lt_node leaf_named(const struct lt_looptree *t, const char *name)
{
	lt_node n = lt__tree_node_named(t, name);
	return n >= 0 && lt__has_leaf(t->graph, n) ? n : -1;
}

static void find_alive(struct move *m)
{
	const struct lt_looptree *t = m->from;
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at))
		if (t->node[at].kind == LT_TLEAF && leaf_named(m->to, t->graph->node[t->node[at].leaf].name) >= 0)
			for (lt_tnode up = at; up >= 0; up = t->node[up].parent)
				m->alive[up] = true;
}

/* One of the own nodes of the tree less. */
static lt_status move_derived(struct move *m)
{
	const struct lt_derived *own = m->from->derived;
	int32_t n = own ? own->n_step : 0;
	if (!n)
		return LT_OK;
	struct lt_derived_step *step = LT_NEW(m->to->arena, struct lt_derived_step, n);
	memcpy(step, own->step, sizeof *step * (size_t)n);
	if (m->k >= 0 && m->k < n) {
		memmove(step + m->k, step + m->k + 1, sizeof *step * (size_t)(n - 1 - m->k));
		m->made = REDUCE_MADE;
		n--;
	}
	m->k = m->k >= own->n_step ? m->k - own->n_step : -1;
	return n ? lt__tree_derive(m->to, step, n, NULL) : LT_OK;
}

enum { CHANGES = 4 };

static lt_tnode around(const struct lt_looptree *t, lt_tnode at)
{
	lt_tnode up = t->node[at].parent;
	while (up >= 0 && (t->node[up].kind != LT_TLOOP || t->node[up].var != t->node[at].var))
		up = t->node[up].parent;
	return up;
}

/* The k-th change, made to a copy of the nodes. */
static void change(struct move *m, struct lt_tnodedef *node)
{
	if (m->k < 0 || m->k / CHANGES >= m->from->n_node) {
		m->made = m->k < 0 ? m->made : REDUCE_NONE;
		return;
	}
	lt_tnode at = (lt_tnode)(m->k / CHANGES), up = around(m->from, at);
	struct lt_tnodedef *d = &node[at];
	struct lt_tnodedef was = *d;
	bool merged = false;
	switch (m->k % CHANGES) {
	case 0:
		d->loop = d->kind == LT_TGROUP ? LT_GROUP : LT_SERIAL;
		d->arg = 0;
		d->call = NULL;
		d->stream = false;
		break;
	case 1:
		d->tail = LT_GUARD;
		d->depth = 0;
		break;
	case 2:
		if (d->kind == LT_TLOOP && up >= 0) {
			node[up].step = d->step;
			m->gone = at;
			merged = true;
		}
		break;
	default:
		d->step = d->kind == LT_TLOOP && d->step > 2 ? 2 : d->step;
		break;
	}
	m->made = merged || memcmp(&was, d, sizeof was) != 0 ? REDUCE_MADE : REDUCE_NOT;
}

/* Steps end at the span that is left of the extent; a tree with own nodes has steps that these name. */
static int64_t step_of(const struct move *m, lt_tnode parent, lt_var v, int64_t step)
{
	int64_t span = m->to->graph->var[v].extent;
	for (lt_tnode up = parent; up >= 0; up = m->to->node[up].parent)
		if (m->to->node[up].kind == LT_TLOOP && m->to->node[up].var == v) {
			span = m->to->node[up].step;
			break;
		}
	return m->from->derived || step <= span ? step : span;
}

static lt_status move_node(struct move *m, const struct lt_tnodedef *d, lt_tnode at)
{
	struct lt_looptree *to = m->to;
	lt_tnode parent = d->parent < 0 ? -1 : m->at[d->parent], made = -1;
	lt_var v = d->kind == LT_TLOOP ? var_named(to, m->from->graph->var[d->var].name) : -1;
	m->at[at] = parent;
	if (!m->alive[at] || at == m->gone || (d->kind == LT_TLOOP && v < 0))
		return LT_OK;
	if (d->kind == LT_TLEAF)
		made = lt_looptree_add_leaf(to, parent, leaf_named(to, m->from->graph->node[d->leaf].name));
	else
		made = d->kind == LT_TGROUP ? lt_looptree_add_group(to, parent) : lt_looptree_add_loop(to, parent, v, step_of(m, parent, v, d->step));
	if (made < 0)
		return LT_EINVAL;
	struct lt_tnodedef *n = &to->node[made];
	n->loop = d->loop;
	n->arg = d->arg;
	n->tail = d->tail;
	n->stream = d->stream;
	n->depth = d->depth;
	n->call = d->call ? lt__arena_string(to->arena, d->call) : NULL;
	m->at[at] = made;
	const struct lt_memlayout *l = d->kind == LT_TLEAF ? m->from->layout[d->leaf] : NULL;
	if (l && m->from->graph->node[d->leaf].n_dim == to->graph->node[n->leaf].n_dim)
		to->layout[n->leaf] = lt__layout_new(to, l->n, l->digit, l->pad);
	return LT_OK;
}

static lt_status move_body(void *arg)
{
	struct move *m = arg;
	const struct lt_looptree *from = m->from;
	LT_TRY(move_derived(m));
	struct lt_tnodedef *node = lt__arena_copy(m->to->arena, from->node, sizeof *node * (size_t)from->n_node);
	m->alive = LT_NEW(m->to->arena, bool, from->n_node + 1);
	m->at = LT_NEW(m->to->arena, lt_tnode, from->n_node + 1);
	find_alive(m);
	change(m, node);
	for (lt_tnode at = lt_looptree_after(from, -1); at >= 0; at = lt_looptree_after(from, at))
		LT_TRY(move_node(m, &node[at], at));
	for (lt_node n = 0; n < m->to->graph->n_node; n++)
		if (lt__has_leaf(m->to->graph, n) && m->to->leaf_of[n] < 0)
			return LT_EILLEGAL;
	m->to->target = from->target;
	return LT_OK;
}

char *lt__reduce_tree(struct lt_context *ctx, const char *from, const char *text, const char *to, int64_t k, enum reduce_made *made)
{
	struct move m = { .k = k, .made = REDUCE_NOT, .gone = -1 };
	struct lt_graph *base = NULL, *other = NULL;
	struct lt_looptree *t = NULL;
	char *out = NULL;
	if (!reduce_lower(ctx, from, &base) && !lt_looptree_parse(base, text, strlen(text), "tree", &t) && !reduce_lower(ctx, to, &other)) {
		m.from = t;
		if (!lt_looptree_new(other, &m.to) && !lt__protect(ctx, move_body, &m) && m.made != REDUCE_NONE
		    && !lt_looptree_finish(m.to))
			out = tree_text(m.to);
	}
	lt_looptree_free(m.to);
	lt_looptree_free(t);
	lt_graph_free(other);
	lt_graph_free(base);
	*made = m.made;
	return out;
}
