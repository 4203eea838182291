/* memory.c -- memory of the device that runs grids: it is the host's, aligned as a device's is. */
#include <stdlib.h>
#include <string.h>
#include "backends/sim/sim.h"
#include "kernel/form/form.h"

enum { SIM_MEMORY_ALIGN = 256 };

lt_status lt__sim_mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	(void)s;
	*out = NULL;
	if (bytes > SIZE_MAX - SIM_MEMORY_ALIGN || posix_memalign(out, SIM_MEMORY_ALIGN, bytes ? bytes : 1))
		return lt__report(diag, LT_ENOMEM, -1, -1, "use smaller extents", "no memory for %zu bytes", bytes);
	return LT_OK;
}

void lt__sim_mem_free(struct lt_session *s, void *at)
{
	(void)s;
	free(at);
}

lt_status lt__sim_mem_copy(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy direction, void *stream, struct lt_diag *diag)
{
	(void)s, (void)direction, (void)stream, (void)diag;
	if (bytes)
		memmove((char *)dst->base + dst->offset, (const char *)src->base + src->offset, bytes);
	return LT_OK;
}
