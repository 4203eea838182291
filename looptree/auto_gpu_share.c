/* The default tree of a GPU: what may share the loops of a nest, when clusters are placed.
 *
 * What shares the rows of a nest, and goes through each row again, keeps the row in the block.  That is worth it where
 * there are rows for all multiprocessors and a row finds room in one; else a nest of its own has the elements of all
 * rows to share out.
 */
#include "looptree/auto_gpu.h"

enum {
	ROW_BYTES = 128 << 10,          /* of a row that stays in a block: half of its registers */
	SMALL = 1 << 12,                /* iterations that one block goes through as soon as several */
	LONG = 1 << 14,                 /* elements of a row that are worth blocks of their own */
	EACH = 4                        /* rows for each multiprocessor that a product is worth sharing for */
};

static int64_t times(int64_t a, int64_t b)
{
	int64_t c;
	return lt__mul_overflow(a, b, &c) ? INT64_MAX : c;
}

static bool is_covered(const struct lt_auto *s, lt_tnode at, lt_var v)
{
	for (; at >= 0; at = s->t->node[at].parent)
		if (s->t->node[at].kind == LT_TLOOP && s->t->node[at].var == v)
			return true;
	return false;
}

/* Whether n would reduce loops of the nest whose iterations are worth blocks of their own, as each is a reduction, and
 * leave few rows. */
static bool gathers_up(const struct lt_auto *s, const struct lt_leaf *leaf, lt_tnode at)
{
	int64_t kept = 1, all = 1;
	lt_tnode outermost = -1;
	for (lt_tnode up = at; up >= 0; up = s->t->node[up].parent) {
		int64_t trips = lt_looptree_trip_count(s->t, up);
		int32_t column = s->t->node[up].kind == LT_TLOOP ? lt__leaf_column(leaf, s->t->node[up].var) : -1;
		if (column >= leaf->n_out)
			outermost = up;
		else
			kept = times(kept, trips);
	}
	if (outermost < 0 || 2 * kept >= (int64_t)s->target->multiprocessors || !lt__gpu_reduces(s->t, at))
		return false;
	all = lt__gpu_elems(s->t, outermost);
	return all >= SMALL;
}

bool lt__gpu_may_join(const struct lt_auto *s, lt_node n, lt_tnode at)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	int64_t rows = 1, result = 1, row = 1, multiprocessors = (int64_t)s->target->multiprocessors;
	for (lt_tnode up = at; up >= 0; up = s->t->node[up].parent)
		rows = times(rows, lt_looptree_trip_count(s->t, up));
	for (int32_t i = 0; i < leaf->n_var; i++) {
		if (is_covered(s, at, leaf->var[i]))
			continue;
		row = times(row, s->g->var[leaf->var[i]].extent);
		result = i < leaf->n_out ? times(result, s->g->var[leaf->var[i]].extent) : result;
	}
	if (gathers_up(s, leaf, at) || lt__auto_level(s->plainer, n) >= LT_PLAINEST)
		return false;
	if (row <= 1)
		return true;
	if (s->apart && s->apart[n])
		return false;
	if (s->order.contraction)
		return rows >= EACH * multiprocessors
			&& times(result, lt__dtype_info(s->g->node[n].dtype)->bytes) <= ROW_BYTES;
	if (times(row, lt__dtype_info(s->g->node[n].dtype)->bytes) > ROW_BYTES)
		return false;
	return rows >= multiprocessors / 2 || row < LONG;
}

/* Vars that the only reader of the node keeps. */
bool lt__gpu_is_kept(const struct lt_auto *s, lt_node n, lt_var v)
{
	lt_node reader = s->reader[n];
	if (s->n_reader[n] != 1)
		return true;
	while (s->is_inlined[reader] && s->reader[reader] >= 0)
		reader = s->reader[reader];
	const struct lt_leaf *leaf = s->t->leaf[reader];
	int32_t column = leaf ? lt__leaf_column(leaf, v) : -1;
	return column < 0 || column < leaf->n_out;
}
