/* The loops and leaves of a product by matrix instructions (product_mma.c).
 *
 *     for others grid.x   for m grid.y   for n grid.x
 *       for k step slice
 *         copies of a slice of both factors, all threads                  shared memory
 *         for m block.z  for n block.y  for k' unroll  for m' unroll  for n' unroll
 *           for m'' tile  for n''  for k''
 *             casts, product, sum                                         registers, kept over all k
 *       for m block.z  for n block.y  for m' unroll  for n' unroll
 *         for m'' unroll  for m''' block.x  for n'' block.x  for n'''     the instruction's fragment
 *           what is computed of the sum
 */
#include "looptree/default/auto.h"
#include "looptree/tree/tree.h"

enum { TILE_M = 16, TILE_N = 8, FRAGMENT_M = 8, FRAGMENT_N = 2, WIDE_BYTES = 16, WARP = 32 };

struct matrix_nest { struct lt_auto *s; const struct lt_product *p; lt_tnode at; };

static lt_tnode nest_loop(struct matrix_nest *x, lt_var v, int64_t step, enum lt_loop_kind kind, int32_t axis)
{
	struct lt_looptree *t = x->s->t;
	int64_t span = t->graph->var[v].extent;
	bool any = false;
	for (lt_tnode at = x->at; at >= 0 && !any; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && t->node[at].var == v) {
			any = true;
			span = t->node[at].step;
		}
	if (any && step >= span)
		return -1;              /* one iteration, of which a loop further in has all */
	x->at = lt_looptree_add_loop(t, x->at, v, step);
	t->node[x->at].loop = kind;
	t->node[x->at].arg = axis;
	t->node[x->at].tail = !any && span % step != 0 ? LT_PAD : LT_GUARD;
	return x->at;
}

static void nest_others(struct matrix_nest *x, const struct lt_vars *list, lt_var except, enum lt_loop_kind kind)
{
	for (int32_t i = 0; i < list->n; i++)
		if (list->at[i] != except)
			(void)nest_loop(x, list->at[i], 1, kind, 0);
}

/* Rows of what lies side by side, `row` elements of it, whose runs of 16 bytes change places, so that rows that are
 * read together begin in different banks. */
static void lay_out_slice(struct lt_auto *s, lt_node copy, lt_var last, int64_t run, int64_t row)
{
	const struct lt_nodedef *d = &s->g->node[copy];
	struct lt_digit *digit = LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 2);
	int32_t n = 0, at = 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		at = d->dim[i] == last ? i : at;
	if (row < run)
		digit[n++] = (struct lt_digit){ .dim = at, .step = row };
	for (int32_t i = 0; i < d->n_dim; i++)
		if (i != at)
			digit[n++] = (struct lt_digit){ .dim = i, .step = 1 };
	digit[n++] = (struct lt_digit){ .dim = at, .step = 1, .span = row < run ? row : 0 };
	s->t->layout[copy] = lt__layout_new(s->t, n, digit, 0);
	s->t->layout[copy]->swizzle = (int32_t)(row * lt__dtype_info(d->dtype)->bytes);
}

/* All threads copy, 16 bytes each: neighbours what lies side by side. */
static void nest_copy(struct matrix_nest x, int which)
{
	const struct lt_product *p = x.p;
	const struct lt_product_mma *b = p->tiles;
	lt_var side = which ? p->n : p->m, last = b->along_k[which] ? p->k : side, rows = b->along_k[which] ? side : p->k;
	int64_t run = b->along_k[which] ? b->slice : b->block[which], row = b->row[which];
	int64_t wide = WIDE_BYTES / b->bytes, across = WARP / (row / wide);
	int64_t y = b->block[1] / b->warp[1], z = b->block[0] / b->warp[0];
	lt_node copy = which ? p->right_copy : p->left_copy;
	nest_others(&x, &p->batch, -1, LT_UNROLL);
	if (row < run)
		(void)nest_loop(&x, last, row, LT_UNROLL, 0);
	(void)nest_loop(&x, rows, z * y * across, LT_UNROLL, 0);
	(void)nest_loop(&x, rows, y * across, LT_BLOCK, 2);
	(void)nest_loop(&x, rows, across, LT_BLOCK, 1);
	(void)nest_loop(&x, rows, 1, LT_BLOCK, 0);
	(void)nest_loop(&x, last, wide, LT_BLOCK, 0);
	(void)nest_loop(&x, last, 1, LT_VECTOR, 0);
	lt__auto_add_leaf(x.s, x.at, copy);
	if (x.s->t->leaf_of[copy] < 0)
		return;
	lay_out_slice(x.s, copy, last, run, row);
	struct lt_tnodedef *leaf = &x.s->t->node[x.s->t->leaf_of[copy]];
	leaf->depth = b->depth;
	leaf->async = b->depth > 1;
}

