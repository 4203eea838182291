/* mutants.c -- the judge is judged: wrong kernels, one spot each, that `lt-run --verify` must catch.
 *
 *   mutants [--seed N] [--each N] [--graphs N] [--jobs N] [--least PERCENT] [--examples FILE]
 *                                    N mutants of each line of tests/examples.txt and of each random graph; prints TAP
 *   mutants --list SCRIPT            how many there are of each kind; SCRIPT as in tests/examples.txt, @2 the
 *                                    second line with it, or graph@SEED
 *   mutants --one SCRIPT KIND N      writes one mutant, and prints the command that runs it
 *
 * A mutant counts that compiles, runs, and moves a result or a state by a thousandth of its norm.  It is caught if
 * lt-run answers 1 (judged wrong) or 3 (not verified).  The same seed gives the same mutants; a text depends on the
 * target, which is avx2 where the machine has it.
 */
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"
#include "check/random/must.h"
#include "tests/mutants/mutants.h"

/* One with fixed numbers, so that its texts are the same everywhere. */
static const char *target(void)
{
	static const char *const names[] = { "avx2", "sse4", "sse2", "neon" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct lt_cpu_model *m = lt__cpu_model_find(names[i], strlen(names[i]));
		if (m && m->runs())
			return names[i];
	}
	return "native";
}

static int kind_of(const char *name)
{
	int i = 0;
	while (i < n_kind && strcmp(kinds[i].name, name) != 0)
		i++;
	must(i < n_kind, "there is no kind '%s'", name);
	return i;
}

static struct subject *open_one(const struct setting *s, const char *name)
{
	char why[2000];
	struct subject *j = subject_find(s, name);
	/* How a random graph is verified its right kernels say. */
	must(is_random(j) ? subject_open(s, j, why, sizeof why) : subject_read(s, j, why, sizeof why), "%s", why);
	return j;
}

static int list(const struct setting *s, const char *name)
{
	struct subject *j = open_one(s, name);
	for (int i = 0; i < n_kind; i++)
		(void)printf("%-12s %6d  %s\n", kinds[i].name, subject_sites(j, i), kinds[i].what);
	subject_free(j);
	free(j);
	return 0;
}

static int one(const struct setting *s, const char *name, const char *kind, int n)
{
	struct subject *j = open_one(s, name);
	struct verdict v;
	char path[1024];
	(void)snprintf(path, sizeof path, "%s/%s-%d.c", j->dir, kind, n);
	mutant_write(j, kind_of(kind), n, path, &v);
	(void)printf("# - %s\n# + %s\n", v.line, v.became);
	command_print(stdout, s, j, path);
	subject_free(j);
	free(j);
	return 0;
}

int main(int argc, char **argv)
{
	enum { LIST = 256, ONE };
	static const struct option longs[] = { { "seed", required_argument, NULL, 's' },
		{ "each", required_argument, NULL, 'e' }, { "graphs", required_argument, NULL, 'g' },
		{ "jobs", required_argument, NULL, 'j' }, { "examples", required_argument, NULL, 'x' },
		{ "least", required_argument, NULL, 'l' }, { "list", no_argument, NULL, LIST },
		{ "one", no_argument, NULL, ONE }, { NULL, 0, NULL, 0 } };
	const char *slash = strrchr(argv[0], '/');
	const int folder = slash ? (int)(slash - argv[0]) : 1;
	const char *const build = slash ? argv[0] : ".";
	char lt_run[512], dir[512];
	struct setting s = { .self = argv[0],
		.lt_run = lt_run,
		.dir = dir,
		.examples = "tests/examples.txt",
		.target = target(),
		.seed = 1 };
	struct plan plan = { .each = 16, .n_graph = 10, .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .min = 99 };
	int what = 0;
	(void)snprintf(lt_run, sizeof lt_run, "%.*s/lt-run", folder, build);
	(void)snprintf(dir, sizeof dir, "%.*s/mutants.d", folder, build);
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
		switch (c) {
		case 's': s.seed = strtoull(optarg, NULL, 10); break;
		case 'e': plan.each = (int)strtol(optarg, NULL, 10); break;
		case 'g': plan.n_graph = (int)strtol(optarg, NULL, 10); break;
		case 'x': s.examples = optarg; break;
		case 'j': plan.jobs = (int)strtol(optarg, NULL, 10); break;
		case 'l': plan.min = strtod(optarg, NULL); break;
		case LIST: case ONE: what = c; break;
		default: return 2;
		}
	if (argc - optind != (what == LIST ? 1 : what == ONE ? 3 : 0) || plan.each < 1 || plan.jobs < 1 || plan.n_graph < 0) {
		(void)fprintf(stderr, "%s: the first lines of tests/mutants/mutants.c say what it takes\n", argv[0]);
		return 2;
	}
	if (what == LIST)
		return list(&s, argv[optind]);
	if (what == ONE)
		return one(&s, argv[optind], argv[optind + 1], (int)strtol(argv[optind + 2], NULL, 10));
	return score(&s, &plan);
}
