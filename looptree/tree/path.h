/* path.h -- loops and nodes by the names that steps and messages give them, and the words of a step. */
#ifndef LT_LOOPTREE_TREE_PATH_H
#define LT_LOOPTREE_TREE_PATH_H
#include "looptree/tree/tree.h"

/* Words begin after the primitive's name. */
struct lt_word { const char *at; size_t bytes; };
struct lt_words { int32_t n; const struct lt_word *word; };

/* A group's is "group", with a prime for each group around it.  Texts are the context's scratch: the fourth after it
 * overwrites it. */
const char *lt__loop_name(const struct lt_looptree *, lt_tnode loop);   /* "m'" */
/* What lt__path_find finds: "m'", or "%C/m'" where there are several. */
const char *lt__loop_path(const struct lt_looptree *, lt_tnode loop);
/* "parallel", "call gemm", "serial, tail peel" */
const char *lt__loop_is(const struct lt_looptree *, lt_tnode loop);
/* The loop of that path; among the loops around the leaf of n, or among those that are not; n -1: among all. */
enum lt_path_where { LT_PATH_AROUND, LT_PATH_APART };
lt_status lt__path_find(const struct lt_looptree *, const struct lt_word *, lt_node n, enum lt_path_where,
	lt_tnode *out);
/* The loop or group of that path. */
lt_status lt__path_find_any(const struct lt_looptree *, const struct lt_word *, lt_tnode *out);
/* What names no node: told with the nearest; leaf: of those that have a leaf. */
lt_status lt__path_no_node(const struct lt_looptree *, bool leaf, const char *name, size_t bytes);
/* "%y": a node that has a leaf. */
lt_status lt__path_leaf(const struct lt_looptree *, const struct lt_word *, lt_node *out);
bool lt__word_is(const struct lt_word *, const char *);
lt_status lt__word_number(const struct lt_looptree *, const struct lt_word *, const char *what, int64_t *out);
#endif
