/* op_microsoft.c -- operators of com.microsoft, into which ONNX Runtime's optimizers fuse those of a transformer. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/heads.h"
#include "frontends/onnx/trace.h"

static const bool column_of[4] = { false, true, true, true };

/* An input that no builder here reads. */
static bool fused_lacks(struct lt_onnx_call *c, int32_t i, const char *what)
{
	if (lt__onnx_has(c, i))
		lt__onnx_refuse(c->m, "input %d, %s, is not supported", i, what);
	return !lt__onnx_has(c, i);
}

/* An attribute that only one number leaves without effect. */
static void fused_only(struct lt_onnx_call *c, const char *name, int64_t number)
{
	const int64_t given = lt__onnx_int(c, name, number);
	if (given != number)
		lt__onnx_refuse(c->m, "attribute '%s' is %lld", name, (long long)given);
}

/* -- activations -- */

/* arg: which; the bias is added before. */
void lt__onnx_build_fused_gelu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	if (lt__onnx_has(c, 1))
		x = lt__onnx_op2(m, "add", x, lt__onnx_in(c, 1));
	if (!strcmp(c->op->arg, "quick")) {
		const double alpha = lt__onnx_float(c, "alpha", 1.702f);
		lt__onnx_give(c, 0, lt__onnx_op2(m, "mul", x, lt__onnx_op1(m, "sigmoid", lt__onnx_opf(m, "mul", x, alpha))));
	} else {
		const bool tanh = !strcmp(c->op->arg, "tanh");
		lt__onnx_give(c, 0, tanh ? lt__build_gelu_tanh(m->graph, x) : lt_build_gelu(m->graph, x));
	}
}

/* -- products -- */

/* The first axis becomes the last but one, and then the last two change places. */
static lt_node fused_turned(struct lt_onnx *m, lt_node x, bool batch, bool last)
{
	const int32_t rank = lt__onnx_rank(m, x);
	if (x >= 0 && batch && rank > 2) {
		int32_t perm[LT_MAX_RANK];
		for (int32_t i = 0; i < rank; i++)
			perm[i] = i < rank - 2 ? i + 1 : i == rank - 2 ? 0 : i;
		x = lt__onnx_transpose(m, x, perm);
	}
	return x >= 0 && last && rank > 1 ? lt__onnx_swap(m, x, rank - 2, rank - 1) : x;
}

void lt__onnx_build_fused_matmul(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const double alpha = lt__onnx_float(c, "alpha", 1);
	const bool batch_a = lt__onnx_int(c, "transBatchA", 0) != 0, last_a = lt__onnx_int(c, "transA", 0) != 0;
	const bool batch_b = lt__onnx_int(c, "transBatchB", 0) != 0, last_b = lt__onnx_int(c, "transB", 0) != 0;
	lt_node a = fused_turned(m, lt__onnx_in(c, 0), batch_a, last_a);
	lt_node b = fused_turned(m, lt__onnx_in(c, 1), batch_b, last_b);
	lt_node y = lt__onnx_matmul(m, a, b);
	lt__onnx_give(c, 0, alpha != 1 ? lt__onnx_opf(m, "mul", y, alpha) : y);
}

