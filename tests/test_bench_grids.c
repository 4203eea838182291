/* test_bench_grids.c -- default trees for a GPU: a line for each layer of lt-bench's suite conv and of whole
 * networks is what tests/trees/h100.txt has (LT_BLESS=1 rewrites it), and products of the suite are tiles of blocks. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/frontend.h"
#include "tests/networks.h"
#include "tests/tree_summary.h"
#include "tools/bench/bench.h"

TestSuite(bench_grids, .timeout = 300);

#define TABLE "tests/trees/h100.txt"
static const double MUCH = 2e6;         /* iterations that make a product */

struct grids { struct lt_context *ctx; struct lt_graph *g; struct lt_program *p; struct layer *layer; int32_t n; };

static struct grids grids_plan(const char *name, const char *text, size_t bytes)
{
	const struct lt_options o = { .size = sizeof o, .backends = "sim:h100", .strict = 1, .plan_only = 1 };
	struct grids x;
	cr_assert_eq(lt_context_new(&x.ctx), LT_OK);
	cr_assert_eq(lt_parse(x.ctx, text, bytes, name, NULL, &x.g), LT_OK, "%s", lt_context_message(x.ctx));
	cr_assert_eq(lt_compile(x.ctx, x.g, &o, &x.p), LT_OK, "%s", lt_context_message(x.ctx));
	x.layer = layers_of(x.p, &x.n);
	return x;
}

static void grids_free(struct grids *x)
{
	free(x->layer);
	lt_program_free(x->p);
	lt_graph_free(x->g);
	lt_context_free(x->ctx);
}

static void print_grids(const char *name, const char *text, size_t bytes, FILE *to)
{
	struct grids x = grids_plan(name, text, bytes);
	layers_print_grids(x.p, x.layer, x.n, name, to);
	grids_free(&x);
}

static void print_network(const char *name, FILE *to)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	cr_assert(f && network_write(name, "float32", f) && fclose(f) == 0);
	print_grids(name, text, bytes, to);
	free(text);
}

/* A step of a model of llama2.c, of the shape of 110M: a head's rotation needs pairs of a product's results, norms are
 * of one row, and positions are counted by the run.  Its weights are 0: only the tree is asked for. */
static char *llama_file(int32_t layers, size_t *bytes)
{
	const int32_t dim = 768, hidden = 2048, heads = 12, vocab = 512, context = 1024,
		sizes[] = { dim, hidden, layers, heads, heads, vocab, context };
	const size_t layer = (size_t)(2 * dim + 4 * dim * dim + 3 * dim * hidden),
		floats = (size_t)layers * layer + (size_t)((vocab + 1) * dim + context * (dim / heads));
	*bytes = sizeof sizes + floats * sizeof(float);
	char *file = calloc(1, *bytes);
	cr_assert_not_null(file);
	memcpy(file, sizes, sizeof sizes);
	return file;
}

static void print_llama(FILE *to)
{
	size_t bytes;
	char *file = llama_file(1, &bytes);
	print_grids("llama", file, bytes, to);
	free(file);
}

static const char grid_head[] = "# Default trees for sim:h100: each layer of lt-bench's suite conv by itself, then "
	"those of networks in\n# them.  Millions of iterations of what is run most often; blocks, threads of a block; "
	"elements of it that a\n# thread computes at a time; what is computed then in the same grid; copies that it makes.\n"
	"# layer                                 work  blocks threads  each  computes\n";

static void print_table(FILE *to)
{
	struct bench_cases l = { NULL, 0, 0 };
	bench_conv_cases(&l);
	fputs(grid_head, to);
	for (int i = 0; i < l.n; i++)
		print_grids(l.at[i].name, l.at[i].script, strlen(l.at[i].script), to);
	bench_cases_free(&l);
	for (const char *const *name = network_names; *name; name++)
		print_network(*name, to);
	print_llama(to);
}

static void compare(char *text)
{
	char want[1000];
	FILE *file = fopen(TABLE, "r");
	cr_assert_not_null(file, TABLE);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *has = fgets(want, sizeof want, file);
		*end = '\0';
		want[strcspn(want, "\n")] = '\0';
		cr_expect(has && strcmp(line, want) == 0, "now:      %s\nexpected: %s (make bless, if the change is meant)", line,
			has ? want : "the end");
	}
	cr_expect_null(fgets(want, sizeof want, file), TABLE " has more: %s", want);
	fclose(file);
}

Test(bench_grids, each_layer_has_its_grid)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = getenv("LT_BLESS") ? fopen(TABLE, "w") : open_memstream(&text, &bytes);
	cr_assert(to, TABLE " cannot be written");
	print_table(to);
	cr_assert_eq(fclose(to), 0);
	if (text)
		compare(text);
	free(text);
}

/* A thread of a product in tiles has 16 sums or more; a 1x1 layer with stride 1 is such a product, whatever its
 * plane, alone and before a mean. */
Test(bench_grids, each_1x1_layer_is_tiles_of_blocks)
{
	struct bench_cases l = { NULL, 0, 0 };
	int products = 0;
	bench_conv_cases(&l);
	for (int i = 0; i < l.n; i++) {
		const struct bench_case *c = &l.at[i];
		char text[2000];
		if (bench_case_get(c, "window") > 1 || bench_case_get(c, "stride") > 1)
			continue;
		for (int mean = 0; mean < 2; mean++) {
			const char *end = strstr(c->script, "result");
			cr_assert_not_null(end);
			snprintf(text, sizeof text, "%.*s%s", mean ? (int)(end - c->script) : (int)sizeof text - 1, c->script,
				mean ? "result = ReduceMeanNode($3, [2, 3]);\n" : "");
			struct grids x = grids_plan(c->name, text, strlen(text));
			for (int32_t k = 0; k < x.n; k++)
				if (x.layer[k].work >= MUCH && !x.layer[k].early) {
					cr_expect(layer_each(x.p, &x.layer[k]) >= 16, "%s has plain loops%s", c->name, mean ? " before a mean" : "");
					products++;
				}
			grids_free(&x);
		}
	}
	cr_expect_geq(products, 40);
	bench_cases_free(&l);
}

static int64_t launches(int32_t layers)
{
	struct lt_stats st = { .size = sizeof st };
	size_t bytes;
	char *file = llama_file(layers, &bytes);
	struct grids x = grids_plan("llama", file, bytes);
	lt_program_stats(x.p, &st);
	grids_free(&x);
	free(file);
	return st.n_launch;
}

/* A norm; the three products; rotation and cache; scores, softmax and weighted sum; a product; a norm; three products
 * in two. */
Test(bench_grids, a_layer_of_a_step_is_ten_launches)
{
	cr_expect_eq(launches(2) - launches(1), 10, "%lld", (long long)(launches(2) - launches(1)));
}
