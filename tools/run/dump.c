/* dump.c -- printing instead of running: the graph, and what the compiler made of it. */
#include <stdlib.h>
#include <string.h>
#include "frontends/script/print/print.h"
#include "ir/pass/pass.h"
#include "lt/looptree.h"
#include "tools/run/run.h"
#include "tools/common/common.h"

/* Texts of graphs and trees are plain by themselves (names between quotes are escaped there, and read back): nothing is
 * left to be escaped in them; in others, such as C, names stand in comments.
 */

/* The graph after one pass. */
struct after { const struct run *r; struct lt_says *to; char letter; lt_status status; bool found; };

static lt_status print_graph(const struct run *r, const struct lt_graph *g, struct lt_says *to)
{
	return !strcmp(r->o.dump, "dot") ? lt_graph_dot(g, lt__say_piece, to) :
		!strcmp(r->o.dump, "script") ? lt__script_print(g, lt__say_piece, to) : lt_graph_print(g, lt__say_piece, to);
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

static lt_status dump_graph(struct run *r, struct lt_says *to)
{
	struct after a = { .r = r, .to = to, .letter = r->o.pass };
	struct lt_graph *last = NULL;

	if (r->o.backends)
		LT_TRY(run_backends_choose(r));
	if (!r->o.pass)
		return print_graph(r, r->model.graph, to);
	LT_TRY(lt__passes_run(r->model.graph, print_after, &a, &last));
	lt_graph_free(last);
	return a.found ? a.status : lt_fail(r->ctx, LT_EINVAL, "there is no pass -d%c (lt-run -h lists them)", r->o.pass);
}

static lt_status dump_program(struct run *r, struct lt_says *to)
{
	static const struct { const char *name; enum lt_dump_kind kind; } kinds[] = {
		{ "tree", LT_SHOW_TREE }, { "access", LT_SHOW_ACCESS }, { "frozen", LT_SHOW_FROZEN }, { "source", LT_SHOW_SOURCE },
		{ "asm", LT_SHOW_ASM }, { "plan", LT_SHOW_PLAN }, { "kernel", LT_SHOW_KERNEL },
		{ "stats", LT_SHOW_STATS }, { "schedule", LT_SHOW_SCHEDULE }, { "explain", LT_SHOW_EXPLAIN },
	};
	lt_status s = LT_OK;

	LT_TRY(run_backends_choose(r));
	LT_TRY(run_cache_find(r));
	LT_TRY(run_compile(r));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !s; i++)
		if (!strcmp(r->o.dump, kinds[i].name))
			s = lt_program_dump(r->program, kinds[i].kind, lt__say_piece, to);
	/* A backend that has no source to show is the wrong one to ask. */
	return s == LT_EUNSUPPORTED ? LT_EINVAL : s;
}

lt_status run_dump(struct run *r)
{
	const struct model_options o = run_model_options(&r->o);
	struct lt_outfile out = { .file = stdout };
	struct lt_says says = { 0 };
	char *weights = NULL;
	lt_status s;

	if (run_dump_is(&r->o, "script"))
		LT_TRY(model_weights_dump(r->ctx, &o, &r->model, r->o.output, &weights));
	s = r->o.output ? lt__out_open(r->ctx, r->o.output, &out) : LT_OK;
	if (s) {
		free(weights);
		return s;
	}
	says.to = out.file;
	if (weights)
		lt__say(out.file, "# weights: %s\n", lt__shown(weights).text);
	free(weights);
	s = run_dump_graph(&r->o) ? dump_graph(r, &says) : dump_program(r, &says);
	lt__say_end(&says);
	if (r->o.output && lt__out_close(r->ctx, &out, !s) && !s)
		s = lt_context_code(r->ctx);
	return s;
}

static lt_status diff(struct run *r, const struct lt_bytes *a, const struct lt_bytes *b, struct lt_says *to)
{
	int same;
	lt_status s = lt_looptree_diff(r->ctx, (const char *)a->at, a->n, r->o.script, (const char *)b->at, b->n,
		r->o.second, &same, lt__say_piece, to);

	if (!s && !same)
		r->verdict = LT_EXIT_FAILED;
	return s;
}

lt_status run_diff(struct run *r)
{
	struct lt_bytes other = { 0 };
	struct lt_outfile out = { .file = stdout };
	lt_status s = lt__mistake(lt__bytes_read(r->ctx, r->o.script, &r->model.script));

	if (!s)
		s = lt__mistake(lt__bytes_read(r->ctx, r->o.second, &other));
	if (!s && r->o.output)
		s = lt__out_open(r->ctx, r->o.output, &out);
	if (!s) {
		struct lt_says says = { .to = out.file };

		s = diff(r, &r->model.script, &other, &says);
		lt__say_end(&says);
		if (r->o.output && lt__out_close(r->ctx, &out, !s) && !s)
			s = lt_context_code(r->ctx);
	}
	lt__bytes_free(&other);
	return s;
}
