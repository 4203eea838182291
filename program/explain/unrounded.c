/* unrounded.c -- the casts whose roundings calls may leave out: their routines keep the wider value between operators
 * (lt_routine.wide), and what reads the cast in the call gets that; and what they may round that the graph does not.
 */
#include <stdlib.h>
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/derive/derive.h"
#include "program/explain/explain.h"

/* Whether row i of the table takes call c of the nest. */
static bool takes(const struct lt_program *p, const struct lt_target *t, int32_t i, const struct lt_frozen *f,
	int32_t c, struct lt_arena *a)
{
	const struct lt_call *call = LT_AT(struct lt_call, f->tree.calls, c);
	const struct lt_routine *r = lt__routine_at(t, i);
	struct lt_take_reach reach;
	struct lt_callshape shape;
	if (lt__routine_is_graph(t, i))
		return !lt__routine_refuses_graph(a, r, &f->tree, call, &f->call[c].name, &reach);
	if (call->pattern != LT_PATTERN_PRODUCT || r->pattern != LT_PATTERN_PRODUCT || !lt__routine_is_sound(r))
		return false;
	lt__call_shape(p->tree, f, c, &shape);
	return !lt__routine_refuses(a, t, r, &shape);
}

/* Whether the row of the table that takes call c of the nest leaves roundings out. */
static bool is_wide(const struct lt_program *p, int32_t nest, int32_t c, struct lt_arena *a)
{
	const struct lt_frozen *f = &p->nests.frozen[nest];
	const struct lt_call *call = LT_AT(struct lt_call, f->tree.calls, c);
	const char *name = p->tree->node[f->call[c].at].call;
	const struct lt_target *t = p->target[p->nests.opened_of[nest]];
	for (int32_t i = 0; t && name && !call->source && i < lt__routine_count(t); i++) {
		const struct lt_routine *r = lt__routine_at(t, i);
		if (r->name && !strcmp(r->name, name) && takes(p, t, i, f, c, a))
			return lt__routine_is_wide(t, r);
	}
	return false;
}

/* The node of that name in g, which the program was made from or is base, if it is the operator of n of base; -1. */
static lt_node same_node(const struct lt_program *p, lt_node n, const struct lt_graph *g)
{
	const struct lt_nodedef *d = &p->base->node[n];
	lt_node same = g == p->base ? n : lt__node_named(g, d->name);
	return same >= 0 && g->node[same].op == d->op && g->node[same].dtype == d->dtype ? same : -1;
}

static void mark_call(const struct lt_program *p, int32_t nest, int32_t c, const struct lt_graph *g, int32_t number,
	struct lt_unrounded *out)
{
	const struct lt_looptree *t = p->tree;
	const struct lt_frozen *f = &p->nests.frozen[nest];
	const lt_tnode at = f->call[c].at;
	for (int32_t i = 0; i < f->call[c].n_unrounded; i++) {
		lt_node n = lt__base_named(p, t->graph->node[f->call[c].unrounded[i]].name);
		n = n >= 0 && p->base->node[n].op == LT_OP_cast ? same_node(p, n, g) : -1;
		if (n >= 0 && !out->may[n]) {
			out->may[n] = true;
			out->n++;
		}
	}
	for (int32_t i = 0; i < f->call[c].n_rounded; i++) {
		lt_node n = lt__base_named(p, t->graph->node[f->call[c].rounded[i].node].name);
		n = n >= 0 ? same_node(p, n, g) : -1;
		if (n >= 0 && !out->rounded[n]) {
			out->rounded[n] = (uint8_t)f->call[c].rounded[i].to;
			out->n_added++;
		}
	}
	for (lt_tnode in = lt_looptree_after(t, at); in >= 0 && lt__is_above(t, at, in); in = lt_looptree_after(t, in)) {
		lt_node n = t->node[in].kind == LT_TLEAF ? lt__base_named(p, t->graph->node[t->node[in].leaf].name) : -1;
		if (n >= 0 && g == p->base)
			out->call[n] = number;
	}
}

struct finding {
	const struct lt_program *p;
	const struct lt_graph *g;
	struct lt_arena *arena;
	struct lt_unrounded *out;
};

static lt_status find_all(void *arg)
{
	const struct finding *x = arg;
	int32_t number = 0;
	for (int32_t i = 0; i < x->p->nests.n; i++)
		for (uint32_t c = 0; x->p->nests.opened_of[i] >= 0 && c < x->p->nests.frozen[i].tree.calls.n; c++)
			if (is_wide(x->p, i, (int32_t)c, x->arena))
				mark_call(x->p, i, (int32_t)c, x->g, ++number, x->out);
	return LT_OK;
}

lt_status lt__program_unrounded(const struct lt_program *p, const struct lt_graph *g, struct lt_unrounded *out)
{
	struct finding x = { .p = p, .g = g, .out = out };
	size_t n = (size_t)g->n_node + 1;
	*out = (struct lt_unrounded){ .may = calloc(n, sizeof *out->may), .rounded = calloc(n, sizeof *out->rounded),
		.call = calloc(n, sizeof *out->call) };
	lt_status st = out->may && out->rounded && out->call ? lt__arena_new(p->ctx, &x.arena)
		: lt_fail(p->ctx, LT_ENOMEM, "out of memory");
	if (!st) {
		st = lt__protect(p->ctx, find_all, &x);
		lt__arena_free(x.arena);
	}
	if (st || out->n + out->n_added == 0)
		lt__unrounded_free(out);
	return st;
}

void lt__unrounded_free(struct lt_unrounded *x)
{
	free(x->may);
	free(x->rounded);
	free(x->call);
	*x = (struct lt_unrounded){ 0 };
}
