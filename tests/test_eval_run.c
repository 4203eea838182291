/* The oracle at run time: gathers, updates, states, run-time scalars; and what it costs in memory. */
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "tests/oracle.h"

/* ---- gather, update, state ---- */

static lt_node gather_graph(struct oracle *b, const int64_t *index)
{
	lt_var r = lt_graph_var(b->g, "r", 3), c = lt_graph_var(b->g, "c", 2), i = lt_graph_var(b->g, "i", 4);
	static const float x[6] = { 0, 1, 10, 11, 20, 21 };

	lt_graph_at(b->g, 4, 2);
	return lt_graph_gather(
		b->g, oracle_input(b, LT_F32, 2, (lt_var[]){ r, c }, x), oracle_input(b, LT_I64, 1, &i, index), 0);
}

Test(eval_run, gather)
{
	static const int64_t index[4] = { 2, 0, 2, 1 };
	static const float want[8] = { 20, 21, 0, 1, 20, 21, 10, 11 };
	struct oracle *b = oracle_open(LT_F32);

	cr_assert_arr_eq(oracle_run(b, gather_graph(b, index), NULL), want, sizeof want);
	oracle_close(b);
	for (int bad = 0; bad < 2; bad++) {
		int64_t outside[4] = { 0, 1, bad ? 3 : -1, 0 };
		b = oracle_open(LT_F32);
		lt_node y = gather_graph(b, outside);
		cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK);
		cr_assert_eq(lt_eval(b->g, b->source, false, &b->e), LT_EFAULT);
		cr_expect_null(b->e);
		const char *says = lt_context_message(b->ctx);
		cr_expect(strstr(says, bad ? "index 3" : "index -1") && strstr(says, "extent is 3") && strstr(says, "4:2")
			&& strstr(says, b->g->node[y].name), "%s", says);
		oracle_close(b);
	}
}

/* Along a middle axis, by an index that shares an axis with a computed x, read through a view. */
Test(eval_run, gather_shared)
{
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 5;
	lt_var r = lt_graph_var(b->g, "r", 3), v = lt_graph_var(b->g, "v", 7), d = lt_graph_var(b->g, "d", 300),
	       i = lt_graph_var(b->g, "i", 5);
	lt_node x = oracle_random(b, LT_F32, 3, (lt_var[]){ r, v, d }, &seed, 0.125),
		index = oracle_input(b, LT_I32, 2, (lt_var[]){ r, i }, NULL);
	int32_t *at = b->data[index];

	for (int k = 0; k < 15; k++)
		at[k] = (int32_t)(oracle_noise(&seed) % 7);
	lt_node y = lt_graph_gather(b->g, lt_graph_unary(b->g, "neg", x), index, 1);
	cr_assert_eq(lt_node_rank(b->g, y), 3);
	const float *got = oracle_run(b, lt_graph_permute(b->g, y, 3, (int32_t[]){ 2, 0, 1 }), NULL), *from = b->data[x];
	for (int64_t k = 0; k < 300 * 3 * 5; k++) {
		int64_t at_d = k / 15, at_r = k / 5 % 3;
		cr_assert_eq(got[k], -from[(at_r * 7 + at[at_r * 5 + k % 5]) * 300 + at_d]);
	}
	oracle_close(b);
}

/* x with blocks replaced, the first value of x read again after that; a block that is made of x itself. */
Test(eval_run, update)
{
	for (int64_t at = 0; at < 4; at++) {
		struct oracle *b = oracle_open(LT_F32);
		static const float x[6] = { 0, 1, 2, 3, 4, 5 };
		lt_var v = lt_graph_var(b->g, "v", 6), one = lt_graph_var(b->g, "one", 1);
		lt_node in = oracle_input(b, LT_F32, 1, &v, x), begin = oracle_input(b, LT_I64, 1, &one, &at);
		lt_param p = lt_graph_param(b->g, begin, 0, 0, 3);
		lt_node base = lt_graph_binary(b->g, "add", in, in);
		lt_node part = lt_graph_slice(b->g, base, 0, 0, 1, 3);
		lt_node moved = lt_graph_update(b->g, base, part, (int64_t[]){ 0 }, &p);
		lt_node last = lt_graph_update(b->g, moved, lt_graph_slice(b->g, moved, 0, 5, -1, 2), (int64_t[]){ 0 },
			(lt_param[]){ LT_OMIT });
		lt_node y = lt_graph_binary(b->g, "sub", last, base);
		const float *got = oracle_run(b, y, NULL);
		float want[6], again[6];
		for (int i = 0; i < 6; i++)
			want[i] = 2 * x[i >= at && i < at + 3 ? i - at : i];
		memcpy(again, want, sizeof want);
		want[0] = again[5];
		want[1] = again[4];
		for (int i = 0; i < 6; i++)
			cr_assert_eq(got[i], want[i] - 2 * x[i], "at %lld: element %d is %g", (long long)at, i, (double)got[i]);
		oracle_close(b);
	}
}

