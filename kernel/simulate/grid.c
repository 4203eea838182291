/* grid.c -- a launch of a grid: its blocks in some order, and some that are more than were launched. */
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/simulate/part.h"

static void fill_arrays(struct simulation *s, struct simulate_grid *g, int32_t region)
{
	const struct lt_kernel *k = s->k;
	g->array = lt__pool_alloc(&s->pool, k->n_buffer, sizeof *g->array);
	for (int32_t b = 0; b < (int32_t)k->n_buffer; b++)
		if (k->buffers[b].space == LT_SPACE_ARRAY && s->buffer_region[b] == region)
			g->array[g->n_array++] = s->area_of[b];
	for (int32_t t = 0; t < g->n_thread; t++) {
		g->thread[t].array = lt__pool_alloc(&s->pool, (size_t)g->n_array, sizeof *g->thread[t].array);
		for (int32_t a = 0; a < g->n_array; a++) {
			struct simulate_area x = s->area[g->array[a]];
			x.at = lt__pool_alloc(&s->pool, (size_t)x.bytes + 1, 1);
			x.stamp = lt__pool_alloc(&s->pool, (size_t)(x.bytes >> x.shift) + 1, sizeof *x.stamp);
			g->thread[t].array[a] = x;
		}
	}
}

/* Values are numbered as those of the program are, with the host's among them: an argument is one of these. */
static void fill_threads(struct simulation *s, struct simulate_grid *g)
{
	const struct lt_kernel *k = s->k;
	int64_t n_variable = 0;
	int32_t depth = 0, deepest = 0;
	for (uint32_t v = 0; v < k->n_variable; v++)
		n_variable += k->variables[v].lanes;
	for (int32_t i = g->region->first; i < g->region->first + g->region->n; i++) {
		depth += k->instructions[i].opcode == LT_OPCODE_loop;
		deepest = depth > deepest ? depth : deepest;
		g->parts = g->parts || (k->instructions[i].opcode == LT_OPCODE_barrier
			&& k->instructions[i].what == LT_BARRIER_BLOCK && k->instructions[i].number != 0);
	}
	for (int32_t i = 0; i < g->n_thread; i++) {
		struct simulate_thread *t = &g->thread[i];
		t->value = lt__pool_alloc(&s->pool, (size_t)s->n_value + 1, sizeof *t->value);
		t->defined = lt__pool_alloc(&s->pool, k->n_instruction, sizeof *t->defined);
		t->variable = lt__pool_alloc(&s->pool, (size_t)n_variable + 1, sizeof *t->variable);
		t->variable_defined = lt__pool_alloc(&s->pool, k->n_variable, sizeof *t->variable_defined);
		t->variable_flight = lt__pool_alloc(&s->pool, k->n_variable, sizeof *t->variable_flight);
		t->trip = lt__pool_alloc(&s->pool, (size_t)deepest + 1, sizeof *t->trip);
	}
}

static struct simulate_grid *grid_of(struct simulation *s, int32_t region)
{
	const struct lt_region *r = &s->k->regions[region];
	struct simulate_grid *g = s->grids[region];
	if (g)
		return g;
	g = s->grids[region] = lt__pool_alloc(&s->pool, 1, sizeof *g);
	g->region = r;
	g->n_thread = r->threads[0] * r->threads[1] * r->threads[2];
	g->n_subgroup = g->n_thread / r->subgroup;
	g->thread = lt__pool_alloc(&s->pool, (size_t)g->n_thread, sizeof *g->thread);
	g->clock = lt__pool_alloc(&s->pool, (size_t)g->n_subgroup * (size_t)g->n_subgroup, sizeof *g->clock);
	fill_threads(s, g);
	fill_arrays(s, g, region);
	return g;
}

/* The block of that number, by axis 0 first. */
static void run_block(struct simulation *s, int64_t number)
{
	struct simulate_grid *g = s->grid;
	for (int i = 0; i < 3; i++) {
		g->block[i] = number % g->blocks[i];
		number /= g->blocks[i];
	}
	s->block_now++;
	lt__simulate_block(s);
}

enum { BEYOND = 6 };    /* blocks that are too many */

/* A launch that is recorded has as many blocks as the region may have: the last along each axis, and the first that is
 * too many. */
static void run_beyond(struct simulation *s)
{
	struct simulate_grid *g = s->grid;
	struct lt_simulate_count *count = s->count;
	s->count = NULL;
	g->beyond = true;
	for (int i = 0; i < BEYOND && !s->status; i++) {
		int axis = i / 2;
		memset(g->block, 0, sizeof g->block);
		g->block[axis] = i % 2 ? g->region->blocks[axis] - 1 : g->blocks[axis];
		if (g->blocks[axis] >= g->region->blocks[axis])
			continue;
		s->block_now++;
		lt__simulate_block(s);
	}
	g->beyond = false;
	s->count = count;
}

/* Counts of some blocks, as if all had been run. */
struct grid_counts { int64_t *runs, *lanes; struct lt_simulate_request *request; };

static int64_t scaled(int64_t before, int64_t now, int64_t all, int64_t some)
{
	return before + (int64_t)((double)(now - before) * (double)all / (double)some + 0.5);
}

