/* reader.h -- what the parts of the script's reader share: values, nodes, the state of reading; their functions.
 *
 * A script is run while it is read: an expression gives a value, a call of a node reads its arguments by the pattern of
 * its row in nodes.def, the builder of that row checks them and adds to the graph.  The body of a function is read
 * again at each call, that of a repeat in each round.  Everything that only the parser needs lives in an arena that is
 * freed when it ends.
 */
#ifndef LT_SCRIPT_READER_H
#define LT_SCRIPT_READER_H
#include "ir/graph/graph.h"
#include "base/folder.h"
#include "base/names.h"

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
	LT_ARG_PIECES,          /* pieces         what a view shows, by those axes */
	LT_ARG_NAME,            /* name */
	LT_ARG_TYPE,            /* type           float32 ... */
	LT_ARG_LAYOUT,          /* layout         NCHW, NHWC */
	LT_ARG_NUMBER,          /* value eps scale: an integer or a decimal fraction, inf, nan */
	LT_ARG_EQUATION,        /* equation:      text up to a colon, which stands for the comma */
	LT_ARG_WORD,            /* one|other      one of the words */
	LT_ARG_INT,             /* any other word: an integer */
	LT_ARG_MANY             /* no argument: the values of a function that gives several */
};
/* An argument, or a value: what an expression gives and a name stands for, which is of the kinds NODE, NUMBER, LIST,
 * TYPE, LAYOUT and MANY. */
struct lt_arg {
	enum lt_arg_kind kind;
	bool given;             /* or its default holds */
	bool whole;             /* number: it is the integer `i` as well */
	bool literal;           /* number: it is written there, as `text` */
	bool bits;              /* number: `i` is the pattern of a float's bits */
	bool overflow, huge;    /* number: its digits exceed 63 bits; it exceeds float64 */
	struct lt_position position;
	int32_t statement;      /* node: that defines it; -1: an integer is there */
	lt_node node;
	int64_t i;              /* choice: number of the word */
	double number;
	int32_t n;              /* list, many: length; name, equation and number: bytes of text */
	const int64_t *list;
	const char *text;       /* number: NULL if it is computed */
	const char *shown;      /* how sentences call it: "$4", "h", "'x * w'" */
	const struct lt_arg *many;
	const struct lt_linear **limit;         /* shape: of each extent, NULL: it is fixed; NULL: all are */
	struct lt_script_view *view;            /* axes, pieces */
	const int32_t *use; int32_t n_use;      /* shape, axes, pieces: statements that they name */
	enum lt_dtype dtype;
	enum lt_layout layout;
};

/* constant + sum coef[i]*(param[i], or where that is -1 the name number name[i]) */
struct lt_script_sum { int64_t constant; int32_t n, cap; int64_t *coef; lt_param *param; int32_t *name; };
/* A view: its axes, what stands for floor divisions, its pieces. */
struct lt_script_division { int64_t by; struct lt_script_sum of; };
struct lt_script_piece {
	struct lt_arg source;           /* a node, or an immediate number */
	struct lt_script_sum *row;
	int32_t n_row, n_guard;
	struct lt_script_sum *guard;    /* not below 0 */
};
struct lt_script_view {
	struct lt_names *names;         /* axes, then divisions */
	int32_t n_axis, n_div, n_piece, cap_div, cap_piece;
	struct lt_arg shape;
	struct lt_script_division *div;
	struct lt_script_piece *piece;
};

struct lt_script;
struct lt_script_node;
/* Builds a statement's value: -1 after a failure.  n arguments, at least one for each of the pattern. */
typedef lt_node lt_script_build(struct lt_script *, const struct lt_script_node *, const struct lt_arg *, int32_t n);

#define LT_BUILDER(name) \
	lt_script_build lt__script_build_##name; \
	lt_node lt__script_build_##name(struct lt_script *s, __attribute__((unused)) const struct lt_script_node *type, \
		const struct lt_arg *a, __attribute__((unused)) int32_t n)

/* One type of node.  Rows of nodes.def, then the rows of ir/op/op.def under their own names. */
struct lt_script_node {
	char name[40];
	const char *pattern, *doc;
	lt_script_build *build;
	enum lt_opcode op;      /* elementwise operator; LT_NOP: none */
	bool equal_ranks;       /* of the original language: its operands have one rank and one type */
	bool numbers;           /* an operand may be a number */
};

