/* parts.h -- what the files that list cases and build their graphs share. */
#ifndef LT_TOOLS_CHECK_PARTS_H
#define LT_TOOLS_CHECK_PARTS_H
#include "program/explain/explain.h"
#include "tools/check/check.h"

/* The kinds of graphs of the groups gather, state, param and product. */
/* the axis; one that a run-time scalar bounds */
enum { CHECK_G_FIRST, CHECK_G_SECOND, CHECK_G_BOUNDED, CHECK_G_BOUNDED2 };
enum { CHECK_REPLACE, CHECK_UPDATE, CHECK_SWAP, CHECK_COUNTER, CHECK_APPEND, CHECK_N_STATE };
enum { CHECK_P_EXTENT, CHECK_P_SLICE, CHECK_P_SUM, CHECK_P_GREATEST, CHECK_P_BOTH, CHECK_P_SOFTMAX, CHECK_P_DIFFERENCE,
	CHECK_N_PARAM };
enum { CHECK_NN, CHECK_NT, CHECK_TN, CHECK_BATCH, CHECK_VECTOR, CHECK_BIAS_RELU, CHECK_BIAS_GELU, CHECK_BIAS_RESIDUAL,
	CHECK_SILU, CHECK_SOFTMAX, CHECK_CONV, CHECK_ATTENTION, CHECK_CHAIN, CHECK_MEAN, CHECK_N_PRODUCT };

/* add.c */
struct check_adder { const struct check_options *o; struct check_list *list; };
/* A new case, named by its spec, or by its clause; none where the filter leaves it out. */
void lt__check_add(struct check_adder *, int group, const struct check_spec *, const struct check_clause *);
/* A case whose graph is there; clause NULL: it is run as every graph is. */
void lt__check_add_graph(
	struct check_adder *, int group, const char *name, const struct lt_graph *, const struct check_clause *);
bool lt__check_takes(enum lt_opcode, enum lt_dtype);    /* cases.c */
void lt__check_add_data(struct check_adder *);          /* names.c: gather, state, param, product, random */
void lt__check_add_clauses(struct check_adder *);       /* clauses.c: slots .. optional */

/* shapes.c */
struct check_dims { int32_t n; lt_var at[4]; };
/* The vars of a shape; zero: bounded by run-time scalars. */
struct check_dims lt__check_dims(struct lt_graph *, int shape);
lt_node lt__check_input(struct lt_graph *, const char *name, enum lt_dtype, const struct check_dims *);
/* graph_data.c */
lt_node lt__check_build_gather(struct lt_graph *, const struct check_case *);
lt_node lt__check_build_state(struct lt_graph *, const struct check_case *);
lt_node lt__check_build_param(struct lt_graph *, const struct check_case *);
lt_node lt__check_build_product(struct lt_graph *, const struct check_case *);

/* -- clauses (clauses.c) -- */

/* The kernels that they are tried on (sample.c). */
enum { CHECK_S_CHAIN = 1, CHECK_S_SUM = 2, CHECK_S_PRODUCT = 4, CHECK_S_SOFTMAX = 8, CHECK_S_STATE = 16,
	CHECK_S_PARAM = 32, CHECK_S_GATHER = 64, CHECK_S_BASIC = 15, CHECK_S_ALL = 127, CHECK_S_LARGE = 128,
	CHECK_S_PIECES = 256, CHECK_S_ADD = 512, CHECK_S_SUB = 1024, CHECK_S_ONE = 2048, CHECK_S_MAX = 4096,
	CHECK_S_MIN = 8192 };
const struct check_case *lt__check_sample(unsigned bit);
struct check_trial;
/* Called with a sample that the backend accepts, compiled, and its data of set 0; a failure is the last. */
typedef bool check_on_sample(struct check_work *, const struct check_trial *);
void lt__check_samples(struct check_device *, struct check_outcome *, unsigned which, check_on_sample *);
/* false: nothing is left to try. */
typedef bool check_once(struct check_device *, struct check_outcome *);

struct check_clause {
	int group;
	const char *name;
	size_t member;                  /* of the backend's table, which has to be there; 0: none */
	const char *words;              /* that is not there: "events are" */
	check_once *first;              /* NULL: nothing comes first */
	unsigned samples;
	check_on_sample *each;          /* NULL: first is all */
};
void lt__check_clause(struct check_device *, const struct check_case *, struct check_outcome *);
#define ONCE(group, name) check_once lt__check_##group##_##name;
#define EACH(group, name, samples) check_on_sample lt__check_##group##_##name;
#define WHERE(group, name, samples, member, words) EACH(group, name, samples)
#define AFTER(group, name, samples, first) check_once lt__check_##first; EACH(group, name, samples)
#include "tools/check/clauses.def"

/* -- work.c.  Each answers whether it may go on; else the outcome says what. -- */

/* The graph of a case, with its tree, accepted; compiled by itself.  Closed whatever came of it. */
bool lt__check_work_open(
	struct check_work *, struct check_device *, const struct check_case *, uint64_t seed, struct check_outcome *);
bool lt__check_work_compile(struct check_work *);
void lt__check_work_close(struct check_work *);
/* The only kernel of a sample's run that is not computed before the first one. */
int32_t lt__check_nest(const struct check_work *);
/* Data of a set and what the evaluator makes of them. */
struct check_trial { void **data; struct lt_verifier *judge; };
bool lt__check_trial_new(struct check_work *, int set, uint64_t seed, struct check_trial *);
void lt__check_trial_free(struct check_work *, struct check_trial *);
/* A room that is filled for the trial, all steps once, and all that was not to change; then its values. */
bool lt__check_guarded_run(struct check_guarded *, const struct check_trial *, int poison, int fill, uint32_t n_thread);
bool lt__check_guarded_judge(struct check_guarded *, const struct check_trial *);
/* Both, in a room of its own. */
bool lt__check_run_by(struct check_work *, const struct check_trial *, const struct check_how *);
bool lt__check_one_run(struct check_work *, const struct check_trial *, int poison, int fill, uint32_t n_thread);
/* Other objects of the same kernels, in d's session: none yet; then by one call of compile, of trees that are the same
 * (NULL: its own), the call's lists in pages that are closed after it (lend, may be NULL). */
bool lt__check_twin_new(const struct check_work *, struct check_device *d, struct check_work *twin);
bool lt__check_twin_compile(const struct check_work *, const struct lt_tree *const *tree, struct check_pages *lend,
	struct check_work *twin);
void lt__check_twin_free(struct check_work *twin);
/* A twin in the same session, compiled, asked all, run. */
bool lt__check_twin_run(struct check_work *, const struct lt_tree *const *tree, const struct check_trial *);
/* All that may be asked of an object and its session besides to run. */
void lt__check_ask_all(struct check_work *);

/* getenv.c: the first environment variable that the file which holds `code` has asked for, since the calls so far
 * were forgotten; NULL: none. */
const char *lt__check_heard_from(const void *code);
void lt__check_unhear(void);

/* What a backend writes, kept, with a 0 after it; the caller's to free.  An lt_write. */
struct check_text { char *at; size_t n; };
void lt__check_text_add(void *text, const char *, size_t);
#endif
