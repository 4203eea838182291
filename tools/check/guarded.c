/* guarded.c -- the memory of a run: each storage between sentinels, aligned as its trees ask and not more.
 *
 * A storage is a whole tensor; a slot of a kernel is a part of one.  With device memory a storage's block lies on the
 * device, sentinels and all, and is copied there before a run and back after it.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/check/check.h"

static size_t element_size(const struct lt_storage *s) { return lt__dtype_info(s->dtype)->bytes; }
static bool on_device(const struct check_device *d) { return LT_HAS(struct lt_caps, d->caps, device_memory); }

/* The largest alignment that a kernel asks of the storage's first element. */
static size_t align_of(const struct lt_program *p, int32_t storage)
{
	size_t align = element_size(&p->nests.assigned.storage[storage]);
	for (int32_t i = 0; i < p->nests.n; i++)
		for (uint32_t b = 0; b < p->nests.frozen[i].tree.buffers.n; b++) {
			const struct lt_buffer *buffer = LT_AT(struct lt_buffer, p->nests.frozen[i].tree.buffers, b);
			if (buffer->slot >= 0 && p->nests.frozen[i].bind[buffer->slot].storage == storage && (size_t)buffer->align > align)
				align = (size_t)buffer->align;
		}
	return align;
}

/* Where in a block of 256 bytes' alignment the data begin: at a multiple of align and of nothing greater, of which odd
 * come before. */
static size_t begin_of(size_t align, size_t odd)
{
	size_t at = CHECK_GUARD;
	while (at % align || at % (2 * align) == 0)
		at++;
	return at + 2 * align * odd;
}

void lt__check_guarded_new(struct check_work *w, const struct check_how *how, struct check_guarded *guarded)
{
	static const struct check_how usual = { .odd = 0 };
	const struct lt_program *p = w->p;
	struct check_diagnostics diags = lt__check_listen();
	how = how ? how : &usual;
	*guarded = (struct check_guarded){ .w = w, .async = how->async, .lend = how->lend, .n = p->nests.assigned.n_storage,
		.block = calloc((size_t)p->nests.assigned.n_storage + 1, sizeof *guarded->block) };
	for (int32_t i = 0; guarded->block && i < guarded->n; i++) {
		struct check_block *b = &guarded->block[i];
		const struct lt_storage *s = &p->nests.assigned.storage[i];
		const size_t align = align_of(p, i);
		b->bytes = (size_t)s->elems * element_size(s);
		b->at = begin_of(align, (size_t)how->odd);
		b->total = (b->at + b->bytes + CHECK_GUARD + 255) / 256 * 256;
		if (how->page == CHECK_ANYWHERE)
			b->block = aligned_alloc(256, b->total);
		else if (!lt__check_between_pages(b, align, how->page == CHECK_PAGE_BEFORE))
			b->block = NULL;
		if (b->block && on_device(w->device))
			(void)w->device->backend->mem_new(w->device->session, b->total, &b->device, &diags.diag);
	}
}

void lt__check_guarded_free(struct check_guarded *guarded)
{
	for (int32_t i = 0; guarded->block && i < guarded->n; i++) {
		struct check_block *b = &guarded->block[i];
		if (b->map)
			lt__check_between_pages_free(b);
		else
			free(b->block);
		if (b->device)
			guarded->w->device->backend->mem_free(guarded->w->device->session, b->device);
	}
	free(guarded->block);
	*guarded = (struct check_guarded){ 0 };
}

/* The graph's node of a binding of a source. */
static lt_node node_of(const struct lt_graph *g, const struct lt_storage *s)
{
	enum lt_opcode op = s->space == LT_STORAGE_INPUT ? LT_OP_input
		: s->space == LT_STORAGE_CONSTANT        ? LT_OP_constant
						       : LT_OP_state;
	int32_t i = s->binding;
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].op == op && i-- == 0)
			return n;
	return -1;
}

static bool is_source(const struct lt_storage *s)
{
	return s->space == LT_STORAGE_INPUT || s->space == LT_STORAGE_CONSTANT || s->space == LT_STORAGE_STATE;
}

/* Run-time scalars, each from the source that it is read from. */
static void store_params(const struct check_guarded *guarded, struct check_block *b)
{
	const struct lt_program *p = guarded->w->p;
	int64_t *value = (int64_t *)(void *)(b->block + b->at);
	for (int32_t i = 0; i < p->tree->graph->n_param; i++) {
		const struct lt_paramdef *d = &p->tree->graph->param[i];
		int32_t from = p->nests.assigned.location[d->source].storage;
		if (from >= 0 && is_source(&p->nests.assigned.storage[from]) && (size_t)(i + 1) * 8 <= b->bytes)
			value[i] = ((const int64_t *)(const void *)(guarded->block[from].block + guarded->block[from].at))[d->element];
	}
}

