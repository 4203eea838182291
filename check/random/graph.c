/* graph.c -- random graphs: what is drawn how often, states' new content, results. */
#include <stdlib.h>
#include "check/random/must.h"
#include "check/random/maker.h"

static enum lt_dtype any_type(struct random_maker *m)
{
	static const enum lt_dtype type[] = { LT_F32, LT_F32, LT_F32, LT_F32, LT_F64, LT_F64, LT_F16, LT_BF16, LT_I8,
		LT_U8, LT_I16, LT_I32, LT_I32, LT_I64, LT_I64, LT_BOOL, LT_U16, LT_U32, LT_U64 };
	return random_allowed(m, type[random_pick_int(m, 0, (int64_t)(sizeof type / sizeof *type) - 1)]);
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
		return random_keep(m, lt__dtype_info(t)->cls == LT_CLASS_INT ? lt_graph_literal_int(m->g, t, random_pick_int(m, 0, 5))
			: lt_graph_literal(m->g, t, (double)random_pick_int(m, -8, 8) / 4), 5);
	}
	default: return random_source(m, any_type(m), n, dims);
	}
}

static void make_one(struct random_maker *m)
{
	m->only_constants = random_maybe(m, 10);
	int64_t what = random_pick_int(m, 0, 99);
	if (what < 8)
		make_source(m);
	else if (what < 45)
		random_map(m);
	else if (what < 50)
		random_broadcast(m);
	else if (what < 60)
		random_reduce(m);
	else if (what < 65)
		random_contract(m);
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
		int64_t max = random_pick_int(&m, 2, 6), one = 1;
		lt_param p = random_param(&m, 0, max);
		m.pool[0] = lt_graph_var_bounded(m.g, "t", max, random_maybe(&m, 80) ? 0 : -1, 1, &p, &one);
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
