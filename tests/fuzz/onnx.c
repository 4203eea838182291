/* onnx.c -- fuzz target: a model of ONNX.  Where the frontend is not built, nothing is done. */
#include "lt/frontend.h"
#include "tests/fuzz/fuzz.h"

static void count(void *user, const char *text, size_t bytes)
{
	(void)text;
	*(size_t *)user += bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	/* Symbolic dimensions of the corpus have extents. */
	static const char *const dims[] = { "batch=1..4", "length=3" };
	struct lt_parse_options options = { .size = sizeof options, .dim = dims, .n_dim = (uint32_t)(bytes % 3) };
	struct lt_context *ctx;
	struct lt_graph *g = NULL;
	size_t printed = 0;

	if (!lt_frontend_find("onnx"))
		return 0;
	ctx = fuzz_context();
	lt_status status = lt_parse_with(ctx, (const char *)data, bytes, "fuzz.onnx", "onnx", &options, &g);
	fuzz_check_message(ctx, status);
	if (!status && (lt_graph_verify(g) || lt_graph_print(g, count, &printed) || !printed))
		abort();
	lt_graph_free(g);
	lt_context_free(ctx);
	return 0;
}
