/* tools/run_dump.c -- printing instead of running: the graph, and what the compiler made of it. */
#include <stdlib.h>
#include <string.h>
#include "ir/pass.h"
#include "lt/looptree.h"
#include "tools/run.h"
#include "tools/say.h"

/* Texts of graphs and trees are plain by themselves (names between quotes are escaped there, and read back): nothing is left to be escaped in them;
 * in others, such as C, names stand in comments.
 */

/* The graph after one pass. */
struct after { const struct run *r; struct lt_says *to; char letter; lt_status status; bool found; };

static lt_status print_graph(const struct run *r, const struct lt_graph *g, struct lt_says *to)
{
	return !strcmp(r->o.dump, "dot") ? lt_graph_dot(g, lt__say_piece, to) : lt_graph_print(g, lt__say_piece, to);
}

static void print_after(void *user, char letter, const char *name, const struct lt_graph *g)
{
	struct after *a = user;

	(void)name;
	if (letter != a->letter || a->found)
		return;
	a->found = true;
	a->status = print_graph(a->r, g, a->to);
}

static int dump_graph(struct run *r, struct lt_says *to)
{
	struct after a = { .r = r, .to = to, .letter = r->o.pass };
	struct lt_graph *last = NULL;
	lt_status s;
	int code = r->o.backends ? run_backends_choose(r) : RUN_OK;

	if (code != RUN_OK)
		return code;
	if (!r->o.pass) {
		s = print_graph(r, r->graph, to);
	} else {
		s = lt__passes_run(r->graph, print_after, &a, &last);
		if (!s)
			lt_graph_free(last);
		if (!s && !a.found)
			return run_usage("there is no pass -d%c (C, F, E, D are)", r->o.pass);
		s = s ? s : a.status;
	}
	return s ? run_status(r, s, "printing") : RUN_OK;
}

static int dump_program(struct run *r, struct lt_says *to)
{
	static const struct { const char *name; enum lt_dump_kind kind; } kinds[] = {
		{ "tree", LT_SHOW_TREE }, { "access", LT_SHOW_ACCESS }, { "frozen", LT_SHOW_FROZEN }, { "source", LT_SHOW_SOURCE },
		{ "asm", LT_SHOW_ASM }, { "plan", LT_SHOW_PLAN },
	};
	int code = run_backends_choose(r);
	lt_status s = LT_OK;

	if (code == RUN_OK)
		code = run_cache_find(r);
	if (code == RUN_OK)
		code = run_compile(r);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && code == RUN_OK; i++)
		if (!strcmp(r->o.dump, kinds[i].name) && (s = lt_program_dump(r->program, kinds[i].kind, lt__say_piece, to)))
			/* A backend that has no source to show is the wrong one to ask. */
			code = s == LT_EUNSUPPORTED ? run_usage("%s", lt_context_message(r->ctx)) : run_status(r, s, "printing");
	return code;
}

int run_dump(struct run *r)
{
	bool graph = !strcmp(r->o.dump, "graph") || !strcmp(r->o.dump, "dot");
	struct lt_outfile out = { .file = stdout };
	struct lt_says says = { 0 };
	lt_status s;
	int code;

	if (r->o.output && (s = lt__out_open(r->ctx, r->o.output, &out)))
		return run_status(r, s, "writing");
	says.to = out.file;
	code = graph ? dump_graph(r, &says) : dump_program(r, &says);
	lt__say_end(&says);
	if (r->o.output && (s = lt__out_close(r->ctx, &out, code == RUN_OK)) && code == RUN_OK)
		code = run_status(r, s, "writing");
	return code;
}

static int diff(struct run *r, const struct lt_bytes *a, const struct lt_bytes *b, struct lt_says *to)
{
	int same;
	lt_status s = lt_looptree_diff(r->ctx, (const char *)a->at, a->n, r->o.script, (const char *)b->at, b->n, r->o.second, &same, lt__say_piece, to);

	return s ? run_status(r, s, "comparing") : same ? RUN_OK : RUN_FAILED;
}

int run_diff(struct run *r)
{
	struct lt_bytes other = { 0 };
	struct lt_outfile out = { .file = stdout };
	bool bad = lt__bytes_read(r->ctx, r->o.script, &r->script) || lt__bytes_read(r->ctx, r->o.second, &other);
	int code = bad ? run_usage("%s", lt_context_message(r->ctx)) : RUN_OK;

	if (code == RUN_OK && r->o.output && lt__out_open(r->ctx, r->o.output, &out))
		code = run_failed("%s", lt_context_message(r->ctx));
	else if (code == RUN_OK) {
		struct lt_says says = { .to = out.file };

		code = diff(r, &r->script, &other, &says);
		lt__say_end(&says);
		if (r->o.output && lt__out_close(r->ctx, &out, code != RUN_USAGE))
			code = run_failed("%s", lt_context_message(r->ctx));
	}
	lt__bytes_free(&other);
	return code;
}
