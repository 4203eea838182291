/* A copy of a tree that a primitive changes: its links, and the new tree that comes of it. */
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"
#include "looptree/legality/legality.h"

/* -- links -- */

static lt_tnode *first_of(struct lt_looptree *t, lt_tnode parent)
{
	return parent < 0 ? &t->root : &t->node[parent].child;
}
static lt_tnode child_of(const struct lt_looptree *t, lt_tnode parent)
{
	return parent < 0 ? t->root : t->node[parent].child;
}

lt_tnode lt__edit_last(const struct lt_looptree *t, lt_tnode parent)
{
	lt_tnode at = child_of(t, parent);
	while (at >= 0 && t->node[at].next >= 0)
		at = t->node[at].next;
	return at;
}

lt_tnode lt__edit_before(const struct lt_looptree *t, lt_tnode at)
{
	lt_tnode before = -1;
	for (lt_tnode c = child_of(t, t->node[at].parent); c >= 0 && c != at; c = t->node[c].next)
		before = c;
	return before;
}

bool lt__edit_is_only(const struct lt_looptree *t, lt_tnode at)
{
	return child_of(t, t->node[at].parent) == at && t->node[at].next < 0;
}

void lt__edit_detach(struct lt_edit *e, lt_tnode at)
{
	struct lt_looptree *t = e->t;
	lt_tnode before = lt__edit_before(t, at), parent = t->node[at].parent;
	*(before >= 0 ? &t->node[before].next : first_of(t, parent)) = t->node[at].next;
	t->node[at].parent = t->node[at].next = -1;
}

void lt__edit_insert(struct lt_edit *e, lt_tnode parent, lt_tnode after, lt_tnode at)
{
	struct lt_looptree *t = e->t;
	lt_tnode *link = after >= 0 ? &t->node[after].next : first_of(t, parent);
	t->node[at].parent = parent;
	t->node[at].next = *link;
	*link = at;
}

void lt__edit_replace(struct lt_edit *e, lt_tnode old, lt_tnode at)
{
	lt_tnode parent = e->t->node[old].parent, before = lt__edit_before(e->t, old);
	lt__edit_detach(e, old);
	lt__edit_insert(e, parent, before, at);
}

static lt_tnode new_node(struct lt_edit *e, struct lt_tnodedef def)
{
	struct lt_looptree *t = e->t;
	def.parent = def.child = def.last = def.next = def.leaf = -1;
	LT_GROW(t->arena, t->node, t->n_node, t->cap_node);
	t->node[t->n_node] = def;
	return t->n_node++;
}

lt_tnode lt__edit_new_loop(struct lt_edit *e, lt_var v, int64_t step)
{
	return new_node(e, (struct lt_tnodedef){ .kind = LT_TLOOP, .var = v, .step = step });
}

lt_tnode lt__edit_new_group(struct lt_edit *e)
{
	return new_node(e, (struct lt_tnodedef){ .kind = LT_TGROUP, .var = -1, .step = 1, .loop = LT_GROUP });
}

lt_tnode lt__edit_new_leaf(struct lt_edit *e, lt_node n)
{
	lt_tnode at = new_node(e, (struct lt_tnodedef){ .kind = LT_TLEAF, .var = -1, .step = 1 });
	e->t->node[at].leaf = n;
	return e->t->leaf_of[n] = at;
}

/* -- questions -- */

bool lt__edit_precedes(const struct lt_looptree *t, lt_tnode a, lt_tnode b)
{
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at))
		if (at == a || at == b)
			return at == a;
	return false;
}

lt_tnode lt__edit_called(const struct lt_looptree *t, lt_tnode at)
{
	while (at >= 0 && t->node[at].loop != LT_CALL && t->node[at].loop != LT_TILE)
		at = t->node[at].parent;
	return at;
}

bool lt__same_annotations(const struct lt_looptree *t, lt_tnode a, lt_tnode b)
{
	const struct lt_tnodedef *x = &t->node[a], *y = &t->node[b];
	return x->loop == y->loop && x->arg == y->arg && x->tail == y->tail && !x->call && !y->call;
}

/* -- the copy, and the tree that it becomes -- */

