/* test_graph_view.c -- the views of the builder, element by element against what NumPy would show. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/map/map.h"

static struct lt_context *ctx;
static struct lt_graph *g;

static void open_graph(void)
{
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
}

static void close_graph(void)
{
	cr_expect_eq(lt_graph_verify(g), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	lt_context_free(ctx);
}

TestSuite(graph_view, .init = open_graph, .fini = close_graph);

enum { FILL = -1, OUTSIDE = -2 };
static int64_t params[16];      /* value of each run-time scalar */

/* Which element of the input under the views `at` shows: node*1000 + element, FILL, or OUTSIDE where it leaves its
 * source. */
static int64_t shown(lt_node x, const int64_t *at)
{
	const struct lt_nodedef *n = &g->node[x];
	int64_t element = 0;

	for (int32_t i = 0; i < n->n_dim; i++)
		if (at[i] < 0 || at[i] >= g->var[n->dim[i]].extent)
			return OUTSIDE;
	if (n->op != LT_OP_view) {
		for (int32_t i = 0; i < n->n_dim; i++)
			element = element * g->var[n->dim[i]].extent + at[i];
		return x * 1000 + element;
	}
	for (int32_t i = 0; i < n->n_piece; i++) {
		const struct lt_graphpiece *p = &n->piece[i];
		int64_t out[8], value[8];

		for (int32_t j = 0; j < p->map.n_param; j++)
			value[j] = params[p->map.param[j]];
		if (lt__map_apply(&p->map, value, at, out))
			return p->source < 0 ? FILL : shown(n->operand[p->source], out);
	}
	cr_assert(n->has_fill, "no piece shows an element and there is no fill");
	return FILL;
}

/* Index number `flat` of x, row-major. */
static void index_of(lt_node x, int64_t flat, int64_t *at)
{
	for (int32_t i = g->node[x].n_dim; i-- > 0;) {
		int64_t extent = g->var[g->node[x].dim[i]].extent;

		at[i] = flat % extent;
		flat /= extent;
	}
}

static lt_node input(const char *name, int32_t n, const int64_t *shape)
{
	lt_var dims[8];

	for (int32_t i = 0; i < n; i++)
		dims[i] = lt_graph_var(g, NULL, shape[i]);
	return lt_graph_input(g, name, LT_F32, n, dims);
}
#define SHAPE(...) (int32_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (const int64_t[]){ __VA_ARGS__ }

static bool has_shape(lt_node x, int32_t n, const int64_t *shape)
{
	if (lt_node_rank(g, x) != n)
		return false;
	for (int32_t i = 0; i < n; i++)
		if (lt_var_extent(g, lt_node_dim(g, x, i)) != shape[i])
			return false;
	return true;
}

