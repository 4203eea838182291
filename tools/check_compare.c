/* tools/check_compare.c -- results and states of a run beside the evaluator's. */
#include <math.h>
#include <string.h>
#include "check/compare.h"
#include "tools/check.h"

/* One tensor: what the run left, what it should be, how far it may be off. */
struct pair { const char *kind, *name; lt_node node; const void *got, *want, *second; const double *bound; };

static const char *place_text(const struct lt_graph *g, lt_node n, const int64_t *at, char *out, size_t bytes)
{
	size_t used = 0;
	out[0] = '\0';
	for (int32_t d = 0; d < g->node[n].n_dim && used + 24 < bytes; d++)
		used += (size_t)snprintf(out + used, bytes - used, d ? ", %lld" : "%lld", (long long)at[d]);
	return out;
}

/* Whether the element holds the poison of both runs. */
static bool is_unwritten(const struct pair *p, int64_t flat, size_t bytes)
{
	const unsigned char *a = (const unsigned char *)p->got + (size_t)flat * bytes, *b = (const unsigned char *)p->second + (size_t)flat * bytes;
	for (size_t i = 0; i < bytes; i++)
		if (a[i] != 0xFF || b[i] != 0x5A)
			return false;
	return true;
}

static bool tell(const struct check_work *w, const struct pair *p, const int64_t *at, int64_t flat, double bound, int64_t wrong, int64_t all)
{
	enum lt_dtype t = w->g->node[p->node].dtype;
	char where[120], got[40], want[40];
	place_text(w->g, p->node, at, where, sizeof where);
	if (p->second && is_unwritten(p, flat, lt__dtype_info(t)->bytes))
		return lt__check_end(w->out, CHECK_FAILED, "%s '%s'[%s] was never written (%lld of %lld elements are wrong); expected %s", p->kind,
			p->name, where, (long long)wrong, (long long)all, lt__element_text(p->want, flat, t, want, sizeof want));
	return lt__check_end(w->out, CHECK_FAILED, "%s '%s'[%s] is %s, expected %s give or take %.3g (%lld of %lld elements are wrong)", p->kind,
		p->name, where, lt__element_text(p->got, flat, t, got, sizeof got), lt__element_text(p->want, flat, t, want, sizeof want), bound,
		(long long)wrong, (long long)all);
}

static bool compare(const struct check_work *w, const struct lt_evaluation *e, const struct pair *p)
{
	int64_t at[LT_MAX_RANK] = { 0 }, first[LT_MAX_RANK] = { 0 }, flat = 0, first_flat = 0, wrong = 0, all = 0;
	enum lt_dtype t = w->g->node[p->node].dtype;
	if (lt__is_empty(w->g, e, p->node))
		return true;
	do {
		double bound = p->bound ? p->bound[flat] : 0;
		all++;
		if (isinf(bound) || isnan(bound) || lt__is_near(p->got, p->want, flat, t, bound))
			continue;
		if (wrong++ == 0) {
			memcpy(first, at, sizeof first);
			first_flat = flat;
		}
	} while (lt__next_element(w->g, e, p->node, at, &flat));
	return wrong == 0 || tell(w, p, first, first_flat, p->bound ? p->bound[first_flat] : 0, wrong, all);
}

static const char *label_of(const struct lt_graph *g, lt_node n) { return g->node[n].label ? g->node[n].label : g->node[n].name; }

/* The new content of a state, or, where nothing sets it, the old one. */
static void expect_state(const struct check_work *w, const struct lt_evaluation *e, void *const *data, lt_node n, struct pair *p)
{
	p->want = data[n];
	for (int32_t i = 0; i < w->g->n_set; i++)
		if (w->g->set[i].state == n)
			p->want = lt_eval_state(e, i, &p->bound);
}

bool lt__check_compare(struct check_room *room, const struct lt_evaluation *e, void *const *data, const struct check_room *second)
{
	const struct check_work *w = room->w;
	for (int32_t i = 0; i < w->g->n_result; i++) {
		struct pair p = { .kind = "result", .name = w->g->result[i].name, .node = w->g->result[i].node };
		p.got = lt__check_room_at(room, LT_SPACE_RESULT, i);
		p.second = second ? lt__check_room_at(second, LT_SPACE_RESULT, i) : NULL;
		p.want = lt_eval_result(e, i, &p.bound);
		if (p.got && !compare(w, e, &p))
			return false;
	}
	int32_t port = 0;
	for (lt_node n = 0; n < w->g->n_node; n++) {
		struct pair p = { .kind = "state", .name = label_of(w->g, n), .node = n };
		if (w->g->node[n].op != LT_OP_state)
			continue;
		p.got = lt__check_room_at(room, LT_SPACE_STATE, port++);
		expect_state(w, e, data, n, &p);
		if (p.got && !compare(w, e, &p))
			return false;
	}
	return true;
}

/* -- the same bits -- */

static bool same(const struct check_work *w, const struct lt_evaluation *e, const struct pair *p, const char *what)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	enum lt_dtype t = w->g->node[p->node].dtype;
	size_t bytes = lt__dtype_info(t)->bytes;
	char where[120], a[40], b[40];
	if (!p->got || lt__is_empty(w->g, e, p->node))
		return true;
	do {
		if (memcmp((const char *)p->got + (size_t)flat * bytes, (const char *)p->second + (size_t)flat * bytes, bytes))
			return lt__check_end(w->out, CHECK_FAILED, "%s '%s'[%s] has other bits %s: %s, then %s", p->kind, p->name,
				place_text(w->g, p->node, at, where, sizeof where), what, lt__element_text(p->got, flat, t, a, sizeof a),
				lt__element_text(p->second, flat, t, b, sizeof b));
	} while (lt__next_element(w->g, e, p->node, at, &flat));
	return true;
}

bool lt__check_same_bits(struct check_room *room, const struct check_room *second, const struct lt_evaluation *e, const char *what)
{
	const struct check_work *w = room->w;
	int32_t port = 0;
	for (int32_t i = 0; i < w->g->n_result; i++) {
		struct pair p = { .kind = "result", .name = w->g->result[i].name, .node = w->g->result[i].node };
		p.got = lt__check_room_at(room, LT_SPACE_RESULT, i);
		p.second = lt__check_room_at(second, LT_SPACE_RESULT, i);
		if (!same(w, e, &p, what))
			return false;
	}
	for (lt_node n = 0; n < w->g->n_node; n++) {
		struct pair p = { .kind = "state", .name = label_of(w->g, n), .node = n };
		if (w->g->node[n].op != LT_OP_state)
			continue;
		p.got = lt__check_room_at(room, LT_SPACE_STATE, port);
		p.second = lt__check_room_at(second, LT_SPACE_STATE, port++);
		if (!same(w, e, &p, what))
			return false;
	}
	return true;
}
