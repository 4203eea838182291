/* function.c -- functions of f32 as polynomials, and what all floats have (expand.h).
 *
 * docs/accuracy.md has their errors; they hold whether or not products and sums are fused.  NaN is handed on.
 */
#include <math.h>
#include "kernel/expand/expand.h"

/* p times x plus a coefficient, again and again. */
static int32_t expand_horner(struct expansion *e, int32_t p, int32_t x, const float *coefficient, int n)
{
	for (int i = 0; i < n; i++)
		p = expand_with(e, LT_OPCODE_add, expand_mul(e, p, x), (double)coefficient[i]);
	return p;
}
#define HORNER(e, p, x, ...) \
	expand_horner(e, p, x, (const float[]){ __VA_ARGS__ }, (int)(sizeof((const float[]){ __VA_ARGS__ }) / sizeof(float)))

/* x * first + second. */
static int32_t expand_line(struct expansion *e, int32_t x, double first, double second)
{
	return expand_with(e, LT_OPCODE_add, expand_with(e, LT_OPCODE_mul, x, first), second);
}

/* How a float is made of its bits: those behind the point, what is added to the exponent, and 1.5 times the number of
 * which an odd multiple has no bits behind the point, so that adding it rounds. */
static const struct float_form { int mantissa, bias; double magic; uint64_t magic_bits; } forms[] = {
	[LT_F32] = { 23, 127, 0x1.8p23, 0x4b400000 },
	[LT_F64] = { 52, 1023, 0x1.8p52, UINT64_C(0x4338000000000000) },
};

/* p times 2 to the power of n, of which t is the sum with `magic`.  In two steps, since 2^n may be no float where the
 * result is one: the first is exact. */
static int32_t scale_in_steps(struct expansion *e, int32_t p, int32_t t)
{
	const struct float_form *form = &forms[expand_dtype(e, p)];
	uint32_t dtype = expand_dtype(e, p);
	uint64_t two_biases = 2 * (uint64_t)form->bias;
	int32_t both = expand_with_word(e, LT_OPCODE_add, expand_bits_of(e, t),
		dtype == LT_F32 ? (uint32_t)(two_biases - form->magic_bits) : two_biases - form->magic_bits);
	int32_t half = expand_with_word(e, LT_OPCODE_shift_right, both, 1), other = expand_sub(e, both, half);
	half = expand_with_word(e, LT_OPCODE_shift_left, half, (uint64_t)form->mantissa);
	other = expand_with_word(e, LT_OPCODE_shift_left, other, (uint64_t)form->mantissa);
	p = expand_mul(e, p, lt__expand_bits(e, dtype, half));
	return expand_mul(e, p, lt__expand_bits(e, dtype, other));
}

/* The operands' ranges are the opcode's contract. */
static int32_t expand_scale(struct expansion *e, int32_t x, int32_t y)
{
	int32_t product = scale_in_steps(e, x, expand_with(e, LT_OPCODE_add, y, forms[expand_dtype(e, x)].magic));
	int32_t nan = lt__build_test(&e->b, LT_OPCODE_ne, y, y);
	return lt__build_select(&e->b, nan, y, product);
}

/* exp(x) = 2^n exp(r), n the whole number next to x / ln 2: by adding 1.5 * 2^23 and taking it off.  ln 2 is taken off
 * in two parts, the first short enough for an exact product.  Beyond the clamps the result is 0 or infinite. */
