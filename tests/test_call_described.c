/* test_call_described.c -- the description of a call: groups of several nests, handed over by hand, whose text is
 * tests/described (LT_BLESS=1 rewrites it), and which the simulator computes from it alone, against the evaluator.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "ir/pass/pass.h"
#include "looptree/freeze/freeze.h"
#include "looptree/schedule/schedule.h"
#include "program/program.h"
#include "program/run/run.h"
#include "program/storage/storage.h"
#include "tests/described.h"
#include "tests/kernel_text.h"
#include "tests/parsed.h"
#include "tests/random_layer.h"
#include "tests/random_product.h"
#include "tests/run_graph.h"
#include "tests/tree_text.h"

TestSuite(call_described, .timeout = 300);

/* T stands for the type of the tensors; sizes are before it, those of the text and those of runs. */
/* first, last, by type: nodes of the first and the last nest of the call; NULL: all.  steps: before that. */
struct described_case { const char *name, *sizes, *small, *script, *first[2], *last[2], *steps[2]; };
static const struct described_case cases[] = {
	/* The plane of a 1x1 before and after is one axis (pass flatten), and the 3x3 reads its rows. */
	{ "resnet", "c = 64; d = 256; h = 56;", "c = 16; d = 32; h = 7;",
		"x = InputTensor(x, T, [1, d, h, h]); w0 = ConstantTensor(w0, T, [c, d, 1, 1]);\n"
		"w = ConstantTensor(w, T, [c, c, 3, 3]); b = ConstantTensor(b, T, [c, 1, 1]);\n"
		"w2 = ConstantTensor(w2, T, [d, c, 1, 1]);\n"
		"a = TO(ReLUNode(F(TO(Conv2dNode(F(x), F(w0))))));\n"
		"y = TO(Conv2dNode(F(a), F(w), [1, 1], [1, 1, 1, 1])); z = TO(F(y) + F(b)); r = TO(ReLUNode(F(z)));\n"
		"result = TO(Conv2dNode(F(r), F(w2)));\n", { "y", "F4" }, { "r", "TO5" }, { NULL, "fission %F4 y_x" } },
	{ "strided", "c = 64; d = 128; h = 56;", "c = 3; d = 5; h = 9;",
		"x = InputTensor(x, T, [2, c, h, h + 1]); w = ConstantTensor(w, T, [d, c, 3, 2]);\n"
		"result = TO(Conv2dNode(F(x), F(w), [2, 3], [1, 0, 2, 1], [2, 1]));\n", { NULL }, { NULL }, { NULL } },
	/* borders wider than the image needs, along an axis without windows, too */
	{ "bordered", "c = 6; d = 5; h = 9;", "c = 2; d = 3; h = 4;",
		"x = InputTensor(x, T, [2, c, h, h + 1]); w = ConstantTensor(w, T, [d, c, 1, 2]);\n"
		"result = TO(Conv2dNode(F(x), F(w), [1, 1], [1, 1, 0, 1]));\n", { NULL }, { NULL }, { NULL } },
	{ "grouped", "c = 8; d = 16; h = 14;", "c = 2; d = 3; h = 5;",
		"x = InputTensor(x, T, [2, 4 * c, h, h]); w = ConstantTensor(w, T, [4 * d, c, 3, 3]);\n"
		"b = ConstantTensor(b, T, [4 * d, 1, 1]); r = InputTensor(r, T, [2, 4 * d, h, h]);\n"
		"y = TO(Conv2dNode(F(x), F(w), [1, 1], [1, 1, 1, 1], [1, 1], 4)); z = TO(F(y) + F(b));\n"
		"result = TO(ReLUNode(F(TO(F(z) + F(r)))));\n", { NULL }, { NULL }, { NULL } },
	{ "depthwise", "c = 32; h = 112;", "c = 5; h = 7;",
		"x = InputTensor(x, T, [1, c, h, h]); w = ConstantTensor(w, T, [c, 1, 3, 3]); b = ConstantTensor(b, T, [c, 1, 1]);\n"
		"y = TO(Conv2dNode(F(x), F(w), [2, 2], [0, 0, 1, 1], [1, 1], c)); z = TO(F(y) + F(b));\n"
		"result = TO(MinNode(MaxNode(F(z), 0), 6));\n", { NULL }, { NULL }, { NULL } },
	/* guards that are weaker than the windows', since less is possible; patches, which share nothing; two filters each */
	{ "stride_4", "c = 3; d = 64; h = 224;", "c = 3; d = 4; h = 14;",
		"x = InputTensor(x, T, [1, c, h, h]); w = ConstantTensor(w, T, [d, c, 11, 3]);\n"
		"result = TO(Conv2dNode(F(x), F(w), [4, 4], [2, 1, 2, 1]));\n", { NULL }, { NULL }, { NULL } },
	{ "dilation_3", "c = 64; d = 32; h = 28;", "c = 2; d = 3; h = 8;",
		"x = InputTensor(x, T, [2, c, h, h]); w = ConstantTensor(w, T, [d, c, 3, 3]);\n"
		"result = TO(Conv2dNode(F(x), F(w), [1, 1], [1, 3, 2, 3], [3, 3]));\n", { NULL }, { NULL }, { NULL } },
	{ "patches", "c = 3; d = 768; h = 224; p = 16;", "c = 3; d = 4; h = 6; p = 2;",
		"x = InputTensor(x, T, [1, c, h, h]); w = ConstantTensor(w, T, [d, c, p, p]);\nb = ConstantTensor(b, T, [d, 1, 1]);\n"
		"y = TO(Conv2dNode(F(x), F(w), [p, p])); result = TO(F(y) + F(b));\n", { NULL }, { NULL }, { NULL } },
	{ "patches_last", "c = 96; d = 192; h = 56;", "c = 3; d = 4; h = 6;",
		"x = InputTensor(x, T, [2, h, h, c]); w = ConstantTensor(w, T, [2, 2, c, d]); b = ConstantTensor(b, T, [d]);\n"
		"y = TO(Conv2dNode(F(x), F(w), [2, 2], NHWC)); result = TO(F(y) + F(b));\n", { NULL }, { NULL }, { NULL } },
	{ "multiplier", "c = 32; h = 56;", "c = 3; h = 7;",
		"x = InputTensor(x, T, [1, h, h, c]); w = ConstantTensor(w, T, [3, 3, 1, 2 * c]);\n"
		"b = ConstantTensor(b, T, [2 * c]);\n"
		"y = TO(Conv2dNode(F(x), F(w), [1, 1], [1, 1, 1, 1], c, NHWC)); result = TO(ReLUNode(F(TO(F(y) + F(b)))));\n",
		{ NULL }, { NULL }, { NULL } },
	/* queries are the last of the keys: key <= query + n */
	{ "causal", "s = 128; t = 256; d = 64; e = 64;", "s = 3; t = 7; d = 4; e = 5;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, t, d]); v = InputTensor(v, T, [2, t, e]);\n"
		"result = TO(AttentionNode(F(q), F(k), F(v), 0.125, 1));\n", { NULL }, { NULL }, { NULL } },
	/* one var is what scores sum over and what values stand for, as where layers of attention share keys */
	{ "shared_keys", "s = 128; t = 256; d = 64;", "s = 3; t = 7; d = 5;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, t, d]); v = InputTensor(v, T, [2, t, d]);\n"
		"result both = ConcatNode(0, k, v); result = TO(AttentionNode(F(q), F(k), F(v), 0.125));\n",
		{ "result.mul", "F" }, { "result", "TO" }, { NULL } },
	/* heads that share keys: head h of the queries has number h / 4 of the keys and values */
	{ "heads", "s = 64; d = 64;", "s = 5; d = 3;",
		"q = InputTensor(q, T, [8, s, d]); k = InputTensor(k, T, [2, s, d]); v = InputTensor(v, T, [2, s, d]);\n"
		"m = InputTensor(m, T, [s, s]);\n"
		"ks = ReshapeNode(ExpandNode(ReshapeNode(k, [2, 1, s, d]), [2, 4, s, d]), [8, s, d]);\n"
		"vs = ReshapeNode(ExpandNode(ReshapeNode(v, [2, 1, s, d]), [2, 4, s, d]), [8, s, d]);\n"
		"a = EinsumNode(hsd,htd->hst: F(q), F(ks)); p = SoftmaxNode(a * 0.125 + F(m));\n"
		"result = TO(EinsumNode(hst,htd->hsd: p, F(vs)));\n", { NULL }, { NULL }, { NULL } },
	{ "layer_norm", "n = 128; c = 768;", "n = 3; c = 7;",
		"x = InputTensor(x, T, [n, c]); w = ConstantTensor(w, T, [c]); b = ConstantTensor(b, T, [c]);\n"
		"result = TO(LayerNormNode(F(x), F(w), F(b)));\n", { NULL }, { NULL }, { NULL } },
	{ "rms_norm", "n = 128; c = 768;", "n = 3; c = 7;",
		"x = InputTensor(x, T, [n, c]); w = ConstantTensor(w, T, [c]);\n"
		"result = TO(RMSNormNode(F(x), F(w), 0.00001));\n", { NULL }, { NULL }, { NULL } },
	/* keys that are not counted are named, by a number that is the least of a type; several scales */
	{ "causal_filled", "s = 128; d = 64;", "s = 5; d = 3;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, s, d]); v = InputTensor(v, T, [2, s, d]);\n"
		"a = EinsumNode(bsd,btd->bst: F(q) * 0.5, F(k) * 0.25); i = IndexNode(a, 1); j = IndexNode(a, 2);\n"
		"p = SoftmaxNode(WhereNode(GreaterNode(j, i), FullNode(float32, [1, 1, 1], -3.4028234663852886e38), a / 3 * 2));\n"
		"result = TO(EinsumNode(bst,btd->bsd: p, F(v)));\n", { NULL }, { NULL }, { NULL } },
	{ "causal_added", "s = 128; d = 64;", "s = 5; d = 3;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, s, d]); v = InputTensor(v, T, [2, s, d]);\n"
		"a = TO(EinsumNode(bsd,btd->bst: F(q), F(k))); i = IndexNode(a, 1); j = IndexNode(a, 2);\n"
		"m = WhereNode(LessEqualNode(j, i), FullNode( T, [1, 1, 1], 0), FullNode( T, [1, 1, 1], -65504));\n"
		"p = TO(SoftmaxNode(F(TO(F(TO(F(a) * 0.125)) + F(m)))));\n"
		"result = TO(EinsumNode(bst,btd->bsd: F(p), F(v)));\n", { NULL }, { NULL }, { NULL } },
	/* a mask that is computed: booleans, lengths, two conditions */
	{ "chosen", "s = 128; t = 256; d = 64;", "s = 3; t = 7; d = 5;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, t, d]); v = InputTensor(v, T, [2, t, d]);\n"
		"m = InputTensor(m, bool, [2, 1, t]); a = EinsumNode(bsd,btd->bst: F(q), F(k)) * 0.125;\n"
		"result = TO(EinsumNode(bst,btd->bsd: SoftmaxNode(WhereNode(m, -inf, a)), F(v)));\n", { NULL }, { NULL }, { NULL } },
	{ "by_length", "s = 128; t = 256; d = 64;", "s = 3; t = 7; d = 5;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, t, d]); v = InputTensor(v, T, [2, t, d]);\n"
		"n = InputTensor(n, int32, [2, 1, 1]); a = EinsumNode(bsd,btd->bst: F(q), F(k)) * 0.125;\n"
		"e = WhereNode(GreaterNode(CastNode(IndexNode(a, 2), int32), n), -inf, a);\n"
		"result = TO(EinsumNode(bst,btd->bsd: SoftmaxNode(e), F(v)));\n", { NULL }, { NULL }, { NULL } },
	{ "lengths", "s = 128; t = 256; d = 64;", "s = 3; t = 7; d = 5;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, t, d]); v = InputTensor(v, T, [2, t, d]);\n"
		"n = InputTensor(n, int64, [2, 1, 1]); a = EinsumNode(bsd,btd->bst: F(q), F(k)) * 0.125; j = IndexNode(a, 2);\n"
		"c = LessNode(j, n) & LessEqualNode(j, IndexNode(a, 1) + 1); e = WhereNode(c, a, -inf);\n"
		"result = TO(EinsumNode(bst,btd->bsd: SoftmaxNode(e), F(v)));\n", { NULL }, { NULL }, { NULL } },
	/* a fill that counts is no causal mask */
	{ "filled_with_0", "s = 128; d = 64;", "s = 5; d = 3;",
		"q = InputTensor(q, T, [2, s, d]); k = InputTensor(k, T, [2, s, d]); v = InputTensor(v, T, [2, s, d]);\n"
		"a = EinsumNode(bsd,btd->bst: F(q), F(k)); i = IndexNode(a, 1); j = IndexNode(a, 2);\n"
		"p = SoftmaxNode(WhereNode(LessEqualNode(j, i), a, FullNode(float32, [1, 1, 1], 0)));\n"
		"result = TO(EinsumNode(bst,btd->bsd: p, F(v)));\n", { NULL }, { NULL }, { NULL } },
	/* as models are written: means, powers, each operator rounded */
	{ "layer_norm_chain", "n = 128; c = 768;", "n = 3; c = 7;",
		"x = InputTensor(x, T, [n, c]); w = ConstantTensor(w, T, [c]); b = ConstantTensor(b, T, [c]);\n"
		"m = TO(ReduceMeanNode(F(x), [1], 1)); d = TO(F(x) - F(m)); s = TO(PowNode(F(d), FullNode(float32, [1, 1], 2)));\n"
		"v = TO(ReduceMeanNode(F(s), [1], 1)); e = TO(F(v) + 0.00001); r = TO(SqrtNode(F(e))); y = TO(F(d) / F(r));\n"
		"z = TO(F(y) * F(w)); result = TO(F(z) + F(b));\n", { NULL }, { NULL }, { NULL } },
	{ "rms_norm_chain", "n = 128; c = 768;", "n = 3; c = 7;",
		"x = InputTensor(x, T, [n, c]); h = InputTensor(h, T, [n, c]); w = ConstantTensor(w, T, [c]);\n"
		"a = TO(F(x) + F(h)); f = F(a); v = ReduceMeanNode(PowNode(f, FullNode(float32, [1, 1], 2)), [1], 1);\n"
		"y = f * (1 / SqrtNode(v + 0.000001)); result = TO(F(w) * F(TO(y)));\n", { NULL }, { NULL }, { NULL } },
	{ "residual", "m = 128; k = 768; n = 3072;", "m = 3; k = 7; n = 5;",
		"x = InputTensor(x, T, [m, k]); w = ConstantTensor(w, T, [k, n]); b = ConstantTensor(b, T, [n]);\n"
		"r = InputTensor(r, T, [m, n]);\n"
		"y = TO(MatMulNode(F(x), F(w))); z = TO(F(y) + F(b)); result = TO(ReLUNode(F(TO(F(z) + F(r)))));\n",
		{ NULL }, { NULL }, { NULL } },
	/* two products side by side, two results */
	{ "two_results", "m = 64; k = 32; n = 16;", "m = 3; k = 7; n = 5;",
		"x = InputTensor(x, T, [m, k]); u = ConstantTensor(u, T, [k, n]); w = ConstantTensor(w, T, [k, n]);\n"
		"a = MatMulNode(F(x), F(u)); result sum = TO(a + 1); result = TO(a * SigmoidNode(a) * MatMulNode(F(x), F(w)));\n",
		{ NULL }, { NULL }, { NULL } },
	/* three, two of them of other terms, and the last with one column alone */
	{ "beside", "m = 64; k = 32; n = 16;", "m = 3; k = 7; n = 5;",
		"x = InputTensor(x, T, [m, k]); u = ConstantTensor(u, T, [k, n]); y = InputTensor(y, T, [m, k + 4]);\n"
		"w = ConstantTensor(w, T, [k + 4, n]); v = ConstantTensor(v, T, [k, 1]);\n"
		"a = MatMulNode(F(x), F(u)); b = MatMulNode(F(y), F(w));\n"
		"result = TO(ReLUNode(a + b) * MatMulNode(F(x), F(v)));\n", { NULL }, { NULL }, { NULL } },
	/* a convolution by windows and one of one element, as where blocks of ResNet join */
	{ "beside_windows", "c = 16; d = 32; h = 14;", "c = 3; d = 5; h = 4;",
		"x = InputTensor(x, T, [1, c, h, h]); w = ConstantTensor(w, T, [d, c, 3, 3]);\n"
		"z = InputTensor(z, T, [1, d, h, h]); v = ConstantTensor(v, T, [d, d, 1, 1]);\n"
		"a = Conv2dNode(F(x), F(w), [1, 1], [1, 1, 1, 1]); b = Conv2dNode(F(z), F(v));\n"
		"result = TO(ReLUNode(a + b));\n", { NULL }, { NULL }, { NULL } },
	/* one is made of the other: not side by side */
	{ "in_a_row", "m = 64; k = 32; n = 16; c = 24;", "m = 3; k = 7; n = 5; c = 4;",
		"x = InputTensor(x, T, [m, k]); u = ConstantTensor(u, T, [k, n]); w = ConstantTensor(w, T, [n, c]);\n"
		"result = TO(MatMulNode(TanhNode(MatMulNode(F(x), F(u))), F(w)));\n", { NULL }, { NULL }, { NULL } },
};
enum { N_CASE = sizeof cases / sizeof *cases };
static const char *const types[] = { "float32", "float16" };

