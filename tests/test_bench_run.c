/* tests/test_bench_run.c -- lt-bench as a program: peers that are honest, wrong, silent or dead; its table, JSON, CSV,
 * SVG.
 *
 * Times decide nothing here: a peer of the tests' own says how long it took.
 */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"

static char out[1 << 20], err[1 << 16];

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

/* A run takes 10 ms, it says; the case is kept so that a real server can be asked for the result. */
static const char peer[] =
	"mode=$1 bench=$2 first=\n"
	"[ $mode = silent ] && exit 3\n"
	"[ $mode = mute ] && { sleep 1000 & echo $! >$0.pid; echo 'it has no tongue' >&2; wait; }\n"
	"[ $mode = absent ] && echo 'absent nobody is at home' && exit\n"
	"[ $mode = other ] && echo 'hello' && exit\n"
	"echo \"peer 1 fake:$mode 1.0 of the tests\"\n"
	"while read -r word rest; do case $word in\n"
	"case) [ $mode = skip ] && { echo skip not today; continue; }\n"
	"  [ $mode = refuse ] && { echo failed it is too hard; continue; }\n"
	"  printf '%s\\n' \"$rest\" >$0.case; echo ok 0.125 ;;\n"
	"sample) [ $mode = stalls ] && sleep 1000\n"
	"  [ $mode = dies ] && { echo 'out of paper' >&2; exit 7; }\n"
	"  [ $mode = leaves ] && exit 255\n"
	"  [ $mode = killed ] && { echo 'up to here' >&2; kill -SEGV $$; }\n"
	"  [ $mode = talks ] && { echo about ten; continue; }\n"
	"  [ $mode = hasty ] && { echo 1e-12; continue; }\n"
	"  [ $mode = slow ] && { awk \"BEGIN { print $rest * 0.02 }\"; continue; }\n"
	"  awk \"BEGIN { print $rest * 0.01 }\" ;;\n"
	"result) case $mode in\n"
	"  liar) head -c 4096 /dev/zero >$rest ;;\n"
	"  short) head -c 40 /dev/zero >$rest ;;\n"
	"  long) head -c 5000 /dev/zero >$rest ;;\n"
	"  turns) [ -z \"$first\" ] && { first=no; printf 'case %s\\nresult %s\\nquit\\n' \"$(cat $0.case)\" $rest | "
	"$bench --serve ref >/dev/null; } ||\n"
	"    head -c 4096 /dev/zero >$rest ;;\n"
	"  *) printf 'case %s\\nresult %s\\nquit\\n' \"$(cat $0.case)\" $rest | $bench --serve ref >/dev/null ;;\n"
	"  esac; echo ok ;;\n"
	"end) echo ok ;;\n"
	"quit) exit ;;\n"
	"esac; done\n";

static void set_up(void)
{
	write_text("peer.sh", peer);
	setenv("XDG_CACHE_HOME", scratch(""), 1);
	unsetenv("CC");
}

static void tear_down(void)
{
	scratch_remove();
}

TestSuite(bench_run, .init = set_up, .fini = tear_down, .timeout = 300);

