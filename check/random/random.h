/* random.h -- random graphs, nests and steps of schedules, from a seed. */
#ifndef LT_CHECK_RANDOM_RANDOM_H
#define LT_CHECK_RANDOM_RANDOM_H
#include "ir/graph/graph.h"
#include "looptree/tree/tree.h"

/* -- random graphs from a seed, with data to run them on.
 *
 * The same seed and number of nodes give the same graph on every machine, and a smaller number of nodes a beginning
 * of it: a failure is made small by asking for fewer.  Everything is built through lt/graph.h.
 */
/* What the elements of a source may be. */
enum random_kind {
	RANDOM_FREE,            /* any value of the type, small */
	RANDOM_RANGE            /* integers from low to high (of element i: low[i] .. high[i] where low is an array) */
};
struct random_source { lt_node node; enum random_kind kind; int64_t n; int64_t *low, *high; };
struct random_graph {
	struct lt_graph *g;             /* the caller's to free */
	bool exact;                     /* data are multiples of 1/4: discontinuous operators can be compared */
	bool special;                   /* NaN, infinities and zeros are among the data */
	bool wild;                      /* a gather index may be out of range; every gather is then a result */
	int n_refused;                  /* calls that were refused; why[0]: the last sentence */
	char why[256];
	struct random_source *source; int n_source, cap_source;
};
struct random_options {
	int32_t n_node;
	enum lt_dtype floats;           /* not 0: the only type of floats */
	bool views, params, states, composites, wild;
};

/* Nodes, about: composites bring several. */
void random_graph_new(struct lt_context *, uint64_t seed, const struct random_options *, struct random_graph *out);
void random_graph_free(struct random_graph *);          /* and its graph */
/* The data of a source in a run, written to `out` (elements of the node's type).  Constants: run 0. */
void random_graph_fill(const struct random_graph *, uint64_t seed, int run, lt_node, void *out);
/* Number of vars' elements, bytes of a node at maximum extents. */
int64_t random_elems(const struct lt_graph *, lt_node);
size_t random_bytes(const struct lt_graph *, lt_node);

/* splitmix64: the numbers. */
uint64_t random_next(uint64_t *state);
int64_t random_between(uint64_t *state, int64_t low, int64_t high);
bool random_chance(uint64_t *state, int percent);

/* -- graphs of the sorts that schedules are written for, of random extents: products, windows,
 * rows, chains. */
/* max: the largest extent, 0: as it comes.  floats: the only type of floats, 0: as it comes.  The text it is made of is
 * written to `text`.  Data: random_graph_fill. */
void random_nest_new(struct lt_context *, uint64_t seed, int32_t max, enum lt_dtype floats, struct random_graph *out,
	char *text, size_t bytes);

/* -- random steps of a schedule, spelled right and often legal, from the table of primitives.
 *
 * What looptree/schedule/schedule.def lists is drawn: each word of a usage has a generator, and a word without one
 * ends the program. Apart from single steps there are idioms: a few steps that only make sense together.
 */
enum { RANDOM_STEP_KINDS = 64 };
/* How many kinds of step there are, and the name of one. */
int random_step_count(void);
const char *random_step_name(int kind);
/* One step or several with ';' between them.  skip: names of primitives that are not drawn, with blanks; "" if none.
 * False: the tree has no place for the kind that was drawn. */
bool random_step(const struct lt_looptree *, uint64_t *rng, const char *skip, int *kind, char *out, size_t bytes);
/* Any loop, -1: there is none. */
lt_tnode random_loop(const struct lt_looptree *, uint64_t *rng);
#endif
