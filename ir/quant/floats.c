/* floats.c -- graphs that compute in floats with weights of integers: these are made floats again before a product, or
 * what they are multiplied by is made integers of 8 bits in each run, by the largest of its numbers.
 */
#include <math.h>
#include <string.h>
#include "ir/quant/emit.h"

enum { NARROW_MOST = 127 };             /* of what a run makes integers of */
struct quant_floats {
	enum lt_quant_mode mode;
	const struct lt_quant_format *format;   /* NULL: weights and steps are inputs */
	const struct lt_quant_derived *d;
	lt_node *weight, *step;                 /* by cell: its integers, its step as a float; -1: none yet */
	lt_node *narrow, *unit;                 /* by node: its integers of a run, their step; -1: none yet */
	bool *whole;                            /* by node: a product of integers, which sums alone read */
	bool folds;                             /* what constants alone make is computed already (lt__quant_fold) */
};

/* The step of a constant: a number, or one for each channel. */
static lt_node emit_step(struct quant_emission *e, const struct quant_floats *s, int32_t cell)
{
	const struct lt_quant_cell *c = &e->q->cell[cell];
	const struct lt_quant_format f = s->format[cell];
	if (!lt__quant_has_channels(c, f))
		return lt_graph_literal(e->out, LT_F32, f.scale);
	float *to = lt__arena_alloc(e->out->arena, (size_t)c->channels * sizeof *to);
	for (int64_t i = 0; i < c->channels; i++)
		to[i] = (float)lt__quant_step_of(f, i);
	return lt__quant_emit_channels(e, cell, "step", LT_F32, to);
}

/* The integers of a constant, and their step. */
static lt_status find_weight(struct quant_emission *e, struct quant_floats *s, int32_t cell)
{
	const struct lt_quant_cell *c = &e->q->cell[cell];
	if (s->weight[cell] >= 0)
		return LT_OK;
	if (!s->format) {
		s->weight[cell] = lt__quant_emit_source(e, LT_OP_input, lt__arena_format(e->scratch, "%sinteger.%d.0", e->q->own,
			cell), LT_I32, c->node, false, NULL);
		s->step[cell] = lt_graph_input(e->out, lt__arena_format(e->scratch, "%sstep.%d.0", e->q->own, cell), LT_F32,
			c->channels ? 1 : 0, c->channels ? &e->q->graph->node[c->node].dim[c->axis] : NULL);
		return s->weight[cell] < 0 || s->step[cell] < 0 ? e->out->ctx->code : LT_OK;
	}
	s->weight[cell] = lt__quant_emit_weight(e, s->format, s->d, cell);
	s->step[cell] = emit_step(e, s, cell);
	return s->weight[cell] < 0 || s->step[cell] < 0 ? e->out->ctx->code : LT_OK;
}

/* The cell of the constant of a product, or of that which rows are gathered from; -1: it has none. */
static int32_t weight_of(const struct lt_quant *q, lt_node x, int32_t *operand)
{
	double number;
	*operand = 0;
	if (q->graph->node[x].op == LT_OP_gather)
		return lt__quant_is_factor(q, x, 0) ? q->node[lt__quant_source(q->graph, q->graph->node[x].operand[0])].weight : -1;
	if (!q->node[x].summed)
		return -1;
	for (int32_t i = 0; i < 2; i++) {
		const lt_node y = q->graph->node[x].operand[i];
		*operand = i;
		if (lt__quant_is_factor(q, x, i) && !lt__quant_is_number(q, x, i, &number))
			return q->node[lt__quant_source(q->graph, y)].weight;
	}
	return -1;
}

/* Products of integers: all that read them are sums. */
static void find_whole(const struct quant_emission *e, struct quant_floats *s)
{
	const struct lt_graph *g = e->q->graph;
	for (lt_node x = 0; x < g->n_node; x++)
		s->whole[x] = s->mode == LT_QUANT_DYNAMIC && e->q->node[x].summed;
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; i < g->node[x].n_operand; i++)
			if (!(g->node[x].reduce && g->node[x].op == LT_OP_add))
				s->whole[g->node[x].operand[i]] = false;
	for (int32_t i = 0; i < g->n_result; i++)
		s->whole[g->result[i].node] = false;
}

/* Constants as floats: integer times step. */
static lt_node float_weight(struct quant_emission *e, struct quant_floats *s, lt_node operand, int32_t cell)
{
	const lt_node from = e->q->cell[cell].node;
	const enum lt_dtype t = e->q->graph->node[operand].dtype;
	if (find_weight(e, s, cell))
		return LT_NONE;
	lt_node y = lt__quant_emit_op(e, from, LT_OP_mul, lt__quant_emit_cast(e, s->weight[cell], LT_F32), s->step[cell]);
	return lt__quant_emit_views(e, operand, lt__quant_emit_cast(e, y, t), t,
		lt__bits_of((union lt_scalar){ .f = -INFINITY }, t));
}

