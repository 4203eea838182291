/* error.c -- how far a conforming backend may be from the oracle's value.
 *
 * A bound adds what the operands may be wrong by (lt__op_error), the accuracy that the operator table grants a
 * backend, and the two roundings.  Where operands are exact and the operator is correctly rounded it is 0, and so
 * it is where rounding provably does not happen: then comparisons and roundings of such values are certain too.
 * Infinity says that no statement can be made.
 */
#include <math.h>
#include "ir/eval/parts.h"

static bool is_float(enum lt_dtype t)
{
	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT;
}

/* Infinity where the interval leaves the type: there a float overflows and an integer wraps. */
static double within(enum lt_dtype t, double r, double e)
{
	const struct lt_dtypeinfo *info;
	double lowest;

	if (!(e > 0))
		return e == 0 ? 0 : INFINITY;
	if (t == LT_BOOL)
		return e;
	info = lt__dtype_info(t);
	lowest = info->cls == LT_CLASS_FLOAT ? -info->largest : info->is_signed ? -info->largest - 1 : 0;
	return r + e <= info->largest && r - e >= lowest ? e : INFINITY;
}

/* Whether a product needs no rounding: contracting it into a sum then changes nothing. */
static bool exact_product(enum lt_opcode op, enum lt_dtype t, const double *x, double raw, double r)
{
	return op == LT_OP_mul && (t == LT_F64 ? fma(x[0], x[1], -r) == 0 : raw == r);
}

static double float_error(enum lt_opcode op, enum lt_dtype t, const double *x, double propagated, bool certain,
	bool odd, double raw, double r)
{
	const struct lt_opinfo *info = lt__op_info(op);
	const struct lt_dtypeinfo *type = lt__dtype_info(t);

	if (certain && odd)
		return 0;               /* functions of infinities and NaN are exact */
	if (!isfinite(r)) {
		/* rounded to infinity: an accurate backend may just stay below it, a product contracted into its sum
		 * far below */
		if (certain)
			return info->ulp > 0 && (isfinite(raw) || op == LT_OP_mul) ? INFINITY : 0;
		return odd ? 0 : INFINITY;
	}
	if (info->ulp > 0 ? !exact_product(op, t, x, raw, r) || !certain : propagated > 0 && !info->any)
		propagated += (info->ulp > 0 ? 2 * info->ulp + 1 : 2) * type->unit * fabs(r) + type->tiny;
	return within(t, r, propagated);
}

double lt__eval_op_error(enum lt_opcode op, enum lt_dtype from, enum lt_dtype to, const union lt_scalar *x,
	const double *e, union lt_scalar raw, union lt_scalar r)
{
	const struct lt_opinfo *info = lt__op_info(op);
	double value[3] = { 0 }, propagated = 0;
	bool float_from = is_float(from), float_to = is_float(to), certain = true, odd = false, sure_nan = false;

	for (int i = 0; i < info->arity; i++) {
		value[i] = lt__as_double(x[i], op == LT_OP_select && i == 0 ? LT_BOOL : from);
		certain = certain && e[i] == 0;
		odd = odd || !isfinite(value[i]);
		sure_nan = sure_nan || (isnan(value[i]) && e[i] < INFINITY);
	}
	if (sure_nan && float_to && isnan(r.f) && !(info->traits & LT_TRAIT_LOSES_NAN))
		return 0;               /* whatever the other operands are */
	if (!certain || info->ulp > 1)  /* the table may grant more than its ulps: sigmoid */
		propagated = lt__op_error(op, value, e, lt__as_double(raw, to));
	if (!certain && (!(propagated < INFINITY) || (!float_from && (info->traits & LT_TRAIT_FLOAT_ERROR))))
		return INFINITY;
	if (float_to)
		return float_error(op, to, value, propagated, certain, odd, raw.f, r.f);
	return certain ? 0 : within(to, lt__as_double(r, to), propagated);
}

double lt__eval_cast_error(enum lt_dtype from, enum lt_dtype to, union lt_scalar x, double e, union lt_scalar r)
{
	double value = lt__as_double(x, from), result = lt__as_double(r, to);

	if (e == 0)
		return 0;
	if (!isfinite(e) || (!isfinite(value) && !is_float(to)))
		return isfinite(e) ? 0 : INFINITY;
	if (to == LT_BOOL)
		return fabs(value) > e ? 0 : 1;
	if (is_float(to) && !isfinite(result))
		return isfinite(value) ? INFINITY : 0;
	if (!is_float(to) && !is_float(from))
		return within(to, result, e);
	/* rounding, truncating and saturating never fall: the ends of the interval bound the result */
	double low = lt__as_double(lt__convert((union lt_scalar){ .f = nextafter(value - e, -INFINITY) }, LT_F64, to), to);
	double high = lt__as_double(lt__convert((union lt_scalar){ .f = nextafter(value + e, INFINITY) }, LT_F64, to), to);
	return within(to, result, fmax(high - result, result - low));
}

