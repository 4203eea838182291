/* test_hamkaas.c -- libhamkaas.so through its C interface: results, names, what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "lt/lt.h"
#include "tests/built.h"
#include "tests/hamkaas_library.h"

_Static_assert(sizeof(struct TInitializationResult) == 2 * sizeof(void *), "");
_Static_assert(offsetof(struct TInitializationResult, ErrorMessage) == sizeof(void *), "");
_Static_assert(
	sizeof(struct TNamedTensor) == 2 * sizeof(void *) && offsetof(struct TNamedTensor, Data) == sizeof(void *), "");
_Static_assert(sizeof(struct TCompilationOptions) == 2 && offsetof(struct TCompilationOptions, UseCudnn) == 1, "");
_Static_assert(sizeof(struct TCompilationResult) == 2 * sizeof(void *), "");

TestSuite(hamkaas, .init = hamkaas_set_up, .fini = scratch_remove, .timeout = 120);

/* A normalised row, scores, their softmax: numbers that are not exact, before the judge of lt-run --verify. */
static const char inexact[] =
	"$1 = InputTensor(x, float32, [48]); $2 = ConstantTensor(norm, float32, [48]); $3 = RMSNormNode($1, $2);\n"
	"$4 = ConstantTensor(w, float32, [48, 40]); $5 = MatMulNode($3, $4); $6 = SiLUNode($5); $7 = "
	"InputTensor(prefix, int64, [1]);\n"
	"$8 = SlicedSoftmaxNode($6, $7); result = $8;\n";

Test(hamkaas, results_stand_before_the_judge)
{
	void *handle = hamkaas_initialize();
	float x[48], norm[48], w[48][40], got[40];
	int64_t prefix = 33;
	const struct TNamedTensor constants[] = { TENSOR("norm", norm), TENSOR("w", w) },
				  inputs[] = { TENSOR("x", x), TENSOR("prefix", &prefix) };
	struct lt_judge *judge;
	struct lt_context *ctx;
	struct lt_graph *g;
	uint32_t seed = 9;

	for (int i = 0; i < 48; i++) {
		x[i] = (float)(seed = seed * 1664525 + 1013904223) * 0x1p-32f - 0.5f;
		norm[i] = (float)(seed = seed * 1664525 + 1013904223) * 0x1p-32f + 0.5f;
		for (int k = 0; k < 40; k++)
			w[i][k] = (float)(seed = seed * 1664525 + 1013904223) * 0x1p-31f - 1;
	}
	const void *model = hamkaas_compile(handle, inexact, constants, 2);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, inexact, sizeof inexact - 1, "inexact", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	const void **source = calloc((size_t)g->n_node, sizeof *source);
	for (lt_node n = 0; n < g->n_node; n++) {
		const char *label = g->node[n].label;
		source[n] = !label ? NULL : !strcmp(label, "x") ? (const void *)x : !strcmp(label, "w") ? (const void *)w
			: !strcmp(label, "norm") ? (const void *)norm : &prefix;
	}
	cr_assert_eq(lt__judge_new(g, source, NULL, &judge), LT_OK, "%s", lt_context_message(ctx));
	hamkaas_evaluate(handle, model, inputs, 2, got);
	for (int wrong = 0; wrong < 2; wrong++) {
		struct lt_report r = { 0 };
		got[7] *= wrong ? 1.001f : 1;
		cr_assert_eq(lt__judge_result(judge, 0, got, &r), LT_OK);
		cr_assert_eq(lt__report_failed(&r), wrong, "%s", r.first);
		cr_assert_eq(r.open, 0);
	}
	lt__judge_free(judge);
	free(source);
	lt_graph_free(g);
	lt_context_free(ctx);
	FreeModel(handle, model);
	Finalize(handle);
}

static const char sum[] =
	"$1 = InputTensor(x, float32, [2]); $2 = ConstantTensor(w, float32, [2]); $3 = SumNode($1, $2); result = $3;$4 "
	"= ConstantTensor(unused, float32, [7]); $5 = InputTensor(unread, float32, [7]); $6 = ReLUNode($5);";

