/* copy_run.c -- making a copy of very many pieces on the host: its blocks, shared by threads where there is much to do;
 * a block that transposes goes square by square. */
#include <string.h>
#include "program/copy/copy.h"

enum { SHARED = 1 << 18 };      /* bytes: less is done by one thread, before another one is awake */

struct blocks_run {
	const struct lt_blocks *b;
	const int64_t *param;
	lt_slot_find *find;
	const void *user;
	char *to;
	int32_t first;
};

static void copy_run(char *to, const char *from, const struct lt_blockdim *d, int64_t n, uint32_t unit)
{
	if (d->to == 1 && d->from == 1) {
		memcpy(to, from, (size_t)n * unit);
		return;
	}
	int64_t step = d->to * unit, from_step = d->from * unit;
	/* Each a loop of its own, so that an element is one load and one store. */
	switch (unit) {
	case 1: for (; n > 0; n--, to += step, from += from_step) memcpy(to, from, 1); return;
	case 2: for (; n > 0; n--, to += step, from += from_step) memcpy(to, from, 2); return;
	case 4: for (; n > 0; n--, to += step, from += from_step) memcpy(to, from, 4); return;
	default: for (; n > 0; n--, to += step, from += from_step) memcpy(to, from, 8); return;
	}
}

/* Iterations of a dim in this run: none where the block begins after the actual extent. */
static int64_t blocks_count(const struct lt_blockdim *d, const int64_t *param)
{
	if (!d->limit)
		return d->size;
	int64_t end = d->limit->constant - d->low;
	for (int32_t i = 0; i < d->limit->n; i++)
		end += d->limit->coef[i] * param[d->limit->param[i]];
	return end < 0 ? 0 : end < d->size ? end : d->size;
}

/* What lies side by side in the source, and one below the other in the copy, and the other way round: by squares of a
 * line or two each way, so that each line is read once and written once, however many lie between them. */
enum { SIDE = 16, ELEMENT_MAX = 8 };           /* elements, bytes */

static inline void copy_square(char *to, int64_t step, const char *from, int64_t from_step, int64_t n_down,
	int64_t n_along, size_t unit)
{
	char square[SIDE * SIDE * ELEMENT_MAX];
	for (int64_t k = 0; k < n_along; k++)
		for (int64_t i = 0; i < n_down; i++)
			memcpy(square + (size_t)(i * SIDE + k) * unit, from + k * from_step + i * (int64_t)unit, unit);
	for (int64_t i = 0; i < n_down; i++)
		memcpy(to + i * step, square + (size_t)(i * SIDE) * unit, (size_t)n_along * unit);
}

static inline void copy_squares(char *to, const struct lt_blockdim *down, int64_t n_down, const char *from,
	const struct lt_blockdim *along, int64_t n_along, size_t unit)
{
	const int64_t bytes = (int64_t)unit, step = down->to * bytes, from_step = along->from * bytes;
	for (int64_t i = 0; i < n_down; i += SIDE)
		for (int64_t k = 0; k < n_along; k += SIDE) {
			char *part = to + i * step + k * bytes;
			const char *of = from + k * from_step + i * bytes;
			if (n_down - i >= SIDE && n_along - k >= SIDE)  /* numbers that are known make it fast */
				copy_square(part, step, of, from_step, SIDE, SIDE, unit);
			else
				copy_square(part, step, of, from_step, n_down - i < SIDE ? n_down - i : SIDE,
					n_along - k < SIDE ? n_along - k : SIDE, unit);
		}
}

static void copy_plane(const struct blocks_run *r, char *to, const char *from, const struct lt_blockdim *d)
{
	int64_t n_down = blocks_count(&d[0], r->param), n_along = blocks_count(&d[1], r->param);
	switch (r->b->unit) {
	case 1: copy_squares(to, &d[0], n_down, from, &d[1], n_along, 1); return;
	case 2: copy_squares(to, &d[0], n_down, from, &d[1], n_along, 2); return;
	case 4: copy_squares(to, &d[0], n_down, from, &d[1], n_along, 4); return;
	default: copy_squares(to, &d[0], n_down, from, &d[1], n_along, 8); return;
	}
}

/* A value everywhere has no steps in `from`, which is the value. */
static void copy_dims(
	const struct blocks_run *r, char *to, const char *from, const struct lt_blockdim *d, int32_t n_dim)
{
	int64_t n = n_dim > 0 ? blocks_count(d, r->param) : 1;
	uint32_t unit = r->b->unit;
	if (n_dim == 0)
		memcpy(to, from, unit);
	else if (n_dim == 1)
		copy_run(to, from, d, n, unit);
	else if (n_dim == 2 && d[1].to == 1 && d[0].from == 1 && d[1].from != 1)
		copy_plane(r, to, from, d);
	else
		for (int64_t i = 0; i < n; i++)
			copy_dims(r, to + i * d->to * unit, from + i * d->from * unit, d + 1, n_dim - 1);
}

/* Some of the blocks. */
static void blocks_part(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	const struct blocks_run *r = arg;
	const struct lt_blocks *b = r->b;
	(void)thread;
	for (int64_t k = first; k < last; k++) {
		const struct lt_block *x = &b->at[r->first + k];
		struct lt_slot from = x->from < 0 ? (struct lt_slot){ .base = (void *)(uintptr_t)&x->bits }
						  : r->find(r->user, x->from);
		int64_t at = x->from_at;
		for (int32_t t = 0; t < x->n_term; t++)
			at += b->term[x->first_term + t].coef * r->param[b->term[x->first_term + t].param];
		copy_dims(r, r->to + x->to_at * b->unit, (const char *)from.base + from.offset + at * b->unit,
			x->n_dim ? &b->dim[x->first_dim] : NULL, x->n_dim);
	}
}

void lt__blocks_run(const struct lt_host *host, uint32_t n_thread, const struct lt_blocks *b, int32_t first, int32_t n,
	const int64_t *param, lt_slot_find *find, const void *user)
{
	const struct lt_slot to = find(user, b->to);
	struct blocks_run r = { .b = b, .param = param, .find = find, .user = user, .to = (char *)to.base + to.offset,
		.first = first };
	bool share = b->elems * (int64_t)b->unit >= SHARED;
	host->parallel_for(host, share ? lt__host_threads(n_thread) : 1, n, blocks_part, &r);
}
