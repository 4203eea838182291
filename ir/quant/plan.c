/* plan.c -- what each node of a graph of floats becomes: which are constants, which are kept in cells, which are
 * functions of one value that tables give.
 *
 * A cell is made where rounding cannot be put off: what is multiplied by a value, or by a constant and summed up, has
 * to be short; a table is asked by a short number.  All else goes on exactly.
 */
#include <math.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "ir/quant/parts.h"

/* The bits of a fill that is kept: zeros of any type, and minus infinity, which stands beside an image before a pool.
 * */
static bool fill_is_plain(const struct lt_nodedef *d)
{
	const double v = lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype);
	return !d->has_fill || v == 0 || v == -INFINITY;
}

static bool is_plain_view(const struct lt_nodedef *d)
{
	return d->op == LT_OP_view && d->n_piece == 1 && d->n_operand == 1 && d->piece[0].source == 0 && fill_is_plain(d);
}

lt_node lt__quant_source(const struct lt_graph *g, lt_node x)
{
	while (is_plain_view(&g->node[x]))
		x = g->node[x].operand[0];
	return x;
}

static bool is_float(const struct lt_graph *g, lt_node x)
{
	return lt__dtype_info(g->node[x].dtype)->cls == LT_CLASS_FLOAT;
}

bool lt__quant_is_number(const struct lt_quant *q, lt_node x, int32_t i, double *out)
{
	const struct lt_graph *g = q->graph;
	const bool one = g->node[x].op == LT_OP_gather;
	for (x = g->node[x].operand[i]; is_plain_view(&g->node[x]); x = g->node[x].operand[0])
		if (g->node[x].has_fill)
			return false;
	const struct lt_quant_node *n = &q->node[x];
	if (n->kind != QUANT_CONST || !n->content || !(n->elems == 1 || (n->uniform && !one)))
		return false;
	*out = n->content[0];
	return true;
}

bool lt__quant_is_factor(const struct lt_quant *q, lt_node x, int32_t i)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	if (d->reduce || q->node[x].kind != QUANT_EXACT || q->node[d->operand[i]].kind != QUANT_CONST)
		return false;
	return d->op == LT_OP_mul || (d->op == LT_OP_div && i == 1) || (d->op == LT_OP_gather && i == 0);
}

/* -- kinds -- */

static enum quant_kind kind_of(const struct lt_quant *q, lt_node x, bool sampled)
{
	const struct lt_graph *g = q->graph;
	const struct lt_nodedef *d = &g->node[x];
	bool floats = is_float(g, x);
	for (int32_t i = 0; i < d->n_operand; i++)
		floats = floats || q->node[d->operand[i]].kind == QUANT_CONST || is_float(g, d->operand[i]);
	return !floats ? QUANT_KEPT : sampled ? QUANT_EXACT : QUANT_CONST;
}

static void find_kinds(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_quant_node *n = &q->node[x];
		n->sampled = g->node[x].op == LT_OP_input;
		for (int32_t i = 0; i < g->node[x].n_operand; i++)
			n->sampled = n->sampled || q->node[g->node[x].operand[i]].sampled;
		n->kind = kind_of(q, x, n->sampled);
		n->cell = n->weight = n->by_channel = -1;
		n->of = x;
	}
}

/* -- functions of one value -- */

