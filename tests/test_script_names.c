/* test_script_names.c -- names, expressions, functions and repeats of scripts: each is what the original language
 * says at greater length, or what plain C computes. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tests/run_graph.h"
#include "tests/script_run.h"

static struct lt_context *ctx;

static void begin(void) { lt_context_new(&ctx); }
static void end(void) { lt_context_free(ctx); }
TestSuite(script_names, .init = begin, .fini = end, .timeout = 120);

static struct lt_graph *parse(const char *text)
{
	struct lt_graph *g;
	cr_assert_eq(lt_parse(ctx, text, strlen(text), "t.lt", NULL, &g), LT_OK, "%s\n%s", lt_context_message(ctx), text);
	return g;
}

/* A graph's text, nodes and vars by number of appearance, and without places: their names are not the meaning. */
static char *meaning(const char *script)
{
	struct lt_graph *g = parse(script);
	char *text = run_graph_text(g), *out = malloc(strlen(text) * 8 + 1), *to = out;
	static char names[4096][64];
	int n = 0, brackets = 0;
	for (const char *p = text; *p;) {
		size_t bytes = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
		bool node = p > text && p[-1] == '%', line = p - text > 4 && memcmp(p - 5, "\nvar ", 5) == 0;
		bool var = !node && bytes && !isdigit((unsigned char)*p) && (brackets || line);
		brackets += (*p == '[') - (*p == ']');
		if (strncmp(p, " @ ", 3) == 0) {
			p += strcspn(p, "\n");
		} else if (bytes && bytes < 63 && (node || var)) {
			char name[64];
			int i = 0;
			snprintf(name, sizeof name, "%c%.*s", node ? '%' : '.', (int)bytes, p);
			while (i < n && strcmp(names[i], name))
				i++;
			if (i == n)
				strcpy(names[n++], name);
			cr_assert_lt(n, 4096);
			to += sprintf(to, "%d", i);
			p += bytes;
		} else {
			bytes += !bytes;
			memcpy(to, p, bytes);
			to += bytes;
			p += bytes;
		}
	}
	*to = 0;
	free(text);
	lt_graph_free(g);
	return out;
}

#define XY "x = InputTensor(x, float32, [2, 3]); y = InputTensor(y, float32, [2, 3]); "
#define ONE_TWO "$1 = InputTensor(x, float32, [2, 3]); $2 = InputTensor(y, float32, [2, 3]); "

