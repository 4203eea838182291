/* check/random_graph.c -- random graphs: sources, operators, reductions and results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/must.h"
#include "check/random_maker.h"

int64_t random_pick_int(struct random_maker *m, int64_t low, int64_t high)
{
	return random_between(&m->rng, low, high);
}
bool random_maybe(struct random_maker *m, int percent) { return random_chance(&m->rng, percent); }

int64_t random_elems(const struct lt_graph *g, lt_node n) { return lt__node_elems(g, n); }
size_t random_bytes(const struct lt_graph *g, lt_node n)
{
	return (size_t)lt__node_elems(g, n) * lt__dtype_info(g->node[n].dtype)->bytes;
}

int64_t random_extent(const struct lt_graph *g, lt_node n, int32_t axis) { return g->var[g->node[n].dim[axis]].extent; }

bool random_is_bounded(const struct lt_graph *g, lt_node n)
{
	for (int32_t i = 0; i < g->node[n].n_dim; i++)
		if (g->var[g->node[n].dim[i]].bounded)
			return true;
	return false;
}

const char *random_name(struct random_maker *m, const char *kind)
{
	static _Thread_local char name[32];
	snprintf(name, sizeof name, "%s%d", kind, m->n_name++);
	return name;
}

static int find_value(const struct random_maker *m, lt_node n)
{
	for (int i = m->n_value - 1; i >= 0; i--)
		if (m->value[i].node == n)
			return i;
	return -1;
}

/* What depends on constants alone, by the graph. */
static bool is_constant(const struct random_maker *m, lt_node n)
{
	const struct lt_nodedef *d = &m->g->node[n];
	int at = find_value(m, n);
	if (at >= 0)
		return m->value[at].constant;
	bool all = d->n_operand > 0 || d->op == LT_OP_constant;
	for (int32_t i = 0; i < d->n_operand; i++)
		all = all && (m->g->node[d->operand[i]].op == LT_OP_lit || is_constant(m, d->operand[i]));
	return all;
}

lt_node random_keep(struct random_maker *m, lt_node n, double size)
{
	if (n < 0) {
		m->out->n_refused++;
		snprintf(m->out->why, sizeof m->out->why, "%s", lt_context_message(m->g->ctx));
		lt_context_clear(m->g->ctx);
		return -1;
	}
	if (find_value(m, n) >= 0)
		return n;
	if (m->n_value == m->cap_value) {
		m->cap_value = m->cap_value ? 2 * m->cap_value : 64;
		m->value = realloc(m->value, sizeof *m->value * (size_t)m->cap_value);
		must(m->value != NULL, "out of memory");
	}
	m->value[m->n_value] = (struct random_value){ .node = n, .size = size };
	m->value[m->n_value].constant = is_constant(m, n);
	m->n_value++;
	return n;
}

double random_size(const struct random_maker *m, lt_node n)
{
	int at = find_value(m, n);
	return at >= 0 ? m->value[at].size : 4;
}

static bool is_float(const struct lt_graph *g, lt_node n)
{
	return lt__dtype_info(g->node[n].dtype)->cls == LT_CLASS_FLOAT;
}
static bool is_int(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_INT; }

enum lt_dtype random_float(struct random_maker *m)
{
	static const enum lt_dtype type[] = { LT_F32, LT_F32, LT_F32, LT_F64, LT_F16, LT_BF16 };
	return type[random_pick_int(m, 0, 5)];
}

static enum lt_dtype any_type(struct random_maker *m)
{
	static const enum lt_dtype type[] = { LT_F32, LT_F32, LT_F32, LT_F32, LT_F64, LT_F64, LT_F16, LT_BF16, LT_I8,
		LT_U8, LT_I16, LT_I32, LT_I32, LT_I64, LT_I64, LT_BOOL };
	return type[random_pick_int(m, 0, 15)];
}

