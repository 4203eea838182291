/* run.h -- the parts of lt-run: what the command line says, what the script asks for, one run of it all.
 *
 * A step that fails answers a code and leaves a sentence in the context, which main prints.  All memory of a run lives
 * in struct run and goes with it.
 */
#ifndef LT_TOOLS_RUN_RUN_H
#define LT_TOOLS_RUN_RUN_H
#include <jansson.h>
#include <stdbool.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tools/option/option.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

/* options.c: the command line; everything points into argv. */
struct run_options {
	const char *tool;                       /* for messages: "lt-run" */
	/* whether the first of a list of backends says that any values do; NULL: nobody is asked */
	bool (*any_values)(const struct run_options *, const char *backends);
	const char *script;
	struct lt_texts input, inputs, constant, weights, load, dim, fix;
	const char *output, *backends, *dump, *cc, *cache, *cache_dir, *schedule, *apply, *target, *use_source;
	const char *trace;                      /* --profile=FILE; NULL: none */
	const char *symbols;                    /* --symbols; NULL: none */
	const char *view;                       /* --view; NULL: none */
	const char *second;                     /* --dump=diff: the other tree */
	int64_t runs, time, threads;            /* time: 0 none, -1 as many as take half a second */
	uint32_t cc_timeout_ms;                 /* 0: the library's default */
	char pass;                              /* -dLETTER; 0: none */
	char kernel_step;                       /* -kLETTER; 0: none */
	bool verify, allow_unbounded, explain, profile, strict, no_passes, no_cache, list, json, quiet, verbose,
		check_schedule, no_capture, unpacked;
	bool asks_cpu;                          /* --cc, --target or --use-source, which are cpu's */
};
extern const struct lt_tool run_tool;
/* done: help or the like was printed, and nothing is left to do. */
lt_status run_options_read(struct lt_context *, int argc, char **argv, struct run_options *, bool *done);
void run_options_free(struct run_options *);
bool run_dump_is(const struct run_options *, const char *kind);
bool run_dump_graph(const struct run_options *);      /* a dump of the graph alone, which is not compiled */

/* The ending of a plural. */
static inline const char *run_s(int64_t n) { return n == 1 ? "" : "s"; }

/* model/bindings.c: what a graph asks for and gives, in the order of the library's enumeration. */
struct run_binding {
	const char *name;
	enum lt_binding kind;
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *shape;         /* at its maximum */
	lt_node node;
	bool needed;            /* a result or a state's new content depends on it */
	bool bounded;           /* an extent depends on a run-time scalar */
	/* by dim: the input, an int64 without dims, whose value is the extent; -1: it is fixed, or something else decides */
	int32_t *extent_from;
	/* by dim: an extent that is another sum of such inputs, "past + length"; n 0: it is none */
	struct run_sum { int64_t constant; int32_t n, *from; int64_t *coef; } *sum;
	const void *content;    /* of a constant, where the graph has it; NULL: it has to be given */
	struct lt_source_range range;           /* of the values that it may have */
};
struct run_bindings { struct run_binding *at, **sorted; int32_t n; };         /* sorted: by name */
lt_status run_bindings_find(const struct lt_graph *, struct run_bindings out[LT_BINDING_RESULT + 1]);
void run_bindings_free(struct run_bindings bindings[LT_BINDING_RESULT + 1]);
int32_t run_binding_index(const struct run_bindings *, const char *name, size_t bytes);      /* -1: no such */
const char *run_binding_kind(enum lt_binding);        /* "input" */
/* "float32 [3, 4]" */
const char *run_binding_text(const struct run_binding *, char *out, size_t bytes);

/* model/spec.c: the tensor that the text after NAME= describes. */
lt_status run_spec_make(struct lt_context *, const struct run_binding *, const char *spec, struct lt_tensor *out);

/* model/parse.c: the script's graph; dimensions and inputs that the command line fixes are the frontend's. */
struct run;
lt_status run_parse(struct run *);
void run_parse_free(struct run *);                     /* the script, and the list of what is read with it */
const char *run_script_name(const struct run *);      /* for messages */

/* model/bind.c: which tensor goes to which binding.  value[i]: of binding i, or NULL. */
struct run_values { const struct lt_tensor **value; };
struct run_given {
	struct lt_tensors *file;                /* every tensor that was read or made */
	int32_t n_file;
	struct run_values constant;
	struct run_values *input;               /* one an evaluation */
	int32_t n_input;
};
/* backends: the list that will run it, whose first may say that any values do; NULL: not known. */
lt_status run_bind(struct lt_context *, const struct run_options *, const char *backends,
	const struct run_bindings *bindings, struct run_given *out);
void run_given_free(struct run_given *);
/* model/extents.c: of a tensor whose extents are run-time ones, the most or fewer: whether it fits.  Then `out` is it
 * as the program reads it, with room for the most. */
bool run_extents_fit(const struct run_binding *, const struct lt_tensor *);
lt_status run_extents_spread(struct lt_context *, const struct run_binding *, const struct lt_tensor *,
	struct lt_tensor *out);
/* The first dim of a tensor whose extent is not the sum that it should be by the inputs' values, and the sum; -1:
 * none. */
int32_t run_extents_check(const struct run_binding *, const struct lt_tensor *, const struct lt_tensor *const *value,
	int64_t *want);
/* model/fit.c: moves scalars that were drawn at random until they fit together, as far as it can. */
void run_fit(const struct run *);

