/* tools/check.h -- the parts of lt-check.
 *
 * A case is a name, a graph and a tree made from it (or a function that tries one clause of the contract).  Cases run
 * in child processes, a batch at a time: graphs are lowered to frozen trees, the trees of a batch are compiled by one
 * call of the backend, and each runs between sentinels against the graph evaluator.  What a child says goes to the
 * parent through a pipe; if it crashes or hangs, the case in hand has failed, and the others go on in another child.
 */
#ifndef LT_TOOLS_CHECK_H
#define LT_TOOLS_CHECK_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "check/judge.h"
#include "lt/backend.h"
#include "program/program.h"
#include "tools/options.h"

enum check_group {
#define GROUP(name, doc) CHECK_##name,
#include "tools/check.def"
	CHECK_N_GROUP
};
struct check_groupinfo { const char *name, *doc; };
const struct check_groupinfo *lt__check_group(int group);               /* check_cases.c */

/* -- cases -- */

enum check_shape {
	CHECK_ONE,
	CHECK_PRIME,
	CHECK_BELOW,
	CHECK_POWER,
	CHECK_ABOVE,
	CHECK_ZERO,
	CHECK_SCALAR,
	CHECK_DEEP,
	CHECK_N_SHAPE
};
enum check_view {
	CHECK_NONE,
	CHECK_PAD,
	CHECK_STRIDE,
	CHECK_SLICE,
	CHECK_RESHAPE,
	CHECK_PERMUTE,
	CHECK_CONCAT,
	CHECK_BROADCAST,
	CHECK_FLIP,
	CHECK_N_VIEW,
	CHECK_FLATTEN = CHECK_N_VIEW,
	CHECK_N_VIEWS
}; /* after N_VIEW: beside the pairs of op */
/* After N_SCHEDULE: plain trees with loops in vectors, beside the pairs.  MASKED, PEELED: dim n, eight lanes; INNER:
 * the innermost loops, eight; PADDED: the same, the rest padded; OUTER: those right around them, four; NESTED: both;
 * STRIPS: the innermost, cut in four, each lane a part of them. */
enum check_schedule {
	CHECK_DEFAULT,
	CHECK_PLAIN,
	CHECK_DRAWN,
	CHECK_DRAWN2,
	CHECK_N_SCHEDULE,
	CHECK_MASKED = CHECK_N_SCHEDULE,
	CHECK_PEELED,
	CHECK_INNER,
	CHECK_PADDED,
	CHECK_OUTER,
	CHECK_NESTED,
	CHECK_STRIPS,
	CHECK_N_TREE
};
enum check_neighbour { CHECK_ALONE, CHECK_PRODUCER, CHECK_CONSUMER, CHECK_BOTH, CHECK_REDUCED, CHECK_N_NEIGHBOUR };

/* What a graph is made of; which fields mean something depends on the group. */
struct check_spec {
	int op;                         /* enum lt_opcode */
	enum lt_dtype dtype, other;     /* other: of a cast, of an index */
	int shape, view, schedule, neighbour;
	int variant;
};
/* text: a tree, a schedule, or steps that change the default tree; NULL: as the kind says.  replay: a schedule, or
 * steps, of which those that do not fit are left out.  The program can be shown, not run: its frozen trees are the
 * backend's to run. */
struct check_tree { int kind; uint64_t seed; const char *text; bool replay; };
struct check_device;
struct check_outcome;
struct check_case {
	const char *name;               /* "op/exp/f32/prime/view=pad/default/alone" */
	int group;
	const char *row;                /* of the support matrix, NULL: it is not in it */
	enum lt_dtype column;
	struct check_spec spec;
	uint64_t seed;                  /* of its data and of a drawn tree: from its name and the seed of the suite */
	int special;                    /* percent of special values in the second set of data */
	bool wild;                      /* an index is out of range in the second set of data */
	/* A clause of the contract instead of a graph of its own: NULL for a graph. */
	void (*clause)(struct check_device *, const struct check_case *, struct check_outcome *);
	/* A graph that is there already, and its tree; NULL where both follow from the spec. */
	const struct lt_graph *graph;
	struct check_tree how;
};
struct check_list { struct check_case *at; int32_t n, cap; bool lost; };         /* lost: there was no memory for all */

