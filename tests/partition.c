/* partition.c -- the nests of a program that is not run, as text. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "lt/frontend.h"
#include "program/program.h"
#include "program/run/run.h"
#include "tests/networks.h"
#include "tests/partition.h"
#include "tests/script_run.h"
#include "tests/tree_summary.h"

static void add_anchor(
	struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, const struct lt_call_anchor *a)
{
	static const char *const kinds[] = { "", "product", "convolution", "attention", "norm" },
		*const roles[] = { "batch", "row", "column", "deep" };
	const struct lt_call_op *work = LT_AT(struct lt_call_op, t->call_ops, c->first_op + a->op[1]);
	lt__text_format(x, " %s", kinds[a->kind]);
	for (int role = LT_DIM_BATCH; role <= LT_DIM_DEEP; role++) {
		bool any = false;
		for (int32_t d = 0; d < c->n_axis; d++) {
			const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + d);
			if (dim->role != role || !(work->axes >> d & 1))
				continue;
			if (!any)
				lt__text_format(x, ", %s", roles[role]);
			lt__text_format(x, " %lld", (long long)dim->extent);
			any = true;
		}
	}
	lt__text_add(x, ";", 1);
}

static void add_call(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c)
{
	int roundings = 0;
	lt__text_format(x, "call %s:", LT_AT(struct lt_loop, t->loops, c->loop)->call);
	for (int32_t i = 0; i < c->n_anchor; i++)
		add_anchor(x, t, c, LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor + i));
	for (int32_t i = 0; i < c->n_op; i++) {
		const struct lt_call_op *o = LT_AT(struct lt_call_op, t->call_ops, c->first_op + i);
		lt__text_format(x, " %s%s", LT_AT(struct lt_op, t->ops, o->op)->name, o->kind == LT_CALL_REDUCE ? ".reduce" : "");
		roundings += o->may_skip;
	}
	if (c->n_result > 1)
		lt__text_format(x, "; %d results", (int)c->n_result);
	if (roundings)
		lt__text_format(x, "; %d roundings", roundings);
}

/* A call without operations is an instruction of the loops that it is in. */
static void add_nest(struct lt_text *x, const struct lt_tree *t)
{
	const struct lt_call *c = t->calls.n > 0 ? LT_AT(struct lt_call, t->calls, 0) : NULL;
	if (c && c->n_op > 0) {
		add_call(x, t, c);
		return;
	}
	lt__text_format(x, "loops%s%s:", c ? " with " : "", c ? LT_AT(struct lt_loop, t->loops, c->loop)->call : "");
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind == LT_MAP || s->kind == LT_REDUCE)
			lt__text_format(x, " %s%s", LT_AT(struct lt_op, t->ops, s->op)->name, s->kind == LT_REDUCE ? ".reduce" : "");
	}
}

struct kinds { struct lt_arena *a; const struct lt_program *p; FILE *to; int calls; };

static lt_status print_kinds(void *arg)
{
	struct kinds *k = arg;
	const int32_t n = k->p->nests.n;
	const char **line = LT_NEW(k->a, const char *, n + 1);
	for (int32_t i = 0; i < n; i++) {
		struct lt_text x = { .arena = k->a };
		add_nest(&x, &k->p->nests.frozen[i].tree);
		line[i] = x.at;
		k->calls += strncmp(x.at, "call ", 5) == 0;
	}
	for (int32_t i = 0; i < n; i++) {
		int times = 0;
		for (int32_t o = 0; o < n && times >= 0; o++)
			times = strcmp(line[o], line[i]) != 0 ? times : o < i ? -1 : times + 1;
		if (times > 0)
			fprintf(k->to, "%d %s\n", times, line[i]);
	}
	return LT_OK;
}

static int print_nests(const char *name, const char *text, size_t bytes, const char *backend, FILE *to)
{
	const struct lt_options o = { .size = sizeof o, .backends = backend, .strict = 1, .plan_only = 1 };
	struct kinds k = { .to = to };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, text, bytes, name, NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s: %s", name, lt_context_message(ctx));
	cr_assert_eq(lt__arena_new(ctx, &k.a), LT_OK);
	k.p = p;
	cr_expect_eq(lt__protect(ctx, print_kinds, &k), LT_OK);
	lt__arena_free(k.a);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return k.calls;
}

char *partition_script(const char *name, const char *type, size_t *bytes)
{
	char *text = NULL;
	if (strchr(name, '/'))
		return script_file(name, bytes);
	FILE *f = open_memstream(&text, bytes);
	cr_assert(f && network_write(name, type, f) && fclose(f) == 0);
	return text;
}

int partition_compare(const char *path, const char *name, const char *text, size_t bytes, const char *backend)
{
	char *now = NULL;
	size_t n = 0;
	FILE *f = getenv("LT_BLESS") ? fopen(path, "w") : open_memstream(&now, &n);
	cr_assert(f, "%s cannot be written", path);
	int calls = print_nests(name, text, bytes, backend, f);
	cr_assert_eq(fclose(f), 0);
	if (now) {
		char *want = layers_read(path);
		cr_expect(want && strcmp(want, now) == 0, "%s: another partition (make bless, if the change is meant):\n%s", path,
			now);
		free(want);
	}
	free(now);
	return calls;
}
