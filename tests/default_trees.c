/* default_trees.c -- random graphs with their default trees. */
#include <stdio.h>
#include <string.h>
#include "check/random/must.h"
#include "program/run/run.h"
#include "tests/default_trees.h"
#include "tests/random_default.h"

enum { MAX_FAILED = 12, PLANNED_WORK = 1 << 28, RUN_WORK = 40000, MAX_TEXT = 16000 };

/* Machines of several sizes; the last ones as small as OpenCL's devices are. */
static const char *const machines[] = { "sim:h100", "sim:grid", "sim:a100", "sim:grid/block=128/shared=16384",
	"sim:grid/block=64/shared=4096", "sim:grid/block=256/shared=32768/subgroup=16", "sim:grid/block=32/shared=1024" };
enum { N_MACHINE = sizeof machines / sizeof *machines };

struct default_job { uint64_t seed; struct lt_context *ctx; struct random_graph r; char text[MAX_TEXT]; };

static void default_fill(void *job, int run, lt_node n, void *out)
{
	const struct default_job *j = job;
	random_graph_fill(&j->r, j->seed, run, n, out);
}

static void default_fail(struct default_tally *t, const struct default_job *j, const char *backends, const char *why)
{
	if (t->failed++ < MAX_FAILED)
		(void)fprintf(stderr, "FAILED: seed %llu, %s: %s\n%s\n", (unsigned long long)j->seed, backends, why, j->text);
}

/* What is noted of a nest that is plainer than it was meant to be; NULL: there is none. */
static const char *default_plainer(const struct lt_looptree *t)
{
	for (int32_t i = 0; i < t->n_note; i++)
		if (strstr(t->note[i].text, "plainer"))
			return t->note[i].text;
	return NULL;
}

static void default_plan(struct default_job *j, const char *backends, struct default_tally *t)
{
	const struct lt_options o = { .size = sizeof o, .backends = backends, .strict = 1, .plan_only = 1 };
	struct lt_program *p;
	const char *plainer;
	t->planned++;
	if (lt_compile(j->ctx, j->r.g, &o, &p))
		default_fail(t, j, backends, lt_context_message(j->ctx));
	else if ((plainer = default_plainer(p->tree)))
		default_fail(t, j, backends, plainer);
	lt_program_free(p);
}

static void default_run(struct default_job *j, const char *backends, struct default_tally *t)
{
	const struct run_config config = { .backends = backends };
	struct run_want want;
	char why[2000] = "";
	t->ran++;
	run_want_new(j->r.g, 1, default_fill, j, &want);
	if (want.status)
		default_fail(t, j, "the evaluator", want.message);
	else if (!run_compare(&want, j->r.g, &config, NULL, NULL, &t->run, why, sizeof why))
		default_fail(t, j, backends, why);
	run_want_free(&want);
}

void default_trees_run(uint64_t seed, int64_t n, int every, const char *backends, struct default_tally *t)
{
	for (int64_t i = 0; i < n && t->failed < MAX_FAILED; i++) {
		struct default_job *j = calloc(1, sizeof *j);
		must(j && lt_context_new(&j->ctx) == LT_OK, "out of memory");
		j->seed = seed + (uint64_t)i;
		const char *on = backends ? backends : machines[j->seed % N_MACHINE];
		bool small = every && j->seed % (uint64_t)every == 0;
		random_default_new(j->ctx, j->seed, small ? RUN_WORK : PLANNED_WORK, &j->r, j->text, sizeof j->text);
		default_plan(j, on, t);
		if (small)
			default_run(j, on, t);
		random_graph_free(&j->r);
		lt_context_free(j->ctx);
		free(j);
	}
}
