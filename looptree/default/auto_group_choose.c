/* auto_group_choose.c -- which groups a default tree has, of those that its routines take: disjoint ones that gain the
 * most together.
 *
 * Options that overlap are of one component.  Where its leaves are a forest, each read by one other at most, the best
 * choice below a leaf is that of what it reads, or an option that ends there and the best of what hangs from it.
 * Elsewhere options are gone through one after the other, with the best of what may come before each.
 */
#include <stdlib.h>
#include "looptree/default/auto_group.h"

struct worth { int64_t gain; int32_t before; };
struct choosing {
	struct lt_auto *s;
	struct lt_group_option *option;
	int32_t n;
	lt_node *set;                   /* by node: another leaf of its component, at last itself; -1: in no option */
	lt_node *above;                 /* by node: who reads it in its component; -1: nobody */
	bool *tangled;                  /* by component: it is no forest */
	int32_t *first, *next;          /* by node, by option: the options that end at the node */
	struct worth *best;             /* by node: of all that is below, and with it */
	struct worth *below;            /* by node: of all that is below, without it */
	int32_t *taken;                 /* by node: the option that ends there in the best choice, -1: none */
	bool *mark;                     /* by node */
};

/* More gain; of equal ones the one with less before its reductions, so that what follows a value is with it. */
static bool is_better(struct worth a, struct worth b)
{
	return a.gain != b.gain ? a.gain > b.gain : a.before < b.before;
}
static struct worth both(struct worth a, struct worth b)
{
	return (struct worth){ lt__add_sat(a.gain, b.gain), a.before + b.before };
}
static struct worth without(struct worth a, struct worth b)
{
	return (struct worth){ a.gain - b.gain, a.before - b.before };
}

static lt_node component(const struct choosing *x, lt_node n)
{
	while (x->set[n] != n)
		n = x->set[n] = x->set[x->set[n]];
	return n;
}

static void find_components(struct choosing *x)
{
	for (int32_t i = 0; i < x->n; i++)
		for (int32_t k = 0; k < x->option[i].n; k++) {
			lt_node m = x->option[i].member[k];
			x->set[m] = x->set[m] < 0 ? m : x->set[m];
			x->set[component(x, m)] = component(x, x->option[i].member[0]);
		}
}

/* Who reads each leaf inside of its component. */
static void find_readers(struct choosing *x)
{
	const struct lt_looptree *t = x->s->t;
	for (lt_node n = 0; n < x->s->g->n_node; n++) {
		const struct lt_leaf *leaf = x->set[n] < 0 ? NULL : t->leaf[n];
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || x->set[base] < 0 || component(x, base) != component(x, n) || x->above[base] == n)
					continue;
				if (x->above[base] >= 0)
					x->tangled[component(x, n)] = true;
				x->above[base] = n;
			}
	}
}

/* Where the option ends: the one member that no other reads; -1: several. */
static lt_node end_of(const struct choosing *x, const struct lt_group_option *o)
{
	lt_node end = -1;
	for (int32_t k = 0; k < o->n; k++) {
		bool inside = false;
		x->s->t->ctx->labour.calls++;
		for (int32_t i = 0; i < o->n; i++)
			inside = inside || x->above[o->member[k]] == o->member[i];
		if (!inside && end >= 0)
			return -1;
		end = inside ? end : o->member[k];
	}
	return end;
}

static void sort_by_end(struct choosing *x)
{
	for (int32_t i = x->n; i-- > 0;) {
		lt_node end = end_of(x, &x->option[i]);
		if (end < 0) {
			x->tangled[component(x, x->option[i].member[0])] = true;
			continue;
		}
		x->next[i] = x->first[end];
		x->first[end] = i;
	}
}

/* What is below the members of an option that end at `end`, without them. */
static struct worth hanging(const struct choosing *x, const struct lt_group_option *o, lt_node end)
{
	struct worth sum = x->below[end];
	x->s->t->ctx->labour.calls += o->n;
	for (int32_t k = 0; k < o->n; k++)
		if (o->member[k] != end)
			sum = both(sum, without(x->below[o->member[k]], x->best[o->member[k]]));
	return sum;
}

/* Leaves before their readers. */
static void find_best(struct choosing *x)
{
	for (lt_node n = 0; n < x->s->g->n_node; n++) {
		if (x->set[n] < 0 || x->tangled[component(x, n)])
			continue;
		x->best[n] = x->below[n];
		for (int32_t i = x->first[n]; i >= 0; i = x->next[i]) {
			struct worth with = both(hanging(x, &x->option[i], n),
				(struct worth){ x->option[i].gain, x->option[i].before });
			if (!is_better(with, x->best[n]))
				continue;
			x->best[n] = with;
			x->taken[n] = i;
		}
		if (x->above[n] >= 0)
			x->below[x->above[n]] = both(x->below[x->above[n]], x->best[n]);
	}
}

