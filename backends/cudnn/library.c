/* library.c -- cuDNN: opened when a program asks for the backend, nothing is linked with it.
 *
 * The file is a small one that loads half a gigabyte of others when it is first used.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"

static const char remedy[] = "install cuDNN 9 for your CUDA (cudnn9-cuda-13 of NVIDIA's packages), and name its folder "
	"in LD_LIBRARY_PATH if the loader does not know it";

static lt_status library_find(void **library, struct lt_diag *diag)
{
	static const char name[] = "libcudnn.so.9";
	*library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	return *library ? LT_OK : lt__report(diag, LT_ELOAD, -1, -1, remedy, "%s cannot be loaded: %s", name,
		lt__load_error(name));
}

lt_status lt__cudnn_load(struct lt_cudnn_library *api, struct lt_diag *diag)
{
	static const struct { const char *name; size_t offset; } symbols[] = {
#define ROW_OF(member, function) { #function, offsetof(struct lt_cudnn_library, member) },
		LT_CUDNN_MAP(ROW_OF)
#undef ROW_OF
	};
	void *library;
	lt_status status = library_find(&library, diag);
	for (size_t i = 0; !status && i < sizeof symbols / sizeof *symbols; i++)
		if (!(*(void **)(void *)((char *)api + symbols[i].offset) = dlsym(library, symbols[i].name)))
			status = lt__report(diag, LT_ELOAD, -1, -1, remedy, "libcudnn.so.9 is too old: it has no %s", symbols[i].name);
	return status;
}

lt_status lt__cudnn_there(struct lt_diag *diag)
{
	struct lt_cudnn_library api;
	return lt__cudnn_load(&api, diag);
}

lt_status lt__cudnn_check(const struct lt_cudnn *d, cudnnStatus_t r, struct lt_diag *diag, const char *kernel,
	const char *what)
{
	char more[400] = "";
	if (r == CUDNN_STATUS_SUCCESS)
		return LT_OK;
	d->api.last_error(more, sizeof more);
	for (char *c = more; *c; c++)           /* a sentence is one line */
		*c = *c == '\n' ? ' ' : *c;
	return lt__report(diag, LT_EDEVICE, -1, -1, NULL, "kernel %s: %s: %s%s%.300s", kernel, what, d->api.error_text(r),
		more[0] ? ": " : "", more);
}

lt_status lt__cudnn_handle(struct lt_cudnn *d, cudnnHandle_t *handle, struct lt_diag *diag)
{
	if (*handle)
		return LT_OK;
	cudnnStatus_t r = d->api.create(handle);
	if (r == CUDNN_STATUS_SUCCESS)
		return LT_OK;
	*handle = NULL;
	return lt__report(diag, LT_EDEVICE, -1, -1, NULL, "cuDNN does not start: %s", d->api.error_text(r));
}

/* One for each queue: what a handle has beside its stream is used by one run at a time. */
lt_status lt__cudnn_ready(struct lt_session *s, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	cudnnHandle_t handle = q->handle;
	lt_status status = lt__cudnn_handle(cudnn_of(s), &handle, diag);
	q->handle = handle;
	return status;
}

void lt__cudnn_queue_free(struct lt_session *s, struct lt_cuda_queue *q)
{
	(void)cudnn_of(s)->api.destroy(q->handle);
	q->handle = NULL;
}
