/* random_kernel_value.c -- random values of a kernel program, from values (random_kernel_maker.h). */
#include <math.h>
#include <string.h>
#include "tests/random_kernel_maker.h"

static uint64_t maker_next(struct kernel_maker *g)
{
	uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
int maker_below(struct kernel_maker *g, int n) { return (int)(maker_next(g) % (uint64_t)n); }
bool maker_one_in(struct kernel_maker *g, int n) { return maker_below(g, n) == 0; }

static struct lt_value_type type_of(const struct kernel_maker *g, int32_t value)
{
	const struct lt_instruction *i = lt__build_at(&g->b, value);
	return (struct lt_value_type){ i->dtype, i->lanes };
}

uint64_t maker_bits(struct kernel_maker *g, struct lt_value_type t)
{
	static const double some[] = { 0, -0.0, 1, -1.5, 0.1, 7, -128, 1e30, 1e-40, 3.5, 2.5, INFINITY, -INFINITY };
	static const uint64_t halves[] = { 0, 0x8000, 0x3c00, 0xc100, 0x0001, 0x7c00, 0x7bff, 0x3f80 };
	double f64 = some[maker_below(g, sizeof some / sizeof *some)];
	float f32 = (float)f64;
	uint64_t bits = 0, whole = maker_one_in(g, 8) ? maker_next(g) : (uint64_t)((int64_t)maker_below(g, 41) - 20);
	uint32_t bytes = lt__kernel_element_bytes(t.dtype);
	switch (t.dtype) {
	case LT_F32: memcpy(&bits, &f32, sizeof f32); return maker_one_in(g, 40) ? 0x7fc00001 : bits;
	case LT_F64: memcpy(&bits, &f64, sizeof f64); return maker_one_in(g, 40) ? UINT64_C(0x7ff8000000000002) : bits;
	case LT_F16:
	case LT_BF16: return halves[maker_below(g, 8)];
	case LT_BOOL: return (uint64_t)maker_below(g, 2);
	case LT_LANE_MASK: return t.lanes >= 64 ? whole : whole & ((UINT64_C(1) << t.lanes) - 1);
	default: return bytes >= 8 ? whole : whole & ((UINT64_C(1) << bytes * 8) - 1);
	}
}

struct lt_instruction maker_plain(int opcode, struct lt_value_type t)
{
	return (struct lt_instruction){ .opcode = (uint16_t)opcode, .dtype = (uint8_t)t.dtype, .lanes = t.lanes,
		.operand = { -1, -1, -1, -1 }, .what = -1, .origin = -1 };
}

int32_t maker_make(struct kernel_maker *g, struct lt_instruction i)
{
	g->left--;
	i.origin = maker_one_in(g, 3) ? maker_below(g, 50) : -1;
	return lt__build(&g->b, i);
}

int32_t maker_pooled(struct kernel_maker *g, int32_t value, int32_t variable)
{
	if (g->in.n_pool < MAX_POOL)
		g->in.pool[g->in.n_pool++] = (struct pooled_value){ value, variable };
	return value;
}

int32_t maker_constant(struct kernel_maker *g, struct lt_value_type t, uint64_t bits)
{
	struct lt_instruction i = maker_plain(LT_OPCODE_const, t);
	i.number = (int64_t)bits;
	return lt__build(&g->b, i);
}
int32_t maker_whole(struct kernel_maker *g, int64_t x)
{
	return maker_constant(g, (struct lt_value_type){ LT_I64, 1 }, (uint64_t)x);
}

/* A value of that type: one that there is, or a constant. */
int32_t maker_want(struct kernel_maker *g, struct lt_value_type t)
{
	for (int try = 0; try < 12 && g->in.n_pool && !maker_one_in(g, 8); try++) {
		int near = maker_below(g, g->in.n_pool < 20 ? g->in.n_pool : 20);
		const struct pooled_value *p = &g->in.pool[try < 6 ? g->in.n_pool - 1 - near : maker_below(g, g->in.n_pool)];
		if (p->value >= 0 && type_of(g, p->value).dtype == t.dtype && type_of(g, p->value).lanes == t.lanes)
			return p->value;
	}
	return maker_constant(g, t, maker_bits(g, t));
}

int32_t maker_two(struct kernel_maker *g, int opcode, struct lt_value_type t, int32_t x, int32_t y)
{
	struct lt_instruction i = maker_plain(opcode, t);
	i.operand[0] = x;
	i.operand[1] = y;
	return maker_make(g, i);
}

int32_t maker_mod(struct kernel_maker *g, struct lt_value_type t, int n)
{
	int32_t x = maker_want(g, t), y = maker_constant(g, t, (uint64_t)n);
	return maker_two(g, LT_OPCODE_mod, t, x, y);
}

uint32_t maker_lanes(struct kernel_maker *g)
{
	static const uint32_t some[] = { 1, 1, 1, 2, 4, 8, 16, 3 };
	return g->flags & RANDOM_KERNEL_LANES ? some[maker_below(g, 8)] : 1;
}

struct lt_value_type maker_type(struct kernel_maker *g, uint64_t types)
{
	uint32_t dtype;
	do
		dtype = (uint32_t)maker_below(g, LT_LANE_MASK + 1);
	while (!(types >> dtype & 1));
	return (struct lt_value_type){ dtype, maker_lanes(g) };
}

static bool is_float(uint32_t dtype) { return dtype == LT_F32 || dtype == LT_F64; }

/* Whether everybody who runs it has the same bits. */
static bool is_exact(uint32_t opcode, uint32_t dtype)
{
	static const uint16_t inexact[] = { LT_OPCODE_pow, LT_OPCODE_exp, LT_OPCODE_log, LT_OPCODE_rsqrt, LT_OPCODE_tanh,
		LT_OPCODE_sigmoid, LT_OPCODE_erf, LT_OPCODE_sin, LT_OPCODE_cos };
	for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++)
		if (opcode == inexact[i])
			return false;
	return opcode != LT_OPCODE_mul || !is_float(dtype);
}

