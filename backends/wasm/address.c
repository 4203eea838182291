/* address.c -- where an access goes, as 32 bits: a buffer's begin, values times bytes, and a constant.
 *
 * The values of a sum are added in the order in which they are made, each where it is made, so that outer loops do what
 * inner ones share, and accesses with equal sums share all of it.  In a loop without loops in it the part itself moves
 * on from iteration to iteration.  The constant is the instruction's offset, if nothing in the sum can be below 0: the
 * engine adds it without wrapping round.
 */
#include <stdlib.h>
#include "backends/wasm/print.h"

#define C (&p->code)
enum { N_TERM = 32, MAX_DEPTH = 64 };
struct wasm_term { int32_t value; int64_t times; };
struct wasm_terms { struct wasm_term at[N_TERM]; int n; int64_t constant; };

/* -- what is not below 0 */

static bool is_positive_argument(const struct wasm_print *p, int32_t region, int32_t a)
{
	return a < 31 && p->positive_argument[region] >> a & 1;
}

static void find_positive(struct wasm_print *p, int32_t region, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	bool yes = false;
	if (x->dtype != LT_I64 || x->lanes != 1)
		return;
	switch (x->opcode) {
	case LT_OPCODE_const: yes = x->number >= 0; break;
	case LT_OPCODE_first: yes = true; break;
	case LT_OPCODE_param: yes = p->k->params[x->what].low >= 0; break;
	case LT_OPCODE_argument: yes = is_positive_argument(p, region, x->what); break;
	case LT_OPCODE_loop: yes = p->positive[x->operand[0]]; break;
	case LT_OPCODE_add:
	case LT_OPCODE_mul:
	case LT_OPCODE_quotient:
	case LT_OPCODE_lesser: yes = p->positive[x->operand[0]] && p->positive[x->operand[1]]; break;
	case LT_OPCODE_larger: yes = p->positive[x->operand[0]] || p->positive[x->operand[1]]; break;
	case LT_OPCODE_remainder: yes = p->positive[x->operand[0]]; break;
	default: break;
	}
	p->positive[i] = yes;
}

/* What a launch hands over is not below 0 if it is so at each launch. */
static void find_positive_arguments(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	for (int32_t a = 0; a < x->n_extra && a < 31; a++)
		if (!p->positive[p->k->extras[x->first_extra + a]])
			p->positive_argument[x->what] &= ~(1 << a);
}

/* -- sums */

/* They wrap, in what never runs. */
static int64_t product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static void add_term(struct wasm_print *p, struct wasm_terms *s, int32_t value, int64_t times)
{
	int at = s->n;
	while (at > 0 && s->at[at - 1].value > value)
		at--;
	if (at > 0 && s->at[at - 1].value == value) {
		s->at[at - 1].times = plus(s->at[at - 1].times, times);
		return;
	}
	if (s->n == N_TERM) {
		p->failed = true;
		return;
	}
	for (int k = s->n++; k > at; k--)
		s->at[k] = s->at[k - 1];
	s->at[at] = (struct wasm_term){ value, times };
}

static bool is_constant(const struct wasm_print *p, int32_t v) { return wasm_made(p, v)->opcode == LT_OPCODE_const; }

/* Terms that no longer fit stay what they are: one value. */
static void find_terms(struct wasm_print *p, struct wasm_terms *s, int32_t v, int64_t times, int depth)
{
	const struct lt_instruction *x = wasm_made(p, v);
	const bool opens = depth < MAX_DEPTH && s->n < N_TERM / 2;
	const int32_t a = x->operand[0], b = x->operand[1];
	if (is_constant(p, v)) {
		s->constant = plus(s->constant, product(times, x->number));
	} else if (opens && (x->opcode == LT_OPCODE_add || x->opcode == LT_OPCODE_sub)) {
		find_terms(p, s, a, times, depth + 1);
		find_terms(p, s, b, x->opcode == LT_OPCODE_sub ? product(times, -1) : times, depth + 1);
	} else if (opens && x->opcode == LT_OPCODE_mul && (is_constant(p, a) || is_constant(p, b))) {
		const int32_t factor = is_constant(p, b) ? b : a;
		find_terms(p, s, factor == b ? a : b, product(times, wasm_made(p, factor)->number), depth + 1);
	} else {
		add_term(p, s, v, times);
	}
}

/* -- parts */

static int32_t find_part(struct wasm_print *p, int32_t parent, int32_t buffer, int32_t value, int64_t bytes)
{
	int32_t *at = &p->first_part[value];
	for (; *at >= 0; at = &p->next_part[*at]) {
		const struct wasm_part *x = &p->part[*at];
		if (x->parent == parent && x->buffer == buffer && x->bytes == bytes)
			return *at;
	}
	*at = p->n_part;
	p->next_part[p->n_part] = -1;
	p->part[p->n_part] = (struct wasm_part){ parent, buffer, value, bytes, -1, false, false };
	return p->n_part++;
}

static bool find_place(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const int64_t width = lt__number_bytes(p->k->buffers[x->what].dtype);
	struct wasm_terms s = { .n = 0 };
	int32_t part = -1;
	bool positive = x->operand[1] < 0;
	if (x->operand[0] >= 0)
		find_terms(p, &s, x->operand[0], 1, 0);
	if (p->n_part + s.n > p->cap_part) {
		const int32_t cap = 2 * (p->n_part + s.n) + 64;
		void *a = realloc(p->part, (size_t)cap * sizeof *p->part);
		p->part = a ? a : p->part;
		void *b = realloc(p->next_part, (size_t)cap * sizeof *p->next_part);
		p->next_part = b ? b : p->next_part;
		if (!a || !b)
			return false;
		p->cap_part = cap;
	}
	for (int t = 0; t < s.n; t++) {
		positive = positive && s.at[t].times >= 0 && p->positive[s.at[t].value];
		if (s.at[t].times)
			part = find_part(p, part, x->what, s.at[t].value, product(s.at[t].times, width));
	}
	p->place[i] = (struct wasm_place){ part, product(plus(s.constant, x->number), width), positive };
	return true;
}

