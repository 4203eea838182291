/* Written by tests/data/make_vectors.py operators: do not edit. */
#include <math.h>
#include <stdint.h>
struct operator_case { const char *op; int arity; const double *want; };
static const double floats[] = {
	0, -0.0, 1, -1.5, 2.75, INFINITY, -INFINITY, NAN,
};
static const double ints[] = {
	0, 1, -1, 7, -8, 3, 2147483647, -2147483648,
};
static const double unary_neg[] = {
	-0.0, 0, -1, 1.5, -2.75, -INFINITY, INFINITY, NAN,
};
static const double unary_abs[] = {
	0, 0, 1, 1.5, 2.75, INFINITY, INFINITY, NAN,
};
static const double unary_sign[] = {
	0, 0, 1, -1, 1, 1, -1, NAN,
};
static const double unary_reciprocal[] = {
	INFINITY, -INFINITY, 1, -0.666666667, 0.363636364, 0, -0.0, NAN,
};
static const double unary_exp[] = {
	1, 1, 2.71828183, 0.22313016, 15.6426319, INFINITY, 0, NAN,
};
static const double unary_log[] = {
	-INFINITY, -INFINITY, 0, NAN, 1.01160091, INFINITY, NAN, NAN,
};
static const double unary_sqrt[] = {
	0, -0.0, 1, NAN, 1.6583124, INFINITY, NAN, NAN,
};
static const double unary_rsqrt[] = {
	INFINITY, -INFINITY, 1, NAN, 0.603022689, 0, NAN, NAN,
};
static const double unary_tanh[] = {
	0, -0.0, 0.761594156, -0.905148254, 0.991859725, 1, -1, NAN,
};
static const double unary_sigmoid[] = {
	0.5, 0.5, 0.731058579, 0.182425524, 0.93991335, 1, 0, NAN,
};
static const double unary_erf[] = {
	0, -0.0, 0.842700793, -0.966105146, 0.999899378, 1, -1, NAN,
};
static const double unary_sin[] = {
	0, -0.0, 0.841470985, -0.997494987, 0.381660992, NAN, NAN, NAN,
};
static const double unary_cos[] = {
	1, 1, 0.540302306, 0.0707372017, -0.924302379, NAN, NAN, NAN,
};
static const double unary_floor[] = {
	0, -0.0, 1, -2, 2, INFINITY, -INFINITY, NAN,
};
static const double unary_ceil[] = {
	0, -0.0, 1, -1, 3, INFINITY, -INFINITY, NAN,
};
static const double unary_round[] = {
	0, -0.0, 1, -2, 3, INFINITY, -INFINITY, NAN,
};
static const struct operator_case unary[] = {
	{ "neg", 1, unary_neg },
	{ "abs", 1, unary_abs },
	{ "sign", 1, unary_sign },
	{ "reciprocal", 1, unary_reciprocal },
	{ "exp", 1, unary_exp },
	{ "log", 1, unary_log },
	{ "sqrt", 1, unary_sqrt },
	{ "rsqrt", 1, unary_rsqrt },
	{ "tanh", 1, unary_tanh },
	{ "sigmoid", 1, unary_sigmoid },
	{ "erf", 1, unary_erf },
	{ "sin", 1, unary_sin },
	{ "cos", 1, unary_cos },
	{ "floor", 1, unary_floor },
	{ "ceil", 1, unary_ceil },
	{ "round", 1, unary_round },
};
static const double binary_add[] = {
	0, 0, 1, -1.5, 2.75, INFINITY, -INFINITY, NAN, 0, -0.0,
	1, -1.5, 2.75, INFINITY, -INFINITY, NAN, 1, 1, 2, -0.5,
	3.75, INFINITY, -INFINITY, NAN, -1.5, -1.5, -0.5, -3, 1.25, INFINITY,
	-INFINITY, NAN, 2.75, 2.75, 3.75, 1.25, 5.5, INFINITY, -INFINITY, NAN,
	INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, NAN, -INFINITY, -INFINITY,
	-INFINITY, -INFINITY, -INFINITY, NAN, -INFINITY, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_sub[] = {
	0, 0, -1, 1.5, -2.75, -INFINITY, INFINITY, NAN, -0.0, 0,
	-1, 1.5, -2.75, -INFINITY, INFINITY, NAN, 1, 1, 0, 2.5,
	-1.75, -INFINITY, INFINITY, NAN, -1.5, -1.5, -2.5, 0, -4.25, -INFINITY,
	INFINITY, NAN, 2.75, 2.75, 1.75, 4.25, 0, -INFINITY, INFINITY, NAN,
	INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, INFINITY, NAN, -INFINITY, -INFINITY,
	-INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_mul[] = {
	0, -0.0, 0, -0.0, 0, NAN, NAN, NAN, -0.0, 0,
	-0.0, 0, -0.0, NAN, NAN, NAN, 0, -0.0, 1, -1.5,
	2.75, INFINITY, -INFINITY, NAN, -0.0, 0, -1.5, 2.25, -4.125, -INFINITY,
	INFINITY, NAN, 0, -0.0, 2.75, -4.125, 7.5625, INFINITY, -INFINITY, NAN,
	NAN, NAN, INFINITY, -INFINITY, INFINITY, INFINITY, -INFINITY, NAN, NAN, NAN,
	-INFINITY, INFINITY, -INFINITY, -INFINITY, INFINITY, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_div[] = {
	NAN, NAN, 0, -0.0, 0, 0, -0.0, NAN, NAN, NAN,
	-0.0, 0, -0.0, -0.0, 0, NAN, INFINITY, -INFINITY, 1, -0.666666667,
	0.363636364, 0, -0.0, NAN, -INFINITY, INFINITY, -1.5, 1, -0.545454545, -0.0,
	0, NAN, INFINITY, -INFINITY, 2.75, -1.83333333, 1, 0, -0.0, NAN,
	INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN, NAN, NAN, -INFINITY, INFINITY,
	-INFINITY, INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_mod[] = {
	NAN, NAN, 0, -0.0, 0, 0, -0.0, NAN, NAN, NAN,
	0, -0.0, 0, 0, -0.0, NAN, NAN, NAN, 0, -0.5,
	1, 1, -INFINITY, NAN, NAN, NAN, 0.5, -0.0, 1.25, INFINITY,
	-1.5, NAN, NAN, NAN, 0.75, -0.25, 0, 2.75, -INFINITY, NAN,
	NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_pow[] = {
	1, 1, 0, INFINITY, 0, 0, INFINITY, NAN, 1, 1,
	-0.0, INFINITY, 0, 0, INFINITY, NAN, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, -1.5, NAN, NAN, INFINITY,
	0, NAN, 1, 1, 2.75, 0.219280978, 16.1497167, INFINITY, 0, NAN,
	1, 1, INFINITY, 0, INFINITY, INFINITY, 0, NAN, 1, 1,
	-INFINITY, 0, INFINITY, INFINITY, 0, NAN, 1, 1, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_min[] = {
	0, -0.0, 0, -1.5, 0, 0, -INFINITY, NAN, 0, -0.0,
	-0.0, -1.5, -0.0, -0.0, -INFINITY, NAN, 0, -0.0, 1, -1.5,
	1, 1, -INFINITY, NAN, -1.5, -1.5, -1.5, -1.5, -1.5, -1.5,
	-INFINITY, NAN, 0, -0.0, 1, -1.5, 2.75, 2.75, -INFINITY, NAN,
	0, -0.0, 1, -1.5, 2.75, INFINITY, -INFINITY, NAN, -INFINITY, -INFINITY,
	-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_max[] = {
	0, -0.0, 1, 0, 2.75, INFINITY, 0, NAN, 0, -0.0,
	1, -0.0, 2.75, INFINITY, -0.0, NAN, 1, 1, 1, 1,
	2.75, INFINITY, 1, NAN, 0, -0.0, 1, -1.5, 2.75, INFINITY,
	-1.5, NAN, 2.75, 2.75, 2.75, 2.75, 2.75, INFINITY, 2.75, NAN,
	INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, NAN, 0, -0.0,
	1, -1.5, 2.75, INFINITY, -INFINITY, NAN, NAN, NAN, NAN, NAN,
	NAN, NAN, NAN, NAN,
};
static const double binary_eq[] = {
	1, 1, 0, 0, 0, 0, 0, 0, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
	0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};
static const double binary_ne[] = {
	0, 0, 1, 1, 1, 1, 1, 1, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 0, 1,
	1, 1, 1, 1, 1, 1, 1, 0, 1, 1,
	1, 1, 1, 1, 1, 1, 0, 1, 1, 1,
	1, 1, 1, 1, 1, 0, 1, 1, 1, 1,
	1, 1, 1, 1, 0, 1, 1, 1, 1, 1,
	1, 1, 1, 1,
};
static const double binary_less[] = {
	0, 0, 1, 0, 1, 1, 0, 0, 0, 0,
	1, 0, 1, 1, 0, 0, 0, 0, 0, 0,
	1, 1, 0, 0, 1, 1, 1, 0, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
	1, 1, 1, 1, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};
static const double binary_lessequal[] = {
	1, 1, 1, 0, 1, 1, 0, 0, 1, 1,
	1, 0, 1, 1, 0, 0, 0, 0, 1, 0,
	1, 1, 0, 0, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 1, 1, 0, 0,
	0, 0, 0, 0, 0, 1, 0, 0, 1, 1,
	1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};
static const double binary_greater[] = {
	0, 0, 0, 1, 0, 0, 1, 0, 0, 0,
	0, 1, 0, 0, 1, 0, 1, 1, 0, 1,
	0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 1, 1, 1, 1, 0, 0, 1, 0,
	1, 1, 1, 1, 1, 0, 1, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};
static const double binary_greaterequal[] = {
	1, 1, 0, 1, 0, 0, 1, 0, 1, 1,
	0, 1, 0, 0, 1, 0, 1, 1, 1, 1,
	0, 0, 1, 0, 0, 0, 0, 1, 0, 0,
	1, 0, 1, 1, 1, 1, 1, 0, 1, 0,
	1, 1, 1, 1, 1, 1, 1, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};
static const struct operator_case binary[] = {
	{ "add", 2, binary_add },
	{ "sub", 2, binary_sub },
	{ "mul", 2, binary_mul },
	{ "div", 2, binary_div },
	{ "mod", 2, binary_mod },
	{ "pow", 2, binary_pow },
	{ "min", 2, binary_min },
	{ "max", 2, binary_max },
	{ "eq", 2, binary_eq },
	{ "ne", 2, binary_ne },
	{ "less", 2, binary_less },
	{ "lessequal", 2, binary_lessequal },
	{ "greater", 2, binary_greater },
	{ "greaterequal", 2, binary_greaterequal },
};
static const double int_unary_neg[] = {
	0, -1, 1, -7, 8, -3, -2147483647, -2147483648,
};
static const double int_unary_abs[] = {
	0, 1, 1, 7, 8, 3, 2147483647, -2147483648,
};
static const double int_unary_sign[] = {
	0, 1, -1, 1, -1, 1, 1, -1,
};
static const struct operator_case int_unary[] = {
	{ "neg", 1, int_unary_neg },
	{ "abs", 1, int_unary_abs },
	{ "sign", 1, int_unary_sign },
};
static const double int_binary_shl[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 2,
	0, 128, 0, 8, 0, 0, -1, -2, 0, -128,
	0, -8, 0, 0, 7, 14, 0, 896, 0, 56,
	0, 0, -8, -16, 0, -1024, 0, -64, 0, 0,
	3, 6, 0, 384, 0, 24, 0, 0, 2147483647, -2,
	0, -128, 0, -8, 0, 0, -2147483648, 0, 0, 0,
	0, 0, 0, 0,
};
static const double int_binary_shr[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
	1, 0, 1, 0, 0, 1, -1, -1, -1, -1,
	-1, -1, -1, -1, 7, 3, 7, 0, 7, 0,
	0, 7, -8, -4, -8, -1, -8, -1, -1, -8,
	3, 1, 3, 0, 3, 0, 0, 3, 2147483647, 1073741823,
	2147483647, 16777215, 2147483647, 268435455, 0, 2147483647, -2147483648, -1073741824, -2147483648, -16777216,
	-2147483648, -268435456, -1, -2147483648,
};
static const double int_binary_add[] = {
	0, 1, -1, 7, -8, 3, 2147483647, -2147483648, 1, 2,
	0, 8, -7, 4, -2147483648, -2147483647, -1, 0, -2, 6,
	-9, 2, 2147483646, 2147483647, 7, 8, 6, 14, -1, 10,
	-2147483642, -2147483641, -8, -7, -9, -1, -16, -5, 2147483639, 2147483640,
	3, 4, 2, 10, -5, 6, -2147483646, -2147483645, 2147483647, -2147483648,
	2147483646, -2147483642, 2147483639, -2147483646, -2, -1, -2147483648, -2147483647, 2147483647, -2147483641,
	2147483640, -2147483645, -1, 0,
};
static const double int_binary_sub[] = {
	0, -1, 1, -7, 8, -3, -2147483647, -2147483648, 1, 0,
	2, -6, 9, -2, -2147483646, -2147483647, -1, -2, 0, -8,
	7, -4, -2147483648, 2147483647, 7, 6, 8, 0, 15, 4,
	-2147483640, -2147483641, -8, -9, -7, -15, 0, -11, 2147483641, 2147483640,
	3, 2, 4, -4, 11, 0, -2147483644, -2147483645, 2147483647, 2147483646,
	-2147483648, 2147483640, -2147483641, 2147483644, 0, -1, -2147483648, 2147483647, -2147483647, 2147483641,
	-2147483640, 2147483645, 1, 0,
};
static const double int_binary_mul[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	-1, 7, -8, 3, 2147483647, -2147483648, 0, -1, 1, -7,
	8, -3, -2147483647, -2147483648, 0, 7, -7, 49, -56, 21,
	2147483641, -2147483648, 0, -8, 8, -56, 64, -24, 8, 0,
	0, 3, -3, 21, -24, 9, 2147483645, -2147483648, 0, 2147483647,
	-2147483647, 2147483641, 8, 2147483645, 1, -2147483648, 0, -2147483648, -2147483648, -2147483648,
	0, -2147483648, -2147483648, 0,
};
static const double int_binary_div[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	-1, 0, -1, 0, 0, -1, 0, -1, 1, -1,
	0, -1, -1, 0, 0, 7, -7, 1, -1, 2,
	0, -1, 0, -8, 8, -2, 1, -3, -1, 0,
	0, 3, -3, 0, -1, 1, 0, -1, 0, 2147483647,
	-2147483647, 306783378, -268435456, 715827882, 1, -1, 0, -2147483648, -2147483648, -306783379,
	268435456, -715827883, -2, 1,
};
static const double int_binary_mod[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 1, -7, 1, 1, -2147483647, 0, 0, 0, 6,
	-1, 2, 2147483646, -1, 0, 0, 0, 0, -1, 1,
	7, -2147483641, 0, 0, 0, 6, 0, 1, 2147483639, -8,
	0, 0, 0, 3, -5, 0, 3, -2147483645, 0, 0,
	0, 1, -1, 1, 0, -1, 0, 0, 0, 5,
	0, 1, 2147483646, 0,
};
static const double int_binary_min[] = {
	0, 0, -1, 0, -8, 0, 0, -2147483648, 0, 1,
	-1, 1, -8, 1, 1, -2147483648, -1, -1, -1, -1,
	-8, -1, -1, -2147483648, 0, 1, -1, 7, -8, 3,
	7, -2147483648, -8, -8, -8, -8, -8, -8, -8, -2147483648,
	0, 1, -1, 3, -8, 3, 3, -2147483648, 0, 1,
	-1, 7, -8, 3, 2147483647, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648,
	-2147483648, -2147483648, -2147483648, -2147483648,
};
static const double int_binary_max[] = {
	0, 1, 0, 7, 0, 3, 2147483647, 0, 1, 1,
	1, 7, 1, 3, 2147483647, 1, 0, 1, -1, 7,
	-1, 3, 2147483647, -1, 7, 7, 7, 7, 7, 7,
	2147483647, 7, 0, 1, -1, 7, -8, 3, 2147483647, -8,
	3, 3, 3, 7, 3, 3, 2147483647, 3, 2147483647, 2147483647,
	2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 0, 1, -1, 7,
	-8, 3, 2147483647, -2147483648,
};
static const double int_binary_and[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	1, 1, 0, 1, 1, 0, 0, 1, -1, 7,
	-8, 3, 2147483647, -2147483648, 0, 1, 7, 7, 0, 3,
	7, 0, 0, 0, -8, 0, -8, 0, 2147483640, -2147483648,
	0, 1, 3, 3, 0, 3, 3, 0, 0, 1,
	2147483647, 7, 2147483640, 3, 2147483647, 0, 0, 0, -2147483648, 0,
	-2147483648, 0, 0, -2147483648,
};
static const double int_binary_or[] = {
	0, 1, -1, 7, -8, 3, 2147483647, -2147483648, 1, 1,
	-1, 7, -7, 3, 2147483647, -2147483647, -1, -1, -1, -1,
	-1, -1, -1, -1, 7, 7, -1, 7, -1, 7,
	2147483647, -2147483641, -8, -7, -1, -1, -8, -5, -1, -8,
	3, 3, -1, 7, -5, 3, 2147483647, -2147483645, 2147483647, 2147483647,
	-1, 2147483647, -1, 2147483647, 2147483647, -1, -2147483648, -2147483647, -1, -2147483641,
	-8, -2147483645, -1, -2147483648,
};
static const double int_binary_xor[] = {
	0, 1, -1, 7, -8, 3, 2147483647, -2147483648, 1, 0,
	-2, 6, -7, 2, 2147483646, -2147483647, -1, -2, 0, -8,
	7, -4, -2147483648, 2147483647, 7, 6, -8, 0, -1, 4,
	2147483640, -2147483641, -8, -7, 7, -1, 0, -5, -2147483641, 2147483640,
	3, 2, -4, 4, -5, 0, 2147483644, -2147483645, 2147483647, 2147483646,
	-2147483648, 2147483640, -2147483641, 2147483644, 0, -1, -2147483648, -2147483647, 2147483647, -2147483641,
	2147483640, -2147483645, -1, 0,
};
static const double int_binary_less[] = {
	0, 1, 0, 1, 0, 1, 1, 0, 0, 0,
	0, 1, 0, 1, 1, 0, 1, 1, 0, 1,
	0, 1, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 1, 1, 1, 1, 0, 1, 1, 0,
	0, 0, 0, 1, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
	1, 1, 1, 0,
};
static const double int_binary_eq[] = {
	1, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
	0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
	0, 0, 0, 1,
};
static const struct operator_case int_binary[] = {
	{ "shl", 2, int_binary_shl },
	{ "shr", 2, int_binary_shr },
	{ "add", 2, int_binary_add },
	{ "sub", 2, int_binary_sub },
	{ "mul", 2, int_binary_mul },
	{ "div", 2, int_binary_div },
	{ "mod", 2, int_binary_mod },
	{ "min", 2, int_binary_min },
	{ "max", 2, int_binary_max },
	{ "and", 2, int_binary_and },
	{ "or", 2, int_binary_or },
	{ "xor", 2, int_binary_xor },
	{ "less", 2, int_binary_less },
	{ "eq", 2, int_binary_eq },
};
static const double casts[] = {
	0, -0.5, 0.99, -1.99, 127.5, 128, -129, 300, 65520, 10000000000,
	-10000000000, 1e+19, -1e+19, NAN, INFINITY, -INFINITY,
};
static const double casts_i8[] = {
	0, 0, 0, -1, 127, 127, -128, 127, 127, 127,
	-128, 127, -128, 0, 127, -128,
};
static const double casts_u8[] = {
	0, 0, 0, 0, 127, 128, 0, 255, 255, 255,
	0, 255, 0, 0, 255, 0,
};
static const double casts_i16[] = {
	0, 0, 0, -1, 127, 128, -129, 300, 32767, 32767,
	-32768, 32767, -32768, 0, 32767, -32768,
};
static const double casts_i32[] = {
	0, 0, 0, -1, 127, 128, -129, 300, 65520, 2147483647,
	-2147483648, 2147483647, -2147483648, 0, 2147483647, -2147483648,
};
static const double casts_i64[] = {
	0, 0, 0, -1, 127, 128, -129, 300, 65520, 10000000000,
	-10000000000, 9.2233720368547758e+18, -9.2233720368547758e+18, 0, 9.2233720368547758e+18, -9.2233720368547758e+18,
};
static const double casts_bool[] = {
	0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1,
};
static const double casts_f32[] = {
	0, -0.5, 0.99000001, -1.99000001, 127.5, 128, -129, 300, 65520, 10000000000,
	-10000000000, 9.9999999805064479e+18, -9.9999999805064479e+18, NAN, INFINITY, -INFINITY,
};
static const double casts_f16[] = {
	0, -0.5, 0.990234375, -1.99023438, 127.5, 128, -129, 300, INFINITY, INFINITY,
	-INFINITY, INFINITY, -INFINITY, NAN, INFINITY, -INFINITY,
};
