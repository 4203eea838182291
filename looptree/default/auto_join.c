/* Nests that are joined: what reads the same few rows, or what threads have just computed of a batch or head, goes on
 * in the loops that these threads share, so that q, k and v, or scores, softmax and what they weigh, are one kernel.
 *
 * A product of few rows has a fusion point: the innermost of its parallel loops.  A product that begins with the
 * same loops follows it there if it reads the same left factor, or what the nest has written, in place along these
 * loops; a cluster, if it reads the latter so.  All else that they read is from nests before.  Legality is proven of
 * the whole tree, as always.
 */
#include "looptree/default/auto.h"
#include "looptree/derive/derive.h"
#include "looptree/default/product.h"

enum { MAX_PATH = 16, JOINED_ROWS = 8 };

struct join_path { int32_t n; struct lt_auto_loop loop[MAX_PATH]; };

/* The loops from the root to `at`; false: a node among them is none, or there are too many. */
static bool path_to(const struct lt_looptree *t, lt_tnode at, struct join_path *out)
{
	lt_tnode up[MAX_PATH];
	int32_t n = 0;
	for (; at >= 0; at = t->node[at].parent) {
		if (n == MAX_PATH || t->node[at].kind != LT_TLOOP)
			return false;
		up[n++] = at;
	}
	for (out->n = 0; n > 0; out->n++)
		out->loop[out->n] = (struct lt_auto_loop){ t->node[up[n - 1]].var, t->node[up[n - 1]].step }, n--;
	return true;
}

static void want(struct join_path *x, lt_var v, int64_t step)
{
	if (x->n < MAX_PATH)
		x->loop[x->n++] = (struct lt_auto_loop){ v, step };
}

/* Whether it reads rows of a right factor, each with all of the left one. */
static bool is_by_rows(const struct lt_product *p) { return p->form == LT_PRODUCT_DOTS || p->form == LT_PRODUCT_BYTES; }

/* The loops that the product's nest begins with, as far as they may be another one's. */
static struct join_path outer_loops(const struct lt_product *p)
{
	struct join_path x = { 0 };
	for (int32_t i = 0; i < p->batch.n; i++)
		if (p->form != LT_PRODUCT_BYTES || p->batch.at[i] != p->group)
			want(&x, p->batch.at[i], 1);
	for (int32_t i = 0; is_by_rows(p) && i < p->column.n; i++)
		if (p->column.at[i] != p->n)
			want(&x, p->column.at[i], 1);
	if (is_by_rows(p) && p->block_n)
		want(&x, p->n, p->block_n);
	return x;
}

static bool may_be_joined(const struct lt_auto *s, const struct lt_product *p)
{
	return !s->alone && p->parallel && (is_by_rows(p) || p->form == LT_PRODUCT_CPU_TILE)
		&& vars_count(s, &p->row) <= JOINED_ROWS && p->left_copy < 0 && p->right_copy < 0 && !p->rows_outside;
}

/* Whether leaf n may read u in the nest of root, whose loops to the fusion point are x: u is complete before, or it
 * is read in the iteration that it is written in. */
static bool may_read(const struct lt_auto *s, lt_node n, lt_node u, lt_tnode root, const struct join_path *x)
{
	const struct lt_nodedef *d = &s->g->node[u];
	if (!lt__has_leaf(s->g, u))
		return true;
	if (s->t->leaf_of[u] < 0)
		return false;
	const lt_tnode at = lt__root_of(s->t, s->t->leaf_of[u]);
	if (at != root)
		return s->nest[at].number < s->nest[root].number;
	for (int32_t i = 0; i < x->n; i++) {
		bool has = false;
		for (int32_t k = 0; k < d->n_dim; k++)
			has = has || d->dim[k] == x->loop[i].var;
		if (!has || d->op == LT_OP_update || !lt__reads_in_place(s, n, u, x->loop[i].var))
			return false;
	}
	return true;
}

static bool factors_fit(const struct lt_auto *s, const struct lt_product *p, lt_tnode root, const struct join_path *x)
{
	const struct lt_leaf *leaf = s->t->leaf[p->mul];
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t i = 0; i < leaf->read[k].n_piece; i++) {
			lt_node n = p->mul, base = leaf->read[k].piece[i].base;
			if (base >= 0 && (base == p->cast[0] || base == p->cast[1])) {       /* it goes with the product */
				n = base;
				base = s->t->leaf[n]->read[0].piece[0].base;
			}
			if (base >= 0 && !may_read(s, n, base, root, x))
				return false;
		}
	return true;
}

/* What is made of the sums of groups, which goes with the product, too. */
static bool fused_fits(const struct lt_auto *s, const struct lt_product *p, lt_tnode root, const struct join_path *x)
{
	for (int32_t c = 0; c < p->n_fused; c++) {
		const struct lt_leaf *leaf = s->t->leaf[p->fused[c]];
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t i = 0; i < leaf->read[k].n_piece; i++) {
				const lt_node base = leaf->read[k].piece[i].base;
				bool own = base < 0 || base == p->sum;
				for (int32_t o = 0; o < p->n_fused; o++)
					own = own || base == p->fused[o];
				if (!own && !may_read(s, p->fused[c], base, root, x))
					return false;
			}
	}
	return true;
}