/* A whole number of a float type. */
static uint64_t maker_whole_bits(struct kernel_maker *g, struct lt_value_type t)
{
	double f64 = maker_below(g, 401) - 200;
	float f32 = (float)f64;
	uint64_t bits = 0;
	memcpy(&bits, t.dtype == LT_F32 ? (void *)&f32 : (void *)&f64, t.dtype == LT_F32 ? sizeof f32 : sizeof f64);
	return bits;
}

/* The second operand of an opcode that does not take every number. */
static int32_t careful(struct kernel_maker *g, int opcode, struct lt_value_type t)
{
	int32_t x = maker_want(g, t);
	if (is_float(t.dtype))
		return opcode == LT_OPCODE_scale ? maker_constant(g, t, maker_whole_bits(g, t)) : x;
	if (opcode == LT_OPCODE_quotient || opcode == LT_OPCODE_remainder) {
		x = maker_two(g, LT_OPCODE_and, t, x, maker_constant(g, t, 0xff));
		return maker_two(g, LT_OPCODE_or, t, x, maker_constant(g, t, 1));
	}
	if (opcode == LT_OPCODE_shift_left || opcode == LT_OPCODE_shift_right || opcode == LT_OPCODE_shift_signed)
		return maker_two(g, LT_OPCODE_and, t, x, maker_constant(g, t, lt__kernel_element_bytes(t.dtype) * 8 - 1));
	return x;
}

/* Of scale: -1, 0, 1 or NaN. */
static int32_t maker_one(struct kernel_maker *g, struct lt_value_type t)
{
	struct lt_instruction i = maker_plain(LT_OPCODE_sign, t);
	i.operand[0] = maker_want(g, t);
	return maker_make(g, i);
}

