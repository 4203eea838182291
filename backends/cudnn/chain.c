/* chain.c -- what a form computes: a convolution or a product, operators before a product's factors, and behind it.
 *
 * Two graphs of it are known to the library.  The plain one, a residual, a bias and a ReLU behind a convolution, in
 * this order, has kernels that are there already, in any layout and in true float32.  The fused one has any operators,
 * one operation each, and kernels that are compiled when a plan is built: for channels inside, of halves and of TF32.
 * Where both are, which is asked for first is a matter of what was measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "backends/cudnn/form.h"
#include "kernel/form/form.h"

struct cudnn_chain {
	struct cudnn_forming *x;
	int32_t of_lane[LT_CUDNN_LANES];        /* tensors of the form; -1: not yet */
	int32_t of_op[LT_CUDNN_OPS];            /* the same, of one graph */
	int32_t n_use[LT_CUDNN_OPS];            /* ops that read its value, casts left out that are free */
	int32_t result[LT_CUDNN_OPS];           /* which result its value is written to; -1: none */
	bool plain;                             /* there is a plain graph, too */
};

static const struct lt_call_value *behind(const struct cudnn_forming *x, int32_t op, int32_t v)
{
	return lt__described_behind(&x->d, described_value(&x->d, op, v));
}
static uint32_t result_type(const struct cudnn_forming *x)
{
	return described_dtype(&x->d, described_result(&x->d, 0)->buffer);
}

/* ---- tensors and nodes ---- */

static int32_t put_tensor(struct cudnn_chain *k, const struct lt_cudnn_tensor *t)
{
	struct lt_cudnn_form *f = k->x->d.f;
	if (f->n_tensor == LT_CUDNN_TENSORS)
		return described_refuse(&k->x->d, "it has more operators than a form of the library's; cut it in two") - 1;
	f->tensor[f->n_tensor] = *t;
	f->tensor[f->n_tensor].n_dim = k->x->n_dim;
	return f->n_tensor++;
}

static int32_t lane_tensor(struct cudnn_chain *k, int32_t lane)
{
	if (k->of_lane[lane] < 0)
		k->of_lane[lane] = put_tensor(k, &k->x->lane[lane]);
	return k->of_lane[lane];
}

static int32_t number_tensor(struct cudnn_chain *k, double number)
{
	struct lt_cudnn_tensor t = { .operand = LT_CUDNN_NUMBER, .dtype = LT_F32, .number = number };
	for (int32_t i = 0; i < k->x->d.f->n_tensor; i++)
		if (k->x->d.f->tensor[i].operand == LT_CUDNN_NUMBER
			&& memcmp(&k->x->d.f->tensor[i].number, &number, sizeof number) == 0)
			return i;
	for (int d = 0; d < LT_CUDNN_DIMS; d++)
		t.dim[d] = t.stride[d] = 1;
	return put_tensor(k, &t);
}

static int32_t zeros_tensor(struct cudnn_chain *k)
{
	struct lt_cudnn_tensor t = k->x->lane[k->x->d.c->n_read];
	for (int d = 0; d < k->x->n_dim; d++) {
		t.dim[d] = d == 1 ? t.dim[d] : 1;
		t.stride[d] = d == 1 ? 1 : t.dim[1];
	}
	t.operand = LT_CUDNN_ZEROS;
	t.dtype = result_type(k->x);
	return put_tensor(k, &t);
}

/* Lies as a tensor with all dims of the region does. */
static int32_t between_tensor(struct cudnn_chain *k, const int64_t *dim, int32_t region, uint32_t dtype)
{
	const struct cudnn_forming *x = k->x;
	const struct lt_cudnn_tensor *like = NULL;
	struct lt_cudnn_tensor t = { .operand = LT_CUDNN_BETWEEN, .dtype = dtype };
	bool put[LT_CUDNN_DIMS] = { false };
	int64_t next = 1;
	for (int32_t i = x->n_lane; i-- > 0 && !like;)
		if (x->region[i] == region && memcmp(x->lane[i].dim, x->full[region], sizeof *dim * (size_t)x->n_dim) == 0)
			like = &x->lane[i];
	memcpy(t.dim, dim, sizeof *dim * (size_t)x->n_dim);
	for (int n = 0; n < x->n_dim; n++) {
		int inner = -1;
		for (int d = x->n_dim - 1; d >= 0; d--)
			if (!put[d] && (inner < 0 || (like && like->stride[d] < like->stride[inner])))
				inner = d;
		put[inner] = true;
		t.stride[inner] = next;
		next *= dim[inner];
	}
	return put_tensor(k, &t);
}

