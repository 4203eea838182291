/* Views as blocks: which box of a view's elements shows which piece.
 *
 * Boxes are split along one axis after the other into groups that do not meet, so that a concatenation of n takes n log
 * n; boxes of a group that meet along every axis (borders inside borders) are cut one by one.
 */
#include <stdlib.h>
#include <string.h>
#include "looptree/tree/tree.h"

enum { CELLS_A_PIECE = 64 };    /* more than a border inside a border makes: 2 for each dim */

struct block_span { int64_t low, high; int32_t at; };
struct cutter {
	struct lt_arena *a;
	int32_t rank;
	int64_t max;
	struct lt_cell *box;            /* by piece: where its guards hold */
	struct lt_cells *out;
};

/* Where all guards hold, within the extents; false: that is not a box of fixed numbers. */
static bool box_of(const struct lt_map *m, const int64_t *extent, struct lt_cell *box)
{
	int32_t width = lt__map_width(m);
	for (int32_t i = 0; i < m->n_dim; i++) {
		box->low[i] = 0;
		box->high[i] = extent[i];
	}
	for (int32_t i = 0; i < m->n_guard; i++) {
		const int64_t *row = m->guard + (int64_t)i * width;
		int32_t along = -1;
		for (int32_t c = 1; c < width; c++) {
			if (!row[c])
				continue;
			if (along >= 0 || c <= m->n_param || c > m->n_param + m->n_dim || row[c] == INT64_MIN)
				return false;
			along = c - 1 - m->n_param;
		}
		if (row[0] == INT64_MIN || (along < 0 && row[0] < 0))
			return false;
		if (along < 0)
			continue;
		int64_t times = row[1 + m->n_param + along], end;
		if (times > 0) {                /* index >= -constant / times, rounded up */
			end = -lt__floor_div(row[0], times);
			box->low[along] = end > box->low[along] ? end : box->low[along];
		} else {
			end = lt__floor_div(row[0], -times);
			box->high[along] = end < box->high[along] ? end + 1 : box->high[along];
		}
	}
	return true;
}

static bool meets(const struct cutter *c, const struct lt_cell *a, const struct lt_cell *b)
{
	for (int32_t i = 0; i < c->rank; i++)
		if (a->low[i] >= b->high[i] || b->low[i] >= a->high[i])
			return false;
	return true;
}

static bool covers(const struct cutter *c, const struct lt_cell *a, const struct lt_cell *b)
{
	for (int32_t i = 0; i < c->rank; i++)
		if (a->low[i] > b->low[i] || a->high[i] < b->high[i])
			return false;
	return true;
}

static struct lt_cell new_box(struct cutter *c, const struct lt_cell *like)
{
	struct lt_cell box = { .piece = like->piece, .low = LT_NEW(c->a, int64_t, 2 * (int64_t)c->rank + 1) };
	box.high = box.low + c->rank;
	if (c->rank) {
		memcpy(box.low, like->low, sizeof *box.low * (size_t)c->rank);
		memcpy(box.high, like->high, sizeof *box.high * (size_t)c->rank);
	}
	return box;
}

static void add_cell(struct cutter *c, struct lt_cells *to, const struct lt_cell *cell)
{
	LT_GROW(c->a, to->at, to->n, to->cap);
	to->at[to->n++] = *cell;
}

/* What is left of a cell without box b: up to two cells for each dim. */
static void subtract(struct cutter *c, const struct lt_cell *cell, const struct lt_cell *b, struct lt_cells *to)
{
	if (!meets(c, cell, b)) {
		add_cell(c, to, cell);
		return;
	}
	struct lt_cell remainder = new_box(c, cell);
	for (int32_t i = 0; i < c->rank; i++) {
		if (remainder.low[i] < b->low[i]) {
			struct lt_cell part = new_box(c, &remainder);
			part.high[i] = remainder.low[i] = b->low[i];
			add_cell(c, to, &part);
		}
		if (remainder.high[i] > b->high[i]) {
			struct lt_cell part = new_box(c, &remainder);
			part.low[i] = remainder.high[i] = b->high[i];
			add_cell(c, to, &part);
		}
	}
}

