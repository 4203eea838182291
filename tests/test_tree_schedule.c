/* test_tree_schedule.c -- schedules from files: what runs is what the text says; what backends lack; differences;
 * lt-run. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program/run/run.h"
#include "tests/built.h"
#include "tests/parsed.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(tree_schedule, .timeout = 300);

static struct lt_context *context(void)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	return ctx;
}

static const char box[] =
	"graph 1\nvar a 16\nvar b 8\nvar c 24\nvar d 4\n%x = f32[a, b, c, d] input \"x\"\n%y = f32[a, b, c, d] exp %x\n"
	"%z = f32[a, b, c, d] neg %y\nresult \"z\" = %z\n";

static lt_status compile_with(
	void *lines, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct lt_options o = *options;
	struct lt_program *p;
	struct run_text text = { NULL, 0 };
	*out = NULL;
	LT_TRY(lt_compile(
		g->ctx, g, &(struct lt_options){ .size = sizeof o, .backends = "ref", .no_passes = o.no_passes }, &p));
	char *schedule = tree_with_header(p->tree->graph, lines);
	lt_program_free(p);
	o.schedule = schedule;
	o.schedule_bytes = strlen(schedule);
	lt_status st = lt_compile(g->ctx, g, &o, out);
	if (!st)
		cr_assert_eq(lt_program_dump(*out, LT_SHOW_TREE, run_text_add, &text), LT_OK);
	int same = 1;
	struct run_text differences = { NULL, 0 };
	if (!st)
		cr_assert_eq(lt_looptree_diff(g->ctx, schedule, o.schedule_bytes, "given", text.at, text.n, "run",
				     &same, run_text_add, &differences),
			LT_OK);
	cr_assert(same, "%s", differences.at);
	run_text_free(&text);
	free(schedule);
	return st;
}

static const char *run_lines(const char *graph, const char *lines, const char *backends)
{
	static _Thread_local char why[1000];
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx, graph);
	struct run_config config = {
		.backends = backends, .no_passes = true, .compile = compile_with, .user = (void *)(uintptr_t)lines
	};
	struct run_tally tally = { 0 };
	struct run_want want;
	run_want_new(g, 3, tree_fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
	return why;
}

static const char product[] = "graph 1\nvar m 41\nvar k 24\nvar n 18\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input "
			      "\"b\"\n%v = f32[n] input \"v\"\n"
			      "%w = f32[n] view { %v[17 - n] }\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] "
			      "add.reduce %p\n%d = f32[m, n] add %c, %w\nresult \"d\" = %d\n";
static const char softmax[] =
	"graph 1\nvar m 7\nvar k 19\n%x = f32[m, k] input \"x\"\n%h = f32[m] max.reduce %x\n%d = f32[m, k] sub %x, %h\n"
	"%e = f32[m, k] exp %d\n%s = f32[m] add.reduce %e\n%y = f32[m, k] div %e, %s\nresult \"y\" = %y\n";
#define P "%p f32[m n k] = mul %a %b\n"
#define D "%d f32[m n] = add %c %w\n"
static const struct { const char *graph, *lines;
} edited[] = {
	/* split, with rests in each dim */
	{ product,
		"for m step 13\n  for n step 6\n    for k step 8\n      for k'\n        for m'\n          for n'\n     "
		"       " P "            %c f32[m n] = add.reduce[k k'] %p\n    for m'\n      for n'\n        " D },
	{ product,
		"for m step 13\n  for m' step 3\n    for k\n      for m''\n        for n\n          " P
		"          %c f32[m n] = add.reduce[k] %p\n"
		"    for m''\n      for n\n        " D },
	/* swapped loops, nests apart */
	{ product,
		"for n\n  for m\n    for k step 5\n      for k'\n        " P "        %c f32[m n] = add.reduce[k k'] "
									     "%p\n    " D },
	{ product,
		"for k\n  for n step 7\n    for m\n      for n'\n        " P "        %c f32[m n] = add.reduce[k] "
									     "%p\nfor n\n  for m\n    " D },
	{ product,
		"for m\n  for n\n    for k\n      " P "for n\n  for m\n    for k\n      %c f32[m n] = add.reduce[k] "
						      "%p\n  for m step 10\n    for m'\n      " D },
	/* kinds that the C backend takes */
	{ product, "for m parallel\n  for n\n    for k\n      " P "      %c f32[m n] = add.reduce[k] %p\n    " D },
	{ product,
		"for m\n  for k step 6\n    for k' unroll\n      for n\n        " P
		"        %c f32[m n] = add.reduce[k k'] %p\n  for n vector\n    " D },
	/* rows of a softmax: in one nest, and each step in its own */
	{ softmax,
		"for m step 3\n  for m'\n    for k\n      %h f32[m] = max.reduce[k] %x\n    for k\n      %d f32[m k] = "
		"sub %x %h\n"
		"      %e f32[m k] = exp %d\n    for k\n      %s f32[m] = add.reduce[k] %e\n    for k step 4\n      "
		"for k'\n        %y f32[m k] = div %e %s\n" },
	{ softmax,
		"for k\n  for m\n    %h f32[m] = max.reduce[k] %x\nfor k\n  for m\n    %d f32[m k] = sub %x %h\nfor "
		"m\n  for k step 5\n    for k' step 2\n"
		"      for k''\n        %e f32[m k] = exp %d\n        %s f32[m] = add.reduce[k k' k''] %e\nfor k\n  "
		"for m\n    %y f32[m k] = div %e %s\n" },
};

