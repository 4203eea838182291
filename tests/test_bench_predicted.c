/* test_bench_predicted.c -- what the simulator predicts of the default trees of lt-bench's cases on an H200, as
 * tests/golden/predicted-h200.txt has it.  LT_BLESS=1 rewrites that; LT_MACHINE=h100 (a100) prints it of another
 * one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "backends/sim/sim.h"
#include "program/run/run.h"
#include "tests/keeper.h"
#include "tests/sanitized.h"
#include "tools/bench/bench.h"

#define GOLDEN "tests/golden/predicted-h200.txt"

/* The simulator does some 25 million multiply-adds a second, and a block of a product has 16,000 for each term of its
 * sums: sizes are those of the suites, but products with more terms are left out; some stand here with fewer. */
static const struct { const char *suite; int64_t terms; } suites[] = { { "gpu", 4100 }, { "pointwise", 1 },
	{ "rows", INT64_MAX }, { "layout", 1 }, { "mlp", INT64_MAX }, { "gemm", 1100 }, { "conv", 600 } };
static const struct { int m, k, n; } fewer[] = { { 8192, 512, 8192 }, { 512, 4096, 512 } };
/* Races are looked for elsewhere.  Of a grid some blocks are run: what others leave is not there. */
#define OPTIONS "off=threads/off=blocks/off=stored/off=exchanged/blocks="
static const char head[] = "# What sim:%s predicts of the default trees of lt-bench's cases (docs/gpu.md);\n"
	"# `make bless` rewrites it.  sectors: of 32 bytes, of a request; bytes: of these, over the least that the\n"
	"# case has to move (no cache is counted); banks: cycles of shared memory over those without conflicts; us: of all\n"
	"# grids, one after the other; bound: of the longest\n"
	"# case                               kernels grids  sectors     bytes   banks         us  bound\n";

/* Of all grids of a case, in cycles of the machine. */
struct predicted { int kernels, grids; double requests, sectors, phases, shared, cycles; char bound[32]; double max; };
struct bounds { char text[1 << 14]; size_t n; };

static void keep_text(void *user, const char *text, size_t bytes)
{
	struct bounds *b = user;
	if (b->n + bytes < sizeof b->text) {
		memcpy(b->text + b->n, text, bytes);
		b->text[b->n += bytes] = '\0';
	}
}

/* Pages that nobody touches take no memory. */
static void *zeros(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	cr_assert(at != MAP_FAILED);
	return at;
}

/* "grid 1: bound by memory, 863 cycles ..."; what bounds the longest grid bounds the case. */
static void add_bounds(const char *text, struct predicted *p)
{
	for (const char *at = text; (at = strstr(at, ": bound by ")); at++) {
		const char *line = at;
		char bound[32];
		double cycles;
		while (line > text && line[-1] != '\n')
			line--;
		const char *loop = strstr(line, ", loop in ");
		if ((loop && loop < at) || sscanf(at, ": bound by %31[^,], %lf", bound, &cycles) != 2)
			continue;
		p->grids++;
		p->cycles += cycles;
		if (cycles > p->max) {
			p->max = cycles;
			memcpy(p->bound, bound, sizeof bound);
		}
	}
}

static void predict_kernel(const struct lt_tree *t, const struct sim_config *c, struct predicted *p)
{
	static struct bounds text;
	struct lt_kernel *k;
	struct lt_fault fault = { 0 };
	text.n = 0;
	cr_assert_eq(lt_kernel_new(t, &c->machine, NULL, &k, NULL), LT_OK, "%s", t->name);
	struct lt_slot *slot = calloc(k->n_slot + 1u, sizeof *slot);
	for (uint32_t b = 0; b < t->buffers.n; b++) {
		const struct lt_buffer *x = LT_AT(struct lt_buffer, t->buffers, b);
		if (x->slot >= 0) {
			slot[x->slot].bytes = x->elems * LT_AT(struct lt_type, t->types, x->type)->bytes + 64;
			slot[x->slot].base = zeros((size_t)slot[x->slot].bytes);
		}
	}
	struct lt_simulate_count n = { calloc(k->n_instruction + 1u, sizeof *n.runs),
		calloc(k->n_instruction + 1u, sizeof *n.lanes), calloc(k->n_instruction + 1u, sizeof *n.request) };
	const struct lt_args args = { .size = sizeof args, .n_slot = k->n_slot, .slot = slot, .fault = &fault };
	struct keeper diags = keeper_new();
	cr_assert_eq(lt__simulate(k, &args, &c->options, &n, NULL, &diags.diag), LT_OK, "%s: %s", t->name, diags.text);
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		p->requests += (double)n.request[i].requests;
		p->sectors += (double)n.request[i].sectors;
		p->phases += (double)n.request[i].phases;
		p->shared += (double)n.request[i].cycles;
	}
	cr_assert_eq(lt__simulate_predict(k, &n, c->named, keep_text, &text), LT_OK);
	add_bounds(text.text, p);
	p->kernels++;
	for (uint32_t i = 0; i < k->n_slot; i++)
		munmap(slot[i].base, (size_t)slot[i].bytes);
	free(slot);
	free(n.runs);
	free(n.lanes);
	free(n.request);
	lt_kernel_free(k);
}

