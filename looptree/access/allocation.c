/* allocation.c -- what memory each value of a tree has, as plain data. */
#include "looptree/access/access.h"
#include "looptree/freeze/freeze.h"

lt_status lt__access_held(
	const struct lt_looptree *t, struct lt_arena *a, lt_node n, const int64_t **extent, int64_t *elements)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	int64_t *whole = LT_NEW(a, int64_t, d->n_dim + 1);
	for (int32_t i = 0; i < d->n_dim; i++)
		whole[i] = t->leaf_of[n] >= 0 ? t->scope[n].extent[i] : t->graph->var[d->dim[i]].extent;
	*extent = whole;
	return lt__held_elems(t, n, whole, elements);
}

static int32_t lives_of(const struct lt_looptree *t, lt_node n)
{
	if (t->leaf_of[n] < 0)
		return lt__op_is_memory(t->graph->node[n].op) ? LT_LIVES_OUTSIDE : LT_LIVES_NOWHERE;
	return t->scope[n].whole ? LT_LIVES_WHOLE : LT_LIVES_LOCAL;
}

static lt_status fill_memory(const struct lt_looptree *t, struct lt_allocation *x)
{
	const struct lt_memlayout *layout = t->layout[x->node];
	const int64_t bytes = lt__dtype_info((enum lt_dtype)x->dtype)->bytes;
	struct lt_text text = { .arena = t->arena };
	x->n_extent = t->graph->node[x->node].n_dim;
	LT_TRY(lt__access_held(t, t->arena, x->node, &x->extent, &x->elements));
	if (lt__mul_overflow(x->elements, x->buffers, &x->elements) || lt__mul_overflow(x->elements, bytes, &x->bytes))
		return lt_fail(t->ctx, LT_EOVERFLOW, "%%%s in %d buffers has a size that exceeds 63 bits; choose a smaller "
			"depth", x->name, (int)x->buffers);
	if (layout) {
		lt__layout_text(&text, t, x->node);
		lt__text_add(&text, "", 1);
		x->layout = text.at;
	}
	return LT_OK;
}

struct allocations { struct lt_looptree *t; struct lt_array *out; };

static lt_status allocations_body(void *arg)
{
	struct allocations *b = arg;
	struct lt_looptree *t = b->t;
	struct lt_allocation *all = LT_NEW(t->arena, struct lt_allocation, t->graph->n_node + 1);
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		struct lt_allocation *x = &all[n];
		*x = (struct lt_allocation){ .node = n, .leaf = t->leaf_of[n], .lives = lives_of(t, n),
			.dtype = (int32_t)t->graph->node[n].dtype, .owner = -1, .buffers = lt__copy_depth(t, n),
			.name = lt__arena_string(t->arena, t->graph->node[n].name) };
		if (x->lives == LT_LIVES_LOCAL)
			x->owner = t->scope[n].owner;
		if (x->owner >= 0)
			x->owner_path = lt__arena_string(t->arena, lt__loop_path(t, x->owner));
		if (x->lives != LT_LIVES_NOWHERE)
			LT_TRY(fill_memory(t, x));
	}
	t->allocation = all;
	return LT_OK;
}

lt_status lt_looptree_allocations(struct lt_looptree *t, struct lt_array *out)
{
	struct allocations b = { t, out };
	*out = (struct lt_array){ 0 };
	if (!t->scope)
		return lt_fail(t->ctx, LT_EINVAL, "the tree is not finished: call lt_looptree_finish first");
	if (!t->allocation)
		LT_TRY(lt__protect(t->ctx, allocations_body, &b));
	*out = (struct lt_array){ t->allocation, (uint32_t)t->graph->n_node, sizeof *t->allocation };
	return LT_OK;
}
