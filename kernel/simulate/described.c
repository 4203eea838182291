/* described.c -- what a routine computes whose call is described: each op in double (integers exactly), rounded to its
 * type; a reduction rounded once.
 *
 * An element of a reduction, or of a result, is computed from what is around it: all ops between it and the reductions
 * before it, at each of its positions.  All that is read is read before anything is written.
 */
#include <math.h>
#include <string.h>
#include "kernel/simulate/part.h"

struct described_run {
	int32_t at;
	const struct lt_kernel_call *c;
	int64_t *begin, *guard, *place;         /* where operands, guards, places begin */
	int64_t count[LT_MAX_CALL_DIMS], index[LT_MAX_CALL_DIMS];
	int32_t *first_guard, *first_place;     /* by operand, by op */
	/* By op: at this position; of a reduction, all of it, by its dims. */
	uint64_t *value;
	bool *known;
	uint64_t **all;
	uint8_t **all_known;
	bool *need;                     /* of the ops that are computed now */
	bool *wide;                     /* by op, a cast: it reads what was before a rounding that may be left out */
};

/* base + the strides times the position; what exceeds 63 bits is no place. */
static int64_t place_of(const struct described_run *r, int64_t base, const int64_t *stride)
{
	int64_t far, sum = base;
	for (int32_t d = 0; d < r->c->n_dim; d++)
		if (stride[d] && (__builtin_mul_overflow(stride[d], r->index[d], &far) || __builtin_add_overflow(sum, far, &sum)))
			return INT64_MIN;
	return sum;
}

/* The next position along the dims in the set; false: that was the last. */
static bool next_position(struct described_run *r, uint64_t set)
{
	for (int32_t d = r->c->n_dim; d-- > 0;) {
		if (!(set >> d & 1))
			continue;
		if (++r->index[d] < r->count[d])
			return true;
		r->index[d] = 0;
	}
	return false;
}

static bool is_empty(const struct described_run *r, uint64_t set)
{
	for (int32_t d = 0; d < r->c->n_dim; d++)
		if (set >> d & 1 && r->count[d] <= 0)
			return true;
	return false;
}

/* Its number among the elements of an op that has those dims. */
static int64_t number_of(const struct described_run *r, uint64_t set)
{
	int64_t n = 0;
	for (int32_t d = 0; d < r->c->n_dim; d++)
		n = set >> d & 1 ? n * r->count[d] + r->index[d] : n;
	return n;
}

