/* result.c -- the graph of integers of a candidate: shifts are numbers, types are as narrow as the bounds allow.
 *
 * What is kept is of 8, 16 or 32 bits; between, numbers are i32 where the bounds say that they fit, else i64.
 * Constants are in memory in the smallest type, equal ones once; each reader casts what it reads of them.
 */
#include <math.h>
#include <string.h>
#include "ir/quant/emit.h"

struct quant_integers {
	const struct lt_quant_format *format;
	const struct lt_quant_derived *d;
	lt_node *kept;                  /* by node: what is in memory, of the narrow type; -1: readers' value is it */
	lt_node *weight, *channels, *shift;     /* by cell; -1: none yet */
	struct quant_follow *follow;    /* of constants beside sums that there are, and their nodes */
	lt_node *follow_node;
	lt_node *table, *table_node;    /* the nodes whose tables there are, and the tables */
	int32_t n_follow, n_table;
};

static bool fits(int64_t least, int64_t most) { return least >= -INT32_MAX && most <= INT32_MAX; }
static bool number_fits(struct quant_number n) { return fits(n.least, n.most); }

static lt_node whole(struct quant_emission *e, enum lt_dtype t, int64_t v) { return lt_graph_literal_int(e->out, t,
	v); }

static lt_node with_whole(struct quant_emission *e, lt_node x, enum lt_opcode op, lt_node y, int64_t v)
{
	return y < 0 ? LT_NONE : lt__quant_emit_op(e, x, op, y, whole(e, e->out->node[y].dtype, v));
}

/* -- contents -- */

static void *content_room(struct quant_emission *e, enum lt_dtype t, int64_t n)
{
	return lt__arena_alloc(e->out->arena, (size_t)n * lt__dtype_info(t)->bytes + 1);
}

static void put(void *to, int64_t i, enum lt_dtype t, int64_t v) { lt__store(to, i, t, (union lt_scalar){ .i = v }); }

/* A name for a constant: that of the model's, or the node's, with a number where it is taken. */
static const char *base_label(const struct quant_emission *e, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	return d->label ? d->label : d->name;
}

static const char *free_label(struct quant_emission *e, const char *base)
{
	for (int i = 1;; i++) {
		const char *label = i == 1 ? base : lt__arena_format(e->scratch, "%s.%d", base, i);
		bool taken = false;
		for (lt_node y = 0; y < e->out->n_node && !taken; y++)
			taken = e->out->node[y].op == LT_OP_constant && !strcmp(e->out->node[y].label, label);
		if (!taken)
			return label;
	}
}

const char *lt__quant_emit_label(struct quant_emission *e, lt_node x) { return free_label(e, base_label(e, x)); }

/* Every byte twice along `axis`, and the second of the last one left out where there is an odd number. */
static lt_node emit_twice(struct quant_emission *e, lt_node bytes, const struct lt_nodedef *like, int32_t axis)
{
	struct lt_graph *g = e->out;
	const int64_t n = g->var[like->dim[axis]].extent, half = (n + 1) / 2;
	const int32_t rank = like->n_dim + 1, width = 1 + rank;
	int64_t shape[LT_MAX_RANK + 1], *row = LT_NEW(e->scratch, int64_t, rank * width);
	lt_var dim[LT_MAX_RANK + 1];
	for (int32_t i = 0; i < rank; i++)
		shape[i] = i == axis ? half : i == axis + 1 ? 1 : g->var[like->dim[i > axis ? i - 1 : i]].extent;
	const lt_node one = lt_graph_reshape(g, bytes, rank, shape);
	for (int32_t i = 0; i < rank && one >= 0; i++) {
		dim[i] = i == axis + 1 ? lt_graph_var(g, NULL, 2) : lt_node_dim(g, one, i);
		row[i * width + 1 + i] = i != axis + 1;
	}
	const struct lt_view_piece piece = { .source = one, .map = { .n_dim = rank, .n_row = rank, .row = row } };
	const lt_node twice = one < 0 ? LT_NONE : lt_graph_view(g, rank, dim, 1, &piece, 0, 0);
	for (int32_t i = axis; i < like->n_dim; i++)
		shape[i] = i == axis ? 2 * half : g->var[like->dim[i]].extent;
	lt_node y = lt_graph_reshape(g, twice, like->n_dim, shape);
	y = n % 2 ? lt_graph_slice(g, y, axis, 0, 1, n) : y;
	return lt_graph_reshape_to(g, y, like->n_dim, like->dim);
}

