/* graph.c -- the graph of a case: an operator with its operands' views and its neighbours; casts;
 * reductions. */
#include <string.h>
#include "check/random/random.h"
#include "tools/check/parts.h"

/* -- operands through views -- */

/* An input whose extents are d's, but for one axis. */
static lt_node input_with(
	struct lt_graph *g, const char *name, enum lt_dtype t, const struct check_dims *d, int32_t axis, int64_t extent)
{
	struct check_dims own = { .n = d->n };
	for (int32_t i = 0; i < d->n; i++)
		own.at[i] = lt_graph_var(g, NULL, i == axis ? extent : lt_var_extent(g, d->at[i]));
	return lt__check_input(g, name, t, &own);
}

static uint64_t typed_bits(enum lt_dtype t, double value)
{
	return lt__bits_of(lt__convert((union lt_scalar){ .f = value }, LT_F64, t), t);
}

static lt_node padded(struct lt_graph *g, enum lt_dtype t, const struct check_dims *d, int32_t axis)
{
	int64_t extent = lt_var_extent(g, d->at[axis]), before[4] = { 0 }, after[4] = { 0 };
	if (extent > 1)
		before[axis] = 1;
	if (extent > 3)
		after[axis] = 2;
	if (extent == 1)                /* one element of padding after, and the first taken away */
		return lt_graph_slice(g,
			lt_graph_pad(g, input_with(g, "x", t, d, -1, 0), before,
				(int64_t[4]){ axis == 0, axis == 1, axis == 2, axis == 3 }, typed_bits(t, 3)),
			axis, 1, 1, 1);
	return lt_graph_pad(g, input_with(g, "x", t, d, axis, extent - before[axis] - after[axis]), before, after,
		typed_bits(t, 3));
}

static lt_node reshaped(struct lt_graph *g, enum lt_dtype t, const struct check_dims *d)
{
	int64_t all = 1, shape[4];
	for (int32_t i = 0; i < d->n; i++)
		all *= shape[i] = lt_var_extent(g, d->at[i]);
	lt_var flat = lt_graph_var(g, NULL, all);
	return lt_graph_reshape(g, lt_graph_input(g, "x", t, 1, &flat), d->n, shape);
}

/* Columns of another tensor, one after the other: rows of the result begin in the middle of them. */
static lt_node flattened(struct lt_graph *g, enum lt_dtype t, const struct check_dims *d)
{
	static const int32_t swap[2] = { 1, 0 };
	int64_t all = 1, shape[4], column = 2;
	for (int32_t i = 0; i < d->n; i++)
		all *= shape[i] = lt_var_extent(g, d->at[i]);
	while (all % column && column < all)
		column++;
	column = all == 1 ? 1 : column;
	lt_var dims[2] = { lt_graph_var(g, NULL, column), lt_graph_var(g, NULL, all / column) };
	return lt_graph_reshape(g, lt_graph_permute(g, lt_graph_input(g, "x", t, 2, dims), 2, swap), d->n, shape);
}

static lt_node permuted(struct lt_graph *g, enum lt_dtype t, const struct check_dims *d)
{
	struct check_dims own = { .n = d->n };
	int32_t perm[4];
	for (int32_t i = 0; i < d->n; i++) {
		own.at[i] = d->at[d->n - 1 - i];
		perm[i] = d->n - 1 - i;
	}
	return lt_graph_permute(g, lt__check_input(g, "x", t, &own), d->n, perm);
}

static lt_node joined(struct lt_graph *g, enum lt_dtype t, const struct check_dims *d, int32_t axis)
{
	int64_t extent = lt_var_extent(g, d->at[axis]), half = extent / 2;
	lt_node both[2] = { input_with(g, "x", t, d, axis, half), input_with(g, "x2", t, d, axis, extent - half) };
	return lt_graph_concat(g, axis, 2, both);
}

/* The last axis from its end to its begin. */
static lt_node flipped(struct lt_graph *g, enum lt_dtype t, const struct check_dims *d)
{
	struct check_dims own = { .n = d->n };
	int64_t row[4 * 5] = { 0 };
	lt_node x = input_with(g, "x", t, d, -1, 0);
	for (int32_t i = 0; i < d->n; i++) {
		own.at[i] = lt_graph_var(g, NULL, lt_var_extent(g, d->at[i]));
		row[i * (1 + d->n) + 1 + i] = 1;
	}
	row[(d->n - 1) * (1 + d->n)] = lt_var_extent(g, d->at[d->n - 1]) - 1;
	row[(d->n - 1) * (1 + d->n) + d->n] = -1;
	const struct lt_view_piece piece = { .source = x, .map = { .n_dim = d->n, .n_row = d->n, .row = row } };
	return lt_graph_view(g, own.n, own.at, 1, &piece, 0, 0);
}

