/* test_seedot.c -- programs of SeeDot: what is refused, with its place; which loops are one node; whose file it is. */
#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"

static struct lt_context *ctx;

static void begin(void) { lt_context_new(&ctx); }
static void end(void) { lt_context_free(ctx); }
TestSuite(seedot, .init = begin, .fini = end, .timeout = 60);

static struct lt_graph *parse(const char *text, const struct lt_parse_options *o)
{
	struct lt_graph *g;

	cr_assert_eq(lt_parse_with(ctx, text, strlen(text), "m.sd", NULL, o, &g), LT_OK, "%s\n%s", lt_context_message(ctx),
		text);
	return g;
}

#define DECLARED "let X = (2, 3) in [-1, 1] in let W = (3, 4) in [-1, 1] in let T = (1, 4, 4, 2) in [-1, 1] in\n"
static const struct sd_refused { const char *text, *message; } refused[] = {
	/* words and grammar */
	{ "let a = 1.5 in\n  a ; a", "m.sd:2:5: no word begins with ';'" },
	{ "let a = 1.5 in \x01", "m.sd:1:16: no word begins with byte 0x01" },
	{ "let a = 1.5", "m.sd:1:12: expected 'in' before the end" },
	{ "let a = 1.5 in a a", "m.sd:1:18: expected the end before 'a'" },
	{ "let relu = 1.5 in relu", "m.sd:1:5: 'relu' is an operator: a name is another word" },
	{ "let in = 1.5 in in", "m.sd:1:5: expected a name before 'in'" },
	{ "let a = in in a", "m.sd:1:9: expected an expression before 'in'" },
	{ "let a = 99999999999 in a", "m.sd:1:9: a whole number is at most 2147483647, not '99999999999'" },
	{ "let a = 1e99 in a", "m.sd:1:9: '1e99' is no float of 32 bits: the largest is 3.40282e+38" },
	{ "let a = init([2], 1.0) in conv2d(a, a, {s 1}, {p 0 0 0 0}, {d 1 1}, {g 1})",
		"m.sd:1:44: expected a whole number before '}'" },
	{ "let a = init([2], 1.0) in a[0:+1", "m.sd:1:33: expected ']' before the end" },
	{ "let X = (1, 1, 1, 1, 1, 1, 1, 1, 1) in [0, 1] in X", "m.sd:1:34: a tensor has at most 8 axes" },
	/* names and declarations */
	{ "let a = b in a", "m.sd:1:9: there is no 'b' here" },
	{ "let a = 1.5 in let a = 2.5 in a", "m.sd:1:20: 'a' is defined already, in 1:5; another name is needed" },
	{ "let a = (2) in [1, 2] + 1.0 in a", "m.sd:1:9: what is declared has a name: let NAME = (SHAPE) in [LEAST, MOST] "
		"in .." },
	{ "let a = (2) in [2, 1] in a", "m.sd:1:9: the range of 'a' is empty: 2 is more than 1" },
	{ "let a = (2, 0) in [1, 2] in a", "m.sd:1:9: axis 2 has 0 elements: a tensor has at least one" },
	{ "let a = (let b = (2) in [0, 1] in b) in let c = (let b = (2) in [0, 1] in b) in a + c",
		"m.sd:1:58: 'b' is declared already, in 1:18" },
	{ "let f = g(1.5) in f", "m.sd:1:9: there is no operator 'g'; g.lt in a folder of kernels would say what it means" },
	{ "let f = sigmoide(1.5) in f", "m.sd:1:9: there is no operator 'sigmoide'; did you mean 'sigmoid'?" },
	{ "let Weight = 1.5 in Wieght + 1.0", "m.sd:1:21: there is no 'Wieght' here; did you mean 'Weight'?" },
	{ "let W = (3, 4) in\nW", "m.sd:1:11: expected ')' before ','; a tensor is declared with its least and its greatest "
		"number, (3, 4) in [-1.0, 1.0]" },
	{ DECLARED "f(X, W)", "m.sd:2:6: what 'f' is given are tensors of one shape" },
	/* types */
	{ DECLARED "X * X", "m.sd:2:3: * of (2, 3) and (2, 3): the first has as many columns as the second has rows" },
	{ DECLARED "T * X", "m.sd:2:3: * of (1, 4, 4, 2) and (2, 3): one is a number, or both are matrices; <*> is the "
		"product of "
		"elements" },
	{ DECLARED "2 * X", "m.sd:2:3: * of a whole number and (2, 3): a whole number and a tensor do not mix; a number for "
		"tensors "
		"has a point: 2.0" },
	{ DECLARED "X + W", "m.sd:2:3: + of (2, 3) and (3, 4): one is a number, or their shapes are equal; <+> and <-> take "
		"a vector "
		"along the last axis" },
	{ DECLARED "X <*> W", "m.sd:2:3: <*> of (2, 3) and (3, 4): their shapes are equal" },
	{ DECLARED "X <+> init([2], 1.0)", "m.sd:2:3: <+> of (2, 3) and (2): the last axis of the first has that extent" },
	{ DECLARED "X <+> W", "m.sd:2:7: <+> takes a tensor of 1 axis, not (3, 4)" },
	{ DECLARED "T^T", "m.sd:2:1: ^T takes a matrix, not (1, 4, 4, 2)" },
	{ DECLARED "relu(3)", "m.sd:2:6: relu takes a tensor, not a whole number" },
	{ DECLARED "sgn(X)", "m.sd:2:1: sgn takes one element, not (2, 3)" },
	{ DECLARED "X >= 0 ? X : X", "m.sd:2:1: what is compared has one element, not (2, 3)" },
	{ DECLARED "1 >= 0 ? X : W", "m.sd:2:1: both choices have one type, not (2, 3) and (3, 4)" },
	{ DECLARED "normaliseL2(1.0)", "m.sd:2:1: normaliseL2 takes a tensor of at least one axis" },
	/* views */
	{ DECLARED "X[2]", "m.sd:2:3: axis 1 has 2 elements, and what is taken are 1 from 2 on" },
	{ DECLARED "1.0[0]", "m.sd:2:1: a number has no elements to index" },
	{ DECLARED "X[1.0]", "m.sd:2:3: an index is a whole number, not one with a point" },
	{ DECLARED "X[0:+1]", "m.sd:2:1: a part of (2, 3) is said for each of its axes: [BEGIN:+N][BEGIN:+N].." },
	{ DECLARED "X[0:+1][0:+4]", "m.sd:2:9: axis 2 has 3 elements: a part of it has 1 to 3, not 4" },
	{ DECLARED "$(i = [0:4]) X[0:+2][i:+1]", "m.sd:2:22: axis 2 has 3 elements, and what is taken are 1 from 3 on" },
	{ DECLARED "reshape(X, (4), (1, 2))", "m.sd:2:1: (2, 3) has 6 elements, (4) has 4" },
	{ DECLARED "reshape(X, (6), (1, 1))", "m.sd:2:1: the order names each of the 2 axes of (2, 3) once, from 1 on" },
	{ DECLARED "reverse(X, 2)", "m.sd:2:1: there is no axis 2: (2, 3) has 2, counted from 0" },
	{ DECLARED "let X[0:+1][0:+1] = X in X", "m.sd:2:5: the part has shape (1, 1), its value (2, 3)" },
	{ "let A[0:+1] = 1.0 in A", "m.sd:1:5: there is no 'A' here" },
	/* images */
	{ DECLARED "conv2d(T, init([3, 1, 1, 1, 1], 1.0), {s 1 1}, {p 0 0 0 0}, {d 1 1}, {g 3})",
		"m.sd:2:1: conv2d of (1, 4, 4, 2) and (3, 1, 1, 1, 1): the image's 2 channels are 3 groups of the filter's 1" },
	{ DECLARED "conv2d(T, init([2, 1, 1, 1, 1], 1.0), {s 1 1}, {p 0 0 0 0}, {d 1 1}, {g 1})",
		"m.sd:2:1: conv2d of (1, 4, 4, 2) and (2, 1, 1, 1, 1): the filter's first axis is the groups, {g 1}" },
	{ DECLARED "conv2d(T, init([1, 3, 3, 2, 1], 1.0), {s 1 0}, {p 0 0 0 0}, {d 1 1}, {g 1})",
		"m.sd:2:1: conv2d: windows, strides and dilations are at least 1" },
	{ DECLARED "maxpool(T, {k 5 1}, {p 0 0 0 0}, {s 1 1})",
		"m.sd:2:1: maxpool: a window over 5 rows does not fit into 4 with pads of 0" },
	{ DECLARED "mbconv(T, [init([1, 1, 1, 2, 3], 1.0), init([3], 1.0), init([2], 1.0)], [init([3, 3, 3, 1, 1], 1.0), "
		"init([3], 1.0), init([3], 1.0)], [init([1, 1, 1, 3, 2], 1.0), init([2], 1.0), init([2], 1.0)], {s 1 1}, {p 1 1 1 "
			"1})",
		"m.sd:2:56: mbconv's scale and bias have an element for each of the 3 channels, not (2)" },
	{ DECLARED "mbconv(T, [init([1, 1, 1, 1, 3], 1.0), init([3], 1.0), init([3], 1.0)], [init([3, 3, 3, 1, 1], 1.0), "
		"init([3], 1.0), init([3], 1.0)], [init([1, 1, 1, 3, 2], 1.0), init([2], 1.0), init([2], 1.0)], {s 1 1}, {p 1 1 1 "
			"1})",
		"m.sd:2:12: mbconv's first filter is (1, 1, 1, 2, N)" },
	/* loops */
	{ DECLARED "$(i = [3:3]) X", "m.sd:2:1: [3:3] has no trip: the end comes after the begin" },
	{ DECLARED "$(i = [0:3]) i", "m.sd:2:14: what is summed is a tensor, not a whole number" },
	{ DECLARED "loop(i = [0:3], A) X", "m.sd:2:1: there is no 'A' here" },
	{ DECLARED "loop(i = [0:3], X) (let X = W in X)", "m.sd:2:25: 'X' is (2, 3), and not (3, 4)" },
	{ DECLARED "let n = 1 in loop(i = [0:3], n) X", "m.sd:2:14: a loop accumulates a tensor, which 'n' is not" },
	{ DECLARED "loop(X = [0:3], X) X", "m.sd:2:1: 'X' is defined already, in 1:5; another name is needed" },
	{ DECLARED "loop(i = [0:20001], X) (let X = X + 1.0 in X)",
		"m.sd:2:1: the trips of this loop need what others assigned, so "
		"that they are done one by one, which is too many nodes: more than 20000 trips or 262144 nodes" },
};

