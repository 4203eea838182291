/* Which backend runs which nest: trees by class of node, until each nest is taken.
 *
 * At first every node is for the first backend.  The nodes of all nests that it refuses are for the second then, and
 * the tree is rebuilt: nests have nodes of one class, and get the loops that fit their backend.  Before that, a call
 * that is refused, by the table of routines or by the backend, is no call in the next tree, and a nest that a GPU
 * refuses is offered to it again, plainer.  A tree of the user's is not rebuilt; its nests are offered as they are, to
 * one backend after the other.
 */
#include <string.h>
#include "looptree/default/default.h"
#include "looptree/call/call.h"
#include "looptree/derive/derive.h"
#include "program/nest/accept.h"

enum { MAX_ROUNDS = 16 };

struct lt_offers {
	struct lt_arena *arena;
	const struct lt_graph *graph;           /* that trees are made for */
	const struct lt_target *const *target; int32_t n_target;
	struct lt_asked *asked;                 /* NULL: there are no backends to ask, each nest is taken */
	int32_t n_opened;                       /* that may be asked */
	bool fixed, strict;
	int32_t round;
	int32_t *class;                         /* by node of the graph */
	struct lt_fallback *fallback;           /* the same */
	const struct lt_refusals **why;         /* by class and node: what its nest of that class was refused for */
	bool move_all;                          /* too many rounds: all nodes of a class that is refused something move on */
	/* of a round */
	const struct lt_looptree *tree;
	struct lt_nests *nests;
	const lt_node *base;                    /* by node of the tree's graph: lt__tree_bases */
	const int32_t *was;                     /* class, before any has moved */
	int32_t *nest_of;                       /* by node of the graph: where it stands; -1 */
	bool has_moved;
};

struct lt_offers *lt__offers_new(const struct lt_graph *graph, const struct lt_target *const *target, int32_t n_target,
	const struct lt_opened_backends *backends, const struct lt_options *options, bool fixed, struct lt_arena *a)
{
	struct lt_offers *x = LT_NEW(a, struct lt_offers, 1);
	*x = (struct lt_offers){ .arena = a, .graph = graph, .target = target, .n_target = n_target, .fixed = fixed,
		.asked = backends ? lt__asked_new(backends, options, a) : NULL,
		.n_opened = options->strict || !backends ? 1 : backends->n,
		.strict = options->strict && backends && backends->n > 1, .class = LT_NEW(a, int32_t, graph->n_node + 1),
		.fallback = LT_NEW(a, struct lt_fallback, graph->n_node + 1),
		.why = LT_NEW(a, const struct lt_refusals *, (int64_t)graph->n_node * n_target + 1) };
	return x;
}

static void add_location(struct lt_text *x, const struct lt_refusal *r)
{
	if (r->node)
		lt__text_format(x, " at %%%s", r->node);
	if (r->node && r->line > 0 && r->file)
		lt__text_format(x, " (%s:%d:%d)", r->file, (int)r->line, (int)r->column);
	else if (r->node && r->line > 0)
		lt__text_format(x, " (line %d:%d of its script)", (int)r->line, (int)r->column);
}

/* "a refuses it at %n (s.lt:1:1): because; b ..." */
static const char *refusals_text(struct lt_arena *a, const struct lt_refusals *list)
{
	struct lt_text x = { .arena = a };
	for (int32_t i = 0; i < list->n; i++) {
		const struct lt_refusal *r = list->at[i];
		lt__text_format(&x, "%s%s refuses it", i ? "; " : "", r->backend);
		add_location(&x, r);
		lt__text_format(&x, ": %s%s%s", r->text, r->remedy ? ": " : "", r->remedy ? r->remedy : "");
	}
	return x.n ? x.at : "";
}

static lt_node base_at(const struct lt_offers *x, int32_t nest, uint32_t stmt)
{
	return x->base[x->nests->frozen[nest].node[stmt]];
}

/* That of a nest's first node; nodes of one nest are of one class. */
static int32_t class_of(const struct lt_offers *x, int32_t nest)
{
	lt_node first = x->nests->frozen[nest].tree.stmts.n > 0 ? base_at(x, nest, 0) : -1;
	return first < 0 ? 0 : x->was[first];
}

