/* binder.h -- the parts of what gives tensors to inputs and constants, for each other. */
#ifndef LT_TOOLS_MODEL_BINDER_H
#define LT_TOOLS_MODEL_BINDER_H
#include "tools/model/model.h"

struct model_binder {
	struct lt_context *ctx;
	const struct model_options *o;
	const struct model_bindings *binding;           /* by kind */
	struct model_given *given;
	/* what does not fit: sentences, the second and the others in lines of their own */
	FILE *text;
	int32_t n_problem;
	bool begun;                             /* there is a sentence */
	bool names_only;                        /* nothing is run: the tensors are neither made nor asked for */
	bool unread;                            /* a file failed: what it was to give is not known */
	bool no_memory;                         /* which is no mistake of the user's */
	char what[400];                         /* for what there was none, a sentence; "": not known */
	char *beside;                           /* the file of weights beside the script, malloc */
	const char *backends;
	int any;                                /* whether any values do for what is not given: 1, 0, -1 not asked yet */
};
/* Where an extent that differs from run to run comes from: its own value, or the shape of a tensor, which may have the
 * most for room. */
enum extent_by { EXTENT_GIVEN, EXTENT_MAX, EXTENT_SHAPE };
/* The bindings of one kind being given their tensors; from[i]: the option or file that gave value[i], own[i]: the
 * tensor of a file as it was read, by[i]: of an input that is an extent. */
struct model_slots {
	enum lt_binding kind;
	const struct lt_tensor **value, **own;
	const char **from;
	enum extent_by *by;
};

/* bind_say.c: a new sentence begins; adds one; a name that the script has not; a binding that is given twice; all
 * that is missing.  Of so many they are said, the others are counted. */
enum { MODEL_BIND_REPORTS = 20 };
void model_bind_begin(struct model_binder *b);
void model_bind_report(struct model_binder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void model_bind_unknown(struct model_binder *b, enum lt_binding kind, const char *name, const char *from);
void model_bind_twice(struct model_binder *b, const struct model_slots *s, int32_t i, const char *from);
/* A tensor of another type or shape. */
void model_bind_unfit(struct model_binder *b, const struct model_binding *, const struct lt_tensor *,
	const char *from);
/* Whether binding i is needed and not given; an extent is no more to be given where its tensor does not fit. */
bool model_bind_lacks(const struct model_binder *b, const struct model_slots *s, int32_t i);
void model_bind_missing(struct model_binder *b, const struct model_slots *s, const char *flag);
/* Of a script that was copied without its weights: where they are. */
void model_bind_copied(struct model_binder *b, const struct model_slots *constant);

/* extents.c: of a tensor whose extents are run-time ones, the most or fewer: whether it fits.  Then `out` is it as the
 * program reads it, with room for the most. */
bool model_extents_fit(const struct model_binding *, const struct lt_tensor *);
lt_status model_extents_spread(struct lt_context *, const struct model_binding *, const struct lt_tensor *,
	struct lt_tensor *out);
/* The first dim of a tensor whose extent is not the sum that it should be by the inputs' values, and the sum; -1:
 * none. */
int32_t model_extents_check(const struct model_binding *, const struct lt_tensor *,
	const struct lt_tensor *const *value,
	int64_t *want);

/* weights.c: such a file beside the script that is run, malloc; NULL: there is none.  False: no memory. */
bool model_weights_beside(const char *script, char **path);
/* The file that a comment before the first statement names, "# weights: NAME", where it is beside the script; malloc,
 * NULL: there is none. */
char *model_weights_named(const char *script);
#endif