/* Integers of a cell two in a byte, neighbours along its axis of pairs, the first in the low half; and what takes them
 * out, as integers of 8 bits. */
static lt_node emit_packed(struct quant_emission *e, int32_t cell, const int8_t *content, bool has_sign)
{
	enum { BITS = LT_QUANT_PACKED_BITS, SIGN = 1 << (BITS - 1) };
	const struct lt_quant_cell *c = &e->q->cell[cell];
	struct lt_graph *g = e->out;
	const struct lt_nodedef *like = &e->q->graph->node[c->node];
	lt_var dim[LT_MAX_RANK];
	int64_t inner = 1;
	const int64_t n = g->var[like->dim[c->pairs]].extent, half = (n + 1) / 2;
	for (int32_t i = 0; i < like->n_dim; i++) {
		dim[i] = i == c->pairs ? lt_graph_var(g, NULL, half) : like->dim[i];
		inner *= i > c->pairs ? g->var[like->dim[i]].extent : 1;
	}
	uint8_t *to = content_room(e, LT_U8, c->packed);
	for (int64_t i = 0; i < c->elems; i++) {
		const int64_t at = i / inner % n;
		to[(i / inner / n * half + at / 2) * inner + i % inner] |= (uint8_t)((content[i] & ((1 << BITS) - 1))
			<< at % 2 * BITS);
	}
	lt_graph_at(g, like->line, like->column);
	const lt_node bytes = lt_graph_constant(g, lt__quant_emit_label(e, c->node), LT_U8, like->n_dim, dim);
	if (bytes < 0)
		return LT_NONE;
	g->node[bytes].content = to;
	const lt_node two = emit_twice(e, bytes, like, c->pairs), two_wide = lt_graph_cast(g, two, LT_I32);
	const lt_node at = lt_graph_cast(g, lt_graph_index(g, like->dim[c->pairs]), LT_I32);
	/* The sign of a byte is that of its upper half: to shift it is one instruction. */
	const lt_node upper = has_sign ? lt_graph_cast(g, lt_graph_cast(g, two, LT_I8), LT_I32) : two_wide;
	lt_node lower = lt_graph_binary(g, "and", two_wide, whole(e, LT_I32, (1 << BITS) - 1));
	if (has_sign)
		lower = lt_graph_binary(g, "sub", lt_graph_binary(g, "xor", lower, whole(e, LT_I32, SIGN)),
			whole(e, LT_I32, SIGN));
	const lt_node half_of[] = { lt_graph_binary(g, "eq", lt_graph_binary(g, "and", at, whole(e, LT_I32, 1)),
		whole(e, LT_I32, 1)), lt_graph_binary(g, "shr", upper, whole(e, LT_I32, BITS)), lower };
	const lt_node y = lt_graph_op_to(g, "select", 3, half_of, like->n_dim, like->dim);
	return lt_graph_cast(g, y, has_sign ? LT_I8 : LT_U8);
}

lt_node lt__quant_emit_weight(struct quant_emission *e, const struct lt_quant_format *format,
	const struct lt_quant_derived *d, int32_t cell)
{
	const struct lt_quant_cell *c = &e->q->cell[cell];
	const enum lt_dtype t = d->type[cell];
	const struct lt_quant_range r = { d->least[cell], d->most[cell] };
	const bool packed = lt__quant_is_packed(c, format[cell]);
	void *to = content_room(e, t, c->elems);
	for (int64_t i = 0; i < c->elems; i++)
		put(to, i, t, lt__quant_round(c->content[i], lt__quant_scale_at(c, format[cell], i), r));
	const lt_node y = packed ? emit_packed(e, cell, to, r.least < 0)
		: lt__quant_emit_source(e, LT_OP_constant, lt__quant_emit_label(e, c->node), t, c->node, false, to);
	const bool one = !lt__quant_has_channels(c, format[cell]);
	return y >= 0 && one && lt_node_means(e->out, y, format[cell].scale, 0) ? LT_NONE : y;
}

