/* depend_sets.h -- the touches of a question as isl sees them: sets of instances, and maps from there to
 * cells, elements and times. */
#ifndef LT_LOOPTREE_LEGALITY_DEPEND_SETS_H
#define LT_LOOPTREE_LEGALITY_DEPEND_SETS_H
#include "ir/isl/isl.h"
#include "ir/map/map.h"
#include "looptree/legality/depend.h"

struct isl_map;
struct isl_space;

struct lt_isl_ask { struct isl_ctx *ctx; const struct lt_question *q; };

/* Dims of an instance: counters, and what is drawn besides. */
int32_t lt__touch_dims(const struct lt_touch *);
/* Whether var v moves with a counter of the loops in whose iteration the cells live. */
bool lt__touch_owned(const struct lt_graph *, const struct lt_touch *, lt_var v);
lt_give struct isl_space *lt__touch_space(const struct lt_isl_ask *, const struct lt_touch *);
lt_give struct isl_set *lt__touch_instances(const struct lt_isl_ask *, const struct lt_touch *);
/* Of the instances those whose element the value's leaf writes at all. */
lt_give struct isl_set *lt__touch_written(
	lt_take struct isl_set *, const struct lt_isl_ask *, const struct lt_touch *);
/* From the instances: to cells, which are new in each iteration of the value's owner; to elements, for a reduction's
 * own touches with the iterations of the n_outer loops around it; to times. */
lt_give struct isl_map *lt__touch_cells(
	const struct lt_isl_ask *, const struct lt_touch *, lt_keep struct isl_set *instances);
lt_give struct isl_map *lt__touch_elements(
	const struct lt_isl_ask *, const struct lt_touch *, lt_keep struct isl_set *instances, int32_t n_outer);
lt_give struct isl_map *lt__touch_times(
	const struct lt_isl_ask *, const struct lt_touch *, lt_keep struct isl_set *instances);
#endif
