/* test_backend.c -- the backends cpu and ref on trees made by hand, beside loops written here. */
#include <pthread.h>
#include <sys/mman.h>
#include "treerun.h"

static const char *const both[] = { "ref", "cpu" };
static float value(int64_t i) { return (float)((i * 7919) % 1013 - 506) / 64; }
static void near(const char *who, int64_t i, double got, double want, double scale)
{
	cr_expect(same(got, want) || fabs(got - want) <= 1e-6 * (fabs(want) + scale),
		"%s: element %lld is %.9g, not %.9g", who, (long long)i, got, want);
}

Test(backend, product_with_epilogue)
{
	enum { M = 7, N = 11, K = 23 };
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_product(M, N, K);
		struct bench n;
		open_bench(&n, both[w], b);
		float *A = data(&n, 0), *B = data(&n, 1), *bias = data(&n, 2), *C = data(&n, 3);
		for (int i = 0; i < M * K; i++)
			A[i] = value(i);
		for (int i = 0; i < K * N; i++)
			B[i] = value(i + 77);
		for (int i = 0; i < N; i++)
			bias[i] = value(i + 999);
		bias[3] = NAN;                  /* NaN goes through max */
		for (int again = 0; again < 2; again++) {
			cr_assert_eq(run(&n, 4), LT_OK, "%s", n.k.text);
			for (int m = 0; m < M; m++)
				for (int j = 0; j < N; j++) {
					double sum = 0, scale = 0;
					for (int k = 0; k < K; k++) {
						double p = (double)(A[m * K + k] * B[k * N + j]);
						sum += p, scale += fabs(p);
					}
					sum += (double)bias[j];
					near(both[w], m * N + j, (double)C[m * N + j], isnan(sum) ? sum : sum > 0 ? sum : 0, scale);
				}
		}
		close_bench(&n);
		free(b);
	}
}

/* softmax over the row: maximum, exponentials kept in a local row, sum, quotient. */
static struct tb *softmax(int rows, int n)
{
	struct tb *b = tb_new("softmax", 0, 4, 0);
	char at[64];
	(void)snprintf(at, sizeof at, "%d*i0 + i1", n);
	int32_t l0 = tb_loop(b, -1, LT_PARALLEL, rows, NULL, "row"), l1 = tb_loop(b, l0, LT_SERIAL, n, NULL, "c");
	int32_t l2 = tb_loop(b, l0, LT_VECTOR, n, NULL, "c"), l3 = tb_loop(b, l0, LT_UNROLL, n, NULL, "c");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, (int64_t)rows * n),
		y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, (int64_t)rows * n);
	int32_t m = tb_buffer(b, "max", LT_F32, LT_LOCAL, l0, 1), e = tb_buffer(b, "exp", LT_F32, LT_LOCAL, l0, n);
	int32_t s = tb_buffer(b, "sum", LT_F32, LT_LOCAL, l0, 1), d = tb_buffer(b, "sub", LT_F32, LT_LOCAL, l2, 1);
	int32_t max = tb_op(b, "max", LT_F32, LT_F32), add = tb_op(b, "add", LT_F32, LT_F32),
		sub = tb_op(b, "sub", LT_F32, LT_F32);
	int32_t ex = tb_op(b, "exp", LT_F32, LT_F32), div = tb_op(b, "div", LT_F32, LT_F32);
	int32_t am = tb_access(b, m, "0"), as = tb_access(b, s, "0"), ad = tb_access(b, d, "0"),
		ae = tb_access(b, e, "i2"), ae3 = tb_access(b, e, "i3");
	tb_reset(b, max, l0, am, "max", 1);
	tb_stmt(b, LT_REDUCE, max, l1, am, NULL, "max", 1);
	tb_read(b, tb_access(b, x, at));
	tb_reset(b, add, l0, as, "sum", 3);
	(void)snprintf(at, sizeof at, "%d*i0 + i2", n);
	tb_stmt(b, LT_MAP, sub, l2, ad, NULL, "sub", 2);
	tb_read(b, tb_access(b, x, at));
	tb_read(b, am);
	tb_stmt(b, LT_MAP, ex, l2, ae, NULL, "exp", 2);
	tb_read(b, ad);
	tb_stmt(b, LT_REDUCE, add, l2, as, NULL, "sum", 3);
	tb_read(b, ae);
	(void)snprintf(at, sizeof at, "%d*i0 + i3", n);
	tb_stmt(b, LT_MAP, div, l3, tb_access(b, y, at), NULL, "y", 4);
	tb_read(b, ae3);
	tb_read(b, as);
	return b;
}

