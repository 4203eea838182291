/* tile.c -- matrix instructions by name, and whether a nest is what one of them computes: of its extents and types,
 * exactly. */
#include <string.h>
#include "looptree/call/call.h"

static const struct lt_tile_row rows[] = { LT_TILE_MAP(LT_TILE_ROW) };

const struct lt_tile_row *lt__tile_find(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].matrix.name, name) == 0)
			return &rows[i];
	return NULL;
}

/* The axes of an instruction by the roles of dims. */
static const int32_t axis_of_role[] = { [LT_DIM_BATCH] = -1, [LT_DIM_ROW] = 0, [LT_DIM_COLUMN] = 1, [LT_DIM_DEEP] = 2 };
static const char *const axis_name[] = { "rows", "columns", "terms of a sum" };

static const char *refuses_dim(struct lt_arena *a, const struct lt_tile_row *row, const struct lt_callshape *c,
	int32_t d, bool bounded)
{
	int32_t axis = axis_of_role[c->role[d]];
	if (axis < 0)
		return lt__arena_format(a, "both factors have %s; put the tile inside of a loop over it", c->var[d]);
	int64_t want = row->matrix.extent[axis];
	if (c->extent[d] != want)
		return lt__arena_format(a, "it has %lld %s (%s), and the instruction takes %lld; %s %s in steps of %lld around "
			"it",
			(long long)c->extent[d], axis_name[axis], c->var[d], (long long)want,
			c->extent[d] > want ? "cut the loop over" : "pad a loop over", c->var[d], (long long)want);
	return bounded ? lt__arena_format(a, "there may be fewer than %lld iterations over %s; give the loop over %s that has "
		"a partial one tail pad", (long long)want, c->var[d], c->var[d]) : NULL;
}

static const char *refuses_dims(
	struct lt_arena *a, const struct lt_tile_row *row, const struct lt_callshape *c, const bool *bounded)
{
	int32_t found[3] = { 0, 0, 0 };
	for (int32_t d = 0; d < c->n_dim; d++) {
		const char *why = c->extent[d] == 1 && !bounded[d] ? NULL : refuses_dim(a, row, c, d, bounded[d]);
		if (why)
			return why;
		if (c->extent[d] > 1)
			found[axis_of_role[c->role[d]]]++;
	}
	for (int i = 0; i < 3; i++)
		if (found[i] != 1)
			return lt__arena_format(a, "it has %s loops over %s, and the instruction takes one of %lld", found[i] ? "several"
				: "no", axis_name[i], (long long)row->matrix.extent[i]);
	return NULL;
}

const char *lt__tile_refuses(
	struct lt_arena *a, const struct lt_tile_row *row, const struct lt_callshape *c, const bool *bounded)
{
	static const int part[] = { LT_MATRIX_C, LT_MATRIX_A, LT_MATRIX_B };
	if (c->epilogues)
		return "the instruction adds products, and nothing follows; move what follows the sum out";
	for (int32_t o = 0; o < 3; o++) {
		uint32_t want = row->matrix.part[part[o]].dtype;
		if (c->dtype[o] != want)
			return lt__arena_format(a, "%%%s is %s in memory, and the instruction %s %s there; %s", c->name[o],
				lt__dtype_info((enum lt_dtype)c->dtype[o])->name, o ? "reads" : "adds to",
				lt__dtype_info((enum lt_dtype)want)->name, o ? "stage it before it is cast" : "move the cast of the sum out");
	}
	if (c->sum != row->matrix.part[LT_MATRIX_C].dtype)
		return "the graph adds in another type than the instruction";
	return refuses_dims(a, row, c, bounded);
}
