/* The loop tree: made, walked, asked.  A tree is built child by child and then finished. */
#include "looptree/edit.h"
#include "looptree/layout.h"
#include "looptree/derived.h"

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
	*t = (struct lt_looptree){ .ctx = m->graph->ctx, .arena = a, .graph = m->graph, .base = m->graph, .root = -1, .last_root = -1 };
	*m->out = t;
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

void lt_looptree_free(struct lt_looptree *t)
{
	if (!t)
		return;
	struct lt_context *ctx = t->ctx;
	lt__derived_release(t);
	lt__arena_free(t->arena);
	lt__context_realloc(ctx, t, sizeof *t, 0);
}

struct add { struct lt_looptree *t; struct lt_tnodedef def; lt_tnode at; };

static lt_status add_body(void *arg)
{
	struct add *add = arg;
	struct lt_looptree *t = add->t;
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
	/* As LT_GUARDED: who builds a tree within the library does not ask after each node. */
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
	return add_node(t, (struct lt_tnodedef){ .kind = LT_TGROUP, .parent = parent, .var = -1, .step = 1, .loop = LT_GROUP, .leaf = -1 });
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

static lt_status finish_body(void *arg)
{
	struct lt_looptree *t = arg;
	LT_TRY(lt__check_tree(t));
	LT_TRY(lt__check_layouts(t));
	LT_TRY(lt__fill_scopes(t));
	LT_TRY(lt__check_depths(t));
	return lt__verify_tree(t);
}

lt_status lt_looptree_finish(struct lt_looptree *t) { return lt__protect(t->ctx, finish_body, t); }

int32_t lt_looptree_count(const struct lt_looptree *t) { return t->n_node; }
const struct lt_graph *lt_looptree_graph(const struct lt_looptree *t) { return t->graph; }
lt_tnode lt_looptree_root(const struct lt_looptree *t) { return t->root; }
lt_tnode lt_looptree_parent(const struct lt_looptree *t, lt_tnode n) { return t->node[n].parent; }
lt_tnode lt_looptree_child(const struct lt_looptree *t, lt_tnode n) { return t->node[n].child; }
lt_tnode lt_looptree_next(const struct lt_looptree *t, lt_tnode n) { return t->node[n].next; }
enum lt_tnode_kind lt_looptree_kind(const struct lt_looptree *t, lt_tnode n) { return t->node[n].kind; }
lt_var lt_looptree_var(const struct lt_looptree *t, lt_tnode n) { return t->node[n].var; }
int64_t lt_looptree_step(const struct lt_looptree *t, lt_tnode n) { return t->node[n].step; }
enum lt_loop_kind lt_looptree_loop_kind(const struct lt_looptree *t, lt_tnode n) { return t->node[n].loop; }
enum lt_tail lt_looptree_tail(const struct lt_looptree *t, lt_tnode n) { return t->node[n].tail; }
lt_node lt_looptree_leaf(const struct lt_looptree *t, lt_tnode n) { return t->node[n].leaf; }

int64_t lt_looptree_trip_count(const struct lt_looptree *t, lt_tnode n)
{
	const struct lt_tnodedef *d = &t->node[n];
	if (d->kind != LT_TLOOP)
		return 1;
	int64_t span = lt__loop_span(t, n);
	return span / d->step + (span % d->step != 0);
}

lt_tnode lt_looptree_after(const struct lt_looptree *t, lt_tnode at)
{
	if (at < 0)
		return t->root;
	if (t->node[at].child >= 0)
		return t->node[at].child;
	while (at >= 0 && t->node[at].next < 0)
		at = t->node[at].parent;
	return at < 0 ? -1 : t->node[at].next;
}

lt_tnode lt_looptree_leaf_after(const struct lt_looptree *t, lt_tnode at)
{
	do
		at = lt_looptree_after(t, at);
	while (at >= 0 && t->node[at].kind != LT_TLEAF);
	return at;
}

lt_status lt__tree_fail(const struct lt_looptree *t, lt_tnode at, lt_status status, const char *fmt, ...)
{
	char text[sizeof t->ctx->message];
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	if (!t->file || at < 0 || t->node[at].line < 1)
		return lt_fail(t->ctx, status, "%s", text);
	return lt_fail(t->ctx, status, "%.200s:%d: %s", t->file, (int)t->node[at].line, text);
}

bool lt__is_above(const struct lt_looptree *t, lt_tnode above, lt_tnode at)
{
	for (at = t->node[at].parent; at >= 0; at = t->node[at].parent)
		if (at == above)
			return true;
	return false;
}

lt_tnode lt__root_of(const struct lt_looptree *t, lt_tnode at)
{
	while (t->node[at].parent >= 0)
		at = t->node[at].parent;
	return at;
}

static int32_t depth_of(const struct lt_looptree *t, lt_tnode at)
{
	int32_t d = 0;
	for (; at >= 0; at = t->node[at].parent)
		d++;
	return d;
}

lt_tnode lt__common(const struct lt_looptree *t, lt_tnode a, lt_tnode b)
{
	int32_t da = depth_of(t, a), db = depth_of(t, b);
	for (; da > db; da--)
		a = t->node[a].parent;
	for (; db > da; db--)
		b = t->node[b].parent;
	while (a != b) {
		a = t->node[a].parent;
		b = t->node[b].parent;
	}
	return a;
}

bool lt__loop_reduces(const struct lt_looptree *t, lt_node n, lt_tnode loop)
{
	return t->graph->node[n].reduce && t->node[loop].kind == LT_TLOOP && lt__loop_column(t, t->leaf[n], loop) >= t->leaf[n]->n_out;
}

lt_tnode lt__reducing_loop(const struct lt_looptree *t, lt_node n)
{
	lt_tnode found = -1;
	for (lt_tnode at = t->node[t->leaf_of[n]].parent; at >= 0; at = t->node[at].parent)
		if (lt__loop_reduces(t, n, at))
			found = at;
	return found;
}

int32_t lt__loops_above(const struct lt_looptree *t, lt_tnode at, lt_tnode *out)
{
	int32_t n = 0;
	for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent)
		n += t->node[up].kind == LT_TLOOP;
	int32_t i = n;
	for (lt_tnode up = t->node[at].parent; out && up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP)
			out[--i] = up;
	return n;
}

