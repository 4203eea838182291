/* test_partition.c -- which groups whole networks are cut into for routines that take descriptions: a line for each
 * kind of call and nest, with their number, is what tests/groups/NAME.txt has (LT_BLESS=1 rewrites it).  Smaller
 * images of the same networks are run as they are cut, and as trees that were edited and given back.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "lt/frontend.h"
#include "program/program.h"
#include "program/run/run.h"
#include "tests/built.h"
#include "tests/networks.h"
#include "tests/script_run.h"
#include "tests/tree_summary.h"

TestSuite(partition, .timeout = 300);
TestSuite(more_partition, .timeout = 1200);

/* file: of a script; NULL: a network of networks.h, with an image of another size where it is run.  options: of a run.
 * calls: at least. */
#define CACHE(layer, start, end) " -i cache_start_" #layer "=" #start " -i cache_end_" #layer "=" #end
static const struct { const char *name, *file, *options; int calls; } nets[] = {
	{ "resnet50", NULL, "-i '*=random' -c '*=random'", 50 }, { "mobilenetv2", NULL, "-i '*=random' -c '*=random'", 50 },
	{ "bert", NULL, NULL, 12 * 7 },
	{ "mnist", "examples/hamkaas-mnist.lt", "-i '*=random' -c '*=random'", 2 },
	{ "llama_step", "examples/llama/stories15M.lt", "-i '*=random' -c '*=random' -i pos_plus_one=1"
		CACHE(0, 0, 288) CACHE(1, 73728, 74016) CACHE(2, 147456, 147744) CACHE(3, 221184, 221472)
		CACHE(4, 294912, 295200) CACHE(5, 368640, 368928), 6 * 6 },
};
enum { N_NET = sizeof nets / sizeof *nets };

/* The script; side: of the image, in the place of 224. */
static char *text_of(size_t i, int side, size_t *bytes)
{
	char *text = NULL, want[32], now[32];
	if (nets[i].file)
		return script_file(nets[i].file, bytes);
	FILE *f = open_memstream(&text, bytes);
	cr_assert(f && network_write(nets[i].name, f) && fclose(f) == 0);
	int n = snprintf(want, sizeof want, "[1, 3, 224, 224]");
	char *at = strstr(text, want);
	if (at) {
		(void)snprintf(now, sizeof now, "[1, 3, %d, %d]", side, side);
		(void)snprintf(want, sizeof want, "%-*s", n, now);
		memcpy(at, want, (size_t)n);
	}
	return text;
}

/* -- the text -- */

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

static void add_nest(struct lt_text *x, const struct lt_tree *t)
{
	if (t->calls.n > 0) {
		add_call(x, t, LT_AT(struct lt_call, t->calls, 0));
		return;
	}
	lt__text_add(x, "loops:", 6);
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
		k->calls += k->p->nests.frozen[i].tree.calls.n > 0;
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

static void print_groups(size_t i, FILE *to)
{
	const struct lt_options o = { .size = sizeof o, .backends = "sim:grid/groups", .strict = 1, .plan_only = 1 };
	struct kinds k = { .to = to };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	size_t bytes;
	char *text = text_of(i, 224, &bytes);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, text, bytes, nets[i].name, "script", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt__arena_new(ctx, &k.a), LT_OK);
	k.p = p;
	cr_expect_eq(lt__protect(ctx, print_kinds, &k), LT_OK);
	cr_expect_geq(k.calls, nets[i].calls, "%s: %d calls", nets[i].name, k.calls);
	lt__arena_free(k.a);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
}

Test(partition, of_whole_networks)
{
	for (size_t i = 0; i < N_NET; i++) {
		char path[64], *text = NULL;
		size_t bytes = 0;
		(void)snprintf(path, sizeof path, "tests/groups/%s.txt", nets[i].name);
		FILE *f = getenv("LT_BLESS") ? fopen(path, "w") : open_memstream(&text, &bytes);
		cr_assert(f, "%s cannot be written", path);
		print_groups(i, f);
		cr_assert_eq(fclose(f), 0);
		if (text) {
			char *want = layers_read(path);
			cr_expect(want && strcmp(want, text) == 0, "%s: another partition (make bless, if the change is meant):\n%s", path,
				text);
			free(want);
		}
		free(text);
	}
}

/* -- run -- */

/* By the descriptions of the calls, and with the calls handed to a routine that takes anything.  So many layers of
 * random weights leave elements of which rounding may explain any value: they are judged by runs with noise. */
Test(more_partition, networks_are_right_as_they_are_cut)
{
	for (size_t i = 0; i < 2 * N_NET; i++) {
		static char command[4000], out[8000], err[8000];
		const char *options = nets[i / 2].options, *name = nets[i / 2].name;
		size_t bytes;
		if (!options)
			continue;
		char *text = text_of(i / 2, 32, &bytes), run[500];
		FILE *f = fopen(scratch("net.lt"), "w");
		cr_assert(f && fwrite(text, 1, bytes, f) == bytes && fclose(f) == 0);
		(void)snprintf(run, sizeof run, "%s -b sim:grid/groups %s", built("lt-run"), scratch("net.lt"));
		(void)snprintf(command, sizeof command, "%s%s %s %s -q --verify=allow-unbounded %s", i % 2 ? run : "",
			i % 2 ? " --dump=tree | sed 's/group call [a-z]*/group call any/' |" : "", run,
			i % 2 ? "--schedule=-" : "", options);
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s: %s%s", name, out, err);
		cr_expect_not_null(strstr(out, "verify: passed"), "%s: %s%s", name, out, err);
		free(text);
	}
	scratch_remove();
}
