/* tree.h -- the loop tree as the library sees it, and what is derived from it.
 *
 * A tree is nodes linked parent, first child, next sibling; lt/looptree.h says what they mean.  From the tree
 * and the graph follow: the accesses of a leaf (access.c), where each value lives (scope.c), and the frozen
 * tree of each root (freeze/freeze.c).
 */
#ifndef LT_LOOPTREE_TREE_TREE_H
#define LT_LOOPTREE_TREE_TREE_H
#include "base/sets.h"
#include "ir/map/map.h"
#include "ir/graph/graph.h"
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
	bool stream;                    /* of a leaf: its value goes to memory past the caches */
	int32_t depth;                  /* of a copy's leaf: buffers in turn; 0, 1: one */
	bool async;                     /* with a depth: copies are begun, and waited for when they are needed */
	const char *call;               /* routine of LT_CALL, instruction of LT_TILE; else NULL */
	int32_t line;                   /* of the text that it was read from; 0: none */
};
/* The order of a value's elements in memory, slowest digit first.  The digits of a dim cut its index i: floor((i mod
 * span) / step), span 0: to the end.  Each span is the next larger step of the dim's digits, and each dim has one of
 * step 1.  After each run of a digit, with all that its faster ones count, `pad` elements are left free. */
struct lt_digit { int32_t dim; int64_t step, span, pad; };
/* swizzle: in bytes (struct lt_buffer), 0: none. */
struct lt_memlayout { int32_t n; struct lt_digit *digit; int32_t swizzle; };
enum { LT_MAX_DEPTH = 1024 };
/* Levels of a tree; also of one that is read. */
enum { LT_TREE_DEPTH = 256 };
/* Where a value that a leaf writes lives. */
struct lt_scope {
	bool whole;                     /* in a buffer that outlives its root nest */
	lt_tnode owner;                 /* local: the loop in whose iteration it lives; -1: the root nest itself */
	int64_t *extent;                /* elements held, one a dim; multiples of `unit` */
	/* by dim: its leaf's loops are padded to multiples of this, and so are its cells; 0: they are not */
	int64_t *unit;
};
/* Two iterations of loops that are in each other's way (enum lt_violation_kind of lt/schedule.h), in numbers: what each
 * does with the value, by a loop's var where it is.  Memory is the tree's. */
struct lt_clash_side { lt_node node; int32_t does, n; lt_var *var; int64_t *at; };
struct lt_clash {
	int32_t kind;
	lt_node value;
	lt_tnode loop;                  /* whose iterations run in any order; -1: they run one after the other */
	int32_t n_element, n_found, n_param;
	int64_t *element, *found;       /* what is meant, and what is there instead */
	lt_param *param; int64_t *param_value;
	struct lt_clash_side side[2];   /* the later one second */
};
/* Why a default tree has the nest of a node as it is; not in its text, and not of a tree that was made from it. */
struct lt_tnote { lt_node node; const char *text; };
/* The nodes that a tree added to its graph (looptree/derive/derive.h): the graph that has them, and the steps that made
 * it.  Shared by the trees that were made from each other. */