/* A block of two dims, at a run-time row and a fixed column. */
Test(eval_run, update_block)
{
	struct oracle *b = oracle_open(LT_F32);
	static const int64_t row = 2;
	uint64_t seed = 3;
	lt_var r = lt_graph_var(b->g, "r", 5), c = lt_graph_var(b->g, "c", 7), s = lt_graph_var(b->g, "s", 2),
	       d = lt_graph_var(b->g, "d", 3);
	lt_var one = lt_graph_var(b->g, "one", 1);
	lt_node x = oracle_random(b, LT_I16, 2, (lt_var[]){ r, c }, &seed, 1),
		part = oracle_random(b, LT_I16, 2, (lt_var[]){ s, d }, &seed, 1);
	lt_param p = lt_graph_param(b->g, oracle_input(b, LT_I64, 1, &one, &row), 0, 0, 3);
	const int16_t *got =
		oracle_run(b, lt_graph_update(b->g, x, part, (int64_t[]){ 0, 4 }, (lt_param[]){ p, LT_OMIT }), NULL);
	const int16_t *old = b->data[x], *block = b->data[part];

	for (int i = 0; i < 35; i++) {
		bool inside = i / 7 >= 2 && i / 7 < 4 && i % 7 >= 4;
		cr_expect_eq(got[i], inside ? block[(i / 7 - 2) * 3 + i % 7 - 4] : old[i], "element %d is %d", i, got[i]);
	}
	oracle_close(b);
}

/* A value replaced by itself as a whole: neither may take the other's storage. */
Test(eval_run, update_by_itself)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[3] = { 1, 2, 3 };
	lt_var v = lt_graph_var(b->g, "v", 3);
	lt_node y = lt_graph_unary(b->g, "neg", oracle_input(b, LT_F32, 1, &v, x));
	const float *got = oracle_run(b, lt_graph_update(b->g, y, y, (int64_t[]){ 0 }, (lt_param[]){ LT_OMIT }), NULL);

	for (int i = 0; i < 3; i++)
		cr_expect_eq(got[i], -x[i]);
	oracle_close(b);
}

Test(eval_run, state)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float old[4] = { 1, 2, 3, 4 }, part[2] = { 8, 9 };
	float content[4];

	memcpy(content, old, sizeof old);
	lt_var v = lt_graph_var(b->g, "v", 4), w = lt_graph_var(b->g, "w", 2);
	lt_node s = lt_graph_state(b->g, "s", LT_F32, 1, &v), x = oracle_input(b, LT_F32, 1, &w, part);
	b->source[s] = content;
	lt_node next = lt_graph_update(b->g, s, x, (int64_t[]){ 1 }, (lt_param[]){ LT_OMIT });
	cr_assert_eq(lt_graph_set_state(b->g, s, next), LT_OK, "%s", lt_context_message(b->ctx));
	const double *error;
	const float *y = oracle_run(b, lt_graph_binary(b->g, "add", s, next), NULL), *set = lt_eval_state(b->e, 0, &error);
	static const float want[4] = { 1, 8, 9, 4 };
	for (int i = 0; i < 4; i++) {
		cr_expect_eq(set[i], want[i]);
		cr_expect_eq(y[i], old[i] + want[i]);
		cr_expect_eq(error[i], 0);
		cr_expect_eq(content[i], old[i], "the caller's state is changed");
	}
	oracle_close(b);
}

/* ---- run-time scalars ---- */

struct scalar_case { int64_t begin, end; bool given; lt_status status; const char *says; };

