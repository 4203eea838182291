/* test_simulate_value.c -- what the simulator computes for each operator, against formulas of this file: at all
 * types, at 1, 2, 8 and 64 lanes, with infinities, NaN, zeros of both signs, subnormals and the limits of integers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "tests/simulated.h"

TestSuite(simulate_value, .timeout = 120);

enum { MAX_VALUE = SIMULATED_MAX_VALUE };

/* -- the same operators, written in another way: by the bits of a float, in wider types, in the types themselves -- */

/* A number that grows as the float does, -0 right below +0. */
static int64_t rank_of_float(float x)
{
	int32_t i;
	memcpy(&i, &x, 4);
	return i < 0 ? -(int64_t)(i & 0x7fffffff) - 1 : i;
}
static int64_t rank_of_double(double x)
{
	int64_t i;
	memcpy(&i, &x, 8);
	return i < 0 ? -(i & INT64_MAX) - 1 : i;
}

#define FLOAT_OPERATORS(T, suffix, rank) \
	static T add_##T(T a, T b) { return a + b; } \
	static T sub_##T(T a, T b) { return a - b; } \
	static T mul_##T(T a, T b) { return a * b; } \
	static T div_##T(T a, T b) { return a / b; } \
	static T mod_##T(T a, T b) \
	{ \
		if (isnan(a) || isnan(b) || isinf(a) || b == 0) \
			return (T)NAN; \
		T r = remainder##suffix(a, b);          /* the nearest one: of either sign */ \
		r = r != 0 && signbit(r) != signbit(b) ? (T)((isinf(b) ? 0 : r) + b) : r; \
		r = isinf(b) && signbit(a) == signbit(b) ? a : r; \
		return r == 0 ? (T)copysign(0, b) : r; \
	} \
	static T min_##T(T a, T b) { return isnan(a) ? a : isnan(b) ? b : rank(a) < rank(b) ? a : b; } \
	static T max_##T(T a, T b) { return isnan(a) ? a : isnan(b) ? b : rank(a) < rank(b) ? b : a; } \
	static T neg_##T(T a, T b) { (void)b; return (T)copysign(a, signbit(a) ? 1 : -1); } \
	static T abs_##T(T a, T b) { (void)b; return signbit(a) ? -a : a; } \
	static T sign_##T(T a, T b) { (void)b; return isnan(a) ? a : a > 0 ? (T)1 : a < 0 ? (T)-1 : (T)0; } \
	static T reciprocal_##T(T a, T b) { (void)b; return (T)1 / a; } \
	static T sqrt_##T(T a, T b) { (void)b; return sqrt##suffix(a); } \
	static T floor_##T(T a, T b) \
	{ \
		(void)b; \
		T t = trunc##suffix(a); \
		return t > a ? t - 1 : t; \
	} \
	static T ceil_##T(T a, T b) \
	{ \
		(void)b; \
		T t = trunc##suffix(a); \
		return t < a ? t + 1 : (T)copysign(t, a); \
	} \
	static T round_##T(T a, T b)            /* away from zero at a half: back, if that is odd */ \
	{ \
		(void)b; \
		T t = round##suffix(a); \
		t = fabs##suffix(t - a) == (T)0.5 && fmod##suffix(t, 2) != 0 ? t - (T)copysign(1, a) : t; \
		return (T)copysign(t, a); \
	} \
	static T pow_##T(T a, T b) { return (T)powl(a, b); } \
	static T exp_##T(T a, T b) { (void)b; return (T)expl(a); } \
	static T log_##T(T a, T b) { (void)b; return (T)logl(a); } \
	static T rsqrt_##T(T a, T b) { (void)b; return (T)(1 / sqrtl(a)); } \
	static T tanh_##T(T a, T b) { (void)b; return (T)tanhl(a); } \
	static T sigmoid_##T(T a, T b) { (void)b; return (T)(1 / (1 + expl(-(long double)a))); } \
	static T erf_##T(T a, T b) { (void)b; return (T)erfl(a); } \
	static T sin_##T(T a, T b) { (void)b; return (T)sinl(a); } \
	static T cos_##T(T a, T b) { (void)b; return (T)cosl(a); }
FLOAT_OPERATORS(float, f, rank_of_float)
FLOAT_OPERATORS(double, , rank_of_double)

