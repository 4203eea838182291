/* blas.c -- the library cublasLt: where it is, its functions, a handle; the routines that the target has
 * with it (blas.h).
 *
 * It has half a gigabyte and takes a fifth of a second to load: a session only looks whether there is a file, and the
 * first call that is compiled opens it.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cuda/session.h"
#include "backends/backends.h"

/* A product of fewer operations is done sooner by a generated kernel, or at least no later. */
enum { MIN_FLOPS = 100000000 };
/* A bias, a residual, then one activation.  The library has GELU by tanh, off by 5.5e-6, which is more than a graph's
 * operators may be (docs/accuracy.md): last in the table, for those who ask.  Where it is rounded to halves it is off
 * by half a unit in the last place and 4e-6, so that some are their neighbours.  That by erf it does not have. */
#define F32 (1u << LT_F32)
#define F64 (1u << LT_F64)
#define F16 (1u << LT_F16)
#define BF16 (1u << LT_BF16)
#define ROW(after, type, to, sum, leave) \
	{ .name = "cublas.gemm", LT_PATTERN_PRODUCT, after, type, type, to, 0, 0, sum, LT_LAYOUT_BATCH, MIN_FLOPS, \
		.wide = (leave) }
#define ROWS(activation, type, to, leave) \
	ROW(LT_EPILOGUE_BIAS | LT_EPILOGUE_RESIDUAL | (activation), type, to, LT_F32, leave)
#define TYPES(activation, leave) \
	ROWS(activation, F32, F32, leave), ROWS(activation, BF16, BF16, leave), ROWS(activation, BF16, F32, leave), \
	ROWS(activation, F16, F16, leave), ROWS(activation, F16, F32, leave)
#define ROUTINES(leave) \
	{ TYPES(LT_EPILOGUE_RELU, leave), ROW(0, F64, F64, LT_F64, 0), TYPES(LT_EPILOGUE_GELU_TANH, leave) }
enum { N_GELU = 5, N_ROUTINE = 2 * N_GELU + 1 };
/* What follows the product is computed in float32, and rounded once. */
static const struct lt_routine routines[N_ROUTINE] = ROUTINES(1), exact_routines[N_ROUTINE] = ROUTINES(0);

struct lt_array lt__cuda_routines(bool gelu, bool exact)
{
	return (struct lt_array){ exact ? exact_routines : routines, gelu ? N_ROUTINE : N_ROUTINE - N_GELU, sizeof *routines };
}

bool lt__cuda_blas_has(const struct lt_kernel *k, const struct lt_kernel_call *c)
{
	uint32_t dtype[LT_MAX_CALL_OPERANDS];
	for (int32_t o = 0; o < c->n_operand; o++)
		dtype[o] = k->buffers[c->operands[o].buffer].dtype;
	for (uint32_t i = 0; i < N_ROUTINE; i++) {
		const struct lt_routine *r = &routines[i];
		bool has = strcmp(r->name, c->routine) == 0 && !(c->epilogues & ~r->epilogues) && c->sum == r->sum
			&& r->result >> dtype[0] & 1 && r->left >> dtype[1] & 1 && r->right >> dtype[2] & 1;
		for (int32_t o = 3; o < c->n_operand; o++)
			has = has && dtype[o] == dtype[0];
		if (has)
			return true;
	}
	return false;
}

/* ---- the file ---- */

static const char *const names[] = { "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so" };
enum { N_NAME = sizeof names / sizeof *names };

static bool blas_in(struct lt_cuda_blas *b, const char *folder, size_t bytes, const char *name)
{
	int n = snprintf(b->path, sizeof b->path, "%.*s/%s", (int)bytes, folder, name);
	if (n > 0 && (size_t)n < sizeof b->path && access(b->path, R_OK) == 0)
		return true;
	b->path[0] = '\0';
	return false;
}

/* In the folders that the loader looks through. */
static bool blas_in_search(struct lt_cuda_blas *b, const char *name)
{
	Dl_serinfo size, *all;
	bool found = false;
	void *self = dlopen(NULL, RTLD_LAZY);
	if (!self || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) || !(all = calloc(1, size.dls_size)))
		return false;
	*all = size;
	if (dlinfo(self, RTLD_DI_SERINFOSIZE, all) == 0 && dlinfo(self, RTLD_DI_SERINFO, all) == 0)
		for (unsigned i = 0; i < all->dls_cnt && !found; i++)
			found = blas_in(b, all->dls_serpath[i].dls_name, strlen(all->dls_serpath[i].dls_name), name);
	free(all);
	return found;
}

void lt__cuda_blas_find(struct lt_cuda_blas *b, const char *nvrtc)
{
	static const char toolkit[] = "/usr/local/cuda/lib64";
	const char *slash = nvrtc ? strrchr(nvrtc, '/') : NULL;
	for (int i = 0; i < N_NAME && !b->path[0]; i++) {
		void *there = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
		if (there)
			(void)snprintf(b->path, sizeof b->path, "%s", names[i]);
		else if (!blas_in_search(b, names[i]) && (!slash || !blas_in(b, nvrtc, (size_t)(slash - nvrtc), names[i])))
			(void)blas_in(b, toolkit, strlen(toolkit), names[i]);
	}
}

/* ---- opened ---- */

static lt_status blas_load(struct lt_session *s, struct lt_diag *diag)
{
	static const struct { const char *name; size_t offset; } symbols[] = {
#define ROW_OF(member, function, symbol) { symbol, offsetof(struct lt_cuda_blas, member) },
		LT_CUDA_BLAS_MAP(ROW_OF)
#undef ROW_OF
	};
	struct lt_cuda_blas *b = &s->blas;
	void *library = dlopen(b->path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return lt__report(diag, LT_ELOAD, -1, -1, "install cuBLAS of the toolkit, or remove the calls of cublas.gemm",
			"%s cannot be loaded: %s", b->path, lt__load_error(b->path));
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (!(*(void **)(void *)((char *)b + symbols[i].offset) = dlsym(library, symbols[i].name)))
			return lt__report(diag, LT_ELOAD, -1, -1, "install cuBLAS of CUDA 12 or later", "%s is too old: it has no %s",
				b->path, symbols[i].name);
	return LT_OK;
}

lt_status lt__cuda_blas_check(struct lt_session *s, cublasStatus_t r, struct lt_diag *diag, const char *kernel,
	const char *what)
{
	if (r == CUBLAS_STATUS_SUCCESS)
		return LT_OK;
	return lt__report(diag, r == CUBLAS_STATUS_ALLOC_FAILED ? LT_ENOMEM : LT_EDEVICE, -1, -1, NULL,
		"kernel %s: %s: %s", kernel, what, s->blas.error_name(r));
}

lt_status lt__cuda_blas_open(struct lt_session *s, const char *kernel, struct lt_diag *diag)
{
	struct lt_cuda_blas *b = &s->blas;
	lt_status status = LT_OK;
	(void)pthread_mutex_lock(&b->lock);
	if (!b->handle) {
		status = blas_load(s, diag);
		if (!status)
			status = lt__cuda_blas_check(s, b->create(&b->handle), diag, kernel, "cuBLAS does not start");
		if (status)
			b->handle = NULL;
	}
	(void)pthread_mutex_unlock(&b->lock);
	return status;
}

void lt__cuda_blas_close(struct lt_session *s)
{
	if (s->blas.handle)
		(void)s->blas.destroy(s->blas.handle);
	s->blas.handle = NULL;
}
