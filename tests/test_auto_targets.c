/* test_auto_targets.c -- default trees for machines of odd numbers: legal, right, and made for the machine. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "looptree/tree/tree.h"
#include "lt/frontend.h"
#include "program/run/run.h"
#include "tests/odd.h"
#include "tests/random_product.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(auto_targets, .timeout = 300);

enum { MAX_ROUTINES = 3 };
struct machine { struct lt_target target; struct lt_routine routine[MAX_ROUTINES]; };

static uint64_t some_types(uint64_t *rng)
{
	return random_chance(rng, 75) ? ~UINT64_C(0) : random_next(rng) & ((1u << LT_NDTYPE) - 1);
}

static void draw_machine(uint64_t seed, struct machine *m)
{
	static const char *const names[] = { "dot", "gemm", "f.3" };
	uint64_t rng = seed ^ 0x5eed;
	int64_t n = random_chance(&rng, 30) ? 0 : random_between(&rng, 1, MAX_ROUTINES);
	*m = (struct machine){
		.target = { .size = sizeof m->target, .name = "odd", .cores = (uint32_t)random_between(&rng, 1, 7) }
	};
	if (!random_chance(&rng, 15))
		m->target.vector_bytes = (uint32_t)random_between(&rng, 1, 100);
	if (!random_chance(&rng, 20))
		m->target.vector_registers = (uint32_t)random_between(&rng, 1, 64);
	uint64_t *cache[] = { &m->target.l1_bytes, &m->target.l2_bytes, &m->target.l3_bytes };
	for (int i = 0; i < 3; i++)
		*cache[i] = random_chance(&rng, 30) ? 0 : (uint64_t)random_between(&rng, 1, random_chance(&rng, 50) ? 300 : 65536);
	for (int64_t i = 0; i < n; i++)
		m->routine[i] = (struct lt_routine){ .name = names[i],
			.pattern = random_chance(&rng, 90) ? LT_PATTERN_PRODUCT : LT_PATTERN_NONE,
			.epilogues = random_chance(&rng, 50) ? 63 : (uint32_t)random_between(&rng, 0, 63),
			.left = some_types(&rng),
			.right = some_types(&rng),
			.result = some_types(&rng),
			.sum = (uint32_t[]){ LT_F64, LT_F64, LT_F32, LT_I64 }[random_between(&rng, 0, 3)],
			.bias = random_chance(&rng, 50) ? 0 : some_types(&rng),
			.residual = random_chance(&rng, 50) ? 0 : some_types(&rng),
			.layouts = (random_chance(&rng, 75) ? LT_LAYOUT_ANY : 0)
				| (random_chance(&rng, 75) ? LT_LAYOUT_BATCH : 0)
				| (random_chance(&rng, 75) ? LT_LAYOUT_BOUNDED : 0),
			.min_flops = random_chance(&rng, 60) ? 0 : random_between(&rng, 1, 100000) };
	m->target.routines = (struct lt_array){ m->routine, (uint32_t)n, sizeof *m->routine };
}

static uint32_t widest_of(const struct lt_looptree *t, lt_node n)
{
	uint32_t bytes = lt__dtype_info(t->graph->node[n].dtype)->bytes;
	for (int32_t k = 0; k < t->leaf[n]->n_read; k++)
		if (lt__dtype_info(t->leaf[n]->read[k].dtype)->bytes > bytes)
			bytes = lt__dtype_info(t->leaf[n]->read[k].dtype)->bytes;
	return bytes;
}

/* Fewest bytes of an element among the leaves below. */
static uint32_t min_bytes(const struct lt_looptree *t, lt_tnode at)
{
	uint32_t min = 64;
	if (t->node[at].kind == LT_TLEAF)
		return widest_of(t, t->node[at].leaf);
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		min = min_bytes(t, c) < min ? min_bytes(t, c) : min;
	return min;
}

/* Vectors of a power of two lanes may stand side by side in one loop, which is cut by halves: partial results, the rows
 * of a tile. */
static int64_t max_lanes(int64_t lanes)
{
	return lanes > 1 && (lanes & (lanes - 1)) == 0 ? 4 * lanes > 12 ? 4 * lanes : 12 : lanes;
}

struct counts { int vectors, parallel, calls; };

/* No vector is wider than the machine's, no loop is parallel for one core, no call names what the machine has not. */
static void check_tree(const struct lt_looptree *t, const struct lt_target *m, struct counts *n, uint64_t seed)
{
	for (lt_tnode at = 0; at < t->n_node; at++) {
		const struct lt_tnodedef *d = &t->node[at];
		if (d->kind == LT_TLOOP && d->loop == LT_VECTOR) {
			n->vectors++;
			cr_assert_leq(lt_looptree_trip_count(t, at), max_lanes(m->vector_bytes / min_bytes(t, at)),
				"seed %llu: %lld lanes of %u bytes for %u\n%s", (unsigned long long)seed,
				(long long)lt_looptree_trip_count(t, at), min_bytes(t, at), m->vector_bytes,
				tree_print(t).at);
		}
		n->parallel += d->loop == LT_PARALLEL;
		cr_assert(d->loop != LT_PARALLEL || m->cores > 1, "seed %llu: a parallel loop for one core",
			(unsigned long long)seed);
		if (d->loop != LT_CALL)
			continue;
		bool known = false;
		for (uint32_t i = 0; i < m->routines.n; i++)
			known = known || (!strcmp(LT_AT(struct lt_routine, m->routines, i)->name, d->call)
				&& LT_AT(struct lt_routine, m->routines, i)->pattern == LT_PATTERN_PRODUCT);
		cr_assert(known && d->kind == LT_TGROUP && d->parent < 0, "seed %llu: call %s", (unsigned long long)seed, d->call);
		n->calls++;
	}
}

