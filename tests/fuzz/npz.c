/* npz.c -- fuzz target: a .npz file. */
#include "tests/fuzz/fuzz.h"
#include "tools/tensor/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lt_context *ctx = fuzz_context();
	struct lt_tensors t = { 0 };
	lt_status status = lt__tensors_parse(ctx, LT_FILE_NPZ, "fuzz.npz", data, bytes, &t);

	fuzz_check_message(ctx, status);
	if (!status)
		lt__tensors_free(&t);
	lt_context_free(ctx);
	return 0;
}
