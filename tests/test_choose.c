/* test_choose.c -- several backends for a program: which takes what, trees rebuilt for the next one, and the
 * user's, which are not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "looptree/default/default.h"
#include "looptree/derive/derive.h"
#include "lt/lt.h"
#include "tests/device.h"
#include "tests/parsed.h"
#include "tests/random_product.h"
#include "tests/run_graph.h"

TestSuite(choose, .init = device_register, .timeout = 120);

static void close_graph(struct lt_graph *g)
{
	parsed_free(g);
	cr_assert_str_eq(device_one.wrong, "");
}

/* What the explanation says, a line a kernel: "k1_c devone", after it " | node: text: remedy" for each refusal. */
struct heard { char text[8192]; int kernels, refused, none; };
static void hear(void *user, const struct lt_explained *e)
{
	struct heard *h = user;
	size_t n = strlen(h->text);
	h->kernels++;
	h->refused += e->n_refusal > 0;
	h->none += !e->backend;
	if (n + 400 > sizeof h->text)
		return;
	n += (size_t)snprintf(h->text + n, sizeof h->text - n, "%.40s %.20s", e->kernel, e->backend ? e->backend : "none");
	for (uint32_t i = 0; i < e->n_refusal && n + 200 < sizeof h->text; i++)
		n += (size_t)snprintf(h->text + n, sizeof h->text - n, " | %.20s %%%.20s %.20s: %.60s: %.40s", e->refusal[i].backend,
			e->refusal[i].node ? e->refusal[i].node : "", e->refusal[i].loop ? e->refusal[i].loop : "", e->refusal[i].text,
			e->refusal[i].remedy ? e->refusal[i].remedy : "");
	(void)snprintf(h->text + n, sizeof h->text - n, "\n");
}

static lt_status compile(
	struct lt_graph *g, const char *backends, struct lt_options o, struct heard *h, struct lt_program **p)
{
	*h = (struct heard){ .kernels = 0 };
	o.size = sizeof o;
	o.backends = backends;
	o.explain = hear;
	o.user = h;
	return lt_compile(g->ctx, g, &o, p);
}

static char *tree_of(const struct lt_program *p)
{
	struct run_text x = { NULL, 0 };
	cr_assert_eq(lt_program_dump(p, LT_SHOW_TREE, run_text_add, &x), LT_OK);
	return x.at;
}

/* A sum along rows, one along columns, what comes after: three nests. */
#define NESTS \
	"graph 1\nvar m 64\nvar n 64\n%x = f32[m, n] input \"x\"\n%a = f32[m] add.reduce %x\n%e = f32[m] tanh %a\n%b " \
	"= f32[m, n] add %x, %e\n" \
	"%c = f32[n] max.reduce %b\n%d = f32[m, n] sub %x, %c\nresult \"d\" = %d\n"