/* What an operator of floats has: an exact form of integers, or none, so that it takes a table. */
enum form { FORM_NONE, FORM_EXACT, FORM_TABLE };
static const uint8_t forms[LT_NOP] = {
	[LT_OP_input] = FORM_EXACT, [LT_OP_view] = FORM_EXACT, [LT_OP_gather] = FORM_EXACT, [LT_OP_cast] = FORM_EXACT,
	[LT_OP_copy] = FORM_EXACT, [LT_OP_select] = FORM_EXACT, [LT_OP_add] = FORM_EXACT, [LT_OP_sub] = FORM_EXACT,
	[LT_OP_mul] = FORM_EXACT, [LT_OP_div] = FORM_EXACT, [LT_OP_min] = FORM_EXACT, [LT_OP_max] = FORM_EXACT,
	[LT_OP_eq] = FORM_EXACT, [LT_OP_ne] = FORM_EXACT, [LT_OP_less] = FORM_EXACT, [LT_OP_lessequal] = FORM_EXACT,
	[LT_OP_greater] = FORM_EXACT, [LT_OP_greaterequal] = FORM_EXACT, [LT_OP_neg] = FORM_EXACT, [LT_OP_abs] = FORM_EXACT,
	[LT_OP_pow] = FORM_TABLE, [LT_OP_mod] = FORM_TABLE, [LT_OP_sign] = FORM_TABLE, [LT_OP_reciprocal] = FORM_TABLE,
	[LT_OP_exp] = FORM_TABLE, [LT_OP_log] = FORM_TABLE, [LT_OP_sqrt] = FORM_TABLE, [LT_OP_rsqrt] = FORM_TABLE,
	[LT_OP_tanh] = FORM_TABLE, [LT_OP_sigmoid] = FORM_TABLE, [LT_OP_erf] = FORM_TABLE, [LT_OP_sin] = FORM_TABLE,
	[LT_OP_cos] = FORM_TABLE, [LT_OP_floor] = FORM_TABLE, [LT_OP_ceil] = FORM_TABLE, [LT_OP_round] = FORM_TABLE,
};

static bool same_dims(const struct lt_graph *g, lt_node x, lt_node y)
{
	const struct lt_nodedef *a = &g->node[x], *b = &g->node[y];
	for (int32_t i = 0; i < a->n_dim; i++)
		if (a->n_dim != b->n_dim || !lt__node_has_dim(b, a->dim[i]))
			return false;
	return a->n_dim == b->n_dim;
}

/* What x is a function of, by its operands; x itself if they are functions of several values. */
static lt_node function_of(const struct lt_quant *q, lt_node x)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	lt_node of = -1;
	double number;
	if (!lt__node_is_pointwise(d) || q->node[x].kind != QUANT_EXACT)
		return x;
	for (int32_t i = 0; i < d->n_operand; i++) {
		const lt_node y = d->operand[i];
		if (lt__quant_is_number(q, x, i, &number))
			continue;
		if (q->node[y].kind != QUANT_EXACT || !same_dims(q->graph, x, y) || (of >= 0 && q->node[y].of != of))
			return x;
		of = q->node[y].of;
	}
	return of < 0 ? x : of;
}

static lt_status refuse_function(const struct lt_quant *q, lt_node x)
{
	return lt__node_fail(q->graph, x, LT_EUNSUPPORTED, "'%s' of several values has no table and no integers: it has to be "
		"a function of one value and of numbers", lt__op_info(q->graph->node[x].op)->name);
}

static void find_functions(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_quant_node *n = &q->node[x];
		const struct lt_nodedef *d = &g->node[x];
		if (n->kind != QUANT_EXACT || d->reduce)
			continue;
		n->of = function_of(q, x);
		n->hard = forms[d->op] == FORM_TABLE || (d->op == LT_OP_div && q->node[d->operand[0]].kind == QUANT_CONST);
		for (int32_t i = 0; n->of != x && i < d->n_operand; i++)
			n->hard = n->hard || q->node[d->operand[i]].hard;
	}
}

/* -- constants -- */

static double *as_doubles(const struct lt_quant *q, lt_node x, const void *data, int64_t *elems)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	*elems = lt__node_elems(q->graph, x);
	double *to = LT_NEW(q->arena, double, *elems);
	for (int64_t i = 0; i < *elems; i++)
		to[i] = lt__as_double(d->op == LT_OP_lit ? lt__scalar_of(d->bits, d->dtype) : lt__load(data, i, d->dtype), d->dtype);
	return to;
}