static void try_scalars(const struct scalar_case *c)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[7] = { 1, 2, 3, 4, 5, 6, 7 };
	int64_t ends[2] = { c->begin, c->end };
	lt_var v = lt_graph_var(b->g, "v", 7), two = lt_graph_var(b->g, "two", 2);
	lt_node in = oracle_input(b, LT_F32, 1, &v, x), limits = oracle_input(b, LT_I64, 1, &two, ends);
	lt_param begin = lt_graph_param(b->g, limits, 0, 0, 7), end = lt_graph_param(b->g, limits, 1, 0, 6);

	if (!c->given)
		b->source[limits] = NULL;
	lt_node part = lt_graph_slice_bounded(b->g, in, 0, begin, end);
	lt_var t = lt_node_dim(b->g, part, 0);
	lt_node sum = lt_graph_reduce(b->g, "add", part, 1, &t), max = lt_graph_reduce(b->g, "max", part, 1, &t);
	cr_assert_eq(lt_graph_result(b->g, "sum", sum), LT_OK);
	cr_assert_eq(lt_graph_result(b->g, "max", max), LT_OK);
	cr_assert_eq(lt_graph_result(b->g, "part", part), LT_OK);
	cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), c->status, "%lld..%lld: %s", (long long)c->begin,
		(long long)c->end, lt_context_message(b->ctx));
	if (c->status) {
		cr_expect(strstr(lt_context_message(b->ctx), c->says), "%s", lt_context_message(b->ctx));
		cr_expect(strstr(lt_context_message(b->ctx), b->g->node[limits].label), "%s", lt_context_message(b->ctx));
		oracle_close(b);
		return;
	}
	double want = 0, best = -INFINITY;
	const float *got = lt_eval_result(b->e, 2, NULL);
	for (int64_t i = 0; i < lt_var_extent(b->g, t); i++) {
		bool inside = i < c->end - c->begin;
		cr_expect_eq(got[i], inside ? x[c->begin + i] : 0);
		want += inside ? (double)x[c->begin + i] : 0;
		best = inside ? (double)x[c->begin + i] : best;
	}
	cr_expect_eq(lt_eval_extent(b->e, t), c->end - c->begin);
	cr_expect_eq(oracle_number(lt_eval_result(b->e, 0, NULL), 0, LT_F32), want);
	cr_expect_eq(oracle_number(lt_eval_result(b->e, 1, NULL), 0, LT_F32), best);
	oracle_close(b);
}

Test(eval_run, scalars)
{
	static const struct scalar_case cases[] = {
		{ 0, 6, true, LT_OK, NULL }, { 2, 5, true, LT_OK, NULL }, { 3, 3, true, LT_OK, NULL }, { 0, 1, true, LT_OK, NULL },
		{ 0, 7, true, LT_EFAULT, "element 1 of 'x1' is 7, outside of 0..6" },
		{ -1, 3, true, LT_EFAULT, "element 0 of 'x1' is -1, outside of 0..7" },
		{ 5, 2, true, LT_EFAULT, "element 0 of 'x1' is 5" },
		{ 0, 1, false, LT_EMISSING, "is not given" },
	};

	for (int i = 0; i < COUNT(cases); i++)
		try_scalars(&cases[i]);
}

/* What only unused nodes read need not be given; what a result reads must. */
Test(eval_run, missing)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[2] = { 1, 2 };
	lt_var v = lt_graph_var(b->g, "v", 2), one = lt_graph_var(b->g, "one", 1);
	lt_node in = oracle_input(b, LT_F32, 1, &v, x);
	lt_node absent = lt_graph_input(b->g, "absent", LT_F32, 1, &v), limit = lt_graph_input(b->g, "limit", LT_I64, 1, &one);
	lt_param p = lt_graph_param(b->g, limit, 0, 0, 2);

	lt_graph_slice_bounded(b->g, lt_graph_unary(b->g, "exp", absent), 0, LT_OMIT, p);
	cr_expect_eq(((const float *)oracle_run(b, in, NULL))[1], 2);
	lt_eval_free(b->e);
	cr_assert_eq(lt_graph_result(b->g, "z", lt_graph_unary(b->g, "neg", absent)), LT_OK);
	cr_expect_eq(lt_eval(b->g, b->source, false, &b->e), LT_EMISSING);
	cr_expect(strstr(lt_context_message(b->ctx), "input 'absent' is not given"), "%s", lt_context_message(b->ctx));
	oracle_close(b);
}