Test(backend, softmax_rows_with_a_local_buffer)
{
	static const int sizes[] = { 1, 33, 5000 };             /* an element, on the stack, in the workspace */
	for (int w = 0; w < 2; w++)
		for (int z = 0; z < 3; z++) {
			int N = sizes[z], ROWS = 3;
			struct tb *b = softmax(ROWS, N);
			struct bench n;
			open_bench(&n, both[w], b);
			float *x = data(&n, 0), *y = data(&n, 1);
			for (int i = 0; i < ROWS * N; i++)
				x[i] = value(i);
			x[0] = -INFINITY;
			x[2 * N + N / 2] = NAN;                 /* only that row becomes NaN */
			cr_assert_eq(run(&n, 2), LT_OK, "%s", n.k.text);
			for (int r = 0; r < ROWS; r++) {
				double m = -INFINITY, sum = 0;
				for (int c = 0; c < N; c++)
					m = isnan(x[r * N + c]) || (double)x[r * N + c] > m ? (double)x[r * N + c] : m;
				for (int c = 0; c < N; c++)
					sum += exp((double)x[r * N + c] - m);
				for (int c = 0; c < N; c++)
					near(both[w], r * N + c, (double)y[r * N + c], r == 2 ? (double)NAN : exp((double)x[r * N + c] - m) / sum, 0.1);
			}
			close_bench(&n);
			free(b);
		}
}

/* y[i] = max over 3 taps of x padded by 2 with -inf; a read outside would fault or hit a sentinel. */
Test(backend, padded_window_reads_only_inside)
{
	enum { N = 9 };
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("window", 0, 2, 0);
		int32_t l0 = tb_loop(b, -1, LT_SERIAL, N + 2, NULL, "o"), l1 = tb_loop(b, l0, LT_SERIAL, 3, NULL, "tap");
		int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, N), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, N + 2);
		int32_t max = tb_op(b, "max", LT_F32, LT_F32), ay = tb_access(b, y, "i0");
		tb_reset(b, max, l0, ay, "y", 1);
		tb_stmt(b, LT_REDUCE, max, l1, ay, NULL, "y", 1);
		tb_pieces(b, LT_F32);
		tb_piece(b, tb_reads(tb_access(b, x, "i0 + i1 - 2")), "i0 + i1 - 2; 8 - i0 - i1 + 2");
		tb_piece(b, tb_is(LT_F32, tb_f(-INFINITY)), NULL);
		struct bench n;
		open_bench(&n, both[w], b);
		float in[N];
		for (int i = 0; i < N; i++)
			in[i] = -1 - (float)(i * i % 7);        /* a fill of 0 would win */
		bench_set(&n, 0, in);
		cr_assert_eq(run(&n, 2), LT_OK, "%s", n.k.text);
		for (int o = 0; o < N + 2; o++) {
			float want = -INFINITY;
			for (int k = 0; k < 3; k++)
				if (o + k - 2 >= 0 && o + k - 2 < N && in[o + k - 2] > want)
					want = in[o + k - 2];
			cr_expect_eq(((float *)data(&n, 1))[o], want, "%s: %d", both[w], o);
		}
		close_bench(&n);
		free(b);
	}
}

/* Three pieces in order, as a concatenation of x, an index and a fill. */
Test(backend, first_piece_that_holds_is_the_value)
{
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("pieces", 0, 1, 0);
		int32_t l = tb_loop(b, -1, LT_SERIAL, 12, NULL, "i");
		int32_t x = tb_buffer(b, "x", LT_I64, LT_INPUT, -1, 4), y = tb_buffer(b, "y", LT_I64, LT_OUTPUT, -1, 12);
		tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_I64, LT_I64), l, tb_access(b, y, "i0"), "10 - i0", "y", 1);
		tb_pieces(b, LT_I64);
		tb_piece(b, tb_reads(tb_access(b, x, "i0")), "3 - i0");
		tb_piece(b, (struct lt_piece){ .kind = LT_AFFINE, .access = -1, .row = tb_row(b, "100*i0 - 7") }, "7 - i0; i0 - 1");
		tb_piece(b, tb_is(LT_I64, tb_i(INT64_MIN)), NULL);
		struct bench n;
		open_bench(&n, both[w], b);
		bench_set(&n, 0, (int64_t[]){ 5, 6, 7, 8 });
		int64_t *out = data(&n, 1);
		out[11] = 42;                           /* after the statement's guard */
		cr_assert_eq(run(&n, 2), LT_OK, "%s", n.k.text);
		for (int i = 0; i < 12; i++)
			cr_expect_eq(out[i], i < 4 ? 5 + i : i < 8 ? 100 * i - 7 : i < 11 ? INT64_MIN : 42, "%s: %d", both[w], i);
		close_bench(&n);
		free(b);
	}
}

