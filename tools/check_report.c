/* tools/check_report.c -- what lt-check prints: failures as they come, then counts, refusals and sums. */
#include <stdlib.h>
#include <string.h>
#include "tools/check.h"
#include "tools/say.h"

struct outcome_count { int64_t n[4]; double seconds; };

void lt__check_report_failure(const struct check_report *r, int32_t i, FILE *f)
{
	char command[CHECK_COMMAND];
	lt__check_repeat(r->o, r->chosen[i]->name, command, sizeof command);
	lt__say(f, "FAILED %s\n  %s\n  %s\n", r->chosen[i]->name, r->outcome[i].text, command);
	if (r->more && r->more[i] && r->more[i][0])
		lt__say(f, "  %s\n", r->more[i]);
}

struct report_reason { const char *text; int64_t n; };

static int by_count(const void *a, const void *b)
{
	const struct report_reason *x = a, *y = b;
	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->text, y->text);
}

/* Reasons of one status, the most frequent first. */
static void report_reasons(const struct check_report *r, enum check_status status, const char *word, FILE *f)
{
	struct report_reason *all = calloc((size_t)r->n + 1, sizeof *all);
	int32_t n = 0;
	for (int32_t i = 0; all && i < r->n; i++) {
		int32_t k = 0;
		if (r->outcome[i].status != status || !r->outcome[i].done)
			continue;
		while (k < n && strcmp(all[k].text, r->outcome[i].text))
			k++;
		if (k == n)
			all[n++].text = r->outcome[i].text;
		all[k].n++;
	}
	if (all)
		qsort(all, (size_t)n, sizeof *all, by_count);
	for (int32_t i = 0; i < n && i < 20; i++)
		lt__say(f, "%s %lld: %s\n", word, (long long)all[i].n, all[i].text);
	if (n > 20)
		lt__say(f, "%s: and %d other reasons (--json has all)\n", word, (int)(n - 20));
	free(all);
}

/* A suite that ran little is no success: 0 says that every clause of the contract was tried, and that something was computed: some clauses
 * pass without a kernel, as that of the config. */
int lt__check_exit(const struct check_report *r)
{
	bool whole = true;
	for (int32_t i = 0; i < r->n; i++) {
		const struct check_outcome *out = &r->outcome[i];
		if (!out->done || out->status == CHECK_FAILED)
			return CHECK_EXIT_FAILED;
		whole = whole && !(r->chosen[i]->clause && out->late);
	}
	return r->o->filter || (whole && r->n_run > 0) ? CHECK_EXIT_GOOD : CHECK_EXIT_LITTLE;
}

/* The last line. */
static void report_verdict(const struct check_report *r, const struct outcome_count *all, FILE *f)
{
	int64_t n_late = 0, n_left = 0, n_ran = all->n[CHECK_PASSED] + all->n[CHECK_FAILED];
	for (int32_t i = 0; i < r->n; i++) {
		n_late += !r->outcome[i].done || r->outcome[i].late;
		n_left += r->outcome[i].left;
	}
	lt__say(f, "%s %s: ", r->backend->name, r->backend->version ? r->backend->version : "");
	if (all->n[CHECK_FAILED])
		lt__say(f, "FAILED: %lld", (long long)all->n[CHECK_FAILED]);
	else
		(void)fputs("nothing failed", f);
	lt__say(f, " of %lld case%s that ran", (long long)n_ran, n_ran == 1 ? "" : "s");
	if (n_late)
		lt__say(f, "; %lld not run for time", (long long)n_late);
	if (n_left)
		lt__say(f, "; %lld not tried", (long long)n_left);
	if (r->o->n_part > 0)
		lt__say(f, "; part %d/%d", r->o->part, r->o->n_part);
	lt__say(f, "; seed %llu, %.1f s\n", (unsigned long long)r->o->seed, r->seconds);
	if (lt__check_exit(r) == CHECK_EXIT_LITTLE)
		lt__say(f, "%s\n", r->n_run ? "not all clauses of the contract were tried: give more --seconds, or none"
			: "nothing was computed, no kernel ran: this says nothing of the backend");
}

void lt__check_report_all(const struct check_report *r, FILE *f)
{
	struct outcome_count group[CHECK_N_GROUP] = { 0 }, all = { 0 };
	for (int32_t i = 0; i < r->n; i++) {
		struct outcome_count *c = &group[r->chosen[i]->group];
		int status = r->outcome[i].done ? (int)r->outcome[i].status : CHECK_SKIPPED;
		c->n[status]++;
		c->seconds += r->outcome[i].seconds;
		all.n[status]++;
	}
	lt__say(f, "%-10s %8s %8s %8s %8s\n", "group", "passed", "refused", "failed", "skipped");
	for (int g = 0; g < CHECK_N_GROUP; g++)
		if (group[g].n[0] + group[g].n[1] + group[g].n[2] + group[g].n[3] > 0)
			lt__say(f, "%-10s %8lld %8lld %8lld %8lld\n", lt__check_group(g)->name, (long long)group[g].n[CHECK_PASSED],
				(long long)group[g].n[CHECK_REFUSED], (long long)group[g].n[CHECK_FAILED], (long long)group[g].n[CHECK_SKIPPED]);
	lt__say(f, "%-10s %8lld %8lld %8lld %8lld\n", "all", (long long)all.n[CHECK_PASSED], (long long)all.n[CHECK_REFUSED],
		(long long)all.n[CHECK_FAILED], (long long)all.n[CHECK_SKIPPED]);
	report_reasons(r, CHECK_REFUSED, "refused", f);
	report_reasons(r, CHECK_SKIPPED, "skipped", f);
	report_verdict(r, &all, f);
}
