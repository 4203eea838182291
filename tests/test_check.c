/* test_check.c -- lt-check on backends that are right, and on plug-ins with one planted fault each
 * (tests/faults). */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ir/graph/graph.h"
#include "lt/context.h"
#include "tests/built.h"
#include "tests/ltcheck.h"
#include "tests/script_run.h"

TestSuite(check, .timeout = 120, .fini = scratch_remove);

#define out ltcheck_out
#define err ltcheck_err
#define lt_check ltcheck

/* A plug-in, the cases that are to find its fault, how their names begin, and words of what is said (none where a
 * sanitizer may be first). */
static const struct row { const char *plugin, *options, *group, *words; } rows[] = {
#include "tests/check_faults.def"
};
enum { N_ROW = sizeof rows / sizeof *rows };

static const char *fault(const char *name)
{
	static char path[600];
	(void)snprintf(path, sizeof path, "tests/faults/%s.so", name);
	return built(path);
}

ParameterizedTestParameters(check, each_fault_is_caught)
{
	static int at[N_ROW];
	for (int i = 0; i < N_ROW; i++)
		at[i] = i;
	return cr_make_param_array(int, at, N_ROW);
}

ParameterizedTest(int *at, check, each_fault_is_caught)
{
	const struct row *r = &rows[*at];
	char line[200];
	cr_assert_eq(lt_check("-B %s --no-reduce %s", fault(r->plugin), r->options), 1, "%s: %s%s", r->plugin, out, err);
	(void)snprintf(line, sizeof line, "FAILED %s", r->group);
	cr_expect_not_null(strstr(out, line), "%s: %s", r->plugin, out);
	cr_expect_not_null(strstr(out, r->words), "%s: %s", r->plugin, out);
	cr_expect_not_null(strstr(out, ": FAILED: "), "%s: %s", r->plugin, out);
}

/* Each file of the folder is in the table, but the one without a fault. */
Test(check, every_fault_is_in_the_table)
{
	char command[700];
	(void)snprintf(command, sizeof command, "ls %s", built("tests/faults"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0);
	int n = 0;
	for (char *at = strtok(out, "\n"); at; at = strtok(NULL, "\n")) {
		char *end = strstr(at, ".so");
		bool known = !end || end[3];
		if (end)
			*end = '\0';
		n += !known && strcmp(at, "none") != 0;
		for (int i = 0; i < N_ROW; i++)
			known = known || !strcmp(rows[i].plugin, at);
		cr_expect(known || !strcmp(at, "none"), "%s is tried by nothing", at);
	}
	for (int i = 0, k; i < N_ROW; n -= k == i, i++)         /* a row for each, some have two */
		for (k = 0; strcmp(rows[k].plugin, rows[i].plugin) != 0; k++)
			;
	cr_expect_eq(n, 0);
}

/* Of the cases that are alike each sees what no other does. */
ParameterizedTestParameters(check, some_are_caught_by_one_case)
{
	static int at[] = { 0, 1, 2, 3, 4, 5, 6 };
	return cr_make_param_array(int, at, sizeof at / sizeof *at);
}

ParameterizedTest(int *at, check, some_are_caught_by_one_case)
{
	static const char *const only[][2] = { { "plan_by_tree", "accepts/forgets" }, { "looks_back", "memory/trees" },
		{ "writes_tree", "memory/trees" }, { "keeps_config", "memory/borrowed" },
		{ "shared_queue", "threads/turns" }, { "environment", "errors/environment" },
		{ "environ", "errors/environment" } };
	static const char *const alike[] = { "slots/async", "accepts/again", "accepts/forgets", "memory/trees",
		"memory/borrowed", "threads/turns", "errors/environment" };
	int n = 0;
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
		bool own = !strcmp(only[*at][1], alike[i]);
		cr_expect_eq(lt_check("-B %s --no-reduce --filter '%s'", fault(only[*at][0]), alike[i]), own,
			"%s: %s: %s", only[*at][0], alike[i], out);
		n += own;
	}
	cr_expect_eq(n, 1, "%s", only[*at][0]);
}

