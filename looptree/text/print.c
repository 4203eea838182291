/* Writing the text of a loop tree: docs/tree.md.
 *
 * Header (format version, fingerprint of the graph, target, vars, values), then one line a loop, group or leaf; two
 * blanks a level; facts after '#'.
 */
#include <string.h>
#include "looptree/count/count.h"
#include "looptree/derive/derive.h"
#include "looptree/text/text.h"
#include "looptree/text/words.h"

enum { RIDGE = 8 };     /* flops a byte from which on arithmetic, not memory, bounds a core */

struct tree_printer {
	struct lt_looptree *t;
	struct lt_text text;
	struct lt_fact *fact;
	const struct lt_treecomments *comments;       /* NULL: none */
};

static lt_status print_header(struct tree_printer *p)
{
	const struct lt_graph *g = p->t->graph;
	struct lt_text *x = &p->text;
	uint64_t fingerprint;
	LT_TRY(lt__graph_fingerprint(p->t->base, &fingerprint));
	lt__text_format(x, "looptree %d\ngraph %016llx\ntarget %s\n", LT_TREE_VERSION, (unsigned long long)fingerprint,
		p->t->target ? p->t->target : "-");
	for (int32_t i = 0; p->t->derived && i < p->t->derived->n_step; i++) {
		lt__text_format(x, "own %%%s = ", p->t->derived->step[i].made);
		lt__derived_text(x, &p->t->derived->step[i]);
		lt__text_add(x, "\n", 1);
	}
	const bool *used = lt__vars_used(g, x->arena);
	for (lt_var v = 0; v < g->n_var; v++) {
		if (!used[v])
			continue;
		lt__text_format(x, "var %s %lld", g->var[v].name, (long long)g->var[v].extent);
		if (g->var[v].bounded) {
			lt__text_format(x, " limit ");
			lt__text_linear(x, g, &g->var[v].limit);
		}
		lt__text_add(x, "\n", 1);
	}
	return LT_OK;
}

/* "%name dtype dims = op[.reduce[loops]] operands attribute" */
static lt_status print_node(struct tree_printer *p, lt_node n, lt_tnode parent)
{
	const struct lt_nodedef *d = &p->t->graph->node[n];
	struct lt_text *x = &p->text;
	lt__text_format(x, "%%%s %s", d->name, lt__dtype_info(d->dtype)->name);
	lt__text_dims(x, p->t->graph, n);
	lt__text_format(x, " = %s", lt__op_info(d->op)->name);
	if (d->reduce) {
		lt__text_format(x, ".reduce");
		LT_TRY(lt__text_reduced(x, p->t, n, parent));
	}
	lt__text_add(x, " ", d->n_operand > 0);
	lt__text_operands(x, p->t->graph, n);
	size_t end = x->n;
	lt__text_add(x, " ", 1);
	lt__text_attribute(x, p->t->graph, n);
	if (x->n == end + 1)
		x->n = end;
	if (p->t->layout[n]) {
		lt__text_format(x, " layout ");
		lt__layout_text(x, p->t, n);
	}
	if (p->t->leaf_of[n] >= 0 && p->t->node[p->t->leaf_of[n]].depth > 1)
		lt__text_format(x, " depth %d%s", (int)p->t->node[p->t->leaf_of[n]].depth,
			p->t->node[p->t->leaf_of[n]].async ? " async" : "");
	if (p->t->leaf_of[n] >= 0 && p->t->node[p->t->leaf_of[n]].stream)
		lt__text_format(x, " stream");
	return LT_OK;
}

static void print_values(struct tree_printer *p)
{
	const struct lt_graph *g = p->t->graph;
	for (lt_node n = 0; n < g->n_node; n++) {
		if (lt__has_leaf(g, n))
			continue;
		lt__text_format(&p->text, "value ");
		print_node(p, n, -1);           /* without a leaf there is no reduction to name loops of */
		lt__text_add(&p->text, "\n", 1);
	}
}

/* Where the value of a leaf lives, and what its place in the tree does to it. */
static void print_leaf_facts(struct tree_printer *p, lt_tnode at)
{
	const struct lt_looptree *t = p->t;
	lt_node n = t->node[at].leaf;
	const struct lt_scope *s = &t->scope[n];
	const struct lt_nodedef *d = &t->graph->node[n];
	int64_t elems = 1;
	for (int32_t i = 0; i < d->n_dim; i++)
		elems *= s->extent[i];
	int64_t bytes = elems * lt__dtype_info(d->dtype)->bytes;
	if (s->whole)
		lt__text_format(&p->text, "  # whole, %lld bytes", (long long)bytes);
	else if (elems == 1)
		lt__text_format(&p->text, "  # scalar");
	else
		lt__text_format(&p->text, "  # local, %lld elements, %lld bytes", (long long)elems, (long long)bytes);
	if (t->node[at].depth > 1)
		lt__text_format(&p->text, " in each of %d buffers", (int)t->node[at].depth);
	if (lt__is_many(t->graph, n, t->leaf[n]))
		lt__text_format(&p->text, ", %d pieces: made block by block, not by a kernel, where they are boxes",
			(int)t->leaf[n]->read[0].n_piece);
	lt_tnode reducing = lt__reducing_loop(t, n);
	if (reducing >= 0) {
		lt__text_format(&p->text, ", reset before `for ");
		lt__text_loop(&p->text, t, reducing);
		lt__text_format(&p->text, "`");
	}
	for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && lt__loop_column(t, t->leaf[n], up) < 0) {
			lt__text_format(&p->text, ", again in each iteration of `for ");
			lt__text_loop(&p->text, t, up);
			lt__text_format(&p->text, "`");
		}
}

