/* opcode.c -- the facts of each opcode: the table, from the maps of lt/tree.h and lt/kernel.h. */
#include <math.h>
#include <string.h>
#include "kernel/form/form.h"

#define BIT(dtype)      (UINT64_C(1) << (dtype))
#define FLOATS          (BIT(LT_F32) | BIT(LT_F64))
#define SIGNED          (BIT(LT_I32) | BIT(LT_I64))
#define INTEGERS        (SIGNED | BIT(LT_U32) | BIT(LT_U64))
#define ARITHMETIC      (FLOATS | INTEGERS)
#define ORDERED         (ARITHMETIC | BIT(LT_BOOL))
#define ELEMENTS        (BIT(LT_NDTYPE) - 2)
#define MASKS           BIT(LT_LANE_MASK)
#define BITWISE         (BIT(LT_BOOL) | INTEGERS | MASKS)

#define NO_OPERAND      { LT_RULE_NONE }
#define OPERANDS_1(x)   { LT_RULE_##x }
#define OPERANDS_2(x)   { LT_RULE_##x, LT_RULE_##x }
#define PATTERN_1       "t 0"
#define PATTERN_2       "t 0 1"

/* Operators, by the column `types` of their map.  An operator of three operands has types of its own. */
#define SAME_FACTS(name, n) PATTERN_##n, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_##n(SAME), 0, \
	LT_OPCODE_##name == LT_OPCODE_copy ? ELEMENTS \
	: LT_OPCODE_##name == LT_OPCODE_min || LT_OPCODE_##name == LT_OPCODE_max ? ORDERED : ARITHMETIC
#define FLOAT_FACTS(name, n) PATTERN_##n, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_##n(SAME), 0, FLOATS
#define BITS_FACTS(name, n) PATTERN_##n, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_##n(SAME), 0, BITWISE
#define WHOLE_FACTS(name, n) PATTERN_##n, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_##n(SAME), 0, INTEGERS
#define TEST_FACTS(name, n) PATTERN_##n, LT_TYPE_OF_OPERAND, LT_RULE_MASK, OPERANDS_##n(SAME), 0, ORDERED
#define CAST_FACTS(name, n) "t f 0", LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_##n(FROM), 0, ELEMENTS
#define CHOOSE_FACTS(name, n) "t 0 1 2", LT_TYPE_OF_VALUE, LT_RULE_SAME, { LT_RULE_MASK, LT_RULE_SAME, LT_RULE_SAME }, \
	0, ELEMENTS

/* The machine's. */
#define FACTS_const     NULL, LT_TYPE_OF_VALUE, LT_RULE_SAME, NO_OPERAND, 0, ELEMENTS | MASKS
#define FACTS_param     "n", LT_TYPE_NONE, LT_RULE_I64, NO_OPERAND, 0, 0
#define FACTS_argument  "t n", LT_TYPE_OF_VALUE, LT_RULE_SAME, NO_OPERAND, 0, ELEMENTS | MASKS
#define FACTS_first     "", LT_TYPE_NONE, LT_RULE_I64, NO_OPERAND, 0, 0
#define FACTS_last      FACTS_first
#define FACTS_splat     "t 0", LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_1(ONE), 0, ELEMENTS | MASKS
#define FACTS_lane      "t", LT_TYPE_OF_VALUE, LT_RULE_SAME, NO_OPERAND, 0, INTEGERS
#define FACTS_below     "t 0", LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_1(I64), 0, MASKS
#define FACTS_shuffle   "t 0 1 k", LT_TYPE_OF_OPERAND, LT_RULE_LIST, OPERANDS_2(SAME), 0, ELEMENTS | MASKS
#define FACTS_fold      "t o 0", LT_TYPE_OF_OPERAND, LT_RULE_ONE, OPERANDS_1(SAME), 0, ORDERED | MASKS
#define FACTS_any       "t 0", LT_TYPE_OF_OPERAND, LT_RULE_TEST, OPERANDS_1(SAME), 0, MASKS
#define FACTS_all       FACTS_any
#define FACTS_flag      "t 0", LT_TYPE_OF_OPERAND, LT_RULE_BOOL, OPERANDS_1(SAME), 0, MASKS
#define FACTS_test      "t 0", LT_TYPE_OF_OPERAND, LT_RULE_MASK, OPERANDS_1(SAME), 0, BIT(LT_BOOL)
#define FACTS_bits      CAST_FACTS(bits, 1)
#define FACTS_quotient  PATTERN_2, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_2(SAME), 0, INTEGERS
#define FACTS_remainder PATTERN_2, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_2(SAME), 0, ARITHMETIC
#define FACTS_shift_left FACTS_quotient
#define FACTS_shift_right FACTS_quotient
#define FACTS_text      "t n i", LT_TYPE_OF_VALUE, LT_RULE_SAME, { LT_RULE_IN, LT_RULE_IN, LT_RULE_IN }, 7, ELEMENTS
#define FACTS_load      "t a m", LT_TYPE_OF_VALUE, LT_RULE_SAME, { LT_RULE_I64, LT_RULE_INDEX, LT_RULE_MASK }, 7, \
	ELEMENTS
