/* test_operators.c -- every operator and every cast on the backends cpu and ref, beside the operator table;
 * random rows, guards, divisions and bounds on cpu beside ref. */
#include "treerun.h"

static const char *const both[] = { "ref", "cpu" };
static const double floats[] = { 0.0, -0.0, 0.25, -0.5, 1, -1, 1.5, 2.5, -2.5, 3, -7.25, 10, -20, 0x1p-30, 127, 127.5,
	128, -128, -128.5, -129, 255.5, 256, 32767.5, 65504, 65519, 65520, 2147483647.0, 2147483648.0, -2147483648.0,
	-2147483904.0, 9.2e18, 9223372036854775808.0, -9223372036854775808.0, 1e30, -1e30, 0x1p-14, 0x1p-24, 0x1p-25,
	0x1.8p-25, 0x1p-26, 0x1p-133, 0x1p-134, 0x1.8p-134, 0x1.01p0, 0x1.03p0, 0x1.00010001p0, 0x1.002p0, 0x1.006p0,
	0x1.0020000001p0, 0x1.fep127, 0x1.ffp127, 3.3e38, INFINITY, -INFINITY, NAN };
static const int64_t ints[] = { 0, 1, -1, 2, 3, -3, 7, -8, 100, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768,
	65519, 65520, 65535, 16777217, 2147483647, -2147483648, 4294967295, 4611686018427387905, 0x4040000000000001,
	0x4040000000000000, 0x40c0000000000000, 9223372036854775807, (-9223372036854775807 - 1), 9007199254740993 };
enum { N_FLOAT = sizeof floats / sizeof *floats, N_INT = sizeof ints / sizeof *ints };

/* Edge values of type t. */
static int fill(void *at, enum lt_dtype t)
{
	bool is_float = lt__dtype_info(t)->cls == LT_CLASS_FLOAT;
	int n = is_float ? N_FLOAT : N_INT;
	for (int i = 0; at && i < n; i++)
		lt__store(at, i, t, lt__round_to(is_float ? tb_f(floats[i]) : tb_i(ints[i]), t));
	return n;
}

/* All pairs of types as one kernel: buffer i of type i goes to each other. */
Test(operators, casts_of_all_pairs)
{
	for (int w = 0; w < 2; w++) {
		struct tb *b = tb_new("casts", 0, 20, 0);
		int32_t in[LT_NDTYPE], out[LT_NDTYPE];
		char at[64];
		for (int t = 1; t < LT_NDTYPE; t++)
			in[t] = tb_buffer(b, lt__dtype_info((enum lt_dtype)t)->name, (enum lt_dtype)t, LT_INPUT, -1,
				fill(NULL, (enum lt_dtype)t));
		for (int to = 1; to < LT_NDTYPE; to++)
			out[to] = tb_buffer(b, "out", (enum lt_dtype)to, LT_OUTPUT, -1, 100 * LT_NDTYPE);
		for (int t = 1; t < LT_NDTYPE; t++) {
			int32_t l = tb_loop(b, -1, LT_SERIAL, fill(NULL, (enum lt_dtype)t), NULL, "i");
			(void)snprintf(at, sizeof at, "i%d", (int)l);
			int32_t from = tb_access(b, in[t], at);
			(void)snprintf(at, sizeof at, "i%d + %d", (int)l, 100 * t);
			for (int to = 1; to < LT_NDTYPE; to++) {
				tb_stmt(b, LT_MAP, tb_op(b, "cast", (enum lt_dtype)t, (enum lt_dtype)to), l,
					tb_access(b, out[to], at), NULL, "cast", t);
				tb_read(b, from);
			}
		}
		while (b->n_loop < 20)
			tb_loop(b, -1, LT_SERIAL, 1, NULL, "unused");
		struct bench n;
		open_bench(&n, both[w], b);
		for (int t = 1; t < LT_NDTYPE; t++)
			fill(data(&n, t - 1), (enum lt_dtype)t);
		cr_assert_eq(run(&n, (uint32_t)b->tree.n_slot), LT_OK, "%s", n.k.text);
		for (int t = 1; t < LT_NDTYPE; t++)
			for (int to = 1; to < LT_NDTYPE; to++)
				for (int i = 0; i < b->buffer[in[t]].elems; i++) {
					union lt_scalar x = lt__load(data(&n, t - 1), i, (enum lt_dtype)t);
					union lt_scalar want = lt__convert(x, (enum lt_dtype)t, (enum lt_dtype)to);
					union lt_scalar got = lt__load(data(&n, LT_NDTYPE - 2 + to), 100 * t + i, (enum lt_dtype)to);
					bool is_float = lt__dtype_info((enum lt_dtype)to)->cls == LT_CLASS_FLOAT;
					cr_expect(is_float ? same(got.f, want.f) : got.i == want.i,
						"%s: %s %s of %s number %d: %g/%lld, not %g/%lld", both[w],
						lt__dtype_info((enum lt_dtype)to)->name, "is the cast",
						lt__dtype_info((enum lt_dtype)t)->name, i, got.f, (long long)got.i,
						want.f, (long long)want.i);
				}
		close_bench(&n);
		free(b);
	}
}

