/* simplify.h -- a map being brought into its simplest form: what simplify.c holds and affine.c asks isl
 * about. */
#ifndef LT_IR_MAP_SIMPLIFY_H
#define LT_IR_MAP_SIMPLIFY_H
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

struct lt_simplify {
	const struct lt_graph *g;
	const struct lt_box *box;
	const struct lt_map *map;
	struct lt_quasi q;
	int32_t width, n_guard;
	int64_t *guard, *row;           /* of q's width: what the map's guards and rows became */
	int64_t *old;                   /* the map's divs as rows over q's columns */
	int64_t *a, *b, *bound;         /* rows for a moment */
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

/* simplify_weigh.c: divs that a row needs, and terms of it and of them. */
void lt__simplify_weigh(struct lt_simplify *, const int64_t *row, int32_t *n_div, int32_t *n_term);

/* simplify_apart.c: whether it is known that all guards hold somewhere and none follows from the box and the others;
 * false: isl is to be asked. */
bool lt__guards_apart(const struct lt_simplify *);

/* affine.c */
/* lt_quasi.exact: the range of a row over the box, and, once they are settled, the guards. */
bool lt__isl_range(void *simplify, const int64_t *row, int64_t *low, int64_t *high);
/* isl's gist of the row over the same points, if that is simpler. */
void lt__isl_gist(struct lt_simplify *, int64_t *row);
/* Drops guards that the box and the other guards imply, the last first; notes an empty domain. */
void lt__isl_drop_implied(struct lt_simplify *);
/* The guards are final. */
void lt__isl_settle(struct lt_simplify *);
void lt__isl_forget(struct lt_simplify *);
#endif