/* A product with a bias, and a function of it that may take numbers. */
void lt__onnx_build_fused_gemm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *name = lt__onnx_text(c, "activation", "");
	const double alpha = lt__onnx_float(c, "alpha", 1), beta = lt__onnx_float(c, "beta", 1);
	const struct lt_function *f = lt__function_find(LT_FUNCTION_OPERATOR, name, strlen(name));
	const bool turn_a = lt__onnx_int(c, "transA", 0) != 0, turn_b = lt__onnx_int(c, "transB", 0) != 0;
	double number[LT_FUNCTION_NUMBERS] = { 0 };
	for (int i = 0; f && i < LT_FUNCTION_NUMBERS; i++)
		if (*f->number[i])
			number[i] = lt__onnx_float(c, lt__arena_format(m->arena, "activation_%s", f->number[i]),
				(double)(float)f->otherwise[i]);
	lt_node y = lt__onnx_matmul(m, fused_turned(m, lt__onnx_in(c, 0), false, turn_a),
		fused_turned(m, lt__onnx_in(c, 1), false, turn_b));
	y = alpha != 1 ? lt__onnx_opf(m, "mul", y, alpha) : y;
	if (lt__onnx_has(c, 2)) {
		lt_node bias = lt__onnx_in(c, 2);
		y = lt__onnx_op2(m, "add", y, beta != 1 ? lt__onnx_opf(m, "mul", bias, beta) : bias);
	}
	if (!strcmp(name, "Relu"))
		y = lt__onnx_opf(m, "max", y, 0);
	else if (!strcmp(name, "Tanh") || !strcmp(name, "Sigmoid"))
		y = lt__onnx_op1(m, *name == 'T' ? "tanh" : "sigmoid", y);
	else if (f)
		y = lt__build_function(m->graph, f, y, number[0], number[1]);
	else if (*name)
		lt__onnx_refuse(m, "attribute 'activation' is '%s'", name);
	lt__onnx_give(c, 0, y);
}

/* -- norms -- */

static void fused_give(struct lt_onnx_call *c, int32_t i, lt_node y, enum lt_dtype t)
{
	if (lt__onnx_wants(c, i))
		lt__onnx_give(c, i, y < 0 ? LT_NONE : lt__onnx_cast(c->m, y, t));
}

/* The last axis of x, in its computing type, with scale and bias (LT_OMIT: none), given as output 0. */
static struct lt_moments fused_norm(struct lt_onnx_call *c, lt_node x, lt_node scale, lt_node bias, enum lt_dtype t)
{
	struct lt_onnx *m = c->m;
	const int32_t rank = lt__onnx_rank(m, x);
	bool *over = LT_NEW(m->arena, bool, rank + 1);
	over[rank > 0 ? rank - 1 : 0] = true;
	struct lt_moments r = lt__build_moments(m->graph, x, over, lt__onnx_float(c, "epsilon", 1e-12f));
	lt_node y = lt__onnx_op2(m, "mul", r.y, lt__onnx_wide(m, scale));
	fused_give(c, 0, bias == LT_OMIT ? y : lt__onnx_op2(m, "add", y, lt__onnx_wide(m, bias)), t);
	return r;
}

/* The sum of what is given: input, skip and bias, of the type that is computed in. */
static lt_node skip_sum(struct lt_onnx_call *c, int32_t bias)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_op2(m, "add", lt__onnx_wide(m, lt__onnx_in(c, 0)), lt__onnx_wide(m, lt__onnx_in(c, 1)));
	return lt__onnx_has(c, bias) ? lt__onnx_op2(m, "add", x, lt__onnx_wide(m, lt__onnx_in(c, bias))) : x;
}

void lt__onnx_build_skip_layer_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const enum lt_dtype t = lt__onnx_value(c, 0)->dtype;
	lt_node x = skip_sum(c, 4);
	if (lt__onnx_failed(m))
		return;
	struct lt_moments r = fused_norm(c, x, lt__onnx_in(c, 2), lt__onnx_has(c, 3) ? lt__onnx_in(c, 3) : LT_OMIT, t);
	fused_give(c, 1, r.mean, lt_node_dtype(m->graph, x));
	fused_give(c, 2, lt__onnx_op1(m, "reciprocal", r.root), lt_node_dtype(m->graph, x));
	fused_give(c, 3, x, t);
}

