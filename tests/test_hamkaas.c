/* tests/test_hamkaas.c -- libhamkaas.so through its C interface, as a program written for HamKaas uses it. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/judge.h"
#include "lt/lt.h"
#include "tests/built.h"
#include "tools/hamkaas.h"

_Static_assert(sizeof(struct TInitializationResult) == 2 * sizeof(void *), "");
_Static_assert(offsetof(struct TInitializationResult, ErrorMessage) == sizeof(void *), "");
_Static_assert(
	sizeof(struct TNamedTensor) == 2 * sizeof(void *) && offsetof(struct TNamedTensor, Data) == sizeof(void *), "");
_Static_assert(sizeof(struct TCompilationOptions) == 2 && offsetof(struct TCompilationOptions, UseCudnn) == 1, "");
_Static_assert(sizeof(struct TCompilationResult) == 2 * sizeof(void *), "");

static __typeof__(&HamKaasInitialize) Initialize;
static __typeof__(&HamKaasFinalize) Finalize;
static __typeof__(&HamKaasCompileModel) CompileModel;
static __typeof__(&HamKaasFreeModel) FreeModel;
static __typeof__(&HamKaasEvaluateModel) EvaluateModel;
static __typeof__(&HamKaasFreeErrorMessage) FreeErrorMessage;
static __typeof__(&HamKaasInverseElements) InverseElements;

static void *symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	cr_assert_not_null(at, "%s", name);
	return at;
}

static void set_up(void)
{
	void *library = dlopen(built("libhamkaas.so"), RTLD_NOW | RTLD_LOCAL);

	cr_assert_not_null(library, "%s", dlerror());
	*(void **)&Initialize = symbol(library, "HamKaasInitialize");
	*(void **)&Finalize = symbol(library, "HamKaasFinalize");
	*(void **)&CompileModel = symbol(library, "HamKaasCompileModel");
	*(void **)&FreeModel = symbol(library, "HamKaasFreeModel");
	*(void **)&EvaluateModel = symbol(library, "HamKaasEvaluateModel");
	*(void **)&FreeErrorMessage = symbol(library, "HamKaasFreeErrorMessage");
	*(void **)&InverseElements = symbol(library, "HamKaasInverseElements");
	setenv("XDG_CACHE_HOME", scratch(""), 1);
}

TestSuite(hamkaas, .init = set_up, .fini = scratch_remove, .timeout = 120);

static void *initialize(void)
{
	struct TInitializationResult r = Initialize();

	cr_assert_null(r.ErrorMessage, "%s", r.ErrorMessage);
	cr_assert_not_null(r.Handle);
	return r.Handle;
}

static const void *compile(const void *handle, const char *script, const struct TNamedTensor *constants, int n)
{
	struct TCompilationResult r = CompileModel(handle, (struct TCompilationOptions){ false, false }, script, constants, n);

	cr_assert_null(r.ErrorMessage, "%s", r.ErrorMessage);
	cr_assert_not_null(r.Model);
	return r.Model;
}

static void evaluate(const void *handle, const void *model, const struct TNamedTensor *inputs, int n, void *output)
{
	const char *message = EvaluateModel(handle, model, inputs, n, output);

	cr_assert_null(message, "%s", message);
}

/* The message is there and says that; frees it. */
static void expect(const char *message, const char *says)
{
	cr_assert_not_null(message, "no message that says '%s'", says);
	cr_assert(strstr(message, says), "'%s' does not say '%s'", message, says);
	FreeErrorMessage((char *)(uintptr_t)message);
}

#define TENSOR(name, data) ((struct TNamedTensor){ name, (const char *)(data) })

