/* test_pass.c -- passes keep the meaning of random graphs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "ir/eval/eval.h"
#include "ir/node/node.h"
#include "ir/pass/pass.h"
#include "tests/run_graph.h"

static uint64_t seed_state;

static int64_t between(int64_t low, int64_t high) { return random_between(&seed_state, low, high); }

/* -- random graphs -- */

static lt_node pick(const struct lt_graph *g, enum lt_dtype t)
{
	for (int i = 0; i < 200; i++) {
		lt_node x = (lt_node)between(0, g->n_node - 1);

		if (g->node[x].dtype == t)
			return x;
	}
	return -1;
}

static bool is_bounded(const struct lt_graph *g, lt_node x)
{
	for (int32_t i = 0; i < g->node[x].n_dim; i++)
		if (g->var[g->node[x].dim[i]].bounded)
			return true;
	return false;
}

static enum lt_dtype random_type(void)
{
	static const enum lt_dtype types[] = { LT_I32, LT_I32, LT_F32, LT_F32, LT_I64, LT_BOOL };

	return types[between(0, 5)];
}

static lt_node random_memory(struct lt_graph *g, int i, const lt_var *pool, int n_pool)
{
	lt_var dims[3];
	int32_t n = (int32_t)between(0, 3), at = 0;
	char name[16];

	snprintf(name, sizeof name, "x%d", i);
	for (int32_t d = 0; d < n; d++) {
		lt_var v = pool[between(0, n_pool - 1)];
		bool known = false;

		for (int32_t j = 0; j < at; j++)
			known |= dims[j] == v;
		if (!known)
			dims[at++] = v;
	}
	return between(0, 3) ? lt_graph_input(g, name, random_type(), at, dims)
			     : lt_graph_state(g, name, random_type(), at, dims);
}

static uint64_t random_bits(enum lt_dtype t)
{
	static const double f[] = { 0, 1, -2, -INFINITY, 0.5 };

	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? lt__bits_of((union lt_scalar){ .f = f[between(0, 4)] }, t)
		: lt__bits_of((union lt_scalar){ .i = t == LT_BOOL ? between(0, 1) : between(-2, 2) }, t);
}

static lt_node random_view(struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];
	int32_t rank = n->n_dim, perm[LT_MAX_RANK], axis = rank ? (int32_t)between(0, rank - 1) : 0;
	int64_t before[LT_MAX_RANK], after[LT_MAX_RANK], extent = rank ? g->var[n->dim[axis]].extent : 0,
							 elems = lt__node_elems(g, x);
	lt_var dims[LT_MAX_RANK];

	if (!rank || elems > 300 || is_bounded(g, x))
		return x;
	for (int32_t i = 0; i < rank; i++) {
		perm[i] = i;
		before[i] = between(0, 3) ? 0 : between(0, 2);
		after[i] = between(0, 3) ? 0 : between(0, 2);
	}
	switch (between(0, 7)) {
	case 0:
		for (int32_t i = rank - 1; i > 0; i--) {
			int32_t j = (int32_t)between(0, i), keep = perm[i];

			perm[i] = perm[j];
			perm[j] = keep;
		}
		return lt_graph_permute(g, x, rank, perm);
	case 1:
		for (int32_t i = 0; i < rank; i++)
			dims[i] = lt_graph_var(g, NULL, g->var[g->node[x].dim[i]].extent);
		return lt_graph_rename(g, x, rank, dims);
	case 2:
	case 3: {
		int64_t shape[4], rest = elems;
		int32_t n_shape = 0;

		while (rest > 1 && n_shape < 2) {
			int64_t d = between(1, rest);

			while (rest % d)
				d = between(1, rest);
			shape[n_shape++] = d;
			rest /= d;
		}
		shape[n_shape++] = rest;
		return lt_graph_reshape(g, x, n_shape, shape);
	}
	case 4: {
		int64_t begin = between(0, extent - 1), step = between(1, 2);

		return lt_graph_slice(g, x, axis, begin, step, between(1, (extent - 1 - begin) / step + 1));
	}
	case 5:
		return lt_graph_pad(g, x, before, after, random_bits(n->dtype));
	case 6: {
		lt_node both[2] = { x, lt_graph_slice(g, x, axis, 0, 1, between(1, extent)) };

		return lt_graph_concat(g, axis, 2, both);
	}
	default:
		if (rank == LT_MAX_RANK)
			return x;
		return lt_graph_window(g, x, axis, lt_graph_var(g, NULL, between(1, extent)),
			lt_graph_var(g, NULL, between(1, 3)), between(1, 2), between(1, 2), between(0, 2),
			random_bits(n->dtype));
	}
}