/* What is after the sum goes into its nest, too. */
static bool cluster_fits(struct lt_auto *s, const struct lt_product *p, lt_node end, lt_tnode root,
	const struct join_path *x)
{
	if (end < 0)
		return true;
	lt__auto_gather(s, end);
	for (int32_t i = 0; i < s->n_producer; i++)
		for (int32_t k = 0; k < s->n_member; k++)
			if (s->producer[i] != p->sum && s->producer[i] != p->out && s->producer[i] != p->groups
				&& s->producer[i] != p->epilogue
				&& !may_read(s, s->member[k], s->producer[i], root, x))
				return false;
	return true;
}

static bool fits_at(struct lt_auto *s, const struct lt_product *p, lt_tnode root)
{
	const struct lt_auto_nest *nest = &s->nest[root];
	const struct join_path own = outer_loops(p);
	struct join_path x;
	if (nest->fusion_point < 0 || nest->class != s->aim || nest->constant != s->constant[p->sum]
		|| nest->leaves >= LT_MAX_CLUSTER || !path_to(s->t, nest->fusion_point, &x) || x.n > own.n)
		return false;
	for (int32_t i = 0; i < x.n; i++)
		if (x.loop[i].var != own.loop[i].var || x.loop[i].step != own.loop[i].step)
			return false;
	return factors_fit(s, p, root, &x) && fused_fits(s, p, root, &x) && cluster_fits(s, p, p->epilogue, root, &x)
		&& cluster_fits(s, p, p->activation, root, &x);
}

/* What is stored of the left factor: each product has a cast of its own. */
static lt_node stored_left(const struct lt_auto *s, const struct lt_product *p)
{
	return p->cast[0] < 0 ? -1 : s->t->leaf[p->cast[0]]->read[0].piece[0].base;
}

static bool share_left(const struct lt_auto *s, const struct lt_product *p, const struct lt_product *q)
{
	return p->form == q->form && is_by_rows(p)
		&& (p->left == q->left || (stored_left(s, p) >= 0 && stored_left(s, p) == stored_left(s, q)));
}

lt_tnode lt__auto_join(struct lt_auto *s, const struct lt_product *p)
{
	lt_tnode latest = -1;
	if (!may_be_joined(s, p))
		return -1;
	for (const struct lt_product *q = s->product; q < p; q++)
		if (share_left(s, p, q) && s->t->leaf_of[q->sum] >= 0) {
			const lt_tnode root = lt__root_of(s->t, s->t->leaf_of[q->sum]);
			if (fits_at(s, p, root)) {
				s->n_joined++;
				return s->nest[root].fusion_point;
			}
		}
	const struct lt_leaf *leaf = s->t->leaf[p->mul];
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t i = 0; i < leaf->read[k].n_piece; i++) {
			const lt_node u = leaf->read[k].piece[i].base;
			const lt_tnode root = u < 0 || s->t->leaf_of[u] < 0 ? -1 : lt__root_of(s->t, s->t->leaf_of[u]);
			if (root >= 0 && (latest < 0 || s->nest[root].number > s->nest[latest].number))
				latest = root;
		}
	if (latest < 0 || !fits_at(s, p, latest))
		return -1;
	s->n_joined++;
	return s->nest[latest].fusion_point;
}

void lt__auto_set_fusion_point(struct lt_auto *s, const struct lt_product *p)
{
	const struct lt_looptree *t = s->t;
	const lt_tnode root = lt__root_of(t, t->leaf_of[p->sum]);
	lt_tnode fusion_point = -1;
	if (s->nest[root].fusion_point >= 0 || !may_be_joined(s, p))
		return;
	for (lt_tnode at = root; at >= 0 && t->node[at].kind == LT_TLOOP && t->node[at].loop == LT_PARALLEL;
		at = t->node[at].child)
		fusion_point = at;
	s->nest[root].fusion_point = fusion_point;
}

bool lt__auto_may_enter(const struct lt_auto *s, lt_node n, lt_tnode at)
{
	const struct lt_auto_nest *nest = &s->nest[lt__root_of(s->t, at)];
	if (!nest->closed || (at < s->cap_fusible && s->fusible[at]))
		return true;
	/* threads share the loops to the fusion point, so nothing is summed over them */
	return nest->fusion_point >= 0 && (at == nest->fusion_point || lt__is_above(s->t, at, nest->fusion_point))
		&& lt__leaf_column(s->t->leaf[n], s->t->node[at].var) < s->t->leaf[n]->n_out;
}

void lt__auto_mark_fusible(struct lt_auto *s, lt_tnode from)
{
	while (s->cap_fusible < s->t->n_node) {
		LT_GROW(s->t->arena, s->fusible, s->cap_fusible, s->cap_fusible);
	}
	for (; from < s->t->n_node; from++)
		s->fusible[from] = true;
}