struct check_options {
	const char *backend, *config;   /* the name as given; what came after NAME: */
	const char *filter, *report, *keep;
	uint64_t seed;
	double seconds;                 /* 0: no limit */
	double patience;                /* seconds that one step of a case may take */
	uint32_t cc_timeout_ms;         /* lt_host.cc_timeout_ms */
	bool full, json, list, verbose, no_reduce, go_on;
	uint32_t n_thread;
	int part, n_part;               /* 1 <= part <= n_part; 0: all cases */
	struct lt_given given;          /* which options were given */
	struct lt_texts loads;
	const char *word;               /* as -b was given, for the commands that repeat a case */
	const char *const *load; int32_t n_load;        /* what is in loads */
	const char *temp_dir;           /* lt_host.temp_dir */
	/* a graph to check instead of the suite, its tree, its data: "SEED/SET/SPECIAL/WILD" */
	const char *script, *schedule, *data;
};
/* All cases of the suite, in order: those that match the filter and are in the part. */
void lt__check_cases(const struct check_options *, struct check_list *);
void lt__check_cases_free(struct check_list *);
bool lt__check_matches(const char *pattern, const char *name);          /* a glob, or part of the name */
uint64_t lt__check_hash(const void *, size_t bytes, uint64_t seed);
static inline double lt__check_now(void) { return (double)lt__now_ns() * 1e-9; }

/* check_pairs.c: rows of levels that cover every allowed pair, or (full) every allowed combination.  allowed: levels
 * may be -1 (open). false: there is no memory. */
/* skip: a pair that need not be covered */
struct check_factors { int n; const int *level; bool (*allowed)(const int *at); int skip_a, skip_b; };
bool lt__check_pairs(const struct check_factors *, bool full, void (*row)(void *user, const int *at), void *user);

/* check_graph.c, check_graph_*.c: the graph of a case; -1 results are bugs of the suite, told in the context. */
lt_status lt__check_graph(struct lt_context *, const struct check_case *, struct lt_graph **out);

/* -- outcomes -- */

enum check_status { CHECK_PASSED, CHECK_REFUSED, CHECK_FAILED, CHECK_SKIPPED };
enum { CHECK_TEXT = 1500 };
struct check_outcome {
	enum check_status status;
	char text[CHECK_TEXT];          /* what differs; why it is refused or skipped */
	char *schedule;                 /* of a failure: that of lt__check_lower; the caller's to free */
	int set;                        /* of a failure: the set of data */
	double seconds;
	/* unrun: it could not even be begun, which is a failure; late: not run, the time was up; left: not run, for
	 * many before it had ended in one way */
	bool done, unrun, late, left;
};
/* false */
__attribute__((format(printf, 3, 4))) bool lt__check_end(
	struct check_outcome *, enum check_status, const char *fmt, ...);

/* -- the backend -- */

/* Keeps the first note, counts the others. */
struct check_diagnostics {
	struct lt_diag diag;
	uint32_t size;
	lt_status code;
	int32_t loop, stmt;
	int n;
	char text[600], remedy[300];
};
void lt__check_diagnostics_init(struct check_diagnostics *);
struct check_device {
	const struct lt_backend *backend;
	const char *config;
	struct lt_host host;
	struct lt_session *session;
	const struct lt_caps *caps;
	uint32_t n_thread;
	uint64_t seed;
	const struct check_options *options;
	struct check_text *facts;       /* of errors/environment: where they are kept */
};
bool lt__check_open(struct check_device *, const struct check_options *, struct check_outcome *);
void lt__check_close(struct check_device *);
/* Another session of the same backend. */
bool lt__check_open_again(const struct check_device *, struct check_device *out, struct check_outcome *);

/* -- data (check_data.c) -- */

