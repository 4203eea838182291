/* parts.h -- what a plan knows of each node, and a candidate of it; included by ir/quant/ only. */
#ifndef LT_IR_QUANT_PARTS_H
#define LT_IR_QUANT_PARTS_H
#include "ir/quant/quant.h"

/* Numbers of the graph of the search stay below 2^52: half of one more can be added to each. */
#define QUANT_MOST (INT64_C(1) << 52)
/* What stands for minus infinity, beside values up to 2^27; beside larger ones it is QUANT_APART times as far away:
 * what is subtracted from it later, and an index that was rounded up to a power of two, do not come near it. */
#define QUANT_LOWEST (-(INT64_C(1) << 30))
enum { QUANT_APART = 8 };

enum quant_kind {
	QUANT_KEPT,             /* integers and bools: computed as they are */
	QUANT_CONST,            /* of constants alone, and of floats */
	QUANT_EXACT             /* of floats */
};
struct lt_quant_node {
	enum quant_kind kind;
	bool needed, table, hard, sampled;      /* sampled: it depends on an input */
	bool summed;                            /* of a product: a sum reads it */
	int32_t cell;                           /* where it is rounded; -1: nowhere */
	int32_t weight;                         /* the cell of a constant; -1: it is not multiplied */
	lt_node of;                             /* the value that it is a function of, element by element; itself at least */
	const double *content;                  /* of a constant that is no view of another one */
	bool uniform;                           /* all of that is one number, which is no weight of its own */
	int64_t elems;
	const void *folded;                     /* not STATIC: the same in its type, where it may be kept computed */
	double low, high;                       /* of it, without minus infinity, which it has where `lowest` says so */
	bool lowest;
	/* of a sum of products with a constant: by channel the sum of the constant's positive numbers and that of its
	 * negative ones, and how many terms there are */
	double *weigh, terms;
	int64_t channels;
	/* of such a sum whose constant has channels: their cell, -1: it has none; the dim that they are; the channel of number
	 * c of `weigh` is c / unit % (the dim's extent) */
	int32_t by_channel;
	lt_var channel;
	int64_t unit;
};
/* exact: what the node computes, before its cell rounds it; value: what readers see. */
struct quant_number { double scale; int64_t least, most; };
struct lt_quant_at {
	struct quant_number exact, value;
	/* value = exact / 2^shift, rounded, or exact that is brought to another step, between the ends of the cell */
	int32_t shift;
	struct lt_quant_move move;
	/* of a sum whose channels have any steps: what it is before these are brought to one */
	struct quant_number raw;
	const struct lt_quant_move *by_channel;
	const double *channel_scale;
	bool below, above;                      /* it could be less than the cell's least, more than its most */
	int64_t factor;                         /* of a product with one number: that, without its step */
	int64_t lowest;                         /* minus infinity of a constant beside a value */
	bool masked;                            /* minus infinity may be among its numbers */
};

/* plan.c */
/* The node whose values a view of one piece shows, itself if it is none; fills are 0 or minus infinity. */
lt_node lt__quant_source(const struct lt_graph *, lt_node);
/* Whether operand i of x is one number in all places, and which; what a gather reads is none, but for a single one. */
bool lt__quant_is_number(const struct lt_quant *, lt_node x, int32_t i, double *out);
/* Whether operand i of a node is a constant with a step of its own: a factor, a divisor, what a gather reads. */
bool lt__quant_is_factor(const struct lt_quant *, lt_node, int32_t i);

/* fold.c: which values of constants alone may be kept computed, with their numbers. */
void lt__quant_fold(struct lt_quant *);
/* Whether all numbers of it are one, bit for bit: it is a literal then, and takes no bytes. */
bool lt__quant_is_literal(const struct lt_quant *, lt_node);

/* like.c: by node, the first one that is the same of another round of a recurrent layer; itself: it is the first, or
 * there are no rounds. */
lt_node *lt__quant_like(const struct lt_quant *, struct lt_arena *);

/* channels.c: whether channels have other steps; of powers of two by how many bits a format moves the sums of a channel
 * up, and of all at most. */
bool lt__quant_has_channels(const struct lt_quant_cell *, struct lt_quant_format);
int32_t lt__quant_coarser(struct lt_quant_format, int64_t channel);
int32_t lt__quant_most_coarser(const struct lt_quant_cell *, struct lt_quant_format);

/* format.c: a number of a constant that is no factor, at a step; lowest: minus infinity. */
int64_t lt__quant_follow(double v, double scale, int64_t lowest);
enum lt_dtype lt__quant_smallest_type(int64_t least, int64_t most);
/* Beyond 2^60 it stays there. */
#define QUANT_FAR (INT64_C(1) << 60)
int64_t lt__quant_near(double);

/* derive.c: operand i of x, such a constant, in a candidate: its step, and the smallest type that has its
 * integers. */
struct quant_follow { lt_node from; double scale; int64_t lowest; enum lt_dtype type; };
/* What a move makes of one number. */
int64_t lt__quant_moved(struct lt_quant_move, int64_t);
struct quant_follow lt__quant_follow_of(const struct lt_quant *, const struct lt_quant_derived *, lt_node x, int32_t i);
bool lt__quant_same_follow(const struct quant_follow *, const struct quant_follow *);

/* table.c: f at n values of the node that it is a function of. */
lt_status lt__quant_function(const struct lt_quant *, lt_node f, int64_t n, const double *x, double *y);
/* Whether the tables of two nodes have the same numbers in a candidate: the same function at the same places. */
bool lt__quant_same_table(const struct lt_quant *, const struct lt_quant_derived *, lt_node, lt_node);
/* The table of a candidate, from the least number of the index on, QUANT_TABLE at most; in a cell's numbers. */
lt_status lt__quant_table(const struct lt_quant *, const struct lt_quant_derived *, lt_node, struct lt_arena *,
	int64_t *n,
	int64_t **out);
/* Whether all numbers of a table are one, as those of a gate times a state of zeros: there is no table then. */
bool lt__quant_is_uniform(int64_t n, const int64_t *table);
#endif
