/* backends/cgen/storage.c -- where each buffer of a tree lives in the printed function. */
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

const char *lt__ctype(const struct lt_tree *t, uint32_t dtype)
{
	for (uint32_t i = 0; i < t->types.n; i++)
		if (LT_AT(struct lt_type, t->types, i)->dtype == dtype)
			return LT_AT(struct lt_type, t->types, i)->ctype;
	return lt__element_ctype(dtype);
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
			p->declared = p->home == HOME_SCALAR && st->n_guard == 0 && !reduces(st)
				&& st->loop == LT_AT(struct lt_buffer, t->buffers, b)->scope;
		}
	}
}

bool lt__gen_private(const struct gen *g, int32_t b)
{
	return g->lane_loop >= 0 && lt__gen_around(g->t, g->lane_loop, LT_AT(struct lt_buffer, g->t->buffers, b)->scope);
}

/* The loop of that mode that b's scope stands in or is, -1: none. */
static int32_t inside(const struct gen *g, int32_t b, enum mode mode)
{
	int32_t l = LT_AT(struct lt_buffer, g->t->buffers, b)->scope;
	while (l >= 0 && g->plan[l].mode != mode)
		l = LT_AT(struct lt_loop, g->t->loops, l)->parent;
	return l;
}

/* A parallel loop that writes local b, which lives outside it: its threads need one place. */
static bool shared_out(const struct gen *g, int32_t b)
{
	const struct lt_tree *t = g->t;
	int32_t scope = LT_AT(struct lt_buffer, t->buffers, b)->scope;
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind == LT_BARRIER || g->place[LT_AT(struct lt_access, t->accesses, s->dest)->buffer].root != g->place[b].root)
			continue;
		for (int32_t l = s->loop; l >= 0 && l != scope; l = LT_AT(struct lt_loop, t->loops, l)->parent)
			if (g->plan[l].mode == MODE_REGION)
				return true;
	}
	return false;
}

/* What each lane has a copy of has to be small. */
static int64_t bytes_of(struct gen *g, int32_t b)
{
	const struct lt_buffer *buffer = LT_AT(struct lt_buffer, g->t->buffers, b);
	int64_t bytes = buffer->elems * LT_AT(struct lt_type, g->t->types, buffer->type)->bytes;
	int32_t l = inside(g, b, MODE_LANES);
	if (l >= 0 && (bytes > g->d->max_array_bytes / g->plan[l].lanes || buffer->alias_of >= 0))
		g->plan[l].mode = MODE_FOR;
	else if (l >= 0)
		bytes *= g->plan[l].lanes;
	return bytes;
}

void lt__gen_assign_storage(struct gen *g)
{
	const struct lt_tree *t = g->t;
	int64_t stack = 0;
	/* indexed, so an array even where it holds one element */
	bool *gathered = lt__pool_alloc(&g->pool, t->buffers.n, 1);
	g->place = lt__pool_alloc(&g->pool, t->buffers.n, sizeof *g->place);
	group(g);
	for (uint32_t i = 0; i < t->accesses.n; i++)
		if (LT_AT(struct lt_access, t->accesses, i)->index >= 0)
			gathered[g->place[LT_AT(struct lt_access, t->accesses, i)->buffer].root] = true;
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		struct place *p = &g->place[i];
		if (p->root != i) {
			p->home = g->place[p->root].home;
			continue;
		}
		if (b->role != LT_LOCAL) {
			p->home = HOME_SLOT;
			continue;
		}
		int64_t bytes = bytes_of(g, i);
		if (b->elems == 1 && !gathered[i] && !shared_out(g, i)) {
			p->home = HOME_SCALAR;
		} else if (bytes <= g->d->max_array_bytes && bytes <= g->d->max_stack_bytes - stack) {
			p->home = HOME_ARRAY;
			stack += bytes;
		} else {
			int64_t *size = inside(g, i, MODE_REGION) >= 0 ? &g->own : &g->shared;
			p->home = inside(g, i, MODE_REGION) >= 0 ? HOME_OWN : HOME_WORKSPACE;
			p->region = inside(g, i, MODE_REGION);
			p->offset = *size;
			*size += (bytes + 63) & ~(int64_t)63;
		}
		p->wanders = gathered[i];
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

enum { MAX_ELEMS = 8192, MAX_REGISTERS = 128 };

void lt__gen_touch(struct gen *g, int32_t b, bool known, int64_t at, int lanes)
{
	struct place *p = &g->place[g->place[b].root];
	int64_t elems = LT_AT(struct lt_buffer, g->t->buffers, g->place[b].root)->elems;
	if (p->home != HOME_ARRAY || p->wanders)
		return;
	if (!known || elems > MAX_ELEMS || at < 0 || at + lanes > elems
	    || (g->region >= 0 && !lt__gen_around(g->t, g->region, LT_AT(struct lt_buffer, g->t->buffers, b)->scope))) {
		p->wanders = true;
		return;
	}
	if (!p->tile) {
		p->tile = lt__pool_alloc(&g->pool, (size_t)elems, sizeof *p->tile);
		p->width = lt__pool_alloc(&g->pool, (size_t)elems, 1);
		p->reg = lt__pool_alloc(&g->pool, (size_t)elems, sizeof *p->reg);
		for (int64_t i = 0; i < elems; i++)
			p->tile[i] = -1;
	}
	if (p->tile[at] == at && p->width[at] >= lanes && (lanes == 1 || p->width[at] == lanes))
		return;
	if (lanes == 1 && p->tile[at] >= 0)
		return;                         /* a lane of a vector */
	for (int64_t i = at; i < at + lanes; i++) {
		p->wanders = p->wanders || (p->tile[i] >= 0 && p->width[p->tile[i]] > 1);
		p->tile[i] = (int32_t)at;
	}
	p->width[at] = (uint8_t)lanes;
}

void lt__gen_registers(struct gen *g)
{
	for (int32_t i = 0; i < (int32_t)g->t->buffers.n; i++) {
		struct place *p = &g->place[i];
		int n = 0;
		if (p->root != i || p->home != HOME_ARRAY || p->wanders || !p->tile)
			continue;
		for (int64_t e = 0; e < LT_AT(struct lt_buffer, g->t->buffers, i)->elems; e++)
			n += p->tile[e] == e;
		if (n <= MAX_REGISTERS)
			p->home = HOME_REGISTERS;
	}
	for (int32_t i = 0; i < (int32_t)g->t->buffers.n; i++)
		g->place[i].home = g->place[g->place[i].root].home;
}