/* Boxes that meet: of each what no earlier one covers, in the end what none does. */
static bool cut_one_by_one(struct cutter *c, const int32_t *list, int32_t n, const struct lt_cell *region)
{
	const struct lt_cell **before = LT_NEW(c->a, const struct lt_cell *, n + 1);    /* none inside another one */
	struct lt_cells now = { 0 }, next = { 0 };
	int32_t n_before = 0;
	for (int32_t k = 0; k <= n; k++) {
		const struct lt_cell *box = k < n ? &c->box[list[k]] : region;
		struct lt_cell first = new_box(c, box);
		for (int32_t i = 0; i < c->rank; i++) {
			first.low[i] = first.low[i] > region->low[i] ? first.low[i] : region->low[i];
			first.high[i] = first.high[i] < region->high[i] ? first.high[i] : region->high[i];
		}
		now.n = 0;
		add_cell(c, &now, &first);
		for (int32_t b = 0; b < n_before && now.n > 0; b++) {
			next.n = 0;
			for (int32_t i = 0; i < now.n; i++)
				subtract(c, &now.at[i], before[b], &next);
			struct lt_cells swap = now;
			now = next;
			next = swap;
			if (c->out->n + now.n > c->max)
				return false;
		}
		for (int32_t i = 0; i < now.n; i++)
			add_cell(c, c->out, &now.at[i]);
		int32_t kept = 0;
		for (int32_t b = 0; b < n_before; b++)
			if (!covers(c, box, before[b]))
				before[kept++] = before[b];
		n_before = kept;
		before[n_before++] = box;
	}
	return c->out->n <= c->max;
}

static int by_low(const void *a, const void *b)
{
	const struct block_span *x = a, *y = b;
	return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->at > y->at) - (x->at < y->at);
}

/* Those of the list that meet the region, up to one that covers it, which is what the region shows elsewhere. */
static int32_t narrow(const struct cutter *c, const int32_t *list, int32_t n, struct lt_cell *region, int32_t *out)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < n; i++) {
		const struct lt_cell *box = &c->box[list[i]];
		if (!meets(c, box, region))
			continue;
		if (covers(c, box, region)) {
			region->piece = list[i];
			break;
		}
		out[kept++] = list[i];
	}
	return kept;
}

/* Cuts the region by the boxes in the list, the first of which counts; elsewhere it shows region->piece. */
static bool blocks_cut(struct cutter *c, int32_t axis, const int32_t *from, int32_t n, struct lt_cell region)
{
	int32_t *list = LT_NEW(c->a, int32_t, n + 1), n_group = 0;
	n = narrow(c, from, n, &region, list);
	if (n <= 1 || axis == c->rank)
		return cut_one_by_one(c, list, n, &region);
	struct block_span *span = LT_NEW(c->a, struct block_span, n), *group = LT_NEW(c->a, struct block_span, n);
	int32_t *group_of = LT_NEW(c->a, int32_t, n), *member = LT_NEW(c->a, int32_t, n);
	for (int32_t i = 0; i < n; i++)
		span[i] = (struct block_span){ c->box[list[i]].low[axis], c->box[list[i]].high[axis], i };
	qsort(span, (size_t)n, sizeof *span, by_low);
	for (int32_t i = 0; i < n; i++) {
		if (!n_group || span[i].low >= group[n_group - 1].high)
			group[n_group++] = (struct block_span){ span[i].low, span[i].high, 0 };
		else if (span[i].high > group[n_group - 1].high)
			group[n_group - 1].high = span[i].high;
		group_of[span[i].at] = n_group - 1;
		group[n_group - 1].at++;
	}
	for (int32_t g = 0, first = 0; g < n_group; g++) {      /* at: from how many to the first of them */
		int32_t count = group[g].at;
		group[g].at = first;
		first += count;
	}
	for (int32_t i = 0; i < n; i++)                         /* in their order */
		member[group[group_of[i]].at++] = list[i];
	int64_t at = region.low[axis], end = region.high[axis];
	for (int32_t g = 0, first = 0; g <= n_group; g++) {
		struct lt_cell part = new_box(c, &region);
		part.low[axis] = at;
		part.high[axis] = g < n_group && group[g].low < end ? group[g].low : end;
		if (part.low[axis] < part.high[axis] && (g == n_group || group[g].low > at))
			add_cell(c, c->out, &part);
		if (g == n_group)
			break;
		part = new_box(c, &region);
		part.low[axis] = group[g].low > at ? group[g].low : at;
		at = part.high[axis] = group[g].high < end ? group[g].high : end;
		if (!blocks_cut(c, axis + 1, member + first, group[g].at - first, part))
			return false;
		first = group[g].at;
	}
	return c->out->n <= c->max;
}

