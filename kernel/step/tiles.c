/* tiles.c -- step 'T': square tiles that are read across.
 *
 * n loads of n lanes, a stride apart, each one element further than the one before, read a square of n rows that lie in
 * memory from lane to lane.  They become loads of the rows as they lie, which change places with the columns in
 * registers: n loads and n log2 n shuffles, where building each vector of single elements takes n * n loads.
 *
 * All rows are loaded where the first of the loads stood: nothing in between may write what a later one reads.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/step/address.h"
#include "kernel/build/build.h"

enum { MAX_BETWEEN = 4096 };    /* stores that are looked at for one tile */

/* A load that may be a column of a tile. */
struct tile_load {
	int32_t at, block, buffer;
	uint32_t lanes;
	int64_t stride, number;
	const struct lt_address_sum *address;
};
/* Loads that are one: by number, the first place of them, the number of the first. */
struct square_tile { const struct tile_load *load; int32_t first; };

struct tiles_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	const struct lt_address_sum *values;
	struct tile_load *load;
	int32_t n_load;
	struct square_tile *tile;
	int32_t n_tile;
	int32_t *tile_at;               /* by instruction: its tile, plus 1 */
	int32_t *writer, n_writer;      /* stores and launches, in order */
};

static int by_number(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int by_parts(const struct lt_address_sum *a, const struct lt_address_sum *b)
{
	if (a->n != b->n)
		return by_number(a->n, b->n);
	for (int32_t i = 0; i < a->n; i++) {
		int by = by_number(a->part[i].value, b->part[i].value);
		by = by ? by : by_number(a->part[i].times, b->part[i].times);
		if (by)
			return by;
	}
	return 0;
}

/* Whether two may be of one tile: 0. */
static int by_tile(const struct tile_load *x, const struct tile_load *y)
{
	int by = by_number(x->block, y->block);
	by = by ? by : by_number(x->buffer, y->buffer);
	by = by ? by : by_number(x->lanes, y->lanes);
	by = by ? by : by_number(x->stride, y->stride);
	return by ? by : by_parts(x->address, y->address);
}

static int by_load(const void *a, const void *b)
{
	const struct tile_load *x = a, *y = b;
	int by = by_tile(x, y);
	by = by ? by : by_number(x->number, y->number);
	return by ? by : by_number(x->at, y->at);
}

static bool is_across(const struct tiles_step *t, const struct lt_instruction *i)
{
	return i->opcode == LT_OPCODE_load && i->lanes > 1 && i->operand[1] < 0 && i->operand[2] < 0
		&& (i->stride > 1 || i->stride < -1) && i->lanes <= t->s->machine->tile_lanes;
}

static void find_loads(struct tiles_step *t, const int32_t *block)
{
	static const struct lt_address_sum zero;
	for (int32_t at = 0; at < (int32_t)t->k->n_instruction; at++) {
		const struct lt_instruction *i = &t->k->instructions[at];
		if (i->opcode == LT_OPCODE_store || lt__opcode_hands_over(i->opcode))
			t->writer[t->n_writer++] = at;
		if (!is_across(t, i))
			continue;
		const struct lt_address_sum *address = i->operand[0] < 0 ? &zero : &t->values[i->operand[0]];
		t->load[t->n_load++] = (struct tile_load){ at, block[at], i->what, i->lanes, i->stride,
			(int64_t)((uint64_t)address->number + (uint64_t)i->number), address };
	}
	qsort(t->load, (size_t)t->n_load, sizeof *t->load, by_load);
}

/* Whether what the writer does leaves what the load reads. */
static bool leaves(const struct tiles_step *t, int32_t writer, int32_t load)
{
	const struct lt_instruction *w = &t->k->instructions[writer], *l = &t->k->instructions[load];
	struct lt_address_reach a, b;
	if (w->opcode != LT_OPCODE_store)
		return false;
	if (!lt__may_alias(t->k, w->what, l->what))
		return true;
	return w->what == l->what && lt__address_reach(t->k, t->values, w, &a) && lt__address_reach(t->k, t->values, l, &b)
		&& lt__address_apart(&a, &b);
}

/* The first writer at or after a place, by its number in the list. */
static int32_t first_writer(const struct tiles_step *t, int32_t at)
{
	int32_t low = 0, high = t->n_writer;
	while (low < high) {
		int32_t middle = low + (high - low) / 2;
		if (t->writer[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether n loads from x on are a tile that nothing writes into before all of it is read. */
static bool is_tile(struct tiles_step *t, const struct tile_load *x, int32_t *first)
{
	int32_t n = (int32_t)x->lanes, looked = 0;
	int64_t far;
	if (x + n > t->load + t->n_load || (n & (n - 1)) || __builtin_mul_overflow(x->stride, (int64_t)n, &far))
		return false;
	*first = x->at;
	for (int32_t i = 1; i < n; i++) {
		if (by_tile(x, &x[i]) || x->number > INT64_MAX - i || x[i].number != x->number + i)
			return false;
		*first = x[i].at < *first ? x[i].at : *first;
	}
	for (int32_t i = 0; i < n; i++)
		for (int32_t w = first_writer(t, *first); w < t->n_writer && t->writer[w] < x[i].at; w++)
			if (++looked > MAX_BETWEEN || !leaves(t, t->writer[w], x[i].at)) {
				lt__step_decide(t->s, -1, t->k->instructions[x->at].origin, t->k->buffers[x->buffer].origin,
					"a tile of %s is read across element by element: a store between its loads may change it",
					t->k->buffers[x->buffer].name);
				return false;
			}
	return true;
}

static void find_tiles(struct tiles_step *t)
{
	for (int32_t l = 0; l < t->n_load; ) {
		const struct tile_load *x = &t->load[l];
		int32_t first;
		if (!is_tile(t, x, &first)) {
			l++;
			continue;
		}
		for (uint32_t i = 0; i < x->lanes; i++)
			t->tile_at[x[i].at] = t->n_tile + 1;
		lt__step_decide(t->s, -1, t->k->instructions[first].origin, t->k->buffers[x->buffer].origin,
			"a tile of %" PRIu32 " rows of %s, %" PRId64 " apart, is loaded row by row and transposed in registers", x->lanes,
			t->k->buffers[x->buffer].name, x->stride);
		t->tile[t->n_tile++] = (struct square_tile){ x, first };
		l += (int32_t)x->lanes;
	}
	for (int32_t l = 0; l < t->n_load; l++)
		if (!t->tile_at[t->load[l].at])
			lt__step_decide(t->s, -1, t->k->instructions[t->load[l].at].origin, t->k->buffers[t->load[l].buffer].origin,
				"lanes of %s are %" PRId64 " elements apart, each is loaded alone: no %" PRIu32 " loads side by side make a tile",
				t->k->buffers[t->load[l].buffer].name, t->load[l].stride, t->load[l].lanes);
}

/* Blocks of `apart` elements off the diagonal of blocks of twice that change places. */
static void exchange(struct tiles_step *t, const struct lt_instruction *load, int n, int apart, int32_t *row)
{
	for (int i = 0; i < n; i++) {
		int32_t made[2];
		if (i & apart)
			continue;
		for (int second = 0; second < 2; second++) {
			int64_t lane[LT_MAX_LANES];
			for (int e = 0; e < n; e++)
				lane[e] = e & apart ? n + e - (second ? 0 : apart) : e + (second ? apart : 0);
			made[second] = lt__build(&t->s->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle, .dtype = load->dtype,
				.lanes = load->lanes, .operand = { row[i], row[i + apart], -1, -1 }, .what = -1, .origin = load->origin,
				.first_extra = lt__build_extras(&t->s->b, lane, n), .n_extra = n });
		}
		row[i] = made[0];
		row[i + apart] = made[1];
	}
}

/* All of the tile, where its first load stood. */
static void add_tile(struct tiles_step *t, const struct square_tile *x)
{
	int32_t row[LT_MAX_LANES];
	int n = (int)x->load->lanes;
	struct lt_instruction load = lt__rewrite_mapped(t->s, x->first);
	int64_t number = load.number, stride = load.stride, before = 0;
	for (int i = 0; i < n; i++)
		before = x->load[i].at == x->first ? i : before;
	load.stride = 1;
	for (int i = 0; i < n; i++) {
		load.number = (int64_t)((uint64_t)number - (uint64_t)before + (uint64_t)stride * (uint64_t)i);
		row[i] = lt__build(&t->s->b, load);
	}
	for (int apart = n / 2; apart > 0; apart /= 2)
		exchange(t, &load, n, apart, row);
	for (int i = 0; i < n; i++)
		t->s->to[x->load[i].at] = row[i];
}

bool lt__step_tiles(struct lt_stepping *s)
{
	struct tiles_step t = { .s = s, .k = s->k };
	struct lt_pool *p = &s->b.pool;
	const size_t n = (size_t)s->k->n_instruction + 1;
	bool any = false;
	for (uint32_t at = 0; at < s->k->n_instruction; at++)
		any = any || is_across(&t, &s->k->instructions[at]);
	if (!any)
		return false;
	t.values = lt__address_values(s->k, p);
	t.load = lt__pool_alloc(p, n, sizeof *t.load);
	t.tile = lt__pool_alloc(p, n, sizeof *t.tile);
	t.tile_at = lt__pool_alloc(p, n, sizeof *t.tile_at);
	t.writer = lt__pool_alloc(p, n, sizeof *t.writer);
	find_loads(&t, lt__step_blocks(s));
	find_tiles(&t);
	if (!t.n_tile)
		return false;
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			const struct square_tile *x = t.tile_at[at] ? &t.tile[t.tile_at[at] - 1] : NULL;
			if (!x)
				(void)lt__rewrite_copy(s, at);
			else if (x->first == at)
				add_tile(&t, x);
		}
	}
	return true;
}
