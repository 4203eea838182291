/* test_bench_llama.c -- lt-bench llama: tokens a second of ours beside a program that says how fast it was, what
 * is wrong, and where weights come from. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/bench_program.h"
#include "tools/bench/llama.h"

#define out bench_out
#define err bench_err
/* Two layers, two queries a head of keys, groups of 4. */
#define SHAPE "--shape dim=16,hidden=36,layers=2,heads=4,kv_heads=2,vocab=67,context=40"
#define NAME "16x36x2"

/* Takes run's words, and makes the tokens with lt-llama: 1000 a second with one thread, 1500 with two, it says. */
static const char rival[] =
	"#!/bin/sh\n"
	"mode=${0##*.} checkpoint=$1 n=0 z=; shift\n"
	"echo \"$OMP_NUM_THREADS $*\" >>told\n"
	"while [ $# -gt 0 ]; do case $1 in -n) n=$2 ;; -z) z=$2 ;; esac; shift; done\n"
	"[ -f \"$z\" ] || exit 3\n"
	"[ $mode = dies ] && { echo 'out of paper' >&2; exit 7; }\n"
	"[ $mode = early ] && n=$((n / 2))\n"
	"text=$($LLAMA $checkpoint --tokens -q -t 0 -n $n -b ref --no-cache)\n"
	"[ $mode = wrong ] && text=$(echo $text | awk '{ $3 = $3 == 9 ? 10 : 9; print }')\n"
	"[ $mode = outside ] && text=$(echo $text | awk '{ $3 = 67; print }')\n"
	"[ $mode = talks ] && text='Once upon a time'\n"
	"printf '%s \\n' \"$text\"\n"
	"[ $mode = mute ] || echo \"achieved tok/s: $((500 + 500 * OMP_NUM_THREADS)).0\" >&2\n";

static void rival_write(const char *mode)
{
	char name[32];

	snprintf(name, sizeof name, "rival.%s", mode);
	bench_write_text(name, rival);
	chmod(scratch(name), 0755);
}

static void llama_set_up(void)
{
	static const char *const modes[] = { "right", "wrong", "outside", "early", "mute", "talks", "dies" };

	bench_set_up();
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		rival_write(modes[i]);
	setenv("LLAMA", built("lt-llama"), 1);
}

TestSuite(bench_llama, .init = llama_set_up, .fini = scratch_remove, .timeout = 300);
TestSuite(more_bench_llama, .init = llama_set_up, .fini = scratch_remove, .timeout = 300);

static json_t *llama_case(json_t *report, const char *name, int threads)
{
	json_t *c;
	size_t i;

	json_array_foreach(json_object_get(report, "cases"), i, c)
		if (!strcmp(bench_text_of(c, "name"), name) && json_integer_value(json_object_get(c, "threads")) == threads)
			return c;
	cr_assert_fail("there is no case '%s' with %d threads", name, threads);
	return NULL;
}

static json_t *llama_row_of(json_t *c, const char *label)
{
	json_t *r;
	size_t i;

	json_array_foreach(json_object_get(c, "rows"), i, r)
		if (!strcmp(bench_text_of(r, "contestant"), label))
			return r;
	cr_assert_fail("there is no row '%s'", label);
	return NULL;
}

static double stat_of(json_t *row, const char *key)
{
	return bench_real_of(json_object_get(row, "stats"), key);
}

