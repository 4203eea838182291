/* lt/graph.h -- building a dataflow graph from C.
 *
 * Meaning.    A value has an element type and named dimensions, the vars.  Two operands that share a
 *             var share that axis; an operand without one of the result's vars is broadcast along it.
 *             The extent of a var is stored on the var, once; two vars of equal extent stay different.
 * Numbers.    A value is rounded to its type where it is defined.  Integers wrap; x/0 and x%0 are 0 for
 *             integers; integer division rounds towards minus infinity.  Float to integer truncates and
 *             saturates, NaN gives 0.  min, max and ReLU propagate NaN, and for them -0 is less than +0, as operators
 *             and as reductions, for every backend: ReLU of -0 is +0.  A reduction over no elements gives
 *             the operator's identity.  The order of a reduction, the accuracy of a library function, the
 *             contraction of a product into its sum and the sign of a zero sum may differ between backends.
 *             Half types are computed in f32, 8- and 16-bit integers in i32, and cast back: the builder
 *             adds those casts.
 * Bounds.     What a view reads is inside its source, and the block of an update inside what it replaces, in
 *             every run.  Each row of each piece is checked when the node is added (and when text is parsed):
 *             wherever the piece is shown (its guards hold, those of the pieces before it do not) the row is
 *             an index of the axis, whatever the params are within their ranges and the requirements that
 *             were added before.  An axis or dim bounded by params ends with the run's extent.  One that leaves
 *             its source is refused (LT_EINVAL) with an example; where params decide, the exact condition
 *             is added as requirements (lt_graph_require), by which a run is refused before its first
 *             kernel.  A condition that is not a conjunction of at most four sums, or that is not found within a
 *             budget, is refused (LT_EUNSUPPORTED): narrow the params' ranges, or guard the piece.
 * Large rows. Index rows, guards, numerators of floor divisions, limits and offsets fit 62 bits: the sum of any
 *             of their terms, each a coefficient times what its dim (0 .. extent-1), param (its range) or
 *             division can be, guards or not; and so does the place in memory, in bytes of the widest type.
 *             What does not fit is refused (LT_EOVERFLOW), so that no arithmetic on rows wraps anywhere.
 * Failures.   A function that gives a node, var or param gives LT_NONE on failure; the context then holds the first
 *             sentence (lt_context_message).  LT_NONE as an operand gives LT_NONE and keeps that sentence, so
 *             that only the last of a chain needs to be checked.  What is left out on purpose is LT_OMIT, where a
 *             function says that it may be.
 * Pointers.   No argument may be NULL unless its function says so: no handle, no `out`, no text.  An array of n
 *             elements may be NULL if n is 0, an array with an element for each axis if the rank is 0.  `user`
 *             may be anything.
 * Ownership.  The graph copies names and arrays that it is handed.  A graph belongs to its context and is
 *             used by one thread at a time; the caller frees it, before the context.
 */
#ifndef LT_GRAPH_H
#define LT_GRAPH_H
#include "lt/status.h"
#include "lt/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lt_context;
struct lt_graph;
typedef int32_t lt_node, lt_var, lt_param;      /* indices into the graph's tables */
/* Instead of an index.  NONE: there is none, as after a failure.  OMIT: it is left out on purpose. */
enum { LT_NONE = -1, LT_OMIT = -2 };
enum { LT_MAX_RANK = 64 };              /* axes of a node */

LT_API lt_status lt_graph_new(struct lt_context *, struct lt_graph **out);
LT_API void lt_graph_free(struct lt_graph *);                   /* NULL: nothing */
/* Where the nodes built from here on come from (1-based); 0, 0: unknown. */
LT_API void lt_graph_at(struct lt_graph *, int32_t line, int32_t column);

/* Vars.  name: made unique by a number after it; NULL: a made-up one, of lt_graph_var_bounded too.  extent >= 1. */
LT_API lt_var lt_graph_var(struct lt_graph *, const char *name, int64_t extent);
/* Run-time scalar (a param): element `element` (row-major) of an int64 input, constant or state, or a view of
 * one.  The run is refused unless low <= value <= high. */
