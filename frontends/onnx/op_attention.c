/* op_attention.c -- attention with its masks, and with a cache of keys and values. */
#include <math.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/heads.h"
#include "frontends/onnx/trace.h"

enum { IN_MASK = 3, IN_PAST = 4, IN_USED = 6, OUT_PRESENT = 1, OUT_SCORES = 3 };
enum { SCORES_RAW, SCORES_CAPPED, SCORES_BIASED, SCORES_SOFTMAX };

struct attention {
	lt_node q, k, v;                /* [batch, head, position, element] */
	lt_node past;                   /* how many keys are before those of this call; LT_OMIT: none */
	lt_node used;                   /* keys that count, by batch; LT_OMIT: all */
	lt_node allowed;                /* which keys a query sees; LT_OMIT: all */
	lt_node bias;                   /* what is added to the scores; LT_OMIT: nothing */
	bool rows_empty;                /* there may be a query that sees no key */
};

/* Each value as [batch, head, position, element]. */
static bool attention_read(struct lt_onnx_call *c, struct attention *a)
{
	struct lt_onnx *m = c->m;
	const int64_t q_heads = lt__onnx_int(c, "q_num_heads", 0), kv_heads = lt__onnx_int(c, "kv_num_heads", 0);
	lt_node *const to[3] = { &a->q, &a->k, &a->v };
	const int32_t common = lt__onnx_value(c, 0)->rank;
	for (int32_t i = 0; i < 3; i++) {
		*to[i] = lt__onnx_in(c, i);
		const int32_t rank = lt__onnx_rank(m, *to[i]);
		if (*to[i] < 0)
			return false;
		if ((rank != 3 && rank != 4) || rank != common || !lt__onnx_is_float(m, *to[i])
		    || lt_node_dtype(m->graph, *to[i]) != lt_node_dtype(m->graph, a->q)) {
			lt__onnx_refuse(m, "query, key and value differ in rank or type, or have neither 3 nor 4 axes");
			return false;
		}
		if (rank == 3)
			*to[i] = lt__onnx_heads_apart(m, *to[i], i ? kv_heads : q_heads);
		if (*to[i] < 0)
			return false;
	}
	if (a->q >= 0 && a->k >= 0 && a->v >= 0 && lt__onnx_extent(m, a->k, 1) != lt__onnx_extent(m, a->v, 1))
		lt__onnx_refuse(m, "keys have %lld heads, values %lld", (long long)lt__onnx_extent(m, a->k, 1),
			(long long)lt__onnx_extent(m, a->v, 1));
	/* Numbers come of them: the scale, and how often heads are repeated. */
	return !lt__onnx_failed(m) && lt__onnx_fixed(m, a->q, 3, "the size of a head")
		&& lt__onnx_fixed(m, a->q, 1, "the number of heads") && lt__onnx_fixed(m, a->k, 1, "the number of heads");
}

/* Keys and values behind those of before. */
static void attention_past(struct lt_onnx_call *c, struct attention *a)
{
	struct lt_onnx *m = c->m;
	lt_node *const to[2] = { &a->k, &a->v };
	if (lt__onnx_has(c, IN_PAST) != lt__onnx_has(c, IN_PAST + 1))
		lt__onnx_refuse(m, "past keys and past values go together, and one is missing");
	for (int32_t i = 0; i < 2 && lt__onnx_has(c, IN_PAST + i); i++) {
		const struct lt_onnx_value *past = lt__onnx_value(c, IN_PAST + i);
		if (past->rank != 4) {
			lt__onnx_refuse(m, "past keys and values of rank %d: 4 is expected", past->rank);
			return;
		}
		if (past->empty && past->shape[2] == 0)
			continue;
		const lt_node both[2] = { lt__onnx_in(c, IN_PAST + i), *to[i] };
		a->past = lt__onnx_extent_node(m, both[0], 2);
		*to[i] = lt__onnx_join(m, 2, 2, both);
	}
	for (int32_t i = 0; i < 2; i++)
		if (lt__onnx_wants(c, OUT_PRESENT + i))
			lt__onnx_give(c, OUT_PRESENT + i, *to[i]);
}

