/* Memories: where each storage lives, and what crosses between the host and devices, as steps that are planned once.
 *
 * For each storage is known, from step to step, in which memories the parts of it are valid.  A kernel finds what it
 * reads in its own memory: before it come the moves of what is valid elsewhere only; between two devices they go by
 * the host.  What it writes is valid in its memory alone afterwards; as it may not write all of it, what was there is
 * brought first.  Constants cross when they are prepared, states stay where the last kernel writes them, results come
 * back at the end.
 */
#include <string.h>
#include "program/nest/nest.h"
#include "program/plan/plan.h"

enum { MAX_MEMORIES = 64 };

/* Elements [from, to) and the memories where they are valid; 0: nobody has written them. */
struct valid_range { int64_t from, to; uint64_t valid; };
struct valid_ranges { struct valid_range *at; int32_t n, cap; };
struct mover_steps { struct lt_pstep *at; int32_t n, cap; };
struct mover {
	const struct lt_nests *nests;
	const struct lt_storage *storage; int32_t n_storage;
	struct lt_memories *memories;
	const struct lt_bindings *bindings;
	const struct lt_opened_backends *backends;
	const struct lt_plan *steps;            /* without moves */
	struct lt_arena *a;
	struct valid_ranges *of;                      /* by storage */
	struct mover_steps prepare, run, *now;
	int32_t *written_in;                    /* by storage: memory of the last step of a run that writes it, -1 */
};

const struct lt_binding_def *lt__storage_binding(const struct lt_bindings *bindings, const struct lt_storage *s)
{
	static const int8_t kind_of[] = { [LT_STORAGE_INPUT] = LT_BINDING_INPUT + 1,
		[LT_STORAGE_CONSTANT] = LT_BINDING_CONSTANT + 1,
		[LT_STORAGE_STATE] = LT_BINDING_STATE + 1,
		[LT_STORAGE_RESULT] = LT_BINDING_RESULT + 1,
		[LT_STORAGE_PARAM] = 0 };
	const int kind = (size_t)s->space < sizeof kind_of ? kind_of[s->space] : 0;
	return kind ? &bindings[kind - 1].at[s->binding] : NULL;
}

static uint64_t bit(int32_t memory) { return UINT64_C(1) << memory; }

/* A device copies runs of neighbours; all else that is made block by block is made on the host. */
static int32_t memory_of(const struct mover *m, int32_t nest)
{
	const struct lt_blocks *b = m->nests->blocks[nest];
	return b && !b->runs ? 0 : m->memories->of_opened[m->nests->opened_of[nest]];
}

static void mover_add_step(struct mover *m, struct mover_steps *list, struct lt_pstep step)
{
	LT_GROW(m->a, list->at, list->n, list->cap);
	list->at[list->n++] = step;
}

static void ranges_cut(struct mover *m, struct valid_ranges *r, int64_t at)
{
	for (int32_t i = 0; i < r->n; i++) {
		if (at <= r->at[i].from || at >= r->at[i].to)
			continue;
		LT_GROW(m->a, r->at, r->n, r->cap);
		memmove(&r->at[i + 1], &r->at[i], (size_t)(r->n++ - i) * sizeof *r->at);
		r->at[i].to = r->at[i + 1].from = at;
		return;
	}
}

/* Two devices of one backend that copies between its sessions. */
static bool is_peer(const struct mover *m, int32_t from, int32_t to)
{
	const struct lt_backend *b = m->backends->at[m->memories->at[to].opened].backend;
	return b == m->backends->at[m->memories->at[from].opened].backend && LT_HAS(struct lt_backend, b, mem_peer);
}

static void bring_range(struct mover *m, int32_t storage, struct valid_range *r, int32_t memory)
{
	/* What is prepared once crosses once. */
	struct mover_steps *list = lt__space_is_early(m->storage[storage].space) ? &m->prepare : m->now;
	struct lt_pstep step = {
		.kind = LT_STEP_MOVE, .to = storage, .from = storage, .offset = r->from, .elems = r->to - r->from
	};
	if (!r->valid || r->valid & bit(memory))
		return;
	int32_t from = __builtin_ctzll(r->valid);
	if (from && memory && !is_peer(m, from, memory)) {
		step.from_memory = from;
		mover_add_step(m, list, step);
		m->memories->in_memories[storage] |= bit(0);
		r->valid |= bit(0);
		from = 0;
	}
	step.from_memory = from;
	step.memory = memory;
	mover_add_step(m, list, step);
	r->valid |= bit(memory);
}

