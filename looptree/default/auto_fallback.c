/* Default trees that are made again, where a nest was refused: without its call, or plainer, on a GPU.
 *
 * That a default tree is refused is never the user's mistake.  Then the nodes of the nest are marked, and the tree is
 * made again; what was refused is noted for the nest that it becomes (`lt-run --explain`).
 */
#include <string.h>
#include "looptree/default/auto.h"
#include "looptree/derive/derive.h"

static const struct lt_fallback as_usual = { 0, NULL, NULL };

bool lt__raise_fallback(struct lt_fallback *x, const char *why)
{
	if (x->level >= LT_MAX_FALLBACK)
		return false;
	x->level++;
	x->why = why;
	return true;
}

/* The call in the list of one of its nodes, where it is if it was refused before; NULL. */
static const struct lt_refused_call *find_refused(const struct lt_refused_call *x, const struct lt_refused_call *list)
{
	while (list && (list->n != x->n || strcmp(list->name, x->name) != 0
		|| memcmp(list->member, x->member, sizeof *x->member * (size_t)x->n) != 0))
		list = list->next;
	return list;
}

/* Whether its nodes are free of that call from now on. */
static bool refuse_call(struct lt_arena *a, const struct lt_refused_call *x, struct lt_fallback *list)
{
	if (x->n == 0 || find_refused(x, list[x->member[0]].refused))
		return false;
	for (int32_t i = 0; i < x->n; i++) {
		struct lt_refused_call *one = LT_NEW(a, struct lt_refused_call, 1);
		*one = *x;
		one->next = list[x->member[i]].refused;
		list[x->member[i]].refused = one;
	}
	return true;
}

bool lt__fallback_nest(const struct lt_looptree *t, const lt_node *base, lt_tnode root, bool plainer, const char *why,
	struct lt_arena *a, struct lt_fallback *list)
{
	const bool called = t->node[root].loop == LT_CALL;
	struct lt_refused_call x = { .why = why };
	bool any = false, *in = LT_NEW(a, bool, t->base->n_node + 1);
	for (lt_node n = 0; (called || plainer) && n < t->graph->n_node; n++) {
		if (t->leaf_of[n] < 0 || lt__root_of(t, t->leaf_of[n]) != root || base[n] < 0)
			continue;
		any = (!called && lt__raise_fallback(&list[base[n]], why)) || any;
		x.n += called && !in[base[n]];
		in[base[n]] = true;
	}
	if (!called)
		return any;
	x.name = lt__arena_string(a, t->node[root].call);
	x.member = LT_NEW(a, lt_node, x.n + 1);
	for (lt_node n = 0, i = 0; n < t->base->n_node; n++)
		if (in[n])
			x.member[i++] = n;
	return refuse_call(a, &x, list);
}

/* A cast that the group computes again is another node in the tree that was refused, or was the one that it is of. */
const char *lt__auto_refused_call(
	const struct lt_auto *s, const lt_node *base, const char *name, const lt_node *member, int32_t n, const bool *again)
{
	enum { MUST = 1, MAY };
	unsigned char *in = NULL;
	int32_t n_must = 0;
	lt_node first = -1;
	for (int32_t i = 0; s->fallback && i < n; i++) {
		const lt_node of = base[member[i]];
		if (of < 0)
			continue;
		in = in ? in : LT_NEW(s->t->arena, unsigned char, s->t->base->n_node + 1);
		first = again[member[i]] ? first : member[i];
		n_must += !again[member[i]] && in[of] != MUST;
		in[of] = !again[member[i]] || in[of] == MUST ? MUST : MAY;
	}
	for (const struct lt_refused_call *x = first < 0 ? NULL : s->fallback[first].refused; x; x = x->next) {
		int32_t must = 0, none = 0;
		for (int32_t i = 0; i < x->n; i++) {
			must += in[x->member[i]] == MUST;
			none += !in[x->member[i]];
		}
		if (none == 0 && must == n_must && strcmp(x->name, name) == 0)
			return x->why;
	}
	return NULL;
}

const struct lt_fallback *lt__auto_fallback(const struct lt_looptree *t, const struct lt_fallback *base)
{
	if (!base)
		return NULL;
	const lt_node *of = lt__tree_bases(t, t->arena);
	struct lt_fallback *list = LT_NEW(t->arena, struct lt_fallback, t->graph->n_node + 1);
	for (lt_node n = 0; n < t->graph->n_node; n++)
		list[n] = of[n] < 0 ? as_usual : base[of[n]];
	return list;
}

const struct lt_fallback *lt__auto_fallback_in(
	const struct lt_looptree *t, const struct lt_fallback *list, lt_tnode top)
{
	const struct lt_fallback *most = &as_usual;
	if (!list)
		return most;
	if (t->node[top].kind == LT_TLEAF)
		return &list[t->node[top].leaf];
	for (lt_tnode c = t->node[top].child; c >= 0; c = t->node[c].next) {
		const struct lt_fallback *x = lt__auto_fallback_in(t, list, c);
		most = x->level > most->level ? x : most;
	}
	return most;
}