struct constants { struct lt_quant *q; lt_node *want; int32_t n_want; double **value; };

static void want_constant(struct constants *c, lt_node x)
{
	for (int32_t i = 0; i < c->n_want; i++)
		if (c->want[i] == x)
			return;
	c->want[c->n_want++] = x;
}

static lt_status constant_done(void *user, const struct lt_evaluation *e, lt_node x, const void *value, const double
	*error)
{
	struct constants *c = user;
	int64_t elems;
	(void)e, (void)error;
	c->value[x] = as_doubles(c->q, x, value, &elems);
	return LT_OK;
}

/* Evaluates those that are read by what depends on an input. */
static lt_status find_constants(struct lt_quant *q, const void *const *source, double **value)
{
	const struct lt_graph *g = q->graph;
	struct constants c = { .q = q, .want = LT_NEW(q->arena, lt_node, 2 * g->n_node + 1), .value = value };
	bool *read = LT_NEW(q->arena, bool, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; q->node[x].kind == QUANT_EXACT && i < g->node[x].n_operand; i++)
			read[g->node[x].operand[i]] = read[lt__quant_source(g, g->node[x].operand[i])] = true;
	for (lt_node x = 0; x < g->n_node; x++)
		if (read[x] && q->node[x].kind == QUANT_CONST)
			want_constant(&c, x);
	const struct lt_eval_options o = { .want = c.want, .n_want = c.n_want, .done = constant_done, .user = &c };
	struct lt_evaluation *e = NULL;
	if (c.n_want == 0)
		return LT_OK;
	lt_status s = lt_eval_with(g, source, &o, &e);
	lt_eval_free(e);
	for (int32_t i = 0; i < c.n_want && !s; i++) {
		struct lt_quant_node *n = &q->node[c.want[i]];
		n->elems = lt__node_elems(g, c.want[i]);
		n->content = value[c.want[i]];
		n->low = INFINITY;
		n->high = -INFINITY;
		for (int64_t k = 0; k < n->elems && !s; k++) {
			n->low = n->content[k] > -INFINITY ? fmin(n->low, n->content[k]) : n->low;
			n->high = fmax(n->high, n->content[k]);
			n->lowest = n->lowest || n->content[k] == -INFINITY;
			if (isnan(n->content[k]) || n->content[k] == INFINITY)
				s = lt__node_fail(g, c.want[i], LT_EINVAL, "element %lld of this constant is %g, which no integer stands for",
					(long long)k, n->content[k]);
		}
		n->uniform = q->mode == LT_QUANT_STATIC && (n->lowest ? n->low > n->high : n->low >= n->high);
	}
	return s;
}

/* -- sums of products -- */

/* Of the constant that a product has, by channel: the sums of its positive and of its negative numbers. */
static void weigh_sum(struct lt_quant *q, lt_node x, const double *w, lt_node view)
{
	const struct lt_graph *g = q->graph;
	const struct lt_nodedef *v = &g->node[view], *d = &g->node[x];
	int64_t channels = 1, elems = lt__node_elems(g, view);
	for (int32_t i = 0; i < v->n_dim; i++)
		channels *= lt__node_has_dim(d, v->dim[i]) ? g->var[v->dim[i]].extent : 1;
	double *sum = LT_NEW(q->arena, double, 2 * channels);
	for (int64_t at = 0; at < elems; at++) {
		int64_t rest = at, channel = 0, unit = 1;
		for (int32_t i = v->n_dim - 1; i >= 0; i--) {
			const int64_t extent = g->var[v->dim[i]].extent, k = rest % extent;
			rest /= extent;
			if (lt__node_has_dim(d, v->dim[i])) {
				channel += k * unit;
				unit *= extent;
			}
		}
		sum[2 * channel + (w[at] < 0)] += fabs(w[at]);
	}
	struct lt_quant_node *n = &q->node[x];
	const double terms = (double)lt__node_elems(g, d->operand[0]) / (double)lt__node_elems(g, x);
	const double again = terms / ((double)elems / (double)channels);
	for (int64_t c = 0; c < 2 * channels; c++)
		sum[c] *= again;
	n->weigh = sum;
	n->channels = channels;
	n->terms = terms;
}

