/* tests/test_tree_text.c -- the text of loop trees: written and read back, run as it says, refused with the exact sentence.
 *
 * LT_BLESS=1 rewrites the sentences in tests/golden/tree-err; LT_SEED=N begins with another seed.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program/program.h"
#include "tests/built.h"
#include "tests/random_graph.h"
#include "tests/script_run.h"
#include "tests/tree_text.h"

TestSuite(tree_text, .timeout = 300);

static struct lt_context *context(void)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	return ctx;
}

static struct lt_graph *graph_of(struct lt_context *ctx, const char *text)
{
	struct lt_graph *g;
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	return g;
}

static struct run_text print(const struct lt_looptree *t)
{
	struct run_text text = { NULL, 0 };
	cr_assert_eq(lt_looptree_print(t, run_text_add, &text), LT_OK, "%s", lt_context_message(t->ctx));
	return text;
}

static const char *or_none(const char *text) { return text ? text : ""; }

/* Whether two trees over one graph are equal: every field that is not derived. */
static bool same_tree(const struct lt_looptree *a, const struct lt_looptree *b)
{
	lt_tnode x = lt_looptree_after(a, -1), y = lt_looptree_after(b, -1);
	for (; x >= 0 && y >= 0; x = lt_looptree_after(a, x), y = lt_looptree_after(b, y)) {
		const struct lt_tnodedef *p = &a->node[x], *q = &b->node[y];
		int depth = 0;
		for (lt_tnode up = p->parent; up >= 0; up = a->node[up].parent)
			depth++;
		for (lt_tnode up = q->parent; up >= 0; up = b->node[up].parent)
			depth--;
		if (depth || p->kind != q->kind || p->var != q->var || p->step != q->step || p->loop != q->loop || p->arg != q->arg
		    || p->tail != q->tail || p->leaf != q->leaf || strcmp(or_none(p->call), or_none(q->call)) != 0)
			return false;
	}
	return x < 0 && y < 0 && !strcmp(or_none(a->target), or_none(b->target));
}

/* Printed, read, printed: the same bytes, and the same tree. */
static void check_identity(const struct lt_looptree *t, const char *what)
{
	struct run_text one = print(t), two;
	struct lt_looptree *read;
	/* A block of exactly that size, so that a sanitizer sees a read behind it. */
	char *exact = malloc(one.n);
	memcpy(exact, one.at, one.n);
	cr_assert_eq(lt_looptree_parse(t->graph, exact, one.n, "printed", &read), LT_OK, "%s: %s\n%s", what, lt_context_message(t->ctx), one.at);
	free(exact);
	two = print(read);
	cr_assert(one.n == two.n && !memcmp(one.at, two.at, one.n), "%s:\n%s----\n%s", what, one.at, two.at);
	cr_assert(same_tree(t, read), "%s:\n%s", what, one.at);
	lt_looptree_free(read);
	run_text_free(&one);
	run_text_free(&two);
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

/* The default header of a graph, and lines of a tree behind it; the caller's to free. */
static char *with_header(const struct lt_graph *g, const char *lines)
{
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_auto(g, NULL, &t), LT_OK, "%s", lt_context_message(g->ctx));
	struct run_text text = print(t);
	const char *end = strstr(text.at, "\ntree\n");
	cr_assert_not_null(end);
	size_t n = (size_t)(end - text.at) + 6;
	char *out = malloc(n + strlen(lines) + 1);
	memcpy(out, text.at, n);
	strcpy(out + n, lines);
	run_text_free(&text);
	lt_looptree_free(t);
	return out;
}

/* Reads `lines`, prints the tree: the same lines, facts aside. */
static void check_lines(const struct lt_graph *g, const char *lines, bool canonical)
{
	char *text = with_header(g, lines);
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_parse(g, text, strlen(text), "lines", &t), LT_OK, "%s", lt_context_message(g->ctx));
	struct run_text printed = print(t);
	int same;
	struct run_text differences = { NULL, 0 };
	cr_assert_eq(lt_looptree_diff(g->ctx, text, strlen(text), "lines", printed.at, printed.n, "printed", &same, run_text_add, &differences), LT_OK);
	cr_assert(same || !canonical, "%s", differences.at);
	check_identity(t, "lines");
	run_text_free(&printed);
	run_text_free(&differences);
	lt_looptree_free(t);
	free(text);
}

