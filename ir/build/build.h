/* build.h -- composite operators as graphs of the others, and steps that their builders (also frontends) share.
 *
 * Only functions of lt/graph.h and of this header are called here, so no builder allocates by itself.  Nodes are
 * numbered as they are made, so no call has two operands that make one: C leaves their order to the compiler.
 */
#ifndef LT_IR_BUILD_BUILD_H
#define LT_IR_BUILD_BUILD_H
#include "ir/graph/graph.h"

/* common.c */
/* Half types and small integers are computed in a wider type; a composite widens once, at its ends. */
lt_node lt__build_wide(struct lt_graph *, lt_node);
/* Softmax over a var; x is a float of a computing type. */
lt_node lt__build_softmax_over(struct lt_graph *, lt_node, lt_var);

/* index.c */
/* Position (int64) of the largest (op "max") or smallest ("min") along an axis, which stays, of extent 1: of the first,
 * or the last, where several are; NaN comes before all numbers. */
lt_node lt__build_arg(struct lt_graph *, lt_node, int32_t axis, const char *op, bool last);
/* The k first in order (largest: from above) along an axis, and where they were (int64); of equal ones the first one
 * first; NaN counts as the largest.  1 <= k <= extent. */
void lt__build_top_k(struct lt_graph *, lt_node x, int32_t axis, int64_t k, bool largest, lt_node *values, lt_node *at);
/* y[i, j] = x[index[i, j], j], for axis 0: as numpy.take_along_axis; the other axes of the index are at most x's. */
lt_node lt__build_gather_elements(struct lt_graph *, lt_node x, lt_node index, int32_t axis);
/* True on a new axis at the position that the index (int64) names. */
lt_node lt__build_one_hot(struct lt_graph *, lt_node index, int64_t depth, int32_t axis);
/* The lower (or upper) triangle of the last two axes, moved by k columns; zeros elsewhere. */
lt_node lt__build_triangle(struct lt_graph *, lt_node x, int64_t k, bool upper);
/* Sums ("add") or products ("mul") of all elements up to each one; exclusive: of those before it; reverse: from the
 * last element. */
lt_node lt__build_running(struct lt_graph *, const char *op, lt_node x, int32_t axis, bool exclusive, bool reverse);

/* norm.c: x [N, C, ..] */
/* w [C] as [1, C, 1 ..] of rank `rank`, in the type of x */
lt_node lt__build_per_channel(struct lt_graph *, lt_node w, int32_t rank, lt_node x);
/* y: (x - mean) / root, root: sqrt(variance + eps), over axes, which stay; x is of a computing type */
struct lt_moments { lt_node mean, variance, root, y; };
struct lt_moments lt__build_moments(struct lt_graph *, lt_node x, const bool *over, double eps);
/* (x - mean) * (scale / sqrt(variance + eps)) + bias; x of a computing type, mean and variance of its rank. */
lt_node lt__build_batch_norm(struct lt_graph *, lt_node x, lt_node scale, lt_node bias, lt_node mean, lt_node variance,
	double eps);
lt_node lt__build_instance_norm(struct lt_graph *, lt_node x, lt_node scale, lt_node bias, double eps);
/* Channels in `groups`, which divides them; scale and bias of each channel (or per_group). */
lt_node lt__build_group_norm(struct lt_graph *, lt_node x, int64_t groups, lt_node scale, lt_node bias, double eps,
	bool per_group);
/* log(sum(exp(x))) over axes, which does not overflow; x is a float of a computing type */
lt_node lt__build_log_sum_exp(struct lt_graph *, lt_node, const bool *over, bool keep);

/* nn.c: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
lt_node lt__build_gelu_tanh(struct lt_graph *, lt_node);
/* nn.c: the logarithm of softmax along an axis, which does not underflow; x as there */
lt_node lt__build_log_softmax(struct lt_graph *, lt_node, int32_t axis);
/* matmul.c: why the shapes of two values do not fit in a matrix product, and the vars that do not (-1: none);
 * NULL: they do. */
const char *lt__build_matmul_misfit(const struct lt_graph *, lt_node a, lt_node b, lt_var *, lt_var *);

/* -- graphs of operators whose operands meet axis by axis, as in NumPy and ONNX: for builders.
 *
 * The vars of a graph's values are named; here an axis is a position.  Each function takes values by position and
 * renames vars as needed.  LT_NONE goes through; failures are sentences in the context.  A mask has one bool for each
 * axis.  Like those of build.h, these functions allocate nothing by themselves.
 */