/* A call of getenv is heard after many of another file's. */
Test(check, getenv_is_heard_by_file)
{
	cr_expect_eq(lt_check("-B %s -B %s --no-reduce --filter 'errors/environment'", built("tests/plugins/asks.so"),
			     fault("environment")),
		1);
	cr_expect_not_null(strstr(out, "the environment variable ENVIRONMENT_OF_A_FAULT"), "%s%s", out, err);
}

/* The cases that find faults find none in what they are planted in, loaded or linked in. */
Test(check, what_has_no_fault_passes)
{
	static const char *const filters[] = { "op/exp/*", "op/max/*", "op/mod/*", "*/view=pad/*", "reduce/*/f32/*",
		"gather/*", "param/*/f32/*", "state/*", "slots/sentinels", "slots/page", "slots/async", "threads/turns",
		"memory/trees", "memory/borrowed", "reduce/*/*ed", "op/*/outer/*", "op/*/view=flatten/*",
		"op/*/padded/*", "product/*/prime/nested", "reduce/*/strips", "errors/*", "accepts/*", "optional/*" };
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		cr_expect_eq(lt_check("-B %s --filter '%s'", fault("none"), filters[i]), 0, "%s: %s%s", filters[i], out, err);
		cr_expect_not_null(strstr(out, "nothing failed"), "%s: %s", filters[i], out);
	}
	cr_expect_eq(lt_check("-b ref --filter 'op/div/*'"), 0, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "\nref 1: nothing failed of "), "%s", out);
	cr_expect_not_null(strstr(out, " cases that ran; seed 1, "), "%s", out);
}

/* Of the backends that offer more, what they offer; llvm is built where there is an LLVM. */
Test(check, what_is_offered_keeps_the_contract)
{
	static const struct { const char *plugin, *name, *filter; } more[] = { { "", "cpu", "optional/*" },
		{ "backends/llvm", "llvm", "optional/*" }, { "backends/llvm", "llvm", "threads/sessions" },
		{ "backends/llvm", "llvm", "errors/environment" },
		{ "examples/plugin/trace", "trace", "optional/*" } };
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		char path[600];
		(void)snprintf(path, sizeof path, "%.590s.so", built(more[i].plugin));
		if (!strncmp(more[i].name, "llvm", 4) && access(path, R_OK))
			continue;
		bool linked = !more[i].plugin[0];
		cr_expect_eq(lt_check("%s%s -b %s --filter '%s'", linked ? "" : "-B ", linked ? "" : path, more[i].name,
				     more[i].filter),
			0, "%s: %s%s", more[i].name, out, err);
	}
}

/* A backend is not asked about what its caps do not name; that is refused, with the host's reason. */
Test(check, caps_refuse_first)
{
	char path[600];
	(void)snprintf(path, sizeof path, "%s", built("tests/plugins/narrow.so"));
	cr_expect_eq(lt_check("-B %s --filter 'op/copy/f64/prime/*' -v", path), 0, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "it does not take elements of f64\n"), "%s", out);
	cr_expect_eq(lt_check("-B %s --filter 'op/less/f32/*' -v", path), 0, "%s%s", out, err);
	cr_expect(strstr(out, "it does not take elements of bool") && !strstr(out, "FAILED"), "%s", out);
}

/* -- reduced failures -- */

/* Runs the first line of what was printed that begins with the words, with the built programs in the path; its exit
 * code. */
static int run_line(const char *text, const char *words, char *to, size_t bytes)
{
	char command[4096], path[600];
	const char *at = strstr(text, words);
	cr_assert_not_null(at, "%s is not in: %s", words, text);
	(void)snprintf(path, sizeof path, "%s", built(""));
	(void)snprintf(command, sizeof command, "cd %s && PATH=%s:$PATH && %.*s", scratch(""), path,
		(int)strcspn(at, "\n"), at);
	return run_command(command, to, bytes, err, sizeof err);
}

/* The script that the line names. */
static char *script_of(const char *text)
{
	char path[1200];
	size_t bytes;
	const char *at = strstr(text, "--script ");
	cr_assert_not_null(at, "%s", text);
	at += strlen("--script ");
	(void)snprintf(path, sizeof path, "%s/%.*s", scratch(""), (int)strcspn(at, " \n"), at);
	char *script = script_file(path, &bytes);
	cr_assert_not_null(script, "%s: %s", path, text);
	return script;
}

