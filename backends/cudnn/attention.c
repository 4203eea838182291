/* attention.c -- a call as attention: softmax(scale * q k^T + mask) v, of [batch, heads, sequence, d], as the
 * operations that the library's engines for it are made of: product, scale, mask, maximum, difference, exponential,
 * sum, quotient, product, in this order and with these types.
 *
 * Which of the graph's axes are which: keys are what is reduced, d what queries and keys have, and what the values have
 * alone.  Rows are queries, of which one axis is the sequence and the others are heads that share keys.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cudnn/described.h"
#include "backends/cudnn/reference.h"
#include "kernel/form/form.h"

/* M is added to the scores; the least of S and a score counts.  N: how many keys count in each batch; the others have
 * one type. */
enum attention_part { PART_Q, PART_K, PART_V, PART_O, PART_M, PART_S, PART_N, PARTS };
struct cudnn_attention {
	struct lt_cudnn_described *d;
	int32_t read[PARTS];            /* -1: none, or the result */
	double scale, hidden;           /* hidden: what scores of keys behind the query are */
	int32_t made;                   /* the part that a kernel in front makes, by the form's mask; -1: none */
	bool causal;
	int64_t ahead;                  /* causal: a query sees so many keys beyond its own number */
	int32_t query;                  /* the axis that the causal mask compares keys with; -1: none */
	bool by_lengths;                /* the library may be told N; or a mask is made of them */
	uint64_t all, keys, deep, column, rows, batch;
	struct lt_cudnn_laid laid;
	struct lt_cudnn_merged outer, heads, group, sequence, key, inside, value;
};

/* ---- what is computed ---- */

/* Leaves multiplications by numbers out; what is left. */
static const struct lt_call_value *behind_scale(struct cudnn_attention *x, const struct lt_call_value *v)
{
	const struct lt_cudnn_described *d = x->d;
	for (;;) {
		double by = 1;
		const struct lt_call_value *next;
		v = lt__described_behind(d, v);
		if (v->kind != LT_VALUE_OP)
			return v;
		if ((next = lt__described_takes_number(d, v->at, LT_OPCODE_mul, &by)))
			x->scale *= by;
		else if ((next = lt__described_takes_number(d, v->at, LT_OPCODE_div, &by)))
			x->scale /= by;
		else
			return v;
		v = next;
	}
}

static bool is_op(const struct cudnn_attention *x, const struct lt_call_value *v, int32_t op)
{
	v = lt__described_behind(x->d, v);
	return v->kind == LT_VALUE_OP && v->at == op;
}

/* The axis of queries that a condition compares keys with; -1: it has none. */
static int32_t query_of(const struct cudnn_attention *x, int32_t op)
{
	const struct lt_cudnn_described *d = x->d;
	int32_t found = -1;
	for (int32_t v = 0; v < described_op(d, op)->n_value && found < 0; v++) {
		const struct lt_call_value *value = described_value(d, op, v);
		if (value->kind == LT_VALUE_OP)
			found = query_of(x, value->at);
		for (int32_t a = 0; value->kind == LT_VALUE_PLACE && a < d->c->n_axis; a++)
			if (d->t->strides[value->first_stride + a] && described_axis(d, a)->extent > 1 && !(x->keys >> a & 1))
				found = a;
	}
	return found;
}

/* Keys up to the query's number, or up to so many more; none is hidden, if those are enough. */
static bool take_causal(struct cudnn_attention *x, int32_t condition)
{
	struct lt_cudnn_described *d = x->d;
	const int64_t *row = d->t->rows + (int64_t)d->a->offset_row * d->t->n_column;
	int64_t keys = 1;
	for (int32_t a = 0; a < d->c->n_axis; a++)
		keys *= described_op(d, d->a->op[2])->reduced >> a & 1 ? described_axis(d, a)->extent : 1;
	for (int32_t i = 1; i < d->t->n_column; i++)
		if (row[i])
			return described_refuse(d, "how many keys a query sees follows from a run-time scalar");
	if (row[0] >= keys - 1)
		return true;
	if (row[0] < 0)
		return described_refuse(d, "the first %lld queries see no key: the graph divides by a sum of nothing, and the "
			"library gives 0", (long long)-row[0]);
	x->causal = true;
	x->ahead = row[0];
	x->query = query_of(x, condition);
	return true;
}

