/* treerun.h -- runs a tree on a backend: each slot stands between sentinels, outputs are poisoned first. */
#ifndef LT_TREERUN_H
#define LT_TREERUN_H
#include <criterion/criterion.h>
#include <math.h>
#include "keeper.h"
#include "program/host/host.h"
#include "treebuild.h"

enum { PAD = 64, MAX_SLOT = 80, MAX_THREAD = 3 };
struct bench {
	const struct lt_backend *backend;
	struct lt_host host;            /* lives as long as the session */
	struct lt_session *session;
	struct lt_object *object;
	struct keeper k;
	struct lt_fault fault;
	unsigned char *block[MAX_SLOT];
	struct lt_slot slot[MAX_SLOT];
	void *workspace;
	uint32_t n_thread;              /* of a run; 0: 1 */
};

static inline void open_bench_with(struct bench *n, const char *backend, const char *config, struct tb *b)
{
	const struct lt_tree *t = tb_done(b);
	*n = (struct bench){ .backend = lt_backend_find(backend),
		.host = { .size = sizeof n->host, .cc = getenv("LT_CC"), .parallel_for = lt__host_parallel_for },
		.k = keeper_new() };
	cr_assert(n->backend != NULL && t->n_slot <= MAX_SLOT);
	cr_assert_eq(n->backend->open(&n->host, config, &n->session, &n->k.diag), LT_OK, "%s", n->k.text);
	cr_assert_eq(n->backend->accepts(n->session, t, &n->k.diag), LT_OK, "%s", n->k.text);
	cr_assert_eq(n->backend->compile(n->session, &t, 1, &n->object, &n->k.diag), LT_OK, "%s", n->k.text);
	size_t bytes = 0, align = 64;
	n->backend->need(n->object, MAX_THREAD, &bytes, &align);
	n->workspace = bytes ? aligned_alloc(align, (bytes + align - 1) / align * align) : NULL;
	if (bytes)
		memset(n->workspace, 0xa5, bytes);
	for (int i = 0; i < b->n_buffer; i++) {
		const struct lt_buffer *buffer = &b->buffer[i];
		if (buffer->slot < 0 || n->block[buffer->slot])
			continue;
		int64_t size = buffer->elems * b->type[buffer->type].bytes;
		n->block[buffer->slot] = malloc((size_t)size + 2 * PAD);
		memset(n->block[buffer->slot], 0xa5, (size_t)size + 2 * PAD);
		n->slot[buffer->slot] = (struct lt_slot){ n->block[buffer->slot], PAD, size };
	}
}

static inline void open_bench(struct bench *n, const char *backend, struct tb *b)
{
	open_bench_with(n, backend, "", b);
}

static inline void *data(struct bench *n, int slot) { return n->block[slot] + PAD; }
static inline void bench_set(struct bench *n, int slot, const void *from)
{
	memcpy(data(n, slot), from, (size_t)n->slot[slot].bytes);
}

static inline lt_status run(struct bench *n, uint32_t n_slot)
{
	struct lt_args args = { .size = sizeof args,
		.n_slot = n_slot,
		.slot = n->slot,
		.workspace = n->workspace,
		.n_thread = n->n_thread ? n->n_thread : 1,
		.fault = &n->fault };
	lt_status status = n->backend->run(n->object, &args, &n->k.diag);
	for (uint32_t i = 0; i < n_slot; i++)
		for (int p = 0; p < PAD; p++)
			cr_assert(n->block[i][p] == 0xa5 && n->block[i][PAD + n->slot[i].bytes + p] == 0xa5, "%s wrote beside buffer %u",
				n->backend->name, i);
	return status;
}

static inline void close_bench(struct bench *n)
{
	n->backend->destroy(n->object);
	n->backend->close(n->session);
	free(n->workspace);
	for (int i = 0; i < MAX_SLOT; i++)
		free(n->block[i]);
}

static inline int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }
#endif
