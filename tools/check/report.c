/* report.c -- what lt-check prints: failures as they come, then counts, refusals and sums. */
#include <stdlib.h>
#include <string.h>
#include "tools/check/check.h"
#include "tools/common/common.h"

const char *const lt__check_words[] = { "passed", "refused", "failed", "skipped" };
const char *const lt__check_loud[] = { "passed", "refused", "FAILED", "skipped" };

enum check_status lt__check_status(const struct check_report *r, int32_t i)
{
	return r->outcome[i].done ? r->outcome[i].status : CHECK_SKIPPED;
}

void lt__check_row(const struct check_report *r, int32_t i, struct check_row *row)
{
	const struct check_case *c = &r->c[i];
	const char *more = r->more ? r->more[i] : NULL;
	*row = (struct check_row){ .name = c->name, .group = lt__check_group(c->group)->name, .status = lt__check_status(r, i),
		.op = c->row, .dtype = c->column ? lt__dtype_info(c->column)->name : NULL, .seconds = r->outcome[i].seconds,
		.text = r->outcome[i].text, .more = more && more[0] ? more : NULL };
	if (row->status == CHECK_FAILED)
		lt__check_repeat(r->o, c->name, row->repeat, sizeof row->repeat);
}

void lt__check_count(const struct check_report *r, struct check_counts *out)
{
	*out = (struct check_counts){ .all = { .seconds = 0 } };
	for (int32_t i = 0; i < r->n; i++) {
		struct check_count *const both[] = { &out->group[r->c[i].group], &out->all };
		for (int k = 0; k < 2; k++) {
			both[k]->n[lt__check_status(r, i)]++;
			both[k]->n_case++;
			both[k]->elements += r->outcome[i].elements;
			both[k]->open += r->outcome[i].open;
			both[k]->seconds += r->outcome[i].seconds;
		}
	}
}

void lt__check_report_failure(const struct check_report *r, int32_t i, FILE *f)
{
	struct check_row row;
	lt__check_row(r, i, &row);
	lt__say(f, "FAILED %s\n  %s\n  %s\n", row.name, row.text, row.repeat);
	if (row.more)
		lt__say(f, "  %s\n", row.more);
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
	enum { MAX_REASONS = 20 };
	struct check_reasons l = lt__check_reasons(r, status);
	const char *word = lt__check_words[status];
	for (int32_t i = 0; i < l.n && i < MAX_REASONS; i++)
		lt__say(f, "%s %d: %s\n", word, (int)l.at[i].n, l.at[i].text);
	if (l.n > MAX_REASONS)
		lt__say(f, "%s: and %d other reasons (--json has all)\n", word, (int)l.n - MAX_REASONS);
	free(l.at);
}

/* Of a few cases a single element may be much. */
bool lt__check_is_open(const struct check_report *r, const struct check_count *all)
{
	return !r->o->filter && all->open * 100 > all->elements;
}

/* A suite that ran little is no success: 0 says that every clause of the contract was tried, and that something was
 * computed, and judged: some clauses pass without a kernel, as that of the config. */
int lt__check_exit(const struct check_report *r)
{
	struct check_counts counts;
	bool whole = true;
	lt__check_count(r, &counts);
	for (int32_t i = 0; i < r->n; i++) {
		const struct check_outcome *out = &r->outcome[i];
		if (!out->done || out->status == CHECK_FAILED)
			return LT_EXIT_FAILED;
		whole = whole && !(r->c[i].clause && out->late);
	}
	return r->o->filter || (whole && r->n_run > 0 && !lt__check_is_open(r, &counts.all)) ? LT_EXIT_OK : LT_EXIT_OPEN;
}

/* The last line. */
static void report_verdict(const struct check_report *r, const struct check_count *all, FILE *f)
{
	int n_late = 0, n_left = 0, n_ran = all->n[CHECK_PASSED] + all->n[CHECK_FAILED];
	for (int32_t i = 0; i < r->n; i++) {
		n_late += !r->outcome[i].done || r->outcome[i].late;
		n_left += r->outcome[i].left;
	}
	lt__say(f, "%s %s: ", r->backend->name, r->backend->version ? r->backend->version : "");
	if (all->n[CHECK_FAILED])
		lt__say(f, "FAILED: %d", all->n[CHECK_FAILED]);
	else
		(void)fputs("nothing failed", f);
	lt__say(f, " of %d case%s that ran", n_ran, n_ran == 1 ? "" : "s");
	if (n_late)
		lt__say(f, "; %d not run", n_late);
	if (n_left)
		lt__say(f, "; %d not tried", n_left);
	if (r->o->n_part > 0)
		lt__say(f, "; part %d/%d", r->o->part, r->o->n_part);
	lt__say(f, "; seed %llu, %.1f s\n", (unsigned long long)r->o->seed, r->seconds);
	if (lt__check_exit(r) == LT_EXIT_OPEN)
		lt__say(f, "%s\n", lt__check_is_open(r, all)
			? "more than 1 % of all elements cannot be judged: this says little about the backend"
			: r->n_run ? "not all clauses of the contract were tried: give more --seconds, or none"
			: "nothing was computed, no kernel ran: this says nothing about the backend");
}

static void report_open(const struct check_count *all, FILE *f)
{
	if (all->elements > 0)
		lt__say(f, "rounding may explain any value of %lld of %lld elements, %.2g %%\n", (long long)all->open,
			(long long)all->elements, 100 * (double)all->open / (double)all->elements);
}

static void report_count(const char *name, const struct check_count *c, FILE *f)
{
	if (c->n_case > 0)
		lt__say(f, "%-10s %8d %8d %8d %8d\n", name, c->n[0], c->n[1], c->n[2], c->n[3]);
}

void lt__check_report_all(const struct check_report *r, FILE *f)
{
	struct check_counts counts;
	const char *const *word = lt__check_words;
	lt__check_count(r, &counts);
	lt__say(f, "%-10s %8s %8s %8s %8s\n", "group", word[0], word[1], word[2], word[3]);
	for (int g = 0; g < CHECK_N_GROUP; g++)
		report_count(lt__check_group(g)->name, &counts.group[g], f);
	report_count("all", &counts.all, f);
	report_reasons(r, CHECK_REFUSED, f);
	report_reasons(r, CHECK_SKIPPED, f);
	report_open(&counts.all, f);
	report_verdict(r, &counts.all, f);
}
