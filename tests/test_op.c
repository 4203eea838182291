/* test_op.c -- the operator table: values against NumPy's and Python's, error bounds by sampling, C text. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/error.h"
#include "ir/op/op.h"

/* Operands and results, the latter computed by NumPy 1.24 in float64 (erf: Python's math.erf). */
static const double unary_at[] = { 0., 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, -100.25, INFINITY, -INFINITY, NAN };
static const struct unary_case { const char *op; double value[11]; } unary[] = {
	{ "neg", {
		-0., -0.5, 0.5, -1.5, -2.5, 2.5, -3.75, 100.25, -INFINITY, INFINITY, NAN } },
	{ "abs", {
		0., 0.5, 0.5, 1.5, 2.5, 2.5, 3.75, 100.25, INFINITY, INFINITY, NAN } },
	{ "sign", {
		0., 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, NAN } },
	{ "reciprocal", {
		INFINITY, 2.0, -2.0, 0.6666666666666666, 0.4, -0.4, 0.26666666666666666, -0.00997506234413965, 0.,
		-0., NAN } },
	{ "exp", {
		1.0, 1.6487212707001282, 0.6065306597126334, 4.4816890703380645, 12.182493960703473,
		0.0820849986238988, 42.52108200006278, 2.897198083210148e-44, INFINITY, 0., NAN } },
	{ "log", {
		-INFINITY, -0.6931471805599453, NAN, 0.4054651081081644, 0.9162907318741551, NAN, 1.3217558399823195,
		NAN, INFINITY, NAN, NAN } },
	{ "sqrt", {
		0., 0.7071067811865476, NAN, 1.224744871391589, 1.5811388300841898, NAN, 1.9364916731037085, NAN,
		INFINITY, NAN, NAN } },
	{ "rsqrt", {
		INFINITY, 1.414213562373095, NAN, 0.8164965809277261, 0.6324555320336759, NAN, 0.5163977794943222,
		NAN, 0., NAN, NAN } },
	{ "tanh", {
		0., 0.46211715726000974, -0.46211715726000974, 0.9051482536448665, 0.9866142981514303,
		-0.9866142981514303, 0.9988944427261528, -1.0, 1.0, -1.0, NAN } },
	{ "sigmoid", {
		0.5, 0.6224593312018546, 0.3775406687981454, 0.8175744761936437, 0.9241418199787566,
		0.07585818002124355, 0.9770226300899744, 2.897198083210148e-44, 1.0, 0., NAN } },
	{ "erf", {
		0., 0.5204998778130465, -0.5204998778130465, 0.9661051464753108, 0.999593047982555,
		-0.999593047982555, 0.9999998862727434, -1.0, 1.0, -1.0, NAN } },
	{ "sin", {
		0., 0.479425538604203, -0.479425538604203, 0.9974949866040544, 0.5984721441039565,
		-0.5984721441039565, -0.5715613187423437, 0.2772828564548513, NAN, NAN, NAN } },
	{ "cos", {
		1.0, 0.8775825618903728, 0.8775825618903728, 0.0707372016677029, -0.8011436155469337,
		-0.8011436155469337, -0.8205593573395608, 0.9607883312760612, NAN, NAN, NAN } },
	{ "floor", {
		0., 0., -1.0, 1.0, 2.0, -3.0, 3.0, -101.0, INFINITY, -INFINITY, NAN } },
	{ "ceil", {
		0., 1.0, -0., 2.0, 3.0, -2.0, 4.0, -100.0, INFINITY, -INFINITY, NAN } },
	{ "round", {
		0., 0., -0., 2.0, 2.0, -2.0, 4.0, -100.0, INFINITY, -INFINITY, NAN } },
};
static const double binary_at[][2] = {
	{ 1.5, 0.5 }, { -7.5, 2.0 }, { 7.5, -2.0 }, { 7.0, 0. }, { -0.5, -3.0 }, { 2.0, 0.5 }, { -2.0, 3.0 },
	{ 0., 0. }, { NAN, 1.0 }, { 1.0, NAN }, { INFINITY, 1.0 }, { 1.0, INFINITY }, { -1.0, INFINITY },
	{ -6.0, 3.0 }, { 3.0, 3.0 }
};
static const struct binary_case { const char *op; double value[15]; } binary[] = {
	{ "add", {
		2.0, -5.5, 5.5, 7.0, -3.5, 2.5, 1.0, 0., NAN, NAN, INFINITY, INFINITY, INFINITY, -3.0, 6.0 } },
	{ "sub", {
		1.0, -9.5, 9.5, 7.0, 2.5, 1.5, -5.0, 0., NAN, NAN, INFINITY, -INFINITY, -INFINITY, -9.0, 0. } },
	{ "mul", {
		0.75, -15.0, -15.0, 0., 1.5, 1.0, -6.0, 0., NAN, NAN, INFINITY, INFINITY, -INFINITY, -18.0, 9.0 } },
	{ "div", {
		3.0, -3.75, -3.75, INFINITY, 0.16666666666666666, 4.0, -0.6666666666666666, NAN, NAN, NAN, INFINITY,
		0., -0., -2.0, 1.0 } },
	{ "mod", {
		0., 0.5, -0.5, NAN, -0.5, 0., 1.0, NAN, NAN, NAN, NAN, 1.0, INFINITY, 0., 0. } },
	{ "pow", {
		1.224744871391589, 56.25, 0.017777777777777778, 1.0, -8.0, 1.4142135623730951, -8.0, 1.0, NAN, 1.0,
		INFINITY, 1.0, 1.0, -216.0, 27.0 } },
	{ "min", {
		0.5, -7.5, -2.0, 0., -3.0, 0.5, -2.0, 0., NAN, NAN, 1.0, 1.0, -1.0, -6.0, 3.0 } },
	{ "max", {
		1.5, 2.0, 7.5, 7.0, -0.5, 2.0, 3.0, 0., NAN, NAN, INFINITY, INFINITY, INFINITY, 3.0, 3.0 } },
	{ "eq", {
		0., 0., 0., 0., 0., 0., 0., 1.0, 0., 0., 0., 0., 0., 0., 1.0 } },
	{ "ne", {
		1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0., 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0. } },
	{ "less", {
		0., 1.0, 0., 0., 0., 0., 1.0, 0., 0., 0., 0., 1.0, 1.0, 1.0, 0. } },
	{ "lessequal", {
		0., 1.0, 0., 0., 0., 0., 1.0, 1.0, 0., 0., 0., 1.0, 1.0, 1.0, 1.0 } },
	{ "greater", {
		1.0, 0., 1.0, 1.0, 1.0, 1.0, 0., 0., 0., 0., 1.0, 0., 0., 0., 0. } },
	{ "greaterequal", {
		1.0, 0., 1.0, 1.0, 1.0, 1.0, 0., 1.0, 0., 0., 1.0, 0., 0., 0., 1.0 } },
};
/* Dividend, divisor, Python's // and %, wrapped to 64 bits; by 0: 0. */
static const int64_t integer_division[][4] = {
	{ -1LL, 9223372036854775807LL, -1LL, 9223372036854775806LL }, { -2147483648LL, 2LL, -1073741824LL, 0LL },
	{ -4611686018427387909LL, 2LL, -2305843009213693955LL, 1LL },
	{ 4611686018427387904LL, 3LL, 1537228672809129301LL, 1LL }, { 1LL, -2LL, -1LL, -1LL },
	{ 3LL, 3LL, 1LL, 0LL }, { -1LL, -3LL, 0LL, -1LL }, { -100LL, -7LL, 14LL, -2LL },
	{ 4611686018427387904LL, -2LL, -2305843009213693952LL, 0LL }, { 8LL, 7LL, 1LL, 1LL },
	{ 100LL, 7LL, 14LL, 2LL }, { INT64_MIN, 0LL, 0LL, 0LL }, { -7LL, 1LL, -7LL, 0LL }, { -2LL, 3LL, -1LL, 1LL },
	{ -1LL, 0LL, 0LL, 0LL }, { 100LL, INT64_MIN, -1LL, -9223372036854775708LL }, { 0LL, 7LL, 0LL, 0LL },
	{ -7LL, 2LL, -4LL, 1LL }, { 8LL, -1LL, -8LL, 0LL },
	{ 9223372036854775807LL, 1LL, 9223372036854775807LL, 0LL }, { 0LL, 0LL, 0LL, 0LL },
	{ -9223372036854775807LL, 0LL, 0LL, 0LL }, { 8LL, -3LL, -3LL, -1LL }, { 3LL, -7LL, -1LL, -4LL },
	{ -9223372036854775807LL, -3LL, 3074457345618258602LL, -1LL },
	{ -2LL, 9223372036854775807LL, -1LL, 9223372036854775805LL },
	{ -2147483648LL, 2147483647LL, -2LL, 2147483646LL }, { -1LL, -1LL, 1LL, 0LL },
	{ -3LL, 2147483647LL, -1LL, 2147483644LL }, { 4611686018427387904LL, 7LL, 658812288346769700LL, 4LL },
	{ 0LL, 3LL, 0LL, 0LL }, { 0LL, -3LL, 0LL, 0LL }, { -4611686018427387909LL, 0LL, 0LL, 0LL },
	{ 2147483647LL, -7LL, -306783379LL, -6LL }, { 0LL, -1LL, 0LL, 0LL },
	{ 4611686018427387904LL, INT64_MIN, -1LL, -4611686018427387904LL },
	{ INT64_MIN, 2147483647LL, -4294967299LL, 2147483645LL }, { -2LL, 7LL, -1LL, 5LL }, { 8LL, 0LL, 0LL, 0LL },
	{ -9223372036854775807LL, INT64_MIN, 0LL, -9223372036854775807LL }, { 2147483647LL, 3LL, 715827882LL, 1LL },
	{ -2LL, -7LL, 0LL, -2LL }, { 8LL, -2LL, -4LL, 0LL },
	{ -4611686018427387909LL, -2LL, 2305843009213693954LL, -1LL },
	{ 2147483647LL, INT64_MIN, -1LL, -9223372034707292161LL }, { -2LL, INT64_MIN, 0LL, -2LL },
	{ 7LL, -2LL, -4LL, -1LL }, { INT64_MIN, -1LL, INT64_MIN, 0LL },
	{ INT64_MIN, -3LL, 3074457345618258602LL, -2LL }, { 8LL, 2147483647LL, 0LL, 8LL }, { -3LL, -1LL, 3LL, 0LL },
	{ -9223372036854775807LL, 3LL, -3074457345618258603LL, 2LL },
	{ -7LL, 9223372036854775807LL, -1LL, 9223372036854775800LL }, { -2147483648LL, 0LL, 0LL, 0LL },
	{ -1LL, 1LL, -1LL, 0LL }, { 2LL, INT64_MIN, -1LL, -9223372036854775806LL }, { -3LL, 2LL, -2LL, 1LL },
	{ -4611686018427387909LL, 3LL, -1537228672809129303LL, 0LL }, { 7LL, 1LL, 7LL, 0LL },
	{ -100LL, 9223372036854775807LL, -1LL, 9223372036854775707LL },
};

