/* random_kernel_grid.c -- grids of random kernel programs (random_kernel_maker.h): one of one thread, which
 * reaches all that the host of other programs does, then one whose threads have a part of the buffers each.
 */
#include "tests/random_kernel_maker.h"

static const struct lt_value_type i64 = { LT_I64, 1 };

static int32_t open_grid(struct kernel_maker *g, const int64_t *blocks, const int32_t *threads)
{
	int32_t region = lt__build_region(&g->b, LT_REGION_GRID, 0, maker_one_in(g, 2) ? 3 : -1);
	struct lt_region *r = &g->b.region[region].region;
	for (int axis = 0; axis < 3; axis++) {
		r->blocks[axis] = blocks[axis];
		r->threads[axis] = threads[axis];
	}
	r->subgroup = 1;
	return region;
}

static int32_t number_along(struct kernel_maker *g, int opcode, int axis)
{
	return lt__build_numbered(&g->b, opcode, LT_I64, axis);
}

/* The number of the thread among all of the launch. */
static int32_t number_of_thread(struct kernel_maker *g, const int32_t *threads)
{
	int32_t block = number_along(g, LT_OPCODE_block, 0), at = number_along(g, LT_OPCODE_thread, 1);
	block = maker_two(g, LT_OPCODE_mul, i64, block, maker_whole(g, threads[1]));
	at = maker_two(g, LT_OPCODE_add, i64, block, at);
	at = maker_two(g, LT_OPCODE_mul, i64, at, maker_whole(g, threads[0]));
	return maker_two(g, LT_OPCODE_add, i64, at, number_along(g, LT_OPCODE_thread, 0));
}

static void launch(struct kernel_maker *g, int32_t region, int64_t blocks)
{
	struct lt_instruction i = maker_plain(LT_OPCODE_launch_grid, (struct lt_value_type){ 0, 0 });
	g->b.now = 0;
	i.operand[0] = maker_whole(g, blocks);
	i.operand[1] = maker_whole(g, 1);
	i.operand[2] = maker_whole(g, 1);
	i.what = region;
	i.first_extra = lt__build_extras(&g->b, NULL, 0);
	(void)maker_make(g, i);
}

/* A launch that is recorded has all blocks that there may be. */
static void leave_beyond(struct kernel_maker *g, int64_t n)
{
	struct lt_instruction i = maker_plain(LT_OPCODE_leave, (struct lt_value_type){ 0, 0 });
	struct lt_instruction test = maker_plain(LT_OPCODE_greaterequal, (struct lt_value_type){ LT_LANE_MASK, 1 });
	test.operand[0] = number_along(g, LT_OPCODE_block, 0);
	test.operand[1] = maker_whole(g, n);
	i.operand[0] = maker_make(g, test);
	(void)maker_make(g, i);
}

void maker_grids(struct kernel_maker *g)
{
	static const int32_t shapes[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 2, 2, 1 }, { 8, 1, 1 }, { 1, 4, 1 } };
	const int32_t *threads = shapes[maker_below(g, 5)];
	int64_t blocks[3] = { 1, 1, 1 };
	int32_t one = open_grid(g, blocks, shapes[0]);
	g->in = (struct maker_scope){ .base = -1 };
	maker_write_work(g);
	maker_statements(g, 40);
	launch(g, one, 1);
	blocks[0] = POINTS / (threads[0] * threads[1]);
	int32_t many = open_grid(g, blocks, threads);
	g->in = (struct maker_scope){ .base = -1 };
	const int n = 1 + maker_below(g, (int)blocks[0]);
	leave_beyond(g, n);
	int32_t point = maker_pooled(g, number_of_thread(g, threads), -1);
	g->in.base = maker_two(g, LT_OPCODE_mul, i64, point, maker_whole(g, PART));
	maker_statements(g, 10 + maker_below(g, 30));
	launch(g, many, n);
}
