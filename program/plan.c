/* The memory plan: offsets in one workspace by liveness.
 *
 * Storages are given room in the order of the steps that first use them and give it back after the last, so that two
 * that live at different times share bytes.  What is prepared from constants has a region of its own: what
 * later runs read stays, the rest shares.  Each memory has its own workspace and region.
 */
#include "program/blocks.h"

enum { ALIGN = 64 };

struct hole { int64_t at, bytes; };
struct region { struct lt_arena *a; struct hole *hole; int32_t n, cap; int64_t end; bool overflow; };

static int64_t region_take(struct region *r, int64_t bytes)
{
	int32_t best = -1;
	for (int32_t i = 0; i < r->n; i++)
		if (r->hole[i].bytes >= bytes && (best < 0 || r->hole[i].bytes < r->hole[best].bytes))
			best = i;
	if (best >= 0) {
		int64_t at = r->hole[best].at;
		r->hole[best].at += bytes;
		r->hole[best].bytes -= bytes;
		if (r->hole[best].bytes == 0)
			r->hole[best] = r->hole[--r->n];
		return at;
	}
	for (int32_t i = 0; i < r->n; i++)      /* a hole at the end grows */
		if (r->hole[i].at + r->hole[i].bytes == r->end) {
			int64_t at = r->hole[i].at;
			r->overflow = lt__add_overflow(at, bytes, &r->end) || r->overflow;
			r->hole[i] = r->hole[--r->n];
			return at;
		}
	int64_t at = r->end;
	r->overflow = lt__add_overflow(at, bytes, &r->end) || r->overflow;
	return at;
}

static void give_back(struct region *r, int64_t at, int64_t bytes)
{
	for (int32_t i = 0; i < r->n; i++) {    /* join with neighbours */
		if (r->hole[i].at + r->hole[i].bytes == at) {
			at = r->hole[i].at;
			bytes += r->hole[i].bytes;
			r->hole[i--] = r->hole[--r->n];
		} else if (at + bytes == r->hole[i].at) {
			bytes += r->hole[i].bytes;
			r->hole[i--] = r->hole[--r->n];
		}
	}
	LT_GROW(r->a, r->hole, r->n, r->cap);
	r->hole[r->n++] = (struct hole){ at, bytes };
}

/* Sums that are told, not used: they stop at the largest number. */
static void plan_grow(int64_t *sum, int64_t by)
{
	if (lt__add_overflow(*sum, by, sum))
		*sum = INT64_MAX;
}

static int64_t room_of(const struct lt_storage *s)
{
	return (s->elems * lt__dtype_info(s->dtype)->bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void use(struct lt_storage *s, int32_t step)
{
	if (s->first < 0)
		s->first = step;
	if (s->last < step)
		s->last = step;
}

static void use_step(struct lt_program *p, const struct lt_pstep *step, int32_t at)
{
	if (step->kind != LT_STEP_RUN && step->kind != LT_STEP_BLOCKS) {
		use(&p->assigned.storage[step->to], at);
		use(&p->assigned.storage[step->from], at);
		return;
	}
	const struct lt_frozen *f = &p->frozen[step->nest];
	for (int32_t i = 0; i < f->n_bind; i++)
		use(&p->assigned.storage[f->bind[i].storage], at);
}

/* Lists of storages by step, as linked indices. */
struct lists { int32_t *begin, *next_begin, *end, *next_end; };

static bool lives_in(const struct lt_program *p, int32_t s, enum lt_space space, int32_t memory)
{
	return p->assigned.storage[s].space == space && (p->in_memories ? p->in_memories[s] >> memory & 1 : memory == 0);
}

static lt_status plan_region(struct lt_program *p, enum lt_space space, int32_t memory, int32_t n_step, const struct lists *l, size_t *bytes)
{
	struct region r = { .a = p->arena };
	int64_t *offset = memory ? p->memory[memory].offset : NULL;
	for (int32_t i = 0; i < n_step; i++) {
		for (int32_t s = l->begin[i]; s >= 0; s = l->next_begin[s])
			if (lives_in(p, s, space, memory))
				*(offset ? &offset[s] : &p->assigned.storage[s].offset) = region_take(&r, room_of(&p->assigned.storage[s]));
		if (r.overflow)
			return lt_fail(p->ctx, LT_EOVERFLOW, "the intermediates that live at one time exceed 63 bits of bytes; make the tensors smaller");
		for (int32_t s = l->end[i]; s >= 0; s = l->next_end[s])
			if (lives_in(p, s, space, memory))
				give_back(&r, offset ? offset[s] : p->assigned.storage[s].offset, room_of(&p->assigned.storage[s]));
	}
	*bytes = (size_t)r.end;
	return LT_OK;
}

lt_status lt__program_plan(struct lt_program *p)
{
	int32_t n_step = p->n_prepare + p->n_run, n = p->assigned.n_storage;
	for (int32_t i = 0; i < p->n_prepare; i++)
		use_step(p, &p->prepare[i], i);
	for (int32_t i = 0; i < p->n_run; i++)
		use_step(p, &p->run[i], p->n_prepare + i);
	struct lists l = { LT_NEW(p->arena, int32_t, n_step + 1), LT_NEW(p->arena, int32_t, n + 1),
		LT_NEW(p->arena, int32_t, n_step + 1), LT_NEW(p->arena, int32_t, n + 1) };
	for (int32_t i = 0; i <= n_step; i++)
		l.begin[i] = l.end[i] = -1;
	for (int32_t s = n - 1; s >= 0; s--) {
		struct lt_storage *d = &p->assigned.storage[s];
		if (d->first < 0)
			continue;
		if (d->space == LT_SPACE_PREPARED && d->last >= p->n_prepare)
			d->last = n_step;       /* every run reads it */
		l.next_begin[s] = l.begin[d->first];
		l.begin[d->first] = s;
		l.next_end[s] = l.end[d->last];
		l.end[d->last] = s;
		if (d->space == LT_SPACE_WORKSPACE)
			plan_grow(&p->stats.intermediate_bytes, d->elems * lt__dtype_info(d->dtype)->bytes);
	}
	for (int32_t i = 0; i < p->n_memory; i++) {
		struct lt_pmemory *m = &p->memory[i];
		m->offset = i ? LT_NEW(p->arena, int64_t, n + 1) : NULL;
		LT_TRY(plan_region(p, LT_SPACE_WORKSPACE, i, n_step, &l, &m->workspace_bytes));
		LT_TRY(plan_region(p, LT_SPACE_PREPARED, i, n_step, &l, &m->prepared_bytes));
		plan_grow(&p->stats.workspace_bytes, (int64_t)m->workspace_bytes);
		plan_grow(&p->stats.constant_bytes, (int64_t)m->prepared_bytes);
	}
	p->workspace_bytes = p->memory[0].workspace_bytes;
	p->prepared_bytes = p->memory[0].prepared_bytes;
	for (int32_t i = 0; i < p->n_run; i++) {
		const struct lt_pstep *step = &p->run[i];
		if (step->kind == LT_STEP_RUN) {
			p->stats.n_launch++;
		} else if (step->kind == LT_STEP_BLOCKS) {
			const struct lt_blocks *b = p->blocks[step->nest];
			plan_grow(&p->stats.bytes, (b->elems + b->read) * b->unit);
		} else if (step->kind == LT_STEP_MOVE) {
			p->stats.n_move++;
			plan_grow(&p->stats.move_bytes, step->elems * lt__dtype_info(p->assigned.storage[step->to].dtype)->bytes);
		}
	}
	return lt__program_count(p);
}
