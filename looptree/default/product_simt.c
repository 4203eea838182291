/* Which tree a product gets on a GPU: tiles of blocks and threads, from extents, types and the target.
 *
 * A block of threads computes a tile of the sum.  It goes through the contracted var in slices, which it copies to
 * shared memory; each thread has a tile of its own in registers, and reads what it needs of a slice from there.  A
 * large tile reads less of the factors, small ones are more blocks: the least time is looked for, by what a
 * multiprocessor does in a cycle.  Where even small tiles are too few blocks, the contracted var is shared out, too,
 * and partial sums are added in a nest of their own.
 */
#include "looptree/call/call.h"
#include "looptree/default/auto_gpu.h"
#include "looptree/default/product.h"

enum {
	WARP = 32,
	MIN_DEEP = 8,
	MIN_WORK = 1 << 15,             /* multiply-adds below which a plain nest is as good */
	LANES = 128,                    /* multiply-adds of a multiprocessor in a cycle */
	IDLE_WARPS = 2,                 /* what w warps of a multiprocessor reach is w / (w + 2) of its rate (measured) */
	MAX_WARPS = 16,                 /* that the registers of such threads allow */
	BLOCK_CYCLES = 1500,            /* before the first slice is there, and after the last */
	SPLIT_CYCLES = 6000,            /* of the nest that adds partial sums, without its bytes */
	CYCLE_BYTES = 1024,             /* that it moves in a cycle, of the whole machine */
	MAX_SPLIT = 32, MIN_PART = 128, /* parts of a sum; contracted elements of one */
	ACCESS_BYTES = 16
};

/* Threads' tiles, threads of a warp along both sides, warps; contracted elements of a slice, and how many slices are
 * there at the same time; of the peak, with many warps.  Of elements of 4 bytes.  Slices and rates are measured on
 * an H100, with products of 512 to 8192: long slices where many warps share the code of their loop, which a cache of
 * 32 KiB does not hold for 8 by 8 elements. */
struct block_shape { int32_t m, n, lanes_m, lanes_n, warps_m, warps_n, slice, depth; double rate; };
static const struct block_shape shapes[] = {
	{ 8, 8, 8, 4, 2, 4, 32, 2, 0.80 }, { 8, 8, 8, 4, 2, 2, 16, 4, 0.74 }, { 8, 8, 8, 4, 1, 4, 16, 4, 0.74 },
	{ 8, 8, 8, 4, 1, 2, 16, 4, 0.66 }, { 8, 4, 8, 4, 1, 4, 32, 2, 0.69 }, { 4, 8, 8, 4, 2, 2, 16, 4, 0.62 },
	{ 4, 4, 8, 4, 2, 4, 16, 4, 0.60 }, { 4, 4, 8, 4, 2, 2, 32, 2, 0.55 }, { 4, 4, 8, 4, 1, 2, 16, 4, 0.55 },
	{ 4, 4, 4, 8, 1, 2, 16, 4, 0.55 },
};

/* -- the factors -- */

/* Pointwise nodes that only this product reads are computed where the factor is copied; but what a run-time scalar
 * ends is copied, as the copy is 0 past the end. */
static void find_fused(struct lt_auto *s, const struct lt_product *p, lt_node of, struct lt_block_factor *f)
{
	const struct lt_nodedef *d = &s->g->node[of];
	if (lt__auto_bounded(s, p->k) || !lt__has_leaf(s->g, of) || s->n_reader[of] != 1 || s->reader[of] != p->mul
		|| d->reduce || d->op == LT_OP_update || d->op == LT_OP_gather || s->written[of]
		|| s->constant[of] != s->constant[p->sum] || s->in_call[of] || !lt__auto_same_class(s, of, p->sum)
		|| lt__product_is_ending(s, of)
		|| lt__is_many(s->g, of, s->t->leaf[of]) || !lt__reads_in_place(s, p->mul, of, -1))
		return;
	lt__auto_gather(s, of);
	for (int32_t i = 0; i < s->n_member; i++)
		if (s->t->leaf[s->member[i]]->n_var != s->t->leaf[of]->n_var || s->g->node[s->member[i]].op == LT_OP_gather)
			return;
	f->fused = LT_NEW(s->t->arena, lt_node, s->n_member + 1);
	f->n_fused = s->n_member;
	for (int32_t i = 0; i < s->n_member; i++)
		f->fused[i] = s->member[i];
}