static void attention_allow(struct lt_onnx *m, struct attention *a, lt_node more)
{
	a->allowed = a->allowed == LT_OMIT ? more : lt__onnx_op2(m, "and", a->allowed, more);
}

/* Positions along an axis of x, as [n, 1] (axis: the one before the last) or [n]. */
static lt_node attention_place(struct lt_onnx *m, lt_node x, bool last)
{
	const bool mask[2] = { false, true };
	lt_node at = lt__onnx_index(m, x, 2);
	return last ? at : lt__onnx_unsqueeze(m, at, 2, mask);
}

/* Which keys a query sees by their places: up to its own place, within a window, those that count. */
static void attention_places(struct lt_onnx_call *c, struct attention *a)
{
	struct lt_onnx *m = c->m;
	const bool causal = lt__onnx_int(c, "is_causal", 0) != 0;
	const int64_t left = c->version < 25 ? -1 : lt__onnx_int(c, "left_window_size", -1);
	const int64_t right = c->version < 25 ? -1 : lt__onnx_int(c, "right_window_size", -1);
	const bool column[4] = { false, true, true, true };
	lt_node used = a->used == LT_OMIT ? LT_OMIT : lt__onnx_unsqueeze(m, a->used, 4, column);
	lt_node key = attention_place(m, a->k, true), place = attention_place(m, a->q, false);
	if (left < -1 || right < -1)
		lt__onnx_refuse(m, "a window of %lld keys before and %lld behind", (long long)left, (long long)right);
	if (used != LT_OMIT) {
		lt_node queries = lt__onnx_bounded(m, a->q, 2) ? lt__onnx_extent_node(m, a->q, 2) :
			lt__onnx_whole(m, LT_I64, lt__onnx_extent(m, a->q, 2));
		place = lt__onnx_op2(m, "add", place, lt__onnx_op2(m, "sub", used, queries));
	} else if (a->past >= 0) {
		place = lt__onnx_op2(m, "add", place, a->past);
	}
	if (causal)
		attention_allow(m, a, lt__onnx_op2(m, "lessequal", key, place));
	lt_node before = left < 0 && right < 0 ? LT_OMIT : lt__onnx_op2(m, "sub", place, key);
	if (left >= 0)
		attention_allow(m, a, lt__onnx_op2(m, "lessequal", before, lt__onnx_whole(m, LT_I64, left)));
	if (right >= 0)
		attention_allow(m, a, lt__onnx_op2(m, "greaterequal", before, lt__onnx_whole(m, LT_I64, -right)));
	if (used != LT_OMIT)
		attention_allow(m, a, lt__onnx_op2(m, "less", key, used));
	a->rows_empty = used != LT_OMIT || left >= 0 || right >= 0;
}

/* The mask that is given, over all keys: those that it does not reach are not seen. */
static lt_node attention_mask(struct lt_onnx_call *c, struct attention *a)
{
	struct lt_onnx *m = c->m;
	lt_node mask = lt__onnx_in(c, IN_MASK);
	const int32_t rank = lt__onnx_rank(m, mask);
	if (mask < 0)
		return LT_NONE;
	const enum lt_dtype t = lt_node_dtype(m->graph, mask);
	const int64_t keys = lt__onnx_extent(m, a->k, 2), have = rank ? lt__onnx_extent(m, mask, rank - 1) : 0;
	if (rank < 1 || rank > 4 || have > keys || (have == 1 && keys > 1)
	    || (t != LT_BOOL && t != lt_node_dtype(m->graph, a->q))) {
		const struct lt_onnx_value v = lt__onnx_of_node(m, mask);
		lt__onnx_refuse(m, "a mask of %s of the shape %s for %lld keys", lt__onnx_type_name(lt__onnx_type(t)),
			lt__onnx_shape(m, v.rank, v.shape), (long long)keys);
		return LT_NONE;
	}
	if (have == keys)
		return mask;
	const int64_t before[4] = { 0 };
	int64_t after[4] = { 0 };
	after[rank - 1] = keys - have;
	const union lt_scalar fill = t == LT_BOOL ? (union lt_scalar){ .i = 0 } : (union lt_scalar){ .f = -INFINITY };
	return lt_graph_pad(m->graph, mask, before, after, lt__bits_of(fill, t));
}

