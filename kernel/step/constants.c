/* constants.c -- step 'C': arithmetic of constant integers and masks is done, and what it decides.
 *
 * A constant address goes into the number behind it, an `if` that always runs the same block becomes that block, and a
 * loop that never runs goes.  What nothing uses after that is removed by step 'U'.
 *
 * A rule that is for constants alone must not be broken by a number that only became one: an address outside of its
 * buffer, in code that never runs, stays hidden behind a copy.
 */
#include <string.h>
#include "kernel/build/build.h"
#include "kernel/simulate/simulate.h"
#include "kernel/step/step.h"

struct constants_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	int32_t *n_begin;               /* by buffer, then by variable: how many instructions begin it */
	int32_t *jump;                  /* by instruction: what comes after it, if it is left out; 0: it is not */
	bool changed;
};

static bool is_whole(uint32_t dtype)
{
	return dtype == LT_BOOL || (lt__number_is_whole(dtype) && lt__number_bytes(dtype) >= 4);
}
static uint64_t all_lanes(uint32_t lanes) { return lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1; }

/* A new value's constant bits; NULL: it is none. */
static const struct lt_instruction *constant_at(const struct constants_step *c, int32_t value)
{
	const struct lt_instruction *i = value < 0 ? NULL : lt__build_at(&c->s->b, value);
	return i && i->opcode == LT_OPCODE_const ? i : NULL;
}

static bool integer_at(const struct constants_step *c, int32_t value, int64_t *out)
{
	return lt__constant_integer(constant_at(c, value), out);
}

static void give_constant(struct constants_step *c, int32_t at, uint64_t bits)
{
	const struct lt_instruction *i = &c->k->instructions[at];
	c->s->to[at] = lt__rewrite_const(c->s, i->dtype, i->lanes, bits);
	c->changed = true;
}

/* The value is that of another one; not of a `get`, whose variable may change before this one is used. */
static bool give_value(struct constants_step *c, int32_t at, int32_t value)
{
	if (lt__build_at(&c->s->b, value)->opcode == LT_OPCODE_get)
		return false;
	c->s->to[at] = value;
	return c->changed = true;
}

/* Operators whose value follows from whole operands, and which the simulator knows. */
static bool computes(uint32_t opcode)
{
	switch (opcode) {
	case LT_OPCODE_add:
	case LT_OPCODE_sub:
	case LT_OPCODE_mul:
	case LT_OPCODE_div:
	case LT_OPCODE_mod:
	case LT_OPCODE_min:
	case LT_OPCODE_max:
	case LT_OPCODE_and:
	case LT_OPCODE_or:
	case LT_OPCODE_xor:
	case LT_OPCODE_shl:
	case LT_OPCODE_shr:
	case LT_OPCODE_not:
	case LT_OPCODE_neg:
	case LT_OPCODE_abs:
	case LT_OPCODE_sign:
	case LT_OPCODE_eq:
	case LT_OPCODE_ne:
	case LT_OPCODE_less:
	case LT_OPCODE_lessequal:
	case LT_OPCODE_greater:
	case LT_OPCODE_greaterequal:
	case LT_OPCODE_quotient:
	case LT_OPCODE_remainder:
	case LT_OPCODE_shift_left:
	case LT_OPCODE_shift_right: return true;
	default: return false;
	}
}

/* Of masks: some lanes or all. */
static bool fold_mask(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	const struct lt_instruction *x = constant_at(c, m->operand[0]), *y = constant_at(c, m->operand[1]);
	const struct lt_instruction *one = x ? x : y;
	uint64_t all = all_lanes(m->lanes);
	if (m->opcode == LT_OPCODE_not && x) {
		give_constant(c, at, ~(uint64_t)x->number);
		return true;
	}
	if (!one || m->operand[1] < 0
		|| (m->opcode != LT_OPCODE_and && m->opcode != LT_OPCODE_or && m->opcode != LT_OPCODE_xor))
		return false;
	uint64_t bits = (uint64_t)one->number & all;
	if (x && y) {
		uint64_t other = (uint64_t)y->number;
		give_constant(c, at, m->opcode == LT_OPCODE_and ? bits & other : m->opcode == LT_OPCODE_or ? bits | other
			: bits ^ other);
		return true;
	}
	if (m->opcode == LT_OPCODE_and ? bits == 0 : m->opcode == LT_OPCODE_or && bits == all) {
		give_constant(c, at, bits);
		return true;
	}
	if (bits == (m->opcode == LT_OPCODE_and ? all : 0))
		return give_value(c, at, m->operand[x ? 1 : 0]);
	return false;
}

