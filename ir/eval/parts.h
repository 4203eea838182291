/* parts.h -- what the files of the oracle share; included by ir/eval/ only.
 *
 * A node is "stored" (its values live in an array until its last reader is done) or "lazy" (computed where it
 * is read, a strip of up to LT_STRIP elements along one var at a time).  A view is read by walking its maps
 * down to something stored, to a literal or to an index.
 *
 * A stored node is a job, cut into tasks that several workers do; what a task computes depends on nothing but the
 * graph, the data and the seed, so that all numbers of threads give the same bits.  A worker allocates nothing and
 * leaves messages to the calling thread (struct lt_fault).
 */
#ifndef LT_IR_EVAL_PARTS_H
#define LT_IR_EVAL_PARTS_H
#include "ir/eval/eval.h"
#include "ir/eval/row.h"

enum {
	LT_LAZY_SIZE = 32,      /* nodes in a lazy expression, at most */
	LT_LAZY_VIEWS = 8,      /* views over views that are walked, at most */
	LT_STEPS = 1 + 3 * LT_LAZY_SIZE
};

/* Values of a node along the strip var; uniform: one value stands for all.  error is filled unless exact. */
struct lt_strip {
	bool uniform, exact;
	union lt_eval_row at;
	double error[LT_STRIP];
};
/* Quantity that is affine along a strip: at + slope*j. */
struct lt_line { int64_t at, slope; };
/* Values of a stored node: data is what readers take, own (with its error; NULL: all 0) what was computed.  They differ
 * for sources and for nodes whose value is given: there data is the caller's. */
struct lt_stored { const void *data; void *own; double *error; size_t bytes, error_bytes; };
/* One node of a lazy expression, operands first; in: steps of its operands. */
struct lt_eval_step { lt_node node; int32_t in[3]; bool read; };
/* top: the step that gives the expression's value */
struct lt_steps { struct lt_eval_step *step; int32_t n, top; };

/* What went wrong in a worker: a sentence for the caller is made of it later. */
enum lt_fault_kind { LT_FAULT_NONE, LT_FAULT_READ, LT_FAULT_GATHER, LT_FAULT_WIDE };
struct lt_eval_fault { enum lt_fault_kind kind; lt_node node; int64_t value, extent; int32_t axis; int64_t task; };

/* What the terms of a sum, or the factors of a product, may reach in some order (order.c); [1]: below 0. */
#define LT_REACH_SCALE 0x1p-32         /* so that sums of f64 stay in the type */
struct lt_reach {
	double size[2], rest;           /* scaled sums of sizes; what terms that are not among them may add to each */
	double mantissa; int64_t exponent;      /* of the product of all finite factors but 0 */
	bool over[2], infinite[2];      /* an overflowed product of finite factors; an infinity of another origin */
	bool far, nan, negative;        /* a product that cannot come back into the type; a NaN; the product's sign */
};
/* Error of a reduction on its way. */
struct lt_fold {
	/* a term has an error; is not finite; is not a multiple of 2^-8; is a factor of 0 */
	bool uncertain, odd, coarse, zero;
	double error, size;     /* sum (min, max: largest) of the errors; sum of the finite terms' sizes */
	double grow, shrink;    /* products of the factors above and below 1, without those of 0 */
	int64_t n;
	struct lt_reach reach;          /* RANDOM only */
};

/* The vars that one operand of a product is walked over, in the order of its panel; along: where its rows run. */
struct lt_panel { struct lt_steps steps; lt_var *var; int32_t n_var; bool along_deep; };
struct lt_eval_product {
	struct lt_panel left, right;    /* rows and columns of a tile */
	lt_var *batch, *deep;
	int32_t n_batch, n_deep;
	int64_t rows, columns, depth;   /* elements over left.var, right.var, deep */
	int32_t m, n, k;                /* of a tile, at most */
	int64_t m_tiles, n_tiles;
};

