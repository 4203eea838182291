/* call.c -- what is handed to a routine, as one instruction of the host's (grid.h).
 *
 * The nest inside is only its meaning: no instruction is made of it, and its locals are nowhere.
 */
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

/* The call that a loop is, if it is known what it computes. */
static const struct lt_call *call_of(const struct lowering *l, int32_t loop)
{
	for (uint32_t i = 0; i < l->t->calls.n; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, l->t->calls, i);
		if (c->loop == loop)
			return c;
	}
	return NULL;
}

static lt_status check_call(const struct lowering *l, int32_t loop, struct lt_diag *diag)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	const struct lt_call *c = call_of(l, loop);
	const char *var = x->var ? x->var : "?", *routine = x->call ? x->call : "?";
	if (!c || c->pattern != LT_PATTERN_PRODUCT)
		return lt__report(diag, LT_EUNSUPPORTED, loop, -1, "remove the call: make it serial",
			"loop %s: what is handed to %s is no sum of products that a routine computes", var, routine);
	for (int32_t up = x->parent; up >= 0; up = lower_loop_at(l, up)->parent)
		if (lower_loop_at(l, up)->kind == LT_GRID || lower_loop_at(l, up)->kind == LT_BLOCK)
			return lt__report(diag, LT_EUNSUPPORTED, loop, -1, "put the call outside of it, or remove it",
				"loop %s: only the host calls %s, and the %s loop %s is around it", var, routine,
				lower_loop_at(l, up)->kind == LT_GRID ? "grid" : "block",
				lower_loop_at(l, up)->var ? lower_loop_at(l, up)->var : "?");
	return LT_OK;
}

lt_status lt__lower_find_calls(struct lowering *l, struct lt_diag *diag)
{
	for (int32_t i = 0; i < l->t->n_loop && l->machine.calls; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		bool inside = x->parent >= 0 && l->part[x->parent].called;
		l->part[i].called = inside || x->kind == LT_CALL;
		lt_status status = inside || x->kind != LT_CALL ? LT_OK : check_call(l, i, diag);
		if (status)
			return status;
	}
	return LT_OK;
}

/* How many elements a dim has here; none, if a bound is negative. */
static int32_t extent_of(struct lowering *l, const struct lt_call_dim *d)
{
	int32_t n = lt__lower_i64(l, d->extent);
	for (int32_t b = d->first_bound; b < d->first_bound + d->n_bound; b++)
		n = lt__lower_pure(l, LT_OPCODE_min, LT_I64, n, lt__lower_row(l, l->t->bounds[b]), -1, 0);
	return d->n_bound ? lt__lower_pure(l, LT_OPCODE_max, LT_I64, n, lt__lower_i64(l, 0), -1, 0) : n;
}

static const struct lt_call_dim *dim_at(const struct lowering *l, const struct lt_call *c, int32_t d)
{
	return LT_AT(struct lt_call_dim, l->t->call_dims, c->first_dim + d);
}

static const struct lt_call_operand *operand_at(const struct lowering *l, const struct lt_call *c, int32_t o)
{
	return LT_AT(struct lt_call_operand, l->t->call_operands, c->first_operand + o);
}

static int32_t describe_call(struct lowering *l, const struct lt_call *c)
{
	struct lt_kernel_call_dim *dim = lt__pool_alloc(&l->b.pool, (size_t)c->n_dim + 1, sizeof *dim);
	struct lt_kernel_call_operand *operand = lt__pool_alloc(&l->b.pool, (size_t)c->n_operand + 1, sizeof *operand);
	const char *routine = lower_loop_at(l, c->loop)->call;
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *x = dim_at(l, c, d);
		dim[d] = (struct lt_kernel_call_dim){ x->var ? x->var : "?", x->role, x->extent };
	}
	for (int32_t o = 0; o < c->n_operand; o++) {
		const struct lt_call_operand *x = operand_at(l, c, o);
		operand[o] = (struct lt_kernel_call_operand){ lt__lower_location(l, x->buffer), l->t->strides + x->first_stride };
	}
	return lt__build_call(&l->b, &(struct lt_kernel_call){ routine ? routine : "?", c->epilogues, c->sum, c->n_dim,
		c->n_operand, dim, operand, c->loop });
}

bool lt__lower_call(struct lowering *l, int32_t loop)
{
	const struct lt_call *c = l->part[loop].called ? call_of(l, loop) : NULL;
	if (!c)
		return false;
	int64_t *value = lt__pool_alloc(&l->b.pool, (size_t)(c->n_operand + c->n_dim) + 1, sizeof *value);
	l->b.origin = c->stmt;
	for (int32_t o = 0; o < c->n_operand; o++)
		value[o] = lt__lower_row(l, operand_at(l, c, o)->row);
	for (int32_t d = 0; d < c->n_dim; d++)
		value[c->n_operand + d] = extent_of(l, dim_at(l, c, d));
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_call, .operand = { -1, -1, -1, -1 },
		.what = describe_call(l, c), .origin = c->stmt,
		.first_extra = lt__build_extras(&l->b, value, c->n_operand + c->n_dim), .n_extra = c->n_operand + c->n_dim });
	return true;
}
