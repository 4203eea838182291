/* test_groups.c -- groups of default trees for routines that take descriptions: the best choice against all choices,
 * random networks against the evaluator, and what is refused in the end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "ir/pass/pass.h"
#include "looptree/default/auto_group.h"
#include "looptree/derive/derive.h"
#include "looptree/tree/tree.h"
#include "lt/backend.h"
#include "lt/lt.h"
#include "program/run/run.h"
#include "program/storage/storage.h"
#include "tests/built.h"
#include "tests/odd.h"
#include "tests/parsed.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(groups, .timeout = 300);
TestSuite(more_groups, .timeout = 1200);

/* -- the choice -- */

enum { N_LEAF = 14, N_OPTION = 18 };
struct drawn_choice { struct lt_auto s; struct lt_group_option option[N_OPTION]; lt_node member[N_OPTION][N_LEAF]; };

enum shape { CHAIN, TREE, TANGLE };
/* Sums; each reads two at most.  A leaf is read by the next one, by one of the next three, or by one or two of them; by
 * leaf: who reads it, -1: nobody. */
static struct lt_graph *draw_leaves(uint64_t *rng, enum shape shape, int32_t above[][2])
{
	char text[2000], *at = text;
	int n_read[N_LEAF] = { 0 };
	at += sprintf(at, "graph 1\nvar m 5\n%%x = f32[m] input \"x\"\n%%z = f32[m] input \"z\"\n");
	for (int i = 0; i < N_LEAF; i++) {
		above[i][0] = above[i][1] = -1;
		for (int r = 0; r < (shape == TANGLE ? 2 : 1); r++) {
			int to = i + (shape == CHAIN ? 1 : (int)random_between(rng, 1, 3));
			if (to >= N_LEAF || n_read[to] == 2 || to == above[i][0])
				continue;
			above[i][r] = to;
			n_read[to]++;
		}
	}
	for (int i = 0; i < N_LEAF; i++) {
		int n = 0;
		char from[2][8] = { "x", "z" };
		for (int k = 0; k < i; k++)
			if (above[k][0] == i || above[k][1] == i)
				(void)sprintf(from[n++], "n%d", k);
		at += sprintf(at, "%%n%d = f32[m] add %%%s, %%%s\n", i, from[0], from[1]);
	}
	for (int i = 0; i < N_LEAF; i++)
		if (above[i][0] < 0 && above[i][1] < 0)
			at += sprintf(at, "result \"y%d\" = %%n%d\n", i, i);
	return parsed(text);
}

static lt_node leaf_named(const struct lt_graph *g, int i)
{
	char name[8];
	sprintf(name, "n%d", i);
	for (lt_node n = 0; n < g->n_node; n++)
		if (strcmp(g->node[n].name, name) == 0)
			return n;
	return -1;
}

/* Options that are connected: a leaf, and some of what it reads, and so on. */
static void draw_options(uint64_t *rng, const struct lt_graph *g, int32_t above[][2], struct drawn_choice *x)
{
	for (int o = 0; o < N_OPTION; o++) {
		bool in[N_LEAF] = { false };
		int top = (int)random_between(rng, 0, N_LEAF - 1);
		struct lt_group_option *p = &x->option[o];
		*p = (struct lt_group_option){ .name = "r", .member = x->member[o], .gain = 1 + random_between(rng, 0, 39),
			.before = (int32_t)random_between(rng, 0, 2) };
		in[top] = true;
		for (int i = top; i-- > 0;)
			for (int r = 0; r < 2; r++)
				in[i] = in[i] || (above[i][r] >= 0 && in[above[i][r]] && random_chance(rng, 66));
		for (int i = 0; i < N_LEAF; i++)
			if (in[i])
				p->member[p->n++] = leaf_named(g, i);
		p->seed = p->member[0];
	}
}

static bool overlap(const struct lt_group_option *a, const struct lt_group_option *b)
{
	for (int i = 0; i < a->n; i++)
		for (int k = 0; k < b->n; k++)
			if (a->member[i] == b->member[k])
				return true;
	return false;
}

/* The most gain, and with it the least before, of all sets of options from `first` on that do not overlap; used: leaves
 * that others have. */
static void best_of_all(const struct lt_group_option *option, int first, uint32_t used, int64_t *gain, int32_t *before)
{
	uint32_t members = 0;
	*gain = *before = 0;
	if (first == N_OPTION)
		return;
	best_of_all(option, first + 1, used, gain, before);
	for (int i = 0; i < option[first].n; i++)
		members |= UINT32_C(1) << option[first].member[i];
	if (members & used)
		return;
	int64_t with;
	int32_t too;
	best_of_all(option, first + 1, used | members, &with, &too);
	with += option[first].gain;
	too += option[first].before;
	if (with > *gain || (with == *gain && too < *before)) {
		*gain = with;
		*before = too;
	}
}

/* How much of the best choice's gain is lost, and whether anything; of equal gain, the least before. */
static bool is_worse(uint64_t *rng, enum shape shape, int64_t *lost, int64_t *whole)
{
	static struct drawn_choice x;
	int32_t above[N_LEAF][2], before = 0, best_before;
	int64_t gain = 0, best;
	struct lt_graph *g = draw_leaves(rng, shape, above);
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_new(g, &t), LT_OK);
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_leaf *leaf;
		if (lt__has_leaf(g, n))
			cr_assert_eq(lt__leaf(t, n, &leaf), LT_OK);
	}
	memset(&x, 0, sizeof x);
	x.s = (struct lt_auto){ .g = g, .t = t };
	draw_options(rng, g, above, &x);
	cr_assert_lt(g->n_node, 32);
	best_of_all(x.option, 0, 0, &best, &best_before);
	lt__group_choose(&x.s, x.option, N_OPTION);
	for (int k = 0; k < N_OPTION; k++) {
		gain += x.option[k].chosen ? x.option[k].gain : 0;
		before += x.option[k].chosen ? x.option[k].before : 0;
		for (int o = 0; o < k; o++)
			cr_assert(!x.option[k].chosen || !x.option[o].chosen || !overlap(&x.option[k], &x.option[o]));
	}
	cr_assert_leq(gain, best);
	*lost += best - gain;
	*whole += best;
	lt_looptree_free(t);
	parsed_free(g);
	return gain < best || before != best_before;
}

Test(groups, the_choice_is_the_best_of_all)
{
	uint64_t rng = 7;
	for (int shape = CHAIN; shape <= TANGLE; shape++) {
		int64_t lost = 0, whole = 0;
		int worse = 0;
		for (int i = 0; i < 200; i++)
			worse += is_worse(&rng, (enum shape)shape, &lost, &whole);
		cr_expect_eq(worse, 0, "shape %d: %d of 200 choices are worse, and lose %lld of %lld", shape, worse, (long long)lost,
			(long long)whole);
	}
}

/* -- what a group costs -- */