/* The root of the mean square alone.  arg "skip": of input, skip and bias. */
void lt__onnx_build_simplified_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const bool skip = !strcmp(c->op->arg, "skip");
	const enum lt_dtype t = lt__onnx_value(c, 0)->dtype;
	lt_node x = skip ? skip_sum(c, 3) : lt__onnx_wide(m, lt__onnx_in(c, 0));
	const int32_t rank = lt__onnx_rank(m, x), axis = skip ? rank - 1 :
		lt__onnx_axis(m, lt__onnx_int(c, "axis", -1), rank);
	if (!skip)
		fused_only(c, "stash_type", 1);
	if (lt__onnx_failed(m))
		return;
	bool *over = LT_NEW(m->arena, bool, rank + 1);
	for (int32_t i = axis; i < rank; i++)
		over[i] = true;
	lt_node square = lt__onnx_mean(m, lt__onnx_op2(m, "mul", x, x), over, true);
	const double eps = lt__onnx_float(c, "epsilon", skip ? 1e-12f : 1e-5f);
	lt_node root = lt__onnx_op1(m, "sqrt", lt__onnx_opf(m, "add", square, eps));
	lt_node scale = lt__onnx_wide(m, lt__onnx_in(c, skip ? 2 : 1));
	fused_give(c, 0, lt__onnx_op2(m, "mul", lt__onnx_op2(m, "div", x, root), scale), t);
	fused_give(c, skip ? 2 : 1, lt__onnx_op1(m, "reciprocal", root), lt_node_dtype(m->graph, x));
	if (skip)
		fused_give(c, 3, x, t);
}

enum { EMBED_IDS, EMBED_SEGMENTS, EMBED_WORD, EMBED_POSITION, EMBED_SEGMENT, EMBED_GAMMA, EMBED_BETA, EMBED_MASK,
	EMBED_POSITIONS };

/* The sum of a word's, its position's and its segment's rows; how many words of each row count. */
void lt__onnx_build_embed_layer_norm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const enum lt_dtype t = lt__onnx_value(c, EMBED_WORD)->dtype;
	lt_node ids = lt__onnx_in(c, EMBED_IDS), word = lt__onnx_in(c, EMBED_WORD), place = lt__onnx_in(c, EMBED_POSITION);
	lt__onnx_ignore(c, "mask_index_type");          /* lengths are what the standard's text has; others are not made */
	if (lt__onnx_rank(m, ids) != 2) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "words of rank %d: 2 is expected", lt__onnx_rank(m, ids));
		return;
	}
	lt_node at = lt__onnx_has(c, EMBED_POSITIONS) ? lt__onnx_in(c, EMBED_POSITIONS) : lt__onnx_index(m, ids, 1);
	lt_node x = lt__onnx_op2(m, "add", lt__onnx_gather(m, word, ids, 0), lt__onnx_gather(m, place, at, 0));
	if (lt__onnx_has(c, EMBED_SEGMENTS) != lt__onnx_has(c, EMBED_SEGMENT))
		lt__onnx_refuse(m, "segments of words and their rows go together, and one is missing");
	else if (lt__onnx_has(c, EMBED_SEGMENTS))
		x = lt__onnx_op2(m, "add", x,
			lt__onnx_gather(m, lt__onnx_in(c, EMBED_SEGMENT), lt__onnx_in(c, EMBED_SEGMENTS), 0));
	if (lt__onnx_failed(m))
		return;
	(void)fused_norm(c, lt__onnx_wide(m, x), lt__onnx_in(c, EMBED_GAMMA), lt__onnx_in(c, EMBED_BETA), t);
	if (lt__onnx_wants(c, 1)) {
		lt_node mask = lt__onnx_has(c, EMBED_MASK) ? lt__onnx_opf(m, "eq", lt__onnx_in(c, EMBED_MASK), 1) :
			lt__onnx_opf(m, "less", lt__onnx_opf(m, "mul", lt__onnx_cast(m, ids, LT_I32), 0), 0);
		lt__onnx_give(c, 1, lt__onnx_reduce1(m, "add", lt__onnx_cast(m, mask, LT_I32), 1, false));
	}
	fused_give(c, 2, x, t);
}

/* -- attention -- */

