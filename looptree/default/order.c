/* The loop order of a cluster that is alone: which var runs innermost, and which is cut into tiles.
 *
 * A reduction whose last result var runs along memory keeps a tile of accumulators and has that var innermost;
 * one whose reduced var runs along memory (rows times rows) has that one innermost.
 */
#include "looptree/default/auto_gpu.h"
#include "looptree/freeze/freeze.h"

enum { TILE_BYTES = 512, PANEL_BYTES = 512 << 10 };

int64_t lt__auto_stride(const struct lt_graph *g, const struct lt_readpiece *p, int32_t x)
{
	const struct lt_nodedef *d = &g->node[p->base];
	int32_t width = lt__map_width(&p->map), column = 1 + p->map.n_param + x;
	int64_t stride = 0, unit = 1;
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		stride += unit * p->map.row[(int64_t)i * width + column];
		unit *= g->var[d->dim[i]].extent;
	}
	/* Dims that are cut and lie side by side again, as those of a reshape do, are one. */
	for (int32_t q = 0; q < p->map.n_div; q++) {
		int64_t all = 0;
		unit = 1;
		for (int32_t i = d->n_dim - 1; i >= 0; i--) {
			all += unit * p->map.row[(int64_t)i * width + 1 + p->map.n_param + p->map.n_dim + q];
			unit *= g->var[d->dim[i]].extent;
		}
		if (all)
			return -1;
	}
	return stride;
}

const int64_t *lt__auto_strides_written(const struct lt_auto *s, struct lt_arena *a, lt_node n)
{
	int64_t *stride = LT_NEW(a, int64_t, s->g->node[n].n_dim + 1);
	lt__dense_strides(s->g, n, stride);
	for (lt_node v = n + 1; v < s->g->n_node && s->written[n]; v++)
		for (int32_t i = 0; s->g->node[v].op == LT_OP_view && s->written[v] && i < s->g->node[v].n_operand; i++) {
			struct lt_location *at = LT_NEW(a, struct lt_location, s->g->node[v].n_operand + 1);
			if (s->g->node[v].operand[i] == n)
				return lt__alias_result(s->g, a, v, at) ? at[i].stride : NULL;
		}
	return stride;
}

/* Reads of stored values from outside the cluster, one after the other. */
struct reads { int32_t member, read, piece; };
static const struct lt_readpiece *next_read(const struct lt_auto *s, struct reads *r, const struct lt_leaf **leaf)
{
	for (; r->member < s->n_member; r->member++, r->read = 0)
		for (*leaf = s->t->leaf[s->member[r->member]]; r->read < (*leaf)->n_read; r->read++, r->piece = 0)
			while (r->piece < (*leaf)->read[r->read].n_piece) {
				const struct lt_readpiece *p = &(*leaf)->read[r->read].piece[r->piece++];
				if (p->kind == LT_PIECE_READ && !(lt__has_leaf(s->g, p->base) && s->is_inlined[p->base]))
					return p;
			}
	return NULL;
}

static int64_t stride_of_var(
	const struct lt_auto *s, const struct lt_leaf *leaf, const struct lt_readpiece *p, lt_var v)
{
	int32_t column = lt__leaf_column(leaf, v);
	return column < 0 ? 0 : lt__auto_stride(s->g, p, column);
}

/* Whether what is read moves with a var that the cluster's last node reduces. */
static bool moves_in_sum(const struct lt_auto *s, const struct lt_leaf *leaf, const struct lt_readpiece *p)
{
	const struct lt_leaf *sum = s->t->leaf[s->member[s->n_member - 1]];
	for (int32_t i = sum->n_out; i < sum->n_var; i++)
		if (stride_of_var(s, leaf, p, sum->var[i]) != 0)
			return true;
	return false;
}

bool lt__auto_is_batch(const struct lt_auto *s, lt_var v)
{
	struct reads r = { 0, 0, 0 };
	const struct lt_leaf *leaf;
	const struct lt_readpiece *p;
	while ((p = next_read(s, &r, &leaf)))
		if (s->g->node[p->base].n_dim > 0 && stride_of_var(s, leaf, p, v) == 0 && s->g->var[v].extent > 1
			&& (!lt__target_has_grid(s->target) || moves_in_sum(s, leaf, p)))
			return false;
	return true;
}

static void want(struct lt_auto *s, lt_var v, int64_t step)
{
	LT_GROW(s->t->arena, s->order.loop, s->order.n, s->order.cap);
	s->order.loop[s->order.n++] = (struct lt_auto_loop){ v, step };
}

/* What the reads say about making y (a result var) or a reduced var the innermost loop. */
struct shape { bool along_y, rows; int64_t panel; lt_var unit; };

static struct shape order_look(const struct lt_auto *s, const struct lt_leaf *root, lt_var y)
{
	struct shape shape = { .unit = -1 };
	struct reads r = { 0, 0, 0 };
	const struct lt_leaf *leaf;
	const struct lt_readpiece *p;
	while ((p = next_read(s, &r, &leaf))) {
		int64_t along = y < 0 ? 0 : stride_of_var(s, leaf, p, y);
		bool reduced = false;
		for (int32_t i = root->n_out; i < root->n_var; i++) {
			int64_t k = stride_of_var(s, leaf, p, root->var[i]);
			reduced = reduced || k != 0;
			if (k == 1) {
				shape.unit = root->var[i];
				shape.rows = shape.rows || (along != 0 && along != 1);
			}
		}
		shape.along_y = shape.along_y || along == 1;
		int64_t bytes = lt__node_elems(s->g, p->base) * lt__dtype_info(s->g->node[p->base].dtype)->bytes;
		if (along != 0 && reduced && bytes > shape.panel)
			shape.panel = bytes;
	}
	return shape;
}