/* x and w read, y written: 5*3*4 + 3*7*4 + 5*7*4 bytes; the terms and the sum are no more than that of others. */
static const char costed[] = "graph 1\nvar m 5\nvar k 3\nvar n 7\n%x = f32[m, k] input \"x\"\n"
	"%w = f32[k, n] constant \"w\"\n%v = f64[n] constant \"v\"\n%p = f32[m, n, k] mul %x, %w\n"
	"%s = f32[m, n] add.reduce %p\n"
	"%d = f64[m, n] cast %s\n%e = f64[m, n] add %d, %v\n%q = f64[m, n] mul %d, %d\nresult \"e\" = %e\nresult \"q\" = %q\n";
enum { BYTES_X = 60, BYTES_W = 84, BYTES_V = 56, BYTES_P = 420, BYTES_S = 140, BYTES_D = 280 };
static const struct { const char *member[5]; int64_t bytes; } costs[] = {
	{ { "p" }, BYTES_X + BYTES_W + BYTES_P }, { { "s" }, BYTES_P + BYTES_S },
	{ { "p", "s" }, BYTES_X + BYTES_W + BYTES_S },
	{ { "p", "s", "d" }, BYTES_X + BYTES_W + BYTES_D }, { { "s", "d" }, BYTES_P + BYTES_D },
	{ { "d", "e" }, BYTES_S + BYTES_V + 2 * BYTES_D }, { { "d", "e", "q" }, BYTES_S + BYTES_V + 2 * BYTES_D },
	{ { "e", "q" }, BYTES_D + BYTES_V + 2 * BYTES_D }, { { "q" }, 2 * BYTES_D },
	{ { "p", "s", "d", "e", "q" }, BYTES_X + BYTES_W + BYTES_V + 2 * BYTES_D },
};

static lt_node node_of(const struct lt_graph *g, const char *name)
{
	for (lt_node n = 0; n < g->n_node; n++)
		if (strcmp(g->node[n].name, name) == 0)
			return n;
	return -1;
}

struct costing { struct lt_looptree *t; struct lt_arena *a; };

static lt_status ask_costs(void *arg)
{
	const struct costing *c = arg;
	const struct lt_graph *g = c->t->graph;
	struct lt_auto s = { .g = g, .t = c->t };
	LT_TRY(lt__auto_survey(&s));
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		lt_node member[5];
		int32_t n = 0;
		while (n < 5 && costs[i].member[n]) {
			member[n] = node_of(g, costs[i].member[n]);
			n++;
		}
		const int64_t bytes = lt__routine_cost(&s, c->a, NULL, member, n, NULL);
		cr_expect_eq(bytes, costs[i].bytes, "%zu: %lld", i, (long long)bytes);
	}
	return LT_OK;
}

Test(groups, what_a_group_costs)
{
	struct costing c;
	struct lt_graph *g = parsed(costed);
	cr_assert_eq(lt_looptree_new(g, &c.t), LT_OK);
	cr_assert_eq(lt__arena_new(g->ctx, &c.a), LT_OK);
	cr_expect_eq(lt__protect(g->ctx, ask_costs, &c), LT_OK, "%s", lt_context_message(g->ctx));
	lt__arena_free(c.a);
	lt_looptree_free(c.t);
	parsed_free(g);
}

/* -- random networks -- */

enum { MAX_VALUES = 24 };
struct network { char text[16000], *at; uint64_t rng; int n, dim[MAX_VALUES], n_reader[MAX_VALUES]; };
#define ADD(...) x->at += sprintf(x->at, __VA_ARGS__)

/* A value, of that dim unless it is -1, from any place on. */
static int draw_value(struct network *x, int dim)
{
	int from = (int)random_between(&x->rng, 0, x->n - 1);
	for (int i = 0; i < x->n; i++) {
		int at = (from + i) % x->n;
		if (dim >= 0 && x->dim[at] != dim)
			continue;
		x->n_reader[at]++;
		return at;
	}
	return -1;
}

/* Products, biases, activations, sums of earlier values and of rows, norms. */
static void add_value(struct network *x)
{
	static const char *const unary[] = { "tanh", "neg", "sigmoid", "abs" };
	int n = x->n, kind = (int)random_between(&x->rng, 0, 15), a = draw_value(x, -1), d = x->dim[a];
	if (kind < 4) {
		int to = (d + (int)random_between(&x->rng, 1, 3)) % 4;
		ADD("%%w%d = f32[v%d, v%d] constant \"w%d\"\n%%p%d = f32[m, v%d, v%d] mul %%y%d, %%w%d\n%%y%d = f32[m, v%d] "
			"add.reduce %%p%d\n", n, d, to, n, n, to, d, a, n, n, to, n);
		d = to;
	} else if (kind < 6) {
		ADD("%%b%d = f32[v%d] constant \"b%d\"\n%%y%d = f32[m, v%d] add %%y%d, %%b%d\n", n, d, n, n, d, a, n);
	} else if (kind < 8) {
		ADD("%%y%d = f32[m, v%d] %s %%y%d\n", n, d, unary[random_between(&x->rng, 0, 3)], a);
	} else if (kind < 9) {
		ADD("%%y%d = f32[m, v%d] max %%y%d, %%zero\n", n, d, a);
	} else if (kind < 11) {
		int b = draw_value(x, d);
		ADD("%%y%d = f32[m, v%d] %s %%y%d, %%y%d\n", n, d, kind < 10 ? "add" : "sub", a, b);
	} else if (kind < 13) {         /* a sum between a value and another reader of it */
		ADD("%%s%d = f32[m] add.reduce %%y%d\n%%y%d = f32[m, v%d] sub %%y%d, %%s%d\n", n, a, n, d, a, n);
	} else if (kind > 13) {         /* two products of it side by side, one of them after an activation */
		int to = (d + 1) % 4;
		for (int i = 0; i < 2; i++)
			ADD("%%w%d_%d = f32[v%d, v%d] constant \"w%d_%d\"\n%%p%d_%d = f32[m, v%d, v%d] mul %%y%d, %%w%d_%d\n"
				"%%c%d_%d = f32[m, v%d] add.reduce %%p%d_%d\n", n, i, d, to, n, i, n, i, d, to, a, n, i, n, i, to, n, i);
		ADD("%%g%d = f32[m, v%d] sigmoid %%c%d_0\n%%y%d = f32[m, v%d] mul %%g%d, %%c%d_1\n", n, to, n, n, to, n, n);
		d = to;
	} else {
		ADD("%%q%d = f32[m, v%d] mul %%y%d, %%y%d\n%%s%d = f32[m] add.reduce %%q%d\n%%e%d = f32[m] add %%s%d, %%one\n"
			"%%r%d = f32[m] rsqrt %%e%d\n%%y%d = f32[m, v%d] mul %%y%d, %%r%d\n", n, d, a, a, n, n, n, n, n, n, n, d, a, n);
	}
	x->dim[n] = d;
	x->n++;
}

/* What nothing reads is a result, and so are some others. */
static void draw_network(struct network *x, uint64_t seed)
{
	static const int extents[] = { 11, 13, 7, 1 };
	*x = (struct network){ .rng = seed, .n = 1 };
	x->at = x->text;
	ADD("graph 1\nvar m %d\n", random_chance(&x->rng, 80) ? 61 : 1);
	for (int i = 0; i < 4; i++)
		ADD("var v%d %d\n", i, extents[i]);
	ADD("%%zero = f32[] lit 0.0\n%%one = f32[] lit 1.0\n%%y0 = f32[m, v0] input \"x\"\n");
	while (x->n < (int)(5 + seed % (MAX_VALUES - 5)))
		add_value(x);
	for (int i = 1; i < x->n; i++)
		if (x->n_reader[i] == 0 || random_chance(&x->rng, 8))
			ADD("result \"y%d\" = %%y%d\n", i, i);
}

