/* op.c -- the operator table: facts, values, error bounds, C text. */
#include <stdio.h>
#include <string.h>
#include "base/arena.h"
#include "ir/op/error.h"
#include "ir/op/op.h"

enum {
	CLASS_F = 1 << LT_CLASS_FLOAT,
	CLASS_I = 1 << LT_CLASS_INT,
	CLASS_B = 1 << LT_CLASS_BOOL,
	CLASS_FI = CLASS_F | CLASS_I,
	CLASS_IB = CLASS_I | CLASS_B,
	CLASS_FIB = CLASS_F | CLASS_I | CLASS_B,
	CLASS_ANY = CLASS_FIB | 1 << 3
};
enum { RESULT_SAME, RESULT_BOOL };
enum { ORDER_FREE, ORDER_ORDERED };
enum { PLAIN, CHEAP = LT_TRAIT_CHEAP, LOSES_NAN = LT_TRAIT_LOSES_NAN, FLOAT_ERROR = LT_TRAIT_FLOAT_ERROR };

static const struct lt_opinfo ops[LT_NOP] = {
#define OP(name_, arity_, types, result, identity_, order, traits_, ulp_, source_f, source_i, value_f, value_i, error, \
	doc_) \
	[LT_OP_##name_] = { .name = #name_, \
		.arity = arity_, \
		.any = CLASS_##types == CLASS_ANY, \
		.classes = CLASS_##types & CLASS_FIB, \
		.to_bool = RESULT_##result == RESULT_BOOL, \
		.identity = LT_ID_##identity_, \
		.ordered = ORDER_##order == ORDER_ORDERED, \
		.traits = traits_, \
		.ulp = ulp_, \
		.csource_f = source_f, \
		.csource_i = source_i, \
		.doc = doc_ },
#define DATA(name_, arity_, doc_) \
	[LT_OP_##name_] = { .name = #name_, .arity = arity_, .data = true, .any = true, \
		.csource_f = "", .csource_i = "", .doc = doc_ },
#include "ir/op/op.def"
};

const struct lt_opinfo *lt__op_info(enum lt_opcode op)
{
	return &ops[op];
}

int lt__op_find(const char *name)
{
	for (int op = 0; op < LT_NOP; op++)
		if (!strcmp(ops[op].name, name))
			return op;
	return -1;
}

bool lt__op_takes(enum lt_opcode op, enum lt_dtype t)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);

	return ops[op].any || (type->compute == t && (ops[op].classes >> type->cls & 1));
}

static double value_float(enum lt_opcode op, const double *x)
{
	switch (op) {
#define OP(name, arity, types, result, identity, order, traits, ulp, source_f, source_i, value_f, value_i, error, doc) \
	case LT_OP_##name: return value_f;
#define DATA(name, arity, doc)
#include "ir/op/op.def"
	default: return NAN;
	}
}

static int64_t value_int(enum lt_opcode op, const int64_t *a)
{
	switch (op) {
#define OP(name, arity, types, result, identity, order, traits, ulp, source_f, source_i, value_f, value_i, error, doc) \
	case LT_OP_##name: return value_i;
#define DATA(name, arity, doc)
#include "ir/op/op.def"
	default: return 0;
	}
}

static uint64_t value_unsigned(enum lt_opcode op, const uint64_t *a)
{
	switch (op) {
#define OP(name, arity, types, result, identity, order, traits, ulp, source_f, source_i, value_f, value_i, error, doc) \
	case LT_OP_##name: return (uint64_t)(value_i);
#define DATA(name, arity, doc)
#include "ir/op/op.def"
	default: return 0;
	}
}

union lt_scalar lt__op_value(enum lt_opcode op, enum lt_dtype t, const union lt_scalar *x)
{
	const struct lt_opinfo *info = &ops[op];
	const enum lt_class cls = lt__dtype_info(t)->cls;
	double f[3] = { 0 };
	int64_t a[3] = { 0 };
	uint64_t u[3] = { 0 };