/* What is written beside what the original spelling of it is. */
static const struct { const char *script, *original; } same[] = {
	{ XY "h = SumNode(x, y); h = ReLUNode(h); result = h;",
		ONE_TWO "$3 = SumNode($1, $2); $4 = ReLUNode($3); result = $4;" },
	{ XY "result = ReLUNode(SumNode(x, y));", ONE_TWO "$3 = SumNode($1, $2); $4 = ReLUNode($3); result = $4;" },
	{ ONE_TWO "h = SumNode($1, $2); $4 = ReLUNode(h); k = $4; result = k;",
		ONE_TWO "$3 = SumNode($1, $2); $4 = ReLUNode($3); result = $4;" },
	{ XY "result = x + y * x;", ONE_TWO "$3 = MultiplyNode($2, $1); $4 = AddNode($1, $3); result = $4;" },
	{ XY "result = (x + y) * x;", ONE_TWO "$3 = AddNode($1, $2); $4 = MultiplyNode($3, $1); result = $4;" },
	{ XY "result = x - y - x;", ONE_TWO "$3 = SubNode($1, $2); $4 = SubNode($3, $1); result = $4;" },
	{ XY "result = x / y % x;", ONE_TWO "$3 = DivNode($1, $2); $4 = ModNode($3, $1); result = $4;" },
	{ XY "result = -x ** y;", ONE_TWO "$3 = PowNode($1, $2); $4 = NegNode($3); result = $4;" },
	{ XY "result = x ** -y;", ONE_TWO "$3 = NegNode($2); $4 = PowNode($1, $3); result = $4;" },
	{ XY "result = x ** y ** x;", ONE_TWO "$3 = PowNode($2, $1); $4 = PowNode($1, $3); result = $4;" },
	{ XY "result = -x * y;", ONE_TWO "$3 = NegNode($1); $4 = MultiplyNode($3, $2); result = $4;" },
	{ XY "result = x * -y;", ONE_TWO "$3 = NegNode($2); $4 = MultiplyNode($1, $3); result = $4;" },
	{ XY "result = (x < y) & !(x == y) | (x >= y) ^ (x != y);", ONE_TWO "$3 = LessNode($1, $2); $4 = EqNode($1, $2); $5 = "
		"NotNode($4); $6 = AndNode($3, $5); $7 = GreaterEqualNode($1, $2); $8 = NeNode($1, $2); $9 = XorNode($7, $8); "
		"$10 = OrNode($6, $9); result = $10;" },
	{ XY "result = x + y <= x * y;",
		ONE_TWO "$3 = AddNode($1, $2); $4 = MultiplyNode($1, $2); $5 = LessEqualNode($3, $4); result = $5;" },
	{ XY "result = x > y;", ONE_TWO "$3 = GreaterNode($1, $2); result = $3;" },
	{ XY "result = x @ PermuteNode(y, [1, 0]) @ y;", ONE_TWO
		"$3 = PermuteNode($2, [1, 0]); $4 = MatMulNode($1, $3); $5 = MatMulNode($4, $2); result = $5;" },
	/* numbers are of the other operand's type, on both sides; those of the original sum have its shape */
	{ XY "result = AddNode(x, 1.5);", ONE_TWO "$3 = FullNode(float32, [], 1.5); $4 = AddNode($1, $3); result = $4;" },
	{ XY "result = 1 - x;", ONE_TWO "$3 = FullNode(float32, [], 1); $4 = SubNode($3, $1); result = $4;" },
	{ XY "result = SelectNode(x < 0, 0, x);", ONE_TWO "$3 = FullNode(float32, [], 0); $4 = LessNode($1, $3); $5 = "
		"FullNode(float32, [], 0); $6 = SelectNode($4, $5, $1); result = $6;" },
	{ "x = InputTensor(x, uint8, [3]); result = x & 15;",
		"$1 = InputTensor(x, uint8, [3]); $2 = FullNode(uint8, [], 15); $3 = AndNode($1, $2); result = $3;" },
	{ "x = InputTensor(x, bool, [3]); result = x == true;",
		"$1 = InputTensor(x, bool, [3]); $2 = FullNode(bool, [], true); $3 = EqNode($1, $2); result = $3;" },
	/* numbers, and lists of them, have names and are computed */
	{ "n = 3; d = [2 * n, n ** 2 - 8, 12 / n, -n + 5, 7 % 4]; x = InputTensor(x, float32, d); s = 1 / 4;"
	  "result = FullNode(float32, [d[0], d[-1]], s);",
		"$1 = InputTensor(x, float32, [6, 1, 4, 2, 3]); $2 = FullNode(float32, [6, 3], 0.25); result = $2;" },
	{ "shape = [2]; x = BufferTensor(float32, shape); y = BufferTensor(b, float32, shape); result = y + x;",
		"$1 = BufferTensor(x, float32, [2]); $2 = BufferTensor(b, float32, [2]); $3 = AddNode($2, $1); result = $3;" },
	/* arguments that are left out are known by what is there */
	{ XY "e = 0.001; result = LayerNormNode(x, e);", ONE_TWO "$3 = LayerNormNode($1, 0.001); result = $3;" },
	{ XY "w = ReduceSumNode(x, [0]); result = LayerNormNode(x, w);",
		ONE_TWO "$3 = ReduceSumNode($1, [0]); $4 = LayerNormNode($1, $3); result = $4;" },
	/* functions */
	{ XY "def f(a, b) { c = a + b; return ReLUNode(c); } result = f(x, f(y, x));", ONE_TWO "$3 = AddNode($2, $1); $4 = "
		"ReLUNode($3); $5 = AddNode($1, $4); $6 = ReLUNode($5); result = $6;" },
	{ XY "def f(a, b) { return b, a + b; } p, q = f(x, y); result = p - q;",
		ONE_TWO "$3 = AddNode($1, $2); $4 = SubNode($2, $3); result = $4;" },
	{ XY "def g(a) { return f1(a) * 2; } def f1(a) { return a + 1; } result = g(x);", ONE_TWO
		"$3 = FullNode(float32, [], 1); $4 = AddNode($1, $3); $5 = FullNode(float32, [], 2); "
		"$6 = MultiplyNode($4, $5); result = $6;" },
	{ XY "def f(a, n, t=float16, axes=[0]) { return ReduceSumNode(CastNode(ReshapeNode(a, [n, 6 / n]), t), axes); }"
	     "result = f(x, 3); result other = f(y, 2, float64, [1]);",
		ONE_TWO "$3 = ReshapeNode($1, [3, 2]); $4 = CastNode($3, float16); $5 = ReduceSumNode($4, [0]); $6 = ReshapeNode($2, "
		"[2, 3]); $7 = CastNode($6, float64); $8 = ReduceSumNode($7, [1]); result = $5; result other = $8;" },
	/* names of a function are its own; it reads those of the script */
	{ XY "n = 2; def f(a) { y = a * n; return y; } result = f(x) + y;", ONE_TWO "$3 = FullNode(float32, [], 2); $4 = "
		"MultiplyNode($1, $3); $5 = AddNode($4, $2); result = $5;" },
	{ XY "x, y = y, x; result = x - y;", ONE_TWO "$3 = SubNode($2, $1); result = $3;" },
	/* repeats: what they assign holds in the next round and after the last */
	{ XY "repeat i in 1..3 { x = x * i; } result = x + i;", ONE_TWO
		"$3 = FullNode(float32, [], 1); $4 = MultiplyNode($1, $3); $5 = FullNode(float32, [], 2); "
		"$6 = MultiplyNode($4, $5); $7 = FullNode(float32, [], 2); $8 = AddNode($6, $7);"
		"result = $8;" },
	{ XY "repeat i in 5..5 { x = nothing; } result = x;", ONE_TWO "result = $1;" },
	{ XY "repeat i in 0..2 { repeat j in i..2 { w = ConstantTensor(w.{i}.{j}.{i+10}, float32, [3]); x = x + w; } }"
	     "result = x;", ONE_TWO
		"$3 = ConstantTensor(w.0.0.10, float32, [3]); $4 = AddNode($1, $3); "
		"$5 = ConstantTensor(w.0.1.10, float32, [3]); $6 = AddNode($4, $5); "
		"$7 = ConstantTensor(w.1.1.11, float32, [3]); $8 = AddNode($6, $7);"
		"result = $8;" },
	{ XY "repeat i in 0..2 { result r{i} = x * i; }", ONE_TWO
		"$3 = FullNode(float32, [], 0); $4 = MultiplyNode($1, $3); result r0 = $4; $5 = FullNode(float32, [], 1); "
		"$6 = MultiplyNode($1, $5); result r1 = $6;" },
	{ XY "def f(a) { repeat i in 0..2 { a = ReLUNode(a); } return a; } result = f(x);",
		ONE_TWO "$3 = ReLUNode($1); $4 = ReLUNode($3); result = $4;" },
	/* braces in names are no ends of bodies; outside of repeats they are mere text */
	{ "x = InputTensor(a{i}, float32, [1]); y = InputTensor(}, float32, [1]);"
	  "repeat i in 0..1 { z = ConstantTensor(}{{i}{, float32, [1]); result } = x + z; } result = y;",
		"$1 = InputTensor(a{i}, float32, [1]); $2 = InputTensor(}, float32, [1]); "
		"$3 = ConstantTensor(}{0{, float32, [1]); $4 = AddNode($1, $3); result } = $4; result = $2;" },
};