static void add_refusals(struct lt_offers *x, struct lt_refusals *to, const struct lt_refusals *from)
{
	for (int32_t i = 0; i < from->n; i++) {
		bool there = false;
		for (int32_t k = 0; k < to->n && !there; k++)
			there = to->at[k] == from->at[i];
		if (there)
			continue;
		LT_GROW(x->arena, to->at, to->n, to->cap);
		to->at[to->n++] = from->at[i];
	}
}

/* What the backends before said of the nodes of a nest, when they stood in other nests. */
static void gather_refusals(struct lt_offers *x, int32_t nest, int32_t class, struct lt_refusals *out)
{
	for (int32_t c = 0; c < class; c++) {
		const struct lt_refusals *last = NULL;
		for (uint32_t i = 0; i < x->nests->frozen[nest].tree.stmts.n; i++) {
			lt_node base = base_at(x, nest, i);
			const struct lt_refusals *r = base < 0 ? NULL : x->why[(size_t)c * (size_t)x->graph->n_node + (size_t)base];
			if (r && r != last)
				add_refusals(x, out, r);
			last = r ? r : last;
		}
	}
}

static bool offer_is_grid(const struct lt_offers *x, int32_t class)
{
	return class < x->n_target && lt__target_has_grid(x->target[class]);
}

static void offer_move(struct lt_offers *x, lt_node base, int32_t class, const struct lt_refusals *why)
{
	if (x->class[base] != class)
		return;
	x->class[base] = class + 1;
	x->fallback[base] = (struct lt_fallback){ 0 };
	x->has_moved = true;
	x->why[(size_t)class * (size_t)x->graph->n_node + (size_t)base] = why;
}

/* The nodes of a refused nest are for the next backend; of one that has the tree's own alone, all of the nests that
 * these are made for, so that no product is torn from its factors' copies, or apart. */
static void offer_move_nest(struct lt_offers *x, int32_t nest, int32_t class, const struct lt_refusals *why)
{
	uint32_t n = x->nests->frozen[nest].tree.stmts.n;
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		lt_node base = base_at(x, nest, i);
		if (base < 0 || x->nest_of[base] != nest)
			continue;
		offer_move(x, base, class, why);
		any = true;
	}
	for (uint32_t i = 0; i < n && !any; i++) {
		lt_node base = base_at(x, nest, i);
		if (base >= 0 && x->class[base] == class && x->nest_of[base] >= 0)
			offer_move_nest(x, x->nest_of[base], class, why);
	}
}

static void offer_begin(struct lt_offers *x)
{
	const struct lt_nests *nests = x->nests;
	const struct lt_graph *g = x->graph;
	x->base = lt__tree_bases(x->tree, nests->arena);
	x->was = lt__arena_copy(nests->arena, x->class, sizeof *x->class * ((size_t)g->n_node + 1));
	x->nest_of = LT_NEW(nests->arena, int32_t, g->n_node + 1);
	x->has_moved = false;
	x->move_all = x->round > 0 && x->round % MAX_ROUNDS == 0;
	for (lt_node n = 0; n < g->n_node; n++)
		x->nest_of[n] = -1;
	for (int32_t i = 0; i < nests->n; i++)
		for (uint32_t k = 0; k < nests->frozen[i].tree.stmts.n; k++) {
			lt_node base = base_at(x, i, k);
			if (base >= 0 && !strcmp(x->tree->graph->node[nests->frozen[i].node[k]].name, g->node[base].name))
				x->nest_of[base] = i;
		}
}

/* Whether its calls are what the target's table says, as their operands are stored: the tree was made before that was
 * known. */
static lt_status offer_check_calls(struct lt_offers *x, int32_t nest, int32_t class, struct lt_refusals *why)
{
	struct lt_context *ctx = lt__arena_context(x->arena);
	const struct lt_target *target = class < x->n_target ? x->target[class] : NULL;
	lt_status st = lt__check_calls(x->tree, &x->nests->frozen[nest], target);
	if (!st || st == LT_ENOMEM)
		return st;
	struct lt_refusal *r = LT_NEW(x->arena, struct lt_refusal, 1);
	*r = (struct lt_refusal){ .size = sizeof *r, .code = st, .backend = lt__arena_string(x->arena, target->name),
		.text = lt__arena_format(x->arena, "%s", lt_context_message(ctx)) };
	lt_context_clear(ctx);
	LT_GROW(x->arena, why->at, why->n, why->cap);
	why->at[why->n++] = r;
	return LT_OK;
}

