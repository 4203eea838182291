/* work.c -- what a kernel program does, by kinds of work that a processor without vectors has costs for.
 *
 * What addresses are made of by loops alone is left out: compilers make that once, before a loop, or step by step with
 * it.  What they are made of by loads, as where a table is asked, or by quotients, counts.
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

static bool is_wide(uint32_t dtype) { return dtype == LT_I64 || dtype == LT_U64; }

static bool is_quotient(uint32_t opcode)
{
	return opcode == LT_OPCODE_div || opcode == LT_OPCODE_mod || opcode == LT_OPCODE_quotient
		|| opcode == LT_OPCODE_remainder;
}

/* Its value is that of its operands alone. */
static bool computes(uint32_t opcode)
{
	return opcode < LT_NOPERATOR_OPCODE || opcode == LT_OPCODE_quotient || opcode == LT_OPCODE_remainder
		|| opcode == LT_OPCODE_flag || opcode == LT_OPCODE_test || opcode == LT_OPCODE_shift_left
		|| opcode == LT_OPCODE_shift_right || opcode == LT_OPCODE_shift_signed || opcode == LT_OPCODE_lesser
		|| opcode == LT_OPCODE_larger || opcode == LT_OPCODE_convert || opcode == LT_OPCODE_const;
}

static enum lt_work_kind float_kind(uint32_t opcode, bool two)
{
	switch (opcode) {
	case LT_OPCODE_mul: case LT_OPCODE_scale: return two ? LT_WORK_DOUBLE_PRODUCT : LT_WORK_FLOAT_PRODUCT;
	case LT_OPCODE_div: case LT_OPCODE_quotient: case LT_OPCODE_remainder: case LT_OPCODE_reciprocal:
	case LT_OPCODE_mod: return two ? LT_WORK_DOUBLE_QUOTIENT : LT_WORK_FLOAT_QUOTIENT;
	case LT_OPCODE_floor: case LT_OPCODE_ceil: case LT_OPCODE_round: return LT_WORK_ROUND;
	case LT_OPCODE_neg: case LT_OPCODE_abs: return LT_WORK_SUM;
	case LT_OPCODE_select: return LT_WORK_CHOICE;
	case LT_OPCODE_add: case LT_OPCODE_sub: return two ? LT_WORK_DOUBLE : LT_WORK_FLOAT;
	case LT_OPCODE_min: case LT_OPCODE_max: case LT_OPCODE_lesser: case LT_OPCODE_larger: case LT_OPCODE_eq:
	case LT_OPCODE_ne: case LT_OPCODE_less: case LT_OPCODE_lessequal: case LT_OPCODE_greater:
	case LT_OPCODE_greaterequal: case LT_OPCODE_sign: return two ? LT_WORK_DOUBLE : LT_WORK_FLOAT_CHOICE;
	case LT_OPCODE_sqrt: case LT_OPCODE_rsqrt: return two ? LT_WORK_DOUBLE_FUNCTION : LT_WORK_ROOT;
	case LT_OPCODE_pow: return two ? LT_WORK_DOUBLE_FUNCTION : LT_WORK_POWER;
	default: return two ? LT_WORK_DOUBLE_FUNCTION : LT_WORK_FUNCTION;
	}
}

/* What the uses of a value are, beside the bytes of it that they ask for. */
enum use { USED_BY_STORE = 1, USED_BY_TEST = 2, USED_BY_CHOICE = 4, USED_BY_OTHER = 8 };

/* What is known of each instruction. */
struct walked_work {
	const struct lt_kernel *k;
	int64_t *runs;                  /* how often it runs, if it is taken out of loops that it does not depend on */
	int64_t *iterations;            /* of loops */
	bool *address;                  /* it is a part of addresses, conditions or ends */
	bool *counted;                  /* it is made of loads or quotients */
	bool *written;                  /* by buffer */
	int64_t *set;                   /* by variable: how often it is set where that is most often */
	uint8_t *used, *asked;          /* enum use; bytes of its value */
};

/* Where something is, or what loops alone make: it has the bits that its range needs. */
static bool is_place(const struct walked_work *w, int32_t i)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	const int32_t of = x->dtype == LT_LANE_MASK && x->operand[0] >= 0 ? x->operand[0] : i;
	return (w->address[i] || !w->counted[of]) && is_wide(w->k->instructions[of].dtype);
}

