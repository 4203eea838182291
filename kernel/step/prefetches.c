/* prefetches.c -- step 'P': where a large buffer is read in runs that are a page or more apart, each load
 * of several lanes asks for what the run after it has at its place.  What is copied: prefetch_ahead.c.
 *
 * The processor follows one run of addresses by itself, but not a jump to the next one, so that each run begins with
 * the full latency of memory, many times over where several runs are read side by side.  A wrong guess costs one
 * instruction a load and nothing else: what is fetched is never used by meaning, and may be outside of the buffer.
 *
 * A run that is read many times before the next one, as a panel of weights is by each tile of rows, comes from memory
 * the first time only, and memory has nothing to do from then on.  There the run after it is fetched a part at a time,
 * the same part each time that this one is read.
 *
 * A long body, such as the sums of several rows of weights that are folded together, holds so many instructions that
 * the processor does not come to the loads of the next iteration while it waits for those of this one.  There each line
 * is asked for some iterations ahead, and smaller buffers are worth it, too.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "kernel/build/build.h"
#include "kernel/step/prefetch.h"

enum { MAX_JUMP = 512 << 10, MAX_STEP = 1 << 10, MIN_RUN = 16 };       /* bytes, bytes, iterations */
enum { MAX_LOOPS = 8 };         /* of a run that is read again */
enum { TOGETHER = 8 };         /* loads of a body whose lines are asked for in a row */
/* Bytes: of a body that is long; how far ahead it asks; of a buffer that the first cache does not hold. */
enum { LONG_BODY = 1 << 10, AHEAD = 4 << 10, MIN_LONG = 128 << 10 };

/* How a run is shared out among the times that it is read: elements to go on by in each loop, from the load's place
 * without these loops; each: in one iteration of the innermost. */
struct prefetch_share { int32_t loop[MAX_LOOPS], n; int64_t by[MAX_LOOPS], times, each; };

/* A load that could have one: its innermost loop, the loop in which it goes on to the next run, and the elements that
 * it moves by there.  share: of a run that is read again; times 0: it is not. */
struct prefetch {
	int32_t at, buffer, inner, outer;
	int64_t jump;
	struct lt_address_sum address;
	struct prefetch_share share;
};

/* The loops from `loop` outwards in which the address moves as `moves` says: by what they went through before, *run
 * elements, or not at all.  *run, *times: elements and iterations of all of them.  The first loop after them. */
static int32_t take_loops(const struct prefetches_step *p, struct prefetch *x, int32_t loop, bool moves, int64_t *run,
	int64_t *times)
{
	int64_t by, trips;
	for (; loop >= 0 && x->share.n < MAX_LOOPS; loop = lt__prefetch_loop(p, p->block[loop])) {
		trips = lt__prefetch_trip_count(p->k, loop);
		if (trips > INT32_MAX || !lt__prefetch_moves_by(p, &x->address, loop, &by) || by != (moves ? *run : 0))
			break;
		if (*run > INT32_MAX || __builtin_mul_overflow(*times, trips, times))
			break;
		*run *= moves ? trips : 1;
		x->share.loop[x->share.n++] = loop;
	}
	return loop;
}

/* Whether the run is read again before the next one, and how that is shared out. */
static bool find_share(const struct prefetches_step *p, struct prefetch *x, int64_t step)
{
	struct prefetch_share *share = &x->share;
	int64_t run = step, iterations = 1, times = 1;
	share->n = 0;
	x->outer = take_loops(p, x, x->inner, true, &run, &iterations);
	const int32_t n_run = share->n;
	x->outer = take_loops(p, x, x->outer, false, &run, &times);
	if (x->outer < 0 || times < 2 || !lt__prefetch_moves_by(p, &x->address, x->outer, &x->jump) || x->jump < run)
		return false;
	int64_t part = run / times + (run % times != 0), by = part / iterations + (part % iterations != 0);
	share->times = times;
	share->each = by;
	for (int32_t i = 0; i < share->n; i++) {
		const int64_t unit = p->k->instructions[share->loop[i]].number;
		by = i == n_run ? part : by;
		share->by[i] = by / unit + (by % unit != 0);
		by *= lt__prefetch_trip_count(p->k, share->loop[i]);
	}
	return true;
}

