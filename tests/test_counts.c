/* test_counts.c -- operations and bytes that are reported (dumps, lt_stats, lt_instance_work) beside a count one
 * by one.
 *
 * LT_SEED=N begins with another graph, LT_SEQUENCES=N takes another number of schedules.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "looptree/count/count.h"
#include "looptree/derive/derive.h"
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "tests/brute.h"
#include "tests/run_graph.h"

TestSuite(counts, .timeout = 600);

/* What was met, so that a test that meets nothing fails. */
struct met { int trees, loops, padded, again, peeled, masked, bounded, partial, cloned, copied; };

/* -- a tree beside its enumeration -- */

static bool draw_params(const struct lt_graph *g, uint64_t *rng, int64_t *param)
{
	for (int tries = 0; tries < 40; tries++) {
		bool good = true;
		for (lt_param p = 0; p < g->n_param; p++) {
			int64_t low = g->param[p].low, high = g->param[p].high;
			param[p] = low + (int64_t)(random_next(rng) % (uint64_t)((high - low < 1000 ? high - low : 1000) + 1));
		}
		for (lt_var v = 0; v < g->n_var; v++) {
			int64_t extent = g->var[v].limit.constant;
			for (int32_t i = 0; g->var[v].bounded && i < g->var[v].limit.n; i++)
				extent += g->var[v].limit.coef[i] * param[g->var[v].limit.param[i]];
			good = good && !(g->var[v].bounded && extent > g->var[v].extent);
		}
		if (good)
			return true;
	}
	return false;
}

static void check_kernel(const struct lt_frozen *f, const int64_t *param, struct lt_arena *a, uint64_t seed,
	const char *steps, struct met *m)
{
	const struct lt_tree *x = &f->tree;
	int64_t derived[64], bytes = 0, all = 0;
	struct lt_counted counted;
	struct brute b;
	cr_assert_leq(x->n_param, 64);
	for (int32_t i = 0; i < x->n_param; i++)
		derived[i] =
			param[f->bind[LT_AT(struct lt_buffer, x->buffers, LT_AT(struct lt_tparam, x->params, i)->buffer)
					       ->slot]
					.offset];
	if (brute_run(x, derived, &b)) {
		lt__count_kernel(f, param, a, &counted);
		cr_assert_eq(counted.executed, b.operations,
			"seed %llu, `%s`, kernel %s: %lld operations; there are %lld", (unsigned long long)seed, steps,
			x->name, (long long)counted.executed, (long long)b.operations);
		for (int32_t l = 0; l < x->n_loop; l++, m->loops++)
			cr_assert_eq(lt__count_loop(f, param, l, a), b.first_run[l] < 0 ? 0 : b.first_run[l],
				"seed %llu, `%s`, kernel %s, loop %d", (unsigned long long)seed, steps, x->name,
				(int)l);
		for (uint32_t i = 0; i < x->buffers.n; i++) {
			const struct lt_buffer *d = LT_AT(struct lt_buffer, x->buffers, i);
			const int64_t unit = (int64_t)LT_AT(struct lt_type, x->types, d->type)->bytes;
			for (int64_t e = 0; d->slot >= 0 && e < d->elems; e++)
				bytes += unit * ((b.touched[d->slot][e] & 1) + (b.touched[d->slot][e] >> 1));
			for (uint32_t k = 0; d->slot >= 0 && k < x->accesses.n; k++)
				all += LT_AT(struct lt_access, x->accesses, k)->buffer == (int32_t)i ? 2 * unit * d->elems : 0;
		}
		/* What is touched is estimated, access by access: never less, never more than all that each can reach. */
		cr_assert_leq(counted.bytes, all, "seed %llu, `%s`, kernel %s: %lld bytes; its accesses reach %lld",
			(unsigned long long)seed, steps, x->name, (long long)counted.bytes, (long long)all);
		cr_assert_geq(counted.bytes, bytes, "seed %llu, `%s`, kernel %s: %lld bytes; there are %lld",
			(unsigned long long)seed, steps, x->name, (long long)counted.bytes, (long long)bytes);
		m->trees++;
	}
	brute_free(x, &b);
}

