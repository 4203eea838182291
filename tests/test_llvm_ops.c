/* tests/test_llvm_ops.c -- every operator, cast and reduction on the backend llvm, one value at a time and in
 * vectors, beside the operator table.
 *
 * LT_DENSE=1 sweeps the functions of f32 over sixteen times as many values; LT_SHOW=1 shows the greatest error found.
 */
#include "built.h"
#include "tests/llvm_plugin.h"
#include "treerun.h"
#include "vectors.h"

static const char *const plugin = "llvm";
static const enum lt_dtype computes[] = { LT_F32, LT_F64, LT_I32, LT_I64, LT_BOOL };
enum { N_COMPUTE = 5, N_VALUE = 6144 };                /* a multiple of each width */
static const int widths[] = { 1, 3, 8, 16, 32 };
enum { N_WIDTH = 5 };

static bool is_float(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_FLOAT; }

static double last_place(double x, enum lt_dtype t)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	double u = isfinite(x) && x != 0 ? ldexp(2 * info->unit, ilogb(x)) : info->tiny;
	return u > info->tiny ? u : info->tiny;
}

/* Units in the last place between a result and the table's value, not rounded; infinite where one is NaN, infinite or a
 * zero and the other is not, or a zero has the other sign. */
static double distance(double got, double want, enum lt_dtype t)
{
	double rounded = lt__round_to(tb_f(want), t).f;
	if (isnan(got) || isnan(rounded))
		return isnan(got) && isnan(rounded) ? 0 : INFINITY;
	if (got == rounded)
		return signbit(got) != signbit(rounded) ? INFINITY : isinf(got) ? 0 : fabs(got - want) / last_place(want, t);
	if (isinf(got) || isinf(rounded))
		return isfinite(want) && signbit(got) == signbit(want) && fabs(got) >= lt__dtype_info(t)->largest ? 1 : INFINITY;
	return fabs(got - want) / last_place(want, t);
}

/* Whether element i of the result is what the operator gives on v; *worst: the greatest distance so far. */
static bool right(enum lt_opcode code, const struct lt_op *op, const union lt_scalar *v, const void *result, int64_t i,
	double *worst)
{
	enum lt_dtype t = (enum lt_dtype)op->in[op->arity - 1], to = (enum lt_dtype)op->out;
	union lt_scalar got = lt__load(result, i, to);
	union lt_scalar want = code == LT_OP_cast ? lt__convert(v[0], t, to) : lt__op_value(code, lt__dtype_info(t)->cls, v);
	if (to == LT_BOOL && ((const uint8_t *)result)[i] > 1)
		return false;
	if (!is_float(to))
		return got.i == lt__round_to(want, to).i;
	double owed = lt__op_info(code)->ulp, d = distance(got.f, want.f, to);
	if (code == LT_OP_sigmoid && got.f == 0 && v[0].f < (t == LT_F32 ? -87 : -708))        /* exp(-x) may be infinite */
		d = 0;
	if (d > *worst)
		*worst = d;
	return owed <= 1 ? lt__round_to(want, to).f == got.f ? d < 1 : isnan(got.f) && d == 0 : d <= owed;
}

/* The statements y_o[i] = op_o(x[i], y[i], z[i]) for the operators that are given, all of one type of operand, i by a
 * loop over `width` lanes in one over the rest.  fixed >= 0: that operand is the constant. */
