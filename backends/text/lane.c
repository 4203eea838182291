/* lane.c -- values of several lanes as GNU vectors.
 *
 * A vector has as many lanes as the next power of two; what is in those that are too many does not matter.  A mask is a
 * vector of integers, 0 or -1, as wide as what it was made by, or as what it is used with.
 */
#include <string.h>
#include "backends/text/part.h"

static uint32_t bits_of(uint32_t dtype) { return 8u * lt__text_element(dtype)->bytes; }

static struct lt_value_type whole_of(uint32_t bits, uint32_t lanes)
{
	return (struct lt_value_type){ bits == 8 ? LT_I8 : bits == 16 ? LT_I16 : bits == 32 ? LT_I32 : LT_I64, lanes };
}

static uint32_t width_of(uint32_t lanes)
{
	uint32_t n = 1;
	while (n < lanes)
		n *= 2;
	return n;
}

uint32_t lt__text_user_bits(const struct text *t, int32_t value)
{
	enum { USUAL = 32 };
	const struct lt_instruction *x = text_at(t, t->value[value].user);
	switch (x->opcode) {
	case LT_OPCODE_load:
	case LT_OPCODE_store:
	case LT_OPCODE_prefetch: return bits_of(t->k->buffers[x->what].dtype);
	case LT_OPCODE_fault: return 64;
	case LT_OPCODE_select:
		if (x->dtype != LT_LANE_MASK)
			return bits_of(x->dtype);
		break;
	default: break;
	}
	for (int k = 0; k < 3 && x->operand[k] >= 0; k++)
		if (x->operand[k] != value && t->value[x->operand[k]].expr.mask_bits)
			return t->value[x->operand[k]].expr.mask_bits;
	return USUAL;
}

static struct text_expr helper_of(
	struct text *t, const char *name, struct lt_value_type type, const struct text_expr *x, int n)
{
	return lt__text_called(t, lt__text_helper(t, name, type), x, n);
}

struct text_expr lt__text_mask(struct text *t, int32_t value, uint32_t bits)
{
	const struct lt_instruction *i = text_at(t, value);
	const char *type = lt__text_type(t, (struct lt_value_type){ LT_LANE_MASK, i->lanes }, bits);
	struct lt_out o = lt__out_new(&t->pool);
	if (i->opcode == LT_OPCODE_const) {
		lt__outf(&o, "(%s){ ", type);
		for (uint32_t lane = 0; lane < i->lanes; lane++)
			lt__outf(&o, lane ? ", %d" : "%d", (uint64_t)i->number >> lane & 1 ? -1 : 0);
		lt__out(&o, " }");
		return (struct text_expr){ .text = o.at, .mask_bits = bits };
	}
	struct text_expr e = lt__text_use(t, value);
	if (e.mask_bits == bits)
		return e;
	e.text = lt__text_formatted(t, "__builtin_convertvector(%s, %s)", e.text, type);
	e.tight = TEXT_PRIMARY;
	e.mask_bits = bits;
	return e;
}

/* The width of the first operand that has one. */
static uint32_t common_bits(const struct text *t, const struct lt_instruction *i, int32_t at)
{
	for (int k = 0; k < 3 && i->operand[k] >= 0; k++)
		if (text_at(t, i->operand[k])->dtype == LT_LANE_MASK && t->value[i->operand[k]].expr.mask_bits)
			return t->value[i->operand[k]].expr.mask_bits;
	return lt__text_user_bits(t, at);
}

/* A function that does it lane after lane, by the text for one lane. */
static const char *each_function(struct text *t, const char *name, struct lt_value_type result, const char *const *type,
	int n, const char *one)
{
	struct lt_out o = lt__out_new(&t->pool);
	const char *value = lt__text_type(t, result, 0);
	lt__text_define(t, "LT_LANES", "#define LT_LANES static inline __attribute__((always_inline, unused))\n");
	lt__outf(&o, "LT_LANES %s %s(", value, name);
	for (int k = 0; k < n; k++)
		lt__outf(&o, "%s%s %c", k ? ", " : "", type[k], 'a' + k);
	lt__outf(&o, ")\n{\n\t%s r = { 0 };\n\tfor (int i = 0; i < %u; i++)\n\t\tr[i] = %s;\n\treturn r;\n}\n", value,
		(unsigned)result.lanes, one);
	lt__text_define(t, name, o.at);
	return name;
}

static const struct text_expr lane_operands[4] = { { .text = "a[i]" }, { .text = "b[i]" }, { .text = "c[i]" }, { 0 } };

