/* tree_marked.c -- loop trees with kinds and tails from text, and back. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"
#include "check/random/must.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

/* What comes after a loop's name. */
static void mark(struct lt_looptree *t, lt_tnode at, char *words)
{
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
		const struct lt_kindword *k = lt__kind_find(w, strlen(w));
		if (!strcmp(w, "step")) {
			t->node[at].step = strtoll(strtok(NULL, " "), NULL, 10);
		} else if (!strcmp(w, "tail")) {
			w = strtok(NULL, " ");
			t->node[at].tail = (enum lt_tail)lt__tail_find(w, strlen(w));
		} else {
			must(k != NULL, "%s", w);
			t->node[at].loop = k->kind;
			t->node[at].arg = k->arg;
			t->node[at].call = k->named ? lt__arena_string(t->arena, strtok(NULL, " ")) : NULL;
		}
	}
}

/* "own %b.copy = copy %b for %p" */
static void add_derived(struct lt_looptree *t, char *line)
{
	char *word[32] = { NULL };
	int n = 0;
	for (char *w = strtok(line, " "); w && n < 31; w = strtok(NULL, " "))
		word[n++] = w;
	must(n >= 5 && *word[1] == '%' && *word[4] == '%', "an own line has to name two nodes");
	struct lt_derived_move move[6] = { { NULL, NULL, 0 } };      /* of a window; a partial sum has one */
	struct lt_derived_step s = { .kind = LT_DERIVED_MATERIALIZE, .made = word[1] + 1, .of = word[4] + 1 };
	for (int i = 5; i + 1 < n; i += 2) {
		const char *value = word[i + 1];
		if (!strcmp(word[i], "for") || !strcmp(word[i], "at"))
			s.reader = value + 1;
		else if (!strcmp(word[i], "over"))
			move[s.n_move++].var = value;
		else if (!strcmp(word[i], "step"))
			move[s.n_move - 1].step = strtoll(value, NULL, 10);
		else if (!strcmp(word[i], "below"))
			s.span = strtoll(value, NULL, 10);
		else
			move[s.n_move - 1].dim = value;
	}
	s.kind = !strcmp(word[3], "partial") ? LT_DERIVED_PARTIAL
		: !strcmp(word[3], "clone")  ? (strcmp(word[5], "at") ? LT_DERIVED_CLONE : LT_DERIVED_CLONE_VIEW)
		: !strcmp(word[3], "window") ? LT_DERIVED_WINDOW
		: s.reader                   ? LT_DERIVED_COPY
					     : LT_DERIVED_MATERIALIZE;
	s.move = move;
	if (s.kind == LT_DERIVED_PARTIAL) {
		s.n_move = 0;
		s.var = move[0].var;
		s.dim = move[0].dim;
		s.step = move[0].step;
	}
	must(lt__tree_derive(t, &s, 1, NULL) == LT_OK, "%s", lt_context_message(t->ctx));
}

/* What comes after a leaf: "layout [n/4 pad 2 k n] pad 3", or "stream". */
static void add_layout(struct lt_looptree *t, lt_node n, char *words)
{
	t->node[t->leaf_of[n]].stream = !strcmp(words, "stream");
	if (t->node[t->leaf_of[n]].stream)
		return;
	struct lt_step_word digit[16];
	struct lt_words digits = { 0, digit };
	if (!strtok(words, " "))
		return;
	for (char *w = strtok(NULL, " []"); w; w = strtok(NULL, " []"))
		digit[digits.n++] = (struct lt_step_word){ w, strlen(w) };
	must(lt__layout_read(t, n, &digits, &t->layout[n]) == LT_OK, "%s", lt_context_message(t->ctx));
}

