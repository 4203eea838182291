/* kernel/lower.h -- a frozen tree becomes a kernel program: what the files of it share.
 *
 * lower.c        loops: who runs them; the whole
 * lower_space.c  buffers: where each lives
 * lower_row.c    affine rows: as values, and what range they have
 * lower_stmt.c   statements: guards, operands, operators
 */
#ifndef LT_KERNEL_LOWER_H
#define LT_KERNEL_LOWER_H
#include "kernel/build.h"

struct lower_range { bool known; int64_t low, high; };
/* How a loop is run. */
enum lower_mode {
	LOWER_LOOP,             /* one trip after the other */
	LOWER_TEAM,             /* its trips are points of a team */
	LOWER_COLLAPSED         /* together with those of the loop around it */
};
/* team: the loop of mode LOWER_TEAM that it is in or is; -1 */
struct lower_loop { enum lower_mode mode; int32_t team; };
/* Where a buffer of the tree went. */
struct lower_place {
	int32_t buffer, variable;       /* of the program; the other is -1 */
	/* of an array or variable: the loop in whose trips it begins, -1: the region; of others -2 */
	int32_t scope;
	int32_t team;                   /* of those, the team's loop that its scope is in, -1: the host's */
};
/* An instruction that needs not be made again while its block is open. */
struct lower_known { uint16_t opcode; uint8_t dtype; int32_t operand[3], what; int64_t number; int32_t value; };

struct lowering {
	struct lt_kernel_builder b;
	const struct lt_tree *t;
	struct lt_machine machine;
	struct lt_kernel_report *report;        /* who hears of decisions (lt__decide), or NULL */
	struct lower_loop *loop;
	struct lower_place *place;              /* a buffer */
	struct lower_range *range;              /* a column */
	int32_t *value;                         /* a column: that of a loop; -1 */
	struct lower_known *known;
	int32_t n_known, first_known, cap_known;       /* those before first_known are of another region */
	int32_t team;                           /* the loop whose team instructions go to, -1: the host's */
};

static inline const int64_t *lower_row_at(const struct lt_tree *t, int32_t row)
{
	return t->rows + (int64_t)row * t->n_column;
}
static inline int32_t lower_loop_column(const struct lt_tree *t, int32_t loop) { return 1 + t->n_param + loop; }
static inline int32_t lower_div_column(const struct lt_tree *t, int32_t div)
{
	return 1 + t->n_param + t->n_loop + div;
}
/* Whether loop a is b or stands around it; -1 stands around all. */
bool lt__lower_around(const struct lt_tree *, int32_t a, int32_t b);

/* lower_space.c: buffers of the program; what begins in a trip of the loop (-1: in the region) begins now. */
void lt__lower_spaces(struct lowering *);
void lt__lower_begin(struct lowering *, int32_t loop);

/* lower_row.c */
void lt__lower_ranges(struct lowering *);
struct lower_range lt__lower_range(const struct lowering *, int32_t row);
bool lt__lower_depends(const struct lt_tree *, int32_t row, int32_t loop);      /* through divs, too */
/* The instruction, or one that is known to give the same. */
int32_t lt__lower_pure(
	struct lowering *, int opcode, uint32_t dtype, int32_t x, int32_t y, int32_t what, int64_t number);
int32_t lt__lower_i64(struct lowering *, int64_t);
/* The row's value is that of what is returned, plus *number; -1: the number alone. */
int32_t lt__lower_address(struct lowering *, int32_t row, int64_t *number);
int32_t lt__lower_row(struct lowering *, int32_t row);
int32_t lt__lower_add(struct lowering *, int32_t x, int32_t y);         /* i64; either may be -1: 0 */
/* A mask: all hold; -1: they always do.  *never: they never do. */
int32_t lt__lower_guards(struct lowering *, int32_t first, int32_t n, bool *never);
/* Blocks: what becomes known in one is forgotten at its end. */
int32_t lt__lower_mark(const struct lowering *);
void lt__lower_forget(struct lowering *, int32_t mark);

/* lower.c: step 'L' (step.h) */
lt_status lt__lower_kernel(const struct lt_tree *, const struct lt_machine *, struct lt_kernel_report *,
	struct lt_kernel **, struct lt_diag *);

/* lower_stmt.c */
void lt__lower_stmt(struct lowering *, int32_t stmt);
#endif
