/* wide.c -- step 'W': loads and stores of single elements that lie side by side are one of up to 16 bytes.
 *
 * The copies of an unrolled body access x[a], x[a + 1] ..; a thread of a grid moves 16 bytes as fast as 4.  In a run of
 * instructions without a branch or a barrier
 *
 *   loads   that together fill a window are one load in place of the first; loads of one element are one;
 *   stores  that together fill a window are one store in place of the last,
 *
 * where nothing in between may write, or for stores access, the same elements.  A window is the most elements that the
 * machine moves at once (memory_bytes), or half as many and so on, and begins at a multiple of its bytes: that follows
 * from the buffer's alignment and what the parts of the address are multiples of.
 */
#include <string.h>
#include "kernel/step/address.h"
#include "kernel/build/build.h"

enum { MAX_LANES = 16 };

/* A place of the program without the constant part of its address: accesses of one buffer whose parts are the same, and
 * the mask, if any. */
struct wide_base {
	int32_t buffer, mask;
	const struct lt_address_sum *sum;
	int64_t unit;                   /* elements that the parts are a multiple of: a power of two */
	int32_t first, last;            /* its accesses of the run, in order: a list */
};
/* What an instruction becomes part of: a window's lane. */
struct wide_lane { int32_t leader, lane, lanes; };

struct wide_step {
	struct lt_stepping *s;
	const struct lt_kernel *k;
	struct lt_address_sum *values;
	struct lt_address_reach *reach; /* by instruction that accesses memory */
	int32_t *base;                  /* by single access: its base; -1: it is none */
	int32_t *next;                  /* by single access: the next one of its base in the run */
	struct wide_base *bases;
	int32_t n_base;
	int32_t *access, n_access;      /* of the run: all that load or store, in order */
	struct wide_lane *lane;         /* by instruction; lanes 0: it stays as it is */
	/* by leader, from `leader` times MAX_LANES on: the stores of a window; of a load, lanes that were taken out of the
	 * new value, -1: not yet */
	int32_t *member;
	int32_t *wide;                  /* by leader: the new value of a load */
	bool any;
};

static bool is_load_or_store(const struct lt_instruction *i)
{
	return i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_store;
}

/* Whether memory, or who runs, is not the same before and after: a run ends there. */
static bool ends_run(const struct lt_instruction *i)
{
	switch (i->opcode) {
	case LT_OPCODE_loop:
	case LT_OPCODE_if:
	case LT_OPCODE_else:
	case LT_OPCODE_end:
	case LT_OPCODE_array:
	case LT_OPCODE_barrier:
	case LT_OPCODE_leave:
	case LT_OPCODE_copy_async:
	case LT_OPCODE_commit:
	case LT_OPCODE_wait:
	case LT_OPCODE_matrix:
	case LT_OPCODE_fragment:
	case LT_OPCODE_call:
	case LT_OPCODE_launch:
	case LT_OPCODE_launch_grid: return true;
	default: return false;
	}
}

/* -- what an address is a multiple of -- */

