/* test_frozen_tails.c -- what freezing makes of tails and layouts: loops, bounds, guards, buffers; and what it
 * refuses. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "program/run/run.h"
#include "tests/parsed.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(frozen_tails, .timeout = 300);
TestSuite(more_frozen_tails, .timeout = 300);

#define POINTWISE(m) "graph 1\nvar m " #m "\n%x = f32[m] input \"x\"\n%y = f32[m] neg %x\nresult \"y\" = %y\n"
#define CHAIN "graph 1\nvar m 41\n%x = f32[m] input \"x\"\n%y = f32[m] neg %x\n%z = f32[m] exp %y\nresult \"z\" = %z\n"
#define SUM "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%y = f32[] add.reduce %x\nresult \"y\" = %y\n"
#define BOUNDED \
	"graph 1\nvar m 41 limit p\nvar one 1\nparam p = %pos[0] in 0..41\n%pos = i64[one] input \"pos\"\n%x = " \
	"f32[m] input \"x\"\n" \
	"%y = f32[m] neg %x\nresult \"y\" = %y\n"
#define PRODUCT \
	"graph 1\nvar m 10\nvar k 11\nvar n 9\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%e = f32[k, " \
	"n] copy %b\n" \
	"%p = f32[m, n, k] mul %a, %e\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"

struct nest { struct lt_graph *g; struct lt_program *p; const struct lt_tree *t; };

/* Indices of gathers are within their axis. */
static void fill(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	tree_fill(graph, run, n, out);
	for (int64_t i = 0; g->node[n].dtype == LT_I64 && g->n_param == 0 && i < lt__node_elems(g, n); i++)
		((int64_t *)out)[i] = (((int64_t *)out)[i] + 20) % 14;
}

/* Freezes, and runs on both backends against the oracle. */
static struct nest open_nest(const char *graph, const char *tree)
{
	static const char *const backends[] = { "ref", "cpu" };
	struct nest x = { .g = parsed(graph) };
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	cr_assert_eq(tree_compile_marked((void *)(uintptr_t)tree, x.g, &options, &x.p), LT_OK, "%s\n%s",
		lt_context_message(x.g->ctx), tree);
	x.t = &x.p->nests.frozen[0].tree;
	for (int i = 0; i < 2; i++) {
		struct run_config config = {
			.backends = backends[i], .compile = tree_compile_marked, .user = (void *)(uintptr_t)tree
		};
		struct run_tally tally = { 0 };
		struct run_want want;
		char why[1000] = "";
		run_want_new(x.g, 3, fill, x.g, &want);
		cr_assert_eq(want.status, LT_OK, "%s", want.message);
		run_compare(&want, x.g, &config, NULL, NULL, &tally, why, sizeof why);
		run_want_free(&want);
		cr_assert_str_eq(why, "", "%s\n%s", why, tree);
	}
	return x;
}

static void close_nest(struct nest *x)
{
	lt_program_free(x->p);
	parsed_free(x->g);
}

/* "m3 m'5 m''3": loops in order with their trips; '+base', '?' with bounds, '!' where lanes may be off. */
static const char *loops_of(const struct nest *x)
{
	static _Thread_local char text[2000];
	size_t n = 0;
	text[0] = '\0';
	for (int32_t i = 0; i < x->t->n_loop; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, x->t->loops, i);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%lld", i ? " " : "", l->var, (long long)l->max_trip_count);
		if (l->base)
			n += (size_t)snprintf(text + n, sizeof text - n, "+%lld", (long long)l->base);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", l->n_bound ? "?" : "", l->tail == LT_MASK ? "!" : "");
	}
	return text;
}

static int guards_of(const struct nest *x, const char *name, int kind)
{
	int n = 0;
	for (uint32_t i = 0; i < x->t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, x->t->stmts, i);
		if (!strcmp(s->name, name) && s->kind == kind)
			n += s->n_guard;
	}
	return n;
}

/* Pieces of the operands of a node's statements beyond one each. */
static int pieces_of(const struct nest *x, const char *name)
{
	int n = 0;
	for (uint32_t i = 0; i < x->t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, x->t->stmts, i);
		for (int32_t k = 0; k < s->n_operand && !strcmp(s->name, name); k++)
			n += LT_AT(struct lt_operand, x->t->operands, s->first_operand + k)->n_piece - 1;
	}
	return n;
}