/* Keys that lengths say, which the plan reads, from a copy of them that a kernel in front makes: there each is one
 * that it has keys for.  The library says nothing of others. */
static bool take_lengths(struct cudnn_attention *x, int32_t condition)
{
	struct lt_cudnn_described *d = x->d;
	int64_t keys = 1;
	if (!x->by_lengths || d->a->length < 0)
		return false;
	for (int32_t a = 0; a < d->c->n_axis; a++)
		keys *= x->keys >> a & 1 ? described_axis(d, a)->extent : 1;
	if (keys > INT32_MAX || (d->a->offset_row >= 0 && !take_causal(x, condition)))
		return false;
	x->read[PART_N] = d->a->length;
	x->made = PART_N;
	x->hidden = -INFINITY;
	d->f->mask = (struct lt_cudnn_mask){ .how = LT_CUDNN_LENGTHS, .least = 1 - d->a->up_to, .most = keys - d->a->up_to };
	return true;
}

/* The library reads one for each batch, and how many queries there are. */
static bool lengths_fit(const struct cudnn_attention *x)
{
	return x->read[PART_N] < 0 || (!x->heads.stride[PART_N] && !x->group.stride[PART_N] && !x->sequence.stride[PART_N]
		&& (x->outer.extent == 1 || x->outer.stride[PART_N]) && x->sequence.extent <= INT32_MAX);
}

/* ---- a mask of its own ---- */

static const char *type_name(const struct cudnn_attention *x)
{
	const uint32_t dtype = described_dtype(x->d, described_result(x->d, 0)->buffer);
	return dtype == LT_F16 ? "float16" : dtype == LT_BF16 ? "bfloat16" : "float32";
}

static bool has_number(const struct cudnn_attention *x, double number)
{
	const uint32_t dtype = described_dtype(x->d, described_result(x->d, 0)->buffer);
	const union lt_number rounded = lt__number_round((union lt_number){ .f = number }, dtype);
	return isinf(number) || rounded.f == number;
}

/* What masks the scores, value v of the op that does, is made in front: as a part that is added, or chosen by. */
static bool take_mask(struct cudnn_attention *x, int32_t part, int32_t op, int32_t v, int32_t how, double hidden)
{
	x->made = part;
	x->d->f->mask = (struct lt_cudnn_mask){ .how = how, .op = op, .value = v, .hidden = hidden };
	return has_number(x, hidden) || described_refuse(x->d, "scores that do not count are %g, which the library has no "
		"%s for; use -inf", hidden, type_name(x));
}

/* Whether what is added has a type that the library reads it in: the type of the queries, or two numbers of it. */
static bool is_addend(const struct cudnn_attention *x, const struct lt_call_value *v)
{
	const struct lt_cudnn_described *d = x->d;
	const uint32_t dtype = described_dtype(d, described_result(d, 0)->buffer);
	double a, b;
	v = lt__described_behind(d, v);
	if (v->kind != LT_VALUE_OP)
		return v->kind == LT_VALUE_READ && described_dtype(d, described_read(d, v->at)->buffer) == dtype;
	if (described_operator(d, v->at)->out == dtype)
		return true;
	return described_is_map(d, v->at, LT_OPCODE_select) && lt__described_number(d, described_value(d, v->at, 1), &a)
		&& lt__described_number(d, described_value(d, v->at, 2), &b) && has_number(x, a) && has_number(x, b);
}

