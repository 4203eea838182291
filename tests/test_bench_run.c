/* test_bench_run.c -- lt-bench as a program: its table, JSON, CSV, SVG, options, and an interruption. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench_program.h"

#define out bench_out
#define err bench_err

TestSuite(bench_run, .init = bench_set_up, .fini = scratch_remove, .timeout = 300);

Test(bench_run, json_holds_machine_peak_cases_and_means)
{
	json_t *o, *c, *s;

	cr_assert_eq(bench_run("gemm --filter '*/8' --quick --no-vendor -b cpu --threads 1,2 --json x.json"), 0, "%s", err);
	o = bench_read_json();
	cr_assert_eq(json_integer_value(json_object_get(o, "format")), 1);
	cr_assert_gt(json_integer_value(json_object_get(json_object_get(o, "machine"), "processors")), 0);
	cr_assert_eq(json_array_size(json_object_get(json_object_get(o, "peak"), "flops")), 2);
	cr_assert_gt(
		bench_real_of(json_array_get(json_object_get(json_object_get(o, "peak"), "copy_bytes"), 0), "per_second"), 0);
	cr_assert_eq(json_array_size(json_object_get(o, "cases")), 2);
	c = json_array_get(json_object_get(o, "cases"), 1);
	cr_assert_eq(json_integer_value(json_object_get(c, "threads")), 2);
	cr_assert_eq(json_integer_value(json_object_get(c, "flops")), 1024);
	cr_assert_str_eq(bench_text_of(c, "checked_by"), "graph evaluator");
	cr_assert_gt(bench_real_of(bench_row_of(o, "cpu"), "of_peak"), 0);
	cr_assert_gt(bench_real_of(json_object_get(bench_row_of(o, "cpu"), "stats"), "compile_s"), 0);
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "cpu again"), "role"), "again");
	s = json_array_get(json_object_get(o, "summary"), 0);
	cr_assert_str_eq(bench_text_of(s, "contestant"), "cpu");
	cr_assert_float_eq(bench_real_of(s, "of_peak"), bench_real_of(bench_row_of(o, "cpu"), "of_peak"), 1e-6);
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

	cr_assert_eq(bench_with_peers("honest refuse dies", "--csv x.csv"), 0, "%s", err);
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

/* Rows are in the file as soon as they are measured: what ends the process later takes none of them along. */
Test(bench_run, csv_is_there_before_the_end)
{
	char command[1000];

	(void)snprintf(command, sizeof command, "cd %s && { %s gemm --quick --no-vendor -b ref --csv x.csv >/dev/null 2>&1 & "
		"i=0; while [ $i -lt 600 ] && ! grep -qs '^gemm,' x.csv; do sleep 0.1; i=$((i + 1)); done; kill -9 $! && "
		"grep -q '^gemm,' x.csv; }", scratch("."), built("lt-bench"));
	cr_assert_eq(system(command), 0);
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

	cr_assert_eq(bench_with_peers("honest liar", "--plot x.svg"), 0, "%s", err);
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

	bench_write_text("empty.schedule", "schedule 1\n");
	bench_write_text("wrong.schedule", "schedule 1\nsplit nobody 4\n");
	cr_assert_eq(bench_run("gemm -b cpu --filter gemm/32 --quick --no-vendor --schedule empty.schedule --json x.json"), 0,
		"%s%s", err, out);
	o = bench_read_json();
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "cpu empty.schedule"), "status"), "measured");
	json_decref(o);
	cr_assert_eq(bench_run("gemm -b cpu --filter gemm/32 --quick --no-vendor --schedule wrong.schedule --json x.json"), 1);
	o = bench_read_json();
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "cpu wrong.schedule"), "status"), "failed");
	cr_assert(strstr(bench_text_of(bench_row_of(o, "cpu wrong.schedule"), "why"), "nobody"));
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "cpu"), "status"), "measured");
	json_decref(o);
}

