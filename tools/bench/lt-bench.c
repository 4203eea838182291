/* lt-bench.c -- measures Looptree beside the machine's peak and other libraries: the order of things. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "tools/bench/llama.h"
#include "tools/bench/start.h"
#include "program/cache/cache.h"
#include "tools/common/common.h"

struct whole {
	struct bench_options o;
	struct bench_cases *suite;              /* of each suite that was asked for */
	struct bench_contestants contestants;
	struct machine_peak *peak;
	struct bench_report report;
	struct lt_context *ctx;
	struct bench_load load;
	bool bad;                               /* a row of ours failed */
};

static void case_drop(struct bench_case *c)
{
	bench_net_free(c->net);
	free(c->llama);
	free(c->script);
}

/* Models are read once before anything is measured: what is wrong with one is said at once. */
static lt_status add_models(struct whole *w, struct bench_cases *l, const char *suite)
{
	for (int i = 0; i < w->o.model.n; i++) {
		LT_TRY(bench_net_add(w->ctx, l, suite, w->o.model.at[i], &w->o));
		lt__phase(bench_phases(), "reading %s", w->o.model.at[i]);
		LT_TRY(lt__mistake(bench_case_open(w->ctx, &l->at[l->n - 1])));
		bench_case_empty(&l->at[l->n - 1]);
		lt__phase(bench_phases(), NULL);
	}
	return LT_OK;
}

static enum bench_kind kind_of_suite(const struct whole *w, int suite)
{
	return bench_suite_find(w->o.suite.at[suite])->kind;
}

static lt_status make_cases(struct whole *w)
{
	w->suite = lt__must_alloc((size_t)w->o.suite.n * sizeof *w->suite);
	for (int i = 0; i < w->o.suite.n; i++) {
		struct bench_cases *l = &w->suite[i];
		int kept = 0;

		bench_suite_find(w->o.suite.at[i])->cases(l);
		if (bench_suite_takes_models(w->o.suite.at[i]))
			LT_TRY(add_models(w, l, w->o.suite.at[i]));
		if (kind_of_suite(w, i) == BENCH_TEXTS)
			LT_TRY(bench_llama_add(w->ctx, l, w->o.suite.at[i], &w->o));
		for (int k = 0; k < l->n; k++) {
			if (bench_case_fits(&l->at[k], w->o.filter))
				l->at[kept++] = l->at[k];
			else
				case_drop(&l->at[k]);
		}
		l->n = kept;
	}
	return LT_OK;
}

enum { IN_TURN = BENCH_SINGLE | BENCH_NETS };

/* Of all these kinds. */
static int cases_count(const struct whole *w, unsigned kinds)
{
	int n = 0;

	for (int i = 0; i < w->o.suite.n; i++)
		n += kind_of_suite(w, i) & kinds ? w->suite[i].n : 0;
	return n;
}

static void list(const struct whole *w)
{
	for (int i = 0; i < w->o.suite.n; i++) {
		lt__say(stdout, "%s%-10s %s\n", i ? "\n" : "", w->o.suite.at[i], bench_suite_find(w->o.suite.at[i])->summary);
		for (int k = 0; k < w->suite[i].n; k++) {
			const struct bench_case *c = &w->suite[i].at[k];

			lt__say(stdout, "  %s/%-40s %-16s ", c->suite, c->name, c->group);
			if (c->flops < 0)
				lt__say(stdout, "%12s       %10.3f MB\n", "", (double)c->bytes * 1e-6);
			else
				lt__say(stdout, "%12.3f MFLOP %10.3f MB\n", (double)c->flops * 1e-6, (double)c->bytes * 1e-6);
		}
	}
}

static lt_status add_ours(
	struct whole *w, const char *backend, const char *schedule, enum bench_role role, const char *label)
{
	struct bench_contestant *k = bench_contestant_add(&w->contestants, label, role, NULL);

	return bench_looptree_open(w->ctx, k, backend, schedule, schedule ? w->o.kernels : NULL, &w->o);
}

/* With kernels of one's own beside what they mean. */
static lt_status add_own(struct whole *w, const char *backend)
{
	struct bench_contestant *k;
	char label[128];

	snprintf(label, sizeof label, "%s kernels", backend);
	k = bench_contestant_add(&w->contestants, label, BENCH_OURS, NULL);
	return bench_looptree_open(w->ctx, k, backend, NULL, w->o.kernels, &w->o);
}

/* No library that does single operations takes part then. */
static bool only_models(const struct whole *w)
{
	bool only = true;

	for (int i = 0; i < w->o.suite.n; i++)
		for (int k = 0; k < w->suite[i].n; k++)
			only = only && w->suite[i].at[k].net;
	return only;
}

