/* build.c -- operators as nodes: a function for each row of operators.def, but those of images (window.c). */
#include "frontends/seedot/seedot.h"
#include "ir/build/build.h"

/* Two whole numbers that are no sum of trips. */
static bool whole_op(struct sd_lower *l, const char *op, const struct sd_value *arg, struct sd_value *out)
{
	const lt_node a = lt__sd_whole(l, &arg[0]), b = lt__sd_whole(l, &arg[1]);

	*out = (struct sd_value){ .rank = 0 };
	if (!lt__sd_set(l, out, lt_graph_binary(l->g, op, a, b)) || !lt__sd_order(l, out))
		return false;
	out->whole = true;
	return true;
}

/* Elements of two values of one shape, or of one and a number. */
static bool elements(struct sd_lower *l, const char *op, const struct sd_value *arg, struct sd_value *out)
{
	const struct sd_value *shaped = arg[0].rank ? &arg[0] : &arg[1];

	if (arg[0].whole)
		return whole_op(l, op, arg, out);
	return lt__sd_map(l, op, 2, (const struct sd_value *[]){ &arg[0], &arg[1] }, shaped->rank, shaped->axis, out);
}

bool lt__sd_build_plus(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return elements(l, "add", arg, out);
}

bool lt__sd_build_minus(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return elements(l, "sub", arg, out);
}

bool lt__sd_build_times(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return elements(l, "mul", arg, out);
}

bool lt__sd_build_product(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const struct sd_value *a = &arg[0], *b = &arg[1];
	struct sd_value right, y = { .rank = 2 };
	lt_var dims[LT_MAX_RANK];
	int32_t n;

	(void)e;
	if (!a->rank || !b->rank)
		return elements(l, "mul", arg, out);
	const lt_var m = a->axis[0], k = a->axis[1];
	const lt_var own = b->axis[1], column = own == m || own == k ? lt_graph_var(l->g, NULL, lt_var_extent(l->g,
		own)) : own;
	if (column == LT_NONE || !lt__sd_align(l, b, (lt_var[]){ k, column }, &right)
	    || !lt__sd_dims(l, 2, (const struct sd_value *[]){ a, &right }, 3, (lt_var[]){ m, column, k }, &n, dims))
		return false;
	const lt_node products = lt_graph_op_to(l->g, "mul", 2, (lt_node[]){ a->node, right.node }, n, dims);
	y.axis[0] = m;
	y.axis[1] = column;
	if (!lt__sd_set(l, &y, lt_graph_reduce(l->g, "add", products, 1, &k)))
		return false;
	*out = y;
	return true;
}

bool lt__sd_build_sparse(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	return lt__sd_build_product(l, e, arg, out);
}

bool lt__sd_last_axis(struct sd_lower *l, const char *op, const struct sd_value *x, const struct sd_value *v,
	struct sd_value *out)
{
	struct sd_value along;
	lt_var dims[LT_MAX_RANK];
	int32_t n;

	if (!lt__sd_align(l, v, &x->axis[x->rank - 1], &along)
	    || !lt__sd_dims(l, 2, (const struct sd_value *[]){ x, &along }, x->rank, x->axis, &n, dims))
		return false;
	const lt_node y = lt_graph_op_to(l->g, op, 2, (lt_node[]){ x->node, along.node }, n, dims);
	*out = *x;
	return lt__sd_set(l, out, y);
}

bool lt__sd_build_plus_last(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg,
	struct sd_value *out)
{
	(void)e;
	return lt__sd_last_axis(l, "add", &arg[0], &arg[1], out);
}

bool lt__sd_build_minus_last(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg,
	struct sd_value *out)
{
	(void)e;
	return lt__sd_last_axis(l, "sub", &arg[0], &arg[1], out);
}

bool lt__sd_build_init(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	const struct sd_value x = { .node = lt__sd_real(l, e->real) };
	lt_var axes[SD_MAX_RANK];

	(void)arg;
	return lt__sd_new_axes(l, &e->type, axes)
		&& lt__sd_map(l, "copy", 1, (const struct sd_value *[]){ &x }, e->type.rank, axes, out);
}

/* The elements in the order of the source's axes that is asked for, cut into the new shape. */
bool lt__sd_build_reshape(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_value x = arg[0];
	lt_var axes[SD_MAX_RANK];

	for (int32_t i = 0; i < x.rank; i++)
		x.axis[i] = arg[0].axis[e->list[1].at[i] - 1];
	return lt__sd_order(l, &x) && lt__sd_new_axes(l, &e->type, axes) && lt__sd_reshape(l, &x, e->type.rank, axes, out);
}

