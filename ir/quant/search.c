/* search.c -- two graphs that run over many samples at once: of floats, which gives the values of all cells; and of
 * integers kept in f64, the same for all candidates, which are inputs of it.
 */
#include <math.h>
#include <string.h>
#include "ir/quant/emit.h"

/* -- floats -- */

static lt_status emit_floats(struct quant_emission *e, void *user)
{
	struct lt_quant *q = user;
	const struct lt_graph *g = q->graph;
	for (lt_node x = 0; x < g->n_node; x++)
		if ((e->to[x] = lt__quant_emit_kept(e, x)) < 0)
			return g->ctx->code;
	for (int32_t i = 0; i < g->n_result; i++)
		LT_TRY(lt_graph_result(e->out, g->result[i].name, e->to[g->result[i].node]));
	for (int32_t c = 0; c < q->n_cell; c++)
		if (q->cell[c].kind != LT_QUANT_WEIGHT) {
			lt_node x = e->to[q->cell[c].node];
			if (e->out->node[x].op == LT_OP_input)
				x = lt_graph_unary(e->out, "copy", x);
			q->cell[c].result = lt__arena_format(q->arena, "%scell.%d", q->own, c);
			LT_TRY(lt_graph_result(e->out, q->cell[c].result, lt_graph_cast(e->out, x, LT_F32)));
		}
	return LT_OK;
}

lt_status lt__quant_ranges(struct lt_quant *q, int64_t samples, struct lt_graph **out)
{
	return lt__quant_emission_run(q, samples, emit_floats, q, out);
}

/* -- all candidates -- */

struct searching { lt_node *weight; };  /* by cell: the input of a constant that is multiplied; -1: none yet */

/* A number that a candidate has, "most.7". */
static lt_node slot(struct quant_emission *e, const char *what, lt_node x, int32_t i)
{
	return lt__quant_emit_source(e, LT_OP_input, lt__arena_format(e->scratch, "%s%s.%d.%d", e->q->own, what, x, i),
		LT_F64, LT_NONE, false, NULL);
}

static lt_node number(struct quant_emission *e, double v) { return lt_graph_literal(e->out, LT_F64, v); }

static uint64_t lowest_bits(void) { return lt__bits_of((union lt_scalar){ .f = (double)QUANT_LOWEST }, LT_F64); }

static lt_node constant_operand(struct quant_emission *e, struct searching *s, lt_node x, int32_t i)
{
	const lt_node y = e->q->graph->node[x].operand[i], from = lt__quant_source(e->q->graph, y);
	const bool factor = lt__quant_is_factor(e->q, x, i);
	double v;
	if (lt__quant_is_number(e->q, x, i, &v))
		return slot(e, factor ? "factor" : "follow", x, i);
	lt_node base;
	if (factor) {
		const int32_t cell = e->q->node[from].weight;
		if (s->weight[cell] < 0)
			s->weight[cell] = lt__quant_emit_source(e, LT_OP_input, lt__arena_format(e->scratch, "%sweight.%d.0", e->q->own,
				cell), LT_F64, from, false, NULL);
		base = s->weight[cell];
	} else {
		base = lt__quant_emit_source(e, LT_OP_input, lt__arena_format(e->scratch, "%sfollow.%d.%d", e->q->own, x, i),
			LT_F64, from, false, NULL);
	}
	return lt__quant_emit_views(e, y, base, LT_F64, lowest_bits());
}

/* A number that a candidate has for a move of x: of an operand, of its cell, of the channels of a sum. */
enum { OF_CELL = LT_QUANT_OF_CELL, OF_CHANNELS = LT_QUANT_CHANNEL };

static lt_node move_slot(struct quant_emission *e, const char *what, enum lt_dtype t, lt_node x, int32_t i)
{
	const char *name = lt__arena_format(e->scratch, "%s%s.%d.%d", e->q->own, what, x, i);
	return lt_graph_input(e->out, name, t, i == OF_CHANNELS, i == OF_CHANNELS ? &e->q->node[x].channel : NULL);
}

