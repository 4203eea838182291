/* Copies as tables of blocks: strided runs from one storage to another, and runs of one value.
 *
 * Of very many pieces a kernel would be compiled for each set of shapes, and ask for each element which piece it is of;
 * a table is made at once and each element is touched once.  A copy of constants in another order runs once: compiling
 * a kernel for it takes longer than the copy.  What is not a box from a place that is known before a run's first kernel
 * stays a kernel.
 */
#include <string.h>
#include "looptree/tree/tree.h"
#include "program/copy/copy.h"

enum { CHUNK = 1 << 17 };       /* bytes: larger blocks are cut, so that threads can share them */

struct planner {
	struct lt_assigned *assigned;
	struct lt_blocks **blocks;      /* by root */
	struct lt_arena *a;             /* of the plan */
	struct lt_arena *scratch;
	const struct lt_looptree *t;
	const struct lt_graph *g;
	lt_node *reader;                /* by node: the leaf that reads it, by one piece; -1: none, -2: more, or an update */
	bool *binding;                     /* by node: a result, or a state's content */
};

/* The copy that is all of a root's nest, in plain loops; -1.  One that is made before the first run may have another
 * layout, and loops in the order of that. */
static lt_node lone_copy(const struct planner *x, lt_tnode root)
{
	const struct lt_looptree *t = x->t;
	lt_tnode at = root;
	bool cut = false;
	for (; t->node[at].kind != LT_TLEAF; at = t->node[at].child) {
		const struct lt_tnodedef *d = &t->node[at];
		if (d->child < 0 || d->child != d->last || d->loop != LT_SERIAL)
			return -1;
		cut = cut || (d->kind == LT_TLOOP && (d->step != 1 || d->tail != LT_GUARD));
	}
	lt_node n = t->node[at].leaf;
	const struct lt_memlayout *layout = t->layout[n];
	bool plain = lt__is_many(x->g, n, t->leaf[n]) ? !cut && !layout
		: x->assigned->early[n] && x->g->node[n].op == LT_OP_copy && t->leaf[n]->n_read == 1
			&& !(layout && layout->swizzle);
	plain = plain && !t->node[at].stream && t->node[at].depth <= 1 && t->scope[n].whole;
	return plain && t->leaf[n]->n_trip == 0 && x->assigned->location[n].storage >= 0 ? n : -1;
}

static void find_readers(struct planner *x)
{
	for (lt_node n = 0; n < x->g->n_node; n++)
		x->reader[n] = -1;
	for (lt_node n = 0; n < x->g->n_node; n++) {
		const struct lt_leaf *leaf = x->t->leaf_of[n] >= 0 ? x->t->leaf[n] : NULL;
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t i = 0; i < leaf->read[k].n_piece; i++)
				if (leaf->read[k].piece[i].base >= 0) {
					lt_node *reader = &x->reader[leaf->read[k].piece[i].base];
					*reader = *reader == -1 ? n : -2;
				}
		if (x->g->node[n].op == LT_OP_update)
			x->reader[x->g->node[n].operand[0]] = -2;
	}
	for (int32_t i = 0; i < x->g->n_result; i++)
		lt__mark_written(x->g, x->g->result[i].node, x->binding);
	for (int32_t i = 0; i < x->g->n_set; i++)
		lt__mark_written(x->g, x->g->set[i].value, x->binding);
}

/* What a piece shows as one sum over [1 | params | dims] of elements of its source's storage; false: it is none. */
static bool source_row(const struct planner *x, const struct lt_readpiece *p, int64_t *row)
{
	const struct lt_location *location = &x->assigned->location[p->base];
	return location->storage >= 0 && !x->t->layout[p->base] && lt__flat_row(&p->map, location->stride, row)
		&& !lt__add_overflow(row[0], location->offset, &row[0]);
}

/* Adds a dim; one that goes on in steps of the dim inside it is one with that. */
static void add_dim(struct planner *x, struct lt_blocks *b, struct lt_block *block, struct lt_blockdim d)
{
	struct lt_blockdim *outer = block->n_dim > 0 ? &b->dim[b->n_dim - 1] : NULL;
	if (outer && !outer->limit && !d.limit && outer->to == d.to * d.size && outer->from == d.from * d.size) {
		*outer = (struct lt_blockdim){ .size = outer->size * d.size, .to = d.to, .from = d.from };
		return;
	}
	LT_GROW(x->a, b->dim, b->n_dim, b->cap_dim);
	b->dim[b->n_dim++] = d;
	block->n_dim++;
}