Test(seedot, what_is_refused_says_where_and_why)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct lt_graph *g = NULL;
		const lt_status status = lt_parse(ctx, refused[i].text, strlen(refused[i].text), "m.sd", NULL, &g);

		cr_expect_eq(status, LT_EINVAL, "%s: %s", refused[i].text, lt_status_name(status));
		cr_expect_str_eq(lt_context_message(ctx), refused[i].message, "%s", refused[i].text);
		lt_graph_free(g);
	}
}

static void expect_deep(const char *open, int n, const char *close)
{
	static char text[1 << 16];
	struct lt_graph *g = NULL;

	text[0] = 0;
	for (int i = 0; i < n; i++)
		strcat(text, open);
	strcat(text, "1.0");
	strcat(text, close);
	cr_expect_eq(lt_parse(ctx, text, strlen(text), "m.sd", NULL, &g), LT_EINVAL, "%s", open);
	cr_expect(strstr(lt_context_message(ctx), "expressions are at most 500 deep"), "%s", lt_context_message(ctx));
	lt_graph_free(g);
}

Test(seedot, nesting_ends)
{
	expect_deep("(", 2000, "");
	expect_deep("- ", 2000, "");
	expect_deep("1.0 + ", 2000, "");
	expect_deep("let a = ", 2000, "");
	expect_deep("relu(", 2000, "");
	expect_deep("0 >= 0 ? ", 2000, "");
}

