/* op_sequence.c -- layers over sequences that are not attention as such: linear attention, rotary
 * positions, a convolution with its state, a cache that is written. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/heads.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/trace.h"

enum { MAX_STEPS = 4096 };

/* Position t of [batch, head, position, n] as [batch, head, n]. */
static lt_node step_of(struct lt_onnx *m, lt_node x, int64_t t)
{
	const bool mask[4] = { false, false, true, false };
	return lt__onnx_squeeze(m, lt__onnx_slice(m, x, 2, t, t + 1, 1), mask);
}

struct linear_attention {
	lt_node q, k, v, decay, beta;   /* [batch, head, position, n], float32; LT_OMIT: not there */
	lt_node state;                  /* [batch, head, key element, value element]; LT_OMIT: zeros */
};

/* One step of the state: forgets, corrects what it has for the key, adds the key's value. */
static void linear_step(struct lt_onnx *m, struct linear_attention *a, int64_t t)
{
	lt_node key = lt__onnx_insert(m, step_of(m, a->k, t), 3), value = lt__onnx_insert(m, step_of(m, a->v, t), 2);
	if (a->decay != LT_OMIT && a->state != LT_OMIT) {
		lt_node factor = lt__onnx_insert(m, lt__onnx_op1(m, "exp", step_of(m, a->decay, t)), 3);
		a->state = lt__onnx_op2(m, "mul", a->state, factor);
	}
	if (a->beta != LT_OMIT) {
		if (a->state != LT_OMIT) {
			lt_node found = lt__onnx_reduce1(m, "add", lt__onnx_op2(m, "mul", a->state, key), 2, true);
			value = lt__onnx_op2(m, "sub", value, found);
		}
		value = lt__onnx_op2(m, "mul", lt__onnx_insert(m, step_of(m, a->beta, t), 3), value);
	}
	lt_node more = lt__onnx_op2(m, "mul", key, value);
	a->state = a->state == LT_OMIT ? more : lt__onnx_op2(m, "add", a->state, more);
}

/* Decay and beta of input i: one number for each head (beta: or for all), or (decay) for each element of the key. */
static lt_node linear_gate(struct lt_onnx_call *c, int32_t i, bool wanted, int64_t heads, const char *rule)
{
	if (lt__onnx_has(c, i) != wanted) {
		lt__onnx_refuse(c->m, "attribute 'update_rule' is '%s', and input %d is %s", rule, i, wanted ? "missing" : "given");
		return LT_NONE;
	}
	if (!wanted)
		return LT_OMIT;
	lt_node x = lt__onnx_in(c, i);
	if (x >= 0 && lt__onnx_rank(c->m, x) == 3 && i == 5 && lt__onnx_extent(c->m, x, 2) == 1)
		heads = 1;
	return lt__onnx_cast(c->m, lt__onnx_heads_apart(c->m, x, heads), LT_F32);
}

static bool linear_read(struct lt_onnx_call *c, struct linear_attention *a, int64_t q_heads, int64_t heads)
{
	struct lt_onnx *m = c->m;
	const char *rule = lt__onnx_text(c, "update_rule", "gated_delta");
	const bool gated = !strncmp(rule, "gated", 5), delta = !strcmp(rule, "delta") || !strcmp(rule, "gated_delta");
	lt__onnx_ignore(c, "chunk_size");
	if (!delta && strcmp(rule, "linear") && strcmp(rule, "gated")) {
		lt__onnx_refuse(m, "attribute 'update_rule' is '%s'", rule);
		return false;
	}
	lt_node *const to[3] = { &a->q, &a->k, &a->v };
	for (int32_t i = 0; i < 3; i++)
		*to[i] = lt__onnx_cast(m, lt__onnx_heads_apart(m, lt__onnx_in(c, i), i ? heads : q_heads), LT_F32);
	a->state = lt__onnx_has(c, 3) ? lt__onnx_cast(m, lt__onnx_in(c, 3), LT_F32) : LT_OMIT;
	a->decay = linear_gate(c, 4, gated, heads, rule);
	a->beta = linear_gate(c, 5, delta, heads, rule);
	if (lt__onnx_failed(m) || !lt__onnx_fixed(m, a->q, 3, "the size of a head"))
		return false;
	if (lt__onnx_bounded(m, a->q, 2) || lt__onnx_extent(m, a->q, 2) > MAX_STEPS
	    || lt__onnx_extent(m, a->q, 2) != lt__onnx_extent(m, a->k, 2)) {
		lt__onnx_refuse(m, "a sequence of %lld positions: each is put in, and so it has to be known and at most %d: fix it "
			"by --dim", (long long)lt__onnx_extent(m, a->q, 2), MAX_STEPS);
		return false;
	}
	return true;
}

