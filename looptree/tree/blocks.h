/* blocks.h -- a view cut into blocks: boxes of its elements, each of which shows one piece.
 *
 * A copy of more than LT_MAX_PIECES pieces is made block by block, by the program and not by a kernel: a kernel would
 * ask for each element which of them it is, and its text would grow with their number.
 */
#ifndef LT_LOOPTREE_TREE_BLOCKS_H
#define LT_LOOPTREE_TREE_BLOCKS_H
#include "looptree/tree/tree.h"

/* Elements low <= index < high along each dim; piece: what they show. */
struct lt_cell { int32_t piece; int64_t *low, *high; };
struct lt_cells { int32_t n, cap; struct lt_cell *at; };

/* Cuts a box of `rank` extents by the guards of n maps over it, of which the first that holds counts.  Where none does
 * `piece` is n.  Cells are disjoint and fill the box.  False: the guards are no boxes of fixed numbers, or too tangled
 * for few cells. */
bool lt__cells_cut(struct lt_arena *, int32_t rank, const int64_t *extent, int32_t n, const struct lt_map *const *map,
	struct lt_cells *out);
/* The rows of a map as one sum over [1 | params | dims], each row with its stride.  False: a floor division does not
 * cancel out, or 63 bits are exceeded. */
bool lt__flat_row(const struct lt_map *, const int64_t *stride, int64_t *out);
/* Strides of a value that is dense and row-major, in elements. */
void lt__dense_strides(const struct lt_graph *, lt_node, int64_t *stride);

/* Whether node n is a copy of so many pieces that the program makes it; its accesses are known. */
bool lt__is_many(const struct lt_graph *, lt_node n, const struct lt_leaf *);
/* Whether node n is a copy of constants, and of values, that the program can make by blocks before the first run. */
bool lt__is_constant_copy(const struct lt_graph *, struct lt_arena *, lt_node n, const struct lt_leaf *);
/* Whether the elements of a value that has no leaf lie in memory as blocks do: no piece is computed, or needs a floor
 * division or a guard that a run-time scalar moves. */
lt_status lt__is_plain(const struct lt_graph *, struct lt_arena *, lt_node, bool *plain);
#endif
