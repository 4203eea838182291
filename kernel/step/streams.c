/* streams.c -- step 'S': which of the stores that a tree marks may go past the caches; the others lose the mark.
 *
 * A tree says of a statement that what it writes is not read again soon; lowering marks its stores.  The mark stays
 * where the machine has such a store and what it writes is not read here, nor written by another region, whose threads
 * may come before it is there: whole vectors of one of its sizes, side by side, no lane off, to memory of the caller's.
 */
#include <inttypes.h>
#include "kernel/step/address.h"
#include "kernel/form/form.h"

/* Who accesses a buffer: whether something loads what it holds, and in which regions it is loaded or stored; -1: in
 * none, SEVERAL: in several. */
enum { SEVERAL = -2 };
struct stream_buffer { bool read; int32_t region; };

/* Why the store goes the usual way; NULL: it does not. */
static const char *why_cached(
	const struct lt_stepping *s, const struct lt_instruction *i, const struct stream_buffer *uses)
{
	const struct lt_kernel_buffer *b = &s->k->buffers[i->what];
	uint32_t bytes = lt__instruction_type(s->k, i).lanes * lt__kernel_element_bytes(b->dtype);
	if (b->space != LT_SPACE_SLOT)
		return "it is memory of the kernel's own";
	if (i->operand[1] >= 0 || i->operand[2] >= 0 || (i->stride != 1 && bytes != lt__kernel_element_bytes(b->dtype)))
		return "lanes are off, or not side by side";
	if (bytes & (bytes - 1) || !(s->machine->stream_bytes & bytes))
		return "the machine has no such store of as many bytes";
	return uses[i->what].read ? "it is read here, too"
		: uses[i->what].region == SEVERAL ? "another region writes it, too" : NULL;
}

static void stream_join(struct stream_buffer *x, bool read, int32_t region)
{
	x->read = x->read || read;
	x->region = x->region == -1 || x->region == region ? region : SEVERAL;
}

/* By buffer; those that may share bytes count as one. */
static struct stream_buffer *find_uses(struct lt_stepping *s)
{
	const struct lt_kernel *k = s->k;
	struct stream_buffer *uses = lt__pool_alloc(&s->b.pool, (size_t)k->n_buffer + 1, sizeof *uses), shared = { false, -1 };
	for (uint32_t b = 0; b < k->n_buffer; b++)
		uses[b].region = -1;
	for (int32_t r = 0; r < (int32_t)k->n_region; r++)
		for (int32_t at = k->regions[r].first; at < k->regions[r].first + k->regions[r].n; at++) {
			const struct lt_instruction *i = &k->instructions[at];
			if (i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_store)
				stream_join(k->buffers[i->what].exclusive ? &uses[i->what] : &shared, i->opcode == LT_OPCODE_load, r);
		}
	for (uint32_t b = 0; b < k->n_buffer; b++)
		if (!k->buffers[b].exclusive)
			uses[b] = shared;
	return uses;
}

bool lt__step_streams(struct lt_stepping *s)
{
	bool any = false;
	for (uint32_t at = 0; at < s->k->n_instruction; at++)
		any = any || (s->k->instructions[at].opcode == LT_OPCODE_store
			&& s->k->instructions[at].flags & LT_INSTRUCTION_STREAM);
	if (!any)
		return false;
	const struct stream_buffer *uses = find_uses(s);
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
			const char *why = why_cached(s, i, uses);
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
