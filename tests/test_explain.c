/* test_explain.c -- lt-run with several backends: --explain, --strict, --json, where plug-ins are looked for,
 * --list-backends. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

static char picky[512], plain[512];

static void set_up(void)
{
	ltrun_set_up();
	strcpy(picky, built("tests/plugins/picky.so"));
	strcpy(plain, built("tests/plugins/plain.so"));
	ltrun_write_text("soft.lt", "$1 = InputTensor(x, float32, [4, 6]);\n$2 = SoftmaxNode($1, 1);\nresult = $2;\n");
	/* Three nests: a sum along m, one along n, and what comes after. */
	ltrun_write_text("nests.g",
		"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%a = f32[m] add.reduce %x\n%e = f32[m] exp %a "
		"@ 6:3\n"
		"%b = f32[m, n] add %x, %e\n%c = f32[n] add.reduce %b\n%d = f32[m, n] mul %x, %c\nresult \"d\" = %d\n");
	ltrun_write_text("features.g",
		"graph 1\nvar m 4\nvar n 3\nvar k 2\n%x = f16[m, n] input \"x\"\n%i = i64[k] input \"i\"\n%y = f16[k, "
		"n] gather %x, %i axis 0 @ 7:1\nresult \"y\" = %y\n");
}

TestSuite(explain, .init = set_up, .fini = ltrun_tear_down, .timeout = 60);

Test(explain, each_refusal_has_its_node_line_and_change)
{
	cr_assert_eq(run("nests.g -i x=1 -q --explain -B %s -b picky,ref", picky), 0, "%s", err);
	cr_assert(strstr(out,
			  " -> ref\n  picky refuses it at %e (line 6:3 of its script), loop m: it has no exp\n    nearest change: "
			  "write a polynomial\n"),
		"%s", out);
	cr_assert(strstr(out, " -> picky\n"), "the other nests are its own: %s", out);
	cr_assert_eq(run("nests.g -i x=1 -q --explain -B %s -b picky --strict", picky), 1);
	cr_assert(strstr(out, " -> none\n  picky refuses it at %e (line 6:3 of its script), loop m: it has no exp\n"),
		"told although nobody takes it: %s", out);
	cr_assert(strstr(err, ": picky refuses it at %e (line 6:3 of its script): it has no exp: write a polynomial\n"),
		"%s", err);
	cr_assert_eq(run("nests.g -i x=1 -q -B %s -b picky,ref --strict", picky), 1);
	cr_assert(strstr(err, " (strict: the other backends are not asked)\n"), "%s", err);
	cr_assert_str_eq(out, "");
	cr_assert_eq(run("nests.g -i x=1 -q -B %s -b ref,picky --strict --explain", picky), 0, "%s", err);
	cr_assert_null(strstr(out, "picky"), "%s", out);
}

Test(explain, features_types_and_loops_are_named_in_words)
{
	cr_assert_eq(run("features.g -i x=1 -i i=0 -q --explain -B %s -b picky,ref", picky), 0, "%s", err);
	cr_assert(strstr(out,
		"  picky refuses it at %y (line 7:1 of its script): it does not understand reads at an index that is itself "
		"read from memory (gather)\n  picky refuses it"), "ref has taken it, which is no change to propose: %s", out);
	cr_assert(strstr(out, "  picky refuses it at %y (line 7:1 of its script): it does not take elements of f16\n"
		"    nearest change: cast x to a type that it has\n"), "%s", out);
	/* Lanes that meet: a loop may be another. */
	ltrun_write_text("sum.g",
		"graph 1\nvar m 4\nvar k 8\n%x = f32[m, k] input \"x\"\n%s = f32[m] add.reduce %x @ 5:1\nresult \"s\" "
		"= %s\n");
	cr_assert_eq(run("sum.g -i x=1 -q --explain --apply 'vectorize k' -B %s -b picky,ref", picky), 0, "%s", err);
	cr_assert(strstr(out,
		" -> ref\n  picky refuses it at %s (line 5:1 of its script): it does not understand reductions across the "
		"iterations of a loop (combine)\n    nearest change: make the vector loops that reduce serial\n"), "%s", out);
	cr_assert_eq(run("sum.g -i x=1 -q --explain --apply 'serial k' -B %s -b picky,ref", picky), 0, "%s", err);
	cr_assert(strstr(out, " -> picky\n"), "%s", out);
	/* Kinds of loops, in a tree of the user's. */
	cr_assert_eq(run("nests.g -i x=1 -q --explain --apply 'parallel %%d/m' -B %s -b picky,ref", picky), 0, "%s", err);
	cr_assert(strstr(out, ", loop m: it has no parallel loops\n    nearest change: make loop m serial\n"), "%s", out);
}