static int count_computed(const char *script)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	int n = 0;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, script, strlen(script), "reduced", &g), LT_OK, "%s: %s",
		lt_context_message(ctx), script);
	for (lt_node x = 0; x < g->n_node; x++)
		n += g->node[x].op != LT_OP_input && g->node[x].op != LT_OP_constant && g->node[x].op != LT_OP_state
			&& g->node[x].op != LT_OP_lit;
	lt_graph_free(g);
	lt_context_free(ctx);
	return n;
}

/* max: nodes that compute; values: lt-run --verify sees it, too. */
static const struct small { const char *plugin, *filter; int max; bool values, tree; } smalls[] = {
	{ "past_end",     "op/copy/f32/power/*", 0, false, false },
	{ "max_identity", "param/greatest/f32/*", 2, true, false },
	{ "no_guard",     "op/*/view=pad/drawn/*", 2, true, false },
	{ "no_tail",      "op/*/drawn/*", 2, true, true },
	{ "strides",      "op/*/view=permute/*", 2, true, false },
	{ "nan",          "op/max/f32/*", 2, true, false },
	{ "trunc_div",    "op/div/i64/*", 1, true, false },
	{ "half_round",   "op/mul/f16/*", 3, true, false },
	{ "zero_trip",    "op/exp/f32/zero/*", 1, false, false },
	{ "bool_mask",    "op/eq/f32/*", 1, false, false },
};
enum { N_SMALL = sizeof smalls / sizeof *smalls };

ParameterizedTestParameters(check, a_failure_is_reduced)
{
	static int at[N_SMALL];
	for (int i = 0; i < N_SMALL; i++)
		at[i] = i;
	return cr_make_param_array(int, at, N_SMALL);
}

ParameterizedTest(int *at, check, a_failure_is_reduced)
{
	static char more[1 << 16];
	const struct small *r = &smalls[*at];
	cr_assert_eq(lt_check("-B %s --filter '%s'", fault(r->plugin), r->filter), 1, "%s: %s%s", r->plugin, out, err);
	cr_assert_not_null(strstr(out, "  reduced to "), "%s: %s", r->plugin, out);
	char *script = script_of(out);
	cr_expect_leq(count_computed(script), r->max, "%s: %s", r->plugin, script);
	cr_expect_eq(run_line(out, "lt-check -B", more, sizeof more), 1, "the case: %s: %s%s", r->plugin, more, err);
	char *again = strstr(out, "--script");
	while (again > out && again[-1] != '\n')
		again--;
	cr_expect_eq(run_line(again, "lt-check -B", more, sizeof more), 1, "%s: %s%s", r->plugin, more, err);
	cr_expect_not_null(strstr(more, "FAILED kept/"), "%s: %s", r->plugin, more);
	cr_expect_eq(strncmp(again, "  lt-check", 10), 0);
	const char *tree = strstr(again, "--schedule ");
	cr_expect(!r->tree || (tree && tree < again + strcspn(again, "\n")), "%s: %s", r->plugin, again);
	if (r->values) {
		int code = run_line(again, "lt-run -B", more, sizeof more);
		cr_expect_eq(code, 1, "%s: %s%s", r->plugin, more, err);
		cr_expect_not_null(strstr(err, "verification failed"), "%s: %s%s", r->plugin, more, err);
	}
	free(script);
}

Test(check, a_script_of_its_own)
{
	FILE *f = fopen(scratch("a.lt"), "w");
	cr_assert_not_null(f);
	fputs("graph 1\nvar m 5\n%x = f32[m] input \"x\"\n%y = f32[m] exp %x\nresult \"y\" = %y\n", f);
	fclose(f);
	cr_expect_eq(lt_check("-b ref --script a.lt --data 7/0/10/0"), 0, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "passed a.lt"), "%s", out);
	cr_expect_eq(lt_check("-b ref --script a.lt --data 7/9/10/0"), 2, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "SEED/SET/SPECIAL/WILD is expected"), "%s", err);
	f = fopen(scratch("b.lt"), "w");
	cr_assert_not_null(f);
	fputs("$1 = InputTensor(x, float32, [3, 5]);\n$2 = ReLUNode($1);\nresult = $2;\n", f);
	fclose(f);
	cr_expect_eq(lt_check("-b ref --script b.lt"), 0, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "passed b.lt"), "%s", out);
	cr_expect_eq(lt_check("-b ref --script none.lt"), 2, "%s%s", out, err);
	cr_expect_eq(lt_check("-b ref --script a.lt --schedule a.lt"), 2, "%s%s", out, err);
}

