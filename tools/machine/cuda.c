/* cuda.c -- a device that CUDA's driver knows: a queue of its own, and what its multiply-adds do at best.
 *
 * Driver and NVRTC are opened at run time, as the backend does it; no header of CUDA is needed.  What memory a backend
 * has given tells the device.
 *
 * The peak: each thread has chains of multiply-adds in registers, enough of them, and of threads, that none waits for
 * another one's result.  Of a device that CUDA does not know it is a kernel of the backend's (device.c).
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "tools/common/common.h"
#include "tools/machine/machine.h"

enum { THREADS = 256, CHAINS = 16, UNROLLED = 8, BLOCKS = 8, ROUNDS = 512, QUICK_ROUNDS = 4 };
/* As cuda.h has them. */
enum { POINTER_CONTEXT = 1, MULTIPROCESSORS = 16, MAJOR = 75, MINOR = 76, NON_BLOCKING = 1 };

typedef int cuda_plain(void *);
#define CUDA_MAP(X) \
	X(context_of, int (*)(void *out, int what, uint64_t at), "cuPointerGetAttribute") \
	X(push, cuda_plain *, "cuCtxPushCurrent_v2") \
	X(pop, int (*)(void **), "cuCtxPopCurrent_v2") \
	X(device, int (*)(int *), "cuCtxGetDevice") \
	X(attribute, int (*)(int *, int what, int device), "cuDeviceGetAttribute") \
	X(stream_new, int (*)(void **, unsigned flags), "cuStreamCreate") \
	X(stream_wait, cuda_plain *, "cuStreamSynchronize") \
	X(stream_free, cuda_plain *, "cuStreamDestroy_v2") \
	X(event_new, int (*)(void **, unsigned flags), "cuEventCreate") \
	X(event_record, int (*)(void *, void *stream), "cuEventRecord") \
	X(event_ms, int (*)(float *, void *from, void *to), "cuEventElapsedTime") \
	X(event_free, cuda_plain *, "cuEventDestroy_v2") \
	X(module_new, int (*)(void **, const void *code), "cuModuleLoadData") \
	X(module_free, cuda_plain *, "cuModuleUnload") \
	X(function, int (*)(void **, void *module, const char *name), "cuModuleGetFunction") \
	X(launch, int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, \
		void **), "cuLaunchKernel")
#define NVRTC_MAP(X) \
	X(program_new, int (*)(void **, const char *, const char *, int, const char *const *, const char *const *), \
		"nvrtcCreateProgram") \
	X(compile, int (*)(void *, int, const char *const *), "nvrtcCompileProgram") \
	X(bytes, int (*)(void *, size_t *), "nvrtcGetCUBINSize") \
	X(code, int (*)(void *, char *), "nvrtcGetCUBIN") \
	X(program_free, int (*)(void **), "nvrtcDestroyProgram")
#define MEMBER(member, type, symbol) __typeof__(type) member;
struct cuda_nvrtc { NVRTC_MAP(MEMBER) };
struct machine_cuda {
	struct lt_context *ctx;
	CUDA_MAP(MEMBER)
	void *context, *stream;
	void *module, *kernel, *event[2];       /* of the peak */
	void *memory;
	unsigned blocks;
	int rounds;
};
#undef MEMBER
struct machine_symbol { const char *name; size_t at; };
static const struct machine_symbol driver_symbols[] = {
#define ROW(member, type, symbol) { symbol, offsetof(struct machine_cuda, member) },
	CUDA_MAP(ROW)
#undef ROW
}, nvrtc_symbols[] = {
#define ROW(member, type, symbol) { symbol, offsetof(struct cuda_nvrtc, member) },
	NVRTC_MAP(ROW)
#undef ROW
};

/* Where the loader looks, or where a toolkit that it does not know is mostly installed. */
void *machine_cuda_library(const char *const *names)
{
	void *library = NULL;

	for (int i = 0; names[i] && !library; i++) {
		char *path = lt__must_format("/usr/local/cuda/lib64/%s", names[i]);

		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		library = library ? library : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		free(path);
	}
	return library;
}