/* Elements between neighbours along v where the factor is read: of what fused producers read, the first that has all
 * of it. */
static int64_t factor_stride(
	const struct lt_auto *s, const struct lt_product *p, const struct lt_block_factor *f, lt_var v)
{
	const struct lt_leaf *leaf = s->t->leaf[f->n_fused ? f->fused[0] : p->mul];
	int32_t k = f->n_fused ? 0 : s->g->node[p->mul].operand[1] == f->of;
	int32_t column = lt__leaf_column(leaf, v);
	return column < 0 || leaf->n_read <= k || leaf->read[k].n_piece < 1 ? 0
		: lt__auto_stride(s->g, &leaf->read[k].piece[0], column);
}

static void look_at(struct lt_auto *s, struct lt_product *p, lt_node of, lt_var v, struct lt_block_factor *f)
{
	*f = (struct lt_block_factor){ .of = of, .part = -1, .v = v };
	find_fused(s, p, of, f);
	f->along_k = factor_stride(s, p, f, p->k) == 1 && factor_stride(s, p, f, v) != 1;
}

/* -- tiles -- */

struct block_form { const struct block_shape *shape; int64_t split; double cycles; };

static int64_t tile_of_side(const struct block_shape *x, bool right)
{
	return right ? x->n * x->lanes_n * x->warps_n : x->m * x->lanes_m * x->warps_m;
}

/* Cycles of one multiprocessor, if each has its share of the blocks. */
static double cycles_of(const struct lt_auto *s, const struct lt_product *p, const struct block_shape *x, int64_t split)
{
	double others = (double)vars_count(s, &p->batch) * (double)(vars_count(s, &p->row) / var_extent(s, p->m))
		* (double)(vars_count(s, &p->column) / var_extent(s, p->n));
	double deep = (double)vars_count(s, &p->contracted) / (double)split;
	int64_t machine = s->target->multiprocessors ? s->target->multiprocessors : 1;
	int64_t tile_m = tile_of_side(x, false), tile_n = tile_of_side(x, true);
	double blocks = others * (double)split * (double)lt__ceil_div(var_extent(s, p->m), tile_m)
		* (double)lt__ceil_div(var_extent(s, p->n), tile_n);
	double each = blocks <= (double)machine ? 1 : blocks / (double)machine;
	int64_t whole = (int64_t)each + (each > (double)(int64_t)each);         /* the last ones leave others idle */
	each = whole < 6 ? (double)whole : each + 0.5;
	double warps = (double)(x->warps_m * x->warps_n) * each;
	double busy = warps < MAX_WARPS ? warps / (warps + IDLE_WARPS) : MAX_WARPS / (double)(MAX_WARPS + IDLE_WARPS);
	double cycles = each * ((double)tile_m * (double)tile_n * deep / (LANES * x->rate * busy) + BLOCK_CYCLES);
	if (split > 1)
		cycles += SPLIT_CYCLES + 8 * (double)(split + 1) * others * (double)var_extent(s, p->m)
			* (double)var_extent(s, p->n) / CYCLE_BYTES;
	return cycles;
}

/* Whether the target has blocks of so many threads. */
static bool shape_fits(const struct lt_auto *s, const struct block_shape *x)
{
	return x->lanes_m * x->warps_m * x->lanes_n * x->warps_n <= lt__gpu_max_block(s->target);
}

static struct block_form choose_shape(const struct lt_auto *s, const struct lt_product *p)
{
	struct block_form best = { NULL, 1, 0 };
	bool wide = lt__dtype_info(s->g->node[p->sum].dtype)->bytes > 4;       /* half as many fit the registers */
	const int64_t max_split = lt__auto_bounded(s, p->k) ? 1 : MAX_SPLIT;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (int64_t split = 1; shape_fits(s, &shapes[i])
			&& (split == 1 || (split <= max_split && var_extent(s, p->k) / split >= MIN_PART)); split *= 2) {
			double cycles = cycles_of(s, p, &shapes[i], split);
			if ((!wide || shapes[i].m * shapes[i].n <= 16) && (!best.shape || cycles < best.cycles * (split > 1 ? 0.9 : 1)))
				best = (struct block_form){ &shapes[i], split, cycles };
		}
	return best;
}

static int64_t slice_bytes(const struct lt_product_simt *b, int64_t slice, int64_t bytes)
{
	int64_t sum = 0;
	for (int i = 0; i < 2; i++)
		sum += slice * (b->factor[i].tile * bytes + (b->factor[i].along_k ? ACCESS_BYTES : 0));
	return sum;
}

