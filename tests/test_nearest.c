/* test_nearest.c -- the names that a word was probably meant to be, wherever a message names one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "lt/lt.h"

static const char *const primitives[] = { "split", "merge", "reorder", "fuse", "inline", "tail", NULL };

static const struct { const char *word, *hint; } words[] = {
	{ "SPLIT", "; did you mean 'split'?" },         /* case alone */
	{ "Split", "; did you mean 'split'?" },
	{ "slpit", "; did you mean 'split'?" },         /* two exchanged */
	{ "splt", "; did you mean 'split'?" }, { "splitt", "; did you mean 'split'?" }, { "spxit", "; did you mean 'split'?" },
	{ "FUES", "; did you mean 'fuse'?" },
	{ "hoist", "" }, { "x", "" }, { "", "" },
	{ "splitsplitsplitsplitsplitsplitsplitsplitsplitsplitsplitsplit", "" },
};

Test(nearest, case_and_one_mistake)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		cr_expect_str_eq(lt__nearest_of(ctx, words[i].word, strlen(words[i].word), primitives), words[i].hint,
			"%s", words[i].word);
	lt_context_free(ctx);
}

Test(nearest, as_many_as_are_as_near)
{
	static const char *const names[] = { "n", "n2", "N3", "m", "n33", NULL };
	struct lt_context *ctx;
	struct lt_nearest x;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_expect_str_eq(lt__nearest_of(ctx, "n3", 2, names), "; did you mean 'N3'?");
	lt__nearest_begin(&x, "n44", 3);
	for (int i = 0; names[i]; i++)
		lt__nearest_add(&x, names[i]);
	cr_expect_eq(x.n, 3);
	cr_expect_str_eq(lt__nearest_hint(ctx, &x, "%", ""), "; did you mean %n or %n2 or %N3?");
	lt_context_free(ctx);
}

static const struct { const char *line, *says; } lines[] = {
	{ "%y = f32[m] exp %X", "there is no node '%X' above this line; did you mean %x?" },
	{ "%y = f32[m] exp %99", "there is no node '%99' above this line; there is %x" },
	{ "%y = F32[m] exp %x", "expected a type such as f32, found 'F32'; did you mean f32?" },
	{ "%y = float32[m] exp %x", "found 'float32'; did you mean f32?" },
	{ "%y = bfloat16[m] exp %x", "found 'bfloat16'; did you mean bf16?" },
	{ "%y = f32[M] exp %x", "expected the name of a var, found 'M'; did you mean 'm'?" },
	{ "%y = f32[m] Exp %x", "expected an operator, found 'Exp'; did you mean 'exp'?" },
	{ "%y = f32[m] sgimoid %x", "did you mean 'sigmoid'?" },
};

Test(nearest, graphs_in_text_form)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char text[300];
		struct lt_graph *g;
		int n = snprintf(text, sizeof text,
			"graph 1\nvar m 4\n%%x = f32[m] input \"x\"\n%s\nresult \"y\" = %%y\n", lines[i].line);
		cr_assert_neq(lt_graph_parse(ctx, text, (size_t)n, "t", &g), LT_OK, "%s", lines[i].line);
		cr_expect(strstr(lt_context_message(ctx), lines[i].says), "%s: %s", lines[i].line, lt_context_message(ctx));
	}
	lt_context_free(ctx);
}

/* Steps that name what is not there. */
static const struct { const char *steps, *says; } steps[] = {
	{ "SPLIT m 6", "apply:1:1: `SPLIT m 6`: there is no primitive 'SPLIT'; did you mean 'split'?" },
	{ "slpit m 6", "there is no primitive 'slpit'; did you mean 'split'?" },
	{ "split %99 6", "`split %99 6`: the graph has no node %99; there are %p, %c, %d (lt-run --dump=tree shows them)" },
	{ "split %99/m 6", "the graph has no node %99; there are %p, %c, %d (" },
	{ "split %d 6", "'%d' is a leaf; a loop is named by its var, as m', or %y/m' around the leaf of %y" },
	{ "inline %D", "the graph has no node %D; did you mean %d? (lt-run --dump=tree shows them)" },
	{ "stage %p %99 at m", "the graph has no node %99; there are %a, %b, %p, %c, %d (lt-run" },
	{ "materialize %cc", "the graph has no node %cc; did you mean %c? (" },
	{ "split M 6", "there is no loop M; there are m, k, n; did you mean m?" },
	{ "split k 6; unroll K'", "apply:1:12: `unroll K'`: there is no loop K'; there are m, k, k', n; did you mean k'?" },
	{ "", "apply: there is no step in ''; give one, such as \"split m 8\" (docs/schedule.md), or leave it out" },
	{ " ;\n; # nothing", "apply: there is no step in ' ;" },
};

Test(nearest, steps_of_a_schedule)
{
	static const char text[] =
		"graph 1\nvar m 13\nvar n 9\nvar k 11\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
		"%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%d = f32[m, n] exp %c\nresult \"d\" = "
		"%d\n";
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, sizeof text - 1, "t", &g), LT_OK, "%s", lt_context_message(ctx));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const struct lt_options o = { .size = sizeof o, .backends = "ref", .apply = steps[i].steps, .plan_only = 1 };
		struct lt_program *p;
		cr_expect_neq(lt_compile(ctx, g, &o, &p), LT_OK, "`%s`", steps[i].steps);
		cr_expect(strstr(lt_context_message(ctx), steps[i].says), "`%s`: %s", steps[i].steps, lt_context_message(ctx));
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}
