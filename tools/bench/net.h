/* net.h -- a model file as a case of lt-bench: its graph, its extents, what it is given, its results.
 *
 * Inputs and constants are those of tools/model: the types and shapes that the graph has, random values within what it
 * may take.  Where extents differ from run to run, each is at its most, so that all tensors are dense.
 */
#ifndef LT_TOOLS_BENCH_NET_H
#define LT_TOOLS_BENCH_NET_H
#include "tools/bench/bench.h"
#include "tools/model/model.h"

/* Of each result in one block of memory: offsets are multiples of this. */
enum { BENCH_NET_ALIGN = 64 };

struct bench_net {
	char *path;                     /* absolute, for peers in other folders */
	struct lt_texts dim;            /* "batch=1"; the frontend's, so "1..8" where it differs from run to run */
	struct lt_texts fixed;          /* "batch=1" as it was asked for, for peers */
	struct lt_texts given;          /* "mask=ones", "ids=FILE.npy" */
	char *kernels;                  /* absolute; NULL: no operations of one's own */
	bool run_time;                  /* extents are run-time ones */
	bool unjudged;                  /* results are compared with each other, and with no evaluator's */
	/* Between open and close: */
	struct lt_graph *graph;
	struct model_bindings binding[LT_BINDING_RESULT + 1];
	struct lt_tensor *input, *constant;     /* by binding; a constant with a content of its own has no data here */
	bool *extent;                   /* by input: it says an extent, and is no tensor of the model's */
	char **file;                    /* by input, where peers read it; NULL: not written yet */
	size_t *at, bytes;              /* by result: where it is; of all */
};

/* "FILE[:NAME=VALUE,...]" as a case of a suite; group: of its means. */
lt_status bench_net_add(struct lt_context *, struct bench_cases *, const char *suite, const char *spec,
	const struct bench_options *);
/* As a peer is told it: path and dims of the case's JSON; its inputs' files are read by open. */
lt_status bench_net_served(struct lt_context *, const json_t *, struct bench_net **out);
void bench_net_free(struct bench_net *);
/* Reads the model and makes its tensors; close also after it has failed. */
lt_status bench_net_open(struct lt_context *, struct bench_net *);
void bench_net_close(struct bench_net *);
/* What the case knows only then: its result, bytes. */
void bench_net_describe(struct bench_case *);
lt_status bench_net_write(struct lt_context *, struct bench_net *);    /* inputs into files, for peers */
json_t *bench_net_json(const struct bench_net *);      /* of the case: model, dims, inputs, results */
size_t bench_net_result_bytes(const struct bench_net *, int32_t i);

/* net_check.c: what is right, and whether a result is; as bench_truth_make, bench_check. */
lt_status bench_net_truth(const struct bench_case *, struct bench_truth *);
void bench_net_truth_free(struct bench_truth *);
lt_status bench_net_check(const struct bench_case *, const struct bench_truth *, bool ours, const void *got,
	double *error);
/* Of one that is unjudged: the others are compared with this result. */
void bench_net_truth_is(const struct bench_case *, struct bench_truth *, const char *label, const void *result);
#endif