/* A constant of the numbers of a cell's channels, "weight_0.shift", beside the one of its integers. */
lt_node lt__quant_emit_channels(struct quant_emission *e, int32_t cell, const char *what, enum lt_dtype t,
	const void *content)
{
	const struct lt_quant_cell *c = &e->q->cell[cell];
	const struct lt_nodedef *d = &e->q->graph->node[c->node];
	const char *label = free_label(e, lt__arena_format(e->scratch, "%s.%s", base_label(e, c->node), what));
	lt_graph_at(e->out, d->line, d->column);
	const lt_node y = lt_graph_constant(e->out, label, t, 1, &d->dim[c->axis]);
	if (y >= 0)
		e->out->node[y].content = content;
	return y;
}

lt_node lt__quant_emit_by_channel(struct quant_emission *e, lt_node x, lt_node channels)
{
	const lt_var v = e->q->node[x].channel;
	return channels < 0 || e->out->node[channels].dim[0] == v ? channels : lt_graph_rename(e->out, channels, 1, &v);
}

/* y, in the place of x, at another step; by, shift: of its channels, LT_NONE: the move's. */
static lt_node at_other_step(struct quant_emission *e, lt_node x, lt_node y, struct lt_quant_move m, lt_node by,
	lt_node shift)
{
	const struct lt_quant_range all = { INT32_MIN, INT32_MAX };
	if (y < 0 || !m.by)
		return y;
	if (m.down) {
		y = with_whole(e, x, LT_OP_add, lt__quant_emit_cast(e, y, LT_I64), INT64_C(1) << (m.down - 1));
		y = with_whole(e, x, LT_OP_shr, y, m.down);
	}
	y = lt__quant_emit_cast(e, y, LT_I32);
	const struct lt_requant r = { .kind = LT_REQUANT_MULTIPLIER, .rounding = LT_ROUND_AWAY, .to = LT_I32,
		.by = by < 0 ? whole(e, LT_I32, m.by) : by, .shift = shift < 0 ? whole(e, LT_I32, m.shift) : shift,
		.least = all.least, .most = all.most };
	return y < 0 || r.by < 0 || r.shift < 0 ? LT_NONE : lt_build_requant(e->out, y, &r);
}

/* A number of each channel of a cell, as a value in the place of sum x. */
static lt_node channels_spread(struct quant_emission *e, lt_node x, lt_node channels)
{
	return lt__quant_emit_op(e, x, LT_OP_copy, lt__quant_emit_by_channel(e, x, channels), LT_NONE);
}

/* A sum whose channels have steps of their own, brought to one: times a number each. */
static lt_node multiplied_by_channel(struct quant_emission *e, struct quant_integers *s, lt_node x, lt_node y)
{
	const struct lt_quant_move *m = s->d->at[x].by_channel;
	const int32_t cell = e->q->node[x].by_channel;
	const int64_t n = e->q->cell[cell].channels;
	if (s->channels[cell] < 0) {
		int32_t *by = lt__arena_alloc(e->out->arena, (size_t)n * sizeof *by);
		uint8_t *shift = lt__arena_alloc(e->out->arena, (size_t)n * sizeof *shift);
		for (int64_t i = 0; i < n; i++) {
			by[i] = m[i].by;
			shift[i] = (uint8_t)m[i].shift;
		}
		s->channels[cell] = lt__quant_emit_channels(e, cell, "multiplier", LT_I32, by);
		s->shift[cell] = lt__quant_emit_channels(e, cell, "shift", LT_U8, shift);
	}
	const lt_node by = channels_spread(e, x, s->channels[cell]), shift = channels_spread(e, x, s->shift[cell]);
	return by < 0 || shift < 0 ? LT_NONE : at_other_step(e, x, y, *m, by, shift);
}

