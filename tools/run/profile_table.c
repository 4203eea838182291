/* profile_table.c -- a profile as a table for people: a line a kernel, slowest first, then the sums. */
#include <stdlib.h>
#include <string.h>
#include "tools/run/profile.h"
#include "tools/common/common.h"

/* SMALL: kernels below this share are one line together, unless -v.  WIDE: of the nodes' text. */
#define SMALL 0.004
enum { WIDE = 60, WIDER = 2000 };

static bool nodes_has(const char *text, const char *word, size_t n)
{
	for (const char *at = text; (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* The nodes of the model, or of the script: of "3.mul" and "3.sum" one "%3".  What the tree added is named only where
 * there is nothing else. */
static void nodes_names(const struct lt_profile_step *s, bool added, char *out, size_t bytes)
{
	size_t n = 0;

	*out = 0;
	for (uint32_t i = 0; i < s->n_node && n < bytes; i++) {
		const char *part = s->node[i].part, *name = part ? part : s->node[i].name;
		char word[200];

		snprintf(word, sizeof word, "%s%.*s", part ? "" : "%", part ? 198 : (int)strcspn(name, "."), name);
		if ((bool)s->node[i].derived == added && !nodes_has(out, word, strlen(word)))
			n += (size_t)snprintf(out + n, bytes - n, "%s%s", n ? " " : "", word);
	}
}

/* " (net.lt:12-14,20)": the lines in order, each once. */
static void nodes_lines(const struct lt_profile_step *s, char *out, size_t bytes)
{
	int32_t last = 0, from = 0, next;
	const char *file = NULL;
	size_t n = 0;

	*out = 0;
	do {
		next = 0;
		for (uint32_t i = 0; i < s->n_node; i++)
			if (s->node[i].line > last && (!next || s->node[i].line < next)) {
				next = s->node[i].line;
				file = s->node[i].file ? s->node[i].file : file;
			}
		if (from && next != last + 1 && last > from && n < bytes)
			n += (size_t)snprintf(out + n, bytes - n, "-%d", last);
		if (next && next != last + 1 && n < bytes)
			n += (size_t)snprintf(out + n, bytes - n, "%s%s%d", n ? "," : file ? file : "line", n ? "" : file ? ":" : " ", next);
		else if (next && !from && n < bytes)
			n += (size_t)snprintf(out + n, bytes - n, "%s%s%d", file ? file : "line", file ? ":" : " ", next);
		from = next == last + 1 && from ? from : next;
		last = next;
	} while (next);
}

void run_nodes_text(const struct lt_profile_step *s, char *out, size_t bytes)
{
	char lines[WIDE];

	nodes_names(s, false, out, bytes);
	if (!*out)
		nodes_names(s, true, out, bytes);
	nodes_lines(s, lines, sizeof lines);
	size_t n = strlen(out), more = strlen(lines);
	const bool fits = n + more + 4 < bytes;

	if (!fits && more) {                    /* the lines say more than the names */
		n = bytes > more + 8 ? bytes - more - 8 : 0;
		while (n > 0 && out[n] != ' ')
			n--;
		n += (size_t)snprintf(out + n, bytes - n, n ? " ..." : "...");
	}
	if (more && n < bytes)
		(void)snprintf(out + n, bytes - n, "%s(%s)", n ? " " : "", lines);
}

static const char *kind_of(const struct lt_profile_step *s)
{
	return s->kind == LT_PROFILE_MOVE ? "crossing: " : s->kind == LT_PROFILE_COPY ? "copy: " : "";
}

/* "82 %", or "-" where there is nothing to compare with. */
static const char *part_text(double part, char *out, size_t bytes)
{
	if (part > 0 && part < 100)
		snprintf(out, bytes, part < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * part);
	else
		snprintf(out, bytes, "-");
	return out;
}

static const char *rate_text(double per_second, char *out, size_t bytes)
{
	double giga = per_second / 1e9;

	if (giga > 0)
		snprintf(out, bytes, giga < 0.01 ? "%.2g" : giga < 10 ? "%.2f" : giga < 1000 ? "%.1f" : "%.0f", giga);
	else
		snprintf(out, bytes, "-");
	return out;
}

static void print_kernel(const struct run *r, const struct run_kernel *k)
{
	char time[32], share[16], flops[32], of[16], bytes[32], of_bytes[16], predicted[32] = "-", threads[16] = "-",
		nodes[WIDER];

	run_nodes_text(&k->step, nodes, r->o.verbose ? sizeof nodes : WIDE);
	if (k->threads > 0)
		snprintf(threads, sizeof threads, "%.2f", k->threads);
	if (k->predicted_ns > 0)
		run_time_text(k->predicted_ns, predicted, sizeof predicted);
	lt__say(stdout, "%10s %6s %8s %6s %7s %6s %10s  %-8s %5s  %s%s %s\n", run_time_text(k->median_ns, time, sizeof time),
		part_text(k->share, share, sizeof share), rate_text(k->flops, flops, sizeof flops),
		part_text(k->of_flops, of, sizeof of), rate_text(k->bytes, bytes, sizeof bytes),
		part_text(k->of_bytes, of_bytes, sizeof of_bytes), predicted, run_bound_name(k->bound), threads,
		kind_of(&k->step), k->step.name, nodes);
}

static void print_head(const struct run_profile *p)
{
	char a[32], b[32];
	const struct run_limits *l = &p->limits;

	printf("profile: median %s of %lld run%s after the first, which took %s\n",
		run_time_text((double)p->median_run, a, sizeof a), (long long)p->n_sample, lt__plural(p->n_sample),
		run_time_text((double)p->first_ns, b, sizeof b));
	if (l->flops > 0 && l->device)
		printf("limits: the device does %.4g GFLOP/s, %.4g GB/s copied\n", l->flops / 1e9, l->copy / 1e9);
	else if (l->flops > 0)
		printf("limits: %d thread%s of this machine do %.4g GFLOP/s (float32), %.4g GB/s read, %.4g GB/s copied; measured "
		       "%s\n", l->threads, lt__plural(l->threads), l->flops / 1e9, l->read / 1e9, l->copy / 1e9, l->when);
	else
		lt__say(stdout, "limits: not measured: %s\n", l->why);
	if (p->lost > 0.5)
		printf("disturbed: threads lost their processor %.3g times a run; other processes compute, too\n", p->lost);
	if (p->host_clock)
		puts("clock: a backend has no clock on its device: its kernels are timed by the host, which waits for each");
	printf("%10s %6s %8s %6s %7s %6s %10s  %-8s %5s  %s\n", "time", "share", "GFLOP/s", "limit", "GB/s", "limit",
		"possible", "bound", "busy", "kernel, nodes (script)");
}

static void print_small(const struct run_profile *p, int32_t from)
{
	char time[32], share[16];
	double ns = 0;

	for (int32_t i = from; i < p->n_kernel; i++)
		ns += p->kernel[p->order[i].at].median_ns;
	if (from < p->n_kernel)
		printf("%10s %6s  %d more, each below %.1f %% (-v shows them)\n", run_time_text(ns, time, sizeof time),
			part_text(p->median_steps > 0 ? ns / (double)p->median_steps : 0, share, sizeof share), p->n_kernel - from,
			100 * SMALL);
}

/* What bounds how much of the time, and what can be done. */
static void print_bounds(const struct run_profile *p)
{
	double ns[RUN_BOUND_LATENCY + 1] = { 0 }, predicted = 0;
	int n[RUN_BOUND_LATENCY + 1] = { 0 };
	char a[32], b[32], c[16];

	for (int32_t i = 0; i < p->n_kernel; i++) {
		if (!run_computes(&p->kernel[i]))
			continue;
		ns[p->kernel[i].bound] += p->kernel[i].median_ns;
		n[p->kernel[i].bound]++;
		predicted += p->kernel[i].predicted_ns;
	}
	for (int i = RUN_BOUND_COMPUTE; i <= RUN_BOUND_LATENCY; i++)
		if (n[i])
			printf("bound by %s: %s, %s, of %d kernel%s; %s\n", run_bound_name((enum run_bound)i),
				run_time_text(ns[i], a, sizeof a), part_text(ns[i] / (double)p->median_kernels, c, sizeof c), n[i],
				lt__plural(n[i]),
				run_bound_advice((enum run_bound)i));
	if (predicted > 0)
		printf("possible: %s of %s, if each kernel reached the limits\n", run_time_text(predicted, a, sizeof a),
			run_time_text((double)p->median_kernels, b, sizeof b));
}

static void print_outside(struct run_profile *p)
{
	char a[32], b[32], c[32], d[32];
	const int64_t stamps = run_median(p->stamps, p->n_sample);

	printf("outside of kernels: checks %s, between them %s, copies %s, waiting %s\n",
		run_time_text((double)run_median(p->check_ns, p->n_sample), a, sizeof a),
		run_time_text((double)run_median(p->launch_ns, p->n_sample), b, sizeof b),
		run_time_text((double)run_median(p->copy_ns[LT_PROFILE_STAYS], p->n_sample), c, sizeof c),
		run_time_text((double)run_median(p->wait_ns, p->n_sample), d, sizeof d));
	printf("taking times: %lld readings of the clock a run, %.0f ns each, %s\n", (long long)stamps,
		(double)p->stamp_ps / 1e3, run_time_text((double)stamps * (double)p->stamp_ps / 1e3, a, sizeof a));
	if (p->n_dropped > 0)
		printf("trace: there was no room for %lld spans of threads\n", (long long)p->n_dropped);
}

static void print_sums(const struct run_profile *p)
{
	const double run = (double)p->median_run, flops = (double)p->work.useful, bytes = (double)p->work.bytes;
	char a[32], b[32], of[16], rate[32];

	printf("sum: %s in kernels, %s a run; %.4g GFLOP, %s GFLOP/s", run_time_text((double)p->median_kernels, a, sizeof a),
		run_time_text(run, b, sizeof b), flops / 1e9, rate_text(flops / run * 1e9, rate, sizeof rate));
	if (p->limits.flops > 0)
		printf(" (%s of the limit)", part_text(flops / run * 1e9 / p->limits.flops, of, sizeof of));
	printf("; %s, %s GB/s\n", run_bytes_text(bytes, a, sizeof a), rate_text(bytes / run * 1e9, rate, sizeof rate));
}

lt_status run_profile_print(const struct run *r)
{
	struct run_profile *p = r->profile;
	int32_t i = 0;

	p->median_run += p->median_run == 0;    /* a clock too coarse */
	print_head(p);
	for (; i < p->n_kernel && (r->o.verbose || p->kernel[p->order[i].at].share >= SMALL); i++)
		print_kernel(r, &p->kernel[p->order[i].at]);
	print_small(p, i);
	print_sums(p);
	print_bounds(p);
	run_crossing_print(r, &p->stats, &p->crossing);
	print_outside(p);
	return LT_OK;
}
