/* narrow.c -- which whole numbers of a grid are int32_t in its text, and which of a bare text int32_t or int16_t.
 *
 * Numbers of threads, blocks and iterations, and the addresses that follow from them, are i64.  A GPU computes with 32
 * bits: each operation of 64 takes it several instructions, and each number two registers.  So what is known to fit 32
 * bits, and is made of such, is computed in them; C widens it where it meets a wider one.  So it is with a
 * microcontroller, whose int may have 16 bits; in its text data that are widened to i64 are narrow, too, if what they
 * are made of says so.
 */
#include "base/checked.h"
#include "backends/text/part.h"

static const struct text_range unknown = { INT64_MIN, INT64_MAX };

static struct text_range range_at(const struct text *t, int32_t value)
{
	const struct lt_instruction *i = value < 0 ? NULL : text_at(t, value);
	if (!i || i->dtype != LT_I64 || i->lanes != 1)
		return unknown;
	return i->opcode == LT_OPCODE_const ? (struct text_range){ i->number, i->number } : t->value[value].range;
}

static bool fits_int16(struct text_range r) { return r.low >= INT16_MIN && r.high <= INT16_MAX; }
static bool fits(struct text_range r) { return r.low >= INT32_MIN && r.high <= INT32_MAX; }

static struct text_range range_between(int64_t a, int64_t b)
{
	return a < b ? (struct text_range){ a, b } : (struct text_range){ b, a };
}

/* Of what fits 32 bits, the products fit 64. */
static struct text_range range_product(struct text_range a, struct text_range b)
{
	struct text_range x = range_between(a.low * b.low, a.high * b.high), y = range_between(a.low * b.high, a.high * b.low);
	return (struct text_range){ x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high };
}

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* By a divisor that is a positive constant. */
static struct text_range range_divided(uint32_t opcode, struct text_range a, int64_t by)
{
	switch (opcode) {
	case LT_OPCODE_quotient: return (struct text_range){ a.low / by, a.high / by };
	case LT_OPCODE_div: return (struct text_range){ floor_of(a.low, by), floor_of(a.high, by) };
	case LT_OPCODE_mod: return (struct text_range){ 0, by - 1 };
	default: return (struct text_range){ a.low < 0 ? 1 - by : 0, a.high < by - 1 && a.low >= 0 ? a.high : by - 1 };
	}
}

static bool divides(uint32_t opcode)
{
	return opcode == LT_OPCODE_quotient || opcode == LT_OPCODE_remainder || opcode == LT_OPCODE_div
		|| opcode == LT_OPCODE_mod;
}

/* Of a cast to i64: what its type has. */
static struct text_range range_of_type(uint32_t dtype)
{
	switch (dtype) {
	case LT_I8: return (struct text_range){ INT8_MIN, INT8_MAX };
	case LT_U8: return (struct text_range){ 0, UINT8_MAX };
	case LT_I16: return (struct text_range){ INT16_MIN, INT16_MAX };
	case LT_U16: return (struct text_range){ 0, UINT16_MAX };
	case LT_I32: return (struct text_range){ INT32_MIN, INT32_MAX };
	case LT_BOOL: return (struct text_range){ 0, 1 };
	default: return unknown;
	}
}

static struct text_range range_of_data(const struct text *t, const struct lt_instruction *i, struct text_range a,
	struct text_range b)
{
	switch (i->opcode) {
	case LT_OPCODE_cast: return range_of_type(text_at(t, i->operand[0])->dtype);
	case LT_OPCODE_min: return (struct text_range){ lt__min(a.low, b.low), lt__min(a.high, b.high) };
	case LT_OPCODE_max: return (struct text_range){ lt__max(a.low, b.low), lt__max(a.high, b.high) };
	default: return unknown;
	}
}

static struct text_range range_of(const struct text *t, const struct lt_region *r, const struct lt_instruction *i)
{
	struct text_range a = range_at(t, i->operand[0]), b = range_at(t, i->operand[1]);
	switch (i->opcode) {
	case LT_OPCODE_block: return (struct text_range){ 0, r->blocks[i->what] - 1 };
	case LT_OPCODE_thread: return (struct text_range){ 0, r->threads[i->what] - 1 };
	case LT_OPCODE_subgroup: return (struct text_range){ 0, r->threads[0] * r->threads[1] * r->threads[2] - 1 };
	case LT_OPCODE_member: return (struct text_range){ 0, r->subgroup - 1 };
	default: break;
	}
	if (divides(i->opcode))
		return b.low == b.high && b.low > 0 ? range_divided(i->opcode, a, b.low) : unknown;
	if (t->d->bare && (i->opcode == LT_OPCODE_cast || i->opcode == LT_OPCODE_min || i->opcode == LT_OPCODE_max))
		return range_of_data(t, i, a, b);
	if (!fits(a) || !fits(b))
		return unknown;
	switch (i->opcode) {
	case LT_OPCODE_loop: return (struct text_range){ a.low, b.high + i->number > a.high ? b.high + i->number : a.high };
	case LT_OPCODE_add: return (struct text_range){ a.low + b.low, a.high + b.high };
	case LT_OPCODE_sub: return (struct text_range){ a.low - b.high, a.high - b.low };
	case LT_OPCODE_mul: return range_product(a, b);
	default: return unknown;
	}
}

