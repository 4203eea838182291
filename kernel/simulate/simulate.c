/* simulate.c -- one run of a kernel program: its memory, its parameters, the host's region. */
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/simulate/part.h"

lt_status lt__simulate_accepts(const struct lt_kernel *k, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < k->n_instruction; i++)
		if (k->instructions[i].opcode == LT_OPCODE_text)
			return lt__report(diag, LT_EUNSUPPORTED, -1, k->instructions[i].origin,
				"use operators of ir/op/op.def, or a backend that compiles C, such as cpu",
				"operator %s is C text only, which is not interpreted", k->ops[k->instructions[i].what].name);
	return LT_OK;
}

/* Bytes of a buffer; -1: more than 63 bits. */
static int64_t buffer_bytes(const struct lt_kernel_buffer *b)
{
	int64_t bytes;
	return b->elems < 0 || __builtin_mul_overflow(b->elems, (int64_t)lt__number_bytes(b->dtype), &bytes) ? -1 : bytes;
}

/* Before anything is touched. */
static lt_status check_args(const struct lt_kernel *k, const struct lt_args *args, struct lt_diag *diag)
{
	if (args->n_slot != k->n_slot)
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s takes %u buffers, %u were given", k->name,
			(unsigned)k->n_slot, (unsigned)args->n_slot);
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		int64_t bytes = buffer_bytes(x);
		if (bytes < 0 || (x->space == LT_SPACE_SLOT && args->slot[x->slot].bytes < bytes))
			return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: buffer %s has %lld bytes and needs %lld", k->name,
				x->name, x->space == LT_SPACE_SLOT ? (long long)args->slot[x->slot].bytes : 0, (long long)bytes);
	}
	/* Races are looked for by slot: two that are one memory would hide them. */
	for (uint32_t i = 0; i < k->n_buffer; i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct lt_kernel_buffer *x = &k->buffers[i], *y = &k->buffers[j];
			if (x->space != LT_SPACE_SLOT || y->space != LT_SPACE_SLOT || x->slot == y->slot || !(x->written || y->written))
				continue;
			const struct lt_slot *a = &args->slot[x->slot], *b = &args->slot[y->slot];
			uintptr_t at = (uintptr_t)a->base + (uintptr_t)a->offset, other = (uintptr_t)b->base + (uintptr_t)b->offset;
			if (at < other + (uintptr_t)buffer_bytes(y) && other < at + (uintptr_t)buffer_bytes(x))
				return lt__report(diag, LT_EINVAL, -1, -1, NULL,
					"kernel %s: buffers %s and %s, of different slots, overlap, and one is written", k->name, x->name,
					y->name);
		}
	return LT_OK;
}

/* Which area each buffer is in, from which byte on. */
static void fill_areas(struct simulation *s)
{
	const struct lt_kernel *k = s->k;
	int32_t n = (int32_t)k->n_slot + 3;
	s->shared_area = n - 1;
	s->area = lt__pool_alloc(&s->pool, (size_t)k->n_slot + 3 + k->n_buffer, sizeof *s->area);
	s->area_of = lt__pool_alloc(&s->pool, k->n_buffer, sizeof *s->area_of);
	s->base = lt__pool_alloc(&s->pool, k->n_buffer, sizeof *s->base);
	s->element_bytes = lt__pool_alloc(&s->pool, k->n_buffer, sizeof *s->element_bytes);
	for (uint32_t i = 0; i < k->n_slot; i++) {
		s->area[i].at = (unsigned char *)s->args->slot[i].base + s->args->slot[i].offset;
		s->area[i].bytes = s->args->slot[i].bytes;
	}
	s->area[k->n_slot].bytes = k->workspace_bytes;
	s->area[k->n_slot + 1].bytes = k->thread_bytes;
	for (uint32_t r = 0; r < k->n_region; r++)
		if (k->regions[r].shared_bytes > s->area[s->shared_area].bytes)
			s->area[s->shared_area].bytes = k->regions[r].shared_bytes;
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		bool is_part = x->space == LT_SPACE_WORKSPACE || x->space == LT_SPACE_THREAD || x->space == LT_SPACE_SHARED;
		s->area_of[b] = x->space == LT_SPACE_SLOT ? x->slot : x->space == LT_SPACE_WORKSPACE ? (int32_t)k->n_slot
			: x->space == LT_SPACE_THREAD ? (int32_t)k->n_slot + 1 : x->space == LT_SPACE_SHARED ? s->shared_area : n++;
		s->base[b] = is_part ? x->offset : 0;
		s->element_bytes[b] = lt__number_bytes(x->dtype);
		if (x->space == LT_SPACE_ARRAY)
			s->area[s->area_of[b]].bytes = buffer_bytes(x);
	}
	s->n_area = n;
}

