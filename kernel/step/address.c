/* address.c -- see address.h. */
#include <string.h>
#include "kernel/step/address.h"
#include "kernel/form/form.h"

struct linear_sum { int64_t number; int32_t n; struct lt_address_part part[LT_ADDRESS_PARTS]; };

/* a * x + b * y; false: too many parts. */
static bool linear_sum(
	struct linear_sum *out, const struct lt_address_sum *x, int64_t a, const struct lt_address_sum *y, int64_t b)
{
	int32_t i = 0, j = 0;
	out->number = (int64_t)((uint64_t)a * (uint64_t)x->number + (uint64_t)b * (uint64_t)y->number);
	out->n = 0;
	while (i < x->n || j < y->n) {
		bool first = i < x->n && (j == y->n || x->part[i].value <= y->part[j].value);
		int32_t value = first ? x->part[i].value : y->part[j].value;
		uint64_t times = 0;
		if (i < x->n && x->part[i].value == value)
			times += (uint64_t)a * (uint64_t)x->part[i++].times;
		if (j < y->n && y->part[j].value == value)
			times += (uint64_t)b * (uint64_t)y->part[j++].times;
		if (!times)
			continue;
		if (out->n == LT_ADDRESS_PARTS)
			return false;
		out->part[out->n++] = (struct lt_address_part){ value, (int64_t)times };
	}
	return true;
}

/* What the instruction's value is a sum of; false: it is a part itself. */
static bool linear_value(const struct lt_instruction *i, const struct lt_address_sum *all, struct linear_sum *out)
{
	static const struct lt_address_sum zero;
	const struct lt_address_sum *x = i->operand[0] < 0 ? &zero : &all[i->operand[0]];
	const struct lt_address_sum *y = i->operand[1] < 0 ? &zero : &all[i->operand[1]];
	switch (i->opcode) {
	case LT_OPCODE_const:
		*out = (struct linear_sum){ .number = i->number };
		return true;
	case LT_OPCODE_copy: return linear_sum(out, x, 1, &zero, 0);
	case LT_OPCODE_neg: return linear_sum(out, x, -1, &zero, 0);
	case LT_OPCODE_add: return linear_sum(out, x, 1, y, 1);
	case LT_OPCODE_sub: return linear_sum(out, x, 1, y, -1);
	case LT_OPCODE_mul: return (!x->n || !y->n) && linear_sum(out, x->n ? x : y, x->n ? y->number : x->number, &zero, 0);
	default: return false;
	}
}

struct lt_address_sum *lt__address_values(const struct lt_kernel *k, struct lt_pool *pool)
{
	struct lt_address_sum *all = lt__pool_alloc(pool, (size_t)k->n_instruction + 1, sizeof *all);
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++) {
		const struct lt_instruction *i = &k->instructions[at];
		struct linear_sum sum;
		if (i->dtype != LT_I64 || i->lanes != 1)
			continue;
		if (!linear_value(i, all, &sum)) {
			sum = (struct linear_sum){ .n = 1 };
			sum.part[0] = (struct lt_address_part){ at, 1 };
		}
		all[at] = (struct lt_address_sum){ sum.number, sum.n, NULL };
		if (!sum.n)
			continue;
		all[at].part = lt__pool_alloc(pool, (size_t)sum.n, sizeof *all[at].part);
		memcpy(all[at].part, sum.part, (size_t)sum.n * sizeof *sum.part);
	}
	return all;
}

bool lt__address_same_parts(const struct lt_address_sum *a, const struct lt_address_sum *b)
{
	if (a->n != b->n)
		return false;
	for (int32_t i = 0; i < a->n; i++)
		if (a->part[i].value != b->part[i].value || a->part[i].times != b->part[i].times)
			return false;
	return true;
}

int64_t lt__address_times(const struct lt_address_sum *a, int32_t value)
{
	for (int32_t i = 0; i < a->n; i++)
		if (a->part[i].value == value)
			return a->part[i].times;
	return 0;
}

bool lt__address_reach(const struct lt_kernel *k, const struct lt_address_sum *values, const struct lt_instruction *i,
	struct lt_address_reach *out)
{
	*out = (struct lt_address_reach){ .n = lt__instruction_type(k, i).lanes, .stride = i->stride };
	if (i->operand[1] >= 0)
		return false;
	if (i->operand[0] >= 0)
		out->first = values[i->operand[0]];
	out->first.number = (int64_t)((uint64_t)out->first.number + (uint64_t)i->number);
	return true;
}

/* The power of two that divides all that is different in the parts, as sums wrap; 0: nothing is different. */
static uint64_t difference(const struct lt_address_sum *a, const struct lt_address_sum *b)
{
	uint64_t bits = 0;
	for (int32_t i = 0, j = 0; i < a->n || j < b->n; ) {
		bool first = i < a->n && (j == b->n || a->part[i].value <= b->part[j].value);
		int32_t value = first ? a->part[i].value : b->part[j].value;
		uint64_t times = 0;
		if (i < a->n && a->part[i].value == value)
			times += (uint64_t)a->part[i++].times;
		if (j < b->n && b->part[j].value == value)
			times -= (uint64_t)b->part[j++].times;
		bits |= times;
	}
	return bits & (0 - bits);
}

/* Lane i of one and j of the other meet if a multiple of `unit` is between them (0: nothing). */
bool lt__address_apart(const struct lt_address_reach *a, const struct lt_address_reach *b)
{
	uint64_t unit = difference(&a->first, &b->first), far = (uint64_t)a->first.number - (uint64_t)b->first.number;
	uint64_t rest = unit ? unit - 1 : UINT64_MAX;
	if (unit == 1)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t j = 0; j < b->n; j++)
			if (((far + i * (uint64_t)a->stride - j * (uint64_t)b->stride) & rest) == 0)
				return false;
	return true;
}

bool lt__may_alias(const struct lt_kernel *k, int32_t a, int32_t b)
{
	const struct lt_kernel_buffer *x = &k->buffers[a], *y = &k->buffers[b];
	return a == b || (x->space == y->space && x->space != LT_SPACE_ARRAY && !x->exclusive && !y->exclusive);
}
