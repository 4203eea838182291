/* routine.c -- the rows of a target's table of routines, and whether one takes a call: its types, dims and epilogues,
 * and where its operands lie in memory.
 */
#include <string.h>
#include "looptree/call/call.h"

int32_t lt__routine_count(const struct lt_target *t)
{
	return t && t->size >= offsetof(struct lt_target, routines) + sizeof t->routines ? (int32_t)t->routines.n : 0;
}

const struct lt_routine *lt__routine_at(const struct lt_target *t, int32_t i)
{
	return LT_AT(struct lt_routine, t->routines, i);
}

bool lt__routine_is_graph(const struct lt_target *t, int32_t i)
{
	return lt__routine_at(t, i)->pattern == LT_PATTERN_GRAPH && LT_AT_HAS(struct lt_routine, t->routines, max_anchors)
		&& lt__routine_is_sound(lt__routine_at(t, i));
}

bool lt__routine_is_wide(const struct lt_target *t, const struct lt_routine *r)
{
	return LT_AT_HAS(struct lt_routine, t->routines, wide) && r->wide;
}

bool lt__routine_is_sound(const struct lt_routine *r)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	return r->name && *r->name && !r->name[strspn(r->name, letters)]
		&& (r->pattern == LT_PATTERN_NONE || (r->sum > 0 && r->sum < LT_NDTYPE));
}

int64_t lt__call_flops(const struct lt_callshape *c)
{
	int64_t n = 2;
	for (int32_t d = 0; d < c->n_dim; d++)
		if (lt__mul_overflow(n, c->extent[d], &n))
			return INT64_MAX;
	return n;
}

bool lt__dtype_as_wide(uint32_t a, uint32_t b)
{
	const struct lt_dtypeinfo *x = lt__dtype_info((enum lt_dtype)a), *y = lt__dtype_info((enum lt_dtype)b);
	return a == b || (x->cls == y->cls && y->bytes > x->bytes);
}

const char *lt__dtype_list(struct lt_arena *a, uint64_t set)
{
	struct lt_text x = { .arena = a };
	for (uint32_t t = 1; t < LT_NDTYPE; t++)
		if (set >> t & 1)
			lt__text_format(&x, "%s%s", x.n ? ", " : "", lt__dtype_info((enum lt_dtype)t)->name);
	return x.n ? x.at : "nothing";
}

static const struct { uint32_t bit; const char *name;
} epilogues[] = {
	{ LT_EPILOGUE_BIAS, "a bias" },
	{ LT_EPILOGUE_RESIDUAL, "a residual" },
	{ LT_EPILOGUE_RELU, "a ReLU" },
	{ LT_EPILOGUE_GELU, "a GELU by erf" },
	{ LT_EPILOGUE_GELU_TANH, "a GELU by tanh" },
	{ LT_EPILOGUE_SILU, "a SiLU" },
};

/* Below this the loops are faster.  On a device, a float32 product with a row and a column dim that fill tiles of its
 * own (default/product_simt.c) keeps up for longer: a routine's shapes are for products that fill it.  Short dims make
 * no tile, however many there are. */
int64_t lt__routine_min_flops(
	const struct lt_target *target, const struct lt_routine *r, const struct lt_callshape *c)
{
	enum { LONGER = 5 };
	int64_t longest[LT_DIM_DEEP + 1] = { 0 }, flops;
	for (int32_t i = 0; i < c->n_dim; i++)
		if (c->extent[i] > longest[c->role[i]])
			longest[c->role[i]] = c->extent[i];
	if (!target->warp || longest[LT_DIM_ROW] < LT_MIN_TILE_SIDE || longest[LT_DIM_COLUMN] < LT_MIN_TILE_SIDE
		|| c->sum != LT_F32 || c->dtype[LT_CALL_LEFT] != LT_F32 || lt__mul_overflow(r->min_flops, LONGER, &flops))
		return r->min_flops;
	return flops;
}

/* -- Which orders in memory a routine takes that does not take any: those of a BLAS.
 *
 * Dims of one role are one dim if each goes on where the ones inside of it end, in every operand.  A matrix then has
 * two dims: along one its elements lie side by side, along the other such lines do not overlap.
 */

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

/* Whether dim d goes on in every operand where x ends. */
static bool goes_on(const struct lt_callshape *c, const struct one_dim *x, int32_t d)
{
	int64_t end;
	for (int32_t o = 0; o < c->n_operand; o++)
		if (lt__mul_overflow(x->stride[o], x->extent, &end) || c->stride[o][d] != end)
			return false;
	return true;
}

static struct one_dim one_dim_of(const struct lt_callshape *c, int32_t d)
{
	struct one_dim x = { .extent = c->extent[d] };
	for (int32_t o = 0; o < c->n_operand; o++)
		x.stride[o] = c->stride[o][d];
	return x;
}

static void go_on(struct one_dim *x, int64_t extent)
{
	if (lt__mul_overflow(x->extent, extent, &x->extent))
		x->extent = INT64_MAX;
}

/* Whether elements of an operand lie side by side along x. */
static bool is_dense(const struct lt_callshape *c, const struct one_dim *x)
{
	for (int32_t o = 0; o < c->n_operand; o++)
		if (x->stride[o] == 1)
			return true;
	return false;
}

/* Of dims of a role that do not lie one in the other, the matrix keeps those along which an operand is dense, for it
 * has no other dim for that; else those of the most elements.  Columns that a bias has cannot be batches. */
