/* lt/looptree.h -- a loop tree: which loops, in which order, over which nodes of a graph.
 *
 * Inner nodes are loops (a var, a step, a kind) or groups; leaves are nodes of the graph, run once for each
 * iteration of the loops around them.  The outermost loop over a var covers its extent in steps of `step`; a loop
 * over the same var further in covers [0, step of the loop around it); the innermost has step 1.
 * Nodes of the tree are indices; -1 is none.  The order of children is the order of execution.
 *
 * A tree that is finished does not change.  lt_looptree_auto and lt_looptree_parse give finished ones; one that is
 * built by hand is finished by lt_looptree_finish, and only then walked, printed or verified.
 * The graph is borrowed: it outlives its trees.  A tree is used by one thread at a time, as is the context of its
 * graph, which failures are reported to.  No argument may be NULL unless its function says so.
 */
#ifndef LT_LOOPTREE_H
#define LT_LOOPTREE_H
#include "lt/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_looptree;
typedef int32_t lt_tnode;
enum lt_tnode_kind { LT_TLOOP, LT_TGROUP, LT_TLEAF };
/* What a leaf does with an element; values are pinned.  ADD: combines it with what a reduction has so far; RESET:
 * begins a reduction, before the leaf's outermost reducing loop. */
enum lt_does { LT_DOES_READ = 1, LT_DOES_WRITE, LT_DOES_ADD, LT_DOES_RESET };

LT_API int32_t lt_looptree_count(const struct lt_looptree *);           /* nodes are 0 .. count-1 */
LT_API const struct lt_graph *lt_looptree_graph(const struct lt_looptree *);
LT_API lt_tnode lt_looptree_root(const struct lt_looptree *);           /* first root; its siblings are the others */
LT_API lt_tnode lt_looptree_parent(const struct lt_looptree *, lt_tnode);
LT_API lt_tnode lt_looptree_child(const struct lt_looptree *, lt_tnode);        /* first */
LT_API lt_tnode lt_looptree_next(const struct lt_looptree *, lt_tnode);         /* sibling */
LT_API enum lt_tnode_kind lt_looptree_kind(const struct lt_looptree *, lt_tnode);
/* Of a loop.  The kind of a group is LT_GROUP, or LT_CALL if it is handed to a routine. */
LT_API lt_var lt_looptree_var(const struct lt_looptree *, lt_tnode);
LT_API int64_t lt_looptree_step(const struct lt_looptree *, lt_tnode);
LT_API int64_t lt_looptree_trip_count(const struct lt_looptree *, lt_tnode); /* at most */
LT_API enum lt_loop_kind lt_looptree_loop_kind(const struct lt_looptree *, lt_tnode);
LT_API enum lt_tail lt_looptree_tail(const struct lt_looptree *, lt_tnode);
/* Of a leaf. */
LT_API lt_node lt_looptree_leaf(const struct lt_looptree *, lt_tnode);
/* Walks: the node after `at` depth first (-1: begin with the first root; gives -1 at the end), and the leaves in
 * data order (a leaf after the leaves it reads), which is the order of execution. */
LT_API lt_tnode lt_looptree_after(const struct lt_looptree *, lt_tnode at);
LT_API lt_tnode lt_looptree_leaf_after(const struct lt_looptree *, lt_tnode at);

/* A node as plain data, for who draws or edits trees: what stands in its line of the text, and what steps of a
 * schedule (lt/schedule.h) call it. */