/* Results that are no operators: the caller's data, literals, positions; what lies after a bound is 0. */
Test(eval_run, plain_results)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const int64_t count = 3;
	lt_var v = lt_graph_var(b->g, "v", 2), one = lt_graph_var(b->g, "one", 1);
	lt_param p = lt_graph_param(b->g, oracle_input(b, LT_I64, 1, &one, &count), 0, 0, 4);
	lt_var t = lt_graph_var_bounded(b->g, "t", 4, 0, 1, &p, (int64_t[]){ 1 });
	lt_node in = oracle_input(b, LT_F32, 2, (lt_var[]){ v, t }, x), lit = lt_graph_literal(b->g, LT_F16, 0.5),
		index = lt_graph_index(b->g, t);

	cr_assert_eq(lt_graph_result(b->g, "in", in), LT_OK);
	cr_assert_eq(lt_graph_result(b->g, "lit", lit), LT_OK);
	cr_assert_eq(lt_graph_result(b->g, "index", index), LT_OK);
	cr_assert_eq(lt_graph_result(b->g, "again", in), LT_OK);
	cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	memset(b->data[in], 0, sizeof x);
	const double *error;
	for (int r = 0; r < 4; r += 3) {
		const float *got = lt_eval_result(b->e, r, &error);
		for (int i = 0; i < 8; i++)
			cr_expect(got[i] == (i % 4 < 3 ? x[i] : 0) && error[i] == 0, "element %d is %g", i, (double)got[i]);
	}
	cr_expect_eq(oracle_number(lt_eval_result(b->e, 1, NULL), 0, LT_F16), 0.5);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(oracle_number(lt_eval_result(b->e, 2, NULL), i, LT_I64), i < 3 ? i : 0);
	cr_expect_eq(lt_eval_extent(b->e, t), 3);
	oracle_close(b);
}

/* An extent that would be negative is 0, one that would pass its maximum is refused. */
Test(eval_run, extents)
{
	for (int64_t count = 0; count < 8; count += 3) {
		struct oracle *b = oracle_open(LT_F32);
		lt_var one = lt_graph_var(b->g, "one", 1);
		lt_param p = lt_graph_param(b->g, oracle_input(b, LT_I64, 1, &one, &count), 0, 0, 9);
		lt_var t = lt_graph_var_bounded(b->g, "t", 4, -1, 1, &p, (int64_t[]){ 1 });
		lt_node y = lt_graph_reduce(b->g, "add", lt_graph_index(b->g, t), 1, &t);
		cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK, "%s", lt_context_message(b->ctx));
		cr_assert_eq(lt_eval(b->g, b->source, false, &b->e), count > 5 ? LT_EFAULT : LT_OK);
		if (count > 5)
			cr_expect(strstr(lt_context_message(b->ctx), "'t' has extent 5"), "%s", lt_context_message(b->ctx));
		else
			cr_expect_eq(oracle_number(lt_eval_result(b->e, 0, NULL), 0, LT_I64), count == 3 ? 1 : 0);
		oracle_close(b);
	}
}

/* ---- size ---- */

/* The product's terms are not stored, and a chain of large values is freed as it is used. */
Test(eval_run, memory, .timeout = 60)
{
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 1;
	lt_var m = lt_graph_var(b->g, "m", 64), k = lt_graph_var(b->g, "k", 300), n = lt_graph_var(b->g, "n", 301);
	lt_node x = oracle_random(b, LT_F32, 2, (lt_var[]){ m, k }, &seed, 1),
		w = oracle_random(b, LT_F32, 2, (lt_var[]){ k, n }, &seed, 1);
	lt_node y = lt_graph_contract(b->g, x, w, 1, &k);
	const float *got = oracle_run(b, y, NULL), *a = b->data[x], *c = b->data[w];

	for (int64_t i = 0; i < 64 * 301; i++) {
		double want = 0;
		for (int64_t j = 0; j < 300; j++)
			want += (double)a[i / 301 * 300 + j] * (double)c[j * 301 + i % 301];
		cr_assert_eq(got[i], want);
	}
	cr_expect_lt(b->peak, 2 << 20, "%lld bytes", (long long)b->peak);
	oracle_close(b);
	b = oracle_open(LT_F32);
	m = lt_graph_var(b->g, "m", 1 << 16);
	y = oracle_random(b, LT_F32, 1, &m, &seed, 1);
	for (int i = 0; i < 40; i++)    /* each value is read twice, so each is stored */
		y = lt_graph_binary(b->g, "sub", lt_graph_unary(b->g, "neg", y), lt_graph_unary(b->g, "abs", y));
	oracle_run(b, y, NULL);
	cr_expect_lt(b->peak, 3 << 20, "%lld bytes", (long long)b->peak);
	oracle_close(b);
	b = oracle_open(LT_F32);
	m = lt_graph_var(b->g, "m", 1 << 16);
	lt_var tap = lt_graph_var(b->g, "tap", 64), out = lt_graph_var(b->g, "out", 1 << 16);
	y = lt_graph_window(b->g, oracle_random(b, LT_F32, 1, &m, &seed, 1), 0, out, tap, 1, 1, 5, 0);
	oracle_run(b, lt_graph_reduce(b->g, "add", y, 1, &tap), NULL);
	cr_expect_lt(b->peak, 3 << 20, "%lld bytes", (long long)b->peak);
	oracle_close(b);
}

