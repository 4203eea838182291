/* apart.c -- step 'A': lanes that are two elements apart.
 *
 * A load of n lanes, two elements apart, becomes two loads of n elements side by side, of which a shuffle takes every
 * second one: three instructions in place of n.  Together the two read the elements from the first lane's to the last
 * one's, and nothing beyond.  Where lanes may be off, and where somebody may write the elements in between, masks turn
 * off all that the load did not read.
 */
#include "kernel/build/build.h"
#include "kernel/step/step.h"

enum { FEWEST = 4 };    /* lanes below which elements are as good */

/* Bits of the elements of the lower or the upper load that lanes are taken from. */
static uint64_t taken(uint32_t lanes, int half)
{
	uint64_t bits = 0;
	for (uint32_t i = (uint32_t)half; i < lanes; i += 2)
		bits |= UINT64_C(1) << i;
	return bits;
}

/* The lane that element e of a load belongs to: the upper load begins with the last element of the lower one. */
static uint32_t lane_of(uint32_t lanes, int half, uint32_t e) { return half ? (e + lanes - 1) / 2 : e / 2; }

static int32_t shuffled(struct lt_stepping *s, struct lt_instruction i, int32_t x, int32_t y, const int64_t *from)
{
	return lt__build(&s->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle, .dtype = i.dtype, .lanes = i.lanes,
		.operand = { x, y, -1, -1 }, .what = -1, .origin = i.origin,
		.first_extra = lt__build_extras(&s->b, from, (int32_t)i.lanes), .n_extra = (int32_t)i.lanes });
}

/* The mask of one of the two loads, of that of the lanes: a value of s->b. */
static int32_t half_mask(struct lt_stepping *s, int32_t mask, int half)
{
	const struct lt_instruction m = *lt__build_at(&s->b, mask);
	const int32_t some = m.opcode == LT_OPCODE_const || m.opcode == LT_OPCODE_and ? -1
		: lt__rewrite_const(s, LT_LANE_MASK, m.lanes, m.opcode == LT_OPCODE_splat ? taken(m.lanes, half) : 0);
	int64_t from[LT_MAX_LANES];
	uint64_t bits = 0;
	if (m.opcode == LT_OPCODE_and)
		return lt__build_value(&s->b, LT_OPCODE_and, LT_LANE_MASK, m.lanes, half_mask(s, m.operand[0], half),
			half_mask(s, m.operand[1], half));
	if (m.opcode == LT_OPCODE_splat)
		return lt__build_value(&s->b, LT_OPCODE_and, LT_LANE_MASK, m.lanes, mask, some);
	for (uint32_t e = 0; e < m.lanes; e++) {
		const uint64_t one = taken(m.lanes, half) >> e & 1;
		from[e] = one ? lane_of(m.lanes, half, e) : m.lanes;
		bits |= (one & (uint64_t)m.number >> lane_of(m.lanes, half, e)) << e;
	}
	return m.opcode == LT_OPCODE_const ? lt__rewrite_const(s, LT_LANE_MASK, m.lanes, bits)
		: shuffled(s, m, mask, some, from);
}

static bool is_apart(const struct lt_stepping *s, const struct lt_instruction *i)
{
	if (i->opcode != LT_OPCODE_load || i->stride != 2 || i->operand[1] >= 0 || i->lanes < FEWEST)
		return false;
	const bool whole = i->operand[2] < 0 && !s->k->buffers[i->what].written;
	return (i->lanes & (i->lanes - 1)) == 0 && i->lanes <= s->machine->tile_lanes && (whole || s->machine->masked)
		&& i->number <= INT64_MAX - i->lanes;
}

static void add_halves(struct lt_stepping *s, int32_t at)
{
	struct lt_instruction i = lt__rewrite_mapped(s, at);
	const int64_t number = i.number;
	const int32_t mask = i.operand[2];
	int32_t half[2];
	int64_t from[LT_MAX_LANES];
	i.stride = 1;
	for (int h = 0; h < 2; h++) {
		if (mask >= 0)
			i.operand[2] = half_mask(s, mask, h);
		else if (s->k->buffers[s->k->instructions[at].what].written)
			i.operand[2] = lt__rewrite_const(s, LT_LANE_MASK, i.lanes, taken(i.lanes, h));
		i.number = number + (h ? (int64_t)i.lanes - 1 : 0);
		half[h] = lt__build(&s->b, i);
	}
	for (uint32_t e = 0; e < i.lanes; e++)
		from[e] = e < i.lanes / 2 ? 2 * e : 2 * e + 1;
	s->to[at] = shuffled(s, i, half[0], half[1], from);
}

bool lt__step_apart(struct lt_stepping *s)
{
	bool any = false;
	for (uint32_t at = 0; at < s->k->n_instruction; at++)
		any = any || is_apart(s, &s->k->instructions[at]);
	if (!any)
		return false;
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			const struct lt_instruction *i = &s->k->instructions[at];
			if (!is_apart(s, i)) {
				(void)lt__rewrite_copy(s, at);
				continue;
			}
			s->b.origin = i->origin;
			lt__step_decide(s, -1, i->origin, s->k->buffers[i->what].origin,
				"lanes of %s are two elements apart: they are chosen from two loads side by side", s->k->buffers[i->what].name);
			add_halves(s, at);
		}
	}
	return true;
}