void lt__mark_written(const struct lt_graph *g, lt_node n, bool *mark)
{
	mark[n] = true;
	if (g->node[n].op == LT_OP_view)        /* written through: its sources are slices of the result */
		for (int32_t k = 0; k < g->node[n].n_operand; k++)
			mark[g->node[n].operand[k]] = true;
}

bool *lt__constant_nodes(const struct lt_graph *g, struct lt_arena *a)
{
	bool *constant = LT_NEW(a, bool, g->n_node + 1), *varies = LT_NEW(a, bool, g->n_node + 1);
	/* What is written to a result or a state is written in each run. */
	for (int32_t i = 0; i < g->n_result; i++)
		lt__mark_written(g, g->result[i].node, varies);
	for (int32_t i = 0; i < g->n_set; i++)
		lt__mark_written(g, g->set[i].value, varies);
	for (int32_t i = 0; i < g->n_node; i++) {
		const struct lt_nodedef *d = &g->node[i];
		constant[i] = d->op == LT_OP_constant;
		varies[i] = varies[i] || d->op == LT_OP_input || d->op == LT_OP_state || d->op == LT_OP_update;
		for (int32_t k = 0; k < d->n_operand; k++) {
			constant[i] = constant[i] || constant[d->operand[k]];
			varies[i] = varies[i] || varies[d->operand[k]];
		}
		for (int32_t k = 0; k < d->n_piece; k++)
			varies[i] = varies[i] || d->piece[k].map.n_param > 0;
		for (int32_t k = 0; k < d->n_dim; k++)
			varies[i] = varies[i] || g->var[d->dim[k]].bounded;
	}
	for (int32_t i = 0; i < g->n_node; i++)
		constant[i] = constant[i] && !varies[i];
	/* What is made of literals and positions alone is computed where it is read: for a constant, before the first run. */
	for (int32_t i = g->n_node - 1; i >= 0; i--)
		for (int32_t k = 0; constant[i] && k < g->node[i].n_operand; k++)
			constant[g->node[i].operand[k]] = true;
	return constant;
}