/* The network of the course, small: a product, a row added to each row, ReLU, a product, a row. */
static const char network[] =
	"$1 = InputTensor(input, float32, [2, 2, 3]);\n"
	"$2 = ReshapeNode($1, [2, 6]);\n"
	"$3 = ConstantTensor(constant_0, float32, [6, 4]);\n"
	"$4 = MulNode($2, $3);\n"
	"$5 = ConstantTensor(constant_1, float32, [1, 4]);\n"
	"$6 = SumNode($4, $5);\n"
	"$7 = ReLUNode($6);\n"
	"$8 = ConstantTensor(constant_2, float32, [4, 3]);\n"
	"$9 = MulNode($7, $8);\n"
	"$10 = ConstantTensor(constant_3, float32, [1, 3]);\n"
	"$11 = SumNode($9, $10);\n"
	"result = $11;\n";

struct weights { float w0[6][4], b0[4], w1[4][3], b1[3]; struct TNamedTensor list[4]; };

/* Small whole numbers, so that every sum is exact in whatever order. */
static void fill(float *at, int n, int seed)
{
	for (int i = 0; i < n; i++)
		at[i] = (float)((i * 7 + seed * 3) % 11 - 5);
}

static void fill_weights(struct weights *w, int seed)
{
	fill(&w->w0[0][0], 24, seed);
	fill(w->b0, 4, seed + 1);
	fill(&w->w1[0][0], 12, seed + 2);
	fill(w->b1, 3, seed + 3);
	w->list[0] = TENSOR("constant_0", w->w0);
	w->list[1] = TENSOR("constant_1", w->b0);
	w->list[2] = TENSOR("constant_2", w->w1);
	w->list[3] = TENSOR("constant_3", w->b1);
}

static void network_by_hand(const struct weights *w, const float x[12], float y[6])
{
	for (int m = 0; m < 2; m++)
		for (int n = 0; n < 3; n++) {
			y[3 * m + n] = w->b1[n];
			for (int h = 0; h < 4; h++) {
				float sum = w->b0[h];

				for (int k = 0; k < 6; k++)
					sum += x[6 * m + k] * w->w0[k][h];
				y[3 * m + n] += (sum > 0 ? sum : 0) * w->w1[h][n];
			}
		}
}

static void check_network(const void *handle, const void *model, const struct weights *w, int seed)
{
	float x[12], want[6], got[8];

	fill(x, 12, seed);
	network_by_hand(w, x, want);
	memset(got, 0xff, sizeof got);
	evaluate(handle, model, &TENSOR("input", x), 1, got);
	for (int i = 0; i < 6; i++)
		cr_assert_eq(got[i], want[i], "element %d is %g, not %g", i, (double)got[i], (double)want[i]);
	/* Nothing is written after the output. */
	cr_assert(isnan(got[6]) && isnan(got[7]));
}

Test(hamkaas, a_network)
{
	void *handle = initialize();
	struct weights w;
	const void *model;

	fill_weights(&w, 1);
	model = compile(handle, network, w.list, 4);
	for (int seed = 0; seed < 5; seed++)
		check_network(handle, model, &w, seed);
	FreeModel(handle, model);
	Finalize(handle);
}

/* A normalised row, scores, their softmax: numbers that are not exact, before the judge of lt-run --verify. */
static const char inexact[] =
	"$1 = InputTensor(x, float32, [48]); $2 = ConstantTensor(norm, float32, [48]); $3 = RMSNormNode($1, $2);\n"
	"$4 = ConstantTensor(w, float32, [48, 40]); $5 = MatMulNode($3, $4); $6 = SiLUNode($5); $7 = "
	"InputTensor(prefix, int64, [1]);\n"
	"$8 = SlicedSoftmaxNode($6, $7); result = $8;\n";

