/* reference.c -- the description of a call as a program for each of its results (reference.h).
 *
 * A reduction becomes a loop around what its terms need.  What does not change in the loop is computed before it: a
 * row's maximum and sum once for an element, not once for each term.
 *
 * It walks the description's ops and knows nothing of form.c's tensors but where each operand begins, so that a call
 * that was understood wrongly is seen, too.
 */
#include <stdlib.h>
#include "backends/cudnn/cudnn.h"
#include "backends/cudnn/reference.h"

/* Of a call: its ops, then its reads, then values that are numbers; -1: no step has its value. */
struct reference_scope { int32_t *step; };
struct reference_making {
	const struct lt_cudnn_question *q;
	const struct lt_tree *t;
	const struct lt_call *c;
	int32_t n_node, first_value;
	uint64_t *needs;                /* by node: the axes that its value depends on */
	struct reference_step *step;
	int64_t *place;
	int32_t n_step, max_step, n_place, max_place, n_more, n_saved;
	uint32_t data;                  /* the shortest float that is read or written */
	const char *why;                /* NULL: all is well */
};

static const char no_memory[] = "there is no memory to say what it should give";

static bool cannot(struct reference_making *m, const char *why)
{
	m->why = m->why ? m->why : why;
	return false;
}
static const struct lt_call_op *op_at(const struct reference_making *m, int32_t i)
{
	return LT_AT(struct lt_call_op, m->t->call_ops, m->c->first_op + i);
}
static const struct lt_op *operator_of(const struct reference_making *m, int32_t i)
{
	return LT_AT(struct lt_op, m->t->ops, op_at(m, i)->op);
}
static const struct lt_call_value *value_at(const struct reference_making *m, int32_t op, int32_t v)
{
	return LT_AT(struct lt_call_value, m->t->call_values, op_at(m, op)->first_value + v);
}
static const struct lt_call_read *read_at(const struct reference_making *m, int32_t i)
{
	return LT_AT(struct lt_call_read, m->t->call_reads, m->c->first_read + i);
}
static uint32_t dtype_of(const struct reference_making *m, int32_t buffer)
{
	return LT_AT(struct lt_type, m->t->types, LT_AT(struct lt_buffer, m->t->buffers, buffer)->type)->dtype;
}

static int32_t node_of(const struct reference_making *m, int32_t op, int32_t v)
{
	const struct lt_call_value *x = value_at(m, op, v);
	return x->kind == LT_VALUE_OP ? x->at : x->kind == LT_VALUE_READ ? m->c->n_op + x->at
		: m->c->n_op + m->c->n_read + op_at(m, op)->first_value + v - m->first_value;
}

/* ---- what depends on what ---- */

static uint64_t axes_of(const struct reference_making *m, int32_t first_stride)
{
	uint64_t set = 0;
	for (int32_t a = 0; a < m->c->n_axis; a++)
		set |= m->t->strides[first_stride + a] ? UINT64_C(1) << a : 0;
	return set;
}

static void find_needs(struct reference_making *m)
{
	for (int32_t r = 0; r < m->c->n_read; r++) {
		const struct lt_call_read *x = read_at(m, r);
		uint64_t *set = &m->needs[m->c->n_op + r];
		*set = axes_of(m, x->first_stride);
		for (int32_t g = 0; g < x->n_guard; g++)
			*set |= axes_of(m, LT_AT(struct lt_call_guard, m->t->call_guards, x->first_guard + g)->first_stride);
	}
	for (int32_t o = 0; o < m->c->n_op; o++)
		for (int32_t v = 0; v < op_at(m, o)->n_value; v++)
			if (value_at(m, o, v)->kind == LT_VALUE_PLACE)
				m->needs[node_of(m, o, v)] = axes_of(m, value_at(m, o, v)->first_stride);
	for (int32_t o = 0; o < m->c->n_op; o++) {
		for (int32_t v = 0; v < op_at(m, o)->n_value; v++)
			m->needs[o] |= m->needs[node_of(m, o, v)];
		m->needs[o] &= ~op_at(m, o)->reduced;
	}
}

/* ---- steps ---- */

