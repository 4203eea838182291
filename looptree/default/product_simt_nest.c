/* The loops and leaves of a product on a GPU (product_simt.c).
 *
 *     for others grid.x   for m grid.x   for n grid.x
 *       for k step slice
 *         copies of a slice of both factors, all threads          shared memory
 *         for warps and threads of m and n, block.x
 *           for k' unroll
 *             what the thread needs of the factors                registers
 *             for n' unroll  for m' unroll
 *               the sum                                           registers, kept over all k
 *       for warps and threads, m' and n'
 *         what is computed of the sum
 */
#include "looptree/default/auto_gpu.h"
#include "looptree/tree/tree.h"

struct block_nest { struct lt_auto *s; const struct lt_product *p; lt_tnode at; };

/* What one iteration of the loops around leaves of v; *any: there is one over it. */
static int64_t block_span(const struct block_nest *x, lt_var v, bool *any)
{
	const struct lt_looptree *t = x->s->t;
	*any = false;
	for (lt_tnode at = x->at; at >= 0; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && t->node[at].var == v) {
			*any = true;
			return t->node[at].step;
		}
	return t->graph->var[v].extent;
}

static void add_loop(struct block_nest *x, lt_var v, int64_t step, enum lt_loop_kind kind)
{
	struct lt_looptree *t = x->s->t;
	bool any;
	int64_t span = block_span(x, v, &any);
	x->at = lt_looptree_add_loop(t, x->at, v, step);
	t->node[x->at].loop = kind;
	t->node[x->at].tail = !any && step > 1 && (span % step != 0 || lt__auto_bounded(x->s, v)) ? LT_PAD : LT_GUARD;
}

/* A loop in steps, unless one iteration would do all that is left. */
static void open_step(struct block_nest *x, lt_var v, int64_t step, enum lt_loop_kind kind)
{
	bool any;
	int64_t span = block_span(x, v, &any);
	if ((any && (step >= span || span == 1)) || (!any && step == span && step > 1 && !lt__auto_bounded(x->s, v)))
		return;
	add_loop(x, v, step, kind);
}

static void open_others(struct block_nest *x, const struct lt_vars *list, lt_var except, enum lt_loop_kind kind)
{
	for (int32_t i = 0; i < list->n; i++)
		if (list->at[i] != except)
			open_step(x, list->at[i], 1, kind);
}

/* -- layouts in shared memory -- */

struct block_digits { int32_t n; struct lt_digit *at; const struct lt_nodedef *d; };

static void block_digit(struct block_digits *x, lt_var v, int64_t step, int64_t span)
{
	for (int32_t i = 0; i < x->d->n_dim; i++)
		if (x->d->dim[i] == v && step != span)
			x->at[x->n++] = (struct lt_digit){ .dim = i, .step = step, .span = span };
}

/* For each deep element a row of the tile, in which what neighbouring threads read is side by side, 16 bytes each: runs
 * of the threads' tiles in turn.  A factor that lies along the contracted var is turned around by its copy, whose
 * neighbours write to neighbouring rows: a gap has these begin in other banks. */
static void lay_out(struct lt_auto *s, const struct lt_product *p, const struct lt_block_factor *f)
{
	const struct lt_nodedef *d = &s->g->node[f->of];
	const struct lt_product_simt *b = p->blocks;
	struct block_digits x = { 0, LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 5), d };
	int64_t warp = f->thread * f->lanes, above = f->warps > 1 ? warp : 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] != f->v && d->dim[i] != p->k)
			block_digit(&x, d->dim[i], 1, 0);
	block_digit(&x, p->k, 1, 0);
	int32_t row = x.n;
	if (f->warps > 1)
		block_digit(&x, f->v, warp, 0);
	block_digit(&x, f->v, b->wide, f->thread);
	block_digit(&x, f->v, f->thread, above);
	block_digit(&x, f->v, 1, b->wide);
	if (f->along_k && row < x.n)
		x.at[row].pad = b->wide;
	s->t->layout[f->of] = lt__layout_new(s->t, x.n, x.at, 0);
}

/* -- copies by all threads -- */

struct block_loop { lt_var v; int64_t step; enum lt_loop_kind kind; };
struct block_loops { int32_t n; int64_t threads; struct block_loop at[16]; };

