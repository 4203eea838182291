/* trig.c -- the trigonometric and hyperbolic functions that are no operators of the graph: by series
 * about 0, and by identities that bring their operand near 0 without a loss of digits. */
#include <math.h>
#include "ir/build/build.h"

/* Terms of a series that leave less than the type's rounding: of |x| <= 1/4 where coefficients are 1/n, of |x| <= 1
 * where they are 1/n!. */
enum { NARROW_TERMS = 6, WIDE_TERMS = 13 };
/* Beyond it x * x + 1 is x * x, and x * x may overflow. */
static const double FAR = 1e10;

static int series_terms(struct lt_graph *g, lt_node x)
{
	return x >= 0 && lt_node_dtype(g, x) == LT_F64 ? WIDE_TERMS : NARROW_TERMS;
}

/* x (1 + c1 x^2 + c2 x^4 ..): NaN stays, and so does the sign of 0. */
static lt_node odd_series(struct lt_graph *g, lt_node x, double (*coefficient)(int))
{
	lt_node square = lt__pos_op2(g, "mul", x, x);
	int n = series_terms(g, x);
	lt_node y = x < 0 ? LT_NONE : lt_graph_literal(g, lt_node_dtype(g, x), coefficient(n));
	for (int k = n - 1; k >= 1; k--)
		y = lt__pos_opf(g, "add", lt__pos_op2(g, "mul", y, square), coefficient(k));
	return lt__pos_op2(g, "mul", x, lt__pos_opf(g, "add", lt__pos_op2(g, "mul", y, square), 1));
}

static double atan_coefficient(int k) { return (k % 2 ? -1.0 : 1.0) / (2 * k + 1); }
static double atanh_coefficient(int k) { return 1.0 / (2 * k + 1); }
static double sinh_coefficient(int k) { return 1 / tgamma(2 * k + 2); }

/* sqrt(1 + x^2) */
static lt_node hypotenuse(struct lt_graph *g, lt_node x)
{
	return lt__pos_op1(g, "sqrt", lt__pos_opf(g, "add", lt__pos_op2(g, "mul", x, x), 1));
}

/* Whether |x| is below a bound. */
static lt_node is_near(struct lt_graph *g, lt_node x, double bound)
{
	return lt__pos_opf(g, "less", lt__pos_op1(g, "abs", x), bound);
}

/* With the sign of x; y is of |x| and not 0 where it is taken. */
static lt_node signed_like(struct lt_graph *g, lt_node x, lt_node y)
{
	return lt__pos_op2(g, "mul", lt__pos_op1(g, "sign", x), y);
}

/* atan x = 2 atan(x / (1 + sqrt(1 + x^2))), twice; beyond 1 pi/2 - atan(1/x) */
lt_node lt__function_Atan(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node beyond = lt__pos_opf(g, "greater", lt__pos_op1(g, "abs", x), 1);
	lt_node y = lt__pos_select(g, beyond, lt__pos_op1(g, "reciprocal", x), x);
	for (int i = 0; i < 2; i++)
		y = lt__pos_op2(g, "div", y, lt__pos_opf(g, "add", hypotenuse(g, y), 1));
	y = lt__pos_opf(g, "mul", odd_series(g, y, atan_coefficient), 4);
	lt_node right = lt__pos_opf(g, "mul", lt__pos_op1(g, "sign", x), M_PI_2);
	return lt__pos_select(g, beyond, lt__pos_op2(g, "sub", right, y), y);
}

/* (1 + x) (1 - x): 1 - x^2 without the digits that the square loses. */
lt_node lt__function_Asin(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node below = lt__pos_opr(g, "sub", 1, x), above = lt__pos_opf(g, "add", x, 1);
	lt_node rest = lt__pos_op2(g, "mul", below, above);
	return lt__function_Atan(g, lt__pos_op2(g, "div", x, lt__pos_op1(g, "sqrt", rest)), 0, 0);
}

lt_node lt__function_Acos(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node below = lt__pos_opr(g, "sub", 1, x), above = lt__pos_opf(g, "add", x, 1);
	lt_node root = lt__pos_op1(g, "sqrt", lt__pos_op2(g, "div", below, above));
	return lt__pos_opf(g, "mul", lt__function_Atan(g, root, 0, 0), 2);
}

lt_node lt__function_Tan(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node sine = lt__pos_op1(g, "sin", x), cosine = lt__pos_op1(g, "cos", x);
	return lt__pos_op2(g, "div", sine, cosine);
}

/* exp |x| / 2 as a product: the power itself overflows first. */
static lt_node half_power(struct lt_graph *g, lt_node x)
{
	lt_node root = lt__pos_op1(g, "exp", lt__pos_opf(g, "mul", lt__pos_op1(g, "abs", x), 0.5));
	return lt__pos_op2(g, "mul", lt__pos_opf(g, "mul", root, 0.5), root);
}

/* exp(-|x|) / 2 */
static lt_node half_inverse(struct lt_graph *g, lt_node x)
{
	return lt__pos_opf(g, "mul", lt__pos_op1(g, "exp", lt__pos_op1(g, "neg", lt__pos_op1(g, "abs", x))), 0.5);
}

lt_node lt__function_Sinh(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node power = half_power(g, x), inverse = half_inverse(g, x);
	lt_node far = signed_like(g, x, lt__pos_op2(g, "sub", power, inverse));
	lt_node near = odd_series(g, x, sinh_coefficient), is = is_near(g, x, 1);
	return lt__pos_select(g, is, near, far);
}

lt_node lt__function_Cosh(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node power = half_power(g, x), inverse = half_inverse(g, x);
	return lt__pos_op2(g, "add", power, inverse);
}

/* log((1 + x) / (1 - x)) / 2 */
lt_node lt__function_Atanh(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node above = lt__pos_opf(g, "add", x, 1), below = lt__pos_opr(g, "sub", 1, x);
	lt_node far = lt__pos_opf(g, "mul", lt__pos_op1(g, "log", lt__pos_op2(g, "div", above, below)), 0.5);
	lt_node near = odd_series(g, x, atanh_coefficient), is = is_near(g, x, 0.25);
	return lt__pos_select(g, is, near, far);
}

/* log(|x| + sqrt(x^2 + 1)); near 0 atanh(x / sqrt(x^2 + 1)) */
lt_node lt__function_Asinh(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node near = odd_series(g, lt__pos_op2(g, "div", x, hypotenuse(g, x)), atanh_coefficient);
	lt_node size = lt__pos_op1(g, "abs", x), sum = lt__pos_op2(g, "add", size, hypotenuse(g, x));
	lt_node is_far = lt__pos_opf(g, "greater", size, FAR);
	lt_node power = lt__pos_op1(g, "log", lt__pos_select(g, is_far, size, sum));
	power = lt__pos_select(g, is_far, lt__pos_opf(g, "add", power, M_LN2), power);
	lt_node far = signed_like(g, x, power), is = is_near(g, x, 0.25);
	return lt__pos_select(g, is, near, far);
}

/* asinh(sqrt(x^2 - 1)) */
lt_node lt__function_Acosh(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node below = lt__pos_op1(g, "sqrt", lt__pos_opf(g, "sub", x, 1));
	lt_node above = lt__pos_op1(g, "sqrt", lt__pos_opf(g, "add", x, 1));
	return lt__function_Asinh(g, lt__pos_op2(g, "mul", below, above), 0, 0);
}
