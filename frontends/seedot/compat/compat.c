/* compat.c -- the fixed point of SeeDot and Shiftry themselves, for comparison with it.
 *
 * Every division is C's, towards zero; sums wrap.  A sum of products is added up pairwise: in the first levels both
 * operands are halved, in the others they are not, and what is left is divided in up to three steps.  Our own models
 * are
 * not computed so: one exact sum and one rounding are nearer and faster (docs/quantize.md).
 */
#include <math.h>
#include "frontends/seedot/compat/compat.h"

enum { WORD = 16, LARGEST_SHIFT = 15, LARGEST_DEMOTE = 30 };

static int32_t at_least(int32_t x, int32_t least) { return x > least ? x : least; }
static int32_t at_most(int32_t x, int32_t most) { return x < most ? x : most; }

int32_t lt__compat_levels(int64_t terms)
{
	int32_t levels = 0;

	while (levels < 62 && ((int64_t)1 << levels) < terms)
		levels++;
	return levels;
}

/* Half of a number that may be negative, rounded down. */
static int32_t half(int32_t x) { return x >= 0 ? x / 2 : -((1 - x) / 2); }

bool lt__compat_steps(const struct compat_rule *r, struct compat_value a, struct compat_value b, int32_t native,
	struct compat_value out, int64_t terms, struct compat_steps *s)
{
	const int32_t levels = lt__compat_levels(terms), widest = at_least(a.bits, b.bits), stored = r->wide
		? 2 * widest : widest;
	const int32_t raw = a.scale + b.scale, lost = at_least(a.bits + b.bits - 1 - stored, 0);
	int32_t product = raw + lost, total;

	if (r->derives) {
		const int32_t most = raw + WORD - 1 + levels;

		native = out.scale = most < r->maxscale ? most : r->maxscale;
	}
	if (r->derives && product > r->maxscale - at_least(stored - WORD, 0))
		product = r->maxscale - at_least(stored - WORD, 0);
	total = product - raw;
	if (total < 0 || total > WORD - 1)
		return false;
	*s = (struct compat_steps){ .shift_a = total - total / 2, .shift_b = total / 2, .scale = out.scale };
	if (a.scale > b.scale) {
		s->shift_a = total / 2;
		s->shift_b = total - total / 2;
	}
	const int32_t summed = at_least(native, product);
	s->halved = summed - product;
	total += out.scale - product;
	s->demote = total - s->shift_a - s->shift_b - s->halved;
	if (s->halved > levels) {
		const int32_t more = s->halved - levels;
		const bool first = s->shift_a >= s->shift_b;

		s->halved = levels;
		s->shift_a += first ? more / 2 : more - more / 2;
		s->shift_b += first ? more - more / 2 : more / 2;
	}
	if (s->demote < 0 && s->demote + s->halved >= 0) {
		s->halved += s->demote;
		s->demote = 0;
	} else if (s->demote < 0) {
		s->halved = 0;
		s->demote = total - s->shift_a - s->shift_b;
		if (total >= 0) {
			const int32_t by = s->demote;

			s->shift_a += half(by);
			s->shift_b += by - half(by);
		} else {
			s->shift_a = s->shift_b = 0;
			s->scale = raw;
		}
		s->demote = 0;
	}
	s->plain = levels - s->halved;
	return s->shift_a >= 0 && s->shift_b >= 0 && s->demote <= LARGEST_DEMOTE;
}

/* -- divisions -- */
static lt_node number(struct lt_graph *g, enum lt_dtype t, int64_t x) { return lt_graph_literal_int(g, t, x); }

/* x / by, towards zero; x of 32 bits: below 0 it is by - 1 nearer to it first, and the quotient is rounded down. */
static lt_node quotient(struct lt_graph *g, lt_node x, int64_t by)
{
	if (by == 1)
		return x;
	const lt_node below = lt_graph_binary(g, "less", x, number(g, LT_I32, 0)), nearer = number(g, LT_I32, by - 1);
	const lt_node none = number(g, LT_I32, 0), add = lt_graph_op(g, "select", 3, (lt_node[]){ below, nearer, none });

	return lt_graph_binary(g, "div", lt_graph_binary(g, "add", x, add), number(g, LT_I32, by));
}

