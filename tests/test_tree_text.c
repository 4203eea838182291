/* test_tree_text.c -- the text of loop trees: written and read back, run as it says, refused with the exact
 * sentence.
 *
 * LT_BLESS=1 rewrites the sentences in tests/golden/tree-err; LT_SEED=N begins with another seed.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "check/random/random.h"
#include "tests/parsed.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(tree_text, .timeout = 300);

static struct lt_context *context(void)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	return ctx;
}

/* Printed, read, printed: the same bytes, and the same tree. */
static void check_identity(const struct lt_looptree *t, const char *what)
{
	struct run_text why;
	bool same = tree_reads_back(t, &why);
	cr_assert(same, "%s: %s", what, why.at);
}

static void check_program(struct lt_context *ctx, const struct lt_graph *g, const char *what)
{
	struct lt_program *p;
	for (uint32_t no_passes = 0; no_passes < 2; no_passes++) {
		const struct lt_options options = { .size = sizeof options, .backends = "ref", .no_passes = no_passes };
		cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s: %s", what, lt_context_message(ctx));
		check_identity(p->tree, what);
		lt_program_free(p);
	}
}

/* ---- identity ---- */

static void check_folder(const char *folder, int *count)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	cr_assert_not_null(dir, "%s", folder);
	while ((entry = readdir(dir))) {
		char path[512];
		const char *dot = strrchr(entry->d_name, '.');
		size_t bytes;
		if (!dot || strcmp(dot, ".lt") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		char *script = script_file(path, &bytes);
		struct lt_context *ctx = context();
		struct lt_graph *g;
		if (!lt_parse(ctx, script, bytes, path, NULL, &g)) {
			check_program(ctx, g, path);
			lt_graph_free(g);
			++*count;
		}
		lt_context_free(ctx);
		free(script);
	}
	closedir(dir);
}

Test(tree_text, default_trees_of_every_example_read_back)
{
	int count = 0;
	check_folder("examples", &count);
	check_folder("examples/mnist", &count);
	check_folder("examples/llama", &count);
	check_folder("tests/golden", &count);
	cr_assert_geq(count, 15);
}

static uint64_t first_seed(void)
{
	const char *text = getenv("LT_SEED");
	return text && *text ? strtoull(text, NULL, 0) : 20261;
}

Test(tree_text, default_trees_of_random_graphs_read_back)
{
	for (uint64_t seed = first_seed(); seed < first_seed() + 60; seed++) {
		struct lt_context *ctx = context();
		struct random_graph r;
		const struct random_options o = { .n_node = 4 + (int32_t)(seed % 30), .views = true, .params = true, .states = true,
			.composites = seed % 2 == 0 };
		char what[64];
		random_graph_new(ctx, seed, &o, &r);
		snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
		check_program(ctx, r.g, what);
		random_graph_free(&r);
		lt_context_free(ctx);
	}
}

/* Reads `lines`, prints the tree: the same lines, facts aside. */
static void check_lines(const struct lt_graph *g, const char *lines, bool canonical)
{
	char *text = tree_with_header(g, lines);
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_parse(g, text, strlen(text), "lines", &t), LT_OK, "%s", lt_context_message(g->ctx));
	struct run_text printed = tree_print(t);
	int same;
	struct run_text differences = { NULL, 0 };
	cr_assert_eq(lt_looptree_diff(g->ctx, text, strlen(text), "lines", printed.at, printed.n, "printed", &same,
			     run_text_add, &differences),
		LT_OK);
	cr_assert(same || !canonical, "%s", differences.at);
	check_identity(t, "lines");
	run_text_free(&printed);
	run_text_free(&differences);
	lt_looptree_free(t);
	free(text);
}

static const char box[] =
	"graph 1\nvar a 16\nvar b 8\nvar c 24\nvar d 4\n%x = f32[a, b, c, d] input \"x\"\n%y = f32[a, b, c, d] exp %x\n"
	"%z = f32[a, b, c, d] neg %y\nresult \"z\" = %z\n";

Test(tree_text, kinds_and_tails_are_kept)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx, box);
	check_lines(g,
		"for a parallel\n  for b unroll\n    for c step 8  tail mask\n      for c' vector  tail pad\n        "
		"for d rank  tail peel\n"
		"          %y f32[a b c d] = exp %x\n          %z f32[a b c d] = neg %y\n",
		true);
	check_lines(g,
		"for a grid.x\n  for b grid.y\n    for c block.z\n      for d block.x\n        %y f32[a b c d] = exp "
		"%x\n        %z f32[a b c d] = neg %y\n",
		true);
	check_lines(g,
		"for a grid.z\n  for b block.y\n    for c call my_routine.f32\n      for d tile m16n8k8\n        %y "
		"f32[a b c d] = exp %x\n"
		"        %z f32[a b c d] = neg %y\n",
		true);
	check_lines(g,
		"group call whole\n  for a\n    for b\n      for c\n        for d\n          %y f32[a b c d] = exp "
		"%x\n          %z f32[a b c d] = neg %y\n",
		true);
	/* serial and guard are what nothing written means; blanks, comments and ends of lines as on Windows do not matter */
	check_lines(g,
		"for a step 4 serial tail guard\n\n# a note\n  for a'   tail  peel # kept\r\n    for b\n      for c\n  "
		"      for d\n"
		"          %y f32[ a b c d ]=exp %x\n          %z f32[a b c d] = neg %y",
		false);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* Dims have the names of words that may come after them. */
