/* table.c -- the table on a terminal: a row for each contestant of each case, printed as it is known. */
#include <string.h>
#include "tools/bench/bench.h"
#include "tools/common/common.h"

static const char *scaled(double seconds, char *out, size_t bytes)
{
	double ns = seconds * 1e9;

	snprintf(out, bytes, ns < 1e3 ? "%.1f ns" : ns < 1e6 ? "%.4g us" : ns < 1e9 ? "%.4g ms" : "%.4g s",
		ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns < 1e9 ? ns / 1e6 : ns / 1e9);
	return out;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_vendors(const json_t *v, FILE *f)
{
	const json_t *list = json_object_get(v, "openblas"), *e, *dnn = json_object_get(v, "onednn");
	const json_t *cublas = json_object_get(v, "cublas");
	size_t i;
	int n_shown = 0;

	if (cublas)
		lt__say(f, "cuBLAS: %s\n", *text(cublas, "is") ? text(cublas, "is") : text(cublas, "why"));
	if (!list)
		return;
	json_array_foreach(list, i, e)
		if (*text(e, "is") && !*text(e, "why"))
			lt__say(f, "%s%s %.0f", n_shown++ ? ", " : "OpenBLAS' core types, one thread, GFLOP/s: ", text(e, "is"),
				json_real_value(json_object_get(e, "flops_per_second")) * 1e-9);
	if (n_shown)
		fputc('\n', f);
	else
		lt__say(f, "OpenBLAS: %s\n", text(json_array_get(list, 0), "why"));
	lt__say(f, "oneDNN: %s\n", *text(dnn, "is") ? text(dnn, "is") : text(dnn, "why"));
}

void bench_print_head(const struct bench_report *r, FILE *f)
{
	json_t *peak = machine_peak_json(r->peak), *list, *e;
	const char *const names[] = { "flops", "read_bytes", "copy_bytes" },
			  *const titles[] = { "multiply-add peak", "read", "copy" };
	size_t i;

	lt__say(f, "%s, %lld processors; Looptree %s\n", text(r->machine, "processor"),
		(long long)json_integer_value(json_object_get(r->machine, "processors")), lt_version());
	for (int b = 0; b < 3; b++) {
		list = json_object_get(peak, names[b]);
		lt__say(f, "%s:", titles[b]);
		json_array_foreach(list, i, e) lt__say(f, "%s %.1f %s with %lld thread%s", i ? "," : "",
			json_real_value(json_object_get(e, "per_second")) * 1e-9, b ? "GB/s" : "GFLOP/s",
			(long long)json_integer_value(json_object_get(e, "threads")),
			json_integer_value(json_object_get(e, "threads")) == 1 ? "" : "s");
		fputc('\n', f);
	}
	json_decref(peak);
	if (r->o->busy)
		lt__say(f, "beside: %d busy process%s, while cases are measured\n", r->o->busy, r->o->busy == 1 ? "" : "es");
	print_vendors(r->vendors, f);
	fflush(f);
}

static void print_row(const struct bench_outcome *o, const struct bench_row *r, const char *name, FILE *f)
{
	char a[32], b[32], c[32], of_peak[16] = "", of_best[16] = "", label[BENCH_LABEL + 1];

	if (r->of_peak > 0)
		snprintf(of_peak, sizeof of_peak, "%.3f", r->of_peak);
	if (r->of_best > 0)
		snprintf(of_best, sizeof of_best, "%.3f", r->of_best);
	lt__say(f, "%-34s %2d %-*s ", name, o->threads, BENCH_LABEL, bench_label(r->label, (int)strlen(r->label), label));
	if (r->answer == BENCH_READY)
		lt__say(f, "%8.2f %-7s %6s %6s %10s %10s %5.1f%% %9s\n", r->rate * 1e-9,
			o->c->bound == MACHINE_FLOPS ? "GFLOP/s" : "GB/s", of_peak, of_best,
			scaled(r->median, a, sizeof a), scaled(r->minimum, b, sizeof b), r->spread * 100,
			r->prepare <= 0 ? "" : scaled(r->prepare, c, sizeof c));
	else
		lt__say(f, "  failed: %s\n", r->why);
}

void bench_print_outcome(const struct bench_outcome *o, bool first, FILE *f)
{
	char name[128];

	if (first)
		lt__say(f, "\n%-34s %2s %-22s %8s %-7s %6s %6s %10s %10s %6s %9s\n", "case", "th", "contestant", "rate",
			"", "peak", "best", "median", "minimum", "spread", "compile");
	snprintf(name, sizeof name, "%s/%s", o->c->suite, o->c->name);
	for (int i = 0; i < o->n_row; i++)
		if (o->row[i].answer != BENCH_SKIP && bench_leads(o, i)) {
			print_row(o, &o->row[i], name, f);
			*name = 0;
		}
	fflush(f);
}

void bench_print_compiled(const struct bench_compiled *x, bool first, FILE *f)
{
	char name[128];

	if (first)
		lt__say(f, "\n%-40s %-10s %7s %9s %9s %9s %9s %9s %9s %9s %9s\n", "compile, median ms", "backend",
			"kernels", "passes", "tree", "freeze", "accept", "cc", "cold", "cached", "from it");
	snprintf(name, sizeof name, "%s/%s", x->c->suite, x->c->name);
	lt__say(f, "%-40s %-10s ", name, x->backend);
	if (*x->why)
		lt__say(f, "failed: %s\n", x->why);
	else
		lt__say(f, "%7d %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", x->kernels, x->passes * 1e3,
			x->tree * 1e3, x->freeze * 1e3, x->accept * 1e3, x->cold * 1e3, x->total * 1e3, x->cached * 1e3,
			x->total_cached * 1e3);
	fflush(f);
}
