/* frontends/onnx/op_trig.c -- the trigonometric and hyperbolic functions that are no operators of the graph: by series
 * about 0, and by identities that bring their operand near 0 without a loss of digits. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"

/* Terms of a series that leave less than the type's rounding: of |x| <= 1/4 where coefficients are 1/n, of |x| <= 1
 * where they are 1/n!. */
enum { NARROW_TERMS = 6, WIDE_TERMS = 13 };
/* Beyond it x * x + 1 is x * x, and x * x may overflow. */
static const double FAR = 1e10;

static int series_terms(struct lt_onnx *m, lt_node x)
{
	return x >= 0 && lt_node_dtype(m->graph, x) == LT_F64 ? WIDE_TERMS : NARROW_TERMS;
}

/* x (1 + c1 x^2 + c2 x^4 ..): NaN stays, and so does the sign of 0. */
static lt_node odd_series(struct lt_onnx *m, lt_node x, double (*coefficient)(int))
{
	lt_node square = lt__onnx_op2(m, "mul", x, x);
	int n = series_terms(m, x);
	lt_node y = x < 0 ? LT_NONE : lt__onnx_number(m, lt_node_dtype(m->graph, x), coefficient(n));
	for (int k = n - 1; k >= 1; k--)
		y = lt__onnx_opf(m, "add", lt__onnx_op2(m, "mul", y, square), coefficient(k));
	return lt__onnx_op2(m, "mul", x, lt__onnx_opf(m, "add", lt__onnx_op2(m, "mul", y, square), 1));
}

static double atan_coefficient(int k) { return (k % 2 ? -1.0 : 1.0) / (2 * k + 1); }
static double atanh_coefficient(int k) { return 1.0 / (2 * k + 1); }
static double sinh_coefficient(int k) { return 1 / tgamma(2 * k + 2); }

/* sqrt(1 + x^2) */
static lt_node hypotenuse(struct lt_onnx *m, lt_node x)
{
	return lt__onnx_op1(m, "sqrt", lt__onnx_opf(m, "add", lt__onnx_op2(m, "mul", x, x), 1));
}

/* Whether |x| is below a bound. */
static lt_node is_near(struct lt_onnx *m, lt_node x, double bound)
{
	return lt__onnx_opf(m, "less", lt__onnx_op1(m, "abs", x), bound);
}

/* With the sign of x; y is of |x| and not 0 where it is taken. */
static lt_node signed_like(struct lt_onnx *m, lt_node x, lt_node y)
{
	return lt__onnx_op2(m, "mul", lt__onnx_op1(m, "sign", x), y);
}

/* atan x = 2 atan(x / (1 + sqrt(1 + x^2))), twice; beyond 1 pi/2 - atan(1/x) */
static lt_node trig_atan(struct lt_onnx *m, lt_node x)
{
	lt_node beyond = lt__onnx_opf(m, "greater", lt__onnx_op1(m, "abs", x), 1);
	lt_node y = lt__onnx_select(m, beyond, lt__onnx_op1(m, "reciprocal", x), x);
	for (int i = 0; i < 2; i++)
		y = lt__onnx_op2(m, "div", y, lt__onnx_opf(m, "add", hypotenuse(m, y), 1));
	y = lt__onnx_opf(m, "mul", odd_series(m, y, atan_coefficient), 4);
	lt_node right = lt__onnx_opf(m, "mul", lt__onnx_op1(m, "sign", x), M_PI_2);
	return lt__onnx_select(m, beyond, lt__onnx_op2(m, "sub", right, y), y);
}

/* (1 + x) (1 - x): 1 - x^2 without the digits that the square loses. */
static lt_node trig_asin(struct lt_onnx *m, lt_node x)
{
	lt_node rest = lt__onnx_op2(m, "mul", lt__onnx_opr(m, "sub", 1, x), lt__onnx_opf(m, "add", x, 1));
	return trig_atan(m, lt__onnx_op2(m, "div", x, lt__onnx_op1(m, "sqrt", rest)));
}

static lt_node trig_acos(struct lt_onnx *m, lt_node x)
{
	lt_node ratio = lt__onnx_op2(m, "div", lt__onnx_opr(m, "sub", 1, x), lt__onnx_opf(m, "add", x, 1));
	return lt__onnx_opf(m, "mul", trig_atan(m, lt__onnx_op1(m, "sqrt", ratio)), 2);
}

