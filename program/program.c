/* Making and freeing a program: the entries that have a graph lowered. */
#include <string.h>
#include "ir/graph/graph.h"
#include "program/lower.h"
#include "program/program.h"

struct lower { struct lt_program *p; const struct lt_request *request; };

static lt_status lower_body(void *arg)
{
	struct lower *l = arg;
	return lt__lower(l->p, l->request);
}

static const char *copy_string(struct lt_arena *a, const char *text) { return text ? lt__arena_string(a, text) : NULL; }

/* Constants whose content the graph has. */
static lt_status contents_body(void *arg)
{
	struct lower *l = arg;
	const struct lt_graph *g = l->request->graph;
	int32_t i = 0;
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].op == LT_OP_constant)
			l->p->constants.data[i++] = g->node[n].content;
	lt__graph_hold_too(g, l->p->arena);
	for (const struct lt_mapping *m = g->mapping; m; m = m->next) {
		struct lt_mapping *copy = lt__arena_copy(l->p->arena, m, sizeof *m);
		copy->next = l->p->constants.mapping;
		l->p->constants.mapping = copy;
	}
	return LT_OK;
}

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
	p->options.on_device = copy_string(p->arena, p->options.on_device);
	p->options.kernels = copy_string(p->arena, p->options.kernels);
	p->options.temp_dir = copy_string(p->arena, p->options.temp_dir);
	p->stats.size = sizeof p->stats;
	LT_TRY(lt__host_open(&p->services, p->ctx, &p->options, p->arena));
	if (p->options.profile)
		p->services.host.parallel_for = lt__profile_parallel_for;
	return LT_OK;
}

static lt_status lower_request(struct lt_context *ctx, const struct lt_request *q, struct lt_program **out)
{
	struct lt_program *p = lt__context_realloc(ctx, NULL, 0, sizeof *p);
	*out = NULL;
	if (!p) {
		lt_looptree_free(q->tree);
		lt_graph_free(q->base);
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	}
	*p = (struct lt_program){ .ctx = ctx, .base = q->base, .tree = q->tree, .services.cache.fd = -1 };
	const bool made = lt__lock_init(&p->lock, false) && lt__lock_init(&p->profile_lock, false)
		&& lt__lock_init(&p->instance_lock, false);
	struct lower l = { p, q };
	struct lt_spending spending;
	lt__spending_begin(ctx, &spending, "compiling");
	if (q->options && LT_HAS(struct lt_options, q->options, cancelled) && q->options->cancelled) {
		spending.cancelled = q->options->cancelled;
		spending.user = q->options->user;
	}
	lt_status st = made ? lt__arena_new(ctx, &p->arena) : lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (!st)
		st = lt__protect(ctx, start_body, &l);
	if (!st)
		st = lt__protect(ctx, lower_body, &l);
	if (!st && !q->tree_only)
		st = lt__protect(ctx, contents_body, &l);
	lt__spending_end(ctx, &spending);
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
	return lower_request(ctx, &(struct lt_request){ .graph = graph, .options = options }, out);
}

struct tree_text { const struct lt_looptree *tree; struct lt_text text; };

static void tree_text_add(void *text, const char *piece, size_t bytes) { lt__text_add(text, piece, bytes); }

static lt_status tree_text_body(void *arg)
{
	struct tree_text *x = arg;
	return lt_looptree_print(x->tree, tree_text_add, &x->text);
}

lt_status lt_compile_tree(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_looptree *tree,
	const struct lt_options *options, struct lt_program **out)
{
	struct lt_options o = { .size = sizeof o };
	struct tree_text x = { .tree = tree };
	*out = NULL;
	if (options) {
		if (options->size < offsetof(struct lt_options, schedule))
			return lt_compile(ctx, graph, options, out);            /* which says so */
		memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
		o.size = sizeof o;
	}
	if (o.schedule)
		return lt_fail(ctx, LT_EINVAL, "lt_compile_tree is given a tree and lt_options.schedule; leave one of them out");
	LT_TRY(lt__arena_new(ctx, &x.text.arena));
	lt_status st = lt__protect(ctx, tree_text_body, &x);
	o.schedule = x.text.at;
	o.schedule_bytes = x.text.n;
	o.schedule_name = o.schedule_name ? o.schedule_name : "tree";
	if (!st)
		st = lt_compile(ctx, graph, &o, out);
	lt__arena_free(x.text.arena);
	return st;
}

