/* pool.c -- a device's memory in chunks, cut into blocks, which are joined again when they are free.
 *
 * Small requests are cut from chunks of their own, so that one that stays does not keep a large chunk from being used
 * again or given back.  Blocks are in one list by address: a program has tens of them, not thousands.
 */
#include "backends/cuda/pool.h"
#include <stdlib.h>

enum { ALIGN = 256, CHUNK = 2 << 20, SMALL = CHUNK / 2 };
struct lt_cuda_block {
	struct lt_cuda_block *next;
	CUdeviceptr at;
	size_t bytes;
	bool begins, small, used;       /* begins: its chunk */
};

static struct lt_cuda_block *block_new(struct lt_cuda_block **where, CUdeviceptr at, size_t bytes)
{
	struct lt_cuda_block *b = calloc(1, sizeof *b);
	if (b) {
		*b = (struct lt_cuda_block){ .next = *where, .at = at, .bytes = bytes };
		*where = b;
	}
	return b;
}

static CUresult chunk_new(struct lt_cuda_pool *p, const struct lt_cuda_driver *cuda, size_t bytes, bool small)
{
	CUdeviceptr at;
	CUresult r = cuda->memory_new(&at, bytes);
	struct lt_cuda_block **where = &p->first;
	if (r)
		return r;
	while (*where && (*where)->at < at)
		where = &(*where)->next;
	struct lt_cuda_block *b = block_new(where, at, bytes);
	if (!b) {
		(void)cuda->memory_free(at);
		return LT_CUDA_NO_HOST_MEMORY;
	}
	b->begins = true;
	b->small = small;
	p->held += bytes;
	return CUDA_SUCCESS;
}

/* The smallest free block that is large enough. */
static struct lt_cuda_block *block_find(const struct lt_cuda_pool *p, size_t bytes, bool small)
{
	struct lt_cuda_block *best = NULL;
	for (struct lt_cuda_block *b = p->first; b; b = b->next)
		if (!b->used && b->small == small && b->bytes >= bytes && (!best || b->bytes < best->bytes))
			best = b;
	return best;
}

/* What is more than asked for becomes a block of its own, if it is of use. */
static void block_cut(struct lt_cuda_block *b, size_t bytes)
{
	size_t min_bytes = b->small ? ALIGN : CHUNK;
	if (b->bytes - bytes < min_bytes)
		return;
	struct lt_cuda_block *remainder = block_new(&b->next, b->at + bytes, b->bytes - bytes);
	if (!remainder)
		return;                         /* the whole block serves as well */
	remainder->small = b->small;
	b->bytes = bytes;
}

CUresult lt__cuda_pool_new(
	struct lt_cuda_pool *p, const struct lt_cuda_driver *cuda, size_t bytes, CUdeviceptr *out)
{
	*out = 0;
	if (bytes > SIZE_MAX / 2)
		return CUDA_ERROR_OUT_OF_MEMORY;
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	const bool small = bytes <= SMALL;
	struct lt_cuda_block *b = block_find(p, bytes, small);
	if (!b) {
		size_t chunk = (bytes + CHUNK - 1) / CHUNK * CHUNK;
		CUresult r = chunk_new(p, cuda, chunk, small);
		if (r == CUDA_ERROR_OUT_OF_MEMORY) {
			lt__cuda_pool_trim(p, cuda);
			r = chunk_new(p, cuda, chunk, small);
		}
		if (r)
			return r;
		b = block_find(p, bytes, small);
	}
	block_cut(b, bytes);
	b->used = true;
	p->bytes += b->bytes;
	*out = b->at;
	return CUDA_SUCCESS;
}

/* A free block takes in a free one of the same chunk that comes after it. */
static void block_join(struct lt_cuda_block *b)
{
	struct lt_cuda_block *next = b->next;
	if (b->used || !next || next->used || next->begins)
		return;
	b->bytes += next->bytes;
	b->next = next->next;
	free(next);
}

void lt__cuda_pool_free(struct lt_cuda_pool *p, CUdeviceptr at)
{
	struct lt_cuda_block *before = NULL, *b = p->first;
	for (; b && b->at != at; b = b->next)
		before = b;
	if (!b || !b->used)
		return;
	b->used = false;
	p->bytes -= b->bytes;
	block_join(b);
	if (before)
		block_join(before);
}

/* Whether a block is all of its chunk. */
static bool is_whole(const struct lt_cuda_block *b) { return b->begins && (!b->next || b->next->begins); }

void lt__cuda_pool_trim(struct lt_cuda_pool *p, const struct lt_cuda_driver *cuda)
{
	for (struct lt_cuda_block **where = &p->first, *b; (b = *where); ) {
		if (b->used || !is_whole(b)) {
			where = &b->next;
			continue;
		}
		(void)cuda->memory_free(b->at);
		p->held -= b->bytes;
		*where = b->next;
		free(b);
	}
}

void lt__cuda_pool_close(struct lt_cuda_pool *p, const struct lt_cuda_driver *cuda)
{
	while (p->first) {
		struct lt_cuda_block *b = p->first;
		p->first = b->next;
		if (b->begins)
			(void)cuda->memory_free(b->at);
		free(b);
	}
	*p = (struct lt_cuda_pool){ 0 };
}