static int32_t put_node(struct cudnn_chain *k, int32_t kind, int32_t mode, const int32_t *in, int32_t n, int32_t out)
{
	struct lt_cudnn_form *f = k->x->d.f;
	const int32_t at = f->n_node + f->n_other;
	for (int32_t i = 0; i < n; i++)
		if (in[i] < 0)
			return -1;
	if (out < 0)
		return -1;
	if (at == LT_CUDNN_NODES)
		return described_refuse(&k->x->d, "it has more operators than a form of the library's; cut it in two") - 1;
	f->node[at] = (struct lt_cudnn_node){ .kind = kind, .mode = mode, .n_in = n, .out = out };
	memcpy(f->node[at].in, in, sizeof *in * (size_t)n);
	f->n_other++;                   /* of the graph that is being made; the first one's are counted when it is whole */
	return out;
}

/* ---- the plain graph ---- */

/* y = relu(x * w + z + b), each of the latter if it is there: reads; -1: none. */
struct cudnn_plain { int32_t z, b; bool relu; };

/* What a sum's other operand is: a value for each channel, or one for each element of the result. */
static bool take_addend(struct cudnn_forming *x, int32_t read, struct cudnn_plain *p)
{
	bool all = true, channels = true;
	for (int d = 0; d < x->n_dim; d++) {
		const bool whole = x->lane[read].dim[d] == x->full[CUDNN_BEHIND][d];
		all = all && whole;
		channels = channels && (d == 1 ? whole : x->lane[read].dim[d] == 1);
	}
	int32_t *to = channels && p->b < 0 ? &p->b : all ? &p->z : channels ? &p->b : NULL;
	if (!to)
		return described_refuse(&x->d, "what is added has neither one value for each channel nor one for each element of the "
			"result");
	if (*to >= 0)
		return described_refuse(&x->d, "two values are added of which the library takes one: %s",
			to == &p->b ? "one for each channel" : "one for each element of the result");
	*to = read;
	return true;
}

/* Backwards from the result. */
static bool find_plain(struct cudnn_forming *x, struct cudnn_plain *p)
{
	const struct lt_call_value last = { .kind = LT_VALUE_OP, .at = described_result(&x->d, 0)->op };
	const struct lt_call_value *v = &last;
	*p = (struct cudnn_plain){ -1, -1, false };
	if (x->d.c->n_result != 1)
		return described_refuse(&x->d, "it has several results");
	if (described_op(&x->d, v->at)->kind == LT_CALL_CAST)         /* to the result's type */
		v = described_value(&x->d, v->at, 0);
	v = lt__described_behind(&x->d, v);
	if (v->kind == LT_VALUE_OP && described_is_map(&x->d, v->at, LT_OPCODE_max)) {
		const struct lt_call_value *a = described_value(&x->d, v->at, 0), *b = described_value(&x->d, v->at, 1);
		const struct lt_call_value *limit = a->kind == LT_VALUE_BITS ? a : b;
		if (limit->kind != LT_VALUE_BITS || limit->bits)
			return described_refuse(&x->d, "its maximum is not with 0");
		p->relu = true;
		v = lt__described_behind(&x->d, limit == a ? b : a);
	}
	while (v->kind == LT_VALUE_OP && v->at != x->d.a->op[0]) {
		if (!described_is_map(&x->d, v->at, LT_OPCODE_add))
			return described_refuse(&x->d, "%s is behind it, where the library only adds, and then takes the maximum with 0",
				described_operator(&x->d, v->at)->name);
		const struct lt_call_value *a = behind(x, v->at, 0), *b = behind(x, v->at, 1);
		const struct lt_call_value *read = b->kind == LT_VALUE_READ ? b : a;
		if (read->kind != LT_VALUE_READ)
			return described_refuse(&x->d, "what is added is computed in the call; compute it outside");
		if (!take_addend(x, read->at, p))
			return false;
		v = read == a ? b : a;
	}
	return v->kind == LT_VALUE_OP || described_refuse(&x->d, "its result is not that of the convolution");
}