/* Lines of the dump: what root nests run is what their kernels do, and all that is useful in them is what the graph
 * asks for. */
static void check_lines(struct lt_looptree *t, struct lt_arena *a, uint64_t seed, const char *steps, struct met *m)
{
	struct lt_fact *fact = LT_NEW(a, struct lt_fact, t->n_node + 1);
	struct lt_counted *by_root = LT_NEW(a, struct lt_counted, t->n_root + 1);
	int64_t useful = 0;
	int32_t number = 0;
	bool through = false;
	cr_assert_eq(lt__fill_facts(t, a, fact), LT_OK);
	cr_assert_eq(lt__count_tree(t, a, NULL, by_root), LT_OK, "%s", lt_context_message(t->ctx));
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next, number++) {
		cr_assert_eq(fact[root].executed, by_root[number].executed,
			"seed %llu, `%s`, root %d: %lld on its line, %lld in its kernel", (unsigned long long)seed,
			steps, (int)number, (long long)fact[root].executed, (long long)by_root[number].executed);
		cr_assert(fact[root].executed >= fact[root].flops, "seed %llu, `%s`, root %d: %lld useful, %lld run",
			(unsigned long long)seed, steps, (int)number, (long long)fact[root].flops,
			(long long)fact[root].executed);
		m->again += fact[root].executed > fact[root].flops;
		useful += fact[root].flops;
	}
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		through = through || t->derived->step[i].kind == LT_DERIVED_CLONE_VIEW;
		m->partial += t->derived->step[i].kind == LT_DERIVED_PARTIAL;
		m->cloned += t->derived->step[i].kind == LT_DERIVED_CLONE || t->derived->step[i].kind == LT_DERIVED_CLONE_VIEW;
		m->copied += t->derived->step[i].kind == LT_DERIVED_COPY || t->derived->step[i].kind == LT_DERIVED_WINDOW;
	}
	/* A clone at the points that a view reads stands for as many elements as there are points. */
	if (!through)
		cr_assert_eq(useful, lt__graph_operations(t->base, a, NULL, NULL), "seed %llu, `%s`: %lld on the lines",
			(unsigned long long)seed, steps, (long long)useful);
}

static void check_program(const struct lt_program *p, uint64_t *rng, uint64_t seed, const char *steps, struct met *m)
{
	struct lt_arena *a;
	int64_t *param;
	cr_assert_eq(lt__arena_new(p->ctx, &a), LT_OK);
	param = LT_NEW(a, int64_t, p->tree->graph->n_param + 1);
	const bool *constant = lt__constant_nodes(p->base, a);
	for (int times = 0; times < (p->tree->graph->n_param ? 3 : 1) && draw_params(p->tree->graph, rng, param); times++) {
		for (int32_t i = 0; i < p->nests.n; i++)
			check_kernel(&p->nests.frozen[i], param, a, seed, steps, m);
		int64_t *extent = LT_NEW(a, int64_t, p->base->n_var + 1), want = brute_graph(p->base, constant, param);
		for (lt_var v = 0; v < p->base->n_var; v++) {
			const struct lt_vardef *d = &p->base->var[v];
			extent[v] = d->bounded ? d->limit.constant : d->extent;
			for (int32_t i = 0; d->bounded && i < d->limit.n; i++)
				extent[v] += d->limit.coef[i] * param[d->limit.param[i]];
			extent[v] = extent[v] < 0 ? 0 : extent[v];
			m->bounded += d->bounded;
		}
		cr_assert(want < 0 || want == lt__graph_operations(p->base, a, constant, extent), "seed %llu: %lld",
			(unsigned long long)seed, (long long)want);
	}
	check_lines(p->tree, a, seed, steps, m);
	for (lt_tnode at = 0; at < p->tree->n_node; at++) {
		m->padded += p->tree->node[at].kind == LT_TLOOP && p->tree->node[at].tail == LT_PAD;
		m->peeled += p->tree->node[at].kind == LT_TLOOP && p->tree->node[at].tail == LT_PEEL;
		m->masked += p->tree->node[at].kind == LT_TLOOP && p->tree->node[at].tail == LT_MASK;
	}
	lt__arena_free(a);
}

/* -- random schedules -- */

