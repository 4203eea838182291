/* pass.h -- passes over a graph: each takes a graph and gives a new one with the same meaning. */
#ifndef LT_IR_PASS_PASS_H
#define LT_IR_PASS_PASS_H
#include "ir/graph/graph.h"
#include "ir/map/map.h"

/* One row of pass.def. */
typedef lt_status lt_pass(const struct lt_graph *in, struct lt_graph **out);
#define PASS(letter, name, doc) lt_status lt__pass_##name(const struct lt_graph *in, struct lt_graph **out);
#include "ir/pass/pass.def"

/* All passes in order, lt_graph_verify after each.  trace (may be NULL) is called after each with the pass's letter and
 * its result. *out is a new graph of the same context, the caller's to free. */
lt_status lt__passes_run(const struct lt_graph *in,
	void (*trace)(void *, char letter, const char *name, const struct lt_graph *), void *user,
	struct lt_graph **out);
/* The same without passes: only what nothing needs goes. */
lt_status lt__passes_none(const struct lt_graph *in, struct lt_graph **out);
/* own.c: passes do not see what calls of the user's own operations compute: in *out these are cut out, their operands
 * are results and their results are inputs; joined, they are whole again, fed by what the passes made of the rest.
 * `cut` is `in` cut, after any passes. */
lt_status lt__own_cut(const struct lt_graph *in, struct lt_graph **out);
lt_status lt__own_join(const struct lt_graph *in, const struct lt_graph *cut, struct lt_graph **out);
/* frame.c: an empty graph with in's vars, params (sources not yet mapped), file. */
lt_status lt__graph_like(const struct lt_graph *in, struct lt_graph **out);

/* -- what every pass needs: a graph to fill, scratch memory, and where the old nodes went. */
struct lt_frame {
	const struct lt_graph *in;
	struct lt_graph *out;           /* vars and params are there; params' sources come last */
	struct lt_arena *scratch;       /* freed when the pass ends */
	lt_node *to;                    /* of each node of `in`: its value's node in `out`, -1: none (yet) */
	void *user;
	/* By result of `in`: the new graph does not have it; NULL: it has all. */
	const bool *drop;
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
/* Marks what depends on constants, literals and positions alone, likewise. */
bool *lt__frame_constant(struct lt_frame *);
#endif