static struct tb *map_tree(int n_op, const int *ops, enum lt_dtype t, const enum lt_dtype *to, int width, int64_t n,
	int fixed, union lt_scalar constant)
{
	char row[32];
	struct tb *b = tb_new("map", 0, 2, 0);
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, n / width, NULL, "i"),
		l1 = tb_loop(b, l0, width > 1 ? LT_VECTOR : LT_UNROLL, width, NULL, "v");
	int32_t buffer[3] = { tb_buffer(b, "x", t, LT_INPUT, -1, n), tb_buffer(b, "y", t, LT_INPUT, -1, n),
		tb_buffer(b, "c", LT_BOOL, LT_INPUT, -1, n) };
	(void)snprintf(row, sizeof row, "%d*i0 + i1", width);
	int32_t at[3] = { tb_access(b, buffer[0], row), tb_access(b, buffer[1], row), tb_access(b, buffer[2], row) };
	for (int o = 0; o < n_op; o++) {
		const struct lt_opinfo *info = lt__op_info((enum lt_opcode)ops[o]);
		int32_t op = tb_op(b, info->name, t, to ? to[o] : t);
		int arity = b->op[op].arity, condition = arity == 3;
		int32_t r = tb_buffer(b, info->name, (enum lt_dtype)b->op[op].out, LT_OUTPUT, -1, n);
		tb_stmt(b, LT_MAP, op, l1, tb_access(b, r, row), NULL, info->name, o);
		if (condition)
			tb_read(b, at[2]);
		for (int k = 0; k < arity - condition; k++)
			if (k == fixed)
				tb_imm(b, t, constant);
			else
				tb_read(b, at[k]);
	}
	return b;
}

/* One run of such a tree on x and y, each element against the table.  worst[o]: the greatest distance, may be NULL. */
static void check_map(int n_op, const int *ops, enum lt_dtype t, const enum lt_dtype *to, int width, int64_t n,
	const void *x, const void *y, int fixed, union lt_scalar constant, double *worst)
{
	struct tb *b = map_tree(n_op, ops, t, to, width, n, fixed, constant);
	struct bench m;
	double greatest = 0;
	open_bench(&m, plugin, b);
	bench_set(&m, 0, x);
	bench_set(&m, 1, y);
	for (int64_t i = 0; i < n; i++)
		((uint8_t *)data(&m, 2))[i] = i % 3 == 0;
	cr_assert_eq(run(&m, (uint32_t)b->tree.n_slot), LT_OK, "%s", m.k.text);
	for (int o = 0; o < n_op; o++) {
		const struct lt_op *op = &b->op[o];
		for (int64_t i = 0, shown = 0; i < n && shown < 3; i++) {
			union lt_scalar v[3] = { fixed == 0 ? constant : lt__load(x, i, t),
				fixed == 1 ? constant : lt__load(y, i, t), { 0 } };
			if (op->arity == 3)
				v[2] = v[1], v[1] = v[0], v[0].i = i % 3 == 0;
			bool ok = right((enum lt_opcode)ops[o], op, v, data(&m, 3 + o), i, worst ? &worst[o] : &greatest);
			cr_expect(ok,
				"%s %s to %s, %d lanes%s, element %lld: (%.17g, %.17g | %lld, %lld) gave %.17g/%lld",
				op->name, lt__dtype_info(t)->name, lt__dtype_info((enum lt_dtype)op->out)->name, width,
				fixed < 0 ? "" : ", one operand a constant", (long long)i, v[0].f, v[1].f,
				(long long)v[0].i, (long long)v[1].i,
				lt__load(data(&m, 3 + o), i, (enum lt_dtype)op->out).f,
				(long long)lt__load(data(&m, 3 + o), i, (enum lt_dtype)op->out).i);
			shown += !ok;
		}
	}
	close_bench(&m);
	free(b);
}

static int operators_of(enum lt_dtype t, int arity, int *ops)
{
	int n = 0;
	for (int op = 0; op < LT_NOP; op++) {
		const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
		if (!info->data && lt__op_takes((enum lt_opcode)op, t) && (arity == 0 || info->arity == arity))
			ops[n++] = op;
	}
	return n;
}

/* x runs through the special values faster than y, so that pairs meet; the rest is random. */
static void operands(enum lt_dtype t, void *x, void *y)
{
	vector_values(x, t, N_VALUE, 1);
	vector_values(y, t, N_VALUE, 9);
}

static _Alignas(64) char x[65536 * 8], y[65536 * 8];

TestSuite(llvm_ops, .init = llvm_load, .timeout = 120);

Test(llvm_ops, all_types)
{
	for (enum lt_dtype t = 1; t < LT_NDTYPE; t++) {
		int ops[LT_NOP], n = operators_of(t, 0, ops);
		operands(t, x, y);
		for (int w = 0; w < N_WIDTH; w++)
			check_map(n, ops, t, NULL, widths[w], N_VALUE, x, y, -1, tb_i(0), NULL);
	}
}

