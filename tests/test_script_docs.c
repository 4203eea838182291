/* test_script_docs.c -- docs/script.md says what is so: its examples run, its tables are nodes.def and infix.def;
 * the scripts in tests/golden/err are refused with their messages (LT_BLESS=1 rewrites those). */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/script/reader.h"
#include "tests/script_run.h"

/* Text between a fence "```kind" at or after *at and its end; moves *at after it.  NULL: no more. */
static char *fenced(const char **at, const char *kind)
{
	char fence[32];
	snprintf(fence, sizeof fence, "```%s\n", kind);
	const char *begin = strstr(*at, fence);
	if (!begin)
		return NULL;
	begin += strlen(fence);
	const char *end = strstr(begin, "```");
	*at = end + 3;
	return strndup(begin, (size_t)(end - begin));
}

static bool names_type(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = text; (p = strstr(p, name)); p += n)
		if (p[n] == '(' && p > text && p[-1] == ' ')
			return true;
	return false;
}

Test(script_docs, every_example_gives_its_values)
{
	char *docs = script_file("docs/script.md", NULL), *script, *values;
	cr_assert(docs);
	const char *at = docs;
	int examples = 0;
	while ((script = fenced(&at, "lt"))) {
		int n_checked;
		values = fenced(&at, "values");
		const char *bad = script_run(script, "example", values, &n_checked);
		cr_expect(!bad, "%s\n%s", bad, script);
		cr_expect(n_checked > 0, "no value is compared:\n%s", script);
		examples++;
		free(script);
		free(values);
	}
	cr_assert_gt(examples, 30);
	free(docs);
}

/* Its patterns and lines of documentation in the table, and a use in an example, for each type of node. */
Test(script_docs, every_node_is_there)
{
	char *docs = script_file("docs/script.md", NULL), *words = script_file("tests/fuzz/script.dict", NULL), *script;
	size_t used = 0;
	char *examples = strdup("");
	cr_assert(docs);
	for (const char *at = docs; (script = fenced(&at, "lt")); free(script)) {
		examples = realloc(examples, used + strlen(script) + 1);
		strcpy(examples + used, script);
		used += strlen(script);
	}
	static struct lt_script_node nodes[256];
	cr_assert(words);
	int32_t n_node = lt__script_nodes(nodes, 256);
	cr_assert_leq(n_node, 256);
	for (int32_t i = 0; i < n_node; i++) {
		struct lt_script_node node = nodes[i];
		char row[512], pattern[256];
		size_t n = 0;
		for (const char *p = node.pattern; *p; p++) {
			if (*p == '|')
				pattern[n++] = '\\';
			pattern[n++] = *p;
		}
		pattern[n] = 0;
		snprintf(row, sizeof row, "| `%s(%s)` | %s |\n", node.name, pattern, node.doc);
		cr_expect(strstr(docs, row), "this line has to stand in the table of docs/script.md:\n%s", row);
		cr_expect(names_type(examples, node.name), "no example uses %s", node.name);
		snprintf(row, sizeof row, "\"%s(\"\n", node.name);
		cr_expect(strstr(words, row), "this line has to stand in tests/fuzz/script.dict: %s", row);
	}
	free(words);
	free(examples);
	free(docs);
}

struct table_operator { const char *symbol; int level; const char *node; bool prefix; };

/* A row a level, with all its operators and then all their nodes. */
Test(script_docs, every_operator_is_there)
{
	static const struct table_operator operators[] = {
#define INFIX(symbol, level, node) { symbol, level, #node, false },
#define PREFIX(symbol, level, node) { symbol, level, #node, true },
#include "frontends/script/infix.def"
	};
	char *docs = script_file("docs/script.md", NULL);
	int found = 0, n = sizeof operators / sizeof *operators;
	cr_assert(docs);
	for (int level = 1; found < n; level++) {
		char symbols[200] = "", nodes[300] = "", row[sizeof symbols + sizeof nodes + 32];
		for (int i = 0; i < n; i++) {
			const struct table_operator *o = &operators[i];
			if (o->level != level)
				continue;
			sprintf(symbols + strlen(symbols), " `%s%s%s`", *o->symbol == '|' ? "\\" : "", o->symbol, o->prefix ? "x" : "");
			sprintf(nodes + strlen(nodes), " `%s`", o->node);
			found++;
		}
		snprintf(row, sizeof row, "| %d |%s |%s |\n", level, symbols, nodes);
		cr_expect(strstr(docs, row), "this line has to stand in the table of docs/script.md:\n%s", row);
	}
	free(docs);
}

static void check_error(const char *path, bool bless)
{
	char other[600];
	size_t bytes;
	char *script = script_file(path, &bytes);
	snprintf(other, sizeof other, "%.*s.err", (int)strlen(path) - 3, path);
	struct lt_context *ctx;
	struct lt_graph *g = NULL;
	lt_context_new(&ctx);
	lt_status status = lt_parse(ctx, script, bytes, path, NULL, &g);
	cr_expect(status != LT_OK && !g, "%s is not refused", path);
	if (bless) {
		FILE *f = fopen(other, "w");
		fprintf(f, "%s\n", lt_context_message(ctx));
		fclose(f);
	}
	char *want = script_file(other, NULL);
	cr_assert(want, "%s is missing", other);
	want[strcspn(want, "\n")] = 0;
	cr_expect_str_eq(lt_context_message(ctx), want);
	cr_expect_eq(lt_context_code(ctx), status);
	free(want);
	free(script);
	lt_context_free(ctx);
}

Test(script_docs, every_error_has_its_message)
{
	DIR *dir = opendir("tests/golden/err");
	int n = 0;
	cr_assert(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		size_t length = strlen(d->d_name);
		char path[512];
		if (length < 3 || strcmp(d->d_name + length - 3, ".lt"))
			continue;
		snprintf(path, sizeof path, "tests/golden/err/%.400s", d->d_name);
		check_error(path, getenv("LT_BLESS") != NULL);
		n++;
	}
	closedir(dir);
	cr_assert_gt(n, 60);
}