lt_status lt__check_schedule(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_options *options)
{
	struct lt_program *p;
	lt_status st = lower_request(ctx, &(struct lt_request){ .graph = graph, .options = options, .tree_only = true }, &p);
	lt_program_free(p);
	return st;
}

lt_status lt__compile_tree(struct lt_context *ctx, const struct lt_graph *graph, struct lt_graph *lowered,
	struct lt_looptree *tree, const struct lt_options *options, struct lt_program **out)
{
	return lower_request(ctx,
		&(struct lt_request){ .graph = graph, .options = options, .base = lowered, .tree = tree }, out);
}

lt_status lt__compile_for(struct lt_context *ctx, const struct lt_graph *graph, const struct lt_target *target,
	const struct lt_options *options, struct lt_program **out)
{
	return lower_request(ctx, &(struct lt_request){ .graph = graph, .options = options, .target = target }, out);
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
	lt__arena_free(p->explained_arena);
	lt__arena_free(p->nests.arena);
	lt__arena_free(p->arena);
	lt__lock_free(&p->lock);
	lt__lock_free(&p->profile_lock);
	lt__lock_free(&p->instance_lock);
	lt__context_realloc(p->ctx, p, sizeof *p, 0);
}

/* -- what a caller gives and gets -- */

static const struct lt_binding_def *binding(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	return (unsigned)kind < LT_NBINDING && i >= 0 && i < p->bindings[kind].n ? &p->bindings[kind].at[i] : NULL;
}

int32_t lt_program_count(const struct lt_program *p, enum lt_binding kind)
{
	return (unsigned)kind < LT_NBINDING ? p->bindings[kind].n : 0;
}
const char *lt_program_name(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d ? d->name : NULL;
}
int32_t lt_program_find(const struct lt_program *p, enum lt_binding kind, const char *name)
{
	return (unsigned)kind < LT_NBINDING ? lt__binding_find(&p->bindings[kind], name) : -1;
}
enum lt_dtype lt_program_dtype(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d ? d->dtype : (enum lt_dtype)0;
}
int32_t lt_program_rank(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d ? d->rank : 0;
}
int64_t lt_program_extent(const struct lt_program *p, enum lt_binding kind, int32_t i, int32_t axis)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d && axis >= 0 && axis < d->rank ? d->extent[axis] : 0;
}
size_t lt_program_bytes(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d ? d->bytes : 0;
}
int lt_program_needs(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d && d->needed;
}

const char *lt_program_device(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d && d->on_device && p->memories.n > 1 ? p->backends.at[p->memories.at[1].opened].backend->name : NULL;
}
size_t lt_program_align(const struct lt_program *p, enum lt_binding kind, int32_t i)
{
	enum { DEVICE_ALIGN = 64 };             /* kernels of a device rely on it (lt__nest_align) */
	const struct lt_binding_def *d = binding(p, kind, i);
	return !d ? 0 : lt_program_device(p, kind, i) ? DEVICE_ALIGN : lt__dtype_info(d->dtype)->bytes;
}
int lt_program_is_open(const struct lt_program *p, enum lt_binding kind, int32_t i, int32_t axis)
{
	const struct lt_binding_def *d = binding(p, kind, i);
	return d && axis >= 0 && axis < d->rank && d->open[axis];
}

const struct lt_graph *lt_program_graph(const struct lt_program *p) { return p->base; }
const struct lt_looptree *lt_program_tree(const struct lt_program *p) { return p->tree; }