/* Who else might take a kernel only the host knows: the step is proposed to the last that is asked, once, and with the
 * list as it is. */
Test(explain, another_backend_is_proposed_where_none_is_named)
{
	ltrun_write_text("gather.g",
		"graph 1\nvar m 4\nvar n 3\nvar k 2\n%x = f32[m, n] input \"x\"\n%i = i64[k] input \"i\"\n"
		"%y = f32[k, n] gather %x, %i axis 0 @ 7:1\nresult \"y\" = %y\n");
	static const char gather[] = "it does not understand reads at an index that is itself read from memory (gather)";
	char text[512];
	cr_assert_eq(run("gather.g -i x=1 -i i=0 -q --explain -B %s -b picky", picky), 1);
	snprintf(text, sizeof text, "%s\n    nearest change: name another backend after it (-b picky,cpu)\n", gather);
	cr_assert(strstr(out, text), "%s", out);
	cr_assert(strstr(err, ": name another backend after it (-b picky,cpu)"), "%s", err);
	cr_assert_null(strstr(strstr(err, "(-b picky,cpu)") + 1, "(-b picky,cpu)"), "%s", err);
	cr_assert_eq(run("gather.g -i x=1 -i i=0 -q --explain -B %s -B %s -b plain:x,picky", plain, picky), 0,
		"plain takes all: %s", err);
	/* Not where it is named already, and not where others are not to be asked. */
	static const char *const lists[] = { "picky,cpu", "cpu,picky", "picky,ref,cpu", "picky --strict",
		"picky,cpu --strict" };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		int code = run("gather.g -i x=1 -i i=0 -q --explain -B %s -b %s", picky, lists[i]);
		cr_expect_eq(code, strstr(lists[i], "strict") != NULL, "%s: %s", lists[i], err);
		cr_expect_eq(strstr(out, gather) != NULL, strncmp(lists[i], "picky", 5) == 0, "%s", out);
		cr_expect(!strstr(out, "another backend") && !strstr(err, "another backend"), "%s: %s%s", lists[i], out, err);
	}
	ltrun_write_text("call.g",
		"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%a = f32[m] add.reduce %x\nresult \"a\" = "
		"%a\n");
	cr_assert_eq(run("call.g -i x=1 -q --apply 'call %%a/m gemm' -b cpu"), 1);
	cr_assert_null(strstr(err, "another backend"), "the change is nearer: %s", err);
}

/* What an observer looks at does not depend on values, so none need be given; any other backend needs them. */
Test(explain, an_observer_needs_no_values)
{
	char trace[512];
	strcpy(trace, built("examples/plugin/trace.so"));
	cr_assert_eq(run("soft.lt -B %s -b trace:L1=1k/2/64", trace), 0, "%s", err);
	cr_assert(strstr(err, "lt-run: the input 'x' is not given and has random values, which do for this backend\n"),
		"%s", err);
	cr_assert(strstr(err, "in all: kernels "), "the report is told: %s", err);
	cr_assert_eq(run("soft.lt -q -B %s -b trace", trace), 0, "%s", err);
	cr_assert(strstr(err, "in all: kernels ") && !strstr(err, "is not given"),
		"what was asked for, and nothing else: %s", err);
	cr_assert_str_eq(out, "");
	cr_assert_eq(run("soft.lt -B %s -b ref,trace", trace), 2, "the first says it");
	cr_assert(strstr(err, "input 'x', float32 [4, 6]: give it with"), "%s", err);
}

