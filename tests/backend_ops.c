/* backend_ops.c -- maps of every operator, cast and constant (backend_ops.h). */
#include "tests/backend_ops.h"

enum { N_VALUE = 6144, N_HALF = 65536 };               /* the first is a multiple of each width */
static const int widths[] = { 1, 3, 8, 16, 32 };
enum { N_WIDTH = sizeof widths / sizeof *widths };

static bool is_float(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_FLOAT; }

/* The statements of one width, in loops of their own. */
static void add_width(struct tb *b, const struct ops_map *m, int w, const int32_t *from, const int32_t *result)
{
	char row[64], to[96];
	int width = m->width[w];
	int32_t outer = tb_loop(b, -1, LT_SERIAL, m->n / width, NULL, "i"),
		inner = tb_loop(b, outer, width > 1 ? LT_VECTOR : LT_UNROLL, width, NULL, "v"), at[3];
	(void)snprintf(row, sizeof row, "%d*i%d + i%d", width, 2 * w, 2 * w + 1);
	(void)snprintf(to, sizeof to, "%s + %lld", row, (long long)(w * m->n));
	for (int k = 0; k < 3; k++)
		at[k] = tb_access(b, from[k], row);
	for (int c = 0; c < m->n_case; c++) {
		const struct ops_case *x = &m->cases[c];
		int arity = b->op[c].arity, condition = arity == 3;
		tb_stmt(b, LT_MAP, c, inner, tb_access(b, result[c], to), NULL, b->op[c].name, c);
		if (condition)
			tb_read(b, at[2]);
		for (int k = 0; k < arity - condition; k++)
			if (k == x->fixed)
				tb_imm(b, m->type, x->constant);
			else
				tb_read(b, at[k]);
	}
}

struct tb *ops_tree(const struct ops_map *m)
{
	struct tb *b = tb_new("map", 0, 2 * m->n_width, 0);
	int32_t from[3] = { tb_buffer(b, "x", m->type, LT_INPUT, -1, m->n), tb_buffer(b, "y", m->type, LT_INPUT, -1, m->n),
		tb_buffer(b, "c", LT_BOOL, LT_INPUT, -1, m->n) }, result[OPS_MAX_CASE];
	for (int c = 0; c < m->n_case; c++) {
		int32_t op = tb_op(b, lt__op_info(m->cases[c].code)->name, m->type, m->cases[c].to);
		result[c] = tb_buffer(b, b->op[op].name, (enum lt_dtype)b->op[op].out, LT_OUTPUT, -1, m->n_width * m->n);
	}
	for (int w = 0; w < m->n_width; w++)
		add_width(b, m, w, from, result);
	return b;
}

void ops_open(const struct ops_backend *o, const struct ops_map *m, struct bench *n, struct tb **b)
{
	*b = ops_tree(m);
	open_bench_with(n, o->name, o->config, *b);
	for (int64_t i = 0; i < m->n; i++)
		((uint8_t *)data(n, 2))[i] = i % 3 == 0;
}

void ops_run(const struct ops_map *m, struct bench *n, const void *x, const void *y)
{
	bench_set(n, 0, x);
	bench_set(n, 1, y);
	cr_assert_eq(run(n, (uint32_t)m->n_case + 3), LT_OK, "%s", n->k.text);
}

static enum lt_dtype type_of(const struct ops_map *m, int c)
{
	return lt__op_info(m->cases[c].code)->to_bool ? LT_BOOL : m->cases[c].to;
}

union lt_scalar ops_result(const struct ops_map *m, struct bench *n, int c, int w, int64_t i)
{
	return lt__load(data(n, 3 + c), w * m->n + i, type_of(m, c));
}

void ops_close(struct bench *n, struct tb *b)
{
	close_bench(n);
	free(b);
}

/* -- beside the operator table -- */

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