/* Those that a condition selects: positions alone, or what is computed for that. */
static const struct lt_call_value *take_selection(struct cudnn_attention *x, int32_t op)
{
	struct lt_cudnn_described *d = x->d;
	const int32_t fill = lt__described_number(d, described_value(d, op, 2), &x->hidden) ? 2 : 1;
	if (!lt__described_number(d, described_value(d, op, fill), &x->hidden) || !(x->hidden <= -FLT_MAX)) {
		(void)described_refuse(d, "scores that do not count are not -inf");
		return NULL;
	}
	if (d->a->scores == LT_SCORES_CAUSAL ? !take_causal(x, lt__described_op_behind(d, op, 0))
		: d->a->mask != op ? !described_refuse(d, "two masks say which scores count; compute one of them outside")
		: !(isinf(x->hidden) && take_lengths(x, lt__described_op_behind(d, op, 0)))
			&& !take_mask(x, PART_S, op, 0, fill == 2 ? LT_CUDNN_SEEN : LT_CUDNN_HIDDEN, x->hidden))
		return NULL;
	return described_value(d, op, 3 - fill);
}

/* What is added to them: a tensor, or what is computed for that, 0 and the least number of a causal mask among it;
 * NULL: refused. */
static const struct lt_call_value *take_addition(struct cudnn_attention *x, int32_t op)
{
	struct lt_cudnn_described *d = x->d;
	for (int32_t k = 0; k < 2; k++) {
		const struct lt_call_value *mask = lt__described_behind(d, described_value(d, op, k));
		if (d->a->mask != op && mask->kind == LT_VALUE_READ) {
			x->read[PART_M] = mask->at;
			return described_value(d, op, 1 - k);
		}
		if (d->a->scores == LT_SCORES_CAUSAL && mask->kind == LT_VALUE_OP
			&& described_is_map(d, mask->at, LT_OPCODE_select)) {
			x->hidden = -INFINITY;
			return take_causal(x, lt__described_op_behind(d, mask->at, 0)) ? described_value(d, op, 1 - k) : NULL;
		}
		if (d->a->mask != op || !lt__described_leads_to(d, d->a->op[0], described_value(d, op, 1 - k)))
			continue;
		if (mask->kind == LT_VALUE_OP && described_is_map(d, mask->at, LT_OPCODE_select)
			&& take_lengths(x, lt__described_op_behind(d, mask->at, 0)))
			return described_value(d, op, 1 - k);
		if (!is_addend(x, described_value(d, op, k))) {
			(void)described_refuse(d, "what is added to the scores is no %s, which the library reads there; cast it",
				type_name(x));
			return NULL;
		}
		return take_mask(x, PART_M, op, k, LT_CUDNN_ADDED, 0) ? described_value(d, op, 1 - k) : NULL;
	}
	(void)described_refuse(d, "what is added to the scores is no mask that the library has");
	return NULL;
}

/* From what the maximum is taken of to the first product: what hides keys, what is added, the scale. */
static bool take_scores(struct cudnn_attention *x, const struct lt_call_value *v)
{
	struct lt_cudnn_described *d = x->d;
	v = lt__described_behind(d, v);
	if (v->kind == LT_VALUE_OP && described_is_map(d, v->at, LT_OPCODE_select)) {
		v = take_selection(x, v->at);
		if (!v)
			return false;
		v = lt__described_behind(d, v);
	}
	if (v->kind == LT_VALUE_OP && described_is_map(d, v->at, LT_OPCODE_add)) {
		v = take_addition(x, v->at);
		if (!v)
			return false;
	}
	v = behind_scale(x, v);
	return is_op(x, v, d->a->op[0])
		|| described_refuse(d, "between its products something else is computed than a scale, a mask and the softmax");
}

/* Whether the graph rounds a value to the type of the result, as the library does; in float32 nobody does. */
static bool is_rounded(const struct cudnn_attention *x, int32_t op, int32_t v)
{
	const struct lt_cudnn_described *d = x->d;
	const uint32_t dtype = described_dtype(d, described_result(d, 0)->buffer);
	const struct lt_call_value *value = described_value(d, op, v);
	bool found = dtype == LT_F32;
	for (; value->kind == LT_VALUE_OP && described_op(d, value->at)->kind == LT_CALL_CAST;
		value = described_value(d, value->at, 0))
		found = found || described_operator(d, value->at)->out == dtype;
	return found;
}

