/* described.c -- see described.h. */
#include "tests/described.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "check/random/random.h"
#include "ir/pass/pass.h"
#include "looptree/schedule/schedule.h"
#include "lt/frontend.h"
#include "program/program.h"
#include "program/storage/storage.h"

static const char *root_path(const struct lt_looptree *t, lt_tnode root, char *out, size_t bytes)
{
	if (t->node[root].kind == LT_TLEAF)
		(void)snprintf(out, bytes, "%%%s", t->graph->node[t->node[root].leaf].name);
	else
		(void)snprintf(out, bytes, "%s", lt__loop_path(t, root));
	return out;
}

lt_status described_step(struct lt_looptree **t, const char *step)
{
	struct lt_looptree *next = NULL;
	LT_TRY(lt_looptree_apply(*t, step, strlen(step), "random", 0, NULL, &next, NULL));
	lt_looptree_free(*t);
	*t = next;
	return LT_OK;
}

/* The nests from one root to another as `call any`. */
lt_status described_roots(struct lt_looptree **t, lt_tnode first, lt_tnode last)
{
	char steps[600], a[200], b[200], name[200] = "group";
	lt_tnode leaf = first;
	while ((*t)->node[leaf].kind != LT_TLEAF)
		leaf = (*t)->node[leaf].child;
	int32_t groups = 0;
	for (lt_tnode at = (*t)->root; at >= 0; at = (*t)->node[at].next)
		groups += (*t)->node[at].kind == LT_TGROUP;
	if (groups)
		(void)snprintf(name, sizeof name, "%%%s/group", (*t)->graph->node[(*t)->node[leaf].leaf].name);
	(void)snprintf(steps, sizeof steps, "group %s %s; call %s any", root_path(*t, first, a, sizeof a),
		root_path(*t, last, b, sizeof b), name);
	return described_step(t, steps);
}

lt_status described_draw(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	struct described_drawn *d = (struct described_drawn *)(uintptr_t)(const void *)text;
	uint64_t rng = d->rng;
	char step[2000];
	int kind;
	LT_TRY(lt_looptree_auto(g, NULL, out));
	for (int64_t n = random_chance(&rng, 50) ? random_between(&rng, 1, 4) : 0; n > 0; n--)
		if (random_step(*out, &rng, "bind call group called rfactor partials parallel", &kind, step, sizeof step))
			(void)described_step(out, step);
	if (random_chance(&rng, 40)) {          /* inside of loops */
		for (int turn = 0; turn < 3; turn++) {
			lt_tnode at = (lt_tnode)random_between(&rng, 0, (*out)->n_node - 1);
			if ((*out)->node[at].kind != LT_TLOOP || lt__root_of(*out, at) < 0)
				continue;
			(void)snprintf(step, sizeof step, "call %s any", lt__loop_path(*out, at));
			d->calls += described_step(out, step) == LT_OK;
		}
		return LT_OK;
	}
	for (int turn = 0; turn < 3; turn++) {
		lt_tnode root[200];
		int32_t n = 0;
		for (lt_tnode at = (*out)->root; at >= 0 && n < 200; at = (*out)->node[at].next)
			root[n++] = at;
		if (!n)
			break;
		int32_t first = (int32_t)random_between(&rng, 0, n - 1),
			last = random_chance(&rng, 50) ? n - 1 : (int32_t)random_between(&rng, first, n - 1);
		bool grouped = false;
		for (int32_t i = first; i <= last; i++)
			grouped = grouped || (*out)->node[root[i]].kind == LT_TGROUP;
		if (grouped || described_roots(out, root[first], root[last]) != LT_OK)
			continue;
		d->calls++;
	}
	return LT_OK;
}

/* As a program is lowered, with passes or without. */
lt_status described_compile(
	void *user, const struct lt_graph *g, const struct lt_options *o, struct lt_program **out)
{
	const struct described_user *u = user;
	struct lt_graph *live = NULL, *lowered = NULL;
	struct lt_looptree *t = NULL;
	*out = NULL;
	lt_status st = u->passes ? lt__passes_run(g, NULL, NULL, &live) : lt__pass_dead(g, &live);
	st = st ? st : lt__materialize(live, &lowered);
	lt_graph_free(live);
	st = st ? st : u->make(lowered, u->what, &t);
	if (st) {
		lt_looptree_free(t);
		lt_graph_free(lowered);
		return st;
	}
	return lt__compile_tree(g->ctx, g, lowered, t, o, out);
}

static lt_status whole(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	(void)text;
	LT_TRY(lt_looptree_auto(g, NULL, out));
	return described_roots(out, (*out)->root, (*out)->last_root);
}

void described_called_new(const char *text, struct described_called *c)
{
	struct described_user user = { whole, NULL, true };
	const struct lt_options o = { .size = sizeof o, .backends = "ref" };
	cr_assert_eq(lt_context_new(&c->ctx), LT_OK);
	cr_assert_eq(lt_parse(c->ctx, text, strlen(text), "plan", "script", &c->g), LT_OK, "%s\n%s",
		lt_context_message(c->ctx), text);
	cr_assert_eq(described_compile(&user, c->g, &o, &c->p), LT_OK, "%s\n%s", lt_context_message(c->ctx), text);
	cr_assert_eq(c->p->nests.n, 1, "%s", text);
	c->t = &c->p->nests.frozen[0].tree;
	cr_assert(c->t->calls.n == 1 && LT_AT(struct lt_call, c->t->calls, 0)->n_result, "%s", text);
}

void described_called_free(struct described_called *c)
{
	lt_program_free(c->p);
	lt_graph_free(c->g);
	lt_context_free(c->ctx);
}
