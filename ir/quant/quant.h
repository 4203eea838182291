/* quant.h -- a graph of floats as a graph of integers that stand for them.
 *
 * A value is q * s, with an integer q and a step s.  Products and views of such values are exact: a product has the
 * product of the steps.  What is kept in memory and multiplied is brought to a step of its own once, rounded and
 * clamped: that is a cell.  A candidate says of each cell how many bits it has and which step.  Functions of one value
 * (tanh, exp, GELU) become tables of it.
 *
 * Steps are powers of two, so that all is brought to another step by a shift, rounded `up`, and sums are exact: both
 * sides at the finer step.  Or they are any numbers (`any`): what is brought to another step is multiplied by a number
 * below 2^31, rounded `up` at 2^31 and `away` at the shift, as lt_build_requant does; of a sum of several values those
 * that have another step than the sum are brought to that first.
 *
 *     lt__quant_plan        which nodes are cells, tables, constants
 *     lt__quant_ranges      the graph of floats that gives the values of all cells, many samples at once
 *     lt__quant_search      ONE graph for all candidates: what they differ in is inputs of it, which lt__quant_bind
 * fills     lt__quant_derive      steps, bounds and types of a candidate
 *     lt__quant_result      the graph of integers of a candidate
 *
 * The graph of the search computes in f64, where integers below 2^53 are exact whatever the order of sums is: a
 * candidate whose values could be larger is refused, so that it and the graph of integers agree bit for bit.
 * The plan and all of it belong to one context: one thread at a time.  Failures are sentences with the node's place.
 */
#ifndef LT_IR_QUANT_QUANT_H
#define LT_IR_QUANT_QUANT_H
#include "ir/graph/graph.h"

/* Steps of a recurrent layer or a repeat are known for the same where each has at most so many nodes (like.c), and made
 * one loop where each has at most so many launches (program/plan/rounds.c). */
enum { LT_MAX_PERIOD = 512 };

/* Bits of an index of a table, of both sides of a quotient, of what is multiplied by a constant but not summed up, of a
 * result, of all else, and of constants of which a byte has two. */
enum { LT_QUANT_TABLE_BITS = 11, LT_QUANT_QUOTIENT_BITS = 24, LT_QUANT_FACTOR_BITS = 34, LT_QUANT_RESULT_BITS = 32,
	LT_QUANT_MAX_BITS = 16, LT_QUANT_PACKED_BITS = 4 };

/* STATIC: all is integers.  WEIGHTS: floats are computed with, constants of sums of products are kept as integers.
 * DYNAMIC: sums of products with such constants are of integers, what they are multiplied by has the step of a run. */
enum lt_quant_mode { LT_QUANT_STATIC, LT_QUANT_WEIGHTS, LT_QUANT_DYNAMIC };
enum lt_quant_cell_kind {
	LT_QUANT_INPUT,         /* an input of floats */
	LT_QUANT_WEIGHT,        /* a constant that is multiplied */
	LT_QUANT_VALUE,         /* a value that is multiplied, or asks a table */
	LT_QUANT_TABLE,         /* what a table gives */
	LT_QUANT_QUOTIENT,      /* of two values */
	LT_QUANT_WIDE           /* rounded only where it would have more bits than `bits` */
};
struct lt_quant_cell {
	enum lt_quant_cell_kind kind;
	lt_node node;
	const char *name;       /* of the node */
	int32_t bits;           /* at most; of a WIDE one: always */
	int64_t elems;          /* of one evaluation */
	bool index;             /* a table is asked by it */
	int32_t like;           /* the first cell that has its format, itself: rounds of a recurrent layer have one */
	/* Set by the caller from data, of a WEIGHT by lt__quant_plan: the least and greatest value. */
	double low, high;
	/* Likewise, of an index: minus infinity was there, too, as a mask makes it; the least number stands for it alone. */
	bool lowest;
	const double *content;  /* of a WEIGHT: elems numbers */
	/* Of a WEIGHT whose sums have a dim for each of its numbers along `axis`: how many channels that are, and of how many
	 * numbers each is before the next one's; the largest sum of a channel's numbers without their signs.  channels 0:
	 * there is one step for all. */
	int32_t axis;
	int64_t channels, inner;
	double most;
	/* Of a WEIGHT of 4 bits: along which axis neighbours are in a byte, that of channels if it has one, else the last; how
	 * many bytes that are; 0: there is no axis left for that. */
	int32_t pairs;
	int64_t packed;
	bool sums;              /* of a WEIGHT: sums of products alone read its integers, or, not STATIC, gathers, too */
	const char *result;     /* its name as a result of lt__quant_ranges; NULL: a WEIGHT, or that has not been called */
};
/* bits: 2 to 16; scale: the step, of `channel` the finest.  channel: by how much the step of each channel is above
 * that, 1 or more; NULL: all have that.  Cells that are alike have the same. */
struct lt_quant_format { int32_t bits; double scale; const double *channel; };

struct lt_quant {
	const struct lt_graph *graph;   /* borrowed */
	enum lt_quant_mode mode;
	bool any;                       /* steps are any numbers, not powers of two */
	struct lt_arena *arena;
	const void *const *source;
	const char *own;                /* what names of inputs and results begin with that are not the graph's */
	struct lt_quant_cell *cell;
	int32_t n_cell, cap_cell;
	struct lt_quant_node *node;     /* by node of the graph (parts.h) */
	int32_t *operand_at;            /* by node: where its operands begin among those of all nodes; n_node + 1 */
};
/* source: the content of each constant, by node, as of lt_eval; borrowed until lt__quant_free. */
lt_status lt__quant_plan(const struct lt_graph *, const void *const *source, enum lt_quant_mode, bool any,
	struct lt_quant **out);
