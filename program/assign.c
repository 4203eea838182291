/* Which backend runs which nest: trees by class of node, until each nest is taken.
 *
 * At first every node is for the first backend.  The nodes of all nests that it refuses are for the second then, and the tree is made
 * anew: nests have nodes of one class, and get the loops that fit their backend.  A tree of the user's is not made anew; its nests are
 * offered as they are, to one backend after the other.
 */
#include <string.h>
#include "ir/intern.h"
#include "looptree/call.h"
#include "program/program.h"

enum { MOST_ROUNDS = 16 };

struct assign {
	struct lt_program *p;
	struct lt_asked *asked;
	int32_t *class;                         /* by node of the base */
	const struct lt_refusals **why;         /* by class and node of the base: what its nest of that class was refused for */
	int32_t *seen;                          /* by node of the base: 1 + the nest whose refusals in hand have those of it */
	bool has_moved;                         /* a node of the base, in this round */
	bool move_all;                          /* too many rounds: all nodes of a class that is refused something move on */
};

static lt_node base_of(const struct lt_program *p, lt_node n)
{
	const struct lt_nodedef *d = &p->lowered->node[n];
	return p->lowered == p->base ? n : lt__names_find(p->base->node_names, d->name, strlen(d->name));
}

/* By node of the tree's graph: the node of the base that it is, or (own nodes, views) that reads it last; -1: nobody does. */
static lt_node *find_bases(const struct assign *x, struct lt_arena *a)
{
	const struct lt_graph *g = x->p->lowered;
	lt_node *base = LT_NEW(a, lt_node, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		base[n] = lt__has_leaf(g, n) ? base_of(x->p, n) : -1;
	for (lt_node n = g->n_node - 1; n >= 0; n--)
		for (int32_t k = 0; base[n] >= 0 && k < g->node[n].n_operand; k++)
			if (base[g->node[n].operand[k]] < 0)
				base[g->node[n].operand[k]] = base[n];
	return base;
}

/* That of a nest's first node; nodes of one nest are of one class. */
static int32_t class_of(const struct assign *x, int32_t nest, const lt_node *base, const int32_t *class)
{
	const struct lt_frozen *f = &x->p->frozen[nest];
	lt_node first = f->tree.stmts.n > 0 ? base[f->node[0]] : -1;
	return first < 0 ? 0 : class[first];
}

static void add_refusals(struct lt_program *p, struct lt_refusals *to, const struct lt_refusals *from)
{
	for (int32_t i = 0; i < from->n; i++) {
		bool there = false;
		for (int32_t k = 0; k < to->n && !there; k++)
			there = to->at[k] == from->at[i];
		if (there)
			continue;
		LT_GROW(p->arena, to->at, to->n, to->cap);
		to->at[to->n++] = from->at[i];
	}
}

/* What the backends before said of the nodes of a nest, when they stood in other nests. */
static void gather_refusals(struct assign *x, int32_t nest, int32_t class, const lt_node *bases, struct lt_refusals *out)
{
	struct lt_program *p = x->p;
	const struct lt_frozen *f = &p->frozen[nest];
	for (int32_t c = 0; c < class; c++) {
		const struct lt_refusals *last = NULL;
		for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
			lt_node base = bases[f->node[i]];
			const struct lt_refusals *r = base < 0 ? NULL : x->why[(size_t)c * (size_t)p->base->n_node + (size_t)base];
			if (r && r != last)
				add_refusals(p, out, r);
			last = r ? r : last;
		}
	}
}

static void move(struct assign *x, lt_node base, int32_t class, const struct lt_refusals *why)
{
	if (x->class[base] != class)
		return;
	x->class[base] = class + 1;
	x->has_moved = true;
	x->why[(size_t)class * (size_t)x->p->base->n_node + (size_t)base] = why;
}

/* The nodes of a refused nest are for the next backend; of one with own nodes only, those of its class that read them.  own: by class
 * and node of the tree's graph, what it was refused for. */
