/* walk.c -- a kernel program walked through by its loops.
 *
 * Only what addresses, conditions and ends of loops are made of is computed.  For counts, a loop in which nothing is
 * decided is not walked: what is in it runs as often as its iterations say.  For bytes each access is looked at, in
 * order; a read at byte c is in the way of a write that has come to byte b already, if both are the same byte: so the
 * memory that is read begins more than b - c bytes after the one that is written.
 */
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"
#include "kernel/walk/walk.h"

enum { MAX_STEPS = 100000000 }; /* instructions looked at: about half a second */

struct walk {
	const struct lt_kernel *k;
	struct lt_pool pool;
	struct lt_diag *diag;
	int64_t *runs;                  /* NULL: not counted */
	int64_t *ahead, *written;       /* ahead NULL: not asked; written: by slot, where what is written ends; -1: none is */
	bool *part;                     /* by instruction: addresses, conditions or ends are made of it */
	bool *decides;                  /* by loop: something in it is decided by its iterations */
	bool *known;                    /* by instruction, while it is walked */
	uint64_t *value;
	int64_t steps;
	const char *why;                /* it cannot be walked */
};

void lt__walk_parts(const struct lt_kernel *k, bool addresses, bool *part)
{
	const struct lt_region *r = &k->regions[0];
	for (int32_t i = r->first + r->n; i-- > r->first; ) {
		const struct lt_instruction *x = &k->instructions[i];
		const bool access = x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store;
		const bool asks = x->opcode == LT_OPCODE_if || x->opcode == LT_OPCODE_loop || (access && addresses);
		for (int o = 0; o < 3; o++)
			if (x->operand[o] >= 0 && (asks ? o < 2 : part[i] && !access))
				part[x->operand[o]] = true;
	}
}

/* What is computed; which loops have to be walked. */
static void find_parts(struct walk *w, const struct lt_region *r)
{
	lt__walk_parts(w->k, w->ahead != NULL, w->part);
	for (int32_t i = r->first; i < r->first + r->n; i++)
		for (int32_t l = w->k->instructions[i].opcode == LT_OPCODE_loop ? i : INT32_MAX; l < r->first + r->n
				&& l < w->k->instructions[i].what; l++)
			w->decides[i] = w->decides[i] || w->ahead || w->k->instructions[l].opcode == LT_OPCODE_if
				|| (l > i && w->part[l] && w->k->instructions[l].opcode != LT_OPCODE_const
					&& w->k->instructions[l].opcode != LT_OPCODE_loop);
}

static void touch(struct walk *w, const struct lt_instruction *x)
{
	const struct lt_kernel_buffer *b = &w->k->buffers[x->what];
	const int64_t bytes = lt__kernel_element_bytes(b->dtype), all = b->elems * bytes;
	const bool here = x->operand[1] < 0 && (x->operand[0] < 0 || w->known[x->operand[0]]);
	const int64_t first = here ? ((x->operand[0] < 0 ? 0 : (int64_t)w->value[x->operand[0]]) + x->number) * bytes : 0;
	if (b->space != LT_SPACE_SLOT)
		return;
	if (x->opcode == LT_OPCODE_store) {
		const int64_t end = here && x->operand[3] >= 0 && w->k->instructions[x->operand[3]].lanes <= 1 ? first + bytes : all;
		w->written[b->slot] = end > w->written[b->slot] ? end : w->written[b->slot];
		return;
	}
	for (uint32_t s = 0; s < w->k->n_slot; s++) {
		int64_t *a = &w->ahead[s * w->k->n_slot + (uint32_t)b->slot];
		if (w->written[s] >= 0 && w->written[s] - first > *a)
			*a = w->written[s] - first;
	}
}

/* Of integers, by their bits alone. */
static bool computes(uint32_t opcode)
{
	return opcode < LT_NOPERATOR_OPCODE || opcode == LT_OPCODE_quotient || opcode == LT_OPCODE_remainder
		|| opcode == LT_OPCODE_lesser || opcode == LT_OPCODE_larger || opcode == LT_OPCODE_shift_left
		|| opcode == LT_OPCODE_shift_right || opcode == LT_OPCODE_shift_signed;
}

static void compute(struct walk *w, int32_t i)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	bool known = x->lanes <= 1 && x->opcode != LT_OPCODE_load && x->opcode != LT_OPCODE_get;
	uint64_t v[3] = { 0 };
	for (int o = 0; o < 3 && known; o++) {
		known = x->operand[o] < 0 || w->known[x->operand[o]];
		v[o] = x->operand[o] < 0 ? 0 : w->value[x->operand[o]];
	}
	const uint32_t from = x->operand[0] >= 0 ? w->k->instructions[x->operand[0]].dtype : 0;
	w->known[i] = known;
	if (!known)
		return;
	switch (x->opcode) {
	case LT_OPCODE_const: w->value[i] = (uint64_t)x->number; break;
	case LT_OPCODE_cast:
	case LT_OPCODE_convert: w->value[i] = lt__simulate_cast(v[0], from, x->dtype); break;
	case LT_OPCODE_select: w->value[i] = v[0] & 1 ? v[1] : v[2]; break;
	case LT_OPCODE_flag:
	case LT_OPCODE_test: w->value[i] = v[0] & 1; break;
	case LT_OPCODE_not:
		w->value[i] = from == LT_LANE_MASK ? !(v[0] & 1) : ~v[0];
		w->known[i] = from == LT_LANE_MASK;
		break;
	default:
		w->known[i] = from == LT_LANE_MASK || (from == LT_I64 && computes(x->opcode));
		w->value[i] = from == LT_LANE_MASK ? x->opcode == LT_OPCODE_and ? v[0] & v[1] & 1 : x->opcode == LT_OPCODE_or
			? (v[0] | v[1]) & 1 : (v[0] ^ v[1]) & 1 : lt__simulate_value(x->opcode, from, v[0], v[1]);
	}
}

