/* lane.c -- values from values, lane by lane: operators, masks, lanes that change places. */
#include <math.h>
#include "kernel/simulate/part.h"

static void give_all(struct simulation *s, int32_t i, uint64_t bits, bool defined)
{
	for (uint32_t lane = 0; lane < s->k->instructions[i].lanes; lane++)
		simulate_give(s, i, lane, bits, defined);
}

static void constant(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint64_t all = simulate_all_lanes(x->lanes);
	if (x->dtype == LT_LANE_MASK)
		simulate_give_mask(s, i, (uint64_t)x->number, all);
	else
		give_all(s, i, (uint64_t)x->number, true);
}

static void check_contract(struct simulation *s, int32_t i, enum lt_contract contract, uint32_t lane)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint64_t a = simulate_lane(s, x->operand[0], lane), b = simulate_lane(s, x->operand[1], lane);
	if (lt__contract_holds(contract, x->dtype, a, b))
		return;
	union lt_number first = lt__number_of_bits(a, x->dtype), y = lt__number_of_bits(b, x->dtype);
	if (contract == LT_CONTRACT_SCALE)
		lt__simulate_find(s, LT_SIMULATE_scale, i, -1, -1, "lane %u, %g, is scaled by 2 to the power of %g", (unsigned)lane,
			first.f, y.f);
	else if (contract == LT_CONTRACT_SHIFT)
		lt__simulate_find(s, LT_SIMULATE_shift, i, -1, -1, "lane %u is shifted by %lld, and has %lld bits", (unsigned)lane,
			(long long)y.i, 8 * (long long)lt__number_bytes(x->dtype));
	else
		lt__simulate_find(s, LT_SIMULATE_divisor, i, -1, -1, "the divisor of lane %u is %lld", (unsigned)lane,
			(long long)y.i);
}

/* Operators of one and two operands, of each lane alone. */
static void operate(struct simulation *s, int32_t i, uint32_t opcode)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int32_t a = x->operand[0], b = x->operand[1];
	uint32_t dtype = s->k->instructions[a].dtype;
	enum lt_contract contract = lt__opcode_contract(opcode, dtype);
	bool test = lt__opcode_tests(opcode);
	uint64_t mask = 0, known = 0;
	if (dtype == LT_I64 && x->lanes == 1 && !test && !contract && b >= 0
		&& s->defined[a] & s->defined[b] & 1) {        /* most of what runs is addresses */
		s->value[s->at[i]] = lt__simulate_value(opcode, LT_I64, s->value[s->at[a]], s->value[s->at[b]]);
		s->defined[i] = 1;
		return;
	}
	for (uint32_t lane = 0; lane < x->lanes; lane++) {
		bool defined = simulate_known(s, a, lane) && (b < 0 || simulate_known(s, b, lane));
		if (defined && contract)
			check_contract(s, i, contract, lane);
		uint64_t y = b < 0 ? 0 : simulate_lane(s, b, lane), v = 0;
		if (defined)
			v = lt__simulate_value(opcode, dtype, simulate_lane(s, a, lane), y);
		mask |= v << lane;
		known |= (uint64_t)defined << lane;
		if (!test)
			simulate_give(s, i, lane, v, defined);
	}
	if (test)
		simulate_give_mask(s, i, mask, known);
}

uint64_t lt__simulate_mask_value(uint32_t opcode, uint64_t m, uint64_t n)
{
	switch (opcode) {
	case LT_OPCODE_and: return m & n;
	case LT_OPCODE_or: return m | n;
	case LT_OPCODE_xor:
	case LT_OPCODE_ne: return m ^ n;
	case LT_OPCODE_eq: return ~(m ^ n);
	case LT_OPCODE_not: return ~m;
	default: return m;              /* copy */
	}
}

/* Operators whose operands are masks. */
static void operate_mask(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int32_t b = x->operand[1];
	uint64_t m = simulate_mask(s, x->operand[0]), n = b < 0 ? 0 : simulate_mask(s, b), all = simulate_all_lanes(x->lanes);
	uint64_t known = s->defined[x->operand[0]] & (b < 0 ? all : s->defined[b]) & all;
	simulate_give_mask(s, i, lt__simulate_mask_value(x->opcode, m, n) & all, known);
}

