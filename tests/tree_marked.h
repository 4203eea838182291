/* tree_marked.h -- loop trees by hand with all that may stand on a loop, and back.
 *
 * One line a tree node, one blank a level: "m step 6 parallel  tail mask", "group call gemm", "%y" the leaf of node y,
 * after which may stand its layout.  Before them the tree's derived nodes, as a tree's text has them: "own %b.copy =
 * copy %b for %p".
 */
#ifndef LT_TREE_MARKED_H
#define LT_TREE_MARKED_H
#include "looptree/tree/tree.h"
#include "tests/run_graph.h"

/* Fails the test where the text or the tree is wrong. */
struct lt_looptree *tree_marked(const struct lt_graph *, const char *text);
/* The status of lt_looptree_finish. */
lt_status tree_marked_try(const struct lt_graph *, const char *text, struct lt_looptree **out);
/* Not finished: nothing is checked yet. */
struct lt_looptree *tree_marked_open(const struct lt_graph *, const char *text);
/* As tree_compile of tree_text.h. */
lt_status tree_compile_marked(
	void *text, const struct lt_graph *, const struct lt_options *, struct lt_program **out);
/* The same text of a tree. */
void tree_marks(const struct lt_looptree *, struct run_text *);
/* It has to be this one after these steps. */
void tree_expect_marks(const struct lt_looptree *, const char *want, const char *steps);
#endif
