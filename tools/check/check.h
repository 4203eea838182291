/* check.h -- the parts of lt-check.
 *
 * A case is a name, a graph and a tree made from it (or a function that tries one clause of the contract).  Cases run
 * in child processes, a batch at a time: graphs are lowered to frozen trees, the trees of a batch are compiled by one
 * call of the backend, and each runs between sentinels against the graph evaluator.  What a child says goes to the
 * parent through a pipe; if it crashes or hangs, the case in hand has failed, and the others go on in another child.
 */
#ifndef LT_TOOLS_CHECK_CHECK_H
#define LT_TOOLS_CHECK_CHECK_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "lt/backend.h"
#include "lt/verify.h"
#include "program/run/run.h"
#include "tools/option/option.h"

enum check_group {
#define GROUP(name, doc) CHECK_##name,
#include "tools/check/check.def"
	CHECK_N_GROUP
};
struct check_groupinfo { const char *name, *doc; };
const struct check_groupinfo *lt__check_group(int group);               /* cases.c */

/* -- cases -- */

enum check_shape { CHECK_ONE, CHECK_PRIME, CHECK_BELOW, CHECK_POWER, CHECK_ABOVE, CHECK_ZERO, CHECK_SCALAR, CHECK_DEEP,
	CHECK_N_SHAPE };
/* After N_VIEW: in addition to the pairs of op. */
enum check_view { CHECK_NONE, CHECK_PAD, CHECK_STRIDE, CHECK_SLICE, CHECK_RESHAPE, CHECK_PERMUTE, CHECK_CONCAT,
	CHECK_BROADCAST, CHECK_FLIP, CHECK_N_VIEW, CHECK_FLATTEN = CHECK_N_VIEW, CHECK_N_VIEWS };
/* After N_SCHEDULE: plain trees with loops in vectors, apart from the pairs.  MASKED, PEELED: dim n, eight lanes;
 * INNER: the innermost loops, eight; PADDED: the same, the rest padded; OUTER: those right around them, four; NESTED:
 * both; STRIPS: the innermost, cut in four, each lane a part of them. */
enum check_schedule { CHECK_DEFAULT, CHECK_PLAIN, CHECK_DRAWN, CHECK_DRAWN2, CHECK_N_SCHEDULE,
	CHECK_MASKED = CHECK_N_SCHEDULE, CHECK_PEELED, CHECK_INNER, CHECK_PADDED, CHECK_OUTER, CHECK_NESTED, CHECK_STRIPS,
	CHECK_N_TREE };
enum check_neighbour { CHECK_ALONE, CHECK_PRODUCER, CHECK_CONSUMER, CHECK_BOTH, CHECK_REDUCED, CHECK_N_NEIGHBOUR };

/* What a graph is made of; which fields mean something depends on the group. */
struct check_spec {
	int op;                         /* enum lt_opcode */
	enum lt_dtype dtype, other;     /* other: of a cast, of an index */
	int shape, view, schedule, neighbour, variant, number;
	bool wild;
};
/* text: a tree, a schedule, or steps that change the default tree; NULL: as the kind says.  replay: a schedule, or
 * steps, of which those that do not fit are left out.  The program can be shown, not run: its frozen trees are the
 * backend's to run. */
