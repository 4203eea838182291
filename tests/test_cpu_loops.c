/* test_cpu_loops.c -- register tiles and parallel loops run on cpu, whatever becomes of them. */
#include "treerun.h"

TestSuite(cpu_loops, .timeout = 120);

/* C[M,64] = A B, in tiles of 6x64 that stay in registers over k. */
static struct tb *tile(int M, int K)
{
	char row[64];
	struct tb *b = tb_new("tile", 0, 11, 0);
	int32_t m = tb_loop(b, -1, LT_SERIAL, M / 6, NULL, "m");
	int32_t r1 = tb_loop(b, m, LT_UNROLL, 6, NULL, "m'"), r2 = tb_loop(b, r1, LT_UNROLL, 4, NULL, "n"),
		r3 = tb_loop(b, r2, LT_VECTOR, 16, NULL, "n'");
	int32_t k = tb_loop(b, m, LT_SERIAL, K, NULL, "k");
	int32_t m1 = tb_loop(b, k, LT_UNROLL, 6, NULL, "m'"), n = tb_loop(b, m1, LT_UNROLL, 4, NULL, "n"),
		n1 = tb_loop(b, n, LT_VECTOR, 16, NULL, "n'");
	int32_t s1 = tb_loop(b, m, LT_UNROLL, 6, NULL, "m'"), s2 = tb_loop(b, s1, LT_UNROLL, 4, NULL, "n"),
		s3 = tb_loop(b, s2, LT_VECTOR, 16, NULL, "n'");
	int32_t A = tb_buffer(b, "A", LT_F32, LT_INPUT, -1, (int64_t)M * K),
		B = tb_buffer(b, "B", LT_F32, LT_INPUT, -1, 64 * (int64_t)K);
	int32_t C = tb_buffer(b, "C", LT_F32, LT_OUTPUT, -1, (int64_t)M * 64);
	int32_t p = tb_buffer(b, "p", LT_F32, LT_LOCAL, n1, 1), c = tb_buffer(b, "c", LT_F32, LT_LOCAL, m, 384);
	int32_t add = tb_op(b, "add", LT_F32, LT_F32), mul = tb_op(b, "mul", LT_F32, LT_F32),
		copy = tb_op(b, "copy", LT_F32, LT_F32);
	tb_reset(b, add, r3, tb_access(b, c, "64*i1 + 16*i2 + i3"), "c", 1);
	int32_t ap = tb_access(b, p, "0");
	tb_stmt(b, LT_MAP, mul, n1, ap, NULL, "p", 1);
	(void)snprintf(row, sizeof row, "%d*i0 + %d*i5 + i4", 6 * K, K);
	tb_read(b, tb_access(b, A, row));
	tb_read(b, tb_access(b, B, "64*i4 + 16*i6 + i7"));
	tb_stmt(b, LT_REDUCE, add, n1, tb_access(b, c, "64*i5 + 16*i6 + i7"), NULL, "c", 1)->reducing = k;
	tb_read(b, ap);
	tb_stmt(b, LT_MAP, copy, s3, tb_access(b, C, "384*i0 + 64*i8 + 16*i9 + i10"), NULL, "C", 2);
	tb_read(b, tb_access(b, c, "64*i8 + 16*i9 + i10"));
	return b;
}

Test(cpu_loops, a_register_tile_runs)
{
	enum { M = 24, K = 37 };
	static const char *const configs[] = { "", "target=avx2", "target=sse2" };
	static float A[M * K], B[64 * K];
	for (int i = 0; i < M * K; i++)
		A[i] = (float)(i % 7 - 3);
	for (int i = 0; i < 64 * K; i++)
		B[i] = (float)(i % 5 - 2);
	for (int w = 0; w < 3; w++) {
		struct tb *b = tile(M, K);
		struct bench n;
		open_bench_with(&n, "cpu", configs[w], b);
		bench_set(&n, 0, A);
		bench_set(&n, 1, B);
		cr_assert_eq(run(&n, 3), LT_OK, "%s", n.k.text);
		const float *C = data(&n, 2);
		for (int m = 0; m < M; m++)
			for (int j = 0; j < 64; j++) {
				double want = 0;
				for (int k = 0; k < K; k++)
					want += (double)A[m * K + k] * (double)B[k * 64 + j];
				cr_assert_eq((double)C[64 * m + j], want, "%s: C[%d %d]", configs[w], m, j);
			}
		close_bench(&n);
		free(b);
	}
}

