/* work.h -- the graph that canonical form works on: nodes that change in place, with their numbers of readers.
 *
 * A node keeps its number for life and the value of that number never changes, so that readers need not be notified: a
 * view that moved through an operator becomes the operator.  Nodes 0 .. n_in-1 are those of `in`; new ones come after.
 * Arrays of a node are never written, only replaced, for nodes share them.
 */
#ifndef LT_IR_PASS_WORK_H
#define LT_IR_PASS_WORK_H
#include "ir/pass/pass.h"

struct lt_rewrite {
	struct lt_frame *f;
	const struct lt_graph *in;
	struct lt_arena *arena;         /* the frame's scratch */
	struct lt_nodedef *node;
	int32_t n, cap;
	int32_t *readers;               /* of each node: operands that are it, results, states, params; 0: dead */
	lt_node *same;                  /* of each node: another one that is its value; -1: it stands for itself */
	bool *light;                    /* of each node: no reduction, gather or update is before it */
	int32_t *slot;                 /* of each node: where it was in the list of operands that met it last */
	int32_t cap_readers, cap_same, cap_light, cap_slot;
	struct lt_names *memo;          /* simplified maps by box and map */
	struct lt_map *known;           /* of the memo: the map; n_dim -1: empty */
	int32_t n_known, cap_known;
	bool changed;
};

/* work.c */
struct lt_rewrite *lt__work_load(struct lt_frame *);
lt_status lt__work_emit(struct lt_rewrite *);              /* into the frame's graph */
lt_node lt__work_add(struct lt_rewrite *, const struct lt_nodedef *);      /* no readers yet; its operands gain one */
/* The root of x in a forest, up[root] == -1; the way to it gets shorter. */
int32_t lt__work_root(int32_t *up, int32_t x);
lt_node lt__work_find(const struct lt_rewrite *, lt_node); /* after `same` */
/* The node's new operands gain a reader each, then its old ones lose theirs. */
void lt__work_set_operands(struct lt_rewrite *, lt_node, int32_t n, lt_node *operand);
void lt__work_alias(struct lt_rewrite *, lt_node x, lt_node same);        /* x is the value of `same` from now on */
/* Live nodes, operands before readers; their number in *n. */
lt_node *lt__work_order(struct lt_rewrite *, int32_t *n);
int64_t lt__work_elems(const struct lt_rewrite *, const struct lt_nodedef *);
lt_node lt__work_literal(struct lt_rewrite *, enum lt_dtype, uint64_t bits);

/* compose.c */
/* Pieces simplified, those that never apply gone; one that shows a value everywhere becomes a copy of a literal. */
lt_status lt__work_tidy_view(struct lt_rewrite *, lt_node);
/* The view reads through its operand number `at`, a view.  *done: whether it did (it is not done where that is
 * large). */
lt_status lt__work_compose(struct lt_rewrite *, lt_node, int32_t at, bool *done);
/* Which dim of the view row `row` of the piece is, alone and with nothing added; -1: none. */
int32_t lt__work_row_dim(const struct lt_map *, int32_t row);

/* rename.c */
/* Vars that views make equal become one, where no node then has it twice. */
void lt__work_join_vars(struct lt_rewrite *);
/* Views that change nothing, or only the order of dims where that does not matter, are read past. */
void lt__work_skip_views(struct lt_rewrite *);

/* pick.c */
/* The map with some of its rows: row[r] >= 0: that one; else the new dim ~row[r] alone.  Its dims are n_dim new ones,
 * dim d of the map being dim_to[d] (-1: unused); params and floors that are not needed go. */
struct lt_map lt__work_pick(struct lt_arena *, const struct lt_map *, int32_t n_row, const int32_t *row,
	int32_t n_dim, const int32_t *dim_to);
/* Marks the dims that those rows and the guards depend on. */
void lt__work_mark_dims(struct lt_rewrite *, const struct lt_map *, int32_t n_row, const int32_t *row, bool *used);

/* push.c */
/* The view moves towards the inputs as far as that computes no more elements. */
lt_status lt__work_push(struct lt_rewrite *, lt_node);
/* Fills `light`. */
void lt__work_mark_light(struct lt_rewrite *);
#endif