/* Adds dims so that the copy is written in the order of its place.  Where the last of them is not that of the source,
 * the source's own is the last but one: both are the small squares that a run goes by. */
static void add_dims(struct planner *x, struct lt_blocks *b, struct lt_block *block, struct lt_blockdim *d, int32_t n)
{
	int32_t own = -1;
	for (int32_t i = 1; i < n; i++) {
		struct lt_blockdim one = d[i];
		int32_t at = i;
		for (; at > 0 && d[at - 1].to < one.to; at--)
			d[at] = d[at - 1];
		d[at] = one;
	}
	for (int32_t i = 0; i < n; i++)
		own = d[i].from == 1 ? i : own;
	if (own >= 0 && own < n - 2) {
		struct lt_blockdim one = d[own];
		memmove(&d[own], &d[own + 1], sizeof *d * (size_t)(n - 2 - own));
		d[n - 2] = one;
	}
	for (int32_t i = 0; i < n; i++)
		add_dim(x, b, block, d[i]);
}

/* The block itself, or the parts that it is cut into along its outermost dim. */
static void add_chunks(struct planner *x, struct lt_blocks *b, struct lt_block block, int64_t elems)
{
	struct lt_blockdim whole = block.n_dim > 0 ? b->dim[block.first_dim] : (struct lt_blockdim){ .size = 1 };
	int64_t each = elems / whole.size * b->unit, step = each >= CHUNK ? 1 : CHUNK / each;
	for (int64_t at = 0; at < whole.size; at += step) {
		struct lt_block part = block;
		part.to_at += at * whole.to;
		part.from_at += at * whole.from;
		if (at > 0) {
			part.first_dim = b->n_dim;
			for (int32_t i = 0; i < block.n_dim; i++) {
				LT_GROW(x->a, b->dim, b->n_dim, b->cap_dim);
				b->dim[b->n_dim++] = b->dim[block.first_dim + i];
			}
		}
		if (block.n_dim > 0) {
			b->dim[part.first_dim].size = whole.size - at < step ? whole.size - at : step;
			b->dim[part.first_dim].low = whole.low + at;
		}
		LT_GROW(x->a, b->at, b->n, b->cap);
		b->at[b->n++] = part;
	}
}

/* The digit of dim i with the largest step below `below`, and the elements from one of its numbers to the next: what a
 * value's dim is cut into where it lies.  False: there is none. */
static bool next_digit(
	const struct planner *x, lt_node n, int32_t i, int64_t below, struct lt_digit *out, int64_t *unit)
{
	const struct lt_memlayout *l = x->t->layout[n];
	int64_t each = 1;
	*out = (struct lt_digit){ .step = below > 1 ? 1 : 0 };
	*unit = x->assigned->location[n].stride[i];
	if (!l)
		return below > 1;
	out->step = 0;
	for (int32_t k = l->n - 1; k >= 0; k--) {
		const struct lt_digit *d = &l->digit[k];
		if (d->dim == i && d->step < below && d->step > out->step) {
			*out = *d;
			*unit = each;
		}
		each = each * lt__digit_extent(d, x->t->scope[n].extent) + d->pad;
	}
	return out->step > 0;
}

