/* derived.c -- a tree and its own graph: it takes the graph that further steps make, and what it holds by node
 * follows; new names; the text of a step. */
#include <string.h>
#include "base/names.h"
#include "looptree/derive/derived_graph.h"

struct grow { struct lt_looptree *t; const struct lt_derived_step *step; int32_t n; lt_node *to; int32_t failed; };

static struct lt_derived *new_derived(
	struct lt_looptree *t, struct lt_graph *g, const struct lt_derived_step *step, int32_t n)
{
	int32_t before = t->derived ? t->derived->n_step : 0;
	struct lt_derived *derived = LT_NEW(g->arena, struct lt_derived, 1);
	struct lt_derived_step *all = LT_NEW(g->arena, struct lt_derived_step, before + n + 1);
	for (int32_t i = 0; i < before + n; i++) {
		struct lt_derived_step s = i < before ? t->derived->step[i] : step[i - before];
		s.made = lt__arena_string(g->arena, s.made);
		s.of = lt__arena_string(g->arena, s.of);
		s.reader = s.reader ? lt__arena_string(g->arena, s.reader) : NULL;
		s.var = s.var ? lt__arena_string(g->arena, s.var) : NULL;
		s.dim = s.dim ? lt__arena_string(g->arena, s.dim) : NULL;
		struct lt_derived_move *move = LT_NEW(g->arena, struct lt_derived_move, s.n_move + 1);
		for (int32_t k = 0; k < s.n_move; k++) {
			move[k] = s.move[k];
			move[k].var = lt__arena_string(g->arena, move[k].var);
			move[k].dim = move[k].dim ? lt__arena_string(g->arena, move[k].dim) : NULL;
		}
		s.move = move;
		all[i] = s;
	}
	*derived = (struct lt_derived){ .refs = 1, .graph = g, .n_step = before + n, .step = all };
	return derived;
}

struct graph_change { struct lt_looptree *t; struct lt_derived_batch *b; struct lt_graph *g; };

/* What the tree holds by node goes where its node went. */
static lt_status change_body(void *arg)
{
	struct graph_change *c = arg;
	struct lt_looptree *t = c->t;
	const struct lt_graph *g = c->g;
	const lt_node *to = c->b->to;
	int32_t n = t->graph->n_node;
	struct lt_derived *derived = new_derived(t, c->g, c->b->step, c->b->n);
	struct lt_leaf **leaf = LT_NEW(t->arena, struct lt_leaf *, g->n_node + 1);
	lt_tnode *leaf_of = LT_NEW(t->arena, lt_tnode, g->n_node + 1);
	struct lt_memlayout **layout = LT_NEW(t->arena, struct lt_memlayout *, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++)
		leaf_of[x] = -1;
	for (lt_node x = 0; x < n; x++) {
		if (to[x] < 0)
			continue;
		leaf_of[to[x]] = t->leaf_of[x];
		layout[to[x]] = t->layout[x];
	}
	for (lt_tnode at = 0; at < t->n_node; at++)
		if (t->node[at].kind == LT_TLEAF && t->node[at].leaf >= 0)
			t->node[at].leaf = to[t->node[at].leaf];
	t->leaf_of = leaf_of;
	t->layout = layout;
	t->leaf = leaf;
	t->scope = NULL;
	lt__derived_drop(t->derived);
	t->derived = derived;
	t->graph = g;
	return LT_OK;
}

/* *n: how many of the steps were done; of a failure the step that failed. */
static lt_status derive_batch(
	struct lt_looptree *t, const struct lt_derived_step *step, int32_t *n, lt_node *to, int32_t n_to)
{
	struct lt_derived_batch b = { .in = t->graph, .step = step, .n = *n };
	struct graph_change c = { t, &b, NULL };
	lt_status st = lt__derived_graph(t->arena, &b, &c.g);
	*n = b.now;
	LT_TRY(st);
	st = lt__protect(t->ctx, change_body, &c);
	if (st)
		lt_graph_free(c.g);
	for (int32_t i = 0; !st && to && i < n_to; i++)
		to[i] = to[i] < 0 ? -1 : b.to[to[i]];
	*n = b.n;
	return st;
}

static lt_status grow_body(void *arg)
{
	struct grow *w = arg;
	int32_t n_to = w->t->graph->n_node;
	for (int32_t i = 0; w->to && i < n_to; i++)
		w->to[i] = i;
	for (int32_t done = 0; done < w->n;) {
		int32_t n = w->n - done;
		lt_status st = derive_batch(w->t, w->step + done, &n, w->to, n_to);
		done += n;
		w->failed = done < w->n ? done : w->n - 1;
		LT_TRY(st);
	}
	return LT_OK;
}

