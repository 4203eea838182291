/* values.c -- the values of a random graph: what was made and how large it is, what is drawn from it, new
 * sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/maker.h"

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

bool random_is_float(const struct lt_graph *g, lt_node n)
{
	return lt__dtype_info(g->node[n].dtype)->cls == LT_CLASS_FLOAT;
}
static bool is_int(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_INT; }

enum lt_dtype random_allowed(const struct random_maker *m, enum lt_dtype t)
{
	return m->want->floats && lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? m->want->floats : t;
}

enum lt_dtype random_float(struct random_maker *m)
{
	static const enum lt_dtype type[] = { LT_F32, LT_F32, LT_F32, LT_F64, LT_F16, LT_BF16 };
	return random_allowed(m, type[random_pick_int(m, 0, 5)]);
}

lt_node random_tame(struct random_maker *m, lt_node x, double size)
{
	double has = random_size(m, x), factor = 1;
	if (x < 0 || !random_is_float(m->g, x) || has <= size)
		return x;
	while (has * factor > size && factor > 1e-30)
		factor /= 2;
	return random_keep(
		m, lt_graph_binary(m->g, "mul", x, lt_graph_literal(m->g, m->g->node[x].dtype, factor)), has * factor);
}

lt_node random_cast(struct random_maker *m, lt_node x, enum lt_dtype t)
{
	if (x < 0 || m->g->node[x].dtype == t)
		return x;
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	double size = random_size(m, x), limit = is_int(t) || t == LT_BOOL ? info->largest + info->is_signed : 0;
	bool wraps = !random_is_float(m->g, x) && limit > 0 && size > limit;
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
