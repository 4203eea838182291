/* tools/lt-bench.c -- measures Looptree beside the machine's peak and other libraries: the order of things. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ir/arena.h"
#include "tools/bench.h"
#include "program/cache.h"
#include "tools/interrupt.h"
#include "tools/plugins.h"
#include "tools/say.h"

struct whole {
	struct bench_options o;
	struct bench_cases *suite;              /* of each suite that was asked for */
	struct bench_contestants contestants;
	struct bench_peak *peak;
	struct bench_report report;
	struct lt_context *ctx;
	bool bad;                               /* a row of ours failed */
};

static void make_cases(struct whole *w)
{
	w->suite = bench_alloc((size_t)w->o.suite.n * sizeof *w->suite);
	for (int i = 0; i < w->o.suite.n; i++) {
		struct bench_cases *l = &w->suite[i];
		int kept = 0;

		bench_suite_find(w->o.suite.at[i])->cases(l);
		for (int k = 0; k < l->n; k++) {
			if (bench_case_fits(&l->at[k], w->o.filter))
				l->at[kept++] = l->at[k];
			else
				free(l->at[k].script);
		}
		l->n = kept;
	}
}

static bool is_compile(const struct whole *w, int suite)
{
	return !strcmp(w->o.suite.at[suite], "compile");
}

static int cases_count(const struct whole *w, bool compile)
{
	int n = 0;

	for (int i = 0; i < w->o.suite.n; i++)
		n += is_compile(w, i) == compile ? w->suite[i].n : 0;
	return n;
}

static void list(const struct whole *w)
{
	for (int i = 0; i < w->o.suite.n; i++) {
		lt__say(stdout, "%s%-10s %s\n", i ? "\n" : "", w->o.suite.at[i], bench_suite_find(w->o.suite.at[i])->summary);
		for (int k = 0; k < w->suite[i].n; k++) {
			const struct bench_case *c = &w->suite[i].at[k];

			lt__say(stdout, "  %s/%-40s %-16s %12.3f MFLOP %10.3f MB\n", c->suite, c->name, c->group,
				(double)c->flops * 1e-6, (double)c->bytes * 1e-6);
		}
	}
}

static lt_status add_ours(
	struct whole *w, const char *backend, const char *schedule, enum bench_role role, const char *label)
{
	struct bench_contestant *k = bench_contestant_add(&w->contestants, label, role, NULL);
	char why[BENCH_WHY] = "";

	return bench_looptree_open(k, backend, schedule, &w->o, why) ? LT_OK : lt_fail(w->ctx, LT_EINVAL, "%s", why);
}

static lt_status add_backends(struct whole *w)
{
	const char *first = w->o.backend.at[0];
	char label[128];

	for (int i = 0; i < w->o.backend.n; i++)
		LT_TRY(add_ours(w, w->o.backend.at[i], NULL, BENCH_OURS, w->o.backend.at[i]));
	for (int i = 0; i < w->o.schedule.n; i++)
		LT_TRY(add_ours(w, first, w->o.schedule.at[i], BENCH_OURS, ""));
	snprintf(label, sizeof label, "%s again", first);
	return add_ours(w, first, NULL, BENCH_AGAIN, label);
}

static lt_status add_peers(struct whole *w)
{
	for (int i = 0; i < w->o.peer.n; i++) {
		struct bench_contestant *k = bench_contestant_add(&w->contestants, "", BENCH_OTHER, NULL);
		char why[BENCH_WHY] = "";

		if (!bench_process_open(k, w->o.peer.at[i], NULL, w->o.patience, why))
			return lt_fail(w->ctx, LT_EINVAL, "--peer '%s': %s", w->o.peer.at[i], why);
	}
	return LT_OK;
}

static lt_status add_contestants(struct whole *w)
{
	char why[BENCH_WHY] = "";

	if (!bench_peak_new(&w->o, &w->peak, why))
		return lt_fail(w->ctx, LT_ECOMPILE, "%s", why);
	w->report.peak = w->peak;
	for (int i = 0; i < w->o.n_threads; i++)
		for (int b = 0; b < 3 && !bench_interrupted(); b++)
			bench_peak_measure(w->peak, (enum bench_bound)b, w->o.threads[i]);
	if (bench_interrupted())
		return lt_fail(w->ctx, LT_ECANCELLED, "interrupted");
	LT_TRY(add_backends(w));
	LT_TRY(add_peers(w));
	w->report.vendors = json_object();
	if (!w->o.no_vendor)
		bench_vendors_add(&w->contestants, &w->o, w->report.vendors);
	for (int b = 0; b < 3; b++) {
		struct bench_contestant *k = bench_contestant_add(&w->contestants,
			b == 0           ? "peak"
				: b == 1 ? "read"
					 : "copy",
			BENCH_DENOMINATOR, NULL);

		bench_peak_open(k, w->peak, (enum bench_bound)b);
	}
	if (!w->o.quiet)
		bench_print_head(&w->report, stdout);
	return LT_OK;
}

static void measure_cases(struct whole *w)
{
	bool first = true, noise = false;

	for (int i = 0; i < w->o.suite.n; i++)
		for (int k = 0; k < w->suite[i].n && !is_compile(w, i); k++)
			for (int t = 0; t < w->o.n_threads && !bench_interrupted(); t++) {
				struct bench_case *c = &w->suite[i].at[k];
				const struct bench_outcome *o;

				/* Once, in a case that is neither tiny nor long. */
				c->noise = !noise && (c->flops >= 1 << 26 || c->bytes >= 1 << 24 || k + 1 == w->suite[i].n);
				noise = noise || c->noise;
				bench_measure(c, &w->contestants, w->o.threads[t], &w->o, &w->report.outcomes);
				c->noise = false;
				if (bench_interrupted())
					return;
				o = &w->report.outcomes.at[w->report.outcomes.n - 1];
				for (int r = 0; r < o->n_row; r++)
					w->bad = w->bad || (o->row[r].role == BENCH_OURS && o->row[r].answer == BENCH_BAD);
				if (!w->o.quiet)
					bench_print_outcome(o, first, stdout);
				first = false;
			}
}

