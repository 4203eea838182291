/* brute.h -- what a frozen tree runs and a graph asks for, counted one by one: nothing is shared with the
 * library's counting. */
#ifndef LT_BRUTE_H
#define LT_BRUTE_H
#include "looptree/freeze/freeze.h"

enum { BRUTE_MAX = 3000000 };                  /* instances; more are too many */
struct brute {
	int64_t instances, operations;
	int64_t *first_run;                     /* by loop: operations of its first run; -1: it never runs */
	unsigned char **touched;                /* by slot, by element: 1 read, 2 written */
};
/* param: by param of the kernel.  False: there are too many instances. */
bool brute_run(const struct lt_tree *, const int64_t *param, struct brute *out);
void brute_free(const struct lt_tree *, struct brute *);
/* Operations of the graph, each element of each node once; param: by param of the graph.  -1: too many. */
int64_t brute_graph(const struct lt_graph *, const bool *without, const int64_t *param);
#endif