Test(graph_view, reshapes)
{
	static const struct { int32_t n, m; int64_t from[6], to[6]; int32_t n_div; uint32_t kept;
	} rows[] = {
		{ 2, 1, { 3, 4 }, { 12 }, 1, 0 },
		{ 1, 2, { 12 }, { 3, 4 }, 0, 0 },
		{ 2, 2, { 4, 6 }, { 6, 4 }, 1, 0 },
		{ 3, 2, { 2, 3, 4 }, { 2, 12 }, 1, 1 },
		{ 2, 3, { 2, 12 }, { 2, 3, 4 }, 0, 1 },
		{ 3, 3, { 2, 6, 5 }, { 4, 3, 5 }, 1, 4 },
		{ 2, 4, { 1, 6 }, { 2, 1, 3, 1 }, 0, 0 },
		{ 4, 1, { 2, 1, 3, 1 }, { 6 }, 1, 0 },
		{ 0, 2, { 0 }, { 1, 1 }, 0, 0 },
		{ 2, 0, { 1, 1 }, { 0 }, 0, 0 },
		{ 3, 3, { 2, 3, 4 }, { 4, 3, 2 }, 2, 0 },
		{ 6, 2, { 2, 2, 2, 3, 1, 2 }, { 6, 8 }, 4, 0 },
		{ 3, 4, { 7, 4, 3 }, { 7, 1, 3, 4 }, 1, 1 },
		{ 2, 3, { 5, 1 }, { 1, 5, 1 }, 0, 2 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		lt_node x = lt_graph_input(g, "x", LT_F32, 0, NULL), y;
		char name[16];
		int64_t elems;

		snprintf(name, sizeof name, "x%zu", r);
		x = input(name, rows[r].n, rows[r].from);
		y = lt_graph_reshape(g, x, rows[r].m, rows[r].to);
		cr_assert(y >= 0 && has_shape(y, rows[r].m, rows[r].to), "row %zu: %s", r, lt_context_message(ctx));
		elems = lt__node_elems(g, x);
		for (int64_t i = 0; i < elems; i++) {
			int64_t at[8];

			index_of(y, i, at);
			cr_assert_eq(shown(y, at), x * 1000 + i, "row %zu element %lld", r, (long long)i);
		}
		cr_expect_eq(g->node[y].piece->map.n_div, rows[r].n_div, "row %zu: %d divisions", r, g->node[y].piece->map.n_div);
		for (int32_t i = 0; i < rows[r].m; i++) {
			bool kept = false;

			for (int32_t j = 0; j < rows[r].n; j++)
				kept |= lt_node_dim(g, y, i) == lt_node_dim(g, x, j);
			cr_expect_eq(kept, (rows[r].kept >> i & 1), "row %zu dim %d", r, i);
		}
	}
}

Test(graph_view, reshape_keeps_or_refuses)
{
	lt_node x = input("x", SHAPE(4, 6)), token = lt_graph_input(g, "p", LT_I64, 0, NULL), y, z;
	lt_param p = lt_graph_param(g, token, 0, 0, 4);
	const lt_var to[] = { lt_graph_var(g, "a", 8), lt_graph_var(g, "b", 3) };

	cr_expect_eq(lt_graph_reshape(g, x, SHAPE(4, 6)), x, "nothing to do");
	y = lt_graph_reshape_to(g, x, 2, to);
	cr_expect(lt_node_dim(g, y, 0) == to[0] && lt_node_dim(g, y, 1) == to[1]);
	cr_expect_eq(lt_graph_reshape(g, x, SHAPE(5, 5)), -1);
	cr_expect(strstr(lt_context_message(ctx), "24 elements"), "%s", lt_context_message(ctx));
	cr_expect_eq(lt_graph_reshape(g, x, SHAPE(-4, -6)), -1);
	cr_expect_eq(lt_graph_reshape(g, x, SHAPE(INT64_C(1) << 62, 4)), -1);
	cr_expect_eq(lt_context_code(ctx), LT_EOVERFLOW);
	y = lt_graph_slice_bounded(g, x, 0, LT_OMIT, p);
	cr_expect_eq(lt_graph_reshape(g, y, SHAPE(24)), -1);
	cr_expect_eq(lt_context_code(ctx), LT_EUNSUPPORTED);
	z = lt_graph_reshape(g, y, SHAPE(4, 2, 3));
	cr_expect(z >= 0 && lt_node_dim(g, z, 0) == lt_node_dim(g, y, 0), "the bounded dim stays: %s",
		lt_context_message(ctx));
	cr_expect_eq(lt_graph_reshape_to(g, y, 2, (const lt_var[]){ lt_graph_var(g, NULL, 4), lt_node_dim(g, y, 1) }), -1,
		"a fixed dim is no bounded one");
}

Test(graph_view, permute_and_rename)
{
	lt_node x = input("x", SHAPE(2, 3, 4)), y = lt_graph_permute(g, x, 3, (const int32_t[]){ 2, 0, 1 });
	const lt_var dims[] = { lt_graph_var(g, "u", 2), lt_graph_var(g, "v", 3), lt_graph_var(g, "w", 4) };

	cr_assert(has_shape(y, SHAPE(4, 2, 3)));
	cr_expect(lt_node_dim(g, y, 0) == lt_node_dim(g, x, 2) && lt_node_dim(g, y, 1) == lt_node_dim(g, x, 0));
	for (int64_t i = 0; i < 24; i++) {
		int64_t at[3];

		index_of(y, i, at);
		cr_assert_eq(shown(y, at), x * 1000 + at[1] * 12 + at[2] * 4 + at[0]);
	}
	cr_expect_eq(lt_graph_permute(g, x, 3, (const int32_t[]){ 0, 1, 2 }), x);
	cr_expect_eq(lt_graph_permute(g, x, 3, (const int32_t[]){ 0, 1, 1 }), -1);
	cr_expect_eq(lt_graph_permute(g, x, 2, (const int32_t[]){ 0, 1 }), -1);
	y = lt_graph_rename(g, x, 3, dims);
	cr_assert(y >= 0 && lt_node_dim(g, y, 2) == dims[2]);
	struct lt_map same = lt__map_identity(g->arena, 3);
	cr_expect(lt__map_equal(&g->node[y].piece->map, &same));
	cr_expect_eq(lt_graph_rename(g, y, 3, dims), y);
	cr_expect_eq(lt_graph_rename(g, x, 3, (const lt_var[]){ dims[1], dims[0], dims[2] }), -1, "extents differ");
	cr_expect_eq(lt_graph_rename(g, x, 3, (const lt_var[]){ dims[0], dims[0], dims[2] }), -1);
	cr_expect_eq(lt_graph_rename(g, x, 3, (const lt_var[]){ dims[0], -1, dims[2] }), -1, "a failed var fails");
}

Test(graph_view, slices)
{
	static const struct { int64_t begin, step, count; bool good; } rows[] = {
		{ 0, 1, 3, true }, { 2, 1, 5, true }, { 1, 3, 2, true }, { 6, -1, 7, true }, { 6, -2, 4, true }, { 3, 0, 1, false },
		{ 3, 1, 5, false }, { -1, 1, 2, false }, { 7, 1, 1, false }, { 0, 1, 0, false }, { 5, -3, 3, false },
		{ 1, INT64_MAX, 3, false }, { 0, 2, 4, true },
	};
	lt_node x = input("x", SHAPE(2, 7));

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		lt_node y = lt_graph_slice(g, x, 1, rows[r].begin, rows[r].step, rows[r].count);

		cr_assert_eq(y >= 0, rows[r].good, "row %zu", r);
		if (y < 0)
			continue;
		cr_assert(has_shape(y, SHAPE(2, rows[r].count)));
		cr_expect(lt_node_dim(g, y, 0) == lt_node_dim(g, x, 0) && lt_node_dim(g, y, 1) != lt_node_dim(g, x, 1));
		for (int64_t i = 0; i < 2 * rows[r].count; i++) {
			int64_t at[2];

			index_of(y, i, at);
			cr_assert_eq(shown(y, at), x * 1000 + at[0] * 7 + rows[r].begin + at[1] * rows[r].step);
		}
	}
	cr_expect_eq(lt_graph_slice(g, x, 1, 0, 1, 7), x);
	cr_expect_eq(lt_graph_slice(g, x, 2, 0, 1, 7), -1);
	cr_expect_eq(lt_graph_slice(g, -1, 0, 0, 1, 1), -1);
}

