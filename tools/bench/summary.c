/* summary.c -- geometric means and wins, for each group of cases, each suite, each number of threads. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/start.h"
#include "tools/common/common.h"

struct outcome_sum {
	const char *suite, *group, *label;      /* group NULL: the whole suite */
	int n_label;                            /* characters of it */
	enum bench_role role;
	int threads, n, failed, wins, compared;
	double of_peak, of_best, lowest;        /* lowest: of the ratios to the best */
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool counts(const struct bench_outcome *o, const struct outcome_sum *s)
{
	return o->threads == s->threads && same_text(o->c->suite, s->suite) && (!s->group || same_text(o->c->group, s->group));
}

static bool is_of(const struct bench_row *r, const struct outcome_sum *s)
{
	return r->role == s->role && bench_family(r) == s->n_label && !strncmp(r->label, s->label, (size_t)s->n_label);
}

/* Whether that row was compared with somebody: the only one of the others is the best of them, and says nothing. */
static bool is_compared(const struct bench_outcome *o, const struct bench_row *r)
{
	bool rival = r->role != BENCH_OTHER;

	for (int i = 0; i < o->n_row; i++) {
		const struct bench_row *x = &o->row[i];

		rival = rival || (x->role == BENCH_OTHER && x->answer == BENCH_READY && (bench_family(x) != bench_family(r)
			|| strncmp(x->label, r->label, (size_t)bench_family(r)) != 0));
	}
	return rival && r->of_best > 0;
}

/* Everything of one contestant in one group. */
static void sum_fill(const struct bench_outcomes *l, struct outcome_sum *s)
{
	double *peak = lt__must_alloc((size_t)l->n * sizeof *peak), *best = lt__must_alloc((size_t)l->n * sizeof *best);

	for (int i = 0; i < l->n; i++)
		for (int k = 0; counts(&l->at[i], s) && k < l->at[i].n_row; k++) {
			const struct bench_row *r = &l->at[i].row[k];

			if (!is_of(r, s) || r->answer == BENCH_SKIP || !bench_leads(&l->at[i], k))
				continue;
			s->failed += r->answer == BENCH_BAD;
			if (r->answer != BENCH_READY)
				continue;
			peak[s->n++] = r->of_peak;
			if (!is_compared(&l->at[i], r))
				continue;
			s->lowest = !s->compared || r->of_best < s->lowest ? r->of_best : s->lowest;
			s->wins += r->of_best >= 1;
			best[s->compared++] = r->of_best;
		}
	s->of_peak = bench_geomean(peak, s->n);
	s->of_best = bench_geomean(best, s->compared);
	free(peak);
	free(best);
}

typedef void each(const struct outcome_sum *, void *user);

static bool seen(const struct outcome_sum *s, const struct outcome_sum *before, int n)
{
	for (int i = 0; i < n; i++)
		if (same_text(before[i].suite, s->suite) && same_text(before[i].group, s->group)
			&& before[i].threads == s->threads && before[i].role == s->role
			&& before[i].n_label == s->n_label && !strncmp(before[i].label, s->label, (size_t)s->n_label))
			return true;
	return false;
}

static bool has_groups(const struct bench_outcomes *l, const struct bench_outcome *of)
{
	bool several = false;

	for (int i = 0; i < l->n; i++)
		several = several || (same_text(l->at[i].c->suite, of->c->suite) && !same_text(l->at[i].c->group, of->c->group));
	return several;
}