/* An operand, a count, and both shifts by Python's integers of any size, wrapped to 64 bits. */
static const int64_t shifts[][4] = {
	{ 0LL, 31LL, 0LL, 0LL }, { 0LL, 9223372036854775807LL, 0LL, 0LL }, { 0LL, 65LL, 0LL, 0LL },
	{ 0LL, 2LL, 0LL, 0LL }, { 0LL, 62LL, 0LL, 0LL }, { 1LL, 9223372036854775807LL, 0LL, 0LL },
	{ 1LL, 64LL, 0LL, 0LL }, { 1LL, -1LL, 0LL, 1LL }, { 1LL, INT64_MIN, 0LL, 1LL }, { 1LL, 1LL, 2LL, 0LL },
	{ -1LL, 9223372036854775807LL, 0LL, -1LL }, { -1LL, 0LL, -1LL, -1LL }, { -1LL, 64LL, 0LL, -1LL },
	{ -1LL, 32LL, -4294967296LL, -1LL }, { -1LL, 65LL, 0LL, -1LL }, { 5LL, 31LL, 10737418240LL, 0LL },
	{ 5LL, INT64_MIN, 0LL, 5LL }, { 5LL, 64LL, 0LL, 0LL }, { 5LL, 65LL, 0LL, 0LL },
	{ 5LL, 9223372036854775807LL, 0LL, 0LL }, { -5LL, 64LL, 0LL, -1LL }, { -5LL, 63LL, INT64_MIN, -1LL },
	{ -5LL, -1LL, 0LL, -5LL }, { -5LL, 2LL, -20LL, -2LL }, { -5LL, 31LL, -10737418240LL, -1LL },
	{ 2147483647LL, -1LL, 0LL, 2147483647LL }, { 2147483647LL, 2LL, 8589934588LL, 536870911LL },
	{ 2147483647LL, 65LL, 0LL, 0LL }, { 2147483647LL, 63LL, INT64_MIN, 0LL },
	{ 2147483647LL, 0LL, 2147483647LL, 2147483647LL }, { -2147483648LL, -1LL, 0LL, -2147483648LL },
	{ -2147483648LL, 1LL, -4294967296LL, -1073741824LL }, { -2147483648LL, 2LL, -8589934592LL, -536870912LL },
	{ -2147483648LL, 9223372036854775807LL, 0LL, -1LL }, { -2147483648LL, 0LL, -2147483648LL, -2147483648LL },
	{ 4611686018427387909LL, 32LL, 21474836480LL, 1073741824LL },
	{ 4611686018427387909LL, 0LL, 4611686018427387909LL, 4611686018427387909LL },
	{ 4611686018427387909LL, INT64_MIN, 0LL, 4611686018427387909LL }, { 4611686018427387909LL, 64LL, 0LL, 0LL },
	{ 4611686018427387909LL, 63LL, INT64_MIN, 0LL },
	{ -4611686018427387909LL, -64LL, 0LL, -4611686018427387909LL },
	{ -4611686018427387909LL, 63LL, INT64_MIN, -1LL },
	{ -4611686018427387909LL, INT64_MIN, 0LL, -4611686018427387909LL },
	{ -4611686018427387909LL, 9223372036854775807LL, 0LL, -1LL }, { -4611686018427387909LL, 64LL, 0LL, -1LL },
	{ 9223372036854775807LL, 2LL, -4LL, 2305843009213693951LL },
	{ 9223372036854775807LL, 62LL, -4611686018427387904LL, 1LL },
	{ 9223372036854775807LL, 1LL, -2LL, 4611686018427387903LL },
	{ 9223372036854775807LL, 0LL, 9223372036854775807LL, 9223372036854775807LL },
	{ 9223372036854775807LL, INT64_MIN, 0LL, 9223372036854775807LL }, { INT64_MIN, 64LL, 0LL, -1LL },
	{ INT64_MIN, 31LL, 0LL, -4294967296LL }, { INT64_MIN, 32LL, 0LL, -2147483648LL },
	{ INT64_MIN, 63LL, 0LL, -1LL }, { INT64_MIN, -1LL, 0LL, INT64_MIN },
};

