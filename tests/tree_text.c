/* tree_text.c -- loop trees from text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "tests/tree_text.h"
#include "program/program.h"

lt_node tree_node(const struct lt_graph *g, const char *name)
{
	for (lt_node n = 0; n < g->n_node; n++)
		if (!strcmp(g->node[n].name, name))
			return n;
	must(false, "there is no node '%s'", name);
	return -1;
}

lt_var tree_var(const struct lt_graph *g, const char *name)
{
	for (lt_var v = 0; v < g->n_var; v++)
		if (!strcmp(g->var[v].name, name))
			return v;
	must(false, "there is no var '%s'", name);
	return -1;
}

lt_status tree_from(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	lt_tnode at[64];
	must(lt_looptree_new(g, out) == LT_OK, "%s", lt_context_message(g->ctx));
	for (const char *line = text; *line;) {
		size_t depth = strspn(line, " "), bytes = strcspn(line, "\n");
		char word[128];
		must(depth < 63 && bytes - depth < sizeof word, "a line is too long: %s", line);
		memcpy(word, line + depth, bytes - depth);
		word[bytes - depth] = '\0';
		lt_tnode parent = depth ? at[depth - 1] : -1, made;
		char *step = strchr(word, '/');
		if (step)
			*step++ = '\0';
		if (word[0] == '%')
			made = lt_looptree_add_leaf(*out, parent, tree_node(g, word + 1));
		else if (word[0] == '.')
			made = lt_looptree_add_group(*out, parent);
		else
			made = lt_looptree_add_loop(*out, parent, tree_var(g, word), step ? strtoll(step, NULL, 10) : 1);
		must(made >= 0, "%s", lt_context_message(g->ctx));
		at[depth] = made;
		line += bytes + (line[bytes] != '\0');
	}
	return lt_looptree_finish(*out);
}

void tree_to(const struct lt_looptree *t, struct run_text *out)
{
	char line[160];
	for (lt_tnode n = lt_looptree_after(t, -1); n >= 0; n = lt_looptree_after(t, n)) {
		int depth = 0;
		for (lt_tnode up = lt_looptree_parent(t, n); up >= 0; up = lt_looptree_parent(t, up))
			depth++;
		const struct lt_tnodedef *d = &t->node[n];
		if (d->kind == LT_TLEAF)
			snprintf(line, sizeof line, "%*s%%%s\n", depth, "", t->graph->node[d->leaf].name);
		else if (d->kind == LT_TGROUP)
			snprintf(line, sizeof line, "%*s.\n", depth, "");
		else if (d->step == 1)
			snprintf(line, sizeof line, "%*s%s\n", depth, "", t->graph->var[d->var].name);
		else
			snprintf(line, sizeof line, "%*s%s/%lld\n", depth, "", t->graph->var[d->var].name, (long long)d->step);
		run_text_add(out, line, strlen(line));
	}
}

struct run_text tree_print(const struct lt_looptree *t)
{
	struct run_text text = { NULL, 0 };
	must(lt_looptree_print(t, run_text_add, &text) == LT_OK, "%s", lt_context_message(t->ctx));
	return text;
}

static const char *or_none(const char *text) { return text ? text : ""; }

static bool same_node(const struct lt_looptree *a, lt_tnode x, const struct lt_looptree *b, lt_tnode y)
{
	const struct lt_tnodedef *p = &a->node[x], *q = &b->node[y];
	int depth = 0;
	for (lt_tnode up = p->parent; up >= 0; up = a->node[up].parent)
		depth++;
	for (lt_tnode up = q->parent; up >= 0; up = b->node[up].parent)
		depth--;
	if (depth || p->kind != q->kind)
		return false;
	if (p->kind == LT_TLEAF)                /* 0 and 1 are one buffer */
		return !strcmp(a->graph->node[p->leaf].name, b->graph->node[q->leaf].name) && p->stream == q->stream
			&& (p->depth > 1 ? p->depth : 1) == (q->depth > 1 ? q->depth : 1) && p->async == q->async;
	return (p->kind == LT_TGROUP || !strcmp(a->graph->var[p->var].name, b->graph->var[q->var].name)) && p->step == q->step
		&& p->loop == q->loop && p->arg == q->arg && p->tail == q->tail && !strcmp(or_none(p->call), or_none(q->call));
}

static bool same_layout(const struct lt_memlayout *x, const struct lt_memlayout *y)
{
	if (!x || !y || x->n != y->n || x->swizzle != y->swizzle)
		return x == y;
	for (int32_t i = 0; i < x->n; i++) {
		const struct lt_digit *p = &x->digit[i], *q = &y->digit[i];
		if (p->dim != q->dim || p->step != q->step || p->span != q->span || p->pad != q->pad)
			return false;
	}
	return true;
}

