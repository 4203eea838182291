/* tools/check_reduce.h -- what the files of the reducer share: candidates that are a little smaller than a graph and its tree. */
#ifndef LT_TOOLS_CHECK_REDUCE_H
#define LT_TOOLS_CHECK_REDUCE_H
#include "looptree/looptree.h"

/* Whether there is a k-th candidate, and whether this one is made. */
enum reduce_made { REDUCE_NONE, REDUCE_NOT, REDUCE_MADE };
/* A kind of step: k counts its places in the graph.  Changes the graph's tables in place, under lt__protect; what comes of it may break a
 * rule, and is asked of lt_graph_parse. */
struct reduce_kind { const char *name; enum reduce_made (*make)(struct lt_graph *, int64_t k); };
extern const struct reduce_kind lt__reduce_kinds[];             /* check_reduce_graph.c; ends with a row of NULL */
enum reduce_made lt__reduce_shrink(struct lt_graph *, int64_t k);      /* check_reduce_dims.c: extents */
enum reduce_made lt__reduce_drop_dim(struct lt_graph *, int64_t k);    /* a dim of extent 1 goes from all nodes */
/* What no result needs goes: nodes, vars, scalars, columns of maps, places in a script (check_reduce_tidy.c). */
void lt__reduce_tidy(struct lt_graph *);
/* All that reads or shows `from` takes `to` instead. */
void lt__reduce_redirect(struct lt_graph *, lt_node from, lt_node to);
/* The map without column c, and without row i. */
void lt__reduce_drop_column(struct lt_graph *, struct lt_map *, int32_t c);
void lt__reduce_drop_row(struct lt_graph *, struct lt_map *, int32_t i);

/* The texts of a candidate: the caller's to free; NULL: it breaks a rule, or memory ran out. */
char *lt__reduce_text(const struct lt_graph *);
/* check_reduce_tree.c.  The tree `text` of graph `from` (in its text), changed by the k-th step (-1: not at all), over graph `to`.
 * *made tells REDUCE_NONE where there is no k-th step. */
char *lt__reduce_tree(struct lt_context *, const char *from, const char *text, const char *to, int64_t k, enum reduce_made *made);
/* Of plain nests, without anything for a machine. */
char *lt__reduce_plain(struct lt_context *, const char *graph);

/* check_reduce_write.c.  What was found: texts (tree NULL: the default one), the set of data, and whether time or tries ran out. */
struct reduced { const char *graph, *tree; int set, n_tried; bool is_over; };
struct check_failure;
lt_status lt__reduce_write(const struct check_failure *, const struct reduced *, char *told, size_t bytes);
#endif
