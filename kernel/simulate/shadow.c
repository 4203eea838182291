/* shadow.c -- races between the threads of a grid.
 *
 * Each subgroup of a block has a clock, which a barrier advances, and knows of the others' clocks what barriers told
 * it.  An access is ordered before one of another subgroup if that one knows of a later clock; threads of one subgroup
 * are ordered if its clock has advanced between them.  Blocks are never ordered.
 */
#include "kernel/simulate/part.h"

static uint32_t *clock_of(const struct simulation *s, int32_t knows, int32_t of)
{
	return &s->grid->clock[knows * s->grid->n_subgroup + of];
}
static int32_t subgroup_of(const struct simulation *s, int32_t thread) { return thread / s->grid->region->subgroup; }

/* Whether an access of this block is ordered before what a thread does now. */
static bool is_before(const struct simulation *s, const struct simulate_access *a, int32_t thread)
{
	int32_t from = subgroup_of(s, a->thread), to = subgroup_of(s, thread);
	if (a->thread == thread && !a->others)
		return true;
	return *clock_of(s, to, from) > a->clock;
}

/* What is said of two accesses; other: a thread of this block, or -1 and a block's number. */
static void report_race(struct simulation *s, int32_t at, int32_t buffer, int64_t element, const char *verb,
	int32_t thread, int32_t other, int32_t other_at, const char *has)
{
	char who[96] = "another block", position[160];
	lt__simulate_position_text(s, other_at, position, sizeof position);
	if (other >= 0)
		lt__simulate_thread_text(s, other, who, sizeof who);
	s->grid->now = thread;
	lt__simulate_find(s, other < 0 ? LT_SIMULATE_blocks : LT_SIMULATE_threads, at, buffer, element,
		"%s element %lld of buffer %s, which %s %s (%s)", verb, (long long)element, s->k->buffers[buffer].name, who, has,
		position);
}

/* The granules of an element. */
struct shadow_span { struct simulate_shadow *first, *end; };
static struct shadow_span span_of(struct simulation *s, int32_t buffer, int64_t element, int64_t n)
{
	struct simulate_area *a = &s->area[s->area_of[buffer]];
	int64_t bytes = s->element_bytes[buffer], byte = s->base[buffer] + element * bytes;
	if (!a->shadow)
		return (struct shadow_span){ NULL, NULL };
	return (struct shadow_span){ a->shadow + (byte >> a->shift), a->shadow + ((byte + n * bytes) >> a->shift) };
}

/* A block of another launch, or for shared memory any other block: that memory was not this one. */
static bool is_forgotten(const struct simulation *s, int32_t buffer, uint32_t block)
{
	return block < s->block_base || (block != s->block_now && s->area_of[buffer] == s->shared_area);
}

static void check_write(struct simulation *s, const struct simulate_shadow *x, int32_t at, int32_t buffer,
	int64_t element, const char *verb, int32_t thread)
{
	if (is_forgotten(s, buffer, x->write_block))
		return;
	if (x->write_block != s->block_now)
		report_race(s, at, buffer, element, verb, thread, -1, x->write.at, "has written");
	else if (!is_before(s, &x->write, thread))
		report_race(s, at, buffer, element, verb, thread, x->write.thread, x->write.at, "has written");
}

/* A read of a subgroup in which there may have been one before. */
static void join_read(struct simulation *s, struct simulate_access *r, int32_t at, int32_t thread, uint32_t clock)
{
	(void)s;
	if (r->thread >= 0 && r->clock == clock) {
		r->others = r->others || r->thread != thread;
		return;
	}
	*r = (struct simulate_access){ thread, at, clock, false };
}

