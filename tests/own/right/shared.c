#include "lt/own.h"
#include "shared.h"

static void part(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	const struct lt_own *own = arg;
	float *mine = (float *)((char *)own->workspace + 64 * thread);

	for (int64_t i = first; i < last; i++) {
		*mine = LT_OPERAND(0, float)[i];
		LT_RESULT(0, float)[i] = times(*mine);
	}
}

LT_KERNEL(shared, f32, 64 * threads)
{
	own->parallel_for(own->host, own->n_thread, own->operand[0].elems, part, (void *)(uintptr_t)own);
}