Test(choose, a_refused_nest_gets_the_loops_of_the_next_backend)
{
	struct lt_graph *g = parsed(NESTS);
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	cr_assert(h.refused == 0 && !strstr(h.text, " ref"), "%s", h.text);
	char *whole = tree_of(p);
	cr_assert(strstr(whole, "vector"), "%s", whole);
	lt_program_free(p);
	/* ref has no vectors: its nest has none; the others have theirs still. */
	cr_assert_eq(compile(g, "devone:host;vector;refuse=max,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	char *tree = tree_of(p);
	cr_assert(h.refused == 1 && h.none == 0 && h.kernels > 1, "%s", h.text);
	struct run_text x = { NULL, 0 };
	cr_assert_eq(lt_program_dump(p, LT_SHOW_EXPLAIN, run_text_add, &x), LT_OK);
	cr_assert(strstr(x.at,
			  " -> ref\n  devone refuses it at %c: it has no operator max\n    nearest change: write it "
			  "with others\n"),
		"%s", x.at);
	run_text_free(&x);
	cr_assert(strstr(h.text, " ref | devone %c")
			&& strstr(h.text, ": it has no operator max: write it with others\n"),
		"%s", h.text);
	cr_assert_str_neq(whole, tree);
	cr_assert(strstr(tree, "vector"), "%s", tree);
	free(whole);
	free(tree);
	lt_program_free(p);
	close_graph(g);
}

static const char *root_text(char *tree, const char *leaf)
{
	static char text[4096];
	char *rest = NULL, *nest = NULL;
	text[0] = '\0';
	for (char *line = strtok_r(tree, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (line[0] != ' ') {
			if (nest)
				break;
			text[0] = '\0';
		}
		strcat(strcat(text, line), "\n");
		if (strstr(line, leaf))
			nest = line;
	}
	return text;
}

/* A backend without vectors after one with: no loop of its nest is a vector's. */
Test(choose, nests_fit_their_backend)
{
	struct lt_graph *g = parsed(NESTS);
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector;refuse=max,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	char *tree = tree_of(p), copy[8192];
	snprintf(copy, sizeof copy, "%s", tree);
	const char *nest = root_text(copy, " %c");
	cr_assert(*nest && !strstr(nest, "vector"), "%s\nof\n%s", nest, tree);
	snprintf(copy, sizeof copy, "%s", tree);
	nest = root_text(copy, " %d");
	cr_assert(strstr(nest, "vector"), "%s\nof\n%s", nest, tree);
	free(tree);
	lt_program_free(p);
	close_graph(g);
}

Test(choose, the_users_tree_is_never_rebuilt)
{
	struct lt_graph *g = parsed(NESTS);
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	char *tree = tree_of(p), *again;
	lt_program_free(p);
	const struct lt_options given = { .schedule = tree, .schedule_bytes = strlen(tree) };
	cr_assert_eq(compile(g, "devone:host;vector;refuse=max,ref", given, &h, &p), LT_OK, "%s", lt_context_message(g->ctx));
	again = tree_of(p);
	cr_assert_str_eq(tree, again);
	cr_assert(h.refused == 1 && strstr(h.text, " ref | devone %c"), "%s", h.text);
	lt_program_free(p);
	free(again);
	free(tree);
	close_graph(g);
}

Test(choose, nobody_takes_it)
{
	struct lt_graph *g = parsed(NESTS);
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;refuse=max,devtwo:host;refuse=sub", (struct lt_options){ 0 }, &h, &p),
		LT_OK, "%s", lt_context_message(g->ctx));
	lt_program_free(p);
	cr_assert_eq(compile(g, "devone:host;refuse=max,devtwo:host;refuse=max", (struct lt_options){ 0 }, &h, &p),
		LT_EUNSUPPORTED);
	cr_assert_null(p);
	cr_assert(h.none == 1 && strstr(h.text, " none | devone %c") && strstr(h.text, " | devtwo %c"), "%s", h.text);
	const char *say = lt_context_message(g->ctx);
	cr_assert(strstr(say,
			  ": devone refuses it at %c: it has no operator max: write it with others; devtwo refuses it "
			  "at %c: "),
		"%s", say);
	cr_assert_eq(compile(g, "devone:host;refuse=max,ref", (struct lt_options){ .strict = 1 }, &h, &p), LT_EUNSUPPORTED);
	say = lt_context_message(g->ctx);
	cr_assert(strstr(say, " (strict: the other backends are not asked)") && h.none == 1, "%s\n%s", say, h.text);
	cr_assert_eq(compile(g, "devone:host,ref", (struct lt_options){ .strict = 1 }, &h, &p), LT_OK);
	lt_program_free(p);
	close_graph(g);
}

/* What the caps tell is not asked for. */
Test(choose, caps_refuse_before_the_backend_is_asked)
{
	struct lt_graph *g = parsed(NESTS);
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector;loops=serial", (struct lt_options){ 0 }, &h, &p), LT_EUNSUPPORTED);
	cr_assert(strstr(h.text, ": it has no vector loops: make loop "), "%s", h.text);
	cr_assert_eq(device_one.asked, 0);
	cr_assert_eq(compile(g, "devone:host;vector;loops=serial,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	lt_program_free(p);
	/* float32 is bit 1. */
	cr_assert_eq(compile(g, "devone:host;dtypes=0x4,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	cr_assert(h.refused == h.kernels && strstr(h.text, "it does not take elements of f32: cast x to a type that it has"),
		"%s", h.text);
	cr_assert_eq(device_one.asked, 0);
	lt_program_free(p);
	close_graph(g);
}

/* Weights whose pairs are swapped: a copy with a division, which needs a kernel. */
#define PAIRS(w) \
	"%" w "0 = f32[n, k] constant \"" w "\"\n%" w " = f32[n, k] view { %" w "0[n, 4*floor(k / 2) + 1 - k] }\n"

/* A weight's packed copy is in a nest of its own, which has nodes of the tree's only: what reads it moves on with
 * it. */
Test(choose, a_refused_copy_takes_its_product_along)
{
	struct lt_graph *g = parsed(
		"graph 1\nvar m 48\nvar n 40\nvar k 56\n%x = f32[m, k] input \"x\"\n" PAIRS("w")
		"%q = f32[m, n] input \"q\"\n%p = f32[m, n, k] mul %x, %w\n%y = f32[m, n] add.reduce %p\n%z = f32[m, "
		"n] add %y, %q\n%s = f32[m] max.reduce %q\n"
		"result \"z\" = %z\nresult \"s\" = %s\n");
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	char *tree = tree_of(p);
	cr_assert(strstr(tree, "copy"), "the tree packs: %s", tree);
	free(tree);
	lt_program_free(p);
	cr_assert_eq(compile(g, "devone:host;vector;refuse=copy,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	/* No nest with a copy, and none that reads one, is left to it. */
	cr_assert(strstr(h.text, "it has no operator copy") && strstr(h.text, "_z ref | devone %y.right"), "%s", h.text);
	cr_assert(!strstr(h.text, "_p "), "a product is not torn apart: %s", h.text);
	cr_assert(!strstr(h.text, "right ref\n"), "why its own nest moved is told, too: %s", h.text);
	cr_assert(!strstr(h.text, "right devone") && !strstr(h.text, "y devone") && !strstr(h.text, "out devone")
		&& strstr(h.text, "_s devone\n"), "%s", h.text);
	lt_program_free(p);
	close_graph(g);
}

/* Weights as they are need no kernel to be packed: no backend is asked, and their product stays. */
Test(choose, a_copy_without_a_kernel_is_refused_by_nobody)
{
	struct lt_graph *g = parsed(
		"graph 1\nvar m 48\nvar n 40\nvar k 56\n%x = f32[m, k] input \"x\"\n%w = f32[n, k] constant \"w\"\n"
		"%q = f32[m, n] input \"q\"\n%p = f32[m, n, k] mul %x, %w\n%y = f32[m, n] add.reduce %p\n"
		"%z = f32[m, n] add %y, %q\nresult \"z\" = %z\n");
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector;refuse=copy,ref", (struct lt_options){ 0 }, &h, &p), LT_OK, "%s",
		lt_context_message(g->ctx));
	cr_assert(h.refused == 0 && strstr(h.text, "_y_right host\n") && !strstr(h.text, " ref"), "%s", h.text);
	lt_program_free(p);
	close_graph(g);
}

/* A copy that the second backend refuses takes along what reads it there; a product of the first, with a copy of its
 * own, stays. */
Test(choose, a_refused_copy_takes_nothing_else_along)
{
	struct lt_graph *g = parsed(
		"graph 1\nvar m 48\nvar n 40\nvar k 56\n%x = f32[m, k] input \"x\"\n" PAIRS("w")
		"%q = f32[m, n] input \"q\"\n%p = f32[m, n, k] mul %x, %w\n%y = f32[m, n] add.reduce %p\n%z = f32[m, "
		"n] max %y, %q\n"
		PAIRS("v") "%o = f32[m, n, k] mul %x, %v\n%u = f32[m, n] add.reduce %o\n%t = "
		"f32[m, n] sub %u, %q\n"
		"result \"z\" = %z\nresult \"t\" = %t\n");
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector;refuse=max,devtwo:host;vector;refuse=copy,ref",
			     (struct lt_options){ 0 }, &h, &p),
		LT_OK, "%s", lt_context_message(g->ctx));
	cr_assert(strstr(h.text, "_z ref | devone %z") && strstr(h.text, "devtwo %y.right"), "%s", h.text);
	cr_assert(strstr(h.text, "u_right devone\n") && strstr(h.text, "_t devone\n"), "%s", h.text);
	lt_program_free(p);
	close_graph(g);
}

/* A product whose sum is stored by a copy, which a nest of another backend reads: why that one was refused is its own
 * matter. */
Test(choose, what_a_reader_was_refused_for_is_not_told_of_a_product)
{
	struct lt_graph *g = parsed(
		"graph 1\nvar m 48\nvar n 40\nvar k 56\n%x = f32[m, k] input \"x\"\n%w = f32[n, k] constant \"w\"\n"
		"%p = f32[m, n, k] mul %x, %w\n%y = f32[m, n] add.reduce %p\n%t = f32[n] mul.reduce %y\nresult \"t\" = "
		"%t\n");
	struct lt_program *p;
	struct heard h;
	cr_assert_eq(compile(g, "devone:host;vector;refuse=mul,devtwo:host;vector", (struct lt_options){ 0 }, &h, &p),
		LT_OK, "%s", lt_context_message(g->ctx));
	cr_assert(strstr(h.text, "y_out devtwo | devone %p : it has no operator mul: write it with others\n"), "%s", h.text);
	cr_assert(strstr(h.text, "t_out devtwo | devone %t") && device_two.wrong[0] == '\0', "%s", h.text);
	lt_program_free(p);
	close_graph(g);
}

/* ---- the tree of several targets ---- */

/* Who the tree's derived nodes are for: the reader of a copy or clone, the value that is stored, the sum of partial
 * ones; through each other. */
Test(choose, own_nodes_are_for_what_they_are_made_for)
{
	static const struct lt_derived_step step[] = {
		{ .kind = LT_DERIVED_COPY, .made = "c", .of = "w", .reader = "p" },
		{ .kind = LT_DERIVED_COPY, .made = "d", .of = "c", .reader = "p" },
		{ .kind = LT_DERIVED_PARTIAL, .made = "part", .of = "y", .var = "k", .step = 4, .dim = "k_4" },
		{ .kind = LT_DERIVED_MATERIALIZE, .made = "out", .of = "y" },
		{ .kind = LT_DERIVED_COPY, .made = "o", .of = "out", .reader = "u" },
		{ .kind = LT_DERIVED_CLONE, .made = "e2", .of = "e", .reader = "t" },
		{ .kind = LT_DERIVED_MATERIALIZE, .made = "end", .of = "t" },
	};
	static const struct {
		const char *node, *base;
	} want[] = { { "p", "p" }, { "y", "y" }, { "e", "e" }, { "c", "p" }, { "d", "p" }, { "part", "y" },
		{ "out", "y" }, { "o", "u" }, { "e2", "t" }, { "end", "t" } };
	struct lt_graph *g =
		parsed("graph 1\nvar m 6\nvar n 5\nvar k 9\n%x = f32[m, k] input \"x\"\n%w = f32[n, k] constant \"w\"\n"
		       "%q = f32[m, n] input \"q\"\n%e = f32[m, n] exp %q\n%p = f32[m, n, k] mul %x, %w\n%y = f32[m, "
		       "n] add.reduce %p\n%t = f32[m, n] mul %y, %e\n"
		       "%u = f32[m, n] sub %y, %e\nresult \"t\" = %t\nresult \"u\" = %u\n");
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_new(g, &t), LT_OK);
	cr_assert_eq(lt__tree_derive(t, step, (int32_t)(sizeof step / sizeof *step), NULL), LT_OK, "%s",
		lt_context_message(g->ctx));
	const lt_node *base = lt__tree_bases(t, t->arena);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		lt_node n = lt__tree_node_named(t, want[i].node);
		cr_assert(n >= 0 && base[n] >= 0, "%s", want[i].node);
		cr_expect_str_eq(g->node[base[n]].name, want[i].base, "%s is for %s", want[i].node, g->node[base[n]].name);
	}
	lt_looptree_free(t);
	close_graph(g);
}

static void check_classes(const struct lt_looptree *t, const struct lt_graph *g, const int32_t *class, uint64_t seed)
{
	const lt_node *base = lt__tree_bases(t, t->arena);
	int32_t of_root = -1, leaves = 0, want = 0;
	for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at)) {
		if (lt_looptree_parent(t, at) < 0)
			of_root = -1;
		if (lt_looptree_kind(t, at) != LT_TLEAF)
			continue;
		lt_node n = lt_looptree_leaf(t, at);
		cr_assert(base[n] >= 0, "seed %llu: %%%s is for nobody", (unsigned long long)seed, t->graph->node[n].name);
		leaves += !strcmp(t->graph->node[n].name, g->node[base[n]].name);
		cr_assert(of_root < 0 || of_root == class[base[n]],
			"seed %llu: a nest has nodes of two classes, at %%%s", (unsigned long long)seed,
			t->graph->node[n].name);
		of_root = class[base[n]];
	}
	for (lt_node n = 0; n < g->n_node; n++)
		want += lt__has_leaf(g, n);
	/* One that only clones of it were read for is gone. */
	cr_assert(leaves <= want && leaves >= want - 4, "seed %llu: %d leaves of %d", (unsigned long long)seed, leaves, want);
}

