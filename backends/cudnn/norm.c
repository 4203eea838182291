/* norm.c -- a call as a layer norm or an RMS norm: y = (x - mean) / sqrt(variance + epsilon) * scale + bias over the
 * innermost elements of rows; without a mean it is the RMS norm.
 *
 * The library computes this as a whole, so that everything in the call has to be a part of it.  It wants a scale, and a
 * bias behind a mean: ones and zeros of the session's where the call has none.
 */
#include <string.h>
#include "backends/cudnn/described.h"

enum norm_part { NORM_X, NORM_Y, NORM_SCALE, NORM_BIAS, NORM_PARTS };
struct cudnn_norm {
	struct lt_cudnn_described *d;
	int32_t read[NORM_PARTS];       /* -1: none, or the result */
	int64_t deep;                   /* elements of a row */
	double epsilon;
};

static bool refuse_op(const struct cudnn_norm *n, int32_t op, const char *what)
{
	return described_refuse(n->d, "%s is not what a norm is made of: %s", described_operator(n->d, op)->name, what);
}

/* total / n, or total times that number of float32 which is 1/n. */
static bool is_mean_of(const struct cudnn_norm *n, int32_t op, int32_t total)
{
	double by = 0;
	const struct lt_call_value *v = lt__described_takes_number(n->d, op, LT_OPCODE_div, &by);
	bool same = v && by == (double)n->deep;
	if (!v) {
		v = lt__described_takes_number(n->d, op, LT_OPCODE_mul, &by);
		same = v && by == (double)(float)(1 / (double)n->deep);
	}
	if (!same)
		return false;
	v = lt__described_behind(n->d, v);
	return v->kind == LT_VALUE_OP && v->at == total;
}

/* variance + epsilon */
static bool take_variance(struct cudnn_norm *n, int32_t op)
{
	const struct lt_call_value *v = lt__described_takes_number(n->d, op, LT_OPCODE_add, &n->epsilon);
	if (v) {
		v = lt__described_behind(n->d, v);
		op = v->kind == LT_VALUE_OP ? v->at : -1;
	}
	return op >= 0 && is_mean_of(n, op, n->d->a->op[1]);
}

/* sqrt(variance + epsilon); inverse: 1 over that. */
static bool take_deviation(struct cudnn_norm *n, int32_t op, bool inverse)
{
	const struct lt_cudnn_described *d = n->d;
	double number = 0;
	if (op < 0)
		return false;
	if (described_is_map(d, op, LT_OPCODE_pow))
		return lt__described_number(d, described_value(d, op, 1), &number) && number == (inverse ? -0.5 : 0.5)
			&& take_variance(n, lt__described_op_behind(d, op, 0));
	if (described_is_map(d, op, inverse ? LT_OPCODE_rsqrt : LT_OPCODE_sqrt))
		return take_variance(n, lt__described_op_behind(d, op, 0));
	if (!inverse)
		return false;
	if (described_is_map(d, op, LT_OPCODE_reciprocal))
		return take_deviation(n, lt__described_op_behind(d, op, 0), false);
	return described_is_map(d, op, LT_OPCODE_div) && lt__described_number(d, described_value(d, op, 0), &number)
		&& number == 1 && take_deviation(n, lt__described_op_behind(d, op, 1), false);
}

/* What is squared: x, or x less the mean. */
static bool is_centered(const struct cudnn_norm *n, const struct lt_call_value *v)
{
	const struct lt_cudnn_described *d = n->d;
	const int32_t square = lt__described_op_behind(d, d->a->op[1], 0);
	const struct lt_call_value *is = lt__described_behind(d, described_value(d, square, 0));
	v = lt__described_behind(d, v);
	return v->kind == is->kind && v->at == is->at;
}

/* A quotient, or a product with the inverse. */
static bool take_quotient(struct cudnn_norm *n, int32_t op)
{
	const struct lt_cudnn_described *d = n->d;
	if (described_is_map(d, op, LT_OPCODE_div))
		return is_centered(n, described_value(d, op, 0)) && take_deviation(n, lt__described_op_behind(d, op, 1), false);
	for (int32_t v = 0; v < 2 && described_is_map(d, op, LT_OPCODE_mul); v++)
		if (is_centered(n, described_value(d, op, v)) && take_deviation(n, lt__described_op_behind(d, op, 1 - v), true))
			return true;
	return false;
}

/* Backwards from the result: the bias, the scale.  Gives what is left. */
static int32_t take_behind(struct cudnn_norm *n, int32_t op, uint32_t opcode, enum norm_part part)
{
	const struct lt_cudnn_described *d = n->d;
	for (int32_t v = 0; v < 2 && described_is_map(d, op, opcode); v++) {
		const struct lt_call_value *read = lt__described_behind(d, described_value(d, op, v));
		const int32_t rest = lt__described_op_behind(d, op, 1 - v);
		if (read->kind != LT_VALUE_READ || read->at == n->read[NORM_X] || rest < 0)
			continue;
		n->read[part] = read->at;
		return rest;
	}
	return op;
}

static bool take_sums(struct cudnn_norm *n)
{
	const struct lt_cudnn_described *d = n->d;
	for (int i = 0; i < 2; i++)
		if (d->a->op[i] >= 0 && described_operator(d, d->a->op[i])->out != LT_F32)
			return described_refuse(n->d, "it adds in float32 alone");
	if (d->a->op[0] < 0)
		return true;
	const int32_t square = lt__described_op_behind(d, d->a->op[1], 0), centered = lt__described_op_behind(d, square, 0);
	return is_mean_of(n, lt__described_op_behind(d, centered, 1), d->a->op[0])
		|| described_refuse(n->d, "what it subtracts is not the mean of the %lld elements of a row", (long long)n->deep);
}

