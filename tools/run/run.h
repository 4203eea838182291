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
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/model/model.h"
#include "tools/option/option.h"
#include "tools/tensor/tensor.h"

/* options.c: the command line; everything points into argv. */
struct run_options {
	const char *tool;                       /* for messages: "lt-run" */
	const char *script;
	struct lt_texts input, inputs, constant, weights, load, dim, fix;
	const char *output, *backends, *dump, *cc, *cache, *cache_dir, *schedule, *apply, *target, *use_source;
	const char *trace;                      /* --profile=FILE; NULL: none */
	const char *symbols;                    /* --symbols; NULL: none */
	const char *kernels;                    /* --kernels; NULL: none */
	const char *view;                       /* --view; NULL: none */
	const char *second;                     /* --dump=diff: the other tree */
	int64_t runs, time, threads;            /* time: 0 none, -1 as many as take half a second */
	uint32_t cc_timeout_ms;                 /* 0: the library's default */
	char pass;                              /* -dLETTER; 0: none */
	char kernel_step;                       /* -kLETTER; 0: none */
	bool verify, allow_unbounded, explain, profile, strict, no_passes, no_cache, list, json, quiet, verbose,
		check_schedule, no_capture, unpacked, on_device, real;
	bool asks_cpu;                          /* --cc, --target or --use-source, which are cpu's */
};
extern const struct lt_tool run_tool;
/* done: help or the like was printed, and nothing is left to do. */
lt_status run_options_read(struct lt_context *, int argc, char **argv, struct run_options *, bool *done);
void run_options_free(struct run_options *);
/* --verify; with a value, which allows what no bound is known of. */
lt_status run_verify_take(const char *value, bool *verify, bool *allow_unbounded);
/* What of them is the model's. */
struct model_options run_model_options(const struct run_options *);
bool run_dump_is(const struct run_options *, const char *kind);
bool run_dump_graph(const struct run_options *);      /* a dump of the graph alone, which is not compiled */

/* The whole. */
/* scale: of the numbers that the integers stand for, where they are asked for, in `real`; 0: none are. */
struct run_result {
	const struct model_binding *binding;
	void *data, *packed;
	struct lt_tensor tensor;
	double scale, *real;
	int64_t zero;
};
struct run {
	struct run_options o;
	struct lt_context *ctx;
	struct model model;
	struct lt_bytes schedule;
	char *backends, *cache_dir;
	bool unusable;                          /* one of them is not for this machine, and does not open */
	struct lt_program *program;
	struct lt_instance *instance, *shares;  /* shares: the instance whose states are its own, too; NULL: none */
	struct run_result *result;
	const void **input;                     /* of the current evaluation */
	void **output;
	struct run_device *device;              /* --on-device; NULL: inputs and results are the host's */
	struct run_verify *verify;
	struct run_profile *profile;            /* --profile; profile.h */
	/* what was asked for is done, and the answer is no: trees differ, elements are not verified */
	enum lt_exit verdict;
	json_t *json;                           /* --json: the object that is printed at the end */
	struct { int64_t begin_ns; bool shown; } compile;      /* its progress */
	struct lt_phases phases;                /* what is done, on a terminal */
};

/* backends.c */
lt_status run_backends_list(struct run *);
/* The list to compile with: as -b names it, or the best that is usable here. */
lt_status run_backends_choose(struct run *);
bool run_backends_any_values(const void *options, const char *list);     /* lt_caps.any_values of the first */

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

/* eval.c: the evaluations, each printed, compared, written as asked for. */
lt_status run_evaluate(struct run *);
/* The file that an evaluation's results go to: --output with the number in it, malloc; NULL: no memory. */
char *run_output_name(const struct run *, int64_t evaluation);
/* one run; its sentence is the context's, as that of every failure of the tool */
lt_status run_instance(struct run *);

/* device.c: inputs and results in the device's memory; send: of the current evaluation.  input, output: what a run is
 * given. */
lt_status run_device_begin(struct run *);
void run_device_free(struct run *);
lt_status run_device_send(const struct run *);
lt_status run_device_fetch(const struct run *);
const void *const *run_device_input(const struct run *);
void *const *run_device_output(const struct run *);

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

/* crossing.c: the time of copies between memories, of one run, and what is left of it. */
struct run_crossing { double send_ns, bring_ns, between_ns, rest_ns; };
/* Nothing, null: no device with memory of its own takes part. */
void run_crossing_print(const struct run *, const struct lt_stats *, const struct run_crossing *);
json_t *run_crossing_json(const struct run *, const struct lt_stats *, const struct run_crossing *);

/* time.c */
lt_status run_time(struct run *);
#endif
