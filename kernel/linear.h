/* kernel/linear.h -- addresses as sums of multiples of values, and which accesses are apart; without isl.
 *
 * A value of one lane of type i64 is a number plus multiples of parts: values that are no sums themselves (a loop's, a
 * param, a quotient).  Sums wrap as integers do: two values of equal parts differ by their numbers, always.
 */
#ifndef LT_KERNEL_LINEAR_H
#define LT_KERNEL_LINEAR_H
#include "kernel/step.h"

enum { LT_LINEAR_PARTS = 12 };          /* a value of more is a part itself */
struct lt_linear_part { int32_t value; int64_t times; };
struct lt_linear {
	int64_t number;
	int32_t n;
	struct lt_linear_part *part;            /* by value, no two alike; times is not 0 */
};

/* By value of k: what it is a sum of; of another type than i64 of one lane: nothing.  Memory of the pool. */
struct lt_linear *lt__linear_values(const struct lt_kernel *, struct lt_pool *);
bool lt__linear_same_parts(const struct lt_linear *, const struct lt_linear *);
/* How often a part is in the sum; 0: it is not. */
int64_t lt__linear_times(const struct lt_linear *, int32_t value);

/* The elements that an access may reach while its parts have some values: n of them, `stride` apart, from `first` on. */
struct lt_reach { struct lt_linear first; int64_t stride; uint32_t n; };
/* false: lanes have an index of their own, so that nothing is known. */
bool lt__linear_reach(const struct lt_kernel *, const struct lt_linear *values, const struct lt_instruction *,
	struct lt_reach *);
/* Whether two accesses of one buffer have no element in common, whatever values all parts have: a part is the same in
 * both. */
bool lt__linear_apart(const struct lt_reach *, const struct lt_reach *);
/* Whether two buffers may have bytes in common. */
bool lt__linear_may_alias(const struct lt_kernel *, int32_t, int32_t);
#endif
