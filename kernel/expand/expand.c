/* expand.c -- the step of lt_kernel_expand: a program is copied, and operators that the machine does not have
 * become others (expand.h).
 */
#include <stdlib.h>
#include <string.h>
#include "kernel/expand/expand.h"
#include "kernel/build/build.h"

static const struct lt_machine_operator c99[] = {
#define FLOAT_OPERATOR(name) { LT_OPCODE_##name, EXPAND_FLOATS, 0, 0 }
	FLOAT_OPERATOR(abs), FLOAT_OPERATOR(remainder), FLOAT_OPERATOR(pow), FLOAT_OPERATOR(exp), FLOAT_OPERATOR(log),
	FLOAT_OPERATOR(sqrt), FLOAT_OPERATOR(tanh), FLOAT_OPERATOR(erf), FLOAT_OPERATOR(sin), FLOAT_OPERATOR(cos),
	FLOAT_OPERATOR(floor), FLOAT_OPERATOR(ceil), FLOAT_OPERATOR(round),
#undef FLOAT_OPERATOR
};

const struct lt_machine_operator *lt_kernel_c99(uint32_t *n)
{
	*n = sizeof c99 / sizeof *c99;
	return c99;
}

/* What stands before the regions; names are unique already. */
static void expand_head(struct expansion *e)
{
	const struct lt_kernel *k = e->k;
	struct lt_kernel_builder *b = &e->b;
	b->name = lt__build_string(b, k->name);
	b->prelude = lt__build_string(b, k->prelude);
	b->buffer = lt__pool_alloc(&b->pool, k->n_buffer + 1u, sizeof *b->buffer);
	b->variable = lt__pool_alloc(&b->pool, k->n_variable + 1u, sizeof *b->variable);
	b->n_buffer = b->cap_buffer = (int32_t)k->n_buffer;
	b->n_variable = b->cap_variable = (int32_t)k->n_variable;
	for (uint32_t i = 0; i < k->n_buffer; i++) {
		b->buffer[i] = k->buffers[i];
		b->buffer[i].name = lt__build_string(b, k->buffers[i].name);
	}
	for (uint32_t i = 0; i < k->n_variable; i++) {
		b->variable[i] = k->variables[i];
		b->variable[i].name = lt__build_string(b, k->variables[i].name);
	}
	for (uint32_t i = 0; i < k->n_param; i++)
		(void)lt__build_param(b, &k->params[i]);
	for (uint32_t i = 0; i < k->n_op; i++)
		(void)lt__build_op(b, &k->ops[i]);
	for (uint32_t i = 0; i < k->n_call; i++)
		(void)lt__build_call(b, &k->calls[i]);
	b->n_slot = (int32_t)k->n_slot;
	b->workspace_bytes = k->workspace_bytes;
	b->thread_bytes = k->thread_bytes;
}

static int32_t expand_now(const struct expansion *e, int32_t value) { return value < 0 ? value : e->now[value]; }

/* The instruction as it is. */
static int32_t expand_copy(struct expansion *e, const struct lt_instruction *i)
{
	struct lt_instruction copy = *i;
	bool values = lt__opcode_hands_over(i->opcode);
	for (int o = 0; o < 4; o++)
		copy.operand[o] = expand_now(e, i->operand[o]);
	if (i->n_extra) {
		copy.first_extra = lt__build_extras(&e->b, e->k->extras + i->first_extra, i->n_extra);
		for (int32_t x = 0; values && x < i->n_extra; x++) {
			int64_t *at = &e->b.extra[copy.first_extra + x];
			*at = e->now[*at];
		}
	}
	return lt__build(&e->b, copy);
}

/* variable = operator(variable, x) */
static void expand_update(struct expansion *e, const struct lt_instruction *i)
{
	int32_t x = lt__build_get(&e->b, i->what);
	lt__build_set(&e->b, i->what, lt__expand_two(e, (int)i->number, x, e->now[i->operand[0]]));
}

/* The upper half onto the lower, until there is one. */
static int32_t expand_fold(struct expansion *e, const struct lt_instruction *i)
{
	int32_t x = e->now[i->operand[0]];
	uint32_t n = expand_lanes_of(e, x);
	if (n == 1)                             /* masks are not copied */
		return i->dtype == LT_LANE_MASK ? lt__build_value(&e->b, LT_OPCODE_or, i->dtype, 1, x, x)
			: lt__build_value(&e->b, LT_OPCODE_copy, i->dtype, 1, x, -1);
	for (; n > 1; n /= 2) {
		int32_t lower = lt__expand_lanes(e, x, 0, n / 2), upper = lt__expand_lanes(e, x, n / 2, n / 2);
		x = lt__expand_two(e, i->what, lower, upper);
	}
	return x;
}

/* Languages have helpers for those of the usual operators, and for what a machine has by itself. */
static bool keeps_fold(const struct expansion *e, uint32_t opcode, uint32_t dtype)
{
	return lt__opcode_folded(opcode) || (lt__expand_rule(e, opcode, dtype)
		&& lt__expand_keeps(e->machine, opcode, dtype, 2, 0)
		&& lt__expand_keeps(e->machine, opcode, dtype, 1, 0));
}