Test(tree_text, names_that_are_words_read_back)
{
	static const char *const steps[] = { "layout %e pad stream layout swizzle", "layout %e swizzle pad stream layout",
		"layout %e pad layout stream swizzle swizzle 64", "layout %e pad pad 3 layout stream swizzle pad 2",
		"layout %e layout/32 pad 1 layout/16 pad 2 layout/2 swizzle pad pad 2 stream pad 3 layout pad 1", "call stream tail",
		"split pad 2; tail pad pad; unroll pad'" };
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx,
		"graph 1\nvar stream 4\nvar layout 64\nvar pad 5\nvar swizzle 8\nvar depth 2\n"
		"%a = f32[stream, layout, pad, swizzle] input \"a\"\n%i = i64[stream] index stream\n%j = i64[depth] index depth\n"
		"%c = f32[stream] cast %i\n%d = f32[depth] cast %j\n%s = f32[stream, layout, pad, swizzle] mul %a, %c\n"
		"%e = f32[stream, layout, pad, swizzle] exp %s\n%y = f32[stream, layout, pad, swizzle] add %e, %c\n"
		"result \"y\" = %y\nresult \"d\" = %d\n");
	struct lt_looptree *t, *made;
	cr_assert_eq(lt_looptree_auto(g, NULL, &t), LT_OK, "%s", lt_context_message(ctx));
	check_identity(t, "the default tree");
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		cr_assert_eq(lt_looptree_apply(t, steps[i], strlen(steps[i]), "s", 0, NULL, &made, NULL), LT_OK, "%s",
			lt_context_message(ctx));
		check_identity(made, steps[i]);
		lt_looptree_free(made);
	}
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* ---- facts ---- */

static void has(const struct run_text *text, const char *part)
{
	cr_assert_not_null(strstr(text->at, part), "no '%s' in\n%s", part, text->at);
}

static char *golden(const char *name, const char *suffix)
{
	char path[512];
	size_t bytes;
	snprintf(path, sizeof path, "tests/golden/tree-err/%s%s", name, suffix);
	return script_file(path, &bytes);
}

/* The fingerprint 0000000000000000 stands for the graph's own. */
static void sign(const struct lt_graph *g, char *text)
{
	char *at = strstr(text, "0000000000000000"), *header = tree_with_header(g, "");
	if (at)
		memcpy(at, strstr(header, "graph ") + 6, 16);
	free(header);
}

Test(tree_text, facts_are_counted)
{
	struct lt_context *ctx = context();
	char *graph = golden("product", ".graph"), *text = golden("good", ".tree");
	struct lt_graph *g = parsed_in(ctx, graph);
	struct lt_looptree *t;
	sign(g, text);
	cr_assert_eq(lt_looptree_parse(g, text, strlen(text), "good.tree", &t), LT_OK, "%s", lt_context_message(ctx));
	struct run_text printed = tree_print(t);
	/* 41*18*24 products and sums and 41*18 sums; a, b, v and d whole: 41*24 + 24*18 + 18 + 41*18 floats */
	has(&printed, "for m step 13  # extent 41, 4 iterations, 36162 flops, 8688 bytes, "
		"4.16 flops a byte: bytes bound it\n");
	/* one iteration of m: 13 rows */
	has(&printed, "  for n step 6  # extent 18, 3 iterations, 11466 flops, 3984 bytes\n");
	/* 13*24 of a, 24*6 of b, the tile of c */
	has(&printed, "    for k step 8  # extent 24, 3 iterations, 3744 flops, 2136 bytes\n");
	has(&printed, "%p f32[m n k] = mul %a %b  # scalar\n");
	has(&printed, "%c f32[m n] = add.reduce[k k'] %p  # local, 78 elements, 312 bytes, reset before `for k`\n");
	has(&printed, "%d f32[m n] = add %c %w  # whole, 2952 bytes\n");
	run_text_free(&printed);
	lt_looptree_free(t);
	lt_graph_free(g);
	free(graph);
	free(text);
	lt_context_free(ctx);
}