Test(hamkaas, names)
{
	void *handle = hamkaas_initialize();
	float one[2] = { 1, 2 }, two[2] = { 10, 20 }, got[2];
	struct TNamedTensor list[] = { TENSOR("w", one), TENSOR("other", one), TENSOR("w", two) };
	const void *model = hamkaas_compile(handle, sum, list, 3);

	/* The last of two wins; what the script does not know is passed over; what it does not use need not be given. */
	hamkaas_evaluate(
		handle, model, (struct TNamedTensor[]){ TENSOR("x", two), TENSOR("y", NULL), TENSOR("x", one) }, 3, got);
	cr_assert(got[0] == 11 && got[1] == 22);
	hamkaas_evaluate(handle, model, (struct TNamedTensor[]){ TENSOR("x", one), TENSOR(NULL, two) }, 2, got);
	cr_assert(got[0] == 11 && got[1] == 22);
	hamkaas_expect(EvaluateModel(handle, model, NULL, 0, (char *)got), "Missing input 'x'");
	hamkaas_expect(EvaluateModel(handle, model, &TENSOR("X", one), 1, (char *)got), "Missing input 'x'");
	hamkaas_expect(EvaluateModel(handle, model, &TENSOR("x", NULL), 1, (char *)got), "Missing input 'x'");
	hamkaas_expect(EvaluateModel(handle, model, NULL, 1, (char *)got), "no list");
	hamkaas_expect(EvaluateModel(handle, model, list, -1, (char *)got), "no list");
	hamkaas_expect(EvaluateModel(handle, model, list, 1, NULL), "output");
	hamkaas_expect(EvaluateModel(handle, NULL, list, 1, (char *)got), "model is NULL");
	hamkaas_expect(EvaluateModel(NULL, model, list, 1, (char *)got), "handle is NULL");
	FreeModel(handle, model);
	FreeModel(handle, NULL);
	FreeModel(NULL, NULL);
	Finalize(handle);
	Finalize(NULL);
	FreeErrorMessage(NULL);
}

static const struct { const char *script; bool gpu, cudnn; int n; const char *says;
} refused[] = {
	{ sum, 0, 0, 0, "Missing constant 'w'" },
	{ sum, 0, 0, -1, "no list" },
	{ sum, 0, 0, 1, "no list" },
	{ sum, 1, 0, 0, "UseGpu: the backend 'cuda' is not " },         /* in this build, or usable on this machine */
	{ sum, 0, 1, 0, "UseCudnn: the backend 'cudnn' is not " },     /* the same */
	{ sum, 1, 1, 0, "UseGpu: " },
	{ NULL, 0, 0, 0, "The script is NULL" },
	{ "", 0, 0, 0, "script" },
	{ "$1 = InputTensor(x, float32, [2]);", 0, 0, 0, "result" },
	{ "$1 = InputTensor(x, float32, [2]);\n$1 = ReLUNode($1); result = $1;", 0, 0, 0, "script:2:1: " },
	{ "$1 = InputTensor(x, float32, [2]); $2 = InputTensor(y, float32, [3]);\n$3 = SumNode($1, $2); result = $3;",
		0, 0, 0, "script:2:" },
	{ "$1 = InputTensor(x, float32, [2, 3]);\n$2 = MulNode($1, $1); result = $2;", 0, 0, 0,
		"Incompatible shapes for matrix multiplication" },
	{ "$1 = NoSuchNode(); result = $1;", 0, 0, 0, "NoSuchNode" },
};

/* The user's list, not the default: a backend that is not there is named. */
Test(hamkaas, backends_that_the_user_names)
{
	static const char script[] = "$1 = InputTensor(x, float32, [4]); $2 = ReLUNode($1); result = $2;";
	static const char *const lists[] = { "cpu", "", "nobody" };
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(setenv("HAMKAAS_BACKENDS", lists[i], 1), 0);
		void *handle = hamkaas_initialize();
		struct TCompilationResult r = CompileModel(handle, (struct TCompilationOptions){ 0, 0 }, script, NULL, 0);
		cr_expect_eq(r.Model != NULL, i < 2, "%s: %s", lists[i], r.ErrorMessage ? r.ErrorMessage : "");
		if (r.Model)
			FreeModel(handle, r.Model);
		else
			hamkaas_expect(r.ErrorMessage, "nobody");
		Finalize(handle);
	}
	(void)unsetenv("HAMKAAS_BACKENDS");
}

/* UseGpu takes the list of HAMKAAS_GPU: here devices that every machine has. */
Test(hamkaas, the_device_that_the_user_names)
{
	static const struct { const char *list, *says; } cases[] = { { "sim:lanes=8/masked", NULL }, { "ref", NULL },
		{ "nobody", "UseGpu: the backend 'nobody' is not in this build; compile without UseGpu" },
		{ "ref:tf32,cpu", "UseGpu: the backend 'ref' is not usable on this machine: unknown option 'tf32'" } };
	float x[2] = { 1, 2 }, w[2] = { 10, 20 }, got[2];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_eq(setenv("HAMKAAS_GPU", cases[i].list, 1), 0);
		void *handle = hamkaas_initialize();
		struct TCompilationResult r =
			CompileModel(handle, (struct TCompilationOptions){ 1, 0 }, sum, &TENSOR("w", w), 1);
		cr_assert_eq(r.Model == NULL, cases[i].says != NULL, "%s", r.ErrorMessage ? r.ErrorMessage : "");
		if (cases[i].says) {
			hamkaas_expect(r.ErrorMessage, cases[i].says);
		} else {
			hamkaas_evaluate(handle, r.Model, &TENSOR("x", x), 1, got);
			cr_assert(got[0] == 11 && got[1] == 22);
			FreeModel(handle, r.Model);
		}
		Finalize(handle);
	}
	(void)unsetenv("HAMKAAS_GPU");
}