static const char box[] = "graph 1\nvar a 16\nvar b 8\nvar c 24\nvar d 4\n%x = f32[a, b, c, d] input \"x\"\n%y = f32[a, b, c, d] exp %x\n"
	"%z = f32[a, b, c, d] neg %y\nresult \"z\" = %z\n";

Test(tree_text, kinds_and_tails_are_kept)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = graph_of(ctx, box);
	check_lines(g, "for a parallel\n  for b unroll\n    for c step 8  tail mask\n      for c' vector  tail pad\n        for d rank  tail peel\n"
		"          %y f32[a b c d] = exp %x\n          %z f32[a b c d] = neg %y\n", true);
	check_lines(g, "for a grid.x\n  for b grid.y\n    for c block.z\n      for d block.x\n        %y f32[a b c d] = exp %x\n        %z f32[a b c d] = neg %y\n", true);
	check_lines(g, "for a grid.z\n  for b block.y\n    for c call my_routine.f32\n      for d tile m16n8k8\n        %y f32[a b c d] = exp %x\n"
		"        %z f32[a b c d] = neg %y\n", true);
	check_lines(g, "group call whole\n  for a\n    for b\n      for c\n        for d\n          %y f32[a b c d] = exp %x\n          %z f32[a b c d] = neg %y\n", true);
	/* serial and guard are what nothing written means; blanks, comments and ends of lines as on Windows do not matter */
	check_lines(g, "for a step 4 serial tail guard\n\n# a note\n  for a'   tail  peel # kept\r\n    for b\n      for c\n        for d\n"
		"          %y f32[ a b c d ]=exp %x\n          %z f32[a b c d] = neg %y", false);
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
	char *at = strstr(text, "0000000000000000"), *header = with_header(g, "");
	if (at)
		memcpy(at, strstr(header, "graph ") + 6, 16);
	free(header);
}

Test(tree_text, facts_are_counted)
{
	struct lt_context *ctx = context();
	char *graph = golden("product", ".graph"), *text = golden("good", ".tree");
	struct lt_graph *g = graph_of(ctx, graph);
	struct lt_looptree *t;
	sign(g, text);
	cr_assert_eq(lt_looptree_parse(g, text, strlen(text), "good.tree", &t), LT_OK, "%s", lt_context_message(ctx));
	struct run_text printed = print(t);
	/* 41*18*24 products and sums and 41*18 sums; a, b, v and d whole: 41*24 + 24*18 + 18 + 41*18 floats */
	has(&printed, "for m step 13  # extent 41, 4 trips, 36162 flops, 8688 bytes, 4.16 flops a byte: bytes bound it\n");
	/* one trip of m: 13 rows */
	has(&printed, "  for n step 6  # extent 18, 3 trips, 11466 flops, 3984 bytes\n");
	/* 13*24 of a, 24*6 of b, the tile of c */
	has(&printed, "    for k step 8  # extent 24, 3 trips, 3744 flops, 2136 bytes\n");
	has(&printed, "%p f32[m n k] = mul %a %b  # scalar\n");
	has(&printed, "%c f32[m n] = add.reduce[k k'] %p  # local, 78 elements, 312 bytes, starts before `for k`\n");
	has(&printed, "%d f32[m n] = add %c %w  # whole, 2952 bytes\n");
	run_text_free(&printed);
	lt_looptree_free(t);
	lt_graph_free(g);
	free(graph);
	free(text);
	lt_context_free(ctx);
}

/* A leaf that is run again in each trip of a loop is noted; accesses that overlap count once. */
Test(tree_text, facts_of_windows_and_repeated_leaves)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = graph_of(ctx, "graph 1\nvar i 10\nvar j 3\nvar m 12\nvar n 5\n%x = f32[m] input \"x\"\n%r = f32[n] input \"r\"\n"
		"%w = f32[i, j] view { %x[i + j] }\n%e = f32[i, j] exp %w\n%q = f32[n] neg %r\n%f = f32[i, j, n] mul %e, %q\nresult \"f\" = %f\n");
	char *text = with_header(g, "for i\n  for j\n    for n\n      %e f32[i j] = exp %w\n      %q f32[n] = neg %r\n      %f f32[i j n] = mul %e %q\n");
	struct lt_looptree *t;
	cr_assert_eq(lt_looptree_parse(g, text, strlen(text), "t", &t), LT_OK, "%s", lt_context_message(ctx));
	struct run_text printed = print(t);
	/* 12 of x, 5 of r, 150 of f */
	has(&printed, "for i  # extent 10, 10 trips, 450 flops, 668 bytes");
	/* 3 of x, 5 of r, 15 of f */
	has(&printed, "  for j  # extent 3, 3 trips, 45 flops, 92 bytes\n");
	has(&printed, "%e f32[i j] = exp %w  # scalar, again in each trip of `for n`\n");
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
		header[i] = with_header(g, "");
		lt_graph_free(g);
	}
	cr_assert_str_eq(header[0], header[1]);
	cr_assert_str_neq(header[0], header[2]);
	for (int i = 0; i < 3; i++)
		free(header[i]);
	lt_context_free(ctx);
}