/* ulp: how far the result may be away: libm's functions are not exact. */
#define FLOAT_ROWS(X) X(add, 2, 0) X(sub, 2, 0) X(mul, 2, 0) X(div, 2, 0) X(mod, 2, 0) X(min, 2, 0) X(max, 2, 0) \
	X(neg, 1, 0) X(abs, 1, 0) X(sign, 1, 0) X(reciprocal, 1, 0) X(sqrt, 1, 0) X(floor, 1, 0) X(ceil, 1, 0) \
	X(round, 1, 0) X(pow, 2, 1) X(exp, 1, 1) X(log, 1, 1) X(rsqrt, 1, 1) X(tanh, 1, 2) X(sigmoid, 1, 2) X(erf, 1, 1) \
	X(sin, 1, 1) X(cos, 1, 1)
static const struct { const char *name; int operands, ulp; float (*f)(float, float); double (*d)(double, double); }
float_rows[] = {
#define FLOAT_ROW(name, operands, ulp) { #name, operands, ulp, name##_float, name##_double },
	FLOAT_ROWS(FLOAT_ROW)
#undef FLOAT_ROW
};

/* Integers without a sign, of the type's bits; signed order is that of x ^ top. */
struct word { uint64_t top, all; };
static int64_t signed_of(uint64_t x, struct word w) { return (int64_t)((x ^ w.top) - w.top); }
static uint64_t magnitude(uint64_t x, struct word w) { return (x & w.top ? 0 - x : x) & w.all; }
/* By subtracting the divisor, shifted, from the dividend: both without their signs. */
static uint64_t long_division(uint64_t a, uint64_t b, uint64_t *remainder)
{
	uint64_t q = 0, r = 0;
	for (int bit = 63; bit >= 0; bit--) {
		bool carry = r >> 63;
		r = r << 1 | (a >> bit & 1);
		q <<= 1;
		if (carry || r >= b) {
			r -= b;
			q |= 1;
		}
	}
	*remainder = r;
	return q;
}
static uint64_t division(uint64_t a, uint64_t b, struct word w, bool floors, bool wants_remainder)
{
	uint64_t r, q;
	bool apart = (a ^ b) & w.top;
	if (b == 0)
		return 0;
	q = long_division(magnitude(a, w), magnitude(b, w), &r);
	q = apart ? 0 - q : q;
	r = a & w.top ? 0 - r : r;
	if (floors && r != 0 && apart) {
		q -= 1;
		r += signed_of(b, w) < 0 ? (uint64_t)signed_of(b, w) : b;
	}
	return (wants_remainder ? r : q) & w.all;
}

/* A count below 0 loses all to the left, and shifts nothing to the right. */
static uint64_t shifted(uint64_t x, uint64_t by, struct word w, bool left)
{
	const uint64_t bits = w.all >> 32 ? 64 : 32, sign = x & w.top ? w.all : 0;
	if (by & w.top)
		return left ? 0 : x;
	for (uint64_t i = 0; i < by && i < bits; i++)
		x = left ? (x + x) & w.all : (x >> 1) | (sign & ~(w.all >> 1));
	return x;
}

enum { INTEGER_ROWS = 18 };
static const char *const integer_names[INTEGER_ROWS] = { "add", "sub", "mul", "div", "mod", "min", "max", "and", "or",
	"xor", "not", "neg", "abs", "sign", "quotient", "remainder", "shl", "shr" };
static uint64_t integer_value(int row, uint64_t a, uint64_t b, struct word w)
{
	bool less = (a ^ w.top) < (b ^ w.top);
	switch (row) {
	case 0: return (a + b) & w.all;
	case 1: return (a + ~b + 1) & w.all;
	case 2: return (a * b) & w.all;
	case 3: return division(a, b, w, true, false);
	case 4: return division(a, b, w, true, true);
	case 5: return less ? a : b;
	case 6: return less ? b : a;
	case 7: return ~(~a | ~b) & w.all;
	case 8: return ~(~a & ~b) & w.all;
	case 9: return (a | b) & ~(a & b) & w.all;
	case 10: return w.all - a;
	case 11: return (~a + 1) & w.all;
	case 12: return magnitude(a, w);
	case 13: return a == 0 ? 0 : a & w.top ? w.all : 1;
	case 14: return division(a, b, w, false, false);
	case 15: return division(a, b, w, false, true);
	default: return shifted(a, b, w, row == 16);
	}
}

