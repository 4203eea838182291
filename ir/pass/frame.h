/* frame.h -- what every pass needs: a graph to fill, scratch memory, and where the old nodes went. */
#ifndef LT_IR_PASS_FRAME_H
#define LT_IR_PASS_FRAME_H
#include "ir/map/affine.h"
#include "ir/pass/pass.h"

struct lt_frame {
	const struct lt_graph *in;
	struct lt_graph *out;           /* vars and params are there; params' sources come last */
	struct lt_arena *scratch;       /* freed when the pass ends */
	lt_node *to;                    /* of each node of `in`: its value's node in `out`, -1: none (yet) */
	void *user;
};
typedef lt_status lt_frame_body(struct lt_frame *);

/* Runs the body under lt__protect, then maps params, requirements, results and states; *out is NULL on failure. */
lt_status lt__frame_run(const struct lt_graph *in, lt_frame_body *, struct lt_graph **out);
/* The same with something for the body. */
lt_status lt__frame_run_for(const struct lt_graph *in, lt_frame_body *, void *user, struct lt_graph **out);
/* Node x of `in` with its operands as they are in `out`; arrays are shared or lie in scratch. */
struct lt_nodedef lt__frame_node(struct lt_frame *, lt_node x);
/* Marks what results, states and params need; n_node bools in scratch. */
bool *lt__frame_live(struct lt_frame *);
#endif
