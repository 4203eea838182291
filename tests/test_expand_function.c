/* test_expand_function.c -- functions as polynomials: their errors in units in the last place, in the simulator
 * and in a small interpreter of this file, which is fast enough for many values, and may fuse products into sums.
 *
 * LT_SHOW=1 shows what is found.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/expanded.h"

TestSuite(expand_function, .timeout = 240);

/* As docs/accuracy.md has them, and as backend_functions.c asks of backends. */
static const struct { uint32_t opcode; double f32, f64; } bounds[] = {
	{ LT_OPCODE_exp, 1.0, 1.0 }, { LT_OPCODE_log, 1.0, 1.0 }, { LT_OPCODE_tanh, 1.5, 2.0 }, { LT_OPCODE_erf, 1.25, 1.0 },
	{ LT_OPCODE_sigmoid, 2.5, 2.5 }, { LT_OPCODE_rsqrt, 1.5, 1.5 }, { LT_OPCODE_reciprocal, 0.5, 0.5 } };
enum { N_BOUND = sizeof bounds / sizeof *bounds };

static long double precisely(uint32_t opcode, long double x)
{
	switch (opcode) {
	case LT_OPCODE_exp: return expl(x);
	case LT_OPCODE_log: return logl(x);
	case LT_OPCODE_tanh: return tanhl(x);
	case LT_OPCODE_erf: return erfl(x);
	case LT_OPCODE_sigmoid: return 1 / (1 + expl(-x));
	case LT_OPCODE_rsqrt: return 1 / sqrtl(x);
	default: return 1 / x;
	}
}

/* In units of the last place of the exact value; infinite where one of them is NaN, infinite or a zero of another sign
 * only. */
static double distance(double got, long double want, uint32_t dtype)
{
	int digits = dtype == LT_F32 ? 24 : 53, least = dtype == LT_F32 ? -149 : -1074;
	double rounded = dtype == LT_F32 ? (double)(float)want : (double)want;
	if (isnan(got) || isnan(rounded))
		return isnan(got) && isnan(rounded) ? 0 : INFINITY;
	if (isinf(got) || isinf(rounded) || want == 0)
		return got == rounded && signbit(got) == signbit(rounded) ? 0 : INFINITY;
	int unit = ilogbl(want) - digits + 1;
	return (double)(fabsl((long double)got - want) * ldexpl(1, unit > least ? -unit : -least));
}

struct worst { double ulps, x, got; };

static void judge(uint32_t opcode, uint32_t dtype, double x, double got, struct worst *w)
{
	/* a double is exact enough to judge a float by, and quicker */
	double limit = dtype == LT_F32 ? -87 : -708;
	long double want = precisely(opcode, x);
	double d = opcode == LT_OPCODE_sigmoid && got == 0 && x < limit ? 0 : distance(got, want, dtype);
	if (d > w->ulps)
		*w = (struct worst){ d, x, got };
}

static void expect_within(uint32_t opcode, uint32_t dtype, double bound, struct worst w, const char *how)
{
	if (getenv("LT_SHOW"))
		(void)fprintf(stderr, "%-10s %s %-8s %.3f ulp at %a: %a\n", lt_opcode_name(opcode), simulated_type(dtype), how,
			w.ulps, w.x, w.got);
	cr_expect(w.ulps <= bound, "%s of %s, %s: %.3f ulp at %a: %a", lt_opcode_name(opcode), simulated_type(dtype), how,
		w.ulps, w.x, w.got);
}

static double number_of(uint64_t bits, uint32_t dtype)
{
	return dtype == LT_F32 ? (double)simulated_float(bits) : simulated_double(bits);
}

static uint64_t bits_of(double x, uint32_t dtype)
{
	return dtype == LT_F32 ? simulated_float_bits((float)x) : simulated_double_bits(x);
}

/* Special values, and those of all exponents; of doubles mostly such as functions do not saturate at. */
Test(expand_function, errors_in_the_simulator)
{
	static struct expanded_data d;
	for (int b = 0; b < N_BOUND; b++)
		for (uint32_t dtype = LT_F32; dtype <= LT_F64; dtype++)
			for (uint32_t lanes = 1; lanes <= 16; lanes += 15) {
				struct expanded_case c = expanded_of(bounds[b].opcode, dtype, lanes);
				struct lt_kernel *k = expanded_program(c), *e = expanded_for(k, &expanded_min);
				struct worst w = { 0 };
				uint64_t state = lanes;
				for (int round = 0; round < 8; round++) {
					for (int i = 0; i < EXPANDED_N; i++)
						expanded_write(d.x, i, dtype, expanded_value(dtype, i + round * EXPANDED_N, &state));
					memcpy(d.y, d.x, sizeof d.y);
					expanded_run(e, &d);
					for (int i = 0; i < EXPANDED_N; i++)
						judge(c.opcode, dtype, number_of(expanded_get(d.x, i, dtype), dtype),
							number_of(expanded_get(d.z, i, dtype), dtype), &w);
				}
				expect_within(c.opcode, dtype, dtype == LT_F32 ? bounds[b].f32 : bounds[b].f64, w,
					lanes == 1 ? "one" : "lanes");
				lt_kernel_free(e);
				lt_kernel_free(k);
			}
}