/* The script with T, TO and F as the type has them. */
static void script_of(const struct described_case *c, const char *type, bool small, char *out, size_t bytes)
{
	bool half = strcmp(type, "float32") != 0;
	size_t n = (size_t)snprintf(out, bytes, "def TO(x) { return %s; }\ndef F(x) { return %s; }\n%s\n",
		half ? "CastNode(x, float16)" : "x", half ? "CastNode(x, float32)" : "x", small ? c->small : c->sizes);
	for (const char *at = c->script; *at; at++) {
		bool is_type = *at == 'T' && at[-(at > c->script)] == ' ' && at[1] == ',';
		n += (size_t)snprintf(out + n, bytes - n, is_type ? "%s" : "%.1s", is_type ? type : at);
		must(n < bytes, "%s is too long", c->name);
	}
}

/* -- groups -- */

static lt_tnode root_of_node(const struct lt_looptree *t, const char *name)
{
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (!strcmp(t->graph->node[n].name, name) && t->leaf_of[n] >= 0)
			return lt__root_of(t, t->leaf_of[n]);
	return -1;
}

struct typed_case { const struct described_case *c; size_t type; };

/* From the nest that the case names, with all casts of its factors between, to the last. */
static lt_status case_tree(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	const struct typed_case *of = (const struct typed_case *)(const void *)text;
	const struct described_case *c = of->c;
	LT_TRY(lt_looptree_auto(g, NULL, out));
	if (c->steps[of->type])
		LT_TRY(described_step(out, c->steps[of->type]));
	lt_tnode first = (*out)->root, last = (*out)->last_root;
	if (c->first[of->type]) {
		last = root_of_node(*out, c->last[of->type]);
		first = root_of_node(*out, c->first[of->type]);
		must(first >= 0 && last >= 0, "%s: no nest of %s or %s", c->name, c->first[of->type], c->last[of->type]);
	}
	return described_roots(out, first, last);
}

