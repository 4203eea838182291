/* access.c -- accesses in a vector: what the lanes name, reading and writing it. */
#include "kernel/lower/lowering.h"

/* Whether all lanes read one index, and indices of indices are so, too. */
static bool index_is_shared(const struct lowering *l, int32_t access)
{
	for (int32_t i = access; i >= 0; i = lower_access_at(l, i)->index) {
		const struct lt_access *a = lower_access_at(l, i);
		int64_t stride;
		if (!lt__lower_stride(l, a->row, &stride) || stride || lt__lower_private(l, a->buffer))
			return false;
	}
	return true;
}

static bool bounds_are_shared(const struct lowering *l, const struct lt_access *a)
{
	int64_t stride;
	for (int32_t b = 0; b < a->n_bound; b++)
		if (!lt__lower_stride(l, l->t->bounds[a->first_bound + b], &stride) || stride)
			return false;
	return true;
}

struct lower_where lt__lower_where(const struct lowering *l, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	struct lower_where w = { LOWER_ANYWHERE, 0 };
	if (!lt__lower_stride(l, a->row, &w.stride) || !index_is_shared(l, a->index) || !bounds_are_shared(l, a))
		return w;
	if (lt__lower_private(l, a->buffer))
		w.kind = w.stride == 0 ? LOWER_PRIVATE : LOWER_ANYWHERE;
	else if (w.stride == 0)
		w.kind = LOWER_ONE;
	else if (!l->storage[a->buffer].is_variable)      /* else a guard keeps all lanes but one away */
		w.kind = LOWER_STEPS;
	return w;
}

bool lt__lower_is_wide(const struct lowering *l, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	if (lt__lower_where(l, access).kind != LOWER_ANYWHERE)
		return true;
	if (!l->machine.gathered || lt__lower_private(l, a->buffer) || l->storage[a->buffer].is_variable
		|| !bounds_are_shared(l, a))
		return false;
	return a->index < 0 || lt__lower_is_wide(l, a->index);
}

/* The lanes' own elements: an index for each. */
static int32_t index_of_lanes(struct lowering *l, int32_t s, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	if (a->index < 0)
		return lt__lower_row_of_lanes(l, a->row);
	int32_t index = lt__lower_spread(l, lt__lower_as(l, lt__lower_load(l, s, a->index), LT_I64));
	int32_t zero = lt__lower_spread(l, lt__lower_i64(l, 0)), bad = lt__build_test(&l->b, LT_OPCODE_less, index, zero);
	for (int32_t i = -1; i < a->n_bound; i++) {
		int32_t extent = lt__lower_spread(l, i < 0 ? lt__lower_i64(l, a->index_extent)
			: lt__lower_row(l, l->t->bounds[a->first_bound + i]));
		bad = lt__build_value(&l->b, LT_OPCODE_or, LT_LANE_MASK, l->lanes, bad,
			lt__build_test(&l->b, LT_OPCODE_greaterequal, index, extent));
	}
	int32_t faulty = l->mask < 0 ? bad : lt__build_value(&l->b, LT_OPCODE_and, LT_LANE_MASK, l->lanes, bad, l->mask);
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_fault, .operand = { faulty, index, -1, -1 },
		.what = access, .origin = s });
	index = lt__build_select(&l->b, bad, zero, index);
	if (a->index_stride != 1)
		index = lt__build_value(&l->b, LT_OPCODE_mul, LT_I64, l->lanes, index,
			lt__lower_spread(l, lt__lower_i64(l, a->index_stride)));
	return lt__build_value(&l->b, LT_OPCODE_add, LT_I64, l->lanes, index, lt__lower_row_of_lanes(l, a->row));
}

static struct lt_instruction access_lanes(int32_t buffer, struct lower_address at)
{
	return (struct lt_instruction){ .operand = { at.value, -1, -1, -1 }, .what = buffer, .number = at.number,
		.stride = 1 };
}

