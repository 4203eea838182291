/* verify.c -- the rules of lt/graph.h, checked at each node as it is added and over the whole graph. */
#include <string.h>
#include "ir/node/parts.h"
#include "ir/map/map.h"
#include "ir/bounds/bounds.h"
#include "base/names.h"

#define FAIL(...) lt__node_fail(g, x, __VA_ARGS__)

static lt_status check_dims(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];
	int64_t bytes;

	if (n->n_dim < 0 || n->n_dim > LT_MAX_RANK)
		return FAIL(LT_EUNSUPPORTED, "a value has 0 to %d dims, this one %d", LT_MAX_RANK, n->n_dim);
	for (int32_t i = 0; i < n->n_dim; i++) {
		if (n->dim[i] < 0 || n->dim[i] >= g->n_var)
			return FAIL(LT_EINVAL, "dim %d is var number %d: the graph has %d", i, n->dim[i], g->n_var);
		for (int32_t j = 0; j < i; j++)
			if (n->dim[i] == n->dim[j])
				return FAIL(LT_EINVAL, "dims %d and %d are the same var '%.100s': rename one", j, i,
					g->var[n->dim[i]].name);
	}
	bytes = lt__node_elems(g, x);
	if (bytes < 0 || __builtin_mul_overflow(bytes, (int64_t)lt__dtype_info(n->dtype)->bytes, &bytes) || bytes >> 62)
		return FAIL(LT_EOVERFLOW, "the size of %s of %s exceeds 62 bits", lt__node_shape_text(g, x),
			lt__dtype_info(n->dtype)->name);
	return LT_OK;
}

/* Operands come before their reader; an elementwise one has no var that the result lacks. */
static lt_status check_operands(const struct lt_graph *g, lt_node x, int32_t n_operand, bool elementwise)
{
	const struct lt_nodedef *n = &g->node[x];

	if (n->n_operand != n_operand)
		return FAIL(LT_EINVAL, "%d operands, %d are needed", n->n_operand, n_operand);
	for (int32_t i = 0; i < n_operand; i++) {
		const struct lt_nodedef *from;

		if (n->operand[i] < 0 || n->operand[i] >= x)
			return FAIL(LT_EINVAL, "operand %d is node number %d, which does not come before it", i, n->operand[i]);
		from = &g->node[n->operand[i]];
		for (int32_t j = 0; elementwise && j < from->n_dim; j++)
			if (!lt__node_has_dim(n, from->dim[j]))
				return FAIL(LT_ETYPE, "operand '%.200s' (%s) has dim '%.100s', which the result (%s) does not have",
					from->name, lt__node_shape_text(g, n->operand[i]), g->var[from->dim[j]].name,
					lt__node_shape_text(g, x));
	}
	return LT_OK;
}

static lt_status check_class(const struct lt_graph *g, lt_node x, enum lt_dtype t)
{
	enum lt_opcode op = g->node[x].op;

	if (!lt__op_takes(op, t))
		return FAIL(LT_ETYPE, "'%s' does not compute on %s: cast first", lt__op_info(op)->name, lt__dtype_info(t)->name);
	return LT_OK;
}

static lt_status check_reduce(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x], *from;

	if (n->op < 0 || n->op >= LT_NOP || lt__op_info(n->op)->identity == LT_ID_NONE)
		return FAIL(LT_EINVAL, "this operator does not reduce: add, mul, min and max do");
	LT_TRY(check_operands(g, x, 1, false));
	LT_TRY(check_class(g, x, n->dtype));
	from = &g->node[n->operand[0]];
	if (from->dtype != n->dtype)
		return FAIL(LT_ETYPE, "a reduction of %s gives %s: the types must be equal", lt__dtype_info(from->dtype)->name,
			lt__dtype_info(n->dtype)->name);
	int32_t kept = 0;       /* a partial sum has the iterations of a loop over a reduced dim as a dim */
	for (int32_t i = 0; i < n->n_dim; i++) {
		const struct lt_vardef *v = &g->var[n->dim[i]];
		if (!lt__node_has_dim(from, n->dim[i]) && !(v->unit && lt__node_has_dim(from, v->of) && !lt__node_has_dim(n, v->of)))
			return FAIL(LT_ETYPE, "dim '%.100s' of the result is not a dim of operand '%.200s' (%s)",
				v->name, from->name, lt__node_shape_text(g, n->operand[0]));
		kept += lt__node_has_dim(from, n->dim[i]);
	}
	if (kept == from->n_dim)
		return FAIL(LT_EINVAL, "it reduces no dim of operand '%.200s' (%s)", from->name,
			lt__node_shape_text(g, n->operand[0]));
	return LT_OK;
}

