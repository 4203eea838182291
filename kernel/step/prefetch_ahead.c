/* prefetch_ahead.c -- step 'P' where a piece of a large buffer is copied and then read often, as a panel of a
 * product's right factor is by its tiles, one piece after the other.
 *
 * Copying waits for memory, and then memory waits for what reads the copy.  So what is copied next is asked for while
 * the copy is read: the loops in which its rows are read are those of the copy, and the loops around them share out the
 * lines of each row.
 */
#include <inttypes.h>
#include <string.h>
#include "kernel/build/build.h"
#include "kernel/step/prefetch.h"

/* LOOPS: of a copy, or of its reader.  ASKED: lines in an iteration.  AGAIN: times that a line is asked for.  PART: of
 * the cache that a piece may fill. */
enum { MAX_LOOPS = 8, MAX_ASKED = 4, MAX_AGAIN = 8, CACHE_PART = 2 };

/* loop: those of the copy from the inside, each of several iterations; the first n_run go through elements side by
 * side, run of them, the others through n_row rows. */
struct copied_piece {
	int32_t at, to, loop[MAX_LOOPS], n, n_run, outer;
	int64_t run, n_row;
};
/* loop: those of what reads the copy, from the inside; the first n - n_run of the piece go through the same rows. */
struct copy_reader { int32_t loop[MAX_LOOPS], n; int64_t times; };

struct prefetch_ahead {
	struct prefetch_ahead *next;    /* in the same loop */
	struct copied_piece piece;
	struct copy_reader reader;
	struct lt_address_sum address;
	int64_t jump, lines, shares;    /* lines of a row; iterations of the reader that share them */
};

static int32_t end_of(const struct prefetches_step *p, int32_t loop) { return p->k->instructions[loop].what; }

/* Counts from 0 by 1, so that its value is the number of the iteration. */
static bool is_plain(const struct prefetches_step *p, int32_t loop)
{
	int64_t from;
	return lt__step_constant(p->k, p->k->instructions[loop].operand[0], &from) && from == 0
		&& p->k->instructions[loop].number == 1 && lt__prefetch_trip_count(p->k, loop) < INT32_MAX;
}

void lt__prefetch_find_copies(struct prefetches_step *p)
{
	const size_t n = (size_t)p->k->n_instruction + 1, n_buffer = (size_t)p->k->n_buffer + 1;
	p->stored = lt__pool_alloc(&p->s->b.pool, n, sizeof *p->stored);
	p->before = lt__pool_alloc(&p->s->b.pool, n, sizeof *p->before);
	p->last = lt__pool_alloc(&p->s->b.pool, n_buffer, sizeof *p->last);
	memset(p->stored, 0xff, n * sizeof *p->stored);
	memset(p->last, 0xff, n_buffer * sizeof *p->last);
	for (int32_t at = 0; at < (int32_t)p->k->n_instruction; at++) {
		const struct lt_instruction *i = &p->k->instructions[at];
		if ((i->opcode != LT_OPCODE_load && i->opcode != LT_OPCODE_store) || p->k->buffers[i->what].space == LT_SPACE_SLOT)
			continue;
		if (i->opcode == LT_OPCODE_store) {
			p->stored[i->operand[3]] = i->what;
		} else {
			p->before[at] = p->last[i->what];
			p->last[i->what] = at;
		}
	}
}

/* Among all that loads from the buffer in the loop `outer` behind the copy, in the loops that are run most often. */
static bool find_reader(const struct prefetches_step *p, int32_t buffer, int32_t from, int32_t outer,
	struct copy_reader *out)
{
	out->times = 0;
	for (int32_t at = p->last[buffer]; at > from; at = p->before[at]) {
		if (at > end_of(p, outer))
			continue;
		struct copy_reader r = { .times = 1 };
		int32_t loop = lt__prefetch_loop(p, p->block[at]);
		while (loop >= 0 && loop != outer && r.n < MAX_LOOPS && is_plain(p, loop)
			&& !__builtin_mul_overflow(r.times, lt__prefetch_trip_count(p->k, loop), &r.times)) {
			r.loop[r.n++] = loop;
			loop = lt__prefetch_loop(p, p->block[loop]);
		}
		if (loop == outer && r.n > 0 && r.times >= out->times)
			*out = r;
	}
	return out->times > 0;
}

/* The loops of the copy up to the one in which others read it. */
static bool find_piece(const struct prefetches_step *p, const struct lt_address_sum *address, struct copied_piece *x,
	struct copy_reader *reader)
{
	int64_t by;
	x->run = p->k->instructions[x->at].lanes;
	x->n_row = 1;
	for (int32_t loop = lt__prefetch_loop(p, p->block[x->at]); loop >= 0 && x->n < MAX_LOOPS; loop = x->outer) {
		x->outer = lt__prefetch_loop(p, p->block[loop]);
		if (!is_plain(p, loop) || !lt__prefetch_moves_by(p, address, loop, &by) || x->outer < 0)
			return false;
		const int64_t trips = lt__prefetch_trip_count(p->k, loop);
		int64_t *many = x->n_run == x->n && by == x->run ? &x->run : &x->n_row;
		x->n_run += many == &x->run;
		if (__builtin_mul_overflow(*many, trips, many))
			return false;
		x->loop[x->n++] = loop;
		if (find_reader(p, x->to, end_of(p, loop), x->outer, reader))
			return true;
	}
	return false;
}

/* Whether the value is there in every iteration of the loop. */
static bool is_visible(const struct prefetches_step *p, int32_t value, int32_t loop)
{
	int32_t block = loop;
	while (block >= 0 && block != p->block[value])
		block = p->block[block];
	return value < loop && block == p->block[value];
}