/* Of one of ours: everything that the table has. */
static void expect_ours(json_t *c, const char *label, const char *rival_label, double rival_rate)
{
	json_t *r = llama_row_of(c, label), *other = rival_label ? llama_row_of(c, rival_label) : NULL;
	const double rate = stat_of(r, "tokens_per_second");

	cr_assert_str_eq(bench_text_of(r, "status"), "measured", "%s", bench_text_of(r, "why"));
	cr_expect(rate > 0 && fabs(rate * bench_real_of(r, "median_s") - 1) < 1e-6);
	cr_expect_eq(json_array_size(json_object_get(r, "samples_s")), 2);
	cr_expect(stat_of(r, "prompt_per_second") > 0 && stat_of(r, "prompt_tokens") == 24);
	cr_expect_eq(stat_of(r, "tokens"), 30);
	cr_expect_eq(stat_of(r, "agree"), 30);
	cr_expect_eq(stat_of(r, "checked"), 20);
	cr_expect(stat_of(r, "compile_cold_s") > 0 && stat_of(r, "compile_cached_s") > 0);
	cr_expect_gt(stat_of(r, "peak_cached_bytes"), stat_of(r, "checkpoint_bytes"));
	cr_expect_eq(stat_of(r, "cache_bytes"), 2 * 2 * 40 * 2 * 4 * 4, "layers, both, context, heads of keys, head, float");
	/* The rate is that of bytes: the same over the peak as the table's "limit". */
	cr_expect_float_eq(bench_real_of(r, "of_peak"), rate * bench_real_of(c, "bytes") / bench_real_of(c,
		"peak_per_second"), 1e-3 * bench_real_of(r, "of_peak"));
	if (!other)
		return;
	cr_assert_str_eq(bench_text_of(other, "status"), "measured", "%s", bench_text_of(other, "why"));
	cr_expect_float_eq(stat_of(other, "tokens_per_second"), rival_rate, 1e-6);
	cr_expect_float_eq(bench_real_of(r, "of_best"), rate / rival_rate, 1e-3 * bench_real_of(r, "of_best"));
	cr_expect_eq(stat_of(other, "agree"), 30);
}

Test(bench_llama, everything_is_measured_in_one_run)
{
	char told[200];
	json_t *o, *c;
	FILE *f;

	cr_assert_eq(bench_run("llama " SHAPE " --dtype f32,bf16,f16,int8 -b ref --samples 2 --seconds 0.001 --tokens 30 "
		"--prompt 24 --run ./rival.right --runq ./rival.right --json x.json --csv x.csv --plot x.svg"), 0, "%s%s", err, out);
	o = bench_read_json();
	c = llama_case(o, NAME "-f32", 1);
	expect_ours(c, "ref", "run", 1000);
	cr_expect_leq(bench_real_of(llama_row_of(c, "ref"), "relative_l2"), 1e-5);
	cr_expect_eq(json_array_size(json_object_get(c, "rows")), 3, "ref, run and the bandwidth");
	/* Weights once, of the cache what is there in the middle: 16 of its 40 positions. */
	cr_expect_eq(bench_real_of(c, "bytes"), 4 * (67 * 16 + 2 * (2 * 16 + 2 * 16 * 16 + 2 * 8 * 16 + 3 * 16 * 36) + 16)
		+ 2 * 2 * 16 * 8 * 4);
	expect_ours(llama_case(o, NAME "-bf16", 1), "ref", NULL, 0);
	expect_ours(llama_case(o, NAME "-f16", 1), "ref", NULL, 0);
	expect_ours(llama_case(o, NAME "-int8", 1), "ref", "runq", 1000);
	cr_expect(strstr(out, "30 of 30"), "%s", out);
	json_decref(o);
	f = fopen(scratch("told"), "r");
	cr_assert_not_null(f);
	cr_assert_not_null(fgets(told, sizeof told, f));
	cr_expect(!strncmp(told, "1 -t 0 -n 30 -z ", 16), "%s", told);
	fclose(f);
	cr_expect_eq(access(scratch("x.svg"), F_OK), 0);
}

/* A second backend makes the same tokens; threads are told to both. */
static void expect_rows(const char *backend)
{
	json_t *o, *c;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	cr_assert_eq(bench_run("llama " SHAPE ",shared=0 -b %s,ref --samples 2 --seconds 0.001 --tokens 30 --prompt 24 "
		"--threads 2 --run ./rival.right --json x.json", backend), 0, "%s%s", err, out);
	o = bench_read_json();
	c = llama_case(o, NAME "-f32", 2);
	expect_ours(c, backend, "run", 1500);
	expect_ours(c, "ref", "run", 1500);
	json_decref(o);
}

Test(bench_llama, backends_and_threads_are_rows) { expect_rows("sim"); }
Test(more_bench_llama, a_compiler_s_backend_and_threads_are_rows) { expect_rows("cpu"); }