/* From the ends on: what a chosen option has is in no other. */
static void take_best(struct choosing *x)
{
	for (lt_node n = x->s->g->n_node; n-- > 0;) {
		if (x->set[n] < 0 || x->tangled[component(x, n)] || x->mark[n] || x->taken[n] < 0)
			continue;
		struct lt_group_option *o = &x->option[x->taken[n]];
		o->chosen = true;
		for (int32_t k = 0; k < o->n; k++)
			x->mark[o->member[k]] = true;
	}
}

/* -- components that are no forests --
 *
 * Options in the order of their last leaves, each taken or not: a state is what was chosen so far, known to the rest by
 * the leaves in it that options to come have, too.  Of states that are alike in that the best goes on; of those that
 * differ, MAX_STATES: the choice is the best of all where there are never more.
 */
enum { MAX_STATES = 64 };
struct taken_option { int32_t option, before; };        /* before: the one that was taken before it, -1: none */
struct choice_state { struct worth worth; int32_t last, n; lt_node *used; };    /* used: in order */
struct search {
	struct choosing *x;
	int32_t *list, n;               /* the component's options */
	int32_t *first, *until;         /* by node: the first in the list that has it, and the last */
	struct taken_option *taken; int32_t n_taken, cap_taken;
	struct choice_state *state, *next; int32_t n_state, n_next;     /* of 2 * MAX_STATES */
	int32_t room;                   /* leaves that a state may have */
};

static int by_use(const void *a, const void *b)
{
	const struct choice_state *x = a, *y = b;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (int32_t i = 0; i < x->n; i++)
		if (x->used[i] != y->used[i])
			return x->used[i] < y->used[i] ? -1 : 1;
	return 0;
}

static int by_worth(const void *a, const void *b)
{
	const struct choice_state *x = a, *y = b;
	return is_better(x->worth, y->worth) ? -1 : is_better(y->worth, x->worth) ? 1 : by_use(a, b);
}

static int by_use_and_worth(const void *a, const void *b)
{
	int order = by_use(a, b);
	return order ? order : by_worth(a, b);
}

static bool is_disjoint(const struct choice_state *s, const struct lt_group_option *o)
{
	for (int32_t i = 0, k = 0; i < s->n && k < o->n;) {
		if (s->used[i] == o->member[k])
			return false;
		if (s->used[i] < o->member[k])
			i++;
		else
			k++;
	}
	return true;
}

/* The state behind option at, with what it takes (NULL: nothing) and without the leaves that no later one has. */
static void add_state(struct search *q, const struct choice_state *s, int32_t at, const struct lt_group_option *o)
{
	struct choice_state *to = &q->next[q->n_next++];
	const int32_t n = o ? o->n : 0;
	*to = (struct choice_state){ .worth = s->worth, .last = s->last, .used = to->used };
	for (int32_t i = 0, k = 0; i < s->n || k < n;) {
		const lt_node m = k == n || (i < s->n && s->used[i] < o->member[k]) ? s->used[i++] : o->member[k++];
		if (q->until[m] > at)
			to->used[to->n++] = m;
	}
	if (!o)
		return;
	LT_GROW(q->x->s->t->arena, q->taken, q->n_taken, q->cap_taken);
	to->worth = both(s->worth, (struct worth){ o->gain, o->before });
	to->last = q->n_taken;
	q->taken[q->n_taken++] = (struct taken_option){ q->list[at], s->last };
}

static void take_or_not(struct search *q, int32_t at)
{
	const struct lt_group_option *o = &q->x->option[q->list[at]];
	int32_t n = 0;
	q->n_next = 0;
	q->x->s->t->ctx->labour.calls += o->n;
	for (int32_t i = 0; i < q->n_state; i++) {
		add_state(q, &q->state[i], at, NULL);
		if (is_disjoint(&q->state[i], o))
			add_state(q, &q->state[i], at, o);
	}
	qsort(q->next, (size_t)q->n_next, sizeof *q->next, by_use_and_worth);
	for (int32_t i = 0; i < q->n_next; i++)         /* swapped, so that each keeps its room */
		if (i == 0 || by_use(&q->next[n - 1], &q->next[i]) != 0) {
			struct choice_state kept = q->next[i];
			q->next[i] = q->next[n];
			q->next[n++] = kept;
		}
	if (n > MAX_STATES) {
		qsort(q->next, (size_t)n, sizeof *q->next, by_worth);
		n = MAX_STATES;
	}
	struct choice_state *was = q->state;
	q->state = q->next;
	q->next = was;
	q->n_state = n;
}