/* ---- what is wrong is refused with the line ---- */

static lt_status read_case(const struct lt_graph *g, const char *name, struct run_text *said)
{
	char file[256], *text = golden(name, ".tree");
	struct lt_looptree *t;
	cr_assert_not_null(text, "%s", name);
	sign(g, text);
	snprintf(file, sizeof file, "%s.tree", name);
	lt_status st = lt_looptree_parse(g, text, strlen(text), file, &t);
	const char *message = st ? lt_context_message(g->ctx) : "applies";
	run_text_add(said, message, strlen(message));
	run_text_add(said, "\n", 1);
	lt_looptree_free(t);
	free(text);
	return st;
}

Test(tree_text, each_mistake_has_its_sentence)
{
	struct lt_context *ctx = context();
	char *graph = golden("product", ".graph");
	struct lt_graph *g = graph_of(ctx, graph);
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
		struct run_text said = { NULL, 0 };
		lt_status st = read_case(g, name, &said);
		cr_assert_eq(!st, !strcmp(name, "good"), "%s: %s", name, said.at);
		cr_assert(st == LT_OK || st == LT_ESYNTAX || st == LT_EILLEGAL || st == LT_EUNSUPPORTED, "%s: %d", name, (int)st);
		if (getenv("LT_BLESS")) {
			char path[600];
			snprintf(path, sizeof path, "tests/golden/tree-err/%s.err", name);
			FILE *f = fopen(path, "w");
			fputs(said.at, f);
			fclose(f);
		} else {
			char *want = golden(name, ".err");
			cr_expect_str_eq(said.at, want ? want : "", "%s", name);
			free(want);
		}
		run_text_free(&said);
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
	struct lt_graph *g = graph_of(ctx, graph);
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

Test(tree_text, levels_without_end_are_refused)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = graph_of(ctx, box);
	struct run_text lines = { NULL, 0 };
	for (int i = 0; i < 400; i++) {
		for (int k = 0; k < i; k++)
			run_text_add(&lines, "  ", 2);
		run_text_add(&lines, "group\n", 6);
	}
	char *text = with_header(g, lines.at);
	cr_assert_not(try_text(g, text, strlen(text)));
	cr_assert_not_null(strstr(lt_context_message(ctx), ":266:513: more than 256 levels"), "%s", lt_context_message(ctx));
	run_text_free(&lines);
	free(text);
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* ---- what runs is what the text says ---- */

static lt_status compile_with(void *lines, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct lt_options o = *options;
	struct lt_program *p;
	struct run_text text = { NULL, 0 };
	*out = NULL;
	LT_TRY(lt_compile(g->ctx, g, &(struct lt_options){ .size = sizeof o, .backends = "ref", .no_passes = o.no_passes }, &p));
	char *schedule = with_header(p->lowered, lines);
	lt_program_free(p);
	o.schedule = schedule;
	o.schedule_bytes = strlen(schedule);
	lt_status st = lt_compile(g->ctx, g, &o, out);
	if (!st)
		cr_assert_eq(lt_program_dump(*out, LT_SHOW_TREE, run_text_add, &text), LT_OK);
	int same = 1;
	struct run_text differences = { NULL, 0 };
	if (!st)
		cr_assert_eq(lt_looptree_diff(g->ctx, schedule, o.schedule_bytes, "given", text.at, text.n, "run", &same, run_text_add, &differences), LT_OK);
	cr_assert(same, "%s", differences.at);
	run_text_free(&text);
	free(schedule);
	return st;
}

static const char *run_lines(const char *graph, const char *lines, const char *backends)
{
	static _Thread_local char why[1000];
	struct lt_context *ctx = context();
	struct lt_graph *g = graph_of(ctx, graph);
	struct run_config config = { .backends = backends, .no_passes = true, .compile = compile_with, .user = (void *)(uintptr_t)lines };
	struct run_tally tally = { 0 };
	struct run_want want;
	run_want_new(g, 3, tree_fill, g, &want);
	cr_assert_eq(want.status, LT_OK, "%s", want.message);
	run_compare(&want, g, &config, NULL, NULL, &tally, why, sizeof why);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
	return why;
}

static const char product[] = "graph 1\nvar m 41\nvar k 24\nvar n 18\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%v = f32[n] input \"v\"\n"
	"%w = f32[n] view { %v[17 - n] }\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%d = f32[m, n] add %c, %w\nresult \"d\" = %d\n";
static const char softmax[] = "graph 1\nvar m 7\nvar k 19\n%x = f32[m, k] input \"x\"\n%h = f32[m] max.reduce %x\n%d = f32[m, k] sub %x, %h\n"
	"%e = f32[m, k] exp %d\n%s = f32[m] add.reduce %e\n%y = f32[m, k] div %e, %s\nresult \"y\" = %y\n";
#define P "%p f32[m n k] = mul %a %b\n"
#define D "%d f32[m n] = add %c %w\n"
static const struct { const char *graph, *lines; } edited[] = {
	/* split, with rests in each dim */
	{ product, "for m step 13\n  for n step 6\n    for k step 8\n      for k'\n        for m'\n          for n'\n            " P
		"            %c f32[m n] = add.reduce[k k'] %p\n    for m'\n      for n'\n        " D },
	{ product, "for m step 13\n  for m' step 3\n    for k\n      for m''\n        for n\n          " P "          %c f32[m n] = add.reduce[k] %p\n"
		"    for m''\n      for n\n        " D },
	/* swapped loops, nests apart */
	{ product, "for n\n  for m\n    for k step 5\n      for k'\n        " P "        %c f32[m n] = add.reduce[k k'] %p\n    " D },
	{ product, "for k\n  for n step 7\n    for m\n      for n'\n        " P "        %c f32[m n] = add.reduce[k] %p\nfor n\n  for m\n    " D },
	{ product, "for m\n  for n\n    for k\n      " P "for n\n  for m\n    for k\n      %c f32[m n] = add.reduce[k] %p\n  for m step 10\n    for m'\n      " D },
	/* kinds that the C backend takes */
	{ product, "for m parallel\n  for n\n    for k\n      " P "      %c f32[m n] = add.reduce[k] %p\n    " D },
	{ product, "for m\n  for k step 6\n    for k' unroll\n      for n\n        " P "        %c f32[m n] = add.reduce[k k'] %p\n  for n vector\n    " D },
	/* rows of a softmax: in one nest, and each step in its own */
	{ softmax, "for m step 3\n  for m'\n    for k\n      %h f32[m] = max.reduce[k] %x\n    for k\n      %d f32[m k] = sub %x %h\n"
		"      %e f32[m k] = exp %d\n    for k\n      %s f32[m] = add.reduce[k] %e\n    for k step 4\n      for k'\n        %y f32[m k] = div %e %s\n" },
	{ softmax, "for k\n  for m\n    %h f32[m] = max.reduce[k] %x\nfor k\n  for m\n    %d f32[m k] = sub %x %h\nfor m\n  for k step 5\n    for k' step 2\n"
		"      for k''\n        %e f32[m k] = exp %d\n        %s f32[m] = add.reduce[k k' k''] %e\nfor k\n  for m\n    %y f32[m k] = div %e %s\n" },
};

static void check_edited(const char *backends)
{
	for (size_t i = 0; i < sizeof edited / sizeof *edited; i++)
		cr_expect_str_eq(run_lines(edited[i].graph, edited[i].lines, backends), "", "tree %zu on %s", i, backends);
}

Test(tree_text, edited_trees_run_on_ref) { check_edited("ref"); }
Test(tree_text, edited_trees_run_on_cpu) { check_edited("cpu"); }

static lt_status compile_only(const char *lines, const char *backends, char *why, size_t bytes)
{
	struct lt_context *ctx = context();
	struct lt_graph *g = graph_of(ctx, box);
	struct lt_program *p;
	const struct lt_options options = { .size = sizeof options, .backends = backends, .no_passes = true };
	lt_status st = compile_with((void *)(uintptr_t)lines, g, &options, &p);
	snprintf(why, bytes, "%s", st ? lt_context_message(ctx) : "");
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return st;
}

/* What a backend does not know it refuses; the tree is not changed for it. */
Test(tree_text, kinds_that_a_backend_lacks_are_refused)
{
	static const char *const kinds[] = { "grid.x", "block.y", "call gemm", "tile mma", "rank" };
	char lines[512], why[1000];
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		snprintf(lines, sizeof lines, "for a %s\n  for b\n    for c\n      for d\n        %%y f32[a b c d] = exp %%x\n        %%z f32[a b c d] = neg %%y\n", kinds[i]);
		cr_assert_eq(compile_only(lines, "cpu", why, sizeof why), LT_EUNSUPPORTED, "%s: %s", kinds[i], why);
		cr_assert_not_null(strstr(why, "cpu refuses it"), "%s", why);
	}
	cr_assert_eq(compile_only("group call gemm\n  for a\n    for b\n      for c\n        for d\n          %y f32[a b c d] = exp %x\n"
		"          %z f32[a b c d] = neg %y\n", "ref", why, sizeof why), LT_EUNSUPPORTED);
	cr_assert_not_null(strstr(why, "no backend takes a group with `call gemm`"), "%s", why);
}

