/* script.c -- fuzz target: text of the frontend `script`. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_text("script", (const char *)data, bytes);
	return 0;
}
