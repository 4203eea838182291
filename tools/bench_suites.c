/* tools/bench_suites.c -- which suites there are. */
#include <string.h>
#include "tools/bench.h"

const struct bench_suite bench_suites[] = {
	{ "gemm", "matrix products: squares, odd sizes, few rows, tall, flat, tiny", bench_gemm_cases },
	{ "conv", "the distinct convolutions of ResNet-50 and MobileNetV2, batch 1", bench_conv_cases },
	{ "rows", "softmax, layer norm, RMS norm and sums of rows", bench_rows_cases },
	{ "mlp", "784-1000-10, batch 1 to 1024", bench_mlp_cases },
	{ "pointwise", "chains of 1 to 8 operations", bench_pointwise_cases },
	{ "layout", "transposes, concatenation, padding", bench_layout_cases },
	{ "compile", "time to compile, cold and from the cache", bench_compile_cases },
	{ NULL, NULL, NULL }
};

const struct bench_suite *bench_suite_find(const char *name)
{
	for (const struct bench_suite *s = bench_suites; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}