/* Whether a nest has lanes if any has: a result made of sources alone, element by element along memory. */
static bool could_be_lanes(const struct lt_graph *g, const struct lt_target *m)
{
	for (int32_t r = 0; r < g->n_result; r++) {
		const struct lt_nodedef *d = &g->node[g->result[r].node];
		bool all = (d->op == LT_OP_add || d->op == LT_OP_mul || d->op == LT_OP_neg || d->op == LT_OP_max)
			&& d->n_dim > 0 && !d->reduce && !g->var[d->dim[d->n_dim - 1]].bounded;
		for (lt_node n = 0; all && n < g->n_node; n++)
			for (int32_t k = 0; k < g->node[n].n_operand; k++)
				all = all && g->node[n].operand[k] != g->result[r].node;
		for (int32_t k = 0; all && k < d->n_operand; k++) {
			const struct lt_nodedef *o = &g->node[d->operand[k]];
			all = o->op == LT_OP_lit || (o->n_dim == d->n_dim && (o->op == LT_OP_input || o->op == LT_OP_constant));
			for (int32_t i = 0; all && i < o->n_dim; i++)
				all = o->dim[i] == d->dim[i];
		}
		int64_t lanes = all ? m->vector_bytes / lt__dtype_info(d->dtype)->bytes : 0;
		if (lanes >= 2 && g->var[d->dim[d->n_dim - 1]].extent >= lanes)
			return true;
	}
	return false;
}

static lt_status make(const struct lt_graph *g, const char *machine, struct lt_looptree **out)
{
	return lt_looptree_auto(g, (const struct lt_target *)(const void *)machine, out);
}

static lt_status compile(void *machine, const struct lt_graph *g, const struct lt_options *o, struct lt_program **out)
{
	return tree_compile_by(make, machine, g, o, out);
}

/* The tree that the program above is run by. */
static void look_at_tree(const struct lt_graph *g, const struct machine *m, struct counts *n, uint64_t seed)
{
	struct lt_graph *live, *lowered;
	struct lt_looptree *t, *again;
	cr_assert_eq(lt__pass_dead(g, &live), LT_OK, "%s", lt_context_message(g->ctx));
	cr_assert_eq(lt__materialize(live, &lowered), LT_OK, "%s", lt_context_message(g->ctx));
	cr_assert_eq(lt_looptree_auto(lowered, &m->target, &t), LT_OK, "seed %llu: %s", (unsigned long long)seed,
		lt_context_message(g->ctx));
	cr_assert_eq(lt_looptree_verify(t), LT_OK, "seed %llu: %s", (unsigned long long)seed, lt_context_message(g->ctx));
	struct run_text all = tree_print(t);
	cr_assert_eq(lt_looptree_parse(lowered, all.at, all.n, "printed", &again), LT_OK, "seed %llu: %s\n%s",
		(unsigned long long)seed, lt_context_message(g->ctx), all.at);
	struct counts before = *n;
	check_tree(t, &m->target, n, seed);
	if (could_be_lanes(lowered, &m->target) && n->calls == before.calls)
		cr_assert_gt(n->vectors, before.vectors, "seed %llu: no vectors of %u bytes\n%s",
			(unsigned long long)seed, m->target.vector_bytes, all.at);
	run_text_free(&all);
	lt_looptree_free(again);
	lt_looptree_free(t);
	lt_graph_free(lowered);
	lt_graph_free(live);
}

static void run_machine(struct lt_graph *g, run_fill *fill, void *user, uint64_t seed, struct counts *n)
{
	struct machine m;
	struct run_want want;
	struct run_tally tally = { 0 };
	char why[1000] = "";
	draw_machine(seed, &m);
	*odd_open() = m.target;
	look_at_tree(g, &m, n, seed);
	run_want_new(g, 2, fill, user, &want);
	if (want.status == LT_OK) {
		struct run_config config = { .backends = "odd", .compile = compile, .user = &m.target };
		run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
		cr_assert_str_eq(why, "",
			"seed %llu, vectors of %u bytes, %u registers, %u cores, caches %llu %llu %llu, %u routines: "
			"%s",
			(unsigned long long)seed, m.target.vector_bytes, m.target.vector_registers, m.target.cores,
			(unsigned long long)m.target.l1_bytes, (unsigned long long)m.target.l2_bytes,
			(unsigned long long)m.target.l3_bytes, m.target.routines.n, why);
	}
	run_want_free(&want);
}

