/* auto_group_again.c -- casts that several read, of which chosen groups compute one of their own.
 *
 * Each cast stays with those who read it most often: one group, or all that is in none that computes it again.  Every
 * other reader gets a clone, and so do the views through which it reads the cast, where others read them, too.
 */
#include "looptree/default/auto_group.h"
#include "looptree/derive/derive.h"

enum { OUTSIDE = -1, NONE = -2 };       /* beside the numbers of options */
struct shared_casts {
	struct lt_auto *s;
	struct lt_group_option *option;
	int32_t n_option;
	int32_t *group;                 /* by node: the option that it is a member of; OUTSIDE */
	int32_t *keeper;                /* by node: of a cast that is shared, who has it itself; NONE: it is no such */
	int32_t *n_use;                 /* by node: operands that it is */
	bool *shows;                    /* by node: such a cast, or a view of one */
	struct lt_derived_step *step; int32_t n_step, cap_step;
	struct { int32_t option; const char *made; } *own; int32_t n_own, cap_own;
};
/* A node that reads such a cast, or a view of one, by its name once the steps so far are done; of: the node whose
 * operands it has; for: the leaf that reads the cast so. */
struct cast_reader { const char *name; lt_node of, leaf; bool made; };

static bool computes_again(const struct lt_group_option *o, lt_node cast)
{
	return lt__has(o->again, o->n_again, cast);
}

/* For whom a leaf reads the cast. */
static int32_t party_of(const struct shared_casts *x, lt_node leaf, lt_node cast)
{
	const int32_t o = x->group[leaf];
	return o >= 0 && computes_again(&x->option[o], cast) ? o : OUTSIDE;
}

static int32_t find_keeper(const struct shared_casts *x, lt_node cast)
{
	const struct lt_auto *s = x->s;
	int32_t keeper = OUTSIDE, most = s->n_reader[cast];
	for (int32_t pass = 0; pass < 2; pass++)        /* what no group reads so is outside's */
		for (int32_t o = 0; o < x->n_option; o++) {
			int32_t n = 0;
			for (int32_t i = 0; x->option[o].chosen && computes_again(&x->option[o], cast) && i < x->option[o].n; i++)
				n += lt__auto_reads(s->t->leaf[x->option[o].member[i]], cast);
			most -= pass ? 0 : n;
			if (pass && n > most && !s->written[cast]) {
				most = n;
				keeper = o;
			}
		}
	return keeper;
}

static bool is_view(const struct lt_graph *g, lt_node n) { return g->node[n].op == LT_OP_view && !lt__has_leaf(g, n); }

static void survey_casts(struct shared_casts *x)
{
	const struct lt_graph *g = x->s->g;
	for (lt_node n = 0; n < g->n_node; n++) {
		x->group[n] = OUTSIDE;
		x->keeper[n] = NONE;
	}
	for (int32_t o = 0; o < x->n_option; o++)
		for (int32_t i = 0; x->option[o].chosen && i < x->option[o].n; i++)
			x->group[x->option[o].member[i]] = o;
	for (int32_t o = 0; o < x->n_option; o++)
		for (int32_t i = 0; x->option[o].chosen && i < x->option[o].n_again; i++) {
			const lt_node cast = x->option[o].again[i];
			x->keeper[cast] = x->keeper[cast] == NONE ? find_keeper(x, cast) : x->keeper[cast];
		}
	for (lt_node n = 0; n < g->n_node; n++) {
		x->shows[n] = x->keeper[n] != NONE;
		for (int32_t k = 0; k < g->node[n].n_operand; k++) {
			x->n_use[g->node[n].operand[k]]++;
			x->shows[n] = x->shows[n] || (is_view(g, n) && x->shows[g->node[n].operand[k]]);
		}
	}
}

/* Whether the leaf reads one through view n that it is to have a clone of. */
static bool is_for(const struct shared_casts *x, lt_node n, lt_node leaf)
{
	if (x->keeper[n] != NONE)
		return x->keeper[n] != party_of(x, leaf, n);
	for (int32_t k = 0; x->shows[n] && k < x->s->g->node[n].n_operand; k++)
		if (is_for(x, x->s->g->node[n].operand[k], leaf))
			return true;
	return false;
}