lt_node random_tame(struct random_maker *m, lt_node x, double size)
{
	double has = random_size(m, x), factor = 1;
	if (x < 0 || !is_float(m->g, x) || has <= size)
		return x;
	while (has * factor > size && factor > 1e-30)
		factor /= 2;
	return random_keep(
		m, lt_graph_binary(m->g, "mul", x, lt_graph_literal(m->g, m->g->node[x].dtype, factor)), has * factor);
}

lt_node random_cast(struct random_maker *m, lt_node x, enum lt_dtype t)
{
	static const double most[LT_NDTYPE] = { [LT_I8] = 128, [LT_U8] = 255, [LT_I16] = 32768, [LT_I32] = 2147483648.0,
		[LT_I64] = 9223372036854775808.0, [LT_BOOL] = 1 };
	if (x < 0 || m->g->node[x].dtype == t)
		return x;
	double size = random_size(m, x), limit = is_int(t) || t == LT_BOOL ? most[t] : 0;
	bool wraps = !is_float(m->g, x) && limit > 0 && size > limit;
	if (t == LT_F16)
		x = random_tame(m, x, 16384);
	return random_keep(m, lt_graph_cast(m->g, x, t), wraps || (limit > 0 && size > limit) ? limit : random_size(m, x));
}

/* Late values are drawn more often, so that graphs are deep; those that nothing reads yet, too. */
static lt_node draw(struct random_maker *m)
{
	for (int tries = 0; tries < 40; tries++) {
		int late = m->n_value < 5 ? m->n_value : 5;
		int64_t at = random_maybe(m, 60) ? m->n_value - 1 - random_pick_int(m, 0, late - 1)
						 : random_pick_int(m, 0, m->n_value - 1);
		if (m->only_constants && !m->value[at].constant)
			continue;
		if (m->value[at].readers > 1 && tries < 20 && random_maybe(m, 50))
			continue;
		m->value[at].readers++;
		return m->value[at].node;
	}
	return m->value[random_pick_int(m, 0, m->n_value - 1)].node;
}

lt_node random_value_of(struct random_maker *m, enum lt_dtype t)
{
	lt_node x = draw(m);
	for (int tries = 0; tries < 4 && t && m->g->node[x].dtype != t; tries++)
		x = draw(m);
	return t ? random_cast(m, x, t) : x;
}

lt_node random_range_source(struct random_maker *m, enum lt_dtype t, int32_t rank, const lt_var *dims, int64_t n,
	const int64_t *low, const int64_t *high)
{
	lt_node x = random_maybe(m, 80) || m->out->wild ? lt_graph_input(m->g, random_name(m, "x"), t, rank, dims)
		: lt_graph_constant(m->g, random_name(m, "c"), t, rank, dims);
	must(x >= 0, "%s", lt_context_message(m->g->ctx));
	struct random_graph *out = m->out;
	if (out->n_source == out->cap_source) {
		out->cap_source = out->cap_source ? 2 * out->cap_source : 16;
		out->source = realloc(out->source, sizeof *out->source * (size_t)out->cap_source);
		must(out->source != NULL, "out of memory");
	}
	struct random_source *s = &out->source[out->n_source++];
	*s = (struct random_source){
		.node = x, .kind = RANDOM_RANGE, .n = n, .low = calloc((size_t)n, 8), .high = calloc((size_t)n, 8)
	};
	memcpy(s->low, low, 8 * (size_t)n);
	memcpy(s->high, high, 8 * (size_t)n);
	return x;
}

lt_node random_source(struct random_maker *m, enum lt_dtype t, int32_t n, const lt_var *dims)
{
	lt_node x = random_maybe(m, 65) && !m->only_constants ? lt_graph_input(m->g, random_name(m, "x"), t, n, dims)
		: lt_graph_constant(m->g, random_name(m, "c"), t, n, dims);
	return random_keep(m, x, 4);
}

/* Some of the pool's vars in any order. */
static int32_t pick_dims(struct random_maker *m, lt_var *dims)
{
	int32_t n = 0, want = (int32_t)random_pick_int(m, 0, 4);
	for (int tries = 0; n < want && tries < 20; tries++) {
		lt_var v = m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)];
		bool has = false;
		for (int32_t i = 0; i < n; i++)
			has = has || dims[i] == v;
		if (!has)
			dims[n++] = v;
	}
	return n;
}