/* What each area remembers of its granules. */
static void fill_states(struct simulation *s)
{
	const struct lt_kernel *k = s->k;
	bool *written = lt__pool_alloc(&s->pool, (size_t)s->n_area, sizeof *written), teams = false, grids = false;
	for (uint32_t r = 1; r < k->n_region; r++) {
		teams = teams || k->regions[r].kind == LT_REGION_TEAM;
		grids = grids || k->regions[r].kind == LT_REGION_GRID;
	}
	for (int32_t a = 0; a < s->n_area; a++)
		s->area[a].shift = 3;
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		struct simulate_area *a = &s->area[s->area_of[b]];
		while (s->element_bytes[b] % (1 << a->shift) || s->base[b] % (1 << a->shift))
			a->shift--;
		written[s->area_of[b]] = written[s->area_of[b]] || k->buffers[b].written;
	}
	const uint64_t races = UINT64_C(1) << LT_SIMULATE_blocks | UINT64_C(1) << LT_SIMULATE_threads;
	const bool unwatched = (s->options.off & races) == races;       /* nobody asks who wrote and read global memory */
	for (int32_t i = 0; i < s->n_area; i++) {
		struct simulate_area *a = &s->area[i];
		size_t n = (size_t)(a->bytes >> a->shift) + 1;
		bool is_slot = i < (int32_t)k->n_slot;
		if (!is_slot)
			a->at = lt__pool_alloc(&s->pool, (size_t)a->bytes + 1, 1);
		if (!is_slot || (s->options.fresh && s->options.fresh[i]))
			a->stamp = lt__pool_alloc(&s->pool, n, sizeof *a->stamp);
		a->now = 1;
		if (grids && written[i] && ((i <= (int32_t)k->n_slot && !unwatched) || i == s->shared_area))
			a->shadow = lt__pool_alloc(&s->pool, n, sizeof *a->shadow);
		for (size_t g = 0; a->shadow && g < n; g++)
			a->shadow[g].read[0].thread = a->shadow[g].read[1].thread = -1;
		if (i <= (int32_t)k->n_slot && written[i] && teams)
			a->mark = lt__pool_alloc(&s->pool, n, sizeof *a->mark);
	}
}

/* Room for values, with the constants in it, and whose variables and arrays are. */
static void fill_values(struct simulation *s)
{
	const struct lt_kernel *k = s->k;
	int64_t n = 0;
	s->at = lt__pool_alloc(&s->pool, k->n_instruction, sizeof *s->at);
	s->defined = lt__pool_alloc(&s->pool, k->n_instruction, sizeof *s->defined);
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		s->at[i] = n;
		n += k->instructions[i].lanes;
	}
	s->n_value = n;
	s->value = lt__pool_alloc(&s->pool, (size_t)n + 1, sizeof *s->value);
	s->grids = lt__pool_alloc(&s->pool, k->n_region, sizeof *s->grids);
	for (int32_t i = 0; i < (int32_t)k->n_instruction; i++)
		if (k->instructions[i].opcode == LT_OPCODE_const)
			lt__simulate_lanes(s, i);
	s->variable_at = lt__pool_alloc(&s->pool, k->n_variable, sizeof *s->variable_at);
	s->variable_defined = lt__pool_alloc(&s->pool, k->n_variable, sizeof *s->variable_defined);
	s->variable_region = lt__pool_alloc(&s->pool, k->n_variable, sizeof *s->variable_region);
	s->buffer_region = lt__pool_alloc(&s->pool, k->n_buffer, sizeof *s->buffer_region);
	n = 0;
	for (uint32_t v = 0; v < k->n_variable; v++) {
		s->variable_at[v] = n;
		n += k->variables[v].lanes;
	}
	s->variable = lt__pool_alloc(&s->pool, (size_t)n + 1, sizeof *s->variable);
	for (uint32_t r = 0; r < k->n_region; r++)
		for (int32_t i = k->regions[r].first; i < k->regions[r].first + k->regions[r].n; i++) {
			const struct lt_instruction *x = &k->instructions[i];
			if (lt__opcode_names(x->opcode) == LT_NAMES_BUFFER)
				s->buffer_region[x->what] = (int32_t)r;
			else if (lt__opcode_names(x->opcode) == LT_NAMES_VARIABLE)
				s->variable_region[x->what] = (int32_t)r;
		}
}

