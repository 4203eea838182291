/* test_packed_constants.c -- constants that lie across the vectors of the products that read them: which are packed
 * before the first run, how often, and what recurrent layers compute of them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "ir/pass/pass.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "looptree/default/default.h"
#include "looptree/tree/tree.h"
#include "lt/lt.h"
#include "tests/parsed.h"
#include "tests/product_graphs.h"
#include "tests/random_packed.h"
#include "tests/run_graph.h"
#include "program/program.h"

TestSuite(packed_constants, .timeout = 240);

/* Copies of constants in the default tree, and their bytes. */
struct copies { int n; int64_t bytes; };

static struct copies copies_in(const struct lt_looptree *t)
{
	struct copies x = { 0, 0 };
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		const struct lt_nodedef *d = &t->graph->node[n];
		lt_node of = n;
		if (d->op != LT_OP_copy || t->leaf_of[n] < 0)
			continue;
		while (t->graph->node[of].n_operand > 0)
			of = t->graph->node[of].operand[0];
		if (t->graph->node[of].op != LT_OP_constant)
			continue;
		x.n++;
		x.bytes += lt__node_elems(t->graph, n) * lt__dtype_info(d->dtype)->bytes;
	}
	return x;
}

/* Lengths from 0 to more than there are, other data small multiples of 1/8. */
static void fill(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	const enum lt_dtype t = g->node[n].dtype;
	uint64_t x = (uint64_t)n * 7919 + (uint64_t)(g->node[n].op == LT_OP_constant ? 0 : run) * 104729;
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const int64_t small = (int64_t)(x >> 33) % 9 - 4;
		const bool real = lt__dtype_info(t)->cls == LT_CLASS_FLOAT;
		union lt_scalar v;
		if (real)
			v.f = (double)small / 8;
		else
			v.i = t == LT_I32 ? small + 4 : small;
		lt__store(out, i, t, lt__round_to(v, t));
	}
}

static void compare(struct lt_graph *g, const struct run_config *config, const char *what)
{
	struct run_want want;
	struct run_tally tally = { 0 };
	char why[2000] = "";
	run_want_new(g, 2, fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s: %s", what, want.message);
	cr_expect(run_compare(&want, g, config, NULL, NULL, &tally, why, sizeof why), "%s: %s", what, why);
	cr_expect(tally.elements > 0 && tally.skipped == 0, "%s: %lld elements are not judged", what,
		(long long)tally.skipped);
	run_want_free(&want);
}

static const struct run_config by_ref = { .backends = "ref" };

/* -- which -- */

#define ONE_ROW(kind, k, n) \
	"graph 1\nvar k " #k "\nvar n " #n "\n%a = f32[k] input \"a\"\n%w = f32[n, k] " kind " \"w\"\n" \
	"%p = f32[k, n] mul %a, %w\n%c = f32[n] add.reduce %p\n" END(c)
/* The same of a weight that two pieces make: no vector lies along what is summed over. */
#define TWO_PIECES(k, half, n) \
	"graph 1\nvar k " #k "\nvar n " #n "\n%a = f32[k] input \"a\"\n%v = f32[n, k] constant \"v\"\n" \
	"%w = f32[n, k] view { %v[n + " #half ", k] if " #half " - 1 - n >= 0; " \
	"%v[n - " #half ", k] if n - " #half " >= 0 }\n" \
	"%p = f32[k, n] mul %a, %w\n%c = f32[n] add.reduce %p\n" END(c)

#define AND_OTHERS \
	"graph 1\nvar k 64\nvar n 64\nvar i 1024\nvar j 512\n%a = f32[k] input \"a\"\n%w = f32[n, k] constant \"w\"\n" \
	"%v = f32[i, j] constant \"v\"\n%o = f32[i, j] neg %v\n%p = f32[k, n] mul %a, %w\n%c = f32[n] add.reduce %p\n" \
	"result \"z\" = %o\n" END(c)

static const struct { const char *what, *graph; bool small, unpacked, packed; } rows[] = {
	{ "a constant across the vectors", ONE_ROW("constant", 64, 64), false, false, true },
	{ "columns that fill no vector", ONE_ROW("constant", 61, 37), false, false, true },
	{ "one sum, which would wait for itself", ONE_ROW("constant", 64, 16), false, false, false },
	{ "an input", ONE_ROW("input", 64, 64), false, false, false },
	{ "a constant along the vectors", ROW(64, 64), false, false, false },
	{ "the same of long rows", ROW(64, 512), false, false, true },
	{ "the same of more than the last cache holds", ROW(512, 1024), true, false, false },
	{ "a run that reads more than the last cache holds", AND_OTHERS, true, false, false },
	{ "nothing is packed before the first run", ONE_ROW("constant", 64, 64), false, true, false },
	{ "more than the last cache holds", ONE_ROW("constant", 1024, 1024), true, false, false },
	{ "pieces", TWO_PIECES(64, 32, 64), false, false, true },
	{ "pieces, more than the last cache holds", TWO_PIECES(1024, 512, 1024), true, false, true },
};

Test(packed_constants, one_row_reads_them_along_its_vectors)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct lt_target target = machine;
		target.unpacked = rows[i].unpacked;
		if (rows[i].small)
			target.l3_bytes = 1 << 20;
		struct made m = make(rows[i].graph, &target);
		cr_expect_eq(copies_in(m.t).n, rows[i].packed, "%s: %d copies", rows[i].what, copies_in(m.t).n);
		cr_expect_eq(lt_looptree_verify(m.t), LT_OK, "%s: %s", rows[i].what, lt_context_message(m.ctx));
		drop(&m);
	}
}