Test(explain, a_routine_that_nobody_has)
{
	cr_assert_eq(run("nests.g -i x=1 -q --apply 'call %%d/m gemm' -b cpu"), 1);
	cr_assert(strstr(err, "it calls no routines, and m is handed to gemm: remove the call: serial m"), "%s", err);
	cr_assert_eq(run("nests.g --apply 'call %%d/m gemm' -b cpu --check-schedule"), 1,
		"whether a backend takes it is asked, too");
	cr_assert_eq(run("nests.g --apply 'call %%d/m gemm' -b ref --check-schedule"), 0, "%s", err);
}

/* What a backend does wrong is reported, and is not taken for a refusal. */
Test(explain, a_backend_in_trouble)
{
	char poor[512];
	strcpy(poor, built("tests/plugins/poor.so"));
	cr_assert_eq(run("soft.lt -i x=1 -q -B %s", poor), 0, "nobody named it: %s", err);
	cr_assert_str_eq(err, "lt-run: the backend poor cannot be used: the device is busy (left out)\n");
	cr_assert_eq(run("soft.lt -i x=1 -q -B %s -b poor,cpu", poor), 1);
	cr_assert(strstr(err, "backend poor: the device is busy"), "%s", err);
	cr_assert_eq(run("--list-backends -B %s", poor), 0);
	cr_assert(strstr(out, " -  ") && strstr(out, "  not usable here: the device is busy\n"), "%s", out);
	cr_assert_eq(run("soft.lt -i x=1 -q -B %s -b poor:sick,ref", poor), 1, "its device failed: ref is not asked");
	cr_assert(strstr(err, "backend poor, asked for kernel k0_2: the device fell off the bus"), "%s", err);
	cr_assert_eq(run("soft.lt -i x=1 -q -B %s -b poor:align", poor), 1);
	cr_assert(strstr(err, "kernel k0_2: it asks for a workspace aligned to 288 bytes, which is not a power of two"),
		"%s", err);
	cr_assert_eq(run("soft.lt -i x=1 -q -B %s -b poor:stats --time=1 --json", poor), 0, "%s", err);
	cr_assert(strstr(out, "\"threads\": 2") && !strstr(out, ": 7777,"), "%s", out);
}

/* The texts of kernel programs, one after the other; nothing is run or compiled for them. */
Test(explain, kernel_programs_are_dumped)
{
	cr_assert_eq(run("nests.g -B %s -b poor:stats --dump=kernel", built("tests/plugins/poor.so")), 0, "%s", err);
	cr_assert(strncmp(out, "kernel 1\nname poor\n\nkernel 1\n", 29) == 0, "%s", out);
}

static json_t *explained(void)
{
	json_error_t e;
	json_t *root = json_loads(out, 0, &e), *list = json_incref(json_object_get(root, "explain"));
	cr_assert_not_null(root, "%s: %s", e.text, out);
	cr_assert(json_is_array(list));
	json_decref(root);
	return list;
}

static const char *text_of(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));
	return text ? text : "";
}

Test(explain, json)
{
	for (int fails = 0; fails < 2; fails++) {
		cr_assert_eq(run("soft.lt -i x=1 -q --json --explain -B %s -b picky%s", picky, fails ? "" : ",ref"),
			fails, "%s", err);
		json_t *list = explained(), *k, *refusal = NULL;
		size_t i;
		json_array_foreach(list, i, k)
			if (json_array_size(json_object_get(k, "refusals")) && !refusal) {
				refusal = json_array_get(json_object_get(k, "refusals"), 0);
				cr_assert(fails ? json_is_null(json_object_get(k, "backend")) : !strcmp(text_of(k, "backend"), "ref"), "%s", out);
			}
		cr_assert_not_null(refusal, "%s", out);
		cr_assert_str_eq(text_of(refusal, "backend"), "picky");
		cr_assert_str_eq(text_of(refusal, "code"), "EUNSUPPORTED");
		cr_assert(strstr(text_of(refusal, "node"), "2"), "%s", out);
		cr_assert_neq(text_of(refusal, "loop")[0], 0);
		cr_assert_str_eq(text_of(refusal, "file"), "soft.lt");
		cr_assert_eq(json_integer_value(json_object_get(refusal, "line")), 2);
		cr_assert_eq(json_integer_value(json_object_get(refusal, "column")), 1);
		cr_assert_str_eq(text_of(refusal, "reason"), "it has no exp");
		cr_assert_str_eq(text_of(refusal, "change"), fails ? "write a polynomial; or name another backend after it (-b "
			"picky,cpu)" :
			"write a polynomial");
		json_decref(list);
	}
}

