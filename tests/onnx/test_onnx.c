/* test_onnx.c -- models of ONNX: what they give is what onnx's own reference evaluator gives, and what
 * cannot
 * be converted is refused with its sentence. */
#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "tests/onnx/cases.h"

static struct lt_context *ctx;
static struct onnx_cases cases;

static void set_up(void)
{
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	onnx_cases_read(ctx, &cases);
}

static void tear_down(void)
{
	onnx_cases_free(&cases);
	lt_context_free(ctx);
}

TestSuite(onnx, .init = set_up, .fini = tear_down, .timeout = 300);

/* Run-time extents are those of the tensors that are given: each dim of a bounded input. */
static int64_t extent_named(const struct onnx_given *one, const struct lt_graph *g, const char *name)
{
	for (int i = 0; i < one->n_in; i++)
		for (lt_node n = 0; n < g->n_node; n++) {
			const struct lt_nodedef *d = &g->node[n];
			bool this = d->op == LT_OP_input && !strcmp(d->label, onnx_case_tensor(one->in[i]));
			for (int32_t k = 0; this && k < d->n_dim; k++) {
				const struct lt_vardef *v = &g->var[d->dim[k]];
				if (v->bounded && v->limit.n == 1
				    && !strcmp(g->node[g->param[v->limit.param[0]].source].label, name))
					return one->in[i]->shape[k];
			}
		}
	cr_assert_fail("nothing is given for '%s'", name);
	return 0;
}

/* The tensor of that name, spread over the program's room for it; the caller frees it. */
static void *input_for(
	const struct onnx_given *one, const struct lt_graph *g, const struct lt_program *p, int32_t input)
{
	const char *name = lt_program_name(p, LT_BINDING_INPUT, input);
	char *room = calloc(1, lt_program_bytes(p, LT_BINDING_INPUT, input) + 8);
	for (int i = 0; i < one->n_in; i++) {
		const struct lt_tensor *t = one->in[i];
		if (strcmp(onnx_case_tensor(t), name))
			continue;
		const size_t size = lt_dtype_bytes(t->dtype);
		for (size_t from = 0; from * size < t->bytes; from++) {
			size_t left = from, at = 0, step = 1;
			for (int32_t d = t->rank - 1; d >= 0; d--) {
				at += left % (size_t)t->shape[d] * step;
				left /= (size_t)t->shape[d];
				step *= (size_t)lt_program_extent(p, LT_BINDING_INPUT, input, d);
			}
			memcpy(room + at * size, (const char *)t->data + from * size, size);
		}
		return room;
	}
	*(int64_t *)(void *)room = extent_named(one, g, name);
	return room;
}

static bool is_close(double got, double want, enum lt_dtype t)
{
	if (isnan(want) || isinf(want) || lt__dtype_info(t)->cls != LT_CLASS_FLOAT)
		return isnan(want) ? isnan(got) : got == want;
	const double part = t == LT_F16 ? 2e-3 : t == LT_F64 ? 1e-12 : 2e-5;
	return fabs(got - want) <= (t == LT_F64 ? 1e-15 : 1e-6) + part * fabs(want);
}

static double as_double(const void *data, int64_t i, enum lt_dtype t)
{
	return lt__convert(lt__load(data, i, t), t, LT_F64).f;
}

static void compare(const struct onnx_case *one, const struct lt_program *p, const struct lt_instance *run, int32_t i,
	const struct lt_tensor *want, const void *got)
{
	int64_t at[8] = { 0 };
	cr_assert_eq(lt_program_dtype(p, LT_BINDING_RESULT, i), want->dtype, "%s: the type of %s", one->name, want->name);
	cr_assert_eq(lt_program_rank(p, LT_BINDING_RESULT, i), want->rank, "%s: the rank of %s", one->name, want->name);
	for (int32_t d = 0; d < want->rank; d++)
		cr_assert_eq(lt_instance_extent(run, i, d), want->shape[d], "%s: axis %d of %s", one->name, d, want->name);
	for (size_t k = 0; k * lt_dtype_bytes(want->dtype) < want->bytes; k++) {
		int64_t place = 0;
		size_t left = k;
		for (int32_t d = want->rank - 1; d >= 0; d--) {
			at[d] = (int64_t)(left % (size_t)want->shape[d]);
			left /= (size_t)want->shape[d];
		}
		for (int32_t d = 0; d < want->rank; d++)
			place = place * lt_program_extent(p, LT_BINDING_RESULT, i, d) + at[d];
		double x = as_double(got, place, want->dtype), y = as_double(want->data, (int64_t)k, want->dtype);
		cr_assert(is_close(x, y, want->dtype), "%s: element %zu of %s is %g, not %g", one->name, k, want->name, x, y);
	}
}

