/* product.h -- what the files of a product's tree on a CPU share: product_form.c chooses the tree,
 * product_register.c its register tile, product_nest.c builds it of the loops of product_open.c, product_layout.c
 * orders the elements of copies and sums. */
#ifndef LT_LOOPTREE_DEFAULT_PRODUCT_H
#define LT_LOOPTREE_DEFAULT_PRODUCT_H
#include "base/checked.h"
#include "looptree/default/auto.h"

static inline int64_t var_extent(const struct lt_auto *s, lt_var v) { return v < 0 ? 1 : s->g->var[v].extent; }

static inline int64_t vars_count(const struct lt_auto *s, const struct lt_vars *list)
{
	int64_t n = 1;
	for (int32_t i = 0; i < list->n; i++)
		if (lt__mul_overflow(n, var_extent(s, list->at[i]), &n))
			return INT64_MAX / 4;
	return n;
}

static inline lt_var vars_longest(const struct lt_auto *s, const struct lt_vars *list)
{
	lt_var best = -1;
	for (int32_t i = 0; i < list->n; i++)
		if (best < 0 || var_extent(s, list->at[i]) > var_extent(s, best))
			best = list->at[i];
	return best;
}

/* How the product's leaf reads a factor. */
struct factor_read { const struct lt_read *read; const struct lt_leaf *leaf; bool plain, early; };

static inline int64_t var_stride(const struct lt_auto *s, const struct factor_read *x, lt_var v)
{
	int32_t column = lt__leaf_column(x->leaf, v);
	return x->plain && column >= 0 ? lt__auto_stride(s->g, &x->read->piece[0], column) : 0;
}

/* Of the threads' time that they work, where iterations do not divide among them. */
#define LT_GOOD_SHARE 0.9

/* product_look.c: how a factor is read; about how long all of it takes on one core, in ns; whether threads share it. */
struct factor_read lt__product_look(const struct lt_auto *, const struct lt_product *, bool right);
double lt__product_ns(const struct lt_auto *, const struct lt_product *);
bool lt__product_is_shared(const struct lt_auto *, const struct lt_product *);

/* product_open.c.  The node of the tree inside which loops are opened; -1: the root. */
struct product_nest { struct lt_auto *s; const struct lt_product *p; lt_tnode at; };
/* A loop over v in steps of `step`, unless the loops above leave no room for it; its tail only where an iteration may
 * be partial. */
void lt__nest_open(struct product_nest *, lt_var v, int64_t step, enum lt_loop_kind, enum lt_tail);
void lt__nest_open_all(struct product_nest *, const struct lt_vars *, lt_var but, lt_var and);
/* Loops over tiles that threads may share; a tile of rows; the elements of a register tile; all elements of the sum
 * that the loops above leave, in the order of its dims, by vectors of columns. */
void lt__nest_open_tiles(struct product_nest *, lt_var v, int64_t step, enum lt_tail);
void lt__nest_open_rows(struct product_nest *, lt_var v, int64_t step);
void lt__nest_open_tile(struct product_nest *, enum lt_tail);
void lt__nest_open_elements(struct product_nest *);
/* One nest for all leaves: a group where no loop holds them. */
void lt__nest_group(struct product_nest *);
/* The outermost loops are parallel until there are iterations enough for the cores. */
void lt__nest_parallel(struct product_nest *);
/* Where what is after the sum goes: the node `out`, or the cluster that reads it, when that is met. */
void lt__nest_end(struct product_nest, struct lt_product *, bool in_tile);

/* On a GPU, product_look.c: whether the sum is one of lt__auto_is_byte_rows; its node and its factors. */
bool lt__product_byte_rows(const struct lt_auto *, lt_node sum, struct lt_product *);
/* product_bytes.c: whether both factors are casts of bytes; the sum that adds the groups, if there is one; the tree. */
bool lt__product_is_bytes(const struct lt_auto *, const struct lt_product *);
void lt__product_find_groups(struct lt_auto *, struct lt_product *);
void lt__product_form_bytes(const struct lt_auto *, struct lt_product *);
void lt__product_add_bytes(struct product_nest *, struct lt_product *);

/* product_register.c: chooses p's register tile. */
void lt__product_tile(const struct lt_auto *, struct lt_product *);
/* What is left of a run of n is one vector under a mask, where masks cost nothing and it would be cut in several; a run
 * of half a vector has shorter ones. */
void lt__product_pad_run(const struct lt_auto *, struct lt_product *);
/* Rows of a tile of so many vectors, of `extent_m` rows.  even: of tiles that are as even as may be; else full ones. */
int64_t lt__product_tile_rows(const struct lt_auto *, int64_t vectors, int64_t extent_m, bool even);
/* Joins the rows of several runs in one tile, if that is faster; when all else is chosen.  Whether it did, and changed
 * tile_n. */
bool lt__product_join_rows(const struct lt_auto *, struct lt_product *, const struct factor_read *left);

/* product_layout.c: the order of a copy of factor n, or of one with its dims, for tiles of `step` elements of v (0: not
 * cut); node n lies so from now on. */
struct lt_product_order lt__product_copy_order(
	const struct lt_auto *, lt_node n, const struct lt_product *, lt_var v, int64_t step);
void lt__product_lay(struct lt_auto *, lt_node n, const struct lt_product_order *);
/* The order of sums whose vectors are not along their last dim; of the sums of several rows, by tiles; of parts of a
 * sum, each for itself. */
void lt__product_lay_lanes_on_rows(struct lt_auto *, const struct lt_product *, lt_node sum);
void lt__product_interleave(struct lt_auto *, const struct lt_product *);
void lt__product_lay_by_chunk(struct lt_auto *, lt_node chunk);
#endif
