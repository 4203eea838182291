/* test_onnx_mapped.c -- models whose file is mapped: weights stay in it wherever they lie, what is packed of them gives
 * its pages back, and results are those of a model that is copied. */
#define _DEFAULT_SOURCE 1       /* mkstemp */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "lt/program.h"
#include "tests/run_graph.h"

TestSuite(onnx_mapped, .timeout = 120);

enum { ROWS = 64, DEEP = 256, COLUMNS = 1024 };

/* -- a model, written by hand: fields of protobuf -- */

static void put_number(struct run_text *b, uint64_t x)
{
	do {
		const char byte = (char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));

		run_text_add(b, &byte, 1);
		x >>= 7;
	} while (x);
}

static void put_int(struct run_text *b, unsigned field, uint64_t x)
{
	put_number(b, field << 3);
	put_number(b, x);
}

static void put_bytes(struct run_text *b, unsigned field, const void *at, size_t n)
{
	put_number(b, field << 3 | 2);
	put_number(b, n);
	run_text_add(b, at, n);
}

static void put_string(struct run_text *b, unsigned field, const char *text)
{
	put_bytes(b, field, text, strlen(text));
}

static void put_message(struct run_text *b, unsigned field, struct run_text *part)
{
	put_bytes(b, field, part->at, part->n);
	free(part->at);
	*part = (struct run_text){ NULL, 0 };
}

static void put_tensor(struct run_text *graph, const char *name, int64_t rows, int64_t columns)
{
	struct run_text t = { NULL, 0 };
	const size_t n = (size_t)(rows * columns);
	float *data = malloc(n * sizeof *data);

	for (size_t i = 0; i < n; i++)
		data[i] = (float)((int)(i * 37 % 101) - 50) / 64;
	put_int(&t, 1, (uint64_t)rows);
	put_int(&t, 1, (uint64_t)columns);
	put_int(&t, 2, 1);
	put_string(&t, 8, name);
	put_bytes(&t, 9, data, n * sizeof *data);
	put_message(graph, 5, &t);
	free(data);
}

static void put_value(struct run_text *graph, unsigned field, const char *name, int64_t rows, int64_t columns)
{
	struct run_text value = { NULL, 0 }, type = { NULL, 0 }, tensor = { NULL, 0 }, shape = { NULL, 0 },
		dim = { NULL, 0 };

	put_int(&dim, 1, (uint64_t)rows);
	put_message(&shape, 1, &dim);
	put_int(&dim, 1, (uint64_t)columns);
	put_message(&shape, 1, &dim);
	put_int(&tensor, 1, 1);
	put_message(&tensor, 2, &shape);
	put_message(&type, 1, &tensor);
	put_string(&value, 1, name);
	put_message(&value, 2, &type);
	put_message(graph, field, &value);
}

static void put_node(struct run_text *graph, const char *op, const char *a, const char *b, const char *out)
{
	struct run_text node = { NULL, 0 };

	put_string(&node, 1, a);
	put_string(&node, 1, b);
	put_string(&node, 2, out);
	put_string(&node, 4, op);
	put_message(graph, 1, &node);
}

/* y = x @ packed + added, with the weights `shift` bytes further on. */
static struct run_text model_of(int shift)
{
	struct run_text model = { NULL, 0 }, graph = { NULL, 0 }, set = { NULL, 0 };

	put_node(&graph, "MatMul", "x", "packed", "p");
	put_node(&graph, "Add", "p", "added", "y");
	put_string(&graph, 2, "g");
	put_tensor(&graph, "packed", DEEP, COLUMNS);
	put_tensor(&graph, "added", ROWS, COLUMNS);
	put_value(&graph, 11, "x", ROWS, DEEP);
	put_value(&graph, 12, "y", ROWS, COLUMNS);
	put_int(&model, 1, 8);
	put_bytes(&model, 2, "12345678", (size_t)shift + 1);
	put_int(&set, 2, 17);
	put_message(&model, 8, &set);
	put_message(&model, 7, &graph);
	return model;
}

/* -- its file, mapped -- */

struct file { char *at; size_t n; };

static struct file file_map(const struct run_text *model)
{
	char path[] = "/tmp/lt-test-mapped-XXXXXX";
	const int fd = mkstemp(path);
	struct file f = { .n = model->n };

	cr_assert(fd >= 0 && write(fd, model->at, model->n) == (ssize_t)model->n);
	f.at = mmap(NULL, f.n, PROT_READ, MAP_PRIVATE, fd, 0);
	cr_assert(f.at != MAP_FAILED);
	close(fd);
	unlink(path);
	return f;
}

