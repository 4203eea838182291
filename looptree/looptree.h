/* looptree/looptree.h -- the loop tree as the library sees it, and what is derived from it.
 *
 * A tree is nodes linked parent, first child, next sibling; lt/looptree.h says what they mean.  From the tree
 * and the graph follow: the accesses of a leaf (access.c), where each value lives (scope.c), and the frozen
 * tree of each root (freeze.c).
 */
#ifndef LT_LOOPTREE_LOOPTREE_H
#define LT_LOOPTREE_LOOPTREE_H
#include "ir/affine.h"
#include "ir/graph.h"
#include "lt/looptree.h"
#include "lt/target.h"

struct lt_tnodedef {
	enum lt_tnode_kind kind;
	lt_tnode parent, child, last, next;
	lt_var var;
	int64_t step;
	enum lt_loop_kind loop;
	int32_t arg;                    /* width of a vector, axis of a grid */
	enum lt_tail tail;
	lt_node leaf;
	const char *call;               /* routine of LT_CALL, instruction of LT_TILE; else NULL */
	int32_t line;                   /* of the text that it was read from; 0: none */
};
/* Where a value that a leaf writes lives. */
struct lt_scope {
	bool whole;                     /* in a buffer that outlives its root nest */
	lt_tnode owner;                 /* local: the loop in whose trip it lives; -1: the root nest itself */
	int64_t *extent;                /* local: elements held, one a dim */
};
struct lt_looptree {
	struct lt_context *ctx;
	struct lt_arena *arena;
	const struct lt_graph *graph;   /* borrowed */
	struct lt_tnodedef *node; int32_t n_node, cap_node;
	lt_tnode root, last_root;
	int32_t n_root;
	lt_tnode *leaf_of;              /* by graph node: its leaf, or -1 */
	struct lt_leaf **leaf;          /* by graph node: its accesses, or NULL (lt__leaf) */
	struct lt_scope *scope;         /* by graph node; set by lt_looptree_finish */
	bool plain;                     /* every read on a shared loop is in place: the rules of check.c order all data */
	int64_t budget;                 /* isl operations of one question of the exact check; 0: the usual number */
	const char *target;             /* name of the target that it was made for, or NULL */
	const char *file;               /* of the text that it was read from, for messages, or NULL */
};

/* looptree/access.c: what a leaf touches. */
enum { LT_PIECE_READ, LT_PIECE_IMMEDIATE, LT_PIECE_INDEX };
struct lt_readpiece {
	int kind;
	lt_node base;                   /* READ: a node with storage: a source or a leaf; else -1 */
	uint64_t bits;                  /* IMMEDIATE */
	struct lt_map map;              /* over the leaf's vars: guards, and rows: indices of base, or (INDEX) the value */
};
struct lt_read { int32_t n_piece; enum lt_dtype dtype; struct lt_readpiece *piece; };
struct lt_leaf {
	int32_t n_var, n_out;           /* the leaf's own vars; the first n_out are the result's (update: the part's) */
	lt_var *var;
	int32_t n_read;
	struct lt_read *read;           /* operands in order; of an update: the part alone */
	/* gather: read[0] is indexed along a column that stands behind the leaf's vars (column n_var of its maps);
	 * read[1] is the index. */
	bool gather;
};
/* Whether a node has a leaf of its own in a default tree (a view, a literal, a source has none). */
bool lt__has_leaf(const struct lt_graph *, lt_node);
/* The accesses of a node's leaf, computed once per tree. */
lt_status lt__leaf(struct lt_looptree *, lt_node, const struct lt_leaf **out);
/* The same without a tree. */
lt_status lt__leaf_access(const struct lt_graph *, struct lt_arena *, lt_node, struct lt_leaf **out);
/* Where the leaf writes: its own vars, an update's moved by its offset. */
void lt__leaf_dest(const struct lt_graph *, struct lt_arena *, lt_node, const struct lt_leaf *, struct lt_map *out);
/* Whether row i of the map is exactly column x (of the dims). */
bool lt__row_is(const struct lt_map *, int32_t i, int32_t x);
/* Position of var in the leaf's vars, -1: it has none. */
int32_t lt__leaf_column(const struct lt_leaf *, lt_var);

/* looptree/scope.c */
lt_status lt__fill_scopes(struct lt_looptree *);
/* looptree/check.c: the rules of a tree's shape and of data flow between its leaves.  Sets `plain`: reads of other trips'
 * elements are not refused here but left to the exact check. */
lt_status lt__check_tree(struct lt_looptree *);
/* looptree/prove.c: whether a tree that passed the rules and has scopes is legal.  lt__prove_tree always asks isl,
 * lt__verify_tree only where the structure does not tell. */
lt_status lt__verify_tree(struct lt_looptree *);
lt_status lt__prove_tree(struct lt_looptree *);

/* A partial last trip is run with tail guard only: refuses any other tail there, so that nothing else runs than the text says. */
lt_status lt__check_tails(const struct lt_looptree *);

/* Tree helpers (looptree.c). */
/* A failure at a tree node: "file:line: " before the sentence, where the tree was read from a text. */
lt_status lt__tree_fail(const struct lt_looptree *, lt_tnode at, lt_status, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool lt__is_above(const struct lt_looptree *, lt_tnode above, lt_tnode at);     /* proper ancestor */
lt_tnode lt__root_of(const struct lt_looptree *, lt_tnode);
lt_tnode lt__common(const struct lt_looptree *, lt_tnode, lt_tnode);            /* lowest common ancestor, -1 */
/* Outermost loop above leaf that reduces a var of node; -1: node does not reduce (or only over no loop). */
lt_tnode lt__reducing_loop(const struct lt_looptree *, lt_node);
bool lt__reduces(const struct lt_graph *, lt_node, lt_var);
/* Outermost first; returns their number; out may be NULL. */
int32_t lt__loops_above(const struct lt_looptree *, lt_tnode at, lt_tnode *out);
/* Marks the node, and the sources of a view that is written through: what a result or a state's content is made by. */
void lt__mark_written(const struct lt_graph *, lt_node, bool *mark);
/* Whether a node is computed before the first run: it depends on constants and on nothing that changes from run to run, or is
 * made of literals and positions and read by such a node. */
bool *lt__constant_nodes(const struct lt_graph *, struct lt_arena *);
#endif
