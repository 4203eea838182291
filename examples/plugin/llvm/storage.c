/* examples/plugin/llvm/storage.c -- where each buffer lives: in a slot, in a variable of the function, or in the
 * workspace. */
#include "gen.h"

enum { MAX_LOCAL = 16 << 10, MAX_STACK = 128 << 10 };

bool lt_llvm_is_private(const struct gen *g, int32_t b)
{
	return g->lane_loop >= 0 && is_around(g->t, g->lane_loop, LT_AT(struct lt_buffer, g->t->buffers, b)->scope);
}

/* Buffers with one storage have one root.  Two roots that may be the same memory may not claim to be the only way to
 * it. */
static void roots(struct gen *g)
{
	const struct lt_tree *t = g->t;
	int32_t n = (int32_t)t->buffers.n;
	int32_t *group = lt_llvm_alloc(g, (size_t)n, sizeof *group), *members = lt_llvm_alloc(g, (size_t)n, sizeof *members);
	bool *written = lt_llvm_alloc(g, (size_t)n, 1);
	for (int32_t i = 0; i < n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		struct place *p = &g->place[i];
		p->root = group[i] = i;
		p->region = -1;
		if (b->alias_of >= 0) {
			group[i] = group[b->alias_of];
			if (LT_AT(struct lt_buffer, t->buffers, b->alias_of)->slot == b->slot)
				p->root = g->place[b->alias_of].root;
		}
		for (int32_t k = 0; k < i && b->slot >= 0 && p->root == i; k++)
			if (LT_AT(struct lt_buffer, t->buffers, k)->slot == b->slot) {
				p->root = g->place[k].root;
				group[i] = group[k];
			}
		members[group[i]] += p->root == i;
		written[group[i]] = written[group[i]] || b->written;
	}
	for (int32_t i = 0; i < n; i++)
		g->place[i].exclusive = members[group[i]] == 1 || !written[group[i]];
}

/* The loop of that mode that b's scope stands in or is, -1: none. */
static int32_t inside(const struct gen *g, int32_t b, enum mode mode)
{
	int32_t l = LT_AT(struct lt_buffer, g->t->buffers, b)->scope;
	while (l >= 0 && g->plan[l].mode != mode)
		l = loop_at(g, l)->parent;
	return l;
}

/* Bytes of a root, for all lanes where each has its own; those have to be few. */
static int64_t bytes_of(struct gen *g, int32_t root)
{
	int64_t most = 0;
	int32_t l = inside(g, root, MODE_LANES);
	bool alone = true;
	for (int32_t i = root; i < (int32_t)g->t->buffers.n; i++) {
		int64_t bytes = LT_AT(struct lt_buffer, g->t->buffers, i)->elems * lt_llvm_bytes(buffer_dtype(g->t, i));
		if (g->place[i].root != root)
			continue;
		alone = alone && i == root;
		most = bytes > most ? bytes : most;
	}
	if (l >= 0 && (!alone || most > MAX_LOCAL / g->plan[l].lanes))
		g->plan[l].mode = MODE_COUNTED;
	else if (l >= 0)
		most *= g->plan[l].lanes;
	return (most + 63) & ~(int64_t)63;
}

/* Sizes are asked for twice: by the first time all loops have their modes, on which those of other locals depend. */
void lt_llvm_assign_storage(struct gen *g)
{
	int64_t stack = 0;
	roots(g);
	for (int32_t i = 0; i < (int32_t)g->t->buffers.n; i++) {
		struct place *p = &g->place[i];
		if (p->root != i || LT_AT(struct lt_buffer, g->t->buffers, i)->role != LT_LOCAL)
			continue;
		p->bytes = bytes_of(g, i);
	}
	for (int32_t i = 0; i < (int32_t)g->t->buffers.n; i++) {
		struct place *p = &g->place[i];
		if (p->root != i || LT_AT(struct lt_buffer, g->t->buffers, i)->role != LT_LOCAL)
			continue;
		p->region = inside(g, i, MODE_REGION);
		p->bytes = bytes_of(g, i);
		if (p->bytes <= MAX_LOCAL && p->bytes <= MAX_STACK - stack) {
			p->home = HOME_STACK;
			stack += p->bytes;
			continue;
		}
		int64_t *size = p->region >= 0 ? &g->own_bytes : &g->shared_bytes;
		p->home = p->region >= 0 ? HOME_OWN : HOME_SHARED;
		p->offset = *size;
		*size += p->bytes;
	}
}

bool lt_llvm_is_of(const struct gen *g, int32_t access, int32_t root)
{
	for (; access >= 0; access = LT_AT(struct lt_access, g->t->accesses, access)->index)
		if (g->place[LT_AT(struct lt_access, g->t->accesses, access)->buffer].root == root)
			return true;
	return false;
}

bool lt_llvm_reads(const struct gen *g, const struct lt_stmt *s, int32_t root)
{
	for (int32_t k = 0; k < s->n_operand; k++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, g->t->operands, s->first_operand + k);
		for (int32_t p = o->first_piece; p < o->first_piece + o->n_piece; p++) {
			const struct lt_piece *piece = LT_AT(struct lt_piece, g->t->pieces, p);
			if (piece->kind == LT_READ && lt_llvm_is_of(g, piece->access, root))
				return true;
		}
	}
	return false;
}