void lt__onnx_build_linear_attention(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct linear_attention a;
	const int64_t q_heads = lt__onnx_int(c, "q_num_heads", 0), heads = lt__onnx_int(c, "kv_num_heads", 0);
	const enum lt_dtype t = lt__onnx_value(c, 0)->dtype;
	const enum lt_dtype t_state = lt__onnx_has(c, 3) ? lt__onnx_value(c, 3)->dtype : t;
	double scale = lt__onnx_float(c, "scale", 0);
	if (!linear_read(c, &a, q_heads, heads))
		return;
	scale = scale != 0 ? scale : 1 / sqrt((double)lt__onnx_extent(m, a.q, 3));
	const int64_t steps = lt__onnx_extent(m, a.q, 2);
	lt_node *y = LT_NEW(m->arena, lt_node, steps + 1);
	for (int64_t i = 0; i < steps && !lt__onnx_failed(m); i++) {
		linear_step(m, &a, i);
		lt_node q = lt__onnx_insert(m, step_of(m, a.q, i), 3), state = lt__onnx_heads_repeated(m, a.state, q_heads);
		lt_node sum = lt__onnx_reduce1(m, "add", lt__onnx_op2(m, "mul", state, q), 2, true);
		y[i] = lt__onnx_opf(m, "mul", sum, scale);
	}
	if (lt__onnx_failed(m))
		return;
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_heads_joined(m, lt__onnx_concat(m, 2, (int32_t)steps, y)), t));
	if (lt__onnx_wants(c, 1))
		lt__onnx_give(c, 1, lt__onnx_cast(m, a.state, t_state));
}

/* cos and sin of each position, [batch or 1, position, 1, n] */
static lt_node rotary_table(struct lt_onnx_call *c, int32_t i, int64_t n)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, i);
	const int32_t rank = lt__onnx_has(c, 3) ? 2 : 3;
	if (x >= 0 && (lt__onnx_rank(m, x) != rank || lt__onnx_extent(m, x, rank - 1) != n)) {
		const struct lt_onnx_value v = lt__onnx_of_node(m, x);
		lt__onnx_refuse(m, "a cache of the shape %s where %lld numbers are turned", lt__onnx_shape(m, v.rank, v.shape),
			(long long)(2 * n));
		return LT_NONE;
	}
	if (lt__onnx_has(c, 3))
		x = lt__onnx_gather(m, x, lt__onnx_in(c, 3), 0);
	return x < 0 ? LT_NONE : lt__onnx_insert(m, x, 2);
}

void lt__onnx_build_rotary_embedding(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0);
	const int32_t rank = lt__onnx_rank(m, x);
	const int64_t heads = lt__onnx_int(c, "num_heads", 0), part = lt__onnx_int(c, "rotary_embedding_dim", 0);
	const bool paired = lt__onnx_int(c, "interleaved", 0) != 0;
	if (x < 0)
		return;
	if (rank != 3 && rank != 4) {
		lt__onnx_refuse(m, "a value of rank %d: 3 or 4 is expected", rank);
		return;
	}
	/* [batch, position, head, n] */
	x = lt__onnx_swap(m, rank == 3 ? lt__onnx_heads_apart(m, x, heads) : x, 1, 2);
	if (!lt__onnx_fixed(m, x, 3, "the size of a head"))
		return;
	const int64_t width = lt__onnx_extent(m, x, 3), turned = part ? part : width, half = turned / 2;
	if (turned < 2 || turned % 2 || turned > width) {
		lt__onnx_refuse(m, "%lld of %lld elements of a head are turned", (long long)turned, (long long)width);
		return;
	}
	lt_node cosine = rotary_table(c, 1, half), sine = rotary_table(c, 2, half);
	lt_node all = lt__onnx_swap(m, lt__onnx_heads_turned(m, x, cosine, sine, turned, paired), 1, 2);
	lt__onnx_give(c, 0, rank == 3 ? lt__onnx_heads_joined(m, all) : all);
}

