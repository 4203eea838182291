/* auto_group_choose.c -- which groups a default tree has, of those that its routines take: disjoint ones that gain the
 * most together.
 *
 * Options that overlap are of one component.  Where its leaves are a forest, each read by one other at most, the best
 * choice below a leaf is that of what it reads, or an option that ends there and the best of what hangs from it.
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

static int by_worth(const void *a, const void *b)
{
	const struct lt_group_option *x = *(struct lt_group_option *const *)a, *y = *(struct lt_group_option *const *)b;
	struct worth p = { x->gain, x->before }, q = { y->gain, y->before };
	return is_better(p, q) ? -1 : is_better(q, p) ? 1 : (x > y) - (x < y);
}

static void take_largest(struct choosing *x)
{
	struct lt_group_option **list = LT_NEW(x->s->t->arena, struct lt_group_option *, x->n + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < x->n; i++)
		if (x->tangled[component(x, x->option[i].member[0])])
			list[n++] = &x->option[i];
	qsort(list, (size_t)n, sizeof *list, by_worth);
	for (int32_t i = 0; i < n; i++) {
		bool is_free = true;
		for (int32_t k = 0; k < list[i]->n; k++)
			is_free = is_free && !x->mark[list[i]->member[k]];
		list[i]->chosen = is_free;
		for (int32_t k = 0; k < list[i]->n && is_free; k++)
			x->mark[list[i]->member[k]] = true;
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
	take_largest(&x);
}