static void find_sums(struct lt_quant *q, double **value)
{
	const struct lt_graph *g = q->graph;
	double number;
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *d = &g->node[x];
		if (!d->reduce || d->op != LT_OP_add || q->node[x].kind != QUANT_EXACT)
			continue;
		const lt_node product = d->operand[0];
		if (g->node[product].op != LT_OP_mul || g->node[product].reduce)
			continue;
		q->node[product].summed = true;
		for (int32_t i = 0; i < 2; i++)
			if (lt__quant_is_factor(q, product, i) && !lt__quant_is_number(q, product, i, &number))
				weigh_sum(q, x, value[g->node[product].operand[i]], g->node[product].operand[i]);
	}
}

/* -- cells -- */

/* What is wanted of a node: bits 0: nothing. */
struct wish { int32_t bits; enum lt_quant_cell_kind kind; bool index, factor, divisor; };

/* Where a value is rounded: before views, and before a pool, of which it is the same. */
static lt_node place_of(const struct lt_graph *g, lt_node x)
{
	for (;;) {
		x = lt__quant_source(g, x);
		const struct lt_nodedef *d = &g->node[x];
		if (!d->reduce || (d->op != LT_OP_max && d->op != LT_OP_min) || g->node[d->operand[0]].op != LT_OP_view
			|| lt__quant_source(g, d->operand[0]) == d->operand[0])
			return x;
		x = d->operand[0];
	}
}

static void wish_cell(const struct lt_quant *q, struct wish *w, lt_node x, enum lt_quant_cell_kind kind, int32_t bits)
{
	x = place_of(q->graph, x);
	const bool is_new = w[x].bits == 0, wide = kind == LT_QUANT_WIDE;
	if (is_new || (w[x].kind == LT_QUANT_WIDE && (!wide || bits < w[x].bits))) {
		w[x].kind = kind;
		w[x].bits = bits;
	} else if (!wide) {             /* an input, what a table gives: that is what it is, whoever reads it */
		w[x].kind = kind == LT_QUANT_VALUE ? w[x].kind : kind;
		w[x].bits = bits < w[x].bits ? bits : w[x].bits;
	}
}

static void need(struct lt_quant *q, lt_node x) { q->node[x].needed = true; }

/* A product or a quotient: what has to be short. */
static lt_status wish_factors(struct lt_quant *q, struct wish *w, lt_node x)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	double number;
	if (d->op == LT_OP_div && q->node[d->operand[1]].kind != QUANT_CONST) {
		wish_cell(q, w, d->operand[0], LT_QUANT_WIDE, LT_QUANT_QUOTIENT_BITS);
		wish_cell(q, w, d->operand[1], LT_QUANT_WIDE, LT_QUANT_QUOTIENT_BITS);
		wish_cell(q, w, x, LT_QUANT_QUOTIENT, LT_QUANT_MAX_BITS);
		return LT_OK;
	}
	for (int32_t i = 0; i < 2; i++) {
		const lt_node y = d->operand[i], other = d->operand[1 - i];
		if (lt__quant_is_factor(q, x, i)) {
			if (lt__quant_is_number(q, x, i, &number) && !isfinite(d->op == LT_OP_div ? 1 / number : number))
				return lt__node_fail(q->graph, x, LT_EINVAL, "nothing that integers stand for is %s by %g", d->op == LT_OP_div
					? "divided" : "multiplied", number);
			struct wish *of = &w[lt__quant_source(q->graph, y)];
			of->factor |= d->op == LT_OP_mul && !lt__quant_is_number(q, x, i, &number);
			of->divisor |= d->op == LT_OP_div && !lt__quant_is_number(q, x, i, &number);
			continue;
		}
		const bool one = q->node[other].kind == QUANT_CONST && !q->node[x].summed;
		int power;
		if (one && lt__quant_is_number(q, x, 1 - i, &number) && (q->any || fabs(frexp(number, &power)) == 0.5))
			continue;               /* only the step changes */
		wish_cell(q, w, y, one ? LT_QUANT_WIDE : LT_QUANT_VALUE, one ? LT_QUANT_FACTOR_BITS : LT_QUANT_MAX_BITS);
	}
	return LT_OK;
}