/* A value that a script computes: a statement of the original language, or a part of an expression. */
struct lt_statement {
	const char *shown;                      /* "$4", "h", "'x * w'" */
	bool unnamed;                           /* a part of an expression */
	lt_node node;
	const struct lt_script_node *type;
	struct lt_position position;
	int32_t first_use, n_use;               /* statements that it names */
	bool needed;                            /* by a result */
	bool scalars;                           /* it has brought run-time scalars or requirements */
	int32_t chain, previous;                /* of updates: statement of the buffer at its root, the one before; -1 */
	int32_t scalar;                         /* ScalarNode: the number of its run-time scalar, plus 1; 0 */
	int64_t least, most;                    /* ScalarNode: its range */
};
struct lt_script_result { const char *name; int32_t statement; };
struct lt_script_set { int32_t state, value; struct lt_position position; };      /* set $1 = $2; by statement */

/* Names and what they stand for: of the whole script, or of a function, where they hold for one call. */
struct lt_binding {
	const char *name;
	struct lt_arg value;
	int32_t call;                           /* of the function: in another one it does not hold */
	int64_t given;                          /* by which giving of a value to a name */
	bool lost;                              /* a repeat took the value, at value.position */
};
struct lt_script_scope {
	struct lt_names *names;                 /* -> binding */
	struct lt_binding *binding; int32_t n_binding, cap_binding;
	int32_t call;                           /* bindings of other calls do not hold */
};
struct lt_parameter { const char *name; int32_t bytes; bool has_default; struct lt_arg value; };
struct lt_script_function {
	const char *name; int32_t bytes;
	struct lt_position position;
	struct lt_parameter *parameter; int32_t n_parameter, cap_parameter;
	struct lt_cursor head, body, end;       /* at its '(', after its '{', at its '}' */
	struct lt_script_scope scope;
	bool running;
	const char *file, *own;                 /* of the folder of operations: that file, and what kernels know it by; NULL */
};
/* A call of an operation of the user's own while it is run: what its kernel would be given. */
struct lt_script_own { struct lt_owncall call; bool built; };
/* A repeat of as many rounds as a run says, while its body is read round by round (rounds.c). */
struct lt_script_given;
struct lt_script_rounds {
	struct lt_arg count;                    /* the run-time scalar that the last round comes before */
	int64_t begin, most;                    /* the first round; how many there may be */
	lt_var steps;                           /* has as many positions as a run has rounds */
	struct lt_script_given *before, **after;/* by name: before the rounds; after each */
	int32_t n_before, n_after, cap_after;
	int32_t first_statement;                /* of the round */
	lt_node next_node;                      /* of the body, that is to be looked at */
	int32_t n_param, n_require;
	bool takes;                             /* a round takes elements at places that are computed */
	lt_node there;                          /* by round: whether a run has it; LT_NONE: nobody has asked */
};
struct lt_script_by_round { lt_node of, node; };        /* of a value, the one that rounds read instead */
/* A call or a round that is being run. */
struct lt_script_frame {
	const char *function;                   /* NULL: a round of a repeat */
	const char *counter; int64_t round;
	struct lt_script_rounds *rounds;        /* of a repeat whose rounds a run says; NULL: another frame */
	struct lt_position position;            /* of the call, of the repeat */
	const struct lt_script_frame *up;
};
/* What the expression that is being read will be called. */
struct lt_script_target {
	const char *shown, *path;               /* "$4" and "4"; path: the node's name, of its parts the begin */
	struct lt_position position;
	bool named;                             /* a value at the end of the expression has this name */
};
struct lt_script {
	struct lt_context *ctx;
	struct lt_arena *arena;                 /* of the parser */
	struct lt_graph *graph;
	const char *file;
	struct lt_cursor cursor;
	const struct lt_script_node *type;      /* table of types */
	int32_t n_type;
	struct lt_names *types, *ids, *functions, *buffers, *inputs, *constants, *result_names;
	struct lt_script_function *function; int32_t n_function, cap_function;
	struct lt_script_scope script_scope, *scope;            /* scope: of the function that runs */
	struct lt_binding *id;          int32_t n_id, cap_id;           /* $5 */
	const struct lt_script_frame *frame;
	const struct lt_ownfolder *folder;      /* of the user's own operations; NULL: there is none */
	/* Within a call of one of them, where that is: nodes are there, as their text is in another file; line 0: in none. */
	struct lt_position own_at;
	int64_t text_read;                      /* bytes of all rounds and calls */
	int32_t n_unrolled;                     /* values that these made */
	int32_t depth;                          /* of what is being read */
	int32_t level;                          /* of the expression within its statement */
	bool names_used;                        /* beyond $n */
	int64_t n_given;                        /* how often names were given values */
	bool failed;                            /* a sentence is said */
	struct lt_script_target target;
	struct lt_statement *statement; int32_t n_statement, cap_statement;
	int32_t *use;                   int32_t n_use, cap_use;
	struct lt_script_result *result;int32_t n_result, cap_result;
	struct lt_script_set *set;      int32_t n_set, cap_set;
	struct lt_script_by_round *by_round; int32_t n_by_round, cap_by_round;
	struct lt_script_rounds *ended;         /* whose names are being given their last values */
	int32_t *named;                 int32_t n_named, cap_named;     /* statements that a shape or a view names */
	struct lt_arg *arg;             int32_t n_arg, cap_arg;
	int64_t *number;                int32_t n_number, cap_number;   /* of a list being read */
	const bool *skip;                       /* by statement, second time: not built; NULL: all are */
	bool stray;                             /* a statement that no result needs has brought a run-time scalar */
	bool *sourced;                  int32_t n_sourced, cap_sourced; /* by node: a source or a view of sources */
	struct lt_position here; const char *shown;     /* of the statement being built */
	int32_t chain, previous;                /* set by the builder of an update */
	int32_t scalar;                         /* by that of ScalarNode, as in its statement */
};