/* What runs and is touched inside a line; on a root, which of both bounds the nest. */
static void print_work(struct tree_printer *p, lt_tnode at)
{
	const struct lt_fact *f = &p->fact[at];
	lt__text_format(&p->text, "%lld flops", (long long)f->flops);
	if (f->executed >= 0 && f->executed != f->flops)
		lt__text_format(&p->text, " (%lld run)", (long long)f->executed);
	lt__text_format(&p->text, ", %lld bytes", (long long)f->bytes);
	if (p->t->node[at].parent >= 0 || f->bytes == 0)
		return;
	/* hundredths of flops a byte, without overflow: flops / bytes is below 2^63 / 100 only if flops is */
	int64_t whole = f->flops / f->bytes, remainder = f->flops % f->bytes;
	int64_t hundredths = remainder < INT64_MAX / 100 ? remainder * 100 / f->bytes : remainder / (f->bytes / 100);
	lt__text_format(&p->text, ", %lld.%02lld flops a byte: %s bound it", (long long)whole, (long long)hundredths,
		whole >= RIDGE ? "flops" : "bytes");
}

static void print_loop(struct tree_printer *p, lt_tnode at)
{
	const struct lt_looptree *t = p->t;
	const struct lt_tnodedef *d = &t->node[at];
	struct lt_text *x = &p->text;
	bool group = d->kind == LT_TGROUP;
	const struct lt_kindword *word = lt__kind_word(d->loop, d->arg);
	lt__text_format(x, group ? "group" : "for ");
	if (!group)
		lt__text_loop(x, t, at);
	if (d->step != 1)
		lt__text_format(x, " step %lld", (long long)d->step);
	if (word->kind != LT_SERIAL)
		lt__text_format(x, " %s%s%s", word->word, word->named ? " " : "", word->named ? d->call : "");
	if (d->tail != LT_GUARD)
		lt__text_format(x, "  tail %s", lt__tail_word(d->tail));
	lt__text_format(x, "  # ");
	if (!group) {
		int64_t extent = t->graph->var[d->var].extent;
		for (lt_tnode up = d->parent; up >= 0; up = t->node[up].parent)
			if (t->node[up].kind == LT_TLOOP && t->node[up].var == d->var) {
				extent = t->node[up].step < extent ? t->node[up].step : extent;
				break;
			}
		int64_t trip_count = lt_looptree_trip_count(t, at);
		lt__text_format(x, "extent %lld, %lld iteration%s, ", (long long)extent, (long long)trip_count,
			trip_count == 1 ? "" : "s");
	}
	print_work(p, at);
}

static lt_status print_line(struct tree_printer *p, lt_tnode at)
{
	if (p->t->node[at].kind == LT_TLEAF) {
		LT_TRY(print_node(p, p->t->node[at].leaf, p->t->node[at].parent));
		print_leaf_facts(p, at);
	} else {
		print_loop(p, at);
	}
	return LT_OK;
}

/* Comments of a line, each behind `mark`; `end` after it. */
static void print_comments(struct tree_printer *p, const char *text, int indent, const char *mark, const char *end)
{
	for (size_t n; text; text = text[n] ? text + n + 1 : NULL) {
		n = strcspn(text, "\n");
		lt__text_format(&p->text, "%*s%s%.*s%s", indent, "", mark, (int)n, text, end);
	}
}

struct print_output { struct tree_printer p; void (*write)(void *, const char *, size_t); void *user; };

static lt_status print_begin(struct tree_printer *p)
{
	if (!p->t->scope)
		return lt_fail(p->t->ctx, LT_EINVAL, "a tree is printed once it is finished: call lt_looptree_finish");
	p->fact = LT_NEW(p->text.arena, struct lt_fact, p->t->n_node + 1);
	return lt__fill_facts(p->t, p->text.arena, p->fact);
}

static lt_status print_body(void *arg)
{
	struct print_output *b = arg;
	struct tree_printer *p = &b->p;
	const struct lt_looptree *t = p->t;
	LT_TRY(print_begin(p));
	LT_TRY(print_header(p));
	print_values(p);
	lt__text_format(&p->text, "tree\n");
	int32_t depth = 0;
	for (lt_tnode at = lt_looptree_after(t, -1), last = -1; at >= 0; last = at, at = lt_looptree_after(t, at)) {
		if (last >= 0 && t->node[at].parent == last)
			depth++;
		for (lt_tnode up = last;
			up >= 0 && t->node[at].parent != last && t->node[up].parent != t->node[at].parent;
			up = t->node[up].parent)
			depth--;
		print_comments(p, p->comments ? p->comments->before[at] : NULL, 2 * (int)depth, "# ", "\n");
		lt__text_format(&p->text, "%*s", 2 * (int)depth, "");
		LT_TRY(print_line(p, at));
		print_comments(p, p->comments ? p->comments->on[at] : NULL, 0, "; ", "");
		lt__text_add(&p->text, "\n", 1);
		if (p->text.n > 1 << 16) {
			b->write(b->user, p->text.at, p->text.n);
			p->text.n = 0;
		}
	}
	b->write(b->user, p->text.at, p->text.n);
	return LT_OK;
}

