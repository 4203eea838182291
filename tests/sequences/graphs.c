/* graphs.c -- graphs [N [SEED]]: right kernels must be judged right.  Random graphs of every operator
 * on ref, on cpu for each target that this machine runs, on the simulator of a grid, and on llvm where it is built,
 * with and without passes; N of N must be as the oracle says.
 *
 * Prints TAP.  What is judged wrong is reported with its seed, with as few nodes as still show it; 1 if something was,
 * or if of more than one element in a hundred nothing could be said.  LT_JOBS=N: side by side; LT_LEVEL=-O1: how far
 * kernels are optimised; LT_BACKENDS='NAME NAME': on these alone.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/batch.h"
#include "tests/run_graph.h"

enum { TOGETHER = 40, MAX_CONFIGS = 16, MAX_FAILED = 5, RUNS = 2 };
struct configs { char name[MAX_CONFIGS][40]; int n; };
struct tally { int64_t graphs, programs, failed; struct run_tally run; };
struct job { uint64_t seed; struct lt_context *ctx; struct random_graph r; };

static struct configs find_configs(const char *program)
{
	struct configs p = { .name = { "ref" }, .n = 1 };
	const char *slash = strrchr(program, '/'), *only = getenv("LT_BACKENDS");
	char path[1024];
	for (p.n = only ? 0 : 1; only && *only && p.n < MAX_CONFIGS; only += strcspn(only, " "), only += strspn(only, " "))
		(void)snprintf(p.name[p.n++], sizeof p.name[0], "%.*s", (int)strcspn(only, " "), only);
	if (only)
		return p;
	(void)strcpy(p.name[p.n++], "sim:grid");
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++)
		if (lt__cpu_model_at(i)->runs())
			(void)snprintf(p.name[p.n++], sizeof p.name[0], "batch:target=%s", lt__cpu_model_at(i)->name);
	(void)snprintf(path, sizeof path, "%.*s/backends/llvm.so", slash ? (int)(slash - program) : 1,
		slash ? program : ".");
	if (access(path, R_OK) == 0) {
		must(lt_backend_load(path, NULL) == LT_OK, "%s cannot be loaded", path);
		(void)strcpy(p.name[p.n++], "llvm");
	}
	return p;
}

static void fill(void *job, int run, lt_node n, void *out)
{
	const struct job *j = job;
	random_graph_fill(&j->r, j->seed, run, n, out);
}

/* n_node: 0: as many as the seed says. */
static int32_t open_job(struct job *j, uint64_t seed, int32_t n_node)
{
	uint64_t rng = seed ^ UINT64_C(0x5bd1e995);
	struct random_options o = { .n_node = (int32_t)random_between(&rng, 3, 40),
		.views = true,
		.params = true,
		.states = true,
		.wild = true };
	const int32_t nodes = o.n_node;
	o.composites = random_chance(&rng, 60);
	o.n_node = n_node ? n_node : nodes;
	j->seed = seed;
	must(lt_context_new(&j->ctx) == LT_OK, "no context");
	random_graph_new(j->ctx, seed, &o, &j->r);
	return nodes;
}

static void close_job(struct job *j)
{
	random_graph_free(&j->r);
	lt_context_free(j->ctx);
}

/* Compiled and thrown away, so that `batch` knows the kernels of all graphs before the first one runs. */
static void announce(const struct job *j, const struct configs *p)
{
	for (int i = 0; i < 2 * p->n; i++) {
		const struct lt_options o = { .size = sizeof o,
			.backends = p->name[i / 2],
			.n_thread = 2,
			.strict = 1,
			.no_passes = (i & 1) != 0 };
		struct lt_program *program;
		if (!strncmp(o.backends, "batch", 5) && lt_compile(j->ctx, j->r.g, &o, &program) == LT_OK)
			lt_program_free(program);
	}
}

/* One program; false: it is judged wrong. */
static bool try(struct job *j, const struct run_want *want, const char *backends, bool no_passes, struct run_tally *run,
	char *why, size_t bytes)
{
	const struct run_config config = { .backends = backends, .no_passes = no_passes };
	if (want->status && want->status != LT_EFAULT) {
		(void)snprintf(why, bytes, "the oracle: %s", want->message);
		return false;
	}
	return run_compare(want, j->r.g, &config, NULL, NULL, run, why, bytes);
}

