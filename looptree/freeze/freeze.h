/* freeze.h -- from a root nest to a frozen tree (lt/tree.h).
 *
 * A frozen tree is what backends are given: one root nest with every access as a row of numbers.  Freezing knows the
 * memory that outlives a kernel (struct lt_fmemory), and what it makes is final: nothing refers to the loop tree but
 * messages.
 */
#ifndef LT_LOOPTREE_FREEZE_FREEZE_H
#define LT_LOOPTREE_FREEZE_FREEZE_H
#include "looptree/call/call.h"
#include "looptree/tree/tree.h"
#include "lt/tree.h"

/* Where a whole value lies: element (i0, i1 ..) is at offset + sum stride[d]*i_d, in elements of the storage. */
struct lt_location { int32_t storage; int64_t offset; int64_t *stride; };
/* What freezing knows of the memory that outlives a kernel; program/storage/storage.h decides it.  A storage is one
 * piece of it: role says what its buffer is to a kernel, aligned that it begins at a multiple of 64 bytes. */
struct lt_fstorage { int32_t role; enum lt_dtype dtype; bool aligned; int64_t elems; };   /* role: enum lt_role */
struct lt_fmemory {
	int32_t n_storage;
	const struct lt_fstorage *storage;
	const struct lt_location *location;     /* by graph node; storage -1: not whole */
	int32_t param_storage;                  /* int64 values of the graph's params, in order; -1: none */
};

/* alias.c: whether the view can be written through; fills the location of each operand (storage left alone). */
bool lt__alias_result(const struct lt_graph *, struct lt_arena *, lt_node view, struct lt_location *);

/* A call of a frozen tree for messages: where it is, why it has no pattern (NULL: it has one), and else the nodes of
 * its operands; name: of the ops and reads of its description. */
enum { LT_CALL_NAMES = 5 };
struct lt_call_rounding { lt_node node; enum lt_dtype to; };
struct lt_call_reason {
	lt_tnode at; const char *why, *where; lt_node operand[LT_CALL_NAMES];
	struct lt_call_names name;      /* of its description; NULL without one */
	const lt_node *unrounded; int32_t n_unrounded;  /* the casts whose roundings it lets a routine leave out */
	const struct lt_call_rounding *rounded; int32_t n_rounded;      /* what it lets a routine round */
	bool own;                       /* the graph has a call of a kernel of the user's own of its name */
};
/* A slot of the frozen tree: `elems` elements of a storage from `offset` on. */
struct lt_bind { int32_t storage; int64_t offset, elems; bool written, read; };
/* The line of the tree that a frozen loop is a copy of; -1: none by itself (resets, and what is inside of combines).
 * part: the remainder of a peeled loop, a copy ahead of it, the combines after it. */
struct lt_loopline { lt_tnode at; bool part; };
struct lt_frozen {
	struct lt_tree tree;
	lt_tnode root;
	int32_t n_bind;
	struct lt_bind *bind;
	lt_node *node;                  /* by statement */
	const struct lt_loopline *line; /* by loop: for what is reported of the tree's lines */
	struct lt_call_reason *call;       /* by call */
};
/* Where a slot is sure to begin that is so many bytes behind the begin of its storage: at a multiple of the largest
 * power of two, at most 64, that divides them; else of an element. */
int64_t lt__slot_align(int64_t bytes, int64_t element, bool whole_is_aligned);
/* Elements of memory that value n takes, of which `extent` are held along its dims, by its layout. */
lt_status lt__held_elems(const struct lt_looptree *, lt_node n, const int64_t *extent, int64_t *out);
/* How many numbers a digit of a layout counts. */
int64_t lt__digit_extent(const struct lt_digit *, const int64_t *extent);
/* Freezes every root nest, in order.  *failed: the one that cannot be. */
lt_status lt__freeze(struct lt_looptree *, const struct lt_fmemory *, struct lt_arena *, struct lt_frozen **out,
	lt_tnode *failed);

/* check.c: a call that is a product, as rows of a table are asked about it. */
void lt__call_shape(const struct lt_looptree *, const struct lt_frozen *, int32_t call, struct lt_callshape *out);
/* LT_OK, or why a call or tile in the nest is none that the target's tables have.  A target without a table is
 * not asked. */
lt_status lt__check_calls(const struct lt_looptree *, const struct lt_frozen *, const struct lt_target *);

/* -- a frozen tree as text: for people, and as a key. */
/* Its tables with names: loops, buffers, statements with their rows. */
void lt__show_frozen(struct lt_text *, const struct lt_tree *);
/* What each statement touches: rows, guards, strides along each loop, bytes touched by all iterations of a loop and
 * those inside. */
void lt__show_access(struct lt_text *, const struct lt_tree *);
/* canonical.c: lt_tree.text, of all else in it. */
void lt__tree_canonical(struct lt_text *, const struct lt_tree *);
#endif
