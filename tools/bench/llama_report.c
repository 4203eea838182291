/* llama_report.c -- the suite llama as a table: all types and contestants of a shape under each other. */
#include <string.h>
#include "tools/bench/llama.h"
#include "tools/common/common.h"

struct llama_cell { char text[24]; };

static double fact(const struct bench_row *r, const char *key)
{
	return json_number_value(json_object_get(r->stats, key));
}

/* Empty where there is no such number. */
static struct llama_cell rate_cell(double x)
{
	struct llama_cell c = { "" };

	if (x > 0)
		snprintf(c.text, sizeof c.text, "%.4g", x);
	return c;
}

static struct llama_cell ratio_cell(double x)
{
	struct llama_cell c = { "" };

	if (x > 0)
		snprintf(c.text, sizeof c.text, "%.3f", x);
	return c;
}

static struct llama_cell seconds_cell(double s)
{
	struct llama_cell c = { "" };

	if (s > 0)
		snprintf(c.text, sizeof c.text, s < 1 ? "%.0f ms" : "%.2f s", s < 1 ? s * 1e3 : s);
	return c;
}

static double tokens_rate(const struct bench_row *r)
{
	return r && r->answer == BENCH_READY ? fact(r, "tokens_per_second") : 0;
}

/* The same contestant with float32. */
static double rate_of_f32(const struct bench_outcome *o, int n, const char *label)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < o[i].n_row && o[i].c->llama->type == BENCH_LLAMA_F32; k++)
			if (o[i].row[k].role == BENCH_OURS && !strcmp(o[i].row[k].label, label))
				return tokens_rate(&o[i].row[k]);
	return 0;
}

/* What it has at most besides the mapped checkpoint and the cache, MiB. */
static struct llama_cell memory_cell(const struct bench_row *r, const char *peak)
{
	struct llama_cell c = { "" };
	const double all = fact(r, peak);

	if (all > 0)
		snprintf(c.text, sizeof c.text, "%.1f", (all - fact(r, "checkpoint_bytes") - fact(r, "cache_bytes")) / (1 << 20));
	return c;
}

static struct llama_cell agree_cell(const struct bench_row *r)
{
	struct llama_cell c;

	snprintf(c.text, sizeof c.text, "%.0f of %.0f", fact(r, "agree"), fact(r, "tokens"));
	return c;
}

static void llama_row(const struct bench_outcome *all, int n, const struct bench_outcome *o, const struct bench_row *r,
	const char *name, FILE *f)
{
	const double rate = tokens_rate(r), f32 = r->role == BENCH_OURS ? rate_of_f32(all, n, r->label) : 0;
	const double prompt = fact(r, "prompt_per_second"), launches = fact(r, "launches_per_second");
	const char *type = bench_llama_type_name(o->c->llama->type);
	char label[BENCH_LABEL + 1];

	lt__say(f, "%-14s %2d %-*s %-4s ", name, o->threads, BENCH_LABEL, bench_label(r->label, (int)strlen(r->label), label),
		type);
	if (r->answer != BENCH_READY) {
		lt__say(f, "failed: %s\n", r->why);
		return;
	}
	lt__say(f, "%9s %5.1f%% %7s %7s %7s %9s %7s %8s %8s %8s %8s %8s %12s\n", rate_cell(rate).text, r->spread * 100,
		ratio_cell(r->of_best).text, ratio_cell(r->of_peak).text,
		ratio_cell(f32 > 0 && o->c->llama->type != BENCH_LLAMA_F32 ? rate / f32 : 0).text, rate_cell(prompt).text,
		ratio_cell(prompt / rate).text, ratio_cell(launches > 0 ? rate / launches : 0).text,
		seconds_cell(fact(r, "compile_cold_s")).text, seconds_cell(fact(r, "compile_cached_s")).text,
		memory_cell(r, "peak_cold_bytes").text, memory_cell(r, "peak_cached_bytes").text, agree_cell(r).text);
}

void bench_print_llama(const struct bench_outcome *o, int n, bool first, FILE *f)
{
	const struct bench_row *limit = n > 0 && o->n_row > 0 ? &o->row[o->n_row - 1] : NULL;
	char name[64] = "";

	if (first)
		lt__say(f, "\n%-14s %2s %-*s %-4s %9s %6s %7s %7s %7s %9s %7s %8s %8s %8s %8s %8s %12s\n", "llama", "th",
			BENCH_LABEL, "contestant", "type", "tok/s", "spread", "of run", "limit", "of f32", "prompt", "x made", "launched",
			"cold", "cached", "MiB cold", "MiB", "tokens");
	if (n > 0)
		snprintf(name, sizeof name, "llama/%s", o->c->llama->shape);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < o[i].n_row; k++) {
			if (o[i].row[k].role == BENCH_DENOMINATOR)
				continue;
			llama_row(o, n, &o[i], &o[i].row[k], name, f);
			*name = 0;
		}
	if (limit && limit->answer == BENCH_READY)
		lt__say(f, "%-14s %2d %s: %.1f GB/s; a token reads %.1f MB with %s\n", "", o->threads, limit->label,
			limit->rate * 1e-9, (double)o->c->bytes * 1e-6, bench_llama_type_name(o->c->llama->type));
	fflush(f);
}
