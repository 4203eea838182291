/* Compiling a graph: the pipeline, in the order of the data. */
#include <string.h>
#include "backends/cgen/cgen.h"
#include "ir/pass.h"
#include "program/blocks.h"
#include "program/program.h"
#include "program/schedule.h"

/* What is lowered, and for what. */
struct request {
	const struct lt_graph *graph;
	const struct lt_options *options;
	struct lt_graph *base;                  /* its lowered form and a finished tree over that; NULL: not given */
	struct lt_looptree *tree;
	const struct lt_target *target;         /* for this one, and for no backend; NULL: for the options' backends */
	bool tree_only;                         /* whether there are nests that backends take */
};
struct lower { struct lt_program *p; const struct request *request; };

/* What the operators' C texts call: one text for all kernels. */
static const char *new_prelude(struct lt_arena *a)
{
	size_t bytes = lt__cgen_prelude(NULL, 0) + 1;
	char *text = lt__arena_alloc(a, bytes);
	lt__cgen_prelude(text, bytes);
	return text;
}

/* The graph that is lowered: its nodes are what the leaves of a tree stand for. */
static lt_status lower_graph(struct lt_program *p, const struct lt_graph *graph)
{
	LT_TRY(p->options.no_passes ? lt__pass_dead(graph, &p->graph)   /* what nothing needs is never computed */
		: lt__passes_run(graph, NULL, NULL, &p->graph));
	return lt__materialize(p->graph, &p->base);     /* each result and state has a leaf, or is written through */
}

static lt_status lower_program(struct lt_program *p, const struct request *q)
{
	const bool fixed = p->tree || p->options.schedule || p->options.apply;          /* the user's tree: never rebuilt */
	const char *prelude = new_prelude(p->arena);
	const struct lt_target *const *target = &q->target;
	struct lt_nests *nests = &p->nests;
	bool again = true;
	int64_t last = lt__now_ns();

	LT_TRY(lt_graph_verify(q->graph));
	LT_TRY(lt__bindings_fill(q->graph, p->arena, p->bindings));           /* what a caller gives and gets has a number */
	lt__constants_init(&p->constants, p->bindings[LT_BINDING_CONSTANT].n, p->arena);
	if (!p->base)
		LT_TRY(lower_graph(p, q->graph));                       /* every node that computes is a leaf */
	lt__lap(&p->stats.passes_ns, &last);
	LT_TRY(lt__cancelled(&p->services));
	if (!q->target) {
		LT_TRY(lt__backends_open(p->options.backends, &p->services.host, p->arena, &p->backends));
		target = lt__backend_targets(&p->backends, p->arena);    /* the machines are known */
	}
	const int32_t n_target = q->target ? 1 : p->backends.n;
	if (!p->tree)
		LT_TRY(lt__first_tree(p->base, target[0], &p->options, &p->tree));      /* the default, or the user's */
	struct lt_offers *offers = lt__offers_new(p->base, target, n_target, q->target ? NULL : &p->backends, &p->options,
		fixed, p->arena);
	lt__lap(&p->stats.tree_ns, &last);
	while (again) {
		LT_TRY(lt__cancelled(&p->services));
		LT_TRY(lt__nests_reset(nests, p->ctx, p->tree));
		/* each whole value has a storage */
		LT_TRY(lt__assign_storage(p->tree, p->bindings, nests->arena, &nests->assigned));
		/* copies that need no kernel are known */
		LT_TRY(lt__find_blocks(p->tree, &nests->assigned, nests->arena, &nests->blocks));
		/* loops, guards and offsets are resolved */
		LT_TRY(lt__nests_freeze(nests, p->tree, prelude));
		LT_TRY(lt__cancelled(&p->services));
		/* each nest is taken, or its nodes are for the next backend, which needs another tree */
		LT_TRY(lt__offer_nests(offers, p->tree, nests, &again));
		lt__lap(&p->stats.freeze_ns, &last);
		if (again)
			LT_TRY(lt__offers_tree(offers, &p->tree));
		lt__lap(&p->stats.tree_ns, &last);
	}
	const bool taken = lt__nests_taken(nests);
	if (taken && !q->tree_only)
		lt__kernels_find(nests, n_target, p->arena, &p->kernels);       /* equal nests are one kernel */
	if (p->options.explain)
		lt__explain_each(p, nests->arena, p->options.explain, p->options.user);
	if (!taken || q->tree_only)
		return taken ? LT_OK : lt__offers_refused(offers, nests);
	LT_TRY(lt__cancelled(&p->services));
	lt__plan_steps(p->tree->graph, nests, p->arena, &p->plan);      /* launches and copies, in order */
	/* what crosses between memories is a step, too */
	LT_TRY(lt__plan_moves(p->tree->graph, p->bindings[LT_BINDING_STATE].n, nests, &p->backends, &p->kernels,
		p->arena, &p->plan, &p->memories));
	LT_TRY(lt__plan_offsets(nests, &p->plan, p->arena, &p->memories));      /* storages have offsets */
	lt__lap(&p->stats.freeze_ns, &last);
	LT_TRY(lt__cancelled(&p->services));
	if (!p->options.plan_only)
		LT_TRY(lt__kernels_compile(&p->kernels, &p->backends, &p->services, p->arena));
	lt__plan_scratch(&p->kernels, &p->memories);
	lt__lap(&p->stats.compile_ns, &last);
	LT_TRY(lt__program_count(p, &p->stats));
	lt__lap(&p->stats.freeze_ns, &last);
	return LT_OK;
}

