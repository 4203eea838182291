/* operator.c -- operators as expressions of their operands, by the rows of operator.def. */
#include <string.h>
#include "backends/text/part.h"

/* The row of an operator: by its opcode, and the kind of its operands' elements. */
struct spelling { uint16_t opcode; uint8_t tight; const char *kinds, *text; };
static const struct spelling one_lane[] = {
#define OPERATOR(name, kinds, tight, text) { LT_OPCODE_##name, tight, kinds, text },
#define LANES(name, kinds, tight, text)
#include "backends/text/operator.def"
#undef OPERATOR
#undef LANES
};
static const struct spelling many_lanes[] = {
#define OPERATOR(name, kinds, tight, text)
#define LANES(name, kinds, tight, text) { LT_OPCODE_##name, tight, kinds, text },
#include "backends/text/operator.def"
#undef OPERATOR
#undef LANES
	{ 0, 0, "", "" }
};

static const struct spelling *spelling_of(uint32_t opcode, struct lt_value_type type)
{
	char kind = lt__text_element(type.dtype)->kind;
	for (size_t i = 0; type.lanes > 1 && i < sizeof many_lanes / sizeof *many_lanes; i++)
		if (many_lanes[i].opcode == opcode && strchr(many_lanes[i].kinds, kind))
			return &many_lanes[i];
	for (size_t i = 0; i < sizeof one_lane / sizeof *one_lane; i++)
		if (one_lane[i].opcode == opcode && strchr(one_lane[i].kinds, kind))
			return &one_lane[i];
	return NULL;
}

/* Signs of C are those of vectors, too, but for a division of integers. */
bool lt__text_has_lanes(uint32_t opcode, uint32_t dtype)
{
	const struct spelling *s = spelling_of(opcode, (struct lt_value_type){ dtype, 2 });
	for (size_t i = 0; i < sizeof many_lanes / sizeof *many_lanes; i++)
		if (s == &many_lanes[i])
			return true;
	bool divides = strchr("IU", lt__text_element(dtype)->kind) && strpbrk(s->text, "/%");
	return strchr("$#-~", s->text[0]) && !divides && !strpbrk(s->text, "?!") && !strstr(s->text, "&&")
		&& !strstr(s->text, "||");
}

const char *lt__text_in(struct text *t, struct text_expr e, int tight)
{
	return e.tight > tight ? lt__text_formatted(t, "(%s)", e.text) : e.text;
}

struct text_expr lt__text_plain(struct text *t, struct text_expr e, uint32_t dtype)
{
	if (!e.wide)
		return e;
	e.text = lt__text_formatted(t, "(%s)(%s)", lt__text_element(dtype)->type, e.text);
	e.tight = TEXT_UNARY;
	e.wide = false;
	return e;
}

static struct text_expr unsigned_of(struct text *t, struct text_expr e, struct lt_value_type type, bool cast)
{
	const char *word = lt__text_element(type.dtype)->word;
	if (e.wide || (e.literal && !cast) || type.lanes > 1)
		return e;
	e.text = lt__text_formatted(t, "(%s)%s", word, lt__text_in(t, e, TEXT_UNARY));
	e.tight = TEXT_UNARY;
	e.wide = true;
	return e;
}

/* What the operands have in common with what is made of them. */
struct text_expr lt__text_joined(const struct text_expr *x, int n)
{
	struct text_expr e = { 0 };
	for (int k = 0; k < n; k++) {
		e.memory = e.memory || x[k].memory;
		e.variable = e.variable || x[k].variable;
	}
	return e;
}

struct text_expr lt__text_called(struct text *t, const char *function, const struct text_expr *x, int n)
{
	struct lt_out o = lt__out_new(&t->pool);
	struct text_expr e = lt__text_joined(x, n);
	lt__outf(&o, "%s(", function);
	for (int k = 0; k < n; k++)
		lt__outf(&o, k ? ", %s" : "%s", x[k].text);
	lt__out(&o, ")");
	e.text = o.at;
	return e;
}

static int tight_of(char c)
{
	static const char marks[] = "!-*+=";
	const char *at = c ? strchr(marks, c) : NULL;
	return at ? (int)(at - marks) : TEXT_ANY;
}

/* a + -5 is a - 5. */
static bool is_taken_off(const char *behind, const struct text_expr *x)
{
	return strncmp(behind, " + $1", 5) == 0 && x[1].literal && x[1].text[0] == '-';
}

