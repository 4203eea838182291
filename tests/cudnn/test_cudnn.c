/* test_cudnn.c -- the backend cudnn by lt-run, on a library and a driver that are not there (mock_cudnn.c):
 * convolutions against the evaluator, what is refused, options, plans that are kept; each engine's faults.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/random/must.h"
#include "check/random/random.h"

static char folder[] = "/tmp/cudnn_XXXXXX", output[60000], log_text[20000];

/* The kernel that plans are judged by takes NVRTC longer than anything else here takes: it is compiled once, before the
 * tests, and is in the cache that each of them begins with.  CUDNN_WARM is that cache, which has nothing else. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
	static char warm[] = "/tmp/cudnn_warm_XXXXXX";
	const char *o = getenv("O") ? getenv("O") : "build";
	char command[1000];
	(void)tests;
	if (!mkdtemp(warm))
		abort();
	(void)snprintf(command, sizeof command, "cat >%s/x.lt <<'E'\nx = InputTensor(x, float32, [2, 3, 4, 5]);\n"
		"w = ConstantTensor(w, float32, [2, 3, 1, 1]); result = Conv2dNode(x, w);\nE\necho 'schedule 1' | XDG_CACHE_HOME=%s "
		"LD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:$LD_LIBRARY_PATH timeout 100 %s/lt-run -b cudnn --schedule=- "
		"--apply='call i cudnn.graph' -i '*=random' -c '*=random' -q %s/x.lt >%s/out 2>&1; cd %s && rm -f x.lt out "
		"looptree/*.ltk looptree/*.ltp && rm -f $(ls -S looptree/*.lti | tail -n +2)", warm, warm, o, o, o, warm, warm, warm);
	if (system(command) || setenv("CUDNN_WARM", warm, 1))
		abort();
}
ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
	char command[100];
	(void)stats;
	(void)snprintf(command, sizeof command, "rm -r %s", getenv("CUDNN_WARM"));
	(void)system(command);
}

static void remove_cache(void)
{
	char command[300];
	(void)snprintf(command, sizeof command, "rm -rf %s/cache && cp -r \"$CUDNN_WARM\" %s/cache", folder, folder);
	cr_assert_eq(system(command), 0);
}

static void begin(void)
{
	cr_assert_not_null(mkdtemp(folder));
	(void)unsetenv("MOCK_CUDNN");
	remove_cache();
}
static void end(void)
{
	char command[100];
	(void)snprintf(command, sizeof command, "rm -r %s", folder);
	cr_expect_eq(system(command), 0);
}
TestSuite(cudnn, .init = begin, .fini = end, .timeout = 300);

static void read_file(const char *name, char *to, size_t bytes)
{
	char path[200];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(to, 1, bytes - 1, f) : 0;
	to[n] = '\0';
	if (f)
		(void)fclose(f);
}

/* What lt-run says of a script, and what the library was asked for.  steps: of the plain tree, or NULL. */
static const char *run(const char *backend, const char *script, const char *steps, const char *options)
{
	char command[2000];
	const char *o = getenv("O") ? getenv("O") : "build";
	(void)snprintf(command, sizeof command, "%s/x.lt", folder);
	FILE *f = fopen(command, "w");
	cr_assert(f && fputs(script, f) >= 0 && fclose(f) == 0);
	(void)snprintf(command, sizeof command, "cd . && rm -f %s/log; echo 'schedule 1' | MOCK_CUDNN_LOG=%s/log "
		"XDG_CACHE_HOME=%s/cache LD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:$LD_LIBRARY_PATH timeout 100 %s/lt-run -b %s "
		"--strict %s%s%s -i '*=random' -c '*=random' %s %s/x.lt >%s/out 2>&1", folder, folder, folder, o, o, o, backend,
		steps ? "--schedule=- --apply=\"" : "", steps ? steps : "", steps ? "\"" : "", options, folder, folder);
	(void)system(command);
	read_file("out", output, sizeof output);
	read_file("log", log_text, sizeof log_text);
	for (const char *line = log_text; *line; line = strchr(line, '\n') + 1)
		cr_expect(!strncmp(line, "heuristic", 9) || !strncmp(line, "built ", 6) || !strncmp(line, "loaded ", 7)
			|| !strncmp(line, "run ", 4), "%s: %s", script, line);
	return output;
}

/* By a process that finds no plans. */
static const char *run_fresh(const char *backend, const char *script, const char *steps, const char *options)
{
	remove_cache();
	return run(backend, script, steps, options);
}

static int count(const char *text, const char *what)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

#define X "x = InputTensor(x, float32, [2, 6, 9, 10]); w = ConstantTensor(w, float32, [5, 6, 3, 2]);\n"
#define SQUARE "x = InputTensor(x, float32, [2, 6, 9, 10]); w = ConstantTensor(w, float32, [5, 6, 1, 1]);\n"
#define BIAS "b = ConstantTensor(b, float32, [5, 1, 1]);\n"
#define BORDER "[1, 1], [1, 1, 1, 1]"
#define ALONE "call i cudnn.graph"
#define GROUP "group i; call group cudnn.graph"
/* With channels inside, of halves; between: the type that each operator rounds to. */
#define ROUNDED(type, between) "x = InputTensor(x, " type ", [2, 9, 10, 6]);\n" \
	"w = ConstantTensor(w, " type ", [5, 3, 3, 6]); b = ConstantTensor(b, " type ", [5, 1, 1]);\n" \
	"y = CastNode(Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(PermuteNode(w, [0, 3, 1, 2]), " \
	"float32), " BORDER "), " between ");\n" \
	"z = CastNode(CastNode(y, float32) + CastNode(b, float32), " between ");\n" \
	"result = PermuteNode(CastNode(ReLUNode(CastNode(z, float32)), " type "), [0, 2, 3, 1]);\n"
#define HALF(type) ROUNDED(type, "float32")
#define HALF_GROUP "group %y.cast/i %result.cast/i; call group cudnn.graph"
#define LAYER X BIAS "result = ReLUNode(Conv2dNode(x, w, " BORDER ") + b);\n"

static const struct { const char *script, *steps; int engine; } convolutions[] = {
	{ X "result = Conv2dNode(x, w);\n", ALONE, 12 },
	{ X "result = Conv2dNode(x, w, [2, 3], [1, 0, 2, 1], [2, 1]);\n", ALONE, 12 },
	{ X "result = Conv2dNode(x, w, [1, 2], [1, 0, 3, 1], [3, 2]);\n", ALONE, 12 },
	{ X BIAS "result = Conv2dNode(x, w, " BORDER ") + b;\n", GROUP, 12 },
	{ LAYER, GROUP, 12 },
	{ X BIAS "r = InputTensor(r, float32, [2, 5, 9, 11]);\nresult = ReLUNode(Conv2dNode(x, w, " BORDER ") + b + r);\n",
		GROUP, 12 },
	{ X BIAS "r = InputTensor(r, float32, [2, 5, 9, 11]);\nresult = Conv2dNode(x, w, " BORDER ") + r + b;\n", GROUP, 12 },
	/* The library has these with a bias alone: it is of zeros. */
	{ X "result = ReLUNode(Conv2dNode(x, w, [2, 3], [1, 0, 2, 1], [2, 1]));\n", GROUP, 12 },
	{ X "r = InputTensor(r, float32, [2, 5, 9, 11]);\nresult = Conv2dNode(x, w, " BORDER ") + r;\n", GROUP, 12 },
	/* Windows of one element, in both orders of the factors. */
	{ SQUARE "result = Conv2dNode(x, w);\n", ALONE, 12 }, { SQUARE "result = Conv2dNode(x, w, [2, 2]);\n", ALONE, 12 },
	{ SQUARE "result = Conv2dNode(x, w, [1, 1], [1, 1, 0, 2]);\n", ALONE, 12 },
	{ SQUARE BIAS "result = ReLUNode(Conv2dNode(x, w) + b);\n", GROUP, 12 },
	{ "a = InputTensor(a, float32, [7, 12]); v = ConstantTensor(v, float32, [5, 12]);\n"
		"b = ConstantTensor(b, float32, [5]); result = ReLUNode(MatMulNode(a, PermuteNode(v, [1, 0])) + b);\n",
		"group m; call group cudnn.graph", 12 },
	/* The same that stand apart, with channels inside: of the whole image, where that has a line or a column more or less
	 * than what is between them. */
#define APART(size, strides) "x = InputTensor(x, float32, [2, " size ", 6]);\n" \
	"w = ConstantTensor(w, float32, [5, 6, 1, 1]);\n" \
	"result = PermuteNode(Conv2dNode(PermuteNode(x, [0, 3, 1, 2]), w, " strides "), [0, 2, 3, 1]);\n"
	{ APART("8, 10", "[2, 2]"), ALONE, 12 }, { APART("9, 11", "[2, 2]"), ALONE, 12 },
	{ APART("7, 10", "[3, 2]"), ALONE, 12 }, { APART("9, 12", "[1, 5]"), ALONE, 12 },
	{ APART("1, 9", "[1, 4]"), ALONE, 12 }, { APART("13, 1", "[4, 1]"), ALONE, 12 },
	/* One image, one channel, one filter, one row. */
	{ "x = InputTensor(x, float32, [1, 1, 5, 7]); w = ConstantTensor(w, float32, [1, 1, 3, 3]);\n"
		"result = Conv2dNode(x, w, " BORDER ");\n", "group k2; call group cudnn.graph", 12 },
	{ "x = InputTensor(x, float32, [1, 3, 1, 7]); w = ConstantTensor(w, float32, [4, 3, 1, 3]);\n"
		"result = Conv2dNode(x, w);\n", "call i2 cudnn.graph", 12 },
	/* Groups: of several channels, of one. */
	{ "x = InputTensor(x, float32, [2, 6, 9, 10]); w = ConstantTensor(w, float32, [4, 3, 3, 3]);\n"
		"b = ConstantTensor(b, float32, [4, 1, 1]);\n"
		"result = ReLUNode(Conv2dNode(x, w, " BORDER ", [1, 1], 2) + b);\n", GROUP, 12 },
	{ "x = InputTensor(x, float32, [2, 6, 9, 10]); w = ConstantTensor(w, float32, [6, 1, 3, 3]);\n"
		"b = ConstantTensor(b, float32, [6, 1, 1]);\n"
		"result = ReLUNode(Conv2dNode(x, w, [2, 2], [0, 0, 1, 1], [1, 1], 6) + b);\n", GROUP, 0 },
	{ HALF("float16"), HALF_GROUP, 40 }, { HALF("bfloat16"), HALF_GROUP, 40 },
};

Test(cudnn, convolutions)
{
	for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++) {
		char built[40], loaded[40], ran[40];
		(void)snprintf(built, sizeof built, "built %d\n", convolutions[i].engine);
		(void)snprintf(ran, sizeof ran, "run %d\n", convolutions[i].engine);
		const char *says = run("cudnn", convolutions[i].script, convolutions[i].steps, "-q --verify");
		cr_expect(strstr(says, "verify: passed"), "%s%s", convolutions[i].script, says);
		/* What another of them has built is loaded. */
		(void)snprintf(loaded, sizeof loaded, "loaded %d\n", convolutions[i].engine);
		cr_expect(count(log_text, built) + count(log_text, loaded) == 1 && strstr(log_text, ran), "%s%s",
			convolutions[i].script, log_text);
	}
}

/* What is behind an anchor y: values b of each channel, r of each element, s of each image or row; the last is z. */
#define IMAGE(type, filters, groups) "x = InputTensor(x, " type ", [2, 9, 10, 6]); w = ConstantTensor(w, " type ", " \
	filters "); b1 = ConstantTensor(b, " type ", [6, 1, 1]); r1 = InputTensor(r, " type ", [2, 9, 10, 6]);\n" \
	"s1 = InputTensor(s, " type ", [2, 1, 1, 1]);\n" \
	"y = Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(PermuteNode(w, [0, 3, 1, 2]), float32), " \
	BORDER ", [1, 1], " groups ");\nr = CastNode(PermuteNode(r1, [0, 3, 1, 2]), float32);\n"
#define MATRICES(type) "x = InputTensor(x, " type ", [7, 12]); w = ConstantTensor(w, " type ", [12, 8]);\n" \
	"b1 = ConstantTensor(b, " type ", [8]); r1 = InputTensor(r, " type ", [7, 8]); " \
	"s1 = InputTensor(s, " type ", [7, 1]);\n" \
	"y = MatMulNode(CastNode(x, float32), CastNode(w, float32)); r = CastNode(r1, float32);\n"
#define OTHERS "b = CastNode(b1, float32); s = CastNode(s1, float32);\n"
#define TURNED(type) "result = PermuteNode(CastNode(z, " type "), [0, 2, 3, 1]);\n"
#define CALL(nests) "group " nests "; call group cudnn.graph"
#define HALF_NESTS "%y.cast/i %result.cast/i"
#define ROW_NESTS "%y.cast/m %result/m"
static const struct { const char *backend, *begin, *end, *nests; } anchors[] = {
	{ "cudnn", IMAGE("float16", "[6, 3, 3, 6]", "1"), TURNED("float16"), HALF_NESTS },
	{ "cudnn", IMAGE("bfloat16", "[6, 3, 3, 6]", "1"), TURNED("bfloat16"), HALF_NESTS },
	{ "cudnn:tf32", IMAGE("float32", "[6, 3, 3, 6]", "1"), "result = PermuteNode(CopyNode(z), [0, 2, 3, 1]);\n",
		"%y.mul/i %result.copy/i" },
	{ "cudnn", IMAGE("float32", "[6, 3, 3, 1]", "6"), "result = PermuteNode(CopyNode(z), [0, 2, 3, 1]);\n",
		"%y.mul/i %result.copy/i" },
	{ "cudnn", IMAGE("float16", "[6, 3, 3, 1]", "6"), TURNED("float16"), HALF_NESTS },
	{ "cudnn", MATRICES("float16"), "result = CastNode(z, float16);\n", ROW_NESTS },
	{ "cudnn", MATRICES("bfloat16"), "result = CastNode(z, bfloat16);\n", ROW_NESTS },
	{ "cudnn:tf32", MATRICES("float32"), "result = CopyNode(z);\n", "%y.mul/m %z/m" },
};
enum { N_ANCHOR = sizeof anchors / sizeof *anchors };

/* All of it is one plan of an engine that is compiled for it, and right.  Filters that are copied, as the result alone
 * says in which order that is computed, are in the group. */
static void is_fused(int anchor, const char *chain)
{
	static const char copied[] = "%y.view2.packed";
	char script[4000], steps[200];
	(void)snprintf(script, sizeof script, "%s" OTHERS "%s%s", anchors[anchor].begin, chain, anchors[anchor].end);
	(void)snprintf(steps, sizeof steps, "group %s; call group cudnn.graph", anchors[anchor].nests);
	if (strstr(run(anchors[anchor].backend, script, NULL, "--dump=tree"), copied) && !strncmp(steps, "group %y.mul", 12))
		(void)snprintf(steps, sizeof steps, "group %s/j2 %%result.copy/i; call group cudnn.graph", copied);
	const char *says = run(anchors[anchor].backend, script, steps, "-q --verify");
	cr_expect(strstr(says, "verify: passed"), "%s%s", script, says);
	const char *ran = strstr(anchors[anchor].begin, "[6, 3, 3, 1]") ? "run 8\n" : "run 50\n";
	cr_expect(count(log_text, "built") + count(log_text, "loaded") == 1 && strstr(log_text, ran)
		&& count(log_text, "run") == count(log_text, ran), "%s%s", script, log_text);
}