/* The smallest beginning of the graph that is judged wrong, too. */
static void report_mistake(uint64_t seed, const char *backends, bool no_passes, const char *why)
{
	struct run_tally run = { 0 };
	int32_t n = 1, max = 1;
	(void)fprintf(stderr, "FAILED: seed %llu: %s\n", (unsigned long long)seed, why);
	for (bool good = true; good && n <= max; n += good) {
		struct job j;
		struct run_want want;
		char text[2000];
		max = open_job(&j, seed, n);
		run_want_new(j.r.g, RUNS, fill, &j, &want);
		good = try(&j, &want, backends, no_passes, &run, text, sizeof text);
		if (!good) {
			char *graph = run_graph_text(j.r.g);
			(void)fprintf(stderr, "with %d nodes: %s\n%s\n", (int)n, text, graph);
			free(graph);
		}
		run_want_free(&want);
		close_job(&j);
	}
}

static void run_job(struct job *j, const struct configs *p, struct tally *t)
{
	struct run_want want;
	bool good = true;
	char why[2000];
	run_want_new(j->r.g, RUNS, fill, j, &want);
	for (int i = 0; i < 2 * p->n && good; i++) {
		good = try(j, &want, p->name[i / 2], i % 2, &t->run, why, sizeof why);
		t->programs++;
		if (!good)
			report_mistake(j->seed, p->name[i / 2], i % 2, why);
	}
	run_want_free(&want);
	t->graphs++;
	t->failed += !good;
}

static struct tally run_share(const struct configs *p, uint64_t first, int64_t n, int share, int of)
{
	struct tally t = { 0 };
	struct job job[TOGETHER];
	for (int64_t at = share; at < n && t.failed < MAX_FAILED;) {
		int got = 0;
		for (; got < TOGETHER && at < n; got++, at += of) {
			(void)open_job(&job[got], first + (uint64_t)at, 0);
			announce(&job[got], p);
		}
		for (int i = 0; i < got; i++) {
			run_job(&job[i], p, &t);
			close_job(&job[i]);
		}
		/* The compiled ones stay loaded; what is known of their texts grows no further. */
		batch_close();
		(void)fprintf(stderr, "%lld of %lld graphs\n", (long long)(at < n ? at : n), (long long)n);
	}
	return t;
}

static void add(struct tally *sum, const struct tally *t)
{
	sum->graphs += t->graphs;
	sum->programs += t->programs;
	sum->failed += t->failed;
	sum->run.elements += t->run.elements;
	sum->run.skipped += t->run.skipped;
}

int main(int argc, char **argv)
{
	const int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 10000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const int jobs = (int)must_number("LT_JOBS", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	const char *level = getenv("LT_LEVEL");
	struct configs p = find_configs(argv[0]);
	struct tally sum = { 0 };
	int answer[2];
	batch_open(level ? level : "-O0");
	must(pipe(answer) == 0, "no pipe");
	for (int i = 0; i < jobs; i++)
		if (fork() == 0) {
			struct tally mine = run_share(&p, seed, n, i, jobs);
			_exit(write(answer[1], &mine, sizeof mine) != sizeof mine);
		}
	(void)close(answer[1]);
	for (struct tally t; read(answer[0], &t, sizeof t) == sizeof t;)
		add(&sum, &t);
	while (wait(NULL) > 0)
		;
	const double unjudged = 100.0 * (double)sum.run.skipped / (double)(sum.run.elements ? sum.run.elements : 1);
	const bool right = sum.graphs == n && !sum.failed;
	(void)printf("# on");
	for (int i = 0; i < p.n; i++)
		(void)printf(" %s", p.name[i]);
	(void)printf(", each with and without passes: %lld programs\n", (long long)sum.programs);
	(void)printf("# show random graphs: %lld of %lld judged right, %.2f %% of %lld elements not judged (seed %llu)\n",
		(long long)(sum.graphs - sum.failed), (long long)n, unjudged, (long long)sum.run.elements, (unsigned long long)seed);
	(void)printf("%sok - right kernels of random graphs are judged right\n", right ? "" : "not ");
	(void)printf("%sok - at most one element in a hundred is not judged\n", unjudged <= 1 ? "" : "not ");
	return !right || unjudged > 1;
}
