/* test_llvm_cpus.c -- the backend llvm made to write for older processors: what it says of them, and what
 * it computes then. */
#include <stdbool.h>
#include "looptree/tree/tree.h"
#include "tests/built.h"
#include "tests/llvm_plugin.h"
#include "tests/random_layer.h"
#include "tests/random_schedule.h"
#include "tests/treerun.h"

TestSuite(llvm_cpus, .init = llvm_load, .fini = scratch_remove, .timeout = 120);

static char out[1 << 20], err[1 << 16];

static int lt_run(const char *config, const char *options)
{
	char command[2048];
	(void)snprintf(command, sizeof command, "%s -B %s -b 'llvm:%s' --strict %s", built("lt-run"), llvm_path(),
		config, options);
	return run_command(command, out, sizeof out, err, sizeof err);
}

/* The levels of the x86-64 psABI: bytes of a vector, a register that their code has and one that it has not. */
static const struct level {
	const char *config, *target;
	uint32_t bytes, registers;
	const char *with, *without;
} levels[] = {
	{ "cpu=x86-64", "target llvm:x86-64\n", 16, 16, "%xmm", "%ymm" },
	{ "cpu=x86-64-v2", "target llvm:x86-64-v2\n", 16, 16, "%xmm", "%ymm" },
	{ "cpu=x86-64-v3", "target llvm:x86-64-v3\n", 32, 16, "%ymm", "%zmm" },
	{ "cpu=x86-64-v4", "target llvm:x86-64-v4\n", 64, 32, "%zmm", "%w" },
};
enum { N_LEVEL = 4 };

static bool runs_here(const char *config) { return lt_backend_find("llvm")->score(config, NULL) > 0; }

Test(llvm_cpus, trees_and_code_are_for_the_one_that_was_named)
{
	const struct lt_backend *llvm = lt_backend_find("llvm");
	const struct lt_host host = { .size = sizeof host };
	for (int i = 0; i < N_LEVEL; i++) {
		struct keeper k = keeper_new();
		struct lt_session *s;
		if (!runs_here(levels[i].config))
			continue;
		cr_assert_eq(llvm->open(&host, levels[i].config, &s, &k.diag), LT_OK, "%s", k.text);
		cr_expect_eq(llvm->caps(s)->target->vector_bytes, levels[i].bytes);
		cr_expect_eq(llvm->caps(s)->target->vector_registers, levels[i].registers);
		llvm->close(s);
		cr_assert_eq(lt_run(levels[i].config, "--dump=tree examples/matmul.lt"), 0, "%s", err);
		cr_expect(strstr(out, levels[i].target) != NULL, "%s", out);
		cr_assert_eq(lt_run(levels[i].config, "--dump=source examples/matmul.lt"), 0, "%s", err);
		cr_expect(strstr(out, "\ntarget datalayout = ") != NULL, "%.300s", out);
		cr_assert_eq(lt_run(levels[i].config, "--dump=asm examples/matmul.lt"), 0, "%s", err);
		cr_expect(strstr(out, levels[i].with) != NULL, "%s has no %s", levels[i].config, levels[i].with);
		cr_expect(strstr(out, levels[i].without) == NULL, "%s has %s", levels[i].config, levels[i].without);
	}
}

/* Items are parted by '/', or ';': a comma begins another backend. */
Test(llvm_cpus, words_that_do_not_fit_are_refused)
{
	static const struct { const char *config; lt_status code; const char *text, *remedy; } wrong[] = {
		{ "cpu=haswel", LT_EINVAL, "'haswel'", "native" }, { "cpu=", LT_EINVAL, "cpu has no value", "NAME" },
		{ "level=9", LT_EINVAL, "'9'", "from 0 to 3" },
		{ "verify;level", LT_EINVAL, "level has no value", "from 0 to 3" },
		{ "level=1,verify", LT_EINVAL, "'1,verify'", "from 0 to 3" },
	};
	const struct lt_backend *llvm = lt_backend_find("llvm");
	const struct lt_host host = { .size = sizeof host };
	struct lt_session *s;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct keeper k = keeper_new();
		s = (struct lt_session *)&k;
		cr_expect_eq(llvm->open(&host, wrong[i].config, &s, &k.diag), wrong[i].code);
		cr_expect(!s && k.n == 1 && strstr(k.text, wrong[i].text) && strstr(k.remedy, wrong[i].remedy),
			"%s: %s: %s", wrong[i].config, k.text, k.remedy);
		cr_expect_eq(llvm->score(wrong[i].config, &k.diag), 0);
	}
	struct keeper k = keeper_new();
	cr_assert_eq(llvm->open(&host, "verify;;level=3;cpu=native", &s, &k.diag), LT_OK, "%s", k.text);
	llvm->close(s);
}

