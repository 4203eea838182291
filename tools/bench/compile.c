/* compile.c -- the suite compile: script to loaded objects, into an empty cache, and again out of it. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"
#include "tools/common/common.h"

struct times { double passes, tree, freeze, accept, compile, total; int kernels; };

static lt_status once(struct lt_context *ctx, const struct bench_case *c, const char *backend,
	const struct bench_options *o, const char *cache, struct times *t)
{
	const struct lt_options options = { .size = sizeof options,
		.n_thread = (uint32_t)o->threads[0],
		.backends = backend,
		.strict = 1,
		.cc = o->cc,
		.cache_dir = cache,
		.temp_dir = lt__temp_dir(),
		.cancelled = lt__interrupted,
		.cc_timeout_ms = o->cc_timeout_ms };
	struct lt_graph *g = NULL;
	struct lt_program *p = NULL;
	struct lt_stats s = { .size = sizeof s };
	double start = machine_now();
	lt_status st = lt_parse(ctx, c->script, strlen(c->script), c->name, NULL, &g);

	if (!st)
		st = lt_compile(ctx, g, &options, &p);
	t->total = machine_now() - start;
	if (!st) {
		lt_program_stats(p, &s);
		t->passes = (double)s.passes_ns * 1e-9;
		t->tree = (double)s.tree_ns * 1e-9;
		t->freeze = (double)s.freeze_ns * 1e-9;
		t->accept = (double)s.accept_ns * 1e-9;
		t->compile = (double)s.compile_ns * 1e-9;
		t->kernels = s.n_kernel;
	}
	lt_program_free(p);
	lt_graph_free(g);
	return st;
}

/* Into an empty cache, and again out of it. */
static lt_status compile_round(struct lt_context *ctx, const struct bench_case *c, const char *backend,
	const struct bench_options *o, struct times *cold, struct times *cached)
{
	char *folder;
	lt_status s;

	LT_TRY(lt__tmp_folder(ctx, &folder));
	s = once(ctx, c, backend, o, folder, cold);
	s = s ? s : once(ctx, c, backend, o, folder, cached);
	lt__tmp_folder_drop(folder);
	return s;
}

static double median(const struct times *t, int n, size_t member)
{
	double *x = lt__must_alloc((size_t)n * sizeof *x), m;

	for (int i = 0; i < n; i++)
		memcpy(&x[i], (const char *)&t[i] + member, sizeof *x);
	bench_sort(x, n);
	m = bench_quantile(x, n, 0.5);
	free(x);
	return m;
}

void bench_compile(struct lt_context *ctx, const struct bench_case *c, const char *backend,
	const struct bench_options *o, struct bench_compiles *l)
{
	const int rounds = o->rounds;
	struct times *cold = lt__must_alloc((size_t)rounds * sizeof *cold),
		     *cached = lt__must_alloc((size_t)rounds * sizeof *cached);
	struct bench_compiled *x;
	lt_status s = LT_OK;

	l->at = lt__must_grow(l->at, l->n, &l->cap, sizeof *l->at);
	x = memset(&l->at[l->n++], 0, sizeof *x);
	x->c = c;
	x->backend = backend;
	x->rounds = rounds;
	for (int i = 0; i < rounds && !s; i++)
		s = compile_round(ctx, c, backend, o, &cold[i], &cached[i]);
	if (s) {
		bench_reason(ctx, s, x->why);
	} else {
		x->kernels = cold[0].kernels;
		x->passes = median(cached, rounds, offsetof(struct times, passes));
		x->tree = median(cached, rounds, offsetof(struct times, tree));
		x->freeze = median(cached, rounds, offsetof(struct times, freeze));
		x->accept = median(cached, rounds, offsetof(struct times, accept));
		x->cold = median(cold, rounds, offsetof(struct times, compile));
		x->cached = median(cached, rounds, offsetof(struct times, compile));
		x->total = median(cold, rounds, offsetof(struct times, total));
		x->total_cached = median(cached, rounds, offsetof(struct times, total));
	}
	free(cold);
	free(cached);
}