LT_API lt_param lt_graph_param(struct lt_graph *, lt_node source, int64_t element, int64_t low, int64_t high);
/* Var with extent  constant + sum coef[i]*param[i]  (never below 0), at most `max`. */
LT_API lt_var lt_graph_var_bounded(struct lt_graph *, const char *name, int64_t max,
	int64_t constant, int32_t n, const lt_param *param, const int64_t *coef);
/* A run is refused, with `text` (NULL: one that says little), unless constant + sum coef[i]*param[i] >= 0
 * (equal != 0: == 0). */
LT_API lt_status lt_graph_require(struct lt_graph *, int equal, int64_t constant, int32_t n,
	const lt_param *param, const int64_t *coef, const char *text);

/* Sources.  dims: n vars, outermost first; distinct.  name: unique among inputs (constants, states); that of a state
 * may be NULL: a made-up one. */
LT_API lt_node lt_graph_input(struct lt_graph *, const char *name, enum lt_dtype, int32_t n, const lt_var *dims);
LT_API lt_node lt_graph_constant(struct lt_graph *, const char *name, enum lt_dtype, int32_t n, const lt_var *dims);
/* What a constant holds: dense, row-major; at any byte, but a program copies what its kernels read if that is not
 * aligned to its type.  Programs that are compiled of the graph have it from the beginning, and lt_program_bind may
 * give another one.  Borrowed until the graph and all its programs are freed; NULL: it has none.  A graph's text has no
 * contents. */
LT_API lt_status lt_graph_content(struct lt_graph *, lt_node constant, const void *data);
LT_API const void *lt_node_content(const struct lt_graph *, lt_node);   /* NULL: it has none */
/* release(user) is called once, when the graph and the last program that was compiled of it are freed; not if this
 * fails. */
LT_API lt_status lt_graph_hold(struct lt_graph *, void (*release)(void *user), void *user);
LT_API lt_node lt_graph_state(struct lt_graph *, const char *name, enum lt_dtype, int32_t n, const lt_var *dims);
LT_API lt_node lt_graph_literal(struct lt_graph *, enum lt_dtype, double value);        /* no dims; converted */
LT_API lt_node lt_graph_literal_int(struct lt_graph *, enum lt_dtype, int64_t value);
LT_API lt_node lt_graph_index(struct lt_graph *, lt_var);

/* Elementwise operator `op` (a keyword of ir/op/op.def: "add", "exp", "select" ...) on n operands of
 * one type (select: a bool first).  The result has the union of the operands' vars, in order of
 * appearance; lt_graph_op_to gives its vars and their order explicitly (a superset broadcasts). */
LT_API lt_node lt_graph_op(struct lt_graph *, const char *op, int32_t n, const lt_node *operand);
LT_API lt_node lt_graph_op_to(struct lt_graph *, const char *op, int32_t n, const lt_node *operand,
	int32_t n_dim, const lt_var *dims);
LT_API lt_node lt_graph_unary(struct lt_graph *, const char *op, lt_node);
LT_API lt_node lt_graph_binary(struct lt_graph *, const char *op, lt_node, lt_node);
LT_API lt_node lt_graph_cast(struct lt_graph *, lt_node, enum lt_dtype);
/* Reduction "add", "mul", "min", "max" over the n given vars (all of the operand's). */
LT_API lt_node lt_graph_reduce(struct lt_graph *, const char *op, lt_node, int32_t n, const lt_var *over);
/* sum over `over` of a*b. */
LT_API lt_node lt_graph_contract(struct lt_graph *, lt_node a, lt_node b, int32_t n, const lt_var *over);

/* A view: element (i0, i1 ...) of the result, whose dims are given, is the value of the first piece whose
 * guards all hold, or the fill (typed by the pieces' type).  Rows are over
 * [1 | n_param params | n_dim result dims | n_div floor divisions], see struct lt_map. */