#define FACTS_store     "l a 3 m s", LT_TYPE_OF_STORED, LT_RULE_NONE, \
	{ LT_RULE_I64, LT_RULE_INDEX, LT_RULE_MASK, LT_RULE_SAME }, 7, ELEMENTS
#define FACTS_prefetch  "l a m", LT_TYPE_OF_PREFETCH, LT_RULE_NONE, { LT_RULE_I64, LT_RULE_INDEX, LT_RULE_MASK }, 7, \
	ELEMENTS
#define FACTS_fault     "l 0 1 access n", LT_TYPE_OF_FAULT, LT_RULE_NONE, { LT_RULE_MASK, LT_RULE_SAME }, 0, BIT(LT_I64)
#define FACTS_get       "v", LT_TYPE_OF_VARIABLE, LT_RULE_SAME, NO_OPERAND, 0, ELEMENTS | MASKS
#define FACTS_set       "v 0", LT_TYPE_OF_VARIABLE, LT_RULE_NONE, OPERANDS_1(SAME), 0, ELEMENTS | MASKS
#define FACTS_update    "v u 0", LT_TYPE_OF_VARIABLE, LT_RULE_NONE, OPERANDS_1(SAME), 0, ORDERED | MASKS
#define FACTS_array     "b", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0
#define FACTS_variable  "v", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0
#define FACTS_loop      "d from 0 to 1 p", LT_TYPE_NONE, LT_RULE_I64, OPERANDS_2(I64), 0, 0
#define FACTS_if        "0", LT_TYPE_NONE, LT_RULE_NONE, OPERANDS_1(TEST), 0, 0
#define FACTS_else      "", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0
#define FACTS_end       FACTS_else
#define FACTS_launch    "n 0 h", LT_TYPE_NONE, LT_RULE_NONE, OPERANDS_1(I64), 0, 0
#define FACTS_lesser    FACTS_remainder
#define FACTS_larger    FACTS_remainder
#define FACTS_shift_signed PATTERN_2, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_2(SAME), 0, SIGNED
#define FACTS_scale     PATTERN_2, LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_2(SAME), 0, FLOATS
#define FACTS_convert   "t f 0", LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_1(FROM), 0, \
	ELEMENTS & ~(BIT(LT_F16) | BIT(LT_BF16) | BIT(LT_BOOL))
#define FACTS_each      "t e i", LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_2(SAME), 2, FLOATS
#define FACTS_dot       "t f 0 1 2", LT_TYPE_OF_VALUE, LT_RULE_SAME, { LT_RULE_FOUR, LT_RULE_FOUR, LT_RULE_SAME }, 0, \
	BIT(LT_I32)
#define FACTS_block     FACTS_param
#define FACTS_thread    FACTS_param
#define FACTS_subgroup  FACTS_param
#define FACTS_member    FACTS_first
#define FACTS_leave     FACTS_if
#define FACTS_barrier   "w c threads j", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0
#define FACTS_exchange  "t w 0 1", LT_TYPE_OF_VALUE, LT_RULE_SAME, { LT_RULE_SAME, LT_RULE_I64 }, 0, ELEMENTS | MASKS
#define FACTS_copy_async "l a from y m", LT_TYPE_OF_COPY, LT_RULE_NONE, \
	{ LT_RULE_I64, LT_RULE_NONE, LT_RULE_TEST, LT_RULE_I64 }, 13, ELEMENTS
#define FACTS_commit    "w", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0
#define FACTS_wait      "w c", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0
#define FACTS_matrix    "g z A B q", LT_TYPE_NONE, LT_RULE_NONE, OPERANDS_2(ANY), 3, 0
#define FACTS_launch_grid "n 0 1 2 h", LT_TYPE_NONE, LT_RULE_NONE, { LT_RULE_I64, LT_RULE_I64, LT_RULE_I64 }, 0, 0

#define FACTS_fragment  "t g r x", LT_TYPE_OF_VALUE, LT_RULE_SAME, OPERANDS_1(I64), 1, ELEMENTS
#define FACTS_call      "n h", LT_TYPE_NONE, LT_RULE_NONE, NO_OPERAND, 0, 0

