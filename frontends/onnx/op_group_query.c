/* op_group_query.c -- com.microsoft's attention of decoders: heads of queries share heads of keys, keys and values
 * stand behind those of a past, or in a buffer that past and present share, positions may be rotary.
 *
 * A query of number i of this call is at position `before` + i, and sees keys up to its own: `before` is another for
 * each of a batch where the past is not as long for all.
 */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/heads.h"
#include "frontends/onnx/take.h"
#include "frontends/onnx/trace.h"

enum { IN_QUERY, IN_KEY, IN_VALUE, IN_PAST, IN_LENGTHS = 5, IN_TOTAL, IN_COSINE, IN_SINE, IN_PLACES, IN_ADDED,
	IN_OTHERS, N_IN = 17 };
enum { OUT_PRESENT = 1, OUT_SCORES = 3 };

struct group_query {
	lt_node q, k, v;                /* [batch, head, position, element] */
	lt_node before;                 /* positions before those of this call, [batch, 1, 1, 1]; LT_OMIT: none */
	lt_node past[2];                /* keys and values; LT_OMIT: none */
	int64_t queries, total;         /* positions of this call, and of all; known where there is a past */
	bool one;                       /* a batch of one */
};

/* What is not built: other inputs and attributes change what is computed. */
static bool group_query_plain(struct lt_onnx_call *c)
{
	static const struct { const char *name; int64_t number; } only[] = { { "causal", 1 }, { "kv_cache_bit_width", 0 },
		{ "qk_output", 0 }, { "sliding_window_cache", 0 } };
	static const char *const texts[] = { "k_quant_type", "v_quant_type" };
	struct lt_onnx *m = c->m;
	for (size_t i = 0; i < sizeof only / sizeof *only; i++)
		if (lt__onnx_int(c, only[i].name, only[i].number) != only[i].number)
			lt__onnx_refuse(m, "attribute '%s' is not %lld", only[i].name, (long long)only[i].number);
	if (lt__onnx_int(c, "smooth_softmax", 0) > 0)
		lt__onnx_refuse(m, "attribute 'smooth_softmax' is not 0");
	if (lt__onnx_int(c, "local_window_size", -1) == 0)
		lt__onnx_refuse(m, "attribute 'local_window_size' is 0, with which no query sees a key: -1 is for no window");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(lt__onnx_text(c, texts[i], "NONE"), "NONE") != 0)
			lt__onnx_refuse(m, "attribute '%s' is '%s'", texts[i], lt__onnx_text(c, texts[i], "NONE"));
	lt__onnx_ignore(c, "q_norm_epsilon");           /* of inputs that are refused */
	lt__onnx_ignore(c, "k_norm_epsilon");
	lt__onnx_ignore(c, "qk_norm_epsilon");
	for (int32_t i = IN_OTHERS; i < N_IN; i++)
		if (lt__onnx_has(c, i))
			lt__onnx_refuse(m, "input %d is not supported", i);
	/* ONNX Runtime reads one of a prompt's, and none on some devices. */
	if (lt__onnx_has(c, IN_PLACES))
		lt__onnx_refuse(m, "input %d, positions, is not supported: leave it out for those behind the past", IN_PLACES);
	if (lt__onnx_wants(c, OUT_SCORES))
		lt__onnx_refuse(m, "output %d, the scores, is not supported", OUT_SCORES);
	return !lt__onnx_failed(m);
}

/* Query, key and value, given each or side by side in one. */
static bool group_query_operands(struct lt_onnx_call *c, struct group_query *a)
{
	struct lt_onnx *m = c->m;
	const int64_t heads = lt__onnx_int(c, "num_heads", 0), shared = lt__onnx_int(c, "kv_num_heads", 0);
	lt_node q = lt__onnx_in(c, IN_QUERY), k, v;
	if (lt__onnx_rank(m, q) != 3 || heads < 1 || shared < 1 || lt__onnx_has(c, IN_KEY) != lt__onnx_has(c, IN_VALUE)) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "a query of rank %d with %lld heads, and %lld of the keys: [batch, position, elements] is "
				"expected, with keys and values or without both", lt__onnx_rank(m, q), (long long)heads, (long long)shared);
		return false;
	}
	if (lt__onnx_has(c, IN_KEY)) {
		k = lt__onnx_in(c, IN_KEY);
		v = lt__onnx_in(c, IN_VALUE);
	} else {
		const int64_t all = lt__onnx_extent(m, q, 2), width = all / (heads + 2 * shared), at = heads * width;
		if (all % (heads + 2 * shared)) {
			lt__onnx_refuse(m, "%lld elements are not %lld heads of a query and two times %lld", (long long)all,
				(long long)heads, (long long)shared);
			return false;
		}
		k = lt__onnx_slice(m, q, 2, at, at + shared * width, 1);
		v = lt__onnx_slice(m, q, 2, at + shared * width, all, 1);
		q = lt__onnx_slice(m, q, 2, 0, at, 1);
	}
	a->q = lt__onnx_heads_apart(m, q, heads);
	a->k = lt__onnx_heads_apart(m, k, shared);
	a->v = lt__onnx_heads_apart(m, v, shared);
	return !lt__onnx_failed(m) && lt__onnx_fixed(m, a->q, 3, "the size of a head");
}