Test(script_names, says_what_the_original_says)
{
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		char *got = meaning(same[i].script), *want = meaning(same[i].original);
		cr_expect_str_eq(got, want, "row %zu: %s\n%s\n%s", i, same[i].script, got, want);
		free(got);
		free(want);
	}
}

static const struct { const char *script, *values; } runs[] = {
	/* numpy's broadcasting on both sides, and ranks that differ */
	{ "a = InputTensor(a, float32, [2, 1]); b = InputTensor(b, float32, [3]); result = a + b; result c = 10 * b - a / 2;",
		"a = [1, 2]\nb = [10, 20, 30]\nresult -> [11, 21, 31, 12, 22, 32]\n"
		"c -> [99.5, 199.5, 299.5, 99, 199, 299]\n" },
	/* elements of the first axis, from the end too, and of elements; of a vector one without dimensions */
	{ "w = ConstantTensor(w, float32, [3, 2, 2]); result = w[1]; result last = w[-1][-2]; s = w[0][1]; result one = s[0];"
	  "repeat i in 0..3 { result r{i} = w[2 - i][i % 2]; }",
		"w = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\nresult -> [4, 5, 6, 7]\nlast -> [8, 9]\none -> 2\n"
		"r0 -> [8, 9]\nr1 -> [6, 7]\nr2 -> [0, 1]\n" },
	/* integers stay integers: division rounds down, and a number has to be one */
	{ "i = InputTensor(i, int32, [4]); result = i / 2 + i % 3; result bits = i & 6 | 8; result odd = i % 2 == 1;",
		"i = [7, -7, 4, 0]\nresult -> [4, -2, 3, 0]\nbits -> [14, 8, 12, 8]\nodd -> [1, 1, 0, 0]\n" },
	/* the chain of updates of a buffer goes through rounds and calls */
	{ "c = BufferTensor(c, float32, [4]); x = InputTensor(x, float32, [4]); def put(c, x, i) { return UpdateNode(c, "
	  "SliceNode(x, i, i + 1), i); } repeat i in 0..4 { c = put(c, x * (i + 1), i); } result = c;",
		"c = [0, 0, 0, 9]\nx = [1, 1, 1, 1]\nresult -> [1, 2, 3, 4]\nc -> [1, 2, 3, 4]\n" },
	/* a buffer a round, each with its state */
	{ "x = InputTensor(x, float32, [2]);"
	  "repeat i in 0..2 { b = BufferTensor(b{i}, float32, [2]); x = UpdateNode(b, b + x, 0); "
		"} result = x;", "x = [1, 2]\nb0 = [10, 10]\nb1 = [100, 100]\nresult -> [111, 112]\nb0 -> [11, 12]\n"
		"b1 -> [111, 112]\n" },
	/* what only an unused value needs need not be given, in expressions too */
	{ "x = InputTensor(x, float32, [2]); n = InputTensor(n, int64, [1]); y = InputTensor(y, float32, [1]);"
	  "z = UpdateNode(x, y * 2, n) + 1; z = SelectNode(z > 0, 1 - z, 0); result = x[0] + x;",
		"x = [3, 4]\nn = [99]\ny = [0]\n"
		"result -> [6, 7]\n" },
	/* names that are called like tensors, letters of equations, layouts of other things */
	{ "ab = InputTensor(ab, float32, [2, 2]); a = 2; result = EinsumNode(ab->ba: ab) * a; e = 1;"
	  "result e = ab[1] * 1e1 + e;",
		"ab = [1, 2, 3, 4]\nresult -> [2, 6, 4, 8]\ne -> [31, 41]\n" },
	/* braces around the name of a number are its place, those around another are text */
	{ "n = 7; x = InputTensor(a{n}b{x}, float32, [1]); y = InputTensor(c{x}, float32, [1]); result r{n} = x + y;",
		"a7b{x} = [3]\nc{x} = [4]\nr7 -> [7]\n" },
	/* as numpy.take, with indices that are the tensor itself, too */
	{ "x = InputTensor(x, int64, [2, 2]); result = GatherNode(x, x, 0);",
		"x = [1, 0, 0, 1]\nresult -> [0, 1, 1, 0, 1, 0, 0, 1]\n" },
	/* what is below a threshold is 0, an infinity as well */
	{ "x = InputTensor(x, float32, [3]); result = ThresholdedReluNode(x, 1); result s = ShrinkNode(x, 0, inf);",
		"x = [-inf, 2, -5]\nresult -> [0, 2, 0]\ns -> [0, 0, 0]\n" },
	/* whole numbers are exact beyond 2^53: powers, and quotients that are whole; others are fractions, not rounded down */
	{ "x = InputTensor(x, int64, [1]); result = x - 2 ** 60; result odd = x - (-3) ** 39; "
	  "result part = x - (2 ** 60 + 6) / 2; "
	  "result large = CastNode(x, float32) * 10 ** 30; result far = CastNode(x, float64) + 9007199254740993 / 2;",
		"x = [0]\nresult -> [-1152921504606846976]\nodd -> [4052555153018976267]\npart -> [-576460752303423491]\n"
		"large -> [0]\nfar -> [4503599627370496.5]\n" },
	/* a comment is none within a name, and one between tokens of an expression */
	{ "x = InputTensor(a//b, float32, [1]); result = x / # the half\n 2 + // and\n 1;", "a//b = [3]\nresult -> [2.5]\n" },
};

