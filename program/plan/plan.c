/* The memory plan: offsets in one workspace by liveness.
 *
 * Storages are given room in the order of the steps that first use them and give it back after the last, so that two
 * that live at different times share bytes.  What is prepared from constants has a region of its own: what
 * later runs read stays, the rest shares.  Each memory has its own workspace and region.
 *
 * Where rounds of steps repeat (rounds.c), a storage takes the place of the one that was the same a round before, or
 * two, if that is free: all rounds are then one loop.  A plan that needs more memory so is not taken.
 */
#include "program/plan/plan.h"

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

/* Whether these bytes are free; they are taken then. */
static bool region_take_at(struct region *r, int64_t at, int64_t bytes)
{
	for (int32_t i = 0; i < r->n; i++) {
		const struct hole h = r->hole[i];
		if (at < h.at || at + bytes > h.at + h.bytes)
			continue;
		r->hole[i] = r->hole[--r->n];
		if (at > h.at) {
			LT_GROW(r->a, r->hole, r->n, r->cap);
			r->hole[r->n++] = (struct hole){ h.at, at - h.at };
		}
		if (at + bytes < h.at + h.bytes) {
			LT_GROW(r->a, r->hole, r->n, r->cap);
			r->hole[r->n++] = (struct hole){ at + bytes, h.at + h.bytes - at - bytes };
		}
		return true;
	}
	return false;
}

static void region_give_back(struct region *r, int64_t at, int64_t bytes)
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

