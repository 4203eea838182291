/* fixed.c -- layers of integers that stand for numbers: products whose sums are exact, functions by tables.
 *
 * A product of what a and b stand for, a - za and b - zb, is made of raw numbers:
 * sum a b - za sum b - zb sum a + K za zb.  All but the first and the third is known where b is, and is one vector
 * beside the bias; beside an image there is za, so that its border is like the rest.  Sums wrap, so that only the whole
 * has to fit: what it may be at most is found from the numbers of b, where these are there, and from what a is within.
 */
#include <string.h>
#include "base/checked.h"
#include "base/number.h"
#include "ir/build/fixed.h"

static int64_t at_most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t size_of(int64_t v) { return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v; }
static int64_t plus(int64_t a, int64_t b) { int64_t r; return lt__add_overflow(a, b, &r) ? INT64_MAX : r; }
static int64_t times(int64_t a, int64_t b) { int64_t r; return lt__mul_overflow(a, b, &r) ? INT64_MAX : r; }

/* -- how large a sum may be -- */

/* The graph, and what else knows contents. */
struct contents { const struct lt_graph *g; const void *(*of)(void *, lt_node); void *user; };

static const void *contents_of(const struct contents *k, lt_node x)
{
	if (x < 0 || k->g->node[x].op != LT_OP_constant)
		return NULL;
	return k->g->node[x].content || !k->of ? k->g->node[x].content : k->of(k->user, x);
}

/* What element i of a zero point or a bias is within, one for all or one a channel. */
static struct fixed_range channel_range(const struct contents *k, lt_node x, int64_t i)
{
	if (x == LT_OMIT)
		return (struct fixed_range){ 0, 0, true };
	const void *data = contents_of(k, x);
	if (!data)
		return lt__fixed_range(k->g, x);
	const int64_t v = lt__load(data, lt__node_elems(k->g, x) == 1 ? 0 : i, lt_node_dtype(k->g, x)).i;
	return (struct fixed_range){ v, v, true };
}

static int64_t largest_of(struct fixed_range r) { return at_most(size_of(r.least), size_of(r.most)); }

/* The most of |x - zero|. */
static int64_t furthest(struct fixed_range r, struct fixed_range zero)
{
	if (plus(largest_of(r), largest_of(zero)) == INT64_MAX)
		return INT64_MAX;
	return at_most(size_of(r.least - zero.most), size_of(r.most - zero.least));
}

static struct fixed_range exactly(int64_t v) { return (struct fixed_range){ v, v, true }; }

/* Sums of |b - zb| by channel, of the contents. */
static void weigh_contents(const struct contents *k, const struct lt_fixed_sum *s, struct lt_sum_proof *proof)
{
	const void *data = contents_of(k, s->b);
	const enum lt_dtype t = lt_node_dtype(k->g, s->b);
	int64_t inner = 1;
	for (int32_t i = s->axis + 1; i < lt_node_rank(k->g, s->b); i++)
		inner = times(inner, lt__pos_extent(k->g, s->b, i));
	const int64_t n = lt__node_elems(k->g, s->b), outer = n / inner / s->channels;
	for (int64_t c = 0; c < s->channels; c++) {
		const struct fixed_range zero = channel_range(k, s->by.zero_b, c), bias = channel_range(k, s->by.bias, c);
		int64_t sum = 0;
		for (int64_t o = 0; o < outer; o++)
			for (int64_t i = 0; i < inner; i++)
				sum = plus(sum, furthest(exactly(lt__load(data, (o * s->channels + c) * inner + i, t).i), zero));
		const int64_t whole = plus(times(sum, proof->reach), largest_of(bias));
		proof->known = proof->known && zero.known && bias.known;
		if (whole < proof->bound)
			continue;
		proof->bound = whole;
		proof->channel = c;
		proof->weight = sum;
		proof->bias = largest_of(bias);
	}
}