static const char *const scopes[] = { "block", "subgroup", NULL };
static const char *const exchanges[] = { "up", "down", "xor", "index", NULL };
static const char *const flights[] = { "copies", "products", NULL };
const char *const lt__call_epilogues[] = { "bias", "residual", "relu", "gelu", "gelu_tanh", "silu", NULL };
const char *const lt__call_roles[] = { "batch", "row", "column", "deep", "other", NULL };
_Static_assert(sizeof scopes / sizeof *scopes == LT_NBARRIER + 1, "a word for each scope");
_Static_assert(sizeof exchanges / sizeof *exchanges == LT_NEXCHANGE + 1, "a word for each kind");
_Static_assert(sizeof flights / sizeof *flights == LT_NFLIGHT + 1, "a word for each kind");

static const struct lt_opcode_facts facts[LT_NOPCODE] = {
#define OPERATOR_ROW(name, number, operands, types) [number] = { #name, "", types##_FACTS(name, operands) },
	LT_OPERATOR_MAP(OPERATOR_ROW)
#undef OPERATOR_ROW
#define MACHINE_ROW(name, number, form, doc) [number] = { #name, doc, FACTS_##name },
	LT_MACHINE_MAP(MACHINE_ROW)
#undef MACHINE_ROW
};

const struct lt_opcode_facts *lt__opcode(uint32_t opcode)
{
	return opcode < LT_NOPCODE && facts[opcode].name ? &facts[opcode] : NULL;
}

const char *lt_opcode_name(uint32_t opcode)
{
	const struct lt_opcode_facts *f = lt__opcode(opcode);
	return f ? f->name : NULL;
}

int32_t lt__opcode_find(const char *name, size_t bytes)
{
	for (int32_t i = 0; i < LT_NOPCODE; i++)
		if (facts[i].name && strlen(facts[i].name) == bytes && memcmp(facts[i].name, name, bytes) == 0)
			return i;
	return -1;
}

/* How many letters one name has to change to be the other: inserted, left out, or another. */
static size_t opcode_distance(const char *a, size_t n, const char *b)
{
	enum { MOST = 24 };
	size_t row[MOST + 1], m = strlen(b);
	if (n > MOST || m > MOST)
		return MOST;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t corner = row[0];
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t kept = corner + (a[i - 1] != b[j - 1]), left = row[j - 1] + 1, above = row[j] + 1;
			corner = row[j];
			row[j] = kept < left ? kept : left;
			row[j] = row[j] < above ? row[j] : above;
		}
	}
	return row[m];
}

const char *lt__opcode_near(const char *name, size_t bytes)
{
	const char *best = NULL;
	size_t least = bytes < 4 ? 2 : 3;
	for (uint32_t i = 0; i < LT_NOPCODE; i++) {
		size_t d = facts[i].name && facts[i].pattern ? opcode_distance(name, bytes, facts[i].name) : least;
		if (d < least) {
			least = d;
			best = facts[i].name;
		}
	}
	return best;
}

bool lt__opcode_launches(uint32_t opcode) { return opcode == LT_OPCODE_launch || opcode == LT_OPCODE_launch_grid; }

bool lt__opcode_hands_over(uint32_t opcode) { return lt__opcode_launches(opcode) || opcode == LT_OPCODE_call; }

enum lt_extra_kind lt__opcode_extra(uint32_t opcode, int32_t e)
{
	if (lt__opcode_hands_over(opcode))
		return LT_EXTRA_VALUE;
	if (opcode == LT_OPCODE_copy_async)
		return e == 0 ? LT_EXTRA_BUFFER : LT_EXTRA_NUMBER;
	if (opcode != LT_OPCODE_matrix && opcode != LT_OPCODE_fragment)
		return LT_EXTRA_NUMBER;
	if (e >= 2 * LT_MATRIX_LOCATION)
		return LT_EXTRA_VARIABLE;
	return e % LT_MATRIX_LOCATION == 0 ? LT_EXTRA_BUFFER : LT_EXTRA_NUMBER;
}

enum lt_opcode_names lt__opcode_names(uint32_t opcode)
{
	switch (opcode) {
	case LT_OPCODE_load:
	case LT_OPCODE_store:
	case LT_OPCODE_prefetch:
	case LT_OPCODE_array:
	case LT_OPCODE_copy_async: return LT_NAMES_BUFFER;
	case LT_OPCODE_get:
	case LT_OPCODE_set:
	case LT_OPCODE_update:
	case LT_OPCODE_variable: return LT_NAMES_VARIABLE;
	default: return LT_NAMES_NOTHING;
	}
}

const char *const *lt__opcode_words(uint32_t opcode)
{
	switch (opcode) {
	case LT_OPCODE_barrier: return scopes;
	case LT_OPCODE_exchange: return exchanges;
	case LT_OPCODE_commit:
	case LT_OPCODE_wait: return flights;
	default: return NULL;
	}
}

