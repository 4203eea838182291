/* values.c -- values while nodes are made: which vars their dims are, and views of them. */
#include <stdlib.h>
#include "frontends/seedot/seedot.h"

bool lt__sd_set(struct sd_lower *l, struct sd_value *out, lt_node node)
{
	(void)l;
	out->whole = out->linear = false;
	out->node = node;
	return node != LT_NONE;
}

lt_node lt__sd_real(struct sd_lower *l, double x) { return lt_graph_literal(l->g, LT_F32, x); }

lt_node lt__sd_whole(struct sd_lower *l, const struct sd_value *x)
{
	if (!x->linear)
		return x->node;
	lt_node sum = lt_graph_literal_int(l->g, LT_I32, x->sum.constant);
	for (int32_t i = 0; i < x->sum.n; i++) {
		const lt_node at = lt_graph_cast(l->g, lt_graph_index(l->g, x->sum.var[i]), LT_I32);
		const lt_node by = lt_graph_literal_int(l->g, LT_I32, x->sum.coef[i]);
		const lt_node term = lt_graph_binary(l->g, "mul", at, by);

		sum = lt_graph_binary(l->g, "add", sum, term);
	}
	return sum;
}

static bool is_axis(const struct sd_value *x, lt_var v)
{
	for (int32_t i = 0; i < x->rank; i++)
		if (x->axis[i] == v)
			return true;
	return false;
}

bool lt__sd_has(const struct sd_lower *l, const struct sd_value *x, lt_var v)
{
	for (int32_t i = 0; x->linear && i < x->sum.n; i++)
		if (x->sum.var[i] == v)
			return true;
	for (int32_t i = 0; !x->linear && i < lt_node_rank(l->g, x->node); i++)
		if (lt_node_dim(l->g, x->node, i) == v)
			return true;
	return false;
}

/* Vars of loops, by their numbers: an outer loop's is smaller. */
static bool add_loop(struct sd_lower *l, int32_t *n, lt_var *out, lt_var v)
{
	int32_t at = *n;

	for (int32_t i = 0; i < *n; i++)
		if (out[i] == v)
			return true;
	if (*n + SD_MAX_RANK >= LT_MAX_RANK)
		return lt__graph_fail(l->g, LT_EUNSUPPORTED, "too many loops are in one another here"), false;
	for (; at > 0 && out[at - 1] > v; at--)
		out[at] = out[at - 1];
	out[at] = v;
	++*n;
	return true;
}

static bool add_loops(struct sd_lower *l, int32_t *n, lt_var *out, const struct sd_value *x)
{
	for (int32_t i = 0; !x->linear && i < lt_node_rank(l->g, x->node); i++)
		if (!is_axis(x, lt_node_dim(l->g, x->node, i)) && !add_loop(l, n, out, lt_node_dim(l->g, x->node, i)))
			return false;
	return true;
}

bool lt__sd_dims(struct sd_lower *l, int32_t n_value, const struct sd_value *const *value, int32_t n_axis,
	const lt_var *axes, int32_t *n, lt_var *out)
{
	*n = 0;
	for (int32_t i = 0; i < n_value; i++)
		if (!add_loops(l, n, out, value[i]))
			return false;
	for (int32_t i = 0; i < n_axis; i++)
		out[(*n)++] = axes[i];
	return true;
}

static int32_t position(int32_t n, const lt_var *dims, lt_var v)
{
	int32_t at = 0;

	while (at < n && dims[at] != v)
		at++;
	return at;
}

/* x's elements over dims; a var `fixed` of a loop is at one trip. */
static bool view(struct sd_lower *l, const struct sd_value *x, const struct sd_row *rows, int32_t n, const lt_var *dims,
	int32_t n_loop, lt_var fixed, int64_t at, struct sd_value *out)
{
	struct lt_arena *a = l->p->arena;
	const int32_t width = 1 + n, rank = lt_node_rank(l->g, x->node);
	int64_t *row = LT_NEW(a, int64_t, rank * width + 1);

	for (int32_t i = 0; i < rank; i++) {
		const lt_var v = lt_node_dim(l->g, x->node, i);
		const int32_t axis = position(x->rank, x->axis, v);
		int64_t *to = row + i * width;

		if (axis == x->rank) {
			if (v == fixed)
				to[0] = at;
			else
				to[1 + position(n, dims, v)] = 1;
			continue;
		}
		to[0] = rows[axis].sum.constant;
		for (int32_t k = 0; k < rows[axis].sum.n; k++)
			to[1 + position(n, dims, rows[axis].sum.var[k])] += rows[axis].sum.coef[k];
		if (rows[axis].axis >= 0)
			to[1 + n_loop + rows[axis].axis] += rows[axis].coef;
	}
	const struct lt_view_piece piece = { .source = x->node, .map = { .n_dim = n, .n_row = rank, .row = row } };
	return lt__sd_set(l, out, lt_graph_view(l->g, n, dims, 1, &piece, 0, 0));
}

bool lt__sd_view(struct sd_lower *l, const struct sd_value *x, const struct sd_row *rows, int32_t rank,
	const lt_var *axes,
	struct sd_value *out)
{
	lt_var dims[LT_MAX_RANK];
	struct sd_value y = { .rank = rank, .format = x->format };
	int32_t n = 0;

	if (!add_loops(l, &n, dims, x))
		return false;
	for (int32_t i = 0; i < x->rank; i++)
		for (int32_t k = 0; k < rows[i].sum.n; k++)
			if (!add_loop(l, &n, dims, rows[i].sum.var[k]))
				return false;
	const int32_t n_loop = n;
	for (int32_t i = 0; i < rank; i++)
		y.axis[i] = dims[n++] = axes[i];
	if (!view(l, x, rows, n, dims, n_loop, -1, 0, &y))
		return false;
	*out = y;
	return true;
}

