/* derived_trees.h -- graphs and trees for the primitives that add nodes to a tree, and what every tree with such
 * nodes has to pass. */
#ifndef LT_DERIVED_TREES_H
#define LT_DERIVED_TREES_H
#include "looptree/tree/tree.h"

struct derived_tree { const char *name, *graph, *tree; };   /* graph: its text; tree: tests/tree_marked.h */
/* A graph, what it is lowered to, and the tree of that name over it; fails the test where something is wrong. */
struct derived_case { struct lt_context *ctx; struct lt_graph *g, *lowered; struct lt_looptree *t; };
struct derived_case derived_open(const char *name);
struct derived_case derived_open_text(const char *graph, const char *tree);
void derived_close(struct derived_case *);
lt_status derived_apply(const struct derived_case *, const char *steps, struct lt_looptree **out);
/* Both checks of dataflow say that the tree is legal, and so does running it trip by trip. */
void derived_expect_legal(const struct derived_case *, struct lt_looptree *, const char *what);
/* Printed, read back, printed again: the same bytes. */
void derived_expect_text(const struct derived_case *, const struct lt_looptree *, const char *what);
/* Runs the tree on a backend with random data against the evaluator: negative numbers, zeros, and NaN where `nan`. */
void derived_expect_run(
	const struct derived_case *, const struct lt_looptree *, const char *backend, bool nan, const char *what);
#endif
