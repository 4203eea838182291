/* value.h -- operators by description: the C expression that is an operator's source, computed in double
 * and int64. */
#ifndef LT_REF_VALUE_H
#define LT_REF_VALUE_H
#include "kernel/form/form.h"

enum { LT_REF_MAX_CODE = 48 };

/* One step on a stack of numbers.  arg: an operand, a function, a number of bits. */
struct lt_ref_step { uint8_t what, arg; union lt_number number; };
struct lt_ref_value {
	bool cast;                      /* from in[0] to out */
	uint32_t from, to;
	int n;
	struct lt_ref_step step[LT_REF_MAX_CODE];
};

/* Reads op's source.  false: it is not an expression that is known here; *at then points to where it ends to be. */
bool lt__ref_value_read(const struct lt_op *, struct lt_ref_value *, const char **at);
/* What it computes of x, not yet rounded to a type. */
union lt_number lt__ref_value_of(const struct lt_ref_value *, const union lt_number *x);
#endif
