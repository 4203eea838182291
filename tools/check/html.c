/* html.c -- the support matrix as a page: operator by element type, groups, failures, refusals.
 *
 * One file, no script, no address: it can be read on a phone, printed and kept.  Colours say nothing that a sign does
 * not say, too.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check/check.h"

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--back:#fff;--pass:#d7f2dc;"
	"--part:#fdf0c4;--refuse:#e4e7eb;--fail:#ffd3cf}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--line:#3b434b;--back:#0f1317;--pass:#143d24;"
	"--part:#4a3a0c;--refuse:#2a3038;--fail:#5c1a17}}\n"
	"body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);margin:0 auto;max-width:64rem;"
	"padding:1.5rem 1rem}\n"
	"h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}p{margin:.3rem 0}.soft{color:var(--soft)}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
	"th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:center}"
	"th:first-child,td:first-child{text-align:left}\n"
	"tbody th{font-weight:500;white-space:nowrap;position:sticky;left:0;background:var(--back)}"
	"thead th{font-weight:600}\n"
	".p{background:var(--pass)}.m{background:var(--part)}.r{background:var(--refuse)}.f{background:var(--fail);"
	"font-weight:700}.n{color:var(--soft)}\n"
	"td.l{text-align:left}td small{font-size:.75rem}td a{color:inherit}:target{outline:2px solid var(--soft)}"
	"details{margin:.3rem 0;border:1px solid var(--line);border-radius:4px;padding:.4rem .7rem}summary{cursor:pointer;"
	"overflow-wrap:anywhere}\n"
	"pre,code{font:.8125rem/1.45 ui-monospace,monospace}"
	"pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}\n"
	"@media print{body{max-width:none;padding:0;font-size:11px}details{break-inside:avoid}tbody th{position:static}"
	"td,th{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

static void html_text(FILE *f, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': (void)fputs("&amp;", f); break;
		case '<': (void)fputs("&lt;", f); break;
		case '>': (void)fputs("&gt;", f); break;
		case '"': (void)fputs("&quot;", f); break;
		case '\'': (void)fputs("&#39;", f); break;
		default:
			if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
				(void)fputc(*text, f);
		}
}

/* As fprintf, of %s, %d and %.1f; what %s stands for is text, and no markup. */
__attribute__((format(printf, 2, 3))) static void html(FILE *f, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	for (; *fmt; fmt++)
		if (*fmt != '%') {
			(void)fputc(*fmt, f);
		} else if (*++fmt == 's') {
			html_text(f, va_arg(list, const char *));
		} else if (*fmt == 'd') {
			(void)fprintf(f, "%d", va_arg(list, int));
		} else {
			(void)fprintf(f, "%.1f", va_arg(list, double));
			fmt += 2;
		}
	va_end(list);
}

/* -- reasons: each once, the one that stands for most cases first -- */

/* Numbered from 1; the sign makes the names of the places that the matrix points to. */
static void write_reasons(const struct check_report *r, const struct check_reasons *l, const char *sign,
	const char *title, const char *words, FILE *f)
{
	if (l->n > 0)
		html(f, "<h2>%s</h2>\n<p class=soft>%s</p>\n", title, words);
	for (int k = 0; k < l->n; k++) {
		const struct check_reason *reason = &l->at[k];
		html(f, "<details id=%s%d><summary><b>%d.</b> %s <span class=soft>(%d case%s)</span></summary><pre>", sign, k + 1,
			k + 1, reason->text[0] ? reason->text : "not reached", (int)reason->n, reason->n == 1 ? "" : "s");
		for (int32_t i = 0; i < r->n; i++)
			if (lt__check_status(r, i) == l->status && !strcmp(r->outcome[i].text, reason->text))
				html(f, "%s\n", r->c[i].name);
		html(f, "</pre></details>\n");
	}
}

/* -- the matrix -- */

struct cell { int n[4]; bool *why; };           /* why: by reason of a refusal, whether it has it */
struct html_row { const char *name; struct cell cell[LT_NDTYPE]; };

static int32_t fill_rows(
	const struct check_report *r, const struct check_reasons *refused, struct html_row *rows, bool *why)
{
	int32_t n = 0, k;
	for (int32_t i = 0; i < r->n; i++) {
		const struct check_case *c = &r->c[i];
		if (!c->row || !c->column)
			continue;
		for (k = 0; k < n && strcmp(rows[k].name, c->row); k++)
			;
		if (k == n)
			rows[n++].name = c->row;
		struct cell *cell = &rows[k].cell[c->column];
		cell->why = why + ((size_t)k * LT_NDTYPE + (size_t)c->column) * (size_t)refused->n;
		cell->n[lt__check_status(r, i)]++;
		if (lt__check_status(r, i) == CHECK_REFUSED)
			cell->why[lt__check_reason_find(refused, r->outcome[i].text)] = true;
	}
	return n;
}

static void write_cell(FILE *f, const struct cell *c, int32_t n_reason)
{
	int all = c->n[0] + c->n[1] + c->n[2];
	bool failed = c->n[CHECK_FAILED] > 0, refused = c->n[CHECK_REFUSED] > 0, passed = c->n[CHECK_PASSED] > 0;
	if (all == 0) {
		html(f, c->n[CHECK_SKIPPED] ? "<td class=n>&ndash;</td>" : "<td class=n>&middot;</td>");
		return;
	}
	if (failed)
		html(f, "<td class=f>&#10007; %d/%d", c->n[CHECK_FAILED], all);
	else if (!refused)
		html(f, "<td class=p>&#10003; %d", all);
	else if (passed)
		html(f, "<td class=m>&#9680; %d/%d", c->n[CHECK_PASSED], all);
	else
		html(f, "<td class=r>&#9675;");
	for (int k = 0, n = 0; refused && k < n_reason; k++)
		if (c->why[k]) {
			html(f, n++ ? ", " : " <small>[");
			html(f, "<a href=#r%d>%d</a>", k + 1, k + 1);
		}
	html(f, refused ? "]</small></td>" : "</td>");
}

