/* Compiling a graph: the pipeline, in the order of the data. */
#include <string.h>
#include <time.h>
#include "backends/cgen/cgen.h"
#include "ir/pass.h"
#include "program/program.h"

int64_t lt__now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the operators' C texts call: one text for all kernels. */
static void give_prelude(struct lt_program *p)
{
	size_t bytes = lt__cgen_prelude(NULL, 0) + 1;
	char *text = lt__arena_alloc(p->arena, bytes);
	lt__cgen_prelude(text, bytes);
	p->prelude = text;
}

struct lower { struct lt_program *p; const struct lt_graph *graph; bool tree_only; };

/* The graph that is lowered: its nodes are what the leaves of a tree stand for. */
static lt_status lower_graph(struct lt_program *p, const struct lt_graph *graph)
{
	LT_TRY(p->options.no_passes ? lt__pass_dead(graph, &p->graph)           /* what nothing needs is never computed */
		: lt__passes_run(graph, NULL, NULL, &p->graph));
	return lt__materialize(p->graph, &p->base);                          /* each result and state has a leaf, or is written through */
}

static lt_status lower(struct lt_program *p, const struct lt_graph *graph, bool tree_only)
{
	int64_t last = lt__now_ns();
	LT_TRY(lt_graph_verify(graph));
	LT_TRY(lt__program_bindings(p, graph));
	if (!p->base)
		LT_TRY(lower_graph(p, graph));
	p->lowered = p->base;
	lt__lap(&p->stats.passes_ns, &last);
	LT_TRY(lt__cancelled(p));
	LT_TRY(lt__program_open(p));                                            /* the backends' targets are known */
	give_prelude(p);
	LT_TRY(lt__program_nests(p, tree_only));                                /* frozen nests, each with a backend; equal ones are one kernel */
	if (tree_only)
		return LT_OK;
	LT_TRY(lt__cancelled(p));
	last = lt__now_ns();
	LT_TRY(lt__program_steps(p));                                           /* launches and copies, in order */
	LT_TRY(lt__program_memory(p));                                          /* what crosses between memories is a step, too */
	LT_TRY(lt__program_plan(p));                                            /* storages have offsets */
	lt__lap(&p->stats.freeze_ns, &last);
	LT_TRY(lt__cancelled(p));
	LT_TRY(lt__program_compile(p));
	lt__program_scratch(p);
	lt__lap(&p->stats.compile_ns, &last);
	return LT_OK;
}

static lt_status lower_body(void *arg)
{
	struct lower *l = arg;
	return lower(l->p, l->graph, l->tree_only);
}

static const char *copy_string(struct lt_arena *a, const char *text) { return text ? lt__arena_string(a, text) : NULL; }

struct lower_start { struct lt_context *ctx; const struct lt_options *options; struct lt_program *p; };

static lt_status start_body(void *arg)
{
	struct lower_start *s = arg;
	struct lt_program *p = s->p;
	if (s->options)
		memcpy(&p->options, s->options, s->options->size < sizeof p->options ? s->options->size : sizeof p->options);
	p->options.backends = copy_string(p->arena, p->options.backends ? p->options.backends : "cpu");
	p->options.cc = copy_string(p->arena, p->options.cc);
	/* What is only printed is not kept. */
	p->options.cache_dir = p->options.source_only ? NULL : copy_string(p->arena, p->options.cache_dir);
	p->options.temp_dir = copy_string(p->arena, p->options.temp_dir);
	p->stats.size = sizeof p->stats;
	return lt__host_open(p);
}

static lt_status compile_program(struct lt_context *ctx, const struct lt_graph *graph, struct lt_graph *lowered, struct lt_looptree *tree,
	const struct lt_options *options, bool tree_only, struct lt_program **out)
{
	struct lt_program *p = lt__context_realloc(ctx, NULL, 0, sizeof *p);
	if (!p) {
		lt_looptree_free(tree);
		lt_graph_free(lowered);
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	}
	*p = (struct lt_program){ .ctx = ctx, .base = lowered, .tree = tree, .cache = { .fd = -1 },
		.fixed_tree = tree || (options && options->size > offsetof(struct lt_options, apply) && (options->schedule || options->apply)) };
	struct lower_start s = { ctx, options, p };
	struct lower l = { p, graph, tree_only };
	lt_status st = lt__arena_new(ctx, &p->arena);
	if (!st)
		st = lt__protect(ctx, start_body, &s);
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

lt_status lt_compile(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_options *options, struct lt_program **out)
{
	*out = NULL;
	if (!graph)
		return lt_fail(ctx, LT_EINVAL, "lt_compile is given no graph; look at what lt_parse answered");
	if (options && options->size < offsetof(struct lt_options, schedule))
		return lt_fail(ctx, LT_EINVAL, "lt_options.size is %u; set it to sizeof (struct lt_options)", (unsigned)options->size);
	return compile_program(ctx, graph, NULL, NULL, options, false, out);
}

lt_status lt__check_schedule(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_options *options)
{
	struct lt_program *p = NULL;
	lt_status st = compile_program(ctx, graph, NULL, NULL, options, true, &p);
	lt_program_free(p);
	return st;
}

lt_status lt__compile_tree(struct lt_context *ctx, const struct lt_graph *graph, struct lt_graph *lowered, struct lt_looptree *tree,
	const struct lt_options *options, struct lt_program **out)
{
	*out = NULL;
	return compile_program(ctx, graph, lowered, tree, options, false, out);
}

void lt_program_free(struct lt_program *p)
{
	if (!p)
		return;
	lt__device_memory_free(p, p->room);
	lt__program_close(p);
	lt__cache_close(&p->cache);
	for (int32_t i = 0; p->owned && i < p->bindings[LT_BINDING_CONSTANT].n; i++)
		if (p->owned[i])
			lt__context_realloc(p->ctx, p->owned[i], p->bindings[LT_BINDING_CONSTANT].at[i].bytes, 0);
	if (p->prepared)
		lt__context_realloc(p->ctx, p->prepared, p->prepared_bytes + LT_ALIGNMENT_SLACK, 0);
	lt_looptree_free(p->tree);
	lt_graph_free(p->base);
	lt_graph_free(p->graph);
	lt__arena_free(p->nests);
	lt__arena_free(p->arena);
	lt__context_realloc(p->ctx, p, sizeof *p, 0);
}
