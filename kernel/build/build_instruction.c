/* build_instruction.c -- instructions of each kind, for those that make programs (build.h). */
#include "kernel/build/build.h"

/* An instruction with nothing but an opcode. */
static struct lt_instruction plain(const struct lt_kernel_builder *b, int opcode)
{
	return (struct lt_instruction){ .opcode = (uint16_t)opcode, .operand = { -1, -1, -1, -1 }, .what = -1,
		.origin = b->origin };
}

int32_t lt__build_value(struct lt_kernel_builder *b, int opcode, uint32_t dtype, uint32_t lanes, int32_t x, int32_t y)
{
	struct lt_instruction i = plain(b, opcode);
	i.dtype = (uint8_t)dtype;
	i.lanes = lanes;
	i.operand[0] = x;
	i.operand[1] = y;
	return lt__build(b, i);
}

int32_t lt__build_const(struct lt_kernel_builder *b, uint32_t dtype, uint64_t bits)
{
	struct lt_instruction i = plain(b, LT_OPCODE_const);
	i.dtype = (uint8_t)dtype;
	i.lanes = 1;
	i.number = (int64_t)bits;
	return lt__build(b, i);
}

int32_t lt__build_numbered(struct lt_kernel_builder *b, int opcode, uint32_t dtype, int32_t what)
{
	struct lt_instruction i = plain(b, opcode);
	i.dtype = (uint8_t)dtype;
	i.lanes = 1;
	i.what = what;
	return lt__build(b, i);
}

int32_t lt__build_test(struct lt_kernel_builder *b, int opcode, int32_t x, int32_t y)
{
	return lt__build_value(b, opcode, LT_LANE_MASK, lt__build_at(b, x)->lanes, x, y);
}

int32_t lt__build_select(struct lt_kernel_builder *b, int32_t mask, int32_t x, int32_t y)
{
	struct lt_instruction i = plain(b, LT_OPCODE_select);
	i.dtype = lt__build_at(b, x)->dtype;
	i.lanes = lt__build_at(b, x)->lanes;
	i.operand[0] = mask;
	i.operand[1] = x;
	i.operand[2] = y;
	return lt__build(b, i);
}

int32_t lt__build_load(struct lt_kernel_builder *b, int32_t buffer, int32_t address, int64_t number)
{
	struct lt_instruction i = plain(b, LT_OPCODE_load);
	i.dtype = (uint8_t)b->buffer[buffer].dtype;
	i.lanes = 1;
	i.what = buffer;
	i.operand[0] = address;
	i.number = number;
	i.stride = 1;
	return lt__build(b, i);
}

void lt__build_store(struct lt_kernel_builder *b, int32_t buffer, int32_t address, int64_t number, int32_t value)
{
	struct lt_instruction i = plain(b, LT_OPCODE_store);
	i.what = buffer;
	i.operand[0] = address;
	i.operand[3] = value;
	i.number = number;
	i.stride = 1;
	(void)lt__build(b, i);
}

int32_t lt__build_get(struct lt_kernel_builder *b, int32_t variable)
{
	struct lt_instruction i = plain(b, LT_OPCODE_get);
	i.dtype = (uint8_t)b->variable[variable].dtype;
	i.lanes = b->variable[variable].lanes;
	i.what = variable;
	return lt__build(b, i);
}

void lt__build_set(struct lt_kernel_builder *b, int32_t variable, int32_t value)
{
	struct lt_instruction i = plain(b, LT_OPCODE_set);
	i.what = variable;
	i.operand[0] = value;
	(void)lt__build(b, i);
}

void lt__build_begins(struct lt_kernel_builder *b, int opcode, int32_t what)
{
	struct lt_instruction i = plain(b, opcode);
	i.what = what;
	(void)lt__build(b, i);
}

int32_t lt__build_loop(struct lt_kernel_builder *b, int32_t from, int32_t to, int64_t step, int32_t origin)
{
	struct lt_instruction i = plain(b, LT_OPCODE_loop);
	i.dtype = LT_I64;
	i.lanes = 1;
	i.operand[0] = from;
	i.operand[1] = to;
	i.number = step;
	i.origin = origin;
	return lt__build(b, i);
}

void lt__build_if(struct lt_kernel_builder *b, int32_t mask)
{
	struct lt_instruction i = plain(b, LT_OPCODE_if);
	i.operand[0] = mask;
	(void)lt__build(b, i);
}

void lt__build_else(struct lt_kernel_builder *b) { (void)lt__build(b, plain(b, LT_OPCODE_else)); }
void lt__build_end(struct lt_kernel_builder *b) { (void)lt__build(b, plain(b, LT_OPCODE_end)); }
