/* backends/cuda/code.c -- a kernel's launches, their arguments and its cubin in one piece of memory, as it is saved. */
#include "backends/cuda/code.h"
#include <stdlib.h>
#include <string.h>

/* Then arguments, launches, and at a multiple of ALIGN the cubin; sum: of everything after it. */
enum { ALIGN = 16 };
struct cuda_head {
	char magic[8];
	uint64_t sum, bytes, cubin_bytes, workspace_bytes;
	uint32_t n_launch, n_argument;
};
static const char magic[8] = "LTCUDA1";

/* FNV-1a: the driver is not to be handed a file that is not whole. */
static uint64_t sum_of(const char *data, size_t bytes)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t sum_after(const char *memory, size_t bytes)
{
	enum { FROM = offsetof(struct cuda_head, bytes) };
	return sum_of(memory + FROM, bytes - FROM);
}

/* Where launches and the cubin begin. */
static uint64_t launches_at(uint32_t n_argument)
{
	return sizeof(struct cuda_head) + n_argument * (uint64_t)sizeof(struct lt_cuda_argument);
}
static uint64_t cubin_at(uint32_t n_argument, uint32_t n_launch)
{
	const uint64_t end = launches_at(n_argument) + n_launch * (uint64_t)sizeof(struct lt_cuda_launch);
	return (end + ALIGN - 1) / ALIGN * ALIGN;
}

/* Where the parts are, of a piece of memory with a head. */
static void place_parts(struct lt_cuda_code *c)
{
	struct cuda_head h;
	memcpy(&h, c->memory, sizeof h);
	c->arguments = (const struct lt_cuda_argument *)(const void *)(c->memory + sizeof h);
	c->launches = (const struct lt_cuda_launch *)(const void *)(c->memory + launches_at(h.n_argument));
	c->cubin = c->memory + cubin_at(h.n_argument, h.n_launch);
	c->n_launch = h.n_launch;
	c->n_argument = h.n_argument;
	c->cubin_bytes = h.cubin_bytes;
	c->workspace_bytes = h.workspace_bytes;
}

lt_status lt__cuda_code_new(const struct lt_cuda_text *t, const char *cubin, size_t bytes, struct lt_cuda_code *out)
{
	const size_t from = cubin_at(t->n_argument, t->n_launch);
	struct cuda_head h = { .bytes = from + bytes, .cubin_bytes = bytes, .workspace_bytes = t->workspace_bytes,
		.n_launch = t->n_launch, .n_argument = t->n_argument };
	*out = (struct lt_cuda_code){ .memory = calloc(1, h.bytes), .bytes = h.bytes };
	if (!out->memory)
		return LT_ENOMEM;
	memcpy(h.magic, magic, sizeof h.magic);
	memcpy(out->memory, &h, sizeof h);
	if (t->n_argument)
		memcpy(out->memory + sizeof h, t->arguments, t->n_argument * sizeof *t->arguments);
	if (t->n_launch)
		memcpy(out->memory + launches_at(t->n_argument), t->launches, t->n_launch * sizeof *t->launches);
	memcpy(out->memory + from, cubin, bytes);
	h.sum = sum_after(out->memory, out->bytes);
	memcpy(out->memory, &h, sizeof h);
	place_parts(out);
	return LT_OK;
}

/* The sum is right, so it is what was saved; the rest is for a file that somebody has written. */
static bool is_sound(const struct lt_cuda_code *c)
{
	for (uint32_t i = 0; i < c->n_launch; i++) {
		const struct lt_cuda_launch *l = &c->launches[i];
		if (!memchr(l->function, 0, sizeof l->function) || l->n_argument > LT_CUDA_MAX_ARGUMENTS
			|| l->first_argument > c->n_argument || l->n_argument > c->n_argument - l->first_argument)
			return false;
	}
	return true;
}

lt_status lt__cuda_code_read(const void *data, size_t bytes, struct lt_cuda_code *out)
{
	struct cuda_head h;
	*out = (struct lt_cuda_code){ 0 };
	if (bytes < sizeof h)
		return LT_EINVAL;
	memcpy(&h, data, sizeof h);
	const uint64_t from = cubin_at(h.n_argument, h.n_launch);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.bytes != bytes || h.sum != sum_after(data, bytes)
		|| from > bytes || h.cubin_bytes != bytes - from)
		return LT_EINVAL;
	out->memory = malloc(bytes);
	if (!out->memory)
		return LT_ENOMEM;
	out->bytes = bytes;
	memcpy(out->memory, data, bytes);
	place_parts(out);
	if (is_sound(out))
		return LT_OK;
	lt__cuda_code_free(out);
	return LT_EINVAL;
}

void lt__cuda_code_free(struct lt_cuda_code *c)
{
	free(c->memory);
	*c = (struct lt_cuda_code){ 0 };
}

bool lt__cuda_code_faults(const struct lt_cuda_code *c)
{
	for (uint32_t i = 0; i < c->n_argument; i++)
		if (c->arguments[i].kind == LT_CUDA_FAULT)
			return true;
	return false;
}
