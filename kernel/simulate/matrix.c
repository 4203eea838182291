/* matrix.c -- matrix instructions: fragments of all threads put together, multiplied, taken apart. */
#include "kernel/simulate/part.h"
#include "kernel/form/form.h"

enum { MAX_ELEMENTS = LT_MATRIX_EXTENT * LT_MATRIX_EXTENT };

/* One run of the instruction. */
struct matrix_run {
	int32_t at, first, n;           /* the instruction; threads */
	const struct lt_instruction *x;
	const struct lt_kernel_matrix *m;
	uint32_t kept_bits;             /* of a factor's fraction; 0: all */
	uint64_t *bits[2];              /* of a and b: rows of elements */
	uint8_t *known[2];
};

/* Where element `lane` of a thread's fragment is. */
static int64_t location_in(const struct lt_kernel_matrix *m, int part, int64_t lane, int32_t thread)
{
	const struct lt_matrix_part *p = &m->part[part];
	int64_t at[3] = { 0, 0, 0 };
	for (int b = 0; b < p->n_element; b++)
		at[p->element[b].axis] += (lane >> b & 1) << p->element[b].power;
	for (int b = 0; b < p->n_thread; b++)
		at[p->thread[b].axis] += (int64_t)(thread >> b & 1) << p->thread[b].power;
	return at[lt__matrix_row_axis(part)] * m->extent[lt__matrix_column_axis(part)] + at[lt__matrix_column_axis(part)];
}

static void fill_from_fragments(struct simulation *s, struct matrix_run *r, int part)
{
	int64_t lanes = lt__matrix_lanes(r->m, part);
	for (int32_t t = 0; t < r->n; t++) {
		lt__simulate_switch(s, r->first + t);
		for (int64_t lane = 0; lane < lanes; lane++) {
			int64_t at = location_in(r->m, part, lane, t);
			r->bits[part][at] = simulate_lane(s, r->x->operand[part], (uint32_t)lane);
			r->known[part][at] = simulate_known(s, r->x->operand[part], (uint32_t)lane);
		}
	}
}

/* The element at a place whose byte's number is changed by the swizzle. */
static int64_t swizzled(const struct simulation *s, int32_t buffer, int64_t element, int64_t swizzle)
{
	int64_t bytes = s->element_bytes[buffer], byte = s->base[buffer] + element * bytes;
	return (lt__swizzled_byte(byte, swizzle) - s->base[buffer]) / bytes;
}

/* All subgroups read it: two threads of each stand for the others. */
static void read_shared(struct simulation *s, const struct matrix_run *r, int32_t buffer, int64_t element)
{
	int32_t subgroup = s->grid->region->subgroup;
	for (int32_t t = 0; t < r->n; t += subgroup) {
		lt__simulate_shadow_read(s, r->at, buffer, element, r->first + t);
		lt__simulate_shadow_read(s, r->at, buffer, element, r->first + t + subgroup - 1);
	}
}

/* What threads ask shared memory for: rows of 16 bytes, eight at a time, where elements of two bytes lie so; else each
 * thread its elements, one after the other. */
static void log_matrix(
	struct simulation *s, const struct matrix_run *r, int part, const struct lt_matrix_location *p, int64_t from)
{
	enum { SIDE = 8 };
	const int32_t buffer = (int32_t)p->buffer, subgroup = s->grid->region->subgroup;
	const int line = p->stride[0] == 1;     /* 0: along a row elements lie side by side, 1: along a column */
	const int64_t columns = r->m->extent[lt__matrix_column_axis(part)];
	const int64_t rows = r->m->extent[lt__matrix_row_axis(part)], n = line ? columns : rows, along = line ? rows : columns;
	bool in_rows = s->element_bytes[buffer] == 2 && p->stride[!line] == 1 && p->stride[line] % SIDE == 0
		&& from % SIDE == 0 && along % SIDE == 0;
	for (int64_t i = 0; i < n * along / SIDE && in_rows; i++) {
		lt__simulate_switch(s, r->first + (int32_t)(i % subgroup));
		lt__simulate_log(s, r->at, (int32_t)(i / subgroup), buffer,
			swizzled(s, buffer, from + i % n * p->stride[line] + i / n * SIDE, p->swizzle), SIDE);
	}
	for (int64_t lane = 0; lane < lt__matrix_lanes(r->m, part) && !in_rows; lane++)
		for (int32_t t = 0; t < r->n && r->m->part[part].n_thread; t++) {
			int64_t e = location_in(r->m, part, lane, t);
			lt__simulate_switch(s, r->first + t);
			lt__simulate_log(s, r->at, (int32_t)lane, buffer, swizzled(s, buffer,
				from + e / columns * p->stride[0] + e % columns * p->stride[1], p->swizzle), 1);
		}
}