static int32_t add_step(struct reference_making *m, struct reference_step s)
{
	if (m->n_step == m->max_step) {
		const int32_t more = m->max_step ? 2 * m->max_step : 64;
		struct reference_step *grown = realloc(m->step, (size_t)more * sizeof *grown);
		if (!grown)
			return (int32_t)cannot(m, no_memory);
		m->step = grown;
		m->max_step = more;
	}
	m->step[m->n_step] = s;
	return m->n_step++;
}

static void add_word(struct reference_making *m, int64_t word)
{
	if (m->n_place == m->max_place) {
		const int32_t more = m->max_place ? 2 * m->max_place : 256;
		int64_t *grown = realloc(m->place, (size_t)more * sizeof *grown);
		if (!grown) {
			(void)cannot(m, no_memory);
			return;
		}
		m->place = grown;
		m->max_place = more;
	}
	m->place[m->n_place++] = word;
}

/* A row where the run-time scalars and the loops outside have the values of the question. */
static int64_t row_value(struct reference_making *m, int32_t row)
{
	const int64_t *r = m->t->rows + (int64_t)row * m->t->n_column;
	int64_t sum = r[0];
	for (int32_t k = 1; k < m->t->n_column; k++) {
		if (r[k] && !m->q->column)
			(void)cannot(m, "what it should give depends on a run-time scalar");
		sum += r[k] && m->q->column ? r[k] * m->q->column[k - 1] : 0;
	}
	return sum;
}

static int32_t add_place_of(struct reference_making *m, int64_t base, const int64_t *stride)
{
	const int32_t at = m->n_place;
	int64_t n = 0;
	for (int32_t a = 0; a < m->c->n_axis; a++)
		n += stride[a] != 0;
	add_word(m, base);
	add_word(m, n);
	for (int32_t a = 0; a < m->c->n_axis; a++)
		if (stride[a]) {
			add_word(m, a);
			add_word(m, stride[a]);
		}
	return at;
}
static int32_t add_place(struct reference_making *m, int64_t base, int32_t first_stride)
{
	return add_place_of(m, base, m->t->strides + first_stride);
}

static int32_t add_read(struct reference_making *m, int32_t r)
{
	const struct lt_call_read *x = read_at(m, r);
	struct reference_step s = { .kind = REFERENCE_READ, .type = (int32_t)dtype_of(m, x->buffer), .in = { -1, -1, -1 },
		.operand = m->c->n_result + r, .n_guard = x->n_guard, .bits = x->fill };
	s.place = add_place(m, 0, x->first_stride);
	s.guard = m->n_place;
	for (int32_t g = 0; g < x->n_guard; g++) {
		const struct lt_call_guard *guard = LT_AT(struct lt_call_guard, m->t->call_guards, x->first_guard + g);
		(void)add_place(m, row_value(m, guard->row), guard->first_stride);
	}
	return add_step(m, s);
}

static int32_t add_number(struct reference_making *m, const struct lt_call_value *x)
{
	struct reference_step s = { .kind = x->kind == LT_VALUE_BITS ? REFERENCE_BITS : REFERENCE_PLACE,
		.type = (int32_t)x->dtype, .in = { -1, -1, -1 }, .bits = x->bits };
	if (x->kind == LT_VALUE_PLACE)
		s.place = add_place(m, row_value(m, x->row), x->first_stride);
	return add_step(m, s);
}

/* ---- roundings ---- */

static bool is_half(uint32_t dtype) { return dtype == LT_F16 || dtype == LT_BF16; }

/* The op that gives a value, casts and copies left out; -1: none does. */
static int32_t behind_casts(const struct reference_making *m, int32_t op, int32_t v)
{
	const struct lt_call_value *x = value_at(m, op, v);
	while (x->kind == LT_VALUE_OP && (op_at(m, x->at)->kind == LT_CALL_CAST
		|| (op_at(m, x->at)->kind == LT_CALL_MAP && operator_of(m, x->at)->opcode == LT_OPCODE_copy)))
		x = value_at(m, x->at, 0);
	return x->kind == LT_VALUE_OP ? x->at : -1;
}