/* -- the text -- */

/* The lines of descriptions in a program's frozen trees. */
static void add_descriptions(const struct lt_program *p, struct lt_context *ctx, FILE *to)
{
	struct lt_arena *a;
	cr_assert_eq(lt__arena_new(ctx, &a), LT_OK);
	for (int32_t i = 0; i < p->nests.n; i++) {
		struct lt_text text = { .arena = a };
		lt__show_frozen(&text, &p->nests.frozen[i].tree);
		for (char *line = text.at, *end; line && *line; line = end + 1) {
			end = strchr(line, '\n');
			const char *bar = line + strspn(line, " ");
			if (*bar == '|')
				fprintf(to, "%.*s\n", (int)(end - bar), bar);
		}
	}
	lt__arena_free(a);
}

static struct lt_graph *case_graph(struct lt_context *ctx, const struct described_case *c, const char *type, bool small)
{
	char script[4000];
	struct lt_graph *g;
	script_of(c, type, small, script, sizeof script);
	cr_assert_eq(lt_parse(ctx, script, strlen(script), c->name, "script", &g), LT_OK, "%s: %s\n%s", c->name,
		lt_context_message(ctx), script);
	return g;
}

Test(call_described, texts)
{
	for (int i = 0; i < N_CASE; i++) {
		char path[200], *now = NULL, was[20000] = "";
		size_t bytes;
		(void)snprintf(path, sizeof path, "tests/described/%s.txt", cases[i].name);
		FILE *to = open_memstream(&now, &bytes), *from;
		for (size_t t = 0; t < 2; t++) {
			struct lt_context *ctx;
			struct lt_program *p;
			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			struct lt_graph *g = case_graph(ctx, &cases[i], types[t], false);
			const struct typed_case of = { &cases[i], t };
			struct described_user user = { case_tree, &of, true };
			const struct lt_options o = { .size = sizeof o, .backends = "ref" };
			cr_assert_eq(described_compile(&user, g, &o, &p), LT_OK, "%s: %s", cases[i].name, lt_context_message(ctx));
			fprintf(to, "%s\n", types[t]);
			add_descriptions(p, ctx, to);
			lt_program_free(p);
			lt_graph_free(g);
			lt_context_free(ctx);
		}
		fclose(to);
		if (getenv("LT_BLESS")) {
			from = fopen(path, "w");
			cr_assert(from && fputs(now, from) >= 0);
		} else {
			from = fopen(path, "r");
			cr_assert(from, "%s is not there", path);
			was[fread(was, 1, sizeof was - 1, from)] = '\0';
			cr_expect_str_eq(now, was, "%s: LT_BLESS=1 rewrites it, if the change is meant; now\n%s", path, now);
		}
		fclose(from);
		free(now);
	}
}