Test(hamkaas, results_stand_before_the_judge)
{
	void *handle = initialize();
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
	const void *model = compile(handle, inexact, constants, 2);
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, inexact, sizeof inexact - 1, "inexact", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	const void **source = calloc((size_t)g->n_node, sizeof *source);
	for (lt_node n = 0; n < g->n_node; n++) {
		const char *label = g->node[n].label;
		source[n] = !label ? NULL : !strcmp(label, "x") ? (const void *)x : !strcmp(label, "w") ? (const void *)w
			: !strcmp(label, "norm") ? (const void *)norm : &prefix;
	}
	cr_assert_eq(lt__judge_new(g, source, NULL, &judge), LT_OK, "%s", lt_context_message(ctx));
	evaluate(handle, model, inputs, 2, got);
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

Test(hamkaas, constants_are_copied)
{
	void *handle = initialize();
	struct weights w, overwritten;
	const void *model;

	fill_weights(&w, 1);
	fill_weights(&overwritten, 1);
	model = compile(handle, network, overwritten.list, 4);
	memset(&overwritten, 0xff, sizeof overwritten);
	check_network(handle, model, &w, 2);
	FreeModel(handle, model);
	Finalize(handle);
}

Test(hamkaas, several_models_at_once)
{
	void *handle = initialize(), *other = initialize();
	struct weights w[6];
	const void *model[6];

	for (int i = 0; i < 6; i++) {
		fill_weights(&w[i], i);
		model[i] = compile(i % 2 ? handle : other, network, w[i].list, 4);
	}
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 6; i++)
			check_network(i % 2 ? handle : other, model[i], &w[i], round);
	FreeModel(handle, model[3]);
	for (int i = 5; i >= 0; i--)
		if (i != 3)
			check_network(i % 2 ? handle : other, model[i], &w[i], 9);
	for (int i = 0; i < 6; i++)
		if (i != 3)
			FreeModel(handle, model[i]);
	Finalize(other);
	Finalize(handle);
}

static const char cache[] =
	"$1 = BufferTensor(float32, [6]); $2 = InputTensor(part, float32, [2]);\n"
	"$3 = InputTensor(begin, int64, [1]); $4 = InputTensor(end, int64, [1]);\n"
	"$5 = ReplaceSliceNode($1, $2, $3, $4); result = $5;\n";

Test(hamkaas, a_buffer_is_the_models_and_lasts)
{
	void *handle = initialize();
	const void *a = compile(handle, cache, NULL, 0), *b = compile(handle, cache, NULL, 0);
	float part[2] = { 1, 2 }, got[6];
	int64_t begin = 0, end = 2;
	const struct TNamedTensor inputs[] = { TENSOR("part", part), TENSOR("begin", &begin), TENSOR("end", &end) };
	static const float wants[][6] = { { 1, 2, 0, 0, 0, 0 }, { 1, 2, 0, 0, 3, 4 }, { 1, 5, 6, 0, 3, 4 } };

	evaluate(handle, a, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[0], sizeof got), 0);
	part[0] = 3, part[1] = 4, begin = 4, end = 6;
	evaluate(handle, a, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[1], sizeof got), 0);
	/* Out of range: an answer, and the buffer stays as it is. */
	begin = 5, end = 7;
	expect(EvaluateModel(handle, a, inputs, 3, (char *)got), "'begin'");
	part[0] = 5, part[1] = 6, begin = 1, end = 3;
	evaluate(handle, a, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[2], sizeof got), 0);
	part[0] = 1, part[1] = 2, begin = 0, end = 2;
	evaluate(handle, b, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[0], sizeof got), 0);
	FreeModel(handle, a);
	FreeModel(handle, b);
	Finalize(handle);
}

static long resident_pages(void)
{
	long pages = 0, skip;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &skip, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages;
}

Test(hamkaas, thousands_of_evaluations_do_not_grow)
{
	void *handle = initialize();
	struct weights w;
	const void *model;
	long before;

	fill_weights(&w, 4);
	model = compile(handle, network, w.list, 4);
	for (int i = 0; i < 200; i++)
		check_network(handle, model, &w, i);
	before = resident_pages();
	for (int i = 0; i < 20000; i++)
		check_network(handle, model, &w, i);
	cr_assert_leq(resident_pages() - before, 64, "%ld pages more", resident_pages() - before);
	FreeModel(handle, model);
	Finalize(handle);
}

