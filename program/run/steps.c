/* Running steps: slots filled from the storages' addresses, one launch or copy after the other. */
#include <string.h>
#include "program/nest/nest.h"
#include "program/run/parts.h"

int32_t lt__program_slots(const struct lt_program *p, const struct lt_pstep *step, int32_t n)
{
	int32_t max = 0;
	for (int32_t i = 0; i < n; i++)
		if (step[i].kind == LT_STEP_RUN && p->nests.frozen[step[i].nest].n_bind > max)
			max = p->nests.frozen[step[i].nest].n_bind;
	return max;
}

void *lt__storage_address(const struct lt_program *p, int32_t storage, const struct lt_addresses *a)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	const int64_t *offset = p->offsets.at[0].of;
	switch (s->space) {
	case LT_STORAGE_INPUT:     return (char *)(uintptr_t)a->input[s->binding];
	case LT_STORAGE_CONSTANT:  return (char *)(uintptr_t)a->constant[s->binding];
	case LT_STORAGE_STATE:     return a->state[s->binding];
	case LT_STORAGE_RESULT:    return a->result[s->binding];
	case LT_STORAGE_WORKSPACE: return (char *)a->workspace + offset[storage];
	case LT_STORAGE_PREPARED:  return (char *)a->prepared + offset[storage];
	case LT_STORAGE_PARAM:     return (char *)a->param;
	}
	lt_bug("a storage of no space");
}

/* Bytes of a storage in a memory, from `offset` on. */
static struct lt_slot slot_of(const struct lt_program *p, int32_t storage, int32_t memory, const struct lt_addresses *a,
	int64_t offset, int64_t bytes)
{
	if (!memory)
		return (struct lt_slot){ lt__storage_address(p, storage, a), offset, bytes };
	const struct lt_slot *at = &a->device[memory].where[storage];
	return (struct lt_slot){ at->base, at->offset + offset, bytes };
}

/* In the order of the kernel's tree: each has a slot of its own in the storage of all. */
static const int64_t *launch_params(const struct lt_frozen *f, const struct lt_addresses *a)
{
	if (!a->launch_param || !f->tree.n_param)
		return NULL;
	for (int32_t i = 0; i < f->tree.n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, f->tree.params, i);
		const int32_t slot = LT_AT(struct lt_buffer, f->tree.buffers, p->buffer)->slot;
		a->launch_param[i] = a->param[f->bind[slot].offset + p->element];
	}
	return a->launch_param;
}

struct lt_args lt__launch_args(const struct lt_program *p, const struct lt_pstep *step, const struct lt_addresses *a,
	struct lt_slot *slot, struct lt_fault *fault)
{
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	const struct lt_built *k = &p->kernels.at[p->kernels.of[step->nest]];
	for (int32_t i = 0; i < f->n_bind; i++) {
		const struct lt_storage *s = &p->nests.assigned.storage[f->bind[i].storage];
		const int64_t bytes = lt__dtype_info(s->dtype)->bytes, offset = f->bind[i].offset;
		slot[i] = slot_of(p, f->bind[i].storage, step->memory, a, offset * bytes, (s->elems - offset) * bytes);
	}
	const struct lt_run_queue *q = step->memory && a->queue ? &a->queue[step->memory] : NULL;
	return (struct lt_args){ .size = sizeof(struct lt_args), .n_slot = (uint32_t)f->n_bind, .slot = slot,
		.workspace = !k->workspace_bytes ? NULL : step->memory ? a->device[step->memory].scratch : a->scratch,
		.n_thread = p->options.n_thread, .async = q != NULL && !lt__profile_waits(a->profiler, p, step),
		.stream = q ? q->stream : NULL, .fault = fault,
		.param = launch_params(f, a) };
}

struct lt_args lt__copy_args(
	const struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a, struct lt_slot *slot)
{
	const struct lt_storage *x = &p->nests.assigned.storage[s->to];
	const struct lt_run_queue *q = &a->queue[s->memory];
	const int64_t bytes = x->elems * lt__dtype_info(x->dtype)->bytes;
	slot[0] = slot_of(p, s->to, s->memory, a, 0, bytes);
	slot[1] = slot_of(p, s->from, s->memory, a, 0, bytes);
	return (struct lt_args){ .size = sizeof(struct lt_args), .n_slot = 2, .slot = slot, .async = 1, .stream = q->stream };
}