static struct text_expr lane_by_lane(struct text *t, const struct lt_instruction *i, const struct text_expr *x, int n)
{
	const uint32_t opcode = i->opcode == LT_OPCODE_each ? (uint32_t)i->what : i->opcode;
	const uint32_t from = text_at(t, i->operand[0])->dtype;
	const struct lt_value_type result = { i->dtype, i->lanes };
	const char *type[3] = { "", "", "" };
	struct text_expr operand[4] = { { 0 } }, one;
	for (int k = 0; k < n; k++) {
		type[k] = lt__text_type(t, (struct lt_value_type){ text_at(t, i->operand[k])->dtype, i->lanes }, 0);
		operand[k] = lane_operands[k];
	}
	if (opcode == LT_OPCODE_cast || opcode == LT_OPCODE_convert)
		one = lt__text_cast(t, operand[0], from, (struct lt_value_type){ i->dtype, 1 });
	else
		one = lt__text_operator(t, opcode, (struct lt_value_type){ from, 1 }, operand);
	const char *name = lt__text_formatted(t, "lt_%s_each_%s%s%s", lt__text_short(t, result), lt_opcode_name(opcode),
		from == i->dtype ? "" : "_", from == i->dtype ? "" : lt__text_element(from)->name);
	return lt__text_called(t, each_function(t, name, result, type, n, one.text), x, n);
}

struct text_expr lt__text_update(struct text *t, const struct lt_instruction *i, const struct text_expr *x)
{
	const struct lt_variable *v = &t->k->variables[i->what];
	const struct lt_instruction operator = { .opcode = (uint16_t)i->number, .dtype = (uint8_t)v->dtype, .lanes = v->lanes,
		.operand = { i->operand[0], i->operand[0], -1, -1 } };
	if (!lt__text_has_lanes(operator.opcode, v->dtype))
		return lane_by_lane(t, &operator, x, 2);
	return lt__text_operator(t, operator.opcode, (struct lt_value_type){ v->dtype, v->lanes }, x);
}

static struct text_expr third_party(struct text *t, const struct lt_instruction *i, const struct text_expr *x, int n)
{
	const struct lt_value_type result = { i->dtype, i->lanes };
	const char *type[3] = { "", "", "" };
	for (int k = 0; k < n; k++)
		type[k] = lt__text_type(t, (struct lt_value_type){ t->k->ops[i->what].in[k], i->lanes }, 0);
	const char *name = lt__text_formatted(t, "lt_op%d_x%u", (int)i->what, (unsigned)i->lanes);
	return lt__text_called(t, each_function(t, name, result, type, n, lt__text_third(t, i, lane_operands, n).text), x, n);
}

/* Between numbers that C converts; gcc converts to narrower lanes well in steps of one half only. */
static struct text_expr converted(struct text *t, const struct lt_instruction *i, struct text_expr x)
{
	const struct text_element *f = lt__text_element(text_at(t, i->operand[0])->dtype), *r = lt__text_element(i->dtype);
	uint32_t bits = 8u * f->bytes;
	while (f->kind != 'F' && bits > 16u * r->bytes) {
		bits /= 2;
		x.text = lt__text_formatted(t, "__builtin_convertvector(%s, %s)", x.text,
			lt__text_type(t, whole_of(bits, i->lanes), 0));
	}
	x.text = lt__text_formatted(t, "__builtin_convertvector(%s, %s)", x.text,
		lt__text_type(t, (struct lt_value_type){ i->dtype, i->lanes }, 0));
	x.tight = TEXT_PRIMARY;
	x.scalar = NULL;
	return x;
}

/* The number of a lane of two operands, which have the lanes of vectors each. */
static unsigned lane_at(const struct text *t, const struct lt_instruction *i, uint32_t lane, uint32_t n)
{
	int64_t from = lane < i->lanes ? t->k->extras[i->first_extra + (int32_t)lane] : 0;
	return (unsigned)(from < n ? from : from - n + width_of(n));
}

/* Whether all lanes stand side by side in one register of the other vector: processors take such a part in one step,
 * and compilers do not see it in a list of lanes. */
static bool is_part(const struct text *t, const struct lt_instruction *i, uint32_t bits, uint32_t n)
{
	const unsigned first = lane_at(t, i, 0, n);
	bool part = i->lanes < n && i->lanes * bits >= 128 && n == width_of(n) && i->lanes == width_of(i->lanes)
		&& first % i->lanes == 0;
	for (uint32_t lane = 1; part && lane < i->lanes; lane++)
		part = lane_at(t, i, lane, n) == first + lane;
	return part;
}

