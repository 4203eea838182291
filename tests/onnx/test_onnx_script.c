/* test_onnx_script.c -- every model of the cases as a script: read back it is the same model. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "ir/graph/graph.h"
#include "tests/onnx/cases.h"
#include "tests/printed.h"

enum { LARGEST = 100000 };      /* elements of a node of a model that is evaluated */

Test(onnx_script, every_model, .timeout = 240)
{
	struct onnx_cases *all = calloc(1, sizeof *all);
	struct printed_tally tally = { 0 };
	struct lt_context *ctx;
	int n = 0;
	lt_context_new(&ctx);
	onnx_cases_read(ctx, all);
	for (int i = 0; i < all->n; i++) {
		const struct onnx_case *one = &all->at[i];
		struct lt_graph *g;
		bool small = true;
		if (onnx_case_parse(ctx, one, one->model->data, one->model->bytes, &g))
			continue;
		for (lt_node x = 0; x < g->n_node; x++)
			small = small && lt__node_elems(g, x) < LARGEST;
		printed_check(ctx, g, one->name, 1, NULL, small ? 2 : 0, &tally);
		lt_graph_free(g);
		n++;
	}
	cr_expect(n > 100 && tally.computed > n, "%d models, %d runs", n, tally.computed);
	cr_expect(tally.settled <= n / 50, "the second text of %d models was not the first", tally.settled);
	onnx_cases_free(all);
	lt_context_free(ctx);
	free(all);
}