static lt_node make_source(struct random_maker *m)
{
	lt_var dims[RANDOM_RANK];
	int32_t n = pick_dims(m, dims);
	switch (random_pick_int(m, 0, 9)) {
	case 0: return random_keep(m, lt_graph_index(m->g, m->pool[random_pick_int(m, 0, RANDOM_POOL - 1)]), 8);
	case 1: {
		enum lt_dtype t = any_type(m);
		return random_keep(m, is_int(t) ? lt_graph_literal_int(m->g, t, random_pick_int(m, 0, 5))
			: lt_graph_literal(m->g, t, (double)random_pick_int(m, -8, 8) / 4), 5);
	}
	default: return random_source(m, any_type(m), n, dims);
	}
}

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
	enum lt_dtype t = x[0] >= 0 ? g->node[x[0]].dtype : LT_F32;
	bool raw = random_maybe(m, 15);
	int last = lt__op_info(op)->arity - 1;
	lt_node half = lt_graph_literal(g, g->node[x[last]].dtype, 0.5);
	double a = random_size(m, x[0]), b = random_size(m, x[last]);
	switch (op) {
	case LT_OP_add: case LT_OP_sub: return a + b;
	case LT_OP_mul: return a * b;
	case LT_OP_div: case LT_OP_reciprocal: case LT_OP_mod:
		if (raw || !is_float(g, x[last]))
			return op == LT_OP_mod ? b : op == LT_OP_div ? (is_float(g, x[0]) ? 64 * a : a) : 64;
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
	case LT_OP_ceil: case LT_OP_round: case LT_OP_floor: return a + 1;
	default: (void)t; return lt__op_info(op)->to_bool ? 1 : a > b ? a : b;
	}
}

static lt_node make_map(struct random_maker *m)
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
	if (y >= 0 && size > 256 && is_float(m->g, y))
		y = random_tame(m, y, 16);
	return y;
}

static lt_node make_broadcast(struct random_maker *m)
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

static lt_node make_reduce(struct random_maker *m)
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
	if (op == LT_OP_mul && is_float(m->g, x)) {
		if (terms > 8)
			return LT_OMIT;
		x = random_tame(m, x, 1.5);
		size = pow(1.5, (double)terms);
	} else if (op == LT_OP_add) {
		size *= (double)terms;
	}
	return random_tame(m, random_keep(m, lt_graph_reduce(m->g, lt__op_info(op)->name, x, n, over), size), 64);
}

static lt_node make_contract(struct random_maker *m)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F32, LT_F32, LT_F64, LT_I32, LT_F16 };
	enum lt_dtype t = types[random_pick_int(m, 0, 5)];
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

static void make_one(struct random_maker *m)
{
	m->only_constants = random_maybe(m, 10);
	int64_t what = random_pick_int(m, 0, 99);
	if (what < 8)
		make_source(m);
	else if (what < 45)
		make_map(m);
	else if (what < 50)
		make_broadcast(m);
	else if (what < 60)
		make_reduce(m);
	else if (what < 65)
		make_contract(m);
	else if (what < 70)
		random_cast(m, random_value_of(m, 0), any_type(m));
	else if (what < 85 && m->want->views)
		random_views(m, random_value_of(m, 0));
	else if (what < 90)
		random_gather(m);
	else if (what < 95 && m->want->params)
		random_update(m, random_value_of(m, 0));
	else if (m->want->composites && random_maybe(m, 60))
		random_composite(m);
	m->only_constants = false;
}

static void name_result(struct random_maker *m, lt_node n)
{
	must(lt_graph_result(m->g, random_name(m, "r"), n) == LT_OK, "%s", lt_context_message(m->g->ctx));
}