static int bench(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int bench(const char *fmt, ...)
{
	char command[4096];
	int n = snprintf(command, sizeof command, "cd %s && %s ", scratch(""), built("lt-bench"));
	va_list args;

	va_start(args, fmt);
	vsnprintf(command + n, sizeof command - (size_t)n, fmt, args);
	va_end(args);
	return run_command(command, out, sizeof out, err, sizeof err);
}

/* One small case with ref, and peers in these modes. */
static int with_peers(const char *modes, const char *more)
{
	char options[2048] = "", copy[256], *rest = NULL, path[512];

	snprintf(path, sizeof path, "%s", built("lt-bench"));
	snprintf(copy, sizeof copy, "%s", modes);
	for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
		snprintf(options + strlen(options), sizeof options - strlen(options), "--peer 'sh peer.sh %s %s' ", at, path);
	return bench("gemm --filter gemm/32 --quick --no-vendor -b ref --json x.json %s %s", options, more);
}

static json_t *read_json(void)
{
	json_error_t e;
	json_t *o = json_load_file(scratch("x.json"), 0, &e);

	cr_assert_not_null(o, "line %d: %s", e.line, e.text);
	return o;
}

static json_t *row_of(json_t *report, const char *label)
{
	json_t *rows = json_object_get(json_array_get(json_object_get(report, "cases"), 0), "rows"), *r;
	size_t i;

	json_array_foreach(rows, i, r)
		if (!strcmp(json_string_value(json_object_get(r, "contestant")), label))
			return r;
	cr_assert_fail("there is no row '%s'", label);
	return NULL;
}

static double real_of(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static const char *text_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

Test(bench_run, what_a_peer_says_becomes_its_row)
{
	json_t *o, *r, *slow;

	cr_assert_eq(with_peers("honest slow", ""), 0, "%s", err);
	o = read_json();
	r = row_of(o, "fake:honest");
	slow = row_of(o, "fake:slow");
	cr_assert_str_eq(text_of(r, "status"), "measured", "%s", text_of(r, "why"));
	cr_assert_float_eq(real_of(r, "median_s"), 0.01, 1e-9);
	cr_assert_float_eq(real_of(r, "minimum_s"), 0.01, 1e-9);
	cr_assert_float_eq(real_of(r, "spread"), 0, 1e-6);
	cr_assert_float_eq(real_of(r, "prepare_s"), 0.125, 1e-9);
	cr_assert_float_eq(real_of(r, "per_second"), 2 * 32 * 32 * 32 / 0.01, 1);
	cr_assert_float_eq(real_of(r, "of_best"), 1, 1e-9);
	cr_assert_float_eq(real_of(slow, "of_best"), 0.5, 1e-9);
	cr_assert_float_eq(real_of(slow, "of_peak") / real_of(r, "of_peak"), 0.5, 1e-6);
	cr_assert_eq(json_array_size(json_object_get(r, "samples_s")), 3);
	cr_assert_leq(real_of(r, "relative_l2"), 1e-6);
	/* Forms of one: the table shows the faster. */
	cr_assert(strstr(out, "fake:honest") && !strstr(out, "fake:slow"), "%s", out);
	json_decref(o);
}

Test(bench_run, what_is_wrong_is_kept_with_its_reason)
{
	static const struct { const char *mode, *why;
	} rows[] = {
		{ "liar", "wrong result" },
		{ "short", "less than the 1024 elements" },
		{ "long", "more than the 1024 elements" },
		{ "refuse", "it is too hard" },
		{ "talks", "'about ten' where a number of seconds is due" },
		{ "dies", "ended with exit code 7: out of paper" },
		{ "killed", "died of signal 11 (Segmentation fault): up to here" },
		{ "leaves", "ended with exit code 255" },
		{ "turns", "wrong result" },
	};
	char modes[256] = "", label[64];
	json_t *o;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		strcat(strcat(modes, " "), rows[i].mode);
	/* Nothing of Looptree's own is wrong. */
	cr_assert_eq(with_peers(modes, "--csv x.csv"), 0, "%s", err);
	o = read_json();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		json_t *r;

		snprintf(label, sizeof label, "fake:%s", rows[i].mode);
		r = row_of(o, label);
		cr_assert_str_eq(text_of(r, "status"), "failed", "%s", label);
		cr_assert(strstr(text_of(r, "why"), rows[i].why), "%s: %s", label, text_of(r, "why"));
		cr_assert_null(json_object_get(r, "median_s"));
	}
	cr_assert(json_is_null(json_object_get(row_of(o, "ref"), "of_best")), "what failed is no denominator");
	cr_assert(strstr(out, "failed: "), "%s", out);
	json_decref(o);
}

Test(bench_run, who_does_not_do_a_case_is_left_out)
{
	json_t *o;

	cr_assert_eq(with_peers("skip", ""), 0, "%s", err);
	o = read_json();
	cr_assert_str_eq(text_of(row_of(o, "fake:skip"), "status"), "skipped");
	cr_assert_null(strstr(out, "fake"));
	json_decref(o);
}

Test(bench_run, a_peer_that_is_none_is_refused)
{
	cr_assert_eq(with_peers("silent", ""), 2);
	cr_assert(strstr(err, "ended with exit code 3"), "%s", err);
	cr_assert_eq(with_peers("absent", ""), 2);
	cr_assert(strstr(err, "nobody is at home"), "%s", err);
	cr_assert_eq(with_peers("other", ""), 2);
	cr_assert(strstr(err, "'hello'"), "%s", err);
}

Test(bench_run, this_program_is_a_peer_too)
{
	json_t *o;

	cr_assert_eq(bench("gemm --filter '*/8' --quick --no-vendor -b ref --json x.json --peer '%s --serve cpu'",
			     built("lt-bench")),
		0, "%s", err);
	o = read_json();
	cr_assert_str_eq(text_of(row_of(o, "cpu"), "status"), "measured", "%s", text_of(row_of(o, "cpu"), "why"));
	json_decref(o);
}

Test(bench_run, the_server_answers_mistakes)
{
	char command[1024], lines[4096];
	static const char *const answers[] = { "peer 1 ref Looptree", "failed the words are", "failed there is no case",
		"failed there is no case", "failed the case is no JSON", "failed the case lacks",
		"failed the file of the input 'a' cannot be read", "failed there is no case", "ok" };
	char *rest = NULL, *at;

	snprintf(command, sizeof command,
		"printf '%%s\\n' hello 'sample 1' 'result x' 'case {' 'case {}' 'case "
		"{\"suite\":\"s\",\"name\":\"n\",\"op\":\"gemm\",\"threads\":1,\"inputs\":[{\"name\":\"a\",\"shape\":["
		"2],\"file\":\"/nowhere\"}]}' 'sample 1' end quit | %s --serve ref",
		built("lt-bench"));
	cr_assert_eq(run_command(command, lines, sizeof lines, err, sizeof err), 0);
	at = strtok_r(lines, "\n", &rest);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++, at = strtok_r(NULL, "\n", &rest))
		cr_assert(at && !strncmp(at, answers[i], strlen(answers[i])), "'%s' is not '%s'", at ? at : "nothing", answers[i]);
}