/* -- how often -- */

/* Steps of h = tanh(h W), with a W whose vars each step names anew; `other` more nodes read W after them, `before` is
 * of those before. */
static void write_steps(char *text, size_t bytes, int n_step, int n_other, const char *before)
{
	static const char *const op[] = { "neg", "tanh", "exp", "abs", "sin", "cos", "sqrt", "sigmoid", "erf" };
	int n = snprintf(text, bytes, "graph 1\nvar i 32\nvar j 32\nvar m 3\nvar u 32\n");
	for (int i = 0; i < n_step + n_other; i++)
		n += snprintf(text + n, bytes - (size_t)n, "var k%d 32\nvar n%d 32\n", i, i);
	n += snprintf(text + n, bytes - (size_t)n, "%%h0 = f32[i] input \"h\"\n%%w = f32[i, j] constant \"w\"\n%s", before);
	for (int i = 0; i < n_step + n_other; i++)
		n += snprintf(text + n, bytes - (size_t)n, "%%v%d = f32[k%d, n%d] view { %%w[n%d, k%d] }\n", i, i, i, i, i);
	for (int i = 0; i < n_step; i++)
		n += snprintf(text + n, bytes - (size_t)n, "%%g%d = f32[k%d] view { %%h%d[k%d] }\n"
			"%%p%d = f32[k%d, n%d] mul %%g%d, %%v%d\n%%s%d = f32[n%d] add.reduce %%p%d\n%%h%d = f32[n%d] tanh %%s%d\n",
			i, i, i, i, i, i, i, i, i, i, i, i, i + 1, i, i);
	for (int i = n_step; i < n_step + n_other; i++)
		n += snprintf(text + n, bytes - (size_t)n, "%%o%d = f32[k%d, n%d] %s %%v%d\n", i, i, i, op[i - n_step], i);
	for (int i = n_step; i < n_step + n_other; i++)
		n += snprintf(text + n, bytes - (size_t)n, "result \"o%d\" = %%o%d\n", i, i);
	(void)snprintf(text + n, bytes - (size_t)n, "result \"y\" = %%h%d\n", n_step);
}

/* One for all its readers, under any names, where most of them are such products; else one for each product. */
static const struct { int n_step, n_other, n_copy; } shared[] = {
	{ 1, 0, 1 }, { 2, 0, 1 }, { 20, 0, 1 }, { 20, 1, 1 }, { 20, 9, 1 }, { 2, 1, 2 }, { 3, 2, 3 },
};

Test(packed_constants, a_constant_is_packed_once_for_all_who_read_it)
{
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
		static char text[20000];
		struct lt_graph *lean;
		struct lt_looptree *t;
		write_steps(text, sizeof text, shared[i].n_step, shared[i].n_other, "");
		struct lt_graph *g = parsed(text);
		cr_assert_eq(lt__passes_run(g, NULL, NULL, &lean), LT_OK, "%s", lt_context_message(g->ctx));
		cr_assert_eq(lt_looptree_auto(lean, &machine, &t), LT_OK, "%s", lt_context_message(g->ctx));
		cr_expect_eq(copies_in(t).n, shared[i].n_copy, "%d steps, %d others: %d copies", shared[i].n_step,
			shared[i].n_other, copies_in(t).n);
		cr_expect_eq(lt_looptree_verify(t), LT_OK, "%s", lt_context_message(g->ctx));
		lt_looptree_free(t);
		lt_graph_free(lean);
		parsed_free(g);
	}
}