/* -- random networks of images, as scripts -- */

/* Attention of positions, whose keys and values may be the queries, or those of two images one behind the other; of
 * which as many as a batch's length says count, or those that are causal, too. */
static void add_attention(struct network *x, int batch, int side)
{
	const int n = x->n, q = draw_value(x, -1), k = draw_value(x, x->dim[q]), v = draw_value(x, -1),
		places = side * side, causal = random_chance(&x->rng, 40);
	static const char heads[] = "PermuteNode(ReshapeNode(y%d, [%d, %d, %d]), [0, 2, 1])";
	const char *const named[] = { "q", "k", "v" };
	const int from[] = { q, k, v };
	for (int i = 0; i < 3; i++) {
		ADD("%s%d = ", named[i], n);
		ADD(heads, from[i], batch, x->dim[from[i]], places);
		ADD(";\n");
	}
	if (random_chance(&x->rng, 30)) {
		const int before = draw_value(x, x->dim[k]), with = draw_value(x, x->dim[v]);
		ADD("k%d = ConcatNode(1, ", n);
		ADD(heads, before, batch, x->dim[k], places);
		ADD(", k%d);\nv%d = ConcatNode(1, ", n, n);
		ADD(heads, with, batch, x->dim[v], places);
		ADD(", v%d);\n", n);
	}
	if (q != k && x->rng >> 33 & 1) {
		/* A plane that is read as one axis is two axes of the description, and a length is compared with one. */
		for (int i = 0; i < 3; i++)
			ADD("%s%d = CopyNode(%s%d);\n", named[i], n, named[i], n);
		ADD("l%d = InputTensor(l%d, int%d, [%d, 1, 1]) %% 5 + 1;\n", n, n, causal ? 64 : 32, batch);
		ADD("s%d = EinsumNode(bsd,btd->bst: q%d, k%d) * 0.3;\nt%d = CastNode(IndexNode(s%d, 2), int%d);\n", n, n, n, n, n,
			causal ? 64 : 32);
		ADD("c%d = LessNode(t%d, l%d)", n, n, n);
		if (causal)
			ADD(" & LessEqualNode(t%d, IndexNode(s%d, 1) + 1)", n, n);
		ADD(";\na%d = EinsumNode(bst,btd->bsd: SoftmaxNode(WhereNode(c%d, s%d, -inf)), v%d);\n", n, n, n, n);
	} else {
		ADD("a%d = AttentionNode(q%d, k%d, v%d, 0.3, %d);\n", n, n, n, n, causal);
	}
	ADD("y%d = ReshapeNode(PermuteNode(a%d, [0, 2, 1]), [%d, %d, %d, %d]);\n", n, n, batch, x->dim[v], side, side);
	x->dim[n] = x->dim[v];
	x->n++;
}

/* Convolutions of 1x1 and 3x3, dilated, or of one channel each; biases, activations, sums; values that come together
 * again on two paths, one of them through a mean or a sum; two convolutions side by side; products of channels;
 * channels of two images together; attention. */
static void add_image(struct network *x, int batch, int side)
{
	static const char *const unary[] = { "TanhNode(y%d)", "-y%d", "MaxNode(y%d, 0)", "MinNode(MaxNode(y%d, 0), 6)" };
	static const int channels[] = { 3, 4, 5, 1 };
	int n = x->n, kind = (int)random_between(&x->rng, 0, 19);
	if (kind > 17) {
		add_attention(x, batch, side);
		return;
	}
	int a = draw_value(x, -1), d = x->dim[a], to = channels[random_between(&x->rng, 0, 3)],
		far = (int)random_between(&x->rng, 1, 2);
	if (kind < 3) {
		ADD("y%d = Conv2dNode(y%d, ConstantTensor(w%d, float32, [%d, %d, 1, 1]));\n", n, a, n, to, d);
		d = to;
	} else if (kind < 5) {
		ADD("y%d = Conv2dNode(y%d, ConstantTensor(w%d, float32, [%d, %d, 3, 3]), [1, 1], [%d, %d, %d, %d], [%d, %d]);\n", n,
			a, n, to, d, far, far, far, far, far, far);
		d = to;
	} else if (kind < 6) {
		ADD("y%d = Conv2dNode(y%d, ConstantTensor(w%d, float32, [%d, 1, 3, 3]), [1, 1], [1, 1, 1, 1], [1, 1], %d);\n", n, a,
			n, d, d);
	} else if (kind < 8) {
		ADD("y%d = y%d + ConstantTensor(b%d, float32, [%d, 1, 1]);\n", n, a, n, d);
	} else if (kind < 9) {
		ADD("y%d = ", n);
		ADD(unary[random_between(&x->rng, 0, 3)], a);
		ADD(";\n");
	} else if (kind < 11) {
		ADD("y%d = y%d %c y%d;\n", n, a, "+-*"[random_between(&x->rng, 0, 2)], draw_value(x, d));
	} else if (kind < 12) {
		ADD("y%d = y%d * SigmoidNode(y%d);\n", n, a, a);
	} else if (kind < 13) {         /* squeeze and excite */
		ADD("y%d = y%d * ReshapeNode(SigmoidNode(ReduceMeanNode(y%d, [2, 3]) @ ConstantTensor(w%d, float32, [%d, %d])), "
			"[%d, %d, 1, 1]);\n", n, a, a, n, d, d, batch, d);
	} else if (kind < 14) {
		ADD("y%d = y%d - ReshapeNode(ReduceMeanNode(ReshapeNode(y%d, [%d, 1, %d, %d]), [2, 3]), [%d, 1, 1, 1]) * "
			"ConstantTensor(w%d, float32, [%d, 1, 1, 1]);\n", n, a, a, batch, d * side, side, batch, n, batch);
	} else if (kind < 15) {
		ADD("y%d = SigmoidNode(Conv2dNode(y%d, ConstantTensor(w%d, float32, [%d, %d, 1, 1]))) * Conv2dNode(y%d, "
			"ConstantTensor(u%d, float32, [%d, %d, 3, 3]), [1, 1], [1, 1, 1, 1]);\n", n, a, n, to, d, a, n, to, d);
		d = to;
	} else if (kind > 15) {
		const int b = draw_value(x, -1);
		ADD("y%d = ConcatNode(1, y%d, y%d);\n", n, a, b);
		d += x->dim[b];
	} else {
		ADD("y%d = ReshapeNode(EinsumNode(ck,bkp->bcp: ConstantTensor(w%d, float32, [%d, %d]), "
			"ReshapeNode(y%d, [%d, %d, %d])), [%d, %d, %d, %d]);\n",
			n, n, to, d, a, batch, d, side * side, batch, to, side, side);
		d = to;
	}
	x->dim[n] = d;
	x->n++;
}

