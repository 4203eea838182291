/* compare.c -- results and states of a run before the judge; the bits of two runs. */
#include <math.h>
#include <string.h>
#include "program/judge/judge.h"
#include "tools/check/check.h"

/* One tensor: what the run left, what it should be. */
struct pair { const char *kind, *name; lt_node node; const void *got, *want, *second; };

static const char *index_text(const struct lt_graph *g, lt_node n, const int64_t *at, char *out, size_t bytes)
{
	size_t used = 0;
	out[0] = '\0';
	for (int32_t d = 0; d < g->node[n].n_dim && used + 24 < bytes; d++)
		used += (size_t)snprintf(out + used, bytes - used, d ? ", %lld" : "%lld", (long long)at[d]);
	return out;
}

/* Whether the element holds the poison of both runs. */
static bool holds_poison(const struct pair *p, int64_t flat, size_t bytes)
{
	const unsigned char *a = (const unsigned char *)p->got + (size_t)flat * bytes,
			    *b = (const unsigned char *)p->second + (size_t)flat * bytes;
	for (size_t i = 0; i < bytes; i++)
		if (a[i] != 0xFF || b[i] != 0x5A)
			return false;
	return true;
}

/* No element is what the run found there. */
static bool is_written(const struct check_work *w, const struct lt_evaluation *e, const struct pair *p)
{
	int64_t at[LT_MAX_RANK] = { 0 }, first[LT_MAX_RANK] = { 0 }, flat = 0, first_flat = 0, wrong = 0, all = 0;
	enum lt_dtype t = w->g->node[p->node].dtype;
	char where[120], want[40];
	if (!p->second || lt__is_empty(w->g, e, p->node))
		return true;
	do {
		all++;
		if (holds_poison(p, flat, lt__dtype_info(t)->bytes) && lt__distance(p->got, p->want, flat, t) != 0 && wrong++ == 0) {
			memcpy(first, at, sizeof first);
			first_flat = flat;
		}
	} while (lt__next_element(w->g, e, p->node, at, &flat));
	return wrong == 0 || lt__check_fail(w->out,
		"%s '%s'[%s] was never written (%lld of %lld elements are not); expected %s", p->kind, p->name,
		index_text(w->g, p->node, first, where, sizeof where), (long long)wrong, (long long)all,
		lt__element_text(p->want, first_flat, t, want, sizeof want));
}

/* Whether the reference has an infinity or NaN. */
static bool is_overflown(const struct check_work *w, const struct lt_evaluation *e, const struct pair *p)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	enum lt_dtype t = w->g->node[p->node].dtype;
	bool found = false;
	if (lt__dtype_info(t)->cls != LT_CLASS_FLOAT || lt__is_empty(w->g, e, p->node))
		return false;
	do
		found = !isfinite(lt__load(p->want, flat, t).f);
	while (!found && lt__next_element(w->g, e, p->node, at, &flat));
	return found;
}

static bool is_right(const struct check_work *w, lt_status st, const struct lt_report *r, bool overflown)
{
	if (st)
		return lt__check_fail(w->out, "it cannot be judged: %s", lt_context_message(w->ctx));
	/* Of a tensor one element may be open, or one in a hundred; one in twenty next to infinities and NaN: a sum of
	 * products of the largest numbers overflows or not by its order. */
	if (r->open > 1 && r->open * (overflown ? 20 : 100) > r->elements)
		return lt__check_fail(w->out, "%lld of %lld elements are not verified, such as %s: rounding may explain any value",
			(long long)r->open, (long long)r->elements, r->open_at);
	return !lt__report_failed(r) || lt__check_fail(w->out, "%s", r->first);
}

static const char *label_of(const struct lt_graph *g, lt_node n)
{
	return g->node[n].label ? g->node[n].label : g->node[n].name;
}

/* The new content of a state, or, where nothing sets it, the old one. */
static const void *content_of(const struct check_work *w, const struct lt_evaluation *e, void *const *data, lt_node n)
{
	for (int32_t i = 0; i < w->g->n_set; i++)
		if (w->g->set[i].state == n)
			return lt_eval_state(e, i, NULL);
	return data[n];
}

/* Result i of the graph, or the state after its results; false: there are no more. */
static bool next_pair(
	const struct check_guarded *guarded, const struct check_guarded *second, int32_t i, lt_node *state, struct pair *p)
{
	const struct lt_graph *g = guarded->w->g;
	enum lt_storage_space space = i < g->n_result ? LT_STORAGE_RESULT : LT_STORAGE_STATE;
	int32_t binding = i < g->n_result ? i : i - g->n_result;
	if (space == LT_STORAGE_STATE)
		for (++*state; *state < g->n_node && g->node[*state].op != LT_OP_state; ++*state)
			;
	if (*state >= g->n_node)
		return false;
	*p = space == LT_STORAGE_RESULT
		? (struct pair){ .kind = "result", .name = g->result[i].name, .node = g->result[i].node }
		: (struct pair){ .kind = "state", .name = label_of(g, *state), .node = *state };
	p->got = lt__check_guarded_at(guarded, space, binding);
	p->second = second ? lt__check_guarded_at(second, space, binding) : NULL;
	return true;
}

bool lt__check_compare(
	struct check_guarded *guarded, struct lt_judge *judge, void *const *data, const struct check_guarded *second)
{
	const struct check_work *w = guarded->w;
	const struct lt_evaluation *e = lt__judge_reference(judge);
	struct pair p;
	lt_node state = -1;
	for (int32_t i = 0; next_pair(guarded, second, i, &state, &p); i++) {
		struct lt_report r = { 0 };
		if (!p.got)
			continue;
		p.want = state < 0 ? lt_eval_result(e, i, NULL) : content_of(w, e, data, p.node);
		if (!is_written(w, e, &p))
			return false;
		lt_status st = state < 0 ? lt__judge_result(judge, i, p.got, &r) : lt__judge_state(judge, p.node, p.got, &r);
		w->out->elements += r.elements;
		w->out->open += r.open;
		if (!is_right(w, st, &r, is_overflown(w, e, &p)))
			return false;
	}
	return true;
}

/* -- the same bits -- */

static bool pair_same(const struct check_work *w, const struct lt_evaluation *e, const struct pair *p, const char *what)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	enum lt_dtype t = w->g->node[p->node].dtype;
	size_t bytes = lt__dtype_info(t)->bytes;
	char where[120], a[40], b[40];
	if (!p->got || lt__is_empty(w->g, e, p->node))
		return true;
	do {
		if (memcmp((const char *)p->got + (size_t)flat * bytes, (const char *)p->second + (size_t)flat * bytes, bytes))
			return lt__check_fail(w->out, "%s '%s'[%s] has other bits %s: %s, then %s", p->kind, p->name,
				index_text(w->g, p->node, at, where, sizeof where), what, lt__element_text(p->got, flat, t, a, sizeof a),
				lt__element_text(p->second, flat, t, b, sizeof b));
	} while (lt__next_element(w->g, e, p->node, at, &flat));
	return true;
}

bool lt__check_same_bits(
	const struct check_guarded *guarded, const struct check_guarded *second, const struct lt_judge *judge,
	const char *what)
{
	struct pair p;
	lt_node state = -1;
	bool good = true;
	for (int32_t i = 0; good && next_pair(guarded, second, i, &state, &p); i++)
		good = pair_same(guarded->w, lt__judge_reference(judge), &p, what);
	return good;
}
