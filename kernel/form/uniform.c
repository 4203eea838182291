/* uniform.c -- in which threads of a grid a value is the same (form.h).
 *
 * Everything begins as the same in all threads, and is lowered as long as something that it follows from is lower: at
 * most four times each.  A variable is as uniform as what it is set to and whether it is set, anywhere in the region.
 */
#include <string.h>
#include "kernel/form/form.h"

/* What may be lowered has a number: values of instructions, conditions of loops and ifs, variables. */
struct uniform_work {
	const struct lt_kernel *k;
	const struct lt_region *r;      /* of the instruction that is looked at */
	struct lt_uniform u;
	uint8_t *variable;
	int32_t n;                      /* instructions */
	int32_t *first_user, *user;     /* by what may be lowered: instructions that follow from it */
	int32_t *todo, n_todo;
	bool *waits;                    /* an instruction is in todo */
	int32_t *region;                /* by instruction; -1: of no grid */
	struct lt_pool *pool;
};

/* The same by a larger measure where there is just one of the smaller. */
static uint8_t widest_level(const struct lt_region *r, uint8_t level)
{
	int64_t threads = (int64_t)r->threads[0] * r->threads[1] * r->threads[2];
	if (level == LT_UNIFORM_THREAD && r->subgroup == 1)
		level = LT_UNIFORM_SUBGROUP;
	if (level == LT_UNIFORM_SUBGROUP && threads == r->subgroup)
		level = LT_UNIFORM_BLOCK;
	if (level == LT_UNIFORM_FOUR && threads == 4 * (int64_t)r->subgroup)
		level = LT_UNIFORM_BLOCK;
	return level == LT_UNIFORM_BLOCK && r->blocks[0] == 1 && r->blocks[1] == 1 && r->blocks[2] == 1 ? LT_UNIFORM_LAUNCH
		: level;
}

static uint8_t lower_of(uint8_t a, uint8_t b) { return a < b ? a : b; }

static uint8_t level_of(const struct uniform_work *w, int32_t value)
{
	return value < 0 ? LT_UNIFORM_LAUNCH : w->u.value[value];
}

/* Threads are numbered by axis 0 first: a number along an axis changes after so many. */
static uint8_t thread_level(const struct uniform_work *w, int32_t axis)
{
	int64_t together = 1;
	for (int32_t a = 0; a < axis; a++)
		together *= w->r->threads[a];
	if (w->r->threads[axis] == 1)
		return LT_UNIFORM_LAUNCH;
	if (together % (4 * (int64_t)w->r->subgroup) == 0)
		return LT_UNIFORM_FOUR;
	return together % w->r->subgroup == 0 ? LT_UNIFORM_SUBGROUP : LT_UNIFORM_THREAD;
}

static uint8_t operands_level(const struct uniform_work *w, const struct lt_instruction *i)
{
	uint8_t level = LT_UNIFORM_LAUNCH;
	for (int o = 0; o < 4; o++)
		level = lower_of(level, level_of(w, i->operand[o]));
	return level;
}

static uint8_t value_level(const struct uniform_work *w, const struct lt_instruction *i)
{
	uint8_t level = operands_level(w, i);
	switch (i->opcode) {
	case LT_OPCODE_block: return w->r->blocks[i->what] == 1 ? LT_UNIFORM_LAUNCH : LT_UNIFORM_BLOCK;
	case LT_OPCODE_thread: return thread_level(w, i->what);
	case LT_OPCODE_subgroup: return i->what == 4 ? LT_UNIFORM_FOUR : LT_UNIFORM_SUBGROUP;
	case LT_OPCODE_fragment:
	case LT_OPCODE_member: return LT_UNIFORM_THREAD;
	case LT_OPCODE_get: return w->variable[i->what];
	case LT_OPCODE_loop: return level_of(w, i->operand[0]);
	case LT_OPCODE_load:            /* what others write meanwhile would be a race */
		if (w->k->buffers[i->what].space == LT_SPACE_ARRAY)
			return LT_UNIFORM_THREAD;
		return w->k->buffers[i->what].space == LT_SPACE_SHARED ? lower_of(level, LT_UNIFORM_BLOCK) : level;
	case LT_OPCODE_exchange:        /* one member's value is that of all */
		level = level_of(w, i->operand[0]);
		if (i->what == LT_EXCHANGE_INDEX && level_of(w, i->operand[1]) >= LT_UNIFORM_SUBGROUP)
			return level > LT_UNIFORM_SUBGROUP ? level : LT_UNIFORM_SUBGROUP;
		return level >= LT_UNIFORM_SUBGROUP ? level : LT_UNIFORM_THREAD;
	default: return level;
	}
}

static void lower_to(struct uniform_work *w, uint8_t *at, uint8_t level, int32_t what)
{
	level = widest_level(w->r, level);
	if (level >= *at)
		return;
	*at = level;
	for (int32_t e = w->first_user[what]; e < w->first_user[what + 1]; e++)
		if (!w->waits[w->user[e]]) {
			w->waits[w->user[e]] = true;
			w->todo[w->n_todo++] = w->user[e];
		}
}

