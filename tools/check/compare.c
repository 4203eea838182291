/* compare.c -- results and states of a run before the judge (lt/verify.h); the bits of two runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "tools/check/check.h"

lt_status lt__check_judge(const struct check_work *w, void *const *data, struct lt_verifier **out)
{
	static const enum lt_opcode op_of[] = { LT_OP_input, LT_OP_constant, LT_OP_state };
	const struct lt_verify_options options = { .size = sizeof options, .n_thread = 1, .allow_open = 1 };
	const size_t room = (size_t)w->g->n_node + 1;
	const void **given = calloc(LT_BINDING_RESULT * room, sizeof *given);
	lt_status st = given ? LT_OK : lt_fail(w->ctx, LT_ENOMEM, "out of memory");
	*out = NULL;
	for (int kind = 0, i = 0; !st && kind < LT_BINDING_RESULT; kind++, i = 0)
		for (lt_node n = 0; n < w->g->n_node; n++)
			if (w->g->node[n].op == op_of[kind])
				given[(size_t)kind * room + (size_t)i++] = data[n];
	if (!st)
		st = lt_verifier_new(w->g, w->p, given + LT_BINDING_CONSTANT * room, &options, out);
	const void *const *state = given + LT_BINDING_STATE * room;
	for (int32_t i = 0; !st && state[i]; i++)
		st = lt_verifier_set_state(*out, i, state[i]);
	if (!st)
		st = lt_verifier_evaluate(*out, given + LT_BINDING_INPUT * room);
	free(given);
	if (!st)
		return LT_OK;
	lt_verifier_free(*out);
	*out = NULL;
	return st;
}

/* One tensor: what the run left, what it should be; its elements lie at their largest extents. */
struct pair {
	const char *name;
	enum lt_binding kind;
	int32_t i, rank;
	enum lt_dtype dtype;
	const void *got, *want, *second;
	int64_t extent[LT_MAX_RANK], max[LT_MAX_RANK], elems;
};

static const char *kind_text(const struct pair *p) { return p->kind == LT_BINDING_STATE ? "state" : "result"; }

/* Whether the run has that element. */
static bool is_within(const struct pair *p, int64_t flat)
{
	for (int32_t d = p->rank; d-- > 0; flat /= p->max[d])
		if (flat % p->max[d] >= p->extent[d])
			return false;
	return true;
}

