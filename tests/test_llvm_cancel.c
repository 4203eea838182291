/* test_llvm_cancel.c -- the backend llvm, many kernels at once: the host hears how far it is and can end it. */
#include <criterion/criterion.h>
#include <pthread.h>
#include "program/host/host.h"
#include "tests/llvm_plugin.h"
#include "tests/treebuild.h"

TestSuite(llvm_cancel, .init = llvm_load, .fini = scratch_remove, .timeout = 120);

enum { N = 24 };
/* Of one call: it is cancelled when it was asked so many times; and whether another thread ever called. */
struct listener { int left, n_asked, n_reported; int32_t done; pthread_t caller; bool is_stray, is_odd; };

static int count_down(const struct lt_host *host)
{
	struct listener *l = host->user;
	l->is_stray = l->is_stray || !pthread_equal(pthread_self(), l->caller);
	l->n_asked++;
	return l->left-- <= 0;
}

static void hear(void *user, int32_t done, int32_t total)
{
	struct listener *l = user;
	l->is_stray = l->is_stray || !pthread_equal(pthread_self(), l->caller);
	l->is_odd = l->is_odd || total != N || done <= l->done || done > total;
	l->done = done;
	l->n_reported++;
}

static lt_status compile(const struct lt_tree *tree, uint32_t n_thread, struct listener *l, struct keeper *k)
{
	const struct lt_backend *b = lt_backend_find("llvm");
	const struct lt_host host = { .size = sizeof host, .n_thread = n_thread, .user = l, .progress = hear,
		.cancelled = count_down, .parallel = lt__host_parallel };
	struct lt_session *s = NULL;
	struct lt_object *object[N];
	const struct lt_tree *trees[N];
	l->caller = pthread_self();
	for (int i = 0; i < N; i++)
		trees[i] = tree;
	*k = keeper_new();
	cr_assert_eq(b->open(&host, "", &s, &k->diag), LT_OK, "%s", k->text);
	lt_status status = b->compile(s, trees, N, object, &k->diag);
	for (int i = 0; i < N; i++) {
		cr_expect_eq(object[i] != NULL, status == LT_OK);
		b->destroy(object[i]);
	}
	b->close(s);
	return status;
}

static struct tb *copy_tree(void)
{
	struct tb *b = tb_new("copy", 0, 1, 0);
	int32_t i = tb_loop(b, -1, LT_VECTOR, 8, NULL, "i"), x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 8),
		y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 8);
	tb_stmt(b, LT_MAP, tb_op(b, "abs", LT_F32, LT_F32), i, tb_access(b, y, "i0"), NULL, "y", 1);
	tb_read(b, tb_access(b, x, "i0"));
	return b;
}

Test(llvm_cancel, a_compilation_is_cancelled_between_kernels)
{
	struct tb *b = copy_tree();
	const struct lt_tree *tree = tb_done(b);
	for (uint32_t n_thread = 1; n_thread <= 3; n_thread += 2) {
		struct keeper k;
		struct listener all = { .left = 1000000 };
		cr_expect_eq(compile(tree, n_thread, &all, &k), LT_OK, "%s", k.text);
		cr_expect(!all.is_stray && !all.is_odd && all.done == N, "%u threads: %d of %d", n_thread, (int)all.done, N);
		cr_expect_geq(all.n_asked, N, "%u threads", n_thread);
		cr_expect(n_thread > 1 || all.n_reported == N, "%d reports, as kernels are done", all.n_reported);
		/* One thread asks in an order that is known; of several, the caller asks for each kernel that it links. */
		for (int left = 0; left < (n_thread == 1 ? all.n_asked : N); left += 5) {
			struct listener some = { .left = left };
			cr_expect_eq(compile(tree, n_thread, &some, &k), LT_ECANCELLED, "%u threads, asked %d times", n_thread, left);
			cr_expect_str_eq(k.text, "compiling was cancelled");
			cr_expect(!some.is_stray && !some.is_odd && some.done < N, "%u threads: %d", n_thread, (int)some.done);
			cr_expect_eq(some.n_asked, left + 1, "asked %d times, and no more once it has said so", some.n_asked);
			cr_expect(n_thread > 1 || some.n_reported == (left < N ? left : N - 1), "%d of %d", some.n_reported, left);
		}
	}
	free(b);
}
