/* Compiling a graph: the pipeline, in the order of the data. */
#include "ir/op/op.h"
#include "ir/pass/pass.h"
#include "program/explain/explain.h"
#include "program/nest/nest.h"
#include "program/own/own.h"
#include "program/lower.h"

/* What the operators' C texts call: one text for all kernels. */
static const char *new_prelude(struct lt_arena *a)
{
	size_t bytes = lt__op_prelude(NULL, 0) + 1;
	char *text = lt__arena_alloc(a, bytes);
	lt__op_prelude(text, bytes);
	return text;
}

/* Whether some backend takes kernels of the user's own. */
static bool takes_own(const struct lt_opened_backends *b)
{
	for (int32_t i = 0; i < b->n; i++)
		if (b->at[i].backend->caps(b->at[i].session)->understands & LT_NEED_OWN)
			return true;
	return false;
}

/* The graph that is lowered: its nodes are what the leaves of a tree stand for.  What a call of the user's own
 * operation means is computed as everything else is, unless a kernel does it. */
static lt_status lower_graph(struct lt_program *p, const struct lt_graph *given, bool own)
{
	struct lt_graph called = *given;
	const struct lt_graph *graph = &called;

	called.n_own = 0;
	if (given->n_own && p->options.kernels && p->options.log && !own)
		p->options.log(p->options.user, LT_LOG_INFO, lt__arena_format(p->arena, "no kernel of %s is called: the backend %s "
			"takes none; what they mean is computed", p->options.kernels, p->options.backends));
	if (given->n_own && own)
		LT_TRY(lt__own_find(given, p->arena, &p->options, &called));
	LT_TRY(p->options.no_passes ? lt__passes_none(graph, &p->graph) /* what nothing needs is never computed */
		: lt__passes_run(graph, NULL, NULL, &p->graph));
	return lt__materialize(p->graph, &p->base);     /* each result and state has a leaf, or is written through */
}

/* Adds the time since *last to *to. */
static void lap(int64_t *to, int64_t *last)
{
	int64_t now = lt__now_ns();
	*to += now - *last;
	*last = now;
}

/* A part is done: its time is counted, and the caller may want no more. */
static lt_status lower_lap(struct lt_program *p, int64_t *to, int64_t *last)
{
	lap(to, last);
	return lt__cancelled(&p->services);
}

static void lower_explain(const struct lt_program *p)
{
	if (p->options.explain)
		lt__explain_each(p, p->nests.arena, p->options.explain, p->options.user);
}

/* Whether it has work that the host's threads may share. */
static bool nest_is_shared(const struct lt_nests *nests, int32_t i)
{
	const struct lt_tree *t = &nests->frozen[i].tree;
	for (uint32_t k = 0; k < t->loops.n; k++)
		if (LT_AT(struct lt_loop, t->loops, k)->kind == LT_PARALLEL)
			return true;
	return nests->blocks[i] != NULL || t->needs & LT_NEED_OWN;
}