static lt_node random_op(struct lt_graph *g)
{
	static const char *const two[] = { "add", "sub", "mul", "min", "max", "div", "mod" },
				 *const one[] = { "neg", "abs", "sign" };
	static const char *const compare[] = { "eq", "less", "greaterequal" },
				 *const smooth[] = { "tanh", "sqrt", "exp", "floor" };
	static const char *const logic[] = { "and", "or", "xor" };
	enum lt_dtype t = random_type();
	lt_node a = pick(g, t),
		b = between(0, 2) ? pick(g, t)
		: t == LT_BOOL    ? -1
				  : lt_graph_literal_int(g, t, between(-1, 2));
	lt_node x[3] = { pick(g, LT_BOOL), a, b };

	if (a < 0 || b < 0)
		return 0;
	if (lt__node_elems(g, a) * lt__node_elems(g, b) > 2000
		|| (x[0] >= 0 && lt__node_elems(g, a) * lt__node_elems(g, x[0]) > 2000))
		return a;
	if (t == LT_BOOL)
		return between(0, 1) ? lt_graph_unary(g, "not", a) : lt_graph_binary(g, logic[between(0, 2)], a, b);
	switch (between(0, 5)) {
	case 0: return lt_graph_binary(g, compare[between(0, 2)], a, b);
	case 1: return lt_graph_unary(g, t == LT_F32 ? smooth[between(0, 3)] : one[between(0, 2)], a);
	case 2: return x[0] >= 0 && g->node[a].n_dim + g->node[b].n_dim < 5 ? lt_graph_op(g, "select", 3, x) : a;
	default: return lt_graph_binary(g, two[between(0, 6)], a, b);
	}
}

static lt_node random_node(struct lt_graph *g, const lt_param *param, int n_param)
{
	lt_node x = (lt_node)between(0, g->n_node - 1);
	const struct lt_nodedef *n = &g->node[x];

	switch (between(0, 11)) {
	case 0:
	case 1:
	case 2:
	case 3:
		return random_op(g);
	case 4:
		if (!n->n_dim || n->dtype == LT_BOOL)
			return x;
		return lt_graph_reduce(g, between(0, 1) ? "add" : "max", x, 1, (lt_var[]){ n->dim[between(0, n->n_dim - 1)] });
	case 5:
		return lt_graph_cast(g, x, random_type());
	case 6:
		if (!n->n_dim || !n_param || g->var[n->dim[0]].bounded || g->var[n->dim[0]].extent < 5)
			return x;
		return lt_graph_slice_bounded(g, x, 0, LT_OMIT, param[between(0, n_param - 1)]);
	case 7:
		return n->n_dim ? lt_graph_index(g, n->dim[between(0, n->n_dim - 1)]) : x;
	case 8:
		if (!n->n_dim || n->n_dim > 2)
			return x;
		return lt_graph_gather(g, x, lt_graph_literal_int(g, LT_I64, 0), (int32_t)between(0, n->n_dim - 1));
	default:
		return random_view(g, x);
	}
}

