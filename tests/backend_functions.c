/* backend_functions.c -- errors of functions that are not exact, in units in the last place (backend_ops.h). */
#include "tests/backend_ops.h"

enum { N_VALUE = 6144 };                /* of a run; a multiple of each width */

/* What docs/accuracy.md says of them, f32 and f64: of one lane the C library's, and what is made of them; of vectors
 * the polynomials of kernel/expand/function.c and glibc's vector functions.  The last digit is rounded up. */
static const struct { enum lt_opcode code; double one[2], many[2]; } bounds[] = {
	{ LT_OP_exp, { 1, 1 }, { 1, 4 } },
	{ LT_OP_log, { 1, 1 }, { 1, 4 } },
	{ LT_OP_tanh, { 2.25, 2.25 }, { 1.5, 4 } },
	{ LT_OP_sigmoid, { 2.5, 2.5 }, { 2.5, 5.5 } },
	{ LT_OP_erf, { 1, 1.25 }, { 1.25, 4 } },
	{ LT_OP_sin, { 1, 1 }, { 4, 4 } },
	{ LT_OP_cos, { 1, 1 }, { 4, 4 } },
	{ LT_OP_pow, { 1, 1 }, { 4, 4 } },
	{ LT_OP_rsqrt, { 1.5, 1.5 }, { 1.5, 1.5 } },
};
enum { N_FUNCTION = sizeof bounds / sizeof *bounds };

static long double precisely(enum lt_opcode code, long double x, long double y)
{
	switch (code) {
	case LT_OP_exp: return expl(x);
	case LT_OP_log: return logl(x);
	case LT_OP_tanh: return tanhl(x);
	case LT_OP_sigmoid: return 1 / (1 + expl(-x));
	case LT_OP_erf: return erfl(x);
	case LT_OP_sin: return sinl(x);
	case LT_OP_cos: return cosl(x);
	case LT_OP_pow: return powl(x, y);
	default: return 1 / sqrtl(x);
	}
}

/* The exact value, next to it one of the type, and the unit of its last place. */
struct exact_value { long double exact, unit; double rounded; };

/* A double is exact enough to judge a float by. */
static struct exact_value exact_value(enum lt_opcode code, enum lt_dtype t, double x, double y)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	struct exact_value v = { .exact = t == LT_F64 ? precisely(code, x, y)
		: (long double)lt__op_value(code, LT_F64, (union lt_scalar[3]){ tb_f(x), tb_f(y) }).f };
	v.rounded = t == LT_F32 ? (double)(float)v.exact : (double)v.exact;
	v.unit = info->tiny;
	if (isfinite(v.exact) && v.exact != 0) {
		long double unit = ldexpl(2 * (long double)info->unit, ilogbl(v.exact));
		v.unit = unit > v.unit ? unit : v.unit;
	}
	return v;
}

/* In units of the last place; infinite where one of them is NaN, infinite or a zero of the other sign only. */
static double units_from(double got, const struct exact_value *v, enum lt_dtype t)
{
	double largest = lt__dtype_info(t)->largest;
	if (isnan(got) || isnan(v->rounded))
		return isnan(got) && isnan(v->rounded) ? 0 : INFINITY;
	if (isinf(v->exact) || v->exact == 0)
		return got == v->rounded && signbit(got) == signbit(v->rounded) ? 0 : INFINITY;
	if (isinf(v->rounded) || isinf(got))
		return got == v->rounded ? 0 : signbit(got) == signbit(v->rounded) && fabs(got) >= largest
			&& fabsl(v->exact) >= largest ? 1 : INFINITY;
	return (double)(fabsl((long double)got - v->exact) / v->unit);
}

struct worst_error { double ulps, x, y, got; };
struct function_sweep {
	struct ops_map map;
	struct bench bench;
	struct tb *tree;
	uint64_t bits;
	struct worst_error worst[N_FUNCTION][OPS_MAX_WIDTH];
	_Alignas(64) char x[N_VALUE * 8], y[N_VALUE * 8];
};