static int32_t expand_exp(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	x = lt__expand_two(e, LT_OPCODE_larger, lt__expand_number(e, x, -104.5), x);
	x = lt__expand_two(e, LT_OPCODE_lesser, lt__expand_number(e, x, 89), x);
	double magic = forms[LT_F32].magic;
	int32_t t = expand_line(e, x, 0x1.715476p+0, magic), n = expand_with(e, LT_OPCODE_sub, t, magic);
	int32_t r = expand_add(e, expand_with(e, LT_OPCODE_mul, n, -0x1.63p-1), x);
	r = expand_add(e, expand_with(e, LT_OPCODE_mul, n, 0x1.bd0106p-13), r);
	int32_t p = expand_line(e, r, 0x1.6a3fa6p-10, 0x1.1239e2p-7);
	p = HORNER(e, p, r, 0x1.5558bep-5f, 0x1.555492p-3f, 0x1.fffffcp-2f);
	p = expand_mul(e, p, expand_mul(e, r, r));
	p = expand_with(e, LT_OPCODE_add, expand_add(e, p, r), 1);
	if (lt__expand_keeps(e->machine, LT_OPCODE_scale, LT_F32, expand_lanes_of(e, x), 0))
		return lt__expand_two(e, LT_OPCODE_scale, p, n);
	return scale_in_steps(e, p, t);
}

/* log(2^e (1 + f)) = e ln 2 + f - f^2/2 + f^3 P(f), 1 + f between the roots of 1/2 and 2; subnormals are scaled
 * first. */
static int32_t expand_log(struct expansion *e, int32_t x, int32_t none)
{
	struct lt_kernel_builder *b = &e->b;
	const uint64_t root = 0x3f3504f3;               /* the bits of sqrt(1/2) */
	(void)none;
	int32_t small = expand_test(e, LT_OPCODE_less, x, 0x1p-126);
	int32_t bits = expand_bits_of(e, lt__build_select(b, small, expand_with(e, LT_OPCODE_mul, x, 0x1p23), x));
	bits = expand_with_word(e, LT_OPCODE_sub, bits, root);
	int32_t power = lt__expand_convert(e, LT_F32, expand_with_word(e, LT_OPCODE_shift_signed, bits, 23));
	int32_t scaled = lt__expand_number(e, x, 23), as_is = lt__expand_number(e, x, 0);
	power = expand_sub(e, power, lt__build_select(b, small, scaled, as_is));
	int32_t f = expand_with_word(e, LT_OPCODE_add, expand_with_word(e, LT_OPCODE_and, bits, 0x7fffff), root);
	f = expand_with(e, LT_OPCODE_sub, lt__expand_bits(e, LT_F32, f), 1);
	int32_t s = expand_mul(e, f, f), p = expand_line(e, f, -0x1.38ec54p-4, 0x1.057014p-3);
	p = HORNER(e, p, f, -0x1.0d846ap-3f, 0x1.22d710p-3f, -0x1.547212p-3f, 0x1.99a02cp-3f, -0x1.000228p-2f,
		0x1.555554p-2f);
	p = expand_mul(e, p, expand_mul(e, s, f));
	p = expand_add(e, expand_with(e, LT_OPCODE_mul, power, -0x1.bd0106p-13), p);
	p = expand_add(e, expand_with(e, LT_OPCODE_mul, s, -0.5), p);
	p = expand_add(e, f, p);
	p = expand_add(e, expand_with(e, LT_OPCODE_mul, power, 0x1.63p-1), p);
	p = expand_where(e, LT_OPCODE_less, x, (double)INFINITY, p, x);         /* infinite, or NaN */
	int32_t none_there = lt__expand_word(e, x, 0x7fc00000), lowest = lt__expand_number(e, x, -(double)INFINITY);
	p = expand_where(e, LT_OPCODE_less, x, 0, none_there, p);
	return expand_where(e, LT_OPCODE_eq, x, 0, lowest, p);
}

/* An odd function by its values for |x|: near 0, and from there on. */
static int32_t expand_odd(struct expansion *e, int32_t x, int32_t size, double near, int32_t nearer, int32_t farther)
{
	int32_t p = expand_bits_of(e, expand_where(e, LT_OPCODE_less, size, near, nearer, farther));
	int32_t sign = expand_with_word(e, LT_OPCODE_and, expand_bits_of(e, x), 0x80000000);
	return lt__expand_bits(e, LT_F32, lt__expand_two(e, LT_OPCODE_or, p, sign));
}