/* The lengths are one for each of the batch, on axes of any number. */
static bool group_query_lengths_fit(struct lt_onnx_call *c, const struct group_query *a)
{
	struct lt_onnx *m = c->m;
	if (!lt__onnx_has(c, IN_LENGTHS))
		return true;
	const struct lt_onnx_value *lengths = lt__onnx_value(c, IN_LENGTHS);
	const int64_t batch = lt__onnx_extent(m, a->q, 0);
	if (lengths->rank > 0 && lt__onnx_elems(lengths) == batch)
		return true;
	lt__onnx_refuse(m, "input %d, seqlens_k, is %s: [%lld], one for each of the batch, is expected", IN_LENGTHS,
		lt__onnx_shape(m, lengths->rank, lengths->shape), (long long)batch);
	return false;
}

/* How much is before this call of each of a batch, [batch, 1, 1, 1], by the last position of each: looked up, as what
 * is not in the present, or leaves no place for the queries, is the run's fault. */
static lt_node group_query_before(struct lt_onnx *m, const struct group_query *a, int64_t room, lt_node last)
{
	static const bool column[4] = { false, true, true, true };
	const int64_t n = (a->total > room ? a->total : room) - a->queries + 1;
	double *at = LT_ONNX_TABLE(m, double, n);
	for (int64_t i = 0; i < n; i++)
		at[i] = (double)i;
	lt_node before = lt__onnx_opf(m, "add", lt__onnx_cast(m, last, LT_I64), 1 - (double)a->queries);
	before = lt__onnx_gather(m, lt__onnx_table(m, "before", LT_I64, 1, &n, at), before, 0);
	if (before >= 0)
		lt_node_set_name(m->graph, before, "seqlens_k");
	return lt__onnx_unsqueeze(m, before, 4, column);
}

/* How much is before this call. */
static bool group_query_past(struct lt_onnx_call *c, struct group_query *a)
{
	struct lt_onnx *m = c->m;
	if (lt__onnx_has(c, IN_PAST) != lt__onnx_has(c, IN_PAST + 1)) {
		lt__onnx_refuse(m, "past keys and past values go together, and one is missing");
		return false;
	}
	const struct lt_onnx_value *past = lt__onnx_has(c, IN_PAST) ? lt__onnx_value(c, IN_PAST) : NULL;
	if (!past || (past->empty && past->rank == 4 && past->shape[2] == 0))
		return true;
	if (past->rank != 4 || lt__onnx_value(c, IN_PAST + 1)->rank != 4) {
		lt__onnx_refuse(m, "past keys and values of rank %d: [batch, heads, positions, elements] is expected", past->rank);
		return false;
	}
	for (int i = 0; i < 2; i++)
		a->past[i] = lt__onnx_in(c, IN_PAST + i);
	const int64_t batch = lt__onnx_extent(m, a->q, 0);
	lt_node lengths = lt__onnx_reshape(m, lt__onnx_in(c, IN_LENGTHS), 1, &batch);
	a->total = lt__onnx_in_int(c, IN_TOTAL, "the number of positions", 0);
	if (lt__onnx_failed(m) || !lt__onnx_fixed(m, a->q, 2, "the number of queries")
		|| !lt__onnx_fixed(m, a->past[0], 2, "the number of positions of the past"))
		return false;
	const int64_t room = lt__onnx_extent(m, a->past[0], 2);
	a->queries = lt__onnx_extent(m, a->q, 2);
	a->one = !lt__onnx_bounded(m, a->q, 0) && batch == 1;
	if (a->total == a->queries && room >= a->total)         /* the first ones of a buffer */
		return true;
	if (a->total < a->queries || a->total > room + a->queries || (a->queries > 1 && !a->one)) {
		lt__onnx_refuse(m, "%lld queries, a past of %lld positions and %lld in all: several queries stand behind the past "
			"of a batch of 1, or are the first of a buffer", (long long)a->queries, (long long)room, (long long)a->total);
		return false;
	}
	/* What is added to the scores has no more than `total`. */
	a->before = group_query_before(m, a, lt__onnx_has(c, IN_ADDED) ? a->total : room, lengths);
	return !lt__onnx_failed(m);
}

