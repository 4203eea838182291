/* test_expand.c -- operators that are replaced give what they gave: the simulator runs each before and after.
 *
 * What is exact is compared bit for bit, NaN aside; functions with the C library's of longer types in
 * test_expand_function.c.
 */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/expanded.h"
#include "tests/kernel_text.h"

TestSuite(expand, .timeout = 240);

static const uint32_t lanes[] = { 1, 8, 3 };
static const struct lt_machine *const machines[] = { &expanded_min, &expanded_c99 };

static bool is_operator(uint32_t opcode)
{
	bool extra = opcode == LT_OPCODE_remainder || opcode == LT_OPCODE_scale;
	return lt__opcode(opcode) && (opcode < LT_NOPERATOR_OPCODE || extra) && opcode != LT_OPCODE_select;
}

/* Each opcode with each type that it has, of a cast each pair: the next one; false: there is none.  Begin with 0. */
static bool next_case(struct expanded_case *c)
{
	do {
		if (c->opcode == LT_OPCODE_cast && c->from + 1 < LT_NDTYPE && c->dtype) {
			c->from++;
		} else if (c->dtype + 1 < LT_NDTYPE && c->opcode) {
			c->dtype++;
			c->from = c->opcode == LT_OPCODE_cast ? 1 : c->dtype;
		} else {
			c->opcode++;
			c->dtype = c->from = 1;
		}
		if (c->opcode >= LT_NOPCODE)
			return false;
	} while (!is_operator(c->opcode) || !(lt__opcode(c->opcode)->types >> c->dtype & 1));
	return true;
}

static bool among(uint32_t dtype, const char *types)
{
	const char *name = dtype == LT_LANE_MASK ? "mask" : simulated_type(dtype);
	return strstr(types, name) != NULL;
}

/* The list of lt/kernel.h, once more. */
static bool is_left(const struct lt_machine *m, const struct lt_kernel *k, const struct lt_instruction *i)
{
	static const struct { uint16_t opcode; const char *types; } list[] = {
		{ LT_OPCODE_copy, "f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool u16 u32 u64" },
		{ LT_OPCODE_select, "f32 f64 f16 bf16 i8 u8 i16 i32 i64 bool u16 u32 u64 mask" },
#define WHOLE "i32 i64 u32 u64"
#define REAL "f32 f64 "
		{ LT_OPCODE_add, REAL WHOLE }, { LT_OPCODE_sub, REAL WHOLE }, { LT_OPCODE_mul, REAL WHOLE },
		{ LT_OPCODE_div, REAL }, { LT_OPCODE_neg, REAL }, { LT_OPCODE_and, "bool mask " WHOLE },
		{ LT_OPCODE_or, "bool mask " WHOLE }, { LT_OPCODE_xor, "bool mask " WHOLE }, { LT_OPCODE_not, "mask" },
		{ LT_OPCODE_lesser, REAL WHOLE }, { LT_OPCODE_larger, REAL WHOLE }, { LT_OPCODE_quotient, WHOLE },
		{ LT_OPCODE_remainder, WHOLE }, { LT_OPCODE_shift_left, WHOLE }, { LT_OPCODE_shift_right, WHOLE },
		{ LT_OPCODE_shift_signed, "i32 i64" }, { LT_OPCODE_cast, "" }, { LT_OPCODE_scale, "" } };
	const struct lt_instruction *x = i->operand[0] < 0 ? NULL : &k->instructions[i->operand[0]];
	uint32_t opcode = i->opcode;
	if (opcode == LT_OPCODE_convert) {
		bool real = i->dtype == LT_F32 || i->dtype == LT_F64, from_real = x->dtype == LT_F32 || x->dtype == LT_F64;
		if (real && from_real)
			return i->dtype != x->dtype;
		return real ? among(x->dtype, WHOLE) : from_real ? among(i->dtype, WHOLE)
			: among(i->dtype, "i8 u8 i16 u16 " WHOLE) && among(x->dtype, "i8 u8 i16 u16 bool " WHOLE);
	}
	if (opcode == LT_OPCODE_each)
		opcode = (uint32_t)i->what;
	for (uint32_t r = 0; r < m->n_operator; r++)
		if (m->operators[r].opcode == opcode && m->operators[r].one >> i->dtype & 1
			&& (i->lanes == 1) == (i->opcode != LT_OPCODE_each))
			return true;
	if (i->opcode == LT_OPCODE_each)
		return false;
	for (size_t r = 0; r < sizeof list / sizeof *list; r++)
		if (list[r].opcode == opcode)
			return among(i->dtype, list[r].types);
	return opcode >= LT_OPCODE_const || (opcode >= LT_OPCODE_eq && opcode <= LT_OPCODE_greaterequal
		&& among(x->dtype, "bool " REAL WHOLE));
}