/* Elements of the buffers of that name, one after the other. */
static const char *elems_of(const struct nest *x, const char *name)
{
	static _Thread_local char text[200];
	size_t n = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < x->t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, x->t->buffers, i);
		if (!strcmp(b->name, name))
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld", n ? " " : "", (long long)b->elems);
	}
	return text;
}

/* 41 in steps 13, 3, 1: the third loop covers 3, 1 or 2 elements. */
static const struct { const char *tree, *loops; int guards; } steps[] = {
	{ "m step 13\n m step 3\n  m\n   %y\n", "m4 m'5? m''3?", 0 },
	{ "m step 13  tail peel\n m step 3  tail peel\n  m\n   %y\n", "m3 m'4 m''3 m'1+12 m''1 m1+39 m'1 m''2", 0 },
	{ "m step 13  tail peel\n m step 3\n  m\n   %y\n", "m3 m'5 m''3? m1+39 m'1 m''2", 0 },
	{ "m step 13\n m step 3  tail peel\n  m unroll\n   %y\n", "m4 m'4? m''3 m'1+12? m''1 m'1? m''2", 0 },
	{ "m step 13  tail mask\n m step 3  tail mask\n  m vector\n   %y\n", "m4 m'5? m''3?!", 0 },
	{ "m step 13  tail mask\n m step 3  tail mask\n  m unroll\n   %y\n", "m4 m'5? m''3", 2 },
	{ "m step 13  tail pad\n m step 3  tail pad\n  m vector\n   %y\n", "m4 m'5 m''3", 2 },
	{ "m step 13\n m step 3  tail pad\n  m unroll\n   %y\n", "m4 m'5? m''3", 2 },
	{ "m step 13  tail pad\n m step 13\n  m vector\n   %y\n", "m4 m'1 m''13", 1 },
	/* all trips are whole, though the steps do not divide each other */
	{ "m step 41  tail peel\n m step 41  tail mask\n  m vector\n   %y\n", "m1 m'1 m''41", 0 },
	/* a step beyond the extent is one trip, and all of it is computed where it is padded */
	{ "m step 50  tail peel\n m unroll\n  %y\n", "m1 m'41", 0 },
	{ "m step 50  tail pad\n m unroll\n  %y\n", "m1 m'50", 1 },
	/* the own last trip of an unrolled loop */
	{ "m step 4 unroll  tail peel\n m vector\n  %y\n", "m10 m'4 m1+40 m'1", 0 },
	{ "m step 4 unroll  tail mask\n m vector\n  %y\n", "m11 m'4?!", 0 },
};

Test(frozen_tails, loops_of_every_tail)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct nest x = open_nest(POINTWISE(41), steps[i].tree);
		cr_expect_str_eq(loops_of(&x), steps[i].loops, "%s%s\nnot %s", steps[i].tree, loops_of(&x), steps[i].loops);
		cr_expect_eq(guards_of(&x, "y", LT_MAP), steps[i].guards, "%s%d", steps[i].tree, guards_of(&x, "y", LT_MAP));
		cr_expect_eq((x.t->needs & LT_NEED_GUARDED) != 0, steps[i].guards > 0);
		close_nest(&x);
	}
}

/* What is left of an iteration a run-time scalar says: each number of it has a copy, or all have one. */
static const struct { const char *tree, *loops; int guards; } counted[] = {
	{ "m step 4\n m step 4  tail peel\n  m unroll\n   %y\n",
		"m11? m'1? m''4 m'1? m''3 m'1? m''2 m'1? m''1", 0 },
	{ "m step 12\n m step 4\n  m step 4  tail peel\n   m vector\n    %y\n",
		"m4? m'3? m''1? m'''4 m''1? m'''3 m''1? m'''2 m''1? m'''1", 0 },
	{ "m step 16\n m step 16  tail peel\n  m step 8 unroll\n   m vector\n    %y\n",
		"m3? m'1? m''2 m'''8 m'1? m''2 m'''8?!", 0 },
	{ "m step 50\n m step 50  tail peel\n  m\n   %y\n", "m1? m'1? m''41 m'1? m''41?", 0 },
};

