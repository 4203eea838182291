/* described.c -- the description of a call as forms are read off it. */
#include <string.h>
#include "backends/cudnn/described.h"
#include "kernel/form/form.h"

static bool is_free_op(const struct lt_cudnn_described *x, int32_t op)
{
	const struct lt_op *is = described_operator(x, op);
	const bool wider = cudnn_is_half(is->in[0]) && is->out == LT_F32;
	return described_op(x, op)->kind == LT_CALL_CAST ? described_op(x, op)->may_skip || wider
		: described_is_map(x, op, LT_OPCODE_copy);
}

const struct lt_call_value *lt__described_behind(const struct lt_cudnn_described *x, const struct lt_call_value *v)
{
	while (v->kind == LT_VALUE_OP && is_free_op(x, v->at))
		v = described_value(x, v->at, 0);
	return v;
}

int32_t lt__described_op_behind(const struct lt_cudnn_described *x, int32_t op, int32_t v)
{
	const struct lt_call_value *value = lt__described_behind(x, described_value(x, op, v));
	return value->kind == LT_VALUE_OP ? value->at : -1;
}

bool lt__described_number(const struct lt_cudnn_described *x, const struct lt_call_value *v, double *out)
{
	v = lt__described_behind(x, v);
	if (v->kind != LT_VALUE_BITS || !lt__number_is_float(v->dtype))
		return false;
	*out = lt__number_of_bits(v->bits, v->dtype).f;
	return true;
}

/* The divisor of a division, either operand of what is symmetric. */
const struct lt_call_value *lt__described_takes_number(
	const struct lt_cudnn_described *x, int32_t op, uint32_t opcode, double *out)
{
	if (!described_is_map(x, op, opcode))
		return NULL;
	if (lt__described_number(x, described_value(x, op, 1), out))
		return described_value(x, op, 0);
	const bool symmetric = opcode == LT_OPCODE_add || opcode == LT_OPCODE_mul;
	return symmetric && lt__described_number(x, described_value(x, op, 0), out) ? described_value(x, op, 1) : NULL;
}

/* Ops are in data order. */
bool lt__described_leads_to(const struct lt_cudnn_described *x, int32_t op, const struct lt_call_value *v)
{
	if (v->kind != LT_VALUE_OP || v->at < op)
		return false;
	bool leads = v->at == op;
	for (int32_t i = 0; i < described_op(x, v->at)->n_value && !leads; i++)
		leads = lt__described_leads_to(x, op, described_value(x, v->at, i));
	return leads;
}

int32_t lt__described_written(const struct lt_cudnn_described *x)
{
	const int32_t op = described_result(x, 0)->op;
	return described_op(x, op)->kind == LT_CALL_CAST || is_free_op(x, op) ? lt__described_op_behind(x, op, 0) : op;
}

const int64_t *lt__described_strides(const struct lt_cudnn_described *x, int32_t read)
{
	return read < 0 ? NULL : x->t->strides + described_read(x, read)->first_stride;
}

bool lt__described_merge(const struct lt_cudnn_described *x, uint64_t set, const struct lt_cudnn_laid *in, int by,
	struct lt_cudnn_merged *out)
{
	*out = (struct lt_cudnn_merged){ .extent = 1 };
	while (set) {
		int32_t inner = -1;
		for (int32_t a = 0; a < x->c->n_axis; a++)
			if (set >> a & 1 && (inner < 0 || in->stride[by][a] < in->stride[by][inner]))
				inner = a;
		set &= ~(UINT64_C(1) << inner);
		for (int i = 0; i < in->n; i++) {
			const int64_t stride = in->stride[i] ? in->stride[i][inner] : 0;
			if (out->extent > 1 && stride != out->stride[i] * out->extent)
				return false;
			out->stride[i] = out->extent > 1 ? out->stride[i] : stride;
		}
		out->extent *= described_axis(x, inner)->extent;
	}
	return true;
}

bool lt__described_axes(struct lt_cudnn_described *x, uint64_t *out)
{
	*out = 0;
	for (int32_t a = 0; a < x->c->n_axis; a++) {
		const struct lt_call_dim *d = described_axis(x, a);
		if (d->n_bound)
			return described_refuse(x, "how many there are of %s differs", d->var ? d->var : "?");
		*out |= d->extent > 1 ? UINT64_C(1) << a : 0;
	}
	return true;
}

bool lt__described_same_types(struct lt_cudnn_described *x, const int32_t *read, int n)
{
	const uint32_t dtype = described_dtype(x, described_result(x, 0)->buffer);
	if (dtype != LT_F32 && !cudnn_is_half(dtype))
		return described_refuse(x, "it computes float32, float16 and bfloat16");
	for (int i = 0; i < n; i++) {
		const struct lt_call_read *r = read[i] < 0 ? NULL : described_read(x, read[i]);
		if (r && described_dtype(x, r->buffer) != dtype)
			return described_refuse(x, "what it reads and writes is not of one type; cast outside");
		if (r && r->n_guard)
			return described_refuse(x, "what it reads has borders; copy it outside");
	}
	return true;
}

int32_t lt__cudnn_put_tensor(struct lt_cudnn_form *f, const struct lt_cudnn_tensor *t)
{
	f->tensor[f->n_tensor] = *t;
	return f->n_tensor++;
}

int32_t lt__cudnn_put_node(
	struct lt_cudnn_form *f, int32_t kind, int32_t mode, const int32_t *in, int32_t n, int32_t out)
{
	struct lt_cudnn_node *node = &f->node[f->n_node++];
	*node = (struct lt_cudnn_node){ .kind = kind, .mode = mode, .n_in = n, .out = out };
	memcpy(node->in, in, (size_t)n * sizeof *in);
	return out;
}
