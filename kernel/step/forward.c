/* forward.c -- step 'F': what a variable was given is used in place of getting it, within a block.
 *
 * A product that a statement leaves in a variable for the sum in the next one is then the sum's operand, which may
 * fuse; the variable is unused, unless it is read elsewhere.  A value that was got from another variable is not handed
 * on: that one may change before it is used.
 */
#include "kernel/build/build.h"
#include "kernel/step/step.h"

/* By variable: the value of b that it was given, while `since` is the present time. */
struct forwarded { int32_t value; int64_t since; };

/* Whether what is known of variables does not hold after the instruction: it may have run in between, or not. */
static bool parts_ways(uint32_t opcode)
{
	return opcode == LT_OPCODE_loop || opcode == LT_OPCODE_else || opcode == LT_OPCODE_end;
}

bool lt__step_forward(struct lt_stepping *s)
{
	struct forwarded *known = lt__pool_alloc(&s->b.pool, (size_t)s->k->n_variable + 1, sizeof *known);
	int64_t now = 1;
	bool changed = false;
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++, now++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			const struct lt_instruction *i = &s->k->instructions[at];
			if (i->opcode == LT_OPCODE_get && known[i->what].since == now) {
				s->b.origin = i->origin;
				s->to[at] = lt__rewrite_hidden(s, known[i->what].value);
				changed = true;
				continue;
			}
			(void)lt__rewrite_copy(s, at);
			now += parts_ways(i->opcode);
			if (i->opcode == LT_OPCODE_variable || i->opcode == LT_OPCODE_update)
				known[i->what].since = 0;
			for (int32_t e = 0; i->opcode == LT_OPCODE_matrix && e < i->n_extra; e++)
				if (lt__opcode_extra(i->opcode, e) == LT_EXTRA_VARIABLE)
					known[s->k->extras[i->first_extra + e]].since = 0;
			if (i->opcode != LT_OPCODE_set)
				continue;
			int32_t value = s->to[i->operand[0]];
			bool got = lt__build_at(&s->b, value)->opcode == LT_OPCODE_get;
			known[i->what] = (struct forwarded){ value, got ? 0 : now };
		}
	}
	return changed;
}