static void draw_images(struct network *x, uint64_t seed)
{
	*x = (struct network){ .rng = seed * 77, .n = 1, .dim = { 4 } };
	x->at = x->text;
	const int batch = random_chance(&x->rng, 30) ? 2 : 1, side = random_chance(&x->rng, 10) ? 1 : 7;
	ADD("y0 = InputTensor(x, float32, [%d, 4, %d, %d]);\n", batch, side, side);
	while (x->n < (int)(4 + seed % (MAX_VALUES - 8)))
		add_image(x, batch, side);
	for (int i = 1; i < x->n; i++)
		if (x->n_reader[i] == 0 || random_chance(&x->rng, 8))
			ADD("result r%d = y%d;\n", i, i);
}
#undef ADD

static bool *reached(const struct lt_looptree *t, const bool *from, bool up)
{
	const int32_t n = t->graph->n_node;
	bool *mark = calloc((size_t)n + 1, 1);
	for (int32_t i = 0; i < n; i++) {
		lt_node at = up ? i : n - 1 - i;
		const struct lt_leaf *leaf = t->leaf_of[at] < 0 ? NULL : t->leaf[at];
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0)
					continue;
				if (up && (from[base] || mark[base]))
					mark[at] = true;
				if (!up && (from[at] || mark[at]))
					mark[base] = true;
			}
	}
	return mark;
}

/* How many groups there were; joined: networks that put channels, or keys, of two values together. */
struct tried { int groups, pairs, attentions, joined; };

static bool is_half(enum lt_dtype t) { return t == LT_F16 || t == LT_BF16; }

/* A cast of halves. */
static bool is_widened(const struct lt_graph *g, lt_node n)
{
	return n >= 0 && g->node[n].op == LT_OP_cast && g->node[n].dtype == LT_F32
		&& is_half(g->node[g->node[n].operand[0]].dtype);
}

/* What a call of a product or convolution multiplies is halves where the graph has halves: their casts are in the
 * group, unless one is of several values, one behind the other.  What is computed again is such casts. */
static void check_casts(const struct lt_looptree *t, const char *text)
{
	const struct lt_graph *g = t->graph;
	bool *joins = calloc((size_t)t->n_node + 1, 1);        /* by root: it reads such a cast of several values */
	for (lt_node n = 0; n < g->n_node; n++)
		for (int32_t k = 0; t->leaf_of[n] >= 0 && k < t->leaf[n]->n_read; k++)
			for (int32_t p = 0; p < t->leaf[n]->read[k].n_piece; p++) {
				const lt_node base = t->leaf[n]->read[k].piece[p].base;
				if (is_widened(g, base) && t->leaf[base]->read[0].n_piece > 1)
					joins[lt__root_of(t, t->leaf_of[n])] = true;
			}
	for (lt_node n = 0; n < g->n_node; n++) {
		if (t->leaf_of[n] < 0)
			continue;
		const lt_tnode root = lt__root_of(t, t->leaf_of[n]);
		const struct lt_leaf *leaf = t->leaf[n];
		const bool term = t->node[root].loop == LT_CALL && g->node[n].op == LT_OP_mul && !g->node[n].reduce
			&& strcmp(t->node[root].call, "attention") != 0;
		for (int32_t k = 0; term && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				const lt_node base = leaf->read[k].piece[p].base;
				cr_assert(!is_widened(g, base) || joins[root] || lt__root_of(t, t->leaf_of[base]) == root,
					"%%%s reads %%%s as float32\n%s", g->node[n].name, g->node[base].name, text);
			}
	}
	free(joins);
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		const lt_node made = t->derived->step[i].kind == LT_DERIVED_CLONE ? node_of(g, t->derived->step[i].made) : -1;
		cr_assert(made < 0 || g->node[made].op == LT_OP_view || is_widened(g, made), "%%%s is computed twice\n%s",
			g->node[made].name, text);
	}
}

/* No leaf outside of a group is made of one inside, and read by one inside, through whatever is between.  Each leaf of
 * the graph is in the tree once, and only casts of halves have clones. */
static int check_groups(const struct lt_looptree *t, const char *text, struct tried *tried)
{
	int n = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next) {
		bool *in = calloc((size_t)t->graph->n_node + 1, 1);
		if (t->node[root].loop == LT_CALL) {
			for (lt_node i = 0; i < t->graph->n_node; i++)
				in[i] = t->leaf_of[i] >= 0 && lt__root_of(t, t->leaf_of[i]) == root;
			bool *after = reached(t, in, true), *before = reached(t, in, false);
			for (lt_node i = 0; i < t->graph->n_node; i++)
				cr_assert(in[i] || !after[i] || !before[i], "%%%s is between leaves of a group\n%s", t->graph->node[i].name, text);
			free(after);
			free(before);
			n++;
			tried->pairs += strcmp(t->node[root].call, "pair") == 0;
			tried->attentions += strcmp(t->node[root].call, "attention") == 0;
		}
		free(in);
	}
	for (lt_node i = 0; i < t->base->n_node; i++) {
		int times = 0;
		for (lt_tnode at = 0; at < t->n_node; at++)
			times += t->node[at].kind == LT_TLEAF && strcmp(t->graph->node[t->node[at].leaf].name, t->base->node[i].name) == 0;
		cr_assert(times == lt__has_leaf(t->base, i), "%%%s is computed %d times\n%s", t->base->node[i].name, times, text);
	}
	check_casts(t, text);
	return n;
}

/* The target of sim with groups. */
static struct lt_session *sim_open(const struct lt_target **target)
{
	static const struct lt_host host = { .size = sizeof host };
	const struct lt_backend *sim = lt_backend_find("sim");
	struct lt_session *s;
	cr_assert_eq(sim->open(&host, "grid/groups", &s, NULL), LT_OK);
	*target = sim->caps(s)->target;
	return s;
}

/* The default trees of a graph on the machine of sim, with all rows and with one that has no anchor of several sums;
 * then it is run, its calls by their descriptions, against the evaluator. */
static void try_network(const struct lt_graph *g, const struct lt_target *target, uint64_t seed, const char *text,
	struct tried *tried)
{
	struct lt_target products = *target;
	struct lt_graph *h = NULL, *lowered;
	struct run_want want;
	struct run_tally tally = { 0 };
	char why[1000] = "";
	cr_assert_eq(lt__passes_run(g, NULL, NULL, &h), LT_OK, "%s\n%s", lt_context_message(g->ctx), text);
	cr_assert_eq(lt__materialize(h, &lowered), LT_OK, "%s\n%s", lt_context_message(g->ctx), text);
	products.routines.n = 1;
	for (int i = 0; i < 2; i++) {
		struct lt_looptree *t;
		cr_assert_eq(lt_looptree_auto(lowered, i ? &products : target, &t), LT_OK, "%s\n%s", lt_context_message(g->ctx),
			text);
		tried->groups += check_groups(t, text, tried);
		lt_looptree_free(t);
	}
	run_want_new(g, 2, tree_fill, (void *)(uintptr_t)(const void *)g, &want);
	cr_assert_eq(want.status, LT_OK, "%s\n%s", want.message, text);
	run_compare(&want, g, &(struct run_config){ .backends = "sim:grid/groups" }, NULL, NULL, &tally, why, sizeof why);
	cr_expect_str_eq(why, "", "seed %llu: %s\n%s", (unsigned long long)seed, why, text);
	run_want_free(&want);
	lt_graph_free(lowered);
	lt_graph_free(h);
}