enum { MAX_UNIT = 1 << 16 };    /* more is of no use */
static int64_t low_bit(int64_t x) { return x & (MAX_UNIT - 1) ? x & -x : MAX_UNIT; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t unit_of_value(const struct wide_step *w, int32_t value, int depth);

static int64_t unit_of_sum(const struct wide_step *w, const struct lt_address_sum *sum, int depth)
{
	int64_t unit = MAX_UNIT;
	for (int32_t p = 0; p < sum->n; p++)
		unit = smaller(unit, low_bit(sum->part[p].times) * unit_of_value(w, sum->part[p].value, depth));
	return unit;
}

/* Of a part of sums, which is no sum itself. */
static int64_t unit_of_value(const struct wide_step *w, int32_t value, int depth)
{
	const struct lt_instruction *i = &w->k->instructions[value];
	int64_t unit = MAX_UNIT;
	if (depth == 0)
		return 1;
	switch (i->opcode) {
	case LT_OPCODE_loop: unit = low_bit(i->number); break;
	case LT_OPCODE_remainder:
	case LT_OPCODE_mod:
	case LT_OPCODE_min:
	case LT_OPCODE_max: break;
	default: return 1;
	}
	for (int o = 0; o < 2 && (o == 0 || i->opcode != LT_OPCODE_loop); o++) {
		const struct lt_address_sum *sum = &w->values[i->operand[o]];
		unit = smaller(unit, smaller(unit_of_sum(w, sum, depth - 1), low_bit(sum->number)));
	}
	return unit;
}

/* -- the accesses of a run -- */

static bool is_single(const struct wide_step *w, const struct lt_instruction *i)
{
	return is_load_or_store(i) && i->operand[1] < 0 && lt__instruction_type(w->k, i).lanes == 1
		&& !(i->flags & LT_INSTRUCTION_STREAM);
}

static int32_t base_of(struct wide_step *w, const struct lt_instruction *i, const struct lt_address_sum *sum)
{
	for (int32_t b = 0; b < w->n_base; b++)
		if (w->bases[b].buffer == i->what && w->bases[b].mask == i->operand[2]
			&& lt__address_same_parts(w->bases[b].sum, sum))
			return b;
	w->bases[w->n_base] = (struct wide_base){ i->what, i->operand[2], sum, unit_of_sum(w, sum, 4), -1, -1 };
	return w->n_base++;
}

static void find_run(struct wide_step *w, int32_t from, int32_t end)
{
	w->n_base = w->n_access = 0;
	for (int32_t at = from; at < end; at++) {
		const struct lt_instruction *i = &w->k->instructions[at];
		w->base[at] = w->next[at] = -1;
		if (!is_load_or_store(i))
			continue;
		w->access[w->n_access++] = at;
		if (!lt__address_reach(w->k, w->values, i, &w->reach[at]))
			w->reach[at].n = 0;             /* anywhere */
		if (!is_single(w, i))
			continue;
		struct wide_base *b = &w->bases[w->base[at] = base_of(w, i, &w->reach[at].first)];
		*(b->last < 0 ? &b->first : &w->next[b->last]) = at;
		b->last = at;
	}
}

static bool may_meet(const struct wide_step *w, int32_t a, int32_t b)
{
	const struct lt_instruction *x = &w->k->instructions[a], *y = &w->k->instructions[b];
	return lt__may_alias(w->k, x->what, y->what) && (x->what != y->what || !w->reach[a].n || !w->reach[b].n
		|| !lt__address_apart(&w->reach[a], &w->reach[b]));
}

/* Whether the access may stand at any place from `from` to `to`: nothing there meets it.  all: loads, too. */
static bool is_free(const struct wide_step *w, int32_t access, int32_t from, int32_t to, bool all)
{
	int32_t low = 0, high = w->n_access;
	while (low < high) {
		int32_t middle = (low + high) / 2;
		*(w->access[middle] <= from ? &low : &high) = w->access[middle] <= from ? middle + 1 : middle;
	}
	for (int32_t n = low; n < w->n_access && w->access[n] < to; n++)
		if (w->access[n] != access && (all || w->k->instructions[w->access[n]].opcode == LT_OPCODE_store)
			&& may_meet(w, access, w->access[n]))
			return false;
	return true;
}

static int64_t element_of(const struct wide_step *w, int32_t at) { return w->reach[at].first.number; }

/* The most lanes of a window with that element: it begins at a multiple of its bytes, and those at most are moved. */
static int32_t max_lanes_of(const struct wide_step *w, int32_t at)
{
	const struct lt_kernel_buffer *b = &w->k->buffers[w->k->instructions[at].what];
	int64_t bytes = lt__kernel_element_bytes(b->dtype), lanes = w->s->machine->memory_bytes / bytes;
	lanes = smaller(smaller(lanes, MAX_LANES), smaller(b->align / bytes, w->bases[w->base[at]].unit));
	while (lanes & (lanes - 1))
		lanes &= lanes - 1;
	return lanes < 1 ? 1 : (int32_t)lanes;
}

static int64_t window_of(int64_t element, int32_t lanes)
{
	return (int64_t)((uint64_t)element & ~(uint64_t)(lanes - 1));
}

/* -- loads -- */

/* The loads from `at` on of a window, each behind nothing that it meets: by lane, the first; how many lanes have
 * one. */
static int32_t find_loads(const struct wide_step *w, int32_t at, int32_t lanes, bool take)
{
	const int64_t window = window_of(element_of(w, at), lanes);
	uint32_t seen = 0;
	for (int32_t x = at; x >= 0; x = w->next[x]) {
		int64_t lane = element_of(w, x) - window;
		if (w->k->instructions[x].opcode != LT_OPCODE_load || w->lane[x].lanes || lane < 0 || lane >= lanes
			|| !is_free(w, x, at, x, false))
			continue;
		seen |= 1u << lane;
		if (take)
			w->lane[x] = (struct wide_lane){ at, (int32_t)lane, lanes };
	}
	return __builtin_popcount(seen);
}

static void join_loads(struct wide_step *w, int32_t at)
{
	if (w->lane[at].lanes)
		return;
	for (int32_t lanes = max_lanes_of(w, at); lanes >= 1; lanes /= 2)
		if (find_loads(w, at, lanes, false) == lanes) {
			(void)find_loads(w, at, lanes, true);
			return;
		}
}

/* -- stores -- */

/* Whether what is stored at `at` may still be used at `to`: no variable that it was got from has changed. */
static bool is_known_at(const struct wide_step *w, int32_t at, int32_t to)
{
	int32_t value = w->k->instructions[at].operand[3];
	const struct lt_instruction *got = &w->k->instructions[value];
	for (int32_t x = got->opcode == LT_OPCODE_get ? value + 1 : to; x < to; x++) {
		const struct lt_instruction *i = &w->k->instructions[x];
		if ((i->opcode == LT_OPCODE_set || i->opcode == LT_OPCODE_update || i->opcode == LT_OPCODE_variable)
			&& i->what == got->what)
			return false;
	}
	return true;
}

/* The stores from `at` on of a window, one for each lane; false: they are not all there, or may not be one. */
static bool find_stores(const struct wide_step *w, int32_t at, int32_t lanes, int32_t *member)
{
	const int64_t window = window_of(element_of(w, at), lanes);
	int32_t n = 0, last = at;
	memset(member, 0xff, (size_t)lanes * sizeof *member);
	for (int32_t x = at; x >= 0 && n < lanes; x = w->next[x]) {
		int64_t lane = element_of(w, x) - window;
		if (w->k->instructions[x].opcode != LT_OPCODE_store || w->lane[x].lanes || lane < 0 || lane >= lanes)
			continue;
		if (member[lane] >= 0)
			return false;
		member[lane] = last = x;
		n++;
	}
	for (int32_t i = 0; i < lanes && n == lanes; i++)
		if (!is_free(w, member[i], member[i], last, true) || !is_known_at(w, member[i], last))
			return false;
	return n == lanes;
}

static void join_stores(struct wide_step *w, int32_t at)
{
	int32_t member[MAX_LANES];
	if (w->lane[at].lanes)
		return;
	for (int32_t lanes = max_lanes_of(w, at); lanes > 1; lanes /= 2) {
		int32_t last = at;
		if (!find_stores(w, at, lanes, member))
			continue;
		for (int32_t i = 0; i < lanes; i++)
			last = member[i] > last ? member[i] : last;
		for (int32_t i = 0; i < lanes; i++)
			w->lane[member[i]] = (struct wide_lane){ last, i, lanes };
		memcpy(w->member + (size_t)last * MAX_LANES, member, (size_t)lanes * sizeof *member);
		return;
	}
}

static void join_run(struct wide_step *w, int32_t from, int32_t end)
{
	find_run(w, from, end);
	for (int32_t n = 0; n < w->n_access; n++) {
		int32_t at = w->access[n];
		if (w->base[at] < 0)
			continue;
		if (w->k->instructions[at].opcode == LT_OPCODE_load)
			join_loads(w, at);
		else
			join_stores(w, at);
		w->any = w->any || w->lane[at].lanes > 1 || (w->lane[at].lanes && w->lane[at].leader != at);
	}
}

/* -- the program anew -- */

/* Of two values of `lanes` lanes those of both, or lane `one` of the first. */
static int32_t add_shuffle(struct wide_step *w, int32_t x, int32_t y, uint32_t lanes, int64_t one)
{
	int64_t from[MAX_LANES] = { one };
	int32_t n = one < 0 ? (int32_t)lanes * 2 : 1;
	for (int32_t i = 0; i < n && one < 0; i++)
		from[i] = i;
	return lt__build(&w->s->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle,
		.dtype = lt__build_at(&w->s->b, x)->dtype, .lanes = (uint32_t)n, .operand = { x, y, -1, -1 }, .what = -1,
		.origin = w->s->b.origin, .first_extra = lt__build_extras(&w->s->b, from, n), .n_extra = n });
}

