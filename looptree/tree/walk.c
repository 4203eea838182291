/* A loop tree asked: its nodes, what stands around them, and failures that name one. */
#include "looptree/tree/tree.h"

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

lt_tnode lt__loop_around(const struct lt_looptree *t, lt_tnode loop)
{
	for (lt_tnode up = t->node[loop].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && t->node[up].var == t->node[loop].var)
			return up;
	return -1;
}

int64_t lt__loop_span(const struct lt_looptree *t, lt_tnode loop)
{
	lt_tnode around = lt__loop_around(t, loop);
	int64_t extent = t->graph->var[t->node[loop].var].extent;
	return around >= 0 && t->node[around].step < extent ? t->node[around].step : extent;
}

int64_t lt_looptree_trip_count(const struct lt_looptree *t, lt_tnode n)
{
	const struct lt_tnodedef *d = &t->node[n];
	if (d->kind != LT_TLOOP)
		return 1;
	int64_t span = lt__loop_span(t, n);
	return span / d->step + (span % d->step != 0);
}

int64_t lt__min_extent(const struct lt_graph *g, lt_var v)
{
	const struct lt_vardef *d = &g->var[v];
	int64_t min = d->bounded ? lt__linear_min(g, &d->limit) : d->extent;
	return min > 1 ? min : 1;
}

int64_t lt__min_trip_count(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	if (d->kind != LT_TLOOP || !t->graph->var[d->var].bounded)
		return lt_looptree_trip_count(t, loop);
	int64_t min = lt__min_extent(t->graph, d->var), span = lt__loop_span(t, loop);
	span = min < span ? min : span;
	return span / d->step + (span % d->step != 0);
}

lt_status lt__tree_fail(const struct lt_looptree *t, lt_tnode at, lt_status status, const char *fmt, ...)
{
	char text[sizeof t->ctx->message];
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	if (t->failed) {
		*t->failed = at;
		t->clash->kind = 0;
	}
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
	return t->graph->node[n].reduce && t->node[loop].kind == LT_TLOOP
		&& lt__loop_column(t, t->leaf[n], loop) >= t->leaf[n]->n_out;
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

int32_t lt__copy_depth(const struct lt_looptree *t, lt_node n)
{
	return t->leaf_of[n] >= 0 && t->node[t->leaf_of[n]].depth > 1 ? t->node[t->leaf_of[n]].depth : 1;
}

lt_node lt__multibuffered_below(const struct lt_looptree *t, lt_tnode at, lt_tnode child)
{
	while (t->node[child].kind != LT_TLEAF && t->node[t->node[child].child].next < 0)
		child = t->node[child].child;
	const struct lt_tnodedef *d = &t->node[child];
	return d->kind == LT_TLEAF && d->depth > 1 && t->scope[d->leaf].owner == at ? d->leaf : -1;
}
