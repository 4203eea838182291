/* default.h -- the tree that a graph gets when nobody says how its loops are to be, from the target alone
 * (lt_looptree_auto of lt/looptree.h). */
#ifndef LT_LOOPTREE_DEFAULT_DEFAULT_H
#define LT_LOOPTREE_DEFAULT_DEFAULT_H
#include "looptree/tree/tree.h"

static inline bool lt__target_has_grid(const struct lt_target *t) { return t && t->warp > 0; }

/* How far a default tree goes back for a node, as another one was refused.  On a GPU to plainer nests: 0: not at all;
 * 1: to nests without tiles and partial sums; LT_MAX_FALLBACK: to a thread for each element.  why: the refusal.  Of any
 * target: refused: the calls that the node was in which were refused, the last one first; NULL: none was. */
enum { LT_MAX_FALLBACK = 2 };
/* A call that was refused: its routine, its nodes of the graph that trees are made for, in order, and why. */
struct lt_refused_call { const char *name, *why; int32_t n; lt_node *member; const struct lt_refused_call *next; };
struct lt_fallback { int32_t level; const char *why; const struct lt_refused_call *refused; };
/* auto.c: the default tree where each node is for one of several targets, class[n] of node n of g
 * (NULL: all for the first); no nest has nodes of two.  fallback: by node of g, NULL: all 0. */
lt_status lt__looptree_auto_for(const struct lt_graph *g, const struct lt_target *const *target, int32_t n_target,
	const int32_t *class, const struct lt_fallback *fallback, struct lt_looptree **out);
/* auto_fallback.c: raises a node's level by one; false: it is the last one. */
bool lt__raise_fallback(struct lt_fallback *, const char *why);
/* Goes back for the nodes of a root nest that was refused, in list by node of the tree's base: if the nest is a call,
 * they are not in that one any more, else it gets plainer where plainer nests are possible.  base: lt__tree_bases; the
 * arena, and why, have to live as long as the list.  False: there is nothing to go back to. */
bool lt__fallback_nest(const struct lt_looptree *, const lt_node *base, lt_tnode root, bool plainer, const char *why,
	struct lt_arena *, struct lt_fallback *list);
#endif
