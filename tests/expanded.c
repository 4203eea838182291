/* expanded.c -- see expanded.h. */
#include <math.h>
#include <stdlib.h>
#include "check/random/must.h"
#include "tests/expanded.h"
#include "tests/kernel_text.h"

#define BOTH (1 << LT_F32 | 1 << LT_F64)
static const struct lt_machine_operator min[] = {
	{ LT_OPCODE_sqrt, BOTH, 0, 0 }, { LT_OPCODE_remainder, BOTH, 0, 0 }, { LT_OPCODE_pow, BOTH, 0, 0 },
	{ LT_OPCODE_sin, BOTH, 0, 0 }, { LT_OPCODE_cos, BOTH, 0, 0 }, { LT_OPCODE_exp, 1 << LT_F64, 0, 0 },
	{ LT_OPCODE_log, 1 << LT_F64, 0, 0 }, { LT_OPCODE_tanh, 1 << LT_F64, 0, 0 }, { LT_OPCODE_erf, 1 << LT_F64, 0, 0 } };
static const struct lt_machine_operator c99[] = {       /* lt_kernel_c99, written once more */
	{ LT_OPCODE_abs, BOTH, 0, 0 }, { LT_OPCODE_remainder, BOTH, 0, 0 }, { LT_OPCODE_pow, BOTH, 0, 0 },
	{ LT_OPCODE_exp, BOTH, 0, 0 }, { LT_OPCODE_log, BOTH, 0, 0 }, { LT_OPCODE_sqrt, BOTH, 0, 0 },
	{ LT_OPCODE_tanh, BOTH, 0, 0 }, { LT_OPCODE_erf, BOTH, 0, 0 }, { LT_OPCODE_sin, BOTH, 0, 0 },
	{ LT_OPCODE_cos, BOTH, 0, 0 }, { LT_OPCODE_floor, BOTH, 0, 0 }, { LT_OPCODE_ceil, BOTH, 0, 0 },
	{ LT_OPCODE_round, BOTH, 0, 0 } };
const struct lt_machine expanded_min = { .n_operator = sizeof min / sizeof *min, .operators = min };
const struct lt_machine expanded_c99 = { .n_operator = sizeof c99 / sizeof *c99, .operators = c99 };
const struct lt_machine expanded_bare = { .n_operator = 0 };

int expanded_arity(uint32_t opcode)
{
	const struct lt_opcode_facts *f = lt__opcode(opcode);
	return f->operand[2] ? 3 : f->operand[1] ? 2 : 1;
}

static bool makes_mask(uint32_t opcode) { return lt__opcode(opcode)->value == LT_RULE_MASK; }
uint32_t expanded_out(struct expanded_case c) { return makes_mask(c.opcode) ? LT_BOOL : c.dtype; }

struct lt_kernel *expanded_program(struct expanded_case c)
{
	char lanes[16] = "", from[32] = "";
	const char *in = simulated_type(c.from), *name = lt_opcode_name(c.opcode);
	if (c.lanes > 1)
		(void)snprintf(lanes, sizeof lanes, "x%u", (unsigned)c.lanes);
	if (c.opcode == LT_OPCODE_cast)
		(void)snprintf(from, sizeof from, "from %s%s ", in, lanes);
	const char *made = makes_mask(c.opcode) ? "m" : "r", *second = c.beside ? c.in_front ? "%x" : c.beside : "%y";
	return simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\nbuffer x %s[%d] slot 0 align 8 exclusive\n"
		"buffer y %s[%d] slot 1 align 8 exclusive\nbuffer z %s[%d] slot 2 align 8 exclusive written\nregion host\n"
		"\tloop %%i from 0 to %d step %u\n\t\t%%x = load %s%s x[%%i]\n\t\t%%y = load %s%s y[%%i]\n"
		"\t\t%%%s = %s %s%s %s%s %s @7\n%s%s%s\t\tstore z[%%i] %%r\n\tend\n", in, EXPANDED_N, in, EXPANDED_N,
		simulated_type(expanded_out(c)), EXPANDED_N, EXPANDED_N, (unsigned)c.lanes, in, lanes, in, lanes, made, name,
		simulated_type(c.dtype), lanes, from, c.beside && c.in_front ? c.beside : "%x",
		expanded_arity(c.opcode) == 2 ? second : "",
		makes_mask(c.opcode) ? "\t\t%r = flag mask" : "", makes_mask(c.opcode) ? lanes : "",
		makes_mask(c.opcode) ? " %m\n" : "");
}

bool expanded_same(uint32_t dtype, uint64_t x, uint64_t y)
{
	if (dtype == LT_F32 && isnan(simulated_float(x)))
		return isnan(simulated_float(y));
	if (dtype == LT_F64 && isnan(simulated_double(x)))
		return isnan(simulated_double(y));
	if ((dtype == LT_F16 && (x & 0x7fff) > 0x7c00) || (dtype == LT_BF16 && (x & 0x7fff) > 0x7f80))
		return (y & 0x7fff) > (dtype == LT_F16 ? 0x7c00 : 0x7f80);
	return x == y;
}

