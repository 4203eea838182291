/* graph.h -- the graph as the library sees it: tables of vars, params, nodes and results.
 *
 * Nodes are in a topological order: an operand's index is smaller than its reader's.  A node is not
 * changed after it was added, except for names.  A pass gives a new graph (ir/pass/pass.h).
 */
#ifndef LT_IR_GRAPH_GRAPH_H
#define LT_IR_GRAPH_GRAPH_H
#include "lt/graph.h"
#include "base/arena.h"
#include "base/sets.h"
#include "ir/op/op.h"

/* constant + sum coef[i]*param[i] */
struct lt_linear { int64_t constant; int32_t n; lt_param *param; int64_t *coef; };

/* unit > 0: the number of an iteration of a loop over the var `of`, floor((of mod span) / unit); span 0: no end.  Only
 * in a loop tree's own graph (looptree/derive/derive.h). */
struct lt_vardef {
	const char *name;
	int64_t extent;
	bool bounded;
	struct lt_linear limit;
	lt_var of;
	int64_t unit, span;
};
struct lt_paramdef { const char *name; lt_node source; int64_t element, low, high; };
struct lt_require  { bool equal; struct lt_linear value; const char *text; int32_t line, column; };

struct lt_nodedef {
	enum lt_opcode op;
	enum lt_dtype dtype;
	bool reduce;            /* op folds operand 0 over its vars that are not in dims */
	int32_t n_operand, n_dim;
	lt_node *operand;
	lt_var *dim;            /* vars of the result, outermost first */
	const char *name;       /* unique; "5", "5.mul"; printed as %name */
	int32_t line, column;
	/* attributes, by op */
	const void *content;    /* constant: what it holds, borrowed (lt_graph_content); NULL: not known */
	const char *label;      /* input, constant, state: the caller's name */
	uint64_t bits;          /* lit: value; view: fill (has_fill) */
	bool has_fill;
	lt_var var;             /* index: the var */
	int32_t axis;           /* gather: axis of operand 0 */
	int32_t n_piece;        /* view */
	struct lt_graphpiece *piece;
	int64_t *offset;        /* update: one a dim */
	lt_param *at;           /* update: param or -1, one a dim */
	double scale;           /* a note: its integers stand for (q - zero) * scale; 0: for themselves */
	int64_t zero;
	bool ranged;            /* a note on an input or a constant: its floats are from low to high */
	double low, high;
};
/* source: operand number of the view, -1: the immediate. */
struct lt_graphpiece { int32_t source; uint64_t bits; struct lt_map map; };

struct lt_result   { const char *name; lt_node node; };
struct lt_statedef { lt_node state, value; };   /* content of `state` after a run */
/* What the nodes between `operand` and `result` compute, its meaning, may be done by a kernel of that name of the
 * user's own ("hard_swish", "DOMAIN/NAME"); number: its arguments that are no tensors.  source: its kernel's
 * C, borrowed, NULL where it is not known; workspace: bytes that this needs, then for each thread. */
struct lt_owncall {
	const char *name;
	int32_t n_operand, n_result, n_number;
	lt_node *operand, *result;
	double *number;
	bool computed;                  /* a tensor is given where its kernel reads a number: what it means is computed */
	int32_t line, column;
	const char *source;
	int64_t workspace[2];
};

/* Sums of products of integers, of what numbers it has to be proven that they fit (ir/build/fixed.c): b has `channels`
 * on an axis, and a sum of each has `terms`. */
struct lt_fixed_sum {
	lt_node node, a, b;
	int32_t axis;
	int64_t terms, channels;
	struct lt_fixed_product by;
	enum lt_dtype sum;
};

struct lt_graph {
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_vardef *var;       int32_t n_var, cap_var;
	struct lt_paramdef *param;   int32_t n_param, cap_param;
	struct lt_require *require;  int32_t n_require, cap_require;
	struct lt_nodedef *node;     int32_t n_node, cap_node;
	struct lt_result *result;    int32_t n_result, cap_result;
	struct lt_statedef *set;     int32_t n_set, cap_set;
	struct lt_owncall *own;      int32_t n_own, cap_own;
	struct lt_fixed_sum *sum;    int32_t n_sum, cap_sum;    /* not of a graph that a pass makes */
	struct lt_names *var_names;     /* base/names.h: a var's index; -2-p for param p */
	struct lt_names *node_names;    /* a node's index */
	struct lt_names *required;      /* requirements by their sums (ir/bounds/require.c); NULL: none yet */
	/* nodes are not asked whether they stay within their sources: they are made of such that were */
	bool inside;
	struct lt_names *labels;        /* "input:x", "constant:x", "state:x", "result:x", "param:...", "set:..." */
	struct lt_holding *holding;     /* whom contents belong to (content.c); not of a graph that a pass makes */
	struct lt_mapping *mapping;     /* where contents lie in files; neither of such a graph */
	const char *file;            /* of the script, for messages; may be NULL */
	/* Given to the next node.  Of a model without lines: -1 - the number of the part (a node of the model) it is of. */
	int32_t line, column;
	const char **part; int32_t n_part, cap_part;   /* their names */
	bool nameless;               /* memory ran out when a name was set, which no status could report: the graph is not as
	                              * intended */
};

static inline int32_t lt__map_width(const struct lt_map *m) { return 1 + m->n_param + m->n_dim + m->n_div; }