static struct simulated_pairs all;

/* Every pair of the values. */
static void make_pairs(uint32_t dtype, uint32_t out, const uint64_t *value, int n)
{
	all.dtype = dtype;
	all.out = out;
	all.n = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++, all.n++) {
			all.x[all.n] = value[i];
			all.y[all.n] = value[k];
		}
}

static const double reals[] = { 0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 0.1, -0.3, 1e-3, 17.25, 100, 1e10,
	-1e10, 0x1p23, 0x1.fffffep22, 0x1p52, 0x1.fffffffffffffp51, 1e-40, -1e-40, 1e-310, INFINITY, -INFINITY, NAN };
enum { N_REAL = sizeof reals / sizeof *reals };

static int real_values(uint32_t dtype, uint64_t *value)
{
	uint64_t state = 5;
	int n = 0;
	for (; n < N_REAL; n++)
		value[n] = dtype == LT_F32 ? simulated_float_bits((float)reals[n]) : simulated_double_bits(reals[n]);
	value[n++] = dtype == LT_F32 ? 0x7f7fffff : UINT64_C(0x7fefffffffffffff);     /* the largest, the smallest */
	value[n++] = 1;
	while (n < MAX_VALUE - 4) {
		double x = ldexp(1 + (double)(simulated_random(&state) >> 12) * 0x1p-52, (int)(simulated_random(&state) % 20) - 11);
		x = simulated_random(&state) % 2 ? x : -x;
		value[n++] = dtype == LT_F32 ? simulated_float_bits((float)x) : simulated_double_bits(x);
	}
	return n;
}

static void expect_float(const char *name, int i, uint64_t want, int ulp)
{
	bool is_float = all.dtype == LT_F32;
	double x = is_float ? (double)simulated_float(all.z[i]) : simulated_double(all.z[i]);
	double y = is_float ? (double)simulated_float(want) : simulated_double(want);
	int64_t a = is_float ? rank_of_float((float)x) : rank_of_double(x);
	int64_t b = is_float ? rank_of_float((float)y) : rank_of_double(y);
	bool near = a <= b ? (uint64_t)b - (uint64_t)a <= (uint64_t)ulp : (uint64_t)a - (uint64_t)b <= (uint64_t)ulp;
	bool same = isnan(x) || isnan(y) ? isnan(x) && isnan(y) : near;
	cr_assert(same, "%s %s of %llx, %llx: %a, not %a", name, simulated_type(all.dtype), (unsigned long long)all.x[i],
		(unsigned long long)all.y[i], x, y);
}

Test(simulate_value, operators_of_floats)
{
	uint64_t value[MAX_VALUE];
	for (uint32_t dtype = LT_F32; dtype <= LT_F64; dtype++)
		for (size_t r = 0; r < sizeof float_rows / sizeof *float_rows; r++)
			for (int l = 0; l < 4; l++) {
				char line[64];
				(void)snprintf(line, sizeof line, "\t\t%%r = %s TYPE %%x%s\n", float_rows[r].name,
					float_rows[r].operands == 2 ? " %y" : "");
				make_pairs(dtype, dtype, value, real_values(dtype, value));
				simulated_pairs_run(&all, line, simulated_lanes[l]);
				for (int i = 0; i < all.n; i++)
					expect_float(float_rows[r].name, i, dtype == LT_F32
						? simulated_float_bits(float_rows[r].f(simulated_float(all.x[i]), simulated_float(all.y[i])))
						: simulated_double_bits(float_rows[r].d(simulated_double(all.x[i]), simulated_double(all.y[i]))),
						float_rows[r].ulp);
			}
}

/* Those without a sign have no top. */
static const struct { uint32_t dtype; struct word w; } words[] = { { LT_I32, { UINT64_C(1) << 31, UINT32_MAX } },
	{ LT_I64, { UINT64_C(1) << 63, UINT64_MAX } }, { LT_U32, { 0, UINT32_MAX } }, { LT_U64, { 0, UINT64_MAX } } };
enum { N_WORD = sizeof words / sizeof *words };