static int by_number(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

/* Loads of a body, in the order of their elements. */
static int by_element(const void *a, const void *b)
{
	const struct prefetch *x = a, *y = b;
	int by = by_number(x->inner, y->inner);
	by = by ? by : by_number(x->buffer, y->buffer);
	by = by ? by : by_number(x->jump, y->jump);
	by = by ? by : by_number(x->address.number, y->address.number);
	return by ? by : by_number(x->at, y->at);
}

/* Elements that loads first to below end read of one run, whose other elements are those of other iterations. */
static int64_t covered(const struct prefetches_step *p, const struct prefetch *first, const struct prefetch *end)
{
	int64_t n = 0, to = first->address.number;
	for (const struct prefetch *x = first; x < end; x++) {
		const int64_t from = x->address.number, stop = from + p->k->instructions[x->at].lanes;
		if (!lt__address_same_parts(&first->address, &x->address))
			return 0;
		n += stop > to ? stop - (from > to ? from : to) : 0;
		to = stop > to ? stop : to;
	}
	return n;
}

static bool same_body(const struct prefetch *x, const struct prefetch *y)
{
	return x->inner == y->inner && x->buffer == y->buffer && x->jump == y->jump;
}

/* Bytes that an iteration of the loop reads of runs that it reads all of; ask: their lines are asked for, a few before
 * as many loads: more would wait for each other, and a compiler that keeps their order would load everything first. */
static int64_t body_bytes(struct prefetches_step *p, const struct prefetch *list, int32_t n, int32_t loop, bool ask)
{
	int64_t all = 0;
	for (int32_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && same_body(&list[first], &list[end]); end++)
			;
		const struct prefetch *x = &list[first];
		const struct lt_kernel_buffer *b = &p->k->buffers[x->buffer];
		const int64_t bytes = lt__kernel_element_bytes(b->dtype);
		if (x->inner != loop || covered(p, x, list + end) < x->jump)
			continue;
		all += x->jump * bytes;
		for (int32_t from = first; ask && from < end; from += TOGETHER) {
			const int32_t to = from + TOGETHER < end ? from + TOGETHER : end;
			int32_t at = list[from].at;
			for (int32_t i = from; i < to; i++) {
				at = list[i].at < at ? list[i].at : at;
				p->asked[list[i].at] = true;
			}
			p->body[at] = &list[from];
			p->n_body[at] = to - from;
		}
		if (ask)
			lt__step_decide(p->s, p->k->instructions[loop].origin, p->k->instructions[x->at].origin, b->origin,
				"an iteration reads %" PRId64 " bytes of %s: lines are prefetched some iterations ahead", x->jump * bytes, b->name);
	}
	return all;
}

/* Loads in loops with a long body. */
static bool choose_long(struct prefetches_step *p)
{
	struct prefetch *list = lt__pool_alloc(&p->s->b.pool, p->k->n_instruction + 1u, sizeof *list);
	int32_t n = 0;
	bool any = false;
	for (int32_t at = 0; at < (int32_t)p->k->n_instruction; at++) {
		const struct lt_instruction *i = &p->k->instructions[at];
		struct lt_address_reach reach;
		int64_t step;
		if (i->opcode != LT_OPCODE_load || i->lanes < 2 || p->k->buffers[i->what].space != LT_SPACE_SLOT
			|| p->k->buffers[i->what].elems < MIN_LONG / LT_PREFETCH_LINE || !lt__address_reach(p->k, p->values, i, &reach))
			continue;
		const int32_t inner = lt__prefetch_loop(p, p->block[at]);
		if (inner >= 0 && i->stride == 1 && i->operand[1] < 0 && lt__prefetch_moves_by(p, &reach.first, inner, &step)
			&& step > 0)
			list[n++] = (struct prefetch){ at, i->what, inner, -1, step, reach.first, { .n = 0 } };
	}
	qsort(list, (size_t)n, sizeof *list, by_element);
	for (int32_t i = 0; i < n; i++)
		if ((i == 0 || list[i].inner != list[i - 1].inner) && body_bytes(p, list, n, list[i].inner, false) >= LONG_BODY) {
			(void)body_bytes(p, list, n, list[i].inner, true);
			any = true;
		}
	return any;
}

static void record_load(struct prefetches_step *p, int32_t at)
{
	const struct lt_instruction *i = &p->k->instructions[at];
	const struct lt_kernel_buffer *b = &p->k->buffers[i->what];
	const int64_t bytes = lt__kernel_element_bytes(b->dtype);
	struct lt_address_reach reach;
	int64_t step, jump;
	/* A single element is not worth an instruction: the registers' tile of a product reads one side so. */
	if (p->asked[at] || i->lanes < 2 || b->space != LT_SPACE_SLOT || b->elems < p->s->machine->cache_bytes / bytes
		|| !lt__address_reach(p->k, p->values, i, &reach) || lt__prefetch_find_ahead(p, at))
		return;
	int32_t inner = lt__prefetch_loop(p, p->block[at]), outer = inner < 0 ? -1 : lt__prefetch_loop(p, p->block[inner]);
	if (outer < 0 || !lt__prefetch_moves_by(p, &reach.first, inner, &step)
		|| !lt__prefetch_moves_by(p, &reach.first, outer, &jump))
		return;
	if (step < 1 || step > MAX_STEP / bytes)
		return;
	struct prefetch shared = { .at = at, .buffer = i->what, .inner = inner, .address = reach.first };
	const bool again = find_share(p, &shared, step);
	jump = again ? shared.jump : jump;
	if (jump < p->s->machine->page_bytes / bytes)
		return;
	if (jump > MAX_JUMP / bytes || lt__prefetch_trip_count(p->k, inner) < MIN_RUN) {
		lt__step_decide(p->s, p->k->instructions[inner].origin, i->origin, b->origin,
			"runs of %s are not prefetched: they are too %s", b->name, jump > MAX_JUMP / bytes ? "far apart" : "short");
		return;
	}
	p->load[p->n_load++] = again ? shared : (struct prefetch){ at, i->what, inner, outer, jump, reach.first, { .n = 0 } };
}

