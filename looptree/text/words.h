/* words.h -- what writing and reading the text of a tree (docs/tree.md) share. */
#ifndef LT_LOOPTREE_TEXT_WORDS_H
#define LT_LOOPTREE_TEXT_WORDS_H
#include "looptree/tree/tree.h"

enum { LT_TREE_VERSION = 1 };

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
#endif
