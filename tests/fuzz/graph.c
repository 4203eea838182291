/* tests/fuzz/graph.c -- fuzz target: text of the frontend `graph`. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_text("graph", (const char *)data, bytes);
	return 0;
}
