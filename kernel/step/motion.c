/* motion.c -- step 'M': divisions and splats move out of loops in which they give the same each time.
 *
 * They go in front of the outermost loop that changes nothing of what they are made of, and the integer arithmetic that
 * they need goes with them; other arithmetic stays where it is, a C compiler moves it as far as registers last.  Loads
 * do not move: between a store that may change them and one that does not there is nothing to be gained.
 *
 * What moves runs also where the loop does not run, and where an `if` in it would have left it out: so a quotient or a
 * remainder moves only if its divisor is a constant.
 *
 * In a grid all such integer arithmetic moves: addresses are made of numbers of blocks and threads first (lower/row.c),
 * and that part is the same in each iteration.
 */
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/step/step.h"

struct motion_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	int32_t *block;                 /* lt__step_blocks */
	int32_t *depth;                 /* by instruction: blocks around it */
	int32_t *needs;                 /* by value: how many of these blocks it needs */
	int32_t *target;                /* by value: the loop that it could go in front of; -1: it stays */
	bool *moves, *is_grid;          /* is_grid: it stands in one */
	int32_t *first, *next;          /* what goes in front of an instruction, in order: a list */
	int32_t *last;
};

/* Whether the value follows from its operands alone, for any of them. */
static bool is_movable(const struct motion_step *m, const struct lt_instruction *i)
{
	int64_t y;
	switch (i->opcode) {
	case LT_OPCODE_const:
	case LT_OPCODE_param:
	case LT_OPCODE_argument:
	case LT_OPCODE_first:
	case LT_OPCODE_last:
	case LT_OPCODE_lane:
	case LT_OPCODE_block:
	case LT_OPCODE_thread:
	case LT_OPCODE_subgroup:
	case LT_OPCODE_member:
	case LT_OPCODE_splat:
	case LT_OPCODE_div:
	case LT_OPCODE_mod: return true;
	case LT_OPCODE_quotient:
	case LT_OPCODE_remainder: return i->operand[1] >= 0 && lt__step_constant(m->k, i->operand[1], &y);
	case LT_OPCODE_add:
	case LT_OPCODE_sub:
	case LT_OPCODE_mul:
	case LT_OPCODE_min:
	case LT_OPCODE_max:
	case LT_OPCODE_neg: return lt__number_is_whole(i->dtype);
	default: return false;
	}
}

/* In a grid each thread has a part of its addresses to itself, which no compiler has to find. */
static bool is_worth(const struct motion_step *m, int32_t at)
{
	const struct lt_instruction *i = &m->k->instructions[at];
	if (m->is_grid[at] && i->opcode != LT_OPCODE_const)
		return true;
	return i->opcode == LT_OPCODE_splat || i->opcode == LT_OPCODE_div || i->opcode == LT_OPCODE_mod
		|| i->opcode == LT_OPCODE_quotient || i->opcode == LT_OPCODE_remainder;
}

/* The outermost loop around an instruction that is more than `needs` blocks deep; -1: none. */
static int32_t outermost_loop(const struct motion_step *m, int32_t at, int32_t needs)
{
	int32_t loop = -1;
	for (int32_t b = m->block[at]; b >= 0 && m->depth[b] >= needs; b = m->block[b])
		if (m->k->instructions[b].opcode == LT_OPCODE_loop)
			loop = b;
	return loop;
}

/* An operand's value needs the blocks around it: a `get` and what else does not move, all that it is in; a loop's value
 * its loop. */
static void find_needs(struct motion_step *m)
{
	for (int32_t at = 0; at < (int32_t)m->k->n_instruction; at++) {
		const struct lt_instruction *i = &m->k->instructions[at];
		m->depth[at] = m->block[at] < 0 ? 0 : m->depth[m->block[at]] + 1;
		m->target[at] = -1;
		m->needs[at] = m->depth[at] + (i->opcode == LT_OPCODE_loop);
		if (!is_movable(m, i))
			continue;
		int32_t needs = 0;
		for (int k = 0; k < 4; k++)
			if (i->operand[k] >= 0 && m->needs[i->operand[k]] > needs)
				needs = m->needs[i->operand[k]];
		m->needs[at] = needs;
		m->target[at] = outermost_loop(m, at, needs);
	}
}