/* -- a straight line of instructions of f32 -- */

union straight_value { float f; int32_t i; uint32_t u; };
struct straight { const struct lt_kernel *k; int32_t first, n; bool fuses; union straight_value *v; };

static float sum(const struct straight *s, int32_t x, int32_t y)
{
	const struct lt_instruction *a = &s->k->instructions[x], *b = &s->k->instructions[y];
	if (s->fuses && a->opcode == LT_OPCODE_mul)
		return fmaf(s->v[a->operand[0]].f, s->v[a->operand[1]].f, s->v[y].f);
	if (s->fuses && b->opcode == LT_OPCODE_mul)
		return fmaf(s->v[b->operand[0]].f, s->v[b->operand[1]].f, s->v[x].f);
	return s->v[x].f + s->v[y].f;
}

static void step_integer(const struct straight *s, int32_t at)
{
	const struct lt_instruction *i = &s->k->instructions[at];
	uint32_t x = s->v[i->operand[0]].u, y = i->operand[1] < 0 ? 0 : s->v[i->operand[1]].u;
	switch (i->opcode) {
	case LT_OPCODE_add: s->v[at].u = x + y; break;
	case LT_OPCODE_sub: s->v[at].u = x - y; break;
	case LT_OPCODE_and: s->v[at].u = x & y; break;
	case LT_OPCODE_or: s->v[at].u = x | y; break;
	case LT_OPCODE_shift_left: s->v[at].u = x << y; break;
	case LT_OPCODE_shift_right: s->v[at].u = x >> y; break;
	case LT_OPCODE_shift_signed: s->v[at].i = s->v[i->operand[0]].i >> y; break;
	default: cr_assert_fail("%s of i32", lt_opcode_name(i->opcode));
	}
}

static void step(const struct straight *s, int32_t at)
{
	const struct lt_instruction *i = &s->k->instructions[at];
	int32_t a = i->operand[0], b = i->operand[1];
	if (i->opcode == LT_OPCODE_const)
		s->v[at].u = (uint32_t)i->number;
	else if (i->opcode == LT_OPCODE_bits)
		s->v[at] = s->v[a];
	else if (i->opcode == LT_OPCODE_select)
		s->v[at] = s->v[a].u ? s->v[b] : s->v[i->operand[2]];
	else if (i->dtype == LT_I32)
		step_integer(s, at);
	else
		switch (i->opcode) {
		case LT_OPCODE_add: s->v[at].f = sum(s, a, b); break;
		case LT_OPCODE_sub: s->v[at].f = s->v[a].f - s->v[b].f; break;
		case LT_OPCODE_mul: s->v[at].f = s->v[a].f * s->v[b].f; break;
		case LT_OPCODE_div: s->v[at].f = s->v[a].f / s->v[b].f; break;
		case LT_OPCODE_neg: s->v[at].f = -s->v[a].f; break;
		case LT_OPCODE_lesser: s->v[at].f = s->v[a].f < s->v[b].f ? s->v[a].f : s->v[b].f; break;
		case LT_OPCODE_larger: s->v[at].f = s->v[a].f > s->v[b].f ? s->v[a].f : s->v[b].f; break;
		case LT_OPCODE_convert: s->v[at].f = (float)s->v[a].i; break;
		case LT_OPCODE_less: s->v[at].u = s->v[a].f < s->v[b].f; break;
		case LT_OPCODE_eq: s->v[at].u = s->v[a].f == s->v[b].f; break;
		default: cr_assert_fail("%s of f32", lt_opcode_name(i->opcode));
		}
}

/* The instructions between the loads and the store. */
static struct straight straight_new(const struct lt_kernel *k, bool fuses)
{
	struct straight s = { k, 0, 0, fuses, calloc(k->n_instruction, sizeof *s.v) };
	cr_assert_not_null(s.v);
	while (k->instructions[s.first].opcode != LT_OPCODE_load)
		s.first++;
	s.first += 2;
	while (k->instructions[s.first + s.n].opcode != LT_OPCODE_store)
		s.n++;
	return s;
}