/* Of 15 bits and more they divide by 32767. */
static lt_node shifted(struct lt_graph *g, lt_node x, int32_t by)
{
	return quotient(g, x, by >= LARGEST_SHIFT ? INT16_MAX : (int64_t)1 << by);
}

lt_node lt__compat_shift(struct lt_graph *g, lt_node x, int32_t by)
{
	return by < 0 ? lt_graph_binary(g, "mul", x, number(g, LT_I32, INT64_C(1) << at_most(-by, 30))) : shifted(g, x, by);
}

lt_node lt__compat_divide(struct lt_graph *g, lt_node x, int32_t by) { return quotient(g, x, INT64_C(1) << at_most(by,
	30)); }

enum lt_dtype lt__compat_type(int32_t bits) { return bits == 8 ? LT_I8 : bits == 16 ? LT_I16 : LT_I32; }

static lt_node stored(struct lt_graph *g, lt_node x, int32_t bits)
{
	return lt_graph_cast(g, lt_graph_cast(g, x, lt__compat_type(bits)), LT_I32);
}

/* -- sums of products -- */
/* Every second element along the last axis, from `first` on; 0 where there is none. */
static lt_node every_second(struct lt_graph *g, lt_node x, int32_t n, const lt_var *dims, int64_t first, int64_t extent)
{
	struct lt_arena *a = g->arena;
	const int32_t width = 1 + n;
	int64_t *row = LT_NEW(a, int64_t, n * width), *guard = LT_NEW(a, int64_t, width);

	for (int32_t i = 0; i < n; i++)
		row[i * width + 1 + i] = i + 1 == n ? 2 : 1;
	row[(n - 1) * width] = first;
	guard[0] = extent - 1 - first;
	guard[n] = -2;
	const struct lt_view_piece piece = { .source = x,
		.map = { .n_dim = n, .n_guard = 1, .n_row = n, .guard = guard, .row = row } };
	return lt_graph_view(g, n, dims, 1, &piece, 0, 1);
}

/* The elements along the last axis added up pairwise; x in 32 bits, kept in `bits`. */
static lt_node tree_sum(struct lt_graph *g, lt_node x, int32_t bits, int32_t halved, int32_t levels)
{
	lt_var dims[LT_MAX_RANK];
	const int32_t n = lt_node_rank(g, x);
	int64_t extent = n ? lt_var_extent(g, lt_node_dim(g, x, n - 1)) : 0;

	for (int32_t i = 0; i < n; i++)
		dims[i] = lt_node_dim(g, x, i);
	for (int32_t level = 0; level < levels && x != LT_NONE; level++) {
		dims[n - 1] = lt_graph_var(g, NULL, (extent + 1) / 2);
		lt_node even = every_second(g, x, n, dims, 0, extent), odd = every_second(g, x, n, dims, 1, extent);

		if (level < halved) {
			even = quotient(g, even, 2);
			odd = quotient(g, odd, 2);
		}
		x = stored(g, lt_graph_binary(g, "add", even, odd), bits);
		extent = (extent + 1) / 2;
	}
	return lt_graph_reduce(g, "add", x, 1, &dims[n - 1]);
}

lt_node lt__compat_product(struct lt_graph *g, lt_node a, lt_node b, int32_t n, const lt_var *dims, int32_t n_over,
	const lt_var *over, const struct compat_rule *r, const struct compat_steps *s, int32_t bits)
{
	const int32_t widest = at_least((int32_t)lt_dtype_bytes(lt_node_dtype(g, a)),
		(int32_t)lt_dtype_bytes(lt_node_dtype(g, b))) * 8;
	const int32_t kept = r->wide ? 2 * widest : widest;
	lt_var all[LT_MAX_RANK];
	int64_t terms = 1;

	for (int32_t i = 0; i < n; i++)
		all[i] = dims[i];
	for (int32_t i = 0; i < n_over; i++) {
		all[n + i] = over[i];
		terms *= lt_var_extent(g, over[i]);
	}
	const lt_node x = lt_graph_cast(g, a, LT_I32), y = lt_graph_cast(g, b, LT_I32);
	lt_node products = lt_graph_op_to(g, "mul", 2, (lt_node[]){ x, y }, n + n_over, all);
	if (!r->wide)
		products = shifted(g, shifted(g, products, s->shift_a), s->shift_b);
	all[n] = lt_graph_var(g, NULL, terms);
	lt_node sum = tree_sum(g, lt_graph_reshape_to(g, stored(g, products, kept), n + 1, all), kept, s->halved,
		s->halved + s->plain);
	if (r->wide)
		sum = shifted(g, shifted(g, sum, s->shift_a), s->shift_b);
	return lt_graph_cast(g, quotient(g, sum, (int64_t)1 << s->demote), lt__compat_type(bits));
}

