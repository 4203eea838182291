/* quasi.h -- rewriting quasi-affine expressions by plain arithmetic: floors, guards, ranges.
 *
 * An expression is a row of int64 coefficients over [1 | params | dims | divs]; div k is floor(num[k] / den[k]) over
 * earlier columns.  Every rewriting is exact at each point whose columns lie in [low, high]; one that would exceed
 * 63 bits sets `overflow`, and the caller then keeps what it had.
 */
#ifndef LT_IR_MAP_QUASI_H
#define LT_IR_MAP_QUASI_H
#include "ir/map/affine.h"

struct lt_quasi {
	int32_t n_base, n_div, cap_div, width;  /* n_base = 1 + params + dims; width = n_base + cap_div */
	int64_t *low, *high;                    /* width: what each column may be */
	int64_t *den, *num;                     /* cap_div; cap_div x width */
	int64_t *temp;                          /* 2 x width, of the functions below */
	bool overflow;
	/* May be NULL: the range of a row over the points in question, where intervals do not decide. */
	bool (*exact)(void *user, const int64_t *row, int64_t *low, int64_t *high);
	void *user;
};
enum lt_sign { LT_SIGN_OPEN, LT_SIGN_ALWAYS, LT_SIGN_NEVER };

/* int64 numbers that `lt__quasi_init` needs for rows over n_base columns and up to cap_div divs. */
size_t lt__quasi_numbers(int32_t n_base, int32_t cap_div);
void lt__quasi_init(struct lt_quasi *, int32_t n_base, int32_t cap_div, int64_t *numbers);
/* Bounds of a row by intervals, x - d*floor(x/d) known to be in [0, d); false: none within 63 bits. */
bool lt__quasi_range(const struct lt_quasi *, const int64_t *row, int64_t *low, int64_t *high);
/* out += factor * floor(num / den), in the simplest form found; num is destroyed.  May append a div. */
void lt__quasi_floor(struct lt_quasi *, int64_t *num, int64_t den, int64_t factor, int64_t *out);
/* row >= 0 with the greatest common divisor taken out and floors of coefficient 1 or -1 opened. */
enum lt_sign lt__quasi_guard(struct lt_quasi *, int64_t *row);
/* a += factor * b over n columns; false on overflow. */
bool lt__row_add(int64_t *a, int64_t factor, const int64_t *b, int32_t n);

/* The columns of a map in the order in which its text names them: rows, then guards; in each expression dims, params,
 * divs, a div after what is in it.  Writes the numbers of the used params (n_param at most) and divs, and their
 * counts.  scratch: 3 * n_div + n_param numbers. */
void lt__map_appearance(
	const struct lt_map *, int32_t *param, int32_t *n_param, int32_t *div, int32_t *n_div, int32_t *scratch);
#endif
