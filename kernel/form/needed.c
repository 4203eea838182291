/* needed.c -- which instructions have a part in what a caller sees.
 *
 * What counts is what a caller sees: stores to slots, faults, launches, calls; and what the threads of a grid do
 * together.  Everything is needed that has a part in these: what they use, the blocks that they stand in, and all that
 * writes a memory or a variable which a needed instruction reads.
 */
#include "kernel/form/form.h"

struct needed_search {
	const struct lt_kernel *k;
	struct lt_pool *pool;
	unsigned flags;
	bool *needed;                   /* by instruction */
	int32_t *todo, n_todo;          /* needed, and what they need is not marked yet */
	int32_t *block;                 /* by instruction: the loop, if or else that it stands in; -1: the region */
	int32_t *if_of;                 /* by else */
	int32_t *region;                /* by instruction */
	/* Instructions that write a memory or a variable, or launch a region, as lists: next[instruction]; the first by
	 * memory, then by variable, then by region; and whether the list is needed. */
	int32_t *next, *first;
	int32_t n_memory;
	bool *is_read;
};

/* Buffers that may share bytes are one memory: those of a space that are not exclusive. */
static int32_t memory_of(const struct needed_search *n, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &n->k->buffers[buffer];
	return b->exclusive || b->space == LT_SPACE_ARRAY ? buffer : (int32_t)n->k->n_buffer + (int32_t)b->space;
}

static int32_t launches_of(const struct needed_search *n, int32_t region)
{
	return n->n_memory + (int32_t)n->k->n_variable + region;
}

/* The list that the instruction is in; -1: none. */
static int32_t list_of(const struct needed_search *n, const struct lt_instruction *i)
{
	switch (i->opcode) {
	case LT_OPCODE_store: return n->k->buffers[i->what].space == LT_SPACE_SLOT ? -1 : memory_of(n, i->what);
	case LT_OPCODE_copy_async:
	case LT_OPCODE_array: return memory_of(n, i->what);
	case LT_OPCODE_set:
	case LT_OPCODE_update:
	case LT_OPCODE_variable: return n->n_memory + i->what;
	case LT_OPCODE_launch:
	case LT_OPCODE_launch_grid: return launches_of(n, i->what);
	default: return -1;
	}
}

static void need(struct needed_search *n, int32_t at)
{
	if (at < 0 || n->needed[at])
		return;
	n->needed[at] = true;
	n->todo[n->n_todo++] = at;
}

static void need_writers(struct needed_search *n, int32_t list)
{
	if (n->is_read[list])
		return;
	n->is_read[list] = true;
	for (int32_t at = n->first[list]; at >= 0; at = n->next[at])
		need(n, at);
}

/* Threads of a grid wait for each other, and end, as the program says. */
static bool is_together(uint32_t opcode)
{
	return opcode == LT_OPCODE_leave || opcode == LT_OPCODE_barrier || opcode == LT_OPCODE_commit
		|| opcode == LT_OPCODE_wait || opcode == LT_OPCODE_matrix;
}

/* What an instruction has a part in from the outside. */
static bool is_seen(const struct needed_search *n, const struct lt_instruction *i)
{
	return i->opcode == LT_OPCODE_fault || lt__opcode_hands_over(i->opcode) || is_together(i->opcode)
		|| (i->opcode == LT_OPCODE_prefetch && n->flags & LT_NEEDED_PREFETCHES)
		|| (i->opcode == LT_OPCODE_store && n->k->buffers[i->what].space == LT_SPACE_SLOT);
}

bool lt__needs_operand(const struct lt_kernel *k, const struct lt_instruction *i, int operand)
{
	bool chooses = i->opcode == LT_OPCODE_shuffle && i->lanes == 1 && k->instructions[i->operand[0]].lanes == 1;
	return i->operand[operand] >= 0 && (!chooses || k->extras[i->first_extra] == operand);
}

static void need_operands(struct needed_search *n, const struct lt_instruction *i)
{
	bool members = n->flags & LT_NEEDED_MEMBERS;
	for (int k = 0; k < 4; k++)
		if (members || lt__needs_operand(n->k, i, k))
			need(n, i->operand[k]);
	for (int32_t e = 0; (members ? lt__opcode_hands_over(i->opcode) : i->opcode == LT_OPCODE_call) && e < i->n_extra; e++)
		need(n, (int32_t)n->k->extras[i->first_extra + e]);
}

/* Of each launch of the region what it hands over for this argument. */
static void need_argument(struct needed_search *n, int32_t region, int32_t number)
{
	for (int32_t at = n->first[launches_of(n, region)]; at >= 0; at = n->next[at])
		need(n, (int32_t)n->k->extras[n->k->instructions[at].first_extra + number]);
}