/* The lanes of a vector in the other order. */
static int32_t reversed(struct lowering *l, int32_t x)
{
	int64_t lane[LT_MAX_LANES];
	const struct lt_instruction *i = lt__build_at(&l->b, x);
	for (uint32_t k = 0; k < l->lanes; k++)
		lane[k] = l->lanes - 1 - k;
	return lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle, .dtype = i->dtype, .lanes = l->lanes,
		.operand = { x, x, -1, -1 }, .what = -1, .origin = l->b.origin,
		.first_extra = lt__build_extras(&l->b, lane, (int32_t)l->lanes), .n_extra = (int32_t)l->lanes });
}

int32_t lt__lower_load(struct lowering *l, int32_t s, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	struct lower_where w = lt__lower_where(l, access);
	if (w.kind == LOWER_ONE || (w.kind == LOWER_PRIVATE && l->storage[a->buffer].is_variable))
		return lt__lower_read(l, s, access);
	struct lt_instruction i = access_lanes(lt__lower_location(l, a->buffer), (struct lower_address){ -1, 0 });
	i.dtype = (uint8_t)lower_dtype_of(l, a->buffer);
	i.lanes = l->lanes;
	i.operand[2] = l->mask;
	if (w.kind == LOWER_ANYWHERE || (w.kind == LOWER_STEPS && w.stride != 1))
		lt__lower_say_access(l, s, access, w.kind == LOWER_ANYWHERE, w.stride);
	if (w.kind == LOWER_ANYWHERE) {
		i.operand[1] = index_of_lanes(l, s, access);
		return lt__lower_build_load(l, i);
	}
	struct lower_address at = lt__lower_locate(l, s, access);
	bool back = w.stride == -1 && l->mask < 0;
	i.operand[0] = at.value;
	i.number = at.number - (back ? (int64_t)l->lanes - 1 : 0);
	if (w.kind == LOWER_PRIVATE) {
		i.operand[2] = -1;
		return lt__lower_build_load(l, i);
	}
	i.stride = back ? 1 : w.stride;
	int32_t x = lt__lower_build_load(l, i);
	return back ? reversed(l, x) : x;
}

/* Lanes that are off because the loop ends before them never come back: what they have of their own may be anything. */
static void store_private(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_access *a = lower_access_at(l, lower_stmt_at(l, s)->dest);
	int32_t mask = l->guarded ? l->mask : -1, what = lt__lower_location(l, a->buffer);
	if (l->storage[a->buffer].is_variable) {
		lt__build_set(&l->b, what, mask < 0 ? value : lt__build_select(&l->b, mask, value, lt__build_get(&l->b, what)));
		return;
	}
	struct lt_instruction i = access_lanes(what, lt__lower_locate(l, s, lower_stmt_at(l, s)->dest));
	i.operand[2] = mask;
	i.operand[3] = value;
	lt__lower_build_store(l, i);
}

/* To where the statement writes; its lanes are all of those that are on. */
void lt__lower_store(struct lowering *l, int32_t s, int32_t value)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	const struct lt_access *a = lower_access_at(l, st->dest);
	struct lower_where w = lt__lower_where(l, st->dest);
	value = lt__lower_spread(l, value);
	if (w.kind == LOWER_PRIVATE) {
		store_private(l, s, value);
		return;
	}
	struct lt_instruction i = access_lanes(lt__lower_location(l, a->buffer), lt__lower_locate(l, s, st->dest));
	bool back = w.stride == -1 && l->mask < 0;
	if (w.stride != 1)
		lt__lower_say_access(l, s, st->dest, false, w.stride);
	i.operand[2] = l->mask;
	i.operand[3] = back ? reversed(l, value) : value;
	i.number -= back ? (int64_t)l->lanes - 1 : 0;
	i.stride = back ? 1 : w.stride;
	if (st->stream && st->kind == LT_MAP && lower_buffer_at(l, a->buffer)->role != LT_LOCAL && i.stride == 1
		&& l->mask < 0)
		i.flags = LT_INSTRUCTION_STREAM;
	lt__lower_build_store(l, i);
}