static void append(void *to, const char *text, size_t bytes) { (void)strncat(to, text, bytes); }

/* What this machine lacks is named, and the best that it runs is the way out. */
Test(llvm_cpus, one_that_does_not_run_here_is_refused)
{
	static const char *const cpus[] = { "cpu=x86-64-v2", "cpu=x86-64-v3", "cpu=x86-64-v4", "cpu=sapphirerapids" };
	const struct lt_backend *llvm = lt_backend_find("llvm");
	const struct lt_host host = { .size = sizeof host };
	const char *best = "cpu=x86-64";
	if (!runs_here(best))
		cr_skip_test("no x86-64");
	for (int i = 0; i < 4; i++) {
		struct keeper k = keeper_new();
		struct lt_session *s;
		if (runs_here(cpus[i])) {
			best = cpus[i];
			continue;
		}
		cr_expect_eq(llvm->open(&host, cpus[i], &s, &k.diag), LT_EUNSUPPORTED);
		cr_expect(
			!s && strstr(k.text, cpus[i] + 4) && strstr(k.text, "it has no ") && strstr(k.remedy, best + 4),
			"%s: %s", k.text, k.remedy);
		cr_expect_neq(lt_run(cpus[i], "--dump=tree examples/matmul.lt"), 0);
		cr_expect(strstr(err, "it has no ") != NULL, "%s", err);
	}
	struct keeper k = keeper_new();
	struct lt_session *s;
	cr_assert_eq(llvm->open(&host, "", &s, &k.diag), LT_OK, "%s", k.text);
	out[0] = '\0';
	llvm->describe(s, append, out);
	llvm->close(s);
	char *list = strstr(out, "\ncpus native, x86-64");
	cr_assert(list != NULL, "%s", out);
	list[1 + strcspn(list + 1, "\n")] = '\0';
	cr_expect(strstr(list, best + 4) != NULL && strcmp(strrchr(list, ' ') + 1, best + 4) == 0, "%s", list);
}

/* Objects are kept on disk for each of them. */
Test(llvm_cpus, each_has_objects_of_its_own)
{
	char options[1024];
	(void)snprintf(options, sizeof options,
		"--cache-dir %s -i '*=random' -c '*=random' --verify --time=1 examples/matmul.lt", scratch("cache"));
	for (int i = 0; i < N_LEVEL; i++)
		for (int time = 0; time < 2 && runs_here(levels[i].config); time++) {
			cr_assert_eq(lt_run(levels[i].config, options), 0, "%s", err);
			cr_expect(strstr(err, time ? " 0 compiled" : " 0 from the cache")
					|| strstr(out, time ? " 0 compiled" : " 0 from the cache"),
				"%s: %s%s", levels[i].config, out, err);
		}
}

Test(llvm_cpus, layers_graphs_and_schedules_come_out_as_the_evaluator_says)
{
	static const char *const backends[] = { "llvm:cpu=x86-64-v3", "llvm:cpu=x86-64" };
	for (int i = 0; i < 2; i++) {
		struct layer_tally tally = { 0 };
		struct schedule_tally schedules = { 0 };
		const struct layer_plan layers = { .backends = backends[i], .seed = 7001, .graphs = 4, .together = 2, .work = 8000 };
		const struct layer_plan graphs = {
			.backends = backends[i], .seed = 8001, .graphs = 10, .together = 10, .work = 2000, .any = true
		};
		const struct schedule_plan plan = { .backends = backends[i],
			.skip = "bind call",
			.seed = 9001,
			.graphs = 2,
			.sequences = 4,
			.together = 4 };
		if (!runs_here(backends[i] + 5))
			continue;
		layer_runs(&layers, &tally);
		layer_runs(&graphs, &tally);
		random_schedules(&plan, &schedules);
		cr_expect_eq(tally.failed + schedules.failed, 0, "%s: %d of %d graphs, %d of %d sequences", backends[i],
			tally.failed, tally.graphs, schedules.failed, schedules.sequences);
		cr_expect_gt(tally.elements, 1000);
	}
}