struct lt_worker;
/* How a stored node is computed: elements over the kept vars, each folded over the reduced ones. */
struct lt_eval_job {
	lt_node node;
	struct lt_steps steps;
	lt_var *outer, *inner;          /* kept and reduced vars without the strip var */
	int32_t n_outer, n_inner;
	lt_var along;                   /* the strip var, -1: none */
	bool along_inner;               /* the strip var is reduced */
	int64_t strips, rows;           /* strips along a kept var; rows of them: of all outer vars */
	struct lt_eval_product *product;     /* or it is a product, computed by tiles */
	/* where element at[dim[i]] .. goes */
	struct lt_stored *to;
	int32_t n_dim;
	const lt_var *dim;
	int64_t base, *stride;
	/* tasks, each of `grain` rows or tiles */
	int64_t n_task, grain;
	double cost;                    /* of a task, about in nanoseconds */
	lt_status (*run)(struct lt_worker *, int64_t task);
	bool inexact;                   /* an error other than 0 was stored */
};

/* One thread's position and scratch. */
struct lt_worker {
	const struct lt_evaluation *e;
	const struct lt_eval_job *job;
	int64_t *at;                            /* index of each var now */
	lt_var along;
	struct lt_line *dim, *row, *column, *index;     /* as long as the widest map */
	struct lt_strip *strip;                 /* of each step */
	struct lt_strip *out, *one;
	union lt_eval_row *spread;                   /* operands whose one value stands for all; more scratch */
	union lt_eval_row *fold_value[2];
	double *lost;
	struct lt_fold *fold;
	double *panel;                          /* scratch of a product */
	int64_t *tables;                        /* of its factors */
	int64_t *row_at, *column_at;            /* places of the tile's elements in the result */
	bool inexact;                           /* an error other than 0 was stored */
	struct lt_eval_fault fault;
	void *block; size_t bytes;              /* all of the scratch */
};

struct lt_evaluation {
	struct lt_context *ctx;
	struct lt_arena *arena;
	const struct lt_graph *g;               /* during lt_eval_with only */
	const void *const *source;
	struct lt_eval_options options;         /* done, parallel, progress: during lt_eval_with only */
	const struct lt_eval_rows *rows;
	double amplify;                         /* options.amplify, 1 where that is 0 */
	double *slope;                          /* scratch of lt__eval_stride */
	/* RANDOM only: a table of random numbers in -1..1; the same times what a rounding of f32, f64 may do */
	double *noise, *noise_of[2];
	int32_t n_node, n_var, n_result, n_set, width;
	lt_node *result, *set;                  /* nodes of the results and of the states' new contents */
	int64_t *param; bool *known, *used;     /* values of the params; source given; a needed node depends on it */
	int64_t *extent;                        /* actual extent of each var, -1: a param of it is not known */
	struct lt_stored *value;                /* of each node */
	/* plan.c */
	bool *needed, *stored;
	bool *wanted;                           /* handed to the caller */
	bool *computed;                         /* needed and stored, and not just given: the values are computed */
	bool *left_out;                         /* a cast that does not round in this run; NULL: each does */
	lt_node *last;                          /* stored node after which a stored node is dead; -1: never read */
	lt_node *dies, *dies_next;              /* lists: the stored nodes that die with a node */
	double work, work_done, node_work;      /* operations, about: of all nodes, those done, the one being computed */
	/* step.c */
	int32_t stamp, *step_of, *step_stamp;   /* of each node: its step in the expression with that stamp */
	struct lt_worker *worker;               /* one for each thread */
	uint32_t n_worker;
};