/* The script with its tensors in another type. */
static void retype(struct network *x, const char *type)
{
	static char text[2 * sizeof x->text];
	char *to = text;
	for (const char *at = x->text; *at;) {
		const bool named = strncmp(at, "float32", 7) == 0;
		to += named ? sprintf(to, "%s", type) : sprintf(to, "%c", *at);
		at += named ? 7 : 1;
	}
	cr_assert_lt(to - text, (long)sizeof x->text);
	memcpy(x->text, text, (size_t)(to - text) + 1);
}

/* type: of images; NULL: no images. */
static struct tried try_networks(uint64_t first, uint64_t last, const char *type)
{
	static struct network x;
	const bool images = type != NULL;
	const struct lt_target *target;
	struct lt_session *session = sim_open(&target);
	struct tried tried = { 0, 0, 0, 0 };
	for (uint64_t seed = first; seed <= last; seed++) {
		struct lt_context *ctx = NULL;
		struct lt_graph *g;
		(images ? draw_images : draw_network)(&x, seed);
		if (images) {
			retype(&x, type);
			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			cr_assert_eq(lt_parse(ctx, x.text, strlen(x.text), "t.lt", "script", &g), LT_OK, "%s\n%s", lt_context_message(ctx),
				x.text);
		} else {
			g = parsed(x.text);
		}
		tried.joined += strstr(x.text, "Concat") != NULL;
		try_network(g, target, seed, x.text, &tried);
		if (ctx) {
			lt_graph_free(g);
			lt_context_free(ctx);
		} else {
			parsed_free(g);
		}
	}
	lt_backend_find("sim")->close(session);
	return tried;
}

Test(groups, random_networks_are_convex_and_right)
{
	const struct tried tried = try_networks(1, 20, NULL);
	cr_expect_gt(tried.groups, 100, "%d", tried.groups);
	cr_expect_gt(tried.pairs, 5, "%d", tried.pairs);
}

Test(groups, random_networks_of_images_are_convex_and_right)
{
	const struct tried tried = try_networks(1, 10, "float32");
	cr_expect_gt(tried.groups, 30, "%d", tried.groups);
	cr_expect_gt(tried.attentions, 1, "%d", tried.attentions);
	cr_expect_gt(tried.joined, 1, "%d", tried.joined);
}

/* Values that are read by convolutions and by sums. */
Test(groups, random_networks_of_halves_multiply_halves)
{
	static const char *const types[] = { "float16", "bfloat16" };
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		const struct tried tried = try_networks(31, 38, types[i]);
		cr_expect_gt(tried.groups, 20, "%s: %d", types[i], tried.groups);
	}
}

Test(more_groups, more_random_networks)
{
	static const char *const types[] = { NULL, "float32", "float16", "bfloat16" };
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		const struct tried tried = try_networks(1000, 1600, types[i]);
		cr_expect_gt(tried.groups, 3000, "%d", tried.groups);
	}
}

/* The scripts whose trees are in tests/golden, by the descriptions of their calls; and as given back, with groups. */
Test(groups, networks_of_goldens_are_right)
{
	static const char *const names[] = { "resnet", "mobilenet", "bert", "llama", "mnist", "silu", "halves", "swiglu" };
	for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
		static char command[4000], out[4000], err[4000], run[1000];
		const char *name = names[i / 2];
		(void)snprintf(run, sizeof run, "%s -b sim:grid/groups tests/golden/groups-%s.lt", built("lt-run"), name);
		(void)snprintf(command, sizeof command, "%s%s %s %s -q --verify -i '*=random' -c '*=random'", i % 2 ? run : "",
			i % 2 ? " --dump=tree |" : "", run, i % 2 ? "--schedule=-" : "");
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s: %s%s", name, out, err);
		cr_expect_not_null(strstr(out, "verify: passed"), "%s: %s%s", name, out, err);
	}
}

/* -- work: counted, never timed -- */

/* Networks of n products: a chain; all that go from one value, then what follows each; a value that all add. */
static void add_chain(struct run_text *b, int n, char *line, size_t bytes)
{
	for (int i = 0; i < n; i++) {
		(void)snprintf(line, bytes, "y%d = ReLUNode(y%d @ ConstantTensor(w%d, float32, [16, 16]));\n", i + 1, i, i);
		run_text_add(b, line, strlen(line));
	}
	(void)snprintf(line, bytes, "result = y%d;\n", n);
}
static void add_wide(struct run_text *b, int n, char *line, size_t bytes)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n; i++) {
			(void)snprintf(line, bytes, pass ? "result r%d = TanhNode(p%d + y0);\n"
				: "p%d = y0 @ ConstantTensor(w%d, float32, [16, 16]);\n", i, i);
			run_text_add(b, line, strlen(line));
		}
	*line = 0;
}
static void add_sums(struct run_text *b, int n, char *line, size_t bytes)
{
	for (int i = 0; i < n; i++) {
		(void)snprintf(line, bytes, "y%d = SiLUNode(y%d @ ConstantTensor(w%d, float32, [16, 16])) + y%d;\n", i + 1, i, i, i);
		run_text_add(b, line, strlen(line));
	}
	(void)snprintf(line, bytes, "result = y%d;\n", n);
}
static void (*const works[])(struct run_text *, int, char *, size_t) = { add_chain, add_wide, add_sums };

static int64_t work_of(size_t which, int n, const struct lt_target *target)
{
	struct run_text b = { NULL, 0 };
	char line[200] = "y0 = InputTensor(x, float32, [8, 16]);\n";
	struct lt_context *ctx;
	struct lt_graph *g, *h;
	struct lt_looptree *t;
	struct lt_program *p;
	struct lt_options options = { .size = sizeof options, .backends = "sim:grid/groups" };
	run_text_add(&b, line, strlen(line));
	works[which](&b, n, line, sizeof line);
	run_text_add(&b, line, strlen(line));
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, b.at, b.n, "t.lt", "script", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt__passes_run(g, NULL, NULL, &h), LT_OK, "%s", lt_context_message(ctx));
	ctx->labour.calls = 0;
	cr_assert_eq(lt_looptree_auto(h, target, &t), LT_OK, "%s", lt_context_message(ctx));
	const int64_t grown = ctx->labour.calls;
	cr_assert_eq(lt_compile(ctx, h, &options, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_gt(grown, n, "%zu", which);
	cr_expect_gt(ctx->labour.calls, 2 * grown, "%zu: of locals, too", which);
	const int64_t all = ctx->labour.calls;
	lt_program_free(p);
	lt_looptree_free(t);
	lt_graph_free(h);
	lt_graph_free(g);
	lt_context_free(ctx);
	run_text_free(&b);
	return all;
}

/* What twice as many products add is at most a little more than twice what was added before. */
Test(groups, work_grows_as_the_number_of_products)
{
	const struct lt_target *target;
	struct lt_session *session = sim_open(&target);
	for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
		int64_t work[4];
		for (int i = 0; i < 4; i++)
			work[i] = work_of(k, 20 << i, target);
		for (int i = 2; i < 4; i++) {
			const int64_t added = work[i] - work[i - 1], before = work[i - 1] - work[i - 2];
			cr_expect_leq(added, 2 * before + before / 8 + 64, "network %zu, %d products: %lld more leaves, before %lld", k,
				20 << i, (long long)added, (long long)before);
		}
	}
	lt_backend_find("sim")->close(session);
}

