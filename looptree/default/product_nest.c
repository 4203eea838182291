/* The loops and leaves of a product's nest on a CPU; the order of what it copies and sums: product_layout.c. */
#include "looptree/default/product.h"

/* rows of a right factor whose multiply-adds are copies */
enum { MAX_UNROLLED = 8 };

/* Whether what a copy reads lies along v. */
static bool lies_along(const struct lt_auto *s, lt_node copy, lt_var v)
{
	const struct lt_leaf *from = s->t->leaf[copy];
	int32_t column = lt__leaf_column(from, v);
	return column < 0 || from->read[0].n_piece == 0 || lt__auto_stride(s->g, &from->read[0].piece[0], column) == 1;
}

/* A panel of a factor: the contracted vars, then v by vectors, which is around them where the source does not lie along
 * it. */
static void add_copy(struct product_nest x, lt_node copy, lt_var v)
{
	const struct lt_product *p = x.p;
	const struct lt_product_order order = lt__product_copy_order(x.s, copy, p, v, 0);
	lt__product_lay(x.s, copy, &order);
	if (!lies_along(x.s, copy, v))
		lt__nest_open(&x, v, p->lanes, LT_SERIAL, LT_PEEL);
	lt__nest_open_all(&x, &p->contracted, -1, -1);
	if (v == p->n)
		lt__nest_open(&x, p->n2, 1, LT_SERIAL, LT_GUARD);
	lt__nest_open(&x, v, p->lanes, LT_SERIAL, LT_PEEL);
	lt__nest_open(&x, v, 1, LT_VECTOR, LT_GUARD);
	lt__auto_add_leaf(x.s, x.at, copy);
}

/* A copy that is made in a nest of its own, in the order of its layout; one that several products share, once. */
static void add_early(struct lt_auto *s, const struct lt_product *p, lt_node copy, const struct lt_product_order *order)
{
	struct product_nest x = { s, p, -1 };
	const struct lt_nodedef *d = &s->g->node[copy];
	if (s->t->leaf_of[copy] >= 0)
		return;
	lt__product_lay(s, copy, order);
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
	lt__auto_add_leaf(x.s, x.at, copy);
	lt_tnode root = lt__root_of(s->t, x.at);
	if (in_run && p->parallel && root != x.at && s->t->node[root].loop == LT_SERIAL && lt__product_shares_copy(s, copy))
		s->t->node[root].loop = LT_PARALLEL;
	lt__auto_record_nest(s, root, s->constant[copy], true);
}