static struct lt_graph *random_graph(struct lt_context *ctx, int n_step)
{
	lt_var pool[4];
	lt_param param[1] = { -1 };
	struct lt_graph *g;
	lt_node at, x = -1;
	int n_param = 0;

	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	for (int i = 0; i < 4; i++)
		pool[i] = lt_graph_var(g, i % 2 ? NULL : "row", between(1, 6));
	at = lt_graph_input(g, "at", LT_I64, 0, NULL);
	if (between(0, 1))
		param[n_param++] = lt_graph_param(g, at, 0, 0, 5);
	for (int i = 0; i < 4; i++)
		random_memory(g, i, pool, 4);
	for (int i = 0; i < n_step; i++) {
		lt_node made = random_node(g, param, n_param);

		cr_assert_geq(made, 0, "%s", lt_context_message(ctx));
		x = lt__node_elems(g, made) <= 4000 ? made : x;
		if (between(0, 9) == 0 && x >= 0) {
			char name[16];

			snprintf(name, sizeof name, "r%d", i);
			cr_assert_eq(lt_graph_result(g, name, x), LT_OK);
		}
	}
	cr_assert_eq(lt_graph_result(g, "last", x < 0 ? 0 : x), LT_OK);
	for (lt_node s = 0; s < g->n_node; s++) {
		lt_node y = g->n_node - 1;

		while (g->node[s].op == LT_OP_state && y > s
			&& (g->node[y].dtype != g->node[s].dtype || g->node[y].n_dim != g->node[s].n_dim
				|| (g->node[s].n_dim
					&& memcmp(g->node[y].dim, g->node[s].dim,
						sizeof(lt_var) * (size_t)g->node[s].n_dim))))
			y--;
		if (g->node[s].op == LT_OP_state && y > s)
			cr_assert_eq(lt_graph_set_state(g, s, y), LT_OK, "%s", lt_context_message(ctx));
	}
	return g;
}

/* -- evaluation -- */

/* Data by label, so that it is the same for both graphs; small whole numbers. */
static void *data_for(const struct lt_graph *g, lt_node x)
{
	int64_t n = lt__node_elems(g, x);
	enum lt_dtype t = g->node[x].dtype;
	char *data = calloc((size_t)n, 8);
	uint64_t hash = 88172645463325252u;

	for (const char *s = g->node[x].label; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
	for (int64_t i = 0; i < n; i++) {
		int64_t value = (int64_t)((hash * (uint64_t)(i + 3) >> 33) % 7) - 3;

		if (!strcmp(g->node[x].label, "at"))
			value = 2;
		if (t == LT_BOOL)
			value = value > 0;
		lt__store(data, i, t, lt__convert((union lt_scalar){ .i = value }, t == LT_BOOL ? LT_BOOL : LT_I64, t));
	}
	return data;
}

static struct lt_evaluation *evaluate(const struct lt_graph *g)
{
	void **source = calloc((size_t)g->n_node, sizeof *source);
	struct lt_evaluation *e;
	lt_status status;

	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_input || g->node[x].op == LT_OP_constant || g->node[x].op == LT_OP_state)
			source[x] = data_for(g, x);
	status = lt_eval(g, (const void *const *)source, false, &e);
	cr_assert_eq(status, LT_OK, "%s", lt_context_message(g->ctx));
	for (lt_node x = 0; x < g->n_node; x++)
		free(source[x]);
	free(source);
	return e;
}

static bool same_value(const void *a, const void *b, int64_t i, enum lt_dtype t)
{
	union lt_scalar x = lt__load(a, i, t), y = lt__load(b, i, t);

	if (lt__dtype_info(t)->cls != LT_CLASS_FLOAT)
		return x.i == y.i;
	return (isnan(x.f) && isnan(y.f)) || x.f == y.f || fabs(x.f - y.f) <= 1e-6 * fabs(x.f);
}

static void compare(
	const struct lt_graph *g, const void *a, const void *b, lt_node x, const char *what, const struct lt_graph *h)
{
	int64_t n = lt__node_elems(g, x);

	for (int64_t i = 0; i < n; i++)
		if (!same_value(a, b, i, g->node[x].dtype)) {
			char *before = run_graph_text(g), *after = run_graph_text(h);

			cr_assert_fail("%s: element %ld of %s differs: %g, not %g\n%s\n%s", what, i, g->node[x].name,
				lt__dtype_info(g->node[x].dtype)->cls == LT_CLASS_FLOAT ? lt__load(b, i, g->node[x].dtype).f
				: (double)lt__load(b, i, g->node[x].dtype).i, lt__dtype_info(g->node[x].dtype)->cls == LT_CLASS_FLOAT
				? lt__load(a, i, g->node[x].dtype).f : (double)lt__load(a, i, g->node[x].dtype).i, before, after);
		}
}