/* y, in the place of node `at`, at another step: times a number, rounded up at 2^31 and away from 0 at the shift; where
 * `moves` is 0 it is as it was, and may have more than 32 bits. */
static lt_node search_moved(struct quant_emission *e, lt_node at, lt_node y, lt_node x, int32_t i)
{
	const lt_node whole = lt_graph_literal_int(e->out, LT_I64, INT64_C(1) << 30);
	lt_node m = lt__quant_emit_op(e, at, LT_OP_mul, y, slot(e, "down", x, i));
	m = lt__quant_emit_op(e, at, LT_OP_floor, lt__quant_emit_op(e, at, LT_OP_add, m, number(e, 0.5)), LT_NONE);
	m = lt__quant_emit_op(e, at, LT_OP_mul, lt__quant_emit_cast(e, m, LT_I64), move_slot(e, "by", LT_I64, x, i));
	m = lt__quant_emit_op(e, at, LT_OP_shr, lt__quant_emit_op(e, at, LT_OP_add, m, whole),
		lt_graph_literal_int(e->out, LT_I64, 31));
	lt_node sign = lt__quant_emit_op(e, at, LT_OP_shr, m, lt_graph_literal_int(e->out, LT_I64, 63));
	sign = lt__quant_emit_op(e, at, LT_OP_max, sign, move_slot(e, "away", LT_I64, x, i));
	m = lt__quant_emit_op(e, at, LT_OP_add, m, sign);
	m = lt__quant_emit_op(e, at, LT_OP_add, m, move_slot(e, "half", LT_I64, x, i));
	m = lt__quant_emit_op(e, at, LT_OP_shr, m, move_slot(e, "shr", LT_I64, x, i));
	m = lt__quant_emit_cast(e, m, LT_F64);
	const lt_node moves = lt_graph_op(e->out, "ne", 2, (const lt_node[]){ slot(e, "moves", x, i), number(e, 0) });
	return m < 0 || moves < 0 ? LT_NONE : lt__quant_emit_select(e, at, moves, m, y);
}

/* Whether several values meet at a node, which may have several steps. */
static bool has_values(const struct lt_quant *q, lt_node x)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	int32_t n = 0;
	for (int32_t i = d->op == LT_OP_select; i < d->n_operand; i++)
		n += q->node[d->operand[i]].kind != QUANT_CONST;
	return n > 1;
}

/* Operand i where its step is that of the node. */
static lt_node aligned_operand(struct quant_emission *e, struct searching *s, lt_node x, int32_t i, bool moves)
{
	const lt_node y = e->q->graph->node[x].operand[i];
	if (e->q->node[y].kind == QUANT_CONST)
		return constant_operand(e, s, x, i);
	const lt_node up = moves ? lt__quant_emit_op(e, y, LT_OP_mul, e->to[y], slot(e, "up", x, i)) : e->to[y];
	return moves && e->q->any && has_values(e->q, x) ? search_moved(e, y, up, x, i) : up;
}

/* floor((2a + b) / 2b) is a / b, rounded. */
static lt_node search_quotient(struct quant_emission *e, lt_node x)
{
	const lt_node *operand = e->q->graph->node[x].operand;
	lt_node a = lt__quant_emit_op(e, operand[0], LT_OP_mul, e->to[operand[0]], slot(e, "up", x, 0));
	lt_node b = lt__quant_emit_op(e, operand[1], LT_OP_mul, e->to[operand[1]], slot(e, "up", x, 1));
	b = lt__quant_emit_op(e, operand[1], LT_OP_max, b, number(e, 1));
	a = lt__quant_emit_op(e, x, LT_OP_add, a, b);
	b = lt__quant_emit_op(e, operand[1], LT_OP_mul, b, number(e, 2));
	return lt__quant_emit_op(e, x, LT_OP_floor, lt__quant_emit_op(e, x, LT_OP_div, a, b), LT_NONE);
}

