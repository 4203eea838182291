/* emit.h -- nodes of the graphs that are made of a plan; included by ir/quant/ only. */
#ifndef LT_IR_QUANT_EMIT_H
#define LT_IR_QUANT_EMIT_H
#include "ir/node/node.h"
#include "ir/quant/parts.h"

struct quant_emission {
	const struct lt_quant *q;
	struct lt_graph *out;
	struct lt_arena *scratch;
	lt_var sample;                  /* the first dim of what depends on an input; -1: there is none */
	lt_node *to;                    /* by node: what readers read; -1: nothing yet */
};
typedef lt_status quant_emission_body(struct quant_emission *, void *user);

/* Runs the body over a graph with the vars of the plan's, and a var of so many samples unless that is 0. */
lt_status lt__quant_emission_run(const struct lt_quant *, int64_t samples, quant_emission_body *, void *user,
	struct lt_graph **out);
/* Whether what stands for node x has the samples' dim. */
bool lt__quant_has_sample(const struct quant_emission *, lt_node x);
/* Node x of the plan's graph with other operands, of another type; fill: of views.  LT_NONE: it failed. */
lt_node lt__quant_emit_like(struct quant_emission *, lt_node x, enum lt_dtype, const lt_node *operand, uint64_t fill);
/* An operator between values of x's dims. */
lt_node lt__quant_emit_op(struct quant_emission *, lt_node x, enum lt_opcode, lt_node a, lt_node b);
/* a where the bool is true, else b: a value in the place of x. */
lt_node lt__quant_emit_select(struct quant_emission *, lt_node x, lt_node which, lt_node a, lt_node b);
/* y with the dims of x, which it lacks where x broadcasts or turns its operand: itself, or a copy. */
lt_node lt__quant_emit_spread(struct quant_emission *, lt_node x, lt_node y);
/* One number in all places of x. */
lt_node lt__quant_emit_number(struct quant_emission *, lt_node x, enum lt_dtype, union lt_scalar);
lt_node lt__quant_emit_cast(struct quant_emission *, lt_node, enum lt_dtype);
/* An input (of no dims where like is LT_NONE) or a constant in the shape of node `like`. */
lt_node lt__quant_emit_source(struct quant_emission *, enum lt_opcode, const char *label, enum lt_dtype, lt_node like,
	bool sampled,
	const void *content);
/* Copies a node that no integers stand for. */
lt_node lt__quant_emit_kept(struct quant_emission *, lt_node x);
/* The views between a constant that no view is and the operand that shows it; base stands for the constant. */
lt_node lt__quant_emit_views(struct quant_emission *, lt_node x, lt_node base, enum lt_dtype, uint64_t lowest);
/* result.c: a name for a constant in the place of x, which no other has. */
const char *lt__quant_emit_label(struct quant_emission *, lt_node x);
/* The integers of a constant that is multiplied, with their note. */
lt_node lt__quant_emit_weight(struct quant_emission *e, const struct lt_quant_format *,
	const struct lt_quant_derived *, int32_t cell);
/* A number for each channel of it; these by the dim that they are of sum x. */
lt_node lt__quant_emit_channels(struct quant_emission *, int32_t cell, const char *what, enum lt_dtype,
	const void *content);
lt_node lt__quant_emit_by_channel(struct quant_emission *, lt_node x, lt_node channels);
#endif