static void write_matrix(const struct check_report *r, const struct check_reasons *refused, FILE *f)
{
	struct html_row *rows = calloc((size_t)r->n + 1, sizeof *rows);
	bool *why = calloc(((size_t)r->n + 1) * LT_NDTYPE * ((size_t)refused->n + 1), sizeof *why);
	int32_t n = rows && why ? fill_rows(r, refused, rows, why) : 0;
	if (n > 0) {
		html(f, "<h2>Operators by element type</h2>\n<p class=soft>&#10003; all cases passed &nbsp; &#9680; some are "
			"refused: how many passed &nbsp; &#9675; all are refused &nbsp; [1] why, by the numbers below &nbsp; &#10007; "
			"some failed: how many &nbsp; &ndash; skipped &nbsp; &middot; not applicable</p>\n"
			"<div class=wide><table><thead><tr><th>operator</th>");
		for (int t = 1; t < LT_NDTYPE; t++)
			html(f, "<th>%s</th>", lt__dtype_info((enum lt_dtype)t)->name);
		html(f, "</tr></thead><tbody>\n");
		for (int32_t i = 0; i < n; i++) {
			html(f, "<tr><th>%s</th>", rows[i].name);
			for (int t = 1; t < LT_NDTYPE; t++)
				write_cell(f, &rows[i].cell[t], refused->n);
			html(f, "</tr>\n");
		}
		html(f, "</tbody></table></div>\n");
	}
	free(rows);
	free(why);
}

/* -- groups -- */

static void write_groups(const struct check_counts *counts, FILE *f)
{
	html(f, "<h2>Groups</h2>\n<div class=wide><table><thead><tr><th>group</th><th>passed</th><th>refused</th>"
		"<th>failed</th><th>skipped</th><th>seconds</th><th>what</th></tr></thead><tbody>\n");
	for (int g = 0; g < CHECK_N_GROUP; g++) {
		const int *n = counts->group[g].n;
		if (counts->group[g].n_case > 0)
			html(f, "<tr><th>%s</th><td class=%s>%d</td><td class=%s>%d</td><td class=%s>%d</td><td class=n>%d</td>"
				"<td>%.1f</td><td class=l>%s</td></tr>\n", lt__check_group(g)->name, n[0] ? "p" : "n", n[0],
				n[1] ? "r" : "n", n[1], n[2] ? "f" : "n", n[2], n[3], counts->group[g].seconds, lt__check_group(g)->doc);
	}
	html(f, "</tbody></table></div>\n");
}

/* -- failures -- */

static void write_failures(const struct check_report *r, FILE *f)
{
	struct check_row row;
	for (int32_t i = 0, n = 0; i < r->n; i++) {
		if (lt__check_status(r, i) != CHECK_FAILED)
			continue;
		if (n++ == 0)
			html(f, "<h2>Failures</h2>\n");
		lt__check_row(r, i, &row);
		html(f, "<details open><summary><code>%s</code></summary><p>%s</p><pre>%s</pre>", row.name, row.text, row.repeat);
		if (row.more)
			html(f, "<pre>%s</pre>", row.more);
		html(f, "</details>\n");
	}
}

lt_status lt__check_html(const struct check_report *r, FILE *f)
{
	struct check_reasons refused = lt__check_reasons(r, CHECK_REFUSED), skipped = lt__check_reasons(r, CHECK_SKIPPED);
	struct check_counts counts;
	const struct lt_backend *b = r->backend;
	char seed[24];
	lt__check_count(r, &counts);
	const int *n = counts.all.n;
	(void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->o->seed);
	html(f, "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
		"content=\"width=device-width,initial-scale=1\">\n<title>lt-check: %s</title>\n<style>\n", b->name);
	(void)fputs(style, f);
	html(f, "</style></head><body>\n<h1>%s: %s</h1>\n<p>%d passed, %d refused, %d failed, %d skipped</p>\n"
		"<p class=soft>%s; version %s; seed %s; %.1f s", r->o->word, n[2] ? "failed" : "nothing failed", n[0], n[1], n[2],
		n[3], b->summary ? b->summary : "", b->version ? b->version : "", seed, r->seconds);
	if (r->o->filter)
		html(f, "; only the cases that fit <code>%s</code>", r->o->filter);
	if (r->o->n_part > 0)
		html(f, "; part %d/%d", r->o->part, r->o->n_part);
	html(f, "</p>\n");
	write_failures(r, f);
	write_matrix(r, &refused, f);
	write_reasons(r, &refused, "r", "Why cases are refused", "A refusal is an answer, not a fault. A line opens to the "
		"cases that it stands for.", f);
	write_groups(&counts, f);
	write_reasons(r, &skipped, "s", "Why cases are skipped", "These were not tried.", f);
	free(refused.at);
	free(skipped.at);
	html(f, "</body></html>\n");
	return ferror(f) ? LT_EIO : LT_OK;
}