/* Right, but faster than the machine can multiply and add: the time or the count of operations is wrong. */
Test(bench_run, a_rate_above_the_peak_is_a_failed_row)
{
	json_t *o, *r;

	cr_assert_eq(with_peers("honest hasty", ""), 0, "%s", err);
	o = read_json();
	r = row_of(o, "fake:hasty");
	cr_assert_str_eq(text_of(r, "status"), "failed");
	cr_assert(strstr(text_of(r, "why"), "above the measured multiply-add peak"), "%s", text_of(r, "why"));
	cr_assert_str_eq(text_of(row_of(o, "fake:honest"), "status"), "measured");
	cr_assert_str_eq(text_of(row_of(o, "ref"), "status"), "measured");
	json_decref(o);
}

/* Installed or not: one says its name, the other that it is not there. */
Test(bench_run, vendors_are_there_or_say_why)
{
	static const char *const names[] = { "openblas", "onednn" };

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(bench("--serve %s </dev/null", names[i]), 0, "%s", err);
		cr_assert(!strncmp(out, "peer 1 ", 7) || !strncmp(out, "absent ", 7), "%s", out);
		cr_assert(strstr(out, names[i]) || strstr(out, "is not installed"), "%s", out);
	}
}

/* Where a vendor is installed, what it computes is right. */
Test(bench_run, vendors_compute_what_scripts_mean)
{
	static const char *const filters[] = { "gemm/32", "gemm/1x4096x4096", "conv/mobilenetv2-dw-14-576to576-3x3-s2",
		"conv/mobilenetv2-14-192to64", "mlp/batch-10", "rows/softmax-4096x256" };

	for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
		json_t *o, *rows, *r;
		size_t i;

		cr_assert_eq(bench("gemm conv mlp rows --filter %s --quick --coretypes none -b cpu --json x.json",
				     filters[f]),
			0, "%s", err);
		o = read_json();
		rows = json_object_get(json_array_get(json_object_get(o, "cases"), 0), "rows");
		cr_assert_geq(json_array_size(rows), 2);
		json_array_foreach(rows, i, r) cr_assert_str_neq(text_of(r, "status"), "failed", "%s %s: %s",
			filters[f], text_of(r, "contestant"), text_of(r, "why"));
		json_decref(o);
	}
}

