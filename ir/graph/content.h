/* content.h -- the holders of a graph's contents (lt_graph_hold), for what is made of the graph. */
#ifndef LT_IR_GRAPH_CONTENT_H
#define LT_IR_GRAPH_CONTENT_H
struct lt_arena;
struct lt_graph;
/* What the graph holds is held until the arena is freed, too. */
void lt__graph_hold_too(const struct lt_graph *, struct lt_arena *);
#endif