void lt__text_narrow(struct text *t)
{
	for (uint32_t r = t->d->device ? 1 : 0; r < t->k->n_region; r++) {
		const struct lt_region *region = &t->k->regions[r];
		for (int32_t n = region->first; n < region->first + region->n; n++) {
			const struct lt_instruction *i = text_at(t, n);
			struct text_value *v = &t->value[n];
			bool whole = i->dtype == LT_I64 && i->lanes == 1 && i->opcode != LT_OPCODE_const;
			v->range = whole ? range_of(t, region, i) : unknown;
			v->narrow = !whole || !fits(v->range) ? 0 : t->d->int_bits == 16 && fits_int16(v->range) ? 16 : 32;
		}
	}
}

bool lt__text_fits_int16(const struct text *t, int32_t value, int64_t number)
{
	const struct text_range r = range_at(t, value);
	return fits_int16((struct text_range){ r.low + number, r.high + number });
}

struct text_expr lt__text_narrow_value(struct text *t, const struct lt_instruction *i, struct text_expr *x)
{
	uint32_t opcode = i->opcode;
	bool narrow = fits(range_at(t, i->operand[0])) && fits(range_at(t, i->operand[1]));
	if (opcode == LT_OPCODE_cast) {         /* with its sign: who reads it takes it for an i64 */
		const uint32_t from = text_at(t, i->operand[0])->dtype;
		return lt__text_convert(t, lt__text_plain(t, x[0], from), from,
			t->value[i - t->k->instructions].narrow == 16 ? LT_I16 : LT_I32);
	}
	/* Of what fits an int, C makes an int. */
	if (narrow && t->value[i - t->k->instructions].narrow == 32 && t->d->int_bits == 16 && !divides(opcode)
		&& fits_int16(range_at(t, i->operand[0])) && fits_int16(range_at(t, i->operand[1]))) {
		x[0].text = lt__text_formatted(t, "(int32_t)%s", lt__text_in(t, x[0], TEXT_UNARY));
		x[0].tight = TEXT_UNARY;
		x[0].literal = false;
	}
	if (narrow && divides(opcode) && range_at(t, i->operand[0]).low >= 0)   /* both ways of rounding are one */
		opcode = opcode == LT_OPCODE_div ? LT_OPCODE_quotient : opcode == LT_OPCODE_mod ? LT_OPCODE_remainder : opcode;
	t->exact = narrow;
	struct text_expr e = lt__text_operator(t, opcode, (struct lt_value_type){ narrow ? LT_I32 : LT_I64, 1 }, x);
	t->exact = false;
	if (narrow)
		return e;
	e.text = lt__text_formatted(t, "(int32_t)%s", lt__text_in(t, e, TEXT_UNARY));
	e.tight = TEXT_UNARY;
	e.wide = false;
	return e;
}

/* Of a number of 32 bits that was cast from fewer. */
static struct text_range range_of_cast(const struct text *t, int32_t value)
{
	const struct lt_instruction *i = value < 0 ? NULL : text_at(t, value);
	return i && i->opcode == LT_OPCODE_cast && i->dtype == LT_I32 && i->lanes == 1
		? range_of_type(text_at(t, i->operand[0])->dtype) : unknown;
}

static struct text_range range_of_product(const struct text *t, const struct lt_instruction *i)
{
	const struct text_range a = range_of_cast(t, i->operand[0]), b = range_of_cast(t, i->operand[1]);
	return fits(a) && fits(b) ? range_product(a, b) : unknown;
}

bool lt__text_is_product(const struct text *t, const struct lt_instruction *i)
{
	return t->d->bare && i->opcode == LT_OPCODE_mul && i->dtype == LT_I32 && i->lanes == 1 && fits(range_of_product(t, i));
}

/* Signed, as it was written: a compiler for 16 bits then has one instruction, or one short function, for it. */
struct text_expr lt__text_product(struct text *t, const struct lt_instruction *i, struct text_expr *x)
{
	const bool is_short = t->d->int_bits == 16 && fits_int16(range_of_product(t, i));
	for (int k = 0; k < 2 && is_short; k++) {
		x[k].text = lt__text_formatted(t, "(int16_t)%s", lt__text_in(t, lt__text_plain(t, x[k], LT_I32), TEXT_UNARY));
		x[k].tight = TEXT_UNARY;
		x[k].literal = x[k].wide = false;
	}
	t->exact = true;
	struct text_expr e = lt__text_operator(t, LT_OPCODE_mul, (struct lt_value_type){ LT_I32, 1 }, x);
	t->exact = false;
	if (is_short) {
		e.text = lt__text_formatted(t, "(int32_t)%s", lt__text_in(t, e, TEXT_UNARY));
		e.tight = TEXT_UNARY;
		e.wide = false;
	}
	return e;
}