static int integer_values(struct word w, uint64_t *value)
{
	static const uint64_t small[] = { 0, 1, 2, 3, 7, 10, 100, 63, 64 };
	uint64_t state = 9, middle = w.all / 2 + 1;
	int n = 0;
	for (; n < 9; n++)
		value[n] = small[n];
	for (int i = 1; i < 9; i++)
		value[n++] = (0 - small[i]) & w.all;
	value[n++] = middle;
	value[n++] = middle + 1;
	value[n++] = middle - 1;
	value[n++] = middle - 2;
	while (n < MAX_VALUE - 4)
		value[n++] = simulated_random(&state) >> simulated_random(&state) % 64 & w.all;
	return n;
}

Test(simulate_value, operators_of_integers)
{
	uint64_t value[MAX_VALUE];
	for (int t = 0; t < N_WORD; t++)
		for (int r = 0; r < INTEGER_ROWS; r++)
			for (int l = 0; l < 4; l++) {
				char line[64];
				bool one = r >= 10 && r <= 13, partial = r >= 14;
				(void)snprintf(line, sizeof line, "\t\t%%r = %s TYPE %%x%s\n", integer_names[r], one ? "" : " %y");
				make_pairs(words[t].dtype, words[t].dtype, value, integer_values(words[t].w, value));
				for (int i = 0; i < all.n && partial; i++)      /* their contract */
					if (all.y[i] == 0 || (words[t].w.top && all.y[i] == words[t].w.all))
						all.y[i] = 5;
				simulated_pairs_run(&all, line, simulated_lanes[l]);
				for (int i = 0; i < all.n; i++)
					cr_assert_eq(all.z[i], integer_value(r, all.x[i], all.y[i], words[t].w), "%s of %llx, %llx: %llx",
						integer_names[r], (unsigned long long)all.x[i], (unsigned long long)all.y[i],
						(unsigned long long)all.z[i]);
			}
}

/* By counting, bit by bit. */
static uint64_t shifted_by_hand(uint64_t x, uint64_t by, int bits, bool left)
{
	uint64_t out = 0;
	for (int b = 0; b < bits; b++) {
		int to = left ? b + (int)by : b - (int)by;
		if (to >= 0 && to < bits && x >> b & 1)
			out |= UINT64_C(1) << to;
	}
	return out;
}

Test(simulate_value, shifts)
{
	uint64_t value[MAX_VALUE];
	for (int t = 0; t < N_WORD; t++)
		for (int left = 0; left < 2; left++) {
			int bits = words[t].w.all >> 32 ? 64 : 32;
			make_pairs(words[t].dtype, words[t].dtype, value, integer_values(words[t].w, value));
			for (int i = 0; i < all.n; i++)
				all.y[i] %= (uint64_t)bits;
			simulated_pairs_run(&all, left ? "\t\t%r = shift_left TYPE %x %y\n" : "\t\t%r = shift_right TYPE %x %y\n", 8);
			for (int i = 0; i < all.n; i++)
				cr_assert_eq(all.z[i], shifted_by_hand(all.x[i], all.y[i], bits, left));
		}
}

static bool comparison(int row, bool less, bool equal, bool ordered)
{
	bool holds[] = { equal, !equal, less, less || equal, !less && !equal, !less };
	return ordered ? holds[row] : row == 1;
}

/* Of floats by the bits that order them, of integers as if they had no sign. */
static bool compared(int row, uint64_t x, uint64_t y, uint32_t dtype)
{
	if (dtype == LT_F32 || dtype == LT_F64) {
		double a = dtype == LT_F32 ? (double)simulated_float(x) : simulated_double(x);
		double b = dtype == LT_F32 ? (double)simulated_float(y) : simulated_double(y);
		bool equal = rank_of_double(a) == rank_of_double(b) || (fpclassify(a) == FP_ZERO && fpclassify(b) == FP_ZERO);
		return comparison(row, rank_of_double(a) < rank_of_double(b) && !equal, equal, !isnan(a) && !isnan(b));
	}
	uint64_t top = dtype == LT_I32 ? UINT64_C(1) << 31 : dtype == LT_I64 ? UINT64_C(1) << 63 : 0;
	return comparison(row, (x ^ top) < (y ^ top), x == y, true);
}