bool lt__cells_cut(struct lt_arena *a, int32_t rank, const int64_t *extent, int32_t n, const struct lt_map *const *map,
	struct lt_cells *out)
{
	struct cutter c = { .a = a,
		.rank = rank,
		.max = CELLS_A_PIECE * ((int64_t)n + 1),
		.box = LT_NEW(a, struct lt_cell, n + 1),
		.out = out };
	int32_t *list = LT_NEW(a, int32_t, n + 1), n_list = 0;
	*out = (struct lt_cells){ 0 };
	for (int32_t i = 0; i < n; i++) {
		c.box[i] = (struct lt_cell){ .piece = i, .low = LT_NEW(a, int64_t, 2 * (int64_t)rank + 1) };
		c.box[i].high = c.box[i].low + rank;
		if (!box_of(map[i], extent, &c.box[i]))
			return false;
		bool empty = false;
		for (int32_t k = 0; k < rank; k++)
			empty = empty || c.box[i].low[k] >= c.box[i].high[k];
		if (!empty)
			list[n_list++] = i;
	}
	struct lt_cell all = { .piece = n, .low = LT_NEW(a, int64_t, 2 * (int64_t)rank + 1) };
	all.high = all.low + rank;
	for (int32_t i = 0; i < rank; i++)
		all.high[i] = extent[i];
	return blocks_cut(&c, 0, list, n_list, all);
}

bool lt__flat_row(const struct lt_map *m, const int64_t *stride, int64_t *out)
{
	int32_t width = lt__map_width(m), kept = 1 + m->n_param + m->n_dim;
	for (int32_t c = 0; c < width; c++) {
		int64_t sum = 0, term;
		for (int32_t i = 0; i < m->n_row; i++)
			if (lt__mul_overflow(stride[i], m->row[(int64_t)i * width + c], &term) || lt__add_overflow(sum, term, &sum))
				return false;
		if (c < kept)
			out[c] = sum;
		else if (sum)
			return false;
	}
	return true;
}

void lt__dense_strides(const struct lt_graph *g, lt_node n, int64_t *stride)
{
	const struct lt_nodedef *d = &g->node[n];
	int64_t unit = 1;
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		stride[i] = unit;
		unit *= g->var[d->dim[i]].extent;
	}
}

bool lt__is_many(const struct lt_graph *g, lt_node n, const struct lt_leaf *leaf)
{
	return g->node[n].op == LT_OP_copy && leaf->n_read == 1 && leaf->read[0].n_piece > LT_MAX_PIECES;
}

/* Whether each piece of a node's read is a box from one sum of the indices; sources: and shows a constant, or a
 * value. */
static bool read_is_plain(
	const struct lt_graph *g, struct lt_arena *a, lt_node n, const struct lt_read *read, bool sources)
{
	const struct lt_nodedef *d = &g->node[n];
	int64_t *extent = LT_NEW(a, int64_t, d->n_dim + 1);
	struct lt_cell box = { .low = LT_NEW(a, int64_t, d->n_dim + 1), .high = LT_NEW(a, int64_t, d->n_dim + 1) };
	bool plain = true;
	for (int32_t i = 0; i < d->n_dim; i++)
		extent[i] = g->var[d->dim[i]].extent;
	for (int32_t i = 0; i < read->n_piece && plain; i++) {
		const struct lt_readpiece *p = &read->piece[i];
		plain = p->kind != LT_PIECE_INDEX && box_of(&p->map, extent, &box);
		if (!plain || p->kind != LT_PIECE_READ)
			continue;
		int64_t *stride = LT_NEW(a, int64_t, g->node[p->base].n_dim + 1), *row = LT_NEW(a, int64_t, lt__map_width(&p->map));
		lt__dense_strides(g, p->base, stride);
		plain = lt__flat_row(&p->map, stride, row) && (!sources || g->node[p->base].op == LT_OP_constant);
	}
	return plain;
}

bool lt__is_constant_copy(const struct lt_graph *g, struct lt_arena *a, lt_node n, const struct lt_leaf *leaf)
{
	return g->node[n].op == LT_OP_copy && leaf->n_read == 1 && leaf->n_trip == 0
		&& read_is_plain(g, a, n, &leaf->read[0], true);
}

lt_status lt__is_plain(const struct lt_graph *g, struct lt_arena *a, lt_node n, bool *plain)
{
	struct lt_read read;
	*plain = true;
	if (g->node[n].op != LT_OP_view && g->node[n].op != LT_OP_index)
		return LT_OK;
	LT_TRY(lt__node_read(g, a, n, &read));
	*plain = read_is_plain(g, a, n, &read, false);
	return LT_OK;
}
