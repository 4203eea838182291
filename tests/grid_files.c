/* grid_files.c -- see grid_files.h. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "kernel/form/form.h"
#include "tests/grid_files.h"
#include "tests/simulated.h"

char *grid_file_text(const char *name, const char *ending)
{
	char path[256];
	(void)snprintf(path, sizeof path, "tests/kernels/%s.%s", name, ending);
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	char *text = calloc(1, 1 << 18);
	must(text && fread(text, 1, (1 << 18) - 1, f) < (1 << 18) - 1, "%s is too long", path);
	(void)fclose(f);
	return text;
}

struct lt_kernel *grid_file_kernel(const char *name)
{
	char *text = grid_file_text(name, "kernel");
	must(text != NULL, "tests/kernels/%s.kernel is not there", name);
	struct lt_kernel *k = simulated_kernel("%s", text);
	free(text);
	return k;
}

void grid_fill(const struct lt_kernel *k, uint64_t seed, struct random_kernel_memory *m)
{
	random_kernel_fill(k, seed, m);
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		for (int64_t e = 0; x->space == LT_SPACE_SLOT && e < x->elems; e++) {
			union lt_number v;
			uint64_t bits = simulated_random(&seed);
			if (lt__number_is_float(x->dtype))
				v.f = (double)(int64_t)(bits >> 40) / (1 << 23) - 1;
			else
				v.i = x->dtype == LT_BOOL ? (int64_t)(bits >> 63) : (int64_t)(bits >> 33) % 10;
			lt__number_store(m->at[x->slot], e, x->dtype, lt__number_round(v, x->dtype));
		}
	}
	for (uint32_t p = 0; p < k->n_param; p++) {
		const struct lt_kernel_param *x = &k->params[p];
		((int64_t *)m->at[k->buffers[x->buffer].slot])[x->element] = x->low
			+ (int64_t)(simulated_random(&seed) % (uint64_t)(x->high - x->low + 1));
	}
}

/* Half of a last place of the type, and some more where sums and functions are rounded on the way. */
static double allowed(uint32_t dtype)
{
	return dtype == LT_F64 ? 1e-12 : dtype == LT_F32 ? 1e-5 : dtype == LT_F16 ? 2e-3 : 2e-2;
}

bool grid_near(const struct lt_kernel *k, const struct random_kernel_memory *want,
	const struct random_kernel_memory *got,
	char *said, size_t cap)
{
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		for (int64_t e = 0; x->space == LT_SPACE_SLOT && e < x->elems; e++) {
			union lt_number v = lt__number_load(want->at[x->slot], e, x->dtype);
			union lt_number w = lt__number_load(got->at[x->slot], e, x->dtype);
			bool same = lt__number_is_float(x->dtype)
				? v.f == w.f || (isnan(v.f) && isnan(w.f)) || fabs(v.f - w.f) <= allowed(x->dtype) * (1 + fabs(v.f)) : v.i == w.i;
			if (same)
				continue;
			(void)snprintf(said, cap, lt__number_is_float(x->dtype) ? "buffer %s, element %lld: %g, not %g"
				: "buffer %s, element %lld: %.0f, not %.0f", x->name, (long long)e, lt__number_is_float(x->dtype) ? w.f
				: (double)w.i, lt__number_is_float(x->dtype) ? v.f : (double)v.i);
			return false;
		}
	}
	return true;
}