static bool same(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return a == b ? a != 0 || signbit(a) == signbit(b) : fabs(a - b) <= 4e-16 * fabs(b);
}

static double value_of(const char *name, double a, double b)
{
	int op = lt__op_find(name);
	union lt_scalar x[3] = { { .f = a }, { .f = b } }, r;

	cr_assert(op >= 0, "%s", name);
	r = lt__op_value((enum lt_opcode)op, LT_F64, x);
	return lt__op_info((enum lt_opcode)op)->to_bool ? (double)r.i : r.f;
}

Test(op, values_of_floats)
{
	for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
		for (size_t j = 0; j < sizeof unary_at / sizeof *unary_at; j++)
			cr_expect(same(value_of(unary[i].op, unary_at[j], 0), unary[i].value[j]), "%s(%g) = %.17g, not %.17g",
				unary[i].op, unary_at[j], value_of(unary[i].op, unary_at[j], 0), unary[i].value[j]);
	for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
		for (size_t j = 0; j < sizeof binary_at / sizeof *binary_at; j++)
			cr_expect(same(value_of(binary[i].op, binary_at[j][0], binary_at[j][1]), binary[i].value[j]),
				"%s(%g, %g) = %.17g, not %.17g", binary[i].op, binary_at[j][0], binary_at[j][1],
				value_of(binary[i].op, binary_at[j][0], binary_at[j][1]), binary[i].value[j]);
}