static void run_given(const struct onnx_case *one, const struct onnx_given *given, const struct lt_program *p,
	struct lt_instance *run, const void *const *input)
{
	void *result[ONNX_MAX_GIVEN] = { 0 };
	cr_assert_eq(lt_program_count(p, LT_BINDING_RESULT), given->n_out, "%s", one->name);
	for (int32_t i = 0; i < given->n_out; i++)
		result[i] = malloc(lt_program_bytes(p, LT_BINDING_RESULT, i) + 1);
	cr_assert_eq(lt_instance_run(run, input, result), LT_OK, "%s: %s", one->name, lt_instance_message(run));
	for (int32_t i = 0; i < given->n_out; i++) {
		int32_t at = lt_program_find(p, LT_BINDING_RESULT, onnx_case_tensor(given->out[i]));
		cr_assert_geq(at, 0, "%s has no result %s", one->name, given->out[i]->name);
		compare(one, p, run, at, given->out[i], result[at]);
	}
	for (int32_t i = 0; i < given->n_out; i++)
		free(result[i]);
}

/* All runs of one program. */
static void run_case(const struct onnx_case *one)
{
	const struct lt_options options = { .size = sizeof options, .backends = "ref", .n_thread = 1 };
	const void *input[ONNX_MAX_RUNS][ONNX_MAX_GIVEN] = { 0 };
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *run;
	cr_assert_eq(onnx_case_parse(ctx, one, one->model->data, one->model->bytes, &g), LT_OK, "%s: %s", one->name,
		lt_context_message(ctx));
	cr_assert_eq(lt_graph_verify(g), LT_OK, "%s: %s", one->name, lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s: %s", one->name, lt_context_message(ctx));
	cr_assert_eq(lt_instance_new(p, &run), LT_OK, "%s: %s", one->name, lt_instance_message(run));
	for (int k = 0; k < one->n_run; k++)
		for (int32_t i = 0; i < lt_program_count(p, LT_BINDING_INPUT); i++)
			input[k][i] = input_for(&one->run[k], g, p, i);
	/* What the program needs of the model it has by itself. */
	lt_graph_free(g);
	for (int k = 0; k < one->n_run; k++)
		run_given(one, &one->run[k], p, run, input[k]);
	for (int k = 0; k < one->n_run; k++)
		for (int32_t i = 0; i < ONNX_MAX_GIVEN; i++)
			free((void *)(uintptr_t)input[k][i]);
	lt_instance_free(run);
	lt_program_free(p);
}

Test(onnx, each_model_gives_what_the_reference_gives)
{
	for (int i = 0; i < cases.n; i++)
		if (!cases.at[i].error)
			run_case(&cases.at[i]);
}

Test(onnx, what_cannot_be_converted_is_refused_with_its_sentence)
{
	for (int i = 0; i < cases.n; i++) {
		const struct onnx_case *one = &cases.at[i];
		struct lt_graph *g;
		char part[1000] = "";
		if (!one->error)
			continue;
		memcpy(part, one->error->data, one->error->bytes);
		cr_assert_neq(onnx_case_parse(ctx, one, one->model->data, one->model->bytes, &g), LT_OK, "%s", one->name);
		cr_assert_null(g);
		cr_assert(strstr(lt_context_message(ctx), part), "%s: %s\nlacks: %s", one->name, lt_context_message(ctx), part);
	}
}

/* Cut off anywhere, or with a byte changed, a model is refused or another model: nothing else. */
Test(onnx, a_damaged_model_is_refused_or_another_one)
{
	uint32_t random = 1;
	for (int i = 0; i < cases.n; i += 3) {
		const struct onnx_case *one = &cases.at[i];
		struct lt_graph *g;
		for (size_t k = 0; k < 40; k++) {
			size_t bytes = one->model->bytes * k / 40;
			if (onnx_case_parse(ctx, one, one->model->data, bytes, &g))
				cr_assert_gt(strlen(lt_context_message(ctx)), 0, "%s", one->name);
			lt_graph_free(g);
		}
		for (int k = 0; k < 60; k++) {
			unsigned char *copy = malloc(one->model->bytes);
			memcpy(copy, one->model->data, one->model->bytes);
			random = random * 1103515245u + 12345u;
			copy[(random >> 8) % one->model->bytes] ^= (unsigned char)(1u << (random >> 28) % 8);
			if (onnx_case_parse(ctx, one, copy, one->model->bytes, &g))
				cr_assert_gt(strlen(lt_context_message(ctx)), 0, "%s", one->name);
			else
				cr_assert_eq(lt_graph_verify(g), LT_OK, "%s: %s", one->name, lt_context_message(ctx));
			lt_graph_free(g);
			free(copy);
		}
	}
}

/* Every allocation fails once: LT_ENOMEM, and all is given back. */
struct counted { int64_t left, held; };

static void *count_alloc(void *user, void *at, size_t old, size_t bytes)
{
	struct counted *c = user;
	if (bytes && c->left-- == 0)
		return NULL;
	void *now = bytes ? realloc(at, bytes) : (free(at), NULL);
	if (!bytes || now)
		c->held += (int64_t)bytes - (int64_t)old;
	return now;
}

static bool parse_with_memory(const struct onnx_case *one, int64_t n)
{
	struct counted count = { n, 0 };
	struct lt_context *own;
	struct lt_graph *g = NULL;
	lt_status st = lt_context_new_with(count_alloc, &count, &own);
	if (st)
		return false;
	st = onnx_case_parse(own, one, one->model->data, one->model->bytes, &g);
	cr_assert(st == LT_OK || st == LT_ENOMEM, "%s, allocation %lld: %s", one->name, (long long)n, lt_context_message(own));
	lt_graph_free(g);
	lt_context_free(own);
	cr_assert_eq(count.held, 0, "%s, allocation %lld: %lld bytes are lost", one->name, (long long)n,
		(long long)count.held);
	return st == LT_OK;
}

Test(onnx, memory_that_runs_out_is_reported_and_nothing_is_lost)
{
	static const char *const names[] = { "conv", "shape_computed", "loop", "function", "run_time_range", "gru",
		"packed_INT4", "qlinear_conv", "split_numbers", "sums" };
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		for (int i = 0; i < cases.n; i++) {
			int64_t n = 0;
			if (strcmp(cases.at[i].name, names[k]))
				continue;
			while (!parse_with_memory(&cases.at[i], n))
				n++;
			cr_assert_gt(n, 3, "%s", names[k]);
		}
}

/* Extents that differ from run to run are refused where all runs have to have the same; a caller whose struct ends
 * before that asks for nothing. */
Test(onnx, extents_may_have_to_be_fixed)
{
	int seen = 0;
	for (int i = 0; i < cases.n; i++) {
		const struct onnx_case *c = &cases.at[i];
		struct lt_parse_options o = { .size = sizeof o, .dim = c->dim, .n_dim = (uint32_t)c->n_dim, .fixed = c->fixed,
			.n_fixed = (uint32_t)c->n_fixed, .fixed_extents = 1 };
		struct lt_graph *g = NULL;
		bool open = false;
		for (int32_t k = 0; k < c->n_dim; k++)
			open = open || strstr(c->dim[k], "..");
		if (!open || c->error)
			continue;
		seen++;
		cr_assert_eq(lt_parse_with(ctx, c->model->data, c->model->bytes, c->name, "onnx", &o, &g), LT_EUNSUPPORTED, "%s",
			c->name);
		cr_assert(strstr(lt_context_message(ctx), ": all runs have to have the same extents here: --dim "), "%s",
			lt_context_message(ctx));
		lt_context_clear(ctx);
		o.size = offsetof(struct lt_parse_options, fixed_extents);
		cr_assert_eq(lt_parse_with(ctx, c->model->data, c->model->bytes, c->name, "onnx", &o, &g), LT_OK, "%s: %s", c->name,
			lt_context_message(ctx));
		lt_graph_free(g);
	}
	cr_assert_gt(seen, 0);
}

Test(onnx, a_frontend_without_options_refuses_them)
{
	const char *dim = "n=3";
	const struct lt_parse_options options = { .size = sizeof options, .dim = &dim, .n_dim = 1 };
	struct lt_graph *g;
	cr_assert_eq(lt_parse_with(ctx, "graph 1\n", 8, "x", NULL, &options, &g), LT_EINVAL);
	cr_assert_str_eq(lt_context_message(ctx),
		"x: dimensions of a text for the frontend 'graph' cannot be set: its text says what they are, and "
		"is changed instead");
}