lt_node lt__compat_sparse(struct lt_graph *g, lt_node a, lt_node b, int32_t n, const lt_var *dims, int32_t n_over,
	const lt_var *over, const struct compat_steps *s, int32_t bits)
{
	lt_var all[LT_MAX_RANK];

	for (int32_t i = 0; i < n + n_over; i++)
		all[i] = i < n ? dims[i] : over[i - n];
	const lt_node x = lt_graph_cast(g, a, LT_I32), y = lt_graph_cast(g, b, LT_I32);
	lt_node term = shifted(g, lt_graph_op_to(g, "mul", 2, (lt_node[]){ x, y }, n + n_over, all), s->shift_a);
	term = quotient(g, shifted(g, shifted(g, term, s->shift_b), s->halved), (int64_t)1 << s->demote);
	return lt_graph_cast(g, lt_graph_reduce(g, "add", term, n_over, over), lt__compat_type(bits));
}

/* -- sums of two -- */
void lt__compat_add_steps(const struct compat_rule *r, struct compat_value a, struct compat_value b,
	struct compat_value out, struct compat_add *s)
{
	enum { BYTE = 8 };
	const int32_t common = at_least(a.scale, b.scale);

	if (r->derives)
		out.scale = common + (common < r->maxscale);
	*s = (struct compat_add){ .shift_a = common - a.scale, .shift_b = common - b.scale,
		.shift = at_least(out.scale - common, 0), .up = at_least(common - out.scale, 0), .scale = out.scale,
		.bits = at_least(a.bits, at_least(b.bits, out.bits)) };
	if (s->shift >= BYTE && !r->derives) {
		s->demote = s->shift - BYTE;
		s->shift = BYTE;
	}
}

lt_node lt__compat_sum(struct lt_graph *g, const char *op, lt_node a, lt_node b, const struct compat_add *s,
	int32_t bits)
{
	lt_node x = shifted(g, lt_graph_cast(g, a, LT_I32), s->shift_a), y = shifted(g, lt_graph_cast(g, b, LT_I32),
		s->shift_b);

	x = shifted(g, x, s->shift);
	y = shifted(g, y, s->shift);
	const lt_node sum = stored(g, lt_graph_binary(g, op, x, y), s->bits);
	const lt_node less = stored(g, lt__compat_divide(g, sum, s->demote), bits);
	return lt_graph_cast(g, lt__compat_shift(g, less, -s->up), lt__compat_type(bits));
}

/* -- functions by tables -- */
void lt__compat_tables(int16_t coarse[256], int16_t fine[128], int8_t bytes[128])
{
	for (int32_t i = 0; i < 256; i++)
		coarse[i] = (int16_t)lround(16384 * exp(-i / 16.0));
	for (int32_t i = 0; i < 128; i++) {
		fine[i] = (int16_t)lround(16384 * exp(-i / 2048.0));
		bytes[i] = (int8_t)lround(64 * exp(-i / 16.0));
	}
}

