/* address.h -- addresses as sums of multiples of values, and which accesses are apart; without isl.
 *
 * A value of one lane of type i64 is a number plus multiples of parts: values that are no sums themselves (a loop's, a
 * param, a quotient).  Sums wrap as integers do: two values of equal parts differ by their numbers, always.
 */
#ifndef LT_KERNEL_STEP_ADDRESS_H
#define LT_KERNEL_STEP_ADDRESS_H
#include "kernel/step/step.h"

enum { LT_ADDRESS_PARTS = 12 };          /* a value of more is a part itself */
struct lt_address_part { int32_t value; int64_t times; };
struct lt_address_sum {
	int64_t number;
	int32_t n;
	struct lt_address_part *part;            /* by value, no two alike; times is not 0 */
};

/* By value of k: what it is a sum of; of another type than i64 of one lane: nothing.  Memory of the pool. */
struct lt_address_sum *lt__address_values(const struct lt_kernel *, struct lt_pool *);
bool lt__address_same_parts(const struct lt_address_sum *, const struct lt_address_sum *);
/* How often a part is in the sum; 0: it is not. */
int64_t lt__address_times(const struct lt_address_sum *, int32_t value);

/* The elements that an access may reach while its parts have some values: n of them, `stride` apart, from `first`. */
struct lt_address_reach { struct lt_address_sum first; int64_t stride; uint32_t n; };
/* false: lanes have an index of their own, so that nothing is known. */
bool lt__address_reach(const struct lt_kernel *, const struct lt_address_sum *values, const struct lt_instruction *,
	struct lt_address_reach *);
/* Whether two accesses of one buffer have no element in common, whatever values all parts have: a part is the same in
 * both. */
bool lt__address_apart(const struct lt_address_reach *, const struct lt_address_reach *);
/* Whether two buffers may have bytes in common. */
bool lt__may_alias(const struct lt_kernel *, int32_t, int32_t);
#endif