/* From operand number `operand`. */
static void fill_from_shared(struct simulation *s, struct matrix_run *r, int part, int operand)
{
	struct lt_matrix_location p = lt__matrix_location(s->k, r->x, operand);
	int32_t buffer = (int32_t)p.buffer;
	int64_t from, rows = r->m->extent[lt__matrix_row_axis(part)], columns = r->m->extent[lt__matrix_column_axis(part)];
	lt__simulate_switch(s, r->first);
	if (!lt__simulate_locate(s, r->at, buffer, r->x->operand[operand], p.number, &from))
		return;
	for (int64_t e = 0; e < rows * columns && !s->status; e++) {
		int64_t element = from;
		bool known = true;
		if (__builtin_add_overflow(element, e / columns * p.stride[0], &element)
			|| __builtin_add_overflow(element, e % columns * p.stride[1], &element)
			|| !lt__simulate_inside(s, r->at, buffer, element, false))
			continue;
		element = swizzled(s, buffer, element, p.swizzle);
		if (!lt__simulate_inside(s, r->at, buffer, element, false))
			continue;
		read_shared(s, r, buffer, element);
		r->bits[part][e] = lt__simulate_bits(s, buffer, element, &known);
		r->known[part][e] = known;
		if (r->x->flags & LT_INSTRUCTION_ASYNC) {
			lt__simulate_shadow_fly(s, buffer, element, 1, 0, 1);
			lt__simulate_fly(s, (struct simulate_flight){ .thread = r->first, .at = r->at, .kind = LT_FLIGHT_PRODUCTS,
				.to = -1, .from = buffer, .from_element = element, .n = 1 });
		}
	}
	if (!s->status && s->count && s->count->request)
		log_matrix(s, r, part, &p, from);
}

/* A factor as the instruction takes it: without the bits of its fraction that it leaves out. */
static double factor_of(const struct matrix_run *r, int part, int64_t at)
{
	uint64_t bits = r->bits[part][at];
	const uint32_t dtype = r->m->part[part].dtype;
	if (r->kept_bits && dtype == LT_F32)
		bits &= ~((UINT64_C(1) << (23 - r->kept_bits)) - 1);
	return lt__number_of_bits(bits, dtype).f;
}

/* The sum of products is rounded once, as the value that it is added to. */
static void multiply(struct simulation *s, struct matrix_run *r, int64_t row, int64_t column, uint64_t *bits,
	bool *known)
{
	const struct lt_matrix_part *p = r->m->part;
	int64_t n = r->m->extent[1], k = r->m->extent[2], whole = 0;
	double sum = 0;
	(void)s;
	for (int64_t i = 0; i < k; i++) {
		int64_t a = row * k + i, b = i * n + column;
		*known = *known && r->known[LT_MATRIX_A][a] && r->known[LT_MATRIX_B][b];
		if (lt__number_is_float(p[LT_MATRIX_A].dtype))
			sum += factor_of(r, LT_MATRIX_A, a) * factor_of(r, LT_MATRIX_B, b);
		else
			whole = (int64_t)((uint64_t)whole
				+ (uint64_t)lt__number_of_bits(r->bits[LT_MATRIX_A][a], p[LT_MATRIX_A].dtype).i
				* (uint64_t)lt__number_of_bits(r->bits[LT_MATRIX_B][b], p[LT_MATRIX_B].dtype).i);
	}
	union lt_number c = lt__number_of_bits(*bits, p[LT_MATRIX_C].dtype);
	if (lt__number_is_float(p[LT_MATRIX_C].dtype))
		c.f += sum;
	else
		c.i = (int64_t)((uint64_t)c.i + (uint64_t)whole);
	*bits = lt__number_bits(lt__number_round(c, p[LT_MATRIX_C].dtype), p[LT_MATRIX_C].dtype);
}