/* By runs, those of one in the order of their elements, and then of the program. */
static int by_run(const void *a, const void *b)
{
	const struct prefetch *x = a, *y = b;
	int by = by_number(x->buffer, y->buffer);
	by = by ? by : by_number(x->outer, y->outer);
	by = by ? by : by_number(x->jump, y->jump);
	by = by ? by : by_number(x->inner, y->inner);
	by = by ? by : by_number(x->address.number, y->address.number);
	by = by ? by : by_number(x->address.n, y->address.n);
	for (int32_t i = 0; !by && i < x->address.n; i++) {
		by = by_number(x->address.part[i].value, y->address.part[i].value);
		by = by ? by : by_number(x->address.part[i].times, y->address.part[i].times);
	}
	return by ? by : by_number(x->at, y->at);
}

/* Whether they read a buffer in the same outer loop, by the same jumps. */
static bool same_runs(const struct prefetch *x, const struct prefetch *y)
{
	return x->buffer == y->buffer && x->outer == y->outer && x->jump == y->jump;
}

static void say_runs(struct prefetches_step *p, const struct prefetch *x)
{
	const struct lt_kernel_buffer *b = &p->k->buffers[x->buffer];
	if (x->share.times) {
		lt__step_decide(p->s, p->k->instructions[x->inner].origin, p->k->instructions[x->at].origin, b->origin,
			"runs of %s are read %" PRId64 " times: each time a part of the next one is prefetched", b->name, x->share.times);
		return;
	}
	lt__step_decide(p->s, p->k->instructions[x->inner].origin, p->k->instructions[x->at].origin, b->origin,
		"runs of %s are %" PRId64 " bytes apart: each load prefetches from the next one", b->name,
		x->jump * (int64_t)lt__kernel_element_bytes(b->dtype));
}

/* Of loads of the same runs, the first of those that read them most often, if these are all of one run; NULL: no run is
 * read again. */
static const struct prefetch *choose_share(const struct prefetch *first, const struct prefetch *end)
{
	const struct prefetch *best = NULL;
	for (const struct prefetch *x = first; x < end; x++)
		if (x->share.times > (best ? best->share.times : 0))
			best = x;
	for (const struct prefetch *x = first; best && x < end; x++)
		if (x->inner == best->inner && !lt__address_same_parts(&x->address, &best->address))
			return NULL;
	return best;
}

/* Where several inner loops read the same runs, the last one asks: the run is in a cache there already, and the memory
 * would have nothing to do.  The same address is asked for once. */
static void choose_loads(struct prefetches_step *p)
{
	qsort(p->load, (size_t)p->n_load, sizeof *p->load, by_run);
	for (int32_t first = 0, end; first < p->n_load; first = end) {
		int32_t last = p->load[first].inner;
		for (end = first; end < p->n_load && same_runs(&p->load[first], &p->load[end]); end++)
			last = p->load[end].inner > last ? p->load[end].inner : last;
		const struct prefetch *shared = choose_share(&p->load[first], &p->load[end]);
		if (shared) {
			say_runs(p, shared);
			p->shared[shared->at] = shared;
			continue;
		}
		const struct prefetch *before = NULL;
		for (int32_t l = first; l < end; l++) {
			const struct prefetch *x = &p->load[l];
			if (x->inner != last || x->share.times || (before && before->address.number == x->address.number
				&& lt__address_same_parts(&before->address, &x->address)))
				continue;
			if (!before)
				say_runs(p, x);
			p->jump[x->at] = x->jump;
			before = x;
		}
	}
}

static void add_prefetch(struct prefetches_step *p, int32_t at)
{
	struct lt_instruction i = lt__rewrite_mapped(p->s, at);
	struct lt_instruction asked = { .opcode = LT_OPCODE_prefetch, .operand = { i.operand[0], -1, -1, -1 }, .what = i.what,
		.origin = i.origin, .stride = 1 };
	if (!__builtin_add_overflow(i.number, p->jump[at], &asked.number))
		(void)lt__build(&p->s->b, asked);
}

