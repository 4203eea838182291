/* kernel/pass_unused.c -- step 'U': what nothing uses is removed: values, variables that nothing gets, memory of the
 * program's own that nothing loads, blocks that are empty, and what is stored there.
 *
 * What counts is what a caller sees: stores to slots, faults, launches; and prefetches, which are wanted.  Everything
 * is needed that has a part in these.
 */
#include "kernel/step.h"

struct unused_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	bool *needed;                   /* by instruction */
	int32_t *block;                 /* lt__step_blocks */
	int32_t *todo, n_todo;          /* needed, and what they need is not marked yet */
	/* Instructions that write a memory or a variable, as lists: next[instruction], first[n_memory + variable]. */
	int32_t *next, *first;
	int32_t n_memory;
	bool *is_read;                  /* by memory, then by variable */
};

/* Buffers that may share bytes are one memory: those of a space that are not exclusive. */
static int32_t memory_of(const struct unused_step *u, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &u->k->buffers[buffer];
	return b->exclusive || b->space == LT_SPACE_ARRAY ? buffer : (int32_t)u->k->n_buffer + (int32_t)b->space;
}

/* The memory or variable that the instruction writes or begins; -1: none. */
static int32_t written_by(const struct unused_step *u, const struct lt_instruction *i)
{
	switch (i->opcode) {
	case LT_OPCODE_store: return u->k->buffers[i->what].space == LT_SPACE_SLOT ? -1 : memory_of(u, i->what);
	case LT_OPCODE_array: return memory_of(u, i->what);
	case LT_OPCODE_set:
	case LT_OPCODE_update:
	case LT_OPCODE_variable: return u->n_memory + i->what;
	default: return -1;
	}
}

static void need(struct unused_step *u, int32_t at)
{
	if (at < 0 || u->needed[at])
		return;
	u->needed[at] = true;
	u->todo[u->n_todo++] = at;
}

static void need_writers(struct unused_step *u, int32_t of)
{
	if (u->is_read[of])
		return;
	u->is_read[of] = true;
	for (int32_t at = u->first[of]; at >= 0; at = u->next[at])
		need(u, at);
}

/* What an instruction has a part in from the outside. */
static bool is_seen(const struct unused_step *u, const struct lt_instruction *i)
{
	return i->opcode == LT_OPCODE_fault || i->opcode == LT_OPCODE_launch || i->opcode == LT_OPCODE_prefetch
		|| (i->opcode == LT_OPCODE_store && u->k->buffers[i->what].space == LT_SPACE_SLOT);
}

static void need_parts(struct unused_step *u, int32_t at)
{
	const struct lt_instruction *i = &u->k->instructions[at];
	for (int32_t n = 0; n < lt__step_uses(i); n++)
		need(u, lt__step_use(u->k, i, n));
	need(u, u->block[at]);
	if (i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_prefetch)
		need_writers(u, memory_of(u, i->what));
	else if (i->opcode == LT_OPCODE_get)
		need_writers(u, u->n_memory + i->what);
	else if (i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_else)
		need(u, i->what);
	else if (i->opcode == LT_OPCODE_if) {
		const struct lt_instruction *middle = &u->k->instructions[i->what];
		need(u, middle->opcode == LT_OPCODE_else ? middle->what : i->what);
	}
}

static void find_writers(struct unused_step *u)
{
	int32_t n = u->n_memory + (int32_t)u->k->n_variable;
	u->first = lt__pool_alloc(&u->s->b.pool, (size_t)n + 1, sizeof *u->first);
	u->is_read = lt__pool_alloc(&u->s->b.pool, (size_t)n + 1, sizeof *u->is_read);
	u->next = lt__pool_alloc(&u->s->b.pool, (size_t)u->k->n_instruction + 1, sizeof *u->next);
	for (int32_t i = 0; i < n; i++)
		u->first[i] = -1;
	for (int32_t at = 0; at < (int32_t)u->k->n_instruction; at++) {
		int32_t of = written_by(u, &u->k->instructions[at]);
		if (of < 0)
			continue;
		u->next[at] = u->first[of];
		u->first[of] = at;
	}
}

/* An else belongs to its if. */
static void need_if(struct unused_step *u, const int32_t *if_of, int32_t at)
{
	if (u->k->instructions[at].opcode == LT_OPCODE_else)
		need(u, if_of[at]);
}

static void find_needed(struct unused_step *u)
{
	int32_t *if_of = lt__pool_alloc(&u->s->b.pool, (size_t)u->k->n_instruction + 1, sizeof *if_of);
	for (int32_t at = 0; at < (int32_t)u->k->n_instruction; at++) {
		const struct lt_instruction *i = &u->k->instructions[at];
		if (i->opcode == LT_OPCODE_if)
			if_of[i->what] = at;
		if (is_seen(u, i))
			need(u, at);
	}
	while (u->n_todo > 0) {
		int32_t at = u->todo[--u->n_todo];
		need_parts(u, at);
		need_if(u, if_of, at);
	}
}

/* Buffers and variables that no needed instruction names; slots stay, they are the caller's. */
static bool *find_dropped(struct unused_step *u, bool variables)
{
	uint32_t n = variables ? u->k->n_variable : u->k->n_buffer;
	bool *drop = lt__pool_alloc(&u->s->b.pool, (size_t)n + 1, sizeof *drop);
	for (uint32_t i = 0; i < n; i++)
		drop[i] = variables || u->k->buffers[i].space != LT_SPACE_SLOT;
	for (uint32_t at = 0; at < u->k->n_instruction; at++) {
		const struct lt_instruction *i = &u->k->instructions[at];
		bool names_buffer = i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_store || i->opcode == LT_OPCODE_prefetch
			|| i->opcode == LT_OPCODE_array;
		bool names_variable = i->opcode == LT_OPCODE_get || i->opcode == LT_OPCODE_set || i->opcode == LT_OPCODE_update
			|| i->opcode == LT_OPCODE_variable;
		if (u->needed[at] && (variables ? names_variable : names_buffer))
			drop[i->what] = false;
	}
	return drop;
}

static void say_dropped(struct unused_step *u, const bool *drop)
{
	for (uint32_t i = 0; i < u->k->n_buffer; i++)
		if (drop[i])
			lt__step_decide(u->s, -1, -1, u->k->buffers[i].origin, "buffer %s is not needed: nothing reads it",
				u->k->buffers[i].name);
}

bool lt__step_unused(struct lt_stepping *s)
{
	struct unused_step u = { .s = s, .k = s->k, .n_memory = (int32_t)s->k->n_buffer + LT_NSPACE };
	const size_t n = (size_t)s->k->n_instruction + 1;
	u.needed = lt__pool_alloc(&s->b.pool, n, sizeof *u.needed);
	u.todo = lt__pool_alloc(&s->b.pool, n, sizeof *u.todo);
	u.block = lt__step_blocks(s);
	find_writers(&u);
	find_needed(&u);
	const bool *buffers = find_dropped(&u, false), *variables = find_dropped(&u, true);
	say_dropped(&u, buffers);
	bool changed = false;
	lt__rewrite_begin(s, buffers, variables);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			if (u.needed[at])
				(void)lt__rewrite_copy(s, at);
			changed = changed || !u.needed[at];
		}
	}
	for (uint32_t i = 0; i < s->k->n_variable + s->k->n_buffer; i++)
		changed = changed || (i < s->k->n_variable ? variables[i] : buffers[i - s->k->n_variable]);
	return changed;
}