static void check_edited(const char *backends)
{
	for (size_t i = 0; i < sizeof edited / sizeof *edited; i++)
		cr_expect_str_eq(run_lines(edited[i].graph, edited[i].lines, backends), "", "tree %zu on %s", i, backends);
}

Test(tree_schedule, edited_trees_run_on_ref) { check_edited("ref"); }
Test(tree_schedule, edited_trees_run_on_cpu) { check_edited("cpu"); }

static lt_status compile_only(const char *lines, const char *backends, char *why, size_t bytes)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx, box);
	struct lt_program *p;
	const struct lt_options options = { .size = sizeof options, .backends = backends, .no_passes = true };
	lt_status st = compile_with((void *)(uintptr_t)lines, g, &options, &p);
	snprintf(why, bytes, "%s", st ? lt_context_message(ctx) : "");
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return st;
}

/* What a backend does not know it refuses; the tree is not changed for it. */
Test(tree_schedule, kinds_that_a_backend_lacks_are_refused)
{
	static const char *const kinds[] = { "grid.x", "block.y", "call gemm", "rank" };
	char lines[512], why[1000];
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		snprintf(lines, sizeof lines,
			"for a %s\n  for b\n    for c\n      for d\n        %%y f32[a b c d] = exp %%x\n        %%z "
			"f32[a b c d] = neg %%y\n",
			kinds[i]);
		cr_assert_eq(compile_only(lines, "cpu", why, sizeof why), LT_EUNSUPPORTED, "%s: %s", kinds[i], why);
		cr_assert_not_null(strstr(why, "cpu refuses it"), "%s", why);
	}
	cr_assert_eq(compile_only("group tile mma\n  for a\n    for b\n      for c\n        for d\n          %y f32[a "
				  "b c d] = exp %x\n"
				  "          %z f32[a b c d] = neg %y\n",
			     "ref", why, sizeof why),
		LT_EUNSUPPORTED);
	cr_assert_not_null(strstr(why, "no backend takes a group with `tile mma`"), "%s", why);
}

Test(tree_schedule, what_is_no_schedule_is_refused)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "s.tree:1:1: a schedule begins with 'looptree 1'" },
		{ "# nothing\n", "s.tree:2:1: a schedule begins with 'looptree 1' (a tree, as lt-run --dump=tree prints it) or with "
			"'schedule 1' (a list of primitives), not with '': it is empty" },
		{ "tree\nfor m\n", "s.tree:1:1: a schedule begins with" },
		{ "tree\nfor m\n", "not with 'tree'" },
		{ "\n\n  for m  # a loop\n", "s.tree:3:3: a schedule begins with" },
		{ "\n\n  for m  # a loop\n", "not with 'for m  # a loop'" },
		{ " # a tree\nlooptree 2\n", "s.tree:2:10: version 2 of the text of trees is not known" },
	};
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx, product);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_program *p;
		const struct lt_options options = { .size = sizeof options, .backends = "ref", .schedule = cases[i].text,
			.schedule_bytes = strlen(cases[i].text), .schedule_name = "s.tree" };
		cr_assert_neq(lt_compile(ctx, g, &options, &p), LT_OK);
		cr_assert_not_null(strstr(lt_context_message(ctx), cases[i].want), "%s", lt_context_message(ctx));
		/* The same without its length. */
		struct lt_options ended = options;
		ended.schedule_bytes = 0;
		cr_assert_neq(lt_compile(ctx, g, &ended, &p), LT_OK);
		cr_assert_not_null(strstr(lt_context_message(ctx), cases[i].want), "%s", lt_context_message(ctx));
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* ---- differences ---- */

#define HEAD "looptree 1\ngraph 0123456789abcdef\ntarget -\nvar m 9\nvalue %x f32[m] = input\ntree\n"
static const struct { const char *a, *b, *want;
} differences[] = {
	{ HEAD "for m\n  %y f32[m] = neg %x\n", HEAD "for  m   # another fact\n\n  %y f32[m] = neg %x  # and here",
		"" },
	{ HEAD "for m\n  %y f32[m] = neg %x\n", HEAD "for m parallel\n  %y f32[m] = neg %x\n",
		"changed a:7: for m\n  to    b:7: for m parallel\n" },
	{ HEAD "for m\n  %y f32[m] = neg %x\n", HEAD "for m step 3\n  for m'\n    %y f32[m] = neg %x\n",
		"changed a:7: for m\n  to    b:7: for m step 3\nadded   b:8: for m'\nmoved   a:8: %y f32[m] = neg %x\n "
		" to    b:9: %y f32[m] = neg %x\n" },
	{ HEAD "for m\n  %y f32[m] = neg %x\n  %z f32[m] = neg %y\n", HEAD "for m\n  %z f32[m] = neg %y\n",
		"removed a:8: %y f32[m] = neg %x\n" },
	{ HEAD "for m\n  %z f32[m] = neg %y\n", HEAD "for m\n  %y f32[m] = neg %x\n  %z f32[m] = neg %y\n",
		"added   b:8: %y f32[m] = neg %x\n" },
	{ HEAD, "looptree 1\ngraph 0123456789abcde0\ntarget -\nvar n 9\nvalue %x f32[m] = input\ntree\n",
		"changed a:2: graph 0123456789abcdef\n  to    b:2: graph 0123456789abcde0\nremoved a:4: var m 9\nadded "
		"  b:4: var n 9\n" },
};

