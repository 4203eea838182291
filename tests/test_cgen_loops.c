/* tests/test_cgen_loops.c -- what unroll, vector and parallel loops are printed as, and that some of it runs. */
#include <criterion/criterion.h>
#include "backends/cgen/cgen.h"
#include "treerun.h"

TestSuite(cgen_loops, .timeout = 120);

/* The caller's to free(); vectors of that many bytes. */
static char *print(struct tb *b, uint32_t vector_bytes, int named, struct lt_cgen_need *need)
{
	char *text;
	struct lt_cgen_need mine;
	struct keeper k = keeper_new();
	struct lt_dialect d = lt__dialect_c;
	d.vector_bytes = vector_bytes;
	cr_assert_eq(lt__cgen_print(&d, tb_done(b), named, &text, need ? need : &mine, &k.diag), LT_OK, "%s", k.text);
	return text;
}

static void has(const char *text, const char *part)
{
	cr_expect(strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text);
}
static void lacks(const char *text, const char *part)
{
	cr_expect(strstr(text, part) == NULL, "\"%s\" in\n%s", part, text);
}
static int count(const char *text, const char *part)
{
	int n = 0;
	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

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

/* Accumulators are variables, and nothing else is kept. */
Test(cgen_loops, a_register_tile_reads_like_one_by_hand)
{
	struct tb *b = tile(12, 5);
	char *text = print(b, 64, 1, NULL);
	has(text, "\t\tlt_f32x16 c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15;\n");
	has(text, "\t\tc_23 = lt_all_f32x16(0.0f);\n\t\tfor (int64_t k = 0; k < 5; k++) {\n");
	has(text,
		"\t\t\t{\n\t\t\t\tconst lt_f32x16 p = lt_all_f32x16(A[30*m + k + 5]) * *(const lt_f32x16_u *)(B + 64*k "
		"+ 48);\n\t\t\t\tc_7 = c_7 + p;\n\t\t\t}\n");
	has(text, "\t\t*(lt_f32x16_u *)(C + 384*m + 368) = c_23;\n");
	lacks(text, "c[");
	cr_expect_eq(count(text, " + p;"), 24);
	cr_expect_eq(count(text, "for ("), 2);
	free(text);
	free(b);
}

Test(cgen_loops, a_register_tile_on_smaller_vectors)
{
	struct tb *b = tile(6, 3);
	char *text = print(b, 16, 1, NULL);
	cr_expect_eq(count(text, " + p;"), 96);
	has(text, "lt_f32x4 c_0, c_1");
	has(text, "c_95 = c_95 + p;");
	lacks(text, "c[");
	free(text);
	free(b);
}

/* What is compiled does not depend on names. */
Test(cgen_loops, equal_trees_give_equal_text)
{
	struct tb *a = tile(12, 5), *b = tile(12, 5);
	for (int i = 0; i < b->n_buffer; i++)
		b->buffer[i].name = "team";
	for (int i = 0; i < b->n_loop; i++)
		b->loop[i].var = "own", b->loop[i].kind = a->loop[i].kind = i ? b->loop[i].kind : LT_PARALLEL;
	for (int i = 0; i < b->n_stmt; i++)
		b->stmt[i].name = "*/", b->stmt[i].line = 99;
	char *one = print(a, 64, 0, NULL), *two = print(b, 64, 0, NULL);
	cr_expect_str_eq(one, two);
	free(one);
	free(two);
	free(a);
	free(b);
}

Test(cgen_loops, a_register_tile_runs)
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

/* out[i] = x[ROW of it] in a loop of that kind; t: of the elements. */
static struct tb *copies(
	int32_t kind, int64_t trip_count, const char *bounds, const char *from, const char *to, enum lt_dtype t)
{
	bool divides = strchr(from, 'd') != NULL;
	struct tb *b = tb_new("copies", 0, 2, divides ? 2 : 0);
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, 3, NULL, "o"), l1 = tb_loop(b, l0, kind, trip_count, bounds, "i");
	int32_t x = tb_buffer(b, "x", t, LT_INPUT, -1, 100000), y = tb_buffer(b, "y", t, LT_OUTPUT, -1, 100000);
	if (divides) {
		tb_div(b, "i1 + 16*i0", 56, l1);
		tb_div(b, "i1 + 12*i0 + 36", 12, l1);
	}
	tb_stmt(b, LT_MAP, tb_op(b, "copy", t, t), l1, tb_access(b, y, to), NULL, "y", 1);
	tb_read(b, tb_access(b, x, from));
	return b;
}