/* The access of a window in place of that of one of its lanes. */
static struct lt_instruction widened(struct wide_step *w, int32_t at)
{
	struct lt_instruction i = lt__rewrite_mapped(w->s, at);
	i.number = (int64_t)((uint64_t)i.number - (uint64_t)w->lane[at].lane);
	i.stride = 1;
	if (i.operand[2] >= 0 && w->lane[at].lanes > 1)
		i.operand[2] = lt__build_value(&w->s->b, LT_OPCODE_splat, LT_LANE_MASK, (uint32_t)w->lane[at].lanes,
			i.operand[2], -1);
	return i;
}

/* A lane is taken out once: loads of a window are in one block. */
static void rewrite_load(struct wide_step *w, int32_t at)
{
	const struct wide_lane *x = &w->lane[at];
	int32_t *taken = w->member + (size_t)x->leader * MAX_LANES + x->lane;
	if (x->leader == at) {
		struct lt_instruction i = widened(w, at);
		i.lanes = (uint32_t)x->lanes;
		w->wide[at] = lt__build(&w->s->b, i);
		memset(w->member + (size_t)at * MAX_LANES, 0xff, MAX_LANES * sizeof *w->member);
	}
	if (*taken < 0)
		*taken = x->lanes == 1 ? w->wide[at]
			: add_shuffle(w, w->wide[x->leader], w->wide[x->leader], (uint32_t)x->lanes, x->lane);
	w->s->to[at] = *taken;
}