Test(cudnn, chains)
{
	static const char *const chains[] = { "z1 = y + b; z = z1 * SigmoidNode(z1);\n",
		"z1 = y + b; z = z1 * MinNode(MaxNode(z1 + 3, 0), 6) / 6;\n", "z1 = y + b; z = GeluNode(z1);\n",
		"z1 = y * b; z = z1 * 0.5 * (1 + TanhNode(0.7978845608 * (z1 + 0.044715 * z1 * z1 * z1)));\n",
		"z = MinNode(MaxNode(y + b, 0), 6);\n", "z = MaxNode(MinNode(y - r, 0.5), -0.25);\n", "z = ReLUNode(y + b) + r;\n",
		"z = SelectNode(GreaterNode(y, 0), y, b * y);\n", "z = 1 - (y + s);\n", "z = 1 - y * s;\n",
		"z = r / (1 + ExpNode(0 - AbsNode(y)));\n",
		"z = NegNode(SqrtNode(AbsNode(y + b))) + RsqrtNode(r * r + 1) - LogNode(ReciprocalNode(y * y + 0.5));\n",
		"z = FloorNode(SinNode(b)) + CeilNode(CosNode(s)) + y;\n" };
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
		for (size_t a = i % 3; a < N_ANCHOR; a += 3)
			is_fused((int)a, chains[i]);
}

/* Of values drawn from those before, each of which may be read again. */
static void draw_chain(uint64_t *rng, char *to)
{
	static const char *const forms[] = { "%1$s + %2$s", "%1$s - %2$s", "%1$s * %2$s", "%1$s / (AbsNode(%2$s) + 1)",
		"AbsNode(%1$s)", "SigmoidNode(%1$s)", "TanhNode(%1$s)", "ErfNode(%1$s)", "ReLUNode(%1$s)",
		"MinNode(%1$s, 0.75)", "MaxNode(-0.5, %1$s)", "1 - %1$s", "%1$s * -0.5", "SqrtNode(AbsNode(%1$s) + 0.25)",
		"ExpNode(MinNode(%1$s, 1))", "SelectNode(LessNode(%1$s, 0), %1$s * 0.125, %1$s)" };
	const int n = (int)random_between(rng, 2, 8);
	char names[12][16] = { "y", "b", "r", "s" };
	for (int i = 0; i < n; i++) {
		/* The newest is read by the next, so that none is left out. */
		const char *newest = names[i ? 3 + i : 0], *other = names[random_between(rng, 0, 3 + i)];
		const int64_t form = random_between(rng, 0, sizeof forms / sizeof *forms - 1);
		const bool swapped = form < 4 && random_chance(rng, 30);
		char value[200];
		(void)snprintf(names[4 + i], sizeof names[0], i == n - 1 ? "z" : "v%d", i);
		(void)snprintf(value, sizeof value, forms[form], swapped ? other : newest,
			swapped ? newest : other);
		to += sprintf(to, "%s = %s;\n", names[4 + i], value);
	}
}

Test(cudnn, random_chains)
{
	uint64_t rng = 11;
	const int n = (int)must_draws("LT_CHAINS", 24);
	for (int i = 0; i < n; i++) {
		char chain[2000];
		draw_chain(&rng, chain);
		is_fused(i % N_ANCHOR, chain);
	}
}

/* Which graph of a convolution with a bias and a ReLU is asked for first was measured; the other takes its place. */
Test(cudnn, which_graph)
{
	static const struct { const char *channels, *fault, *ran; } cases[] = { { "256", "", "run 50\n" },
		{ "128", "", "run 40\n" }, { "256", "term:50 build:51", "run 40\n" },
		{ "128", "build:40 build:12 build:0", "run 50\n" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[1000];
		(void)snprintf(script, sizeof script, "c = %s; x = InputTensor(x, float16, [2, 9, 9, c]); "
			"w = ConstantTensor(w, float16, [512, 1, 1, c]); b1 = ConstantTensor(b, float16, [512, 1, 1]);\n"
			"y = Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(PermuteNode(w, [0, 3, 1, 2]), "
			"float32), [2, 2]);\nz = ReLUNode(y + CastNode(b1, float32));\n" TURNED("float16"), cases[i].channels);
		(void)setenv("MOCK_CUDNN", cases[i].fault, 1);
		remove_cache();
		for (int again = 0; again < 2; again++) {       /* by the plan that was kept, too */
			const char *says = run("cudnn", script, CALL("%y.cast2/i2 %result.cast/i"), again ? "-q --verify" : "-q");
			cr_expect((!again || strstr(says, "verify: passed")) && strstr(log_text, again ? "loaded" : "built"), "%s: %s%s",
				cases[i].fault, says, log_text);
			const char *last = log_text + strlen(log_text) - strlen(cases[i].ran);
			cr_expect_str_eq(last, cases[i].ran, "%s channels, '%s': %s", cases[i].channels, cases[i].fault, log_text);
		}
	}
}

/* Two results; operators before a product's factors, which halves are rounded for, too. */
Test(cudnn, several_results_and_factors)
{
	static const struct { const char *backend, *script, *steps; } cases[] = {
		{ "cudnn", IMAGE("float16", "[6, 3, 3, 6]", "1") OTHERS "f = CastNode(y + b, float16);\n"
			"result first = PermuteNode(f, [0, 2, 3, 1]);\nz = CastNode(f, float32) * SigmoidNode(CastNode(f, float32));\n"
			TURNED("float16"), HALF_NESTS },
		/* What is read behind it was not rounded. */
		{ "cudnn", MATRICES("float16") OTHERS "result first = CastNode(y, float16);\n"
			"result = CastNode(ReLUNode(y) + r, float16);\n",
			ROW_NESTS },
		{ "cudnn:tf32", "a = InputTensor(a, float32, [7, 12]); b = InputTensor(b, float32, [7, 12]);\n"
			"v = ConstantTensor(v, float32, [12, 5]); w = InputTensor(w, float32, [12, 5]);\n"
			"y = MatMulNode(a + b, v + w); result = y * SigmoidNode(y);\n", "%y.add/m %result/m" },
		{ "cudnn", "a = InputTensor(a, float16, [3, 7, 12]); b = InputTensor(b, float16, [12]);\n"
			"v = InputTensor(v, float16, [3, 12, 5]);\n"
			"f = CastNode(CastNode(a, float32) * CastNode(b, float32), float16);\n"
			"y = MatMulNode(CastNode(f, float32), CastNode(v, float32)); result = CastNode(TanhNode(y), float16);\n",
			"%f.cast2/k %result/b" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char steps[200];
		(void)snprintf(steps, sizeof steps, "group %s; call group cudnn.graph", cases[i].steps);
		const char *says = run(cases[i].backend, cases[i].script, steps, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && strstr(log_text, "run 50\n"), "%s%s%s", cases[i].script, says, log_text);
	}
}

#define HALVES(type, name, sizes) #name "1 = InputTensor(" #name ", " type ", " sizes "); " #name " = CastNode(" #name \
	"1, float32);\n"
/* Two products of one left factor, or of one right one, are one plan; a term that is left out is seen. */
Test(cudnn, products_side_by_side)
{
	static const struct { const char *script, *steps; } cases[] = {
		{ HALVES("float16", x, "[7, 12]") HALVES("float16", v, "[12, 8]") HALVES("float16", w, "[12, 8]")
			"y = MatMulNode(x, v); z = MatMulNode(x, w); result = CastNode(y * SigmoidNode(y) * z, float16);\n",
			"%x2/m %result/m" },
		{ HALVES("bfloat16", x, "[7, 12]") HALVES("bfloat16", u, "[7, 12]") HALVES("bfloat16", w, "[12, 8]")
			HALVES("bfloat16", b, "[8]")
			"y = MatMulNode(x, w) + b; z = MatMulNode(u, w); result = CastNode(ReLUNode(y) - z, bfloat16);\n",
			"%x2/m %result/m" } };
	static const struct { const char *fault, *ran; } plans[] = { { "", "run 50\n" }, { "term:50", "run 51\n" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
			char steps[200];
			(void)setenv("MOCK_CUDNN", plans[k].fault, 1);
			(void)snprintf(steps, sizeof steps, "group %s; call group cudnn.graph", cases[i].steps);
			const char *says = run("cudnn", cases[i].script, steps, "--no-cache -q --verify");
			const char *last = log_text + strlen(log_text) - strlen(plans[k].ran);
			cr_expect(strstr(says, "verify: passed") && last >= log_text && !strcmp(last, plans[k].ran), "%s%s%s",
				cases[i].script, says, log_text);
		}
}

#define NX(type, extents) "x = InputTensor(x, " type ", " extents ");\n"
#define NW(type) "w = ConstantTensor(w, " type ", [11]);\n"
#define NB(type) "b = ConstantTensor(b, " type ", [11]);\n"
#define WIDE(x) "CastNode(" x ", float32)"
#define HALF_NORM(type, between) NX(type, "[2, 3, 11]") NW(type) NB(type) \
	"y = CastNode(LayerNormNode(" WIDE("x") ", 1e-3), " between ");\n" \
	"result = CastNode(" WIDE("y") " * " WIDE("w") " + " WIDE("b") ", " type ");\n"
#define HALF_NORM_GROUP "group %y.cast/i %y.div3/i; call group cudnn.graph"
/* As frameworks write them, too: by powers, by the inverse, by the mean as a product. */
static const struct { const char *script, *steps; int engine; } norms[] = {
	{ NX("float32", "[6, 11]") NW("float32") NB("float32") "result = LayerNormNode(x, w, b);\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") NW("float32") "result = LayerNormNode(x, w);\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") NB("float32") "result = LayerNormNode(x) + b;\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") "result = LayerNormNode(x, 0.125);\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") NW("float32") "result = RMSNormNode(x, w, 0.5);\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") "result = x / SqrtNode(ReduceMeanNode(x * x, [1], 1));\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") NW("float32") "result = w * (x * RsqrtNode(ReduceMeanNode(x * x, [1], 1) + 0.25));\n",
		ALONE, 12 },
	{ NX("float32", "[6, 11]") "result = x * PowNode(0.25 + ReduceMeanNode(x * x, [1], 1), -0.5);\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") "d = x - ReduceMeanNode(x, [1], 1);\n"
		"result = d / PowNode(ReduceMeanNode(d * d, [1], 1) + 0.25, 0.5);\n", ALONE, 12 },
	{ NX("float32", "[6, 11]") "result = x * ReciprocalNode(SqrtNode(ReduceSumNode(x * x, [1], 1) * 0.0909090936 + "
		"0.25));\n", ALONE, 12 },
	/* so many that one row has an infinity when it is tried */
	{ NX("float32", "[6000, 11]") NW("float32") "result = RMSNormNode(x, w);\n", ALONE, 12 },
	/* several axes of rows, and of their elements; one row; rows that do not fill their memory */
	{ NX("float32", "[2, 3, 11]") NW("float32") NB("float32") "result = LayerNormNode(x, w, b);\n", ALONE, 12 },
	{ NX("float32", "[7, 5, 2]") "x = ReshapeNode(x, [7, 10]); result = LayerNormNode(x);\n", ALONE, 12 },
	{ NX("float32", "[1, 11]") NW("float32") "result = RMSNormNode(x, w);\n",
		"group %result.mul/j %result/j; call group cudnn.graph", 12 },
	{ NX("float32", "[6, 17]") NW("float32") "result = RMSNormNode(SliceNode(x, 4, 15, 1), w);\n", ALONE, 12 },
	{ HALF_NORM("float16", "float32"), HALF_NORM_GROUP, 40 }, { HALF_NORM("bfloat16", "float32"), HALF_NORM_GROUP, 40 },
};


/* Of queries, keys, values: n batches and heads, s queries, t keys, d and e elements. */
#define QKV(type, n, s, t, d, e) "q = InputTensor(q, " type ", " n ", " s ", " d "]);\n" \
	"k = InputTensor(k, " type ", " n ", " t ", " d "]); v = InputTensor(v, " type ", " n ", " t ", " e "]);\n"
/* Without values. */
#define QK(type, n, s, t, d) "q = InputTensor(q, " type ", " n ", " s ", " d "]);\n" \
	"k = InputTensor(k, " type ", " n ", " t ", " d "]);\n"
/* Heads beside each other in one row, of which two share keys; a group of as many as it takes. */
#define HEADS(type, n, s, behind) "b = " n "; s = " s "; d = 8;\n" \
	"def H(x, h) { return PermuteNode(ReshapeNode(CastNode(x, float32), [b, s, h, d]), [0, 2, 1, 3]); }\n" \
	"def E(x) { return ExpandNode(ReshapeNode(H(x, 2), [b, 2, 1, s, d]), [b, 2, 2, s, d]); }\n" \
	"def G(x) { return ReshapeNode(E(x), [b, 4, s, d]); }\n" \
	"q = InputTensor(q, " type ", [b, s, 4 * d]); k = InputTensor(k, " type ", [b, s, 2 * d]);\n" \
	"v = InputTensor(v, " type ", [b, s, 2 * d]); a = AttentionNode(H(q, 4), G(k), G(v), 0.3, 1);\n" \
	"result = " behind ";\n"
/* Where the graph rounds the probabilities to the type of the values. */
#define SEEN "LessEqualNode(IndexNode(s, 2), IndexNode(s, 1))"
#define ROUNDED_ATTENTION(type, scale, seen) "def F(x) { return CastNode(x, float32); }\ndef A(q, k, v) {\n" \
	"s = EinsumNode(hsd,htd->hst: F(q), F(k)) * " scale ";\n" \
	"p = CastNode(SoftmaxNode(WhereNode(" seen ", s, -inf)), " type ");\n" \
	"return CastNode(EinsumNode(hst,htd->hsd: F(p), F(v)), " type "); }\n"
#define HALF_ATTENTION(type) QKV(type, "[2", "7", "7", "8", "16") ROUNDED_ATTENTION(type, "0.3", SEEN) \
	"result = A(q, k, v);\n", "group %A.F/h %A.F4/h; call group cudnn.graph"
/* Each operator rounded, as in models of float16: layers that share a mask, which is added, of what is padding. */
#define MASKED_ATTENTION(type, least) "def F(x) { return CastNode(x, float32); }\n" \
	"def R(x) { return CastNode(x, " type "); }\n" \
	"def A(q, k, v, m) { s = R(F(R(EinsumNode(hsd,htd->hst: F(q), F(k)))) * 0.125); s = R(F(s) + F(m));\n" \
	"e = R(ExpNode(F(R(F(s) - F(R(ReduceMaxNode(F(s), [2], 1)))))));\n" \
	"return R(EinsumNode(hst,htd->hsd: F(R(F(e) / F(R(ReduceSumNode(F(e), [2], 1))))), F(v))); }\n" \
	"def M(p) { return WhereNode(CastNode(p, bool), FullNode(" type ", [], 0), FullNode(" type ", [], " least ")); }\n"
#define MASKED_LAYERS(type, heads, s, d, least) QKV(type, "[" heads, s, s, d, d) MASKED_ATTENTION(type, least) \
	"p = InputTensor(p, int64, [" heads ", 1, " s "]); m = M(p);\n" \
	"j = InputTensor(j, " type ", [" heads ", " s ", " d "]); u = InputTensor(u, " type ", [" heads ", " s ", " d "]);\n" \
	"result = A(A(q, k, v, m), j, u, m);\n"
