/* tests/test_text.c -- the graph's text: print and parse are inverse, and every mistake is named with its place. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph.h"
#include "ir/literal.h"
#include "tests/oracle.h"
#include "tests/run_graph.h"

/* -- texts that print as they are -- */

static const char *const same[] = {
	"graph 1\n",
	/* everything at once */
	"graph 1\n"
	"var m 8\n"
	"var t 7 limit pos + 1\n"
	"var u 7 limit -pos - 2*end + 4611686018427387897\n"
	"var w 1 limit 0\n"
	"var n 12\n"
	"param pos = %p[0] in 0..6\n"
	"param end = %p[1] in -3..-1\n"
	"require pos - 2*end - 5 >= 0 \"a \\\"text\\\"\\n\\\\ \\x01 \xc3\xa4\" @ 3:14\n"
	"require end == 0 \"\"\n"
	"%p = i64[m] input \"p\" @ 1:1\n"
	"%5 = f32[m, n] constant \"w, 1\"\n"
	"%s = f32[m, n] state \"cache\"\n"
	"%i = i64[n] index n\n"
	"%5.mul = f32[m, n] mul %5, %s @ 7:0\n"
	"%r = f32[m] add.reduce %5.mul\n"
	"%c = f16[m] cast %r\n"
	"%g = f32[n] gather %r, %i axis 0\n"
	"%u = f32[m, n] update %s, %5 at [0, 0]\n"
	"%z = f32[] view { %r[pos + 1] }\n"
	"%v = f32[t, n] view { %5[t + pos, n] if 7 - t - pos >= 0; else -inf }\n"
	"%x = f32[n] view {\n"
	"  %r[floor((n + 3) / 2)] if 2*n - 1 >= 0, -n - end >= 0;\n"
	"  bits(0x7fc00001) if 5 - n >= 0;\n"
	"  else bits(0xffc00000)\n"
	"}\n"
	"result \"a b\" = %x\n"
	"result \"v\" = %v\n"
	"set %s = %u\n",
	/* floors: within one another, shared, with run-time scalars in them, and constants alone */
	"graph 1\n"
	"var i 100\n"
	"var j 90\n"
	"param p = %q[0] in 0..1\n"
	"%q = i64[i] input \"q\"\n"
	"%x = i64[j] view { %q[j + floor(j / 3) - 4*floor((p + floor(j / 3)) / 4)] }\n"
	"%y = i64[i] view { %q[0] if 4611686018427387903 - i >= 0, -46582687054822099*i >= 0, -4611686018427387903 >= "
	"0; "
	"else -9223372036854775808 }\n"
	"%z = i64[] view { %q[floor(7 / 2)] }\n",
	/* columns that the text would not give in this order are listed */
	"graph 1\n"
	"var i 100\n"
	"param p = %q[0] in 0..1\n"
	"param r = %q[1] in 0..1\n"
	"%q = i64[i] input \"q\"\n"
	"%x = i64[i] view { with p, r, p, floor(i / 3), floor(i / 3), floor((~0 + ~3) / 2): %q[-~2 + ~4] if ~5 - 1 >= "
	"0 }\n"
	"%y = i64[i] view { with p: %q[i] }\n",
	/* operands that the pieces would not give in this order are listed */
	"graph 1\n"
	"var i 4\n"
	"%a = i64[i] input \"a\"\n"
	"%b = i64[i] input \"b\"\n"
	"%x = i64[i] view %a, %b, %a {\n"
	"  1[i] if i - 1 >= 0;\n"
	"  7 if i - 2 >= 0;\n"
	"  2[i];\n"
	"  else 3\n"
	"}\n",
	/* literals */
	"graph 1\n"
	"%a = f32[] lit 0.0\n%b = f32[] lit -0.0\n%c = f32[] lit 0.125\n%d = f32[] lit 0x1.99999ap-4\n%e = f32[] lit "
	"inf\n"
	"%f = f32[] lit 0x1p-149\n%g = f64[] lit 0x1.fffffffffffffp+1023\n%h = f64[] lit 0x1p-1074\n%i = f16[] lit "
	"65504.0\n"
	"%j = bf16[] lit 0x1.fep+127\n%k = i8[] lit -128\n%l = u8[] lit 255\n%m = i64[] lit 9223372036854775807\n"
	"%n = bool[] lit true\n%o = bool[] lit false\n%p = f64[] lit bits(0x7ff8000000000001)\n%q = f64[] lit "
	"1099511627775.875\n"
	"%r = f64[] lit 0x1p+40\n",
};

