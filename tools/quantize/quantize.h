/* quantize.h -- the parts of lt-quantize: a model of floats and data become a script of integers.
 *
 * In this order: the model is read (tools/model), planned (ir/quant), the data is read and laid out in samples
 * (data.c), the floats run over it and give ranges (ranges.c); candidates are tried, all by one program (measure.c,
 * choose.c); the best one is written as a script with its weights (write.c).
 */
#ifndef LT_TOOLS_QUANTIZE_QUANTIZE_H
#define LT_TOOLS_QUANTIZE_QUANTIZE_H
#include "ir/quant/quant.h"
#include "tools/common/common.h"
#include "tools/model/model.h"
#include "tools/option/option.h"

/* options.c: the command line; everything points into argv. */
enum quantize_metric { METRIC_ACCURACY, METRIC_AGREE, METRIC_ERROR };
struct quantize_options {
	const char *model, *output, *labels, *data_out, *result, *bits, *scales, *mode, *metric, *backends, *report, *page;
	const char *compat, *target;
	struct lt_texts data, constant, weights, dim, fix;
	double loss, seconds;
	int64_t held;                   /* per cent of the data that are held out */
	int64_t ram, flash, threads;
	bool per_channel, quiet, verbose;
};
extern const struct lt_tool quantize_tool;
lt_status quantize_options_read(struct lt_context *, int argc, char **argv, struct quantize_options *, bool *done);
void quantize_options_free(struct quantize_options *);

/* A program over many samples, and room for its results; input by input, by result. */
struct quantize_program {
	struct lt_graph *graph;
	struct lt_program *program;
	struct lt_instance *instance;
	const void **input;
	void **result;
	size_t *sample_bytes;           /* by input: of one sample; 0: it is not the model's */
	int32_t n_input, n_result;
};

/* One input of the model: its data, sample after sample; behind them the last one again, so that all chunks are full.
 * */
struct quantize_input {
	const char *name, *path;        /* path: of its data */
	unsigned char *at, *held;       /* held: of what is held out; NULL: nothing is */
	size_t sample_bytes;
	int64_t rows, all_rows, held_rows;      /* rows of a sample, of `at`, of `held` */
};

/* How good a candidate is: loss in points (per cent) of the metric against the floats; error: the distance of the
 * results, a share of their norm, which tells candidates of equal loss apart. */
struct quantize_score { double metric, loss, error; bool possible; };
struct quantize_candidate {
	struct lt_quant_format *format; /* by cell */
	struct quantize_score score;
	int64_t flash, ram;
};

/* A part of the data, and what the floats make of it. */
struct quantize_part {
	int64_t first, rows;            /* of all rows: where it begins, how many it has */
	int64_t samples, n_chunk;       /* evaluations of the model; runs */
	int64_t *labels;                /* by row; NULL: there are none */
	double *expected;               /* the judged result of the floats, of all samples */
	double base, norm;              /* the metric of the floats; sum of squares of `expected` */
};

struct quantizing {
	struct quantize_options o;
	struct lt_context *ctx;
	struct model model;
	struct lt_phases phases;
	char *backends;
	const void **source;            /* by node of the model's graph: contents of constants */
	struct lt_quant *q;
	/* data.c */
	struct quantize_input *input; int32_t n_input;
	struct quantize_part part;      /* that ranges and candidates are found with */
	struct quantize_part held;      /* the other one; samples 0: nothing is held out */
	int64_t chunk;                  /* evaluations of a run */
	struct quantize_score held_score;       /* of the best candidate there */
	/* ranges.c */
	int32_t result;                 /* which result is judged */
	int64_t classes, row_results;   /* numbers a row has in that; rows of one evaluation */
	enum quantize_metric metric;
	struct quantize_samples { float *at; int64_t n; } *seen;        /* by cell: some of its values */
	struct lt_quant_format (*found)[LT_QUANT_MAX_BITS + 1]; /* by cell and bits: quantize_format's; of 0 bits: not yet */
	int64_t looked_at;              /* numbers that steps were found by, each as often as it was looked at */
	/* measure.c */
	struct quantize_program search;
	int64_t tried, judged, begin_ns, end_ns;
	int64_t kept;                   /* bytes of the model's constants that are written as they are; not STATIC */
	struct quantize_candidate *history;     /* all that were tried, without their formats */
	int32_t n_history, cap_history;
	bool caught;
	struct quantize_candidate best;
	/* choose.c: what candidates may take, as it is estimated; 0: any number */
	int64_t room_flash, room_ram;
	/* target.c: what lt-build reports of the best candidate; NULL: it was not asked */
	json_t *need;
};

/* program.c */
lt_status quantize_program_make(struct quantizing *, struct lt_graph *, struct quantize_program *out);
void quantize_program_free(struct quantize_program *);
/* Its inputs are z's part of the data. */
void quantize_program_data(const struct quantizing *, struct quantize_program *);
/* Chunk i of the data goes in; an index out of range is told with the row of the data that makes it. */
lt_status quantize_program_run(struct quantizing *, struct quantize_program *, int64_t chunk);
int32_t quantize_program_result(const struct quantize_program *, const char *name);

