/* groups.h -- axes that are products of extents that differ from run to run.
 *
 * [batch, length, 768] reshaped to [batch*length, 768] has the same dims as before, the first two of which are one axis
 * now: a group.  Nothing is moved, and a reshape back takes the group apart.  What an operator does with groups is a
 * column of ops.def.
 */
#ifndef LT_ONNX_GROUPS_H
#define LT_ONNX_GROUPS_H
#include "frontends/onnx/poly.h"

/* groups.c */
int32_t lt__onnx_parts(const struct lt_onnx_value *, int32_t axis);     /* dims that an axis stands for */
int32_t lt__onnx_first_part(const struct lt_onnx_value *, int32_t axis);        /* the first of them */
/* The extent of an axis. */
struct lt_onnx_poly lt__onnx_axis_extent(struct lt_onnx *, const struct lt_onnx_value *, int32_t axis);
bool lt__onnx_any_bounded(struct lt_onnx *, const struct lt_onnx_value *);
/* The node of a value with one dim for each axis, where views can say that; LT_NONE with a sentence. */
lt_node lt__onnx_ungrouped(struct lt_onnx *, const struct lt_onnx_value *);
/* "[batch*length, 768]" */
const char *lt__onnx_extents(struct lt_onnx *, const struct lt_onnx_value *);
/* "--dim batch=8 fixes it": the extents that differ from run to run. */
const char *lt__onnx_fixes_of(struct lt_onnx *, const struct lt_onnx_value *);

/* regroup.c: the same elements under another shape, of which an extent may be -1; dims that differ from run to run stay
 * whole.  False with a sentence. */
bool lt__onnx_regroup(struct lt_onnx *, struct lt_onnx_value *, int32_t rank, const struct lt_onnx_poly *,
	struct lt_onnx_value *out);

/* The value with an axis for each dim of its node. */
struct lt_onnx_value *lt__onnx_apart(struct lt_onnx *, struct lt_onnx_value *);
/* A node whose dims are grouped: of each of `rank` axes, how many. */
struct lt_onnx_value lt__onnx_grouped(struct lt_onnx *, lt_node, int32_t rank, const int32_t *part);
/* A node reshaped to extents that may be run-time ones; -1: what is left. */
lt_node lt__onnx_reshape_to(struct lt_onnx *, lt_node, int32_t rank, const struct lt_linear *);

/* broadcast.c: inputs with groups, as the operator's column in ops.def says.  What is given in between is of values
 * that have an axis for each dim. */
void lt__onnx_broadcast(struct lt_onnx_call *);
void lt__onnx_part_again(struct lt_onnx_call *);        /* and the outputs' dims in groups */
/* An axis of input 0 as the node says it, which may have groups: its dim; -1 with a sentence. */
int32_t lt__onnx_along(struct lt_onnx_call *, int64_t axis);
#endif