Test(text, prints_as_it_was)
{
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		char *text;

		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, same[i], strlen(same[i]), "t", &g), LT_OK, "%zu: %s", i, lt_context_message(ctx));
		text = run_graph_text(g);
		cr_assert_str_eq(text, same[i]);
		free(text);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* What may be written otherwise than it is printed. */
Test(text, other_spellings)
{
	static const char written[] = "\n# a comment\n graph 1 # version\r\n\n"
		"var i 16\nvar j\t4  \n"
		"%a = f32[ i ] input \"\\x61\"   # the input\n"
		"%b = f32[j,i] view {%a[ i + 3*j - 2*j\n  - j ]\n if i+0*j-1>=0 ; else 1e-1\n}\n"
		"%c = f64[] lit 0.1\n%d=f32[]lit 16777217\n%e = u8[] lit 0xff\n%f = f32[] lit 0x10p-3\n"
		"%h = f32[i] view { %a[floor((i) / 2) + floor(i/2)] }";
	static const char printed[] = "graph 1\nvar i 16\nvar j 4\n%a = f32[i] input \"a\"\n"
		"%b = f32[j, i] view { %a[i] if i - 1 >= 0; else 0x1.99999ap-4 }\n"
		"%c = f64[] lit 0x1.999999999999ap-4\n%d = f32[] lit 16777216.0\n%e = u8[] lit 255\n%f = f32[] lit 2.0\n"
		"%h = f32[i] view { %a[2*floor(i / 2)] }\n";
	struct lt_context *ctx;
	struct lt_graph *g;
	char *text;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, written, strlen(written), "t", &g), LT_OK, "%s", lt_context_message(ctx));
	text = run_graph_text(g);
	cr_assert_str_eq(text, printed);
	free(text);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* The tables, not only the text. */