static void add_block(struct planner *x, struct lt_blocks *b, lt_node n, const struct lt_cell *cell,
	const struct lt_readpiece *p, const int64_t *row)
{
	const struct lt_leaf *leaf = x->t->leaf[n];
	struct lt_block block = { .from = p->kind == LT_PIECE_READ ? x->assigned->location[p->base].storage : -1,
		.first_dim = b->n_dim,
		.first_term = b->n_term,
		.to_at = x->assigned->location[n].offset,
		.from_at = row ? row[0] : 0,
		.bits = p->bits };
	const int64_t *along = row ? row + 1 + p->map.n_param : NULL;
	int32_t n_dim = 0, n_most = leaf->n_var + (x->t->layout[n] ? x->t->layout[n]->n : 0);
	struct lt_blockdim *dim = LT_NEW(x->scratch, struct lt_blockdim, n_most + 1);
	int64_t elems = 1;
	for (int32_t i = 0; i < leaf->n_var; i++) {
		const struct lt_vardef *v = &x->g->var[leaf->var[i]];
		int64_t size = cell->high[i] - cell->low[i], from = along ? along[i] : 0, unit;
		struct lt_digit d;
		block.from_at += from * cell->low[i];
		elems *= size;
		for (int64_t below = INT64_MAX; next_digit(x, n, i, below, &d, &unit); below = d.step) {
			int64_t count = size >= d.step ? size / d.step : 1;
			block.to_at += (d.span ? cell->low[i] % d.span : cell->low[i]) / d.step * unit;
			if (count > 1 || v->bounded)
				dim[n_dim++] = (struct lt_blockdim){ .size = count, .to = unit, .from = from * d.step, .low = cell->low[i],
					.limit = v->bounded ? &v->limit : NULL };
			size /= count;
		}
	}
	add_dims(x, b, &block, dim, n_dim);
	for (int32_t i = 0; row && i < p->map.n_param; i++)
		if (row[1 + i]) {
			LT_GROW(x->a, b->term, b->n_term, b->cap_term);
			b->term[b->n_term++] = (struct lt_blockterm){ p->map.param[i], row[1 + i] };
			block.n_term++;
		}
	b->elems += elems;
	b->read += row ? elems : 0;
	b->runs = b->runs && row && !block.n_term && (block.n_dim == 0 || (block.n_dim == 1 && b->dim[block.first_dim].to == 1
		&& b->dim[block.first_dim].from == 1 && !b->dim[block.first_dim].limit));
	add_chunks(x, b, block, elems);
}

/* Where the indices low to high along dim i are to be cut, so that each part has either whole steps of a digit or a
 * piece of one step; high: nowhere. */
static int64_t cut_at(const struct planner *x, lt_node n, int32_t i, int64_t low, int64_t high)
{
	struct lt_digit d;
	int64_t unit;
	for (int64_t below = INT64_MAX; next_digit(x, n, i, below, &d, &unit); below = d.step) {
		int64_t up = (low + d.step - 1) / d.step * d.step, down = high / d.step * d.step;
		if (up > low && up < high)
			return up;
		if (down > low && down < high)
			return down;
	}
	return high;
}

/* A cell in parts, along dim i and those after it. */
static void add_parts(struct planner *x, struct lt_blocks *b, lt_node n, const struct lt_cell *cell, int32_t i,
	const struct lt_readpiece *p, const int64_t *row)
{
	if (i == x->t->leaf[n]->n_var) {
		add_block(x, b, n, cell, p, row);
		return;
	}
	const int64_t low = cell->low[i], high = cell->high[i];
	for (int64_t at = low, end; at < high; at = end) {
		end = cut_at(x, n, i, at, high);
		cell->low[i] = at;
		cell->high[i] = end;
		add_parts(x, b, n, cell, i + 1, p, row);
	}
	cell->low[i] = low;
	cell->high[i] = high;
}

/* Whether nothing but the copy n needs the place of the value that a piece shows. */
static bool may_move(const struct planner *x, lt_node n, lt_node base)
{
	const struct lt_graph *g = x->g;
	const struct lt_nodedef *d = &g->node[base];
	bool moves = x->t->leaf_of[base] >= 0 && x->reader[base] == n && !x->binding[base] && d->op != LT_OP_update
		&& !x->t->layout[base] && x->assigned->early[base] == x->assigned->early[n] && x->t->scope[base].whole;
	for (int32_t i = 0; moves && i < d->n_dim; i++)
		moves = !g->var[d->dim[i]].bounded && x->t->scope[base].extent[i] == g->var[d->dim[i]].extent;
	return moves;
}

/* The value that a cell shows gets the cell for its place, if it is all of it, in steps of the copy's dims. */
static bool move(struct planner *x, lt_node n, const struct lt_cell *cell, const struct lt_readpiece *p)
{
	const struct lt_graph *g = x->g;
	const struct lt_location *to = &x->assigned->location[n];
	const struct lt_leaf *leaf = x->t->leaf[n];
	const struct lt_map *m = &p->map;
	int64_t elems = 1, offset = to->offset;
	if (p->kind != LT_PIECE_READ || m->n_param || m->n_div || !may_move(x, n, p->base))
		return false;
	const struct lt_nodedef *d = &g->node[p->base];
	int64_t *stride = LT_NEW(x->a, int64_t, d->n_dim + 1);
	for (int32_t i = 0; i < leaf->n_var; i++) {
		if (g->var[leaf->var[i]].bounded)
			return false;
		elems *= cell->high[i] - cell->low[i];
		offset += to->stride[i] * cell->low[i];
	}
	if (elems != lt__node_elems(g, p->base))
		return false;
	for (int32_t i = 0; i < d->n_dim; i++) {
		const int64_t *row = m->row + (int64_t)i * lt__map_width(m);
		int32_t along = -1;
		for (int32_t c = 0; c < m->n_dim; c++) {
			if (!row[1 + c])
				continue;
			if (row[1 + c] != 1 || along >= 0)
				return false;
			along = c;
		}
		int64_t extent = g->var[d->dim[i]].extent;
		if (along < 0 ? extent != 1 || row[0] : row[0] != -cell->low[along] || cell->high[along] - cell->low[along] != extent)
			return false;
		stride[i] = along < 0 ? 0 : to->stride[along];
	}
	x->assigned->location[p->base] = (struct lt_location){ .storage = to->storage, .offset = offset, .stride = stride };
	return true;
}

