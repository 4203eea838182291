/* work.c -- what a kernel program does, by kinds of work that a processor without vectors has costs for.
 *
 * What addresses are made of by loops alone is left out: compilers make that once, before a loop, or step by step with
 * it.  What they are made of by loads, as where a table is asked, counts.
 */
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/walk/walk.h"

/* Bytes of a value, or of what it was cast from, whichever are fewer; of a number that is known those that it needs. */
static uint32_t bytes_before(const struct lt_kernel *k, int32_t i)
{
	const struct lt_instruction *x = &k->instructions[i];
	uint32_t least = lt__kernel_element_bytes(x->dtype);
	for (; (x->opcode == LT_OPCODE_cast || x->opcode == LT_OPCODE_convert) && x->operand[0] >= 0; ) {
		x = &k->instructions[x->operand[0]];
		const uint32_t bytes = lt__kernel_element_bytes(x->dtype);
		least = bytes < least ? bytes : least;
	}
	if (x->opcode != LT_OPCODE_const)
		return least;
	const uint32_t needs = x->number == (int8_t)x->number ? 1 : x->number == (int16_t)x->number ? 2
		: x->number == (int32_t)x->number ? 4 : 8;
	return needs < least ? needs : least;
}

static bool is_float(uint32_t dtype)
{
	return dtype == LT_F32 || dtype == LT_F64 || dtype == LT_F16 || dtype == LT_BF16;
}

static enum lt_work_kind float_kind(uint32_t opcode)
{
	switch (opcode) {
	case LT_OPCODE_mul: case LT_OPCODE_scale: return LT_WORK_FLOAT_PRODUCT;
	case LT_OPCODE_div: case LT_OPCODE_quotient: case LT_OPCODE_remainder: case LT_OPCODE_reciprocal:
	case LT_OPCODE_mod: return LT_WORK_FLOAT_QUOTIENT;
	case LT_OPCODE_floor: case LT_OPCODE_ceil: case LT_OPCODE_round: return LT_WORK_ROUND;
	case LT_OPCODE_neg: case LT_OPCODE_abs: return LT_WORK_SUM;
	case LT_OPCODE_select: return LT_WORK_CHOICE;
	case LT_OPCODE_add: case LT_OPCODE_sub: case LT_OPCODE_min: case LT_OPCODE_max: case LT_OPCODE_lesser:
	case LT_OPCODE_larger: case LT_OPCODE_eq: case LT_OPCODE_ne: case LT_OPCODE_less: case LT_OPCODE_lessequal:
	case LT_OPCODE_greater: case LT_OPCODE_greaterequal: case LT_OPCODE_sign: return LT_WORK_FLOAT;
	default: return LT_WORK_FUNCTION;
	}
}

/* narrow: of an address, which has the bits that its range needs. */
static enum lt_work_kind kind_of(const struct lt_kernel *k, const struct lt_instruction *x, bool narrow)
{
	const uint32_t opcode = x->opcode == LT_OPCODE_update ? (uint32_t)x->number : x->opcode;
	uint32_t dtype = x->opcode == LT_OPCODE_update ? k->variables[x->what].dtype : x->dtype;
	switch (x->opcode) {
	case LT_OPCODE_const: case LT_OPCODE_get: case LT_OPCODE_set: case LT_OPCODE_variable: case LT_OPCODE_array:
	case LT_OPCODE_end: case LT_OPCODE_else: case LT_OPCODE_bits: case LT_OPCODE_copy:
		return LT_NWORK;
	case LT_OPCODE_cast: case LT_OPCODE_convert: {
		const uint32_t from = x->operand[0] >= 0 ? k->instructions[x->operand[0]].dtype : dtype;
		return is_float(from) != is_float(dtype) ? LT_WORK_CONVERT : LT_NWORK;
	}
	case LT_OPCODE_loop: return LT_WORK_ENTERED;
	case LT_OPCODE_if: return LT_WORK_BRANCH;
	case LT_OPCODE_dot: return LT_WORK_DOT;
	/* These give a bool of their operands. */
	case LT_OPCODE_eq: case LT_OPCODE_ne: case LT_OPCODE_less: case LT_OPCODE_lessequal: case LT_OPCODE_greater:
	case LT_OPCODE_greaterequal:
		dtype = x->operand[0] >= 0 ? k->instructions[x->operand[0]].dtype : dtype;
		break;
	default: break;
	}
	if (is_float(dtype))
		return float_kind(opcode);
	const bool wide = (dtype == LT_I64 || dtype == LT_U64) && !narrow;
	switch (opcode) {
	case LT_OPCODE_mul: {
		const uint32_t own = wide ? 8 : 4;
		const uint32_t a = x->operand[0] >= 0 ? bytes_before(k, x->operand[0]) : own;
		const uint32_t b = x->operand[1] >= 0 ? bytes_before(k, x->operand[1]) : own, most = a > b ? a : b;
		return most <= 1 ? LT_WORK_PRODUCT8 : most <= 2 ? LT_WORK_PRODUCT16 : !wide ? LT_WORK_PRODUCT32
			: most <= 4 ? LT_WORK_LONG_PRODUCT : LT_WORK_WIDE_PRODUCT;
	}
	case LT_OPCODE_shift_left: case LT_OPCODE_shift_right: case LT_OPCODE_shift_signed: case LT_OPCODE_shl:
	case LT_OPCODE_shr: return wide ? LT_WORK_WIDE_SHIFT : LT_WORK_SHIFT;
	case LT_OPCODE_div: case LT_OPCODE_mod: case LT_OPCODE_quotient: case LT_OPCODE_remainder:
		if (x->operand[1] >= 0 && k->instructions[x->operand[1]].opcode == LT_OPCODE_const)
			return wide ? LT_WORK_WIDE_KNOWN_QUOTIENT : LT_WORK_KNOWN_QUOTIENT;
		return wide ? LT_WORK_WIDE_QUOTIENT : LT_WORK_QUOTIENT;
	case LT_OPCODE_min: case LT_OPCODE_max: case LT_OPCODE_lesser: case LT_OPCODE_larger: case LT_OPCODE_select:
		return wide ? LT_WORK_WIDE : LT_WORK_CHOICE;
	default: return wide ? LT_WORK_WIDE : LT_WORK_SUM;
	}
}