/* A tree of three targets, of which one has a routine, with classes drawn at random. */
static void try_classes(struct lt_context *ctx, const struct lt_graph *g, uint64_t seed, int32_t *calls)
{
	static const struct lt_routine gemm = { .name = "gemm", LT_PATTERN_PRODUCT, 63, ~UINT64_C(0), ~UINT64_C(0),
		~UINT64_C(0), 0, 0, LT_F64, LT_LAYOUT_ANY | LT_LAYOUT_BATCH | LT_LAYOUT_BOUNDED, 0 };
	static const struct lt_target wide = { .size = sizeof wide,
		.name = "wide",
		.vector_bytes = 64,
		.vector_registers = 32,
		.cores = 4,
		.cache_line = 64,
		.l1_bytes = 32 << 10,
		.l2_bytes = 1 << 20,
		.l3_bytes = 8 << 20 },
				      narrow = { .size = sizeof narrow,
					      .name = "narrow",
					      .vector_bytes = 16,
					      .vector_registers = 8,
					      .cores = 1,
					      .cache_line = 64,
					      .l1_bytes = 4 << 10,
					      .l2_bytes = 16 << 10,
					      .routines = { &gemm, 1, sizeof gemm } };
	const struct lt_target *const target[] = { &wide, &narrow, NULL };
	struct lt_looptree *t;
	uint64_t rng = seed * 77;
	int32_t *class = calloc((size_t)g->n_node + 1, sizeof *class),
		all = random_chance(&rng, 50) ? (int32_t)random_between(&rng, 0, 2) : -1;
	for (lt_node n = 0; n < g->n_node; n++)
		class[n] = all >= 0 && !random_chance(&rng, 15) ? all : (int32_t)random_between(&rng, 0, 2);
	cr_assert_eq(lt__looptree_auto_for(g, target, 3, class, NULL, &t), LT_OK, "seed %llu: %s", (unsigned long long)seed,
		lt_context_message(ctx));
	check_classes(t, g, class, seed);
	if (seed % 10 == 0)
		cr_assert_eq(lt_looptree_verify(t), LT_OK, "seed %llu: %s", (unsigned long long)seed, lt_context_message(ctx));
	for (lt_tnode at = 0; at < t->n_node; at++)
		*calls += t->node[at].loop == LT_CALL;
	lt_looptree_free(t);
	free(class);
}

