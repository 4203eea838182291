/* parts.h -- what the files that ask whether a node stays within its sources share; included by ir/bounds/
 * only. */
#ifndef LT_IR_BOUNDS_PARTS_H
#define LT_IR_BOUNDS_PARTS_H
#include "ir/map/map.h"
#include "ir/bounds/bounds.h"

/* isl.c: the same question for isl. */
enum lt_bound { LT_BOUND_INSIDE, LT_BOUND_REQUIRES, LT_BOUND_OUTSIDE, LT_BOUND_OPEN, LT_BOUND_TANGLED };
/* larger questions stay open */
enum { LT_BOUND_FORMS = 4, LT_BOUND_PARAMS = 16, LT_BOUND_PIECES = 32, LT_BOUND_DIVS = 64 };
struct lt_boundask {
	lt_node view;
	int32_t piece, row;
	bool past_end;                    /* the end of the axis, not its begin */
	int32_t n_param;                /* the params in question: of the pieces, of the limits of dims */
	lt_param param[LT_BOUND_PARAMS];
	/* LT_BOUND_REQUIRES: all of form[i][0] + sum form[i][1 + k] * param[k] >= 0.  LT_BOUND_OUTSIDE: where, as
	 * params and dims. */
	int32_t n_form;
	int64_t form[LT_BOUND_FORMS][1 + LT_BOUND_PARAMS];
	int64_t point[LT_BOUND_PARAMS + LT_MAX_RANK];
};
enum lt_bound lt__isl_bound(const struct lt_graph *, struct lt_boundask *);

/* What the pieces before leave of each dim; more: they leave less than that box. */
struct lt_left { int64_t low[LT_MAX_RANK], high[LT_MAX_RANK]; bool empty, more; };

struct lt_bounds {
	const struct lt_graph *g;
	struct lt_graph *add;
	lt_node x;
	const struct lt_nodedef *n;
	struct lt_left left;
	/* the piece in hand */
	int32_t piece;
	const struct lt_map *map;
	struct lt_left box;                /* more: its guards leave less than that box */
	struct lt_quasi q;              /* of a map with floors: its columns within the box */
	bool has_q, plain;              /* q is there; numbers are the ranges of the columns */
	int64_t *numbers;               /* of q, or of the columns */
	size_t bytes;
	int64_t own[512];               /* the numbers where they are few; not cleared */
};

/* require.c */
/* Whether sum >= 0 follows from the params' ranges or from one requirement with the same coefficients. */
bool lt__require_implies(const struct lt_graph *, const struct lt_linear *);

/* A condition >= 0: times * row + sum.  row over the map's columns. */
struct lt_condition { const int64_t *row; int64_t times; struct lt_linear sum; };

/* Room for a sum over params. */
struct lt_form { lt_param param[LT_MAX_RANK]; int64_t coef[LT_MAX_RANK]; struct lt_linear sum; };

/* sum.c: sums over params in a form's room; false: too many params, or more than 63 bits. */
void lt__form_begin(struct lt_form *);
bool lt__form_add(struct lt_form *, lt_param, int64_t coef);
/* f += times * (l + more) */
bool lt__form_linear(struct lt_form *f, const struct lt_linear *l, int64_t more, int64_t times);
/* Updates. */
lt_status lt__bounds_block(const struct lt_bounds *, int32_t axis, bool past_end);
/* A requirement whose text names the node. */
lt_status lt__bounds_require(const struct lt_bounds *, const struct lt_linear *, const char *text);

/* ask.c: answers that are sentences, and isl's. */
/* the dim of the source that a row is an index of */
lt_var lt__bounds_axis(const struct lt_bounds *, int32_t row);
/* The piece leaves its source at these params of its map and these dims. */
lt_status lt__bounds_outside(
	const struct lt_bounds *, int32_t row, const int64_t *param, const int64_t *dim, bool past_end);
lt_status lt__bounds_open(const struct lt_bounds *, int32_t row, bool tangled);
lt_status lt__bounds_require_row(const struct lt_bounds *, int32_t row, bool past_end, const struct lt_linear *);
lt_status lt__bounds_ask(const struct lt_bounds *, int32_t row, bool past_end);
#endif