static bool is_shared_loop(const struct prefetch_share *share, int32_t value)
{
	for (int32_t i = 0; i < share->n; i++)
		if (share->loop[i] == value)
			return true;
	return false;
}

/* The part of the next run that this iteration asks for: a line, or as many as are needed. */
static void add_shared(struct prefetches_step *p, const struct prefetch *x)
{
	const struct prefetch_share *share = &x->share;
	const int64_t line = LT_PREFETCH_LINE / lt__kernel_element_bytes(p->k->buffers[x->buffer].dtype);
	struct lt_instruction asked = lt__rewrite_mapped(p->s, x->at);
	int64_t number = x->address.number + x->jump, from;
	int32_t sum = -1;
	for (int32_t i = 0; i < x->address.n; i++)
		if (!is_shared_loop(share, x->address.part[i].value))
			sum = lt__prefetch_add(p, sum, p->s->to[x->address.part[i].value], x->address.part[i].times);
		else if (lt__step_constant(p->k, p->k->instructions[x->address.part[i].value].operand[0], &from))
			number += x->address.part[i].times * from;
	for (int32_t i = 0; i < share->n; i++) {
		sum = lt__prefetch_add(p, sum, p->s->to[share->loop[i]], share->by[i]);
		if (lt__step_constant(p->k, p->k->instructions[share->loop[i]].operand[0], &from))
			number -= share->by[i] * from;
	}
	for (int64_t at = 0; at < share->each; at += line)
		(void)lt__build(&p->s->b, (struct lt_instruction){ .opcode = LT_OPCODE_prefetch, .operand = { sum, -1, -1, -1 },
			.what = asked.what, .origin = asked.origin, .stride = 1, .number = number + at });
}

/* Each line of a body, some iterations ahead; `at` is the first of its loads. */
static void add_body(struct prefetches_step *p, int32_t at)
{
	const struct prefetch *x = p->body[at], *own = x;
	const struct lt_instruction i = lt__rewrite_mapped(p->s, at);
	const int64_t bytes = lt__kernel_element_bytes(p->k->buffers[x->buffer].dtype), line = LT_PREFETCH_LINE / bytes;
	const int64_t ahead = (AHEAD / bytes + x->jump - 1) / x->jump * x->jump;
	int64_t asked = x->address.number - line;
	while (own->at != at)
		own++;
	for (int32_t k = 0; k < p->n_body[at]; k++) {
		if (x[k].address.number < asked + line)
			continue;
		asked = x[k].address.number;
		(void)lt__build(&p->s->b, (struct lt_instruction){ .opcode = LT_OPCODE_prefetch,
			.operand = { i.operand[0], -1, -1, -1 }, .what = i.what, .origin = i.origin, .stride = 1,
			.number = i.number + asked - own->address.number + ahead });
	}
}

bool lt__step_prefetches(struct lt_stepping *s)
{
	struct prefetches_step p = { .s = s, .k = s->k };
	const size_t n = (size_t)s->k->n_instruction + 1;
	bool any = false;
	for (uint32_t b = 0; b < s->k->n_buffer && s->machine->cache_bytes; b++)
		any = any || (s->k->buffers[b].space == LT_SPACE_SLOT
			&& s->k->buffers[b].elems >= MIN_LONG / (int64_t)lt__kernel_element_bytes(s->k->buffers[b].dtype));
	if (!any)
		return false;
	p.values = lt__address_values(s->k, &s->b.pool);
	p.block = lt__step_blocks(s);
	p.load = lt__pool_alloc(&s->b.pool, n, sizeof *p.load);
	p.jump = lt__pool_alloc(&s->b.pool, n, sizeof *p.jump);
	p.shared = lt__pool_alloc(&s->b.pool, n, sizeof *p.shared);
	p.ahead = lt__pool_alloc(&s->b.pool, n, sizeof *p.ahead);
	lt__prefetch_find_copies(&p);
	p.asked = lt__pool_alloc(&s->b.pool, n, sizeof *p.asked);
	p.body = lt__pool_alloc(&s->b.pool, n, sizeof *p.body);
	p.n_body = lt__pool_alloc(&s->b.pool, n, sizeof *p.n_body);
	any = choose_long(&p);
	for (int32_t at = 0; at < (int32_t)s->k->n_instruction; at++)
		if (s->k->instructions[at].opcode == LT_OPCODE_load)
			record_load(&p, at);
	if (!p.n_load && !p.n_ahead && !any)
		return false;
	choose_loads(&p);
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++) {
			if (p.body[at])
				add_body(&p, at);
			if (p.jump[at])
				add_prefetch(&p, at);
			if (p.shared[at])
				add_shared(&p, p.shared[at]);
			(void)lt__rewrite_copy(s, at);
			if (p.ahead[at])
				lt__prefetch_add_ahead(&p, at);
		}
	}
	return true;
}