/* What the sums of a product may be, above or below 0. */
static struct lt_sum_proof prove(const struct contents *k, const struct lt_fixed_sum *s)
{
	const struct lt_graph *g = k->g;
	struct lt_sum_proof proof = { .terms = s->terms, .known = true, .channel = -1, .node = s->node, .a = s->a, .b = s->b,
		.zero_a = s->by.zero_a, .sum = s->sum, .reach = furthest(lt__fixed_range(g, s->a), exactly(s->by.zero_a)) };
	if (contents_of(k, s->b)) {
		weigh_contents(k, s, &proof);
		return proof;
	}
	struct fixed_range zero = exactly(0), bias = exactly(0), r = lt__fixed_range(g, s->b);
	if (s->by.zero_b != LT_OMIT)
		zero = lt__fixed_range(g, s->by.zero_b);
	if (s->by.bias != LT_OMIT)
		bias = lt__fixed_range(g, s->by.bias);
	proof.weight = times(s->terms, furthest(r, zero));
	proof.bias = largest_of(bias);
	proof.bound = plus(times(proof.weight, proof.reach), proof.bias);
	proof.known = r.known && bias.known && zero.known;
	return proof;
}

/* The type of sums; LT_NONE with a sentence.  What is not known is the caller's word. */
static int sum_type(struct lt_graph *g, const struct lt_sum_proof *proof, const struct lt_fixed_product *by)
{
	const enum lt_dtype asked = by->sum;
	if (asked == LT_I64)
		return LT_I64;
	if (proof->bound <= INT32_MAX)
		return LT_I32;
	if (!asked)
		return LT_I64;
	if (!proof->known || by->wraps)
		return LT_I32;
	const char *which = proof->channel < 0 ? "a channel" : lt__scratch(g->ctx, "channel %lld", (long long)proof->channel);
	lt__graph_fail(g, LT_EOVERFLOW, "A sum of %lld products may be %lld, which i32 does not hold: the weights of %s are "
		"%lld in all, and what they meet is up to %lld; take sums of i64, or weights of fewer bits",
		(long long)proof->terms, (long long)proof->bound, which, (long long)proof->weight, (long long)proof->reach);
	return LT_NONE;
}

/* Decides the type of the sums and tells the proof; false with a sentence. */
static bool sums_fit(struct lt_graph *g, struct lt_fixed_sum *s, struct lt_sum_proof *out)
{
	struct lt_sum_proof proof = prove(&(struct contents){ .g = g }, s);
	const int t = sum_type(g, &proof, &s->by);
	s->sum = proof.sum = t < 0 ? s->by.sum : (enum lt_dtype)t;
	if (out)
		*out = proof;
	return t >= 0;
}

static lt_status sum_keep(struct lt_graph *g, const struct lt_fixed_sum *s)
{
	LT_GROW(g->arena, g->sum, g->n_sum, g->cap_sum);
	g->sum[g->n_sum++] = *s;
	return LT_OK;
}

/* The result y of the sums. */
static lt_node fixed_result(struct lt_graph *g, struct lt_fixed_sum *s, lt_node y, struct lt_sum_proof *out)
{
	lt_status status = LT_OK;
	s->node = y;
	if (y >= 0)
		LT_GUARDED(g->ctx, status, sum_keep(g, s));
	if (out)
		out->node = y;
	return status ? LT_NONE : y;
}

int32_t lt_graph_sums(const struct lt_graph *g) { return g->n_sum; }

lt_status lt_graph_sum(const struct lt_graph *g, int32_t i, const void *(*contents)(void *, lt_node), void *user,
	struct lt_sum_proof *out)
{
	*out = (struct lt_sum_proof){ .node = LT_NONE };
	if (i < 0 || i >= g->n_sum)
		return lt_fail(g->ctx, LT_EINVAL, "There is no sum %d among %d", i, g->n_sum);
	*out = prove(&(struct contents){ g, contents, user }, &g->sum[i]);
	return LT_OK;
}

/* "(|'x' - 128|)" without a zero point is "(|'x'|)". */
static const char *reach_text(const struct lt_graph *g, const struct lt_sum_proof *p)
{
	const char *name = g->node[p->a].name;
	return !p->zero_a ? lt__scratch(g->ctx, "|%%%.100s|", name)
		: lt__scratch(g->ctx, "|%%%.100s %c %lld|", name, p->zero_a < 0 ? '+' : '-', (long long)size_of(p->zero_a));
}