static lt_status check_map(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];
	const struct lt_opinfo *info = lt__op_info(n->op);
	int32_t first = n->op == LT_OP_select;
	enum lt_dtype t;

	LT_TRY(check_operands(g, x, info->arity, true));
	t = g->node[n->operand[first]].dtype;
	for (int32_t i = first + 1; i < info->arity; i++)
		if (g->node[n->operand[i]].dtype != t)
			return FAIL(LT_ETYPE, "operand '%.200s' is %s and '%.200s' is %s: one type is needed, cast one",
				g->node[n->operand[first]].name, lt__dtype_info(t)->name, g->node[n->operand[i]].name,
				lt__dtype_info(g->node[n->operand[i]].dtype)->name);
	if (first && g->node[n->operand[0]].dtype != LT_BOOL)
		return FAIL(LT_ETYPE, "the condition '%.200s' is %s: bool is needed", g->node[n->operand[0]].name,
			lt__dtype_info(g->node[n->operand[0]].dtype)->name);
	LT_TRY(check_class(g, x, t));
	if (n->dtype != (info->to_bool ? LT_BOOL : t))
		return FAIL(LT_ETYPE, "the result is %s: %s is what the operands give", lt__dtype_info(n->dtype)->name,
			lt__dtype_info(info->to_bool ? LT_BOOL : t)->name);
	return LT_OK;
}

/* Bits beyond those of the type are 0, so that equal values have equal bits. */
static lt_status check_bits(const struct lt_graph *g, lt_node x, uint64_t bits)
{
	enum lt_dtype t = g->node[x].dtype;

	if (lt__bits_of(lt__scalar_of(bits, t), t) != bits && !(lt__dtype_info(t)->cls == LT_CLASS_FLOAT
	    && bits <= UINT64_MAX >> (64 - 8 * lt__dtype_info(t)->bytes)))
		return FAIL(LT_EINVAL, "0x%llx is not the bit pattern of a value of type %s", (unsigned long long)bits,
			lt__dtype_info(t)->name);
	return LT_OK;
}

static lt_status check_lit(const struct lt_graph *g, lt_node x)
{
	if (g->node[x].n_dim)
		return FAIL(LT_EINVAL, "a literal has no dims");
	LT_TRY(check_operands(g, x, 0, false));
	return check_bits(g, x, g->node[x].bits);
}

static lt_status check_memory(const struct lt_graph *g, lt_node x)
{
	if (!g->node[x].label || !g->node[x].label[0])
		return FAIL(LT_EINVAL, "it needs a name");
	return check_operands(g, x, 0, false);
}

static lt_status check_index(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];

	if (n->n_dim != 1 || n->dim[0] != n->var || n->dtype != LT_I64)
		return FAIL(LT_EINVAL, "the index along a var has that var as its only dim, and type i64");
	return check_operands(g, x, 0, false);
}

static lt_status check_cast(const struct lt_graph *g, lt_node x)
{
	return check_operands(g, x, 1, true);
}

static bool is_zero(const int64_t *row, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (row[i])
			return false;
	return true;
}