Test(hamkaas, compilations_that_fail)
{
	void *handle = hamkaas_initialize();
	struct TCompilationResult r;

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const struct lt_backend *cuda = refused[i].gpu || refused[i].cudnn ? lt_backend_find("cuda") : NULL;
		if (cuda && cuda->score(NULL, NULL) > 0)
			continue;                               /* there is a device */
		r = CompileModel(handle, (struct TCompilationOptions){ refused[i].gpu, refused[i].cudnn },
			refused[i].script, NULL, refused[i].n);
		cr_assert_null(r.Model);
		hamkaas_expect(r.ErrorMessage, refused[i].says);
	}
	r = CompileModel(handle, (struct TCompilationOptions){ 0, 0 }, sum, &TENSOR("w", NULL), 1);
	hamkaas_expect(r.ErrorMessage, "Missing constant 'w'");
	r = CompileModel(NULL, (struct TCompilationOptions){ 0, 0 }, sum, NULL, 0);
	hamkaas_expect(r.ErrorMessage, "handle is NULL");
	Finalize(handle);
}

/* A result whose length is a run-time value is written without gaps, and no further than it goes. */
Test(hamkaas, a_result_of_run_time_length)
{
	void *handle = hamkaas_initialize();
	const void *model = hamkaas_compile(handle, "$1 = InputTensor(x, float32, [4, 3]); $2 = InputTensor(b, int64, [1]);"
		"$3 = InputTensor(e, int64, [1]); $4 = SliceNode($1, $2, $3); $5 = PermuteNode($4, [1, 0]); result = $5;", NULL, 0);
	float x[12], got[12];
	int64_t b = 1, e = 3;

	for (int i = 0; i < 12; i++)
		x[i] = (float)i;
	memset(got, 0xff, sizeof got);
	hamkaas_evaluate(handle, model, (struct TNamedTensor[]){ TENSOR("x", x), TENSOR("b", &b), TENSOR("e", &e) }, 3, got);
	for (int i = 0; i < 6; i++)
		cr_assert_eq(got[i], x[3 * (1 + i % 2) + i / 2], "element %d is %g", i, (double)got[i]);
	cr_assert(isnan(got[6]));
	FreeModel(handle, model);
	Finalize(handle);
}

Test(hamkaas, further_results_are_not_in_the_way)
{
	void *handle = hamkaas_initialize();
	const void *model = hamkaas_compile(handle,
		"$1 = InputTensor(x, float32, [2]); $2 = SumNode($1, $1); result twice = $2; $3 = SumNode($2, "
		"$1);result = $3; $4 = SumNode($3, $1); result fourfold = $4;",
		NULL, 0);
	float x[2] = { 1, -2 }, got[3] = { 0, 0, 77 };

	hamkaas_evaluate(handle, model, &TENSOR("x", x), 1, got);
	cr_assert(got[0] == 3 && got[1] == -6 && got[2] == 77);
	FreeModel(handle, model);
	Finalize(handle);
}

Test(hamkaas, inverse_elements)
{
	float in[5] = { 1, 2, -4, 0.5f, 8 }, out[6] = { 0, 0, 0, 0, 0, 77 };

	cr_assert_null(InverseElements(in, out, 5));
	cr_assert(out[0] == 1 && out[1] == 0.5f && out[2] == -0.25f && out[3] == 2 && out[4] == 0.125f && out[5] == 77);
	cr_assert_null(InverseElements(NULL, NULL, 0));
	in[3] = 0;
	hamkaas_expect(InverseElements(in, out, 5), "Division by zero (index = 3)");
	in[3] = -0.0f;
	hamkaas_expect(InverseElements(in, out, 5), "Division by zero (index = 3)");
	cr_assert_null(InverseElements(in, out, 3));
	hamkaas_expect(InverseElements(in, NULL, 5), "NULL");
	hamkaas_expect(InverseElements(in, out, -1), "negative");
}
