/* test_schedule_run.c -- lists of primitives by lt-run and in the options of a program. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "tests/built.h"
#include "tests/tree_text.h"

TestSuite(schedule_run, .timeout = 300);

static char out[1 << 16], err[1 << 14];

static int lt_run(const char *options)
{
	char command[2048];
	snprintf(command, sizeof command, "%s -b ref --no-cache %s", built("lt-run"), options);
	return run_command(command, out, sizeof out, err, sizeof err);
}

#define LAYER "examples/schedules/layer.graph "
#define DATA " -q --verify -i '*=random' -c '*=random'"

Test(schedule_run, steps_on_the_command_line)
{
	cr_expect_eq(lt_run(LAYER "--apply=\"split m 5; fission %e n; merge m'\"" DATA), 0, "%s", err);
	cr_expect_eq(lt_run(LAYER "--apply='' --dump=tree"), 2, "%s", err);
	cr_expect_eq(lt_run(LAYER "--apply=\"split m 5; split m' 5\"" DATA), 1);
	cr_expect_str_eq(err, "lt-run: apply:1:12: `split m' 5`: the loop m' covers 5, so a loop in steps of 5 around it "
		"would have one iteration; choose a step below 5\n");
	cr_expect_eq(lt_run(LAYER "--apply='split m'" DATA), 2);
	cr_expect_str_eq(err, "lt-run: apply:1:1: `split m`: a step of this kind is `split LOOP STEP`\n");
	cr_expect_eq(lt_run(LAYER "--apply"), 2);
}

Test(schedule_run, checked_without_running)
{
	cr_expect_eq(lt_run(LAYER "--apply='split m 5; tail m peel' --check-schedule"), 0, "%s", err);
	cr_expect_str_eq(out, "applies\n");
	cr_expect_eq(lt_run(LAYER "--apply='parallel k' --check-schedule"), 1);
	cr_expect_not_null(strstr(err, "apply:1:1: `parallel k`: the parallel loop over k reduces %c"), "%s", err);
	cr_expect_eq(lt_run(LAYER "--check-schedule"), 2);
}

/* Every tail is carried out, whether the last trip is partial or not. */
Test(schedule_run, every_tail_is_run)
{
	static const char *const tails[] = { "guard", "peel", "mask", "pad" };
	for (int i = 0; i < 4; i++)
		for (int step = 6; step <= 8; step++) {
			char options[400];
			snprintf(options, sizeof options,
				"examples/matmul.lt --apply=\"split m %d; tail m %s; split %%4/k 7; tail %%4/k "
				"%s\"" DATA,
				step, tails[i], tails[3 - i]);
			cr_expect_eq(lt_run(options), 0, "%s: %s", options, err);
		}
}

/* The steps come on top of a file, whichever kind it is. */
Test(schedule_run, steps_on_top_of_a_schedule)
{
	static const char *const files[] = { "examples/schedules/matmul-blocks.tree",
		"examples/schedules/matmul-blocks.schedule" };
	for (int i = 0; i < 2; i++) {
		char options[400];
		snprintf(options, sizeof options,
			"examples/matmul.lt --schedule=%s --apply=\"serial m; merge %%5/m'; split %%4/m' 8\"" DATA,
			files[i]);
		cr_expect_eq(lt_run(options), 1);
		cr_expect_not_null(strstr(err, "apply:1:11: `merge %5/m'`: the loop %5/m' is not alone directly inside m"), "%s",
			err);
		snprintf(options, sizeof options,
			"examples/matmul.lt --schedule=%s --apply=\"serial m; split %%4/m' 8\"" DATA, files[i]);
		cr_expect_eq(lt_run(options), 0, "%s", err);
	}
}

/* What is beside a tree of the same name makes that tree out of the plain one, of the backend ref. */
Test(schedule_run, the_examples_lists_give_the_examples_trees)
{
	DIR *dir = opendir("examples/schedules");
	struct dirent *entry;
	int count = 0;
	cr_assert_not_null(dir);
	while ((entry = readdir(dir))) {
		char options[1200], made[400];
		int stem = (int)strcspn(entry->d_name, "."), script = (int)strcspn(entry->d_name, "-.");
		snprintf(made, sizeof made, "examples/schedules/%.*s.tree", stem, entry->d_name);
		if (!strstr(entry->d_name, ".schedule") || access(made, R_OK) != 0)
			continue;
		snprintf(made, sizeof made, "%s", scratch("made.tree"));
		snprintf(options, sizeof options, "--dump=tree examples/%.*s.lt --schedule=examples/schedules/%s -o %s",
			script, entry->d_name, entry->d_name, made);
		cr_assert_eq(lt_run(options), 0, "%s", err);
		snprintf(options, sizeof options, "%s --dump=diff examples/schedules/%.*s.tree %s", built("lt-run"),
			stem, entry->d_name, made);
		cr_expect_eq(run_command(options, out, sizeof out, err, sizeof err), 0, "%s: %s%s", entry->d_name, out, err);
		count++;
	}
	closedir(dir);
	cr_assert_geq(count, 5);
}