static lt_status add_backends(struct whole *w)
{
	const char *first = w->o.backend.at[0];
	char label[128];

	for (int i = 0; i < w->o.backend.n; i++)
		LT_TRY(add_ours(w, w->o.backend.at[i], NULL, BENCH_OURS, w->o.backend.at[i]));
	for (int i = 0; i < w->o.schedule.n; i++)
		LT_TRY(add_ours(w, first, w->o.schedule.at[i], BENCH_OURS, ""));
	if (w->o.kernels)
		LT_TRY(add_own(w, first));
	if (w->o.runtime_extents && !only_models(w)) {
		snprintf(label, sizeof label, "%s open", first);
		LT_TRY(add_ours(w, first, NULL, BENCH_OPEN, label));
	}
	snprintf(label, sizeof label, "%s again", first);
	return add_ours(w, first, NULL, BENCH_AGAIN, label);
}

static bool has_label(const struct bench_contestants *l, const struct bench_contestant *k)
{
	for (int i = 0; i < l->n; i++)
		if (&l->at[i] != k && !strcmp(l->at[i].label, k->label))
			return true;
	return false;
}

/* Its name may be another contestant's, too: an older build of this program as a peer. */
static void name_apart(const struct bench_contestants *l, struct bench_contestant *k)
{
	char name[sizeof k->label - 16];

	snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, k->label);
	for (int n = 1; has_label(l, k); n++)
		snprintf(k->label, sizeof k->label, n == 1 ? "%s-peer" : "%s-peer%d", name, n);
}

/* They start together: what a peer loads takes seconds. */
static lt_status add_peers(struct whole *w)
{
	const int first = w->contestants.n;
	const int n = w->o.peer.n;

	for (int i = 0; i < 2 * n; i++) {
		struct bench_contestant *k = i < n ? bench_contestant_add(&w->contestants, "", BENCH_OTHER, NULL)
						   : &w->contestants.at[first + i - n];

		if (i < n ? bench_process_start(w->ctx, k, w->o.peer.at[i], NULL, w->o.patience) : bench_process_greet(k))
			return lt_fail(w->ctx, LT_EINVAL, "--peer '%s': %-s", w->o.peer.at[i % n], lt_context_message(w->ctx));
		if (i >= n)
			name_apart(&w->contestants, k);
	}
	return LT_OK;
}

/* The machine's limits, or the device's. */
static lt_status measure_limits(struct whole *w)
{
	const struct machine_by by = { .cc = w->o.cc, .backend = w->o.backend.at[0], .cc_timeout_ms = w->o.cc_timeout_ms,
		.quick = w->o.quick };
	LT_TRY(machine_peak_new(w->ctx, &by, &w->peak));
	w->report.peak = w->peak;
	for (int i = 0; i < w->o.n_threads; i++)
		for (int b = 0; b < 3 && !lt__interrupted(NULL); b++)
			machine_peak_measure(w->peak, (enum machine_bound)b, w->o.threads[i]);
	return lt__interrupted(NULL) ? lt_fail(w->ctx, LT_ECANCELLED, "interrupted") : LT_OK;
}

static lt_status add_contestants(struct whole *w)
{
	LT_TRY(add_backends(w));
	LT_TRY(add_peers(w));
	w->report.vendors = json_object();
	if (!w->o.no_vendor && !only_models(w))
		bench_vendors_add(w->ctx, &w->contestants, &w->o, machine_peak_device(w->peak), w->report.vendors);
	for (int b = 0; b < 3; b++) {
		struct bench_contestant *k = bench_contestant_add(&w->contestants,
			b == 0           ? "peak"
				: b == 1 ? "read"
					 : "copy",
			BENCH_DENOMINATOR, NULL);

		bench_peak_contestant(k, w->peak, (enum machine_bound)b);
	}
	return LT_OK;
}

static lt_status open_all(struct whole *w)
{
	if (!cases_count(w, IN_TURN | BENCH_TEXTS))
		return LT_OK;
	LT_TRY(measure_limits(w));
	if (cases_count(w, IN_TURN))
		LT_TRY(add_contestants(w));
	lt__phase(bench_phases(), NULL);
	if (!w->o.quiet)
		bench_print_head(&w->report, stdout);
	return LT_OK;
}

struct report_file {
	const char *option, *path;
	void (*print)(const struct bench_report *, FILE *);
};

static bool write_file(const struct report_file *file, const struct bench_report *r)
{
	FILE *f = fopen(file->path, r ? "w" : "a");
	bool ok = f != NULL;

	if (f && r) {
		file->print(r, f);
		ok = fflush(f) == 0 && !ferror(f);
	}
	if (f && fclose(f))
		ok = false;
	return ok;
}

/* What was measured is in the file before the next case, whose contestants may end the process.  Whether it can be
 * written is said at the end. */