/* -- refused in the end -- */

#define BIT(x) (UINT64_C(1) << (x))
static const struct lt_routine taken[] = { { .name = "g", .pattern = LT_PATTERN_GRAPH, .left = BIT(LT_F32),
	.right = BIT(LT_F32), .result = BIT(LT_F32), .sum = LT_F64, .layouts = LT_LAYOUT_ANY | LT_LAYOUT_BATCH,
	.anchors = BIT(LT_ANCHOR_PRODUCT), .behind = BIT(LT_OPCODE_add) | BIT(LT_OPCODE_max), .max_results = 1 } };
static const char biased[] = "graph 1\nvar m 9\nvar k 12\nvar n 10\n%a = f32[m, k] input \"a\"\n"
	"%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n%zero = f32[] lit 0.0\n%p = f32[m, n, k] mul %a, %b\n"
	"%c = f32[m, n] add.reduce %p\n%d = f32[m, n] add %c, %v\n%e = f32[m, n] max %d, %zero\nresult \"e\" = %e\n";

static void hear(void *said, const struct lt_explained *e)
{
	for (uint32_t i = 0; i < e->n_decided; i++) {
		run_text_add(said, e->decided[i].text, strlen(e->decided[i].text));
		run_text_add(said, "\n", 1);
	}
}

/* A backend refuses calls with a ReLU, with a bias, or all: the next smaller group is asked for, at last loops. */
Test(groups, the_next_smaller_one_comes_before_none)
{
#define REFUSED(leaves) "tree: a call of g for the group " leaves " was refused: odd refuses it: an epilogue is not"
	static const struct { uint32_t refused; const char *report, *said, *too; } rows[] = {
		{ 0, "g: row m 9, column n 10, deep k 12; bias; relu\n", "tree: a call of g for the group %p, %c, %d, %e, whose",
			"" },
		{ LT_EPILOGUE_RELU, "g: row m 9, column n 10, deep k 12; bias\n",
			"tree: in no group: g: odd refuses it: an epilogue is not taken", REFUSED("%p, %c, %d, %e") },
		{ LT_EPILOGUE_RELU | LT_EPILOGUE_BIAS, "g: row m 9, column n 10, deep k 12\n", "tree: a call of g for the group %p, "
			"%c, whose", REFUSED("%p, %c, %d") },
		{ ~0u, "", "tree: in no group: g: odd refuses it: an epilogue is not taken", REFUSED("%p, %c") },
	};
#undef REFUSED
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run_text said = { NULL, 0 };
		struct run_want want;
		struct run_tally tally = { 0 };
		struct lt_program *p;
		char why[1000] = "";
		struct lt_options options = { .size = sizeof options, .backends = "odd", .explain = hear, .user = &said };
		struct lt_graph *g = parsed(biased);
		odd_open();
		odd_routines(taken, 1);
		odd_refuse_epilogues(rows[i].refused);
		cr_assert_eq(lt_compile(g->ctx, g, &options, &p), LT_OK, "%s", lt_context_message(g->ctx));
		lt_program_free(p);
		cr_expect_str_eq(odd_reported()->text, rows[i].report, "%zu: %s", i, odd_reported()->text);
		cr_expect_not_null(strstr(said.at, rows[i].said), "%zu: %s", i, said.at);
		cr_expect_not_null(strstr(said.at, rows[i].too), "%zu: %s", i, said.at);
		run_want_new(g, 2, tree_fill, g, &want);
		run_compare(&want, g, &(struct run_config){ .backends = "odd" }, NULL, NULL, &tally, why, sizeof why);
		cr_expect_str_eq(why, "", "%s", why);
		run_want_free(&want);
		run_text_free(&said);
		parsed_free(g);
	}
}

/* What the default tree of a graph says, on the machine of sim with these rows. */
static void expect_said(const char *graph, const struct lt_routine *rows, uint32_t n, const char *want, bool there)
{
	struct run_text said = { NULL, 0 };
	const struct lt_target *target;
	struct lt_session *session = sim_open(&target);
	struct lt_target with = *target;
	struct lt_looptree *t;
	struct lt_graph *g = parsed(graph);
	with.routines = (struct lt_array){ rows, n, sizeof *rows };
	cr_assert_eq(lt_looptree_auto(g, &with, &t), LT_OK, "%s", lt_context_message(g->ctx));
	for (int32_t i = 0; i < t->n_note; i++) {
		run_text_add(&said, t->note[i].text, strlen(t->note[i].text));
		run_text_add(&said, "\n", 1);
	}
	cr_expect_eq(strstr(said.at, want) != NULL, there, "%s: %s", want, said.at);
	run_text_free(&said);
	lt_looptree_free(t);
	parsed_free(g);
	lt_backend_find("sim")->close(session);
}

/* The row that came nearest says why, wherever it stands in the table. */
Test(groups, the_nearest_row_says_why)
{
	struct lt_routine rows[3] = { taken[0], taken[0], taken[0] };
	rows[0].left = rows[0].right = rows[0].result = BIT(LT_F16);
	rows[1].behind = BIT(LT_OPCODE_add);
	rows[2].behind = 0;
	for (int i = 0; i < 3; i++) {
		const struct lt_routine first = rows[0];
		expect_said(biased, rows, 3, "tree: in no group: g: %e, max, is behind the product, and g takes no such operator "
			"there", true);
		memmove(rows, rows + 1, 2 * sizeof *rows);
		rows[2] = first;
	}
}

/* Rows of products stand among the others, in order of preference: the first that takes the whole group has it, and one
 * that takes more of it, wherever it stands. */