/* In the order of the cases; a suite's whole after its groups, where it has several. */
static void outcomes_walk(const struct bench_outcomes *l, each *visit, void *user)
{
	int cap = 1, n = 0;
	struct outcome_sum *all;

	for (int i = 0; i < l->n; i++)
		cap += 2 * l->at[i].n_row;
	all = lt__must_alloc((size_t)cap * sizeof *all);
	for (int whole = 0; whole < 2; whole++)
		for (int i = 0; i < l->n; i++)
			for (int k = 0; k < l->at[i].n_row; k++) {
				const struct bench_outcome *o = &l->at[i];
				struct outcome_sum s = { .suite = o->c->suite,
					.group = whole ? NULL : o->c->group,
					.label = o->row[k].label,
					.threads = o->threads,
					.role = o->row[k].role,
					.n_label = bench_family(&o->row[k]) };

				if (o->row[k].role == BENCH_DENOMINATOR || o->row[k].role == BENCH_AGAIN
					|| o->row[k].role == BENCH_OPEN || o->row[k].answer == BENCH_SKIP || seen(&s, all, n)
					|| (whole && !has_groups(l, o)))
					continue;
				sum_fill(l, &s);
				all[n++] = s;
				visit(&s, user);
			}
	free(all);
}

static void print(const struct outcome_sum *s, void *user)
{
	char best[80] = "", lowest[24] = "", label[BENCH_LABEL + 1];

	if (s->compared > 1)
		snprintf(lowest, sizeof lowest, " (lowest %.3f)", s->lowest);
	if (s->of_best > 0)
		snprintf(best, sizeof best, "%.3f%s, ahead in %d of %d", s->of_best, lowest, s->wins, s->compared);
	lt__say(user, "%-10s %-18s %2d %-*s %5d", s->suite, s->group ? s->group : "(all)", s->threads, BENCH_LABEL,
		bench_label(s->label, s->n_label, label), s->n);
	if (s->failed)
		lt__say(user, " +%d failed", s->failed);
	else
		lt__say(user, "          ");
	lt__say(user, " %8.3f  %s\n", s->of_peak, best);
}

/* A contestant against itself: how far two rows may differ and mean nothing. */
static void print_noise(const struct bench_outcomes *l, FILE *f)
{
	for (int i = 0; i < l->n; i++) {
		const struct bench_row *first = NULL;

		for (int k = 0; k < l->at[i].n_row; k++) {
			const struct bench_row *r = &l->at[i].row[k];

			if (r->role == BENCH_OURS && !first)
				first = r;
			if (r->role == BENCH_AGAIN && first && r->median > 0 && first->median > 0)
				lt__say(f,
					"noise: %s against itself in %s/%s with %d thread%s: %.3f (spreads %.1f%% and "
					"%.1f%%)\n",
					first->label, l->at[i].c->suite, l->at[i].c->name, l->at[i].threads,
					l->at[i].threads == 1 ? "" : "s", first->median / r->median,
					first->spread * 100, r->spread * 100);
		}
	}
}

/* Rates of a group with extents left open, over those of the first of ours with fixed ones; false: there are none. */
static bool open_fill(const struct bench_outcomes *l, struct outcome_sum *s)
{
	double *ratio = lt__must_alloc((size_t)l->n * sizeof *ratio);

	for (int i = 0; i < l->n; i++) {
		const struct bench_row *fixed = NULL, *open = NULL;

		for (int k = 0; counts(&l->at[i], s) && k < l->at[i].n_row; k++) {
			const struct bench_row *r = &l->at[i].row[k];

			fixed = r->role == BENCH_OURS && !fixed ? r : fixed;
			open = r->role == BENCH_OPEN ? r : open;
		}
		if (!fixed || !open || fixed->answer != BENCH_READY || open->answer != BENCH_READY || open->median <= 0)
			continue;
		ratio[s->n] = fixed->median / open->median;
		s->lowest = s->n == 0 || ratio[s->n] < s->lowest ? ratio[s->n] : s->lowest;
		s->n++;
	}
	s->of_best = bench_geomean(ratio, s->n);
	free(ratio);
	return s->n > 0;
}