/* x [batch, channel, position] by w [channel, 1, tap], with the positions before it from the state. */
void lt__onnx_build_causal_conv(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *activation = lt__onnx_text(c, "activation", "none");
	const bool silu = !strcmp(activation, "silu") || !strcmp(activation, "swish");
	lt_node x = lt__onnx_in(c, 0), w = lt__onnx_in(c, 1);
	if (x < 0 || w < 0)
		return;
	if (lt__onnx_rank(m, x) != 3 || lt__onnx_rank(m, w) != 3 || lt__onnx_extent(m, w, 1) != 1
	    || lt__onnx_extent(m, w, 0) != lt__onnx_extent(m, x, 1) || (!silu && strcmp(activation, "none"))) {
		lt__onnx_refuse(m, "attribute 'activation' is '%s', or weights are not [channels, 1, taps]", activation);
		return;
	}
	const enum lt_dtype t = lt_node_dtype(m->graph, x);
	if (!lt__onnx_fixed(m, w, 2, "the number of taps"))
		return;
	const int64_t taps = lt__onnx_extent(m, w, 2), length = lt__onnx_extent(m, x, 2);
	const int64_t before[3] = { 0, 0, taps - 1 }, after[3] = { 0 };
	lt_node padded = x;
	const struct lt_onnx_value *state = lt__onnx_has(c, 3) ? lt__onnx_value(c, 3) : NULL;
	if (taps > 1 && state && (state->rank != 3 || state->shape[2] != taps - 1)) {
		lt__onnx_refuse(m, "a state %s for %lld taps", lt__onnx_shape(m, state->rank, state->shape), (long long)taps);
		return;
	}
	if (taps > 1)
		padded = lt__onnx_has(c, 3) ? lt__onnx_concat(m, 2, 2, (const lt_node[]){ lt__onnx_in(c, 3), x }) :
			lt_graph_pad(m->graph, x, before, after, 0);
	padded = lt__onnx_wide(m, padded);
	if (padded < 0)
		return;
	lt_node windows = lt_graph_window(m->graph, padded, 2, lt__onnx_like(m, x, 2), lt__onnx_var(m, taps), 1, 1, 0, 0);
	lt_node y = lt__onnx_reduce1(m, "add", lt__onnx_op2(m, "mul", windows, lt__onnx_wide(m, w)), 3, false);
	if (lt__onnx_has(c, 2))
		y = lt__onnx_op2(m, "add", y, lt__onnx_wide(m, lt__onnx_insert(m, lt__onnx_in(c, 2), 1)));
	y = lt__onnx_wide(m, lt__onnx_cast(m, y, t));
	if (silu)
		y = lt__onnx_op2(m, "mul", y, lt__onnx_op1(m, "sigmoid", y));
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, t));
	if (!lt__onnx_wants(c, 1))
		return;
	if (taps == 1) {
		const int64_t shape[3] = { lt__onnx_extent(m, x, 0), lt__onnx_extent(m, x, 1), 0 };
		lt__onnx_give_data(c, 1, t, 3, shape, NULL);
		return;
	}
	lt__onnx_give(c, 1, lt__onnx_cast(m, lt__onnx_slice(m, padded, 2, length, length + taps - 1, 1), t));
}

