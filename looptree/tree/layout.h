/* layout.h -- the order of a value's elements in memory (struct lt_memlayout), as text and checked. */
#ifndef LT_LOOPTREE_TREE_LAYOUT_H
#define LT_LOOPTREE_TREE_LAYOUT_H
#include "looptree/tree/tree.h"

struct lt_word;
struct lt_words;
/* A copy of the digits, in the tree's arena, with `pad` more elements free after each run of the last. */
struct lt_memlayout *lt__layout_new(const struct lt_looptree *, int32_t n, const struct lt_digit *, int64_t pad);
/* From words "n/64", "pad", "8", "k": the digits of node n, slowest first; at the end, if it has one, "swizzle 128". */
lt_status lt__layout_read(const struct lt_looptree *, lt_node n, const struct lt_words *, struct lt_memlayout **out);
/* Whether the word begins what follows a digit. */
bool lt__layout_word_ends(const struct lt_word *);
/* "[n/64 pad 4 k n] pad 8" of a node that has a layout. */
void lt__layout_text(struct lt_text *, const struct lt_looptree *, lt_node n);
/* Results, states and what updates change have none. */
lt_status lt__check_layouts(const struct lt_looptree *);
#endif