static lt_node search_exact(struct quant_emission *e, struct searching *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	lt_node *operand = LT_NEW(e->scratch, lt_node, d->n_operand + 1);
	const bool product = !d->reduce && (d->op == LT_OP_mul || d->op == LT_OP_div), chooses = d->op == LT_OP_select;
	if (d->op == LT_OP_copy)
		return lt__quant_emit_spread(e, x, e->to[d->operand[0]]);
	if (d->op == LT_OP_cast)
		return lt__quant_emit_spread(e, x, lt__quant_emit_cast(e, e->to[d->operand[0]], LT_F64));
	if (product && d->op == LT_OP_div && !lt__quant_is_factor(e->q, x, 1))
		return search_quotient(e, x);
	for (int32_t i = 0; i < d->n_operand; i++)
		operand[i] = chooses && i == 0 ? e->to[d->operand[0]] : aligned_operand(e, s, x, i, d->n_operand > 1 && !product
			&& d->op != LT_OP_gather);
	if (d->op == LT_OP_gather)
		operand[1] = e->to[d->operand[1]];
	if (product)
		return lt__quant_emit_op(e, x, LT_OP_mul, operand[0], operand[1]);
	const double fill = d->op == LT_OP_view ? lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype) : 0;
	const lt_node y = lt__quant_emit_like(e, x, d->dtype == LT_BOOL ? LT_BOOL : LT_F64, operand,
		fill < 0 ? lowest_bits() : 0);
	const struct lt_quant_node *n = &e->q->node[x];
	if (n->by_channel >= 0 && e->q->any)
		return search_moved(e, x, y, x, OF_CHANNELS);
	return n->by_channel < 0 || y < 0 ? y : lt__quant_emit_op(e, x, LT_OP_mul, y, lt_graph_input(e->out,
		lt__arena_format(e->scratch, "%schannel.%d.0", e->q->own, x), LT_F64, 1, &n->channel));
}

static lt_node search_table(struct quant_emission *e, lt_node x)
{
	const lt_node of = e->q->node[x].of;
	lt_node at = lt__quant_emit_op(e, of, LT_OP_sub, e->to[of], slot(e, "index", x, 0));
	const lt_var n = lt_graph_var(e->out, NULL, INT64_C(1) << LT_QUANT_TABLE_BITS);
	const char *name = lt__arena_format(e->scratch, "%stable.%d.0", e->q->own, x);
	const lt_node table = lt_graph_input(e->out, name, LT_F64, 1, &n);
	at = lt__quant_emit_cast(e, at, LT_I64);
	return at < 0 ? LT_NONE : lt_graph_gather(e->out, table, at, 0);
}

/* floor(y shift + 1/2), or y that is brought to another step, between the cell's ends; of an input floor(y / scale +
 * 1/2). */
static lt_node search_rounded(struct quant_emission *e, lt_node x, lt_node y, bool clamps)
{
	if (e->q->graph->node[x].op == LT_OP_input)
		y = lt__quant_emit_op(e, x, LT_OP_div, y, slot(e, "scale", x, 0));
	else
		y = lt__quant_emit_op(e, x, LT_OP_mul, y, slot(e, "shift", x, 0));
	y = lt__quant_emit_op(e, x, LT_OP_add, y, number(e, 0.5));
	y = lt__quant_emit_op(e, x, LT_OP_floor, y, LT_NONE);
	if (e->q->any && e->q->cell[e->q->node[x].cell].kind == LT_QUANT_VALUE)
		y = search_moved(e, x, y, x, OF_CELL);
	if (clamps) {
		y = lt__quant_emit_op(e, x, LT_OP_max, y, slot(e, "least", x, 0));
		y = lt__quant_emit_op(e, x, LT_OP_min, y, slot(e, "most", x, 0));
	}
	return y;
}

static lt_node search_node(struct quant_emission *e, struct searching *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	const struct lt_quant_node *n = &e->q->node[x];
	if (n->kind == QUANT_KEPT)
		return lt__quant_emit_kept(e, x);
	if (n->table)
		return search_table(e, x);
	if (d->op == LT_OP_input)
		return search_rounded(e, x, lt__quant_emit_cast(e, lt__quant_emit_source(e, LT_OP_input, d->label, d->dtype, x,
			true, NULL),
			LT_F64), true);
	const lt_node y = search_exact(e, s, x);
	return n->cell < 0 ? y : search_rounded(e, x, y, e->q->cell[n->cell].kind != LT_QUANT_WIDE);
}