Test(frozen_tails, what_is_left_may_be_counted_at_run_time)
{
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		struct nest x = open_nest(BOUNDED, counted[i].tree);
		cr_expect_str_eq(loops_of(&x), counted[i].loops, "%s%s\nnot %s", counted[i].tree, loops_of(&x), counted[i].loops);
		cr_expect_eq(guards_of(&x, "y", LT_MAP), counted[i].guards, "%s%d", counted[i].tree, guards_of(&x, "y", LT_MAP));
		close_nest(&x);
	}
}

/* Equal except for a guard: not the same kernel. */
Test(frozen_tails, the_canonical_text_tells_guards)
{
	struct nest x = open_nest(POINTWISE(41), "m step 6  tail pad\n m\n  %y\n"),
		    y = open_nest(POINTWISE(42), "m step 6  tail pad\n m\n  %y\n");
	cr_assert_eq(guards_of(&x, "y", LT_MAP), 1);
	cr_assert_eq(guards_of(&y, "y", LT_MAP), 0);
	cr_assert_not_null(strstr(x.t->text, " ?(40 1:-6 2:-1)"), "%s", x.t->text);
	close_nest(&x);
	close_nest(&y);
}

/* What lives in a copy has a buffer of its size there; what lives outside is shared by the copies. */
Test(frozen_tails, buffers_of_copies)
{
	struct nest x = open_nest(CHAIN, "m step 13  tail peel\n m\n  %y\n m\n  %z\n");
	cr_expect_str_eq(elems_of(&x, "y"), "13 2");
	close_nest(&x);
	x = open_nest(CHAIN, "m step 13\n m step 4  tail peel\n  m\n   %y\n m\n  %z\n");
	cr_expect_str_eq(elems_of(&x, "y"), "13");
	close_nest(&x);
	x = open_nest(CHAIN, "m step 13  tail pad\n m\n  %y\n m\n  %z\n");
	cr_expect_str_eq(elems_of(&x, "y"), "13");
	cr_expect_eq(guards_of(&x, "y", LT_MAP), 0);
	cr_expect_eq(pieces_of(&x, "y"), 1);            /* x has no cells past its end */
	cr_expect_eq(pieces_of(&x, "z"), 0);
	close_nest(&x);
	/* made larger outside the padded loops; a reader with another step that does not divide the writer's has guards */
	x = open_nest(CHAIN, "m step 13\n m step 4  tail pad\n  m\n   %y\n m step 4  tail pad\n  m\n   %z\n");
	cr_expect_str_eq(elems_of(&x, "y"), "16");
	cr_expect_eq(guards_of(&x, "y", LT_MAP), 0);
	cr_expect_eq(pieces_of(&x, "z"), 0);
	close_nest(&x);
}

Test(frozen_tails, a_reset_is_peeled_as_its_loops_are)
{
	struct nest x = open_nest(PRODUCT,
		"k\n n\n  %e\nm step 4  tail peel\n k step 4  tail peel\n  m\n   k\n    n step 4  tail peel\n     n\n  "
		"    %p\n      %c\n");
	int resets = 0;
	x.t = &x.p->nests.frozen[1].tree;
	for (uint32_t i = 0; i < x.t->stmts.n; i++)
		resets += LT_AT(struct lt_stmt, x.t->stmts, i)->kind == LT_RESET;
	/* whole and rest of m, times those of n; k is reset once, before its copies */
	cr_expect_eq(resets, 4, "%d", resets);
	cr_expect_eq(x.t->stmts.n, 4u + 2 * 8u);
	for (int32_t i = 0; i < x.t->n_loop; i++)
		cr_expect_eq(LT_AT(struct lt_loop, x.t->loops, i)->n_bound, 0);
	close_nest(&x);
}

/* A packed operand holds zeros past the end of both of its dims: the loops over it have no guards, only the store
 * has. */
Test(frozen_tails, a_packed_and_padded_product)
{
	struct nest x = open_nest(PRODUCT,
		"k step 8  tail pad\n n step 4  tail pad\n  k\n   n\n    %e layout [n/4 k n]\nm\n n step 4  tail pad\n"
		"  k step 8  tail pad\n   k\n    n vector\n     %p\n     %c\n");
	cr_expect_str_eq(elems_of(&x, "e"), "192");     /* 12 by 16 */
	cr_expect_eq(guards_of(&x, "e", LT_MAP), 0);
	cr_expect_eq(pieces_of(&x, "e"), 1);
	cr_expect_eq(x.t->n_div, 0);
	x.t = &x.p->nests.frozen[1].tree;
	cr_expect_eq(pieces_of(&x, "p"), 1);            /* a is not packed */
	cr_expect_eq(guards_of(&x, "c", LT_REDUCE), 1);
	cr_expect_eq(guards_of(&x, "c", LT_RESET), 1);
	cr_expect_eq(x.t->n_div, 0);
	close_nest(&x);
}