static lt_status check_piece(const struct lt_graph *g, lt_node x, int32_t piece)
{
	const struct lt_nodedef *n = &g->node[x];
	const struct lt_graphpiece *p = &n->piece[piece];
	const struct lt_map *m = &p->map;
	int32_t rank = 0, width;

	if (p->source < -1 || p->source >= n->n_operand)
		return FAIL(LT_EINVAL, "piece %d shows operand %d of %d", piece, p->source, n->n_operand);
	if (p->source >= 0) {
		rank = g->node[n->operand[p->source]].n_dim;
		if (g->node[n->operand[p->source]].dtype != n->dtype)
			return FAIL(LT_ETYPE, "source '%.200s' is %s, the view %s: one type is needed, cast first",
				g->node[n->operand[p->source]].name, lt__dtype_info(g->node[n->operand[p->source]].dtype)->name,
				lt__dtype_info(n->dtype)->name);
	} else {
		LT_TRY(check_bits(g, x, p->bits));
	}
	if (m->n_dim != n->n_dim)
		return FAIL(LT_EINVAL, "the map of piece %d has %d dims, the view %d", piece, m->n_dim, n->n_dim);
	if (m->n_row != rank)
		return FAIL(LT_EINVAL, "the map of piece %d has %d rows, its source %d dims", piece, m->n_row, rank);
	if (m->n_param < 0 || m->n_div < 0 || m->n_guard < 0 || m->n_param > LT_MAX_WIDTH || m->n_div > LT_MAX_WIDTH
	    || lt__map_width(m) > LT_MAX_WIDTH)
		return FAIL(LT_EUNSUPPORTED, "the map of piece %d is %d columns wide: at most %d are possible", piece,
			lt__map_width(m), LT_MAX_WIDTH);
	for (int32_t i = 0; i < m->n_param; i++)
		if (m->param[i] < 0 || m->param[i] >= g->n_param)
			return FAIL(LT_EINVAL, "the map of piece %d uses run-time scalar number %d: the graph has %d", piece,
				m->param[i], g->n_param);
	width = lt__map_width(m);
	for (int32_t i = 0; i < m->n_div; i++) {
		const int64_t *div = m->div + (int64_t)i * (1 + width);

		if (div[0] <= 0)
			return FAIL(LT_EINVAL, "floor division %d of piece %d divides by %lld: a positive number is needed", i,
				piece, (long long)div[0]);
		if (!is_zero(div + 1 + width - m->n_div + i, m->n_div - i))
			return FAIL(LT_EINVAL, "floor division %d of piece %d uses itself or a later one", i, piece);
	}
	return LT_OK;
}

static lt_status check_view(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];

	LT_TRY(check_operands(g, x, n->n_operand, false));
	if (n->n_operand < 1 || n->n_piece < 1)
		return FAIL(LT_EINVAL, "a view needs a piece with a source");
	if (n->has_fill)
		LT_TRY(check_bits(g, x, n->bits));
	for (int32_t i = 0; i < n->n_piece; i++)
		LT_TRY(check_piece(g, x, i));
	return LT_OK;
}

static lt_status check_gather(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x], *from, *index;

	LT_TRY(check_operands(g, x, 2, false));
	from = &g->node[n->operand[0]];
	index = &g->node[n->operand[1]];
	if (from->dtype != n->dtype)
		return FAIL(LT_ETYPE, "it gathers %s from '%.200s', which is %s", lt__dtype_info(n->dtype)->name, from->name,
			lt__dtype_info(from->dtype)->name);
	if (lt__dtype_info(index->dtype)->cls != LT_CLASS_INT)
		return FAIL(LT_ETYPE, "the index '%.200s' is %s: an integer type is needed", index->name,
			lt__dtype_info(index->dtype)->name);
	if (n->axis < 0 || n->axis >= from->n_dim)
		return FAIL(LT_EINVAL, "axis %d of '%.200s' (%s) does not exist", n->axis, from->name,
			lt__node_shape_text(g, n->operand[0]));
	for (int32_t i = 0; i < from->n_dim; i++)
		if (i != n->axis && !lt__node_has_dim(n, from->dim[i]))
			return FAIL(LT_ETYPE, "dim '%.100s' of '%.200s' is missing in the result", g->var[from->dim[i]].name, from->name);
	for (int32_t i = 0; i < index->n_dim; i++)
		if (!lt__node_has_dim(n, index->dim[i]))
			return FAIL(LT_ETYPE, "dim '%.100s' of the index '%.200s' is missing in the result",
				g->var[index->dim[i]].name, index->name);
	for (int32_t i = 0; i < n->n_dim; i++)
		if (!lt__node_has_dim(index, n->dim[i]) && (!lt__node_has_dim(from, n->dim[i]) || n->dim[i] == from->dim[n->axis]))
			return FAIL(LT_ETYPE, "dim '%.100s' of the result is a dim of neither '%.200s' nor its index",
				g->var[n->dim[i]].name,
				from->name);
	return LT_OK;
}