/* Near 0 an odd polynomial, else 1 - 2 / (exp(2|x|) + 1) with the sign of x. */
static int32_t expand_tanh(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	int32_t a = expand_one(e, LT_OPCODE_abs, x), z = expand_mul(e, a, a);
	int32_t far = expand_with(e, LT_OPCODE_add, expand_one(e, LT_OPCODE_exp, expand_add(e, a, a)), 1);
	far = lt__expand_two(e, LT_OPCODE_div, lt__expand_number(e, x, -2), far);
	far = expand_with(e, LT_OPCODE_add, far, 1);
	int32_t p = expand_line(e, z, -0x1.732bb2p-8, 0x1.51903ep-6);
	p = HORNER(e, p, z, -0x1.b82628p-5f, 0x1.110684p-3f, -0x1.555530p-2f);
	p = expand_mul(e, p, expand_mul(e, z, a));
	return expand_odd(e, x, a, 0.625, expand_add(e, p, a), far);
}

/* Near 0 an odd polynomial, else 1 - exp(q(|x|)) with the sign of x. */
static int32_t expand_erf(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	int32_t a = expand_one(e, LT_OPCODE_abs, x), s = expand_mul(e, a, a);
	int32_t q = expand_mul(e, expand_line(e, a, (double)-1.72853470e-5f, (double)3.83197126e-4f), s);
	q = expand_add(e, q, expand_line(e, a, (double)-3.88396438e-3f, (double)2.42546219e-2f));
	q = HORNER(e, q, a, -1.06777877e-1f, -6.34846687e-1f, -1.28717512e-1f);
	q = expand_sub(e, expand_mul(e, q, a), a);
	int32_t one = lt__expand_number(e, x, 1), far = expand_one(e, LT_OPCODE_exp, q);
	far = expand_sub(e, one, far);
	int32_t p = expand_line(e, s, (double)-5.96761703e-4f, (double)4.99119423e-3f);
	p = HORNER(e, p, s, -2.67681349e-2f, 1.12819925e-1f, -3.76125336e-1f, 1.28379166e-1f);
	p = expand_add(e, expand_mul(e, p, a), a);
	return expand_odd(e, x, a, 0.921875, p, far);
}

static int32_t expand_sigmoid(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	int32_t p = expand_one(e, LT_OPCODE_exp, expand_one(e, LT_OPCODE_neg, x));
	p = expand_with(e, LT_OPCODE_add, p, 1);
	return lt__expand_two(e, LT_OPCODE_div, lt__expand_number(e, x, 1), p);
}

static int32_t expand_reciprocal(struct expansion *e, int32_t x, int32_t none)
{
	(void)none;
	return lt__expand_two(e, LT_OPCODE_div, lt__expand_number(e, x, 1), x);
}

static int32_t expand_rsqrt(struct expansion *e, int32_t x, int32_t none)
{
	return expand_reciprocal(e, expand_one(e, LT_OPCODE_sqrt, x), none);
}

const struct lt_expand_row lt__expand_functions[] = {
	{ LT_OPCODE_scale, EXPAND_FLOATS, expand_scale },
	{ LT_OPCODE_exp, EXPAND_F32, expand_exp },
	{ LT_OPCODE_log, EXPAND_F32, expand_log },
	{ LT_OPCODE_tanh, EXPAND_F32, expand_tanh },
	{ LT_OPCODE_erf, EXPAND_F32, expand_erf },
	{ LT_OPCODE_sigmoid, EXPAND_FLOATS, expand_sigmoid },
	{ LT_OPCODE_reciprocal, EXPAND_FLOATS, expand_reciprocal },
	{ LT_OPCODE_rsqrt, EXPAND_FLOATS, expand_rsqrt },
	{ 0, 0, NULL }
};
