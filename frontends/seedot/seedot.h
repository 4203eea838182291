/* seedot.h -- programs of SeeDot and Shiftry (.sd, docs/seedot.md): from text to a graph of floats.
 *
 * In this order: parse.c makes a syntax tree, check.c gives each expression its type and each name its binding, trips.c
 * finds the loops whose trips can be done at once, lower.c makes nodes.  Operators are rows of operators.def, whose
 * types are in types.c and whose nodes in build.c and window.c.  The first mistake ends the work: its sentence is in
 * the
 * context.
 *
 * The same tree also becomes SeeDot's own integers (compat/compat.h): variables.c says which expressions have a scale
 * of their own, lower.c makes floats that show their ranges, then integers by fixed.c; model.c is called for both.
 */
#ifndef LT_SEEDOT_H
#define LT_SEEDOT_H
#include "base/folder.h"
#include "frontends/seedot/compat/compat.h"
#include "ir/graph/graph.h"
#include "lt/frontend.h"

struct sd_place { int32_t line, column; };

/* A whole number, or a tensor of floats; rank 0: a number. */
struct sd_type { bool whole; int32_t rank; const int64_t *shape; };

/* What a name stands for. */
struct sd_name {
	const char *name;
	struct sd_place place;
	struct sd_type type;
	int32_t index;                  /* bindings are numbered as they are checked */
	bool accumulated;               /* a loop assigns it: from there on `let` does, too */
	bool is_trip;                   /* of a loop or sum: from low to high - 1 */
	int64_t low, high;
	const struct sd_linear *linear; /* of a whole number that is one; NULL: it is computed */
	const struct sd_name *up;       /* the next one in scope */
};
/* constant + sum of coef[i] * trip[i] */
struct sd_linear { int64_t constant; int32_t n; const struct sd_name *const *trip; const int64_t *coef; };

enum sd_kind {
	SD_WHOLE, SD_REAL, SD_NAME, SD_DECLARE, SD_OPERATOR, SD_OWN, SD_SIGN, SD_TRANSPOSE, SD_SLICE, SD_INDEX, SD_SUM,
		SD_LOOP,
	SD_CHOOSE, SD_LET
};
struct sd_operator;
struct sd_list { int32_t n; int64_t *at; };
enum { SD_MAX_LISTS = 4, SD_MAX_RANK = 8 };
/*                    name        arg                               list                 */
/* SD_WHOLE                                                         its number           */
/* SD_NAME            the name                                                           */
/* SD_DECLARE         of the let                                    its shape            */
/* SD_OPERATOR                    as the row's pattern says, both                        */
/* SD_OWN             called      what it is given                                       */
/* SD_SIGN                        the operand (negative: -)                              */
/* SD_SLICE                       of what, then where it begins     how many             */
/* SD_INDEX                       of what, which                                         */
/* SD_SUM, SD_LOOP    trip        the body                          begin, end           */
/* SD_CHOOSE                      what is compared, then, else      with what            */
/* SD_LET             let         its value, the rest, begins       how many             */
struct sd_expr {
	enum sd_kind kind;
	struct sd_place place;
	const struct sd_operator *op;
	const char *name, *accumulator;
	struct sd_expr **arg;
	int32_t n_arg, n_list, depth;
	struct sd_list list[SD_MAX_LISTS];
	double real, low, high, low_slack, high_slack;  /* slack: half a unit of a bound's last decimal */
	bool negative, assigns;                         /* assigns: of a choice: something in it does */
	/* check.c */
	struct sd_type type;
	const struct sd_name *binding, *to;     /* to: of a loop's accumulator, of a let that assigns */
	const struct sd_linear *linear;         /* of a whole number */
	int32_t first, last;                    /* of a loop or sum: bindings first .. last - 1 are its body's */
	/* variables.c: the variable that it makes, of a mbconv three more for its stages; 0: it makes none */
	int32_t variable, stages;
	/* trips.c: all trips at once; sliced: bindings of which each trip writes its own part */
	bool at_once;
	int32_t n_sliced;
	int32_t *sliced;
};

