/* described.c -- calls of routines by a description: types, ranks, what is read (verifier.h). */
#include <inttypes.h>
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/verify/verifier.h"

/* -- the description -- */

enum operand_types { TYPES_SAME, TYPES_FLOAT, TYPES_BITS, TYPES_TEST, TYPES_CAST, TYPES_CHOOSE,
	TYPES_WHOLE };
static const struct { int32_t n; enum operand_types types; } operators[LT_NOPERATOR_OPCODE] = {
#define ROW(name, number, operands, types) [number] = { operands, TYPES_##types },
	LT_OPERATOR_MAP(ROW)
#undef ROW
};

static bool is_half(uint32_t dtype)
{
	return dtype == LT_F16 || dtype == LT_BF16 || dtype == LT_I8 || dtype == LT_U8 || dtype == LT_I16 || dtype == LT_U16;
}

/* Whether an operator takes those types and gives this one. */
static bool types_fit(const struct lt_kernel_call_op *o)
{
	const struct lt_kernel_call_value *x = o->values;
	const bool moves = o->opcode == LT_OPCODE_copy || o->opcode == LT_OPCODE_select;
	const int32_t first = o->opcode == LT_OPCODE_select;
	for (int32_t v = first + 1; v < o->n_value; v++)
		if (x[v].dtype != x[first].dtype)
			return false;
	const uint32_t in = x[o->n_value > first ? first : 0].dtype;
	if (is_half(in) && !moves && o->kind != LT_CALL_CAST)
		return false;
	switch (operators[o->opcode].types) {
	case TYPES_FLOAT: return (in == LT_F32 || in == LT_F64) && o->dtype == in;
	case TYPES_BITS: return !lt__number_is_float(in) && o->dtype == in;
	case TYPES_WHOLE: return !lt__number_is_float(in) && in != LT_BOOL && o->dtype == in;
	case TYPES_TEST: return o->dtype == LT_BOOL;
	case TYPES_CAST: return true;
	case TYPES_CHOOSE: return x[0].dtype == LT_BOOL && o->dtype == in;
	default: return o->dtype == in;
	}
}

static bool may_reduce(uint32_t opcode)
{
	return opcode == LT_OPCODE_add || opcode == LT_OPCODE_mul || opcode == LT_OPCODE_min || opcode == LT_OPCODE_max
		|| opcode == LT_OPCODE_and || opcode == LT_OPCODE_or || opcode == LT_OPCODE_xor;
}

/* The dims along which a place moves. */
static uint64_t dims_of(const struct lt_kernel_call *c, const int64_t *stride)
{
	uint64_t set = 0;
	for (int32_t d = 0; d < c->n_dim; d++)
		set |= stride[d] ? UINT64_C(1) << d : 0;
	return set;
}

static uint64_t dims_of_read(const struct lt_kernel_call *c, const struct lt_kernel_call_operand *r)
{
	uint64_t set = dims_of(c, r->strides);
	for (int32_t g = 0; g < r->n_guard; g++)
		set |= dims_of(c, r->guards + (int64_t)g * c->n_dim);
	return set;
}

static void check_value(struct lt_kernel_verifier *v, int32_t call, int32_t op, int32_t value)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	const struct lt_kernel_call_op *o = &c->ops[op];
	const struct lt_kernel_call_value *x = &o->values[value];
	const int32_t n_read = c->n_operand - c->n_result;
	uint64_t has = 0;
	uint32_t dtype = x->dtype;
	if ((x->kind == LT_VALUE_OP && (x->at < 0 || x->at >= op))
		|| (x->kind == LT_VALUE_READ && (x->at < 0 || x->at >= n_read)) || x->kind < LT_VALUE_OP || x->kind > LT_VALUE_PLACE)
		lt__verify_fail_at(v, LT_PART_CALL, call, "name an earlier op, or a read", "op %" PRId32 " of the call "
			"of %s reads "
			"what is not there before it", op, c->routine);
	if (x->kind == LT_VALUE_OP) {
		has = c->ops[x->at].dims & ~c->ops[x->at].reduced;
		dtype = c->ops[x->at].dtype;
	} else if (x->kind == LT_VALUE_READ) {
		has = dims_of_read(c, &c->operands[c->n_result + x->at]);
		dtype = v->k->buffers[c->operands[c->n_result + x->at].buffer].dtype;
	} else if (x->kind == LT_VALUE_PLACE) {
		has = dims_of(c, x->strides);
		dtype = LT_I64;
	}
	if (dtype != x->dtype || !lt__number_bytes(dtype))
		lt__verify_fail_at(v, LT_PART_CALL, call, "say the type that it has",
			"op %" PRId32 " of the call of %s reads operand %" PRId32 " as another type than it has",
			op, c->routine, value);
	if (has & ~o->dims)
		lt__verify_fail_at(v, LT_PART_CALL, call, "give it that dim, or reduce over it before",
			"op %" PRId32 " of the call of %s reads operand %" PRId32 " at its position, which has a dim more than it",
			op, c->routine, value);
}