static enum lt_work_kind cast_kind(const struct lt_kernel *k, const struct lt_instruction *x, bool narrow,
	unsigned used)
{
	if (x->operand[0] < 0)
		return LT_NWORK;
	const struct lt_instruction *value = &k->instructions[x->operand[0]];
	const uint32_t from = value->dtype, to = x->dtype;
	if (from == LT_F16 || to == LT_F16)
		return LT_WORK_HALF;
	if (from == LT_BF16 || to == LT_BF16)
		return from == LT_BF16 ? LT_WORK_SHIFT : LT_WORK_BRAIN;
	if (is_float(from) != is_float(to))
		return is_wide(from) || is_wide(to) ? LT_WORK_WIDE_CONVERT : LT_WORK_CONVERT;
	if (is_float(from))
		return from == to ? LT_NWORK : LT_WORK_CONVERT;
	/* What is narrow is kept as wide as a register; a load makes it so, and a store leaves out the rest. */
	const bool wider = lt__kernel_element_bytes(to) >= lt__kernel_element_bytes(from);
	return narrow || (wider && (!is_wide(to) || is_wide(from))) || value->opcode == LT_OPCODE_const || (!wider
		&& used == USED_BY_STORE) ? LT_NWORK : LT_WORK_CAST;
}

/* Integers of floats are those that are next to them. */
static bool saturates(const struct lt_kernel *k, const struct lt_instruction *x)
{
	return x->opcode == LT_OPCODE_cast && x->operand[0] >= 0 && is_float(k->instructions[x->operand[0]].dtype)
		&& !is_float(x->dtype);
}

/* A product of up to 64 bits, which some processors add, too. */
static bool is_product(const struct lt_kernel *k, int32_t i)
{
	while (i >= 0 && (k->instructions[i].opcode == LT_OPCODE_cast || k->instructions[i].opcode == LT_OPCODE_convert))
		i = k->instructions[i].operand[0];
	return i >= 0 && k->instructions[i].opcode == LT_OPCODE_mul && !is_float(k->instructions[i].dtype);
}

/* A constant of few bits is sums and shifts. */
static enum lt_work_kind product_kind(const struct walked_work *w, int32_t i, bool wide)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	const uint32_t own = wide ? 8 : 4;
	const uint32_t a = x->operand[0] >= 0 ? bytes_before(w->k, x->operand[0]) : own;
	const uint32_t b = x->operand[1] >= 0 ? bytes_before(w->k, x->operand[1]) : own, most = a > b ? a : b;
	if (most > 4 && wide && x->operand[1] >= 0 && w->k->instructions[x->operand[1]].opcode == LT_OPCODE_const) {
		const uint64_t n = (uint64_t)w->k->instructions[x->operand[1]].number, less = n & (n - 1), more = n & (n + 1);
		if (!(less & (less - 1)) || !more)
			return LT_WORK_WIDE_SHIFT;
	}
	if (is_place(w, i))
		return LT_WORK_PRODUCT8;
	const uint32_t asked = x->opcode == LT_OPCODE_update ? own : w->asked[i], bytes = asked < most ? asked : most;
	return bytes <= 1 || (bytes == 2 && asked <= 2) ? LT_WORK_PRODUCT8 : bytes == 2 ? LT_WORK_PRODUCT16 : !wide
		? LT_WORK_PRODUCT32 : bytes <= 4 ? LT_WORK_LONG_PRODUCT : LT_WORK_WIDE_PRODUCT;
}

