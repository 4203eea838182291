/* test_racy_trees.c -- trees whose iterations need each other: legality refuses each with a pair of iterations,
 * and where it is told not to look, the simulator finds the race and names both accesses. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "lt/lt.h"
#include "program/run/run.h"
#include "tests/ltrun.h"
#include "tests/tree_text.h"

TestSuite(racy_trees, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

#define SUM "graph 1\nvar k 40\n%x = f32[k] input \"x\"\n%p = f32[k] mul %x, %x\n%s = f32[] add.reduce %p\n" \
	"result \"s\" = %s\n"
#define ROWS "graph 1\nvar m 6\nvar k 40\n%x = f32[m, k] input \"x\"\n%p = f32[m, k] exp %x\n" \
	"%s = f32[m] add.reduce %p\nresult \"s\" = %s\n"
/* y of the iteration after */
#define AFTER "graph 1\nvar i 3\nvar j 40\n%x = f32[i, j] input \"x\"\n%y = f32[i, j] exp %x\n" \
	"%v = f32[i, j] view { %y[i, j + 1] if 38 - j >= 0; else 0.0 }\n%z = f32[i, j] add %v, %x\nresult \"y\" = %y\n" \
	"result \"z\" = %z\n"
/* y has no var k, and no loop over it is needed */
#define REPEATED "graph 1\nvar m 9\nvar k 4\n%x = f32[m] input \"x\"\n%y = f32[m] exp %x\n%z = f32[m, k] cast %y\n" \
	"result \"y\" = %y\nresult \"z\" = %z\n"
#define REPEATED_TREE(kind) "for k" kind "\n  for m\n    %y f32[m] = exp %x\n    %z f32[m k] = cast %y\n"
#define LINE "graph 1\nvar j 40\n%x = f32[j] input \"x\"\n%y = f32[j] exp %x\n" \
	"%v = f32[j] view { %y[j - 1] if j - 1 >= 0; else 0.0 }\n%z = f32[j] add %v, %x\nresult \"y\" = %y\n" \
	"result \"z\" = %z\n"

#define OTHER_BLOCK ", which another block has written (store in line"
static const struct {
	const char *graph, *config, *tree, *steps;
	const char *refused[2];         /* words of the refusal: the pair */
	const char *found[4];           /* of what the simulator says: an access, its element, the other access */
} racy[] = {
	/* blocks, parallel iterations that add to one element */
	{ SUM, "sim:grid", NULL, "bind k grid.x",
		{ "the grid loop over k reduces %s", "at k = 0 and k = 1 add to the same" },
		{ "in line", "element 0 of buffer s" OTHER_BLOCK, "check blocks" } },
	{ SUM, "sim", NULL, "parallel k",
		{ "the parallel loop over k reduces %s", "at k = 0 and k = 1 add to the same" },
		{ "in line", "element 0 of buffer s, which point", "has written (store in line", "check write_read" } },
	{ ROWS, "sim:grid", NULL, "reorder k m; bind k grid.x; bind m block.x",
		{ "the grid loop over k reduces %s", "at k = 0, m = 0 and k = 1, m = 0 add" },
		{ "in line", "of buffer s" OTHER_BLOCK, "check blocks" } },
	/* a reader at the wrong level: in the blocks, threads or iterations that write what others read */
	{ LINE, "sim:grid/order=forward", NULL, "fuse %z %y/j; bind j grid.x",
		{ "the grid loop over j carries", "%z at j = 1 reads element 0 of %y, which another iteration, at j = 0, writes" },
		{ "load in line", "reads element 0 of buffer y" OTHER_BLOCK, "check blocks" } },
	{ LINE, "sim:grid/order=forward", NULL, "fuse %z %y/j; bind j block.x",
		{ "the block loop over j carries", "%z at j = 1 reads element 0 of %y, which another iteration, at j = 0, writes" },
		{ "load in line", "reads element 0 of buffer y, which thread 0 of block (0, 0, 0) has written (store in line",
			"check threads" } },
	{ AFTER, "sim:grid", NULL, "fuse %z %y/j",
		{ "%z at i = 0, j = 0 reads element 0, 1 of %y", "is written at" },
		{ "an undefined value goes to element 0 of buffer z" } },
	/* blocks, and threads, that write the same elements */
	{ REPEATED, "sim:grid", REPEATED_TREE(" grid.x"), NULL,
		{ "the grid loop over k repeats %y", "k = 0, m = 0 and k = 1, m = 0 both write element 0 of %y" },
		{ "store in line", "writes element", "of buffer y" OTHER_BLOCK, "check blocks" } },
	{ REPEATED, "sim:grid", REPEATED_TREE(" block.x"), NULL,
		{ "the block loop over k repeats %y", "k = 0, m = 0 and k = 1, m = 0 both write element 0 of %y" },
		{ "store in line", "writes element", "has written (store in line", "check threads" } },
};

static lt_status racy_compile(
	struct lt_context *ctx, struct lt_graph *g, int i, const char *schedule, struct lt_program **out)
{
	const struct lt_options o = { .size = sizeof o, .n_thread = 1, .backends = racy[i].config, .strict = 1,
		.no_passes = 1, .apply = racy[i].steps, .schedule = schedule, .schedule_bytes = strlen(schedule) };
	return lt_compile(ctx, g, &o, out);
}

