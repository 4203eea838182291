/* call.c -- what is handed to a routine, as one instruction of the host's (grid.h).
 *
 * The nest inside is only its meaning: no instruction is made of it, and its locals are nowhere.
 */
#include <string.h>
#include "kernel/build/build.h"
#include "kernel/lower/grid.h"

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

/* Trees of hosts before 1.1 have no descriptions. */
static bool has_description(const struct lowering *l)
{
	return l->t->size >= offsetof(struct lt_tree, call_windows) + sizeof l->t->call_windows
		&& LT_AT_HAS(struct lt_call, l->t->calls, undescribed);
}
static bool is_described(const struct lowering *l, const struct lt_call *c)
{
	return has_description(l) && c->n_result > 0 && c->n_op > 0;
}

static lt_status check_call(const struct lowering *l, int32_t loop, struct lt_diag *diag)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	const struct lt_call *c = call_of(l, loop);
	const char *var = x->var ? x->var : "?", *routine = x->call ? x->call : "?";
	if (!c || (c->pattern != LT_PATTERN_PRODUCT && !is_described(l, c)))
		return lt__report(diag, LT_EUNSUPPORTED, loop, -1, "remove the call: make it serial",
			"loop %s: what is handed to %s is nothing that a routine computes%s%s", var, routine,
			c && has_description(l) && c->undescribed ? ": " : "",
			c && has_description(l) && c->undescribed ? c->undescribed : "");
	for (int32_t r = 0; has_description(l) && r < c->n_read; r++)
		if (LT_AT(struct lt_call_read, l->t->call_reads, c->first_read + r)->n_guard > LT_MAX_CALL_GUARDS)
			return lt__report(diag, LT_EUNSUPPORTED, loop, -1, "materialize it outside",
				"loop %s: what is handed to %s reads a view whose border is of more than %d conditions", var, routine,
				(int)LT_MAX_CALL_GUARDS);
	for (int32_t o = 0; has_description(l) && o < c->n_op; o++)
		if (!LT_AT(struct lt_op, l->t->ops, LT_AT(struct lt_call_op, l->t->call_ops, c->first_op + o)->op)->opcode)
			return lt__report(diag, LT_EUNSUPPORTED, loop, -1, "remove the call: make it serial",
				"loop %s: what is handed to %s has an operator of which there is only a text", var, routine);
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
		operand[o] = (struct lt_kernel_call_operand){ .buffer = lt__lower_location(l, x->buffer),
			.strides = l->t->strides + x->first_stride };
	}
	return lt__build_call(&l->b, &(struct lt_kernel_call){ .routine = routine ? routine : "?", .epilogues = c->epilogues,
		.sum = c->sum, .n_dim = c->n_dim, .n_operand = c->n_operand, .dims = dim, .operands = operand, .origin = c->loop });
}

/* -- by its description -- */

/* Values of a call's instruction, in their order. */
struct call_values { int64_t *at; int32_t n; };
static void put(struct call_values *v, int32_t value) { v->at[v->n++] = value; }
static const int64_t *strides_at(const struct lowering *l, int32_t first) { return l->t->strides + first; }

static int32_t n_of_values(const struct lowering *l, const struct lt_call *c)
{
	int32_t n = c->n_result + c->n_read + c->n_axis;
	for (int32_t r = 0; r < c->n_read; r++)
		n += LT_AT(struct lt_call_read, l->t->call_reads, c->first_read + r)->n_guard;
	for (int32_t o = 0; o < c->n_op; o++)
		n += LT_AT(struct lt_call_op, l->t->call_ops, c->first_op + o)->n_value;
	return n;
}

static void lower_results(struct lowering *l, const struct lt_call *c, struct lt_kernel_call_operand *to,
	struct call_values *v)
{
	for (int32_t r = 0; r < c->n_result; r++) {
		const struct lt_call_result *x = LT_AT(struct lt_call_result, l->t->call_results, c->first_result + r);
		to[r] = (struct lt_kernel_call_operand){ .buffer = lt__lower_location(l, x->buffer), .op = x->op,
			.strides = strides_at(l, x->first_stride) };
		put(v, lt__lower_row(l, x->row));
	}
	for (int32_t r = 0; r < c->n_read; r++) {
		const struct lt_call_read *x = LT_AT(struct lt_call_read, l->t->call_reads, c->first_read + r);
		int64_t *guard = lt__pool_alloc(&l->b.pool, (size_t)(x->n_guard * c->n_axis) + 1, sizeof *guard);
		for (int32_t g = 0; g < x->n_guard; g++)
			memcpy(guard + (int64_t)g * c->n_axis,
				strides_at(l, LT_AT(struct lt_call_guard, l->t->call_guards, x->first_guard + g)->first_stride),
				sizeof *guard * (size_t)c->n_axis);
		to[c->n_result + r] = (struct lt_kernel_call_operand){ .buffer = lt__lower_location(l, x->buffer),
			.strides = strides_at(l, x->first_stride), .n_guard = x->n_guard, .guards = guard, .fill = x->fill };
		put(v, lt__lower_row(l, x->row));
	}
}

