/* plan.c -- which nests of a tree become a grid each: blocks, threads and memory; what is refused. */
#include <string.h>
#include "kernel/lower/grid.h"
#include "kernel/form/form.h"

static const char *var_of(const struct lowering *l, int32_t loop)
{
	const char *var = lower_loop_at(l, loop)->var;
	return var ? var : "?";
}

static int axis_of(const struct lt_loop *x) { return x->kind_arg >= 0 && x->kind_arg < LOWER_AXES ? x->kind_arg : 0; }

/* From the innermost loops outwards: what is in each. */
static lt_status find_inside(struct lowering *l, struct lt_diag *diag)
{
	for (int32_t i = l->t->n_loop; i-- > 0; ) {
		const struct lt_loop *x = lower_loop_at(l, i);
		struct lower_part *p = &l->part[i], *up = x->parent < 0 ? NULL : &l->part[x->parent];
		int64_t outer[LOWER_AXES];
		if (p->called) {                /* the host calls: loops around are its own */
			if (up && !up->called)
				up->grids = true;
			continue;
		}
		p->grids = p->grids || x->kind == LT_GRID;
		for (int a = 0; a < LOWER_AXES; a++)
			outer[a] = p->inner[a] = p->inner[a] ? p->inner[a] : 1;
		if (l->tile[i]) {
			p->axes |= 1;
			outer[0] = p->inner[0] > l->machine.subgroup ? p->inner[0] : l->machine.subgroup;
		}
		if (lt__lower_is_thread(l, i)) {
			int a = axis_of(x);
			p->axes |= (uint8_t)(1 << a);
			p->stride = p->inner[a];
			if (x->max_trip_count > LT_MAX_THREADS || (outer[a] = p->inner[a] * x->max_trip_count) > LT_MAX_THREADS)
				return lt__report(diag, LT_EUNSUPPORTED, i, -1, "split it, and bind the inner loop only",
					"loop %s: a block has at most %d threads, not %lld along one axis", var_of(l, i), (int)LT_MAX_THREADS,
					(long long)x->max_trip_count * (long long)p->inner[a]);
		}
		for (int a = 0; up && a < LOWER_AXES; a++)
			up->inner[a] = outer[a] > up->inner[a] ? outer[a] : up->inner[a];
		if (up) {
			up->grids = up->grids || p->grids;
			up->axes |= p->axes;
		}
	}
	return LT_OK;
}

/* The host's loops hold grids without being one; the outermost of the others are a grid each. */
static void find_roots(struct lowering *l)
{
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		int32_t above = x->parent < 0 ? -1 : l->part[x->parent].root;
		l->part[i].root = l->part[i].called ? -1 : above >= 0 ? above : x->kind == LT_GRID || !l->part[i].grids ? i : -1;
	}
}

/* Grid loops stand directly in one another, with nothing beside them. */
static void find_chain(struct lowering *l, int32_t root)
{
	struct lower_grid *g = &l->grid[root];
	for (int32_t i = root; i >= 0 && lower_loop_at(l, i)->kind == LT_GRID && g->n_chain < LOWER_MAX_DEPTH;
		i = lt__lower_only_child(l, i))
		g->chain[g->n_chain++] = i;
}

static lt_status refuse_nesting(struct lowering *l, struct lt_diag *diag)
{
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		int32_t root = l->part[i].root;
		bool chained = x->kind != LT_GRID || l->part[i].called;
		for (int32_t c = 0; root >= 0 && c < l->grid[root].n_chain; c++)
			chained = chained || l->grid[root].chain[c] == i;
		if (!chained)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1,
				"put it directly inside the other grid loops, with nothing beside it, or make it serial",
				"loop %s: grid loops are the outermost of their nest", var_of(l, i));
		if (root < 0 && x->kind == LT_BLOCK && !l->part[i].called)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "put it inside the grid loops, or make it serial",
				"loop %s: a grid loop is inside this block loop", var_of(l, i));
	}
	return LT_OK;
}

/* The smallest block of whole subgroups with so many threads along the axes that are in use. */
static void plan_whole(const struct lowering *l, int64_t *threads)
{
	int64_t fewest = INT64_MAX, max[LOWER_AXES], best[LOWER_AXES] = { 0 }, n[LOWER_AXES];
	for (int a = 0; a < LOWER_AXES; a++)
		max[a] = threads[a] > 1 ? (threads[a] - 1) / l->machine.subgroup * l->machine.subgroup + l->machine.subgroup : 1;
	for (n[2] = threads[2]; n[2] <= max[2]; n[2]++)
		for (n[1] = threads[1]; n[1] <= max[1]; n[1]++)
			for (n[0] = threads[0]; n[0] <= max[0]; n[0]++) {
				int64_t all = n[0] * n[1] * n[2];
				if (all >= fewest || all % l->machine.subgroup)
					continue;
				fewest = all;
				memcpy(best, n, sizeof best);
			}
	memcpy(threads, best, sizeof best);
}