/* Backwards, so that what a value needs moves with it: an operand stays where the value goes anyway if it is made in
 * front of that loop. */
static bool choose_moves(struct motion_step *m)
{
	bool any = false;
	for (int32_t at = (int32_t)m->k->n_instruction; at-- > 0; ) {
		const struct lt_instruction *i = &m->k->instructions[at];
		m->moves[at] = m->target[at] >= 0 && (m->moves[at] || is_worth(m, at));
		if (!m->moves[at])
			continue;
		any = any || is_worth(m, at);
		for (int k = 0; k < 4; k++)
			if (i->operand[k] >= 0)
				m->moves[i->operand[k]] = m->moves[i->operand[k]] || i->operand[k] > m->target[at];
	}
	return any;
}

static void say_moved(struct motion_step *m, int32_t at)
{
	const struct lt_instruction *i = &m->k->instructions[at];
	if (i->opcode == LT_OPCODE_div || i->opcode == LT_OPCODE_mod || i->opcode == LT_OPCODE_quotient
		|| i->opcode == LT_OPCODE_remainder)
		lt__step_decide(m->s, m->k->instructions[m->target[at]].origin, i->origin, -1,
			"'%s' is the same in each iteration: it is computed in front of the loop", lt_opcode_name(i->opcode));
}

/* Why a division stays in a loop that does not change it. */
static void say_kept(struct motion_step *m, int32_t at)
{
	const struct lt_instruction *i = &m->k->instructions[at];
	if ((i->opcode != LT_OPCODE_quotient && i->opcode != LT_OPCODE_remainder) || m->target[at] >= 0 || is_movable(m, i))
		return;
	int32_t x = m->needs[i->operand[0]], y = m->needs[i->operand[1]], loop = outermost_loop(m, at, x > y ? x : y);
	if (loop >= 0)
		lt__step_decide(m->s, m->k->instructions[loop].origin, i->origin, -1,
			"'%s' stays in the loop: where the loop does not run its divisor may be 0", lt_opcode_name(i->opcode));
}

/* In the order of the program, so that operands come first. */
static void list_moves(struct motion_step *m)
{
	for (int32_t at = 0; at < (int32_t)m->k->n_instruction; at++) {
		if (!m->moves[at]) {
			say_kept(m, at);
			continue;
		}
		int32_t to = m->target[at];
		say_moved(m, at);
		if (m->first[to] < 0)
			m->first[to] = at;
		else
			m->next[m->last[to]] = at;
		m->last[to] = at;
		m->next[at] = -1;
	}
}

bool lt__step_motion(struct lt_stepping *s)
{
	struct motion_step m = { .s = s, .k = s->k };
	const int32_t n = (int32_t)s->k->n_instruction;
	int32_t **lists[] = { &m.depth, &m.needs, &m.target, &m.first, &m.next, &m.last };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		*lists[i] = lt__pool_alloc(&s->b.pool, (size_t)n + 1, sizeof **lists[i]);
	m.moves = lt__pool_alloc(&s->b.pool, (size_t)n + 1, sizeof *m.moves);
	m.is_grid = lt__pool_alloc(&s->b.pool, (size_t)n + 1, sizeof *m.is_grid);
	for (uint32_t r = 0; r < s->k->n_region; r++)
		if (s->k->regions[r].kind == LT_REGION_GRID)
			memset(m.is_grid + s->k->regions[r].first, 1, (size_t)s->k->regions[r].n);
	m.block = lt__step_blocks(s);
	for (int32_t at = 0; at < n; at++)
		m.first[at] = -1;
	find_needs(&m);
	bool any = choose_moves(&m);
	list_moves(&m);
	if (!any)
		return false;
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			for (int32_t moved = m.first[at]; moved >= 0; moved = m.next[moved])
				(void)lt__rewrite_copy(s, moved);
			if (!m.moves[at])
				(void)lt__rewrite_copy(s, at);
		}
	}
	return true;
}
