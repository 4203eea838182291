/* test_gpu_bytes.c -- matrices of bytes by a vector on GPUs: `dot` in a thread, default trees in groups. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "tests/built.h"

TestSuite(bytes_of_gpus, .timeout = 240);

static char out[1 << 18], err[1 << 14];

static int count(const char *text, const char *word)
{
	int n = 0;
	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* n products of matrices of rows by groups of elements by one vector; what is made of the groups' sums is added. */
static const char *graph_of(const char *type, int n, int rows, int groups, int elems)
{
	FILE *f = fopen(scratch("bytes.graph"), "w");
	cr_assert_not_null(f);
	fprintf(f, "graph 1\nvar r %d\nvar g %d\nvar i %d\n%%x = %s[g, i] input \"x\"\n%%xs = f32[g] input \"xs\"\n"
		"%%xc = i32[g, i] cast %%x\n", rows, groups, elems, type);
	for (int k = 0; k < n; k++)
		fprintf(f, "%%w%d = %s[r, g, i] input \"w%d\"\n%%s%d = f32[r, g] input \"s%d\"\n%%c%d = i32[r, g, i] cast %%w%d\n"
			"%%p%d = i32[r, g, i] mul %%c%d, %%xc\n%%t%d = i32[r, g] add.reduce %%p%d\n%%f%d = f32[r, g] cast %%t%d\n"
			"%%a%d = f32[r, g] mul %%f%d, %%s%d\n%%b%d = f32[r, g] mul %%a%d, %%xs\n%%y%d = f32[r] add.reduce %%b%d\n"
			"result \"y%d\" = %%y%d\n", k, type, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
	fclose(f);
	return scratch("bytes.graph");
}

static int run(const char *machine, const char *graph, const char *more)
{
	char command[1024];
	snprintf(command, sizeof command, "%s --no-cache --strict -b sim:%s %s %s", built("lt-run"), machine, graph, more);
	return run_command(command, out, sizeof out, err, sizeof err);
}

/* One nest, a `dot` for each 16 bytes; groups that are no multiple of the threads, products that share the vector, a
 * matrix so large that threads share a group. */
Test(bytes_of_gpus, a_matrix_by_a_vector_is_one_nest)
{
	static const struct { const char *type; int n, rows, groups, elems, vectors; bool shared; } cases[] = {
		{ "i8", 1, 300, 9, 32, 2, false }, { "u8", 1, 96, 12, 64, 4, false }, { "i8", 3, 288, 9, 32, 2, false },
		{ "i8", 2, 70, 40, 16, 1, false }, { "i8", 1, 4096, 36, 64, 1, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *graph = graph_of(cases[i].type, cases[i].n, cases[i].rows, cases[i].groups, cases[i].elems);
		cr_assert_eq(run("h100", graph, "--dump=tree"), 0, "%s", err);
		cr_expect_eq(count(out, "\nfor "), 1, "case %zu: %s", i, out);
		cr_expect_eq(count(out, " block.x") - 1, cases[i].shared ? cases[i].n : 0, "case %zu: %s", i, out);
		cr_assert_eq(run("h100", graph, "--dump=kernel"), 0, "%s", err);
		cr_expect_eq(count(out, "= dot ") % (cases[i].n * cases[i].vectors), 0, "case %zu: %s", i, out);
		cr_expect_gt(count(out, "= dot "), 0, "case %zu: %s", i, out);
		cr_expect_eq(run("h100", graph, "-q --verify -i '*=random'"), 0, "case %zu: %s", i, err);
	}
}

/* Groups of other sizes have no runs of 16 bytes that begin at multiples of that. */
Test(bytes_of_gpus, other_groups_are_casts_and_products)
{
	cr_assert_eq(run("h100", graph_of("i8", 1, 300, 9, 24), "--dump=kernel"), 0, "%s", err);
	cr_expect_eq(count(out, "= dot "), 0, "%s", out);
	cr_expect_eq(run("h100", scratch("bytes.graph"), "-q --verify -i '*=random'"), 0, "%s", err);
}

/* The largest of each 64 sums: in a nest of its own, since each sum is long. */
Test(bytes_of_gpus, what_goes_through_a_row_of_sums_waits_for_it)
{
	FILE *f = fopen(scratch("rows.graph"), "w");
	cr_assert_not_null(f);
	fputs("graph 1\nvar b 172\nvar j 64\nvar g 64\nvar i 64\n%x = i8[g, i] input \"x\"\n%w = i8[b, j, g, i] input \"w\"\n"
		"%xc = i32[g, i] cast %x\n%wc = i32[b, j, g, i] cast %w\n%p = i32[b, j, g, i] mul %wc, %xc\n"
		"%s = i32[b, j, g] add.reduce %p\n%c = f32[b, j, g] cast %s\n%y = f32[b, j] add.reduce %c\n"
		"%m = f32[b] max.reduce %y\nresult \"m\" = %m\n", f);
	fclose(f);
	cr_assert_eq(run("h100", scratch("rows.graph"), "--dump=tree"), 0, "%s", err);
	cr_expect_eq(count(out, "\nfor "), 2, "%s", out);
	cr_assert_eq(run("h100", scratch("rows.graph"), "--dump=kernel"), 0, "%s", err);
	cr_expect_gt(count(out, "= dot "), 0, "%s", out);
}