/* e^-v, v from 0 on: of 16 bits in steps of 2^-11, as 2^-14; of 8 bits in steps of 2^-4, as 2^-6. */
static lt_node exp_of(struct lt_graph *g, lt_node v, const struct compat_tables *t, int32_t bits)
{
	if (bits == 8)
		return lt_graph_cast(g, lt_graph_gather(g, t->bytes, v, 0), LT_I32);
	const lt_node step = number(g, LT_I32, 128), high = lt_graph_binary(g, "div", v, step);
	const lt_node low = lt_graph_binary(g, "mod", v, step), coarse = lt_graph_gather(g, t->coarse, high, 0);
	const lt_node fine = lt_graph_gather(g, t->fine, low, 0), wide = lt_graph_cast(g, coarse, LT_I32);
	const lt_node product = lt_graph_binary(g, "mul", wide, lt_graph_cast(g, fine, LT_I32));

	return lt_graph_binary(g, "div", product, number(g, LT_I32, 1 << 14));
}

/* -x, the greatest that `bits` hold at most.  Of 8 bits what is above 0 counts as the smallest number. */
static lt_node below_zero(struct lt_graph *g, lt_node x, int32_t bits)
{
	const lt_node most = number(g, LT_I32, bits == 8 ? INT8_MAX : INT16_MAX), none = number(g, LT_I32, 0);
	const lt_node size = lt_graph_binary(g, "min", lt_graph_unary(g, "neg", x), most);
	const lt_node above = lt_graph_binary(g, "greater", x, none);

	return lt_graph_op(g, "select", 3, (lt_node[]){ above, bits == 8 ? most : none, size });
}

/* -|x| */
static lt_node minus_size(struct lt_graph *g, lt_node x) { return lt_graph_unary(g, "neg", lt_graph_unary(g, "abs",
	x)); }

lt_node lt__compat_exp(struct lt_graph *g, lt_node x, const struct compat_tables *t, int32_t bits, int32_t out)
{
	const lt_node y = exp_of(g, below_zero(g, lt_graph_cast(g, x, LT_I32), bits), t, bits);

	return lt_graph_cast(g, lt__compat_shift(g, y, bits - out), lt__compat_type(out));
}

/* Of x > 0 SeeDot divides 16384 * 16354, and not 16384^2, by what should make 1 at infinity. */
lt_node lt__compat_sigmoid(struct lt_graph *g, lt_node x, const struct compat_tables *t, int32_t bits)
{
	enum { OVER = 267943936 };
	const lt_node wide = lt_graph_cast(g, x, LT_I32);
	const lt_node b = exp_of(g, below_zero(g, minus_size(g, wide), bits), t, bits);
	const lt_node one = number(g, LT_I32, bits == 8 ? 64 : 1 << 14), sum = lt_graph_binary(g, "add", b, one);
	const lt_node above = lt_graph_binary(g, "greater", wide, number(g, LT_I32, 0));
	const lt_node below_over = lt_graph_binary(g, "mul", b, one), over = number(g, LT_I32, bits == 8 ? 4096 : OVER);
	const lt_node chosen = lt_graph_op(g, "select", 3, (lt_node[]){ above, over, below_over });

	return lt_graph_cast(g, lt_graph_binary(g, "div", chosen, sum), lt__compat_type(bits));
}

/* (1 - e^-2|x|) / (1 + e^-2|x|), with x's sign.  Of 8 bits -2|x| wraps: at -128 it is 0, and so is the result. */
lt_node lt__compat_tanh(struct lt_graph *g, lt_node x, const struct compat_tables *t, int32_t bits)
{
	const lt_node wide = lt_graph_cast(g, x, LT_I32), zero = number(g, LT_I32, 0), two = number(g, LT_I32, 2);
	const lt_node twice = lt_graph_binary(g, "mul", minus_size(g, wide), two);
	const lt_node kept = bits == 8 ? stored(g, twice, bits) : twice, one = number(g, LT_I32, bits == 8 ? 64 : 1 << 14);
	const lt_node b = exp_of(g, below_zero(g, kept, bits), t, bits);
	const lt_node less = lt_graph_binary(g, "sub", one, b), over = lt_graph_binary(g, "mul", less, one);
	const lt_node y = lt_graph_binary(g, "div", over, lt_graph_binary(g, "add", b, one));
	const lt_node below = lt_graph_binary(g, "less", wide, zero), negative = lt_graph_unary(g, "neg", y);

	return lt_graph_cast(g, lt_graph_op(g, "select", 3, (lt_node[]){ below, negative, y }), lt__compat_type(bits));
}