static void keep_rows(const struct whole *w)
{
	const struct report_file csv = { "--csv", w->o.csv, bench_print_csv };

	if (csv.path)
		(void)write_file(&csv, &w->report);
}

/* With each number of threads.  noise: in the first of them a contestant also competes with itself. */
static void measure_case(struct whole *w, struct bench_case *c, struct bench_truth *truth, bool noise)
{
	for (int t = 0; t < w->o.n_threads && !lt__interrupted(NULL); t++) {
		const bool first = !w->report.outcomes.n;
		const struct bench_outcome *o;

		c->noise = noise && t == 0;
		bench_measure(w->ctx, c, truth, &w->contestants, w->o.threads[t], &w->o, &w->report.outcomes);
		c->noise = false;
		if (lt__interrupted(NULL))
			return;
		o = &w->report.outcomes.at[w->report.outcomes.n - 1];
		for (int r = 0; r < o->n_row; r++)
			w->bad = w->bad
				|| ((o->row[r].role == BENCH_OURS || o->row[r].role == BENCH_OPEN) && o->row[r].answer == BENCH_BAD);
		keep_rows(w);
		if (!w->o.quiet)
			bench_print_outcome(o, first, stdout);
	}
}

static lt_status measure_cases(struct whole *w)
{
	bool noise = false;

	for (int i = 0; i < w->o.suite.n; i++)
		for (int k = 0; k < w->suite[i].n && kind_of_suite(w, i) & IN_TURN && !lt__interrupted(NULL); k++) {
			struct bench_case *c = &w->suite[i].at[k];
			struct bench_truth truth;
			/* Once, in a case that is neither tiny nor long. */
			const bool here = !noise && (c->flops >= 1 << 26 || c->bytes >= 1 << 24 || k + 1 == w->suite[i].n);

			noise = noise || here;
			lt__phase(bench_phases(), "%s/%s: computing the right result", c->suite, c->name);
			LT_TRY(bench_case_open(w->ctx, c));
			bench_truth_make(w->ctx, c, &truth);
			measure_case(w, c, &truth, here);
			bench_truth_free(&truth);
			bench_case_empty(c);
		}
	return LT_OK;
}

static void compile_cases(struct whole *w)
{
	bool first = true;

	for (int i = 0; i < w->o.suite.n; i++)
		for (int k = 0; k < w->suite[i].n && kind_of_suite(w, i) == BENCH_COMPILES; k++)
			for (int b = 0; b < w->o.backend.n && !lt__interrupted(NULL); b++) {
				const struct bench_compiled *x;

				lt__phase(bench_phases(), "%s/%s: compiling for %s", w->suite[i].at[k].suite, w->suite[i].at[k].name,
					w->o.backend.at[b]);
				bench_compile(w->ctx, &w->suite[i].at[k], w->o.backend.at[b], &w->o, &w->report.compiles);
				lt__phase(bench_phases(), NULL);
				x = &w->report.compiles.at[w->report.compiles.n - 1];
				w->bad = w->bad || *x->why;
				if (!w->o.quiet)
					bench_print_compiled(x, first, stdout);
				first = false;
			}
}

static void start_cases(struct whole *w)
{
	for (int i = 0; i < w->o.suite.n; i++)
		for (int k = 0; k < w->suite[i].n && kind_of_suite(w, i) == BENCH_STARTS; k++)
			for (int t = 0; t < w->o.n_threads && !lt__interrupted(NULL); t++) {
				const bool first = !w->report.starts.n;
				const struct bench_started *x;

				bench_start(w->ctx, &w->suite[i].at[k], w->o.threads[t], &w->o, &w->report.starts);
				if (lt__interrupted(NULL))
					return;
				x = &w->report.starts.at[w->report.starts.n - 1];
				for (int r = 0; r < x->n_row; r++)
					w->bad = w->bad || (x->row[r].role == BENCH_OURS && x->row[r].answer == BENCH_BAD);
				if (!w->o.quiet)
					bench_print_started(x, first, stdout);
			}
}

/* All cases of a shape, which follow each other, are one rotation. */
static void llama_shape(struct whole *w, struct bench_case *c, int n, int threads, bool *first)
{
	struct bench_outcomes *all = &w->report.outcomes;
	const int before = all->n;

	bench_llama_measure(w->ctx, c, n, threads, &w->o, w->peak, all);
	for (int i = before; i < all->n; i++)
		for (int k = 0; k < all->at[i].n_row; k++)
			w->bad = w->bad || (all->at[i].row[k].role == BENCH_OURS && all->at[i].row[k].answer == BENCH_BAD);
	keep_rows(w);
	if (!w->o.quiet && all->n > before)
		bench_print_llama(&all->at[before], all->n - before, *first, stdout);
	*first = false;
}

