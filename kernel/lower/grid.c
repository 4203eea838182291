/* grid.c -- a nest as a grid: the host's launch, and the region that each thread runs (grid.h).
 *
 * Blocks along an axis number the iterations of its grid loops, the innermost fastest.  Only the outermost loop of an
 * axis has as many as it has iterations in this run; those of the others that are too many leave.
 */
#include <string.h>
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

static int axis_of(const struct lowering *l, int32_t loop) { return lower_loop_at(l, loop)->kind_arg; }

/* Whether the iterations of chain[c] depend on those of a grid loop around it. */
static bool is_ragged(const struct lowering *l, const struct lower_grid *g, int32_t c)
{
	const struct lt_loop *x = lower_loop_at(l, g->chain[c]);
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++)
		for (int32_t o = 0; o < c; o++)
			if (lt__lower_depends(l->t, l->t->bounds[b], g->chain[o]))
				return true;
	return false;
}

static bool is_outermost(const struct lowering *l, const struct lower_grid *g, int32_t c)
{
	for (int32_t o = 0; o < c; o++)
		if (axis_of(l, g->chain[o]) == axis_of(l, g->chain[c]))
			return false;
	return true;
}

/* Blocks from an iteration of chain[c] to the next. */
static int64_t blocks_inside(const struct lowering *l, const struct lower_grid *g, int32_t c)
{
	int64_t n = 1;
	for (int32_t i = c + 1; i < g->n_chain; i++)
		if (axis_of(l, g->chain[i]) == axis_of(l, g->chain[c]))
			n *= lower_loop_at(l, g->chain[i])->max_trip_count;
	return n;
}

static int32_t blocks_along(struct lowering *l, const struct lower_grid *g, int axis)
{
	for (int32_t c = 0; c < g->n_chain; c++) {
		int32_t loop = g->chain[c];
		if (axis_of(l, loop) != axis || !is_outermost(l, g, c) || !l->loop[loop].bounded || is_ragged(l, g, c))
			continue;
		int32_t n = lt__lower_pure(l, LT_OPCODE_max, LT_I64, lt__lower_trip_count(l, loop), lt__lower_i64(l, 0), -1, 0);
		return lt__lower_times(l, n, blocks_inside(l, g, c));
	}
	return lt__lower_i64(l, g->blocks[axis]);
}

/* The host's loops around, the innermost first: their values are handed over. */
static int32_t outer_loops(const struct lowering *l, int32_t inside, int32_t *outer)
{
	int32_t n = 0;
	for (int32_t up = inside; up >= 0 && n < LOWER_MAX_DEPTH; up = lower_loop_at(l, up)->parent)
		outer[n++] = up;
	return n;
}

static int32_t grid_launch(
	struct lowering *l, const struct lower_grid *g, int32_t root, const int32_t *outer, int32_t n)
{
	int64_t handed[LOWER_MAX_DEPTH];
	int32_t blocks[LOWER_AXES];
	for (int a = 0; a < LOWER_AXES; a++)
		blocks[a] = blocks_along(l, g, a);
	for (int32_t i = 0; i < n; i++)
		handed[i] = l->column[lower_loop_column(l->t, outer[i])].value;
	int32_t host = l->b.now, region = lt__build_region(&l->b, LT_REGION_GRID, n, root);
	struct lt_region *r = &l->b.region[region].region;
	r->subgroup = 1;
	for (int a = 0; a < LOWER_AXES; a++) {
		r->blocks[a] = g->blocks[a];
		r->threads[a] = (int32_t)g->threads[a];
		if (g->threads[a] > 1)
			r->subgroup = (int32_t)l->machine.subgroup;
	}
	l->b.now = host;
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_launch_grid,
		.operand = { blocks[0], blocks[1], blocks[2], -1 }, .what = region, .origin = -1,
		.first_extra = lt__build_extras(&l->b, handed, n), .n_extra = n });
	return region;
}

static void find_iterations(struct lowering *l, const struct lower_grid *g)
{
	for (int32_t c = 0; c < g->n_chain; c++) {
		int64_t max = lower_loop_at(l, g->chain[c])->max_trip_count, stride = blocks_inside(l, g, c);
		if (max == 1) {
			lt__lower_enter(l, g->chain[c], (struct lower_column){ .range = { true, 0, 0 }, .fixed = true,
				.value = lt__lower_i64(l, 0) });
			continue;
		}
		int32_t at = lt__lower_pure(l, LT_OPCODE_block, LT_I64, -1, -1, axis_of(l, g->chain[c]), 0);
		if (stride > 1)
			at = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, at, lt__lower_i64(l, stride), -1, 0);
		if (!is_outermost(l, g, c))
			at = lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, at, lt__lower_i64(l, max), -1, 0);
		lt__lower_enter(l, g->chain[c], lt__lower_any_iteration(l, g->chain[c], at));
	}
}

/* Iterations that are not there in this run: the block ends before it touches anything. */
static void leave_beyond(struct lowering *l, const struct lower_grid *g)
{
	for (int32_t c = 0; c < g->n_chain; c++) {
		int32_t loop = g->chain[c];
		if (!l->loop[loop].bounded)
			continue;
		int32_t beyond = lt__lower_pure(l, LT_OPCODE_greaterequal, LT_LANE_MASK,
			l->column[lower_loop_column(l->t, loop)].value, lt__lower_trip_count(l, loop), -1, 0);
		(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_leave, .operand = { beyond, -1, -1, -1 },
			.what = -1, .origin = -1 });
	}
}

