/* tests/test_auto_targets.c -- default trees for machines of odd numbers: legal, right, and made for the machine;
 * products go to its routines. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass.h"
#include "check/must.h"
#include "check/random_graph.h"
#include "check/random_nest.h"
#include "looptree/looptree.h"
#include "lt/frontend.h"
#include "program/program.h"
#include "tests/odd.h"
#include "tests/random_product.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(auto_targets, .timeout = 300);

/* -- random machines -- */

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
				| (random_chance(&rng, 75) ? LT_LAYOUT_BATCH : 0),
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
	uint32_t least = 64;
	if (t->node[at].kind == LT_TLEAF)
		return widest_of(t, t->node[at].leaf);
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		least = min_bytes(t, c) < least ? min_bytes(t, c) : least;
	return least;
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
	uint64_t first = must_number("LT_SEED", 1), count = must_number("LT_COUNT", 30);
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
	uint64_t first = must_number("LT_SEED", 1), count = must_number("LT_COUNT", 80);
	struct counts n = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct nest x = { .seed = seed };
		char text[2000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		if (seed % 3)
			random_nest_new(ctx, seed, 0, &x.r, text, sizeof text);
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

/* -- whole programs on the odd machine -- */

static char *read_file(const char *path, size_t *bytes)
{
	char *text = script_file(path, bytes);
	cr_assert(text != NULL, "%s cannot be read", path);
	return text;
}

static void fill_small(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	uint64_t rng = (uint64_t)n * 77 + (uint64_t)(g->node[n].op == LT_OP_constant ? 0 : run);
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		union lt_scalar x = { .f = (double)random_between(&rng, -64, 64) / 128 };
		lt__store(out, i, g->node[n].dtype, lt__round_to(x, g->node[n].dtype));
	}
}

static void keep(void *user, const char *text, size_t bytes) { run_text_add(user, text, bytes); }

static void run_script(const char *path, const char *told)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	size_t bytes;
	char *script = read_file(path, &bytes), why[1000] = "";
	odd_open();
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, script, bytes, path, "script", &g), LT_OK, "%s", lt_context_message(ctx));
	const struct lt_options options = { .size = sizeof options, .backends = "odd" };
	cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
	struct run_text tree = { NULL, 0 };
	cr_assert_eq(lt_looptree_print(p->tree, keep, &tree), LT_OK);
	cr_expect_not_null(strstr(tree.at, "group call dot_bias"), "%s", tree.at);
	cr_expect_not_null(strstr(tree.at, " vector"), "%s", tree.at);
	cr_expect_str_eq(odd_reported()->text, told, "%s\n%s", odd_reported()->text, tree.at);
	cr_expect_not_null(strstr(tree.at, "\ntarget odd\n"));
	run_text_free(&tree);
	lt_program_free(p);
	struct run_want want;
	struct run_tally tally = { 0 };
	run_want_new(g, 1, fill_small, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &(struct run_config){ .backends = "odd" }, NULL, NULL, &tally, why, sizeof why);
	cr_expect_str_eq(why, "", "%s: %s", path, why);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(script);
}

/* -- rows of the table -- */

#define ALL_TYPES (~UINT64_C(0))
#define BODY "%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"
#define HEAD "graph 1\nvar m 9\nvar k 12\nvar n 10\n"
static const char half[] =
	HEAD "%x = f16[m, k] input \"x\"\n%w = f16[k, n] constant \"w\"\n%v = f16[n] constant \"v\"\n%a = f32[m, k] "
	     "cast %x\n"
	     "%b = f32[k, n] cast %w\n" BODY
	     "%v32 = f32[n] cast %v\n%d = f32[m, n] add %c, %v32\n%y = f16[m, n] cast %d\nresult \"y\" = %y\n";