lt_status lt__looptree_print(const struct lt_looptree *t, const struct lt_treecomments *comments,
	void (*write)(void *, const char *, size_t), void *user)
{
	/* Accesses that are asked for first here are kept in the tree; nothing of it changes that can be seen. */
	struct print_output b = { .p = { .t = (struct lt_looptree *)(uintptr_t)t, .comments = comments }, .write = write,
		.user = user };
	struct lt_arena *a;
	LT_TRY(lt__arena_new(t->ctx, &a));
	b.p.text.arena = a;
	lt_status st = lt__protect(t->ctx, print_body, &b);
	lt__arena_free(a);
	return st;
}

lt_status lt_looptree_print(const struct lt_looptree *t, void (*write)(void *, const char *, size_t), void *user)
{
	return lt__looptree_print(t, NULL, write, user);
}

/* -- the same lines as plain data -- */

static void fill_loop(const struct lt_looptree *t, lt_tnode at, struct lt_treeline *l)
{
	const struct lt_tnodedef *d = &t->node[at];
	const struct lt_kindword *word = lt__kind_word(d->loop, d->arg);
	const bool group = d->kind == LT_TGROUP;
	l->name = lt__arena_string(t->arena, lt__loop_name(t, at));
	l->path = lt__arena_string(t->arena, lt__loop_path(t, at));
	l->var = group ? -1 : d->var;
	l->axis = d->loop == LT_GRID || d->loop == LT_BLOCK ? d->arg : 0;
	l->extent = group ? 1 : lt__loop_span(t, at);
	l->step = d->step;
	l->trip_count = lt_looptree_trip_count(t, at);
	l->loop_kind = (int32_t)d->loop;
	l->tail = (int32_t)d->tail;
	l->how = group && d->loop == LT_GROUP ? "group" : word->word;
	l->routine = word->named ? d->call : NULL;
}

static void fill_leaf(const struct lt_looptree *t, lt_tnode at, struct lt_treeline *l)
{
	const struct lt_tnodedef *d = &t->node[at];
	const struct lt_nodedef *n = &t->graph->node[d->leaf];
	l->name = l->path = lt__arena_format(t->arena, "%%%s", n->name);
	l->var = -1;
	l->leaf = d->leaf;
	l->line = n->line > 0 ? n->line : 0;
	l->column = n->line > 0 ? n->column : 0;
	l->buffers = lt__copy_depth(t, d->leaf);
	l->async = d->async;
	l->stream = d->stream;
}

static lt_status lines_body(void *arg)
{
	struct tree_printer *p = arg;
	struct lt_looptree *t = p->t;
	LT_TRY(print_begin(p));
	struct lt_treeline *line = LT_NEW(t->arena, struct lt_treeline, t->n_node + 1), *l = line;
	int32_t *depth = LT_NEW(p->text.arena, int32_t, t->n_node + 1);
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at), l++) {
		const struct lt_tnodedef *d = &t->node[at];
		depth[at] = d->parent >= 0 ? depth[d->parent] + 1 : 0;
		*l = (struct lt_treeline){ .at = at, .parent = d->parent, .child = d->child, .next = d->next,
			.depth = depth[at], .kind = (int32_t)d->kind, .leaf = -1, .flops = p->fact[at].flops,
			.executed = p->fact[at].executed, .bytes = p->fact[at].bytes };
		if (d->kind == LT_TLEAF)
			fill_leaf(t, at, l);
		else
			fill_loop(t, at, l);
		p->text.n = 0;
		LT_TRY(print_line(p, at));
		lt__text_add(&p->text, "", 1);
		const char *facts = strstr(p->text.at, "  # ");
		l->text = lt__arena_format(t->arena, "%.*s", facts ? (int)(facts - p->text.at) : -1, p->text.at);
		l->facts = facts ? lt__arena_string(t->arena, facts + 4) : "";
	}
	t->line = line;
	return LT_OK;
}

lt_status lt_looptree_lines(struct lt_looptree *t, struct lt_array *out)
{
	struct tree_printer p = { .t = t };
	*out = (struct lt_array){ 0 };
	if (!t->line) {
		LT_TRY(lt__arena_new(t->ctx, &p.text.arena));
		lt_status st = lt__protect(t->ctx, lines_body, &p);
		lt__arena_free(p.text.arena);
		LT_TRY(st);
	}
	*out = (struct lt_array){ t->line, (uint32_t)t->n_node, sizeof *t->line };
	return LT_OK;
}