/* Which loops have no loops in them. */
static void find_innermost(struct wasm_print *p)
{
	int32_t open[LT_MAX_BLOCKS], n = 0;
	for (int32_t i = 0; i < (int32_t)p->k->n_instruction; i++) {
		const uint32_t opcode = wasm_made(p, i)->opcode;
		for (int32_t o = 0; opcode == LT_OPCODE_loop && o < n; o++)
			p->within[open[o]] = 0;
		if (opcode == LT_OPCODE_loop)
			p->within[i] = 1;
		if (opcode == LT_OPCODE_loop || opcode == LT_OPCODE_if)
			open[n++] = i;
		n -= opcode == LT_OPCODE_end;
	}
}

bool lt__wasm_find_places(struct wasm_print *p)
{
	const struct lt_kernel *k = p->k;
	for (uint32_t r = 0; r < k->n_region; r++)
		p->positive_argument[r] = -1;
	find_innermost(p);
	for (uint32_t r = 0; r < k->n_region; r++)
		for (int32_t i = k->regions[r].first; i < k->regions[r].first + k->regions[r].n; i++) {
			const uint32_t opcode = wasm_made(p, i)->opcode;
			find_positive(p, (int32_t)r, i);
			if (opcode == LT_OPCODE_launch)
				find_positive_arguments(p, i);
			if ((opcode == LT_OPCODE_load || opcode == LT_OPCODE_store) && !find_place(p, i))
				return false;
		}
	for (int32_t j = 0; j < p->n_part; j++)
		p->part[j].along = wasm_made(p, p->part[j].value)->opcode == LT_OPCODE_loop && p->within[p->part[j].value];
	return !p->failed;
}

/* -- printing */

static void push_from(struct wasm_print *p, const struct wasm_part *x)
{
	lt__wasm_at(C, WASM_local_get, (uint32_t)(x->parent >= 0 ? p->part[x->parent].local : p->base[x->buffer]));
}

/* The part for a value that pushes itself. */
static void set_part(struct wasm_print *p, struct wasm_part *x, int32_t value)
{
	x->local = (int32_t)lt__wasm_local(C, WASM_I32, false, "at%d", (int)(x - p->part));
	push_from(p, x);
	lt__wasm_push(p, value);
	lt__wasm(C, WASM_i32_wrap_i64);
	if (x->bytes > 0 && (x->bytes & (x->bytes - 1)) == 0 && x->bytes <= INT32_MAX) {
		lt__wasm_i32(C, __builtin_ctzll((uint64_t)x->bytes));
		lt__wasm(C, WASM_i32_shl);
	} else {
		lt__wasm_i32(C, (int32_t)x->bytes);
		lt__wasm(C, WASM_i32_mul);
	}
	lt__wasm(C, WASM_i32_add);
	lt__wasm_at(C, WASM_local_set, (uint32_t)x->local);
}

void lt__wasm_print_parts(struct wasm_print *p, int32_t v)
{
	for (int32_t j = p->first_part[v]; j >= 0; j = p->next_part[j])
		if (!p->part[j].along)
			set_part(p, &p->part[j], v);
}

void lt__wasm_print_live_parts(struct wasm_print *p, int32_t v)
{
	for (int32_t j = p->first_part[v]; j >= 0; j = p->next_part[j])
		if (p->part[j].lives && !p->part[j].along)
			set_part(p, &p->part[j], v);
}

void lt__wasm_begin_along(struct wasm_print *p, int32_t loop)
{
	for (int32_t j = p->first_part[loop]; j >= 0; j = p->next_part[j])
		if (p->part[j].along)
			set_part(p, &p->part[j], wasm_made(p, loop)->operand[0]);
}

void lt__wasm_step_along(struct wasm_print *p, int32_t loop)
{
	for (int32_t j = p->first_part[loop]; j >= 0; j = p->next_part[j]) {
		const struct wasm_part *x = &p->part[j];
		if (!x->along)
			continue;
		lt__wasm_at(C, WASM_local_get, (uint32_t)x->local);
		lt__wasm_i32(C, (int32_t)((uint64_t)x->bytes * (uint64_t)wasm_made(p, loop)->number));
		lt__wasm(C, WASM_i32_add);
		lt__wasm_at(C, WASM_local_set, (uint32_t)x->local);
	}
}

void lt__wasm_push_address(struct wasm_print *p, int32_t i, int64_t elems, uint32_t *offset)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const struct wasm_place *at = &p->place[i];
	const int64_t width = lt__number_bytes(p->k->buffers[x->what].dtype), bytes = plus(at->bytes, product(elems, width));
	lt__wasm_at(C, WASM_local_get, (uint32_t)(at->part >= 0 ? p->part[at->part].local : p->base[x->what]));
	*offset = at->is_positive && bytes >= 0 && bytes <= INT32_MAX ? (uint32_t)bytes : 0;
	if (*offset == 0 && bytes != 0) {
		lt__wasm_i32(C, (int32_t)bytes);
		lt__wasm(C, WASM_i32_add);
	}
}
