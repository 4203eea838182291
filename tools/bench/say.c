/* say.c -- how a failure and a name stand in a row or a report. */
#include <string.h>
#include "tools/bench/bench.h"

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
