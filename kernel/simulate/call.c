/* call.c -- what a routine computes: sums of products in double (integers exactly), rounded once, then
 * what follows them.
 *
 * All that is read is read before anything is written: a routine may begin with any part of its result.
 */
#include <math.h>
#include <string.h>
#include "kernel/simulate/part.h"

struct call_run {
	int32_t at;
	const struct lt_kernel_call *c;
	int64_t begin[LT_MAX_CALL_OPERANDS], count[LT_MAX_CALL_DIMS], index[LT_MAX_CALL_DIMS];
	bool is_float;
	int64_t n_deep;                 /* 0: there is nothing to sum */
};

/* The next index along the dims that are deep, or that are not; false: that was the last. */
static bool next_index(struct call_run *r, bool deep)
{
	for (int32_t d = r->c->n_dim; d-- > 0; ) {
		if ((r->c->dims[d].role == LT_DIM_DEEP) != deep)
			continue;
		if (++r->index[d] < r->count[d])
			return true;
		r->index[d] = 0;
	}
	return false;
}

/* Which element of its buffer operand o has at the index; false: it is outside, and was reported. */
static bool call_element(struct simulation *s, const struct call_run *r, int32_t o, int64_t *element)
{
	const struct lt_kernel_call_operand *x = &r->c->operands[o];
	bool fits = true;
	*element = r->begin[o];
	for (int32_t d = 0; d < r->c->n_dim; d++) {
		int64_t far;
		fits = fits && !__builtin_mul_overflow(r->index[d], x->strides[d], &far)
			&& !__builtin_add_overflow(*element, far, element);
	}
	if (!fits)
		*element = INT64_MIN;
	return lt__simulate_inside(s, r->at, x->buffer, *element, o == 0);
}

static union lt_number call_read(struct simulation *s, const struct call_run *r, int32_t o, bool *known)
{
	const struct lt_kernel_buffer *b = &s->k->buffers[r->c->operands[o].buffer];
	union lt_number zero = { .i = 0 };
	int64_t element;
	bool defined = false;
	if (!call_element(s, r, o, &element))
		return *known = false, r->is_float ? (union lt_number){ .f = 0 } : zero;
	uint64_t bits = lt__simulate_load(s, r->at, r->c->operands[o].buffer, element, &defined);
	*known = *known && defined;
	return lt__number_of_bits(bits, b->dtype);
}

static union lt_number call_product(struct simulation *s, struct call_run *r, bool *known)
{
	double sum = 0;
	uint64_t whole = 0;
	while (r->n_deep) {
		union lt_number x = call_read(s, r, 1, known), y = call_read(s, r, 2, known);
		sum += r->is_float ? x.f * y.f : 0;
		whole += r->is_float ? 0 : (uint64_t)x.i * (uint64_t)y.i;
		if (!next_index(r, true))
			break;
	}
	union lt_number all = { .i = (int64_t)whole };
	if (r->is_float)
		all.f = sum;
	return lt__number_round(all, r->c->sum);
}

/* One that comes after, by its bit; y: what it reads. */
static union lt_number call_after(const struct call_run *r, uint32_t bit, union lt_number x, union lt_number y)
{
	double f = r->is_float ? x.f : 0;
	switch (bit) {
	case LT_EPILOGUE_BIAS:
	case LT_EPILOGUE_RESIDUAL:
		if (!r->is_float)
			x.i = (int64_t)((uint64_t)x.i + (uint64_t)y.i);
		f += r->is_float ? y.f : 0;
		break;
	case LT_EPILOGUE_RELU:
		if (!r->is_float)
			x.i = x.i > 0 ? x.i : 0;
		f = f < 0 ? 0 : f;              /* NaN stays */
		break;
	case LT_EPILOGUE_GELU: f = 0.5 * f * (1 + erf(f * 0.70710678118654752440)); break;
	case LT_EPILOGUE_GELU_TANH:
		f = 0.5 * f * (1 + tanh(0.79788456080286535588 * (f + 0.044715 * f * f * f)));
		break;
	case LT_EPILOGUE_SILU: f = f / (1 + exp(-f)); break;
	default: break;
	}
	if (r->is_float)
		x.f = f;
	return lt__number_round(x, r->c->sum);
}

/* The result at the index: bits of its type. */
static uint64_t call_result(struct simulation *s, struct call_run *r, bool *known)
{
	uint32_t to = s->k->buffers[r->c->operands[0].buffer].dtype;
	union lt_number x = call_product(s, r, known), y = { .i = 0 };
	for (uint32_t bit = 1; bit < 1u << LT_N_EPILOGUE; bit <<= 1) {
		for (int32_t o = 3; o < r->c->n_operand; o++)
			if (lt__call_reads(r->c, o) == (int32_t)bit)
				y = call_read(s, r, o, known);
		if (r->c->epilogues & bit)
			x = call_after(r, bit, x, y);
	}
	return lt__number_bits(lt__number_convert(x, r->c->sum, to), to);
}