/* Pad 1, then pad 2: [0 0 0 x0 x1 ..]; then a window of 3 over it. */
Test(graph_view, pads_and_windows_compose)
{
	lt_node x = input("x", SHAPE(2, 5)), y, z;
	lt_var out = lt_graph_var(g, "out", 4), tap = lt_graph_var(g, "tap", 3);

	y = lt_graph_pad(g, x, (const int64_t[]){ 0, 1 }, (const int64_t[]){ 0, 0 }, 0);
	y = lt_graph_pad(g, y, (const int64_t[]){ 1, 2 }, (const int64_t[]){ 0, 1 }, 7);
	cr_assert(has_shape(y, SHAPE(3, 9)));
	for (int64_t i = 0; i < 27; i++) {
		int64_t a = i / 9 - 1, b = i % 9 - 3, at[2] = { i / 9, i % 9 };

		cr_assert_eq(shown(y, at), a >= 0 && b >= 0 && b < 5 ? x * 1000 + a * 5 + b : FILL, "%lld", (long long)i);
	}
	cr_expect_eq(g->node[y].bits, 7);
	cr_expect_eq(g->node[y].piece->map.n_guard, 3, "no guard where nothing is padded");
	z = lt_graph_window(g, y, 1, out, tap, 2, 2, 2, UINT64_MAX);
	cr_assert(has_shape(z, SHAPE(3, 4, 3)));
	cr_expect_eq(g->node[z].bits, 0xffffffffu, "bits of the type only");
	for (int64_t o = 0; o < 4; o++)
		for (int64_t t = 0; t < 3; t++) {
			int64_t b = 2 * o + 2 * t - 2 - 3, at[3] = { 1, o, t };

			cr_assert_eq(shown(z, at), b >= 0 && b < 5 ? x * 1000 + b : FILL);
		}
	z = lt_graph_window(g, x, 1, lt_graph_var(g, NULL, 3), tap, 1, 1, 0, 0);
	cr_expect(!g->node[z].has_fill && !g->node[z].piece->map.n_guard, "inside its source no guard");
	cr_expect_eq(lt_graph_pad(g, x, (const int64_t[]){ 0, 0 }, (const int64_t[]){ 0, 0 }, 0), x);
	cr_expect_eq(lt_graph_pad(g, x, (const int64_t[]){ 0, -1 }, (const int64_t[]){ 0, 0 }, 0), -1);
	cr_expect_eq(lt_graph_pad(g, x, (const int64_t[]){ INT64_MAX, 0 }, (const int64_t[]){ 0, 0 }, 0), -1);
	cr_expect_eq(lt_context_code(ctx), LT_EOVERFLOW);
	cr_expect_eq(lt_graph_window(g, x, 1, out, tap, 0, 1, 0, 0), -1);
	cr_expect_eq(lt_graph_window(g, x, 1, out, out, 1, 1, 0, 0), -1);
	cr_expect_eq(lt_graph_window(g, x, 1, out, tap, INT64_MAX, 1, 0, 0), -1);
}

