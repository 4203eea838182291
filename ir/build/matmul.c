/* matmul.c -- matrix products, broadcasting and products of complex pairs as graphs of primitives. */
#include "ir/build/parts.h"

static lt_node no_product(struct lt_graph *g, lt_node a, lt_node b, const char *why)
{
	lt__graph_fail(g, LT_ETYPE, "Incompatible shapes for matrix multiplication: (%s) and (%s); %s",
		lt__node_shape_text(g, a), lt__node_shape_text(g, b), why);
	return -1;
}

static bool same_type(struct lt_graph *g, lt_node a, lt_node b)
{
	if (lt_node_dtype(g, a) == lt_node_dtype(g, b))
		return true;
	lt__graph_fail(g, LT_ETYPE, "Different value types: %s of '%.100s' and %s of '%.100s'",
		lt__dtype_info(lt_node_dtype(g, a))->name, g->node[a].name, lt__dtype_info(lt_node_dtype(g, b))->name,
		g->node[b].name);
	return false;
}

/* An operand of a product: which of its axes stay, and the vars that they get. */
struct factor { int32_t n, at[LT_MAX_RANK]; lt_var var[LT_MAX_RANK]; };

static void keep_axis(struct factor *f, int32_t axis, lt_var v)
{
	f->at[axis] = f->n;
	f->var[f->n++] = v;
}

const char *lt__build_matmul_misfit(const struct lt_graph *g, lt_node a, lt_node b, lt_var *v, lt_var *w)
{
	int32_t ra = lt_node_rank(g, a), rb = lt_node_rank(g, b);

	*v = *w = -1;
	if (!ra || !rb)
		return "a value without dimensions is neither a matrix nor a vector";
	*v = lt_node_dim(g, a, ra - 1);
	*w = lt_node_dim(g, b, rb > 1 ? rb - 2 : 0);
	if (!lt__var_same_range(g, *v, *w))
		return rb > 1 ? "the last dimension of the first has to be the second-to-last of the second"
			      : "the last dimension of the first has to be that of the second";
	for (int32_t i = ra - 3, k = rb - 3; i >= 0 && k >= 0; i--, k--) {
		*v = lt_node_dim(g, a, i);
		*w = lt_node_dim(g, b, k);
		if (!lt__pos_is_one(g, *v) && !lt__pos_is_one(g, *w) && !lt__var_same_range(g, *v, *w))
			return "the batch dimensions differ";
	}
	return NULL;
}

/* The vars of both operands: a keeps its own, b takes a's for what both have.  An axis of 1 that the other one
 * stretches goes away.  Returns the rank of the result, whose vars are given in `want`. */
static int32_t matmul_meet(struct lt_graph *g, lt_node a, lt_node b, struct factor *l, struct factor *r, lt_var *want)
{
	int32_t ra = lt_node_rank(g, a), rb = lt_node_rank(g, b), n = 0;
	int32_t na = ra > 2 ? ra - 2 : 0, nb = rb > 2 ? rb - 2 : 0, batches = na > nb ? na : nb;
	lt_var left[LT_MAX_RANK];

	for (int32_t i = 0; i < ra; i++)
		left[i] = lt_node_dim(g, a, i);
	for (int32_t j = 0; j < batches; j++) {
		int32_t i = j - (batches - na), k = j - (batches - nb);
		lt_var v = i >= 0 ? left[i] : -1, w = k >= 0 ? lt_node_dim(g, b, k) : -1;
		bool from_a = v >= 0 && (w < 0 || lt__pos_is_one(g, w) || !lt__pos_is_one(g, v));
		bool both = v >= 0 && w >= 0 && lt__var_same_range(g, v, w);
		want[n] = from_a ? v : lt__build_apart(g, "b", w, ra, left);
		if (from_a)
			keep_axis(l, i, v);
		else if (i >= 0)
			l->at[i] = -1;
		if (both || !from_a)
			keep_axis(r, k, want[n]);
		else if (k >= 0)
			r->at[k] = -1;
		n++;
	}
	if (ra > 1) {
		keep_axis(l, ra - 2, left[ra - 2]);
		want[n++] = left[ra - 2];
	}
	keep_axis(l, ra - 1, left[ra - 1]);
	keep_axis(r, rb > 1 ? rb - 2 : 0, left[ra - 1]);
	if (rb > 1) {
		want[n] = lt__build_apart(g, "n", lt_node_dim(g, b, rb - 1), ra, left);
		keep_axis(r, rb - 1, want[n++]);
	}
	return n;
}

lt_node lt_build_matmul(struct lt_graph *g, lt_node a, lt_node b)
{
	struct factor l = { .n = 0 }, r = { .n = 0 };
	lt_var want[LT_MAX_RANK + 1], v, w;
	int32_t perm[LT_MAX_RANK], moved = 0;

	if (!lt__graph_has(g, a) || !lt__graph_has(g, b) || !same_type(g, a, b))
		return -1;
	const char *why = lt__build_matmul_misfit(g, a, b, &v, &w);
	if (why)
		return no_product(g, a, b, why);
	lt_var k = lt_node_dim(g, a, lt_node_rank(g, a) - 1);
	int32_t n = matmul_meet(g, a, b, &l, &r, want);
	for (int32_t i = 0; i < r.n; i++)
		if (r.var[i] < 0)
			return -1;
	lt_node wide = lt__build_wide(g, lt__pos_view(g, a, l.n, l.var, l.at));
	lt_node by = lt__build_wide(g, lt__pos_view(g, b, r.n, r.var, r.at));
	lt_node y = lt_graph_cast(g, lt_graph_contract(g, wide, by, 1, &k), lt_node_dtype(g, a));
	if (y < 0)
		return -1;
	for (int32_t i = 0; i < n; i++) {
		for (perm[i] = 0; lt_node_dim(g, y, perm[i]) != want[i];)
			perm[i]++;
		moved += perm[i] != i;
	}
	return moved ? lt_graph_permute(g, y, n, perm) : y;
}