static const char layer[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n" BODY
	     "%d = f32[m, n] add %c, %v\n%s = f32[m, n] sigmoid %d\n%e = f32[m, n] mul %d, %s\n%y = f32[m, n] exp "
	     "%e\nresult \"y\" = %y\n";
static const char kept[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n" BODY
	     "%d = f32[m, n] add %c, %v\nresult \"c\" = %c\nresult \"d\" = %d\n";
static const char across[] =
	HEAD "%a = f32[k, m] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n"
	     "%at = f32[m, k] view { %a[11 - k, m] }\n%p = f32[m, n, k] mul %at, %b\n%c = f32[m, n] add.reduce %p\n%r "
	     "= f32[n, m] view { %c[m, n] }\n"
	     "result \"r\" = %r\n";
/* %d's residual is another product, which a routine may have, too */
static const char both[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%a2 = f32[m, k] input \"a2\"\n" BODY
	     "%p2 = f32[m, n, k] mul %a2, %b\n%c2 = f32[m, n] add.reduce %p2\n%d = f32[m, n] add %c, %c2\nresult \"d\" "
	     "= %d\n";
static const char squares[] =
	"graph 1\nvar m 9\nvar k 12\n%a = f32[m, k] input \"a\"\n%p = f32[m, k] mul %a, %a\n%c = f32[m] add.reduce %p\n"
	"result \"c\" = %c\n";

/* rows that a view cuts, side by side again */
static const char flat[] = HEAD "var i 3\nvar j 4\n%x = f32[m, i, j] input \"x\"\n%b = f32[k, n] constant \"b\"\n"
	"%a = f32[m, k] view { %x[m, floor(k / 4), k - 4*floor(k / 4)] }\n" BODY "result \"c\" = %c\n";

/* the sum is rounded before the bias is added; a bias and a residual; a batch */
static const char rounded[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n" BODY
	     "%h = f16[m, n] cast %c\n%s = f32[m, n] cast %h\n%y = f32[m, n] add %s, %v\nresult \"y\" = %y\n";
static const char added[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant \"v\"\n%r = f32[m, n] "
	     "input \"r\"\n" BODY "%d = f32[m, n] add %c, %v\n%y = f32[m, n] add %d, %r\nresult \"y\" = %y\n";
static const char across_added[] =
	HEAD "%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%r = f32[n, m] input \"r\"\n" BODY
	     "%s = f32[m, n] view { %r[n, m] }\n%y = f32[m, n] add %c, %s\nresult \"y\" = %y\n";
static const char batch[] = HEAD
	"var i 3\n%a = f32[i, m, k] input \"a\"\n%b = f32[i, k, n] constant \"b\"\n%p = f32[i, m, n, k] mul %a, %b\n"
	"%c = f32[i, m, n] add.reduce %p\nresult \"c\" = %c\n";

/* a value with one of two column dims, and one that lacks one */
#define WIDE \
	HEAD "var j 3\n%a = f32[m, k] input \"a\"\n%b = f32[k, n, j] constant \"b\"\n%v = f32[n] constant \"v\"\n%r " \
	     "= f32[m, j] input \"r\"\n" \
	     "%p = f32[m, n, j, k] mul %a, %b\n%c = f32[m, n, j] add.reduce %p\n"
static const char wide_bias[] = WIDE "%y = f32[m, n, j] add %c, %v\nresult \"y\" = %y\n";
static const char wide_lacks[] = WIDE "%y = f32[m, n, j] add %c, %r\nresult \"y\" = %y\n";

static const struct lt_routine halves_only[] = { { "h", LT_PATTERN_PRODUCT, 1, 1u << LT_F16, 1u << LT_F16, 1u << LT_F16,
	0, 0, LT_F32, 0, 0 } };
static const struct lt_routine wide_only[] = { { "s", LT_PATTERN_PRODUCT, 1, 1u << LT_F32, 1u << LT_F32, ALL_TYPES, 0,
	0, LT_F32, 0, 0 } };
static const struct lt_routine too_narrow[] = { { "h", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0,
	LT_F16, LT_LAYOUT_ANY, 0 } };
static const struct lt_routine plain_only[] = { { "p", LT_PATTERN_PRODUCT, 0, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0,
	LT_F32, LT_LAYOUT_ANY, 0 } };
static const struct lt_routine in_order[] = { { "none", LT_PATTERN_NONE, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0,
						      LT_F32, LT_LAYOUT_ANY, 0 },
	{ "large", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 2161 },
	{ "small", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 2160 },
	{ "last", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 0 } };
static const struct lt_routine ordered[] = { { "o", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0,
	LT_F32, 0, 0 } };

/* what is added has to be of these types */
static const struct lt_routine typed[] = { { "t", LT_PATTERN_PRODUCT, 3, 1u << LT_F32, 1u << LT_F32, 1u << LT_F32,
	1u << LT_F64, 0, LT_F32, 0, 0 } };
static const struct lt_routine typed_both[] = { { "t", LT_PATTERN_PRODUCT, 3, 1u << LT_F32, 1u << LT_F32, 1u << LT_F32,
	1u << LT_I8 | 1u << LT_F32, 1u << LT_F64, LT_F32, 0, 0 } };
static const struct lt_routine with_batches[] = { { "b", LT_PATTERN_PRODUCT, 0, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0,
	LT_F32, LT_LAYOUT_BATCH, 0 } };

/* No tree can name the first two, and nobody knows the type that the third adds in. */
static const struct lt_routine unsound[] = { { "a-b", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0,
						     LT_F32, LT_LAYOUT_ANY, 0 },
	{ NULL, LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, LT_F32, LT_LAYOUT_ANY, 0 },
	{ "c", LT_PATTERN_PRODUCT, 63, ALL_TYPES, ALL_TYPES, ALL_TYPES, 0, 0, 99, LT_LAYOUT_ANY, 0 } };

static const struct { const char *graph; const struct lt_routine *row; uint32_t n; const char *told; } tables[] = {
	{ half, halves_only, 1, "h: row m 9, column n 10, deep k 12; bias\n" },        /* casts go along, of constants, too */
	{ half, wide_only, 1, "s: row m 9, column n 10, deep k 12; bias\n" },          /* casts stay outside */
	{ half, too_narrow, 1, "" },
	{ layer, in_order, 4, "small: row m 9, column n 10, deep k 12; bias; silu\n" },
	{ layer, plain_only, 1, "p: row m 9, column n 10, deep k 12\n" },
	{ layer, wide_only, 1, "s: row m 9, column n 10, deep k 12; bias\n" },
	{ kept, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\n" },
	{ across, in_order + 3, 1, "last: row n 10, column m 9, deep k 12\n" },        /* the result as it is wanted */
	{ across, ordered, 1, "o: row n 10, column m 9, deep k 12\n" },
	{ both, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\nlast: row m 9, column n 10, deep k 12; residual\n" },
	{ both, plain_only, 1, "p: row m 9, column n 10, deep k 12\n" },               /* equal nests are one kernel */
	{ squares, in_order + 3, 1, "" },
	{ layer, unsound, 3, "" },
	{ flat, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\n" },
	/* and the cast: f16 is a type of its results */
	{ rounded, in_order + 3, 1, "last: row m 9, column n 10, deep k 12\n" },
	{ added, typed, 1, "t: row m 9, column n 10, deep k 12\n" },
	{ added, typed_both, 1, "t: row m 9, column n 10, deep k 12; bias\n" },
	{ added, wide_only, 1, "s: row m 9, column n 10, deep k 12; bias\n" },
	{ across_added, in_order + 3, 1, "last: row m 9, column n 10, deep k 12; residual\n" },
	{ across_added, ordered, 1, "o: row m 9, column n 10, deep k 12\n" },         /* the residual lies across the result */
	{ batch, in_order + 3, 1, "" },
	{ wide_bias, in_order + 3, 1, "last: row m 9, column n 10, column j 3, deep k 12; bias\n" },
	{ wide_lacks, in_order + 3, 1, "last: row m 9, column n 10, column j 3, deep k 12\n" },
	{ batch, with_batches, 1, "b: batch i 3, row m 9, column n 10, deep k 12\n" },
};

Test(auto_targets, each_row_takes_what_it_can)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (int vectors = 0; vectors < 2; vectors++) {
			struct lt_context *ctx;
			struct lt_graph *g;
			struct run_want want;
			struct run_tally tally = { 0 };
			char why[1000] = "";
			odd_open()->vector_bytes = vectors ? 12 : 0;
			odd_routines(tables[i].row, tables[i].n);
			cr_assert_eq(lt_context_new(&ctx), LT_OK);
			cr_assert_eq(lt_graph_parse(ctx, tables[i].graph, strlen(tables[i].graph), "test", &g), LT_OK,
				"%s", lt_context_message(ctx));
			run_want_new(g, 2, tree_fill, g, &want);
			cr_assert_eq(want.status, LT_OK, "%s", want.message);
			run_compare(&want, g, &(struct run_config){ .backends = vectors ? "odd" : "odd,ref" }, NULL,
				NULL, &tally, why, sizeof why);
			cr_expect_str_eq(why, "", "%s\n%s", why, tables[i].graph);
			cr_expect_str_eq(odd_reported()->text, tables[i].told, "table %zu: %s\n%s", i,
				odd_reported()->text, tables[i].graph);
			run_want_free(&want);
			lt_graph_free(g);
			lt_context_free(ctx);
		}
}

/* Bytes of the default tree of so many products, one after the other, each a call. */
static int64_t bytes_of_chain(int links)
{
	struct run_counter counter;
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t;
	char *text = malloc((size_t)links * 300 + 200), *at = text;
	at += sprintf(at, "graph 1\nvar m 4\nvar a 4\nvar b 4\n%%y0 = f32[m, a] input \"x\"\n");
	for (int i = 0; i < links; i++) {
		const char *in = i % 2 ? "b" : "a", *out = i % 2 ? "a" : "b";
		at += sprintf(at,
			"%%w%d = f32[%s, %s] constant \"w%d\"\n%%v%d = f32[%s] constant \"v%d\"\n%%p%d = f32[m, a, b] "
			"mul %%y%d, %%w%d\n"
			"%%c%d = f32[m, %s] add.reduce %%p%d\n%%y%d = f32[m, %s] add %%c%d, %%v%d\n",
			i, in, out, i, i, out, i, i, i, i, i, out, i, i + 1, out, i, i);
	}
	sprintf(at, "result \"y\" = %%y%d\n", links);
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "chain", &g), LT_OK, "%s", lt_context_message(ctx));
	int64_t before = counter.bytes;
	cr_assert_eq(lt_looptree_auto(g, odd_open(), &t), LT_OK, "%s", lt_context_message(ctx));
	int64_t bytes = counter.bytes - before;
	cr_expect_eq(t->n_root, links);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
	return bytes;
}

/* Looking for what follows one product does not go through all of the graph. */
Test(auto_targets, a_long_chain_of_calls_stays_linear)
{
	int64_t some = bytes_of_chain(250), more = bytes_of_chain(1000);
	cr_expect(more < 5 * some, "%lld bytes for 250 products, %lld for 1000", (long long)some, (long long)more);
}

Test(auto_targets, matmul) { run_script("examples/matmul.lt", "dot_bias: row m 64, column n 128, deep k 256; bias\n"); }
Test(auto_targets, mlp)
{
	run_script("examples/mlp.lt",
		"dot_bias: row m 48, column n 256, deep k 64\ndot_bias: row m 48, column k 64, deep n 256\n");
}
Test(auto_targets, attention)
{
	run_script("examples/attention.lt",
		"dot_bias: batch i 4, row j 48, column j2 48, deep k 32\ndot_bias: batch i 4, row j 48, column k3 32, "
		"deep j2 48\n");
}