struct sd_program {
	struct lt_context *ctx;
	struct lt_arena *arena, *kept;          /* kept: as long as the graph */
	const char *file;
	const struct lt_parse_options *options;
	struct lt_ownfolder folder;
	struct sd_expr *root;
	struct sd_expr **declared;              /* in order */
	int32_t n_declared, cap_declared, n_name;
	struct lt_graph *graph;
	/* variables.c; the first one is none */
	struct sd_variable *variable;
	int32_t n_variable, cap_variable, *variable_of;         /* of: a binding */
	struct sd_shown *seen;                   /* by variable: what has its values; NULL: nobody asks */
	struct sd_fixing *fixing;               /* integers are made; NULL: floats */
	struct compat_value result;
};
/* say.c: a sentence with its place; answers false. */
bool lt__sd_refuse(struct sd_program *, struct sd_place, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* types.c: "(3, 4)", "a whole number", "a number" */
const char *lt__sd_type_text(struct sd_program *, const struct sd_type *);

/* lex.c: the text as words, the last one SD_END. */
enum sd_word_kind { SD_END, SD_IDENTIFIER, SD_INTEGER, SD_DECIMAL, SD_MARK };
struct sd_word { enum sd_word_kind kind; const char *at; int32_t n; struct sd_place place; };
bool lt__sd_lex(struct sd_program *, const char *text, size_t bytes, struct sd_word **out);

/* parse.c, check.c, trips.c, data.c, lower.c: each after the one before; false: there is a sentence. */
bool lt__sd_parse(struct sd_program *, const char *text, size_t bytes);
bool lt__sd_check(struct sd_program *);
void lt__sd_trips(struct sd_program *);
/* What a declared name holds, f32, row-major, in the kept arena; *out NULL: it is bound later. */
bool lt__sd_data(struct sd_program *, const struct sd_expr *declared, const float **out);
bool lt__sd_lower(struct sd_program *);

/* The rows of operators.def.  pattern: what is between its parentheses, a word each: e an expression, n an integer, f a
 * number, (n) [n] lists of integers, {s2} "{s" and two integers, [e3] three expressions.  level: of an infix. */
enum { SD_PREFIX, SD_ADDS, SD_MULTIPLIES };
enum sd_scale { SD_KEPT, SD_SCALED };
struct sd_value;
struct sd_lower;
struct sd_operator {
	const char *name, *pattern, *doc;
	int level;                                      /* SD_PREFIX: name(..) */
	bool (*type)(struct sd_program *, struct sd_expr *);
	bool (*build)(struct sd_lower *, const struct sd_expr *, const struct sd_value *arg, struct sd_value *out);
	bool (*fixed)(struct sd_lower *, const struct sd_expr *, const struct sd_value *arg, struct sd_value *out);
	enum sd_scale scale;
};
extern const struct sd_operator lt__sd_operators[];
extern const int32_t lt__sd_n_operators;
const struct sd_operator *lt__sd_operator(const char *name, int32_t n, bool infix);      /* NULL: there is none */

/* types.c */
#define SD_OPERATOR_ROW(word, id, level, pattern, type, fixed, scale, doc) \
	bool lt__sd_type_##type(struct sd_program *, struct sd_expr *);
#include "frontends/seedot/operators.def"
#undef SD_OPERATOR_ROW
bool lt__sd_same_type(const struct sd_type *, const struct sd_type *);
int64_t lt__sd_elements(const struct sd_type *);                /* -1: more than 2^62 */
bool lt__sd_is_one(const struct sd_type *);                     /* one element, or a whole number */

/* -- nodes -- */
enum { SD_MAX_TRIPS = 16 };             /* loops in one another whose trips are done at once */
/* constant + sum of coef[i] * the position of var[i], of a loop whose trips are done at once */
struct sd_affine { int64_t constant; int32_t n; lt_var var[SD_MAX_TRIPS]; int64_t coef[SD_MAX_TRIPS]; };
/* A value while nodes are made.  The node's dims are vars of such loops, in order, and then axis[0] .. axis[rank -
 * 1].  A
 * whole number is an i32, or, linear, a sum of trips that has no node yet. */
struct sd_value {
	bool whole, linear;
	struct sd_affine sum;
	lt_node node;
	struct compat_value format;     /* of SeeDot's own integers */
	int32_t rank;
	lt_var axis[SD_MAX_RANK];
};
/* How an axis of a value is read: element  sum + coef * position on result axis `axis` (-1: sum alone). */
struct sd_row { struct sd_affine sum; int32_t axis; int64_t coef; };
struct sd_cell;
struct sd_lower {
	struct sd_program *p;
	struct lt_graph *g;
	struct sd_cell *cell;           /* by binding */
	struct sd_value *declared;      /* as p->declared */
	int64_t trips;                  /* done one by one so far */
	int32_t at_once;                /* loops around */
};

/* values.c: false: the context has a sentence.  Each result has its dims in order. */
bool lt__sd_set(struct sd_lower *, struct sd_value *out, lt_node);      /* false of LT_NONE */
lt_node lt__sd_whole(struct sd_lower *, const struct sd_value *);       /* a whole number's node, i32 */
lt_node lt__sd_real(struct sd_lower *, double);
/* Vars of loops that values have, in order, then the axes; *n: how many; room for LT_MAX_RANK. */
bool lt__sd_dims(struct sd_lower *, int32_t n_value, const struct sd_value *const *, int32_t n_axis, const lt_var *axes,
	int32_t *n, lt_var *out);
/* Element (j0, j1 ..) of the result is x's at the rows, one for each of its axes. */
bool lt__sd_view(struct sd_lower *, const struct sd_value *x, const struct sd_row *, int32_t rank, const lt_var *axes,
	struct sd_value *out);
/* x with the axes of another value of its shape. */
bool lt__sd_align(struct sd_lower *, const struct sd_value *x, const lt_var *axes, struct sd_value *out);
/* Element (0, 0 ..) of x, as a value without axes. */
bool lt__sd_only(struct sd_lower *, const struct sd_value *x, struct sd_value *out);
/* An operator of elements: operands without axes, or with those of the result, which are `axes`. */
bool lt__sd_map(struct sd_lower *, const char *op, int32_t n, const struct sd_value *const *, int32_t rank,
	const lt_var *axes, struct sd_value *out);
bool lt__sd_reduce(struct sd_lower *, const char *op, const struct sd_value *, int32_t n, const lt_var *over,
	struct sd_value *out);
bool lt__sd_reshape(struct sd_lower *, const struct sd_value *, int32_t rank, const lt_var *axes, struct sd_value *out);
/* After a step of the graph's own: dims in any order. */
bool lt__sd_order(struct sd_lower *, struct sd_value *);
/* x where a loop's var is at one trip. */
bool lt__sd_trip(struct sd_lower *, const struct sd_value *x, lt_var, int64_t at, struct sd_value *out);
bool lt__sd_has(const struct sd_lower *, const struct sd_value *, lt_var);
bool lt__sd_new_axes(struct sd_lower *, const struct sd_type *, lt_var *out);

/* part.c: x[begin :+ n].. and its assignment; begin: a whole number each; known: begin.linear is in range by check.c,
 * else
 * it is computed, and moved so that the part is inside. */
bool lt__sd_part(struct sd_lower *, const struct sd_value *x, const struct sd_type *, int32_t n_begin,
	const struct sd_value *begin, const bool *known, const int64_t *count, struct sd_value *out);
struct sd_write {
	struct sd_value part, begin[SD_MAX_RANK];
	bool known[SD_MAX_RANK];
	struct sd_place place;
	int32_t n_pending;
	lt_var pending[SD_MAX_TRIPS];   /* loops whose trips write each their own part, the outermost first */
};
bool lt__sd_write(struct sd_lower *, const struct sd_value *old, const struct sd_write *, struct sd_value *out);

/* lower.c: a loop for what it assigns */
bool lt__sd_loop(struct sd_lower *, const struct sd_expr *);
/* own.c: e->name in the folder of the user's own operations */
bool lt__sd_own(struct sd_lower *, const struct sd_expr *, const lt_node *operand, lt_node *out);

/* window.c: windows of an image [.., n, y, i, x, j, c]; fill: the bits of what is outside.  products: instead of a
 * sum of floats; all: the vars of the products, the last n_over of which are summed in their order. */
struct sd_window { int64_t size[2], strides[2], dilations[2], before[2], count[2]; };
struct sd_products {
	lt_node (*sum)(struct sd_lower *, const struct sd_products *, lt_node x, lt_node f, int32_t n, const lt_var *all,
		int32_t n_over);
	const struct compat_steps *steps;
	int32_t bits;
};
struct sd_window lt__sd_window(const struct sd_expr *, const int64_t size[2], const struct sd_list *pads,
	const struct sd_list *strides);
bool lt__sd_windows(struct sd_lower *, const struct sd_value *image, const struct sd_window *, uint64_t fill,
	struct sd_value *out);
bool lt__sd_convolve(struct sd_lower *, const struct sd_value *image, const struct sd_value *filter, int64_t groups,
	const struct sd_window *, const struct sd_products *, struct sd_value *out);
bool lt__sd_pool(struct sd_lower *, const struct sd_value *image, const struct sd_window *, uint64_t fill,
	struct sd_value *out);

/* build.c, window.c */
#define SD_OPERATOR_ROW(word, id, level, pattern, type, fixed, scale, doc) \
	bool lt__sd_build_##id(struct sd_lower *, const struct sd_expr *, const struct sd_value *, struct sd_value *); \
	bool lt__sd_##fixed(struct sd_lower *, const struct sd_expr *, const struct sd_value *, struct sd_value *);
#include "frontends/seedot/operators.def"
#undef SD_OPERATOR_ROW
/* Steps of several operators. */
bool lt__sd_last_axis(struct sd_lower *, const char *op, const struct sd_value *x, const struct sd_value *v,
	struct sd_value *out);
bool lt__sd_relu6(struct sd_lower *, const struct sd_value *, struct sd_value *out);

/* -- SeeDot's own integers -- */
/* What has a scale of its own: a constant, the input, what an operator makes, a loop's accumulator. */
struct sd_variable {
	const char *name;               /* of the binding, or of the operator */
	struct sd_place place;
	int64_t elems;
	bool input, declared, stage;    /* declared: an input is, too; stage: within a mbconv, of 16 bits always */
	double least;                   /* the size of its numbers that the text says */
	double most;                    /* that which data shows; set by the caller of lt__sd_model_ranges */
};
struct sd_shown { lt_node *node; int32_t n, cap; };
void lt__sd_variables(struct sd_program *);
void lt__sd_see(struct sd_lower *, int32_t variable, const struct sd_value *);
/* The greatest size of the values of each variable that data says, as results "range.N". */
bool lt__sd_seen_results(struct sd_lower *);

/* A candidate.  narrow: 8 bits, at the scale of 16 bits + 8 + offset. */
struct sd_narrow { bool narrow; int32_t offset; };
struct sd_choice {
	bool derives;                   /* SeeDot: scales follow from maxscale; else Shiftry: from ranges and input */
	int32_t maxscale, input;        /* input: the scale of X in 16 bits */
	const struct sd_narrow *variable;       /* by variable; NULL: all have 16 bits */
};
struct sd_fixing {
	struct compat_rule rule;
	const struct sd_choice *choice;
	bool has_tables;
	struct compat_tables tables;
	struct compat_value *format;    /* by variable: what it got */
};
/* fixed.c */
int32_t lt__sd_scale(double most);      /* of 16 bits that hold numbers of that size */
struct compat_value lt__sd_format(const struct sd_lower *, int32_t variable, int32_t *native);
int64_t lt__sd_quantise(double, struct compat_value);
bool lt__sd_fixed_real(struct sd_lower *, double, struct sd_value *out);
bool lt__sd_fixed_sign(struct sd_lower *, const struct sd_value *, struct sd_value *out);
bool lt__sd_fixed_to(struct sd_lower *, const struct sd_value *, struct compat_value to, struct sd_value *out);
/* To the variable of a binding, if that has a format of its own. */
bool lt__sd_fixed_binding(struct sd_lower *, const struct sd_name *, struct sd_value *);
/* A term of a sum of n, in 32 bits, and the sum as it is stored. */
bool lt__sd_fixed_term(struct sd_lower *, const struct sd_expr *, int64_t n, const struct sd_value *,
	struct sd_value *out);
bool lt__sd_fixed_summed(struct sd_lower *, const struct sd_expr *, int64_t n, struct compat_value term,
	struct sd_value *);
bool lt__sd_fixed_choices(struct sd_lower *, struct sd_value *a, struct sd_value *b);

/* model.c: a program for SeeDot's own integers; tools call these.  folder: of its constants' files. */
struct sd_model;
lt_status lt__sd_model_new(struct lt_context *, const char *text, size_t bytes, const char *file, const char *folder,
	struct sd_model **out);
void lt__sd_model_free(struct sd_model *);
/* From 1 to n - 1. */
struct sd_variable *lt__sd_model_variables(const struct sd_model *, int32_t *n);
/* A graph of floats: the program's result "y", and for each variable that data says a number "range.N". */
lt_status lt__sd_model_ranges(struct sd_model *, struct lt_graph **out);
/* A graph of integers, with its constants.  LT_EUNSUPPORTED: SeeDot has no such scales.  formats: by variable, room for
 * n; result: of y, bits 32 where it is a whole number. */
lt_status lt__sd_model_integers(struct sd_model *, const struct sd_choice *, struct compat_value *formats,
	struct compat_value *result, struct lt_graph **out);
#endif