struct lt_fault *lt__step_fault(
	const struct lt_program *p, const struct lt_pstep *step, const struct lt_addresses *a, struct lt_fault *one)
{
	return a->queue && step->memory ? &a->fault[step - p->plan.run] : one;
}

static lt_status launch(struct lt_program *p, const struct lt_pstep *step, const struct lt_addresses *a,
	struct lt_slot *slot, struct lt_fault *one)
{
	struct lt_fault *fault = lt__step_fault(p, step, a, one);
	const struct lt_built *k = &p->kernels.at[p->kernels.of[step->nest]];
	const struct lt_opened *c = &p->backends.at[k->opened];
	const struct lt_backend *backend = c->backend;
	struct lt_args args = lt__launch_args(p, step, a, slot, fault);
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	if (!step->memory)
		LT_TRY(lt__queue_before_host(p, a, 0, true));
	if (step->memory && a->queue) {
		a->queue[step->memory].busy = true;
		a->queue[step->memory].ends = false;
	}
	if (!c->together)
		lt__lock_take(c->lock);
	lt__profile_step_begin(a->profiler, p, step, a);
	lt_status st = backend->run(k->object, &args, &diags.diag);
	lt__profile_step_end(a->profiler, p, step, a);
	if (!c->together)
		lt__lock_give(c->lock);
	if (fault->n > 0 && !args.async)
		return lt__fault_report(p, a, step, fault);
	if (st)
		return lt_fail(a->ctx, st, "backend %s, kernel %s: %s", backend->name, p->nests.frozen[step->nest].tree.name,
			lt__diagnostic_reason(&diags, st, backend->name, "run"));
	return LT_OK;
}

static lt_status copy_on(const struct lt_program *p, const struct lt_addresses *a, int32_t memory,
	const struct lt_slot *to, const struct lt_slot *from, enum lt_copy direction, int32_t storage)
{
	const struct lt_opened *c = &p->backends.at[p->memories.at[memory].opened];
	struct lt_run_queue *q = a->queue ? &a->queue[memory] : NULL;
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	if (q && q->stream) {
		q->busy = true;
		q->ends = false;
		q->sends = q->sends || direction == LT_COPY_TO_DEVICE;
		q->brings = q->brings || direction == LT_COPY_TO_HOST;
	}
	lt__lock_take(c->lock);
	lt_status st = c->backend->mem_copy(
		c->session, to, from, (size_t)to->bytes, direction, q ? q->stream : NULL, &diags.diag);
	lt__lock_give(c->lock);
	return st ? lt_fail(a->ctx, st, "backend %s: copying %lld bytes of %s %s: %s", c->backend->name,
		       (long long)to->bytes, lt__storage_text(a->ctx, p, storage),
		       direction == LT_COPY_TO_DEVICE         ? "to its memory"
			       : direction == LT_COPY_TO_HOST ? "from its memory"
							      : "within its memory",
		       lt__diagnostic_reason(&diags, st, c->backend->name, "mem_copy"))
		  : LT_OK;
}

/* From one device to another of the same backend, which its queue follows already; what comes later in the other one
 * waits for it. */
static lt_status move_peer(
	struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a, const struct lt_slot *to,
	const struct lt_slot *from)
{
	const struct lt_opened *c = &p->backends.at[p->memories.at[s->memory].opened],
		*other = &p->backends.at[p->memories.at[s->from_memory].opened];
	struct lt_run_queue *q = a->queue ? &a->queue[s->memory] : NULL;
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	if (q && q->stream) {
		q->busy = true;
		q->ends = false;
	}
	lt__lock_take(c->lock);
	lt_status st = c->backend->mem_peer(
		c->session, to, other->session, from, (size_t)to->bytes, q ? q->stream : NULL, &diags.diag);
	lt__lock_give(c->lock);
	if (st)
		return lt_fail(a->ctx, st, "backend %s: copying %lld bytes of %s from one device to another: %s", c->backend->name,
			(long long)to->bytes, lt__storage_text(a->ctx, p, s->to),
			lt__diagnostic_reason(&diags, st, c->backend->name, "mem_peer"));
	return lt__queue_follow(p, a, s->from_memory, s->memory);
}

struct sending {
	const struct lt_program *p;
	const struct lt_addresses *a;
	const struct lt_pstep *step;
	struct lt_slot to;
};