static lt_status copy_tree(void *arg)
{
	struct lt_edit *e = arg;
	const struct lt_looptree *from = e->from;
	struct lt_looptree *t = e->t;
	t->node = LT_NEW(t->arena, struct lt_tnodedef, from->n_node + 1);
	t->cap_node = from->n_node + 1;
	for (t->n_node = 0; t->n_node < from->n_node; t->n_node++) {
		struct lt_tnodedef *d = &t->node[t->n_node];
		*d = from->node[t->n_node];
		d->call = d->call ? lt__arena_string(t->arena, d->call) : NULL;
		d->line = 0;
	}
	t->root = from->root;
	t->budget = from->budget;
	t->target = from->target ? lt__arena_string(t->arena, from->target) : NULL;
	lt__derived_share(t, from);
	t->graph = from->graph;
	int32_t n_node = t->graph->n_node;
	t->leaf_of = lt__arena_copy(t->arena, from->leaf_of, ((size_t)n_node + 1) * sizeof *t->leaf_of);
	t->leaf = LT_NEW(t->arena, struct lt_leaf *, n_node + 1);
	t->layout = LT_NEW(t->arena, struct lt_memlayout *, n_node + 1);
	for (lt_node n = 0; n < n_node; n++)
		if (from->layout[n]) {
			t->layout[n] = lt__layout_new(t, from->layout[n]->n, from->layout[n]->digit, 0);
			t->layout[n]->swizzle = from->layout[n]->swizzle;
		}
	e->into = LT_NEW(t->arena, lt_tnode, from->n_node + 1);
	for (lt_tnode at = 0; at < from->n_node; at++)
		e->into[at] = -1;
	return LT_OK;
}

lt_status lt__edit_open(struct lt_edit *e, const struct lt_looptree *from)
{
	*e = (struct lt_edit){ .from = from };
	LT_TRY(lt_looptree_new(from->base, &e->t));
	lt_status st = lt__protect(from->ctx, copy_tree, e);
	if (st) {
		lt_looptree_free(e->t);
		e->t = NULL;
	}
	return st;
}

static lt_tnode number_of(const lt_tnode *number, lt_tnode at) { return at < 0 ? -1 : number[at]; }

static void renumber(struct lt_edit *e, lt_tnode *number)
{
	struct lt_looptree *t = e->t;
	struct lt_tnodedef *node = LT_NEW(t->arena, struct lt_tnodedef, t->n_node + 1);
	int32_t n = 0;
	for (lt_tnode at = 0; at < t->n_node; at++)
		number[at] = -1;
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at))
		number[at] = n++;
	for (lt_tnode at = 0; at < t->n_node; at++) {
		if (number[at] < 0)
			continue;
		struct lt_tnodedef *d = &node[number[at]];
		*d = t->node[at];
		d->last = t->node[at].child < 0 ? -1 : number_of(number, lt__edit_last(t, at));
		d->parent = number_of(number, d->parent);
		d->child = number_of(number, d->child);
		d->next = number_of(number, d->next);
	}
	t->last_root = number_of(number, lt__edit_last(t, -1));
	t->n_root = 0;
	for (lt_tnode at = t->root; at >= 0; at = t->node[at].next)
		t->n_root++;
	t->root = number_of(number, t->root);
	for (lt_node x = 0; x < t->graph->n_node; x++)
		t->leaf_of[x] = number_of(number, t->leaf_of[x]);
	t->node = node;
	t->cap_node = t->n_node + 1;
	t->n_node = n;
}

lt_status lt__edit_number(struct lt_edit *e)
{
	renumber(e, LT_NEW(e->t->arena, lt_tnode, e->t->n_node + 1));
	return LT_OK;
}

/* Loops whose extent has to be constant, where this step made it vary. */
static lt_status check_extents(const struct lt_edit *e, const lt_tnode *number)
{
	for (lt_tnode at = 0; at < e->t->n_node; at++) {
		lt_tnode was = -1;
		lt_status st = lt__check_extent(e->t, at);
		for (lt_tnode old = 0; st && old < e->from->n_node; old++)
			was = number[old] == at ? old : was;
		if (st && (was < 0 || lt__check_extent(e->from, was) == LT_OK))
			return lt__check_extent(e->t, at);
	}
	return LT_OK;
}

struct close { struct lt_edit *e; lt_tnode *moved; };

static lt_status close_body(void *arg)
{
	struct close *c = arg;
	struct lt_edit *e = c->e;
	lt_tnode *number = LT_NEW(e->t->arena, lt_tnode, e->t->n_node + 1);
	renumber(e, number);
	e->number = number;
	for (lt_tnode at = 0; c->moved && at < e->from->n_node; at++) {
		lt_tnode to = at;
		while (number[to] < 0 && to < e->from->n_node && e->into[to] >= 0)
			to = e->into[to];
		c->moved[at] = number[to];
	}
	return check_extents(e, number);
}

lt_status lt__edit_close(struct lt_edit *e, lt_tnode *moved)
{
	struct close c = { e, moved };
	LT_TRY(lt__protect(e->t->ctx, close_body, &c));
	return lt_looptree_finish(e->t);
}