/* Rows of a constant: of its integers, which are floats behind that; what views show is a float before. */
static lt_node gathered(struct quant_emission *e, struct quant_floats *s, lt_node x, int32_t cell)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	lt_node operand[] = { LT_NONE, e->to[d->operand[1]] };
	if (d->operand[0] != e->q->cell[cell].node) {
		operand[0] = float_weight(e, s, d->operand[0], cell);
		return lt__quant_emit_like(e, x, d->dtype, operand, 0);
	}
	if (find_weight(e, s, cell))
		return LT_NONE;
	operand[0] = s->weight[cell];
	const lt_node y = lt__quant_emit_like(e, x, e->out->node[operand[0]].dtype, operand, 0);
	return lt__quant_emit_cast(e, lt__quant_emit_op(e, x, LT_OP_mul, lt__quant_emit_cast(e, y, LT_F32), s->step[cell]),
		d->dtype);
}

/* x as integers of 8 bits: x / step, rounded, where NARROW_MOST steps are the largest of its numbers, of
 * each sample. */
static lt_status find_narrow(struct quant_emission *e, struct quant_floats *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	struct lt_nodedef most = { .op = LT_OP_max, .dtype = LT_F32, .reduce = true, .n_operand = 1, .var = -1,
		.line = d->line, .column = d->column };
	if (s->narrow[x] >= 0)
		return LT_OK;
	const lt_node value = lt__quant_emit_cast(e, e->to[x], LT_F32);
	lt_node size = value < 0 ? LT_NONE : lt_graph_unary(e->out, "abs", value);
	if (size >= 0 && d->n_dim) {
		most.operand = &size;
		most.n_dim = lt__quant_has_sample(e, x);
		most.dim = &e->sample;
		size = lt__graph_add(e->out, &most);
	}
	if (size >= 0)                          /* zeros have a step, too */
		size = lt_graph_binary(e->out, "max", size, lt_graph_literal(e->out, LT_F32, 1e-30));
	const lt_node step = size < 0 ? LT_NONE : lt_graph_binary(e->out, "div", size, lt_graph_literal(e->out, LT_F32,
		NARROW_MOST));
	lt_node y = lt__quant_emit_op(e, x, LT_OP_div, value, step);
	y = lt__quant_emit_op(e, x, LT_OP_round, y, LT_NONE);
	s->narrow[x] = lt__quant_emit_cast(e, y, LT_I8);
	s->unit[x] = step;
	return s->narrow[x] < 0 ? e->out->ctx->code : LT_OK;
}

/* Of so many terms: a constant that is never below 0 has no sign, and is up to 255. */
static enum lt_dtype sum_type(const struct lt_quant *q, lt_node product, lt_node sum)
{
	const int64_t terms = lt__node_elems(q->graph, product) / lt__node_elems(q->graph, sum);
	return terms < INT32_MAX / (NARROW_MOST * UINT8_MAX) ? LT_I32 : LT_I64;
}

/* A sum of products of integers, as the float that it stands for. */
static lt_node whole_sum(struct quant_emission *e, struct quant_floats *s, lt_node x)
{
	const struct lt_graph *g = e->q->graph;
	const lt_node product = g->node[x].operand[0];
	int32_t at;
	const int32_t cell = weight_of(e->q, product, &at);
	const lt_node w = g->node[product].operand[at], value = g->node[product].operand[1 - at];
	const lt_node from = lt__quant_source(g, value);
	const enum lt_dtype t = sum_type(e->q, product, x);
	if (find_weight(e, s, cell) || find_narrow(e, s, from))
		return LT_NONE;
	const lt_node left = lt__quant_emit_views(e, value, lt__quant_emit_cast(e, s->narrow[from], t), t, 0);
	const lt_node right = lt__quant_emit_views(e, w, lt__quant_emit_cast(e, s->weight[cell], t), t, 0);
	lt_node y = lt__quant_emit_op(e, product, LT_OP_mul, left, right);
	y = y < 0 ? LT_NONE : lt__quant_emit_like(e, x, t, &y, 0);
	const lt_node own = e->out->node[s->step[cell]].n_dim ? lt__quant_emit_by_channel(e, x, s->step[cell])
		: s->step[cell];
	const lt_node step = y < 0 || own < 0 ? LT_NONE : lt_graph_binary(e->out, "mul", s->unit[from], own);
	y = lt__quant_emit_op(e, x, LT_OP_mul, lt__quant_emit_cast(e, y, LT_F32), step);
	return lt__quant_emit_cast(e, y, g->node[x].dtype);
}

static bool is_whole_sum(const struct quant_emission *e, const struct quant_floats *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	int32_t at;
	return d->reduce && s->whole[d->operand[0]] && weight_of(e->q, d->operand[0], &at) >= 0;
}