Test(text, tables)
{
	static const char text[] =
		"graph 1\nvar i 10 limit 2*p - 1\nparam p = %q[1] in -1..5\nrequire p == 0 \"t\" @ 4:5\n"
		"%q = i64[i] input \"q\" @ 2:7\n%v = i64[i] view { %q[floor((i + 2*p - 3) / 4)] if 5 - i >= 0; else 9 "
		"}\nresult \"r\" = %v\n";
	static const int64_t div[] = { 4, -3, 2, 1, 0 }, row[] = { 0, 0, 0, 1 }, guard[] = { 5, 0, -1, 0 };
	const struct lt_graphpiece *piece;
	struct lt_context *ctx;
	struct lt_graph *g;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "t", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert(g->n_var == 1 && g->n_param == 1 && g->n_require == 1 && g->n_node == 2 && g->n_result == 1
		&& g->n_set == 0);
	cr_assert(g->var[0].bounded && g->var[0].extent == 10 && g->var[0].limit.constant == -1 && g->var[0].limit.n == 1
		&& g->var[0].limit.param[0] == 0 && g->var[0].limit.coef[0] == 2);
	cr_assert(g->param[0].source == 0 && g->param[0].element == 1 && g->param[0].low == -1 && g->param[0].high == 5);
	cr_assert(g->require[0].equal && g->require[0].line == 4 && g->require[0].column == 5);
	cr_assert(g->node[0].line == 2 && g->node[0].column == 7 && g->node[1].line == 0);
	piece = &g->node[1].piece[0];
	cr_assert(g->node[1].n_piece == 1 && g->node[1].has_fill && g->node[1].bits == 9 && piece->source == 0);
	cr_assert(piece->map.n_param == 1 && piece->map.n_dim == 1 && piece->map.n_div == 1);
	cr_assert(piece->map.n_guard == 1 && piece->map.n_row == 1);
	cr_assert(!memcmp(piece->map.div, div, sizeof div) && !memcmp(piece->map.row, row, sizeof row)
		&& !memcmp(piece->map.guard, guard, sizeof guard));
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* -- mistakes -- */

#define HEAD "graph 1\nvar m 8\nvar n 4\n%x = f32[m, n] input \"x\"\n"
struct mistake { const char *text, *message; };
static const struct mistake mistakes[] = {
	{ "", "t:1:1: expected graph, found the end of the text" },
	{ "graph 2\n", "t:1:8: this is version 2 of the graph's text; version 1 is understood" },
	{ "graph 1 2\n", "t:1:9: expected the end of the line, found '2'" },
	{ "graph 1\nvar\n", "t:2:4: expected a name, found the end of the line" },
	{ "graph 1\nvar m 0\n", "t:2:8: the extent of 'm' is 0: at least 1 is needed" },
	{ "graph 1\nvar m 9223372036854775808\n",
		"t:2:7: expected a whole number of at most 63 bits, found '9223372036854775808'" },
	{ "graph 1\nvar m 1\nvar m 1\n", "t:3:5: 'm' is defined twice" },
	{ "graph 1\nvar m 1 limit q\n", "t:2:15: 'q' is not a run-time scalar" },
	{ "graph 1\nvar m 1 limit floor(2 / 2)\n", "t:2:15: a floor is not allowed here" },
	{ "graph 1\nparam p = %q[0] in 0..1\n", "t:2:11: there is no node '%q' above this line" },
	{ "graph 1\nparam p = 5[0] in 0..1\n", "t:2:11: expected a node such as %x, found '5'" },
	{ HEAD "param p = %x[0] in 0..1\n", "t:5:7: vars and params come before everything else" },
	{ "graph 1\nvar m 8\nparam p = %x[9] in 0..1\n%x = i64[m] input \"x\"\n",
		"run-time scalar 'p' is element 9 of 'x', which has 8" },
	{ HEAD "%x = f32[m] exp %x\n", "t:5:1: '%x' is defined twice" },
	{ HEAD "%y = f31[m] exp %x\n", "t:5:6: expected a type such as f32, found 'f31'" },
	{ HEAD "%y = f32[q] exp %x\n", "t:5:10: expected the name of a var, found 'q'" },
	{ HEAD "%y = f32[m, n] expp %x\n", "t:5:16: expected an operator, found 'expp'" },
	{ HEAD "%y = f32[m, n] exp %z\n", "t:5:20: there is no node '%z' above this line" },
	{ HEAD "%y = f32[m, n] exp %x, %x\n", "t:5:1: node 'y' (exp): 2 operands, 1 are needed" },
	{ HEAD "%y = f32[m] exp %x\n", "has dim 'n', which the result (m 8) does not have" },
	{ HEAD "%y = f32[m] exp.reduce %x\n", "t:5:1: node 'y' (exp.reduce): this operator does not reduce" },
	{ HEAD "%y = f32[m] add.fold %x\n", "t:5:17: expected reduce, found 'fold'" },
	{ HEAD "%y = f32[m, n] input x\n", "expected a text such as" },
	{ HEAD "%y = f32[m, n] input \"\\q\"\n", "expected a text such as" },
	{ HEAD "%y = f32[m, n] input \"a\n", "t:5:22: expected a text such as" },
	{ HEAD "%y = f32[m, n] input \"x\"\n", "t:5:1: node 'y' (input): there is a input named 'x' already" },
	{ HEAD "%y = f32[] lit true\n", "t:5:16: expected a value of type f32, found 'true'" },
	{ HEAD "%y = i8[] lit 128\n", "t:5:15: expected a value of type i8, found '128'" },
	{ HEAD "%y = i8[] lit 1.5\n", "t:5:15: expected a value of type i8, found '1.5'" },
	{ HEAD "%y = i8[] lit bits(0x100)\n", "0x100 is not the bit pattern of a value of type i8" },
	{ HEAD "%y = f32[m] view { %x[m] }\n",
		"t:5:1: node 'y' (view): the map of piece 0 has 1 rows, its source 2 dims" },
	{ HEAD "%y = f32[m] view { %x[m, n] }\n", "t:5:26: 'n' is neither a dim of this view nor a run-time scalar" },
	{ HEAD "%y = f32[m] view { %x[m, floor(m / 0)] }\n", "a floor division is by a positive number, not by 0" },
	{ HEAD "%y = f32[m] view { %x[m, floor((m + 1 / 2)] }\n", "t:5:39: expected ), found '/'" },
	{ HEAD "%y = f32[m] view { %x[m, 9223372036854775807*m + m] }\n",
		"a coefficient of this piece exceeds 63 bits" },
	{ HEAD "%y = f32[m] view { %x[m, 9223372036854775808] }\n",
		"'9223372036854775808' is not a whole number of at most "
		"63 bits" },
	{ HEAD "%y = f32[m] view { %x[m, ~0] }\n", "~ names a column of a with list, and there is none" },
	{ HEAD "%y = f32[m] view { with floor(m / 2): %x[m, ~1] }\n",
		"the with list has no column ~1 before this place" },
	{ HEAD "%y = f32[m] view { with floor(m / 2): %x[m, floor(m / 2)] }\n",
		"a floor is not allowed here: it belongs in the with list" },
	{ HEAD "%y = f32[m] view { with m: %x[m, m] }\n", "a with list has run-time scalars, then floors; found 'm'" },
	{ HEAD "%y = f32[m] view { with floor(m / 2) + 1: %x[m, m] }\n", "each floor alone" },
	{ HEAD "%y = f32[m] view { %x[m, 0] if m >= 1 }\n", "a guard is written as a sum >= 0" },
	{ HEAD "%y = f32[m] view { 1.0 }\n", "a view needs a piece with a source" },
	{ HEAD "%y = f32[m] view %x { %x[m, 0] }\n", "the operands are listed: write the number of one before [" },
	{ HEAD "%y = f32[m] view %x { 1[m, 0] }\n", "there is no operand 1: the view lists 1" },
	{ HEAD "%y = f32[m] view { %x[m, 0]; else 0.0; %x[m, 0] }\n", "t:5:38: expected }, found ';'" },
	{ HEAD "%y = f32[m, n] update %x, %x at [m, 0]\n", "'m' is not a run-time scalar" },
	{ HEAD "%y = f32[m, n] update %x, %x at [0]\n", "t:5:35: expected ,, found ']'" },
	{ HEAD "%y = f32[n] gather %x, %x axis 9\n", "the index 'x' is f32: an integer type is needed" },
	{ HEAD "result \"a\" = %x\nresult \"a\" = %x\n", "there is a result named 'a' already" },
	{ HEAD "set %x = %x\n", "only a state lives across runs and can be set" },
	{ HEAD "%y = f32[m, n] exp %x @ 3\n", "t:5:26: expected :, found the end of the line" },
	{ HEAD "what\n", "t:5:1: expected var, param, require, a node such as %x, result or set, found 'what'" },
	{ HEAD "\x01\n", "found '?'" },
};

Test(text, mistakes)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct lt_context *ctx;
		struct lt_graph *g = (struct lt_graph *)&i;
		lt_status status;

		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		status = lt_graph_parse(ctx, mistakes[i].text, strlen(mistakes[i].text), "t", &g);
		cr_expect(status && !g && strstr(lt_context_message(ctx), mistakes[i].message),
			"%zu: %d '%s', expected '%s'", i, status, lt_context_message(ctx), mistakes[i].message);
		lt_context_free(ctx);
	}
}