/* -- a copy of one constant that others read, too, before the first of the products that pack it -- */

/* The tree of `machine`, run by a backend. */
static lt_status compile_wide(void *unused, const struct lt_graph *g, const struct lt_options *options,
	struct lt_program **out)
{
	struct lt_graph *lean, *lowered;
	struct lt_looptree *t = NULL;
	(void)unused;
	*out = NULL;
	LT_TRY(lt__passes_run(g, NULL, NULL, &lean));
	lt_status st = lt__materialize(lean, &lowered);
	lt_graph_free(lean);
	if (!st)
		st = lt_looptree_auto(lowered, &machine, &t);
	if (!st && (st = lt_looptree_verify(t)))
		lt_looptree_free(t);
	return st ? st : lt__compile_tree(g->ctx, g, lowered, t, options, out);
}

static const struct { const char *what, *nodes; int n_copy; } before[] = {
	{ "a sum that is constant", "%c = f32[i] add.reduce %w\n%e = f32[i] mul %c, %h0\n", 1 },
	{ "a sum of each run", "%c = f32[i, j] mul %w, %h0\n%e = f32[i] add.reduce %c\n", 1 },
	{ "a constant value", "%c = f32[i, j] exp %w\n%e = f32[i, j] mul %c, %h0\n", 1 },
	{ "a value of each run", "%e = f32[i, j] mul %w, %h0\n", 1 },
	{ "one row", "%c = f32[j] view { %w[31, j] }\n%d = f32[j] exp %c\n%e = f32[i, j] mul %d, %h0\n", 1 },
	{ "a product that reads it as it lies", "%l = f32[m, i] input \"l\"\n%c = f32[m, i, j] mul %l, %w\n"
		"%e = f32[m, j] add.reduce %c\n", 1 },
	{ "a product that is constant", "%l = f32[m, j] constant \"l\"\n%c = f32[m, j, i] mul %l, %w\n"
		"%d = f32[m, i] add.reduce %c\n%e = f32[m, i] mul %d, %h0\n", 2 },
	{ "what follows a product", "%l = f32[u, i] input \"l\"\n%r = f32[u, j] input \"r\"\n"
		"%c = f32[i, j, u] mul %l, %r\n%d = f32[i, j] add.reduce %c\n%e = f32[i, j] add %d, %w\n", 1 },
};

ParameterizedTestParameters(packed_constants, a_shared_copy_is_made_before_all_that_read_it)
{
	static int at[sizeof before / sizeof *before];
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		at[i] = (int)i;
	return cr_make_param_array(int, at, sizeof at / sizeof *at);
}

ParameterizedTest(int *at, packed_constants, a_shared_copy_is_made_before_all_that_read_it)
{
	static char text[20000];
	struct lt_graph *lean;
	struct lt_looptree *t;
	write_steps(text, sizeof text, 5, 0, before[*at].nodes);
	strcat(text, "result \"e\" = %e\n");
	struct lt_graph *g = parsed(text);
	cr_assert_eq(lt__passes_run(g, NULL, NULL, &lean), LT_OK, "%s", lt_context_message(g->ctx));
	cr_assert_eq(lt_looptree_auto(lean, &machine, &t), LT_OK, "%s: %s", before[*at].what, lt_context_message(g->ctx));
	cr_expect_eq(copies_in(t).n, before[*at].n_copy, "%s: %d copies", before[*at].what, copies_in(t).n);
	lt_looptree_free(t);
	lt_graph_free(lean);
	compare(g, &(struct run_config){ .backends = "ref", .compile = compile_wide }, before[*at].what);
	parsed_free(g);
}

/* -- at random -- */

static const struct lt_target narrow = { .size = sizeof narrow, .name = "narrow", .vector_bytes = 16,
	.vector_registers = 16, .cores = 1, .l1_bytes = 4 << 10, .l2_bytes = 16 << 10 };
static const struct lt_target micro = { .size = sizeof micro, .name = "micro", .vector_registers = 8, .cores = 1 };