Test(graph_view, concatenates)
{
	lt_node x[3] = { input("x", SHAPE(2, 3, 2)), input("y", SHAPE(2, 1, 2)), -1 }, z;
	const int64_t begin[] = { 0, 3, 4, 7 };

	x[2] = x[0];
	z = lt_graph_concat(g, 1, 3, x);
	cr_assert(has_shape(z, SHAPE(2, 7, 2)));
	cr_expect_eq(g->node[z].n_operand, 2, "a source that stands twice is one operand");
	for (int64_t i = 0; i < 28; i++) {
		int64_t at[3], piece;

		index_of(z, i, at);
		piece = at[1] < 3 ? 0 : at[1] < 4 ? 1 : 2;
		cr_assert_eq(shown(z, at),
			x[piece] * 1000 + (at[0] * (begin[piece + 1] - begin[piece]) + at[1] - begin[piece]) * 2
				+ at[2]);
	}
	cr_expect_eq(lt_graph_concat(g, 1, 1, x), x[0]);
	cr_expect_eq(lt_graph_concat(g, 0, 2, x), -1, "other dims differ");
	cr_expect_eq(lt_graph_concat(g, 1, 0, x), -1);
}

Test(graph_view, bounded_slices)
{
	lt_node x = input("x", SHAPE(9, 2)),
		at = lt_graph_input(g, "at", LT_I64, 1, (const lt_var[]){ lt_graph_var(g, NULL, 2) });
	lt_param begin = lt_graph_param(g, at, 0, 0, 5), end = lt_graph_param(g, at, 1, 2, 9),
		 wide = lt_graph_param(g, at, 1, -3, 20);
	lt_node head = lt_graph_slice_bounded(g, x, 0, LT_OMIT, end), tail, part, again;
	const struct lt_vardef *v = &g->var[lt_node_dim(g, head, 0)];

	cr_assert_eq(g->n_require, 0, "the ranges say it all");
	cr_expect(v->bounded && v->extent == 9 && v->limit.constant == 0 && v->limit.n == 1 && v->limit.param[0] == end);
	cr_expect_eq(lt_node_dim(g, head, 1), lt_node_dim(g, x, 1));
	tail = lt_graph_slice_bounded(g, x, 0, begin, LT_OMIT);
	v = &g->var[lt_node_dim(g, tail, 0)];
	cr_expect(v->extent == 9 && v->limit.constant == 9 && v->limit.coef[0] == -1);
	params[begin] = 4, params[end] = 6;
	cr_expect_eq(shown(tail, (const int64_t[]){ 2, 1 }), x * 1000 + 13);
	part = lt_graph_slice_bounded(g, x, 0, begin, end);
	cr_expect_eq(g->n_require, 1, "begin may be behind end");
	cr_expect(g->require[0].value.constant == 0 && g->require[0].value.n == 2);
	cr_expect_eq(shown(part, (const int64_t[]){ 1, 0 }), x * 1000 + 10);
	again = lt_graph_slice_bounded(g, head, 0, LT_OMIT, begin);
	cr_expect(again >= 0 && lt_var_extent(g, lt_node_dim(g, again, 0)) == 5, "at most the greatest end");
	cr_expect_eq(g->n_require, 2, "its end may be behind the shorter axis");
	lt_graph_slice_bounded(g, x, 0, LT_OMIT, wide);
	cr_expect_eq(g->n_require, 4);
	cr_expect_eq(lt_graph_slice_bounded(g, x, 0, LT_OMIT, LT_OMIT), x);
	cr_expect_eq(lt_graph_slice_bounded(g, x, 0, LT_OMIT, 77), LT_NONE);
	cr_expect_eq(lt_graph_slice_bounded(g, x, 0, LT_OMIT, lt_graph_param(g, at, 9, 0, 1)), -1,
		"a failed scalar is not the whole axis");
	cr_expect_eq(lt_graph_slice(g, head, 0, 1, 1, 2), -1);
	cr_expect_eq(lt_graph_concat(g, 0, 2, (const lt_node[]){ head, x }), -1);
	cr_expect_eq(lt_graph_pad(g, head, (const int64_t[]){ 1, 0 }, (const int64_t[]){ 0, 0 }, 0), -1);
	cr_expect_eq(lt_context_code(ctx), LT_EUNSUPPORTED);
}

