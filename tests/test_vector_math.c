/* tests/test_vector_math.c -- functions over GNU vectors that are not exact: their errors in ULP over every exponent.
 *
 * LT_DENSE=1 measures sixteen times as many values, as the table of docs/accuracy.md was; LT_SHOW=1 shows what is
 * found.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vectors.h"

enum { N_VALUE = 1 << 14 };

/* Functions that are not exact, and what docs/accuracy.md says of their errors, in units in the last place: of our own
 * texts and of glibc's vector functions.  The last digit is rounded up. */
static const struct { const char *name; double f32, f64;
} bounds[] = {
	{ "exp", 1.0, 4 },
	{ "log", 1.0, 4 },
	{ "tanh", 1.5, 4 },
	{ "sigmoid", 2.5, 5.5 },
	{ "erf", 1.25, 4 },
	{ "sin", 4, 4 },
	{ "cos", 4, 4 },
	{ "pow", 4, 4 },
	{ "rsqrt", 1.5, 1.5 },
};
enum { N_BOUND = sizeof bounds / sizeof *bounds };

static bool inexact(const struct lt_op *op) { return !vector_exact(op); }

static long double precisely(const char *name, long double x, long double y)
{
	switch (name[0]) {
	case 'e': return name[1] == 'x' ? expl(x) : erfl(x);
	case 'l': return logl(x);
	case 't': return tanhl(x);
	case 'c': return cosl(x);
	case 'p': return powl(x, y);
	case 'r': return 1 / sqrtl(x);
	default: return name[2] == 'n' ? sinl(x) : 1 / (1 + expl(-x));
	}
}

/* Distance in units of the last place of the exact value; infinite where one is NaN, infinite or a zero of the other
 * sign only. */
static double distance(double got, long double want, enum lt_dtype t)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	double rounded = t == LT_F32 ? (double)(float)want : (double)want;
	if (isnan(got) || isnan(rounded))
		return isnan(got) && isnan(rounded) ? 0 : INFINITY;
	if (isinf(want) || (rounded == 0 && want == 0))
		return got == rounded && signbit(got) == signbit(rounded) ? 0 : INFINITY;
	if (isinf(rounded) || isinf(got))
		return got == rounded ? 0
			: copysign(1, got) == copysign(1, rounded) && fabs(got) >= info->largest
				&& fabsl(want) >= info->largest
			? 1
			: INFINITY;
	long double unit = ldexpl(2 * (long double)info->unit, ilogbl(want));
	return (double)(fabsl((long double)got - want) / (unit > info->tiny ? unit : info->tiny));
}

struct worst { double ulps, x, y, got; };

/* got[i] and want(x[i], y[i]) for one block; the widest distance is kept. */
static void measure(const struct vector_case *c, const void *x, const void *y, int64_t n, struct worst *w)
{
	static char got[N_VALUE * 8];
	enum lt_dtype t = (enum lt_dtype)c->op.out;
	c->run(x, y, NULL, got, n);
	for (int64_t i = 0; i < n; i++) {
		double a = lt__load(x, i, t).f, b = c->op.arity == 2 ? lt__load(y, i, t).f : 0, g = lt__load(got, i, t).f;
		/* a double is exact enough to judge a float by */
		long double want = t == LT_F32 ? lt__op_value((enum lt_opcode)lt__op_find(c->op.name), LT_CLASS_FLOAT,
			(union lt_scalar[3]){ { .f = a }, { .f = b } }).f : precisely(c->op.name, a, b);
		/* below -87 exp(-x) of f32 may be infinite: op.def grants the result itself */
		double d = !strcmp(c->op.name, "sigmoid") && g == 0 && a < (t == LT_F32 ? -87 : -708) ? 0 : distance(g, want, t);
		if (d > w->ulps)
			*w = (struct worst){ d, a, b, g };
	}
}

/* Every `stride`-th float; doubles of every exponent; for two operands all pairs of special values, and random ones of
 * which the power fits. */