#define MASKED_HALVES(type, least) QKV(type, "[2", "5", "7", "8", "16") MASKED_ATTENTION(type, least) \
	"m = InputTensor(m, " type ", [2, 1, 7]); result = A(q, k, v, m);\n", "group %A.F/h %A.R9/h; call group cudnn.graph"
/* What is not rounded between the products: the library rounds the probabilities nevertheless. */
#define WIDE_ATTENTION(type) QKV(type, "[2", "7", "7", "8", "16") "result = CastNode(AttentionNode(" WIDE("q") ", " \
	WIDE("k") ", " WIDE("v") ", 0.3, 1), " type ");\n", "group %result.cast/i %result/i; call group cudnn.graph"
#define IN_ROWS "ReshapeNode(PermuteNode(a, [0, 2, 1, 3]), [b, s, 4 * d])"
/* Two layers of attention. */
#define LAYERS_OF(type, heads, s, d) QKV(type, "[" heads, s, s, d, d) ROUNDED_ATTENTION(type, "0.125", SEEN) \
	"j = InputTensor(j, " type ", [" heads ", " s ", " d "]); u = InputTensor(u, " type ", [" heads ", " s ", " d "]);\n" \
	"result = A(A(q, k, v), j, u);\n"
/* Keys that count, by a value. */
#define CHOSEN(by) "s = EinsumNode(hsd,htd->hst: q, k) * 0.3;\n" \
	"result = EinsumNode(hst,htd->hsd: SoftmaxNode(WhereNode(" by ", s, -inf)), v);\n"
/* Where the second has the keys or the values of the first: one var of the graph is what both are of. */
#define SHARED_LAYERS(heads, s, d, second) QKV("float16", "[" heads, s, s, d, d) \
	ROUNDED_ATTENTION("float16", "0.125", SEEN) "u = InputTensor(u, float16, [" heads ", " s ", " d "]);\n" \
	"result = A(A(q, k, v), " second ");\n"
/* Two layers whose keys count by the same condition. */
#define PADDED_LAYERS(type, heads, s, d, seen) QKV(type, "[" heads, s, s, d, d) "n = InputTensor(n, int32, [" heads \
	", 1, 1]); j = InputTensor(j, " type ", [" heads ", " s ", " d "]); u = InputTensor(u, " type ", [" heads ", " s ", " \
	d "]);\ns = FullNode(float32, [1, " s ", " s "], 0); t = IndexNode(s, 2); c = " seen ";\n" \
	ROUNDED_ATTENTION_BY(type, "0.125", "m", "-inf") "result = A(A(q, k, v, c), j, u, c);\n"
#define MASK_QKV QKV("float32", "[2", "5", "7", "8", "16")
#define MASKS(dims) MASK_QKV "m = InputTensor(m, bool, " dims ");\n"
#define LENGTHS(type) MASK_QKV "n = InputTensor(n, " type ", [2, 1, 1]);\n"
#define LENGTH_NESTS "group %s.mul/h %result.mod/h; call group cudnn.graph"
#define HALF_MASKS(type, seen, least) QKV(type, "[2", "5", "7", "8", "16") "m = InputTensor(m, bool, [2, 5, 7]);\n" \
	ROUNDED_ATTENTION_BY(type, "0.3", seen, least) "result = A(q, k, v, m);\n", \
	"group %A.F/h %A.F4/h; call group cudnn.graph"
#define ROUNDED_ATTENTION_BY(type, scale, seen, least) "def F(x) { return CastNode(x, float32); }\n" \
	"def A(q, k, v, m) {\ns = EinsumNode(hsd,htd->hst: F(q), F(k)) * " scale ";\n" \
	"p = CastNode(SoftmaxNode(WhereNode(" seen ", s, " least ")), " type ");\n" \
	"return CastNode(EinsumNode(hst,htd->hsd: F(p), F(v)), " type "); }\n"
static const struct { const char *script, *steps; int engine; } attentions[] = {
	{ QKV("float32", "[2", "5", "7", "8", "16") "result = AttentionNode(q, k, v);\n", ALONE, 40 },
	{ QKV("float32", "[2, 3", "7", "7", "8", "8") "result = AttentionNode(q, k, v, 0.3, 1);\n", ALONE, 40 },
	/* the last query sees all keys; each sees a number more than its own; so many that none is hidden */
	{ QKV("float32", "[2", "5", "7", "8", "8") "result = AttentionNode(q, k, v, 0.3, 1);\n", ALONE, 40 },
	{ QKV("float32", "[2", "5", "7", "8", "16") CHOSEN("LessNode(IndexNode(s, 2), IndexNode(s, 1) + 2)"),
		"call h cudnn.graph", 40 },
	{ QKV("float32", "[2", "5", "7", "8", "16") CHOSEN("LessNode(IndexNode(s, 2), IndexNode(s, 1) + 7)"),
		"call h cudnn.graph", 40 },
	/* a negative scale, one query, none */
	{ QKV("float32", "[2", "5", "5", "8", "8") "result = AttentionNode(q, k, v, -2.5, 1);\n", ALONE, 40 },
	{ QKV("float32", "[3", "1", "11", "16", "8") "result = AttentionNode(q, k, v, 1);\n", ALONE, 40 },
	/* keys that are values, too */
	{ QK("float32", "[2", "5", "7", "8") "result = AttentionNode(q, k, k);\n", ALONE, 40 },
	{ QK("float32", "[2, 3", "7", "7", "8") "result = AttentionNode(q, k, k, 0.3, 1);\n", ALONE, 40 },
	/* numbers before, and behind; a mask that is added, whose rows all are one */
	{ QKV("float32", "[2", "5", "7", "8", "8") "a = EinsumNode(hsd,htd->hst: q * 0.5, k);\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(a / 2), v);\n", "call h cudnn.graph", 40 },
	{ QKV("float32", "[2", "5", "7", "8", "8") "m = InputTensor(m, float32, [2, 1, 7]);\n"
		"a = EinsumNode(hsd,htd->hst: q, k);\nresult = EinsumNode(hst,htd->hsd: SoftmaxNode(m + a * 0.3), v);\n",
		"call h cudnn.graph", 40 },
	{ HEADS("float32", "3", "5", IN_ROWS), ALONE, 40 },
	{ HEADS("float32", "1", "7", "a"), "call d10 cudnn.graph", 40 },
	{ HEADS("float16", "3", "5", "CastNode(" IN_ROWS ", float16)"),
		"group %H.cast/i %result/i; call group cudnn.graph", 40 },
	{ QKV("bfloat16", "[3", "1", "11", "16", "8") "result = CastNode(AttentionNode(" WIDE("q") ", " WIDE("k") ", "
		WIDE("v") "), bfloat16);\n", GROUP, 40 },
	{ HALF_ATTENTION("float16"), 40 }, { HALF_ATTENTION("bfloat16"), 40 },
	{ WIDE_ATTENTION("float16"), 40 }, { WIDE_ATTENTION("bfloat16"), 40 },
	{ MASKED_HALVES("float16", "-65504"), 40 }, { MASKED_HALVES("bfloat16", "-inf"), 40 },
	/* What a kernel in front computes: booleans, of each head or not, those that are hidden, lengths, a number, a run-time
	 * scalar, several conditions, a mask beside one that is added. */
	{ MASKS("[2, 5, 7]") CHOSEN("m"), "call h cudnn.graph", 40 },
	{ MASKS("[1, 7]") "s = EinsumNode(hsd,htd->hst: q, k);\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(WhereNode(NotNode(m), -inf, s)), v);\n",
		"group %s.mul/h %result.max/h; call group cudnn.graph", 40 },
	{ MASKS("[2, 5, 1]") "s = EinsumNode(hsd,htd->hst: q, k);\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(WhereNode(m, -inf, s)), v);\n", "call h cudnn.graph", 40 },
	{ LENGTHS("int64") CHOSEN("LessNode(IndexNode(s, 2), n % 8)"), LENGTH_NESTS, 40 },
	{ LENGTHS("int32") CHOSEN("GreaterNode(n % 8, CastNode(IndexNode(s, 2), int32))"), LENGTH_NESTS, 40 },
	{ LENGTHS("int64") CHOSEN("LessNode(IndexNode(s, 2), n % 7 + 1) & LessEqualNode(IndexNode(s, 2), "
		"IndexNode(s, 1) + 1)"), LENGTH_NESTS, 40 },
	{ MASK_QKV CHOSEN("LessNode(IndexNode(s, 2), FullNode(int64, [], 4))"), "call h cudnn.graph", 40 },
	{ "j = InputTensor(j, int64, [1]); n = ScalarNode(j, -9223372036854775808, 9223372036854775807);\n" MASK_QKV
		CHOSEN("LessEqualNode(IndexNode(s, 2), IndexNode(s, 1) + n % 6)"),
		"group %s.mul/h %s/h; call group cudnn.graph", 40 },
	{ MASKS("[2, 5, 7]") "b = InputTensor(b, float32, [5, 7]);\ns = EinsumNode(hsd,htd->hst: q, k) * 0.3 + b;\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(WhereNode(m, s, -inf)), v);\n", "call h cudnn.graph", 40 },
	{ MASK_QKV "b = InputTensor(b, float32, [5, 7]);\ns = EinsumNode(hsd,htd->hst: q, k) * 0.3 + b;\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(WhereNode(" SEEN ", s, -inf)), v);\n", "call h cudnn.graph", 40 },
	/* causal by what is added, of one side or the other, and by a condition's contrary */
	{ QKV("float32", "[2", "7", "7", "8", "8") "s = EinsumNode(hsd,htd->hst: q, k) * 0.3;\nw = WhereNode(" SEEN ", "
		"FullNode(float32, [], 0), FullNode(float32, [], -inf)); result = EinsumNode(hst,htd->hsd: SoftmaxNode(s + w), "
		"v);\n", "call h cudnn.graph", 40 },
	{ QKV("float32", "[2", "5", "7", "8", "16") "s = EinsumNode(hsd,htd->hst: q, k) * 0.3;\nw = WhereNode(GreaterNode("
		"IndexNode(s, 2), IndexNode(s, 1) + 2), FullNode(float32, [], -inf), FullNode(float32, [], 0));\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(w + s), v);\n", "call h cudnn.graph", 40 },
	{ QKV("float32", "[2", "7", "7", "8", "8") CHOSEN("NotNode(GreaterNode(IndexNode(s, 2), IndexNode(s, 1)))"),
		"call h cudnn.graph", 40 },
	/* added: -10000, which is no mask where no key counts */
	{ MASKS("[2, 5, 7]") "s = EinsumNode(hsd,htd->hst: q, k) * 0.3;\nw = WhereNode(m, FullNode(float32, [], 0), "
		"FullNode(float32, [], -10000)); result = EinsumNode(hst,htd->hsd: SoftmaxNode(s + w), v);\n",
		"call h cudnn.graph", 40 },
	{ HALF_MASKS("float16", "m", "-inf"), 40 }, { HALF_MASKS("bfloat16", "NotNode(m)", "-inf"), 40 },
};

Test(cudnn, attentions)
{
	for (size_t i = 0; i < sizeof attentions / sizeof *attentions; i++) {
		char ran[40];
		(void)snprintf(ran, sizeof ran, "run %d\n", attentions[i].engine);
		const char *says = run_fresh("cudnn", attentions[i].script, attentions[i].steps, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && strstr(log_text, ran) && !strstr(log_text, "built 43"), "%s%s%s",
			attentions[i].script, says, log_text);
	}
}

/* A plan that is kept has been tried by another process: the kernel that makes the mask is there nevertheless. */
Test(cudnn, masks_by_kept_plans)
{
	static const char *const scripts[] = { MASKS("[2, 5, 7]") CHOSEN("m"), MASKS("[5, 7]") CHOSEN("m") };
	(void)run_fresh("cudnn", scripts[0], "call h cudnn.graph", "-q --verify");
	for (int i = 0; i < 2; i++) {
		const char *says = run("cudnn", scripts[i], "call h cudnn.graph", "-q --verify");
		cr_expect(strstr(says, "verify: passed"), "%s%s", says, log_text);
		cr_expect_eq(count(log_text, "built "), i, "%s", log_text);      /* the other has another form */
		cr_expect_eq(count(log_text, "loaded "), !i, "%s", log_text);
	}
	const char *says = run("cudnn:workspace=4096", scripts[0], "call h cudnn.graph", "-q");
	cr_expect(!strstr(says, "lt-run:"), "%s", says);
	says = run("cudnn:workspace=300", scripts[0], "call h cudnn.graph", "-q");
	cr_expect(strstr(says, "with so little workspace"), "%s", says);
}

/* NAME.npy in the folder; the option that gives the input NAME that file. */
static const char *npy_option(const char *name, const char *descr, const char *shape, const void *data, size_t n)
{
	enum { HEAD = 118 };
	static char option[300];
	char path[200], text[HEAD + 1];
	(void)snprintf(path, sizeof path, "%s/%s.npy", folder, name);
	FILE *f = fopen(path, "wb");
	const int have = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
	cr_assert(have > 0 && have < HEAD);
	memset(text + have, ' ', (size_t)(HEAD - have));
	text[HEAD - 1] = '\n';
	cr_assert(f && fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f) == 10 && fwrite(text, 1, HEAD, f) == HEAD
		&& fwrite(data, (size_t)(descr[2] - '0'), n, f) == n && fclose(f) == 0);
	(void)snprintf(option, sizeof option, "-q --verify -i %s=%s", name, path);
	return option;
}

/* Lengths: how many keys count in each batch.  own: the plan reads them itself, and has no mask to be made. */
#define PADDED(type, dims, by) \
	"q = InputTensor(q, float32, [2, 3, 5, 8]); k = InputTensor(k, float32, [2, 3, 7, 8]);\n" \
	"v = InputTensor(v, float32, [2, 3, 7, 16]); n = InputTensor(n, " type ", " dims ");\n" \
	"s = EinsumNode(bhsd,bhtd->bhst: q, k) * 0.3; t = IndexNode(s, 3);\n" \
	"result = EinsumNode(bhst,bhtd->bhsd: SoftmaxNode(" by "), v);\n"
#define KEY "CastNode(t, int32)"
#define OF_BATCH "[2, 1, 1, 1]"
#define ONE "call b cudnn.graph"
#define TWO(nest) "group %s.mul/b " nest "/b; call group cudnn.graph"
#define ADDED(type, least) "s + WhereNode(LessNode(" KEY ", n), FullNode(" type ", [], 0), FullNode(" type ", [], " \
	least "))"