static bool is_power(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static enum lt_work_kind kind_of(const struct walked_work *w, int32_t i)
{
	const struct lt_kernel *k = w->k;
	const struct lt_instruction *x = &k->instructions[i];
	const bool narrow = is_place(w, i);
	const unsigned used = w->used[i];
	const uint32_t opcode = x->opcode == LT_OPCODE_update ? (uint32_t)x->number : x->opcode;
	uint32_t dtype = x->opcode == LT_OPCODE_update ? k->variables[x->what].dtype : x->dtype;
	bool compares = false;
	if (!used && computes(x->opcode))       /* compilers leave it out */
		return LT_NWORK;
	switch (x->opcode) {
	case LT_OPCODE_const: case LT_OPCODE_get: case LT_OPCODE_set: case LT_OPCODE_variable: case LT_OPCODE_array:
	case LT_OPCODE_end: case LT_OPCODE_else: case LT_OPCODE_bits: case LT_OPCODE_copy:
		return LT_NWORK;
	case LT_OPCODE_cast: case LT_OPCODE_convert: return cast_kind(k, x, narrow, used);
	case LT_OPCODE_loop: return LT_WORK_ENTERED;
	case LT_OPCODE_dot: return LT_WORK_DOT;
	case LT_OPCODE_flag: return used == USED_BY_TEST ? LT_NWORK : LT_WORK_CHOICE;
	case LT_OPCODE_test:
		return x->operand[0] >= 0 && k->instructions[x->operand[0]].opcode == LT_OPCODE_flag ? LT_NWORK
			: LT_WORK_COMPARISON;
	/* These give a bool of their operands. */
	case LT_OPCODE_eq: case LT_OPCODE_ne: case LT_OPCODE_less: case LT_OPCODE_lessequal: case LT_OPCODE_greater:
	case LT_OPCODE_greaterequal:
		compares = true;
		dtype = x->operand[0] >= 0 ? k->instructions[x->operand[0]].dtype : x->operand[1] >= 0
			? k->instructions[x->operand[1]].dtype : dtype;
		break;
	default: break;
	}
	if (is_float(dtype))
		return float_kind(opcode, dtype == LT_F64);
	const bool wide = is_wide(dtype) && !narrow;
	switch (opcode) {
	case LT_OPCODE_mul: return product_kind(w, i, wide);
	case LT_OPCODE_shift_left: case LT_OPCODE_shift_right: case LT_OPCODE_shift_signed: case LT_OPCODE_shl:
	case LT_OPCODE_shr: return wide ? LT_WORK_WIDE_SHIFT : LT_WORK_SHIFT;
	case LT_OPCODE_div: case LT_OPCODE_mod: case LT_OPCODE_quotient: case LT_OPCODE_remainder:
		if (x->operand[1] >= 0 && k->instructions[x->operand[1]].opcode == LT_OPCODE_const)
			return is_power(k->instructions[x->operand[1]].number) ? wide ? LT_WORK_WIDE_SHIFT : LT_WORK_SHIFT : narrow
				? LT_WORK_PLACE_QUOTIENT : wide ? LT_WORK_WIDE_KNOWN_QUOTIENT : LT_WORK_KNOWN_QUOTIENT;
		return wide ? LT_WORK_WIDE_QUOTIENT : LT_WORK_QUOTIENT;
	case LT_OPCODE_min: case LT_OPCODE_max: case LT_OPCODE_lesser: case LT_OPCODE_larger: case LT_OPCODE_select:
	case LT_OPCODE_abs: case LT_OPCODE_sign:
		return wide ? LT_WORK_WIDE_CHOICE : LT_WORK_CHOICE;
	case LT_OPCODE_add: case LT_OPCODE_sub:
		if (is_product(k, x->operand[0]) || (x->opcode != LT_OPCODE_update && is_product(k, x->operand[1])))
			return LT_NWORK;
		return wide ? LT_WORK_WIDE : LT_WORK_SUM;
	default: return compares ? wide ? LT_WORK_WIDE_CHOICE : LT_WORK_COMPARISON : wide ? LT_WORK_WIDE : LT_WORK_SUM;
	}
}

/* Bits that a processor which shifts by one takes one after the other, times the bytes of each: those behind whole
 * bytes, but of more than two bytes all, except for the sign alone.  Where they are not known: 8. */
static int64_t bits_shifted(const struct walked_work *w, int32_t i)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	const int32_t by = x->operand[1];
	const int64_t bytes = x->operand[0] < 0 ? 4 : bytes_before(w->k, x->operand[0]);
	if (by < 0 || w->k->instructions[by].opcode != LT_OPCODE_const)
		return 8 * bytes;
	int64_t bits = w->k->instructions[by].number;
	if (is_quotient(x->opcode))
		for (int64_t n = bits, k = bits = 0; n >> k > 1; )
			bits = ++k;
	return (bytes <= 2 || bits % 8 == 0 ? bits % 8 : bits == bytes * 8 - 1 ? 1 : bits) * bytes;
}

/* Marks what is made of loads, of variables, which hold what was, or of quotients. */
static void find_counted(const struct walked_work *w)
{
	for (int32_t i = 0; i < (int32_t)w->k->n_instruction; i++) {
		const struct lt_instruction *x = &w->k->instructions[i];
		w->counted[i] = x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_get || is_quotient(x->opcode);
		for (int o = 0; o < 3; o++)
			w->counted[i] = w->counted[i] || (x->operand[o] >= 0 && x->operand[o] < i && w->counted[x->operand[o]]);
	}
}

