/* The default tree of a GPU: what may share the loops of a nest, when clusters are placed.
 *
 * What shares the rows of a nest, and goes through each row again, keeps the row in the block.  That is worth it where
 * there are rows for all multiprocessors and a row finds room in one; else a nest of its own has the elements of all
 * rows to share out.
 */
#include "looptree/default/auto_gpu.h"

enum {
	ROW_BYTES = 128 << 10,          /* of a row that stays in a block: half of its registers */
	SMALL = 1 << 12,                /* iterations that one block goes through as soon as several */
	LONG = 1 << 14,                 /* elements of a row that are worth blocks of their own */
	EACH = 4,                       /* rows for each multiprocessor that a product is worth sharing for */
	ALONE = 1 << 14,                /* elements of a row that one block goes through as soon as another launch begins */
	MANY = 8,                       /* rows for each multiprocessor that fill it, one to a block */
	HEAVY = 1 << 16,                /* iterations of one row that are worth several blocks */
	NEAR = 8,                       /* nodes that are looked through for a sum */
	FULL = 1024                     /* elements for each multiprocessor that are worth a launch of their own */
};

static bool is_covered(const struct lt_auto *s, lt_tnode at, lt_var v)
{
	for (; at >= 0; at = s->t->node[at].parent)
		if (s->t->node[at].kind == LT_TLOOP && s->t->node[at].var == v)
			return true;
	return false;
}

/* Whether n would reduce loops of the nest whose iterations are worth blocks of their own, as each is a reduction, and
 * leave few rows; or more of them, where each is much. */
static bool reduces_parallel_loops(const struct lt_auto *s, const struct lt_leaf *leaf, lt_tnode at)
{
	int64_t kept = 1, all = 1;
	lt_tnode outermost = -1;
	for (lt_tnode up = at; up >= 0; up = s->t->node[up].parent) {
		int64_t trip_count = lt_looptree_trip_count(s->t, up);
		int32_t column = s->t->node[up].kind == LT_TLOOP ? lt__leaf_column(leaf, s->t->node[up].var) : -1;
		if (column >= leaf->n_out)
			outermost = up;
		else
			kept = lt__mul_sat(kept, trip_count);
	}
	const int64_t multiprocessors = (int64_t)s->target->multiprocessors;
	if (outermost < 0 || kept >= MANY * multiprocessors || !lt__gpu_reduces(s->t, at))
		return false;
	all = lt__gpu_elems(s->t, outermost);
	return all >= SMALL && (2 * kept < multiprocessors || all >= HEAVY);
}

/* Whether the cluster in hand goes through a row of results that the nest would find one after the other, each by a
 * reduction: a head of a product's result, of which another element is needed, too.  In nests of their own each result
 * has threads, and what follows is little.  Where a row is much this holds for more rows, too. */
static bool serializes_row(const struct lt_auto *s, lt_tnode at, int64_t rows)
{
	const int64_t multiprocessors = (int64_t)s->target->multiprocessors, elems = lt__gpu_elems(s->t, at);
	bool any = false;
	if (rows >= MANY * multiprocessors || elems < SMALL)
		return false;
	for (int32_t i = 0; i < s->n_producer && !any; i++) {
		const lt_node u = s->producer[i];
		int64_t results = 1;
		if (s->t->leaf_of[u] < 0 || !lt__is_above(s->t, at, s->t->leaf_of[u]))
			continue;
		for (int32_t k = 0; k < s->g->node[u].n_dim; k++)
			if (!is_covered(s, at, s->g->node[u].dim[k]))
				results = lt__mul_sat(results, s->g->var[s->g->node[u].dim[k]].extent);
		any = results > 1 && ((s->g->node[u].reduce && 2 * rows < multiprocessors) || elems / (rows > 0 ? rows : 1) >= HEAVY);
	}
	return any;
}