/* Makes what there is of [from, to) valid in the memory: all of each part that has some of it, so that it crosses
 * once. */
static void bring(struct mover *m, int32_t storage, int64_t from, int64_t to, int32_t memory)
{
	struct valid_ranges *r = &m->of[storage];
	m->memories->in_memories[storage] |= bit(memory);
	for (int32_t i = 0; i < r->n; i++)
		if (r->at[i].from < to && r->at[i].to > from)
			bring_range(m, storage, &r->at[i], memory);
}

static void written(struct mover *m, int32_t storage, int64_t from, int64_t to, int32_t memory)
{
	struct valid_ranges *r = &m->of[storage];
	int32_t n = 0;
	ranges_cut(m, r, from);
	ranges_cut(m, r, to);
	for (int32_t i = 0; i < r->n; i++)
		if (r->at[i].from < to && r->at[i].to > from)
			r->at[i].valid = bit(memory);
	/* Neighbours that are alike are one: it crosses at once. */
	for (int32_t i = 1; i < r->n; i++)
		if (r->at[i].valid == r->at[n].valid)
			r->at[n].to = r->at[i].to;
		else
			r->at[++n] = r->at[i];
	r->n = r->n ? n + 1 : 0;
	m->memories->in_memories[storage] |= bit(memory);
}

static void all_of(struct mover *m, int32_t storage, uint64_t valid)
{
	struct valid_ranges *r = &m->of[storage];
	r->n = 0;
	if (m->storage[storage].elems == 0)
		return;
	LT_GROW(m->a, r->at, r->n, r->cap);
	r->at[r->n++] = (struct valid_range){ 0, m->storage[storage].elems, valid };
}

/* A copy of a whole storage is made where the kernel after it writes it, else where its content is. */
static int32_t copy_memory(const struct mover *m, const struct lt_pstep *step, const struct lt_pstep *next)
{
	const struct lt_frozen *f = next && next->kind == LT_STEP_RUN ? &m->nests->frozen[next->nest] : NULL;
	for (int32_t i = 0; f && i < f->n_bind; i++)
		if (f->bind[i].storage == step->to)
			return memory_of(m, next->nest);
	const struct valid_ranges *r = &m->of[step->from];
	return r->n && r->at[0].valid ? __builtin_ctzll(r->at[0].valid) : 0;
}

static void pass(struct mover *m, const struct lt_pstep *step, int32_t n, struct mover_steps *list)
{
	m->now = list;
	for (int32_t i = 0; i < n; i++) {
		struct lt_pstep s = step[i];
		if (s.kind == LT_STEP_COPY) {
			int64_t elems = m->storage[s.to].elems;
			s.memory = s.from_memory = copy_memory(m, &s, i + 1 < n ? &step[i + 1] : NULL);
			bring(m, s.from, 0, elems, s.memory);
			mover_add_step(m, list, s);
			written(m, s.to, 0, elems, s.memory);
			continue;
		}
		const struct lt_frozen *f = &m->nests->frozen[s.nest];
		s.memory = s.from_memory = memory_of(m, s.nest);
		for (int32_t k = 0; k < f->n_bind; k++)
			bring(m, f->bind[k].storage, f->bind[k].offset, f->bind[k].offset + f->bind[k].elems, s.memory);
		mover_add_step(m, list, s);
		for (int32_t k = 0; k < f->n_bind; k++)
			if (f->bind[k].written)
				written(m, f->bind[k].storage, f->bind[k].offset, f->bind[k].offset + f->bind[k].elems, s.memory);
	}
}

/* Where the last step that writes each storage does so; copies of what is elsewhere follow it. */
static void find_writers(struct mover *m)
{
	for (int32_t s = 0; s < m->n_storage; s++)
		m->written_in[s] = -1;
	for (int32_t i = 0; i < m->steps->n_run; i++) {
		const struct lt_pstep *s = &m->steps->run[i];
		if (s->kind == LT_STEP_COPY) {
			m->written_in[s->to] = m->written_in[s->from] < 0 ? 0 : m->written_in[s->from];
			continue;
		}
		const struct lt_frozen *f = &m->nests->frozen[s->nest];
		for (int32_t k = 0; k < f->n_bind; k++)
			if (f->bind[k].written)
				m->written_in[f->bind[k].storage] = memory_of(m, s->nest);
	}
}

