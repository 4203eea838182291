/* llama.h -- the suite llama: language models of llama2.c with random weights, ours beside its programs.
 *
 * A case is a shape with a type of its matrices.  All cases of a shape are measured in one rotation: tokens of each
 * backend, the pass that reads a prompt, run and runq as processes, the bandwidth.
 */
#ifndef LT_TOOLS_BENCH_LLAMA_H
#define LT_TOOLS_BENCH_LLAMA_H
#include "frontends/llama2/llama2.h"
#include "tools/bench/bench.h"

/* llama_shape.c */
enum bench_llama_type { BENCH_LLAMA_F32, BENCH_LLAMA_BF16, BENCH_LLAMA_F16, BENCH_LLAMA_INT8, BENCH_LLAMA_TYPES };
const char *bench_llama_type_name(enum bench_llama_type);
enum lt_dtype bench_llama_dtype(enum bench_llama_type);
struct bench_llama {
	char shape[40];
	struct lt_llama sizes;          /* dim to context, shared; nothing else */
	enum bench_llama_type type;
	uint64_t seed;
};
/* Before any work: whether what the options of this suite say is possible; makes --folder. */
lt_status bench_llama_check(struct lt_context *, const struct bench_options *);
/* The cases that --shape and --dtype ask for. */
lt_status bench_llama_add(struct lt_context *, struct bench_cases *, const char *suite, const struct bench_options *);
/* The model without weights; *bytes: of its checkpoint. */
lt_status bench_llama_sized(struct lt_context *, const struct bench_llama *, enum bench_llama_type,
	struct lt_llama *out, int64_t *bytes);
/* Bytes that a token reads: weights once, and keys and values of a position in the middle of those that are timed. */
int64_t bench_llama_bytes(const struct lt_llama *, int tokens);
int64_t bench_llama_cache_bytes(const struct lt_llama *);
/* How many are made, and how many a prompt has, 0: none is read. */
int bench_llama_tokens(const struct bench_options *, const struct lt_llama *);
int bench_llama_prompt(const struct bench_options *, const struct lt_llama *);

/* llama_weights.c: numbers [first, first + n) of weights, which the seed and their place decide alone. */
void bench_llama_floats(const struct lt_llama *, uint64_t seed, enum lt_llama_kind, int32_t layer, int64_t first,
	int64_t n, float *to);
/* Of a model without weights, of any type: as lt_fill, a constant of its graph. */
struct bench_llama_source {
	const struct lt_llama *m;
	uint64_t seed;
	enum lt_llama_kind kind;
	int32_t layer;
	bool scale;
};
lt_status bench_llama_fill(void *source, size_t offset, size_t bytes, void *to);

/* llama_files.c: what the contestants read. */
struct bench_llama_file { char *path; bool mine; struct lt_llama m; void *at; size_t bytes; };
struct bench_llama_files {
	struct bench_llama_file of[BENCH_LLAMA_TYPES];  /* path NULL: there is none */
	char *tokenizer;                                /* token i is the text "i " */
	void *vocabulary;
	size_t n_vocabulary;
	struct lt_llama_tokenizer *words;
};
/* Types whose bit is set are written, or found in --folder; *out is to be freed where it fails, too. */
lt_status bench_llama_files_make(struct lt_context *, const struct bench_llama *, unsigned types,
	const struct bench_options *, struct bench_llama_files *out);
void bench_llama_files_free(struct bench_llama_files *);

/* llama_reference.c: logits of the last of n tokens, by plain loops in double, of weights that are made as they
 * are needed. */
lt_status bench_llama_reference(struct lt_context *, const struct bench_llama *, const int32_t *token, int n,
	double *logits);

/* What was made: the likeliest token, again and again, after the one that begins a text. */
struct bench_llama_made {
	int32_t *token;                 /* malloc */
	int n;
	int timed;                      /* steps after the first, of which seconds are */
	double seconds;
};

/* llama_ours.c: one backend with one type. */
struct bench_llama_ours;
/* file NULL: weights are made where they are needed.  *out is to be closed where it fails, too. */
lt_status bench_llama_open(struct lt_context *, const struct bench_llama *, const struct bench_llama_file *,
	const char *backend, int threads, const struct bench_options *, struct bench_llama_ours **out);
void bench_llama_close(struct bench_llama_ours *);
double bench_llama_prepared(const struct bench_llama_ours *);          /* seconds of compiling and weights */
json_t *bench_llama_stats(const struct bench_llama_ours *);
/* Whether it can also be run by launches one by one. */
bool bench_llama_captures(const struct bench_llama_ours *);
/* Logits after these tokens, one a run; they stay until the next call. */
lt_status bench_llama_logits(struct bench_llama_ours *, const int32_t *token, int n, const float **logits);
/* launches: one by one.  words: pieces are written as they come, as run does. */
lt_status bench_llama_make(struct bench_llama_ours *, int n, bool launches, const struct lt_llama_tokenizer *words,
	struct bench_llama_made *);
/* Seconds of n tokens in one pass, and the logits of the last. */
lt_status bench_llama_read(struct bench_llama_ours *, const int32_t *token, int n, const float **logits,
	double *seconds);

/* llama_rival.c: run or runq, which says "achieved tok/s" on standard error. */
lt_status bench_llama_rival(struct lt_context *, const char *program, const char *checkpoint, const char *tokenizer,
	int threads, int n, const struct bench_options *, struct bench_llama_made *);
/* lt-llama in a process of its own, with an empty cache and with the one that this has filled: seconds of compiling,
 * and the most memory. */
struct bench_llama_start { double cold, cached; int64_t peak_cold, peak_cached; };
lt_status bench_llama_start(struct lt_context *, const char *checkpoint, const char *backend, int threads, int n,
	const struct bench_options *, struct bench_llama_start *);

/* llama_check.c: tokens beside others. */
/* Of one that stands before the reference: logits of n tokens, one by one and in one pass, are `want`, and those of a
 * pass of `prompt` tokens, which is what is measured (0: none), are those of as many one by one.  token: the more of
 * n and prompt.  *error: the largest distance from `want`, over its norm. */
lt_status bench_llama_check_logits(struct lt_context *, const struct bench_llama *, struct bench_llama_ours *,
	int prompt, const double *want, const int32_t *token, int n, double *error);
/* How many tokens are those of `ours`, before the first that is another one; fails where ours leads clearly there. */
lt_status bench_llama_check_tokens(struct lt_context *, const struct bench_llama *, struct bench_llama_ours *,
	const struct bench_llama_made *mine, const struct bench_llama_made *other, int *agree);
double bench_llama_tolerance(const struct bench_llama *);
int bench_llama_checked(const struct lt_llama *);       /* tokens that the reference computes */

/* llama.c: cases that have one shape, in a rotation of their own; adds an outcome for each of them, whose rows
 * have the rest in `stats`, but none if it was interrupted. */
void bench_llama_measure(struct lt_context *, struct bench_case *, int n, int threads, const struct bench_options *,
	struct machine_peak *, struct bench_outcomes *);
/* llama_report.c: the outcomes of one shape, n of them. */
void bench_print_llama(const struct bench_outcome *, int n, bool first, FILE *);
#endif