static lt_status check_block(const struct lt_graph *g, lt_node x, int32_t axis)
{
	const struct lt_nodedef *n = &g->node[x];
	lt_var v = g->node[n->operand[1]].dim[axis];
	int64_t extent = g->var[n->dim[axis]].extent, part = g->var[v].extent, end;
	bool moves = n->offset[axis] != 0 || n->at[axis] >= 0;

	if (n->at[axis] < -1 || n->at[axis] >= g->n_param)
		return FAIL(LT_EINVAL, "the offset along axis %d uses run-time scalar number %d: the graph has %d", axis,
			n->at[axis], g->n_param);
	if (n->offset[axis] < -(INT64_C(1) << 61) || n->offset[axis] > INT64_C(1) << 61)
		return FAIL(LT_EOVERFLOW, "the offset %lld along axis %d exceeds 61 bits", (long long)n->offset[axis], axis);
	if (part > extent || (n->at[axis] < 0 && (n->offset[axis] < 0 || __builtin_add_overflow(n->offset[axis], part, &end)
	    || end > extent)))
		return FAIL(LT_ETYPE, "a block of %lld elements at %lld does not fit into axis %d of '%.200s' (%s)",
			(long long)part, (long long)n->offset[axis], axis, g->node[n->operand[0]].name,
			lt__node_shape_text(g, n->operand[0]));
	for (int32_t i = 0; i < n->n_dim; i++)
		if (v == n->dim[i] && (i != axis || moves))
			return FAIL(LT_ETYPE, "dim '%.100s' of the block '%.200s' is also a dim of the result, but not at the same "
				"positions: rename it", g->var[v].name, g->node[n->operand[1]].name);
	return LT_OK;
}

static lt_status check_update(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x], *from, *part;

	LT_TRY(check_operands(g, x, 2, false));
	from = &g->node[n->operand[0]];
	part = &g->node[n->operand[1]];
	if (n->n_dim != from->n_dim || memcmp(n->dim ? n->dim : &n->var, from->dim ? from->dim : &n->var,
	    sizeof *n->dim * (size_t)n->n_dim))
		return FAIL(LT_ETYPE, "the dims of the result (%s) must be those of '%.200s' (%s)", lt__node_shape_text(g, x),
			from->name, lt__node_shape_text(g, n->operand[0]));
	if (from->dtype != n->dtype || part->dtype != n->dtype)
		return FAIL(LT_ETYPE, "'%.200s' is %s and the block '%.200s' is %s: one type is needed, cast one", from->name,
			lt__dtype_info(from->dtype)->name, part->name, lt__dtype_info(part->dtype)->name);
	if (part->n_dim != n->n_dim)
		return FAIL(LT_ETYPE, "the block '%.200s' has %d dims, '%.200s' has %d", part->name, part->n_dim, from->name,
			from->n_dim);
	if (n->n_dim && (!n->offset || !n->at))
		return FAIL(LT_EINVAL, "an update has an offset for each dim");
	for (int32_t i = 0; i < n->n_dim; i++)
		LT_TRY(check_block(g, x, i));
	return LT_OK;
}

typedef lt_status check_function(const struct lt_graph *, lt_node);
static check_function *const check_data[LT_NOP] = {
	[LT_OP_lit] = check_lit,
	[LT_OP_input] = check_memory,
	[LT_OP_constant] = check_memory,
	[LT_OP_state] = check_memory,
	[LT_OP_index] = check_index,
	[LT_OP_view] = check_view,
	[LT_OP_gather] = check_gather,
	[LT_OP_update] = check_update,
	[LT_OP_cast] = check_cast,
};

lt_status lt__verify_node(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];

	if (n->op < 0 || n->op >= LT_NOP)
		return FAIL(LT_EINVAL, "there is no operator number %d", (int)n->op);
	if (n->dtype < 1 || n->dtype >= LT_NDTYPE)
		return FAIL(LT_EINVAL, "there is no type number %d", (int)n->dtype);
	LT_TRY(check_dims(g, x));
	if (n->reduce)
		return check_reduce(g, x);
	LT_TRY(lt__op_info(n->op)->data ? check_data[n->op](g, x) : check_map(g, x));
	return lt__bounds_fit(g, x);
}

static lt_status check_linear(const struct lt_graph *g, const struct lt_linear *l, const char *what, const char *name)
{
	for (int32_t i = 0; i < l->n; i++)
		if (l->param[i] < 0 || l->param[i] >= g->n_param)
			return lt_fail(g->ctx, LT_EINVAL, "%s '%.200s' uses run-time scalar number %d: the graph has %d", what, name,
				l->param[i], g->n_param);
	return LT_OK;
}

