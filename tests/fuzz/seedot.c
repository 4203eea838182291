/* seedot.c -- fuzz target: programs of SeeDot, as floats and as SeeDot's own integers. */
#include <stdlib.h>
#include "frontends/seedot/seedot.h"
#include "tests/fuzz/fuzz.h"

/* A graph of integers, of which formats are asked for. */
static void integers(struct sd_model *m, bool derives)
{
	int32_t n;
	struct sd_variable *v = lt__sd_model_variables(m, &n);
	struct compat_value *format = calloc((size_t)n + 1, sizeof *format), result;
	struct sd_narrow *narrow = calloc((size_t)n + 1, sizeof *narrow);
	const struct sd_choice choice = { .derives = derives, .maxscale = -9, .input = -3, .variable = narrow };
	struct lt_graph *g = NULL;

	for (int32_t i = 1; i < n; i++) {
		v[i].most = 1.5 * i;
		narrow[i].narrow = !derives && !v[i].stage && i % 3 == 0;
	}
	if (format && narrow && !lt__sd_model_integers(m, &choice, format, &result, &g)) {
		if (lt_graph_verify(g))
			abort();
		lt_graph_free(g);
	}
	free(format);
	free(narrow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx;
	struct sd_model *m = NULL;
	struct lt_graph *g = NULL;

	fuzz_text("seedot", (const char *)data, bytes);
	if (lt_context_new(&ctx))
		return 0;
	if (!lt__sd_model_new(ctx, (const char *)data, bytes, "fuzz.sd", NULL, &m) && !lt__sd_model_ranges(m, &g)) {
		lt_graph_free(g);
		integers(m, true);
		integers(m, false);
	}
	lt__sd_model_free(m);
	lt_context_free(ctx);
	return 0;
}