static void expect_left(const struct lt_kernel *k, const struct lt_machine *m, const char *what)
{
	for (uint32_t i = 0; i < k->n_instruction; i++)
		cr_expect(is_left(m, k, &k->instructions[i]), "%s: there is %s of %s, %u lanes", what,
			lt_opcode_name(k->instructions[i].opcode), lt__kernel_element_name(k->instructions[i].dtype),
			(unsigned)k->instructions[i].lanes);
}

Test(expand, each_operator_of_each_type_is_there_or_replaced)
{
	struct expanded_case c = { 0 };
	char what[80];
	int n = 0;
	while (next_case(&c))
		for (int l = 0; l < 3; l++) {
			c.lanes = lanes[l];
			struct lt_kernel *k = expanded_program(c);
			(void)snprintf(what, sizeof what, "%s of %s from %s", lt_opcode_name(c.opcode), simulated_type(c.dtype),
				simulated_type(c.from));
			for (int m = 0; m < 2; m++, n++) {
				struct lt_kernel *e = expanded_for(k, machines[m]);
				expect_left(e, machines[m], what);
				lt_kernel_free(e);
			}
			lt_kernel_free(k);
		}
	cr_expect_gt(n, 900, "%d", n);
}

/* Without any row: what cannot be made of other operators is refused, by name. */
Test(expand, what_is_needed_is_refused_without_it)
{
	static const char needed_both[] = "sqrt rsqrt pow sin cos remainder mod", needed_f64[] = "exp log tanh erf sigmoid";
	struct expanded_case c = { .lanes = 8 };
	while (next_case(&c)) {
		struct lt_kernel *k = expanded_program(c), *e;
		struct keeper keeper = keeper_new();
		const char *name = lt_opcode_name(c.opcode);
		lt_status status = lt_kernel_expand(k, &expanded_bare, &e, &keeper.diag);
		bool real = c.dtype == LT_F32 || c.dtype == LT_F64;
		bool refused = real && (strstr(needed_both, name) || (c.dtype == LT_F64 && strstr(needed_f64, name)));
		cr_expect_eq(status, refused ? LT_EUNSUPPORTED : LT_OK, "%s of %s: %s", name, simulated_type(c.dtype), keeper.text);
		cr_expect(!refused || (keeper.stmt == 7 && strstr(keeper.text, "kernel k: the machine has no '") && !e
			&& keeper.remedy[0]), "%s", keeper.text);
		lt_kernel_free(e);
		lt_kernel_free(k);
	}
}

static void fill(struct expanded_data *d, struct expanded_case c, uint64_t *state, int round)
{
	for (int i = 0; i < EXPANDED_N; i++) {
		int n = 160;                    /* all pairs of special values come by, over the rounds */
		int at = i + round * EXPANDED_N;
		expanded_write(d->x, i, c.from, expanded_value(c.from, at < n * n ? at % n : n + i, state));
		expanded_write(d->y, i, c.from, expanded_value(c.from, at < n * n ? at / n : n + i, state));
	}
}

static void expect_same(struct expanded_case c, const struct lt_machine *m, int rounds)
{
	static struct expanded_data before, after;
	uint64_t state = 100 * c.opcode + c.dtype;
	struct lt_kernel *k = expanded_program(c), *e = expanded_for(k, m);
	for (int round = 0; round < rounds; round++) {
		fill(&before, c, &state, round);
		after = before;
		expanded_run(k, &before);
		expanded_run(e, &after);
		for (int i = 0; i < EXPANDED_N; i++) {
			uint64_t x = expanded_get(before.z, i, expanded_out(c)), y = expanded_get(after.z, i, expanded_out(c));
			cr_assert(expanded_same(expanded_out(c), x, y), "%s of %s from %s, %u lanes, of 0x%llx, 0x%llx: 0x%llx, not 0x%llx",
				lt_opcode_name(c.opcode), simulated_type(c.dtype), simulated_type(c.from), (unsigned)c.lanes,
				(unsigned long long)expanded_get(before.x, i, c.from), (unsigned long long)expanded_get(before.y, i, c.from),
				(unsigned long long)y, (unsigned long long)x);
		}
	}
	lt_kernel_free(k);
	lt_kernel_free(e);
}

/* Not exact; and scale, remainder of integers, which take not every number. */
static bool is_apart(struct expanded_case c)
{
	static const uint32_t functions[] = { LT_OPCODE_exp, LT_OPCODE_log, LT_OPCODE_tanh, LT_OPCODE_sigmoid, LT_OPCODE_erf,
		LT_OPCODE_rsqrt, LT_OPCODE_scale };
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (functions[i] == c.opcode)
			return true;
	return c.opcode == LT_OPCODE_remainder && c.dtype != LT_F32 && c.dtype != LT_F64;
}

Test(expand, what_is_exact_keeps_its_bits)
{
	struct expanded_case c = { 0 };
	while (next_case(&c))
		for (int l = 0; l < 2 && !is_apart(c); l++) {
			c.lanes = lanes[l];
			expect_same(c, &expanded_min, c.opcode == LT_OPCODE_cast || expanded_arity(c.opcode) == 1 ? 2 : 7);
		}
}