/* Whether a result is what the operator gives on v, as exactly as the table asks. */
static bool is_right(
	const struct ops_map *m, int c, const union lt_scalar *v, union lt_scalar want, union lt_scalar got)
{
	enum lt_dtype to = type_of(m, c);
	enum lt_opcode code = m->cases[c].code;
	if (!is_float(to))
		return got.i == lt__round_to(want, to).i;
	double owed = lt__op_info(code)->ulp, d = distance(got.f, want.f, to);
	if (code == LT_OP_sigmoid && got.f == 0 && v[0].f < (m->type == LT_F32 ? -87 : -708))  /* exp(-x) may be infinite */
		return true;
	return owed <= 1 ? lt__round_to(want, to).f == got.f ? d < 1 : isnan(got.f) && d == 0 : d <= owed;
}

static void operands_of(const struct ops_map *m, int c, const void *x, const void *y, int64_t i, union lt_scalar v[3])
{
	const struct ops_case *k = &m->cases[c];
	v[0] = k->fixed == 0 ? k->constant : lt__load(x, i, m->type);
	v[1] = k->fixed == 1 ? k->constant : lt__load(y, i, m->type);
	v[2] = v[1];
	if (lt__op_info(k->code)->arity == 3)
		v[1] = v[0], v[0].i = i % 3 == 0;
}

static void check_case(const struct ops_map *m, struct bench *n, int c, const void *x, const void *y)
{
	enum lt_opcode code = m->cases[c].code;
	enum lt_dtype to = type_of(m, c);
	int shown = 0;
	for (int64_t i = 0; i < m->n && shown < 3; i++) {
		union lt_scalar v[3];
		operands_of(m, c, x, y, i, v);
		union lt_scalar want = code == LT_OP_cast ? lt__convert(v[0], m->type, to)
			: lt__op_value(code, m->type, v);
		for (int w = 0; w < m->n_width; w++) {
			union lt_scalar got = ops_result(m, n, c, w, i);
			bool ok = is_right(m, c, v, want, got)
				&& (to != LT_BOOL || ((const uint8_t *)data(n, 3 + c))[w * m->n + i] <= 1);
			if (ok)
				continue;
			cr_expect(false, "%s %s to %s, %d lanes%s, element %lld: (%.17g, %.17g | %lld, %lld) gave %.17g/%lld",
				lt__op_info(code)->name, lt__dtype_info(m->type)->name, lt__dtype_info(to)->name, m->width[w],
				m->cases[c].fixed < 0 ? "" : ", one operand a constant", (long long)i, v[0].f, v[1].f, (long long)v[0].i,
				(long long)v[1].i, got.f, (long long)got.i);
			shown++;
		}
	}
}

static void check_map(const struct ops_backend *o, const struct ops_map *m, const void *x, const void *y)
{
	struct bench n;
	struct tb *b;
	ops_open(o, m, &n, &b);
	ops_run(m, &n, x, y);
	for (int c = 0; c < m->n_case; c++)
		check_case(m, &n, c, x, y);
	ops_close(&n, b);
}

static void add_case(struct ops_map *m, int code, enum lt_dtype to, int fixed, union lt_scalar constant)
{
	cr_assert(m->n_case < OPS_MAX_CASE);
	m->cases[m->n_case++] = (struct ops_case){ (enum lt_opcode)code, to, fixed, constant };
}

/* arity 0: any */
static void add_operators(struct ops_map *m, int arity, int fixed, union lt_scalar constant)
{
	for (int op = 0; op < LT_NOP; op++) {
		const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
		if (!info->data && lt__op_takes((enum lt_opcode)op, m->type) && (arity == 0 || info->arity == arity))
			add_case(m, op, m->type, fixed, constant);
	}
}

static struct ops_map map_of(enum lt_dtype t, int64_t n)
{
	struct ops_map m = { .type = t, .n = n, .n_width = N_WIDTH };
	memcpy(m.width, widths, sizeof widths);
	return m;
}

static _Alignas(64) char x[N_HALF * 8], y[N_HALF * 8];