/* A nest without a grid loop. */
static void lower_root(struct lowering *l, int32_t root, lower_loop_fn *nest)
{
	bool sums = lt__lower_has_combines(l, root);
	if (sums)
		lt__lower_begin_combines(l, root);
	nest(l, root);
	if (sums)
		lt__lower_end_combines(l, lower_loop_at(l, root)->parent, lower_loop_at(l, root)->first_stmt,
			lower_loop_at(l, root)->first_stmt + lower_loop_at(l, root)->n_stmt);
}

enum {
	MANY_REGISTERS = 64, OTHER_REGISTERS = 32,      /* of a thread: its locals; addresses, and what is loaded ahead */
	BLOCK_BYTES = 1024      /* of shared memory that a block costs beside its own, one of them beside the largest */
};

/* Registers of 32 bits that the locals of a thread are. */
static int64_t registers_of_locals(const struct lowering *l, int32_t root)
{
	int64_t sum = 0;
	for (int32_t b = 0; b < (int32_t)l->t->buffers.n; b++) {
		const struct lt_buffer *x = lower_buffer_at(l, b);
		if (x->role != LT_LOCAL || x->scope < 0 || l->part[x->scope].root != root || lt__lower_memory(l, b) != LOWER_PART)
			continue;
		int64_t elems = l->spread[b] ? l->spread[b]->elems : x->elems;
		if (elems <= (int64_t)l->machine.max_variables)
			sum += (elems * (int64_t)lt__kernel_element_bytes(lower_dtype_of(l, b)) + 3) / 4;
	}
	return sum;
}

/* As many blocks as have room on a multiprocessor: a compiler that is not told takes registers of a block or two for
 * what it could load later.  0: threads hold so little that it does not matter, or the machine does not say. */
static int32_t resident_blocks(const struct lowering *l, int32_t root, const struct lt_region *r)
{
	const struct lt_machine *m = &l->machine;
	int64_t held = root < 0 ? 0 : registers_of_locals(l, root), threads = 1;
	for (int a = 0; a < LOWER_AXES; a++)
		threads *= r->threads[a];
	if (held < MANY_REGISTERS || !m->registers)
		return 0;
	int64_t blocks = m->registers / (threads * (held + OTHER_REGISTERS));
	int64_t room = (m->shared_bytes + BLOCK_BYTES) / (r->shared_bytes + BLOCK_BYTES);
	blocks = room < blocks ? room : blocks;
	return blocks < 1 ? 0 : blocks > LT_MAX_THREADS ? LT_MAX_THREADS : (int32_t)blocks;
}

static void grid_region(struct lowering *l, const struct lower_grid *g, int32_t root, const int32_t *outer, int32_t n,
	int32_t s, int32_t end, lower_body_fn *body, lower_loop_fn *nest)
{
	l->b.origin = -1;
	for (int32_t i = 0; i < n; i++)
		l->column[lower_loop_column(l->t, outer[i])].value = lt__build_numbered(&l->b, LT_OPCODE_argument, LT_I64, i);
	find_iterations(l, g);
	leave_beyond(l, g);
	if (root < 0)
		lt__lower_stmt(l, s);
	else if (g->n_chain)
		body(l, g->chain[g->n_chain - 1], s, end);
	else
		lower_root(l, root, nest);
}

static bool has_tiles(const struct lowering *l, int32_t root)
{
	bool tiles = false;
	for (int32_t i = 0; i < l->t->n_loop && root >= 0 && !tiles; i++)
		tiles = l->tile[i] && l->part[i].root == root;
	return tiles;
}

/* Blocks that a multiprocessor's shared memory has room for, where these may take all registers that a thread can name:
 * a compiler that is not told keeps matrix instructions to fewer, so that more blocks would fit.  0: not said. */
static int32_t resident_of_tiles(const struct lowering *l, const struct lower_grid *g)
{
	enum { ALL_REGISTERS_THREADS = 256 };   /* of NVIDIA's devices, which have tiles */
	int64_t n = (l->machine.shared_bytes + BLOCK_BYTES) / (g->shared_used + BLOCK_BYTES);
	return n >= 1 && n * g->threads[0] * g->threads[1] * g->threads[2] <= ALL_REGISTERS_THREADS ? (int32_t)n : 0;
}

void lt__lower_grid(
	struct lowering *l, int32_t root, int32_t s, int32_t end, lower_body_fn *body, lower_loop_fn *nest)
{
	static const struct lower_grid one = { .threads = { 1, 1, 1 }, .blocks = { 1, 1, 1 } };
	const struct lower_grid *g = root < 0 ? &one : &l->grid[root];
	int32_t outer[LOWER_MAX_DEPTH];
	int32_t n = outer_loops(l, root < 0 ? lower_stmt_at(l, s)->loop : lower_loop_at(l, root)->parent, outer);
	int32_t was_team = l->team, was_first = l->first_known;
	l->b.origin = -1;
	int32_t host = l->b.now, region = grid_launch(l, g, root, outer, n), mark = lt__lower_mark(l);
	struct lower_column *kept = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *kept);
	memcpy(kept, l->column, (size_t)l->t->n_column * sizeof *kept);
	l->first_known = mark;
	l->b.now = region;
	l->team = root;
	grid_region(l, g, root, outer, n, s, end, body, nest);
	l->b.region[region].region.shared_bytes = g->shared_used;
	l->b.region[region].region.resident = has_tiles(l, root) ? resident_of_tiles(l, g)
		: resident_blocks(l, root, &l->b.region[region].region);
	l->team = was_team;
	l->b.now = host;
	lt__lower_forget(l, mark);
	l->first_known = was_first;
	memcpy(l->column, kept, (size_t)l->t->n_column * sizeof *kept);
}