/* Beside a constant it is another expansion. */
Test(expand, operators_beside_constants)
{
	static const struct { uint32_t opcode; const char *beside[24]; bool real; } rows[] = {
		{ LT_OPCODE_min, { "0", "-0", "1.5", "-1.5", "inf", "-inf", "0x7fc00000", "0x80000001", NULL }, true },
		{ LT_OPCODE_max, { "0", "-0", "1.5", "-1.5", "inf", "-inf", "0x7fc00000", "0x80000001", NULL }, true },
		{ LT_OPCODE_mod, { "0", "-0", "1.5", "-3", "inf", NULL }, true },
		{ LT_OPCODE_div, { "0", "1", "-1", "2", "-2", "3", "-3", "4", "7", "-7", "8", "1024", "1073741824", "2147483647",
			"-2147483648", NULL }, false },
		{ LT_OPCODE_mod, { "0", "1", "-1", "2", "-2", "3", "-3", "4", "7", "-7", "8", "1024", "1073741824", "2147483647",
			"-2147483648", NULL }, false },
		{ LT_OPCODE_min, { "0", "-5", NULL }, false },
		{ LT_OPCODE_shl, { "0", "1", "7", "31", "32", "63", "64", "-1", "-2147483648", NULL }, false },
		{ LT_OPCODE_shr, { "0", "1", "7", "31", "32", "63", "64", "-1", "-2147483648", NULL }, false },
		{ LT_OPCODE_shl, { "0", "1", "31", "32", "63", "64", "4294967295", NULL }, false },
		{ LT_OPCODE_shr, { "0", "1", "31", "32", "63", "64", "4294967295", NULL }, false },
		{ LT_OPCODE_div, { "0", "1", "2", "3", "7", "8", "1024", "2147483647", "2147483648", "4294967295", NULL }, false },
		{ LT_OPCODE_mod, { "0", "1", "2", "3", "7", "8", "1024", "2147483647", "2147483648", "4294967295", NULL }, false },
	};
	static const size_t first_unsigned = sizeof rows / sizeof *rows - 4;
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
		for (const char *const *beside = rows[r].beside; *beside; beside++)
			for (int l = 0; l < 8; l++) {
				uint32_t dtype = rows[r].real ? l & 1 ? LT_F64 : LT_F32 : r >= first_unsigned ? l & 1 ? LT_U64 : LT_U32
					: l & 1 ? LT_I64 : LT_I32;
				expect_same((struct expanded_case){ rows[r].opcode, dtype, dtype, lanes[l >> 1 & 1], *beside, l >= 4 },
					&expanded_min, 1);
			}
}

/* From the half with these bits: that itself; the middle to the next one; right below that, and right above. */
static uint64_t around_half(uint32_t half, uint64_t bits, uint32_t dtype, int which)
{
	double x = simulated_double(lt__simulate_cast(bits, half, LT_F64));
	double next = simulated_double(lt__simulate_cast(bits + 1, half, LT_F64)), middle = (x + next) / 2;
	double f64[] = { x, middle, nextafter(middle, x), nextafter(middle, next) };
	float f32[] = { (float)x, (float)middle, nextafterf((float)middle, (float)x), nextafterf((float)middle, (float)next) };
	return dtype == LT_F32 ? simulated_float_bits(f32[which]) : simulated_double_bits(f64[which]);
}

/* All halves, to a type or from floats around each. */
static void check_halves(struct expanded_case c, bool to_half)
{
	static struct expanded_data before, after;
	struct lt_kernel *k = expanded_program(c), *e = expanded_for(k, &expanded_min);
	uint64_t step = to_half ? EXPANDED_N / 4 : EXPANDED_N;
	for (uint64_t first = 0; first < 0x10000; first += step) {
		for (int i = 0; i < EXPANDED_N; i++)
			expanded_write(before.x, i, c.from, to_half ? around_half(c.dtype, first + (uint64_t)i / 4, c.from, i % 4)
				: first + (uint64_t)i);
		after = before;
		expanded_run(k, &before);
		expanded_run(e, &after);
		for (int i = 0; i < EXPANDED_N; i++)
			cr_assert(expanded_same(c.dtype, expanded_get(before.z, i, c.dtype), expanded_get(after.z, i, c.dtype)),
				"%s from %s of 0x%llx", simulated_type(c.dtype), simulated_type(c.from),
				(unsigned long long)expanded_get(before.x, i, c.from));
	}
	lt_kernel_free(k);
	lt_kernel_free(e);
}

Test(expand, all_halves)
{
	for (uint32_t half = LT_F16; half <= LT_BF16; half++)
		for (uint32_t other = 1; other < LT_NDTYPE; other++) {
			struct expanded_case c = { .opcode = LT_OPCODE_cast, .dtype = other, .from = half, .lanes = 16 };
			check_halves(c, false);
			c.dtype = half;
			c.from = other;
			if (other == LT_F32 || other == LT_F64)
				check_halves(c, true);
		}
}