/* x runs through the special values faster than y, so that pairs meet; the rest is random. */
static void fill_operands(enum lt_dtype t)
{
	ops_values(x, t, N_VALUE, 1);
	ops_values(y, t, N_VALUE, 9);
}

void ops_all_types(const struct ops_backend *o)
{
	for (enum lt_dtype t = 1; t < LT_NDTYPE; t++) {
		struct ops_map m = map_of(t, N_VALUE);
		add_operators(&m, 0, -1, tb_i(0));
		fill_operands(t);
		check_map(o, &m, x, y);
	}
}

void ops_casts_of_all_pairs(const struct ops_backend *o)
{
	for (enum lt_dtype t = 1; t < LT_NDTYPE; t++) {
		struct ops_map m = map_of(t, N_VALUE);
		for (enum lt_dtype to = 1; to < LT_NDTYPE; to++)
			add_case(&m, LT_OP_cast, to, -1, tb_i(0));
		ops_values(x, t, N_VALUE, 5);
		if (lt__dtype_info(t)->bytes == 2) {
			enum { N_ALL = (N_HALF + 95) / 96 * 96 };
			static uint16_t all[N_ALL];
			for (int i = 0; i < N_ALL; i++)
				all[i] = (uint16_t)i;
			m.n = N_ALL;
			check_map(o, &m, all, all);
		} else {
			check_map(o, &m, x, x);
		}
	}
}

void ops_constants(const struct ops_backend *o)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F64, LT_I32, LT_I64 };
	static const double reals[] = { 0.0, -0.0, 1, -2.5, NAN, INFINITY };
	static const int64_t wholes[] = { 0, 1, -1, 7, -8, INT64_MIN };
	for (int t = 0; t < 4; t++)
		for (int v = 0; v < 6; v += 2) {
			struct ops_map m = { .type = types[t], .n = 480, .n_width = 2, .width = { 1, 8 } };
			for (int k = 0; k < 4; k++)
				add_operators(&m, 2, k % 2,
					lt__round_to(is_float(m.type) ? tb_f(reals[v + k / 2]) : tb_i(wholes[v + k / 2]), m.type));
			fill_operands(m.type);
			check_map(o, &m, x, y);
		}
}

/* Every special number by every count, a few below 0 and beyond all bits, which random ones hardly meet. */
void ops_shifts(const struct ops_backend *o)
{
	static const enum lt_dtype types[] = { LT_I32, LT_I64, LT_U32, LT_U64 };
	for (int k = 0; k < 4; k++) {
		struct ops_map m = map_of(types[k], N_VALUE);
		add_case(&m, LT_OP_shl, m.type, -1, tb_i(0));
		add_case(&m, LT_OP_shr, m.type, -1, tb_i(0));
		for (int64_t n = -1; n < 67; n += 8) {
			add_case(&m, LT_OP_shl, m.type, 1, lt__round_to(tb_i(n), m.type));
			add_case(&m, LT_OP_shr, m.type, 1, lt__round_to(tb_i(n), m.type));
		}
		ops_values(x, m.type, m.n, 3);
		for (int64_t i = 0; i < m.n; i++)
			lt__store(y, i, m.type, lt__round_to(tb_i(i % 71 - 3), m.type));
		check_map(o, &m, x, y);
	}
}

void ops_all_halves(const struct ops_backend *o)
{
	static const enum lt_dtype halves[] = { LT_F16, LT_BF16 };
	struct ops_map m = { .type = LT_F32, .n = N_HALF, .n_width = 2, .width = { 1, 16 } };
	struct bench n;
	struct tb *b;
	add_operators(&m, 1, -1, tb_i(0));
	ops_open(o, &m, &n, &b);
	for (int h = 0; h < 2; h++) {
		for (int i = 0; i < N_HALF; i++)
			lt__store(x, i, LT_F32, lt__scalar_of((uint64_t)i, halves[h]));
		ops_run(&m, &n, x, x);
		for (int c = 0; c < m.n_case; c++)
			check_case(&m, &n, c, x, x);
	}
	ops_close(&n, b);
}
