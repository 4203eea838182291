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
