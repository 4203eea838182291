/* operand.c -- values, constants and names that instructions of a kernel program's text use (parser.h). */
#include <inttypes.h>
#include "kernel/parse/parser.h"

int32_t lt__kernel_build(struct lt_kernel_parser *p, struct lt_instruction i)
{
	lt__kernel_located(p, LT_PART_INSTRUCTION, p->statement);
	return lt__build(&p->b, i);
}

int32_t lt__kernel_build_constant(struct lt_kernel_parser *p, struct lt_value_type t, uint64_t bits)
{
	return lt__kernel_build(p, (struct lt_instruction){ .opcode = LT_OPCODE_const, .dtype = (uint8_t)t.dtype,
		.lanes = t.lanes, .operand = { -1, -1, -1, -1 }, .what = -1, .origin = -1, .number = (int64_t)bits });
}

int32_t lt__kernel_read_value(struct lt_kernel_parser *p)
{
	int32_t value = lt__kernel_name_find(&p->values, p->at, p->bytes);
	if (value < 0)
		LT_KERNEL_SYNTAX(p, "no line above in this region makes %s", lt__kernel_token(p).text);
	return value;
}

/* A value or a constant of that type. */
int32_t lt__kernel_operand(struct lt_kernel_parser *p, struct lt_value_type t)
{
	if (p->kind != LT_KERNEL_VALUE)
		return lt__kernel_build_constant(p, t, lt__kernel_constant(p, t));
	int32_t value = lt__kernel_read_value(p);
	const struct lt_instruction *i = lt__build_at(&p->b, value);
	if (i->dtype != t.dtype || i->lanes != t.lanes)
		lt__kernel_fail(p, LT_EINVAL, p->position, "%s is %s; %s is needed here", lt__kernel_token(p).text,
			lt__shown_type((struct lt_value_type){ i->dtype, i->lanes }).text, lt__shown_type(t).text);
	lt__kernel_next(p);
	return value;
}

int32_t lt__kernel_known(struct lt_kernel_parser *p, enum lt_kernel_named kind)
{
	static const char *const kinds[] = { "buffer", "variable", "matrix description" };
	int32_t x = p->kind == LT_KERNEL_WORD ? lt__kernel_name_find(&p->names, p->at, p->bytes) : -1;
	if (x < 0 || x % LT_NKERNEL_NAMED != (int32_t)kind)
		LT_KERNEL_SYNTAX(p, "expected the name of a %s%s, found %s%s%s", kinds[kind],
			p->kind == LT_KERNEL_WORD && x < 0 ? " that a line above the regions declares" : "", lt__kernel_token(p).text,
			x < 0 ? "" : ", which is a ", x < 0 ? "" : kinds[x % LT_NKERNEL_NAMED]);
	lt__kernel_next(p);
	return x / LT_NKERNEL_NAMED;
}