/* The lower bytes of the result are made of those of the operands. */
static bool keeps_bytes(uint32_t opcode)
{
	return opcode == LT_OPCODE_add || opcode == LT_OPCODE_sub || opcode == LT_OPCODE_mul || opcode == LT_OPCODE_and
		|| opcode == LT_OPCODE_or || opcode == LT_OPCODE_xor || opcode == LT_OPCODE_not || opcode == LT_OPCODE_neg
		|| opcode == LT_OPCODE_select || opcode == LT_OPCODE_cast || opcode == LT_OPCODE_convert;
}

static void find_uses(const struct walked_work *w)
{
	for (int32_t i = (int32_t)w->k->n_instruction; i-- > 0; ) {
		const struct lt_instruction *x = &w->k->instructions[i];
		for (int o = 0; o < 4; o++) {
			const int32_t v = x->operand[o];
			if (v < 0)
				continue;
			const bool stored = x->opcode == LT_OPCODE_store && o == 3;
			const uint32_t own = lt__kernel_element_bytes(w->k->instructions[v].dtype), to = stored
				? lt__kernel_element_bytes(w->k->buffers[x->what].dtype) : keeps_bytes(x->opcode) && !is_float(x->dtype)
				? w->asked[i] : own, bytes = to < own ? to : own;
			w->asked[v] = bytes > w->asked[v] ? (uint8_t)bytes : w->asked[v];
			w->used[v] |= stored ? USED_BY_STORE : x->opcode == LT_OPCODE_test ? USED_BY_TEST
				: (x->opcode == LT_OPCODE_select && o > 0) || w->used[i] == USED_BY_CHOICE ? USED_BY_CHOICE : USED_BY_OTHER;
		}
		if (x->opcode == LT_OPCODE_store)
			w->written[x->what] = true;
	}
}

/* How often its end is reached: as often as what is in it runs, and where there is nothing, as it was entered. */
static void find_times(const struct walked_work *w)
{
	for (int32_t i = 0; i < (int32_t)w->k->n_instruction; i++)
		if (w->k->instructions[i].opcode == LT_OPCODE_loop)
			w->iterations[i] = w->runs[i + 1 < w->k->instructions[i].what ? i + 1 : i];
		else if ((w->k->instructions[i].opcode == LT_OPCODE_set || w->k->instructions[i].opcode == LT_OPCODE_update)
				&& w->runs[i] > w->set[w->k->instructions[i].what])
			w->set[w->k->instructions[i].what] = w->runs[i];
}

/* What does not depend on a loop is computed before it: as often as the operand that is computed most often, and a
 * variable as it is set.  Loads, too, but of memory that the kernel writes. */
static void take_out(const struct walked_work *w)
{
	for (int32_t i = 0; i < (int32_t)w->k->n_instruction; i++) {
		const struct lt_instruction *x = &w->k->instructions[i];
		int64_t most = 1;
		if (x->opcode == LT_OPCODE_get)
			w->runs[i] = w->set[x->what] < w->runs[i] ? w->set[x->what] : w->runs[i];
		if (x->opcode == LT_OPCODE_load ? w->written[x->what] : !computes(x->opcode))
			continue;
		for (int o = 0; o < 4; o++)
			if (x->operand[o] >= 0) {
				const int32_t v = x->operand[o];
				const int64_t of = w->k->instructions[v].opcode == LT_OPCODE_loop ? w->iterations[v] : w->runs[v];
				most = of > most ? of : most;
			}
		w->runs[i] = most < w->runs[i] ? most : w->runs[i];
	}
}

/* A condition that was asked before, by the same value, is known. */
static bool was_asked(const struct walked_work *w, int32_t at)
{
	for (int32_t i = w->k->instructions[at].operand[0] + 1; i < at; i++)
		if (w->k->instructions[i].opcode == LT_OPCODE_if && w->k->instructions[i].operand[0]
				== w->k->instructions[at].operand[0])
			return true;
	return false;
}

/* At most 16 iterations, and no loop in them; these may store what they load, and do nothing else. */
static enum lt_work_kind iteration_kind(const struct walked_work *w, int32_t loop)
{
	bool copies = true;
	for (int32_t i = loop + 1; i < w->k->instructions[loop].what; i++) {
		const struct lt_instruction *x = &w->k->instructions[i];
		if (x->opcode == LT_OPCODE_loop)
			return LT_WORK_ITERATION;
		copies = copies && (x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_fault || w->address[i]
			|| (x->opcode == LT_OPCODE_store && x->operand[3] >= 0
			&& w->k->instructions[x->operand[3]].opcode == LT_OPCODE_load));
	}
	return w->iterations[loop] > 16 * w->runs[loop] ? LT_WORK_ITERATION : copies ? LT_WORK_COPIED
		: LT_WORK_SHORT_ITERATION;
}