/* x + 0, x * 1, x * 0 and their like, of integers. */
static bool fold_neutral(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	int64_t x = 0, y = 0;
	bool first = integer_at(c, m->operand[0], &x), second = integer_at(c, m->operand[1], &y);
	if (first == second)
		return false;
	switch (m->opcode) {
	case LT_OPCODE_add: return (first ? x : y) == 0 && give_value(c, at, m->operand[first]);
	case LT_OPCODE_sub: return second && y == 0 && give_value(c, at, m->operand[0]);
	case LT_OPCODE_mul:
		if ((first ? x : y) == 0) {
			give_constant(c, at, 0);
			return true;
		}
		return (first ? x : y) == 1 && give_value(c, at, m->operand[first]);
	case LT_OPCODE_div:
	case LT_OPCODE_quotient: return second && y == 1 && give_value(c, at, m->operand[0]);
	case LT_OPCODE_mod:
	case LT_OPCODE_remainder:
		if (second && y == 1)
			give_constant(c, at, 0);
		return second && y == 1;
	default: return false;
	}
}

static bool fold_whole(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	const struct lt_instruction *x = constant_at(c, m->operand[0]), *y = constant_at(c, m->operand[1]);
	if (!x || (m->operand[1] >= 0 && !y))
		return m->operand[1] >= 0 && fold_neutral(c, at, m);
	uint64_t first = (uint64_t)x->number, second = y ? (uint64_t)y->number : 0;
	if (!lt__contract_holds(lt__opcode_contract(m->opcode, x->dtype), x->dtype, first, second))
		return false;
	uint64_t v = lt__simulate_value(m->opcode, x->dtype, first, second);
	give_constant(c, at, m->dtype == LT_LANE_MASK && v ? UINT64_MAX : v);
	return true;
}

static bool fold_select(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	const struct lt_instruction *mask = constant_at(c, m->operand[0]);
	uint64_t all = all_lanes(m->lanes), bits = mask ? (uint64_t)mask->number & all : 0;
	if (!mask || (bits && bits != all))
		return false;
	return give_value(c, at, m->operand[bits ? 1 : 2]);
}

/* From one kind of value to another: true, and it is done. */
static bool fold_change(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	const struct lt_instruction *x = constant_at(c, m->operand[0]);
	if (!x)
		return false;
	uint64_t bits = (uint64_t)x->number, all = all_lanes(x->lanes);
	int64_t n;
	switch (m->opcode) {
	case LT_OPCODE_splat: give_constant(c, at, m->dtype == LT_LANE_MASK && bits & 1 ? UINT64_MAX : bits); return true;
	case LT_OPCODE_below:
		(void)integer_at(c, m->operand[0], &n);
		give_constant(c, at, n <= 0 ? 0 : n >= m->lanes ? UINT64_MAX : all_lanes((uint32_t)n));
		return true;
	case LT_OPCODE_any: give_constant(c, at, (bits & all) != 0); return true;
	case LT_OPCODE_all: give_constant(c, at, (bits & all) == all); return true;
	case LT_OPCODE_test: give_constant(c, at, bits & 1 ? UINT64_MAX : 0); return true;
	case LT_OPCODE_flag:
		if ((bits & all) == 0 || (bits & all) == all)
			give_constant(c, at, (bits & all) != 0);
		return (bits & all) == 0 || (bits & all) == all;
	case LT_OPCODE_cast:
		if (!is_whole(x->dtype) || !is_whole(m->dtype))
			return false;
		give_constant(c, at, lt__simulate_cast(bits, x->dtype, m->dtype));
		return true;
	default: return false;
	}
}

/* Constants go into the number of an address. */
static void fold_address(struct constants_step *c, struct lt_instruction *m)
{
	const struct lt_kernel_buffer *b = &c->s->b.buffer[m->what];
	const struct lt_instruction *a = m->operand[0] < 0 ? NULL : lt__build_at(&c->s->b, m->operand[0]);
	int64_t x, sum;
	if (a && a->opcode == LT_OPCODE_add)
		for (int k = 0; k < 2; k++) {
			int32_t other = a->operand[1 - k];
			if (integer_at(c, a->operand[k], &x) && lt__build_at(&c->s->b, other)->opcode != LT_OPCODE_get
				&& !__builtin_add_overflow(m->number, x, &sum)) {
				m->operand[0] = other;
				m->number = sum;
				c->changed = true;
				break;
			}
		}
	if (!integer_at(c, m->operand[0], &x) || __builtin_add_overflow(m->number, x, &sum))
		return;
	uint32_t lanes = m->opcode == LT_OPCODE_load ? m->lanes : m->opcode == LT_OPCODE_store
		? lt__build_at(&c->s->b, m->operand[3])->lanes : 1;
	int64_t far, last;
	bool inside = !__builtin_mul_overflow((int64_t)lanes - 1, m->stride, &far) && !__builtin_add_overflow(sum, far, &last)
		&& sum >= 0 && sum < b->elems && last >= 0 && last < b->elems;
	if (inside || m->opcode == LT_OPCODE_prefetch || m->operand[1] >= 0 || m->operand[2] >= 0) {
		m->number = sum;
		m->operand[0] = -1;
		c->changed = true;
	} else {
		m->operand[0] = lt__rewrite_hidden(c->s, m->operand[0]);
	}
}