static int64_t whole(enum lt_opcode op, enum lt_dtype t, int64_t a, int64_t b)
{
	union lt_scalar x[3] = { { .i = a }, { .i = b } };

	return lt__round_to(lt__op_value(op, t, x), t).i;
}

Test(op, values_of_integers)
{
	for (size_t i = 0; i < sizeof integer_division / sizeof *integer_division; i++) {
		const int64_t *c = integer_division[i];

		cr_expect_eq(whole(LT_OP_div, LT_I64, c[0], c[1]), c[2], "%lld // %lld", (long long)c[0], (long long)c[1]);
		cr_expect_eq(whole(LT_OP_mod, LT_I64, c[0], c[1]), c[3], "%lld %% %lld", (long long)c[0], (long long)c[1]);
	}
	for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
		const int64_t *c = shifts[i];

		cr_expect_eq(whole(LT_OP_shl, LT_I64, c[0], c[1]), c[2], "%lld << %lld", (long long)c[0], (long long)c[1]);
		cr_expect_eq(whole(LT_OP_shr, LT_I64, c[0], c[1]), c[3], "%lld >> %lld", (long long)c[0], (long long)c[1]);
	}
	cr_expect_eq(whole(LT_OP_shl, LT_I32, 3, 31), INT32_MIN);
	cr_expect_eq(whole(LT_OP_shl, LT_I32, 3, 32), 0);
	cr_expect_eq(whole(LT_OP_shr, LT_I32, INT32_MIN, 32), -1);
	cr_expect_eq(whole(LT_OP_shr, LT_U32, UINT32_MAX, 31), 1);
	cr_expect_eq(whole(LT_OP_shr, LT_U32, UINT32_MAX, 32), 0);
	cr_expect_eq(whole(LT_OP_shr, LT_U32, UINT32_MAX, UINT32_MAX), 0, "a count without a sign is never below 0");
	cr_expect_eq(whole(LT_OP_shr, LT_U64, -1, 63), 1);
	cr_expect_eq(whole(LT_OP_shl, LT_U64, -1, -1), 0);
	cr_expect_eq(whole(LT_OP_add, LT_I32, INT32_MAX, 1), INT32_MIN);
	cr_expect_eq(whole(LT_OP_mul, LT_I32, 65536, 65536), 0);
	cr_expect_eq(whole(LT_OP_div, LT_I32, INT32_MIN, -1), INT32_MIN);
	cr_expect_eq(whole(LT_OP_add, LT_I64, INT64_MAX, 1), INT64_MIN);
	cr_expect_eq(whole(LT_OP_sub, LT_I64, INT64_MIN, 1), INT64_MAX);
	cr_expect_eq(whole(LT_OP_mul, LT_I64, INT64_MAX, 2), -2);
	cr_expect_eq(whole(LT_OP_neg, LT_I64, INT64_MIN, 0), INT64_MIN);
	cr_expect_eq(whole(LT_OP_abs, LT_I32, INT32_MIN, 0), INT32_MIN);
	cr_expect_eq(whole(LT_OP_sign, LT_I64, -5, 0), -1);
	cr_expect_eq(whole(LT_OP_min, LT_I64, -5, 3), -5);
	cr_expect_eq(whole(LT_OP_max, LT_BOOL, 0, 1), 1);
	cr_expect_eq(whole(LT_OP_xor, LT_I32, 12, 10), 6);
	cr_expect_eq(whole(LT_OP_and, LT_BOOL, 1, 0), 0);
	cr_expect_eq(whole(LT_OP_or, LT_BOOL, 1, 0), 1);
	cr_expect_eq(whole(LT_OP_not, LT_BOOL, 1, 0), 0);
	cr_expect_eq(whole(LT_OP_less, LT_I64, INT64_MAX - 1, INT64_MAX), 1, "more digits than a double has");
}

