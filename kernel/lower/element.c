/* element.c -- single elements, in scalar code and in the first lane: which one an access names, reading
 * and writing it. */
#include "kernel/lower/grid.h"

int32_t lt__lower_as(struct lowering *l, int32_t value, uint32_t dtype)
{
	const struct lt_instruction *i = lt__build_at(&l->b, value);
	return i->dtype == dtype ? value : lt__build_value(&l->b, LT_OPCODE_cast, dtype, i->lanes, value, -1);
}

/* Code that is never run, though no guard says so where it is made: a quotient that is not the same in these lanes. */
static bool is_never_run(const struct lowering *l, const struct lt_instruction *i, uint32_t lanes)
{
	int64_t far = i->stride * ((int64_t)lanes - 1), elems = l->b.buffer[i->what].elems;
	return i->operand[0] < 0 && i->operand[1] < 0 && i->operand[2] < 0 && (i->number < 0 || i->number >= elems
		|| i->number + far < 0 || i->number + far >= elems);
}

int32_t lt__lower_build_load(struct lowering *l, struct lt_instruction i)
{
	i.opcode = LT_OPCODE_load;
	i.origin = l->b.origin;
	i.stride = i.stride ? i.stride : 1;
	return lt__build(&l->b, !is_never_run(l, &i, i.lanes) ? i : (struct lt_instruction){ .opcode = LT_OPCODE_const,
		.dtype = i.dtype, .lanes = i.lanes, .operand = { -1, -1, -1, -1 }, .what = -1, .origin = i.origin });
}

void lt__lower_build_store(struct lowering *l, struct lt_instruction i)
{
	i.opcode = LT_OPCODE_store;
	i.origin = l->b.origin;
	i.stride = i.stride ? i.stride : 1;
	if (!is_never_run(l, &i, lower_lanes_of(l, i.operand[3])))
		(void)lt__build(&l->b, i);
}

int32_t lt__lower_spilled(const struct lowering *l, int32_t buffer)
{
	const struct lower_spill *x = l->lane >= 0 && lt__lower_private(l, buffer) ? l->spill : NULL;
	while (x && x->buffer != buffer)
		x = x->next;
	return x ? x->scratch : -1;
}

int32_t lt__lower_read_at(struct lowering *l, int32_t buffer, struct lower_address at, int32_t mask)
{
	if (l->storage[buffer].is_variable) {
		int32_t array = lt__lower_spilled(l, buffer);
		return array >= 0 ? lt__build_load(&l->b, array, l->lane, 0) : lt__build_get(&l->b, lt__lower_location(l, buffer));
	}
	return lt__lower_build_load(l, (struct lt_instruction){ .dtype = (uint8_t)lower_dtype_of(l, buffer), .lanes = 1,
		.operand = { at.value, -1, mask, -1 }, .what = lt__lower_location(l, buffer), .number = at.number });
}

void lt__lower_write_at(struct lowering *l, int32_t buffer, struct lower_address at, int32_t value)
{
	int32_t array = lt__lower_spilled(l, buffer);
	if (array >= 0)
		lt__build_store(&l->b, array, l->lane, 0, value);
	else if (l->storage[buffer].is_variable)
		lt__build_set(&l->b, lt__lower_location(l, buffer), value);
	else
		lt__lower_build_store(l, (struct lt_instruction){ .operand = { at.value, -1, l->predicate, value },
			.what = lt__lower_location(l, buffer), .number = at.number });
}

/* Of a vector under a guard's mask, maybe none of whose lanes is on: whether one is; -1: that is sure. */
static int32_t any_lane(struct lowering *l)
{
	if (l->predicate >= 0)
		return l->predicate;
	return l->mask >= 0 && l->guarded ? lt__lower_pure(l, LT_OPCODE_any, LT_LANE_MASK, l->mask, -1, -1, 0) : -1;
}

/* Whether the element is there whatever holds: one of a thread's own, at an index that no loop moves past its array. */
static bool is_always_there(const struct lowering *l, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	struct lower_range at = lt__lower_range(l, a->row);
	return l->storage[a->buffer].made.space == LT_SPACE_ARRAY && a->index < 0 && at.known && at.low >= 0
		&& at.high < LT_AT(struct lt_buffer, l->t->buffers, a->buffer)->elems;
}

int32_t lt__lower_read(struct lowering *l, int32_t s, int32_t access)
{
	int32_t buffer = lower_access_at(l, access)->buffer;
	if (l->storage[buffer].is_variable)
		return lt__lower_read_at(l, buffer, (struct lower_address){ -1, 0 }, -1);
	struct lower_address at = lt__lower_locate(l, s, access);
	return lt__lower_read_at(l, buffer, at, l->predicate >= 0 && is_always_there(l, access) ? -1 : any_lane(l));
}

/* Each lane of a vector has its own elements side by side. */
static struct lower_address of_lanes(struct lowering *l, int32_t buffer, struct lower_address at)
{
	if (lower_has_grids(l) && lt__lower_memory(l, buffer) == LOWER_SHARED)
		at.value = lt__lower_add(l, at.value, lt__lower_copy_offset(l, buffer));
	if (!lt__lower_private(l, buffer))
		return at;
	at.value = at.value < 0 ? -1 : lt__lower_times(l, at.value, l->lanes);
	at.number = (int64_t)((uint64_t)at.number * l->lanes);
	if (l->lane >= 0)
		at.value = lt__lower_add(l, at.value, l->lane);
	return at;
}

struct lower_address lt__lower_locate(struct lowering *l, int32_t s, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	struct lower_address at;
	if (lower_has_grids(l) && l->spread[a->buffer]) {
		at.value = lt__lower_address_of(l, lt__lower_spread_row(l, access), &at.number);
		return at;
	}
	if (a->index < 0) {
		at.value = lt__lower_address(l, a->row, &at.number);
		return of_lanes(l, a->buffer, at);
	}
	int32_t index = lt__lower_as(l, lt__lower_read(l, s, a->index), LT_I64), zero = lt__lower_i64(l, 0);
	int32_t bad = lt__build_test(&l->b, LT_OPCODE_less, index, zero);
	for (int32_t i = -1; i < a->n_bound; i++) {
		int32_t extent = i < 0 ? lt__lower_i64(l, a->index_extent)
			: lt__lower_row(l, l->t->bounds[a->first_bound + i]);
		int32_t beyond = lt__build_test(&l->b, LT_OPCODE_greaterequal, index, extent);
		bad = lt__build_value(&l->b, LT_OPCODE_or, LT_LANE_MASK, 1, bad, beyond);
	}
	int32_t any = any_lane(l), faulty = any < 0 ? bad : lt__build_value(&l->b, LT_OPCODE_and, LT_LANE_MASK, 1, bad, any);
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_fault, .operand = { faulty, index, -1, -1 },
		.what = access, .origin = s });
	index = lt__build_select(&l->b, bad, zero, index);
	if (a->index_stride != 1)
		index = lt__build_value(&l->b, LT_OPCODE_mul, LT_I64, 1, index, lt__lower_i64(l, a->index_stride));
	at.value = lt__lower_address(l, a->row, &at.number);
	at.value = at.value < 0 ? index : lt__build_value(&l->b, LT_OPCODE_add, LT_I64, 1, at.value, index);
	return of_lanes(l, a->buffer, at);
}