static struct text_expr spelled(
	struct text *t, const struct spelling *s, struct lt_value_type type, const struct text_expr *x, int n)
{
	struct lt_out o = lt__out_new(&t->pool);
	struct text_expr e = lt__text_joined(x, n);
	const struct text_element *element = lt__text_element(type.dtype);
	e.tight = s->tight;
	for (const char *c = s->text; *c; c++) {
		if (c == s->text && *c == '.') {
			size_t stem = strcspn(c, "(") - 1;
			char *name = lt__pool_alloc(&t->pool, stem + 1, 1);
			memcpy(name, c + 1, stem);
			lt__out(&o, lt__text_helper(t, name, type));
			c += stem;
		} else if (*c == '$') {
			int tight = tight_of(c[2]);
			const struct text_expr *operand = &x[c[1] - '0'];
			const char *text = lt__text_in(t, *operand, tight);
			if (o.n && o.at[o.n - 1] == '-' && text[0] == '-')
				text = lt__text_formatted(t, "(%s)", text);
			lt__out(&o, text);
			c += tight < TEXT_ANY ? 2 : 1;
			if (n == 2 && is_taken_off(c + 1, x)) {
				lt__outf(&o, " - %s", x[1].text + 1);
				break;
			}
		} else if (*c == '@' && c[1] == 's') {
			lt__text_math(t, &o, element->bytes == 4);
			c++;
		} else if (*c == '@') {
			lt__out(&o, c[1] == 'T' ? lt__text_type(t, type, 0) : c[1] == 'W' ? lt__text_word(t, type)
				: lt__text_type(t, (struct lt_value_type){ LT_LANE_MASK, type.lanes }, 8u * element->bytes));
			c++;
		} else {
			lt__out_bytes(&o, c, 1);
		}
	}
	e.text = o.at;
	return e;
}

/* A constant of C may be an int. */
static struct text_expr typed(struct text *t, struct text_expr e, uint32_t dtype)
{
	if (!e.literal || lt__text_element(dtype)->kind != 'I')
		return e;
	e.text = lt__text_formatted(t, "(%s)%s", lt__text_element(dtype)->type, e.text);
	e.tight = TEXT_UNARY;
	e.literal = false;
	return e;
}

static struct text_expr zero_of(struct text *t, struct text_expr x)
{
	x.text = lt__text_formatted(t, "(%s ^ %s)", lt__text_in(t, x, TEXT_UNARY), lt__text_in(t, x, TEXT_UNARY));
	x.tight = TEXT_PRIMARY;
	x.literal = false;
	return x;
}

/* Compilers warn where a number without a sign is asked whether it is below 0, or not, as if that were a mistake. */
static void hide_zero(struct text *t, uint32_t opcode, struct text_expr *x)
{
	const bool below = opcode == LT_OPCODE_less || opcode == LT_OPCODE_greaterequal;
	if (!below && opcode != LT_OPCODE_greater && opcode != LT_OPCODE_lessequal)
		return;
	const struct text_expr *zero = &x[below], *other = &x[!below];
	const bool same = below && strcmp(x[0].text, x[1].text) == 0;
	if (same || (zero->literal && strncmp(zero->text, "0u", 2) == 0))
		x[below] = zero_of(t, *other);
}

static bool is_shift(uint32_t opcode)
{
	return opcode == LT_OPCODE_shift_left || opcode == LT_OPCODE_shift_right;
}

/* a * b + c, either way round, where that is one call; text NULL: it is none. */
static struct text_expr contracted(
	struct text *t, uint32_t opcode, struct lt_value_type type, const struct text_expr *x)
{
	const int product = opcode == LT_OPCODE_add && x[1].text && x[1].factor[0] ? 1 : 0;
	if (!t->d->madds || opcode != LT_OPCODE_add || type.lanes == 1 || !x[product].factor[0] || x[!product].scalar)
		return (struct text_expr){ 0 };
	const struct text_expr y[] = { { .text = x[product].factor[0], .memory = x[product].memory,
		.variable = x[product].variable }, { .text = x[product].factor[1] }, x[!product] };
	return lt__text_called(t, lt__text_helper(t, "madd", type), y, 3);
}