struct lt_map {
	int32_t n_param, n_dim, n_div, n_guard, n_row;
	/* Each NULL where there are none. */
	const lt_param *param;          /* n_param: the graph's parameter for each column        */
	const int64_t *div;             /* n_div x (1 + width): denominator > 0, then numerator row; earlier divs only */
	const int64_t *guard;           /* n_guard x width: row >= 0                             */
	const int64_t *row;             /* n_row x width: one index for each dim of the source   */
};                                      /* width = 1 + n_param + n_dim + n_div                   */
struct lt_view_piece {
	lt_node source;                 /* LT_OMIT: the immediate `bits`, and the map has no rows */
	uint64_t bits;
	struct lt_map map;
};
LT_API lt_node lt_graph_view(struct lt_graph *, int32_t n_dim, const lt_var *dims,
	int32_t n_piece, const struct lt_view_piece *, uint64_t fill_bits, int has_fill);

/* Views that are often wanted.  The result has new vars unless said otherwise. */
LT_API lt_node lt_graph_rename(struct lt_graph *, lt_node, int32_t n, const lt_var *dims);  /* same extents, in order */
/* out[i]=in[perm[i]]; vars kept */
LT_API lt_node lt_graph_permute(struct lt_graph *, lt_node, int32_t n, const int32_t *perm);
LT_API lt_node lt_graph_reshape(struct lt_graph *, lt_node, int32_t n, const int64_t *shape);
LT_API lt_node lt_graph_reshape_to(struct lt_graph *, lt_node, int32_t n, const lt_var *dims);
/* Elements begin .. begin+step*(count-1) along axis; other vars kept. */
LT_API lt_node lt_graph_slice(struct lt_graph *, lt_node, int32_t axis, int64_t begin, int64_t step, int64_t count);
/* Elements begin .. end of an axis with run-time begin and end (LT_OMIT: 0 and the extent);
 * requires 0 <= begin <= end <= extent. */
LT_API lt_node lt_graph_slice_bounded(struct lt_graph *, lt_node, int32_t axis, lt_param begin, lt_param end);
/* before[i], after[i] >= 0 elements of `bits` around axis i; axes without padding keep their var. */
LT_API lt_node lt_graph_pad(struct lt_graph *, lt_node, const int64_t *before, const int64_t *after, uint64_t bits);
LT_API lt_node lt_graph_concat(struct lt_graph *, int32_t axis, int32_t n, const lt_node *);
/* Sliding windows along axis: var `axis` becomes (out, tap): element out*stride + tap*dilation - before;
 * outside the source: bits.  out: count positions. */
LT_API lt_node lt_graph_window(struct lt_graph *, lt_node, int32_t axis, lt_var out, lt_var tap,
	int64_t stride, int64_t dilation, int64_t before, uint64_t bits);

/* x with dims (.., axis, ..), index integer: result dims are x's without axis, index's vars in its place. */
LT_API lt_node lt_graph_gather(struct lt_graph *, lt_node x, lt_node index, int32_t axis);
/* x with the block of part's shape at offset (per axis of x: a constant plus a param or LT_OMIT) replaced; requires
 * that it is inside x.  at NULL: no params. */
LT_API lt_node lt_graph_update(struct lt_graph *, lt_node x, lt_node part, const int64_t *offset, const lt_param *at);
/* At the end of a run `state` takes the content of `value` (same type and shape). */
LT_API lt_status lt_graph_set_state(struct lt_graph *, lt_node state, lt_node value);

/* A named result; names are unique. */
LT_API lt_status lt_graph_result(struct lt_graph *, const char *name, lt_node);

/* What the nodes between the operands and the results compute is what operation `name` of the user's own means: where
 * lt_options.kernels has its kernel, that is called (docs/own-kernels.md).  name: "hard_swish", "DOMAIN/NAME"; number:
 * what the kernel is given besides, in own->number.  LT_EINVAL: the nodes read memory that is no operand, an operand is
 * not read, or a result is an operand, too. */
LT_API lt_status lt_graph_own(struct lt_graph *, const char *name, int32_t n_operand, const lt_node *operand,
	int32_t n_result, const lt_node *result, int32_t n_number, const double *number);