static const char *limit_text(const struct lt_sum_proof *p)
{
	const bool fits = p->sum == LT_I64 ? p->bound < INT64_MAX : p->bound <= INT32_MAX;
	return p->sum == LT_I64 ? fits ? "< 2^63: it fits" : ">= 2^63: it may wrap" : fits ? "< 2^31: it fits"
		: ">= 2^31: it may wrap";
}

static lt_status sum_text(const struct lt_graph *g, const struct lt_sum_proof *p, const char **out)
{
	if (p->node < 0 || p->node >= g->n_node || p->a < 0 || p->a >= g->n_node || p->b < 0 || p->b >= g->n_node)
		return lt_fail(g->ctx, LT_EINVAL, "The proof is of a sum that the graph does not have");
	const char *of = p->channel < 0 ? "of any channel" : lt__scratch(g->ctx, "of channel %lld", (long long)p->channel);
	*out = lt__scratch(g->ctx, "%%%.100s: %lld products in %s, %lld (weights %s of %%%.100s) * %lld (%s) + %lld (bias) "
		"= %lld %s, by %s\n", g->node[p->node].name, (long long)p->terms, lt__dtype_info(p->sum)->name,
		(long long)p->weight, of, g->node[p->b].name, (long long)p->reach, reach_text(g, p), (long long)p->bias,
		(long long)p->bound, limit_text(p), p->known ? "their contents" : "their types");
	return LT_OK;
}

lt_status lt_sum_proof_print(const struct lt_graph *g, const struct lt_sum_proof *p,
	void (*write)(void *, const char *, size_t), void *user)
{
	const char *text = NULL;
	lt_status status;
	LT_GUARDED(g->ctx, status, sum_text(g, p, &text));
	if (!status)
		write(user, text, strlen(text));
	return status;
}

/* -- products -- */

/* One number, or one a channel. */
static bool channels_fit(struct lt_graph *g, lt_node x, int64_t channels, const char *what)
{
	if (x == LT_OMIT)
		return true;
	if (!lt__fixed_is_whole(g, x, what))
		return false;
	const int32_t rank = lt_node_rank(g, x);
	if (rank == 0 || (rank == 1 && (lt__pos_extent(g, x, 0) == 1 || lt__pos_extent(g, x, 0) == channels)))
		return true;
	return lt__graph_fail(g, LT_ETYPE, "%s '%.100s' (%s): one number is needed, or one for each of %lld channels", what,
		g->node[x].name, lt__node_shape_text(g, x), (long long)channels), false;
}

static bool product_fits(struct lt_graph *g, const struct lt_fixed_sum *s)
{
	const struct lt_fixed_product *p = &s->by;
	const lt_node a = s->a;
	if (!channels_fit(g, p->zero_b, s->channels, "A zero point") || !channels_fit(g, p->bias, s->channels, "A bias"))
		return false;
	if (p->sum && p->sum != LT_I32 && p->sum != LT_I64)
		return lt__graph_fail(g, LT_ETYPE, "Sums are i32 or i64"), false;
	const struct fixed_range r = lt__fixed_type_range(lt_node_dtype(g, a));
	if (p->zero_a >= r.least && p->zero_a <= r.most)
		return true;
	return lt__graph_fail(g, LT_EINVAL, "A zero point of %lld: '%.100s' is %s, which has %lld to %lld",
		(long long)p->zero_a, g->node[a].name, lt__dtype_info(lt_node_dtype(g, a))->name, (long long)r.least,
		(long long)r.most), false;
}

/* A vector of one number a channel, or one number, beside a result whose channels are `behind` axes before its end. */
static lt_node by_channel(struct lt_graph *g, lt_node v, int32_t behind, enum lt_dtype t)
{
	if (v < 0)
		return LT_NONE;
	v = lt_graph_cast(g, v, t);
	if (lt__pos_rank(g, v) == 0)
		return v;
	bool mask[LT_MAX_RANK] = { false };
	for (int32_t i = 1; i <= behind; i++)
		mask[i] = true;
	return behind ? lt__pos_unsqueeze(g, v, 1 + behind, mask) : v;
}