/* Threads of a block, rounded up to whole subgroups: those that are too many are off. */
static lt_status plan_threads(struct lowering *l, int32_t root, struct lt_diag *diag)
{
	struct lower_grid *g = &l->grid[root];
	int64_t all = 1;
	for (int a = 0; a < LOWER_AXES; a++) {
		g->threads[a] = l->part[root].inner[a];
		if (lt__lower_is_thread(l, root) && axis_of(lower_loop_at(l, root)) == a)
			g->threads[a] *= lower_loop_at(l, root)->max_trip_count;
		all *= g->threads[a];
	}
	if (all > 1 && all <= LT_MAX_THREADS) {
		plan_whole(l, g->threads);
		all = g->threads[0] * g->threads[1] * g->threads[2];
	}
	if (all > LT_MAX_THREADS)
		return lt__report(diag, LT_EUNSUPPORTED, root, -1, "split the block loops in it, and bind the inner ones only",
			"loop %s: its blocks would have %lld threads, and %d are the most", var_of(l, root), (long long)all,
			(int)LT_MAX_THREADS);
	return LT_OK;
}

static lt_status plan_blocks(struct lowering *l, int32_t root, struct lt_diag *diag)
{
	struct lower_grid *g = &l->grid[root];
	for (int a = 0; a < LOWER_AXES; a++)
		g->blocks[a] = 1;
	for (int32_t c = 0; c < g->n_chain; c++) {
		const struct lt_loop *x = lower_loop_at(l, g->chain[c]);
		int a = axis_of(x);
		int64_t max = a ? 65535 : INT32_MAX;
		if (__builtin_mul_overflow(g->blocks[a], x->max_trip_count, &g->blocks[a]) || g->blocks[a] > max)
			return lt__report(diag, LT_EUNSUPPORTED, g->chain[c], -1,
				a ? "bind it to grid.x, or give it larger steps" : "give it larger steps",
				"loop %s: a grid has at most %lld blocks along this axis", var_of(l, g->chain[c]), (long long)max);
	}
	return LT_OK;
}

/* -- memory -- */

/* Whether a statement that touches it is in a block loop inside its scope. */
static bool is_shared(const struct lowering *l, int32_t b)
{
	for (int32_t s = 0; s < (int32_t)l->t->stmts.n; s++) {
		const struct lt_stmt *st = lower_stmt_at(l, s);
		bool inside = false;
		for (int32_t i = st->loop; i >= 0 && i != lower_buffer_at(l, b)->scope; i = lower_loop_at(l, i)->parent)
			inside = inside || lt__lower_is_thread(l, i) || l->tile[i];
		if (inside && lt__lower_touches(l, s, b))
			return true;
	}
	return false;
}