static void walk_block(struct walk *w, int32_t first, int32_t end, int64_t times);

/* Its body up to its end. */
static void walk_loop(struct walk *w, int32_t i, int64_t times)
{
	const struct lt_instruction *x = &w->k->instructions[i];
	const int64_t from = (int64_t)w->value[x->operand[0]], to = (int64_t)w->value[x->operand[1]];
	const int64_t n = to > from ? (to - from - 1) / x->number + 1 : 0;
	if (!w->known[x->operand[0]] || !w->known[x->operand[1]]) {
		w->why = "the end of a loop depends on a load";
		return;
	}
	w->known[i] = true;
	if (!w->decides[i]) {
		walk_block(w, i + 1, x->what, times * n);
		return;
	}
	for (int64_t k = 0; k < n && !w->why; k++) {
		w->value[i] = (uint64_t)(from + k * x->number);
		walk_block(w, i + 1, x->what, times);
	}
}

/* Instructions first .. end - 1, so often. */
static void walk_block(struct walk *w, int32_t first, int32_t end, int64_t times)
{
	for (int32_t i = first; i < end && !w->why; i++) {
		const struct lt_instruction *x = &w->k->instructions[i];
		if (w->runs)
			w->runs[i] += times;
		if (++w->steps > MAX_STEPS)
			w->why = "it has too many iterations to be walked";
		if (x->opcode == LT_OPCODE_loop) {
			walk_loop(w, i, times);
			i = x->what;
		} else if (x->opcode == LT_OPCODE_if) {
			const int32_t other = x->what, is_else = w->k->instructions[other].opcode == LT_OPCODE_else;
			const int32_t last = is_else ? w->k->instructions[other].what : other;
			const bool known = w->known[x->operand[0]], on = w->value[x->operand[0]] & 1;
			if (!known || on)
				walk_block(w, i + 1, other, times);
			if (is_else && (!known || !on))
				walk_block(w, other + 1, last, times);
			i = last;
		} else if (w->part[i]) {
			compute(w, i);
		}
		if (w->ahead && (x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store))
			touch(w, x);
	}
}

static lt_status walk_program(struct walk *w)
{
	const struct lt_kernel *k = w->k;
	const size_t n = k->n_instruction;
	if (setjmp(w->pool.jump)) {
		lt__pool_free(&w->pool);
		return lt__report(w->diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	w->part = lt__pool_alloc(&w->pool, n, sizeof *w->part);
	w->decides = lt__pool_alloc(&w->pool, n, sizeof *w->decides);
	w->known = lt__pool_alloc(&w->pool, n, sizeof *w->known);
	w->value = lt__pool_alloc(&w->pool, n, sizeof *w->value);
	w->written = lt__pool_alloc(&w->pool, k->n_slot, sizeof *w->written);
	for (uint32_t s = 0; s < k->n_slot; s++)
		w->written[s] = -1;
	if (k->n_region != 1 || k->n_param || k->n_call)
		w->why = "it has teams, grids, calls or run-time scalars";
	if (!w->why) {
		find_parts(w, &k->regions[0]);
		walk_block(w, k->regions[0].first, k->regions[0].first + k->regions[0].n, 1);
	}
	lt__pool_free(&w->pool);
	return w->why ? lt__report(w->diag, LT_EUNSUPPORTED, -1, -1, NULL, "kernel %s: %s", k->name, w->why) : LT_OK;
}

lt_status lt__walk_counts(const struct lt_kernel *k, int64_t *runs, struct lt_diag *diag)
{
	struct walk w = { .k = k, .diag = diag, .runs = runs };
	memset(runs, 0, k->n_instruction * sizeof *runs);
	return walk_program(&w);
}

/* A slot that several buffers are of, or that is read and written, has no order that this follows. */
static void leave_out(const struct lt_kernel *k, int64_t *a)
{
	bool read[k->n_slot + 1], stored[k->n_slot + 1];
	memset(read, 0, sizeof read);
	memset(stored, 0, sizeof stored);
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if ((x->opcode != LT_OPCODE_load && x->opcode != LT_OPCODE_store) || k->buffers[x->what].slot < 0)
			continue;
		*(x->opcode == LT_OPCODE_load ? &read[k->buffers[x->what].slot] : &stored[k->buffers[x->what].slot]) = true;
	}
	for (uint32_t s = 0; s < k->n_slot; s++)
		for (uint32_t r = 0; r < k->n_slot; r++)
			if (!stored[s] || !read[r] || stored[r] || s == r)
				a[s * k->n_slot + r] = -1;
}

lt_status lt__walk_ahead(const struct lt_kernel *k, int64_t *a, struct lt_diag *diag)
{
	struct walk w = { .k = k, .diag = diag, .ahead = a };
	memset(a, 0, (size_t)k->n_slot * k->n_slot * sizeof *a);
	const lt_status st = walk_program(&w);
	leave_out(k, a);
	return st;
}