/* An instruction whose operands and value follow from a type. */
void maker_value(struct kernel_maker *g)
{
	int opcode;
	const struct lt_opcode_facts *f;
	do {
		opcode = maker_below(g, LT_NOPCODE);
		f = lt__opcode((uint32_t)opcode);
	} while (!f || !f->pattern || *f->pattern != 't' || strpbrk(f->pattern, "naokewg"));
	struct lt_value_type t = maker_type(g, f->types), from = t;
	if ((!is_exact((uint32_t)opcode, t.dtype) && !(g->flags & RANDOM_KERNEL_INEXACT))
		|| (!(g->flags & RANDOM_KERNEL_LANES) && (opcode == LT_OPCODE_lane || opcode == LT_OPCODE_below)))
		return;
	if (f->operand[0] == LT_RULE_FOUR) {            /* a quarter of the lanes that there may be */
		if (!(g->flags & RANDOM_KERNEL_LANES))
			return;
		from = (struct lt_value_type){ maker_below(g, 2) ? LT_I8 : LT_U8, 4 * t.lanes };
	} else if (opcode == LT_OPCODE_bits) {                 /* the bits of a NaN are nobody's business: not from floats */
		static const uint32_t whole_type[] = { 0, LT_I8, LT_I16, 0, LT_I32, 0, 0, 0, LT_I64 };
		if (t.dtype == LT_BOOL)
			return;
		from.dtype = whole_type[lt__kernel_element_bytes(t.dtype)];
	} else if (opcode == LT_OPCODE_convert) {       /* from floats to integers what is cut must fit */
		static const uint64_t wide = UINT64_C(1) << LT_I32 | UINT64_C(1) << LT_I64;
		static const uint64_t reals = UINT64_C(1) << LT_F32 | UINT64_C(1) << LT_F64;
		from.dtype = maker_type(g, is_float(t.dtype) ? wide | reals : wide).dtype;
	} else {
		from.dtype = maker_type(g, (UINT64_C(1) << LT_NDTYPE) - 2).dtype;
	}
	int32_t x[4] = { -1, -1, -1, -1 };
	for (int k = 0; k < 4 && f->operand[k]; k++) {
		struct lt_value_type needed = f->operand[k] == LT_RULE_FROM || f->operand[k] == LT_RULE_FOUR ? from
			: lt__rule_type((enum lt_type_rule)f->operand[k], t, NULL, k);
		x[k] = k == 1 ? careful(g, opcode, needed) : opcode == LT_OPCODE_scale ? maker_one(g, needed) : maker_want(g, needed);
	}
	struct lt_instruction i = maker_plain(opcode, lt__rule_type((enum lt_type_rule)f->value, t, NULL, 0));
	memcpy(i.operand, x, sizeof x);
	(void)maker_pooled(g, maker_make(g, i), -1);
}

int maker_folding(struct kernel_maker *g, uint32_t dtype)
{
	for (;;) {
		int opcode = maker_below(g, LT_NOPERATOR_OPCODE);
		if (lt__opcode_folds((uint32_t)opcode) && lt__opcode((uint32_t)opcode)->types >> dtype & 1
			&& (is_exact((uint32_t)opcode, dtype) || g->flags & RANDOM_KERNEL_INEXACT))
			return opcode;
	}
}

const uint64_t maker_foldable = (UINT64_C(1) << LT_F32) | (UINT64_C(1) << LT_F64) | (UINT64_C(1) << LT_I32)
	| (UINT64_C(1) << LT_I64) | (UINT64_C(1) << LT_BOOL) | (UINT64_C(1) << LT_LANE_MASK);

void maker_fold(struct kernel_maker *g)
{
	struct lt_value_type t = maker_type(g, maker_foldable);
	if (t.lanes & (t.lanes - 1))
		return;
	struct lt_instruction i = maker_plain(LT_OPCODE_fold, (struct lt_value_type){ t.dtype, 1 });
	i.operand[0] = maker_want(g, t);
	i.what = maker_folding(g, t.dtype);
	(void)maker_pooled(g, maker_make(g, i), -1);
}

/* An operator of floats, lane by lane. */
void maker_each(struct kernel_maker *g)
{
	struct lt_value_type t = maker_type(g, lt__opcode(LT_OPCODE_each)->types);
	struct lt_instruction i = maker_plain(LT_OPCODE_each, t);
	do
		i.what = maker_below(g, LT_NOPCODE);
	while (!lt__opcode_each((uint32_t)i.what) || !(lt__opcode((uint32_t)i.what)->types >> t.dtype & 1)
		|| (!is_exact((uint32_t)i.what, t.dtype) && !(g->flags & RANDOM_KERNEL_INEXACT)));
	for (int k = 0; k < lt__opcode_each((uint32_t)i.what); k++)
		i.operand[k] = maker_want(g, t);
	(void)maker_pooled(g, maker_make(g, i), -1);
}

void maker_shuffle(struct kernel_maker *g)
{
	struct lt_value_type t = maker_type(g, lt__opcode(LT_OPCODE_shuffle)->types);
	int64_t lane[16];
	struct lt_instruction i = maker_plain(LT_OPCODE_shuffle, (struct lt_value_type){ t.dtype, maker_lanes(g) });
	for (uint32_t l = 0; l < i.lanes; l++)
		lane[l] = maker_below(g, (int)(2 * t.lanes));
	i.operand[0] = maker_want(g, t);
	i.operand[1] = maker_want(g, t);
	i.first_extra = lt__build_extras(&g->b, lane, (int32_t)i.lanes);
	i.n_extra = (int32_t)i.lanes;
	(void)maker_pooled(g, maker_make(g, i), -1);
}