static char *draw_steps(const struct lt_looptree *first, uint64_t *rng)
{
	enum { LIST_BYTES = 6000 };
	const struct lt_looptree *t = first;
	struct lt_looptree *mine = NULL, *next;
	char *list = calloc(LIST_BYTES, 1), step[1000];
	size_t n = 0;
	must(list != NULL, "out of memory");
	for (int i = 0, wanted = (int)random_between(rng, 1, 8); i < 40 && wanted > 0 &&
		n + sizeof step + 3 < LIST_BYTES; i++) {
		int kind;
		if (!random_step(t, rng, "", &kind, step, sizeof step)
			|| lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL))
			continue;
		lt_looptree_free(mine);
		t = mine = next;
		n += (size_t)snprintf(list + n, LIST_BYTES - n, "%s%s", n ? "; " : "", step);
		wanted--;
	}
	lt_looptree_free(mine);
	return list;
}

static void check_seed(uint64_t seed, int sequences, struct met *m)
{
	uint64_t rng = seed * 1021 + 3;
	struct lt_context *ctx;
	struct random_graph r;
	struct lt_program *p;
	char text[4000];
	struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = random_chance(&rng, 50), .plan_only = 1 };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	if (random_chance(&rng, 50)) {
		random_nest_new(ctx, seed, 0, 0, &r, text, sizeof text);
	} else {
		struct random_options g = { .n_node = (int32_t)random_between(&rng, 3, 14), .views = true };
		g.params = random_chance(&rng, 50);
		g.states = random_chance(&rng, 20);
		g.composites = random_chance(&rng, 50);
		random_graph_new(ctx, seed, &g, &r);
	}
	cr_assert_eq(lt_compile(ctx, r.g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	check_program(p, &rng, seed, "", m);
	for (int i = 0; i < sequences && p->tree->root >= 0; i++) {
		char *steps = draw_steps(p->tree, &rng);
		struct lt_program *q = NULL;
		o.apply = steps;
		if (*steps && !lt_compile(ctx, r.g, &o, &q))
			check_program(q, &rng, seed, steps, m);
		lt_program_free(q);
		free(steps);
	}
	lt_program_free(p);
	random_graph_free(&r);
	lt_context_free(ctx);
}

Test(counts, random_schedules_run_as_many_operations_as_are_told)
{
	struct met m = { 0 };
	uint64_t seed = must_number("LT_SEED", 1);
	int graphs = (int)must_draws("LT_SEQUENCES", 1200) / 6;
	for (int i = 0; i < graphs; i++)
		check_seed(seed + (uint64_t)i, 6, &m);
	(void)fprintf(stderr,
		"%d kernels, %d loops; padded %d, peeled %d, masked %d, run-time extents %d, partial sums %d, clones "
		"%d, copies %d, nests that run more than is useful %d\n",
		m.trees, m.loops, m.padded, m.peeled, m.masked, m.bounded, m.partial, m.cloned, m.copied, m.again);
	if (graphs >= 200)
		cr_assert(m.trees > 1000 && m.padded > 50 && m.peeled > 50 && m.masked > 20 && m.bounded > 50
			&& m.partial > 20 && m.cloned > 20 && m.copied > 20 && m.again > 50);
}

/* -- programs -- */

static struct lt_program *compiled(struct lt_context *ctx, const char *text, const char *apply, const char *backends)
{
	const struct lt_options o = { .size = sizeof o, .backends = backends, .apply = apply, .no_passes = 1 };
	struct lt_graph *g;
	struct lt_program *p;
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "t", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	return p;
}

/* The extent t is what the run says, not its maximum, in each of the forms that its loop may have. */
Test(counts, run_time_extents_count_by_their_value)
{
	static const char graph[] =
		"graph 1\nvar o 1\nvar m 4\nvar t 100 limit n\nparam n = %p[0] in 0..100\n%p = i64[o] input \"p\"\n"
		"%x = f32[m] input \"x\"\n%y = f32[t] view { %x[0] }\n%s = f32[m, t] add %x, %y\n%e = f32[m, t] exp "
		"%s\n%r = f32[m] add.reduce %e\nresult \"r\" = %r\n";
	static const struct {
		const char *apply;
		int64_t unit;
	} form[] = { { NULL, 1 }, { "split %r/t 16", 1 }, { "split %r/t 16; tail %r/t mask; vectorize %r/t'", 1 },
		{ "split %r/t 8; tail %r/t mask; unroll %r/t'", 1 } };
	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		struct lt_context *ctx;
		struct lt_instance *r;
		struct lt_stats st = { .size = sizeof st };
		struct lt_work w = { .size = sizeof w };
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_program *p = compiled(ctx, graph, form[i].apply, "ref");
		cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_instance_message(r));
		lt_program_stats(p, &st);
		/* a sum, an exponential and a term of a sum for each of 4 x 100 */
		cr_assert_eq(st.flops, 3 * 4 * 100);
		cr_assert_geq(st.executed, st.flops);
		cr_assert_eq(lt_instance_work(r, &w), LT_OK);
		cr_assert(w.useful == st.flops && w.executed == st.executed && w.bytes == st.bytes);
		for (int64_t n = 0; n <= 100; n += n < 20 ? 1 : 16) {
			const float x[4] = { 1, 2, 3, 4 };
			float out[4];
			cr_assert_eq(lt_instance_run(r, (const void *const[]){ &n, x }, (void *const[]){ out }), LT_OK,
				"%s", lt_instance_message(r));
			cr_assert_eq(lt_instance_work(r, &w), LT_OK);
			cr_assert_eq(w.useful, 3 * 4 * n, "%s at %lld: %lld",
				form[i].apply ? form[i].apply : "as it is", (long long)n, (long long)w.useful);
			int64_t executed = 0;
			for (int32_t k = 0; k < p->nests.n; k++) {
				struct brute b;
				cr_assert(brute_run(&p->nests.frozen[k].tree, &n, &b));
				executed += b.operations;
				brute_free(&p->nests.frozen[k].tree, &b);
			}
			cr_assert_eq(w.executed, executed, "%lld", (long long)n);
			cr_assert_leq(w.executed, st.executed);
			if (n == 100)
				cr_assert_eq(w.executed, st.executed, "%s: %lld",
					form[i].apply ? form[i].apply : "as it is", (long long)w.executed);
		}
		/* A refused run says nothing: the maximum again. */
		const int64_t over = 101;
		cr_assert_neq(lt_instance_run(r, (const void *const[]){ &over, &st }, (void *const[]){ &w }), LT_OK);
		w.size = sizeof w;
		cr_assert_eq(lt_instance_work(r, &w), LT_OK);
		cr_assert_eq(w.executed, st.executed);
		/* A caller of an older library has a smaller struct. */
		struct lt_work small = { .size = offsetof(struct lt_work, executed), .executed = 7 };
		cr_assert_eq(lt_instance_work(r, &small), LT_OK);
		cr_assert(small.useful == st.flops && small.executed == 7 && small.size == offsetof(struct lt_work, executed));
		lt_instance_free(r);
		lt_program_free(p);
		lt_context_free(ctx);
	}
}

