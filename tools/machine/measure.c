/* measure.c -- the clock, how often something is repeated, memory that is measured. */
#define _GNU_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "tools/common/common.h"
#include "tools/machine/machine.h"

double machine_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int64_t machine_repeat(double one, double seconds)
{
	double n = one > 0 ? ceil(seconds / one) : 1e9;

	return n < 1 ? 1 : n > 1e9 ? INT64_C(1000000000) : (int64_t)n;
}

#define HUGE_PAGE (INT64_C(2) << 20)

/* Whole huge pages for what is large, since the system gives them only then. */
static size_t page_bytes(int64_t n)
{
	int64_t bytes = n * (int64_t)sizeof(float) + 64, unit = bytes >= HUGE_PAGE ? HUGE_PAGE : 4096;

	return (size_t)((bytes + unit - 1) / unit * unit);
}

float *machine_buffer(int64_t n)
{
	size_t bytes = page_bytes(n);
	void *at = NULL;

	if (posix_memalign(&at, bytes >= (size_t)HUGE_PAGE ? (size_t)HUGE_PAGE : 4096, bytes))
		lt__must_end("out of memory");
#ifdef MADV_HUGEPAGE
	if (bytes >= (size_t)HUGE_PAGE)
		(void)madvise(at, bytes, MADV_HUGEPAGE);
#endif
	memset(at, 0, bytes);
	return at;
}

void machine_buffer_free(float *at)
{
	free(at);
}