struct build { const struct lt_graph *g; const char *text; struct lt_looptree *t; };
static lt_status build(void *arg)
{
	struct build *b = arg;
	lt_tnode at[64];
	for (const char *line = b->text; *line;) {
		if (!strncmp(line, "own ", 4)) {
			char derived[200];
			snprintf(derived, sizeof derived, "%.*s", (int)strcspn(line, "\n"), line);
			add_derived(b->t, derived);
			line += strcspn(line, "\n") + 1;
			continue;
		}
		size_t depth = strspn(line, " "), bytes = strcspn(line, "\n"), name;
		char word[128];
		must(depth < 63 && bytes - depth < sizeof word, "a line is too long: %s", line);
		memcpy(word, line + depth, bytes - depth);
		word[bytes - depth] = '\0';
		lt_tnode parent = depth ? at[depth - 1] : -1;
		name = strcspn(word, "' ");
		char *rest = word + name + strspn(word + name, "' ");
		word[name] = '\0';
		if (word[0] == '%')
			at[depth] = lt_looptree_add_leaf(b->t, parent, tree_node(b->t->graph, word + 1));
		else if (!strcmp(word, "group"))
			at[depth] = lt_looptree_add_group(b->t, parent);
		else
			at[depth] = lt_looptree_add_loop(b->t, parent, tree_var(b->t->graph, word), 1);
		must(at[depth] >= 0, "%s", lt_context_message(b->g->ctx));
		if (word[0] == '%')
			add_layout(b->t, b->t->node[at[depth]].leaf, rest);
		else
			mark(b->t, at[depth], rest);
		line += bytes + (line[bytes] != '\0');
	}
	return LT_OK;
}

struct lt_looptree *tree_marked_open(const struct lt_graph *g, const char *text)
{
	struct build b = { g, text, NULL };
	must(lt_looptree_new(g, &b.t) == LT_OK, "%s", lt_context_message(g->ctx));
	must(lt__protect(g->ctx, build, &b) == LT_OK, "%s", lt_context_message(g->ctx));
	return b.t;
}

lt_status tree_marked_try(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	*out = tree_marked_open(g, text);
	return lt_looptree_finish(*out);
}

struct lt_looptree *tree_marked(const struct lt_graph *g, const char *text)
{
	struct lt_looptree *t;
	must(tree_marked_try(g, text, &t) == LT_OK, "%s\n%s", lt_context_message(g->ctx), text);
	return t;
}

void tree_marks(const struct lt_looptree *t, struct run_text *out)
{
	char line[300];
	struct lt_arena *a;
	must(lt__arena_new(t->ctx, &a) == LT_OK, "%s", lt_context_message(t->ctx));
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		struct lt_text derived = { .arena = a };
		lt__text_format(&derived, "own %%%s = ", t->derived->step[i].made);
		lt__derived_text(&derived, &t->derived->step[i]);
		lt__text_add(&derived, "\n", 1);
		run_text_add(out, derived.at, derived.n);
	}
	for (lt_tnode n = lt_looptree_after(t, -1); n >= 0; n = lt_looptree_after(t, n)) {
		const struct lt_tnodedef *d = &t->node[n];
		size_t at = 0;
		for (lt_tnode up = d->parent; up >= 0; up = t->node[up].parent)
			line[at++] = ' ';
		char *to = line + at;
		size_t cap = sizeof line - at;
		const struct lt_kindword *k = lt__kind_word(d->loop, d->arg);
		bool marked = k->kind != LT_SERIAL;
		struct lt_text layout = { .arena = a };
		if (d->kind == LT_TLEAF && t->layout[d->leaf])
			lt__layout_text(&layout, t, d->leaf);
		if (d->kind == LT_TLEAF)
			snprintf(to, cap, "%%%s%s%.*s%s\n", t->graph->node[d->leaf].name, layout.n ? " layout " : "",
				(int)layout.n, layout.n ? layout.at : "", d->stream ? " stream" : "");
		else if (d->kind == LT_TGROUP)
			snprintf(to, cap, "group%s%s%s%s\n", marked ? " " : "", marked ? k->word : "", d->call ? " " : "",
				d->call ? d->call : "");
		else
			snprintf(to, cap, "%s%s%s%s%s%s%s%s\n", lt__loop_name(t, n),
				d->step > 1 ? lt__scratch(t->ctx, " step %lld", (long long)d->step) : "",
				marked ? " " : "", marked ? k->word : "", d->call ? " " : "", d->call ? d->call : "",
				d->tail ? "  tail " : "", d->tail ? lt__tail_word(d->tail) : "");
		run_text_add(out, line, strlen(line));
	}
	lt__arena_free(a);
}

void tree_expect_marks(const struct lt_looptree *t, const char *want, const char *steps)
{
	struct run_text text = { NULL, 0 };
	tree_marks(t, &text);
	cr_expect_str_eq(text.at, want, "`%s` gives\n%swanted\n%s", steps, text.at, want);
	run_text_free(&text);
}

lt_status tree_compile_marked(
	void *text, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	return tree_compile_by(tree_marked_try, text, g, options, out);
}