Test(op, select_looks_at_a_bool)
{
	union lt_scalar x[3] = { { .i = 1 }, { .f = 2 }, { .f = 3 } };

	cr_expect_eq(lt__op_value(LT_OP_select, LT_F64, x).f, 2);
	x[0].i = 0;
	cr_expect_eq(lt__op_value(LT_OP_select, LT_F64, x).f, 3);
	x[1].i = INT64_MAX, x[2].i = INT64_MIN;
	cr_expect_eq(lt__op_value(LT_OP_select, LT_I64, x).i, INT64_MIN);
}

Test(op, table)
{
	for (int op = 0; op < LT_NOP; op++) {
		const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
		char text[200];

		cr_expect_eq(lt__op_find(info->name), op);
		cr_expect(info->doc[0]);
		for (int t = 1; t < LT_NDTYPE; t++)
			if (!info->data && lt__op_takes((enum lt_opcode)op, (enum lt_dtype)t))
				cr_expect(lt__op_csource((enum lt_opcode)op, (enum lt_dtype)t, 0, text, sizeof text) > 0, "%s %s",
					info->name, lt__dtype_info((enum lt_dtype)t)->name);
	}
	cr_expect_eq(lt__op_find("nonsense"), -1);
	cr_expect(lt__op_takes(LT_OP_exp, LT_F32) && !lt__op_takes(LT_OP_exp, LT_F16) && !lt__op_takes(LT_OP_exp, LT_I32));
	cr_expect(lt__op_takes(LT_OP_add, LT_I32) && !lt__op_takes(LT_OP_add, LT_I8) && !lt__op_takes(LT_OP_add, LT_BOOL));
	cr_expect(lt__op_takes(LT_OP_copy, LT_BF16) && lt__op_takes(LT_OP_and, LT_BOOL) && !lt__op_takes(LT_OP_not, LT_I64));
}

