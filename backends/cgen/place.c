/* backends/cgen/place.c -- where each buffer of a tree lives in the printed function. */
#include "backends/cgen/gen.h"
#include "ir/op.h"

const char *lt__ctype(const struct lt_tree *t, uint32_t dtype)
{
	for (uint32_t i = 0; i < t->types.n; i++)
		if (LT_AT(struct lt_type, t->types, i)->dtype == dtype)
			return LT_AT(struct lt_type, t->types, i)->ctype;
	return lt__dtype_info((enum lt_dtype)dtype)->ctype;
}

/* Buffers that share storage share one pointer where they have one type; where they do not, or where two slots are
 * one, no pointer may claim to be the only way to its elements. */
static void group(struct gen *g)
{
	const struct lt_tree *t = g->t;
	int32_t *group = lt__pool_alloc(&g->pool, t->buffers.n, sizeof *group);
	int32_t *slot = lt__pool_alloc(&g->pool, (size_t)t->n_slot + 1, sizeof *slot);
	bool *written = lt__pool_alloc(&g->pool, t->buffers.n, 1);
	int32_t *n_name = lt__pool_alloc(&g->pool, t->buffers.n, sizeof *n_name);

	for (int32_t i = 0; i < t->n_slot; i++)
		slot[i] = -1;
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		struct place *p = &g->place[i];
		group[i] = p->root = i;
		if (b->alias_of >= 0) {
			group[i] = group[b->alias_of];
			const struct lt_buffer *of = LT_AT(struct lt_buffer, t->buffers, b->alias_of);
			if (of->type == b->type && of->slot == b->slot)
				p->root = g->place[b->alias_of].root;
		} else if (b->slot >= 0) {
			if (slot[b->slot] >= 0)
				group[i] = group[slot[b->slot]];
			slot[b->slot] = i;
		}
		n_name[group[i]] += p->root == i;
		written[group[i]] |= b->written != 0;
		g->place[p->root].written |= b->written != 0;
	}
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++)
		g->place[i].exclusive = n_name[group[i]] == 1 || !written[group[i]];
}

/* A scalar is declared where it is first written if that is in its scope's own block and not under a guard. */
static void writers(struct gen *g)
{
	const struct lt_tree *t = g->t;
	for (uint32_t i = 0; i < t->buffers.n; i++)
		g->place[i].first_writer = -1;
	for (int32_t s = 0; s < (int32_t)t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->kind == LT_BARRIER)
			continue;
		int32_t b = LT_AT(struct lt_access, t->accesses, st->dest)->buffer;
		struct place *p = &g->place[g->place[b].root];
		if (p->n_writer++ == 0) {
			p->first_writer = s;
			p->declared = p->home == HOME_SCALAR && st->n_guard == 0 && st->kind != LT_REDUCE
				&& st->loop == LT_AT(struct lt_buffer, t->buffers, b)->scope;
		}
	}
}

void lt__gen_places(struct gen *g)
{
	const struct lt_tree *t = g->t;
	int64_t stack = 0;
	bool *gathered = lt__pool_alloc(&g->pool, t->buffers.n, 1);     /* indexed, so an array even where it holds one element */
	g->place = lt__pool_alloc(&g->pool, t->buffers.n, sizeof *g->place);
	group(g);
	for (uint32_t i = 0; i < t->accesses.n; i++)
		if (LT_AT(struct lt_access, t->accesses, i)->index >= 0)
			gathered[g->place[LT_AT(struct lt_access, t->accesses, i)->buffer].root] = true;
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		struct place *p = &g->place[i];
		int64_t bytes = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (p->root != i) {
			p->home = g->place[p->root].home;
		} else if (b->role != LT_LOCAL) {
			p->home = HOME_SLOT;
		} else if (b->elems == 1 && !gathered[i]) {
			p->home = HOME_SCALAR;
		} else if (bytes <= g->d->max_array_bytes && bytes <= g->d->max_stack_bytes - stack) {
			p->home = HOME_ARRAY;
			stack += bytes;
		} else {
			p->home = HOME_WORKSPACE;
			p->offset = g->workspace;
			g->workspace += (bytes + 63) & ~(int64_t)63;
		}
	}
	for (int32_t i = (int32_t)t->buffers.n - 1; i >= 0; i--) {
		struct place *p = &g->place[i];
		int32_t *first = &g->first_local[LT_AT(struct lt_buffer, t->buffers, i)->scope + 1];
		if (p->root != i || (p->home != HOME_SCALAR && p->home != HOME_ARRAY))
			continue;
		p->next = *first;
		*first = i;
	}
	writers(g);
}
