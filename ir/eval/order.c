/* order.c -- where the order of a sum or product decides whether it leaves its type.
 *
 * A backend takes the terms in any order and contracts a product into its sum.  Partial results that overflow give
 * infinities, and two of them of different sign, or one and a factor of 0, give NaN.  What some order may give is
 * listed here, and a random evaluation draws one of it; what no order gives is never drawn.
 */
#include <math.h>
#include "ir/eval/parts.h"

enum { ORDER_OUTCOMES = 4 };

void lt__eval_reach_term(struct lt_reach *r, double x, const double *factor, enum lt_dtype t)
{
	double size = fabs(x) * LT_REACH_SCALE;

	if (isnan(x)) {
		r->nan = true;
		return;
	}
	if (isinf(x) && factor && isfinite(factor[0]) && isfinite(factor[1])) {
		/* Contracted, it adds what it really is: less than twice the largest number may come back. */
		size = fabs(factor[0] * 0x1p-16 * (factor[1] * 0x1p-16));
		r->over[x < 0] = true;
		r->far = r->far || size > 2 * (lt__dtype_info(t)->largest * LT_REACH_SCALE);
	} else if (isinf(x)) {
		r->infinite[x < 0] = true;
		return;
	}
	r->size[x < 0] += size;
}

void lt__eval_reach_factor(struct lt_reach *r, double x)
{
	int exponent;

	r->nan = r->nan || isnan(x);
	r->infinite[0] = r->infinite[0] || isinf(x);
	r->negative = r->negative != (signbit(x) != 0);
	if (!isfinite(x) || x == 0)
		return;
	r->mantissa = frexp(r->mantissa * fabs(x), &exponent);
	r->exponent += exponent;
}

static double clip(double x, double largest) { return fmax(-largest, fmin(x, largest)); }

/* 0: no order leaves the type. */
static int list_sums(const struct lt_fold *fold, const struct lt_dtypeinfo *type, double value, double *out)
{
	const struct lt_reach *r = &fold->reach;
	double slack = 1 + (double)fold->n * type->unit, largest = type->largest * LT_REACH_SCALE;
	double all = r->size[0] - r->size[1];
	bool may[2];
	int n = 0;

	for (int s = 0; s < 2; s++)
		may[s] = r->infinite[s] || r->over[s] || (r->size[s] + r->rest) * slack > largest;
	if (r->nan || (r->infinite[0] && r->infinite[1])) {
		out[n++] = NAN;
		return n;
	}
	if (!may[0] && !may[1])
		return n;
	if (!r->infinite[0] && !r->infinite[1] && !r->far && fabs(all) <= (largest + r->rest) * slack)
		out[n++] = isfinite(value) ? value : clip(all / LT_REACH_SCALE, type->largest);
	for (int s = 0; s < 2; s++)
		if (may[s] && !r->infinite[!s])
			out[n++] = s ? -INFINITY : INFINITY;
	if (may[0] && may[1])
		out[n++] = NAN;
	return n;
}

static int list_products(const struct lt_fold *fold, const struct lt_dtypeinfo *type, double value, double *out)
{
	const struct lt_reach *r = &fold->reach;
	bool overflows = fold->grow > type->largest / 2, underflows = fold->shrink < type->tiny / type->unit;
	double sign = r->negative ? -1 : 1, slack = 1 + (double)fold->n * type->unit,
	       all = ldexp(r->mantissa, (int)clip((double)r->exponent, 4096));
	int n = 0;

	if (r->nan || (r->infinite[0] && fold->zero)) {
		out[n++] = NAN;
		return n;
	}
	if (!overflows && !underflows && !r->infinite[0])
		return n;
	if (fold->zero)
		out[n++] = copysign(0, sign);
	else if (!r->infinite[0] && all <= type->largest * slack)
		out[n++] = isfinite(value) && value != 0 ? value : sign * fmin(all, type->largest);
	if (!fold->zero && (overflows || r->infinite[0]))
		out[n++] = sign * INFINITY;
	if (!fold->zero && !r->infinite[0] && underflows)
		out[n++] = copysign(0, sign);
	if ((overflows && (underflows || fold->zero)) || (r->infinite[0] && underflows))
		out[n++] = NAN;
	return n;
}

bool lt__eval_draw_order(
	enum lt_dtype t, enum lt_opcode op, const struct lt_fold *fold, double noise, double *value)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	double out[ORDER_OUTCOMES];
	int count = op == LT_OP_mul ? list_products(fold, type, *value, out) : list_sums(fold, type, *value, out);

	if (count > 0)
		*value = out[(int)fmin((noise + 1) / 2 * count, count - 1)];
	return count > 0;
}