/* Where leaves are in the list; returns how many of them a state has at most: those that an option had, and that a
 * later one has. */
static int32_t find_uses(struct search *q)
{
	int32_t n = 0, most = 0, *change = LT_NEW(q->x->s->t->arena, int32_t, q->n + 1);
	for (int32_t i = 0; i < 2 * q->n; i++) {        /* backwards, then forwards */
		const int32_t at = i < q->n ? q->n - 1 - i : i - q->n;
		const struct lt_group_option *o = &q->x->option[q->list[at]];
		for (int32_t k = 0; k < o->n; k++)
			(i < q->n ? q->first : q->until)[o->member[k]] = at;
	}
	for (int32_t i = 0; i < q->n; i++) {
		const struct lt_group_option *o = &q->x->option[q->list[i]];
		for (int32_t k = 0; k < o->n; k++) {
			change[i] += q->first[o->member[k]] == i;
			change[i] -= q->until[o->member[k]] == i;
		}
		n += change[i];
		most = n > most ? n : most;
	}
	return most;
}

static void make_room(struct search *q, int32_t room)
{
	struct lt_arena *a = q->x->s->t->arena;
	if (room < q->room)
		return;
	q->room = room + 1;
	for (int32_t i = 0; i < 2 * MAX_STATES; i++) {
		q->state[i].used = LT_NEW(a, lt_node, q->room);
		q->next[i].used = LT_NEW(a, lt_node, q->room);
	}
}

static void search_component(struct search *q)
{
	make_room(q, find_uses(q));
	q->state[0] = (struct choice_state){ .last = -1, .used = q->state[0].used };
	q->n_state = 1;
	q->n_taken = 0;
	for (int32_t i = 0; i < q->n; i++)
		take_or_not(q, i);
	for (int32_t i = q->state[0].last; i >= 0; i = q->taken[i].before)
		q->x->option[q->taken[i].option].chosen = true;
}

struct listed_option { lt_node component, last; int32_t option; };
static int by_component(const void *a, const void *b)
{
	const struct listed_option *x = a, *y = b;
	if (x->component != y->component)
		return x->component < y->component ? -1 : 1;
	return x->last != y->last ? x->last < y->last ? -1 : 1 : (x->option > y->option) - (x->option < y->option);
}

static void take_tangled(struct choosing *x)
{
	struct lt_arena *a = x->s->t->arena;
	struct listed_option *all = LT_NEW(a, struct listed_option, x->n + 1);
	struct search q = { .x = x, .list = LT_NEW(a, int32_t, x->n + 1), .first = LT_NEW(a, int32_t, x->s->g->n_node + 1),
		.until = LT_NEW(a, int32_t, x->s->g->n_node + 1), .state = LT_NEW(a, struct choice_state, 2 * MAX_STATES),
		.next = LT_NEW(a, struct choice_state, 2 * MAX_STATES) };
	int32_t n = 0;
	for (int32_t i = 0; i < x->n; i++) {
		const struct lt_group_option *o = &x->option[i];
		if (x->tangled[component(x, o->member[0])])
			all[n++] = (struct listed_option){ component(x, o->member[0]), o->member[o->n - 1], i };
	}
	qsort(all, (size_t)n, sizeof *all, by_component);
	for (int32_t i = 0; i < n;) {
		const lt_node here = all[i].component;
		for (q.n = 0; i < n && all[i].component == here; i++)
			q.list[q.n++] = all[i].option;
		search_component(&q);
	}
}

void lt__group_choose(struct lt_auto *s, struct lt_group_option *option, int32_t n)
{
	struct lt_arena *a = s->t->arena;
	const int32_t n_node = s->g->n_node + 1;
	struct choosing x = { .s = s, .option = option, .n = n, .set = LT_NEW(a, lt_node, n_node),
		.above = LT_NEW(a, lt_node, n_node), .tangled = LT_NEW(a, bool, n_node), .first = LT_NEW(a, int32_t, n_node),
		.next = LT_NEW(a, int32_t, n + 1), .best = LT_NEW(a, struct worth, n_node), .below = LT_NEW(a, struct worth, n_node),
		.taken = LT_NEW(a, int32_t, n_node), .mark = LT_NEW(a, bool, n_node) };
	for (lt_node i = 0; i < s->g->n_node; i++)
		x.set[i] = x.above[i] = x.first[i] = x.taken[i] = -1;
	find_components(&x);
	find_readers(&x);
	sort_by_end(&x);
	find_best(&x);
	take_best(&x);
	take_tangled(&x);
}