/* The reduction, or what else computes several values from one, that x is computed of through views, element by
 * element. */
static lt_node origin_of(const struct lt_quant *q, lt_node x)
{
	const struct lt_graph *g = q->graph;
	for (;;) {
		const struct lt_nodedef *d = &g->node[x];
		lt_node next = -1;
		for (int32_t i = 0; i < d->n_operand && !d->reduce; i++)
			next = next < 0 && q->node[d->operand[i]].kind == QUANT_EXACT ? d->operand[i] : next;
		if (next < 0 || d->reduce)
			return x;
		x = next;
	}
}

/* What a pool or a mean reads is in memory, so it is short; but the largest of the scores of a class is found
 * exactly. */
static void wish_reduced(struct lt_quant *q, struct wish *w, lt_node x)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	const lt_node y = d->operand[0], from = origin_of(q, y);
	const bool product = q->graph->node[y].op == LT_OP_mul && !q->graph->node[y].reduce;
	if (!product && q->graph->node[from].reduce && (d->op == LT_OP_add || q->graph->node[y].op == LT_OP_view))
		wish_cell(q, w, y, LT_QUANT_VALUE, LT_QUANT_MAX_BITS);
}

static lt_status refuse_node(const struct lt_quant *q, lt_node x)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	return lt__node_fail(q->graph, x, LT_EUNSUPPORTED, "%s%s has no form in integers yet: it has to be computed before or "
		"after the model", d->reduce ? "a reduction by " : "", lt__op_info(d->op)->name);
}

static bool has_form(const struct lt_quant *q, lt_node x)
{
	const struct lt_graph *g = q->graph;
	const struct lt_nodedef *d = &g->node[x];
	if (d->reduce)
		return d->op == LT_OP_add || d->op == LT_OP_min || d->op == LT_OP_max;
	if (d->op == LT_OP_cast) {
		const enum lt_dtype from = g->node[d->operand[0]].dtype;
		return is_float(g, x) && from != LT_I64 && from != LT_U64 && from != LT_U32;
	}
	for (int32_t i = 0; d->op == LT_OP_view && i < d->n_piece; i++)
		if (d->piece[i].source < 0)
			return false;
	if (d->op == LT_OP_select)
		return q->node[d->operand[0]].kind != QUANT_CONST;
	double number;
	if (d->op == LT_OP_gather)
		return q->node[d->operand[1]].kind == QUANT_KEPT && !lt__quant_is_number(q, x, 0, &number);
	return forms[d->op] == FORM_EXACT && (d->op != LT_OP_view || fill_is_plain(d));
}

/* A view between a value and where it is rounded that shows minus infinity, unless a pool takes it away; LT_NONE: there
 * is none. */
static lt_node border_of(const struct lt_graph *g, lt_node x)
{
	const lt_node end = place_of(g, x);
	bool pooled = false;
	for (; x != end; x = g->node[x].operand[0]) {
		const struct lt_nodedef *d = &g->node[x];
		if (d->reduce)
			pooled = d->op == LT_OP_max;
		else if (!pooled && d->has_fill && lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype) < 0)
			return x;
	}
	return LT_NONE;
}