/* An update [batch, .., u, ..] put at place index[batch] of an axis; circular: from its begin again. */
void lt__onnx_build_tensor_scatter(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), update = lt__onnx_in(c, 1);
	const char *mode = lt__onnx_text(c, "mode", "linear");
	const int32_t rank = lt__onnx_rank(m, x), axis = lt__onnx_axis(m, lt__onnx_int(c, "axis", -2), rank);
	if (x < 0 || update < 0 || axis < 0)
		return;
	bool fits = axis > 0 && lt__onnx_rank(m, update) == rank && (!strcmp(mode, "linear") || !strcmp(mode, "circular"));
	for (int32_t i = 0; fits && i < rank; i++)
		fits = i == axis ? lt__onnx_extent(m, update, i) <= lt__onnx_extent(m, x, i) :
			lt__onnx_extent(m, update, i) == lt__onnx_extent(m, x, i);
	if (!fits) {
		lt__onnx_refuse(m, "attribute 'mode' is '%s', 'axis' %d, or the update does not fit into the cache", mode, axis);
		return;
	}
	lt_node n = lt__onnx_extent_node(m, x, axis), length = lt__onnx_extent_node(m, update, axis);
	const bool first[2] = { true, false }, second[2] = { false, true };
	/* [batch, place]: which element of the update is there */
	lt_node place = lt__onnx_unsqueeze(m, lt_graph_index(m->graph, lt__onnx_like(m, x, axis)), 2, first);
	const struct lt_linear batch = lt__onnx_extent_sum(m, x, 0);
	lt_node begin = lt__onnx_has(c, 2) ? lt__onnx_in(c, 2) :
		lt__onnx_expand_to(m, lt__onnx_whole(m, LT_I64, 0), 1, &batch);
	lt_node at = lt__onnx_op2(m, "sub", place, lt__onnx_unsqueeze(m, lt__onnx_cast(m, begin, LT_I64), 2, second));
	if (!strcmp(mode, "circular"))
		at = lt__onnx_op2(m, "mod", at, n);
	lt_node hit = lt__onnx_op2(m, "and", lt__onnx_opf(m, "greaterequal", at, 0), lt__onnx_op2(m, "less", at, length));
	at = lt__onnx_select(m, hit, at, lt__onnx_whole(m, LT_I64, 0));
	if (at < 0)
		return;
	/* The batch is one var of both; what is read comes in the order of the cache's axes. */
	lt_var own[2] = { lt_node_dim(m->graph, update, 0), lt_node_dim(m->graph, at, 1) }, want[LT_MAX_RANK];
	const int32_t same[2] = { 0, 1 };
	bool others[LT_MAX_RANK];
	int32_t to[LT_MAX_RANK] = { 0 };
	lt_node y = lt_graph_gather(m->graph, update, lt__onnx_view(m, at, 2, own, same), axis);
	for (int32_t i = 0; i < rank; i++) {
		want[i] = i == axis ? own[1] : lt_node_dim(m->graph, update, i);
		others[i] = i != axis && i != 0;
	}
	for (int32_t i = 0; y >= 0 && i < rank; i++)
		for (int32_t k = 0; k < rank; k++)
			to[i] = lt_node_dim(m->graph, y, i) == want[k] ? k : to[i];
	y = lt__onnx_view(m, y, rank, want, to);
	lt__onnx_give(c, 0, lt__onnx_select(m, lt__onnx_unsqueeze(m, hit, rank, others), y, x));
}

/* a sigmoid(alpha a) b */
void lt__onnx_build_swiglu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const struct lt_onnx_value *v = lt__onnx_value(c, 0);
	const double alpha = lt__onnx_float(c, "alpha", 1);
	lt_node a = lt__onnx_wide(m, lt__onnx_in(c, 0)), b = lt__onnx_wide(m, lt__onnx_in(c, 1));
	lt_node gate = lt__onnx_op2(m, "mul", a, lt__onnx_op1(m, "sigmoid", lt__onnx_opf(m, "mul", a, alpha)));
	lt__onnx_give(c, 0, lt__onnx_cast(m, lt__onnx_op2(m, "mul", gate, b), v->dtype));
}