/* A program is one chain of lets, however long. */
Test(seedot, a_thousand_lets)
{
	static char text[1 << 16];
	char line[64];

	strcpy(text, "let v0 = init([2], 1.0) in\n");
	for (int i = 1; i < 1000; i++) {
		(void)snprintf(line, sizeof line, "let v%d = v%d + 1.0 in\n", i, i - 1);
		strcat(text, line);
	}
	strcat(text, "v999");
	lt_graph_free(parse(text, NULL));
}

static int32_t nodes(const char *text)
{
	struct lt_graph *g = parse(text, NULL);
	const int32_t n = lt_graph_node_count(g);

	lt_graph_free(g);
	return n;
}

/* Of a loop that is done at once the nodes are as many for 10 trips as for 1000; of another one they grow. */
static const struct sd_loop { const char *begin, *end; bool at_once; } loops[] = {
	{ "let X = (1000, 4) in [0, 1] in $(i = [0:", "]) X[i]", true },
	{ "let X = (1000, 4) in [0, 1] in let A = init([1000, 4], 0.0) in loop(i = [0:",
		"], A) (let A[i:+1][0:+4] = tanh(X[i:+1][0:+4]) in A)", true },
	{ "let X = (1000, 4) in [0, 1] in let A = init([2000, 4], 0.0) in loop(i = [0:",
		"], A) (let A[2 * i:+1][0:+4] = X[i:+1][0:+4] in let A[2 * i + 1:+1][0:+2] = X[i:+1][1:+2] in A)", true },
	/* The second part is the next trip's first. */
	{ "let X = (1000, 4) in [0, 1] in let A = init([2001, 4], 0.0) in loop(i = [0:",
		"], A) (let A[2 * i:+1][0:+4] = X[i:+1][0:+4] in let A[2 * i + 2:+1][0:+2] = X[i:+1][1:+2] in A)", false },
	{ "let X = (1000, 4) in [0, 1] in let A = init([1001, 4], 0.0) in loop(i = [0:",
		"], A) (let A[i:+2][0:+4] = X[0:+2][0:+4] in A)", false },
	{ "let X = (1000, 4) in [0, 1] in let A = init([1000, 4], 0.0) in loop(i = [0:",
		"], A) (let A[i:+1][0:+4] = A[0:+1][0:+4] + X[i:+1][0:+4] in A)", false },
	{ "let X = (1000, 4) in [0, 1] in let A = init([4], 0.0) in loop(i = [0:", "], A) (A + X[i])", false },
	/* All of it is assigned before it is read. */
	{ "let X = (1000, 4) in [0, 1] in let A = init([4], 0.0) in loop(i = [0:", "], A) (let A = X[i] in A + A)", true },
	/* The value of another type is the last trip's. */
	{ "let X = (1000, 4) in [0, 1] in let A = init([1], 0.0) in loop(i = [0:", "], A) tanh(X[i])", true },
	/* An outer name is written in parts, the accumulator of each loop is nothing but that. */
	{ "let X = (1000, 4) in [0, 1] in let R = init([1000, 3, 4], 0.0) in let A = init([1], 0.0) in let B = init([1], "
		"0.0) in "
		"let d = loop(i = [0:", "], A) (let e = loop(j = [0:3], B) (let R[i:+1][j:+1][0:+4] = reshape(X[i], (1, 1, 4), "
			"(1)) in "
		"let B[0:+1] = init([1], 1.0) in B) in let A[0:+1] = e in A) in R", true },
	/* The recurrence of each row is done one by one, the rows at once. */
	{ "let X = (1000, 4) in [0, 1] in let R = init([1000, 1], 0.0) in loop(i = [0:", "], R) (let H = init([1], 0.0) in "
		"let S = loop(j = [0:4], H) (let H = tanh(H + reshape(X[i:+1][j:+1], (1), (1, 2))) in H) in "
		"let R[i:+1][0:+1] = reshape(S, (1, 1), (1)) in R)", true },
};

