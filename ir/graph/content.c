/* content.c -- what a constant holds, where the graph's maker has it, and who is told when nobody needs it any
 * more. */
#define _DEFAULT_SOURCE 1       /* madvise */
#include <sys/mman.h>
#include <unistd.h>
#include "ir/graph/graph.h"

struct lt_holding {
	struct lt_holding *next;
	struct lt_context *ctx;
	int32_t n_user;
	void (*release)(void *);
	void *user;
};

static void holding_drop(void *of)
{
	struct lt_holding *h = of;

	if (--h->n_user > 0)
		return;
	h->release(h->user);
	lt__context_realloc(h->ctx, h, sizeof *h, 0);
}

static lt_status hold_body(struct lt_graph *g, struct lt_holding *h)
{
	lt__arena_defer(g->arena, holding_drop, h);
	h->next = g->holding;
	g->holding = h;
	return LT_OK;
}

lt_status lt_graph_hold(struct lt_graph *g, void (*release)(void *user), void *user)
{
	volatile lt_status status = LT_ENOMEM;
	struct lt_holding *h = lt__context_realloc(g->ctx, NULL, 0, sizeof *h);

	if (!h)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	*h = (struct lt_holding){ .ctx = g->ctx, .n_user = 1, .release = release, .user = user };
	LT_CAUGHT(g->ctx, status, hold_body(g, h));
	if (status)
		lt__context_realloc(g->ctx, h, sizeof *h, 0);
	return status;
}

void lt__graph_hold_too(const struct lt_graph *g, struct lt_arena *arena)
{
	for (struct lt_holding *h = g->holding; h; h = h->next) {
		lt__arena_defer(arena, holding_drop, h);
		h->n_user++;
	}
}

void lt__graph_mapped(struct lt_graph *g, const void *at, size_t bytes)
{
	struct lt_mapping *m = LT_NEW(g->arena, struct lt_mapping, 1);

	*m = (struct lt_mapping){ .at = at, .bytes = bytes, .next = g->mapping };
	g->mapping = m;
}

void lt__mapping_drop(const struct lt_mapping *m, const void *at, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t first = ((uintptr_t)at + page - 1) & ~(page - 1), end = ((uintptr_t)at + bytes) & ~(page - 1);

	for (; m; m = m->next)
		if ((uintptr_t)at >= (uintptr_t)m->at && (uintptr_t)at - (uintptr_t)m->at <= m->bytes
		    && bytes <= m->bytes - ((uintptr_t)at - (uintptr_t)m->at) && first < end)
			(void)madvise((void *)first, end - first, MADV_DONTNEED);
}

lt_status lt_graph_content(struct lt_graph *g, lt_node constant, const void *data)
{
	if (!lt__graph_has(g, constant))
		return lt_context_code(g->ctx);
	struct lt_nodedef *n = &g->node[constant];
	if (n->op != LT_OP_constant)
		return lt__graph_fail(g, LT_EINVAL, "'%.100s' is no constant, but %s: only a constant has a content", n->name,
			lt__op_info(n->op)->name);
	n->content = data;
	return LT_OK;
}

const void *lt_node_content(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && x < g->n_node ? g->node[x].content : NULL;
}
