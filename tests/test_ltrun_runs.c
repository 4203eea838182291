/* test_ltrun_runs.c -- lt-run at work: evaluations with state, files, verification, reports, plug-ins, the
 * cache. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lt/frontend.h"
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

TestSuite(ltrun_runs, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

/* ---- evaluations, state, files ---- */

static void write_step(const char *name, const float part[2], int64_t begin)
{
	const int64_t two = 2, one = 1, end = begin + 2;
	const struct lt_tensor t[] = { ltrun_tensor("part", LT_F32, 1, &two, part),
		ltrun_tensor("begin", LT_I64, 1, &one, &begin), ltrun_tensor("end", LT_I64, 1, &one, &end) };

	ltrun_write(name, 3, t);
}

Test(ltrun_runs, evaluations_in_order_with_state)
{
	static const float want[3][4] = { { 0, 0, 1, 2 }, { 3, 4, 1, 2 }, { 3, 5, 6, 2 } };
	struct lt_tensors t;
	char name[32];

	write_step("s0.npz", (float[]){ 1, 2 }, 2);
	write_step("s1.safetensors", (float[]){ 3, 4 }, 0);
	write_step("s2.npz", (float[]){ 5, 6 }, 1);
	for (int backend = 0; backend < 2; backend++) {
		cr_assert_eq(run("count.lt --inputs s0.npz --inputs s1.safetensors --inputs s2.npz --verify -b %s -o "
				 "o%%d.npy",
				     backend ? "ref" : "cpu"),
			0, "%s", err);
		cr_assert(strstr(out, "verify: passed: 24 elements compared"), "%s", out);
		for (int i = 0; i < 3; i++) {
			snprintf(name, sizeof name, "o%d.npy", i);
			ltrun_read(name, &t);
			cr_assert_eq(memcmp(t.at[0].data, want[i], sizeof want[i]), 0, "%s on %d", name, backend);
			lt__tensors_free(&t);
			unlink(scratch(name));
		}
	}
	cr_assert_eq(run("count.lt --inputs s0.npz --inputs s1.safetensors --inputs s2.npz"), 0);
	cr_assert_str_eq(out,
		"evaluation 0\nresult: float32 (4,)\n[0. 0. 1. 2.]\nevaluation 1\nresult: float32 (4,)\n[3. 4. 1. 2.]\n"
		"evaluation 2\nresult: float32 (4,)\n[3. 5. 6. 2.]\n");
	/* Each set again in the second round, on the state that the first has left. */
	cr_assert_eq(run("count.lt --inputs s2.npz -n 2 -o last.npz"), 0);
	ltrun_read("last.npz", &t);
	cr_assert_eq(memcmp(t.at[0].data, (float[]){ 0, 5, 6, 0 }, 16), 0);
	lt__tensors_free(&t);
	/* What is common to all comes from -i; what a file gives too is given twice. */
	cr_assert_eq(run("count.lt --inputs s0.npz -i part=7"), 2);
	cr_assert(strstr(err, "s0.npz: the input 'part' is given twice, here and by part=7"), "%s", err);
}

Test(ltrun_runs, results_in_every_format)
{
	static const char *const names[] = { "o.npz", "o.safetensors" };

	for (int i = 0; i < 2; i++) {
		struct lt_tensors t;

		cr_assert_eq(run("two.lt -i x=3 -o %s", names[i]), 0, "%s", err);
		cr_assert_str_eq(out, "");
		ltrun_read(names[i], &t);
		cr_assert(t.n == 2 && !strcmp(t.at[0].name, "result") && !strcmp(t.at[1].name, "square"));
		cr_assert(((float *)t.at[0].data)[1] == 6 && ((float *)t.at[1].data)[1] == 9);
		lt__tensors_free(&t);
	}
}