static struct worst sweep(const struct vector_case *c, uint32_t stride)
{
	static char x[N_VALUE * 8], y[N_VALUE * 8];
	enum lt_dtype t = (enum lt_dtype)c->op.out;
	struct worst w = { 0 };
	vector_values(x, t, N_VALUE, 1);
	vector_values(y, t, N_VALUE, 9);
	measure(c, x, y, N_VALUE, &w);
	uint64_t bits = 12345, n = 0, max = t == LT_F32 && c->op.arity == 1 ? (1ull << 32) / stride : (1ull << 28) / stride;
	while (n < max) {
		for (int i = 0; i < N_VALUE; i++, n++) {
			bits += t == LT_F32 ? stride : 0x9e3779b97f4a7c15u;
			double v = lt__scalar_of(t == LT_F32 ? bits & 0xffffffffu : bits, t).f, limit = t == LT_F32 ? 90 : 710;
			if (c->op.arity == 2 && fabs(log(fabs(v))) > 0) {
				bits += 0x9e3779b97f4a7c15u;
				lt__store(y, i, t,
					lt__round_to((union lt_scalar){ .f = ((double)(bits >> 11) * 0x1p-52 - 1)
								     * limit / fabs(log(fabs(v))) },
						t));
			} else if (t == LT_F64 && n % 4) {      /* most doubles are far beyond what functions do not saturate at */
				v = copysign(ldexp(1 + (double)(bits >> 12 & 0xfffffffff) * 0x1p-36, (int)(bits >> 54 & 63) - 50), v);
			}
			lt__store(x, i, t, (union lt_scalar){ .f = v });
		}
		measure(c, x, y, N_VALUE, &w);
	}
	return w;
}

static void ulps_on(const struct vector_target *target, int library, uint32_t stride)
{
	const char *command = target->command;
	stride = getenv("LT_DENSE") ? stride : 16 * stride + 1;
	struct vector_set s;
	if (!vector_runs(target))
		cr_skip_test("the processor does not have %s", target->feature);
	vector_set_fill(&s, inexact, 0);
	if (!vector_set_build(&s, command, library))
		cr_skip_test("no %s", command);
	for (int i = 0; i < s.n; i++) {
		const struct vector_case *c = &s.at[i];
		bool widest = i + 1 == s.n || s.at[i + 1].lanes < c->lanes;
		struct worst w = sweep(c, widest ? stride : 64 * stride - 63);
		int found = 0;
		for (int b = 0; b < N_BOUND; b++)
			if (strcmp(bounds[b].name, c->op.name) == 0) {
				double bound = c->op.out == LT_F32 ? bounds[b].f32 : bounds[b].f64;
				found++;
				if (getenv("LT_SHOW"))
					(void)fprintf(stderr, "%-8s %s x%-2d %.3f ulp at %.9g %.9g: %.9g\n", c->op.name,
						lt__dtype_info((enum lt_dtype)c->op.out)->name, c->lanes, w.ulps, w.x,
						w.y, w.got);
				cr_expect(w.ulps <= bound, "%s: %s %s, %d lanes: %.3f ulp at %a %a: %a", command, c->op.name,
					lt__dtype_info((enum lt_dtype)c->op.out)->name, c->lanes, w.ulps, w.x, w.y, w.got);
				cr_expect(bound <= lt__op_info((enum lt_opcode)lt__op_find(c->op.name))->ulp, "%s: op.def grants less", c->op.name);
			}
		cr_expect(found == 1, "%s has no bound", c->op.name);
	}
	vector_set_free(&s);
}

TestSuite(vector_math, .timeout = 300);
Test(vector_math, ulps_gcc_native) { ulps_on(&vector_targets[0], lt__vector_library(), 257); }
Test(vector_math, ulps_gcc_avx2) { ulps_on(&vector_targets[1], lt__vector_library(), 257 * 16 + 1); }
Test(vector_math, ulps_gcc_plain) { ulps_on(&vector_targets[2], lt__vector_library(), 257 * 16 + 1); }
Test(vector_math, ulps_clang_native) { ulps_on(&vector_targets[3], lt__vector_library(), 257 * 16 + 1); }
Test(vector_math, ulps_without_a_library) { ulps_on(&vector_targets[0], 0, 257 * 64 + 1); }