/* A leaf that is run again in each iteration of a loop is noted; accesses that overlap count once. */
Test(tree_text, facts_of_windows_and_repeated_leaves)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx,
		"graph 1\nvar i 10\nvar j 3\nvar m 12\nvar n 5\n%x = f32[m] input \"x\"\n%r = f32[n] input \"r\"\n"
		"%w = f32[i, j] view { %x[i + j] }\n%e = f32[i, j] exp %w\n%q = f32[n] neg %r\n%f = f32[i, j, n] mul "
		"%e, %q\nresult \"f\" = %f\n");
	char *text = tree_with_header(g,
		"for i\n  for j\n    for n\n      %e f32[i j] = exp %w\n      %q f32[n] = neg %r\n      %f f32[i j n] "
		"= mul %e %q\n");
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_parse(g, text, strlen(text), "t", &t), LT_OK, "%s", lt_context_message(ctx));
	struct run_text printed = tree_print(t);
	/* 30 of e, 5 of q, 150 of f, each run 150 times; 12 of x, 5 of r, 150 of f */
	has(&printed, "for i  # extent 10, 10 iterations, 185 flops (450 run), 668 bytes");
	/* 3 of e, 5 of q, 15 of f; 3 of x, 5 of r, 15 of f */
	has(&printed, "  for j  # extent 3, 3 iterations, 23 flops (45 run), 92 bytes\n");
	has(&printed, "%e f32[i j] = exp %w  # scalar, again in each iteration of `for n`\n");
	run_text_free(&printed);
	lt_looptree_free(t);
	free(text);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* The fingerprint does not know where in a script a node stands. */
Test(tree_text, a_comment_in_the_script_does_not_refuse_its_trees)
{
	static const char *const scripts[] = { "$1 = InputTensor(x, float32, [3]);\n$2 = SumNode($1, $1);\nresult = $2;\n",
		"# a note\n\n   $1 = InputTensor(x, float32, [3]);\n\n$2 = SumNode($1, $1);   result = $2;\n",
		"$1 = InputTensor(y, float32, [3]);\n$2 = SumNode($1, $1);\nresult = $2;\n" };
	struct lt_context *ctx = context();
	char *header[3];
	for (int i = 0; i < 3; i++) {
		struct lt_graph *g;
		cr_assert_eq(lt_parse(ctx, scripts[i], strlen(scripts[i]), "script", NULL, &g), LT_OK);
		header[i] = tree_with_header(g, "");
		lt_graph_free(g);
	}
	cr_assert_str_eq(header[0], header[1]);
	cr_assert_str_neq(header[0], header[2]);
	for (int i = 0; i < 3; i++)
		free(header[i]);
	lt_context_free(ctx);
}

/* ---- what is wrong is refused with the line ---- */

static lt_status read_case(const struct lt_graph *g, const char *name, struct run_text *to)
{
	char file[300], *text = golden(name, ".tree");
	struct lt_looptree *t;
	cr_assert_not_null(text, "%s", name);
	sign(g, text);
	snprintf(file, sizeof file, "%s.tree", name);
	lt_status st = lt_looptree_parse(g, text, strlen(text), file, &t);
	const char *message = st ? lt_context_message(g->ctx) : "applies";
	run_text_add(to, message, strlen(message));
	run_text_add(to, "\n", 1);
	lt_looptree_free(t);
	free(text);
	return st;
}

Test(tree_text, each_mistake_has_its_sentence)
{
	struct lt_context *ctx = context();
	char *graph = golden("product", ".graph");
	struct lt_graph *g = parsed_in(ctx, graph);
	DIR *dir = opendir("tests/golden/tree-err");
	struct dirent *entry;
	int count = 0;
	cr_assert_not_null(dir);
	while ((entry = readdir(dir))) {
		char name[256];
		char *dot = strrchr(entry->d_name, '.');
		if (!dot || strcmp(dot, ".tree") != 0)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
		struct run_text message = { NULL, 0 };
		lt_status st = read_case(g, name, &message);
		cr_assert_eq(!st, !strcmp(name, "good"), "%s: %s", name, message.at);
		cr_assert(st == LT_OK || st == LT_ESYNTAX || st == LT_EILLEGAL || st == LT_EUNSUPPORTED, "%s: %d", name, (int)st);
		if (getenv("LT_BLESS")) {
			char path[600];
			snprintf(path, sizeof path, "tests/golden/tree-err/%s.err", name);
			FILE *f = fopen(path, "w");
			fputs(message.at, f);
			fclose(f);
		} else {
			char *want = golden(name, ".err");
			cr_expect_str_eq(message.at, want ? want : "", "%s", name);
			free(want);
		}
		run_text_free(&message);
		count++;
	}
	closedir(dir);
	cr_assert_geq(count, 60);
	lt_graph_free(g);
	free(graph);
	lt_context_free(ctx);
}

