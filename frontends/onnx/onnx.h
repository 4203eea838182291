/* onnx.h -- the parts of the frontend for ONNX models, for each other.
 *
 * A model is unpacked by protobuf-c (read.c) and converted node by node (convert.c): the row of ops.def for the node's
 * operator and the model's version of the operator set names the builder, which reads inputs and attributes through
 * its struct lt_onnx_call, adds to the graph and gives the outputs.
 *
 * Values.     What a name stands for: a node of the graph, or a content that is known while the model is read, or both.
 *             A value without elements has neither node nor content.  Everything has a type and a shape.
 * Known.      A content is also found for a node that depends on known contents only, by the graph's evaluator, when a
 *             builder asks for it (known.c): shapes that a model computes need no code of their own.
 * Failures.   A builder fails by leaving a sentence in the context (lt_fail, lt__onnx_refuse, any function of
 *             lt/graph.h); what it does afterwards is not looked at, and LT_NONE goes through all functions.  The
 *             sentences of all nodes are collected and reported at once (problems.c).  An attribute that a node has and
 *             its builder does not ask for is a failure: nothing is ignored in silence.
 * Memory.     `arena` is freed when the import ends.  `kept` holds contents, and is freed with the graph and its
 *             programs.
 */
#ifndef LT_ONNX_H
#define LT_ONNX_H
#include "ir/graph/graph.h"
#include "base/folder.h"
#include "base/names.h"
#include "lt/frontend.h"

struct Onnx__ModelProto;
struct Onnx__GraphProto;
struct Onnx__NodeProto;
struct Onnx__TensorProto;
struct Onnx__ValueInfoProto;
struct Onnx__AttributeProto;
struct Onnx__FunctionProto;

struct lt_onnx_value {
	const char *name;
	enum lt_dtype dtype;
	int32_t stored;         /* the standard's number of a type that dtype only keeps (stored.h); 0: dtype is the type */
	int32_t rank;
	int64_t *shape;         /* the most, where run-time scalars bound it */
	lt_node node;           /* LT_NONE: none yet */
	/* of each axis, how many of the node's dims it is (groups.h); NULL: one each */
	const int32_t *part;
	const void *data;       /* the content, dense; NULL: not known */
	bool empty;             /* it has no elements */
	bool lost;              /* the node that makes it was refused */
	bool looked;            /* lt__onnx_look was here */
};

struct lt_onnx;
/* Names of a graph: those of a subgraph see the names around it. */
struct lt_onnx_scope {
	struct lt_onnx_scope *up;
	struct lt_names *names;         /* index in lt_onnx.value */
	const struct lt_onnx_call *call;        /* of a function: where its attributes are given; else NULL */
	const struct Onnx__FunctionProto *function;
	int32_t depth;
};
struct lt_onnx_call;
/* What an operator does with axes that are products of run-time extents (groups.h). */
enum lt_onnx_groups { LT_ONNX_WHOLE, LT_ONNX_EACH, LT_ONNX_AXIS, LT_ONNX_ROWS, LT_ONNX_OWN };
struct lt_onnx_op {
	const char *domain, *name;
	int32_t since;                  /* the first version of the operator set that it is for */
	enum lt_onnx_groups groups;
	void (*build)(struct lt_onnx_call *);
	const char *arg;                /* what tells builders of several operators apart; "" */
};
/* A node that is being converted. */
struct lt_onnx_call {
	struct lt_onnx *m;
	struct lt_onnx_scope *scope;
	const struct Onnx__NodeProto *proto;
	const struct lt_onnx_op *op;
	int64_t version;                /* of the operator's set */
	int32_t n_in, n_out;
	struct lt_onnx_value **in;      /* NULL: left out */
	struct lt_onnx_value *out;
	/* broadcast.c's: inputs as they are, where `in` has an axis for each of their dims; the groups of the outputs */
	struct lt_onnx_value **whole;
	const int32_t *part;
	int32_t part_rank;
	bool *used;                     /* attributes that were asked for */
};