Test(tree_text, what_is_no_schedule_is_refused)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "s.tree:1:1: a schedule begins with 'looptree 1'" },
		{ "# nothing\n", "not with ''" },
		{ "tree\nfor m\n", "not with 'tree'" },
		{ " # a tree\nlooptree 2\n", "s.tree:2:10: version 2 of the text of trees is not known" },
	};
	struct lt_context *ctx = context();
	struct lt_graph *g = graph_of(ctx, product);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_program *p;
		const struct lt_options options = { .size = sizeof options, .backends = "ref", .schedule = cases[i].text,
			.schedule_bytes = strlen(cases[i].text), .schedule_name = "s.tree" };
		cr_assert_neq(lt_compile(ctx, g, &options, &p), LT_OK);
		cr_assert_not_null(strstr(lt_context_message(ctx), cases[i].want), "%s", lt_context_message(ctx));
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* ---- differences ---- */

#define HEAD "looptree 1\ngraph 0123456789abcdef\ntarget -\nvar m 9\nvalue %x f32[m] = input\ntree\n"
static const struct { const char *a, *b, *want; } differences[] = {
	{ HEAD "for m\n  %y f32[m] = neg %x\n", HEAD "for  m   # another fact\n\n  %y f32[m] = neg %x  # and here", "" },
	{ HEAD "for m\n  %y f32[m] = neg %x\n", HEAD "for m parallel\n  %y f32[m] = neg %x\n", "changed a:7: for m\n  to    b:7: for m parallel\n" },
	{ HEAD "for m\n  %y f32[m] = neg %x\n", HEAD "for m step 3\n  for m'\n    %y f32[m] = neg %x\n",
		"changed a:7: for m\n  to    b:7: for m step 3\nadded   b:8: for m'\nmoved   a:8: %y f32[m] = neg %x\n  to    b:9: %y f32[m] = neg %x\n" },
	{ HEAD "for m\n  %y f32[m] = neg %x\n  %z f32[m] = neg %y\n", HEAD "for m\n  %z f32[m] = neg %y\n", "removed a:8: %y f32[m] = neg %x\n" },
	{ HEAD "for m\n  %z f32[m] = neg %y\n", HEAD "for m\n  %y f32[m] = neg %x\n  %z f32[m] = neg %y\n", "added   b:8: %y f32[m] = neg %x\n" },
	{ HEAD, "looptree 1\ngraph 0123456789abcde0\ntarget -\nvar n 9\nvalue %x f32[m] = input\ntree\n",
		"changed a:2: graph 0123456789abcdef\n  to    b:2: graph 0123456789abcde0\nremoved a:4: var m 9\nadded   b:4: var n 9\n" },
};