/* Of what its extras name: memory that is read, variables that are added to. */
static void need_named(struct needed_search *n, const struct lt_instruction *i)
{
	for (int32_t e = 0; e < i->n_extra; e++) {
		enum lt_extra_kind kind = lt__opcode_extra(i->opcode, e);
		int32_t x = (int32_t)n->k->extras[i->first_extra + e];
		if (x >= 0 && kind == LT_EXTRA_BUFFER)
			need_writers(n, memory_of(n, x));
		else if (kind == LT_EXTRA_VARIABLE)
			need_writers(n, n->n_memory + x);
	}
}

static void need_parts(struct needed_search *n, int32_t at)
{
	const struct lt_instruction *i = &n->k->instructions[at];
	need_operands(n, i);
	need(n, n->block[at]);
	switch (i->opcode) {
	case LT_OPCODE_load:
	case LT_OPCODE_prefetch: need_writers(n, memory_of(n, i->what)); break;
	case LT_OPCODE_call:
		for (int32_t o = lt__call_n_written(&n->k->calls[i->what]); o < n->k->calls[i->what].n_operand; o++)
			need_writers(n, memory_of(n, n->k->calls[i->what].operands[o].buffer));
		break;
	case LT_OPCODE_get: need_writers(n, n->n_memory + i->what); break;
	case LT_OPCODE_copy_async:
	case LT_OPCODE_fragment:
	case LT_OPCODE_matrix: need_named(n, i); break;
	case LT_OPCODE_argument: need_argument(n, n->region[at], i->what); break;
	case LT_OPCODE_else:
		need(n, n->if_of[at]);
		need(n, i->what);
		break;
	case LT_OPCODE_loop: need(n, i->what); break;
	case LT_OPCODE_if: {
		const struct lt_instruction *middle = &n->k->instructions[i->what];
		need(n, middle->opcode == LT_OPCODE_else ? middle->what : i->what);
		break;
	}
	default: break;
	}
}

static void find_lists(struct needed_search *n)
{
	size_t lists = (size_t)launches_of(n, (int32_t)n->k->n_region);
	n->first = lt__pool_alloc(n->pool, lists + 1, sizeof *n->first);
	n->is_read = lt__pool_alloc(n->pool, lists + 1, sizeof *n->is_read);
	for (size_t i = 0; i < lists; i++)
		n->first[i] = -1;
	for (int32_t at = 0; at < (int32_t)n->k->n_instruction; at++) {
		int32_t list = list_of(n, &n->k->instructions[at]);
		if (list < 0)
			continue;
		n->next[at] = n->first[list];
		n->first[list] = at;
	}
}

static void find_locations(struct needed_search *n)
{
	for (int32_t r = 0; r < (int32_t)n->k->n_region; r++) {
		const struct lt_region *region = &n->k->regions[r];
		for (int32_t at = region->first; at < region->first + region->n; at++) {
			const struct lt_instruction *i = &n->k->instructions[at];
			n->region[at] = r;
			if (i->opcode == LT_OPCODE_if)
				n->if_of[i->what] = at;
		}
	}
}

int32_t *lt__kernel_blocks(const struct lt_kernel *k, struct lt_pool *pool)
{
	int32_t *block = lt__pool_alloc(pool, (size_t)k->n_instruction + 1, sizeof *block);
	int32_t open[LT_MAX_BLOCKS + 1], n = 0;
	open[0] = -1;
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++) {
		uint32_t opcode = k->instructions[at].opcode;
		n -= opcode == LT_OPCODE_else || opcode == LT_OPCODE_end;
		block[at] = open[n];
		if (opcode == LT_OPCODE_loop || opcode == LT_OPCODE_if || opcode == LT_OPCODE_else)
			open[++n] = at;
	}
	return block;
}

bool *lt__needed(const struct lt_kernel *k, struct lt_pool *pool, unsigned flags)
{
	const size_t count = (size_t)k->n_instruction + 1;
	struct needed_search n = { .k = k, .pool = pool, .flags = flags, .n_memory = (int32_t)k->n_buffer + LT_NSPACE };
	n.needed = lt__pool_alloc(pool, count, sizeof *n.needed);
	n.todo = lt__pool_alloc(pool, count, sizeof *n.todo);
	n.if_of = lt__pool_alloc(pool, count, sizeof *n.if_of);
	n.region = lt__pool_alloc(pool, count, sizeof *n.region);
	n.next = lt__pool_alloc(pool, count, sizeof *n.next);
	n.block = lt__kernel_blocks(k, pool);
	find_lists(&n);
	find_locations(&n);
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++)
		if (is_seen(&n, &k->instructions[at]))
			need(&n, at);
	while (n.n_todo > 0)
		need_parts(&n, n.todo[--n.n_todo]);
	return n.needed;
}