static bool same_tree(const struct lt_looptree *a, const struct lt_looptree *b)
{
	lt_tnode x = lt_looptree_after(a, -1), y = lt_looptree_after(b, -1);
	for (; x >= 0 && y >= 0; x = lt_looptree_after(a, x), y = lt_looptree_after(b, y))
		if (!same_node(a, x, b, y))
			return false;
	for (lt_node n = 0; n < a->graph->n_node && a->graph->n_node == b->graph->n_node; n++)
		if (!same_layout(a->layout[n], b->layout[n]))
			return false;
	return x < 0 && y < 0 && a->graph->n_node == b->graph->n_node && !strcmp(or_none(a->target), or_none(b->target));
}

bool tree_reads_back(const struct lt_looptree *t, struct run_text *why)
{
	struct run_text one = tree_print(t), two = { NULL, 0 };
	struct lt_looptree *read;
	/* A block of exactly that size, so that a sanitizer sees a read after it. */
	char *exact = malloc(one.n);
	memcpy(exact, one.at, one.n);
	*why = (struct run_text){ NULL, 0 };
	if (lt_looptree_parse(t->base, exact, one.n, "printed", &read)) {
		const char *message = lt_context_message(t->ctx);
		run_text_add(why, message, strlen(message));
	} else {
		two = tree_print(read);
		if (one.n != two.n || memcmp(one.at, two.at, one.n) != 0 || !same_tree(t, read)) {
			run_text_add(why, "it reads back to\n", 17);
			run_text_add(why, two.at, two.n);
		}
	}
	if (why->n > 0) {
		run_text_add(why, "\nthe text:\n", 12);
		run_text_add(why, one.at, one.n);
	}
	free(exact);
	lt_looptree_free(read);
	run_text_free(&one);
	run_text_free(&two);
	return why->n == 0;
}

char *tree_with_header(const struct lt_graph *g, const char *lines)
{
	struct lt_looptree *t;
	must(lt_looptree_auto(g, NULL, &t) == LT_OK, "%s", lt_context_message(g->ctx));
	struct run_text text = tree_print(t);
	const char *end = strstr(text.at, "\ntree\n");
	must(end != NULL, "the text has no tree:\n%s", text.at);
	size_t n = (size_t)(end - text.at) + 6;
	char *out = malloc(n + strlen(lines) + 1);
	memcpy(out, text.at, n);
	strcpy(out + n, lines);
	run_text_free(&text);
	lt_looptree_free(t);
	return out;
}

lt_status tree_compile_by(tree_maker *make, const char *text, const struct lt_graph *g,
	const struct lt_options *options, struct lt_program **out)
{
	struct lt_graph *live, *lowered;
	struct lt_looptree *tree;
	*out = NULL;
	LT_TRY(lt__pass_dead(g, &live));
	lt_status st = lt__materialize(live, &lowered);
	lt_graph_free(live);
	if (st)
		return st;
	st = make(lowered, text, &tree);
	if (st) {
		lt_looptree_free(tree);
		lt_graph_free(lowered);
		return st;
	}
	return lt__compile_tree(g->ctx, g, lowered, tree, options, out);
}

lt_status tree_compile(void *text, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	return tree_compile_by(tree_from, text, g, options, out);
}

void tree_fill(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	uint64_t state = (uint64_t)n * 31 + (uint64_t)run * 1009 + 7;
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		union lt_scalar x;
		enum lt_dtype t = g->node[n].dtype;
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		int64_t number = (int64_t)(state >> 33) % 17 - 8;
		if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
			x.f = (double)number;
		else
			x.i = number;
		for (lt_param p = 0; p < g->n_param; p++)       /* the ends of its range, then any number in it */
			if (g->param[p].source == n && g->param[p].element == i)
				x.i = run == 0 ? g->param[p].low
					: run == 1 ? g->param[p].high
						   : g->param[p].low + (int64_t)((state >> 33) % (uint64_t)(g->param[p].high - g->param[p].low + 1));
		lt__store(out, i, t, lt__round_to(x, t));
	}
}

const char *tree_check(struct lt_graph *g, const char *text, const char *backends)
{
	static _Thread_local char why[1000];
	struct run_config config = { .backends = backends, .compile = tree_compile, .user = (void *)(uintptr_t)text };
	struct run_tally tally = { 0 };
	struct run_want want;
	run_want_new(g, 3, tree_fill, g, &want);
	must(want.status == LT_OK, "%s", want.message);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	run_want_free(&want);
	return why;
}