static double ulp(double x, enum lt_dtype t)
{
	double unit = lt__dtype_info(t)->unit, tiny = lt__dtype_info(t)->tiny;
	double u = isfinite(x) && x != 0 ? ldexp(unit * 2, ilogb(x)) : tiny;
	return u > tiny ? u : tiny;
}

/* One loop for each operator of a compute type over operands that are rotated against each other. */
static void all_operators(const char *backend, enum lt_dtype t)
{
	int ops[LT_NOP], n_op = 0, n = fill(NULL, t);
	for (int op = 0; op < LT_NOP; op++)
		if (!lt__op_info((enum lt_opcode)op)->data && lt__op_takes((enum lt_opcode)op, t))
			ops[n_op++] = op;
	struct tb *b = tb_new("operators", 0, 2, 0);
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, n, NULL, "i"), l1 = tb_loop(b, l0, LT_SERIAL, n, NULL, "j"), y[LT_NOP];
	int32_t x = tb_buffer(b, "x", t, LT_INPUT, -1, n), c = tb_buffer(b, "c", LT_BOOL, LT_INPUT, -1, n);
	int32_t reads[3] = { tb_access(b, x, "i0"), tb_access(b, x, "i1"), 0 }, condition = tb_access(b, c, "i0");
	char at[32];
	(void)snprintf(at, sizeof at, "%d*i0 + i1", n);
	for (int i = 0; i < n_op; i++) {
		const struct lt_opinfo *info = lt__op_info((enum lt_opcode)ops[i]);
		int32_t op = tb_op(b, info->name, t, t);
		y[i] = tb_buffer(b, info->name, (enum lt_dtype)b->op[op].out, LT_OUTPUT, -1, (int64_t)n * n);
		tb_stmt(b, LT_MAP, op, l1, tb_access(b, y[i], at), NULL, info->name, i);
		if (info->arity == 3)
			tb_read(b, condition);
		for (int k = 0; k < info->arity - (info->arity == 3); k++)
			tb_read(b, reads[k]);
	}
	struct bench m;
	open_bench(&m, backend, b);
	fill(data(&m, 0), t);
	for (int i = 0; i < n; i++)
		((uint8_t *)data(&m, 1))[i] = i % 3 == 0;
	cr_assert_eq(run(&m, (uint32_t)b->tree.n_slot), LT_OK, "%s", m.k.text);
	for (int i = 0; i < n_op; i++)
		for (int e = 0; e < n * n; e++) {
			const struct lt_opinfo *info = lt__op_info((enum lt_opcode)ops[i]);
			union lt_scalar v[3] = { lt__load(data(&m, 0), e / n, t), lt__load(data(&m, 0), e % n, t), { 0 } };
			if (info->arity == 3)
				v[2] = v[1], v[1] = v[0], v[0].i = e / n % 3 == 0;
			enum lt_dtype to = info->to_bool ? LT_BOOL : t;
			union lt_scalar want = lt__round_to(lt__op_value((enum lt_opcode)ops[i], t, v), to);
			union lt_scalar got = lt__load(data(&m, b->buffer[y[i]].slot), e, to);
			bool ok = lt__dtype_info(to)->cls != LT_CLASS_FLOAT ? got.i == want.i
				: same(got.f, want.f) || fabs(got.f - want.f) <= info->ulp * ulp(want.f, to)
				|| (isinf(want.f) && fabs(got.f) >= lt__dtype_info(to)->largest && info->ulp);
			cr_expect(ok, "%s: %s %s (%.17g, %.17g | %lld, %lld): %.17g/%lld, not %.17g/%lld", backend,
				info->name, lt__dtype_info(t)->name, v[0].f, v[1].f, (long long)v[0].i,
				(long long)v[1].i, got.f, (long long)got.i, want.f, (long long)want.i);
		}
	close_bench(&m);
	free(b);
}

static const enum lt_dtype computes[] = { LT_F32, LT_F64, LT_I32, LT_I64, LT_BOOL };
Test(operators, on_ref) { for (int i = 0; i < 5; i++) all_operators("ref", computes[i]); }
Test(operators, on_cpu) { for (int i = 0; i < 5; i++) all_operators("cpu", computes[i]); }