static void expect_rival_failed(const char *mode, const char *why)
{
	json_t *o, *r;

	cr_assert_eq(bench_run("llama " SHAPE " -b ref --samples 1 --seconds 0.001 --tokens 10 --prompt 0 --run ./rival.%s "
		"--json x.json", mode), 0, "%s: %s%s", mode, err, out);
	o = bench_read_json();
	r = llama_row_of(llama_case(o, NAME "-f32", 1), "run");
	cr_expect_str_eq(bench_text_of(r, "status"), "failed", "%s", mode);
	cr_expect(strstr(bench_text_of(r, "why"), why), "%s: %s", mode, bench_text_of(r, "why"));
	/* Nobody is compared with it. */
	r = llama_row_of(llama_case(o, NAME "-f32", 1), "ref");
	cr_expect_str_eq(bench_text_of(r, "status"), "measured");
	cr_expect(json_is_null(json_object_get(r, "of_best")));
	cr_expect_eq(stat_of(r, "prompt_per_second"), 0);
	json_decref(o);
}

Test(more_bench_llama, what_others_do_wrong_is_told_and_not_ranked)
{
	expect_rival_failed("wrong", "deviations of the logits");
	expect_rival_failed("outside", "its token 3 is 67, of a vocabulary of 67");
	expect_rival_failed("early", "it makes 5 tokens, and ours are 10");
	expect_rival_failed("mute", "does not say 'achieved tok/s: NUMBER'");
	expect_rival_failed("talks", "its text has 'Once upon a time");
	expect_rival_failed("dies", "it ended with exit code 7: out of paper");
}

/* A backend whose kernels compute nothing. */
Test(bench_llama, what_ours_do_wrong_fails_the_run)
{
	json_t *o, *r;

	cr_assert_eq(bench_run("llama " SHAPE " -b wrong,ref -B %s --samples 1 --seconds 0.001 --tokens 10 --prompt 0 "
		"--json x.json", built("tests/plugins/wrong.so")), 1, "%s%s", err, out);
	o = bench_read_json();
	r = llama_row_of(llama_case(o, NAME "-f32", 1), "wrong");
	cr_expect_str_eq(bench_text_of(r, "status"), "failed");
	cr_expect(strstr(bench_text_of(r, "why"), "differ from the reference's by 1 of their norm"), "%s",
		bench_text_of(r, "why"));
	cr_expect_str_eq(bench_text_of(llama_row_of(llama_case(o, NAME "-f32", 1), "ref"), "status"), "measured");
	json_decref(o);
}

Test(bench_llama, checkpoints_are_kept_where_they_are_asked_for)
{
	static const char run[] = "llama " SHAPE " --dtype f32,int8 -b ref --quick --folder kept --seed 5 -q";
	struct stat first, second;

	cr_assert_eq(bench_run("%s", run), 0, "%s%s", err, out);
	cr_assert_eq(stat(scratch("kept/" NAME "-5.f32.bin"), &first), 0, "the folder is made");
	cr_assert_eq(access(scratch("kept/" NAME "-5.int8.bin"), F_OK), 0);
	cr_assert_eq(bench_run("%s", run), 0, "%s%s", err, out);
	cr_assert_eq(stat(scratch("kept/" NAME "-5.f32.bin"), &second), 0);
	cr_expect_eq(first.st_ino, second.st_ino, "it is written once");
	/* Another shape of that name: layers are part of it, heads are not. */
	cr_assert_eq(bench_run("llama " SHAPE ",kv_heads=4 -b ref --quick --folder kept --seed 5"), 1);
	cr_expect(strstr(out, "is no checkpoint of the shape " NAME ": move it away"), "%s", out);
}