/* ---- hostile text ---- */

/* As it would be for a caller: LT_OK or a sentence, and nothing read beyond the end. */
static bool try_text(const struct lt_graph *g, const char *text, size_t bytes)
{
	struct lt_looptree *t;
	char *exact = malloc(bytes ? bytes : 1);
	memcpy(exact, text, bytes);
	lt_status st = lt_looptree_parse(g, exact, bytes, NULL, &t);
	free(exact);
	cr_assert(st ? !t && *lt_context_message(g->ctx) : t != NULL);
	if (!st)
		check_identity(t, "hostile");
	lt_looptree_free(t);
	return !st;
}

Test(tree_text, cut_at_any_byte_or_with_any_byte_changed_nothing_breaks)
{
	static const char bytes[] = "\0 \t\n'%9[]=.#\xff";
	struct lt_context *ctx = context();
	char *graph = golden("product", ".graph"), *text = golden("good", ".tree");
	struct lt_graph *g = parsed_in(ctx, graph);
	int good = 0;
	sign(g, text);
	size_t n = strlen(text);
	for (size_t cut = 0; cut < n; cut++)
		good += try_text(g, text, cut);
	cr_assert_eq(good, 1, "all but the last end of line");
	for (size_t at = 0; at < n; at++)
		for (size_t k = 0; k < sizeof bytes - 1; k++) {
			char was = text[at];
			text[at] = bytes[k];
			try_text(g, text, n);
			text[at] = was;
		}
	for (size_t at = 0; at + 1 < n; at++) {         /* without one byte */
		char *less = malloc(n);
		memcpy(less, text, at);
		memcpy(less + at, text + at + 1, n - at - 1);
		try_text(g, less, n - 1);
		free(less);
	}
	lt_graph_free(g);
	free(graph);
	free(text);
	lt_context_free(ctx);
}

Test(tree_text, out_of_memory_anywhere_is_an_answer)
{
	struct run_counter counter = { 0 };
	struct lt_context *ctx;
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	ctx->chunk = ctx->chunk_max = 64;
	char *graph = golden("product", ".graph"), *text = golden("good", ".tree");
	struct lt_graph *g = parsed_in(ctx, graph);
	sign(g, text);
	lt_status st = LT_ENOMEM;
	int64_t at = 0;
	for (; st; at += at < 200 ? 1 : 17) {
		struct lt_looptree *t = NULL;
		struct run_text printed = { NULL, 0 };
		int same;
		counter.fail_at = counter.calls + 1 + at;
		st = lt_looptree_parse(g, text, strlen(text), "t", &t);
		st = st ? st : lt_looptree_print(t, run_text_add, &printed);
		st = st ? st
			: lt_looptree_diff(ctx, text, strlen(text), "t", printed.at, printed.n, "p", &same,
				run_text_add, &printed);
		cr_assert(st == LT_OK || st == LT_ENOMEM, "allocation %lld: %s", (long long)at, lt_context_message(ctx));
		lt_looptree_free(t);
		run_text_free(&printed);
	}
	cr_assert_gt(at, 50);
	counter.fail_at = 0;
	lt_graph_free(g);
	free(graph);
	free(text);
	lt_context_free(ctx);
}

/* A tree that primitives make has no more levels than one that is read. */
Test(tree_text, primitives_make_no_more_levels_than_are_read)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx, box);
	struct lt_looptree *t, *next;
	int groups = 0;
	cr_assert_eq(lt_looptree_auto(g, NULL, &t), LT_OK, "%s", lt_context_message(ctx));
	for (const char *step = "group a"; !lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL);
		step = "group %y/group", groups++) {
		lt_looptree_free(t);
		t = next;
	}
	cr_assert_eq(groups, 251, "%d", groups);
	cr_assert_not_null(strstr(lt_context_message(ctx), "the tree has more than 256 levels"), "%s",
		lt_context_message(ctx));
	check_identity(t, "groups");
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(tree_text, levels_without_end_are_refused)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = parsed_in(ctx, box);
	struct run_text lines = { NULL, 0 };
	for (int i = 0; i < 400; i++) {
		for (int k = 0; k < i; k++)
			run_text_add(&lines, "  ", 2);
		run_text_add(&lines, "group\n", 6);
	}
	char *text = tree_with_header(g, lines.at);
	cr_assert_not(try_text(g, text, strlen(text)));
	cr_assert_not_null(strstr(lt_context_message(ctx), ":266:513: more than 256 levels"), "%s", lt_context_message(ctx));
	run_text_free(&lines);
	free(text);
	lt_graph_free(g);
	lt_context_free(ctx);
}
