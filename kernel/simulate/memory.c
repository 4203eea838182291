/* memory.c -- one element of a buffer: is it inside, is it defined, does another range touch it;
 * which one an address names. */
#include <string.h>
#include "kernel/simulate/part.h"

bool lt__simulate_inside(struct simulation *s, int32_t instruction, int32_t buffer, int64_t element, bool writes)
{
	const struct lt_kernel_buffer *b = &s->k->buffers[buffer];
	const struct simulate_area *a = &s->area[s->area_of[buffer]];
	int64_t bytes = s->element_bytes[buffer];
	if (element < 0 || element >= b->elems) {
		lt__simulate_find(s, LT_SIMULATE_element, instruction, buffer, element,
			"%s element %lld of buffer %s, which has %lld", writes ? "writes" : "reads", (long long)element, b->name,
			(long long)b->elems);
		return false;
	}
	/* Where the check of space is off, parts may lie outside of their memory. */
	return s->base[buffer] >= 0 && s->base[buffer] + (element + 1) * bytes <= a->bytes;
}

void lt__simulate_undefine(struct simulate_area *a)
{
	if (++a->now == 0) {            /* stamps of old times would count again */
		memset(a->stamp, 0, ((size_t)(a->bytes >> a->shift) + 1) * sizeof *a->stamp);
		a->now = 1;
	}
}

/* Two ranges of one launch, one of which writes what the other touches. */
static void race(struct simulation *s, enum lt_simulate_check check, int32_t instruction, int32_t buffer,
	int64_t element, uint32_t other, int32_t other_at)
{
	static const char *const verbs[][2] = { [LT_SIMULATE_write_write] = { "writes", "has written, too" },
		[LT_SIMULATE_write_read] = { "reads", "has written" }, [LT_SIMULATE_read_write] = { "writes", "has read" } };
	char points[64], position[160];
	lt__simulate_range_text(s, other, points, sizeof points);
	lt__simulate_position_text(s, other_at, position, sizeof position);
	lt__simulate_find(s, check, instruction, buffer, element, "%s element %lld of buffer %s, which %s %s (%s)",
		verbs[check][0], (long long)element, s->k->buffers[buffer].name, points, verbs[check][1], position);
}

static void mark_read(
	struct simulation *s, struct simulate_mark *m, int32_t instruction, int32_t buffer, int64_t element)
{
	if (m->writer >= s->range_base && m->writer != s->range_now)
		race(s, LT_SIMULATE_write_read, instruction, buffer, element, m->writer, m->write_at);
	if (m->reader == s->range_now || m->other == s->range_now)
		return;
	if (m->reader < s->range_base) {
		m->reader = s->range_now;
		m->read_at = instruction;
	} else {
		m->other = s->range_now;
		m->other_at = instruction;
	}
}

static void mark_write(
	struct simulation *s, struct simulate_mark *m, int32_t instruction, int32_t buffer, int64_t element)
{
	if (m->writer >= s->range_base && m->writer != s->range_now)
		race(s, LT_SIMULATE_write_write, instruction, buffer, element, m->writer, m->write_at);
	if (m->reader >= s->range_base && m->reader != s->range_now)
		race(s, LT_SIMULATE_read_write, instruction, buffer, element, m->reader, m->read_at);
	else if (m->other >= s->range_base && m->other != s->range_now)
		race(s, LT_SIMULATE_read_write, instruction, buffer, element, m->other, m->other_at);
	m->writer = s->range_now;
	m->write_at = instruction;
}

uint64_t lt__simulate_load(struct simulation *s, int32_t instruction, int32_t buffer, int64_t element, bool *defined)
{
	struct simulate_area *a = &s->area[s->area_of[buffer]];
	int64_t bytes = s->element_bytes[buffer], byte = s->base[buffer] + element * bytes;
	for (int64_t g = byte >> a->shift; a->mark && s->launch && !s->grid && g < (byte + bytes) >> a->shift; g++)
		mark_read(s, &a->mark[g], instruction, buffer, element);
	if (s->grid)
		lt__simulate_shadow_read(s, instruction, buffer, element, s->grid->now);
	return lt__simulate_bits(s, buffer, element, defined);
}