Test(choose, no_nest_has_nodes_of_two_classes)
{
	int32_t calls = 0;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct lt_context *ctx;
		struct random_graph r;
		struct lt_graph *products;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_graph_new(ctx, seed,
			&(struct random_options){ .n_node = 5 + (int32_t)(seed % 40),
				.views = true,
				.params = true,
				.states = true,
				.composites = true },
			&r);
		try_classes(ctx, r.g, seed, &calls);
		random_graph_free(&r);
		random_product(ctx, seed, &products);
		try_classes(ctx, products, seed, &calls);
		lt_graph_free(products);
		lt_context_free(ctx);
	}
	cr_expect_gt(calls, 10, "%d calls", (int)calls);
}

/* ---- long graphs ---- */

/* A chain in which every fourth link cannot be fused with the next, and each of these nests is refused: all of them
 * move at once, so that the number of questions does not grow with the chain. */
static void chain(int links)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct heard h;
	char *text = malloc((size_t)links * 80 + 256);
	size_t n = (size_t)sprintf(text, "graph 1\nvar m 4\nvar n 4\n%%x = f32[m, n] input \"x\"\n");
	const char *last = "x";
	static char name[2][32];
	for (int i = 0; i < links; i++) {
		n += (size_t)sprintf(text + n, "%%s%d = f32[%s] %s.reduce %%%s\n%%y%d = f32[m, n] sub %%%s, %%s%d\n", i,
			i % 2 ? "m" : "n", i % 8 == 5 ? "max" : "add", last, i, last, i);
		sprintf(name[i % 2], "y%d", i);
		last = name[i % 2];
	}
	sprintf(text + n, "result \"r\" = %%%s\n", last);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "chain", &g), LT_OK, "%s", lt_context_message(ctx));
	device_register();
	cr_assert_eq(compile(g, "devone:host;refuse=max,ref", (struct lt_options){ .plan_only = 1 }, &h, &p), LT_OK,
		"%s", lt_context_message(ctx));
	cr_assert(h.refused >= links / 8 && h.refused < h.kernels, "%d of %d kernels", h.refused, h.kernels);
	cr_assert_leq(device_one.asked, 64, "equal nests are asked for once: %lld", (long long)device_one.asked);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
}

Test(choose, rebuilding_stays_linear)
{
	chain(750);
	chain(3000);
}