static void compare_graphs(const struct lt_graph *g, const struct lt_graph *h, const char *what)
{
	struct lt_evaluation *a = evaluate(g), *b = evaluate(h);

	cr_assert(g->n_result == h->n_result && g->n_set == h->n_set);
	for (int32_t i = 0; i < g->n_result; i++) {
		cr_assert_str_eq(g->result[i].name, h->result[i].name);
		cr_assert_eq(lt__node_elems(g, g->result[i].node), lt__node_elems(h, h->result[i].node));
		compare(g, lt_eval_result(a, i, NULL), lt_eval_result(b, i, NULL), g->result[i].node, what, h);
	}
	for (int32_t i = 0; i < g->n_set; i++)
		compare(g, lt_eval_state(a, i, NULL), lt_eval_state(b, i, NULL), g->set[i].value, what, h);
	lt_eval_free(a);
	lt_eval_free(b);
}

/* print of parse of print is print, for every graph that turns up here. */
static void check_text(struct lt_graph *g, const char *what)
{
	char *first = run_graph_text(g), *second;
	struct lt_graph *h;

	cr_assert_eq(lt_graph_parse(g->ctx, first, strlen(first), "text", &h), LT_OK, "%s: %s\n%s", what,
		lt_context_message(g->ctx), first);
	second = run_graph_text(h);
	cr_assert_str_eq(first, second, "%s", what);
	lt_graph_free(h);
	free(first);
	free(second);
}

static lt_pass *const passes[] = {
#define PASS(letter, name, doc) lt__pass_##name,
#include "ir/pass/pass.def"
};