/* A function that takes a part of a vector, by its number. */
static const char *part_function(struct text *t, const char *type, const char *from, uint32_t parts)
{
	const char *name = lt__text_formatted(t, "%s_of_%s", type, from);
	lt__text_define(t, "LT_LANES", "#define LT_LANES static inline __attribute__((always_inline, unused))\n");
	lt__text_define(t, name, lt__text_formatted(t, "LT_LANES %s %s(%s v, int k)\n{\n"
		"\tunion { %s v; %s part[%u]; } u = { v };\n\treturn u.part[k];\n}\n", type, name, from, from, type,
		(unsigned)parts));
	return name;
}

static struct text_expr shuffled(
	struct text *t, const struct lt_instruction *i, const struct text_expr *x, uint32_t bits)
{
	static const char same[] = "#if defined(__clang__) || __GNUC__ >= 12\n"
		"#define LT_SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n#else\n"
		"#define LT_SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){ __VA_ARGS__ })\n#endif\n";
	const uint32_t n = text_at(t, i->operand[0])->lanes, width = width_of(n);
	const char *type = lt__text_type(t, (struct lt_value_type){ i->dtype, i->lanes }, bits);
	struct lt_out o = lt__out_new(&t->pool);
	struct text_expr e = lt__text_joined(x, 2);
	e.mask_bits = i->dtype == LT_LANE_MASK && i->lanes > 1 ? bits : 0;
	if (i->lanes == 1) {
		unsigned lane = lane_at(t, i, 0, n);
		e.text = lt__text_formatted(t, "%s[%u]", lt__text_in(t, x[lane >= width], TEXT_PRIMARY), lane % width);
		if (i->dtype == LT_LANE_MASK)
			e.text = lt__text_formatted(t, "-%s", e.text);
		e.tight = i->dtype == LT_LANE_MASK ? TEXT_UNARY : TEXT_PRIMARY;
		return e;
	}
	if (width_of(i->lanes) == width) {
		lt__text_define(t, "LT_SHUFFLE", same);
		lt__outf(&o, "LT_SHUFFLE(%s, %s, %s", lt__text_type(t, whole_of(bits, i->lanes), 0), x[0].text, x[1].text);
		for (uint32_t lane = 0; lane < width; lane++)
			lt__outf(&o, ", %u", lane_at(t, i, lane, n));
		lt__out(&o, ")");
	} else if (is_part(t, i, bits, n)) {
		const char *from = lt__text_type(t, (struct lt_value_type){ i->dtype, n }, bits);
		const unsigned first = lane_at(t, i, 0, n);
		lt__outf(&o, "%s(%s, %u)", part_function(t, type, from, n / i->lanes), x[first >= width].text,
			first % width / i->lanes);
	} else {                                        /* older ones of gcc cannot change the number of lanes */
		lt__outf(&o, "(%s){ ", type);
		for (uint32_t lane = 0; lane < i->lanes; lane++) {
			unsigned from = lane_at(t, i, lane, n);
			const char *operand = lt__text_in(t, x[from >= width], TEXT_PRIMARY);
			lt__outf(&o, n > 1 ? "%s%s[%u]" : i->dtype == LT_LANE_MASK ? "%s-%s" : "%s%s", lane ? ", " : "", operand,
				from % width);
		}
		lt__out(&o, " }");
	}
	e.text = o.at;
	return e;
}

static struct text_expr folded(struct text *t, const struct lt_instruction *i)
{
	const struct lt_instruction *x = text_at(t, i->operand[0]);
	struct lt_value_type type = { x->dtype, x->lanes };
	struct text_expr e;
	const char *name = lt__text_formatted(t, "fold_%s", lt_opcode_name((uint32_t)i->what));
	if (x->dtype != LT_LANE_MASK) {
		e = lt__text_use(t, i->operand[0]);
		return helper_of(t, name, type, &e, 1);
	}
	uint32_t bits = common_bits(t, i, (int32_t)(i - t->k->instructions));
	e = lt__text_mask(t, i->operand[0], bits);
	e = helper_of(t, name, whole_of(bits, x->lanes), &e, 1);
	e.text = lt__text_formatted(t, "%s != 0", e.text);
	e.tight = TEXT_COMPARE;
	return e;
}

