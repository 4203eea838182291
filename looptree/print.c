/* The text form of a loop tree: docs/tree.md.
 *
 * Header (format version, target, vars, values), then one line a loop, group or leaf; two blanks a level; facts behind '#'.
 */
#include <stdio.h>
#include <string.h>
#include "looptree/looptree.h"

struct printer { const struct lt_looptree *t; struct lt_text text; };

static void print_primed(struct printer *p, lt_tnode loop)
{
	const struct lt_looptree *t = p->t;
	lt__text_format(&p->text, "%s", t->graph->var[t->node[loop].var].name);
	for (lt_tnode up = t->node[loop].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && t->node[up].var == t->node[loop].var)
			lt__text_add(&p->text, "'", 1);
}

static void print_linear(struct printer *p, const struct lt_linear *l)
{
	lt__text_format(&p->text, "%lld", (long long)l->constant);
	for (int32_t i = 0; i < l->n; i++)
		lt__text_format(&p->text, " %c %lld*%s", l->coef[i] < 0 ? '-' : '+', (long long)(l->coef[i] < 0 ? -l->coef[i] : l->coef[i]),
			p->t->graph->param[l->param[i]].name);
}

static void print_dims(struct printer *p, const struct lt_nodedef *d)
{
	lt__text_add(&p->text, "[", 1);
	for (int32_t i = 0; i < d->n_dim; i++)
		lt__text_format(&p->text, "%s%s", i ? " " : "", p->t->graph->var[d->dim[i]].name);
	lt__text_add(&p->text, "]", 1);
}