static void check_op(struct lt_kernel_verifier *v, int32_t call, int32_t op)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	const struct lt_kernel_call_op *o = &c->ops[op];
	const uint64_t all = c->n_dim == 64 ? UINT64_MAX : (UINT64_C(1) << c->n_dim) - 1;
	const bool reduces = o->kind == LT_CALL_REDUCE, casts = o->kind == LT_CALL_CAST;
	bool good = o->kind >= LT_CALL_MAP && o->kind <= LT_CALL_CAST && o->opcode > 0 && o->opcode < LT_NOPERATOR_OPCODE
		&& lt__number_bytes(o->dtype) && o->n_value == (reduces ? 1 : operators[o->opcode].n);
	if (!good || (casts != (o->opcode == LT_OPCODE_cast)) || (reduces && !may_reduce(o->opcode)))
		lt__verify_fail_at(v, LT_PART_CALL, call, "look at its operator and operands",
			"op %" PRId32 " of the call of %s is no operator with as many operands, no cast, and no reduction",
			op, c->routine);
	if ((o->dims & ~all) || (o->reduced & ~o->dims) || reduces != (o->reduced != 0) || (o->may_skip && !casts))
		lt__verify_fail_at(v, LT_PART_CALL, call, "reduce over dims that it has; skip casts only",
			"op %" PRId32 " of the call of %s has dims that there are not, or reduces over none or others than its own, "
			"or is left out and no cast", op, c->routine);
	for (int32_t value = 0; value < o->n_value; value++)
		check_value(v, call, op, value);
	if (!types_fit(o))
		lt__verify_fail_at(v, LT_PART_CALL, call, "cast before or after it",
			"op %" PRId32 " of the call of %s, %s, does not take those types, or gives another than %s",
			op, c->routine, lt_opcode_name(o->opcode), lt__kernel_element_name(o->dtype));
}

static void check_operand_buffer(struct lt_kernel_verifier *v, int32_t call, int32_t o)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	const struct lt_kernel_call_operand *x = &c->operands[o];
	const char *what = o < c->n_result ? "result" : "read";
	if (x->buffer < 0 || x->buffer >= (int32_t)v->k->n_buffer || x->n_guard < 0 || x->n_guard > LT_MAX_CALL_GUARDS)
		lt__verify_fail_at(v, LT_PART_CALL, call, "name a buffer that there is",
			"a %s is no buffer, or has more than %d guards", what, (int)LT_MAX_CALL_GUARDS);
	const struct lt_kernel_buffer *b = &v->k->buffers[x->buffer];
	if (b->space != LT_SPACE_SLOT && b->space != LT_SPACE_WORKSPACE)
		lt__verify_fail_at(v, LT_PART_CALL, call, "put it in the workspace",
			"%s, a %s, is neither in a slot nor in the workspace, where a routine finds it", b->name, what);
	if (x->n_guard && lt__number_bytes(b->dtype) < 8 && x->fill >> (8 * lt__number_bytes(b->dtype)))
		lt__verify_fail_at(v, LT_PART_CALL, call, "write the bits of one element",
			"the fill of %s has more bits than an element of it", b->name);
}

static void check_result(struct lt_kernel_verifier *v, int32_t call, int32_t o)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	const struct lt_kernel_call_operand *x = &c->operands[o];
	const struct lt_kernel_buffer *b = &v->k->buffers[x->buffer];
	if (x->op < 0 || x->op >= c->n_op || c->ops[x->op].dtype != b->dtype)
		lt__verify_fail_at(v, LT_PART_CALL, call, "name an op of its type", "%s, a result, is written by no op of its type",
			b->name);
	const uint64_t dims = c->ops[x->op].dims & ~c->ops[x->op].reduced;
	for (int32_t d = 0; d < c->n_dim; d++) {
		bool has = dims >> d & 1;
		if (!has && x->strides[d])
			lt__verify_fail_at(v, LT_PART_CALL, call, "write 0", "%s, a result, moves along %s, which op %" PRId32
				" does not have", b->name, c->dims[d].var, x->op);
		if (has && !x->strides[d] && c->dims[d].extent > 1)
			lt__verify_fail_at(v, LT_PART_CALL, call, "let it move along each dim that it has",
				"%s, a result, would be written %" PRId64 " times along %s", b->name, c->dims[d].extent, c->dims[d].var);
	}
}