/* The residual before the bias: that order is what the library has a form for; and a bias behind each residual and each
 * ReLU, one of zeros where the call has none. */
static bool put_plain(struct cudnn_chain *k, const struct cudnn_plain *p)
{
	struct cudnn_forming *x = k->x;
	const bool z = p->z >= 0, b = p->b >= 0 || z || p->relu;
	const int32_t y = x->d.c->n_read;
	int32_t left = z + b + p->relu, in[2] = { lane_tensor(k, x->image), lane_tensor(k, x->filters) };
#define OUT() (left-- ? between_tensor(k, x->full[CUDNN_BEHIND], CUDNN_BEHIND, LT_F32) : lane_tensor(k, y))
	in[0] = put_node(k, LT_CUDNN_CONVOLUTION, 0, in, 2, OUT());
	if (z) {
		in[1] = lane_tensor(k, p->z);
		in[0] = put_node(k, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, in, 2, OUT());
	}
	if (b) {
		in[1] = p->b >= 0 ? lane_tensor(k, p->b) : zeros_tensor(k);
		in[0] = put_node(k, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, in, 2, OUT());
	}
	if (p->relu)
		in[0] = put_node(k, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_RELU_FWD, in, 1, OUT());
#undef OUT
	return in[0] >= 0;
}

/* ---- the fused graph ---- */

/* By opcode; n: operands, 0: the library has no such operator.  turned: that of exchanged operands.  Not what the
 * library has otherwise: its maximum and minimum give the other value where one is NaN (those with a number are a
 * ReLU's, which does not), its power is none of negative numbers, its remainder has another sign. */
static const struct { int32_t n, mode, turned; } modes[LT_NOPERATOR_OPCODE] = {
#define TWO(name, mode, turned) [LT_OPCODE_##name] = { 2, CUDNN_POINTWISE_##mode, CUDNN_POINTWISE_##turned },
#define ONE(name, mode) [LT_OPCODE_##name] = { 1, CUDNN_POINTWISE_##mode, -1 },
	TWO(add, ADD, ADD) TWO(mul, MUL, MUL)
	TWO(eq, CMP_EQ, CMP_EQ) TWO(ne, CMP_NEQ, CMP_NEQ) TWO(less, CMP_LT, CMP_GT) TWO(lessequal, CMP_LE, CMP_GE)
	TWO(greater, CMP_GT, CMP_LT) TWO(greaterequal, CMP_GE, CMP_LE)
	[LT_OPCODE_sub] = { 2, CUDNN_POINTWISE_SUB, -1 }, [LT_OPCODE_div] = { 2, CUDNN_POINTWISE_DIV, -1 },
	[LT_OPCODE_select] = { 3, CUDNN_POINTWISE_BINARY_SELECT, -1 },
	ONE(neg, NEG) ONE(abs, ABS) ONE(reciprocal, RECIPROCAL) ONE(exp, EXP) ONE(log, LOG) ONE(sqrt, SQRT)
	ONE(rsqrt, RSQRT) ONE(sigmoid, SIGMOID_FWD) ONE(erf, ERF) ONE(sin, SIN) ONE(cos, COS)
	ONE(floor, FLOOR) ONE(ceil, CEIL)
#undef TWO
#undef ONE
};

static int32_t value_tensor(struct cudnn_chain *k, const struct lt_call_value *v, int32_t region);

static const char *anchor_name(const struct cudnn_forming *x) { return x->matrices ? "product" : "convolution"; }

