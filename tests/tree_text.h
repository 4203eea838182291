/* tree_text.h -- loop trees by hand, from a short text, and graphs run with them.
 *
 * One line a tree node, one blank a level: "m/13" a loop over m in steps of 13 ("m": of 1), "%y" the leaf of node y,
 * "." a group.
 */
#ifndef LT_TREE_TEXT_H
#define LT_TREE_TEXT_H
#include "lt/looptree.h"
#include "tests/run_graph.h"

/* Fails the test where the text names something that the graph has not; the status of lt_looptree_finish. */
lt_status tree_from(const struct lt_graph *, const char *text, struct lt_looptree **out);
/* The shape of a tree in the same text. */
void tree_to(const struct lt_looptree *, struct run_text *);
/* The node, or var, of that name; fails the test where there is none. */
lt_node tree_node(const struct lt_graph *, const char *name);
lt_var tree_var(const struct lt_graph *, const char *name);

/* The whole text of a tree; the header of a graph's default tree with lines of a tree after it (the caller's to
 * free). */
struct run_text tree_print(const struct lt_looptree *);
char *tree_with_header(const struct lt_graph *, const char *lines);
/* Whether the text of a tree reads back to the same tree, in every field that is not derived, and to the same text; if
 * not, what differs is in why, for the caller to free. */
bool tree_reads_back(const struct lt_looptree *, struct run_text *why);

/* Lowers the graph without passes and compiles it with the tree that is made of the text: the program, or what refuses
 * it. */
typedef lt_status tree_maker(const struct lt_graph *, const char *text, struct lt_looptree **out);
lt_status tree_compile_by(
	tree_maker *, const char *text, const struct lt_graph *, const struct lt_options *, struct lt_program **out);
/* The same with tree_from. */
lt_status tree_compile(void *text, const struct lt_graph *, const struct lt_options *, struct lt_program **out);
/* Small whole numbers in every source, others in each run. */
void tree_fill(void *graph, int run, lt_node, void *out);
/* Runs g on `backends` with the tree of that text three times; "" or what is wrong. */
const char *tree_check(struct lt_graph *g, const char *text, const char *backends);
#endif
