/* test_graph.c -- building values: types, dims, names, run-time scalars, gather, update, results, and every
 * refusal. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/node/node.h"

static struct lt_context *ctx;
static struct lt_graph *g;
static lt_var m, k, n;
static lt_node a, b;            /* f32 [m k] and [k n] */

static void open_graph(void)
{
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	m = lt_graph_var(g, "m", 3), k = lt_graph_var(g, "k", 4), n = lt_graph_var(g, "n", 5);
	a = lt_graph_input(g, "a", LT_F32, 2, (const lt_var[]){ m, k });
	b = lt_graph_input(g, "b", LT_F32, 2, (const lt_var[]){ k, n });
}

static void close_graph(void)
{
	cr_expect_eq(lt_graph_verify(g), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	lt_context_free(ctx);
}

TestSuite(graph, .init = open_graph, .fini = close_graph);

static lt_node input(const char *name, enum lt_dtype t)
{
	return lt_graph_input(g, name, t, 2, (const lt_var[]){ m, k });
}

static bool has_dims(lt_node x, int32_t count, const lt_var *dims)
{
	return g->node[x].n_dim == count && !memcmp(g->node[x].dim, dims, sizeof *dims * (size_t)count);
}
#define DIMS(...) (int32_t)(sizeof((lt_var[]){ __VA_ARGS__ }) / sizeof(lt_var)), (const lt_var[]){ __VA_ARGS__ }

/* The last failure is of that code and its sentence has each of the words, which '|' separates. */
static void expect_failure(long long got, lt_status code, const char *words)
{
	char copy[256], *word, *rest = copy;

	cr_expect_eq(got, -1);
	cr_expect_eq(lt_context_code(ctx), code, "%s instead of %s: %s", lt_status_name(lt_context_code(ctx)),
		lt_status_name(code), lt_context_message(ctx));
	snprintf(copy, sizeof copy, "%s", words);
	while ((word = strsep(&rest, "|")))
		cr_expect(strstr(lt_context_message(ctx), word), "'%s' is not in: %s", word, lt_context_message(ctx));
	lt_context_clear(ctx);
}

/* -1 is what has failed, and is handed on with its sentence; what is left out is said so. */
Test(graph, none_is_not_left_out)
{
	lt_node pos = lt_graph_input(g, "pos", LT_I64, 0, NULL), x = lt_graph_cast(g, pos, LT_F32);
	lt_var one = lt_graph_var(g, "one", 1), four = lt_graph_var(g, "four", 4);
	lt_node part = lt_graph_input(g, "part", LT_F32, 2, (const lt_var[]){ one, k }),
		w = lt_graph_input(g, "w", LT_F32, 1, &four);
	const int64_t zero[2] = { 0, 0 };
	const struct lt_view_piece piece[2] = { { .source = LT_NONE, .map = { .n_dim = 0 } }, { .source = pos } };

	cr_expect_eq(lt_graph_param(g, x, 0, 0, 1), LT_NONE);
	const char *first = strdup(lt_context_message(ctx));
	lt_node handed[] = { lt_graph_slice_bounded(g, a, 0, lt_graph_param(g, LT_NONE, 0, 0, 1), LT_OMIT),
		lt_graph_update(g, a, part, zero, (const lt_param[]){ LT_OMIT, LT_NONE }),
		lt_build_sliced_softmax(g, a, LT_NONE), lt_build_layer_norm(g, a, LT_NONE, LT_OMIT, 1e-5),
		lt_build_layer_norm(g, a, LT_OMIT, LT_NONE, 1e-5), lt_build_relu(g, LT_NONE),
		lt_graph_view(g, 0, NULL, 2, piece, 0, 0),
		lt_graph_var_bounded(g, NULL, 9, 0, 1, (const lt_param[]){ LT_NONE }, zero) };
	for (size_t i = 0; i < sizeof handed / sizeof *handed; i++)
		cr_expect_eq(handed[i], LT_NONE, "%zu: %d", i, handed[i]);
	cr_expect_str_eq(lt_context_message(ctx), first);
	free((char *)(uintptr_t)first);
	lt_context_clear(ctx);
	/* Without such a sentence there is one of its own. */
	expect_failure(lt_graph_slice_bounded(g, a, 0, LT_NONE, LT_OMIT), LT_EINVAL, "run-time scalar is missing|LT_OMIT");
	expect_failure(lt_graph_update(g, a, part, zero, (const lt_param[]){ LT_NONE, LT_NONE }), LT_EINVAL, "LT_OMIT");
	expect_failure(lt_build_layer_norm(g, a, LT_NONE, LT_OMIT, 1e-5), LT_EINVAL, "weight|LT_OMIT");
	expect_failure(lt_build_layer_norm(g, a, LT_OMIT, LT_NONE, 1e-5), LT_EINVAL, "bias|LT_OMIT");
	expect_failure(lt_graph_view(g, 0, NULL, 2, piece, 0, 0), LT_EINVAL, "source of a piece|LT_OMIT");
	/* Where it may not be left out, it is no number of a node. */
	expect_failure(lt_build_relu(g, LT_OMIT), LT_EINVAL, "-2");
	expect_failure(lt_build_rms_norm(g, a, LT_OMIT, 1e-5), LT_EINVAL, "-2");
	expect_failure(lt_graph_param(g, LT_OMIT, 0, 0, 1), LT_EINVAL, "-2");
	cr_expect(lt_graph_slice_bounded(g, a, 0, LT_OMIT, LT_OMIT) == a && lt_graph_update(g, a, part, zero, NULL) >= 0
		&& lt_build_layer_norm(g, a, LT_OMIT, LT_OMIT, 1e-5) >= 0 && lt_build_layer_norm(g, a, w, LT_OMIT, 1e-5) >= 0
		&& lt_build_sliced_softmax(g, a, LT_OMIT) >= 0, "%s", lt_context_message(ctx));
}

static void count_bytes(void *user, const char *text, size_t bytes) { *(size_t *)user += text ? bytes : 0; }

/* Every pointer of lt/graph.h that may be NULL. */
Test(graph, what_may_be_null)
{
	lt_node s = lt_graph_literal(g, LT_F32, 2), state = lt_graph_state(g, NULL, LT_F32, 0, NULL);
	lt_param p = lt_graph_param(g, lt_graph_input(g, "pos", LT_I64, 0, NULL), 0, 0, 3);
	const struct lt_view_piece piece = { .source = s };
	struct lt_graph *parsed = NULL;
	size_t bytes = 0;
	const lt_node made[] = { s, state, lt_graph_constant(g, "c", LT_F32, 0, NULL),
		lt_graph_op_to(g, "neg", 1, &s, 0, NULL), lt_graph_reduce(g, "add", a, 0, NULL),
		lt_graph_contract(g, a, a, 0, NULL), lt_graph_view(g, 0, NULL, 1, &piece, 0, 0),
		lt_graph_rename(g, s, 0, NULL), lt_graph_permute(g, s, 0, NULL), lt_graph_reshape(g, s, 0, NULL),
		lt_graph_reshape_to(g, s, 0, NULL), lt_graph_pad(g, s, NULL, NULL, 0),
		lt_graph_update(g, s, s, NULL, NULL), lt_graph_update(g, a, a, (const int64_t[]){ 0, 0 }, NULL) };

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		cr_expect(made[i] >= 0, "%zu: %s", i, lt_context_message(ctx));
	cr_expect(lt_graph_var(g, NULL, 3) >= 0 && lt_graph_var_bounded(g, NULL, 3, 0, 1, &p, &(int64_t){ 1 }) >= 0);
	cr_expect_geq(lt_graph_var_bounded(g, NULL, 3, 3, 0, NULL, NULL), 0);
	cr_expect_eq(lt_graph_require(g, 0, 2, 1, &p, &(int64_t){ -1 }, NULL), LT_OK);
	cr_expect_eq(lt_graph_require(g, 0, 0, 0, NULL, NULL, NULL), LT_OK);
	lt_node_set_name(g, a, NULL);
	lt_var_set_name(g, m, NULL);
	cr_expect(!strcmp(g->node[a].name, "a") && !strcmp(g->var[m].name, "m"));
	cr_expect(lt_graph_print(g, count_bytes, &bytes) == LT_OK && lt_graph_dot(g, count_bytes, &bytes) == LT_OK
		&& bytes > 0);
	cr_expect_neq(lt_graph_parse(ctx, "graph 2", 7, NULL, &parsed), LT_OK);
	cr_expect(strstr(lt_context_message(ctx), "graph:1:"), "%s", lt_context_message(ctx));
	lt_context_clear(ctx);
	lt_graph_free(parsed);
	cr_assert_eq(lt_graph_set_state(g, state, s), LT_OK);
}

Test(graph, dims_of_operators)
{
	lt_node p = lt_graph_binary(g, "mul", a, b), s, one = lt_graph_literal(g, LT_F32, 1.5);
	lt_var loops[4];

	cr_expect(has_dims(p, DIMS(m, k, n)));
	cr_expect(has_dims(lt_graph_binary(g, "add", b, a), DIMS(k, n, m)), "in order of appearance");
	cr_expect(has_dims(lt_graph_binary(g, "add", one, a), DIMS(m, k)));
	cr_expect_eq(lt_node_rank(g, one), 0);
	cr_expect_eq(g->node[one].bits, 0x3fc00000);
	cr_expect(has_dims(lt_graph_op_to(g, "copy", 1, &a, DIMS(n, k, m)), DIMS(n, k, m)), "a superset broadcasts");
	s = lt_graph_reduce(g, "add", p, 1, &k);
	cr_expect(has_dims(s, DIMS(m, n)) && g->node[s].reduce && g->node[s].op == LT_OP_add);
	cr_expect_eq(lt__node_loops(g, s, loops), 3);
	cr_expect(loops[0] == m && loops[1] == n && loops[2] == k);
	cr_expect_eq(lt_graph_reduce(g, "max", p, 0, NULL), p, "over nothing");
	s = lt_graph_contract(g, a, b, 1, &k);
	cr_expect(has_dims(s, DIMS(m, n)) && g->node[g->node[s].operand[0]].op == LT_OP_mul);
	cr_expect_eq(lt__node_elems(g, p), 60);
	cr_expect(has_dims(lt_graph_index(g, k), 1, &k));
	cr_expect_str_eq(lt__node_shape_text(g, p), "m 3, k 4, n 5");
}

/* Half types and small integers are computed in f32 and i32 between casts. */
Test(graph, compute_types)
{
	static const struct { enum lt_dtype t, compute; } rows[] = {
		{ LT_F16, LT_F32 }, { LT_BF16, LT_F32 }, { LT_I8, LT_I32 }, { LT_U8, LT_I32 }, { LT_I16, LT_I32 },
		{ LT_F32, LT_F32 }, { LT_F64, LT_F64 }, { LT_I32, LT_I32 }, { LT_I64, LT_I64 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *name = lt__dtype_info(rows[i].t)->name;
		bool casts = rows[i].t != rows[i].compute;
		lt_node x = input(name, rows[i].t), y, op, from;
		int32_t before = g->n_node;

		y = lt_graph_binary(g, "mul", x, x);
		cr_expect_eq(g->n_node - before, casts ? 3 : 1, "%s: one cast for both operands", name);
		cr_expect_eq(lt_node_dtype(g, y), rows[i].t);
		op = casts ? g->node[y].operand[0] : y;
		cr_expect(g->node[op].op == LT_OP_mul && g->node[op].dtype == rows[i].compute);
		from = g->node[op].operand[0];
		cr_expect(casts ? g->node[from].op == LT_OP_cast && g->node[from].operand[0] == x
					&& strstr(g->node[from].name, ".cast")
				: from == x,
			"%s", name);
		y = lt_graph_binary(g, "less", x, y);
		cr_expect(g->node[y].op == LT_OP_less && g->node[y].dtype == LT_BOOL, "%s: no cast behind a comparison", name);
		before = g->n_node;
		y = lt_graph_reduce(g, "max", x, 1, &k);
		cr_expect(g->node[y].dtype == rows[i].t && g->n_node - before == (casts ? 3 : 1), "%s", name);
		before = g->n_node;
		y = lt_graph_contract(g, x, x, 1, &k);
		cr_expect(g->node[y].dtype == rows[i].t && g->n_node - before == (casts ? 4 : 2), "%s: rounded once", name);
		before = g->n_node;
		y = lt_graph_op(g, "select", 3, (const lt_node[]){ lt_graph_literal_int(g, LT_BOOL, 1), x, x });
		cr_expect(g->node[y].dtype == rows[i].t && g->n_node - before == 2, "%s: moved as it is", name);
		cr_expect_eq(lt_graph_cast(g, x, rows[i].t), x);
	}
}

Test(graph, names)
{
	lt_var v, bounded;
	lt_node x;

	cr_expect_str_eq(g->var[lt_graph_var(g, "m", 3)].name, "m2", "two vars of equal name and extent stay apart");
	cr_expect_str_eq(g->var[lt_graph_var(g, "m", 3)].name, "m3");
	cr_expect_str_eq(g->var[lt_graph_var(g, "m2", 3)].name, "m2_2");
	cr_expect_str_eq(g->var[lt_graph_var(g, "2x-y'", 1)].name, "_2x_y_");
	cr_expect_str_eq(g->var[lt_graph_var(g, "", 1)].name, "_");
	v = lt_graph_var(g, NULL, 1);
	cr_expect(strlen(g->var[v].name) > 0);
	lt_var_set_name(g, v, "k");
	cr_expect_str_eq(g->var[v].name, "k2");
	lt_var_set_name(g, v, "k2");
	cr_expect_str_eq(g->var[v].name, "k2", "its own name is not taken");
	bounded = lt_graph_var_bounded(g, "t", 9, 3, 0, NULL, NULL);
	cr_expect(g->var[bounded].bounded && lt_var_extent(g, bounded) == 9);
	x = lt_graph_unary(g, "exp", a);
	lt_node_set_name(g, x, "5.mul");
	cr_expect_str_eq(g->node[x].name, "5.mul");
	lt_node_set_name(g, lt_graph_unary(g, "exp", a), "5.mul");
	cr_expect_str_eq(g->node[x + 1].name, "5.mul2");
	lt_node_set_name(g, x, "no such char: %s");
	cr_expect_str_eq(g->node[x].name, "no_such_char___s");
	cr_expect_str_eq(g->node[lt_graph_input(g, "a-b", LT_F32, 0, NULL)].label, "a-b",
		"a label keeps what a name cannot have");
	cr_expect_eq(lt_graph_input(g, "a", LT_F32, 0, NULL), -1);
	cr_expect_eq(lt_context_code(ctx), LT_EEXIST);
	cr_expect(lt_graph_constant(g, "a", LT_F32, 0, NULL) >= 0, "inputs and constants are apart");
	cr_expect(lt_graph_state(g, NULL, LT_F32, 0, NULL) >= 0, "a state needs no name");
}

Test(graph, places)
{
	g->file = "net.lt";
	lt_graph_at(g, 12, 5);
	expect_failure(lt_graph_binary(g, "add", a, lt_graph_literal_int(g, LT_I64, 1)), LT_ETYPE,
		"net.lt:12:5: |'a'|f32|i64|cast");
	cr_expect_eq(g->node[lt_graph_unary(g, "exp", a)].line, 12);
	g->file = NULL;
	expect_failure(lt_graph_unary(g, "exp", 4711), LT_EINVAL, "12:5: |4711");
}

Test(graph, refusals)
{
	lt_node i = input("i", LT_I64), c = input("c", LT_BOOL), h = input("h", LT_F16);

	expect_failure(lt_graph_unary(g, "nonsense", a), LT_EINVAL, "nonsense");
	expect_failure(lt_graph_unary(g, "view", a), LT_EINVAL, "view");
	expect_failure(lt_graph_unary(g, "add", a), LT_EINVAL, "add|2");
	expect_failure(lt_graph_unary(g, "exp", i), LT_ETYPE, "exp|i64|cast");
	expect_failure(lt_graph_binary(g, "add", c, c), LT_ETYPE, "bool");
	expect_failure(lt_graph_binary(g, "and", h, h), LT_ETYPE, "'and'|f16");
	expect_failure(lt_graph_op(g, "select", 3, (const lt_node[]){ i, a, a }), LT_ETYPE, "'i'|bool");
	expect_failure(lt_graph_op(g, "select", 3, (const lt_node[]){ c, a, i }), LT_ETYPE, "f32|i64");
	expect_failure(lt_graph_op_to(g, "exp", 1, &a, DIMS(m)), LT_ETYPE, "'k'");
	expect_failure(lt_graph_op_to(g, "exp", 1, &a, DIMS(m, k, m)), LT_EINVAL, "'m'|same");
	expect_failure(lt_graph_reduce(g, "sub", a, 1, &k), LT_EINVAL, "sub");
	expect_failure(lt_graph_reduce(g, "add", a, 1, &n), LT_ETYPE, "'n'");
	expect_failure(lt_graph_reduce(g, "add", a, DIMS(k, k)), LT_EINVAL, "twice");
	expect_failure(lt_graph_reduce(g, "add", c, 1, &k), LT_ETYPE, "bool");
	expect_failure(lt_graph_contract(g, a, i, 1, &k), LT_ETYPE, "f32|i64");
	expect_failure(lt_graph_input(g, "twice", LT_F32, DIMS(m, m)), LT_EINVAL, "'m'");
	expect_failure(lt_graph_input(g, NULL, LT_F32, DIMS(m)), LT_EINVAL, "name");
	expect_failure(lt_graph_input(g, "t", 77, DIMS(m)), LT_EINVAL, "77");
	expect_failure(lt_graph_input(g, "v", LT_F32, DIMS(99)), LT_EINVAL, "99");
	expect_failure(lt_graph_var(g, "zero", 0), LT_EINVAL, "'zero'|0");
	expect_failure(lt_graph_index(g, 99), LT_EINVAL, "99");
	expect_failure(lt_graph_gather(g, a, b, 0), LT_ETYPE, "'b'|integer");
	expect_failure(lt_graph_gather(g, a, i, 2), LT_EINVAL, "no axis 2");
	expect_failure(lt_graph_cast(g, a, 0), LT_EINVAL, "type");
	cr_expect_eq(lt_graph_unary(g, "exp", -1), -1);
	cr_expect_eq(lt_graph_op_to(g, "exp", 1, &a, DIMS(m, k, -1)), -1);
	cr_expect_eq(lt_graph_reduce(g, "add", a, DIMS(-1)), -1);
	cr_expect_eq(lt_graph_index(g, -1), -1);
	cr_expect_eq(lt_graph_input(g, "failed", LT_F32, DIMS(-1)), -1);
	cr_expect_eq(lt_context_code(ctx), LT_OK, "a failed operand keeps the first sentence");
}

Test(graph, sizes_overflow)
{
	lt_var big = lt_graph_var(g, "big", INT64_C(1) << 31), large = lt_graph_var(g, "large", INT64_C(1) << 30);
	lt_var deep[LT_MAX_RANK + 1];

	expect_failure(lt_graph_input(g, "x", LT_F32, DIMS(big, large)), LT_EOVERFLOW, "big|62 bits");
	cr_expect(lt_graph_input(g, "x", LT_BOOL, DIMS(big, large)) >= 0);
	expect_failure(lt_graph_input(g, "y", LT_BOOL, DIMS(big, large, m, k, n)), LT_EOVERFLOW, "");
	for (int32_t i = 0; i <= LT_MAX_RANK; i++)
		deep[i] = lt_graph_var(g, NULL, 1);
	cr_expect(lt_graph_input(g, "deep", LT_F32, LT_MAX_RANK, deep) >= 0);
	expect_failure(lt_graph_input(g, "deeper", LT_F32, LT_MAX_RANK + 1, deep), LT_EUNSUPPORTED, "65");
}

Test(graph, run_time_scalars)
{
	lt_var two = lt_graph_var(g, NULL, 2), three = lt_graph_var(g, NULL, 3);
	lt_node x = lt_graph_input(g, "pos", LT_I64, DIMS(two, three)), row, part, padded;
	lt_param p = lt_graph_param(g, x, 4, 0, 9);

	cr_expect_eq(lt_graph_param(g, x, 4, 0, 9), p, "the same element and range");
	cr_expect_neq(lt_graph_param(g, x, 4, 0, 8), p);
	cr_expect_str_eq(g->param[p].name, "pos_4");
	row = lt_graph_reshape(g, lt_graph_permute(g, x, 2, (const int32_t[]){ 1, 0 }), 1, (const int64_t[]){ 6 });
	cr_expect_eq(lt_graph_param(g, row, 3, 0, 9), p, "through two views: [3][2] element (1, 1) is [2][3] element (1, 1)");
	part = lt_graph_slice(g, row, 0, 3, 1, 2);
	cr_expect_eq(lt_graph_param(g, part, 0, 0, 9), p);
	padded = lt_graph_pad(g, part, (const int64_t[]){ 1 }, (const int64_t[]){ 0 }, 0);
	cr_expect_eq(lt_graph_param(g, padded, 1, 0, 9), p);
	cr_expect_eq(lt_graph_param(g, padded, 0, 0, 9), LT_NONE);
	cr_expect(strstr(lt_context_message(ctx), "fill"), "%s", lt_context_message(ctx));
	cr_expect_eq(lt_graph_param(g, lt_graph_unary(g, "neg", x), 0, 0, 9), LT_NONE);
	cr_expect(strstr(lt_context_message(ctx), "computed (neg)"), "%s", lt_context_message(ctx));
	cr_expect_eq(lt_graph_param(g, lt_graph_slice_bounded(g, row, 0, LT_OMIT, p), 0, 0, 9) >= 0, true,
		"its map has no scalar");
	cr_expect_eq(lt_graph_param(g, lt_graph_slice_bounded(g, row, 0, p, LT_OMIT), 0, 0, 9), LT_NONE);
	cr_expect_eq(lt_graph_param(g, a, 0, 0, 9), LT_NONE, "a float");
	cr_expect_eq(lt_graph_param(g, x, 6, 0, 9), LT_NONE);
	cr_expect_eq(lt_graph_param(g, x, -1, 0, 9), LT_NONE);
	cr_expect_eq(lt_graph_param(g, x, 0, 9, 0), LT_NONE);
	cr_expect_eq(lt_graph_param(g, -1, 0, 0, 9), LT_NONE);
}

Test(graph, limits_and_requirements)
{
	lt_node x = lt_graph_input(g, "pos", LT_I64, 0, NULL);
	lt_param p = lt_graph_param(g, x, 0, 0, 9), q = lt_graph_param(g, x, 0, -5, 5);
	const lt_param twice[] = { p, q, p };
	const int64_t one[] = { 1, 0, 1 }, huge[] = { INT64_MAX, 0, 1 };
	lt_var v = lt_graph_var_bounded(g, "t", 30, 1, 3, twice, one);

	cr_expect(g->var[v].limit.n == 1 && g->var[v].limit.param[0] == p && g->var[v].limit.coef[0] == 2,
		"equal scalars add up");
	cr_expect_str_eq(g->param[p].name, "pos");
	cr_expect_eq(lt_graph_var_bounded(g, "t", 30, 1, 3, twice, huge), -1);
	cr_expect_eq(lt_context_code(ctx), LT_EOVERFLOW);
	cr_expect_eq(lt_graph_var_bounded(g, "t", 30, 1, 1, (const lt_param[]){ 9 }, one), -1);
	cr_expect_eq(lt_graph_require(g, 0, 0, 1, &p, one, "p >= 0"), LT_OK);
	cr_expect_eq(g->n_require, 0, "its range says so already");
	cr_expect_eq(lt_graph_require(g, 0, 0, 1, &q, one, "q >= 0"), LT_OK);
	cr_expect_eq(lt_graph_require(g, 1, -3, 1, &p, one, "p == 3"), LT_OK);
	cr_expect(g->n_require == 2 && g->require[1].equal && !strcmp(g->require[0].text, "q >= 0"));
}

Test(graph, gathers)
{
	lt_node rows = lt_graph_input(g, "rows", LT_I32, 1, &n), both = lt_graph_input(g, "both", LT_I64, DIMS(n, m));

	cr_expect(has_dims(lt_graph_gather(g, a, rows, 0), DIMS(n, k)));
	cr_expect(has_dims(lt_graph_gather(g, a, rows, 1), DIMS(m, n)));
	cr_expect(has_dims(lt_graph_gather(g, a, both, 1), DIMS(m, n)), "a shared var is one dim");
	cr_expect(has_dims(lt_graph_gather(g, a, both, 0), DIMS(n, m, k)), "the axis itself may be one of the index's");
	cr_expect(has_dims(lt_graph_gather(g, a, lt_graph_literal_int(g, LT_U8, 2), 0), 1, &k));
}

Test(graph, updates)
{
	lt_node pos = lt_graph_input(g, "pos", LT_I64, 0, NULL), part, same, x;
	lt_param p = lt_graph_param(g, pos, 0, 0, 2), q = lt_graph_param(g, pos, 0, 0, 9);
	lt_var two = lt_graph_var(g, "two", 2);

	part = lt_graph_input(g, "part", LT_F32, DIMS(two, k));
	x = lt_graph_update(g, a, part, (const int64_t[]){ 1, 0 }, (const lt_param[]){ LT_OMIT, LT_OMIT });
	cr_assert(x >= 0, "%s", lt_context_message(ctx));
	cr_expect(has_dims(x, DIMS(m, k)) && g->node[x].operand[1] == part && g->n_require == 0);
	expect_failure(lt_graph_update(g, a, part, (const int64_t[]){ 2, 0 }, (const lt_param[]){ LT_OMIT, LT_OMIT }),
		LT_ETYPE, "2 elements at 2");
	x = lt_graph_update(g, a, part, (const int64_t[]){ 0, 0 }, (const lt_param[]){ q, LT_OMIT });
	cr_expect(x >= 0 && g->n_require == 1, "it ends past the axis if q > 1");
	cr_expect(g->require[0].value.constant == 1 && g->require[0].value.coef[0] == -1);
	lt_graph_update(g, a, part, (const int64_t[]){ -1, 0 }, (const lt_param[]){ p, LT_OMIT });
	cr_expect_eq(g->n_require, 2, "it begins before 0 if p is 0; 2 is fine");
	same = lt_graph_input(g, "same", LT_F32, DIMS(m, k));
	x = lt_graph_update(g, a, same, (const int64_t[]){ 0, 0 }, (const lt_param[]){ q, LT_OMIT });
	cr_expect(x >= 0 && g->node[g->node[x].operand[1]].op == LT_OP_view,
		"a var that is not at the same positions is renamed");
	cr_expect_eq(lt_node_dim(g, g->node[x].operand[1], 1), k);
	expect_failure(lt_graph_update(g, a, b, (const int64_t[]){ 0, 0 }, (const lt_param[]){ LT_OMIT, LT_OMIT }),
		LT_ETYPE, "fit");
	expect_failure(lt_graph_update(g, a, pos, NULL, NULL), LT_ETYPE, "2 dims");
	expect_failure(lt_graph_update(g, a, input("wide", LT_F64), (const int64_t[]){ 0, 0 },
			       (const lt_param[]){ LT_OMIT, LT_OMIT }),
		LT_ETYPE, "f64");
	expect_failure(lt_graph_update(g, a, part, (const int64_t[]){ INT64_MIN, 0 }, (const lt_param[]){ p, LT_OMIT }),
		LT_EOVERFLOW, "");
}

Test(graph, results_and_states)
{
	lt_node s = lt_graph_state(g, "s", LT_F32, DIMS(m, k)), x = lt_graph_unary(g, "exp", s);

	cr_expect_eq(lt_graph_set_state(g, s, x), LT_OK);
	cr_expect_eq(lt_graph_set_state(g, s, x), LT_EEXIST);
	cr_expect_eq(lt_graph_set_state(g, a, x), LT_EINVAL);
	cr_expect_eq(lt_graph_set_state(g, s, b), LT_ETYPE);
	cr_expect_eq(lt_graph_set_state(g, s, lt_graph_cast(g, x, LT_F64)), LT_ETYPE);
	cr_expect_eq(lt_graph_result(g, NULL, x), LT_OK);
	cr_expect_str_eq(g->result[0].name, "result");
	cr_expect_eq(lt_graph_result(g, "result", a), LT_EEXIST);
	cr_expect_eq(lt_graph_result(g, "other", 99), LT_EINVAL);
	lt_context_clear(ctx);
	cr_expect_neq(lt_graph_result(g, "other", -1), LT_OK);
	cr_expect_eq(lt_graph_result(g, "other", lt_graph_unary(g, "exp", lt_graph_unary(g, "nonsense", a))), LT_EINVAL);
	cr_expect(strstr(lt_context_message(ctx), "nonsense"), "the first sentence of a chain stays");
	cr_expect_eq(g->n_result, 1);
}

/* Nodes that no builder makes, as a parser or a pass might. */
Test(graph, verify_refuses)
{
	const struct lt_nodedef good = { .op = LT_OP_add,
		.dtype = LT_F32,
		.n_operand = 2,
		.operand = (lt_node[]){ a, a },
		.n_dim = 2,
		.dim = (lt_var[]){ m, k } };
	struct lt_nodedef d = good;
	lt_node i = input("i", LT_I64);

	cr_assert(lt__graph_add(g, &d) >= 0);
	d.dtype = LT_BOOL;
	expect_failure(lt__graph_add(g, &d), LT_ETYPE, "bool");
	d = good, d.n_operand = 1;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "1 operands|2");
	d = good, d.operand = (lt_node[]){ a, g->n_node };
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "come before");
	d = good, d.op = LT_NOP;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "operator");
	d = good, d.reduce = true, d.n_operand = 1;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "no dim");
	d = good, d.reduce = true, d.n_operand = 1, d.op = LT_OP_sub, d.n_dim = 1;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "reduce");
	d = good, d.reduce = true, d.n_operand = 1, d.n_dim = 1, d.dim = &n;
	expect_failure(lt__graph_add(g, &d), LT_ETYPE, "'n'");
	d = good, d.reduce = true, d.n_operand = 1, d.n_dim = 1, d.dtype = LT_F64;
	expect_failure(lt__graph_add(g, &d), LT_ETYPE, "f64");
	d = good, d.op = LT_OP_lit, d.n_operand = 0;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "no dims");
	d = good, d.op = LT_OP_lit, d.n_operand = d.n_dim = 0, d.bits = UINT64_C(1) << 32;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "f32");
	d.dtype = LT_BOOL, d.bits = 2;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "bool");
	d = good, d.op = LT_OP_input, d.n_operand = 0;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "name");
	d = good, d.op = LT_OP_index, d.n_operand = 0, d.n_dim = 1, d.var = m;
	expect_failure(lt__graph_add(g, &d), LT_EINVAL, "i64");
	d = good, d.op = LT_OP_gather, d.operand = (lt_node[]){ a, i }, d.axis = 1, d.n_dim = 1;
	expect_failure(lt__graph_add(g, &d), LT_ETYPE, "'k'");
	d = good, d.op = LT_OP_gather, d.operand = (lt_node[]){ a, i }, d.axis = 1, d.n_dim = 3, d.dim = (lt_var[]){ m, k, n };
	expect_failure(lt__graph_add(g, &d), LT_ETYPE, "'n'");
	d = good, d.op = LT_OP_update, d.n_dim = 1, d.offset = (int64_t[]){ 0 }, d.at = (lt_param[]){ -1 };
	expect_failure(lt__graph_add(g, &d), LT_ETYPE, "dims");
}

/* A chain of 100,000 nodes whose reader's names collide: linear in time and memory. */
Test(graph, long_chain, .timeout = 20)
{
	lt_node x = a;

	for (int i = 0; i < 100000; i++) {
		x = i % 3 ? lt_graph_unary(g, "neg", x) : lt_graph_slice(g, lt_graph_pad(g, x, (const int64_t[]){ 1, 0 },
			(const int64_t[]){ 0, 0 }, 0), 0, 1, 1, 3);
		lt_node_set_name(g, x, "x");
	}
	cr_assert(x > 100000);
	cr_expect(lt__arena_bytes(g->arena) < (size_t)300 << 20, "%zu bytes", lt__arena_bytes(g->arena));
}