/* From the innermost outwards: `count` iterations of `step`, by threads as long as there are some. */
static void share_out(struct block_loops *x, lt_var v, int64_t step, int64_t count)
{
	int64_t by = count < x->threads ? count : x->threads;
	if (by > 1)
		x->at[x->n++] = (struct block_loop){ v, step, LT_BLOCK };
	if (count > by)
		x->at[x->n++] = (struct block_loop){ v, step * by, LT_UNROLL };
	x->threads /= by;
}

enum { SECTOR = 8 };        /* contracted elements that are copied side by side, where they are in memory: 32 bytes */

/* What lies along the contracted var is copied element by element to its place in another row, what is computed by
 * runs. */
static void block_copy(struct block_nest x, const struct lt_block_factor *f)
{
	const struct lt_product_simt *b = x.p->blocks;
	struct block_loops loops = { 0, b->threads, { { 0, 0, LT_SERIAL } } };
	int64_t warp = f->thread * f->lanes, run = f->n_fused ? b->wide : 1;
	if (f->along_k) {
		share_out(&loops, x.p->k, run, SECTOR / run);
		share_out(&loops, f->v, 1, b->wide);
	}
	if (f->thread > b->wide)
		share_out(&loops, f->v, b->wide, f->thread / b->wide);
	share_out(&loops, f->v, f->thread, f->lanes);
	share_out(&loops, f->v, warp, f->warps);
	if (!f->along_k)
		share_out(&loops, x.p->k, 1, b->slice);
	else if (b->slice > SECTOR)
		share_out(&loops, x.p->k, SECTOR, b->slice / SECTOR);
	while (loops.n-- > 0)
		open_step(&x, loops.at[loops.n].v, loops.at[loops.n].step, loops.at[loops.n].kind);
	if (!f->along_k)
		open_step(&x, x.p->k, 1, LT_UNROLL);
	open_step(&x, f->along_k ? x.p->k : f->v, 1, LT_VECTOR);
	open_step(&x, f->v, 1, LT_UNROLL);
	for (int32_t i = 0; i < f->n_fused; i++)
		lt__auto_add_leaf(x.s, x.at, f->fused[i]);
	lt__auto_add_leaf(x.s, x.at, f->of);
	lay_out(x.s, x.p, f);
	struct lt_tnodedef *leaf = &x.s->t->node[x.s->t->leaf_of[f->of]];
	leaf->depth = b->depth;
	leaf->async = b->depth > 1;
}

/* -- threads -- */

/* In a request of 16 bytes by a warp neighbours, or neighbours but one, read the same in both factors: then each half
 * of the warp takes one cycle and not two (found by measuring).  So the side with fewer lanes has the lowest and the
 * highest bit of a thread's number. */
static void open_threads(struct block_nest *x)
{
	const struct lt_block_factor *f = x->p->blocks->factor;
	const struct lt_block_factor *few = f[1].lanes <= f[0].lanes ? &f[1] : &f[0];
	for (int i = 0; i < 2; i++)
		open_step(x, f[i].v, f[i].thread * f[i].lanes, LT_BLOCK);
	open_step(x, few->v, few->thread * 2, LT_BLOCK);
	open_step(x, (few == f ? f + 1 : f)->v, (few == f ? f + 1 : f)->thread, LT_BLOCK);
	open_step(x, few->v, few->thread, LT_BLOCK);
}

static void open_elements(struct block_nest *x)
{
	for (int i = 0; i < 2; i++)
		open_step(x, x->p->blocks->factor[i].v, 1, LT_UNROLL);
}

/* What the thread needs of a factor, from shared memory to registers. */
static void add_part(struct block_nest x, const struct lt_block_factor *f)
{
	open_step(&x, f->v, x.p->blocks->wide, LT_UNROLL);
	open_step(&x, f->v, 1, LT_VECTOR);
	lt__auto_add_leaf(x.s, x.at, f->part);
}

static void add_sum(struct block_nest x)
{
	const struct lt_product *p = x.p;
	const struct lt_product_simt *b = p->blocks;
	open_threads(&x);
	open_step(&x, p->k, 1, LT_UNROLL);
	for (int i = 0; i < 2; i++)
		add_part(x, &b->factor[i]);
	/* Column by column: where it is row by row, NVIDIA's assembler finds registers of which every tenth multiply-add
	 * has all operands in one bank, and waits (seen in its code for 8 by 8 elements a thread, and measured). */
	open_step(&x, b->factor[1].v, 1, LT_UNROLL);
	open_step(&x, b->factor[0].v, 1, LT_UNROLL);
	lt__auto_add_leaf(x.s, x.at, p->mul);
	lt__auto_add_leaf(x.s, x.at, p->part >= 0 ? p->part : p->sum);
}