static const char *machine_name(void) { return getenv("LT_MACHINE") ? getenv("LT_MACHINE") : "h200"; }

static struct sim_config machine_of(int blocks)
{
	struct sim_config c;
	char text[200];
	(void)snprintf(text, sizeof text, "%s/" OPTIONS "%d", machine_name(), blocks);
	cr_assert_eq(lt__sim_config(text, &c, NULL), LT_OK, "%s", text);
	return c;
}

static void predict_case(const struct bench_case *c, const struct sim_config *machine, FILE *to)
{
	char backend[40];
	const struct lt_options o = { .size = sizeof o, .plan_only = 1, .backends = backend };
	struct predicted x = { 0 };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	char name[120];
	(void)snprintf(backend, sizeof backend, "sim:%s", machine_name());
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, c->script, strlen(c->script), c->name, NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	for (int32_t i = 0; i < p->nests.n; i++)
		predict_kernel(&p->nests.frozen[i].tree, machine, &x);
	(void)snprintf(name, sizeof name, "%s/%s", c->suite, c->name);
	fprintf(to, "%-38s %5d %5d %8.2f %9.2f %7.2f %10.1f  %s\n", name, x.kernels, x.grids, x.sectors / x.requests,
		x.sectors * 32 / (double)c->bytes, x.phases > 0 ? x.shared / x.phases : 1,
		x.cycles / machine->named->cycles_per_second * 1e6, x.bound);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
}

static bool is_product(const struct bench_case *c)
{
	return strcmp(c->op, "gemm") == 0 || strcmp(c->op, "conv2d") == 0;
}

static void predict_suite(const char *name, int64_t terms, FILE *to)
{
	struct bench_cases l = { NULL, 0, 0 };
	const struct sim_config one = machine_of(1), some = machine_of(2);
	bench_suite_find(name)->cases(&l);
	for (size_t i = 0; strcmp(name, "gpu") == 0 && i < sizeof fewer / sizeof *fewer; i++)
		bench_gemm_case(&l, name, "fewer terms", fewer[i].m, fewer[i].k, fewer[i].n);
	for (int i = 0; i < l.n; i++)
		if (!is_product(&l.at[i]) || l.at[i].flops / 2 / l.at[i].out.n <= terms)
			predict_case(&l.at[i], is_product(&l.at[i]) || strcmp(l.at[i].op, "mlp") == 0 ? &one : &some, to);
	bench_cases_free(&l);
}

static void predict_all(FILE *to)
{
	fprintf(to, head, machine_name());
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		predict_suite(suites[i].suite, suites[i].terms, to);
}

/* Each line, and no more. */
static void compare(char *text, FILE *file)
{
	char want[200];
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *has = fgets(want, sizeof want, file);
		*end = '\0';
		want[strcspn(want, "\n")] = '\0';
		cr_expect(has && strcmp(line, want) == 0, "now:      %s\nexpected: %s (make bless, if the change is meant)", line,
			has ? want : "the end");
	}
	cr_expect_null(fgets(want, sizeof want, file), GOLDEN " has more: %s", want);
}

Test(more_bench_predicted, default_trees, .timeout = 300)
{
	char *text = NULL;
	size_t bytes = 0;
	if (SANITIZED)
		cr_skip_test("it would take minutes");
	if (getenv("LT_MACHINE")) {
		predict_all(stdout);
		return;
	}
	FILE *to = open_memstream(&text, &bytes);
	cr_assert_not_null(to);
	predict_all(to);
	fclose(to);
	FILE *file = fopen(GOLDEN, getenv("LT_BLESS") ? "w+" : "r");
	cr_assert_not_null(file, GOLDEN);
	if (getenv("LT_BLESS"))
		cr_assert_eq(fwrite(text, 1, bytes, file), bytes);
	else
		compare(text, file);
	cr_assert_eq(fclose(file), 0);
	free(text);
}

/* By hand: each of 2^26 floats is read and written once, 16 bytes a thread; 4.8 TB/s by the data sheet. */
Test(bench_predicted, a_chain, .timeout = 60)
{
	struct bench_cases l = { NULL, 0, 0 };
	const struct sim_config c = machine_of(2);
	char name[64], bound[32], *text = NULL;
	int kernels, grids;
	double sectors, bytes, banks, us;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	if (getenv("LT_MACHINE"))
		return;
	bench_pointwise_chain(&l, "gpu", 8, 26);
	predict_case(&l.at[0], &c, to);
	fclose(to);
	cr_assert_eq(sscanf(text, "%63s %d %d %lf %lf %lf %lf %31s", name, &kernels, &grids, &sectors, &bytes, &banks, &us,
		bound), 8, "%s", text);
	cr_expect(kernels == 1 && grids == 1 && sectors == 16 && bytes == 1 && banks == 1, "%s", text);
	cr_expect_float_eq(us, 2 * 4 * 67108864.0 / 4.8e12 * 1e6, 0.5, "%s", text);
	cr_expect_str_eq(bound, "memory");
	free(text);
	bench_cases_free(&l);
}
