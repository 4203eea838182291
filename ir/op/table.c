/* table.c -- the tables of operators and element types for callers (lt/table.h). */
#include "base/sized.h"
#include "ir/op/op.h"
#include "lt/table.h"

int32_t lt_type_count(void) { return LT_NDTYPE - 1; }

lt_status lt_type_at(int32_t i, struct lt_type_row *out)
{
	if (i < 0 || i >= lt_type_count())
		return LT_EINVAL;
	const enum lt_dtype dtype = (enum lt_dtype)(i + 1);
	const struct lt_dtypeinfo *t = lt__dtype_info(dtype);
	const struct lt_type_row row = { .size = sizeof row, .dtype = (int32_t)dtype, .name = t->name, .script = t->script,
		.numpy = t->npy, .safetensors = t->safetensors, .bytes = t->bytes, .kind = (int32_t)t->cls,
		.is_signed = t->is_signed, .compute = (int32_t)t->compute, .unit = t->unit };
	lt__sized_fill(out, &row, sizeof row);
	return LT_OK;
}

int32_t lt_operator_count(void) { return LT_NOP; }

lt_status lt_operator_at(int32_t i, struct lt_operator_row *out)
{
	if (i < 0 || i >= LT_NOP)
		return LT_EINVAL;
	const struct lt_opinfo *op = lt__op_info((enum lt_opcode)i);
	const struct lt_operator_row row = { .size = sizeof row, .arity = op->arity, .name = op->name, .help = op->doc,
		.moves_data = op->data, .kinds = op->any ? 0 : op->classes, .any_type = op->any, .to_bool = op->to_bool,
		.reduces = op->identity != LT_ID_NONE, .ulp = op->ulp };
	lt__sized_fill(out, &row, sizeof row);
	return LT_OK;
}

int32_t lt_status_count(void) { return LT_NSTATUS; }

lt_status lt_status_at(int32_t i, struct lt_status_row *out)
{
	if (i < 0 || i >= LT_NSTATUS)
		return LT_EINVAL;
	const struct lt_status_row row = { sizeof row, i, lt_status_name(i), lt_status_text(i) };
	lt__sized_fill(out, &row, sizeof row);
	return LT_OK;
}