/* Copies for all readers of a constant that several nodes read. */
static int shared_in(const struct lt_looptree *t)
{
	const bool *constant = lt__constant_nodes(t->graph, t->arena);
	int count = 0;
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		int readers = 0;
		for (lt_node r = 0; constant[n] && t->graph->node[n].op == LT_OP_copy && r < t->graph->n_node; r++)
			for (int32_t k = 0; k < t->graph->node[r].n_operand; k++)
				readers += t->graph->node[r].operand[k] == n;
		count += readers > 1;
	}
	return count;
}

/* A nest of each node's class. */
static void try_classes(const struct lt_graph *g, const struct lt_target *const *target, int32_t n, uint64_t seed)
{
	int32_t *class = calloc((size_t)g->n_node + 1, sizeof *class);
	struct lt_looptree *t;
	uint64_t rng = seed;
	cr_assert(class);
	for (lt_node i = 0; i < g->n_node; i++)
		class[i] = (int32_t)random_between(&rng, 0, n - 1);
	cr_expect_eq(lt__looptree_auto_for(g, target, n, class, NULL, &t), LT_OK, "seed %llu: %s", (unsigned long long)seed,
		lt_context_message(g->ctx));
	lt_looptree_free(t);
	free(class);
}

/* Default trees for machines of each sort, and for several; some are run.  LT_SEED=N begins with another graph,
 * LT_GRAPHS=N draws another number of them. */
Test(packed_constants, random_readers_have_trees_on_every_sort_of_machine)
{
	static const struct lt_host host = { .size = sizeof host };
	static char text[RANDOM_PACKED_TEXT];
	const uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_GRAPHS", 60);
	struct lt_session *session;
	int n_shared = 0;
	cr_assert_eq(lt_backend_find("sim")->open(&host, "grid/groups", &session, NULL), LT_OK);
	const struct lt_target *const target[] = { &machine, &narrow, &micro, NULL,
		lt_backend_find("sim")->caps(session)->target };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_graph *lean, *lowered;
		char what[64];
		random_packed(seed, text);
		struct lt_graph *g = parsed(text);
		(void)snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
		cr_assert_eq(lt__passes_run(g, NULL, NULL, &lean), LT_OK, "%s: %s", what, lt_context_message(g->ctx));
		cr_assert_eq(lt__materialize(lean, &lowered), LT_OK, "%s: %s", what, lt_context_message(g->ctx));
		for (int i = 0; i < 5; i++) {
			struct lt_looptree *t;
			cr_assert_eq(lt_looptree_auto(lowered, target[i], &t), LT_OK, "%s, target %d: %s", what, i,
				lt_context_message(g->ctx));
			n_shared += i == 0 ? shared_in(t) : 0;
			lt_looptree_free(t);
		}
		try_classes(lowered, target, 5, seed);
		if (seed % 4 == 0)
			compare(g, &(struct run_config){ .backends = "ref", .compile = compile_wide }, what);
		lt_graph_free(lowered);
		lt_graph_free(lean);
		parsed_free(g);
	}
	cr_expect(n_shared > 0 || count < 20, "no copy is shared");
	lt_backend_find("sim")->close(session);
}

/* -- recurrent layers -- */

static const struct layer { const char *node; int gates; const char *rest; bool lengths, reset; } layers[] = {
	{ "LstmNode", 4, "forward", false, false },
	{ "LstmNode", 4, "bidirectional", true, false },
	{ "LstmNode", 4, "reverse", true, false },
	{ "GruNode", 3, "forward, linear_before_reset", false, false },
	{ "GruNode", 3, "bidirectional, linear_before_reset", true, false },
	{ "GruNode", 3, "bidirectional", true, true },
	{ "RnnNode", 1, "bidirectional", true, false },
};