lt_status lt__product_add_shared(struct lt_auto *s, lt_node copy)
{
	const struct lt_product *p = s->packer[copy];
	if (!p || s->n_reader[copy] <= s->n_packer[copy])
		return LT_OK;
	lt__auto_aim(s, p->sum);
	add_early(s, p, copy, p->right_copy == copy ? &p->right_order : &p->left_order);
	return s->t->leaf_of[copy] < 0 ? lt_context_code(s->g->ctx) : LT_OK;
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
	lt__nest_open_tiles(x, p->n2, p->tile_n2, LT_PEEL);
	lt__nest_open_tiles(x, p->n, p->tile_n, tail);
	if (!panel)
		lt__nest_parallel(x);
	if (p->form == LT_PRODUCT_PANEL || p->part >= 0 || p->row.n == 0)
		lt__nest_group(x);
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
	lt__nest_open_rows(&tile, p->m, p->tile_m);
	lt__nest_group(&tile);
	struct product_nest term = tile;
	lt__nest_open_all(&term, &p->contracted, -1, -1);
	lt__nest_open_tile(&term, p->tile_tail);
	lt__auto_add_leaf(term.s, term.at, p->cast[1]);
	lt__auto_add_leaf(term.s, term.at, p->mul);
	lt__auto_add_leaf(term.s, term.at, p->part >= 0 ? p->part : p->sum);
	if (p->lanes_on_rows && (p->out >= 0 || p->epilogue >= 0))
		lt__product_lay_lanes_on_rows(x->s, p, p->sum);
	if (p->part >= 0)
		lt__product_lay_lanes_on_rows(x->s, p, p->part);
	if (p->part >= 0) {
		struct product_nest add = tile;
		lt__nest_open_tile(&add, p->tile_tail);
		lt__auto_add_leaf(add.s, add.at, p->sum);
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
			lt__nest_open_rows(x, row->at[i], x->s->g->var[row->at[i]].extent);
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
			lt__nest_open_rows(x, p->row.at[i], step);
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
	lt__nest_open_tile(&term, LT_PEEL);
	lt__auto_add_leaf(term.s, term.at, p->mul);
	lt__auto_add_leaf(term.s, term.at, p->part);
	lt__nest_open_tile(&add, LT_PEEL);
	lt__auto_add_leaf(add.s, add.at, p->chunk);
	lt__product_lay_by_chunk(x->s, p->chunk);
	lt__nest_open(&fold, p->n, p->tile_n, LT_SERIAL, LT_PEEL);
	struct product_nest sum = fold;
	lt__nest_open(&sum, chunk->dim[chunk->n_dim - 1], 1, LT_SERIAL, LT_GUARD);
	lt__nest_open_tile(&sum, LT_PEEL);
	lt__auto_add_leaf(sum.s, sum.at, p->sum);
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
	lt__nest_open_all(&term, &p->contracted, p->k, -1);    /* partial sums are over all of them */
	lt__nest_open(&term, p->k, 1, p->block_k > MAX_UNROLLED ? LT_SERIAL : LT_UNROLL, LT_GUARD);
	for (int32_t i = 0; i < p->row.n; i++) {
		lt__nest_open(&term, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
		lt__nest_open(&add, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
	}
	lt__nest_open_tile(&term, LT_PEEL);
	lt__auto_add_leaf(term.s, term.at, p->mul);
	lt__auto_add_leaf(term.s, term.at, p->part);
	lt__nest_open_tile(&add, LT_PEEL);
	lt__auto_add_leaf(add.s, add.at, p->sum);
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
	lt__nest_open_all(&k, &p->contracted, p->k, -1);
	lt__nest_open(&k, p->k, p->lanes, LT_SERIAL, LT_PEEL);
	struct product_nest sum = *x;
	for (int32_t i = 0; i < p->row.n; i++) {
		lt__nest_open(&k, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
		lt__nest_open(&sum, p->row.at[i], 1, LT_UNROLL, LT_GUARD);
	}
	lt__nest_open(&k, p->n, 1, LT_UNROLL, LT_GUARD);
	lt__nest_open(&k, p->k, 1, LT_VECTOR, LT_GUARD);
	lt__auto_add_leaf(k.s, k.at, p->cast[0]);
	lt__auto_add_leaf(k.s, k.at, p->cast[1]);
	lt__auto_add_leaf(k.s, k.at, p->mul);
	lt__auto_add_leaf(k.s, k.at, p->part);
	lt__nest_open(&sum, p->n, 1, LT_UNROLL, LT_GUARD);
	const struct lt_nodedef *part = &g->node[p->part];
	lt__nest_open(&sum, part->dim[part->n_dim - 1], 1, LT_VECTOR, LT_GUARD);
	lt__auto_add_leaf(sum.s, sum.at, p->sum);
	lt__nest_end(*x, p, false);
}

lt_status lt__product_add(struct lt_auto *s, struct lt_product *p)
{
	struct product_nest x = { s, p, -1 };
	if (p->form == LT_PRODUCT_GPU_SIMT)
		return lt__product_simt_add(s, p);
	if (p->form == LT_PRODUCT_GPU_MMA)
		return lt__product_mma_add(s, p);
	if (p->right_early)
		add_early(s, p, p->right_copy, &p->right_order);
	if (p->left_early)
		add_early(s, p, p->left_copy, &p->left_order);
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
	lt__auto_set_fusion_point(s, p);
	return LT_OK;
}

lt_status lt__product_add_epilogue(struct lt_auto *s, struct lt_product *p)
{
	struct product_nest x = { s, p, p->end };
	if (p->form == LT_PRODUCT_GPU_SIMT)
		return lt__product_simt_add_epilogue(s, p);
	if (p->form == LT_PRODUCT_GPU_MMA)
		return lt__product_mma_add_epilogue(s, p);
	if (p->epilogue_at >= 0)
		x.at = p->epilogue_at;
	else if (p->in_tile)
		lt__nest_open_tile(&x, p->tile_tail);
	else
		lt__nest_open_elements(&x);
	p->epilogue_at = x.at;
	for (int32_t i = 0; i < s->n_member; i++)
		lt__auto_add_leaf(x.s, x.at, s->member[i]);
	return LT_OK;
}
