/* make.c -- instructions of an expansion, each as the machine has it (expand.h). */
#include <string.h>
#include "kernel/expand/expand.h"
#include "kernel/build/build.h"

static bool expand_in_set(uint32_t types, uint32_t dtype) { return dtype <= LT_LANE_MASK && types >> (dtype & 31) & 1; }

/* A row of the machine says so. */
static bool expand_machine_has(
	const struct lt_machine *m, uint32_t opcode, uint32_t dtype, uint32_t lanes, uint32_t from)
{
	for (uint32_t i = 0; i < m->n_operator; i++) {
		const struct lt_machine_operator *row = &m->operators[i];
		if (row->opcode == opcode && dtype < LT_NDTYPE && expand_in_set(lanes == 1 ? row->one : row->many, dtype)
			&& (!from || expand_in_set(row->from, from)))
			return true;
	}
	return false;
}

/* What every machine has: lt_kernel_expand's list in lt/kernel.h. */
#define BIT(dtype)      (UINT64_C(1) << (dtype))
#define FLOATS          (BIT(LT_F32) | BIT(LT_F64))
#define INTEGERS        (BIT(LT_I32) | BIT(LT_I64) | BIT(LT_U32) | BIT(LT_U64))
#define BITWISE         (BIT(LT_BOOL) | INTEGERS | BIT(LT_LANE_MASK))
static const struct { uint16_t opcode; uint64_t types; } common[] = {
	{ LT_OPCODE_copy, UINT64_MAX }, { LT_OPCODE_select, UINT64_MAX },
	{ LT_OPCODE_add, FLOATS | INTEGERS }, { LT_OPCODE_sub, FLOATS | INTEGERS }, { LT_OPCODE_mul, FLOATS | INTEGERS },
	{ LT_OPCODE_div, FLOATS }, { LT_OPCODE_neg, FLOATS },
	{ LT_OPCODE_eq, UINT64_MAX }, { LT_OPCODE_ne, UINT64_MAX }, { LT_OPCODE_less, UINT64_MAX },
	{ LT_OPCODE_lessequal, UINT64_MAX }, { LT_OPCODE_greater, UINT64_MAX }, { LT_OPCODE_greaterequal, UINT64_MAX },
	{ LT_OPCODE_and, BITWISE }, { LT_OPCODE_or, BITWISE }, { LT_OPCODE_xor, BITWISE },
	{ LT_OPCODE_not, BIT(LT_LANE_MASK) },
	{ LT_OPCODE_remainder, INTEGERS },
};

static bool expand_common(uint32_t opcode, uint32_t dtype)
{
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		if (common[i].opcode == opcode)
			return common[i].types >> dtype & 1;
	return opcode >= LT_OPCODE_const && opcode != LT_OPCODE_scale && opcode != LT_OPCODE_dot;
}

bool lt__expand_keeps(const struct lt_machine *m, uint32_t opcode, uint32_t dtype, uint32_t lanes, uint32_t from)
{
	return expand_common(opcode, dtype) || expand_machine_has(m, opcode, dtype, lanes, from);
}

void lt__expand_lacks(struct expansion *e, int opcode, uint32_t dtype, uint32_t lanes)
{
	e->status = lt__report(e->diag, LT_EUNSUPPORTED, -1, e->k->instructions[e->at].origin,
		"give machine->operators a row for it: one lane is enough", "kernel %s: the machine has no '%s' of %s%s, and it is "
		"not made of other operators", e->k->name, lt_opcode_name((uint32_t)opcode), lt__kernel_element_name(dtype),
		lanes > 1 ? " vectors" : "");
	longjmp(e->b.pool.jump, 1);
}

lt_expand_rule *lt__expand_rule(const struct expansion *e, uint32_t opcode, uint32_t dtype)
{
	for (const struct lt_expand_row *const *table = e->rules; *table; table++)
		for (const struct lt_expand_row *row = *table; row->rule; row++)
			if (row->opcode == opcode && dtype < LT_NDTYPE && row->types >> dtype & 1)
				return row->rule;
	return NULL;
}