/* As sums do, the factor wraps. */
static lt_node scaled_by(struct lt_graph *g, lt_node x, int64_t by)
{
	if (x < 0)
		return LT_NONE;
	const enum lt_dtype t = lt_node_dtype(g, x);
	return lt__pos_op2(g, "mul", x, lt_graph_literal_int(g, t, lt__round_to((union lt_scalar){ .i = by }, t).i));
}

/* bias - za sum b + K za zb, one a channel; LT_OMIT: nothing of it is there.  b is of the sums' type. */
static lt_node known_part(struct lt_graph *g, lt_node b, const bool *over, int64_t terms, int32_t behind,
	const struct lt_fixed_product *p)
{
	const enum lt_dtype t = lt_node_dtype(g, b);
	lt_node y = p->bias == LT_OMIT ? LT_OMIT : by_channel(g, p->bias, behind, t);
	if (p->zero_a) {
		lt_node sums = by_channel(g, lt__pos_reduce(g, "add", b, over, false), behind, t);
		lt_node less = scaled_by(g, sums, lt_wrap_sub(0, p->zero_a));
		y = y == LT_OMIT ? less : lt__pos_op2(g, "add", y, less);
		if (p->zero_b != LT_OMIT) {
			lt_node zero = by_channel(g, p->zero_b, behind, t), all = scaled_by(g, zero, lt_wrap_mul(terms, p->zero_a));
			y = lt__pos_op2(g, "add", y, all);
		}
	}
	return y;
}

static lt_node fixed_joined(struct lt_graph *g, lt_node y, lt_node known)
{
	return known == LT_OMIT ? y : lt__pos_op2(g, "add", y, known);
}

lt_node lt_build_fixed_matmul(
	struct lt_graph *g, lt_node a, lt_node b, const struct lt_fixed_product *p, struct lt_sum_proof *proof)
{
	lt_var v, w;
	if (!lt__fixed_is_whole(g, a, "A product of integers") || !lt__fixed_is_whole(g, b, "A product of integers"))
		return LT_NONE;
	const char *misfit = lt__build_matmul_misfit(g, a, b, &v, &w);
	if (misfit || lt_node_rank(g, b) != 2)
		return lt__graph_fail(g, LT_ETYPE, "Incompatible shapes for a product of integers: (%s) and (%s); %s",
			lt__node_shape_text(g, a), lt__node_shape_text(g, b), misfit ? misfit : "the second has to be a matrix"), LT_NONE;
	if (lt__pos_bounded(g, b, 0))
		return lt__graph_fail(g, LT_EUNSUPPORTED, "A product of integers over an axis of a run-time extent: '%.100s'",
			g->node[b].name), LT_NONE;
	struct lt_fixed_sum sum = { LT_NONE, a, b, 1, lt__pos_extent(g, b, 0), lt__pos_extent(g, b, 1), *p, 0 };
	if (!product_fits(g, &sum) || !sums_fit(g, &sum, proof))
		return LT_NONE;
	const bool rows[] = { true, false };
	a = lt_graph_cast(g, a, sum.sum);
	b = lt_graph_cast(g, b, sum.sum);
	lt_node known = known_part(g, b, rows, sum.terms, 0, p), y = fixed_joined(g, lt_build_matmul(g, a, b), known);
	if (p->zero_b != LT_OMIT && y >= 0) {
		const int32_t last = lt_node_rank(g, a) - 1;
		lt_node sums = lt__pos_reduce1(g, "add", a, last, last > 0), zero = lt_graph_cast(g, p->zero_b, sum.sum);
		y = lt__pos_op2(g, "sub", y, lt__pos_op2(g, "mul", sums, zero));
	}
	return fixed_result(g, &sum, y, proof);
}

/* The sums of x under each window: a convolution with ones. */
static lt_node window_sums(struct lt_graph *g, lt_node x, lt_node w, const struct lt_fixed_window *by)
{
	static const int64_t none[4] = { 0 };
	const int32_t o = by->layout == LT_NCHW ? 0 : 3;
	int64_t shape[4];
	for (int32_t i = 0; i < 4; i++)
		shape[i] = i == o && by->groups == 1 ? 1 : lt__pos_extent(g, w, i);
	lt_node ones = lt__pos_expand(g, lt_graph_literal_int(g, lt_node_dtype(g, x), 1), 4, shape);
	return lt_build_conv2d(g, x, ones, by->strides, none, by->dilations, by->groups, by->layout);
}