struct fused_attention {
	lt_node q, k, v;                /* [batch, head, position, element] */
	lt_node past;                   /* how many keys are before those of this call; LT_OMIT: none */
	lt_node mask;                   /* which keys count, of rank 4; LT_OMIT: all */
	lt_node bias;                   /* what is added to the scores; LT_OMIT: nothing */
};

/* Keys or values behind those of before, [batch, head, position, element]. */
static lt_node attention_behind(struct lt_onnx *m, struct fused_attention *a, lt_node before, lt_node x)
{
	const lt_node both[2] = { before, x };
	if (before < 0 || x < 0)
		return LT_NONE;
	if (lt__onnx_rank(m, before) != 4) {
		lt__onnx_refuse(m, "past keys and values of rank %d: 4 is expected", lt__onnx_rank(m, before));
		return LT_NONE;
	}
	a->past = lt__onnx_extent_node(m, before, 2);
	return lt__onnx_join(m, 2, 2, both);
}

/* [batch] as [batch, 1, 1, 1] */
static lt_node attention_column(struct lt_onnx *m, lt_node x) { return lt__onnx_unsqueeze(m, x, 4, column_of); }

/* Which keys count by the place of the first and of the one behind the last. */
static lt_node attention_between(struct lt_onnx *m, const struct fused_attention *a, lt_node begin, lt_node end)
{
	lt_node key = lt__onnx_index(m, a->k, 2);
	lt_node seen = lt__onnx_op2(m, "less", key, lt__onnx_cast(m, attention_column(m, end), LT_I64));
	return begin == LT_OMIT ? seen : lt__onnx_op2(m, "and", seen,
		lt__onnx_op2(m, "greaterequal", key, lt__onnx_cast(m, attention_column(m, begin), LT_I64)));
}

/* The part of a mask of all places, [batch, 1, most, most], that this call has. */
static lt_node attention_window(struct lt_onnx *m, const struct fused_attention *a, lt_node mask)
{
	if (!lt__onnx_fixed(m, a->k, 2, "the number of keys") || !lt__onnx_fixed(m, a->q, 2, "the number of queries"))
		return LT_NONE;
	const int64_t keys = lt__onnx_extent(m, a->k, 2), queries = lt__onnx_extent(m, a->q, 2);
	if (lt__onnx_extent(m, mask, 2) < keys || lt__onnx_extent(m, mask, 3) < keys || queries > keys) {
		lt__onnx_refuse(m, "a mask of %lld by %lld places for %lld keys", (long long)lt__onnx_extent(m, mask, 2),
			(long long)lt__onnx_extent(m, mask, 3), (long long)keys);
		return LT_NONE;
	}
	return lt__onnx_slice(m, lt__onnx_slice(m, mask, 2, keys - queries, keys, 1), 3, 0, keys, 1);
}

/* A mask in any of its forms: lengths, ends and beginnings, by key, by query and key, of all places. */
static void attention_masked(struct lt_onnx_call *c, struct fused_attention *a, int32_t input)
{
	static const bool by_key[4] = { false, true, true, false }, by_query[4] = { false, true, false, false };
	struct lt_onnx *m = c->m;
	if (!lt__onnx_has(c, input) || lt__onnx_failed(m))
		return;
	lt_node mask = lt__onnx_in(c, input);
	const int32_t rank = lt__onnx_rank(m, mask);
	const int64_t batch = lt__onnx_extent(m, a->q, 0), n = rank ? lt__onnx_extent(m, mask, 0) : 0;
	if (mask < 0)
		return;
	if (rank == 1 && n == batch) {
		a->mask = attention_between(m, a, LT_OMIT, mask);
	} else if (rank == 1 && n == 2 * batch && lt__onnx_fixed(m, a->q, 0, "the batch")) {
		lt_node begin = lt__onnx_slice(m, mask, 0, batch, n, 1);
		a->mask = attention_between(m, a, begin, lt__onnx_slice(m, mask, 0, 0, batch, 1));
	} else if (rank >= 2 && rank <= 4 && n == batch) {
		mask = rank == 4 ? attention_window(m, a, mask)
				 : lt__onnx_unsqueeze(m, mask, 4, rank == 2 ? by_key : by_query);
		if (mask >= 0 && lt__onnx_extent(m, mask, 3) != lt__onnx_extent(m, a->k, 2))
			lt__onnx_refuse(m, "a mask of %lld keys, where there are %lld", (long long)lt__onnx_extent(m, mask, 3),
				(long long)lt__onnx_extent(m, a->k, 2));
		a->mask = lt__onnx_opf(m, "greater", mask, 0);
	} else if (!lt__onnx_failed(m)) {
		const struct lt_onnx_value v = lt__onnx_of_node(m, mask);
		lt__onnx_refuse(m, "a mask of the shape %s for a batch of %lld", lt__onnx_shape(m, v.rank, v.shape),
			(long long)batch);
	}
}