static const char *index_text(const struct pair *p, int64_t flat, char *out, size_t bytes)
{
	int64_t unit = p->elems;
	size_t used = 0;
	out[0] = '\0';
	for (int32_t d = 0; d < p->rank && used + 24 < bytes; d++, flat %= unit) {
		unit /= p->max[d];
		used += (size_t)snprintf(out + used, bytes - used, d ? ", %lld" : "%lld", (long long)(flat / unit));
	}
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
static bool is_written(const struct check_work *w, const struct pair *p)
{
	int64_t first = 0, wrong = 0, all = 1;
	char where[120], want[40];
	for (int64_t flat = 0; p->second && flat < p->elems; flat++)
		if (holds_poison(p, flat, lt_dtype_bytes(p->dtype)) && is_within(p, flat))
			first = wrong++ ? first : flat;
	for (int32_t d = 0; d < p->rank; d++)
		all *= p->extent[d];
	return wrong == 0 || lt__check_fail(w->out,
		"%s '%s'[%s] was never written (%lld of %lld elements are not); expected %s", kind_text(p), p->name,
		index_text(p, first, where, sizeof where), (long long)wrong, (long long)all,
		lt__element_text(p->want, first, p->dtype, want, sizeof want));
}

/* Whether the reference has an infinity or NaN. */
static bool is_overflown(const struct pair *p)
{
	for (int64_t flat = 0; lt__dtype_info(p->dtype)->cls == LT_CLASS_FLOAT && flat < p->elems; flat++)
		if (!isfinite(lt__load(p->want, flat, p->dtype).f) && is_within(p, flat))
			return true;
	return false;
}

static bool is_right(const struct check_work *w, lt_status st, const struct lt_verified *r, bool overflown)
{
	if (st)
		return lt__check_fail(w->out, "it cannot be judged: %s", lt_context_message(w->ctx));
	/* Of a tensor one element may be open, or one in a hundred; one in twenty next to infinities and NaN: a sum of
	 * products of the largest numbers overflows or not by its order. */
	if (r->open > 1 && r->open * (overflown ? 20 : 100) > r->elements)
		return lt__check_fail(w->out, "%lld of %lld elements are not verified, such as %s: rounding may explain any value",
			(long long)r->open, (long long)r->elements, r->open_at);
	return r->verdict != LT_VERDICT_FAILED || lt__check_fail(w->out, "%s", r->first);
}

static lt_node node_of_state(const struct lt_graph *g, int32_t i)
{
	lt_node n = 0;
	while (n < g->n_node && (g->node[n].op != LT_OP_state || i-- > 0))
		n++;
	return n;
}

/* Result i of the graph, or the state after its results; false: there are no more. */
static bool find_pair(const struct check_guarded *guarded, const struct check_guarded *second,
	const struct lt_verifier *judge, int32_t i, struct pair *p)
{
	const struct lt_graph *g = guarded->w->g;
	const bool is_state = i >= g->n_result;
	*p = (struct pair){ .kind = is_state ? LT_BINDING_STATE : LT_BINDING_RESULT, .i = is_state ? i - g->n_result : i,
		.elems = 1 };
	const lt_node n = is_state ? node_of_state(g, p->i) : g->result[i].node;
	if (n >= g->n_node)
		return false;
	const struct lt_nodedef *d = &g->node[n];
	const enum lt_storage_space space = is_state ? LT_STORAGE_STATE : LT_STORAGE_RESULT;
	p->name = !is_state ? g->result[i].name : d->label ? d->label : d->name;
	p->dtype = d->dtype;
	p->rank = d->n_dim;
	p->got = lt__check_guarded_at(guarded, space, p->i);
	p->second = second ? lt__check_guarded_at(second, space, p->i) : NULL;
	p->want = is_state ? lt_verifier_reference_state(judge, p->i) : lt_verifier_reference(judge, i);
	for (int32_t k = 0; k < p->rank; k++) {
		p->extent[k] = lt_verifier_extent(judge, p->kind, p->i, k);
		p->max[k] = g->var[d->dim[k]].extent;
		p->elems *= p->max[k];
	}
	return true;
}

bool lt__check_compare(struct check_guarded *guarded, struct lt_verifier *judge, const struct check_guarded *second)
{
	const struct check_work *w = guarded->w;
	struct pair p;
	for (int32_t i = 0; find_pair(guarded, second, judge, i, &p); i++) {
		if (!p.got)
			continue;
		if (!is_written(w, &p))
			return false;
		lt_verifier_clear(judge);
		lt_status st = p.kind == LT_BINDING_STATE ? lt_verifier_state(judge, p.i, p.got)
			: lt_verifier_result(judge, p.i, p.got);
		const struct lt_verified *r = lt_verifier_report(judge);
		w->out->elements += r->elements;
		w->out->open += r->open;
		if (!is_right(w, st, r, is_overflown(&p)))
			return false;
	}
	return true;
}

/* -- the same bits -- */

static bool pair_same(const struct check_work *w, const struct pair *p, const char *what)
{
	const size_t bytes = lt_dtype_bytes(p->dtype);
	char where[120], a[40], b[40];
	for (int64_t i = 0; p->got && i < p->elems; i++)
		if (memcmp((const char *)p->got + (size_t)i * bytes, (const char *)p->second + (size_t)i * bytes, bytes)
			&& is_within(p, i))
			return lt__check_fail(w->out, "%s '%s'[%s] has other bits %s: %s, then %s", kind_text(p), p->name,
				index_text(p, i, where, sizeof where), what, lt__element_text(p->got, i, p->dtype, a, sizeof a),
				lt__element_text(p->second, i, p->dtype, b, sizeof b));
	return true;
}

bool lt__check_same_bits(const struct check_guarded *guarded, const struct check_guarded *second,
	const struct lt_verifier *judge, const char *what)
{
	struct pair p;
	bool good = true;
	for (int32_t i = 0; good && find_pair(guarded, second, judge, i, &p); i++)
		good = pair_same(guarded->w, &p, what);
	return good;
}