static lt_status emit_search(struct quant_emission *e, void *user)
{
	const struct lt_graph *g = e->q->graph;
	struct searching s = { .weight = LT_NEW(e->scratch, lt_node, e->q->n_cell + 1) };
	(void)user;
	memset(s.weight, -1, sizeof *s.weight * (size_t)e->q->n_cell);
	for (lt_node x = 0; x < g->n_node; x++) {
		if (!e->q->node[x].needed || e->q->node[x].kind == QUANT_CONST)
			continue;
		if ((e->to[x] = search_node(e, &s, x)) < 0)
			return g->ctx->code;
	}
	for (int32_t i = 0; i < g->n_result; i++)
		LT_TRY(lt_graph_result(e->out, g->result[i].name, e->to[g->result[i].node]));
	return LT_OK;
}

lt_status lt__quant_search(const struct lt_quant *q, int64_t samples, struct lt_graph **out)
{
	return lt__quant_emission_run(q, samples, emit_search, NULL, out);
}

/* -- what a candidate gives to it -- */

static const void *bind_number(struct lt_arena *arena, double v) { return lt__arena_copy(arena, &v, sizeof v); }

static const void *bind_weight(const struct lt_quant *q, const struct lt_quant_format *format, struct lt_arena *arena,
	int32_t cell)
{
	const struct lt_quant_cell *c = &q->cell[cell];
	const struct lt_quant_range r = lt__quant_range(c, format[cell]);
	double *to = LT_NEW(arena, double, c->elems);
	for (int64_t i = 0; i < c->elems; i++)
		to[i] = (double)lt__quant_round(c->content[i], lt__quant_scale_at(c, format[cell], i), r);
	return to;
}

static const void *bind_integers(const struct lt_quant *q, const struct lt_quant_format *format, struct lt_arena *arena,
	int32_t cell)
{
	const struct lt_quant_cell *c = &q->cell[cell];
	const struct lt_quant_range r = lt__quant_range(c, format[cell]);
	int32_t *to = LT_NEW(arena, int32_t, c->elems);
	for (int64_t i = 0; i < c->elems; i++)
		to[i] = (int32_t)lt__quant_round(c->content[i], lt__quant_scale_at(c, format[cell], i), r);
	return to;
}

/* The step of a constant, or of each channel of it. */
static const void *bind_step(const struct lt_quant_cell *c, struct lt_quant_format f, struct lt_arena *arena)
{
	const int64_t n = c->channels ? c->channels : 1;
	float *to = LT_NEW(arena, float, n);
	for (int64_t i = 0; i < n; i++)
		to[i] = (float)lt__quant_step_of(f, i);
	return to;
}

/* What brings each channel's sums to one step. */
static const void *bind_channels(const struct lt_quant_cell *c, struct lt_quant_format f, struct lt_arena *arena)
{
	double *to = LT_NEW(arena, double, c->channels);
	for (int64_t i = 0; i < c->channels; i++)
		to[i] = ldexp(1, lt__quant_coarser(f, i));
	return to;
}

/* What a move is in the graph, of all channels of a sum that has some: see search_moved. */
static const void *bind_move(const struct lt_quant_move *m, int64_t n, struct lt_arena *arena, const char *what)
{
	const bool moves = m && m->by;
	if (!strcmp(what, "moves") || !strcmp(what, "down"))
		return bind_number(arena, *what == 'm' ? moves : ldexp(1, m ? -m->down : 0));
	int64_t *to = LT_NEW(arena, int64_t, n);
	for (int64_t i = 0; i < n && moves; i++) {
		const int32_t shift = m[i].shift > 0 ? m[i].shift : 0;
		if (!strcmp(what, "by"))
			to[i] = (int64_t)m[i].by << (m[i].shift < 0 ? -m[i].shift : 0);
		else if (!strcmp(what, "half"))
			to[i] = shift ? INT64_C(1) << (shift - 1) : 0;
		else
			to[i] = !strcmp(what, "shr") ? shift : shift ? -1 : 0;
	}
	return to;
}