/* What is chosen is all that has to be defined, and what it was chosen by. */
static void choose(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint64_t mask = simulate_mask(s, x->operand[0]), bits = 0, known = 0;
	for (uint32_t lane = 0; lane < x->lanes; lane++) {
		int32_t from = x->operand[mask >> lane & 1 ? 1 : 2];
		bool defined = simulate_known(s, x->operand[0], lane) && simulate_known(s, from, lane);
		if (x->dtype == LT_LANE_MASK) {
			bits |= (simulate_mask(s, from) >> lane & 1) << lane;
			known |= (uint64_t)defined << lane;
		} else
			simulate_give(s, i, lane, simulate_lane(s, from, lane), defined);
	}
	if (x->dtype == LT_LANE_MASK)
		simulate_give_mask(s, i, bits, known);
}

/* What C does not say the value of. */
static void check_fit(struct simulation *s, int32_t i, uint32_t lane, uint64_t bits, uint32_t from)
{
	uint32_t to = s->k->instructions[i].dtype;
	if (!lt__number_is_float(from) || lt__number_is_float(to))
		return;
	double x = lt__number_of_bits(bits, from).f;
	bool is_signed = lt__number_is_signed(to);
	double high = ldexp(1, (int)(8 * lt__number_bytes(to)) - is_signed), low = is_signed ? -high : 0;
	if (!(trunc(x) >= low && trunc(x) < high))
		lt__simulate_find(s, LT_SIMULATE_convert, i, -1, -1, "lane %u converts %g, which its integer type does not have",
			(unsigned)lane, x);
}

/* Values of the same lanes as another type: cast, convert, bits; flag and test between masks and bool. */
static void change(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int32_t a = x->operand[0];
	uint32_t from = s->k->instructions[a].dtype;
	uint64_t mask = 0;
	for (uint32_t lane = 0; lane < x->lanes; lane++) {
		bool defined = simulate_known(s, a, lane);
		uint64_t v = from == LT_LANE_MASK ? simulate_mask(s, a) >> lane & 1 : simulate_lane(s, a, lane);
		bool casts = x->opcode == LT_OPCODE_cast || x->opcode == LT_OPCODE_convert;
		if (x->opcode == LT_OPCODE_convert && defined)
			check_fit(s, i, lane, v, from);
		if (x->opcode == LT_OPCODE_test)
			mask |= (uint64_t)(v != 0) << lane;
		else
			simulate_give(s, i, lane, casts && defined ? lt__simulate_cast(v, from, x->dtype) : v, defined);
	}
	if (x->opcode == LT_OPCODE_test)
		simulate_give_mask(s, i, mask, s->defined[a] & simulate_all_lanes(x->lanes));
}

/* One value, or one lane of a mask, in every lane. */
static void spread(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int32_t a = x->operand[0];
	uint64_t all = simulate_all_lanes(x->lanes);
	if (x->dtype == LT_LANE_MASK)
		simulate_give_mask(s, i, simulate_mask(s, a) & 1 ? all : 0, simulate_known(s, a, 0) ? all : 0);
	else
		give_all(s, i, simulate_lane(s, a, 0), simulate_known(s, a, 0));
}

static void shuffle(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int32_t a = x->operand[0], b = x->operand[1];
	int64_t n = s->k->instructions[a].lanes, both = n + (b < 0 ? 0 : s->k->instructions[b].lanes);
	uint64_t bits = 0, known = 0;
	for (uint32_t lane = 0; lane < x->lanes; lane++) {
		int64_t from = s->k->extras[x->first_extra + (int32_t)lane];
		if (from < 0 || from >= both) {
			lt__simulate_find(s, LT_SIMULATE_lanes, i, -1, -1, "lane %u is lane %lld of operands that have %lld together",
				(unsigned)lane, (long long)from, (long long)both);
			if (x->dtype != LT_LANE_MASK)
				simulate_give(s, i, lane, 0, false);
			continue;
		}
		int32_t v = from < n ? a : b;
		uint32_t k = (uint32_t)(from < n ? from : from - n);
		if (x->dtype == LT_LANE_MASK) {
			bits |= (simulate_mask(s, v) >> k & 1) << lane;
			known |= (uint64_t)simulate_known(s, v, k) << lane;
		} else
			simulate_give(s, i, lane, simulate_lane(s, v, k), simulate_known(s, v, k));
	}
	if (x->dtype == LT_LANE_MASK)
		simulate_give_mask(s, i, bits, known);
}