lt_node lt_build_fixed_conv2d(struct lt_graph *g, lt_node x, lt_node w, const struct lt_fixed_window *by,
	const struct lt_fixed_product *p, struct lt_sum_proof *proof)
{
	static const int64_t none[4] = { 0 };
	if (!lt__fixed_is_whole(g, x, "A convolution of integers") || !lt__fixed_is_whole(g, w, "A convolution of integers"))
		return LT_NONE;
	if (lt_node_rank(g, x) != 4 || lt_node_rank(g, w) != 4 || (unsigned)by->layout > LT_NHWC)
		return lt__graph_fail(g, LT_ETYPE, "A convolution of integers needs an image and weights of rank 4: (%s), (%s)",
			lt__node_shape_text(g, x), lt__node_shape_text(g, w)), LT_NONE;
	const bool nchw = by->layout == LT_NCHW;
	const int32_t o = nchw ? 0 : 3, rows = nchw ? 2 : 1;
	const int64_t channels = lt__pos_extent(g, w, o), terms = lt__node_elems(g, w) / channels;
	struct lt_fixed_sum sum = { LT_NONE, x, w, o, terms, channels, *p, 0 };
	if (!product_fits(g, &sum) || !sums_fit(g, &sum, proof))
		return LT_NONE;
	int64_t before[4] = { 0 }, after[4] = { 0 };
	for (int32_t i = 0; i < 2; i++) {
		before[rows + i] = by->pads[i];
		after[rows + i] = by->pads[2 + i];
		if (by->pads[i] < 0 || by->pads[2 + i] < 0)
			return lt__graph_fail(g, LT_EINVAL, "A convolution of integers: pads are at least 0"), LT_NONE;
	}
	bool over[] = { true, true, true, true };
	over[o] = false;
	x = lt_graph_cast(g, x, sum.sum);
	w = lt_graph_cast(g, w, sum.sum);
	x = lt_graph_pad(g, x, before, after, lt__bits_of((union lt_scalar){ .i = p->zero_a }, sum.sum));
	lt_node known = known_part(g, w, over, terms, nchw ? 2 : 0, p);
	lt_node y = fixed_joined(g, lt_build_conv2d(g, x, w, by->strides, none, by->dilations, by->groups, by->layout), known);
	if (p->zero_b != LT_OMIT && y >= 0) {
		lt_node sums = window_sums(g, x, w, by), zero = by_channel(g, p->zero_b, nchw ? 2 : 0, sum.sum);
		y = lt__pos_op2(g, "sub", y, lt__pos_op2(g, "mul", sums, zero));
	}
	return fixed_result(g, &sum, y, proof);
}

/* -- functions -- */

static lt_node with_number(struct lt_graph *g, const char *op, lt_node x, int64_t v)
{
	return x < 0 ? LT_NONE : lt__pos_op2(g, op, x, lt_graph_literal_int(g, lt_node_dtype(g, x), v));
}

lt_node lt_build_table(struct lt_graph *g, lt_node x, lt_node table)
{
	if (!lt__fixed_is_whole(g, x, "What a table is asked by") || !lt__graph_has(g, table))
		return LT_NONE;
	const struct lt_dtypeinfo *type = lt__dtype_info(lt_node_dtype(g, x));
	const int64_t n = type->bytes <= 2 ? INT64_C(1) << 8 * type->bytes : 0;
	if (!n || lt_node_rank(g, table) != 1 || lt__pos_extent(g, table, 0) != n)
		return lt__graph_fail(g, LT_ETYPE, "A table for '%.100s', which is %s, has one element for each of its numbers, from "
			"the least on: (%s) is none", g->node[x].name, type->name, lt__node_shape_text(g, table)), LT_NONE;
	lt_node at = lt__build_wide(g, x);
	at = with_number(g, "sub", at, lt__fixed_type_range(lt_node_dtype(g, x)).least);
	return at < 0 ? LT_NONE : lt_graph_gather(g, table, at, 0);
}