static lt_status check_vars(const struct lt_graph *g)
{
	for (lt_var v = 0; v < g->n_var; v++) {
		const struct lt_vardef *d = &g->var[v];

		if (d->extent < 1)
			return lt_fail(g->ctx, LT_EINVAL, "var '%.200s' has extent %lld: at least 1 is needed", d->name,
				(long long)d->extent);
		if (lt__names_find(g->var_names, d->name, strlen(d->name)) != v)
			return lt_fail(g->ctx, LT_EINVAL, "the name of var '%.200s' is not unique", d->name);
		if (d->bounded)
			LT_TRY(check_linear(g, &d->limit, "the extent of var", d->name));
		if (d->bounded && !lt__linear_fits(g, &d->limit))
			return lt_fail(g->ctx, LT_EOVERFLOW,
				"the extent of var '%.200s' exceeds 62 bits: narrow the ranges of the run-time scalars "
				"in its limit",
				d->name);
	}
	return LT_OK;
}

static bool is_memory(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && x < g->n_node && (g->node[x].op == LT_OP_input || g->node[x].op == LT_OP_constant
		|| g->node[x].op == LT_OP_state);
}

static lt_status check_params(const struct lt_graph *g)
{
	for (lt_param p = 0; p < g->n_param; p++) {
		const struct lt_paramdef *d = &g->param[p];

		if (!is_memory(g, d->source) || g->node[d->source].dtype != LT_I64)
			return lt_fail(g->ctx, LT_EINVAL, "run-time scalar '%.200s' is not an element of an int64 input, constant or "
				"state", d->name);
		if (d->element < 0 || d->element >= lt__node_elems(g, d->source))
			return lt_fail(g->ctx, LT_EINVAL, "run-time scalar '%.200s' is element %lld of '%.200s', which has %lld",
				d->name, (long long)d->element, g->node[d->source].name, (long long)lt__node_elems(g, d->source));
		if (d->low > d->high)
			return lt_fail(g->ctx, LT_EINVAL, "the range %lld .. %lld of run-time scalar '%.200s' is empty",
				(long long)d->low, (long long)d->high, d->name);
	}
	for (int32_t i = 0; i < g->n_require; i++)
		LT_TRY(check_linear(g, &g->require[i].value, "requirement", g->require[i].text));
	return LT_OK;
}

static lt_status check_ends(const struct lt_graph *g)
{
	for (int32_t i = 0; i < g->n_result; i++)
		if (g->result[i].node < 0 || g->result[i].node >= g->n_node)
			return lt_fail(g->ctx, LT_EINVAL, "result '%.200s' is node number %d: the graph has %d", g->result[i].name,
				g->result[i].node, g->n_node);
	for (int32_t i = 0; i < g->n_set; i++)
		LT_TRY(lt__verify_set(g, g->set[i].state, g->set[i].value));
	for (int32_t i = 0; i < g->n_own; i++)
		LT_TRY(lt__own_verify(g, &g->own[i]));
	return LT_OK;
}

lt_status lt__verify_set(const struct lt_graph *g, lt_node state, lt_node value)
{
	const struct lt_nodedef *s, *v;
	lt_node x = state;

	if (state < 0 || state >= g->n_node || value < 0 || value >= g->n_node)
		return lt__graph_fail(g, LT_EINVAL, "the content of node number %d is set to node number %d: the graph has %d",
			state, value, g->n_node);
	s = &g->node[state];
	v = &g->node[value];
	if (s->op != LT_OP_state)
		return FAIL(LT_EINVAL, "only a state lives across runs and can be set");
	if (s->dtype != v->dtype || s->n_dim != v->n_dim)
		return FAIL(LT_ETYPE, "its new content '%.200s' is %s of %s, it is %s of %s", v->name, lt__dtype_info(v->dtype)->name,
			lt__node_shape_text(g, value), lt__dtype_info(s->dtype)->name, lt__node_shape_text(g, state));
	for (int32_t i = 0; i < s->n_dim; i++)
		if (!lt__var_same_range(g, s->dim[i], v->dim[i]))
			return FAIL(LT_ETYPE, "its new content '%.200s' has dims %s, it has %s", v->name,
				lt__node_shape_text(g, value), lt__node_shape_text(g, state));
	return LT_OK;
}

lt_status lt_graph_verify(const struct lt_graph *g)
{
	if (g->nameless)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory: a name of the graph was lost");
	LT_TRY(check_vars(g));
	LT_TRY(check_params(g));
	for (lt_node x = 0; x < g->n_node; x++) {
		LT_TRY(lt__verify_node(g, x));
		if (!g->inside)
			LT_TRY(lt__bounds_check(g, x, NULL));
		if (lt__names_find(g->node_names, g->node[x].name, strlen(g->node[x].name)) != x)
			return lt__node_fail(g, x, LT_EINVAL, "its name is not unique");
	}
	return check_ends(g);
}
