/* Device memory: one block for each value that has a binding, one for the rest of each kind; slots that say where a
 * storage begins. */
#include <string.h>
#include "program/run/parts.h"

static lt_status new_block(struct lt_context *ctx, const struct lt_program *p, int32_t memory,
	struct lt_device_memory *r, size_t bytes, const char *what, void **out)
{
	const struct lt_opened *c = &p->backends.at[p->memories.at[memory].opened];
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	*out = NULL;
	lt__lock_take(c->lock);
	lt_status st = c->backend->mem_new(c->session, bytes ? bytes : 1, out, &diags.diag);
	lt__lock_give(c->lock);
	if (st)
		return lt_fail(ctx, st, "backend %s: no memory on the device: %zu bytes for %s: %s", c->backend->name, bytes, what,
			lt__diagnostic_reason(&diags, st, c->backend->name, "mem_new"));
	r->block[r->n_block++] = *out;
	r->bytes += (int64_t)bytes;
	return LT_OK;
}

static lt_status memory_fill(
	struct lt_context *ctx, const struct lt_program *p, int32_t memory, bool prepare, struct lt_device_memory *r)
{
	const struct lt_memory_offsets *offsets = &p->offsets.at[memory];
	const struct lt_scratch *scratch = &p->scratch[memory];
	const enum lt_storage_space region_space = prepare ? LT_STORAGE_PREPARED : LT_STORAGE_WORKSPACE;
	const size_t region_bytes = prepare ? offsets->prepared_bytes : offsets->workspace_bytes;
	void *region = NULL;
	if (region_bytes)
		LT_TRY(new_block(ctx, p, memory, r, region_bytes,
			prepare ? "what is computed from constants" : "the workspace", &region));
	for (int32_t s = 0; s < p->nests.assigned.n_storage; s++) {
		const struct lt_storage *x = &p->nests.assigned.storage[s];
		if (lt__space_is_early(x->space) != prepare || !(p->memories.in_memories[s] >> memory & 1))
			continue;
		struct lt_slot *at = &r->where[s];
		*at = (struct lt_slot){ region, offsets->of[s], (int64_t)lt__storage_bytes(x) };
		const struct lt_binding_def *d = lt__storage_binding(p->bindings, x);
		if (d && d->on_device) {                /* the caller's: found when it is given */
			at->base = NULL;
			at->offset = 0;
			continue;
		}
		if (x->space == region_space && (region || !lt__storage_bytes(x)))
			continue;
		at->offset = 0;
		LT_TRY(new_block(ctx, p, memory, r, lt__storage_bytes(x), lt__storage_text(ctx, p, s), &at->base));
	}
	if (scratch->align > 256)
		return lt_fail(ctx, LT_EUNSUPPORTED,
			"backend %s: a kernel's workspace wants an alignment of %zu bytes; device memory has 256",
			p->backends.at[p->memories.at[memory].opened].backend->name, scratch->align);
	return scratch->bytes ? new_block(ctx, p, memory, r, scratch->bytes, "a kernel's workspace", &r->scratch) : LT_OK;
}

/* *out is set before the first block is made: memory that runs out in between leaves none without an owner. */
lt_status lt__device_memory_new(
	struct lt_context *ctx, struct lt_program *p, bool prepare, struct lt_arena *a, struct lt_device_memory **out)
{
	const int32_t n = p->nests.assigned.n_storage;
	*out = NULL;
	if (p->memories.n == 1)
		return LT_OK;
	struct lt_device_memory *r = LT_NEW(a, struct lt_device_memory, p->memories.n);
	for (int32_t i = 0; i < p->memories.n; i++) {
		r[i].where = LT_NEW(a, struct lt_slot, n + 1);
		r[i].block = LT_NEW(a, void *, n + 2);          /* a region, the storages, the kernels' workspace */
		if (!prepare)
			memcpy(r[i].where, p->constants.device[i].where, sizeof *r[i].where * (size_t)n);
	}
	*out = r;
	for (int32_t i = 1; i < p->memories.n; i++)
		LT_TRY(memory_fill(ctx, p, i, prepare, &r[i]));
	int64_t all = 0;
	for (int32_t i = 0; i < p->memories.n; i++)
		all += r[i].bytes + (prepare ? 0 : p->constants.device[i].bytes);
	p->tally.device_bytes = all;
	return LT_OK;
}

void lt__device_memory_free(const struct lt_program *p, struct lt_device_memory *r)
{
	for (int32_t i = 1; r && i < p->memories.n; i++) {
		const struct lt_opened *c = &p->backends.at[p->memories.at[i].opened];
		lt__lock_take(c->lock);
		while (r[i].n_block > 0)
			c->backend->mem_free(c->session, r[i].block[--r[i].n_block]);
		lt__lock_give(c->lock);
	}
}

/* -- what lt_options.on_device names: in the first device's memory -- */

lt_status lt__given_new(struct lt_instance *r, size_t bytes, void **out)
{
	struct lt_device_memory one = { .block = (void *[1]){ NULL } };
	return new_block(&r->ctx, r->program, 1, &one, bytes, "an input or a result", out);
}

void lt__given_free(struct lt_instance *r, void *at)
{
	const struct lt_opened *c = &r->program->backends.at[r->program->memories.at[1].opened];
	if (!at)
		return;
	lt__lock_take(c->lock);
	c->backend->mem_free(c->session, at);
	lt__lock_give(c->lock);
}

lt_status lt__given_copy(struct lt_instance *r, void *device, void *host, size_t bytes, enum lt_copy way)
{
	const struct lt_opened *c = &r->program->backends.at[r->program->memories.at[1].opened];
	const struct lt_slot there = { device, 0, (int64_t)bytes }, here = { host, 0, (int64_t)bytes };
	const bool sends = way == LT_COPY_TO_DEVICE;
	struct lt_diagnostics diags;
	if (!bytes)
		return LT_OK;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st =
		c->backend->mem_copy(c->session, sends ? &there : &here, sends ? &here : &there, bytes, way, NULL, &diags.diag);
	lt__lock_give(c->lock);
	return st ? lt_fail(&r->ctx, st, "backend %s: copying %zu bytes %s its memory: %s", c->backend->name, bytes,
		sends ? "to" : "from", lt__diagnostic_reason(&diags, st, c->backend->name, "mem_copy")) : LT_OK;
}