Test(pass, random_graphs, .timeout = 300)
{
	uint64_t seed = must_number("LT_SEED", 5);
	int n = (int)must_draws("LT_CASES", 150);

	for (int i = 0; i < n; i++) {
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		char what[64];

		seed_state = (seed + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)i * 0xbf58476d1ce4e5b9u;
		snprintf(what, sizeof what, "LT_SEED=%llu case %d", (unsigned long long)seed, i);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		g = random_graph(ctx, (int)between(5, 40));
		check_text(g, what);
		for (size_t p = 0; p < sizeof passes / sizeof *passes; p++) {
			cr_assert_eq(passes[p](g, &h), LT_OK, "%s: %s", what, lt_context_message(ctx));
			cr_assert_eq(lt_graph_verify(h), LT_OK, "%s: %s", what, lt_context_message(ctx));
			compare_graphs(g, h, what);
			check_text(h, what);
			lt_graph_free(h);
		}
		cr_assert_eq(lt__passes_run(g, NULL, NULL, &h), LT_OK, "%s: %s", what, lt_context_message(ctx));
		compare_graphs(g, h, what);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* A call of an operation of one's own on what node r is made of, a few nodes deep; false: it would be none. */
static bool call_at(struct lt_graph *g, lt_node r)
{
	lt_node operand[64], stack[64];
	int32_t n = 0, depth = 0;
	const int64_t deep = between(1, 3);
	struct lt_owncall c = { .name = between(0, 1) ? "f" : "mine.org/g", .n_result = 1, .result = &r, .operand = operand };
	double number[2] = { -0.5, (double)between(0, 9) };

	stack[depth++] = r;
	for (int64_t k = 0; k < deep && depth > 0; k++) {
		const struct lt_nodedef *d = &g->node[stack[--depth]];

		for (int32_t i = 0; i < d->n_operand && n < 60 && depth < 60; i++) {
			const lt_node x = d->operand[i];

			if (lt__op_is_memory(g->node[x].op) || k + 1 == deep)
				operand[n++] = x;
			else
				stack[depth++] = x;
		}
	}
	while (depth > 0)
		operand[n++] = stack[--depth];
	for (int32_t i = 0; i < n; i++)         /* each once */
		for (int32_t k = i + 1; k < n; k++)
			if (operand[k] == operand[i])
				operand[k--] = operand[--n];
	c.n_operand = n;
	c.number = number;
	c.n_number = (int32_t)between(0, 2);
	if (n == 0 || lt__own_add(g, &c)) {
		lt_context_clear(g->ctx);
		return false;
	}
	return true;
}

/* Calls are cut out, passes run, calls are put in again: the values stay, and so do the calls that are needed. */
Test(pass, random_calls_of_ones_own, .timeout = 300)
{
	uint64_t seed = must_number("LT_SEED", 8);
	int n = (int)must_draws("LT_CASES", 150), called = 0, kept = 0;

	for (int i = 0; i < n; i++) {
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		char what[64];

		seed_state = (seed + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)i * 0xbf58476d1ce4e5b9u;
		snprintf(what, sizeof what, "LT_SEED=%llu call %d", (unsigned long long)seed, i);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		g = random_graph(ctx, (int)between(5, 40));
		for (int k = 0; k < 4; k++)
			(void)call_at(g, (lt_node)between(0, g->n_node - 1));
		called += g->n_own;
		check_text(g, what);
		for (int with = 0; with < 2; with++) {
			cr_assert_eq(with ? lt__passes_run(g, NULL, NULL, &h) : lt__passes_none(g, &h), LT_OK, "%s: %s", what,
				lt_context_message(ctx));
			cr_assert_eq(lt_graph_verify(h), LT_OK, "%s: %s", what, lt_context_message(ctx));
			for (int32_t k = 0; k < h->n_own; k++)          /* whole values, in memory or computed */
				for (int32_t o = 0; o < h->own[k].n_operand; o++)
					cr_assert_neq(h->node[h->own[k].operand[o]].op, LT_OP_view, "%s", what);
			kept += h->n_own;
			compare_graphs(g, h, what);
			check_text(h, what);
			lt_graph_free(h);
		}
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_expect_gt(called, n / 2, "%d calls in %d graphs", called, n);
	cr_expect_gt(kept, n / 4, "%d of them kept", kept);
}

/* A pool of halves reads halves, with what stands beside the border; but not where that is no half. */
Test(pass, widen_makes_pools_read_halves)
{
	static const struct { const char *type, *fill, *op; bool halves; } cases[] = {
		{ "f16", "-inf", "max", true }, { "bf16", "-inf", "max", true }, { "f16", "-0.0", "add", true },
		{ "f16", "0x7fc00123", "min", false }, { "f16", "0.1", "max", false }, { "f16", "1e9", "min", false },
		{ "bf16", "1e9", "min", false }, { "f16", "-65504.0", "max", true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[1000];
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		(void)snprintf(text, sizeof text, "graph 1\nvar m 3\nvar k 7\nvar y 4\nvar t 3\n%%a = %s[m, k] input \"a\"\n"
			"%%w = f32[m, k] cast %%a\n%%v = f32[m, y, t] view { %%w[m, 2*y + t - 1] if 2*y + t - 1 >= 0, 7 - 2*y - t >= 0; "
			"else %s }\n%%r = f32[m, y] %s.reduce %%v\nresult \"r\" = %%r\n", cases[i].type, cases[i].fill, cases[i].op);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "pool", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__pass_widen(g, &h), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s", lt_context_message(ctx));
		compare_graphs(g, h, text);
		bool halves = false;
		for (lt_node n = 0; n < h->n_node; n++)
			halves = halves || (h->node[n].op == LT_OP_view && h->node[n].dtype != LT_F32);
		cr_expect_eq(halves, cases[i].halves, "%s", text);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* A convolution by channels reads bfloat16 where it lies, by windows of up to nine elements; float16, larger
 * windows and several filters read what is cast once. */
Test(pass, widen_makes_convolutions_by_channels_read_bfloat16)
{
	static const struct { const char *type, *filters; int side; bool halves; } cases[] = {
		{ "bf16", "", 3, true }, { "bf16", "", 2, true }, { "f16", "", 3, false },
		{ "bf16", "", 4, false }, { "bf16", ", o", 3, false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *o = cases[i].filters;
		char text[2000];
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		(void)snprintf(text, sizeof text, "graph 1\nvar h 7\nvar w 5\nvar g 3\nvar y 4\nvar x 5\n"
			"var j %d\nvar k %d\nvar o 2\n%%a = %s[h, w, g] input \"a\"\n%%b = %s[g, j, k%s] constant \"b\"\n"
			"%%c = f32[h, w, g] cast %%a\n"
			"%%f = f32[g, j, k%s] cast %%b\n%%v = f32[g, y, j, x, k] view { %%c[2*y + j - 1, x + k - 1, g] if "
			"2*y + j - 1 >= 0, 7 - 2*y - j >= 0, x + k - 1 >= 0, 5 - x - k >= 0; else 0.0 }\n"
			"%%p = f32[y, x, g, j, k%s] mul %%v, %%f\n%%s = f32[y, x, g%s] add.reduce %%p\nresult \"s\" = %%s\n",
			cases[i].side, cases[i].side, cases[i].type, cases[i].type, o, o, o, o);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "conv", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__pass_widen(g, &h), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s", lt_context_message(ctx));
		compare_graphs(g, h, text);
		bool halves = false;
		for (lt_node n = 0; n < h->n_node; n++)
			halves = halves || (h->node[n].op == LT_OP_view && h->node[n].dtype != LT_F32);
		cr_expect_eq(halves, cases[i].halves, "%s", text);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* What is computed for a result alone has its order, a sum and its terms, too; what others read as well keeps its own.
 * The constant that lies across is copied. */
Test(pass, order_is_the_results)
{
	for (int others = 0; others < 2; others++) {
		char text[1000];
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		(void)snprintf(text, sizeof text, "graph 1\nvar m 3\nvar y 5\nvar t 3\nvar all 7\nvar g 4\n"
			"%%x = f32[m, all, g] input \"x\"\n%%w = f32[g, t] constant \"w\"\n%%b = f32[g] constant \"b\"\n"
			"%%v = f32[m, y, t, g] view { %%x[m, y + t, g] }\n%%p = f32[m, g, y, t] mul %%v, %%w\n"
			"%%s = f32[m, g, y] add.reduce %%p\n%%d = f32[m, g, y] add %%s, %%b\n%%z = f32[] lit 0.0\n"
			"%%e = f32[m, y, g] max %%d, %%z\nresult \"e\" = %%e\n%s", others ? "%n = f32[m, g, y] neg %s\nresult \"n\" = %n\n"
			: "");
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "order", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__pass_order(g, &h), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s", lt_context_message(ctx));
		compare_graphs(g, h, text);
		char *after = run_graph_text(h);
		cr_expect_eq(strstr(after, "%s = f32[m, y, g] add.reduce") != NULL, !others, "%s", after);
		cr_expect_eq(strstr(after, "%p = f32[m, y, t, g] mul") != NULL, !others, "%s", after);
		cr_expect_eq(strstr(after, "%w.packed = f32[t, g] copy") != NULL, !others, "%s", after);
		free(after);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* A cast of what lies in another order lies as that does, where a view of it is computed with; what a result shows, or
 * is, keeps its own. */
Test(pass, order_of_a_cast_is_that_of_what_it_reads)
{
	static const char *const shown[] = { "", "%q = f32[m, g, y] view { %c[m, g, y] }\nresult \"q\" = %q\n",
		"result \"q\" = %c\n" };
	for (int i = 0; i < 3; i++) {
		char text[1000];
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		(void)snprintf(text, sizeof text, "graph 1\nvar m 3\nvar y 5\nvar t 3\nvar all 7\nvar g 4\n"
			"%%x = f16[m, all, g] input \"x\"\n%%w = f32[g, t] constant \"w\"\n%%c = f32[m, g, all] cast %%x\n"
			"%%v = f32[m, g, y, t] view { %%c[m, g, y + t] }\n%%p = f32[m, g, y, t] mul %%v, %%w\n"
			"%%s = f32[m, g, y] add.reduce %%p\n%%e = f16[m, y, g] cast %%s\nresult \"e\" = %%e\n%s", shown[i]);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "order", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__pass_order(g, &h), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s", lt_context_message(ctx));
		compare_graphs(g, h, text);
		char *after = run_graph_text(h);
		cr_expect_not_null(strstr(after, i ? "%c = f32[m, g, all] cast" : "%c = f32[m, all, g] cast"), "%s", after);
		free(after);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* Halves of a product whose channels run along memory lie as it does, with a bias, too; float32 in another order, a
 * result, and what comes of no product keep their own. */
Test(pass, order_of_halves_is_that_of_their_product)
{
	static const struct { const char *nodes, *want; } cases[] = {
		{ "%h = f16[g, y] cast %s\n", "%h = f16[y, g] cast %s" },
		{ "%b = f32[g] constant \"b\"\n%a = f16[y, g] cast %s\n%c = f32[y, g] cast %a\n%d = f32[y, g] add %c, %b\n"
			"%h = f16[g, y] cast %d\n", "%h = f16[y, g] cast %d" },
		{ "%h = f32[g, y] neg %s\n", "%h = f32[g, y] neg %s" },
		{ "%h = f16[g, y] cast %s\nresult \"h\" = %h\n", "%h = f16[g, y] cast %s" },
		{ "%i = f32[y, g] input \"i\"\n%j = f32[y, g] add %i, %i\n%h = f16[g, y] cast %j\nresult \"s\" = %s\n",
			"%h = f16[g, y] cast %j" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[1000];
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		(void)snprintf(text, sizeof text, "graph 1\nvar y 5\nvar t 3\nvar g 9\nvar z 4\n"
			"%%x = f32[y, t] input \"x\"\n%%w = f32[t, g] constant \"w\"\n%%p = f32[y, t, g] mul %%x, %%w\n"
			"%%s = f32[y, g] add.reduce %%p\n%s%%k = f32[g, y] %s %%h\n%%u = f32[z, g] input \"u\"\n"
			"%%m = f32[z, g, y] mul %%u, %%k\n%%e = f32[z, y] add.reduce %%m\n%%o = f32[z, g, y] max %%u, %%k\n"
			"result \"e\" = %%e\nresult \"o\" = %%o\n", cases[i].nodes,
			strstr(cases[i].want, "f32") ? "neg" : "cast");
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "order", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__pass_order(g, &h), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s", lt_context_message(ctx));
		compare_graphs(g, h, text);
		char *after = run_graph_text(h);
		cr_expect_not_null(strstr(after, cases[i].want), "%s", after);
		free(after);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* The cast has the dims of its halves in another order than they: a view of it is none of them. */
Test(pass, widen_keeps_what_a_cast_reorders)
{
	static const char *const cast[] = { "%w = f32[k, n] cast %b\n%v = f32[n2, k2] view { %w[k2, n2] }\n",
		"%w = f32[n, k] cast %b\n%v = f32[n2, k2] view { %w[n2, k2] }\n" };
	for (int i = 0; i < 2; i++) {
		char text[1000];
		struct lt_context *ctx;
		struct lt_graph *g, *h;
		(void)snprintf(text, sizeof text,
			"graph 1\nvar m 3\nvar k 4\nvar n 8\nvar n2 8\nvar k2 4\n%%a = f32[m, k2] input \"a\"\n"
			"%%b = f16[k, n] input \"b\"\n%s%%p = f32[m, n2, k2] mul %%a, %%v\n"
			"%%c = f32[m, n2] add.reduce %%p\nresult \"c\" = %%c\n", cast[i]);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "widen", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__pass_widen(g, &h), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s", lt_context_message(ctx));
		compare_graphs(g, h, cast[i]);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}
