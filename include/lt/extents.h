/* lt/extents.h -- which extents of a graph differ from run to run, and what says them: for a caller whose arrays have
 * the extents of their run.
 *
 * An extent that differs is a sum of run-time scalars, never below 0; a scalar is an element of an input, a constant or
 * a state.  All of it is of the graph as it was written: the passes of lt_compile leave out what nothing reads
 * (lt_program_graph), and a caller may give that, too.
 *
 * Example: with `param n = %count[0] in 0..7` and `var b 8 limit n + 1` an input x [b, 4] has one axis here: axis 0,
 * "b", of 1 to 8 elements, "n + 1", which is 1 and once the scalar "n"; that is element 0 of the input "count".
 */
#ifndef LT_EXTENTS_H
#define LT_EXTENTS_H
#include "lt/program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_run_scalar {
	const char *name;               /* "n"                                                         */
	int32_t binding, i;             /* enum lt_binding and number (lt_program_name) of what it is an element of */
	int64_t element;                /* row-major                                                   */
	int64_t low, high;              /* a run with another value is refused                         */
};
struct lt_extent_term { int32_t scalar, reserved; int64_t factor; };    /* scalar: its number in lt_extents.scalars */
struct lt_open_axis {
	int32_t binding, i, axis;       /* of an input, a constant, a state or a result                */
	int32_t reserved;
	const char *name;               /* of the dim: "b"                                             */
	int64_t least, most;            /* whatever the scalars are; memory is laid out for `most`     */
	int64_t constant;               /* the extent is constant + sum factor * scalar, 0 where that is below 0 */
	struct lt_array terms;          /* struct lt_extent_term                                       */
	const char *text;               /* that sum: "n - m + 1"                                       */
};
struct lt_extents {
	uint32_t size, reserved;
	struct lt_array scalars;        /* struct lt_run_scalar: all of the graph, in its order        */
	struct lt_array axes;           /* struct lt_open_axis: by binding, number and axis            */
};
/* Binding and number are those that a program of this graph has.  The answer is the caller's to free, before the
 * context; the graph may be freed before. */
LT_API lt_status lt_graph_extents(const struct lt_graph *, struct lt_extents **out);
LT_API void lt_extents_free(struct lt_extents *);               /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