static bool offer_accepts(struct lt_offers *x, int32_t nest, int32_t opened, struct lt_refusals *why)
{
	return !x->asked || lt__accepts(x->asked, x->tree, &x->nests->frozen[nest], opened, why);
}

/* Aligns slots of the nests that a backend is asked for, which is in their text, and asks it for all at once if it
 * can. */
static void offer_ahead(struct lt_offers *x, const bool *ask, int32_t opened)
{
	const struct lt_tree **tree = LT_NEW(x->nests->arena, const struct lt_tree *, x->nests->n + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < x->nests->n && x->asked; i++) {
		if (!ask[i])
			continue;
		lt__nest_align(x->nests, i, lt__asked_device(x->asked, opened));
		tree[n++] = &x->nests->frozen[i].tree;
	}
	if (x->asked)
		lt__accepts_ahead(x->asked, tree, n, opened);
}

/* Asks for each nest.  *again: some are refused, all of whose nodes get other nests, or are for the next backend. */
static lt_status ask_all(struct lt_offers *x, bool *again)
{
	struct lt_nests *nests = x->nests;
	struct lt_refusals **why = LT_NEW(x->arena, struct lt_refusals *, nests->n + 1);
	bool taken = true, moved = false, *ask = LT_NEW(nests->arena, bool, nests->n + 1);
	offer_begin(x);
	for (int32_t i = 0; i < nests->n; i++) {
		int32_t c = class_of(x, i);
		why[i] = LT_NEW(x->arena, struct lt_refusals, 1);
		gather_refusals(x, i, c, &nests->refused[i]);
		nests->opened_of[i] = c;
		if (!nests->blocks[i])
			LT_TRY(offer_check_calls(x, i, c, why[i]));
	}
	for (int32_t c = 0; c < x->n_opened; c++) {
		for (int32_t i = 0; i < nests->n; i++)
			ask[i] = !nests->blocks[i] && why[i]->n == 0 && nests->opened_of[i] == c;
		offer_ahead(x, ask, c);
	}
	for (int32_t i = 0; i < nests->n; i++) {
		int32_t c = nests->opened_of[i];
		if (nests->blocks[i] || (why[i]->n == 0 && offer_accepts(x, i, c, why[i])))
			continue;
		add_refusals(x, &nests->refused[i], why[i]);
		nests->opened_of[i] = -1;
		moved = true;
		if (lt__fallback_nest(x->tree, x->base, nests->frozen[i].root, offer_is_grid(x, c) && !x->move_all,
			refusals_text(x->arena, why[i]), x->arena, x->fallback)) {
			x->has_moved = true;
			continue;
		}
		taken = taken && c + 1 < x->n_opened;
		offer_move_nest(x, i, c, why[i]);
		for (lt_node n = 0; x->move_all && n < x->graph->n_node; n++)
			offer_move(x, n, c, why[i]);
	}
	*again = moved && taken && x->has_moved;        /* a refused nest of no nodes is for nobody else */
	return LT_OK;
}

/* Nests of a tree that stays as it is. */
static void offer_all(struct lt_offers *x)
{
	struct lt_nests *nests = x->nests;
	bool *ask = LT_NEW(nests->arena, bool, nests->n + 1);
	for (int32_t i = 0; i < nests->n; i++)
		nests->opened_of[i] = nests->blocks[i] ? 0 : -1;
	for (int32_t c = 0; c < x->n_opened; c++) {
		for (int32_t i = 0; i < nests->n; i++)
			ask[i] = nests->opened_of[i] < 0;
		offer_ahead(x, ask, c);
		for (int32_t i = 0; i < nests->n; i++)
			if (nests->opened_of[i] < 0 && offer_accepts(x, i, c, &nests->refused[i]))
				nests->opened_of[i] = c;
	}
}

