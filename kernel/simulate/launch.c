/* launch.c -- the points of a team, range by range in some order; and again, divided in another way. */
#include <string.h>
#include "kernel/simulate/part.h"

/* What belongs to one range begins: the thread's part, the region's arrays and variables. */
static void begin_range(struct simulation *s)
{
	lt__simulate_undefine(&s->area[s->k->n_slot + 1]);
	for (uint32_t b = 0; b < s->k->n_buffer; b++)
		if (s->k->buffers[b].space == LT_SPACE_ARRAY && s->buffer_region[b] == s->region)
			lt__simulate_undefine(&s->area[s->area_of[b]]);
	for (uint32_t v = 0; v < s->k->n_variable; v++)
		if (s->variable_region[v] == s->region)
			s->variable_defined[v] = 0;
}

/* Numbers of ranges start again before they are used up; marks of old ones are then forgotten. */
static void number_ranges(struct simulation *s)
{
	if (s->n_range >= UINT32_MAX - 1) {
		s->size = s->points / (UINT32_MAX / 2) + 1;
		s->n_range = (s->points - 1) / s->size + 1;
	}
	if ((uint64_t)s->n_range >= UINT32_MAX - s->range_now) {
		s->range_now = 0;
		for (int32_t a = 0; a < s->n_area; a++)
			if (s->area[a].mark)
				memset(s->area[a].mark, 0, ((size_t)(s->area[a].bytes >> s->area[a].shift) + 1) * sizeof *s->area[a].mark);
	}
	s->range_base = s->range_now + 1;
}

static void launch_pass(struct simulation *s, const struct lt_instruction *launch, int64_t size)
{
	s->size = size;
	s->n_range = (s->points - 1) / size + 1;
	number_ranges(s);
	lt__simulate_order(s, (uint64_t)s->n_range, &s->scale, &s->shift);
	const struct lt_region *team = &s->k->regions[launch->what];
	s->launch = launch;
	s->region = launch->what;
	for (int64_t i = 0; i < s->n_range && !s->status; i++) {
		s->range_now++;
		simulate_range_bounds(s, s->range_now, &s->first, &s->last);
		begin_range(s);
		(void)lt__simulate_steps(s, team->first, team->first + team->n);
	}
	s->launch = NULL;
	s->region = 0;
}

/* All that ranges may write. */
static int64_t shared_bytes(const struct simulation *s)
{
	int64_t bytes = 0;
	for (int32_t a = 0; a < s->n_area; a++)
		bytes += s->area[a].mark ? s->area[a].bytes : 0;
	return bytes;
}

static size_t stamp_bytes(const struct simulate_area *a)
{
	return ((size_t)(a->bytes >> a->shift) + 1) * sizeof *a->stamp;
}

static void copy_area(unsigned char *at, uint32_t *stamp, const struct simulate_area *a)
{
	memcpy(at, a->at, (size_t)a->bytes);
	if (a->stamp)
		memcpy(stamp, a->stamp, stamp_bytes(a));
}

static void keep_before(struct simulation *s)
{
	for (struct simulate_area *a = s->area; a < s->area + s->n_area; a++) {
		if (!a->mark)
			continue;
		if (!a->before) {
			a->before = lt__pool_alloc(&s->pool, (size_t)a->bytes + 1, 1);
			a->after = lt__pool_alloc(&s->pool, (size_t)a->bytes + 1, 1);
			if (a->stamp) {
				a->stamp_before = lt__pool_alloc(&s->pool, stamp_bytes(a), 1);
				a->stamp_after = lt__pool_alloc(&s->pool, stamp_bytes(a), 1);
			}
		}
		copy_area(a->before, a->stamp_before, a);
	}
}

static void restart(struct simulation *s)
{
	for (struct simulate_area *a = s->area; a < s->area + s->n_area; a++) {
		if (!a->mark)
			continue;
		copy_area(a->after, a->stamp_after, a);
		memcpy(a->at, a->before, (size_t)a->bytes);
		if (a->stamp)
			memcpy(a->stamp, a->stamp_before, stamp_bytes(a));
	}
}