static void move_nest(struct assign *x, int32_t nest, int32_t class, const struct lt_refusals *why, const struct lt_refusals **own)
{
	const struct lt_frozen *f = &x->p->frozen[nest];
	bool any = false;
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		lt_node base = base_of(x->p, f->node[i]);
		if (base >= 0)
			move(x, base, class, why);
		any = any || base >= 0;
	}
	for (uint32_t i = 0; !any && i < f->tree.stmts.n; i++)
		own[(size_t)class * (size_t)x->p->lowered->n_node + (size_t)f->node[i]] = why;
}

/* The nests of a class that read those of it are not torn apart: they move as a whole.  Other classes' were not refused anything. */
static void move_readers(struct assign *x, int32_t of, const int32_t *class, const struct lt_refusals **own)
{
	const struct lt_program *p = x->p;
	const struct lt_graph *g = p->lowered;
	for (lt_node n = 0; n < g->n_node; n++)         /* through views, and other own nodes */
		for (int32_t k = 0; !own[n] && k < g->node[n].n_operand; k++)
			if (!lt__has_leaf(g, n) || base_of(p, n) < 0)
				own[n] = own[g->node[n].operand[k]];
	for (int32_t i = 0; i < p->n_frozen; i++) {
		const struct lt_frozen *f = &p->frozen[i];
		const struct lt_refusals *why = NULL;
		for (uint32_t s = 0; s < f->tree.stmts.n; s++)
			for (int32_t k = 0; !why && k < g->node[f->node[s]].n_operand; k++)
				why = own[g->node[f->node[s]].operand[k]];
		for (uint32_t s = 0; why && s < f->tree.stmts.n; s++) {
			lt_node base = base_of(p, f->node[s]);
			if (base >= 0 && class[base] == of)
				move(x, base, of, why);
		}
	}
}

/* Asks for each nest; *moved: some are refused, and their nodes are for the next backend now.  False: one has none to ask. */
static bool ask_all(struct assign *x, int32_t n_choice, bool *moved)
{
	struct lt_program *p = x->p;
	const lt_node *bases = find_bases(x, p->nests);
	const int32_t *class = lt__arena_copy(p->nests, x->class, sizeof *class * ((size_t)p->base->n_node + 1));      /* before any moves */
	const struct lt_refusals **own = LT_NEW(p->nests, const struct lt_refusals *, (int64_t)p->lowered->n_node * p->n_choice + 1);
	bool taken = true;
	*moved = x->has_moved = false;
	for (int32_t i = 0; i < p->n_frozen; i++) {
		int32_t c = class_of(x, i, bases, class);
		struct lt_refusals *why = LT_NEW(p->arena, struct lt_refusals, 1);
		gather_refusals(x, i, c, bases, &p->refused[i]);
		p->choice_of[i] = c;
		if (lt__accepts(p, x->asked, i, c, why))
			continue;
		add_refusals(p, &p->refused[i], why);
		p->choice_of[i] = -1;
		*moved = true;
		taken = taken && c + 1 < n_choice;
		move_nest(x, i, c, why, own);
		for (lt_node n = 0; x->move_all && n < p->base->n_node; n++)
			move(x, n, c, why);
	}
	for (int32_t c = 0; *moved && taken && c + 1 < n_choice; c++)
		move_readers(x, c, class, own + (size_t)c * (size_t)p->lowered->n_node);
	return taken && (!*moved || x->has_moved);     /* a refused nest that nobody reads is for nobody else */
}

/* Nests of a tree that stays as it is. */
static bool offer_all(struct assign *x, int32_t n_choice)
{
	struct lt_program *p = x->p;
	bool taken = true;
	for (int32_t i = 0; i < p->n_frozen; i++) {
		p->choice_of[i] = -1;
		for (int32_t c = 0; c < n_choice && p->choice_of[i] < 0; c++)
			if (lt__accepts(p, x->asked, i, c, &p->refused[i]))
				p->choice_of[i] = c;
		taken = taken && p->choice_of[i] >= 0;
	}
	return taken;
}

