/* script.h -- the language of scripts for what writes it: frontends/script/print/.  Reading goes through lt/frontend.h.
 */
#ifndef LT_SCRIPT_H
#define LT_SCRIPT_H
#include "ir/graph/graph.h"

struct lt_script_language;      /* its types of nodes, by name */
struct lt_script_language *lt__script_language(struct lt_arena *);
/* The type of node that makes this elementwise operator by numpy's rule; NULL: none does. */
const char *lt__script_op_name(const struct lt_script_language *, enum lt_opcode);
/* Adds what a call says, such as "SoftmaxNode($0, 1)": $0 $1 .. are the n operands.  -1: it is refused; the context has
 * no sentence for a reader then. */
lt_node lt__script_build(const struct lt_script_language *, struct lt_graph *, int32_t n, const lt_node *operand,
	const char *text, size_t bytes);
#endif
