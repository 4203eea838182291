/* fuzz.h -- what the fuzz targets share: one function a target, called by libFuzzer or by replay.c.
 *
 * A target hands the bytes to one parser, uses what comes out, and frees it; that nothing leaks, overflows or crashes
 * is for the sanitizers to see.
 */
#ifndef LT_TESTS_FUZZ_H
#define LT_TESTS_FUZZ_H
#include <stdint.h>
#include <stdlib.h>
#include "lt/lt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static inline struct lt_context *fuzz_context(void)
{
	struct lt_context *ctx;

	if (lt_context_new(&ctx))
		abort();
	return ctx;
}

/* A failure without a sentence is a defect, too. */
static inline void fuzz_check_message(struct lt_context *ctx, lt_status status)
{
	if (status && !*lt_context_message(ctx))
		abort();
}

static inline void fuzz_count(void *user, const char *text, size_t bytes)
{
	(void)text;
	*(size_t *)user += bytes;
}

/* A text that a frontend takes is a graph that holds every rule and prints. */
static inline void fuzz_text(const char *frontend, const char *text, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	struct lt_graph *g = NULL;
	size_t printed = 0;
	lt_status status = lt_parse(ctx, text, bytes, "fuzz.lt", frontend, &g);

	fuzz_check_message(ctx, status);
	if (!status && (lt_graph_verify(g) || lt_graph_print(g, fuzz_count, &printed) || !printed))
		abort();
	lt_graph_free(g);
	lt_context_free(ctx);
}
#endif