void lt_fixed_exp_tables(int16_t coarse[256], int16_t fine[128])
{
	for (int i = 0; i < 256; i++)
		coarse[i] = (int16_t)lrint(16384 * exp(-i / 16.0));
	for (int i = 0; i < 128; i++)
		fine[i] = (int16_t)lrint(16384 * exp(-i / 2048.0));
}

static bool tables_fit(struct lt_graph *g, lt_node x, lt_node coarse, lt_node fine)
{
	if (!lt__fixed_is_whole(g, x, "A function by tables") || !lt__graph_has(g, coarse) || !lt__graph_has(g, fine))
		return false;
	const bool fits = lt_node_rank(g, coarse) == 1 && lt__pos_extent(g, coarse, 0) == 256 && lt_node_rank(g, fine) == 1
		&& lt__pos_extent(g, fine, 0) == 128 && lt_node_dtype(g, coarse) == LT_I16 && lt_node_dtype(g, fine) == LT_I16;
	if (fits && lt_node_dtype(g, x) != LT_I64)
		return true;
	lt__graph_fail(g, LT_ETYPE, fits ? "'%.100s' is i64: i32 is the widest that functions by tables take"
		: "'%.100s': the tables of e^x are i16, of 256 and 128 elements", g->node[fits ? x : coarse].name);
	return false;
}

/* e^-v in steps of 2^-14, v i32 at least 0 in steps of 2^-11: the upper 8 bits of 15 by one table, the lower 7 by the
 * other. */
static lt_node exp_below(struct lt_graph *g, lt_node v, lt_node coarse, lt_node fine)
{
	v = with_number(g, "min", v, INT16_MAX);
	lt_node upper = with_number(g, "shr", v, 7), lower = with_number(g, "and", v, 127);
	if (upper < 0 || lower < 0)
		return LT_NONE;
	upper = lt__build_wide(g, lt_graph_gather(g, coarse, upper, 0));
	lower = lt__build_wide(g, lt_graph_gather(g, fine, lower, 0));
	return with_number(g, "shr", lt__pos_op2(g, "mul", upper, lower), 14);
}

/* |x|, at most 2^15, so that twice of it is a number, too. */
static lt_node size_at_most(struct lt_graph *g, lt_node x)
{
	return lt__pos_op1(g, "abs", with_number(g, "max", with_number(g, "min", x, 1 << 15), -(1 << 15)));
}

static lt_node narrow(struct lt_graph *g, lt_node y) { return y < 0 ? LT_NONE : lt_graph_cast(g, y, LT_I16); }

lt_node lt_build_fixed_exp(struct lt_graph *g, lt_node x, lt_node coarse, lt_node fine)
{
	if (!tables_fit(g, x, coarse, fine))
		return LT_NONE;
	lt_node v = with_number(g, "max", lt__build_wide(g, x), -INT16_MAX);
	v = with_number(g, "max", lt__pos_op1(g, "neg", v), 0);
	return narrow(g, exp_below(g, v, coarse, fine));
}

/* One quotient on both sides of 0, so that no difference of rounded numbers is in it. */
lt_node lt_build_fixed_sigmoid(struct lt_graph *g, lt_node x, lt_node coarse, lt_node fine)
{
	if (!tables_fit(g, x, coarse, fine))
		return LT_NONE;
	lt_node wide = lt__build_wide(g, x), b = exp_below(g, size_at_most(g, wide), coarse, fine);
	lt_node one = lt_graph_literal_int(g, LT_I32, 1 << 14), below = with_number(g, "lessequal", wide, 0);
	lt_node over = with_number(g, "mul", lt__pos_select(g, below, b, one), 1 << 14);
	lt_node sum = with_number(g, "add", b, 1 << 14);
	return narrow(g, lt__pos_op2(g, "div", over, sum));
}

lt_node lt_build_fixed_tanh(struct lt_graph *g, lt_node x, lt_node coarse, lt_node fine)
{
	if (!tables_fit(g, x, coarse, fine))
		return LT_NONE;
	lt_node wide = lt__build_wide(g, x), b = exp_below(g, with_number(g, "mul", size_at_most(g, wide), 2), coarse, fine);
	lt_node less = with_number(g, "mul", lt__pos_op1(g, "neg", with_number(g, "sub", b, 1 << 14)), 1 << 14);
	lt_node y = lt__pos_op2(g, "div", less, with_number(g, "add", b, 1 << 14));
	lt_node minus = lt__pos_op1(g, "neg", y);
	return narrow(g, lt__pos_select(g, with_number(g, "less", wide, 0), minus, y));
}

