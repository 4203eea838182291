/* The oracle's options (lt_eval_with): threads that change nothing, known values, progress, seeds. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include "tests/oracle.h"

enum { MODES = 3 };

/* ---- threads ---- */

struct thread { void (*body)(void *, uint32_t, uint32_t); void *arg; uint32_t i, n; };
static void *run_thread(void *arg)
{
	struct thread *t = arg;

	t->body(t->arg, t->i, t->n);
	return NULL;
}

static int in_parallel;         /* calls; of the calling thread */
static void parallel(void *user, uint32_t n, void (*body)(void *, uint32_t, uint32_t), void *arg)
{
	pthread_t id[8];
	struct thread t[8];

	(void)user;
	in_parallel++;
	for (uint32_t i = 0; i < n; i++) {
		t[i] = (struct thread){ body, arg, i, n };
		cr_assert_eq(pthread_create(&id[i], NULL, run_thread, &t[i]), 0);
	}
	for (uint32_t i = 0; i < n; i++)
		pthread_join(id[i], NULL);
}

/* A product by tiles of both kinds, a convolution, a softmax, a norm, a gather, sums over rows and columns, one thing
 * after another. */
static void large_graph(struct oracle *b, uint64_t *seed, enum lt_dtype t)
{
	lt_var r = lt_graph_var(b->g, "r", 150), c = lt_graph_var(b->g, "c", 140), k = lt_graph_var(b->g, "k", 130),
	       i = lt_graph_var(b->g, "i", 150);
	lt_node x = oracle_random(b, t, 2, (lt_var[]){ r, k }, seed, 0.01),
		w = oracle_random(b, t, 2, (lt_var[]){ k, c }, seed, 0.02);
	lt_node dot = lt_graph_contract(b->g, x, w, 1, &k), soft = lt_build_softmax(b->g, dot, 1);
	lt_node norm = lt_build_layer_norm(
		b->g, lt_graph_unary(b->g, "exp", lt_graph_binary(b->g, "add", soft, dot)), LT_OMIT, LT_OMIT, 1e-5);
	lt_node index = oracle_input(b, LT_I32, 1, &i, NULL);
	for (int j = 0; j < 150; j++)
		((int32_t *)b->data[index])[j] = 149 - j;
	lt_node moved = lt_graph_gather(b->g, norm, index, 0);
	lt_var image[4] = { lt_graph_var(b->g, NULL, 2), lt_graph_var(b->g, NULL, 12), lt_graph_var(b->g, NULL, 23),
		lt_graph_var(b->g, NULL, 21) };
	lt_var kernel[4] = { lt_graph_var(b->g, NULL, 24), lt_graph_var(b->g, NULL, 12), lt_graph_var(b->g, NULL, 3),
		lt_graph_var(b->g, NULL, 3) };
	lt_node y = lt_build_conv2d(b->g, oracle_random(b, t, 4, image, seed, 0.1), oracle_random(b, t, 4, kernel, seed, 0.1),
		(int64_t[]){ 2, 1 }, (int64_t[]){ 1, 1, 1, 1 }, (int64_t[]){ 1, 1 }, 1, LT_NCHW);
	lt_node deep = lt_graph_op_to(b->g, "add", 2, (lt_node[]){ dot, norm }, 2, (lt_var[]){ c, r });
	const struct { const char *name; lt_node y; } results[] = { { "dot", dot }, { "moved", moved }, { "conv", y },
		{ "rows", lt_graph_reduce(b->g, "add", moved, 1, &i) }, { "columns", lt_graph_reduce(b->g, "add", deep, 1, &c) },
		{ "most", lt_graph_reduce(b->g, "max", norm, 1, &c) } };
	for (int j = 0; j < COUNT(results); j++)
		cr_assert_eq(lt_graph_result(b->g, results[j].name, results[j].y), LT_OK, "%s", lt_context_message(b->ctx));
}

Test(eval_options, threads_change_nothing, .timeout = 300)
{
	static const uint32_t threads[] = { 1, 2, 3, 5 };

	for (int type = 0; type < 2; type++)
		for (int mode = 0; mode < MODES + 1; mode++) {
			enum lt_dtype t = type ? LT_F64 : LT_F32;
			struct oracle *b = oracle_open(t);
			struct lt_evaluation *first = NULL;
			uint64_t seed = 3;
			large_graph(b, &seed, t);
			for (int i = 0; i < COUNT(threads); i++) {
				struct lt_eval_options o = { .mode = mode < MODES ? (enum lt_eval_mode)mode
										  : LT_EVAL_EXACT,
					.want_error = mode == MODES,
					.seed = 7,
					.parallel = parallel,
					.n_thread = threads[i] };
				struct lt_evaluation *e;
				in_parallel = 0;
				cr_assert_eq(lt_eval_with(b->g, b->source, &o, &e), LT_OK, "%s", lt_context_message(b->ctx));
				cr_expect(threads[i] == 1 ? in_parallel == 0 : in_parallel >= 3, "%d calls", in_parallel);
				for (int32_t r = 0; first && r < b->g->n_result; r++) {
					const double *want, *got;
					size_t elems = (size_t)lt__node_elems(b->g, b->g->result[r].node);
					const void *a = lt_eval_result(first, r, &want), *c = lt_eval_result(e, r, &got);
					cr_assert_arr_eq(a, c, elems * lt__dtype_info(t)->bytes, "%s on %u threads", b->g->result[r].name, threads[i]);
					cr_assert(mode < MODES || !memcmp(want, got, elems * sizeof *want), "bounds of %s", b->g->result[r].name);
				}
				if (first)
					lt_eval_free(e);
				else
					first = e;
			}
			lt_eval_free(first);
			oracle_close(b);
		}
}

