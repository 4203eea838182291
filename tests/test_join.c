/* test_join.c -- nests that are joined (looptree/default/auto_join.c): random graphs of products of few rows that read
 * the same rows, each other's heads in place or not, states before and after their updates; proven legal, right where
 * threads share them, and the same bits each time.
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "looptree/tree/tree.h"
#include "lt/frontend.h"
#include "ir/pass/pass.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_product.h"
#include "tests/run_graph.h"
#include "program/program.h"

TestSuite(join, .timeout = 600);

/* ---- graphs ---- */

enum { MAX_VALUES = 40, MAX_STATES = 3 };
/* What a value is, of each head and each of the queries that share it: numbers of the head; or of the positions, all or
 * as many as the run says. */
enum form { HEADS, SCORES, COUNTED, FORMS };
struct draw {
	uint64_t rng;
	FILE *to;
	int n;                          /* lines so far: $1 to $n */
	int rows, dim, heads, group, head, context;
	struct { int id; enum form form; } value[MAX_VALUES];
	int n_value;
	struct { int id, now; } state[MAX_STATES];
	int n_state, position;
};

static int below(struct draw *d, int n) { return (int)random_between(&d->rng, 0, n - 1); }

__attribute__((format(printf, 2, 3))) static int line(struct draw *d, const char *fmt, ...)
{
	va_list args;

	fprintf(d->to, "$%d = ", ++d->n);
	va_start(args, fmt);
	vfprintf(d->to, fmt, args);
	va_end(args);
	fputs(";\n", d->to);
	return d->n;
}

static int source(struct draw *d, const char *shape)
{
	const int id = d->n + 1;

	return below(d, 2) ? line(d, "ConstantTensor(c%d, float32, [%s])", id, shape)
		: line(d, "InputTensor(i%d, float32, [%s])", id, shape);
}

static void add_value(struct draw *d, int id, enum form form)
{
	if (d->n_value < MAX_VALUES)
		d->value[d->n_value].id = id, d->value[d->n_value++].form = form;
}

static int any_of(struct draw *d, enum form form)
{
	int at[MAX_VALUES], n = 0;

	for (int i = 0; i < d->n_value; i++)
		if (d->value[i].form == form)
			at[n++] = d->value[i].id;
	/* the last ones more often: chains */
	return n ? at[below(d, 2) ? n - 1 : below(d, n)] : 0;
}

/* "i: 4, j: 2, k: 16", as ViewNode has it */
static const char *dims_of(const struct draw *d, enum form form, char *out)
{
	if (form == COUNTED)
		sprintf(out, "i: %d, j: %d, k: $%d + 1 <= %d", d->heads, d->group, d->position, d->context);
	else
		sprintf(out, "i: %d, j: %d, k: %d", d->heads, d->group, form == HEADS ? d->head : d->context);
	return out;
}

static enum form any_form(struct draw *d)
{
	return below(d, 2) ? HEADS : (enum form)below(d, FORMS);
}

/* The same of bytes, with exact sums: of all, or of groups of 16, each with a scale. */
static int add_bytes(struct draw *d, int x, int w, int columns)
{
	const int groups = d->rows || below(d, 2) ? 0 : d->dim / 16;
	char shape[32];

	x = line(d, "CastNode($%d, int32)", line(d, "CastNode($%d, int8)", x));
	w = line(d, "CastNode($%d, int32)", line(d, "CastNode($%d, int8)", w));
	if (!groups)
		return line(d, "CastNode($%d, float32)", line(d, d->rows ? "EinsumNode(ti,ji->tj: $%d, $%d)"
			: "EinsumNode(i,ji->j: $%d, $%d)", x, w));
	x = line(d, "ReshapeNode($%d, [%d, 16])", x, groups);
	w = line(d, "ReshapeNode($%d, [%d, %d, 16])", w, columns, groups);
	x = line(d, "CastNode($%d, float32)", line(d, "EinsumNode(gi,jgi->jg: $%d, $%d)", x, w));
	sprintf(shape, "%d, %d", columns, groups);
	w = source(d, shape);
	return line(d, "ReduceSumNode($%d, [1])", line(d, "MultiplyNode($%d, $%d)", x, w));
}

