/* ir/eval_parts.h -- what the files of the oracle share; included by ir/eval*.c only.
 *
 * A node is "stored" (its values live in an array until its last reader is done) or "lazy" (computed where it
 * is read, a strip of up to LT_STRIP elements along one var at a time).  A view is read by walking its maps
 * down to something stored, to a literal or to an index.
 */
#ifndef LT_IR_EVAL_PARTS_H
#define LT_IR_EVAL_PARTS_H
#include "ir/eval.h"

enum {
	LT_STRIP = 256,         /* elements in a strip */
	LT_LAZY_SIZE = 32,      /* nodes in a lazy expression, at most */
	LT_LAZY_VIEWS = 8,      /* views over views that are walked, at most */
	LT_STEPS = 1 + 3 * LT_LAZY_SIZE
};

/* Values of a node along the strip var; uniform: one value stands for all.  error is filled unless exact. */
struct lt_strip {
	bool uniform, exact;
	union lt_scalar at[LT_STRIP];
	double error[LT_STRIP];
};
/* Quantity that is affine along a strip: at + slope*j. */
struct lt_line { int64_t at, slope; };
/* Values of a stored node.  own is NULL for a source: data is the caller's.  error NULL: all 0. */
struct lt_stored { const void *data; void *own; double *error; size_t bytes, error_bytes; };
/* One node of a lazy expression, operands first; in: steps of its operands. */
struct lt_step { lt_node node; int32_t in[3]; bool read; };

struct lt_fold;
struct lt_evaluation {
	struct lt_context *ctx;
	struct lt_arena *arena;
	const struct lt_graph *g;               /* during lt_eval only */
	const void *const *source;
	bool want_error;
	int32_t n_node, n_var, n_result, n_set;
	lt_node *result, *set;                  /* nodes of the results and of the states' new contents */
	int64_t *param; bool *known, *used;     /* values of the params; source given; a needed node depends on it */
	int64_t *extent;                        /* actual extent of each var, -1: a param of it is not known */
	struct lt_stored *value;                /* of each node */
	/* ir/eval_plan.c */
	bool *needed, *stored;
	lt_node *last;                          /* stored node after which a stored node is dead; -1: never read */
	lt_node *dies, *dies_next;              /* lists: the stored nodes that die with a node */
	/* position and scratch of ir/eval_run.c, ir/eval_step.c and ir/eval_read.c */
	int64_t *at;                            /* index of each var now */
	lt_var along;                           /* the strip var, -1: none */
	int32_t n_step;
	struct lt_step *step;
	struct lt_strip *strip;                 /* of each step */
	int32_t stamp, *step_of, *step_stamp;   /* of each node: its step in the expression with that stamp */
	struct lt_line *dim, *row, *column, *index;     /* as long as the widest map */
	struct lt_strip *out, *one;
	struct lt_fold *fold;
};

/* ir/eval.c */
bool lt__eval_is_source(const struct lt_nodedef *);
/* ir/eval_param.c: reads and checks params and requirements, computes extents. */
lt_status lt__eval_params(struct lt_evaluation *);
/* Whether what the needed nodes depend on was given. */
lt_status lt__eval_given(struct lt_evaluation *);
/* ir/eval_plan.c: which nodes are needed, which are stored, and when those die. */
void lt__eval_plan(struct lt_evaluation *);
/* ir/eval_read.c: n values of a node that is not lazy, or a view, at indices dim[] (changed) into out. */
lt_status lt__eval_read(struct lt_evaluation *, lt_node, struct lt_line *dim, int32_t n, struct lt_strip *out);
/* ir/eval_step.c */
/* Lists the steps that give n: itself computed if it is the root, else read where it is stored.  Returns n's. */
int32_t lt__eval_list_steps(struct lt_evaluation *, lt_node n, lt_node root);
/* A strip of `count` elements of each step, from the present position on. */
lt_status lt__eval_run_steps(struct lt_evaluation *, int32_t count);
/* Indices of a node's dims at the present position. */
void lt__eval_set_dims(const struct lt_evaluation *, const struct lt_nodedef *, struct lt_line *dim);
/* ir/eval_run.c: computes and stores a node. */
lt_status lt__eval_store(struct lt_evaluation *, lt_node);

/* ir/eval_error.c */
/* Error of the rounded result r of an operator, raw before rounding; operands x give or take e. */
double lt__eval_op_error(enum lt_opcode, enum lt_dtype from, enum lt_dtype to, const union lt_scalar *x, const double *e,
	union lt_scalar raw, union lt_scalar r);
double lt__eval_cast_error(enum lt_dtype from, enum lt_dtype to, union lt_scalar x, double e, union lt_scalar r);
/* A reduction on its way. */
struct lt_fold {
	union lt_scalar value;
	double rest;            /* compensation of a sum of floats */
	bool uncertain, odd, coarse;    /* a term has an error; is not finite; is no multiple of 2^-8 */
	double error, size;     /* sum (min, max: largest) of the errors; sum of the finite terms' sizes */
	double grow, shrink;    /* products of the factors above and below 1 */
	int64_t n;
};
void lt__eval_fold_error(struct lt_fold *, enum lt_opcode, enum lt_dtype, union lt_scalar x, double e);
double lt__eval_folded_error(const struct lt_fold *, enum lt_opcode, enum lt_dtype, union lt_scalar r);
#endif
