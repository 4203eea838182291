/* operator.c -- operators as instructions, by type. */
#include "backends/wasm/print.h"

/* An operator's instructions by type: of one lane, of a chunk; 0: there is none, and it is made of others. */
enum { F32, F64, I32, U32, I64, U64, BITS, N_KIND };            /* BITS: bools and masks */
#define I(name) WASM_##name
#define FLOATS(op) I(f32_##op), I(f64_##op)
#define VECTORS(op) I(f32x4_##op), I(f64x2_##op)
#define WHOLE(a, b, c, d) I(i32_##a), I(i32_##b), I(i64_##c), I(i64_##d)
static const struct { uint16_t one[N_KIND], many[N_KIND]; } operators[LT_NOPCODE] = {
	[LT_OPCODE_add] = { { FLOATS(add), WHOLE(add, add, add, add), 0 },
		{ VECTORS(add), I(i32x4_add), I(i32x4_add), I(i64x2_add), I(i64x2_add), 0 } },
	[LT_OPCODE_sub] = { { FLOATS(sub), WHOLE(sub, sub, sub, sub), 0 },
		{ VECTORS(sub), I(i32x4_sub), I(i32x4_sub), I(i64x2_sub), I(i64x2_sub), 0 } },
	[LT_OPCODE_mul] = { { FLOATS(mul), WHOLE(mul, mul, mul, mul), 0 },
		{ VECTORS(mul), I(i32x4_mul), I(i32x4_mul), I(i64x2_mul), I(i64x2_mul), 0 } },
	[LT_OPCODE_div] = { { FLOATS(div) }, { VECTORS(div) } },
	[LT_OPCODE_neg] = { { FLOATS(neg) }, { VECTORS(neg) } },
	[LT_OPCODE_abs] = { { FLOATS(abs) }, { VECTORS(abs) } },
	[LT_OPCODE_sqrt] = { { FLOATS(sqrt) }, { VECTORS(sqrt) } },
	[LT_OPCODE_floor] = { { FLOATS(floor) }, { VECTORS(floor) } },
	[LT_OPCODE_ceil] = { { FLOATS(ceil) }, { VECTORS(ceil) } },
	[LT_OPCODE_round] = { { FLOATS(nearest) }, { VECTORS(nearest) } },
	[LT_OPCODE_eq] = { { FLOATS(eq), WHOLE(eq, eq, eq, eq), I(i32_eq) },
		{ VECTORS(eq), I(i32x4_eq), I(i32x4_eq), I(i64x2_eq), I(i64x2_eq), I(i8x16_eq) } },
	[LT_OPCODE_ne] = { { FLOATS(ne), WHOLE(ne, ne, ne, ne), I(i32_ne) },
		{ VECTORS(ne), I(i32x4_ne), I(i32x4_ne), I(i64x2_ne), I(i64x2_ne), I(i8x16_ne) } },
	[LT_OPCODE_less] = { { FLOATS(lt), WHOLE(lt_s, lt_u, lt_s, lt_u), I(i32_lt_u) },
		{ VECTORS(lt), I(i32x4_lt_s), I(i32x4_lt_u), I(i64x2_lt_s), 0, I(i8x16_lt_u) } },
	[LT_OPCODE_lessequal] = { { FLOATS(le), WHOLE(le_s, le_u, le_s, le_u), I(i32_le_u) },
		{ VECTORS(le), I(i32x4_le_s), I(i32x4_le_u), I(i64x2_le_s), 0, I(i8x16_le_u) } },
	[LT_OPCODE_greater] = { { FLOATS(gt), WHOLE(gt_s, gt_u, gt_s, gt_u), I(i32_gt_u) },
		{ VECTORS(gt), I(i32x4_gt_s), I(i32x4_gt_u), I(i64x2_gt_s), 0, I(i8x16_gt_u) } },
	[LT_OPCODE_greaterequal] = { { FLOATS(ge), WHOLE(ge_s, ge_u, ge_s, ge_u), I(i32_ge_u) },
		{ VECTORS(ge), I(i32x4_ge_s), I(i32x4_ge_u), I(i64x2_ge_s), 0, I(i8x16_ge_u) } },
	[LT_OPCODE_and] = { { 0, 0, WHOLE(and, and, and, and), I(i32_and) },
		{ 0, 0, I(v128_and), I(v128_and), I(v128_and), I(v128_and), I(v128_and) } },
	[LT_OPCODE_or] = { { 0, 0, WHOLE(or, or, or, or), I(i32_or) },
		{ 0, 0, I(v128_or), I(v128_or), I(v128_or), I(v128_or), I(v128_or) } },
	[LT_OPCODE_xor] = { { 0, 0, WHOLE(xor, xor, xor, xor), I(i32_xor) },
		{ 0, 0, I(v128_xor), I(v128_xor), I(v128_xor), I(v128_xor), I(v128_xor) } },
	[LT_OPCODE_not] = { { [BITS] = I(i32_eqz) }, { [BITS] = I(v128_not) } },
	[LT_OPCODE_quotient] = { { 0, 0, WHOLE(div_s, div_u, div_s, div_u), 0 }, { 0 } },
	[LT_OPCODE_remainder] = { { 0, 0, WHOLE(rem_s, rem_u, rem_s, rem_u), 0 }, { 0 } },
	/* The second operand is a count: of a chunk, one for all lanes. */
	[LT_OPCODE_shift_left] = { { 0, 0, WHOLE(shl, shl, shl, shl), 0 },
		{ 0, 0, I(i32x4_shl), I(i32x4_shl), I(i64x2_shl), I(i64x2_shl), 0 } },
	[LT_OPCODE_shift_right] = { { 0, 0, WHOLE(shr_u, shr_u, shr_u, shr_u), 0 },
		{ 0, 0, I(i32x4_shr_u), I(i32x4_shr_u), I(i64x2_shr_u), I(i64x2_shr_u), 0 } },
	[LT_OPCODE_shift_signed] = { { 0, 0, WHOLE(shr_s, shr_s, shr_s, shr_s), 0 },
		{ 0, 0, I(i32x4_shr_s), I(i32x4_shr_s), I(i64x2_shr_s), I(i64x2_shr_s), 0 } },
	/* Of one lane by a comparison.  Of a chunk the operands are the other way round: pmin(a, b) is b if b < a. */
	[LT_OPCODE_lesser] = { { FLOATS(lt), WHOLE(lt_s, lt_u, lt_s, lt_u), 0 },
		{ VECTORS(pmin), I(i32x4_min_s), I(i32x4_min_u), 0, 0, 0 } },
	[LT_OPCODE_larger] = { { FLOATS(gt), WHOLE(gt_s, gt_u, gt_s, gt_u), 0 },
		{ VECTORS(pmax), I(i32x4_max_s), I(i32x4_max_u), 0, 0, 0 } },
};
#undef WHOLE
#undef VECTORS
#undef FLOATS
#undef I

static int kind_of(uint32_t dtype)
{
	switch (dtype) {
	case LT_F32: return F32;
	case LT_F64: return F64;
	case LT_I32: return I32;
	case LT_U32: return U32;
	case LT_I64: return I64;
	case LT_U64: return U64;
	default: return BITS;
	}
}

enum wasm_instruction lt__wasm_operator(uint32_t opcode, uint32_t dtype, bool many)
{
	const int kind = kind_of(dtype);
	return (enum wasm_instruction)(many ? operators[opcode].many[kind] : operators[opcode].one[kind]);
}