/* A product of the rows that all read, whose columns are heads. */
static void add_projection(struct draw *d, int x)
{
	char shape[64], rows[16] = "";
	int w, y;

	if (d->rows)
		sprintf(rows, "%d, ", d->rows);
	if (below(d, 3)) {
		const bool along = below(d, 3);

		const int n = d->heads * d->group * d->head;

		sprintf(shape, "%d, %d", along ? n : d->dim, along ? d->dim : n);
		w = source(d, shape);
		if (along && !below(d, 4))
			y = add_bytes(d, x, w, n);
		else if (d->rows)
			y = line(d, along ? "EinsumNode(ti,ji->tj: $%d, $%d)" : "EinsumNode(ti,ij->tj: $%d, $%d)", x, w);
		else
			y = line(d, along ? "EinsumNode(i,ji->j: $%d, $%d)" : "EinsumNode(i,ij->j: $%d, $%d)", x, w);
		y = line(d, "ReshapeNode($%d, [%s%d, %d, %d])", y, rows, d->heads, d->group, d->head);
	} else {
		sprintf(shape, "%d, %d, %d, %d", d->heads, d->group, d->head, d->dim);
		w = source(d, shape);
		y = line(d, d->rows ? "EinsumNode(ti,hgji->thgj: $%d, $%d)" : "EinsumNode(i,hgji->hgj: $%d, $%d)", x, w);
	}
	if (d->rows)    /* one of the rows, or their sum */
		y = below(d, 2) ? line(d, "ViewNode([%s]: $%d[%d, i, j, k])", dims_of(d, HEADS, shape), y, below(d, d->rows))
			: line(d, "ReduceSumNode($%d, [0])", y);
	add_value(d, y, HEADS);
}

/* In place, or not in place along heads, along queries, or along what is in one. */
static void add_view(struct draw *d)
{
	const enum form form = any_form(d);
	const int x = any_of(d, form), n = form == HEADS ? d->head : d->context;
	char dims[64];

	if (!x)
		return;
	dims_of(d, form, dims);
	switch (below(d, 5)) {
	case 0: add_value(d, line(d, "ViewNode([%s]: $%d[%d - i, j, k])", dims, x, d->heads - 1), form); break;
	case 1: add_value(d, line(d, "ViewNode([%s]: $%d[i, %d - j, k])", dims, x, d->group - 1), form); break;
	case 2: add_value(d, line(d, "ViewNode([%s]: $%d[0, j, k])", dims, x), form); break;
	case 3:
		if (form != COUNTED)
			add_value(d, line(d, "ViewNode([%s]: $%d[i, j, %d - k])", dims, x, n - 1), form);
		break;
	default:
		if (form != COUNTED)
			add_value(d, line(d, "ReshapeNode($%d, [%d, %d, %d])", line(d, "ReshapeNode($%d, [%d])", x,
				d->heads * d->group * n), d->heads, d->group, n), form);
	}
}

static void add_pointwise(struct draw *d)
{
	const enum form form = any_form(d);
	const int x = any_of(d, form), y = any_of(d, form);

	if (!x)
		return;
	switch (below(d, 4)) {
	case 0: add_value(d, line(d, "TanhNode($%d)", x), form); break;
	case 1: add_value(d, line(d, "SoftmaxNode($%d)", x), form); break;
	case 2: add_value(d, line(d, "AddNode($%d, $%d)", x, y), form); break;
	default: add_value(d, line(d, "MaxNode($%d, $%d)", x, y), form);
	}
}

static void add_update(struct draw *d)
{
	const int i = below(d, d->n_state), x = any_of(d, HEADS);
	const int part = line(d, "ViewNode([i: %d, j: 1, k: %d]: $%d[i, %d, k])", d->heads, d->head, x, below(d, d->group));

	if (below(d, 4))
		d->state[i].now = line(d, "UpdateNode($%d, $%d, 0, $%d, 0)", d->state[i].now, part, d->position);
	else
		d->state[i].now = line(d, "UpdateNode($%d, $%d, 0, %d, 0)", d->state[i].now, part, below(d, d->context));
}

