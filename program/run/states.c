/* The states of instances, which some may share: each is once in the host's memory, and the one that ran last may have
 * newer bytes on a device. */
#include "program/run/parts.h"

static lt_status share_check(struct lt_instance *r, int32_t i, const struct lt_instance *with, int32_t j)
{
	const struct lt_binding_def *a = &r->program->bindings[LT_BINDING_STATE].at[i],
		*b = &with->program->bindings[LT_BINDING_STATE].at[j];
	bool same = a->dtype == b->dtype && a->rank == b->rank;
	for (int32_t k = 0; same && k < a->rank; k++)
		same = a->extent[k] == b->extent[k];
	if (!same)
		return lt_fail(&r->ctx, LT_EINVAL, "state '%s' cannot be shared: the other program's has another type or other "
			"extents, %zu bytes, and %zu here; make both alike, or give one another name", a->name, b->bytes, a->bytes);
	if (a->on_device || b->on_device)
		return lt_fail(&r->ctx, LT_EINVAL, "state '%s' cannot be shared, as lt_options.on_device names it: give both "
			"instances its memory by lt_instance_bind_state", a->name);
	return LT_OK;
}

/* State j of r gets its first sharer: from now on the host has what the last run of r left, as if shared since then. */
static lt_status state_open(struct lt_instance *r, int32_t j)
{
	if (!r->shared[j] && r->states->newest != r)
		LT_TRY(lt__state_to_host(r, j));
	r->shared[j] = true;
	return LT_OK;
}

/* Those that `with` has, too. */
static lt_status states_share(struct lt_instance *r, struct lt_instance *with)
{
	const struct lt_bindings *all = &r->program->bindings[LT_BINDING_STATE];
	for (int32_t i = 0; i < all->n; i++) {
		const int32_t j = lt__binding_find(&with->program->bindings[LT_BINDING_STATE], all->at[i].name);
		if (j < 0)
			continue;
		LT_TRY(share_check(r, i, with, j));
		if (state_open(with, j))
			return lt_fail(&r->ctx, with->ctx.code, "%s", with->ctx.message);
		r->state[i] = with->state[j];
		r->shared[i] = true;
		r->state_memory[i] = with->state_memory[j];
		r->state_memory[i]->n_use++;
	}
	return LT_OK;
}

struct states_request { struct lt_instance *r; struct lt_arena *arena; struct lt_state_memory *state_memory; };

static lt_status states_fill(void *arg)
{
	struct states_request *q = arg;
	struct lt_instance *r = q->r;
	const struct lt_bindings *all = &r->program->bindings[LT_BINDING_STATE];
	q->state_memory = LT_NEW(q->arena, struct lt_state_memory, 1);
	*q->state_memory = (struct lt_state_memory){ .arena = q->arena };
	for (int32_t i = 0; i < all->n; i++)
		if (!r->shared[i])
			r->state[i] = lt__aligned_new(q->arena, all->at[i].bytes, LT_ALIGNMENT_SLACK);
	return LT_OK;
}

/* Those that nobody else has: their memory is given back with the last instance that has one of them. */
static lt_status states_own(struct lt_instance *r)
{
	struct lt_context *ctx = &r->states->ctx;
	struct states_request q = { .r = r };
	const int32_t n = r->program->bindings[LT_BINDING_STATE].n;
	bool any = false;
	for (int32_t i = 0; i < n; i++)
		any = any || !r->state_memory[i];
	if (!any)
		return LT_OK;
	LT_TRY(lt__arena_new(ctx, &q.arena));
	const lt_status st = lt__protect(ctx, states_fill, &q);
	if (st) {
		lt__arena_free(q.arena);
		return st;
	}
	for (int32_t i = 0; i < n; i++)
		if (!r->state_memory[i]) {
			r->state_memory[i] = q.state_memory;
			q.state_memory->n_use++;
		}
	return LT_OK;
}

static void states_leave(struct lt_instance *r)
{
	for (int32_t i = 0; i < r->program->bindings[LT_BINDING_STATE].n; i++)
		if (r->state_memory[i] && --r->state_memory[i]->n_use == 0)
			lt__arena_free(r->state_memory[i]->arena);
}

lt_status lt__states_new(struct lt_instance *r, struct lt_instance *with)
{
	const int32_t n = r->program->bindings[LT_BINDING_STATE].n;
	r->state = LT_NEW(r->arena, void *, n + 1);
	r->shared = LT_NEW(r->arena, bool, n + 1);
	r->state_memory = LT_NEW(r->arena, struct lt_state_memory *, n + 1);
	struct lt_states *x = with ? with->states : lt__context_realloc(r->program->ctx, NULL, 0, sizeof *x);
	if (!x)
		return lt_fail(&r->ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", sizeof *x);
	if (!with) {
		*x = (struct lt_states){ .memory = r->program->ctx, .newest = r };
		lt__context_branch(r->program->ctx, &x->ctx);
	}
	r->states = x;
	x->n_user++;
	if (with)
		LT_TRY(states_share(r, with));
	const lt_status st = states_own(r);
	return st ? lt_fail(&r->ctx, st, "%s", x->ctx.message) : LT_OK;
}

/* What it has on a device has to be where the others find it; or they say why it is lost. */
void lt__states_free(struct lt_instance *r)
{
	struct lt_states *x = r->states;
	if (!x)
		return;
	x->n_user--;
	if (x->newest == r && x->n_user > 0) {
		if (r->ready && lt__states_bring(r))
			lt_fail(&x->ctx, r->ctx.code, "the states that were shared are lost: %s", r->ctx.message);
		x->newest = NULL;
	}
	states_leave(r);
	r->states = NULL;
	if (x->n_user == 0)
		lt__context_realloc(x->memory, x, sizeof *x, 0);
}
