/* The loops that a product's nest opens, one in the other: which of them are needed, and their tails. */
#include "looptree/default/product.h"

/* the numbers that a loop may count, and what a few loops more leave */
enum { MAX_EXTENTS = LT_MAX_COUNTED + 8 };
/* any: or fewer, as a run-time scalar says, or as more loops say than are told apart; known: each has a copy of
 * what is inside, or there is one; loops: there are loops over it above */
struct nest_extents { int32_t n; bool any, known, loops; int64_t at[MAX_EXTENTS]; };

static void nest_add_extent(struct nest_extents *x, int64_t e)
{
	for (int32_t i = 0; i < x->n; i++)
		if (x->at[i] == e)
			return;
	if (x->n < MAX_EXTENTS) {
		x->at[x->n++] = e;
		return;
	}
	x->any = true;
	x->known = false;
	x->at[0] = e > x->at[0] ? e : x->at[0];
}

/* What the loops over v above `at` leave to one that is opened there. */
static struct nest_extents left_of(const struct lt_looptree *t, lt_tnode at, lt_var v)
{
	while (at >= 0 && (t->node[at].kind != LT_TLOOP || t->node[at].var != v))
		at = t->node[at].parent;
	if (at < 0) {
		const struct lt_vardef *d = &t->graph->var[v];
		return (struct nest_extents){ .n = 1, .any = d->bounded, .known = !d->bounded, .at = { d->extent } };
	}
	const struct lt_tnodedef *d = &t->node[at];
	const struct nest_extents x = left_of(t, d->parent, v);
	const bool whole = d->tail == LT_PAD || d->tail == LT_MASK;
	struct nest_extents in = { .any = x.any && d->tail == LT_GUARD, .loops = true };
	in.known = x.known || d->tail == LT_PEEL || d->tail == LT_PAD;
	for (int32_t i = 0; i < x.n; i++) {
		if (x.at[i] >= d->step || whole)
			nest_add_extent(&in, d->step);
		if (x.at[i] % d->step != 0 && !whole)
			nest_add_extent(&in, x.at[i] % d->step);
	}
	for (int64_t e = 1; x.any && d->tail == LT_PEEL && e < d->step; e++)
		nest_add_extent(&in, e);
	return in;
}

void lt__nest_open(struct product_nest *x, lt_var v, int64_t step, enum lt_loop_kind kind, enum lt_tail tail)
{
	struct lt_looptree *t = x->s->t;
	if (v < 0 || step < 1)
		return;
	struct nest_extents left = left_of(t, x->at, v);
	int64_t span = 0;
	bool partial = left.any && step > 1;
	for (int32_t i = 0; i < left.n; i++) {
		span = left.at[i] > span ? left.at[i] : span;
		partial = partial || left.at[i] % step != 0;
	}
	for (lt_tnode up = x->at; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && t->node[up].var == v && t->node[up].step == 1)
			return;
	if (step > 1 && step >= span && !(partial && tail == LT_PAD) && !(left.any && !left.loops))
		return;
	if (!left.known && tail == LT_PEEL)
		tail = LT_MASK;         /* what is left is no fixed number */
	x->at = lt_looptree_add_loop(t, x->at, v, step);
	t->node[x->at].loop = span == 1 ? LT_SERIAL : kind;
	t->node[x->at].tail = partial ? tail : LT_GUARD;
}

/* A loop over tiles that threads may share: where the last tile is smaller, it is one iteration of the loop like the
 * others, and cut off inside. */
void lt__nest_open_tiles(struct product_nest *x, lt_var v, int64_t step, enum lt_tail tail)
{
	struct lt_looptree *t = x->s->t;
	lt_tnode before = x->at;
	lt__nest_open(x, v, step, LT_SERIAL, x->p->parallel && tail == LT_PEEL ? LT_GUARD : tail);
	if (x->at == before || tail != LT_PEEL || !x->p->parallel || t->graph->var[v].extent % step == 0)
		return;
	x->at = lt_looptree_add_loop(t, x->at, v, step);
	t->node[x->at].tail = LT_PEEL;
}

/* A tile of rows: where a run-time scalar says how many there are, each number of them has a copy of what is inside. */
void lt__nest_open_rows(struct product_nest *x, lt_var v, int64_t step)
{
	struct lt_looptree *t = x->s->t;
	if (v < 0 || step < 2 || !left_of(t, x->at, v).any) {
		lt__nest_open(x, v, step, LT_SERIAL, LT_PEEL);
		return;
	}
	x->at = lt_looptree_add_loop(t, x->at, v, step);
	x->at = lt_looptree_add_loop(t, x->at, v, step);
	t->node[x->at].tail = LT_PEEL;
}

void lt__nest_open_all(struct product_nest *x, const struct lt_vars *list, lt_var but, lt_var and)
{
	for (int32_t i = 0; i < list->n; i++)
		if (list->at[i] != but && list->at[i] != and)
			lt__nest_open(x, list->at[i], 1, LT_SERIAL, LT_GUARD);
}

/* The elements of a register tile. */
void lt__nest_open_tile(struct product_nest *x, enum lt_tail tail)
{
	const struct lt_product *p = x->p;
	lt__nest_open(x, p->m2, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(x, p->m, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(x, p->n2, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(x, p->n, p->lanes, LT_UNROLL, tail);
	lt__nest_open(x, p->n, 1, LT_VECTOR, LT_GUARD);
}

/* All elements of the sum that the loops above leave, in the order of its dims, by vectors of columns. */
void lt__nest_open_elements(struct product_nest *x)
{
	const struct lt_nodedef *d = &x->s->g->node[x->p->groups >= 0 ? x->p->groups : x->p->sum];
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] != x->p->n)
			lt__nest_open(x, d->dim[i], 1, LT_SERIAL, LT_GUARD);
	lt__nest_open(x, x->p->n, x->p->lanes, LT_SERIAL, LT_PEEL);
	lt__nest_open(x, x->p->n, 1, LT_VECTOR, LT_GUARD);
}

void lt__nest_parallel(struct product_nest *x)
{
	struct lt_looptree *t = x->s->t;
	int64_t trip_count = 1, cores = (int64_t)x->s->target->cores;   /* those that are there in every run */
	lt_tnode path[64];
	int32_t n = 0;
	for (lt_tnode at = x->at; at >= 0 && n < 64; at = t->node[at].parent)
		path[n++] = at;
	while (x->p->parallel && n-- > 0
		&& (trip_count < cores || (trip_count < 4 * cores && lt__product_share(trip_count, cores) < 0.9))) {
		if (t->node[path[n]].kind != LT_TLOOP)
			continue;
		if (t->node[path[n]].loop != LT_SERIAL)
			break;
		if (lt_looptree_trip_count(t, path[n]) < 2)
			continue;
		t->node[path[n]].loop = LT_PARALLEL;
		trip_count *= lt__min_trip_count(t, path[n]);
	}
}

void lt__nest_group(struct product_nest *x)
{
	if (x->at < 0)
		x->at = lt_looptree_add_group(x->s->t, -1);
}

void lt__nest_end(struct product_nest x, struct lt_product *p, bool in_tile)
{
	p->end = x.at;
	p->in_tile = in_tile;
	if (p->out < 0)
		return;
	if (in_tile)
		lt__nest_open_tile(&x, p->tile_tail);
	else
		lt__nest_open_elements(&x);
	lt__auto_add_leaf(x.s, x.at, p->out);
}