static bool take_ops(struct cudnn_norm *n)
{
	int32_t op = lt__described_written(n->d);
	if (!take_sums(n))
		return false;
	if (op >= 0 && !take_quotient(n, op)) {
		op = take_behind(n, op, LT_OPCODE_add, NORM_BIAS);
		op = take_quotient(n, op) ? op : take_behind(n, op, LT_OPCODE_mul, NORM_SCALE);
	}
	if (op < 0 || !take_quotient(n, op))
		return op < 0 ? described_refuse(n->d, "its result is not that of the norm")
			: refuse_op(n, op, "a quotient by the root of variance + epsilon, times a scale, plus a bias");
	if (n->read[NORM_BIAS] >= 0 && n->d->a->op[0] < 0)
		return described_refuse(n->d, "a bias is behind a norm without a mean; compute it outside");
	return true;
}

static struct lt_cudnn_tensor tensor_of(const struct cudnn_norm *n, enum norm_part part,
	const struct lt_cudnn_merged *rows, const struct lt_cudnn_merged *deep)
{
	const struct lt_cudnn_described *d = n->d;
	const int64_t row_n = part <= NORM_Y ? rows->extent : 1, row = row_n > 1 ? rows->stride[part] : deep->extent;
	return (struct lt_cudnn_tensor){
		.operand = part == NORM_Y ? 0 : n->read[part] >= 0 ? d->c->n_result + n->read[part]
			: part == NORM_SCALE ? LT_CUDNN_ONES : LT_CUDNN_ZEROS,
		.dtype = described_dtype(d, described_result(d, 0)->buffer), .n_dim = 4,
		.dim = { row_n, deep->extent, 1, 1 }, .stride = { row, 1, deep->extent, deep->extent } };
}

static bool put_tensors(struct cudnn_norm *n)
{
	struct lt_cudnn_described *d = n->d;
	struct lt_cudnn_laid laid = { .n = NORM_PARTS };
	struct lt_cudnn_merged rows, deep;
	uint64_t all;
	int32_t in[4], n_in = 0;
	if (!lt__described_axes(d, &all))
		return false;
	const uint64_t reduced = described_op(d, d->a->op[1])->reduced;
	for (int i = 0; i < NORM_PARTS; i++)
		laid.stride[i] = i == NORM_Y ? d->t->strides + described_result(d, 0)->first_stride
			: lt__described_strides(d, n->read[i]);
	for (int i = NORM_SCALE; i <= NORM_BIAS; i++)
		for (int32_t a = 0; a < d->c->n_axis && n->read[i] >= 0; a++)
			if (all >> a & 1 && (laid.stride[i][a] != 0) != (reduced >> a & 1))
				return described_refuse(d, "its %s has not one value for each element of a row",
					i == NORM_SCALE ? "scale" : "bias");
	if (!lt__described_merge(d, all & ~reduced, &laid, NORM_Y, &rows)
		|| !lt__described_merge(d, all & reduced, &laid, NORM_X, &deep))
		return described_refuse(d, "its rows are several axes that do not go on in each other; copy it outside");
	for (int i = 0; i < NORM_PARTS; i++)
		if (laid.stride[i] && deep.extent > 1 && deep.stride[i] != 1)
			return described_refuse(d, "elements of a row do not lie side by side; copy it outside");
	for (int i = NORM_X; i <= NORM_Y; i++)
		if (rows.extent > 1 && rows.stride[i] < deep.extent)
			return described_refuse(d, "rows overlap, or are read backwards; copy it outside");
	for (int part = NORM_X; part < NORM_PARTS; part++) {
		const struct lt_cudnn_tensor t = tensor_of(n, (enum norm_part)part, &rows, &deep);
		if (part != NORM_Y && (part != NORM_BIAS || d->a->op[0] >= 0))
			in[n_in++] = lt__cudnn_put_tensor(d->f, &t);
	}
	const struct lt_cudnn_tensor epsilon = { .operand = LT_CUDNN_NUMBER, .dtype = LT_F32, .n_dim = 4,
		.dim = { 1, 1, 1, 1 }, .stride = { 1, 1, 1, 1 }, .number = n->epsilon };
	const struct lt_cudnn_tensor y = tensor_of(n, NORM_Y, &rows, &deep);
	in[n_in++] = lt__cudnn_put_tensor(d->f, &epsilon);
	(void)lt__cudnn_put_node(d->f, LT_CUDNN_NORM, d->a->op[0] >= 0 ? CUDNN_LAYER_NORM : CUDNN_RMS_NORM, in, n_in,
		lt__cudnn_put_tensor(d->f, &y));
	return true;
}

bool lt__cudnn_norm(struct lt_cudnn_described *d)
{
	struct cudnn_norm n = { .d = d, .read = { d->a->read[0], -1, -1, -1 }, .deep = 1 };
	for (int32_t a = 0; a < d->c->n_axis; a++)
		if (described_op(d, d->a->op[1])->reduced >> a & 1)
			n.deep *= described_axis(d, a)->extent;
	return take_ops(&n) && lt__described_same_types(d, n.read, NORM_PARTS) && put_tensors(&n);
}