/* What extents cost that are known only when a run starts. */
static void print_open(const struct bench_outcomes *l, FILE *f)
{
	bool first = true;

	for (int i = 0; i < l->n; i++) {
		struct outcome_sum s = { .suite = l->at[i].c->suite, .group = l->at[i].c->group, .threads = l->at[i].threads };
		bool before = false;

		for (int k = 0; k < i; k++)
			before = before || counts(&l->at[k], &s);
		if (before || !open_fill(l, &s))
			continue;
		lt__say(f, "%s%-10s %-18s %2d %-*s %5d           %8.3f", first ? "\nextents left open: geometric mean of rates over "
			"those of fixed extents\n" : "", s.suite, s.group, s.threads, BENCH_LABEL, "open over fixed", s.n, s.of_best);
		lt__say(f, s.n > 1 ? "  (lowest %.3f)\n" : "\n", s.lowest);
		first = false;
	}
}

/* Of one backend: from the script to loaded objects, and the backend's own part of it. */
static void print_compiles_of(const struct bench_compiles *l, const char *backend, FILE *f)
{
	enum { COLD, OWN, CACHED, TREE, ACCEPT, N };
	double *x[N];
	int n = 0;

	for (int k = 0; k < N; k++)
		x[k] = lt__must_alloc((size_t)(l->n + 1) * sizeof **x);
	for (int i = 0; i < l->n; i++)
		if (!*l->at[i].why && !strcmp(l->at[i].c->suite, "gemm") && !strcmp(l->at[i].backend, backend)) {
			x[COLD][n] = l->at[i].total;
			x[OWN][n] = l->at[i].cold;
			x[CACHED][n] = l->at[i].total_cached;
			x[TREE][n] = l->at[i].tree + l->at[i].freeze;
			x[ACCEPT][n++] = l->at[i].accept;
		}
	for (int k = 0; k < N; k++)
		bench_sort(x[k], n);
	if (n)
		lt__say(f,
			"compile, %s, median of %d products: cold %.1f ms (of it from tree to object %.1f ms), from "
			"the cache %.2f ms, tree built and analysed %.2f ms, taken by the backend %.2f ms\n",
			backend, n, bench_quantile(x[COLD], n, 0.5) * 1e3, bench_quantile(x[OWN], n, 0.5) * 1e3,
			bench_quantile(x[CACHED], n, 0.5) * 1e3, bench_quantile(x[TREE], n, 0.5) * 1e3,
			bench_quantile(x[ACCEPT], n, 0.5) * 1e3);
	for (int k = 0; k < N; k++)
		free(x[k]);
}

static void print_compiles(const struct bench_compiles *l, FILE *f)
{
	for (int i = 0; i < l->n; i++) {
		bool first = true;

		for (int k = 0; k < i; k++)
			first = first && strcmp(l->at[k].backend, l->at[i].backend) != 0;
		if (first)
			print_compiles_of(l, l->at[i].backend, f);
	}
}

void bench_print_summary(const struct bench_report *r, FILE *f)
{
	if (r->outcomes.n) {
		lt__say(f, "\ngeometric means: rate over peak or bandwidth; over the best of the others\n");
		outcomes_walk(&r->outcomes, print, f);
		print_open(&r->outcomes, f);
		print_noise(&r->outcomes, f);
	}
	print_compiles(&r->compiles, f);
	bench_print_starts(&r->starts, f);
}

static void json_add_sum(const struct outcome_sum *s, void *user)
{
	json_t *o = json_pack("{s:s,s:i,s:s%,s:i,s:i,s:f,s:f,s:f,s:i,s:i}", "suite", s->suite, "threads", s->threads,
		"contestant", s->label, (size_t)s->n_label, "cases", s->n, "failed", s->failed, "of_peak", s->of_peak,
		"of_best", s->of_best, "lowest_of_best", s->lowest, "wins", s->wins, "compared", s->compared);

	json_object_set_new(o, "group", s->group ? json_string(s->group) : json_null());
	json_array_append_new(user, o);
}

json_t *bench_summary_json(const struct bench_report *r)
{
	json_t *list = json_array();

	outcomes_walk(&r->outcomes, json_add_sum, list);
	return list;
}
