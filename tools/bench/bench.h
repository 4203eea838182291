/* bench.h -- the parts of lt-bench: cases, contestants, the protocol of measuring, what is reported.
 *
 * A case is a script with its tensors, made by a suite.  A contestant answers for a case: it prepares, runs N
 * repetitions and tells how long they took, hands out its result.  Looptree's backends answer in this process,
 * everything else is a peer: a process that speaks lines of text (docs/lt-bench.1).  The measured peak and bandwidth
 * are contestants, too.  What fails answers a code and leaves a sentence in the context that it was given; a row that
 * ends so takes the sentence over, and the next one goes on.  Numbers of time are seconds.
 */
#ifndef LT_TOOLS_BENCH_BENCH_H
#define LT_TOOLS_BENCH_BENCH_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/arena.h"
#include "lt/backend.h"
#include "lt/lt.h"
#include "tools/common/common.h"
#include "tools/machine/machine.h"
#include "tools/option/option.h"

enum { BENCH_WHY = 512, BENCH_RANK = 6, BENCH_TENSORS = 6, BENCH_NUMBERS = 12 };
#define BENCH_SLACK 0.1

/* say.c */
enum { BENCH_LABEL = 22 };      /* columns of a contestant's name in tables */
/* As much of a name of n bytes as fits: its first word, then its end, by which files differ. */
const char *bench_label(const char *label, int n, char out[BENCH_LABEL + 1]);
/* Of a failure that does not end the program: its sentence, BENCH_WHY bytes at most, for a row or a report. */
void bench_reason(struct lt_context *, lt_status, char out[BENCH_WHY]);
/* options.c: the command line; everything points into argv. */
struct bench_options {
	struct lt_texts suite, backend, schedule, peer, load, model;
	int *threads, n_threads;
	int samples;
	int rounds;                     /* the same where a sample is a process, a compilation or a text: fewer by default */
	int busy;                       /* other processes that compute meanwhile */
	double seconds;                 /* least seconds of a sample */
	double patience;                /* seconds that a peer has for one answer */
	uint32_t cc_timeout_ms;                 /* 0: the library's default */
	const char *kernels;            /* the folder of kernels of one's own, or NULL */
	const char *filter, *json, *csv, *plot, *cc, *cache_dir, *coretypes, *serve;
	/* of the suite llama; tokens 0, prompt -1: by default */
	struct lt_texts shape, dtype;
	const char *run, *runq, *folder;
	int tokens, prompt;
	int64_t seed;
	bool list, quick, no_vendor, quiet, no_evaluator, runtime_extents;
};
extern const struct lt_tool bench_tool;
/* done: help or the like was printed, and nothing is left to do. */
lt_status bench_options_read(struct lt_context *, int argc, char **argv, struct bench_options *, bool *done);
void bench_options_free(struct bench_options *);

/* progress.c: what is done, on a terminal; -q: nothing. */
void bench_progress_begin(const struct bench_options *);
void bench_progress_end(void);
struct lt_phases *bench_phases(void);

