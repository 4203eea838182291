/* product.c -- sums of products by tiles: the sum over the deep vars of left * right, where each factor lacks
 * vars that the other has.
 *
 * A factor's values are read by its index functions, as everywhere, but only once for many products: into panels, deep
 * positions by rows (vars of the left factor only) or columns (of the right one).  The tile's sums are then taken in
 * the order of the deep positions.  Vars of both are the batch.
 */
#include <math.h>
#include <string.h>
#include "ir/eval/parts.h"

enum {
	TILE_ELEMS = 32768,     /* sums in a tile, at most */
	TILE_SIDE = 128,        /* rows, at most */
	TILES = 32,             /* that there should be, so that threads end together: smaller ones of at least */
	TILE_LEAST = 4096,      /* so many sums, */
	TILE_EDGE = 64,         /* and so many rows or columns */
	TILE_DEPTH = 128,
	COST_READ = 8           /* of an element of a panel; all in nanoseconds, about */
};

/* The product that a sum adds up, if it is computed here; -1: none. */
static lt_node product_of(const struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n];
	lt_node x = d->operand[0];

	if (d->op != LT_OP_add || (lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT && !lt__eval_is_whole(d->dtype))
		|| e->g->node[x].op != LT_OP_mul || e->g->node[x].reduce)
		return -1;
	return e->stored[x] ? -1 : x;
}

/* Sorts a panel's vars so that the last has the nearest neighbours, then its rows: along that or along the last deep
 * var. */
static void order_panel(
	const struct lt_evaluation *e, struct lt_panel *p, lt_node from, const lt_var *deep, int32_t n_deep)
{
	int64_t best = INT64_MAX, deep_stride = n_deep > 0 ? lt__eval_stride(e, from, deep[n_deep - 1]) : 0;
	int32_t last = p->n_var - 1;

	for (int32_t i = p->n_var - 1; i >= 0; i--) {
		int64_t stride = lt__eval_stride(e, from, p->var[i]);
		if (stride > 0 && e->extent[p->var[i]] > 1 && stride < best) {
			best = stride;
			last = i;
		}
	}
	if (p->n_var > 0) {
		lt_var v = p->var[last];
		memmove(p->var + last, p->var + last + 1, (size_t)(p->n_var - 1 - last) * sizeof v);
		p->var[p->n_var - 1] = v;
	}
	if (n_deep == 0)
		return;
	int64_t length = p->n_var > 0 ? e->extent[p->var[p->n_var - 1]] : 1, depth = e->extent[deep[n_deep - 1]];
	length = length < TILE_SIDE ? length : TILE_SIDE;
	depth = depth < TILE_DEPTH ? depth : TILE_DEPTH;
	p->along_deep = p->n_var == 0
		|| 60. / (double)depth + (deep_stride > 1 ? 4 : 1) < 60. / (double)length + (best > 1 ? 4 : 1);
}

static int32_t tile_of(int64_t extent, int64_t max)
{
	return (int32_t)(extent < max ? extent : max);
}

/* Whatever the number of threads is: the random errors of a sum are drawn by tiles. */
static void choose_tiles(struct lt_eval_product *p, int64_t batch)
{
	int64_t m = tile_of(p->rows, TILE_SIDE), n = tile_of(p->columns, LT_STRIP);

	if (m * n > TILE_ELEMS)
		n = TILE_ELEMS / m / LT_LANES * LT_LANES;
	for (;;) {
		p->m_tiles = (p->rows + m - 1) / m;
		p->n_tiles = (p->columns + n - 1) / n;
		if (m * n <= TILE_LEAST || (double)batch * (double)p->m_tiles * (double)p->n_tiles >= TILES)
			break;
		if (n > m && n > TILE_EDGE)
			n = (n / 2 + LT_LANES - 1) / LT_LANES * LT_LANES;
		else
			m = (m / 2 + LT_LANES_LEFT - 1) / LT_LANES_LEFT * LT_LANES_LEFT;
	}
	p->m = (int32_t)m;
	p->n = (int32_t)((n + LT_LANES - 1) / LT_LANES * LT_LANES);
	p->k = tile_of(p->depth > 0 ? p->depth : 1, TILE_DEPTH);
}

bool lt__eval_plan_product(
	struct lt_evaluation *e, struct lt_eval_job *job, const lt_var *loop, int32_t n_kept, int32_t n_loop)
{
	lt_node mul = product_of(e, job->node);
	if (mul < 0)
		return false;
	const lt_node *factor = e->g->node[mul].operand;
	struct lt_eval_product *p = LT_NEW(e->arena, struct lt_eval_product, 1);
	lt_var *var[2] = { LT_NEW(e->arena, lt_var, n_kept + 1), LT_NEW(e->arena, lt_var, n_kept + 1) };
	int32_t n[2] = { 0 };

	p->batch = LT_NEW(e->arena, lt_var, n_kept + 1);
	p->deep = LT_NEW(e->arena, lt_var, n_loop - n_kept + 1);
	for (int32_t i = 0; i < n_loop; i++) {
		bool in[2];
		for (int s = 0; s < 2; s++)
			in[s] = lt__node_has_dim(&e->g->node[factor[s]], loop[i]);
		if (i >= n_kept)
			p->deep[p->n_deep++] = loop[i];
		else if (in[0] == in[1])
			p->batch[p->n_batch++] = loop[i];
		else
			var[in[1]][n[in[1]]++] = loop[i];
	}
	int64_t count[2] = { lt__eval_count(e, var[0], n[0]), lt__eval_count(e, var[1], n[1]) };
	if (count[0] == 1 && count[1] == 1 && !lt__eval_is_loose(e, job->node))
		return false;
	int wide = count[1] >= count[0];        /* which factor has the columns */
	p->left = (struct lt_panel){
		.steps = lt__eval_list_steps(e, factor[!wide], -1), .var = var[!wide], .n_var = n[!wide]
	};
	p->right = (struct lt_panel){ .steps = lt__eval_list_steps(e, factor[wide], -1), .var = var[wide], .n_var = n[wide] };
	p->rows = count[!wide];
	p->columns = count[wide];
	p->depth = lt__eval_count(e, p->deep, p->n_deep);
	order_panel(e, &p->left, factor[!wide], p->deep, p->n_deep);
	order_panel(e, &p->right, factor[wide], p->deep, p->n_deep);
	choose_tiles(p, lt__eval_count(e, p->batch, p->n_batch));
	job->product = p;
	job->grain = 1;
	job->n_task = lt__eval_count(e, p->batch, p->n_batch) * p->m_tiles * p->n_tiles;
	job->cost = (double)p->depth
			* ((double)p->m * p->n
					* (e->options.mode == LT_EVAL_EXACT && !e->options.want_error ? 0.5 : 1.5)
				+ (double)COST_READ * (p->m + p->n))
		+ 1000;
	job->run = lt__eval_product_task;
	return true;
}
