/* test_script.c -- what scripts mean: results, state, run-time values, names, and that parsing is fast and
 * safe. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tests/script_run.h"

static struct lt_context *ctx;

static void begin(void) { lt_context_new(&ctx); }
static void end(void) { lt_context_free(ctx); }
TestSuite(script, .init = begin, .fini = end, .timeout = 60);

static struct lt_graph *parse(const char *text)
{
	struct lt_graph *g;
	lt_status status = lt_parse(ctx, text, strlen(text), "t.lt", NULL, &g);
	cr_assert_eq(status, LT_OK, "%s", lt_context_message(ctx));
	return g;
}

static lt_node named(const struct lt_graph *g, const char *name)
{
	for (lt_node x = 0; x < g->n_node; x++)
		if (strcmp(g->node[x].name, name) == 0)
			return x;
	return -1;
}

/* Scripts beside the values that they are given and give. */
static const struct { const char *script, *values;
} runs[] = {
	/* white space and comments anywhere between tokens; numbers in any order, with leading zeros */
	{ "$ 07=InputTensor (\tx#y ,float32,[ 2 ] ) ;# c\n// c\n$1 = SumNode( $7 , $007 );result=$1;",
		"x#y = [1, 2]\nresult -> [2, 4]\n" },
	{ "\xef\xbb\xbf$1=InputTensor(\xc3\xa9,float32,[1]);\r\nresult=$1;\r\n", "\xc3\xa9 = [1]\nresult -> [1]\n" },
	{ "$9223372036854775807 = InputTensor(a//b, float32, [1]);result = $9223372036854775807;",
		"a//b = [1]\nresult -> [1]\n" },
	/* the last result of a name holds */
	{ "$1 = InputTensor(x, float32, [1]); result = $1; result a = $1; $2 = SumNode($1, $1); result = $2; result a "
	  "= $2;",
		"x = [1]\nresult -> [2]\na -> [2]\n" },
	/* only named results; one called result is the default one */
	{ "$1 = InputTensor(x, float32, [1]); result result = $1;", "x = [1]\nresult -> [1]\n" },
	/* what an unused node needs need not be given: neither input nor run-time scalar nor its range */
	{ "$1 = InputTensor(x, float32, [4]); $2 = InputTensor(p, float32, [2]); $3 = InputTensor(b, int64, [1]);"
	  "$4 = ReplaceSliceNode($1, $2, $3, $3); $5 = SlicedSoftmaxNode($1, $3); $6 = CastNode($3, float32); result = "
	  "$6;",
		"x = [0, 0, 0, 0]\np = [0, 0]\nb = [99]\nresult -> [99]\n" },
	/* values are values: two updates of one vector do not see each other, nor does the vector see them */
	{ "$1 = InputTensor(x, float32, [3]); $2 = InputTensor(p, float32, [1]); $3 = ConstantTensor(at, int64, [4]);"
	  "$4 = SliceNode($3, 0, 1); $5 = SliceNode($3, 1, 2); $6 = ReplaceSliceNode($1, $2, $4, $5);"
	  "$7 = SliceNode($3, 2, 3); $8 = SliceNode($3, 3, 4); $9 = ReplaceSliceNode($1, $2, $7, $8);"
	  "result = $6; result other = $9; result old = $1;",
		"x = [1, 2, 3]\np = [9]\nat = [0, 1, 2, 3]\nresult -> [9, 2, 3]\nother -> [1, 2, 9]\nold -> [1, 2, "
		"3]\n" },
	/* a part may be the vector itself */
	{ "$1 = InputTensor(x, float32, [3]); $8 = InputTensor(zero, int64, [1]); $9 = InputTensor(three, int64, [1]);"
	  "$7 = ReplaceSliceNode($1, $1, $8, $9); result = $7;",
		"x = [1, 2, 3]\nzero = [0]\nthree = [3]\nresult -> [1, 2, 3]\n" },
	/* one axis in two places: squares of a matrix, its transpose, sums of rows and columns */
	{ "$1 = InputTensor(x, float32, [2, 2]); $2 = MatMulNode($1, $1); $3 = PermuteNode($1, [1, 0]); $4 = "
	  "SumNode($1, $3);"
	  "$5 = MatMulNode($3, $1); $6 = ReduceSumNode($1, [0], 1); $7 = ReduceSumNode($1, [1], 1); $8 = AddNode($6, "
	  "$7);"
	  "$9 = LessNode($3, $1); result = $2; result sym = $4; result gram = $5; result outer = $8; result less = $9;",
		"x = [1, 2, 3, 4]\nresult -> [7, 10, 15, 22]\nsym -> [2, 5, 5, 8]\ngram -> [10, 14, 14, 20]\n"
		"outer -> [7, 9, 11, 13]\nless -> [0, 0, 1, 0]\n" },
	/* both sides broadcast, ranks differ, dimensions of 1 stay */
	{ "$1 = InputTensor(a, float32, [2, 1]); $2 = InputTensor(b, float32, [1, 1, 2]); $3 = SubNode($1, $2);"
	  "$4 = ReduceMaxNode($3, [0, 1, 2]); $5 = MultiplyNode($3, $4); result = $3; result scaled = $5;",
		"a = [1, 2]\nb = [10, 20]\nresult -> [-9, -19, -8, -18]\nscaled -> [72, 152, 64, 144]\n" },
	/* values of every type reach the result */
	{ "$1 = FullNode(int64, [1], 9223372036854775807); $2 = CastNode($1, uint8); $3 = FullNode(bool, [1], true);"
	  "$4 = FullNode(float16, [1], -1.5e-1); $5 = FullNode(float64, [1], .1); $6 = FullNode(float32, [1], -inf);"
	  "$7 = FullNode(int32, [1], 2e3); result = $2; result b = $3; result h = $4; result d = $5; result i = $6; "
	  "result k = $7;",
		"result -> [255]\nb -> [1]\nh -> [-0.1500244140625]\nd -> [0.1]\ni -> [-inf]\nk -> [2000]\n" },
	/* a prefix of nothing copies; of everything is a softmax */
	{ "$1 = InputTensor(x, float32, [2]); $2 = InputTensor(p, int64, [1]); $3 = SlicedSoftmaxNode($1, $2);"
	  "$4 = SlicedSoftmaxNode($1, 0); $5 = SlicedSoftmaxNode($1, 2); result = $3; result none = $4; result all = "
	  "$5;",
		"x = [3, 3]\np = [0]\nresult -> [3, 3]\nnone -> [3, 3]\nall -> [0.5, 0.5]\n" },
	/* a part of a run-time extent at a run-time begin, and an update of such a value */
	{ "$1 = InputTensor(x, float32, [4]); $2 = InputTensor(y, float32, [4]); $3 = InputTensor(n, int64, [1]);"
	  "$4 = InputTensor(m, int64, [1]); $5 = SliceNode($2, 0, $3); $6 = UpdateNode($1, $5, $4); $7 = "
	  "ConstantTensor(e, int64, [1]);$8 = ReplaceSliceNode($1, $5, $4, $7); $9 = FullNode(float32, [1], 9); $10 = "
	  "UpdateNode($5, $9, 1);$11 = ReduceSumNode($10); result = $6; result replaced = $8; result sum = $11;",
		"x = [1, 2, 3, 4]\ny = [5, 6, 7, 8]\nn = [2]\nm = [2]\ne = [4]\nresult -> [1, 2, 5, 6]\nreplaced -> "
		"[1, 2, 5, 6]\nsum -> 14\n" },
	/* a dimension that depends on a run-time value is written as its maximum, and stays */
	{ "$1 = InputTensor(x, float32, [3, 2]); $2 = InputTensor(n, int64, [1]); $3 = SliceNode($1, 0, $2);"
	  "$4 = ReshapeNode($3, [3, 1, 2]); $5 = ExpandNode($4, [3, 2, 2]); $6 = ReduceSumNode($5, [0]); result = $6;",
		"x = [1, 2, 3, 4, 5, 6]\nn = [2]\nresult -> [4, 6, 4, 6]\n" },
	/* white space in an equation, and an infinity that is meant */
	{ "$1 = InputTensor(x, float32, [2]); $2 = EinsumNode(i , i\n-> : $1, $1); $3 = FullNode(float16, [1], +inf);"
	  "$4 = FullNode(float16, [1], 65519); result = $2; result inf = $3; result most = $4;",
		"x = [3, 4]\nresult -> [25]\ninf -> [inf]\nmost -> [65504]\n" },
	/* attention over the filled part of a cache: both slices have one extent */
	{ "$1 = BufferTensor(k, float32, [4, 2]); $2 = InputTensor(row, float32, [1, 2]); $3 = InputTensor(pos, int64, "
	  "[1]);"
	  "$4 = UpdateNode($1, $2, $3, 0); $5 = InputTensor(end, int64, [1]); $6 = SliceNode($4, 0, $5);"
	  "$7 = InputTensor(q, float32, [1, 2]); $8 = AttentionNode($7, $6, $6, 0); $9 = SliceNode($4, 0, $5);"
	  "$10 = MultiplyNode($6, $9); $11 = ReduceSumNode($10, [0]); result = $8; result squares = $11;",
		"k = [2, 4, 9, 9, 9, 9, 9, 9]\nrow = [4, 8]\npos = [1]\nend = [2]\nq = [1, 1]\n"
		"result -> [3, 6]\nsquares -> [20, 80]\nk -> [2, 4, 4, 8, 9, 9, 9, 9]\n" },
	/* a chain over one buffer; the part of it that no result needs is not stored */
	{ "$1 = BufferTensor(int64, [3]); $2 = InputTensor(p, int64, [1]); $3 = ConstantTensor(zero, int64, [1]);"
	  "$4 = ConstantTensor(one, int64, [1]); $5 = ConstantTensor(two, int64, [1]); $6 = ReplaceSliceNode($1, $2, "
	  "$3, $4);"
	  "$7 = ReplaceSliceNode($6, $2, $4, $5); $8 = ReplaceSliceNode($7, $2, $3, $4); result = $7; result old = $1;",
		"$1 = [1, 2, 3]\np = [7]\nzero = [0]\none = [1]\ntwo = [2]\nresult -> [7, 7, 3]\nold -> [1, 2, 3]\n$1 "
		"-> [7, 7, 3]\n" },
};