/* The product whose sum an op is; -1: it is none. */
static int32_t product_of(const struct reference_making *m, int32_t op)
{
	if (op_at(m, op)->kind != LT_CALL_REDUCE || operator_of(m, op)->opcode != LT_OPCODE_add)
		return -1;
	const int32_t x = behind_casts(m, op, 0);
	return x >= 0 && op_at(m, x)->kind == LT_CALL_MAP && operator_of(m, x)->opcode == LT_OPCODE_mul ? x : -1;
}

/* Of two values: squares are summed as they are. */
static bool has_two_factors(const struct reference_making *m, int32_t mul)
{
	return node_of(m, mul, 0) != node_of(m, mul, 1);
}

/* A device multiplies halves: a factor that is computed before is rounded to one. */
static double shorter_of(const struct reference_making *m, int32_t mul)
{
	bool is_factor = false;
	int n = 0;
	for (int32_t o = 0; o < m->c->n_op; o++)
		is_factor = is_factor || product_of(m, o) == mul;
	for (int32_t v = 0; v < 2; v++)
		n += behind_casts(m, mul, v) >= 0;
	return is_factor && is_half(m->data) && has_two_factors(m, mul) ? n * reference_unit((int32_t)m->data) : 0;
}

/* An operator is right to a few units in the last place; of two terms that are added any may have been added to others
 * before.  tanh has an instruction with eleven bits, which nobody uses where float32 is asked for. */
static double unit_of(const struct reference_making *m, int32_t op)
{
	const struct lt_op *is = operator_of(m, op);
	const double unit = reference_unit((int32_t)is->out);
	switch (is->opcode) {
	case LT_OPCODE_copy: case LT_OPCODE_min: case LT_OPCODE_max: case LT_OPCODE_neg: case LT_OPCODE_abs:
	case LT_OPCODE_sign: case LT_OPCODE_floor: case LT_OPCODE_ceil: case LT_OPCODE_round: return 0;
	case LT_OPCODE_mul: return 2 * unit;
	case LT_OPCODE_add: case LT_OPCODE_sub: return 4 * unit;
	case LT_OPCODE_tanh: return 8 * unit + (is_half(m->data) || m->q->tf32 ? 0x1p-11 : 0);
	default: return 8 * unit;
	}
}

/* Eight roundings of the norms, the product's two among them; of TF32, which drops thirteen bits of each factor. */
static double sum_unit_of(const struct reference_making *m, int32_t op)
{
	const struct lt_op *is = operator_of(m, op);
	const int32_t mul = product_of(m, op);
	const double unit = reference_unit((int32_t)is->out);
	if (is->opcode != LT_OPCODE_add)
		return unit_of(m, op);
	if (m->q->tf32 && is->out == LT_F32 && mul >= 0 && has_two_factors(m, mul))
		return 8 * 0x1p-10;
	return (mul >= 0 ? 6 : 8) * unit;
}

/* ---- in order ---- */

static int32_t emit(struct reference_making *m, const struct reference_scope *, int32_t node);

/* What a reduction's terms need that does not change in it. */
static void hoist(struct reference_making *m, const struct reference_scope *outside, int32_t node, uint64_t inside,
	uint64_t *seen)
{
	if (m->why || outside->step[node] >= 0 || (seen[node] && seen[node] == inside))
		return;
	if (!(m->needs[node] & inside)) {
		(void)emit(m, outside, node);
		return;
	}
	seen[node] = inside;
	if (node < m->c->n_op)
		for (int32_t v = 0; v < op_at(m, node)->n_value; v++)
			hoist(m, outside, node_of(m, node, v), inside | op_at(m, node)->reduced, seen);
}

