/* frontends/script/script.h -- the parts of the script frontend, for each other.
 *
 * A script is parsed statement by statement: the row of nodes.def names the arguments' pattern and the
 * builder, the parser reads arguments by the pattern, the builder checks them and adds to the graph.
 * Everything that only the parser needs lives in an arena that is freed when it ends.
 */
#ifndef LT_SCRIPT_H
#define LT_SCRIPT_H
#include "ir/graph.h"
#include "ir/intern.h"

struct lt_position  { int32_t line, column; };     /* from 1; columns count characters */
struct lt_cursor { const char *at, *end; struct lt_position position; };

/* Kinds of argument, and how a pattern writes them. */
enum lt_arg_kind {
	LT_ARG_NODE,            /* $x             a node */
	LT_ARG_NODE_OR_INT,     /* $begin|int     a node, or an integer */
	LT_ARG_LIST,            /* [axes]         a list of integers */
	LT_ARG_SHAPE,           /* [shape]        a list of extents: an integer, or a run-time one and its most: $n <= 64 */
	LT_ARG_OFFSET,          /* $begin|sum     an integer, or a run-time value plus an integer */
	LT_ARG_AXES,            /* axes:          [i: 4, j: 6], q = floor(i / 2): the axes of a view, and its divisions */
	LT_ARG_PIECES,          /* pieces         of a view (view.h) */
	LT_ARG_NAME,            /* name */
	LT_ARG_TYPE,            /* type           float32 ... */
	LT_ARG_LAYOUT,          /* layout         NCHW, NHWC */
	LT_ARG_NUMBER,          /* value eps scale: an integer or a decimal fraction, inf, nan */
	LT_ARG_EQUATION,        /* equation:      text up to a colon, which stands for the comma */
	LT_ARG_INT              /* any other word: an integer */
};
struct lt_arg {
	enum lt_arg_kind kind;
	bool given;             /* or its default holds */
	bool whole;             /* number: it is the integer `i` as well */
	struct lt_position position;
	int32_t statement;      /* node: that defines it; -1: an integer is there */
	lt_node node;
	int64_t i;
	double number;
	int32_t n;              /* list: length; name, equation and number: bytes of text */
	const int64_t *list;
	const struct lt_linear **limit;         /* shape: of each extent, NULL: it is fixed; NULL: all are */
	bool bits;              /* number: `i` is the pattern of bits */
	struct lt_script_view *view;            /* axes, pieces */
	const char *text;
	enum lt_dtype dtype;
	enum lt_layout layout;
};

struct lt_script;
struct lt_script_node;
struct lt_script_view;
/* Builds a statement's value: -1 after a failure.  n arguments, at least one for each of the pattern. */
typedef lt_node lt_script_build(struct lt_script *, const struct lt_script_node *, const struct lt_arg *, int32_t n);

#define LT_BUILDER(name) \
	lt_script_build lt__script_build_##name; \
	lt_node lt__script_build_##name(struct lt_script *s, __attribute__((unused)) const struct lt_script_node *type, \
		const struct lt_arg *a, __attribute__((unused)) int32_t n)

/* One type of node.  Rows of nodes.def, then the rows of ir/op.def under their own names. */
struct lt_script_node {
	char name[40];
	const char *pattern, *doc;
	lt_script_build *build;
	enum lt_opcode op;      /* elementwise operator; LT_NOP: none */
};

struct lt_statement {
	const char *id; int32_t id_bytes;       /* digits, without leading zeros */
	lt_node node;
	const struct lt_script_node *type;
	struct lt_position position;
	int32_t first_use, n_use;               /* statements that it names */
	bool needed;                            /* by a result */
	bool scalars;                           /* it has brought run-time scalars or requirements */
	int32_t chain, previous;                /* of updates: statement of the buffer at its root, the one before; -1 */
	lt_param scalar;                        /* ScalarNode: what it declares; -1 */
};
struct lt_script_result { const char *name; int32_t statement; };
struct lt_script_set { int32_t state, value; struct lt_position position; };      /* set $1 = $2; by statement */