/* Whether every read that runs along `inner` has `outer` as the next dim in the same run of memory. */
static bool continues(const struct lt_auto *s, lt_var outer, lt_var inner)
{
	struct reads r = { 0, 0, 0 };
	const struct lt_leaf *leaf;
	const struct lt_readpiece *p;
	while ((p = next_read(s, &r, &leaf))) {
		int64_t in = stride_of_var(s, leaf, p, inner), out = stride_of_var(s, leaf, p, outer);
		if ((in != 0 || out != 0) && out != in * s->g->var[inner].extent)
			return false;
	}
	return true;
}

/* First of the result vars that run together along memory and make one tile of accumulators; the last is y. */
static int32_t tile_begin(const struct lt_auto *s, const struct lt_leaf *leaf, int32_t y, int64_t tile)
{
	int64_t elems = s->g->var[leaf->var[y]].extent;
	int32_t first = y;
	while (first > 0 && elems * s->g->var[leaf->var[first - 1]].extent <= 2 * tile
	       && continues(s, leaf->var[first - 1], leaf->var[first]))
		elems *= s->g->var[leaf->var[--first]].extent;
	return first;
}

/* Accumulators of a tile: whole vectors, and no more than the first cache holds in addition to what is read. */
static int64_t tile_of(const struct lt_auto *s, enum lt_dtype d)
{
	int64_t bytes = TILE_BYTES, lanes = lt__auto_lanes(s->target, d);
	if (s->target && s->target->l1_bytes && s->target->l1_bytes / 2 < (uint64_t)bytes)
		bytes = (int64_t)s->target->l1_bytes / 2;
	int64_t tile = bytes / lt__dtype_info(d)->bytes;
	if (lanes < 2)
		return tile > 1 ? tile : 2;
	return tile > lanes ? tile - tile % lanes : lanes;
}

/* What stays near over the rows: most of it in the second cache. */
static int64_t panel_bytes(const struct lt_target *t)
{
	return t && t->l2_bytes && t->l2_bytes < PANEL_BYTES / 2 ? 2 * (int64_t)t->l2_bytes : PANEL_BYTES;
}

/* The result var that is number i in memory. */
static lt_var laid_var(const struct lt_auto *s, lt_node n, int32_t i)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_memlayout *l = s->t->layout[n];
	return l && l->n == leaf->n_out ? s->g->node[n].dim[l->digit[i].dim] : leaf->var[i];
}

/* Threads go their own ways through the result, neighbours beside each other in memory: no loop over it is inside of a
 * reduced one.  What the reader keeps is outermost, so that it may share that; a reduced var that lies along memory is
 * innermost. */
static void order_for_grid(struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	struct shape shape = order_look(s, leaf, -1);
	for (int kept = 1; kept >= 0; kept--)
		for (int32_t i = 0; i < leaf->n_out; i++)
			if (lt__gpu_is_kept(s, n, laid_var(s, n, i)) == (bool)kept)
				want(s, laid_var(s, n, i), 1);
	for (int32_t i = leaf->n_out; i < leaf->n_var; i++)
		if (leaf->var[i] != shape.unit)
			want(s, leaf->var[i], 1);
	if (shape.unit >= 0)
		want(s, shape.unit, 1);
}

lt_status lt__auto_order(struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	s->order.n = 0;
	s->order.contraction = false;
	if (leaf->n_out == leaf->n_var && !lt__target_has_grid(s->target)) {
		for (int32_t i = 0; i < leaf->n_var; i++)
			want(s, leaf->var[i], 1);
		return LT_OK;
	}
	int32_t y = -1;         /* the last result var that is more than one element */
	for (int32_t i = 0; i < leaf->n_out; i++) {
		if (s->g->var[leaf->var[i]].extent > 1)
			y = i;
		s->order.contraction = s->order.contraction || !lt__auto_is_batch(s, leaf->var[i]);
	}
	if (lt__target_has_grid(s->target)) {
		order_for_grid(s, n);
		return LT_OK;
	}
	struct shape shape = order_look(s, leaf, y < 0 ? -1 : leaf->var[y]);
	bool tiled = y >= 0 && shape.along_y && !shape.rows;
	int64_t tile = tile_of(s, s->g->node[n].dtype);
	bool split = tiled && s->g->var[leaf->var[y]].extent > 2 * tile, batch = true;
	int32_t first = tiled ? tile_begin(s, leaf, y, tile) : leaf->n_out;
	for (int32_t i = 0; i < leaf->n_out; i++) {
		batch = batch && lt__auto_is_batch(s, leaf->var[i]);
		if (!batch && split && shape.panel > panel_bytes(s->target)) {     /* a panel stays in cache over the rows */
			want(s, leaf->var[y], tile);
			split = false;
		}
		if (i < first || i > y)
			want(s, leaf->var[i], 1);
	}
	if (split)
		want(s, leaf->var[y], tile);
	for (int32_t i = leaf->n_out; i < leaf->n_var; i++)
		if (tiled || leaf->var[i] != shape.unit)
			want(s, leaf->var[i], 1);
	if (!tiled && shape.unit >= 0)
		want(s, shape.unit, 1);
	for (int32_t i = first; tiled && i <= y; i++)
		want(s, leaf->var[i], 1);
	return LT_OK;
}