/* Either the rounded value, or the one before it. */
double lt__eval_unrounded_error(enum lt_dtype from, enum lt_dtype to, union lt_scalar x, double e, union lt_scalar r)
{
	double rounded = lt__eval_cast_error(from, to, x, e, r);

	if (!isfinite(x.f))
		return rounded;
	return isfinite(r.f) ? fmax(rounded, fabs(x.f - r.f) + e) : INFINITY;
}

/* Half the distance to the next number of the type, on the side where that is longer. */
double lt__eval_rounding_error(enum lt_dtype t, union lt_scalar r)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	int exponent;

	if (!isfinite(r.f))
		return isnan(r.f) ? 0 : INFINITY;
	(void)frexp(r.f, &exponent);
	return r.f == 0 ? type->tiny / 2 : fmax(ldexp(type->unit, exponent - 1), type->tiny / 2);
}

/* Notes a term of a reduction in type t. */
void lt__eval_fold_error(struct lt_fold *fold, enum lt_opcode op, enum lt_dtype t, union lt_scalar x, double e)
{
	double value = lt__as_double(x, t), size = fabs(value);

	fold->n++;
	if (e > 0) {
		fold->uncertain = true;
		if (op != LT_OP_mul)
			fold->error = op == LT_OP_add ? fold->error + e : fmax(fold->error, e);
		else    /* relative errors; a factor that may be 0 or of either sign spoils that */
			fold->error += size > e ? -log1p(-e / size) : INFINITY;
	}
	if (!isfinite(value)) {
		fold->odd = true;
		return;
	}
	fold->size += size;
	fold->coarse = fold->coarse || size > 0x1p40 || value * 256 != (double)(int64_t)(value * 256);
	if (op != LT_OP_mul)
		return;
	if (size == 0 && e == 0)
		fold->zero = true;
	else
		*(size > 1 ? &fold->grow : &fold->shrink) *= size > 1 ? size + e : fmax(size - e, 0);
}

static double sum_error(const struct lt_fold *fold, const struct lt_dtypeinfo *type, double r)
{
	double n = (double)fold->n, slack = n * type->unit;

	if (!(slack < 0.5) || !isfinite(fold->error))
		return INFINITY;
	slack /= 1 - slack;
	if (fold->size + fold->error > type->largest * (1 - slack))
		return INFINITY;        /* some order may overflow */
	if (!isfinite(r))
		return 0;
	if (!fold->uncertain && (fold->n <= 1 || (!fold->coarse && fold->size * type->unit <= 0x1p-8)))
		return 0;               /* every partial sum is a multiple of 2^-8 that fits the type */
	return fold->error + slack * (fold->size + fold->error) + type->unit * fabs(r) + (fold->uncertain ? type->tiny : 0);
}

static double product_error(const struct lt_fold *fold, const struct lt_dtypeinfo *type, double r)
{
	double slack = (double)fold->n * type->unit, smallest = type->tiny / type->unit;

	if (!(slack < 0.5) || !isfinite(fold->error) || fold->grow > type->largest / 2)
		return INFINITY;
	if (fold->odd)                  /* times what some order has lost to 0, an infinity is a NaN */
		return fold->uncertain || (isinf(r) && fold->shrink < smallest) ? INFINITY : 0;
	if (!fold->uncertain && (fold->n <= 1 || r == 0))
		return r == 0 && !fold->zero ? INFINITY : 0;
	if (fold->shrink < smallest)
		return INFINITY;        /* some order may lose digits near 0 */
	return fabs(r) * expm1(fold->error + slack / (1 - slack)) + type->unit * fabs(r) + type->tiny;
}

/* Bound of the error of the reduction, r being its rounded value. */
double lt__eval_folded_error(const struct lt_fold *fold, enum lt_opcode op, enum lt_dtype t, union lt_scalar r)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	double value = lt__as_double(r, t);

	if (!is_float(t)) {
		if (!fold->uncertain)
			return 0;
		return op == LT_OP_mul ? INFINITY : within(t, value, fold->error);
	}
	if (op == LT_OP_add || op == LT_OP_mul) {
		double e = op == LT_OP_add ? sum_error(fold, type, value) : product_error(fold, type, value);
		return isfinite(value) ? within(t, value, e) : e;
	}
	return isfinite(value) ? within(t, value, fold->error) : isfinite(fold->error) ? 0 : INFINITY;
}