Test(script_names, runs_as_it_should)
{
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		const char *bad = script_run(runs[i].script, "t.lt", runs[i].values, NULL);
		cr_expect(!bad, "row %zu: %s", i, bad);
	}
}

/* Expressions at random, as text with as few parentheses as may be, and their values. */

static uint32_t state;
static int draw(int n)
{
	state = state * 1664525u + 1013904223u;
	return (int)((state >> 8) % (uint32_t)n);
}

struct random_value { char text[4000]; double value; int level; };     /* level: 9 binds tightest */
static const struct { const char *name; double number; int64_t integer; } variables[] = {
	{ "a", 3, 13 }, { "b", -2.5, -7 }, { "c", 0.5, 6 },
};

static double integer_op(char op, double x, double y)
{
	int64_t i = (int64_t)x, j = (int64_t)y;
	switch (op) {
	case '|': return (double)(i | j);
	case '^': return (double)(i ^ j);
	case '&': return (double)(i & j);
	case '%': return x - y * floor(x / y);
	default:  return NAN;
	}
}

static void random_leaf(struct random_value *out, bool integers)
{
	int k = draw(6);
	out->level = 9;
	if (k < 3) {
		snprintf(out->text, sizeof out->text, "%s", variables[k].name);
		out->value = integers ? (double)variables[k].integer : variables[k].number;
	} else {
		out->value = 1 + draw(5) + (integers ? 0 : 0.25 * draw(2));
		snprintf(out->text, sizeof out->text, "%g", out->value);
	}
}