/* Places and frozen nests of the tree, in memory that goes with them. */
static lt_status freeze(struct lt_program *p)
{
	lt__arena_free(p->nests);
	p->nests = NULL;
	p->places = (struct lt_places){ .param_storage = -1 };
	LT_TRY(lt__arena_new(p->ctx, &p->nests));
	p->lowered = p->tree->graph;                            /* with the nodes that are the tree's own */
	LT_TRY(lt__program_places(p));                          /* each whole value has a place in a storage */
	LT_TRY(lt__freeze(p->tree, &p->places, p->nests, &p->frozen));
	p->n_frozen = p->tree->n_root;
	for (int32_t i = 0; i < p->n_frozen; i++)
		p->frozen[i].tree.prelude = p->prelude;
	p->refused = LT_NEW(p->nests, struct lt_refusals, p->n_frozen + 1);
	p->choice_of = LT_NEW(p->nests, int32_t, p->n_frozen + 1);
	return LT_OK;
}

/* Calls of a tree of the user's, by the routines of the backends' targets: one of these has to have them. */
static lt_status check_calls(const struct lt_program *p)
{
	for (int32_t i = 0; i < p->n_frozen; i++) {
		bool known = false;
		for (int32_t c = 1; c < p->n_choice && !known; c++)
			known = lt__check_calls(p->tree, &p->frozen[i], p->choice[c].backend->caps(p->choice[c].session)->target) == LT_OK;
		if (!known)
			LT_TRY(lt__check_calls(p->tree, &p->frozen[i], p->choice[0].backend->caps(p->choice[0].session)->target));
	}
	return LT_OK;
}

static lt_status rebuild(struct assign *x)
{
	struct lt_program *p = x->p;
	const struct lt_target **target = LT_NEW(p->arena, const struct lt_target *, p->n_choice);
	for (int32_t i = 0; i < p->n_choice; i++)
		target[i] = p->choice[i].backend->caps(p->choice[i].session)->target;
	lt_looptree_free(p->tree);
	p->tree = NULL;
	return lt__looptree_auto_for(p->base, target, p->n_choice, x->class, &p->tree);
}

static lt_status refuse(struct lt_program *p)
{
	int32_t i = 0;
	while (p->choice_of[i] >= 0)
		i++;
	return lt_fail(p->ctx, LT_EUNSUPPORTED, "kernel %s: %s%s", p->frozen[i].tree.name, lt__refusals_text(p, &p->refused[i]),
		p->options.strict && p->n_choice > 1 ? " (strict: the other backends are not asked)" : "");
}

/* Adds the time since *last to *to. */
static void lap(int64_t *to, int64_t *last)
{
	int64_t now = lt__now_ns();
	*to += now - *last;
	*last = now;
}

lt_status lt__program_nests(struct lt_program *p, bool tree_only)
{
	int64_t last = lt__now_ns();
	if (!p->tree)
		LT_TRY(lt__program_tree(p));                    /* the default one, or the user's; changed by nothing below */
	lap(&p->stats.tree_ns, &last);
	LT_TRY(freeze(p));
	if (p->fixed_tree)
		LT_TRY(check_calls(p));
	int32_t n_choice = p->options.strict ? 1 : p->n_choice;
	struct assign x = { .p = p, .asked = lt__asked_new(p), .class = LT_NEW(p->arena, int32_t, p->base->n_node + 1),
		.why = LT_NEW(p->arena, const struct lt_refusals *, (int64_t)p->base->n_node * p->n_choice + 1) };
	bool moved = false, taken = p->fixed_tree ? offer_all(&x, n_choice) : ask_all(&x, n_choice, &moved);
	LT_TRY(lt__asked_failed(p, x.asked));
	for (int32_t round = 1; moved && taken; round++) {
		lap(&p->stats.freeze_ns, &last);
		x.move_all = round % MOST_ROUNDS == 0;
		LT_TRY(rebuild(&x));
		lap(&p->stats.tree_ns, &last);
		LT_TRY(freeze(p));
		taken = ask_all(&x, n_choice, &moved);
		LT_TRY(lt__asked_failed(p, x.asked));
	}
	lap(&p->stats.freeze_ns, &last);
	if (taken && !tree_only)
		lt__program_kernels(p);
	if (p->options.explain)
		lt__explain_each(p, p->nests, p->options.explain, p->options.user);
	return taken ? LT_OK : refuse(p);
}
