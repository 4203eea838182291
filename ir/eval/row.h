/* row.h -- arithmetic of the oracle on rows of values, in forms for several processors that give the same bits.
 *
 * Floats are doubles, integers and bools int64_t.  Nothing here knows of graphs.  A row that is written is none of
 * those that are read, unless said otherwise.
 */
#ifndef LT_IR_EVAL_ROW_H
#define LT_IR_EVAL_ROW_H
#include "ir/op/op.h"

enum {
	LT_STRIP = 256,         /* elements in a row */
	LT_LANES = 8, LT_LANES_LEFT = 4,        /* columns and rows of a block of a product */
	LT_NOISE = 4096         /* random numbers in a table, and LT_STRIP more, so that a row may begin at each of these */
};
union lt_eval_row { double f[LT_STRIP]; int64_t i[LT_STRIP]; };

/* A tile of sums of products: value[m][n] += sum over k of a[m][k] * b[k][n], n a multiple of LT_LANES.  The panels a
 * and b are cut into blocks of LT_LANES_LEFT rows and LT_LANES columns, in which k comes next; what the last block has
 * beyond the tile is 0.  There is room for whole blocks of value and of what is beside it. */
struct lt_tile {
	int32_t m, n, k;
	bool first;                     /* nothing was added to the sums before */
	const double *a, *b;
	const float *a_f32, *b_f32;     /* instead of these, for the modes EXACT and NEAREST of f32 */
	double *value, *lost;                /* lost: what roundings of f64 sums have taken away so far */
	/* bounds: of the operands; sums of the terms' errors and sizes; -1: a term that is not a multiple of 2^-8 */
	const double *a_error, *b_error;
	double *error, *size;
	int64_t *coarse;
	/* random: where the noise of row m in step k begins, as of a, 12 bits for the product, 12 for the sum; the permitted
	 * error is noise * size, and of a product noise * (size + min) */
	const uint32_t *offset;
	const double *noise;
	double min;
	double unit, tiny;              /* of the type */
};
/* RANDOM_NORMAL: no product but 0 is smaller than the type's normal numbers.  BOUND_SURE: the operands have no
 * errors. */
enum lt_tile_mode {
	LT_TILE_EXACT, LT_TILE_NEAREST, LT_TILE_RANDOM, LT_TILE_RANDOM_NORMAL, LT_TILE_BOUND, LT_TILE_BOUND_SURE,
	LT_TILE_MODES
};
static inline int64_t lt__tile_left(const struct lt_tile *t, int64_t m, int64_t k)
{
	return (m / LT_LANES_LEFT * t->k + k) * LT_LANES_LEFT + m % LT_LANES_LEFT;
}
static inline int64_t lt__tile_right(const struct lt_tile *t, int64_t n, int64_t k)
{
	return (n / LT_LANES * t->k + k) * LT_LANES + n % LT_LANES;
}

struct lt_eval_rows {
	/* n elements of an array of t: element `at`, then each `slope` further. */
	void (*load)(enum lt_dtype, const void *from, int64_t at, int64_t slope, int32_t n, union lt_eval_row *out);
	void (*store)(enum lt_dtype, void *to, int64_t at, int64_t slope, int32_t n, const union lt_eval_row *);
	/* An operator of the table on operands of a class before rounding; x: three rows, of a select's condition integers. */
	void (*value)(enum lt_opcode, enum lt_dtype, int32_t n, const union lt_eval_row *const *x, union lt_eval_row *out);
	/* In place: rounded or wrapped to the type. */
	void (*round)(enum lt_dtype, int32_t n, union lt_eval_row *);
	void (*convert)(enum lt_dtype from, enum lt_dtype to, int32_t n, const union lt_eval_row *x, union lt_eval_row *out);
	double (*sum)(int32_t n, const double *x);
	/* value + rest += x, element by element */
	void (*add)(int32_t n, const double *x, double *value, double *lost);
	/* In place: floats before rounding to t, moved by noise * (scale * size + min) where the rounding changes
	 * them; f64: where residual, by which the exact value is larger, is not 0. */
	void (*disturb)(enum lt_dtype t, int32_t n, const double *residual, const double *noise, double scale,
		double min, double *x);
	/* Sizes: the smallest but 0, infinity if there is none; the largest, infinity where there is a NaN. */
	void (*range)(int64_t n, const double *x, double *smallest, double *largest);
	void (*product[LT_TILE_MODES][2])(const struct lt_tile *);       /* f32, f64 */
};
/* The form for this processor. */
const struct lt_eval_rows *lt__rows(void);
#endif