enum { CHECK_BELOW_ZERO = 3, CHECK_ABOVE_ZERO, CHECK_MIN, CHECK_GREATEST, CHECK_N_SET };
struct check_data { uint64_t seed; int set, special; bool wild; };
/* By node: the data of each source, else NULL.  Set 0: plain, run-time scalars at their greatest; 1: special values
 * among them, run-time scalars at their least; 2: plain, run-time scalars between; of graphs that reduce, 3: inputs all
 * below zero and constants above, 4: all above, run-time scalars at their greatest; of graphs that have a greatest or
 * least over a dim, 5 and 6: the same, all inputs the least that the type has (of floats minus infinity), and the
 * greatest.  A function of the sources' names, types and ranges. */
void **lt__check_data_new(const struct lt_graph *, const struct check_data *);
void lt__check_data_free(const struct lt_graph *, void **);

/* -- lowering (check_lower.c) -- */

/* schedule: the steps that made the tree ("schedule 1" before those from the plain one), the caller's to free; NULL:
 * there are none. */
lt_status lt__check_lower(const struct check_device *, const struct lt_graph *, const struct check_tree *,
	struct lt_program **out, char **schedule);
/* The steps, a line each, that the tree takes one after the other; the caller's to free. */
char *lt__check_replay(const struct lt_looptree *, const char *steps);

/* -- running (check_guarded.c, check_run.c, check_compare.c) -- */

/* A case on its way: what it is, what became of it, its trees and objects. */
struct check_work {
	struct check_device *device;
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	char *schedule;                 /* as lt__check_lower has it */
	struct lt_object **object;      /* by nest of the program */
	struct check_outcome *out;
	uint64_t seed; int special; bool wild;
	bool is_given;                  /* the graph is another's */
};
/* check_copy.c: pages of addresses of their own.  Open: they can be written, and are empty; sealed: only read; closed:
 * not touched at all. */
struct check_pages { char *at; size_t n; bool full; };
bool lt__check_pages_new(struct check_pages *);
void lt__check_pages_free(struct check_pages *);
void lt__check_pages_open(struct check_pages *);
void lt__check_pages_seal(struct check_pages *);
void lt__check_pages_close(struct check_pages *);
/* Bytes of them, a copy of `from` (NULL: anything); NULL, and full is set, when there are no more. */
void *lt__check_pages_take(struct check_pages *, const void *from, size_t bytes);
/* with all that it points to */
const struct lt_tree *lt__check_pages_tree(struct check_pages *, const struct lt_tree *);

/* A storage of the program between sentinels. */
struct check_block { unsigned char *block; void *device; size_t at, bytes, total; };
struct check_guarded {
	struct check_work *w;
	int32_t n;
	struct check_block *block;      /* by storage of the program */
	struct lt_kernel_judge *kernels;        /* sees what each step of a launch leaves; NULL: nobody looks */
	bool async;                     /* its runs are enqueued, and waited for one by one */
	/* where args and slots of each run stand, and are gone when it comes back; NULL: no such place */
	struct check_pages *lend;
};
enum { CHECK_GUARD = 128, CHECK_MARK = 0xC3 };
/* odd: 0, 1 ..: other places of the same alignment */
void lt__check_guarded_new(struct check_work *, int odd, struct check_guarded *);
void lt__check_guarded_free(struct check_guarded *);
/* Sources get their data, all else the poison, everything its sentinels; to the device where there is one. */
bool lt__check_guarded_fill(struct check_guarded *, void *const *data, int poison);
/* The same but for what is computed from constants before the first run, which stays. */
bool lt__check_guarded_refill(struct check_guarded *, void *const *data, int poison);
/* Back from the device; sentinels stand and sources that may not change have not. */
bool lt__check_guarded_stand(struct check_guarded *, void *const *data);
/* Back from the device: one storage, whatever stands around it; its first element. */
void *lt__check_guarded_fetch(struct check_guarded *, int32_t storage);       /* NULL: the device failed */
/* NULL: no such storage */
void *lt__check_guarded_at(const struct check_guarded *, enum lt_space, int32_t binding);
/* A workspace of exactly what need says, between sentinels; NULL memory for none. */
struct check_space { unsigned char *block, *at; size_t bytes, total; void *device; };
/* What a run of a nest is handed, with room for one slot more. */
struct check_args { struct lt_slot *slot; struct check_space space; struct lt_args args; };
bool lt__check_args_new(
	struct check_guarded *, int32_t nest, int fill, uint32_t n_thread, struct lt_fault *, struct check_args *);