static lt_status send_piece(void *user, size_t at, size_t bytes, const void *piece)
{
	const struct sending *x = user;
	const struct lt_slot to = { x->to.base, x->to.offset + (int64_t)at, (int64_t)bytes };
	const struct lt_slot from = { (void *)(uintptr_t)piece, 0, (int64_t)bytes };
	return copy_on(x->p, x->a, x->step->memory, &to, &from, LT_COPY_TO_DEVICE, x->step->to);
}

/* A constant that a function gives, which the host does not hold. */
static bool is_sent(const struct lt_program *p, const struct lt_pstep *s)
{
	const struct lt_storage *x = &p->nests.assigned.storage[s->from];
	return !s->from_memory && x->space == LT_STORAGE_CONSTANT && !p->constants.data[x->binding];
}

static lt_status move_in_pieces(
	struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a, const struct lt_slot *to)
{
	const struct lt_storage *x = &p->nests.assigned.storage[s->from];
	struct sending sends = { p, a, s, *to };
	const int64_t unit = lt__dtype_info(x->dtype)->bytes;
	return lt__constant_send(p, a->ctx, x->binding, (size_t)(s->offset * unit), (size_t)to->bytes, send_piece, &sends);
}

lt_status lt__move(struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a)
{
	const int64_t unit = lt__dtype_info(p->nests.assigned.storage[s->to].dtype)->bytes, bytes = s->elems * unit;
	const bool peer = s->memory && s->from_memory, sent = is_sent(p, s);
	int64_t begin_ns;
	if (bytes == 0)
		return LT_OK;
	struct lt_slot to = slot_of(p, s->to, s->memory, a, s->offset * unit, bytes);
	struct lt_slot from = slot_of(p, s->from, s->from_memory, a, s->offset * unit, bytes);
	if (peer)
		LT_TRY(lt__queue_follow(p, a, s->memory, s->from_memory));
	else if (!sent)
		LT_TRY(lt__queue_before_host(p, a, s->memory ? s->memory : s->from_memory, !s->memory));
	LT_TRY(lt__crossing_begin(p, s, a, &begin_ns));
	LT_TRY(sent ? move_in_pieces(p, s, a, &to)
		: peer ? move_peer(p, s, a, &to, &from)
		: copy_on(p, a, s->memory ? s->memory : s->from_memory, &to, &from,
			s->memory ? LT_COPY_TO_DEVICE : LT_COPY_TO_HOST, s->to));
	return lt__crossing_end(p, s, a, begin_ns);
}

lt_status lt__fetch(
	const struct lt_program *p, int32_t storage, int32_t memory, const struct lt_addresses *a, void *out)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	int64_t bytes = s->elems * lt__dtype_info(s->dtype)->bytes;
	struct lt_slot to = { out, 0, bytes }, from = slot_of(p, storage, memory, a, 0, bytes);
	return bytes == 0 ? LT_OK : copy_on(p, a, memory, &to, &from, LT_COPY_TO_HOST, storage);
}

lt_status lt__fetch_element(const struct lt_program *p, int32_t storage, int32_t memory, int64_t element,
	const struct lt_addresses *a, int64_t *out)
{
	struct lt_slot to = { out, 0, sizeof *out },
		       from = slot_of(p, storage, memory, a, element * (int64_t)sizeof *out, sizeof *out);
	return copy_on(p, a, memory, &to, &from, LT_COPY_TO_HOST, storage);
}

static lt_status step_copy(struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a)
{
	const struct lt_storage *x = &p->nests.assigned.storage[s->to];
	int64_t bytes = x->elems * lt__dtype_info(x->dtype)->bytes;
	struct lt_slot to = slot_of(p, s->to, s->memory, a, 0, bytes), from = slot_of(p, s->from, s->memory, a, 0, bytes);
	if (bytes == 0)
		return LT_OK;
	if (s->memory)
		return copy_on(p, a, s->memory, &to, &from, LT_COPY_DEVICE, s->to);
	LT_TRY(lt__queue_before_host(p, a, 0, true));
	memcpy(to.base, from.base, (size_t)bytes);
	return LT_OK;
}

struct block_sources { const struct lt_program *p; const struct lt_addresses *a; };

static void mapping_drop(const struct lt_program *p, int32_t storage, const struct lt_addresses *a)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	if (s->space == LT_STORAGE_CONSTANT)
		lt__mapping_drop(a->mapping, a->constant[s->binding], p->bindings[LT_BINDING_CONSTANT].at[s->binding].bytes);
}