/* What sentences say there has to be. */
#define LT_EXPECTED_NODE      "a node such as $1"
#define LT_EXPECTED_NODE_TYPE "a type of node such as SumNode"

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

/* string.c: text in quotation marks; a name, text "a name", where it cannot stand as it is (*text NULL: there is none);
 * bits(0x7fc00001), after the word. */
lt_status lt__script_string(struct lt_script *, const char **text, int32_t *n);
lt_status lt__script_text_name(struct lt_script *, const char **text, int32_t *n);
lt_status lt__script_pattern(struct lt_script *, const struct lt_cursor *from, struct lt_arg *out);

/* value.c */
struct lt_arg *lt__script_new_arg(struct lt_script *, enum lt_arg_kind);      /* at the end of s->arg */
const char *lt__script_kind(const struct lt_arg *);                     /* "a number" */
bool lt__script_fits(enum lt_arg_kind, const struct lt_arg *value);     /* whether it can be an argument of that kind */
/* A value that was read from there becomes an argument of that kind. */
lt_status lt__script_accept(
	struct lt_script *, enum lt_arg_kind, const char *expected, const struct lt_cursor *from, struct lt_arg *);
/* The value that was read from there is not what has to be there. */
lt_status lt__script_mismatch(
	struct lt_script *, const struct lt_cursor *from, const struct lt_arg *, const char *expected);

/* number.c */
/* x op y, or op x where y is NULL; operators of ir/op/op.def on numbers. */
lt_status lt__script_fold(struct lt_script *, const struct lt_script_node *, struct lt_position, const char *symbol,
	const struct lt_arg *x, const struct lt_arg *y, struct lt_arg *out);
void lt__script_number_text(struct lt_script *, struct lt_arg *);       /* `text` of a computed one */
lt_status lt__script_check_huge(struct lt_script *, const struct lt_arg *);

/* frame.c */
/* " (in 'block' called in line 4)", or "" */
const char *lt__script_where(struct lt_script *);
/* The name of a node in the graph: "block.3.h". */
const char *lt__script_path(struct lt_script *, const char *name, int32_t bytes);
/* "'x * w'": the script's text from there to the cursor. */
const char *lt__script_quote(struct lt_script *, const struct lt_cursor *from);

