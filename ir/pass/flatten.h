/* flatten.h -- between the two parts of a pass: which dims become one (flatten.c), and the graph in which they
 * are (flatten_write.c). */
#ifndef LT_IR_PASS_FLATTEN_H
#define LT_IR_PASS_FLATTEN_H
#include "ir/pass/pass.h"

/* Neighbours, and the one that stands for them. */
struct lt_flat_run { int32_t n; const lt_var *var; lt_var joined; };
struct lt_flat_runs { int32_t n, cap; struct lt_flat_run *at; };

struct lt_flatten {
	struct lt_frame *f;
	const struct lt_graph *g;
	struct lt_arena *arena;
	/* By node: the first of its group, which has the runs; the next one of the group, -1: none. */
	lt_node *group, *next;
	struct lt_flat_runs *runs;
	int32_t *readers;
	/* By node: it depends on constants alone; multiplies for a sum; is stored for others; has to keep its dims. */
	bool *constant, *factors, *outside, *stays;
	struct lt_names *names;         /* of what was joined, by its vars: the var */
};

/* flatten_write.c.  Whether the node reduces another one of its group: what it reduces it may reduce as one dim. */
bool lt__flatten_ends(const struct lt_flatten *, lt_node);
lt_status lt__flatten_var(struct lt_flatten *, struct lt_flat_run *);   /* fills `joined` */
lt_status lt__flatten_write(struct lt_flatten *);
#endif
