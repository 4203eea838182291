/* unused.c -- step 'U': what nothing uses is removed: values, variables that nothing gets, memory of the
 * program's own that nothing loads, blocks that are empty, and what is stored there (lt__needed).  Prefetches stay.
 */
#include "kernel/form/form.h"
#include "kernel/step/step.h"

/* Buffers and variables that no needed instruction names; slots stay, they are the caller's. */
static bool *find_dropped(struct lt_stepping *s, const bool *needed, bool variables)
{
	const struct lt_kernel *k = s->k;
	const enum lt_opcode_names kind = variables ? LT_NAMES_VARIABLE : LT_NAMES_BUFFER;
	const enum lt_extra_kind extra = variables ? LT_EXTRA_VARIABLE : LT_EXTRA_BUFFER;
	uint32_t n = variables ? k->n_variable : k->n_buffer;
	bool *drop = lt__pool_alloc(&s->b.pool, (size_t)n + 1, sizeof *drop);
	for (uint32_t i = 0; i < n; i++)
		drop[i] = variables || k->buffers[i].space != LT_SPACE_SLOT;
	for (uint32_t at = 0; at < k->n_instruction; at++) {
		const struct lt_instruction *i = &k->instructions[at];
		if (needed[at] && lt__opcode_names(i->opcode) == kind)
			drop[i->what] = false;
		for (int32_t e = 0; needed[at] && e < i->n_extra; e++)
			if (lt__opcode_extra(i->opcode, e) == extra && k->extras[i->first_extra + e] >= 0)
				drop[k->extras[i->first_extra + e]] = false;
	}
	for (uint32_t c = 0; c < k->n_call && !variables; c++)
		for (int32_t o = 0; o < k->calls[c].n_operand; o++)
			drop[k->calls[c].operands[o].buffer] = false;
	return drop;
}

static void say_dropped(struct lt_stepping *s, const bool *drop)
{
	for (uint32_t i = 0; i < s->k->n_buffer; i++)
		if (drop[i])
			lt__step_decide(s, -1, -1, s->k->buffers[i].origin, "buffer %s is not needed: nothing reads it",
				s->k->buffers[i].name);
}

bool lt__step_unused(struct lt_stepping *s)
{
	const bool *needed = lt__needed(s->k, &s->b.pool, LT_NEEDED_PREFETCHES | LT_NEEDED_MEMBERS);
	const bool *buffers = find_dropped(s, needed, false), *variables = find_dropped(s, needed, true);
	say_dropped(s, buffers);
	bool changed = false;
	lt__rewrite_begin(s, buffers, variables);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			if (needed[at])
				(void)lt__rewrite_copy(s, at);
			changed = changed || !needed[at];
		}
	}
	for (uint32_t i = 0; i < s->k->n_variable + s->k->n_buffer; i++)
		changed = changed || (i < s->k->n_variable ? variables[i] : buffers[i - s->k->n_variable]);
	return changed;
}
