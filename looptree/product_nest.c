/* The loops and leaves of a product's nest on a CPU; the order of what it copies and sums: product_layout.c. */
#include "looptree/product.h"

/* MAX_EXTENTS: the numbers that a loop may count, and what a few loops more leave; MAX_UNROLLED: rows of a right factor
 * whose multiply-adds are copies */
enum { MAX_EXTENTS = LT_MAX_COUNTED + 8, MAX_UNROLLED = 8 };
/* any: or fewer, as a run-time scalar says, or as more loops say than are told apart; known: each has a copy of what is
 * inside, or there is one; loops: there are loops over it above */
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
static void open_tiles(struct product_nest *x, lt_var v, int64_t step, enum lt_tail tail)
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
static void open_rows(struct product_nest *x, lt_var v, int64_t step)
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

void lt__nest_leaf(struct product_nest *x, lt_node n)
{
	if (n >= 0 && x->s->t->leaf_of[n] < 0)
		(void)lt_looptree_add_leaf(x->s->t, x->at, n);
}

/* The elements of a register tile. */
static void open_tile(struct product_nest *x, enum lt_tail tail)
{
	const struct lt_product *p = x->p;
	lt__nest_open(x, p->m2, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(x, p->m, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(x, p->n2, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(x, p->n, p->lanes, LT_UNROLL, tail);
	lt__nest_open(x, p->n, 1, LT_VECTOR, LT_GUARD);
}

/* All elements of the sum that the loops above leave, in the order of its dims, by vectors of columns. */
static void open_elements(struct product_nest *x)
{
	const struct lt_nodedef *d = &x->s->g->node[x->p->groups >= 0 ? x->p->groups : x->p->sum];
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] != x->p->n)
			lt__nest_open(x, d->dim[i], 1, LT_SERIAL, LT_GUARD);
	lt__nest_open(x, x->p->n, x->p->lanes, LT_SERIAL, LT_PEEL);
	lt__nest_open(x, x->p->n, 1, LT_VECTOR, LT_GUARD);
}

/* Whether what a copy reads lies along v. */
static bool lies_along(const struct lt_auto *s, lt_node copy, lt_var v)
{
	const struct lt_leaf *from = s->t->leaf[copy];
	int32_t column = lt__leaf_column(from, v);
	return column < 0 || from->read[0].n_piece == 0 || lt__auto_stride(s->g, &from->read[0].piece[0], column) == 1;
}

/* A panel of a factor: the deep vars, then v by vectors, which is around them where the source does not lie along
 * it. */
static void add_copy(struct product_nest x, lt_node copy, lt_var v)
{
	const struct lt_product *p = x.p;
	lt__product_lay_copy(x.s, copy, p, v, 0);
	if (!lies_along(x.s, copy, v))
		lt__nest_open(&x, v, p->lanes, LT_SERIAL, LT_PEEL);
	lt__nest_open_all(&x, &p->deep, -1, -1);
	if (v == p->n)
		lt__nest_open(&x, p->n2, 1, LT_SERIAL, LT_GUARD);
	lt__nest_open(&x, v, p->lanes, LT_SERIAL, LT_PEEL);
	lt__nest_open(&x, v, 1, LT_VECTOR, LT_GUARD);
	lt__nest_leaf(&x, copy);
}

/* A copy that is made in a nest of its own, in the order of its layout. */
static void add_early(struct lt_auto *s, const struct lt_product *p, lt_node copy, lt_var v, int64_t step)
{
	struct product_nest x = { s, p, -1 };
	const struct lt_nodedef *d = &s->g->node[copy];
	lt__product_lay_copy(s, copy, p, v, step);
	const struct lt_memlayout *l = s->t->layout[copy];
	bool in_run = !s->constant[copy];
	for (int32_t i = 0; l && i < l->n; i++) {
		if (in_run && i == l->n - 1 && (!lt__auto_halves(p->lanes) || lt__auto_bounded(s, d->dim[l->digit[i].dim])))
			lt__nest_open(&x, d->dim[l->digit[i].dim], p->lanes, LT_SERIAL, LT_PEEL);
		lt__nest_open(&x, d->dim[l->digit[i].dim], l->digit[i].step, in_run && i == l->n - 1 ? LT_VECTOR : LT_SERIAL,
			in_run ? LT_PEEL : LT_GUARD);
	}
	for (int32_t i = 0; i < d->n_dim; i++)
		lt__nest_open(&x, d->dim[i], 1, LT_SERIAL, LT_GUARD);
	lt__nest_leaf(&x, copy);
	lt_tnode root = lt__root_of(s->t, x.at);
	if (in_run && p->parallel && root != x.at && s->t->node[root].loop == LT_SERIAL && lt__product_shares_copy(s, copy))
		s->t->node[root].loop = LT_PARALLEL;
	lt__auto_record_nest(s, root, s->constant[copy], true);
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

/* The outermost loop around `at` inside the nest's place. */
static lt_tnode child_below(const struct product_nest *x, lt_tnode at)
{
	while (x->s->t->node[at].parent != x->at)
		at = x->s->t->node[at].parent;
	return at;
}

/* Batches and the loops over whole tiles; a panel of the left factor is inside those over its other rows. */
static void open_outer(struct product_nest *x, enum lt_tail tail)
{
	const struct lt_product *p = x->p;
	lt__nest_open_all(x, &p->batch, -1, -1);
	bool panel = p->left_copy >= 0 && !p->left_early && !p->left_whole;
	if (p->left_whole) {
		lt__nest_group(x);
		struct product_nest rows = *x;
		lt__nest_open_all(&rows, &p->row, p->m, -1);
		if (p->parallel && rows.at != x->at)
			x->s->t->node[child_below(x, rows.at)].loop = LT_PARALLEL;
		add_copy(rows, p->left_copy, p->m);
	} else if (panel) {
		lt__nest_open_all(x, &p->row, p->m, -1);
		lt__nest_parallel(x);
		lt__nest_group(x);
		add_copy(*x, p->left_copy, p->m);
	}
	if (p->rows_outside)
		lt__nest_open_all(x, &p->row, p->m, -1);
	if (p->block_m)
		lt__nest_open(x, p->m, p->block_m, LT_SERIAL, LT_GUARD);
	lt__nest_open_all(x, &p->column, p->n, p->n2);
	open_tiles(x, p->n2, p->tile_n2, LT_PEEL);
	open_tiles(x, p->n, p->tile_n, tail);
	if (!panel)
		lt__nest_parallel(x);
	if (p->form == LT_PRODUCT_PANEL || p->part >= 0 || p->row.n == 0)
		lt__nest_group(x);
}

void lt__nest_end(struct product_nest x, struct lt_product *p, bool in_tile)
{
	p->end = x.at;
	p->in_tile = in_tile;
	if (p->out < 0)
		return;
	if (in_tile)
		open_tile(&x, p->tile_tail);
	else
		open_elements(&x);
	lt__nest_leaf(&x, p->out);
}

static void add_tiles(struct product_nest *x, struct lt_product *p)
{
	open_outer(x, p->tail);
	struct product_nest k = *x;
	if (p->part >= 0)
		lt__nest_open(&k, p->k, p->block_k, LT_SERIAL, LT_PEEL);
	if (p->form == LT_PRODUCT_PANEL)
		add_copy(k, p->right_copy, p->n);
	struct product_nest tile = k;
	lt__nest_open_all(&tile, &p->row, p->m, p->m2);
	lt__nest_open(&tile, p->m2, p->tile_m2, LT_SERIAL, LT_PEEL);
	open_rows(&tile, p->m, p->tile_m);
	lt__nest_group(&tile);
	struct product_nest term = tile;
	lt__nest_open_all(&term, &p->deep, -1, -1);
	open_tile(&term, p->tile_tail);
	lt__nest_leaf(&term, p->mul);
	lt__nest_leaf(&term, p->part >= 0 ? p->part : p->sum);
	if (p->across && (p->out >= 0 || p->epilogue >= 0))
		lt__product_lay_across(x->s, p, p->sum);
	if (p->part >= 0)
		lt__product_lay_across(x->s, p, p->part);
	if (p->part >= 0) {
		struct product_nest add = tile;
		open_tile(&add, p->tile_tail);
		lt__nest_leaf(&add, p->sum);
		lt__nest_end(*x, p, false);
	} else {
		lt__nest_end(tile, p, true);
	}
}

static void open_block(struct product_nest *x)
{
	lt__nest_open_all(x, &x->p->batch, -1, -1);
	lt__nest_open_all(x, &x->p->column, x->p->n, -1);
	lt__nest_open(x, x->p->n, x->p->block_n, LT_SERIAL, LT_GUARD);
	lt__nest_parallel(x);
}

/* Few rows, of which a run-time scalar says how many: a copy of the nest for each number. */
static void open_counted(struct product_nest *x)
{
	const struct lt_vars *row = &x->p->row;
	int64_t rows = 1;
	for (int32_t i = 0; i < row->n && rows <= LT_MAX_COUNTED; i++)
		rows *= x->s->g->var[row->at[i]].extent;
	for (int32_t i = 0; i < row->n && rows <= LT_MAX_COUNTED; i++)
		if (lt__auto_bounded(x->s, row->at[i]))
			open_rows(x, row->at[i], x->s->g->var[row->at[i]].extent);
}

/* Rows whose sums fill more than the registers are several tiles, one after the other. */
static void open_row_tiles(struct product_nest *x)
{
	const struct lt_product *p = x->p;
	int64_t rows = 1;
	for (int32_t i = 0; i < p->row.n; i++)
		rows *= x->s->g->var[p->row.at[i]].extent;
	for (int32_t i = 0; i < p->row.n; i++) {
		int64_t extent = x->s->g->var[p->row.at[i]].extent, step = extent;
		if (rows > p->tile_m)
			step = extent * p->tile_m / rows > 1 ? extent * p->tile_m / rows : 1;
		if (rows > p->tile_m || lt__auto_bounded(x->s, p->row.at[i]))
			open_rows(x, p->row.at[i], step);
		rows = rows / extent * step;
	}
}

/* One row: threads share the sum's terms, so that each reads the right factor on and on; then their parts are added. */
static void add_row_chunks(struct product_nest *x, struct lt_product *p)
{
	const struct lt_nodedef *chunk = &x->s->g->node[p->chunk];
	lt__nest_open_all(x, &p->batch, -1, -1);
	lt__nest_group(x);
	struct product_nest k = *x, fold = *x;
	lt__nest_open(&k, p->k, p->block_deep, p->parallel ? LT_PARALLEL : LT_SERIAL, LT_GUARD);
	lt__nest_open(&k, p->k, p->block_k, LT_SERIAL, LT_PEEL);
	lt__nest_open(&k, p->n, p->tile_n, LT_SERIAL, LT_PEEL);
	struct product_nest term = k, add = k;
	lt__nest_open(&term, p->k, 1, LT_UNROLL, LT_GUARD);
	open_tile(&term, LT_PEEL);
	lt__nest_leaf(&term, p->mul);
	lt__nest_leaf(&term, p->part);
	open_tile(&add, LT_PEEL);
	lt__nest_leaf(&add, p->chunk);
	lt__product_lay_by_chunk(x->s, p->chunk);
	lt__nest_open(&fold, p->n, p->tile_n, LT_SERIAL, LT_PEEL);
	struct product_nest sum = fold;
	lt__nest_open(&sum, chunk->dim[chunk->n_dim - 1], 1, LT_SERIAL, LT_GUARD);
	open_tile(&sum, LT_PEEL);
	lt__nest_leaf(&sum, p->sum);
	lt__nest_end(fold, p, true);
}

static void add_rows(struct product_nest *x, struct lt_product *p)
{
	if (p->chunk >= 0) {
		add_row_chunks(x, p);
		return;
	}
	open_block(x);
	open_counted(x);
	lt__nest_group(x);
	struct product_nest k = *x;
	lt__nest_open(&k, p->k, p->block_k, LT_SERIAL, LT_PEEL);
	lt__nest_open(&k, p->n, p->tile_n, LT_SERIAL, LT_PEEL);
	open_row_tiles(&k);
	struct product_nest term = k, add = k;
	lt__nest_open_all(&term, &p->deep, p->k, -1);    /* partial sums are over all of them */
	lt__nest_open(&term, p->k, 1, p->block_k > MAX_UNROLLED ? LT_SERIAL : LT_UNROLL, LT_GUARD);
	for (int32_t i = 0; i < p->row.n; i++) {
		lt__nest_open(&term, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
		lt__nest_open(&add, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
	}
	open_tile(&term, LT_PEEL);
	lt__nest_leaf(&term, p->mul);
	lt__nest_leaf(&term, p->part);
	open_tile(&add, LT_PEEL);
	lt__nest_leaf(&add, p->sum);
	if (p->row.n > 0 && (p->out >= 0 || p->epilogue >= 0))
		lt__product_interleave(x->s, p);
	lt__nest_end(*x, p, false);
}

static void add_dots(struct product_nest *x, struct lt_product *p)
{
	const struct lt_graph *g = x->s->g;
	open_block(x);
	open_counted(x);
	lt__nest_open(x, p->n, p->tile_n, LT_SERIAL, LT_PEEL);
	lt__nest_group(x);
	struct product_nest k = *x;
	lt__nest_open_all(&k, &p->deep, p->k, -1);
	lt__nest_open(&k, p->k, p->lanes, LT_SERIAL, LT_PEEL);
	struct product_nest sum = *x;
	for (int32_t i = 0; i < p->row.n; i++) {
		lt__nest_open(&k, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
		lt__nest_open(&sum, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
	}
	lt__nest_open(&k, p->n, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(&k, p->k, 1, LT_VECTOR, LT_GUARD);
	lt__nest_leaf(&k, p->cast[0]);
	lt__nest_leaf(&k, p->cast[1]);
	lt__nest_leaf(&k, p->mul);
	lt__nest_leaf(&k, p->part);
	lt__nest_open(&sum, p->n, 1, LT_UNROLL, LT_GUARD);
	const struct lt_nodedef *part = &g->node[p->part];
	lt__nest_open(&sum, part->dim[part->n_dim - 1], 1, LT_VECTOR, LT_GUARD);
	lt__nest_leaf(&sum, p->sum);
	lt__nest_end(*x, p, false);
}

lt_status lt__product_add(struct lt_auto *s, struct lt_product *p)
{
	struct product_nest x = { s, p, -1 };
	if (p->form == LT_PRODUCT_BLOCKS)
		return lt__product_blocks_add(s, p);
	if (p->form == LT_PRODUCT_TILES)
		return lt__product_tiles_add(s, p);
	if (p->right_early)
		add_early(s, p, p->right_copy, p->n, p->tile_n);
	if (p->left_early)
		add_early(s, p, p->left_copy, p->m, p->tile_m);
	x.at = lt__auto_join(s, p);
	if (p->form == LT_PRODUCT_BYTES)
		lt__product_add_bytes(&x, p);
	else if (p->form == LT_PRODUCT_ROWS)
		add_rows(&x, p);
	else if (p->form == LT_PRODUCT_DOTS)
		add_dots(&x, p);
	else
		add_tiles(&x, p);
	if (s->t->leaf_of[p->sum] < 0)
		return lt_context_code(s->g->ctx);
	lt__auto_record_nest(s, lt__root_of(s->t, s->t->leaf_of[p->sum]), s->constant[p->sum], true);
	lt__auto_set_joint(s, p);
	return LT_OK;
}

lt_status lt__product_add_epilogue(struct lt_auto *s, struct lt_product *p)
{
	struct product_nest x = { s, p, p->end };
	if (p->form == LT_PRODUCT_BLOCKS)
		return lt__product_blocks_add_epilogue(s, p);
	if (p->form == LT_PRODUCT_TILES)
		return lt__product_tiles_add_epilogue(s, p);
	if (p->epilogue_at >= 0)
		x.at = p->epilogue_at;
	else if (p->in_tile)
		open_tile(&x, p->tile_tail);
	else
		open_elements(&x);
	p->epilogue_at = x.at;
	for (int32_t i = 0; i < s->n_member; i++)
		lt__nest_leaf(&x, s->member[i]);
	return LT_OK;
}
