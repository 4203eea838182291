/* script.h -- the language of scripts for what writes it, frontends/script/print/, and for models that call functions
 * of it.  Reading goes through lt/frontend.h.
 */
#ifndef LT_SCRIPT_H
#define LT_SCRIPT_H
#include "base/folder.h"
#include "ir/graph/graph.h"

struct lt_script_language;      /* its types of nodes, by name */
struct lt_script_language *lt__script_language(struct lt_arena *);
/* The type of node that makes this elementwise operator by numpy's rule; NULL: none does. */
const char *lt__script_op_name(const struct lt_script_language *, enum lt_opcode);
/* Adds what a call says, such as "SoftmaxNode($0, 1)": $0 $1 .. are the n operands.  -1: it is refused; the context has
 * no sentence for a reader then. */
lt_node lt__script_build(const struct lt_script_language *, struct lt_graph *, int32_t n, const lt_node *operand,
	const char *text, size_t bytes);
/* A call of an operation of a folder on nodes, of which -1 are left out, its other arguments by name. */
struct lt_own_named { const char *name; bool whole; int64_t i; double number; const int64_t *list; int32_t n; };
struct lt_own_given {
	int32_t n_operand;
	const lt_node *operand;
	int32_t n_named;
	const struct lt_own_named *named;
	bool *used;                     /* by named: it is a parameter */
};
/* The n values of it, in the graph's arena. */
lt_status lt__script_own(const struct lt_script_language *, struct lt_graph *, const struct lt_ownfolder *,
	const char *name, const struct lt_own_given *, int32_t *n, lt_node **out);
/* Parameters of the operation that have no value of their own. */
lt_status lt__script_own_inputs(const struct lt_script_language *, struct lt_context *, struct lt_arena *,
	const struct lt_ownfolder *, const char *name, int32_t *n);
/* Adds calls of those operations whose kernels say LT_ROUTINE, where the graph has what they mean: own_find.c. */
lt_status lt__script_own_find(struct lt_graph *, struct lt_arena *, const struct lt_ownfolder *);
#endif