/* Floats of every exponent, a prime number of bits apart. */
Test(expand_function, errors_with_and_without_fused_sums)
{
	for (int b = 0; b < 5; b++)
		for (int fuses = 0; fuses < 2; fuses++) {
			struct expanded_case c = expanded_of(bounds[b].opcode, LT_F32, 1);
			struct lt_kernel *k = expanded_program(c), *e = expanded_for(k, &expanded_min);
			struct straight s = straight_new(e, fuses);
			struct worst w = { 0 };
			for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 4099) {
				s.v[s.first - 2].u = (uint32_t)bits;
				for (int32_t i = s.first; i < s.first + s.n; i++)
					step(&s, i);
				judge(c.opcode, LT_F32, (double)simulated_float(bits), (double)s.v[e->instructions[s.first + s.n].operand[3]].f,
					&w);
			}
			expect_within(c.opcode, LT_F32, bounds[b].f32, w, fuses ? "fused" : "apart");
			cr_expect_leq(s.n, c.opcode == LT_OPCODE_exp ? 60 : 120);
			free(s.v);
			lt_kernel_free(e);
			lt_kernel_free(k);
		}
}

/* Instructions that are written, constants aside: as many as the C texts had. */
Test(expand_function, expansions_are_small)
{
	static const struct { uint32_t opcode; int most; } sizes[] = { { LT_OPCODE_exp, 32 }, { LT_OPCODE_log, 48 },
		{ LT_OPCODE_tanh, 60 }, { LT_OPCODE_erf, 70 }, { LT_OPCODE_sigmoid, 35 }, { LT_OPCODE_max, 10 },
		{ LT_OPCODE_floor, 16 } };
	for (size_t r = 0; r < sizeof sizes / sizeof *sizes; r++) {
		struct lt_kernel *k = expanded_program(expanded_of(sizes[r].opcode, LT_F32, 8));
		struct lt_kernel *e = expanded_for(k, &expanded_min);
		int n = -5;             /* loop, loads, store, end */
		for (uint32_t i = 0; i < e->n_instruction; i++)
			n += e->instructions[i].opcode != LT_OPCODE_const;
		cr_expect_leq(n, sizes[r].most, "%s: %d", lt_opcode_name(sizes[r].opcode), n);
		if (getenv("LT_SHOW"))
			(void)fprintf(stderr, "%-10s %d instructions\n", lt_opcode_name(sizes[r].opcode), n);
		lt_kernel_free(e);
		lt_kernel_free(k);
	}
}

/* Where the machine scales by itself, and where it does not. */
Test(expand_function, scale)
{
	static const struct lt_machine_operator row = { LT_OPCODE_scale, 1 << LT_F32, 1 << LT_F32, 0 };
	static const struct lt_machine machine = { .n_operator = 1, .operators = &row };
	static struct expanded_data d;
	struct lt_kernel *k = expanded_program(expanded_of(LT_OPCODE_exp, LT_F32, 8));
	struct lt_kernel *e = expanded_for(k, &machine);
	struct worst w = { 0 };
	bool scales = false;
	for (int i = 0; i < EXPANDED_N; i++)
		expanded_write(d.x, i, LT_F32, simulated_float_bits(-106 + (float)i * (200.0f / EXPANDED_N)));
	expanded_write(d.x, 0, LT_F32, simulated_float_bits(NAN));
	expanded_run(e, &d);
	for (int i = 0; i < EXPANDED_N; i++)
		judge(LT_OPCODE_exp, LT_F32, (double)simulated_float(expanded_get(d.x, i, LT_F32)),
			(double)simulated_float(expanded_get(d.z, i, LT_F32)), &w);
	for (uint32_t i = 0; i < e->n_instruction; i++)
		scales = scales || e->instructions[i].opcode == LT_OPCODE_scale;
	cr_expect(scales);
	expect_within(LT_OPCODE_exp, LT_F32, 1, w, "scaled");
	lt_kernel_free(e);
	lt_kernel_free(k);
	for (uint32_t dtype = LT_F32; dtype <= LT_F64; dtype++) {
		static const double some[] = { 1, -1.5, 0.25, 4, 0x1.fffffep1, 0x1.800002p0, 0, -0.0, INFINITY, -INFINITY, NAN, 3 };
		int most = dtype == LT_F32 ? 250 : 2000;
		k = expanded_program(expanded_of(LT_OPCODE_scale, dtype, 4));
		e = expanded_for(k, &expanded_bare);
		for (int x = 0; x < 12; x++) {
			for (int i = 0; i < EXPANDED_N; i++) {
				double y = i > 2 * most ? (double)NAN : i - most;
				expanded_write(d.x, i, dtype, bits_of(some[x], dtype));
				expanded_write(d.y, i, dtype, bits_of(y, dtype));
			}
			expanded_run(e, &d);
			for (int i = 0; i < EXPANDED_N; i++) {
				double y = number_of(expanded_get(d.y, i, dtype), dtype), got = number_of(expanded_get(d.z, i, dtype), dtype);
				double want = isnan(y) ? y : ldexp(some[x], (int)y);
				want = dtype == LT_F32 ? (double)(float)want : want;
				cr_assert(isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want), "%a by 2^%g: %a", some[x], y,
					got);
			}
		}
		lt_kernel_free(e);
		lt_kernel_free(k);
	}
}
