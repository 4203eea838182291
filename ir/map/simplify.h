/* simplify.h -- a map being brought into its simplest form: what simplify.c holds and affine.c asks isl
 * about. */
#ifndef LT_IR_MAP_SIMPLIFY_H
#define LT_IR_MAP_SIMPLIFY_H
#include <string.h>
#include "ir/map/map.h"

struct isl_aff;
struct isl_ctx;
struct isl_local_space;
struct isl_set;

/* -- quasi.c: one rewriting */
enum lt_sign { LT_SIGN_OPEN, LT_SIGN_ALWAYS, LT_SIGN_NEVER };
/* out += factor * floor(num / den), in the simplest form found; num is destroyed.  May append a div. */
void lt__quasi_floor(struct lt_quasi *, int64_t *num, int64_t den, int64_t factor, int64_t *out);
/* row >= 0 with the greatest common divisor taken out and floors of coefficient 1 or -1 opened. */
enum lt_sign lt__quasi_guard(struct lt_quasi *, int64_t *row);
/* a += factor * b over n columns; false on overflow. */
bool lt__row_add(int64_t *a, int64_t factor, const int64_t *b, int32_t n);

/* simplify_digits.c: columns as digits of the dims. */
struct lt_digits {
	struct lt_quasi q;              /* its columns are the digits, and low to high holds what they are */
	int64_t *radix, *offset;        /* of a column that has a floor over it: (column + offset) mod radix; 0: it has none */
	int64_t *sure_low, *sure_high;  /* what a column takes whatever the others do, unless it is tied */
	int64_t *row, *guard;           /* over digits: one for a moment; the guards */
	int32_t *over;                  /* the column of floor((column + offset) / radix) */
	int32_t *order, n_order;        /* columns that have a floor over them, finer ones first */
	bool *loose, *tied;             /* a floor of something else; a column in a guard with others */
};

struct lt_simplify {
	const struct lt_graph *g;
	const struct lt_box *box;
	const struct lt_map *map;
	struct lt_quasi q;
	struct lt_digits digits;
	int32_t width, n_guard;
	int64_t *guard, *row;           /* of q's width: what the map's guards and rows became */
	int64_t *old;                   /* the map's divs as rows over q's columns */
	int64_t *a, *b, *bound, *point; /* rows for a moment */
	int64_t *div;                   /* cap_div x (1 + width), for the walk at the end */
	int32_t *need, *number;         /* marks of divs; numbers of columns */
	struct isl_aff **aff;           /* of q's divs, as far as they were wanted */
	int32_t n_aff;
	bool limited, empty;            /* limited: a dim is bounded by params */
	bool settled, simple;           /* guards are done; each of them is on one column */
	struct isl_ctx *ctx;            /* NULL: not asked yet */
	struct isl_local_space *space;
	struct isl_set *around, *domain;        /* the box; what isl is asked about */
	void *block;
	size_t bytes;
};

static inline int64_t *lt__simplify_row(const struct lt_simplify *t, int64_t *rows, int32_t i)
{
	return rows + (size_t)i * (size_t)t->width;
}

static inline void lt__simplify_drop(struct lt_simplify *t, int32_t guard)
{
	int64_t *at = lt__simplify_row(t, t->guard, guard);

	memmove(at, at + t->width, (size_t)(--t->n_guard - guard) * (size_t)t->width * sizeof *at);
}

/* simplify_weigh.c: divs that a row needs, and terms of it and of them. */
void lt__simplify_weigh(struct lt_simplify *, const int64_t *row, int32_t *n_div, int32_t *n_term);

/* simplify_digits.c */
/* int64 numbers that `lt__digits_init` needs. */
size_t lt__digits_numbers(int32_t width, int32_t n_guard);
void lt__digits_init(struct lt_digits *, int32_t width, int64_t *numbers);
/* Whether it is known that all guards hold somewhere and none follows from the box and the others; false: isl is to be
 * asked. */
bool lt__guards_apart(struct lt_simplify *);
/* Brings a row into its simplest form where the guards hold; false: isl is to be asked. */
bool lt__digits_gist(struct lt_simplify *, int64_t *row);
/* Whether floor(row / den) is one number, which is put out, in the box and, once they are settled, where the guards
 * hold. */
enum lt_decided { LT_UNDECIDED, LT_DECIDED_NO, LT_DECIDED_YES };
enum lt_decided lt__digits_within(struct lt_simplify *, const int64_t *row, int64_t den, int64_t *out);

/* simplify_points.c; LT_UNDECIDED and false: there are too many points, and nothing is done. */
/* As lt__isl_drop_implied. */
bool lt__guards_enumerate(struct lt_simplify *);
/* As the two of simplify_digits.c. */
bool lt__points_gist(struct lt_simplify *, int64_t *row);
enum lt_decided lt__points_within(struct lt_simplify *, const int64_t *row, int64_t den, int64_t *out);

/* affine.c */
/* lt_quasi.within: over the box, and, once they are settled, the guards. */
bool lt__isl_within(void *simplify, const int64_t *row, int64_t den, int64_t *out);
/* isl's gist of the row over the same points, if that is simpler. */
void lt__isl_gist(struct lt_simplify *, int64_t *row);
/* Drops guards that the box and the other guards imply, the last first; notes an empty domain. */
void lt__isl_drop_implied(struct lt_simplify *);
/* The guards are final. */
void lt__isl_settle(struct lt_simplify *);
void lt__isl_forget(struct lt_simplify *);
#endif
