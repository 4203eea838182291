/* derive.c -- a candidate: exponents, bounds and types of all nodes follow from the formats of its cells. */
#include <math.h>
#include <string.h>
#include "ir/quant/parts.h"

/* -- numbers that do not overflow: beyond 2^60 they stay there -- */

#define FAR QUANT_FAR
static int64_t near(int64_t v) { return v > FAR ? FAR : v < -FAR ? -FAR : v; }
static int64_t plus(int64_t a, int64_t b) { return near(near(a) + near(b)); }

static int64_t times(int64_t a, int64_t b)
{
	int64_t r;
	return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? -FAR : FAR) : near(r);
}

static int64_t moved_up(int64_t v, int32_t n) { return n > 60 ? times(v, FAR) : times(v, INT64_C(1) << n); }
static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* -- nodes -- */

/* What cells of one format are between: what their readers are told, and what was found; whether one may be cut off. */
struct quant_joined { struct lt_quant_range told, found; bool below, above; };
struct derivation {
	const struct lt_quant *q;
	const struct lt_quant_format *format;
	struct lt_quant_derived *d;
	struct quant_joined *joined;          /* by cell: of the first of those that are alike */
	bool *alike;                    /* by cell: there are others */
	struct lt_arena *arena;
};

static struct quant_number value_of(const struct derivation *v, lt_node x) { return v->d->at[x].value; }

/* The exponent of a constant beside a value of exponent e: that, or, where the value is rounded anyway and the constant
 * would lose, up to 8 bits finer. */
static int32_t follow_exponent(const struct derivation *v, lt_node constant, lt_node other, int32_t e)
{
	enum { FINER = 8, BITS = 15 };
	const struct lt_quant_node *n = &v->q->node[lt__quant_source(v->q->graph, constant)];
	const double largest = fmax(fabs(n->low), fabs(n->high));
	bool exact = true;
	if (v->q->node[lt__quant_source(v->q->graph, other)].cell < 0 || !(largest > 0 && largest < INFINITY))
		return e;
	for (int64_t i = 0; i < n->elems && exact; i++) {
		const double scaled = ldexp(n->content[i], -e);
		exact = scaled == floor(scaled);
	}
	const int32_t fine = ilogb(largest) + 1 - BITS;
	return exact || fine >= e ? e : fine < e - FINER ? e - FINER : fine;
}

/* Without minus infinity: 0 where there is nothing else. */
static struct quant_number constant_number(const struct derivation *v, lt_node constant, int32_t e)
{
	const struct lt_quant_node *n = &v->q->node[lt__quant_source(v->q->graph, constant)];
	if (n->low > n->high)
		return (struct quant_number){ e, 0, 0 };
	return (struct quant_number){ e, lt__quant_follow(n->low, e, 0), lt__quant_follow(n->high, e, 0) };
}

static bool fills_lowest(const struct lt_nodedef *d)
{
	return d->op == LT_OP_view && d->has_fill && lt__as_double(lt__scalar_of(d->bits, d->dtype), d->dtype) < 0;
}

static int64_t size_of(struct quant_number n) { return most_of(n.most, -n.least); }

/* Whether views beside a constant show minus infinity: that one is the same in all candidates. */
static bool constant_fills(const struct lt_graph *g, lt_node x)
{
	for (const lt_node end = lt__quant_source(g, x); x != end; x = g->node[x].operand[0])
		if (fills_lowest(&g->node[x]))
			return true;
	return false;
}

/* Minus infinity of operands is below all else of them: that of constants goes there; where another one is not, numbers
 * are too large. */