struct lt_onnx_problem { const char *text; int32_t times; };
/* A symbolic dimension whose extent differs from run to run: a param, read from an input of the graph. */
struct lt_onnx_symbol { const char *name; lt_param param; };
/* An extent that the shape of a tensor says, of a symbol or, of an axis without one, of "x.0". */
struct lt_onnx_shaped { const char *name, *input; int64_t low, high; };
/* An input whose tensor was asked for its shape and says nothing: why. */
struct lt_onnx_unshaped { const char *input, *why; };
struct lt_onnx {
	struct lt_context *ctx;
	struct lt_arena *arena, *kept;
	struct lt_graph *graph;
	const char *file;
	const struct lt_parse_options *options; /* never NULL */
	struct lt_ownfolder folder;             /* of the user's own operations; n 0: there is none */
	const struct Onnx__ModelProto *model;
	struct lt_onnx_value **value; int32_t n_value, cap_value;
	struct lt_onnx_problem *problem; int32_t n_problem, cap_problem;
	bool is_open; int32_t n_open;   /* the failure in hand, and how many problems, are extents that nobody has said */
	bool is_known;                  /* the failure in hand is of a name that was told before: one option mends both */
	const char **open_name; int32_t n_open_name, cap_open_name;
	/* by node of the graph: whether contents decide it */
	bool *known; int32_t n_known, cap_known;
	/* known.c's: by node and var of the graph, its number in the part in hand; -1: it is not in it */
	lt_node *node_place; int32_t n_node_place, cap_node_place;
	lt_var *var_place; int32_t n_var_place, cap_var_place;
	int32_t n_converted;            /* nodes so far, with those of loops and functions each time */
	struct lt_names *constants;     /* names of constants that are taken */
	bool *dim_used, *dim_number;    /* of options->dim: it says something; it says the number that an input has */
	struct lt_onnx_shaped *shaped; int32_t n_shaped, cap_shaped;
	struct lt_onnx_unshaped *unshaped; int32_t n_unshaped, cap_unshaped;
	struct lt_onnx_symbol *symbol; int32_t n_symbol, cap_symbol;
	const char **dim_name; int32_t n_dim_name, cap_dim_name;        /* that options may give */
	/* convert.c's, for builders of control: all nodes of a subgraph */
	void (*convert)(struct lt_onnx *, struct lt_onnx_scope *, size_t n, struct Onnx__NodeProto *const *);
};