static const struct { const char *script, *shape; bool own; const char *steps; } padded[] = {
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(" KEY ", n), s, -inf)"), "(2, 1, 1, 1)", true, ONE },
	{ PADDED("int32", OF_BATCH, "WhereNode(GreaterEqualNode(n, " KEY "), s, -inf)"), "(2, 1, 1, 1)", true, ONE },
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(t, CastNode(n, int64)), s, -inf)"), "(2, 1, 1, 1)", true,
		TWO("%result.cast") },
	{ PADDED("int32", OF_BATCH, "WhereNode(NotNode(GreaterNode(" KEY ", n)), s, -inf)"), "(2, 1, 1, 1)", true, ONE },
	{ PADDED("int32", OF_BATCH, "WhereNode(GreaterEqualNode(" KEY ", n), -inf, s)"), "(2, 1, 1, 1)", true, ONE },
	/* with causal ones, of a number more, and as what is hidden */
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(" KEY ", n) & LessEqualNode(t, IndexNode(s, 2)), s, -inf)"),
		"(2, 1, 1, 1)", true, ONE },
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(t, IndexNode(s, 2) + 3) & LessNode(" KEY ", n), s, -inf)"),
		"(2, 1, 1, 1)", true, ONE },
	{ PADDED("int32", OF_BATCH, "WhereNode(GreaterNode(" KEY ", n) | GreaterNode(t, IndexNode(s, 2) + 1), -inf, s)"),
		"(2, 1, 1, 1)", true, ONE },
	{ PADDED("int32", "[1, 1, 1, 1]", "WhereNode(LessNode(" KEY ", n), s, -inf)"), "(1, 1, 1, 1)", true, ONE },
	{ PADDED("int64", OF_BATCH, "WhereNode(LessNode(t, n), s, -inf)"), "(2, 1, 1, 1)", true, ONE },
	{ PADDED("int64", "[2, 3, 1, 1]", "WhereNode(GreaterEqualNode(n, t) & LessEqualNode(t, IndexNode(s, 2)), s, -inf)"),
		"(2, 3, 1, 1)", true, ONE },
	/* as what is added */
	{ PADDED("int32", OF_BATCH, ADDED("float32", "-inf")), "(2, 1, 1, 1)", true, ONE },
	/* of each head, which then are batches */
	{ PADDED("int32", "[2, 3, 1, 1]", "WhereNode(LessNode(" KEY ", n), s, -inf)"), "(2, 3, 1, 1)", true, ONE },
	/* heads that share keys; halves */
	{ "q = InputTensor(q, float32, [2, 1, 3, 5, 8]); k = InputTensor(k, float32, [2, 1, 7, 8]);\n"
		"v = InputTensor(v, float32, [2, 1, 7, 16]); n = InputTensor(n, int32, [2, 1, 1, 1, 1]);\n"
		"s = EinsumNode(bhgsd,bhtd->bhgst: q, k) * 0.3;\nresult = EinsumNode(bhgst,bhtd->bhgsd: SoftmaxNode(WhereNode("
		"GreaterNode(n, CastNode(IndexNode(s, 4), int32)), s, -inf)), v);\n", "(2, 1, 1, 1, 1)", true, ONE },
	{ QKV("float16", "[2", "5", "7", "8", "16") "n = InputTensor(n, int32, [2, 1, 1]);\n"
		ROUNDED_ATTENTION_BY("float16", "0.3", "LessNode(CastNode(IndexNode(s, 2), int32), m)", "-inf")
		"result = A(q, k, v, n);\n", "(2, 1, 1)", true, "group %A.F/h %A.F4/h; call group cudnn.graph" },
	/* the library has no such operand, or no such comparison */
	{ PADDED("int32", "[2, 1, 5, 1]", "WhereNode(LessNode(" KEY ", n), s, -inf)"), "(2, 1, 5, 1)", false, ONE },
	{ PADDED("float32", OF_BATCH, "WhereNode(LessNode(CastNode(t, float32), n), s, -inf)"), "(2, 1, 1, 1)", false, ONE },
	{ PADDED("int32", OF_BATCH, ADDED("float32", "-10000")), "(2, 1, 1, 1)", false, ONE },
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(" KEY ", n - 1), s, -inf)"), "(2, 1, 1, 1)", false,
		TWO("%result.sub") },
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(" KEY ", n) | EqualNode(" KEY ", n), s, -inf)"), "(2, 1, 1, 1)",
		false, TWO("%result.cast") },
	{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(" KEY ", n), s, -3.4028234663852886e38)"), "(2, 1, 1, 1)", false,
		ONE },
	/* of each head alike in all batches */
	{ PADDED("int32", "[3, 1, 1]", "WhereNode(LessNode(" KEY ", n), s, -inf)"), "(3, 1, 1)", false, ONE },
};

static const char *length_option(size_t row, const int32_t *length)
{
	const bool is_float = strstr(padded[row].script, "InputTensor(n, float32"),
		wide = strstr(padded[row].script, "InputTensor(n, int64");
	float floats[10];
	int64_t longs[10], n = 1;
	for (const char *at = padded[row].shape; *at; at++)
		n *= *at >= '1' && *at <= '9' ? *at - '0' : 1;
	for (int i = 0; i < n; i++) {
		floats[i] = (float)length[i];
		longs[i] = length[i];
	}
	return npy_option("n", is_float ? "<f4" : wide ? "<i8" : "<i4", padded[row].shape,
		is_float ? (const void *)floats : wide ? (const void *)longs : (const void *)length, (size_t)n);
}

/* What is left to the plan takes no more room than a mask would: 256 bytes and two int32 a batch, of which those of
 * queries begin at a multiple of four. */
Test(cudnn, lengths)
{
	static const int32_t whole[] = { 3, 6, 2, 5, 4, 2, 3, 2, 6, 5 };        /* neither none nor all */
	for (size_t i = 0; i < sizeof padded / sizeof *padded; i++) {
		const char *option = length_option(i, whole), *steps = padded[i].steps,
			*little = padded[i].own ? "cudnn:workspace=312" : "cudnn:workspace=311",
			*says = run_fresh(little, padded[i].script, steps, option);
		cr_expect(strstr(says, padded[i].own ? "verify: passed: " : "with so little workspace"), "%s%s", padded[i].script,
			says);
		says = padded[i].own ? run(little, padded[i].script, steps, option)
			: run_fresh("cudnn", padded[i].script, steps, option);
		cr_expect(strstr(says, "verify: passed: ") && strstr(log_text, "run 40\n")
			&& strstr(log_text, padded[i].own ? "loaded 40" : "built 40"), "%s%s%s", padded[i].script, says, log_text);
	}
}

/* None, fewer, and more than there are: the library is told of none of them, and gives what the graph does. */
Test(cudnn, lengths_that_are_none)
{
	static const int32_t odd[][6] = { { 0, 7, 8, -1, 1, 0 }, { INT32_MIN, 0, 3, 7, 0, 0 }, { 8, -3, 0, 0, 5, INT32_MAX } };
	for (size_t i = 0; i < sizeof padded / sizeof *padded; i++)
		for (size_t k = 0; k < sizeof odd / sizeof *odd && padded[i].own; k++) {
			const char *says = run("cudnn", padded[i].script, padded[i].steps, length_option(i, odd[k]));
			cr_expect(strstr(says, "verify: passed: ") && strstr(log_text, "run 40\n") && !strstr(log_text, "wrong"),
				"%s%d %d: %s%s", padded[i].script, (int)odd[k][0], (int)odd[k][1], says, log_text);
		}
}

/* One key too many is seen in the trial, whichever comparison there is. */
Test(cudnn, lengths_by_one)
{
	static const int32_t n[] = { 3, 6 };
	(void)setenv("MOCK_CUDNN", "length:40", 1);
	for (int i = 0; i < 3; i++) {
		const char *says = run_fresh("cudnn", padded[i].script, padded[i].steps,
			length_option((size_t)i, n));
		cr_expect(strstr(says, "verify: passed: 480 elements") && strstr(says, "cuDNN's engine 40 is not used: element "),
			"%s%s", padded[i].script, says);
	}
	(void)unsetenv("MOCK_CUDNN");
}

/* What is copied for a call is said with its bytes: by a schedule, by a default tree (an image in each run, filters
 * once), by the backend in front of a plan.  The driver that is not there runs no kernel that copies. */
Test(cudnn, copies_are_explained)
{
	static const char joined[] = "q = InputTensor(q, float32, [4, 16, 8]); p = InputTensor(p, float32, [4, 9, 8]);\n"
		"k = InputTensor(k, float32, [4, 7, 8]); v = InputTensor(v, float32, [4, 16, 8]);\n"
		"keys = ConcatNode(1, p, k); result = AttentionNode(q, keys, v, 0.3);\n",
		image[] = "x = InputTensor(x, float16, [1, 64, 20, 20]); w = ConstantTensor(w, float16, [64, 64, 3, 3]);\n"
		"z = Conv2dNode(CastNode(x, float32), CastNode(w, float32));\n" TURNED("float16");
	static const struct { const char *script, *steps, *says[2]; } cases[] = {
		{ PADDED("int32", OF_BATCH, "WhereNode(LessNode(" KEY ", n), s, -inf)"), ONE, { "a copy of the lengths for the call "
			"of cudnn.graph: 280 bytes behind its workspace, made in each run" } },
		{ MASKS("[2, 5, 7]") CHOSEN("m"), "call h cudnn.graph", { "a mask for the call of cudnn.graph: 536 bytes behind its "
			"workspace, made in each run" } },
		{ joined, "materialize %keys; call %result.mul/i cudnn.graph", { "): a copy of %keys for the call of cudnn.graph: "
			"2048 bytes, made in each run" } },
		{ image, NULL, { "a copy of %x for the call of cudnn.graph: 51200 bytes, made in each run",
			"for the call of cudnn.graph: 73728 bytes, made once" } },
		/* of the graph's own */
		{ MASK_QKV "result = AttentionNode(CopyNode(q), k, v);\n", "group %result.mul/i; call group cudnn.graph",
			{ NULL } } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *says = run_fresh("cudnn", cases[i].script, cases[i].steps, "-q --explain");
		for (int k = 0; k < 2; k++)
			cr_expect(!cases[i].says[k] || strstr(says, cases[i].says[k]), "%s%s", cases[i].script, says);
		cr_expect_eq(count(says, " for the call of cudnn.graph: "), (cases[i].says[0] != NULL) + (cases[i].says[1] != NULL),
			"%s%s", cases[i].script, says);
	}
}

/* What a condition hides may be no number: it is chosen, and nothing is added to it. */
Test(cudnn, hidden_scores)
{
	enum { ELEMENTS = 2 * 7 * 8 };
	float keys[ELEMENTS];
	for (int i = 0; i < ELEMENTS; i++)
		keys[i] = i / 8 % 7 == 6 ? i % 2 ? NAN : INFINITY : (float)(i % 5) / 4;
	const char *options = npy_option("k", "<f4", "(2, 7, 8)", keys, ELEMENTS);
	const char *says = run_fresh("cudnn", MASK_QKV CHOSEN("LessNode(IndexNode(s, 2), FullNode(int64, [], 6))"),
		"call h cudnn.graph", options);
	cr_expect(strstr(says, "verify: passed: 160 elements compared") && strstr(log_text, "run 40\n"), "%s%s", says,
		log_text);
}