/* What is written; known: it is defined. */
struct call_cell { int64_t element; uint64_t bits; bool known, inside; };

/* Bytes of an area that the call writes. */
static uint8_t *written_bytes(struct simulation *s, const struct call_run *r, const struct call_cell *cell, int64_t n)
{
	int32_t b = r->c->operands[0].buffer;
	int64_t bytes = s->element_bytes[b];
	uint8_t *is = lt__pool_alloc(&s->pool, (size_t)s->area[s->area_of[b]].bytes + 1, 1);
	for (int64_t i = 0; i < n; i++)
		if (cell[i].inside)
			memset(is + s->base[b] + cell[i].element * bytes, 1, (size_t)bytes);
	return is;
}

/* A routine does not read what it writes, but a residual at the place of the result. */
static void check_apart(struct simulation *s, struct call_run *r, const struct call_cell *cell, int64_t n)
{
	int32_t result = r->c->operands[0].buffer;
	uint8_t *is = NULL;
	for (int32_t o = 1; o < r->c->n_operand && !s->status; o++) {
		int32_t b = r->c->operands[o].buffer;
		int64_t element, i = 0, bytes = s->element_bytes[b];
		if (s->area_of[b] != s->area_of[result])
			continue;
		is = is ? is : written_bytes(s, r, cell, n);
		do {
			do {
				if (!call_element(s, r, o, &element))
					continue;
				int64_t byte = s->base[b] + element * bytes;
				bool same = lt__call_reads(r->c, o) == LT_EPILOGUE_RESIDUAL && bytes == s->element_bytes[result]
					&& byte == s->base[result] + cell[i].element * bytes;
				if (!same && memchr(is + byte, 1, (size_t)bytes))
					lt__simulate_find(s, LT_SIMULATE_routine, r->at, b, element,
						"%s reads element %lld of buffer %s, which it writes, too", r->c->routine, (long long)element,
						s->k->buffers[b].name);
			} while (next_index(r, true));
			i++;
		} while (next_index(r, false));
	}
}

static void call_write(struct simulation *s, const struct call_run *r, const struct call_cell *cell, int64_t n)
{
	int32_t b = r->c->operands[0].buffer;
	const struct lt_kernel_buffer *to = &s->k->buffers[b];
	for (int64_t i = 0; i < n && !s->status; i++) {
		if (!cell[i].inside)
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

/* Where operands begin and how many there are; false: none of a dim, or that is not known. */
static bool call_begin(struct simulation *s, struct call_run *r, int64_t *cells)
{
	const struct lt_instruction *x = &s->k->instructions[r->at];
	bool any = true;
	*cells = r->n_deep = 1;
	for (int32_t e = 0; e < x->n_extra; e++) {
		int32_t value = (int32_t)s->k->extras[x->first_extra + e], d = e - r->c->n_operand;
		if (!simulate_known(s, value, 0)) {
			lt__simulate_find(s, d < 0 ? LT_SIMULATE_address : LT_SIMULATE_condition, r->at, -1, -1,
				"%s of %s is undefined", d < 0 ? "where an operand begins" : "how many there are of a dim", r->c->routine);
			return false;
		}
		int64_t is = (int64_t)simulate_lane(s, value, 0);
		if (d < 0) {
			r->begin[e] = is;
			continue;
		}
		r->count[d] = is;
		if (r->c->dims[d].role == LT_DIM_DEEP)
			r->n_deep = is > 0 ? r->n_deep : 0;
		else
			any = any && is > 0;
		if (is > r->c->dims[d].extent) {
			lt__simulate_find(s, LT_SIMULATE_routine, r->at, -1, -1, "%s is called for %lld of %s, which are at most %lld",
				r->c->routine, (long long)is, r->c->dims[d].var, (long long)r->c->dims[d].extent);
			return false;
		}
		if (any && r->c->dims[d].role != LT_DIM_DEEP && __builtin_mul_overflow(*cells, is, cells))
			return false;
	}
	return any;
}

void lt__simulate_call(struct simulation *s, int32_t instruction)
{
	const struct lt_instruction *x = &s->k->instructions[instruction];
	struct call_run r = { .at = instruction, .c = &s->k->calls[x->what] };
	int64_t n, i = 0;
	if (r.c->n_result) {
		lt__simulate_described(s, instruction);
		return;
	}
	r.is_float = lt__number_is_float(r.c->sum);
	if (!call_begin(s, &r, &n))
		return;
	struct call_cell *cell = lt__pool_alloc(&s->pool, (size_t)n + 1, sizeof *cell);
	do {
		cell[i].known = true;
		cell[i].bits = call_result(s, &r, &cell[i].known);
		cell[i].inside = call_element(s, &r, 0, &cell[i].element);
		i++;
	} while (next_index(&r, false) && !s->status);
	if (s->status)
		return;
	check_apart(s, &r, cell, n);
	call_write(s, &r, cell, n);
}
