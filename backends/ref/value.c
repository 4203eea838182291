/* value.c -- see value.h.
 *
 * The language of sources: operands $0 $1 $2, numbers, + - * / & | ^ ! == != < <= > >= ?: with C's precedences,
 * casts to the types of lt/tree.h's ctypes and their unsigned twins, functions of libm and of the prelude.  Floats are
 * doubles whatever their width; casts of integers wrap.  Both sides of ?: are computed, since no expression does
 * anything else.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "backends/ref/value.h"
#include "base/decimal.h"

enum step {
	OPERAND,
	NUMBER,
	TO_FLOAT,
	TO_FLOAT_UNDER,
	WRAP_SIGNED,
	WRAP_UNSIGNED,
	CHOOSE_INT,
	NOT,
	NEGATE,
	NEGATE_FLOAT,
	CALL,
	CALL_FLOAT,
	CALL_WORD,
	ADD,
	SUB,
	MUL,
	DIV,
	AND,
	OR,
	XOR,
	EQ,
	NE,
	LESS,
	LESS_EQUAL,
	GREATER,
	GREATER_EQUAL,
	FLOAT = 64, /* of ADD and what follows, on floats */
	PLAIN = 128 /* the same on words */
};
/* WORD: an integer of 64 bits without a sign. */
enum kind { BAD, IS_FLOAT, IS_INT, WORD };

