/* backend_values.c -- elements that operators are tried on (backend_ops.h). */
#include "tests/backend_ops.h"

static const double floats[] = { 0.0, -0.0, 0.25, -0.5, 0.5, 1, -1, 1.5, 2.5, -2.5, 3, -7.25, 10, -20, 0x1p-30, 127,
	127.5, 128, -128, -128.5, -129, 255, 255.5, 256, -0.75, 32767, 32767.5, 32768, -32768.5, -32769, 65504, 65519,
	65520, 2147483520.0, 2147483647.0, 2147483647.5, 2147483648.0, -2147483648.0, -2147483648.5, -2147483649.0,
	-2147483904.0, 9.2e18, 9223371487098961920.0, 9223372036854774784.0, 9223372036854775808.0,
	-9223372036854775808.0, -9223373136366403584.0, 1e30, -1e30, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-26,
	0x1.ffcp-15, 0x1p-126, 0x1p-133, 0x1p-134, 0x1.8p-134, 0x1p-149, 0x1p-150, 0x1.8p-150, 0x1p-1022, 0x1p-1074,
	0x1.01p0, 0x1.03p0, 0x1.00010001p0, 0x1.002p0, 0x1.006p0, 0x1.0020000001p0, 0x1.0060000001p0,
	0x1.010000000001p0, 0x1.fep127, 0x1.ffp127, 0x1.fffffep127, 0x1.ffffffp127, 3.3e38, 0x1.fffffffffffffp1023,
	0x1p52, 0x1p23, 0x1.8p22, INFINITY, -INFINITY, NAN };
static const int64_t ints[] = { 0, 1, -1, 2, 3, -3, 7, -8, 100, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768,
	65519, 65520, 65535, 16777217, 16777219, 2147483647, -2147483648, 4294967295, 4611686018427387905,
	0x4040000000000001, 0x4040000000000000, 0x40c0000000000000, 9223372036854775807, (-9223372036854775807 - 1),
	9007199254740993, 9007199791611905, 33554433, -33554435 };
enum { N_FLOAT = sizeof floats / sizeof *floats, N_INT = sizeof ints / sizeof *ints };

static uint64_t values_next(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void ops_values(void *at, enum lt_dtype t, int64_t n, uint64_t seed)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	uint64_t turn = seed;
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = values_next(&seed);
		bool special = bits >> 62 != 0;
		union lt_scalar v;
		if (info->cls == LT_CLASS_BOOL)
			v.i = bits & 1;
		else if (info->cls == LT_CLASS_FLOAT && special)
			v.f = floats[turn++ % N_FLOAT];
		else if (info->cls == LT_CLASS_INT && special)
			v.i = (int64_t)((uint64_t)ints[turn++ % N_INT] + (bits & 1 ? 0 : (bits >> 8 & 3) - 1));
		else if (t == LT_F64 && bits & 1)       /* as far as f32 goes */
			v.f = ldexp((double)(int64_t)values_next(&seed), (int)(bits >> 8 & 255) - 190);
		else
			v = lt__scalar_of(bits >> (bits & 2 && info->cls == LT_CLASS_INT ? 40 : 0), t);
		lt__store(at, i, t, lt__round_to(v, t));
	}
}
