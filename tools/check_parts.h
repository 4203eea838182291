/* tools/check_parts.h -- what the files that list cases and build their graphs share. */
#ifndef LT_TOOLS_CHECK_PARTS_H
#define LT_TOOLS_CHECK_PARTS_H
#include "tools/check.h"

extern const char *const lt__check_shapes[CHECK_N_SHAPE],
	*const lt__check_views[CHECK_N_VIEWS], *const lt__check_schedules[CHECK_N_TREE],
						       *const lt__check_neighbours[CHECK_N_NEIGHBOUR];

/* The kinds of graphs of the groups gather, state, param and product. */
/* the axis; one that a run-time scalar bounds */
enum { CHECK_G_FIRST, CHECK_G_SECOND, CHECK_G_BOUNDED, CHECK_G_BOUNDED2 };
enum { CHECK_REPLACE, CHECK_UPDATE, CHECK_SWAP, CHECK_COUNTER, CHECK_APPEND, CHECK_N_STATE };
enum {
	CHECK_P_EXTENT,
	CHECK_P_SLICE,
	CHECK_P_SUM,
	CHECK_P_GREATEST,
	CHECK_P_BOTH,
	CHECK_P_SOFTMAX,
	CHECK_P_DIFFERENCE,
	CHECK_N_PARAM
};
enum {
	CHECK_NN,
	CHECK_NT,
	CHECK_TN,
	CHECK_BATCH,
	CHECK_VECTOR,
	CHECK_BIAS_RELU,
	CHECK_BIAS_GELU,
	CHECK_BIAS_RESIDUAL,
	CHECK_SILU,
	CHECK_SOFTMAX,
	CHECK_CONV,
	CHECK_ATTENTION,
	CHECK_CHAIN,
	CHECK_MEAN,
	CHECK_N_PRODUCT
};

/* check_cases.c */
struct check_adder { const struct check_options *o; struct check_list *list; struct check_case spare; };
/* A new case, or, where the filter leaves it out, a spare one; what it has beside its spec may be set.  fmt: the name
 * after "GROUP/". */