Test(bench_run, json_holds_machine_peak_cases_and_means)
{
	json_t *o, *c, *s;

	cr_assert_eq(bench("gemm --filter '*/8' --quick --no-vendor -b cpu --threads 1,2 --json x.json"), 0, "%s", err);
	o = read_json();
	cr_assert_eq(json_integer_value(json_object_get(o, "format")), 1);
	cr_assert_gt(json_integer_value(json_object_get(json_object_get(o, "machine"), "processors")), 0);
	cr_assert_eq(json_array_size(json_object_get(json_object_get(o, "peak"), "flops")), 2);
	cr_assert_gt(real_of(json_array_get(json_object_get(json_object_get(o, "peak"), "copy_bytes"), 0), "per_second"), 0);
	cr_assert_eq(json_array_size(json_object_get(o, "cases")), 2);
	c = json_array_get(json_object_get(o, "cases"), 1);
	cr_assert_eq(json_integer_value(json_object_get(c, "threads")), 2);
	cr_assert_eq(json_integer_value(json_object_get(c, "flops")), 1024);
	cr_assert_str_eq(text_of(c, "checked_by"), "graph evaluator");
	cr_assert_gt(real_of(row_of(o, "cpu"), "of_peak"), 0);
	cr_assert_gt(real_of(json_object_get(row_of(o, "cpu"), "stats"), "compile_s"), 0);
	cr_assert_str_eq(text_of(row_of(o, "cpu again"), "role"), "again");
	s = json_array_get(json_object_get(o, "summary"), 0);
	cr_assert_str_eq(text_of(s, "contestant"), "cpu");
	cr_assert_float_eq(real_of(s, "of_peak"), real_of(row_of(o, "cpu"), "of_peak"), 1e-6);
	cr_assert(strstr(out, "noise: cpu against itself"), "%s", out);
	json_decref(o);
}

/* Fields of a line, quotes respected. */
static int fields(const char *line)
{
	int n = 1;
	bool quoted = false;

	for (; *line && *line != '\n'; line++) {
		quoted ^= *line == '"';
		n += *line == ',' && !quoted;
	}
	return n;
}

Test(bench_run, csv_has_as_many_fields_in_each_line)
{
	char line[4096];
	FILE *f;
	int n, rows = 0;

	cr_assert_eq(with_peers("honest refuse dies", "--csv x.csv"), 0, "%s", err);
	f = fopen(scratch("x.csv"), "r");
	cr_assert_not_null(f);
	cr_assert_not_null(fgets(line, sizeof line, f));
	n = fields(line);
	cr_assert_gt(n, 10);
	while (fgets(line, sizeof line, f)) {
		cr_assert_eq(fields(line), n, "%s", line);
		rows++;
	}
	fclose(f);
	cr_assert_eq(rows, 6, "%d rows: ref twice, three peers and the peak", rows);
}

/* Every element that begins ends, in order; no stray & or <. */
static void check_xml(char *text)
{
	const char *open[64];
	int depth = 0, elements = 0;

	for (char *at = text; *at; at++) {
		if (*at == '&')
			cr_assert(!strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) || !strncmp(at, "&amp;", 5)
					|| !strncmp(at, "&quot;", 6),
				"%.20s", at);
		if (*at != '<')
			continue;
		char *end = strchr(at, '>');

		cr_assert_not_null(end);
		*end = 0;
		cr_assert_null(strchr(at + 1, '<'), "%s", at);
		if (at[1] == '/') {
			cr_assert(depth > 0 && !strncmp(open[depth - 1], at + 2, strlen(at + 2)), "%s", at);
			depth--;
		} else if (end[-1] != '/') {
			open[depth++] = at + 1;
			elements++;
		}
		at = end;
	}
	cr_assert_eq(depth, 0);
	cr_assert_gt(elements, 3);
}

Test(bench_run, the_picture_is_well_formed)
{
	static char text[1 << 18];
	FILE *f;
	size_t n;

	cr_assert_eq(with_peers("honest liar", "--plot x.svg"), 0, "%s", err);
	f = fopen(scratch("x.svg"), "r");
	cr_assert_not_null(f);
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	cr_assert(n > 0 && !strncmp(text, "<svg ", 5));
	cr_assert(strstr(text, "fake:honest") && strstr(text, "<circle") && strstr(text, "<polyline"));
	cr_assert_null(strstr(text, "fake:liar"), "what failed has no bar");
	check_xml(text);
}

Test(bench_run, a_schedule_is_a_contestant)
{
	json_t *o;

	write_text("empty.schedule", "schedule 1\n");
	write_text("wrong.schedule", "schedule 1\nsplit nobody 4\n");
	cr_assert_eq(bench("gemm --filter gemm/32 --quick --no-vendor --schedule empty.schedule --json x.json"), 0,
		"%s%s", err, out);
	o = read_json();
	cr_assert_str_eq(text_of(row_of(o, "cpu empty.schedule"), "status"), "measured");
	json_decref(o);
	cr_assert_eq(bench("gemm --filter gemm/32 --quick --no-vendor --schedule wrong.schedule --json x.json"), 1);
	o = read_json();
	cr_assert_str_eq(text_of(row_of(o, "cpu wrong.schedule"), "status"), "failed");
	cr_assert(strstr(text_of(row_of(o, "cpu wrong.schedule"), "why"), "nobody"));
	cr_assert_str_eq(text_of(row_of(o, "cpu"), "status"), "measured");
	json_decref(o);
}