static void place_lowest(const struct derivation *v, lt_node x, int32_t first, struct quant_number *part)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	const struct lt_graph *g = v->q->graph;
	struct lt_quant_at *at = &v->d->at[x];
	int64_t size = 0, masked = INT64_MAX;
	bool far = false;
	for (int32_t i = first; i < d->n_operand; i++) {
		const bool constant = v->q->node[d->operand[i]].kind == QUANT_CONST;
		const bool fills = (constant && constant_fills(g, d->operand[i])) || fills_lowest(d);
		const int64_t here = size_of(part[i]);
		if (!constant && v->d->at[d->operand[i]].masked)
			masked = least_of(masked, here);
		else
			size = most_of(size, here);
		if (fills)
			masked = least_of(masked, -QUANT_LOWEST);
		far = far || (fills && here > -2 * QUANT_LOWEST);
	}
	size = least_of(size, QUANT_MOST);
	for (at->lowest = QUANT_LOWEST; size > -at->lowest / QUANT_APART;)
		at->lowest *= 2;
	if ((far || size > masked / (QUANT_APART / 2)) && v->d->wide < 0)
		v->d->wide = x;
	at->masked = masked < INT64_MAX;
	for (int32_t i = first; i < d->n_operand; i++) {
		const lt_node y = d->operand[i];
		const struct lt_quant_node *n = &v->q->node[lt__quant_source(g, y)];
		if (v->q->node[y].kind != QUANT_CONST || !(n->lowest || constant_fills(g, y)))
			continue;
		at->masked = true;
		part[i].least = n->lowest ? at->lowest : least_of(part[i].least, QUANT_LOWEST);
		part[i].most = n->low > n->high ? at->lowest : part[i].most;
	}
}

/* Where all that are chosen among are constants: the exponent at which the largest has that many bits. */
static int32_t constants_exponent(const struct derivation *v, lt_node x, int32_t first)
{
	enum { BITS = 15 };
	const struct lt_nodedef *d = &v->q->graph->node[x];
	double largest = 0;
	for (int32_t i = first; i < d->n_operand; i++) {
		const struct lt_quant_node *n = &v->q->node[lt__quant_source(v->q->graph, d->operand[i])];
		largest = n->low <= n->high ? fmax(largest, fmax(fabs(n->low), fabs(n->high))) : largest;
	}
	return largest > 0 ? ilogb(largest) + 1 - BITS : 0;
}

/* Operands from `first` on at one exponent, the finest.  all: what they are between. */
static struct quant_number align(const struct derivation *v, lt_node x, int32_t first, struct quant_number *part)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	const int32_t at = v->q->operand_at[x];
	lt_node other = -1;
	int32_t e = INT32_MAX;
	for (int32_t i = first; i < d->n_operand; i++)
		if (v->q->node[d->operand[i]].kind != QUANT_CONST && value_of(v, d->operand[i]).exponent < e) {
			other = d->operand[i];
			e = value_of(v, other).exponent;
		}
	const int32_t values = other < 0 ? constants_exponent(v, x, first) : e;
	e = values;
	for (int32_t i = first; i < d->n_operand && other >= 0; i++)
		if (v->q->node[d->operand[i]].kind == QUANT_CONST) {
			const int32_t follow = follow_exponent(v, d->operand[i], other, values);
			e = follow < e ? follow : e;
		}
	struct quant_number all = { e, FAR, -FAR };
	struct quant_number *to = part ? part : LT_NEW(v->arena, struct quant_number, d->n_operand + 1);
	for (int32_t i = first; i < d->n_operand; i++) {
		struct quant_number n;
		if (v->q->node[d->operand[i]].kind == QUANT_CONST) {
			v->d->follow[at + i] = e;
			n = constant_number(v, d->operand[i], e);
		} else {
			n = value_of(v, d->operand[i]);
			v->d->up[at + i] = n.exponent - e;
			n.least = moved_up(n.least, n.exponent - e);
			n.most = moved_up(n.most, n.exponent - e);
		}
		to[i] = n;
	}
	place_lowest(v, x, first, to);
	for (int32_t i = first; i < d->n_operand; i++) {
		all.least = least_of(all.least, to[i].least);
		all.most = most_of(all.most, to[i].most);
	}
	return all;
}

static struct quant_number product_of(struct quant_number a, struct quant_number b)
{
	const int64_t p[] = { times(a.least, b.least), times(a.least, b.most), times(a.most, b.least), times(a.most, b.most) };
	struct quant_number r = { a.exponent + b.exponent, p[0], p[0] };
	for (int i = 1; i < 4; i++) {
		r.least = least_of(r.least, p[i]);
		r.most = most_of(r.most, p[i]);
	}
	return r;
}