/* y[i, j] = table[index[i], j]; indices of two types, bad ones in the middle. */
Test(backend, gather_checks_its_index)
{
	static const int64_t index[5] = { 2, 0, 7, -1, 3 };
	for (int w = 0; w < 2; w++)
		for (int t = LT_I8; t <= LT_I64; t++) {
			struct tb *b = tb_new("gather", 0, 2, 0);
			int32_t l0 = tb_loop(b, -1, LT_SERIAL, 5, NULL, "i"), l1 = tb_loop(b, l0, LT_SERIAL, 3, NULL, "j");
			int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 12),
				v = tb_buffer(b, "index", (enum lt_dtype)t, LT_INPUT, -1, 5);
			int32_t y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 15);
			int32_t at = tb_access(b, v, "i0"), from = tb_gather(b, x, "i1", at, 4, 3);
			tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_F32, LT_F32), l1, tb_access(b, y, "3*i0 + i1"), NULL, "y", 1);
			tb_read(b, from);
			struct bench n;
			open_bench(&n, both[w], b);
			float *table = data(&n, 0), *out = data(&n, 2);
			for (int i = 0; i < 12; i++)
				table[i] = value(i);
			for (int good = 0; good < 2; good++) {
				n.fault = (struct lt_fault){ 0 };
				for (int i = 0; i < 5; i++)
					lt__store(data(&n, 1), i, (enum lt_dtype)t, tb_i(good ? i % 4 : index[i]));
				cr_assert_eq(run(&n, 3), LT_OK, "%s", n.k.text);
				for (int i = 0; i < 15; i++) {
					int64_t row = good ? i / 3 % 4 : index[i / 3] >= 0 && index[i / 3] < 4 ? index[i / 3] : 0;
					cr_expect_eq(out[i], table[row * 3 + i % 3], "%s: %d", both[w], i);
				}
				cr_expect_eq(n.fault.n != 0, !good);
				if (!good) {
					cr_expect_eq(n.fault.value, 7);
					cr_expect_eq(n.fault.stmt, 0);
					cr_expect_eq(n.fault.access, from);
				}
			}
			close_bench(&n);
			free(b);
		}
}

/* s = sum of x[0 .. pos+1): a bounded loop, with its parameter from a buffer; none gives the identity. */
Test(backend, bounded_loop_with_no_trips)
{
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("bounded", 1, 1, 0);
		int32_t l = tb_loop(b, -1, LT_SERIAL, 8, "p0", "t");
		int32_t x = tb_buffer(b, "x", LT_F64, LT_INPUT, -1, 8), y = tb_buffer(b, "y", LT_F64, LT_OUTPUT, -1, 1);
		int32_t p = tb_buffer(b, "pos", LT_I64, LT_INPUT, -1, 3), add = tb_op(b, "add", LT_F64, LT_F64),
			ay = tb_access(b, y, "0");
		tb_param(b, "pos", p, 2, -3, 8);
		tb_reset(b, add, -1, ay, "y", 1);
		tb_stmt(b, LT_REDUCE, add, l, ay, NULL, "y", 1);
		tb_read(b, tb_access(b, x, "i0"));
		struct bench n;
		open_bench(&n, both[w], b);
		for (int i = 0; i < 8; i++)
			((double *)data(&n, 0))[i] = 1 + i;
		for (int64_t pos = -3; pos <= 8; pos++) {
			((int64_t *)data(&n, 2))[2] = pos;
			cr_assert_eq(run(&n, 3), LT_OK, "%s", n.k.text);
			cr_expect_eq(*(double *)data(&n, 1), pos > 0 ? (double)(pos * (pos + 1) / 2) : 0, "%s: %d", both[w], (int)pos);
		}
		close_bench(&n);
		free(b);
	}
}

