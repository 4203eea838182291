/* The default tree of a GPU: all nests of a tree that is being made, one after the other. */
#include "looptree/default/auto_gpu.h"
#include "looptree/derive/derive.h"

static void bind_nest(struct lt_gpu *s, lt_tnode top)
{
	struct lt_gpu_nest n;
	lt__gpu_choose(s, top, &n);
	lt__gpu_reason(s, &n);
	lt__gpu_bind(s, &n);
}

/* What one block does with a row: all of its loops have the same threads, so that what one of them has of the row it
 * has in each loop. */
static void bind_row(struct lt_gpu *s, lt_tnode group)
{
	int64_t threads = 1, wide = 0;
	struct lt_gpu_nest n;
	for (lt_tnode c = s->t->node[group].child; c >= 0; c = s->t->node[c].next)
		if (s->t->node[c].kind == LT_TLOOP) {
			lt__gpu_choose_row(s, c, &n);
			threads = n.threads > threads ? n.threads : threads;
			wide = wide && wide < n.wide ? wide : n.wide;
		}
	for (lt_tnode c = s->t->node[group].child, next; c >= 0; c = next) {
		next = s->t->node[c].next;
		if (s->t->node[c].kind != LT_TLOOP)
			continue;
		lt__gpu_choose_row(s, c, &n);
		n.threads = threads;
		n.wide = wide;
		lt__gpu_reason(s, &n);
		lt__gpu_bind(s, &n);
	}
}

/* A nest, or those in a group. */
static void bind_all(struct lt_gpu *s, lt_tnode at)
{
	if (s->t->node[at].kind == LT_TLOOP)
		bind_nest(s, at);
	for (lt_tnode c = s->t->node[at].kind == LT_TGROUP ? s->t->node[at].child : -1, next; c >= 0; c = next) {
		next = s->t->node[c].next;
		bind_all(s, c);
	}
}

/* What is in a nest that does not fit has nests of its own next time; a node that has one already stays. */
static void mark_unfused(const struct lt_auto *a, lt_tnode top, const lt_node *base, bool *unfused, int32_t *n_unfused)
{
	for (lt_node n = 0; n < a->t->graph->n_node; n++) {
		if (a->t->leaf_of[n] < 0 || !lt__is_above(a->t, top, a->t->leaf_of[n]) || base[n] < 0 || unfused[base[n]])
			continue;
		unfused[base[n]] = true;
		++*n_unfused;
	}
}

lt_status lt__auto_gpu(
	struct lt_auto *a, const struct lt_target *target, const bool *open, bool *unfused, int32_t *n_unfused)
{
	struct lt_looptree *t = a->t;
	struct lt_gpu s = { .t = t, .target = target, .fallback = lt__auto_fallback(t, a->base_fallback),
		.e = { .t = t, .from = t } };
	int32_t n_node = t->n_node;
	LT_TRY(lt__fill_scopes(t));
	LT_TRY(lt__gpu_split(&s, open));
	s.fallback = lt__auto_fallback(t, a->base_fallback);
	LT_TRY(lt__fill_scopes(t));
	LT_TRY(lt__gpu_tile(&s, open, n_node));
	s.fallback = lt__auto_fallback(t, a->base_fallback);
	LT_TRY(lt__fill_scopes(t));
	for (lt_tnode root = t->root, next; root >= 0; root = next) {
		next = t->node[root].next;
		if (root < n_node && open[root] && a->nest[root].row && !lt__auto_fallback_in(t, s.fallback, root)->level)
			bind_row(&s, root);
		else if (root >= n_node || open[root])
			bind_all(&s, root);
	}
	LT_TRY(lt__fill_scopes(t));
	const lt_node *base = lt__tree_bases(t, t->arena);
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		if ((root >= n_node || open[root]) && !lt__gpu_fits(&s, root))
			mark_unfused(a, root, base, unfused, n_unfused);
	return lt__edit_number(&s.e);
}