/* x [batch, head, position, element] turned by its positions. */
static lt_node group_query_turned(struct lt_onnx_call *c, const struct group_query *a, lt_node x)
{
	struct lt_onnx *m = c->m;
	lt_node by_place[2], places = lt__onnx_index(m, x, 2);
	if (a->before != LT_OMIT) {
		const bool row[4] = { false, false, true, true };
		places = lt__onnx_op2(m, "add", lt__onnx_squeeze(m, a->before, row), places);
	}
	if (!lt__onnx_has(c, IN_COSINE) || !lt__onnx_has(c, IN_SINE) || places < 0) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "attribute 'do_rotary' is 1, and there are no cosines or sines");
		return LT_NONE;
	}
	for (int i = 0; i < 2; i++) {
		lt_node table = lt__onnx_in(c, IN_COSINE + i);
		if (lt__onnx_rank(m, table) != 2 || 2 * lt__onnx_extent(m, table, 1) > lt__onnx_extent(m, x, 3)) {
			if (!lt__onnx_failed(m))
				lt__onnx_refuse(m, "cosines or sines of rank %d, or more than half a head has", lt__onnx_rank(m, table));
			return LT_NONE;
		}
		by_place[i] = lt__onnx_gather(m, table, places, 0);             /* [batch, position, half], or without a batch */
		if (lt__onnx_rank(m, by_place[i]) == 2)
			by_place[i] = lt__onnx_insert(m, by_place[i], 0);
		by_place[i] = lt__onnx_insert(m, by_place[i], 2);
	}
	const int64_t turned = 2 * lt__onnx_extent(m, by_place[0], 3);
	const bool paired = lt__onnx_int(c, "rotary_interleaved", 0) != 0;
	return lt__onnx_swap(m, lt__onnx_heads_turned(m, lt__onnx_swap(m, x, 1, 2), by_place[0], by_place[1], turned, paired),
		1, 2);
}

/* New keys or values behind the past, or at their place in it; *all: what the present has. */
static lt_node group_query_present(
	struct lt_onnx *m, const struct group_query *a, lt_node past, lt_node x, lt_node *all)
{
	static const bool alone[4] = { true, true, false, true };
	const lt_node behind[2] = { past, x };
	*all = x;
	if (past == LT_OMIT)
		return x;
	const int64_t room = lt__onnx_extent(m, past, 2);
	if (a->before == LT_OMIT) {
		const lt_node both[2] = { x, room > a->queries ? lt__onnx_slice(m, past, 2, a->queries, room, 1) : LT_OMIT };
		*all = both[1] == LT_OMIT ? x : lt__onnx_join(m, 2, 2, both);
		return x;
	}
	*all = a->total > room ? lt__onnx_join(m, 2, 2, behind) : past;
	lt_node place = lt__onnx_op2(m, "sub", lt__onnx_positions(m, *all, 2), a->before);      /* among the new ones */
	if (a->queries == 1) {          /* each of a batch has its own place for it */
		*all = lt__onnx_select(m, lt__onnx_opf(m, "eq", place, 0), x, *all);
		return *all;
	}
	lt_node inside = lt__onnx_op2(m, "and", lt__onnx_opf(m, "greaterequal", place, 0),
		lt__onnx_opf(m, "less", place, (double)a->queries));
	lt_node at = lt__onnx_squeeze(m, lt__onnx_select(m, inside, place, lt__onnx_whole(m, LT_I64, 0)), alone);
	*all = lt__onnx_select(m, inside, lt__onnx_gather(m, x, at, 2), *all);
	return *all;
}