/* Bits that are left of a shift behind whole bytes, which a processor that shifts by one takes one after the other.
 * Where they are not known: 8 of a narrow number. */
static int64_t bits_shifted(const struct lt_kernel *k, const struct lt_instruction *x)
{
	const int32_t by = x->operand[1];
	return by >= 0 && k->instructions[by].opcode == LT_OPCODE_const ? k->instructions[by].number & 7 : 8;
}

/* Marks what is made of loads, or of variables, which hold what was. */
static void find_loaded(const struct lt_kernel *k, bool *loaded)
{
	for (int32_t i = 0; i < (int32_t)k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		loaded[i] = x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_get;
		for (int o = 0; o < 3; o++)
			loaded[i] = loaded[i] || (x->operand[o] >= 0 && x->operand[o] < i && loaded[x->operand[o]]);
	}
}

/* How often its end is reached: as often as what is in it runs, and where there is nothing, as it was entered. */
static int64_t iterations(const struct lt_kernel *k, int32_t loop, const int64_t *runs)
{
	const int32_t end = k->instructions[loop].what;
	return loop + 1 < end ? runs[loop + 1] : runs[loop];
}

lt_status lt__walk_work(const struct lt_kernel *k, struct lt_walk_work *w, struct lt_diag *diag)
{
	struct lt_pool pool = { 0 };
	if (setjmp(pool.jump)) {
		lt__pool_free(&pool);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	int64_t *runs = lt__pool_alloc(&pool, k->n_instruction, sizeof *runs);
	bool *address = lt__pool_alloc(&pool, k->n_instruction, sizeof *address);
	bool *loaded = lt__pool_alloc(&pool, k->n_instruction, sizeof *loaded);
	memset(w, 0, sizeof *w);
	const lt_status st = lt__walk_counts(k, runs, diag);
	if (!st)
		lt__walk_parts(k, true, address);
	find_loaded(k, loaded);
	for (int32_t i = 0; i < (int32_t)k->n_instruction && !st; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if (x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store) {
			const enum lt_work_kind kind = x->opcode == LT_OPCODE_load ? LT_WORK_LOAD : LT_WORK_STORE;
			w->n[kind] += runs[i];
			w->n[kind + 1] += runs[i] * lt__kernel_element_bytes(k->buffers[x->what].dtype);
			continue;
		}
		const bool counts = !address[i] || loaded[i] || x->opcode == LT_OPCODE_loop || x->opcode == LT_OPCODE_if;
		const enum lt_work_kind kind = counts ? kind_of(k, x, address[i]) : LT_NWORK;
		if (kind != LT_NWORK)
			w->n[kind] += runs[i];
		if (kind == LT_WORK_SHIFT)
			w->n[LT_WORK_SHIFT_BITS] += runs[i] * bits_shifted(k, x);
		if (x->opcode == LT_OPCODE_loop)
			w->n[LT_WORK_ITERATION] += iterations(k, i, runs);
	}
	w->n[LT_WORK_LAUNCH] = 1;
	lt__pool_free(&pool);
	return st;
}
