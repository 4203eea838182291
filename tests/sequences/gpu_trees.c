/* gpu_trees.c -- gpu_trees [N [SEED]]: what legality accepts of random trees with grids and blocks, the
 * simulator finds clean: N trees that run without a race, a barrier that not all threads reach, a read of what nobody
 * wrote, or another result than the evaluator's.  Each graph has a simulator of some machine.
 *
 * Prints TAP.  What is wrong is reported with the seed of its graph (gpu_trees 1 SEED repeats it); 1 if something was,
 * or if nothing was drawn of something that a GPU's tree can have (tests/random_gpu.h).  LT_JOBS=N: side by side.
 * Progress, on stderr, says which seeds are done: another run may begin after those of all jobs.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check/random/must.h"
#include "tests/random_schedule.h"

enum { GRAPHS = 5, MANY = 400 };

static void add_tally(struct schedule_tally *sum, const struct schedule_tally *t)
{
	sum->sequences += t->sequences;
	sum->refused += t->refused;
	sum->slow += t->slow;
	sum->failed += t->failed;
	sum->elements += t->elements;
	sum->steps += t->steps;
	for (int i = 0; i < RANDOM_STEP_KINDS; i++) {
		sum->tried[i] += t->tried[i];
		sum->accepted[i] += t->accepted[i];
	}
	for (int i = 0; i < GPU_N_USE; i++)
		sum->uses[i] += t->uses[i];
	if (t->refused)
		(void)snprintf(sum->refusal, sizeof sum->refusal, "%s", t->refusal);
}

/* Every so manieth few seeds, until its share of the trees has run. */
struct share { int trees; uint64_t graphs; struct schedule_tally tally; };
static struct share run_share(uint64_t seed, int trees, int at, int of)
{
	struct share s = { .trees = trees };
	struct schedule_plan plan = { .skip = "bind call tile", .seed = seed + (uint64_t)(GRAPHS * at), .graphs = GRAPHS,
		.sequences = 4, .together = 1, .grids = true };
	for (; s.tally.sequences < trees && !s.tally.failed; plan.seed += (uint64_t)(GRAPHS * of), s.graphs += GRAPHS) {
		random_schedules(&plan, &s.tally);
		if (s.graphs % 100 == 0)
			(void)fprintf(stderr, "gpu_trees: seeds to %llu, %d of %d trees of job %d\n",
				(unsigned long long)plan.seed + GRAPHS - 1, s.tally.sequences, trees, at);
	}
	return s;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? (int)strtoll(argv[1], NULL, 10) : 500;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const int jobs = n < MANY ? 1 : (int)must_number("LT_JOBS", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	struct schedule_tally sum = { 0 };
	uint64_t graphs = 0;
	int answer[2], answers = 0;
	must(pipe(answer) == 0, "no pipe");
	for (int i = 0; i < jobs; i++)
		if (fork() == 0) {
			struct share mine = run_share(seed, (n + jobs - 1) / jobs, i, jobs);
			_exit(write(answer[1], &mine, sizeof mine) != sizeof mine);
		}
	(void)close(answer[1]);
	for (struct share s; read(answer[0], &s, sizeof s) == sizeof s; answers++) {
		add_tally(&sum, &s.tally);
		graphs += s.graphs;
	}
	while (wait(NULL) > 0)
		;
	const struct schedule_plan all = { .seed = seed, .graphs = (int)graphs, .grids = true };
	random_schedules_report(&all, &sum);
	bool right = answers == jobs && !sum.failed && sum.sequences >= n;
	(void)printf("# show random trees of a GPU: %d of %d clean, of %llu graphs (seed %llu), %d refused by their machine;",
		sum.sequences - sum.failed, sum.sequences, (unsigned long long)graphs, (unsigned long long)seed, sum.refused);
	for (int i = 0; i < GPU_N_USE; i++)
		(void)printf("%s %d %s", i ? "," : "", sum.uses[i], gpu_use_name((enum gpu_use)i));
	(void)printf("\n%sok - %d random trees of a GPU are clean and right\n", right ? "" : "not ", n);
	for (int i = 0; i < GPU_N_USE && n >= MANY; i++) {
		(void)printf("%sok - some of them have %s\n", sum.uses[i] >= n / 250 ? "" : "not ", gpu_use_name((enum gpu_use)i));
		right = right && sum.uses[i] >= n / 250;
	}
	return !right;
}
