/* Whether a call or tile is one that the target's table has: by its row, or why not. */
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/schedule/schedule.h"

int32_t lt__routine_count(const struct lt_target *t)
{
	return t && t->size >= offsetof(struct lt_target, routines) + sizeof t->routines ? (int32_t)t->routines.n : 0;
}

const struct lt_routine *lt__routine_at(const struct lt_target *t, int32_t i)
{
	return LT_AT(struct lt_routine, t->routines, i);
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

/* Whether what is added in a has room in b. */
static bool is_as_wide(uint32_t a, uint32_t b)
{
	const struct lt_dtypeinfo *x = lt__dtype_info((enum lt_dtype)a), *y = lt__dtype_info((enum lt_dtype)b);
	return a == b || (x->cls == y->cls && y->bytes > x->bytes);
}

static const char *type_names(struct lt_arena *a, uint64_t set)
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
 * own (product_block.c) keeps up for longer: a routine's shapes are for products that fill it.  Short dims make no
 * tile, however many there are. */
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

const char *lt__routine_refuses(struct lt_arena *a, const struct lt_routine *r, const struct lt_callshape *c)
{
	const uint64_t bias = r->bias ? r->bias : r->result, residual = r->residual ? r->residual : r->result;
	const bool has_bias = (c->epilogues & LT_EPILOGUE_BIAS) != 0;
	const uint64_t takes[LT_CALL_MAX] = { r->result, r->left, r->right, has_bias ? bias : residual, residual };
	if (r->pattern == LT_PATTERN_NONE)
		return NULL;
	if (r->pattern != c->pattern)
		return "the nest is not of the routine's pattern";
	for (size_t i = 0; i < sizeof epilogues / sizeof *epilogues; i++)
		if (c->epilogues & ~r->epilogues & epilogues[i].bit)
			return lt__arena_format(a, "the routine adds no %s after the product; move it out", epilogues[i].name + 2);
	for (int32_t o = 0; o < c->n_operand; o++)
		if (!(takes[o] >> c->dtype[o] & 1))
			return lt__arena_format(a, "%%%s is %s as %s, and the routine takes %s there; cast it outside",
				c->name[o], o == LT_CALL_RESULT ? "written" : "read",
				lt__dtype_info((enum lt_dtype)c->dtype[o])->name, type_names(a, takes[o]));
	if (!is_as_wide(c->sum, r->sum))
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
	return r->layouts & LT_LAYOUT_ANY ? NULL : lt__layout_refuses(a, c);
}

/* Whether a row depends on run-time scalars, through divs, too. */
static bool has_params(const struct lt_tree *x, int32_t row)
{
	const int64_t *r = x->rows + (int64_t)row * x->n_column;
	for (int32_t p = 0; p < x->n_param; p++)
		if (r[1 + p])
			return true;
	for (int32_t d = 0; d < x->n_div; d++)
		if (r[1 + x->n_param + x->n_loop + d] && has_params(x, LT_AT(struct lt_div, x->divs, d)->row))
			return true;
	return false;
}

/* The call as the table of routines is asked about it. */
static void shape_of(const struct lt_looptree *t, const struct lt_frozen *f, int32_t i, struct lt_callshape *out)
{
	const struct lt_tree *x = &f->tree;
	const struct lt_call *c = LT_AT(struct lt_call, x->calls, i);
	*out = (struct lt_callshape){ .pattern = (uint32_t)c->pattern,
		.epilogues = c->epilogues,
		.sum = c->sum,
		.n_dim = c->n_dim,
		.n_operand = c->n_operand };
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, x->call_dims, c->first_dim + d);
		out->role[d] = dim->role;
		out->extent[d] = dim->extent;
		out->var[d] = dim->var;
		for (int32_t b = 0; b < dim->n_bound; b++)
			out->bounded[d] = out->bounded[d] || has_params(x, x->bounds[dim->first_bound + b]);
	}
	for (int32_t o = 0; o < c->n_operand; o++) {
		const struct lt_call_operand *p = LT_AT(struct lt_call_operand, x->call_operands, c->first_operand + o);
		const struct lt_buffer *b = LT_AT(struct lt_buffer, x->buffers, p->buffer);
		out->dtype[o] = LT_AT(struct lt_type, x->types, b->type)->dtype;
		out->name[o] = t->graph->node[f->call[i].operand[o]].name;
		for (int32_t d = 0; d < c->n_dim; d++)
			out->stride[o][d] = x->strides[p->first_stride + d];
	}
}

static const char *names_of(struct lt_arena *a, const struct lt_target *target)
{
	struct lt_text x = { .arena = a };
	for (int32_t i = 0; i < lt__routine_count(target); i++) {
		bool known = !lt__routine_is_sound(lt__routine_at(target, i));
		for (int32_t k = 0; k < i && !known; k++)
			known = lt__routine_is_sound(lt__routine_at(target, k))
				&& !strcmp(lt__routine_at(target, k)->name, lt__routine_at(target, i)->name);
		if (!known)
			lt__text_format(&x, "%s%s", x.n ? ", " : "", lt__routine_at(target, i)->name);
	}
	return x.n ? x.at : "none";
}

struct check {
	const struct lt_looptree *t;
	const struct lt_frozen *f;
	const struct lt_target *target;
	struct lt_arena *a;
};

/* A name may have several rows: one has to fit. */
static lt_status check_call(const struct check *x, int32_t i)
{
	const struct lt_call *c = LT_AT(struct lt_call, x->f->tree.calls, i);
	const struct lt_call_reason *reason = &x->f->call[i];
	const char *name = x->t->node[reason->at].call, *why = NULL;
	struct lt_callshape shape;
	bool known = false;
	if (x->t->node[reason->at].loop == LT_TILE)
		return lt__check_tile(x->t, reason, c->pattern != LT_PATTERN_NONE, x->target, x->a);
	if (lt__routine_count(x->target) == 0)
		return LT_OK;
	shape_of(x->t, x->f, i, &shape);
	for (int32_t k = 0; k < lt__routine_count(x->target); k++) {
		const struct lt_routine *r = lt__routine_at(x->target, k);
		if (!lt__routine_is_sound(r) || strcmp(r->name, name) != 0)
			continue;
		known = true;
		if (r->pattern == LT_PATTERN_NONE)
			return LT_OK;
		const char *refusal = c->pattern == LT_PATTERN_NONE ? reason->why : lt__routine_refuses(x->a, r, &shape);
		if (!refusal)
			return LT_OK;
		why = why ? why : refusal;
	}
	if (!known)
		return lt__tree_fail(x->t, reason->at, LT_EILLEGAL,
			"`call %s` on %s: %s has no routine of that name; it has %s", name, reason->where,
			x->target->name ? x->target->name : "the target", names_of(x->a, x->target));
	return lt__tree_fail(x->t, reason->at, LT_EILLEGAL, "`call %s` on %s: %s", name, reason->where, why);
}

static lt_status check_body(void *arg)
{
	const struct check *x = arg;
	for (int32_t i = 0; i < (int32_t)x->f->tree.calls.n; i++)
		LT_TRY(check_call(x, i));
	return LT_OK;
}

lt_status lt__check_calls(const struct lt_looptree *t, const struct lt_frozen *f, const struct lt_target *target)
{
	struct check x = { t, f, target, NULL };
	if (!target || f->tree.calls.n == 0)
		return LT_OK;
	LT_TRY(lt__arena_new(t->ctx, &x.a));
	lt_status st = lt__protect(t->ctx, check_body, &x);
	lt__arena_free(x.a);
	return st;
}