Test(tree_text, differences_are_told_by_line)
{
	struct lt_context *ctx = context();
	for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
		struct run_text got = { NULL, 0 };
		int same;
		cr_assert_eq(lt_looptree_diff(ctx, differences[i].a, strlen(differences[i].a), "a", differences[i].b, strlen(differences[i].b), "b", &same,
			run_text_add, &got), LT_OK, "%s", lt_context_message(ctx));
		cr_expect_str_eq(got.at ? got.at : "", differences[i].want, "case %zu", i);
		cr_expect_eq(same, !*differences[i].want);
		run_text_free(&got);
	}
	int same;
	cr_assert_eq(lt_looptree_diff(ctx, "for m\n", 6, "a", HEAD, strlen(HEAD), "b", &same, run_text_add, NULL), LT_ESYNTAX);
	cr_assert_not_null(strstr(lt_context_message(ctx), "a:1:1: the text of a tree begins with"));
	lt_context_free(ctx);
}

/* ---- lt-run ---- */

static char out[1 << 18], err[1 << 16];

static int lt_run(const char *script, const char *options)
{
	char command[2048];
	snprintf(command, sizeof command, "%s %s --no-cache %s", built("lt-run"), script, options);
	return run_command(command, out, sizeof out, err, sizeof err);
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");
	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

Test(tree_text, lt_run_takes_checks_and_compares_schedules, .fini = scratch_remove)
{
	char options[1024], *from;
	snprintf(options, sizeof options, "--dump=tree -o %s", scratch("a.tree"));
	cr_assert_eq(lt_run("examples/softmax.lt", options), 0, "%s", err);
	snprintf(options, sizeof options, "--check-schedule --schedule=%s", scratch("a.tree"));
	cr_assert_eq(lt_run("examples/softmax.lt", options), 0, "%s", err);
	cr_assert_str_eq(out, "applies\n");
	cr_assert_eq(lt_run("examples/matmul.lt", options), 1);
	cr_assert_not_null(strstr(err, "a.tree:5:7:"), "%s", err);
	cr_assert_not_null(strstr(err, "of another graph"), "%s", err);
	cr_assert_str_eq(out, "");
	cr_assert_eq(lt_run("examples/softmax.lt", "--check-schedule"), 2);
	cr_assert_eq(lt_run("examples/softmax.lt", "--schedule=none.tree"), 2);
	/* one loop less: the line that no longer applies */
	size_t bytes;
	char *text = script_file(scratch("a.tree"), &bytes);
	cr_assert_not_null(from = strstr(text, "for i "));
	memcpy(from, "for j ", 6);
	write_text("b.tree", text);
	snprintf(options, sizeof options, "--check-schedule --schedule=%s", scratch("b.tree"));
	cr_assert_eq(lt_run("examples/softmax.lt", options), 1);
	cr_assert_not_null(strstr(err, "b.tree:9:7: 1 loop over j stands around this one, so its name has 1 prime, not 0"), "%s", err);
	snprintf(options, sizeof options, "%s", scratch("b.tree"));
	char both[4096];
	snprintf(both, sizeof both, "--dump=diff %s %s", scratch("a.tree"), options);
	cr_assert_eq(lt_run(both, ""), 1);
	cr_assert_not_null(strstr(out, "removed "), "%s", out);
	snprintf(both, sizeof both, "--dump=diff %s %s", options, options);
	cr_assert_eq(lt_run(both, ""), 0);
	cr_assert_str_eq(out, "");
	snprintf(both, sizeof both, "--dump=diff %s", options);
	cr_assert_eq(lt_run(both, ""), 2);
	free(text);
}

/* The schedules that are shown fit the scripts that they are for: NAME-WHAT.tree goes with examples/NAME.lt. */
Test(tree_text, the_examples_schedules_apply)
{
	DIR *dir = opendir("examples/schedules");
	struct dirent *entry;
	int count = 0;
	cr_assert_not_null(dir);
	while ((entry = readdir(dir))) {
		char script[600], options[600];
		if (!strstr(entry->d_name, ".tree"))
			continue;
		snprintf(script, sizeof script, "examples/%.*s.lt", (int)strcspn(entry->d_name, "-."), entry->d_name);
		snprintf(options, sizeof options, "--check-schedule --schedule=examples/schedules/%s", entry->d_name);
		cr_assert_eq(lt_run(script, options), 0, "%s", err);
		count++;
	}
	closedir(dir);
	cr_assert_geq(count, 3);
}