/* The whole. */
struct run_result { const struct run_binding *binding; void *data, *packed; struct lt_tensor tensor; };
struct run {
	struct run_options o;
	struct lt_context *ctx;
	struct lt_bytes script, schedule;
	struct lt_texts read;                   /* files that the script names, and are read with it; each text is freed */
	bool read_lost;                         /* no memory for one of them */
	struct lt_graph *graph;
	struct run_bindings binding[LT_BINDING_RESULT + 1];
	struct run_given given;
	char *backends, *cache_dir;
	bool unusable;                          /* one of them is not for this machine, and does not open */
	struct lt_program *program;
	struct lt_instance *instance, *shares;  /* shares: the instance whose states are its own, too; NULL: none */
	struct run_result *result;
	const void **input;                     /* of the current evaluation */
	void **output;
	struct run_verify *verify;
	struct run_explained *explained;
	struct run_profile *profile;            /* --profile; profile.h */
	int64_t parse_ns;
	/* what was asked for is done, and the answer is no: trees differ, elements are not verified */
	enum lt_exit verdict;
	json_t *json;                           /* --json: the object that is printed at the end */
	struct { int64_t begin_ns; bool shown; } compile;      /* its progress */
	struct lt_phases phases;                /* what is done, on a terminal */
};
int64_t run_now(void);                          /* ns of a clock that only goes forward */

/* backends.c */
lt_status run_backends_list(struct run *);
/* The list to compile with: as -b names it, or the best that is usable here. */
lt_status run_backends_choose(struct run *);
bool run_backends_any_values(const struct run_options *, const char *list);     /* lt_caps.any_values of the first */

/* cache.c */
lt_status run_cache_find(struct run *);               /* where compiled code is kept */
lt_status run_cache_command(const struct run *);      /* --cache=stats|clear */

/* compile.c */
lt_status run_compile(struct run *);
lt_status run_schedule_read(struct run *);            /* --schedule: its text */
/* --check-schedule: whether it and --apply fit; the sentence says why not */
lt_status run_schedule_check(struct run *);
/* binds the constants, makes an instance and room for the results */
lt_status run_start(struct run *);
/* gives back what both have made */
void run_end(struct run *);

/* dump.c */
lt_status run_dump(struct run *);
lt_status run_diff(struct run *);               /* --dump=diff A B; the verdict says whether they differ */

/* model/weights.c */
/* NAME.safetensors of NAME.lt, malloc; NULL: no memory. */
char *run_weights_path(const char *script);
/* --dump=script: writes the contents of constants beside the script; *name: that file's, malloc, NULL: there are none,
 * or there is no file for the script, which is said. */
lt_status run_weights_dump(struct run *, char **name);
/* Such a file beside the script that is run, malloc; NULL: there is none.  False: no memory. */
bool run_weights_beside(const struct run_options *, char **path);

/* model/explain.c: what lt_options.explain is given, told when the compilation has ended, well or not. */
lt_status run_explain_begin(struct run *);
void run_explain_add(struct run *, const struct lt_explained *);
void run_explain_say(struct run *);
/* After a run: what bounds each grid, where a backend predicts it. */
lt_status run_explain_bounds(struct run *);
void run_explain_free(struct run *);

/* eval.c: the evaluations, each printed, compared, written as asked for. */
lt_status run_evaluate(struct run *);
/* The file that an evaluation's results go to: --output with the number in it, malloc; NULL: no memory. */
char *run_output_name(const struct run *, int64_t evaluation);
/* one run; its sentence is the context's, as that of every failure of the tool */
lt_status run_instance(struct run *);

/* print.c: as NumPy's str() prints an array; at most a line's 75 characters. */
lt_status run_print_tensor(FILE *, const struct lt_tensor *);     /* LT_ENOMEM: nothing is printed */
/* number.c: one number with at most `digits` decimals, the shortest that reads back as the same value of its
 * type. */
struct run_style { bool scientific; int decimals, before, after; };
void run_number_style(const struct lt_tensor *, const int64_t *at, int64_t n, struct run_style *out);
/* A single float, as NumPy shows one: "4.0", "1e-07". */
void run_number_scalar(const struct lt_tensor *, char *out, size_t bytes);
int run_number_text(const struct run_style *, const struct lt_tensor *, int64_t at, char *out, size_t bytes);

/* json.c */
json_t *run_json_tensor(const struct lt_tensor *, bool values);
json_t *run_json_number(double);
json_t *run_json_under(json_t *object, const char *key);        /* the array of that name, made if missing */

/* verify.c */
lt_status run_verify_begin(struct run *);
/* before a run on r->input: makes one of its own, and puts the states back */
lt_status run_verify_kernels(struct run *, int64_t evaluation);
lt_status run_verify_compare(struct run *, int64_t evaluation);       /* after that run */
lt_status run_verify_states(struct run *);      /* the next one begins with the states as they are now */
lt_status run_verify_end(struct run *);         /* prints what was found, and fails if something is wrong or open */
void run_verify_free(struct run *);

/* samples.c: begin before the first evaluation; see after each run that succeeded. */
lt_status run_profile_begin(struct run *);
lt_status run_profile_see(struct run *);
void run_profile_free(struct run *);
/* profile.c: makes samples, and says what they show */
lt_status run_profile(struct run *);

/* text.c: "1.204 ms", "38.1 GB" */
const char *run_time_text(double ns, char *out, size_t bytes);
const char *run_bytes_text(double bytes, char *out, size_t n);

/* time.c */
lt_status run_time(struct run *);
#endif