static int64_t elements_of(struct simulation *s, const struct described_run *r, uint64_t set)
{
	int64_t n = 1;
	for (int32_t d = 0; d < r->c->n_dim; d++)
		if (set >> d & 1 && r->count[d] <= 0)
			return 0;
	for (int32_t d = 0; d < r->c->n_dim; d++)
		if (set >> d & 1 && (__builtin_mul_overflow(n, r->count[d], &n) || n > INT64_C(1) << 40)) {
			s->status = lt__report(s->diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
			return 0;
		}
	return n;
}

/* Whether the operand has an element at the position; else it has its fill. */
static bool is_there(const struct described_run *r, int32_t o)
{
	const struct lt_kernel_call_operand *x = &r->c->operands[o];
	for (int32_t g = 0; g < x->n_guard; g++)
		if (place_of(r, r->guard[r->first_guard[o] + g], x->guards + (int64_t)g * r->c->n_dim) < 0)
			return false;
	return true;
}

static uint64_t read_element(struct simulation *s, const struct described_run *r, int32_t o, bool *known)
{
	const struct lt_kernel_call_operand *x = &r->c->operands[o];
	if (!is_there(r, o))
		return x->fill;
	int64_t element = place_of(r, r->begin[o], x->strides);
	bool defined = false;
	if (!lt__simulate_inside(s, r->at, x->buffer, element, false))
		return *known = false, 0;
	uint64_t bits = lt__simulate_load(s, r->at, x->buffer, element, &defined);
	*known = *known && defined;
	return bits;
}

static uint64_t value_of(struct simulation *s, const struct described_run *r, int32_t op, int32_t v, bool *known)
{
	const struct lt_kernel_call_value *x = &r->c->ops[op].values[v];
	int32_t place = r->first_place[op];
	switch (x->kind) {
	case LT_VALUE_OP: *known = *known && r->known[x->at]; return r->value[x->at];
	case LT_VALUE_READ: return read_element(s, r, r->c->n_result + x->at, known);
	case LT_VALUE_BITS: return x->bits;
	default:
		for (int32_t i = 0; i < v; i++)
			place += r->c->ops[op].values[i].kind == LT_VALUE_PLACE;
		return (uint64_t)place_of(r, r->place[place], x->strides);
	}
}

/* What a cast reads, and the type that it has. */
static uint64_t cast_value(
	struct simulation *s, const struct described_run *r, int32_t op, uint32_t *dtype, bool *known)
{
	const struct lt_kernel_call_value *x = &r->c->ops[op].values[0];
	while (r->wide[op]) {
		op = x->at;
		x = &r->c->ops[op].values[0];
	}
	*dtype = x->dtype;
	return value_of(s, r, op, 0, known);
}

/* An op at the position, from what it reads there. */
static void compute_op(struct simulation *s, struct described_run *r, int32_t op)
{
	const struct lt_kernel_call_op *o = &r->c->ops[op];
	uint64_t x[3] = { 0 };
	bool known[3] = { true, true, true };
	r->known[op] = true;
	if (o->kind == LT_CALL_REDUCE) {
		int64_t n = number_of(r, o->dims & ~o->reduced);
		r->value[op] = r->all[op][n];
		r->known[op] = r->all_known[op][n];
		return;
	}
	if (o->kind == LT_CALL_CAST) {
		uint32_t from;
		uint64_t value = cast_value(s, r, op, &from, &known[0]);
		r->value[op] = lt__simulate_cast(value, from, o->dtype);
		r->known[op] = known[0];
		return;
	}
	for (int32_t v = 0; v < o->n_value; v++)
		x[v] = value_of(s, r, op, v, &known[v]);
	if (o->opcode == LT_OPCODE_select) {    /* what is not chosen may be undefined */
		r->value[op] = x[0] ? x[1] : x[2];
		r->known[op] = known[0] && known[x[0] ? 1 : 2];
		return;
	}
	r->known[op] = known[0] && known[1] && known[2];
	r->value[op] = lt__simulate_value(o->opcode, o->values[0].dtype, x[0], x[1]);
}

/* What is needed at a position of op `of`, without what is behind reductions. */
static void find_needed(struct described_run *r, int32_t of)
{
	memset(r->need, 0, sizeof *r->need * (size_t)r->c->n_op);
	r->need[of] = true;
	for (int32_t o = of; o >= 0; o--)
		for (int32_t v = 0; v < r->c->ops[o].n_value && r->need[o] && (o == of || r->c->ops[o].kind != LT_CALL_REDUCE); v++)
			if (r->c->ops[o].values[v].kind == LT_VALUE_OP)
				r->need[r->c->ops[o].values[v].at] = true;
}

static void compute_needed(struct simulation *s, struct described_run *r, int32_t end)
{
	for (int32_t o = 0; o < end && !s->status; o++)
		if (r->need[o])
			compute_op(s, r, o);
}

/* -- reductions -- */

/* In more than the type has: floats in double, integers as they wrap; rounded at the end. */
static uint64_t identity_of(uint32_t opcode, uint32_t dtype)
{
	union lt_number x = { .i = 0 };
	const bool is_float = lt__number_is_float(dtype);
	const int bits = 8 * (int)lt__number_bytes(dtype);
	switch (opcode) {
	case LT_OPCODE_mul: x.i = 1; break;
	case LT_OPCODE_and: x.i = -1; break;
	case LT_OPCODE_min: x.i = lt__number_is_signed(dtype) ? INT64_MAX >> (64 - bits) : -1; break;
	case LT_OPCODE_max: x.i = lt__number_is_signed(dtype) ? INT64_MIN >> (64 - bits) : 0; break;
	default: break;
	}
	if (is_float)
		x.f = opcode == LT_OPCODE_mul ? 1 : opcode == LT_OPCODE_min ? INFINITY : opcode == LT_OPCODE_max ? -INFINITY : 0;
	else if (dtype == LT_BOOL)
		x.i = x.i != 0;
	return lt__number_bits(x, dtype);
}

static uint64_t reduce_at(struct simulation *s, struct described_run *r, int32_t op, bool *known)
{
	const struct lt_kernel_call_op *o = &r->c->ops[op];
	const bool is_float = lt__number_is_float(o->dtype);
	const uint32_t in = is_float ? LT_F64 : o->dtype;
	uint64_t sum = identity_of(o->opcode, in);
	*known = true;
	if (!is_empty(r, o->reduced))
		do {
			compute_needed(s, r, op);
			uint64_t x = value_of(s, r, op, 0, known);
			sum = lt__simulate_value(o->opcode, in, sum, is_float ? lt__simulate_cast(x, o->dtype, LT_F64) : x);
		} while (next_position(r, o->reduced) && !s->status);
	return is_float ? lt__simulate_cast(sum, LT_F64, o->dtype) : sum;
}

static void reduce(struct simulation *s, struct described_run *r, int32_t op)
{
	const uint64_t kept = r->c->ops[op].dims & ~r->c->ops[op].reduced;
	int64_t n = elements_of(s, r, kept);
	if (s->status)
		return;
	r->all[op] = lt__pool_alloc(&s->pool, (size_t)n + 1, sizeof *r->all[op]);
	r->all_known[op] = lt__pool_alloc(&s->pool, (size_t)n + 1, sizeof *r->all_known[op]);
	find_needed(r, op);
	memset(r->index, 0, sizeof r->index);
	for (int64_t i = 0; i < n && !s->status; i++) {
		bool known;
		r->all[op][i] = reduce_at(s, r, op, &known);
		r->all_known[op][i] = known;
		(void)next_position(r, kept);
	}
}

/* -- results -- */

struct described_cell { int64_t element; uint64_t bits; bool known; };

static struct described_cell *result_of(struct simulation *s, struct described_run *r, int32_t o, int64_t *n)
{
	const struct lt_kernel_call_operand *x = &r->c->operands[o];
	const struct lt_kernel_call_op *op = &r->c->ops[x->op];
	const uint64_t kept = op->dims & ~op->reduced;
	*n = elements_of(s, r, kept);
	struct described_cell *cell = lt__pool_alloc(&s->pool, (size_t)*n + 1, sizeof *cell);
	find_needed(r, x->op);
	if (op->kind == LT_CALL_REDUCE) {
		memset(r->need, 0, sizeof *r->need * (size_t)r->c->n_op);
		r->need[x->op] = true;
	}
	memset(r->index, 0, sizeof r->index);
	for (int64_t i = 0; i < *n && !s->status; i++) {
		compute_needed(s, r, x->op + 1);
		cell[i] = (struct described_cell){ place_of(r, r->begin[o], x->strides), r->value[x->op], r->known[x->op] };
		if (!lt__simulate_inside(s, r->at, x->buffer, cell[i].element, true))
			cell[i].element = -1;
		(void)next_position(r, kept);
	}
	return cell;
}

/* Dims along which what is read at a position, or whether, may change. */
static uint64_t dims_of_read(const struct described_run *r, int32_t o)
{
	const struct lt_kernel_call_operand *x = &r->c->operands[o];
	uint64_t set = 0;
	for (int32_t d = 0; d < r->c->n_dim; d++) {
		set |= x->strides[d] ? UINT64_C(1) << d : 0;
		for (int32_t g = 0; g < x->n_guard; g++)
			set |= x->guards[(int64_t)g * r->c->n_dim + d] ? UINT64_C(1) << d : 0;
	}
	return set;
}

/* Whether a read lies as a result does, element by element. */
static bool lies_as(const struct described_run *r, int32_t read, int32_t result)
{
	const struct lt_kernel_call_operand *a = &r->c->operands[read], *b = &r->c->operands[result];
	return a->buffer == b->buffer && r->begin[read] == r->begin[result]
		&& !memcmp(a->strides, b->strides, sizeof *a->strides * (size_t)r->c->n_dim);
}

/* Nothing that a routine writes is read, but where each element lies on its own, and nothing is written twice. */
static void check_apart(struct simulation *s, struct described_run *r, struct described_cell **cell, const int64_t *n)
{
	for (int32_t o = 0; o < r->c->n_result && !s->status; o++) {
		int32_t to = r->c->operands[o].buffer;
		const struct simulate_area *area = &s->area[s->area_of[to]];
		uint8_t *is = lt__pool_alloc(&s->pool, (size_t)area->bytes + 1, 1);
		for (int64_t i = 0; i < n[o] && !s->status; i++) {
			uint8_t *byte = is + s->base[to] + cell[o][i].element * s->element_bytes[to];
			if (cell[o][i].element < 0)
				continue;
			if (*byte)
				lt__simulate_find(s, LT_SIMULATE_routine, r->at, to, cell[o][i].element, "%s writes element %lld of buffer %s "
					"twice", r->c->routine, (long long)cell[o][i].element, s->k->buffers[to].name);
			memset(byte, 1, (size_t)s->element_bytes[to]);
		}
		for (int32_t x = r->c->n_result; x < r->c->n_operand && !s->status; x++) {
			int32_t from = r->c->operands[x].buffer;
			const uint64_t set = dims_of_read(r, x);
			if (s->area_of[from] != s->area_of[to] || lies_as(r, x, o))
				continue;
			memset(r->index, 0, sizeof r->index);
			if (is_empty(r, set))
				continue;
			do {
				int64_t element = place_of(r, r->begin[x], r->c->operands[x].strides);
				bool inside = is_there(r, x) && element >= 0 && element < s->k->buffers[from].elems;
				const uint8_t *byte = is + s->base[from] + (inside ? element : 0) * s->element_bytes[from];
				if (inside && memchr(byte, 1, (size_t)s->element_bytes[from]))
					lt__simulate_find(s, LT_SIMULATE_routine, r->at, from, element,
						"%s reads element %lld of buffer %s, which it writes, too", r->c->routine, (long long)element,
						s->k->buffers[from].name);
			} while (next_position(r, set) && !s->status);
		}
	}
}

static void write_result(struct simulation *s, struct described_run *r, int32_t o, const struct described_cell *cell,
	int64_t n)
{
	int32_t b = r->c->operands[o].buffer;
	const struct lt_kernel_buffer *to = &s->k->buffers[b];
	for (int64_t i = 0; i < n && !s->status; i++) {
		if (cell[i].element < 0)
			continue;
		if (!to->written)
			lt__simulate_find(s, LT_SIMULATE_written, r->at, b, cell[i].element,
				"writes element %lld of buffer %s, which nobody is said to write", (long long)cell[i].element, to->name);
		if (!cell[i].known && to->space == LT_SPACE_SLOT)
			lt__simulate_find(s, LT_SIMULATE_stored, r->at, b, cell[i].element,
				"an undefined value goes to element %lld of buffer %s", (long long)cell[i].element, to->name);
		lt__simulate_store(s, r->at, b, cell[i].element, cell[i].bits, cell[i].known);
	}
}

/* -- all of it -- */

/* The values of the instruction; false: one is undefined, or more than there may be. */
static bool take_values(struct simulation *s, struct described_run *r)
{
	const struct lt_instruction *x = &s->k->instructions[r->at];
	const struct lt_kernel_call *c = r->c;
	int32_t n_guard = 0, n_place = lt__call_n_place(c);
	r->begin = lt__pool_alloc(&s->pool, (size_t)c->n_operand + 1, sizeof *r->begin);
	r->first_guard = lt__pool_alloc(&s->pool, (size_t)c->n_operand + 1, sizeof *r->first_guard);
	r->first_place = lt__pool_alloc(&s->pool, (size_t)c->n_op + 1, sizeof *r->first_place);
	for (int32_t o = 0; o < c->n_operand; o++) {
		r->first_guard[o] = n_guard;
		n_guard += o < c->n_result ? 0 : c->operands[o].n_guard;
	}
	for (int32_t o = 0; o + 1 < c->n_op; o++) {
		r->first_place[o + 1] = r->first_place[o];
		for (int32_t v = 0; v < c->ops[o].n_value; v++)
			r->first_place[o + 1] += c->ops[o].values[v].kind == LT_VALUE_PLACE;
	}
	r->guard = lt__pool_alloc(&s->pool, (size_t)(n_guard + n_place) + 1, sizeof *r->guard);
	r->place = r->guard + n_guard;
	for (int32_t e = 0; e < x->n_extra; e++) {
		int32_t value = (int32_t)s->k->extras[x->first_extra + e], d = e - c->n_operand;
		bool counts = d >= 0 && d < c->n_dim;
		if (!simulate_known(s, value, 0)) {
			lt__simulate_find(s, counts ? LT_SIMULATE_condition : LT_SIMULATE_address, r->at, -1, -1,
				"%s of %s is undefined", counts ? "how many there are of a dim" : "where an operand begins", c->routine);
			return false;
		}
		int64_t is = (int64_t)simulate_lane(s, value, 0);
		*(d < 0 ? &r->begin[e] : counts ? &r->count[d] : &r->guard[d - c->n_dim]) = is;
		if (counts && is > c->dims[d].extent) {
			lt__simulate_find(s, LT_SIMULATE_routine, r->at, -1, -1, "%s is called for %lld of %s, which are at most %lld",
				c->routine, (long long)is, c->dims[d].var, (long long)c->dims[d].extent);
			return false;
		}
	}
	return true;
}

/* Which roundings the routine leaves out; those that the graph has not all but one that is wide. */
static void choose_roundings(struct simulation *s, struct described_run *r)
{
	const char *const *wide = s->options.wide;
	while (wide && *wide && strcmp(*wide, r->c->routine) != 0)
		wide++;
	const bool is_wide = wide && *wide;
	for (int32_t o = 0; o < r->c->n_op; o++) {
		const struct lt_kernel_call_op *op = &r->c->ops[o];
		const int32_t may = op->kind == LT_CALL_CAST && op->values[0].kind == LT_VALUE_OP
			? r->c->ops[op->values[0].at].may_skip : 0;
		const bool takes = may && is_wide && (!s->options.some || lt__simulate_draw(s) % 2);
		r->wide[o] = may == 2 ? !takes : takes;
	}
}

void lt__simulate_described(struct simulation *s, int32_t instruction)
{
	struct described_run r = { .at = instruction, .c = &s->k->calls[s->k->instructions[instruction].what] };
	const size_t n = (size_t)r.c->n_op + 1;
	if (!take_values(s, &r))
		return;
	r.value = lt__pool_alloc(&s->pool, n, sizeof *r.value);
	r.known = lt__pool_alloc(&s->pool, n, sizeof *r.known);
	r.all = lt__pool_alloc(&s->pool, n, sizeof *r.all);
	r.all_known = lt__pool_alloc(&s->pool, n, sizeof *r.all_known);
	r.need = lt__pool_alloc(&s->pool, n, sizeof *r.need);
	r.wide = lt__pool_alloc(&s->pool, n, sizeof *r.wide);
	choose_roundings(s, &r);
	for (int32_t o = 0; o < r.c->n_op && !s->status; o++)
		if (r.c->ops[o].kind == LT_CALL_REDUCE)
			reduce(s, &r, o);
	struct described_cell **cell = lt__pool_alloc(&s->pool, (size_t)r.c->n_result + 1, sizeof *cell);
	int64_t *cells = lt__pool_alloc(&s->pool, (size_t)r.c->n_result + 1, sizeof *cells);
	for (int32_t o = 0; o < r.c->n_result && !s->status; o++)
		cell[o] = result_of(s, &r, o, &cells[o]);
	if (!s->status)
		check_apart(s, &r, cell, cells);
	for (int32_t o = 0; o < r.c->n_result && !s->status; o++)
		write_result(s, &r, o, cell[o], cells[o]);
}