uint64_t lt__simulate_bits(const struct simulation *s, int32_t buffer, int64_t element, bool *defined)
{
	const struct simulate_area *a = &s->area[s->area_of[buffer]];
	uint32_t dtype = s->k->buffers[buffer].dtype;
	int64_t bytes = s->element_bytes[buffer], byte = s->base[buffer] + element * bytes;
	*defined = true;
	for (int64_t g = byte >> a->shift; g < (byte + bytes) >> a->shift; g++)
		*defined = *defined && (!a->stamp || a->stamp[g] == a->now);
	uint64_t b8;
	uint32_t b4;
	uint16_t b2;
	switch (bytes) {
	case 8: memcpy(&b8, a->at + byte, 8); return b8;
	case 4: memcpy(&b4, a->at + byte, 4); return b4;
	case 2: memcpy(&b2, a->at + byte, 2); return b2;
	default: return dtype == LT_BOOL ? a->at[byte] != 0 : a->at[byte];
	}
}

void lt__simulate_store(
	struct simulation *s, int32_t instruction, int32_t buffer, int64_t element, uint64_t bits, bool defined)
{
	struct simulate_area *a = &s->area[s->area_of[buffer]];
	int64_t bytes = s->element_bytes[buffer], byte = s->base[buffer] + element * bytes;
	uint32_t b4 = (uint32_t)bits;
	uint16_t b2 = (uint16_t)bits;
	for (int64_t g = byte >> a->shift; g < (byte + bytes) >> a->shift; g++) {
		if (a->stamp)
			a->stamp[g] = defined ? a->now : 0;
		if (a->mark && s->launch && !s->grid)
			mark_write(s, &a->mark[g], instruction, buffer, element);
	}
	if (s->grid)
		lt__simulate_shadow_write(s, instruction, buffer, element, s->grid->now);
	switch (bytes) {
	case 8: memcpy(a->at + byte, &bits, 8); break;
	case 4: memcpy(a->at + byte, &b4, 4); break;
	case 2: memcpy(a->at + byte, &b2, 2); break;
	default: a->at[byte] = (unsigned char)bits; break;
	}
}

bool lt__simulate_is_defined(const struct simulation *s, int32_t buffer, int64_t element)
{
	const struct simulate_area *a = &s->area[s->area_of[buffer]];
	int64_t bytes = s->element_bytes[buffer], byte = s->base[buffer] + element * bytes;
	for (int64_t g = byte >> a->shift; a->stamp && g < (byte + bytes) >> a->shift; g++)
		if (a->stamp[g] != a->now)
			return false;
	return true;
}

uint64_t lt__simulate_lanes_on(struct simulation *s, int32_t i, int32_t mask, uint32_t lanes)
{
	uint64_t all = simulate_all_lanes(lanes);
	if (mask < 0)
		return all;
	if ((s->defined[mask] & all) != all)
		lt__simulate_find(s, LT_SIMULATE_condition, i, -1, -1, "whether lane %d is on is undefined",
			__builtin_ctzll(all & ~s->defined[mask]));
	return simulate_mask(s, mask) & s->defined[mask] & all;
}

bool lt__simulate_locate(
	struct simulation *s, int32_t i, int32_t buffer, int32_t address, int64_t number, int64_t *element)
{
	if (address >= 0 && !simulate_known(s, address, 0)) {
		lt__simulate_find(s, LT_SIMULATE_address, i, buffer, -1, "an address in buffer %s is undefined",
			s->k->buffers[buffer].name);
		return false;
	}
	*element = address < 0 ? 0 : (int64_t)simulate_lane(s, address, 0);
	if (!__builtin_add_overflow(*element, number, element))
		return true;
	lt__simulate_find(s, LT_SIMULATE_element, i, buffer, -1, "an address in buffer %s exceeds 63 bits",
		s->k->buffers[buffer].name);
	return false;
}