static lt_status visit(struct lt_quant *q, struct wish *w, lt_node x)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	struct lt_quant_node *n = &q->node[x];
	if (n->kind == QUANT_EXACT && n->hard) {
		if (n->of == x)
			return refuse_function(q, x);
		if (border_of(q->graph, n->of) >= 0)
			return lt__node_fail(q->graph, x, LT_EUNSUPPORTED, "'%s' of a border of minus infinity has no table: compute it "
				"before the border, which is then what it makes of that", lt__op_info(d->op)->name);
		n->table = true;
		need(q, n->of);
		wish_cell(q, w, n->of, LT_QUANT_VALUE, LT_QUANT_TABLE_BITS);
		w[place_of(q->graph, n->of)].index = true;
		wish_cell(q, w, x, LT_QUANT_TABLE, LT_QUANT_MAX_BITS);
		return LT_OK;
	}
	if (n->kind == QUANT_EXACT && !has_form(q, x))
		return refuse_node(q, x);
	if (d->op == LT_OP_gather && q->node[d->operand[0]].sampled && q->node[d->operand[1]].sampled)
		return refuse_node(q, x);
	for (int32_t i = 0; i < d->n_operand; i++)
		need(q, d->operand[i]);
	if (n->kind != QUANT_EXACT)
		return LT_OK;
	if (d->op == LT_OP_input)
		wish_cell(q, w, x, LT_QUANT_INPUT, LT_QUANT_MAX_BITS);
	if (!d->reduce && (d->op == LT_OP_mul || d->op == LT_OP_div))
		LT_TRY(wish_factors(q, w, x));
	if (d->op == LT_OP_gather && lt__quant_is_factor(q, x, 0))
		w[lt__quant_source(q->graph, d->operand[0])].factor = true;
	if (d->reduce)
		wish_reduced(q, w, x);
	return LT_OK;
}

static int32_t add_cell(struct lt_quant *q, lt_node x, const struct wish *w)
{
	const struct lt_nodedef *d = &q->graph->node[x];
	LT_GROW(q->arena, q->cell, q->n_cell, q->cap_cell);
	q->cell[q->n_cell] = (struct lt_quant_cell){ .kind = w->kind, .node = x, .name = d->label ? d->label : d->name,
		.bits = w->bits, .index = w->index, .elems = lt__node_elems(q->graph, x) };
	q->cell[q->n_cell].like = q->n_cell;
	return q->n_cell++;
}

/* Rounds of a recurrent layer have one format, so that they are one loop, and their tables and biases are one. */
static void find_like(struct lt_quant *q)
{
	const lt_node *like = lt__quant_like(q, q->arena);
	/* By node that others are like: its cell, and 1. */
	int32_t *first = LT_NEW(q->arena, int32_t, q->graph->n_node + 1);
	for (int32_t c = 0; c < q->n_cell; c++) {
		struct lt_quant_cell *cell = &q->cell[c];
		if (cell->kind == LT_QUANT_WEIGHT || cell->kind == LT_QUANT_WIDE)
			continue;
		int32_t *of = &first[like[cell->node]];
		if (!*of || q->cell[*of - 1].kind != cell->kind) {
			*of = *of ? *of : c + 1;
			continue;
		}
		cell->like = *of - 1;
		q->cell[cell->like].bits = cell->bits < q->cell[cell->like].bits ? cell->bits : q->cell[cell->like].bits;
		q->cell[cell->like].index |= cell->index;
	}
	for (int32_t c = 0; c < q->n_cell; c++) {
		q->cell[c].bits = q->cell[q->cell[c].like].bits;
		q->cell[c].index = q->cell[q->cell[c].like].index;
	}
}

