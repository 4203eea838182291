/* random_layer.h -- random layers as scripts, of extents that blocking, packing and tails are made for: products,
 * convolutions, attention, norms, pools and reductions, with what stands around them; run by default trees against the
 * oracle.
 */
#ifndef LT_RANDOM_LAYER_H
#define LT_RANDOM_LAYER_H
#include "ir/graph/graph.h"

/* work: about the most multiply-adds of one node.  The script is written to `text`. */
void random_layer(struct lt_context *, uint64_t seed, int64_t work, struct lt_graph **out, char *text, size_t bytes);
/* Data of the graph's sources: multiples of 1/4, and of one seed in three a few NaN, infinities and large numbers. */
struct random_layer_data { const struct lt_graph *g; uint64_t seed; };
void random_layer_fill(void *random_layer_data, int run, lt_node, void *out);

/* layer_runs.c */
struct layer_plan {
	const char *backends;           /* "ref", "batch" */
	uint64_t seed;                  /* of the first graph; each has the next one */
	int graphs, together;           /* together: that are compiled before the first of them is run */
	int64_t work;
	const char *target;             /* "native", "small": one with tiny caches; NULL: in turn */
	bool any;                       /* random graphs of every operator (random_graph.h) instead of layers */
	bool verify;                    /* trees for small targets are proven legal exactly, too */
	bool show;                      /* each script before it is compiled */
	uint32_t n_thread;              /* 0: 1 to 3 in turn */
};
struct layer_tally { int graphs, failed; int64_t elements, skipped; };
/* Adds to the tally; what is wrong is reported on stderr with its seed; ends early after twelve failures. */
void layer_runs(const struct layer_plan *, struct layer_tally *);
#endif
