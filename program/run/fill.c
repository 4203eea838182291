/* Constants that a function gives piece by piece.  What the host's kernels read is held as a whole; what only devices
 * read crosses as it is made, and the host holds one piece at a time. */
#include <string.h>
#include "program/nest/nest.h"
#include "program/run/parts.h"

/* Few enough calls that their number costs nothing, and little beside what a program needs anyway. */
enum { PIECE_BYTES = 16 << 20, ALIGN_BYTES = 4 << 20 };

struct owned_new { struct lt_arena *a; size_t bytes; void *at; };

static lt_status own_body(void *arg)
{
	struct owned_new *x = arg;
	x->at = lt__arena_alloc_unset(x->a, x->bytes);
	return LT_OK;
}

lt_status lt__constant_own(struct lt_program *p, struct lt_context *ctx, int32_t i)
{
	const struct lt_binding_def *d = &p->bindings[LT_BINDING_CONSTANT].at[i];
	struct owned_new x = { .a = p->arena, .bytes = d->bytes };
	if (p->constants.owned[i])
		return LT_OK;
	if (lt__protect(p->ctx, own_body, &x))
		return lt_fail(ctx, LT_ENOMEM, "out of memory: %zu bytes for constant '%s'", d->bytes, d->name);
	p->constants.owned[i] = x.at;
	return LT_OK;
}

static lt_status one_piece(
	struct lt_program *p, struct lt_context *ctx, int32_t i, size_t offset, size_t bytes, void *to)
{
	const struct lt_filler *f = &p->constants.filler[i];
	lt_status st = f->fill(f->user, offset, bytes, to);
	return st ? lt_fail(ctx, st, "constant '%s': bytes %zu to %zu could not be given: the function of "
		"lt_program_bind_fill answers LT_%s", p->bindings[LT_BINDING_CONSTANT].at[i].name, offset, offset + bytes,
		lt_status_name(st)) : LT_OK;
}

struct align_copy { const struct lt_mapping *mapping; char *to; const char *from; size_t bytes; };

static void align_pieces(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	const struct align_copy *c = arg;
	(void)thread;
	for (int64_t k = first; k < last; k++) {
		const size_t at = (size_t)k * ALIGN_BYTES, n = c->bytes - at < ALIGN_BYTES ? c->bytes - at : ALIGN_BYTES;
		memcpy(c->to + at, c->from + at, n);
		lt__mapping_drop(c->mapping, c->from + at, n);
	}
}

static lt_status constant_align(struct lt_program *p, struct lt_context *ctx, int32_t i)
{
	struct lt_constants *c = &p->constants;
	const struct lt_binding_def *d = &p->bindings[LT_BINDING_CONSTANT].at[i];
	const char *from = c->data[i];
	if (!from || (uintptr_t)from % lt__dtype_info(d->dtype)->bytes == 0)
		return LT_OK;
	LT_TRY(lt__constant_own(p, ctx, i));
	const struct lt_host *host = &p->services.host;
	const int64_t n = (int64_t)((d->bytes + ALIGN_BYTES - 1) / ALIGN_BYTES);
	struct align_copy copy = { c->mapping, c->owned[i], from, d->bytes };
	host->parallel_for(host, n > 1 ? lt__host_threads(p->options.n_thread) : 1, n, align_pieces, &copy);
	c->data[i] = c->owned[i];
	return LT_OK;
}

lt_status lt__constant_hold(struct lt_program *p, struct lt_context *ctx, int32_t i)
{
	const size_t all = p->bindings[LT_BINDING_CONSTANT].at[i].bytes;
	if (!p->constants.filler[i].fill || p->constants.data[i])
		return constant_align(p, ctx, i);
	LT_TRY(lt__constant_own(p, ctx, i));
	for (size_t at = 0, n; at < all; at += n) {
		n = all - at < PIECE_BYTES ? all - at : PIECE_BYTES;
		LT_TRY(one_piece(p, ctx, i, at, n, (char *)p->constants.owned[i] + at));
	}
	p->constants.data[i] = p->constants.owned[i];
	return LT_OK;
}

/* The constant that a storage is, -1. */
static int32_t constant_of(const struct lt_program *p, int32_t storage)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	return s->space == LT_STORAGE_CONSTANT ? s->binding : -1;
}