static void lower_variable(struct uniform_work *w, int32_t variable, uint8_t level)
{
	lower_to(w, &w->variable[variable], level, 2 * w->n + variable);
}

static bool is_block(const struct lt_instruction *x)
{
	return x->opcode == LT_OPCODE_if || x->opcode == LT_OPCODE_loop;
}
static bool is_change(const struct lt_instruction *x)
{
	return x->opcode == LT_OPCODE_set || x->opcode == LT_OPCODE_update;
}

static void evaluate(struct uniform_work *w, int32_t i)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	int32_t block = w->u.block[i];
	uint8_t control = block < 0 ? LT_UNIFORM_LAUNCH : w->u.control[block];
	w->r = &w->k->regions[w->region[i]];
	if (is_block(x))
		lower_to(w, &w->u.control[i], lower_of(control, operands_level(w, x)), w->n + i);
	if (is_change(x))
		lower_variable(w, x->what, lower_of(control, level_of(w, x->operand[0])));
	for (int32_t e = 2 * LT_MATRIX_LOCATION; x->opcode == LT_OPCODE_matrix && e < x->n_extra; e++)
		lower_variable(w, (int32_t)w->k->extras[x->first_extra + e], LT_UNIFORM_THREAD);
	if (x->dtype)
		lower_to(w, &w->u.value[i], value_level(w, x), i);
}

/* What an instruction follows from, up to six; how many. */
static int sources(const struct uniform_work *w, int32_t i, int32_t *from)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	int n = 0;
	for (int o = 0; o < 4; o++)
		if (x->operand[o] >= 0)
			from[n++] = x->operand[o];
	if (x->opcode == LT_OPCODE_get)
		from[n++] = 2 * w->n + x->what;
	if ((is_block(x) || is_change(x)) && w->u.block[i] >= 0)
		from[n++] = w->n + w->u.block[i];
	return n;
}

/* Which block each instruction is in; an else is its if's. */
static void find_blocks(struct uniform_work *w, int32_t region, int32_t *open)
{
	const struct lt_region *r = &w->k->regions[region];
	int32_t n = 0;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = &w->k->instructions[i];
		w->region[i] = r->kind == LT_REGION_GRID ? region : -1;
		n -= x->opcode == LT_OPCODE_end;
		w->u.block[i] = n ? open[n - 1] : -1;
		if (x->opcode == LT_OPCODE_else && n > 1)
			w->u.block[i] = open[n - 2];
		if (is_block(x))
			open[n++] = i;
	}
}

static void find_users(struct uniform_work *w)
{
	size_t n_id = 2 * (size_t)w->n + w->k->n_variable;
	int32_t from[6];
	w->first_user = lt__pool_alloc(w->pool, n_id + 2, sizeof *w->first_user);
	for (int32_t i = 0; i < w->n; i++)
		for (int f = sources(w, i, from); f-- > 0; )
			w->first_user[from[f] + 2]++;
	for (size_t id = 2; id < n_id + 2; id++)
		w->first_user[id] += w->first_user[id - 1];
	w->user = lt__pool_alloc(w->pool, (size_t)w->first_user[n_id + 1] + 1, sizeof *w->user);
	for (int32_t i = 0; i < w->n; i++)
		for (int f = sources(w, i, from); f-- > 0; )
			w->user[w->first_user[from[f] + 1]++] = i;
}

static void *all_uniform(struct lt_pool *pool, size_t n)
{
	return memset(lt__pool_alloc(pool, n + 1, 1), LT_UNIFORM_LAUNCH, n + 1);
}

struct lt_uniform lt__uniform(const struct lt_kernel *k, struct lt_pool *pool)
{
	struct uniform_work w = { .k = k, .pool = pool, .n = (int32_t)k->n_instruction };
	w.u = (struct lt_uniform){ all_uniform(pool, k->n_instruction), all_uniform(pool, k->n_instruction),
		lt__pool_alloc(pool, k->n_instruction, sizeof *w.u.block) };
	w.variable = all_uniform(pool, k->n_variable);
	w.region = lt__pool_alloc(pool, k->n_instruction, sizeof *w.region);
	w.todo = lt__pool_alloc(pool, k->n_instruction, sizeof *w.todo);
	w.waits = lt__pool_alloc(pool, k->n_instruction, sizeof *w.waits);
	int32_t *open = lt__pool_alloc(pool, LT_MAX_BLOCKS, sizeof *open);
	for (int32_t r = 0; r < (int32_t)k->n_region; r++)
		find_blocks(&w, r, open);
	find_users(&w);
	for (int32_t i = w.n; i-- > 0; )
		if (w.region[i] >= 0) {
			w.waits[i] = true;
			w.todo[w.n_todo++] = i;
		}
	while (w.n_todo > 0) {
		int32_t i = w.todo[--w.n_todo];
		w.waits[i] = false;
		evaluate(&w, i);
	}
	return w.u;
}