struct lt_kernel *expanded_for(const struct lt_kernel *k, const struct lt_machine *m)
{
	struct keeper keeper = keeper_new();
	struct lt_kernel *made, *again;
	struct kernel_text first = { 0 }, second = { 0 };
	must(!lt_kernel_expand(k, m, &made, &keeper.diag), "%s", keeper.text);
	lt_kernel_print(made, kernel_text_add, &first);
	must(!kernel_verify(made), "%s\n%s", kernel_message, first.at);
	must(!kernel_parse(first.at, first.n, &again), "%s\n%s", kernel_message, first.at);
	lt_kernel_print(again, kernel_text_add, &second);
	must(strcmp(first.at, second.at) == 0, "%s\n%s", first.at, second.at);
	lt_kernel_free(made);
	free(first.at);
	free(second.at);
	return again;
}

void expanded_run(const struct lt_kernel *k, struct expanded_data *d)
{
	simulated_good(k, (void *const[]){ d->x, d->y, d->z });
}

uint64_t expanded_get(const uint64_t *packed, int i, uint32_t dtype)
{
	uint64_t bits = 0;
	memcpy(&bits, (const char *)packed + (size_t)i * lt__kernel_element_bytes(dtype), lt__kernel_element_bytes(dtype));
	return bits;
}

void expanded_write(uint64_t *packed, int i, uint32_t dtype, uint64_t bits)
{
	memcpy((char *)packed + (size_t)i * lt__kernel_element_bytes(dtype), &bits, lt__kernel_element_bytes(dtype));
}

static const double reals[] = { 0, 1, 2, 3, 7, 0.5, 1.5, 2.5, 3.5, 0.25, 0.75, 0x1.fffffep-1, 0x1.000002p0, 0x1p-126,
	0x1p-149, 0x1.fffffep-127, 0x1p-1074, 0x1p-1022, 0x1.fffffep127, 0x1.fffffffffffffp1023, INFINITY, NAN, 127.5, 128,
	129, 255.5, 256, 32767.5, 32768, 65504, 65519.996, 65520, 65536, 2147483520.0, 2147483647.0, 2147483647.5,
	2147483648.0, 2147483649.0, 0x1p52, 0x1p53, 0x1.fffffep22, 0x1p23, 8388609.0, 4503599627370495.5, 0x1p63,
	0x1.fffffep62, 0x1.fffffffffffffp62, 0x1p64, 1e10, 1e30, 1e300, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.ffcp15, 0.1, 88.72,
	88.73, 103.9, 104, 0.625, 0.921875, 0.3465735, 0.4999999, 1023.5, 0x1.01p0, 0x1.03p0 };
enum { N_REAL = sizeof reals / sizeof *reals };

/* Every exponent, and in every second one all bits random. */
static uint64_t random_float(uint32_t dtype, uint64_t *state)
{
	uint64_t bits = simulated_random(state);
	double x = ldexp(1 + (double)(bits >> 40) * 0x1p-24, (int)(bits & 63) - 40);
	x = bits >> 7 & 1 ? -x : x;
	if (bits >> 8 & 1)
		x = trunc(x);
	if (bits >> 9 & 1)
		return dtype == LT_F32 ? simulated_random(state) & UINT32_MAX : simulated_random(state);
	return dtype == LT_F32 ? simulated_float_bits((float)x) : simulated_double_bits(x);
}

uint64_t expanded_value(uint32_t dtype, int i, uint64_t *state)
{
	static const int64_t wholes[] = { 0, 1, -1, 2, -2, 3, -3, 4, 7, -7, 8, -8, 10, 64, 100, 127, 128, 255, 256, -128, -129,
		32767, 32768, -32768, 65535, 65536, INT32_MAX, INT32_MIN, INT32_MAX - 1, INT64_MAX, INT64_MIN, INT64_MAX - 1,
		INT64_C(1) << 52, INT64_C(1) << 53, (INT64_C(1) << 53) + 1, -(INT64_C(1) << 53) - 1, (INT64_C(1) << 24) + 1,
		(INT64_C(1) << 40) + (INT64_C(1) << 32), (INT64_C(1) << 60) + (INT64_C(1) << 52), 0x1010000, 0x1018000, 0x1008000,
		(1 << 30) + (1 << 22) + 1, (1 << 30) + 3 * (1 << 22) - 1, -(1 << 30) - (1 << 22) - 1,
		(INT64_C(0x101) << 52) + 1, (INT64_C(0x101) << 52) - 1, -(INT64_C(0x101) << 52) - 1 };
	enum { N_WHOLE = sizeof wholes / sizeof *wholes };
	uint64_t bits = simulated_random(state), all = UINT64_MAX >> (64 - 8 * lt__kernel_element_bytes(dtype));
	if (dtype == LT_BOOL)
		return bits & 1;
	if (dtype == LT_F16 || dtype == LT_BF16)
		return bits & 0xffff;
	if (dtype == LT_F32 || dtype == LT_F64) {
		if (i >= 2 * N_REAL)
			return random_float(dtype, state);
		double x = i % 2 ? -reals[i / 2] : reals[i / 2];
		return dtype == LT_F32 ? simulated_float_bits((float)x) : simulated_double_bits(x);
	}
	if (i < N_WHOLE)
		return (uint64_t)wholes[i] & all;
	int64_t some = (int64_t)bits >> (simulated_random(state) & 63);
	return (uint64_t)some & all;
}