Test(script, runs_as_it_should)
{
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		const char *bad = script_run(runs[i].script, "t.lt", runs[i].values, NULL);
		cr_expect(!bad, "row %zu: %s", i, bad);
	}
}

Test(script, refuses_run_time_values_out_of_range)
{
	const char *text =
		"$1 = InputTensor(x, float32, [4]); $2 = InputTensor(p, float32, [2]); $3 = InputTensor(b, int64, "
		"[1]);$4 = InputTensor(e, int64, [1]);\n$5 = ReplaceSliceNode($1, $2, $3, $4); result = $5;";
	static const struct { const char *values, *says;
	} rows[] = {
		{ "x = [0, 0, 0, 0]\np = [1, 1]\nb = [2]\ne = [4]\nresult -> [0, 0, 1, 1]\n", NULL },
		{ "x = [0, 0, 0, 0]\np = [1, 1]\nb = [-1]\ne = [1]\n", "'b' is -1" },
		{ "x = [0, 0, 0, 0]\np = [1, 1]\nb = [3]\ne = [5]\n", "'b' is 3" },
		{ "x = [0, 0, 0, 0]\np = [1, 1]\nb = [1]\ne = [4]\n",
			"t.lt:2:1: ReplaceSliceNode: end - begin has to be 2, the size of $2" },
		{ "x = [0, 0, 0, 0]\np = [1, 1]\nb = [0]\ne = [1]\n", "'e' is 1" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *bad = script_run(text, "t.lt", rows[i].values, NULL);
		if (rows[i].says)
			cr_expect(bad && strstr(bad, rows[i].says), "row %zu: %s", i, bad ? bad : "not refused");
		else
			cr_expect(!bad, "row %zu: %s", i, bad);
	}
}

/* What a run checks is reported in words of the script, at the argument that is wrong. */
Test(script, refuses_run_time_slices_that_do_not_fit)
{
	const char *text = "$1 = InputTensor(x, float32, [4]); $2 = InputTensor(b, int64, [1]); $3 = InputTensor(e, "
			   "int64, [1]);$4 = InputTensor(at, int64, [1]);\n$5 = SliceNode($1,\n $2, $3);\n$6 = "
			   "UpdateNode($1, $5, $4); result = $6;";
	static const struct { const char *values, *says;
	} rows[] = {
		{ "x = [1, 2, 3, 4]\nb = [1]\ne = [3]\nat = [2]\nresult -> [1, 2, 2, 3]\n", NULL },
		{ "x = [1, 2, 3, 4]\nb = [3]\ne = [1]\nat = [0]\n",
			"t.lt:3:6: the slice of axis 0 of $1 (float32 [4]) ends before it begins" },
		{ "x = [1, 2, 3, 4]\nb = [1]\ne = [3]\nat = [3]\n",
			"t.lt:4:25: UpdateNode: the part $5 (float32 [<=4]) does not fit into axis 0 of $1 (float32 "
			"[4])" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *bad = script_run(text, "t.lt", rows[i].values, NULL);
		if (rows[i].says)
			cr_expect(bad && strstr(bad, rows[i].says), "row %zu: %s", i, bad ? bad : "not refused");
		else
			cr_expect(!bad, "row %zu: %s", i, bad);
	}
}

/* Nodes of one mistake each: what the sentence says of it. */
Test(script, refuses_numbers_and_axes)
{
	static const struct { const char *node, *says;
	} rows[] = {
		{ "ReduceSumNode($1, 0)", "The axes are a list: [0]" },
		{ "ReduceProductNode($1, 1)", "The axes are a list: [1]" },
		{ "ReduceMinNode($1, 0)", "The axes are a list: [0]" },
		{ "ReduceMaxNode($1, 0)", "The axes are a list: [0]" },
		{ "ReduceMeanNode($1, -1)", "The axes are a list: [-1]" },
		{ "FullNode(float32, [2], 1e39)", "1e39 exceeds float32; write inf" },
		{ "FullNode(float32, [2], -3.4028236e38)", "-3.4028236e38 exceeds float32; write inf" },
		{ "FullNode(float16, [2], 65520)", "65520 exceeds float16; write inf" },
		{ "FullNode(float64, [2], 1e309)", "1e309 exceeds float64; write inf" },
		{ "FullNode(float64, [2], 1e99999999999999)", "1e99999999999999 exceeds float64; write inf" },
		{ "FullNode(int64, [2], 9223372036854775808)",
			"The value 9223372036854775808 is not a number of type int64" },
		{ "FullNode(float32, [2], -nan)", "t.lt:2:29: Unexpected symbol '-', expected a number" },
		{ "FullNode(float32, [2], +true)", "expected a number" },
		{ "PadNode($1, [0, 0], [0, 0], 1e39)", "1e39 exceeds float32" },
		{ "ReshapeNode($1, [3.0])", "expected an integer, found 3.0" },
		{ "ReshapeNode($1, [6.])", "found 6." },
		{ "LayerNormNode($1, -1)", "t.lt:2:24: Invalid eps -1: " },
		{ "LayerNormNode($1, nan)", "Invalid eps nan: " },
		{ "LayerNormNode($1, inf)", "Invalid eps inf: " },
		{ "LayerNormNode($1, 1e39)", "Invalid eps 1e39: " },
		{ "EinsumNode(ab - > a: $1)", "no white space within ->" },
		{ "ReLU($1)", "Unknown node type 'ReLU'; did you mean ReLUNode?" },
		{ "matmul($1)", "did you mean MatMulNode?" },
		{ "relunode($1)", "Unknown node type 'relunode'; did you mean ReLUNode?" },
		{ "MATMULNODE($1)", "did you mean MatMulNode?" },
		{ "SofmtaxNode($1)", "did you mean SoftmaxNode?" },
		{ "FullNode(Float32, [2], 1)", "Unknown value type 'Float32'; did you mean float32? (there are" },
		{ "CastNode($1, f16)", "Unknown value type 'f16'; did you mean float16? (there are" },
		{ "CastNode($1, flaot64)", "did you mean float64? (there are" },
		{ "CopyNode($10)", "unknown node: $10 is not defined before it is used; did you mean $1?" },
		{ "Buffer(float32, [2])", "did you mean BufferTensor?" },
		{ "Foo($1)", "Unknown node type 'Foo'" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[200];
		snprintf(text, sizeof text, "$1 = InputTensor(x, float32, [2, 3]);\n$2 = %s; result = $2;", rows[i].node);
		const char *bad = script_error(text, "t.lt");
		cr_expect(strstr(bad, rows[i].says), "%s: %s", rows[i].node, bad);
	}
}

/* The same of values whose first axis has a run-time extent; $4 and $5 have the same maximum. */
Test(script, refuses_what_needs_a_known_extent)
{
	static const struct { const char *node, *says;
	} rows[] = {
		{ "AddNode($4, $5)", "; their extents come from different run-time values: 'n' and 'm[1]'" },
		{ "SumNode($4, $5)", "; their extents come from different run-time values: 'n' and 'm[1]'" },
		{ "ConcatNode(1, $4, $5)", "; their extents come from different run-time values: 'n' and 'm[1]'" },
		{ "EinsumNode(ij,ij->: $4, $5)",
			"; their extents come from different run-time values: 'n' and 'm[1]'" },
		{ "AddNode($1, $5)", "; one of the extents is a run-time value: 6 and 'm[1]'" },
		{ "SliceNode($4, 0, 6)", "t.lt:3:16: Axis 0 of $4 (float32 [<=6, 3]) has a run-time extent already" },
		{ "SliceNode($4, 1, 3)", "a slice of it ends at a run-time value" },
		{ "ReshapeNode($4, [18])",
			"t.lt:3:22: $4 (float32 [<=6, 3]) has a run-time extent at axis 0, which cannot be split or "
			"joined" },
		{ "ReshapeNode($4, [3, 2, 3])", "cannot be split or joined" },
		{ "ReshapeNode($4, [3, 6])", "cannot be split or joined" },
		{ "ExpandNode($8, [4, 3])", "$8 (float32 [<=1, 3]) cannot be broadcast to [4, 3]" },
		{ "ReshapeNode($8, [3])", "$8 (float32 [<=1, 3]) has a run-time extent at axis 0" },
		{ "SumNode($1, $8)", "where the second has to be equal or 1" },
		{ "PadNode($4, [1, 0], [0, 0])",
			"t.lt:3:14: Axis 0 of $4 (float32 [<=6, 3]) has a run-time extent and cannot be padded" },
		{ "WindowNode($4, 0, 2)", "cannot be windowed: window first" },
		{ "ConcatNode(0, $1, $4)", "t.lt:3:24: Axis 0 of $4" },
		{ "UpdateNode($1, $4, 2, 0)", "the begin has to be a run-time value" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[400];
		snprintf(text, sizeof text,
			"$1 = InputTensor(x, float32, [6, 3]); $2 = InputTensor(n, int64, [1]); $3 = InputTensor(m, "
			"int64, [2]);\n"
			"$6 = SliceNode($3, 1, 2); $4 = SliceNode($1, 0, $2); $5 = SliceNode($1, 0, $6); $8 = "
			"SliceNode($1, 5, $2);\n"
			"$9 = %s; result = $9;",
			rows[i].node);
		const char *bad = script_error(text, "t.lt");
		cr_expect(strstr(bad, rows[i].says), "%s: %s", rows[i].node, bad);
	}
}

Test(script, nodes_are_called_by_their_statement)
{
	struct lt_graph *g = parse("$5 = InputTensor(x, float32, [2, 3]);\n$7 = ConstantTensor(w, float32, [3, 4]);\n"
		"  $9 = MatMulNode($5, $7); result = $9;");
	lt_node x = named(g, "9"), mul = named(g, "9.mul");
	cr_assert(named(g, "5") >= 0 && named(g, "7") >= 0 && x >= 0 && mul >= 0);
	cr_expect_eq(g->node[x].line, 3);
	cr_expect_eq(g->node[mul].column, 3);
	cr_expect_str_eq(g->node[named(g, "5")].label, "x");
	for (lt_node i = 0; i < g->n_node; i++)
		cr_expect(g->node[i].name[0] >= '5' && g->node[i].name[0] <= '9', "%s", g->node[i].name);
	cr_expect_eq(g->n_result, 1);
	cr_expect_str_eq(g->result[0].name, "result");
	lt_graph_free(g);
}

/* Equal slices have one run-time scalar; a chain in the middle of which a reader stands is one chain. */
Test(script, states_and_scalars)
{
	struct lt_graph *g = parse(
		"$1 = BufferTensor(b, float32, [8]); $2 = InputTensor(p, float32, [2]); $3 = InputTensor(i, int64, "
		"[1]);$4 = InputTensor(e, int64, [1]); $5 = ReplaceSliceNode($1, $2, $3, $4); $6 = SliceNode($5, 0, "
		"$4);$7 = ReplaceSliceNode($5, $2, $3, $4); $8 = ReduceSumNode($6); result = $8; result all = $7;$9 = "
		"BufferTensor(unread, float32, [8]); $10 = BufferTensor(read, float32, [8]); result read = $10;$11 = "
		"ReshapeNode($10, [8]); $12 = ReplaceSliceNode($11, $2, $3, $4); result copy = $12;");
	cr_assert_eq(g->n_set, 1);
	cr_expect_str_eq(g->node[g->set[0].state].label, "b");
	cr_expect_eq(g->set[0].value, named(g, "7"));
	cr_expect_eq(g->n_param, 3, "%d", g->n_param);
	lt_graph_free(g);
}

/* Errors name the place of the argument that is wrong, however the lines are broken. */
Test(script, places)
{
	static const struct { const char *script, *position; } rows[] = {
		{ "$1 = InputTensor(x, float32, [2]);\n$2 = SumNode(\n  $1,\n\t$3);", "t.lt:4:2: " },
		{ "$1 = InputTensor(\xc3\xa9\xc3\xa9, float32, [2]); $2 = SumNode($1, $3);", "t.lt:1:54: " },
		{ "$1 = InputTensor(x, float32, [2]); # \xc3\xa9\r\n  $2 = Sum($1, $1);", "t.lt:2:8: " },
		{ "$1 = InputTensor(x, float32, [2]); $2 = ReshapeNode($1, [ 1,\n\n 3]);", "t.lt:1:57: " },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(strncmp(script_error(rows[i].script, "t.lt"), rows[i].position, strlen(rows[i].position)), 0,
			"row %zu: %s", i,
			script_error(rows[i].script, "t.lt"));
}

/* Decimal numbers are read to the nearest double, like strtod does in the C locale. */
Test(script, numbers)
{
	char many[1200];
	memset(many, '7', sizeof many - 1);
	many[0] = '0';
	many[1] = '.';
	many[sizeof many - 1] = 0;
	const char *rows[] = { "0", "1", "-1", "+2", ".5", "5.", "0.1", "-0.1", "1e0", "1E+2", "1.5e-3",
		"123456789012345678901234567890", "1e308", "4.9406564584124654e-324", "2.4703282292062327e-324",
		"1e-400", "1e-99999999999999", "0e99999999999999", "2.2250738585072011e-308", "9007199254740993",
		"9007199254740992.99999999999999999999", "0.000000000000000000000000000001",
		"179769313486231580793728971405301e276", many };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1400];
		double want = strtod(rows[i], NULL);
		uint64_t bits;
		snprintf(text, sizeof text, "$1 = FullNode(float64, [1], %s); result = $1;", rows[i]);
		struct lt_graph *g = parse(text);
		memcpy(&bits, &want, sizeof bits);
		cr_expect_eq(g->node[0].bits, bits, "%s", rows[i]);
		lt_graph_free(g);
	}
}