/* What is added to the scores: the mask, and -inf where a key is not seen. */
static void attention_bias(struct lt_onnx_call *c, struct attention *a)
{
	struct lt_onnx *m = c->m;
	const enum lt_dtype t = lt_node_dtype(m->graph, a->q);
	attention_places(c, a);
	if (lt__onnx_has(c, IN_MASK)) {
		lt_node mask = attention_mask(c, a);
		if (mask >= 0 && lt_node_dtype(m->graph, mask) == LT_BOOL)
			attention_allow(m, a, mask);
		else
			a->bias = mask;
		a->rows_empty = true;
	}
	if (a->allowed != LT_OMIT)
		a->bias = lt__onnx_select(m, a->allowed, a->bias == LT_OMIT ? lt__onnx_number(m, t, 0) : a->bias,
			lt__onnx_number(m, t, -INFINITY));
}

/* Zeros for a query that sees no key, whose softmax is no number. */
static lt_node attention_seen(struct lt_onnx *m, const struct attention *a, lt_node x)
{
	if (!a->rows_empty)
		return x;
	lt_node best = lt__onnx_reduce1(m, "max", lt__onnx_wide(m, a->bias), lt__onnx_rank(m, a->bias) - 1, true);
	lt_node none = lt__onnx_opf(m, "eq", best, -INFINITY);
	return lt__onnx_select(m, none, lt__onnx_number(m, lt_node_dtype(m->graph, x), 0), x);
}

/* Softmax over keys, of the type that is asked for. */
static lt_node attention_softmax(struct lt_onnx *m, lt_node scores, enum lt_dtype precise)
{
	const int32_t last = lt__onnx_rank(m, scores) - 1;
	lt_node y = lt__onnx_cast(m, scores, precise);
	if (lt__dtype_info(precise)->compute == precise) {
		y = lt__onnx_softmax(m, y, last);
	} else {
		/* Each step is rounded to the type that is asked for. */
		y = lt__onnx_op1(m, "exp", lt__onnx_op2(m, "sub", y, lt__onnx_reduce1(m, "max", y, last, true)));
		y = lt__onnx_op2(m, "div", y, lt__onnx_reduce1(m, "add", y, last, true));
	}
	return lt__onnx_cast(m, y, precise);
}

