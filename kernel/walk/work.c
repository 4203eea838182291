/* work.c -- what a kernel program does, by kinds of work that a processor without vectors has costs for.
 *
 * What addresses are made of is left out: compilers make them once, before a loop, or step by step with it.
 */
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/walk/walk.h"

/* Bytes of what a value was cast from, or has itself. */
static uint32_t bytes_before(const struct lt_kernel *k, int32_t i)
{
	while (k->instructions[i].opcode == LT_OPCODE_cast && k->instructions[i].operand[0] >= 0)
		i = k->instructions[i].operand[0];
	return lt__kernel_element_bytes(k->instructions[i].dtype);
}

static enum lt_work_kind kind_of(const struct lt_kernel *k, const struct lt_instruction *x)
{
	const uint32_t opcode = x->opcode == LT_OPCODE_update ? (uint32_t)x->number : x->opcode;
	const uint32_t dtype = x->opcode == LT_OPCODE_update ? k->variables[x->what].dtype : x->dtype;
	switch (x->opcode) {
	case LT_OPCODE_const: case LT_OPCODE_get: case LT_OPCODE_set: case LT_OPCODE_variable: case LT_OPCODE_array:
	case LT_OPCODE_end: case LT_OPCODE_else: case LT_OPCODE_cast: case LT_OPCODE_convert: case LT_OPCODE_bits:
		return LT_NWORK;
	case LT_OPCODE_loop: return LT_WORK_ENTERED;
	case LT_OPCODE_if: return LT_WORK_BRANCH;
	case LT_OPCODE_dot: return LT_WORK_DOT;
	default: break;
	}
	if (dtype == LT_F32 || dtype == LT_F64)
		return LT_WORK_FLOAT;
	if (dtype == LT_I64 || dtype == LT_U64)
		return LT_WORK_WIDE;
	if (opcode == LT_OPCODE_mul && x->operand[0] >= 0 && x->operand[1] >= 0) {
		const uint32_t a = bytes_before(k, x->operand[0]), b = bytes_before(k, x->operand[1]), most = a > b ? a : b;
		return most <= 1 ? LT_WORK_PRODUCT8 : most <= 2 ? LT_WORK_PRODUCT16 : LT_WORK_PRODUCT32;
	}
	switch (opcode) {
	case LT_OPCODE_shift_left: case LT_OPCODE_shift_right: case LT_OPCODE_shift_signed: case LT_OPCODE_shl:
	case LT_OPCODE_shr: return LT_WORK_SHIFT;
	case LT_OPCODE_min: case LT_OPCODE_max: case LT_OPCODE_lesser: case LT_OPCODE_larger: case LT_OPCODE_select:
		return LT_WORK_CHOICE;
	case LT_OPCODE_div: case LT_OPCODE_mod: case LT_OPCODE_quotient: case LT_OPCODE_remainder: return LT_WORK_QUOTIENT;
	default: return LT_WORK_SUM;
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
	memset(w, 0, sizeof *w);
	const lt_status st = lt__walk_counts(k, runs, diag);
	if (!st)
		lt__walk_parts(k, true, address);
	for (int32_t i = 0; i < (int32_t)k->n_instruction && !st; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if (x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store) {
			const enum lt_work_kind kind = x->opcode == LT_OPCODE_load ? LT_WORK_LOAD : LT_WORK_STORE;
			w->n[kind] += runs[i];
			w->n[kind + 1] += runs[i] * lt__kernel_element_bytes(k->buffers[x->what].dtype);
			continue;
		}
		const enum lt_work_kind kind = address[i] && x->opcode != LT_OPCODE_loop && x->opcode != LT_OPCODE_if ? LT_NWORK
			: kind_of(k, x);
		if (kind != LT_NWORK)
			w->n[kind] += runs[i];
		if (x->opcode == LT_OPCODE_loop)
			w->n[LT_WORK_ITERATION] += iterations(k, i, runs);
	}
	w->n[LT_WORK_LAUNCH] = 1;
	lt__pool_free(&pool);
	return st;
}
