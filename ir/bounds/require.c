/* require.c -- what is required of run-time scalars, found again by its sum. */
#include <string.h>
#include "ir/bounds/parts.h"
#include "base/names.h"

struct key { int64_t param, coef; };    /* no padding: keys are compared as bytes */

/* The params and coefficients of a sum, times `sign`, by param; returns the bytes. */
static size_t require_key(const struct lt_linear *l, int64_t sign, struct key *key)
{
	memset(key, 0, sizeof *key * (size_t)l->n);
	for (int32_t i = 0; i < l->n; i++) {
		int32_t at = i;

		for (; at > 0 && key[at - 1].param > l->param[i]; at--)
			key[at] = key[at - 1];
		key[at].param = l->param[i];
		key[at].coef = sign < 0 ? (int64_t)(0 - (uint64_t)l->coef[i]) : l->coef[i];
	}
	return sizeof *key * (size_t)l->n;
}

/* The least that the sum without its constant can be by requirement r, whose sum has the same params; false: it says
 * nothing. */
static bool min_by(const struct lt_require *r, const struct key *key, size_t bytes, int64_t *min)
{
	struct key own[LT_MAX_RANK];

	if (require_key(&r->value, 1, own) == bytes && !memcmp(own, key, bytes))
		return !__builtin_sub_overflow((int64_t)0, r->value.constant, min);
	*min = r->value.constant;     /* -sum + constant == 0 */
	return r->equal && require_key(&r->value, -1, own) == bytes && !memcmp(own, key, bytes);
}

static void require_record(struct lt_graph *g, int32_t number, int64_t sign)
{
	struct key key[LT_MAX_RANK];
	size_t bytes = require_key(&g->require[number].value, sign, key);
	int64_t old, now;
	int32_t found = lt__names_find(g->required, (const char *)key, bytes);

	if (found >= 0 && found < g->n_require && min_by(&g->require[found], key, bytes, &old)
	    && (!min_by(&g->require[number], key, bytes, &now) || now <= old))
		return;
	lt__names_add(g->required, (const char *)key, bytes, number);
}

void lt__require_append(struct lt_graph *g, const struct lt_require *r)
{
	LT_GROW(g->arena, g->require, g->n_require, g->cap_require);
	if (!g->required)
		g->required = lt__names_new(g->arena);
	g->require[g->n_require] = *r;          /* counts when everything else is done: memory may run out */
	if (r->value.n)
		require_record(g, g->n_require, 1);
	if (r->value.n && r->equal)
		require_record(g, g->n_require, -1);
	g->n_require++;
}

void lt__requires_copy(const struct lt_graph *from, struct lt_graph *to)
{
	for (int32_t i = 0; i < from->n_require; i++) {
		struct lt_require r = from->require[i];

		r.text = lt__arena_string(to->arena, r.text);
		r.value.param = lt__arena_copy(to->arena, r.value.param, sizeof *r.value.param * (size_t)r.value.n);
		r.value.coef = lt__arena_copy(to->arena, r.value.coef, sizeof *r.value.coef * (size_t)r.value.n);
		lt__require_append(to, &r);
	}
}

bool lt__require_implies(const struct lt_graph *g, const struct lt_linear *l)
{
	struct key key[LT_MAX_RANK];
	int64_t min;
	int32_t found;
	size_t bytes;

	if (lt__linear_min(g, l) >= 0)
		return true;
	if (!g->required || !l->n)
		return false;
	bytes = require_key(l, 1, key);
	found = lt__names_find(g->required, (const char *)key, bytes);
	return found >= 0 && found < g->n_require && min_by(&g->require[found], key, bytes, &min)
		&& !lt__add_overflow(min, l->constant, &min) && min >= 0;
}