/* Parts of the workspace and of a thread lie in it; every buffer is aligned. */
static void check_locations(struct simulation *s)
{
	for (int32_t b = 0; b < (int32_t)s->k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &s->k->buffers[b];
		const struct simulate_area *a = &s->area[s->area_of[b]];
		int64_t end;
		if (s->base[b] < 0 || __builtin_add_overflow(s->base[b], buffer_bytes(x), &end) || end > a->bytes)
			lt__simulate_find(s, LT_SIMULATE_space, -1, b, -1, "buffer %s is %lld bytes from byte %lld on, of %lld", x->name,
				(long long)buffer_bytes(x), (long long)s->base[b], (long long)a->bytes);
		uint64_t address = (uint64_t)s->base[b] + (x->space == LT_SPACE_SLOT ? (uint64_t)(uintptr_t)a->at : 0);
		if (x->space != LT_SPACE_ARRAY && x->elems > 0 && x->align > 0 && address % (uint64_t)x->align)
			lt__simulate_find(s, LT_SIMULATE_align, -1, b, -1, "the base of buffer %s is %llu bytes behind a multiple of %lld",
				x->name, (unsigned long long)(address % (uint64_t)x->align), (long long)x->align);
	}
}

/* No other buffer reaches the elements of an exclusive one, if either is written. */
static void check_exclusive(struct simulation *s)
{
	for (int32_t b = 0; b < (int32_t)s->k->n_buffer; b++)
		for (int32_t c = 0; c < (int32_t)s->k->n_buffer; c++) {
			const struct lt_kernel_buffer *x = &s->k->buffers[b], *y = &s->k->buffers[c];
			if (b == c || !x->exclusive || (!x->written && !y->written))
				continue;
			if (x->space == LT_SPACE_SHARED && y->space == LT_SPACE_SHARED && s->buffer_region[b] != s->buffer_region[c])
				continue;       /* each grid's is another memory */
			uintptr_t xa = (uintptr_t)s->area[s->area_of[b]].at + (uintptr_t)s->base[b];
			uintptr_t ya = (uintptr_t)s->area[s->area_of[c]].at + (uintptr_t)s->base[c];
			if (xa < ya + (uintptr_t)buffer_bytes(y) && ya < xa + (uintptr_t)buffer_bytes(x))
				lt__simulate_find(s, LT_SIMULATE_exclusive, -1, b, -1, "buffer %s is exclusive, and buffer %s reaches it, too",
					x->name, y->name);
		}
}

static void read_params(struct simulation *s)
{
	s->param = lt__pool_alloc(&s->pool, s->k->n_param, sizeof *s->param);
	for (uint32_t i = 0; i < s->k->n_param && !s->status; i++) {
		const struct lt_kernel_param *p = &s->k->params[i];
		bool defined = false;
		if (!lt__simulate_inside(s, -1, p->buffer, p->element, false))
			continue;
		int64_t v = (int64_t)lt__simulate_load(s, -1, p->buffer, p->element, &defined);
		s->param[i] = v;
		if (v < p->low || v > p->high)
			s->status = lt__report(s->diag, LT_EINVAL, -1, -1, NULL, "kernel %s: %s is %lld, outside %lld..%lld", s->k->name,
				p->name, (long long)v, (long long)p->low, (long long)p->high);
	}
}

/* What nobody wrote. */
static void check_results(struct simulation *s)
{
	for (int32_t b = 0; b < (int32_t)s->k->n_buffer && !s->status; b++) {
		const struct lt_kernel_buffer *x = &s->k->buffers[b];
		if (x->space != LT_SPACE_SLOT || !x->written || !s->options.fresh || s->options.fresh[x->slot] != 2)
			continue;
		for (int64_t e = 0; e < x->elems && !s->status; e++)
			if (!lt__simulate_is_defined(s, b, e)) {
				lt__simulate_find(s, LT_SIMULATE_result, -1, b, e, "nobody has written element %lld of buffer %s",
					(long long)e, x->name);
				break;
			}
	}
}

static void simulate(struct simulation *s)
{
	fill_areas(s);
	fill_states(s);
	fill_values(s);
	check_locations(s);
	check_exclusive(s);
	read_params(s);
	if (!s->status)
		lt__simulate_host(s);
	if (!s->status)
		check_results(s);
}

lt_status lt__simulate(const struct lt_kernel *k, const struct lt_args *args, const struct lt_simulate_options *options,
	struct lt_simulate_count *count, struct lt_simulate_finding *finding, struct lt_diag *diag)
{
	struct lt_fault fault = { 0 };
	struct lt_args with_fault = *args;
	if (finding)
		*finding = (struct lt_simulate_finding){ LT_NSIMULATE, -1, -1, -1, -1, -1 };
	lt_status status = check_args(k, args, diag);
	status = status ? status : lt__simulate_accepts(k, diag);
	if (status)
		return status;
	struct simulation *s = calloc(1, sizeof *s);
	if (!s)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	with_fault.fault = args->fault ? args->fault : &fault;
	*s = (struct simulation){ .k = k, .args = &with_fault, .options = *options, .diag = diag, .count = count,
		.found = { LT_NSIMULATE, -1, -1, -1, -1, -1 } };
	if (setjmp(s->pool.jump))
		s->status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	else
		simulate(s);
	status = s->status;
	if (finding)
		*finding = s->found;
	lt__pool_free(&s->pool);
	free(s);
	return status;
}