	if (info->data || info->arity > 3)
		lt_bug("a data operator has no value");
	for (int i = 0; i < info->arity; i++) {
		bool is_int = cls != LT_CLASS_FLOAT || (op == LT_OP_select && i == 0);

		if (is_int)
			f[i] = (double)x[i].i, a[i] = x[i].i, u[i] = (uint64_t)x[i].i;
		else
			f[i] = x[i].f;
	}
	if (t == LT_U64)
		return (union lt_scalar){ .i = (int64_t)value_unsigned(op, u) };
	if (cls != LT_CLASS_FLOAT)
		return (union lt_scalar){ .i = value_int(op, a) };
	if (info->to_bool)
		return (union lt_scalar){ .i = value_float(op, f) != 0 };
	return (union lt_scalar){ .f = value_float(op, f) };
}

static double error_bound(enum lt_opcode op, const double *x, const double *e, double r)
{
	switch (op) {
#define OP(name, arity, types, result, identity, order, traits, ulp, source_f, source_i, value_f, value_i, error, doc) \
	case LT_OP_##name: return error;
#define DATA(name, arity, doc)
#include "ir/op/op.def"
	default: (void)r; return INFINITY;
	}
}

/* The factor covers that the bounds themselves are computed in double. */
double lt__op_error(enum lt_opcode op, const double *x, const double *e, double r)
{
	double bound = error_bound(op, x, e, r) * (1 + 0x1p-40);

	return isnan(bound) ? INFINITY : bound;
}

union lt_scalar lt__op_identity(enum lt_opcode op, enum lt_dtype t)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(t);
	bool is_float = type->cls == LT_CLASS_FLOAT;
	int64_t lowest = 0, highest = 1;

	if (type->cls == LT_CLASS_INT) {
		highest = (int64_t)(UINT64_MAX >> (64 - 8 * type->bytes + type->is_signed));
		lowest = type->is_signed ? -highest - 1 : 0;
	}
	switch (ops[op].identity) {
	case LT_ID_ONE:
		return is_float ? (union lt_scalar){ .f = 1 } : (union lt_scalar){ .i = 1 };
	case LT_ID_LOWEST:
		return is_float ? (union lt_scalar){ .f = -INFINITY } : (union lt_scalar){ .i = lowest };
	case LT_ID_HIGHEST:
		return is_float ? (union lt_scalar){ .f = INFINITY } : (union lt_scalar){ .i = highest };
	case LT_ID_NONE:
	case LT_ID_ZERO:
		break;
	}
	return is_float ? (union lt_scalar){ .f = 0 } : (union lt_scalar){ .i = 0 };
}

/* A function of the prelude where C has none: it lacks the half types, and its conversion of a float that does not
 * fit an integer is undefined. */
static const char *cast_source(enum lt_dtype from, enum lt_dtype to)
{
	bool half = from == LT_F16 || from == LT_BF16 || to == LT_F16 || to == LT_BF16;
	bool to_int = lt__dtype_info(from)->cls == LT_CLASS_FLOAT && lt__dtype_info(to)->cls != LT_CLASS_FLOAT;

	if (from == to)
		return "((@T)$0)";
	if (half || to_int)
		return "lt_cast_@m_@n($0)";
	return to == LT_BOOL ? "($0 != 0)" : "((@T)$0)";
}

struct template_out { char *at; size_t n, bytes; };

static void template_add(struct template_out *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++, out->n++)
		if (out->n + 1 < out->bytes)
			out->at[out->n] = text[i];
}

size_t lt__op_csource(enum lt_opcode op, enum lt_dtype t, enum lt_dtype to, char *buf, size_t bytes)
{
	const struct lt_dtypeinfo *from = lt__dtype_info(t), *result = op == LT_OP_cast ? lt__dtype_info(to) : from;
	const char *source = op == LT_OP_cast ? cast_source(t, to)
		: from->cls == LT_CLASS_FLOAT ? ops[op].csource_f : ops[op].csource_i;
	struct template_out out = { .at = buf, .bytes = bytes };

	for (const char *s = source; *s; s++) {
		const char *word = NULL;

		if (*s == '@')
			switch (s[1]) {
			case 's': word = t == LT_F64 ? "" : "f"; break;
			case 'n': word = result->name; break;
			case 'm': word = from->name; break;
			case 'T': word = result->ctype; break;
			case 'U': word = result->utype; break;
			}
		if (word)
			template_add(&out, word, strlen(word)), s++;
		else
			template_add(&out, s, 1);
	}
	if (bytes)
		buf[out.n < bytes ? out.n : bytes - 1] = '\0';
	return out.n;
}
