/* printer.h -- the parts of what prints a graph as a script, for each other.
 *
 * Values.     A statement is a node of the graph.  A script's axes have positions and no names, so that a view which
 *             only renames dims is no statement: it is the value itself (`same`).
 * Forms.      A group of nodes that a node of the language would make is printed as that one node.  Nothing is
 *             recognized by its looks alone: the candidate is built by the script's own builder, and what that makes
 *             has to be the group, node by node (match.c).  Everything else has a form that says just what it
 *             is: MapNode, ViewNode, GatherAlongNode.
 * Left out.   What no result and no state needs, but for inputs and for constants without a content; names of dims.
 */
#ifndef LT_SCRIPT_PRINTER_H
#define LT_SCRIPT_PRINTER_H
#include "base/arena.h"
#include "base/names.h"
#include "frontends/script/script.h"

/* A node of the language that would make a node of the graph: text is as in a script, $0 $1 .. being its operands. */
struct lt_script_form { int32_t n; lt_node *operand; struct lt_text text; };
/* What is the same as what, by node. */
struct lt_alias {
	lt_node *up;    /* of a view that only adds, leaves out or moves axes of one element: its source; -1: it is none */
	lt_node *core;  /* the first such source that is no such view itself */
	lt_node *same;  /* that of which it shows every element in its place, by the same axes */
};
struct lt_scripter {
	const struct lt_graph *g;
	struct lt_arena *arena;
	void (*write)(void *, const char *, size_t);
	void *user;
	bool *used;                     /* params */
	struct lt_alias alias;
	int32_t *uses;                  /* by node that is no other: how often it is read, is a result, a state's content */
	int32_t *left, *tried, trial;   /* match.c's */
	struct lt_context own;          /* of candidates */
	bool *wanted;                   /* by node: a statement names it */
	struct lt_script_form **form;          /* by node: how it is said, or NULL */
	lt_node **pick;                 /* by node: its operands, where others than its own are better; or NULL */
	int32_t *id, *scalar;           /* number of the statement of a node, a param; 0: not yet */
	int32_t n;                      /* statements */
	struct lt_text text;            /* of the statement that is being made */
	const struct lt_script_language *language;
};

/* alias.c */
struct lt_alias lt__script_alias(const struct lt_graph *, struct lt_arena *);
/* Axes of more than one element: their places in dims (n); how many there are. */
int32_t lt__script_solid(const struct lt_graph *, int32_t n, const lt_var *dims, int32_t *at);
/* Where axis i of operand k is in the result of a node; -1: it is not there. */
int32_t lt__script_find_axis(const struct lt_graph *, const struct lt_nodedef *, int32_t k, int32_t i);

/* fit.c: a copy for reading alone, in the arena; it shares what it does not change. */
const struct lt_graph *lt__script_fitted(const struct lt_graph *, struct lt_arena *);

/* say.c: pieces of a statement */
void lt__say_bits(struct lt_text *, uint64_t bits, enum lt_dtype);
/* A name where `stop` and white space end it. */
void lt__say_name(struct lt_text *, const char *name, const char *stop);
void lt__say_string(struct lt_text *, const char *);
void lt__say_linear(const struct lt_scripter *, struct lt_text *, const struct lt_linear *);
void lt__say_shape(const struct lt_scripter *, struct lt_text *, int32_t n, const lt_var *);
void lt__say_list(struct lt_text *, int32_t n, const int64_t *);
/* "$5 = "; its number */
int32_t lt__say_begin(struct lt_scripter *);
/* The statement of a node, but for its end. */
lt_status lt__say_node(struct lt_scripter *, lt_node);
/* Operand k of a node as its statement names it. */
lt_node lt__script_operand(const struct lt_scripter *, lt_node, int32_t k);
/* Operands of an elementwise operator by numpy's rule; NULL: it does not say the same. */
lt_node *lt__script_pick(struct lt_scripter *, const struct lt_nodedef *);

/* match.c: whether the form makes node x, of nodes that nothing else reads. */
bool lt__script_matches(struct lt_scripter *, lt_node x, struct lt_script_form *);

/* forms.c: whether a node is a layer, a convolution or pool, a view of the language; p->form has its form then. */
bool lt__form_layer(struct lt_scripter *, lt_node x);
bool lt__form_window(struct lt_scripter *, lt_node x);
bool lt__form_view(struct lt_scripter *, lt_node x);
#endif