bool lt__sd_build_reverse(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_row rows[SD_MAX_RANK];

	for (int32_t i = 0; i < arg->rank; i++)
		rows[i] = (struct sd_row){ .axis = i, .coef = 1 };
	rows[e->list[0].at[0]].coef = -1;
	rows[e->list[0].at[0]].sum.constant = lt_var_extent(l->g, arg->axis[e->list[0].at[0]]) - 1;
	return lt__sd_view(l, arg, rows, arg->rank, arg->axis, out);
}

/* -- functions of elements -- */
static bool function(struct sd_lower *l, const char *op, const struct sd_value *x, struct sd_value *out)
{
	const lt_node y = lt_graph_unary(l->g, op, x->node);

	*out = *x;
	return lt__sd_set(l, out, y);
}

static bool with_real(struct sd_lower *l, const char *op, const struct sd_value *x, double real, struct sd_value *out)
{
	const lt_node y = lt_graph_binary(l->g, op, x->node, lt__sd_real(l, real));

	*out = *x;
	return lt__sd_set(l, out, y);
}

bool lt__sd_build_relu(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return with_real(l, "max", arg, 0, out);
}

bool lt__sd_relu6(struct sd_lower *l, const struct sd_value *x, struct sd_value *out)
{
	return with_real(l, "max", x, 0, out) && with_real(l, "min", out, 6, out);
}

bool lt__sd_build_relu6(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return lt__sd_relu6(l, arg, out);
}

bool lt__sd_build_exp(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return function(l, "exp", arg, out);
}

bool lt__sd_build_tanh(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return function(l, "tanh", arg, out);
}

bool lt__sd_build_sigmoid(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	(void)e;
	return function(l, "sigmoid", arg, out);
}

/* Where all elements are 0, so is the result. */
bool lt__sd_build_normalise(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg,
	struct sd_value *out)
{
	struct sd_value sum;

	(void)e;
	if (!lt__sd_map(l, "mul", 2, (const struct sd_value *[]){ arg, arg }, arg->rank, arg->axis, &sum)
	    || !lt__sd_reduce(l, "add", &sum, 1, &arg->axis[arg->rank - 1], &sum))
		return false;
	const lt_node is_zero = lt_graph_binary(l->g, "eq", sum.node, lt__sd_real(l, 0));
	const lt_node squares = lt_graph_op(l->g, "select", 3, (lt_node[]){ is_zero, lt__sd_real(l, 1), sum.node });
	lt_var dims[LT_MAX_RANK];
	int32_t n;
	if (!lt__sd_set(l, &sum, lt_graph_unary(l->g, "rsqrt", squares))
	    || !lt__sd_dims(l, 2, (const struct sd_value *[]){ arg, &sum }, arg->rank, arg->axis, &n, dims))
		return false;
	const lt_node y = lt_graph_op_to(l->g, "mul", 2, (lt_node[]){ arg->node, sum.node }, n, dims);
	*out = *arg;
	return lt__sd_set(l, out, y);
}

/* -- whole numbers of tensors -- */
bool lt__sd_build_argmax(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	static const struct sd_row first = { .axis = -1 };
	const int64_t n = lt__sd_elements(&e->arg[0]->type);
	const lt_var all = lt_graph_var(l->g, NULL, n);
	struct sd_value flat, at = { .rank = 1 };

	if (all == LT_NONE || !lt__sd_reshape(l, arg, 1, &all, &flat))
		return false;
	const int32_t axis = lt_node_rank(l->g, flat.node) - 1;
	if (!lt__sd_set(l, &at, lt__build_arg(l->g, flat.node, axis, "max", false)))
		return false;
	at.axis[0] = lt_node_dim(l->g, at.node, axis);
	if (!lt__sd_view(l, &at, &first, 0, NULL, out)
	    || !lt__sd_set(l, out, lt_graph_cast(l->g, out->node, LT_I32)))
		return false;
	out->whole = true;
	return true;
}

bool lt__sd_build_sgn(struct sd_lower *l, const struct sd_expr *e, const struct sd_value *arg, struct sd_value *out)
{
	struct sd_value x;

	(void)e;
	if (!lt__sd_only(l, arg, &x))
		return false;
	const lt_node above = lt_graph_binary(l->g, "greater", x.node, lt__sd_real(l, 0));
	*out = x;
	if (!lt__sd_set(l, out, lt_graph_cast(l->g, above, LT_I32)))
		return false;
	out->whole = true;
	return true;
}