/* -- layouts -- */

#define WINDOW \
	"graph 1\nvar m 14\nvar n 9\n%x = f32[m, n] input \"x\"\n%y = f32[m, n] neg %x\n" \
	"%v = f32[m, n] view { %y[m - 1, n + 2] if m - 1 >= 0, 6 - n >= 0; else 3 }\n%z = f32[m, n] add %y, " \
	"%v\nresult \"z\" = %z\n"
#define GATHER \
	"graph 1\nvar q 5\nvar m 14\nvar n 9\n%i = i64[q] input \"i\"\n%x = f32[m, n] input \"x\"\n%y = f32[m, n] " \
	"neg %x\n" \
	"%z = f32[q, n] gather %y, %i axis 0\nresult \"z\" = %z\n"

static const struct { const char *graph, *tree, *elems; int32_t n_div; } layouts[] = {
	{ CHAIN, "m\n %y layout [m]\nm\n %z\n", "41", 0 },
	{ CHAIN, "m\n %y layout [m/8 m] pad 3\nm\n %z\n", "66", 1 },
	{ CHAIN, "m step 8\n m\n  %y layout [m/8 m]\nm\n %z\n", "48", 0 },
	{ CHAIN, "m step 16\n m step 8\n  m step 2\n   m\n    %y layout [m/8 m/2 m] pad 1\n m step 4\n  m\n   %z\n", "24", 1 },
	{ WINDOW, "m\n n\n  %y layout [n/4 m n]\nm\n n\n  %z\n", "168", -1 },
	{ WINDOW, "m\n n\n  %y layout [m n/4 pad 2 n] pad 1\nm\n n\n  %z\n", "238", -1 },
	{ WINDOW, "m\n n step 4\n  n\n   %y layout [n m/2 m]\nm\n n\n  %z\n", "126", -1 },
};

Test(frozen_tails, layouts_are_rows_without_divisions_where_loops_nest)
{
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		struct nest x = open_nest(layouts[i].graph, layouts[i].tree);
		cr_expect_str_eq(elems_of(&x, "y"), layouts[i].elems, "%s: %s", layouts[i].tree, elems_of(&x, "y"));
		if (layouts[i].n_div >= 0)
			cr_expect_eq(x.t->n_div, layouts[i].n_div, "%s: %d", layouts[i].tree, x.t->n_div);
		close_nest(&x);
	}
}

/* -- refusals -- */

static const struct { const char *graph, *tree, *why;
} refused[] = {
	{ BOUNDED, "m step 4  tail peel\n m\n  %y\n",
		"the extent of m depends on a run-time scalar, so the loop m has no "
		"fixed remainder to peel; put another loop over m in steps of 4 right around it, or choose guard, mask or pad" },
	{ BOUNDED, "m step 8\n m step 4  tail peel\n  m\n   %y\n",
		"the extent of m depends on a run-time scalar, so the loop m' has no "
		"fixed remainder to peel; put another loop over m in steps of 4 right around it, or choose guard, mask or pad" },
	{ BOUNDED, "m step 10\n m step 4\n  m step 4  tail peel\n   m\n    %y\n",
		"the loop m'' is peeled, and a run-time scalar says how much of m is left; so the steps of the loops around it "
		"have to be multiples of those inside, but 10 is none of 4" },
	{ POINTWISE(41), "m step 13\n m unroll\n  %y\n",
		"the unroll loop m' has to have a constant extent, but the last "
		"iteration of m covers 2 of 13 and its tail is guard; give that tail peel, mask or pad first, or a "
		"step that "
		"divides" },
	{ POINTWISE(41), "m step 2000000  tail pad\n m\n  %y\n",
		"the loop m would pad the 41 elements of m to 2000000; choose a smaller step" },
	{ "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%h = f32[k] exp %x\n%y = f32[] add.reduce %h\nresult \"y\" = "
	  "%y\n",
		"k step 4  tail pad\n k\n  %h\n  %y\n",
		"the loop k cannot be padded: %y reduces over k, and what %h is past the end is not known to be the "
		"identity; compute that outside of the loop (`fission`), or give the loop tail guard, peel or mask" },
	/* infinity times 0 is no 0 */
	{ "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%f = f32[] input \"f\"\n%h = f32[k] mul %x, %f\n%y = f32[] "
	  "add.reduce %h\nresult \"y\" = %y\n",
		"k step 4  tail pad\n k\n  %h\n  %y\n",
		"the loop k cannot be padded: %y reduces over k, and what %h is past the end is not known to be the "
		"identity; compute that outside of the loop (`fission`), or give the loop tail guard, peel or mask" },
	{ GATHER, "m\n n\n  %y layout [m/4 n m]\nq\n n\n  %z\n",
		"the layout of %y cuts the axis m, along which it is gathered, into digits; leave that dim whole" },
};