struct check_case *lt__check_add(struct check_adder *, int group, const struct check_spec *, const char *row,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool lt__check_takes(enum lt_opcode, enum lt_dtype);
void lt__check_add_data(struct check_adder *);          /* check_names.c: gather, state, param, product, random */
void lt__check_add_clauses(struct check_adder *);       /* check_clauses.c: slots .. optional */

/* Graphs in the making (check_graph.c). */
struct check_dims { int32_t n; lt_var at[4]; };
/* The vars of a shape; zero: bounded by run-time scalars. */
struct check_dims lt__check_dims(struct lt_graph *, int shape);
lt_node lt__check_input(struct lt_graph *, const char *name, enum lt_dtype, const struct check_dims *);
/* check_graph_data.c */
lt_node lt__check_build_gather(struct lt_graph *, const struct check_case *);
lt_node lt__check_build_state(struct lt_graph *, const struct check_case *);
lt_node lt__check_build_param(struct lt_graph *, const struct check_case *);
lt_node lt__check_build_product(struct lt_graph *, const struct check_case *);

/* check_clauses.c: what clauses are tried on.  fn is called with each sample that the backend accepts, compiled, and
 * its data of set 0; a failure ends it. */
enum {
	CHECK_S_CHAIN = 1,
	CHECK_S_SUM = 2,
	CHECK_S_PRODUCT = 4,
	CHECK_S_SOFTMAX = 8,
	CHECK_S_STATE = 16,
	CHECK_S_PARAM = 32,
	CHECK_S_GATHER = 64,
	CHECK_S_LARGE = 128,
	CHECK_S_PIECES = 256,
	CHECK_S_BASIC = 15,
	CHECK_S_ALL = 127
};
struct check_trial;
typedef bool check_on_sample(struct check_work *, const struct check_trial *);
void lt__check_samples(struct check_device *, const struct check_case *clause, struct check_outcome *, unsigned which,
	check_on_sample *);

/* -- check_work.c.  Each answers whether it may go on; else the outcome says what. -- */

/* The graph of a case, with its tree, accepted; compiled by itself.  Closed whatever came of it. */
bool lt__check_work_open(
	struct check_work *, struct check_device *, const struct check_case *, uint64_t seed, struct check_outcome *);
bool lt__check_work_compile(struct check_work *);
void lt__check_work_close(struct check_work *);
/* The only kernel of a sample's run that is not computed before the first one. */
int32_t lt__check_nest(const struct check_work *);
/* Data of a set and what the evaluator makes of them. */
struct check_trial { void **data; struct lt_judge *judge; };
bool lt__check_trial_new(struct check_work *, int set, uint64_t seed, struct check_trial *);
void lt__check_trial_free(struct check_work *, struct check_trial *);
/* A room that is filled for the trial, all steps once, and all that was not to change; then its values. */
bool lt__check_guarded_run(struct check_guarded *, const struct check_trial *, int poison, int fill, uint32_t n_thread);
bool lt__check_guarded_judge(struct check_guarded *, const struct check_trial *);
/* Both in a room of its own; the second with the bits of `first`, whose run it is like.  what: why they should be
 * equal. */
bool lt__check_one_run(struct check_work *, const struct check_trial *, int poison, int fill, uint32_t n_thread);
bool lt__check_same_run(struct check_guarded *first, struct check_work *, const struct check_trial *, int poison,
	int fill, const char *what);
/* Other objects of the same kernels, in d's session: none yet; then by one call of compile, of trees that are the same
 * (NULL: its own), the call's lists in pages that are closed after it (lend, may be NULL). */
bool lt__check_twin_new(const struct check_work *, struct check_device *d, struct check_work *twin);
bool lt__check_twin_compile(const struct check_work *, const struct lt_tree *const *tree, struct check_pages *lend,
	struct check_work *twin);
void lt__check_twin_free(struct check_work *twin);
/* All that may be asked of an object and its session besides to run. */
void lt__check_ask_all(struct check_work *);

/* check_getenv.c: the first environment variable that the file which holds `code` has asked for, since the calls so far
 * were forgotten; NULL: none. */
const char *lt__check_heard_from(const void *code);
void lt__check_unhear(void);

typedef void check_clause(struct check_device *, const struct check_case *, struct check_outcome *);
check_clause lt__check_slots_sentinels, lt__check_slots_alignment, lt__check_slots_workspace, lt__check_slots_unwritten,
	lt__check_slots_again,
	/* check_slots.c */
	lt__check_slots_async, lt__check_slots_interleaved;
/* check_print.c */
check_clause lt__check_errors_prints;
/* check_env.c */
check_clause lt__check_errors_environment;
/* check_page.c */
check_clause lt__check_slots_page;
check_clause lt__check_accepts_caps, lt__check_accepts_promise, lt__check_accepts_again,
	lt__check_accepts_unknown_feature, lt__check_accepts_unknown_operator,
	/* check_accepts.c */
	lt__check_accepts_no_diag, lt__check_accepts_together, lt__check_errors_half;
/* check_trees.c, check_borrow.c */
check_clause lt__check_accepts_forgets, lt__check_memory_trees, lt__check_memory_borrowed;
/* check_threads.c */
check_clause lt__check_threads_sessions, lt__check_threads_number, lt__check_threads_moved, lt__check_threads_turns;
check_clause lt__check_threads_together;                                                /* check_together.c */
/* check_memory.c */
check_clause lt__check_memory_runs, lt__check_memory_objects, lt__check_memory_sessions, lt__check_memory_refusals;
check_clause lt__check_errors_config, lt__check_errors_slots, lt__check_errors_small_slot, lt__check_errors_workspace,
	lt__check_errors_fault,
	/* check_errors.c */
	lt__check_errors_fault_value;
check_clause lt__check_optional_members, lt__check_optional_need, lt__check_optional_dump, lt__check_optional_describe,
	/* check_optional.c */
	lt__check_optional_events, lt__check_optional_memory;
/* check_object_cache.c */
check_clause lt__check_optional_save, lt__check_optional_load_other, lt__check_optional_capture;
/* What a backend writes, kept, with a 0 after it; the caller's to free.  An lt_write. */
struct check_text { char *at; size_t n; };
void lt__check_text_add(void *text, const char *, size_t);
#endif
