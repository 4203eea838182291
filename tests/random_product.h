/* random_product.h -- random products, what stands around them, and targets that give them every kind of tree. */
#ifndef LT_RANDOM_PRODUCT_H
#define LT_RANDOM_PRODUCT_H
#include "lt/target.h"
#include "ir/graph/graph.h"

/* A product with a few row, column, deep and batch vars, its factors permuted, shifted, padded, windows or constants;
 * perhaps something pointwise after it, a second product over the first, a second reader.  One of every shape: see
 * random_product.c. */
void random_product(struct lt_context *, uint64_t seed, struct lt_graph **out);
/* The same with dims whose extents are run-time scalars: every value from 0 to the bound in the runs. */
void random_product_counted(struct lt_context *, uint64_t seed, struct lt_graph **out);
/* Small caches, so that small products are cut in blocks; a name of its own. */
void random_target(uint64_t seed, struct lt_target *out);
/* Multiples of 1/4 for every source. */
void random_product_fill(void *graph, int run, lt_node, void *out);
#endif
