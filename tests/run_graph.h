/* run_graph.h -- runs a graph on backends and holds every result and state against the oracle.
 *
 * Data of each source come from a function of the node and the run.  Results are poisoned first and stand between
 * sentinels; each run is repeated and must give the same bits; inputs must be unchanged; a run after the first must
 * not allocate.  Everything that is wrong ends in one sentence, "" if nothing is.
 */
#ifndef LT_RUN_GRAPH_H
#define LT_RUN_GRAPH_H
#include "program/judge/judge.h"
#include "lt/program.h"
#include "ir/graph/graph.h"

/* A context whose allocations are counted. */
struct run_counter { int64_t calls; int64_t bytes, peak; int64_t fail_at; };
lt_status run_context(struct run_counter *, struct lt_context **out);

typedef void run_fill(void *user, int run, lt_node, void *out);
/* compile: how to make the program; NULL: lt_compile. */
typedef lt_status run_compile(void *user, const struct lt_graph *, const struct lt_options *, struct lt_program **out);
struct run_config { const char *backends; bool no_passes; run_compile *compile; void *user; };
/* What the oracle says of `n_run` runs in a row, with the sources that gave it. */
struct run_want {
	const struct lt_graph *g;
	int n_run;
	lt_status status;               /* of the last run, all others are LT_OK */
	struct lt_judge **judge;        /* by run; NULL where it failed */
	void ***source;                 /* by run, by node: data of inputs, constants and states before the run */
	void **after;                   /* by node: the states after the last run */
	char message[512];
};
/* Runs as many as succeed, and one that fails. */
void run_want_new(const struct lt_graph *, int n_run, run_fill *, void *user, struct run_want *out);
void run_want_free(struct run_want *);

/* skipped: elements that nothing can judge; left: those of kernels whose bound says nothing. */
struct run_tally { int64_t elements, skipped, kernel_elements, left, results, launches; };
/* Compiles g (the oracle's graph, or one parsed from its text), runs it, and has the kernels, results and states
 * judged.  keep: results of run 0 as bits, filled where *keep is NULL, else compared exactly; may be NULL. */
struct run_bits { int n; void **at; };
bool run_compare(const struct run_want *, const struct lt_graph *g, const struct run_config *, struct run_counter *,
	struct run_bits *keep, struct run_tally *, char *why, size_t bytes);
void run_bits_free(struct run_bits *);

/* Text in memory that grows; for writers. */
struct run_text { char *at; size_t n; };
void run_text_add(void *text, const char *, size_t);
void run_text_free(struct run_text *);
char *run_graph_text(const struct lt_graph *);         /* the caller's to free */
#endif