/* The first failure is reported, by however many threads; what one is, is not forgotten. */
Test(eval_options, first_failure)
{
	for (uint32_t threads = 1; threads < 6; threads++) {
		struct oracle *b = oracle_open(LT_F32);
		lt_var v = lt_graph_var(b->g, "v", 100), i = lt_graph_var(b->g, "i", 100000);
		lt_node x = oracle_input(b, LT_F32, 1, &v, NULL), index = oracle_input(b, LT_I32, 1, &i, NULL);
		for (int j = 0; j < 100000; j++)
			((int32_t *)b->data[index])[j] = j < 31000 ? j % 100 : 200 + j;
		cr_assert_eq(lt_graph_result(b->g, "y", lt_graph_gather(b->g, x, index, 0)), LT_OK);
		cr_expect_eq(lt_eval_with(b->g, b->source,
				     &(struct lt_eval_options){ .parallel = parallel, .n_thread = threads }, &b->e),
			LT_EFAULT);
		cr_expect(strstr(lt_context_message(b->ctx), "index 31200 "), "%u threads: %s", threads, lt_context_message(b->ctx));
		oracle_close(b);
	}
}

/* A random error that leads a gather out of its range takes the nearest element; the reference never does. */
Test(eval_options, gather_of_noise)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[3] = { 1, 2, 3 }, edge[1] = { 2.9999998f };
	lt_var v = lt_graph_var(b->g, "v", 3), i = lt_graph_var(b->g, "i", 1);
	lt_node exp = lt_graph_unary(b->g, "log", lt_graph_unary(b->g, "exp", oracle_input(b, LT_F32, 1, &i, edge)));
	lt_node index = lt_graph_cast(b->g, lt_graph_unary(b->g, "floor", exp), LT_I64);
	lt_node y = lt_graph_gather(b->g, oracle_input(b, LT_F32, 1, &v, x), index, 0);
	int beyond = 0;

	cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt_graph_result(b->g, "index", index), LT_OK);
	for (int run = 0; run < 100; run++) {
		struct lt_eval_options o = { .mode = LT_EVAL_RANDOM, .seed = (uint64_t)run };
		cr_assert_eq(lt_eval_with(b->g, b->source, &o, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
		int64_t at = ((const int64_t *)lt_eval_result(b->e, 1, NULL))[0];
		beyond += at == 3;
		cr_expect_eq(((const float *)lt_eval_result(b->e, 0, NULL))[0], at == 1 ? 2 : 3);
		lt_eval_free(b->e);
		b->e = NULL;
	}
	cr_expect(beyond > 5 && beyond < 95, "%d of 100 indices lie beyond", beyond);
	oracle_close(b);
}

/* ---- known values ---- */

/* A value that is given changes what its readers give, and nothing else; where it is wanted it is computed all the
 * same. */
Test(eval_options, given)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[4] = { 1, 2, 3, 4 }, other[4] = { 10, 20, 30, 40 };
	static const float wants[4][4] = { { -1, -2, -3, -4 }, { 9, 18, 27, 36 }, { 100, 400, 900, 1600 }, { 1, 4, 9, 16 } };
	lt_var v = lt_graph_var(b->g, "v", 4);
	lt_node in = oracle_input(b, LT_F32, 1, &v, x), neg = lt_graph_unary(b->g, "neg", in),
		abs = lt_graph_unary(b->g, "abs", neg);
	lt_node nine = lt_graph_binary(
		b->g, "sub", abs, lt_graph_binary(b->g, "div", abs, lt_graph_literal(b->g, LT_F32, 10)));
	lt_node square = lt_graph_binary(b->g, "mul", abs, abs), far = lt_graph_binary(b->g, "mul", in, in);
	const lt_node want[5] = { neg, nine, square, far, neg };
	const void *given[64] = { 0 };
	const double *error;

	given[abs] = other;
	struct lt_eval_options o = { .want = want, .n_want = 5, .given = given, .want_error = true };
	cr_assert_eq(lt_eval_with(b->g, b->source, &o, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	for (int i = 0; i < 4; i++) {
		const float *got = lt_eval_value(b->e, want[i], &error);
		for (int k = 0; k < 4; k++) {
			cr_expect_eq(got[k], wants[i][k], "node %d element %d is %g", i, k, (double)got[k]);
			cr_expect(error && (i == 1 || error[k] == 0), "node %d element %d", i, k);
		}
	}
	cr_expect_null(lt_eval_value(b->e, abs, &error), "it is not wanted");
	lt_eval_free(b->e);
	o.want = (lt_node[]){ abs };
	o.n_want = 1;
	cr_assert_eq(lt_eval_with(b->g, b->source, &o, &b->e), LT_OK);
	for (int k = 0; k < 4; k++)
		cr_expect_eq(((const float *)lt_eval_value(b->e, abs, NULL))[k], x[k]);
	lt_eval_free(b->e);
	given[in] = other;      /* nothing reads the source any more, so that it need not be there */
	given[abs] = NULL;
	b->source[in] = NULL;
	o.want = &square;
	cr_assert_eq(lt_eval_with(b->g, b->source, &o, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	for (int k = 0; k < 4; k++)
		cr_expect_eq(((const float *)lt_eval_value(b->e, square, NULL))[k], other[k] * other[k]);
	oracle_close(b);
}

/* Views, products and updates too take what is given, and are computed from their operands though they are given. */
Test(eval_options, given_views_and_updates)
{
	struct oracle *b = oracle_open(LT_F32);
	static const float x[4] = { 1, 2, 3, 4 }, other[4] = { 10, 20, 30, 40 };
	lt_var v = lt_graph_var(b->g, "v", 4);
	lt_node in = oracle_input(b, LT_F32, 1, &v, x), old = lt_graph_unary(b->g, "neg", in),
		back = lt_graph_slice(b->g, old, 0, 3, -1, 4);
	lt_node part = lt_graph_slice(b->g, in, 0, 0, 1, 2),
		next = lt_graph_update(b->g, old, part, (int64_t[]){ 1 }, (lt_param[]){ LT_OMIT });
	const lt_node want[2] = { back, next };
	const void *given[64] = { 0 };

	given[old] = given[back] = given[next] = other;
	struct lt_eval_options o = { .want = want, .n_want = 2, .given = given };
	cr_assert_eq(lt_eval_with(b->g, b->source, &o, &b->e), LT_OK, "%s", lt_context_message(b->ctx));
	const float *got = lt_eval_value(b->e, back, NULL), *set = lt_eval_value(b->e, next, NULL);
	cr_expect_arr_eq(got, ((const float[]){ 40, 30, 20, 10 }), sizeof x);
	cr_expect_arr_eq(set, ((const float[]){ 10, 1, 2, 40 }), sizeof x);
	cr_expect(other[1] == 20, "what is given is changed");
	oracle_close(b);
}

struct watch { double share; int calls, done; };
static void progress(void *user, double share)
{
	struct watch *w = user;

	cr_expect(share >= w->share && share <= 1, "%g after %g", share, w->share);
	w->share = share;
	w->calls++;
}

static lt_status stop(void *user, const struct lt_evaluation *e, lt_node n, const void *value, const double *error)
{
	struct watch *w = user;

	(void)e, (void)n, (void)value, (void)error;
	return ++w->done == 3 ? LT_EUNSUPPORTED : LT_OK;
}

Test(eval_options, progress_and_end)
{
	struct oracle *b = oracle_open(LT_F32);
	struct watch w = { 0 };
	uint64_t seed = 1;

	large_graph(b, &seed, LT_F32);
	cr_assert_eq(
		lt_eval_with(b->g, b->source, &(struct lt_eval_options){ .progress = progress, .user = &w }, &b->e),
		LT_OK);
	cr_expect(w.share > 0.999 && w.calls > 5, "%g after %d calls", w.share, w.calls);
	lt_eval_free(b->e);
	cr_expect_eq(lt_eval_with(b->g, b->source, &(struct lt_eval_options){ .done = stop, .user = &w }, &b->e),
		LT_EUNSUPPORTED);
	cr_expect_eq(w.done, 3);
	cr_expect_null(b->e);
	oracle_close(b);
}

Test(eval_options, seeds)
{
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 9;
	struct lt_evaluation *e[3];

	large_graph(b, &seed, LT_F32);
	for (int i = 0; i < 3; i++) {
		struct lt_eval_options o = { .mode = LT_EVAL_RANDOM, .seed = i < 2 ? 5 : 6 };
		cr_assert_eq(lt_eval_with(b->g, b->source, &o, &e[i]), LT_OK);
	}
	for (int32_t r = 0; r < b->g->n_result; r++) {
		size_t bytes = (size_t)lt__node_elems(b->g, b->g->result[r].node) * sizeof(float);
		cr_expect_arr_eq(lt_eval_result(e[0], r, NULL), lt_eval_result(e[1], r, NULL), bytes);
		cr_expect(memcmp(lt_eval_result(e[0], r, NULL), lt_eval_result(e[2], r, NULL), bytes) != 0, "%s",
			b->g->result[r].name);
	}
	for (int i = 0; i < 3; i++)
		lt_eval_free(e[i]);
	oracle_close(b);
}