/* A query sees keys up to its own place. */
static lt_node attention_causal(struct lt_onnx *m, const struct fused_attention *a)
{
	static const bool row[2] = { false, true };
	lt_node place = lt__onnx_unsqueeze(m, lt__onnx_index(m, a->q, 2), 2, row);
	place = a->past == LT_OMIT ? place : lt__onnx_op2(m, "add", place, a->past);
	return lt__onnx_op2(m, "lessequal", lt__onnx_index(m, a->k, 2), place);
}

/* softmax(scale q k^T + mask + bias) v as [batch, position, heads * element]; what a mask leaves out is not -inf, but
 * the attribute's number: a query all of whose keys are left out sees them all alike. */
static void attention_give(struct lt_onnx_call *c, const struct fused_attention *a)
{
	struct lt_onnx *m = c->m;
	if (a->q < 0 || a->k < 0 || a->v < 0 || lt__onnx_failed(m))
		return;
	const enum lt_dtype own = lt_node_dtype(m->graph, a->q), wide = lt__dtype_info(own)->compute;
	const double given = lt__onnx_float(c, "scale", 0), filter = lt__onnx_float(c, "mask_filter_value", -10000);
	const double scale = given != 0 ? given : 1 / sqrt((double)lt__onnx_extent(m, a->q, 3));
	if (!(scale > 0) || !lt__onnx_fixed(m, a->q, 3, "the size of a head")) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "attribute 'scale' is %g", scale);
		return;
	}
	lt_node scores = lt__onnx_wide(m, lt__onnx_scores(m, a->q, a->k, scale));
	const lt_node seen = lt__onnx_number(m, wide, 0);
	if (a->mask != LT_OMIT)
		scores = lt__onnx_op2(m, "add", scores, lt__onnx_select(m, a->mask, seen, lt__onnx_number(m, wide, filter)));
	if (a->bias != LT_OMIT)
		scores = lt__onnx_op2(m, "add", scores, lt__onnx_wide(m, a->bias));
	if (lt__onnx_int(c, "unidirectional", 0) != 0)
		scores = lt__onnx_op2(m, "add", scores,
			lt__onnx_select(m, attention_causal(m, a), seen, lt__onnx_number(m, wide, -INFINITY)));
	lt_node weight = lt__onnx_cast(m, lt__onnx_softmax(m, scores, 3), own);
	lt__onnx_give(c, 0, lt__onnx_heads_joined(m, lt__onnx_matmul(m, weight, a->v)));
}

/* Past keys and past values as one value, [2, batch, head, position, element]. */
static lt_node attention_half(struct lt_onnx *m, lt_node both, int64_t which)
{
	static const bool first[5] = { true };
	return lt__onnx_squeeze(m, lt__onnx_slice(m, both, 0, which, which + 1, 1), first);
}