static bool take_softmax(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	const int32_t most = d->a->op[2], total = d->a->op[3], mul = lt__described_op_behind(d, d->a->op[4], 0);
	int32_t div = -1;
	bool rounded = false;
	for (int32_t v = 0; v < 2 && mul >= 0; v++) {
		const struct lt_call_value *value = lt__described_behind(d, described_value(d, mul, 1 - v));
		if (value->kind == LT_VALUE_READ && value->at == d->a->read[2]) {
			div = lt__described_op_behind(d, mul, v);
			rounded = is_rounded(x, mul, v);
		}
	}
	const int32_t exp = described_is_map(d, div, LT_OPCODE_div) ? lt__described_op_behind(d, div, 0) : -1;
	const int32_t sub = described_is_map(d, exp, LT_OPCODE_exp) ? lt__described_op_behind(d, exp, 0) : -1;
	if (!described_is_map(d, sub, LT_OPCODE_sub) || !is_op(x, described_value(d, div, 1), total)
		|| !is_op(x, described_value(d, total, 0), exp) || !is_op(x, described_value(d, sub, 1), most)
		|| lt__described_op_behind(d, most, 0) != lt__described_op_behind(d, sub, 0))
		return described_refuse(d, "what its values are multiplied by is not the softmax, or is rounded before it is used");
	if (!rounded)
		return described_refuse(d, "its probabilities are float32, and the library rounds them to the type of the values; "
			"cast them to that");
	return take_scores(x, described_value(d, sub, 0));
}

static bool take_factors(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	bool good = is_op(x, described_value(d, d->a->op[0], 0), d->a->op[1]);
	for (int32_t v = 0; v < 2 && good; v++) {
		const struct lt_call_value *read = behind_scale(x, described_value(d, d->a->op[1], v));
		good = read->kind == LT_VALUE_READ && (read->at == d->a->read[0] || read->at == d->a->read[1]);
	}
	return good || described_refuse(d, "queries or keys are computed in the call; compute them outside");
}

static bool take_ops(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	for (int i = 0; i < 5; i++)
		if (d->a->op[i] >= 0 && described_operator(d, d->a->op[i])->out != LT_F32)
			return described_refuse(d, "it computes in float32 alone");
	if (lt__described_written(d) != d->a->op[4])
		return described_refuse(d, "its result is not that of the second product; compute what is behind it outside");
	x->keys = described_op(d, d->a->op[2])->reduced;
	return take_softmax(x) && take_factors(x);
}

/* ---- where it lies ---- */

/* Axes along which value v of an op may change, and the reads that it is made of. */
static bool find_sources(struct cudnn_attention *x, int32_t op, int32_t v, uint64_t *axes)
{
	struct lt_cudnn_described *d = x->d;
	const struct lt_call_value *value = described_value(d, op, v);
	struct lt_cudnn_mask *m = &d->f->mask;
	for (int32_t i = 0; value->kind == LT_VALUE_OP && i < described_op(d, value->at)->n_value; i++)
		if (!find_sources(x, value->at, i, axes))
			return false;
	for (int32_t a = 0; value->kind == LT_VALUE_PLACE && a < d->c->n_axis; a++)
		*axes |= d->t->strides[value->first_stride + a] ? UINT64_C(1) << a : 0;
	if (value->kind != LT_VALUE_READ)
		return true;
	const struct lt_call_read *r = described_read(d, value->at);
	const int64_t *stride = d->t->strides + r->first_stride;
	const int32_t operand = d->c->n_result + value->at;
	struct lt_cudnn_tensor t = { .operand = operand, .dtype = described_dtype(d, r->buffer), .n_dim = 1, .dim = { 1 },
		.stride = { 1 } };
	for (int32_t a = 0; a < d->c->n_axis; a++) {
		*axes |= stride[a] ? UINT64_C(1) << a : 0;
		t.dim[0] += (described_axis(d, a)->extent - 1) * stride[a];
		if (stride[a] < 0)
			return described_refuse(d, "what says which scores count is read backwards; copy it outside");
	}
	for (int32_t i = 0; i < m->n_read; i++)
		if (m->read[i] == operand)
			return true;
	if (r->n_guard || m->n_read == LT_CUDNN_MASK_READS)
		return described_refuse(d, "what says which scores count %s; compute it outside", r->n_guard ? "has borders"
			: "is made of more than 4 tensors");
	m->read[m->n_read++] = operand;
	(void)lt__cudnn_put_tensor(d->f, &t);
	return true;
}