/* sum.c: run-time scalars, and their sums with integers */
/* The run-time scalar that an argument names, low <= it <= high; role: "begin" for messages. */
lt_param lt__script_param(struct lt_script *, const struct lt_arg *, int64_t low, int64_t high, const char *role);
/* Refuses a run-time value that has to be given, but is computed: -1. */
lt_param lt__script_computed(struct lt_script *, const struct lt_arg *);
lt_status lt__script_whole_number(struct lt_script *, int64_t *);       /* at the cursor */
/* names: what may be in it beside run-time scalars, or NULL. */
lt_status lt__script_sum(struct lt_script *, const struct lt_names *names, struct lt_script_sum *out);
/* l - r, in l. */
lt_status lt__script_minus(struct lt_script *, struct lt_script_sum *l, const struct lt_script_sum *r);
/* An extent of a shape: 3, or $n <= 64 (limit: $n). */
lt_status lt__script_dim(struct lt_script *, int64_t *extent, const struct lt_linear **limit);
bool lt__script_is_limited(struct lt_script *);         /* a list is at the cursor, with such an extent */
lt_status lt__script_limited(struct lt_script *, struct lt_arg *);
lt_status lt__script_require(struct lt_script *, struct lt_position);   /* after "require" */
/* A node that is there, $5 or its name, which a shape or a view names. */
lt_status lt__script_refer(struct lt_script *, struct lt_arg *out);
/* Statements that were named since the last such call become the argument's. */
void lt__script_take_named(struct lt_script *, struct lt_arg *);

/* names.c */
lt_status lt__script_expect(struct lt_script *, char, const char *what);
lt_status lt__script_unexpected(struct lt_script *, const char *expected);
lt_status lt__script_follow(struct lt_script *);        /* a ';' is at the cursor */
lt_status lt__script_end(struct lt_script *);           /* the same, and it is read */
/* An expression can begin at the cursor: what is there is known. */
bool lt__script_begins(struct lt_script *);
int32_t lt__script_function(const struct lt_script *, const char *name, int32_t bytes);        /* -1: none */
lt_status lt__script_id(struct lt_script *, const char **text, int32_t *bytes);         /* 5, after a $ */
lt_status lt__script_reference(struct lt_script *, struct lt_arg *);                    /* its value */
void lt__script_scope_new(struct lt_script *, struct lt_script_scope *);
const struct lt_arg *lt__script_lookup(const struct lt_script *, const char *name, int32_t bytes);
void lt__script_bind(struct lt_script *, const char *name, int32_t bytes, const struct lt_arg *value);
/* A name that may be given: neither too long nor a word that means something else. */
lt_status lt__script_check_name(struct lt_script *, const char *name, int32_t bytes, struct lt_position);
lt_status lt__script_unknown_name(struct lt_script *, struct lt_position, const char *name, int32_t bytes);

/* mistakes.c: sentences with the way out */
lt_status lt__script_unknown_node(struct lt_script *, struct lt_position, const char *name, int32_t bytes);
lt_status lt__script_no_statement(struct lt_script *, const struct lt_cursor *from);     /* what begins there is none */
lt_status lt__script_check_glued(struct lt_script *, const struct lt_arg *number);       /* 2x */
/* ^, & and | of floats, which other languages and precedences allow */
lt_status lt__script_check_bits(struct lt_script *, const struct lt_script_node *, const char *symbol,
	const struct lt_arg *left, const struct lt_arg *right);

/* nodes.c */
/* Every type of node, at most cap of them; returns how many there are. */
int32_t lt__script_nodes(struct lt_script_node *out, int32_t cap);
/* nodes_tensor.c */
lt_script_build lt__script_build_buffer, lt__script_build_scalar;

/* build.c */
/* Adds the value of a call of a node, whose arguments are s->arg from `first` on, and drops those; from: where its text
 * begins; last: it is the value of a statement, and has its name. */
lt_status lt__script_add(struct lt_script *, const struct lt_script_node *, int32_t first, const struct lt_cursor *from,
	bool last, struct lt_arg *out);
/* x[at] */
lt_status lt__script_element(struct lt_script *, const struct lt_arg *x, const struct lt_arg *at,
	const struct lt_cursor *from, bool last, struct lt_arg *out);

/* rounds.c: repeats whose number of rounds a run says */
lt_status lt__script_rounds_begin(
	struct lt_script *, struct lt_script_rounds *, int64_t begin, const struct lt_arg *end);