Test(ltrun_runs, weights_from_files)
{
	const int64_t shape[] = { 1, 3 };
	const float data[] = { 10, 20, 30 };
	const struct lt_tensor w = ltrun_tensor("w", LT_F32, 2, shape, data);

	ltrun_write("w.npz", 1, &w);
	ltrun_write("w.safetensors", 1, &w);
	cr_assert_eq(run("add.lt -i x=iota -w w.npz"), 0);
	cr_assert_str_eq(out, "result: float32 (2, 3)\n[[10. 21. 32.]\n [13. 24. 35.]]\n");
	cr_assert_eq(run("add.lt -i x=iota -w w.safetensors"), 0);
	cr_assert_str_eq(out, "result: float32 (2, 3)\n[[10. 21. 32.]\n [13. 24. 35.]]\n");
	cr_assert_eq(run("add.lt -i x=iota -w w.safetensors -w w.npz"), 2);
	cr_assert(strstr(err, "given twice"));
}

/* A length that is known at run time only: what there is of it is printed and written, without gaps. */
Test(ltrun_runs, a_result_of_run_time_length)
{
	struct lt_tensors t;

	ltrun_write_text("slice.lt",
		"$1 = InputTensor(x, float32, [4, 3]); $2 = InputTensor(b, int64, [1]); $3 = InputTensor(e, int64, "
		"[1]);$4 = SliceNode($1, $2, $3); $5 = PermuteNode($4, [1, 0]); result = $5;");
	cr_assert_eq(run("slice.lt -i x=iota -i b=1 -i e=3 --verify"), 0, "%s", err);
	cr_assert(strstr(out,
			  "result: float32 (3, 2)\n[[3. 6.]\n [4. 7.]\n [5. 8.]]\nverify: passed: 6 elements compared"),
		"%s", out);
	cr_assert_eq(run("slice.lt -i x=iota -i b=1 -i e=3 -o s.npy"), 0);
	ltrun_read("s.npy", &t);
	cr_assert(t.at[0].rank == 2 && t.at[0].shape[0] == 3 && t.at[0].shape[1] == 2 && t.at[0].bytes == 24);
	cr_assert_eq(memcmp(t.at[0].data, (float[]){ 3, 6, 4, 7, 5, 8 }, 24), 0);
	lt__tensors_free(&t);
	cr_assert_eq(run("slice.lt -i x=iota -i b=2 -i e=2 --verify"), 0, "%s", err);
	cr_assert(strstr(out, "(3, 0)\n[]\n"), "%s", out);
	cr_assert_eq(run("slice.lt -i x=iota -i b=3 -i e=2"), 1);
}

/* ---- verification that must fail: a compiler that turns every sum into a difference ---- */

Test(ltrun_runs, a_wrong_program_is_caught)
{
	ltrun_write_text("liar",
		"#!/bin/sh\nfor a; do case $a in *.c) sed -i 's/\\] + /] - /' \"$a\" ;; esac; done\nexec cc \"$@\"\n");
	cr_assert_eq(run("add.lt -i x=iota -c w=0.5 --cc 'sh %s' --no-cache -b cpu", scratch("liar")), 0, "%s", err);
	cr_assert(strstr(out, "[[-0.5  0.5  1.5]"), "the compiler did not lie: %s", out);
	cr_assert_eq(run("add.lt -i x=iota -c w=0.5 --cc 'sh %s' --no-cache -b cpu -q --verify", scratch("liar")), 1);
	cr_assert(
		strstr(out,
			"verify: FAILED: 6 elements compared, 0 equal; largest absolute error 1 at result[0, 0] (%3)"),
		"%s", out);
	cr_assert(strstr(err,
			  "verification failed: kernel k0_3: %3[0, 0] is -0.5; from what the kernel read it is 0.5, "
			  "give or take 0 (6 of 6 elements are wrong)"),
		"%s", err);
	cr_assert_eq(run("add.lt -i x=iota -c w=0.5 --cc 'sh %s' --no-cache -b cpu -q --verify --json", scratch("liar")), 1);
	cr_assert(strstr(out, "\"passed\": false"), "%s", out);
	/* The same script, told to verify, without the lie. */
	cr_assert_eq(run("add.lt -i x=random -c w=random -b cpu,ref -q --verify"), 0, "%s", err);
	cr_assert(strncmp(out, "verify: passed: 6 elements compared, ", 37) == 0 && strchr(out, '\n') == strrchr(out, '\n'),
		"the verdict was asked for, and is one line: %s", out);
}