Test(cgen_loops, vectors_fit_registers_and_the_rest_gets_narrower)
{
	static const struct { int64_t trip_count; enum lt_dtype t; uint32_t bytes; const char *has, *lacks;
	} cases[] = {
		{ 24, LT_F32, 64,
			"*(lt_f32x16_u *)(y + 100*o) = *(const lt_f32x16_u *)(x + 100*o);\n\t\t*(lt_f32x8_u *)(y + "
			"100*o + 16) =",
			"for (int64_t i" },
		{ 7, LT_F32, 64,
			"(y + 100*o + 4) = *(const lt_f32x2_u *)(x + 100*o + 4);\n\t\ty[100*o + 6] = x[100*o + 6];",
			"for (int64_t i" },
		{ 16, LT_F64, 32, "lt_f64x4_u *)(y + 100*o + 12)", "lt_f64x8" },
		{ 16, LT_BF16, 64, "*(lt_u16x16_u *)(y + 100*o) =", "lt_u16x8" },
		{ 1000, LT_F32, 64,
			"for (int64_t i_from = 0; i_from < 992; i_from += 16) {\n\t\t\t/* %y = copy, line 1 "
			"*/\n\t\t\t*(lt_f32x16_u *)(y + 100*o + i_from) =",
			"lt_f32x4" },
		{ 16, LT_F32, 0, "for (int64_t i = 0; i < 16; i++) {", "lt_f32x" },
		{ 1, LT_F32, 64, "\t\ty[100*o] = x[100*o];", "lt_f32x" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tb *b = copies(LT_VECTOR, cases[i].trip_count, NULL, "100*i0 + i1", "100*i0 + i1", cases[i].t);
		char *text = print(b, cases[i].bytes, 1, NULL);
		has(text, cases[i].has);
		lacks(text, cases[i].lacks);
		free(text);
		free(b);
	}
}

Test(cgen_loops, accesses_are_loads_broadcasts_or_elements)
{
	static const struct { const char *from, *to, *has, *lacks;
	} cases[] = {
		{ "i0", "4*i0 + i1", "lt_all_f32x4(x[o])", "for (int64_t i" },
		{ "4*i0 + 3 - i1", "4*i0 + i1",
			"LT_SHUFFLE(*(const lt_f32x4_u *)(x + 4*o + 3 - 3), lt_i32x4, 3, 2, 1, 0)", "for (int64_t i" },
		{ "4*i0 + 5*i1", "4*i0 + i1", "(lt_f32x4){ t0[0], t0[5], t0[10], t0[15] }", "for (int64_t i" },
		{ "4*i0 + i1", "4*i0 + 3*i1", "t0[9] = t1[3];", "for (int64_t i" },
		{ "4*d1 + i1", "4*i0 + i1", "const int64_t d1 = o + 3;", "lt_floordiv_i64(4*o" },
		/* a row of 56: most vectors do not leave it */
		{ "100*d0 + i1", "4*i0 + i1",
			"if (d0 == lt_floordiv_i64(16*o + 3, 56)) {\n\t\t\t\t*(lt_f32x4_u *)(y + 4*o) = *(const "
			"lt_f32x4_u *)(x + 100*d0);",
			"#" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tb *b = copies(LT_VECTOR, 4, NULL, cases[i].from, cases[i].to, LT_F32);
		char *text = print(b, 16, 1, NULL), *kernel = strstr(text, "LT_KERNEL void");
		has(kernel, cases[i].has);
		lacks(kernel, cases[i].lacks);
		free(text);
		free(b);
	}
}

Test(cgen_loops, lanes_may_be_off)
{
	struct tb *b = copies(LT_VECTOR, 8, "20 - 8*i0", "8*i0 + i1", "8*i0 + i1", LT_F32);
	char *text = print(b, 16, 1, NULL);
	has(text,
		"\t\tconst int64_t i_trips = lt_min_i64(8, 20 - 8*o);\n\t\tif (i_trips >= 4) {\n\t\t\t/* %y = copy, "
		"line 1 */\n\t\t\t*(lt_f32x4_u *)(y + 8*o) =");
	has(text,
		"} else if (i_trips > 4) {\n\t\t\tconst int64_t on1_2 = i_trips - 4;\n\t\t\tlt_store_f32x4(y + 8*o + "
		"4, lt_load_f32x4(x + 8*o + 4, on1_2), on1_2);\n");
	free(text);
	free(b);
}

Test(cgen_loops, unrolled_trips_are_numbers)
{
	struct tb *b = copies(LT_UNROLL, 4, "9", "100*d0 + 3*i1", "4*i0 + i1", LT_F32);
	b->tree.rows = b->rows;
	char *text = print(b, 16, 1, NULL);
	has(text, "y[4*o + 3] = x[100*d0 + 9];");
	cr_expect_eq(count(text, "for ("), 1);
	free(text);
	free(b);
	/* Guards that are decided go, and what they guard with them. */
	b = copies(LT_UNROLL, 3, NULL, "i1", "i1", LT_F32);
	b->stmt[0].n_guard = tb_rows(b, "i1 - 1; 5 - i1; i0 + i1 - 2", b->guards, &b->n_guard);
	text = print(b, 16, 1, NULL);
	cr_expect_eq(count(text, "y["), 2);
	has(text, "\t\tif (o >= 1) {\n\t\t\ty[1] = x[1];\n");
	has(text, "\t\ty[2] = x[2];\n");
	free(text);
	free(b);
	/* Text is bounded. */
	b = copies(LT_UNROLL, 5000, NULL, "i1", "i1", LT_F32);
	text = print(b, 16, 1, NULL);
	has(text, "#pragma GCC unroll 8\n\t\tfor (int64_t i = 0; i < 5000; i++) {\n");
	free(text);
	free(b);
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

Test(cgen_loops, parallel_loops_are_functions_for_all_threads)
{
	struct lt_cgen_need need;
	struct tb *b = threads(3, 5, 1);
	char *text = print(b, 16, 1, &need);
	has(text,
		"struct threads_0_args { const int32_t *x; int32_t *y; };\n\n"
		"LT_KERNEL void threads_0(const int32_t *restrict x, int32_t *restrict y, int64_t first, int64_t last)\n{\n"
		"\tint64_t a = first / 5;\n\tint64_t b = first % 5;\n"
		"\tfor (int64_t point = first; point < last; point++) {\n\t\tfor (int64_t i = 0;");
	has(text, "\t\tif (++b == 5) {\n\t\t\tb = 0;\n\t\t\ta++;\n\t\t}\n\t}\n}\n\n"
		"static void threads_0_team(void *arg, int64_t first, int64_t last, uint32_t thread)\n{\n"
		"\tconst struct threads_0_args *const a = arg;\n\t(void)thread;\n\tthreads_0(a->x, a->y, first, last);\n}\n");
	has(text, "LT_KERNEL void threads(const int32_t *restrict x, int32_t *restrict y, const struct lt_team *team)\n{\n"
		"\t{\n\t\tstruct threads_0_args args = { x, y };\n"
		"\t\tteam->parallel_for(team->host, team->n_thread, 3*5, threads_0_team, &args);\n\t}\n}\n");
	cr_expect(need.threads && need.private_ == 0 && need.shared == 0);
	free(text);
	free(b);
	/* One inside another that does not collapse with it runs in one thread. */
	b = threads(3, 5, 1);
	b->loop[1].first_bound = b->n_bound;
	b->loop[1].n_bound = tb_rows(b, "5 - i0", b->bounds, &b->n_bound);
	text = print(b, 16, 1, &need);
	lacks(text, "point");
	cr_expect_eq(count(text, "team->parallel_for("), 1);
	free(text);
	free(b);
	/* One trip is shared out by nobody. */
	b = threads(1, 1, 1);
	text = print(b, 16, 1, &need);
	lacks(text, "team->");
	cr_expect(!need.threads);
	free(text);
	free(b);
	/* Large locals lie in the thread's part of the workspace. */
	b = threads(3, 5, 5000);
	text = print(b, 16, 1, &need);
	cr_expect(need.threads && need.private_ == 20032 && need.shared == 0);
	has(text,
		"\tchar *const own = a->private_ + 20032*(int64_t)thread;\n\tthreads_0(a->x, a->y, (void *)(own + 0), first, "
		"last);\n}\n");
	has(text, "struct threads_0_args args = { x, y, private_ };");
	has(text, "int32_t *restrict v, int64_t first, int64_t last)");
	free(text);
	free(b);
	/* Names of the graph are not those of the functions. */
	b = threads(3, 5, 1);
	b->buffer[0].name = "team";
	b->buffer[1].name = "first";
	b->loop[0].var = "point";
	b->loop[1].var = "last";
	text = print(b, 16, 1, &need);
	has(text, "const int32_t *restrict team_2, int32_t *restrict first_2, int64_t first, int64_t last)");
	has(text, "int64_t point_2 = first / 5;\n\tint64_t last_2 = first % 5;");
	free(text);
	free(b);
}

Test(cgen_loops, threads_give_the_same)
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
Test(cgen_loops, faults_of_threads)
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
