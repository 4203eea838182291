/* error.h -- what the error columns of op.def call; included by op.c only.
 *
 * lt_err_* bound |f(y) - f(x)| over all y with |y[i] - x[i]| <= e[i]: an operand that is NaN or infinite at x is taken
 * to be so at y, one with e infinite may be anything.  A bound may be NaN where nothing can be said; lt__op_error turns
 * that into infinity.  Operands are known exactly where e is 0, so an error of 0 there is right whatever x is.
 */
#ifndef LT_IR_OP_ERROR_H
#define LT_IR_OP_ERROR_H
#include "base/number.h"

static inline double lt_err_select(const double *x, const double *e)
{
	double first = e[1], second = e[2], apart = x[1] == x[2] ? 0 : fabs(x[1] - x[2]);

	if (e[0] == 0)
		return x[0] != 0 ? first : second;
	return x[0] != 0 ? lt_fmax(first, apart + second) : lt_fmax(second, apart + first);
}

static inline double lt_err_mul(const double *x, const double *e)
{
	return (e[0] > 0 ? e[0] * fabs(x[1]) : 0) + (e[1] > 0 ? e[1] * fabs(x[0]) : 0)
		+ (e[0] > 0 && e[1] > 0 ? e[0] * e[1] : 0);
}

/* |y0/y1 - x0/x1| = |(y0-x0) - (y1-x1) x0/x1| / |y1| */
static inline double lt_err_div(const double *x, const double *e, double r)
{
	(void)r;
	if (e[0] == 0 && e[1] == 0)
		return 0;
	if (!(fabs(x[1]) > e[1]))
		return INFINITY;
	return (e[0] + (e[1] > 0 ? e[1] * fabs(x[0] / x[1]) : 0)) / (fabs(x[1]) - e[1]);
}

/* Where the quotient surely has one floor q the result is x0 - q x1; else both lie between 0 and the divisor. */
static inline double lt_err_mod(const double *x, const double *e)
{
	double low = INFINITY, high = -INFINITY;

	if (e[0] == 0 && e[1] == 0)
		return 0;
	if (!(fabs(x[1]) > e[1]) || isinf(x[1]))
		return INFINITY;
	for (int corner = 0; corner < 4; corner++) {
		double q = (x[0] + (corner & 1 ? e[0] : -e[0])) / (x[1] + (corner & 2 ? e[1] : -e[1]));
		low = lt_fmin(low, q - 0x1p-40 * fabs(q));
		high = lt_fmax(high, q + 0x1p-40 * fabs(q));
	}
	if (floor(low) == floor(high))
		return fmin(e[0] + fabs(floor(low)) * e[1], fabs(x[1]) + e[1]);
	return isfinite(low) && isfinite(high) ? fabs(x[1]) + e[1] : INFINITY;
}

/* Greatest distance of the corners of the box from the value in its middle; the last term is what pow itself may
 * be wrong by, which cancels badly in the difference. */
static inline double lt_err_pow_corners(const double *x, const double *e, double min)
{
	double middle = pow(x[0], x[1]), worst = fabs(min - middle), size = fabs(middle);

	for (int corner = 0; corner < 4; corner++) {
		double at = pow(x[0] + (corner & 1 ? e[0] : -e[0]), x[1] + (corner & 2 ? e[1] : -e[1]));
		worst = lt_fmax(worst, fabs(at - middle));
		size = lt_fmax(size, fabs(at));
	}
	return worst + 0x1p-50 * size;
}

/* With a positive base the power is monotone in each operand; with a whole exponent that is exact it is monotone
 * on either side of a base of 0, where a positive one has its least value. */
static inline double lt_err_pow(const double *x, const double *e, double r)
{
	(void)r;
	if (e[0] == 0 && e[1] == 0)
		return 0;
	if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(e[0]) || !isfinite(e[1]))
		return INFINITY;
	if (x[0] - e[0] > 0)
		return lt_err_pow_corners(x, e, pow(x[0], x[1]));
	if (e[1] > 0 || rint(x[1]) != x[1])
		return INFINITY;
	if (x[0] + e[0] < 0)
		return lt_err_pow_corners(x, e, pow(x[0], x[1]));
	return x[1] > 0 ? lt_err_pow_corners(x, e, 0) : x[1] == 0 ? 0 : INFINITY;
}

