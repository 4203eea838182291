/* random_limits.c -- random graphs at the limits: drawn, run, compared. */
#define _GNU_SOURCE 1
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_limits.h"
#include "tests/random_limits_model.h"
#include "ir/eval/eval.h"
#include "lt/program.h"
#include "tools/common/common.h"

/* Whole numbers that overflow are to trap, too. */
const char limits_level[] = "-O1 -fno-wrapv -fsanitize=undefined -fsanitize-undefined-trap-on-error";

/* -- memory between pages that nobody may touch -- */

struct fenced { char *map; size_t bytes, pages; };

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static struct fenced fenced_new(size_t bytes)
{
	struct fenced f = { .bytes = bytes, .pages = (bytes + page() - 1) / page() * page() };
	f.map = mmap(NULL, f.pages + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(f.map != MAP_FAILED && !mprotect(f.map + page(), f.pages, PROT_READ | PROT_WRITE), "no memory");
	return f;
}

/* The bytes at the begin of the pages, or at their end. */
static char *fenced_at(const struct fenced *f, int end) { return f->map + page() + (end ? f->pages - f->bytes : 0); }
static void fenced_free(struct fenced *f) { (void)munmap(f->map, f->pages + 2 * page()); }

/* -- one graph -- */

struct job {
	uint64_t seed;
	struct limits_model m;
	char text[8192];
	struct lt_context *ctx;
	struct lt_graph *g;
	const char *cc;                 /* of cpu's kernels; NULL: those of the backend batch */
	struct lt_program *ref, *compiled;
	struct limits_tally *tally;
	bool failed;
};

static uint64_t running;                /* the seed whose kernel runs now */

static void fell(int number)
{
	char text[100];
	int n = snprintf(text, sizeof text, "limits: seed %llu ends by signal %d\n", (unsigned long long)running, number);
	(void)!write(2, text, (size_t)n);
	_exit(1);
}

__attribute__((format(printf, 2, 3))) static void limits_report(struct job *j, const char *fmt, ...)
{
	va_list list;
	char why[1500];
	va_start(list, fmt);
	(void)vsnprintf(why, sizeof why, fmt, list);
	va_end(list);
	if (!j->failed)
		(void)fprintf(stderr, "FAILED: seed %llu: %s\n%s\n", (unsigned long long)j->seed, why, j->text);
	j->tally->failed += !j->failed;
	j->failed = true;
}

static bool meets(const struct lt_graph *g, const int64_t *param)
{
	for (int32_t i = 0; i < g->n_require; i++) {
		const struct lt_linear *l = &g->require[i].value;
		limits_wide sum = l->constant;
		for (int32_t k = 0; k < l->n; k++)
			sum += (limits_wide)l->coef[k] * param[l->param[k]];
		if (g->require[i].equal ? sum != 0 : sum < 0)
			return false;
	}
	return true;
}

/* What the text's parser says must be what the model says, for all values of the scalars that are tried. */
static void judge_text(struct job *j, lt_status status)
{
	struct limits_model *m = &j->m;
	int n_bad = 0, n_good = 0;
	bool large = limits_large(m);
	if (large != (status == LT_EOVERFLOW)) {
		limits_report(j, "rows %s 62 bits, but: %d %s", large ? "exceed" : "fit", (int)status, lt_context_message(j->ctx));
		return;
	}
	j->tally->large += large;
	if (large)
		return;
	for (int i = 0; i < m->n_try; i++) {
		enum limits_fate fate = limits_fate(m, m->try[i]);
		bool met = !j->g || meets(j->g, m->try[i]);
		n_bad += fate == LIMITS_LEAVES;
		n_good += fate == LIMITS_STAYS;
		if (j->g && fate != LIMITS_LONG && met != (fate == LIMITS_STAYS))
			limits_report(j, "with scalars %lld, %lld the sources are %s, but the requirements are %s",
				(long long)m->try[i][0], (long long)m->try[i][1],
				fate == LIMITS_LEAVES ? "left" : "not left", met ? "met" : "not met");
	}
	if (status == LT_EINVAL && (n_good || (!n_bad && !m->n_param)))
		limits_report(j, "it stays inside with some scalars, but: %s", lt_context_message(j->ctx));
	else if (status == LT_EUNSUPPORTED && !m->n_param)
		limits_report(j, "this needs an answer: %s", lt_context_message(j->ctx));
	else if (status && status != LT_EINVAL && status != LT_EUNSUPPORTED)
		limits_report(j, "%d %s", (int)status, lt_context_message(j->ctx));
	j->tally->outside += status == LT_EINVAL;
	j->tally->open += status == LT_EUNSUPPORTED;
	j->tally->taken += !status;
	j->tally->required += j->g && j->g->n_require > 0;
}

static const char *compiled_by(const struct job *j) { return j->cc ? "cpu" : "batch"; }

static lt_status compile(struct job *j, const char *backend, struct lt_program **out)
{
	const struct lt_options o = { .size = sizeof o, .backends = backend, .n_thread = 1, .no_passes = j->seed % 4 == 0,
		.cc = j->cc, .temp_dir = lt__temp_dir() };
	lt_status status = lt_compile(j->ctx, j->g, &o, out);
	if (status)
		limits_report(j, "%s: %d %s", backend, (int)status, lt_context_message(j->ctx));
	return status;
}

static void begin(struct job *j)
{
	lt_status status;
	must(lt_context_new(&j->ctx) == LT_OK, "no context");
	limits_draw(j->seed, &j->m);
	limits_print(&j->m, j->text, sizeof j->text);
	status = lt_graph_parse(j->ctx, j->text, strlen(j->text), "t", &j->g);
	judge_text(j, status);
	j->tally->graphs++;
	if (j->g && !j->failed && !compile(j, "ref", &j->ref))
		(void)compile(j, compiled_by(j), &j->compiled);
}

/* A run of a program; the result's bytes into `out`. */
static lt_status run(struct job *j, struct lt_program *p, const struct limits_data *d, int end, float *out)
{
	struct fenced memory[LIMITS_SOURCES], result = fenced_new(lt_program_bytes(p, LT_BINDING_RESULT, 0));
	const void *input[LIMITS_SOURCES] = { NULL };
	void *results[1] = { memset(fenced_at(&result, end), 0xee, result.bytes) };
	int32_t n = lt_program_count(p, LT_BINDING_INPUT);
	struct lt_instance *at;
	lt_status status;
	must(n <= LIMITS_SOURCES, "%d inputs", (int)n);
	for (int32_t i = 0; i < n; i++) {
		memory[i] = fenced_new(lt_program_bytes(p, LT_BINDING_INPUT, i));
		input[i] = memcpy(fenced_at(&memory[i], end), limits_source(d, lt_program_name(p, LT_BINDING_INPUT, i)),
			memory[i].bytes);
	}
	running = j->seed;
	status = lt_instance_new(p, &at);
	if (!status)
		status = lt_instance_run(at, input, results);
	if (status)
		(void)lt_fail(j->ctx, status, "%s", lt_instance_message(at));
	lt_instance_free(at);
	memcpy(out, results[0], result.bytes);
	for (int32_t i = 0; i < n; i++)
		fenced_free(&memory[i]);
	fenced_free(&result);
	return status;
}

static void compare(struct job *j, const char *who, const struct limits_data *d, const float *got)
{
	for (int64_t i = 0; i < d->n_result; i++) {
		j->tally->elements += d->there[i];
		if (d->there[i] && memcmp(&got[i], &d->want[i], sizeof *got)) {
			limits_report(j, "%s: element %lld is %g, should be %g, with scalars %lld, %lld", who, (long long)i,
				(double)got[i], (double)d->want[i], (long long)d->param[0], (long long)d->param[1]);
			return;
		}
	}
}

static void run_with(struct job *j, const int64_t *param, bool bad_index)
{
	struct limits_data d;
	struct lt_evaluation *e = NULL;
	float got[LIMITS_ELEMENTS];
	bool fine = limits_data(&j->m, param, bad_index, &d);
	lt_status want = fine ? LT_OK : LT_EFAULT, status;
	const void *source[16] = { NULL };
	for (lt_node n = 0; n < j->g->n_node; n++)
		if (j->g->node[n].op == LT_OP_input)
			source[n] = limits_source(&d, j->g->node[n].label);
	status = lt_eval(j->g, source, false, &e);
	j->tally->runs++;
	j->tally->refused_runs += !fine;
	if (status != want)
		limits_report(j, "the oracle: %d %s, with scalars %lld, %lld", (int)status, lt_context_message(j->ctx),
			(long long)param[0], (long long)param[1]);
	else if (!status)
		compare(j, "the oracle", &d, lt_eval_result(e, 0, NULL));
	lt_eval_free(e);
	for (int k = 0; k < 4 && !j->failed; k++) {
		struct lt_program *p = k < 2 ? j->ref : j->compiled;
		const char *who = k < 2 ? "ref" : compiled_by(j);
		lt_context_clear(j->ctx);
		status = run(j, p, &d, k % 2, got);
		if (status != want)
			limits_report(j, "%s: %d %s, with scalars %lld, %lld", who, (int)status, lt_context_message(j->ctx),
				(long long)param[0], (long long)param[1]);
		else if (!status)
			compare(j, who, &d, got);
	}
}

static void finish(struct job *j)
{
	int good = 0, bad = 0;
	for (int i = 0; i < j->m.n_try && j->compiled && !j->failed; i++) {
		enum limits_fate fate = limits_fate(&j->m, j->m.try[i]);
		int *n = fate == LIMITS_STAYS ? &good : &bad;
		if (++*n <= 2)
			run_with(j, j->m.try[i], false);
		if (j->m.gathers && fate == LIMITS_STAYS && *n == 1)
			run_with(j, j->m.try[i], true);
	}
	lt_program_free(j->ref);
	lt_program_free(j->compiled);
	lt_graph_free(j->g);
	lt_context_free(j->ctx);
}

/* All are compiled before the first one runs, so that one compiler has them all. */
void limits_run(uint64_t seed, int n, const char *cc, struct limits_tally *tally)
{
	struct job *job = calloc((size_t)n, sizeof *job);
	must(job != NULL, "no memory");
	for (int i = 0; i < n; i++) {
		job[i].seed = seed + (uint64_t)i;
		job[i].cc = cc;
		job[i].tally = tally;
		begin(&job[i]);
	}
	(void)signal(SIGSEGV, fell);
	(void)signal(SIGBUS, fell);
	(void)signal(SIGILL, fell);
	(void)signal(SIGTRAP, fell);
	(void)signal(SIGABRT, fell);    /* of a sanitizer */
	for (int i = 0; i < n; i++)
		finish(&job[i]);
	free(job);
}

void limits_tally_print(const struct limits_tally *t, FILE *f)
{
	(void)fprintf(f, "%lld graphs: %lld taken (%lld with requirements), %lld leave their source, %lld too large, %lld not "
		"decided; %lld runs, %lld of them refused, %lld elements; %lld failed\n", (long long)t->graphs,
		(long long)t->taken, (long long)t->required, (long long)t->outside, (long long)t->large, (long long)t->open,
		(long long)t->runs, (long long)t->refused_runs, (long long)t->elements, (long long)t->failed);
}