bool lt__check_mem_copy(
	struct check_work *w, void *to, size_t to_at, void *from, size_t from_at, size_t bytes, enum lt_copy how)
{
	static const char *const words[] = { [LT_COPY_TO_DEVICE] = "to", [LT_COPY_TO_HOST] = "from", [LT_COPY_DEVICE] = "on" };
	const struct lt_slot a = { to, (int64_t)to_at, (int64_t)bytes }, b = { from, (int64_t)from_at, (int64_t)bytes };
	struct check_diagnostics diags = lt__check_listen();
	lt_status st = w->device->backend->mem_copy(w->device->session, &a, &b, bytes, how, NULL, &diags.diag);
	return lt__check_went(w->out, st, &diags, "mem_copy %s the device", words[how]);
}

static bool to_device(struct check_guarded *guarded, struct check_block *b)
{
	if (!on_device(guarded->w->device))
		return true;
	if (!b->device)
		return lt__check_fail(guarded->w->out, "mem_new of %zu bytes gave no memory", b->total);
	return lt__check_mem_copy(guarded->w, b->device, 0, b->block, 0, b->total, LT_COPY_TO_DEVICE);
}

static bool from_device(struct check_guarded *guarded, struct check_block *b)
{
	return !on_device(guarded->w->device)
		|| lt__check_mem_copy(guarded->w, b->block, 0, b->device, 0, b->total, LT_COPY_TO_HOST);
}

static bool buffers_fill(struct check_guarded *guarded, void *const *data, int poison, bool prepared)
{
	const struct lt_storage *storage = guarded->w->p->nests.assigned.storage;
	for (int32_t i = 0; i < guarded->n; i++) {
		struct check_block *b = &guarded->block[i];
		if (storage[i].space == LT_STORAGE_PREPARED && !prepared)
			continue;
		if (!b->block)
			return lt__check_fail(guarded->w->out, "no memory for %zu bytes", b->total);
		memset(b->block, CHECK_MARK, b->total);
		lt_node n = is_source(&storage[i]) ? node_of(guarded->w->g, &storage[i]) : -1;
		if (n >= 0)
			memcpy(b->block + b->at, data[n], b->bytes);
		else
			memset(b->block + b->at, poison, b->bytes);
	}
	for (int32_t i = 0; i < guarded->n; i++)
		if (storage[i].space == LT_STORAGE_PARAM)
			store_params(guarded, &guarded->block[i]);
	for (int32_t i = 0; i < guarded->n; i++)
		if ((prepared || storage[i].space != LT_STORAGE_PREPARED) && !to_device(guarded, &guarded->block[i]))
			return false;
	return true;
}

bool lt__check_guarded_fill(struct check_guarded *guarded, void *const *data, int poison)
{
	return buffers_fill(guarded, data, poison, true);
}
bool lt__check_guarded_refill(struct check_guarded *guarded, void *const *data, int poison)
{
	return buffers_fill(guarded, data, poison, false);
}

void *lt__check_guarded_fetch(struct check_guarded *guarded, int32_t storage)
{
	struct check_block *b = &guarded->block[storage];
	return from_device(guarded, b) ? b->block + b->at : NULL;
}

bool lt__check_guarded_send(struct check_guarded *guarded, int32_t storage)
{
	return to_device(guarded, &guarded->block[storage]);
}

static const char *name_of(const struct check_guarded *guarded, int32_t i)
{
	static const enum lt_binding kind[] = { LT_BINDING_INPUT, LT_BINDING_CONSTANT, LT_BINDING_STATE, LT_BINDING_RESULT };
	const struct lt_storage *s = &guarded->w->p->nests.assigned.storage[i];
	return s->space <= LT_STORAGE_RESULT ? lt_program_name(guarded->w->p, kind[s->space], s->binding)
		: s->space == LT_STORAGE_PARAM ? "run-time scalars" : "an intermediate";
}

static bool sentinels_stand(struct check_guarded *guarded, int32_t i)
{
	const struct check_block *b = &guarded->block[i];
	for (size_t k = 0; k < b->total; k++)
		if ((k < b->at || k >= b->at + b->bytes) && b->block[k] != CHECK_MARK)
			return lt__check_fail(guarded->w->out, "a byte %zu %s buffer '%s' of %zu bytes was overwritten",
				k < b->at ? b->at - k : k - b->at - b->bytes + 1, k < b->at ? "before" : "after", name_of(guarded, i),
				b->bytes);
	return true;
}

bool lt__check_guarded_stand(struct check_guarded *guarded, void *const *data)
{
	const struct lt_program *p = guarded->w->p;
	for (int32_t i = 0; i < guarded->n; i++) {
		const struct check_block *b = &guarded->block[i];
		const struct lt_storage *s = &p->nests.assigned.storage[i];
		if (!from_device(guarded, &guarded->block[i]) || !sentinels_stand(guarded, i))
			return false;
		if ((s->space == LT_STORAGE_INPUT || s->space == LT_STORAGE_CONSTANT)
			&& memcmp(b->block + b->at, data[node_of(guarded->w->g, s)], b->bytes))
			return lt__check_fail(guarded->w->out, "%s '%s' was changed by the run",
				s->space == LT_STORAGE_INPUT ? "input" : "constant", name_of(guarded, i));
	}
	return true;
}