/* position.c: facts */
int32_t lt__pos_rank(const struct lt_graph *, lt_node);                 /* 0 of LT_NONE */
int64_t lt__pos_extent(const struct lt_graph *, lt_node, int32_t axis); /* the most it may be; 0 of LT_NONE */
bool lt__pos_bounded(const struct lt_graph *, lt_node, int32_t axis);   /* by run-time scalars */
bool lt__pos_is_one(const struct lt_graph *, lt_var);                   /* one position in every run: it broadcasts */
bool lt__pos_is_float(const struct lt_graph *, lt_node);
/* Of the context's scratch texts: the extent of a var, "end - begin", "6". */
const char *lt__pos_extent_text(const struct lt_graph *, lt_var);
lt_var lt__pos_fresh(struct lt_graph *, lt_var like);                   /* a new var of the same extent and limit */
lt_var lt__pos_like(struct lt_graph *, lt_node, int32_t axis);          /* a new var like that of an axis */

/* position.c: views.  The result has the vars; axis i of x is at[i] of them, -1: element 0. */
lt_node lt__pos_view(struct lt_graph *, lt_node x, int32_t n, const lt_var *, const int32_t *at);
/* Axes of extent 1 at the true places of a mask over the result's rank; and away from x's. */
lt_node lt__pos_unsqueeze(struct lt_graph *, lt_node, int32_t rank, const bool *);
lt_node lt__pos_squeeze(struct lt_graph *, lt_node, const bool *);
lt_node lt__pos_insert(struct lt_graph *, lt_node, int32_t axis);       /* one axis of extent 1 before `axis` */
lt_node lt__pos_at(struct lt_graph *, lt_node, int32_t axis, int64_t i);/* element i of an axis, which goes away */
/* NumPy's broadcast_to, both ways. */
lt_node lt__pos_expand(struct lt_graph *, lt_node, int32_t rank, const int64_t *shape);
lt_node lt__pos_swap(struct lt_graph *, lt_node, int32_t a, int32_t b);
/* Elements begin .. end-1 of an axis, at least one; step below 0: from begin down to end + 1. */
lt_node lt__pos_slice(struct lt_graph *, lt_node, int32_t axis, int64_t begin, int64_t end, int64_t step);
lt_node lt__pos_concat(struct lt_graph *, int32_t axis, int32_t n, const lt_node *);
/* Positions 0 .. extent-1 along axis `axis` of `rank`, other axes of extent 1; int64. */
lt_node lt__pos_range(struct lt_graph *, int64_t extent, int32_t axis, int32_t rank);
/* The position along an axis of x, int64, with x's rank: other axes of extent 1. */
lt_node lt__pos_along(struct lt_graph *, lt_node x, int32_t axis);
/* Elements of x along `axis` at integers from 0 on, whose axes come in its place. */
lt_node lt__pos_gather(struct lt_graph *, lt_node x, lt_node index, int32_t axis);

/* position.c: reductions; keep: a reduced axis stays, of extent 1 */
lt_node lt__pos_reduce(struct lt_graph *, const char *op, lt_node, const bool *over, bool keep);
lt_node lt__pos_reduce1(struct lt_graph *, const char *op, lt_node, int32_t axis, bool keep);
lt_node lt__pos_mean(struct lt_graph *, lt_node, const bool *over, bool keep);

/* position_op.c: operator of n operands, broadcast as NumPy does. */
enum { LT_POS_OPERANDS = 3 };
lt_node lt__pos_op(struct lt_graph *, const char *op, int32_t n, const lt_node *);
lt_node lt__pos_op1(struct lt_graph *, const char *op, lt_node);
lt_node lt__pos_op2(struct lt_graph *, const char *op, lt_node, lt_node);
lt_node lt__pos_select(struct lt_graph *, lt_node condition, lt_node yes, lt_node no);
/* With a number of x's type as the second operand (or, opr, the first). */
lt_node lt__pos_opf(struct lt_graph *, const char *op, lt_node x, double);
lt_node lt__pos_opr(struct lt_graph *, const char *op, double, lt_node x);
/* Two of n values that do not broadcast with each other, and the axis, counted from the last, -1; false: all do. */
struct lt_misfit { int32_t first, second, axis; lt_var v, w; };
bool lt__pos_misfit(const struct lt_graph *, int32_t n, const lt_node *, struct lt_misfit *);
/* The operands with common vars, which are given (room for LT_MAX_RANK); for operators of lt/graph.h that take vars. */
bool lt__pos_broadcast(struct lt_graph *, int32_t n, const lt_node *, int32_t *rank, lt_var *dims, lt_node *out);

/* -- functions of one value, element by element, that are graphs of operators: rows of
 * function.def. */