/* "f32"; NULL for a number that is not a type.  Bytes of one element, 0 likewise.  Any thread. */
LT_API const char *lt_dtype_name(enum lt_dtype);
LT_API size_t lt_dtype_bytes(enum lt_dtype);

/* How many there are: nodes, vars and params are 0 .. count-1. */
LT_API int32_t lt_graph_node_count(const struct lt_graph *);
LT_API int32_t lt_graph_var_count(const struct lt_graph *);
LT_API int32_t lt_graph_param_count(const struct lt_graph *);
/* Names are unique in a graph, and live until it is freed or they are set again.  NULL: there is no such node, var or
 * param.  find: LT_NONE, without a sentence: no node has that name (which is without %). */
LT_API const char *lt_node_name(const struct lt_graph *, lt_node);
LT_API const char *lt_var_name(const struct lt_graph *, lt_var);
LT_API const char *lt_param_name(const struct lt_graph *, lt_param);
LT_API lt_node lt_graph_find_node(const struct lt_graph *, const char *name);
/* Facts of a node.  op: its row in the table of operators (lt/table.h), -1: there is no such node.  operand: LT_NONE:
 * it does not have as many. */
LT_API int32_t lt_node_op(const struct lt_graph *, lt_node);
LT_API lt_node lt_node_operand(const struct lt_graph *, lt_node, int32_t i);
LT_API enum lt_dtype lt_node_dtype(const struct lt_graph *, lt_node);
LT_API int32_t lt_node_rank(const struct lt_graph *, lt_node);
LT_API lt_var lt_node_dim(const struct lt_graph *, lt_node, int32_t axis);
LT_API int64_t lt_var_extent(const struct lt_graph *, lt_var);          /* the maximum, if bounded by params */
LT_API void lt_node_set_name(struct lt_graph *, lt_node, const char *); /* made unique; NULL: the name stays */
LT_API void lt_var_set_name(struct lt_graph *, lt_var, const char *);   /* made unique; NULL: the name stays */
/* What a value's integers (8 to 64 bits) stand for: (q - zero) * scale.  A note: dumps show it, nothing computes with
 * it, and passes may lose it.  A value that means something else already is refused (LT_EEXIST): it is another value,
 * which a copy is. */
LT_API lt_status lt_node_means(struct lt_graph *, lt_node, double scale, int64_t zero);
LT_API int lt_node_meaning(const struct lt_graph *, lt_node, double *scale, int64_t *zero);     /* 0: nothing is said */
/* What values an input or a constant of floats is said to have, low <= high, both finite: a note likewise, which runs
 * do not check.  Set again it is another one. */
LT_API lt_status lt_node_ranges(struct lt_graph *, lt_node, double low, double high);
LT_API int lt_node_range(const struct lt_graph *, lt_node, double *low, double *high);          /* 0: nothing is said */

/* Composite operators (ir/build/): graphs of the above. axis counts from 0. */
LT_API lt_node lt_build_relu(struct lt_graph *, lt_node);
LT_API lt_node lt_build_silu(struct lt_graph *, lt_node);
LT_API lt_node lt_build_gelu(struct lt_graph *, lt_node);               /* x/2 (1+erf(x/sqrt 2)) */
LT_API lt_node lt_build_mean(struct lt_graph *, lt_node, int32_t n, const lt_var *over);
LT_API lt_node lt_build_softmax(struct lt_graph *, lt_node, int32_t axis);      /* with the row's maximum subtracted */
/* softmax of the first `prefix` elements of the last axis (LT_OMIT: of all), the others copied */
LT_API lt_node lt_build_sliced_softmax(struct lt_graph *, lt_node, lt_param prefix);
/* over the last axis: (x-mean)/sqrt(var+eps)*w+b; w, b: rank 1 or LT_OMIT */
LT_API lt_node lt_build_layer_norm(struct lt_graph *, lt_node, lt_node w, lt_node b, double eps);
/* over the last axis: w*x/sqrt(mean(x*x)+eps) */
LT_API lt_node lt_build_rms_norm(struct lt_graph *, lt_node, lt_node w, double eps);
/* NumPy's matmul: [.., m, k] by [.., k, n], whose other axes broadcast; a vector is a row, or a column */
LT_API lt_node lt_build_matmul(struct lt_graph *, lt_node a, lt_node b);
enum lt_layout { LT_NCHW, LT_NHWC };
/* x: NCHW or NHWC.  w: OIHW (NCHW) or HWIO (NHWC), I = channels / groups.  pads: top, left, bottom, right. */
LT_API lt_node lt_build_conv2d(struct lt_graph *, lt_node x, lt_node w, const int64_t strides[2],
	const int64_t pads[4], const int64_t dilations[2], int64_t groups, enum lt_layout);