Test(groups, a_product_goes_to_the_first_row_that_takes_it_whole)
{
	static const struct { uint32_t epilogues; bool ahead; const char *want; } cases[] = {
		{ LT_EPILOGUE_BIAS | LT_EPILOGUE_RELU, true, "tree: a call of gemm for the group %p, %c, %d, %e, whose" },
		{ LT_EPILOGUE_BIAS | LT_EPILOGUE_RELU, false, "tree: a call of g for the group %p, %c, %d, %e, whose" },
		{ LT_EPILOGUE_BIAS, true, "tree: a call of g for the group %p, %c, %d, %e, whose" },
		{ 0, true, "tree: a call of g for the group %p, %c, %d, %e, whose" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct lt_routine gemm = { .name = "gemm", .pattern = LT_PATTERN_PRODUCT, .epilogues = cases[i].epilogues,
			.left = BIT(LT_F32), .right = BIT(LT_F32), .result = BIT(LT_F32), .sum = LT_F64 };
		const struct lt_routine rows[] = { cases[i].ahead ? gemm : taken[0], cases[i].ahead ? taken[0] : gemm };
		expect_said(biased, rows, 2, cases[i].want, true);
	}
	/* What the row of groups leaves is the other one's: here it takes no ReLU, and the other one does. */
	struct lt_routine rows[2] = { taken[0], { .name = "gemm", .pattern = LT_PATTERN_PRODUCT,
		.epilogues = LT_EPILOGUE_BIAS | LT_EPILOGUE_RELU, .left = BIT(LT_F32), .right = BIT(LT_F32), .result = BIT(LT_F32),
		.sum = LT_F64 } };
	rows[0].behind = BIT(LT_OPCODE_add);
	expect_said(biased, rows, 2, "tree: a call of gemm for the group %p, %c, %d, %e, whose", true);
	rows[1].min_flops = 2 * 9 * 12 * 10 + 1;
	expect_said(biased, rows, 2, "tree: a call of g for the group %p, %c, %d, whose", true);
}

/* An image from outside whose channels lie apart, and a row that asks for them side by side: the group reads a copy. */
static const char image[] = "graph 1\nvar i 2\nvar j 3\nvar k 9\nvar l 7\nvar o 10\nvar y 9\nvar x 7\nvar s 3\n"
	"var t 3\n%%a = f16[i, %s] input \"a\"\n%%w = f16[o, j, s, t] constant \"w\"\n%%fa = f32[i, %s] cast %%a\n"
	"%%fw = f32[o, j, s, t] cast %%w\n%%v = f32[i, j, y, s, x, t] view { %%fa[i, %s] if y + s - 1 >= 0, "
	"9 - y - s >= 0, x + t - 1 >= 0, 7 - x - t >= 0; else 0.0 }\n%%p = f32[i, y, x, o, j, s, t] mul %%v, %%fw\n"
	"%%c = f32[i, y, x, o] add.reduce %%p\n%%r = f16[i, y, x, o] cast %%c\nresult \"r\" = %%r\n%s";

Test(groups, images_are_copied_where_a_row_wants_their_channels_together)
{
	static const char first[] = "j, k, l", last[] = "k, l, j", *const at[] = { "j, y + s - 1, x + t - 1",
		"y + s - 1, x + t - 1, j" };
	static const char copied[] = "and which reads a copy of %a in the order [i k l j]", again[] = "result \"a\" = %fa\n";
	struct lt_routine row = { .name = "g", .pattern = LT_PATTERN_GRAPH, .left = BIT(LT_F16), .right = BIT(LT_F16),
		.result = BIT(LT_F16), .sum = LT_F64, .layouts = LT_LAYOUT_CHANNELS_LAST | LT_LAYOUT_BATCH,
		.anchors = BIT(LT_ANCHOR_CONVOLUTION), .max_results = 1, .wide = 1 };
	const struct { bool last; uint32_t layouts; const char *more; bool copied, taken; } rows[] = {
		{ false, LT_LAYOUT_CHANNELS_LAST, "", true, true }, { true, LT_LAYOUT_CHANNELS_LAST, "", false, true },
		{ false, LT_LAYOUT_ANY, "", false, true }, { false, LT_LAYOUT_CHANNELS_FIRST, "", false, false },
		{ false, LT_LAYOUT_CHANNELS_LAST, again, true, true },  /* the result is a cast of the copy, too */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1000];
		const char *dims = rows[i].last ? last : first;
		(void)snprintf(text, sizeof text, image, dims, dims, at[rows[i].last], rows[i].more);
		row.layouts = rows[i].layouts | LT_LAYOUT_BATCH;
		expect_said(text, &row, 1, copied, rows[i].copied);
		expect_said(text, &row, 1, "a call of g for the group", rows[i].taken);
	}
}

/* A result whose channels lie apart is written with them side by side, and turned by who reads it, or by a copy. */
Test(groups, results_are_turned_where_a_row_wants_their_channels_together)
{
	static const char turned[] = "and which writes %r in the order [i y x o]", copied[] = ", which a copy turns";
	struct lt_routine row = { .name = "g", .pattern = LT_PATTERN_GRAPH, .left = BIT(LT_F16), .right = BIT(LT_F16),
		.result = BIT(LT_F16), .sum = LT_F64, .anchors = BIT(LT_ANCHOR_CONVOLUTION), .max_results = 1, .wide = 1 };
	static const struct { const char *dims, *result; uint32_t layouts; bool turned, copied; } rows[] = {
		{ "i, o, y, x", "result \"r\" = %r\n", LT_LAYOUT_CHANNELS_LAST, true, true },
		{ "i, o, y, x", "%n = i32[i, o, y, x] cast %r\nresult \"n\" = %n\n", LT_LAYOUT_CHANNELS_LAST, true, false },
		{ "i, y, x, o", "result \"r\" = %r\n", LT_LAYOUT_CHANNELS_LAST, false, false },
		{ "i, o, y, x", "result \"r\" = %r\n", LT_LAYOUT_ANY, false, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1200];
		(void)snprintf(text, sizeof text, "graph 1\nvar i 2\nvar j 3\nvar k 9\nvar l 7\nvar o 10\nvar y 9\nvar x 7\n"
			"var s 3\nvar t 3\n%%a = f16[i, k, l, j] input \"a\"\n%%w = f16[o, s, t, j] constant \"w\"\n"
			"%%fa = f32[i, k, l, j] cast %%a\n%%fw = f32[o, s, t, j] cast %%w\n%%v = f32[i, j, y, s, x, t] view { "
			"%%fa[i, y + s - 1, x + t - 1, j] if y + s - 1 >= 0, 9 - y - s >= 0, x + t - 1 >= 0, 7 - x - t >= 0; else 0.0 }\n"
			"%%p = f32[%s, j, s, t] mul %%v, %%fw\n%%c = f32[%s] add.reduce %%p\n%%r = f16[%s] cast %%c\n%s",
			rows[i].dims, rows[i].dims, rows[i].dims, rows[i].result);
		row.layouts = rows[i].layouts | LT_LAYOUT_BATCH;
		expect_said(text, &row, 1, "a call of g for the group", true);
		expect_said(text, &row, 1, turned, rows[i].turned);
		expect_said(text, &row, 1, copied, rows[i].copied);
	}
}

/* Filters of the same, which lie plane by plane, or one beside the other: they are copied once, where they are constant
 * and nothing else reads them. */