/* One number as an integer of up to 15 bits, the smallest that is that number. */
static struct quant_number number_of(double v)
{
	enum { BITS = 15 };
	if (v == 0)
		return (struct quant_number){ 0, 0, 0 };
	struct quant_number r = { .exponent = ilogb(v) + 1 - BITS };
	r.least = (int64_t)floor(ldexp(v, -r.exponent) + 0.5);
	for (; r.least % 2 == 0; r.exponent++)
		r.least /= 2;
	r.most = r.least;
	return r;
}

/* A constant that is multiplied, in its cell. */
static struct quant_number weight_number(const struct derivation *v, int32_t cell)
{
	const struct lt_quant_cell *c = &v->q->cell[cell];
	const struct lt_quant_range r = lt__quant_range(c, v->format[cell]);
	const int32_t e = v->format[cell].exponent;
	return (struct quant_number){ e, lt__quant_round(c->low, e, r), lt__quant_round(c->high, e, r) };
}

static struct quant_number factor_number(const struct derivation *v, lt_node x, int32_t i)
{
	const lt_node y = v->q->graph->node[x].operand[i];
	double number;
	if (!lt__quant_is_number(v->q, x, i, &number))
		return weight_number(v, v->q->node[lt__quant_source(v->q->graph, y)].weight);
	const struct quant_number n = number_of(v->q->graph->node[x].op == LT_OP_div ? 1 / number : number);
	v->d->at[x].factor = n.least;
	return n;
}

static lt_status derive_quotient(const struct derivation *v, lt_node x, struct quant_number *out)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	const int32_t cell = v->q->node[x].cell, at = v->q->operand_at[x], e = v->format[cell].exponent;
	const struct quant_number a = value_of(v, d->operand[0]), b = value_of(v, d->operand[1]);
	const int32_t up = a.exponent - b.exponent - e;
	if (b.least < 0)
		return lt__node_fail(v->q->graph, x, LT_EUNSUPPORTED, "the divisor '%.100s' may be below 0: integers divide by "
			"values that are known to be positive, as sums of powers of e are", v->q->graph->node[d->operand[1]].name);
	v->d->up[at] = up > 0 ? up : 0;
	v->d->up[at + 1] = up < 0 ? -up : 0;
	/* What is divided: twice the dividend and the divisor. */
	*out = (struct quant_number){ e, moved_up(a.least, v->d->up[at] + 1),
		plus(moved_up(a.most, v->d->up[at] + 1), moved_up(b.most, v->d->up[at + 1] + 1)) };
	return LT_OK;
}

static lt_status derive_product(const struct derivation *v, lt_node x, struct quant_number *out)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	struct quant_number n[2];
	if (d->op == LT_OP_div && !lt__quant_is_factor(v->q, x, 1))
		return derive_quotient(v, x, out);
	for (int32_t i = 0; i < 2; i++)
		n[i] = lt__quant_is_factor(v->q, x, i) ? factor_number(v, x, i) : value_of(v, d->operand[i]);
	*out = product_of(n[0], n[1]);
	return LT_OK;
}

/* A sum of products with a constant is bounded by its numbers; parts of it are within the same bounds.  Where channels
 * have steps of their own, that is once the sum has been moved up to the finest of these. */
