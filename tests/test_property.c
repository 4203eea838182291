/* test_property.c -- random graphs on `ref`, `cpu` and `sim`, with and without passes, against the oracle.
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs (the compiled ones in proportion),
 * LT_SHOW=1 names each seed before it runs.  A failure is repeated with ever fewer nodes until it is gone, and
 * the smallest graph that fails is shown.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lt/looptree.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/run_graph.h"

TestSuite(property, .timeout = 900);

static const struct run_config on_ref[] = { { .backends = "ref" }, { .backends = "ref", .no_passes = true } };
static const struct run_config on_cpu[] = { { .backends = "cpu" }, { .backends = "cpu", .no_passes = true } };

/* What a machine decides: which locals are arrays, whether there are teams. */
static const struct run_config on_sim[] = { { .backends = "sim" }, { .backends = "sim:order=backward",
	.no_passes = true }, { .backends = "sim:array=32" }, { .backends = "sim:array=0/teams=0", .no_passes = true } };

/* Machines that reach what lowering has for vectors: masks or none, remainders, locals that do not fit. */
static const struct run_config on_lanes[] = { { .backends = "sim:lanes=8" },
	{ .backends = "sim:lanes=16/masked/gathered", .no_passes = true },
	{ .backends = "sim:lanes=4/array=32/unroll=64/teams=0" }, { .backends = "sim:lanes=64/masked" },
	{ .backends = "sim:lanes=2/gathered/unroll=0/array=0" } };

struct data { const struct random_graph *r; uint64_t seed; };
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct data *d = user;
	random_graph_fill(d->r, d->seed, run, n, out);
}

static struct random_options options_of(uint64_t seed, int32_t n_node)
{
	uint64_t rng = seed ^ UINT64_C(0x5bd1e995);
	struct random_options o = { .n_node = (int32_t)random_between(&rng, 3, 40),
		.views = true,
		.params = true,
		.states = true,
		.composites = random_chance(&rng, 60),
		.wild = true };
	if (n_node > 0)
		o.n_node = n_node;
	return o;
}

/* Printed, parsed back, printed again: the same text; *parsed is the caller's. */
static bool reparse(struct lt_context *ctx, const struct lt_graph *g, struct lt_graph **parsed, char *why, size_t bytes)
{
	struct run_text one = { NULL, 0 }, two = { NULL, 0 };
	bool good = !lt_graph_print(g, run_text_add, &one) && !lt_graph_parse(ctx, one.at, one.n, "printed", parsed)
		&& !lt_graph_print(*parsed, run_text_add, &two);
	if (!good)
		snprintf(why, bytes, "text: %s", lt_context_message(ctx));
	else if (one.n != two.n || memcmp(one.at, two.at, one.n)) {
		good = false;
		size_t at = 0;
		while (at < one.n && at < two.n && one.at[at] == two.at[at])
			at++;
		snprintf(why, bytes, "the text parses back to another graph, from byte %zu on: ...%.60s | %.60s", at,
			one.at + (at > 20 ? at - 20 : 0), two.at + (at > 20 ? at - 20 : 0));
	}
	run_text_free(&one);
	run_text_free(&two);
	return good;
}

static void show(struct lt_context *ctx, const struct lt_graph *g)
{
	struct run_text text = { NULL, 0 };
	struct lt_looptree *tree;
	lt_graph_print(g, run_text_add, &text);
	fprintf(stderr, "%s\n", text.at ? text.at : "");
	run_text_free(&text);
	struct lt_program *p;
	if (!lt_compile(ctx, g, &(struct lt_options){ .size = sizeof(struct lt_options), .backends = "ref" }, &p)) {
		lt_program_dump(p, LT_SHOW_TREE, run_text_add, &text);
		lt_program_dump(p, LT_SHOW_PLAN, run_text_add, &text);
		fprintf(stderr, "%s\n", text.at ? text.at : "");
		lt_program_free(p);
	} else if (!lt_looptree_auto(g, NULL, &tree)) {
		lt_looptree_print(tree, run_text_add, &text);
		fprintf(stderr, "%s\n", text.at ? text.at : "");
		lt_looptree_free(tree);
	}
	run_text_free(&text);
}

struct tally { struct run_tally run; int64_t graphs, nodes, faults, refused, op[LT_NOP], reduce; };

