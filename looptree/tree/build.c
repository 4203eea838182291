/* A loop tree is made: node by node, each as the last child of its parent; legality/finish.c checks the whole. */
#include "looptree/tree/tree.h"

struct make { const struct lt_graph *graph; struct lt_looptree **out; };

static lt_status make_body(void *arg)
{
	struct make *m = arg;
	struct lt_arena *a;
	LT_TRY(lt__arena_new(m->graph->ctx, &a));
	/* The arena is the tree's from here on: a failure below must free it. */
	struct lt_looptree *t = lt__context_realloc(m->graph->ctx, NULL, 0, sizeof *t);
	if (!t) {
		lt__arena_free(a);
		return lt_fail(m->graph->ctx, LT_ENOMEM, "out of memory");
	}
	*t = (struct lt_looptree){
		.ctx = m->graph->ctx, .arena = a, .graph = m->graph, .base = m->graph, .root = -1, .last_root = -1
	};
	*m->out = t;
	t->failed = LT_NEW(a, lt_tnode, 1);
	*t->failed = -1;
	t->clash = LT_NEW(a, struct lt_clash, 1);
	t->leaf_of = LT_NEW(a, lt_tnode, m->graph->n_node + 1);
	t->leaf = LT_NEW(a, struct lt_leaf *, m->graph->n_node + 1);
	t->layout = LT_NEW(a, struct lt_memlayout *, m->graph->n_node + 1);
	for (int32_t i = 0; i < m->graph->n_node; i++)
		t->leaf_of[i] = -1;
	return LT_OK;
}

lt_status lt_looptree_new(const struct lt_graph *g, struct lt_looptree **out)
{
	*out = NULL;
	struct make m = { g, out };
	lt_status st = lt__protect(g->ctx, make_body, &m);
	if (st) {
		lt_looptree_free(*out);
		*out = NULL;
	}
	return st;
}

void lt__derived_share(struct lt_looptree *t, const struct lt_looptree *from)
{
	t->base = from->base;
	t->derived = from->derived;
	if (t->derived)
		t->derived->refs++;
}

void lt__derived_drop(struct lt_derived *d)
{
	if (d && --d->refs == 0)
		lt_graph_free(d->graph);        /* the list lies in its arena */
}

void lt_looptree_free(struct lt_looptree *t)
{
	if (!t)
		return;
	struct lt_context *ctx = t->ctx;
	lt__derived_drop(t->derived);
	lt__arena_free(t->arena);
	lt__context_realloc(ctx, t, sizeof *t, 0);
}

struct add { struct lt_looptree *t; struct lt_tnodedef def; lt_tnode at; };

static lt_status add_body(void *arg)
{
	struct add *add = arg;
	struct lt_looptree *t = add->t;
	lt__spend(t->ctx, LT_BUDGET_LOOPS, 1, NULL);
	LT_GROW(t->arena, t->node, t->n_node, t->cap_node);
	lt_tnode at = t->n_node++, up = add->def.parent;
	t->node[at] = add->def;
	lt_tnode *last = up < 0 ? &t->last_root : &t->node[up].last;
	if (*last >= 0)
		t->node[*last].next = at;
	else
		*(up < 0 ? &t->root : &t->node[up].child) = at;
	*last = at;
	t->n_root += up < 0;
	if (add->def.kind == LT_TLEAF)
		t->leaf_of[add->def.leaf] = at;
	add->at = at;
	return LT_OK;
}

static lt_tnode add_node(struct lt_looptree *t, struct lt_tnodedef def)
{
	struct add add = { t, def, -1 };
	add.def.child = add.def.last = add.def.next = -1;
	if (def.parent >= t->n_node || (def.parent >= 0 && t->node[def.parent].kind == LT_TLEAF)) {
		lt_fail(t->ctx, LT_EINVAL, "tree node %d cannot be a parent: it is %s", (int)def.parent,
			def.parent >= t->n_node ? "not there" : "a leaf");
		return -1;
	}
	/* As LT_GUARDED: code that builds a tree inside the library need not check each node. */
	if (t->ctx->top)
		return add_body(&add) ? -1 : add.at;
	return lt__protect(t->ctx, add_body, &add) ? -1 : add.at;
}

lt_tnode lt_looptree_add_loop(struct lt_looptree *t, lt_tnode parent, lt_var v, int64_t step)
{
	if (v < 0 || v >= t->graph->n_var || step < 1) {
		lt_fail(t->ctx, LT_EINVAL, "a loop needs a var of the graph and a step of at least 1; var %d, step %lld given",
			(int)v, (long long)step);
		return -1;
	}
	return add_node(t, (struct lt_tnodedef){ .kind = LT_TLOOP, .parent = parent, .var = v, .step = step, .leaf = -1 });
}

lt_tnode lt_looptree_add_group(struct lt_looptree *t, lt_tnode parent)
{
	return add_node(t,
		(struct lt_tnodedef){
			.kind = LT_TGROUP, .parent = parent, .var = -1, .step = 1, .loop = LT_GROUP, .leaf = -1 });
}

lt_tnode lt_looptree_add_leaf(struct lt_looptree *t, lt_tnode parent, lt_node n)
{
	const struct lt_graph *g = t->graph;
	if (n < 0 || n >= g->n_node || !lt__has_leaf(g, n) || t->leaf_of[n] >= 0) {
		lt_fail(t->ctx, LT_EINVAL, "%s%s cannot be a leaf: %s", n >= 0 && n < g->n_node ? "%" : "node",
			n >= 0 && n < g->n_node ? g->node[n].name : "",
			n < 0 || n >= g->n_node ? "there is no such node" :
			t->leaf_of[n] >= 0 ? "it has one already" : "views, literals and sources are read where they are used");
		return -1;
	}
	return add_node(t, (struct lt_tnodedef){ .kind = LT_TLEAF, .parent = parent, .var = -1, .step = 1, .leaf = n });
}