void lt__quant_join(struct lt_quant *q)
{
	for (int32_t c = 0; c < q->n_cell; c++) {
		struct lt_quant_cell *first = &q->cell[q->cell[c].like];
		first->low = fmin(first->low, q->cell[c].low);
		first->high = fmax(first->high, q->cell[c].high);
		first->lowest |= q->cell[c].lowest;
	}
	for (int32_t c = 0; c < q->n_cell; c++) {
		const struct lt_quant_cell *first = &q->cell[q->cell[c].like];
		q->cell[c].low = first->low;
		q->cell[c].high = first->high;
		q->cell[c].lowest = first->lowest;
	}
}

/* What is divided by is multiplied by: its reciprocal. */
static lt_status add_weight(struct lt_quant *q, lt_node x, const struct wish *wished)
{
	const struct wish w = { .kind = LT_QUANT_WEIGHT, .bits = q->mode == LT_QUANT_DYNAMIC ? 8 : LT_QUANT_MAX_BITS };
	struct lt_quant_node *n = &q->node[x];
	double *content = LT_NEW(q->arena, double, n->elems);
	if (wished->factor && wished->divisor)
		return lt__node_fail(q->graph, x, LT_EUNSUPPORTED, "this constant is a factor here and a divisor there: one constant "
			"for each is needed");
	n->weight = add_cell(q, x, &w);
	struct lt_quant_cell *c = &q->cell[n->weight];
	for (int64_t i = 0; i < n->elems; i++) {
		content[i] = wished->divisor ? 1 / n->content[i] : n->content[i];
		c->low = fmin(c->low, content[i]);
		c->high = fmax(c->high, content[i]);
	}
	c->content = content;
	if (!(c->low > -INFINITY && c->high < INFINITY))
		return lt__node_fail(q->graph, x, LT_EINVAL, "this constant has %s, by which nothing can be %s",
			wished->divisor ? "a zero" : "an infinity", wished->divisor ? "divided" : "multiplied");
	return LT_OK;
}

/* Constants of sums of products alone. */
static lt_status find_weights(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	struct wish *w = LT_NEW(q->arena, struct wish, g->n_node + 1);
	double number;
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; q->node[x].summed && i < 2; i++)
			if (lt__quant_is_factor(q, x, i) && !lt__quant_is_number(q, x, i, &number))
				w[lt__quant_source(g, g->node[x].operand[i])].factor = true;
	for (lt_node x = 0; x < g->n_node; x++)
		if (w[x].factor)
			LT_TRY(add_weight(q, x, &w[x]));
	if (q->n_cell)
		return LT_OK;
	return lt_fail(g->ctx, LT_EUNSUPPORTED, "%s: no constant is multiplied in sums: there are no weights to keep as "
		"integers",
		g->file ? g->file : "graph");
}

static lt_status find_cells(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	struct wish *w = LT_NEW(q->arena, struct wish, g->n_node + 1);
	for (int32_t i = 0; i < g->n_result; i++) {
		const lt_node x = g->result[i].node;
		if (!q->node[x].sampled)
			return lt__node_fail(g, x, LT_EUNSUPPORTED, "result '%.100s' depends on no input: there is nothing to quantise",
				g->result[i].name);
		need(q, x);
	}
	for (lt_node x = g->n_node - 1; x >= 0; x--)
		if (q->node[x].needed)
			LT_TRY(visit(q, w, x));
	for (int32_t i = 0; i < g->n_result; i++) {
		const lt_node x = g->result[i].node;
		if (q->node[x].kind == QUANT_EXACT && is_float(g, x) && w[x].bits == 0)
			w[x] = (struct wish){ .kind = LT_QUANT_WIDE, .bits = LT_QUANT_RESULT_BITS };
	}
	for (lt_node x = 0; x < g->n_node; x++) {
		if ((w[x].factor || w[x].divisor) && q->node[x].kind == QUANT_CONST)
			LT_TRY(add_weight(q, x, &w[x]));
		else if (w[x].bits && q->node[x].kind == QUANT_EXACT)
			q->node[x].cell = add_cell(q, x, &w[x]);
	}
	find_like(q);
	return LT_OK;
}