static struct lt_graph *layer_graph(const struct layer *l, const char *dtype, int steps, int batch, int hidden)
{
	const int n = l->rest[0] == 'b' ? 2 : 1, in = 5;
	const bool lstm = l->gates == 4;
	char text[2000];
	struct lt_context *ctx;
	struct lt_graph *g;
	(void)snprintf(text, sizeof text, "x = InputTensor(x, %s, [%d, %d, %d]);\nw = ConstantTensor(w, %s, [%d, %d, %d]);\n"
		"r = ConstantTensor(r, %s, [%d, %d, %d]);\nb = ConstantTensor(b, %s, [%d, %d]);\nl = InputTensor(l, int32, [%d]);\n"
		"h = InputTensor(h, %s, [%d, %d, %d]);\np = ConstantTensor(p, %s, [%d, %d]);\n"
		"y = %s(x, w, r, b, %s, %s%s, %s, Y);\nz = %s(x, w, r, b, %s, %s%s, %s, %s);\nresult y = y;\nresult z = z;\n",
		dtype, steps, batch, in, dtype, n, l->gates * hidden, in, dtype, n, l->gates * hidden, hidden, dtype, n,
		2 * l->gates * hidden, batch, dtype, n, batch, hidden, dtype, n, 3 * hidden,
		l->node, l->lengths ? "l" : "0", batch % 2 ? "h" : "0", lstm ? ", 0, p" : "", l->rest,
		l->node, l->lengths ? "l" : "0", batch % 2 ? "h" : "0", lstm ? ", 0, p" : "", l->rest, lstm ? "Y_c" : "Y_h");
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, text, strlen(text), "layer", "script", &g), LT_OK, "%s\n%s", lt_context_message(ctx), text);
	return g;
}

/* A copy of w, one of r for each direction, and of a GRU's r two where its last gate is a product of its own: for any
 * number of steps. */
Test(packed_constants, steps_of_a_recurrence_share_their_weights)
{
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
		for (int steps = 3; steps <= 12; steps += 9) {
			struct lt_graph *g = layer_graph(&layers[i], "float32", steps, 1, 48), *lean;
			const int n = layers[i].rest[0] == 'b' ? 2 : 1;
			struct lt_looptree *t;
			cr_assert_eq(lt__passes_run(g, NULL, NULL, &lean), LT_OK, "%s", lt_context_message(g->ctx));
			cr_assert_eq(lt_looptree_auto(lean, &machine, &t), LT_OK, "%s", lt_context_message(g->ctx));
			const struct copies got = copies_in(t);
			cr_expect_eq(got.n, n * (layers[i].reset ? 3 : 2), "%s %s, %d steps: %d copies", layers[i].node,
				layers[i].rest, steps, got.n);
			cr_expect_eq(got.bytes, (int64_t)n * layers[i].gates * 48 * (48 + 5) * 4);
			lt_looptree_free(t);
			lt_graph_free(lean);
			parsed_free(g);
		}
}

Test(packed_constants, recurrent_layers_are_what_the_evaluator_says)
{
	static const char *const dtypes[] = { "float32", "float16", "float64" };
	static const int hidden[] = { 32, 37, 61 };
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
		for (int k = 0; k < 3; k++) {
			char what[200];
			const int batch = 1 + (int)(i + (size_t)k) % 4, h = hidden[(i + (size_t)k) % 3];
			struct lt_graph *g = layer_graph(&layers[i], dtypes[k], 4, batch, h);
			(void)snprintf(what, sizeof what, "%s %s, %s, %d sequences, %d elements", layers[i].node, layers[i].rest, dtypes[k],
				batch, h);
			compare(g, &by_ref, what);
			parsed_free(g);
		}
}

/* Linear layers of one and of a few rows, in each type that weights have. */
Test(packed_constants, linear_layers_are_what_the_evaluator_says)
{
	static const struct { const char *type, *sum; } types[] = { { "f32", "f32" }, { "f64", "f64" }, { "f16", "f32" },
		{ "bf16", "f32" }, { "i8", "i32" } };
	static const int n[] = { 1, 31, 40, 97, 130 };
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (size_t k = 0; k < sizeof n / sizeof *n; k++)
			for (int m = 1; m <= 3; m += 2) {
				char text[1000], what[100];
				const char *op = strcmp(types[i].type, types[i].sum) ? "cast" : "neg";
				(void)snprintf(text, sizeof text, "graph 1\nvar m %d\nvar k 67\nvar n %d\n%%a = %s[m, k] input \"a\"\n"
					"%%w = %s[n, k] constant \"w\"\n%%ac = %s[m, k] %s %%a\n%%wc = %s[n, k] %s %%w\n"
					"%%p = %s[m, k, n] mul %%ac, %%wc\n%%c = %s[m, n] add.reduce %%p\nresult \"y\" = %%c\n", m, n[k],
					types[i].type, types[i].type, types[i].sum, op, types[i].sum, op, types[i].sum, types[i].sum);
				(void)snprintf(what, sizeof what, "%s, %d rows, %d columns", types[i].type, m, n[k]);
				struct lt_graph *g = parsed(text);
				compare(g, &by_ref, what);
				parsed_free(g);
			}
}