Test(groups, filters_are_copied_where_a_row_wants_their_channels_together)
{
	static const char copied[] = "and which reads a copy of %w in the order [o s t j], made once";
	struct lt_routine row = { .name = "g", .pattern = LT_PATTERN_GRAPH, .left = BIT(LT_F16), .right = BIT(LT_F16),
		.result = BIT(LT_F16), .sum = LT_F64, .anchors = BIT(LT_ANCHOR_CONVOLUTION), .max_results = 1, .wide = 1 };
	const struct { const char *dims, *kind, *more; uint32_t layouts; bool copied; } rows[] = {
		{ "o, j, s, t", "constant", "", LT_LAYOUT_CHANNELS_LAST, true },
		{ "j, o, s, t", "constant", "", LT_LAYOUT_CHANNELS_LAST, true },
		{ "s, t, j, o", "constant", "", LT_LAYOUT_CHANNELS_LAST, true },
		{ "s, t, j, o", "constant", "", LT_LAYOUT_ANY, true }, { "s, t, j, o", "constant", "", 0, false },
		{ "s, t, j, o", "input", "", LT_LAYOUT_ANY, false },
		{ "o, s, t, j", "constant", "", LT_LAYOUT_CHANNELS_LAST, false },
		{ "o, j, s, t", "input", "", LT_LAYOUT_CHANNELS_LAST, false },
		{ "o, j, s, t", "constant", "result \"w\" = %fw\n", LT_LAYOUT_CHANNELS_LAST, true },
		{ "o, j, s, t", "constant", "%n = i32[o, j, s, t] cast %w\nresult \"n\" = %n\n", LT_LAYOUT_CHANNELS_LAST, false },
		{ "o, j, s, t", "constant", "", LT_LAYOUT_ANY, false }, { "o, j, s, t", "constant", "", 0, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1000];
		(void)snprintf(text, sizeof text, "graph 1\nvar i 2\nvar j 3\nvar k 9\nvar l 7\nvar o 10\nvar y 9\nvar x 7\n"
			"var s 3\nvar t 3\n%%a = f16[i, k, l, j] input \"a\"\n%%w = f16[%s] %s \"w\"\n%%fa = f32[i, k, l, j] cast %%a\n"
			"%%fw = f32[%s] cast %%w\n%%v = f32[i, j, y, s, x, t] view { %%fa[i, y + s - 1, x + t - 1, j] if y + s - 1 >= 0, "
			"9 - y - s >= 0, x + t - 1 >= 0, 7 - x - t >= 0; else 0.0 }\n%%p = f32[i, y, x, o, j, s, t] mul %%v, %%fw\n"
			"%%c = f32[i, y, x, o] add.reduce %%p\n%%r = f16[i, y, x, o] cast %%c\nresult \"r\" = %%r\n%s",
			rows[i].dims, rows[i].kind, rows[i].dims, rows[i].more);
		row.layouts = rows[i].layouts | LT_LAYOUT_BATCH;
		expect_said(text, &row, 1, copied, rows[i].copied);
	}
}

/* The same, by the tree that has the copy, and run: threads lie beside each other along the pixels of a channel, one
 * element each, as a vector of them would be spread over the copy. */
Test(groups, copied_images_are_what_they_were)
{
	static const struct lt_routine row = { .name = "g", .pattern = LT_PATTERN_GRAPH, .left = BIT(LT_F16),
		.right = BIT(LT_F16), .result = BIT(LT_F16), .sum = LT_F64, .layouts = LT_LAYOUT_CHANNELS_LAST | LT_LAYOUT_BATCH,
		.anchors = BIT(LT_ANCHOR_CONVOLUTION), .max_results = 1, .wide = 1 };
	const struct lt_target *target;
	struct lt_session *session = sim_open(&target);
	struct lt_target with = *target;
	struct lt_looptree *t;
	char text[1000];
	(void)snprintf(text, sizeof text, image, "j, k, l", "j, k, l", "j, y + s - 1, x + t - 1", "");
	struct lt_graph *g = parsed(text);
	with.routines = (struct lt_array){ &row, 1, sizeof row };
	cr_assert_eq(lt_looptree_auto(g, &with, &t), LT_OK, "%s", lt_context_message(g->ctx));
	struct run_text text_of = tree_print(t);
	const char *tree = text_of.at;
	cr_expect_not_null(strstr(tree, "%a.copy f16[i j k l] = copy %a layout [i k l j]"), "%s", tree);
	cr_expect_not_null(strstr(tree, "%fa f32[i j k l] = cast %a.copy"), "%s", tree);
	cr_expect_null(strstr(tree, "vector"), "%s", tree);
	run_text_free(&text_of);
	lt_looptree_free(t);
	parsed_free(g);
	lt_backend_find("sim")->close(session);
}

/* A padded loop leaves cells free behind its last row; not where a routine reads them, and the numbers stay. */
Test(groups, what_a_call_reads_has_no_gaps)
{
	static const char graph[] = "graph 1\nvar m 10\nvar k 12\nvar n 6\n%x = f32[m, k] input \"x\"\n"
		"%w = f32[k, n] constant \"w\"\n%y = f32[m, k] neg %x\n%p = f32[m, n, k] mul %y, %w\n"
		"%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n";
	FILE *f = fopen(scratch("gaps.graph"), "w");
	cr_assert_not_null(f);
	fputs(graph, f);
	fclose(f);
	for (int i = 0; i < 4; i++) {
		static char command[2000], out[4000], err[4000];
		f = fopen(scratch("gaps.steps"), "w");
		cr_assert_not_null(f);
		fprintf(f, "schedule 1\nsplit %%y/m 4; tail %%y/m pad%s\n", i % 2 ? "; group %c/m; call group graph" : "");
		fclose(f);
		(void)snprintf(command, sizeof command, "%s --no-cache -b sim:grid/groups --schedule=%s %s %s", built("lt-run"),
			scratch("gaps.steps"), scratch("gaps.graph"), i < 2 ? "--dump=tree" : "-q --verify -i '*=random' -c '*=random'");
		cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%d: %s%s", i, out, err);
		if (i < 2)
			cr_expect_not_null(strstr(out, i ? "neg %x  # whole, 480 bytes" : "neg %x  # whole, 576 bytes"), "%d: %s", i, out);
	}
}

/* Halves, rounded between the product, the bias and the ReLU: f(y) and f(z) may be left out, what is written not. */
static const char rounded[] = "graph 1\nvar m 9\nvar k 12\nvar n 10\n%a = f16[m, k] input \"a\"\n"
	"%b = f16[k, n] constant \"b\"\n%v = f16[n] constant \"v\"\n%fa = f32[m, k] cast %a\n%fb = f32[k, n] cast %b\n"
	"%p = f32[m, n, k] mul %fa, %fb\n%c = f32[m, n] add.reduce %p\n%y = f16[m, n] cast %c\n%fy = f32[m, n] cast %y\n"
	"%fv = f32[n] cast %v\n%d = f32[m, n] add %fy, %fv\n%z = f16[m, n] cast %d\n%fz = f32[m, n] cast %z\n"
	"%e = f32[m, n] tanh %fz\n%r = f16[m, n] cast %e\nresult \"r\" = %r\n";

Test(groups, roundings_that_a_call_leaves_out_are_counted)
{
	struct lt_routine row = taken[0];
	row.left = row.right = row.result = BIT(LT_F16);
	row.behind |= BIT(LT_OPCODE_tanh);
	row.wide = 1;
	expect_said(rounded, &row, 1, ", and in which 2 roundings are left out", true);
	row.behind = BIT(LT_OPCODE_add);
	expect_said(rounded, &row, 1, ", and in which 1 rounding is left out", true);
	row.behind = 0;
	expect_said(rounded, &row, 1, "left out", false);
	row.behind = BIT(LT_OPCODE_add) | BIT(LT_OPCODE_tanh) | BIT(LT_OPCODE_cast);    /* does them itself */
	row.wide = 0;
	expect_said(rounded, &row, 1, "left out", false);
	expect_said(rounded, &row, 1, "for the group %fa, %fb, %p, %c, %y, %fy, %fv, %d, %z, %fz, %e, %r, whose", true);
}