Test(bench_llama, mistakes_are_told_before_any_work)
{
	static const struct { const char *words, *says; } mistakes[] = {
		{ "llama --shape 16M", "there is no shape '16M' (there are 260K, 15M, 42M, 110M, 1.1B, 7B, or its sizes" },
		{ "llama --shape dim=16,depth=3", "'depth=3' is none of dim, hidden, layers" },
		{ "llama --shape dim=0", "'dim=0' is to be a number from 1" },
		{ "llama --shape dim=30,heads=4", "cannot be cut into 4 heads" },
		{ "llama --shape dim=6,hidden=36,heads=1 --dtype int8", "groups of at least 4 numbers, which do not divide dim 6" },
		{ "llama --dtype f64", "there is no type 'f64' (there are f32, bf16, f16, int8)" },
		{ "llama --run x --dtype int8,bf16", "--run takes part in the f32 cases, and --dtype names none" },
		{ "llama --runq x", "--runq takes part in the int8 cases, and --dtype names none" },
		{ "llama --shape 260K,15M --prompt 257", "--prompt 257: the context of the shape 15M has 256 positions" },
		{ "llama --shape 260K --tokens 513", "--tokens 513: the context of the shape 260K has 512 positions" },
		{ "llama --run ./nobody", "--run './nobody': No such file or directory" },
		{ "llama --dtype int8 --runq x", "--runq 'x': it is no program that can be run" },
		{ "llama --folder x", "--folder 'x': it is no folder that can be written to" },
		{ "llama --folder none/new", "--folder 'none/new': it cannot be made: No such file or directory" },
		{ "gemm --shape 15M", "--shape is only for the suite llama, which is not given" },
		{ "llama --tokens 2", "--tokens" },
	};

	bench_write_text("x", "");
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		cr_expect_eq(bench_run("%s -b ref --quick", mistakes[i].words), 2, "%s", mistakes[i].words);
		cr_expect(strstr(err, mistakes[i].says), "%s: %s", mistakes[i].words, err);
	}
	cr_assert_eq(bench_run("--list llama --shape 15M,7B --dtype f32,int8 --filter 7B"), 0);
	cr_expect(strstr(out, "llama/7B-f32") && strstr(out, "llama/7B-int8") && !strstr(out, "15M"), "%s", out);
}

/* The least of what takes some seconds, 20 and the context. */
Test(bench_llama, no_more_tokens_are_checked_than_the_context_has)
{
	static const struct { int64_t parameters; int context, checked; } models[] = { { 1000, 8, 8 }, { 1000, 1, 1 },
		{ 1000, 64, 20 }, { 199999999, 64, 10 }, { 199999999, 8, 8 }, { INT64_C(7000000000), 64, 3 },
		{ INT64_C(7000000000), 2, 2 } };
	json_t *o, *r;

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		const struct lt_llama m = { .parameters = models[i].parameters, .context = models[i].context };

		cr_expect_eq(bench_llama_checked(&m), models[i].checked, "model %zu: %d", i, bench_llama_checked(&m));
	}
	cr_assert_eq(bench_run("llama --shape dim=16,hidden=36,layers=2,heads=4,kv_heads=2,vocab=67,context=8 -b ref --quick "
		"--json x.json"), 0, "%s%s", err, out);
	o = bench_read_json();
	r = llama_row_of(llama_case(o, NAME "-f32", 1), "ref");
	cr_expect(stat_of(r, "checked") == 8 && stat_of(r, "prompt_tokens") == 8);
	json_decref(o);
}

static struct bench_llama small(enum bench_llama_type type)
{
	return (struct bench_llama){ .shape = "small", .type = type, .seed = 3, .sizes = { .dim = 16, .hidden = 36,
		.layers = 2, .heads = 4, .kv_heads = 2, .vocab = 67, .context = 40, .shared = true } };
}