static void nest_warps(struct matrix_nest *x)
{
	(void)nest_loop(x, x->p->m, x->p->tiles->warp[0], LT_BLOCK, 2);
	(void)nest_loop(x, x->p->n, x->p->tiles->warp[1], LT_BLOCK, 1);
}

static void nest_sum(struct matrix_nest x)
{
	const struct lt_product *p = x.p;
	nest_warps(&x);
	(void)nest_loop(&x, p->k, p->tiles->deep, LT_UNROLL, 0);
	(void)nest_loop(&x, p->m, TILE_M, LT_UNROLL, 0);
	(void)nest_loop(&x, p->n, TILE_N, LT_UNROLL, 0);
	lt_tnode tile = nest_loop(&x, p->m, 1, LT_TILE, 0);
	if (tile >= 0)
		x.s->t->node[tile].call = p->tiles->name;
	(void)nest_loop(&x, p->n, 1, LT_SERIAL, 0);
	(void)nest_loop(&x, p->k, 1, LT_SERIAL, 0);
	for (int i = 0; i < 2; i++)
		lt__auto_add_leaf(x.s, x.at, p->tiles->cast[i]);
	lt__auto_add_leaf(x.s, x.at, p->mul);
	lt__auto_add_leaf(x.s, x.at, p->sum);
}

/* Each thread has these elements of the sum. */
static void nest_fragment(struct matrix_nest *x)
{
	nest_warps(x);
	(void)nest_loop(x, x->p->m, TILE_M, LT_UNROLL, 0);
	(void)nest_loop(x, x->p->n, TILE_N, LT_UNROLL, 0);
	(void)nest_loop(x, x->p->m, FRAGMENT_M, LT_UNROLL, 0);
	(void)nest_loop(x, x->p->m, 1, LT_BLOCK, 0);
	(void)nest_loop(x, x->p->n, FRAGMENT_N, LT_BLOCK, 0);
	(void)nest_loop(x, x->p->n, 1, LT_VECTOR, 0);
}

lt_status lt__product_mma_add(struct lt_auto *s, struct lt_product *p)
{
	struct matrix_nest x = { s, p, -1 };
	nest_others(&x, &p->batch, -1, LT_GRID);
	nest_others(&x, &p->row, p->m, LT_GRID);
	nest_others(&x, &p->column, p->n, LT_GRID);
	(void)nest_loop(&x, p->m, p->tiles->block[0], LT_GRID, 0);
	(void)nest_loop(&x, p->n, p->tiles->block[1], LT_GRID, 0);
	struct matrix_nest k = x;
	nest_others(&k, &p->contracted, p->k, LT_SERIAL);
	(void)nest_loop(&k, p->k, p->tiles->slice, LT_SERIAL, 0);
	for (int i = 0; i < 2; i++)
		nest_copy(k, i);
	nest_sum(k);
	p->end = x.at;
	if (p->out >= 0) {
		nest_fragment(&x);
		lt__auto_add_leaf(x.s, x.at, p->out);
	}
	if (s->t->leaf_of[p->sum] < 0)
		return lt_context_code(s->g->ctx);
	lt__auto_record_nest(s, lt__root_of(s->t, s->t->leaf_of[p->sum]), s->constant[p->sum], true);
	if (p->tiles->cast[0] < 0) {
		LT_GROW(s->t->arena, s->t->note, s->t->n_note, s->t->cap_note);
		s->t->note[s->t->n_note++] = (struct lt_tnote){ p->sum, lt__arena_format(s->t->arena,
			"tree: %s drops bits of the factors of this product of float32, as the option tf32 allows", p->tiles->name) };
	}
	return LT_OK;
}

lt_status lt__product_mma_add_epilogue(struct lt_auto *s, struct lt_product *p)
{
	struct matrix_nest x = { s, p, p->end };
	nest_fragment(&x);
	for (int32_t i = 0; i < s->n_member; i++)
		lt__auto_add_leaf(x.s, x.at, s->member[i]);
	return LT_OK;
}