/* Operators between masks. */
static struct text_expr of_masks(struct text *t, const struct lt_instruction *i, int32_t at)
{
	uint32_t bits = common_bits(t, i, at);
	struct text_expr x[4] = { { 0 } }, e;
	for (int k = 0; k < 3 && i->operand[k] >= 0; k++)
		x[k] = lt__text_mask(t, i->operand[k], bits);
	if (i->opcode == LT_OPCODE_shuffle)
		return shuffled(t, i, x, bits);
	if (i->opcode == LT_OPCODE_select)
		e = helper_of(t, "select", whole_of(bits, i->lanes), x, 3);
	else if (i->opcode == LT_OPCODE_any || i->opcode == LT_OPCODE_all || i->opcode == LT_OPCODE_flag)
		return helper_of(t, lt_opcode_name(i->opcode), whole_of(bits, text_at(t, i->operand[0])->lanes), x, 1);
	else
		e = lt__text_operator(t, i->opcode, (struct lt_value_type){ LT_LANE_MASK, i->lanes }, x);
	e.mask_bits = bits;
	return e;
}

/* One that comes from no mask of several lanes: one lane spread, lanes below a number. */
static struct text_expr new_mask(struct text *t, const struct lt_instruction *i, int32_t at)
{
	uint32_t bits = lt__text_user_bits(t, at);
	struct text_expr x = lt__text_use(t, i->operand[0]);
	if (i->opcode == LT_OPCODE_splat)
		x.text = lt__text_formatted(t, "-%s", lt__text_in(t, x, TEXT_PRIMARY));
	struct text_expr e = helper_of(t, lt_opcode_name(i->opcode), whole_of(bits, i->lanes), &x, 1);
	e.mask_bits = bits;
	return e;
}

static struct text_expr numbered(struct text *t, const struct lt_instruction *i)
{
	struct lt_out o = lt__out_new(&t->pool);
	lt__outf(&o, "(%s){ ", lt__text_type(t, (struct lt_value_type){ i->dtype, i->lanes }, 0));
	for (uint32_t lane = 0; lane < i->lanes; lane++)
		lt__outf(&o, lane ? ", %u" : "%u", (unsigned)lane);
	lt__out(&o, " }");
	return (struct text_expr){ .text = o.at };
}

/* Operands are of the value's type, but for tests and choices. */
static struct text_expr operated(struct text *t, const struct lt_instruction *i, const struct text_expr *x, int n)
{
	struct lt_value_type type = lt__instruction_type(t->k, i);
	const char *function = lt__text_library(t, i->opcode, type);
	if (function)
		return lt__text_called(t, function, x, n);
	if (!lt__text_has_lanes(i->opcode, type.dtype))
		return lane_by_lane(t, i, x, n);
	struct text_expr e = lt__text_operator(t, i->opcode, type, x);
	e.mask_bits = i->dtype == LT_LANE_MASK ? bits_of(type.dtype) : 0;
	return e;
}

struct text_expr lt__text_lanes(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct lt_instruction *first = i->operand[0] >= 0 ? text_at(t, i->operand[0]) : i;
	struct text_expr x[4] = { { 0 } };
	int n = 0;
	if (i->opcode == LT_OPCODE_lane)
		return numbered(t, i);
	if (i->opcode == LT_OPCODE_fold)
		return folded(t, i);
	if (i->dtype == LT_LANE_MASK && (i->opcode == LT_OPCODE_splat || i->opcode == LT_OPCODE_below))
		return new_mask(t, i, at);
	if (first->dtype == LT_LANE_MASK && first->lanes > 1
		&& (i->opcode != LT_OPCODE_select || i->dtype == LT_LANE_MASK))
		return of_masks(t, i, at);
	for (; n < 4 && i->operand[n] >= 0; n++)
		x[n] = i->opcode == LT_OPCODE_select && n == 0 ? lt__text_mask(t, i->operand[0], bits_of(i->dtype))
			: lt__text_use(t, i->operand[n]);
	switch (i->opcode) {
	case LT_OPCODE_text: return third_party(t, i, x, n);
	case LT_OPCODE_each:
	case LT_OPCODE_cast: return lane_by_lane(t, i, x, n);
	case LT_OPCODE_convert: return converted(t, i, x[0]);
	case LT_OPCODE_splat: return helper_of(t, "splat", (struct lt_value_type){ i->dtype, i->lanes }, x, 1);
	case LT_OPCODE_shuffle: return shuffled(t, i, x, bits_of(i->dtype));
	case LT_OPCODE_dot:
		return helper_of(t, first->dtype == LT_I8 ? "dot_signed" : "dot_unsigned",
			(struct lt_value_type){ first->dtype, first->lanes }, x, 3);
	case LT_OPCODE_bits:
		x[0].text = lt__text_formatted(t, "(%s)%s", lt__text_type(t, (struct lt_value_type){ i->dtype, i->lanes }, 0),
			lt__text_in(t, x[0], TEXT_UNARY));
		x[0].tight = TEXT_UNARY;
		x[0].scalar = NULL;
		return x[0];
	default: return operated(t, i, x, n);
	}
}