/* The upper half onto the lower, until there is one. */
static void fold(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint64_t v[LT_MAX_LANES];
	uint32_t n = s->k->instructions[x->operand[0]].lanes;
	bool defined = s->defined[x->operand[0]] == simulate_all_lanes(n), masks = x->dtype == LT_LANE_MASK;
	for (uint32_t lane = 0; lane < n; lane++)
		v[lane] = masks ? simulate_mask(s, x->operand[0]) >> lane & 1 : simulate_lane(s, x->operand[0], lane);
	for (uint32_t half; n > 1; n = half) {
		half = (n + 1) / 2;
		for (uint32_t lane = 0; lane + half < n && defined; lane++)
			v[lane] = masks ? lt__simulate_mask_value((uint32_t)x->what, v[lane], v[lane + half])
				: lt__simulate_value((uint32_t)x->what, x->dtype, v[lane], v[lane + half]);
	}
	if (masks)
		simulate_give_mask(s, i, v[0] & 1, defined);
	else
		simulate_give(s, i, 0, v[0], defined);
}

/* Four products are added to each lane. */
static void dot(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	const uint32_t from = s->k->instructions[x->operand[0]].dtype;
	for (uint32_t lane = 0; lane < x->lanes; lane++) {
		uint64_t sum = simulate_lane(s, x->operand[2], lane);
		bool defined = simulate_known(s, x->operand[2], lane);
		for (uint32_t k = 4 * lane; k < 4 * lane + 4; k++) {
			uint64_t a = lt__simulate_cast(simulate_lane(s, x->operand[0], k), from, x->dtype);
			uint64_t b = lt__simulate_cast(simulate_lane(s, x->operand[1], k), from, x->dtype);
			defined = defined && simulate_known(s, x->operand[0], k) && simulate_known(s, x->operand[1], k);
			sum = lt__simulate_value(LT_OPCODE_add, x->dtype, sum, lt__simulate_value(LT_OPCODE_mul, x->dtype, a, b));
		}
		simulate_give(s, i, lane, sum, defined);
	}
}

static void ask_mask(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	uint64_t all = simulate_all_lanes(s->k->instructions[x->operand[0]].lanes), m = simulate_mask(s, x->operand[0]) & all;
	simulate_give_mask(s, i, x->opcode == LT_OPCODE_any ? m != 0 : m == all, s->defined[x->operand[0]] == all);
}

static void lane_numbers(struct simulation *s, int32_t i)
{
	for (uint32_t lane = 0; lane < s->k->instructions[i].lanes; lane++)
		simulate_give(s, i, lane, lane, true);
}

static void below(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int64_t n = (int64_t)simulate_lane(s, x->operand[0], 0);
	uint64_t all = simulate_all_lanes(x->lanes);
	uint64_t on = n <= 0 ? 0 : n >= x->lanes ? all : simulate_all_lanes((uint32_t)n);
	simulate_give_mask(s, i, on, simulate_known(s, x->operand[0], 0) ? all : 0);
}

void lt__simulate_lanes(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	switch (x->opcode) {
	case LT_OPCODE_const: constant(s, i); break;
	case LT_OPCODE_splat: spread(s, i); break;
	case LT_OPCODE_lane: lane_numbers(s, i); break;
	case LT_OPCODE_below: below(s, i); break;
	case LT_OPCODE_shuffle: shuffle(s, i); break;
	case LT_OPCODE_fold: fold(s, i); break;
	case LT_OPCODE_any:
	case LT_OPCODE_all: ask_mask(s, i); break;
	case LT_OPCODE_flag:
	case LT_OPCODE_test:
	case LT_OPCODE_bits:
	case LT_OPCODE_convert:
	case LT_OPCODE_cast: change(s, i); break;
	case LT_OPCODE_each: operate(s, i, (uint32_t)x->what); break;
	case LT_OPCODE_select: choose(s, i); break;
	case LT_OPCODE_dot: dot(s, i); break;
	default:
		if (s->k->instructions[x->operand[0]].dtype == LT_LANE_MASK)
			operate_mask(s, i);
		else
			operate(s, i, x->opcode);
		break;
	}
}
