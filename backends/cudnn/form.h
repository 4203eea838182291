/* form.h -- a convolution or a product on its way to a form: form.c says where its operands lie, chain.c what is
 * computed of them. */
#ifndef LT_CUDNN_FORM_H
#define LT_CUDNN_FORM_H
#include <stdarg.h>
#include "backends/cudnn/cudnn.h"

enum { LT_CUDNN_AXES = 64, LT_CUDNN_OPS = 128, LT_CUDNN_LANES = 24 };
/* Which dims a value has: those of the result, those of the left factor (the image), those of the right one (the
 * filters). */
enum cudnn_region { CUDNN_BEHIND, CUDNN_LEFT, CUDNN_RIGHT, CUDNN_REGIONS };
struct cudnn_forming {
	const struct lt_tree *t;
	const struct lt_call *c;
	const struct lt_call_anchor *a;
	struct lt_cudnn_form *f;
	const uint64_t *room;           /* see lt__cudnn_form */
	bool tf32;
	bool matrices;                  /* a product is a product, and no convolution with windows of one element */
	bool turned;                    /* of a product: its left factor is the right one, its rows are columns */
	int32_t image, filters;         /* reads, of a convolution */
	int32_t left;                   /* which operand of the product is the left factor */
	/* Each read, then each result: with the dims of its region, one element along those that it does not have.
	 * region -1: nothing reads it. */
	int32_t n_lane, n_dim, region[LT_CUDNN_LANES], op_region[LT_CUDNN_OPS];
	struct lt_cudnn_tensor lane[LT_CUDNN_LANES];
	int64_t full[CUDNN_REGIONS][LT_CUDNN_DIMS];     /* how many there are along the dims of a region */
	char *why;
	size_t bytes;
};

static inline const struct lt_call_op *forming_op(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_op, x->t->call_ops, x->c->first_op + i);
}
static inline const struct lt_op *forming_operator(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_op, x->t->ops, forming_op(x, i)->op);
}
static inline const struct lt_call_value *forming_value(const struct cudnn_forming *x, int32_t op, int32_t v)
{
	return LT_AT(struct lt_call_value, x->t->call_values, forming_op(x, op)->first_value + v);
}
static inline const struct lt_call_read *forming_read(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_read, x->t->call_reads, x->c->first_read + i);
}
static inline const struct lt_call_result *forming_result(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_result, x->t->call_results, x->c->first_result + i);
}
static inline uint32_t forming_dtype(const struct cudnn_forming *x, int32_t buffer)
{
	return LT_AT(struct lt_type, x->t->types, LT_AT(struct lt_buffer, x->t->buffers, buffer)->type)->dtype;
}
static inline bool cudnn_is_half(uint32_t dtype) { return dtype == LT_F16 || dtype == LT_BF16; }

/* A cast that changes no value, or may be left out; a copy. */
static inline bool cudnn_is_free(const struct cudnn_forming *x, int32_t op)
{
	const struct lt_op *is = forming_operator(x, op);
	return forming_op(x, op)->kind == LT_CALL_CAST
		? forming_op(x, op)->may_skip || (cudnn_is_half(is->in[0]) && is->out == LT_F32)
		: forming_op(x, op)->kind == LT_CALL_MAP && is->opcode == LT_OPCODE_copy;
}
static inline const struct lt_call_value *cudnn_behind_casts(
	const struct cudnn_forming *x, const struct lt_call_value *v)
{
	while (v->kind == LT_VALUE_OP && cudnn_is_free(x, v->at))
		v = forming_value(x, v->at, 0);
	return v;
}
/* false */
__attribute__((format(printf, 2, 3))) static inline bool cudnn_refuse(struct cudnn_forming *x, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(x->why, x->bytes, format, args);
	va_end(args);
	return false;
}
/* chain.c: the graphs of the form, of lanes whose places are known. */
bool lt__cudnn_chain(struct cudnn_forming *);
#endif