lt_node lt_build_broadcast_to(struct lt_graph *g, lt_node r, lt_node l)
{
	if (!lt__graph_has(g, r) || !lt__graph_has(g, l))
		return -1;
	int32_t rank = lt_node_rank(g, l);
	lt_var dims[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * (1 + LT_MAX_RANK)] = { 0 };
	bool fits = lt_node_rank(g, r) == rank, same = fits;
	for (int32_t i = 0; i < rank && fits; i++) {
		lt_var v = lt_node_dim(g, r, i);
		dims[i] = lt_node_dim(g, l, i);
		bool equal = lt__var_same_range(g, v, dims[i]), one = lt_var_extent(g, v) == 1 && !g->var[v].bounded;
		row[i * (1 + rank) + 1 + i] = equal;
		fits = equal || one;
		same = same && v == dims[i];
	}
	if (!fits) {
		lt__graph_fail(g, LT_ETYPE,
			"'%.100s' (%s) does not broadcast to '%.100s' (%s): equal rank is needed, and each dim equal "
			"or 1",
			g->node[r].name, lt__node_shape_text(g, r), g->node[l].name, lt__node_shape_text(g, l));
		return -1;
	}
	if (same)
		return r;
	struct lt_view_piece piece = { .source = r, .map = { .n_dim = rank, .n_row = rank, .row = row } };
	return lt_graph_view(g, rank, dims, 1, &piece, 0, 0);
}

/* x at index `at` of its last axis, without that axis */
static lt_node component(struct lt_graph *g, lt_node x, int64_t at)
{
	int32_t rank = lt_node_rank(g, x);
	lt_var dims[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * LT_MAX_RANK] = { 0 };

	for (int32_t i = 0; i < rank - 1; i++) {
		dims[i] = lt_node_dim(g, x, i);
		row[i * rank + 1 + i] = 1;
	}
	row[(rank - 1) * rank] = at;
	struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank - 1, .n_row = rank, .row = row } };
	return lt_graph_view(g, rank - 1, dims, 1, &piece, 0, 0);
}

/* The pair of two values along the last dim of like. */
static lt_node pair(struct lt_graph *g, lt_node first, lt_node second, lt_node like)
{
	int32_t rank = lt_node_rank(g, like);
	lt_var dims[LT_MAX_RANK];
	int64_t row[LT_MAX_RANK * (1 + LT_MAX_RANK)] = { 0 }, guard[1 + LT_MAX_RANK] = { 0 };

	for (int32_t i = 0; i < rank; i++)
		dims[i] = lt_node_dim(g, like, i);
	for (int32_t i = 0; i < rank - 1; i++)
		row[i * (1 + rank) + 1 + i] = 1;
	guard[rank] = -1;
	struct lt_view_piece piece[2] = {
		{ .source = first, .map = { .n_dim = rank, .n_guard = 1, .n_row = rank - 1, .guard = guard, .row = row } },
		{ .source = second, .map = { .n_dim = rank, .n_row = rank - 1, .row = row } },
	};
	return first < 0 || second < 0 ? -1 : lt_graph_view(g, rank, dims, 2, piece, 0, 0);
}

static bool is_pair(struct lt_graph *g, lt_node x)
{
	int32_t rank = lt_node_rank(g, x);

	if (rank > 0 && lt_var_extent(g, lt_node_dim(g, x, rank - 1)) == 2 && !g->var[lt_node_dim(g, x, rank - 1)].bounded)
		return true;
	lt__graph_fail(g, LT_ETYPE, "a complex product needs a last dim of 2 (real, imaginary), but '%.100s' has (%s)",
		g->node[x].name, lt__node_shape_text(g, x));
	return false;
}

lt_node lt_build_complex_mul(struct lt_graph *g, lt_node l, lt_node r)
{
	if (!lt__graph_has(g, l) || !lt__graph_has(g, r) || !same_type(g, l, r) || !is_pair(g, l) || !is_pair(g, r))
		return -1;
	lt_node x = lt__build_wide(g, l), y = lt__build_wide(g, lt_build_broadcast_to(g, r, l));
	if (x < 0 || y < 0)
		return -1;
	lt_node a = component(g, x, 0), b = component(g, x, 1), c = component(g, y, 0), d = component(g, y, 1);
	lt_node ac = lt_graph_binary(g, "mul", a, c), bd = lt_graph_binary(g, "mul", b, d);
	lt_node ad = lt_graph_binary(g, "mul", a, d), bc = lt_graph_binary(g, "mul", b, c);
	lt_node real = lt_graph_binary(g, "sub", ac, bd), imaginary = lt_graph_binary(g, "add", ad, bc);
	return lt_graph_cast(g, pair(g, real, imaginary, x), lt_node_dtype(g, l));
}
