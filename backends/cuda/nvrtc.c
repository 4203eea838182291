/* nvrtc.c -- one text to a cubin for a device's architecture; what NVRTC says becomes a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/code.h"
#include "backends/backends.h"

/* No --use_fast_math: NaN and infinity are data.  A product may be contracted into its sum (--fmad, the default).  No
 * --restrict: the text says which pointers are the only way to their memory.  Operators of third parties are C text
 * without __device__. */
const char *const lt__cuda_flags[] = { "--std=c++17", "--device-as-default-execution-space", NULL };

lt_status lt__cuda_arch(
	const struct lt_cuda_nvrtc *n, int major, int minor, char *arch, size_t bytes, struct lt_diag *diag)
{
	enum { MAX_ARCHS = 64, FIRST_SPECIFIC = 9, OLDEST = 8 };
	int archs[MAX_ARCHS], count = 0, newest = 0;
	if (major < OLDEST)             /* min.NaN, cp.async, mma and conversions of bf16 are there from 8.0 on */
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "use the backend opencl on it, or a newer device",
			"the device's compute capability is %d.%d; kernels are made for %d.0 and later", major, minor, OLDEST);
	if (n->arch_count(&count) || count > MAX_ARCHS || n->archs(archs))
		return lt__report(diag, LT_ELOAD, -1, -1, NULL, "NVRTC %d.%d does not tell the architectures that it knows",
			n->major, n->minor);
	for (int i = 0; i < count; i++) {
		newest = archs[i] > newest ? archs[i] : newest;
		if (archs[i] == major * 10 + minor) {
			/* from 9.0 on with what later devices need not have, such as wgmma */
			(void)snprintf(arch, bytes, "sm_%d%s", archs[i], major >= FIRST_SPECIFIC ? "a" : "");
			return LT_OK;
		}
	}
	return lt__report(diag, LT_EUNSUPPORTED, -1, -1,
		major * 10 + minor > newest ? "install a newer CUDA toolkit" : "use an older CUDA toolkit, or a newer device",
		"NVRTC %d.%d makes no code for the device's compute capability %d.%d", n->major, n->minor, major, minor);
}

struct nvrtc_asking { int (*cancelled)(void *); void *user; bool stopped; };

static int nvrtc_stop(void *payload, void *unused)
{
	struct nvrtc_asking *a = payload;
	(void)unused;
	a->stopped = a->stopped || a->cancelled(a->user);
	return a->stopped;
}

static char *log_of(const struct lt_cuda_nvrtc *n, nvrtcProgram program)
{
	size_t bytes = 0;
	char *log = n->log_bytes(program, &bytes) == NVRTC_SUCCESS && bytes ? malloc(bytes + 1) : NULL;
	if (!log)
		return NULL;
	if (n->log(program, log) != NVRTC_SUCCESS)
		bytes = 0;
	log[bytes] = '\0';
	return log;
}

static lt_status take_code(const struct lt_cuda_nvrtc *n, nvrtcProgram program, bool ptx, struct lt_cuda_cubin *out)
{
	nvrtcResult r = (ptx ? n->ptx_bytes : n->cubin_bytes)(program, &out->bytes);
	out->at = !r && out->bytes ? malloc(out->bytes) : NULL;
	if (!r && out->bytes && !out->at) {
		(void)snprintf(out->why, sizeof out->why, "no memory for %zu bytes of code", out->bytes);
		return LT_ENOMEM;
	}
	r = r ? r : out->at ? (ptx ? n->ptx : n->cubin)(program, out->at) : NVRTC_ERROR_INTERNAL_ERROR;
	if (!r)
		return LT_OK;
	(void)snprintf(out->why, sizeof out->why, "NVRTC gives no code: %s", n->error_text(r));
	return LT_ECOMPILE;
}

static lt_status compile_program(const struct lt_cuda_nvrtc *n, const struct lt_cuda_job *job, nvrtcProgram program,
	struct nvrtc_asking *asking, struct lt_cuda_cubin *out)
{
	enum { MAX_FLAGS = 16 };
	const char *flag[MAX_FLAGS];
	char architecture[64], line[620];
	int n_flag = 0;
	(void)snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", job->arch);
	flag[n_flag++] = architecture;
	for (int i = 0; lt__cuda_flags[i]; i++)
		flag[n_flag++] = lt__cuda_flags[i];
	if (asking->cancelled && n->flow_callback)
		(void)n->flow_callback(program, nvrtc_stop, asking);
	nvrtcResult r = n->compile(program, n_flag, flag);
	out->log = log_of(n, program);
	if (!r)
		return take_code(n, program, job->ptx, out);
	if (asking->stopped) {
		(void)snprintf(out->why, sizeof out->why, "compiling kernel %s was cancelled", job->name);
		return LT_ECANCELLED;
	}
	if (r == NVRTC_ERROR_OUT_OF_MEMORY) {
		(void)snprintf(out->why, sizeof out->why, "no memory to compile kernel %s", job->name);
		return LT_ENOMEM;
	}
	lt__first_error(out->log ? out->log : "", line, sizeof line);
	(void)snprintf(out->why, sizeof out->why, "kernel %s: NVRTC %d.%d for %s: %s: %s", job->name, n->major, n->minor,
		job->arch, n->error_text(r), line);
	return LT_ECOMPILE;
}

void lt__cuda_nvrtc_compile(
	const struct lt_cuda_nvrtc *n, const struct lt_cuda_job *job, struct lt_cuda_cubin *out)
{
	struct nvrtc_asking asking = { job->cancelled, job->user, false };
	nvrtcProgram program = NULL;
	char file[80];
	*out = (struct lt_cuda_cubin){ 0 };
	(void)snprintf(file, sizeof file, "%.60s.cu", job->name);
	nvrtcResult r = n->program_new(&program, job->text, file, 0, NULL, NULL);
	if (r) {
		(void)snprintf(out->why, sizeof out->why, "kernel %s: NVRTC does not begin: %s", job->name, n->error_text(r));
		out->status = r == NVRTC_ERROR_OUT_OF_MEMORY ? LT_ENOMEM : LT_ECOMPILE;
		return;
	}
	out->status = compile_program(n, job, program, &asking, out);
	(void)n->program_free(&program);
}
