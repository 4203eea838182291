/* parts.h -- steps that the composite builders alone share; included by ir/build/ only. */
#ifndef LT_IR_BUILD_PARTS_H
#define LT_IR_BUILD_PARTS_H
#include "ir/build/build.h"

/* common.c */
/* Whether x is a float; if not, a sentence about `what`. */
bool lt__build_is_float(const struct lt_graph *, lt_node, const char *what);
/* `own`, or a new var like it where it is among the n others. */
lt_var lt__build_apart(struct lt_graph *, const char *name, lt_var own, int32_t n, const lt_var *others);
/* Number of positions of a var in a run, as a node without dims. */
lt_node lt__build_extent(struct lt_graph *, lt_var, enum lt_dtype);

/* position.c */
/* "[end - begin, 3]", of the context's scratch texts. */
const char *lt__pos_shape(const struct lt_graph *, lt_node);
/* Element i of an axis is x's element i - by (by < 0: of those behind); where there is none, the number. */
lt_node lt__pos_shift(struct lt_graph *, lt_node, int32_t axis, int64_t by, double none);
#endif
