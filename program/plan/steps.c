/* Steps: launches in the order of the nests, the copies of blocks between them, and copies of whole storages. */
#include <stdlib.h>
#include <string.h>
#include "program/nest/nest.h"
#include "program/plan/plan.h"

static void plan_add_step(struct lt_plan *plan, bool prepare, struct lt_pstep step)
{
	if (prepare)
		plan->prepare[plan->n_prepare++] = step;
	else
		plan->run[plan->n_run++] = step;
}

static int32_t whole_storage(const struct lt_nests *nests, lt_node n)
{
	const struct lt_location *at = &nests->assigned.location[n];
	if (at->storage < 0 || at->offset != 0)
		lt_bug("a value that is copied whole has no block of its own");
	return at->storage;
}

/* A copy, unless the value is there already. */
static void copy_whole(const struct lt_nests *nests, struct lt_plan *plan, lt_node to_node, lt_node from_node)
{
	int32_t to = whole_storage(nests, to_node), from = whole_storage(nests, from_node);
	if (to != from)
		plan_add_step(plan, false, (struct lt_pstep){ .kind = LT_STEP_COPY, .to = to, .from = from });
}

/* A copy of constants alone, whose storage nothing has touched before. */
static bool copies_constants(const struct lt_nests *nests, const struct lt_pstep *s, const bool *touched)
{
	const struct lt_blocks *b = s->kind == LT_STEP_BLOCKS ? nests->blocks[s->nest] : NULL;
	bool only = b && !touched[b->to];
	for (int32_t i = 0; only && i < b->n; i++)
		only = b->at[i].from < 0 || nests->assigned.storage[b->at[i].from].space == LT_STORAGE_CONSTANT;
	return only;
}

struct sized_step { struct lt_pstep step; int64_t bytes; int32_t at; };

static int larger_first(const void *a, const void *b)
{
	const struct sized_step *x = a, *y = b;
	return x->bytes != y->bytes ? x->bytes < y->bytes ? 1 : -1 : x->at - y->at;
}

/* Copies of constants come first, the largest before others: while one is made, parts of its source are in memory
 * beside it, and what is written later is not yet. */
static void larger_copies_first(const struct lt_nests *nests, struct lt_arena *a, struct lt_plan *plan)
{
	bool *touched = LT_NEW(a, bool, nests->assigned.n_storage + 1);
	struct sized_step *copy = LT_NEW(a, struct sized_step, plan->n_prepare + 1);
	int32_t n = 0, n_other = 0;
	for (int32_t i = 0; i < plan->n_prepare; i++) {
		const struct lt_pstep s = plan->prepare[i];
		const struct lt_frozen *f = &nests->frozen[s.nest];
		if (copies_constants(nests, &s, touched)) {
			const struct lt_blocks *b = nests->blocks[s.nest];
			copy[n] = (struct sized_step){ s, b->elems * (int64_t)b->unit, n };
			n++;
		} else {
			plan->prepare[n_other++] = s;
		}
		for (int32_t k = 0; k < f->n_bind; k++)
			touched[f->bind[k].storage] |= nests->assigned.storage[f->bind[k].storage].space != LT_STORAGE_CONSTANT;
	}
	qsort(copy, (size_t)n, sizeof *copy, larger_first);
	memmove(plan->prepare + n, plan->prepare, (size_t)n_other * sizeof *plan->prepare);
	for (int32_t i = 0; i < n; i++)
		plan->prepare[i] = copy[i].step;
}

/* Before an update that is not in place comes the copy of its old content; at the end, the content of states that
 * was made elsewhere. */
void lt__plan_steps(const struct lt_graph *g, const struct lt_nests *nests, struct lt_arena *a, struct lt_plan *out)
{
	int32_t cap = nests->n + g->n_node + g->n_set + 1;
	*out = (struct lt_plan){ .prepare = LT_NEW(a, struct lt_pstep, cap), .run = LT_NEW(a, struct lt_pstep, cap) };
	/* by node: 1 + the nest before which it was; peeling makes it many statements */
	int32_t *copied = LT_NEW(a, int32_t, g->n_node + 1);
	for (int32_t i = 0; i < nests->n; i++) {
		const struct lt_frozen *f = &nests->frozen[i];
		for (uint32_t k = 0; k < f->tree.stmts.n; k++) {
			const struct lt_nodedef *d = &g->node[f->node[k]];
			if (d->op != LT_OP_update || copied[f->node[k]] == i + 1)
				continue;
			copied[f->node[k]] = i + 1;
			copy_whole(nests, out, f->node[k], d->operand[0]);
		}
		if (!nests->blocks[i] || nests->blocks[i]->n > 0)       /* all sources of a copy may be in their storage already */
			plan_add_step(out, nests->assigned.early[f->node[0]],
				(struct lt_pstep){ .kind = nests->blocks[i] ? LT_STEP_BLOCKS : LT_STEP_RUN, .nest = i });
	}
	for (int32_t i = 0; i < g->n_set; i++)
		copy_whole(nests, out, g->set[i].state, g->set[i].value);
	larger_copies_first(nests, a, out);
}