Test(op, identities)
{
	static const struct { enum lt_opcode op; enum lt_dtype t; double f; int64_t i; } rows[] = {
		{ LT_OP_add, LT_F32, 0, 0 }, { LT_OP_mul, LT_F64, 1, 0 }, { LT_OP_max, LT_F32, -INFINITY, 0 },
		{ LT_OP_min, LT_F64, INFINITY, 0 }, { LT_OP_add, LT_I32, 0, 0 }, { LT_OP_mul, LT_I64, 0, 1 },
		{ LT_OP_max, LT_I32, 0, INT32_MIN }, { LT_OP_min, LT_I32, 0, INT32_MAX }, { LT_OP_max, LT_I64, 0, INT64_MIN },
		{ LT_OP_min, LT_I64, 0, INT64_MAX }, { LT_OP_max, LT_BOOL, 0, 0 }, { LT_OP_min, LT_BOOL, 0, 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		union lt_scalar x = lt__op_identity(rows[i].op, rows[i].t);

		cr_expect(lt__dtype_info(rows[i].t)->cls == LT_CLASS_FLOAT ? x.f == rows[i].f : x.i == rows[i].i, "row %zu", i);
	}
}

Test(op, csource)
{
	static const struct { enum lt_opcode op; enum lt_dtype t, to; const char *text; } rows[] = {
		{ LT_OP_add, LT_F32, 0, "($0 + $1)" },
		{ LT_OP_add, LT_I32, 0, "(int32_t)((uint32_t)$0 + (uint32_t)$1)" },
		{ LT_OP_div, LT_I64, 0, "lt_floordiv_i64($0, $1)" },
		{ LT_OP_exp, LT_F32, 0, "expf($0)" }, { LT_OP_exp, LT_F64, 0, "exp($0)" },
		{ LT_OP_max, LT_BOOL, 0, "lt_max_bool($0, $1)" }, { LT_OP_and, LT_BOOL, 0, "(uint8_t)($0 & $1)" },
		{ LT_OP_cast, LT_F32, LT_F64, "((double)$0)" }, { LT_OP_cast, LT_F64, LT_F32, "((float)$0)" },
		{ LT_OP_cast, LT_I64, LT_I8, "((int8_t)$0)" }, { LT_OP_cast, LT_BOOL, LT_F32, "((float)$0)" },
		{ LT_OP_cast, LT_I64, LT_F32, "((float)$0)" }, { LT_OP_cast, LT_BOOL, LT_I16, "((int16_t)$0)" },
		{ LT_OP_cast, LT_I16, LT_BOOL, "($0 != 0)" }, { LT_OP_cast, LT_F32, LT_BOOL, "lt_cast_f32_bool($0)" },
		{ LT_OP_cast, LT_F64, LT_U8, "lt_cast_f64_u8($0)" }, { LT_OP_cast, LT_F64, LT_F16, "lt_cast_f64_f16($0)" },
		{ LT_OP_cast, LT_F16, LT_F32, "lt_cast_f16_f32($0)" }, { LT_OP_cast, LT_F16, LT_I32, "lt_cast_f16_i32($0)" },
		{ LT_OP_cast, LT_I64, LT_BF16, "lt_cast_i64_bf16($0)" }, { LT_OP_cast, LT_BOOL, LT_F16, "lt_cast_bool_f16($0)" },
		{ LT_OP_cast, LT_F16, LT_F16, "((uint16_t)$0)" }, { LT_OP_cast, LT_BF16, LT_BOOL, "lt_cast_bf16_bool($0)" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		memset(text, '?', sizeof text);
		cr_expect_eq(lt__op_csource(rows[i].op, rows[i].t, rows[i].to, text, sizeof text), strlen(rows[i].text));
		cr_expect_str_eq(text, rows[i].text);
	}
	memset(text, '?', sizeof text);
	cr_expect_eq(lt__op_csource(LT_OP_exp, LT_F32, 0, text, 5), 8, "the whole length");
	cr_expect_eq(memcmp(text, "expf\0?", 6), 0);
	cr_expect_eq(lt__op_csource(LT_OP_exp, LT_F32, 0, NULL, 0), 8);
}

static double uniform(void)
{
	return (double)rand() / RAND_MAX;
}

/* A size between 2^-20 and 2^7 with either sign, now and then 0 or a small whole number. */
static double sample(void)
{
	if (rand() % 6 == 0)
		return rand() % 7 - 3;
	return ldexp(uniform() + 0.5, rand() % 28 - 20) * (rand() % 2 ? 1 : -1);
}

/* No operand within e[i] of x[i] may lead further away than the bound says. */
Test(op, error_bounds_hold)
{
	const double almost = 1 - 0x1p-12;      /* x + e is rounded itself */

	srand(1);
	for (int op = 0; op < LT_NOP; op++) {
		const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
		int n_bounded = 0;

		if (info->data || !(info->any || info->classes & 1 << LT_CLASS_FLOAT))
			continue;
		for (int trial = 0; trial < 4000; trial++) {
			double x[3], e[3], r, bound;
			union lt_scalar s[3] = { { 0 } };

			for (int i = 0; i < 3; i++) {
				x[i] = sample();
				e[i] = rand() % 4 == 0 ? 0 : fabs(sample()) * (rand() % 2 ? 0x1p-10 : 1);
				s[i].f = x[i];
			}
			if (op == LT_OP_select)
				x[0] = (double)(s[0].i = rand() % 2), e[0] = rand() % 2;
			s[0] = lt__op_value((enum lt_opcode)op, LT_F64, s);
			r = info->to_bool ? (double)s[0].i : s[0].f;
			bound = lt__op_error((enum lt_opcode)op, x, e, r);
			cr_assert(bound >= 0, "%s: a bound is a number", info->name);
			if (isinf(bound))
				continue;
			n_bounded++;
			for (int try = 0; try < 20; try++) {
				double y[3] = { 0 }, q;

				for (int i = 0; i < 3; i++) {
					y[i] = x[i] + e[i] * almost * (try < 8 ? try >> i & 1 ? 1 : -1 : 2 * uniform() - 1);
					s[i].f = y[i];
				}
				if (op == LT_OP_select)
					s[0].i = e[0] > 0 ? try & 1 : (int64_t)x[0];
				s[0] = lt__op_value((enum lt_opcode)op, LT_F64, s);
				q = info->to_bool ? (double)s[0].i : s[0].f;
				cr_assert(q == r || (isnan(q) && isnan(r)) || fabs(q - r) <= bound + 0x1p-48 * (fabs(q) + fabs(r)),
					"%s at %.17g %.17g +- %g %g: %g is not within %g of %g", info->name, x[0], x[1], e[0], e[1], q,
					bound, r);
			}
		}
		cr_expect(n_bounded > 1000, "%s: a bound is given in %d of 4000 cases only", info->name, n_bounded);
	}
}

/* Every operand within e of x, where the count is known; an uncertain one says nothing. */
Test(op, error_bounds_of_shifts_hold)
{
	static const enum lt_opcode ops[] = { LT_OP_shl, LT_OP_shr };

	for (int k = 0; k < 2; k++)
		for (int64_t x = -40; x <= 40; x++)
			for (int64_t e = 0; e < 12; e++)
				for (int64_t n = -2; n < 70; n++) {
					double at[2] = { (double)x, (double)n }, within[2] = { (double)e, 0 };
					double bound = lt__op_error(ops[k], at, within, 0), furthest = 0;
					int64_t r = whole(ops[k], LT_I64, x, n);

					for (int64_t y = x - e; y <= x + e && n < 57; y++)
						furthest = fmax(furthest, fabs((double)whole(ops[k], LT_I64, y, n) - (double)r));
					cr_assert(furthest <= bound, "%d of %lld +- %lld by %lld: %g beyond %g", k, (long long)x, (long long)e,
						(long long)n, furthest, bound);
					cr_assert(bound <= (furthest + (k && e ? 2 : 0)) * (1 + 0x1p-40) || n > 56,
						"%d of %lld +- %lld by %lld: %g for %g", k, (long long)x, (long long)e, (long long)n, bound, furthest);
					within[1] = 1;
					cr_assert(isinf(lt__op_error(ops[k], at, within, 0)));
				}
}

Test(op, error_bounds_are_never_nan)
{
	static const double odd[] = { 0, -0., 1, -1, 0x1p-1074, 1e308, -1e308, INFINITY, -INFINITY, NAN };
	static const double errors[] = { 0, 0x1p-1074, 1, 1e308, INFINITY };

	for (int op = 0; op < LT_NOP; op++)
		for (int i = 0; i < 10 * 10 * 10 * 5 * 5; i++) {
			double x[3] = { odd[i % 10], odd[i / 10 % 10], odd[i / 100 % 10] };
			double e[3] = { errors[i / 1000 % 5], errors[i / 5000 % 5], errors[i / 1000 % 5] };
			double bound = lt__op_error((enum lt_opcode)op, x, e, x[2]);

			cr_assert(bound >= 0, "%s at %g %g +- %g %g: %g", lt__op_info((enum lt_opcode)op)->name, x[0], x[1], e[0], e[1],
				bound);
		}
}

/* What is known exactly has exact results, whatever it is. */
Test(op, no_error_without_uncertainty)
{
	static const double odd[] = { 0, 1, -1, 50, INFINITY, -INFINITY, NAN }, none[3] = { 0 };

	for (int op = 0; op < LT_NOP; op++)
		for (int i = 0; i < 7 * 7 * 7 && !lt__op_info((enum lt_opcode)op)->data; i++) {
			double x[3] = { odd[i % 7], odd[i / 7 % 7], odd[i / 49] };

			if (op != LT_OP_sigmoid)
				cr_expect_eq(lt__op_error((enum lt_opcode)op, x, none, 0), 0, "%s", lt__op_info((enum lt_opcode)op)->name);
		}
}
