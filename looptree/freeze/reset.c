/* Resets of reductions, and the lanes of those over vector and block loops.
 *
 * A reduction starts from its identity before its outermost reducing loop.  Where a vector or block loop reduces, each
 * of its iterations (a lane) has a sum of its own, as far out as the sums are few enough to stay near: a local is reset
 * there, the lanes add to it, and after the loop a combine adds them to the result.
 *
 *     for k, 64 iterations                    for k', 16 iterations, vector
 *       for k', 16 iterations, vector           s_lanes[k'] = identity of add
 *         s[0] op= add x[16*k + k']           for k, 64 iterations
 *                                               for k', 16 iterations, vector
 *                                                 s_lanes[k'] op= add x[16*k + k']
 *                                             for k', 16 iterations, vector
 *                                               s[0] combine add s_lanes[k']
 */
#include "looptree/freeze/parts.h"

void lt__freeze_reductions(struct lt_freezer *f)
{
	const struct lt_looptree *t = f->t;
	for (lt_node n = f->g->n_node - 1; n >= 0; n--) {       /* backwards, so that the lists are in order */
		lt_tnode loop = t->leaf_of[n] >= 0 && f->g->node[n].reduce ? lt__reducing_loop(t, n) : -1;
		if (loop < 0)
			continue;
		f->next_reset[n] = f->first_reset[loop];
		f->first_reset[loop] = n;
		lt__lanes_plan(f, n, loop);
	}
}

/* -- nests of the writer's loops over the result's vars, and over the lanes -- */

struct reset_nest {
	lt_node n;
	const struct lt_leaf *leaf;
	int32_t n_loop;
	const lt_tnode *loop;
	enum { RESET, RESET_LANES, COMBINE } what;
	int32_t outermost_lanes;        /* COMBINE: the frozen loop, -1: not yet in it */
};

static lt_status reset_element(struct lt_freezer *f, const struct reset_nest *x)
{
	const struct lt_nodedef *d = &f->g->node[x->n];
	enum lt_dtype in[3] = { d->dtype, d->dtype };
	int32_t op = lt__freeze_op(f, d->op, d->dtype, 2, in), stmt = f->n_stmt;
	struct lt_fpiece piece = { .kind = LT_IMMEDIATE, .access = -1, .bits = f->op[op].identity };
	if (x->what == COMBINE) {
		piece = (struct lt_fpiece){ .kind = LT_READ, .access = lt__freeze_lane(f, x->n, x->leaf, false) };
		f->needs |= LT_NEED_COMBINE;
	}
	struct lt_rows guards = { 0 };
	lt__freeze_stmt(f, x->what == COMBINE ? LT_COMBINE : LT_RESET, x->n);
	lt__freeze_guard(f, x->n, x->leaf, &guards);
	piece.first_guard = f->n_guard;
	LT_GROW(f->a, f->piece, f->n_piece, f->cap_piece);
	f->piece[f->n_piece++] = piece;
	LT_GROW(f->a, f->operand, f->n_operand, f->cap_operand);
	f->operand[f->n_operand++] = (struct lt_operand){ .first_piece = f->n_piece - 1, .n_piece = 1, .dtype = d->dtype };
	f->stmt[stmt].op = op;
	f->stmt[stmt].n_operand = 1;
	f->stmt[stmt].reducing = x->outermost_lanes;
	return lt__freeze_dest(f, x->n, x->leaf, stmt, x->what == RESET_LANES, &guards);
}

static lt_status reset_walk(struct lt_freezer *, const struct reset_nest *, int32_t i);

/* The loop over all lanes: they are all there, whatever the loops of the reduced var around them left of it. */
static lt_status walk_lanes(struct lt_freezer *f, const struct reset_nest *x, int32_t i)
{
	lt_tnode at = x->loop[i];
	int32_t primes = 0, parent = f->n_path > 0 ? f->path[f->n_path - 1].loop : -1, loop = f->n_loop;
	for (lt_tnode up = f->t->node[at].parent; up >= 0; up = f->t->node[up].parent)
		primes += f->t->node[up].kind == LT_TLOOP && f->t->node[up].var == f->t->node[at].var;
	LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
	LT_GROW(f->a, f->path, f->n_path, f->cap_path);
	f->loop[f->n_loop++] = (struct lt_floop){ .parent = parent,
		.first_stmt = f->n_stmt,
		.first_bound = f->n_bound,
		.at = at,
		.primes = primes,
		.kind = f->t->node[at].loop,
		.max_trip_count = lt__lane_trip_count(f, at),
		.line = { -1, true } };
	f->path[f->n_path++] = (struct lt_step){ .var = -1, .step = 1, .cover = 1, .full = 1, .loop = loop, .at = at };
	struct reset_nest inner = *x;
	if (x->what == COMBINE && x->outermost_lanes < 0)
		inner.outermost_lanes = loop;
	LT_TRY(reset_walk(f, &inner, i + 1));
	lt__freeze_close(f);
	return LT_OK;
}