static lt_status symbols_find(
	struct lt_context *ctx, void *library, const struct machine_symbol *symbol, size_t n, void *to)
{
	for (size_t i = 0; i < n; i++) {
		void *at = dlsym(library, symbol[i].name);

		if (!at)
			return lt_fail(ctx, LT_ELOAD, "CUDA is too old, or none: it has no %s", symbol[i].name);
		memcpy((char *)to + symbol[i].at, &at, sizeof at);
	}
	return LT_OK;
}

static lt_status cuda_check(const struct machine_cuda *d, int result, const char *what)
{
	return result ? lt_fail(d->ctx, LT_EDEVICE, "%s: the driver's error %d", what, result) : LT_OK;
}

/* ---- the device ---- */

lt_status machine_cuda_open(struct lt_context *ctx, void *memory, struct machine_cuda **out)
{
	static const char *const names[] = { "libcuda.so.1", NULL };
	struct machine_cuda *d = *out = lt__must_alloc(sizeof *d);
	void *library = machine_cuda_library(names);

	d->ctx = ctx;
	d->memory = memory;
	if (!library)
		return lt_fail(ctx, LT_EUNSUPPORTED, "CUDA's driver is not there");
	LT_TRY(symbols_find(ctx, library, driver_symbols, sizeof driver_symbols / sizeof *driver_symbols, d));
	if (d->context_of(&d->context, POINTER_CONTEXT, (uint64_t)(uintptr_t)memory) || !d->context) {
		d->context = NULL;
		return lt_fail(ctx, LT_EUNSUPPORTED, "the device is none of CUDA's");
	}
	LT_TRY(machine_cuda_enter(d));
	return machine_cuda_leave(d, cuda_check(d, d->stream_new(&d->stream, NON_BLOCKING), "a queue"));
}

lt_status machine_cuda_enter(const struct machine_cuda *d)
{
	return cuda_check(d, d->push(d->context), "the device's context");
}

lt_status machine_cuda_leave(const struct machine_cuda *d, lt_status s)
{
	void *context;

	d->pop(&context);
	return s;
}

void *machine_cuda_queue(const struct machine_cuda *d) { return d->stream; }

lt_status machine_cuda_wait(const struct machine_cuda *d)
{
	return cuda_check(d, d->stream_wait(d->stream), "waiting for the device");
}

void machine_cuda_close(struct machine_cuda *d)
{
	if (!d)
		return;
	if (d->context && !machine_cuda_enter(d)) {
		for (int i = 0; i < 2; i++)
			if (d->event[i])
				d->event_free(d->event[i]);
		if (d->module)
			d->module_free(d->module);
		if (d->stream)
			d->stream_free(d->stream);
		machine_cuda_leave(d, LT_OK);
	}
	free(d);
}

/* ---- its peak ---- */

/* The factor is in the instruction, the addend in one register for all: nothing but the chains is read. */
static const char peak_text[] =
	"extern \"C\" __global__ void __launch_bounds__(THREADS) multiply_adds(float *out, float first, int rounds)\n"
	"{\n"
	"	float chain[CHAINS], sum = 0;\n"
	"	for (int i = 0; i < CHAINS; i++)\n"
	"		chain[i] = first * (float)(threadIdx.x + i);\n"
	"	#pragma unroll 1\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		#pragma unroll\n"
	"		for (int u = 0; u < UNROLLED; u++)\n"
	"			#pragma unroll\n"
	"			for (int i = 0; i < CHAINS; i++)\n"
	"				chain[i] = __fmaf_rn(chain[i], 0.999f, 0.001f);\n"
	"	for (int i = 0; i < CHAINS; i++)\n"
	"		sum += chain[i];\n"
	"	if (sum == -1)\n"
	"		*out = sum;\n"
	"}\n";