static double fmod_floor(double a, double b)
{
	double remainder = fmod(a, b);
	if (remainder == 0)
		return copysign(0, b);
	return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
/* Of two zeros -0 is the less. */
static double less_of(double a, double b)
{
	return isnan(a) || isnan(b) ? (double)NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static double more_of(double a, double b)
{
	return isnan(a) || isnan(b) ? (double)NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static double sign_of(double a, double b) { (void)b; return isnan(a) ? a : (double)((a > 0) - (a < 0)); }

static int64_t floordiv(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return b ? (int64_t)(0 - (uint64_t)a) : 0;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static int64_t floormod(int64_t a, int64_t b)
{
	int64_t remainder = b == 0 || b == -1 ? 0 : a % b;
	return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
static int64_t int_less(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t int_more(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t int_abs(int64_t a, int64_t b) { (void)b; return a < 0 ? (int64_t)(0 - (uint64_t)a) : a; }
/* Doubled, or halved and rounded down, as often as the count says: narrower integers wrap later. */
static int64_t int_up(int64_t a, int64_t n)
{
	uint64_t u = (uint64_t)a;
	for (int64_t i = 0; i < (n < 0 || n > 64 ? 64 : n); i++)
		u += u;
	return (int64_t)u;
}
static int64_t int_down(int64_t a, int64_t n)
{
	for (int64_t i = 0; i < (n > 64 ? 64 : n); i++)
		a = floordiv(a, 2);
	return a;
}
static uint64_t word_up(uint64_t a, uint64_t n)
{
	for (uint64_t i = 0; i < (n > 64 ? 64 : n); i++)
		a += a;
	return a;
}
static uint64_t word_down(uint64_t a, uint64_t n)
{
	for (uint64_t i = 0; i < (n > 64 ? 64 : n); i++)
		a /= 2;
	return a;
}
static uint64_t word_div(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
static uint64_t word_mod(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
static uint64_t word_less(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t word_more(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t word_abs(uint64_t a, uint64_t b) { (void)b; return a; }
static uint64_t word_sign(uint64_t a, uint64_t b) { (void)b; return a > 0; }
static int64_t int_sign(int64_t a, int64_t b) { (void)b; return (a > 0) - (a < 0); }

#define ONE(f) static double f##_(double a, double b) { (void)b; return f(a); }
ONE(fabs)
ONE(exp) ONE(log) ONE(sqrt) ONE(tanh) ONE(erf) ONE(sin) ONE(cos) ONE(floor) ONE(ceil) ONE(rint)

	/* libm's names may end with f, the prelude's with _TYPE. */
	static const struct {
	const char *name;
	int arity;
	double (*real)(double, double);
	int64_t (*whole)(int64_t, int64_t);
	uint64_t (*word)(uint64_t, uint64_t);
} functions[] = {
	{ "fabs", 1, fabs_, NULL, NULL },
	{ "exp", 1, exp_, NULL, NULL },
	{ "log", 1, log_, NULL, NULL },
	{ "sqrt", 1, sqrt_, NULL, NULL },
	{ "tanh", 1, tanh_, NULL, NULL },
	{ "erf", 1, erf_, NULL, NULL },
	{ "sin", 1, sin_, NULL, NULL },
	{ "cos", 1, cos_, NULL, NULL },
	{ "floor", 1, floor_, NULL, NULL },
	{ "ceil", 1, ceil_, NULL, NULL },
	{ "rint", 1, rint_, NULL, NULL },
	{ "pow", 2, pow, NULL, NULL },
	{ "lt_mod", 2, fmod_floor, floormod, word_mod },
	{ "lt_floordiv", 2, NULL, floordiv, word_div },
	{ "lt_min", 2, less_of, int_less, word_less },
	{ "lt_max", 2, more_of, int_more, word_more },
	{ "lt_abs", 1, NULL, int_abs, word_abs },
	{ "lt_shl", 2, NULL, int_up, word_up },
	{ "lt_shr", 2, NULL, int_down, word_down },
	{ "lt_sign", 1, sign_of, int_sign, word_sign },
};
enum { MAX_DEPTH = 12, N_FUNCTION = sizeof functions / sizeof *functions };

struct reader { const char *at; const struct lt_op *op; struct lt_ref_value *out; bool bad; int depth, nesting; };

static enum kind ternary(struct reader *);

static void value_emit(struct reader *r, enum step what, int arg, union lt_number number)
{
	r->depth += what <= NUMBER                   ? 1
		: what == CHOOSE_INT                 ? -2
		: what >= ADD                        ? -1
		: what >= CALL && what <= CALL_WORD  ? 1 - functions[arg].arity
						     : 0;
	if (r->out->n == LT_REF_MAX_CODE || r->depth > MAX_DEPTH)
		r->bad = true;
	else
		r->out->step[r->out->n++] = (struct lt_ref_step){ (uint8_t)what, (uint8_t)arg, number };
}

static void store_step(struct reader *r, int what) { value_emit(r, (enum step)what, 0, (union lt_number){ 0 }); }
static enum kind no(struct reader *r) { r->bad = true; return BAD; }

static bool value_accept(struct reader *r, const char *text)
{
	size_t n = strlen(text);
	while (*r->at == ' ')
		r->at++;
	if (strncmp(r->at, text, n) != 0)
		return false;
	r->at += n;
	return true;
}

static enum kind value_number(struct reader *r)
{
	char *end;
	long long whole = strtoll(r->at, &end, 10);
	union lt_number x = { .i = whole };
	bool is_float = *end == '.' || *end == 'e';
	if (is_float)
		x.f = lt__decimal(r->at, &end);
	r->at = *end == 'f' && is_float ? end + 1 : end;
	value_emit(r, NUMBER, 0, x);
	return is_float ? IS_FLOAT : IS_INT;
}

static int find_function(const char *name, size_t n)
{
	for (int i = 0; i < N_FUNCTION; i++) {
		size_t stem = strlen(functions[i].name);
		if (n >= stem && memcmp(functions[i].name, name, stem) == 0
			&& (name[0] == 'l' && name[1] == 't' && name[2] == '_'
					? n > stem && name[stem] == '_'
					: n == stem || (n == stem + 1 && name[stem] == 'f')))
			return i;
	}
	return -1;
}

static enum kind call(struct reader *r)
{
	size_t n = 0;
	while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
		n++;
	int f = find_function(r->at, n);
	if (f < 0 || r->at[n] != '(')
		return no(r);
	r->at += n + 1;
	enum kind kind = IS_INT, other;
	for (int i = 0; i < functions[f].arity; i++) {
		if (i && !value_accept(r, ","))
			return no(r);
		if ((other = ternary(r)) == BAD || (i && other != kind))
			return no(r);
		kind = other;
	}
	if (!value_accept(r, ")")
		|| (kind == IS_FLOAT ? !functions[f].real : kind == WORD ? !functions[f].word : !functions[f].whole))
		return no(r);
	value_emit(r, kind == IS_FLOAT ? CALL_FLOAT : kind == WORD ? CALL_WORD : CALL, f, (union lt_number){ 0 });
	return kind;
}

/* "(TYPE)": true, the kind and the bits of an integer. */
static bool cast_type(struct reader *r, enum kind *kind, int *bits)
{
	static const char *const floats[] = { "(float)", "(double)" };
	static const struct {
		const char *name;
		int bits;
		bool is_signed;
	} ints[] = { { "(int8_t)", 8, 1 }, { "(uint8_t)", 8, 0 }, { "(int16_t)", 16, 1 }, { "(uint16_t)", 16, 0 },
		{ "(int32_t)", 32, 1 }, { "(uint32_t)", 32, 0 }, { "(int64_t)", 64, 1 }, { "(uint64_t)", 64, 0 } };
	for (size_t i = 0; i < 2; i++)
		if (value_accept(r, floats[i])) {
			*kind = IS_FLOAT;
			return true;
		}
	for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
		if (value_accept(r, ints[i].name)) {
			*bits = ints[i].is_signed ? ints[i].bits : -ints[i].bits;
			*kind = *bits == -64 ? WORD : IS_INT;
			return true;
		}
	return false;
}

static enum kind unary(struct reader *);

static enum kind cast(struct reader *r, enum kind to, int bits)
{
	enum kind kind = unary(r);
	if (kind == BAD || (to == IS_FLOAT && kind == WORD) || (to != IS_FLOAT && kind == IS_FLOAT))
		return no(r);
	if (to == IS_FLOAT && kind == IS_INT)
		store_step(r, TO_FLOAT);
	if (to != IS_FLOAT && abs(bits) != 64)
		value_emit(r, bits < 0 ? WRAP_UNSIGNED : WRAP_SIGNED, abs(bits), (union lt_number){ 0 });
	return to;
}

static enum kind primary(struct reader *r)
{
	if (value_accept(r, "(")) {
		enum kind kind = ternary(r);
		return value_accept(r, ")") ? kind : no(r);
	}
	if (value_accept(r, "$")) {
		int k = *r->at - '0';
		if (k < 0 || k >= r->op->arity || k > 2)
			return no(r);
		r->at++;
		value_emit(r, OPERAND, k, (union lt_number){ 0 });
		return lt__number_is_float(r->op->in[k]) ? IS_FLOAT : r->op->in[k] == LT_U64 ? WORD : IS_INT;
	}
	return isdigit((unsigned char)*r->at) ? value_number(r) : call(r);
}

static enum kind unary(struct reader *r)
{
	enum kind kind = BAD, to = BAD;
	int bits = 0;
	if (++r->nesting > 32)
		no(r);
	else if (cast_type(r, &to, &bits))
		kind = cast(r, to, bits);
	else if (value_accept(r, "-")) {
		kind = unary(r);
		store_step(r, kind == IS_FLOAT ? NEGATE_FLOAT : NEGATE);
	} else if (value_accept(r, "!")) {
		kind = unary(r) == IS_INT ? IS_INT : no(r);
		store_step(r, NOT);
	} else
		kind = primary(r);
	r->nesting--;
	return kind;
}

/* By how loosely they bind; a longer one before what it begins with. */
static const struct { const char *text; enum step what; int level; bool compares; } operators[] = {
	{ "|", OR, 0, false }, { "^", XOR, 1, false }, { "&", AND, 2, false }, { "==", EQ, 3, true }, { "!=", NE, 3, true },
	{ "<=", LESS_EQUAL, 4, true }, { ">=", GREATER_EQUAL, 4, true }, { "<", LESS, 4, true }, { ">", GREATER, 4, true },
	{ "+", ADD, 5, false }, { "-", SUB, 5, false }, { "*", MUL, 6, false }, { "/", DIV, 6, false },
};
enum { N_OPERATOR = sizeof operators / sizeof *operators, LEVELS = 7 };

/* Both of one kind; what is unsigned is not made a float. */
static enum kind value_match(struct reader *r, enum kind a, enum kind b, enum step what, bool compares)
{
	bool is_float = a == IS_FLOAT || b == IS_FLOAT, word = a == WORD || b == WORD;
	if (a == BAD || b == BAD || (word && is_float)
		|| (is_float && (what == AND || what == OR || what == XOR)) || (what == DIV && !is_float))
		return no(r);
	if (is_float && a != IS_FLOAT)
		store_step(r, TO_FLOAT_UNDER);
	if (is_float && b != IS_FLOAT)
		store_step(r, TO_FLOAT);
	store_step(r, (int)what + (is_float ? FLOAT : word && compares ? PLAIN : 0));
	return compares ? IS_INT : is_float ? IS_FLOAT : word ? WORD : IS_INT;
}

static enum kind binary(struct reader *r, int level)
{
	enum kind kind = level < LEVELS ? binary(r, level + 1) : unary(r);
	for (int i = 0; level < LEVELS && i < N_OPERATOR && !r->bad; i++)
		if (operators[i].level == level && value_accept(r, operators[i].text)) {
			kind = value_match(r, kind, binary(r, level + 1), operators[i].what, operators[i].compares);
			i = -1;
		}
	return kind;
}

static enum kind ternary(struct reader *r)
{
	enum kind kind = r->bad ? BAD : binary(r, 0);
	if (!value_accept(r, "?"))
		return kind;
	enum kind a = ternary(r), b = value_accept(r, ":") ? ternary(r) : BAD;
	if (kind != IS_INT || a == BAD || a != b)
		return no(r);
	store_step(r, CHOOSE_INT);
	return a;
}

bool lt__ref_value_read(const struct lt_op *op, struct lt_ref_value *out, const char **at)
{
	*out = (struct lt_ref_value){ .from = op->in[0], .to = op->out };
	if (op->name && strcmp(op->name, "cast") == 0 && op->arity == 1) {
		out->cast = true;
		return true;
	}
	struct reader r = { .at = op->source ? op->source : "", .op = op, .out = out };
	enum kind kind = ternary(&r);
	*at = r.at;
	if (r.bad || kind == BAD || *r.at || (kind == WORD && op->out != LT_U64)
		|| (kind == IS_FLOAT && !lt__number_is_float(op->out)))
		return false;
	if (kind == IS_INT && lt__number_is_float(op->out))
		store_step(&r, TO_FLOAT);
	return !r.bad;
}

static void on_ints(enum step what, union lt_number *x)
{
	int64_t a = x[0].i, b = x[1].i;
	switch (what) {
	case ADD: x->i = (int64_t)((uint64_t)a + (uint64_t)b); break;
	case SUB: x->i = (int64_t)((uint64_t)a - (uint64_t)b); break;
	case MUL: x->i = (int64_t)((uint64_t)a * (uint64_t)b); break;
	case AND: x->i = a & b; break;
	case OR: x->i = a | b; break;
	case XOR: x->i = a ^ b; break;
	case EQ: x->i = a == b; break;
	case NE: x->i = a != b; break;
	case LESS: x->i = a < b; break;
	case LESS_EQUAL: x->i = a <= b; break;
	case GREATER: x->i = a > b; break;
	case GREATER_EQUAL: x->i = a >= b; break;
	default: break;
	}
}

static void on_words(enum step what, union lt_number *x)
{
	uint64_t a = (uint64_t)x[0].i, b = (uint64_t)x[1].i;
	switch (what) {
	case EQ: x->i = a == b; break;
	case NE: x->i = a != b; break;
	case LESS: x->i = a < b; break;
	case LESS_EQUAL: x->i = a <= b; break;
	case GREATER: x->i = a > b; break;
	case GREATER_EQUAL: x->i = a >= b; break;
	default: break;
	}
}

static void on_floats(enum step what, union lt_number *x)
{
	double a = x[0].f, b = x[1].f;
	switch (what) {
	case ADD: x->f = a + b; break;
	case SUB: x->f = a - b; break;
	case MUL: x->f = a * b; break;
	case DIV: x->f = a / b; break;
	case EQ: x->i = a == b; break;
	case NE: x->i = a != b; break;
	case LESS: x->i = a < b; break;
	case LESS_EQUAL: x->i = a <= b; break;
	case GREATER: x->i = a > b; break;
	case GREATER_EQUAL: x->i = a >= b; break;
	default: break;
	}
}

union lt_number lt__ref_value_of(const struct lt_ref_value *v, const union lt_number *x)
{
	union lt_number stack[MAX_DEPTH + 2] = { { 0 } }, *top = stack;    /* top: the last one, above one that is none */
	if (v->cast)
		return lt__number_convert(x[0], v->from, v->to);
	for (const struct lt_ref_step *s = v->step; s < v->step + v->n; s++)
		switch (s->what) {
		case OPERAND: *++top = x[s->arg]; break;
		case NUMBER: *++top = s->number; break;
		case TO_FLOAT: top->f = (double)top->i; break;
		case TO_FLOAT_UNDER: top[-1].f = (double)top[-1].i; break;
		case WRAP_SIGNED: top->i = lt__number_wrap(top->i, s->arg, true); break;
		case WRAP_UNSIGNED: top->i = lt__number_wrap(top->i, s->arg, false); break;
		case CHOOSE_INT: top -= 2; *top = top->i ? top[1] : top[2]; break;
		case NOT: top->i = !top->i; break;
		case NEGATE: top->i = (int64_t)(0 - (uint64_t)top->i); break;
		case NEGATE_FLOAT: top->f = -top->f; break;
		case CALL:
			top -= functions[s->arg].arity - 1;
			top->i = functions[s->arg].whole(top->i, top[1].i);
			break;
		case CALL_WORD:
			top -= functions[s->arg].arity - 1;
			top->i = (int64_t)functions[s->arg].word((uint64_t)top->i, (uint64_t)top[1].i);
			break;
		case CALL_FLOAT:
			top -= functions[s->arg].arity - 1;
			top->f = functions[s->arg].real(top->f, top[1].f);
			break;
		default:
			top--;
			if (s->what >= PLAIN)
				on_words((enum step)(s->what - PLAIN), top);
			else if (s->what >= FLOAT)
				on_floats((enum step)(s->what - FLOAT), top);
			else
				on_ints((enum step)s->what, top);
			break;
		}
	return *top;
}