/* ---- plug-ins: where they are looked for, and in which order ---- */

Test(explain, plug_ins_of_a_path)
{
	char command[2048];

	snprintf(command, sizeof command, "mkdir %s && cp %s %s && cp %s %s && cp %s %s", scratch("p"), picky,
		scratch("p"), plain, scratch("p"), plain, scratch("plain.so"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	/* Never the folder that one stands in, and no name is searched for. */
	cr_assert_eq(run("--list-backends"), 0);
	cr_assert_null(strstr(out, "plain"), "%s", out);
	setenv("LT_BACKEND_PATH", "p::p/", 1);
	cr_assert_eq(run("--list-backends"), 0);
	cr_assert(strstr(out, "picky ") && strstr(out, "from p/picky.so\n") && strstr(out, "from p/plain.so\n"), "%s", out);
	cr_assert_str_eq(err, "", "one file that is named twice is one: %s", err);
	cr_assert_null(strstr(strstr(out, "\nref "), "from "), "it is linked in: %s", out);
	cr_assert_eq(run("--list-backends -B plain.so -B ./plain.so"), 0, "%s", err);
	cr_assert(strstr(out, "from plain.so\n"), "%s", out);
	/* A file that was given comes first; another of that name is left out, and no mistake: it is the one that is
	 * being worked on. */
	cr_assert_eq(run("--list-backends -B plain.so"), 0);
	cr_assert(strstr(out, "from plain.so\n") && !strstr(out, "p/plain.so"), "%s", out);
	cr_assert_str_eq(err, "", "%s", err);
	/* Two of one source are one too many. */
	setenv("LT_BACKEND_PATH", "p:plain.so", 1);
	cr_assert_eq(run("--list-backends"), 0);
	cr_assert(strstr(out, "from p/plain.so\n") && !strstr(out, "from plain.so"), "%s", out);
	cr_assert(strstr(err, "lt-run: LT_BACKEND_PATH: ") && strstr(err, "two backends are called 'plain'")
			&& strstr(err, "(left out)\n"),
		"%s", err);
	setenv("LT_BACKEND_PATH", "p::p/", 1);
	cr_assert_eq(run("--list-backends --json"), 0);
	json_error_t e;
	json_t *list = json_loads(out, 0, &e), *b;
	size_t i;
	cr_assert_not_null(list, "%s", out);
	json_array_foreach(list, i, b)
		cr_assert(!strcmp(text_of(b, "name"), "picky") ? !strcmp(text_of(b, "file"), "p/picky.so")
			: strcmp(text_of(b, "name"), "cpu") != 0 || json_is_null(json_object_get(b, "file")), "%s", out);
	json_decref(list);
	/* lt-bench loads them in the same way. */
	snprintf(command, sizeof command, "cd %s && %s --list gemm", scratch(""), built("lt-bench"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	setenv("LT_BACKEND_PATH", "nowhere", 1);
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_assert_str_eq(err, "lt-bench: LT_BACKEND_PATH: nowhere: cannot be loaded: No such file or directory (left out)\n");
}

/* Columns are as wide as what stands in them, the last has a head, too, and no line ends in a blank. */
Test(explain, a_list_that_lines_up)
{
	char poor[512], wide[512];
	strcpy(poor, built("tests/plugins/poor.so"));
	strcpy(wide, built("tests/plugins/long.so"));
	cr_assert_eq(run("--list-backends -B %s -B %s -B %s", poor, plain, wide), 0, "%s", err);
	const char *head = "NAME                           VERSION         SCORE    DEVICE ";
	cr_assert(strncmp(out, head, strlen(head)) == 0, "%s", out);
	cr_assert_null(strstr(out, " \n"), "%s", out);
	long column = strstr(out, "SUMMARY\n") - out, indent = strstr(out, "DEVICE") - out;
	const struct {
		const char *name, *device, *end;
	} lines[] = { { "\ncpu ", "cpu:", "C text through" }, { "\nplain ", "null", "computes nothing\n" },
		{ "\npoor ", "-", "not usable here: the device is busy\n" },
		{ "\na_backend_of_a_very_long_name  2026.11.21-rc1  1234567  ", "-", "computes nothing\n" } };
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *at = strstr(out, lines[i].name);
		cr_assert(at && strlen(at + 1) > (size_t)column, "%s: %s", lines[i].name, out);
		cr_expect_eq(strncmp(at + 1 + indent, lines[i].device, strlen(lines[i].device)), 0, "%s: %s", lines[i].name, out);
		cr_expect_eq(strncmp(at + 1 + column, lines[i].end, strlen(lines[i].end)), 0, "%s: %s", lines[i].name, out);
	}
	char fact[2048];
	snprintf(fact, sizeof fact, "\n%*sfrom %s\n%*slanes 3\n", (int)indent, "", wide, (int)indent, "");
	cr_assert(strstr(out, fact), "below the device: %s", out);
}

/* ---- devices ---- */

/* Of add.lt on the backend memory, whose clock counts 100 ns for a byte that is copied. */
static void check_crossing(json_t *crossing)
{
	static const struct { const char *way; int copies, bytes; } want[] = { { "to_devices", 1, 24 },
		{ "from_devices", 1, 24 }, { "between_devices", 0, 0 }, { "once", 1, 12 } };
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		json_t *o = json_object_get(crossing, want[i].way);
		cr_expect_eq(json_integer_value(json_object_get(o, "copies")), want[i].copies, "%s", want[i].way);
		cr_expect_eq(json_integer_value(json_object_get(o, "bytes")), want[i].bytes, "%s", want[i].way);
		if (i < 3)
			cr_expect_float_eq(json_number_value(json_object_get(o, "ns")), 100. * want[i].bytes, 1e-6, "%s", want[i].way);
	}
	cr_expect(json_is_real(json_object_get(crossing, "rest_ns")));
}

Test(explain, inputs_and_results_on_the_device)
{
	char memory[512], *plain_out;

	strcpy(memory, built("tests/plugins/memory.so"));
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -B %s -b memory --time=7 --on-device", memory), 0, "%s", err);
	cr_assert(strstr(out, "\ncrossing: 0 copies between memories a run, 0 bytes; the rest of a run takes ")
			&& strstr(out, "\ncrossing once: 1 copy of constants, 12 bytes, ")
			&& strstr(out, "; 12 bytes in device memory\n"),
		"%s", out);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -b ref --on-device"), 2, "%s", err);
	cr_assert(strstr(err, "--on-device: '") && strstr(err, "no kernel runs on a device that has one")
			&& strstr(err, "-b ref"), "%s", err);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -b ref --on-device --verify"), 2, "%s", err);
	cr_assert(strstr(err, "--on-device does not go with --verify"), "%s", err);
	/* What is computed is what it is without, on a device that computes. */
	cr_assert_eq(run("--list-backends"), 0);
	const char *opencl = strstr(out, "\nopencl ");
	const char *unusable = opencl ? strstr(opencl, "not usable") : NULL;
	if (!opencl || (unusable && unusable - opencl < (ptrdiff_t)strcspn(opencl + 1, "\n")))
		cr_skip_test("no device of OpenCL");
	cr_assert_eq(run("add.lt -i x=iota -c w=iota -b opencl -n 3"), 0, "%s", err);
	plain_out = strdup(out);
	cr_assert_eq(run("add.lt -i x=iota -c w=iota -b opencl -n 3 --on-device"), 0, "%s", err);
	cr_assert_str_eq(out, plain_out);
	free(plain_out);
	cr_assert_eq(run("add.lt -i x=iota -c w=iota -b opencl -q --on-device --profile --time=3 --no-cache"), 0, "%s", err);
	cr_assert_null(strstr(out, "; to devices "), "%s", out);
	cr_assert(strstr(out, "\ncrossing: 0 copies between memories a run, 0 bytes; "), "%s", out);
}

Test(explain, what_crosses_and_the_devices_clock)
{
	char memory[512];

	strcpy(memory, built("tests/plugins/memory.so"));
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -B %s -b memory --time=7", memory), 0, "%s", err);
	/* The input and the result, six floats each; the constant is there once, and the workspace of nothing. */
	cr_assert(strstr(out, "\ncrossing: 2 copies between memories a run, 48 bytes; to devices 24 bytes, 2.4 us; "
			"from devices 24 bytes, 2.4 us; the rest of a run takes ")
			&& strstr(out, "\ncrossing once: 1 copy of constants, 12 bytes, ") && strstr(out, "; 60 bytes in device memory\n"),
		"%s", out);
	cr_assert(strstr(out, "\ndevice: 5 us a run, by its own clock\n"), "%s", out);
	cr_assert_eq(run("--list-backends -B %s", memory), 0, "%s", err);
	cr_assert(strstr(out, " device=0 one, 3072 MiB\n") && strstr(out, " device=1 the other one, 3072 MiB\n"), "%s", out);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -B %s -b memory --time=7 --json", memory), 0, "%s", err);
	json_error_t e;
	json_t *root = json_loads(out, 0, &e), *time = json_object_get(root, "time");
	cr_assert_eq(json_integer_value(json_object_get(time, "moves")), 2, "%s", out);
	cr_assert_eq(json_integer_value(json_object_get(time, "move_bytes")), 48);
	cr_assert_eq(json_integer_value(json_object_get(time, "device_bytes")), 60);
	cr_assert_eq(json_integer_value(json_object_get(time, "device_ns")), 5000);
	check_crossing(json_object_get(time, "crossing"));
	json_decref(root);
	/* The same in a profile, apart from the kernel. */
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -B %s -b memory --profile --json --no-cache", memory), 0, "%s", err);
	root = json_loads(out, 0, &e);
	json_t *profile = json_object_get(root, "profile");
	check_crossing(json_object_get(profile, "crossing"));
	cr_assert_eq(json_integer_value(json_object_get(profile, "kernels_ns")), 5000, "%s", out);
	cr_assert_eq(json_integer_value(json_object_get(profile, "copy_ns")), 0);
	json_decref(root);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q -B %s -b memory --profile", memory), 0, "%s", err);
	cr_assert(strstr(out, "\nsum: 5 us in kernels, ")
			&& strstr(out, "; to devices 24 bytes, 2.4 us; from devices 24 bytes, 2.4 us;"), "%s", out);
	cr_assert_eq(run("add.lt -B %s -b memory --dump=plan", memory), 0, "%s", err);
	cr_assert(strstr(out, "moves 2 a run, 48 bytes\n")
			&& strstr(out, "once move constant 'w'[0, 3) in host -> constant 'w' in memory\n")
			&& strstr(out, "run  move input 'x'[0, 6) in host -> input 'x' in memory\n")
			&& strstr(out, "-> result 'result' in host\n"),
		"%s", out);
	/* Beside a host's memory alone nothing of this is said. */
	cr_assert_eq(run("two.lt -i x=1 -q -b ref --time=3"), 0, "%s", err);
	cr_assert(!strstr(out, "crossing") && !strstr(out, "device"), "%s", out);
	/* Runs that repeat. */
	ltrun_write_text("nests.g",
		"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%a = f32[m] add.reduce %x\n%b = f32[m, n] add "
		"%x, %a\n"
		"%c = f32[n] add.reduce %b\n%d = f32[m, n] mul %x, %c\nresult \"d\" = %d\n");
	cr_assert_eq(run("nests.g -i x=1 -q -b cpu --time=9"), 0, "%s", err);
	cr_assert(strstr(out, "\nrecorded: 9 of the 9 runs were replayed\n"), "%s", out);
	cr_assert_eq(run("nests.g -i x=1 -q -b cpu --time=9 --no-capture"), 0, "%s", err);
	cr_assert_null(strstr(out, "recorded"), "%s", out);
}