/* The value whose lanes these are, all of them in order; -1: there is none. */
static int32_t whole_of(const struct wide_step *w, const int32_t *value, int32_t n)
{
	int32_t whole = -1;
	for (int32_t k = 0; k < n; k++) {
		const struct lt_instruction *i = lt__build_at(&w->s->b, value[k]);
		if (i->opcode != LT_OPCODE_shuffle || i->n_extra != 1 || w->s->b.extra[i->first_extra] != k
			|| (whole >= 0 && i->operand[0] != whole))
			return -1;
		whole = i->operand[0];
	}
	return lt__build_at(&w->s->b, whole)->lanes == (uint32_t)n ? whole : -1;
}

static void rewrite_store(struct wide_step *w, int32_t at)
{
	int32_t value[MAX_LANES], n = w->lane[at].lanes;
	if (w->lane[at].leader != at)
		return;
	for (int32_t i = 0; i < n; i++)
		value[i] = w->s->to[w->k->instructions[w->member[(size_t)at * MAX_LANES + (size_t)i]].operand[3]];
	int32_t whole = whole_of(w, value, n);
	for (uint32_t lanes = 1; n > 1 && whole < 0; n /= 2, lanes *= 2)
		for (int32_t i = 0; i < n / 2; i++)
			value[i] = add_shuffle(w, value[2 * i], value[2 * i + 1], lanes, -1);
	struct lt_instruction i = widened(w, at);
	i.operand[3] = whole < 0 ? value[0] : whole;
	(void)lt__build(&w->s->b, i);
}

static void say_joined(struct wide_step *w, int32_t at)
{
	const struct lt_instruction *i = &w->k->instructions[at];
	const struct lt_kernel_buffer *b = &w->k->buffers[i->what];
	if (w->lane[at].leader == at && w->lane[at].lanes > 1)
		lt__step_decide(w->s, -1, i->origin, b->origin, "%s of %s are of %d elements", i->opcode == LT_OPCODE_load ? "loads"
			: "stores", b->name, (int)w->lane[at].lanes);
}

static void rewrite_wide(struct wide_step *w)
{
	struct lt_stepping *s = w->s;
	w->wide = lt__pool_alloc(&s->b.pool, (size_t)s->k->n_instruction + 1, sizeof *w->wide);
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			const struct lt_instruction *i = &s->k->instructions[at];
			s->b.origin = i->origin;
			if (!w->lane[at].lanes) {
				(void)lt__rewrite_copy(s, at);
				continue;
			}
			say_joined(w, at);
			if (i->opcode == LT_OPCODE_load)
				rewrite_load(w, at);
			else
				rewrite_store(w, at);
		}
	}
}

bool lt__step_wide(struct lt_stepping *s)
{
	struct wide_step w = { .s = s, .k = s->k };
	const size_t n = (size_t)s->k->n_instruction + 1;
	if (!s->machine->memory_bytes)
		return false;
	w.values = lt__address_values(s->k, &s->b.pool);
	w.reach = lt__pool_alloc(&s->b.pool, n, sizeof *w.reach);
	w.base = lt__pool_alloc(&s->b.pool, n, sizeof *w.base);
	w.next = lt__pool_alloc(&s->b.pool, n, sizeof *w.next);
	w.bases = lt__pool_alloc(&s->b.pool, n, sizeof *w.bases);
	w.access = lt__pool_alloc(&s->b.pool, n, sizeof *w.access);
	w.lane = lt__pool_alloc(&s->b.pool, n, sizeof *w.lane);
	w.member = lt__pool_alloc(&s->b.pool, n * MAX_LANES, sizeof *w.member);
	for (uint32_t r = 0; r < s->k->n_region; r++) {
		const int32_t first = s->k->regions[r].first, end = first + s->k->regions[r].n;
		for (int32_t at = first, from = first; at <= end && s->k->regions[r].kind == LT_REGION_GRID; at++)
			if (at == end || ends_run(&s->k->instructions[at])) {
				join_run(&w, from, at);
				from = at + 1;
			}
	}
	if (!w.any)
		return false;
	rewrite_wide(&w);
	return true;
}