static struct quant_number derive_sum(const struct derivation *v, lt_node x)
{
	const struct lt_graph *g = v->q->graph;
	const lt_node y = g->node[x].operand[0];
	const struct lt_quant_node *n = &v->q->node[x];
	const struct quant_number part = value_of(v, y);
	const int64_t terms = lt__node_elems(g, y) / lt__node_elems(g, x);
	const uint8_t *coarser = n->by_channel < 0 ? NULL : v->format[n->by_channel].coarser;
	const int32_t up = coarser ? lt__quant_most_coarser(&v->q->cell[n->by_channel], v->format[n->by_channel]) : 0;
	struct quant_number all = { part.exponent, moved_up(times(least_of(part.least, 0), terms), up),
		moved_up(times(most_of(part.most, 0), terms), up) };
	for (int32_t i = 0; n->terms > 0 && i < 2; i++) {
		if (!lt__quant_is_factor(v->q, y, i))
			continue;
		const struct quant_number of = value_of(v, g->node[y].operand[1 - i]), w = factor_number(v, y, i);
		const double low = (double)least_of(of.least, 0), high = (double)most_of(of.most, 0);
		double least = 0, most = 0;
		for (int64_t c = 0; c < n->channels; c++) {
			const int32_t e = coarser ? coarser[c / n->unit % v->q->cell[n->by_channel].channels] : 0;
			const double half = ldexp(0.5 * n->terms, e);
			const double positive = ceil(ldexp(n->weigh[2 * c], -w.exponent) + half);
			const double negative = ceil(ldexp(n->weigh[2 * c + 1], -w.exponent) + half);
			least = fmin(least, low * positive - high * negative);
			most = fmax(most, high * positive - low * negative);
		}
		all.least = most_of(all.least, lt__quant_near(floor(least)));
		all.most = least_of(all.most, lt__quant_near(ceil(most)));
	}
	return all;
}

static struct quant_number derive_view(const struct derivation *v, lt_node x)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	struct quant_number all = align(v, x, 0, NULL);
	const bool lowest = fills_lowest(d);
	if (d->has_fill) {
		all.least = least_of(all.least, lowest ? QUANT_LOWEST : 0);
		all.most = most_of(all.most, lowest ? QUANT_LOWEST : 0);
	}
	return all;
}

static struct quant_number derive_cast(const struct derivation *v, lt_node x)
{
	const lt_node y = v->q->graph->node[x].operand[0];
	const struct lt_dtypeinfo *t = lt__dtype_info(v->q->graph->node[y].dtype);
	if (t->cls == LT_CLASS_FLOAT)
		return value_of(v, y);
	const int64_t most = t->cls == LT_CLASS_BOOL ? 1 : (int64_t)t->largest;
	return (struct quant_number){ 0, t->cls == LT_CLASS_INT && t->is_signed ? -most - 1 : 0, most };
}

static struct quant_number derive_pair(const struct derivation *v, lt_node x)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	struct quant_number part[3] = { { 0 } }, all = align(v, x, d->op == LT_OP_select, part);
	const struct quant_number a = part[0], b = part[1];
	switch (d->op) {
	case LT_OP_add: return (struct quant_number){ all.exponent, plus(a.least, b.least), plus(a.most, b.most) };
	case LT_OP_sub: return (struct quant_number){ all.exponent, plus(a.least, -b.most), plus(a.most, -b.least) };
	case LT_OP_min:
		return (struct quant_number){ all.exponent, least_of(a.least, b.least), least_of(a.most, b.most) };
	case LT_OP_max:
		return (struct quant_number){ all.exponent, most_of(a.least, b.least), most_of(a.most, b.most) };
	case LT_OP_neg: return (struct quant_number){ all.exponent, -a.most, -a.least };
	case LT_OP_abs:
		return (struct quant_number){ all.exponent, a.least > 0 ? a.least : a.most < 0 ? -a.most : 0,
			most_of(a.most, -a.least) };
	default: return all;            /* a choice, a comparison, whose bools are none of these numbers */
	}
}

static lt_status derive_exact(const struct derivation *v, lt_node x, struct quant_number *out)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	if (d->reduce && d->op == LT_OP_add)
		*out = derive_sum(v, x);
	else if (d->op == LT_OP_view)
		*out = derive_view(v, x);
	else if (d->op == LT_OP_cast)
		*out = derive_cast(v, x);
	else if (d->op == LT_OP_gather && lt__quant_is_factor(v->q, x, 0))
		*out = factor_number(v, x, 0);
	else if (d->reduce || d->op == LT_OP_gather)
		*out = value_of(v, d->operand[0]);
	else if (d->op == LT_OP_mul || d->op == LT_OP_div)
		return derive_product(v, x, out);
	else
		*out = derive_pair(v, x);
	return LT_OK;
}

/* What a pool reads, before the views of its windows and borders. */
static lt_node border_source(const struct lt_graph *g, lt_node x)
{
	lt_node y = g->node[x].operand[0];
	while (g->node[y].op == LT_OP_view && g->node[y].n_operand == 1)
		y = g->node[y].operand[0];
	return y;
}

