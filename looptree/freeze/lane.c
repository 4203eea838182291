/* Lanes: the trips of vector and block loops that reduce have a sum each, in a local of its own. */
#include "looptree/freeze/parts.h"

enum { MAX_LANE_BYTES = 16384 };       /* of the sums that one thread has at a time: half of a small first cache */

bool lt__is_lanes(const struct lt_tnodedef *d) { return d->loop == LT_VECTOR || d->loop == LT_BLOCK; }
static bool is_shared_out(const struct lt_tnodedef *d)
{
	return d->loop == LT_PARALLEL || d->loop == LT_GRID || d->loop == LT_RANK;
}

static bool is_handed_over(const struct lt_looptree *t, lt_node n)
{
	for (lt_tnode up = t->node[t->leaf_of[n]].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].loop == LT_CALL || t->node[up].loop == LT_TILE)
			return true;
	return false;
}

int64_t lt__lane_trip_count(const struct lt_freezer *f, lt_tnode at)
{
	const struct lt_tnodedef *d = &f->t->node[at];
	int64_t extent = f->g->var[d->var].extent, span = extent;
	bool inner = true, padded = d->tail == LT_PAD;
	for (lt_tnode up = d->parent; up >= 0; up = f->t->node[up].parent) {
		const struct lt_tnodedef *u = &f->t->node[up];
		if (u->kind != LT_TLOOP || u->var != d->var)
			continue;
		span = inner ? u->step : span;
		inner = false;
		padded = padded || u->tail == LT_PAD;
	}
	span = padded || span < extent ? span : extent;
	return span / d->step + (span % d->step != 0);
}

/* Bytes of the sums of one thread where they are kept around loop[first] of the n loops around the leaf; -1: too many.
 * *terms: how many values each of them gets. */
static int64_t lane_bytes(
	const struct lt_freezer *f, lt_node node, const lt_tnode *loop, int32_t first, int32_t n, int64_t *terms)
{
	int64_t bytes = lt__dtype_info(f->g->node[node].dtype)->bytes, all = bytes;
	*terms = 1;
	for (int32_t i = first; i < n; i++) {
		const struct lt_tnodedef *d = &f->t->node[loop[i]];
		bool reduces = lt__loop_reduces(f->t, node, loop[i]);
		int64_t *times = reduces && !lt__is_lanes(d) ? terms : &bytes, trip_count = lt__lane_trip_count(f, loop[i]);
		if (is_shared_out(d) || (times == &bytes && (lt__mul_overflow(all, trip_count, &all) || all > INT64_MAX >> 16)))
			return -1;
		if (d->loop == LT_BLOCK && times == &bytes)
			continue;
		if (lt__mul_overflow(*times, trip_count, times) || bytes > MAX_LANE_BYTES)
			return -1;
	}
	return bytes;
}

void lt__lanes_plan(struct lt_freezer *f, lt_node node, lt_tnode reducing)
{
	int32_t n = lt__loops_above(f->t, f->t->leaf_of[node], NULL), outermost = 0, lane = -1;
	lt_tnode *loop = LT_NEW(f->a, lt_tnode, n + 1);
	lt__loops_above(f->t, f->t->leaf_of[node], loop);
	for (int32_t i = n - 1; i >= 0; i--) {
		if (loop[i] == reducing)
			outermost = i;
		if (lt__is_lanes(&f->t->node[loop[i]]) && lt__loop_reduces(f->t, node, loop[i]))
			lane = i;
	}
	if (lane < 0)
		return;
	struct lt_lanes *x = f->lanes[node] = LT_NEW(f->all, struct lt_lanes, 1);
	*x = (struct lt_lanes){ .begin = -1, .buffer = -1 };
	for (int32_t i = outermost; i <= lane && x->begin < 0 && !is_handed_over(f->t, node); i++) {
		int64_t terms;
		if (lane_bytes(f, node, loop, i, n, &terms) >= 0 && terms > 1)
			x->begin = loop[i];
	}
	if (x->begin < 0)
		return;
	f->next_lanes[node] = f->first_lanes[x->begin];
	f->first_lanes[x->begin] = node;
}

/* All that a trip of the loop around the lanes leaves free of the result, and of each element a sum for each lane. */
void lt__lanes_add(struct lt_freezer *f, lt_node n)
{
	const struct lt_nodedef *d = &f->g->node[n];
	const struct lt_scope *s = &f->t->scope[n];
	struct lt_lanes *x = f->lanes[n];
	x->owner = f->n_path - 1;
	x->extent = LT_NEW(f->a, int64_t, d->n_dim + 1);
	int64_t elems = 1;
	for (int32_t i = 0; i < d->n_dim; i++) {
		x->extent[i] = lt__round_up(lt__freeze_held(f, x->owner, d->dim[i]), s->unit ? s->unit[i] : 0);
		elems *= x->extent[i];
	}
	for (lt_tnode up = f->t->node[f->t->leaf_of[n]].parent; up >= 0; up = f->t->node[up].parent)
		if (lt__is_lanes(&f->t->node[up]) && lt__loop_reduces(f->t, n, up))
			elems *= lt__lane_trip_count(f, up);
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	f->buffer[f->n_buffer] = (struct lt_fbuffer){ .node = -1, .storage = -1, .dtype = d->dtype, .elems = elems, .slot = -1,
		.scope = x->owner < 0 ? -1 : f->path[x->owner].loop, .name = lt__arena_format(f->keep, "%s_lanes", d->name) };
	x->buffer = f->n_buffer++;
}

int32_t lt__freeze_lane(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, bool written)
{
	const struct lt_nodedef *d = &f->g->node[n];
	const struct lt_lanes *x = f->lanes[n];
	struct lt_faccess access = { .buffer = x->buffer, .index = -1 };
	struct lt_map m;
	int64_t unit = 1;
	lt__leaf_dest(f->g, f->a, n, leaf, &m);
	for (int32_t k = f->n_path - 1; k > x->owner; k--) {
		lt_tnode at = f->path[k].at;
		if (!lt__is_lanes(&f->t->node[at]) || !lt__loop_reduces(f->t, n, at))
			continue;
		lt__row_term(f, &access.row, LT_TERM_LOOP, f->path[k].loop, unit);
		unit *= lt__lane_trip_count(f, at);
	}
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		struct lt_row index;
		lt__freeze_row(f, leaf, &m, m.row + (int64_t)i * lt__map_width(&m),
			lt__freeze_covers(f, x->owner, d->dim[i]) ? x->owner : -1, &index);
		lt__row_plus(f, &access.row, &index, unit);
		unit *= x->extent[i];
	}
	f->buffer[x->buffer].written = f->buffer[x->buffer].written || written;
	f->buffer[x->buffer].read = f->buffer[x->buffer].read || !written;
	LT_GROW(f->a, f->access, f->n_access, f->cap_access);
	f->access[f->n_access] = access;
	return f->n_access++;
}