void *lt__check_guarded_at(const struct check_guarded *guarded, enum lt_storage_space space, int32_t binding)
{
	const struct lt_storage *storage = guarded->w->p->nests.assigned.storage;
	for (int32_t i = 0; i < guarded->n; i++)
		if (storage[i].space == space && storage[i].binding == binding)
			return guarded->block[i].block + guarded->block[i].at;
	return NULL;
}

static void store_slots(const struct check_guarded *guarded, int32_t nest, struct lt_slot *slot)
{
	const struct lt_frozen *f = &guarded->w->p->nests.frozen[nest];
	for (int32_t i = 0; i < f->n_bind; i++) {
		const struct check_block *b = &guarded->block[f->bind[i].storage];
		size_t bytes = element_size(&guarded->w->p->nests.assigned.storage[f->bind[i].storage]);
		slot[i] = (struct lt_slot){ b->device ? b->device : b->block, (int64_t)(b->at + (size_t)f->bind[i].offset * bytes),
			(int64_t)((size_t)f->bind[i].elems * bytes) };
	}
}

static bool space_new(
	struct check_work *w, const struct lt_object *o, uint32_t n_thread, int fill, struct check_space *space)
{
	const struct lt_backend *backend = w->device->backend;
	struct check_diagnostics diags = lt__check_listen();
	size_t align = 1;
	*space = (struct check_space){ 0 };
	if (!LT_HAS(struct lt_backend, backend, need))
		return true;
	backend->need(o, n_thread, &space->bytes, &align);
	if (space->bytes == 0)
		return true;
	if (align == 0 || (align & (align - 1)))
		return lt__check_fail(w->out, "need says an alignment of %zu, which is not a power of two", align);
	size_t at = begin_of(align, 0), step = align > 256 ? 2 * align : 256;
	if (align > CHECK_GUARD)
		at = align;             /* of a block that is aligned to twice as much */
	space->total = (at + space->bytes + CHECK_GUARD + step - 1) / step * step;
	space->block = aligned_alloc(step, space->total);
	if (!space->block)
		return lt__check_fail(w->out, "no memory for a workspace of %zu bytes", space->bytes);
	memset(space->block, CHECK_MARK, space->total);
	space->at = space->block + at;
	memset(space->at, fill, space->bytes);
	if (!on_device(w->device))
		return true;
	/* a handle has no offset: nothing of ours can stand before it */
	const size_t bytes = space->bytes + CHECK_GUARD;
	lt_status st = backend->mem_new(w->device->session, bytes, &space->device, &diags.diag);
	return lt__check_went(w->out, st, &diags, "mem_new of %zu bytes", bytes)
		&& lt__check_mem_copy(w, space->device, 0, space->at, 0, bytes, LT_COPY_TO_DEVICE);
}

static bool space_end(struct check_work *w, struct check_space *space)
{
	/* The sentinels after a workspace of the device, to where those of its copy stand. */
	bool good = !space->device
		|| lt__check_mem_copy(w, space->at, space->bytes, space->device, space->bytes, CHECK_GUARD, LT_COPY_TO_HOST);
	for (size_t k = 0; space->block && k < space->total && good; k++) {
		const unsigned char *at = space->block + k;
		if ((at < space->at || at >= space->at + space->bytes) && *at != CHECK_MARK)
			good = lt__check_fail(w->out, "a byte %s the workspace of %zu bytes was overwritten",
				at < space->at ? "before" : "after", space->bytes);
	}
	if (space->device)
		w->device->backend->mem_free(w->device->session, space->device);
	free(space->block);
	*space = (struct check_space){ 0 };
	return good;
}

bool lt__check_args_new(struct check_guarded *guarded, int32_t nest, int fill, uint32_t n_thread,
	struct lt_fault *fault, struct check_args *a)
{
	struct check_work *w = guarded->w;
	const uint32_t n = (uint32_t)w->p->nests.frozen[nest].n_bind;
	*a = (struct check_args){ .slot = calloc((size_t)n + 2, sizeof *a->slot) };
	if (!a->slot)
		return lt__check_fail(w->out, "out of memory");
	if (!space_new(w, w->object[nest], n_thread, fill, &a->space))
		return false;
	store_slots(guarded, nest, a->slot);
	a->args = (struct lt_args){ .size = sizeof a->args, .n_slot = n, .slot = a->slot, .n_thread = n_thread,
		.workspace = a->space.device ? a->space.device : a->space.at, .async = guarded->async, .fault = fault };
	return true;
}

bool lt__check_args_end(struct check_work *w, struct check_args *a)
{
	free(a->slot);
	a->slot = NULL;
	return space_end(w, &a->space);
}
