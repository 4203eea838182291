/* Products of halves on a GPU that has matrix instructions, and of float32 where TF32 is allowed: whether, and in which
 * tiles.
 *
 * The factors are casts that only the product reads, or, of float32, what is read as it is.  A block of warps computes
 * a tile of the sum and goes through the contracted var in slices, which all threads copy to shared memory ahead of
 * their use, before the cast; a warp's tile is matrix instructions, whose sums stay in registers.
 */
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/default/auto_gpu.h"
#include "looptree/default/product.h"

enum {
	WARP = 32,
	MIN_WORK = 1 << 16,             /* multiply-adds below which a plain nest is as good */
	ROW_BYTES = 128,                /* of a swizzled layout (struct lt_buffer); it begins anew after eight times as many */
	MIN_SIDE = 16
};

/* Tiles of a block and of a warp, the largest first: of those that are not half empty along a side, the first with a
 * block for each multiprocessor, else the last. */
static const struct { int64_t block[2], warp[2]; } shapes[] = {
	{ { 128, 128 }, { 64, 64 } }, { { 128, 64 }, { 64, 32 } }, { { 64, 64 }, { 32, 32 } }, { { 128, 32 }, { 32, 32 } },
	{ { 32, 32 }, { 32, 16 } },
};
static const struct { int64_t slice; int32_t depth; } slices[] = { { 64, 3 }, { 32, 3 }, { 32, 2 }, { 32, 1 } };

static double tile_count(const struct lt_auto *s, const struct lt_vars *list)
{
	double n = 1;
	for (int32_t i = 0; i < list->n; i++)
		n *= (double)var_extent(s, list->at[i]);
	return n;
}

/* The half that a factor is a cast of, read in place; -1. */
static lt_node half_of(const struct lt_auto *s, const struct lt_product *p, lt_node factor)
{
	const struct lt_nodedef *d = &s->g->node[factor];
	const struct lt_leaf *leaf = lt__has_leaf(s->g, factor) ? s->t->leaf[factor] : NULL;
	if (!leaf || d->op != LT_OP_cast || s->n_reader[factor] != 1 || s->written[factor] || leaf->n_read != 1
		|| leaf->read[0].n_piece != 1 || leaf->read[0].piece[0].kind != LT_PIECE_READ || s->in_call[factor]
		|| !lt__auto_same_class(s, factor, p->sum)
		|| !lt__reads_in_place(s, p->mul, factor, -1))
		return -1;
	lt_node half = d->operand[0];
	enum lt_dtype type = s->g->node[half].dtype;
	return leaf->read[0].piece[0].base == half && (type == LT_F16 || type == LT_BF16)
		&& lt__reads_in_place(s, factor, half, -1) ? half : -1;
}

bool lt__product_is_ending(const struct lt_auto *s, lt_node n)
{
	for (int32_t i = s->n_product; i-- > 0;)
		if (s->product[i].epilogue == n && s->product[i].form == LT_PRODUCT_GPU_MMA)
			return true;
	return false;
}

/* A factor of float32 that is copied as it is, where the target allows TF32; -1.  What only the product reads is
 * computed while it is copied, by other trees (product_simt.c), unless another product's nest ends with it. */
static lt_node word_of(const struct lt_auto *s, const struct lt_product *p, lt_node factor)
{
	const struct lt_target *t = s->target;
	bool allowed = t->size >= offsetof(struct lt_target, allows) + sizeof t->allows && t->allows & LT_ALLOW_TF32;
	bool stored = !lt__has_leaf(s->g, factor) || s->n_reader[factor] > 1 || s->written[factor]
		|| lt__product_is_ending(s, factor);
	return allowed && stored && s->g->node[factor].dtype == LT_F32 && lt__reads_in_place(s, p->mul, factor, -1) ? factor
		: -1;
}

static const char *instruction_for(const struct lt_target *t, enum lt_dtype type)
{
	const char *want = type == LT_F16 ? "mma.m16n8k16.f16" : type == LT_BF16 ? "mma.m16n8k16.bf16" : "mma.m16n8k8.tf32";
	if (t->size < offsetof(struct lt_target, tiles) + sizeof t->tiles)
		return NULL;
	for (uint32_t i = 0; i < t->tiles.n; i++)
		if (strcmp(*LT_AT(char *, t->tiles, i), want) == 0)
			return want;
	return NULL;
}

/* Whether the target has blocks of so many warps. */
static bool tiles_fit(const struct lt_auto *s, const struct lt_product_mma *x)
{
	return x->block[0] / x->warp[0] * (x->block[1] / x->warp[1]) * WARP <= lt__gpu_max_block(s->target);
}