static void llama_cases(struct whole *w)
{
	bool first = true;

	for (int i = 0; i < w->o.suite.n; i++) {
		struct bench_cases *l = &w->suite[i];

		for (int k = 0, n; k < l->n && kind_of_suite(w, i) == BENCH_TEXTS; k += n) {
			for (n = 1; k + n < l->n && !strcmp(l->at[k + n].llama->shape, l->at[k].llama->shape); )
				n++;
			for (int t = 0; t < w->o.n_threads && !lt__interrupted(NULL); t++)
				llama_shape(w, &l->at[k], n, w->o.threads[t], &first);
		}
	}
}

/* Each that can be written is; NULL: whether they can be is only tried. */
static lt_status write_files(const struct whole *w, const struct bench_report *r)
{
	const struct report_file files[] = {
		{ "--json", w->o.json, bench_print_json },
		{ "--csv", w->o.csv, bench_print_csv },
		{ "--plot", w->o.plot, bench_print_svg },
	};
	lt_status s = LT_OK;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i].path && !write_file(&files[i], r) && !s)
			s = lt_fail(w->ctx, LT_EIO, "%s: '%s' cannot be written: %s", files[i].option, files[i].path, strerror(errno));
	return s;
}

/* The backends that are named, or else the best. */
static lt_status find_backends(struct whole *w)
{
	const struct lt_host host = { .size = sizeof host, .temp_dir = lt__temp_dir() };
	const struct lt_backend *best;
	bool there = w->o.serve ? lt__plugins_there(w->o.serve) : w->o.backend.n > 0;

	LT_TRY(lt__mistake(lt__plugins_load(w->ctx, bench_tool.name, w->o.load.at, w->o.load.n)));
	for (int i = 0; i < w->o.backend.n && !w->o.serve; i++)
		there = there && lt__plugins_there(w->o.backend.at[i]);
	if (!there)
		LT_TRY(lt__plugins_find(w->ctx, bench_tool.name));
	if (w->o.backend.n > 0 || w->o.serve)
		return LT_OK;
	best = lt__backend_default(bench_tool.name, &host);
	return lt__texts_add(w->ctx, &w->o.backend, best ? best->name : "cpu");
}

static lt_status work(struct whole *w)
{
	LT_TRY(find_backends(w));
	if (w->o.serve)
		return bench_serve(w->ctx, &w->o);
	bench_progress_begin(&w->o);
	LT_TRY(make_cases(w));
	if (w->o.list) {
		list(w);
		return LT_OK;
	}
	if (!cases_count(w, ~0u))
		return lt_fail(w->ctx, LT_EINVAL, "no case of these suites fits '%s' (lt-bench --list shows them)", w->o.filter);
	w->report.o = &w->o;
	w->report.machine = machine_facts();
	lt__phase(bench_phases(), "opening contestants");
	for (int i = 0; i < w->o.backend.n; i++)
		LT_TRY(bench_looptree_check(w->ctx, w->o.backend.at[i]));
	LT_TRY(open_all(w));
	LT_TRY(bench_load_begin(w->ctx, &w->load, w->o.busy));
	LT_TRY(measure_cases(w));
	compile_cases(w);
	start_cases(w);
	llama_cases(w);
	bench_load_end(&w->load);
	bench_progress_end();
	if (lt__interrupted(NULL))
		lt__say(stderr, "lt-bench: interrupted: what follows is of the cases before\n");
	if (!w->o.quiet)
		bench_print_summary(&w->report, stdout);
	return write_files(w, &w->report);
}

static void bench_release(struct whole *w)
{
	bench_load_end(&w->load);
	bench_contestants_free(&w->contestants);
	bench_outcomes_free(&w->report.outcomes);
	free(w->report.compiles.at);
	bench_starts_free(&w->report.starts);
	for (int i = 0; w->suite && i < w->o.suite.n; i++)
		bench_cases_free(&w->suite[i]);
	free(w->suite);
	machine_peak_free(w->peak);
	json_decref(w->report.machine);
	json_decref(w->report.vendors);
	bench_options_free(&w->o);
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
	if (w->o.kernels)
		lt__crash_catch("lt-bench");
	/* Asked before hours of measuring, not after them. */
	LT_TRY(write_files(w, NULL));
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
	lt_status s = bench_begin(&w, argc, argv);
	bench_progress_end();
	code = lt__tool_end(w.ctx, &bench_tool, s);
	if (!code && (w.bad || lt__interrupted(NULL)))
		code = LT_EXIT_FAILED;
	bench_release(&w);
	lt__tmp_remove();
	lt_context_free(w.ctx);
	lt__interrupt_release();
	return code;
}
