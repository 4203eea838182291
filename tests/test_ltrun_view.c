/* test_ltrun_view.c -- the page of lt-run --view: what is in the file, and what a browser (headless Chromium)
 * makes of it. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

/* Line 4 would end the script element, and begin markup, if it were not escaped. */
static void set_up(void)
{
	ltrun_set_up();
	cr_assert_eq(setenv("CC", "false", 1), 0);              /* the machine is not measured: it takes seconds */
	ltrun_write_text("page.lt",
		"$1 = InputTensor(x, float32, [16, 24]);\n$2 = InputTensor(w, float32, [24, 40]);\n$3 = MatMulNode($1, $2);\n"
		"# </script><b id=\"broken\">&amp;\n$4 = ReLUNode($3);\n$5 = SoftmaxNode($4);\nresult = $5;\n$6 = ExpNode($1);\n"
		"$7 = SumNode($6, $1);\nresult other = $7;\n");
}

TestSuite(ltrun_view, .init = set_up, .fini = ltrun_tear_down, .timeout = 300);

static char *page_text(const char *name)
{
	FILE *f = fopen(scratch(name), "r");
	char *text = calloc(1, 1 << 22);

	cr_assert(f && text);
	cr_assert_gt(fread(text, 1, (1 << 22) - 1, f), 0);
	fclose(f);
	return text;
}

static int times(const char *text, const char *word)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

/* The data that is in the page. */
static json_t *page_data(const char *text)
{
	const char *from = strstr(text, "<script id=\"data\" type=\"application/json\">"), *to;
	json_error_t e;
	json_t *data;

	cr_assert_not_null(from);
	from = strchr(from, '>') + 1;
	to = strstr(from, "</script>");
	data = json_loadb(from, (size_t)(to - from), 0, &e);
	cr_assert_not_null(data, "%s", e.text);
	return data;
}

Test(ltrun_view, one_file_with_the_tree_and_the_script)
{
	json_t *data, *line;
	size_t i, leaves = 0, roots = 0;

	cr_assert_eq(run("page.lt -b ref -i '*=random' -q --view=page.html --time=2"), 0, "%s", err);
	cr_assert(!strstr(out, "profile:"), "the table is --profile's");
	char *text = page_text("page.html");
	/* nothing is fetched */
	cr_assert(!strstr(text, "http:") && !strstr(text, "https:") && !strstr(text, " src=") && !strstr(text, "@import"));
	cr_assert_eq(times(text, "</script>"), 2);
	data = page_data(text);
	cr_assert_eq(json_array_size(json_object_get(data, "source")), 10);
	cr_assert_str_eq(json_string_value(json_array_get(json_object_get(data, "source"), 3)),
		"# </script><b id=\"broken\">&amp;");
	cr_assert(json_is_false(json_object_get(data, "model")));
	json_array_foreach(json_object_get(data, "tree"), i, line) {
		const bool leaf = !strcmp(json_string_value(json_object_get(line, "kind")), "leaf");

		leaves += leaf;
		roots += json_integer_value(json_object_get(line, "depth")) == 0;
		cr_assert(!leaf || json_integer_value(json_object_get(line, "line")) >= 3);
		cr_assert(!leaf || json_integer_value(json_object_get(line, "visits")) >= 16);
	}
	cr_assert_geq(leaves, 5);
	cr_assert_eq(roots, json_array_size(json_object_get(data, "nests")));
	json_array_foreach(json_object_get(data, "nests"), i, line)
		cr_assert_gt(json_number_value(json_object_get(line, "ns")), 0);
	json_decref(data);
	free(text);
	cr_assert_eq(run("page.lt -b ref -i '*=random' -q --view=nowhere/page.html --time=1"), 1);
	cr_assert(strstr(err, "nowhere/page.html: cannot be written"), "%s", err);
}

/* What the page is after its scripts have run, and the one that the test adds to it. */
static const char *opened(const char *page, const char *hash, const char *script)
{
	static char dom[1 << 22], said[1 << 16];
	char command[2000], *text = page_text(page), *end = strstr(text, "</body>");
	FILE *f = fopen(scratch("opened.html"), "w");

	cr_assert(f && end);
	fprintf(f, "%.*s<script>%s</script>%s", (int)(end - text), text, script, end);
	fclose(f);
	free(text);
	snprintf(command, sizeof command,
		"cd '%s' && browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) && "
		"HOME=$PWD timeout 120 \"$browser\" --headless --no-sandbox --disable-gpu --user-data-dir=browser "
		"--virtual-time-budget=5000 --dump-dom \"file://$PWD/opened.html%s\"", scratch(""), hash);
	cr_assert_eq(run_command(command, dom, sizeof dom, said, sizeof said), 0, "%s", said);
	return dom;
}

static bool has_browser(void)
{
	char where[4000], none[4000];

	return run_command("command -v chromium || command -v chromium-browser || command -v google-chrome", where,
		sizeof where, none, sizeof none) == 0;
}

