/* random_kernel_memory.c -- slots of a random kernel program: what they hold before a run, what is the same. */
#include <stdlib.h>
#include <string.h>
#include "tests/random_kernel_maker.h"

void random_kernel_fill(const struct lt_kernel *k, uint64_t seed, struct random_kernel_memory *m)
{
	struct kernel_maker *g = calloc(1, sizeof *g);
	memset(m, 0, sizeof *m);
	if (!g)
		abort();
	g->state = seed;
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		size_t bytes = lt__kernel_element_bytes(x->dtype);
		if (x->space != LT_SPACE_SLOT || x->slot >= RANDOM_KERNEL_SLOTS)
			continue;
		m->bytes[x->slot] = x->elems * (int64_t)bytes;
		char *at = m->at[x->slot] = aligned_alloc(64, ((size_t)m->bytes[x->slot] + 63) / 64 * 64);
		if (!at)
			abort();
		for (int64_t e = 0; e < x->elems; e++) {
			uint64_t bits = maker_bits(g, (struct lt_value_type){ x->dtype, 1 });
			memcpy(at + (size_t)e * bytes, &bits, bytes);
		}
	}
	for (uint32_t p = 0; p < k->n_param; p++) {
		const struct lt_kernel_param *x = &k->params[p];
		((int64_t *)m->at[k->buffers[x->buffer].slot])[x->element] = x->low + maker_below(g, (int)(x->high - x->low + 1));
	}
	free(g);
}

void random_kernel_drop(struct random_kernel_memory *m)
{
	for (int i = 0; i < RANDOM_KERNEL_SLOTS; i++)
		free(m->at[i]);
	memset(m, 0, sizeof *m);
}

static bool is_nan(uint32_t dtype, uint64_t bits)
{
	switch (dtype) {
	case LT_F32: return (bits & 0x7fffffff) > 0x7f800000;
	case LT_F64: return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
	case LT_F16: return (bits & 0x7fff) > 0x7c00;
	case LT_BF16: return (bits & 0x7fff) > 0x7f80;
	default: return false;
	}
}

int random_kernel_same(uint32_t dtype, const void *a, const void *b, int64_t elems)
{
	size_t bytes = lt__kernel_element_bytes(dtype);
	for (int64_t e = 0; e < elems; e++) {
		uint64_t x = 0, y = 0;
		memcpy(&x, (const char *)a + (size_t)e * bytes, bytes);
		memcpy(&y, (const char *)b + (size_t)e * bytes, bytes);
		if (x != y && !(is_nan(dtype, x) && is_nan(dtype, y)))
			return 0;
	}
	return 1;
}