static int64_t aligned_bytes(const struct lt_storage *s)
{
	return (s->elems * lt__dtype_info(s->dtype)->bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void lifetime_use(struct lt_lifetime *s, int32_t step)
{
	if (s->first < 0)
		s->first = step;
	if (s->last < step)
		s->last = step;
}

struct lifetimes { const struct lt_nests *nests; struct lt_lifetime *of; };

static void lifetime_use_step(const struct lifetimes *x, const struct lt_pstep *step, int32_t at)
{
	if (step->kind != LT_STEP_RUN && step->kind != LT_STEP_BLOCKS) {
		lifetime_use(&x->of[step->to], at);
		lifetime_use(&x->of[step->from], at);
		return;
	}
	const struct lt_frozen *f = &x->nests->frozen[step->nest];
	for (int32_t i = 0; i < f->n_bind; i++)
		lifetime_use(&x->of[f->bind[i].storage], at);
}

static struct lt_lifetime *find_lifetimes(const struct lt_nests *nests, const struct lt_plan *plan, struct lt_arena *a)
{
	const struct lt_assigned *assigned = &nests->assigned;
	const struct lifetimes x = { nests, LT_NEW(a, struct lt_lifetime, assigned->n_storage + 1) };
	for (int32_t s = 0; s < assigned->n_storage; s++)
		x.of[s] = (struct lt_lifetime){ -1, -1 };
	for (int32_t i = 0; i < plan->n_prepare; i++)
		lifetime_use_step(&x, &plan->prepare[i], i);
	for (int32_t i = 0; i < plan->n_run; i++)
		lifetime_use_step(&x, &plan->run[i], plan->n_prepare + i);
	for (int32_t s = 0; s < assigned->n_storage; s++)
		if (assigned->storage[s].space == LT_STORAGE_PREPARED && x.of[s].last >= plan->n_prepare)
			x.of[s].last = plan->n_prepare + plan->n_run;   /* every run reads it */
	return x.of;
}

/* Lists of storages by step, as linked indices. */
struct lists { int32_t *begin, *next_begin, *end, *next_end; };

static struct lists list_lifetimes(const struct lt_lifetime *of, int32_t n, int32_t n_step, struct lt_arena *a)
{
	struct lists l = { LT_NEW(a, int32_t, n_step + 1), LT_NEW(a, int32_t, n + 1), LT_NEW(a, int32_t, n_step + 1),
		LT_NEW(a, int32_t, n + 1) };
	for (int32_t i = 0; i <= n_step; i++)
		l.begin[i] = l.end[i] = -1;
	for (int32_t s = n - 1; s >= 0; s--) {
		if (of[s].first < 0)
			continue;
		l.next_begin[s] = l.begin[of[s].first];
		l.begin[of[s].first] = s;
		l.next_end[s] = l.end[of[s].last];
		l.end[of[s].last] = s;
	}
	return l;
}

struct layout {
	const struct lt_assigned *assigned;
	const struct lt_memories *memories;
	const struct lt_offsets *offsets;
	int32_t n_step;
	struct lists lists;
	int32_t *like;                  /* by storage: what the round before has in its place */
	bool any_like;
	struct lt_arena *a;
};

static bool lives_in(const struct layout *x, int32_t s, enum lt_storage_space space, int32_t memory)
{
	const uint64_t *in_memories = x->memories->in_memories;
	return x->assigned->storage[s].space == space && (in_memories ? in_memories[s] >> memory & 1 : memory == 0);
}

/* Where the storage that is the same in a round before is, or the one in the round before that; else anywhere. */
static int64_t take_like(const struct layout *x, struct region *r, const int64_t *offset, int32_t s, bool like)
{
	const int64_t bytes = aligned_bytes(&x->assigned->storage[s]);
	int32_t before = like ? x->like[s] : -1;
	for (int back = 0; back < 2 && before >= 0; back++, before = x->like[before])
		if (x->assigned->storage[before].space == x->assigned->storage[s].space && region_take_at(r, offset[before], bytes))
			return offset[before];
	return region_take(r, bytes);
}

/* Offsets of the storages of one space in one memory; the size, -1: it does not fit 63 bits. */
static int64_t place_region(const struct layout *x, enum lt_storage_space space, int32_t memory, bool like)
{
	const struct lt_storage *storage = x->assigned->storage;
	const struct lists *l = &x->lists;
	struct region r = { .a = x->a };
	int64_t *offset = x->offsets->at[memory].of;
	for (int32_t i = 0; i < x->n_step && !r.overflow; i++) {
		for (int32_t s = l->begin[i]; s >= 0; s = l->next_begin[s])
			if (lives_in(x, s, space, memory))
				offset[s] = take_like(x, &r, offset, s, like);
		for (int32_t s = l->end[i]; s >= 0; s = l->next_end[s])
			if (lives_in(x, s, space, memory))
				region_give_back(&r, offset[s], aligned_bytes(&storage[s]));
	}
	return r.overflow ? -1 : r.end;
}

static lt_status plan_region(const struct layout *x, enum lt_storage_space space, int32_t memory, size_t *bytes)
{
	const int64_t least = place_region(x, space, memory, false);
	int64_t end = least;
	if (least >= 0 && x->any_like) {
		end = place_region(x, space, memory, true);
		if (end < 0 || end > least)
			end = place_region(x, space, memory, false);
	}
	*bytes = (size_t)lt__max(end, 0);
	return end >= 0 ? LT_OK : lt_fail(lt__arena_context(x->a), LT_EOVERFLOW, "the size of the intermediates that are live "
		"at one time exceeds 63 bits; make the tensors smaller");
}

lt_status lt__plan_offsets(const struct lt_nests *nests, const struct lt_plan *plan, const struct lt_kernels *kernels,
	const struct lt_memories *memories, struct lt_arena *a, struct lt_offsets *out)
{
	const int32_t n_step = plan->n_prepare + plan->n_run, n = nests->assigned.n_storage;
	*out = (struct lt_offsets){
		.at = LT_NEW(a, struct lt_memory_offsets, memories->n), .lifetime = find_lifetimes(nests, plan, a)
	};
	struct layout x = { .assigned = &nests->assigned, .memories = memories, .offsets = out, .n_step = n_step,
		.lists = list_lifetimes(out->lifetime, n, n_step, a), .a = a };
	x.any_like = lt__plan_rounds(plan, nests, kernels, memories->n, a, &x.like).n > 0;
	for (int32_t i = 0; i < memories->n; i++) {
		struct lt_memory_offsets *m = &out->at[i];
		m->of = LT_NEW(a, int64_t, n + 1);
		LT_TRY(plan_region(&x, LT_STORAGE_WORKSPACE, i, &m->workspace_bytes));
		LT_TRY(plan_region(&x, LT_STORAGE_PREPARED, i, &m->prepared_bytes));
	}
	return LT_OK;
}