/* Operand 0: through the view; broadcast: without the outermost dim. */
static lt_node viewed(struct lt_graph *g, int view, enum lt_dtype t, const struct check_dims *d)
{
	lt_node x;
	int64_t extent = d->n ? lt_var_extent(g, d->at[d->n - 1]) : 0;
	switch (view) {
	case CHECK_PAD:     x = padded(g, t, d, d->n - 1); break;
	case CHECK_STRIDE:
		x = lt_graph_slice(g, input_with(g, "x", t, d, d->n - 1, 2 * extent + 1), d->n - 1, 1, 2, extent);
		break;
	case CHECK_SLICE:
		x = lt_graph_slice(g, input_with(g, "x", t, d, 0, lt_var_extent(g, d->at[0]) + 3), 0, 2, 1,
			lt_var_extent(g, d->at[0]));
		break;
	case CHECK_RESHAPE: x = reshaped(g, t, d); break;
	case CHECK_FLATTEN: x = flattened(g, t, d); break;
	case CHECK_PERMUTE: return permuted(g, t, d);
	case CHECK_CONCAT:  x = joined(g, t, d, extent > 1 ? d->n - 1 : 0); break;
	case CHECK_FLIP:    x = flipped(g, t, d); break;
	case CHECK_BROADCAST: return lt_graph_input(g, "x", t, d->n - 1, d->at + 1);
	default:            return lt__check_input(g, "x", t, d);
	}
	return lt_graph_rename(g, x, d->n, d->at);
}

/* -- neighbours -- */

static lt_node neighbour(struct lt_graph *g, lt_node x, const char *arithmetic)
{
	return lt_graph_unary(g, lt_node_dtype(g, x) == LT_BOOL ? "not" : arithmetic, x);
}

static lt_node build_op(struct lt_graph *g, const struct check_spec *s)
{
	const struct lt_opinfo *info = lt__op_info((enum lt_opcode)s->op);
	static const char *const names[] = { "x", "y", "z" };
	struct check_dims d = lt__check_dims(g, s->shape);
	lt_node operand[3];
	bool produced = s->neighbour == CHECK_PRODUCER || s->neighbour == CHECK_BOTH;
	for (int i = 0; i < info->arity; i++) {
		enum lt_dtype t = i == 0 && s->op == LT_OP_select ? LT_BOOL : s->dtype;
		operand[i] = i == 0 ? viewed(g, s->view, t, &d) : lt__check_input(g, names[i], t, &d);
		if (produced && i == info->arity - 1)
			operand[i] = neighbour(g, operand[i], "neg");
	}
	lt_node r = lt_graph_op_to(g, info->name, info->arity, operand, d.n, d.at);
	if (s->neighbour == CHECK_CONSUMER || s->neighbour == CHECK_BOTH)
		r = neighbour(g, r, "abs");
	if (s->neighbour == CHECK_REDUCED)
		r = lt_graph_reduce(g, "max", r, 1, &d.at[d.n - 1]);
	return r;
}

static lt_node build_cast(struct lt_graph *g, const struct check_spec *s)
{
	struct check_dims d = lt__check_dims(g, s->shape);
	return lt_graph_cast(g, lt__check_input(g, "x", s->dtype, &d), s->other);
}

static lt_node build_reduce(struct lt_graph *g, const struct check_spec *s)
{
	struct check_dims d = lt__check_dims(g, s->shape);
	lt_node x = lt__check_input(g, "x", s->dtype, &d);
	const char *op = lt__op_info((enum lt_opcode)s->op)->name;
	return s->variant == 2 ? lt_graph_reduce(g, op, x, d.n, d.at)
			       : lt_graph_reduce(g, op, x, 1, &d.at[s->variant ? 0 : d.n - 1]);
}

static lt_status build_random(struct lt_context *ctx, const struct check_case *c, struct lt_graph **out)
{
	struct random_graph r;
	char text[4000];
	uint64_t rng = c->seed;
	if (c->spec.variant) {
		random_nest_new(ctx, c->seed, 0, 0, &r, text, sizeof text);
	} else {
		struct random_options o = {
			.n_node = (int32_t)random_between(&rng, 3, 24), .views = true, .params = true, .states = true
		};
		o.composites = random_chance(&rng, 50);
		random_graph_new(ctx, c->seed, &o, &r);
	}
	*out = r.g;
	r.g = NULL;
	random_graph_free(&r);
	return LT_OK;
}

lt_status lt__check_graph(struct lt_context *ctx, const struct check_case *c, struct lt_graph **out)
{
	lt_node r = -1;
	*out = NULL;
	if (c->group == CHECK_random)
		return build_random(ctx, c, out);
	LT_TRY(lt_graph_new(ctx, out));
	switch (c->group) {
	case CHECK_op:      r = build_op(*out, &c->spec); break;
	case CHECK_cast:    r = build_cast(*out, &c->spec); break;
	case CHECK_reduce:  r = build_reduce(*out, &c->spec); break;
	case CHECK_gather:  r = lt__check_build_gather(*out, c); break;
	case CHECK_state:   r = lt__check_build_state(*out, c); break;
	case CHECK_param:   r = lt__check_build_param(*out, c); break;
	case CHECK_product: r = lt__check_build_product(*out, c); break;
	default: break;
	}
	return r < 0 ? lt_context_code(ctx) ? lt_context_code(ctx) : LT_EINVAL : lt_graph_result(*out, "r", r);
}
