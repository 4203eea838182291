/* The innermost loops of the default tree: whether their iterations are lanes, and how they are cut into vectors. */
#include "looptree/default/vectorize_cpu.h"

/* MAX_TILE: rows of a tile, which are so many copies of its text.  COUNTED_VECTORS: of a loop whose iterations are
 * counted at run time, those that are not asked one by one whether they are whole. */
enum { MAX_CHAIN = 16, MAX_TILE = 32, COUNTED_VECTORS = 4 };

/* Reads and writes of the leaves of a loop, by how they move along it. */
struct inner_moves { int32_t next, same, far; uint32_t widest; lt_node across; };

static void moves_count(
	const struct lt_looptree *t, struct inner_moves *m, lt_tnode loop, const struct lt_readpiece *p, int32_t column)
{
	const struct lt_scope *s = &t->scope[p->base];
	if (t->leaf_of[p->base] >= 0 && !s->whole && s->owner >= 0 && (s->owner == loop || lt__is_above(t, loop, s->owner)))
		return;                 /* its lanes stay in a register */
	int64_t stride = column < 0 ? 0 : lt__auto_stride(t->graph, p, column);
	m->next += stride == 1 || stride == -1;
	m->same += stride == 0;
	m->far += stride > 1 || stride < -1;
	if (stride > 1)
		m->across = p->base;
}

static uint32_t element_bytes(enum lt_dtype d) { return lt__dtype_info(d)->bytes; }

/* Counts what leaf n touches; false: not every iteration has an element of its own. */
static bool count_leaf(
	struct lt_looptree *t, lt_tnode loop, lt_node n, struct inner_moves *read, struct inner_moves *written)
{
	const struct lt_leaf *leaf = t->leaf[n];
	int32_t column = leaf ? lt__loop_column(t, leaf, loop) : -1;
	struct lt_readpiece dest = { .kind = LT_PIECE_READ, .base = n };
	if (column < 0 || leaf->var[column] != t->node[loop].var)
		return false;
	lt__leaf_dest(t->graph, t->arena, n, leaf, &dest.map);
	moves_count(t, written, loop, &dest, column);
	read->widest = element_bytes(t->graph->node[n].dtype) > read->widest ? element_bytes(t->graph->node[n].dtype)
									     : read->widest;
	for (int32_t k = 0; k < leaf->n_read; k++) {
		uint32_t bytes = element_bytes(leaf->read[k].dtype);
		read->widest = bytes > read->widest ? bytes : read->widest;
		for (int32_t i = 0; i < leaf->read[k].n_piece; i++)
			if (leaf->read[k].piece[i].kind == LT_PIECE_READ)
				moves_count(t, read, loop, &leaf->read[k].piece[i], column);
	}
	return true;
}

/* The loop around `loop` along which the far reads lie, in a nest of nothing but loops; -1. */
static lt_tnode find_with(const struct lt_looptree *t, lt_tnode loop, lt_node across)
{
	const bool bounded = t->graph->var[t->node[loop].var].bounded;
	for (lt_tnode at = loop; t->node[at].parent >= 0 && lt__edit_is_only(t, at); at = t->node[at].parent) {
		lt_tnode up = t->node[at].parent;
		if (t->node[up].kind != LT_TLOOP || t->node[up].step != 1)
			return -1;
		bool along = true;
		for (lt_tnode c = t->node[loop].child; c >= 0; c = t->node[c].next) {
			const struct lt_leaf *leaf = t->leaf[t->node[c].leaf];
			int32_t column = lt__leaf_column(leaf, t->node[up].var);
			if (column < 0 || column >= leaf->n_out)
				return -1;
			for (int32_t k = 0; k < leaf->n_read; k++)
				for (int32_t i = 0; i < leaf->read[k].n_piece; i++)
					if (leaf->read[k].piece[i].base == across)
						along = along && lt__auto_stride(t->graph, &leaf->read[k].piece[i], column) == 1;
		}
		if (along)              /* one remainder that is counted at run time, not both */
			return bounded && t->graph->var[t->node[up].var].bounded ? -1 : up;
	}
	return -1;
}