/* A pool's border of minus infinity is smaller than what stands in it; one of zeros may be the largest. */
static struct quant_number without_border(const struct derivation *v, lt_node x, struct quant_number n)
{
	const struct lt_graph *g = v->q->graph;
	if (!g->node[x].reduce || g->node[x].op != LT_OP_max)
		return n;
	const lt_node from = border_source(g, x);
	struct quant_number of = value_of(v, from);
	if (v->q->node[from].kind != QUANT_EXACT || of.exponent != n.exponent)
		return n;
	for (lt_node y = g->node[x].operand[0]; y != from; y = g->node[y].operand[0])
		if (g->node[y].has_fill && !fills_lowest(&g->node[y])) {
			of.least = least_of(of.least, 0);
			of.most = most_of(of.most, 0);
		}
	return of;
}

/* Down to so many bits. */
static int32_t shift_to(struct quant_number n, int32_t bits)
{
	const int64_t most = (INT64_C(1) << (bits - 1)) - 1;
	int32_t shift = 0;
	while ((n.most >> shift) + (shift > 0) > most || (n.least >> shift) < -most)
		shift++;
	return shift;
}

static struct quant_number rounded(struct quant_number n, int32_t shift)
{
	const int64_t half = shift ? INT64_C(1) << (shift - 1) : 0;
	return (struct quant_number){ n.exponent + shift, (n.least + half) >> shift, (n.most + half) >> shift };
}

/* Whether a cell has the bounds of those that are alike: not, if what it computes has a coarser step of its own. */
static bool is_joined(const struct derivation *v, int32_t c, const struct lt_quant_at *at)
{
	return v->alike[c] && v->q->cell[c].kind != LT_QUANT_WIDE && at->value.exponent == v->format[c].exponent;
}

static void join_value(const struct derivation *v, int32_t c, struct lt_quant_at *at)
{
	struct quant_joined *j = &v->joined[v->q->cell[c].like];
	if (!is_joined(v, c, at))
		return;
	j->found.least = least_of(j->found.least, at->value.least);
	j->found.most = most_of(j->found.most, at->value.most);
	j->below |= at->below;
	j->above |= at->above;
	at->value.least = j->told.least;
	at->value.most = j->told.most;
}

/* What the cell of node x keeps of what it computes. */
static void derive_cell(const struct derivation *v, lt_node x)
{
	const int32_t c = v->q->node[x].cell;
	const struct lt_quant_cell *cell = &v->q->cell[c];
	struct lt_quant_at *at = &v->d->at[x];
	struct lt_quant_range r = lt__quant_range(cell, v->format[c]);
	if (cell->kind == LT_QUANT_WIDE) {
		at->shift = shift_to(at->exact, cell->bits);
		at->value = rounded(at->exact, at->shift);
		r = (struct lt_quant_range){ at->value.least, at->value.most };
	} else if (cell->kind == LT_QUANT_VALUE) {
		const int32_t down = v->format[c].exponent - at->exact.exponent;
		at->shift = down > 0 ? down < 62 ? down : 62 : 0;
		at->value = rounded(at->exact, at->shift);
	} else if (cell->kind == LT_QUANT_QUOTIENT) {
		at->value = at->exact;
		at->value.exponent = v->format[c].exponent;
	} else {
		at->value = (struct quant_number){ v->format[c].exponent, r.least, r.most };
	}
	at->below = at->value.least < r.least;
	at->above = at->value.most > r.most;
	at->value.least = most_of(least_of(at->value.least, r.most), r.least);
	at->value.most = least_of(most_of(at->value.most, r.least), r.most);
	join_value(v, c, at);
	v->d->exponent[c] = at->value.exponent;
	v->d->least[c] = r.least;
	v->d->most[c] = r.most;
	const bool whole = r.least >= -INT32_MAX && r.most <= INT32_MAX;
	v->d->type[c] = cell->kind == LT_QUANT_WIDE ? whole ? LT_I32 : LT_I64
		: lt__quant_smallest_type(at->value.least, at->value.most);
}