/* In which type the values of a node are kept. */
static inline enum lt_dtype lt__eval_kept_type(const struct lt_evaluation *e, lt_node n)
{
	return e->g->node[e->left_out && e->left_out[n] ? e->g->node[n].operand[0] : n].dtype;
}
static inline bool lt__eval_is_source(const struct lt_nodedef *d)
{
	return d->op == LT_OP_input || d->op == LT_OP_constant || d->op == LT_OP_state;
}
/* Keeps what went wrong in a worker; the status that the evaluation will end with. */
static inline lt_status lt__eval_fault(struct lt_worker *w, struct lt_eval_fault fault)
{
	w->fault = fault;
	return LT_EFAULT;
}
/* param.c: reads and checks params and requirements, computes extents. */
lt_status lt__eval_params(struct lt_evaluation *);
/* Whether what the needed nodes depend on was given. */
lt_status lt__eval_given(struct lt_evaluation *);
/* plan.c: which nodes are needed, which are stored, and when those die. */
void lt__eval_plan(struct lt_evaluation *);
/* Operations, about, that computing a node takes. */
double lt__eval_work(const struct lt_evaluation *, lt_node);
int64_t lt__eval_elems(const struct lt_evaluation *, lt_node);   /* that are computed for it, or added up */

/* read.c: n values of a node that is not lazy, or a view, at indices dim[] (changed) into out. */
lt_status lt__eval_read(struct lt_worker *, lt_node, struct lt_line *dim, int32_t n, struct lt_strip *out);
/* By how many elements of what is read the place moves where `along` moves by one, about: 0 if it does not. */
int64_t lt__eval_stride(const struct lt_evaluation *, lt_node, lt_var along);

/* step.c */
/* Lists the steps that give n: itself computed if it is the root, else read where it is stored. */
struct lt_steps lt__eval_list_steps(struct lt_evaluation *, lt_node n, lt_node root);
/* A strip of `count` elements of each step, from the present position on. */
lt_status lt__eval_run_steps(struct lt_worker *, const struct lt_steps *, int32_t count);
/* Indices of a node's dims at the present position. */
void lt__eval_set_dims(const struct lt_worker *, const struct lt_nodedef *, struct lt_line *dim);
/* Place of the present position among the node's elements. */
int64_t lt__eval_index(const struct lt_worker *, const struct lt_nodedef *);

/* run.c: computes and stores a node. */
lt_status lt__eval_store(struct lt_evaluation *, lt_node);
/* A wanted error is an array even where all of it is 0. */
lt_status lt__eval_keep_error(struct lt_evaluation *, struct lt_stored *);
/* strip.c: rows of a job that is not a product */
lt_status lt__eval_row_task(struct lt_worker *, int64_t task);
/* noise.c: the result of an add or mul reduction before rounding, as an order of its terms may make it that is
 * not the index's. */
double lt__eval_disturb_order(
	const struct lt_evaluation *, lt_node, enum lt_opcode, const struct lt_fold *, double value, int64_t element);
/* order.c */
/* Notes a term of a sum; factor: the two of a product that is the term, NULL: it is none. */
void lt__eval_reach_term(struct lt_reach *, double x, const double *factor, enum lt_dtype);
void lt__eval_reach_factor(struct lt_reach *, double x);        /* of a product; mantissa begins as 1 */
/* Draws what some order of the terms gives; false: no order leaves the type, and the value stays. */
bool lt__eval_draw_order(enum lt_dtype, enum lt_opcode, const struct lt_fold *, double noise, double *value);
/* fold.c: folds the rows of a reduction into w->out, `count` elements. */
lt_status lt__eval_fold(struct lt_worker *, int32_t count);
/* walk.c */
/* A position over vars, the last one fastest: that of number `flat`; the next one, false after the last. */
void lt__eval_set_walk(struct lt_worker *, const lt_var *, int32_t n, int64_t flat);
bool lt__eval_next_walk(struct lt_worker *, const lt_var *, int32_t n);
int64_t lt__eval_count(const struct lt_evaluation *, const lt_var *, int32_t n);        /* of positions */

/* product.c */
/* Whether a type is one of the integers that products have tiles of: each of its numbers is a double, too. */
static inline bool lt__eval_is_whole(enum lt_dtype t) { return t == LT_I32 || t == LT_U32; }
/* Plans the job as a sum of products by tiles; false: it is none that gains from it. */
bool lt__eval_plan_product(
	struct lt_evaluation *, struct lt_eval_job *, const lt_var *loop, int32_t n_kept, int32_t n_loop);