Test(tree_schedule, differences_are_told_by_line)
{
	struct lt_context *ctx = context();
	for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
		struct run_text got = { NULL, 0 };
		int same;
		cr_assert_eq(lt_looptree_diff(ctx, differences[i].a, strlen(differences[i].a), "a", differences[i].b,
				     strlen(differences[i].b), "b", &same, run_text_add, &got),
			LT_OK, "%s", lt_context_message(ctx));
		cr_expect_str_eq(got.at ? got.at : "", differences[i].want, "case %zu", i);
		cr_expect_eq(same, !*differences[i].want);
		run_text_free(&got);
	}
	int same;
	cr_assert_eq(lt_looptree_diff(ctx, "for m\n", 6, "a", HEAD, strlen(HEAD), "b", &same, run_text_add, NULL), LT_ESYNTAX);
	cr_assert_not_null(strstr(lt_context_message(ctx), "a:1:1: the text of a tree begins with"));
	lt_context_free(ctx);
}

/* ---- lt-run ---- */

static char out[1 << 18], err[1 << 16];

static int lt_run(const char *script, const char *options)
{
	char command[8192];
	snprintf(command, sizeof command, "%s %s --no-cache %s", built("lt-run"), script, options);
	return run_command(command, out, sizeof out, err, sizeof err);
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");
	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

Test(tree_schedule, lt_run_takes_checks_and_compares_schedules, .fini = scratch_remove)
{
	char options[1024], *from;
	snprintf(options, sizeof options, "-b ref --dump=tree -o %s", scratch("a.tree"));
	cr_assert_eq(lt_run("examples/softmax.lt", options), 0, "%s", err);
	snprintf(options, sizeof options, "--check-schedule --schedule=%s", scratch("a.tree"));
	cr_assert_eq(lt_run("examples/softmax.lt", options), 0, "%s", err);
	cr_assert_str_eq(out, "applies\n");
	cr_assert_eq(lt_run("examples/matmul.lt", options), 1);
	cr_assert_not_null(strstr(err, "a.tree:4:5:"), "%s", err);
	cr_assert_not_null(strstr(err, "of another graph"), "%s", err);
	cr_assert_str_eq(out, "");
	cr_assert_eq(lt_run("examples/softmax.lt", "--check-schedule"), 2);
	cr_assert_eq(lt_run("examples/softmax.lt", "--schedule=none.tree"), 2);
	/* one loop less: the line that no longer applies */
	size_t bytes;
	char *text = script_file(scratch("a.tree"), &bytes);
	cr_assert_not_null(from = strstr(text, "for i "));
	memcpy(from, "for j ", 6);
	write_text("b.tree", text);
	snprintf(options, sizeof options, "--check-schedule --schedule=%s", scratch("b.tree"));
	cr_assert_eq(lt_run("examples/softmax.lt", options), 1);
	cr_assert_not_null(strstr(err, "b.tree:9:7: 1 loop over j encloses this one, so its name has 1 prime, not 0"), "%s",
		err);
	snprintf(options, sizeof options, "%s", scratch("b.tree"));
	char both[4096];
	snprintf(both, sizeof both, "--dump=diff %s %s", scratch("a.tree"), options);
	cr_assert_eq(lt_run(both, ""), 1);
	cr_assert_not_null(strstr(out, "removed "), "%s", out);
	snprintf(both, sizeof both, "--dump=diff %s %s", options, options);
	cr_assert_eq(lt_run(both, ""), 0);
	cr_assert_str_eq(out, "");
	snprintf(both, sizeof both, "--dump=diff %s", options);
	cr_assert_eq(lt_run(both, ""), 2);
	free(text);
}

/* The schedules that are shown fit the scripts that they are for: NAME-WHAT.tree goes with examples/NAME.lt. */
Test(tree_schedule, the_examples_schedules_apply)
{
	DIR *dir = opendir("examples/schedules");
	struct dirent *entry;
	int count = 0;
	cr_assert_not_null(dir);
	while ((entry = readdir(dir))) {
		char script[600], options[600];
		if (!strstr(entry->d_name, ".tree"))
			continue;
		snprintf(script, sizeof script, "examples/%.*s.lt", (int)strcspn(entry->d_name, "-."), entry->d_name);
		snprintf(options, sizeof options, "--check-schedule --schedule=examples/schedules/%s", entry->d_name);
		cr_assert_eq(lt_run(script, options), 0, "%s", err);
		count++;
	}
	closedir(dir);
	cr_assert_geq(count, 3);
}
