/* random_limits_model.h -- what tests/random_limits.c draws, as plain tables, and what that means, computed point
 * by point. */
#ifndef LT_RANDOM_LIMITS_MODEL_H
#define LT_RANDOM_LIMITS_MODEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 limits_wide;
enum {
	LIMITS_DIMS = 3,
	LIMITS_PARAMS = 2,
	LIMITS_DIVS = 2,
	LIMITS_COLUMNS = 1 + LIMITS_PARAMS + LIMITS_DIMS + LIMITS_DIVS,
	LIMITS_GUARDS = 3,
	LIMITS_PIECES = 3,
	LIMITS_VIEWS = 2,
	LIMITS_TRIES = 48,
	LIMITS_SOURCES = 4,
	LIMITS_LONGEST = 60,            /* extent of an axis of x */
	LIMITS_X = LIMITS_LONGEST * LIMITS_LONGEST * LIMITS_LONGEST,
	LIMITS_ELEMENTS = 1024          /* of a block, of a result */
};

/* A dim: at most `extent`, and in a run limit + sum limit_of * param where it is bounded. */
struct limits_dim { int64_t extent; bool bounded; int64_t limit, limit_of[LIMITS_PARAMS]; };
/* Rows are over [1 | params | dims | floors]; den: of the floors. */
static inline int limits_dim_at(int i) { return 1 + LIMITS_PARAMS + i; }
static inline int limits_div_at(int i) { return 1 + LIMITS_PARAMS + LIMITS_DIMS + i; }
struct limits_piece {
	int n_div, n_guard;
	int64_t den[LIMITS_DIVS], div[LIMITS_DIVS][LIMITS_COLUMNS], guard[LIMITS_GUARDS][LIMITS_COLUMNS],
		row[LIMITS_DIMS][LIMITS_COLUMNS];
};
struct limits_view {
	int n_dim, n_piece;
	struct limits_dim dim[LIMITS_DIMS];
	bool has_fill;
	struct limits_piece piece[LIMITS_PIECES];
};
/* %x, and views of one another over it; then, if it gathers, %g takes `n_index` elements along the first dim of the
 * last view.  Or an update of %x by a block at `offset` + param `at` (-1: none). */
struct limits_model {
	int n_param, n_view, n_dim;
	int64_t low[LIMITS_PARAMS], high[LIMITS_PARAMS];
	struct limits_dim dim[LIMITS_DIMS];     /* of x */
	struct limits_view view[LIMITS_VIEWS];
	bool gathers, updates;
	int64_t n_index, block[LIMITS_DIMS], offset[LIMITS_DIMS];
	int at[LIMITS_DIMS];
	int n_try;
	int64_t try[LIMITS_TRIES][LIMITS_PARAMS];       /* values of the params, within their ranges */
};

/* random_limits_draw.c, random_limits_text.c */
void limits_draw(uint64_t seed, struct limits_model *);
void limits_print(const struct limits_model *, char *text, size_t cap);

/* random_limits_model.c */
/* Whether some row, or a place in memory, exceeds 62 bits. */
bool limits_large(const struct limits_model *);
/* With these values of the params: nothing leaves its source, something does, or a bounded dim is longer than it may
 * be. */
enum limits_fate { LIMITS_STAYS, LIMITS_LEAVES, LIMITS_LONG };
enum limits_fate limits_fate(const struct limits_model *, const int64_t *param);

/* Inputs, and what the result then is; there: whether an element of it is one in this run. */
struct limits_data {
	int64_t param[LIMITS_PARAMS], index[8];
	float x[LIMITS_X], block[LIMITS_ELEMENTS], want[LIMITS_ELEMENTS];
	bool there[LIMITS_ELEMENTS];
	int64_t n_result;
};
/* False: the run has to be refused, or to fail.  bad_index: one of the gathered indices is out of range. */
bool limits_data(const struct limits_model *, const int64_t *param, bool bad_index, struct limits_data *);
const void *limits_source(const struct limits_data *, const char *name);
#endif