/* Commands are for a shell, whatever is in a path; the limits of the run are those of its repetition. */
Test(check, commands_can_be_copied)
{
	static char more[1 << 14];
	cr_expect_eq(lt_check("-B %s --keep \"k e'y\" --patience 30 --threads 2 --filter param/greatest/f32/plain",
			     fault("max_identity")),
		1, "%s", err);
	cr_expect_not_null(strstr(out, " --seed 1 --patience 30 --threads 2 --filter param/greatest/f32/plain"), "%s", out);
	const char *again = strstr(out, "  lt-check -B"), *next = again ? strstr(again + 1, "  lt-check -B") : NULL;
	cr_assert(next && strstr(next, "--script 'k e'\\''y/"), "%s", out);
	cr_expect_eq(run_line(next, "lt-check -B", more, sizeof more), 1, "%s%s", more, err);
	cr_expect_not_null(strstr(more, "FAILED k e'y/"), "%s", more);
	cr_expect_eq(run_line(next, "lt-run -B", more, sizeof more), 1, "%s%s", more, err);
	cr_expect_eq(lt_check("-B %s --filter op/exp/f32/zero/view=none/default/alone", fault("zero_trip")), 1, "%s", err);
	cr_expect(strstr(out, "--script ") && !strstr(out, "lt-run"), "%s", out);
}

/* -- reports -- */

/* What the JSON says is what the exit code says. */
static void expect_json(int code, const char *backend)
{
	json_error_t why;
	json_t *all = json_loads(out, 0, &why);
	cr_assert_not_null(all, "%s: %s", why.text, out);
	json_t *cases = json_object_get(all, "cases"), *sums = json_object_get(all, "sums"), *c;
	size_t i, n[4] = { 0 };
	static const char *const words[] = { "passed", "refused", "failed", "skipped" };
	cr_expect_str_eq(json_string_value(json_object_get(all, "backend")), backend);
	json_array_foreach(cases, i, c) {
		const char *status = json_string_value(json_object_get(c, "status"));
		cr_expect(json_is_string(json_object_get(c, "name")) && json_is_string(json_object_get(c, "group")));
		for (int k = 0; k < 4; k++)
			n[k] += !strcmp(status, words[k]);
		if (!strcmp(status, "failed"))
			cr_expect(json_is_string(json_object_get(c, "text")) && json_is_string(json_object_get(c, "repeat")));
	}
	cr_expect_gt(json_array_size(cases), 20);
	for (int k = 0; k < 4; k++)
		cr_expect_eq((size_t)json_integer_value(json_object_get(sums, words[k])), n[k], "%s", words[k]);
	cr_expect_eq(code, n[2] > 0);
	json_decref(all);
}

Test(check, json)
{
	int code = lt_check("-b ref --filter 'op/exp/*' --json");
	cr_expect_eq(code, 0, "%s", err);
	expect_json(code, "ref");
	code = lt_check("-B %s --filter 'op/max/*' --json", fault("nan"));
	cr_expect_eq(code, 1, "%s", err);
	cr_expect_not_null(strstr(out, "\"reduced\": \"reduced to 1 computed node in"), "%s", out);
	expect_json(code, "nan");
}

/* -- every case sees it -- */

/* An identity that is wrong is found by each case, not by those whose data happen to show it. */
Test(check, wrong_identities_fail_every_reduction)
{
	static const char *const tries[][2] = { { "max_identity", "max" }, { "min_identity", "min" },
		{ "low_identity", "max" } };
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		cr_expect_eq(
			lt_check("-B %s --no-reduce --filter 'reduce/%s/f32/*' -v", fault(tries[i][0]), tries[i][1]), 1,
			"%s%s", out, err);
		cr_expect_null(strstr(out, "passed  reduce/"), "%s", out);
	}
}

/* What is printed does not get between the lines of the tool; the first graph that prints is reported, where no clause
 * is tried. */
