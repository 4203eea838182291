/* Steps: launches in the order of the nests, the copies of blocks between them, and copies of whole storages. */
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
}