/* a x b trips: rows of y; big: a local of that many elements in each iteration of a. */
static struct tb *threads(int64_t a, int64_t b_, int64_t big)
{
	struct tb *b = tb_new("threads", 0, 3, 0);
	int32_t l0 = tb_loop(b, -1, LT_PARALLEL, a, NULL, "a"), l1 = tb_loop(b, l0, LT_PARALLEL, b_, NULL, "b"),
		l2 = tb_loop(b, l1, LT_SERIAL, 8, NULL, "i");
	int32_t x = tb_buffer(b, "x", LT_I32, LT_INPUT, -1, 8), y = tb_buffer(b, "y", LT_I32, LT_OUTPUT, -1, a * b_ * 8);
	int32_t v = tb_buffer(b, "v", LT_I32, LT_LOCAL, big > 1 ? l1 : l2, big), copy = tb_op(b, "copy", LT_I32, LT_I32);
	char row[64];
	(void)snprintf(row, sizeof row, "%d*i0 + 8*i1 + i2", (int)(8 * b_));
	tb_stmt(b, LT_MAP, copy, l2, tb_access(b, v, big > 1 ? "i2" : "0"), NULL, "v", 1);
	tb_read(b, tb_access(b, x, "i2"));
	tb_stmt(b, LT_MAP, copy, l2, tb_access(b, y, row), NULL, "y", 1);
	tb_read(b, tb_access(b, v, big > 1 ? "i2" : "0"));
	return b;
}

Test(cpu_loops, threads_give_the_same)
{
	for (int w = 0; w < 6; w++) {
		struct tb *b = threads(7, 3, w & 1 ? 5000 : 1);
		struct bench n;
		static const int32_t x[8] = { 1, -2, 3, -4, 5, -6, 7, -8 };
		open_bench(&n, "cpu", b);
		n.n_thread = 1 + (uint32_t)w / 2;
		bench_set(&n, 0, x);
		cr_assert_eq(run(&n, 2), LT_OK, "%s", n.k.text);
		for (int i = 0; i < 7 * 3 * 8; i++)
			cr_assert_eq(((int32_t *)data(&n, 1))[i], x[i % 8]);
		close_bench(&n);
		free(b);
	}
}

/* Of gathers that are out of range one is kept, whole, and all are counted. */
Test(cpu_loops, faults_of_threads)
{
	enum { N = 1000 };
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("faults", 0, 1, 0);
		int32_t l = tb_loop(b, -1, w ? LT_VECTOR : LT_PARALLEL, N, NULL, "i");
		int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 4),
			at = tb_buffer(b, "at", LT_I64, LT_INPUT, -1, N),
			y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, N);
		tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_F32, LT_F32), l, tb_access(b, y, "i0"), NULL, "y", 1);
		tb_read(b, tb_gather(b, x, "0", tb_access(b, at, "i0"), 4, 1));
		struct bench n;
		open_bench(&n, "cpu", b);
		n.n_thread = 3;
		for (int i = 0; i < N; i++)
			((int64_t *)data(&n, 1))[i] = i % 10 == 9 ? 1000 + i : i % 4;
		for (int i = 0; i < 4; i++)
			((float *)data(&n, 0))[i] = (float)i;
		cr_assert_eq(run(&n, 3), LT_OK, "%s", n.k.text);
		cr_expect_eq(n.fault.n, N / 10);
		cr_expect(n.fault.value % 10 == 9 && n.fault.value >= 1000 && n.fault.value < 2000 && n.fault.stmt == 0);
		for (int i = 0; i < N; i++)
			cr_assert_eq((double)((float *)data(&n, 2))[i], i % 10 == 9 ? 0.0 : i % 4);
		close_bench(&n);
		free(b);
	}
}