/* The nests of case i as a text of the graph's tree, or steps; static storage. */
static const char *racy_schedule(struct lt_context *ctx, struct lt_graph *g, int i)
{
	static const char plain[] = "schedule 1\n";
	static char text[4000];
	const struct lt_options o = { .size = sizeof o, .backends = "sim:grid", .no_passes = 1, .schedule = plain,
		.schedule_bytes = sizeof plain - 1, .plan_only = 1 };
	struct lt_program *p;
	if (!racy[i].tree)
		return plain;
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	struct run_text tree = tree_print(p->tree);
	char *nests = strstr(tree.at, "\ntree\n");
	cr_assert(nests);
	(void)snprintf(text, sizeof text, "%.*s\ntree\n%s", (int)(nests - tree.at), tree.at, racy[i].tree);
	run_text_free(&tree);
	lt_program_free(p);
	return text;
}

static void *bytes_new(size_t bytes)
{
	void *at = calloc(bytes ? bytes : 1, 1);
	cr_assert(at);
	return at;
}

/* Zeros for inputs; what the run says. */
static lt_status racy_run(struct lt_program *p, char *message, size_t cap)
{
	struct lt_instance *r;
	const void *input[4];
	void *result[4];
	int n_input = lt_program_count(p, LT_BINDING_INPUT), n_result = lt_program_count(p, LT_BINDING_RESULT);
	for (int i = 0; i < n_input; i++)
		input[i] = bytes_new(lt_program_bytes(p, LT_BINDING_INPUT, i));
	for (int i = 0; i < n_result; i++)
		result[i] = bytes_new(lt_program_bytes(p, LT_BINDING_RESULT, i));
	cr_assert_eq(lt_instance_new(p, &r), LT_OK);
	lt_status st = lt_instance_run(r, input, result);
	(void)snprintf(message, cap, "%s", st ? lt_instance_message(r) : "");
	lt_instance_free(r);
	for (int i = 0; i < n_input; i++)
		free((void *)(uintptr_t)input[i]);
	for (int i = 0; i < n_result; i++)
		free(result[i]);
	return st;
}

/* A legal tree whose program is without one of its barriers: tiles in shared memory that are read by other threads
 * before they are written, or overwritten before they are read. */
#define PRODUCT "graph 1\nvar m 20\nvar k 12\nvar n 20\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n" \
	"%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"
#define STAGED "split m 4; tail m mask; split n 4; tail n mask; split k 4; reorder m n k m' n' k'; " \
	"materialize %%c at n; stage %%p %%a at k; bind m grid.y; bind n grid.x; " \
	"bind %%p/m' block.y; bind %%p/n' block.x; bind %%a.copy/m' block.y; " \
	"bind %%a.copy/k' block.x; bind %%c.copy/m' block.y; bind %%c.copy/n' block.x"

Test(racy_trees, both_accesses_are_named_where_a_barrier_is_missing)
{
	static const char *const says[2][3] = {
		{ "writes element", "of buffer a.copy, which thread ", "(load in line " },
		{ "reads element", "of buffer a.copy, which thread ", "(store in line " },
	};
	static const char *const orders[] = { "forward", "backward", "random" };
	bool seen[2] = { false, false };
	ltrun_write_text("case.graph", PRODUCT);
	ltrun_write_text("plain", "schedule 1\n");
	for (int run = 0; run < 9; run++) {
		char config[60];
		int drop = run / 3;
		(void)snprintf(config, sizeof config, drop ? "sim:grid/order=%s/drop=%d" : "sim:grid/order=%s", orders[run % 3],
			drop);
		int code = ltrun("--no-cache --no-passes --strict -b %s --schedule=plain --apply=\"" STAGED "\" -q -i '*=random' "
			"case.graph", config);
		cr_expect_eq(code != 0, drop > 0, "without barrier %d: %s", drop, ltrun_err);
		for (int i = 0; i < 2 && drop; i++)
			seen[i] = seen[i]
				|| (strstr(ltrun_err, says[i][0]) && strstr(ltrun_err, says[i][1]) && strstr(ltrun_err, says[i][2]));
	}
	cr_expect(seen[0] && seen[1], "%s", ltrun_err);
}

Test(racy_trees, are_refused_and_found_where_they_are_not)
{
	for (int i = 0; i < (int)(sizeof racy / sizeof *racy); i++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p;
		char message[2000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, racy[i].graph, strlen(racy[i].graph), "racy", &g), LT_OK, "%s",
			lt_context_message(ctx));
		const char *schedule = racy_schedule(ctx, g, i);
		cr_expect_eq(racy_compile(ctx, g, i, schedule, &p), LT_EILLEGAL, "case %d", i);
		for (int k = 0; k < 2 && racy[i].refused[k]; k++)
			cr_expect(strstr(lt_context_message(ctx), racy[i].refused[k]), "case %d: '%s' does not say '%s'", i,
				lt_context_message(ctx), racy[i].refused[k]);
		ctx->unproven = true;
		cr_assert_eq(racy_compile(ctx, g, i, schedule, &p), LT_OK, "case %d: %s", i, lt_context_message(ctx));
		cr_expect_eq(racy_run(p, message, sizeof message), LT_EDEVICE, "case %d: nothing is found", i);
		for (int k = 0; k < 4 && racy[i].found[k]; k++)
			cr_expect(strstr(message, racy[i].found[k]), "case %d: '%s' does not say '%s'", i, message, racy[i].found[k]);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}