static void random_expression(struct random_value *out, int depth, bool integers)
{
	static const struct { char op; int level; } ops[] = {
		{ '+', 5 }, { '-', 5 }, { '*', 6 }, { '/', 6 }, { '|', 2 }, { '^', 3 }, { '&', 4 }, { '%', 6 },
	};
	struct random_value x, y;
	int k = integers ? (const int[]){ 0, 1, 2, 4, 5, 6, 7 }[draw(7)] : draw(4);
	if (depth == 0 || draw(6) == 0) {
		random_leaf(out, integers);
		return;
	}
	random_expression(&x, depth - 1, integers);
	if (draw(8) == 0) {
		bool open = x.level < 7;
		snprintf(out->text, sizeof out->text, "-%s%.3000s%s", open ? "(" : " ", x.text, open ? ")" : "");
		out->value = -x.value;
		out->level = 7;
		return;
	}
	/* no division by what may be 0 */
	random_expression(&y, k == 3 || k == 7 ? 0 : depth - 1, integers);
	bool left = x.level < ops[k].level, right = y.level <= ops[k].level;
	const char *space = draw(2) ? " " : "";
	snprintf(out->text, sizeof out->text, "%s%.1500s%s%s%c%s%s%.1500s%s", left ? "(" : "", x.text, left ? ")" : "", space,
		ops[k].op, space, right ? "(" : "", y.text, right ? ")" : "");
	out->level = ops[k].level;
	out->value = k == 0 ? x.value + y.value : k == 1 ? x.value - y.value : k == 2 ? x.value * y.value
		: k == 3 ? x.value / y.value : integer_op(ops[k].op, x.value, y.value);
}