/* The loop of the reader that goes through the same rows as this one of the copy; -1: it is none of the rows'. */
static int32_t reader_loop(const struct prefetch_ahead *x, int32_t loop)
{
	for (int32_t i = x->piece.n_run; i < x->piece.n; i++)
		if (x->piece.loop[i] == loop)
			return x->reader.loop[i - x->piece.n_run];
	return -1;
}

static bool is_run_loop(const struct copied_piece *x, int32_t loop)
{
	for (int32_t i = 0; i < x->n_run; i++)
		if (x->loop[i] == loop)
			return true;
	return false;
}

/* Whether the reader's loops go through the rows, and all that the address is made of is known there. */
static bool fits_reader(const struct prefetches_step *p, const struct prefetch_ahead *x)
{
	const int32_t n = x->piece.n - x->piece.n_run;
	if (x->reader.n < n)
		return false;
	for (int32_t i = 0; i < n; i++) {
		const int32_t row = x->piece.loop[x->piece.n_run + i];
		if (lt__prefetch_trip_count(p->k, x->reader.loop[i]) != lt__prefetch_trip_count(p->k, row))
			return false;
	}
	for (int32_t i = 0; i < x->address.n; i++) {
		const int32_t value = x->address.part[i].value;
		if (!is_run_loop(&x->piece, value) && reader_loop(x, value) < 0 && !is_visible(p, value, x->reader.loop[0]))
			return false;
	}
	return true;
}

bool lt__prefetch_find_ahead(struct prefetches_step *p, int32_t load)
{
	const struct lt_instruction *i = &p->k->instructions[load];
	const struct lt_kernel_buffer *b = &p->k->buffers[i->what];
	const int64_t bytes = lt__kernel_element_bytes(b->dtype);
	struct prefetch_ahead x = { .piece = { .at = load, .to = p->stored[load], .outer = -1 } };
	struct lt_address_reach reach;
	if (x.piece.to < 0 || !lt__address_reach(p->k, p->values, i, &reach) || reach.stride != 1)
		return false;
	x.address = reach.first;
	if (!find_piece(p, &x.address, &x.piece, &x.reader) || !fits_reader(p, &x)
		|| !lt__prefetch_moves_by(p, &x.address, x.piece.outer, &x.jump) || x.jump == 0)
		return false;
	x.lines = (x.piece.run * bytes + LT_PREFETCH_LINE - 1) / LT_PREFETCH_LINE;
	x.shares = x.reader.times / x.piece.n_row;
	if (x.piece.n_row > p->s->machine->cache_bytes / CACHE_PART / (x.lines * LT_PREFETCH_LINE)
		|| x.lines > MAX_ASKED * x.shares || x.shares > MAX_AGAIN * x.lines)
		return false;
	struct prefetch_ahead *kept = lt__pool_alloc(&p->s->b.pool, 1, sizeof *kept);
	*kept = x;
	kept->next = p->ahead[x.reader.loop[0]];
	p->ahead[x.reader.loop[0]] = kept;
	p->n_ahead++;
	lt__step_decide(p->s, p->k->instructions[x.reader.loop[0]].origin, i->origin, b->origin,
		"what is copied of %s next, %" PRId64 " bytes, is prefetched here", b->name,
		x.piece.n_row * x.lines * LT_PREFETCH_LINE);
	return true;
}

/* The number of the first line that this iteration asks for, times `unit`; -1: 0. */
static int32_t first_line(struct prefetches_step *p, const struct prefetch_ahead *x, int64_t each, int64_t unit)
{
	struct lt_kernel_builder *b = &p->s->b;
	int64_t inner = 1;
	int32_t sum = -1;
	for (int32_t i = x->piece.n - x->piece.n_run; i < x->reader.n; i++) {
		sum = lt__prefetch_add(p, sum, p->s->to[x->reader.loop[i]], inner);
		inner *= lt__prefetch_trip_count(p->k, x->reader.loop[i]);
	}
	if (sum < 0 || x->lines >= x->shares)
		return sum < 0 ? -1 : lt__prefetch_add(p, -1, sum, each * unit);
	sum = lt__prefetch_add(p, -1, sum, x->lines);
	sum = lt__build_value(b, LT_OPCODE_quotient, LT_I64, 1, sum, lt__build_const(b, LT_I64, (uint64_t)x->shares));
	return lt__prefetch_add(p, -1, sum, unit);
}

void lt__prefetch_add_ahead(struct prefetches_step *p, int32_t loop)
{
	for (const struct prefetch_ahead *x = p->ahead[loop]; x; x = x->next) {
		const struct lt_instruction *load = &p->k->instructions[x->piece.at];
		const int64_t line = LT_PREFETCH_LINE / lt__kernel_element_bytes(p->k->buffers[load->what].dtype),
			each = x->lines <= x->shares ? 1 : (x->lines + x->shares - 1) / x->shares;
		int32_t sum = first_line(p, x, each, line);
		for (int32_t i = 0; i < x->address.n; i++) {
			const int32_t value = x->address.part[i].value, row = reader_loop(x, value);
			if (!is_run_loop(&x->piece, value))
				sum = lt__prefetch_add(p, sum, p->s->to[row < 0 ? value : row], x->address.part[i].times);
		}
		for (int64_t i = 0; i < each; i++)
			(void)lt__build(&p->s->b, (struct lt_instruction){ .opcode = LT_OPCODE_prefetch,
				.operand = { sum, -1, -1, -1 }, .what = p->s->buffer_to[load->what], .origin = load->origin, .stride = 1,
				.number = x->address.number + x->jump + i * line });
	}
}