/* A sum whose channels have steps of their own, moved up to the finest one. */
static lt_node moved_by_channel(struct quant_emission *e, struct quant_integers *s, lt_node x, lt_node y)
{
	const int32_t cell = e->q->node[x].by_channel;
	if (y < 0 || cell < 0 || !lt__quant_has_channels(&e->q->cell[cell], s->format[cell]))
		return y;
	if (e->q->any)
		return multiplied_by_channel(e, s, x, y);
	if (s->channels[cell] < 0) {
		uint8_t *up = lt__arena_alloc(e->out->arena, (size_t)e->q->cell[cell].channels);
		for (int64_t i = 0; i < e->q->cell[cell].channels; i++)
			up[i] = (uint8_t)lt__quant_coarser(s->format[cell], i);
		s->channels[cell] = lt__quant_emit_channels(e, cell, "shift", LT_U8, up);
	}
	const lt_node up = lt__quant_emit_cast(e, lt__quant_emit_by_channel(e, x, s->channels[cell]), e->out->node[y].dtype);
	return up < 0 ? LT_NONE : lt__quant_emit_op(e, x, LT_OP_shl, y, up);
}

static lt_node weight_constant(struct quant_emission *e, struct quant_integers *s, int32_t cell)
{
	if (s->weight[cell] < 0)
		s->weight[cell] = lt__quant_emit_weight(e, s->format, s->d, cell);
	return s->weight[cell];
}

static lt_node emit_follow(struct quant_emission *e, const struct quant_follow *f)
{
	const struct lt_quant_node *n = &e->q->node[f->from];
	void *to = content_room(e, f->type, n->elems);
	for (int64_t k = 0; k < n->elems; k++)
		put(to, k, f->type, lt__quant_follow(n->content[k], f->scale, f->lowest));
	const lt_node y = lt__quant_emit_source(e, LT_OP_constant, lt__quant_emit_label(e, f->from), f->type, f->from,
		false, to);
	return y >= 0 && lt_node_means(e->out, y, f->scale, 0) ? LT_NONE : y;
}

/* A constant beside a sum. */
static lt_node follow_constant(struct quant_emission *e, struct quant_integers *s, lt_node x, int32_t i)
{
	const int32_t n = s->n_follow;
	s->follow[n] = lt__quant_follow_of(e->q, s->d, x, i);
	for (int32_t k = 0; k < n; k++)
		if (lt__quant_same_follow(&s->follow[k], &s->follow[n]))
			return s->follow_node[k];
	return s->follow_node[s->n_follow++] = emit_follow(e, &s->follow[n]);
}

/* Whether views of a constant show minus infinity, which needs a wide type. */
static bool shows_lowest(const struct lt_graph *g, lt_node x)
{
	for (const lt_node end = lt__quant_source(g, x); x != end; x = g->node[x].operand[0])
		if (g->node[x].has_fill && lt__as_double(lt__scalar_of(g->node[x].bits, g->node[x].dtype), g->node[x].dtype) < 0)
			return true;
	return false;
}

/* A number that stands beside a value, cut to what comes out of a min or a max: beyond that it changes nothing, and may
 * be too large for the type, as the 6 of relu6 is at a step of 2^-31. */
static int64_t number_beside(const struct quant_emission *e, const struct quant_integers *s, lt_node x, int32_t i,
	double v)
{
	const struct lt_quant_at *at = &s->d->at[x];
	const enum lt_opcode op = e->q->graph->node[x].op;
	const int64_t n = lt__quant_follow(v, s->d->follow[e->q->operand_at[x] + i], at->lowest);
	if (op != LT_OP_min && op != LT_OP_max)
		return n;
	return n < at->exact.least ? at->exact.least : n > at->exact.most ? at->exact.most : n;
}