/* cast, convert.  A value of the same type may be a variable's, which is not used longer than before. */
static int32_t expand_conversion(struct expansion *e, const struct lt_instruction *i)
{
	int32_t x = e->now[i->operand[0]];
	if (expand_dtype(e, x) == i->dtype)
		return lt__build_value(&e->b, LT_OPCODE_copy, i->dtype, i->lanes, x, -1);
	return i->opcode == LT_OPCODE_cast ? lt__expand_cast(e, i->dtype, x) : lt__expand_convert(e, i->dtype, x);
}

static int32_t expand_operator(struct expansion *e, const struct lt_instruction *i)
{
	const struct lt_instruction *x = &e->k->instructions[i->operand[0]];
	if (lt__expand_keeps(e->machine, i->opcode, x->dtype, x->lanes, 0))
		return expand_copy(e, i);
	return lt__expand_two(e, i->opcode, e->now[i->operand[0]], expand_now(e, i->operand[1]));
}

/* Every fourth lane of x from `first` on, as the type of the sum. */
static int32_t every_fourth(struct expansion *e, int32_t x, int64_t first, uint32_t dtype, uint32_t lanes)
{
	int64_t lane[LT_MAX_LANES];
	for (uint32_t i = 0; i < lanes; i++)
		lane[i] = 4 * (int64_t)i + first;
	int32_t part = lt__build(&e->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle,
		.dtype = (uint8_t)expand_dtype(e, x), .lanes = lanes, .operand = { x, x, -1, -1 }, .what = -1,
		.first_extra = lt__build_extras(&e->b, lane, (int32_t)lanes), .n_extra = (int32_t)lanes, .origin = e->b.origin });
	return lt__expand_convert(e, dtype, part);
}

static int32_t expand_dot(struct expansion *e, const struct lt_instruction *i)
{
	int32_t x = e->now[i->operand[0]], y = e->now[i->operand[1]], sum = e->now[i->operand[2]];
	if (lt__expand_keeps(e->machine, LT_OPCODE_dot, i->dtype, i->lanes, 0))
		return expand_copy(e, i);
	for (int64_t k = 0; k < 4; k++)
		sum = expand_add(e, sum, expand_mul(e, every_fourth(e, x, k, i->dtype, i->lanes),
			every_fourth(e, y, k, i->dtype, i->lanes)));
	return sum;
}

static int32_t expand_instruction(struct expansion *e, const struct lt_instruction *i)
{
	const struct lt_variable *v;
	const struct lt_instruction *x;
	switch (i->opcode) {
	case LT_OPCODE_update:
		v = &e->k->variables[i->what];
		if (lt__expand_keeps(e->machine, (uint32_t)i->number, v->dtype, v->lanes, 0))
			return expand_copy(e, i);
		expand_update(e, i);
		return -1;
	case LT_OPCODE_fold:
		x = &e->k->instructions[i->operand[0]];
		return x->lanes > 1 && keeps_fold(e, (uint32_t)i->what, x->dtype) ? expand_copy(e, i) : expand_fold(e, i);
	case LT_OPCODE_dot: return expand_dot(e, i);
	case LT_OPCODE_each: return lt__expand_two(e, i->what, e->now[i->operand[0]], expand_now(e, i->operand[1]));
	case LT_OPCODE_cast:
	case LT_OPCODE_convert: return expand_conversion(e, i);
	case LT_OPCODE_remainder:
	case LT_OPCODE_scale: return expand_operator(e, i);
	default: break;
	}
	bool is_operator = i->opcode < LT_NOPERATOR_OPCODE && i->opcode != LT_OPCODE_select;
	return is_operator ? expand_operator(e, i) : expand_copy(e, i);
}

static void expand_region(struct expansion *e, int32_t r)
{
	const struct lt_region *region = &e->k->regions[r];
	if (r)
		(void)lt__build_region(&e->b, (enum lt_region_kind)region->kind, region->n_argument, region->origin);
	e->b.region[r].region = *region;
	lt__build_room(&e->b, region->n);
	for (e->at = region->first; e->at < region->first + region->n; e->at++) {
		e->b.origin = e->k->instructions[e->at].origin;
		e->now[e->at] = expand_instruction(e, &e->k->instructions[e->at]);
	}
}

/* Needs: a program that holds the rules.  Keeps, breaks: lt/kernel.h. */
lt_status lt_kernel_expand(
	const struct lt_kernel *k, const struct lt_machine *m, struct lt_kernel **out, struct lt_diag *diag)
{
	*out = NULL;
	lt_status status = lt__report_grids(k, diag);
	struct expansion *e = status ? NULL : calloc(1, sizeof *e);
	if (status)
		return status;
	if (e && !setjmp(e->b.pool.jump)) {
		e->k = k;
		e->machine = m;
		e->diag = diag;
		e->rules[0] = lt__expand_functions;
		e->rules[1] = lt__expand_exact;
		e->cast = lt__expand_cast_rule;
		lt__builder_begin(&e->b);
		expand_head(e);
		e->now = lt__pool_alloc(&e->b.pool, k->n_instruction + 1u, sizeof *e->now);
		for (uint32_t r = 0; r < k->n_region; r++)
			expand_region(e, (int32_t)r);
		*out = lt__builder_end(&e->b);
	} else {
		status = e && e->status ? e->status : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
		if (e)
			lt__builder_free(&e->b);
	}
	free(e);
	return status;
}