struct check_tree { int kind; uint64_t seed; const char *text; bool replay; };
struct check_clause;
struct check_case {
	const char *name;               /* "op/exp/f32/prime/view=pad/default/alone" */
	int group;
	const char *row;                /* of the support matrix, NULL: it is not in it */
	enum lt_dtype column;
	struct check_spec spec;
	uint64_t seed;                  /* of its data and of a drawn tree: from its name and the seed of the suite */
	int special;                    /* percent of special values in the second set of data */
	bool wild;                      /* an index is out of range in the second set of data */
	const struct check_clause *clause;      /* of the contract, instead of a graph of its own */
	/* A graph that is there already, and its tree; NULL where both follow from the spec. */
	const struct lt_graph *graph;
	struct check_tree how;
};
/* lost: there was no memory for all.  graph: of cases that have one of their own, freed with the list */
struct check_list { struct check_case *at; int32_t n, cap; bool lost; struct lt_graph **graph; int32_t n_graph; };

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
	const char *kernels;            /* a folder of operations to check instead of the suite; NULL: none */
};
/* All cases of the suite, in order: those that match the filter and are in the part. */
void lt__check_cases(const struct check_options *, struct check_list *);
void lt__check_cases_free(struct check_list *);
/* own.c: those of o->kernels: each kernel on extents that its meaning takes. */
lt_status lt__check_own_cases(struct lt_context *, const struct check_options *, struct check_list *);
uint64_t lt__check_hash(const void *, size_t bytes, uint64_t seed);
static inline double lt__check_now(void) { return (double)lt__now_ns() * 1e-9; }

/* pairs.c: rows of levels that cover every allowed pair, or (full) every allowed combination.  allowed: levels
 * may be -1 (open). false: there is no memory. */
/* skip: a pair that need not be covered */
struct check_factors { int n; const int *level; bool (*allowed)(const int *at); int skip_a, skip_b; };
bool lt__check_pairs(const struct check_factors *, bool full, void (*row)(void *user, const int *at), void *user);

/* graph.c, graph_data.c: the graph of a case; -1 results are bugs of the suite, told in the context. */
lt_status lt__check_graph(struct lt_context *, const struct check_case *, struct lt_graph **out);

/* -- outcomes -- */