LT_API lt_node lt_build_max_pool2d(struct lt_graph *, lt_node x, const int64_t window[2], const int64_t strides[2],
	const int64_t pads[4], const int64_t dilations[2], enum lt_layout);         /* pads count as -inf */
LT_API lt_node lt_build_average_pool2d(struct lt_graph *, lt_node x, const int64_t window[2], const int64_t strides[2],
	const int64_t pads[4], int count_pad, enum lt_layout);
/* q [.., s, d], k [.., t, d], v [.., t, e], equal leading dims: softmax(scale q k^T + mask) v; causal: t <= s +
 * (T-S) */
LT_API lt_node lt_build_attention(struct lt_graph *, lt_node q, lt_node k, lt_node v, double scale, int causal);
/* Pairs on the last axis of extent 2: (ac-bd, ad+bc); r broadcast over the others by equal extent or 1. */
LT_API lt_node lt_build_complex_mul(struct lt_graph *, lt_node l, lt_node r);
/* r viewed with l's vars, NumPy's rules restricted to r: equal rank, each dim equal or 1. */
LT_API lt_node lt_build_broadcast_to(struct lt_graph *, lt_node r, lt_node l);

/* Fixed point: integers that stand for numbers by a scale and a zero point, which are no part of a value.  i8, u8, i16,
 * u16, i32, and i64 where it says so; every result is the same bits on every backend.
 *
 * x at another scale: rounded, the zero point added, cut off at least and most, and cast.  Numbers by channel meet x as
 * NumPy has it.  What is known of them when the graph is built (literals, contents) is checked.
 *   SHIFT        x / 2^shift; shift 0 to 30, of i64 62
 *   MULTIPLIER   x * by / 2^(31 + shift), by i32 from 0 on, shift -30 to 30.  AWAY: up at 2^31 in i32, then away from
 *                zero at the shift (one below 0 is done first, in i32); UP: once
 *   STEP         x * by, by f32: x and the product are rounded to f32, then to the nearest whole number, halves to even
 */
enum lt_rounding {
	LT_ROUND_EVEN,          /* to the nearest, halves to even       */
	LT_ROUND_FLOOR,         /* down                                 */
	LT_ROUND_ZERO,          /* towards zero                         */
	LT_ROUND_UP,            /* to the nearest, halves up            */
	LT_ROUND_AWAY,          /* to the nearest, halves away from zero */
	LT_ROUNDINGS
};
enum lt_requant_kind { LT_REQUANT_SHIFT, LT_REQUANT_MULTIPLIER, LT_REQUANT_STEP };
struct lt_requant {
	enum lt_requant_kind kind;
	enum lt_rounding rounding;      /* not of STEP */
	lt_node by, shift;              /* by: not of SHIFT; shift: not of STEP */
	int64_t zero, least, most;      /* zero: of 8 and 16 bits */
	enum lt_dtype to;               /* i8, u8, i16, u16, i32 */
};
LT_API lt_node lt_build_requant(struct lt_graph *, lt_node x, const struct lt_requant *);