enum { ADDING = 128 };          /* threads of a block that adds partial sums */

/* Partial sums lie one after the other, so that neighbours of each are read side by side. */
static void lay_out_parts(struct lt_auto *s, const struct lt_product *p)
{
	const struct lt_nodedef *d = &s->g->node[p->blocks->stored];
	struct block_digits x = { 0, LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 1), d };
	block_digit(&x, d->dim[d->n_dim - 1], 1, 0);
	for (int32_t i = 0; i + 1 < d->n_dim; i++)
		block_digit(&x, d->dim[i], 1, 0);
	s->t->layout[p->blocks->stored] = lt__layout_new(s->t, x.n, x.at, 0);
}

/* A thread has an element of the sum; what is computed of it follows there. */
static void add_parts(struct lt_auto *s, struct lt_product *p)
{
	struct block_nest x = { s, p, -1 };
	const struct lt_nodedef *d = &s->g->node[p->sum], *part = &s->g->node[p->part];
	int64_t columns = s->g->var[p->n].extent, max = lt__gpu_max_block(s->target), adding = ADDING < max ? ADDING : max;
	lay_out_parts(s, p);
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] != p->n)
			open_step(&x, d->dim[i], 1, LT_GRID);
	add_loop(&x, p->n, columns < adding ? columns : adding, LT_GRID);
	s->t->node[x.at].tail = (columns > adding && columns % adding) || lt__auto_bounded(s, p->n) ? LT_MASK : LT_GUARD;
	add_loop(&x, p->n, 1, LT_BLOCK);
	p->end = x.at;
	struct block_nest sum = x;
	add_loop(&sum, part->dim[part->n_dim - 1], 1, LT_SERIAL);
	lt__auto_add_leaf(sum.s, sum.at, p->sum);
	if (p->out >= 0)
		lt__auto_add_leaf(x.s, x.at, p->out);
	lt__auto_record_nest(s, lt__root_of(s->t, x.at), s->constant[p->sum], true);
}

lt_status lt__product_simt_add(struct lt_auto *s, struct lt_product *p)
{
	const struct lt_product_simt *b = p->blocks;
	struct block_nest x = { s, p, -1 };
	open_others(&x, &p->batch, -1, LT_GRID);
	open_others(&x, &p->row, p->m, LT_GRID);
	open_others(&x, &p->column, p->n, LT_GRID);
	if (p->part >= 0)
		add_loop(&x, p->k, p->block_k, LT_GRID);
	bool grouped = b->group && b->group * b->factor[0].tile < s->g->var[p->m].extent;
	if (grouped)
		add_loop(&x, p->m, b->group * b->factor[0].tile, LT_GRID);
	if (grouped)
		s->t->node[x.at].tail = LT_GUARD;
	if (grouped)
		open_step(&x, p->n, b->factor[1].tile, LT_GRID);
	add_loop(&x, p->m, b->factor[0].tile, LT_GRID);
	if (s->g->var[p->m].extent % b->factor[0].tile || lt__auto_bounded(s, p->m))
		s->t->node[x.at].tail = LT_PAD;
	if (!grouped)
		open_step(&x, p->n, b->factor[1].tile, LT_GRID);
	struct block_nest k = x;
	open_others(&k, &p->contracted, p->k, LT_SERIAL);
	add_loop(&k, p->k, b->slice, LT_SERIAL);
	for (int i = 0; i < 2; i++)
		block_copy(k, &b->factor[i]);
	add_sum(k);
	p->end = x.at;
	if (p->out >= 0 || p->part >= 0) {
		open_threads(&x);
		open_elements(&x);
		lt__auto_add_leaf(x.s, x.at, p->part >= 0 ? b->stored : p->out);
	}
	lt__auto_record_nest(s, lt__root_of(s->t, x.at), s->constant[p->sum], true);
	if (p->part >= 0)
		add_parts(s, p);
	return s->t->leaf_of[p->sum] < 0 ? lt_context_code(s->g->ctx) : LT_OK;
}

lt_status lt__product_simt_add_epilogue(struct lt_auto *s, struct lt_product *p)
{
	struct block_nest x = { s, p, p->end };
	if (p->part < 0) {
		open_threads(&x);
		open_elements(&x);
	}
	for (int32_t i = 0; i < s->n_member; i++)
		lt__auto_add_leaf(x.s, x.at, s->member[i]);
	return LT_OK;
}
