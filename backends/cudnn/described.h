/* described.h -- the description of a call (lt/tree.h), as forms are read off it: its parts by their numbers, what is
 * behind a cast, axes that count as one. */
#ifndef LT_CUDNN_DESCRIBED_H
#define LT_CUDNN_DESCRIBED_H
#include "backends/cudnn/cudnn.h"

struct lt_cudnn_described {
	const struct lt_tree *t;
	const struct lt_call *c;
	const struct lt_call_anchor *a;
	struct lt_cudnn_form *f;
	char *why;                      /* of a refusal: a sentence without its end */
	size_t bytes;
};
/* Tensors in which axes lie, by their strides along the axes of the call; NULL: it is not there. */
enum { LT_CUDNN_LAID = 24 };
struct lt_cudnn_laid { int n; const int64_t *stride[LT_CUDNN_LAID]; };
/* Axes that count as one: its extent, and its stride in each. */
struct lt_cudnn_merged { int64_t extent, stride[LT_CUDNN_LAID]; };

/* false, with a sentence. */
#define described_refuse(x, ...) ((void)snprintf((x)->why, (x)->bytes, __VA_ARGS__), false)
static inline const struct lt_call_op *described_op(const struct lt_cudnn_described *x, int32_t i)
{
	return LT_AT(struct lt_call_op, x->t->call_ops, x->c->first_op + i);
}
static inline const struct lt_op *described_operator(const struct lt_cudnn_described *x, int32_t i)
{
	return LT_AT(struct lt_op, x->t->ops, described_op(x, i)->op);
}
static inline const struct lt_call_value *described_value(const struct lt_cudnn_described *x, int32_t op, int32_t v)
{
	return LT_AT(struct lt_call_value, x->t->call_values, described_op(x, op)->first_value + v);
}
static inline const struct lt_call_read *described_read(const struct lt_cudnn_described *x, int32_t i)
{
	return LT_AT(struct lt_call_read, x->t->call_reads, x->c->first_read + i);
}
static inline const struct lt_call_dim *described_axis(const struct lt_cudnn_described *x, int32_t i)
{
	return LT_AT(struct lt_call_dim, x->t->call_dims, x->c->first_axis + i);
}
static inline const struct lt_call_result *described_result(const struct lt_cudnn_described *x, int32_t i)
{
	return LT_AT(struct lt_call_result, x->t->call_results, x->c->first_result + i);
}
static inline uint32_t described_dtype(const struct lt_cudnn_described *x, int32_t buffer)
{
	return LT_AT(struct lt_type, x->t->types, LT_AT(struct lt_buffer, x->t->buffers, buffer)->type)->dtype;
}
static inline bool cudnn_is_half(uint32_t dtype) { return dtype == LT_F16 || dtype == LT_BF16; }
static inline bool described_is_map(const struct lt_cudnn_described *x, int32_t op, uint32_t opcode)
{
	return op >= 0 && described_op(x, op)->kind == LT_CALL_MAP && described_operator(x, op)->opcode == opcode;
}

/* described.c
 * behind: a value without the casts that change none, or may be left out, and without copies.  op_behind: the op that
 * makes an op's value, in this way; -1: none.  number: whether it is one, and which.  takes_number: the other value of
 * an operator of two, one of which is a number; NULL.
 * leads_to: whether a value is an op's, or is made of that.
 * merge: axes of the set as one, the outermost of the tensor `by` first; false: they do not go on in each other. */
const struct lt_call_value *lt__described_behind(const struct lt_cudnn_described *, const struct lt_call_value *);
int32_t lt__described_op_behind(const struct lt_cudnn_described *, int32_t op, int32_t v);
bool lt__described_number(const struct lt_cudnn_described *, const struct lt_call_value *, double *);
const struct lt_call_value *lt__described_takes_number(
	const struct lt_cudnn_described *, int32_t op, uint32_t opcode, double *);
bool lt__described_leads_to(const struct lt_cudnn_described *, int32_t op, const struct lt_call_value *);
/* The op whose value the call writes, casts to the type of the result left out; -1: it is none. */
int32_t lt__described_written(const struct lt_cudnn_described *);
const int64_t *lt__described_strides(const struct lt_cudnn_described *, int32_t read);
bool lt__described_merge(
	const struct lt_cudnn_described *, uint64_t set, const struct lt_cudnn_laid *, int by, struct lt_cudnn_merged *);
/* Axes with more than one position; false: how many there are of one differs from run to run. */
bool lt__described_axes(struct lt_cudnn_described *, uint64_t *);
/* Whether reads (-1: not there) and the result have one type that forms have, and no borders. */
bool lt__described_same_types(struct lt_cudnn_described *, const int32_t *read, int n);
/* Into the form: they give the number of the tensor, of the node's result. */
int32_t lt__cudnn_put_tensor(struct lt_cudnn_form *, const struct lt_cudnn_tensor *);
int32_t lt__cudnn_put_node(
	struct lt_cudnn_form *, int32_t kind, int32_t mode, const int32_t *in, int32_t n, int32_t out);

/* norm.c, attention.c: into x->f; false: refused. */
bool lt__cudnn_norm(struct lt_cudnn_described *);
bool lt__cudnn_attention(struct lt_cudnn_described *);
#endif