/* Whether sums over an axis fit; a sentence if not. */
static bool axis_fits(struct lt_graph *g, lt_node x, int32_t axis, int64_t most, const char *what)
{
	if (axis < 0 || axis >= lt_node_rank(g, x))
		return lt__graph_fail(g, LT_EINVAL, "%s: '%.100s' has no axis %d", what, g->node[x].name, axis), false;
	if (lt__pos_extent(g, x, axis) <= most)
		return true;
	return lt__graph_fail(g, LT_EOVERFLOW, "%s over %lld elements: sums of more than %lld are not known to fit", what,
		(long long)lt__pos_extent(g, x, axis), (long long)most), false;
}

lt_node lt_build_fixed_softmax(struct lt_graph *g, lt_node x, lt_node coarse, lt_node fine, int32_t axis)
{
	enum { MOST = (1 << 17) - 1 };          /* of 2^14 each, in 31 bits */
	if (!tables_fit(g, x, coarse, fine) || !axis_fits(g, x, axis, MOST, "Softmax"))
		return LT_NONE;
	/* Differences of numbers of 16 bits are such of 17; of more, those that count are the nearest to the greatest. */
	lt_node wide = lt_graph_cast(g, x, lt_node_dtype(g, x) == LT_I32 ? LT_I64 : LT_I32);
	lt_node below = lt__pos_op2(g, "sub", lt__pos_reduce1(g, "max", wide, axis, true), wide);
	below = with_number(g, "min", below, INT16_MAX);
	lt_node e = exp_below(g, below < 0 ? LT_NONE : lt_graph_cast(g, below, LT_I32), coarse, fine);
	lt_node sum = lt__pos_reduce1(g, "add", e, axis, true), half = with_number(g, "shr", sum, 1);
	lt_node over = lt__pos_op2(g, "add", with_number(g, "mul", e, 1 << 14), half);
	return narrow(g, lt__pos_op2(g, "div", over, sum));
}

/* The largest number whose square is at most v, i64 from 0 up to 2^62, bit by bit. */
static lt_node square_root(struct lt_graph *g, lt_node v)
{
	lt_node root = with_number(g, "and", v, 0);
	for (int bit = 30; bit >= 0; bit--) {
		lt_node more = with_number(g, "add", root, INT64_C(1) << bit);
		lt_node fits = lt__pos_op2(g, "lessequal", lt__pos_op2(g, "mul", more, more), v);
		root = lt__pos_select(g, fits, more, root);
	}
	return root;
}

lt_node lt_build_fixed_l2_norm(struct lt_graph *g, lt_node x, int32_t axis)
{
	enum { MOST = (1 << 16) - 1 };          /* squares of 2^30, in steps of 2^-16, in 62 bits */
	if (!lt__fixed_is_whole(g, x, "L2 norm"))
		return LT_NONE;
	if (lt__dtype_info(lt_node_dtype(g, x))->bytes > 2 || lt_node_dtype(g, x) == LT_U16)
		return lt__graph_fail(g, LT_ETYPE, "L2 norm: '%.100s' is %s: i8, u8 or i16 are taken", g->node[x].name,
			lt__dtype_info(lt_node_dtype(g, x))->name), LT_NONE;
	if (!axis_fits(g, x, axis, MOST, "L2 norm"))
		return LT_NONE;
	lt_node wide = lt_graph_cast(g, x, LT_I64), squares = lt__pos_op2(g, "mul", wide, wide);
	lt_node sum = lt__pos_reduce1(g, "add", squares, axis, true), root = square_root(g, with_number(g, "shl", sum, 16));
	lt_node half = with_number(g, "shr", root, 1), over = lt__pos_op2(g, "add", with_number(g, "shl", wide, 22), half);
	return narrow(g, lt__pos_op2(g, "div", over, root));
}
