/* pass.h -- passes over a graph: each takes a graph and gives a new one with the same meaning. */
#ifndef LT_IR_PASS_PASS_H
#define LT_IR_PASS_PASS_H
#include "ir/graph/graph.h"

/* One row of pass.def. */
typedef lt_status lt_pass(const struct lt_graph *in, struct lt_graph **out);
#define PASS(letter, name, doc) lt_status lt__pass_##name(const struct lt_graph *in, struct lt_graph **out);
#include "ir/pass/pass.def"

/* All passes in order, lt_graph_verify after each.  trace (may be NULL) is called after each with the pass's letter and
 * its result. *out is a new graph of the same context, the caller's to free. */
lt_status lt__passes_run(const struct lt_graph *in,
	void (*trace)(void *, char letter, const char *name, const struct lt_graph *), void *user,
	struct lt_graph **out);
/* frame.c: an empty graph with in's vars, params (sources not yet mapped), file. */
lt_status lt__graph_like(const struct lt_graph *in, struct lt_graph **out);
#endif
