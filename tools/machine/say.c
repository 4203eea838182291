/* say.c -- what every part of lt-bench needs: sentences, the clock, memory. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "tools/bench/bench.h"
#include "tools/common/common.h"

void bench_reason(struct lt_context *ctx, lt_status s, char out[BENCH_WHY])
{
	const char *text = lt_context_message(ctx);

	snprintf(out, BENCH_WHY, "%s", *text ? text : lt_status_text(s));
	lt_context_clear(ctx);
}

const char *bench_label(const char *label, int n, char out[BENCH_LABEL + 1])
{
	const char *blank = memchr(label, ' ', (size_t)n);
	int word = blank ? (int)(blank - label) + 1 : 0, end = BENCH_LABEL - word - 2;

	if (n <= BENCH_LABEL || word > BENCH_LABEL / 2)
		snprintf(out, BENCH_LABEL + 1, "%.*s", n < BENCH_LABEL ? n : BENCH_LABEL, label);
	else
		snprintf(out, BENCH_LABEL + 1, "%.*s..%.*s", word, label, end, label + n - end);
	return out;
}

bool bench_interrupted(void)
{
	return lt__interrupted(NULL);
}

double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

_Noreturn void bench_end(const char *text)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
	exit(LT_EXIT_FAILED);
}

void *bench_alloc(size_t bytes)
{
	void *at = calloc(1, bytes ? bytes : 1);

	if (!at)
		bench_end("out of memory");
	return at;
}

void *bench_grow(void *at, int n, int *cap, size_t bytes)
{
	if (n < *cap)
		return at;
	*cap = *cap ? 2 * *cap : 64;
	at = realloc(at, (size_t)*cap * bytes);
	if (!at)
		bench_end("out of memory");
	return at;
}

char *bench_format(const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		bench_end("out of memory");
	va_end(args);
	return text;
}

int64_t bench_repeat(double one, double seconds)
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

float *bench_buffer(int64_t n)
{
	size_t bytes = page_bytes(n);
	void *at = NULL;

	if (posix_memalign(&at, bytes >= (size_t)HUGE_PAGE ? (size_t)HUGE_PAGE : 4096, bytes))
		bench_end("out of memory");
#ifdef MADV_HUGEPAGE
	if (bytes >= (size_t)HUGE_PAGE)
		(void)madvise(at, bytes, MADV_HUGEPAGE);
#endif
	memset(at, 0, bytes);
	return at;
}

void bench_buffer_free(float *at, int64_t n)
{
	(void)n;
	free(at);
}