/* -- what it computes -- */

static void run_case(const struct described_case *c, size_t t, const char *backend, bool passes)
{
	const struct typed_case of = { c, t };
	const char *type = types[t];
	struct lt_context *ctx;
	char why[1000] = "";
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_graph *g = case_graph(ctx, c, type, true);
	struct described_user user = { case_tree, &of, passes };
	struct run_config config = { .backends = backend, .compile = described_compile, .user = &user };
	struct run_tally tally = { 0 };
	struct random_layer_data data = { g, 12 };
	struct run_want want;
	run_want_new(g, 2, random_layer_fill, &data, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	cr_expect_str_eq(why, "", "%s, %s, %s: %s", c->name, type, backend, why);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(call_described, each_by_its_description)
{
	for (int i = 0; i < N_CASE; i++)
		for (size_t t = 0; t < 2; t++) {
			run_case(&cases[i], t, "sim:grid/described", true);
			run_case(&cases[i], t, "ref", true);
			if (!cases[i].first[0])
				run_case(&cases[i], t, "sim:grid/described", false);
		}
}

/* -- graphs whose positions depend on a run-time scalar -- */

/* key <= query + p, for a p from 0 to 4; a bounded sum, of windows that begin at p. */
static const char masked[] = "graph 1\nvar s 3\nvar t 7\nvar d 4\nvar u 7\nvar one 1\nparam p = %pos[0] in 0..4\n"
	"%pos = i64[one] input \"pos\"\n%q = f32[s, d] input \"q\"\n%k = f32[t, d] input \"k\"\n%v = f32[t, d] input \"v\"\n"
	"%low = f32[] lit -inf\n%m = f32[s, t, d] mul %q, %k\n%a = f32[s, t] add.reduce %m\n"
	"%i = i64[u] index u\n%j = i64[t] index t\n%ip = i64[s] view { %i[s + 1*p] }\n"
	"%c = bool[s, t] lessequal %j, %ip\n%z = f32[s, t] select %c, %a, %low\n%h = f32[s] max.reduce %z\n"
	"%e = f32[s, t] sub %z, %h\n%x = f32[s, t] exp %e\n%l = f32[s] add.reduce %x\n%w = f32[s, t] div %x, %l\n"
	"%n = f32[s, t, d] mul %w, %v\n%y = f32[s, d] add.reduce %n\nresult \"y\" = %y\n";
static const char bounded[] = "graph 1\nvar m 5\nvar k 13 limit 0 + 1*p\nvar n 7\nvar j 26\nvar one 1\nparam p = "
	"%pos[0] in 0..13\n%pos = i64[one] input \"pos\"\n"
	"%a = f32[m, j] input \"a\"\n%b = f32[j, n] input \"b\"\n%av = f32[m, k] view { %a[m, k + 1*p] }\n"
	"%bv = f32[k, n] view { %b[2*k + 1, n] }\n%p1 = f32[m, n, k] mul %av, %bv\n%c = f32[m, n] add.reduce %p1\n"
	"%e = f32[m, n] exp %c\n%t = f32[m] max.reduce %c\n%y = f32[m, n] sub %e, %t\nresult \"y\" = %y\n";
/* a var that a view cuts, of which the other half is read in place */
static const char digits[] = "graph 1\nvar g 3\nvar o 5\nvar k 4\nvar c 15\n%x = f32[g, o, k] input \"x\"\n"
	"%w = f32[g, k] input \"w\"\n%b = f32[c] input \"b\"\n%m = f32[g, o, k] mul %x, %w\n%s = f32[g, o] add.reduce %m\n"
	"%f = f32[c] view { %s[floor(c / 5), c - 5*floor(c / 5)] }\n%y = f32[c] add %f, %b\nresult \"y\" = %y\n";

static lt_status whole_tree(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	(void)text;
	LT_TRY(lt_looptree_auto(g, NULL, out));
	return described_roots(out, (*out)->root, (*out)->last_root);
}

static void run_text_of(const char *graph)
{
	struct lt_graph *g = parsed(graph);
	char why[1000] = "";
	struct described_user user = { whole_tree, NULL, false };
	struct run_config config = { .backends = "sim:grid/described", .compile = described_compile, .user = &user };
	struct run_tally tally = { 0 };
	struct run_want want;
	run_want_new(g, 6, tree_fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	cr_expect_str_eq(why, "", "%s\n%s", why, graph);
	run_want_free(&want);
	parsed_free(g);
}

/* What is handed over: lines of the description. */
static const struct { const char *graph, *has[4]; } said[] = {
	{ masked, { "lessequal t, s + p\n", "keys up to the query + p\n", NULL } },
	{ digits, { "| axes g 3, o 5, k 4\n", "b[5*g + o]", "product of r1 r0 by o1 o0; batch g, column o, deep k\n", NULL } },
	{ bounded, { "k 13 at most p", "r0 = a[26*m + k + p]", NULL } },
};

Test(call_described, says_places_and_digits)
{
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		struct lt_graph *g = parsed(said[i].graph);
		struct described_user user = { whole_tree, NULL, false };
		const struct lt_options o = { .size = sizeof o, .backends = "ref" };
		struct lt_program *p;
		char *text = NULL;
		size_t bytes;
		cr_assert_eq(described_compile(&user, g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
		FILE *to = open_memstream(&text, &bytes);
		add_descriptions(p, g->ctx, to);
		fclose(to);
		for (int k = 0; said[i].has[k]; k++)
			cr_expect(strstr(text, said[i].has[k]), "no '%s' in\n%s", said[i].has[k], text);
		free(text);
		lt_program_free(p);
		parsed_free(g);
	}
}

Test(call_described, run_time_scalars_and_digits)
{
	run_text_of(bounded);
	run_text_of(digits);
	run_text_of(masked);
}

/* What is not described says which node, and where it is in the script. */
static const struct { const char *script, *why; } refused[] = {
	{ "x = InputTensor(x, float32, [6, 4]);\ni = InputTensor(i, int64, [3]);\ny = GatherNode(x, i);\n"
		"result = MatMulNode(y, ConstantTensor(w, float32, [4, 5]));\n",
		"| %y (refused:3) reads at an index from memory; move it out of the group\n" },
	{ "x = InputTensor(x, float32, [3, 4]);\nz = InputTensor(z, float32, [2, 4]);\n\nu = ConcatNode(0, x, z);\n"
		"result = ExpNode(u);\n", " through a view of several pieces; materialize that outside of the group\n" },
};

Test(call_described, refusals_name_the_line)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p;
		struct described_user user = { whole_tree, NULL, false };
		const struct lt_options o = { .size = sizeof o, .backends = "ref" };
		char *text = NULL;
		size_t bytes;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_parse(ctx, refused[i].script, strlen(refused[i].script), "refused", "script", &g), LT_OK, "%s",
			lt_context_message(ctx));
		cr_assert_eq(described_compile(&user, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		FILE *to = open_memstream(&text, &bytes);
		add_descriptions(p, ctx, to);
		fclose(to);
		cr_expect(strstr(text, refused[i].why) && strstr(text, "(refused:"), "no '%s' in\n%s", refused[i].why, text);
		free(text);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* -- as a kernel program -- */

static void print_kernel(const struct lt_kernel *k, struct kernel_text *out)
{
	*out = (struct kernel_text){ .n = 0 };
	lt_kernel_print(k, kernel_text_add, out);
}

/* Each is a call whose text reads back to itself, with as many lines as it has reads, operations and results. */
Test(call_described, kernel_programs)
{
	const struct lt_machine machine = { .array_bytes = 4096, .stack_bytes = 65536, .subgroup = 32, .shared_bytes = 49152,
		.calls = 2 };
	for (size_t i = 0; i < 2 * N_CASE; i++) {
		const struct typed_case of = { &cases[i / 2], i % 2 };
		struct described_user user = { case_tree, &of, true };
		const struct lt_options o = { .size = sizeof o, .backends = "ref" };
		struct lt_context *ctx;
		struct lt_program *p;
		int calls = 0;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_graph *g = case_graph(ctx, of.c, types[of.type], false);
		cr_assert_eq(described_compile(&user, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		for (int32_t n = 0; n < p->nests.n; n++) {
			const struct lt_tree *t = &p->nests.frozen[n].tree;
			const struct lt_kernel_options options = { .verify = 1 };
			struct lt_kernel *k, *again;
			struct kernel_text text, back;
			if (!t->calls.n)
				continue;
			cr_assert_eq(lt_kernel_new(t, &machine, &options, &k, NULL), LT_OK, "%s", of.c->name);
			const struct lt_call *c = LT_AT(struct lt_call, t->calls, 0);
			cr_expect(k->n_call == 1 && k->calls[0].n_op == c->n_op && k->calls[0].n_result == c->n_result
				&& k->calls[0].n_operand == c->n_result + c->n_read && k->n_region == 1, "%s", of.c->name);
			print_kernel(k, &text);
			cr_assert_eq(kernel_parse(text.at, text.n, &again), LT_OK, "%s: %s\n%s", of.c->name, kernel_message, text.at);
			print_kernel(again, &back);
			cr_expect_str_eq(back.at, text.at, "%s", of.c->name);
			free(text.at);
			free(back.at);
			lt_kernel_free(k);
			lt_kernel_free(again);
			calls++;
		}
		cr_expect_eq(calls, 1, "%s", of.c->name);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* -- what a description is as a whole, by brute force -- */

static int64_t place_at(
	const struct lt_tree *t, const struct lt_call *c, int32_t row, int32_t stride, const int64_t *at)
{
	const int64_t *r = t->rows + (int64_t)row * t->n_column;
	int64_t sum = r[0];
	for (int32_t a = 0; a < c->n_axis; a++)
		sum += t->strides[stride + a] * at[a];
	return sum;
}

/* Whether all guards of a read hold that move along no other axis than these. */
static bool holds(const struct lt_tree *t, const struct lt_call *c, const struct lt_call_read *r, int32_t o, int32_t w,
	const int64_t *at)
{
	for (int32_t g = 0; g < r->n_guard; g++) {
		const struct lt_call_guard *guard = LT_AT(struct lt_call_guard, t->call_guards, r->first_guard + g);
		bool others = false;
		for (int32_t a = 0; a < c->n_axis; a++)
			others = others || (a != o && a != w && t->strides[guard->first_stride + a]);
		if (!others && place_at(t, c, guard->row, guard->first_stride, at) < 0)
			return false;
	}
	return true;
}

/* A window reads number stride*o + dilation*w - before of `extent`, `step` elements apart, and nothing beside them. */
static void check_window(const struct lt_tree *t, const struct lt_call *c, const struct lt_call_read *r,
	const struct lt_call_window *x)
{
	int64_t at[64] = { 0 }, one = 1,
		n_o = x->out < 0 ? 1 : LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + x->out)->extent,
		n_w = x->window < 0 ? 1 : LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + x->window)->extent,
		last = x->stride * (n_o - one) + x->dilation * (n_w - one) - x->before, first = 0;
	for (int64_t o = 0; o < n_o; o++)
		for (int64_t w = 0; w < n_w; w++) {
			if (x->out >= 0)
				at[x->out] = o;
			if (x->window >= 0)
				at[x->window] = w;
			int64_t number = x->stride * o + x->dilation * w - x->before,
				place = place_at(t, c, r->row, r->first_stride, at);
			first = o == 0 && w == 0 ? place : first;
			cr_assert_eq(holds(t, c, r, x->out, x->window, at), number >= 0 && number < x->extent, "%lld, %lld of a window",
				(long long)o, (long long)w);
			cr_assert_eq(place - first, x->step * (number + x->before), "%lld, %lld of a window", (long long)o,
				(long long)w);
		}
	cr_assert_eq(x->after, last >= x->extent ? last - x->extent + 1 : 0);
}

/* Roles of the axes as the strides of the reads have them. */
static void check_roles(const struct lt_tree *t, const struct lt_call *c, const struct lt_call_anchor *a)
{
	const struct lt_call_op *sum = LT_AT(struct lt_call_op, t->call_ops, c->first_op + a->op[0]);
	for (int32_t d = 0; d < c->n_axis; d++) {
		bool in[2], deep = sum->reduced >> d & 1, out = !deep && sum->axes >> d & 1;
		if (c->n_anchor > 1 && !(sum->axes >> d & 1))
			continue;               /* another one's */
		int32_t role = LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + d)->role;
		for (int i = 0; i < 2; i++) {
			if (a->read[i] < 0)
				return;
			const struct lt_call_read *r = LT_AT(struct lt_call_read, t->call_reads, c->first_read + a->read[i]);
			in[i] = t->strides[r->first_stride + d] != 0;
			for (int32_t g = 0; g < r->n_guard; g++)
				in[i] = in[i] || t->strides[LT_AT(struct lt_call_guard, t->call_guards, r->first_guard + g)->first_stride + d];
		}
		cr_assert_eq(role, deep ? LT_DIM_DEEP : !out || (!in[0] && !in[1]) ? LT_DIM_OTHER : in[0] && in[1] ? LT_DIM_BATCH
			: in[0] ? LT_DIM_ROW : LT_DIM_COLUMN, "axis %d", (int)d);
		cr_assert(!deep || (in[0] && in[1]), "axis %d", (int)d);
	}
}

/* What is a product for a BLAS is one of the same values by its description. */
static void check_product(const struct lt_tree *t, const struct lt_call *c)
{
	bool matrix = false, deep = false;      /* not a sum of squares, nor of one term, nor element by element */
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, t->call_dims, c->first_dim + d);
		deep = deep || (dim->role == LT_DIM_DEEP && dim->extent > 1);
		matrix = matrix || ((dim->role == LT_DIM_ROW || dim->role == LT_DIM_COLUMN) && dim->extent > 1);
	}
	cr_assert(c->n_result == 1 && (c->anchor >= 0 || !matrix || !deep), "a product without an anchor, in loop %d",
		(int)c->loop);
	cr_assert_leq(c->n_anchor, 1);
	if (c->anchor < 0 || LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor)->kind == LT_ANCHOR_NORM)
		return;
	const struct lt_call_anchor *a = LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor);
	int32_t buffer[4], n = 0;
	for (int32_t o = 1; o < 3; o++) {
		buffer[n++] = LT_AT(struct lt_call_operand, t->call_operands, c->first_operand + o)->buffer;
		buffer[n++] = LT_AT(struct lt_call_read, t->call_reads, c->first_read + a->read[o - 1])->buffer;
	}
	cr_assert((buffer[0] == buffer[1] && buffer[2] == buffer[3]) || (buffer[0] == buffer[3] && buffer[2] == buffer[1]),
		"its factors are others");
}

/* Whether op `to` is made of op `from`. */
static bool is_made_of(const struct lt_tree *t, const struct lt_call *c, int32_t to, int32_t from)
{
	const struct lt_call_op *o = LT_AT(struct lt_call_op, t->call_ops, c->first_op + to);
	if (to <= from)
		return to == from;
	for (int32_t v = 0; v < o->n_value; v++) {
		const struct lt_call_value *value = LT_AT(struct lt_call_value, t->call_values, o->first_value + v);
		if (value->kind == LT_VALUE_OP && is_made_of(t, c, value->at, from))
			return true;
	}
	return false;
}

/* Several are all that reduces, and none is made of another. */
static void check_beside(const struct lt_tree *t, const struct lt_call *c)
{
	int reductions = 0;
	for (int32_t i = 0; i < c->n_op; i++)
		reductions += LT_AT(struct lt_call_op, t->call_ops, c->first_op + i)->kind == LT_CALL_REDUCE;
	cr_assert_eq(c->n_anchor > 0, c->anchor >= 0);
	for (int32_t i = 0; i < c->n_anchor && c->n_anchor > 1; i++) {
		const struct lt_call_anchor *a = LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor + i);
		cr_assert_eq(c->n_anchor, reductions);
		cr_assert(a->kind == LT_ANCHOR_PRODUCT || a->kind == LT_ANCHOR_CONVOLUTION);
		for (int32_t k = 0; k < i; k++)
			cr_assert_not(
				is_made_of(t, c, a->op[0], LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor + k)->op[0]));
	}
}

