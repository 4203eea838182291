/* value.c -- building values: sources, operators, reductions, casts, results. */
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"
#include "base/names.h"

static struct lt_nodedef node_here(const struct lt_graph *g, enum lt_opcode op, enum lt_dtype t)
{
	return (struct lt_nodedef){ .op = op, .dtype = t, .line = g->line, .column = g->column };
}

static lt_node add_source(struct lt_graph *g, enum lt_opcode op, const char *name, enum lt_dtype t, int32_t n,
	const lt_var *dims)
{
	struct lt_nodedef def = node_here(g, op, t);

	if (!name && op != LT_OP_state) {
		lt__graph_fail(g, LT_EINVAL, "an %s needs a name", op == LT_OP_input ? "input" : "array of constants");
		return -1;
	}
	if (lt__has(dims, n, -1))
		return -1;
	def.label = def.name = name;
	def.n_dim = n;
	def.dim = (lt_var *)(uintptr_t)dims;            /* lt__graph_add copies it */
	return lt__graph_add(g, &def);
}

lt_node lt_graph_input(struct lt_graph *g, const char *name, enum lt_dtype t, int32_t n, const lt_var *dims)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_source(g, LT_OP_input, name, t, n, dims));
	return x;
}

lt_node lt_graph_constant(struct lt_graph *g, const char *name, enum lt_dtype t, int32_t n, const lt_var *dims)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_source(g, LT_OP_constant, name, t, n, dims));
	return x;
}

lt_node lt_graph_state(struct lt_graph *g, const char *name, enum lt_dtype t, int32_t n, const lt_var *dims)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_source(g, LT_OP_state, name, t, n, dims));
	return x;
}

static lt_node add_literal(struct lt_graph *g, enum lt_dtype t, union lt_scalar value, enum lt_dtype from)
{
	struct lt_nodedef def = node_here(g, LT_OP_lit, t);

	if (t >= 1 && t < LT_NDTYPE)
		def.bits = lt__bits_of(lt__convert(value, from, t), t);
	return lt__graph_adopt(g, &def);
}

lt_node lt_graph_literal(struct lt_graph *g, enum lt_dtype t, double value)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_literal(g, t, (union lt_scalar){ .f = value }, LT_F64));
	return x;
}

lt_node lt_graph_literal_int(struct lt_graph *g, enum lt_dtype t, int64_t value)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_literal(g, t, (union lt_scalar){ .i = value }, LT_I64));
	return x;
}

static lt_node add_index(struct lt_graph *g, lt_var v)
{
	struct lt_nodedef def = node_here(g, LT_OP_index, LT_I64);

	if (v == -1)
		return -1;
	def.var = v;
	def.n_dim = 1;
	def.dim = &v;
	return lt__graph_add(g, &def);
}

lt_node lt_graph_index(struct lt_graph *g, lt_var v)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_index(g, v));
	return x;
}

/* The same dims as x; the cast of a named value is "<name>.cast". */
static lt_node build_cast(struct lt_graph *g, lt_node x, enum lt_dtype t)
{
	struct lt_nodedef def = node_here(g, LT_OP_cast, t);

	if (!lt__graph_has(g, x))
		return -1;
	if (g->node[x].dtype == t)
		return x;
	def.n_operand = 1;
	def.operand = lt__arena_copy(g->arena, &x, sizeof x);
	def.n_dim = g->node[x].n_dim;
	def.dim = g->node[x].dim;
	def.name = lt__arena_format(g->arena, "%s.cast", g->node[x].name);
	return lt__graph_adopt(g, &def);
}

lt_node lt_graph_cast(struct lt_graph *g, lt_node x, enum lt_dtype t)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, build_cast(g, x, t));
	return y;
}

/* Gives def the operands' vars in order of appearance. */
static void unite_dims(struct lt_graph *g, struct lt_nodedef *def)
{
	int32_t max = 0;

	for (int32_t i = 0; i < def->n_operand; i++)
		max += g->node[def->operand[i]].n_dim;
	def->dim = LT_NEW(g->arena, lt_var, max);
	for (int32_t i = 0; i < def->n_operand; i++) {
		const struct lt_nodedef *from = &g->node[def->operand[i]];

		for (int32_t j = 0; j < from->n_dim; j++)
			if (!lt__has(def->dim, def->n_dim, from->dim[j]))
				def->dim[def->n_dim++] = from->dim[j];
	}
}

/* The operands in the type in which `op` computes: half types and small integers are cast.  Types that do not fit
 * are left to the check of the node. */
static enum lt_dtype compute_operands(struct lt_graph *g, enum lt_opcode op, int32_t n, lt_node *operand)
{
	enum lt_dtype t = g->node[operand[n - 1]].dtype, compute = lt__dtype_info(t)->compute;