static void attention_past_of(struct lt_onnx_call *c, struct fused_attention *a)
{
	enum { PAST = 4, PRESENT = 1 };
	struct lt_onnx *m = c->m;
	const struct lt_onnx_value *past = lt__onnx_has(c, PAST) ? lt__onnx_value(c, PAST) : NULL;
	if (past && (past->rank != 5 || past->shape[0] != 2)) {
		lt__onnx_refuse(m, "past keys and values of the shape %s: [2, batch, heads, positions, elements] is expected",
			lt__onnx_shape(m, past->rank, past->shape));
		return;
	}
	if (past && !(past->empty && past->shape[3] == 0)) {
		lt_node both = lt__onnx_in(c, PAST);
		a->k = attention_behind(m, a, attention_half(m, both, 0), a->k);
		a->v = attention_behind(m, a, attention_half(m, both, 1), a->v);
	}
	if (lt__onnx_wants(c, PRESENT) && a->k >= 0 && a->v >= 0) {
		const lt_node both[2] = { lt__onnx_insert(m, a->k, 0), lt__onnx_insert(m, a->v, 0) };
		lt__onnx_give(c, PRESENT, lt__onnx_join(m, 0, 2, both));
	}
}

/* Query, key and value are parts of one product. */
void lt__onnx_build_fused_attention(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct fused_attention a = { .past = LT_OMIT, .mask = LT_OMIT, .bias = LT_OMIT };
	const int64_t heads = lt__onnx_int(c, "num_heads", 0);
	int32_t n = 0;
	const int64_t *size = lt__onnx_ints(c, "qkv_hidden_sizes", &n);
	fused_only(c, "do_rotary", 0);
	fused_only(c, "past_present_share_buffer", 0);
	lt__onnx_ignore(c, "rotary_embedding_dim");     /* of what do_rotary does */
	if (!fused_lacks(c, 6, "the number of keys in a buffer that past and present share") || lt__onnx_failed(m))
		return;
	lt_node all = lt__onnx_matmul(m, lt__onnx_in(c, 0), lt__onnx_in(c, 1));
	if (lt__onnx_has(c, 2))
		all = lt__onnx_op2(m, "add", all, lt__onnx_in(c, 2));
	if (all < 0)
		return;
	const int64_t width = lt__onnx_rank(m, all) == 3 ? lt__onnx_extent(m, all, 2) : 0, third = width / 3;
	const int64_t part[3] = { n == 3 ? size[0] : third, n == 3 ? size[1] : third, n == 3 ? size[2] : third };
	if (width < 1 || (size && n != 3) || part[0] < 1 || part[1] != part[0] || part[2] < 1 || part[0] > width
		|| part[2] > width || 2 * part[0] + part[2] != width) {
		lt__onnx_refuse(m, "%lld columns of weights are no query, key and value%s", (long long)width,
			size ? " by attribute 'qkv_hidden_sizes'" : "");
		return;
	}
	a.q = lt__onnx_heads_apart(m, lt__onnx_slice(m, all, 2, 0, part[0], 1), heads);
	a.k = lt__onnx_heads_apart(m, lt__onnx_slice(m, all, 2, part[0], 2 * part[0], 1), heads);
	a.v = lt__onnx_heads_apart(m, lt__onnx_slice(m, all, 2, 2 * part[0], width, 1), heads);
	if (lt__onnx_failed(m))
		return;
	attention_past_of(c, &a);
	attention_masked(c, &a, 3);
	if (lt__onnx_has(c, 5))
		a.bias = lt__onnx_in(c, 5);
	attention_give(c, &a);
}

enum { MHA_QUERY, MHA_KEY, MHA_VALUE, MHA_BIAS, MHA_MASK, MHA_ADDED, MHA_PAST_KEY, MHA_PAST_VALUE };

/* Part i of a packed value, [batch, position, head, parts, element], as [batch, position, heads * element]. */
static lt_node attention_unpacked(struct lt_onnx *m, lt_node x, int64_t i)
{
	static const bool packed[5] = { [3] = true };
	lt_node one = lt__onnx_squeeze(m, lt__onnx_slice(m, x, 3, i, i + 1, 1), packed);
	return lt__onnx_heads_joined(m, lt__onnx_swap(m, one, 1, 2));
}