static void scale_counts(struct simulation *s, const struct grid_counts *before, int64_t all, int64_t some)
{
	const struct lt_region *r = s->grid->region;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		s->count->runs[i] = scaled(before->runs[i - r->first], s->count->runs[i], all, some);
		s->count->lanes[i] = scaled(before->lanes[i - r->first], s->count->lanes[i], all, some);
		for (size_t n = 0; s->count->request && n < sizeof *before->request / sizeof(int64_t); n++) {
			int64_t *now = (int64_t *)&s->count->request[i] + n;
			*now = scaled(((int64_t *)&before->request[i - r->first])[n], *now, all, some);
		}
	}
}

static struct grid_counts keep_counts(struct simulation *s)
{
	const struct lt_region *r = s->grid->region;
	struct grid_counts c = { lt__pool_alloc(&s->pool, (size_t)r->n, 8), lt__pool_alloc(&s->pool, (size_t)r->n, 8), NULL };
	memcpy(c.runs, s->count->runs + r->first, (size_t)r->n * sizeof *c.runs);
	memcpy(c.lanes, s->count->lanes + r->first, (size_t)r->n * sizeof *c.lanes);
	if (s->count->request) {
		c.request = lt__pool_alloc(&s->pool, (size_t)r->n, sizeof *c.request);
		memcpy(c.request, s->count->request + r->first, (size_t)r->n * sizeof *c.request);
	}
	return c;
}

static void run_some(struct simulation *s, int64_t all)
{
	int64_t some = s->options.blocks;
	struct grid_counts before = { NULL, NULL, NULL };
	if (s->count)
		before = keep_counts(s);
	for (int64_t i = 0; i < some && !s->status; i++)
		run_block(s, i == 0 ? 0 : i == 1 ? all - 1 : (int64_t)(lt__simulate_draw(s) % (uint64_t)all));
	if (s->count)
		scale_counts(s, &before, all, some);
}

static void run_all(struct simulation *s, int64_t all)
{
	uint64_t scale, shift;
	lt__simulate_order(s, (uint64_t)all, &scale, &shift);
	uint64_t at = shift;                    /* shift + i * scale, modulo all: products of these may be too large */
	for (int64_t i = 0; i < all && !s->status; i++, at = (at + scale) % (uint64_t)all)
		run_block(s, (int64_t)at);
}

/* Numbers of blocks start again before they are used up; who wrote and read before is then forgotten.  False: there are
 * not so many. */
static bool number_blocks(struct simulation *s, int64_t all)
{
	int64_t n = (s->options.blocks > 0 && s->options.blocks < all ? s->options.blocks : all) + BEYOND;
	if (n < UINT32_MAX - (int64_t)s->block_now)
		return true;
	if (n >= UINT32_MAX) {
		s->status = lt__report(s->diag, LT_EUNSUPPORTED, -1, -1, "run some of them: that is enough for counts",
			"kernel %s: a launch of %lld blocks is too large to be run block by block", s->k->name, (long long)all);
		return false;
	}
	s->block_now = 0;
	for (int32_t a = 0; a < s->n_area; a++)
		for (int64_t g = 0; s->area[a].shadow && g <= s->area[a].bytes >> s->area[a].shift; g++) {
			struct simulate_shadow *x = &s->area[a].shadow[g];
			x->write_block = x->read_block = x->other_block = 0;
		}
	return true;
}

void lt__simulate_grid(struct simulation *s, const struct lt_instruction *launch, const int64_t *blocks)
{
	struct simulate_grid *g = grid_of(s, launch->what);
	uint64_t *value = s->value, *defined = s->defined, *variable = s->variable, *known = s->variable_defined;
	int64_t all = 1;
	for (int i = 0; i < 3; i++) {
		g->blocks[i] = blocks[i];
		if (blocks[i] > g->region->blocks[i]) {
			lt__simulate_find(s, LT_SIMULATE_extent, (int32_t)(launch - s->k->instructions), -1, -1,
				"%lld blocks along axis %d of region %d, which has at most %lld", (long long)blocks[i], i, (int)launch->what,
				(long long)g->region->blocks[i]);
			g->blocks[i] = g->region->blocks[i];
		}
		g->blocks[i] = g->blocks[i] < 0 ? 0 : g->blocks[i];
		all *= g->blocks[i];
	}
	if (s->status || !number_blocks(s, all))
		return;
	for (int32_t t = 0; t < g->n_thread; t++) {
		memcpy(g->thread[t].value, value, (size_t)s->n_value * sizeof *value);
		memcpy(g->thread[t].defined, defined, s->k->n_instruction * sizeof *defined);
	}
	s->grid = g;
	s->launch = launch;
	s->region = launch->what;
	s->block_base = s->block_now + 1;
	g->now = -1;
	if (s->options.blocks > 0 && s->options.blocks < all)
		run_some(s, all);
	else if (all > 0)
		run_all(s, all);
	if (!s->status)
		run_beyond(s);
	s->grid = NULL;
	s->launch = NULL;
	s->region = 0;
	s->value = value;
	s->defined = defined;
	s->variable = variable;
	s->variable_defined = known;
}