/* A factor that is computed.  Of halves the library multiplies halves: the graph has to round it, too. */
static int32_t factor_tensor(struct cudnn_chain *k, const struct lt_call_anchor *a, int32_t v, int32_t region)
{
	struct cudnn_forming *x = k->x;
	const struct lt_call_value *from = described_value(&x->d, a->op[1], v);
	const uint32_t dtype = result_type(x);
	if (lt__described_behind(&x->d, from)->kind == LT_VALUE_READ)
		return value_tensor(k, from, region);
	while (from->kind == LT_VALUE_OP && from->dtype != dtype && described_op(&x->d, from->at)->kind == LT_CALL_CAST)
		from = described_value(&x->d, from->at, 0);
	if (from->dtype != dtype)
		return described_refuse(&x->d, "a factor is computed in float32, and the library multiplies halves; round it first")
			- 1;
	if (cudnn_is_half(dtype) && from->kind == LT_VALUE_OP && described_op(&x->d, from->at)->kind == LT_CALL_CAST)
		from = described_value(&x->d, from->at, 0);
	const int32_t made = value_tensor(k, from, region);
	if (made >= 0 && k->x->d.f->tensor[made].operand == LT_CUDNN_BETWEEN)
		k->x->d.f->tensor[made].dtype = dtype;
	return made;
}

/* One operation behind another, of one value and perhaps a number. */
static int32_t put_step(struct cudnn_chain *k, int32_t mode, int32_t from, const double *number, int32_t region)
{
	int32_t in[2] = { from, number ? number_tensor(k, *number) : -1 };
	if (from < 0 || (number && in[1] < 0))
		return -1;
	return put_node(k, LT_CUDNN_POINTWISE, mode, in, 1 + (number != NULL),
		between_tensor(k, k->x->d.f->tensor[from].dim, region, LT_F32));
}

static int32_t anchor_tensor(struct cudnn_chain *k, int32_t anchor, int32_t out)
{
	struct cudnn_forming *x = k->x;
	const struct lt_call_anchor *a = cudnn_anchor(x, anchor);
	int32_t in[2];
	if (x->matrices) {
		in[0] = factor_tensor(k, a, x->left[anchor], CUDNN_LEFT);
		in[1] = in[0] < 0 ? -1 : factor_tensor(k, a, !x->left[anchor], CUDNN_RIGHT);
	} else {
		in[0] = lane_tensor(k, x->image);
		in[1] = lane_tensor(k, x->filters);
	}
	out = put_node(k, x->matrices ? LT_CUDNN_PRODUCT : LT_CUDNN_CONVOLUTION, 0, in, 2, out);
	/* What the library knows as a plain graph gets the engines of that alone. */
	return !k->plain || out < 0 ? out : put_step(k, CUDNN_POINTWISE_IDENTITY, out, NULL, CUDNN_BEHIND);
}

/* Where an op's value goes: to memory, if it is a result that others may read as it was rounded. */
static int32_t out_tensor(struct cudnn_chain *k, int32_t op, const int64_t *dim, uint32_t dtype, bool *copied)
{
	struct cudnn_forming *x = k->x;
	const int32_t r = k->result[op];
	*copied = false;
	if (r >= 0) {
		const int32_t last = described_result(&x->d, r)->op;
		const bool rounds = described_op(&x->d, last)->kind == LT_CALL_CAST && !described_op(&x->d, last)->may_skip;
		*copied = (rounds && k->n_use[op]) || memcmp(dim, x->full[CUDNN_BEHIND], sizeof *dim * (size_t)x->n_dim) != 0;
		if (!*copied)
			return lane_tensor(k, x->d.c->n_read + r);
	}
	return between_tensor(k, dim, cudnn_anchor_of(x, op) >= 0 ? CUDNN_BEHIND : x->op_region[op], dtype);
}

/* How many there are along each dim of what has these operands; which of them has all. */
static void dims_of(const struct cudnn_chain *k, const int32_t *in, int32_t n, int64_t *dim, bool *has_all)
{
	const struct lt_cudnn_tensor *t = k->x->d.f->tensor;
	for (int d = 0; d < k->x->n_dim; d++) {
		dim[d] = 1;
		for (int32_t i = 0; i < n; i++)
			dim[d] = t[in[i]].dim[d] > dim[d] ? t[in[i]].dim[d] : dim[d];
	}
	for (int32_t i = 0; i < n; i++)
		has_all[i] = memcmp(t[in[i]].dim, dim, sizeof *dim * (size_t)k->x->n_dim) == 0;
}

