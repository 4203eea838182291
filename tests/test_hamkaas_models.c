/* test_hamkaas_models.c -- models of libhamkaas.so: a network's results, several at once, their buffers, long
 * use, threads. */
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tests/built.h"
#include "tests/hamkaas_library.h"

TestSuite(hamkaas_models, .init = hamkaas_set_up, .fini = scratch_remove, .timeout = 120);

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
	hamkaas_evaluate(handle, model, &TENSOR("input", x), 1, got);
	for (int i = 0; i < 6; i++)
		cr_assert_eq(got[i], want[i], "element %d is %g, not %g", i, (double)got[i], (double)want[i]);
	/* Nothing is written after the output. */
	cr_assert(isnan(got[6]) && isnan(got[7]));
}

Test(hamkaas_models, a_network)
{
	void *handle = hamkaas_initialize();
	struct weights w;
	const void *model;

	fill_weights(&w, 1);
	model = hamkaas_compile(handle, network, w.list, 4);
	for (int seed = 0; seed < 5; seed++)
		check_network(handle, model, &w, seed);
	FreeModel(handle, model);
	Finalize(handle);
}

Test(hamkaas_models, constants_are_copied)
{
	void *handle = hamkaas_initialize();
	struct weights w, overwritten;
	const void *model;

	fill_weights(&w, 1);
	fill_weights(&overwritten, 1);
	model = hamkaas_compile(handle, network, overwritten.list, 4);
	memset(&overwritten, 0xff, sizeof overwritten);
	check_network(handle, model, &w, 2);
	FreeModel(handle, model);
	Finalize(handle);
}

Test(hamkaas_models, several_models_at_once)
{
	void *handle = hamkaas_initialize(), *other = hamkaas_initialize();
	struct weights w[6];
	const void *model[6];

	for (int i = 0; i < 6; i++) {
		fill_weights(&w[i], i);
		model[i] = hamkaas_compile(i % 2 ? handle : other, network, w[i].list, 4);
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

Test(hamkaas_models, a_buffer_is_the_models_and_lasts)
{
	void *handle = hamkaas_initialize();
	const void *a = hamkaas_compile(handle, cache, NULL, 0), *b = hamkaas_compile(handle, cache, NULL, 0);
	float part[2] = { 1, 2 }, got[6];
	int64_t begin = 0, end = 2;
	const struct TNamedTensor inputs[] = { TENSOR("part", part), TENSOR("begin", &begin), TENSOR("end", &end) };
	static const float wants[][6] = { { 1, 2, 0, 0, 0, 0 }, { 1, 2, 0, 0, 3, 4 }, { 1, 5, 6, 0, 3, 4 } };

	hamkaas_evaluate(handle, a, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[0], sizeof got), 0);
	part[0] = 3, part[1] = 4, begin = 4, end = 6;
	hamkaas_evaluate(handle, a, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[1], sizeof got), 0);
	/* Out of range: an answer, and the buffer stays as it is. */
	begin = 5, end = 7;
	hamkaas_expect(EvaluateModel(handle, a, inputs, 3, (char *)got), "'begin'");
	part[0] = 5, part[1] = 6, begin = 1, end = 3;
	hamkaas_evaluate(handle, a, inputs, 3, got);
	cr_assert_eq(memcmp(got, wants[2], sizeof got), 0);
	part[0] = 1, part[1] = 2, begin = 0, end = 2;
	hamkaas_evaluate(handle, b, inputs, 3, got);
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

Test(hamkaas_models, thousands_of_evaluations_do_not_grow)
{
	void *handle = hamkaas_initialize();
	struct weights w;
	const void *model;
	long before;

	fill_weights(&w, 4);
	model = hamkaas_compile(handle, network, w.list, 4);
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

Test(hamkaas_models, two_threads)
{
	void *handle = hamkaas_initialize();
	struct weights w[2];
	const void *model[2];

	for (int i = 0; i < 2; i++) {
		fill_weights(&w[i], 5 * i);
		model[i] = hamkaas_compile(handle, network, w[i].list, 4);
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
