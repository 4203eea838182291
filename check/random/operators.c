/* operators.c -- random operators, broadcasts, reductions and contractions of what a random graph has. */
#include <math.h>
#include "check/random/maker.h"

static int64_t union_elems(const struct lt_graph *g, int n, const lt_node *x)
{
	lt_var seen[64];
	int32_t n_seen = 0;
	int64_t elems = 1;
	for (int i = 0; i < n; i++)
		for (int32_t k = 0; k < g->node[x[i]].n_dim && n_seen < 64; k++) {
			lt_var v = g->node[x[i]].dim[k];
			bool has = false;
			for (int32_t j = 0; j < n_seen; j++)
				has = has || seen[j] == v;
			if (!has) {
				seen[n_seen++] = v;
				elems *= g->var[v].extent;
			}
		}
	return n_seen > RANDOM_RANK + 1 ? INT64_MAX : elems;
}

/* Operands brought to where the operator is well behaved; the size of the result.  Now and then as they are. */
static double operand_prepare(struct random_maker *m, enum lt_opcode op, lt_node *x)
{
	struct lt_graph *g = m->g;
	bool raw = random_maybe(m, 15);
	int last = lt__op_info(op)->arity - 1;
	lt_node half = lt_graph_literal(g, g->node[x[last]].dtype, 0.5);
	double a = random_size(m, x[0]), b = random_size(m, x[last]);
	switch (op) {
	case LT_OP_add: case LT_OP_sub: return a + b;
	case LT_OP_mul: return a * b;
	case LT_OP_div: case LT_OP_reciprocal: case LT_OP_mod:
		if (raw || !random_is_float(g, x[last]))
			return op == LT_OP_mod ? b : op == LT_OP_div ? (random_is_float(g, x[0]) ? 64 * a : a) : 64;
		x[last] = lt_graph_binary(g, "add", lt_graph_unary(g, "abs", x[last]), half);
		return op == LT_OP_mod ? b + 1 : 2 * (op == LT_OP_div ? a : 1);
	case LT_OP_pow:
		x[1] = random_tame(m, x[1], 2);
		if (!raw)
			x[0] = lt_graph_binary(g, "add", lt_graph_unary(g, "abs", random_tame(m, x[0], 3)), half);
		return 64;
	case LT_OP_exp: x[0] = random_tame(m, x[0], 4); return 64;
	case LT_OP_sin: case LT_OP_cos: x[0] = random_tame(m, x[0], 1000); return 1;
	case LT_OP_log: case LT_OP_sqrt: case LT_OP_rsqrt:
		if (!raw)
			x[0] = lt_graph_binary(g, "add", lt_graph_unary(g, "abs", x[0]), half);
		return op == LT_OP_sqrt ? a + 1 : op == LT_OP_log ? 64 : 4;
	case LT_OP_tanh: case LT_OP_sigmoid: case LT_OP_erf: case LT_OP_sign: return 1;
	case LT_OP_and: case LT_OP_or: case LT_OP_xor: return 2 * (a > b ? a : b);
	case LT_OP_shl: case LT_OP_shr:         /* any count now and then: small ones are most of those that do something */
		if (!raw)
			x[1] = lt_graph_binary(g, "and", x[1], lt_graph_literal_int(g, g->node[x[1]].dtype, 7));
		return op == LT_OP_shr ? a : raw ? 0x1p63 : 128 * a;
	case LT_OP_ceil: case LT_OP_round: case LT_OP_floor: return a + 1;
	default: return lt__op_info(op)->to_bool ? 1 : a > b ? a : b;
	}
}

lt_node random_map(struct random_maker *m)
{
	static const int first = LT_OP_copy;
	enum lt_opcode op = (enum lt_opcode)random_pick_int(m, first, LT_NOP - 1);
	const struct lt_opinfo *info = lt__op_info(op);
	lt_node x[3];
	if (info->data || op == LT_OP_copy)
		return LT_OMIT;
	/* Operands of one type that the operator takes; select: a bool first. */
	x[0] = random_value_of(m, op == LT_OP_select ? LT_BOOL : 0);
	enum lt_dtype t = op == LT_OP_select ? m->g->node[random_value_of(m, 0)].dtype : m->g->node[x[0]].dtype;
	if (!lt__op_takes(op, lt__dtype_info(t)->compute))
		t = lt__op_takes(op, LT_F32)       ? random_float(m)
			: lt__op_takes(op, LT_I32) ? (random_maybe(m, 50) ? LT_I32 : LT_I64)
						   : LT_BOOL;
	if (op != LT_OP_select)
		x[0] = random_cast(m, x[0], t);
	for (int i = 1; i < info->arity; i++) {
		for (int tries = 0; tries < 12; tries++) {
			x[i] = random_value_of(m, t);
			if (union_elems(m->g, i + 1, x) <= RANDOM_ELEMS)
				break;
			x[i] = x[i - 1];
		}
		if (m->g->node[x[i]].dtype != t)
			x[i] = random_cast(m, x[i], t);
	}
	double size = operand_prepare(m, op, x);
	lt_node y = random_keep(m, lt_graph_op(m->g, info->name, info->arity, x), size);
	if (y >= 0 && size > 256 && random_is_float(m->g, y))
		y = random_tame(m, y, 16);
	return y;
}

