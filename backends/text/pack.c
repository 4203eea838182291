/* pack.c -- values of several lanes as structs, which compilers for devices keep in registers: what is
 * done to them is done lane after lane, in a function by the text for one lane.  A mask is a number, a bit for each.
 */
#include <string.h>
#include "backends/text/part.h"

static unsigned long long all_of(uint32_t lanes) { return UINT64_MAX >> (64 - lanes); }

static struct text_expr between(struct text *t, const struct text_expr *x, const char *sign)
{
	struct text_expr e = lt__text_joined(x, 2);
	e.text = lt__text_formatted(t, "%s %s %s", lt__text_in(t, x[0], TEXT_UNARY), sign, lt__text_in(t, x[1], TEXT_UNARY));
	e.tight = TEXT_LOOSE;
	return e;
}

/* One that ends in the loop over lanes, and its name. */
static const char *loop_function(struct text *t, const char *name, struct lt_value_type result, const char *parameters,
	const char *one)
{
	const char *type = lt__text_type(t, result, 0);
	bool is_mask = result.dtype == LT_LANE_MASK;
	lt__text_define(t, name, lt__text_formatted(t, "%s%s %s(%s)\n{\n\t%s r%s;\n#pragma unroll\n"
		"\tfor (int i = 0; i < %u; i++)\n\t\t%s%s%s;\n\treturn r;\n}\n", t->d->inlined, type, name, parameters, type,
		is_mask ? " = 0" : "", (unsigned)result.lanes, is_mask ? "r |= (" : "r.v[i] = ", is_mask
		? lt__text_formatted(t, "%s)(", type) : "", is_mask ? lt__text_formatted(t, "%s) << i", one) : one));
	return name;
}

/* By the text for one lane. */
static struct text_expr each_lane(struct text *t, const struct lt_instruction *i, const struct text_expr *x, int n)
{
	const struct lt_value_type result = { i->dtype, i->lanes };
	const uint32_t from = text_at(t, i->operand[0])->dtype;
	struct text_expr operand[5] = { { 0 } };
	struct lt_out parameters = lt__out_new(&t->pool);
	for (int k = 0; k < n; k++) {
		const uint32_t dtype = text_at(t, i->operand[k])->dtype;
		const char *type = lt__text_type(t, (struct lt_value_type){ dtype, i->lanes }, 0);
		lt__outf(&parameters, "%s%s %c", k ? ", " : "", type, 'a' + k);
		operand[k].text = lt__text_formatted(t, dtype == LT_LANE_MASK ? "(%c >> i & 1)" : "%c.v[i]", 'a' + k);
	}
	const char *what = i->opcode == LT_OPCODE_each ? lt_opcode_name((uint32_t)i->what) : i->opcode == LT_OPCODE_text
		? lt__text_formatted(t, "%d", (int)i->what) : "";
	const char *name = lt__text_formatted(t, "lt_%s_%s%s%s%s%s", lt__text_short(t, result), lt_opcode_name(i->opcode),
		*what ? "_" : "", what, from == i->dtype ? "" : "_", from == i->dtype ? "" : lt__text_element(from)->name);
	if (!lt__nameset_find(&t->defined, name))
		(void)loop_function(t, name, result, parameters.at, lt__text_one(t, i, operand, n).text);
	return lt__text_called(t, name, x, n);
}

struct text_expr lt__text_pack_update(struct text *t, const struct lt_instruction *i, const struct text_expr *x)
{
	const struct lt_variable *v = &t->k->variables[i->what];
	const struct lt_instruction operator = { .opcode = (uint16_t)i->number, .dtype = (uint8_t)v->dtype, .lanes = v->lanes,
		.operand = { i->operand[0], i->operand[0], -1, -1 } };
	if (v->dtype == LT_LANE_MASK)
		return between(t, x, operator.opcode == LT_OPCODE_and ? "&" : operator.opcode == LT_OPCODE_or ? "|" : "^");
	return each_lane(t, &operator, x, 2);
}

/* A value that is written several times. */
static struct text_expr named(struct text *t, int32_t value)
{
	if (t->value[value].pending)
		lt__text_name(t, value);
	return lt__text_use(t, value);
}