static struct lt_slot host_slot(const void *user, int32_t storage)
{
	const struct block_sources *f = user;
	return slot_of(f->p, storage, 0, f->a, 0, 0);
}

/* What is copied of a file that is mapped gives its pages back after a part of it, so that a large constant is not in
 * memory twice. */
enum { PART_BYTES = 16 << 20 };

static int32_t part_end(const struct lt_blocks *b, int32_t first)
{
	int64_t elems = 0;
	int32_t end = first;
	for (; end < b->n && elems * (int64_t)b->unit < PART_BYTES; end++) {
		int64_t n = 1;
		for (int32_t k = 0; k < b->at[end].n_dim; k++)
			n *= b->dim[b->at[end].first_dim + k].size;
		elems += n;
	}
	return end;
}

static void blocks_on_host(struct lt_program *p, const struct lt_blocks *b, const struct lt_addresses *a)
{
	const struct block_sources sources = { p, a };
	for (int32_t first = 0, end; first < b->n; first = end) {
		int32_t before = -1;
		end = a->mapping ? part_end(b, first) : b->n;
		lt__blocks_run(&p->services.host, p->options.n_thread, b, first, end - first, a->param, host_slot, &sources);
		for (int32_t k = first; a->mapping && k < end; before = b->at[k++].from)
			if (b->at[k].from >= 0 && b->at[k].from != before)
				mapping_drop(p, b->at[k].from, a);
	}
}

static lt_status blocks(struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a)
{
	const struct lt_blocks *b = p->nests.blocks[s->nest];
	if (!s->memory) {
		LT_TRY(lt__queue_before_host(p, a, 0, true));
		blocks_on_host(p, b, a);
		return LT_OK;
	}
	for (int32_t i = 0; i < b->n; i++) {
		const struct lt_block *x = &b->at[i];
		int64_t bytes = (x->n_dim ? b->dim[x->first_dim].size : 1) * b->unit;
		struct lt_slot to = slot_of(p, b->to, s->memory, a, x->to_at * b->unit, bytes);
		struct lt_slot from = slot_of(p, x->from, s->memory, a, x->from_at * b->unit, bytes);
		LT_TRY(copy_on(p, a, s->memory, &to, &from, LT_COPY_DEVICE, b->to));
	}
	return LT_OK;
}

static lt_status run_step(struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a,
	struct lt_slot *slot, struct lt_fault *fault)
{
	switch (s->kind) {
	case LT_STEP_RUN:    return launch(p, s, a, slot, fault);
	case LT_STEP_COPY:   return step_copy(p, s, a);
	case LT_STEP_MOVE:   return lt__move(p, s, a);
	case LT_STEP_BLOCKS: return blocks(p, s, a);
	}
	lt_bug("a step of no kind");
}

/* A launch is timed around the backend's call, other steps as a whole. */
static lt_status timed_step(struct lt_program *p, const struct lt_pstep *s, const struct lt_addresses *a,
	struct lt_slot *slot, struct lt_fault *fault)
{
	if (!a->profiler || s->kind == LT_STEP_RUN)
		return run_step(p, s, a, slot, fault);
	lt__profile_step_begin(a->profiler, p, s, a);
	lt_status st = run_step(p, s, a, slot, fault);
	lt__profile_step_end(a->profiler, p, s, a);
	return st;
}

lt_status lt__run_unwanted(struct lt_context *ctx)
{
	if (!ctx->cancelled)
		return LT_OK;
	const int64_t now = lt__now_ns();
	if (now - ctx->asked_ns < LT_ASK_NS)
		return LT_OK;
	ctx->asked_ns = now;
	return ctx->cancelled(ctx->cancelled_user) ? lt_fail(ctx, LT_ECANCELLED, "the run was cancelled") : LT_OK;
}

bool lt__step_needed(const struct lt_pstep *s, const struct lt_addresses *a)
{
	return !s->needs || a->all_steps || a->param[s->needs - 1] >= s->least;
}

lt_status lt__program_steps_run(struct lt_program *p, const struct lt_pstep *step, int32_t n,
	const struct lt_addresses *a, struct lt_slot *slot, struct lt_fault *fault)
{
	lt__fault_clear(fault);
	for (int32_t i = 0; i < n; i++) {
		if (!lt__step_needed(&step[i], a))
			continue;
		LT_TRY(lt__run_unwanted(a->ctx));
		LT_TRY(timed_step(p, &step[i], a, slot, fault));
	}
	return LT_OK;
}
