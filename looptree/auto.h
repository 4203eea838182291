/* looptree/auto.h -- what the parts of the default tree share: placing (auto.c) and loop order (order.c). */
#ifndef LT_LOOPTREE_AUTO_H
#define LT_LOOPTREE_AUTO_H
#include "looptree/looptree.h"

struct lt_auto_loop { lt_var var; int64_t step; };
/* The loops that a cluster wants when it stands alone, outermost first. */
struct lt_auto_order { int32_t n, cap; struct lt_auto_loop *loop; bool contraction; };
struct lt_auto_nest { int32_t number, leaves; bool constant; };

struct lt_auto {
	const struct lt_graph *g;
	struct lt_looptree *t;
	const struct lt_target *target;
	int32_t *n_reader, *size;       /* by node: leaves that read it; leaves of its cluster */
	lt_node *reader, *mark;         /* by node: its last reader; last cluster that met it */
	bool *rides, *constant;         /* by node */
	struct lt_auto_nest *nest; int32_t cap_nest, n_nest;    /* by root */
	lt_tnode last_group;            /* last nest of scalars */
	/* the cluster in hand */
	lt_node *member, *producer;
	int32_t n_member, n_producer, cap_producer;
	struct lt_auto_order order;
};
bool lt__reads_in_place(const struct lt_auto *, lt_node n, lt_node u, lt_var);
/* looptree/order.c: fills order for the cluster in hand, whose last node is n. */
lt_status lt__auto_order(struct lt_auto *, lt_node n);
/* Whether every stored value that the cluster reads has the var: sharing its loop re-reads nothing. */
bool lt__auto_is_batch(const struct lt_auto *, lt_var);
#endif