Test(frozen_tails, what_is_refused)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct lt_graph *g = parsed(refused[i].graph);
		struct lt_program *p;
		const struct lt_options options = { .size = sizeof options, .backends = "ref" };
		lt_status st = tree_compile_marked((void *)(uintptr_t)refused[i].tree, g, &options, &p);
		cr_expect(st == LT_EILLEGAL || st == LT_EUNSUPPORTED, "%s: %s", refused[i].tree, lt_status_name(st));
		cr_expect_str_eq(lt_context_message(g->ctx), refused[i].why);
		lt_program_free(p);
		parsed_free(g);
	}
}

/* Partial results are no product: what is named is what the sum reads and, where their dim is counted by a loop over
 * another var, that loop. What the message says helps. */
Test(frozen_tails, what_is_reduced_past_the_end_is_named_with_a_way_out)
{
	static const struct { const char *steps, *out, *why;
	} cases[] = {
		{ "split k 2; rfactor %c k; fission %p k; split %c.part/k 4; tail %c.part/k pad",
			"split k 2; rfactor %c k; fission %p k; split %c.part/k 4; fission %c %c.part/k; tail "
			"%c.part/k pad",
			"the loop %c.part/k cannot be padded: %c reduces over k_2, and what %c.part is past the end is "
			"not known to be the identity; compute that outside of the loop (`fission`), or give the loop "
			"tail guard, peel or mask" },
		{ "split k 5; rfactor %c k; tail k pad", "split k 5; rfactor %c k; fission %c k; tail %c.part/k pad",
			"the loop k cannot be padded: %c reduces over k_5, and what %c.part is past the end is not "
			"known to be the identity; compute that outside of the loop (`fission`), or give the loop tail "
			"guard, peel or mask" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_graph *g = parsed(
			"graph 1\nvar m 5\nvar k 13\nvar n 6\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
			"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n");
		struct lt_program *p;
		struct lt_options options = { .size = sizeof options, .backends = "ref", .no_passes = 1, .apply = cases[i].steps };
		cr_expect_eq(lt_compile(g->ctx, g, &options, &p), LT_EILLEGAL);
		cr_expect_str_eq(lt_context_message(g->ctx), cases[i].why, "%s", lt_context_message(g->ctx));
		options.apply = cases[i].out;
		cr_expect_eq(lt_compile(g->ctx, g, &options, &p), LT_OK, "`%s`: %s", options.apply, lt_context_message(g->ctx));
		lt_program_free(p);
		parsed_free(g);
	}
}

/* Reductions that may be padded: what is read past the end is their identity. */
static const struct { const char *graph, *tree;
} padded[] = {
	{ SUM, "k step 4  tail pad\n k\n  %y\n" },
	{ "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%y = f32[] max.reduce %x\nresult \"y\" = %y\n",
		"k step 4  tail pad\n k\n  %y\n" },
	{ "graph 1\nvar k 41\n%x = i32[k] input \"x\"\n%y = i32[] mul.reduce %x\nresult \"y\" = %y\n",
		"k step 4  tail pad\n k\n  %y\n" },
	{ "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%h = f32[k] copy %x\n%y = f32[] min.reduce %h\nresult \"y\" = "
	  "%y\n",
		"k step 4  tail pad\n k\n  %h\n k\n  %y\n" },
	{ "graph 1\nvar k 41\n%x = f32[k] input \"x\"\n%h = f32[k] neg %x\n%q = f32[k] mul %h, %h\n%y = f32[] "
	  "add.reduce %q\nresult \"y\" = %y\n",
		"k step 4  tail pad\n k\n  %h\n k\n  %q\n  %y\n" },
	{ GATHER, "m\n n\n  %y layout [n m] pad 5\nq step 3  tail pad\n q\n  n step 4  tail pad\n   n\n    %z\n" },
};

Test(frozen_tails, reductions_and_gathers_in_padded_loops)
{
	for (size_t i = 0; i < sizeof padded / sizeof *padded; i++) {
		struct nest x = open_nest(padded[i].graph, padded[i].tree);
		close_nest(&x);
	}
}

/* 405 in four levels, each of the tails on each level. */
Test(more_frozen_tails, lesson_4_in_four_levels)
{
	static const char *const tail[] = { "guard", "peel", "mask", "pad" };
	for (int i = 0; i < 64; i++) {
		char tree[400];
		snprintf(tree, sizeof tree,
			"m step 130  tail %s\n m step 37  tail %s\n  m step 5  tail %s\n   m%s\n    %%y\n", tail[i % 4],
			tail[i / 4 % 4], tail[i / 16], i / 16 ? i % 2 ? " unroll" : " vector" : "");
		struct nest x = open_nest(POINTWISE(405), tree);
		close_nest(&x);
	}
}

/* Four levels of seven copies: refused before it grows beyond all bounds. */
Test(frozen_tails, too_many_copies)
{
	char tree[4000] = "", graph[1000] = "graph 1\n", dims[100] = "";
	int depth = 0;
	for (int v = 0; v < 5; v++)
		snprintf(graph + strlen(graph), sizeof graph - strlen(graph), "var v%d 13\n", v);
	for (int v = 0; v < 5; v++)
		snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%sv%d", v ? ", " : "", v);
	snprintf(graph + strlen(graph), sizeof graph - strlen(graph),
		"%%x = f32[%s] input \"x\"\n%%y = f32[%s] neg %%x\nresult \"y\" = %%y\n", dims, dims);
	for (int v = 0; v < 5; v++)
		for (int s = 0; s < 4; s++, depth++)
			snprintf(tree + strlen(tree), sizeof tree - strlen(tree), "%*sv%d step %d  tail peel\n", depth,
				"", v, (int[]){ 8, 3, 2, 1 }[s]);
	snprintf(tree + strlen(tree), sizeof tree - strlen(tree), "%*s%%y\n", depth, "");
	struct lt_graph *g = parsed(graph);
	struct lt_program *p;
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	cr_expect_eq(tree_compile_marked(tree, g, &options, &p), LT_EUNSUPPORTED);
	cr_expect_not_null(strstr(lt_context_message(g->ctx), "makes a nest of more than 4096 loops"), "%s",
		lt_context_message(g->ctx));
	parsed_free(g);
}

/* Quotients that cancel out, as of a reshape that only flattens, are no part of the tree; those that stay have their
 * numbers in order. */
Test(frozen_tails, floor_divisions_that_nothing_reads_are_left_out)
{
	struct nest x = open_nest("graph 1\nvar i 6\nvar j 10\nvar k 60\n%x = f32[i, j] input \"x\"\n%v = f32[k] view "
				  "{ %x[floor(k / 10), k - 10*floor(k / 10)] }\n"
				  "%y = f32[k] neg %v\nresult \"y\" = %y\n",
		"k\n %y\n");
	cr_expect_eq(x.t->n_div, 0);
	cr_expect_eq(x.t->n_column, 2);
	cr_expect_eq(x.t->needs & LT_NEED_DIVS, 0);
	close_nest(&x);
	x = open_nest("graph 1\nvar i 6\nvar j 10\nvar k 60\n%x = f32[i, j] input \"x\"\n%v = f32[k] view { %x[floor(k "
		      "/ 10), k - 10*floor(k / 10)] }\n"
		      "%z = f32[i] input \"z\"\n%w = f32[k] view { %z[floor(k / 10)] }\n%y = f32[k] sub %v, %w\nresult "
		      "\"y\" = %y\n",
		"k\n %y\n");
	cr_expect_eq(x.t->n_div, 1);
	cr_expect_eq(LT_AT(struct lt_div, x.t->divs, 0)->den, 10);
	cr_expect_neq(x.t->needs & LT_NEED_DIVS, 0);
	close_nest(&x);
}