static void choose_tiles(const struct lt_auto *s, const struct lt_product *p, struct lt_product_mma *x)
{
	double others = tile_count(s, &p->batch) * tile_count(s, &p->row) / (double)var_extent(s, p->m)
		* tile_count(s, &p->column) / (double)var_extent(s, p->n);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		memcpy(x->block, shapes[i].block, sizeof x->block);
		memcpy(x->warp, shapes[i].warp, sizeof x->warp);
		if (var_extent(s, p->m) <= x->block[0] / 2 || var_extent(s, p->n) <= x->block[1] / 2)
			continue;
		if (tiles_fit(s, x) && others * (double)lt__ceil_div(var_extent(s, p->m), x->block[0])
			* (double)lt__ceil_div(var_extent(s, p->n), x->block[1])
			>= (double)s->target->multiprocessors)
			break;
	}
}

static int64_t bytes_of_slice(const struct lt_product_mma *x, int64_t slice)
{
	int64_t bytes = 0;
	for (int i = 0; i < 2; i++)
		bytes += lt__ceil_div(slice * x->block[i] * x->bytes, 8 * ROW_BYTES) * 8 * ROW_BYTES;
	return bytes;
}

/* Two blocks share a multiprocessor's memory. */
static bool choose_slices(const struct lt_auto *s, const struct lt_product *p, struct lt_product_mma *x)
{
	int64_t room = (int64_t)s->target->shared_bytes, deep = var_extent(s, p->k);
	room = room > 96 << 10 ? room / 2 : room;
	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
		int64_t depth = lt__min(lt__ceil_div(deep, slices[i].slice), slices[i].depth);
		if ((slices[i].slice > 32 && deep < 4 * slices[i].slice) || bytes_of_slice(x, slices[i].slice) * depth > room)
			continue;
		x->slice = slices[i].slice;
		for (int side = 0; side < 2; side++) {
			int64_t run = x->along_k[side] ? x->slice : x->block[side];
			x->row[side] = run < ROW_BYTES / x->bytes ? run : ROW_BYTES / x->bytes;
		}
		x->depth = (int32_t)depth;
		return true;
	}
	return false;
}

/* What reads the copy of a factor, and which of its operands it is. */
static void look_at_factor(const struct lt_auto *s, const struct lt_product *p, struct lt_product_mma *x, int side)
{
	lt_node factor = side ? p->right : p->left;
	const struct lt_leaf *leaf = s->t->leaf[x->cast[side] >= 0 ? x->cast[side] : p->mul];
	int32_t k = x->cast[side] < 0 && s->g->node[p->mul].operand[1] == factor;
	int32_t along = lt__leaf_column(leaf, p->k), across = lt__leaf_column(leaf, side ? p->n : p->m);
	x->along_k[side] = lt__auto_stride(s->g, &leaf->read[k].piece[0], along) == 1
		&& lt__auto_stride(s->g, &leaf->read[k].piece[0], across) != 1;
}

bool lt__product_mma(struct lt_auto *s, struct lt_product *p)
{
	struct lt_product_mma *x = LT_NEW(s->t->arena, struct lt_product_mma, 1);
	lt_node from[2] = { half_of(s, p, p->left), half_of(s, p, p->right) };
	const bool words = from[0] < 0 && from[1] < 0;
	for (int i = 0; i < 2; i++) {
		x->cast[i] = words ? -1 : i ? p->right : p->left;
		from[i] = words ? word_of(s, p, i ? p->right : p->left) : from[i];
	}
	p->m = vars_longest(s, &p->row);
	p->k = vars_longest(s, &p->contracted);
	if (from[0] < 0 || from[1] < 0 || from[0] == from[1] || p->m < 0 || p->k < 0 || s->target->warp != WARP
		|| lt__auto_bounded(s, p->m) || lt__auto_bounded(s, p->n) || lt__auto_bounded(s, p->k)
		|| s->g->node[p->sum].dtype != LT_F32 || s->g->node[from[0]].dtype != s->g->node[from[1]].dtype)
		return false;
	x->name = instruction_for(s->target, s->g->node[from[0]].dtype);
	x->bytes = words ? 4 : 2;
	x->deep = words ? 8 : 16;
	if (!x->name || var_extent(s, p->m) < MIN_SIDE || var_extent(s, p->n) < MIN_SIDE
		|| var_extent(s, p->k) < MIN_SIDE || !lt__has_dim(s->g, p->left, p->m) || !lt__has_dim(s->g, p->right, p->n)
		|| !lt__has_dim(s->g, p->left, p->k) || !lt__has_dim(s->g, p->right, p->k) || tile_count(s, &p->batch)
		* tile_count(s, &p->row) * tile_count(s, &p->column) * tile_count(s, &p->contracted) < MIN_WORK)
		return false;
	for (int i = 0; i < 2; i++)
		look_at_factor(s, p, x, i);
	choose_tiles(s, p, x);
	if (!tiles_fit(s, x) || !choose_slices(s, p, x))
		return false;
	p->form = LT_PRODUCT_GPU_MMA;
	p->tiles = x;
	p->out = p->epilogue < 0 ? p->sum : -1;
	p->left_copy = from[0];
	p->right_copy = from[1];
	return true;
}
