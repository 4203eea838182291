/* json.c -- a report as JSON, which holds everything, and as CSV, which holds the table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/start.h"
#include "tools/common/common.h"

static json_t *json_finite(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static const char *const roles[] = { "looptree", "other", "denominator", "again", "open" };
static const char *const answers[] = { "measured", "skipped", "failed" };
static const char *const bounds[] = { "flops", "read", "copy" };

static json_t *row_json(const struct bench_row *r)
{
	json_t *o = json_pack(
		       "{s:s,s:s,s:s}", "contestant", r->label, "role", roles[r->role], "status", answers[r->answer]),
	       *samples;

	if (r->answer != BENCH_READY) {
		json_object_set_new(o, "why", lt__json_text(r->why));
		return o;
	}
	samples = json_array();
	for (int i = 0; i < r->n_sample; i++)
		json_array_append_new(samples, json_finite(r->sample[i]));
	json_object_set_new(o, "samples_s", samples);
	json_object_set_new(o, "repetitions", json_integer((json_int_t)r->repeat));
	json_object_set_new(o, "median_s", json_finite(r->median));
	json_object_set_new(o, "minimum_s", json_finite(r->minimum));
	json_object_set_new(o, "spread", json_finite(r->spread));
	json_object_set_new(o, "per_second", json_finite(r->rate));
	json_object_set_new(o, "of_peak", r->of_peak > 0 ? json_finite(r->of_peak) : json_null());
	json_object_set_new(o, "of_best", r->of_best > 0 ? json_finite(r->of_best) : json_null());
	if (r->role != BENCH_DENOMINATOR) {
		json_object_set_new(o, "prepare_s", json_finite(r->prepare));
		json_object_set_new(o, "relative_l2", json_finite(r->error));
	}
	if (r->stats)
		json_object_set(o, "stats", r->stats);
	return o;
}

static json_t *outcome_json(const struct bench_outcome *out)
{
	json_t *o = json_pack("{s:s,s:s,s:s,s:i,s:s,s:I,s:I,s:f,s:s,s:f}", "suite", out->c->suite, "group",
		out->c->group, "name", out->c->name, "threads", out->threads, "bound", bounds[out->c->bound], "flops",
		(json_int_t)out->c->flops, "bytes", (json_int_t)out->c->bytes, "peak_per_second", out->peak,
		"checked_by", out->method, "tolerance", out->tolerance);
	json_t *rows = json_array();

	for (int i = 0; i < out->n_row; i++)
		json_array_append_new(rows, row_json(&out->row[i]));
	json_object_set_new(o, "rows", rows);
	return o;
}

static json_t *compiled_json(const struct bench_compiled *x)
{
	json_t *o = json_pack("{s:s,s:s,s:s}", "suite", x->c->suite, "name", x->c->name, "backend", x->backend);

	if (*x->why) {
		json_object_set_new(o, "why", lt__json_text(x->why));
		return o;
	}
	json_object_update_new(o,
		json_pack("{s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "kernels", x->kernels, "rounds", x->rounds,
			"passes_s", x->passes, "tree_s", x->tree, "freeze_s", x->freeze, "accept_s", x->accept,
			"compile_cold_s", x->cold, "compile_cached_s", x->cached, "total_cold_s", x->total, "total_cached_s",
			x->total_cached));
	return o;
}

json_t *bench_report_json(const struct bench_report *r)
{
	json_t *o = json_pack("{s:i,s:O,s:i,s:f,s:i}", "format", 1, "machine", r->machine, "samples", r->o->samples,
		"seconds", r->o->seconds, "busy", r->o->busy);
	json_t *cases = json_array(), *compiles = json_array(), *starts = json_array();

	if (r->peak)
		json_object_set_new(o, "peak", machine_peak_json(r->peak));
	if (r->vendors)
		json_object_set(o, "vendors", r->vendors);
	for (int i = 0; i < r->outcomes.n; i++)
		json_array_append_new(cases, outcome_json(&r->outcomes.at[i]));
	for (int i = 0; i < r->compiles.n; i++)
		json_array_append_new(compiles, compiled_json(&r->compiles.at[i]));
	for (int i = 0; i < r->starts.n; i++)
		json_array_append_new(starts, bench_started_json(&r->starts.at[i]));
	json_object_set_new(o, "cases", cases);
	json_object_set_new(o, "compile", compiles);
	json_object_set_new(o, "start", starts);
	json_object_set_new(o, "summary", bench_summary_json(r));
	return o;
}

void bench_print_json(const struct bench_report *r, FILE *f)
{
	json_t *o = bench_report_json(r);
	char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));

	if (!text)
		lt__must_end("out of memory");
	fprintf(f, "%s\n", text);
	free(text);
	json_decref(o);
}

/* A field with a comma or a quote in it is quoted. */
static void field(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++)
		fputs(*text == '"' ? "\"\"" : (char[]){ *text, 0 }, f);
	fputc('"', f);
}

static void csv_row(FILE *f, const struct bench_outcome *o, const struct bench_row *r)
{
	fprintf(f, "%s,%s,%s,%d,", o->c->suite, o->c->group, o->c->name, o->threads);
	field(f, r->label);
	fprintf(f, ",%s,%s,", roles[r->role], answers[r->answer]);
	if (r->answer == BENCH_READY)
		fprintf(f, "%.6g,%s,%.6g,%.6g,%.9g,%.9g,%.4g,%.6g,%.3g,", r->rate, bounds[o->c->bound], r->of_peak,
			r->of_best, r->median, r->minimum, r->spread, r->prepare, r->error);
	else
		fputs(",,,,,,,,,", f);
	field(f, r->why);
	fputc('\n', f);
}

void bench_print_csv(const struct bench_report *r, FILE *f)
{
	fputs("suite,group,case,threads,contestant,role,status,per_second,bound,of_peak,of_best,median_s,minimum_s,"
	      "spread,prepare_s,relative_l2,why\n",
		f);
	for (int i = 0; i < r->outcomes.n; i++)
		for (int k = 0; k < r->outcomes.at[i].n_row; k++)
			if (r->outcomes.at[i].row[k].answer != BENCH_SKIP)
				csv_row(f, &r->outcomes.at[i], &r->outcomes.at[i].row[k]);
}
