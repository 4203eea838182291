/* gpu.c -- the suite gpu: cases of the other suites in sizes that fill a GPU, 2^26 elements where memory is
 * the limit. */
#include <stdlib.h>
#include "tools/bench/bench.h"

void bench_gpu_cases(struct bench_cases *l)
{
	static const char *const ops[] = { "softmax", "rmsnorm", "layernorm", "sum" };
	static const int squares[] = { 512, 1024, 2048, 4096, 8192 }, batches[] = { 1, 128, 8192 };

	for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
		bench_gemm_case(l, "gpu", "squares", squares[i], squares[i], squares[i]);
	bench_gemm_case(l, "gpu", "odd", 1021, 1023, 1025);
	bench_gemm_case(l, "gpu", "odd", 4093, 4091, 4099);
	bench_gemm_case(l, "gpu", "rows", 1, 4096, 4096);
	bench_gemm_case(l, "gpu", "rows", 1, 4096, 11008);
	bench_gemm_case(l, "gpu", "flat", 64, 4096, 4096);
	bench_gemm_case(l, "gpu", "flat", 512, 16384, 512);
	bench_pointwise_chain(l, "gpu", 1, 26);
	bench_pointwise_chain(l, "gpu", 8, 26);
	for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
		for (int64_t columns = 1024; columns <= 16384; columns *= 4)
			bench_rows_case(l, "gpu", ops[o], columns, 26);
	bench_layout_permute(l, "gpu", "transpose-8192", 2, (const int64_t[]){ 8192, 8192 }, (const int[]){ 1, 0 });
	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
		bench_mlp_case(l, "gpu", batches[i]);
	bench_mnist_case(l, "gpu", 1);
	bench_mnist_case(l, "gpu", 128);
}