lt_status lt__script_rounds_next(struct lt_script *, struct lt_position);       /* after each round, of s->frame */
lt_status lt__script_rounds_end(struct lt_script *, struct lt_script_rounds *, struct lt_position);
/* Places that elements are taken at: 0 in a round that a run does not have, as a place that the first round has. */
lt_node lt__script_places(struct lt_script *, lt_node index);

/* own.c: calls of the user's own operations */
void lt__script_own_begin(struct lt_script *, const struct lt_script_function *, struct lt_script_own *);
/* value: the n values that it gives */
lt_status lt__script_own_end(
	struct lt_script *, struct lt_script_own *, struct lt_position, const struct lt_arg *value, int32_t n);
/* Whether two definitions are one, but for blanks and comments. */
bool lt__script_same_function(const struct lt_script_function *, const struct lt_script_function *);

/* parse.c */
lt_status lt__script_parse(struct lt_script *);                         /* all statements, up to the end */
/* Defines the function of an operation in the folder; the name is in script or, of a domain, called so. */
lt_status lt__script_load_own(struct lt_script *, const char *name);
/* Calls a function whose arguments are s->arg from `first` on: its values, or one of the kind MANY. */
lt_status lt__script_call(struct lt_script *, int32_t function, int32_t first, const struct lt_cursor *from,
	struct lt_arg *out);
struct lt_script_language { struct lt_script_node *type; int32_t n; struct lt_names *names; };

/* The arguments of a call of that node, from its '(' to its ')', onto s->arg. */
lt_status lt__script_args(struct lt_script *, const struct lt_script_node *);

/* state.c: the buffers' new contents; after all statements. */
lt_status lt__script_states(struct lt_script *);

/* shape.c: messages, checks, and views by position */
/* A failure of the graph's own gets the position in the script. */
lt_status lt__script_locate(struct lt_script *);
lt_status lt__script_fail(struct lt_script *, struct lt_position, lt_status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same as a builder's answer: -1. */
#define lt__script_refuse(s, ...) ((void)lt__script_fail((s), __VA_ARGS__), (lt_node)-1)
const char *lt__script_value(struct lt_script *, const struct lt_arg *);        /* "$4 (float32 [128, 10])" */
const char *lt__script_list(struct lt_script *, const int64_t *, int32_t n);    /* "[128, 10]" */
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
/* y with vars of its own where it shares some with x, axis apart (-1: none): they stand for other positions. */
lt_node lt__script_apart(struct lt_script *, lt_node x, int32_t axis, lt_node y);
bool lt__script_float32(struct lt_script *, const struct lt_arg *);
bool lt__script_float(struct lt_script *, const struct lt_arg *);
bool lt__script_same_type(struct lt_script *, const struct lt_arg *, const struct lt_arg *);
bool lt__script_takes(struct lt_script *, const struct lt_arg *, enum lt_opcode);
/* negative: from the end */
bool lt__script_axis(struct lt_script *, const struct lt_arg *, int32_t rank, int32_t *axis);
/* The axes of a list in a mask that is all false */
bool lt__script_axes(struct lt_script *, const struct lt_arg *list, int32_t rank, bool *mask);
bool lt__script_flag(struct lt_script *, const struct lt_arg *, const char *what);      /* 0 or 1; what: "keepdims" */
bool lt__script_no_overflow(struct lt_script *, const struct lt_arg *, enum lt_dtype);          /* shape of dims >= 1 */
/* NumPy's broadcasting of n arguments: shape by vars in *dim (rank *n_dim), the arguments viewed in it in out. */
bool lt__script_broadcast(
	struct lt_script *, int32_t n, const struct lt_arg *, int32_t *n_dim, lt_var **dim, lt_node *out);
lt_node lt__script_spread(struct lt_script *, lt_node scalar, const struct lt_arg *shape);
/* New vars of a shape. */
lt_var *lt__script_vars(struct lt_script *, const struct lt_arg *shape);
/* A whole number of uint64 that int64 does not have. */
bool lt__script_large_number(const struct lt_arg *, union lt_scalar *);
/* Typed bits of a number; false (with a sentence): it is not a value of that type. */
bool lt__script_bits(struct lt_script *, const struct lt_arg *, enum lt_dtype, uint64_t *bits);
lt_node lt__script_literal(struct lt_script *, const struct lt_arg *, enum lt_dtype);
#endif