/* sum (a - zero_a) (b - zero_b) + bias, exact; zero_b and bias, LT_OMIT or one number or one a channel of the result,
 * are known or contents.  sum: LT_I64; LT_I32, refused where known numbers exceed it unless wraps, where sums that do
 * not fit wrap; 0: LT_I32 where that is proven.
 * proof, may be NULL: what a sum is at most, |sum| <= bound = weight * reach + bias, of the channel where it is largest
 * (-1: of any): weight is the sum of |b - zero_b|, reach the most of |a - zero_a|, bias that of |bias|, each INT64_MAX
 * where it is more; known: of contents, and not of types alone.  node: the result, LT_NONE where it was refused, whose
 * sums are of the type `sum`. */
struct lt_fixed_product { int64_t zero_a; lt_node zero_b, bias; enum lt_dtype sum; int wraps; };
struct lt_sum_proof {
	int64_t terms, bound, channel, weight, reach, bias;
	int known;
	lt_node node, a, b;
	int64_t zero_a;
	enum lt_dtype sum;
};
/* a [.., m, k] by b [k, n] */
LT_API lt_node lt_build_fixed_matmul(struct lt_graph *, lt_node a, lt_node b, const struct lt_fixed_product *,
	struct lt_sum_proof *proof);
/* As lt_build_conv2d; beside the image is zero_a, which stands for 0. */
struct lt_fixed_window { int64_t strides[2], pads[4], dilations[2], groups; enum lt_layout layout; };
LT_API lt_node lt_build_fixed_conv2d(struct lt_graph *, lt_node x, lt_node w, const struct lt_fixed_window *,
	const struct lt_fixed_product *, struct lt_sum_proof *proof);
/* The proofs of all sums that these two made, i from 0 to lt_graph_sums - 1, once more: `contents` (may be NULL)
 * answers what a constant holds that the graph does not know, NULL: it does not, either.  Passes lose them. */
LT_API int32_t lt_graph_sums(const struct lt_graph *);
LT_API lt_status lt_graph_sum(const struct lt_graph *, int32_t i, const void *(*contents)(void *user, lt_node),
	void *user, struct lt_sum_proof *out);
/* A proof as a line of text: which numbers it is from, and whether the type of the sums holds them. */
LT_API lt_status lt_sum_proof_print(const struct lt_graph *, const struct lt_sum_proof *,
	void (*write)(void *, const char *, size_t), void *user);

/* table[x - least number of x's type]: any function of 8 or 16 bits */
LT_API lt_node lt_build_table(struct lt_graph *, lt_node x, lt_node table);
/* Functions of x in steps of 2^-11 (of any number, up to i32) that give i16 in steps of 2^-14, by two tables: 16384
 * e^-(i/16) and 16384 e^-(i/2048).  Of exp what is above 0 is 1. */
LT_API void lt_fixed_exp_tables(int16_t coarse[256], int16_t fine[128]);
LT_API lt_node lt_build_fixed_exp(struct lt_graph *, lt_node x, lt_node coarse, lt_node fine);
LT_API lt_node lt_build_fixed_sigmoid(struct lt_graph *, lt_node x, lt_node coarse, lt_node fine);
LT_API lt_node lt_build_fixed_tanh(struct lt_graph *, lt_node x, lt_node coarse, lt_node fine);
LT_API lt_node lt_build_fixed_softmax(struct lt_graph *, lt_node x, lt_node coarse, lt_node fine, int32_t axis);
/* x / sqrt(sum of x^2) along an axis, i16 in steps of 2^-14, x i8, u8 or i16 in any steps; zeros where all are 0 */
LT_API lt_node lt_build_fixed_l2_norm(struct lt_graph *, lt_node x, int32_t axis);

/* Text: docs/graph.md.  Deterministic; parsing it back gives the same graph.  file, for messages; NULL: "graph". */
LT_API lt_status lt_graph_print(const struct lt_graph *, void (*write)(void *, const char *, size_t), void *user);
LT_API lt_status lt_graph_dot(const struct lt_graph *, void (*write)(void *, const char *, size_t), void *user);
LT_API lt_status lt_graph_parse(
	struct lt_context *, const char *text, size_t bytes, const char *file, struct lt_graph **out);
/* Checks every rule of this header; LT_OK or a sentence. */
LT_API lt_status lt_graph_verify(const struct lt_graph *);

#ifdef __cplusplus
}
#endif
#endif