struct text_expr lt__text_operator(
	struct text *t, uint32_t opcode, struct lt_value_type type, const struct text_expr *x)
{
	const struct spelling *s = spelling_of(opcode, type);
	struct text_expr y[3] = { { 0 } };
	int n = 0;
	for (; n < 3 && x[n].text; n++)
		y[n] = x[n];
	struct text_expr madd = contracted(t, opcode, type, x);
	if (madd.text)
		return madd;
	struct spelling bits = *s;
	if (s->text[0] == '#' && (type.lanes > 1 || lt__text_element(type.dtype)->kind == 'U')) {
		bits.text++;
		s = &bits;
	} else if (s->text[0] == '#') {
		bits.text++;
		bool wide = (!t->d->wraps && !t->exact) || is_shift(opcode);
		for (int k = 0; k < n && !(k && is_shift(opcode)); k++)
			y[k] = wide ? unsigned_of(t, y[k], type, k == 0 && (is_shift(opcode) || n == 1 || y[1].literal))
				: lt__text_plain(t, y[k], type.dtype);
		if (is_shift(opcode))
			y[1] = lt__text_plain(t, y[1], type.dtype);
		else
			for (int k = 0; k < n; k++)
				t->splits = t->splits || (wide && (x[k].memory || x[k].variable));
		if (!wide && !t->exact && y[0].literal && (n == 1 || y[1].literal))
			y[0] = typed(t, y[0], type.dtype);
		struct text_expr e = spelled(t, &bits, type, y, n);
		e.wide = wide;
		return e;
	}
	for (int k = 0; k < n; k++)
		y[k] = lt__text_plain(t, y[k], type.dtype);
	if ((opcode == LT_OPCODE_shift_signed || opcode == LT_OPCODE_xor) && type.lanes == 1)
		y[0] = typed(t, y[0], type.dtype);
	/* Beside a vector one number does; counts of bits are of the vector's type. */
	for (int k = 0; k < 2 && n == 2 && type.lanes > 1 && s->text[0] != '.'; k++)
		if (y[k].scalar && !y[1 - k].scalar && !(is_shift(opcode) && k == 0))
			y[k] = (struct text_expr){ .text = y[k].scalar, .tight = y[k].scalar[0] == '-' ? TEXT_UNARY : TEXT_PRIMARY,
				.literal = y[k].literal };
		else if (is_shift(opcode) && k == 1)
			y[k] = (struct text_expr){ .text = lt__text_formatted(t, "(%s)%s", lt__text_word(t, type),
				lt__text_in(t, y[k], TEXT_UNARY)), .tight = TEXT_UNARY, .memory = y[k].memory, .variable = y[k].variable };
	if (s->tight == TEXT_COMPARE && n == 2 && type.lanes == 1 && lt__text_element(type.dtype)->kind == 'U')
		hide_zero(t, opcode, y);
	/* Compilers warn of whole numbers that are compared with themselves. */
	if (s->tight == TEXT_COMPARE && n == 2 && type.lanes == 1 && lt__text_element(type.dtype)->kind != 'F'
		&& !y[0].literal && strcmp(y[0].text, y[1].text) == 0) {
		y[0].text = lt__text_formatted(t, "(%s ^ %s)", lt__text_in(t, y[0], TEXT_UNARY), lt__text_in(t, y[0], TEXT_UNARY));
		y[0].tight = TEXT_PRIMARY;
		y[1] = (struct text_expr){ .text = "0", .literal = true };
	}
	if (s->text[0] != '.' && s->tight != TEXT_ANY && lt__text_device_has(t, lt_opcode_name(opcode), type.dtype)) {
		bits.text = lt__text_formatted(t, ".%s($0%s)", lt_opcode_name(opcode), n == 2 ? ", $1" : "");
		bits.tight = TEXT_PRIMARY;
		s = &bits;
	}
	struct text_expr e = spelled(t, s, type, y, n);
	if (s->tight == TEXT_ANY) {
		e.tight = y[0].tight;
		e.literal = y[0].literal;
	}
	if (opcode == LT_OPCODE_mul && type.lanes > 1 && lt__text_element(type.dtype)->kind == 'F' && !x[0].scalar
		&& !x[1].scalar) {
		e.factor[0] = x[0].text;
		e.factor[1] = x[1].text;
	}
	return e;
}

struct text_expr lt__text_use(struct text *t, int32_t value)
{
	const struct lt_instruction *i = text_at(t, value);
	struct text_value *v = &t->value[value];
	v->pending = false;
	if (i->opcode != LT_OPCODE_const)
		return v->expr;
	if (i->lanes > 1 && i->dtype == LT_LANE_MASK && t->d->packs)
		return (struct text_expr){ .text = lt__text_formatted(t, "0x%llxu", (unsigned long long)i->number) };
	struct text_expr e = lt__text_literal(t, i->dtype, (uint64_t)i->number);
	if (i->lanes == 1)
		return e;
	const char *splat = lt__text_helper(t, "splat", (struct lt_value_type){ i->dtype, i->lanes });
	return (struct text_expr){ .text = lt__text_formatted(t, "%s(%s)", splat, e.text), .scalar = e.text,
		.literal = e.literal };
}