/* tanh(x) = 2 sigmoid(2x) - 1: the library's own is off by 2^-11. */
static int32_t tanh_tensor(struct cudnn_chain *k, int32_t op, int32_t region)
{
	static const double two = 2, one = 1;
	bool copied;
	int32_t in[2] = { value_tensor(k, described_value(&k->x->d, op, 0), region), -1 };
	in[0] = put_step(k, CUDNN_POINTWISE_MUL, in[0], &two, region);
	in[0] = put_step(k, CUDNN_POINTWISE_SIGMOID_FWD, in[0], NULL, region);
	in[0] = put_step(k, CUDNN_POINTWISE_MUL, in[0], &two, region);
	if (in[0] < 0 || (in[1] = number_tensor(k, one)) < 0)
		return -1;
	return put_node(k, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_SUB, in, 2,
		out_tensor(k, op, k->x->d.f->tensor[in[0]].dim, LT_F32, &copied));
}

/* A maximum or minimum with a number, as the ReLU that it is. */
static int32_t clip_tensor(struct cudnn_chain *k, int32_t op, int32_t region)
{
	struct cudnn_forming *x = k->x;
	const struct lt_call_value *a = behind(x, op, 0), *b = behind(x, op, 1), *limit = a->kind == LT_VALUE_BITS ? a : b;
	const bool is_max = described_is_map(&x->d, op, LT_OPCODE_max);
	bool copied;
	if (limit->kind != LT_VALUE_BITS)
		return described_refuse(&x->d, "the %s of two values is behind the %s, and the library's loses NaN; move it outside",
			described_operator(&x->d, op)->name, anchor_name(x)) - 1;
	const double number = lt__number_of_bits(limit->bits, limit->dtype).f;
	const int32_t in = value_tensor(k, limit == a ? b : a, region);
	if (in < 0 || isnan(number))
		return -1;
	const int32_t out = put_node(k, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_RELU_FWD, &in, 1,
		out_tensor(k, op, x->d.f->tensor[in].dim, LT_F32, &copied));
	if (out < 0 || (is_max && number == 0))
		return out;
	struct lt_cudnn_node *n = &x->d.f->node[x->d.f->n_node + x->d.f->n_other - 1];
	n->clips = true;
	n->low = is_max ? number : -INFINITY;
	n->high = is_max ? INFINITY : number;
	return out;
}

static int32_t operator_tensor(struct cudnn_chain *k, int32_t op, int32_t region)
{
	struct cudnn_forming *x = k->x;
	const struct lt_op *is = described_operator(&x->d, op);
	const struct lt_call_op *o = described_op(&x->d, op);
	const uint32_t opcode = is->opcode < LT_NOPERATOR_OPCODE ? is->opcode : LT_OPCODE_TEXT;
	const char *where = region == CUDNN_BEHIND ? "behind" : "before the factors of";
	int32_t in[3] = { -1, -1, -1 }, mode = modes[opcode].mode;
	int64_t dim[LT_CUDNN_DIMS];
	bool has_all[3], copied;
	if (described_is_map(&x->d, op, LT_OPCODE_tanh) && is->out == LT_F32)
		return tanh_tensor(k, op, region);
	if ((described_is_map(&x->d, op, LT_OPCODE_max) || described_is_map(&x->d, op, LT_OPCODE_min)) && is->out == LT_F32)
		return clip_tensor(k, op, region);
	if (o->kind == LT_CALL_CAST)
		return described_refuse(&x->d, "it casts to %s %s the %s, and what is between is float32; move the cast outside",
			is->name, where, anchor_name(x)) - 1;
	if (!modes[opcode].n || (is->out != LT_F32 && is->out != LT_BOOL) || is->in[is->arity - 1] != LT_F32)
		return described_refuse(&x->d, "the library has no %s %s a %s; move it outside", is->name, where, anchor_name(x)) - 1;
	for (int32_t i = 0; i < o->n_value; i++) {
		/* A selection's condition comes last. */
		const int32_t v = modes[opcode].n == 3 ? (i + 1) % 3 : i;
		in[i] = value_tensor(k, described_value(&x->d, op, v), region);
		if (in[i] < 0)
			return -1;
	}
	dims_of(k, in, o->n_value, dim, has_all);
	if (modes[opcode].n == 2 && !has_all[0] && has_all[1] && modes[opcode].turned >= 0) {
		const int32_t first = in[0];
		in[0] = in[1];
		in[1] = first;
		mode = modes[opcode].turned;
	}
	const int32_t out = out_tensor(k, op, dim, is->out, &copied);
	return put_node(k, LT_CUDNN_POINTWISE, mode, in, o->n_value, out);
}