/* Calls of a tree of the user's, by the routines of the targets: one of these has to have them. */
static lt_status check_calls(const struct lt_offers *x)
{
	for (int32_t i = 0; i < x->nests->n; i++) {
		const struct lt_frozen *f = &x->nests->frozen[i];
		bool known = false;
		for (int32_t c = 1; c < x->n_target && !known; c++)
			known = lt__check_calls(x->tree, f, x->target[c]) == LT_OK;
		if (!known)
			LT_TRY(lt__check_calls(x->tree, f, x->target[0]));
	}
	return LT_OK;
}

/* Whether a tree that was read says that it is for another target.  Its name is only said: kinds are permissions, so
 * that a tree runs wherever its loops are taken. */
static bool is_for_another(const struct lt_offers *x, const struct lt_looptree *t)
{
	for (int32_t c = 0; t->target && c < x->n_target; c++)
		if (x->target[c] && !strcmp(x->target[c]->name, t->target))
			return false;
	return t->file && t->target;
}

const char *lt__offers_elsewhere(const struct lt_offers *x, const struct lt_looptree *t)
{
	if (!is_for_another(x, t) || !x->target[0])
		return NULL;
	const char *backend = lt__arena_format(x->arena, "%.*s", (int)strcspn(t->target, ":"), t->target);
	return lt__arena_format(x->arena, "%s was made for the target '%s'%s; it is run as it is for '%s'", t->file, t->target,
		lt_backend_find(backend) ? "" : ", which is none of a backend here", x->target[0]->name);
}

/* For --explain. */
static void explain_target(const struct lt_offers *x, struct lt_looptree *t)
{
	const char *elsewhere = lt__offers_elsewhere(x, t);
	if (!elsewhere || x->nests->n == 0 || x->nests->frozen[0].tree.stmts.n == 0)
		return;
	LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
	t->note[t->n_note++] = (struct lt_tnote){ x->nests->frozen[0].node[0], lt__arena_format(t->arena, "tree: %s",
		elsewhere) };
}

lt_status lt__offer_nests(struct lt_offers *x, struct lt_looptree *t, struct lt_nests *nests, bool *again)
{
	*again = false;
	x->tree = t;
	x->nests = nests;
	nests->refused = LT_NEW(nests->arena, struct lt_refusals, nests->n + 1);
	nests->opened_of = LT_NEW(nests->arena, int32_t, nests->n + 1);
	if (x->fixed) {
		explain_target(x, t);
		LT_TRY(check_calls(x));
		offer_all(x);
	} else {
		LT_TRY(ask_all(x, again));
	}
	x->round++;
	return x->asked ? lt__asked_failed(x->asked) : LT_OK;
}

bool lt__offers_plainer(struct lt_offers *x, const struct lt_looptree *t, lt_tnode failed, lt_status st)
{
	struct lt_context *ctx = lt__arena_context(x->arena);
	bool grid = false;
	for (int32_t c = 0; c < x->n_target; c++)
		grid = grid || offer_is_grid(x, c);
	if (x->fixed || lt__is_end(st) || failed < 0
		|| !lt__fallback_nest(t, lt__tree_bases(t, x->arena), failed, grid,
			lt__arena_format(x->arena, "%s", lt_context_message(ctx)), x->arena, x->fallback))
		return false;
	lt_context_clear(ctx);
	return true;
}

lt_status lt__offers_tree(const struct lt_offers *x, struct lt_looptree **tree)
{
	lt_looptree_free(*tree);
	*tree = NULL;
	return lt__looptree_auto_for(x->graph, x->target, x->n_target, x->class, x->fallback, tree);
}

lt_status lt__offers_refused(const struct lt_offers *x, const struct lt_nests *nests)
{
	int32_t i = 0;
	while (nests->opened_of[i] >= 0)
		i++;
	return lt_fail(lt__arena_context(x->arena), LT_EUNSUPPORTED, "kernel %s: %s%s%s", nests->frozen[i].tree.name,
		refusals_text(x->arena, &nests->refused[i]), x->strict ? " (strict: the other backends are not asked)" : "",
		x->fixed && is_for_another(x, x->tree) ? lt__arena_format(x->arena, "; %s was made for the target '%s'",
		x->tree->file, x->tree->target) : "");
}