static void check_anchors(const struct lt_tree *t, int *windows)
{
	for (uint32_t i = 0; i < t->calls.n; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, t->calls, i);
		check_beside(t, c);
		if (c->pattern == LT_PATTERN_PRODUCT && c->n_result)
			check_product(t, c);
		for (int32_t k = 0; k < c->n_anchor; k++) {
			const struct lt_call_anchor *a = LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor + k);
			if (a->kind == LT_ANCHOR_PRODUCT || a->kind == LT_ANCHOR_CONVOLUTION)
				check_roles(t, c, a);
			for (int32_t w = 0; w < a->n_window; w++, ++*windows)
				check_window(t, c, LT_AT(struct lt_call_read, t->call_reads, c->first_read + a->read[0]),
					LT_AT(struct lt_call_window, t->call_windows, a->first_window + w));
		}
	}
}

/* -- random convolutions -- */

/* Along each spatial axis: elements, outputs, positions of a window, and how they lie.  low: outputs are two vars, the
 * inner one of so many, as a pool behind them wants them; 0: one. */
struct drawn_axis { int64_t n, out, window, stride, dilation, before, after, low; };
struct drawn_convolution {
	int n_axis;
	bool last, half, cast_after;    /* channels last; cast_after: the views */
	int64_t batch, groups, o, c;
	struct drawn_axis axis[3];
};