/* One factor's panel while it is filled, in blocks of `lanes` positions with `depth` deep ones each; whole: of integers
 * as doubles; sure: all errors are 0. */
struct lt_filling { double *to, *error; float *to_f32; int32_t lanes, depth; bool whole, sure; };
static inline int64_t lt__eval_pack_position(const struct lt_filling *f, int64_t i, int64_t k)
{
	return (i / f->lanes * f->depth + k) * f->lanes + i % f->lanes;
}
static inline void lt__eval_pack_write(struct lt_filling *f, int64_t at, double value, double error)
{
	if (f->to_f32)
		f->to_f32[at] = (float)value;
	else
		f->to[at] = value;
	if (f->error)
		f->error[at] = error;
	f->sure = f->sure && error == 0;
}
/* panel.c */
/* A factor at `count` positions of its vars from `first` on and f->depth deep ones from `deep` on. */
lt_status lt__eval_fill_panel(
	struct lt_worker *, const struct lt_panel *, int64_t first, int32_t count, int64_t deep, struct lt_filling *);
/* loose.c */
/* Whether factors of the sum of products may be shortened. */
bool lt__eval_is_loose(const struct lt_evaluation *, lt_node product);
/* Does it to a panel, or grants it, as the mode wants; first: names the positions in all of the factor. */
void lt__eval_loosen(const struct lt_evaluation *, lt_node factor, int64_t first, int32_t count, int64_t deep,
	struct lt_filling *);
/* table.c */
/* false: it cannot be done so, or must not be read. */
bool lt__eval_fill_tables(
	struct lt_worker *, const struct lt_panel *, int64_t first, int32_t count, int64_t deep, struct lt_filling *);
/* Of a worker's tables. */
size_t lt__eval_tables_bytes(const struct lt_eval_product *);
/* tile.c */
lt_status lt__eval_product_task(struct lt_worker *, int64_t task);
/* Doubles in a worker's panel. */
size_t lt__eval_product_bytes(const struct lt_evaluation *, const struct lt_eval_product *, enum lt_dtype);

/* task.c: does the tasks of a job, on all threads if that pays. */
lt_status lt__eval_run_tasks(struct lt_evaluation *, struct lt_eval_job *);
void lt__eval_free_workers(struct lt_evaluation *);

/* noise.c: the random errors of LT_EVAL_RANDOM. */
void lt__eval_make_noise(struct lt_evaluation *);
/* In -1..1, the same everywhere in a node in this run. */
double lt__eval_common_noise(const struct lt_evaluation *, lt_node);
/* A number for a place of a node, step k of a reduction there: 24 bits and more. */
uint32_t lt__eval_noise_offset(const struct lt_evaluation *, lt_node, int64_t element, int64_t k);
const double *lt__eval_noise(const struct lt_evaluation *, lt_node, int64_t element, int64_t k);
/* In place: values of an operator or a cast (from integers or floats) on floats before rounding; element: of the
 * first. */
void lt__eval_disturb(
	const struct lt_worker *, lt_node, const union lt_eval_row *const *x, int32_t n, int64_t element, double *raw);

/* error.c */
/* Error of the rounded result r of an operator, raw before rounding; operands x give or take e. */
double lt__eval_op_error(enum lt_opcode, enum lt_dtype from, enum lt_dtype to, const union lt_scalar *x,
	const double *e, union lt_scalar raw, union lt_scalar r);
double lt__eval_cast_error(enum lt_dtype from, enum lt_dtype to, union lt_scalar x, double e, union lt_scalar r);
/* The same of a cast between floats that may be left out; and of what was rounded to r, which is known. */
double lt__eval_unrounded_error(enum lt_dtype from, enum lt_dtype to, union lt_scalar x, double e, union lt_scalar r);
double lt__eval_rounding_error(enum lt_dtype, union lt_scalar r);
void lt__eval_fold_error(struct lt_fold *, enum lt_opcode, enum lt_dtype, union lt_scalar x, double e);
double lt__eval_folded_error(const struct lt_fold *, enum lt_opcode, enum lt_dtype, union lt_scalar r);
#endif