Test(graph_view, general)
{
	lt_node x = input("x", SHAPE(4)), y;
	lt_var v = lt_graph_var(g, "r", 6);
	static const int64_t row[] = { 3, -1 }, guard[] = { 3, -1 }, wrong_div[] = { 0, 0, 1, 0 }, self_div[] = { 2, 0, 1, 1 };
	struct lt_view_piece piece[2] = {
		{ .source = x, .map = { .n_dim = 1, .n_row = 1, .n_guard = 1, .row = row, .guard = guard } },
		{ .source = LT_OMIT, .bits = UINT64_MAX, .map = { .n_dim = 1 } },
	};

	y = lt_graph_view(g, 1, &v, 2, piece, 5, 0);
	cr_assert(y >= 0, "%s", lt_context_message(ctx));
	cr_expect_eq(g->node[y].piece[1].bits, 0xffffffffu);
	for (int64_t i = 0; i < 6; i++)
		cr_expect_eq(shown(y, &i), i < 4 ? x * 1000 + 3 - i : FILL);
	cr_expect_eq(lt_graph_view(g, 1, &v, 1, piece + 1, 0, 0), -1, "no source, no type");
	cr_expect_eq(lt_graph_view(g, 1, &v, 0, piece, 0, 0), -1);
	piece[0].map.n_dim = 2;
	cr_expect_eq(lt_graph_view(g, 1, &v, 1, piece, 0, 0), -1);
	piece[0].map = (struct lt_map){ .n_dim = 1, .n_row = 0 };
	cr_expect_eq(lt_graph_view(g, 1, &v, 1, piece, 0, 0), -1, "rows for each dim of the source");
	piece[0].map = (struct lt_map){
		.n_dim = 1, .n_row = 1, .n_div = 1, .row = (const int64_t[]){ 0, 0, 1 }, .div = wrong_div
	};
	cr_expect_eq(lt_graph_view(g, 1, &v, 1, piece, 0, 0), -1, "division by 0");
	piece[0].map.div = self_div;
	cr_expect_eq(lt_graph_view(g, 1, &v, 1, piece, 0, 0), -1, "a division of itself");
}