/* The memory of what the caller gives on a device. */
static bool is_given(const struct mover *m, const struct lt_storage *x)
{
	const struct lt_binding_def *d = lt__storage_binding(m->bindings, x);
	return d && d->on_device;
}
enum { GIVEN = 1 };

/* A state is kept where it is written, one that is not, where it is read; of one that is read nowhere else than for
 * run-time scalars the host has it. */
static void find_states(struct mover *m, const struct lt_graph *g)
{
	uint64_t *state_memories = m->memories->state_memories =
		LT_NEW(m->a, uint64_t, m->bindings[LT_BINDING_STATE].n + 1);
	for (int32_t s = 0; s < m->n_storage; s++) {
		const struct lt_storage *x = &m->storage[s];
		if (x->space == LT_STORAGE_STATE)
			state_memories[x->binding] |= is_given(m, x) ? bit(GIVEN)
				: m->written_in[s] < 0 ? 0 : bit(m->written_in[s]);
	}
	for (int32_t i = 0; i < m->steps->n_run; i++) {
		const struct lt_pstep *step = &m->steps->run[i];
		const struct lt_frozen *f = step->kind != LT_STEP_COPY ? &m->nests->frozen[step->nest] : NULL;
		for (int32_t k = 0; f && k < f->n_bind; k++) {
			const struct lt_storage *x = &m->storage[f->bind[k].storage];
			if (x->space == LT_STORAGE_STATE && m->written_in[f->bind[k].storage] < 0)
				state_memories[x->binding] |= bit(memory_of(m, step->nest));
		}
	}
	for (int32_t i = 0; i < g->n_param; i++) {
		const struct lt_storage *x = &m->storage[m->nests->assigned.location[g->param[i].source].storage];
		if (x->space == LT_STORAGE_STATE && !state_memories[x->binding])
			state_memories[x->binding] = bit(0);
	}
	for (int32_t i = 0; i < m->bindings[LT_BINDING_STATE].n; i++)
		if (!state_memories[i])
			state_memories[i] = bit(0);
}

static void mover_begin(struct mover *m, bool run)
{
	for (int32_t s = 0; s < m->n_storage; s++) {
		const struct lt_storage *x = &m->storage[s];
		if (run && lt__space_is_early(x->space))
			continue;
		all_of(m, s, x->space == LT_STORAGE_INPUT && is_given(m, x) ? bit(GIVEN)
			: x->space == LT_STORAGE_INPUT || x->space == LT_STORAGE_CONSTANT || x->space == LT_STORAGE_PARAM ? bit(0)
			: x->space == LT_STORAGE_STATE ? m->memories->state_memories[x->binding] : 0);
	}
}

/* Results are on the host, states where the next run looks for them. */
static void mover_end(struct mover *m)
{
	for (int32_t s = 0; s < m->n_storage; s++) {
		const struct lt_storage *x = &m->storage[s];
		uint64_t want = x->space == LT_STORAGE_RESULT ? bit(is_given(m, x) ? GIVEN : 0)
			: x->space == LT_STORAGE_STATE        ? m->memories->state_memories[x->binding]
							    : 0;
		for (int32_t i = 0; i < m->memories->n; i++)
			if (want & bit(i))
				bring(m, s, 0, x->elems, i);
	}
}

/* The devices that some kernel runs on. */
static lt_status find_memories(const struct lt_opened_backends *backends, const struct lt_kernels *kernels,
	struct lt_arena *a, struct lt_memories *out)
{
	*out = (struct lt_memories){ .n = 1,
		.at = LT_NEW(a, struct lt_pmemory, backends->n + 1),
		.of_opened = LT_NEW(a, int32_t, backends->n + 1) };
	out->at[0].opened = -1;
	for (int32_t i = 0; i < backends->n; i++) {
		const struct lt_caps *caps = backends->at[i].backend->caps(backends->at[i].session);
		if (!kernels->used[i] || !LT_HAS(struct lt_caps, caps, device_memory))
			continue;
		if (out->n == MAX_MEMORIES)
			return lt_fail(lt__arena_context(a), LT_EUNSUPPORTED, "one program runs on %d devices at most", MAX_MEMORIES - 1);
		out->of_opened[i] = out->n;
		out->at[out->n++].opened = i;
	}
	return LT_OK;
}

