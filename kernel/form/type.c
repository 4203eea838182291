/* type.c -- the types of elements, instructions and operands, and constants of a type (form.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/form/form.h"

static const char *const elements[] = {
	[LT_F32] = "f32", [LT_F64] = "f64", [LT_F16] = "f16", [LT_BF16] = "bf16", [LT_I8] = "i8", [LT_U8] = "u8",
	[LT_I16] = "i16", [LT_I32] = "i32", [LT_I64] = "i64", [LT_BOOL] = "bool", [LT_U16] = "u16",
	[LT_U32] = "u32", [LT_U64] = "u64", [LT_LANE_MASK] = "mask"
};
enum { N_ELEMENT = sizeof elements / sizeof *elements };

const char *lt__kernel_element_name(uint32_t dtype) { return dtype < N_ELEMENT ? elements[dtype] : NULL; }
uint32_t lt__kernel_element_bytes(uint32_t dtype) { return lt__number_bytes(dtype); }

uint32_t lt__kernel_element_find(const char *name, size_t bytes)
{
	for (uint32_t i = 0; i < N_ELEMENT; i++)
		if (elements[i] && strlen(elements[i]) == bytes && memcmp(elements[i], name, bytes) == 0)
			return i;
	return 0;
}

struct lt_shown_type lt__shown_type(struct lt_value_type t)
{
	struct lt_shown_type s;
	const char *name = lt__kernel_element_name(t.dtype);
	if (t.lanes == 1 || !name)
		(void)snprintf(s.text, sizeof s.text, "%s", name ? name : t.dtype ? "?" : "no value");
	else
		(void)snprintf(s.text, sizeof s.text, "%sx%" PRIu32, name, t.lanes);
	return s;
}

static struct lt_value_type type_of_value(const struct lt_kernel *k, int32_t value)
{
	if (value < 0 || (uint32_t)value >= k->n_instruction)
		return (struct lt_value_type){ 0, 0 };
	return (struct lt_value_type){ k->instructions[value].dtype, k->instructions[value].lanes };
}

struct lt_value_type lt__instruction_type(const struct lt_kernel *k, const struct lt_instruction *i)
{
	static const struct lt_value_type none = { 0, 0 };
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	bool buffer = i->what >= 0 && (uint32_t)i->what < k->n_buffer;
	bool variable = i->what >= 0 && (uint32_t)i->what < k->n_variable;
	uint32_t lanes;
	switch (f ? f->source : LT_TYPE_NONE) {
	case LT_TYPE_OF_VALUE: return (struct lt_value_type){ i->dtype, i->lanes };
	case LT_TYPE_OF_OPERAND: return type_of_value(k, i->operand[0]);
	case LT_TYPE_OF_VARIABLE:
		return variable ? (struct lt_value_type){ k->variables[i->what].dtype, k->variables[i->what].lanes } : none;
	case LT_TYPE_OF_STORED:
		lanes = type_of_value(k, i->operand[3]).lanes;
		return buffer ? (struct lt_value_type){ k->buffers[i->what].dtype, lanes } : none;
	case LT_TYPE_OF_PREFETCH:
		lanes = i->operand[1] >= 0 ? type_of_value(k, i->operand[1]).lanes
			: i->operand[2] >= 0 ? type_of_value(k, i->operand[2]).lanes : 1;
		return buffer ? (struct lt_value_type){ k->buffers[i->what].dtype, lanes } : none;
	case LT_TYPE_OF_COPY:
		lanes = i->stride > 0 && i->stride <= LT_MAX_LANES ? (uint32_t)i->stride : 0;
		return buffer ? (struct lt_value_type){ k->buffers[i->what].dtype, lanes } : none;
	case LT_TYPE_OF_FAULT: return (struct lt_value_type){ LT_I64, type_of_value(k, i->operand[0]).lanes };
	default: return none;
	}
}

struct lt_value_type lt__rule_type(enum lt_type_rule rule, struct lt_value_type t, const struct lt_op *op, int k)
{
	switch (rule) {
	case LT_RULE_SAME: return t;
	case LT_RULE_ONE: return (struct lt_value_type){ t.dtype, 1 };
	case LT_RULE_LIST:
	case LT_RULE_ANY:
	case LT_RULE_FROM: return t;
	case LT_RULE_FOUR: return (struct lt_value_type){ LT_I8, 4 * t.lanes };
	case LT_RULE_MASK: return (struct lt_value_type){ LT_LANE_MASK, t.lanes };
	case LT_RULE_TEST: return (struct lt_value_type){ LT_LANE_MASK, 1 };
	case LT_RULE_BOOL: return (struct lt_value_type){ LT_BOOL, t.lanes };
	case LT_RULE_INDEX: return (struct lt_value_type){ LT_I64, t.lanes };
	case LT_RULE_I64: return (struct lt_value_type){ LT_I64, 1 };
	case LT_RULE_IN:
		return op && k < op->arity && k < 3 ? (struct lt_value_type){ op->in[k], t.lanes }
			: (struct lt_value_type){ 0, 0 };
	default: return (struct lt_value_type){ 0, 0 };
	}
}

uint64_t lt__constant_bits(uint32_t dtype, uint32_t lanes, uint64_t bits)
{
	uint32_t n = dtype == LT_LANE_MASK ? lanes : dtype == LT_BOOL ? 1 : 8 * lt__number_bytes(dtype);
	return n >= 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

bool lt__constant_integer(const struct lt_instruction *i, int64_t *out)
{
	if (!i || i->opcode != LT_OPCODE_const || !lt__number_is_whole(i->dtype) || lt__number_bytes(i->dtype) < 4)
		return false;
	*out = lt__number_of_bits((uint64_t)i->number, i->dtype).i;
	return true;
}