/* Routines run by what the frozen tree says of calls, all else by ref. */
Test(auto_targets, random_products_on_random_machines)
{
	uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 30);
	struct counts n = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_product(ctx, seed, &g);
		run_machine(g, random_product_fill, g, seed, &n);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	fprintf(stderr, "products: %d calls, %d vector and %d parallel loops\n", n.calls, n.vectors, n.parallel);
	cr_assert(count < 30 || (n.calls > 3 && n.vectors > 30));
}

struct nest { struct random_graph r; uint64_t seed; };
static void fill_nest(void *user, int run, lt_node n, void *out)
{
	const struct nest *x = user;
	random_graph_fill(&x->r, x->seed, run, n, out);
}

Test(auto_targets, random_nests_on_random_machines)
{
	uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 80);
	struct counts n = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct nest x = { .seed = seed };
		char text[2000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		if (seed % 3)
			random_nest_new(ctx, seed, 0, 0, &x.r, text, sizeof text);
		else
			random_graph_new(ctx, seed,
				&(struct random_options){ .n_node = 12,
					.views = true,
					.params = true,
					.states = true,
					.composites = true },
				&x.r);
		run_machine(x.r.g, fill_nest, &x, seed, &n);
		random_graph_free(&x.r);
		lt_context_free(ctx);
	}
	fprintf(stderr, "nests: %d calls, %d vector and %d parallel loops\n", n.calls, n.vectors, n.parallel);
	cr_assert(count < 80 || (n.calls > 5 && n.vectors > 50));
}

/* Vectors of any number of bytes: as many lanes as fit, and none where not two do. */
Test(auto_targets, lanes_are_what_fits)
{
	static const struct {
		const char *type;
		int64_t bytes;
	} types[] = { { "f32", 4 }, { "f64", 8 }, { "i32", 4 }, { "i64", 8 } };
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (uint32_t bytes = 0; bytes <= 100; bytes++) {
			char text[300];
			int64_t lanes = bytes / types[i].bytes, n = 1 + (int64_t)(bytes * 7 + i) % 60, wide = 0;
			struct lt_target m = *odd_open();
			struct lt_graph *g;
			struct lt_looptree *t;
			m.vector_bytes = bytes;
			snprintf(text, sizeof text,
				"graph 1\nvar n %lld\n%%x = %s[n] input \"x\"\n%%y = %s[n] add %%x, %%x\nresult \"y\" "
				"= %%y\n",
				(long long)n, types[i].type, types[i].type);
			cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
			cr_assert_eq(lt_looptree_auto(g, &m, &t), LT_OK, "%s", lt_context_message(ctx));
			for (lt_tnode at = 0; at < t->n_node; at++)
				wide = t->node[at].loop == LT_VECTOR ? lt_looptree_trip_count(t, at) : wide;
			cr_expect_eq(wide,
				lanes < 2 || 2 * n < lanes ? 0
					: n < lanes        ? n
							   : lanes,
				"%lld lanes for %lld elements of %s in %u bytes", (long long)wide, (long long)n,
				types[i].type, bytes);
			lt_looptree_free(t);
			lt_graph_free(g);
		}
	lt_context_free(ctx);
}

/* Large enough for threads: shared out for three cores, not for one, and whole tiles of three lanes in each trip. */
Test(auto_targets, threads_are_for_machines_with_cores)
{
	static const char *const graphs[] = {
		"graph 1\nvar m 40\nvar n 30000\n%x = f32[m, n] input \"x\"\n%y = f32[m, n] exp %x\nresult \"y\" = "
		"%y\n",
		"graph 1\nvar n 1000000\n%x = f32[n] input \"x\"\n%y = f32[n] exp %x\nresult \"y\" = %y\n",
		"graph 1\nvar m 3000\nvar n 500\n%x = f32[m, n] input \"x\"\n%s = f32[n] max.reduce %x\nresult \"s\" = "
		"%s\n",
		"graph 1\nvar n 1000000\n%x = f32[n] input \"x\"\n%s = f32[] add.reduce %x\nresult \"s\" = %s\n",
		("graph 1\nvar m 300\nvar k 400\nvar n 500\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%p "
		 "= f32[m, n, k] mul %a, %b\n"
		 "%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"),
	};
	for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
		for (uint32_t cores = 0; cores < 4; cores++) {
			struct lt_context *ctx;
			struct lt_graph *g;
			struct counts n = { 0 };
			struct machine m = { .target = *odd_open() };
			m.target.routines.n = 0;
			m.target.cores = cores;
			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			cr_assert_eq(lt_graph_parse(ctx, graphs[i], strlen(graphs[i]), "test", &g), LT_OK, "%s", lt_context_message(ctx));
			look_at_tree(g, &m, &n, i);
			cr_expect(n.vectors > 0 && (n.parallel > 0) == (cores > 1),
				"graph %zu: %d vector and %d parallel loops for %u cores", i, n.vectors, n.parallel,
				cores);
			lt_graph_free(g);
			lt_context_free(ctx);
		}
}