static const char *lane_text(struct text *t, struct text_expr x, const struct lt_instruction *of, uint32_t lane)
{
	const char *at = lt__text_in(t, x, TEXT_PRIMARY);
	if (of->lanes == 1)
		return at;
	return lt__text_formatted(t, of->dtype == LT_LANE_MASK ? "(%s >> %u & 1)" : "%s.v[%u]", at, (unsigned)lane);
}

static struct text_expr shuffled(struct text *t, const struct lt_instruction *i)
{
	const struct lt_instruction *of = text_at(t, i->operand[0]);
	const struct text_expr x[2] = { named(t, i->operand[0]), named(t, i->operand[1]) };
	struct lt_out o = lt__out_new(&t->pool), lines = lt__out_new(&t->pool), parameters = lt__out_new(&t->pool);
	struct text_expr e = lt__text_joined(x, 2);
	const char *type = lt__text_type(t, (struct lt_value_type){ i->dtype, i->lanes }, 0);
	const char *name = lt__text_formatted(t, "lt_%s_of", lt__text_short(t, (struct lt_value_type){ i->dtype, i->lanes }));
	for (uint32_t lane = 0; lane < i->lanes; lane++) {
		const uint32_t from = (uint32_t)t->k->extras[i->first_extra + (int32_t)lane];
		const char *text = lane_text(t, x[from >= of->lanes], of, from % of->lanes);
		if (i->lanes > 1 && i->dtype == LT_LANE_MASK)
			lt__outf(&o, "%s(%s)%s << %u", lane ? " | " : "", type, text, (unsigned)lane);
		else
			lt__outf(&o, lane ? ", %s" : "%s", text);
		lt__outf(&parameters, "%s%s v%u", lane ? ", " : "", lt__text_element(i->dtype)->type, (unsigned)lane);
		lt__outf(&lines, "\tr.v[%u] = v%u;\n", (unsigned)lane, (unsigned)lane);
	}
	e.text = o.at;
	e.tight = i->lanes > 1 && i->dtype == LT_LANE_MASK ? TEXT_LOOSE : TEXT_PRIMARY;
	if (i->lanes > 1 && i->dtype != LT_LANE_MASK) {
		lt__text_define(t, name, lt__text_formatted(t, "%s%s %s(%s)\n{\n\t%s r;\n%s\treturn r;\n}\n", t->d->inlined, type,
			name, parameters.at, type, lines.at));
		e.text = lt__text_formatted(t, "%s(%s)", name, o.at);
	}
	return e;
}

/* The upper half onto the lower, until there is one. */
static struct text_expr folded(struct text *t, const struct lt_instruction *i)
{
	const struct lt_instruction *of = text_at(t, i->operand[0]);
	const struct lt_value_type type = { of->dtype, of->lanes };
	const char *name = lt__text_formatted(t, "lt_%s_fold_%s", lt__text_short(t, type), lt_opcode_name((uint32_t)i->what));
	struct text_expr x = lt__text_use(t, i->operand[0]);
	struct lt_out lines = lt__out_new(&t->pool);
	const char *sign = i->what == LT_OPCODE_and ? "&" : i->what == LT_OPCODE_or ? "|" : "^";
	for (uint32_t n = of->lanes, half; n > 1; n = half) {
		half = (n + 1) / 2;
		for (uint32_t lane = 0; lane + half < n; lane++) {
			struct text_expr pair[3] = { { .text = lt__text_formatted(t, "a.v[%u]", (unsigned)lane) },
				{ .text = lt__text_formatted(t, "a.v[%u]", (unsigned)(lane + half)) }, { 0 } };
			if (of->dtype != LT_LANE_MASK)
				lt__outf(&lines, "\t%s = %s;\n", pair[0].text, lt__text_operator(t, (uint32_t)i->what,
					(struct lt_value_type){ of->dtype, 1 }, pair).text);
			else
				lt__outf(&lines, "\ta = (a & ~(1ull << %u)) | ((a >> %u %s a >> %u) & 1) << %u;\n", (unsigned)lane, (unsigned)lane,
					sign, (unsigned)(lane + half), (unsigned)lane);
		}
	}
	bool is_mask = of->dtype == LT_LANE_MASK;
	lt__text_define(t, name, lt__text_formatted(t, "%s%s %s(%s a)\n{\n%s\treturn %s;\n}\n", t->d->inlined,
		lt__text_element(of->dtype)->type, name, is_mask ? "uint64_t" : lt__text_type(t, type, 0), lines.at,
		is_mask ? "a & 1" : "a.v[0]"));
	return lt__text_called(t, name, &x, 1);
}

