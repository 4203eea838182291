/* words.h -- what writing and reading the text of a tree (docs/tree.md) share. */
#ifndef LT_LOOPTREE_TREE_WORDS_H
#define LT_LOOPTREE_TREE_WORDS_H
#include "looptree/tree/tree.h"

enum { LT_TREE_VERSION = 1 };

/* The words for kinds, with their argument: "grid.x" is LT_GRID with argument 0.  named: a routine's name follows. */
struct lt_kindword { const char *word; enum lt_loop_kind kind; int32_t arg; bool named; };
const struct lt_kindword *lt__kind_word(enum lt_loop_kind, int32_t arg);
const struct lt_kindword *lt__kind_find(const char *word, size_t bytes);        /* NULL: no such */
const char *lt__tail_word(enum lt_tail);
int lt__tail_find(const char *word, size_t bytes);                              /* -1: no such */
/* All words that may be after a loop's name. */
extern const char *const lt__loop_words[];

/* "m'": the var, and a prime for each loop over it further out. */
void lt__text_loop(struct lt_text *, const struct lt_looptree *, lt_tnode loop);
void lt__text_linear(struct lt_text *, const struct lt_graph *, const struct lt_linear *);       /* "1 + 2*p" */
void lt__text_dims(struct lt_text *, const struct lt_graph *, lt_node);         /* "[m n]" */
void lt__text_operands(struct lt_text *, const struct lt_graph *, lt_node);     /* "%a %b"; nothing if it has none */
void lt__text_attribute(struct lt_text *, const struct lt_graph *, lt_node);    /* "axis 0", "at 0 + p, 3"; nothing */
/* The loops around a leaf's place that its reduction runs over: "[k k']"; parent: the tree node it is in. */
lt_status lt__text_reduced(struct lt_text *, struct lt_looptree *, lt_node, lt_tnode parent);
/* By var: whether a node has it as a dim, and so the header names it. */
bool *lt__vars_used(const struct lt_graph *, struct lt_arena *);
/* A number that changes with anything of the graph but the places of its nodes in a script. */
lt_status lt__graph_fingerprint(const struct lt_graph *, uint64_t *out);

/* Further facts of a tree's lines, by tree node; NULL: none, several with a newline between each two.  before: lines of
 * their own in front of it; on: behind its own. */
struct lt_treecomments { const char **before, **on; };
/* lt_looptree_print with these; NULL: none. */
lt_status lt__looptree_print(const struct lt_looptree *, const struct lt_treecomments *,
	void (*write)(void *, const char *, size_t), void *user);

/* looptree/count/facts.c: of one run of each loop or group (all its iterations, within one iteration of what is around
 * it). */
struct lt_fact {
	/* flops: of what is computed, each element once; bytes: of values that live outside, each element once, at
	 * most */
	int64_t flops, bytes;
	int64_t executed;               /* flops that run, padding and repetition included; -1: the tree cannot be frozen */
};
lt_status lt__fill_facts(struct lt_looptree *, struct lt_arena *, struct lt_fact *by_tnode);
#endif