/* A case.  The result is one float32 tensor; so are the inputs. */
struct bench_tensor {
	const char *name;
	int rank;
	int64_t shape[BENCH_RANK];
	bool constant;                  /* given once, before the first run */
	int64_t n;                      /* elements */
	float *data;                    /* while the case is run */
	char *file;                     /* where peers read it, malloc; NULL: not written yet */
};
struct bench_case;
struct bench_net;
struct bench_llama;
typedef void bench_reference(const struct bench_case *, float *out);    /* in double, rounded once */
struct bench_case {
	const char *suite, *group;      /* group: geometric means are reported for each */
	char name[80];
	const char *op;                 /* for peers: gemm, conv2d, softmax ... */
	struct { const char *name; int64_t value; } number[BENCH_NUMBERS];     /* its sizes, for peers */
	int n_number;
	char *script;                   /* malloc */
	size_t body;                    /* where its statements after those of the inputs begin */
	int by_rows;                    /* row i of the result follows from row i of so many first inputs, and all others */
	int n_open;                     /* so many first inputs have the same rows, any number; 0: as by_rows says */
	int open_axis;                  /* of these, if it is not rows that may be any number, but elements along that axis */
	struct bench_tensor in[BENCH_TENSORS], out;
	int n_in;
	/* of one run; flops: as struct lt_work counts what is useful, -1: not known; bytes: each tensor that must be moved,
	 * once */
	int64_t flops, bytes;
	enum machine_bound bound;
	int64_t depth;                  /* terms of the longest sum; 0: the result is exact */
	bool noise;                     /* the one in which a contestant runs against itself */
	bench_reference *reference;
	struct bench_net *net;          /* a model, which has no script and tensors of its own (net.h); else NULL */
	struct bench_llama *llama;      /* the same, of the suite llama (llama.h); else NULL */
};
struct bench_cases { struct bench_case *at; int n, cap; };

/* case.c */
struct bench_case *bench_case_add(
	struct bench_cases *, const char *suite, const char *group, const char *op, const char *name);
void bench_case_number(struct bench_case *, const char *name, int64_t value);
int64_t bench_case_get(const struct bench_case *, const char *name);    /* -1: no such number */
/* The next input (constant) of that shape, and the result's shape. */
struct bench_tensor *bench_case_in(
	struct bench_case *, const char *name, bool constant, int rank, const int64_t *shape);