/* Every cut and every changed byte of a text gives a graph or a sentence; what is a graph prints and parses again. */
Test(text, damaged, .timeout = 120)
{
	const char *from = same[1];
	size_t n = strlen(from);

	for (size_t i = 0; i < 3 * n; i++) {
		size_t bytes = i < n ? i : n, at = i % n;
		char *text = malloc(bytes + 1), *first, *second;
		struct lt_context *ctx;
		struct lt_graph *g, *h;

		memcpy(text, from, bytes);
		if (i >= n)
			text[at] = (char)(i < 2 * n ? "0[{(~%-9 \n"[i % 10] : text[at] ^ 1 << i % 7);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		if (lt_graph_parse(ctx, text, bytes, "t", &g)) {
			cr_assert(lt_context_message(ctx)[0]);
		} else {
			first = run_graph_text(g);
			cr_assert_eq(lt_graph_parse(ctx, first, strlen(first), "t", &h), LT_OK, "%s\n%s", lt_context_message(ctx), first);
			second = run_graph_text(h);
			cr_assert_str_eq(first, second);
			lt_graph_free(h);
			free(first);
			free(second);
		}
		lt_graph_free(g);
		lt_context_free(ctx);
		free(text);
	}
}

/* Depth of the input is not depth of the stack. */
Test(text, deep, .timeout = 60)
{
	static const char head[] = "graph 1\nvar i 9\n%x = f32[i] input \"x\"\n%y = f32[i] view { %x[";
	enum { DEEP = 3000 };
	struct run_text b = { NULL, 0 };
	struct lt_context *ctx;
	struct lt_graph *g, *h;
	char *first, *second;

	run_text_add(&b, head, sizeof head - 1);
	for (int i = 0; i < DEEP; i++)
		run_text_add(&b, "floor((1 + ", 11);
	run_text_add(&b, "i", 1);
	for (int i = 0; i < DEEP; i++)
		run_text_add(&b, ") / 2)", 6);
	run_text_add(&b, "] }\n", 4);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, b.at, b.n, "t", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(g->node[1].piece[0].map.n_div, DEEP);
	first = run_graph_text(g);
	cr_assert_eq(lt_graph_parse(ctx, first, strlen(first), "t", &h), LT_OK, "%s", lt_context_message(ctx));
	second = run_graph_text(h);
	cr_assert_str_eq(first, second);
	free(first);
	free(second);
	free(b.at);
	lt_graph_free(g);
	lt_graph_free(h);
	lt_context_free(ctx);
}

