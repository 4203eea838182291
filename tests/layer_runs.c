/* layer_runs.c -- random layers and graphs by their default trees, against the oracle. */
#include <string.h>
#include "looptree/tree/tree.h"
#include "ir/pass/pass.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_layer.h"
#include "tests/random_product.h"
#include "tests/run_graph.h"
#include "program/program.h"

enum { MAX_FAILED = 12 };
struct job {
	const struct layer_plan *plan;
	uint64_t seed;
	struct lt_context *ctx;
	struct lt_graph *g;
	struct random_graph r;          /* plan->any */
	struct lt_target target;
	bool native, failed;
	char text[8000];
};

static lt_status compile(void *job, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	const struct job *j = job;
	struct lt_graph *live, *lowered;
	struct lt_looptree *tree = NULL;
	struct lt_options o = *options;
	o.n_thread = j->plan->n_thread ? j->plan->n_thread : 1 + (uint32_t)(j->seed / 2 % 3);
	if (j->native)
		return lt_compile(g->ctx, g, &o, out);
	*out = NULL;
	LT_TRY(o.no_passes ? lt__pass_dead(g, &live) : lt__passes_run(g, NULL, NULL, &live));
	lt_status st = lt__materialize(live, &lowered);
	lt_graph_free(live);
	if (!st)
		st = lt_looptree_auto(lowered, &j->target, &tree);
	if (!st && j->plan->verify && (st = lt_looptree_verify(tree)))
		lt_looptree_free(tree);
	return st ? st : lt__compile_tree(g->ctx, g, lowered, tree, &o, out);
}

static void fill(void *job, int run, lt_node n, void *out)
{
	struct job *j = job;
	if (j->plan->any)
		random_graph_fill(&j->r, j->seed, run, n, out);
	else
		random_layer_fill(&(struct random_layer_data){ j->g, j->seed }, run, n, out);
}

static void make_graph(struct job *j)
{
	uint64_t rng = j->seed ^ UINT64_C(0x5bd1e995);
	if (!j->plan->any) {
		random_layer(j->ctx, j->seed, j->plan->work, &j->g, j->text, sizeof j->text);
		return;
	}
	struct random_options o = { .n_node = (int32_t)random_between(&rng, 3, 40),
		.views = true,
		.params = true,
		.states = true,
		.wild = true };
	o.composites = random_chance(&rng, 60);
	random_graph_new(j->ctx, j->seed, &o, &j->r);
	j->g = j->r.g;
}

static void layer_report(struct job *j, const char *why)
{
	const struct lt_target *t = &j->target;
	struct run_text text = { NULL, 0 };
	if (j->plan->any)
		(void)lt_graph_print(j->g, run_text_add, &text);
	if (j->native)
		(void)fprintf(stderr, "FAILED: seed %llu by the tree for this machine: %s\n", (unsigned long long)j->seed, why);
	else
		(void)fprintf(stderr,
			"FAILED: seed %llu by the tree for vectors of %u bytes, %u registers, L2 %llu, L3 %llu, %u "
			"cores: %s\n",
			(unsigned long long)j->seed, t->vector_bytes, t->vector_registers,
			(unsigned long long)t->l2_bytes, (unsigned long long)t->l3_bytes, t->cores, why);
	(void)fprintf(stderr, "%s\n", text.at ? text.at : j->text);
	run_text_free(&text);
	j->failed = true;
}

/* Compiled once, so that a backend that compiles later knows the kernels. */
static void open_job(const struct layer_plan *plan, uint64_t seed, struct job *j)
{
	struct lt_program *p;
	*j = (struct job){ .plan = plan, .seed = seed, .native = plan->target ? !strcmp(plan->target, "native") : seed % 2 };
	must(lt_context_new(&j->ctx) == LT_OK, "no context");
	random_target(seed, &j->target);
	make_graph(j);
	if (plan->show)
		(void)fprintf(stderr, "seed %llu\n%s\n", (unsigned long long)seed, j->text);
	const struct lt_options o = { .size = sizeof o, .backends = plan->backends, .strict = 1, .no_passes = seed % 4 == 0 };
	if (compile(j, j->g, &o, &p))
		layer_report(j, lt_context_message(j->ctx));
	else
		lt_program_free(p);
}

static void run_job(struct job *j, struct layer_tally *tally)
{
	struct run_want want;
	struct run_tally run = { 0 };
	const struct run_config config = { j->plan->backends, j->seed % 4 == 0, compile, j };
	char why[2000] = "";
	run_want_new(j->g, 2, fill, j, &want);
	if (want.status && want.status != LT_EFAULT)
		layer_report(j, want.message);
	else if (!run_compare(&want, j->g, &config, NULL, NULL, &run, why, sizeof why))
		layer_report(j, why);
	run_want_free(&want);
	tally->elements += run.elements;
	tally->skipped += run.skipped;
}

void layer_runs(const struct layer_plan *plan, struct layer_tally *tally)
{
	struct job *job = calloc((size_t)plan->together, sizeof *job);
	must(job != NULL, "out of memory");
	for (int at = 0; at < plan->graphs && tally->failed < MAX_FAILED; at += plan->together) {
		int n = plan->graphs - at < plan->together ? plan->graphs - at : plan->together;
		for (int i = 0; i < n; i++)
			open_job(plan, plan->seed + (uint64_t)(at + i), &job[i]);
		for (int i = 0; i < n; i++) {
			if (!job[i].failed)
				run_job(&job[i], tally);
			tally->failed += job[i].failed;
			tally->graphs++;
			if (plan->any)
				random_graph_free(&job[i].r);
			else
				lt_graph_free(job[i].g);
			lt_context_free(job[i].ctx);
		}
	}
	free(job);
}