static const struct lt_kernel_call_op *lower_ops(struct lowering *l, const struct lt_call *c)
{
	struct lt_kernel_call_op *op = lt__pool_alloc(&l->b.pool, (size_t)c->n_op + 1, sizeof *op);
	for (int32_t o = 0; o < c->n_op; o++) {
		const struct lt_call_op *x = LT_AT(struct lt_call_op, l->t->call_ops, c->first_op + o);
		const struct lt_op *is = LT_AT(struct lt_op, l->t->ops, x->op);
		struct lt_kernel_call_value *value = lt__pool_alloc(&l->b.pool, (size_t)x->n_value + 1, sizeof *value);
		for (int32_t v = 0; v < x->n_value; v++) {
			const struct lt_call_value *from = LT_AT(struct lt_call_value, l->t->call_values, x->first_value + v);
			value[v] = (struct lt_kernel_call_value){ from->kind, from->at, from->dtype, from->bits,
				from->kind == LT_VALUE_PLACE ? strides_at(l, from->first_stride) : NULL };
		}
		op[o] = (struct lt_kernel_call_op){ x->kind, x->may_skip, is->opcode, is->out, x->axes, x->reduced, x->n_value,
			value };
	}
	return op;
}

static void lower_description(struct lowering *l, const struct lt_call *c)
{
	const int32_t n = c->n_result + c->n_read;
	struct call_values v = { .at = lt__pool_alloc(&l->b.pool, (size_t)n_of_values(l, c) + 1, sizeof *v.at) };
	struct lt_kernel_call_dim *dim = lt__pool_alloc(&l->b.pool, (size_t)c->n_axis + 1, sizeof *dim);
	struct lt_kernel_call_operand *operand = lt__pool_alloc(&l->b.pool, (size_t)n + 1, sizeof *operand);
	const char *routine = lower_loop_at(l, c->loop)->call;
	lower_results(l, c, operand, &v);
	for (int32_t a = 0; a < c->n_axis; a++) {
		const struct lt_call_dim *x = LT_AT(struct lt_call_dim, l->t->call_dims, c->first_axis + a);
		dim[a] = (struct lt_kernel_call_dim){ x->var ? x->var : "?", x->role, x->extent };
		put(&v, extent_of(l, x));
	}
	for (int32_t r = 0; r < c->n_read; r++) {
		const struct lt_call_read *x = LT_AT(struct lt_call_read, l->t->call_reads, c->first_read + r);
		for (int32_t g = 0; g < x->n_guard; g++)
			put(&v, lt__lower_row(l, LT_AT(struct lt_call_guard, l->t->call_guards, x->first_guard + g)->row));
	}
	for (int32_t o = 0; o < c->n_op; o++) {
		const struct lt_call_op *x = LT_AT(struct lt_call_op, l->t->call_ops, c->first_op + o);
		for (int32_t i = 0; i < x->n_value; i++) {
			const struct lt_call_value *from = LT_AT(struct lt_call_value, l->t->call_values, x->first_value + i);
			if (from->kind == LT_VALUE_PLACE)
				put(&v, lt__lower_row(l, from->row));
		}
	}
	int32_t call = lt__build_call(&l->b, &(struct lt_kernel_call){ .routine = routine ? routine : "?", .n_dim = c->n_axis,
		.n_operand = n, .dims = dim, .operands = operand, .origin = c->loop, .n_result = c->n_result, .n_op = c->n_op,
		.ops = lower_ops(l, c) });
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_call, .operand = { -1, -1, -1, -1 }, .what = call,
		.origin = c->stmt, .first_extra = lt__build_extras(&l->b, v.at, v.n), .n_extra = v.n });
}

/* Of a product: of one that has another pattern there is nothing else. */
static bool wants_description(const struct lowering *l, int32_t loop)
{
	const char *routine = lower_loop_at(l, loop)->call;
	return l->machine.calls > 1 || (l->machine.described && routine && strcmp(l->machine.described, routine) == 0);
}

bool lt__lower_call(struct lowering *l, int32_t loop)
{
	const struct lt_call *c = l->part[loop].called ? call_of(l, loop) : NULL;
	if (!c)
		return false;
	l->b.origin = c->stmt;
	if (c->pattern != LT_PATTERN_PRODUCT || (wants_description(l, loop) && is_described(l, c))) {
		lower_description(l, c);
		return true;
	}
	int64_t *value = lt__pool_alloc(&l->b.pool, (size_t)(c->n_operand + c->n_dim) + 1, sizeof *value);
	for (int32_t o = 0; o < c->n_operand; o++)
		value[o] = lt__lower_row(l, operand_at(l, c, o)->row);
	for (int32_t d = 0; d < c->n_dim; d++)
		value[c->n_operand + d] = extent_of(l, dim_at(l, c, d));
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_call, .operand = { -1, -1, -1, -1 },
		.what = describe_call(l, c), .origin = c->stmt,
		.first_extra = lt__build_extras(&l->b, value, c->n_operand + c->n_dim), .n_extra = c->n_operand + c->n_dim });
	return true;
}