/* A divisor or a shift that is a constant now, and not allowed, in code that never runs. */
static void hide_contract(struct constants_step *c, struct lt_instruction *m)
{
	const struct lt_instruction *y = constant_at(c, m->operand[1]);
	if (y && !lt__contract_holds(lt__opcode_contract(m->opcode, m->dtype), m->dtype, 0, (uint64_t)y->number))
		m->operand[1] = lt__rewrite_hidden(c->s, m->operand[1]);
}

/* Whether the block from `first` to below `end` may stand in the block around it, or nowhere: an array or variable that
 * begins elsewhere, too, might begin twice; a launch that goes leaves a team that nothing runs. */
static bool may_move(const struct constants_step *c, int32_t first, int32_t end, bool stays)
{
	for (int32_t at = first; at < end; at++) {
		const struct lt_instruction *i = &c->k->instructions[at];
		if (!stays && lt__opcode_launches(i->opcode))
			return false;
		if (stays && ((i->opcode == LT_OPCODE_array && c->n_begin[i->what] > 1)
			|| (i->opcode == LT_OPCODE_variable && c->n_begin[(int32_t)c->k->n_buffer + i->what] > 1)))
			return false;
	}
	return true;
}

/* An `if` whose mask is known: only what runs is left. */
static bool fold_if(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	const struct lt_instruction *mask = constant_at(c, m->operand[0]), *i = c->k->instructions;
	if (!mask)
		return false;
	int32_t middle = i[at].what, end = i[middle].opcode == LT_OPCODE_else ? i[middle].what : middle;
	bool yes = mask->number & 1;
	int32_t kept = yes ? at + 1 : middle, kept_end = yes ? middle : end, gone = yes ? middle : at + 1,
		gone_end = yes ? end : middle;
	if (!may_move(c, gone, gone_end, false) || (kept < kept_end && !may_move(c, kept, kept_end, true)))
		return false;
	if (yes) {
		c->jump[at] = at + 1;
		c->jump[middle] = end + 1;
	} else {
		c->jump[at] = middle == end ? end + 1 : middle + 1;
		c->jump[end] = end + 1;
	}
	return c->changed = true;
}

static bool fold_loop(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	int64_t from, to;
	int32_t end = c->k->instructions[at].what;
	if (!integer_at(c, m->operand[0], &from) || !integer_at(c, m->operand[1], &to) || from < to
		|| !may_move(c, at + 1, end, false))
		return false;
	c->jump[at] = end + 1;
	return c->changed = true;
}

static bool fold_one(struct constants_step *c, int32_t at, const struct lt_instruction *m)
{
	switch (m->opcode) {
	case LT_OPCODE_splat:
	case LT_OPCODE_below:
	case LT_OPCODE_any:
	case LT_OPCODE_all:
	case LT_OPCODE_test:
	case LT_OPCODE_flag:
	case LT_OPCODE_cast: return fold_change(c, at, m);
	case LT_OPCODE_select: return fold_select(c, at, m);
	case LT_OPCODE_if: return fold_if(c, at, m);
	case LT_OPCODE_loop: return fold_loop(c, at, m);
	default: break;
	}
	if (!computes(m->opcode))
		return false;
	uint32_t of = lt__build_at(&c->s->b, m->operand[0])->dtype;
	return of == LT_LANE_MASK ? fold_mask(c, at, m) : is_whole(of) && fold_whole(c, at, m);
}

/* What comes after the instruction. */
static int32_t fold_instruction(struct constants_step *c, int32_t at)
{
	if (c->jump[at])
		return c->jump[at];
	struct lt_instruction m = lt__rewrite_mapped(c->s, at);
	c->s->b.origin = m.origin;
	if (fold_one(c, at, &m))
		return c->jump[at] ? c->jump[at] : at + 1;
	if (m.n_extra) {
		(void)lt__rewrite_copy(c->s, at);
		return at + 1;
	}
	if (m.opcode == LT_OPCODE_load || m.opcode == LT_OPCODE_store || m.opcode == LT_OPCODE_prefetch)
		fold_address(c, &m);
	else if (m.operand[1] >= 0)
		hide_contract(c, &m);
	(void)lt__rewrite_add(c->s, at, m);
	return at + 1;
}

bool lt__step_constants(struct lt_stepping *s)
{
	struct constants_step c = { .s = s, .k = s->k };
	c.n_begin = lt__pool_alloc(&s->b.pool, (size_t)s->k->n_buffer + s->k->n_variable + 1, sizeof *c.n_begin);
	c.jump = lt__pool_alloc(&s->b.pool, (size_t)s->k->n_instruction + 1, sizeof *c.jump);
	for (uint32_t at = 0; at < s->k->n_instruction; at++) {
		const struct lt_instruction *i = &s->k->instructions[at];
		if (i->opcode == LT_OPCODE_array)
			c.n_begin[i->what]++;
		else if (i->opcode == LT_OPCODE_variable)
			c.n_begin[(int32_t)s->k->n_buffer + i->what]++;
	}
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; )
			at = fold_instruction(&c, at);
	}
	return c.changed;
}
