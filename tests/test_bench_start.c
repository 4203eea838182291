/* test_bench_start.c -- lt-bench start: whole processes of ours, and what a peer says of its own. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/bench_program.h"
#include "tools/bench/start.h"

#define out bench_out
#define err bench_err

static const char model[] =
	"x = InputTensor(x, float32, [4, 3]);\n"
	"w = ConstantTensor(w, float32, [3, 5]);\n"
	"result y = ReLUNode(x @ w);\n";

/* It has prepared in half a second, and takes 10 ms a run, it says; `fat` has touched 64 MB then. */
static const char start_peer[] =
	"echo \"peer 1 start:$1 1.0\"\n"
	"echo begun >>begun\n"
	"while read -r word rest; do case $word in\n"
	"case) [ $1 = refuses ] && { echo failed it is too hard; continue; }\n"
	"  [ $1 = fat ] && fat=$(head -c 64000000 /dev/zero | tr '\\0' x)\n"
	"  printf '%s' \"$rest\" >told.json; echo ok 0.5 ;;\n"
	"sample) awk \"BEGIN { print $rest * 0.01 }\" ;;\n"
	"quit) exit ;; *) echo ok ;;\n"
	"esac; done\n";

static void start_set_up(void)
{
	bench_set_up();
	bench_write_text("small.lt", model);
	bench_write_text("start.sh", start_peer);
}

TestSuite(bench_start, .init = start_set_up, .fini = scratch_remove, .timeout = 300);

static json_t *start_row_of(json_t *report, const char *label)
{
	json_t *rows = json_object_get(json_array_get(json_object_get(report, "start"), 0), "rows"), *r;
	size_t i;

	json_array_foreach(rows, i, r)
		if (!strcmp(bench_text_of(r, "contestant"), label))
			return r;
	cr_assert_fail("there is no row '%s'", label);
	return NULL;
}

Test(bench_start, whole_processes_and_what_a_peer_says)
{
	json_t *o, *cold, *cached, *lean, *fat;
	char begun[64];
	FILE *f;

	cr_assert_eq(bench_run("start --model small.lt -b cpu --samples 2 --threads 1 --json x.json --peer 'sh start.sh lean' "
		"--peer 'sh start.sh fat'"), 0, "%s%s", err, out);
	o = bench_read_json();
	cold = start_row_of(o, "cpu cold");
	cached = start_row_of(o, "cpu cached");
	lean = start_row_of(o, "start:lean");
	fat = start_row_of(o, "start:fat");
	cr_expect_str_eq(bench_text_of(cold, "status"), "measured", "%s", bench_text_of(cold, "why"));
	cr_expect_str_eq(bench_text_of(cached, "status"), "measured");
	cr_expect_eq(json_array_size(json_object_get(cold, "samples_s")), 2);
	cr_expect_float_eq(bench_real_of(lean, "ready_s"), 0.5, 1e-9);
	cr_expect_float_eq(bench_real_of(lean, "first_s"), 0.01, 1e-9);
	cr_expect_float_eq(bench_real_of(lean, "total_s"), 0.51, 1e-9);
	cr_expect_float_eq(bench_real_of(lean, "time_over_best"), 1, 1e-9);
	cr_expect_float_eq(bench_real_of(cold, "time_over_best"), bench_real_of(cold, "total_s") / 0.51, 1e-6);
	/* A shell has less than 64 MB before it has the case. */
	cr_expect(bench_real_of(fat, "peak_bytes") > 6e7, "%g", bench_real_of(fat, "peak_bytes"));
	cr_expect(bench_real_of(fat, "before_bytes") < 3e7 && bench_real_of(fat, "before_bytes") > 1e5);
	cr_expect(bench_real_of(lean, "peak_bytes") < 3e7);
	cr_expect_float_eq(bench_real_of(lean, "memory_over_best"), 1, 1e-9);
	cr_expect_gt(bench_real_of(fat, "memory_over_best"), 2);
	cr_expect_gt(bench_real_of(cached, "peak_bytes"), 1e6);
	cr_expect(strstr(out, "start, 1 thread, cpu cached: time "), "%s", out);
	json_decref(o);
	/* Each round has a process of its own; what is told is the suite's. */
	f = fopen(scratch("begun"), "r");
	cr_assert_not_null(f);
	for (int i = 0; i < 4; i++)
		cr_expect_not_null(fgets(begun, sizeof begun, f));
	cr_expect_null(fgets(begun, sizeof begun, f));
	fclose(f);
	o = json_load_file(scratch("told.json"), 0, NULL);
	cr_expect_str_eq(bench_text_of(o, "suite"), "start");
	json_decref(o);
}

/* What the test holds does not count as the program's, which is a copy of it until it begins. */
Test(bench_start, memory_is_that_of_the_program)
{
	const struct bench_options o = { .patience = 60, .cc = "cc" };
	char *const sleeper[] = { "/bin/sleep", "0.2", NULL };
	char *const wrong[] = { "/bin/sh", "-c", "echo no >&2; exit 3", NULL };
	char *const speaker[] = { "/bin/sh", "-c", "echo one; echo two >&2", NULL };
	char *const large[] = { "/usr/bin/perl", "-e", "$x = \"a\" x 300000000", NULL };
	const size_t bytes = 100000000;
	struct lt_context *ctx;
	char *held = lt__must_alloc(bytes);
	struct bench_program p = { .says = false };

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	memset(held, 1, bytes);
	cr_assert_eq(bench_program_run(ctx, sleeper, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_expect(p.peak > 100000 && p.peak < 50000000, "%lld", (long long)p.peak);
	cr_expect(p.seconds >= 0.2, "%g", p.seconds);
	cr_expect(!p.text && !p.errors);
	cr_expect_gt(bench_group_peak(getpgrp()), (int64_t)bytes, "of the test's own");
	/* More than the test has: to the last page, however late it comes. */
	cr_assert_eq(bench_program_run(ctx, large, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_geq(p.peak, 300000000, "%lld", (long long)p.peak);
	p.says = true;
	cr_assert_eq(bench_program_run(ctx, speaker, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_str_eq(p.text, "one\n");
	cr_expect_str_eq(p.errors, "two\n");
	bench_program_free(&p);
	cr_assert(bench_program_run(ctx, wrong, &o, &p));
	cr_expect(strstr(lt_context_message(ctx), "exit code 3: no"), "%s", lt_context_message(ctx));
	free(held);
	lt__tmp_remove();
	lt_context_free(ctx);
}

Test(bench_start, what_fails_is_kept_with_its_reason)
{
	json_t *o;

	cr_assert_eq(bench_run("start --model small.lt -b cpu --cc false --quick --json x.json --peer 'sh start.sh refuses'"),
		1, "%s%s", err, out);
	o = bench_read_json();
	cr_expect(strstr(bench_text_of(start_row_of(o, "cpu cold"), "why"), "it ended with exit code 1"), "%s",
		bench_text_of(start_row_of(o, "cpu cold"), "why"));
	cr_expect_str_eq(bench_text_of(start_row_of(o, "cpu cached"), "status"), "failed");
	cr_expect(strstr(bench_text_of(start_row_of(o, "start:refuses"), "why"), "too hard"), "%s",
		bench_text_of(start_row_of(o, "start:refuses"), "why"));
	cr_expect(strstr(out, "failed: it is too hard"), "%s", out);
	json_decref(o);
	cr_assert_eq(bench_run("start --model small.lt -b cpu --quick --patience 0.001"), 1);
	cr_expect(strstr(out, "--patience SECONDS gives it more"), "%s", out);
}