	if (lt__op_info(op)->any)
		return t;
	for (int32_t i = 0; i < n; i++)
		if (g->node[operand[i]].dtype != t)
			return t;
	if (compute != t && !lt__op_takes(op, compute))
		return t;
	for (int32_t i = 0; i < n && compute != t; i++) {
		lt_node from = operand[i], cast = build_cast(g, from, compute);

		if (cast < 0)
			return t;
		for (int32_t j = i; j < n; j++)         /* one cast for x*x */
			operand[j] = operand[j] == from ? cast : operand[j];
	}
	return compute;
}

static bool have_all(const struct lt_graph *g, int32_t n, const lt_node *operand)
{
	for (int32_t i = 0; i < n; i++)
		if (!lt__graph_has(g, operand[i]))
			return false;
	return true;
}

/* dims NULL: the union. */
static lt_node add_op(struct lt_graph *g, const char *name, int32_t n, const lt_node *operand, int32_t n_dim,
	const lt_var *dims)
{
	int op = lt__op_find(name);
	struct lt_nodedef def;
	enum lt_dtype t;
	lt_node x;

	if (!have_all(g, n, operand) || (dims && lt__has(dims, n_dim, -1)))
		return -1;
	if (op < 0 || lt__op_info((enum lt_opcode)op)->data) {
		lt__graph_fail(g, LT_EINVAL, "there is no elementwise operator '%.100s'", name);
		return -1;
	}
	if (n != lt__op_info((enum lt_opcode)op)->arity) {
		lt__graph_fail(g, LT_EINVAL, "operator '%s' takes %d operands, not %d", name,
			lt__op_info((enum lt_opcode)op)->arity, n);
		return -1;
	}
	def = node_here(g, (enum lt_opcode)op, 0);
	def.n_operand = n;
	def.operand = lt__arena_copy(g->arena, operand, sizeof *operand * (size_t)n);
	t = g->node[operand[n - 1]].dtype;
	def.dtype = compute_operands(g, def.op, n, def.operand);
	if (lt__op_info(def.op)->to_bool)
		def.dtype = t = LT_BOOL;
	if (dims) {
		def.n_dim = n_dim;
		def.dim = lt__arena_copy(g->arena, dims, sizeof *dims * (size_t)(n_dim > 0 ? n_dim : 0));
	} else {
		unite_dims(g, &def);
	}
	x = lt__graph_adopt(g, &def);
	return x < 0 ? -1 : build_cast(g, x, t);
}

lt_node lt_graph_op(struct lt_graph *g, const char *op, int32_t n, const lt_node *operand)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_op(g, op, n, operand, 0, NULL));
	return x;
}

lt_node lt_graph_op_to(struct lt_graph *g, const char *op, int32_t n, const lt_node *operand, int32_t n_dim,
	const lt_var *dims)
{
	static const lt_var none;
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_op(g, op, n, operand, n_dim, dims ? dims : &none));
	return x;
}

lt_node lt_graph_unary(struct lt_graph *g, const char *op, lt_node x)
{
	return lt_graph_op(g, op, 1, &x);
}

lt_node lt_graph_binary(struct lt_graph *g, const char *op, lt_node a, lt_node b)
{
	return lt_graph_op(g, op, 2, (const lt_node[]){ a, b });
}

/* Whether `over` names distinct dims of x; else a sentence. */
static bool check_over(const struct lt_graph *g, lt_node x, int32_t n, const lt_var *over)
{
	const struct lt_nodedef *from = &g->node[x];

	for (int32_t i = 0; i < n; i++) {
		if (over[i] < 0 || over[i] >= g->n_var) {
			if (over[i] != -1)
				lt__graph_fail(g, LT_EINVAL, "there is no var number %d: the graph has %d", over[i], g->n_var);
			return false;
		}
		if (!lt__has(from->dim, from->n_dim, over[i])) {
			lt__graph_fail(g, LT_ETYPE, "'%.200s' (%s) has no dim '%.100s' to reduce", from->name,
				lt__node_shape_text(g, x), g->var[over[i]].name);
			return false;
		}
		if (lt__has(over, i, over[i])) {
			lt__graph_fail(g, LT_EINVAL, "dim '%.100s' of '%.200s' is reduced twice", g->var[over[i]].name, from->name);
			return false;
		}
	}
	return true;
}

/* The reduction alone, in x's type. */
static lt_node build_reduce(struct lt_graph *g, enum lt_opcode op, lt_node x, int32_t n, const lt_var *over)
{
	struct lt_nodedef def = node_here(g, op, g->node[x].dtype);
	int32_t n_dim = g->node[x].n_dim;

	def.reduce = true;
	def.n_operand = 1;
	def.operand = lt__arena_copy(g->arena, &x, sizeof x);
	def.dim = LT_NEW(g->arena, lt_var, n_dim);
	for (int32_t i = 0; i < n_dim; i++)
		if (!lt__has(over, n, g->node[x].dim[i]))
			def.dim[def.n_dim++] = g->node[x].dim[i];
	return lt__graph_adopt(g, &def);
}