void lt__verify_described(struct lt_kernel_verifier *v, int32_t call)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	bool good = c->routine && *c->routine && c->n_dim >= 0 && c->n_dim <= LT_MAX_CALL_DIMS && c->n_result > 0
		&& c->n_operand >= c->n_result && c->n_op > 0 && c->n_op <= LT_MAX_CALL_PARTS && c->n_operand <= LT_MAX_CALL_PARTS
		&& c->origin >= -1 && !c->epilogues;
	for (int32_t d = 0; good && d < c->n_dim; d++) {
		good = c->dims[d].var && c->dims[d].role >= LT_DIM_BATCH && c->dims[d].role <= LT_DIM_OTHER && c->dims[d].extent > 0;
		for (int32_t e = 0; good && e < d; e++)
			good = strcmp(c->dims[d].var, c->dims[e].var) != 0;
	}
	if (!good)
		lt__verify_fail_at(v, LT_PART_CALL, call, "fill in what is missing",
			"a call that is described has a routine's name, results, ops, and at most %d dims, which have names of their own, "
			"roles that there are and at least one element", (int)LT_MAX_CALL_DIMS);
	for (int32_t o = 0; o < c->n_operand; o++)
		check_operand_buffer(v, call, o);
	for (int32_t o = 0; o < c->n_op; o++)
		check_op(v, call, o);
	for (int32_t o = 0; o < c->n_result; o++)
		check_result(v, call, o);
}

/* -- the instruction: where operands go, as far as that is known -- */

enum { MAX_POINTS = 1 << 18 };          /* positions that are gone through where guards leave some out */

struct range_check {
	const struct lt_kernel_call *c;
	const struct lt_kernel_call_operand *x;
	int64_t begin, count[LT_MAX_CALL_DIMS], index[LT_MAX_CALL_DIMS];
	const int64_t *guard;           /* where each begins */
	int64_t elems;
};

/* base + the strides times the position; false: more than 63 bits. */
static bool place_at(const struct range_check *r, int64_t base, const int64_t *stride, int64_t *out)
{
	int64_t far;
	*out = base;
	for (int32_t d = 0; d < r->c->n_dim; d++)
		if (stride[d] && (__builtin_mul_overflow(stride[d], r->index[d], &far) || __builtin_add_overflow(*out, far, out)))
			return false;
	return true;
}

static bool is_inside(const struct range_check *r)
{
	int64_t at;
	for (int32_t g = 0; g < r->x->n_guard; g++)
		if (place_at(r, r->guard[g], r->x->guards + (int64_t)g * r->c->n_dim, &at) && at < 0)
			return true;
	return place_at(r, r->begin, r->x->strides, &at) && at >= 0 && at < r->elems;
}

/* Whether each position that it is read or written at is an element, by going through them, or, where there are no
 * guards, by the ends. */
static bool stays_inside(struct range_check *r)
{
	const uint64_t moves = r->x->n_guard ? dims_of_read(r->c, r->x) : dims_of(r->c, r->x->strides);
	int64_t points = 1, far, low = r->begin, high = r->begin;
	for (int32_t d = 0; d < r->c->n_dim; d++)
		if (r->count[d] <= 0)
			return true;
	for (int32_t d = 0; d < r->c->n_dim; d++) {
		if (!(moves >> d & 1))
			continue;
		points = __builtin_mul_overflow(points, r->count[d], &points) || points > MAX_POINTS ? MAX_POINTS + 1 : points;
		if (__builtin_mul_overflow(r->count[d] - 1, r->x->strides[d], &far)
			|| __builtin_add_overflow(far < 0 ? low : high, far, far < 0 ? &low : &high))
			return r->x->n_guard > 0;
	}
	if (!r->x->n_guard)
		return low >= 0 && high < r->elems;
	memset(r->index, 0, sizeof r->index);
	for (bool more = points <= MAX_POINTS; more;) {
		if (!is_inside(r))
			return false;
		more = false;
		for (int32_t d = r->c->n_dim; d-- > 0 && !more;) {
			if (!(moves >> d & 1))
				continue;
			more = ++r->index[d] < r->count[d];
			r->index[d] = more ? r->index[d] : 0;
		}
	}
	return true;
}

void lt__verify_described_begins(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel *k = v->k;
	const struct lt_kernel_call *c = &k->calls[i->what];
	const int64_t *value = k->extras + i->first_extra;
	int64_t guard[LT_MAX_CALL_GUARDS];
	for (int32_t o = 0, next = c->n_operand + c->n_dim; o < c->n_operand; o++) {
		const struct lt_kernel_call_operand *x = &c->operands[o];
		struct range_check r = { .c = c, .x = x, .guard = guard, .elems = k->buffers[x->buffer].elems };
		bool known = lt__verify_constant(k, (int32_t)value[o], &r.begin);
		for (int32_t g = 0; g < x->n_guard; g++, next++)
			known = known && lt__verify_constant(k, (int32_t)value[next], &guard[g]);
		for (int32_t d = 0; d < c->n_dim; d++)
			known = known && lt__verify_constant(k, (int32_t)value[c->n_operand + d], &r.count[d]);
		if (known && !stays_inside(&r))
			lt__verify_fail(v, -1, "change where it begins, its strides or its guards, or give the buffer more elements",
				"%s %" PRId32 " goes outside of buffer %s, which has %" PRId64 " elements", o < c->n_result ? "result" : "read",
				o < c->n_result ? o : o - c->n_result, k->buffers[x->buffer].name, r.elems);
	}
}