/* Where elements of the mask lie: keys side by side, then in the order of the result. */
static bool lay_mask(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	struct lt_cudnn_mask *m = &d->f->mask;
	uint64_t axes = 0;
	int64_t next = 1;
	if (x->made < 0 || x->made == PART_N)
		return true;
	if (d->c->n_axis > LT_CUDNN_MASK_AXES)
		return described_refuse(d, "it has more than %d axes", (int)LT_CUDNN_MASK_AXES);
	if (!find_sources(x, m->op, m->value, &axes))
		return false;
	axes &= x->all;
	if (axes & (x->deep | x->column))
		return described_refuse(d, "what says which scores count differs by the elements of a key or value");
	for (int pass = 0; pass < 2; pass++)
		for (uint64_t rest = pass ? axes & ~x->keys : axes & x->keys; rest; ) {
			const int64_t *by = x->laid.stride[pass ? PART_O : PART_K];
			int32_t inner = -1;
			for (int32_t a = 0; a < d->c->n_axis; a++)
				if (rest >> a & 1 && (inner < 0 || by[a] < by[inner]))
					inner = a;
			rest &= ~(UINT64_C(1) << inner);
			m->stride[inner] = next;
			next *= described_axis(d, inner)->extent;
		}
	x->laid.stride[x->made] = m->stride;
	struct reference_program *program;
	size_t bytes;
	const char *why = lt__cudnn_mask_program(d->t, d->c, d->f, &program, &bytes);
	free(program);
	return !why || described_refuse(d, "%s", why);
}

static bool find_axes(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	if (!lt__described_axes(d, &x->all))
		return false;
	x->keys &= x->all;
	x->deep = described_op(d, d->a->op[0])->reduced & x->all;
	for (int32_t a = 0; a < d->c->n_axis; a++) {
		const uint64_t bit = x->all & UINT64_C(1) << a & ~x->keys & ~x->deep;
		const int32_t role = described_axis(d, a)->role;
		if (!bit)
			continue;
		if (role != LT_DIM_ROW && role != LT_DIM_COLUMN && role != LT_DIM_BATCH)
			return described_refuse(d, "%s is none of attention's axes",
				described_axis(d, a)->var ? described_axis(d, a)->var : "?");
		*(role == LT_DIM_ROW ? &x->rows : role == LT_DIM_COLUMN ? &x->column : &x->batch) |= bit;
	}
	x->laid.n = PARTS;
	for (int i = 0; i < PARTS; i++)
		x->laid.stride[i] = i == PART_O ? d->t->strides + described_result(d, 0)->first_stride
			: lt__described_strides(d, x->read[i]);
	for (int32_t a = 0; a < d->c->n_axis; a++)
		if (x->rows >> a & 1 && x->laid.stride[PART_K][a])
			return described_refuse(d, "keys and values differ along other axes");
	return lay_mask(x);
}

static int32_t innermost(const struct cudnn_attention *x, uint64_t set)
{
	int32_t found = -1;
	for (int32_t a = 0; a < x->d->c->n_axis; a++)
		if (set >> a & 1 && (found < 0 || x->laid.stride[PART_O][a] < x->laid.stride[PART_O][found]))
			found = a;
	return found;
}

static bool goes_on(const struct cudnn_attention *x, int part)
{
	const struct lt_cudnn_merged *h = &x->heads, *g = &x->group;
	return h->extent == 1 || g->extent == 1 || h->stride[part] == g->stride[part] * g->extent;
}

/* With this axis of the rows as the sequence: the other rows are heads that share the keys of one, which are the
 * innermost of the batches, as few axes as fit; or there is one head of keys. */