/* Whether minus infinity may be among the numbers of a node: what its operands have, but for a table's, a cell's of
 * less bits, a pool's, and the larger of a value and one that has none. */
static bool is_masked(const struct derivation *v, lt_node x)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	const struct lt_quant_node *n = &v->q->node[x];
	bool some = v->d->at[x].masked, all = true;
	if (n->table || (n->cell >= 0 && v->q->cell[n->cell].kind != LT_QUANT_WIDE) || d->op == LT_OP_abs
		|| d->op == LT_OP_neg || (d->reduce && d->op == LT_OP_max && d->operand[0] != border_source(v->q->graph, x)))
		return false;
	for (int32_t i = 0; i < d->n_operand; i++) {
		const bool masked = v->q->node[d->operand[i]].kind == QUANT_EXACT && v->d->at[d->operand[i]].masked;
		some = some || masked;
		all = all && masked;
	}
	return d->op == LT_OP_max ? all : some;
}

static bool too_wide(struct quant_number n) { return n.least <= -QUANT_MOST || n.most >= QUANT_MOST; }

static lt_status derive_node(const struct derivation *v, lt_node x)
{
	const struct lt_quant_node *n = &v->q->node[x];
	struct lt_quant_at *at = &v->d->at[x];
	if (n->table || v->q->graph->node[x].op == LT_OP_input)
		at->exact = (struct quant_number){ v->format[n->cell].exponent, 0, 0 };
	else
		LT_TRY(derive_exact(v, x, &at->exact));
	if (n->table && value_of(v, n->of).most - value_of(v, n->of).least >= INT64_C(1) << LT_QUANT_TABLE_BITS)
		return lt__node_fail(v->q->graph, x, LT_EUNSUPPORTED, "'%.100s' asks for more than 2^%d numbers of a table: it has "
			"to be of values that are rounded, which no minus infinity stands beside", v->q->graph->node[n->of].name,
			LT_QUANT_TABLE_BITS);
	at->exact = without_border(v, x, at->exact);
	if (too_wide(at->exact) && v->d->wide < 0)
		v->d->wide = x;
	at->value = at->exact;
	at->masked = is_masked(v, x);
	if (n->cell >= 0)
		derive_cell(v, x);
	return LT_OK;
}

/* -- memory -- */

static int64_t type_bytes(enum lt_dtype t) { return lt__dtype_info(t)->bytes; }

/* Constants that are equal are stored once, and so are tables. */
static lt_status count_flash(const struct derivation *v)
{
	const struct lt_graph *g = v->q->graph;
	struct quant_follow *follow = LT_NEW(v->arena, struct quant_follow, v->q->operand_at[g->n_node] + 1);
	lt_node *table = LT_NEW(v->arena, lt_node, g->n_node + 1);
	int32_t n_follow = 0, n_table = 0, k;
	double number;
	/* shifts, or steps as floats */
	const int64_t by_channel = type_bytes(v->q->mode == LT_QUANT_STATIC ? LT_U8 : LT_F32);
	for (int32_t c = 0; c < v->q->n_cell; c++)
		if (v->q->cell[c].kind == LT_QUANT_WEIGHT)
			v->d->flash += lt__quant_bytes(&v->q->cell[c], v->format[c], v->d->type[c])
				+ (lt__quant_most_coarser(&v->q->cell[c], v->format[c]) ? v->q->cell[c].channels * by_channel : 0);
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_quant_node *n = &v->q->node[x];
		if (n->kind != QUANT_EXACT || !n->needed)
			continue;
		if (n->table) {
			int64_t elems, *content;
			for (k = 0; k < n_table && !lt__quant_same_table(v->q, v->d, table[k], x); k++)
				;
			if (k < n_table)
				continue;
			table[n_table++] = x;
			LT_TRY(lt__quant_table(v->q, v->d, x, v->arena, &elems, &content));
			v->d->flash += lt__quant_is_uniform(elems, content) ? 0 : elems * type_bytes(v->d->type[n->cell]);
			continue;
		}
		for (int32_t i = 0; i < g->node[x].n_operand; i++) {
			if (v->q->node[g->node[x].operand[i]].kind != QUANT_CONST || lt__quant_is_factor(v->q, x, i)
				|| lt__quant_is_number(v->q, x, i, &number))
				continue;
			follow[n_follow] = lt__quant_follow_of(v->q, v->d, x, i);
			for (k = 0; !lt__quant_same_follow(&follow[k], &follow[n_follow]); k++)
				;
			if (k == n_follow)
				v->d->flash += v->q->node[follow[n_follow++].from].elems * type_bytes(follow[k].type);
		}
	}
	return LT_OK;
}

