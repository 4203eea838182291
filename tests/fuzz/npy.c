/* npy.c -- fuzz target: a .npy file. */
#include "tests/fuzz/fuzz.h"
#include "tools/tensor/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	struct lt_tensor t;
	lt_status status = lt__npy_parse(ctx, "fuzz.npy", "", data, bytes, &t);

	fuzz_check_message(ctx, status);
	if (!status)
		lt__tensor_free(&t);
	lt_context_free(ctx);
	return 0;
}
