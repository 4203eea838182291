/* bind.h -- the parts of what gives tensors to inputs and constants, for each other. */
#ifndef LT_TOOLS_MODEL_BIND_H
#define LT_TOOLS_MODEL_BIND_H
#include "tools/run/run.h"

struct run_binder {
	struct lt_context *ctx;
	const struct run_options *o;
	const struct run_bindings *binding;           /* by kind */
	struct run_given *given;
	/* what does not fit: sentences, the second and the others in lines of their own */
	FILE *text;
	int32_t n_problem;
	bool begun;                             /* there is a sentence */
	bool names_only;                        /* nothing is run: the tensors are neither made nor asked for */
	bool unread;                            /* a file failed: what it was to give is not known */
	bool no_memory;                         /* which is no mistake of the user's */
	char *beside;                           /* the file of weights beside the script, malloc */
	const char *backends;
	int any;                                /* whether any values do for what is not given: 1, 0, -1 not asked yet */
};
/* Where an extent that differs from run to run comes from: its own value, or the shape of a tensor, which may have the
 * most for room. */
enum extent_by { EXTENT_GIVEN, EXTENT_MAX, EXTENT_SHAPE };
/* The bindings of one kind being given their tensors; from[i]: the option or file that gave value[i], own[i]: the
 * tensor of a file as it was read, by[i]: of an input that is an extent. */
struct run_slots {
	enum lt_binding kind;
	const struct lt_tensor **value, **own;
	const char **from;
	enum extent_by *by;
};

/* bind_say.c: a new sentence begins; adds one; a name that the script has not; a binding that is given twice; all
 * that is missing.  Of so many they are said, the others are counted. */
enum { RUN_BIND_REPORTS = 20 };
void run_bind_begin(struct run_binder *b);
void run_bind_report(struct run_binder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_bind_unknown(struct run_binder *b, enum lt_binding kind, const char *name, const char *from);
void run_bind_twice(struct run_binder *b, const struct run_slots *s, int32_t i, const char *from);
/* Whether binding i is needed and not given; an extent is no more to be given where its tensor does not fit. */
bool run_bind_lacks(const struct run_binder *b, const struct run_slots *s, int32_t i);
void run_bind_missing(struct run_binder *b, const struct run_slots *s, const char *flag);
#endif