lt_node random_broadcast(struct random_maker *m)
{
	lt_node x = random_value_of(m, 0);
	const struct lt_nodedef *d = &m->g->node[x];
	lt_var dims[RANDOM_RANK + 2];
	int32_t n = 0;
	if (d->n_dim >= RANDOM_RANK || random_elems(m->g, x) * 7 > RANDOM_ELEMS)
		return LT_OMIT;
	lt_var more = m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)];
	int64_t at = random_pick_int(m, 0, d->n_dim);
	for (int32_t i = 0; i < d->n_dim; i++) {
		if (d->dim[i] == more)
			return LT_OMIT;
		if (i == at)
			dims[n++] = more;
		dims[n++] = d->dim[i];
	}
	if (n == d->n_dim)
		dims[n++] = more;
	lt_node two[2] = { x, x };
	const char *op = d->dtype == LT_BOOL ? "or" : "max";
	return random_keep(m, lt_graph_op_to(m->g, op, 2, two, n, dims), random_size(m, x));
}

lt_node random_reduce(struct random_maker *m)
{
	enum lt_opcode reduces[LT_NOP], op;
	int32_t n_op = 0;
	for (int i = 0; i < LT_NOP; i++)
		if (lt__op_info((enum lt_opcode)i)->identity != LT_ID_NONE)
			reduces[n_op++] = (enum lt_opcode)i;
	int64_t which = random_pick_int(m, 0, n_op + 1);
	op = which < n_op ? reduces[which] : LT_OP_add;         /* sums are drawn most */
	lt_node x = random_value_of(m, 0);
	for (int tries = 0; tries < 6 && m->g->node[x].n_dim == 0; tries++)
		x = random_value_of(m, 0);
	if (m->g->node[x].dtype == LT_BOOL && !lt__op_takes(op, LT_BOOL))
		x = random_cast(m, x, random_maybe(m, 50) ? LT_I32 : random_float(m));
	const struct lt_nodedef *d = &m->g->node[x];
	lt_var over[16];
	int32_t n = 0;
	int64_t terms = 1;
	for (int32_t i = 0; i < d->n_dim && n < 16; i++)
		if (random_maybe(m, d->n_dim == 1 ? 90 : 50)) {
			over[n++] = d->dim[i];
			terms *= m->g->var[d->dim[i]].extent;
		}
	if (n == 0)
		return LT_OMIT;
	double size = random_size(m, x);
	if (op == LT_OP_mul && random_is_float(m->g, x)) {
		if (terms > 8)
			return LT_OMIT;
		x = random_tame(m, x, 1.5);
		size = pow(1.5, (double)terms);
	} else if (op == LT_OP_add) {
		size *= (double)terms;
	}
	return random_tame(m, random_keep(m, lt_graph_reduce(m->g, lt__op_info(op)->name, x, n, over), size), 64);
}

lt_node random_contract(struct random_maker *m)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F32, LT_F32, LT_F64, LT_I32, LT_F16 };
	enum lt_dtype t = random_allowed(m, types[random_pick_int(m, 0, 5)]);
	lt_node a = random_tame(m, random_value_of(m, t), 16);
	for (int tries = 0; tries < 8; tries++) {
		lt_node b = random_tame(m, random_value_of(m, t), 16), both[2] = { a, b };
		const struct lt_nodedef *x = &m->g->node[a], *y = &m->g->node[b];
		lt_var over[8];
		int32_t n = 0;
		if (union_elems(m->g, 2, both) > 4 * RANDOM_ELEMS)
			continue;
		for (int32_t i = 0; i < x->n_dim; i++)
			for (int32_t k = 0; k < y->n_dim; k++)
				if (x->dim[i] == y->dim[k] && n < 8 && (n == 0 || random_maybe(m, 50)))
					over[n++] = x->dim[i];
		if (n > 0)
			return random_tame(m, random_keep(m, lt_graph_contract(m->g, a, b, n, over), 4096), 32);
	}
	return LT_OMIT;
}
