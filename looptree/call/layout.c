/* layout.c -- which orders in memory a routine takes that does not take any: those of a BLAS.
 *
 * Dims of one role are one dim if each goes on where the ones inside of it end, in every operand.  A matrix then has
 * two dims: along one its elements lie side by side, along the other such lines do not overlap.
 */
#include "looptree/call/call.h"

/* Dims of one role that are one. */
struct one_dim { int64_t extent, stride[LT_CALL_MAX]; };

/* The dim of a role behind `after`, by its stride in operand o; -1: there is no more. */
static int32_t dim_behind(const struct lt_callshape *c, int32_t role, int32_t o, int32_t after)
{
	int32_t best = -1;
	for (int32_t d = 0; d < c->n_dim; d++) {
		int64_t s = c->stride[o][d];
		if (c->role[d] != role || c->extent[d] == 1)
			continue;
		if (after >= 0 && (s < c->stride[o][after] || (s == c->stride[o][after] && d <= after)))
			continue;
		if (best < 0 || s < c->stride[o][best])
			best = d;
	}
	return best;
}

static const char *fold(struct lt_arena *a, const struct lt_callshape *c, int32_t role, struct one_dim *out)
{
	static const char *const names[] = { "batches", "rows", "columns", "deep dims" };
	const int32_t by = role == LT_DIM_DEEP ? LT_CALL_LEFT : LT_CALL_RESULT;
	int32_t last = dim_behind(c, role, by, -1);
	*out = (struct one_dim){ .extent = 1 };
	for (int32_t o = 0; o < c->n_operand && last >= 0; o++)
		out->stride[o] = c->stride[o][last];
	out->extent = last < 0 ? 1 : c->extent[last];
	for (int32_t d = last; d >= 0 && (d = dim_behind(c, role, by, d)) >= 0; last = d) {
		for (int32_t o = 0; o < c->n_operand; o++)
			if (c->stride[o][d] != out->stride[o] * out->extent)
				return lt__arena_format(a,
					"the %s %s and %s of %%%s do not lie one in the other, as the routine requires; stage or materialize it outside",
					names[role], c->var[d], c->var[last], c->name[o]);
		if (lt__mul_overflow(out->extent, c->extent[d], &out->extent))
			out->extent = INT64_MAX;
	}
	return NULL;
}

/* Side by side along x, with lines that do not overlap along y. */
static bool lies_by(const struct one_dim *x, const struct one_dim *y, int32_t o)
{
	return (x->extent == 1 || x->stride[o] == 1) && (y->extent == 1 || y->stride[o] >= x->extent);
}

const char *lt__layout_refuses(struct lt_arena *a, const struct lt_callshape *c)
{
	struct one_dim one[LT_DIM_DEEP + 1];
	const bool biased = c->epilogues & LT_EPILOGUE_BIAS;
	for (int32_t role = LT_DIM_ROW; role <= LT_DIM_DEEP; role++) {
		const char *why = fold(a, c, role, &one[role]);
		if (why)
			return why;
	}
	const struct one_dim *row = &one[LT_DIM_ROW], *column = &one[LT_DIM_COLUMN], *deep = &one[LT_DIM_DEEP];
	const bool along_columns = lies_by(column, row, LT_CALL_RESULT);
	int32_t wrong = along_columns || lies_by(row, column, LT_CALL_RESULT) ? -1 : LT_CALL_RESULT;
	if (wrong < 0 && !lies_by(row, deep, LT_CALL_LEFT) && !lies_by(deep, row, LT_CALL_LEFT))
		wrong = LT_CALL_LEFT;
	if (wrong < 0 && !lies_by(column, deep, LT_CALL_RIGHT) && !lies_by(deep, column, LT_CALL_RIGHT))
		wrong = LT_CALL_RIGHT;
	if (wrong >= 0)
		return lt__arena_format(a,
			"%%%s lies side by side along neither of its two dims, as the routine requires; stage or materialize it outside",
			c->name[wrong]);
	if (biased && column->extent > 1 && (!along_columns || column->stride[LT_CALL_RIGHT + 1] != 1))
		return lt__arena_format(a,
			"%%%s does not lie side by side along the columns, as the routine requires of %s; stage or materialize it outside",
			c->name[along_columns ? LT_CALL_RIGHT + 1 : LT_CALL_RESULT], along_columns ? "a bias" : "a result with a bias");
	int32_t o = c->n_operand - 1;
	if (c->epilogues & LT_EPILOGUE_RESIDUAL && (along_columns ? !lies_by(column, row, o) : !lies_by(row, column, o)))
		return lt__arena_format(a, "%%%s does not lie along the dim that %%%s lies along, as the routine requires of a "
			"residual; stage or materialize it outside", c->name[o], c->name[LT_CALL_RESULT]);
	return NULL;
}