static bool split_batch(struct cudnn_attention *x, uint64_t sequence)
{
	const struct lt_cudnn_described *d = x->d;
	if (!lt__described_merge(d, sequence, &x->laid, PART_O, &x->sequence)
		|| !lt__described_merge(d, x->rows & ~sequence, &x->laid, PART_O, &x->group))
		return false;
	for (uint64_t outer = x->batch, heads = 0; outer; ) {
		const uint64_t next = UINT64_C(1) << innermost(x, outer);
		heads |= next;
		outer &= ~next;
		if (lt__described_merge(d, outer, &x->laid, PART_O, &x->outer)
			&& lt__described_merge(d, heads, &x->laid, PART_O, &x->heads) && goes_on(x, PART_Q) && goes_on(x, PART_O)
			&& goes_on(x, PART_M) && goes_on(x, PART_S) && lengths_fit(x))
			return true;
	}
	x->heads = (struct lt_cudnn_merged){ .extent = 1 };
	return lt__described_merge(d, x->batch, &x->laid, PART_O, &x->outer) && lengths_fit(x);
}

/* The longest axis of the rows that fits is the sequence, or that which the mask compares. */
static bool find_sequence(struct cudnn_attention *x)
{
	const struct lt_cudnn_described *d = x->d;
	if (x->query >= 0)
		return split_batch(x, x->all & UINT64_C(1) << x->query);
	for (uint64_t rest = x->rows; rest; ) {
		int32_t best = -1;
		for (int32_t a = 0; a < d->c->n_axis; a++)
			if (rest >> a & 1 && (best < 0 || described_axis(d, a)->extent > described_axis(d, best)->extent))
				best = a;
		if (split_batch(x, UINT64_C(1) << best))
			return true;
		rest &= ~(UINT64_C(1) << best);
	}
	return split_batch(x, 0);
}

static bool check_sizes(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	const int64_t most = described_dtype(d, described_result(d, 0)->buffer) == LT_F32 ? 128 : 256;
	if (x->inside.extent % 8 || x->value.extent % 8 || x->inside.extent > most || x->value.extent > most)
		return described_refuse(d, "queries have %lld elements and values %lld, and the library takes multiples of 8 up to "
			"%lld", (long long)x->inside.extent, (long long)x->value.extent, (long long)most);
	if (x->inside.stride[PART_Q] != 1 || x->inside.stride[PART_K] != 1 || x->value.stride[PART_V] != 1
		|| x->value.stride[PART_O] != 1)
		return described_refuse(d, "elements of a query, key, value or result do not lie side by side; copy it outside");
	return true;
}

static bool find_places(struct cudnn_attention *x)
{
	struct lt_cudnn_described *d = x->d;
	if (!find_axes(x))
		return false;
	if (!lt__described_merge(d, x->keys, &x->laid, PART_K, &x->key)
		|| !lt__described_merge(d, x->deep, &x->laid, PART_K, &x->inside)
		|| !lt__described_merge(d, x->column, &x->laid, PART_V, &x->value) || !find_sequence(x))
		return described_refuse(d, "batches, heads or keys are axes that do not go on in each other; copy it outside");
	return check_sizes(x);
}

/* ---- as operations ---- */

struct extents { int64_t n[4], stride[4]; };

static struct extents of_scores(const struct cudnn_attention *x, int64_t keys)
{
	return (struct extents){ .n = { x->outer.extent, x->heads.extent * x->group.extent, x->sequence.extent, keys } };
}

static struct extents of_batches(const struct cudnn_attention *x)
{
	return (struct extents){ .n = { x->outer.extent, 1, 1, 1 } };
}

/* Strides of dims of one element, and of what lies nowhere, as if it were dense. */
static int32_t put(struct cudnn_attention *x, int32_t operand, uint32_t dtype, const struct extents *e)
{
	struct lt_cudnn_tensor t = { .operand = operand, .dtype = dtype, .n_dim = 4 };
	int64_t dense = 1;
	for (int i = 4; i-- > 0;) {
		t.dim[i] = e->n[i];
		t.stride[i] = e->n[i] > 1 && e->stride[i] ? e->stride[i] : dense;
		dense *= e->n[i];
	}
	return lt__cudnn_put_tensor(x->d->f, &t);
}