static const struct { const char *backend, *script, *steps, *says; } refusals[] = {
	{ "cudnn", X "result = SigmoidNode(Conv2dNode(x, w));\n", GROUP,
		"%x does not lie along its channels, as cudnn.graph asks" },
	{ "cudnn", X "result = MaxNode(Conv2dNode(x, w), 1);\n", GROUP,
		"cudnn.graph cannot take it: its maximum is not with 0" },
	{ "cudnn", X BIAS "result = ReLUNode(Conv2dNode(x, w)) + b;\n", GROUP,
		"cudnn.graph cannot take it: max is behind it, where the library only adds, and then takes the maximum with 0; "
		"in true float32 the library has nothing else" },
	{ "cudnn", X "r = InputTensor(r, float32, [2, 1, 8, 9]);\nresult = Conv2dNode(x, w, [1, 1], [0, 0, 1, 0]) + r;\n",
		GROUP, "what is added has neither one value for each channel nor one for each element of the result" },
	/* What the library computes otherwise, or not at all, behind a chain that it has. */
	{ "cudnn", IMAGE("float16", "[6, 3, 3, 6]", "1") "z = MaxNode(y, r);\n" TURNED("float16"), CALL(HALF_NESTS),
		"the max of two values is behind the convolution, and the library's loses NaN" },
	{ "cudnn", MATRICES("float16") OTHERS "z = MinNode(y + b, s);\nresult = CastNode(z, float16);\n", CALL(ROW_NESTS),
		"the min of two values is behind the product" },
	{ "cudnn", IMAGE("float16", "[6, 3, 3, 6]", "1") "z = y + PowNode(r, y);\n" TURNED("float16"), CALL(HALF_NESTS),
		"pow, is behind the convolution, and cudnn.graph takes no such operator there" },
	{ "cudnn", IMAGE("bfloat16", "[6, 3, 3, 1]", "6") "z = y * 2;\n" TURNED("bfloat16"),
		CALL("%y.cast2/j2 %result.cast/i"),
		"of bfloat16 with one filter for each channel the library has nothing else" },
	{ "cudnn", IMAGE("float32", "[6, 3, 3, 6]", "1") "z = y * 2;\nresult = PermuteNode(CopyNode(z), [0, 2, 3, 1]);\n",
		CALL("%y.mul/i %result.copy/i"), "mul is behind it, where the library only adds, and then takes the maximum with 0; "
		"in true float32 the library has nothing else" },
	{ "cudnn:tf32", X "result = SigmoidNode(Conv2dNode(x, w));\n", GROUP,
		"%x does not lie along its channels, as cudnn.graph asks" },
	{ "cudnn", MATRICES("float32") "result = y * SigmoidNode(y);\n", CALL("%y.mul/m %result/m"), "cudnn.graph" },
	/* Halves are multiplied as halves: what is before them was not rounded. */
	{ "cudnn", "a = InputTensor(a, float16, [7, 12]); b = InputTensor(b, float16, [7, 12]);\n"
		"v = ConstantTensor(v, float16, [12, 5]); c = CastNode(a, float32) + CastNode(b, float32);\n"
		"y = MatMulNode(c, CastNode(v, float32)); result = CastNode(y * SigmoidNode(y), float16);\n",
		CALL("%c.cast/m %result/m"), "a factor is computed in float32, and the library multiplies halves" },
	/* Two products in a row. */
	{ "cudnn", "a = InputTensor(a, float16, [7, 12]); v = ConstantTensor(v, float16, [12, 5]);\n"
		"w = ConstantTensor(w, float16, [5, 3]); y = MatMulNode(CastNode(a, float32), CastNode(v, float32));\n"
		"result = CastNode(MatMulNode(y, CastNode(w, float32)), float16);\n", CALL("%y.cast/m %result/m"),
		"no product, convolution, attention or norm as a whole" },
	{ "cudnn", MATRICES("float16") "z = SoftmaxNode(y);\nresult = CastNode(z, float16);\n", CALL(ROW_NESTS),
		"no product, convolution, attention or norm as a whole" },
	{ "cudnn:exact", ROUNDED("float16", "float16"), HALF_GROUP,
		"rounds to f16 between two operators, which cudnn.graph does not do" },
	{ "cudnn:generated", LAYER, GROUP, "it calls no routines, and group is handed to cudnn.graph" },
	{ "cuda", LAYER, GROUP, "cuda:sm_90a has no routine of that name; it has cublas.gemm" },
	{ "cuda:only", LAYER, GROUP, "only" }, { "cuda:try=3", LAYER, GROUP, "try" },
	{ "cudnn:try=0", LAYER, GROUP, "the option try does not take '0': give a whole number from 1 to 100" },
	{ "cudnn:try", LAYER, GROUP, "the option try has no value" },
	{ "cudnn:workspace=much", LAYER, GROUP, "the option workspace does not take 'much'" },
	{ "cudnn:only=1", LAYER, GROUP, "only" },
	{ "cudnn:fast", LAYER, GROUP, "unknown option 'fast': there is device=N, tf32, gelu, generated, exact, "
		"workspace=BYTES, try=N and only, with / between them" },
	/* `only` names each node that is none of the library's. */
	{ "cudnn:only", "a = InputTensor(a, float32, [64, 64]); b = ConstantTensor(b, float32, [64, 64]);\n"
		"result = MatMulNode(a, b);\n", "split m 8", "no routine of cuDNN's takes it, and `only` has nothing else" },
	{ "cudnn", "a = InputTensor(a, float32, [7, 12]); v = ConstantTensor(v, float32, [12, 5]);\n"
		"b = ConstantTensor(b, float32, [5]); result = ReLUNode(MatMulNode(a, v) + b);\n",
		"group m; call group cudnn.graph", "what is multiplied with one filter does not lie together" },
	{ "cudnn", NX("float32", "[6, 11]") "result = x / SqrtNode(ReduceMeanNode(x * x, [1], 1)) + x;\n", ALONE,
		"add is not what a norm is made of" },
	{ "cudnn", NX("float32", "[6, 11]") NW("float32") NB("float32") "result = RMSNormNode(x, w) + b;\n", ALONE,
		"a bias is behind a norm without a mean; compute it outside" },
	{ "cudnn", NX("float32", "[6, 11]") "r = InputTensor(r, float32, [6, 11]); result = LayerNormNode(x) + r;\n", ALONE,
		"its bias has not one value for each element of a row" },
	{ "cudnn", NX("float32", "[6, 11]") "s = InputTensor(s, float32, [6, 1]); result = LayerNormNode(x) * s;\n", ALONE,
		"its scale has not one value for each element of a row" },
	{ "cudnn", NX("float32", "[6, 11]") "d = x - ReduceSumNode(x, [1], 1) * 0.1;\n"
		"result = d / SqrtNode(ReduceMeanNode(d * d, [1], 1) + 0.25);\n", ALONE,
		"what it subtracts is not the mean of the 11 elements of a row" },
	{ "cudnn", NX("float32", "[6, 11]") "result = x / SqrtNode(ReduceSumNode(x * x, [1], 1) * 0.1 + 0.25);\n", ALONE,
		"div is not what a norm is made of" },
	{ "cudnn", NX("float32", "[6, 11]") "result = x / (SqrtNode(ReduceMeanNode(x * x, [1], 1)) + 0.25);\n", ALONE,
		"div is not what a norm is made of" },
	{ "cudnn", QKV("float32", "[2", "7", "5", "8", "8") "result = AttentionNode(q, k, v, 0.3, 1);\n", ALONE,
		"the first 2 queries see no key: the graph divides by a sum of nothing, and the library gives 0" },
	/* Which keys count, as far as no tensor of the queries' type says it. */
	{ "cudnn", QKV("float32", "[2", "5", "7", "8", "8") "m = InputTensor(m, bool, [2, 5, 7]);\n"
		"s = EinsumNode(hsd,htd->hst: q, k) * 0.3;\n"
		"result = EinsumNode(hst,htd->hsd: SoftmaxNode(WhereNode(m, s, -10000)), v);\n", "call h cudnn.graph",
		"cudnn.graph" },
	{ "cudnn", HALF_MASKS("float16", "m", "-3.4028234663852886e38"), "scores that do not count are -3.40282e+38, which "
		"the library has no float16 for; use -inf" },
	{ "cudnn", QKV("float16", "[2", "5", "7", "8", "16") "m = InputTensor(m, bool, [2, 5, 7]);\n"
		ROUNDED_ATTENTION_BY("float16", "0.3 + WhereNode(m, FullNode(float32, [], 0.1), FullNode(float32, [], 0))", SEEN,
		"-inf") "result = A(q, k, v, m);\n", "group %A.F/h %A.F4/h; call group cudnn.graph", "cudnn.graph" },
	{ "cudnn", QKV("float32", "[2", "5", "7", "12", "8") "result = AttentionNode(q, k, v);\n", ALONE,
		"queries have 12 elements and values 8, and the library takes multiples of 8 up to 128" },
	{ "cudnn", QKV("float32", "[2", "5", "7", "8", "136") "result = AttentionNode(q, k, v);\n", ALONE,
		"queries have 8 elements and values 136, and the library takes multiples of 8 up to 128" },
	{ "cudnn", QKV("float32", "[2", "5", "7", "8", "8") "y = InputTensor(y, float32, [2, 8, 7]);\n"
		"k2 = PermuteNode(y, [0, 2, 1]); result = AttentionNode(q, k2, v);\n", ALONE, "do not lie side by side" },
	{ "cudnn", "x = InputTensor(x, float16, [7, 12]); u = InputTensor(u, float16, [7, 12]);\n"
		"w = ConstantTensor(w, float16, [12, 8]); v = ConstantTensor(v, float16, [12, 8]);\n"
		"y = MatMulNode(CastNode(x, float32), CastNode(w, float32)); z = MatMulNode(CastNode(u, float32), "
		"CastNode(v, float32)); result = CastNode(y * z, float16);\n", CALL("%y.cast/m %result/m"),
		"two products side by side that share no factor" },
	{ "cudnn:tf32", "x = InputTensor(x, float32, [7, 12]); w = ConstantTensor(w, float32, [12, 8]);\n"
		"v = ConstantTensor(v, float32, [12, 8]); result = MatMulNode(x, w) * MatMulNode(x, v);\n", "call m cudnn.graph",
		"%x is read as f32, and cudnn.graph takes f16 there; cast it outside" },
	{ "cudnn:exact", WIDE_ATTENTION("float16"),
		"%result.div are probabilities that multiply f16, and cudnn.graph would round them to that" },
	/* Filters lie otherwise than the image: the library has no plan. */
	{ "cudnn", "x = InputTensor(x, float16, [2, 9, 10, 6]); w = ConstantTensor(w, float16, [5, 6, 3, 3]);\n"
		"result = PermuteNode(CastNode(Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(w, float32)), "
		"float16), [0, 2, 3, 1]);\n", "group %result.cast/i %result.cast3/i; call group cudnn.graph",
		"cuDNN has no plan for such a call of these types and layouts" },
};

Test(cudnn, norms)
{
	for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
		char ran[40];
		(void)snprintf(ran, sizeof ran, "run %d\n", norms[i].engine);
		const char *says = run_fresh("cudnn", norms[i].script, norms[i].steps, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && strstr(log_text, ran), "%s%s%s", norms[i].script, says, log_text);
	}
}

/* By default layer norms of many rows, and RMS norms of few. */
Test(cudnn, norms_of_default_trees)
{
	static const struct { const char *type, *extents, *norm; int calls; } cases[] = {
		{ "float16", "[2047, 768]", "LayerNormNode(x, w, b)", 0 }, { "float16", "[2048, 768]", "LayerNormNode(x, w, b)", 1 },
		{ "bfloat16", "[128, 768]", "LayerNormNode(x, w, b)", 0 }, { "float16", "[128, 768]", "LayerNormNode(x, w)", 0 },
		{ "bfloat16", "[8192, 4096]", "LayerNormNode(x, w)", 1 }, { "float16", "[8193, 4096]", "LayerNormNode(x, w, b)", 0 },
		{ "float16", "[127, 768]", "RMSNormNode(x, w)", 0 }, { "float16", "[128, 768]", "RMSNormNode(x, w)", 1 },
		{ "float16", "[1, 4096]", "RMSNormNode(x, w)", 1 }, { "float16", "[1, 4096]", "LayerNormNode(x, w, b)", 0 },
		{ "float32", "[8192, 4096]", "LayerNormNode(x, w, b)", 0 }, { "float32", "[128, 768]", "RMSNormNode(x, w)", 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[400];
		const char *elems = strchr(cases[i].extents, ' ') + 1;
		(void)snprintf(script, sizeof script, "x = CastNode(InputTensor(x, %s, %s), float32);\n"
			"w = CastNode(ConstantTensor(w, %s, [%s), float32);\nb = CastNode(ConstantTensor(b, %s, [%s), float32);\n"
			"result = CastNode(%s, %s);\n", cases[i].type, cases[i].extents, cases[i].type, elems, cases[i].type, elems,
			cases[i].norm, cases[i].type);
		const char *says = run("cudnn", script, NULL, "--no-cache --dump=tree");
		cr_expect_eq(count(says, "call cudnn.graph"), cases[i].calls, "%s%s", script, says);
	}
}

Test(cudnn, refusals)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const char *says = run_fresh(refusals[i].backend, refusals[i].script, refusals[i].steps, "-q");
		cr_expect(strstr(says, refusals[i].says), "%s%s", refusals[i].script, says);
		cr_expect(!strstr(log_text, "run"), "%s", log_text);
	}
}