struct lt_derived { int32_t refs; struct lt_graph *graph; int32_t n_step; const struct lt_derived_step *step; };
struct lt_looptree {
	struct lt_context *ctx;
	struct lt_arena *arena;
	const struct lt_graph *graph;   /* what the leaves stand for: borrowed, or the tree's own (derived) */
	const struct lt_graph *base;    /* borrowed: the graph that the tree was made for, without the tree's derived nodes */
	struct lt_derived *derived;             /* the tree's derived nodes, NULL: none */
	struct lt_tnodedef *node; int32_t n_node, cap_node;
	lt_tnode root, last_root;
	int32_t n_root;
	lt_tnode *leaf_of;              /* by graph node: its leaf, or -1 */
	struct lt_leaf **leaf;          /* by graph node: its accesses, or NULL (lt__leaf) */
	struct lt_memlayout **layout;      /* by graph node: of a value that is not a result, state or source; NULL: in the
	                                    * order of its dims */
	struct lt_scope *scope;         /* by graph node; set by lt_looptree_finish */
	bool plain;                     /* every read on a shared loop is in place: legality/check.c orders all data */
	int64_t budget;                 /* isl operations of one question of the exact check; 0: the usual number */
	struct lt_tnote *note; int32_t n_note, cap_note;
	lt_tnode *failed;               /* what lt__tree_fail was about last; -1: nothing */
	const char *target;             /* name of the target that it was made for, or NULL */
	const char *steps;              /* of a default tree: the primitives that made it of the plain one; NULL: none */
	const char *file;               /* of the text that it was read from, for messages, or NULL */
	struct lt_clash *clash;         /* what the last failure of the exact check is about; kind 0: nothing */
	const struct lt_treeline *line; /* by place in the text (lt_looptree_lines); NULL: not made yet */
	const struct lt_allocation *allocation; /* by graph node (lt_looptree_allocations); NULL: not made yet */
};

/* build.c: t shares the derived nodes of `from`, over the same base; one tree less shares them. */
void lt__derived_share(struct lt_looptree *t, const struct lt_looptree *from);
void lt__derived_drop(struct lt_derived *);

/* access.c: what a leaf touches. */
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
	/* After them in `var` and in the columns of the reads' maps: numbers of iterations (lt_vardef.of) of loops over the
	 * leaf's vars, by which windows are read that are copied once per iteration. */
	int32_t n_trip;
	lt_var *var;
	int32_t n_read;
	struct lt_read *read;           /* operands in order; of an update: the part alone */
	/* gather: read[0] is indexed along a column that is after the leaf's vars (column n_var of its maps);
	 * read[1] is the index. */
	bool gather;
};
/* Whether a node has a leaf of its own in a default tree (a view, a literal, a source has none). */
bool lt__has_leaf(const struct lt_graph *, lt_node);
/* The accesses of a node's leaf, computed once per tree. */
lt_status lt__leaf(struct lt_looptree *, lt_node, const struct lt_leaf **out);
/* The same without a tree. */
lt_status lt__leaf_access(const struct lt_graph *, struct lt_arena *, lt_node, struct lt_leaf **out);
/* What shows node n, over its own dims: itself, or through views what these show. */
lt_status lt__node_read(const struct lt_graph *, struct lt_arena *, lt_node n, struct lt_read *out);
/* Where the leaf writes: its own vars, an update's moved by its offset. */
void lt__leaf_dest(const struct lt_graph *, struct lt_arena *, lt_node, const struct lt_leaf *, struct lt_map *out);
/* Whether row i of the map is exactly column x (of the dims). */
bool lt__row_is(const struct lt_map *, int32_t i, int32_t x);
/* Whether a node is a reduction over the var. */
bool lt__reduces(const struct lt_graph *, lt_node, lt_var);
/* Whether the node has the dim. */
static inline bool lt__has_dim(const struct lt_graph *g, lt_node n, lt_var v)
{
	return lt__has(g->node[n].dim, g->node[n].n_dim, v);
}
/* Position of var in the leaf's vars, -1: it has none. */
int32_t lt__leaf_column(const struct lt_leaf *, lt_var);
/* How far var v moves in an iteration of a loop over `over` in steps of `step`: the step of v's own loops, the
 * iterations of a loop that v numbers (lt_vardef.of); 0: the loop does not count v. */
int64_t lt__var_step(const struct lt_graph *, lt_var v, lt_var over, int64_t step);
/* Position in the leaf's vars of the one that a loop counts, -1: none.  A loop that is a dim of a partial sum counts
 * that dim. */
int32_t lt__loop_column(const struct lt_looptree *, const struct lt_leaf *, lt_tnode loop);

