/* reference.c -- what a call computes by its description, element by element in double: what plans are judged by.
 *
 * It walks the description's ops and knows nothing of form.c's tensors but where each operand begins, so that a
 * convolution that was understood wrongly is seen, too.  What the library leaves out, roundings between ops, is left
 * out.
 */
#include <math.h>
#include "backends/cudnn/cudnn.h"

struct cudnn_reference {
	const struct lt_tree *t;
	const struct lt_call *c;
	const struct lt_call_anchor *a;
	const struct lt_cudnn_sample *s;
	int64_t *at;                    /* by axis */
	double left, right, added;      /* sums of squares of the factors; of what is added, without a sign */
	bool good;
};

static const struct lt_call_op *op_at(const struct cudnn_reference *r, int32_t i)
{
	return LT_AT(struct lt_call_op, r->t->call_ops, r->c->first_op + i);
}
static int64_t place(const struct cudnn_reference *r, int32_t first_stride)
{
	int64_t sum = 0;
	for (int32_t a = 0; a < r->c->n_axis; a++)
		sum += r->t->strides[first_stride + a] * r->at[a];
	return sum;
}

/* Guards are rows without loops and run-time scalars: a constant. */
static double read_element(struct cudnn_reference *r, int32_t i)
{
	const struct lt_call_read *x = LT_AT(struct lt_call_read, r->t->call_reads, r->c->first_read + i);
	const struct lt_cudnn_data *d = &r->s->data[r->c->n_result + i];
	for (int32_t g = 0; g < x->n_guard; g++) {
		const struct lt_call_guard *guard = LT_AT(struct lt_call_guard, r->t->call_guards, x->first_guard + g);
		const int64_t *row = r->t->rows + (int64_t)guard->row * r->t->n_column;
		for (int32_t k = 1; k < r->t->n_column; k++)
			r->good = r->good && !row[k];
		if (row[0] + place(r, guard->first_stride) < 0)
			return 0;
	}
	const int64_t element = place(r, x->first_stride) - d->offset;
	r->good = r->good && element >= 0 && element < d->elems;
	return r->good ? d->values[element % LT_CUDNN_PATTERN] : 0;
}

static double value_of(struct cudnn_reference *r, int32_t op, int32_t v);

static double sum_of(struct cudnn_reference *r, int32_t op)
{
	const struct lt_call_op *o = op_at(r, op);
	double sum = 0;
	bool more = true;
	for (int32_t a = 0; a < r->c->n_axis; a++)
		r->at[a] = o->reduced >> a & 1 ? 0 : r->at[a];
	while (more && r->good) {
		sum += value_of(r, op, 0);
		more = false;
		for (int32_t a = 0; a < r->c->n_axis && !more; a++)
			if (o->reduced >> a & 1) {
				more = ++r->at[a] < LT_AT(struct lt_call_dim, r->t->call_dims, r->c->first_axis + a)->extent;
				r->at[a] = more ? r->at[a] : 0;
			}
	}
	return sum;
}

static double op_value(struct cudnn_reference *r, int32_t op)
{
	const struct lt_call_op *o = op_at(r, op);
	if (o->kind == LT_CALL_REDUCE)
		return sum_of(r, op);
	const double x = value_of(r, op, 0);
	if (o->kind == LT_CALL_CAST)
		return x;
	const uint32_t opcode = LT_AT(struct lt_op, r->t->ops, o->op)->opcode;
	if (opcode == LT_OPCODE_copy)
		return x;
	const double y = value_of(r, op, 1);
	switch (opcode) {
	case LT_OPCODE_mul:
		r->left += op == r->a->op[1] ? x * x : 0;
		r->right += op == r->a->op[1] ? y * y : 0;
		return x * y;
	case LT_OPCODE_add:
		r->added += fabs(x) + fabs(y);
		return x + y;
	case LT_OPCODE_max: return isnan(x) || isnan(y) ? x + y : x > y ? x : y;
	default: r->good = false; return 0;
	}
}

static double value_of(struct cudnn_reference *r, int32_t op, int32_t v)
{
	const struct lt_call_value *x = LT_AT(struct lt_call_value, r->t->call_values, op_at(r, op)->first_value + v);
	switch (x->kind) {
	case LT_VALUE_OP: return op_value(r, x->at);
	case LT_VALUE_READ: return read_element(r, x->at);
	case LT_VALUE_BITS:
		r->good = r->good && !x->bits;          /* a ReLU's zero */
		return 0;
	default: r->good = false; return 0;
	}
}

bool lt__cudnn_reference(const struct lt_cudnn_sample *s, int64_t *at, struct lt_cudnn_element *out)
{
	struct cudnn_reference r = { .t = s->tree, .c = s->call, .s = s, .at = at, .good = true };
	const struct lt_call_result *to = LT_AT(struct lt_call_result, r.t->call_results, r.c->first_result);
	r.a = LT_AT(struct lt_call_anchor, r.t->call_anchors, r.c->anchor);
	out->element = place(&r, to->first_stride);
	out->value = op_value(&r, to->op);
	out->norms = sqrt(r.left) * sqrt(r.right);
	out->added = r.added;
	return r.good;
}