static int32_t put_operand(struct cudnn_attention *x, enum attention_part part)
{
	const struct lt_cudnn_merged *h = &x->heads, *g = &x->group;
	const int64_t head = g->extent > 1 ? g->stride[part] : h->stride[part];
	struct extents e = of_scores(x, x->inside.extent);
	switch (part) {
	case PART_K: e = (struct extents){ .n = { x->outer.extent, h->extent, x->inside.extent, x->key.extent },
		.stride = { x->outer.stride[part], h->stride[part], 1, x->key.stride[part] } };
		break;
	case PART_V: e = (struct extents){ .n = { x->outer.extent, h->extent, x->key.extent, x->value.extent },
		.stride = { x->outer.stride[part], h->stride[part], x->key.stride[part], 1 } };
		break;
	case PART_M: case PART_S: e = of_scores(x, x->key.extent);
		memcpy(e.stride, (int64_t[]){ x->outer.stride[part], head, x->sequence.stride[part], x->key.stride[part] },
			sizeof e.stride);
		for (int i = 0; i < 4; i++)             /* it is repeated along what it does not have */
			e.n[i] = e.stride[i] ? e.n[i] : 1;
		break;
	case PART_N: e = of_batches(x);
		break;
	default: e.n[3] = part == PART_O ? x->value.extent : x->inside.extent;
		memcpy(e.stride, (int64_t[]){ x->outer.stride[part], head, x->sequence.stride[part], 1 }, sizeof e.stride);
	}
	return put(x, (int32_t)part == x->made ? LT_CUDNN_MASK : part == PART_O ? 0 : x->d->c->n_result + x->read[part],
		part == PART_N ? LT_I32 : described_dtype(x->d, described_result(x->d, 0)->buffer), &e);
}

/* Lengths as they are, which no node has. */
static void put_lengths(struct cudnn_attention *x)
{
	struct lt_cudnn_mask *m = &x->d->f->mask;
	const int32_t read = x->read[PART_N], operand = x->d->c->n_result + read;
	const int64_t stride = x->outer.extent > 1 ? x->outer.stride[PART_N] : 0;
	m->read[m->n_read++] = operand;
	m->stride[0] = stride;
	(void)lt__cudnn_put_tensor(x->d->f, &(struct lt_cudnn_tensor){ .operand = operand, .n_dim = 1,
		.dtype = described_dtype(x->d, described_read(x->d, read)->buffer), .dim = { x->outer.extent },
		.stride = { stride ? stride : 1 } });
}

static int32_t put_number(struct cudnn_attention *x, uint32_t dtype, double number)
{
	const struct lt_cudnn_tensor t = { .operand = LT_CUDNN_NUMBER, .dtype = dtype, .n_dim = 4, .dim = { 1, 1, 1, 1 },
		.stride = { 1, 1, 1, 1 }, .number = number };
	return lt__cudnn_put_tensor(x->d->f, &t);
}

/* A node whose result nobody but the next ones sees: of each score, or of each row of them. */
static int32_t between(
	struct cudnn_attention *x, int32_t kind, int32_t mode, int32_t a, int32_t b, int32_t c, uint32_t dtype)
{
	const bool row = kind == LT_CUDNN_REDUCTION || (kind == LT_CUDNN_POINTWISE && x->d->f->tensor[a].dim[3] == 1);
	const struct extents e = of_scores(x, row ? 1 : x->key.extent);
	const int32_t in[] = { a, b, c }, out = put(x, LT_CUDNN_BETWEEN, dtype, &e);
	return lt__cudnn_put_node(x->d->f, kind, mode, in, 1 + (b >= 0) + (c >= 0), out);
}

/* Which scores count.  Where keys alone are compared with lengths, engines of 9.14 take these for the queries', too,
 * and write 0 to queries beyond: so they are told that all queries count, in the order of the library's front end.  No
 * such plan has passed its trial on an H200 yet: they give other values, of which the cause is not known. */
static int32_t counted(struct cudnn_attention *x, int32_t scores)
{
	const struct extents e = of_batches(x);
	const int32_t row = between(x, LT_CUDNN_INDEX, 2, scores, -1, -1, LT_I32),
		key = between(x, LT_CUDNN_INDEX, 3, scores, -1, -1, LT_I32), keys = put_operand(x, PART_N),
		queries = put(x, LT_CUDNN_MASK, LT_I32, &e);
	x->d->f->tensor[queries].offset = cudnn_queries_at(x->outer.extent);
	const int32_t counts = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_CMP_LT, row, queries, -1, LT_BOOL),
		seen = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_CMP_LT, key, keys, -1, LT_BOOL);
	return between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_LOGICAL_AND, counts, seen, -1, LT_BOOL);
}

