/* The default tree of a GPU: a matrix of bytes by a vector, in groups.
 *
 *     for n grid.x
 *       for g block.x                   # a thread has groups of its own: no sum of integers crosses threads
 *         for k vector                  # 16 bytes of both at a time (`dot`, kernel/lower/dot.c); of a large matrix
 *                                       # `for k step 16 block.x` is around it
 *           both casts, the product, its sum
 *         what is made of the group's sum, the sum of the groups
 *
 * Products that share the loops have a loop over k each: a `dot` is all that is in its loop.
 */
#include "looptree/default/auto_gpu.h"

enum { RUN = 16 };              /* bytes of one access */

static lt_node leaf_at(const struct lt_looptree *t, lt_tnode at)
{
	return t->node[at].kind == LT_TLEAF ? t->node[at].leaf : -1;
}

static bool is_byte_sum(const struct lt_looptree *t, lt_node n)
{
	const struct lt_nodedef *d = n < 0 ? NULL : &t->graph->node[n];
	if (!d || d->op != LT_OP_add || !d->reduce || d->dtype != LT_I32 || t->graph->node[d->operand[0]].op != LT_OP_mul)
		return false;
	for (int k = 0; k < 2; k++) {
		const struct lt_nodedef *of = &t->graph->node[t->graph->node[d->operand[0]].operand[k]];
		const enum lt_dtype from = of->n_operand == 1 ? t->graph->node[of->operand[0]].dtype : LT_F32;
		if (of->op != LT_OP_cast || (from != LT_I8 && from != LT_U8))
			return false;
	}
	return true;
}

/* Leaves of the loop up to the first sum of products, all of them its own; 0: there is something else. */
static int32_t leaves_of_sum(const struct lt_looptree *t, lt_tnode first)
{
	int32_t n = 1;
	for (lt_tnode c = first; c >= 0; c = t->node[c].next, n++) {
		const lt_node leaf = leaf_at(t, c);
		if (leaf < 0)
			return 0;
		if (t->graph->node[leaf].reduce)
			return is_byte_sum(t, leaf) ? n : 0;
	}
	return 0;
}

lt_tnode lt__gpu_bytes_in(const struct lt_gpu *s, lt_tnode child)
{
	const struct lt_looptree *t = s->t;
	const lt_tnode loop = t->node[child].kind == LT_TLOOP ? t->node[child].child : -1;
	if (loop < 0 || t->node[loop].kind != LT_TLOOP || t->node[loop].loop != LT_SERIAL || t->node[loop].step != 1
		|| t->node[loop].next < 0 || lt_looptree_trip_count(t, loop) % RUN)
		return -1;
	for (lt_tnode c = t->node[loop].next; c >= 0; c = t->node[c].next)
		if (t->node[c].kind != LT_TLEAF)
			return -1;
	for (lt_tnode c = t->node[loop].child, next; c >= 0; c = next) {
		int32_t n = leaves_of_sum(t, c);
		if (!n)
			return -1;
		for (next = c; n > 0; n--)
			next = t->node[next].next;
	}
	return loop;
}

/* The loop that stands for it among the child's. */
static lt_tnode bind_run(struct lt_gpu *s, lt_tnode loop, bool shared)
{
	struct lt_looptree *t = s->t;
	t->node[loop].loop = LT_VECTOR;
	if (!shared)
		return loop;
	lt_tnode block = lt__edit_new_loop(&s->e, t->node[loop].var, RUN);
	t->node[block].loop = LT_BLOCK;
	lt__edit_replace(&s->e, loop, block);
	lt__edit_insert(&s->e, block, -1, loop);
	return block;
}

void lt__gpu_bind_bytes(struct lt_gpu *s, lt_tnode child, bool shared)
{
	struct lt_looptree *t = s->t;
	lt_tnode loop = lt__gpu_bytes_in(s, child), after = bind_run(s, loop, shared);
	for (lt_tnode c = t->node[loop].child; ; c = t->node[loop].child) {
		for (int32_t n = leaves_of_sum(t, c); n > 1; n--)
			c = t->node[c].next;
		if (t->node[c].next < 0)
			return;
		lt_tnode more = lt__edit_new_loop(&s->e, t->node[loop].var, 1);
		lt__edit_insert(&s->e, child, after, more);
		for (lt_tnode from = t->node[c].next, next, last = -1; from >= 0; last = from, from = next) {
			next = t->node[from].next;
			lt__edit_detach(&s->e, from);
			lt__edit_insert(&s->e, more, last, from);
		}
		loop = more;
		after = bind_run(s, loop, shared);
	}
}