static lt_node add_reduce(struct lt_graph *g, const char *name, lt_node x, int32_t n, const lt_var *over)
{
	int op = lt__op_find(name);
	enum lt_dtype t;

	if (!lt__graph_has(g, x))
		return -1;
	if (op < 0 || lt__op_info((enum lt_opcode)op)->identity == LT_ID_NONE) {
		lt__graph_fail(g, LT_EINVAL, "'%.100s' does not reduce: add, mul, min and max do", name);
		return -1;
	}
	if (!check_over(g, x, n, over))
		return -1;
	if (n <= 0)
		return x;
	t = g->node[x].dtype;
	compute_operands(g, (enum lt_opcode)op, 1, &x);
	x = build_reduce(g, (enum lt_opcode)op, x, n, over);
	return x < 0 ? -1 : build_cast(g, x, t);
}

lt_node lt_graph_reduce(struct lt_graph *g, const char *op, lt_node x, int32_t n, const lt_var *over)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_reduce(g, op, x, n, over));
	return y;
}

/* Half types are cast once before the product and once after the sum. */
static lt_node add_contract(struct lt_graph *g, lt_node a, lt_node b, int32_t n, const lt_var *over)
{
	struct lt_nodedef def = node_here(g, LT_OP_mul, 0);
	lt_node operand[2] = { a, b }, x;
	enum lt_dtype t;

	if (!have_all(g, 2, operand))
		return -1;
	t = g->node[b].dtype;
	def.dtype = compute_operands(g, LT_OP_mul, 2, operand);
	def.n_operand = 2;
	def.operand = lt__arena_copy(g->arena, operand, sizeof operand);
	unite_dims(g, &def);
	x = lt__graph_adopt(g, &def);
	if (x < 0 || !check_over(g, x, n, over))
		return -1;
	x = n > 0 ? build_reduce(g, LT_OP_add, x, n, over) : x;
	return x < 0 ? -1 : build_cast(g, x, t);
}

lt_node lt_graph_contract(struct lt_graph *g, lt_node a, lt_node b, int32_t n, const lt_var *over)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_contract(g, a, b, n, over));
	return x;
}

static lt_status set_state(struct lt_graph *g, lt_node state, lt_node value)
{
	const char *key;
	int32_t before;

	if (state == -1 || value == -1)
		return g->ctx->code ? g->ctx->code : lt__graph_fail(g, LT_EINVAL, "a state is set to no node");
	LT_TRY(lt__verify_set(g, state, value));
	key = lt__arena_format(g->arena, "set:%d", state);
	before = lt__names_find(g->labels, key, strlen(key));
	if (before >= 0)
		return lt__node_fail(g, state, LT_EEXIST, "its content is set twice, to '%.200s' and to '%.200s'",
			g->node[g->set[before].value].name, g->node[value].name);
	LT_GROW(g->arena, g->set, g->n_set, g->cap_set);
	lt__names_add(g->labels, key, strlen(key), g->n_set);
	g->set[g->n_set++] = (struct lt_statedef){ .state = state, .value = value };
	return LT_OK;
}

lt_status lt_graph_set_state(struct lt_graph *g, lt_node state, lt_node value)
{
	lt_status status = LT_ENOMEM;

	LT_GUARDED(g->ctx, status, set_state(g, state, value));
	return status;
}

static lt_status add_result(struct lt_graph *g, const char *name, lt_node x)
{
	const char *key;

	if (x == -1)
		return g->ctx->code ? g->ctx->code : lt__graph_fail(g, LT_EINVAL, "result '%.200s' is not a node", name);
	if (!lt__graph_has(g, x))
		return LT_EINVAL;
	key = lt__arena_format(g->arena, "result:%s", name);
	if (lt__names_find(g->labels, key, strlen(key)) >= 0)
		return lt__graph_fail(g, LT_EEXIST, "there is a result named '%.200s' already", name);
	LT_GROW(g->arena, g->result, g->n_result, g->cap_result);
	name = lt__arena_string(g->arena, name);
	lt__names_add(g->labels, key, strlen(key), g->n_result);
	g->result[g->n_result++] = (struct lt_result){ .name = name, .node = x };
	return LT_OK;
}

lt_status lt_graph_result(struct lt_graph *g, const char *name, lt_node x)
{
	lt_status status = LT_ENOMEM;

	LT_GUARDED(g->ctx, status, add_result(g, name ? name : "result", x));
	return status;
}
