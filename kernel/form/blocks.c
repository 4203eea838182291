/* blocks.c -- whether a device has what the blocks of a kernel program ask for. */
#include "kernel/form/form.h"

lt_status lt__blocks_fit(const struct lt_kernel *k, int64_t threads, int64_t shared_bytes, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < k->n_region; i++) {
		const struct lt_region *r = &k->regions[i];
		if (r->kind != LT_REGION_GRID)
			continue;
		const int64_t all = (int64_t)r->threads[0] * r->threads[1] * r->threads[2];
		if (all > threads)
			return lt__report(diag, LT_EUNSUPPORTED, r->origin, -1, "split the block loops, and bind the inner ones only",
				"kernel %s: its blocks have %lld threads, and %lld are the most here", k->name, (long long)all,
				(long long)threads);
		if (r->shared_bytes > shared_bytes)
			return lt__report(diag, LT_EUNSUPPORTED, r->origin, -1, "stage less, or in smaller tiles",
				"kernel %s: its blocks have %lld bytes of shared memory, and %lld are the most here", k->name,
				(long long)r->shared_bytes, (long long)shared_bytes);
	}
	return LT_OK;
}