/* -- memory that runs out -- */

static void throw_away(void *user, const char *text, size_t bytes)
{
	(void)text;
	*(size_t *)user += bytes;
}

Test(text, out_of_memory)
{
	bool finished = false;

	for (long n = 0; !finished; n++) {
		struct oracle_ration r = { .left = n };
		struct lt_context *ctx;
		struct lt_graph *g = NULL;
		size_t bytes = 0;
		lt_status status;

		cr_assert_lt(n, 100000);
		status = lt_context_new_with(oracle_rationed, &r, &ctx);
		if (!status) {
			status = lt_graph_parse(ctx, same[1], strlen(same[1]), "t", &g);
			if (!status)
				status = lt_graph_print(g, throw_away, &bytes);
			cr_assert(!status || status == LT_ENOMEM, "%d: %s", status, lt_context_message(ctx));
			lt_graph_free(g);
			lt_context_free(ctx);
		}
		cr_assert_eq(r.live, 0, "allocation %ld leaks", n);
		finished = !status;
	}
}

/* Bits of every type that a short text could get wrong. */
Test(text, literals)
{
	static const uint64_t patterns[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7f80,
		0x7fff, 0x8000, 0x8001, 0xfc00, 0xffff, 0x10000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000,
		0x7fffffff, 0x80000000, 0x80000001, 0xff800000, 0xffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
		0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7fffffffffffffff, 0x8000000000000000,
		0x8000000000000001, 0xfff0000000000000, 0xffffffffffffffff, 0x433fffffffffffff, 0x4270000000000000,
		0x4267ffffffffffff, 0x0010000000000000, 0x000fffffffffffff };
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (enum lt_dtype t = LT_F32; t < LT_NDTYPE; t++)
		for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
			for (int turn = 0; turn < 64; turn++) {
				uint64_t bits = patterns[i] << turn | (turn ? patterns[i] >> (64 - turn) : 0), back = ~bits;
				char text[LT_LITERAL_BYTES];
				struct lt_lexer l;

				lt__literal_text(bits, t, text);
				lt__lex_begin(&l, "t", text, strlen(text));
				lt__lex_next(&l);
				cr_assert_eq(lt__literal_parse(ctx, &l, t, &back), LT_OK, "%s: %s", text, lt_context_message(ctx));
				cr_assert(back == bits && l.kind == LT_TOKEN_END, "%s: %llx, not %llx", text, (unsigned long long)back,
					(unsigned long long)bits);
			}
	lt_context_free(ctx);
}

Test(text, dot)
{
	static const char text[] = "graph 1\nvar m 8\n%x = f32[m] input \"a \\\"q\\\"\"\n"
		"%v = f32[m] view { %x[m - 1] if m - 1 >= 0; else 0.0 }\n"
		"%s = f32[m] state \"s\"\n%y = f32[] add.reduce %v\nresult \"out\" = %y\nset %s = %v\n";
	static const char dot[] = "digraph looptree {\n  node [shape=box, fontname=monospace];\n"
		"  n0 [label=\"%x = input a \\\"q\\\"\\nf32[m 8]\", shape=ellipse];\n"
		"  n1 [label=\"%v = view\\nf32[m 8]\", style=dashed];\n  n0 -> n1;\n"
		"  n2 [label=\"%s = state s\\nf32[m 8]\", shape=ellipse];\n"
		"  n3 [label=\"%y = add.reduce\\nf32[]\"];\n  n1 -> n3;\n"
		"  r0 [label=\"out\", shape=plaintext];\n  n3 -> r0;\n  n1 -> n2 [style=dotted, constraint=false];\n}\n";
	struct run_text b = { NULL, 0 };
	struct lt_context *ctx;
	struct lt_graph *g;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, sizeof text - 1, "t", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_graph_dot(g, run_text_add, &b), LT_OK);
	cr_assert_str_eq(b.at, dot);
	free(b.at);
	lt_graph_free(g);
	lt_context_free(ctx);
}