static void compile_cases(struct whole *w)
{
	bool first = true;

	for (int i = 0; i < w->o.suite.n; i++)
		for (int k = 0; k < w->suite[i].n && is_compile(w, i); k++)
			for (int b = 0; b < w->o.backend.n && !bench_interrupted(); b++) {
				const struct bench_compiled *x;

				bench_compile(&w->suite[i].at[k], w->o.backend.at[b], &w->o, &w->report.compiles);
				x = &w->report.compiles.at[w->report.compiles.n - 1];
				w->bad = w->bad || *x->why;
				if (!w->o.quiet)
					bench_print_compiled(x, first, stdout);
				first = false;
			}
}

static lt_status write_files(const struct whole *w)
{
	const bool json = !w->o.json || bench_write_json(&w->report, w->o.json),
		   csv = !w->o.csv || bench_write_csv(&w->report, w->o.csv),
		   plot = !w->o.plot || bench_write_svg(&w->report, w->o.plot);

	return json && csv && plot ? LT_OK
				   : lt_fail(w->ctx, LT_EIO, "%s: '%s' cannot be written",
					   !json          ? "--json"
						   : !csv ? "--csv"
							  : "--plot",
					   !json          ? w->o.json
						   : !csv ? w->o.csv
							  : w->o.plot);
}

static lt_status work(struct whole *w)
{
	lt_status s = lt__plugins_load(w->ctx, bench_tool.name, w->o.load.at, w->o.load.n, true);

	if (s)
		return s == LT_ENOMEM ? s : LT_EINVAL;
	if (w->o.serve)
		return bench_serve(w->ctx, &w->o);
	make_cases(w);
	if (w->o.list) {
		list(w);
		return LT_OK;
	}
	if (!cases_count(w, false) && !cases_count(w, true))
		return lt_fail(w->ctx, LT_EINVAL, "no case of these suites fits '%s' (lt-bench --list shows them)", w->o.filter);
	w->report.o = &w->o;
	w->report.machine = bench_machine();
	for (int i = 0; i < w->o.backend.n; i++)
		LT_TRY(bench_looptree_check(w->ctx, w->o.backend.at[i]));
	if (cases_count(w, false))
		LT_TRY(add_contestants(w));
	measure_cases(w);
	compile_cases(w);
	if (bench_interrupted())
		lt__say(stderr, "lt-bench: interrupted: what follows is of the cases before\n");
	if (!w->o.quiet)
		bench_print_summary(&w->report, stdout);
	return write_files(w);
}

static void bench_release(struct whole *w)
{
	bench_contestants_free(&w->contestants);
	bench_outcomes_free(&w->report.outcomes);
	free(w->report.compiles.at);
	for (int i = 0; w->suite && i < w->o.suite.n; i++)
		bench_cases_free(&w->suite[i]);
	free(w->suite);
	bench_peak_free(w->peak);
	json_decref(w->report.machine);
	json_decref(w->report.vendors);
	bench_options_free(&w->o);
}

/* Whether the files can be written is asked before hours of measuring, not after them. */
static lt_status try_file(struct lt_context *ctx, const char *option, const char *path)
{
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f)
		fclose(f);
	return !path || f ? LT_OK : lt_fail(ctx, LT_EIO, "%s: '%s' cannot be written: %s", option, path, strerror(errno));
}

static lt_status try_files(struct lt_context *ctx, const struct bench_options *o)
{
	LT_TRY(try_file(ctx, "--json", o->json));
	LT_TRY(try_file(ctx, "--csv", o->csv));
	return try_file(ctx, "--plot", o->plot);
}

/* A folder that was named must work. */
static lt_status try_folder(struct lt_context *ctx, const struct bench_options *o)
{
	struct lt_cache cache = { .fd = -1 };

	if (o->cache_dir && lt__cache_open(ctx, &cache, o->cache_dir, true))
		return lt_fail(ctx, LT_EINVAL, "--cache-dir: %s", lt_context_message(ctx));
	lt__cache_close(&cache);
	return LT_OK;
}

static lt_status bench_begin(struct whole *w, int argc, char **argv)
{
	bool done;

	LT_TRY(bench_options_read(w->ctx, argc, argv, &w->o, &done));
	if (done)
		return LT_OK;
	LT_TRY(try_files(w->ctx, &w->o));
	LT_TRY(try_folder(w->ctx, &w->o));
	return work(w);
}

int main(int argc, char **argv)
{
	struct whole w = { .bad = false };
	int code;

	if (lt_context_new(&w.ctx)) {
		fputs("lt-bench: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	/* The first Ctrl-C ends the measuring in order, with what there is; the second one ends the program. */
	lt__interrupt_catch(0);
	code = lt__tool_end(w.ctx, &bench_tool, bench_begin(&w, argc, argv));
	if (!code && (w.bad || bench_interrupted()))
		code = LT_EXIT_FAILED;
	bench_release(&w);
	bench_folder_remove();
	lt_context_free(w.ctx);
	lt__interrupt_release();
	return code;
}