/* t: of a number, and of minus infinity; else what comes out is of the type in memory. */
static lt_node stored_operand(struct quant_emission *e, struct quant_integers *s, lt_node x, int32_t i, enum lt_dtype t)
{
	const lt_node y = e->q->graph->node[x].operand[i];
	const bool factor = lt__quant_is_factor(e->q, x, i);
	double v;
	if (lt__quant_is_number(e->q, x, i, &v))
		return whole(e, t, factor ? s->d->at[x].factor : number_beside(e, s, x, i, v));
	const lt_node base = factor ? weight_constant(e, s, e->q->node[lt__quant_source(e->q->graph, y)].weight)
		: follow_constant(e, s, x, i);
	if (base < 0 || shows_lowest(e->q->graph, y))
		return lt__quant_emit_views(e, y, lt__quant_emit_cast(e, base, t), t,
			lt__bits_of((union lt_scalar){ .i = QUANT_LOWEST }, t));
	return lt__quant_emit_views(e, y, base, e->out->node[base].dtype, 0);
}

static lt_node constant_operand(struct quant_emission *e, struct quant_integers *s, lt_node x, int32_t i,
	enum lt_dtype t)
{
	return lt__quant_emit_cast(e, stored_operand(e, s, x, i, t), t);
}

/* -- nodes -- */

/* Whether a constant that is an operand fits: factors have 16 bits at most. */
static bool constant_fits(const struct quant_emission *e, const struct quant_integers *s, lt_node x, int32_t i)
{
	double v;
	if (lt__quant_is_factor(e->q, x, i))
		return true;
	if (!lt__quant_is_number(e->q, x, i, &v))
		return lt__quant_follow_of(e->q, s->d, x, i).type != LT_I64;
	const int64_t n = number_beside(e, s, x, i, v);
	return fits(n, n);
}

/* i32 if the node and its operands, moved up, fit. */
static enum lt_dtype type_of(const struct quant_emission *e, const struct quant_integers *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	bool fit = number_fits(s->d->at[x].exact) && number_fits(s->d->at[x].raw);
	for (int32_t i = 0; i < d->n_operand; i++) {
		if (e->q->node[d->operand[i]].kind == QUANT_KEPT || e->q->graph->node[d->operand[i]].dtype == LT_BOOL)
			continue;
		if (e->q->node[d->operand[i]].kind == QUANT_CONST) {
			fit = fit && constant_fits(e, s, x, i);
			continue;
		}
		const struct quant_number n = s->d->at[d->operand[i]].value;
		const int32_t up = s->d->up[e->q->operand_at[x] + i];
		fit = fit && number_fits(n) && up < 31 && fits(n.least * (INT64_C(1) << up), n.most * (INT64_C(1) << up));
	}
	return fit ? LT_I32 : LT_I64;
}

static lt_node moved_up(struct quant_emission *e, lt_node x, lt_node y, int32_t up)
{
	return up ? with_whole(e, x, LT_OP_shl, y, up) : y;
}

/* Operand i of x, a value, at the step of x. */
static lt_node aligned(struct quant_emission *e, const struct quant_integers *s, lt_node x, int32_t i, enum lt_dtype t)
{
	const lt_node y = e->q->graph->node[x].operand[i];
	const int32_t at = e->q->operand_at[x] + i;
	if (s->d->move[at].by)
		return lt__quant_emit_cast(e, at_other_step(e, y, e->to[y], s->d->move[at], LT_NONE, LT_NONE), t);
	return moved_up(e, y, lt__quant_emit_cast(e, e->to[y], t), s->d->up[at]);
}