/* Keys after those before them, and channels of two images: a call reads one tensor, so by hand it is copied before. */
Test(cudnn, what_is_joined_is_copied_before)
{
	static const char keys[] = "q = InputTensor(q, float32, [4, 16, 8]); p = InputTensor(p, float32, [4, 9, 8]);\n"
		"k = InputTensor(k, float32, [4, 7, 8]); v = InputTensor(v, float32, [4, 7, 8]);\n"
		"keys = ConcatNode(1, p, k); values = ConcatNode(1, p, v); result = AttentionNode(q, keys, values, 0.3);\n",
		channels[] = "a = InputTensor(a, float32, [2, 4, 5, 7]); b = InputTensor(b, float32, [2, 3, 5, 7]);\n"
		"keys = ConcatNode(1, a, b); w = ConstantTensor(w, float32, [6, 7, 1, 1]); result = Conv2dNode(keys, w);\n";
	static const struct { const char *script, *copies; } cases[] = {
		{ keys, "materialize %keys; materialize %values; call %result.mul/i cudnn.graph" },
		{ channels, "materialize %keys; call %result.mul/i cudnn.graph" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *says = run_fresh("cudnn", cases[i].script, "call i cudnn.graph", "-q");
		cr_expect(strstr(says, "%result.mul (") && strstr(says, "reads %keys (") && strstr(says, "through a view of several "
			"pieces; materialize that outside of the loop i"), "%s", says);
		/* The call is accepted, and its plan is right; the driver that is not there runs no kernel that copies. */
		says = run_fresh("cudnn", cases[i].script, cases[i].copies, "-q");
		cr_expect(strstr(says, "or what was enqueued before it: CUDA_ERROR_NOT_SUPPORTED")
			&& count(log_text, "built ") == 1 && count(log_text, "run ") == 3, "%s%s", says, log_text);
	}
}

/* Layers of the kind that was measured are calls in default trees; small ones, groups, products of float32 are not. */
Test(cudnn, default_trees)
{
	static const struct { const char *sizes, *groups; bool calls; } cases[] = {
		{ "c = 64; d = 64; k = 3; p = 1;", "1", true }, { "c = 8; d = 64; k = 3; p = 1;", "1", false },
		{ "c = 256; d = 64; k = 3; p = 1;", "4", false }, { "c = 1024; d = 64; k = 1; p = 0;", "1", false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[500], command[700];
		const char *o = getenv("O") ? getenv("O") : "build";
		(void)snprintf(script, sizeof script, "%s g = %s;\nx = InputTensor(x, float32, [1, c, 17, 17]);\n"
			"w = ConstantTensor(w, float32, [d, c / g, k, k]); b = ConstantTensor(b, float32, [d, 1, 1]);\n"
			"result = ReLUNode(Conv2dNode(x, w, [1, 1], [p, p, p, p], [1, 1], g) + b);\n", cases[i].sizes, cases[i].groups);
		(void)snprintf(command, sizeof command, "cat >%s/x.lt <<'E'\n%sE\nLD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:"
			"$LD_LIBRARY_PATH %s/lt-run --no-cache -b cudnn --dump=tree %s/x.lt >%s/out 2>&1", folder, script, o, o, o, folder,
			folder);
		cr_expect_eq(system(command), 0);
		read_file("out", output, sizeof output);
		cr_expect_eq(strstr(output, "call cudnn.graph") != NULL, cases[i].calls, "%s%s", script, output);
	}
}

/* Chains are in the call where that was measured to be faster: SiLU of halves and TF32 of enough positions,
 * ReLU6 behind one filter for each channel. */
Test(cudnn, default_trees_of_chains)
{
	static const struct { const char *backend, *sizes, *chain, *type; bool whole; } cases[] = {
		{ "cudnn", "c = 128; h = 14; g = 1;", "z * SigmoidNode(z)", "float16", true },
		{ "cudnn", "c = 128; h = 13; g = 1;", "z * SigmoidNode(z)", "float16", false },
		{ "cudnn:tf32", "c = 64; h = 28; g = 1;", "z * SigmoidNode(z)", "float32", true },
		{ "cudnn:tf32", "c = 64; h = 27; g = 1;", "z * SigmoidNode(z)", "float32", false },
		{ "cudnn", "c = 64; h = 28; g = 1;", "z * SigmoidNode(z)", "float32", false },
		{ "cudnn", "c = 960; h = 7; g = 960;", "MinNode(MaxNode(z, 0), 6)", "float16", true },
		{ "cudnn", "c = 960; h = 7; g = 960;", "MinNode(MaxNode(z, 0), 6)", "float32", false },
		{ "cudnn", "c = 144; h = 56; g = 144;", "MinNode(MaxNode(z, 0), 6)", "float16", true },
		{ "cudnn", "c = 144; h = 56; g = 144;", "MinNode(MaxNode(z, 0), 6)", "bfloat16", false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[1000], command[1400];
		const char *o = getenv("O") ? getenv("O") : "build";
		(void)snprintf(script, sizeof script, "%s\nx = InputTensor(x, %s, [1, h, h, c]);\n"
			"w = ConstantTensor(w, %s, [c, 3, 3, c / g]); b = ConstantTensor(b, %s, [c, 1, 1]);\n"
			"y = Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(PermuteNode(w, [0, 3, 1, 2]), float32), "
			"[1, 1], [1, 1, 1, 1], [1, 1], g); z = y + CastNode(b, float32);\n"
			"result = PermuteNode(CastNode(%s, %s), [0, 2, 3, 1]);\n", cases[i].sizes, cases[i].type, cases[i].type,
			cases[i].type, cases[i].chain, cases[i].type);
		(void)snprintf(command, sizeof command, "cat >%s/x.lt <<'E'\n%sE\nLD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:"
			"$LD_LIBRARY_PATH %s/lt-run --no-cache -b %s --dump=tree %s/x.lt >%s/out 2>&1", folder, script, o, o, o,
			cases[i].backend, folder, folder);
		cr_expect_eq(system(command), 0);
		read_file("out", output, sizeof output);
		const char *call = strstr(output, "call cudnn.graph");
		cr_expect_eq(call && !strstr(output, "\nfor "), cases[i].whole, "%s%s%s", cases[i].backend, script, output);
	}
}

/* A tree of another version of the library is run, and it is said; the same version, and other machines', are not. */
Test(cudnn, trees_of_another_version)
{
	static const struct { const char *edit; int warnings; } cases[] = { { "s,x,x,", 0 },
		{ "s,^target cudnn:sm_90a/[0-9.]*,target cudnn:sm_90a/9.1,", 1 },
		{ "s,^target cudnn:sm_90a/[0-9.]*,target cudnn:sm_100a/9.1,", 0 }, { "s,^target .*,target cuda:sm_90a,", 0 },
		{ "s,^target .*,target -,", 0 }, { "s,/[0-9.]*$,/9.1,; s,group call cudnn.graph,group,", 0 } };
	const char *o = getenv("O") ? getenv("O") : "build";
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char command[2000];
		(void)snprintf(command, sizeof command, "cat >%s/x.lt <<'E'\nx = InputTensor(x, float32, [4, 64, 28, 28]);\n"
			"w = ConstantTensor(w, float32, [64, 64, 3, 3]);\nresult = Conv2dNode(x, w, " BORDER ");\nE\nexport "
			"LD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:$LD_LIBRARY_PATH; %s/lt-run -b cudnn --dump=tree %s/x.lt | sed '%s' "
			">%s/x.tree; %s/lt-run -b cudnn --dump=tree --schedule=%s/x.tree %s/x.lt >%s/out 2>&1", folder, o, o, o, folder,
			cases[i].edit, folder, o, folder, folder, folder);
		cr_expect_eq(system(command), 0);
		read_file("out", output, sizeof output);
		cr_expect_eq(count(output, "the library here is 9."), cases[i].warnings, "%s: %s", cases[i].edit, output);
		cr_expect(count(output, "call cudnn.graph  #") == (i != 5), "%s: %s", cases[i].edit, output);
	}
}

/* Attention of the sizes that were measured, whole: one call a layer, each with a causal mask of its own, or with one
 * that they share. */
Test(cudnn, default_trees_of_blocks)
{
	static const struct { const char *script; int calls; } cases[] = {
		{ LAYERS_OF("float16", "16", "128", "64"), 2 }, { LAYERS_OF("bfloat16", "16", "512", "128"), 2 },
		{ QKV("float16", "[16", "128", "128", "64", "64") "result = CastNode(AttentionNode(" WIDE("q") ", " WIDE("k") ", "
			WIDE("v") ", 0.125, 1), float16);\n", 1 },
		{ QK("float16", "[16", "128", "128", "64") "result = CastNode(AttentionNode(" WIDE("q") ", " WIDE("k") ", "
			WIDE("k") ", 0.125, 1), float16);\n", 1 },
		{ MASKED_LAYERS("float16", "24", "128", "64", "-65504"), 2 },
		{ MASKED_LAYERS("bfloat16", "12", "128", "64", "-inf"), 2 },
		{ SHARED_LAYERS("16", "128", "64", "k, u"), 2 }, { SHARED_LAYERS("16", "128", "64", "u, v"), 2 },
		{ SHARED_LAYERS("16", "128", "64", "k, v"), 2 },
		/* by hand alone: masks that a kernel in front makes */
		{ QKV("float16", "[16", "128", "128", "64", "64") "m = InputTensor(m, bool, [16, 1, 128]);\n"
			ROUNDED_ATTENTION_BY("float16", "0.125", "m", "-inf") "result = A(q, k, v, m);\n", 0 },
		{ QKV("float16", "[16", "128", "128", "64", "64") "m = InputTensor(m, int64, [16, 1, 1]);\n"
			ROUNDED_ATTENTION_BY("float16", "0.125", "LessNode(IndexNode(s, 2), m % 7)", "-inf")
			"result = A(q, k, v, m);\n", 0 },
		/* and lengths, whose plans have not passed a trial on a device */
		{ PADDED_LAYERS("float16", "256", "128", "64", "LessNode(CastNode(t, int32), n)"), 0 },
		{ PADDED_LAYERS("float16", "256", "1024", "128", "LessEqualNode(t, IndexNode(s, 1)) & GreaterEqualNode("
			"CastNode(n, int64), t)"), 0 },
		{ LAYERS_OF("float16", "11", "128", "64"), 0 }, { LAYERS_OF("float16", "16", "128", "20"), 0 },
		{ LAYERS_OF("float32", "16", "128", "64"), 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char command[1500];
		const char *o = getenv("O") ? getenv("O") : "build";
		(void)snprintf(command, sizeof command, "cat >%s/x.lt <<'E'\n%sE\nLD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:"
			"$LD_LIBRARY_PATH %s/lt-run --no-cache -b cudnn --dump=tree %s/x.lt >%s/out 2>&1", folder, cases[i].script, o, o, o,
			folder, folder);
		cr_expect_eq(system(command), 0);
		read_file("out", output, sizeof output);
		cr_expect_eq(count(output, "call cudnn.graph  #"), cases[i].calls, "%s%s", cases[i].script, output);
	}
}

/* True float32 unless it is said otherwise; plans of little memory; those that cannot be built. */
Test(cudnn, which_plan)
{
	static const struct { const char *backend, *fault; int engine; } cases[] = { { "cudnn", "", 12 },
		{ "cudnn:tf32", "", 40 }, { "cudnn:workspace=100", "", 0 }, { "cudnn:workspace=4096", "", 12 },
		{ "cudnn", "build:12", 0 }, { "cudnn:tf32", "build:40", 12 }, { "cudnn:workspace=65536", "workspace:12", 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char ran[40];
		(void)setenv("MOCK_CUDNN", cases[i].fault, 1);
		(void)snprintf(ran, sizeof ran, "run %d\n", cases[i].engine);
		const char *says = run_fresh(cases[i].backend, LAYER, GROUP, "-q");
		cr_expect(strstr(log_text, ran) && count(log_text, ran) == count(log_text, "run "), "%s %s: %s%s", cases[i].backend,
			cases[i].fault, log_text, says);
	}
	(void)setenv("MOCK_CUDNN", "build:12 build:0", 1);
	const char *says = run_fresh("cudnn", LAYER, GROUP, "-q");
	cr_expect(strstr(says, "of the 4 plans that cuDNN has for it none computes in true float32 what is asked for"), "%s",
		says);
}

/* Of N the fastest, which is kept for who asks for as many, or for fewer. */
Test(cudnn, tried)
{
	static const struct { const char *backend, *fault, *log; int built, loaded, ran; } cases[] = {
		{ "cudnn:try=2", "slow:12", "run 0\n", 2, 0, 0 }, { "cudnn", "", "", 0, 1, 0 },
		{ "cudnn:try=2", "", "", 0, 1, 0 },
		/* 12 and 0 are all that there are */
		{ "cudnn:try=3", "", "", 2, 0, 12 }, { "cudnn:try=90", "", "", 0, 1, 12 }, { "cudnn", "", "", 0, 1, 12 },
		{ "cudnn:tf32", "", "", 1, 0, 40 }, { "cudnn:tf32/try=3", "slow:40 element:12", "not used", 3, 0, 0 },
		{ "cudnn:tf32/try=2", "slow:40 slow:12", "", 0, 1, 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char last[40];
		(void)setenv("MOCK_CUDNN", cases[i].fault, 1);
		(void)snprintf(last, sizeof last, "run %d\n", cases[i].ran);
		const char *says = run(cases[i].backend, LAYER, GROUP, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && (strstr(says, cases[i].log) || strstr(log_text, cases[i].log)), "%s: %s",
			cases[i].backend, says);
		cr_expect_eq(count(log_text, "built "), cases[i].built, "%s: %s", cases[i].backend, log_text);
		cr_expect_eq(count(log_text, "loaded "), cases[i].loaded, "%s: %s", cases[i].backend, log_text);
		cr_expect(strlen(log_text) > strlen(last) && strcmp(log_text + strlen(log_text) - strlen(last), last) == 0, "%s: %s",
			cases[i].backend, log_text);
	}
}

/* What is the library's alone. */
/* Where the form has ones and zeros of the session's. */
Test(cudnn, tried_with_constants)
{
	(void)setenv("MOCK_CUDNN", "slow:12", 1);
	const char *says = run("cudnn:try=2", NX("float32", "[6, 11]") "result = LayerNormNode(x, 0.125);\n", ALONE,
		"--no-cache -q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(log_text, "run 12\n") && strstr(log_text, "run 0\n"), "%s%s", says,
		log_text);
	cr_expect_str_eq(log_text + strlen(log_text) - strlen("run 0\n"), "run 0\n", "%s", log_text);
}

Test(cudnn, only)
{
	const char *says = run_fresh("cudnn:only", LAYER, GROUP, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(log_text, "run 12\n"), "%s", says);
	/* The other one's nodes are named, and go to the next backend. */
	static const char two[] = X "v = ConstantTensor(v, float32, [5, 5, 3, 2]);\ny = Conv2dNode(x, w);\n"
		"result = Conv2dNode(y, v);\n";
	says = run_fresh("cudnn:only", two, "call %y.mul/i cudnn.graph", "-q");
	cr_expect(strstr(says, "cudnn refuses it at %result (") && strstr(says, "no routine of cuDNN's takes it, and `only` "
		"has nothing else: leave out `only`"), "%s", says);
}

/* Roundings between operators are left out: elements differ from the graph's, and each kernel is right all the same. */
Test(cudnn, roundings_are_left_out)
{
	const char *says = run_fresh("cudnn", ROUNDED("float16", "float16"), "group %y.cast/i %y/i; call group cudnn.graph",
		"--verify");
	cr_expect(strstr(log_text, "run 40\n") && strstr(says, "verify: passed") && !strstr(says, " 0 within the bound")
		&& strstr(says, "allowed: 1 rounding between operators"), "%s%s", log_text, says);
}

/* Equal convolutions have one plan; a second process builds none; another version, and a damaged entry, do. */
Test(cudnn, plans_are_kept)
{
	static const char two[] = "x = InputTensor(x, float32, [2, 6, 9, 10]); w = ConstantTensor(w, float32, [6, 6, 3, 3]);\n"
		"v = ConstantTensor(v, float32, [6, 6, 3, 3]);\n"
		"y = Conv2dNode(x, w, " BORDER ");\nresult = Conv2dNode(y, v, " BORDER ");\n";
	static const char calls[] = "call %y.mul/i cudnn.graph; call %result.mul/i cudnn.graph";
	char command[300];
	const char *says = run("cudnn", two, calls, "-q --verify");
	cr_expect(strstr(says, "verify: passed"), "%s", says);
	cr_expect(count(log_text, "built 12\n") == 1 && count(log_text, "heuristic") == 1, "%s", log_text);
	says = run("cudnn", two, calls, "-q --verify");
	cr_expect(strstr(says, "verify: passed"), "%s", says);
	cr_expect(!strstr(log_text, "built") && !strstr(log_text, "heuristic") && count(log_text, "loaded 12\n") == 1, "%s",
		log_text);
	(void)setenv("MOCK_CUDNN_VERSION", "91900", 1);
	(void)run("cudnn", two, calls, "-q");
	cr_expect(count(log_text, "built 12\n") == 1 && !strstr(log_text, "loaded"), "%s", log_text);
	(void)unsetenv("MOCK_CUDNN_VERSION");
	(void)setenv("MOCK_CUDNN", "load:12", 1);               /* what the library does not take any more */
	says = run("cudnn", two, calls, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(says, "a plan of cuDNN's in the cache is not used, and built "
		"again: the library does not take it (kernel k0_"), "%s", says);
	cr_expect(count(log_text, "built 12\n") == 1, "%s", log_text);
	(void)unsetenv("MOCK_CUDNN");
	says = run("cudnn", two, calls, "-q --verify");         /* it is kept in the other one's place */
	cr_expect(!strstr(says, "in the cache") && count(log_text, "loaded 12\n") == 1, "%s%s", says, log_text);
	/* Any file with a plan's text in it. */
	(void)snprintf(command, sizeof command, "grep -rlF '{\"mock\"' %s/cache | while read -r f; do "
		"sed -i 's/{\"mock\":\"../{\"mock\":\"zz/' \"$f\" && echo \"$f\"; done | grep -q .", folder);
	cr_assert_eq(system(command), 0, "no entry holds a plan");
	says = run("cudnn", two, calls, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(says, "in the cache is ignored: it is damaged"), "%s", says);
	cr_expect(count(log_text, "built 12\n") == 1 && !strstr(log_text, "loaded"), "%s", log_text);
}

/* What --cache says of plans, and does with them. */
static const char *cache_says(const char *what)
{
	char command[500];
	const char *o = getenv("O") ? getenv("O") : "build";
	(void)snprintf(command, sizeof command, "XDG_CACHE_HOME=%s/cache %s/lt-run --cache=%s >%s/out 2>&1", folder, o, what,
		folder);
	cr_expect_eq(system(command), 0);
	read_file("out", output, sizeof output);
	return output;
}

/* Plans are counted and cleared as kernels are.  One of another device, or in another one's place, is built anew. */
Test(cudnn, plans_in_the_cache)
{
	char command[700];
	long long bytes = 0;
	const char *says = run("cudnn", LAYER, GROUP, "-v");
	cr_expect(strstr(says, "; plans of libraries: 1 built, 0 read\n"), "%s", says);
	says = run("cudnn", LAYER, GROUP, "-v");
	cr_expect(strstr(says, "; plans of libraries: 0 built, 1 read\n"), "%s", says);
	says = cache_says("stats");
	const char *plans = strstr(says, "; 1 plan of libraries, ");
	cr_expect(plans && sscanf(plans, "; 1 plan of libraries, %lld bytes\n", &bytes) == 1 && bytes > 1000, "%s", says);
	says = cache_says("stats --json");
	cr_expect(strstr(says, "\"plans\": 1, \"plan_bytes\": "), "%s", says);
	(void)run("cudnn:device=1", LAYER, GROUP, "-q");
	cr_expect(count(log_text, "built 12\n") == 1 && !strstr(log_text, "loaded"), "%s", log_text);
	says = cache_says("stats");
	cr_expect(strstr(says, "; 2 plans of libraries, "), "%s", says);
	/* Each in the other one's place. */
	(void)snprintf(command, sizeof command, "cd %s/cache/looptree && set -- *.ltp && mv $1 x && mv $2 $1 && mv x $2",
		folder);
	cr_assert_eq(system(command), 0);
	says = run("cudnn", LAYER, GROUP, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(says, "in the cache is ignored: it is damaged"), "%s", says);
	cr_expect(count(log_text, "built 12\n") == 1 && !strstr(log_text, "loaded"), "%s", log_text);
	says = cache_says("clear");
	cr_expect(strstr(says, "; 2 plans of libraries, ") && strstr(says, ", removed\n"), "%s", says);
	says = cache_says("stats");
	cr_expect(strstr(says, ": 0 kernels, 0 bytes\n"), "%s", says);
	(void)run("cudnn", LAYER, GROUP, "-q");
	cr_expect_eq(count(log_text, "built 12\n"), 1, "%s", log_text);
}

/* What is asked of plans alone compiles no kernel again; another arithmetic does. */
Test(cudnn, options_of_plans_are_in_no_key_of_kernels)
{
	static const struct { const char *backend; int compiled; } cases[] = { { "cudnn", 1 }, { "cudnn:try=2", 0 },
		{ "cudnn:workspace=1000000/device=0/exact", 0 }, { "cudnn:tf32", 1 }, { "cudnn:try=2/tf32", 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char want[80];
		(void)snprintf(want, sizeof want, ": %d compiled, %d from the cache", cases[i].compiled, 1 - cases[i].compiled);
		const char *says = run(cases[i].backend, LAYER, GROUP, "-v");
		cr_expect(strstr(says, want), "%s: %s", cases[i].backend, says);
	}
}

/* Recorded, and with operands on the device: the same numbers. */
Test(cudnn, recorded)
{
	static char plain[60000];
	(void)snprintf(plain, sizeof plain, "%s", run("cudnn", LAYER, GROUP, "--no-cache -n 3"));
	cr_expect(count(log_text, "run 12\n") == 3 + 3, "%s", log_text);       /* with its trial */
	const char *given = run("cudnn", LAYER, GROUP, "--no-cache -n 3 --on-device");
	cr_expect(strstr(plain, "result: ") && strcmp(plain, given) == 0, "%s%s", plain, given);
}

/* What a plan computes wrongly is seen before it is used: the next one takes its place, and a warning says so. */
Test(cudnn, faults)
{
	static const struct { const char *fault, *says; } cases[] = { { "element:12", "element " }, { "term:12", "element " },
		{ "behind:12", "it writes behind the result" }, { "other:12", "a second run of it gives other bits" },
		{ "tf32:12", "element " } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		(void)setenv("MOCK_CUDNN", cases[i].fault, 1);
		const char *says = run("cudnn", LAYER, GROUP, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && strstr(says, "cuDNN's engine 12 is not used: ") && strstr(says,
			cases[i].says) && strstr(says, " (kernel k0_result)\n") && count(says, "\n") == 2, "%s: %s", cases[i].fault, says);
		cr_expect(count(log_text, "built 0\n") == 1 && strstr(log_text, "run 0\n"), "%s: %s", cases[i].fault, log_text);
		says = run("cudnn", LAYER, GROUP, "-q --verify");       /* the one that is right is kept */
		cr_expect(!strstr(says, "not used") && !strstr(log_text, "built") && !strstr(log_text, "run 12"), "%s", says);
		remove_cache();
	}
	(void)setenv("MOCK_CUDNN", "term:12 element:0", 1);
	const char *says = run_fresh("cudnn", LAYER, GROUP, "-q");
	cr_expect(strstr(says, "cuDNN's engine 0 is not used: ") && strstr(says, "none computes"), "%s", says);
}

/* One for whose workspace the device has no memory; another process may have it: what takes its place is not kept. */
Test(cudnn, a_plan_without_room)
{
	remove_cache();
	for (int i = 0; i < 2; i++) {
		(void)setenv("MOCK_CUDNN", "workspace:12", 1);
		const char *says = run("cudnn", LAYER, GROUP, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && strstr(says, "cuDNN's engine 12 is not used: the device has no memory "
			"for its 1125899906842624 bytes of workspace (kernel k0_result)\n"), "%s", says);
		cr_expect(strstr(log_text, "built 0\n") && strstr(log_text, "run 0\n"), "%s", log_text);
	}
	(void)unsetenv("MOCK_CUDNN");
	(void)run("cudnn", LAYER, GROUP, "-q");
	cr_expect(strstr(log_text, "built 12\n"), "%s", log_text);
	(void)setenv("MOCK_CUDNN", "workspace:12 workspace:0", 1);
	const char *says = run_fresh("cudnn", LAYER, GROUP, "-q");
	cr_expect(strstr(says, "none computes in true float32 what is asked for"), "%s", says);
}

/* One that takes the device down is not tried by the next process. */
Test(cudnn, a_plan_that_loses_the_device)
{
	(void)setenv("MOCK_CUDNN", "lost:12", 1);
	const char *says = run("cudnn", LAYER, GROUP, "-q --verify");
	cr_expect(strstr(says, "trying a plan of cuDNN: CUDA_ERROR_ILLEGAL_ADDRESS"), "%s", says);
	says = run("cudnn", LAYER, GROUP, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(says, "cuDNN's engine 12 is not used: when it was tried last the "
		"device was lost") && strstr(log_text, "run 0\n"), "%s", says);
}

/* One that ends the process: that may have been its user once. */
Test(cudnn, a_plan_that_ends_the_process)
{
	(void)setenv("MOCK_CUDNN", "crash:12", 1);
	for (int i = 0; i < 2; i++) {
		const char *says = run("cudnn", LAYER, GROUP, "-q --verify");
		cr_expect(!strstr(says, "verify") && !strstr(says, "not used") && !strstr(log_text, "run"), "%s", says);
	}
	const char *says = run("cudnn", LAYER, GROUP, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && strstr(says, "cuDNN's engine 12 is not used: when it was tried last the "
		"device was lost, or the process ended") && strstr(log_text, "run 0\n"), "%s", says);
	(void)unsetenv("MOCK_CUDNN");
}

/* ... and nobody is harmed by one that did not. */
Test(cudnn, a_trial_that_was_ended_once)
{
	(void)setenv("MOCK_CUDNN", "crash:12", 1);
	(void)run("cudnn", LAYER, GROUP, "-q --verify");
	(void)unsetenv("MOCK_CUDNN");
	const char *says = run("cudnn", LAYER, GROUP, "-q --verify");
	cr_expect(strstr(says, "verify: passed") && !strstr(says, "not used") && strstr(log_text, "run 12\n"), "%s", says);
}

/* Ctrl-C while plans are built, which nothing can interrupt: the program leaves at once, and nothing is kept. */
Test(cudnn, interrupted)
{
	static const char says[] = "x = InputTensor(x, float32, [2, 6, 9, 10]);\n"
		"w = ConstantTensor(w, float32, [6, 6, 3, 3]); v = ConstantTensor(v, float32, [6, 6, 1, 1]);\n"
		"y = Conv2dNode(x, w, " BORDER ");\nresult = Conv2dNode(y, v);\n";
	const char *o = getenv("O") ? getenv("O") : "build";
	char command[1500];
	(void)snprintf(command, sizeof command, "rm -r %s/cache && touch %s/hold && cat >%s/x.lt <<'E'\n%sE\n"
		"echo 'schedule 1' >%s/s; MOCK_CUDNN_HOLD=%s/hold MOCK_CUDNN_LOG=%s/log XDG_CACHE_HOME=%s/cache "
		"LD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:$LD_LIBRARY_PATH timeout -s KILL 60 %s/lt-run -b cudnn --strict "
		"--threads 2 --schedule=%s/s --apply='call %%y.mul/i cudnn.graph; call %%result.mul/i cudnn.graph' -i '*=random' "
		"-c '*=random' -q %s/x.lt & p=$!; until grep -qs building %s/log; do kill -0 $p || exit 9; sleep 0.01; done; "
		"kill -INT $p; wait $p; test $? = 130 && ! ls %s/cache/looptree | grep -q lt[pi]", folder, folder, folder, says,
		folder, folder, folder, folder, o, o, o, folder, folder, folder, folder);
	cr_expect_eq(system(command), 0);
	read_file("log", log_text, sizeof log_text);
	cr_expect(count(log_text, "building ") <= 2 && !strstr(log_text, "built") && !strstr(log_text, "run"), "%s", log_text);
}

/* Where something that it needs is not there, the backend says what, and what to do.  Whether there is a device is
 * looked at when it is used. */
Test(cudnn, without)
{
	static const struct { const char *make, *path, *says, *more; } cases[] = {
		{ "echo nothing >libcudnn.so.9", "$F:$O/tests/cuda", "not usable here: libcudnn.so.9 cannot be loaded: ",
			"; install cuDNN 9" },
		{ "cp $O/tests/cuda/libcuda.so.1 libcudnn.so.9", "$F:$O/tests/cuda",
			"not usable here: libcudnn.so.9 is too old: it has no cudnnGetVersion", "; install cuDNN 9" },
		{ "echo nothing >libcuda.so.1", "$F:$O/tests/cudnn", "not usable here: ", "libcuda.so.1" } };
	const char *o = getenv("O") ? getenv("O") : "build";
	char command[900], here[400];
	cr_assert_not_null(realpath(o, here));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		(void)snprintf(command, sizeof command, "F=%s/%zu O=%s; mkdir $F && cd $F && %s && LD_LIBRARY_PATH=%s:"
			"$LD_LIBRARY_PATH $O/lt-run --list-backends >%s/out 2>&1", folder, i, here, cases[i].make, cases[i].path, folder);
		cr_assert_eq(system(command), 0, "%s", command);
		read_file("out", output, sizeof output);
		const char *line = strstr(output, "cudnn   1 ");
		cr_assert_not_null(line, "%s", output);
		cr_expect(strstr(line, cases[i].says) && strstr(line, cases[i].more), "%s", line);
	}
	(void)setenv("MOCK_CUDA_DEVICES", "0", 1);
	const char *says = run_fresh("cudnn", LAYER, GROUP, "-q");
	cr_expect(strstr(says, "backend cudnn: NVIDIA's driver finds no device that runs CUDA"), "%s", says);
	(void)unsetenv("MOCK_CUDA_DEVICES");
}

/* What lt-check asks without running a kernel of its own, which this driver cannot. */
Test(cudnn, contract)
{
	static const char *const cases[] = { "accepts/caps", "accepts/again", "accepts/no_diag", "accepts/unknown_feature",
		"memory/sessions", "memory/refusals", "errors/config", "errors/environment", "errors/workspace", "errors/half",
		"optional/members", "optional/memory", "optional/streams", "optional/describe" };
	const char *o = getenv("O") ? getenv("O") : "build";
	char command[600];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		(void)snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s/tests/cudnn:%s/tests/cuda:$LD_LIBRARY_PATH %s/lt-check "
			"-b cudnn --filter %s --keep %s/kept >%s/out 2>&1", o, o, o, cases[i], folder, folder);
		cr_expect_eq(system(command), 0, "%s", cases[i]);
		read_file("out", output, sizeof output);
		cr_expect(strstr(output, "passed"), "%s: %s", cases[i], output);
	}
}

/* Filters that lie beside each other, as models of TensorFlow have them, are copied one after the other, once: a call
 * reads them, and besides it there is nothing but the copy. */
Test(cudnn, default_trees_of_filters_beside_each_other)
{
	static const struct { const char *type, *filters, *groups, *copy; } cases[] = {
		{ "float32", "[3, 3, 64, 96]", "1", "layout [l2 i2 j2 l]  # whole" },
		{ "float16", "[3, 3, 64, 96]", "1", "layout [l2 i2 j2 l]  # whole" },
		{ "bfloat16", "[3, 3, 64, 96]", "1", "layout [l2 i2 j2 l]  # whole" },
		{ "float16", "[5, 5, 1, 240]", "240", "copy %w layout [" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[500];
		const bool apart = strcmp(cases[i].groups, "1") != 0;
		(void)snprintf(script, sizeof script, "x = InputTensor(x, %s, [8, 28, 28, %s]);\nw = ConstantTensor(w, %s, %s);\n"
			"b = ConstantTensor(b, %s, [%s]);\nresult = MaxNode(Conv2dNode(x, w, [1, 1], [%s, %s, %s, %s], %s, NHWC) + b, 0);\n",
			cases[i].type, apart ? "240" : "64", cases[i].type, cases[i].filters, cases[i].type, apart ? "240" : "96",
			apart ? "2" : "1", apart ? "2" : "1", apart ? "2" : "1", apart ? "2" : "1", cases[i].groups);
		const char *says = run_fresh("cudnn", script, NULL, "--dump=tree");
		cr_expect(count(says, "call cudnn.graph") == 1 && count(says, "\nfor ") == 1 && strstr(says, cases[i].copy), "%s%s",
			script, says);
	}
}

#define PLANES(type) "x = InputTensor(x, " type ", [1, 64, 17, 17]); " \
	"w = ConstantTensor(w, " type ", [64, 64, 3, 3]); b = ConstantTensor(b, " type ", [64, 1, 1]);\n"
/* Halves whose channels lie apart where the graph has them, or that others read, too: each convolution is a call in
 * halves, and computes what the graph does. */
Test(cudnn, default_trees_of_halves_that_lie_apart_or_are_shared)
{
	static const struct { const char *script; int turned; } cases[] = {
		{ PLANES("float16") "result = MaxNode(Conv2dNode(x, w, " BORDER ") + b, 0);\n", 1 },
		{ PLANES("bfloat16") "y = Conv2dNode(x, w, " BORDER ") + b;\nresult = ConcatNode(1, y, x);\n", 1 },
		{ "x = InputTensor(x, bfloat16, [1, 17, 17, 64]); w = ConstantTensor(w, bfloat16, [64, 64, 3, 3]); "
			"b = ConstantTensor(b, bfloat16, [64, 1, 1]); v = ConstantTensor(v, bfloat16, [64, 64, 3, 3]);\n"
			"c = PermuteNode(x, [0, 3, 1, 2]);\ny = MaxNode(Conv2dNode(c, w, " BORDER ") + b, 0);\n"
			"result = PermuteNode(Conv2dNode(y, v, " BORDER ") + b + c, [0, 2, 3, 1]);\n", 0 } };
	const char *o = getenv("O") ? getenv("O") : "build";
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char command[2000];
		(void)snprintf(command, sizeof command, "cat >%s/x.lt <<'E'\n%sE\n%s/lt-run -b cudnn --dump=tree %s/x.lt "
			"2>%s/err | sed 's/call cudnn.graph/call graph/; s/^target .*/target -/' >%s/out; %s/lt-run --no-cache "
			"-b sim:grid/groups --schedule=%s/out -q --verify -i '*=random' -c '*=random' %s/x.lt >%s/err 2>&1",
			folder, cases[i].script, o, folder, folder, folder, o, folder, folder, folder);
		const int rc = system(command);
		read_file("err", output, sizeof output);
		cr_expect(rc == 0 && strstr(output, "verify: passed"), "%s%s", cases[i].script, output);
		read_file("out", output, sizeof output);
		cr_expect_eq(count(output, "call graph  #"), i == 2 ? 2 : 1, "%s", output);
		cr_expect_eq(count(output, "layout [y x i2]  # whole"), cases[i].turned, "%s", output);
		for (const char *at = output; (at = strstr(at, "f32[i2 j k2 l2] = cast")); at++)
			cr_expect(strncmp(strchr(at, '#'), "# local", 7) == 0, "filters in float32: %s", output);
		for (const char *at = output; (at = strstr(at, "# whole")); at++) {
			const char *line = at;
			while (line > output && line[-1] != '\n')
				line--;
			char type[8] = "";
			cr_expect(sscanf(line, " %%%*s %7[a-z0-9]", type) == 1 && strcmp(type, "f32") != 0, "%s", line);
		}
	}
	/* Of several values, one behind the other, the cast is a kernel, and it is said. */
	const char *says = run_fresh("cudnn", PLANES("float16") "z = InputTensor(z, float16, [1, 64, 17, 17]);\n"
		"v = ConstantTensor(v, float16, [64, 128, 3, 3]);\nresult = Conv2dNode(ConcatNode(1, x, z), v, " BORDER ");\n",
		NULL, "--dump=explain");
	cr_expect_not_null(strstr(says, "which multiplies f32, as %result.cast is a cast of f16 outside of it, since that "
		"joins several values"), "%s", says);
}
#undef PLANES

/* Attention that a plan may be, of sizes for which a default tree has none: each node of the softmax, which no call of
 * a product has, says which. */
Test(cudnn, attention_of_sizes_that_were_not_measured)
{
	static const char script[] = "def f(x) { return CastNode(x, float32); }\n"
		"q = InputTensor(q, float16, [2, 4, 128, 64]); k = InputTensor(k, float16, [2, 4, 128, 64]);\n"
		"v = InputTensor(v, float16, [2, 4, 128, 64]);\n"
		"s = EinsumNode(bhsd,bhtd->bhst: f(q), f(k)) * 0.125;\n"
		"p = CastNode(SoftmaxNode(s), float16);\n"
		"result = CastNode(EinsumNode(bhst,bhtd->bhsd: f(p), f(v)), float16);\n";
	const char *says = run_fresh("cudnn", script, NULL, "--dump=explain");
	/* of max, sub, exp, add, div and the cast */
	cr_expect_geq(count(says, "tree: in no group: cudnn.graph: it has 8 batches x heads, and a default tree calls "
		"cudnn.graph for 12 and more; a schedule may hand it over (`call`)"), 6, "%s", says);
}

/* Of halves that each operator rounds: what calls read and write are halves, and nothing else is done. */
Test(cudnn, default_trees_of_halves)
{
	static const char script[] = "def f(x) { return CastNode(x, float32); }\ndef h(x) { return CastNode(x, float16); }\n"
		"def layer(x, w, b, s, p) {\n"
		"\treturn h(ReLUNode(f(h(f(h(Conv2dNode(f(x), f(w), [s, s], [p, p, p, p]))) + f(b)))));\n}\n"
		"i = InputTensor(i, float16, [32, 17, 17, 64]); x = PermuteNode(i, [0, 3, 1, 2]);\n"
		"v = ConstantTensor(v, float16, [64, 64, 3, 3]); w = ConstantTensor(w, float16, [96, 64, 1, 1]);\n"
		"b = ConstantTensor(b, float16, [64, 1, 1]); c = ConstantTensor(c, float16, [96, 1, 1]);\n"
		"y = layer(x, v, b, 1, 1); z = layer(y, w, c, 2, 0);\n"
		"result = PermuteNode(z, [0, 2, 3, 1]);\n";
	const char *says = run_fresh("cudnn", script, NULL, "--dump=tree");
	cr_expect(count(says, "call cudnn.graph") == 2, "%s", says);
	for (const char *at = says; (at = strstr(at, "# whole")); at++) {
		char type[8] = "";
		const char *line = at;
		while (line > says && line[-1] != '\n')
			line--;
		cr_expect(sscanf(line, " %%%*s %7[a-z0-9]", type) == 1 && !strcmp(type, "f16"), "%s", line);
	}
}

/* Layers of bfloat16 by channels, which the library has without what follows them alone: whatever the constants become
 * is made first, and then a kernel a layer reads bfloat16 and writes it. */
Test(cudnn, default_trees_of_bfloat16_by_channels)
{
	for (int stride = 1; stride <= 2; stride++) {
		char script[1000];
		(void)snprintf(script, sizeof script, "def f(x) { return CastNode(x, float32); }\n"
			"x = InputTensor(x, bfloat16, [32, 56, 56, 144]); w = ConstantTensor(w, bfloat16, [144, 3, 3, 1]);\n"
			"b = ConstantTensor(b, bfloat16, [144, 1, 1]);\n"
			"y = Conv2dNode(f(PermuteNode(x, [0, 3, 1, 2])), f(PermuteNode(w, [0, 3, 1, 2])), [%d, %d], [1, 1, 1, 1], [1, 1], "
			"144);\nresult = PermuteNode(CastNode(MinNode(MaxNode(y + f(b), 0), 6), bfloat16), [0, 2, 3, 1]);\n",
			stride, stride);
		const char *says = run("cudnn", script, NULL, "--no-cache --dump=tree"), *last = says;
		for (const char *at = says; (at = strstr(at, "\nfor ")); at++)
			last = at;
		/* The filter's and the bias's casts, which are constant; then all else. */
		cr_expect(count(says, "\nfor ") == 3 && !strstr(says, "call "), "%s", says);
		cr_expect(strstr(last, "cast %y.view6.half  # scalar") && strstr(last, "%result.cast bf16")
			&& count(last, "# whole") == 1, "%s", says);
	}
}

/* A product whose result goes on in float32 reads its factors as halves all the same. */
Test(cudnn, factors_stay_halves)
{
	static const char script[] = "def f(x) { return CastNode(x, float32); }\n"
		"x = InputTensor(x, float16, [1024, 512]); w = ConstantTensor(w, float16, [512, 1024]);\n"
		"b = ConstantTensor(b, float16, [1024]); y = f(x) @ f(w) + f(b);\n"
		"result = CastNode(y * 0.5 * (1 + TanhNode(y)), float16);\n";
	const char *says = run_fresh("cudnn", script, NULL, "--dump=tree");
	cr_expect(count(says, "call cublas.gemm  #") == 1 && count(says, "# whole") == 3, "%s", says);
	cr_expect(strstr(says, "cast %x  # scalar") && strstr(says, "cast %w  # scalar"), "%s", says);
}

/* Convolutions with a bias and a ReLU, channels inside, each by what was measured to have it fastest: windows of one
 * element in one piece by cuBLAS or as a plan, those that stand apart as a plan, 512 channels of float32 alone. */
Test(cudnn, default_trees_of_layers)
{
	static const struct { const char *backend, *type, *sizes; bool residual; int blas, graphs; bool whole; } cases[] = {
		{ "cudnn", "float16", "n = 32; h = 56; c = 256; k = 512; w = 1; s = 2; p = 0; o = 28;", false, 0, 1, true },
		{ "cudnn", "bfloat16", "n = 1; h = 14; c = 1024; k = 2048; w = 1; s = 2; p = 0; o = 7;", false, 0, 1, true },
		{ "cudnn", "float32", "n = 32; h = 28; c = 512; k = 1024; w = 1; s = 2; p = 0; o = 14;", false, 0, 1, true },
		{ "cudnn:tf32", "float32", "n = 1; h = 56; c = 256; k = 512; w = 1; s = 2; p = 0; o = 28;", false, 0, 1, true },
		{ "cudnn", "float32", "n = 32; h = 28; c = 512; k = 256; w = 1; s = 1; p = 0; o = 28;", false, 1, 0, true },
		{ "cudnn", "float32", "n = 1; h = 28; c = 128; k = 512; w = 1; s = 1; p = 0; o = 28;", true, 1, 0, true },
		{ "cudnn", "float16", "n = 32; h = 28; c = 128; k = 512; w = 1; s = 1; p = 0; o = 28;", true, 1, 0, true },
		{ "cudnn", "float16", "n = 32; h = 14; c = 256; k = 1024; w = 1; s = 1; p = 0; o = 14;", true, 0, 1, true },
		{ "cudnn", "float16", "n = 32; h = 14; c = 1024; k = 256; w = 1; s = 1; p = 0; o = 14;", false, 1, 0, true },
		{ "cudnn", "bfloat16", "n = 32; h = 28; c = 512; k = 128; w = 1; s = 1; p = 0; o = 28;", false, 0, 1, true },
		{ "cudnn", "bfloat16", "n = 1; h = 28; c = 512; k = 128; w = 1; s = 1; p = 0; o = 28;", false, 1, 0, true },
		{ "cudnn:tf32", "float32", "n = 1; h = 56; c = 64; k = 64; w = 1; s = 1; p = 0; o = 56;", false, 0, 1, true },
		{ "cudnn:tf32", "float32", "n = 1; h = 14; c = 256; k = 1024; w = 1; s = 1; p = 0; o = 14;", true, 0, 1, true },
		{ "cudnn:tf32", "float32", "n = 1; h = 14; c = 1024; k = 256; w = 1; s = 1; p = 0; o = 14;", false, 1, 0, true },
		{ "cudnn:tf32", "float32", "n = 32; h = 14; c = 256; k = 1024; w = 1; s = 1; p = 0; o = 14;", true, 1, 0, true },
		{ "cudnn", "float32", "n = 32; h = 7; c = 512; k = 512; w = 3; s = 1; p = 1; o = 7;", false, 0, 1, false },
		{ "cudnn", "float32", "n = 32; h = 14; c = 512; k = 512; w = 3; s = 2; p = 1; o = 7;", false, 0, 1, false },
		{ "cudnn", "float32", "n = 1; h = 7; c = 512; k = 512; w = 3; s = 1; p = 1; o = 7;", false, 0, 1, true },
		{ "cudnn", "float32", "n = 32; h = 14; c = 256; k = 256; w = 3; s = 1; p = 1; o = 14;", false, 0, 1, true },
		{ "cudnn:tf32", "float32", "n = 32; h = 7; c = 512; k = 512; w = 3; s = 1; p = 1; o = 7;", false, 0, 1, true } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[1000];
		const char *t = cases[i].type;
		(void)snprintf(script, sizeof script, "%s\ndef f(x) { return CastNode(x, float32); }\n"
			"x = InputTensor(x, %s, [n, h, h, c]);\n"
			"v = ConstantTensor(v, %s, [k, w, w, c]); b = ConstantTensor(b, %s, [k]); z = InputTensor(z, %s, [n, o, o, k]);\n"
			"y = Conv2dNode(f(x), f(PermuteNode(v, [1, 2, 3, 0])), [s, s], [p, p, p, p], [1, 1], 1, NHWC) + f(b)%s;\n"
			"result = CastNode(ReLUNode(y), %s);\n", cases[i].sizes, t, t, t, t, cases[i].residual ? " + f(z)" : "", t);
		const char *says = run(cases[i].backend, script, NULL, "--no-cache --dump=tree");
		cr_expect(count(says, "call cublas.gemm  #") == cases[i].blas && count(says, "call cudnn.graph  #") == cases[i].graphs
			&& !strstr(says, "\nfor ") == cases[i].whole, "%s %s%s%s", cases[i].backend, t, script, says);
	}
}

/* What cuBLAS takes whole is its own, what it does not is the library's: calls of each, and no kernels, or some. */
Test(cudnn, default_trees_of_products)
{
	static const struct { const char *backend, *sizes, *type, *of, *after; int blas, graphs; bool whole; } cases[] = {
		{ "cudnn", "m = 1024; k = 512; n = 1024;", "float16", "f(x) @ f(w)", "ReLUNode(z)", 1, 0, true },
		{ "cudnn", "m = 1024; k = 512; n = 1024;", "bfloat16", "f(x) @ f(w)", "ReLUNode(z)", 1, 0, true },
		{ "cudnn", "m = 1024; k = 512; n = 1024;", "float32", "f(x) @ f(w)", "ReLUNode(z)", 1, 0, true },
		{ "cudnn", "m = 3136; k = 64; n = 64;", "float16", "f(x) @ f(w)", "ReLUNode(z)", 0, 1, true },
		/* Of float32 from fewer operations on than cuda. */
		{ "cudnn", "m = 128; k = 768; n = 768;", "float32", "f(x) @ f(w)", "z", 1, 0, true },
		{ "cuda", "m = 128; k = 768; n = 768;", "float32", "f(x) @ f(w)", "z", 0, 0, false },
		{ "cudnn", "m = 64; k = 512; n = 512;", "float32", "f(x) @ f(w)", "z", 0, 0, false },
		/* Chains that cuBLAS has not: by a kernel of their own. */
		{ "cudnn", "m = 128; k = 768; n = 3072;", "float16", "f(x) @ f(w)", "SiLUNode(z)", 1, 0, false },
		{ "cudnn", "m = 128; k = 768; n = 3072;", "float16", "f(x) @ f(w)", "GeluNode(z, none)", 1, 0, false },
		{ "cudnn", "m = 128; k = 768; n = 3072;", "float32", "f(x) @ f(w)", "SiLUNode(z)", 1, 0, false },
		{ "cudnn:tf32", "m = 128; k = 768; n = 3072;", "float32", "f(x) @ f(w)", "SiLUNode(z)", 1, 0, false },
		{ "cudnn", "m = 128; k = 768; n = 3072;", "float16", "f(x) @ f(v)", "SiLUNode(z) * (f(x) @ f(w))", 2, 0, false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[1000];
		const char *t = cases[i].type;
		(void)snprintf(script, sizeof script, "%s\ndef f(x) { return CastNode(x, float32); }\n"
			"def h(x) { return CastNode(x, %s); }\nx = InputTensor(x, %s, [m, k]); y = InputTensor(y, %s, [m, k]);\n"
			"w = ConstantTensor(w, %s, [k, n]); v = InputTensor(v, %s, [k, n]); b = ConstantTensor(b, %s, [n]);\n"
			"z = %s + f(b); result = h(%s);\n", cases[i].sizes, t, t, t, t, t, t, cases[i].of, cases[i].after);
		const char *says = run(cases[i].backend, script, NULL, "--no-cache --dump=tree");
		cr_expect(count(says, "call cublas.gemm  #") == cases[i].blas && count(says, "call cudnn.graph  #") == cases[i].graphs
			&& !strstr(says, "\nfor ") == cases[i].whole, "%s%s%s", cases[i].backend, script, says);
	}
}

/* What the library is told of windows of one element that stand apart: an image without gaps, if memory has one. */
Test(cudnn, images_without_gaps)
{
	static const char at_the_end[] = "i = InputTensor(i, float32, [1, 8, 8, 6]);\n"
		"x = SliceNode(SliceNode(i, 1, 8, 1), 1, 8, 2); w = ConstantTensor(w, float32, [5, 6, 1, 1]);\n"
		"result = PermuteNode(Conv2dNode(PermuteNode(x, [0, 3, 1, 2]), w, [2, 2]), [0, 2, 3, 1]);\n";
	(void)setenv("MOCK_CUDNN", "element:12 element:0", 1);
	const char *says = run_fresh("cudnn", APART("8, 10", "[2, 2]"), ALONE, "-q -v");
	cr_expect(strstr(says, "window stride 2 dilation 1 borders 0 0") && strstr(says, " 2/480 6/1 8/60 10/6\n"), "%s",
		says);
	/* Here it would end behind the end of memory, which is known when there is some: another plan. */
	(void)unsetenv("MOCK_CUDNN");
	says = run_fresh("cudnn", at_the_end, "call y cudnn.graph", "-q --verify");
	cr_expect(strstr(says, "verify: passed") && count(log_text, "built 12\n") == 2, "%s%s", says, log_text);
}

/* As much border behind as before, where the windows are the same: what more there is nobody reads. */
Test(cudnn, borders)
{
	static const struct { int side, window, stride; const char *borders, *told; } cases[] = {
		{ 16, 7, 2, "3, 3, 3, 3", "borders 3 3" }, { 16, 7, 2, "3, 3, 2, 2", "borders 3 3" },
		{ 17, 7, 2, "3, 3, 3, 3", "borders 3 3" }, { 8, 3, 2, "1, 1, 1, 1", "borders 1 1" },
		{ 9, 3, 1, "1, 1, 0, 0", "borders 1 0" },
		{ 9, 5, 3, "2, 2, 1, 1", "borders 2 2" }, { 9, 5, 3, "1, 1, 2, 2", "borders 1 1" },
		{ 9, 5, 2, "1, 1, 3, 3", "borders 1 3" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char script[600], told[80];
		(void)snprintf(script, sizeof script, "x = InputTensor(x, float32, [2, %d, %d, 3]); "
			"w = ConstantTensor(w, float32, [5, 3, %d, %d]);\nresult = PermuteNode(Conv2dNode(PermuteNode(x, [0, 3, 1, 2]), w, "
			"[%d, %d], [%s]), [0, 2, 3, 1]);\n", cases[i].side, cases[i].side, cases[i].window, cases[i].window,
			cases[i].stride, cases[i].stride, cases[i].borders);
		(void)setenv("MOCK_CUDNN", "element:12 element:0", 1);          /* what is dropped is shown */
		const char *says = run_fresh("cudnn", script, ALONE, "-q -v");
		(void)snprintf(told, sizeof told, "stride %d dilation 1 %s\n", cases[i].stride, cases[i].told);
		cr_expect(strstr(says, told) && count(says, told) == count(says, "window stride"), "%s%s", told, says);
		(void)unsetenv("MOCK_CUDNN");
		says = run_fresh("cudnn", script, ALONE, "-q --verify");
		cr_expect(strstr(says, "verify: passed") && strstr(log_text, "run "), "%s%s%s", script, says, log_text);
	}
}