/* A row of its own, judged as the others are, and what it costs in the summary. */
Test(bench_run, rows_that_are_left_open_are_a_contestant)
{
	json_t *o, *row;

	cr_assert_eq(bench_run("gemm,rows,layout --filter '*/8,*/sum-4096x256,*/concat-rows-512' --quick --no-vendor -b cpu "
		"--runtime-extents --json x.json"), 0, "%s", err);
	o = bench_read_json();
	cr_assert_eq(json_array_size(json_object_get(o, "cases")), 3);
	for (size_t i = 0; i < 3; i++) {
		row = json_array_get(json_object_get(json_array_get(json_object_get(o, "cases"), i), "rows"), 1);
		cr_assert_str_eq(json_string_value(json_object_get(row, "role")), "open");
		cr_assert_str_eq(json_string_value(json_object_get(row, "status")), "measured");
		cr_assert_gt(bench_real_of(row, "median_s"), 0);
	}
	cr_assert_not_null(strstr(out, "extents left open"), "%s", out);
	json_decref(o);
}

Test(bench_run, compile_tells_cold_and_cached)
{
	json_t *o, *x;

	cr_assert_eq(bench_run("compile --filter gemm/32 --quick --json x.json"), 0, "%s", err);
	o = bench_read_json();
	cr_assert_eq(json_array_size(json_object_get(o, "compile")), 1);
	x = json_array_get(json_object_get(o, "compile"), 0);
	cr_assert_eq(json_integer_value(json_object_get(x, "kernels")), 1);
	cr_assert_gt(bench_real_of(x, "compile_cold_s"), 0);
	cr_assert_gt(bench_real_of(x, "compile_cached_s"), 0);
	cr_assert_gt(bench_real_of(x, "accept_s"), 0);
	cr_assert_geq(bench_real_of(x, "total_cold_s"), bench_real_of(x, "compile_cold_s"));
	cr_assert(strstr(out, "median of 1 products"), "%s", out);
	cr_assert_eq(json_integer_value(json_object_get(x, "rounds")), 1);
	json_decref(o);
	cr_assert_eq(bench_run("compile --filter gemm/32 --quick --samples 6 -b ref --json x.json"), 0, "%s", err);
	o = bench_read_json();
	x = json_array_get(json_object_get(o, "compile"), 0);
	cr_assert_eq(json_integer_value(json_object_get(x, "rounds")), 6);
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
		{ "gemm --plot p.png", "--plot takes a name that ends in .svg, not 'p.png'" },
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

	bench_write_text("file", "");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_assert_eq(bench_run("%s", rows[i].options), 2, "%s: %s", rows[i].options, err);
		cr_assert(strstr(err, rows[i].says), "%s: %s", rows[i].options, err);
	}
}

/* In which suites an option means something: gemm, nets, start, llama, compile; then whether --list and --serve do. */
static const struct { const char *option, *value, *suites; bool list, serve; } together[] = {
	{ "--filter", "nowhere", "gnslc", true, false }, { "--runtime-extents", "", "gns", true, false },
	{ "--no-evaluator", "", "n", false, false }, { "--shape", "260K", "l", true, false },
	{ "--dtype", "bf16", "l", true, false }, { "--tokens", "8", "l", true, false }, { "--prompt", "8", "l", false, false },
	{ "--seed", "3", "l", false, false }, { "--folder", "kept", "l", false, false },
	{ "--backend", "ref", "gnslc", false, false }, { "--schedule", "s.tree", "gn", false, false },
	{ "--peer", "cat", "gns", false, false }, { "--run", "/bin/true", "l", false, false },
	{ "--no-vendor", "", "gnslc", false, false }, { "--coretypes", "none", "g", false, false },
	{ "--threads", "1", "gnslc", false, false }, { "--samples", "2", "gnslc", false, false },
	{ "--seconds", "1", "gnl", false, false }, { "--busy", "1", "gnslc", false, false },
	{ "--patience", "9", "gnsl", false, false }, { "--quick", "", "gnslc", true, false },
	{ "--cc", "cc", "gnslc", false, true }, { "--cc-timeout", "9", "gnslc", false, true },
	{ "--cache-dir", "cached", "gnl", false, true }, { "--json", "x.json", "gnslc", false, false },
	{ "--csv", "x.csv", "gnl", false, false }, { "--plot", "x.svg", "gnl", false, false },
	{ "--quiet", "", "gnslc", false, false },
};