static lt_node result_quotient(struct quant_emission *e, const struct quant_integers *s, lt_node x)
{
	const lt_node *operand = e->q->graph->node[x].operand;
	const int32_t *up = &s->d->up[e->q->operand_at[x]];
	const struct quant_number divisor = s->d->at[operand[1]].value;
	const bool fit = number_fits(s->d->at[x].exact) && up[0] < 30 && up[1] < 30 && number_fits(divisor)
		&& fits(0, divisor.most * (INT64_C(1) << (up[1] + 1)));
	const enum lt_dtype t = fit && type_of(e, s, x) == LT_I32 ? LT_I32 : LT_I64;
	lt_node a = moved_up(e, operand[0], lt__quant_emit_cast(e, e->to[operand[0]], t), up[0] + 1);
	lt_node b = moved_up(e, operand[1], lt__quant_emit_cast(e, e->to[operand[1]], t), up[1]);
	b = with_whole(e, operand[1], LT_OP_max, b, 1);
	a = lt__quant_emit_op(e, x, LT_OP_add, a, b);
	return lt__quant_emit_op(e, x, LT_OP_div, a, with_whole(e, operand[1], LT_OP_shl, b, 1));
}

static lt_node result_product(struct quant_emission *e, struct quant_integers *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	const enum lt_dtype t = type_of(e, s, x);
	lt_node operand[2];
	if (d->op == LT_OP_div && !lt__quant_is_factor(e->q, x, 1))
		return result_quotient(e, s, x);
	for (int32_t i = 0; i < 2; i++) {
		const lt_node y = d->operand[i], other = d->operand[1 - i];
		double v;
		if (e->q->node[y].kind != QUANT_CONST) {
			operand[i] = lt__quant_emit_cast(e, e->to[y], t);
			continue;
		}
		if (lt__quant_is_number(e->q, x, i, &v) && s->d->at[x].factor == 1 && e->q->graph->node[other].n_dim == d->n_dim)
			return lt__quant_emit_cast(e, e->to[other], t);
		operand[i] = constant_operand(e, s, x, i, t);
	}
	return lt__quant_emit_op(e, x, LT_OP_mul, operand[0], operand[1]);
}

static lt_node result_exact(struct quant_emission *e, struct quant_integers *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	lt_node *operand = LT_NEW(e->scratch, lt_node, d->n_operand + 1);
	if (d->op == LT_OP_copy)
		return lt__quant_emit_spread(e, x, e->to[d->operand[0]]);
	if (d->op == LT_OP_cast && e->q->node[d->operand[0]].kind == QUANT_EXACT
		&& e->q->graph->node[d->operand[0]].dtype != LT_BOOL)
		return lt__quant_emit_spread(e, x, e->to[d->operand[0]]);
	if (d->op == LT_OP_cast)
		return lt__quant_emit_spread(e, x, lt__quant_emit_cast(e, e->to[d->operand[0]], LT_I32));
	if (!d->reduce && (d->op == LT_OP_mul || d->op == LT_OP_div))
		return result_product(e, s, x);
	const enum lt_dtype t = type_of(e, s, x);
	if (d->op == LT_OP_gather && e->q->node[d->operand[0]].kind == QUANT_CONST) {
		operand[0] = stored_operand(e, s, x, 0, t);
		operand[1] = e->to[d->operand[1]];
		return operand[0] < 0 ? LT_NONE
			: lt__quant_emit_cast(e, lt__quant_emit_like(e, x, e->out->node[operand[0]].dtype, operand, 0), t);
	}
	for (int32_t i = 0; i < d->n_operand; i++) {
		const lt_node y = d->operand[i];
		if ((d->op == LT_OP_select && i == 0) || (d->op == LT_OP_gather && i == 1))
			operand[i] = e->to[y];
		else if (e->q->node[y].kind == QUANT_CONST)
			operand[i] = constant_operand(e, s, x, i, t);
		else
			operand[i] = aligned(e, s, x, i, t);
	}
	const double fill = d->op == LT_OP_view ? lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype) : 0;
	return moved_by_channel(e, s, x, lt__quant_emit_like(e, x, d->dtype == LT_BOOL ? LT_BOOL : t, operand,
		fill < 0 ? lt__bits_of((union lt_scalar){ .i = QUANT_LOWEST }, t) : 0));
}