/* Looks for channels, before anything else: formats may have steps of these then. */
lt_status lt__quant_find_channels(struct lt_quant *);
/* Along which axes constants of 4 bits have two numbers in a byte; without it they are not packed. */
lt_status lt__quant_find_pairs(struct lt_quant *);
void lt__quant_free(struct lt_quant *);         /* NULL: nothing */
/* Once `low`, `high` and `lowest` are set: cells of one format have those of all of them. */
void lt__quant_join(struct lt_quant *);
/* The finest step at which the values low .. high of a cell fit into so many bits; that of a channel of it. */
double lt__quant_scale(const struct lt_quant *, const struct lt_quant_cell *, int32_t bits);
double lt__quant_channel_scale(const struct lt_quant *, const struct lt_quant_cell *, int32_t bits, double low,
	double high);
/* What a step may be: of any numbers, those of float32. */
double lt__quant_step(const struct lt_quant *, double);
/* What a cell holds in a format: q from least to most. */
struct lt_quant_range { int64_t least, most; };
struct lt_quant_range lt__quant_range(const struct lt_quant_cell *, struct lt_quant_format);
/* Whether the integers of a WEIGHT lie two in a byte; the bytes of a cell of some type. */
bool lt__quant_is_packed(const struct lt_quant_cell *, struct lt_quant_format);
int64_t lt__quant_bytes(const struct lt_quant_cell *, struct lt_quant_format, enum lt_dtype);
/* x as a cell keeps it: the integer. */
int64_t lt__quant_round(double x, double scale, struct lt_quant_range);
/* Which channel number i of a WEIGHT is of, and its step. */
int64_t lt__quant_channel(const struct lt_quant_cell *, int64_t i);
double lt__quant_scale_at(const struct lt_quant_cell *, struct lt_quant_format, int64_t i);
double lt__quant_step_of(struct lt_quant_format, int64_t channel);

/* Integers at another step: x / 2^down, rounded up, times by / 2^31, rounded up, divided by 2^shift, rounded away from
 * 0 (lt_requant's MULTIPLIER; shift < 0: moved up before).  by 0: as it is. */
struct lt_quant_move { int32_t down, by, shift; };
/* What a candidate makes of the graph. */
struct lt_quant_derived {
	struct lt_quant_at *at;         /* by node (parts.h) */
	/* by operand (lt_quant.operand_at): bits that it is moved up by; how it is brought to the step of the node; of a
	 * constant that is no factor, the step */
	int32_t *up;
	struct lt_quant_move *move;
	double *follow;
	/* by cell: the step, which is not finer than that of what is stored; the type; bytes of weights and tables */
	double *scale;
	enum lt_dtype *type;
	int64_t *least, *most;
	int64_t flash, ram;             /* bytes of constants; of the cells that are alive at once, at most */
	lt_node wide;                   /* a node whose numbers could be too large; LT_NONE: there is none */
};
/* Memory is of the arena. */
lt_status lt__quant_derive(const struct lt_quant *, const struct lt_quant_format *, struct lt_arena *,
	struct lt_quant_derived *out);

/* Inputs and results are those of the graph, with `samples` evaluations on a first axis each; then the cells, as
 * results whose names they get. */
lt_status lt__quant_ranges(struct lt_quant *, int64_t samples, struct lt_graph **out);
/* Inputs as the graph's, of its types, then a candidate's; results as the graph's, integers in f64.
 * What any steps are brought to another one by is computed in i64. */
lt_status lt__quant_search(const struct lt_quant *, int64_t samples, struct lt_graph **out);
/* What input `name` of that graph is for a candidate; NULL: it is an input of the model.  Memory is of the arena. */
lt_status lt__quant_bind(const struct lt_quant *, const struct lt_quant_format *, const struct lt_quant_derived *,
	struct lt_arena *, const char *name, const void **out);
/* The graph of integers, with the contents of its constants; it holds them. */
lt_status lt__quant_result(const struct lt_quant *, const struct lt_quant_format *, const struct lt_quant_derived *,
	struct lt_graph **out);
/* Not STATIC: the graph of floats, with the contents of its constants; samples 0: without an axis of them.  format
 * NULL: that of all candidates, whose integers and steps are inputs, which lt__quant_bind fills. */
lt_status lt__quant_floats(const struct lt_quant *, int64_t samples, const struct lt_quant_format *format,
	const struct lt_quant_derived *, struct lt_graph **out);
/* Whether a constant of that graph has the numbers of floats: the graph's own, or what was computed of these. */
bool lt__quant_is_kept(const struct lt_quant *, const void *content);
/* What is brought to another step of any: number i of the operands of node x, the sum of channel LT_QUANT_CHANNEL - i,
 * what its cell keeps.  false: none, as it is at that step, or there is no such operand or channel (`end`). */
enum { LT_QUANT_OF_CELL = -1, LT_QUANT_CHANNEL = -2 };
struct lt_quant_moved { struct lt_quant_move move; double from, to; bool end; };
bool lt__quant_moved_of(const struct lt_quant *, const struct lt_quant_derived *, lt_node x, int32_t i,
	struct lt_quant_moved *out);
/* What a sum is between in a candidate; false: the node is no sum of floats. */
bool lt__quant_sum(const struct lt_quant *, const struct lt_quant_derived *, lt_node, int64_t *least, int64_t *most);
/* The step of result i of the graph; false: it is not a float, or stays one. */
bool lt__quant_result_scale(const struct lt_quant *, const struct lt_quant_derived *, int32_t i, double *scale);
#endif