void lt__onnx_build_attention(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct attention a = { .past = LT_OMIT, .used = LT_OMIT, .allowed = LT_OMIT, .bias = LT_OMIT };
	const double softcap = lt__onnx_float(c, "softcap", 0);
	const int64_t mode = lt__onnx_int(c, "qk_matmul_output_mode", 0);
	const bool flat = lt__onnx_value(c, 0)->rank == 3;
	if (!attention_read(c, &a))
		return;
	attention_past(c, &a);
	if (c->version >= 24 && lt__onnx_has(c, IN_USED)) {
		a.used = lt__onnx_in(c, IN_USED);
		if (lt__onnx_has(c, IN_PAST) || lt__onnx_rank(m, a.used) != 1)
			lt__onnx_refuse(m, "the number of keys that count is no vector, or given with past keys");
	}
	if (lt__onnx_failed(m))
		return;
	const enum lt_dtype own = lt_node_dtype(m->graph, a.q);
	const int64_t type = lt__onnx_int(c, "softmax_precision", lt__onnx_type(own)), width = lt__onnx_extent(m, a.q, 3);
	const enum lt_dtype precise = lt__onnx_dtype(type);
	const double scale = lt__onnx_float(c, "scale", 1 / sqrt((double)width));
	if (mode < SCORES_RAW || mode > SCORES_SOFTMAX || !precise || lt__dtype_info(precise)->cls != LT_CLASS_FLOAT
	    || !(scale >= 0) || !(softcap >= 0)) {
		lt__onnx_refuse(m, "attribute 'qk_matmul_output_mode' is %lld, 'softmax_precision' %s, 'scale' %g, 'softcap' %g",
			(long long)mode, lt__onnx_type_name(type), scale, softcap);
		return;
	}
	attention_bias(c, &a);
	if (lt__onnx_failed(m))
		return;
	const int64_t heads = lt__onnx_extent(m, a.q, 1);
	lt_node shown = lt__onnx_scores(m, a.q, a.k, scale), scores = shown;
	if (softcap > 0)
		scores = lt__onnx_opf(m, "mul", lt__onnx_op1(m, "tanh", lt__onnx_opf(m, "div", scores, softcap)), softcap);
	shown = mode == SCORES_CAPPED ? scores : shown;
	if (a.bias != LT_OMIT)
		scores = lt__onnx_op2(m, "add", scores, a.bias);
	shown = mode == SCORES_BIASED ? scores : shown;
	lt_node weight = lt__onnx_cast(m, attention_softmax(m, scores, precise), own);
	shown = mode == SCORES_SOFTMAX ? attention_seen(m, &a, weight) : shown;
	/* Behind the product, so that what is before it is attention as backends have it. */
	lt_node y = attention_seen(m, &a, lt__onnx_matmul(m, weight, lt__onnx_heads_repeated(m, a.v, heads)));
	lt__onnx_give(c, 0, flat ? lt__onnx_heads_joined(m, y) : y);
	if (lt__onnx_wants(c, OUT_SCORES))
		lt__onnx_give(c, OUT_SCORES, shown);
}

/* Scores and weights go through graphs of the model. */
void lt__onnx_build_flex_attention(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct attention a = { .past = LT_OMIT, .used = LT_OMIT, .allowed = LT_OMIT, .bias = LT_OMIT };
	const struct Onnx__GraphProto *of_scores = lt__onnx_graph_attribute(c, "score_mod");
	const struct Onnx__GraphProto *of_weights = lt__onnx_graph_attribute(c, "prob_mod");
	if (!attention_read(c, &a))
		return;
	const enum lt_dtype own = lt_node_dtype(m->graph, a.q), wide = lt__dtype_info(own)->compute;
	const int64_t type = lt__onnx_int(c, "softmax_precision", lt__onnx_type(wide)), heads = lt__onnx_extent(m, a.q, 1);
	const enum lt_dtype precise = lt__onnx_dtype(type);
	const double scale = lt__onnx_float(c, "scale", 1 / sqrt((double)lt__onnx_extent(m, a.q, 3)));
	if (!precise || lt__dtype_info(precise)->cls != LT_CLASS_FLOAT || !(scale >= 0)) {
		lt__onnx_refuse(m, "attribute 'softmax_precision' is %s, 'scale' %g", lt__onnx_type_name(type), scale);
		return;
	}
	lt_node scores = lt__onnx_scores(m, a.q, a.k, scale);
	scores = lt__onnx_apply(c, of_scores, lt__onnx_cast(m, scores, precise));
	if (scores < 0)
		return;
	lt_node weight = attention_softmax(m, scores, precise);
	weight = lt__onnx_apply(c, of_weights, weight);
	if (weight >= 0)
		lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_matmul(m, weight, lt__onnx_cast(m,
			lt__onnx_heads_repeated(m, a.v, heads), precise)), own));
}