/* Whether an element outside is read along it, or one by two outputs: counted, position by position; *reads: how many
 * outputs read any inside. */
static bool is_windowed(const struct drawn_axis *a, int64_t *reads)
{
	int seen[200] = { 0 };
	bool windowed = false;
	*reads = 0;
	for (int64_t y = 0; y < a->out; y++) {
		bool any = false;
		for (int64_t k = 0; k < a->window; k++) {
			int64_t number = a->stride * y + a->dilation * k - a->before;
			windowed = windowed || number < 0 || number >= a->n || seen[number];
			if (number >= 0 && number < a->n)
				seen[number] = any = true;
		}
		*reads += any;
	}
	return windowed;
}

/* Of every third convolution some outputs are two vars; not of one output, since passes drop what moves there. */
static int64_t low_of(const struct drawn_axis *a, uint64_t seed)
{
	int64_t reads;
	(void)is_windowed(a, &reads);
	return seed % 3 || reads < 2 || a->out < 4 ? 0 : a->out % 2 == 0 ? 2 : a->out % 3 == 0 ? 3 : 0;
}

static int64_t drawn_work(const struct drawn_convolution *v)
{
	int64_t work = v->batch * v->groups * v->o * v->c;
	for (int i = 0; i < v->n_axis; i++)
		work *= v->axis[i].out * v->axis[i].window;
	return work;
}

