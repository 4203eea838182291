/* test_cuda_bench.c -- what lt-bench measures a device of CUDA's with: cuBLAS as a contestant, and the
 * multiply-adds of the peak; on libraries that are not there and (gpu_bench) on a device.
 */
#include "tests/cuda/cuda_session.h"
#include "tests/cuda/mock_kernels.h"
#include "tools/bench/bench.h"

static struct lt_context *ctx;
static void bench_begin(void) { cr_assert_eq(lt_context_new(&ctx), LT_OK); }
static void bench_mock_begin(void)
{
	mock_begin();
	mock->memory[0] = (size_t)4 << 30;              /* copies are larger than its cache */
	(void)mock_library("libcublas.so.13");
	bench_begin();
}
TestSuite(cuda_bench, .init = bench_mock_begin, .timeout = 60);
TestSuite(gpu_bench, .init = bench_begin, .timeout = 60);

static struct machine_device *device_open(void)
{
	struct machine_device *d;
	cr_assert_eq(machine_device_open(ctx, "cuda", &d), LT_OK, "%s", lt_context_message(ctx));
	cr_assert(machine_device_is(d));
	cr_assert_eq(machine_device_measures(d, "cuda", true), LT_OK, "%s", lt_context_message(ctx));
	return d;
}

/* Products of few and of many rows by cuBLAS: checked as lt-bench checks others, with every set of tensors. */
static void run_cases(void)
{
	static const int sizes[][3] = { { 1, 64, 48 }, { 5, 7, 3 }, { 33, 65, 17 }, { 300, 700, 500 } };
	struct machine_device *d = device_open();
	struct bench_contestant k = { .role = BENCH_OTHER };
	cr_assert_eq(bench_cublas_open(ctx, &k, d), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_str_eq(k.label, "cublas");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct bench_cases l = { NULL, 0, 0 };
		struct bench_truth truth;
		double seconds, error;
		bench_gemm_case(&l, "gemm", "group", sizes[i][0], sizes[i][1], sizes[i][2]);
		bench_case_fill(l.at);
		bench_truth_make(ctx, l.at, &truth);
		float *out = machine_buffer(l.at->out.n);
		cr_assert_eq(k.ops->begin(&k, l.at, 1), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(k.ops->run(&k, 3, &seconds), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(k.ops->result(&k, l.at, out), LT_OK, "%s", lt_context_message(ctx));
		cr_expect_eq(bench_check(l.at, &truth, false, out, &error), LT_OK, "%s", lt_context_message(ctx));
		k.ops->end(&k);
		machine_buffer_free(out);
		bench_truth_free(&truth);
		bench_cases_free(&l);
	}
	k.ops->close(&k);
	machine_device_close(d);
}
Test(cuda_bench, cublas_multiplies)
{
	run_cases();
	cr_expect_gt(mock->calls, 4 * 4);
	cr_expect_str_empty(mock->wrong);
	cr_expect(mock->handles == 0 && mock->blocks == 0 && mock->streams == 0 && mock->modules == 0);
}
Test(gpu_bench, cublas_multiplies) { run_cases(); }

/* It has products only; one that fails says so, and the next one goes on. */
Test(cuda_bench, cublas_refuses_and_fails)
{
	struct machine_device *d = device_open();
	struct bench_contestant k = { .role = BENCH_OTHER };
	struct bench_cases l = { NULL, 0, 0 };
	double seconds;
	cr_assert_eq(bench_cublas_open(ctx, &k, d), LT_OK);
	bench_mlp_case(&l, "mlp", 1);
	cr_expect_eq(k.ops->begin(&k, l.at, 1), LT_EUNSUPPORTED);
	k.ops->end(&k);
	bench_gemm_case(&l, "gemm", "group", 8, 8, 8);
	bench_case_fill(&l.at[1]);
	cr_assert_eq(k.ops->begin(&k, &l.at[1], 1), LT_OK);
	(void)snprintf(mock->fail, sizeof mock->fail, "cublasSgemm_v2");
	mock->fail_at = 1;
	mock->fail_with = CUDA_ERROR_UNKNOWN;
	cr_expect_eq(k.ops->run(&k, 1, &seconds), LT_EDEVICE);
	cr_expect_not_null(strstr(lt_context_message(ctx), "cuBLAS: a product"), "%s", lt_context_message(ctx));
	cr_expect_eq(k.ops->run(&k, 1, &seconds), LT_OK);
	k.ops->end(&k);
	k.ops->close(&k);
	machine_device_close(d);
	bench_cases_free(&l);
}

/* Copies that say what memory does are larger than the device's cache, quick ones too. */
Test(cuda_bench, copies_are_larger_than_the_cache)
{
	struct machine_device *d = device_open();
	cr_expect_geq(machine_device_unit(d, MACHINE_COPY), 2.0 * 4 * (50 << 20));
	machine_device_close(d);
}

/* ---- the peak ---- */

static int n_launch;
static CUresult count_launch(const struct mock_launch *l)
{
	n_launch += !strcmp(l->function, "multiply_adds") && l->blocks[0] == 8 * 132 && l->threads[0] == 256;
	return CUDA_SUCCESS;
}
/* The memory; what follows has 4 bytes. */
static int one_parameter(const void *code, const char *function) { return (void)code, (void)function, 1; }

Test(cuda_bench, the_peak_is_launched_as_often_as_it_is_counted)
{
	double seconds;
	mock->run_code = count_launch;
	mock->parameters = one_parameter;
	struct machine_device *d = device_open();
	cr_assert_not_null(machine_device_cuda(d), "NVRTC compiles it");
	cr_assert_eq(machine_device_run(d, MACHINE_FLOPS, 3, &seconds), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_eq(n_launch, 3);
	/* 2 for each of 16 chains and 8 steps of 4 rounds, by each thread */
	cr_expect_eq(machine_device_unit(d, MACHINE_FLOPS), 2.0 * 16 * 8 * 4 * 256 * 8 * 132);
	machine_device_close(d);
}

/* The loop has each multiply-add as one instruction, and little else: what is counted is what the device does. */
Test(cuda_bench, the_peak_is_multiply_adds)
{
	enum { FFMA = 0x23, OPCODE = 0x1ff, INSTRUCTION = 16 };
	static const char *const archs[] = { "sm_80", "sm_90" };
	for (int i = 0; i < 2; i++) {
		char *code;
		size_t bytes;
		int n = 0;
		cr_assert_eq(machine_cuda_peak_code(ctx, archs[i], &code, &bytes), LT_OK, "%s", lt_context_message(ctx));
		for (size_t at = 0; at + INSTRUCTION <= bytes; at += INSTRUCTION) {
			uint64_t word;
			memcpy(&word, code + at, sizeof word);
			n += (word & OPCODE) == FFMA;
		}
		cr_expect_eq(n, 16 * 8, "%s: %d", archs[i], n);
		free(code);
	}
}

/* On a device the peak is above what a product of matrices reaches, by cuBLAS, too. */
Test(gpu_bench, products_are_below_the_peak)
{
	struct machine_device *d;
	struct bench_contestant k = { .role = BENCH_OTHER };
	struct bench_cases l = { NULL, 0, 0 };
	double peak, product;
	cr_assert_eq(machine_device_open(ctx, "cuda", &d), LT_OK);
	cr_assert_eq(machine_device_measures(d, "cuda", false), LT_OK);
	cr_assert_eq(bench_cublas_open(ctx, &k, d), LT_OK, "%s", lt_context_message(ctx));
	bench_gemm_case(&l, "gemm", "group", 4096, 4096, 4096);
	bench_case_fill(l.at);
	cr_assert_eq(k.ops->begin(&k, l.at, 1), LT_OK);
	for (int i = 0; i < 2; i++) {           /* the first to warm up */
		cr_assert_eq(machine_device_run(d, MACHINE_FLOPS, 100, &peak), LT_OK);
		cr_assert_eq(k.ops->run(&k, 10, &product), LT_OK);
	}
	peak = 100 * machine_device_unit(d, MACHINE_FLOPS) / peak;
	product = 10 * (double)l.at->flops / product;
	cr_expect_gt(peak, product, "%g %g", peak, product);
	k.ops->end(&k);
	k.ops->close(&k);
	machine_device_close(d);
	bench_cases_free(&l);
}