static int32_t value_tensor(struct cudnn_chain *k, const struct lt_call_value *v, int32_t region)
{
	struct cudnn_forming *x = k->x;
	v = lt__described_behind(&x->d, v);
	if (v->kind == LT_VALUE_READ)
		return lane_tensor(k, v->at);
	if (v->kind == LT_VALUE_BITS && v->dtype == LT_BOOL)
		return described_refuse(&x->d, "a condition is a constant") - 1;
	if (v->kind == LT_VALUE_BITS)
		return number_tensor(k, lt__number_of_bits(v->bits, v->dtype).f);
	if (v->kind != LT_VALUE_OP)
		return described_refuse(&x->d, "it reads its own position, which the library has no operand for") - 1;
	if (k->of_op[v->at] < 0) {
		const int32_t anchor = cudnn_anchor_of(x, v->at);
		bool copied;
		k->of_op[v->at] = anchor < 0 ? operator_tensor(k, v->at, region)
			: anchor_tensor(k, anchor, out_tensor(k, v->at, x->full[CUDNN_BEHIND], LT_F32, &copied));
	}
	return k->of_op[v->at];
}

/* The op whose value is a result; -1: none of the call's. */
static int32_t made_by(const struct cudnn_forming *x, int32_t result)
{
	const int32_t last = described_result(&x->d, result)->op;
	const struct lt_call_value top = { .kind = LT_VALUE_OP, .at = last };
	const struct lt_call_value *v = described_op(&x->d, last)->kind == LT_CALL_CAST ? behind(x, last, 0)
		: lt__described_behind(&x->d, &top);
	return v->kind == LT_VALUE_OP ? v->at : -1;
}

static void count_uses(struct cudnn_chain *k)
{
	const struct cudnn_forming *x = k->x;
	for (int32_t i = 0; i < x->d.c->n_op; i++) {
		k->n_use[i] = 0;
		k->result[i] = -1;
	}
	for (int32_t i = 0; i < x->d.c->n_op; i++)
		for (int32_t v = 0; v < described_op(&x->d, i)->n_value && x->op_region[i] == CUDNN_BEHIND
			&& described_op(&x->d, i)->kind == LT_CALL_MAP && described_operator(&x->d, i)->opcode != LT_OPCODE_copy; v++) {
			const struct lt_call_value *from = behind(x, i, v);
			if (from->kind == LT_VALUE_OP)
				k->n_use[from->at]++;
		}
}

static bool put_fused(struct cudnn_chain *k)
{
	struct cudnn_forming *x = k->x;
	count_uses(k);
	for (int32_t i = 0; i < x->d.c->n_op; i++)
		k->of_op[i] = -1;
	for (int32_t i = 0; i < x->d.c->n_result; i++) {
		const int32_t op = made_by(x, i);
		if (op < 0)
			return described_refuse(&x->d, "a result of it is what it reads; copy it outside");
		if (k->result[op] < 0)
			k->result[op] = i;
	}
	const struct lt_call_value sum = { .kind = LT_VALUE_OP, .at = x->d.a->op[0] };
	if (value_tensor(k, &sum, CUDNN_BEHIND) < 0)            /* before what it is not asked for */
		return false;
	for (int32_t i = 0; i < x->d.c->n_result; i++) {
		const struct lt_call_value v = { .kind = LT_VALUE_OP, .at = made_by(x, i) };
		int32_t from = value_tensor(k, &v, CUDNN_BEHIND);
		if (from < 0)
			return false;
		if (x->d.f->tensor[from].operand == i)
			continue;
		if (put_node(k, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_IDENTITY, &from, 1, lane_tensor(k, x->d.c->n_read + i)) < 0)
			return false;
	}
	return true;
}