static lt_status lower_body(void *arg)
{
	struct lower *l = arg;
	return lower_program(l->p, l->request);
}

static const char *copy_string(struct lt_arena *a, const char *text) { return text ? lt__arena_string(a, text) : NULL; }

static lt_status start_body(void *arg)
{
	struct lower *l = arg;
	struct lt_program *p = l->p;
	const struct lt_options *o = l->request->options;
	if (o)
		memcpy(&p->options, o, o->size < sizeof p->options ? o->size : sizeof p->options);
	p->options.backends = copy_string(p->arena, p->options.backends ? p->options.backends : "cpu");
	p->options.cc = copy_string(p->arena, p->options.cc);
	/* What is only printed is not kept. */
	p->options.cache_dir = p->options.source_only ? NULL : copy_string(p->arena, p->options.cache_dir);
	p->options.temp_dir = copy_string(p->arena, p->options.temp_dir);
	p->stats.size = sizeof p->stats;
	return lt__host_open(&p->services, p->ctx, &p->options, p->arena);
}

static lt_status lower_request(struct lt_context *ctx, const struct request *q, struct lt_program **out)
{
	struct lt_program *p = lt__context_realloc(ctx, NULL, 0, sizeof *p);
	*out = NULL;
	if (!p) {
		lt_looptree_free(q->tree);
		lt_graph_free(q->base);
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	}
	*p = (struct lt_program){ .ctx = ctx, .base = q->base, .tree = q->tree, .services.cache.fd = -1 };
	const bool made = lt__turn_init(&p->turn, false);
	struct lower l = { p, q };
	lt_status st = made ? lt__arena_new(ctx, &p->arena) : lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (!st)
		st = lt__protect(ctx, start_body, &l);
	if (!st)
		st = lt__protect(ctx, lower_body, &l);
	p->options.schedule = p->options.apply = NULL;          /* read during the call only */
	if (st) {
		lt_program_free(p);
		return st;
	}
	*out = p;
	return LT_OK;
}

lt_status lt_compile(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_options *options,
	struct lt_program **out)
{
	*out = NULL;
	if (!graph)
		return lt_fail(ctx, LT_EINVAL, "lt_compile is given no graph; check what lt_parse returned");
	if (options && options->size < offsetof(struct lt_options, schedule))
		return lt_fail(ctx, LT_EINVAL, "lt_options.size is %u; set it to sizeof (struct lt_options)",
			(unsigned)options->size);
	return lower_request(ctx, &(struct request){ .graph = graph, .options = options }, out);
}

lt_status lt__check_schedule(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_options *options)
{
	struct lt_program *p;
	lt_status st = lower_request(ctx, &(struct request){ .graph = graph, .options = options, .tree_only = true }, &p);
	lt_program_free(p);
	return st;
}

lt_status lt__compile_tree(struct lt_context *ctx, const struct lt_graph *graph, struct lt_graph *lowered,
	struct lt_looptree *tree, const struct lt_options *options, struct lt_program **out)
{
	return lower_request(ctx, &(struct request){ .graph = graph, .options = options, .base = lowered, .tree = tree }, out);
}

lt_status lt__compile_for(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_target *target,
	const struct lt_options *options, struct lt_program **out)
{
	return lower_request(ctx, &(struct request){ .graph = graph, .options = options, .target = target }, out);
}

void lt_program_free(struct lt_program *p)
{
	if (!p)
		return;
	lt__constants_free(p);
	lt__kernels_destroy(&p->kernels, &p->backends);
	lt__backends_close(&p->backends);
	lt__cache_close(&p->services.cache);
	lt_looptree_free(p->tree);
	lt_graph_free(p->base);
	lt_graph_free(p->graph);
	lt__arena_free(p->nests.arena);
	lt__arena_free(p->arena);
	lt__turn_free(&p->turn);
	lt__context_realloc(p->ctx, p, sizeof *p, 0);
}
