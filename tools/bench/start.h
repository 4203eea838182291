/* start.h -- the suite start: from nothing to the first result, in processes of their own. */
#ifndef LT_TOOLS_BENCH_START_H
#define LT_TOOLS_BENCH_START_H
#include "tools/bench/net.h"

/* One contestant with one model and number of threads; times are medians, bytes the most of all rounds. */
struct bench_start_row {
	char label[96];
	enum bench_role role;
	enum bench_answer answer;
	char why[BENCH_WHY];
	int n;                          /* rounds */
	/* seconds, by round: of all; of it until the model is ready and of the first run, 0: not known apart */
	double *total, *ready, *first;
	double total_s, ready_s, first_s;
	int64_t peak, before;           /* bytes of the process: at most; before it had a model, 0: not known */
	double over_time, over_memory;  /* over those of the best of the others; 0: there is none */
};
struct bench_started { const struct bench_case *c; int threads, n_row; struct bench_start_row *row; };

/* lt-run of each backend, cold and out of the cache that this has filled; then each peer.  Adds to the list, but not if
 * it was interrupted. */
void bench_start(struct lt_context *, struct bench_case *, int threads, const struct bench_options *,
	struct bench_starts *);
void bench_starts_free(struct bench_starts *);
void bench_start_ratios(struct bench_started *);
void bench_print_started(const struct bench_started *, bool first, FILE *);
json_t *bench_started_json(const struct bench_started *);
/* Geometric means over the cases. */
void bench_print_starts(const struct bench_starts *, FILE *);

/* start_process.c: a program, by its words, NULL after the last; runs it once, from its start to its end. */
struct bench_program {
	bool says;                      /* given: what it writes is kept; else it goes nowhere */
	double seconds;
	int64_t peak;                   /* the most memory that it had, bytes */
	char *text, *errors;
};
lt_status bench_program_run(struct lt_context *, char *const *words, const struct bench_options *,
	struct bench_program *);
void bench_program_free(struct bench_program *);
/* words.c: a list of such words, each malloc. */
struct bench_words { char **at; int n, cap; };
void bench_word_add(struct bench_words *, char *text);
void bench_option_add(struct bench_words *, const char *option, char *value);
void bench_words_free(struct bench_words *);
/* The path of a program that lies beside this one, malloc. */
lt_status bench_program_beside(struct lt_context *, const char *name, const char *suite, char **out);
/* The most memory that any process of a group has had; 0: not known. */
int64_t bench_group_peak(pid_t group);
#endif