/* Of every kind: pieces of odd sizes are those of the whole, and that is what the checkpoint has. */
Test(bench_llama, weights_are_the_same_in_pieces_and_in_files)
{
	const struct bench_options o = { .prompt = -1 };
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int t = 0; t < BENCH_LLAMA_TYPES; t++) {
		const struct bench_llama x = small((enum bench_llama_type)t);
		struct bench_llama_files files;
		struct lt_llama m;
		int64_t bytes;

		cr_assert_eq(bench_llama_sized(ctx, &x, x.type, &m, &bytes), LT_OK);
		cr_assert_eq(bench_llama_files_make(ctx, &x, 1u << t, &o, &files), LT_OK, "%s", lt_context_message(ctx));
		cr_expect_eq(files.of[t].bytes, (size_t)bytes);
		for (int k = 0; k < LT_LLAMA_KINDS; k++) {
			const struct lt_llama_weights *w = &files.of[t].m.weights[k];
			const size_t unit = w->rows ? lt_dtype_bytes(w->dtype) : 1, all = (size_t)(w->rows * w->columns) * unit;
			const int32_t layer = lt__llama_layered((enum lt_llama_kind)k) ? 1 : 0;
			struct bench_llama_source s = { &m, x.seed, (enum lt_llama_kind)k, layer, false };
			char got[8192];

			cr_assert_leq(all, sizeof got);
			for (size_t at = 0, n; at < all; at += n) {
				n = all - at < 7 * unit ? all - at : 7 * unit;
				bench_llama_fill(&s, at, n, got + at);
			}
			cr_expect(!all || !memcmp(got, w->at + layer * w->stride, all), "%s, kind %d", bench_llama_type_name(x.type), k);
			s.scale = true;
			if (!w->scale)
				continue;
			bench_llama_fill(&s, 0, all / (size_t)m.group * sizeof (float), got);
			cr_expect(!memcmp(got, w->scale + layer * w->stride, all / (size_t)m.group * sizeof (float)), "scales of %d", k);
		}
		bench_llama_files_free(&files);
	}
	lt__tmp_remove();
	lt_context_free(ctx);
}

/* Weights that lie in no file are the same model; on a device, too. */
Test(bench_llama, weights_are_made_where_they_are_needed)
{
	static const char *const backends[] = { "ref", "sim" };
	const struct bench_options o = { .prompt = 24, .cc = "cc" };
	const int32_t token[24] = { 1, 5, 7, 66, 3, 9, 31, 4 };
	struct lt_context *ctx;
	double want[67], error;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int t = 0; t < BENCH_LLAMA_TYPES; t++) {
		const struct bench_llama x = small((enum bench_llama_type)t);

		cr_assert_eq(bench_llama_reference(ctx, &x, token, 5, want), LT_OK);
		for (int b = 0; b < 2; b++) {
			struct bench_llama_ours *u;

			cr_assert_eq(bench_llama_open(ctx, &x, NULL, backends[b], 1, &o, &u), LT_OK, "%s", lt_context_message(ctx));
			cr_expect_eq(bench_llama_check_logits(ctx, &x, u, 24, want, token, 5, &error), LT_OK, "%s, %s: %s", backends[b],
				bench_llama_type_name(x.type), lt_context_message(ctx));
			/* A reference of which one logit is another one: neither result is near. */
			want[7] += 1;
			cr_expect_eq(bench_llama_check_logits(ctx, &x, u, 0, want, token, 5, &error), LT_EINVAL);
			cr_expect(strstr(lt_context_message(ctx), "one by one, differ from the reference's by"), "%s",
				lt_context_message(ctx));
			want[7] -= 1;
			bench_llama_close(u);
		}
	}
	lt_context_free(ctx);
}

/* A pass of other weights than those of its steps: of fewer tokens than the reference has, too, it is found out. */
Test(bench_llama, the_prompt_that_is_measured_is_checked)
{
	const struct bench_options o = { .prompt = 24, .cc = "cc" };
	const int32_t token[24] = { 1, 5, 7, 66, 3, 9, 31, 4 };
	struct lt_context *ctx;
	double want[67], error;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int prompt = 0; prompt <= 24; prompt += 3) {
		struct bench_llama x = small(BENCH_LLAMA_F32);
		struct bench_llama_ours *u;

		cr_assert_eq(bench_llama_reference(ctx, &x, token, 6, want), LT_OK);
		cr_assert_eq(bench_llama_open(ctx, &x, NULL, "ref", 1, &o, &u), LT_OK, "%s", lt_context_message(ctx));
		/* The program of a pass is made when it is needed first. */
		x.seed++;
		cr_expect_eq(bench_llama_check_logits(ctx, &x, u, prompt, want, token, 6, &error), prompt ? LT_EINVAL : LT_OK,
			"a prompt of %d tokens", prompt);
		cr_expect(!prompt || strstr(lt_context_message(ctx), "in one pass, differ from"), "%s", lt_context_message(ctx));
		bench_llama_close(u);
	}
	lt_context_free(ctx);
}