static void measure_block(struct function_sweep *s)
{
	enum lt_dtype t = s->map.type;
	ops_run(&s->map, &s->bench, s->x, s->y);
	for (int64_t i = 0; i < N_VALUE; i++) {
		double x = lt__load(s->x, i, t).f, y = lt__load(s->y, i, t).f;
		for (int f = 0; f < N_FUNCTION; f++) {
			const struct exact_value want = exact_value(bounds[f].code, t, x, y);
			for (int w = 0; w < s->map.n_width; w++) {
				double got = ops_result(&s->map, &s->bench, f, w, i).f, d = units_from(got, &want, t);
				/* exp(-x) may be infinite there: op.def grants the result itself */
				if (bounds[f].code == LT_OP_sigmoid && got == 0 && x < (t == LT_F32 ? -87 : -708))
					d = 0;
				if (d > s->worst[f][w].ulps)
					s->worst[f][w] = (struct worst_error){ d, x, y, got };
			}
		}
	}
}

/* Every `stride`-th float; doubles of every exponent, most of them such as functions do not saturate at.  y: random,
 * such that the power fits. */
static void fill_block(struct function_sweep *s, uint32_t stride)
{
	enum lt_dtype t = s->map.type;
	static uint64_t random;
	for (int i = 0; i < N_VALUE; i++) {
		uint64_t b = s->bits += t == LT_F32 ? stride : UINT64_C(0x9e3779b97f4a7c15);
		double v = lt__scalar_of(t == LT_F32 ? b & 0xffffffffu : b, t).f, limit = t == LT_F32 ? 90 : 710;
		if (t == LT_F64 && i % 4)
			v = copysign(ldexp(1 + (double)(b >> 12 & 0xfffffffff) * 0x1p-36, (int)(b >> 54 & 63) - 50), v);
		random += UINT64_C(0x9e3779b97f4a7c15);
		double log_x = fabs(log(fabs(v))), part = (double)(random >> 11) * 0x1p-52 - 1;
		lt__store(s->x, i, t, tb_f(v));
		lt__store(s->y, i, t, lt__round_to(tb_f(part * (log_x > 0 && isfinite(log_x) ? limit / log_x : 2)), t));
	}
}

/* A width that is no power of two may be a vector and single elements. */
static double bound_of(int f, int width, enum lt_dtype t)
{
	double one = bounds[f].one[t == LT_F64], many = bounds[f].many[t == LT_F64];
	return width == 1 ? one : width & (width - 1) ? fmax(one, many) : many;
}

static void report_errors(const struct function_sweep *s, const struct ops_backend *o)
{
	enum lt_dtype t = s->map.type;
	for (int f = 0; f < N_FUNCTION; f++)
		for (int w = 0; w < s->map.n_width; w++) {
			const struct worst_error *e = &s->worst[f][w];
			const char *name = lt__op_info(bounds[f].code)->name;
			double bound = bound_of(f, s->map.width[w], t);
			if (getenv("LT_SHOW"))
				(void)fprintf(stderr, "%s:%s %-8s %s x%-2d %.3f ulp at %.9g %.9g: %.9g\n", o->name, o->config, name,
					lt__dtype_info(t)->name, s->map.width[w], e->ulps, e->x, e->y, e->got);
			cr_expect(e->ulps <= bound, "%s:%s %s of %s, %d lanes: %.3f ulp at %a %a: %a", o->name, o->config, name,
				lt__dtype_info(t)->name, s->map.width[w], e->ulps, e->x, e->y, e->got);
			cr_expect(bound <= lt__op_info(bounds[f].code)->ulp, "%s: op.def grants less", name);
		}
}

void ops_functions(const struct ops_backend *o, enum lt_dtype t)
{
	static struct function_sweep s;
	uint32_t stride = getenv("LT_DENSE") ? 257 : 257 * 16 + 1;
	s = (struct function_sweep){ .map = { .type = t, .n = N_VALUE, .n_case = N_FUNCTION, .n_width = 5,
		.width = { 1, 3, 8, 16, 32 } }, .bits = 12345 };
	for (int f = 0; f < N_FUNCTION; f++)
		s.map.cases[f] = (struct ops_case){ bounds[f].code, t, -1, tb_i(0) };
	ops_open(o, &s.map, &s.bench, &s.tree);
	ops_values(s.x, t, N_VALUE, 1);
	ops_values(s.y, t, N_VALUE, 9);
	measure_block(&s);
	for (uint64_t n = 0; n < (UINT64_C(1) << (t == LT_F32 ? 32 : 28)) / stride; n += N_VALUE) {
		fill_block(&s, stride);
		measure_block(&s);
	}
	ops_close(&s.bench, s.tree);
	report_errors(&s, o);
}