lt_status lt__lower(struct lt_program *p, const struct lt_request *q)
{
	const bool fixed = p->tree || p->options.schedule || p->options.apply;          /* the user's tree: never rebuilt */
	const char *prelude = new_prelude(p->arena);
	const struct lt_target *const *target = &q->target;
	struct lt_nests *nests = &p->nests;
	struct lt_stats *time = &p->stats;
	struct lt_plan steps;
	bool again = true;
	int64_t last = lt__now_ns();

	LT_TRY(lt_graph_verify(q->graph));
	LT_TRY(lt__bindings_fill(q->graph, p->arena, p->bindings));           /* what a caller gives and gets has a number */
	LT_TRY(lt__bindings_on_device(q->graph, p->options.on_device, p->bindings));
	lt__constants_init(&p->constants, p->bindings[LT_BINDING_CONSTANT].n, p->arena);
	if (!q->target) {
		LT_TRY(lt__backends_open(p->options.backends, &p->services.host, p->arena, &p->backends));
		target = lt__backend_targets(&p->backends, p->options.unpacked, p->arena);    /* the machines are known */
	}
	LT_TRY(lower_lap(p, &time->tree_ns, &last));
	lt__doing(p->ctx, "improving the graph", NULL);
	if (!p->base)
		LT_TRY(lower_graph(p, q->graph, q->target || takes_own(&p->backends)));     /* each node that computes is a leaf */
	LT_TRY(lower_lap(p, &time->passes_ns, &last));
	const int32_t n_target = q->target ? 1 : p->backends.n;
	p->target = lt__arena_copy(p->arena, target, (size_t)n_target * sizeof *target);
	p->n_target = n_target;
	lt__doing(p->ctx, "making the tree", NULL);
	if (!p->tree)
		LT_TRY(lt__first_tree(p->base, target[0], &p->options, &p->tree));      /* the default, or the user's */
	struct lt_offers *offers = lt__offers_new(p->base, target, n_target, q->target ? NULL : &p->backends, &p->options,
		fixed, p->arena);
	LT_TRY(lower_lap(p, &time->tree_ns, &last));
	lt__doing(p->ctx, "choosing backends", NULL);
	while (again) {
		LT_TRY(lt__nests_reset(nests, p->ctx, p->tree));
		/* each whole value has a storage */
		LT_TRY(lt__assign_storage(p->tree, p->bindings, nests->arena, &nests->assigned));
		/* copies that need no kernel are known */
		LT_TRY(lt__find_blocks(p->tree, &nests->assigned, nests->arena, &nests->blocks));
		/* loops, guards and offsets are resolved */
		lt_status frozen = lt__nests_freeze(nests, p->tree, prelude);
		again = frozen && lt__offers_plainer(offers, p->tree, nests->failed, frozen);
		LT_TRY(again ? LT_OK : frozen);
		LT_TRY(lower_lap(p, &time->freeze_ns, &last));
		/* each nest is taken, or gets a plainer tree, or its nodes are for the next backend, which needs another one */
		if (!again)
			LT_TRY(lt__offer_nests(offers, p->tree, nests, &again));
		LT_TRY(lower_lap(p, &time->accept_ns, &last));
		if (again)
			LT_TRY(lt__offers_tree(offers, &p->tree));
		lap(&time->tree_ns, &last);
	}
	const bool taken = lt__nests_taken(nests);
	if (taken && !q->tree_only)
		lt__kernels_find(nests, n_target, p->arena, &p->kernels);       /* equal nests are one kernel */
	if (!taken || q->tree_only) {
		const char *elsewhere = q->tree_only && taken ? lt__offers_elsewhere(offers, p->tree) : NULL;
		if (elsewhere && p->options.log)
			p->options.log(p->options.user, LT_LOG_INFO, elsewhere);
		lower_explain(p);
		return taken ? LT_OK : lt__offers_refused(offers, nests);
	}
	for (int32_t i = 0; i < nests->n; i++) {
		p->has_faults = p->has_faults || nests->frozen[i].tree.needs & LT_NEED_GATHER;
		p->is_shared = p->is_shared || (p->options.n_thread != 1 && nest_is_shared(nests, i));
	}
	lt__plan_steps(p->tree->graph, nests, p->arena, &steps);        /* launches and copies, in order */
	/* what crosses between memories is a step, too */
	LT_TRY(lt__plan_moves(p->tree->graph, p->bindings, nests, &p->backends, &p->kernels, &steps,
		p->arena, &p->plan, &p->memories));
	if (p->memories.n == 1)
		lt__plan_needs(p->tree, nests, &p->plan, p->arena);     /* a run may leave steps out */
	/* storages have offsets */
	LT_TRY(lt__plan_offsets(nests, &p->plan, &p->kernels, &p->memories, p->arena, &p->offsets));
	LT_TRY(lower_lap(p, &time->freeze_ns, &last));
	lt__doing(p->ctx, "compiling", NULL);
	lt_status compiled = p->options.plan_only ? LT_OK
		: lt__kernels_compile(&p->kernels, &p->backends, &p->services, p->arena);
	lower_explain(p);
	LT_TRY(compiled);
	p->scratch = lt__plan_scratch(&p->kernels, &p->memories, p->arena);     /* kernels have their workspace */
	lap(&time->compile_ns, &last);
	LT_TRY(lt__program_count(p, &p->stats));
	lap(&time->freeze_ns, &last);
	return LT_OK;
}