/* The table of node x, or an equal one that there is; *uniform: LT_NONE is no failure, what it gives is that number. */
static lt_node table_constant(struct quant_emission *e, struct quant_integers *s, lt_node x, const int64_t **uniform)
{
	const enum lt_dtype t = s->d->type[e->q->node[x].cell];
	int64_t n, *table;
	*uniform = NULL;
	for (int32_t i = 0; i < s->n_table; i++)
		if (lt__quant_same_table(e->q, s->d, s->table[i], x))
			return s->table_node[i];
	if (lt__quant_table(e->q, s->d, x, e->scratch, &n, &table))
		return LT_NONE;
	if (lt__quant_is_uniform(n, table)) {
		*uniform = table;
		return LT_NONE;
	}
	void *to = content_room(e, t, n);
	for (int64_t i = 0; i < n; i++)
		put(to, i, t, table[i]);
	const lt_var v = lt_graph_var(e->out, NULL, n);
	const lt_node y = lt_graph_constant(e->out, lt__quant_emit_label(e, x), t, 1, &v);
	if (y >= 0)
		e->out->node[y].content = to;
	s->table[s->n_table] = x;
	return s->table_node[s->n_table++] = y;
}

static lt_node result_table(struct quant_emission *e, struct quant_integers *s, lt_node x)
{
	const lt_node of = e->q->node[x].of;
	const int64_t *uniform;
	const lt_node content = table_constant(e, s, x, &uniform);
	if (uniform)
		return lt__quant_emit_number(e, x, s->d->type[e->q->node[x].cell], (union lt_scalar){ .i = *uniform });
	lt_node at = lt__quant_emit_cast(e, e->to[of], LT_I32);
	if (content < 0 || at < 0)
		return LT_NONE;
	if (s->d->at[of].value.least)
		at = with_whole(e, of, LT_OP_sub, at, s->d->at[of].value.least);
	return at < 0 ? LT_NONE : lt_graph_gather(e->out, content, at, 0);
}

/* (y + half) >> shift, between the cell's ends, in the cell's type. */
static lt_node result_rounded(struct quant_emission *e, const struct quant_integers *s, lt_node x, lt_node y)
{
	const struct lt_quant_at *at = &s->d->at[x];
	const int32_t cell = e->q->node[x].cell;
	const int64_t half = at->shift ? INT64_C(1) << (at->shift - 1) : 0;
	if (y < 0)
		return LT_NONE;
	y = at_other_step(e, x, y, at->move, LT_NONE, LT_NONE);
	if (y >= 0 && !at->move.by && (!fits(at->exact.least, at->exact.most + half) || at->shift > 31))
		y = lt__quant_emit_cast(e, y, LT_I64);
	if (at->shift) {
		y = with_whole(e, x, LT_OP_add, y, half);
		y = with_whole(e, x, LT_OP_shr, y, at->shift);
	}
	if (at->below)
		y = with_whole(e, x, LT_OP_max, y, s->d->least[cell]);
	if (at->above)
		y = with_whole(e, x, LT_OP_min, y, s->d->most[cell]);
	return lt__quant_emit_cast(e, y, s->d->type[cell]);
}

/* An input may be anything of its type, which is wider than its range where a table is asked by it. */
static lt_node result_input(struct quant_emission *e, const struct quant_integers *s, lt_node x, lt_node y)
{
	const int32_t cell = e->q->node[x].cell;
	const struct lt_dtypeinfo *t = lt__dtype_info(s->d->type[cell]);
	y = lt__quant_emit_cast(e, y, LT_I32);
	if (s->d->least[cell] > (t->is_signed ? -(int64_t)t->largest - 1 : 0))
		y = with_whole(e, x, LT_OP_max, y, s->d->least[cell]);
	if (s->d->most[cell] < (int64_t)t->largest)
		y = with_whole(e, x, LT_OP_min, y, s->d->most[cell]);
	return y;
}