/* ---- which of them ---- */

/* Of a window, how far they are apart, positions, channels of a group and filters of a convolution. */
struct cudnn_sizes { int64_t window, stride, positions, channels, filters, groups; };

static struct cudnn_sizes sizes_of(const struct cudnn_forming *x)
{
	const struct lt_cudnn_tensor *in = &x->lane[x->image], *by = &x->lane[x->filters];
	struct cudnn_sizes s = { .window = 1, .stride = x->d.f->stride[0], .positions = x->full[CUDNN_BEHIND][0],
		.channels = by->dim[1], .filters = by->dim[0], .groups = in->dim[1] / by->dim[1] };
	for (int d = 2; d < x->n_dim; d++) {
		s.window *= by->dim[d];
		s.positions *= x->full[CUDNN_BEHIND][d];
	}
	return s;
}

/* Whether the fused graph is asked for first: where it was the faster one with a bias and a ReLU behind, on ResNet-50's
 * layers, batches of 1 and of 32 (columns b and c, gen against best). */
#define HALVES (UINT64_C(1) << LT_F16 | UINT64_C(1) << LT_BF16)
#define ANY INT64_MAX
static bool fused_first(const struct cudnn_forming *x, const struct cudnn_sizes *s)
{
	static const struct { uint64_t types; int64_t window, stride, positions[2], channels[2], filters[2]; } faster[] = {
		/* f16 24.2 to 19.5 us (64 channels), 17.3 to 13.8 (128), 17.0 to 14.0 (256 at 14x14), with stride 2 17.2 to 13.7 and
		 * 16.6 to 14.1; batch 1: 5.2 to 4.1, 6.1 to 5.3, but 7.8 to 7.9 at 14x14; 512 channels: 16.5 to 17.5 */
		{ HALVES, 9, 1, { 784, ANY }, { 64, 256 }, { 64, 256 } }, { HALVES, 9, 2, { 784, ANY }, { 64, 256 }, { 64, 256 } },
		/* 20.2 to 15.6, 17.4 to 11.9, 15.8 to 13.6; batch 1: 4.8 to 3.4, 4.8 to 3.8, 5.9 to 5.1 */
		{ HALVES, 1, 2, { 49, ANY }, { 256, 1024 }, { 512, 2048 } },
		/* Also against cuBLAS, which is the plain graph's first engine here (cudnn.c: fused_squares).  256 to 1,024
		 * channels at 14x14 10.5 to 9.2, with a residual 13.6 to 12.0; batch 1: 3.2 to 3.1 and 3.7 to 3.5, 128 to 512 at
		 * 28x28 3.1 to 2.9 and 3.6 to 3.3, 64 to 256 at 56x56 the same and 4.2 to 4.0; batch 32 of those with a residual
		 * 19.3 to 25.2 and 41.2 to 45.9 */
		{ HALVES, 1, 1, { 196, 6272 }, { 64, 256 }, { 256, 1024 } },
		/* 256 to 128 channels at 56x56 32.9 to 22.4, to 64 18.6 to 18.4, 512 to 128 at 28x28 10.2 to 8.8, to 256 14.3 to
		 * 12.4 */
		{ HALVES, 1, 1, { 25088, ANY }, { 256, 512 }, { 64, 256 } },
		/* TF32 41.7 to 36.4, 28.4 to 25.6, 27.6 to 26.1, 34.2 to 27.5 (512 channels at 7x7), with stride 2 30.6 to 28.7, 27.6
		 * to 26.4, 34.3 to 28.4, of 1,568 positions and more; of less it is slower */
		{ UINT64_C(1) << LT_F32, 9, 1, { 1568, ANY }, { 64, 512 }, { 64, 512 } },
		{ UINT64_C(1) << LT_F32, 9, 2, { 1568, ANY }, { 64, 512 }, { 64, 512 } },
		/* 64 to 64 and to 256 channels at 56x56 3.9 to 3.7 and 5.0 to 4.7, 256 to 64 and to 128 5.3 to 4.8 and 5.5 to 4.8,
		 * 128 to 512 at 28x28 4.5 to 4.4, 256 to 1,024 at 14x14 5.3 to 4.8; with a residual 8.9 to 4.5, 7.4 to 4.4, 7.8 to
		 * 4.8; of 512 channels it is slower, as it is of more positions */
		{ UINT64_C(1) << LT_F32, 1, 1, { 49, 3136 }, { 64, 256 }, { 64, 1024 } },
	};
#undef ANY
#undef HALVES
	for (size_t i = 0; i < sizeof faster / sizeof *faster; i++)
		if (faster[i].types >> result_type(x) & 1 && s->groups == 1 && s->window == faster[i].window
			&& s->stride == faster[i].stride && s->positions >= faster[i].positions[0] && s->positions <= faster[i].positions[1]
			&& s->channels >= faster[i].channels[0] && s->channels <= faster[i].channels[1]
			&& s->filters >= faster[i].filters[0] && s->filters <= faster[i].filters[1])
			return true;
	return false;
}