static void emit(struct cudnn_attention *x)
{
	const int32_t q = put_operand(x, PART_Q), k = put_operand(x, PART_K), v = put_operand(x, PART_V);
	int32_t s = between(x, LT_CUDNN_PRODUCT, 0, q, k, -1, LT_F32);
	if (x->scale != 1)
		s = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_MUL, s, put_number(x, LT_F32, x->scale), -1, LT_F32);
	if (x->read[PART_M] >= 0 || x->made == PART_M)
		s = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, s, put_operand(x, PART_M), -1, LT_F32);
	if (x->made == PART_S)
		s = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_MIN, s, put_operand(x, PART_S), -1, LT_F32);
	if (x->read[PART_N] >= 0) {
		put_lengths(x);
		const int32_t seen = counted(x, s), hidden = put_number(x, LT_F32, x->hidden);
		s = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_BINARY_SELECT, s, hidden, seen, LT_F32);
	}
	if (x->causal) {
		int32_t row = between(x, LT_CUDNN_INDEX, 2, s, -1, -1, LT_I32);
		if (x->ahead)
			row = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, row, put_number(x, LT_I32, (double)x->ahead), -1, LT_I32);
		const int32_t key = between(x, LT_CUDNN_INDEX, 3, s, -1, -1, LT_I32),
			seen = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_CMP_GE, row, key, -1, LT_BOOL);
		s = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_BINARY_SELECT, s, put_number(x, LT_F32, x->hidden), seen, LT_F32);
	}
	const int32_t most = between(x, LT_CUDNN_REDUCTION, CUDNN_REDUCE_TENSOR_MAX, s, -1, -1, LT_F32),
		less = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_SUB, s, most, -1, LT_F32),
		e = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_EXP, less, -1, -1, LT_F32),
		total = between(x, LT_CUDNN_REDUCTION, CUDNN_REDUCE_TENSOR_ADD, e, -1, -1, LT_F32),
		size = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_LOG, total, -1, -1, LT_F32);
	/* The logarithm of the sum of exponentials, which nobody reads: without it the library takes a scale or a mask for
	 * parts of something else, and has no plan. */
	(void)between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, most, size, -1, LT_F32);
	const int32_t p = between(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_DIV, e, total, -1,
			described_dtype(x->d, described_result(x->d, 0)->buffer));
	const int32_t in[] = { p, v };
	(void)lt__cudnn_put_node(x->d->f, LT_CUDNN_PRODUCT, 0, in, 2, put_operand(x, PART_O));
}

/* took: whether lengths are the library's own. */
static bool form_of(struct lt_cudnn_described *d, bool by_lengths, bool *took)
{
	struct cudnn_attention x = { .d = d, .read = { d->a->read[0], d->a->read[1], d->a->read[2], -1, -1, -1, -1 },
		.scale = 1, .query = -1, .made = -1, .by_lengths = by_lengths };
	const bool good = take_ops(&x) && lt__described_same_types(d, x.read, PART_N) && find_places(&x);
	*took = x.read[PART_N] >= 0;
	if (!good)
		return false;
	for (int i = 0; i < PARTS; i++)
		for (int32_t a = 0; a < d->c->n_axis; a++)
			if (x.laid.stride[i] && x.all >> a & 1 && x.laid.stride[i][a] < 0)
				return described_refuse(d, "an operand is read backwards; copy it outside");
	emit(&x);
	return true;
}

/* Of lengths that lie otherwise than the library reads them a mask is made. */
bool lt__cudnn_attention(struct lt_cudnn_described *d)
{
	bool took;
	if (form_of(d, true, &took))
		return true;
	if (!took)
		return false;
	*d->f = (struct lt_cudnn_form){ .n_space = 0 };
	return form_of(d, false, &took);
}