/* A loop that is a dim of a partial sum counts that dim: nothing around counts the reduced var. */
static lt_status reset_walk(struct lt_freezer *f, const struct reset_nest *x, int32_t i)
{
	if (i == x->n_loop)
		return reset_element(f, x);
	lt_tnode at = x->loop[i];
	if (lt__loop_reduces(f->t, x->n, at))
		return walk_lanes(f, x, i);
	lt_var v = x->leaf->var[lt__loop_column(f->t, x->leaf, at)];
	int64_t step = lt__var_step(f->g, v, f->t->node[at].var, lt__freeze_step(f, at));
	enum lt_tail tail = v == f->t->node[at].var ? f->t->node[at].tail : LT_GUARD;
	struct lt_peeled *copy;
	int32_t n;
	lt__freeze_copies(f, v, step, tail, &n, &copy);
	for (int32_t k = 0; k < n; k++) {
		LT_TRY(lt__freeze_open(f, at, v, step, tail, &copy[k]));
		LT_TRY(reset_walk(f, x, i + 1));
		lt__freeze_close(f);
	}
	return LT_OK;
}

/* The loops from `loop` inwards over the result's vars, and in them those whose iterations are the lanes. */
static lt_status add_nest(struct lt_freezer *f, lt_tnode loop, struct reset_nest x)
{
	LT_TRY(lt__leaf(f->t, x.n, &x.leaf));
	int32_t n_above = lt__loops_above(f->t, f->t->leaf_of[x.n], NULL);
	lt_tnode *above = LT_NEW(f->a, lt_tnode, n_above + 1), *inner = LT_NEW(f->a, lt_tnode, n_above + 1);
	lt__loops_above(f->t, f->t->leaf_of[x.n], above);
	bool inside = false;
	for (int32_t i = 0; i < n_above; i++) {
		inside = inside || above[i] == loop;
		if (inside && lt__loop_column(f->t, x.leaf, above[i]) >= 0 && !lt__loop_reduces(f->t, x.n, above[i]))
			inner[x.n_loop++] = above[i];
	}
	for (int32_t i = 0; x.what != RESET && i < n_above; i++)
		if (lt__is_lanes(&f->t->node[above[i]]) && lt__loop_reduces(f->t, x.n, above[i]))
			inner[x.n_loop++] = above[i];
	x.loop = inner;
	int32_t first = f->n_loop;
	LT_TRY(reset_walk(f, &x, 0));
	for (int32_t i = first; i < f->n_loop; i++)     /* combines are reported with the loop that they end */
		f->loop[i].line = (struct lt_loopline){ x.what == COMBINE && f->loop[i].parent < first ? loop : -1, true };
	return LT_OK;
}

lt_status lt__freeze_resets(struct lt_freezer *f, lt_tnode loop)
{
	for (lt_node n = f->first_reset[loop]; n >= 0; n = f->next_reset[n])
		LT_TRY(add_nest(f, loop, (struct reset_nest){ .n = n, .what = RESET, .outermost_lanes = -1 }));
	for (lt_node n = f->first_lanes[loop]; n >= 0; n = f->next_lanes[n]) {
		lt__lanes_add(f, n);
		LT_TRY(add_nest(f, loop, (struct reset_nest){ .n = n, .what = RESET_LANES, .outermost_lanes = -1 }));
	}
	return LT_OK;
}

lt_status lt__freeze_combines(struct lt_freezer *f, lt_tnode loop)
{
	for (lt_node n = f->first_lanes[loop]; n >= 0; n = f->next_lanes[n])
		LT_TRY(add_nest(f, loop, (struct reset_nest){ .n = n, .what = COMBINE, .outermost_lanes = -1 }));
	return LT_OK;
}
