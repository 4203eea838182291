/* location.c -- where a tree's grids and locals are on a machine, as lines (LT_DUMP_LOCATIONS). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "kernel/form/form.h"

struct kernel_locating { const struct lt_tree *t; const struct lt_kernel *plain, *k; lt_write *write; void *user; };

__attribute__((format(printf, 5, 6))) static void locate_line(
	const struct kernel_locating *p, int32_t loop, int32_t stmt, int32_t buffer, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	int n = snprintf(text, sizeof text, "%d %d %d ", (int)loop, (int)stmt, (int)buffer);
	va_start(ap, fmt);
	n += vsnprintf(text + n, sizeof text - (size_t)n - 1, fmt, ap);
	va_end(ap);
	n = n < (int)sizeof text - 2 ? n : (int)sizeof text - 2;
	text[n++] = '\n';
	p->write(p->user, text, (size_t)n);
}

/* The first statement in a region; -1: none. */
static int32_t locate_first(const struct lt_kernel *k, const struct lt_region *r)
{
	for (int32_t i = r->first; i < r->first + r->n; i++)
		if (k->instructions[i].origin >= 0 && k->instructions[i].opcode != LT_OPCODE_loop)
			return k->instructions[i].origin;
	return -1;
}

static void locate_grid(const struct kernel_locating *p, const struct lt_region *r)
{
	char blocks[100], shared[60] = "";
	int n = 0, last = 2;
	const int threads = r->threads[0] * r->threads[1] * r->threads[2];
	while (last > 0 && r->blocks[last] == 1)
		last--;
	for (int a = 0; a <= last; a++)
		n += snprintf(blocks + n, sizeof blocks - (size_t)n, "%s%" PRId64, a ? " x " : "", r->blocks[a]);
	if (r->shared_bytes)
		(void)snprintf(shared, sizeof shared, ", %" PRId64 " bytes of shared memory", r->shared_bytes);
	locate_line(p, r->origin, r->origin < 0 ? locate_first(p->k, r) : -1, -1, "a grid of %s block%s of %d thread%s%s",
		blocks, last == 0 && r->blocks[0] == 1 ? "" : "s", threads, threads == 1 ? "" : "s", shared);
}

/* Of a buffer of the tree: what it became; NULL: no buffer. */
static const struct lt_kernel_buffer *locate_find(const struct lt_kernel *k, int32_t buffer)
{
	for (uint32_t i = 0; i < k->n_buffer; i++)
		if (k->buffers[i].origin == buffer)
			return &k->buffers[i];
	return NULL;
}

/* What a routine or a matrix instruction has in it is nowhere. */
static bool locate_is_inside(const struct lt_tree *t, const struct lt_buffer *x)
{
	bool inside = false;
	for (int32_t l = x->scope; l >= 0 && !inside; l = LT_AT(struct lt_loop, t->loops, l)->parent)
		inside = LT_AT(struct lt_loop, t->loops, l)->kind == LT_CALL || LT_AT(struct lt_loop, t->loops, l)->kind == LT_TILE;
	return inside;
}

/* A local is in registers where the steps left no buffer of it: how much of it a thread has, the first step says. */
static void locate_local(const struct kernel_locating *p, int32_t b, const struct lt_buffer *x)
{
	const struct lt_kernel_buffer *now = locate_find(p->k, b), *first = locate_find(p->plain, b);
	const int64_t own = first && first->space == LT_SPACE_ARRAY ? first->elems : 1;
	const char *name = x->name ? x->name : "?";
	char each[60] = "";
	if (x->elems > own)
		(void)snprintf(each, sizeof each, ", %" PRId64 " element%s in each thread", own, own == 1 ? "" : "s");
	if (!now)
		locate_line(p, -1, -1, b, "%s %s%s", name,
			x->elems > own ? "registers distributed over the block" : "registers", each);
	else if (now->space == LT_SPACE_ARRAY)
		locate_line(p, -1, -1, b, "%s an array of each thread%s%s", name,
			x->elems > own ? ", distributed over the block" : "", each);
	else
		locate_line(p, -1, -1, b, "%s %s memory, %" PRId64 " bytes", name,
			now->space == LT_SPACE_SHARED ? "shared" : "global",
			now->elems * (int64_t)lt__kernel_element_bytes(now->dtype));
}

/* A combine: by exchanges in a subgroup, by shared memory, or both. */
static void locate_combine(const struct kernel_locating *p, int32_t s)
{
	int32_t exchanges = 0, shares = 0;
	for (uint32_t i = 0; i < p->k->n_instruction; i++) {
		const struct lt_instruction *x = &p->k->instructions[i];
		exchanges += x->origin == s && x->opcode == LT_OPCODE_exchange;
		shares += x->origin == s && x->opcode == LT_OPCODE_store && p->k->buffers[x->what].space == LT_SPACE_SHARED
			&& p->k->buffers[x->what].origin < 0;
	}
	if (exchanges || shares)
		locate_line(p, -1, s, -1, "its threads are combined by %s%s%s", exchanges ? "exchanges of a warp" : "",
			exchanges && shares ? ", then by " : "", shares ? "shared memory between barriers" : "");
}

lt_status lt_kernel_locations(const struct lt_tree *t, const struct lt_machine *m, const struct lt_kernel *k,
	lt_write *write, void *user)
{
	struct lt_kernel *plain;
	lt_status status = lt_kernel_new(t, m, &(struct lt_kernel_options){ .last = 'L' }, &plain, NULL);
	if (status)
		return status;
	const struct kernel_locating p = { t, plain, k, write, user };
	for (uint32_t r = 0; r < k->n_region; r++)
		if (k->regions[r].kind == LT_REGION_GRID)
			locate_grid(&p, &k->regions[r]);
	for (uint32_t c = 0; c < k->n_call; c++)
		locate_line(&p, k->calls[c].origin, -1, -1, "a call of %s", k->calls[c].routine);
	for (uint32_t b = 0; b < t->buffers.n; b++) {
		const struct lt_buffer *x = LT_AT(struct lt_buffer, t->buffers, b);
		if (x->role == LT_LOCAL && !locate_is_inside(t, x))
			locate_local(&p, (int32_t)b, x);
	}
	for (uint32_t s = 0; s < t->stmts.n; s++)
		if (LT_AT(struct lt_stmt, t->stmts, s)->kind == LT_COMBINE)
			locate_combine(&p, (int32_t)s);
	lt_kernel_free(plain);
	return LT_OK;
}