struct lt_script {
	struct lt_context *ctx;
	struct lt_arena *arena;                 /* of the parser */
	struct lt_graph *graph;
	const char *file;
	struct lt_cursor cursor;
	const struct lt_script_node *type;      /* table of types */
	int32_t n_type;
	struct lt_names *types, *ids, *buffers, *inputs, *constants, *result_names;
	struct lt_statement *statement; int32_t n_statement, cap_statement;
	int32_t *use;                   int32_t n_use, cap_use;
	struct lt_script_result *result;int32_t n_result, cap_result;
	struct lt_script_set *set;      int32_t n_set, cap_set;
	struct lt_arg *arg;             int32_t n_arg, cap_arg;
	int64_t *number;                int32_t n_number, cap_number;   /* of a list being read */
	const bool *skip;                       /* by statement, second time: not built; NULL: all are */
	bool stray;                             /* a statement that no result needs has brought a run-time scalar */
	bool *sourced;                  int32_t n_sourced, cap_sourced; /* by node: a source or a view of sources */
	struct lt_position here;                   /* of the statement being built */
	int32_t chain, previous;                /* set by the builder of an update */
	lt_param scalar;                        /* set by that of ScalarNode */
	const char *id; int32_t id_bytes;       /* of the statement being built */
};

/* lex.c */
int lt__lex_peek(struct lt_cursor *);           /* next byte after blanks and comments, -1 at the end */
void lt__lex_step(struct lt_cursor *);          /* over one byte */
int32_t lt__lex_word(struct lt_cursor *, const char **text);    /* letters, digits, _; its bytes, 0: none */
/* up to white space or a byte of stop */
int32_t lt__lex_name(struct lt_cursor *, const char *stop, const char **text);
int32_t lt__lex_digits(struct lt_cursor *, const char **text);
/* A number in decimal; false: there is none.  overflow: digits beyond 63 bits. */
bool lt__lex_number(struct lt_cursor *, double *value, int64_t *i, bool *whole, bool *overflow);
/* "';'", "the end of the script" */
const char *lt__lex_found(const struct lt_cursor *, char *buf, size_t bytes);

/* string.c: text in quotation marks, and a name: text "a name" where it cannot stand as it is.  *text NULL: there is
 * none. */
lt_status lt__script_string(struct lt_script *, const char **text, int32_t *n);
lt_status lt__script_text_name(struct lt_script *, const char **text, int32_t *n);
int32_t lt__lex_hex(const char *);              /* the value of a digit; -1: it is none */

/* args.c */
lt_status lt__script_args(struct lt_script *, const struct lt_script_node *);   /* fills arg, n_arg */
lt_status lt__script_expect(struct lt_script *, char, const char *what);
lt_status lt__script_unexpected(struct lt_script *, const char *expected);
lt_status lt__script_reference(struct lt_script *, int32_t *statement);         /* $5 */
lt_status lt__script_number(struct lt_script *, struct lt_arg *);

/* sum.c: sums of run-time scalars and integers */
/* constant + sum coef[i]*(param[i], or where that is -1 the name number name[i]) */
struct lt_script_sum { int64_t constant; int32_t n, cap; int64_t *coef; lt_param *param; int32_t *name; };
/* names: what may be in it beside run-time scalars, or NULL. */
lt_status lt__script_sum(struct lt_script *, const struct lt_names *names, struct lt_script_sum *out);
/* The sum l - r. */
lt_status lt__script_minus(struct lt_script *, struct lt_script_sum *l, const struct lt_script_sum *r);
lt_status lt__script_linear(struct lt_script *, const struct lt_script_sum *, struct lt_linear *out);
/* An extent of a shape: 3, or $n <= 64 (limit: $n). */
lt_status lt__script_dim(struct lt_script *, int64_t *extent, const struct lt_linear **limit);
/* $begin + 3: its run-time value as the argument's node, the integer as its `i`. */
lt_status lt__script_offset(struct lt_script *, struct lt_arg *);
/* "require" has been read. */
lt_status lt__script_require(struct lt_script *);

/* nodes_axes.c: the arguments of LT_ARG_AXES and LT_ARG_PIECES */
lt_status lt__script_read_axes(struct lt_script *, struct lt_arg *);
lt_status lt__script_read_pieces(struct lt_script *, struct lt_arg *);

/* nodes.c */
/* Every type of node, at most cap of them; returns how many there are. */
int32_t lt__script_nodes(struct lt_script_node *out, int32_t cap);
/* The type's name nearest to a misspelled one, or NULL. */
const char *lt__script_nearest(const struct lt_script *, const char *name, int32_t bytes);