struct lt_treeline {
	lt_tnode at;                    /* the node itself                                            */
	lt_tnode parent, child, next;   /* -1: none                                                   */
	int32_t depth, kind;            /* how many are around it; enum lt_tnode_kind                 */
	const char *name;               /* "m'", "group", "%c"                                        */
	const char *path;               /* what a step calls it: "m'", "%c/m'" where several have that name, "%c" */
	const char *text, *facts;       /* the line without blanks in front, up to its comment; the comment */
	/* Of a loop; what a group or leaf does not have is -1, 0 or NULL. */
	lt_var var;
	int32_t axis;                   /* of a grid or block loop: 0, 1, 2; of a vector loop 0       */
	int64_t extent, step;           /* elements of the var that it covers, and in one iteration   */
	int64_t trip_count;             /* iterations, at most                                        */
	int32_t loop_kind, tail;        /* enum lt_loop_kind, of a group, too; enum lt_tail           */
	const char *how;                /* loop_kind and axis in words: "parallel", "grid.x", "call"  */
	const char *routine;            /* of call and tile                                           */
	/* Of a leaf. */
	lt_node leaf;                   /* of the tree's own graph (lt_looptree_graph)                */
	int32_t line, column;           /* of the script; 0: not known                                */
	int32_t buffers;                /* of a copy: how many in turn; 1                             */
	uint32_t async, stream;         /* 1: copies are begun and waited for; written past the caches */
	/* Of all iterations of what is inside, within one of what is around; run-time extents at their maximum.
	 * executed: -1: not known (struct lt_work says what counts) */
	int64_t flops, executed, bytes;
};
/* All nodes of a finished tree in the order of its text, struct lt_treeline each (LT_AT).  Kept with the tree, texts,
 * too: valid until lt_looptree_free.  Not cheap the first time: operations are counted.  LT_EINVAL: the tree is not
 * finished. */
LT_API lt_status lt_looptree_lines(struct lt_looptree *, struct lt_array *out);
/* The node that steps call by this path: "m'", "%c/m'", "group", "%c" (the leaf).  LT_EILLEGAL, LT_ESYNTAX: there is
 * none, or there are several, with a sentence that names some. */
LT_API lt_status lt_looptree_find(const struct lt_looptree *, const char *path, lt_tnode *out);

/* The default tree of a graph. */
struct lt_target;
LT_API lt_status lt_looptree_auto(const struct lt_graph *, const struct lt_target *, struct lt_looptree **out);
LT_API void lt_looptree_free(struct lt_looptree *);             /* NULL: nothing */
/* Text form: docs/tree.md.  Printing a parsed tree gives the text of the same tree.  Parsing checks the text against
 * the graph and the tree as lt_looptree_finish does; file (may be NULL) is named in messages, with line and column. */
LT_API lt_status lt_looptree_print(const struct lt_looptree *, void (*write)(void *, const char *, size_t), void *user);
LT_API lt_status lt_looptree_parse(
	const struct lt_graph *, const char *text, size_t bytes, const char *file, struct lt_looptree **out);
/* Writes what two texts of trees differ in, by line; nothing, and *same 1, if only facts and blanks do.  Needs no
 * graph. */
LT_API lt_status lt_looptree_diff(struct lt_context *, const char *a, size_t a_bytes, const char *a_file,
	const char *b, size_t b_bytes, const char *b_file, int *same, void (*write)(void *, const char *, size_t), void *user);

/* Building one by hand.  parent -1: a root; children are added in order of execution.  lt_looptree_add_... gives the
 * new node, -1 on failure: check each, as -1 for a parent makes a root.  lt_looptree_finish checks the rules of this
 * header (loops over one var nest with steps that do not grow, a leaf has a loop over each of its vars down to step 1,
 * reads come after writes, reductions are complete) and derives scopes.  A tree that fails in it can only be freed. */
LT_API lt_status lt_looptree_new(const struct lt_graph *, struct lt_looptree **out);
LT_API lt_tnode lt_looptree_add_loop(struct lt_looptree *, lt_tnode parent, lt_var, int64_t step);
LT_API lt_tnode lt_looptree_add_group(struct lt_looptree *, lt_tnode parent);
LT_API lt_tnode lt_looptree_add_leaf(struct lt_looptree *, lt_tnode parent, lt_node);
LT_API lt_status lt_looptree_finish(struct lt_looptree *);
/* Proves a finished tree legal exactly, by isl, even where its structure already shows it: every read of an element
 * comes after its write, no storage cell is overwritten before its last reader, and no parallel, vector, grid or block
 * loop carries a dependence.  LT_EILLEGAL with one violating pair of iterations, or where it could not be proven within
 * a budget. */
LT_API lt_status lt_looptree_verify(struct lt_looptree *);

#ifdef __cplusplus
}
#endif
#endif