static uint64_t seed;
static int64_t pick(int64_t low, int64_t high)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return low + (int64_t)((seed >> 33) % (uint64_t)(high - low + 1));
}

/* A row over the columns that may be used where it stands, as text for tb_row. */
static const char *random_row(int n_loop, int n_div)
{
	static char text[256];
	size_t n = (size_t)snprintf(text, sizeof text, "%lld", (long long)pick(0, 20));
	for (int k = (int)pick(0, 4); k > 0; k--) {
		static const int64_t coefs[] = { 1, 1, 1, 2, 3, 7, 13, 100, 4294967311 };
		int what = (int)pick(0, 2), max = what == 0 ? 2 : what == 1 ? n_loop : n_div;
		if (max)
			n += (size_t)snprintf(text + n, sizeof text - n, " %c %lld*%c%d", pick(0, 1) ? '+' : '-',
				(long long)coefs[pick(0, what == 1 ? 8 : 7)], "pid"[what], (int)pick(0, max - 1));
	}
	return text;
}

/* Three nested loops with random bounds; sums of random rows, in pieces, under guards, at each place. */
static struct tb *random_tree(void)
{
	struct tb *b = tb_new("random", 2, 3, 4);
	for (int l = 0; l < 3; l++) {
		char bounds[512] = "";
		size_t n = 0;
		for (int k = (int)pick(0, 2); k > 0; k--)
			n += (size_t)snprintf(bounds + n, sizeof bounds - n, "%s%s", n ? ";" : "", random_row(l, 0));
		tb_loop(b, l - 1, pick(0, 4) ? LT_SERIAL : LT_UNROLL, pick(1, 6), bounds, "v");
	}
	int32_t y = tb_buffer(b, "y", LT_I64, LT_OUTPUT, -1, 4 * 1000), p = tb_buffer(b, "p", LT_I64, LT_INPUT, -1, 2);
	tb_param(b, "p", p, 0, -9, 9);
	tb_param(b, "q", p, 1, 0, 1000);
	for (int d = 0; d < 4; d++)
		tb_div(b, random_row(d, d), pick(1, 9), d - 1);
	int32_t add = tb_op(b, "add", LT_I64, LT_I64);
	for (int s = 0; s < 4; s++) {
		char at[64], guards[512] = "";
		size_t n = 0;
		(void)snprintf(at, sizeof at, "%d + 100*i0 + 10*i1 + i2", 1000 * s);
		for (int k = (int)pick(0, 2); k > 0; k--)
			n += (size_t)snprintf(guards + n, sizeof guards - n, "%s%s", n ? ";" : "", random_row(3, 4));
		tb_stmt(b, s % 2 ? LT_REDUCE : LT_MAP, add, 2, tb_access(b, y, at), guards, "y", s);
		for (int o = s % 2; o < 2; o++) {
			tb_pieces(b, LT_I64);
			for (int k = (int)pick(1, 3); k > 0; k--) {
				struct lt_piece piece = { .kind = LT_AFFINE, .access = -1, .row = tb_row(b, random_row(3, 4)) };
				tb_piece(b, pick(0, 3) ? piece : tb_is(LT_I64, tb_i(pick(-5, 5))), k > 1 ? random_row(3, 4) : NULL);
			}
		}
	}
	return b;
}

Test(operators, random_rows_agree)
{
	uint64_t begin = 20240611;
	for (int i = 0; i < 12; i++) {
		int64_t *out[2];
		struct bench n[2];
		struct tb *b;
		seed = begin + (uint64_t)i;
		b = random_tree();
		for (int w = 0; w < 2; w++) {
			open_bench(&n[w], both[w], b);
			out[w] = data(&n[w], 0);
		}
		for (int64_t v = -9; v <= 9; v += 3) {
			for (int w = 0; w < 2; w++) {
				((int64_t *)data(&n[w], 1))[0] = v;
				((int64_t *)data(&n[w], 1))[1] = (v + 9) * 50;
				cr_assert_eq(run(&n[w], 2), LT_OK, "seed %llu: %s", (unsigned long long)begin + (unsigned)i, n[w].k.text);
			}
			cr_expect(memcmp(out[0], out[1], 4000 * sizeof *out[0]) == 0, "seed %llu, p = %lld",
				(unsigned long long)begin + (unsigned)i, (long long)v);
		}
		for (int w = 0; w < 2; w++)
			close_bench(&n[w]);
		free(b);
	}
}