/* Cells are alive from the node that makes them to the last that reads them, directly or through what is not kept. */
static void count_ram(const struct derivation *v, struct lt_arena *arena)
{
	const struct lt_graph *g = v->q->graph;
	lt_node *end = LT_NEW(arena, lt_node, g->n_node + 1);
	int64_t *change = LT_NEW(arena, int64_t, g->n_node + 2), now = 0;
	for (int32_t i = 0; i < g->n_result; i++)
		end[g->result[i].node] = g->n_node;
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const struct lt_quant_node *n = &v->q->node[x];
		const bool kept = n->cell >= 0 && v->q->cell[n->cell].bits != LT_QUANT_FACTOR_BITS;
		const lt_node until = kept || end[x] < x ? x : end[x];
		for (int32_t i = 0; n->needed && !n->table && i < g->node[x].n_operand; i++)
			end[g->node[x].operand[i]] = until > end[g->node[x].operand[i]] ? until : end[g->node[x].operand[i]];
		if (n->needed && n->table)
			end[n->of] = until > end[n->of] ? until : end[n->of];
		if (!kept)
			continue;
		const int64_t bytes = v->q->cell[n->cell].elems * type_bytes(v->d->type[n->cell]);
		change[x] += bytes;
		change[(end[x] < x ? x : end[x]) + 1] -= bytes;
	}
	for (lt_node x = 0; x <= g->n_node; x++) {
		now += change[x];
		v->d->ram = most_of(v->d->ram, now);
	}
}

/* All nodes, with what cells that are alike are told to be between. */
static lt_status derive_nodes(const struct derivation *v)
{
	const struct lt_quant *q = v->q;
	const struct lt_graph *g = q->graph;
	memset(v->d->at, 0, sizeof *v->d->at * (size_t)g->n_node);
	memset(v->d->up, 0, sizeof *v->d->up * (size_t)q->operand_at[g->n_node]);
	memset(v->d->follow, 0, sizeof *v->d->follow * (size_t)q->operand_at[g->n_node]);
	v->d->wide = LT_NONE;
	for (int32_t c = 0; c < q->n_cell; c++) {
		v->joined[c].found = (struct lt_quant_range){ FAR, -FAR };
		v->joined[c].below = v->joined[c].above = false;
	}
	for (lt_node x = 0; x < g->n_node; x++)
		if (q->node[x].needed && q->node[x].kind == QUANT_EXACT)
			LT_TRY(derive_node(v, x));
	return LT_OK;
}

/* Rounds of a recurrent layer have the same bounds and clamps, so that they are the same program: first each is told
 * that the others are anything of the format, then what was found so.  That is still true of all, unless a step that is
 * finer now has moved a bound by its rounding. */
static lt_status derive_rounds(const struct derivation *v)
{
	const struct lt_quant *q = v->q;
	bool any = false, holds = true;
	for (int32_t c = 0; c < q->n_cell; c++) {
		any = any || v->alike[c];
		v->joined[c].told = lt__quant_range(&q->cell[c], v->format[c]);
	}
	LT_TRY(derive_nodes(v));
	if (!any)
		return LT_OK;
	for (int32_t c = 0; c < q->n_cell; c++)
		if (v->joined[c].found.least <= v->joined[c].found.most)
			v->joined[c].told = v->joined[c].found;
	LT_TRY(derive_nodes(v));
	for (int32_t c = 0; c < q->n_cell; c++)
		holds = holds && v->joined[c].found.least >= v->joined[c].told.least && v->joined[c].found.most
			<= v->joined[c].told.most;
	for (int32_t c = 0; c < q->n_cell && !holds; c++)
		v->joined[c].told = lt__quant_range(&q->cell[c], v->format[c]);
	if (!holds)
		LT_TRY(derive_nodes(v));
	for (int32_t c = 0; c < q->n_cell; c++) {
		struct lt_quant_at *at = &v->d->at[q->cell[c].node];
		if (q->cell[c].kind != LT_QUANT_WEIGHT && is_joined(v, c, at)) {
			at->below = v->joined[q->cell[c].like].below;
			at->above = v->joined[q->cell[c].like].above;
		}
	}
	return LT_OK;
}