static int32_t emit_loop(struct reference_making *m, const struct reference_scope *outside, int32_t op)
{
	const struct lt_call_op *o = op_at(m, op);
	const struct lt_op *is = operator_of(m, op);
	const int32_t mul = product_of(m, op);
	const size_t n = (size_t)m->n_node + 1;
	struct reference_scope inside = { malloc(n * sizeof *inside.step) };
	uint64_t *seen = calloc(n, sizeof *seen);
	int32_t begin = 0, end = 0;
	if (inside.step && seen)
		hoist(m, outside, node_of(m, op, 0), o->reduced, seen);
	else
		(void)cannot(m, no_memory);
	if (!m->why) {
		for (int32_t i = 0; i < m->n_node; i++)
			inside.step[i] = m->needs[i] & o->reduced ? -1 : outside->step[i];
		const int32_t saved = m->c->n_axis + m->n_saved;
		m->n_saved += __builtin_popcountll(o->reduced);
		begin = add_step(m, (struct reference_step){ .kind = REFERENCE_BEGIN, .in = { -1, -1, -1 }, .place = saved,
			.axes = o->reduced });
		struct reference_step last = { .kind = REFERENCE_END, .opcode = (int32_t)is->opcode, .type = (int32_t)is->out,
			.from = (int32_t)is->out, .in = { emit(m, &inside, node_of(m, op, 0)), -1, -1 }, .place = saved, .to = begin + 1,
			.axes = o->reduced, .more = m->n_more++, .unit = sum_unit_of(m, op) };
		for (int v = 0; v < 2 && mul >= 0; v++)
			last.in[1 + v] = emit(m, &inside, node_of(m, mul, v));
		end = add_step(m, last);
	}
	if (!m->why)
		m->step[begin].to = end + 1;
	free(inside.step);
	free(seen);
	return end;
}

static int32_t emit_op(struct reference_making *m, const struct reference_scope *scope, int32_t op)
{
	const struct lt_call_op *o = op_at(m, op);
	const struct lt_op *is = operator_of(m, op);
	struct reference_step s = { .kind = REFERENCE_MAP, .opcode = (int32_t)is->opcode, .type = (int32_t)is->out,
		.from = (int32_t)is->in[is->opcode == LT_OPCODE_select], .in = { -1, -1, -1 } };
	if (!is->opcode || o->n_value > 3) {
		(void)cannot(m, "it has an operator that is known by its text alone");
		return 0;
	}
	if (o->kind == LT_CALL_REDUCE)
		return emit_loop(m, scope, op);
	if (o->kind == LT_CALL_CAST || is->opcode == LT_OPCODE_cast) {
		s.kind = REFERENCE_CAST;
		s.may_skip = o->may_skip;
	} else if (reference_is_float(s.type) && reference_is_float(s.from) && is->opcode != LT_OPCODE_select) {
		s.unit = unit_of(m, op);
		s.shorter = is->opcode == LT_OPCODE_mul ? shorter_of(m, op) : 0;
	}
	for (int32_t v = 0; v < o->n_value && !m->why; v++)
		s.in[v] = emit(m, scope, node_of(m, op, v));
	return m->why ? 0 : add_step(m, s);
}

static int32_t emit(struct reference_making *m, const struct reference_scope *scope, int32_t node)
{
	const int32_t n_op = m->c->n_op, n_read = m->c->n_read;
	if (m->why || scope->step[node] >= 0)
		return m->why ? 0 : scope->step[node];
	const int32_t at = node < n_op ? emit_op(m, scope, node) : node < n_op + n_read ? add_read(m, node - n_op)
		: add_number(m, LT_AT(struct lt_call_value, m->t->call_values, m->first_value + node - n_op - n_read));
	scope->step[node] = at;
	return at;
}

/* ---- as a whole ---- */

/* What a run has of an axis. */
static int64_t extent_of(struct reference_making *m, int32_t axis)
{
	const struct lt_call_dim *d = LT_AT(struct lt_call_dim, m->t->call_dims, m->c->first_axis + axis);
	int64_t n = d->extent;
	for (int32_t b = 0; b < d->n_bound; b++) {
		const int64_t most = row_value(m, m->t->bounds[d->first_bound + b]);
		n = most < n ? most : n;
	}
	return n;
}

