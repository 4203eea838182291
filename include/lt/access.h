/* lt/access.h -- what the leaves of a loop tree access, as affine rows over its loops, and where its values live.
 *
 * Both are of the tree alone: of what its text says, before a backend peels loops or adds sums for lanes (which
 * `lt-run --dump=frozen` shows).  A value that is whole has its elements in the order of its dims, or of its layout,
 * whatever memory a program lays it in.
 */
#ifndef LT_ACCESS_H
#define LT_ACCESS_H
#include "lt/looptree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- accesses.
 *
 * Rows.     As in lt/tree.h: n_column int64 coefficients over the columns [1 | params | loops | divs]:
 *             value = row[0] + sum row[1+p]*param(p) + sum row[1+n_param+l]*trip(l)
 *                   + sum row[1+n_param+n_loop+d]*div(d)
 *           trip(l) is the number of the iteration of loop l, 0, 1 ...: a loop's step is multiplied in.  So the
 *           derivative along a loop is its coefficient, in a row without divs that depend on it.
 *           Row r begins at rows[r * n_column].
 * Divs.     div(d) = floor(row / den), den > 0, the row using earlier divs only.
 * Loops.    Those around the point that was asked about (inside 0), which are fixed there, outermost first; then those
 *           inside it, which sweep over all iterations, in the order of the text.  A leaf uses those around itself; its
 *           rows have 0 for others.  What a gather reads is such a column, too: loop -1, a number of the axis.
 * Bounds.   The iterations of the loops around a leaf in which it runs: 0 <= trip < trip_count of each, and its bound
 *           rows >= 0, where steps do not divide or run-time scalars bound a dim.  Iterations that `tail pad` runs past
 *           the end are left out: they touch no element.
 * Pieces.   An operand that is read through views may have several pieces: in an iteration that runs, the first whose
 *           guard rows are all >= 0 is what it is.  The last one has no guards. */
struct lt_access_param { lt_param param; int32_t reserved; const char *name; int64_t low, high; };
struct lt_access_loop {
	lt_tnode loop;                  /* -1: the number that a gather reads                          */
	int32_t inside;                 /* 1: it is inside the point                                   */
	const char *name, *path;        /* "m'", and what steps call it: "%c/m'"; of a gather both the axis's name */
	int64_t step, trip_count;       /* of a gather: 1, and the extent of the axis                  */
};
struct lt_access_div { int32_t row, reserved; int64_t den; };
/* What a leaf reads, an entry for each piece of each operand, in order; then what it writes. */
struct lt_leaf_access {
	lt_tnode leaf;
	lt_node node;                   /* whose leaf it is                                            */
	int32_t does;                   /* enum lt_does: READ, WRITE; ADD of a reduction               */
	int32_t operand;                /* of READ: of the node, from 0; else -1                       */
	int32_t kind;                   /* enum lt_piece_kind: an element of a value, typed bits, or a position (one row) */
	lt_node value;                  /* LT_READ: whose element; else -1                             */
	uint64_t bits;                  /* LT_IMMEDIATE                                                */
	int32_t first_row, n_row;       /* LT_READ: the element's index, a row a dim; LT_AFFINE: the number */
	int32_t place;                  /* LT_READ: row of the element's number in the memory that the value has
	                                 * (lt_looptree_allocations), from 0; else -1                  */
	int32_t first_guard, n_guard;   /* into guards: rows                                           */
	int32_t first_bound, n_bound;   /* into guards, too: the same of all accesses of a leaf        */
	int32_t reserved;
	/* "%c reads %A[6*m + m', k] at 48*m + 8*m' + k if m + k - 1 >= 0": loops by name, where one iteration after
	 * the other counts 1; without bounds */
	const char *text;
};
struct lt_accesses {
	uint32_t size;
	lt_tnode at;                    /* the point                                                   */
	int32_t n_param, n_loop, n_div, n_column, n_row, n_guard;
	const int64_t *rows;
	const int32_t *guards;          /* n_guard numbers of rows                                     */
	struct lt_array params, loops, divs;            /* struct lt_access_param, _loop, _div         */
	struct lt_array accesses;       /* struct lt_leaf_access, in the order of execution            */
};
/* All that the leaves inside `at` (a loop: in all its iterations; a leaf: itself, once) access there.  value: only the
 * elements of this node; LT_OMIT: everything.  The answer is the caller's to free, before the context; the tree may be
 * freed before.  LT_EINVAL: `at` is no node of the tree, `value` none of its graph, or the tree is not finished;
 * LT_EOVERFLOW: a place exceeds 63 bits. */
LT_API lt_status lt_looptree_access(struct lt_looptree *, lt_tnode at, lt_node value, struct lt_accesses **out);
LT_API void lt_accesses_free(struct lt_accesses *);             /* NULL: nothing */
/* The value of a row; param and trip: a number for each of params and of loops. */
LT_API int64_t lt_accesses_value(const struct lt_accesses *, int32_t row, const int64_t *param, const int64_t *trip);
/* How far the row moves from one iteration of loop number `loop` to the next.  0: not everywhere equally far, since a
 * div depends on that loop; nothing is set. */
LT_API int lt_accesses_along(const struct lt_accesses *, int32_t row, int32_t loop, int64_t *out);

/* -- memory. */
enum lt_lives {
	LT_LIVES_NOWHERE,               /* a literal, a position, a view: readers read through it      */
	LT_LIVES_OUTSIDE,               /* an input, a constant, a state: whole, and there before a run */
	LT_LIVES_WHOLE,                 /* all of it at once, at least until its root nest has ended   */
	LT_LIVES_LOCAL                  /* what one iteration of `owner` accesses                      */
};
struct lt_allocation {
	lt_node node;
	lt_tnode leaf;                  /* -1: it is not computed in the tree                          */
	int32_t lives, dtype;           /* enum lt_lives, lt_dtype                                     */
	lt_tnode owner;                 /* LOCAL: the loop that it lives in an iteration of, -1: its root nest; else -1 */
	int32_t buffers;                /* of a copy that is made ahead: how many in turn; 1           */
	int64_t elements, bytes;        /* of all its buffers, with the gaps of its layout; extents at their maximum */
	const int64_t *extent;          /* elements that are held along each dim                       */
	int32_t n_extent, reserved;
	const char *name;               /* of the node, without %                                      */
	const char *owner_path;         /* NULL: no owner                                              */
	const char *layout;             /* "[n/64 k n] pad 8"; NULL: in the order of its dims          */
};
/* By node of the tree's own graph (lt_looptree_graph): struct lt_allocation each.  Kept with the tree, and the texts
 * too: valid until lt_looptree_free.  LT_EINVAL: the tree is not finished; LT_EOVERFLOW: a size exceeds 63 bits. */
LT_API lt_status lt_looptree_allocations(struct lt_looptree *, struct lt_array *out);

#ifdef __cplusplus
}
#endif
#endif