Test(check, what_is_printed_is_kept_away)
{
	int code = lt_check("-B %s --no-reduce --filter 'op/*/f32/prime/*' --json", fault("prints"));
	expect_json(code, "prints");
	cr_expect_eq(code, 1);
	cr_expect_null(strstr(err, "said on stderr"), "%s", err);
	cr_expect_not_null(strstr(out, "\"failed\": 1,"), "%s", out);
	(void)lt_check("-B %s --no-reduce --filter op/exp/f32/prime -v", fault("prints"));
	cr_expect_not_null(strstr(err, "said on stderr"), "%s", err);
}

/* -- options -- */

Test(check, one_seed_is_one_list)
{
	static char first[sizeof out];
	cr_expect_eq(lt_check("-b ref --list"), 0, "%s", err);
	memcpy(first, out, sizeof first);
	cr_expect_eq(lt_check("-b ref --list --seed 1"), 0, "%s", err);
	cr_expect_str_eq(first, out);
	cr_expect_gt(strlen(out), 10000);
	cr_expect_eq(lt_check("-b ref --filter 'random/*' --seed 5 -v"), 0, "%s%s", out, err);
	char *end = strstr(out, "group  ");
	cr_assert_not_null(end, "%s", out);
	memcpy(first, out, sizeof first);
	first[end - out] = '\0';
	cr_expect_eq(lt_check("-b ref --filter 'random/*' --seed 5 -v"), 0, "%s%s", out, err);
	*strstr(out, "group  ") = '\0';
	cr_expect_str_eq(first, out);
}

/* Parts have every case once, the same with any filter, and run as they do in the whole. */
Test(check, parts)
{
	static char all[sizeof out];
	size_t bytes = 0, n = 0;
	cr_expect_eq(lt_check("-b ref --list --filter 'gather/*'"), 0, "%s", err);
	memcpy(all, out, sizeof all);
	for (int k = 1; k <= 3; k++) {
		cr_expect_eq(lt_check("-b ref --list --part %d/3", k), 0, "%s", err);
		for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
			if (strncmp(line, "gather/", 7))
				continue;
			cr_expect_not_null(strstr(all, line), "%s", line);
			bytes += strlen(line) + 1;
			n++;
		}
		cr_expect_gt(n, (size_t)k);
		cr_expect_eq(lt_check("-b ref --filter 'gather/*' --part %d/3", k), 0, "%s%s", out, err);
		char want[40];
		(void)snprintf(want, sizeof want, "that ran; part %d/3; seed 1, ", k);
		cr_expect_not_null(strstr(out, want), "%s", out);
	}
	cr_expect_eq(bytes, strlen(strchr(all, '\n') + 1));
	cr_expect_eq(lt_check("-b ref --full --part 999999/1000000 --filter op/exp/f32/prime"), 2, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "there is no case in part 999999/1000000"), "%s", err);
	cr_expect_eq(lt_check("-b ref --filter 'op/exp/*' --part 2/2 --json"), 0, "%s", err);
	cr_expect_not_null(strstr(out, "\"part\""), "%s", out);
}

