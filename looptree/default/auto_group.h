/* auto_group.h -- groups of a default tree for routines that take descriptions: what may be one (auto_group.c), what it
 * costs (auto_group_cost.c), which are chosen (auto_group_choose.c), and what they compute again
 * (auto_group_again.c). */
#ifndef LT_LOOPTREE_DEFAULT_AUTO_GROUP_H
#define LT_LOOPTREE_DEFAULT_AUTO_GROUP_H
#include "looptree/call/call.h"
#include "looptree/default/auto.h"

/* A value from outside of a group that is copied for it, its dims in another order, the outermost first; node -1:
 * none. */
struct lt_group_copy { lt_node node; const int32_t *order; };
/* Leaves that one call of a routine could compute, in the order of the graph.  gain: what they cost as a kernel each,
 * less what the call costs; before: leaves before the reduction that it was grown from. */
struct lt_group_option {
	const char *name;
	lt_node seed, *member, *again;  /* again: not among the members; computed again for it (auto_group_again.c) */
	int32_t n, n_again, before, roundings;  /* roundings: left out by the routine */
	int32_t added;                  /* that it may have, and the graph has not */
	int64_t gain;
	bool product;                   /* a row took it that takes a product: the seed sums it */
	struct lt_group_copy copied[2]; /* what it reads a copy of: an image, in each run; filters that are constant, once */
	struct lt_group_copy turned;    /* its result, where it is written in another order than its dims' */
	bool chosen;
};
/* What one kernel of these leaves costs: the bytes that it reads and writes, a value once.  r: the routine that it is a
 * call of; NULL: loops; again, by node: it is made for this one, and nobody else reads it; NULL: none is.  A predictor
 * of times would be asked here. */
int64_t lt__routine_cost(const struct lt_auto *, struct lt_arena *, const struct lt_routine *r, const lt_node *member,
	int32_t n, const bool *again);
/* What a copy costs: the bytes that are read and written; n < 0: nothing. */
int64_t lt__copy_cost(const struct lt_auto *, lt_node n);
/* Marks options that have no leaf in common, of the most gain: of all choices where each leaf of those that overlap is
 * read by one other of them at most (chains and trees), and elsewhere of those that a search of bounded width meets. */
void lt__group_choose(struct lt_auto *, struct lt_group_option *, int32_t n);
/* Whether a routine may leave it out: a copy, or a cast that rounds nothing. */
bool lt__may_be_left_out(const struct lt_graph *, lt_node);
/* Whether a leaf is made of positions and numbers alone, such as which keys a query sees. */
bool lt__is_positional(const struct lt_auto *, lt_node);
/* Whether it compares positions with integers that do not lie along them, such as how many keys of a batch count. */
bool lt__compares_length(const struct lt_auto *, lt_node);
/* product_reason.c: why a default tree hands a product over to no call of the row, which has LT_PATTERN_PRODUCT; NULL:
 * it may. */
const char *lt__auto_avoids_product(
	struct lt_arena *, const struct lt_target *, const struct lt_routine *, const struct lt_callshape *);
/* Whether a factor of the product would be cast and stored for a call of the members alone, which then reads each
 * element once or a few times: loops cast it while they read it. */
bool lt__auto_stores_cast(const struct lt_auto *, lt_node mul, const lt_node *member, int32_t n);
/* All options, those that are chosen marked. */
lt_status lt__auto_groups(struct lt_auto *, struct lt_group_option **option, int32_t *n_option);
/* Gives each chosen one casts of its own, which become members.  *to: where nodes have moved, by their old numbers;
 * NULL: nowhere. */
lt_status lt__auto_compute_again(
	struct lt_auto *, struct lt_group_option *, int32_t n_option, const lt_node **to);
/* Adds the copies that the chosen ones read, between a value and all who read it, and lays what they write; to: the
 * same. */
lt_status lt__auto_copy_read(
	struct lt_auto *, const struct lt_group_option *, int32_t n_option, const lt_node **to);
/* The leaves of one, as nests in a group of the tree. */
lt_status lt__auto_add_group(struct lt_auto *, lt_tnode group, const lt_node *member, int32_t n);
#endif