static lt_status plan_memory(struct lowering *l, struct lt_diag *diag)
{
	l->memory = lt__pool_alloc(&l->b.pool, l->t->buffers.n, sizeof *l->memory);
	l->spread = lt__pool_alloc(&l->b.pool, l->t->buffers.n, sizeof(struct lower_spread *));
	for (int32_t b = 0; b < (int32_t)l->t->buffers.n; b++) {
		const struct lt_buffer *x = lower_buffer_at(l, b);
		l->memory[b] = LOWER_PART;
		if (lt__lower_memory(l, b) == LOWER_GLOBAL)
			continue;
		struct lower_grid *g = &l->grid[l->part[x->scope].root];
		int64_t bytes = x->elems * LT_AT(struct lt_type, l->t->types, x->type)->bytes, copies = lt__lower_copies(l, b);
		bool alone = g->n_chain == 0 && copies == 1;    /* one block, which may keep it where all blocks could see it */
		const char *name = x->name ? x->name : "?";
		for (int32_t c = 0; c + 1 < g->n_chain; c++)
			if (g->chain[c] == x->scope)
				return lt__report(diag, LT_EUNSUPPORTED, x->scope, -1, "put the grid loops in another order",
					"loop %s: %s is kept for the grid loops inside it, and blocks share nothing", var_of(l, x->scope), name);
		if (!is_shared(l, b)) {
			if (bytes <= l->machine.array_bytes)
				continue;
			if (!alone)
				return lt__report(diag, LT_EUNSUPPORTED, x->scope, -1, "split the loops, so that a thread keeps less",
					"loop %s: each thread would keep %lld bytes of %s, and has room for %lld", var_of(l, x->scope),
					(long long)bytes, name, (long long)l->machine.array_bytes);
			l->memory[b] = LOWER_GLOBAL;
			continue;
		}
		l->spread[b] = lt__lower_find_spread(l, b);
		if (l->spread[b])
			continue;
		l->memory[b] = LOWER_SHARED;
		/* Where it begins, if it has a swizzle. */
		const int64_t gap = lt__lower_swizzle(l, b) ? 8 * (int64_t)lt__lower_swizzle(l, b) - LOWER_SHARED_ALIGN : 0;
		if (!__builtin_mul_overflow(bytes, copies, &bytes) && !__builtin_add_overflow(bytes, gap, &bytes)
			&& bytes <= l->machine.shared_bytes - g->shared_bytes) {
			g->shared_bytes += (bytes + LOWER_SHARED_ALIGN - 1) / LOWER_SHARED_ALIGN * LOWER_SHARED_ALIGN;
			continue;
		}
		if (!alone)
			return lt__report(diag, LT_EUNSUPPORTED, x->scope, -1, "choose smaller steps for the loops that it spans",
				"loop %s: %s takes %lld bytes of shared memory, and a block has %lld left", var_of(l, x->scope), name,
				(long long)bytes, (long long)(l->machine.shared_bytes - g->shared_bytes));
		l->memory[b] = LOWER_GLOBAL;
	}
	return LT_OK;
}

/* -- the whole -- */

/* What all threads of a block do together: barriers, and combines. */
static void find_waits(struct lowering *l)
{
	l->combined = lt__pool_alloc(&l->b.pool, (size_t)l->t->stmts.n + 1, sizeof *l->combined);
	for (int32_t s = 0; s < (int32_t)l->t->stmts.n; s++) {
		const struct lt_stmt *st = lower_stmt_at(l, s);
		l->combined[s] = (struct lower_combined){ -1, -1, -1 };
		if (st->loop >= 0 && l->part[st->loop].called)
			continue;
		bool combines = lt__lower_combines(l, st);
		int32_t inside = combines ? lt__lower_combine_loop(l, s) : -1;
		l->combined[s].loop = inside;
		for (int32_t i = inside < 0 ? st->loop : lower_loop_at(l, inside)->parent;
			(combines || st->kind >= LT_BARRIER) && i >= 0; i = lower_loop_at(l, i)->parent)
			l->part[i].waits = true;
		if (combines && l->part[st->loop].root >= 0) {
			struct lower_grid *g = &l->grid[l->part[st->loop].root];
			int64_t bytes = lt__kernel_element_bytes(LT_AT(struct lt_op, l->t->ops, st->op)->out);
			g->shared_bytes += g->threads[0] * g->threads[1] * g->threads[2] * bytes;
		}
	}
}

static lt_status refuse_silent(const struct lowering *l, struct lt_diag *diag)
{
	for (int32_t i = 0; i < l->t->n_loop && !(l->t->needs & LT_NEED_BARRIER); i++)
		if (lt__lower_is_thread(l, i) && !l->part[i].called)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "make it serial",
				"loop %s: a tree with block loops says where its threads wait for each other, and this one does not",
				var_of(l, i));
	return LT_OK;
}

lt_status lt__lower_plan(struct lowering *l, struct lt_diag *diag)
{
	l->part = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_loop + 1, sizeof *l->part);
	l->grid = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_loop + 1, sizeof *l->grid);
	lt_status status = lt__lower_find_calls(l, diag);
	status = status ? status : refuse_silent(l, diag);
	status = status ? status : lt__lower_find_tiles(l, diag);
	status = status ? status : find_inside(l, diag);
	if (status)
		return status;
	find_roots(l);
	for (int32_t i = 0; i < l->t->n_loop && !status; i++)
		if (l->part[i].root == i) {
			find_chain(l, i);
			status = plan_threads(l, i, diag);
			status = status ? status : plan_blocks(l, i, diag);
		}
	status = status ? status : refuse_nesting(l, diag);
	find_waits(l);
	status = status ? status : plan_memory(l, diag);
	return status ? status : lt__lower_plan_tiles(l, diag);
}

void lt__lower_grid_modes(struct lowering *l)
{
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		l->loop[i].team = l->part[i].root;
		if (lt__lower_is_thread(l, i))
			l->loop[i].mode = LOWER_THREAD;
		else if (x->kind == LT_GRID)
			l->loop[i].mode = LOWER_BLOCKS;
	}
}