/* Whether x is there without what it is computed of. */
static bool is_folded(const struct quant_emission *e, const struct quant_floats *s, lt_node x)
{
	return s->folds && e->q->node[x].folded;
}

static lt_node folded(struct quant_emission *e, lt_node x)
{
	const struct lt_quant_node *n = &e->q->node[x];
	const struct lt_nodedef *d = &e->q->graph->node[x];
	if (lt__quant_is_literal(e->q, x))
		return lt__quant_emit_number(e, x, d->dtype, (union lt_scalar){ .f = n->content[0] });
	return lt__quant_emit_source(e, LT_OP_constant, lt__quant_emit_label(e, x), d->dtype, x, false, n->folded);
}

static lt_node float_node(struct quant_emission *e, struct quant_floats *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	int32_t at;
	if (is_folded(e, s, x))
		return folded(e, x);
	const int32_t cell = d->reduce ? -1 : weight_of(e->q, x, &at);
	if (is_whole_sum(e, s, x))
		return whole_sum(e, s, x);
	if (cell < 0)
		return lt__quant_emit_kept(e, x);
	if (d->op == LT_OP_gather)
		return gathered(e, s, x, cell);
	lt_node operand[] = { e->to[d->operand[0]], e->to[d->operand[1]] };
	operand[at] = float_weight(e, s, d->operand[at], cell);
	return lt__quant_emit_like(e, x, d->dtype, operand, 0);
}

/* What results need, where integers are in the place of constants. */
static bool *find_alive(struct quant_emission *e, const struct quant_floats *s)
{
	const struct lt_graph *g = e->q->graph;
	bool *alive = LT_NEW(e->scratch, bool, g->n_node + 1);
	for (int32_t i = 0; i < g->n_result; i++)
		alive[g->result[i].node] = true;
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const lt_node of = is_whole_sum(e, s, x) ? g->node[x].operand[0] : x;
		int32_t at = -1;
		if (!alive[x] || is_folded(e, s, x))
			continue;
		if (g->node[of].reduce || weight_of(e->q, of, &at) < 0)
			at = -1;
		for (int32_t i = 0; i < g->node[of].n_operand; i++)
			alive[of == x || at < 0 ? g->node[of].operand[i] : lt__quant_source(g, g->node[of].operand[i])] |= i != at;
	}
	return alive;
}

/* Bytes of the floats that stay. */
static int64_t bytes_kept(struct quant_emission *e, const struct quant_floats *s)
{
	const struct lt_graph *g = e->q->graph;
	const bool *alive = find_alive(e, s);
	int64_t bytes = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		if (alive[x] && (is_folded(e, s, x) ? !lt__quant_is_literal(e->q, x) : g->node[x].op == LT_OP_constant))
			bytes += lt__node_elems(g, x) * (int64_t)lt_dtype_bytes(g->node[x].dtype);
	return bytes;
}

/* What several read, some of them as it is, may take more when it is computed, too. */
static void choose_folds(struct quant_emission *e, struct quant_floats *s)
{
	const int64_t as_it_is = bytes_kept(e, s);
	s->folds = true;
	s->folds = bytes_kept(e, s) < as_it_is;
}

static lt_node *no_nodes(struct quant_emission *e, int32_t n)
{
	lt_node *to = LT_NEW(e->scratch, lt_node, n + 1);
	memset(to, -1, sizeof *to * (size_t)n);
	return to;
}

static lt_status emit_floats(struct quant_emission *e, void *user)
{
	const struct lt_graph *g = e->q->graph;
	struct quant_floats *s = user;
	s->weight = no_nodes(e, e->q->n_cell);
	s->step = no_nodes(e, e->q->n_cell);
	s->narrow = no_nodes(e, g->n_node);
	s->unit = no_nodes(e, g->n_node);
	s->whole = LT_NEW(e->scratch, bool, g->n_node + 1);
	find_whole(e, s);
	choose_folds(e, s);
	const bool *alive = find_alive(e, s);
	for (lt_node x = 0; x < g->n_node; x++) {
		lt_graph_at(e->out, g->node[x].line, g->node[x].column);
		if (alive[x] && (e->to[x] = float_node(e, s, x)) < 0)
			return g->ctx->code;
	}
	for (int32_t i = 0; i < g->n_result; i++)
		LT_TRY(lt_graph_result(e->out, g->result[i].name, e->to[g->result[i].node]));
	return LT_OK;
}

lt_status lt__quant_floats(const struct lt_quant *q, int64_t samples, const struct lt_quant_format *format,
	const struct lt_quant_derived *d, struct lt_graph **out)
{
	struct quant_floats s = { .mode = q->mode, .format = format, .d = d };
	return lt__quant_emission_run(q, samples, emit_floats, &s, out);
}