static struct text_expr spread(struct text *t, const struct lt_instruction *i, struct text_expr x)
{
	const struct lt_value_type type = { i->dtype, i->lanes };
	if (i->dtype == LT_LANE_MASK) {
		x.text = lt__text_formatted(t, "%s ? 0x%llxu : 0u", lt__text_in(t, x, TEXT_COMPARE), all_of(i->lanes));
		x.tight = TEXT_LOOSE;
		return x;
	}
	return lt__text_called(t, lt__text_helper(t, "splat", type), &x, 1);
}

/* Operators between masks, and what is asked of them; false: it goes lane by lane. */
static bool of_masks(struct text *t, const struct lt_instruction *i, const struct text_expr *x, struct text_expr *out)
{
	const unsigned long long all = all_of(text_at(t, i->operand[0])->lanes);
	struct text_expr e = lt__text_joined(x, 1);
	e.tight = TEXT_COMPARE;
	switch (i->opcode) {
	case LT_OPCODE_copy: e = x[0]; break;
	case LT_OPCODE_and: e = between(t, x, "&"); break;
	case LT_OPCODE_or: e = between(t, x, "|"); break;
	case LT_OPCODE_xor: e = between(t, x, "^"); break;
	case LT_OPCODE_not:
		e.text = lt__text_formatted(t, "~%s & 0x%llxu", lt__text_in(t, x[0], TEXT_UNARY), all);
		e.tight = TEXT_LOOSE;
		break;
	case LT_OPCODE_any: e.text = lt__text_formatted(t, "%s != 0", lt__text_in(t, x[0], TEXT_PLUS)); break;
	case LT_OPCODE_all: e.text = lt__text_formatted(t, "%s == 0x%llxu", lt__text_in(t, x[0], TEXT_PLUS), all); break;
	default: return false;
	}
	*out = e;
	return true;
}

/* Lanes whose numbers are less than n. */
static struct text_expr below(struct text *t, const struct lt_instruction *i, struct text_expr n)
{
	lt__text_define(t, "lt_below", lt__text_formatted(t, "%suint64_t lt_below(int64_t n, int lanes)\n{\n"
		"\tconst uint64_t all = ~(uint64_t)0 >> (64 - lanes);\n"
		"\treturn n <= 0 ? 0 : n >= lanes ? all : all >> (lanes - n);\n}\n", t->d->inlined));
	n.text = lt__text_formatted(t, "(%s)lt_below(%s, %u)", lt__text_type(t, (struct lt_value_type){ LT_LANE_MASK,
		i->lanes }, 0), lt__text_plain(t, n, LT_I64).text, (unsigned)i->lanes);
	n.tight = TEXT_UNARY;
	n.wide = n.literal = false;
	return n;
}

struct text_expr lt__text_pack(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct lt_value_type type = { i->dtype, i->lanes };
	struct text_expr x[5] = { { 0 } }, e;
	int n = 0;
	if (i->opcode == LT_OPCODE_shuffle)
		return shuffled(t, i);
	if (i->opcode == LT_OPCODE_fold)
		return folded(t, i);
	if (i->opcode == LT_OPCODE_lane)
		return (struct text_expr){ .text = lt__text_formatted(t, "%s()", loop_function(t, lt__text_formatted(t,
			"lt_%s_lane", lt__text_short(t, type)), type, t->d->device->overloads ? "void" : "", "i")) };
	for (; n < 4 && i->operand[n] >= 0; n++)
		x[n] = lt__text_use(t, i->operand[n]);
	if (i->opcode == LT_OPCODE_splat)
		return spread(t, i, x[0]);
	if (i->opcode == LT_OPCODE_below)
		return below(t, i, x[0]);
	if (i->opcode == LT_OPCODE_dot) {
		const struct lt_instruction *of = text_at(t, i->operand[0]);
		return lt__text_called(t, lt__text_helper(t, of->dtype == LT_I8 ? "dot_signed" : "dot_unsigned",
			(struct lt_value_type){ of->dtype, of->lanes }), x, 3);
	}
	if (text_at(t, i->operand[0])->dtype == LT_LANE_MASK && of_masks(t, i, x, &e))
		return e;
	return each_lane(t, i, x, n);
}