static void draw_convolution(uint64_t seed, int64_t work, struct drawn_convolution *v)
{
	uint64_t rng = seed * 2654435761u + 5;
	do {
		*v = (struct drawn_convolution){ .n_axis = (int)random_between(&rng, 1, 3), .last = random_chance(&rng, 50),
			.half = random_chance(&rng, 30), .cast_after = random_chance(&rng, 50), .batch = random_between(&rng, 1, 2),
			.groups = random_chance(&rng, 50) ? 1 : random_between(&rng, 2, 3), .o = random_between(&rng, 1, 3),
			.c = random_chance(&rng, 30) ? 1 : random_between(&rng, 1, 3) };
		for (int i = 0; i < v->n_axis; i++) {
			struct drawn_axis *a = &v->axis[i];
			*a = (struct drawn_axis){ .n = random_between(&rng, 1, 19), .window = random_between(&rng, 1, 7),
				.stride = random_between(&rng, 1, 4), .dilation = random_between(&rng, 1, 3),
				.before = random_chance(&rng, 50) ? random_between(&rng, 0, 7) : 0,
				.after = random_chance(&rng, 50) ? random_between(&rng, 0, 7) : 0 };
			int64_t rest = a->n + a->before + a->after - a->dilation * (a->window - 1) - 1;
			a->out = rest < 0 ? 0 : rest / a->stride + 1;
			a->low = low_of(a, seed);
		}
	} while (drawn_work(v) < 1 || drawn_work(v) > work);
}

static void say_dims(FILE *to, const struct drawn_convolution *v, const char *letters)
{
	const char *comma = "";
	for (const char *at = letters; *at; at++)
		for (int i = 0; i < (strchr("ykh", *at) ? v->n_axis : 1); i++, comma = ", ") {
			strchr("ykh", *at) ? fprintf(to, "%s%c%d", comma, *at, i) : fprintf(to, "%s%c", comma, *at);
			if (*at == 'y' && v->axis[i].low)
				fprintf(to, ", z%d", i);
		}
}

/* The stride times the number of an output; sign: between what is added. */
static void say_output(FILE *to, const struct drawn_axis *a, int i, const char *sign)
{
	fprintf(to, "%lld*y%d", (long long)(a->low ? a->stride * a->low : a->stride), i);
	if (a->low)
		fprintf(to, " %s %lld*z%d", *sign ? sign : "+", (long long)a->stride, i);
}

/* What it means, in the words of a graph, by no builder: view, product, sum, bias, ReLU.  u: all channels, r: all of
 * the result. */
static void say_convolution(const struct drawn_convolution *v, char *out, size_t bytes)
{
	FILE *to = fmemopen(out, bytes, "w");
	const char *type = v->half ? "f16" : "f32", *x = "%xv", *w = "%wv";
	fprintf(to, "graph 1\nvar n %lld\nvar g %lld\nvar o %lld\nvar c %lld\nvar u %lld\nvar r %lld\n", (long long)v->batch,
		(long long)v->groups, (long long)v->o, (long long)v->c, (long long)(v->groups * v->c), (long long)(v->groups * v->o));
	for (int i = 0; i < v->n_axis; i++) {
		const struct drawn_axis *a = &v->axis[i];
		fprintf(to, "var h%d %lld\nvar y%d %lld\nvar k%d %lld\n", i, (long long)a->n, i,
			(long long)(a->low ? a->out / a->low : a->out), i, (long long)a->window);
		if (a->low)
			fprintf(to, "var z%d %lld\n", i, (long long)a->low);
	}
#define DIMS(letters) say_dims(to, v, letters)
#define SAY(...) fprintf(to, __VA_ARGS__)
	SAY("%%x = %s[", type), DIMS(v->last ? "nhu" : "nuh"), SAY("] input \"x\"\n%%w = %s[", type);
	DIMS(v->last ? "kcr" : "rck"), SAY("] input \"w\"\n%%b = %s[r] input \"b\"\n%%zero = f32[] lit 0.0\n", type);
	bool early = v->half && !v->cast_after;
	if (early) {
		SAY("%%xe = f32["), DIMS(v->last ? "nhu" : "nuh"), SAY("] cast %%x\n%%we = f32["), DIMS(v->last ? "kcr" : "rck");
		SAY("] cast %%w\n");
	}
	SAY("%%xv = %s[", early ? "f32" : type), DIMS("ngcyk"), SAY("] view { %%x%s[n", early ? "e" : "");
	if (!v->last)
		SAY(", %lld*g + c", (long long)v->c);
	for (int i = 0; i < v->n_axis; i++) {
		SAY(", "), say_output(to, &v->axis[i], i, "");
		SAY(" + %lld*k%d - %lld", (long long)v->axis[i].dilation, i, (long long)v->axis[i].before);
	}
	if (v->last)
		SAY(", %lld*g + c", (long long)v->c);
	for (int i = 0; i < v->n_axis; i++) {
		const struct drawn_axis *a = &v->axis[i];
		SAY("%s ", i ? "," : "] if"), say_output(to, a, i, "");
		SAY(" + %lld*k%d - %lld >= 0, %lld - ", (long long)a->dilation, i, (long long)a->before,
			(long long)(a->n - 1 + a->before));
		say_output(to, a, i, "-"), SAY(" - %lld*k%d >= 0", (long long)a->dilation, i);
	}
	SAY("; else 0.0 }\n%%wv = %s[", early ? "f32" : type), DIMS("gock"), SAY("] view { %%w%s[", early ? "e" : "");
	if (v->last)
		DIMS("kc"), SAY(", %lld*g + o] }\n", (long long)v->o);
	else
		SAY("%lld*g + o, ", (long long)v->o), DIMS("ck"), SAY("] }\n");
	if (v->half && v->cast_after) {
		SAY("%%xf = f32["), DIMS("ngcyk"), SAY("] cast %%xv\n%%wf = f32["), DIMS("gock"), SAY("] cast %%wv\n");
		x = "%xf";
		w = "%wf";
	}
	SAY("%%m = f32["), DIMS("ngoyck"), SAY("] mul %s, %s\n%%s = f32[", x, w), DIMS("ngoy");
	SAY("] add.reduce %%m\n%%v = f32[");
	DIMS(v->last ? "nyr" : "nry"), SAY("] view { %%s[n, floor(r / %lld), r - %lld*floor(r / %lld), ", (long long)v->o,
		(long long)v->o, (long long)v->o);
	DIMS("y"), SAY("] }\n%%bf = f32[r] %s %%b\n%%a = f32[", v->half ? "cast" : "copy"), DIMS(v->last ? "nyr" : "nry");
	SAY("] add %%v, %%bf\n%%y = f32["), DIMS(v->last ? "nyr" : "nry"), SAY("] max %%a, %%zero\n%%z = %s[", type);
	DIMS(v->last ? "nyr" : "nry"), SAY("] %s %%y\nresult \"z\" = %%z\n", v->half ? "cast" : "copy");
#undef SAY
#undef DIMS
	fclose(to);
}