static lt_node result_node(struct quant_emission *e, struct quant_integers *s, lt_node x)
{
	const struct lt_nodedef *d = &e->q->graph->node[x];
	const struct lt_quant_node *n = &e->q->node[x];
	lt_node y;
	if (n->kind == QUANT_KEPT)
		return lt__quant_emit_kept(e, x);
	if (n->table)
		y = result_table(e, s, x);
	else if (d->op == LT_OP_input)
		y = lt__quant_emit_source(e, LT_OP_input, d->label, s->d->type[n->cell], x, false, NULL);
	else
		y = result_exact(e, s, x);
	if (n->cell < 0 || y < 0)
		return y;
	if (!n->table && d->op != LT_OP_input)
		y = result_rounded(e, s, x, y);
	s->kept[x] = y;
	double scale;
	int64_t zero;
	if (y < 0 || (!lt_node_meaning(e->out, y, &scale, &zero)
		&& lt_node_means(e->out, y, s->d->scale[n->cell], 0)))
		return LT_NONE;
	if (d->op == LT_OP_input)
		return result_input(e, s, x, y);
	return e->out->node[y].dtype == LT_I64 ? y : lt__quant_emit_cast(e, y, LT_I32);
}

/* What a result is: what is in memory; of an input whose type is wider than its range, what was cut off to that. */
static lt_node result_of(struct quant_emission *e, const struct quant_integers *s, lt_node x)
{
	const lt_node kept = s->kept[x];
	double scale;
	int64_t zero;
	if (kept < 0)
		return e->to[x];
	if (e->q->graph->node[x].op != LT_OP_input || e->out->node[e->to[x]].op == LT_OP_cast)
		return kept;
	const lt_node y = lt__quant_emit_cast(e, e->to[x], e->out->node[kept].dtype);
	return y >= 0 && lt_node_meaning(e->out, kept, &scale, &zero) && lt_node_means(e->out, y, scale, zero) ? LT_NONE : y;
}

static lt_status emit_result(struct quant_emission *e, void *user)
{
	const struct lt_graph *g = e->q->graph;
	struct quant_integers *s = user;
	s->kept = LT_NEW(e->scratch, lt_node, g->n_node + 1);
	s->weight = LT_NEW(e->scratch, lt_node, e->q->n_cell + 1);
	s->channels = LT_NEW(e->scratch, lt_node, e->q->n_cell + 1);
	s->shift = LT_NEW(e->scratch, lt_node, e->q->n_cell + 1);
	s->follow = LT_NEW(e->scratch, struct quant_follow, e->q->operand_at[g->n_node] + 1);
	s->follow_node = LT_NEW(e->scratch, lt_node, e->q->operand_at[g->n_node] + 1);
	s->table = LT_NEW(e->scratch, lt_node, g->n_node + 1);
	s->table_node = LT_NEW(e->scratch, lt_node, g->n_node + 1);
	memset(s->kept, -1, sizeof *s->kept * (size_t)g->n_node);
	memset(s->weight, -1, sizeof *s->weight * (size_t)e->q->n_cell);
	memset(s->channels, -1, sizeof *s->channels * (size_t)e->q->n_cell);
	for (lt_node x = 0; x < g->n_node; x++) {
		if (!e->q->node[x].needed || e->q->node[x].kind == QUANT_CONST)
			continue;
		lt_graph_at(e->out, g->node[x].line, g->node[x].column);
		if ((e->to[x] = result_node(e, s, x)) < 0)
			return g->ctx->code;
	}
	for (int32_t i = 0; i < g->n_result; i++) {
		const lt_node y = result_of(e, s, g->result[i].node);
		LT_TRY(y < 0 ? g->ctx->code : lt_graph_result(e->out, g->result[i].name, y));
	}
	return LT_OK;
}

lt_status lt__quant_result(const struct lt_quant *q, const struct lt_quant_format *format,
	const struct lt_quant_derived *d, struct lt_graph **out)
{
	struct quant_integers s = { .format = format, .d = d };
	return lt__quant_emission_run(q, 0, emit_result, &s, out);
}