static void add_read(struct simulation *s, struct simulate_shadow *x, int32_t at, int32_t thread)
{
	int32_t mine = subgroup_of(s, thread);
	uint32_t clock = *clock_of(s, mine, mine);
	if (x->reads) {
		join_read(s, &x->reads[mine], at, thread, clock);
		return;
	}
	for (int i = 0; i < 2; i++)
		if (x->read[i].thread < 0 || subgroup_of(s, x->read[i].thread) == mine) {
			join_read(s, &x->read[i], at, thread, clock);
			return;
		}
	/* Both are of others: one of an older interval has nothing more to say, unless barriers are of parts. */
	for (int i = 0; i < 2 && !s->grid->parts; i++)
		if (is_before(s, &x->read[i], thread)) {
			x->read[i] = (struct simulate_access){ thread, at, clock, false };
			return;
		}
	if (!s->grid->parts)
		return;
	x->reads = lt__pool_alloc(&s->pool, (size_t)s->grid->n_subgroup, sizeof *x->reads);
	for (int32_t g = 0; g < s->grid->n_subgroup; g++)
		x->reads[g].thread = -1;
	for (int i = 0; i < 2; i++)
		x->reads[subgroup_of(s, x->read[i].thread)] = x->read[i];
	join_read(s, &x->reads[mine], at, thread, clock);
}

static void forget_reads(struct simulate_shadow *x)
{
	x->read[0].thread = x->read[1].thread = -1;
	x->reads = NULL;
}

void lt__simulate_shadow_read(struct simulation *s, int32_t at, int32_t buffer, int64_t element, int32_t thread)
{
	struct shadow_span span = span_of(s, buffer, element, 1);
	for (struct simulate_shadow *x = span.first; x < span.end; x++) {
		check_write(s, x, at, buffer, element, "reads", thread);
		if (x->read_block != s->block_now) {
			if (!is_forgotten(s, buffer, x->read_block)) {
				x->other_block = x->read_block;
				x->other_at = x->read[0].thread >= 0 ? x->read[0].at : x->other_at;
			}
			x->read_block = s->block_now;
			forget_reads(x);
		}
		add_read(s, x, at, thread);
		if (x->arriving)
			lt__simulate_find(s, LT_SIMULATE_in_flight, at, buffer, element,
				"reads element %lld of buffer %s, to which a copy is in flight", (long long)element, s->k->buffers[buffer].name);
	}
}

static void check_reads(struct simulation *s, const struct simulate_shadow *x, int32_t at, int32_t buffer,
	int64_t element, int32_t thread)
{
	int32_t n = x->reads ? s->grid->n_subgroup : 2;
	const struct simulate_access *all = x->reads ? x->reads : x->read;
	if (!is_forgotten(s, buffer, x->other_block) && x->other_block != s->block_now)
		report_race(s, at, buffer, element, "writes", thread, -1, x->other_at, "has read");
	if (is_forgotten(s, buffer, x->read_block))
		return;
	if (x->read_block != s->block_now) {
		report_race(s, at, buffer, element, "writes", thread, -1, all[0].thread >= 0 ? all[0].at : at, "has read");
		return;
	}
	for (int32_t i = 0; i < n; i++)
		if (all[i].thread >= 0 && !is_before(s, &all[i], thread))
			report_race(s, at, buffer, element, "writes", thread, all[i].thread, all[i].at,
				all[i].others && all[i].thread == thread ? "and others of its subgroup have read" : "has read");
}

void lt__simulate_shadow_write(struct simulation *s, int32_t at, int32_t buffer, int64_t element, int32_t thread)
{
	struct shadow_span span = span_of(s, buffer, element, 1);
	int32_t mine = subgroup_of(s, thread);
	for (struct simulate_shadow *x = span.first; x < span.end; x++) {
		check_write(s, x, at, buffer, element, "writes", thread);
		check_reads(s, x, at, buffer, element, thread);
		if (x->read_block == s->block_now)
			forget_reads(x);
		x->write_block = s->block_now;
		x->write = (struct simulate_access){ thread, at, *clock_of(s, mine, mine), false };
		if (x->arriving || x->leaving)
			lt__simulate_find(s, LT_SIMULATE_in_flight, at, buffer, element, "writes element %lld of buffer %s, %s is in flight",
				(long long)element, s->k->buffers[buffer].name, x->arriving ? "to which a copy" : "of which a reader");
	}
}

void lt__simulate_shadow_fly(
	struct simulation *s, int32_t buffer, int64_t element, int64_t n, int32_t arriving, int32_t leaving)
{
	struct shadow_span span = span_of(s, buffer, element, n);
	for (struct simulate_shadow *x = span.first; x < span.end; x++) {
		x->arriving += arriving;
		x->leaving += leaving;
	}
}
