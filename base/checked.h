/* checked.h -- arithmetic of sizes: products and sums that are checked or end at the largest number, and quotients that
 * are rounded. */
#ifndef LT_BASE_CHECKED_H
#define LT_BASE_CHECKED_H
#include <stdint.h>

/* True on overflow; *out then holds the wrapped result. */
#define lt__mul_overflow(a, b, out) __builtin_mul_overflow((a), (b), (out))
#define lt__add_overflow(a, b, out) __builtin_add_overflow((a), (b), (out))
#define lt__sub_overflow(a, b, out) __builtin_sub_overflow((a), (b), (out))

/* Saturating: what exceeds 63 bits is INT64_MAX, or INT64_MIN where the exact result is negative. */
static inline int64_t lt__mul_sat(int64_t a, int64_t b)
{
	int64_t r;
	return lt__mul_overflow(a, b, &r) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN) : r;
}
static inline int64_t lt__add_sat(int64_t a, int64_t b)
{
	int64_t r;
	return lt__add_overflow(a, b, &r) ? (b > 0 ? INT64_MAX : INT64_MIN) : r;
}

/* Quotients rounded down and up; b > 0. */
static inline int64_t lt__floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline int64_t lt__ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }
/* The next multiple of unit from n on, which has to fit; of units 0 and 1, n. */
static inline int64_t lt__round_up(int64_t n, int64_t unit) { return unit > 1 ? lt__ceil_div(n, unit) * unit : n; }

static inline int64_t lt__min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t lt__max(int64_t a, int64_t b) { return a > b ? a : b; }
#endif