enum { LT_FUNCTION_OPERATOR = 1, LT_FUNCTION_RECURRENT = 2 };
enum { LT_FUNCTION_NUMBERS = 2 };
/* x of a float type that is computed with. */
typedef lt_node lt_function_build(struct lt_graph *, lt_node x, double a, double b);
struct lt_function {
	const char *name;
	int where;
	const char *number[LT_FUNCTION_NUMBERS];        /* "alpha"; "": it takes none */
	double otherwise[LT_FUNCTION_NUMBERS];
	lt_function_build *build;
	const char *pattern, *doc;                      /* of the script's node */
};

/* The row of a name (any case) that is for `where`; NULL: there is none. */
const struct lt_function *lt__function_find(int where, const char *name, size_t bytes);
/* Row i; NULL: after the last one. */
const struct lt_function *lt__function_at(int32_t i);
/* Widens half types, and rounds back to x's type. */
lt_node lt__build_function(struct lt_graph *, const struct lt_function *, lt_node x, double a, double b);

#define FUNCTION(name, where, first, a, second, b, pattern, doc) lt_function_build lt__function_##name;
#include "ir/build/function.def"

/* -- steps one after the other, whose number is the extent T of a var, known or of the run (rounds.c).  There are as
 * many rounds as T may be at most; a run reads what the first T of them gave. -- */
/* x [T, ..] by round, [the most T, ..], 0 in those after T; backwards: round i is step T - 1 - i. */
lt_node lt__rounds_of(struct lt_graph *, lt_var steps, lt_node x, bool backwards);
/* That as a value, so that what a round reads of it does not depend on the run; otherwise: what it is after T. */
lt_node lt__rounds_else(struct lt_graph *, lt_var steps, lt_node x, lt_node otherwise);
/* By round: whether a run has it. */
lt_node lt__rounds_there(struct lt_graph *, lt_var steps);
/* Whether a round may give b where it was given a: they are of one type and shape. */
bool lt__rounds_same(const struct lt_graph *, lt_node a, lt_node b);
/* What rounds gave, [1, ..] each: [T, ..], by round, or turned.  y is overwritten. */
lt_node lt__rounds_joined(struct lt_graph *, lt_var steps, lt_node *y, bool turned);
lt_node lt__rounds_turned(struct lt_graph *, lt_var steps, lt_node x);
/* Of a state [..] after each round of a run, [T, ..], where T differs: the last one, or what was there before. */
lt_node lt__rounds_last(struct lt_graph *, lt_var steps, lt_node all, lt_node before);

/* -- RNN, GRU and LSTM as ONNX defines them: their steps one after the other (recurrent.c).
 *
 * D directions, T steps, B sequences, I elements of x, H of a state, n gates (RNN 1; GRU 3: z, r, h; LSTM 4: i, o, f,
 * c).
 */
enum lt_recurrent_kind { LT_RECURRENT_RNN, LT_RECURRENT_GRU, LT_RECURRENT_LSTM, LT_RECURRENTS };
enum { LT_RECURRENT_ACTIVATIONS = 3, LT_RECURRENT_DIRECTIONS = 2, LT_RECURRENT_STEPS = 20000 };
/* Activations of one direction; their names where none are given. */
extern const struct lt_recurrent_info {
	const char *name;
	int32_t n_gate, n_act;
	bool cell;
	const char *act[LT_RECURRENT_ACTIVATIONS];
} lt__recurrent_info[LT_RECURRENTS];
struct lt_recurrent_act { const struct lt_function *function; double a, b; };

struct lt_recurrent {
	enum lt_recurrent_kind kind;
	int32_t n_direction;            /* 2: forward, then backwards */
	bool backwards;                 /* of one direction: from the last step to the first */
	bool batch_first;               /* the sequences are the first axis of x, y and the states: ONNX' layout 1 */
	bool linear_before_reset;       /* GRU */
	bool input_forget;              /* LSTM: f is 1 - i */
	double clip;                    /* 0: none */
	int64_t hidden;                 /* H */
	struct lt_recurrent_act act[LT_RECURRENT_DIRECTIONS][LT_RECURRENT_ACTIVATIONS];
	lt_node x;                      /* [T, B, I] */
	lt_node w, r;                   /* [D, n H, I], [D, n H, H] */
	lt_node bias;                   /* [D, 2 n H]: of x, then of h; this and the following LT_OMIT: zeros, but all steps */
	lt_node lengths;                /* [B]: steps of each sequence; behind them y is 0 and the states stay */
	lt_node h, cell;                /* [D, B, H] */
	lt_node peephole;               /* [D, 3 H], LSTM: i, o, f */
};
/* y [T, D, B, H] (batch_first [B, T, D, H]), the last h, the last cell (LT_OMIT unless LSTM), of x's type.  False with
 * a sentence.  Inside of lt__protect. */
bool lt__build_recurrent(struct lt_graph *, const struct lt_recurrent *, lt_node out[3]);
#endif