static bool is_depthwise(const struct cudnn_sizes *s) { return s->groups > 1 && s->channels == 1; }

/* Why a convolution has no fused graph; NULL. */
static const char *fused_refusal(const struct cudnn_forming *x, const struct cudnn_sizes *s)
{
	const int32_t lanes[] = { x->image, x->filters, x->d.c->n_read };
	const uint32_t dtype = result_type(x);
	if (dtype == LT_F32 && !x->tf32 && !is_depthwise(s))
		return "in true float32 the library has nothing else";
	if (dtype == LT_BF16 && is_depthwise(s))
		return "of bfloat16 with one filter for each channel the library has nothing else";
	if (s->filters > s->groups && is_depthwise(s))
		return "of several filters for each channel the library has nothing else";
	for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
		if (x->lane[lanes[i]].dim[1] > 1 && x->lane[lanes[i]].stride[1] != 1)
			return "its channels do not lie side by side, as the library asks for anything else";
	return NULL;
}

/* Behind what the form has already; false: it stays as it was. */
static bool put_graph(struct cudnn_chain *k, const struct cudnn_plain *plain)
{
	struct lt_cudnn_form *f = k->x->d.f;
	const struct lt_cudnn_form before = *f;
	int32_t of_lane[LT_CUDNN_LANES];
	memcpy(of_lane, k->of_lane, sizeof of_lane);
	if (!(plain ? put_plain(k, plain) : put_fused(k))) {
		*f = before;
		memcpy(k->of_lane, of_lane, sizeof of_lane);
		return false;
	}
	if (!before.n_node) {
		f->n_node = f->n_other;
		f->n_other = 0;
	}
	return true;
}

static bool put_convolution(struct cudnn_chain *k)
{
	struct cudnn_forming *x = k->x;
	const struct cudnn_sizes s = sizes_of(x);
	struct cudnn_plain p;
	const bool plain = find_plain(x, &p), alone = plain && p.z < 0 && p.b < 0 && !p.relu,
		windows = x->d.a->kind == LT_ANCHOR_CONVOLUTION || s.stride > 1 || (plain && fused_first(x, &s));
	const char *why = windows ? fused_refusal(x, &s) : NULL;
	char first[200];
	if (!plain && !windows)
		return false;           /* it is tried as a product */
	if (!plain && why) {
		(void)snprintf(first, sizeof first, "%s", x->d.why);
		return described_refuse(&x->d, "%s; %s", first, why);
	}
	const bool fused = windows && !alone && !why;
	k->plain = plain;
	/* Of a depthwise convolution with anything behind it the plain graph has the slowest of all engines alone. */
	if (fused && (!plain || is_depthwise(&s) || fused_first(x, &s))) {
		const bool put = put_graph(k, NULL);
		return plain ? put_graph(k, &p) : put;
	}
	if (!put_graph(k, &p))
		return false;
	if (fused)
		(void)put_graph(k, NULL);       /* the first one does */
	return true;
}

bool lt__cudnn_chain(struct cudnn_forming *x)
{
	struct cudnn_chain k = { .x = x };
	memset(k.of_lane, -1, sizeof k.of_lane);
	return x->matrices ? put_graph(&k, NULL) : put_convolution(&k);
}