Test(script_names, precedence_is_as_in_the_table)
{
	static struct random_value x;
	static char script[6000], values[300];
	for (state = 1; state < 2000 * 7919u; state += 7919) {
		uint32_t seed = state;
		bool integers = draw(2);
		random_expression(&x, 1 + draw(4), integers);
		const char *type = integers ? "int64" : "float64";
		snprintf(script, sizeof script,
			"a = InputTensor(a, %s, [1]); b = InputTensor(b, %s, [1]); c = InputTensor(c, %s, [1]); "
		"y = %s;\nresult = (a + b + c) * 0 + y;", type, type, type, x.text);
		size_t n = 0;
		for (int i = 0; i < 3; i++)
			n += (size_t)snprintf(values + n, sizeof values - n, "%s = [%g]\n", variables[i].name,
				integers ? (double)variables[i].integer : variables[i].number);
		snprintf(values + n, sizeof values - n, "result -> [%.17g]\n", x.value);
		const char *bad = fabs(x.value) < 1e15 ? script_run(script, "t.lt", values, NULL) : NULL;
		cr_assert(!bad, "%s: %s = %.17g", bad, x.text, x.value);
		state = seed;
	}
}

static lt_node named(const struct lt_graph *g, const char *name)
{
	for (lt_node x = 0; x < g->n_node; x++)
		if (strcmp(g->node[x].name, name) == 0)
			return x;
	return -1;
}

