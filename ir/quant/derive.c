/* derive.c -- a candidate: steps, bounds and types of all nodes follow from the formats of its cells. */
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

/* The step of a constant beside a value of step s: that, as TensorFlow Lite's biases have it; of powers of two, where
 * the value is rounded anyway and the constant would lose, up to 8 bits finer. */
static double follow_scale(const struct derivation *v, lt_node constant, lt_node other, double s)
{
	enum { FINER = 8, BITS = 15 };
	const struct lt_quant_node *n = &v->q->node[lt__quant_source(v->q->graph, constant)];
	const double largest = fmax(fabs(n->low), fabs(n->high));
	bool exact = true;
	if (v->q->any || v->q->node[lt__quant_source(v->q->graph, other)].cell < 0 || !(largest > 0 && largest < INFINITY))
		return s;
	for (int64_t i = 0; i < n->elems && exact; i++) {
		const double scaled = n->content[i] / s;
		exact = scaled == floor(scaled);
	}
	const double finer = ceil(log2(s) - (ilogb(largest) + 1 - BITS));
	return exact || finer <= 0 ? s : ldexp(s, finer > FINER ? -FINER : -(int)finer);
}

/* Without minus infinity: 0 where there is nothing else. */
static struct quant_number constant_number(const struct derivation *v, lt_node constant, double s)
{
	const struct lt_quant_node *n = &v->q->node[lt__quant_source(v->q->graph, constant)];
	if (n->low > n->high)
		return (struct quant_number){ s, 0, 0 };
	return (struct quant_number){ s, lt__quant_follow(n->low, s, 0), lt__quant_follow(n->high, s, 0) };
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

/* Where all that are chosen among are constants: the step at which the largest has that many bits. */
static double constants_scale(const struct derivation *v, lt_node x, int32_t first)
{
	enum { BITS = 15 };
	const struct lt_nodedef *d = &v->q->graph->node[x];
	double largest = 0;
	for (int32_t i = first; i < d->n_operand; i++) {
		const struct lt_quant_node *n = &v->q->node[lt__quant_source(v->q->graph, d->operand[i])];
		largest = n->low <= n->high ? fmax(largest, fmax(fabs(n->low), fabs(n->high))) : largest;
	}
	return ldexp(1, largest > 0 ? ilogb(largest) + 1 - BITS : 0);
}

/* -- other steps -- */

static bool is_whole(int64_t v) { return v >= -INT32_MAX && v <= INT32_MAX; }

static struct quant_number rounded(struct quant_number n, int32_t shift)
{
	const int64_t half = shift ? INT64_C(1) << (shift - 1) : 0;
	return (struct quant_number){ ldexp(n.scale, shift), (n.least + half) >> shift, (n.most + half) >> shift };
}

/* Numbers times a ratio: of more than 32 bits they are moved down before. */
static struct lt_quant_move move_by(struct quant_number n, double ratio)
{
	enum { MOST = 30 };
	struct lt_quant_move m = { 0 };
	int power;
	while (!is_whole(rounded(n, m.down).least) || !is_whole(rounded(n, m.down).most))
		m.down++;
	const double f = frexp(ldexp(ratio, m.down), &power), finest = fmin(f * 0x1p31, ldexp(f, 31 + power + MOST));
	const double by = fmax(floor(finest + 0.5), 1);
	m.by = by < INT32_MAX ? (int32_t)by : INT32_MAX;
	m.shift = -power > MOST ? MOST : -power;
	return m;
}

int64_t lt__quant_moved(struct lt_quant_move m, int64_t x)
{
	x = m.down ? (x + (INT64_C(1) << (m.down - 1))) >> m.down : x;
	if (!m.by)
		return x;
	int64_t y;                      /* of two of 32 bits; of a move up that would have more the candidate is refused */
	if (__builtin_mul_overflow(x, (int64_t)m.by << (m.shift < 0 ? -m.shift : 0), &y) || y > INT64_MAX / 2)
		y = x < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
	y = (y + (INT64_C(1) << 30)) >> 31;
	return m.shift > 0 ? (y + (INT64_C(1) << (m.shift - 1)) + (y >> 63)) >> m.shift : y;
}

static struct quant_number moved(struct quant_number n, struct lt_quant_move m, double scale)
{
	return (struct quant_number){ scale, lt__quant_moved(m, n.least), lt__quant_moved(m, n.most) };
}

/* What is moved up before it is multiplied has to fit into 32 bits. */
static void check_move(const struct derivation *v, lt_node x, struct quant_number n, struct lt_quant_move m)
{
	if (m.shift < 0 && !is_whole(moved_up(size_of(rounded(n, m.down)), -m.shift)) && v->d->wide < 0)
		v->d->wide = x;
}

/* A step for values of several: so fine that the rounding to it does not show, and that all fit into 30 bits. */
static double common_scale(const struct derivation *v, lt_node x, int32_t first, double finest)
{
	enum { FINER = 16, BITS = 29 };
	const struct lt_nodedef *d = &v->q->graph->node[x];
	double size = 1;
	for (int32_t i = first; i < d->n_operand; i++) {
		const struct quant_number n = v->q->node[d->operand[i]].kind == QUANT_CONST
			? constant_number(v, d->operand[i], finest) : value_of(v, d->operand[i]);
		size = fmax(size, (double)size_of(n) * (n.scale / finest));
	}
	const int room = BITS - (int)ceil(log2(size));
	return ldexp(finest, room > FINER ? -FINER : -room);
}

/* Operand i, a value, at the step of the node. */
static struct quant_number operand_at(const struct derivation *v, lt_node x, int32_t i, double scale)
{
	struct quant_number n = value_of(v, v->q->graph->node[x].operand[i]);
	const int32_t at = v->q->operand_at[x] + i;
	const double ratio = n.scale / scale;
	int power;
	if (!v->q->any || (frexp(ratio, &power) == 0.5 && ratio >= 1)) {
		v->d->up[at] = ilogb(ratio);
		return (struct quant_number){ scale, moved_up(n.least, v->d->up[at]), moved_up(n.most, v->d->up[at]) };
	}
	v->d->move[at] = move_by(n, ratio);
	check_move(v, x, n, v->d->move[at]);
	return moved(n, v->d->move[at], scale);
}

/* Operands from `first` on at one step, the finest, or a finer one.  all: what they are between. */
static struct quant_number align(const struct derivation *v, lt_node x, int32_t first, struct quant_number *part)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	const int32_t at = v->q->operand_at[x];
	lt_node other = -1;
	double finest = INFINITY, coarsest = 0;
	for (int32_t i = first; i < d->n_operand; i++) {
		if (v->q->node[d->operand[i]].kind == QUANT_CONST)
			continue;
		const double scale = value_of(v, d->operand[i]).scale;
		other = scale < finest ? d->operand[i] : other;
		finest = fmin(finest, scale);
		coarsest = fmax(coarsest, scale);
	}
	const double values = other < 0 ? constants_scale(v, x, first) : finest;
	double s = values;
	for (int32_t i = first; i < d->n_operand && other >= 0; i++)
		if (v->q->node[d->operand[i]].kind == QUANT_CONST)
			s = fmin(s, follow_scale(v, d->operand[i], other, values));
	if (v->q->any && other >= 0 && coarsest > finest)
		s = common_scale(v, x, first, s);
	struct quant_number all = { s, FAR, -FAR };
	struct quant_number *to = part ? part : LT_NEW(v->arena, struct quant_number, d->n_operand + 1);
	for (int32_t i = first; i < d->n_operand; i++) {
		const bool constant = v->q->node[d->operand[i]].kind == QUANT_CONST;
		v->d->follow[at + i] = constant ? s : 0;
		to[i] = constant ? constant_number(v, d->operand[i], s) : operand_at(v, x, i, s);
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
	struct quant_number r = { a.scale * b.scale, p[0], p[0] };
	for (int i = 1; i < 4; i++) {
		r.least = least_of(r.least, p[i]);
		r.most = most_of(r.most, p[i]);
	}
	return r;
}

/* One number: where steps are any numbers, one or minus one of its size; else as an integer of up to 15 bits, the
 * smallest that is that number. */
static struct quant_number number_of(const struct lt_quant *q, double v)
{
	enum { BITS = 15 };
	if (v == 0)
		return (struct quant_number){ 1, 0, 0 };
	if (q->any)
		return (struct quant_number){ fabs(v), v < 0 ? -1 : 1, v < 0 ? -1 : 1 };
	struct quant_number r = { .scale = ldexp(1, ilogb(v) + 1 - BITS) };
	r.least = (int64_t)floor(v / r.scale + 0.5);
	for (; r.least % 2 == 0; r.scale *= 2)
		r.least /= 2;
	r.most = r.least;
	return r;
}

/* A constant that is multiplied, in its cell. */
static struct quant_number weight_number(const struct derivation *v, int32_t cell)
{
	const struct lt_quant_cell *c = &v->q->cell[cell];
	const struct lt_quant_range r = lt__quant_range(c, v->format[cell]);
	const double s = v->format[cell].scale;
	return (struct quant_number){ s, lt__quant_round(c->low, s, r), lt__quant_round(c->high, s, r) };
}

static struct quant_number factor_number(const struct derivation *v, lt_node x, int32_t i)
{
	const lt_node y = v->q->graph->node[x].operand[i];
	double number;
	if (!lt__quant_is_number(v->q, x, i, &number))
		return weight_number(v, v->q->node[lt__quant_source(v->q->graph, y)].weight);
	const struct quant_number n = number_of(v->q, v->q->graph->node[x].op == LT_OP_div
		? 1 / number : number);
	v->d->at[x].factor = n.least;
	return n;
}

static lt_status derive_quotient(const struct derivation *v, lt_node x, struct quant_number *out)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	const int32_t at = v->q->operand_at[x];
	const double scale = v->format[v->q->node[x].cell].scale;
	const struct quant_number a = value_of(v, d->operand[0]), b = value_of(v, d->operand[1]);
	/* So many bits that the step is not finer than the cell's. */
	const int32_t up = ilogb(a.scale / b.scale / scale);
	if (b.least < 0)
		return lt__node_fail(v->q->graph, x, LT_EUNSUPPORTED, "the divisor '%.100s' may be below 0: integers divide by "
			"values that are known to be positive, as sums of powers of e are", v->q->graph->node[d->operand[1]].name);
	v->d->up[at] = up > 0 ? up : 0;
	v->d->up[at + 1] = up < 0 ? -up : 0;
	/* What is divided: twice the dividend and the divisor. */
	*out = (struct quant_number){ ldexp(a.scale / b.scale, -up), moved_up(a.least, v->d->up[at] + 1),
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

/* What a sum of products with a constant is between, in the steps of its channels: of the c-th by the constant's
 * numbers, whatever part of them is in the sum. */
struct channel_sum { struct quant_number of, weight; double terms; const double *weigh; };

static struct quant_number sum_of_channel(const struct channel_sum *s, int64_t c, double step, double scale)
{
	const double low = (double)least_of(s->of.least, 0), high = (double)most_of(s->of.most, 0);
	const double half = 0.5 * s->terms * (step / scale);
	const double positive = ceil(s->weigh[2 * c] / scale + half), negative = ceil(s->weigh[2 * c + 1] / scale + half);
	return (struct quant_number){ 0, lt__quant_near(floor(fmin(low * positive - high * negative, 0))),
		lt__quant_near(ceil(fmax(high * positive - low * negative, 0))) };
}

/* Steps of channels that are any numbers: each channel is brought to the coarsest, which is fine for a sum. */
static struct quant_number move_channels(const struct derivation *v, lt_node x, const struct quant_number *channel)
{
	const struct lt_quant_node *n = &v->q->node[x];
	const struct lt_quant_cell *cell = &v->q->cell[n->by_channel];
	const struct lt_quant_format f = v->format[n->by_channel];
	struct lt_quant_at *at = &v->d->at[x];
	struct lt_quant_move *to = LT_NEW(v->arena, struct lt_quant_move, cell->channels);
	double coarsest = 0;
	for (int64_t i = 0; i < cell->channels; i++)
		coarsest = fmax(coarsest, lt__quant_step_of(f, i));
	/* Of more than 32 bits, that many times coarser. */
	coarsest = ldexp(coarsest, move_by(at->raw, 1).down);
	struct quant_number all = { at->raw.scale / f.scale * coarsest, 0, 0 };
	for (int64_t i = 0; i < cell->channels; i++) {
		to[i] = move_by(at->raw, lt__quant_step_of(f, i) / coarsest);
		if (to[i].shift < 0) {          /* the coarsest itself, times nearly 1 */
			to[i].by = INT32_MAX;
			to[i].shift = 0;
		}
		const struct quant_number m = moved(channel[i], to[i], all.scale);
		all.least = least_of(all.least, m.least);
		all.most = most_of(all.most, m.most);
	}
	double *from = LT_NEW(v->arena, double, cell->channels);
	for (int64_t i = 0; i < cell->channels; i++)
		from[i] = at->raw.scale / f.scale * lt__quant_step_of(f, i);
	at->by_channel = to;
	at->channel_scale = from;
	return all;
}

/* A sum of products with a constant is bounded by its numbers; parts of it are within the same bounds.  Where channels
 * have steps of their own, that is once the sum has been brought to one of them. */
static struct quant_number derive_sum(const struct derivation *v, lt_node x)
{
	const struct lt_graph *g = v->q->graph;
	const lt_node y = g->node[x].operand[0];
	const struct lt_quant_node *n = &v->q->node[x];
	const struct quant_number part = value_of(v, y);
	const int64_t terms = lt__node_elems(g, y) / lt__node_elems(g, x);
	const struct lt_quant_cell *cell = n->by_channel < 0 ? NULL : &v->q->cell[n->by_channel];
	const struct lt_quant_format f = cell ? v->format[n->by_channel] : (struct lt_quant_format){ 0 };
	const bool channels = cell && lt__quant_has_channels(cell, f), moves = channels && v->q->any;
	const int32_t up = channels && !moves ? lt__quant_most_coarser(cell, f) : 0;
	const struct quant_number any = { part.scale, moved_up(times(least_of(part.least, 0), terms), up),
		moved_up(times(most_of(part.most, 0), terms), up) };
	struct quant_number all = any, *by = moves ? LT_NEW(v->arena, struct quant_number, cell->channels) : NULL;
	for (int32_t i = 0; n->terms > 0 && i < 2; i++) {
		if (!lt__quant_is_factor(v->q, y, i))
			continue;
		const struct channel_sum s = { value_of(v, g->node[y].operand[1 - i]), factor_number(v, y, i), n->terms, n->weigh };
		struct quant_number found = { 0, 0, 0 };
		for (int64_t c = 0; c < n->channels; c++) {
			const int64_t k = channels ? c / n->unit % cell->channels : 0;
			const double step = channels ? lt__quant_step_of(f, k) : s.weight.scale;
			struct quant_number one = sum_of_channel(&s, c, step, moves ? step : s.weight.scale);
			one.least = most_of(one.least, any.least);
			one.most = least_of(one.most, any.most);
			found.least = least_of(found.least, one.least);
			found.most = most_of(found.most, one.most);
			if (moves) {
				by[k].least = least_of(by[k].least, one.least);
				by[k].most = most_of(by[k].most, one.most);
			}
		}
		all.least = found.least;
		all.most = found.most;
	}
	if (!moves)
		return all;
	v->d->at[x].raw = all;
	return move_channels(v, x, by);
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
	return (struct quant_number){ 1, t->cls == LT_CLASS_INT && t->is_signed ? -most - 1 : 0, most };
}

static struct quant_number derive_pair(const struct derivation *v, lt_node x)
{
	const struct lt_nodedef *d = &v->q->graph->node[x];
	struct quant_number part[3] = { { 0 } }, all = align(v, x, d->op == LT_OP_select, part);
	const struct quant_number a = part[0], b = part[1];
	switch (d->op) {
	case LT_OP_add: return (struct quant_number){ all.scale, plus(a.least, b.least), plus(a.most, b.most) };
	case LT_OP_sub: return (struct quant_number){ all.scale, plus(a.least, -b.most), plus(a.most, -b.least) };
	case LT_OP_min:
		return (struct quant_number){ all.scale, least_of(a.least, b.least), least_of(a.most, b.most) };
	case LT_OP_max:
		return (struct quant_number){ all.scale, most_of(a.least, b.least), most_of(a.most, b.most) };
	case LT_OP_neg: return (struct quant_number){ all.scale, -a.most, -a.least };
	case LT_OP_abs:
		return (struct quant_number){ all.scale, a.least > 0 ? a.least : a.most < 0 ? -a.most : 0,
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
	if (v->q->node[from].kind != QUANT_EXACT || of.scale != n.scale)
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

/* Whether a cell has the bounds of those that are alike: not, if what it computes has a coarser step of its own. */
static bool is_joined(const struct derivation *v, int32_t c, const struct lt_quant_at *at)
{
	return v->alike[c] && v->q->cell[c].kind != LT_QUANT_WIDE && at->value.scale == v->format[c].scale;
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
		const double ratio = at->exact.scale / v->format[c].scale;
		if (v->q->any && ratio < 1) {
			at->move = move_by(at->exact, ratio);
			check_move(v, x, at->exact, at->move);
			at->value = moved(at->exact, at->move, v->format[c].scale);
		} else {
			const int32_t down = -ilogb(ratio);
			at->shift = down > 0 ? down < 62 ? down : 62 : 0;
			at->value = rounded(at->exact, at->shift);
		}
	} else if (cell->kind == LT_QUANT_QUOTIENT) {
		at->value = at->exact;
	} else {
		at->value = (struct quant_number){ v->format[c].scale, r.least, r.most };
	}
	at->below = at->value.least < r.least;
	at->above = at->value.most > r.most;
	at->value.least = most_of(least_of(at->value.least, r.most), r.least);
	at->value.most = least_of(most_of(at->value.most, r.least), r.most);
	join_value(v, c, at);
	v->d->scale[c] = at->value.scale;
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
		at->exact = (struct quant_number){ v->format[n->cell].scale, 0, 0 };
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
	/* shifts, multipliers and shifts, or steps as floats */
	const int64_t by_channel = v->q->mode != LT_QUANT_STATIC ? type_bytes(LT_F32) : type_bytes(LT_U8)
		+ (v->q->any ? type_bytes(LT_I32) : 0);
	for (int32_t c = 0; c < v->q->n_cell; c++)
		if (v->q->cell[c].kind == LT_QUANT_WEIGHT)
			v->d->flash += lt__quant_bytes(&v->q->cell[c], v->format[c], v->d->type[c])
				+ (lt__quant_has_channels(&v->q->cell[c], v->format[c]) ? v->q->cell[c].channels * by_channel : 0);
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
	memset(v->d->move, 0, sizeof *v->d->move * (size_t)q->operand_at[g->n_node]);
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
		.move = LT_NEW(arena, struct lt_quant_move, q->operand_at[g->n_node] + 1),
		.follow = LT_NEW(arena, double, q->operand_at[g->n_node] + 1), .scale = LT_NEW(arena, double, q->n_cell + 1),
		.type = LT_NEW(arena, enum lt_dtype, q->n_cell + 1), .least = LT_NEW(arena, int64_t, q->n_cell + 1),
		.most = LT_NEW(arena, int64_t, q->n_cell + 1), .wide = LT_NONE };
	for (int32_t c = 0; c < q->n_cell; c++)
		if (q->cell[c].kind == LT_QUANT_WEIGHT) {
			const struct quant_number n = weight_number(&v, c);
			const struct lt_quant_range r = lt__quant_range(&q->cell[c], format[c]);
			out->scale[c] = n.scale;
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
	const struct quant_number sum = d->at[x].by_channel ? d->at[x].raw : d->at[x].exact;
	*least = sum.least;
	*most = sum.most;
	return q->node[x].needed && q->node[x].kind == QUANT_EXACT && !q->node[x].table && n->reduce && n->op == LT_OP_add;
}

bool lt__quant_moved_of(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node x, int32_t i,
	struct lt_quant_moved *out)
{
	const struct lt_quant_at *at = &d->at[x];
	const struct lt_nodedef *n = &q->graph->node[x];
	const int32_t channel = LT_QUANT_CHANNEL - i;
	const bool is = q->node[x].needed && q->node[x].kind == QUANT_EXACT && !q->node[x].table;
	*out = (struct lt_quant_moved){ .end = !is || i >= n->n_operand
		|| (channel >= 0 && (!at->by_channel || channel >= q->cell[q->node[x].by_channel].channels)) };
	if (out->end)
		return false;
	if (channel >= 0)
		*out = (struct lt_quant_moved){ at->by_channel[channel], at->channel_scale[channel], at->exact.scale, false };
	else if (i == LT_QUANT_OF_CELL)
		*out = (struct lt_quant_moved){ at->move, at->exact.scale, at->value.scale, false };
	else if (q->node[n->operand[i]].kind != QUANT_CONST)
		*out = (struct lt_quant_moved){ d->move[q->operand_at[x] + i], d->at[n->operand[i]].value.scale, at->exact.scale,
			false };
	return out->move.by != 0;
}

bool lt__quant_result_scale(const struct lt_quant *q, const struct lt_quant_derived *d, int32_t i, double *scale)
{
	const lt_node x = q->graph->result[i].node;
	*scale = d->at[x].value.scale;
	return q->mode == LT_QUANT_STATIC && q->node[x].kind == QUANT_EXACT
		&& lt__dtype_info(q->graph->node[x].dtype)->cls == LT_CLASS_FLOAT;
}

struct quant_follow lt__quant_follow_of(const struct lt_quant *q, const struct lt_quant_derived *d, lt_node x,
	int32_t i)
{
	const lt_node from = lt__quant_source(q->graph, q->graph->node[x].operand[i]);
	const struct lt_quant_node *n = &q->node[from];
	struct quant_follow r = { from, d->follow[q->operand_at[x] + i], n->lowest ? d->at[x].lowest : 0, LT_I8 };
	int64_t least = n->low > n->high ? 0 : lt__quant_follow(n->low, r.scale, 0), most = n->low > n->high ? 0
		: lt__quant_follow(n->high, r.scale, 0);
	r.type = lt__quant_smallest_type(least_of(least, r.lowest), most_of(most, r.lowest));
	return r;
}

bool lt__quant_same_follow(const struct quant_follow *a, const struct quant_follow *b)
{
	return a->from == b->from && a->scale == b->scale && a->lowest == b->lowest;
}
