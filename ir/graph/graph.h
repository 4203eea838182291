/* graph.h -- the graph as the library sees it: tables of vars, params, nodes and results.
 *
 * Nodes are in a topological order: an operand's index is smaller than its reader's.  A node is not
 * changed after it was added, except for names.  A pass gives a new graph (ir/pass/pass.h).
 */
#ifndef LT_IR_GRAPH_GRAPH_H
#define LT_IR_GRAPH_GRAPH_H
#include "lt/graph.h"
#include "base/arena.h"
#include "ir/op/op.h"

/* constant + sum coef[i]*param[i] */
struct lt_linear { int64_t constant; int32_t n; lt_param *param; int64_t *coef; };

/* unit > 0: the number of an iteration of a loop over the var `of`, floor((of mod span) / unit); span 0: no end.  Only
 * in a loop tree's own graph (looptree/derive/derived.h). */
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
};
/* source: operand number of the view, -1: the immediate. */
struct lt_graphpiece { int32_t source; uint64_t bits; struct lt_map map; };

struct lt_result   { const char *name; lt_node node; };
struct lt_statedef { lt_node state, value; };   /* content of `state` after a run */

struct lt_graph {
	struct lt_context *ctx;
	struct lt_arena *arena;
	struct lt_vardef *var;       int32_t n_var, cap_var;
	struct lt_paramdef *param;   int32_t n_param, cap_param;
	struct lt_require *require;  int32_t n_require, cap_require;
	struct lt_nodedef *node;     int32_t n_node, cap_node;
	struct lt_result *result;    int32_t n_result, cap_result;
	struct lt_statedef *set;     int32_t n_set, cap_set;
	struct lt_names *var_names;     /* base/names.h: a var's index; -2-p for param p */
	struct lt_names *node_names;    /* a node's index */
	struct lt_names *required;      /* requirements by their sums (ir/bounds/require.c); NULL: none yet */
	/* nodes are not asked whether they stay within their sources: they are made of such that were */
	bool inside;
	struct lt_names *labels;        /* "input:x", "constant:x", "state:x", "result:x", "param:...", "set:..." */
	struct lt_holding *holding;     /* whom contents belong to (content.c); not of a graph that a pass makes */
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
 * first, block by block and not by a kernel (docs/graph.md, looptree/tree/blocks.h). */
enum { LT_MAX_PIECES = 16 };
/* The greatest rank of a value, and width of a map. */
enum { LT_MAX_RANK = 64, LT_MAX_WIDTH = 1 << 15 };

/* The next nodes are of that part of a model that has no lines; in lt__protect.  The name of a node's part: NULL, it
 * has none. */
void lt__graph_part(struct lt_graph *, const char *name);
static inline const char *lt__part_name(const struct lt_graph *g, int32_t line)
{
	return line < 0 && -1 - line < g->n_part ? g->part[-1 - line] : NULL;
}
/* A failure at the place given by lt_graph_at: its "file:line:column: " is before the sentence. */
lt_status lt__graph_fail(const struct lt_graph *, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same at a node: "file:line:column: node '5' (view): ...". */
lt_status lt__node_fail(const struct lt_graph *, lt_node, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Whether x, which the caller may leave out by LT_OMIT, is there or left out (true), or LT_NONE (false, with a sentence
 * where none is reported yet). */
bool lt__graph_given(const struct lt_graph *, int32_t x, const char *what);
/* A run-time scalar that may be left out, as the tables have it: -1 then.  False: there is no such, or it has
 * failed. */
bool lt__param_given(const struct lt_graph *, lt_param given, lt_param *out);
/* Whether x may be read as a node (true) or is a failed one (false); a number that is not a node fails with a
 * sentence. */
bool lt__graph_has(const struct lt_graph *, lt_node x);
/* As lt__graph_add, but the arrays of the node lie in the graph's arena already and are not copied. */
lt_node lt__graph_adopt(struct lt_graph *, const struct lt_nodedef *);
/* A name made into a C identifier; in the graph's arena. */
const char *lt__name_clean_var(struct lt_graph *, const char *);
/* A var with that extent and limit (NULL: none); name NULL: a made-up one.  lt__var_like: a name like another's. */
lt_var lt__var_add(struct lt_graph *, const char *name, int64_t extent, const struct lt_linear *limit);
lt_var lt__var_like(struct lt_graph *, lt_var, int64_t extent, const struct lt_linear *limit);
/* Sums equal params, drops zero coefficients; -1 on a param that the graph lacks or overflow, with a sentence. */
lt_status lt__linear_make(
	struct lt_graph *, int64_t constant, int32_t n, const lt_param *, const int64_t *coef, struct lt_linear *out);
bool lt__linear_equal(const struct lt_linear *, const struct lt_linear *);
/* Least value over the params' ranges; INT64_MIN on overflow. */
int64_t lt__linear_min(const struct lt_graph *, const struct lt_linear *);
/* Whether two vars cover the same positions: equal extents and equal limits. */
bool lt__var_same_range(const struct lt_graph *, lt_var, lt_var);
/* Appends a requirement unless the params' ranges imply it. */
void lt__graph_require(struct lt_graph *, bool equal, const struct lt_linear *, const char *text);
/* Whether `state` may take the content of `value`. */
lt_status lt__verify_set(const struct lt_graph *, lt_node state, lt_node value);
/* Builder steps that run inside a protected entry. */
lt_node lt__build_cast(struct lt_graph *, lt_node, enum lt_dtype);
lt_node lt__build_rename(struct lt_graph *, lt_node, int32_t n, const lt_var *dims);
/* A view of one source by a map that lies in the graph's arena, and so do the dims; outside the guards (if any)
 * `bits`. */
lt_node lt__build_view(
	struct lt_graph *, lt_node source, int32_t n_dim, lt_var *dims, const struct lt_map *, uint64_t bits);
/* Whether `axis` is one of x's and x is a node; else false, with a sentence unless x is -1. */
bool lt__graph_has_axis(const struct lt_graph *, lt_node x, int32_t axis);

/* Appends a node whose fields are all set (copied; name may be NULL or taken: made unique) and checked
 * by lt__verify_node.  -1 on failure. */
lt_node lt__graph_add(struct lt_graph *, const struct lt_nodedef *);
lt_status lt__verify_node(const struct lt_graph *, lt_node);    /* ir/node/verify.c */
/* Vars of a node's own iteration: its dims, then the reduced vars (reduce) in operand order.
 * Writes at most n_dim + rank(operand 0) vars; returns their number. */
int32_t lt__node_loops(const struct lt_graph *, lt_node, lt_var *out);
/* Number of elements (of bounded vars: the maximum); -1 on overflow. */
int64_t lt__node_elems(const struct lt_graph *, lt_node);
/* ir/node/work.c: operations (lt__op_counts) that the nodes ask for, each element of each node once; without: nodes
 * that are left out, or NULL; extent: of each var in a run, NULL: the maxima. */
int64_t lt__graph_operations(const struct lt_graph *, struct lt_arena *, const bool *without, const int64_t *extent);
/* Of one node, whatever it is. */
int64_t lt__node_operations(const struct lt_graph *, struct lt_arena *, lt_node, const int64_t *extent);
struct lt_map lt__map_copy(struct lt_arena *, const struct lt_map *);
bool lt__map_equal(const struct lt_map *, const struct lt_map *);
/* Text "m 128, n 10" of a node's dims for messages; static storage in the context's scratch. */
const char *lt__node_shape_text(const struct lt_graph *, lt_node);

/* nearest.c */
/* After "there is no node %word": the nearest nodes, or where none is near some that there are; only: by node whether
 * it counts, or NULL. */
const char *lt__nearest_node(const struct lt_graph *, const bool *only, const char *word, size_t bytes);
/* After "there is no var word", likewise, for the nearest var. */
const char *lt__nearest_var(const struct lt_graph *, const char *word, size_t bytes);

/* -- the holders of a graph's contents (lt_graph_hold), for what is made of the graph. */
struct lt_arena;
struct lt_graph;
/* What the graph holds is held until the arena is freed, too. */
void lt__graph_hold_too(const struct lt_graph *, struct lt_arena *);
#endif
