/* Constants: bound by the caller, and what is computed from them, once. */
#include <string.h>
#include "program/run/parts.h"

void lt__constants_init(struct lt_constants *c, int32_t n, struct lt_arena *a)
{
	*c = (struct lt_constants){ .data = LT_NEW(a, const void *, n + 1), .owned = LT_NEW(a, void *, n + 1),
		.filler = LT_NEW(a, struct lt_filler, n + 1) };
}

void lt__constants_free(struct lt_program *p)
{
	struct lt_constants *c = &p->constants;
	lt__device_memory_free(p, c->device);
	lt__arena_free(c->arena);
	c->arena = NULL;
	c->prepared = c->device = NULL;
}

/* One of both is given: where it lies, or who makes it. */
struct given { const void *data; int copy; struct lt_filler filler; };

static lt_status bind_in_turn(struct lt_program *p, int32_t i, const struct given *x)
{
	const struct lt_bindings *bindings = &p->bindings[LT_BINDING_CONSTANT];
	if (i < 0 || i >= bindings->n)
		return lt_fail(p->ctx, LT_EINVAL, "there is no constant %d; the program has %d", (int)i, (int)bindings->n);
	const struct lt_binding_def *d = &bindings->at[i];
	if (p->constants.ready)
		return lt_fail(p->ctx, LT_EINVAL, "constant '%s' is bound too late: an instance exists; bind constants before it",
			d->name);
	if (!x->data && !x->filler.fill)
		return lt_fail(p->ctx, LT_EMISSING, "constant '%s' is given no data", d->name);
	if (x->copy)
		LT_TRY(lt__constant_own(p, p->ctx, i));
	p->constants.data[i] = x->copy ? memcpy(p->constants.owned[i], x->data, d->bytes) : x->data;
	p->constants.filler[i] = x->filler;
	return LT_OK;
}

static lt_status bind_given(struct lt_program *p, int32_t i, const struct given *x, const char *call)
{
	if (!lt__lock_take(&p->lock))
		return lt_fail(p->ctx, LT_EINVAL, "a callback calls %s while the program's constants are computed; "
			"bind them before the first lt_instance_new", call);
	lt_status st = bind_in_turn(p, i, x);
	lt__lock_give(&p->lock);
	return st;
}

lt_status lt_program_bind(struct lt_program *p, int32_t i, const void *data, int copy)
{
	return bind_given(p, i, &(struct given){ .data = data, .copy = copy }, "lt_program_bind");
}

lt_status lt_program_bind_fill(struct lt_program *p, int32_t i, lt_fill *fill, void *user)
{
	return bind_given(p, i, &(struct given){ .filler = { fill, user } }, "lt_program_bind_fill");
}

struct prepare { struct lt_program *p; struct lt_context *ctx; struct lt_arena *scratch; };

static lt_status prepare_body(void *arg)
{
	const struct prepare *x = arg;
	struct lt_program *p = x->p;
	struct lt_constants *c = &p->constants;
	struct lt_fault fault;
	c->prepared = lt__aligned_unset(c->arena, p->offsets.at[0].prepared_bytes, LT_ALIGNMENT_SLACK);
	LT_TRY(lt__device_memory_new(x->ctx, p, true, c->arena, &c->device));
	int32_t n_slot = lt__program_slots(p, p->plan.prepare, p->plan.n_prepare);
	struct lt_slot *slot = LT_NEW(x->scratch, struct lt_slot, n_slot + 1);
	const struct lt_addresses a = { .ctx = x->ctx, .constant = c->data, .mapping = c->mapping,
		.prepared = c->prepared, .device = c->device,
		.scratch = lt__scratch_new(x->scratch, &p->scratch[0]) };
	return lt__program_steps_run(p, p->plan.prepare, p->plan.n_prepare, &a, slot, &fault);
}

static lt_status prepare_in_turn(struct lt_program *p)
{
	struct lt_constants *c = &p->constants;
	struct prepare x = { .p = p, .ctx = &c->ctx };
	int64_t begin = lt__now_ns();
	if (c->ready)
		return LT_OK;
	lt__context_branch(p->ctx, &c->ctx);
	LT_TRY(lt__bindings_missing(&c->ctx, &p->bindings[LT_BINDING_CONSTANT], c->data, c->filler, "constant"));
	LT_TRY(lt__constants_fill(p, &c->ctx));
	LT_TRY(lt__constants_align(p, &c->ctx));
	lt_status st = lt__arena_new(&c->ctx, &c->arena);
	if (!st)
		st = lt__arena_new(&c->ctx, &x.scratch);
	if (!st)
		st = lt__protect(&c->ctx, prepare_body, &x);
	lt__arena_free(x.scratch);
	if (st) {
		lt__device_memory_free(p, c->device);
		lt__arena_free(c->arena);
		c->prepared = c->device = NULL;
		c->arena = NULL;
	}
	c->ready = !st;
	p->tally.bind_ns += lt__now_ns() - begin;
	return st;
}

/* Once ready, nothing of it changes: the turn ends here, and instances are filled at once. */
lt_status lt__constants_prepare(struct lt_program *p, struct lt_context *ctx)
{
	if (!lt__lock_take(&p->lock))
		return lt_fail(ctx, LT_EINVAL, "a callback calls lt_instance_new while the program's constants are computed; "
			"call it when the callback has returned");
	lt_status st = prepare_in_turn(p);
	if (st)
		lt_fail(ctx, st, "%-s", lt_context_message(&p->constants.ctx));
	lt__lock_give(&p->lock);
	return st;
}