void bench_case_out(struct bench_case *, int rank, const int64_t *shape);
void bench_case_script(struct bench_case *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Of so many first inputs --runtime-extents leaves the first dim open; the script in which an int64 input says how many
 * rows each has, at most `bound`; malloc. */
#define BENCH_ROWS "rows"
int bench_case_open_inputs(const struct bench_case *);
char *bench_case_of_open(const struct bench_case *, int64_t bound);
/* The script for so many rows of a case by_rows; malloc. */
char *bench_case_of_rows(const struct bench_case *, int64_t rows);
/* Random numbers in [-1, 1) that depend on the names alone. */
void bench_case_fill(struct bench_case *);
/* The same, of a model too, which has to be read for it. */
lt_status bench_case_open(struct lt_context *, struct bench_case *);
void bench_case_empty(struct bench_case *);
/* the inputs into files, for peers; gone with bench_case_empty */
lt_status bench_case_write(struct lt_context *, struct bench_case *);
void bench_cases_free(struct bench_cases *);
/* How many sets of a case's tensors are used in turn on a device. */
int bench_device_sets(const struct machine_device *, const struct bench_case *);
double bench_case_work(const struct bench_case *);      /* flops or bytes, as it is bound */
/* "suite/name" has one of the texts, or matches one of the patterns, between the commas */
bool bench_case_fits(const struct bench_case *, const char *filter);

/* The suites; each is a file NAME.c. */
/* How a suite is measured, as bits: single operations by contestants in turn, whole models the same; whole processes;
 * language models; what compiling takes. */
enum bench_kind { BENCH_SINGLE = 1, BENCH_NETS = 2, BENCH_STARTS = 4, BENCH_TEXTS = 8, BENCH_COMPILES = 16 };
struct bench_suite { const char *name, *summary; void (*cases)(struct bench_cases *); enum bench_kind kind; };
extern const struct bench_suite bench_suites[];         /* ends with a name NULL; suites.c */
const struct bench_suite *bench_suite_find(const char *name);
void bench_gemm_cases(struct bench_cases *);
void bench_conv_cases(struct bench_cases *);
void bench_rows_cases(struct bench_cases *);
void bench_mlp_cases(struct bench_cases *);
void bench_recurrent_cases(struct bench_cases *);
void bench_pointwise_cases(struct bench_cases *);
void bench_layout_cases(struct bench_cases *);
void bench_gpu_cases(struct bench_cases *);
void bench_compile_cases(struct bench_cases *);
void bench_nets_cases(struct bench_cases *);            /* none: they are the models that --model names */
void bench_llama_cases(struct bench_cases *);           /* none: they are the models that --shape names */
bool bench_suite_takes_models(const char *name);
/* Single cases of these, for other suites. */
void bench_gemm_case(struct bench_cases *, const char *suite, const char *group, int m, int k, int n);
void bench_pointwise_chain(struct bench_cases *, const char *suite, int operations, int bits);
void bench_rows_case(struct bench_cases *, const char *suite, const char *op, int64_t columns, int bits);
void bench_mlp_case(struct bench_cases *, const char *suite, int batch);
void bench_mnist_case(struct bench_cases *, const char *suite, int batch);
void bench_layout_permute(
	struct bench_cases *, const char *suite, const char *name, int rank, const int64_t *shape, const int *perm);
void bench_pieces_cases(struct bench_cases *);          /* pieces.c: no suite of its own, part of compile */

/* distance.c: relative L2; absolute where all that is wanted is 0. */
double bench_distance(const float *got, const float *want, int64_t n);

/* judge.c: a result, or a sample of its rows, before the judge (lt/verify.h). */
struct bench_judge;
/* *out is to be freed where it fails, too.  rows: of the result; all of them, or so many in a sample. */
lt_status bench_judge_new(struct lt_context *, const struct bench_case *, int64_t rows, struct bench_judge **out);
void bench_judge_free(struct bench_judge *);
const float *bench_judge_reference(const struct bench_judge *);        /* of all rows; of a sample, its rows */
lt_status bench_judge_result(struct bench_judge *, const struct bench_case *, const float *got);
/* A row counts if all of it is right; where: the end of the sentence. */
struct lt_verified;
lt_status bench_verdict(struct lt_context *, const struct lt_verified *, const char *where);
/* Row numbers of a sample: n of `rows`, ascending, the first and the last among them if there are two. */
void bench_sample_rows(const struct bench_case *, int64_t rows, int64_t n, int64_t *out);

/* check.c: whether a result is right. */
enum { BENCH_METHOD = 96 };
struct bench_truth {
	struct lt_context *ctx;
	char method[BENCH_METHOD];
	float *want;
	double *vector, *product;
	struct bench_judge *judge;
	/* of a model: its judge, its inputs, and by result what rounding explains of its norm */
	struct lt_verifier *net;
	const void **input;
	double *allowed;
	bool open;                      /* what is right is another contestant's result, which is not there yet */
	double tolerance;
	char why[BENCH_WHY];            /* there is none */
};
/* By the graph evaluator where that takes seconds at most.  What is longer is compared with the reference, a product
 * that is too long for that by C.t = A.(B.t), and the evaluator has a sample of the rows. */
void bench_truth_make(struct lt_context *, const struct bench_case *, struct bench_truth *out);
void bench_truth_free(struct bench_truth *);
void bench_reference_make(const struct bench_case *, float *out);      /* the reference of all rows, by threads */
double bench_tolerance(const struct bench_case *);
int64_t bench_judged_rows(const struct bench_case *);  /* that the evaluator has; 0: none, -1: all */
/* Relative L2 distance to *error; fails if the result does not count.  ours: it also has to stand before the judge. */
lt_status bench_check(
	const struct bench_case *, const struct bench_truth *, bool ours, const float *got, double *error);

/* Contestants. */
enum bench_answer { BENCH_READY, BENCH_SKIP, BENCH_BAD };       /* skip: it does not do such cases */
struct bench_contestant;
struct bench_row;
/* They fail in the context that the contestant was opened with. */
struct bench_ops {
	/* LT_EUNSUPPORTED of one that is not ours: it does not do such cases */
	lt_status (*begin)(struct bench_contestant *, const struct bench_case *, int threads);
	lt_status (*run)(struct bench_contestant *, int64_t n, double *seconds);
	lt_status (*result)(struct bench_contestant *, const struct bench_case *, float *out);
	void (*end)(struct bench_contestant *);         /* of the case; also after begin has failed */
	void (*close)(struct bench_contestant *);
};
/* AGAIN: ours against itself; OPEN: ours with extents that are known when a run starts */
enum bench_role { BENCH_OURS, BENCH_OTHER, BENCH_DENOMINATOR, BENCH_AGAIN, BENCH_OPEN };
enum bench_answer bench_answer(enum bench_role, lt_status);     /* what the status means; measure.c */
struct bench_contestant {
	const struct bench_ops *ops;
	char label[96], about[256];
	enum bench_role role;
	enum machine_bound bound;         /* of a denominator */
	double unit;                    /* of a denominator: what one repetition does, FLOP or bytes */
	/* Of a denominator: the best rate that is known for so many threads; again: after measuring it once more. */
	double (*limit)(struct bench_contestant *, int threads, bool again);
	bool files;                     /* reads a case's inputs from files */
	double prepare;                 /* of the case begun: compiling, packing */
	json_t *stats;                  /* what else is known of that, or NULL */
	void *state;
};
struct bench_contestants { struct bench_contestant *at; int n, cap; };
struct bench_contestant *bench_contestant_add(
	struct bench_contestants *, const char *label, enum bench_role, const struct bench_ops *);
void bench_contestants_free(struct bench_contestants *);

/* looptree.c: a backend by its name and config; schedule: a file, or NULL; kernels: a folder, or NULL; with the
 * contestant's role OPEN extents are left open.  Before anything is measured: there is one of the name, it can be used
 * here, and takes the config. */
lt_status bench_looptree_check(struct lt_context *, const char *backend);
lt_status bench_looptree_open(struct lt_context *, struct bench_contestant *, const char *backend,
	const char *schedule, const char *kernels, const struct bench_options *);
/* process.c: a peer; environment: NULL or "NAME=VALUE" for it.  open: start, then greet, which waits for its
 * first line. */
lt_status bench_process_start(struct lt_context *, struct bench_contestant *, const char *command,
	const char *environment, double patience);
lt_status bench_process_greet(struct bench_contestant *);
lt_status bench_process_open(struct lt_context *, struct bench_contestant *, const char *command,
	const char *environment, double patience);
pid_t bench_process_id(const struct bench_contestant *);        /* also of its group */
json_t *bench_process_case(const struct bench_case *, int threads);
/* serve.c: this program as a peer; a vendor that is not installed is no failure. */
lt_status bench_serve(struct lt_context *, const struct bench_options *);
lt_status bench_serve_case(struct lt_context *, const json_t *, struct bench_case *out, int *threads);
/* openblas.c, onednn.c: libraries opened at run time. */
lt_status bench_openblas_open(struct lt_context *, struct bench_contestant *);
lt_status bench_onednn_open(struct lt_context *, struct bench_contestant *);
/* "NAME=VALUE" for each core type that OpenBLAS may offer on this kind of machine; NULL ends them. */
extern const char *const bench_coretypes[];            /* vendors.c */

/* cublas.c: cuBLAS on that device. */
lt_status bench_cublas_open(struct lt_context *, struct bench_contestant *, struct machine_device *);

/* vendors.c: the libraries that are installed: on a device cuBLAS; on the processor, as peers, oneDNN, and
 * OpenBLAS with each core type that is worth it. */
void bench_vendors_add(struct lt_context *, struct bench_contestants *, const struct bench_options *,
	struct machine_device *, json_t *report);

/* peak.c: what the machine can do, as a contestant. */
void bench_peak_contestant(struct bench_contestant *, struct machine_peak *, enum machine_bound);

/* load.c: processes that do nothing but compute, while something is measured. */
struct bench_load { pid_t *pid; int n; };
lt_status bench_load_begin(struct lt_context *, struct bench_load *, int n);
void bench_load_end(struct bench_load *);

/* measure.c: the protocol. */
struct bench_row {
	char label[96];
	enum bench_role role;
	enum bench_answer answer;
	char why[BENCH_WHY];
	int64_t repeat;                 /* runs in a sample */
	int n_sample;
	double *sample;                 /* seconds of one run, in the order of measuring */
	double median, minimum, spread; /* spread: middle half over median */
	double prepare, error;
	double rate;                    /* work over median */
	double of_peak, of_best;        /* ratios; 0: no such */
	json_t *stats;
};
struct bench_outcome {
	const struct bench_case *c;
	int threads, n_row;
	struct bench_row *row;
	double peak;                    /* the denominator, in FLOP/s or bytes/s; 0: none */
	char method[BENCH_METHOD];      /* of checking */
	double tolerance;
};
struct bench_outcomes { struct bench_outcome *at; int n, cap; };
void bench_sort(double *, int n);
double bench_quantile(const double *sorted, int n, double q);
double bench_geomean(const double *, int n);            /* of those above 0; 0: there is none */
int bench_turn(int round, int position, int n);            /* the contestant at that position of the round */
void bench_row_finish(struct bench_row *, double work);
void bench_ratios(struct bench_outcome *);
/* Rows whose operations in their time are more than the machine can do, flop_peak and what the case's own denominator
 * reached, fail with that reason: the count or the time is wrong.  BENCH_SLACK of the peak are left to its own
 * measuring.  Bandwidth is no such limit: prefetching and caches read faster than the plain loop that measures it.
 * Says how many rows are above; fail: they fail. */
int bench_impossible(struct lt_context *, struct bench_outcome *, double flop_peak, bool fail);
/* Others whose names are equal up to a colon (openblas:Zen, openblas:Haswell) are forms of one: whether row i is the
 * one of them that counts, the fastest; where none was measured, the first. */
bool bench_leads(const struct bench_outcome *, int i);
int bench_family(const struct bench_row *);             /* characters of its label that name it */
/* Adds an outcome, but not if it was interrupted. */
void bench_measure(struct lt_context *, struct bench_case *, struct bench_truth *, struct bench_contestants *,
	int threads, const struct bench_options *, struct bench_outcomes *);
void bench_outcomes_free(struct bench_outcomes *);
void bench_settle(int threads);                         /* waits until threads of the one before sleep */

/* compile.c: what compiling costs, cold and from the cache. */
struct bench_compiled {
	const struct bench_case *c;
	const char *backend;
	char why[BENCH_WHY];            /* "": it went well */
	int kernels, rounds;
	/* medians, seconds; cold, cached: of the backend */
	double passes, tree, freeze, accept, cold, cached, total, total_cached;
};
struct bench_compiles { struct bench_compiled *at; int n, cap; };
void bench_compile(struct lt_context *, const struct bench_case *, const char *backend,
	const struct bench_options *, struct bench_compiles *);

/* start.h: the suite start. */
struct bench_started;
struct bench_starts { struct bench_started *at; int n, cap; };

/* Telling. */
struct bench_report {
	const struct bench_options *o;
	struct bench_outcomes outcomes;
	struct bench_compiles compiles;
	struct bench_starts starts;
	json_t *machine, *vendors;
	const struct machine_peak *peak;
};
void bench_print_head(const struct bench_report *, FILE *);            /* table.c */
void bench_print_outcome(const struct bench_outcome *, bool first, FILE *);
void bench_print_compiled(const struct bench_compiled *, bool first, FILE *);
void bench_print_summary(const struct bench_report *, FILE *);         /* summary.c */
json_t *bench_summary_json(const struct bench_report *);
json_t *bench_report_json(const struct bench_report *);                 /* json.c */
void bench_print_json(const struct bench_report *, FILE *);
void bench_print_csv(const struct bench_report *, FILE *);
void bench_print_svg(const struct bench_report *, FILE *);              /* svg.c */
#endif