bool lt__inner_look(struct lt_looptree *t, const struct lt_target *target, lt_tnode loop, struct lt_inner *out)
{
	const struct lt_tnodedef *d = &t->node[loop];
	struct inner_moves read = { .across = -1 }, written = { .across = -1 };
	*out = (struct lt_inner){ .loop = loop, .v = d->var, .unroll = 1, .with = -1 };
	if (d->kind != LT_TLOOP || d->step != 1 || d->loop != LT_SERIAL)
		return false;
	for (lt_tnode c = d->child; c >= 0; c = t->node[c].next) {
		if (t->node[c].kind != LT_TLEAF)
			return false;
		lt_node n = t->node[c].leaf;
		if (!count_leaf(t, loop, n, &read, &written)
			|| (t->graph->node[n].reduce && lt__op_info(t->graph->node[n].op)->ordered))
			return false;
		bool over = lt__loop_reduces(t, n, loop);
		out->reduces = out->reduces || over;
		out->accumulates = out->accumulates || (!over && lt__reducing_loop(t, n) >= 0);
	}
	out->bounded = t->graph->var[d->var].bounded;
	out->lanes = target->vector_bytes / (read.widest ? read.widest : 1);
	if (written.far > 0 || out->lanes < 2 || lt__loop_span(t, loop) * 2 < out->lanes)
		return false;
	int64_t tile = out->lanes < MAX_TILE ? out->lanes : MAX_TILE;
	if (read.far > 0 && !out->reduces && !out->accumulates && read.across >= 0)
		out->with = find_with(t, loop, read.across);
	out->lanes = out->with >= 0 ? tile : out->lanes;
	return read.far == 0 || read.next > read.far || out->with >= 0;
}

int32_t lt__inner_extents(const struct lt_looptree *t, lt_tnode loop, int64_t *out, int32_t max)
{
	lt_tnode around[MAX_CHAIN];
	int32_t n = 0, n_out = 1;
	for (lt_tnode up = lt__loop_around(t, loop); up >= 0 && n < MAX_CHAIN; up = lt__loop_around(t, up))
		around[n++] = up;
	out[0] = t->graph->var[t->node[loop].var].extent;
	while (n-- > 0) {
		int64_t step = t->node[around[n]].step;
		int32_t had = n_out;
		for (int32_t i = 0; i < had; i++) {
			int64_t remainder = out[i] % step;
			bool known = remainder == 0 || out[i] < step;
			for (int32_t k = 0; k < n_out; k++)
				known = known || out[k] == remainder;
			if (!known && n_out < max)
				out[n_out++] = remainder;
		}
		for (int32_t i = 0; i < had; i++)
			out[i] = out[i] < step ? out[i] : step;
	}
	return n_out;
}

lt_tnode lt__inner_around(struct lt_edit *e, lt_tnode loop, int64_t step)
{
	lt_tnode outer = lt__edit_new_loop(e, e->t->node[loop].var, step);
	lt__edit_replace(e, loop, outer);
	lt__edit_insert(e, outer, -1, loop);
	return outer;
}

/* Whether the loop in it, over the same var, takes what is left of an iteration. */
static bool is_peeled_inside(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop], *in = d->child < 0 ? d : &t->node[d->child];
	return in->kind == LT_TLOOP && in->var == d->var && in->step == d->step && in->tail == LT_PEEL;
}

/* Loops around it whose last iteration is partial, and what those inside need then. */
static void set_tails(struct lt_looptree *t, lt_tnode loop, bool bounded)
{
	for (lt_tnode at = lt__loop_around(t, loop); at >= 0; at = lt__loop_around(t, at)) {
		int64_t extent[MAX_CHAIN];
		int32_t n = lt__inner_extents(t, at, extent, MAX_CHAIN);
		const lt_tnode up = lt__loop_around(t, at);
		bool partial = bounded && (up < 0 || t->node[up].tail != LT_PEEL);
		for (int32_t i = 0; i < n; i++)
			partial = partial || extent[i] % t->node[at].step != 0;
		if (t->node[at].tail == LT_GUARD && partial && !is_peeled_inside(t, at))
			t->node[at].tail = bounded ? LT_MASK : LT_PEEL;
	}
}

