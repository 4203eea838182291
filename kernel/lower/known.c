/* known.c -- instructions that have no effect are made once in a block; blocks. */
#include <string.h>
#include "kernel/lower/lowering.h"

enum { N_BUCKET = 1024 };

int32_t lt__lower_mark(const struct lowering *l) { return l->n_known; }

/* The newest of a hash stands first, so that those of a block are taken off the front. */
void lt__lower_forget(struct lowering *l, int32_t mark)
{
	while (l->n_known > mark) {
		const struct lower_known *k = &l->known[--l->n_known];
		l->bucket[k->hash] = k->next;
	}
}

static uint32_t hash_of(const struct lower_known *k)
{
	const uint64_t word[] = { k->opcode | (uint64_t)k->dtype << 16 | (uint64_t)k->lanes << 24, (uint64_t)k->number,
		(uint32_t)k->operand[0] | (uint64_t)(uint32_t)k->operand[1] << 32,
		(uint32_t)k->operand[2] | (uint64_t)(uint32_t)k->what << 32 };
	uint64_t h = 0;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
		h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return (uint32_t)(h & (N_BUCKET - 1));
}

static bool is_same(const struct lower_known *a, const struct lower_known *b)
{
	return a->opcode == b->opcode && a->dtype == b->dtype && a->lanes == b->lanes && a->operand[0] == b->operand[0]
		&& a->operand[1] == b->operand[1] && a->operand[2] == b->operand[2] && a->what == b->what && a->number == b->number;
}

static void known_add(struct lowering *l, const struct lower_known *k)
{
	if (l->n_known == l->cap_known) {
		struct lower_known *more = lt__pool_alloc(&l->b.pool, (size_t)l->cap_known * 2 + 64, sizeof *more);
		if (l->n_known)
			memcpy(more, l->known, (size_t)l->n_known * sizeof *more);
		l->known = more;
		l->cap_known = l->cap_known * 2 + 64;
	}
	l->bucket[k->hash] = l->n_known;
	l->known[l->n_known++] = *k;
}

/* -1: there is none; k has its hash then. */
static int32_t known_value(struct lowering *l, struct lower_known *k)
{
	if (!l->bucket) {
		l->bucket = lt__pool_alloc(&l->b.pool, N_BUCKET, sizeof *l->bucket);
		for (int i = 0; i < N_BUCKET; i++)
			l->bucket[i] = -1;
	}
	k->hash = hash_of(k);
	k->next = l->bucket[k->hash];
	for (int32_t i = k->next; i >= l->first_known; i = l->known[i].next)
		if (is_same(&l->known[i], k))
			return l->known[i].value;
	return -1;
}

static int32_t known_or_built(struct lowering *l, struct lower_known k)
{
	int32_t value = known_value(l, &k);
	if (value >= 0)
		return value;
	k.value = lt__build(&l->b, (struct lt_instruction){ .opcode = k.opcode, .dtype = k.dtype, .lanes = k.lanes,
		.operand = { k.operand[0], k.operand[1], -1, -1 }, .what = k.what, .number = k.number, .origin = l->b.origin });
	known_add(l, &k);
	return k.value;
}

int32_t lt__lower_pure(
	struct lowering *l, int opcode, uint32_t dtype, int32_t x, int32_t y, int32_t what, int64_t number)
{
	return known_or_built(l, (struct lower_known){ .opcode = (uint16_t)opcode, .dtype = (uint8_t)dtype, .lanes = 1,
		.operand = { x, y, -1 }, .what = what, .number = number });
}

int32_t lt__lower_fragment(
	struct lowering *l, struct lt_instruction i, const struct lt_matrix_location *at, int32_t source)
{
	struct lower_known k = { .opcode = LT_OPCODE_fragment, .dtype = i.dtype, .lanes = i.lanes,
		.operand = { i.operand[0], l->written, source }, .what = i.what * LT_NMATRIX + (int32_t)i.number,
		.number = at->number };
	int64_t extra[] = { at->buffer, at->number, at->stride[0], at->stride[1], at->swizzle };
	int32_t value = known_value(l, &k);
	if (value >= 0)
		return value;
	i.opcode = LT_OPCODE_fragment;
	i.origin = l->b.origin;
	i.first_extra = lt__build_extras(&l->b, extra, LT_MATRIX_LOCATION);
	i.n_extra = LT_MATRIX_LOCATION;
	k.value = lt__build(&l->b, i);
	known_add(l, &k);
	return k.value;
}

int32_t lt__lower_wide(struct lowering *l, int opcode, uint32_t dtype, int32_t x, int32_t y, int64_t number)
{
	return known_or_built(l, (struct lower_known){ .opcode = (uint16_t)opcode, .dtype = (uint8_t)dtype,
		.lanes = l->lanes, .operand = { x, y, -1 }, .what = -1, .number = number });
}

int32_t lt__lower_spread(struct lowering *l, int32_t value)
{
	const struct lt_instruction *i = lt__build_at(&l->b, value);
	if (i->lanes == l->lanes)
		return value;
	if (i->opcode == LT_OPCODE_const && i->dtype != LT_LANE_MASK)
		return lt__lower_wide(l, LT_OPCODE_const, i->dtype, -1, -1, i->number);
	return lt__lower_wide(l, LT_OPCODE_splat, i->dtype, value, -1, 0);
}

int32_t lt__lower_if(struct lowering *l, int32_t mask)
{
	int32_t mark = lt__lower_mark(l);
	lt__build_if(&l->b, mask);
	return mark;
}

void lt__lower_else(struct lowering *l, int32_t mark)
{
	lt__lower_forget(l, mark);
	lt__build_else(&l->b);
}

void lt__lower_end(struct lowering *l, int32_t mark)
{
	lt__lower_forget(l, mark);
	lt__build_end(&l->b);
}