bool lt__gpu_may_join(const struct lt_auto *s, lt_node n, lt_tnode at)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	int64_t rows = 1, result = 1, row = 1, multiprocessors = (int64_t)s->target->multiprocessors;
	for (lt_tnode up = at; up >= 0; up = s->t->node[up].parent)
		rows = lt__mul_sat(rows, lt_looptree_trip_count(s->t, up));
	for (int32_t i = 0; i < leaf->n_var; i++) {
		if (is_covered(s, at, leaf->var[i]))
			continue;
		row = lt__mul_sat(row, s->g->var[leaf->var[i]].extent);
		result = i < leaf->n_out ? lt__mul_sat(result, s->g->var[leaf->var[i]].extent) : result;
	}
	if (reduces_parallel_loops(s, leaf, at) || lt__auto_level(s->fallback, n) >= LT_MAX_FALLBACK)
		return false;
	if (row <= 1)
		return true;
	if (serializes_row(s, at, rows))
		return false;
	if (s->unfused && s->unfused[n])
		return false;
	if (s->order.contraction)
		return rows >= EACH * multiprocessors
			&& lt__mul_sat(result, lt__dtype_info(s->g->node[n].dtype)->bytes) <= ROW_BYTES;
	if (lt__mul_sat(row, lt__dtype_info(s->g->node[n].dtype)->bytes) > ROW_BYTES)
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

static int64_t iterations_of(const struct lt_auto *s, lt_node n)
{
	int64_t all = 1;
	for (int32_t i = 0; i < s->t->leaf[n]->n_var; i++)
		all = lt__mul_sat(all, s->g->var[s->t->leaf[n]->var[i]].extent);
	return all;
}

bool lt__gpu_is_short(const struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	int32_t loops = 0;
	for (int32_t i = 0; i < leaf->n_var; i++)
		loops += s->g->var[leaf->var[i]].extent > 1;
	return loops <= 1 && (!s->order.contraction || leaf->n_out == 0) && iterations_of(s, n) <= ALONE;
}

/* Whether one of the nodes that follow is the sum of all of n, or of what is made of it element by element. */
bool lt__gpu_is_summed(const struct lt_auto *s, lt_node n)
{
	for (lt_node u = n + 1; u < s->g->n_node && u <= n + NEAR; u++) {
		const struct lt_nodedef *d = &s->g->node[u];
		if (!d->reduce || d->n_dim > 0)
			continue;
		const struct lt_nodedef *of = &s->g->node[d->operand[0]];
		bool reads = d->operand[0] == n;
		for (int32_t i = 0; i < of->n_operand && s->is_inlined[d->operand[0]]; i++)
			reads = reads || of->operand[i] == n;
		if (reads)
			return true;
	}
	return false;
}

/* Whether a leaf in `at` reads the value. */
static bool is_read_in(const struct lt_looptree *t, lt_tnode at, lt_node value)
{
	const struct lt_leaf *leaf = t->node[at].kind == LT_TLEAF ? t->leaf[t->node[at].leaf] : NULL;
	for (int32_t i = 0; leaf && i < leaf->n_read; i++)
		for (int32_t p = 0; p < leaf->read[i].n_piece; p++)
			if (leaf->read[i].piece[p].base == value)
				return true;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		if (is_read_in(t, c, value))
			return true;
	return false;
}

lt_tnode lt__gpu_horizontal_fusion(const struct lt_auto *s, lt_node n)
{
	const struct lt_looptree *t = s->t;
	const lt_tnode root = t->last_root;
	int32_t i = 0;
	if (root < 0 || t->node[root].kind != LT_TLOOP || lt__gpu_reduces(t, root) || s->g->node[n].reduce
		|| iterations_of(s, n) > lt__mul_sat(FULL, (int64_t)s->target->multiprocessors)
		|| (s->g->node[n].op == LT_OP_update && is_read_in(t, root, s->g->node[n].operand[0])))
		return -1;
	for (lt_tnode at = root; i < s->order.n && t->node[at].var == s->order.loop[i].var
		&& t->node[at].step == s->order.loop[i].step; at = t->node[at].child) {
		i++;
		if (t->node[t->node[at].child].next >= 0 || t->node[t->node[at].child].kind != LT_TLOOP) {
			for (; i < s->order.n; i++)             /* what is left is one iteration */
				if (s->g->var[s->order.loop[i].var].extent != 1)
					return -1;
			return at;
		}
	}
	return -1;
}