/* A node says which name, function and round it is of, and where it is written. */
Test(script_names, nodes_have_names_and_places)
{
	struct lt_graph *g = parse("x = InputTensor(x, float32, [2]);\n"
		"def inner(x) {\n\ty = x + 1;\n\treturn ReLUNode(y);\n}\n"
		"def outer(x) {\n\trepeat j in 0..2 {\n\t\tx = inner(x);\n\t}\n\tz = -x;\n\treturn z;\n}\n"
		"repeat i in 7..9 {\n\th = outer(x) *\n\t\t(x - 2);\n}\nresult = (h);\n");
	static const struct { const char *name; int line; } rows[] = {
		{ "x", 1 }, { "outer.7.inner.0.y", 3 }, { "outer.7.inner.0.y.lit", 3 }, { "outer.8.inner.1", 4 }, { "outer.8.z", 10 },
		{ "h.7", 14 }, { "h.8", 14 }, { "h.8.sub", 15 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		lt_node x = named(g, rows[i].name);
		cr_assert_geq(x, 0, "there is no %s", rows[i].name);
		cr_expect_eq(g->node[x].line, rows[i].line, "%s is of line %d", rows[i].name, g->node[x].line);
	}
	lt_graph_free(g);
}

/* Scripts without end, and towers, are refused in time and in little memory. */
Test(script_names, what_is_too_much_is_refused)
{
	static const struct { const char *before, *again, *after, *says; } rows[] = {
		{ "x = InputTensor(x, float32, [2]); repeat i in 0..1000000000 { x = x + 1; } result = x;", "", "", "too much text" },
		{ "repeat i in -9223372036854775807..9223372036854775807 { }", "", "", "too much text" },
		{ "repeat i in 0..4000 { repeat j in 0..4000 { } }", "", "", "too much text" },
		{ "x = InputTensor(x, float32, [2]); repeat i in 0..100001 { x = x + 1; } result = x;", "", "",
			"more than 100000 values" },
		{ "result = ", "(", "", "Nested too deeply" }, { "result = ", "-", "", "Nested too deeply" },
		{ "result = 1", "**2", ";", "Nested too deeply" }, { "result = ", "ReLUNode(", "", "Nested too deeply" },
		{ "", "repeat i in 0..1 {", "", "expected '}'" }, { "result = ", "!", "", "Nested too deeply" },
		{ "x = [", "[", "", "Nested too deeply" },
		{ "x = InputTensor(x, float32, [2]); result = x", "[0", "", "expected" },
		{ "n = 1", " + 1", "; result = n;", "expected a node" },
		{ "x = InputTensor(", "{", ", float32, [1]); result = x;", "" },
		{ "def f(", "x, x", "", "is defined twice" }, { "", "a, ", "= 1;", "is one value" },
		{ "a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, "
		  "a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39 = 1;", "", "", "limit is 32" },
		{ "n = 9223372036854775807 + 1;", "", "", "Integer exceeds 63 bits" },
		{ "repeat i in 0..FullNode(int64, [1], 2) { }", "", "", "expected an integer" },
		{ "n = 2 ** 31 * 2 ** 32;", "", "", "Integer exceeds 63 bits" },
		{ "n = 18446744073709551615 == 18446744073709551614;", "", "", "The number 18446744073709551615 exceeds 63 bits, by "
			"which whole numbers are computed; write FullNode(uint64, [], 18446744073709551615) for that of uint64" },
		{ "n = 1 + 9223372036854775808;", "", "", "or 9223372036854775808.0 for a float" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = strlen(rows[i].again), times = n ? 1000000 / n : 0, at = strlen(rows[i].before);
		char *text = malloc(1000200 + at + strlen(rows[i].after));
		strcpy(text, rows[i].before);
		for (size_t k = 0; k < times; k++, at += n)
			memcpy(text + at, rows[i].again, n);
		strcpy(text + at, rows[i].after);
		struct lt_graph *g = NULL;
		lt_status status = lt_parse(ctx, text, strlen(text), "t.lt", "script", &g);
		cr_expect(!*rows[i].says == !status, "row %zu", i);
		cr_expect(!status || strstr(lt_context_message(ctx), rows[i].says), "row %zu: %s", i, lt_context_message(ctx));
		lt_graph_free(g);
		free(text);
	}
}

/* Calls within calls: each function calls the one before it twice, which is 2^20 of them. */
Test(script_names, calls_are_counted)
{
	char *text = malloc(10000);
	size_t at = (size_t)sprintf(text, "def f0(x) { return x + 1; }\n");
	for (int i = 1; i <= 20; i++)
		at += (size_t)sprintf(text + at, "def f%d(x) { return f%d(f%d(x)); }\n", i, i - 1, i - 1);
	sprintf(text + at, "x = InputTensor(x, float32, [1]); result = f20(x);");
	struct lt_graph *g = NULL;
	cr_expect_eq(lt_parse(ctx, text, strlen(text), "t.lt", "script", &g), LT_EUNSUPPORTED);
	cr_expect(strstr(lt_context_message(ctx), "more than 100000 values (in 'f0' called in line 2, 'f1' called in line 3, "
		"'f2' called in line 4, 'f3' called in line 5, ...)"), "%s", lt_context_message(ctx));
	free(text);
}