/* Deep elements of a slice, and how many slices are there at the same time: two blocks share a multiprocessor. */
static bool choose_slice(const struct lt_auto *s, const struct lt_product *p, const struct block_shape *shape,
	struct lt_product_simt *b)
{
	const struct { int64_t slice; int32_t depth; } choices[] = {
		{ shape->slice, shape->depth }, { 16, 3 }, { 16, 2 }, { 8, 2 }, { 16, 1 }, { 8, 1 },
	};
	int64_t bytes = lt__dtype_info(s->g->node[p->sum].dtype)->bytes, room = (int64_t)s->target->shared_bytes;
	int64_t deep = p->block_k ? p->block_k : var_extent(s, p->k);
	bool copies = !b->factor[0].n_fused && !b->factor[1].n_fused;
	room = room > 96 << 10 ? room / 2 : room;
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		int64_t slice = choices[i].slice, slices = lt__ceil_div(deep, slice);
		int64_t depth = slices < choices[i].depth ? slices : choices[i].depth;
		if (slice > 8 && slice >= 2 * deep)
			continue;
		/* What is computed while a slice is made need not be 0 past the end, as what is copied is. */
		if (!copies && (deep % slice != 0 || var_extent(s, p->k) % deep != 0))
			continue;
		depth = copies && !lt__auto_bounded(s, p->k) ? depth : 1;
		if (slice_bytes(b, slice, bytes) * depth > room)
			continue;
		b->slice = slice;
		b->depth = (int32_t)depth;
		return true;
	}
	return false;
}

static void fill_side(struct lt_block_factor *f, const struct block_shape *x, bool right)
{
	f->thread = right ? x->n : x->m;
	f->lanes = right ? x->lanes_n : x->lanes_m;
	f->warps = right ? x->warps_n : x->warps_m;
	f->tile = f->thread * f->lanes * f->warps;
}

bool lt__product_simt(struct lt_auto *s, struct lt_product *p)
{
	struct lt_product_simt *b = LT_NEW(s->t->arena, struct lt_product_simt, 1);
	enum lt_dtype dtype = s->g->node[p->sum].dtype;
	int64_t bytes = lt__dtype_info(dtype)->bytes;
	p->m = vars_longest(s, &p->row);
	p->k = vars_longest(s, &p->contracted);
	double work = (double)vars_count(s, &p->batch) * (double)vars_count(s, &p->row) * (double)vars_count(s, &p->column)
		* (double)vars_count(s, &p->contracted);
	if (p->m < 0 || p->k < 0 || (bytes != 4 && bytes != 8) || var_extent(s, p->m) < LT_MIN_TILE_SIDE
		|| var_extent(s, p->n) < LT_MIN_TILE_SIDE || var_extent(s, p->k) < MIN_DEEP || work < MIN_WORK
		|| (s->target->warp != WARP) || !lt__has_dim(s->g, p->left, p->m) || !lt__has_dim(s->g, p->right, p->n)
		|| !lt__has_dim(s->g, p->left, p->k) || !lt__has_dim(s->g, p->right, p->k))
		return false;
	look_at(s, p, p->left, p->m, &b->factor[0]);
	look_at(s, p, p->right, p->n, &b->factor[1]);
	struct block_form c = choose_shape(s, p);
	if (!c.shape)
		return false;
	fill_side(&b->factor[0], c.shape, false);
	fill_side(&b->factor[1], c.shape, true);
	b->threads = (int32_t)(b->factor[0].lanes * b->factor[0].warps * b->factor[1].lanes * b->factor[1].warps);
	if (c.split > 1)
		p->block_k = lt__ceil_div(lt__ceil_div(var_extent(s, p->k), c.split), WARP) * WARP;
	if (!choose_slice(s, p, c.shape, b))
		return false;
	b->wide = ACCESS_BYTES / bytes;
	p->form = LT_PRODUCT_GPU_SIMT;
	p->blocks = b;
	if (p->block_k >= var_extent(s, p->k))
		p->block_k = 0;
	if (p->block_k)
		p->part = p->sum;       /* wanted; it is made later */
	if (p->epilogue < 0)
		p->out = p->sum;
	p->left_copy = b->factor[0].n_fused ? -1 : p->left;
	p->right_copy = b->factor[1].n_fused ? -1 : p->right;
	return true;
}