/* The two runs left the same: the same is defined, with the same bits. */
static void compare(struct simulation *s, const struct lt_instruction *launch)
{
	for (int32_t b = 0; b < (int32_t)s->k->n_buffer && !s->status; b++) {
		const struct simulate_area *a = &s->area[s->area_of[b]];
		const struct lt_kernel_buffer *x = &s->k->buffers[b];
		if (!a->mark || !x->written || s->base[b] < 0)
			continue;
		int64_t bytes = s->element_bytes[b];
		for (int64_t e = 0; e < x->elems && s->base[b] + (e + 1) * bytes <= a->bytes; e++) {
			int64_t byte = s->base[b] + e * bytes;
			bool now = lt__simulate_is_defined(s, b, e), then = true;
			for (int64_t g = byte >> a->shift; a->stamp && g < (byte + bytes) >> a->shift; g++)
				then = then && a->stamp_after[g] == a->now;
			if (now != then || (now && memcmp(a->at + byte, a->after + byte, (size_t)bytes) != 0))
				lt__simulate_find(s, LT_SIMULATE_ranges, (int32_t)(launch - s->k->instructions), b, e,
					"team %d leaves another element %lld of buffer %s in ranges of %lld points than in ranges of one",
					(int)launch->what, (long long)e, x->name, (long long)s->size);
			if (s->status)
				return;
		}
	}
}

/* Second runs end when a run has made so many steps: a check of how points are divided needs no large shapes. */
enum { TWICE_STEPS = 1 << 21 };

/* Copies of what is shared should not take longer than the points. */
static bool runs_twice(const struct simulation *s, const struct lt_region *team)
{
	int64_t work;
	return s->options.range == 0 && s->points > 1 && s->steps < TWICE_STEPS
		&& (__builtin_mul_overflow(s->points, 64 * (int64_t)team->n, &work) || shared_bytes(s) <= work);
}

static void run_launch(struct simulation *s, const struct lt_instruction *launch, int64_t points)
{
	if (points <= 0)
		return;
	s->points = points;
	bool twice = runs_twice(s, &s->k->regions[launch->what]);
	struct lt_fault fault = *s->args->fault;
	if (twice)
		keep_before(s);
	launch_pass(s, launch, s->options.range > 0 ? s->options.range : 1);
	if (!twice || s->status || s->steps > TWICE_STEPS)
		return;
	struct lt_simulate_count *count = s->count;
	restart(s);
	*s->args->fault = fault;
	s->count = NULL;
	launch_pass(s, launch, 2 + (int64_t)(lt__simulate_draw(s) % (uint64_t)(points - 1)));
	s->count = count;
	compare(s, launch);
}

static void run_grid(struct simulation *s, const struct lt_instruction *x)
{
	int64_t blocks[3];
	for (int axis = 0; axis < 3; axis++) {
		blocks[axis] = (int64_t)simulate_lane(s, x->operand[axis], 0);
		if (!simulate_known(s, x->operand[axis], 0)) {
			lt__simulate_find(s, LT_SIMULATE_condition, (int32_t)(x - s->k->instructions), -1, -1,
				"a number of blocks is undefined");
			return;
		}
	}
	lt__simulate_grid(s, x, blocks);
}

void lt__simulate_host(struct simulation *s)
{
	int32_t i = s->k->regions[0].first, end = i + s->k->regions[0].n;
	for (; (i = lt__simulate_steps(s, i, end)) < end; i++) {
		const struct lt_instruction *x = &s->k->instructions[i];
		if (x->opcode == LT_OPCODE_launch_grid)
			run_grid(s, x);
		else if (!simulate_known(s, x->operand[0], 0))
			lt__simulate_find(s, LT_SIMULATE_condition, i, -1, -1, "a number of points is undefined");
		else
			run_launch(s, x, (int64_t)simulate_lane(s, x->operand[0], 0));
	}
}