/* stride: where each element of the result is. */
static struct reference_program *assemble(
	struct reference_making *m, int32_t result, int32_t value, const int64_t *stride, size_t *bytes)
{
	struct reference_program p = { .n_axis = m->c->n_axis, .n_operand = m->c->n_result + m->c->n_read, .result = result,
		.value = value, .place = add_place_of(m, 0, stride) };
	p.n_step = m->n_step;
	p.n_place = m->n_place;
	p.n_value = m->n_step + m->n_more;
	p.n_index = m->c->n_axis + m->n_saved;
	const size_t extents = (size_t)p.n_axis * sizeof(int64_t), operands = (size_t)p.n_operand * sizeof *m->q->operand,
		steps = (size_t)p.n_step * sizeof *m->step, places = (size_t)p.n_place * sizeof *m->place;
	*bytes = sizeof p + extents + operands + steps + places;
	char *all = m->why ? NULL : malloc(*bytes), *at = all;
	if (!all) {
		(void)cannot(m, no_memory);
		return NULL;
	}
	for (int32_t i = 0; i < m->n_step; i++)
		m->step[i].more += m->step[i].kind == REFERENCE_END ? m->n_step : 0;
	memcpy(at, &p, sizeof p);
	at += sizeof p;
	for (int32_t a = 0; a < p.n_axis; a++, at += sizeof(int64_t)) {
		const int64_t n = extent_of(m, a);
		memcpy(at, &n, sizeof n);
	}
	memcpy(at, m->q->operand, operands);
	memcpy(at + operands, m->step, steps);
	if (places)
		memcpy(at + operands + steps, m->place, places);
	return (struct reference_program *)(void *)all;
}

/* Where values that are no ops and no reads are among the tree's, and how many there are between the first and the
 * last. */
static int32_t find_numbers(struct reference_making *m)
{
	int32_t end = 0;
	m->first_value = INT32_MAX;
	for (int32_t o = 0; o < m->c->n_op; o++) {
		const struct lt_call_op *x = op_at(m, o);
		m->first_value = x->first_value < m->first_value ? x->first_value : m->first_value;
		end = x->first_value + x->n_value > end ? x->first_value + x->n_value : end;
	}
	return end > m->first_value ? end - m->first_value : 0;
}

static void find_data(struct reference_making *m)
{
	m->data = LT_F64;
	for (int32_t i = 0; i < m->c->n_result + m->c->n_read; i++) {
		const uint32_t dtype = dtype_of(m, i < m->c->n_result
			? LT_AT(struct lt_call_result, m->t->call_results, m->c->first_result + i)->buffer
			: read_at(m, i - m->c->n_result)->buffer);
		if (reference_is_float((int32_t)dtype) && reference_unit((int32_t)dtype) > reference_unit((int32_t)m->data))
			m->data = dtype;
	}
}

/* Of value `v` of op `op`; -1: of the op itself. */
static const char *make_program(const struct lt_cudnn_question *q, int32_t op, int32_t v, int32_t result,
	const int64_t *stride, struct reference_program **out, size_t *bytes)
{
	struct reference_making m = { .q = q, .t = q->tree, .c = q->call };
	*out = NULL;
	m.n_node = q->call->n_op + q->call->n_read + find_numbers(&m);
	struct reference_scope scope = { malloc(((size_t)m.n_node + 1) * sizeof *scope.step) };
	m.needs = calloc((size_t)m.n_node + 1, sizeof *m.needs);
	if (scope.step && m.needs) {
		memset(scope.step, -1, ((size_t)m.n_node + 1) * sizeof *scope.step);
		find_data(&m);
		find_needs(&m);
		const int32_t value = emit(&m, &scope, v < 0 ? op : node_of(&m, op, v));
		*out = assemble(&m, result, value, stride, bytes);
	} else
		(void)cannot(&m, no_memory);
	free(scope.step);
	free(m.needs);
	free(m.step);
	free(m.place);
	return *out ? NULL : m.why;
}

const char *lt__cudnn_reference(const struct lt_cudnn_question *q, int32_t result, struct reference_program **out,
	size_t *bytes)
{
	const struct lt_call_result *to = LT_AT(struct lt_call_result, q->tree->call_results, q->call->first_result + result);
	*out = NULL;
	if (to->op < 0 || q->call->n_axis > 64)
		return "it is one of an operator that is not described";
	return make_program(q, to->op, -1, result, q->tree->strides + to->first_stride, out, bytes);
}

const char *lt__cudnn_reference_mask(const struct lt_cudnn_question *q, const struct lt_cudnn_mask *mask,
	struct reference_program **out, size_t *bytes)
{
	return make_program(q, mask->op, mask->value, 0, mask->stride, out, bytes);
}