static const void *bind_follow(const struct lt_quant *q, const struct lt_quant_derived *d, struct lt_arena *arena,
	lt_node x, int32_t i)
{
	const struct lt_quant_node *n = &q->node[lt__quant_source(q->graph, q->graph->node[x].operand[i])];
	double *to = LT_NEW(arena, double, n->elems);
	for (int64_t k = 0; k < n->elems; k++)
		to[k] = (double)lt__quant_follow(n->content[k], d->follow[q->operand_at[x] + i], d->at[x].lowest);
	return to;
}

static lt_status bind_table(const struct lt_quant *q, const struct lt_quant_derived *d, struct lt_arena *arena,
	lt_node x,
	const void **out)
{
	int64_t n, *table;
	LT_TRY(lt__quant_table(q, d, x, arena, &n, &table));
	double *to = LT_NEW(arena, double, INT64_C(1) << LT_QUANT_TABLE_BITS);
	for (int64_t i = 0; i < n; i++)
		to[i] = (double)table[i];
	*out = to;
	return LT_OK;
}

lt_status lt__quant_bind(const struct lt_quant *q, const struct lt_quant_format *format,
	const struct lt_quant_derived *d,
	struct lt_arena *arena, const char *name, const void **out)
{
	char what[8];
	int32_t x, i;
	*out = NULL;
	const size_t own = strlen(q->own);
	if (strncmp(name, q->own, own) != 0 || sscanf(name + own, "%7[a-z].%d.%d", what, &x, &i) != 3)
		return LT_OK;
	const struct lt_quant_at *at = &d->at[x];
	const int32_t cell = q->node[x].cell;
	const lt_node of = q->node[x].of;
	static const char *const moves[] = { "moves", "down", "by", "half", "away", "shr" };
	for (size_t k = 0; k < sizeof moves / sizeof *moves; k++)
		if (!strcmp(what, moves[k])) {
			*out = bind_move(i == OF_CHANNELS ? at->by_channel : i == OF_CELL ? &at->move : &d->move[q->operand_at[x] + i],
				i == OF_CHANNELS ? q->cell[q->node[x].by_channel].channels : 1, arena, what);
			return LT_OK;
		}
	if (!strcmp(what, "integer"))
		*out = bind_integers(q, format, arena, x);
	else if (!strcmp(what, "step"))
		*out = bind_step(&q->cell[x], format[x], arena);
	else if (!strcmp(what, "channel"))
		*out = bind_channels(&q->cell[q->node[x].by_channel], format[q->node[x].by_channel], arena);
	else if (!strcmp(what, "weight"))
		*out = bind_weight(q, format, arena, x);
	else if (!strcmp(what, "table"))
		return bind_table(q, d, arena, x, out);
	else if (!strcmp(what, "follow"))
		*out = bind_follow(q, d, arena, x, i);
	else if (!strcmp(what, "factor"))
		*out = bind_number(arena, (double)at->factor);
	else if (!strcmp(what, "up"))
		*out = bind_number(arena, ldexp(i == 0 && cell >= 0 && q->cell[cell].kind == LT_QUANT_QUOTIENT ? 2 : 1,
			d->up[q->operand_at[x] + i]));
	else if (!strcmp(what, "shift"))
		*out = bind_number(arena, ldexp(1, -at->shift));
	else if (!strcmp(what, "scale"))
		*out = bind_number(arena, at->value.scale);
	else if (!strcmp(what, "index"))
		*out = bind_number(arena, (double)d->at[of].value.least);
	else if (!strcmp(what, "least"))
		*out = bind_number(arena, (double)d->least[cell]);
	else if (!strcmp(what, "most"))
		*out = bind_number(arena, (double)d->most[cell]);
	return LT_OK;
}