/* ---- threads: nothing is asserted in them, since Criterion's asserts belong to the main thread ---- */

struct work { const void *handle, *model; const struct weights *w; bool compiles; int wrong; };

static void *evaluate_many(void *arg)
{
	struct work *k = arg;
	float x[12], want[6], got[6];

	for (int i = 0; i < 300; i++) {
		const char *message;

		fill(x, 12, i);
		network_by_hand(k->w, x, want);
		memset(got, 0xff, sizeof got);
		message = EvaluateModel(k->handle, k->model, &TENSOR("input", x), 1, (char *)got);
		k->wrong += message || memcmp(got, want, sizeof got) != 0;
		if (message)
			FreeErrorMessage((char *)(uintptr_t)message);
	}
	return NULL;
}

static void *live_alone(void *arg)
{
	struct work *k = arg;
	struct TInitializationResult h = Initialize();
	struct TCompilationResult m =
		CompileModel(h.Handle, (struct TCompilationOptions){ false, false }, network, k->w->list, 4);

	k->handle = h.Handle;
	k->model = m.Model;
	if (m.Model)
		evaluate_many(k);
	else
		k->wrong++;
	FreeModel(h.Handle, m.Model);
	Finalize(h.Handle);
	return NULL;
}

static void run_two(void *(*body)(void *), struct work *a, struct work *b)
{
	pthread_t one, two;

	cr_assert_eq(pthread_create(&one, NULL, body, a), 0);
	cr_assert_eq(pthread_create(&two, NULL, body, b), 0);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	cr_assert_eq(a->wrong + b->wrong, 0, "%d and %d evaluations went wrong", a->wrong, b->wrong);
}

Test(hamkaas, two_threads)
{
	void *handle = initialize();
	struct weights w[2];
	const void *model[2];

	for (int i = 0; i < 2; i++) {
		fill_weights(&w[i], 5 * i);
		model[i] = compile(handle, network, w[i].list, 4);
	}
	/* A handle each; one handle and a model each; one model. */
	run_two(live_alone, &(struct work){ .w = &w[0] }, &(struct work){ .w = &w[1] });
	run_two(evaluate_many, &(struct work){ handle, model[0], &w[0], 0, 0 },
		&(struct work){ handle, model[1], &w[1], 0, 0 });
	run_two(evaluate_many, &(struct work){ handle, model[0], &w[0], 0, 0 },
		&(struct work){ handle, model[0], &w[0], 0, 0 });
	FreeModel(handle, model[0]);
	FreeModel(handle, model[1]);
	Finalize(handle);
}

/* ---- what is given, and what is not ---- */

static const char sum[] =
	"$1 = InputTensor(x, float32, [2]); $2 = ConstantTensor(w, float32, [2]); $3 = SumNode($1, $2); result = $3;$4 "
	"= ConstantTensor(unused, float32, [7]); $5 = InputTensor(unread, float32, [7]); $6 = ReLUNode($5);";