/* y[i] = x reshaped [4,6] to [24] and transposed: floor and mod; also of a row that is negative at first. */
Test(backend, floor_divisions)
{
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("reshape", 0, 1, 3);
		int32_t l = tb_loop(b, -1, LT_SERIAL, 24, NULL, "i");
		int32_t x = tb_buffer(b, "x", LT_I32, LT_INPUT, -1, 24), y = tb_buffer(b, "y", LT_I32, LT_OUTPUT, -1, 24);
		int32_t z = tb_buffer(b, "z", LT_I64, LT_OUTPUT, -1, 24);
		tb_div(b, "i0", 4, l);                  /* i = 4*d0 + rest: element [rest, d0] */
		tb_div(b, "i0 - 11", 5, l);
		tb_div(b, "d1 - 1", 2, l);              /* of a division */
		tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_I32, LT_I32), l, tb_access(b, y, "i0"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "6*i0 - 24*d0 + d0"));
		tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_I64, LT_I64), l, tb_access(b, z, "i0"), NULL, "z", 1);
		tb_affine(b, "100*d1 + d2");
		struct bench n;
		open_bench(&n, both[w], b);
		for (int i = 0; i < 24; i++)
			((int32_t *)data(&n, 0))[i] = i;
		cr_assert_eq(run(&n, 3), LT_OK, "%s", n.k.text);
		for (int i = 0; i < 24; i++) {
			int64_t d1 = (int64_t)floor((i - 11) / 5.0), d2 = (int64_t)floor((double)(d1 - 1) / 2);
			cr_expect_eq(((int32_t *)data(&n, 1))[i], i % 4 * 6 + i / 4);
			cr_expect_eq(((int64_t *)data(&n, 2))[i], 100 * d1 + d2, "%s: %d", both[w], i);
		}
		close_bench(&n);
		free(b);
	}
}

/* An extent of 41 in steps 13, 3, 1: each element once. */
Test(backend, tails_of_tails)
{
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("tails", 0, 3, 2);
		int32_t l0 = tb_loop(b, -1, LT_SERIAL, 4, NULL, "m");
		tb_div(b, "0", 1, -1);
		tb_div(b, "41 - 13*i0 + 2", 3, l0);
		int32_t l1 = tb_loop(b, l0, LT_SERIAL, 5, "d1", "m'"),
			l2 = tb_loop(b, l1, LT_SERIAL, 3, "13 - 3*i1; 41 - 13*i0 - 3*i1", "m''");
		int32_t y = tb_buffer(b, "y", LT_I32, LT_OUTPUT, -1, 41), add = tb_op(b, "add", LT_I32, LT_I32);
		tb_stmt(b, LT_REDUCE, add, l2, tb_access(b, y, "13*i0 + 3*i1 + i2"), NULL, "y", 1);
		tb_imm(b, LT_I32, tb_i(1));
		struct bench n;
		open_bench(&n, both[w], b);
		memset(data(&n, 0), 0, 41 * 4);
		cr_assert_eq(run(&n, 1), LT_OK, "%s", n.k.text);
		for (int i = 0; i < 41; i++)
			cr_expect_eq(((int32_t *)data(&n, 0))[i], 1, "%s: element %d written %d times", both[w], i,
				((int32_t *)data(&n, 0))[i]);
		close_bench(&n);
		free(b);
	}
}

/* Offsets above 2^31 and 2^32 bytes: a buffer of 6 GB of which two pages are touched. */
Test(backend, offsets_above_31_bits)
{
	enum { STEP = 2000000011 };
	int64_t bytes = 3 * (int64_t)STEP + 1;
	unsigned char *base =
		mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	cr_assert(base != MAP_FAILED);
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("large", 0, 1, 1);
		int32_t l = tb_loop(b, -1, LT_SERIAL, 4, NULL, "i"), y = tb_buffer(b, "y", LT_U8, LT_OUTPUT, -1, 1);
		tb_div(b, "3000000000000*i0", 1000000000, l);
		tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_U8, LT_U8), l, tb_access(b, y, "2000000011*i0 + 3000*i0 - d0"), NULL, "y", 1);
		tb_imm(b, LT_U8, tb_i(200 + w));
		struct bench n;
		open_bench(&n, both[w], b);
		b->buffer[0].elems = bytes;
		n.backend->destroy(n.object);
		const struct lt_tree *t = tb_done(b);
		cr_assert_eq(n.backend->compile(n.session, &t, 1, &n.object, &n.k.diag), LT_OK, "%s", n.k.text);
		struct lt_slot slot = { base, 0, bytes };
		struct lt_args args = {
			.size = sizeof args, .n_slot = 1, .slot = &slot, .workspace = n.workspace, .fault = &n.fault
		};
		cr_assert_eq(n.backend->run(n.object, &args, &n.k.diag), LT_OK, "%s", n.k.text);
		for (int64_t i = 0; i < 4; i++)
			cr_expect_eq(base[i * STEP], 200 + w);
		cr_expect_eq(base[1], 0);
		close_bench(&n);
		free(b);
	}
	munmap(base, (size_t)bytes);
}