/* Neither the machine's stack nor time runs out: 100000 nodes in a row, and 2^60 ways through a graph of 60. */
Test(eval_run, long_chains, .timeout = 60)
{
	static const float x[3] = { 1, -2, 3 };
	struct oracle *b = oracle_open(LT_F32);
	lt_var v = lt_graph_var(b->g, "v", 3);
	lt_node y = oracle_input(b, LT_F32, 1, &v, x), half = lt_graph_literal(b->g, LT_F32, 0.5);

	for (int i = 0; i < 100000; i++)
		y = lt_graph_unary(b->g, "neg", y);
	for (int i = 0; i < 60; i++)
		y = lt_graph_binary(b->g, "mul", lt_graph_binary(b->g, "add", y, y), half);
	for (int i = 0; i < 300; i++)
		y = lt_graph_permute(b->g, lt_graph_reshape(b->g, y, 2, (int64_t[]){ 3, 1 }), 2, (int32_t[]){ 1, 0 }),
		y = lt_graph_reshape(b->g, y, 1, (int64_t[]){ 3 });
	cr_expect_arr_eq(oracle_run(b, y, NULL), x, sizeof x);
	oracle_close(b);
}

/* ---- when memory ends ---- */

Test(eval_run, allocation_failure)
{
	static const float x[6] = { 1, 2, 3, 4, 5, 6 };
	static const int64_t at = 2;
	struct oracle_ration r = { .left = LONG_MAX };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_evaluation *e;
	const void *source[64] = { NULL };

	cr_assert_eq(lt_context_new_with(oracle_rationed, &r, &ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	lt_var v = lt_graph_var(g, "v", 6), one = lt_graph_var(g, "one", 1);
	lt_node in = lt_graph_input(g, "x", LT_F32, 1, &v), begin = lt_graph_input(g, "b", LT_I64, 1, &one);
	lt_param p = lt_graph_param(g, begin, 0, 0, 4);
	lt_node y = lt_graph_update(g, lt_graph_unary(g, "exp", in), lt_graph_slice(g, in, 0, 0, 1, 2), (int64_t[]){ 0 }, &p);
	y = lt_graph_gather(g, lt_build_softmax(g, y, 0), begin, 0);
	cr_assert_eq(lt_graph_result(g, "y", y), LT_OK, "%s", lt_context_message(ctx));
	source[in] = x;
	source[begin] = &at;
	long live = r.live, n = 0;
	for (lt_status status = LT_ENOMEM; status; n++) {
		r.left = n;
		status = lt_eval(g, source, true, &e);
		cr_assert(status == LT_OK || (status == LT_ENOMEM && !e), "allocation %ld: %s", n, lt_context_message(ctx));
		lt_eval_free(e);
		cr_assert_eq(r.live, live, "allocation %ld leaks", n);
	}
	cr_expect_gt(n, 5);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* Coefficients whose sums need more than 63 bits: refused when the graph is built, or when it is evaluated, but never
 * wrapped. */
Test(eval_run, wide_rows)
{
	static const int64_t rows[][2] = { { 0, INT64_MAX }, { INT64_MAX, 1 }, { INT64_MIN, -1 } };

	for (int i = 0; i < COUNT(rows); i++) {
		struct oracle *b = oracle_open(LT_F32);
		static const float x[4] = { 1, 2, 3, 4 };
		lt_var v = lt_graph_var(b->g, "v", 4), w = lt_graph_var(b->g, "w", 300), u = lt_graph_var(b->g, "u", 2);
		const int64_t row[3] = { 0 }, guard[3] = { rows[i][0], rows[i][1], rows[i][1] };
		struct lt_view_piece piece = { .source = oracle_input(b, LT_F32, 1, &v, x),
			.map = { .n_dim = 2, .n_guard = 1, .n_row = 1, .guard = guard, .row = row } };
		lt_node y = lt_graph_view(b->g, 2, (lt_var[]){ u, w }, 1, &piece, 0, 1);
		if (y >= 0) {
			cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK);
			cr_expect_eq(lt_eval(b->g, b->source, false, &b->e), LT_EOVERFLOW, "case %d", i);
			cr_expect(strstr(lt_context_message(b->ctx), "63 bits"), "%s", lt_context_message(b->ctx));
		}
		oracle_close(b);
	}
}