int32_t lt__expand_two(struct expansion *e, int opcode, int32_t x, int32_t y)
{
	uint32_t dtype = expand_dtype(e, x), lanes = expand_lanes_of(e, x);
	if (lt__expand_keeps(e->machine, (uint32_t)opcode, dtype, lanes, 0))
		return lt__build_value(&e->b, opcode, dtype, lanes, x, y);
	lt_expand_rule *rule = lt__expand_rule(e, (uint32_t)opcode, dtype);
	if (rule)
		return rule(e, x, y);
	if (lanes == 1 || !lt__opcode_each((uint32_t)opcode)
		|| !expand_machine_has(e->machine, (uint32_t)opcode, dtype, 1, 0))
		lt__expand_lacks(e, opcode, dtype, lanes);
	struct lt_instruction i = { .opcode = LT_OPCODE_each, .dtype = (uint8_t)dtype, .lanes = lanes,
		.operand = { x, y, -1, -1 }, .what = opcode, .origin = e->b.origin };
	return lt__build(&e->b, i);
}

int32_t lt__expand_cast(struct expansion *e, uint32_t to, int32_t x)
{
	uint32_t from = expand_dtype(e, x), lanes = expand_lanes_of(e, x);
	if (from == to)
		return x;
	if (expand_machine_has(e->machine, LT_OPCODE_cast, to, lanes, from))
		return lt__build_value(&e->b, LT_OPCODE_cast, to, lanes, x, -1);
	return e->cast(e, to, x);
}

int32_t lt__expand_bits(struct expansion *e, uint32_t to, int32_t x)
{
	return lt__build_value(&e->b, LT_OPCODE_bits, to, expand_lanes_of(e, x), x, -1);
}

static int32_t expand_const(struct expansion *e, uint32_t dtype, uint32_t lanes, uint64_t bits)
{
	struct lt_instruction i = { .opcode = LT_OPCODE_const, .dtype = (uint8_t)dtype, .lanes = lanes,
		.operand = { -1, -1, -1, -1 }, .what = -1, .number = (int64_t)bits, .origin = e->b.origin };
	return lt__build(&e->b, i);
}

int32_t lt__expand_word(struct expansion *e, int32_t x, uint64_t bits)
{
	return expand_const(e, expand_dtype(e, x), expand_lanes_of(e, x), bits);
}

int32_t lt__expand_number(struct expansion *e, int32_t x, double number)
{
	float narrow = (float)number;
	uint64_t bits = 0;
	uint32_t word;
	switch (expand_dtype(e, x)) {
	case LT_F32:
		memcpy(&word, &narrow, sizeof word);
		bits = word;
		break;
	case LT_F64: memcpy(&bits, &number, sizeof bits); break;
	case LT_I32:
	case LT_U32: bits = (uint32_t)(int64_t)number; break;
	default: bits = (uint64_t)(int64_t)number; break;
	}
	return lt__expand_word(e, x, bits);
}

bool lt__expand_known(const struct expansion *e, int32_t x, uint64_t *bits)
{
	const struct lt_instruction *i = lt__build_at(&e->b, x);
	if (i->opcode == LT_OPCODE_splat)
		i = lt__build_at(&e->b, i->operand[0]);
	*bits = (uint64_t)i->number;
	return i->opcode == LT_OPCODE_const;
}

int32_t lt__expand_lanes(struct expansion *e, int32_t x, uint32_t first, uint32_t n)
{
	int64_t lane[LT_MAX_LANES];
	for (uint32_t i = 0; i < n; i++)
		lane[i] = first + i;
	struct lt_instruction i = { .opcode = LT_OPCODE_shuffle, .dtype = (uint8_t)expand_dtype(e, x), .lanes = n,
		.operand = { x, x, -1, -1 }, .what = -1, .first_extra = lt__build_extras(&e->b, lane, (int32_t)n),
		.n_extra = (int32_t)n, .origin = e->b.origin };
	return lt__build(&e->b, i);
}

uint32_t lt__expand_integer(const struct expansion *e, int32_t x)
{
	return lt__kernel_element_bytes(expand_dtype(e, x)) == 8 ? LT_I64 : LT_I32;
}