static bool check(uint64_t seed, int32_t n_node, const struct run_config *config, int n_config, struct tally *tally,
	bool explain, char *why, size_t bytes)
{
	struct run_counter counter;
	struct lt_context *ctx;
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	struct random_options o = options_of(seed, n_node);
	struct random_graph r;
	random_graph_new(ctx, seed, &o, &r);
	struct data d = { &r, seed };
	struct run_want want;
	struct run_bits bits = { 0, NULL };
	struct lt_graph *parsed = NULL;
	why[0] = '\0';
	bool good = !lt_graph_verify(r.g);
	if (!good)
		snprintf(why, bytes, "verify: %s", lt_context_message(ctx));
	run_want_new(r.g, 3, fill, &d, &want);
	if (good && want.status && want.status != LT_EFAULT) {
		snprintf(why, bytes, "the oracle: %s", want.message);
		good = false;
	}
	good = good && reparse(ctx, r.g, &parsed, why, bytes);
	for (int i = 0; good && i < n_config; i++) {
		good = run_compare(&want, r.g, &config[i], &counter, i == 0 ? &bits : NULL, &tally->run, why, bytes);
		if (good && i == 0 && !strcmp(config[i].backends, "ref"))
			good = run_compare(&want, parsed, &config[i], &counter, &bits, &tally->run, why, bytes);
	}
	tally->graphs++;
	tally->nodes += r.g->n_node;
	tally->faults += want.status == LT_EFAULT;
	tally->refused += r.n_refused;
	for (lt_node n = 0; n < r.g->n_node; n++) {
		tally->op[r.g->node[n].op]++;
		tally->reduce += r.g->node[n].reduce;
	}
	if (r.n_refused && getenv("LT_SHOW"))
		fprintf(stderr, "seed %llu: %d calls refused, the last: %s\n", (unsigned long long)seed, r.n_refused, r.why);
	if (!good && explain)
		show(ctx, r.g);
	run_bits_free(&bits);
	run_want_free(&want);
	lt_graph_free(parsed);
	random_graph_free(&r);
	lt_context_free(ctx);
	if (good && counter.bytes != 0) {
		snprintf(why, bytes, "%lld bytes are not given back", (long long)counter.bytes);
		good = false;
	}
	return good;
}

/* A crash names its seed, too; write() is all that may be called there. */
static char running[64];
static void name_seed(int signal)
{
	if (write(2, running, strlen(running)) < 0)
		_exit(3);
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigaction(signal, &plain, NULL);
	raise(signal);
}

static void check_many(uint64_t first, int64_t count, const struct run_config *config, int n_config)
{
	struct tally tally = { 0 };
	char why[2000];
	fprintf(stderr, "random graphs on %s: seeds %llu .. %llu\n", config->backends, (unsigned long long)first,
		(unsigned long long)first + (unsigned long long)count - 1);
	struct sigaction name = { .sa_handler = name_seed };
	sigaction(SIGSEGV, &name, NULL);
	sigaction(SIGABRT, &name, NULL);
	sigaction(SIGFPE, &name, NULL);
	int64_t failed = 0;
	for (int64_t i = 0; i < count && failed < 5; i++) {
		uint64_t seed = first + (uint64_t)i;
		snprintf(running, sizeof running, "crashed at seed %llu\n", (unsigned long long)seed);
		if (getenv("LT_SHOW"))
			fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
		if (check(seed, 0, config, n_config, &tally, false, why, sizeof why))
			continue;
		int32_t n = 1, max = options_of(seed, 0).n_node;
		while (n < max && check(seed, n, config, n_config, &tally, false, why, sizeof why))
			n++;
		check(seed, n < max ? n : 0, config, n_config, &tally, true, why, sizeof why);
		fprintf(stderr, "seed %llu (%d nodes): %s\n", (unsigned long long)seed, (int)n, why);
		failed++;
	}
	fprintf(stderr,
		"%s: %lld graphs of %lld nodes, %lld faults, %lld refused calls; %lld elements compared, %lld (%.2f "
		"%%) skipped\n",
		config->backends, (long long)tally.graphs, (long long)tally.nodes, (long long)tally.faults,
		(long long)tally.refused, (long long)tally.run.elements, (long long)tally.run.skipped,
		100.0 * (double)tally.run.skipped / (double)(tally.run.elements ? tally.run.elements : 1));
	for (int op = 0; op < LT_NOP && count >= 500; op++)
		cr_assert(tally.op[op] > 0 || op == LT_OP_copy, "no graph has the operator %s",
			lt__op_info((enum lt_opcode)op)->name);
	cr_assert_eq(failed, 0, "random graphs fail, see above; LT_SEED repeats them");
	cr_assert_leq(tally.run.skipped * 100, tally.run.elements, "the oracle makes no statement about too many elements");
}

/* A share of the graphs for each process, so that both cores are busy. */
static void share(const struct run_config *config, int n_config, uint64_t graphs, uint64_t part)
{
	uint64_t seed = must_number("LT_SEED", 1), want = must_draws("LT_GRAPHS", 1500);
	uint64_t count = (want * graphs / 1500 + 1) / 2;
	check_many(seed + part * count, (int64_t)(count ? count : 1), config, n_config);
}

/* The machines take turns. */
static void share_lanes(uint64_t part)
{
	uint64_t n = sizeof on_lanes / sizeof *on_lanes, count = must_draws("LT_GRAPHS", 1500) / 15 / n + 1;
	for (uint64_t i = 0; i < n; i++)
		check_many(must_number("LT_SEED", 1) + 7000 + (2 * i + part) * count, (int64_t)count, &on_lanes[i], 1);
}

#define SHARE(configs) configs, sizeof configs / sizeof *configs
Test(property, ref_first_half) { share(SHARE(on_ref), 1500, 0); }
Test(property, ref_second_half) { share(SHARE(on_ref), 1500, 1); }
Test(property, cpu_first_half) { share(SHARE(on_cpu), 40, 0); }
Test(property, cpu_second_half) { share(SHARE(on_cpu), 40, 1); }
Test(property, sim_first_half) { share(SHARE(on_sim), 300, 0); }
Test(property, sim_second_half) { share(SHARE(on_sim), 300, 1); }
Test(property, lanes_first_half) { share_lanes(0); }
Test(property, lanes_second_half) { share_lanes(1); }