/* The blocks of copy n; NULL: some are none. */
static struct lt_blocks *blocks_of(struct planner *x, lt_node n)
{
	const struct lt_leaf *leaf = x->t->leaf[n];
	const struct lt_read *read = &leaf->read[0];
	const struct lt_map **map = LT_NEW(x->scratch, const struct lt_map *, read->n_piece);
	int64_t *extent = LT_NEW(x->scratch, int64_t, leaf->n_var + 1), **row = LT_NEW(x->scratch, int64_t *, read->n_piece);
	const bool many = lt__is_many(x->g, n, leaf);
	struct lt_cells cells;
	for (int32_t i = 0; i < leaf->n_var; i++) {
		extent[i] = x->g->var[leaf->var[i]].extent;
		if (x->t->layout[n] && x->g->var[leaf->var[i]].bounded)
			return NULL;            /* a digit would end where a run says */
	}
	for (int32_t i = 0; i < read->n_piece; i++) {
		const struct lt_readpiece *p = &read->piece[i];
		map[i] = &p->map;
		row[i] = p->kind == LT_PIECE_READ ? LT_NEW(x->scratch, int64_t, lt__map_width(&p->map)) : NULL;
		if (p->kind == LT_PIECE_INDEX || (row[i] && !source_row(x, p, row[i])))
			return NULL;
	}
	if (!lt__cells_cut(x->scratch, leaf->n_var, extent, read->n_piece, map, &cells))
		return NULL;
	for (int32_t i = 0; i < cells.n; i++)
		if (cells.at[i].piece == read->n_piece)
			return NULL;            /* pieces fill all of it, but as guards that are no boxes */
	struct lt_blocks *b = LT_NEW(x->a, struct lt_blocks, 1);
	*b = (struct lt_blocks){
		.to = x->assigned->location[n].storage, .unit = lt__dtype_info(x->g->node[n].dtype)->bytes, .runs = true
	};
	for (int32_t i = 0; i < cells.n; i++) {
		const struct lt_readpiece *p = &read->piece[cells.at[i].piece];
		if (!many || !move(x, n, &cells.at[i], p))
			add_parts(x, b, n, &cells.at[i], 0, p, row[cells.at[i].piece]);
	}
	return b;
}

/* The last copies first: a copy that is a part of another one moves before its own sources do. */
static lt_status plan(void *arg)
{
	struct planner *x = arg;
	const struct lt_looptree *t = x->t;
	lt_node *copy = LT_NEW(x->scratch, lt_node, t->n_root + 1);
	int32_t n = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		copy[n++] = lone_copy(x, root);
	bool any = false;
	for (int32_t i = 0; i < n; i++)
		any = any || copy[i] >= 0;
	x->blocks = LT_NEW(x->a, struct lt_blocks *, n + 1);
	if (!any)
		return LT_OK;
	x->reader = LT_NEW(x->scratch, lt_node, x->g->n_node + 1);
	x->binding = LT_NEW(x->scratch, bool, x->g->n_node + 1);
	find_readers(x);
	while (n-- > 0)
		if (copy[n] >= 0)
			x->blocks[n] = blocks_of(x, copy[n]);
	return LT_OK;
}

lt_status lt__find_blocks(
	struct lt_looptree *t, struct lt_assigned *assigned, struct lt_arena *a, struct lt_blocks ***out)
{
	struct planner x = { .assigned = assigned, .a = a, .t = t, .g = t->graph };
	LT_TRY(lt__arena_new(t->graph->ctx, &x.scratch));
	lt_status st = lt__protect(t->graph->ctx, plan, &x);
	lt__arena_free(x.scratch);
	*out = x.blocks;
	return st;
}
