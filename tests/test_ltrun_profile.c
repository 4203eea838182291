/* test_ltrun_profile.c -- lt-run --profile: the table, JSON, the limits that are kept, and the trace, which is
 * checked against the format that its readers publish. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

static void set_up(void)
{
	ltrun_set_up();
	ltrun_write_text("mm.lt",
		"$1 = InputTensor(x, float32, [128, 256]);\n$2 = InputTensor(w, float32, [256, 192]);\n"
		"$3 = MatMulNode($1, $2);\n$4 = ReLUNode($3);\n$5 = SoftmaxNode($4);\nresult = $5;\n");
}

TestSuite(ltrun_profile, .init = set_up, .fini = ltrun_tear_down, .timeout = 300);

/* The number of entries of facts in the cache. */
static int facts(void)
{
	char count[64], none[64];

	cr_assert_eq(run_command("ls $XDG_CACHE_HOME/looptree/*.lti 2>/dev/null | wc -l", count, sizeof count, none,
		sizeof none), 0);
	return atoi(count);
}

static void check_table(void)
{
	int kept;

	cr_assert_eq(run("mm.lt -b cpu -i '*=random' -q --profile --time=4 --threads 2"), 0, "%s", err);
	cr_assert(strstr(out, "profile: median "), "%s", out);
	cr_assert(strstr(out, " of 4 runs after the first, which took "), "%s", out);
	cr_assert(strstr(out, "limits: 2 threads of this machine do "), "%s", out);
	cr_assert(strstr(out, "GB/s copied; measured 20"), "%s", out);
	cr_assert(strstr(out, "%3 %4") && strstr(out, "(mm.lt:3-4)"), "%s", out);
	cr_assert(strstr(out, "(mm.lt:5)"), "%s", out);
	cr_assert(strstr(out, "\nsum: ") && strstr(out, "\npossible: ") && strstr(out, "\nbound by "), "%s", out);
	cr_assert(strstr(out, "\noutside of kernels: checks ") && strstr(out, " readings of the clock a run, "), "%s", out);
	cr_assert(strstr(out, "\ntime: median "), "--time says its own: %s", out);
	/* They are measured once. */
	kept = facts();
	cr_assert_geq(kept, 1);
	cr_assert_eq(run("mm.lt -b cpu -i '*=random' -q --profile --time=1 --threads 2"), 0, "%s", err);
	cr_assert_eq(facts(), kept);
	cr_assert_eq(run("mm.lt -b ref -i '*=random' -q --profile --time=1 --cc false --no-cache"), 2, "%s", err);
	cr_assert(strstr(err, "--cc"), "%s", err);
}

/* Where nothing compiles, nothing is measured, and the table says so and goes without. */
Test(ltrun_profile, without_limits)
{
	cr_assert_eq(setenv("CC", "false", 1), 0);
	cr_assert_eq(run("mm.lt -b ref -i '*=random' -q --profile --time=1 --no-cache"), 0, "%s", err);
	cr_assert(strstr(out, "limits: not measured: the C compiler 'false' does not make"), "%s", out);
	cr_assert(!strstr(out, "possible: ") && strstr(out, "sum: "), "%s", out);
	unsetenv("CC");
}

static void check_json(void)
{
	json_error_t e;
	json_t *root, *p, *k;
	double share = 0;
	size_t i;
	json_int_t flops = 0;

	cr_assert_eq(run("mm.lt -b cpu -i '*=random' -q --profile --time=3 --json --threads 2"), 0, "%s", err);
	root = json_loads(out, 0, &e);
	cr_assert_not_null(root, "%s", e.text);
	p = json_object_get(root, "profile");
	cr_assert_eq(json_integer_value(json_object_get(p, "runs")), 3);
	json_array_foreach(json_object_get(p, "kernels"), i, k) {
		const double ns = json_number_value(json_object_get(k, "ns"));
		const double possible = json_number_value(json_object_get(k, "possible_ns"));
		const double of = json_number_value(json_object_get(k, "of_peak"));
		const double bandwidth = json_number_value(json_object_get(k, "of_bandwidth"));
		json_t *last = i ? json_array_get(json_object_get(p, "kernels"), i - 1) : k;

		share += json_number_value(json_object_get(k, "share"));
		flops += json_integer_value(json_object_get(k, "flops"));
		cr_expect_geq(json_number_value(json_object_get(last, "ns")), ns, "slowest first");
		cr_expect_float_eq(json_number_value(json_object_get(k, "gflop_per_s")) * ns,
			(double)json_integer_value(json_object_get(k, "flops")), 1);
		cr_expect_float_eq(possible / ns, of > bandwidth ? of : bandwidth, 1e-6);
		cr_expect_gt(json_array_size(json_object_get(k, "nodes")), 0);
	}
	cr_assert_geq(i, 1);
	cr_expect_float_eq(share, 1, 1e-3);
	cr_expect_eq(flops, json_integer_value(json_object_get(p, "flops")));
	json_decref(root);
}

/* ---- the trace: "Trace Event Format", Google, as Perfetto and chrome://tracing read it ---- */

struct lane_event { double begin, end; };

static int by_begin(const void *a, const void *b)
{
	const struct lane_event *x = a, *y = b;

	return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->end < y->end) - (x->end > y->end);
}