/* Copies within a device's memory are recorded with its launches. */
static int32_t segment_opened(
	const struct lt_nests *nests, const struct lt_memories *memories, const struct lt_pstep *step)
{
	return step->kind == LT_STEP_RUN ? nests->opened_of[step->nest]
		: step->kind == LT_STEP_COPY && step->memory && nests->assigned.storage[step->to].elems > 0
		? memories->at[step->memory].opened : -1;
}

static void find_segments(
	const struct lt_nests *nests, const struct lt_memories *memories, struct lt_arena *a, struct lt_plan *plan)
{
	plan->segment = LT_NEW(a, struct lt_segment, plan->n_run + 1);
	for (int32_t i = 0; i < plan->n_run; i++) {
		const struct lt_pstep *step = &plan->run[i];
		int32_t opened = segment_opened(nests, memories, step);
		if (!plan->n_segment || plan->segment[plan->n_segment - 1].opened != opened)
			plan->segment[plan->n_segment++] = (struct lt_segment){ .opened = opened, .first = i };
		plan->segment[plan->n_segment - 1].n++;
	}
}

/* What the caller gives on a device is nowhere else. */
static lt_status check_given(const struct mover *m)
{
	for (int32_t s = 0; s < m->n_storage; s++) {
		const struct lt_storage *x = &m->storage[s];
		const uint64_t elsewhere = is_given(m, x) && m->memories->n > 1 ? m->memories->in_memories[s] & ~bit(GIVEN) : 0;
		if (is_given(m, x) && (m->memories->n == 1 || elsewhere))
			return lt_fail(lt__arena_context(m->a), LT_EUNSUPPORTED,
				"on_device: '%s' is used outside of the device's memory (%s); leave it out",
				lt__storage_binding(m->bindings, x)->name,
				m->memories->n == 1 ? "no kernel runs on a device that has one" : "LT_SHOW_PLAN without on_device shows where");
	}
	return LT_OK;
}

/* The steps with moves. */
static void add_moves(struct mover *m, const struct lt_graph *g, struct lt_plan *out)
{
	m->written_in = LT_NEW(m->a, int32_t, m->n_storage + 1);
	m->of = LT_NEW(m->a, struct valid_ranges, m->n_storage + 1);
	m->memories->in_memories = LT_NEW(m->a, uint64_t, m->n_storage + 1);
	find_writers(m);
	find_states(m, g);
	mover_begin(m, false);
	pass(m, m->steps->prepare, m->steps->n_prepare, &m->prepare);
	mover_begin(m, true);
	pass(m, m->steps->run, m->steps->n_run, &m->run);
	mover_end(m);
	*out = (struct lt_plan){
		.prepare = m->prepare.at, .n_prepare = m->prepare.n, .run = m->run.at, .n_run = m->run.n
	};
}

lt_status lt__plan_moves(const struct lt_graph *g, const struct lt_bindings *bindings, const struct lt_nests *nests,
	const struct lt_opened_backends *backends, const struct lt_kernels *kernels, const struct lt_plan *steps,
	struct lt_arena *a, struct lt_plan *out, struct lt_memories *memories)
{
	struct mover m = { .nests = nests,
		.storage = nests->assigned.storage,
		.n_storage = nests->assigned.n_storage,
		.memories = memories,
		.bindings = bindings,
		.backends = backends,
		.steps = steps,
		.a = a };
	LT_TRY(find_memories(backends, kernels, a, memories));
	*out = *steps;
	if (memories->n > 1)
		add_moves(&m, g, out);
	LT_TRY(check_given(&m));
	find_segments(nests, memories, a, out);
	return LT_OK;
}

struct lt_scratch *lt__plan_scratch(
	const struct lt_kernels *kernels, const struct lt_memories *memories, struct lt_arena *a)
{
	struct lt_scratch *out = LT_NEW(a, struct lt_scratch, memories->n);
	for (int32_t i = 0; i < memories->n; i++)
		out[i].align = 1;
	for (int32_t i = 0; i < kernels->n; i++) {
		const struct lt_built *k = &kernels->at[i];
		struct lt_scratch *s = &out[memories->of_opened[k->opened]];
		if (k->workspace_bytes == 0)
			continue;               /* nothing is to be aligned */
		s->bytes = k->workspace_bytes > s->bytes ? k->workspace_bytes : s->bytes;
		s->align = k->workspace_align > s->align ? k->workspace_align : s->align;
	}
	return out;
}
