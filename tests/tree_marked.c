/* tests/tree_marked.c -- loop trees with kinds and tails from text, and back. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/edit.h"
#include "looptree/text.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

/* What stands behind a loop's name. */
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
			cr_assert_not_null(k, "%s", w);
			t->node[at].loop = k->kind;
			t->node[at].arg = k->arg;
			t->node[at].call = k->named ? lt__arena_string(t->arena, strtok(NULL, " ")) : NULL;
		}
	}
}

struct build { const struct lt_graph *g; const char *text; struct lt_looptree *t; };
static lt_status build(void *arg)
{
	struct build *b = arg;
	lt_tnode at[64];
	for (const char *line = b->text; *line;) {
		size_t depth = strspn(line, " "), bytes = strcspn(line, "\n"), name;
		char word[128];
		cr_assert(depth < 63 && bytes - depth < sizeof word);
		memcpy(word, line + depth, bytes - depth);
		word[bytes - depth] = '\0';
		lt_tnode parent = depth ? at[depth - 1] : -1;
		name = strcspn(word, "' ");
		char *rest = word + name + strspn(word + name, "' ");
		word[name] = '\0';
		if (word[0] == '%')
			at[depth] = lt_looptree_add_leaf(b->t, parent, tree_node(b->g, word + 1));
		else if (!strcmp(word, "group"))
			at[depth] = lt_looptree_add_group(b->t, parent);
		else
			at[depth] = lt_looptree_add_loop(b->t, parent, tree_var(b->g, word), 1);
		cr_assert_geq(at[depth], 0, "%s", lt_context_message(b->g->ctx));
		if (word[0] != '%')
			mark(b->t, at[depth], rest);
		line += bytes + (line[bytes] != '\0');
	}
	return LT_OK;
}

struct lt_looptree *tree_marked(const struct lt_graph *g, const char *text)
{
	struct build b = { g, text, NULL };
	cr_assert_eq(lt_looptree_new(g, &b.t), LT_OK);
	cr_assert_eq(lt__protect(g->ctx, build, &b), LT_OK);
	cr_assert_eq(lt_looptree_finish(b.t), LT_OK, "%s\n%s", lt_context_message(g->ctx), text);
	return b.t;
}

void tree_marks(const struct lt_looptree *t, struct run_text *out)
{
	char line[300];
	for (lt_tnode n = lt_looptree_after(t, -1); n >= 0; n = lt_looptree_after(t, n)) {
		const struct lt_tnodedef *d = &t->node[n];
		size_t at = 0;
		for (lt_tnode up = d->parent; up >= 0; up = t->node[up].parent)
			line[at++] = ' ';
		char *to = line + at;
		size_t room = sizeof line - at;
		const struct lt_kindword *k = lt__kind_word(d->loop, d->arg);
		bool told = k->kind != LT_SERIAL;
		if (d->kind == LT_TLEAF)
			snprintf(to, room, "%%%s\n", t->graph->node[d->leaf].name);
		else if (d->kind == LT_TGROUP)
			snprintf(to, room, "group%s%s%s%s\n", told ? " " : "", told ? k->word : "", d->call ? " " : "", d->call ? d->call : "");
		else
			snprintf(to, room, "%s%s%s%s%s%s%s%s\n", lt__loop_name(t, n), d->step > 1 ? lt__scratch(t->ctx, " step %lld", (long long)d->step) : "",
				told ? " " : "", told ? k->word : "", d->call ? " " : "", d->call ? d->call : "", d->tail ? "  tail " : "",
				d->tail ? lt__tail_word(d->tail) : "");
		run_text_add(out, line, strlen(line));
	}
}