Test(simulate_value, comparisons)
{
	static const char *const names[] = { "eq", "ne", "less", "lessequal", "greater", "greaterequal" };
	static const uint32_t types[] = { LT_F32, LT_F64, LT_I32, LT_I64, LT_BOOL, LT_U32, LT_U64 };
	uint64_t value[MAX_VALUE];
	for (int t = 0; t < 7; t++)
		for (int r = 0; r < 6; r++)
			for (int l = 0; l < 4; l++) {
				struct word w = { 0, lt__number_bytes(types[t]) == 4 ? UINT32_MAX : UINT64_MAX };
				char line[128];
				int n = t < 2 ? real_values(types[t], value) : integer_values(w, value);
				for (int i = 0; i < n && types[t] == LT_BOOL; i++)
					value[i] &= 1;
				(void)snprintf(line, sizeof line, "\t\t%%m = %s TYPE %%x %%y\n\t\t%%r = flag maskLANES %%m\n", names[r]);
				make_pairs(types[t], LT_BOOL, value, n);
				simulated_pairs_run(&all, line, simulated_lanes[l]);
				for (int i = 0; i < all.n; i++)
					cr_assert_eq(all.z[i], compared(r, all.x[i], all.y[i], types[t]), "%s %s of %llx, %llx", names[r],
						simulated_type(types[t]), (unsigned long long)all.x[i], (unsigned long long)all.y[i]);
			}
}

Test(simulate_value, operators_of_bools)
{
	static const struct { const char *line; uint8_t of[4]; } rows[] = {     /* of 0 0, 0 1, 1 0, 1 1 */
		{ "and TYPE %x %y", { 0, 0, 0, 1 } }, { "or TYPE %x %y", { 0, 1, 1, 1 } }, { "xor TYPE %x %y", { 0, 1, 1, 0 } },
		{ "min TYPE %x %y", { 0, 0, 0, 1 } }, { "max TYPE %x %y", { 0, 1, 1, 1 } }, { "not TYPE %x", { 1, 1, 0, 0 } } };
	static const uint64_t value[] = { 0, 1 };
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
		for (int l = 0; l < 4; l++) {
			char line[128];
			(void)snprintf(line, sizeof line, "\t\t%%r = %s\n", rows[r].line);
			make_pairs(LT_BOOL, LT_BOOL, value, 2);
			simulated_pairs_run(&all, line, simulated_lanes[l]);
			for (int i = 0; i < all.n; i++)
				cr_assert_eq(all.z[i], rows[r].of[2 * all.x[i] + all.y[i]], "%s", rows[r].line);
		}
}

/* Moved as they are: NaN keeps its bits. */
Test(simulate_value, copies_of_all_types)
{
	for (uint32_t dtype = 1; dtype < LT_NDTYPE; dtype++) {
		uint64_t state = dtype, top = UINT64_MAX >> (64 - 8 * lt__number_bytes(dtype));
		all.dtype = all.out = dtype;
		for (all.n = 0; all.n < 256; all.n++)
			all.x[all.n] = all.y[all.n] = simulated_random(&state) & (dtype == LT_BOOL ? 1 : top) & ~(all.n % 2 ? 0 : top / 2);
		simulated_pairs_run(&all, "\t\t%r = copy TYPE %x\n", 8);
		for (int i = 0; i < all.n; i++)
			cr_assert_eq(all.z[i], all.x[i], "%s", simulated_type(dtype));
	}
}

/* Each operator of lt/tree.h stands in one of the tables above. */
Test(simulate_value, no_operator_is_left_out)
{
	static const char *const others[] = { "copy", "select", "cast", "eq", "ne", "less", "lessequal", "greater",
		"greaterequal" };
	for (uint32_t opcode = 1; opcode < LT_NOPERATOR_OPCODE; opcode++) {
		const char *name = lt_opcode_name(opcode);
		int found = 0;
		for (size_t r = 0; r < sizeof float_rows / sizeof *float_rows; r++)
			found += strcmp(float_rows[r].name, name) == 0;
		for (int r = 0; r < INTEGER_ROWS; r++)
			found += strcmp(integer_names[r], name) == 0;
		for (size_t r = 0; r < sizeof others / sizeof *others; r++)
			found += strcmp(others[r], name) == 0;
		cr_expect(found > 0, "%s is not tried", name);
	}
}