Test(bench_run, compile_tells_cold_and_cached)
{
	json_t *o, *x;

	cr_assert_eq(bench("compile --filter gemm/32 --quick --json x.json"), 0, "%s", err);
	o = read_json();
	cr_assert_eq(json_array_size(json_object_get(o, "compile")), 1);
	x = json_array_get(json_object_get(o, "compile"), 0);
	cr_assert_eq(json_integer_value(json_object_get(x, "kernels")), 1);
	cr_assert_gt(real_of(x, "compile_cold_s"), 0);
	cr_assert_gt(real_of(x, "compile_cached_s"), 0);
	cr_assert_geq(real_of(x, "total_cold_s"), real_of(x, "compile_cold_s"));
	cr_assert(strstr(out, "median of 1 products"), "%s", out);
	json_decref(o);
}

/* A peer that says nothing has a time to do so; what it has started ends with it, and the others are measured. */
Test(bench_run, a_peer_that_does_not_answer_is_ended)
{
	json_t *o;
	char command[1024];

	cr_assert_eq(with_peers("mute", "--patience 0.3"), 2, "%s", out);
	cr_assert(strstr(err,
			  "the peer has not answered for 0.3 seconds, and was ended; --patience SECONDS gives it more; "
			  "it said last: it has no tongue"),
		"%s", err);
	snprintf(command, sizeof command,
		"for i in 1 2 3 4 5 6 7 8 9; do grep -qs 'State:.[^ZX]' /proc/$(cat %s)/status || exit 0; sleep 0.1; "
		"done; exit 1",
		scratch("peer.sh.pid"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "what it started still runs");
	cr_assert_eq(with_peers("stalls honest", "--patience 3"), 0, "%s", err);
	o = read_json();
	cr_assert_str_eq(text_of(row_of(o, "fake:stalls"), "status"), "failed");
	cr_assert(strstr(text_of(row_of(o, "fake:stalls"), "why"), "has not answered for 3 seconds"), "%s",
		text_of(row_of(o, "fake:stalls"), "why"));
	cr_assert_str_eq(text_of(row_of(o, "fake:honest"), "status"), "measured");
	json_decref(o);
	/* Nor is an interruption held up by one. */
	snprintf(command, sizeof command,
		"cd %s && { env --default-signal=INT %s gemm --quick --filter gemm/32 --no-vendor -b ref --peer 'sh "
		"peer.sh stalls' --json x.json >log & pid=$!; for i in $(seq 300); do grep -q copy: log && break; "
		"sleep 0.1; done; sleep 0.5; kill -INT $pid; wait $pid; }",
		scratch(""), built("lt-bench"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 130, "%s", err);
	cr_assert(strstr(err, "interrupted"), "%s", err);
}

/* All of it: not the first word alone. */
Test(bench_run, a_peer_is_a_command_of_the_shell)
{
	char more[1024];

	snprintf(more, sizeof more, "--peer 'cd . && MODE=honest && sh peer.sh $MODE %s'", built("lt-bench"));
	cr_assert_eq(with_peers("", more), 0, "%s", err);
	json_t *o = read_json();
	cr_assert_str_eq(text_of(row_of(o, "fake:honest"), "status"), "measured");
	json_decref(o);
}

Test(bench_run, mistakes_in_the_options_are_told)
{
	static const struct { const char *options, *says;
	} rows[] = {
		{ "", "a suite is missing" },
		{ "gem", "there is no suite 'gem'" },
		{ "gemm --samples 0", "--samples takes" },
		{ "gemm --seconds x", "--seconds takes" },
		{ "gemm --patience 0", "--patience takes" },
		{ "gemm --threads 1,x", "--threads takes" },
		{ "gemm --threads ''", "--threads takes" },
		{ "gemm --nonsense", "there is no option --nonsense (lt-bench -h lists them)" },
		{ "gemm --filtr x", "did you mean --filter?" },
		{ "gemm --samples=", "--samples takes" },
		{ "gemm --json", "needs a value" },
		{ "gemm --filter nowhere", "no case" },
		{ "gemm --filter gemm/8 --quick -b nobody", "there is no backend 'nobody'" },
		{ "gemm --filter gemm/8 --quick --schedule nowhere.tree", "nowhere.tree" },
		{ "gemm -b ref,,cpu", "a name is missing in --backend 'ref,,cpu'" },
		{ "gemm -b ''", "a name is missing in --backend ''" },
		{ "gemm -b cpu,ref,cpu", "--backend 'cpu,ref,cpu' names 'cpu' twice" },
		{ "gemm -b cpu -b cpu", "names 'cpu' twice" },
		{ "gemm,conv gemm", "the list of suites 'gemm' names 'gemm' twice" },
		{ "gemm, --list", "a name is missing in the list of suites 'gemm,'" },
		{ "gemm --peer ' '", "--peer takes a command" },
		{ "gemm --coretypes all,nope", "there is no core type 'nope' (there are: " },
		{ "gemm --cache-dir file", "--cache-dir: 'file' cannot hold compiled code: it is not a folder" },
	};

	write_text("file", "");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_assert_eq(bench("%s", rows[i].options), 2, "%s: %s", rows[i].options, err);
		cr_assert(strstr(err, rows[i].says), "%s: %s", rows[i].options, err);
	}
}

Test(bench_run, a_file_that_cannot_be_written_is_told)
{
	cr_assert_eq(bench("gemm --filter '*/8' --quick --no-vendor -b ref --json /nowhere/x.json"), 1);
	cr_assert(strstr(err, "'/nowhere/x.json' cannot be written: No such file or directory"), "%s", err);
}

Test(bench_run, the_list_has_every_case)
{
	int lines = 0;

	cr_assert_eq(bench("--list gemm conv"), 0);
	for (const char *at = out; (at = strstr(at, "MFLOP")); at++)
		lines++;
	cr_assert_eq(lines, 23 + 50);
	cr_assert_eq(bench("--list"), 0);
	cr_assert(strstr(out, "compile") && strstr(out, "layout/transpose-4096")
			&& strstr(out, "rows/softmax-65536x1024"),
		"%s", out);
}

Test(bench_run, an_interruption_keeps_what_was_measured)
{
	char command[1024];

	/* As soon as it begins to measure.  A shell starts what runs beside it with SIGINT ignored. */
	snprintf(command, sizeof command,
		"cd %s && { env --default-signal=INT %s gemm --quick --filter '*/32' --samples 100000 --no-vendor -b "
		"ref --json x.json >log & pid=$!; for i in $(seq 1000); do grep -q copy: log && break; sleep 0.1; "
		"done; sleep 0.2; kill -INT $pid; wait $pid; }",
		scratch(""), built("lt-bench"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 130, "%s", err);
	cr_assert(strstr(err, "interrupted"), "%s", err);
	json_decref(read_json());
}

/* Processes that compute beside: said, and gone with lt-bench, even where nothing can be cleaned up. */
Test(bench_run, busy_processes_run_beside)
{
	char command[2048];
	json_t *o;

	cr_assert_eq(with_peers("honest", "--busy 2"), 0, "%s", err);
	cr_assert(strstr(out, "\nbeside: 2 busy processes, while cases are measured\n"), "%s", out);
	o = read_json();
	cr_assert_eq(json_integer_value(json_object_get(o, "busy")), 2);
	json_decref(o);
	cr_assert_eq(with_peers("honest", ""), 0, "%s", err);
	cr_assert_null(strstr(out, "beside:"), "%s", out);
	cr_assert_eq(bench("gemm --busy x"), 2);
	cr_assert(strstr(err, "--busy takes"), "%s", err);
	snprintf(command, sizeof command,
		"cd %s && { %s gemm --quick --filter '*/32' --samples 100000 --no-vendor -b ref --busy 2 >log & pid=$!; "
		"for i in $(seq 1000); do kids=$(grep -l '^lt-bench-busy$' $(sed 's|[0-9]*|/proc/&/comm|g' "
		"/proc/$pid/task/$pid/children | tr ' ' '\\n' | grep proc) /dev/null); "
		"[ $(echo $kids | wc -w) = 2 ] && break; sleep 0.1; done; echo $(echo $kids | wc -w) began; "
		"kill -KILL $pid; wait $pid; for i in $(seq 100); do "
		"cat $(echo $kids | sed 's/comm/status/g') 2>/dev/null | grep -q '^State:.[RS]' || break; sleep 0.1; done; "
		"echo $i; }",
		scratch(""), built("lt-bench"));
	(void)run_command(command, out, sizeof out, err, sizeof err);
	cr_assert(strncmp(out, "2 began\n", 8) == 0 && strncmp(out + 8, "100", 3) != 0, "%s%s", out, err);
}
