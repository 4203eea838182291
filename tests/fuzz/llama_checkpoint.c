/* llama_checkpoint.c -- fuzz target: a checkpoint of llama2.c, and the graphs that are made of it. */
#include "frontends/llama2/llama2.h"
#include "tests/fuzz/fuzz.h"

/* A file of few bytes may ask for a context of any length. */
enum { MAX_CONTEXT = 4096, MAX_LAYERS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	uint8_t *copy = malloc(bytes + 1);
	struct lt_llama m;

	for (size_t i = 0; i < bytes; i++)
		copy[i] = data[i];
	lt_status status = lt__llama_read(ctx, copy, bytes, "fuzz.bin", &m);
	fuzz_check_message(ctx, status);
	for (int32_t tokens = 1; !status && tokens < 4 && m.context <= MAX_CONTEXT && m.layers <= MAX_LAYERS; tokens += 2) {
		struct lt_graph *g = NULL;
		size_t printed = 0;

		lt_status built = lt__llama_graph(ctx, &m, &(struct lt_llama_options){ .tokens = tokens }, &g);
		fuzz_check_message(ctx, built);
		if (!built && (lt_graph_verify(g) || lt_graph_print(g, fuzz_count, &printed) || !printed))
			abort();
		lt_graph_free(g);
	}
	free(copy);
	lt_context_free(ctx);
	return 0;
}