static void split_role(struct lt_callshape *c, int32_t role)
{
	struct one_dim group[LT_MAX_RANK];
	int32_t of[LT_MAX_RANK], n = 0, best = 0;
	for (int32_t d = -1; (d = dim_behind(c, role, LT_CALL_RESULT, d)) >= 0; of[d] = n - 1) {
		if (c->stride[LT_CALL_RESULT][d] < 0)           /* backwards, or not known yet */
			return;
		if (n > 0 && goes_on(c, &group[n - 1], d))
			go_on(&group[n - 1], c->extent[d]);
		else
			group[n++] = one_dim_of(c, d);
	}
	for (int32_t i = 1; i < n; i++)
		if (is_dense(c, &group[i]) != is_dense(c, &group[best]) ? is_dense(c, &group[i])
			: group[i].extent > group[best].extent)
			best = i;
	for (int32_t i = 0; i < n; i++)
		if (i != best && c->epilogues & LT_EPILOGUE_BIAS && group[i].stride[LT_CALL_RIGHT + 1])
			return;
	for (int32_t d = 0; d < c->n_dim; d++)
		if (c->role[d] == role && c->extent[d] > 1 && of[d] != best)
			c->role[d] = LT_DIM_BATCH;
}

static const char *fold(struct lt_arena *a, const struct lt_callshape *c, int32_t role, struct one_dim *out)
{
	static const char *const names[] = { "batches", "rows", "columns", "deep dims" };
	const int32_t by = role == LT_DIM_DEEP ? LT_CALL_LEFT : LT_CALL_RESULT;
	int32_t last = dim_behind(c, role, by, -1);
	*out = last < 0 ? (struct one_dim){ .extent = 1 } : one_dim_of(c, last);
	for (int32_t d = last; d >= 0 && (d = dim_behind(c, role, by, d)) >= 0; last = d) {
		for (int32_t o = 0; o < c->n_operand; o++)
			if (c->stride[o][d] != out->stride[o] * out->extent)
				return lt__arena_format(a,
					"the %s %s and %s of %%%s do not lie one in the other, as the routine requires; stage or materialize it outside",
					names[role], c->var[d], c->var[last], c->name[o]);
		go_on(out, c->extent[d]);
	}
	return NULL;
}

/* Side by side along x, with lines that do not overlap along y. */
static bool lies_by(const struct one_dim *x, const struct one_dim *y, int32_t o)
{
	return (x->extent == 1 || x->stride[o] == 1) && (y->extent == 1 || y->stride[o] >= x->extent);
}

/* NULL: operands lie as a BLAS takes them; else a sentence. */
static const char *layout_refuses(struct lt_arena *a, const struct lt_callshape *c)
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

/* Whether a BLAS takes it where some of the rows and columns are batches, which share the factor that does not have
 * them. */
static bool lies_in_batches(struct lt_arena *a, const struct lt_callshape *c)
{
	struct lt_callshape split = *c;
	split_role(&split, LT_DIM_ROW);
	split_role(&split, LT_DIM_COLUMN);
	return !layout_refuses(a, &split);
}

/* -- All that a row asks. */

const char *lt__routine_refuses(
	struct lt_arena *a, const struct lt_target *t, const struct lt_routine *r, const struct lt_callshape *c)
{
	const uint64_t bias = r->bias ? r->bias : r->result, residual = r->residual ? r->residual : r->result;
	const bool has_bias = (c->epilogues & LT_EPILOGUE_BIAS) != 0;
	const uint64_t takes[LT_CALL_MAX] = { r->result, r->left, r->right, has_bias ? bias : residual, residual };
	/* An interface that has no `wide` goes by the epilogues alone, and does not see the roundings between them. */
	if (r->pattern == LT_PATTERN_NONE && (!c->n_rounding || LT_AT_HAS(struct lt_routine, t->routines, wide)))
		return NULL;
	if (r->pattern != LT_PATTERN_NONE && r->pattern != c->pattern)
		return "the nest is not of the routine's pattern";
	if (c->n_rounding && !lt__routine_is_wide(t, r))
		return lt__arena_format(a, "%%%s rounds to %s between two operators, which %s does not do; end the call "
			"there, or allow that it is left out", c->rounded, lt__dtype_info((enum lt_dtype)c->rounded_to)->name, r->name);
	for (size_t i = 0; i < sizeof epilogues / sizeof *epilogues; i++)
		if (c->epilogues & ~r->epilogues & epilogues[i].bit)
			return lt__arena_format(a, "the routine adds no %s after the product; move it out", epilogues[i].name + 2);
	for (int32_t o = 0; o < c->n_operand; o++)
		if (!(takes[o] >> c->dtype[o] & 1))
			return lt__arena_format(a, "%%%s is %s as %s, and the routine takes %s there; cast it outside",
				c->name[o], o == LT_CALL_RESULT ? "written" : "read",
				lt__dtype_info((enum lt_dtype)c->dtype[o])->name, lt__dtype_list(a, takes[o]));
	if (!lt__dtype_as_wide(c->sum, r->sum))
		return lt__arena_format(a, "the graph adds in %s, and the routine in %s; cast outside",
			lt__dtype_info((enum lt_dtype)c->sum)->name, lt__dtype_info((enum lt_dtype)r->sum)->name);
	for (int32_t d = 0; d < c->n_dim && !(r->layouts & LT_LAYOUT_BATCH); d++)
		if (c->role[d] == LT_DIM_BATCH && c->extent[d] > 1)
			return lt__arena_format(a,
				"the product has the batch %s, and the routine takes none; put the call inside of a "
				"loop over it",
				c->var[d]);
	for (int32_t d = 0; d < c->n_dim && !(r->layouts & LT_LAYOUT_BOUNDED); d++)
		if (c->bounded[d])
			return lt__arena_format(a,
				"how many there are of %s follows from a run-time scalar, and the routine is told before", c->var[d]);
	return r->layouts & LT_LAYOUT_ANY || (r->layouts & LT_LAYOUT_BATCH && lies_in_batches(a, c)) ? NULL
		: layout_refuses(a, c);
}
