/* number.h -- element types as ref and the simulator hold them: floats in double, integers and bool in int64.
 *
 * Written for itself, and not shared with the graph evaluator: what is wrong in one of the two shows as a difference.
 */
#ifndef LT_KERNEL_FORM_NUMBER_H
#define LT_KERNEL_FORM_NUMBER_H
#include <stdbool.h>
#include "lt/tree.h"

union lt_number { double f; int64_t i; };       /* of u64 the bits, which above INT64_MAX look negative */

bool lt__number_is_float(uint32_t dtype);
/* Whether it is an integer type, and one that has negative numbers. */
bool lt__number_is_whole(uint32_t dtype);
bool lt__number_is_signed(uint32_t dtype);
uint32_t lt__number_bytes(uint32_t dtype);         /* 0: no such type */
/* The low bits of i as an integer of so many bits. */
int64_t lt__number_wrap(int64_t i, int bits, bool is_signed);
/* To the nearest value of the type, halves to even; integers wrap, bool is != 0.  x is of the type's kind already. */
union lt_number lt__number_round(union lt_number x, uint32_t dtype);
/* A cast: float to integer truncates and saturates, NaN gives 0; integer to float is rounded once. */
union lt_number lt__number_convert(union lt_number x, uint32_t from, uint32_t to);
union lt_number lt__number_of_bits(uint64_t bits, uint32_t dtype);
/* The other way: bits above those of the type are 0.  Rounded already, but for half types. */
uint64_t lt__number_bits(union lt_number, uint32_t dtype);
union lt_number lt__number_load(const void *base, int64_t i, uint32_t dtype);
void lt__number_store(void *base, int64_t i, uint32_t dtype, union lt_number x);       /* rounded already */
#endif
