/* cast.c -- what one lane gives: operators, casts, the same bits as another type. */
#include <string.h>
#include "backends/text/part.h"

/* A cast of one lane.  Floats become integers by saturation; half types go through f32, or round once from f64. */
static struct text_expr called(struct text *t, const char *function, struct text_expr e)
{
	e.text = lt__text_formatted(t, "%s(%s)", function, e.text);
	e.tight = TEXT_PRIMARY;
	e.literal = e.wide = false;
	return e;
}

static struct text_expr written_cast(struct text *t, struct text_expr e, const char *type)
{
	e.text = lt__text_formatted(t, "(%s)%s", type, lt__text_in(t, e, TEXT_UNARY));
	e.tight = TEXT_UNARY;
	e.literal = e.wide = false;
	return e;
}

static struct text_expr cast_of_half(struct text *t, struct text_expr e, uint32_t from, uint32_t to)
{
	if (to == LT_BOOL) {
		e.text = lt__text_formatted(t, "(%s & 0x7fff) != 0", lt__text_in(t, e, TEXT_UNARY));
		e.tight = TEXT_COMPARE;
		return e;
	}
	e = called(t, lt__text_helper(t, "to_f32", (struct lt_value_type){ from, 1 }), e);
	return to == LT_F32 ? e : lt__text_cast(t, e, LT_F32, (struct lt_value_type){ to, 1 });
}

static struct text_expr cast_to_half(struct text *t, struct text_expr e, uint32_t from, uint32_t to)
{
	const struct text_element *f = lt__text_element(from);
	struct lt_value_type half = { to, 1 };
	if ((from == LT_I64 || from == LT_U64) && to == LT_BF16)        /* more bits than a double has */
		return called(t, lt__text_helper(t, from == LT_I64 ? "of_i64" : "of_u64", half), e);
	if (from == LT_F32 || f->bytes < 4)
		return called(t, lt__text_helper(t, "of_f32", half), from == LT_F32 ? e : written_cast(t, e, "float"));
	return called(t, lt__text_helper(t, "of_f64", half), from == LT_F64 ? e : written_cast(t, e, "double"));
}

static struct text_expr cast_one(struct text *t, struct text_expr e, uint32_t from, uint32_t to)
{
	const struct text_element *f = lt__text_element(from), *x = lt__text_element(to);
	bool narrows = strchr("IUBN", f->kind) && strchr("IUN", x->kind);
	if (from == to)
		return e;
	if (narrows && t->d->device && t->d->device->narrows && strchr("IU", f->kind) && x->kind == 'N')
		return called(t, lt__text_helper(t, "narrow", (struct lt_value_type){ to, 1 }),
			from == LT_I32 ? e : written_cast(t, e, "int32_t"));
	if (!narrows || x->bytes > f->bytes)            /* the sign is more than the bits */
		e = lt__text_plain(t, e, from);
	if (f->kind == 'H')
		return cast_of_half(t, e, from, to);
	if (x->kind == 'H')
		return cast_to_half(t, e, from, to);
	if (to == LT_BOOL) {
		e.text = lt__text_formatted(t, "%s != 0", lt__text_in(t, e, TEXT_PLUS));
		e.tight = TEXT_COMPARE;
		return e;
	}
	return f->kind == 'F' && x->kind != 'F' ? called(t, lt__text_to_integer(t, from, to), e) : written_cast(t, e, x->type);
}

struct text_expr lt__text_bits(struct text *t, struct text_expr e, uint32_t from, uint32_t to)
{
	const struct text_element *f = lt__text_element(from), *x = lt__text_element(to);
	e = lt__text_plain(t, e, from);
	if (f->kind == 'F' && x->kind == 'F')
		return e;
	if (f->kind == 'F')
		return written_cast(t, called(t, lt__text_helper(t, "to_bits", (struct lt_value_type){ from, 1 }), e), x->type);
	if (x->kind == 'F')
		return called(t, lt__text_helper(t, "of_bits", (struct lt_value_type){ to, 1 }), written_cast(t, e, x->word));
	return written_cast(t, e, x->type);
}

struct text_expr lt__text_cast(struct text *t, struct text_expr e, uint32_t from, struct lt_value_type to)
{
	return cast_one(t, e, from, to.dtype);
}

/* As C does it: the value fits. */
struct text_expr lt__text_convert(struct text *t, struct text_expr e, uint32_t from, uint32_t to)
{
	return from == to ? e : written_cast(t, lt__text_plain(t, e, from), lt__text_element(to)->type);
}

/* A third party's operator: its text, with operands between brackets. */
struct text_expr lt__text_third(struct text *t, const struct lt_instruction *i, const struct text_expr *x, int n)
{
	const struct lt_op *op = &t->k->ops[i->what];
	struct lt_out o = lt__out_new(&t->pool);
	struct text_expr e = lt__text_joined(x, n);
	for (const char *c = op->source ? op->source : "0"; *c; c++) {
		if (*c == '$' && c[1] >= '0' && c[1] < '0' + n) {
			lt__out(&o, lt__text_in(t, lt__text_plain(t, x[c[1] - '0'], op->in[c[1] - '0']), TEXT_PRIMARY));
			c++;
		} else {
			lt__out_bytes(&o, c, 1);
		}
	}
	e.text = o.at;
	e.tight = TEXT_ANY;
	return e;
}

struct text_expr lt__text_one(struct text *t, const struct lt_instruction *i, const struct text_expr *x, int n)
{
	const struct lt_value_type type = { lt__instruction_type(t->k, i).dtype, 1 };
	const uint32_t from = n > 0 && i->operand[0] >= 0 ? text_at(t, i->operand[0])->dtype : 0;
	switch (i->opcode) {
	case LT_OPCODE_text: return lt__text_third(t, i, x, n);
	case LT_OPCODE_convert: return lt__text_convert(t, x[0], from, i->dtype);
	case LT_OPCODE_each: return lt__text_operator(t, (uint32_t)i->what, type, x);
	case LT_OPCODE_cast: return lt__text_cast(t, x[0], from, type);
	case LT_OPCODE_bits: return lt__text_bits(t, x[0], from, i->dtype);
	default: return lt__text_operator(t, i->opcode, type, x);
	}
}
