/* kernel/prefetch.c -- what the parts of step 'P' share: loops, how addresses go on in them, and the instruction. */
#include "kernel/opcode.h"
#include "kernel/prefetch.h"

/* An upper bound of an i64; false: there is none that is known. */
static bool upper_bound(const struct lt_kernel *k, int32_t value, int64_t *out)
{
	const struct lt_instruction *i = &k->instructions[value];
	int64_t x, y;
	if (i->opcode == LT_OPCODE_const) {
		*out = i->number;
		return true;
	}
	if (i->opcode != LT_OPCODE_min)
		return false;
	bool first = lt__step_constant(k, i->operand[0], &x), second = lt__step_constant(k, i->operand[1], &y);
	*out = first && (!second || x < y) ? x : y;
	return first || second;
}

int64_t lt__prefetch_trip_count(const struct lt_kernel *k, int32_t loop)
{
	const struct lt_instruction *i = &k->instructions[loop];
	int64_t from, to, n;
	if (!lt__step_constant(k, i->operand[0], &from) || !upper_bound(k, i->operand[1], &to)
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