static bool is_constant(const struct lt_program *p, int32_t storage, int32_t i)
{
	return constant_of(p, storage) == i;
}

/* Whether a step finds the constant in the host's memory, apart from moving it to a device before the first run. */
static bool step_reads(const struct lt_program *p, const struct lt_pstep *s, int32_t i, bool prepares)
{
	if (s->kind == LT_STEP_MOVE)
		return is_constant(p, s->from, i) && !(prepares && !s->from_memory);
	if (s->memory)
		return false;
	if (s->kind == LT_STEP_COPY)
		return is_constant(p, s->from, i);
	if (s->kind == LT_STEP_BLOCKS) {
		const struct lt_blocks *b = p->nests.blocks[s->nest];
		for (int32_t k = 0; k < b->n; k++)
			if (is_constant(p, b->at[k].from, i))
				return true;
		return false;
	}
	const struct lt_frozen *f = &p->nests.frozen[s->nest];
	for (int32_t k = 0; k < f->n_bind; k++)
		if (is_constant(p, f->bind[k].storage, i))
			return true;
	return false;
}

/* A run-time scalar may be one of its elements. */
static bool host_reads(const struct lt_program *p, int32_t i)
{
	for (int32_t k = 0; k < p->plan.n_prepare; k++)
		if (step_reads(p, &p->plan.prepare[k], i, true))
			return true;
	for (int32_t k = 0; k < p->plan.n_run; k++)
		if (step_reads(p, &p->plan.run[k], i, false))
			return true;
	for (int32_t k = 0; k < p->tree->graph->n_param; k++)
		if (is_constant(p, p->nests.assigned.location[p->tree->graph->param[k].source].storage, i))
			return true;
	return false;
}

lt_status lt__constants_fill(struct lt_program *p, struct lt_context *ctx)
{
	for (int32_t i = 0; i < p->bindings[LT_BINDING_CONSTANT].n; i++)
		if (p->constants.filler[i].fill && host_reads(p, i))
			LT_TRY(lt__constant_hold(p, ctx, i));
	return LT_OK;
}

static lt_status step_align(struct lt_program *p, struct lt_context *ctx, const struct lt_pstep *s)
{
	if (s->kind != LT_STEP_RUN || s->memory)
		return LT_OK;
	const struct lt_frozen *f = &p->nests.frozen[s->nest];
	for (int32_t k = 0; k < f->n_bind; k++)
		if (constant_of(p, f->bind[k].storage) >= 0)
			LT_TRY(constant_align(p, ctx, constant_of(p, f->bind[k].storage)));
	return LT_OK;
}

lt_status lt__constants_align(struct lt_program *p, struct lt_context *ctx)
{
	for (int32_t k = 0; k < p->plan.n_prepare; k++)
		LT_TRY(step_align(p, ctx, &p->plan.prepare[k]));
	for (int32_t k = 0; k < p->plan.n_run; k++)
		LT_TRY(step_align(p, ctx, &p->plan.run[k]));
	for (int32_t k = 0; k < p->tree->graph->n_param; k++) {
		const int32_t i = constant_of(p, p->nests.assigned.location[p->tree->graph->param[k].source].storage);
		if (i >= 0)
			LT_TRY(constant_align(p, ctx, i));
	}
	return LT_OK;
}

lt_status lt__constant_send(
	struct lt_program *p, struct lt_context *ctx, int32_t i, size_t offset, size_t bytes, lt_piece *send, void *user)
{
	const size_t room = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
	void *piece = lt__context_realloc(ctx, NULL, 0, room);
	lt_status st = LT_OK;
	if (!piece)
		return lt_fail(ctx, LT_ENOMEM, "out of memory: %zu bytes for a piece of constant '%s'", room,
			p->bindings[LT_BINDING_CONSTANT].at[i].name);
	for (size_t at = 0, n; at < bytes && !st; at += n) {
		n = bytes - at < room ? bytes - at : room;
		st = one_piece(p, ctx, i, offset + at, n, piece);
		st = st ? st : send(user, at, n, piece);
	}
	lt__context_realloc(ctx, piece, room, 0);
	return st;
}
