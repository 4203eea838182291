/* prefetch.c -- what the parts of step 'P' share: loops, how addresses go on in them, and the instruction. */
#include "kernel/build/build.h"
#include "kernel/step/prefetch.h"

enum { MAX_DEPTH = 6 };         /* of the expressions that bound a loop: deeper ones are not known */

/* The least or (max) the greatest that an i64 may be, by what run-time scalars are allowed to be; false: it is not
 * known. */
static bool bound_of(const struct lt_kernel *k, int32_t value, bool max, int32_t depth, int64_t *out)
{
	const struct lt_instruction *i = &k->instructions[value];
	int64_t x = 0, y = 0;
	bool first, second;
	switch (i->opcode) {
	case LT_OPCODE_const:
		*out = i->number;
		return true;
	case LT_OPCODE_param:
		*out = max ? k->params[i->number].high : k->params[i->number].low;
		return true;
	case LT_OPCODE_min:
	case LT_OPCODE_add:
		first = depth > 0 && bound_of(k, i->operand[0], max, depth - 1, &x);
		second = depth > 0 && bound_of(k, i->operand[1], max, depth - 1, &y);
		if (i->opcode == LT_OPCODE_add)
			return first && second && !__builtin_add_overflow(x, y, out);
		*out = first && (!second || x < y) ? x : y;
		return max ? first || second : first && second;
	case LT_OPCODE_mul:
		return depth > 0 && lt__step_constant(k, i->operand[1], &y)
			&& bound_of(k, i->operand[0], max == (y > 0), depth - 1, &x) && !__builtin_mul_overflow(x, y, out);
	case LT_OPCODE_quotient:
	case LT_OPCODE_div:
		if (depth < 1 || !lt__step_constant(k, i->operand[1], &y) || y < 1
			|| !bound_of(k, i->operand[0], max, depth - 1, &x))
			return false;
		*out = x / y - (i->opcode == LT_OPCODE_div && x % y < 0);
		return true;
	default:
		return false;
	}
}

int64_t lt__prefetch_trip_count(const struct lt_kernel *k, int32_t loop)
{
	const struct lt_instruction *i = &k->instructions[loop];
	int64_t from, to, n;
	if (!lt__step_constant(k, i->operand[0], &from) || !bound_of(k, i->operand[1], true, MAX_DEPTH, &to)
		|| __builtin_sub_overflow(to, from, &n))
		return INT64_MAX;
	return n <= 0 ? 0 : n / i->number + (n % i->number != 0);
}

int32_t lt__prefetch_loop(const struct prefetches_step *p, int32_t block)
{
	while (block >= 0 && (p->k->instructions[block].opcode != LT_OPCODE_loop || lt__prefetch_trip_count(p->k, block) < 2))
		block = p->block[block];
	return block;
}

/* The points of a team number several loops: the innermost is a remainder, which mostly goes on by one, and quotients
 * mostly stay. */
bool lt__prefetch_moves_by(const struct prefetches_step *p, const struct lt_address_sum *x, int32_t loop, int64_t *by)
{
	uint64_t sum = 0;
	for (int32_t i = 0; i < x->n; i++) {
		int32_t part = x->part[i].value;
		const struct lt_instruction *of = &p->k->instructions[part];
		if (part < loop || part > p->k->instructions[loop].what)
			continue;
		if (part == loop) {
			sum += (uint64_t)x->part[i].times * (uint64_t)of->number;
		} else if (of->opcode == LT_OPCODE_remainder) {
			int64_t step = lt__address_times(&p->values[of->operand[0]], loop);
			sum += (uint64_t)x->part[i].times * (uint64_t)step * (uint64_t)p->k->instructions[loop].number;
		} else if (of->opcode != LT_OPCODE_quotient && of->opcode != LT_OPCODE_loop) {
			return false;
		}
	}
	*by = (int64_t)sum;
	return true;
}

int32_t lt__prefetch_add(struct prefetches_step *p, int32_t sum, int32_t value, int64_t times)
{
	struct lt_kernel_builder *b = &p->s->b;
	if (times != 1)
		value = lt__build_value(b, LT_OPCODE_mul, LT_I64, 1, value, lt__build_const(b, LT_I64, (uint64_t)times));
	return sum < 0 ? value : lt__build_value(b, LT_OPCODE_add, LT_I64, 1, sum, value);
}