Test(seedot, loops_are_done_at_once_where_no_trip_sees_another)
{
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
		char text[1024];

		(void)snprintf(text, sizeof text, "%s10%s", loops[i].begin, loops[i].end);
		const int32_t few = nodes(text);
		(void)snprintf(text, sizeof text, "%s1000%s", loops[i].begin, loops[i].end);
		cr_expect_eq(few == nodes(text), loops[i].at_once, "%s: %d nodes for 10 trips", text, few);
	}
}

Test(seedot, the_file_says_whose_text_it_is)
{
	static const char *const texts[] = { "let x = 1.5 in x", "// why\n\n let x = 1.5 in x", "1.5 + 2.5" };
	struct lt_graph *g;

	for (int i = 0; i < 3; i++) {
		cr_expect_eq(lt_parse(ctx, texts[i], strlen(texts[i]), "m.sd", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
		lt_graph_free(g);
		const lt_status status = lt_parse(ctx, texts[i], strlen(texts[i]), "m.lt", NULL, &g);
		cr_expect_eq(status == LT_OK, i < 2, "%s", texts[i]);
		lt_graph_free(g);
	}
}

Test(seedot, a_name_may_be_fixed)
{
	static const int64_t shape[2] = { 2, 1 }, other[1] = { 2 };
	static const double w[2] = { 0.25, -0.75 };
	struct lt_fixed fixed = { .name = "W", .dtype = LT_F64, .rank = 2, .shape = shape, .data = w };
	struct lt_parse_options o = { .size = sizeof o, .fixed = &fixed, .n_fixed = 1 };
	static const char text[] = "let X = (1, 2) in [-1, 1] in let W = (2, 1) in [-1, 1] in X * W";
	struct lt_graph *g = parse(text, &o);
	const float *content = lt_node_content(g, lt_graph_find_node(g, "W"));

	cr_assert(content);
	cr_expect(content[0] == 0.25f && content[1] == -0.75f);
	lt_graph_free(g);
	fixed.rank = 1;
	fixed.shape = other;
	cr_expect_eq(lt_parse_with(ctx, text, strlen(text), "m.sd", NULL, &o, &g), LT_EINVAL);
	cr_expect_str_eq(lt_context_message(ctx),
		"m.sd:1:38: 'W' is declared as (2, 1), and the array that it is fixed to has (2)");
	fixed.name = "V";
	cr_expect_eq(lt_parse_with(ctx, text, strlen(text), "m.sd", NULL, &o, &g), LT_EINVAL);
	cr_expect_str_eq(lt_context_message(ctx), "m.sd: 'V' is fixed, which it does not declare");
	const char *const dim[] = { "n=3" };
	o = (struct lt_parse_options){ .size = sizeof o, .dim = dim, .n_dim = 1 };
	cr_expect_eq(lt_parse_with(ctx, text, strlen(text), "m.sd", NULL, &o, &g), LT_EINVAL);
	cr_expect_str_eq(lt_context_message(ctx), "m.sd: a program of SeeDot says the extents of its dimensions itself");
}

/* A locale that is made here: numbers of the host have a comma. */
static bool comma_locale(const char *folder)
{
	static const char text[] = "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\n"
		"grouping -1\nEND LC_NUMERIC\n";
	char path[200], command[500];

	snprintf(path, sizeof path, "%s/comma", folder);
	FILE *f = fopen(path, "w");
	cr_assert(f);
	fputs(text, f);
	cr_assert_eq(fclose(f), 0);
	snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/xx_XX >%s/said 2>&1", path, folder, folder);
	const int code = system(command);

	(void)code;                     /* 1: there were warnings */
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_NUMERIC, "xx_XX") && strcmp(localeconv()->decimal_point, ",") == 0;
}

Test(seedot, a_locale_with_decimal_commas_changes_no_number)
{
	char folder[] = "/tmp/seedot-locale-XXXXXX", command[100];
	const char *text = "let W = (2) in [-1.25, 2.5e-1] in 1.5e-1 * W + 0.75";
	const struct lt_fixed w = { "W", LT_F32, 1, (const int64_t[]){ 2 }, (const float[]){ -1.2549f, 0.2549f } };
	const struct lt_parse_options o = { .size = sizeof o, .fixed = &w, .n_fixed = 1 };
	struct lt_graph *g, *again;

	cr_assert(mkdtemp(folder));
	const bool there = comma_locale(folder);
	snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
	if (!there)
		cr_skip_test("there is no localedef here, or no charmaps for it");
	cr_assert_eq(strtod("1,5", NULL), 1.5);
	g = parse(text, &o);
	int found = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_lit)
			found += lt__scalar_of(g->node[x].bits, LT_F32).f == (double)(found ? 0.75f : 0.15f);
	cr_expect_eq(found, 2);
	lt_graph_free(g);
	static const char lit[] = "graph 1\n%a = f32[] lit 0.75\nresult \"y\" = %a\n";
	cr_assert_eq(lt_parse(ctx, lit, strlen(lit), NULL, NULL, &again), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_eq(lt__scalar_of(again->node[0].bits, LT_F32).f, 0.75);
	lt_graph_free(again);
}