lt_status lt__quant_derive(const struct lt_quant *q, const struct lt_quant_format *format, struct lt_arena *arena,
	struct lt_quant_derived *out)
{
	const struct lt_graph *g = q->graph;
	const struct derivation v = { q, format, out, LT_NEW(arena, struct quant_joined, q->n_cell + 1),
		LT_NEW(arena, bool, q->n_cell + 1), arena };
	for (int32_t c = 0; c < q->n_cell; c++)
		if (q->cell[c].like != c)
			v.alike[c] = v.alike[q->cell[c].like] = true;
	*out = (struct lt_quant_derived){ .at = LT_NEW(arena, struct lt_quant_at, g->n_node + 1),
		.up = LT_NEW(arena, int32_t, q->operand_at[g->n_node] + 1),
		.follow = LT_NEW(arena, int32_t, q->operand_at[g->n_node] + 1), .exponent = LT_NEW(arena, int32_t, q->n_cell + 1),
		.type = LT_NEW(arena, enum lt_dtype, q->n_cell + 1), .least = LT_NEW(arena, int64_t, q->n_cell + 1),
		.most = LT_NEW(arena, int64_t, q->n_cell + 1), .wide = LT_NONE };
	for (int32_t c = 0; c < q->n_cell; c++)
		if (q->cell[c].kind == LT_QUANT_WEIGHT) {
			const struct quant_number n = weight_number(&v, c);
			const struct lt_quant_range r = lt__quant_range(&q->cell[c], format[c]);
			out->exponent[c] = n.exponent;
			out->type[c] = lt__quant_is_packed(&q->cell[c], format[c]) ? LT_U8 : lt__quant_smallest_type(n.least, n.most);
			out->least[c] = r.least;
			out->most[c] = r.most;
		}
	LT_TRY(derive_rounds(&v));
	LT_TRY(count_flash(&v));
	count_ram(&v, arena);
	return LT_OK;
}

bool lt__quant_sum(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node x, int64_t *least, int64_t *most)
{
	const struct lt_nodedef *n = &q->graph->node[x];
	*least = d->at[x].exact.least;
	*most = d->at[x].exact.most;
	return q->node[x].needed && q->node[x].kind == QUANT_EXACT && !q->node[x].table && n->reduce && n->op == LT_OP_add;
}

bool lt__quant_result_exponent(const struct lt_quant *q, const struct lt_quant_derived *d, int32_t i, int32_t *exponent)
{
	const lt_node x = q->graph->result[i].node;
	*exponent = d->at[x].value.exponent;
	return q->node[x].kind == QUANT_EXACT && lt__dtype_info(q->graph->node[x].dtype)->cls == LT_CLASS_FLOAT;
}

struct quant_follow lt__quant_follow_of(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node x,
	int32_t i)
{
	const lt_node from = lt__quant_source(q->graph, q->graph->node[x].operand[i]);
	const struct lt_quant_node *n = &q->node[from];
	struct quant_follow r = { from, d->follow[q->operand_at[x] + i], n->lowest ? d->at[x].lowest : 0, LT_I8 };
	int64_t least = n->low > n->high ? 0 : lt__quant_follow(n->low, r.exponent, 0), most = n->low > n->high ? 0
		: lt__quant_follow(n->high, r.exponent, 0);
	r.type = lt__quant_smallest_type(least_of(least, r.lowest), most_of(most, r.lowest));
	return r;
}

bool lt__quant_same_follow(const struct quant_follow *a, const struct quant_follow *b)
{
	return a->from == b->from && a->exponent == b->exponent && a->lowest == b->lowest;
}