/* A product by heads with a state as it was, or as it is, or with weights; in place, or of other heads. */
static void add_by_heads(struct draw *d)
{
	const int i = below(d, d->n_state), x = any_of(d, HEADS);
	const enum form form = below(d, 2) ? SCORES : COUNTED;
	const int s = any_of(d, form);
	int state = below(d, 3) ? d->state[i].now : d->state[i].id;
	char shape[64];

	if (form == COUNTED || !below(d, 4)) {
		const bool mirrored = !below(d, 4);

		if (form == COUNTED)
			sprintf(shape, "$%d + 1 <= %d", d->position, d->context);
		else
			sprintf(shape, "%d", d->context);
		state = line(d, mirrored ? "ViewNode([i: %d, j: %s, k: %d]: $%d[%d - i, j, k])"
			: "ViewNode([i: %d, j: %s, k: %d]: $%d[i, j, k])", d->heads, shape, d->head, state, d->heads - 1);
	}
	switch (below(d, s ? 4 : 2)) {
	case 0: add_value(d, line(d, "EinsumNode(hge,hce->hgc: $%d, $%d)", x, state), form); break;
	case 1:
		sprintf(shape, "%d, %d, %d", d->heads, d->head, d->head);
		add_value(d, line(d, "EinsumNode(hge,hfe->hgf: $%d, $%d)", x, source(d, shape)), HEADS);
		break;
	case 2: add_value(d, line(d, "EinsumNode(hgc,hce->hge: $%d, $%d)", s, state), HEADS); break;
	default:
		add_value(d, line(d, "EinsumNode(hgc,hce->hge: $%d, $%d)", line(d, "SoftmaxNode($%d)", s), state), HEADS);
	}
}

/* Of all heads: nothing of it is in place. */
static void add_mixed(struct draw *d)
{
	const int x = any_of(d, HEADS), n = d->heads * d->group * d->head;
	char shape[64];

	sprintf(shape, "%d, %d", n, n);
	const int w = source(d, shape);
	add_value(d, line(d, "ReshapeNode($%d, [%d, %d, %d])", line(d, "EinsumNode(i,ji->j: $%d, $%d)", line(d,
		"ReshapeNode($%d, [%d])", x, n), w), d->heads, d->group, d->head), HEADS);
}

static void draw_script(struct draw *d)
{
	static void (*const add[])(struct draw *) = { add_view, add_pointwise, add_update, add_update, add_by_heads,
		add_by_heads, add_by_heads, add_mixed };
	char shape[64];

	d->heads = 2 + below(d, 4);
	d->group = below(d, 2) ? 1 : 1 + below(d, 4);
	d->head = 8 * (1 + below(d, 5));
	d->dim = 32 * (1 + below(d, 3));
	d->context = 8 * (2 + below(d, 12));
	d->rows = below(d, 2) ? 0 : 1 + below(d, 8);
	line(d, "InputTensor(position, int64, [1])");
	d->position = line(d, "ScalarNode($1, 0, %d)", d->context - 1);
	for (d->n_state = 0; d->n_state < 2; d->n_state++) {
		const int id = line(d, "BufferTensor(s%d, float32, [%d, %d, %d])", d->n_state, d->heads, d->context, d->head);

		d->state[d->n_state].id = d->state[d->n_state].now = id;
	}
	if (d->rows)
		sprintf(shape, "%d, %d", d->rows, d->dim);
	else
		sprintf(shape, "%d", d->dim);
	int x = line(d, "InputTensor(x, float32, [%s])", shape);
	if (below(d, 2))
		x = line(d, "TanhNode($%d)", x);
	for (int i = 0, n = 1 + below(d, 4); i < n; i++)
		add_projection(d, x);
	for (int i = 0, n = below(d, 10); i < n; i++)
		add[below(d, (int)(sizeof add / sizeof *add))](d);
	if (below(d, 4) == 0)
		add_projection(d, x);
	for (int i = 0; i < d->n_state; i++)
		if (d->state[i].now != d->state[i].id)
			fprintf(d->to, "set $%d = $%d;\n", d->state[i].id, d->state[i].now);
	for (int i = 0; i < d->n_value; i++)
		if (i + 1 == d->n_value || below(d, 3) == 0)
			fprintf(d->to, "result r%d = $%d;\n", i, d->value[i].id);
}

/* ---- trees ---- */

struct with { const struct lt_target *target; int *joined; };