/* What is added to the scores: -inf where a key is behind a query, or too far before it. */
static lt_node group_query_mask(struct lt_onnx_call *c, const struct group_query *a, enum lt_dtype wide)
{
	struct lt_onnx *m = c->m;
	const int64_t window = lt__onnx_int(c, "local_window_size", -1);
	const bool row[2] = { false, true };
	lt_node key = lt__onnx_index(m, a->k, 2), place = lt__onnx_unsqueeze(m, lt__onnx_index(m, a->q, 2), 2, row);
	if (a->before != LT_OMIT)
		place = lt__onnx_op2(m, "add", place, a->before);
	lt_node seen = lt__onnx_op2(m, "lessequal", key, place);
	if (window > 0)
		seen = lt__onnx_op2(m, "and", seen, lt__onnx_op2(m, "greater", key, lt__onnx_opf(m, "sub", place, (double)window)));
	return lt__onnx_select(m, seen, lt__onnx_number(m, wide, 0), lt__onnx_number(m, wide, -INFINITY));
}

/* What is given to be added to the scores of [batch, head, query, key]. */
static lt_node group_query_added(struct lt_onnx_call *c, lt_node scores)
{
	struct lt_onnx *m = c->m;
	const struct lt_onnx_value *added = lt__onnx_value(c, IN_ADDED);
	int64_t want[4];
	bool fits = added->rank == 4;
	for (int32_t i = 0; i < 4; i++) {
		want[i] = lt__onnx_extent(m, scores, i);
		fits = fits && (added->shape[i] == want[i] || (i < 2 && added->shape[i] == 1));
	}
	if (fits)
		return lt__onnx_wide(m, lt__onnx_in(c, IN_ADDED));
	if (!lt__onnx_failed(m))
		lt__onnx_refuse(m, "input %d, attention_bias, is %s: %s is expected, the batch or 1, the heads or 1, "
			"the queries and the positions in all", IN_ADDED, lt__onnx_shape(m, added->rank, added->shape),
			lt__onnx_shape(m, 4, want));
	return LT_NONE;
}

void lt__onnx_build_group_query_attention(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct group_query a = { .before = LT_OMIT, .past = { LT_OMIT, LT_OMIT } };
	lt_node all[2];
	if (!group_query_plain(c) || !group_query_operands(c, &a) || !group_query_lengths_fit(c, &a)
		|| !group_query_past(c, &a))
		return;
	const enum lt_dtype own = lt_node_dtype(m->graph, a.q), wide = lt__dtype_info(own)->compute;
	const double given = lt__onnx_float(c, "scale", 0), softcap = lt__onnx_float(c, "softcap", 0);
	const double scale = given != 0 ? given : 1 / sqrt((double)lt__onnx_extent(m, a.q, 3));
	if (lt__onnx_int(c, "do_rotary", 0)) {
		a.q = group_query_turned(c, &a, a.q);
		a.k = group_query_turned(c, &a, a.k);
	}
	(void)lt__onnx_int(c, "rotary_interleaved", 0);
	if (!(scale > 0) || !(softcap >= 0) || lt__onnx_failed(m)) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "attribute 'scale' is %g, 'softcap' %g", scale, softcap);
		return;
	}
	a.k = group_query_present(m, &a, a.past[0], a.k, &all[0]);
	a.v = group_query_present(m, &a, a.past[1], a.v, &all[1]);
	for (int32_t i = 0; i < 2; i++)
		if (lt__onnx_wants(c, OUT_PRESENT + i))
			lt__onnx_give(c, OUT_PRESENT + i, all[i]);
	/* It is for the keys of `total` positions, also where a buffer has room for more. */
	if (lt__onnx_has(c, IN_ADDED) && a.past[0] != LT_OMIT && lt__onnx_extent(m, a.k, 2) > a.total) {
		a.k = lt__onnx_slice(m, a.k, 2, 0, a.total, 1);
		a.v = lt__onnx_slice(m, a.v, 2, 0, a.total, 1);
	}
	lt_node scores = lt__onnx_wide(m, lt__onnx_scores(m, a.q, a.k, scale));
	if (softcap > 0)
		scores = lt__onnx_opf(m, "mul", lt__onnx_op1(m, "tanh", lt__onnx_opf(m, "div", scores, softcap)), softcap);
	if (lt__onnx_has(c, IN_ADDED))
		scores = lt__onnx_op2(m, "add", scores, group_query_added(c, scores));
	scores = lt__onnx_op2(m, "add", scores, group_query_mask(c, &a, wide));
	lt_node weight = lt__onnx_cast(m, lt__onnx_softmax(m, scores, 3), own);
	lt_node v = lt__onnx_heads_repeated(m, a.v, lt__onnx_extent(m, a.q, 1));
	lt__onnx_give(c, 0, lt__onnx_heads_joined(m, lt__onnx_matmul(m, weight, v)));
}