/* data.c */
lt_status quantize_data_read(struct quantizing *);
/* A name that no input, or no result, has: those that it may have been meant for, or all of them. */
lt_status quantize_no_name(struct quantizing *, enum lt_binding, const char *from, const char *name, size_t bytes);
void quantize_data_free(struct quantizing *);
/* The data as integers, as the result takes them, to a .npy or .npz. */
lt_status quantize_data_write(struct quantizing *, const struct lt_quant_derived *);

/* ranges.c: compiles the floats, with the values of all cells as results. */
lt_status quantize_floats(struct quantizing *, struct quantize_program *out);
/* Runs the floats: ranges of all cells, expected results, the metric of the floats. */
lt_status quantize_ranges(struct quantizing *);
/* The parts of that: which result is judged and how; the results of a run of floats as what is expected; after all runs
 * their metric. */
lt_status quantize_metric_find(struct quantizing *);
lt_status quantize_expect(struct quantizing *, const struct quantize_program *, int64_t chunk);
void quantize_expected(struct quantizing *);
/* The metric of results, `n` numbers an evaluation. */
double quantize_metric(const struct quantizing *, const double *result);
/* The format of so many bits, and its step, in which a cell loses least, of what the data had there; memory is the
 * plan's. */
lt_status quantize_format(struct quantizing *, int32_t cell, int32_t bits, struct lt_quant_format *out);
/* How much of --time is left; whether another candidate may be tried. */
int64_t quantize_left_ns(const struct quantizing *);
bool quantize_goes_on(const struct quantizing *);

/* measure.c: how far results are from what is expected, a share of the norm of that. */
double quantize_distance(const struct quantizing *, const double *result);
/* Tries a candidate, whose score, flash and ram are set. */
lt_status quantize_measure(struct quantizing *, struct quantize_candidate *);
/* Gives it to the program, whose runs are its from then on; memory is of the arena. */
lt_status quantize_give(struct quantizing *, const struct quantize_candidate *, struct lt_arena *,
	struct lt_quant_derived *out);
/* held.c: the best candidate judged by what was held out. */
lt_status quantize_held(struct quantizing *);

/* report.c: what was found, as JSON; written as the options say.  page.c: the same as a page with plots. */
lt_status quantize_report_write(struct quantizing *, const struct lt_quant_derived *);
lt_status quantize_page_write(struct quantizing *, const json_t *report);
/* A report as the options say; takes it. */
lt_status quantize_json_write(struct quantizing *, json_t *report);

/* choose.c: the search. */
lt_status quantize_choose(struct quantizing *);
/* Whether a is better than b. */
bool quantize_is_better(const struct quantize_score *a, const struct quantize_score *b);

/* script.c: the graph of a candidate, which the program has been given then. */
lt_status quantize_graph(struct quantizing *, const struct quantize_candidate *, struct lt_arena *,
	struct lt_quant_derived *, struct lt_graph **out);
/* The script of a graph, with its weights beside it. */
lt_status quantize_script_write(struct quantizing *, const struct lt_graph *, const char *path);
/* Bytes of constants whose contents are the model's own, to z. */
lt_status quantize_count_kept(struct quantizing *, const struct lt_graph *);

/* write.c: the graph of the best one, compared with what was searched by the evaluator of graphs; its script. */
lt_status quantize_write(struct quantizing *);
/* Its parts: of how many samples the evaluator's results are compared, one such comparison. */
int64_t quantize_samples_to_judge(const struct quantizing *, const struct lt_graph *);
struct lt_evaluation;
lt_status quantize_compare(struct quantizing *, const struct quantize_program *, const struct lt_graph *,
	const struct lt_evaluation *, int64_t sample);

/* target.c: whether --target takes that; whether lt-build works for it, before there is anything to build. */
lt_status quantize_target_name(struct lt_context *, const char *name);
lt_status quantize_target_check(struct quantizing *);
/* What a candidate takes of it, which is kept, and whether it has that. */
lt_status quantize_target_need(struct quantizing *, const struct quantize_candidate *, bool *fits);
/* Of the last that was asked for: bytes that are missing; the sentence that says so, with what takes most. */
int64_t quantize_target_missing(const struct quantizing *, bool flash);
const char *quantize_target_refused(const struct quantizing *);
/* "atmega328p: 2926 of 32256 bytes of flash ...", for one that has room. */
void quantize_target_print(const struct quantizing *, void (*print)(void *user, const char *text), void *user);

/* compat.c: instead of all that, SeeDot's own integers of a program of SeeDot (--compat). */
lt_status quantize_compat(struct quantizing *);
/* report.c: "accuracy: 97.50 %, of the floats .." */
void quantize_say_metric(const struct quantizing *, double metric);
#endif
