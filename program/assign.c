/* Which backend runs which nest: trees by class of node, until each nest is taken.
 *
 * At first every node is for the first backend.  The nodes of all nests that it refuses are for the second then, and the tree is made
 * anew: nests have nodes of one class, and get the loops that fit their backend.  A tree of the user's is not made anew; its nests are
 * offered as they are, to one backend after the other.
 */
#include <string.h>
#include "looptree/call.h"
#include "looptree/derived.h"
#include "program/blocks.h"

enum { MAX_ROUNDS = 16 };

struct assign {
	struct lt_program *p;
	struct lt_asked *asked;
	int32_t *class;                         /* by node of the base */
	const struct lt_refusals **why;         /* by class and node of the base: what its nest of that class was refused for */
	bool move_all;                          /* too many rounds: all nodes of a class that is refused something move on */
	/* of a round */
	const lt_node *base;                    /* by node of the tree's graph: lt__tree_bases */
	const int32_t *was;                     /* class, before any has moved */
	int32_t *nest_of;                       /* by node of the base: where it stands; -1 */
	bool has_moved;
};

static lt_node base_at(const struct assign *x, int32_t nest, uint32_t stmt) { return x->base[x->p->frozen[nest].node[stmt]]; }

/* That of a nest's first node; nodes of one nest are of one class. */
static int32_t class_of(const struct assign *x, int32_t nest)
{
	lt_node first = x->p->frozen[nest].tree.stmts.n > 0 ? base_at(x, nest, 0) : -1;
	return first < 0 ? 0 : x->was[first];
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
static void gather_refusals(struct assign *x, int32_t nest, int32_t class, struct lt_refusals *out)
{
	struct lt_program *p = x->p;
	for (int32_t c = 0; c < class; c++) {
		const struct lt_refusals *last = NULL;
		for (uint32_t i = 0; i < p->frozen[nest].tree.stmts.n; i++) {
			lt_node base = base_at(x, nest, i);
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

/* The nodes of a refused nest are for the next backend; of one that has the tree's own alone, all of the nests that these are made for, so
 * that no product is torn from its factors' copies, or apart. */
static void move_nest(struct assign *x, int32_t nest, int32_t class, const struct lt_refusals *why)
{
	uint32_t n = x->p->frozen[nest].tree.stmts.n;
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		lt_node base = base_at(x, nest, i);
		if (base < 0 || x->nest_of[base] != nest)
			continue;
		move(x, base, class, why);
		any = true;
	}
	for (uint32_t i = 0; i < n && !any; i++) {
		lt_node base = base_at(x, nest, i);
		if (base >= 0 && x->class[base] == class && x->nest_of[base] >= 0)
			move_nest(x, x->nest_of[base], class, why);
	}
}

static void begin_round(struct assign *x)
{
	const struct lt_program *p = x->p;
	x->base = lt__tree_bases(p->tree, p->nests);
	x->was = lt__arena_copy(p->nests, x->class, sizeof *x->class * ((size_t)p->base->n_node + 1));
	x->nest_of = LT_NEW(p->nests, int32_t, p->base->n_node + 1);
	x->has_moved = false;
	for (lt_node n = 0; n < p->base->n_node; n++)
		x->nest_of[n] = -1;
	for (int32_t i = 0; i < p->n_frozen; i++)
		for (uint32_t k = 0; k < p->frozen[i].tree.stmts.n; k++) {
			lt_node base = base_at(x, i, k);
			if (base >= 0 && !strcmp(p->lowered->node[p->frozen[i].node[k]].name, p->base->node[base].name))
				x->nest_of[base] = i;
		}
}

/* Asks for each nest; *moved: some are refused, and their nodes are for the next backend now.  False: one has none to ask. */
static bool ask_all(struct assign *x, int32_t n_opened, bool *moved)
{
	struct lt_program *p = x->p;
	bool taken = true;
	*moved = false;
	begin_round(x);
	for (int32_t i = 0; i < p->n_frozen; i++) {
		int32_t c = class_of(x, i);
		struct lt_refusals *why = LT_NEW(p->arena, struct lt_refusals, 1);
		gather_refusals(x, i, c, &p->refused[i]);
		p->opened_of[i] = c;
		if (p->blocks[i] || lt__accepts(p, x->asked, i, c, why))
			continue;
		add_refusals(p, &p->refused[i], why);
		p->opened_of[i] = -1;
		*moved = true;
		taken = taken && c + 1 < n_opened;
		move_nest(x, i, c, why);
		for (lt_node n = 0; x->move_all && n < p->base->n_node; n++)
			move(x, n, c, why);
	}
	return taken && (!*moved || x->has_moved);     /* a refused nest of no nodes is for nobody else */
}

/* Nests of a tree that stays as it is. */
static bool offer_all(struct assign *x, int32_t n_opened)
{
	struct lt_program *p = x->p;
	bool taken = true;
	for (int32_t i = 0; i < p->n_frozen; i++) {
		p->opened_of[i] = p->blocks[i] ? 0 : -1;
		for (int32_t c = 0; c < n_opened && p->opened_of[i] < 0; c++)
			if (lt__accepts(p, x->asked, i, c, &p->refused[i]))
				p->opened_of[i] = c;
		taken = taken && p->opened_of[i] >= 0;
	}
	return taken;
}

/* Places and frozen nests of the tree, in memory that goes with them. */
static lt_status freeze(struct lt_program *p)
{
	lt__arena_free(p->nests);
	p->nests = NULL;
	p->assigned = (struct lt_assigned){ .param_storage = -1 };
	LT_TRY(lt__arena_new(p->ctx, &p->nests));
	p->lowered = p->tree->graph;                            /* with the nodes that are the tree's own */
	LT_TRY(lt__program_assign(p));                          /* each whole value has a storage */
	LT_TRY(lt__program_blocks(p));                          /* which nests are copies made block by block */
	const struct lt_fmemory memory = lt__assigned_memory(&p->assigned, p->nests);
	LT_TRY(lt__freeze(p->tree, &memory, p->nests, &p->frozen));
	p->n_frozen = p->tree->n_root;
	for (int32_t i = 0; i < p->n_frozen; i++)
		p->frozen[i].tree.prelude = p->prelude;
	p->refused = LT_NEW(p->nests, struct lt_refusals, p->n_frozen + 1);
	p->opened_of = LT_NEW(p->nests, int32_t, p->n_frozen + 1);
	return LT_OK;
}

/* Calls of a tree of the user's, by the routines of the backends' targets: one of these has to have them. */
static lt_status check_calls(const struct lt_program *p)
{
	for (int32_t i = 0; i < p->n_frozen; i++) {
		bool known = false;
		for (int32_t c = 1; c < p->n_opened && !known; c++)
			known = lt__check_calls(p->tree, &p->frozen[i], p->opened[c].backend->caps(p->opened[c].session)->target) == LT_OK;
		if (!known)
			LT_TRY(lt__check_calls(p->tree, &p->frozen[i], p->opened[0].backend->caps(p->opened[0].session)->target));
	}
	return LT_OK;
}

static lt_status rebuild(struct assign *x)
{
	struct lt_program *p = x->p;
	const struct lt_target **target = LT_NEW(p->arena, const struct lt_target *, p->n_opened);
	for (int32_t i = 0; i < p->n_opened; i++)
		target[i] = p->opened[i].backend->caps(p->opened[i].session)->target;
	lt_looptree_free(p->tree);
	p->tree = NULL;
	return lt__looptree_auto_for(p->base, target, p->n_opened, x->class, &p->tree);
}

static lt_status assign_refuse(struct lt_program *p)
{
	int32_t i = 0;
	while (p->opened_of[i] >= 0)
		i++;
	return lt_fail(p->ctx, LT_EUNSUPPORTED, "kernel %s: %s%s", p->frozen[i].tree.name, lt__refusals_text(p, &p->refused[i]),
		p->options.strict && p->n_opened > 1 ? " (strict: the other backends are not asked)" : "");
}

lt_status lt__program_nests(struct lt_program *p, bool tree_only)
{
	int64_t last = lt__now_ns();
	if (!p->tree)
		LT_TRY(lt__program_tree(p));                    /* the default one, or the user's; changed by nothing below */
	lt__lap(&p->stats.tree_ns, &last);
	LT_TRY(lt__cancelled(p));
	LT_TRY(freeze(p));
	LT_TRY(lt__cancelled(p));
	if (p->fixed_tree)
		LT_TRY(check_calls(p));
	int32_t n_opened = p->options.strict ? 1 : p->n_opened;
	struct assign x = { .p = p, .asked = lt__asked_new(p), .class = LT_NEW(p->arena, int32_t, p->base->n_node + 1),
		.why = LT_NEW(p->arena, const struct lt_refusals *, (int64_t)p->base->n_node * p->n_opened + 1) };
	bool moved = false, taken = p->fixed_tree ? offer_all(&x, n_opened) : ask_all(&x, n_opened, &moved);
	LT_TRY(lt__asked_failed(p, x.asked));
	for (int32_t round = 1; moved && taken; round++) {
		LT_TRY(lt__cancelled(p));
		lt__lap(&p->stats.freeze_ns, &last);
		x.move_all = round % MAX_ROUNDS == 0;
		LT_TRY(rebuild(&x));
		lt__lap(&p->stats.tree_ns, &last);
		LT_TRY(freeze(p));
		taken = ask_all(&x, n_opened, &moved);
		LT_TRY(lt__asked_failed(p, x.asked));
	}
	lt__lap(&p->stats.freeze_ns, &last);
	if (taken && !tree_only)
		lt__program_kernels(p);
	if (p->options.explain)
		lt__explain_each(p, p->nests, p->options.explain, p->options.user);
	return taken ? LT_OK : assign_refuse(p);
}
