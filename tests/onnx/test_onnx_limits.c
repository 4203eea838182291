/* test_onnx_limits.c -- attributes and constants at the limits of their types are refused where they are read, and
 * small models that ask for large tables, or never end, by a budget: each with its sentence. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/onnx/onnx.pb-c.h"
#include "ir/graph/graph.h"
#include "tests/onnx/cases.h"

static char bytes[1 << 16];

static size_t read_file(const char *folder, const char *name)
{
	char path[200];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *from = fopen(path, "rb");
	cr_assert_not_null(from, "%s", path);
	const size_t n = fread(bytes, 1, sizeof bytes, from);
	(void)fclose(from);
	return n;
}

Test(onnx_limits, files_that_ended_it_or_took_long, .timeout = 60)
{
	static const struct { const char *file; lt_status status; const char *says; } cases[] = {
		{ "col2im-fpe.onnx", LT_EUNSUPPORTED, "node of 'y' (Col2Im): 1 blocks of" },
		{ "slice-of-scalar.onnx", LT_EUNSUPPORTED, "is outside of a value of rank 0" },
		{ "causal-conv-state.onnx", LT_EUNSUPPORTED, "a state [] for 4 taps" },
		{ "large-resize.onnx", LT_EBUDGET, "reading large-resize.onnx: node of 'y' (Resize): 1342177" },
		{ "large-pad.onnx", LT_EBUDGET, "node of 'v3' (Pad): 268435459 elements are computed for shapes, places and "
			"tables, and at most 33554432 may be: --budget elements=N allows more" },
		{ "large-window.onnx", LT_EBUDGET, "node of 'w' (HannWindow): 40000001 elements are computed for shapes" },
		{ "loop-without-end.onnx", LT_EUNSUPPORTED, "node of 'v' (Loop): it has more than 20000 iterations" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		const size_t n = read_file("tests/fuzz/corpus/onnx", cases[i].file);
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		cr_expect_eq(lt_parse(ctx, bytes, n, cases[i].file, "onnx", &g), cases[i].status, "%s: %s", cases[i].file,
			lt_context_message(ctx));
		cr_expect(strstr(lt_context_message(ctx), cases[i].says), "%s", lt_context_message(ctx));
		cr_expect_null(g);
		lt_context_free(ctx);
	}
}

/* A case's first node has an attribute of that name, whose first number becomes `value`; the answer's sentence. */
static lt_status with_value(struct lt_context *ctx, const struct onnx_case *one, const char *name, int64_t value)
{
	Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, one->model->bytes, one->model->data);
	struct lt_graph *g;
	cr_assert_not_null(m);
	for (size_t i = 0; i < m->graph->node[0]->n_attribute; i++) {
		Onnx__AttributeProto *a = m->graph->node[0]->attribute[i];
		if (strcmp(a->name, name))
			continue;
		if (a->n_ints)
			a->ints[0] = value;
		else
			a->i = value;
	}
	const size_t n = onnx__model_proto__pack(m, (uint8_t *)bytes);
	onnx__model_proto__free_unpacked(m, NULL);
	lt_status st = onnx_case_parse(ctx, one, bytes, n, &g);
	lt_graph_free(g);
	return st;
}

static bool has_attribute(const struct onnx_case *one, const char *operator, const char *name)
{
	Onnx__ModelProto *m = one->model && one->model->bytes < sizeof bytes && !one->error
		? onnx__model_proto__unpack(NULL, one->model->bytes, one->model->data) : NULL;
	bool has = false;
	if (!m)
		return false;
	if (m->graph && m->graph->n_node && !strcmp(m->graph->node[0]->op_type, operator))
		for (size_t i = 0; i < m->graph->node[0]->n_attribute; i++)
			has = has || !strcmp(m->graph->node[0]->attribute[i]->name, name);
	onnx__model_proto__free_unpacked(m, NULL);
	return has;
}