Test(bench_run, options_that_mean_nothing_are_refused)
{
	static const char *const suites[] = { "gemm", "nets --model one.lt", "start --model one.lt", "llama", "compile" };
	char says[80];

	bench_write_text("one.lt", "x = InputTensor(x, float32, [4]);\nresult = ReLUNode(x);\n");
	for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
		const char *option = together[i].option, *value = together[i].value;

		for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
			sprintf(says, "%s is only for the suite", option);
			cr_assert_eq(bench_run("%s --filter nowhere %s %s", suites[s], option, value), 2, "%s %s: %s", suites[s], option,
				err);
			cr_expect(strstr(err, strchr(together[i].suites, *suites[s]) ? "no case of these suites fits" : says), "%s %s: %s",
				suites[s], option, err);
			sprintf(says, together[i].list ? "%s is only for the suite" : "%s does not go with --list", option);
			if (bench_run("%s --list %s %s", suites[s], option, value))
				cr_expect(strstr(err, says), "%s --list %s: %s", suites[s], option, err);
			else
				cr_expect(together[i].list && strchr(together[i].suites, *suites[s]), "%s --list %s", suites[s], option);
		}
		sprintf(says, "%s does not go with --serve", option);
		cr_expect_eq(bench_run("--serve ref %s %s </dev/null", option, value), together[i].serve ? 0 : 2, "%s", err);
		cr_expect(together[i].serve || strstr(err, says), "--serve %s: %s", option, err);
	}
	/* One of the suites is enough. */
	cr_expect_eq(bench_run("gemm,llama --filter nowhere --shape 260K --schedule s.tree"), 2);
	cr_expect(strstr(err, "no case of these suites fits"), "%s", err);
	cr_expect_eq(bench_run("compile --threads 1,2"), 2);
	cr_expect(strstr(err, "--threads: the suite compile takes one number") || strstr(err, "this machine has 1 proc"), "%s",
		err);
	cr_expect_eq(bench_run("gemm --no-vendor --coretypes all"), 2);
	cr_expect(strstr(err, "--no-vendor and --coretypes contradict"), "%s", err);
	cr_expect_eq(bench_run("gemm --serve ref"), 2);
	cr_expect(strstr(err, "--serve answers as a peer, and has no suites such as 'gemm'"), "%s", err);
}

Test(bench_run, a_file_that_cannot_be_written_is_told)
{
	cr_assert_eq(bench_run("gemm --filter '*/8' --quick --no-vendor -b ref --json /nowhere/x.json"), 1);
	cr_assert(strstr(err, "'/nowhere/x.json' cannot be written: No such file or directory"), "%s", err);
	/* The others are. */
	cr_assert_eq(bench_run("gemm --filter '*/8' --quick --no-vendor -b ref --json /dev/full --csv x.csv"), 1);
	cr_assert(strstr(err, "--json: '/dev/full' cannot be written: No space left on device"), "%s", err);
	cr_assert_eq(bench_run("--list gemm >/dev/null && grep -q 'gemm.*ref.*measured' x.csv"), 0);
}

Test(bench_run, the_list_has_every_case)
{
	int lines = 0;

	cr_assert_eq(bench_run("--list gemm conv"), 0);
	for (const char *at = out; (at = strstr(at, "MFLOP")); at++)
		lines++;
	cr_assert_eq(lines, 23 + 50);
	cr_assert_eq(bench_run("--list"), 0);
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
	json_decref(bench_read_json());
}

/* Processes that compute beside: said, and gone with lt-bench, even where nothing can be cleaned up. */
Test(bench_run, busy_processes_run_beside)
{
	char command[2048];
	json_t *o;

	cr_assert_eq(bench_with_peers("honest", "--busy 2"), 0, "%s", err);
	cr_assert(strstr(out, "\nbeside: 2 busy processes, while cases are measured\n"), "%s", out);
	o = bench_read_json();
	cr_assert_eq(json_integer_value(json_object_get(o, "busy")), 2);
	json_decref(o);
	cr_assert_eq(bench_with_peers("honest", ""), 0, "%s", err);
	cr_assert_null(strstr(out, "beside:"), "%s", out);
	cr_assert_eq(bench_run("gemm --busy x"), 2);
	cr_assert(strstr(err, "--busy takes"), "%s", err);
	cr_assert_eq(bench_run("gemm --list --load 2"), 0, "%s", err);
	cr_assert_eq(bench_run("gemm --list --load 2000"), 2);
	cr_assert(strstr(err, "--load 2000: at most 1024 processes"), "%s", err);
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