lt_status lt__tree_derive_steps(
	struct lt_looptree *t, const struct lt_derived_step *step, int32_t n, lt_node *to, int32_t *failed)
{
	struct grow w = { .t = t, .step = step, .n = n, .to = to };
	struct lt_derived *before = t->derived;
	if (before)
		before->refs++;         /* what the steps name may lie in its graph, which the first of several graphs replaces */
	lt_status st = lt__protect(t->ctx, grow_body, &w);
	lt__derived_drop(before);
	*failed = w.failed;
	return st;
}

lt_status lt__tree_derive(struct lt_looptree *t, const struct lt_derived_step *step, int32_t n, lt_node *to)
{
	int32_t failed;
	return lt__tree_derive_steps(t, step, n, to, &failed);
}

lt_node lt__tree_node_named(const struct lt_looptree *t, const char *name) { return lt__node_named(t->graph, name); }

/* A node that is gone, because its readers read a clone, is still in the graph that the steps begin with, or made by
 * its step. */
static bool is_made(const struct lt_looptree *t, const char *name)
{
	if (lt__node_named(t->base, name) >= 0)
		return true;
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++)
		if (!strcmp(t->derived->step[i].made, name))
			return true;
	return false;
}

const char *lt__derived_name(const struct lt_looptree *t, const char *base)
{
	const char *name = base;
	for (int32_t i = 2; lt__node_named(t->graph, name) >= 0 || is_made(t, name); i++)
		name = lt__arena_format(t->arena, "%s%d", base, (int)i);
	return lt__arena_string(t->arena, name);
}

const char *lt__derived_dim(const struct lt_looptree *t, const char *var, int64_t step)
{
	const char *base = lt__arena_format(t->arena, "%s_%lld", var, (long long)step), *name = base;
	for (int32_t i = 2; lt__names_find(t->graph->var_names, name, strlen(name)) != -1; i++)
		name = lt__arena_format(t->arena, "%s_%d", base, (int)i);
	return name;
}

void lt__derived_text(struct lt_text *x, const struct lt_derived_step *s)
{
	if (s->kind == LT_DERIVED_COPY || s->kind == LT_DERIVED_MATERIALIZE)
		lt__text_format(x, "copy %%%s", s->of);
	else
		lt__text_format(x, "%s %%%s",
			s->kind == LT_DERIVED_WINDOW            ? "window"
				: s->kind == LT_DERIVED_PARTIAL ? "partial"
								: "clone",
			s->of);
	if (s->reader)
		lt__text_format(x, " %s %%%s", s->kind == LT_DERIVED_CLONE_VIEW ? "at" : "for", s->reader);
	for (int32_t i = 0; i < s->n_move; i++) {
		lt__text_format(x, " over %s step %lld", s->move[i].var, (long long)s->move[i].step);
		if (s->move[i].step > 1)
			lt__text_format(x, " as %s", s->move[i].dim);
	}
	if (s->kind == LT_DERIVED_PARTIAL && s->span)
		lt__text_format(x, " over %s step %lld below %lld as %s", s->var, (long long)s->step, (long long)s->span, s->dim);
	else if (s->kind == LT_DERIVED_PARTIAL)
		lt__text_format(x, " over %s step %lld as %s", s->var, (long long)s->step, s->dim);
}

lt_node *lt__tree_bases(const struct lt_looptree *t, struct lt_arena *a)
{
	const struct lt_graph *g = t->graph;
	lt_node *base = LT_NEW(a, lt_node, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		base[n] = !lt__has_leaf(g, n) ? -1 : g == t->base ? n : lt__node_named(t->base, g->node[n].name);
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		const struct lt_derived_step *s = &t->derived->step[i];
		lt_node n = s->kind == LT_DERIVED_MATERIALIZE ? lt__node_named(g, s->made) : -1;
		if (n >= 0)
			base[n] = lt__node_named(t->base, s->of);
	}
	for (lt_node n = g->n_node - 1; n >= 0; n--)
		for (int32_t i = 0; base[n] >= 0 && i < g->node[n].n_operand; i++)
			if (base[g->node[n].operand[i]] < 0)
				base[g->node[n].operand[i]] = base[n];
	return base;
}
