/* measure_blas.c -- `call cublas.gemm` next to cuBLAS called directly (cublasGemmEx), by turns: lines "NAME
 * RATIO ..." for tools/gpu-check.sh.  Times are medians, by the device's clock.
 */
#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"
#include "tests/cuda/cuda_program.h"
#include "tests/keeper.h"

enum { SAMPLES = 15, SAMPLE_US = 4000, MOST_RUNS = 200 };
static struct keeper keeper;
static struct lt_session *session;
static struct lt_type type = { .name = "float32", .ctype = "float", .dtype = LT_F32, .bytes = 2 };
static struct lt_buffer buffer[] = { { .name = "y", .elems = 1, .slot = 0, .alias_of = -1 },
	{ .name = "a", .elems = 1, .slot = 1, .alias_of = -1 }, { .name = "b", .elems = 1, .slot = 2, .alias_of = -1 } };
static struct lt_tree tree = { .size = sizeof tree, .name = "product", .n_slot = 3 };
static struct { __typeof__(cublasCreate_v2) *create; __typeof__(cublasSetStream_v2) *stream;
	__typeof__(cublasGemmEx) *multiply; cublasHandle_t handle; } direct;

static void must(lt_status status, const char *what)
{
	if (!status)
		return;
	(void)fprintf(stderr, "measure_blas: %s: %s\n", what, keeper.text);
	exit(1);
}
static void must_cuda(CUresult r, const char *what)
{
	must(lt__cuda_check(session, r, &keeper.diag, "%s", what), what);
}

/* y (m x n) = a (m x k) b (k x n), rows one after the other. */
struct product { const char *type; int m, n, k; };
struct measured {
	const struct product *p;
	struct lt_object *o;
	struct lt_args args;
	CUstream stream;
};

static struct lt_object *object(const struct product *p)
{
	static char text[1000];
	struct lt_cuda_code code;
	struct lt_object *o;
	const long long m = p->m, n = p->n, k = p->k;
	const char *t = p->type;
	(void)snprintf(text, sizeof text, "kernel 1\nname product\nworkspace 0 thread 0\n"
		"buffer y %s[%lld] slot 0 align 4 written\nbuffer a %s[%lld] slot 1 align 4\nbuffer b %s[%lld] slot 2 align 4\n"
		"call cublas.gemm f32 () (row m %lld, column n %lld, deep k %lld) y (%lld, 1, 0) a (%lld, 0, 1) b (0, 1, %lld)\n"
		"region host\n\tcall 0 (i64 0, i64 0, i64 0, i64 %lld, i64 %lld, i64 %lld)\n", t, m * n, t, m * k, t, k * n, m, n, k,
		n, k, n, m, n, k);
	must(lt__cuda_code_print(cuda_parse(text), &code, &keeper.diag), "program");
	must(lt__cuda_compile(session, (const struct lt_tree *[]){ &tree }, &code, 1, &o, &keeper.diag), "compiling");
	return o;
}

static void run_called(const struct measured *x) { must(lt__cuda_run(x->o, &x->args, &keeper.diag), "a run"); }

static void run_direct(const struct measured *x)
{
	static const float one = 1, zero = 0;
	const struct product *p = x->p;
	const cudaDataType_t t = strcmp(p->type, "f32") == 0 ? CUDA_R_32F : strcmp(p->type, "f16") == 0 ? CUDA_R_16F
		: CUDA_R_16BF;
	if (direct.multiply(direct.handle, CUBLAS_OP_N, CUBLAS_OP_N, p->n, p->m, p->k, &one, x->args.slot[2].base, t, p->n,
		x->args.slot[1].base, t, p->k, &zero, x->args.slot[0].base, t, p->n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT))
		must(LT_EDEVICE, "cublasGemmEx");
}