/* All halves and integers of 16 bits, in two of the widths; special and random values of the others. */
Test(llvm_ops, casts_of_all_pairs)
{
	enum lt_dtype to[LT_NDTYPE];
	int casts[LT_NDTYPE];
	for (int i = 0; i + 1 < LT_NDTYPE; i++)
		to[i] = (enum lt_dtype)(i + 1), casts[i] = LT_OP_cast;
	for (enum lt_dtype t = 1; t < LT_NDTYPE; t++) {
		bool all = lt__dtype_info(t)->bytes == 2;
		vector_values(x, t, N_VALUE, 5);
		for (int i = 0; all && i < 65536; i++)
			((uint16_t *)(void *)x)[i] = (uint16_t)i;
		for (int w = 0; w < N_WIDTH; w++)
			check_map(LT_NDTYPE - 1, casts, t, to, widths[w],
				all && (widths[w] == 1 || widths[w] == 16) ? 65536 : N_VALUE, x, x, -1, tb_i(0), NULL);
	}
}

/* Constants take shorter ways: no guard of a division, one instruction for a minimum. */
Test(llvm_ops, constants)
{
	static const double reals[] = { 0.0, -0.0, 1, -2.5, NAN, INFINITY };
	static const int64_t wholes[] = { 0, 1, -1, 7, -8, INT64_MIN };
	for (int c = 0; c < N_COMPUTE - 1; c++) {
		enum lt_dtype t = computes[c];
		int ops[LT_NOP], n = operators_of(t, 2, ops);
		operands(t, x, y);
		for (int v = 0; v < 6; v++)
			for (int fixed = 0; fixed < 2; fixed++)
				for (int w = 1; w <= 8; w += 7)
					check_map(n, ops, t, NULL, w, 480, x, y, fixed,
						lt__round_to(is_float(t) ? tb_f(reals[v]) : tb_i(wholes[v]), t), NULL);
	}
}

/* Every operator of one operand on every f16 and every bf16. */
Test(llvm_ops, all_halves)
{
	static const enum lt_dtype halves[] = { LT_F16, LT_BF16 };
	int ops[LT_NOP], n = operators_of(LT_F32, 1, ops);
	for (int h = 0; h < 2; h++) {
		for (int i = 0; i < 65536; i++)
			lt__store(x, i, LT_F32, lt__scalar_of((uint64_t)i, halves[h]));
		check_map(n, ops, LT_F32, NULL, 1, 65536, x, x, -1, tb_i(0), NULL);
		check_map(n, ops, LT_F32, NULL, 16, 65536, x, x, -1, tb_i(0), NULL);
	}
}

/* Floats of every exponent through the functions that are not exact, in vectors of each width. */
Test(llvm_ops, functions_of_f32)
{
	static const int functions[] = { LT_OP_exp, LT_OP_log, LT_OP_tanh, LT_OP_sigmoid, LT_OP_erf, LT_OP_sin,
		LT_OP_cos, LT_OP_rsqrt };
	enum { N_FUNCTION = 8 };
	for (int w = 0; w < N_WIDTH; w++) {
		double worst[N_FUNCTION] = { 0 };
		int64_t n = 16384 / widths[w] * widths[w];
		uint32_t stride = (widths[w] == 16 ? 16381u : 262139u) / (getenv("LT_DENSE") ? 16 : 1), bits = (uint32_t)w;
		for (uint64_t done = 0; done < (1ull << 32) / stride; done += (uint64_t)n) {
			for (int64_t i = 0; i < n; i++, bits += stride)
				memcpy(x + 4 * i, &bits, 4);
			check_map(N_FUNCTION, functions, LT_F32, NULL, widths[w], n, x, x, -1, tb_i(0), worst);
		}
		for (int f = 0; f < N_FUNCTION && getenv("LT_SHOW"); f++)
			(void)fprintf(stderr, "%-8s x%-2d %.3f ulp\n", lt__op_info((enum lt_opcode)functions[f])->name, widths[w], worst[f]);
	}
}

