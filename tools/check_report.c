/* tools/check_report.c -- what lt-check prints: failures as they come, then counts, refusals and sums. */
#include <stdlib.h>
#include <string.h>
#include "tools/check.h"
#include "tools/say.h"

const char *const lt__check_words[] = { "passed", "refused", "failed", "skipped" };
struct outcome_count { int64_t n[4]; };

void lt__check_report_failure(const struct check_report *r, int32_t i, FILE *f)
{
	char command[CHECK_COMMAND];
	lt__check_repeat(r->o, r->chosen[i]->name, command, sizeof command);
	lt__say(f, "FAILED %s\n  %s\n  %s\n", r->chosen[i]->name, r->outcome[i].text, command);
	if (r->more && r->more[i] && r->more[i][0])
		lt__say(f, "  %s\n", r->more[i]);
}

enum check_status lt__check_status(const struct check_report *r, int32_t i)
{
	return r->outcome[i].done ? r->outcome[i].status : CHECK_SKIPPED;
}

static int by_count(const void *x, const void *y)
{
	const struct check_reason *a = x, *b = y;
	return a->n != b->n ? (a->n < b->n ? 1 : -1) : (a->first > b->first) - (a->first < b->first);
}

int32_t lt__check_reason_find(const struct check_reasons *l, const char *text)
{
	int32_t k = 0;
	while (k < l->n && strcmp(l->at[k].text, text) != 0)
		k++;
	return k;
}

struct check_reasons lt__check_reasons(const struct check_report *r, enum check_status status)
{
	struct check_reasons l = { .at = calloc((size_t)r->n + 1, sizeof *l.at), .status = status };
	for (int32_t i = 0; l.at && i < r->n; i++) {
		if (lt__check_status(r, i) != status)
			continue;
		int32_t k = lt__check_reason_find(&l, r->outcome[i].text);
		if (k == l.n)
			l.at[l.n++] = (struct check_reason){ .text = r->outcome[i].text, .first = i };
		l.at[k].n++;
	}
	if (l.at)
		qsort(l.at, (size_t)l.n, sizeof *l.at, by_count);
	return l;
}

static void report_reasons(const struct check_report *r, enum check_status status, FILE *f)
{
	enum { MOST = 20 };
	struct check_reasons l = lt__check_reasons(r, status);
	const char *word = lt__check_words[status];
	for (int32_t i = 0; i < l.n && i < MOST; i++)
		lt__say(f, "%s %d: %s\n", word, (int)l.at[i].n, l.at[i].text);
	if (l.n > MOST)
		lt__say(f, "%s: and %d other reasons (--json has all)\n", word, (int)l.n - MOST);
	free(l.at);
}

/* A suite that ran little is no success: 0 says that every clause of the contract was tried, and that something was
 * computed: some clauses pass without a kernel, as that of the config. */
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
			: "nothing was computed, no kernel ran: this says nothing about the backend");
}

void lt__check_report_all(const struct check_report *r, FILE *f)
{
	struct outcome_count group[CHECK_N_GROUP] = { 0 }, all = { 0 };
	for (int32_t i = 0; i < r->n; i++) {
		struct outcome_count *c = &group[r->chosen[i]->group];
		c->n[lt__check_status(r, i)]++;
		all.n[lt__check_status(r, i)]++;
	}
	lt__say(f, "%-10s %8s %8s %8s %8s\n", "group", "passed", "refused", "failed", "skipped");
	for (int g = 0; g < CHECK_N_GROUP; g++)
		if (group[g].n[0] + group[g].n[1] + group[g].n[2] + group[g].n[3] > 0)
			lt__say(f, "%-10s %8lld %8lld %8lld %8lld\n", lt__check_group(g)->name, (long long)group[g].n[CHECK_PASSED],
				(long long)group[g].n[CHECK_REFUSED], (long long)group[g].n[CHECK_FAILED], (long long)group[g].n[CHECK_SKIPPED]);
	lt__say(f, "%-10s %8lld %8lld %8lld %8lld\n", "all", (long long)all.n[CHECK_PASSED], (long long)all.n[CHECK_REFUSED],
		(long long)all.n[CHECK_FAILED], (long long)all.n[CHECK_SKIPPED]);
	report_reasons(r, CHECK_REFUSED, f);
	report_reasons(r, CHECK_SKIPPED, f);
	report_verdict(r, &all, f);
}