/* problems.c */
/* Returns, if the failure in hand is one about the model; what is not ends the import. */
void lt__onnx_ended(struct lt_onnx *);
/* The failure of a builder: its sentence. */
void lt__onnx_refuse(struct lt_onnx *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Keeps a sentence about the model, and clears the context; `where` NULL: as it is. */
void lt__onnx_problem(struct lt_onnx *, const char *where, const char *text);
bool lt__onnx_failed(const struct lt_onnx *);           /* the context holds a failure */
lt_status lt__onnx_problems(struct lt_onnx *);          /* all at once; LT_OK if there are none */
const char *lt__onnx_shape(struct lt_onnx *, int32_t rank, const int64_t *);    /* "[2, 3]" */

/* read.c: the message in the bytes, or NULL with a sentence.  In it raw_data is no content, but a place of one. */
struct lt_onnx_place { const void *at; size_t n; };
const struct Onnx__ModelProto *lt__onnx_read(struct lt_onnx *, const char *bytes, size_t n);
/* The content at a place, for as long as the graph lives: where it is, if the model is mapped and it is large, else a
 * copy that is aligned to elements of `size` bytes. */
const void *lt__onnx_inline(struct lt_onnx *, const struct lt_onnx_place *);
/* folder.c: n bytes at an offset of a file in the folder of external data, mapped; NULL with a sentence.  bytes -1: up
 * to the end. */
const void *lt__onnx_external(struct lt_onnx *, const char *location, int64_t offset, int64_t bytes, size_t want);

/* tensor.c */
enum lt_dtype lt__onnx_dtype(int64_t type);             /* 0: the library has none */
int64_t lt__onnx_type(enum lt_dtype);                   /* the standard's number */
const char *lt__onnx_type_name(int64_t type);           /* "uint16" */
/* A value with the content of a tensor; false: refused. */
bool lt__onnx_tensor(struct lt_onnx *, const struct Onnx__TensorProto *, struct lt_onnx_value *out);

/* value.c */
struct lt_onnx_value *lt__onnx_find(struct lt_onnx *, const struct lt_onnx_scope *, const char *name);
/* Gives a name of the scope its value (copied). */
struct lt_onnx_value *lt__onnx_name(struct lt_onnx *, struct lt_onnx_scope *, const char *name,
	const struct lt_onnx_value *);
/* The same value under one more name. */
void lt__onnx_alias(struct lt_onnx *, struct lt_onnx_scope *, const char *name, struct lt_onnx_value *);
struct lt_onnx_value lt__onnx_of_node(struct lt_onnx *, lt_node);
/* A content of the type and shape; data is kept by the caller. */
struct lt_onnx_value lt__onnx_of_data(struct lt_onnx *, enum lt_dtype, int32_t rank, const int64_t *shape,
	const void *);
/* Room for the content of a new value; its data may be written until it is given. */
void *lt__onnx_room(struct lt_onnx *, enum lt_dtype, int32_t rank, const int64_t *shape);
/* The same for a table that is used up while the model is read: n elements, zeroed. */
#define LT_ONNX_TABLE(m, type, n) ((type *)lt__onnx_table_room((m), sizeof(type), (n)))
void *lt__onnx_table_room(struct lt_onnx *, size_t bytes, int64_t n);
int64_t lt__onnx_elems(const struct lt_onnx_value *);
/* The node of a value, made of its content where it has none; LT_NONE with a sentence: it has no elements. */
lt_node lt__onnx_node(struct lt_onnx *, struct lt_onnx_value *);
/* A node for a content that less than it tells: a float of one element is a literal, and booleans that are a triangle a
 * comparison of positions, so that what follows sees a scale, and a causal mask.  LT_NONE: it is neither. */
lt_node lt__onnx_told(struct lt_onnx *, const struct lt_onnx_value *);
/* Whether it may be either, by type and shape, and is small enough to be computed for that. */
bool lt__onnx_may_tell(const struct lt_onnx_value *);

/* known.c: the content of a value; NULL, with a sentence that names the inputs to fix, where it is not known yet.
 * maybe: NULL without a sentence. */
const void *lt__onnx_content(struct lt_onnx *, struct lt_onnx_value *, const char *what);
const void *lt__onnx_maybe(struct lt_onnx *, struct lt_onnx_value *);
/* A value that nodes compute of contents alone becomes what lt__onnx_told says of it. */
void lt__onnx_look(struct lt_onnx *, struct lt_onnx_value *);

/* call.c: what a builder asks its node for, and gives */
bool lt__onnx_has(const struct lt_onnx_call *, int32_t i);      /* input i is there */
struct lt_onnx_value *lt__onnx_value(struct lt_onnx_call *, int32_t i); /* never NULL; refused where it is not there */
lt_node lt__onnx_in(struct lt_onnx_call *, int32_t i);
/* The integers of input i (int32 or int64, of at most one axis), which have to be known, and within LT_ONNX_MOST; NULL
 * with a sentence.  lt__onnx_in_any_int(s) take every one. */
const int64_t *lt__onnx_in_any_ints(struct lt_onnx_call *, int32_t i, const char *what, int32_t *n);
int64_t lt__onnx_in_any_int(struct lt_onnx_call *, int32_t i, const char *what, int64_t otherwise);
const int64_t *lt__onnx_in_ints(struct lt_onnx_call *, int32_t i, const char *what, int32_t *n);
int64_t lt__onnx_in_int(struct lt_onnx_call *, int32_t i, const char *what, int64_t otherwise);
/* One number that has to be known. */
double lt__onnx_in_number(struct lt_onnx_call *, int32_t i, const char *what, double otherwise);
bool lt__onnx_wants(const struct lt_onnx_call *, int32_t i);    /* output i is named */
void lt__onnx_give(struct lt_onnx_call *, int32_t i, lt_node);
void lt__onnx_give_value(struct lt_onnx_call *, int32_t i, const struct lt_onnx_value *);
/* A content of the type and shape, which is copied. */
void lt__onnx_give_data(struct lt_onnx_call *, int32_t i, enum lt_dtype, int32_t rank, const int64_t *shape,
	const void *data);

/* attribute.c: by name; the default where the node has none.  Integers are within the range of their name, or refused;
 * lt__onnx_any_int(s) takes every one. */
/* What an extent, a position, a count or an axis may be at most, and not less than its negative: a sum of some, and a
 * product of one by a number of a window, are within 63 bits. */
#define LT_ONNX_MOST (INT64_C(1) << 40)
bool lt__onnx_in_range(struct lt_onnx *, const char *what, int64_t n, const int64_t *, int64_t low, int64_t high);
int64_t lt__onnx_any_int(struct lt_onnx_call *, const char *name, int64_t otherwise);
const int64_t *lt__onnx_any_ints(struct lt_onnx_call *, const char *name, int32_t *n);
enum lt_onnx_kind { LT_ONNX_OTHER, LT_ONNX_FLOAT, LT_ONNX_INT, LT_ONNX_INTS };
enum lt_onnx_kind lt__onnx_attribute_kind(const struct Onnx__AttributeProto *);
bool lt__onnx_has_attribute(struct lt_onnx_call *, const char *name);
int64_t lt__onnx_int(struct lt_onnx_call *, const char *name, int64_t otherwise);
double lt__onnx_float(struct lt_onnx_call *, const char *name, double otherwise);
const char *lt__onnx_text(struct lt_onnx_call *, const char *name, const char *otherwise);
/* NULL where there is none, *n 0. */
const int64_t *lt__onnx_ints(struct lt_onnx_call *, const char *name, int32_t *n);
const float *lt__onnx_floats(struct lt_onnx_call *, const char *name, int32_t *n);
/* Texts, ended by a 0 each. */
const char *const *lt__onnx_texts(struct lt_onnx_call *, const char *name, int32_t *n);
const struct Onnx__TensorProto *lt__onnx_tensor_attribute(struct lt_onnx_call *, const char *name);
const struct Onnx__GraphProto *lt__onnx_graph_attribute(struct lt_onnx_call *, const char *name);
/* Attributes that may be there and change nothing that is computed. */
void lt__onnx_ignore(struct lt_onnx_call *, const char *name);
/* The first attribute that was not asked for; NULL: none. */
const char *lt__onnx_unread(const struct lt_onnx_call *);

/* op_control.c: x given to a graph of one input and one output (NULL: x itself).  LT_NONE: refused, and the outputs of
 * the node are lost. */
lt_node lt__onnx_apply(struct lt_onnx_call *, const struct Onnx__GraphProto *, lt_node x);

/* own.c: whether a node is an operation of the folder that options name, DOMAIN/NAME; it is built. */
bool lt__onnx_is_own(const struct lt_onnx_call *, const char *domain);
void lt__onnx_build_own(struct lt_onnx_call *, const char *domain);

/* table.c */
/* The row for a version of the operator set; NULL with a sentence. */
const struct lt_onnx_op *lt__onnx_op_find(struct lt_onnx *, const char *domain, const char *name, int64_t version);

/* convert.c: nodes of a graph in order; their outputs are named in the scope */
void lt__onnx_convert(struct lt_onnx *, struct lt_onnx_scope *, size_t n, struct Onnx__NodeProto *const *);
/* bind.c: initializers and inputs of the model's graph, and its results */
void lt__onnx_sources(struct lt_onnx *, struct lt_onnx_scope *);
void lt__onnx_results(struct lt_onnx *, struct lt_onnx_scope *);
/* dims.c: the extent of a symbolic dimension: a var; LT_NONE with a sentence.  empty: it is 0. */
lt_var lt__onnx_dim(struct lt_onnx *, const char *symbol, const char *input, int32_t axis, bool *empty);
/* What an option says of the number in an int64 input of one element, at least and at most; false: nothing.  Where it
 * differs it is made a scalar as symbols are. */
bool lt__onnx_number_said(struct lt_onnx *, const char *name, int64_t *low, int64_t *high);
void lt__onnx_number_symbol(struct lt_onnx *, const char *name, lt_node, int64_t low, int64_t high);
/* Options that name no dimension, or one that is said already, or that say nothing of it, are problems. */
void lt__onnx_used_dims(struct lt_onnx *);
/* Before any dim is asked for: extents of an input that no option says, from the tensors that it will be given. */
void lt__onnx_ask_shape(struct lt_onnx *, const struct Onnx__ValueInfoProto *);
#endif