void lt__inner_cut(struct lt_edit *e, const struct lt_inner *x)
{
	struct lt_looptree *t = e->t;
	int64_t span = lt__loop_span(t, x->loop);
	int64_t side = x->unroll;
	if (x->bounded && side == 1)
		for (side = COUNTED_VECTORS; side * x->lanes <= LT_MAX_COUNTED;)
			side *= 2;
	if (side > 1 && x->lanes * side < span) {
		(void)lt__inner_around(e, x->loop, x->lanes * side);
		if (x->bounded && x->lanes * side > LT_MAX_COUNTED) {
			lt_tnode rest = lt__inner_around(e, x->loop, x->lanes * side);
			t->node[rest].tail = LT_PEEL;   /* not in one: a new loop may move all nodes */
		}
	}
	if (x->lanes < span || x->bounded) {
		lt_tnode mid = lt__inner_around(e, x->loop, x->lanes < span ? x->lanes : span);
		t->node[mid].loop = x->unroll > 1 ? LT_UNROLL : LT_SERIAL;
	}
	t->node[x->loop].loop = LT_VECTOR;
	set_tails(t, x->loop, x->bounded);
}

/* Where run-time scalars say how much is left of the loop's last iteration, a loop in it takes that. */
static void peel_counted(struct lt_edit *e, lt_tnode loop)
{
	const struct lt_tnodedef *d = &e->t->node[loop];
	if (!e->t->graph->var[d->var].bounded)
		return;
	lt_tnode in = lt__edit_new_loop(e, d->var, d->step), child = e->t->node[loop].child;
	lt__edit_replace(e, child, in);
	lt__edit_insert(e, in, -1, child);
	e->t->node[in].tail = LT_PEEL;
}

/* Both loops in steps, and the tile inside: the loop that the result lies along is lanes, the other one is unrolled.
 * Steps of lanes are outermost: as many rows of what is read stay open. */
void lt__inner_block(struct lt_edit *e, const struct lt_inner *x)
{
	struct lt_looptree *t = e->t;
	struct lt_inner cut = *x;
	int64_t other = t->graph->var[t->node[x->with].var].extent, span = lt__loop_span(t, x->loop);
	cut.with = -1;
	if (other < 2 || span <= x->lanes) {
		lt__inner_cut(e, &cut);
		return;
	}
	lt_tnode rows = lt__edit_new_loop(e, t->node[x->with].var, 1);
	lt_tnode columns = lt__edit_new_loop(e, x->v, x->lanes);
	lt__edit_replace(e, x->with, columns);
	lt__edit_insert(e, columns, -1, x->with);
	lt__edit_replace(e, x->loop, rows);
	lt__edit_insert(e, rows, -1, x->loop);
	if (other > x->lanes || t->graph->var[t->node[x->with].var].bounded) {
		t->node[x->with].step = other > x->lanes ? x->lanes : other;
		peel_counted(e, x->with);
	} else {
		/* The whole of it is inside: the loop that was outside has nothing left to do. */
		lt_tnode child = t->node[x->with].child;
		lt__edit_detach(e, child);
		lt__edit_replace(e, x->with, child);
	}
	peel_counted(e, columns);
	t->node[rows].loop = LT_UNROLL;
	t->node[x->loop].loop = LT_VECTOR;
	set_tails(t, x->loop, x->bounded);
	set_tails(t, rows, t->graph->var[t->node[x->with].var].bounded);
}

double lt__nest_work(const struct lt_looptree *t, lt_tnode at)
{
	if (t->node[at].kind == LT_TLEAF)
		return 1;
	double work = 0;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		work += lt__nest_work(t, c);
	return work * (t->node[at].kind == LT_TLOOP ? (double)lt_looptree_trip_count(t, at) : 1);
}