/* Bytes of it that the process has in memory. */
static size_t file_resident(const struct file *f)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	char line[512];
	unsigned long begin = 0, end, kb, sum = 0;

	cr_assert_not_null(maps);
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx ", &begin, &end) != 2 && begin >= (unsigned long)f->at
		    && begin < (unsigned long)f->at + f->n && sscanf(line, "Rss: %lu kB", &kb) == 1)
			sum += kb * 1024;
	fclose(maps);
	return sum;
}

static bool lies_in(const struct file *f, const void *at)
{
	return (const char *)at >= f->at && (const char *)at < f->at + f->n;
}

static lt_node constant_named(const struct lt_graph *g, const char *name)
{
	for (lt_node i = 0; i < g->n_node; i++)
		if (g->node[i].op == LT_OP_constant && !strcmp(g->node[i].label, name))
			return i;
	cr_assert_fail("no constant %s", name);
	return -1;
}

/* The result of the model in `text`; mapped: its file, or NULL. */
static float *result_of(const char *text, size_t n, const struct file *mapped, const char *backend, size_t *bytes)
{
	const struct lt_parse_options parse = { .size = sizeof parse, .mapped = mapped != NULL };
	const struct lt_options options = { .size = sizeof options, .backends = backend, .n_thread = 2 };
	float *x = malloc(ROWS * DEEP * sizeof *x), *y = malloc(ROWS * COLUMNS * sizeof *y);
	struct run_counter counter = { .fail_at = -1 };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *run;

	for (int i = 0; i < ROWS * DEEP; i++)
		x[i] = (float)(i % 13 - 6) / 8;
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	cr_assert_eq(lt_parse_with(ctx, text, n, "m.onnx", NULL, &parse, &g), LT_OK, "%s", lt_context_message(ctx));
	*bytes = (size_t)counter.peak;
	for (int i = 0; i < 2; i++)
		cr_expect_eq(lies_in(&(struct file){ (char *)(uintptr_t)text, n },
			lt_node_content(g, constant_named(g, i ? "packed" : "added"))), mapped != NULL);
	cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_instance_new(p, &run), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_instance_run(run, (const void *const[]){ x }, (void *[]){ y }), LT_OK, "%s",
		lt_instance_message(run));
	lt_instance_free(run);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(x);
	return y;
}

/* At each distance from a multiple of four: some are copied for a kernel, none of them wrongly. */
Test(onnx_mapped, results_are_those_of_a_copy)
{
	for (int shift = 0; shift < 4; shift++) {
		struct run_text model = model_of(shift);
		struct file f = file_map(&model);
		size_t copied, kept;
		float *want = result_of(model.at, model.n, NULL, "cpu", &copied), *got = result_of(f.at, f.n, &f, "cpu", &kept);

		cr_expect_arr_eq(got, want, ROWS * COLUMNS * sizeof *want, "shift %d", shift);
		/* The model as a graph: without its weights, and nothing else of that size. */
		cr_expect_gt(copied, f.n, "%zu bytes", copied);
		cr_expect_lt(kept, f.n / 4, "shift %d: %zu bytes for a file of %zu", shift, kept, f.n);
		cr_expect_lt(file_resident(&f), f.n / 2, "shift %d: %zu bytes of %zu are in memory; a quarter is read where it "
			"lies", shift, file_resident(&f), f.n);
		free(want);
		free(got);
		munmap(f.at, f.n);
		free(model.at);
	}
}

/* Only pages of files are given back: others would be zeros. */
Test(onnx_mapped, only_whole_pages_of_files)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct run_text model = { calloc(8, page), 8 * page };
	struct file f;
	struct lt_context *ctx;
	struct lt_graph *g;
	volatile char sum = 0;

	f = file_map(&model);
	memset(model.at, 7, model.n);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_new(ctx, &g), LT_OK);
	lt__graph_mapped(g, f.at, f.n);
	for (size_t i = 0; i < f.n; i += page)
		sum = (char)(sum + f.at[i]);
	cr_assert_eq(file_resident(&f), 8 * page);
	lt__mapping_drop(g->mapping, f.at + 1, 2 * page);
	cr_expect_eq(file_resident(&f), 7 * page, "one page is whole");
	lt__mapping_drop(g->mapping, f.at + 3 * page, 9 * page);
	lt__mapping_drop(g->mapping, model.at, model.n);
	lt__mapping_drop(NULL, f.at, f.n);
	cr_expect_eq(file_resident(&f), 7 * page, "none of a range that reaches further, or that is no file's");
	for (size_t i = 0; i < model.n; i++)
		cr_assert_eq(model.at[i], 7);
	lt__mapping_drop(g->mapping, f.at, f.n);
	cr_expect_eq(file_resident(&f), 0);
	cr_expect_eq(f.at[5 * page], 0, "and comes again");
	lt_graph_free(g);
	lt_context_free(ctx);
	munmap(f.at, f.n);
	free(model.at);
}