char lt__opcode_list(const struct lt_opcode_facts *f)
{
	for (const char *e = f->pattern ? f->pattern : ""; *e; e += strcspn(e, " "), e += *e == ' ')
		if (strcspn(e, " ") == 1 && strchr("khyzx", *e))
			return *e;
	return 0;
}

struct lt_matrix_location lt__matrix_location(const struct lt_kernel *k, const struct lt_instruction *i, int operand)
{
	const int64_t *e = k->extras + i->first_extra + operand * LT_MATRIX_LOCATION;
	return (struct lt_matrix_location){ e[0], e[1], { e[2], e[3] }, e[4] };
}

bool lt__opcode_commutes(uint32_t opcode)
{
	return opcode == LT_OPCODE_add || opcode == LT_OPCODE_mul || opcode == LT_OPCODE_min || opcode == LT_OPCODE_max
		|| opcode == LT_OPCODE_and || opcode == LT_OPCODE_or || opcode == LT_OPCODE_xor;
}

bool lt__opcode_folded(uint32_t opcode)
{
	return opcode == LT_OPCODE_add || opcode == LT_OPCODE_mul || opcode == LT_OPCODE_and || opcode == LT_OPCODE_or
		|| opcode == LT_OPCODE_xor;
}

bool lt__opcode_folds(uint32_t opcode)
{
	const struct lt_opcode_facts *f = lt__opcode(opcode);
	return f && opcode < LT_NOPERATOR_OPCODE && f->value == LT_RULE_SAME && f->operand[0] == LT_RULE_SAME
		&& f->operand[1] == LT_RULE_SAME;
}

int lt__opcode_each(uint32_t opcode)
{
	const struct lt_opcode_facts *f = lt__opcode(opcode);
	bool fits = f && (opcode < LT_NOPERATOR_OPCODE || opcode == LT_OPCODE_remainder) && f->value == LT_RULE_SAME
		&& f->operand[0] == LT_RULE_SAME && !f->operand[2];
	return fits ? f->operand[1] ? 2 : 1 : 0;
}

enum lt_contract lt__opcode_contract(uint32_t opcode, uint32_t dtype)
{
	switch (opcode) {
	case LT_OPCODE_quotient:
	case LT_OPCODE_remainder: return lt__number_is_float(dtype) ? LT_CONTRACT_NONE : LT_CONTRACT_DIVISOR;
	case LT_OPCODE_shift_left:
	case LT_OPCODE_shift_right:
	case LT_OPCODE_shift_signed: return LT_CONTRACT_SHIFT;
	case LT_OPCODE_scale: return LT_CONTRACT_SCALE;
	default: return LT_CONTRACT_NONE;
	}
}

bool lt__contract_holds(enum lt_contract contract, uint32_t dtype, uint64_t x, uint64_t y)
{
	if (contract == LT_CONTRACT_NONE)       /* of masks, too, which are no numbers */
		return true;
	union lt_number a = lt__number_of_bits(x, dtype), b = lt__number_of_bits(y, dtype);
	switch (contract) {
	case LT_CONTRACT_DIVISOR: return b.i != 0 && (b.i != -1 || !lt__number_is_signed(dtype));
	case LT_CONTRACT_SHIFT: return b.i >= 0 && b.i < 8 * (int64_t)lt__number_bytes(dtype);
	case LT_CONTRACT_SCALE:
		if (!isnan(b.f) && (fabs(b.f) > (dtype == LT_F32 ? 250 : 2000) || rint(b.f) != b.f))
			return false;
		return !isfinite(a.f) || a.f == 0 || (fabs(a.f) >= 0.25 && fabs(a.f) <= 4);
	default: return true;
	}
}

int32_t lt__call_n_place(const struct lt_kernel_call *c)
{
	int32_t n = 0;
	for (int32_t o = 0; o < c->n_op; o++)
		for (int32_t v = 0; v < c->ops[o].n_value; v++)
			n += c->ops[o].values[v].kind == LT_VALUE_PLACE;
	return n;
}

int32_t lt__call_n_value(const struct lt_kernel_call *c)
{
	int32_t n = c->n_operand + c->n_dim + lt__call_n_place(c);
	for (int32_t o = c->n_result; c->n_result && o < c->n_operand; o++)
		n += c->operands[o].n_guard;
	return n;
}

int32_t lt__call_reads(const struct lt_kernel_call *c, int32_t o)
{
	return o < 3 ? 0 : o == 3 && c->epilogues & LT_EPILOGUE_BIAS ? LT_EPILOGUE_BIAS : LT_EPILOGUE_RESIDUAL;
}