bool lt__check_args_end(struct check_work *, struct check_args *);       /* checks the workspace, and frees */
/* Between the host and the device, or on it. */
bool lt__check_mem_copy(
	struct check_work *, void *to, size_t to_at, void *from, size_t from_at, size_t bytes, enum lt_copy);

/* check_run.c: case by graph.  Each answers whether it may go on; else the outcome says what. */
bool lt__check_prepare(struct check_work *, const struct check_tree *);         /* lowered, accepted */
/* in one call; those that failed have their outcome */
bool lt__check_compile(struct check_work *const *, int32_t n);
bool lt__check_run(struct check_work *);                                        /* all sets of data */
void lt__check_work_free(struct check_work *);
bool lt__check_launch(struct check_guarded *, int fill, uint32_t n_thread, struct lt_fault *);     /* every step once */
/* Results and states before the judge; second: of a run with other poison, which tells what was never written; NULL:
 * none. */
bool lt__check_compare(
	struct check_guarded *, struct lt_judge *, void *const *data, const struct check_guarded *second);
/* what: why they should be equal, as "run again". */
bool lt__check_same_bits(
	struct check_guarded *, const struct check_guarded *, const struct lt_judge *, const char *what);

/* -- children (check_child.c) -- */

/* told: called as the outcome of a case is known; false: no more are wanted.  at: some times a second while the case is
 * under way. */
struct check_watch { bool (*told)(void *user, int32_t i); void (*at)(void *user, int32_t i); void *user; };
/* Runs cases in child processes; outcome[i] of case i.  The number of calls of run that came back well. */
int64_t lt__check_children(const struct check_options *, const struct check_case *const *, int32_t n,
	struct check_outcome *outcome, const struct check_watch *);
/* One graph, in a child of its own. */
void lt__check_child_graph(const struct check_options *, const struct lt_graph *, const struct check_tree *,
	const struct check_data *, struct check_outcome *);

/* check_score.c: what score answers, in a child of its own.  false: it did not, how says in which way. */
bool lt__check_score(const struct lt_backend *, const struct check_options *, int32_t *score,
	struct check_diagnostics *, char *how, size_t bytes);
/* check_child.c: of a process */
void lt__check_ended(const struct check_options *, int status, bool silent, char *out, size_t bytes);
void lt__check_no_core(void);
/* check_fork.c: a child in a group of its own, and a pipe from it to its parent: 0 in the child; -1: none could be
 * made, errno says why. */
pid_t lt__check_fork(int *fd);
/* 1: there is something to read, or the other end is closed; 0: not within so many seconds; -1: it cannot be said, or
 * lt-check is to end (EINTR). */
int lt__check_wait_read(int fd, double seconds);
bool lt__check_wait(pid_t, int *status);
/* A child that is not waited for any more, and what it has started. */
void lt__check_end_child(pid_t);

/* check_member.c: a table like the backend's, of one backend at a time, whose calls are counted, by parent and children
 * together. */
const struct lt_backend *lt__check_watch(const struct lt_backend *);
bool lt__check_calls_share(void);                                       /* false: there is no memory for it */
void lt__check_calls_clear(void);                                       /* nobody is inside: before a child begins */
/* the member that somebody is inside of; NULL: none */
const char *lt__check_calls_in(void);
int64_t lt__check_calls_good(const char *member);                        /* calls that came back, and with LT_OK */

/* check_print.c: the standard output of children is a file without a name; -1: there is none, and what is printed is
 * lost. */
int lt__check_print_new(void);
void lt__check_print_catch(int fd, bool keep_stderr);                   /* in a child */
bool lt__check_print_fail(struct check_outcome *);                      /* true: nothing was printed */

/* -- reducing a failure (check_reduce.c) -- */