static lt_node trig_tan(struct lt_onnx *m, lt_node x)
{
	return lt__onnx_op2(m, "div", lt__onnx_op1(m, "sin", x), lt__onnx_op1(m, "cos", x));
}

/* exp |x| / 2 as a product: the power itself overflows first. */
static lt_node half_power(struct lt_onnx *m, lt_node x)
{
	lt_node root = lt__onnx_op1(m, "exp", lt__onnx_opf(m, "mul", lt__onnx_op1(m, "abs", x), 0.5));
	return lt__onnx_op2(m, "mul", lt__onnx_opf(m, "mul", root, 0.5), root);
}

/* exp(-|x|) / 2 */
static lt_node half_inverse(struct lt_onnx *m, lt_node x)
{
	return lt__onnx_opf(m, "mul", lt__onnx_op1(m, "exp", lt__onnx_op1(m, "neg", lt__onnx_op1(m, "abs", x))), 0.5);
}

static lt_node trig_sinh(struct lt_onnx *m, lt_node x)
{
	lt_node far = lt__onnx_op2(m, "sub", half_power(m, x), half_inverse(m, x));
	return lt__onnx_select(m, is_near(m, x, 1), odd_series(m, x, sinh_coefficient), signed_like(m, x, far));
}

static lt_node trig_cosh(struct lt_onnx *m, lt_node x)
{
	return lt__onnx_op2(m, "add", half_power(m, x), half_inverse(m, x));
}

/* log((1 + x) / (1 - x)) / 2 */
static lt_node trig_atanh(struct lt_onnx *m, lt_node x)
{
	lt_node ratio = lt__onnx_op2(m, "div", lt__onnx_opf(m, "add", x, 1), lt__onnx_opr(m, "sub", 1, x));
	lt_node far = lt__onnx_opf(m, "mul", lt__onnx_op1(m, "log", ratio), 0.5);
	return lt__onnx_select(m, is_near(m, x, 0.25), odd_series(m, x, atanh_coefficient), far);
}

/* log(|x| + sqrt(x^2 + 1)); near 0 atanh(x / sqrt(x^2 + 1)) */
static lt_node trig_asinh(struct lt_onnx *m, lt_node x)
{
	lt_node near = odd_series(m, lt__onnx_op2(m, "div", x, hypotenuse(m, x)), atanh_coefficient);
	lt_node size = lt__onnx_op1(m, "abs", x), sum = lt__onnx_op2(m, "add", size, hypotenuse(m, x));
	lt_node is_far = lt__onnx_opf(m, "greater", size, FAR);
	lt_node power = lt__onnx_op1(m, "log", lt__onnx_select(m, is_far, size, sum));
	power = lt__onnx_select(m, is_far, lt__onnx_opf(m, "add", power, M_LN2), power);
	return lt__onnx_select(m, is_near(m, x, 0.25), near, signed_like(m, x, power));
}

/* asinh(sqrt(x^2 - 1)) */
static lt_node trig_acosh(struct lt_onnx *m, lt_node x)
{
	lt_node root = lt__onnx_op2(m, "mul", lt__onnx_op1(m, "sqrt", lt__onnx_opf(m, "sub", x, 1)),
		lt__onnx_op1(m, "sqrt", lt__onnx_opf(m, "add", x, 1)));
	return trig_asinh(m, root);
}

static const struct trig_function {
	const char *name;
	lt_node (*build)(struct lt_onnx *, lt_node);
} trig_functions[] = {
	{ "tan", trig_tan }, { "asin", trig_asin }, { "acos", trig_acos }, { "atan", trig_atan }, { "sinh", trig_sinh },
	{ "cosh", trig_cosh }, { "asinh", trig_asinh }, { "acosh", trig_acosh }, { "atanh", trig_atanh },
};

void lt__onnx_build_trig(struct lt_onnx_call *c)
{
	lt_node x = lt__onnx_wide(c->m, lt__onnx_in(c, 0));
	for (size_t i = 0; i < sizeof trig_functions / sizeof *trig_functions; i++)
		if (!strcmp(trig_functions[i].name, c->op->arg))
			lt__onnx_give(c, 0, lt__onnx_cast(c->m, trig_functions[i].build(c->m, x), lt__onnx_value(c, 0)->dtype));
}