/* The most pieces that one read chooses among.  Views of views become one view, and a reader reads through them, up to
 * as many: a choice is made for each element or vector, and each piece that is added makes the text of a kernel longer,
 * of the vectors' by all the pieces before it (64 take the C compiler seconds).  A view of more is copied into memory
 * first, block by block and not by a kernel (docs/graph.md, looptree/tree/blocks.c). */
enum { LT_MAX_PIECES = 16 };
/* The greatest rank of a value, and width of a map. */
enum { LT_MAX_WIDTH = 1 << 15 };

/* Whether v is one of a value's dims; and which, -1: none. */
static inline int32_t lt__node_axis(const struct lt_nodedef *n, lt_var v) { return lt__index_of(n->dim, n->n_dim, v); }
static inline bool lt__node_has_dim(const struct lt_nodedef *n, lt_var v) { return lt__has(n->dim, n->n_dim, v); }
/* Computed element by element: an elementwise operator or a cast. */
static inline bool lt__node_is_pointwise(const struct lt_nodedef *n)
{
	return !n->reduce && (n->op == LT_OP_cast || !lt__op_info(n->op)->data);
}
/* What is in memory before a run. */
static inline bool lt__op_is_memory(enum lt_opcode op)
{
	return op == LT_OP_input || op == LT_OP_constant || op == LT_OP_state;
}
/* The name of a node's part; NULL: it has none. */
static inline const char *lt__part_name(const struct lt_graph *g, int32_t line)
{
	return line < 0 && -1 - line < g->n_part ? g->part[-1 - line] : NULL;
}

/* -- ask.c -- */
/* A failure at the place given by lt_graph_at: its "file:line:column: " is before the sentence. */
lt_status lt__graph_fail(const struct lt_graph *, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same at a node: "file:line:column: node '5' (view): ...". */
lt_status lt__node_fail(const struct lt_graph *, lt_node, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Whether x, which the caller may leave out by LT_OMIT, is there or left out (true), or LT_NONE (false, with a sentence
 * where none is reported yet). */
bool lt__graph_given(const struct lt_graph *, int32_t x, const char *what);
/* Whether x may be read as a node (true) or is a failed one (false); a number that is not a node fails with a
 * sentence. */
bool lt__graph_has(const struct lt_graph *, lt_node x);

/* Vars of a node's own iteration: its dims, then the reduced vars (reduce) in operand order.
 * Writes at most n_dim + rank(operand 0) vars; returns their number. */
int32_t lt__node_loops(const struct lt_graph *, lt_node, lt_var *out);
/* Number of elements (of bounded vars: the maximum); -1 on overflow. */
int64_t lt__node_elems(const struct lt_graph *, lt_node);
/* Text "m 128, n 10" of a node's dims for messages; static storage in the context's scratch. */
const char *lt__node_shape_text(const struct lt_graph *, lt_node);

/* -- linear.c: sums over run-time scalars -- */
bool lt__linear_equal(const struct lt_linear *, const struct lt_linear *);
/* Least and greatest value over the params' ranges; INT64_MIN and INT64_MAX on overflow. */
int64_t lt__linear_min(const struct lt_graph *, const struct lt_linear *);
int64_t lt__linear_max(const struct lt_graph *, const struct lt_linear *);
/* Whether two vars cover the same positions: equal extents and equal limits. */
bool lt__var_same_range(const struct lt_graph *, lt_var, lt_var);

/* -- operations.c -- */
/* Operations (lt__op_counts) that the nodes ask for, each element of each node once; without: nodes
 * that are left out, or NULL; extent: of each var in a run, NULL: the maxima. */
int64_t lt__graph_operations(const struct lt_graph *, struct lt_arena *, const bool *without, const int64_t *extent);
/* Of one node, whatever it is. */
int64_t lt__node_operations(const struct lt_graph *, struct lt_arena *, lt_node, const int64_t *extent);

/* -- need.c: which nodes a run needs -- */
/* By node: whether a result or a state's new content needs it, directly, as the source of a run-time scalar that a
 * needed node uses, or as one that a requirement ties to such a scalar.  Inputs and constants that only other
 * nodes read need not be given. */
bool *lt__needed_nodes(const struct lt_graph *, struct lt_arena *);
/* Adds what those that are marked need, and the run-time scalars that they use. */
void lt__need_close(const struct lt_graph *, bool *need, bool *used);

/* -- nearest.c -- */
/* After "there is no node %word": the nearest nodes, or where none is near some that there are; only: by node whether
 * it counts, or NULL. */
const char *lt__nearest_node(const struct lt_graph *, const bool *only, const char *word, size_t bytes);
/* After "there is no var word", likewise, for the nearest var. */
const char *lt__nearest_var(const struct lt_graph *, const char *word, size_t bytes);

/* -- content.c -- */
/* What the graph holds (lt_graph_hold) is held until the arena is freed, too: for what is made of the graph. */
void lt__graph_hold_too(const struct lt_graph *, struct lt_arena *);
/* A file that is mapped, privately and to be read only, as long as what the graph holds: pages of it that are given
 * back come again when they are read. */
struct lt_mapping { const void *at; size_t bytes; struct lt_mapping *next; };
void lt__graph_mapped(struct lt_graph *, const void *at, size_t bytes);
/* Gives back the whole pages of a range that is in one of them; elsewhere it does nothing. */
void lt__mapping_drop(const struct lt_mapping *, const void *at, size_t bytes);
#endif