static double sample_us(const struct measured *x, void (*run)(const struct measured *), int n, CUevent *event)
{
	float ms;
	must_cuda(session->cuda.event_record(event[0], x->stream), "event");
	for (int i = 0; i < n; i++)
		run(x);
	must_cuda(session->cuda.event_record(event[1], x->stream), "event");
	must_cuda(session->cuda.stream_wait(x->stream), "waiting");
	must_cuda(session->cuda.event_elapsed(&ms, event[0], event[1]), "time");
	return (double)ms * 1e3 / n;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void measure(const struct product *p, const struct lt_slot *slot, CUstream stream, CUevent *event)
{
	static struct lt_fault fault;
	static void (*const run[2])(const struct measured *) = { run_direct, run_called };
	struct measured x = { p, object(p), { .size = sizeof x.args, .n_slot = 3, .slot = slot, .fault = &fault, .async = 1,
		.stream = stream }, stream };
	double us[2][SAMPLES];
	int n[2];
	for (int w = 0; w < 2; w++) {
		(void)sample_us(&x, run[w], 2, event);
		double one = sample_us(&x, run[w], 2, event);
		n[w] = one > SAMPLE_US ? 1 : SAMPLE_US / one > MOST_RUNS ? MOST_RUNS : (int)(SAMPLE_US / one);
	}
	for (int i = 0; i < SAMPLES; i++)
		for (int w = 0; w < 2; w++)
			us[w][i] = sample_us(&x, run[w], n[w], event);
	for (int w = 0; w < 2; w++)
		qsort(us[w], SAMPLES, sizeof *us[w], compare);
	char name[64];
	(void)snprintf(name, sizeof name, "%s %dx%dx%d, against cuBLAS", p->type, p->m, p->n, p->k);
	const double flops = 2.0 * p->m * p->n * p->k, called = us[1][SAMPLES / 2];
	(void)printf("%-36s %6.3f of its speed: %.2f us, %.1f TFLOP/s\n", name, us[0][SAMPLES / 2] / called, called,
		flops / called * 1e-6);
	(void)fflush(stdout);
	lt__cuda_destroy(x.o);
}

/* Numbers that are no zeros: those run faster. */
static void fill(const struct lt_slot *slot, bool half)
{
	enum { PART = 1 << 24 };
	char *part = malloc(PART);
	for (size_t i = 0; i < PART / 4; i++) {
		const float x = (float)rand() / (float)RAND_MAX - 0.5F;
		memcpy(part + 4 * i, &x, 4);
		if (half)
			memcpy(part + 4 * i, part + 4 * i + 2, 2);
	}
	for (int64_t at = 0; at < slot->bytes; at += PART)
		must(lt__cuda_mem_copy(session, &(struct lt_slot){ slot->base, at, PART }, &(struct lt_slot){ part, 0, PART }, PART,
			LT_COPY_TO_DEVICE, NULL, &keeper.diag), "numbers");
	free(part);
}

/* 0: it is not there. */
static int find_direct(CUstream stream)
{
	static const char *const names[] = { "libcublas.so.13", "libcublas.so.12" };
	char beside[600];
	void *library = NULL;
	for (int i = 0; i < 2 && !library; i++) {
		const char *slash = strrchr(session->blas.path, '/');
		(void)snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - session->blas.path) : 0, session->blas.path,
			names[i]);
		library = dlopen(beside, RTLD_NOW);
	}
	*(void **)&direct.create = library ? dlsym(library, "cublasCreate_v2") : NULL;
	*(void **)&direct.stream = library ? dlsym(library, "cublasSetStream_v2") : NULL;
	*(void **)&direct.multiply = library ? dlsym(library, "cublasGemmEx") : NULL;
	return direct.create && direct.stream && direct.multiply && !direct.create(&direct.handle)
		&& !direct.stream(direct.handle, stream);
}

int main(void)
{
	static const struct lt_host host = { .size = sizeof host };
	static const struct product products[] = { { "f32", 256, 256, 256 }, { "f32", 512, 512, 512 },
		{ "f32", 1024, 1024, 1024 }, { "f32", 2048, 2048, 2048 }, { "f32", 4096, 4096, 4096 },
		{ "f32", 8192, 8192, 8192 }, { "f32", 1023, 1025, 1027 },
		{ "f32", 8192, 1000, 784 }, { "f32", 64, 4096, 4096 }, { "bf16", 1024, 1024, 1024 }, { "bf16", 2048, 2048, 2048 },
		{ "bf16", 4096, 4096, 4096 }, { "bf16", 8192, 8192, 8192 }, { "f16", 4096, 4096, 4096 } };
	enum { BYTES = 1 << 28 };
	struct lt_slot slot[3];
	CUstream stream;
	CUevent event[2];
	tree.types = (struct lt_array){ &type, 1, sizeof type };
	tree.buffers = (struct lt_array){ buffer, 3, sizeof *buffer };
	keeper = keeper_new();
	must(lt_backend_find("cuda")->open(&host, "", &session, &keeper.diag), "open");
	for (int i = 0; i < 3; i++) {
		slot[i] = (struct lt_slot){ .bytes = BYTES };
		must(lt__cuda_mem_new(session, BYTES, &slot[i].base, &keeper.diag), "memory");
	}
	must(lt__cuda_enter(session, &keeper.diag), "context");
	must_cuda(session->cuda.stream_new(&stream, CU_STREAM_NON_BLOCKING), "a stream");
	for (int i = 0; i < 2; i++)
		must_cuda(session->cuda.event_new(&event[i], 0), "an event");
	if (!session->blas.path[0] || !find_direct(stream)) {
		(void)printf("%-36s %s\n", "cuBLAS", "is not found");
		return 0;
	}
	for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
		for (int o = 1; o < 3 && (i == 0 || strcmp(products[i].type, products[i - 1].type) != 0); o++)
			fill(&slot[o], strcmp(products[i].type, "f32") != 0);
		measure(&products[i], slot, stream, event);
	}
	lt__cuda_leave(session);
	lt_backend_find("cuda")->close(session);
	return 0;
}