struct check_failure {
	const char *name;               /* of the case */
	const struct lt_graph *graph;   /* as the case made it; its context is free to use for smaller ones */
	const char *schedule;           /* that it fails by; NULL: the default tree */
	uint64_t data_seed;
	int set, special; bool wild;    /* the data are lt__check_data_new(graph, {data_seed, set, special, wild}) */
	const char *what;               /* what differs */
	const char *keep;               /* folder for the files, which exists */
	/* the options that choose the backend, for lt-run: "-B mine.so -b mine"; NULL: not told */
	const char *backend;
	const char *limits;             /* lt__check_limits; NULL: none */
};
/* Whether a graph fails, in a process of its own, by those of the schedule's steps that fit (NULL: its default tree): a
 * wrong value, a crash, no end.  out: with which data, and by which steps.  A graph that cannot be evaluated does not
 * fail. */
typedef bool check_still_fails(void *user, const struct lt_graph *, const char *schedule, struct check_outcome *out);
/* Writes the smallest script and schedule it finds that still fail into files in f->keep; told: sentences that name
 * them and say how to run them, to print below the failure.  LT_OK, or why nothing was written (told says so, too). */
lt_status lt__check_reduce(const struct check_failure *f, check_still_fails *, void *user, char *told, size_t bytes);

/* check_again.c: o->script with o->schedule, once more; the exit code. */
int lt__check_again(const struct check_options *);

/* -- the report (check_report.c, check_json.c, check_html.c) -- */

struct check_report {
	const struct check_options *o;
	const struct lt_backend *backend;
	const struct check_list *list;
	const struct check_case *const *chosen; int32_t n;
	const struct check_outcome *outcome;
	char **more;                    /* by case: what reducing it said, or NULL */
	double seconds;
	int64_t n_run;                  /* calls of run that came back well */
};

/* check_progress.c: a line on standard error, if that is a terminal. */
struct check_progress { bool on, shown; double begin, last; };
void lt__check_progress_begin(struct check_progress *, bool wanted);
/* what: is being done; at_once: or only if it is a while since. */
void lt__check_progress_show(struct check_progress *, const struct check_report *, const char *what, bool at_once);
/* Before anything else is written. */
void lt__check_progress_wipe(struct check_progress *);

void lt__check_report_failure(const struct check_report *, int32_t i, FILE *);
/* What a run of the suite amounts to: the exit code. */
enum {
	CHECK_EXIT_GOOD = LT_EXIT_OK,
	CHECK_EXIT_FAILED = LT_EXIT_FAILED,
	CHECK_EXIT_USE = LT_EXIT_USAGE,
	CHECK_EXIT_LITTLE = LT_EXIT_OPEN
};
int lt__check_exit(const struct check_report *);
void lt__check_report_all(const struct check_report *, FILE *);
extern const char *const lt__check_words[];      /* by status */
enum check_status lt__check_status(const struct check_report *, int32_t i);     /* CHECK_SKIPPED where it was not run */
/* Reasons of one status, the one that stands for most cases first; first: the first of these.  at: the caller's to
 * free. */
struct check_reason { const char *text; int32_t n, first; };
struct check_reasons { struct check_reason *at; int32_t n; enum check_status status; };
struct check_reasons lt__check_reasons(const struct check_report *, enum check_status);
int32_t lt__check_reason_find(const struct check_reasons *, const char *text);   /* n: it is none of them */
lt_status lt__check_json(const struct check_report *, FILE *);
lt_status lt__check_html(const struct check_report *, FILE *);
enum { CHECK_COMMAND = 8192 };           /* bytes of a command */
/* " word", quoted for a shell where it has to be, after what is in out. */
void lt__check_word(const char *text, char *out, size_t bytes);
/* " --patience 2 --threads 1", as given */
void lt__check_limits(const struct check_options *, char *out, size_t bytes);
/* the command */
void lt__check_repeat(const struct check_options *, const char *name, char *out, size_t bytes);
/* "-B mine.so -b mine" */
void lt__check_backend_words(const struct check_options *, char *out, size_t bytes);

/* check_options.c */
extern const struct lt_tool check_tool;
lt_status lt__check_options(struct lt_context *, int argc, char **argv, struct check_options *);
void lt__check_options_free(struct check_options *);
#endif