/* Complete events of one lane lie in each other or apart. */
static void check_nested(json_t *events, int tid)
{
	static struct lane_event all[1 << 14];
	double open[256];
	int n = 0, depth = 0;
	size_t i;
	json_t *e;

	json_array_foreach(events, i, e)
		if (!strcmp(json_string_value(json_object_get(e, "ph")), "X")
			&& json_integer_value(json_object_get(e, "tid")) == tid && n < 1 << 14) {
			const double ts = json_number_value(json_object_get(e, "ts"));

			all[n++] = (struct lane_event){ ts, ts + json_number_value(json_object_get(e, "dur")) };
		}
	qsort(all, (size_t)n, sizeof *all, by_begin);
	for (int k = 0; k < n; k++) {
		while (depth > 0 && open[depth - 1] <= all[k].begin + 1e-4)
			depth--;
		cr_assert(!depth || all[k].end <= open[depth - 1] + 1e-3, "lane %d: %.4f to %.4f ends after %.4f", tid, all[k].begin,
			all[k].end, open[depth - 1]);
		cr_assert_lt(depth, 256);
		open[depth++] = all[k].end;
	}
}

/* The names of its lanes, one after the other in `lanes`; its number of complete events of the category. */
static int check_trace(const char *file, const char *category, char *lanes, size_t bytes)
{
	json_error_t error;
	json_t *root = json_load_file(scratch(file), 0, &error), *events, *e;
	int n = 0, max_tid = 0;
	size_t i;

	cr_assert_not_null(root, "%s: %s", file, error.text);
	events = json_object_get(root, "traceEvents");
	cr_assert(json_is_array(events));
	cr_assert_str_eq(json_string_value(json_object_get(root, "displayTimeUnit")), "ns");
	*lanes = 0;
	json_array_foreach(events, i, e) {
		const char *ph = json_string_value(json_object_get(e, "ph")), *name = json_string_value(json_object_get(e, "name"));
		const int tid = (int)json_integer_value(json_object_get(e, "tid"));

		cr_assert(name && *name && ph);
		cr_assert(json_is_integer(json_object_get(e, "pid")) && json_is_integer(json_object_get(e, "tid")));
		cr_assert(json_is_object(json_object_get(e, "args")));
		max_tid = tid > max_tid ? tid : max_tid;
		if (!strcmp(ph, "M")) {
			const json_t *value = json_object_get(json_object_get(e, "args"), "name");

			cr_assert(!strcmp(name, "process_name") || !strcmp(name, "thread_name") || !strcmp(name, "thread_sort_index"));
			cr_assert(json_is_string(value)
				|| json_is_integer(json_object_get(json_object_get(e, "args"), "sort_index")));
			if (!strcmp(name, "thread_name"))
				snprintf(lanes + strlen(lanes), bytes - strlen(lanes), "[%s]", json_string_value(value));
			continue;
		}
		cr_assert_str_eq(ph, "X");
		cr_assert(json_is_number(json_object_get(e, "ts")) && json_is_number(json_object_get(e, "dur")));
		cr_assert_geq(json_number_value(json_object_get(e, "ts")), 0);
		cr_assert_geq(json_number_value(json_object_get(e, "dur")), 0);
		cr_assert(json_is_string(json_object_get(e, "cat")));
		n += !strcmp(json_string_value(json_object_get(e, "cat")), category);
	}
	for (int tid = 0; tid <= max_tid; tid++)
		check_nested(events, tid);
	json_decref(root);
	return n;
}

static void check_traces(void)
{
	char lanes[1000];

	cr_assert_eq(run("mm.lt -b cpu -i '*=random' -q --profile=t.json --time=20 --threads 2"), 0, "%s", err);
	/* the first run and eight more */
	cr_assert_eq(check_trace("t.json", "run", lanes, sizeof lanes), 9);
	cr_assert_str_eq(lanes, "[compiling][thread 0][thread 1]");
	cr_assert_geq(check_trace("t.json", "kernel", lanes, sizeof lanes), 18);
	cr_assert_eq(check_trace("t.json", "compile", lanes, sizeof lanes), 7);
	cr_assert_eq(run("mm.lt -b ref -i '*=random' -q --profile=nowhere/t.json --time=1 --threads 2"), 1);
	cr_assert(strstr(err, "nowhere/t.json: cannot be written"), "%s", err);
}

/* In one test, because measuring the machine takes seconds. */
Test(ltrun_profile, table_json_and_trace)
{
	check_table();
	check_json();
	check_traces();
}

#define DENSE "--dim batch=3 $OLDPWD/tests/standalone/dense.onnx"

/* A model's nodes have names, and no lines. */
Test(ltrun_profile, nodes_of_a_model)
{
	cr_assert_eq(setenv("CC", "false", 1), 0);
	if (run("--dump=graph " DENSE))
		cr_skip_test("the frontend onnx was not built");
	cr_assert_eq(run(DENSE " -b ref -i '*=random' -c '*=random' -q --profile --json --time=1"), 0, "%s", err);
	cr_assert(strstr(out, "\"part\": \""), "%s", out);
	unsetenv("CC");
}

Test(ltrun_profile, refused)
{
	cr_assert_eq(run("mm.lt --profile="), 2);
	cr_assert(strstr(err, "--profile takes the name of a file, and it is empty"), "%s", err);
	cr_assert_eq(run("mm.lt --profile --dump=tree"), 2);
	cr_assert(strstr(err, "--profile does not go with --dump"), "%s", err);
}