/* The accumulators of one thread, which are one fragment together. */
static void accumulate(struct simulation *s, struct matrix_run *r, int32_t t)
{
	bool async = r->x->flags & LT_INSTRUCTION_ASYNC;
	int64_t lane = 0;
	struct simulate_thread *thread = &s->grid->thread[r->first + t];
	lt__simulate_switch(s, r->first + t);
	for (int32_t e = 2 * LT_MATRIX_LOCATION; e < r->x->n_extra; e++) {
		int64_t v = s->k->extras[r->x->first_extra + e];
		if (thread->variable_flight[v] && !async)
			lt__simulate_find(s, LT_SIMULATE_in_flight, r->at, -1, -1, "accumulator %s is in flight for another instruction",
				s->k->variables[v].name);
		thread->variable_flight[v] = thread->variable_flight[v] + async;
		for (uint32_t l = 0; l < s->k->variables[v].lanes; l++, lane++) {
			int64_t at = location_in(r->m, LT_MATRIX_C, lane, t), n = r->m->extent[1];
			bool known = s->variable_defined[v] >> l & 1;
			multiply(s, r, at / n, at % n, &s->variable[s->variable_at[v] + l], &known);
			if (!known)
				s->variable_defined[v] &= ~(UINT64_C(1) << l);
		}
	}
	if (async)
		lt__simulate_fly(s, (struct simulate_flight){ .thread = r->first + t, .at = r->at, .kind = LT_FLIGHT_PRODUCTS,
			.to = -1, .from = -1 });
}

static void take_memory(struct simulation *s, struct matrix_run *r, int part)
{
	struct simulate_grid *g = s->grid;
	if (!g->matrix_bits[part]) {
		g->matrix_bits[part] = lt__pool_alloc(&s->pool, MAX_ELEMENTS, sizeof **g->matrix_bits);
		g->matrix_known[part] = lt__pool_alloc(&s->pool, MAX_ELEMENTS, 1);
	}
	r->bits[part] = g->matrix_bits[part];
	r->known[part] = g->matrix_known[part];
}

void lt__simulate_fragment(struct simulation *s, int32_t instruction, int32_t first, int32_t n)
{
	const struct lt_instruction *x = &s->k->instructions[instruction];
	struct matrix_run r = { .at = instruction, .first = first, .n = n, .x = x, .m = &s->k->matrices[x->what] };
	const int part = (int)x->number;
	take_memory(s, &r, part);
	fill_from_shared(s, &r, part, 0);
	for (int32_t t = 0; t < n && !s->status; t++) {
		lt__simulate_switch(s, first + t);
		for (uint32_t lane = 0; lane < x->lanes; lane++) {
			int64_t at = location_in(r.m, part, lane, t);
			simulate_give(s, instruction, lane, r.bits[part][at], r.known[part][at]);
		}
	}
}

void lt__simulate_matrix(struct simulation *s, int32_t instruction, int32_t first, int32_t n)
{
	const struct lt_instruction *x = &s->k->instructions[instruction];
	const struct lt_tile_row *row = lt__tile_row_of(&s->k->matrices[x->what]);
	struct matrix_run r = { .at = instruction, .first = first, .n = n, .x = x, .m = &s->k->matrices[x->what],
		.kept_bits = row ? row->kept_bits : 0 };
	for (int part = 0; part < 2; part++) {
		take_memory(s, &r, part);
		if (lt__matrix_location(s->k, x, part).buffer < 0)
			fill_from_fragments(s, &r, part);
		else
			fill_from_shared(s, &r, part, part);
	}
	for (int32_t t = 0; t < n && !s->status; t++)
		accumulate(s, &r, t);
}