Test(onnx_limits, attributes_have_ranges, .timeout = 60)
{
	static const struct { const char *operator, *attribute; int64_t low, high; } ranges[] = {
		{ "Conv", "strides", 1, 1 << 22 }, { "Conv", "dilations", 1, 1 << 22 }, { "MaxPool", "kernel_shape", 1, 1 << 22 },
		{ "Conv", "group", 1, INT32_MAX }, { "MaxPool", "strides", 1, 1 << 22 },
		{ "Softmax", "axis", -(INT64_C(1) << 40), INT64_C(1) << 40 },
		{ "DepthToSpace", "blocksize", 1, INT32_MAX },
	};
	struct onnx_cases *all = calloc(1, sizeof *all);
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	onnx_cases_read(ctx, all);
	for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
		const int64_t beyond[] = { INT64_MIN, ranges[k].low - 1, ranges[k].high + 1, INT64_C(1) << 62, INT64_MAX };
		int i = 0;
		char says[200];
		while (i < all->n && !has_attribute(&all->at[i], ranges[k].operator, ranges[k].attribute))
			i++;
		cr_expect_lt(i, all->n, "no case of %s has %s", ranges[k].operator, ranges[k].attribute);
		for (size_t b = 0; i < all->n && b < sizeof beyond / sizeof *beyond; b++) {
			(void)snprintf(says, sizeof says, "attribute '%s' has %lld: %lld to %lld is expected", ranges[k].attribute,
				(long long)beyond[b], (long long)ranges[k].low, (long long)ranges[k].high);
			cr_expect_neq(with_value(ctx, &all->at[i], ranges[k].attribute, beyond[b]), LT_OK);
			cr_expect(strstr(lt_context_message(ctx), says), "%s", lt_context_message(ctx));
		}
	}
	onnx_cases_free(all);
	lt_context_free(ctx);
	free(all);
}

Test(onnx_limits, a_budget_is_raised, .timeout = 60)
{
	struct onnx_cases *all = calloc(1, sizeof *all);
	struct lt_context *ctx;
	struct lt_graph *g;
	int n = 0;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	onnx_cases_read(ctx, all);
	for (int i = 0; i < all->n; i++) {
		const struct onnx_case *one = &all->at[i];
		if (!has_attribute(one, "Resize", "mode"))
			continue;
		lt_context_budget(ctx, LT_BUDGET_ELEMENTS, 5);
		cr_expect_eq(onnx_case_parse(ctx, one, one->model->data, one->model->bytes, &g), LT_EBUDGET, "%s: %s", one->name,
			lt_context_message(ctx));
		cr_expect(strstr(lt_context_message(ctx), "(Resize): "), "%s", lt_context_message(ctx));
		lt_context_budget(ctx, LT_BUDGET_ELEMENTS, 0);
		cr_expect_eq(onnx_case_parse(ctx, one, one->model->data, one->model->bytes, &g), LT_OK, "%s: %s", one->name,
			lt_context_message(ctx));
		lt_graph_free(g);
		n++;
	}
	cr_expect_gt(n, 3);
	onnx_cases_free(all);
	lt_context_free(ctx);
	free(all);
}

/* 120 times s = a + b; y = Reshape(y, s): what finding one of the shapes takes does not grow with the model.  Counted
 * are two for each node that a shape depends on, which are three, and the elements of the contents and of the shape. */
Test(onnx_limits, a_shape_takes_what_it_depends_on, .timeout = 60)
{
	enum { SHAPES = 120, NODES = 3, ELEMENTS = 2 };
	const size_t n = read_file("tests/onnx", "shapes.onnx");
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	lt_context_budget(ctx, LT_BUDGET_ELEMENTS, SHAPES * (2 * NODES + (NODES + 1) * ELEMENTS));
	cr_assert_eq(lt_parse(ctx, bytes, n, "shapes.onnx", "onnx", &g), LT_OK, "%s", lt_context_message(ctx));
	const struct lt_nodedef *y = &g->node[g->result[0].node];
	cr_assert_eq(y->n_dim, 2);
	cr_expect_eq(g->var[y->dim[0]].extent, 2);
	cr_expect_eq(g->var[y->dim[1]].extent, 3);
	lt_graph_free(g);
	lt_context_free(ctx);
}