/* A number that changes with anything that the tree depends on; FNV-1a over the graph's own text. */
static void hash_text(void *user, const char *text, size_t bytes)
{
	uint64_t *h = user;
	for (size_t i = 0; i < bytes; i++)
		*h = (*h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
}

static lt_status print_header(struct printer *p)
{
	const struct lt_graph *g = p->t->graph;
	uint64_t print = UINT64_C(14695981039346656037);
	LT_TRY(lt_graph_print(g, hash_text, &print));
	lt__text_format(&p->text, "looptree 1\ngraph %016llx\ntarget %s\n", (unsigned long long)print, p->t->target ? p->t->target : "-");
	bool *used = LT_NEW(p->text.arena, bool, g->n_var + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		for (int32_t i = 0; i < g->node[n].n_dim; i++)
			used[g->node[n].dim[i]] = true;
	for (lt_var v = 0; v < g->n_var; v++) {
		if (!used[v])
			continue;
		lt__text_format(&p->text, "var %s %lld", g->var[v].name, (long long)g->var[v].extent);
		if (g->var[v].bounded) {
			lt__text_add(&p->text, " limit ", 7);
			print_linear(p, &g->var[v].limit);
		}
		lt__text_add(&p->text, "\n", 1);
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		if (lt__has_leaf(g, n))
			continue;
		lt__text_format(&p->text, "value %%%s %s", d->name, lt__dtype_info(d->dtype)->name);
		print_dims(p, d);
		lt__text_format(&p->text, " = %s", lt__op_info(d->op)->name);
		for (int32_t i = 0; i < d->n_operand; i++)
			lt__text_format(&p->text, " %%%s", g->node[d->operand[i]].name);
		if (d->op == LT_OP_index)
			lt__text_format(&p->text, " %s", g->var[d->var].name);
		if (d->op == LT_OP_lit)
			lt__text_format(&p->text, " 0x%llx", (unsigned long long)d->bits);
		lt__text_add(&p->text, "\n", 1);
	}
	return LT_OK;
}

/* Where the value lives, as a fact. */
static void print_scope(struct printer *p, lt_node n)
{
	const struct lt_scope *s = &p->t->scope[n];
	const struct lt_nodedef *d = &p->t->graph->node[n];
	int64_t elems = 1;
	for (int32_t i = 0; i < d->n_dim; i++)
		elems *= s->extent[i];
	if (s->whole)
		lt__text_format(&p->text, "  # whole, %lld bytes", (long long)(elems * lt__dtype_info(d->dtype)->bytes));
	else if (elems == 1)
		lt__text_format(&p->text, "  # scalar");
	else
		lt__text_format(&p->text, "  # local, %lld elements", (long long)elems);
	lt_tnode reducing = lt__reducing_loop(p->t, n);
	if (reducing >= 0) {
		lt__text_format(&p->text, ", starts before `for ");
		print_primed(p, reducing);
		lt__text_format(&p->text, "`");
	}
}

static void print_leaf(struct printer *p, lt_tnode at)
{
	const struct lt_looptree *t = p->t;
	lt_node n = t->node[at].leaf;
	const struct lt_nodedef *d = &t->graph->node[n];
	lt__text_format(&p->text, "%%%s %s", d->name, lt__dtype_info(d->dtype)->name);
	print_dims(p, d);
	lt__text_format(&p->text, " = %s", lt__op_info(d->op)->name);
	if (d->reduce) {
		lt__text_format(&p->text, ".reduce[");
		int32_t n_loop = lt__loops_above(t, at, NULL), first = 1;
		lt_tnode *loop = LT_NEW(p->text.arena, lt_tnode, n_loop + 1);
		lt__loops_above(t, at, loop);
		for (int32_t i = 0; i < n_loop; i++)
			if (lt__reduces(t->graph, n, t->node[loop[i]].var) && lt__leaf_column(t->leaf[n], t->node[loop[i]].var) >= 0) {
				if (!first)
					lt__text_add(&p->text, " ", 1);
				print_primed(p, loop[i]);
				first = 0;
			}
		lt__text_add(&p->text, "]", 1);
	}
	for (int32_t i = 0; i < d->n_operand; i++)
		lt__text_format(&p->text, " %%%s", t->graph->node[d->operand[i]].name);
	if (d->op == LT_OP_gather)
		lt__text_format(&p->text, " axis %d", (int)d->axis);
	for (int32_t i = 0; d->op == LT_OP_update && i < d->n_dim; i++)
		lt__text_format(&p->text, "%s%lld%s%s", i ? ", " : " at ", (long long)d->offset[i], d->at[i] >= 0 ? " + " : "",
			d->at[i] >= 0 ? t->graph->param[d->at[i]].name : "");
	print_scope(p, n);
}

static const char *const kind_word[LT_NLOOP_KIND] = { [LT_PARALLEL] = " parallel", [LT_VECTOR] = " vector", [LT_UNROLL] = " unroll",
	[LT_GRID] = " grid", [LT_BLOCK] = " block", [LT_CALL] = " call", [LT_TILE] = " tile", [LT_RANK] = " rank" };
static const char *const tail_word[] = { [LT_GUARD] = "", [LT_PEEL] = "  tail peel", [LT_MASK] = "  tail mask", [LT_PAD] = "  tail pad" };

static void print_loop(struct printer *p, lt_tnode at)
{
	const struct lt_tnodedef *d = &p->t->node[at];
	if (d->kind == LT_TGROUP) {
		lt__text_format(&p->text, "group");
		return;
	}
	lt__text_format(&p->text, "for ");
	print_primed(p, at);
	if (d->step != 1)
		lt__text_format(&p->text, " step %lld", (long long)d->step);
	if (kind_word[d->loop])
		lt__text_format(&p->text, "%s", kind_word[d->loop]);
	lt__text_format(&p->text, "%s  # %lld trips", tail_word[d->tail], (long long)lt_looptree_trips(p->t, at));
}

struct body { struct printer p; void (*write)(void *, const char *, size_t); void *user; };

static lt_status print_body(void *arg)
{
	struct body *b = arg;
	struct printer *p = &b->p;
	const struct lt_looptree *t = p->t;
	LT_TRY(print_header(p));
	lt__text_format(&p->text, "tree\n");
	int32_t depth = 0;
	for (lt_tnode at = lt_looptree_after(t, -1), last = -1; at >= 0; last = at, at = lt_looptree_after(t, at)) {
		if (last >= 0 && t->node[at].parent == last)
			depth++;
		for (lt_tnode up = last; up >= 0 && t->node[at].parent != last && t->node[up].parent != t->node[at].parent; up = t->node[up].parent)
			depth--;
		lt__text_format(&p->text, "%*s", 2 * (int)depth, "");
		if (t->node[at].kind == LT_TLEAF)
			print_leaf(p, at);
		else
			print_loop(p, at);
		lt__text_add(&p->text, "\n", 1);
		if (p->text.n > 1 << 16) {
			b->write(b->user, p->text.at, p->text.n);
			p->text.n = 0;
		}
	}
	b->write(b->user, p->text.at, p->text.n);
	return LT_OK;
}

lt_status lt_looptree_print(const struct lt_looptree *t, void (*write)(void *, const char *, size_t), void *user)
{
	struct body b = { .p = { .t = t }, .write = write, .user = user };
	struct lt_arena *a;
	LT_TRY(lt__arena_new(t->ctx, &a));
	b.p.text.arena = a;
	lt_status st = lt__protect(t->ctx, print_body, &b);
	lt__arena_free(a);
	return st;
}
