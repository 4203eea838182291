/* test_many_text.c -- views of many pieces: texts, nodes, steps and kernels in proportion to the pieces; and what
 * is said of them. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "lt/frontend.h"
#include "program/nest/nest.h"
#include "tests/run_graph.h"

TestSuite(many_text, .timeout = 300);

/* A script in memory; $n is the last statement. */
struct script { FILE *f; char *text; size_t bytes; int n; };

static int add(struct script *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int add(struct script *s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fprintf(s->f, "$%d = ", ++s->n);
	vfprintf(s->f, fmt, args);
	fprintf(s->f, ";\n");
	va_end(args);
	return s->n;
}

static int input(struct script *s, const char *shape)
{
	return add(s, "InputTensor(x%d, float32, [%s])", s->n + 1, shape);
}

static int join(struct script *s, int axis, int n, const int *of)
{
	fprintf(s->f, "$%d = ConcatNode(%d", ++s->n, axis);
	for (int i = 0; i < n; i++)
		fprintf(s->f, ", $%d", of[i]);
	fprintf(s->f, ");\n");
	return s->n;
}

/* n values made by a node (NULL: inputs, "Constant": constants) of an input of that shape, joined. */
static int joined(struct script *s, int n, int axis, const char *shape, const char *node)
{
	int *of = calloc((size_t)n, sizeof *of);
	for (int i = 0; i < n; i++) {
		of[i] = node && !strcmp(node, "Constant") ? add(s, "ConstantTensor(c%d, float32, [%s])", i, shape) : input(s, shape);
		if (node && strcmp(node, "Constant") != 0)
			of[i] = add(s, "%s($%d)", node, of[i]);
	}
	int all = join(s, axis, n, of);
	free(of);
	return all;
}

static void of_inputs(struct script *s, int n) { joined(s, n, 0, "4", NULL); }
static void of_constants(struct script *s, int n) { joined(s, n, 0, "4", "Constant"); }
static void of_computed(struct script *s, int n) { joined(s, n, 0, "4", "ExpNode"); }
static void of_computed_read(struct script *s, int n) { add(s, "TanhNode($%d)", joined(s, n, 0, "4", "ExpNode")); }
static void along_the_last_axis(struct script *s, int n) { joined(s, n, 1, "3, 4", NULL); }
static void read_by_a_sum(struct script *s, int n) { add(s, "ReduceSumNode($%d, [0])", joined(s, n, 0, "4", NULL)); }

static void in_another_shape(struct script *s, int n)
{
	int x = add(s, "ReshapeNode($%d, [2, %d])", joined(s, n, 0, "4", NULL), 2 * n);
	add(s, "ExpNode($%d)", x);
}

static void turned(struct script *s, int n)
{
	int x = add(s, "PermuteNode($%d, [1, 0])", joined(s, n, 0, "4, 3", NULL));
	add(s, "ExpNode($%d)", x);
}

static void read_by_a_chain(struct script *s, int n)
{
	add(s, "TanhNode($%d)", add(s, "ExpNode($%d)", joined(s, n, 0, "4", NULL)));
}

static void read_by_a_product(struct script *s, int n)
{
	int a = joined(s, n, 0, "2, 8", NULL), w = add(s, "ConstantTensor(w, float32, [8, 16])");
	add(s, "MatMulNode($%d, $%d)", a, w);
}

static void of_many_lengths(struct script *s, int n)
{
	int *of = calloc((size_t)n, sizeof *of);
	for (int i = 0; i < n; i++)
		of[i] = add(s, "InputTensor(x%d, float32, [%d])", i, i + 1);
	add(s, "ExpNode($%d)", join(s, 0, n, of));
	free(of);
}

static void of_slices(struct script *s, int n)
{
	int *of = calloc((size_t)n, sizeof *of), x = add(s, "InputTensor(x, float32, [%d])", 4 * n);
	for (int i = 0; i < n; i++)
		of[i] = add(s, "SliceNode($%d, %d, %d)", x, 4 * (n - 1 - i), 4 * (n - i));
	join(s, 0, n, of);
	free(of);
}

static void pads(struct script *s, int n)
{
	int x = input(s, "3, 3");
	for (int i = 0; i < n; i++)
		x = add(s, "PadNode($%d, [1, 1], [1, 1], %d)", x, i % 7);
}

static void one_after_the_other(struct script *s, int n)
{
	int x = input(s, "4");
	for (int i = 1; i < n; i++) {
		int y = input(s, "4");
		x = join(s, 0, 2, (int[]){ x, y });
	}
}

static void two_by_two(struct script *s, int n)
{
	int *of = calloc((size_t)n, sizeof *of);
	for (int i = 0; i < n; i++)
		of[i] = input(s, "4");
	for (; n > 1; n = (n + 1) / 2)
		for (int i = 0; i < n; i += 2)
			of[i / 2] = i + 1 < n ? join(s, 0, 2, &of[i]) : of[i];
	free(of);
}

static void read_by_many(struct script *s, int n)
{
	int all = joined(s, n, 0, "4", NULL), *of = calloc((size_t)n, sizeof *of);
	for (int i = 0; i < n - 1; i++)
		of[i] = add(s, "ReduceSumNode($%d, [0], 1)", add(s, "SliceNode($%d, %d, %d)", all, 4 * i + 1, 4 * i + 6));
	join(s, 0, n - 1, of);
	free(of);
}

/* kernels: how many are made at most, whatever n is. */
struct many_case { const char *name; void (*make)(struct script *, int n); int kernels; };
static const struct many_case cases[] = {
	{ "inputs", of_inputs, 0 },
	{ "constants", of_constants, 0 },
	{ "computed", of_computed, 5 },
	{ "computed, read", of_computed_read, 6 },
	{ "many lengths", of_many_lengths, 1 },
	{ "slices of one", of_slices, 0 },
	{ "the last axis", along_the_last_axis, 0 },
	{ "read by a chain", read_by_a_chain, 1 },
	{ "read by a sum", read_by_a_sum, 2 },
	{ "read by a product", read_by_a_product, 3 },
	{ "another shape", in_another_shape, 1 },
	{ "turned", turned, 1 },
	{ "pads", pads, 0 },
	{ "one after the other", one_after_the_other, 1 },      /* of what is left of the last 16 */
	{ "two by two", two_by_two, 0 },
	{ "read by many", read_by_many, 6 },
};
enum { N_CASE = sizeof cases / sizeof *cases };

static void count(void *user, const char *text, size_t bytes)
{
	(void)text;
	*(size_t *)user += bytes;
}

/* What grows with the pieces. */
enum { GRAPH, TREE, FROZEN, SOURCE, PLAN, NODES, STEPS, BLOCKS, MEMORY, N_SIZE };
static const char *const size_name[] = { "graph text", "tree text", "frozen text", "source text", "plan text", "nodes",
	"steps", "blocks", "memory" };

static int measure(const struct many_case *c, int n, const char *backend, size_t size[N_SIZE])
{
	static const enum lt_dump_kind kind[] = { LT_SHOW_GRAPH, LT_SHOW_TREE, LT_SHOW_FROZEN, LT_SHOW_SOURCE, LT_SHOW_PLAN };
	struct script s = { NULL, NULL, 0, 0 };
	struct lt_context *ctx;
	struct run_counter counter;
	struct lt_graph *g;
	struct lt_program *p;
	s.f = open_memstream(&s.text, &s.bytes);
	c->make(&s, n);
	fprintf(s.f, "result = $%d;\n", s.n);
	fclose(s.f);
	cr_assert_eq(run_context(&counter, &ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, s.text, s.bytes, "many", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	const struct lt_options options = { .size = sizeof options, .backends = backend, .n_thread = 1 };
	cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s of %d: %s", c->name, n, lt_context_message(ctx));
	memset(size, 0, N_SIZE * sizeof *size);
	for (int k = GRAPH; k <= PLAN; k++)
		if (k != SOURCE || !strcmp(backend, "cpu"))
			cr_assert_eq(lt_program_dump(p, kind[k], count, &size[k]), LT_OK, "%s: %s", size_name[k], lt_context_message(ctx));
	size[NODES] = (size_t)p->base->n_node;
	size[STEPS] = (size_t)(p->plan.n_prepare + p->plan.n_run);
	for (int32_t i = 0; i < p->nests.n; i++)
		size[BLOCKS] += p->nests.blocks[i] ? (size_t)p->nests.blocks[i]->n : 0;
	size[MEMORY] = (size_t)counter.peak;
	int n_kernel = p->kernels.n;
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	free(s.text);
	return n_kernel;
}

/* Four times as many pieces: at most a little more than four times of everything. */
static void expect_linear(const char *backend, int n)
{
	/* Of a kernel that is there or not, by what is left of the last group of 16. */
	static const size_t slack[N_SIZE] = { [GRAPH] = 200,
		[TREE] = 200,
		[FROZEN] = 2000,
		[SOURCE] = 16000,
		[PLAN] = 200,
		[NODES] = 4,
		[STEPS] = 4,
		[BLOCKS] = 40 };
	for (int i = 0; i < N_CASE; i++) {
		size_t size[3][N_SIZE];
		for (int k = 0; k < 3; k++) {
			int n_kernel = measure(&cases[i], n << k, backend, size[k]);
			cr_expect(n_kernel <= cases[i].kernels, "%s, %s of %d: %d kernels, at most %d are wanted",
				backend, cases[i].name, n << k, n_kernel, cases[i].kernels);
		}
		for (int m = 0; m < N_SIZE; m++) {
			bool linear = size[2][m] <= size[0][m] * 5 + slack[m] && size[2][m] <= size[1][m] * 5 / 2 + slack[m];
			cr_expect(linear, "%s, %s: %s of %d, %d and %d pieces is %zu, %zu and %zu", backend,
				cases[i].name, size_name[m], n, 2 * n, 4 * n, size[0][m], size[1][m], size[2][m]);
		}
	}
}

Test(many_text, grows_with_the_pieces_on_ref) { expect_linear("ref", 400); }
Test(many_text, grows_with_the_pieces_on_cpu) { expect_linear("cpu", 100); }
