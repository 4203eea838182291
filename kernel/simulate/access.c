/* access.c -- loads and stores: where each lane goes, and what a thread of a grid asks memory for. */
#include "kernel/simulate/part.h"

/* Which element each lane names; false: it is undefined or beyond 63 bits, and was reported. */
static bool locate(struct simulation *s, int32_t i, uint32_t lane, int64_t *element)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int64_t more = 0;
	bool known = x->operand[1] < 0 || simulate_known(s, x->operand[1], lane);
	if (!known || (x->operand[0] >= 0 && !simulate_known(s, x->operand[0], 0))) {
		lt__simulate_find(s, LT_SIMULATE_address, i, x->what, -1, "an address in buffer %s is undefined (lane %u)",
			s->k->buffers[x->what].name, (unsigned)lane);
		return false;
	}
	*element = x->operand[0] < 0 ? 0 : (int64_t)simulate_lane(s, x->operand[0], 0);
	bool fits = !__builtin_add_overflow(*element, x->number, element);
	if (x->operand[1] >= 0)
		more = (int64_t)simulate_lane(s, x->operand[1], lane);
	else
		fits = fits && !__builtin_mul_overflow((int64_t)lane, x->stride, &more);
	if (fits && !__builtin_add_overflow(*element, more, element))
		return true;
	lt__simulate_find(s, LT_SIMULATE_element, i, x->what, -1, "an address in buffer %s exceeds 63 bits (lane %u)",
		s->k->buffers[x->what].name, (unsigned)lane);
	return false;
}

/* Lanes that lie side by side are one access of a thread of a grid, for each 16 bytes; others are one each. */
static bool side_by_side(const struct simulation *s, const struct lt_instruction *x)
{
	return s->grid && x->operand[1] < 0 && x->stride == 1 && s->k->buffers[x->what].space != LT_SPACE_ARRAY;
}

/* Lanes that are off count, too: one access of all of them has to be possible. */
static void check_wide(struct simulation *s, int32_t i, uint32_t lanes)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int64_t bytes = s->element_bytes[x->what], all = lanes * bytes, unit = all & -all, element;
	unit = unit > 16 ? 16 : unit;
	if (lanes > 1 && locate(s, i, 0, &element) && (s->base[x->what] + element * bytes) % unit)
		lt__simulate_find(s, LT_SIMULATE_wide, i, x->what, element,
			"accesses %lld bytes side by side from element %lld of buffer %s on, which is no multiple of %lld bytes",
			(long long)all, (long long)element, s->k->buffers[x->what].name, (long long)unit);
}

/* What a load or a store of the lanes that are on asks memory for. */
static void log_access(struct simulation *s, int32_t i, uint32_t lanes, uint64_t on)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint32_t piece = (uint32_t)(16 / s->element_bytes[x->what]);
	int64_t element;
	bool aside = side_by_side(s, x), whole = aside && on == simulate_all_lanes(lanes);
	if (!s->grid || s->k->buffers[x->what].space == LT_SPACE_ARRAY || s->status)
		return;
	if (aside && on)
		check_wide(s, i, lanes);
	for (uint32_t lane = 0; lane < lanes; lane += whole ? piece : 1)
		if ((on >> lane & 1) && locate(s, i, lane, &element))
			lt__simulate_log(s, i, (int32_t)lane, x->what, element,
				!whole ? 1 : lanes - lane < piece ? (int64_t)(lanes - lane) : (int64_t)piece);
}

void lt__simulate_load_lanes(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint64_t on = lt__simulate_lanes_on(s, i, x->operand[2], x->lanes);
	int64_t element;
	for (uint32_t lane = 0; lane < x->lanes; lane++) {
		uint64_t bits = 0;
		bool defined = !(on >> lane & 1);       /* the value of a lane that is off is 0 */
		if (!defined && locate(s, i, lane, &element) && lt__simulate_inside(s, i, x->what, element, false))
			bits = lt__simulate_load(s, i, x->what, element, &defined);
		simulate_give(s, i, lane, bits, defined);
	}
	log_access(s, i, x->lanes, on);
	if (s->count)
		s->count->lanes[i] += __builtin_popcountll(on);
}

void lt__simulate_store_lanes(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	const struct lt_kernel_buffer *b = &s->k->buffers[x->what];
	uint32_t lanes = s->k->instructions[x->operand[3]].lanes;
	uint64_t on = lt__simulate_lanes_on(s, i, x->operand[2], lanes);
	int64_t element;
	for (uint32_t lane = 0; lane < lanes; lane++) {
		if (!(on >> lane & 1) || !locate(s, i, lane, &element) || !lt__simulate_inside(s, i, x->what, element, true))
			continue;
		bool defined = simulate_known(s, x->operand[3], lane);
		if (!b->written)
			lt__simulate_find(s, LT_SIMULATE_written, i, x->what, element,
				"writes element %lld of buffer %s, which nobody is said to write", (long long)element, b->name);
		if (!defined && b->space == LT_SPACE_SLOT)
			lt__simulate_find(s, LT_SIMULATE_stored, i, x->what, element,
				"an undefined value goes to element %lld of buffer %s (lane %u)", (long long)element, b->name,
				(unsigned)lane);
		lt__simulate_store(s, i, x->what, element, simulate_lane(s, x->operand[3], lane), defined);
	}
	log_access(s, i, lanes, on);
	if (s->count)
		s->count->lanes[i] += __builtin_popcountll(on);
}