Test(check, mistakes)
{
	cr_expect_eq(lt_check("-b nosuch"), 2);
	cr_expect_not_null(strstr(err, "there is no backend 'nosuch' (there are: "), "%s", err);
	cr_expect_eq(lt_check("-b ref --filter nothing_fits"), 2);
	cr_expect_not_null(strstr(err, "no case fits 'nothing_fits'"), "%s", err);
	cr_expect_eq(lt_check("-B nosuch.so"), 2);
	cr_expect_eq(lt_check("-b ref --seed x"), 2);
	cr_expect_eq(lt_check("-b ref --patience -1"), 2);
	static const struct { const char *options, *words;
	} wrong[] = {
		{ "--patience 0", "--patience takes seconds, more than 0" },
		{ "--part 0/3", "--part takes K/N" },
		{ "--part 4/3", "--part takes K/N" },
		{ "--part 2", "--part takes K/N" },
		{ "--part '1/ 2'", "--part takes K/N" },
		{ "--part 1/4294967298", "--part takes K/N" },
		{ "--script a.lt --part 1/2", "--part does not go with --script, which checks one graph" },
		{ "--threads 0", "--threads takes a whole number from 1" },
		{ "--data 1/0/0/0", "--data is only for --script, which is not given" },
		{ "--schedule a.tree", "--schedule is only for --script, which is not given" },
		{ "--script a.lt --filter op", "--filter does not go with --script, which checks one graph" },
		{ "--script a.lt --json", "--json does not go with --script, which checks one graph" },
		{ "--script a.lt --report r.html", "--report does not go with --script, which checks one graph" },
		{ "--script a.lt --go-on", "--go-on does not go with --script, which checks one graph" },
		{ "--list --json", "--json does not go with --list, which lists cases" },
		{ "-B ''", "--load takes the name of a file, and it is empty" },
		{ "--report ''", "--report takes the name of a file, and it is empty" },
		{ "--keep ''", "--keep takes the name of a folder, and it is empty" },
		{ "--sede 1", "there is no option --sede; did you mean --seed?" },
		{ "--se 1", "--se is short for several: --seed, --seconds" },
		{ "--full=1", "the option --full takes no value" },
		{ "op/exp", "'op/exp' is no option" },
	};
	static const struct { const char *options, *words; } unwritable[] = {
		{ "--report no/such/r.html", "no/such/r.html: cannot be written" },
		{ "--keep no/such/folder", "no/such/folder: cannot be written" },
		{ "--keep /dev/null", "/dev/null: cannot be written: Not a directory" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		cr_expect_eq(lt_check("-b ref %s", wrong[i].options), 2, "%s: %s%s", wrong[i].options, out, err);
		cr_expect_not_null(strstr(err, wrong[i].words), "%s: %s", wrong[i].options, err);
	}
	for (size_t i = 0; i < sizeof unwritable / sizeof *unwritable; i++) {
		cr_expect_eq(lt_check("-b ref %s", unwritable[i].options), 1, "%s: %s%s", unwritable[i].options, out, err);
		cr_expect_not_null(strstr(err, unwritable[i].words), "%s: %s", unwritable[i].options, err);
	}
	cr_expect_eq(lt_check("-b ref:word --filter op/exp/f32/prime"), 2, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "ref cannot be used here: "), "%s", err);
	cr_expect_eq(lt_check("-b cpu,ref --filter op/exp/f32/prime"), 2, "%s%s", out, err);
	cr_expect_not_null(strstr(err, "-b takes one backend, not 'cpu,ref'"), "%s", err);
	/* A file that is named twice is one, and still the one that is meant. */
	const char *narrow = built("tests/plugins/narrow.so");
	cr_expect_eq(lt_check("-B %s -B %.*s/./narrow.so --filter op/copy/f64/prime/*", narrow,
			     (int)(strrchr(narrow, '/') - narrow), narrow),
		0, "%s", err);
	cr_expect_not_null(strstr(out, "narrow 1: nothing failed"), "%s", out);
}

/* Time that is up is no failure, and no success of what was left out. */
Test(check, seconds)
{
	cr_expect_eq(lt_check("-b ref --seconds 0.05"), 3, "%s%s", out, err);
	cr_expect_not_null(strstr(out, "the time was up"), "%s", out);
	cr_expect_not_null(strstr(out, " not run; seed 1"), "%s", out);
	cr_expect_not_null(strstr(out, "not all clauses of the contract were tried"), "%s", out);
	cr_expect_eq(lt_check("-b ref --seconds 0.01 --filter 'op/*'"), 0, "%s%s", out, err);
	cr_expect_not_null(strstr(out, " not run; seed 1"), "%s", out);
}

/* A shell starts what runs beside it with SIGINT ignored. */
Test(check, what_had_run_is_reported_when_it_is_interrupted)
{
	char command[1200];
	snprintf(command, sizeof command,
		"{ log=$(mktemp); env --default-signal=INT %s -b ref -v >$log & pid=$!; for i in $(seq 300); do "
		"grep -qi ^passed $log && break; sleep 0.1; done; kill -INT $pid; wait $pid; code=$?; cat $log; rm $log; "
		"exit $code; }",
		built("lt-check"));
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), 130, "%s", err);
	cr_expect_not_null(strstr(out, "ref 1: nothing failed of "), "%s", out);
	cr_expect_not_null(strstr(out, "skipped "), "%s", out);
	cr_expect_not_null(strstr(out, "lt-check was interrupted"), "%s", out);
	cr_expect_not_null(strstr(err, "the report is of what had run"), "%s", err);
}