Test(ltrun_view, in_a_browser)
{
	const char *dom;

	if (!has_browser())
		cr_skip_test("no Chromium is installed (scripts/setup.sh browser)");
	cr_assert_eq(run("page.lt -b ref -i '*=random' -q --view=page.html --time=2"), 0, "%s", err);
	dom = opened("page.html", "", "");
	cr_expect(strstr(dom, "<h1 id=\"title\">page.lt</h1>"));
	cr_expect_eq(times(dom, "<b id=\"broken\""), 0);
	cr_expect_eq(times(dom, "class=\"row\""), 10);
	cr_expect_geq(times(dom, "data-kernel=\"k0_"), 1);
	cr_expect_geq(times(dom, "class=\"measured\""), 2);
	cr_expect_geq(times(dom, "<b>for m</b>"), 1);
	cr_expect_geq(times(dom, "footprint"), 3);
	/* A link to a line marks it, and the leaves that are made from it. */
	dom = opened("page.html", "#line-3", "");
	cr_expect(strstr(dom, "<div class=\"row on\" id=\"row-3\">"));
	cr_expect_eq(times(dom, "class=\"leaf on\" data-node=\"3"), 2);
	cr_expect_eq(times(dom, "class=\"row on\""), 1);
	/* A click on a leaf marks its line; a search hides what does not fit. */
	dom = opened("page.html", "", "document.querySelector('.leaf[data-row=\"8\"]').click();"
		"document.getElementById('search').value = 'max.reduce';document.getElementById('search').oninput();");
	cr_expect(strstr(dom, "<div class=\"row on\" id=\"row-8\">"));
	cr_expect_geq(times(dom, "class=\"nest hidden\""), 1);
	cr_expect(strstr(dom, "1 of "));
	/* Buttons. */
	dom = opened("page.html", "", "document.getElementById('close').click();document.getElementById('theme').click();");
	cr_expect_eq(times(dom, " open=\"\""), 0);
	cr_expect(strstr(dom, "data-theme=\""));
	/* A link to a nest opens it. */
	char *text = page_text("page.html"), want[200];
	json_t *data = page_data(text);
	const char *name = json_string_value(json_object_get(json_array_get(json_object_get(data, "nests"), 1), "name"));
	snprintf(want, sizeof want, "#%s", name);
	dom = opened("page.html", want, "");
	snprintf(want, sizeof want, "class=\"nest at\" id=\"%s\"", name);
	cr_expect(strstr(dom, want), "%s", want);
	json_decref(data);
	free(text);
}

/* A number that the page's data has after that word, "" where it has none. */
static double number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtod(at + strlen(word), NULL) : -1;
}

/* A nest of a product and of what follows it, whose time goes to their lines by their operations: 2 * 16 * 24 * 40 and
 * 16 * 40.  The line `disturbed` is that of the profile. */
Test(ltrun_view, times_of_lines_and_disturbances)
{
	static const char nest[] =
		"document.title = 'shares ' + (nests.length === 1 ? timeOf.get(3) / timeOf.get(4) : 'many');";

	if (!has_browser())
		cr_skip_test("no Chromium is installed (scripts/setup.sh browser)");
	ltrun_write_text("fused.lt", "$1 = InputTensor(x, float32, [16, 24]);\n$2 = InputTensor(w, float32, [24, 40]);\n"
		"$3 = MatMulNode($1, $2);\n$4 = ReLUNode($3);\nresult = $4;\n");
	cr_assert_eq(run("fused.lt -b ref -i '*=random' -q --view=fused.html --time=2"), 0, "%s", err);
	double ratio = number_after(opened("fused.html", "", nest), "<title>shares ");
	cr_assert(fabs(ratio - 48) < 0.1, "%g", ratio);

	char *text = page_text("fused.html"), *at = strstr(text, "\"lost_processor\":"), *calm, *busy;
	cr_assert_not_null(at);
	at += strlen("\"lost_processor\":");
	const char *rest = at + strcspn(at, ",}");
	cr_assert(asprintf(&calm, "%.*s0%s", (int)(at - text), text, rest) > 0
		&& asprintf(&busy, "%.*s7.25%s", (int)(at - text), text, rest) > 0);
	ltrun_write_text("calm.html", calm);
	ltrun_write_text("busy.html", busy);
	cr_expect(!strstr(opened("calm.html", "", ""), "disturbed: threads lost their processor 0"));
	cr_expect(strstr(opened("busy.html", "", ""), "disturbed: threads lost their processor 7.25 times a run"));
	free(calm);
	free(busy);
	free(text);
}

#define DENSE "--dim batch=3 $OLDPWD/tests/standalone/dense.onnx"

/* A model has no lines: its graph stands there, each line with the node of the model. */
Test(ltrun_view, of_a_model)
{
	json_t *data, *line;
	size_t i, n = 0;

	if (run("--dump=graph " DENSE))
		cr_skip_test("the frontend onnx was not built");
	cr_assert_eq(run(DENSE " -b ref -i '*=random' -c '*=random' -q --view=page.html --time=1"), 0, "%s", err);
	char *text = page_text("page.html");
	data = page_data(text);
	cr_assert(json_is_true(json_object_get(data, "model")));
	json_array_foreach(json_object_get(data, "source"), i, line)
		n += strstr(json_string_value(line), "  # ") != NULL;
	cr_assert_geq(n, 1);
	if (has_browser())
		cr_expect_geq(times(opened("page.html", "#line-4", ""), "class=\"leaf"), 1);
	json_decref(data);
	free(text);
}