/* scope.c: where values live. */
/* In each iteration of `owner` (-1: all of it) the loops over v inside it, around `leaf`, run over all multiples of
 * this: a pad loop's step, which divides those of the loops between; 0: they do not. */
int64_t lt__pad_unit(const struct lt_looptree *, lt_tnode owner, lt_tnode leaf, lt_var v);
/* Whether loops of the kind have a constant extent. */
static inline bool lt__is_constant_kind(enum lt_loop_kind kind)
{
	return kind == LT_UNROLL || kind == LT_VECTOR || kind == LT_BLOCK;
}
/* A peeled loop whose remainder a run-time scalar says has a copy for each number of elements where its steps are at
 * most these, else one in which they are counted. */
enum { LT_MAX_COUNTED = 12 };
static inline bool lt__is_counted(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	return d->tail == LT_PEEL && d->step <= LT_MAX_COUNTED;
}
lt_status lt__fill_scopes(struct lt_looptree *);
/* Whether each iteration of the loop has cells of its own for the value; scopes are known. */
bool lt__is_private(const struct lt_looptree *, lt_node, lt_tnode loop);
/* walk.c: a tree asked. */
/* A failure at a tree node: "file:line: " before the sentence, where the tree was read from a text. */
lt_status lt__tree_fail(const struct lt_looptree *, lt_tnode at, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Nearest loop over its var around it, -1: none. */
lt_tnode lt__loop_around(const struct lt_looptree *, lt_tnode loop);
/* Elements of its var that a loop covers in a trip of what stands around it. */
int64_t lt__loop_span(const struct lt_looptree *, lt_tnode loop);
/* Its iterations where run-time scalars leave the fewest, at least one: what threads may count on. */
int64_t lt__min_trip_count(const struct lt_looptree *, lt_tnode loop);
/* Elements of a var that are always there, at least one. */
int64_t lt__min_extent(const struct lt_graph *, lt_var);
static inline const char *lt__leaf_name(const struct lt_looptree *t, lt_node n) { return t->graph->node[n].name; }
static inline const char *lt__loop_var_name(const struct lt_looptree *t, lt_tnode loop)
{
	return t->graph->var[t->node[loop].var].name;
}
bool lt__is_above(const struct lt_looptree *, lt_tnode above, lt_tnode at);     /* proper ancestor */
lt_tnode lt__root_of(const struct lt_looptree *, lt_tnode);
lt_tnode lt__common(const struct lt_looptree *, lt_tnode, lt_tnode);            /* lowest common ancestor, -1 */
/* Outermost loop above leaf that reduces a var of node; -1: node does not reduce (or only over no loop). */
lt_tnode lt__reducing_loop(const struct lt_looptree *, lt_node);
/* Whether a loop around the leaf of node (whose accesses are known) counts a var that node reduces over. */
bool lt__loop_reduces(const struct lt_looptree *, lt_node, lt_tnode loop);
/* Outermost first; returns their number; out may be NULL. */
int32_t lt__loops_above(const struct lt_looptree *, lt_tnode at, lt_tnode *out);

/* Buffers in turn of what the leaf of a copy writes; 1: one. */
int32_t lt__copy_depth(const struct lt_looptree *, lt_node);
/* The copy inside `child` that is made ahead in the loop `at`, alone in its nest; -1: none. */
lt_node lt__multibuffered_below(const struct lt_looptree *, lt_tnode at, lt_tnode child);

/* written.c */
/* Marks the node, and the sources of a view that is written through: what a result or a state's content is made by. */
void lt__mark_written(const struct lt_graph *, lt_node, bool *mark);
/* All that is so written, and what kernels of the user's own read and write: whole, in the order of its dims. */
void lt__mark_outside(const struct lt_graph *, bool *mark);
/* Whether a node is computed before the first run: it depends on constants and on nothing that changes from run to run,
 * or is made of literals and positions and read by such a node. */
bool *lt__constant_nodes(const struct lt_graph *, struct lt_arena *);

/* words.c */
/* The words for kinds, with their argument: "grid.x" is LT_GRID with argument 0.  named: a routine's name follows. */
struct lt_kindword { const char *word; enum lt_loop_kind kind; int32_t arg; bool named; };
const struct lt_kindword *lt__kind_word(enum lt_loop_kind, int32_t arg);
const struct lt_kindword *lt__kind_find(const char *word, size_t bytes);        /* NULL: no such */
const char *lt__tail_word(enum lt_tail);
int lt__tail_find(const char *word, size_t bytes);                              /* -1: no such */
/* All words that may be after a loop's name. */
extern const char *const lt__loop_words[];

/* -- loops and nodes by the names that steps and messages give them, and the words of a step. */
/* Words begin after the primitive's name. */
struct lt_step_word { const char *at; size_t bytes; };
struct lt_words { int32_t n; const struct lt_step_word *word; };

/* A group's is "group", with a prime for each group around it.  Texts are the context's scratch: the fourth after it
 * overwrites it. */
const char *lt__loop_name(const struct lt_looptree *, lt_tnode loop);   /* "m'" */
/* What lt__path_find finds: "m'", or "%C/m'" where there are several. */
const char *lt__loop_path(const struct lt_looptree *, lt_tnode loop);
/* "parallel", "call gemm", "serial, tail peel" */
const char *lt__loop_is(const struct lt_looptree *, lt_tnode loop);
/* The loop of that path; among the loops around the leaf of n, or among those that are not; n -1: among all. */
enum lt_path_where { LT_PATH_AROUND, LT_PATH_APART };
lt_status lt__path_find(const struct lt_looptree *, const struct lt_step_word *, lt_node n, enum lt_path_where,
	lt_tnode *out);
/* The loop or group of that path. */
lt_status lt__path_find_any(const struct lt_looptree *, const struct lt_step_word *, lt_tnode *out);
/* That, or the leaf of "%y". */
lt_status lt__path_find_line(const struct lt_looptree *, const struct lt_step_word *, lt_tnode *out);
/* What names no node: told with the nearest; leaf: of those that have a leaf. */
lt_status lt__path_no_node(const struct lt_looptree *, bool leaf, const char *name, size_t bytes);
/* "%y": a node that has a leaf. */
lt_status lt__path_leaf(const struct lt_looptree *, const struct lt_step_word *, lt_node *out);
bool lt__word_is(const struct lt_step_word *, const char *);
lt_status lt__word_number(const struct lt_looptree *, const struct lt_step_word *, const char *what, int64_t *out);

/* -- the order of a value's elements in memory (struct lt_memlayout), as text and checked. */
struct lt_step_word;
struct lt_words;
/* A copy of the digits, in the tree's arena, with `pad` more elements free after each run of the last. */
struct lt_memlayout *lt__layout_new(const struct lt_looptree *, int32_t n, const struct lt_digit *, int64_t pad);
/* From words "n/64", "pad", "8", "k": the digits of node n, slowest first; at the end, if it has one, "swizzle 128". */
lt_status lt__layout_read(const struct lt_looptree *, lt_node n, const struct lt_words *, struct lt_memlayout **out);
/* Whether the word begins what follows a digit. */
bool lt__layout_word_ends(const struct lt_step_word *);
/* "[n/64 pad 4 k n] pad 8" of a node that has a layout. */
void lt__layout_text(struct lt_text *, const struct lt_looptree *, lt_node n);
/* Results, states and what updates change have none. */
lt_status lt__check_layouts(const struct lt_looptree *);

/* -- a view cut into blocks: boxes of its elements, each of which shows one piece.
 *
 * A copy of more than LT_MAX_PIECES pieces is made block by block, by the program and not by a kernel: a kernel would
 * ask for each element which of them it is, and its text would grow with their number.
 */
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