/* ---- plug-ins: one that takes everything and computes nothing ---- */

Test(ltrun_runs, plug_ins)
{
	char command[2048], plain[512];

	strcpy(plain, built("tests/plugins/plain.so"));
	cr_assert_eq(run("--list-backends -B %s", plain), 0, "%s", err);
	cr_assert(strstr(out, "plain") && strstr(out, "computes nothing") && strstr(out, "ref "), "%s", out);
	/* No element of its result was written: none may pass for one. */
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -B %s -b plain -q --verify", plain), 1);
	cr_assert(strstr(err, "6 of 6 elements are wrong"), "%s", err);
	/* It is not chosen over one that is preferred. */
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -B %s --verify -q", plain), 0, "%s", err);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -B %s -B %s", plain, plain), 0, "one file that is named twice is one: %s", err);
	/* What the environment names is left out where it is no backend; the rest is there. */
	snprintf(command, sizeof command, "mkdir %s && cp %s %s && echo no >%s", scratch("p"), plain, scratch("p"),
		scratch("p/bad.so"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -B %s -B p/plain.so", plain), 2);
	cr_assert(strstr(err, "--load: two backends are called 'plain'") && strstr(err, "p/plain.so)"), "%s", err);
	setenv("LT_BACKEND_PATH", "p:none.so:nowhere/", 1);
	cr_assert_eq(run("--list-backends"), 0);
	cr_assert(strstr(out, "computes nothing"), "%s", out);
	cr_assert(
		strstr(err,
			"lt-run: LT_BACKEND_PATH: nowhere/: cannot be loaded: No such file or directory (left out)\n"),
		"%s", err);
	cr_assert(strstr(err, "bad.so: ") && strstr(err, "none.so: ") && strstr(err, "(left out)"), "%s", err);
	/* A copy that was interrupted keeps no tool from working. */
	snprintf(command, sizeof command, "mkdir %s && head -c 5000 %s >%s", scratch("cut"), plain, scratch("cut/part.so"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	setenv("LT_BACKEND_PATH", "cut", 1);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -q"), 0, "%s", err);
	cr_assert(strstr(err, "cut/part.so: cannot be loaded: truncated: 5000 of ")
		&& strstr(err, " bytes; copy it, or make it, again (left out)\n"), "%s", err);
	cr_assert_eq(run("add.lt -i x=1 -c w=1 -B cut/part.so"), 2);
	cr_assert(strstr(err, "lt-run: --load: cut/part.so: cannot be loaded: truncated: 5000 of "), "%s", err);
}

/* llvm need not be there: a copy of the program in a folder of its own finds none. */
Test(ltrun_runs, llvm_is_a_file_of_its_own)
{
	char command[2048];

	snprintf(command, sizeof command, "mkdir %s && cp %s %s && cd %s && alone/lt-run add.lt -i x=1 -c w=1 -b llvm",
		scratch("alone"), built("lt-run"), scratch("alone"), scratch(""));
	const int code = run_command(command, out, sizeof out, err, sizeof err);
	if (code == 0)
		return;                 /* where it is installed */
	cr_expect_eq(code, 2);
	cr_expect(strstr(err, "there is no backend 'llvm' (there are: cpu, ")
		&& strstr(err, "ref, sim, wasm); it is a file of its own, llvm.so, looked for in $LT_BACKEND_PATH, ")
		&& strstr(err, "/alone/backends") && strstr(err, "; make builds it where "), "%s", err);
}

/* ---- reports ---- */

Test(ltrun_runs, json)
{
	json_error_t e;
	json_t *root, *evaluation, *tensor_0;

	cr_assert_eq(run("two.lt -b cpu -i x=-inf -n 2 --json --verify --time=5 --explain"), 0, "%s", err);
	root = json_loads(out, 0, &e);
	cr_assert_not_null(root, "%s: %s", e.text, out);
	cr_assert_eq(json_array_size(json_object_get(root, "evaluations")), 2);
	evaluation = json_array_get(json_object_get(root, "evaluations"), 1);
	tensor_0 = json_array_get(json_object_get(evaluation, "results"), 0);
	cr_assert_str_eq(json_string_value(json_object_get(tensor_0, "name")), "result");
	cr_assert_str_eq(json_string_value(json_object_get(tensor_0, "dtype")), "float32");
	cr_assert_eq(json_integer_value(json_array_get(json_object_get(tensor_0, "shape"), 0)), 2);
	cr_assert_str_eq(json_string_value(json_array_get(json_object_get(tensor_0, "data"), 1)), "-inf");
	cr_assert(json_is_true(json_object_get(json_object_get(root, "verify"), "passed")));
	cr_assert_eq(json_integer_value(json_object_get(json_object_get(root, "time"), "runs")), 5);
	cr_assert_gt(json_integer_value(json_object_get(json_object_get(root, "time"), "median_ns")), 0);
	cr_assert(json_is_number(json_object_get(json_object_get(json_object_get(root, "time"), "compile_ms"), "accept")));
	cr_assert_str_eq(
		json_string_value(json_object_get(json_array_get(json_object_get(root, "explain"), 0), "backend")),
		"cpu");
	json_decref(root);
	cr_assert_eq(run("two.lt -i x=1.5 --json -q"), 0);
	cr_assert_null(strstr(out, "data"));
}

Test(ltrun_runs, proofs_of_sums_in_json)
{
	static const char text[] = "x = InputTensor(x, int8, [1, 2]);\nw = ConstantTensor(w, int8, [2, 3]);\n"
		"result y = FixedMatMulNode(x, w, 7, 28);\n";
	json_error_t e;
	ltrun_write_text("sums.lt", text);
	cr_assert_eq(run("sums.lt -b ref -i x=1 -c w=iota --json --explain"), 0, "%s", err);
	json_t *root = json_loads(out, 0, &e), *sum = json_array_get(json_object_get(root, "sums"), 0);
	cr_assert_not_null(sum, "%s", out);
	/* The last column is 2 and 5; -128 is 156 from 28. */
	cr_expect_eq(json_integer_value(json_object_get(sum, "weight")), 7);
	cr_expect_eq(json_integer_value(json_object_get(sum, "reach")), 156);
	cr_expect_eq(json_integer_value(json_object_get(sum, "bound")), 7 * 156 + 7);
	cr_expect_eq(json_integer_value(json_object_get(sum, "channel")), 2);
	cr_expect(json_is_true(json_object_get(sum, "fits")) && json_is_true(json_object_get(sum, "by_contents")));
	cr_expect_str_eq(json_string_value(json_object_get(sum, "type")), "i32");
	json_decref(root);
	unlink(scratch("sums.lt"));
}

Test(ltrun_runs, time)
{
	cr_assert_eq(run("two.lt -i x=1 -q --time=9"), 0);
	cr_assert_eq(strncmp(out, "time: median ", 13), 0, "%s", out);
	cr_assert(strstr(out, " of 9 runs\nwork: ") && strstr(out, "GFLOP/s") && strstr(out, "GB/s\ncompile: parse ")
			&& strstr(out, " ms, accept ") && strstr(out, " ms, compile ")
			&& strstr(out, "kernels: ")
			&& strstr(out,
				"memory: workspace 0 bytes at its peak, 0 bytes in all intermediates together; 0 bytes "
				"computed from constants; 0 bytes within kernels\n"),
		"%s", out);
	cr_assert_eq(run("two.lt -i x=1 -q --time=1"), 0);
	cr_assert(strstr(out, " of 1 run\n"), "%s", out);
	cr_assert_eq(run("copy.lt -i '*=1' -v -q --time=1 --no-cache"), 0);
	cr_assert(strstr(out, "; 1 launch a run\n"), "%s", out);
	cr_assert(strstr(err, ": 2 nodes in ") && strstr(err, "\n1 kernel for '"), "%s", err);
	cr_assert_eq(run("two.lt -i x=1 -q --time"), 0);
}

/* Operations of this run, by its extents, and those that really run where they are more. */
Test(ltrun_runs, time_counts_operations)
{
	FILE *f = fopen(scratch("extent.graph"), "w");

	cr_assert_not_null(f);
	fputs("graph 1\nvar o 1\nvar m 10\nvar t 1000 limit n\nparam n = %p[0] in 0..1000\n%p = i64[o] input \"p\"\n%x "
	      "= f32[m] input \"x\"\n"
	      "%y = f32[t] view { %x[0] }\n%s = f32[m, t] add %x, %y\n%e = f32[m, t] exp %s\nresult \"e\" = %e\n",
		f);
	fclose(f);
	cr_assert_eq(run("extent.graph -i p=3 -i x=1 -q --time=3"), 0, "%s", err);
	cr_assert(strstr(out, "\nwork: 60 flops, "), "%s", out);
	cr_assert_eq(run("extent.graph -i p=3 -i x=1 -q --time=3 -b ref --apply 'split m 4; tail m pad'"), 0, "%s", err);
	/* the two rows past the end are added, and not stored */
	cr_assert(strstr(out, "\nwork: 60 flops (66 executed), "), "%s", out);
	cr_assert_eq(run("extent.graph -i p=3 -i x=1 -q --json --time=3 -b ref --apply 'split m 4; tail m pad'"), 0,
		"%s", err);
	cr_assert(strstr(out, "\"flops\": 60,") && strstr(out, "\"executed_flops\": 66,"), "%s", out);
}

Test(ltrun_runs, the_graph_is_a_script)
{
	static char first[sizeof out];

	cr_assert_eq(run("--dump=graph count.lt -o count.graph"), 0, "%s", err);
	cr_assert_str_eq(out, "");
	cr_assert_eq(run("--dump=graph count.lt"), 0);
	memcpy(first, out, sizeof first);
	cr_assert_eq(strncmp(first, "graph 1\n", 8), 0);
	cr_assert_eq(run("--dump=graph - <count.graph"), 0, "%s", err);
	cr_assert_str_eq(out, first);
	cr_assert_eq(run("count.graph -i part=2 -i begin=1 -i end=3"), 0, "%s", err);
	cr_assert_str_eq(out, "result: float32 (4,)\n[0. 2. 2. 0.]\n");
	cr_assert_eq(run("--dump=graph -dD count.lt"), 0, "%s", err);
	cr_assert_eq(strncmp(out, "graph 1\n", 8), 0);
}

Test(ltrun_runs, the_cache_of_compiled_code)
{
	int kernels = 0;

	cr_assert_eq(run("--cache=stats --cache-dir=kept"), 0);
	cr_assert_str_eq(out, "kept: there is no such folder, so no compiled code is kept there\n");
	cr_assert_eq(run("--cache=clear --cache-dir=kept"), 0);
	cr_assert_str_eq(out, "kept: there is no such folder, so no compiled code is kept there\n");
	cr_assert_eq(run("--cache=clear --cache-dir=kept --json"), 0);
	cr_assert(strstr(out, "\"cleared\": false"), "%s", out);
	cr_assert_eq(run("two.lt -b cpu -i x=1 -q --cache-dir=kept/below --time=1"), 0, "%s", err);
	cr_assert(strstr(out, " compiled, 0 from the cache;") && !strstr(out, " 0 compiled"), "%s", out);
	cr_assert_eq(run("--cache=stats --cache-dir=kept/below"), 0);
	cr_assert(sscanf(out, "kept/below: %d kernels", &kernels) == 1 && kernels > 0, "%s", out);
	/* The second time nothing is compiled. */
	cr_assert_eq(run("two.lt -b cpu -i x=1 --cache-dir=kept/below --time=1 -q"), 0);
	cr_assert(strstr(out, " 0 compiled, ") && !strstr(out, " 0 from the cache"), "%s", out);
	cr_assert_eq(run("--cache=clear --cache-dir=kept/below"), 0);
	cr_assert(strstr(out, "removed"));
	cr_assert_eq(run("--cache=stats --cache-dir=kept/below"), 0);
	cr_assert_str_eq(out, "kept/below: 0 kernels, 0 bytes\n");
	/* The usual folder comes from the environment. */
	cr_assert_eq(run("two.lt -b cpu -i x=1 -q"), 0);
	cr_assert_eq(run("--cache=stats --json"), 0);
	cr_assert(strstr(out, "/looptree\"") && !strstr(out, "\"kernels\": 0,"), "%s", out);
	cr_assert_eq(run("two.lt -b cpu -i x=2 -q --no-cache"), 0);
}

/* The progress of a compile is for terminals: nothing of it in a pipe. */
Test(ltrun_runs, is_silent_in_a_pipe)
{
	cr_assert_eq(run("add.lt -i x=1 -c w=1 --no-cache 2>&1 | cat"), 0);
	cr_assert_str_eq(out, "result: float32 (2, 3)\n[[2. 2. 2.]\n [2. 2. 2.]]\n");
}

/* On a terminal it is shown, once a compile takes its time. */
Test(ltrun_runs, shows_progress_on_a_terminal)
{
	char script[4096] = "", shown[1 << 14] = "";
	size_t n = 0;
	ssize_t got;
	int terminal, status;
	pid_t pid;

	for (int i = 1; i <= 16; i++)
		n += (size_t)snprintf(script + n, sizeof script - n,
			"$%d = InputTensor(x%d, float32, [%d, 8]); $%d = ReduceSumNode($%d, [0]);result r%d = $%d;\n",
			2 * i, i, i + 1, 2 * i + 1, 2 * i, i, 2 * i + 1);
	snprintf(script + n, sizeof script - n, "result = $2;");
	ltrun_write_text("many.lt", script);
	cr_assert_eq(run("many.lt -i *=1 -o many.npz --no-cache"), 0, "%s", err);
	cr_assert_str_eq(err, "");
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid < 0)
		cr_skip_test("no pseudo-terminal can be had here");
	if (pid == 0) {
		execl(built("lt-run"), "lt-run", scratch("many.lt"), "-i", "*=1", "-o", scratch("many.npz"), "--no-cache", "-b",
			"cpu", NULL);
		_exit(9);
	}
	for (n = 0; (got = read(terminal, shown + n, sizeof shown - 1 - n)) > 0;)
		n += (size_t)got;
	shown[n] = 0;
	close(terminal);
	cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", shown);
	cr_assert(strstr(shown, "compiling: ") && (strstr(shown, " of 17") || strstr(shown, " of 16")), "%s", shown);
	cr_assert(strstr(shown, "\r\033[K"), "the line is not cleared");
}

/* The nth block of C of docs/c-api.md, from 1, between two texts, built and run as it stands there. */
static void run_manual(int nth, const char *before, const char *after)
{
	char command[2048], line[1024], source[8192] = "";
	FILE *doc = fopen("docs/c-api.md", "r");
	bool inside = false;

	cr_assert_not_null(doc);
	strcat(source, before);
	while (fgets(line, sizeof line, doc)) {
		if (inside && !strncmp(line, "```", 3))
			break;
		if (inside)
			strncat(source, line, sizeof source - strlen(source) - 1);
		inside |= !strcmp(line, "```c\n") && --nth == 0;
	}
	fclose(doc);
	strncat(source, after, sizeof source - strlen(source) - 1);
	ltrun_write_text("manual.c", source);
	snprintf(command, sizeof command,
		"${CC:-cc} -std=gnu11 -Wall -Wextra -Wno-unused-result %s -Iinclude -o %s %s -L%s -llooptree "
		"-Wl,-rpath,%s && %s",
#ifdef __SANITIZE_ADDRESS__
		"-fsanitize=address,undefined",
#else
		"",
#endif
		scratch("manual"), scratch("manual.c"), built(""), built(""), scratch("manual"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s%s", out, err);
	cr_assert_str_eq(err, "");
}

Test(ltrun_runs, the_program_in_the_manual)
{
	run_manual(1, "", "");
	cr_assert_str_eq(out, "0\n2\n0\n4\n0\n6\n");
}

Test(ltrun_runs, a_model_and_a_plug_in_in_the_manual)
{
	if (!lt_frontend_find("onnx"))
		cr_skip_test("it is built without the frontend onnx");
	run_manual(2,
		"#include <lt/lt.h>\n#include <stdio.h>\n"
		"int main(void) {\n"
		"static char bytes[4096]; FILE *f = fopen(\"tests/standalone/dense.onnx\", \"rb\");\n"
		"size_t n = fread(bytes, 1, sizeof bytes, f);\n"
		"struct lt_context *c; struct lt_graph *g; struct lt_program *p;\n"
		"if (lt_context_new(&c)) return 1;\n",
		"o.backends = \"ref\";\n"
		"if (lt_compile(c, g, &o, &p)) return 1;\n"
		"printf(\"%lld\\n\", (long long)lt_program_extent(p, LT_BINDING_INPUT, 0, 0));\n"
		"lt_program_free(p); lt_graph_free(g); lt_context_free(c); return fclose(f); }\n");
	cr_assert_str_eq(out, "mine.so is not loaded\n8\n");
}

/* ---- verification that can say nothing ---- */

/* Two sums of the same numbers: the schedule of one has partial sums, so that they differ by rounding and nothing
 * else. */
static const char cancel[] =
	"$1 = InputTensor(x, float32, [64, 1000]); $2 = ExpNode($1); $3 = ReduceSumNode($2, [1]); $4 = ReshapeNode($2, "
	"[64, 8, 125]);$5 = ReduceSumNode($4, [2]); $6 = ReduceSumNode($5, [1]); $7 = SubNode($3, $6); result = $7;";

Test(ltrun_runs, what_nothing_can_judge_is_not_verified)
{
	ltrun_write_text("cancel.lt", cancel);
	cr_assert_eq(run("cancel.lt -i x=random -q --verify"), 3, "%s%s", out, err);
	cr_assert(strstr(out, "verify: not verified, ") && strstr(out, " 0 wrong"), "%s", out);
	cr_assert(strstr(err, "not verified: ") && strstr(err, "such as result[")
			&& strstr(err, "--verify=allow-unbounded"),
		"%s", err);
	cr_assert_eq(run("cancel.lt -i x=random -q --verify=allow-unbounded"), 0, "%s%s", out, err);
	cr_assert_eq(run("cancel.lt -i x=random --verify --json"), 3);
	json_t *o = json_loads(out, 0, NULL);
	const json_t *v = json_object_get(o, "verify"), *noise = json_object_get(v, "noise");
	cr_assert_str_eq(json_string_value(json_object_get(v, "verdict")), "not verified");
	cr_assert(json_is_false(json_object_get(v, "passed")));
	cr_assert(json_integer_value(json_object_get(noise, "open")) > 0
		&& json_integer_value(json_object_get(noise, "wrong")) == 0);
	cr_assert_eq(json_integer_value(json_object_get(noise, "widened")), 16);
	json_decref(o);
}

/* The largest errors are those of all elements, open ones too. */
Test(ltrun_runs, the_report_tells_the_true_errors)
{
	ltrun_write_text("cancel.lt", cancel);
	cr_assert_eq(run("cancel.lt -i x=random -o y.npy --verify=allow-unbounded"), 0, "%s", err);
	const char *text = strstr(out, "largest absolute error ");
	cr_assert(text && strtod(text + strlen("largest absolute error "), NULL) > 1e-6, "%s", out);
	text = strstr(out, "kernels: ");
	cr_assert(text && strstr(text, "within the bound of their kernel, 0 wrong"), "%s", out);
}

/* ---- trees that were read ---- */

/* The line of the tree that is in the way, and that the tree says that it is for another machine; --explain and
 * --check-schedule say it of one that runs. */
Test(ltrun_runs, trees_for_another_target)
{
	cr_assert_eq(run("-q --no-cache -b sim:h100 --dump=tree add.lt"), 0, "%s", err);
	char *other = strdup(out);
	ltrun_write_text("other.tree", other);
	cr_expect_eq(run("-q --no-cache -b cpu --schedule=other.tree -i x=1 -c w=1 add.lt"), 1);
	cr_expect_not_null(strstr(err, "other.tree:11:1: "), "%s", err);
	cr_expect_not_null(strstr(err, ":11:1: it has no block loops"), "%s", err);
	cr_expect_not_null(strstr(err, "; other.tree was made for the target 'sim:h100'"), "%s", err);
	cr_expect_eq(run("-q --no-cache -b ref --explain --schedule=other.tree -i x=1 -c w=1 add.lt"), 0, "%s", err);
	cr_expect_not_null(
		strstr(out, "other.tree was made for the target 'sim:h100'; it is run as it is for 'ref'"), "%s%s", out, err);
	cr_expect_eq(run("--check-schedule -b ref --schedule=other.tree add.lt"), 0, "%s", err);
	cr_expect_not_null(strstr(err, "was made for the target 'sim:h100'; it is run as it is for 'ref'"), "%s", err);
	cr_expect_eq(run("--check-schedule -b sim:h100 --schedule=other.tree add.lt"), 0, "%s", err);
	cr_expect_str_eq(err, "");
	cr_expect_eq(run("-q --no-cache -b sim:h100 --explain --schedule=other.tree -i x=1 -c w=1 add.lt"), 0, "%s", err);
	cr_expect_null(strstr(out, "was made for the target"), "%s", out);
	memcpy(strstr(other, "target sim:h100"), "target cortx-m0", 15);
	ltrun_write_text("other.tree", other);
	cr_expect_eq(run("--check-schedule -b ref --schedule=other.tree add.lt"), 0, "%s", err);
	cr_expect_not_null(strstr(err, "for the target 'cortx-m0', which is none of a backend here; it is run"), "%s", err);
	free(other);
}

/* A tensor beyond a run-time extent: it is that which does not fit, and its extent is not asked for. */
Test(ltrun_runs, more_rows_than_the_bound)
{
	const float rows[15] = { 0 };
	const struct lt_tensor five = ltrun_tensor("x", LT_F32, 2, (const int64_t[]){ 5, 3 }, rows);

	ltrun_write_text("rows.lt",
		"n = InputTensor(n, int64, []);\nx = InputTensor(x, float32, [n <= 4, 3]);\nresult = x * 2;\n");
	ltrun_write("five.npz", 1, &five);
	cr_expect_eq(run("rows.lt --inputs five.npz"), 2);
	cr_expect_str_eq(
		err, "lt-run: five.npz: the input 'x' is float32 [at most 4, 3], but this is float32 (5, 3)\n");
}

/* What nobody writes to, and what has no end, is no file; a pipe of the shell is one. */
Test(ltrun_runs, nothing_is_waited_for)
{
	static const char *const refused[][2] = {
		{ "fifo", "fifo: is a named pipe (FIFO)" }, { "/dev/zero", "/dev/zero: is a device, not a file" },
		{ "add.lt -i x=fifo.npy -c w=1", "fifo.npy: is a named pipe" },
		{ "add.lt -i x=1 -w fifo.npz", "fifo.npz: is a named pipe" },
		{ "add.lt -i x=1 -c w=1 --schedule fifo", "fifo: is a named pipe" },
	};
	static const char *const read[] = { "/dev/stdin -i x=-inf <two.lt", "- -i x=-inf <two.lt",
		"/dev/fd/5 -i x=-inf 5<<end\n$(cat two.lt)\nend\n" };

	cr_assert(!mkfifo(scratch("fifo"), 0600) && !mkfifo(scratch("fifo.npy"), 0600) && !mkfifo(scratch("fifo.npz"), 0600));
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		cr_expect(run("%s", refused[i][0]) == 2 && strstr(err, refused[i][1]), "%s: %s", refused[i][0], err);
	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		cr_expect(run("%s", read[i]) == 0 && strstr(out, "[-inf -inf]"), "%s: %s", read[i], err);
}