/* 0 where the comparison cannot turn. */
static inline double lt_err_compare(const double *x, const double *e)
{
	return e[0] + e[1] == 0 || fabs(x[0] - x[1]) > e[0] + e[1] ? 0 : 1;
}

/* and, or, xor: of bools, with their integer neighbours -1 and 2, an error of 4 covers all; else nothing is said. */
static inline double lt_err_bits(const double *x, const double *e)
{
	if (e[0] == 0 && e[1] == 0)
		return 0;
	for (int i = 0; i < 2; i++)
		if (!(x[i] == 0 || x[i] == 1) || !(e[i] <= 1))
			return INFINITY;
	return 4;
}

/* By a count that is known: as a product; what is lost at the upper end is the caller's to see. */
static inline double lt_err_shl(const double *x, const double *e)
{
	if (e[0] == 0 && e[1] == 0)
		return 0;
	return e[1] != 0 ? INFINITY : x[1] >= 0 && x[1] <= 63 ? ldexp(e[0], (int)x[1]) : 0;
}

/* As a quotient, which is rounded: two that are that far apart may round one further. */
static inline double lt_err_shr(const double *x, const double *e)
{
	if (e[0] == 0 && e[1] == 0)
		return 0;
	if (e[1] != 0)
		return INFINITY;
	return x[1] <= 0 ? e[0] : ldexp(e[0], x[1] <= 63 ? -(int)x[1] : -63) + 1;
}

/* Of a step function at 0 that is `height` high. */
static inline double lt_err_step(double x, double e, double height)
{
	if (e == 0 || fabs(x) > e)
		return 0;
	return isfinite(e) && !isnan(x) ? height : INFINITY;
}

static inline double lt_err_reciprocal(const double *x, const double *e, double r)
{
	(void)r;
	if (e[0] == 0)
		return 0;
	return fabs(x[0]) > e[0] ? e[0] / fabs(x[0]) / (fabs(x[0]) - e[0]) : INFINITY;
}

static inline double lt_err_exp(const double *x, const double *e)
{
	if (e[0] == 0)
		return 0;
	return e[0] < 1 ? exp(x[0]) * expm1(e[0]) : exp(x[0] + e[0]);
}

static inline double lt_err_log(const double *x, const double *e)
{
	if (e[0] == 0)
		return 0;
	return x[0] > e[0] ? -log1p(-e[0] / x[0]) : INFINITY;
}

static inline double lt_err_sqrt(const double *x, const double *e)
{
	if (e[0] == 0)
		return 0;
	return x[0] >= e[0] ? e[0] / (sqrt(x[0]) + sqrt(x[0] - e[0])) : INFINITY;
}

static inline double lt_err_rsqrt(const double *x, const double *e)
{
	double low = x[0] - e[0];

	if (e[0] == 0)
		return 0;
	return low > 0 ? e[0] / (sqrt(x[0]) * sqrt(low) * (sqrt(x[0]) + sqrt(low))) : INFINITY;
}

/* Below -88 a backend's exp(-x) in f32 may be infinite and its result 0: there the result itself is added. */
static inline double lt_err_sigmoid(const double *x, const double *e)
{
	return e[0] / 4 + (x[0] < -87 ? exp(x[0] + (isfinite(e[0]) ? e[0] : 0)) : 0);
}

static inline double lt_err_wave(const double *x, const double *e)
{
	if (e[0] == 0)
		return 0;
	return isfinite(x[0]) && isfinite(e[0]) ? fmin(e[0], 2) : INFINITY;
}

/* floor, ceil and rint never fall: the ends of the interval, one step outwards, bound the result. */
static inline double lt_err_round(double (*f)(double), double x, double e)
{
	if (e == 0)
		return 0;
	return lt_fmax(f(nextafter(x + e, INFINITY)) - f(x), f(x) - f(nextafter(x - e, -INFINITY)));
}
#endif