/* What is updated is written before. */
Test(schedule_run, an_update_stands_behind_its_old_value)
{
	static const char text[] =
		"graph 1\nvar m 4\nvar q 2\n%x = f32[m] input \"x\"\n%z = f32[q] input \"z\"\n%y = f32[m] exp %x\n"
		"%u = f32[m] update %y, %z at [1]\nresult \"u\" = %u\n";
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t, *next;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(tree_from(g, "m\n %y\nq\n %u\n", &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_looptree_apply(t, "fuse %u m", 9, "s", 0, NULL, &next, NULL), LT_EILLEGAL);
	cr_expect_str_eq(lt_context_message(ctx),
		"s:1:1: `fuse %u m`: %y and %u share the loop over m, but an updated value is complete only when the "
		"whole loop has ended; give %u loops of its own");
	lt_looptree_free(t);
	cr_assert_eq(tree_from(g, "q\n %u\nm\n %y\n", &t), LT_EILLEGAL);
	cr_expect_str_eq(lt_context_message(ctx), "%u updates %y, which is written after it; put the leaf of %y before it");
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* Peeling makes many statements of an update; its old value is copied before the nest once. */
Test(schedule_run, a_peeled_update_copies_its_old_value_once)
{
	static const char script[] = "$1 = InputTensor(key, float32, [997]);\n$2 = InputTensor(begin, int64, [1]);\n$3 "
				     "= InputTensor(end, int64, [1]);\n"
				     "$4 = BufferTensor(keys, float32, [4096]);\n$5 = ReplaceSliceNode($4, $1, $2, "
				     "$3);\n$6 = AddNode($4, $5);\nresult = $6;\n";
	static const char steps[] = "split i 601; split i' 367; split i'' 31; tail i peel; tail i' peel; tail i'' peel";
	char more[1200];
	FILE *f = fopen(scratch("update.lt"), "w");
	cr_assert_not_null(f);
	fputs(script, f);
	fclose(f);
	snprintf(more, sizeof more, "%s --dump=tree --apply=\"%s\"", scratch("update.lt"), steps);
	cr_assert_eq(lt_run(more), 0, "%s", err);
	cr_assert_not_null(strstr(out, "for i'' step 31  tail peel"), "%s", out);
	snprintf(more, sizeof more, "%s --dump=plan --apply=\"%s\"", scratch("update.lt"), steps);
	cr_assert_eq(lt_run(more), 0, "%s", err);
	int copies = 0;
	for (const char *at = out; (at = strstr(at, "copy state")); at++)
		copies++;
	cr_expect_eq(copies, 1, "%s", out);
	snprintf(more, sizeof more, "%s -q --verify -i key=random -i begin=5 -i end=1002 --apply=\"%s\"",
		scratch("update.lt"), steps);
	cr_expect_eq(lt_run(more), 0, "%s", err);
}

/* A tail that was said of a loop goes with the one that its lanes are cut from; steps are joined, not given twice. */
Test(schedule_run, a_tail_before_its_vectors)
{
	cr_expect_eq(lt_run(LAYER "--apply=\"tail %e/n mask; vectorize %e/n 5\"" DATA), 0, "%s", err);
	cr_expect_eq(lt_run(LAYER "--apply='split m 5' --apply='parallel m'" DATA), 2);
	cr_expect_not_null(strstr(err, "--apply is given twice; one takes several steps, with ';' between them"), "%s", err);
}

/* Memory that runs out at any allocation is an error, and nothing is left after. */
Test(schedule_run, out_of_memory)
{
	static const char graph[] = "graph 1\nvar m 24\n%x = f32[m] input \"x\"\n%y = f32[m] exp %x\n%z = f32[m] neg "
				    "%y\nresult \"z\" = %z\n";
	for (int64_t at = 1; ; at++) {
		struct run_counter counter;
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p = NULL;
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(ctx, graph, strlen(graph), "test", &g), LT_OK);
		const struct lt_options options = { .size = sizeof options,
			.backends = "ref",
			.apply = "split m 6; fission %z m'; fuse %z m'; merge m; vectorize m 4" };
		counter.fail_at = counter.calls + at;
		lt_status st = lt_compile(ctx, g, &options, &p);
		counter.fail_at = 0;
		cr_assert(st == LT_OK || st == LT_ENOMEM, "%d: %s", (int)at, lt_context_message(ctx));
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
		cr_assert_eq(counter.bytes, 0, "allocation %d", (int)at);
		if (st == LT_OK)
			break;
	}
}