/* r[i] = the reduction of `width` elements, by lanes that are folded in the end. */
static void check_folds(enum lt_dtype t, int width)
{
	enum { N = 24, REDUCTIONS = 4 };
	static const char *const names[REDUCTIONS] = { "add", "mul", "min", "max" };
	char row[32];
	struct tb *b = tb_new("fold", 0, 2, 0);
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, N, NULL, "i"), l1 = tb_loop(b, l0, LT_VECTOR, width, NULL, "v");
	int32_t from = tb_buffer(b, "x", t, LT_INPUT, -1, (int64_t)N * width), op[REDUCTIONS], r[REDUCTIONS];
	(void)snprintf(row, sizeof row, "%d*i0 + i1", width);
	for (int o = 0; o < REDUCTIONS; o++) {
		int code = lt__op_find(names[o]);
		if (!lt__op_takes((enum lt_opcode)code, t)) {
			r[o] = -1;
			continue;
		}
		op[o] = tb_op(b, names[o], t, t);
		r[o] = tb_buffer(b, names[o], t, LT_OUTPUT, -1, N);
		tb_reset(b, op[o], l0, tb_access(b, r[o], "i0"), names[o], o);
	}
	for (int o = 0; o < REDUCTIONS; o++)
		if (r[o] >= 0) {
			tb_stmt(b, LT_COMBINE, op[o], l1, tb_access(b, r[o], "i0"), NULL, names[o], o)->reducing = l1;
			tb_read(b, tb_access(b, from, row));
		}
	struct bench m;
	open_bench(&m, plugin, b);
	for (int i = 0; i < N * width; i++)             /* sums and products that no order rounds */
		lt__store(data(&m, 0), i, t,
			lt__round_to(is_float(t) ? tb_f(i % 7 == 6 ? -2
						     : i % 2       ? 1
								   : -1)
						 : tb_i(i * 2654435761 + 1),
				t));
	for (int i = 0; i < 2 * width && is_float(t); i++)
		lt__store(data(&m, 0), 5 * width + i, t, tb_f(i == 2 ? NAN : i == width ? INFINITY : 1));
	cr_assert_eq(run(&m, (uint32_t)b->tree.n_slot), LT_OK, "%s", m.k.text);
	for (int o = 0; o < REDUCTIONS; o++)
		for (int i = 0; r[o] >= 0 && i < N; i++) {
			enum lt_opcode code = (enum lt_opcode)lt__op_find(names[o]);
			union lt_scalar want = lt__op_identity(code, t), got = lt__load(data(&m, b->buffer[r[o]].slot), i, t);
			for (int k = 0; k < width; k++)
				want = lt__round_to(
					lt__op_value(code, lt__dtype_info(t)->cls,
						(union lt_scalar[]){ want, lt__load(data(&m, 0), i * width + k, t) }),
					t);
			cr_expect(is_float(t) ? same(got.f, want.f) : got.i == want.i,
				"%s of %d %s, number %d: %.17g/%lld, not %.17g/%lld", names[o], width,
				lt__dtype_info(t)->name, i, got.f, (long long)got.i, want.f, (long long)want.i);
		}
	close_bench(&m);
	free(b);
}

Test(llvm_ops, reductions)
{
	static const int lanes[] = { 2, 3, 5, 8, 16, 24 };
	for (int c = 0; c < N_COMPUTE; c++)
		for (int w = 0; w < 6; w++)
			check_folds(computes[c], lanes[w]);
}

/* What the backend does not know it says, before it compiles. */
Test(llvm_ops, an_unknown_operator_is_refused)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	int copy = LT_OP_copy;
	struct tb *b = map_tree(1, &copy, LT_F32, NULL, 4, 32, -1, tb_i(0));
	b->op[0].name = "gudermannian";
	b->op[0].source = "atanf(sinhf($0))";
	b->op[0].opcode = LT_OPCODE_TEXT;
	const struct lt_tree *t = tb_done(b);
	const struct lt_host host = { .size = sizeof host };
	const struct lt_backend *backend = lt_backend_find(plugin);
	cr_assert_eq(backend->open(&host, "", &s, &k.diag), LT_OK, "%s", k.text);
	cr_expect_eq(backend->accepts(s, t, &k.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(k.text, "gudermannian"), "%s", k.text);
	backend->close(s);
	free(b);
}