/* Sums that stand in one nest, whose outermost loop threads share. */
static int count_joined(const struct lt_looptree *t)
{
	int joined = 0;

	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next) {
		int sums = 0;

		for (lt_node n = 0; n < t->graph->n_node; n++)
			if (t->leaf_of[n] >= 0 && t->graph->node[n].reduce && t->node[root].loop == LT_PARALLEL) {
				lt_tnode at = t->leaf_of[n];

				while (t->node[at].parent >= 0)
					at = t->node[at].parent;
				sums += at == root;
			}
		joined += sums > 1;
	}
	return joined;
}

static lt_status compile_for(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	const struct with *w = user;
	struct lt_graph *live, *lowered;
	struct lt_looptree *tree = NULL;

	*out = NULL;
	LT_TRY(lt__passes_run(g, NULL, NULL, &live));
	lt_status st = lt__materialize(live, &lowered);
	lt_graph_free(live);
	if (!st)
		st = lt_looptree_auto(lowered, w->target, &tree);
	if (!st)
		*w->joined += count_joined(tree);
	if (!st && (st = lt_looptree_verify(tree)))
		lt_looptree_free(tree);
	return st ? st : lt__compile_tree(g->ctx, g, lowered, tree, options, out);
}

static void random_joins(uint64_t first, uint64_t count, const char *backends)
{
	int joined = 0;

	first = must_number("LT_SEED", first);
	count = must_draws("LT_GRAPHS", count);
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct draw d = { .rng = seed * 7919 + 1 };
		struct lt_target target;
		struct lt_context *ctx;
		struct lt_graph *g;
		struct run_want want;
		struct run_tally tally = { 0 };
		char why[800] = "", *text = NULL;
		size_t bytes;

		d.to = open_memstream(&text, &bytes);
		draw_script(&d);
		fclose(d.to);
		random_target(seed, &target);
		target.cores = target.cores < 2 ? 2 : target.cores;
		target.l1_bytes = 32 << 10;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_assert_eq(lt_parse(ctx, text, bytes, "random", NULL, &g), LT_OK, "%s%s", text, lt_context_message(ctx));
		struct with w = { &target, &joined };
		run_want_new(g, 3, random_product_fill, g, &want);
		cr_assert_eq(want.status, LT_OK, "seed %llu: %s", (unsigned long long)seed, want.message);
		if (!run_compare(&want, g, &(struct run_config){ backends, false, compile_for, &w }, NULL, NULL, &tally, why,
			sizeof why))
			cr_assert_fail("seed %llu: %s\n%s", (unsigned long long)seed, why, text);
		run_want_free(&want);
		lt_graph_free(g);
		lt_context_free(ctx);
		free(text);
	}
	fprintf(stderr, "%llu graphs, %d joined nests\n", (unsigned long long)count, joined);
	cr_assert(count < 50 || joined > (int)count / 10, "%d joined nests of %llu graphs", joined, (unsigned long long)count);
}

Test(join, random_graphs_are_legal_and_right_on_ref) { random_joins(1, 150, "ref"); }
Test(join, random_graphs_are_right_on_threads) { random_joins(10001, 12, "cpu:O0"); }
Test(join, random_graphs_share_nothing_that_one_writes) { random_joins(20001, 25, "sim"); }

/* A sum over the rows in the blocks of its product, the last of which is cut off: were it refused, no nest of the graph
 * would be joined. */
Test(join, a_block_that_is_cut_off)
{
	static const char script[] = "$1 = InputTensor(x, float32, [4, 32]);\n$2 = InputTensor(w, float32, [32, 480]);\n"
		"$3 = EinsumNode(ti,ij->tj: $1, $2);\n$4 = ReduceSumNode($3, [0]);\nresult = $4;\n";
	const struct lt_target target = { .size = sizeof target, .name = "test", .vector_bytes = 64, .vector_registers = 32,
		.cores = 3, .cache_line = 64, .l1_bytes = 32 << 10, .l2_bytes = 1 << 18 };
	struct run_tally tally = { 0 };
	struct lt_context *ctx;
	struct run_want want;
	struct lt_graph *g;
	char why[800] = "";
	int joined = 0;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, script, sizeof script - 1, "script", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	run_want_new(g, 2, random_product_fill, g, &want);
	cr_assert(run_compare(&want, g, &(struct run_config){ "ref", false, compile_for, &(struct with){ &target, &joined } },
		NULL, NULL, &tally, why, sizeof why), "%s", why);
	cr_expect_gt(joined, 0);
	run_want_free(&want);
	lt_graph_free(g);
	lt_context_free(ctx);
}