/* Each kind of what runs beside the useful: what it is, in numbers. */
Test(counts, what_runs_beside_the_useful_is_told_apart)
{
	static const char graph[] = "graph 1\nvar m 10\nvar k 20\n%x = f32[m, k] input \"x\"\n%e = f32[m, k] exp "
				    "%x\n%s = f32[m] add.reduce %e\n"
				    "%n = f32[m, k] neg %e\nresult \"s\" = %s\nresult \"n\" = %n\n";
	static const struct { const char *apply; int64_t executed; } form[] = {
		{ NULL, 600 },
		{ "split %s/k 6; tail %s/k peel", 600 },           /* copies of a loop: each term once */
		{ "split %s/k 6; tail %s/k mask; vectorize %s/k'", 600 + 60 },      /* 6 lanes of 10 sums become one */
		{ "inline %e", 800 },                           /* an exponential for each of its readers */
		{ "split %s/k 5; rfactor %s k", 600 + 40 },     /* 4 partial sums */
		{ "split %n/m 4; tail %n/m pad", 640 },            /* 2 rows past the end */
	};
	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		struct lt_context *ctx;
		struct lt_stats st = { .size = sizeof st };
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		struct lt_program *p = compiled(ctx, graph, form[i].apply, "ref");
		lt_program_stats(p, &st);
		cr_expect_eq(st.flops, 600, "%s: %lld", form[i].apply, (long long)st.flops);
		cr_expect_eq(st.executed, form[i].executed, "%s: %lld", form[i].apply, (long long)st.executed);
		lt_program_free(p);
		lt_context_free(ctx);
	}
}

