/* test_check_report.c -- the page that lt-check --report writes: whole, and readable on paper. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"
#include "tests/ltcheck.h"
#include "tests/script_run.h"
#include "tools/check/check.h"

TestSuite(check_report, .timeout = 60, .fini = scratch_remove);

#define out ltcheck_out
#define err ltcheck_err
#define lt_check ltcheck

/* Each tag that is opened is closed, in order; those that hold nothing need not be. */
static bool is_balanced(const char *text, char *why, size_t bytes)
{
	static const char *const empty[] = { "meta", "br", "hr", "img", "link", "input", "col" };
	char open[64][20];
	int depth = 0;
	for (const char *at = text; (at = strchr(at, '<')); at++) {
		bool ends = at[1] == '/', holds = true;
		char name[20] = "";
		if (!isalpha((unsigned char)at[1 + ends]))
			continue;
		for (size_t i = 0; i + 1 < sizeof name && isalnum((unsigned char)at[1 + ends + i]); i++)
			name[i] = at[1 + (size_t)ends + i];
		for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
			holds = holds && strcmp(name, empty[i]) != 0;
		if (!holds)
			continue;
		(void)snprintf(why, bytes, "%s at %.60s", name, at);
		if (!ends && depth < 64)
			memcpy(open[depth++], name, sizeof name);
		else if (!ends || depth == 0 || strcmp(open[--depth], name) != 0)
			return false;
	}
	return depth == 0;
}

/* One element in a hundred of a whole suite may be open; of some cases that are chosen, more. */
Test(check_report, open_elements_are_counted)
{
	struct check_options o = { .backend = "ref", .seed = 1 };
	struct check_case c[2] = { { .group = CHECK_op, .name = "op/a" }, { .group = CHECK_random, .name = "random/b" } };
	struct check_outcome outcome[2] = { { .done = true, .elements = 900, .open = 10 },
		{ .done = true, .elements = 100, .open = 0 } };
	struct check_report r = { .o = &o, .backend = lt_backend_find("ref"), .c = c, .n = 2, .outcome = outcome, .n_run = 2 };
	struct check_counts counts;
	char *text;
	size_t bytes;
	for (int more = 0; more < 2; more++) {
		outcome[1].open = more;
		FILE *f = open_memstream(&text, &bytes);
		cr_assert_not_null(f);
		lt__check_report_all(&r, f);
		cr_assert_eq(fclose(f), 0);
		lt__check_count(&r, &counts);
		cr_expect(counts.all.elements == 1000 && counts.all.open == 10 + more && counts.group[CHECK_op].open == 10);
		cr_expect_eq(lt__check_exit(&r), more ? 3 : 0);
		cr_expect_not_null(strstr(text, more ? "rounding may explain any value of 11 of 1000 elements, 1.1 %\n"
			: "rounding may explain any value of 10 of 1000 elements, 1 %\n"), "%s", text);
		cr_expect_eq(strstr(text, "more than 1 % of all elements cannot be judged") != NULL, more, "%s", text);
		free(text);
	}
	o.filter = "op/*";
	cr_expect_eq(lt__check_exit(&r), 0);
}

Test(check_report, json_has_the_elements)
{
	json_error_t e;
	cr_expect_eq(lt_check("-b ref --filter op/exp/f32/prime/* --json"), 0, "%s%s", out, err);
	json_t *all = json_loads(out, 0, &e);
	cr_assert_not_null(all, "%s", e.text);
	cr_expect_gt(json_integer_value(json_object_get(all, "elements")), 100);
	cr_expect(json_is_integer(json_object_get(all, "open")) && json_integer_value(json_object_get(all, "open")) == 0);
	json_decref(all);
}

Test(check_report, it_is_a_page)
{
	char why[200] = "";
	size_t bytes;
	cr_expect_eq(lt_check("-B %s --filter 'op/m*' --report r.html", built("tests/faults/nan.so")), 1, "%s%s", out, err);
	char *html = script_file(scratch("r.html"), &bytes);
	cr_assert_not_null(html);
	cr_expect(is_balanced(html, why, sizeof why), "%s", why);
	static const char *const words[] = { "<html", "<table", "max", "mod", "f32", "bf16", "nan",
		"the reference has nan", "--filter op/max/f32/below" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		cr_expect_not_null(strstr(html, words[i]), "%s is not in the report", words[i]);
	free(html);
	cr_expect_eq(lt_check("-b ref --filter 'op/exp/f32/prime/*' --report no/such/folder/r.html"), 1, "%s%s", out, err);
}

/* Number of the reason in the list below the matrix; 0: it is not there. */
static int reason_number(const char *html, const char *text)
{
	char item[600];
	for (int k = 1; ; k++) {
		(void)snprintf(item, sizeof item, "<details id=r%d><summary><b>%d.</b> ", k, k);
		const char *at = strstr(html, item);
		if (!at)
			return 0;
		at += strlen(item);
		if (strncmp(at, text, strlen(text)) == 0 && strncmp(at + strlen(text), " <span", 6) == 0)
			return k;
	}
}

/* The text of the matrix' cell. */
static const char *cell_text(const char *html, const char *op, const char *type, char *to, size_t bytes)
{
	char word[64];
	(void)snprintf(word, sizeof word, "<th>%s</th>", type);
	const char *head = strstr(html, "<th>operator</th>"), *column = strstr(head, word), *row;
	(void)snprintf(word, sizeof word, "<tr><th>%s</th>", op);
	row = strstr(html, word);
	cr_assert(column && row, "%s %s", op, type);
	for (const char *at = head; (at = strstr(at, "</th>")) && at < column; at++)
		row = strstr(row + 1, "<td");
	(void)snprintf(to, bytes, "%.*s", (int)(strstr(row, "</td>") - row), row);
	return to;
}

/* What a cell has refused is inside the matrix, in words, by the number that the cell names: nothing has to be pointed
 * at. */
Test(check_report, it_says_why_without_a_mouse)
{
	char path[600], cell[2000], why[200] = "", number[48];
	size_t bytes, i, n_refused = 0;
	json_error_t e;
	(void)snprintf(path, sizeof path, "%s", built("tests/plugins/narrow.so"));
	cr_expect_eq(lt_check("-B %s --filter 'op/m*' --no-reduce --json --report r.html", path), 1, "%s%s", out, err);
	char *html = script_file(scratch("r.html"), &bytes);
	json_t *all = json_loads(out, 0, &e), *c;
	cr_assert(html && all, "%s", e.text);
	cr_expect(is_balanced(html, why, sizeof why), "%s", why);
	cr_expect(strstr(html, "only the cases that fit <code>op/m*</code>") && !strstr(html, "title="));
	json_array_foreach(json_object_get(all, "cases"), i, c) {
		char op[32], type[32];
		const char *text = json_string_value(json_object_get(c, "text")),
			   *name = json_string_value(json_object_get(c, "name"));
		if (strcmp(json_string_value(json_object_get(c, "status")), "refused") != 0)
			continue;
		n_refused++;
		int k = reason_number(html, text);
		cr_assert(k > 0, "'%s' is not in the list", text);
		cr_assert_eq(sscanf(name, "op/%31[^/]/%31[^/]/", op, type), 2);
		(void)snprintf(number, sizeof number, "<a href=#r%d>%d</a>", k, k);
		cr_expect(strstr(cell_text(html, op, type, cell, sizeof cell), number), "%s, %s: %s", name, number, cell);
	}
	cr_expect_gt(n_refused, 50);
	cr_expect(reason_number(html, "it has no vector loops") == 1, "the one that stands for most is the first");
	json_decref(all);
	free(html);
}