/* Query, key or value as [batch, head, position, element]; `from`: where its part of the bias begins. */
static lt_node attention_operand(struct lt_onnx_call *c, lt_node x, int64_t heads, int64_t from)
{
	struct lt_onnx *m = c->m;
	if (lt__onnx_rank(m, x) == 4)
		return x;
	if (lt__onnx_has(c, MHA_BIAS) && lt__onnx_rank(m, x) == 3) {
		const int64_t to = from + lt__onnx_extent(m, x, 2);
		x = lt__onnx_op2(m, "add", x, lt__onnx_slice(m, lt__onnx_in(c, MHA_BIAS), 0, from, to, 1));
	}
	return lt__onnx_heads_apart(m, x, heads);
}

/* Query, key and value, each given or packed with others. */
static bool attention_operands(struct lt_onnx_call *c, struct fused_attention *a)
{
	struct lt_onnx *m = c->m;
	const int64_t heads = lt__onnx_int(c, "num_heads", 0);
	const int32_t rank = lt__onnx_value(c, MHA_QUERY)->rank, key_rank = lt__onnx_has(c, MHA_KEY) ?
		lt__onnx_value(c, MHA_KEY)->rank : 0;
	const bool all = rank == 5, pair = key_rank == 5;
	if (all ? key_rank != 0 : rank != 3 || (key_rank != 3 && key_rank != 4 && key_rank != 5)
		|| lt__onnx_has(c, MHA_VALUE) == pair) {
		lt__onnx_refuse(m, "query, key and value are neither given each nor packed");
		return false;
	}
	lt_node q = lt__onnx_in(c, MHA_QUERY), k = all ? q : lt__onnx_in(c, MHA_KEY);
	lt_node v = all || pair ? k : lt__onnx_in(c, MHA_VALUE);
	const int64_t parts = lt__onnx_rank(m, k) == 5 ? lt__onnx_extent(m, k, 3) : 0;
	if (parts && parts != (all ? 3 : 2)) {
		lt__onnx_refuse(m, "a packed value of %lld parts", (long long)parts);
		return false;
	}
	if (parts) {
		v = attention_unpacked(m, k, parts - 1);
		k = attention_unpacked(m, k, parts - 2);
		q = all ? attention_unpacked(m, q, 0) : q;
	}
	const int64_t width = lt__onnx_extent(m, q, 2);
	a->q = attention_operand(c, q, heads, 0);
	a->k = attention_operand(c, k, heads, width);
	a->v = attention_operand(c, v, heads, 2 * width);
	return !lt__onnx_failed(m);
}

void lt__onnx_build_multi_head_attention(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct fused_attention a = { .past = LT_OMIT, .mask = LT_OMIT, .bias = LT_OMIT };
	if (!fused_lacks(c, 8, "the number of keys in a buffer that past and present share")
		|| !fused_lacks(c, 9, "the indirection of a beam search") || !attention_operands(c, &a))
		return;
	if (lt__onnx_has(c, MHA_PAST_KEY) != lt__onnx_has(c, MHA_PAST_VALUE))
		lt__onnx_refuse(m, "past keys and past values go together, and one is missing");
	else if (lt__onnx_has(c, MHA_PAST_KEY) && !lt__onnx_value(c, MHA_PAST_KEY)->empty) {
		a.k = attention_behind(m, &a, lt__onnx_in(c, MHA_PAST_KEY), a.k);
		a.v = attention_behind(m, &a, lt__onnx_in(c, MHA_PAST_VALUE), a.v);
	}
	attention_masked(c, &a, MHA_MASK);
	if (lt__onnx_has(c, MHA_ADDED))
		a.bias = lt__onnx_in(c, MHA_ADDED);
	attention_give(c, &a);
	if (lt__onnx_wants(c, 1))
		lt__onnx_give(c, 1, a.k);
	if (lt__onnx_wants(c, 2))
		lt__onnx_give(c, 2, a.v);
}