enum check_status { CHECK_PASSED, CHECK_REFUSED, CHECK_FAILED, CHECK_SKIPPED };
enum { CHECK_TEXT = 1500 };
struct check_outcome {
	enum check_status status;
	char text[CHECK_TEXT];          /* what differs; why it is refused or skipped */
	char *schedule;                 /* of a failure: that of lt__check_lower; the caller's to free */
	int set;                        /* of a failure: the set of data */
	int64_t elements, open;         /* that stood before the judge; of them those that nothing can judge */
	double seconds;
	/* unrun: it could not even be begun, which is a failure; late: not run, the time was up; left: not run, for
	 * many before it had ended in one way */
	bool done, unrun, late, left;
};
/* outcome.c: its end, if it has none yet; false. */
bool lt__check_end(struct check_outcome *, enum check_status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define lt__check_fail(outcome, ...) lt__check_end(outcome, CHECK_FAILED, __VA_ARGS__)

/* -- the backend -- */

/* Keeps the first diagnostic, counts the others. */
struct check_diagnostics {
	struct lt_diag diag;
	uint32_t size;
	int32_t loop, stmt;
	int n;
	char text[600], remedy[300];
};
struct check_diagnostics lt__check_listen(void);
/* Whether a call came back well; if not, it has failed by what it said: "run of kernel k: EDEVICE: no device". */
bool lt__check_went(struct check_outcome *, lt_status, const struct check_diagnostics *, const char *call, ...)
	__attribute__((format(printf, 4, 5)));
struct check_device {
	const struct lt_backend *backend;
	const char *config;
	struct lt_host host;
	struct lt_session *session;
	const struct lt_caps *caps;
	uint32_t n_thread;
	uint64_t seed;                  /* of the case */
	const struct lt_graph *graph;   /* the same, of a clause that is about one; NULL */
	const char *kernels, *cc;       /* the user's own, and the compiler for them; kernels NULL: there are none */
	struct check_text *facts;       /* of errors/environment: where they are kept */
};
bool lt__check_open(struct check_device *, const struct check_options *, struct check_outcome *);
void lt__check_close(struct check_device *);
/* Another session of the same backend. */
bool lt__check_open_again(const struct check_device *, struct check_device *out, struct check_outcome *);

/* -- data (data.c) -- */

enum { CHECK_BELOW_ZERO = 3, CHECK_ABOVE_ZERO, CHECK_MIN, CHECK_GREATEST, CHECK_N_SET };
struct check_data { uint64_t seed; int set, special; bool wild; };
/* By node: the data of each source, else NULL.  Set 0: plain, run-time scalars at their greatest; 1: special values
 * among them, run-time scalars at their least; 2: plain, run-time scalars between; of graphs that reduce, 3: inputs all
 * below zero and constants above, 4: all above, run-time scalars at their greatest; of graphs that have a greatest or
 * least over a dim, 5 and 6: the same, all inputs the least that the type has (of floats minus infinity), and the
 * greatest.  A function of the sources' names, types and ranges. */
void **lt__check_data_new(const struct lt_graph *, const struct check_data *);
void lt__check_data_free(const struct lt_graph *, void **);

/* -- lowering (lower.c) -- */

/* schedule: the steps that made the tree ("schedule 1" before those from the plain one), the caller's to free; NULL:
 * there are none. */
lt_status lt__check_lower(const struct check_device *, const struct lt_graph *, const struct check_tree *,
	struct lt_program **out, char **schedule);
/* The steps, a line each, that the tree takes one after the other; the caller's to free. */
char *lt__check_replay(const struct lt_looptree *, const char *steps);

/* -- running (guarded.c, run.c, compare.c) -- */

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
/* pages.c: pages of addresses of their own.  Open: they can be written, and are empty; sealed: only read; closed:
 * not touched at all. */
struct check_pages { char *at; size_t n; bool full; };
bool lt__check_pages_new(struct check_pages *);
void lt__check_pages_free(struct check_pages *);
void lt__check_pages_open(struct check_pages *);
void lt__check_pages_seal(struct check_pages *);
void lt__check_pages_close(struct check_pages *);
/* Bytes of them, a copy of `from` (NULL: anything); NULL, and full is set, when there are no more. */
void *lt__check_pages_take(struct check_pages *, const void *from, size_t bytes);
/* copy.c: with all that it points to */
const struct lt_tree *lt__check_pages_tree(struct check_pages *, const struct lt_tree *);

/* A storage of the program between sentinels; map: the pages that it lies on, where it has pages of its own. */
struct check_block { unsigned char *block; void *device, *map; size_t at, bytes, total, mapped; };
/* pages.c, where lt__check_has.pages: a block on pages of its own, of which the one right after its data is closed, or
 * the one right before them.  Its alignment stays where its data end at a page, so that a few bytes may be left after
 * the data of a slot that asks for more than its elements do; where they begin at a page they are aligned better than
 * they need be, which other cases try. */
bool lt__check_between_pages(struct check_block *, size_t align, bool before);
void lt__check_between_pages_free(struct check_block *);
/* Zeros that children which begin later write for their parent, too; never freed.  NULL: there is no memory. */
void *lt__check_shared(size_t bytes);
/* How a graph is run. */
struct check_guarded;
enum { CHECK_ANYWHERE, CHECK_PAGE_AFTER, CHECK_PAGE_BEFORE };
struct check_how {
	int poison, fill;               /* what results and the workspace hold before */
	uint32_t n_thread;
	bool async;                     /* its steps are enqueued, and waited for one by one */
	/* where args and slots of each step stand, and are gone when it comes back; NULL: no such place */
	struct check_pages *lend;
	int odd;                        /* 0, 1 ..: buffers at other places of the same alignment */
	int page;                       /* which page next to each buffer cannot be touched */
	const struct check_guarded *like; const char *why;      /* a run with the same bits, why: "when it is run again" */
};
struct check_guarded {
	struct check_work *w;
	int32_t n;
	struct check_block *block;      /* by storage of the program */
	struct lt_verifier *kernels;            /* sees what each step of a launch leaves; NULL: nobody looks */
	bool async;                     /* these as in struct check_how */
	struct check_pages *lend;
};
enum { CHECK_GUARD = 128, CHECK_MARK = 0xC3 };
/* how NULL: anywhere */
void lt__check_guarded_new(struct check_work *, const struct check_how *, struct check_guarded *);
void lt__check_guarded_free(struct check_guarded *);
/* Sources get their data, all else the poison, everything its sentinels; to the device where there is one. */
bool lt__check_guarded_fill(struct check_guarded *, void *const *data, int poison);
/* The same except what is computed from constants before the first run, which stays. */
bool lt__check_guarded_refill(struct check_guarded *, void *const *data, int poison);
/* Back from the device; sentinels stand and sources that may not change have not. */
bool lt__check_guarded_stand(struct check_guarded *, void *const *data);
/* Back from the device: one storage, whatever stands around it; its first element. */
void *lt__check_guarded_fetch(struct check_guarded *, int32_t storage);       /* NULL: the device failed */
bool lt__check_guarded_send(struct check_guarded *, int32_t storage);         /* to the device, as it was fetched */
/* NULL: no such storage */
void *lt__check_guarded_at(const struct check_guarded *, enum lt_storage_space, int32_t binding);
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

/* run.c: case by graph.  Each answers whether it may go on; else the outcome says what. */
bool lt__check_prepare(struct check_work *, const struct check_tree *);         /* lowered, accepted */
/* in one call; those that failed have their outcome */
bool lt__check_compile(struct check_work *const *, int32_t n);
bool lt__check_run(struct check_work *);                                        /* all sets of data */
void lt__check_work_free(struct check_work *);
bool lt__check_launch(struct check_guarded *, int fill, uint32_t n_thread, struct lt_fault *);     /* every step once */
/* A judge of what is made of these data, by node, which it borrows; the caller's to free.  LT_EFAULT: they are out of
 * range.  Reported to the context, and none is left then. */
lt_status lt__check_judge(const struct check_work *, void *const *data, struct lt_verifier **out);
/* Results and states before it; second: of a run with other poison, which tells what was never written; NULL: none. */
bool lt__check_compare(struct check_guarded *, struct lt_verifier *, const struct check_guarded *second);
/* what: why they should be equal, as "run again". */
bool lt__check_same_bits(
	const struct check_guarded *, const struct check_guarded *, const struct lt_verifier *, const char *what);

/* -- children (child.c) -- */

/* done: called as the outcome of a case is known; false: no more are wanted.  at: some times a second while the case is
 * under way. */
struct check_watch { bool (*done)(void *user, int32_t i); void (*at)(void *user, int32_t i); void *user; };
/* Runs cases in child processes; outcome[i] of case i.  The number of calls of run that came back well. */
int64_t lt__check_children(const struct check_options *, const struct check_case *, int32_t n,
	struct check_outcome *outcome, const struct check_watch *);
/* One graph, in a child of its own. */
void lt__check_child_graph(const struct check_options *, const struct lt_graph *, const struct check_tree *,
	const struct check_data *, struct check_outcome *);
/* What score answers, as text where it is REFUSED. */
void lt__check_child_score(const struct check_options *, const struct lt_backend *, struct check_outcome *);
/* fork.c: a child in a group of its own, which calls body with the end of a pipe to its parent, and ends; *fd: the
 * parent's end.  -1: none could be made, errno says why. */
pid_t lt__check_fork(void (*body)(void *user, int fd), void *user, int *fd);
/* 1: there is something to read, or the other end is closed; 0: not within so many seconds; -1: it cannot be said, or
 * lt-check is to end (EINTR). */
int lt__check_wait_read(int fd, double seconds);
bool lt__check_wait(pid_t, int *status);
/* A child that is not waited for any more, and what it has started. */
void lt__check_end_child(pid_t);
/* What the system has, and clauses of the contract or options want. */
extern const struct check_system { bool pages, threads, json, compiler; } lt__check_has;

/* member.c: a table like the backend's, of one backend at a time, whose calls are counted, by parent and children
 * together. */
const struct lt_backend *lt__check_watch(const struct lt_backend *);
bool lt__check_calls_share(void);                                       /* false: there is no memory for it */
void lt__check_calls_clear(void);                                       /* nobody is inside: before a child begins */
/* the member that somebody is inside of; NULL: none */
const char *lt__check_calls_in(void);
int64_t lt__check_calls_good(const char *member);                        /* calls that came back, and with LT_OK */

/* print.c: the standard output of children is a file without a name; -1: there is none, and what is printed is
 * lost. */
int lt__check_print_new(void);
void lt__check_print_catch(int fd, bool keep_stderr);                   /* in a child */
bool lt__check_print_fail(struct check_outcome *);                      /* true: nothing was printed */

/* -- reducing a failure (reduce.c) -- */

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
/* Writes the smallest script and schedule it finds that still fail into files in f->keep; text: sentences that name
 * them and say how to run them, to print below the failure.  LT_OK, or why nothing was written (text says so, too). */
lt_status lt__check_reduce(const struct check_failure *f, check_still_fails *, void *user, char *text, size_t bytes);

/* again.c: o->script with o->schedule, once more; verdict: the exit code. */
lt_status lt__check_again(struct lt_context *, const struct check_options *, int *verdict);

/* -- the report (report.c, and json.c and html.c by the same rows and counts) -- */

enum { CHECK_COMMAND = 8192 };           /* bytes of a command */
struct check_report {
	const struct check_options *o;
	const struct lt_backend *backend;
	const struct check_case *c; int32_t n;
	const struct check_outcome *outcome;
	char **more;                    /* by case: what reducing it said, or NULL */
	double seconds;
	int64_t n_run;                  /* calls of run that came back well */
};

/* progress.c: a line on standard error, if that is a terminal. */
struct check_progress { bool on, shown; double begin, last; };
void lt__check_progress_begin(struct check_progress *, bool wanted);
/* what: is being done; at_once: or only if it is a while since. */
void lt__check_progress_show(struct check_progress *, const struct check_report *, const char *what, bool at_once);
/* Before anything else is written. */
void lt__check_progress_wipe(struct check_progress *);

/* A case, as all reports show it; NULL, "": there is nothing to show. */
struct check_row {
	const char *name, *group, *op, *dtype, *text, *more;
	enum check_status status;       /* CHECK_SKIPPED where it was not run */
	double seconds;
	char repeat[CHECK_COMMAND];     /* of a failure: the command */
};
void lt__check_row(const struct check_report *, int32_t i, struct check_row *);
struct check_count { int n[4], n_case; int64_t elements, open; double seconds; };       /* n: by status */
struct check_counts { struct check_count all, group[CHECK_N_GROUP]; };
void lt__check_count(const struct check_report *, struct check_counts *);
void lt__check_report_failure(const struct check_report *, int32_t i, FILE *);
/* More than one element in a hundred of the whole suite is open. */
bool lt__check_is_open(const struct check_report *, const struct check_count *all);
/* What a run of the suite amounts to: the exit code. */
int lt__check_exit(const struct check_report *);
void lt__check_report_all(const struct check_report *, FILE *);
extern const char *const lt__check_words[], *const lt__check_loud[];     /* by status */
enum check_status lt__check_status(const struct check_report *, int32_t i);     /* CHECK_SKIPPED where it was not run */
/* Reasons of one status, the one that stands for most cases first; first: the first of these.  at: the caller's to
 * free. */
struct check_reason { const char *text; int32_t n, first; };
struct check_reasons { struct check_reason *at; int32_t n; enum check_status status; };
struct check_reasons lt__check_reasons(const struct check_report *, enum check_status);
int32_t lt__check_reason_find(const struct check_reasons *, const char *text);   /* n: it is none of them */
lt_status lt__check_json(const struct check_report *, FILE *);
lt_status lt__check_html(const struct check_report *, FILE *);
/* options.c.  After what is in out: " --patience 2 --threads 1", as given; "-B mine.so -b mine". */
void lt__check_limits(const struct check_options *, char *out, size_t bytes);
void lt__check_backend_words(const struct check_options *, char *out, size_t bytes);
/* The command that repeats a case. */
void lt__check_repeat(const struct check_options *, const char *name, char *out, size_t bytes);
extern const struct lt_tool check_tool;
lt_status lt__check_options(struct lt_context *, int argc, char **argv, struct check_options *);
void lt__check_options_free(struct check_options *);
#endif