Test(hamkaas, names)
{
	void *handle = initialize();
	float one[2] = { 1, 2 }, two[2] = { 10, 20 }, got[2];
	struct TNamedTensor list[] = { TENSOR("w", one), TENSOR("other", one), TENSOR("w", two) };
	const void *model = compile(handle, sum, list, 3);

	/* The last of two wins; what the script does not know is passed over; what it does not use need not be given. */
	evaluate(handle, model, (struct TNamedTensor[]){ TENSOR("x", two), TENSOR("y", NULL), TENSOR("x", one) }, 3, got);
	cr_assert(got[0] == 11 && got[1] == 22);
	evaluate(handle, model, (struct TNamedTensor[]){ TENSOR("x", one), TENSOR(NULL, two) }, 2, got);
	cr_assert(got[0] == 11 && got[1] == 22);
	expect(EvaluateModel(handle, model, NULL, 0, (char *)got), "Missing input 'x'");
	expect(EvaluateModel(handle, model, &TENSOR("X", one), 1, (char *)got), "Missing input 'x'");
	expect(EvaluateModel(handle, model, &TENSOR("x", NULL), 1, (char *)got), "Missing input 'x'");
	expect(EvaluateModel(handle, model, NULL, 1, (char *)got), "no list");
	expect(EvaluateModel(handle, model, list, -1, (char *)got), "no list");
	expect(EvaluateModel(handle, model, list, 1, NULL), "output");
	expect(EvaluateModel(handle, NULL, list, 1, (char *)got), "model is NULL");
	expect(EvaluateModel(NULL, model, list, 1, (char *)got), "handle is NULL");
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
	{ sum, 1, 0, 0, "UseGpu: the backend 'cuda' is not in this build" },
	{ sum, 0, 1, 0, "UseCudnn: the backend 'cudnn' is not in this build" },
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

Test(hamkaas, compilations_that_fail)
{
	void *handle = initialize();
	struct TCompilationResult r;

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		r = CompileModel(handle, (struct TCompilationOptions){ refused[i].gpu, refused[i].cudnn },
			refused[i].script, NULL, refused[i].n);
		cr_assert_null(r.Model);
		expect(r.ErrorMessage, refused[i].says);
	}
	r = CompileModel(handle, (struct TCompilationOptions){ 0, 0 }, sum, &TENSOR("w", NULL), 1);
	expect(r.ErrorMessage, "Missing constant 'w'");
	r = CompileModel(NULL, (struct TCompilationOptions){ 0, 0 }, sum, NULL, 0);
	expect(r.ErrorMessage, "handle is NULL");
	Finalize(handle);
}

/* A result whose length is a run-time value is written without gaps, and no further than it goes. */
Test(hamkaas, a_result_of_run_time_length)
{
	void *handle = initialize();
	const void *model = compile(handle, "$1 = InputTensor(x, float32, [4, 3]); $2 = InputTensor(b, int64, [1]);"
		"$3 = InputTensor(e, int64, [1]); $4 = SliceNode($1, $2, $3); $5 = PermuteNode($4, [1, 0]); result = $5;", NULL, 0);
	float x[12], got[12];
	int64_t b = 1, e = 3;

	for (int i = 0; i < 12; i++)
		x[i] = (float)i;
	memset(got, 0xff, sizeof got);
	evaluate(handle, model, (struct TNamedTensor[]){ TENSOR("x", x), TENSOR("b", &b), TENSOR("e", &e) }, 3, got);
	for (int i = 0; i < 6; i++)
		cr_assert_eq(got[i], x[3 * (1 + i % 2) + i / 2], "element %d is %g", i, (double)got[i]);
	cr_assert(isnan(got[6]));
	FreeModel(handle, model);
	Finalize(handle);
}

Test(hamkaas, further_results_are_not_in_the_way)
{
	void *handle = initialize();
	const void *model = compile(handle,
		"$1 = InputTensor(x, float32, [2]); $2 = SumNode($1, $1); result twice = $2; $3 = SumNode($2, "
		"$1);result = $3; $4 = SumNode($3, $1); result fourfold = $4;",
		NULL, 0);
	float x[2] = { 1, -2 }, got[3] = { 0, 0, 77 };

	evaluate(handle, model, &TENSOR("x", x), 1, got);
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
	expect(InverseElements(in, out, 5), "Division by zero (index = 3)");
	in[3] = -0.0f;
	expect(InverseElements(in, out, 5), "Division by zero (index = 3)");
	cr_assert_null(InverseElements(in, out, 3));
	expect(InverseElements(in, NULL, 5), "NULL");
	expect(InverseElements(in, out, -1), "negative");
}
