/* guards.c -- step 'G': branches beside each other with the same condition are one.
 *
 * The copies of an unrolled body have each their guard; where the guard does not tell them apart, what is guarded is
 * one run of instructions, whose accesses step 'W' can join.  What stands between two such branches moves in front of
 * the first: integer arithmetic that follows from its operands alone, and nothing else.
 */
#include "kernel/build/build.h"
#include "kernel/step/step.h"

struct guards_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	int32_t *next;                  /* by `if`: the one beside it with the same condition; -1 */
	int32_t *begun;                 /* by buffer, then by variable: the new block that it last began in */
	int32_t block, n_block;         /* the new block that instructions go to; how many there were */
	bool any;
};

static const struct lt_instruction *guards_at(const struct guards_step *g, int32_t at)
{
	return &g->k->instructions[at];
}

/* Where the `if` is at its end; *middle: its else, or that end. */
static int32_t end_of_if(const struct guards_step *g, int32_t at, int32_t *middle)
{
	*middle = guards_at(g, at)->what;
	return guards_at(g, *middle)->opcode == LT_OPCODE_else ? guards_at(g, *middle)->what : *middle;
}

/* Whether it may be computed before a branch that it stands behind. */
static bool is_free(const struct guards_step *g, int32_t at)
{
	const struct lt_instruction *i = guards_at(g, at);
	int64_t y;
	switch (i->opcode) {
	case LT_OPCODE_const:
	case LT_OPCODE_param:
	case LT_OPCODE_argument:
	case LT_OPCODE_block:
	case LT_OPCODE_thread:
	case LT_OPCODE_add:
	case LT_OPCODE_sub:
	case LT_OPCODE_mul:
	case LT_OPCODE_div:
	case LT_OPCODE_mod:
	case LT_OPCODE_min:
	case LT_OPCODE_max:
	case LT_OPCODE_and:
	case LT_OPCODE_or:
	case LT_OPCODE_not:
	case LT_OPCODE_eq:
	case LT_OPCODE_ne:
	case LT_OPCODE_less:
	case LT_OPCODE_lessequal:
	case LT_OPCODE_greater:
	case LT_OPCODE_greaterequal: return i->dtype == LT_I64 || i->dtype == LT_LANE_MASK;
	case LT_OPCODE_quotient:
	case LT_OPCODE_remainder: return lt__step_constant(g->k, i->operand[1], &y);
	default: return false;
	}
}

/* A `get` is the variable's name, which may change in the branch. */
static bool uses_get(const struct guards_step *g, int32_t at)
{
	for (int o = 0; o < 4; o++) {
		int32_t x = guards_at(g, at)->operand[o];
		if (x >= 0 && guards_at(g, x)->opcode == LT_OPCODE_get)
			return true;
	}
	return false;
}

/* The `if` behind that one with its condition, and an else as that one has; -1. */
static int32_t beside(const struct guards_step *g, int32_t at, int32_t end)
{
	int32_t middle, other, last = end_of_if(g, at, &middle), next = last + 1;
	while (next < end && is_free(g, next) && !uses_get(g, next))
		next++;
	if (next >= end || guards_at(g, next)->opcode != LT_OPCODE_if
		|| guards_at(g, next)->operand[0] != guards_at(g, at)->operand[0])
		return -1;
	int32_t next_end = end_of_if(g, next, &other);
	return (middle == last) == (other == next_end) ? next : -1;
}

static void copy_range(struct guards_step *g, int32_t from, int32_t end);

static int32_t enter_block(struct guards_step *g)
{
	int32_t was = g->block;
	g->block = ++g->n_block;
	return was;
}

/* Of each branch of the list the part before its else, or behind that. */
static void copy_parts(struct guards_step *g, int32_t at, bool behind)
{
	for (; at >= 0; at = g->next[at]) {
		int32_t middle, last = end_of_if(g, at, &middle);
		copy_range(g, behind ? middle + 1 : at + 1, behind ? last : middle);
	}
}

/* A list of branches as one, and behind what stood between them; what comes after it. */
static int32_t copy_joined(struct guards_step *g, int32_t at)
{
	int32_t last = at, middle, end = end_of_if(g, at, &middle);
	bool has_else = middle != end;
	for (int32_t x = at; g->next[x] >= 0; x = g->next[x]) {
		last = g->next[x];
		for (int32_t i = end + 1; i < last; i++)
			(void)lt__rewrite_copy(g->s, i);
		end = end_of_if(g, last, &middle);
	}
	(void)lt__rewrite_copy(g->s, at);
	int32_t was = enter_block(g);
	copy_parts(g, at, false);
	if (has_else) {
		(void)enter_block(g);
		g->s->b.origin = guards_at(g, middle)->origin;
		lt__build_else(&g->s->b);
		copy_parts(g, at, true);
	}
	g->s->b.origin = guards_at(g, end)->origin;
	lt__build_end(&g->s->b);
	g->block = was;
	return end + 1;
}

/* What began in two branches begins once in the one that they are now. */
static bool has_begun(struct guards_step *g, const struct lt_instruction *i)
{
	if (i->opcode != LT_OPCODE_array && i->opcode != LT_OPCODE_variable)
		return false;
	int32_t *begun = &g->begun[i->what + (i->opcode == LT_OPCODE_variable ? (int32_t)g->k->n_buffer : 0)];
	bool was = *begun == g->block;
	*begun = g->block;
	return was;
}

static int32_t copy_loop(struct guards_step *g, int32_t at)
{
	int32_t end = guards_at(g, at)->what, was = enter_block(g);
	(void)lt__rewrite_copy(g->s, at);
	copy_range(g, at + 1, end);
	(void)lt__rewrite_copy(g->s, end);
	g->block = was;
	return end + 1;
}

static void copy_range(struct guards_step *g, int32_t from, int32_t end)
{
	for (int32_t at = from; at < end; ) {
		if (guards_at(g, at)->opcode == LT_OPCODE_if)
			at = copy_joined(g, at);
		else if (guards_at(g, at)->opcode == LT_OPCODE_loop)
			at = copy_loop(g, at);
		else if (has_begun(g, guards_at(g, at)))
			at++;
		else
			(void)lt__rewrite_copy(g->s, at++);
	}
}

bool lt__step_guards(struct lt_stepping *s)
{
	struct guards_step g = { .s = s, .k = s->k };
	const size_t n = (size_t)s->k->n_instruction + 1;
	g.next = lt__pool_alloc(&s->b.pool, n, sizeof *g.next);
	g.begun = lt__pool_alloc(&s->b.pool, (size_t)s->k->n_buffer + s->k->n_variable + 1, sizeof *g.begun);
	g.block = g.n_block = 1;
	for (size_t i = 0; i < n; i++)
		g.next[i] = -1;
	for (uint32_t r = 0; r < s->k->n_region; r++) {
		const int32_t first = s->k->regions[r].first, end = first + s->k->regions[r].n;
		for (int32_t at = first; at < end && s->k->regions[r].kind == LT_REGION_GRID; at++)
			if (guards_at(&g, at)->opcode == LT_OPCODE_if) {
				g.next[at] = beside(&g, at, end);
				g.any = g.any || g.next[at] >= 0;
			}
	}
	if (!g.any)
		return false;
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		(void)enter_block(&g);
		copy_range(&g, s->k->regions[r].first, s->k->regions[r].first + s->k->regions[r].n);
	}
	return true;
}