/* parse.c */
lt_status lt__script_parse(struct lt_script *);
/* state.c: the buffers' new contents; after all statements.  "set" has been read. */
lt_status lt__script_states(struct lt_script *);
lt_status lt__script_set(struct lt_script *);

/* shape.c: messages, checks, and views by position */
lt_status lt__script_fail(struct lt_script *, struct lt_position, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same as a builder's answer: -1. */
#define lt__script_refuse(s, ...) ((void)lt__script_fail((s), __VA_ARGS__), (lt_node)-1)
const char *lt__script_value(struct lt_script *, const struct lt_arg *);        /* "$4 (float32 [128, 10])" */
const char *lt__script_shape(struct lt_script *, lt_node);                      /* "[128, 10]" */
const char *lt__script_list(struct lt_script *, const int64_t *, int32_t n);    /* "[128, 10]" */
const char *lt__dtype_script(enum lt_dtype);                                    /* "float32" */
/* "; their extents come from ...: 'n' and 'm'" where the dims of two values look alike except for run-time values, else
 * "". */
const char *lt__script_unlike(struct lt_script *, lt_var, lt_var);
bool lt__script_bounded(const struct lt_script *, lt_node, int32_t axis);       /* it has a run-time extent */
/* Refuses an axis of a run-time extent, which cannot be `what`: "padded", "pad first, then slice". */
bool lt__script_fixed(struct lt_script *, const struct lt_arg *, int32_t axis, const char *what, const char *remedy);
/* eps: not negative, and a finite number of that type. */
bool lt__script_eps(struct lt_script *, const struct lt_arg *, enum lt_dtype);
int64_t lt__script_extent(const struct lt_script *, lt_node, int32_t axis);
/* i, j, k ... by axis; limit: NULL, or its run-time extent */
lt_var lt__script_var(struct lt_script *, int32_t axis, int64_t extent, const struct lt_linear *limit);
lt_var lt__script_fresh(struct lt_script *, lt_var like);                       /* of the same extent and limit */
/* View of x with dims v (n): row i of x is dim at[i], or 0 where at[i] is -1; x itself where nothing changes. */
lt_node lt__script_view(struct lt_script *, lt_node x, int32_t n, const lt_var *v, const int32_t *at);
bool lt__script_float32(struct lt_script *, const struct lt_arg *);
bool lt__script_float(struct lt_script *, const struct lt_arg *);
bool lt__script_same_type(struct lt_script *, const struct lt_arg *, const struct lt_arg *);
bool lt__script_takes(struct lt_script *, const struct lt_arg *, enum lt_opcode);
/* negative: from the end */
bool lt__script_axis(struct lt_script *, const struct lt_arg *, int32_t rank, int32_t *axis);
bool lt__script_flag(struct lt_script *, const struct lt_arg *, const char *what);      /* 0 or 1; what: "keepdims" */
bool lt__script_no_overflow(struct lt_script *, const struct lt_arg *, enum lt_dtype);          /* shape of dims >= 1 */
/* NumPy's broadcasting of n arguments: shape by vars in *dim (rank *n_dim), the arguments viewed in it in out. */
bool lt__script_broadcast(
	struct lt_script *, int32_t n, const struct lt_arg *, int32_t *n_dim, lt_var **dim, lt_node *out);
lt_node lt__script_spread(struct lt_script *, lt_node scalar, const struct lt_arg *shape);
/* New vars of a shape. */
lt_var *lt__script_vars(struct lt_script *, const struct lt_arg *shape);
/* Typed bits of a number; false (with a sentence): it is not a value of that type. */
bool lt__script_bits(struct lt_script *, const struct lt_arg *, enum lt_dtype, uint64_t *bits);
lt_node lt__script_literal(struct lt_script *, const struct lt_arg *, enum lt_dtype);
/* The run-time scalar that an argument names, low <= it <= high; role: "begin" for messages. */
lt_param lt__script_param(struct lt_script *, const struct lt_arg *, int64_t low, int64_t high, const char *role);
/* Refuses a run-time value that has to be given, but is computed: -1. */
lt_param lt__script_computed(struct lt_script *, const struct lt_arg *);
#endif