static lt_status nvrtc_compile(struct lt_context *ctx, const struct cuda_nvrtc *n, const char *arch, char **code,
	size_t *bytes)
{
	char *text = lt__must_format("enum { THREADS = %d, CHAINS = %d, UNROLLED = %d };\n%s", THREADS, CHAINS, UNROLLED,
		peak_text), *option = lt__must_format("--gpu-architecture=%s", arch);
	void *program = NULL;
	int r = n->program_new(&program, text, "multiply-adds.cu", 0, NULL, NULL);

	r = r ? r : n->compile(program, 1, (const char *const[]){ option });
	r = r ? r : n->bytes(program, bytes);
	*code = r ? NULL : lt__must_alloc(*bytes + 1);
	r = r ? r : n->code(program, *code);
	if (program)
		n->program_free(&program);
	free(text);
	free(option);
	return r ? lt_fail(ctx, LT_ECOMPILE, "NVRTC does not compile the multiply-adds for %s: error %d", arch, r) : LT_OK;
}

lt_status machine_cuda_peak_code(struct lt_context *ctx, const char *arch, char **code, size_t *bytes)
{
	static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL };
	struct cuda_nvrtc n;
	void *library = machine_cuda_library(names);

	*code = NULL;
	if (!library)
		return lt_fail(ctx, LT_EUNSUPPORTED, "NVRTC is not there");
	LT_TRY(symbols_find(ctx, library, nvrtc_symbols, sizeof nvrtc_symbols / sizeof *nvrtc_symbols, &n));
	return nvrtc_compile(ctx, &n, arch, code, bytes);
}

static lt_status peak_new(struct machine_cuda *d, bool quick)
{
	int device, major, minor, multiprocessors;
	char arch[16], *code;
	size_t bytes;
	int r = d->device(&device);

	r = r ? r : d->attribute(&major, MAJOR, device);
	r = r ? r : d->attribute(&minor, MINOR, device);
	r = r ? r : d->attribute(&multiprocessors, MULTIPROCESSORS, device);
	LT_TRY(cuda_check(d, r, "the device's numbers"));
	d->blocks = BLOCKS * (unsigned)multiprocessors;
	d->rounds = quick ? QUICK_ROUNDS : ROUNDS;
	snprintf(arch, sizeof arch, "sm_%d%d", major, minor);
	LT_TRY(machine_cuda_peak_code(d->ctx, arch, &code, &bytes));
	r = d->module_new(&d->module, code);
	r = r ? r : d->function(&d->kernel, d->module, "multiply_adds");
	free(code);
	for (int i = 0; i < 2; i++)
		r = r ? r : d->event_new(&d->event[i], 0);
	return cuda_check(d, r, "the kernel of multiply-adds");
}

lt_status machine_cuda_peak_new(struct machine_cuda *d, bool quick)
{
	LT_TRY(machine_cuda_enter(d));
	return machine_cuda_leave(d, peak_new(d, quick));
}

double machine_cuda_peak_unit(const struct machine_cuda *d)
{
	return 2.0 * CHAINS * UNROLLED * d->rounds * THREADS * d->blocks;
}

lt_status machine_cuda_peak_run(struct machine_cuda *d, int64_t n, double *seconds)
{
	float first = 0.01f, ms = 0;
	void *arguments[] = { &d->memory, &first, &d->rounds };

	LT_TRY(machine_cuda_enter(d));
	int r = d->event_record(d->event[0], d->stream);
	for (int64_t i = 0; i < n; i++)
		r = r ? r : d->launch(d->kernel, d->blocks, 1, 1, THREADS, 1, 1, 0, d->stream, arguments, NULL);
	r = r ? r : d->event_record(d->event[1], d->stream);
	r = r ? r : d->stream_wait(d->stream);
	r = r ? r : d->event_ms(&ms, d->event[0], d->event[1]);
	*seconds = (double)ms * 1e-3;
	return machine_cuda_leave(d, cuda_check(d, r, "multiply-adds"));
}