/* A group that one block of threads runs, or a routine gets, is a loop of the frozen tree: on its line once. */
Test(counts, groups_count_once)
{
	static const char graph[] = "graph 1\nvar m 10\nvar k 20\n%x = f32[m, k] input \"x\"\n%e = f32[m, k] exp "
				    "%x\n%s = f32[m] add.reduce %e\nresult \"s\" = %s\n";
	static const char *const form[] = { "group %s/m", "bind %s/m block.x; group %s/m",
		"group %s/m; group %s/group; bind %s/m block.x" };
	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		struct lt_context *ctx;
		struct lt_arena *a;
		struct met m = { 0 };
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt__arena_new(ctx, &a), LT_OK);
		struct lt_program *p = compiled(ctx, graph, form[i], "sim:grid");
		check_lines(p->tree, a, i, form[i], &m);
		lt__arena_free(a);
		lt_program_free(p);
		lt_context_free(ctx);
	}
}

/* The network of the tutorials: 784-1000-10, 1024 rows, by the default trees of a processor. */
Test(counts, a_network_counts_what_its_products_are)
{
	static const char graph[] = "graph 1\nvar m 1024\nvar i 784\nvar h 1000\nvar o 10\n%x = f32[m, i] input "
				    "\"x\"\n%v = f32[i, h] constant \"v\"\n"
				    "%b = f32[h] constant \"b\"\n%w = f32[h, o] constant \"w\"\n%p = f32[m, i, h] mul "
				    "%x, %v\n%s = f32[m, h] add.reduce %p\n%a = f32[m, h] add %s, %b\n"
				    "%z = f32[] lit 0\n%r = f32[m, h] max %a, %z\n%q = f32[m, h, o] mul %r, %w\n%t = "
				    "f32[m, o] add.reduce %q\nresult \"t\" = %t\n";
	static const char *const targets[] = { "cpu:target=avx512", "cpu:target=avx2", "cpu:target=sse2", "ref" };
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		const struct lt_options o = { .size = sizeof o, .backends = targets[i], .plan_only = 1 };
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p;
		struct lt_stats st = { .size = sizeof st };
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "t", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		lt_program_stats(p, &st);
		cr_expect_eq(st.flops, INT64_C(1024) * (2 * 784 * 1000 + 2 * 1000 + 2 * 1000 * 10), "%s: %lld",
			targets[i], (long long)st.flops);
		cr_expect(st.executed >= st.flops && (double)st.executed < 1.02 * (double)st.flops, "%s: %lld run",
			targets[i], (long long)st.executed);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}

/* 40 tensors of 100 floats, joined: each is read once and written once, though no kernel does it. */
Test(counts, bytes_of_block_copies)
{
	char graph[16384];
	size_t n = (size_t)snprintf(graph, sizeof graph, "graph 1\nvar m 4000\nvar k 100\n");
	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(graph + n, sizeof graph - n, "%%x%d = f32[k] input \"x%d\"\n", i, i);
	n += (size_t)snprintf(graph + n, sizeof graph - n, "%%r = f32[m] view {\n");
	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(graph + n, sizeof graph - n, i < 39 ? "%%x%d[m - %d] if %d - m >= 0;\n" : "%%x%d[m - %d]\n",
			i, 100 * i, 100 * i + 99);
	(void)snprintf(graph + n, sizeof graph - n, "}\nresult \"r\" = %%r\n");
	struct lt_context *ctx;
	struct lt_stats st = { .size = sizeof st };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_program *p = compiled(ctx, graph, NULL, "ref");
	lt_program_stats(p, &st);
	cr_expect_eq(st.bytes, 2 * 4000 * 4, "%lld", (long long)st.bytes);
	lt_program_free(p);
	lt_context_free(ctx);
}