bool lt__sd_trip(struct sd_lower *l, const struct sd_value *x, lt_var v, int64_t at, struct sd_value *out)
{
	struct sd_row rows[SD_MAX_RANK];
	lt_var dims[LT_MAX_RANK];
	struct sd_value y = *x;
	int32_t n = 0;

	if (x->linear) {
		for (int32_t i = 0; i < y.sum.n; i++)
			if (y.sum.var[i] == v) {
				y.sum.constant += at * y.sum.coef[i];
				y.sum.n--;
				y.sum.var[i] = y.sum.var[y.sum.n];
				y.sum.coef[i] = y.sum.coef[y.sum.n];
			}
		*out = y;
		return true;
	}
	if (!add_loops(l, &n, dims, x))
		return false;
	const int32_t gone = position(n, dims, v);
	for (int32_t i = gone; i + 1 < n; i++)
		dims[i] = dims[i + 1];
	n -= gone < n;
	const int32_t n_loop = n;
	for (int32_t i = 0; i < x->rank; i++) {
		rows[i] = (struct sd_row){ .axis = i, .coef = 1 };
		dims[n++] = x->axis[i];
	}
	if (!view(l, x, rows, n, dims, n_loop, v, at, &y))
		return false;
	y.whole = x->whole;
	*out = y;
	return true;
}

bool lt__sd_align(struct sd_lower *l, const struct sd_value *x, const lt_var *axes, struct sd_value *out)
{
	struct sd_row rows[SD_MAX_RANK];
	bool same = true;

	for (int32_t i = 0; i < x->rank; i++) {
		same = same && x->axis[i] == axes[i];
		rows[i] = (struct sd_row){ .axis = i, .coef = 1 };
	}
	if (!same)
		return lt__sd_view(l, x, rows, x->rank, axes, out);
	*out = *x;
	return true;
}

bool lt__sd_only(struct sd_lower *l, const struct sd_value *x, struct sd_value *out)
{
	struct sd_row rows[SD_MAX_RANK];

	for (int32_t i = 0; i < x->rank; i++)
		rows[i] = (struct sd_row){ .axis = -1 };
	if (x->rank)
		return lt__sd_view(l, x, rows, 0, NULL, out);
	*out = *x;
	return true;
}

bool lt__sd_map(struct sd_lower *l, const char *op, int32_t n, const struct sd_value *const *x, int32_t rank,
	const lt_var *axes, struct sd_value *out)
{
	enum { OPERANDS = 3 };
	struct sd_value y = { .rank = rank, .format = x[n - 1]->format }, aligned;
	lt_var dims[LT_MAX_RANK];
	lt_node operand[OPERANDS];
	int32_t n_dim;

	if (!lt__sd_dims(l, n, x, rank, axes, &n_dim, dims))
		return false;
	for (int32_t i = 0; i < rank; i++)
		y.axis[i] = axes[i];
	for (int32_t i = 0; i < n; i++) {
		if (!lt__sd_align(l, x[i], axes, &aligned))
			return false;
		operand[i] = aligned.node;
	}
	if (!lt__sd_set(l, &y, lt_graph_op_to(l->g, op, n, operand, n_dim, dims)))
		return false;
	*out = y;
	return true;
}

bool lt__sd_reduce(struct sd_lower *l, const char *op, const struct sd_value *x, int32_t n, const lt_var *over,
	struct sd_value *out)
{
	struct sd_value y = { .format = x->format };

	for (int32_t i = 0; i < x->rank; i++)
		if (position(n, over, x->axis[i]) == n)
			y.axis[y.rank++] = x->axis[i];
	if (!lt__sd_set(l, &y, lt_graph_reduce(l->g, op, x->node, n, over)))
		return false;
	*out = y;
	return true;
}

bool lt__sd_reshape(struct sd_lower *l, const struct sd_value *x, int32_t rank, const lt_var *axes,
	struct sd_value *out)
{
	struct sd_value y = { .rank = rank, .format = x->format };
	lt_var dims[LT_MAX_RANK];
	int32_t n;

	if (!lt__sd_dims(l, 1, &x, rank, axes, &n, dims))
		return false;
	for (int32_t i = 0; i < rank; i++)
		y.axis[i] = axes[i];
	if (!lt__sd_set(l, &y, lt_graph_reshape_to(l->g, x->node, n, dims)))
		return false;
	*out = y;
	return true;
}

bool lt__sd_order(struct sd_lower *l, struct sd_value *x)
{
	const struct sd_value *from = x;
	lt_var dims[LT_MAX_RANK];
	int32_t perm[LT_MAX_RANK], n;
	bool same = true;

	if (!lt__sd_dims(l, 1, &from, x->rank, x->axis, &n, dims))
		return false;
	for (int32_t i = 0; i < n; i++) {
		perm[i] = 0;
		while (lt_node_dim(l->g, x->node, perm[i]) != dims[i])
			perm[i]++;
		same = same && perm[i] == i;
	}
	if (!same)
		x->node = lt_graph_permute(l->g, x->node, n, perm);
	return x->node != LT_NONE;
}

bool lt__sd_new_axes(struct sd_lower *l, const struct sd_type *t, lt_var *out)
{
	for (int32_t i = 0; i < t->rank; i++)
		if ((out[i] = lt_graph_var(l->g, NULL, t->shape[i])) == LT_NONE)
			return false;
	return true;
}