/* Locals of an outer scope keep their value over the trips of inner loops; those of an inner one do not matter outside;
 * two buffers with one storage; a group. */
Test(backend, scopes_groups_and_aliases)
{
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("scopes", 0, 3, 0);
		int32_t l0 = tb_loop(b, -1, LT_SERIAL, 4, NULL, "i"), l1 = tb_loop(b, l0, LT_GROUP, 1, NULL, "g"),
			l2 = tb_loop(b, l1, LT_SERIAL, 3, NULL, "j");
		int32_t x = tb_buffer(b, "x", LT_I32, LT_STATE, -1, 12), y = tb_buffer(b, "y", LT_I32, LT_STATE, -1, 12);
		int32_t s = tb_buffer(b, "s", LT_I32, LT_LOCAL, l0, 1), e = tb_buffer(b, "e", LT_I32, LT_LOCAL, l2, 1),
			add = tb_op(b, "add", LT_I32, LT_I32);
		int32_t as = tb_access(b, s, "0"), ae = tb_access(b, e, "0");
		b->buffer[y].alias_of = x;
		b->buffer[y].slot = b->buffer[x].slot;
		b->tree.n_slot = 1;
		tb_reset(b, add, l0, as, "s", 1);
		tb_stmt(b, LT_MAP, tb_op(b, "neg", LT_I32, LT_I32), l2, ae, NULL, "e", 1);
		tb_read(b, tb_access(b, x, "3*i0 + i2"));
		tb_stmt(b, LT_REDUCE, add, l2, as, NULL, "s", 1);
		tb_read(b, ae);
		tb_stmt(b, LT_MAP, add, l2, tb_access(b, y, "3*i0 + i2"), NULL, "y", 1);
		tb_read(b, as);
		tb_imm(b, LT_I32, tb_i(1000));
		struct bench n;
		open_bench(&n, both[w], b);
		int32_t in[12], sum = 0;
		for (int i = 0; i < 12; i++)
			in[i] = i * i;
		bench_set(&n, 0, in);
		cr_assert_eq(run(&n, 1), LT_OK, "%s", n.k.text);
		for (int i = 0; i < 12; i++) {
			sum = (i % 3 ? sum : 0) - in[i];
			cr_expect_eq(((int32_t *)data(&n, 0))[i], sum + 1000, "%s: %d", both[w], i);
		}
		close_bench(&n);
		free(b);
	}
}

Test(backend, caps_describe_the_machine)
{
	for (int w = 0; w < 2; w++) {
		const struct lt_backend *back = lt_backend_find(both[w]);
		const struct lt_host host = { .size = sizeof host };
		struct keeper k = keeper_new();
		struct lt_session *s;
		cr_expect_eq(back->score("", &k.diag), w ? 100 : 1);
		cr_assert_eq(back->open(&host, "", &s, &k.diag), LT_OK);
		const struct lt_caps *c = back->caps(s);
		cr_expect_eq(c->dtypes, 0x3ffe);
		cr_expect(c->understands & LT_NEED_GATHER && !c->device_memory);
		cr_expect(c->target->vector_bytes >= (w ? 16 : 0) && c->target->cores >= 1
			&& c->target->l1_bytes >= 8192 && c->target->cache_line);
		cr_expect(c->target->l2_bytes >= c->target->l1_bytes);
		back->close(s);
		cr_expect_eq(back->open(&host, "x=1", &s, &k.diag), LT_EINVAL);
		cr_expect(s == NULL && strstr(k.text, "unknown option 'x=1'"));
		cr_expect_eq(back->score("x=1", &k.diag), 0);
	}
}

static void *one_thread(void *arg)
{
	struct tb *b = softmax(50, 40);
	struct bench n;
	(void)arg;
	open_bench(&n, "cpu", b);
	float *x = data(&n, 0), *y = data(&n, 1);
	bool ok = true;
	for (int i = 0; i < 2000; i++)
		x[i] = value(i);
	for (int again = 0; again < 50; again++) {
		run(&n, 2);
		double sum = 0;
		for (int i = 0; i < 40; i++)
			sum += (double)y[again * 40 + i];
		ok = ok && fabs(sum - 1) < 1e-5;
	}
	close_bench(&n);
	free(b);
	return ok ? arg : NULL;
}

Test(backend, sessions_on_two_threads)
{
	pthread_t thread[2];
	void *ok;
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, one_thread, &thread), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], &ok);
		cr_expect(ok != NULL);
	}
}