/* The values that nothing reads, some others, and now and then a source or one twice. */
static void make_results(struct random_maker *m)
{
	bool *read = calloc((size_t)m->g->n_node, sizeof *read);
	for (lt_node n = 0; n < m->g->n_node; n++)
		for (int32_t i = 0; i < m->g->node[n].n_operand; i++)
			read[m->g->node[n].operand[i]] = true;
	int made = 0;
	for (int i = m->n_value - 1; i >= 0 && made < 5; i--)
		if (!read[m->value[i].node] && m->g->node[m->value[i].node].n_operand > 0) {
			name_result(m, m->value[i].node);
			made++;
		}
	for (int i = 0; i < 2; i++)
		if (made == 0 || random_maybe(m, 25)) {
			lt_node n = m->value[random_pick_int(m, 0, m->n_value - 1)].node;
			name_result(m, n);
			if (random_maybe(m, 20))
				name_result(m, n);
			made++;
		}
	if (random_maybe(m, 10))
		name_result(m, m->value[0].node);
	for (int i = 0; m->out->wild && i < m->n_gather; i++)
		name_result(m, m->gather[i]);
	free(read);
}

void random_graph_new(
	struct lt_context *ctx, uint64_t seed, const struct random_options *want, struct random_graph *out)
{
	static const int64_t extent[] = { 1, 2, 3, 4, 5, 7 };
	struct random_maker m = { .want = want, .out = out, .rng = seed };
	*out = (struct random_graph){ 0 };
	must(lt_graph_new(ctx, &out->g) == LT_OK, "%s", lt_context_message(ctx));
	m.g = out->g;
	out->exact = random_maybe(&m, 50);
	out->special = random_maybe(&m, 15);
	out->wild = random_maybe(&m, 12) && want->wild;
	for (int i = 0; i < RANDOM_POOL; i++)
		m.pool[i] = lt_graph_var(m.g, NULL, extent[random_pick_int(&m, 0, 5)]);
	make_source(&m);
	make_source(&m);
	if (want->params && random_maybe(&m, 20)) {
		int64_t most = random_pick_int(&m, 2, 6), one = 1;
		lt_param p = random_param(&m, 0, most);
		m.pool[0] = lt_graph_var_bounded(m.g, "t", most, random_maybe(&m, 80) ? 0 : -1, 1, &p, &one);
	}
	if (want->states && random_maybe(&m, 35))
		random_state(&m);
	/* A refused or skipped attempt does not make a node, so attempts are limited, too. */
	for (int tries = 0; m.g->n_node < want->n_node && tries < 20 * want->n_node; tries++) {
		make_one(&m);
		if (want->states && m.n_state < 3 && random_maybe(&m, 3))
			random_state(&m);
	}
	for (int i = 0; i < m.n_state; i++) {
		/* New content: the newest update of the state, or a value made of it. */
		lt_node s = m.state[i], value = -1;
		for (lt_node n = m.g->n_node - 1; n > s && value < 0; n--) {
			lt_node x = n;
			while (m.g->node[x].op == LT_OP_update)
				x = m.g->node[x].operand[0];
			if (x == s && n != x && random_maybe(&m, 70))
				value = n;
		}
		/* Or any value of the same type and shape: a source, a view, another state or its content. */
		if (random_maybe(&m, 40))
			for (lt_node n = m.g->n_node - 1; n >= 0; n--)
				if (n != s && random_same_form(m.g, n, s) && random_maybe(&m, 40)) {
					value = n;
					break;
				}
		if (value < 0 && random_maybe(&m, 70)) {
			lt_node two[2] = { s, lt_graph_literal(m.g, m.g->node[s].dtype, 1) };
			value = lt_graph_op(m.g, m.g->node[s].dtype == LT_BOOL ? "xor" : "add", 2, two);
		}
		if (value >= 0)
			must(lt_graph_set_state(m.g, s, value) == LT_OK, "%s", lt_context_message(ctx));
	}
	make_results(&m);
	free(m.value);
}

void random_graph_free(struct random_graph *r)
{
	for (int i = 0; i < r->n_source; i++) {
		free(r->source[i].low);
		free(r->source[i].high);
	}
	free(r->source);
	lt_graph_free(r->g);
	*r = (struct random_graph){ 0 };
}