/* Which constants sums of products alone read.  Where floats are computed with, what else reads one reads its floats,
 * or rows of them. */
static void find_summed(struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	double number;
	for (int32_t c = 0; c < q->n_cell; c++)
		q->cell[c].sums = q->cell[c].kind == LT_QUANT_WEIGHT;
	for (lt_node x = 0; x < g->n_node && q->mode == LT_QUANT_STATIC; x++)
		for (int32_t i = 0; i < g->node[x].n_operand && !q->node[x].summed; i++) {
			const int32_t cell = q->node[lt__quant_source(g, g->node[x].operand[i])].weight;
			if (cell >= 0 && lt__quant_is_factor(q, x, i) && !lt__quant_is_number(q, x, i, &number))
				q->cell[cell].sums = false;
		}
}

/* -- all of it -- */

static lt_status check_graph(const struct lt_graph *g)
{
	if (g->n_param)
		return lt__node_fail(g, g->param[0].source, LT_EUNSUPPORTED, "run-time scalars are read from this: a model with "
			"extents or places that differ from run to run is not quantised: a script has a number in the place of this, of a "
			"model of ONNX --dim or --fix says it");
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_state || g->node[x].op == LT_OP_update)
			return lt__node_fail(g, x, LT_EUNSUPPORTED, "a model with states is not quantised: make them inputs and results");
	return LT_OK;
}

/* As many '~' as no input or result of the graph begins with. */
static const char *own_names(const struct lt_quant *q)
{
	const struct lt_graph *g = q->graph;
	size_t most = 0;
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_input && g->node[x].label && strspn(g->node[x].label, "~") > most)
			most = strspn(g->node[x].label, "~");
	for (int32_t i = 0; i < g->n_result; i++)
		if (strspn(g->result[i].name, "~") > most)
			most = strspn(g->result[i].name, "~");
	char *own = LT_NEW(q->arena, char, most + 2);
	memset(own, '~', most + 1);
	return own;
}

struct planning { const struct lt_graph *g; const void *const *source; enum lt_quant_mode mode; bool any;
	struct lt_quant **out; };

static lt_status plan_body(void *user)
{
	const struct planning *p = user;
	struct lt_arena *arena;
	LT_TRY(lt__arena_new(p->g->ctx, &arena));
	struct lt_quant *q = *p->out = LT_NEW(arena, struct lt_quant, 1);
	q->graph = p->g;
	q->mode = p->mode;
	q->any = p->any;
	q->arena = arena;
	q->source = p->source;
	q->own = own_names(q);
	q->node = LT_NEW(arena, struct lt_quant_node, p->g->n_node + 1);
	q->operand_at = LT_NEW(arena, int32_t, p->g->n_node + 1);
	for (lt_node x = 0; x < p->g->n_node; x++)
		q->operand_at[x + 1] = q->operand_at[x] + p->g->node[x].n_operand;
	LT_TRY(check_graph(p->g));
	find_kinds(q);
	double **value = LT_NEW(arena, double *, p->g->n_node + 1);
	LT_TRY(find_constants(q, p->source, value));
	find_functions(q);
	find_sums(q, value);
	LT_TRY(p->mode == LT_QUANT_STATIC ? find_cells(q) : find_weights(q));
	find_summed(q);
	if (p->mode != LT_QUANT_STATIC)
		lt__quant_fold(q);
	return LT_OK;
}

lt_status lt__quant_plan(const struct lt_graph *g, const void *const *source, enum lt_quant_mode mode,
	bool any, struct lt_quant **out)
{
	struct planning p = { g, source, mode, any, out };
	*out = NULL;
	lt_status s = lt__protect(g->ctx, plan_body, &p);
	if (s) {
		lt__quant_free(*out);
		*out = NULL;
	}
	return s;
}

void lt__quant_free(struct lt_quant *q)
{
	if (q)
		lt__arena_free(q->arena);
}
