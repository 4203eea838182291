/* looptree/freeze.h -- from a root nest to a frozen tree (lt/tree.h).
 *
 * Freezing walks the nest once.  Rows are sparse while it is built, since params, loops and divs are still being
 * counted, and are written out dense at the end.
 */
#ifndef LT_LOOPTREE_FREEZE_H
#define LT_LOOPTREE_FREEZE_H
#include "looptree/looptree.h"

/* A piece of memory that outlives a kernel. */
enum lt_space { LT_SPACE_INPUT, LT_SPACE_CONSTANT, LT_SPACE_STATE, LT_SPACE_RESULT, LT_SPACE_WORKSPACE, LT_SPACE_PREPARED,
	LT_SPACE_PARAM };
struct lt_storage {
	enum lt_space space;
	int32_t port;                   /* number of the input, constant, state or result */
	enum lt_dtype dtype;
	int64_t elems;
	int32_t first, last;            /* steps of the program that use it; -1: none yet (program/plan.c) */
	int64_t offset;                 /* bytes, in WORKSPACE and PREPARED */
};
/* Where a whole value lies: element (i0, i1 ..) is at offset + sum stride[d]*i_d, in elements of storage. */
struct lt_place { int32_t storage; int64_t offset; int64_t *stride; };
struct lt_places {
	int32_t n_storage, cap_storage;
	struct lt_storage *storage;
	struct lt_place *place;         /* by graph node; storage -1: not whole */
	int32_t param_storage;          /* int64 values of the graph's params, in order; -1: none */
};

/* A slot of the frozen tree: `elems` elements of a storage from `offset` on. */
struct lt_bind { int32_t storage; int64_t offset, elems; bool written, read; };
struct lt_frozen {
	struct lt_tree tree;
	lt_tnode root;
	int32_t n_bind;
	struct lt_bind *bind;
	lt_node *node;                  /* by statement */
	int64_t flops, bytes;           /* of one launch; bytes: each slot once read, once written */
};
/* Freezes every root nest, in order. */
lt_status lt__freeze(struct lt_looptree *, const struct lt_places *, struct lt_arena *, struct lt_frozen **out);

/* --- between freeze.c, freeze_row.c and freeze_write.c --- */
enum { LT_TERM_PARAM, LT_TERM_LOOP, LT_TERM_DIV };
struct lt_term { int32_t kind, at; int64_t coef; };
struct lt_row { int64_t constant; int32_t n, cap; struct lt_term *term; };
struct lt_fdiv { struct lt_row row; int64_t den; int32_t loop; };
struct lt_floop { int32_t parent, first_stmt, n_stmt, first_bound, n_bound; lt_tnode at; int64_t max_trips; int32_t primes; };
struct lt_fbuffer {
	lt_node node;                   /* local: its value; else -1 */
	int32_t storage;                /* whole: its storage; else -1 */
	enum lt_dtype dtype;
	int64_t elems, low, high;       /* low, high: hull of the accesses to a whole one */
	int32_t scope, slot;
	bool written, read;
	const char *name;
};
struct lt_faccess { int32_t buffer; struct lt_row row; int32_t index; int64_t index_extent, index_stride; int32_t first_bound, n_bound; };
struct lt_fpiece { int32_t kind, access; struct lt_row row; int32_t first_guard, n_guard; uint64_t bits; };
/* A loop on the way from the root to a leaf: var, step and the frozen loop. */
struct lt_step { lt_var var; int64_t step; int32_t loop; lt_tnode at; };
struct lt_freezer {
	struct lt_looptree *t;
	const struct lt_graph *g;
	const struct lt_places *layout;
	struct lt_arena *a;
	/* by tree node, kept over all roots */
	lt_node *first_reset, *next_reset;      /* by loop; by graph node: reductions that begin there */
	int32_t *param_of;                      /* by graph param: kernel param, -1 */
	int32_t *buffer_of_node, *buffer_of_storage;
	/* of the kernel in hand */
	struct lt_step *path; int32_t n_path, cap_path;
	lt_param *param; int32_t n_param, cap_param;
	int32_t *param_buffer; int32_t cap_param_buffer;
	struct lt_floop *loop; int32_t n_loop, cap_loop;
	struct lt_fdiv *div; int32_t n_div, cap_div;
	struct lt_fbuffer *buffer; int32_t n_buffer, cap_buffer;
	struct lt_faccess *access; int32_t n_access, cap_access;
	struct lt_fpiece *piece; int32_t n_piece, cap_piece;
	struct lt_operand *operand; int32_t n_operand, cap_operand;
	struct lt_row *guard; int32_t n_guard, cap_guard;
	struct lt_row *bound; int32_t n_bound, cap_bound;
	struct lt_stmt *stmt; int32_t n_stmt, cap_stmt;
	lt_node *stmt_node; int32_t cap_stmt_node;
	struct lt_op *op; int32_t n_op, cap_op;
	uint64_t needs;
};
/* freeze_row.c */
/* Row i of a map over a leaf's columns as a row over the loops of the path; loops up to path[below] are left out (-1: none). */
void lt__freeze_row(struct lt_freezer *, const struct lt_leaf *, const struct lt_map *, const int64_t *row, int32_t below, struct lt_row *out);
/* The bound rows and static trips of a new loop inside the path. */
void lt__freeze_bounds(struct lt_freezer *, lt_var, int64_t step, struct lt_floop *);
/* An access of `base` at the rows of the map; dest: written. */
lt_status lt__freeze_access(struct lt_freezer *, const struct lt_leaf *, lt_node base, const struct lt_map *, bool dest, int32_t *out);
int32_t lt__freeze_param(struct lt_freezer *, lt_param);
/* A bound row: constant + sum of params. */
int32_t lt__freeze_limit(struct lt_freezer *, const struct lt_linear *);
/* freeze_write.c */
lt_status lt__freeze_write(struct lt_freezer *, lt_tnode root, int32_t number, struct lt_frozen *out);
#endif