static const char *add_clone(struct shared_casts *x, lt_node of, const char *reader)
{
	struct lt_arena *a = x->s->t->arena;
	const char *name = x->s->g->node[of].name,
		*made = lt__derived_name(x->s->t, lt__arena_format(a, "%s.%s", name, reader));
	LT_GROW(a, x->step, x->n_step, x->cap_step);
	x->step[x->n_step++] = (struct lt_derived_step){ .kind = LT_DERIVED_CLONE, .of = name, .reader = reader,
		.made = made };
	return made;
}

static bool is_operand_again(const struct lt_nodedef *d, int32_t k)
{
	for (int32_t i = 0; i < k; i++)
		if (d->operand[i] == d->operand[k])
			return true;
	return false;
}

/* Readers before the views that they read, so that a view that is cloned is there when its own operands are. */
static void add_steps(struct shared_casts *x)
{
	struct lt_arena *a = x->s->t->arena;
	const struct lt_graph *g = x->s->g;
	struct cast_reader *list = NULL;
	int32_t n = 0, cap = 0;
	for (lt_node i = 0; i < g->n_node; i++) {
		bool any = false;
		for (int32_t k = 0; lt__has_leaf(g, i) && k < g->node[i].n_operand; k++)
			any = any || x->shows[g->node[i].operand[k]];
		if (!any)
			continue;
		LT_GROW(a, list, n, cap);
		list[n++] = (struct cast_reader){ g->node[i].name, i, i, false };
	}
	for (int32_t i = 0; i < n; i++) {
		const struct cast_reader r = list[i];
		const struct lt_nodedef *d = &g->node[r.of];
		for (int32_t k = 0; k < d->n_operand; k++) {
			const lt_node of = d->operand[k];
			if (!x->shows[of] || is_operand_again(d, k) || !is_for(x, of, r.leaf))
				continue;
			const bool cast = x->keeper[of] != NONE, shared = cast || r.made || x->n_use[of] > 1;
			const char *name = shared ? add_clone(x, of, r.name) : g->node[of].name;
			const int32_t party = cast ? party_of(x, r.leaf, of) : OUTSIDE;
			if (!cast) {
				LT_GROW(a, list, n, cap);
				list[n++] = (struct cast_reader){ name, of, r.leaf, shared };
			} else if (party != OUTSIDE) {
				LT_GROW(a, x->own, x->n_own, x->cap_own);
				x->own[x->n_own].option = party;
				x->own[x->n_own++].made = name;
			}
		}
	}
}

/* Where its members went, with what it has of its own. */
static void gather_members(const struct shared_casts *x, int32_t number, const lt_node *to)
{
	struct lt_group_option *o = &x->option[number];
	lt_node *all = LT_NEW(x->s->t->arena, lt_node, o->n + o->n_again + x->n_own + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < o->n; i++)
		all[n++] = to[o->member[i]];
	for (int32_t i = 0; i < o->n_again; i++)
		if (x->keeper[o->again[i]] == number)
			all[n++] = to[o->again[i]];
	for (int32_t i = 0; i < x->n_own; i++)
		if (x->own[i].option == number)
			all[n++] = lt__tree_node_named(x->s->t, x->own[i].made);
	lt__auto_sort(all, n);
	o->member = all;
	o->n = n;
	o->n_again = 0;
	o->seed = to[o->seed];
	o->turned.node = o->turned.node < 0 ? -1 : to[o->turned.node];
	for (int i = 0; i < 2; i++)
		o->copied[i].node = o->copied[i].node < 0 ? -1 : to[o->copied[i].node];
}

lt_status lt__auto_compute_again(
	struct lt_auto *s, struct lt_group_option *option, int32_t n_option, const lt_node **to)
{
	struct lt_arena *a = s->t->arena;
	const int32_t n_node = s->g->n_node + 1;
	bool any = false;
	*to = NULL;
	for (int32_t o = 0; o < n_option; o++)
		any = any || (option[o].chosen && option[o].n_again > 0);
	if (!any)
		return LT_OK;
	struct shared_casts x = { .s = s, .option = option, .n_option = n_option, .group = LT_NEW(a, int32_t, n_node),
		.keeper = LT_NEW(a, int32_t, n_node), .n_use = LT_NEW(a, int32_t, n_node), .shows = LT_NEW(a, bool, n_node) };
	lt_node *moved = LT_NEW(a, lt_node, n_node);
	survey_casts(&x);
	add_steps(&x);
	LT_TRY(lt__tree_derive(s->t, x.step, x.n_step, moved));
	s->g = s->t->graph;
	for (int32_t o = 0; o < n_option; o++)
		if (option[o].chosen)
			gather_members(&x, o, moved);
	*to = moved;
	return LT_OK;
}
