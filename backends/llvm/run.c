/* run.c -- runs of objects, and sequences of runs that were recorded. */
#include <stdlib.h>
#include "diagnostic.h"
#include "session.h"

/* Each thread has a part of the workspace, so there is a limit. */
uint32_t lt_llvm_threads(const struct lt_object *o, uint32_t n)
{
	enum { MAX_THREADS = 256 };     /* as the host's pool has */
	n = !o->need.parallel || !LT_HAS(struct lt_host, o->s->host, parallel_for) ? 1 : n ? n : o->s->n_thread;
	return n < MAX_THREADS ? n : MAX_THREADS;
}

static int64_t workspace_bytes(const struct lt_object *o, uint32_t n_thread)
{
	return o->need.shared + (int64_t)n_thread * o->need.own;
}

void lt_llvm_workspace(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	*bytes = (size_t)workspace_bytes(o, lt_llvm_threads(o, n_thread));
	*align = o->need.align;
}

static void alone(const struct lt_host *host, uint32_t n_thread, int64_t n, lt_llvm_body_fn *body, void *arg)
{
	(void)host, (void)n_thread;
	if (n > 0)
		body(arg, 0, n, 0);
}

static lt_status check(const struct lt_object *o, const struct lt_args *args, uint32_t n_thread, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	const char *name = name_of(t);
	int64_t bytes = workspace_bytes(o, n_thread);
	if (args->n_slot != (uint32_t)t->n_slot)
		return lt_llvm_report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s takes %d buffers, %u were given", name,
			(int)t->n_slot, (unsigned)args->n_slot);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t least = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (b->slot >= 0 && args->slot[b->slot].bytes < least)
			return lt_llvm_report(diag, LT_EINVAL, -1, -1, NULL,
				"kernel %s: buffer %s has %lld bytes and needs %lld", name, b->name ? b->name : "?",
				(long long)args->slot[b->slot].bytes, (long long)least);
	}
	if (bytes && !args->workspace)
		return lt_llvm_report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s needs a workspace of %lld bytes", name,
			(long long)bytes);
	return LT_OK;
}

static void call(
	const struct lt_object *o, void *const *slot, void *workspace, struct lt_fault *fault, uint32_t n_thread)
{
	const struct lt_host *host = o->s->host;
	const bool tells = o->own && LT_HAS(struct lt_host, host, running);
	if (tells)
		host->running(host, o->own);
	o->kernel(slot, workspace, fault, n_thread > 1 ? host->parallel_for : alone, host, n_thread);
	if (tells)
		host->running(host, NULL);
}

static void addresses(void **address, const struct lt_args *args)
{
	for (uint32_t i = 0; i < args->n_slot; i++)
		address[i] = (char *)args->slot[i].base + args->slot[i].offset;
}

lt_status lt_llvm_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	enum { SOME = 32 };
	void *some[SOME], **slot = some;
	uint32_t n_thread = lt_llvm_threads(o, args->n_thread);
	lt_status status = check(o, args, n_thread, diag);
	if (status)
		return status;
	if (args->n_slot > SOME && !(slot = malloc(args->n_slot * sizeof *slot)))
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory to run kernel %s", name_of(o->tree));
	addresses(slot, args);
	call(o, slot, args->workspace, args->fault, n_thread);
	if (slot != some)
		free(slot);
	return LT_OK;
}

/* A run that has been checked, its addresses behind those of the runs before. */
struct recorded { const struct lt_object *o; void **slot, *workspace; struct lt_fault *fault; uint32_t n_thread; };
struct lt_capture { uint32_t n; struct recorded *run; void **slots; };

/* Elements of the host's array may be longer or shorter than ours. */
static const struct lt_args *args_at(const struct lt_args *args, uint32_t i)
{
	return (const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
}

void lt_llvm_capture_free(struct lt_capture *c)
{
	if (c) {
		free(c->run);
		free(c->slots);
	}
	free(c);
}

lt_status lt_llvm_capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args, uint32_t n,
	struct lt_capture **out, struct lt_diag *diag)
{
	size_t n_slot = 0;
	(void)s;
	*out = NULL;
	for (uint32_t i = 0; i < n; i++) {
		const struct lt_args *a = args_at(args, i);
		lt_status status = check(object[i], a, lt_llvm_threads(object[i], a->n_thread), diag);
		if (status)
			return status;
		n_slot += a->n_slot;
	}
	struct lt_capture *c = calloc(1, sizeof *c);
	if (c) {
		c->n = n;
		c->run = calloc((size_t)n + 1, sizeof *c->run);
		c->slots = calloc(n_slot + 1, sizeof *c->slots);
	}
	if (!c || !c->run || !c->slots) {
		lt_llvm_capture_free(c);
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory to record %u runs", (unsigned)n);
	}
	void **slot = c->slots;
	for (uint32_t i = 0; i < n; i++) {
		const struct lt_args *a = args_at(args, i);
		c->run[i] = (struct recorded){ object[i], slot, a->workspace, a->fault, lt_llvm_threads(object[i], a->n_thread) };
		addresses(slot, a);
		slot += a->n_slot;
	}
	*out = c;
	return LT_OK;
}

lt_status lt_llvm_replay(struct lt_capture *c, struct lt_diag *diag)
{
	(void)diag;
	for (uint32_t i = 0; i < c->n; i++)
		call(c->run[i].o, c->run[i].slot, c->run[i].workspace, c->run[i].fault, c->run[i].n_thread);
	return LT_OK;
}