/* The kind of the only call's anchor; 0: none.  Its windows and roles are counted out. */
static int32_t anchor_of(const struct lt_program *p, int *windows)
{
	int32_t kind = 0;
	for (int32_t i = 0; i < p->nests.n; i++) {
		const struct lt_tree *t = &p->nests.frozen[i].tree;
		check_anchors(t, windows);
		for (uint32_t c = 0; c < t->calls.n; c++) {
			const struct lt_call *call = LT_AT(struct lt_call, t->calls, c);
			kind = call->anchor < 0 ? 0 : LT_AT(struct lt_call_anchor, t->call_anchors, call->anchor)->kind;
		}
	}
	return kind;
}

Test(call_described, random_convolutions)
{
	uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 150);
	int n[LT_ANCHOR_NORM + 1] = { 0 }, windowed = 0, windows = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct drawn_convolution v;
		char text[4000], why[1000] = "";
		bool is = false, reads = true;
		struct lt_program *p;
		draw_convolution(seed, 20000, &v);
		say_convolution(&v, text, sizeof text);
		struct lt_graph *g = parsed(text);
		struct described_user user = { whole_tree, NULL, seed % 4 != 0 };
		struct run_config config = { .backends = "sim:grid/described", .compile = described_compile, .user = &user };
		const struct lt_options o = { .size = sizeof o, .backends = "ref" };
		cr_assert_eq(described_compile(&user, g, &o, &p), LT_OK, "seed %llu: %s\n%s", (unsigned long long)seed,
			lt_context_message(g->ctx), text);
		int64_t terms = v.c;
		for (int i = 0; i < v.n_axis; i++, terms *= v.axis[i - 1].window) {
			int64_t any;
			is = is_windowed(&v.axis[i], &any) || is;
			reads = reads && any > 0;
		}
		is = is && reads && terms > 1;          /* else nothing is read, or summed */
		int32_t kind = anchor_of(p, &windows);
		if (getenv("LT_SHOW")) {
			fprintf(stderr, "-- seed %llu\n%s", (unsigned long long)seed, text);
			add_descriptions(p, g->ctx, stderr);
		}
		lt_program_free(p);
		n[kind]++;
		windowed += is;
		cr_expect(!is || kind == LT_ANCHOR_CONVOLUTION, "seed %llu: windows, but kind %d\n%s", (unsigned long long)seed,
			(int)kind, text);
		struct run_tally tally = { 0 };
		struct run_want want;
		run_want_new(g, 1, tree_fill, g, &want);
		run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
		cr_assert_str_eq(why, "", "seed %llu: %s\n%s", (unsigned long long)seed, why, text);
		run_want_free(&want);
		parsed_free(g);
	}
	fprintf(stderr, "%llu convolutions, %d with borders or windows that share elements: %d convolutions, %d products, %d "
		"without an anchor; %d windows\n", (unsigned long long)count, windowed, n[LT_ANCHOR_CONVOLUTION],
		n[LT_ANCHOR_PRODUCT], n[0], windows);
	cr_assert(count < 100 || (windowed > 80 && windows > windowed));
}

/* -- any group of random graphs -- */

static void show_tree(const struct lt_looptree *t)
{
	struct run_text text = tree_print(t);
	if (getenv("LT_SHOW"))
		fprintf(stderr, "%s\n", text.at);
	run_text_free(&text);
}

static lt_status draw_tree(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	lt_status st = described_draw(g, text, out);
	if (!st)
		show_tree(*out);
	return st;
}

struct drawn_tally { int ran, refused, calls, anchors, windows; };

static void run_drawn(struct lt_context *ctx, const struct lt_graph *g, uint64_t seed, run_fill *fill, void *data,
	bool passes, struct drawn_tally *to)
{
	struct described_drawn d = { .rng = seed * 2654435761u + 1 };
	struct described_user user = { draw_tree, &d, passes };
	struct run_config config = { .backends = "sim:grid/described", .compile = described_compile, .user = &user };
	const struct lt_options o = { .size = sizeof o, .backends = config.backends };
	struct run_tally tally = { 0 };
	struct run_want want;
	struct lt_program *p = NULL;
	char why[1000] = "";
	lt_status st = described_compile(&user, g, &o, &p);
	cr_assert(st == LT_OK || st == LT_EUNSUPPORTED || st == LT_EILLEGAL, "seed %llu: %s", (unsigned long long)seed,
		lt_context_message(ctx));
	if (st == LT_OK && getenv("LT_SHOW"))
		add_descriptions(p, ctx, stderr);
	else if (getenv("LT_SHOW"))
		fprintf(stderr, "refused: %s\n", lt_context_message(ctx));
	for (int32_t i = 0; st == LT_OK && i < p->nests.n; i++)
		for (uint32_t c = 0; c < p->nests.frozen[i].tree.calls.n; c++)
			to->anchors += LT_AT(struct lt_call, p->nests.frozen[i].tree.calls, c)->anchor >= 0;
	for (int32_t i = 0; st == LT_OK && i < p->nests.n; i++)
		check_anchors(&p->nests.frozen[i].tree, &to->windows);
	lt_program_free(p);
	to->refused += st != LT_OK;
	to->ran += st == LT_OK;
	to->calls += st == LT_OK ? d.calls : 0;
	if (st != LT_OK || !d.calls)
		return;
	run_want_new(g, 2, fill, data, &want);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	cr_assert_str_eq(why, "", "seed %llu%s: %s", (unsigned long long)seed, passes ? ", passes" : "", why);
	run_want_free(&want);
}

Test(call_described, random_groups_of_random_layers)
{
	uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 120);
	struct drawn_tally tally = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		char text[4000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_layer(ctx, seed, 3000, &g, text, sizeof text);
		if (getenv("LT_SHOW"))
			fprintf(stderr, "-- seed %llu\n%s\n", (unsigned long long)seed, text);
		struct random_layer_data data = { g, seed };
		run_drawn(ctx, g, seed, random_layer_fill, &data, seed % 2, &tally);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	fprintf(stderr, "%d programs with %d calls, %d with an anchor, ran, with %d windows; %d were refused\n", tally.ran,
		tally.calls, tally.anchors, tally.windows, tally.refused);
	cr_assert(count < 100 || (tally.calls > 40 && tally.anchors > 15));
}

Test(call_described, random_groups_of_random_products)
{
	uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 120);
	struct drawn_tally tally = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		(seed % 3 ? random_product : random_product_counted)(ctx, seed, &g);
		run_drawn(ctx, g, seed, random_product_fill, g, seed % 2, &tally);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	fprintf(stderr, "%d programs with %d calls, %d with an anchor, ran, with %d windows; %d were refused\n", tally.ran,
		tally.calls, tally.anchors, tally.windows, tally.refused);
	cr_assert(count < 100 || (tally.calls > 40 && tally.anchors > 15));
}
