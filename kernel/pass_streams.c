/* kernel/pass_streams.c -- step 'S': stores that go past the caches.
 *
 * A tree says of a statement that what it writes is not read again soon; lowering marks its stores.  The mark stays
 * where the machine has such a store and what it writes is not read here: whole vectors of one of its sizes, side by
 * side, no lane off, to memory of the caller's.
 */
#include <inttypes.h>
#include "kernel/address.h"
#include "kernel/opcode.h"

/* Why the store goes the usual way; NULL: it does not. */
static const char *why_cached(const struct lt_stepping *s, const struct lt_instruction *i, const bool *read)
{
	const struct lt_kernel_buffer *b = &s->k->buffers[i->what];
	uint32_t bytes = lt__instruction_type(s->k, i).lanes * lt__kernel_element_bytes(b->dtype);
	if (b->space != LT_SPACE_SLOT)
		return "it is memory of the kernel's own";
	if (i->operand[1] >= 0 || i->operand[2] >= 0 || (i->stride != 1 && bytes != lt__kernel_element_bytes(b->dtype)))
		return "lanes are off, or not side by side";
	if (bytes & (bytes - 1) || !(s->machine->stream_bytes & bytes))
		return "the machine has no such store of as many bytes";
	return read[i->what] ? "it is read here, too" : NULL;
}

/* By buffer: something loads what it holds. */
static bool *find_read(struct lt_stepping *s)
{
	bool *read = lt__pool_alloc(&s->b.pool, (size_t)s->k->n_buffer + 1, sizeof *read), shared = false;
	for (uint32_t at = 0; at < s->k->n_instruction; at++) {
		const struct lt_instruction *i = &s->k->instructions[at];
		if (i->opcode != LT_OPCODE_load)
			continue;
		read[i->what] = true;
		shared = shared || !s->k->buffers[i->what].exclusive;
	}
	for (uint32_t b = 0; b < s->k->n_buffer; b++)
		read[b] = read[b] || (shared && !s->k->buffers[b].exclusive);
	return read;
}

bool lt__step_streams(struct lt_stepping *s)
{
	bool any = false;
	for (uint32_t at = 0; at < s->k->n_instruction; at++)
		any = any || (s->k->instructions[at].opcode == LT_OPCODE_store
			&& s->k->instructions[at].flags & LT_INSTRUCTION_STREAM);
	if (!any)
		return false;
	const bool *read = find_read(s);
	bool changed = false;
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			const struct lt_instruction *i = &s->k->instructions[at];
			(void)lt__rewrite_copy(s, at);
			if (i->opcode != LT_OPCODE_store || !(i->flags & LT_INSTRUCTION_STREAM))
				continue;
			const struct lt_kernel_buffer *b = &s->k->buffers[i->what];
			const char *why = why_cached(s, i, read);
			lt__step_decide(s, -1, i->origin, b->origin, why ? "%s is not stored past the caches: %s"
				: "%s is stored past the caches%s", b->name, why ? why : "");
			if (!why)
				continue;
			s->b.region[r].at[s->to[at]].flags = 0;
			changed = true;
		}
	}
	return changed;
}
