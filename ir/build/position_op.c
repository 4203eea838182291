/* position_op.c -- operators whose operands meet axis by axis (build.h). */
#include "ir/build/parts.h"

/* The var of a result's axis: of the first operand that is not 1 there; any of extent 1 if all are, and -1 if no
 * operand has it.  False: two differ. */
static bool pick_var(const struct lt_graph *g, int32_t n, const lt_node *x, int32_t rank, int32_t axis, lt_var *out,
	struct lt_misfit *misfit)
{
	int32_t from = -1;
	*out = -1;
	for (int32_t k = 0; k < n; k++) {
		int32_t own = axis - (rank - lt_node_rank(g, x[k]));
		lt_var v = own >= 0 ? lt_node_dim(g, x[k], own) : -1;
		if (v < 0)
			continue;
		if (from >= 0 && !lt__pos_is_one(g, v) && !lt__var_same_range(g, v, *out)) {
			*misfit = (struct lt_misfit){ from, k, axis - rank, *out, v };
			return false;
		}
		if (from < 0 && !lt__pos_is_one(g, v)) {
			from = k;
			*out = v;
		} else if (*out < 0) {
			*out = v;
		}
	}
	return true;
}

static int32_t common_rank(const struct lt_graph *g, int32_t n, const lt_node *x)
{
	int32_t rank = 0;
	for (int32_t k = 0; k < n; k++)
		rank = lt_node_rank(g, x[k]) > rank ? lt_node_rank(g, x[k]) : rank;
	return rank;
}

bool lt__pos_misfit(const struct lt_graph *g, int32_t n, const lt_node *x, struct lt_misfit *out)
{
	int32_t rank = common_rank(g, n, x);
	lt_var v;
	for (int32_t i = 0; i < rank; i++)
		if (!pick_var(g, n, x, rank, i, &v, out))
			return true;
	return false;
}

bool lt__pos_broadcast(struct lt_graph *g, int32_t n, const lt_node *x, int32_t *n_dim, lt_var *v, lt_node *out)
{
	struct lt_misfit misfit;
	lt_var own[LT_MAX_RANK];
	int32_t at[LT_MAX_RANK];
	for (int32_t k = 0; k < n; k++)
		if (x[k] < 0)
			return false;
	int32_t rank = common_rank(g, n, x);
	for (int32_t i = 0; i < rank; i++) {
		if (!pick_var(g, n, x, rank, i, &v[i], &misfit)) {
			lt__graph_fail(g, LT_ETYPE, "shapes %s and %s do not fit: they differ at axis %d, and neither is 1",
				lt__pos_shape(g, x[misfit.first]), lt__pos_shape(g, x[misfit.second]), misfit.axis);
			return false;
		}
		if (lt__has(v, i, v[i]))
			v[i] = lt__pos_fresh(g, v[i]);
	}
	for (int32_t k = 0; k < n; k++) {
		int32_t r = lt_node_rank(g, x[k]), kept = 0;
		for (int32_t i = 0; i < r; i++) {
			bool stretched = lt__pos_is_one(g, lt_node_dim(g, x[k], i)) && !lt__pos_is_one(g, v[rank - r + i]);
			at[i] = stretched ? -1 : kept;
			if (!stretched)
				own[kept++] = v[rank - r + i];
		}
		out[k] = lt__pos_view(g, x[k], kept, own, at);
		if (out[k] < 0)
			return false;
	}
	*n_dim = rank;
	return true;
}

lt_node lt__pos_op(struct lt_graph *g, const char *op, int32_t n, const lt_node *x)
{
	lt_node own[LT_POS_OPERANDS];
	int32_t rank;
	lt_var dims[LT_MAX_RANK];
	if (n > LT_POS_OPERANDS)
		lt_bug("too many operands");
	if (!lt__pos_broadcast(g, n, x, &rank, dims, own))
		return LT_NONE;
	return lt_graph_op_to(g, op, n, own, rank, dims);
}

lt_node lt__pos_op1(struct lt_graph *g, const char *op, lt_node x)
{
	return lt_graph_unary(g, op, x);
}

lt_node lt__pos_op2(struct lt_graph *g, const char *op, lt_node a, lt_node b)
{
	return lt__pos_op(g, op, 2, (const lt_node[]){ a, b });
}

lt_node lt__pos_select(struct lt_graph *g, lt_node condition, lt_node yes, lt_node no)
{
	return lt__pos_op(g, "select", 3, (const lt_node[]){ condition, yes, no });
}

lt_node lt__pos_opf(struct lt_graph *g, const char *op, lt_node x, double number)
{
	return x < 0 ? LT_NONE : lt__pos_op2(g, op, x, lt_graph_literal(g, lt_node_dtype(g, x), number));
}

lt_node lt__pos_opr(struct lt_graph *g, const char *op, double number, lt_node x)
{
	return x < 0 ? LT_NONE : lt__pos_op2(g, op, lt_graph_literal(g, lt_node_dtype(g, x), number), x);
}