/* That a processor of bytes works on. */
static int64_t bytes_of(const struct walked_work *w, int32_t i, enum lt_work_kind kind)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	if (is_place(w, i))
		return 2;
	if (x->opcode == LT_OPCODE_update)
		return lt__kernel_element_bytes(w->k->variables[x->what].dtype);
	return kind == LT_WORK_COMPARISON && x->operand[0] >= 0 ? bytes_before(w->k, x->operand[0]) : w->asked[i];
}

static void count(const struct walked_work *w, int32_t i, struct lt_walk_work *all)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	int64_t n = w->runs[i];
	enum lt_work_kind kind = LT_NWORK;
	if (x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store) {
		kind = x->opcode == LT_OPCODE_load ? LT_WORK_LOAD : LT_WORK_STORE;
		all->n[kind + 1] += n * lt__kernel_element_bytes(w->k->buffers[x->what].dtype);
	} else if (x->opcode == LT_OPCODE_if) {
		kind = was_asked(w, i) ? LT_NWORK : LT_WORK_BRANCH;
	} else if (!w->address[i] || w->counted[i] || x->opcode == LT_OPCODE_loop) {
		kind = kind_of(w, i);
	}
	/* Operators of floats that one of two choices is are computed for that one alone. */
	if (w->used[i] == USED_BY_CHOICE && is_float(x->dtype) && kind != LT_WORK_LOAD && kind != LT_WORK_SUM)
		n = (n + 1) / 2;
	if (kind == LT_WORK_CONVERT && w->k->instructions[x->operand[0]].dtype == LT_BOOL)     /* or it is a choice */
		n = (n + 1) / 2;
	if (kind != LT_NWORK)
		all->n[kind] += n;
	if (kind == LT_WORK_SHIFT)
		all->n[LT_WORK_SHIFT_BITS] += n * bits_shifted(w, i);
	if (kind == LT_WORK_SUM || kind == LT_WORK_CHOICE || kind == LT_WORK_CAST || kind == LT_WORK_COMPARISON)
		all->n[LT_WORK_BYTES] += n * bytes_of(w, i, kind);
	if (kind == LT_WORK_WIDE_SHIFT && x->opcode == LT_OPCODE_mul)
		all->n[LT_WORK_WIDE] += n;
	if (kind == LT_WORK_ROOT && x->opcode == LT_OPCODE_rsqrt)
		all->n[LT_WORK_FLOAT_QUOTIENT] += n;
	if (saturates(w->k, x))
		all->n[w->k->instructions[x->operand[0]].dtype == LT_F64 ? LT_WORK_DOUBLE : LT_WORK_FLOAT_CHOICE] += 2 * n;
	if (kind == LT_WORK_CHOICE && x->opcode == LT_OPCODE_sign)
		all->n[LT_WORK_CHOICE] += n;
	if (x->opcode == LT_OPCODE_loop)
		all->n[iteration_kind(w, i)] += w->iterations[i];
}

lt_status lt__walk_work(const struct lt_kernel *k, struct lt_walk_work *all, struct lt_diag *diag)
{
	struct lt_pool pool = { 0 };
	if (setjmp(pool.jump)) {
		lt__pool_free(&pool);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	const struct walked_work w = { .k = k, .runs = lt__pool_alloc(&pool, k->n_instruction, sizeof *w.runs),
		.iterations = lt__pool_alloc(&pool, k->n_instruction, sizeof *w.iterations),
		.address = lt__pool_alloc(&pool, k->n_instruction, sizeof *w.address),
		.counted = lt__pool_alloc(&pool, k->n_instruction, sizeof *w.counted),
		.written = lt__pool_alloc(&pool, k->n_buffer, sizeof *w.written),
		.set = lt__pool_alloc(&pool, k->n_variable, sizeof *w.set),
		.used = lt__pool_alloc(&pool, k->n_instruction, sizeof *w.used),
		.asked = lt__pool_alloc(&pool, k->n_instruction, sizeof *w.asked) };
	memset(all, 0, sizeof *all);
	const lt_status st = lt__walk_counts(k, w.runs, diag);
	if (!st) {
		lt__walk_parts(k, true, w.address);
		find_counted(&w);
		find_uses(&w);
		find_times(&w);
		take_out(&w);
		for (int32_t i = 0; i < (int32_t)k->n_instruction; i++)
			count(&w, i, all);
	}
	all->n[LT_WORK_LAUNCH] = 1;
	lt__pool_free(&pool);
	return st;
}
