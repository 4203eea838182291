/* driver.c -- finds libcuda and libnvrtc, and every function of theirs that is used. */
#define _GNU_SOURCE 1
#include "backends/cuda/driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include "backends/backends.h"

struct cuda_symbol { const char *name; size_t offset; };
static const struct cuda_symbol driver_symbols[] = {
#define ROW(member, function, symbol) { symbol, offsetof(struct lt_cuda_driver, member) },
	LT_CUDA_DRIVER_MAP(ROW)
#undef ROW
};
static const struct cuda_symbol nvrtc_symbols[] = {
#define ROW(member, function, symbol) { symbol, offsetof(struct lt_cuda_nvrtc, member) },
	LT_CUDA_NVRTC_MAP(ROW)
#undef ROW
};

/* They stay loaded: neither survives being unloaded while the process runs. */
static void *cuda_library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

/* NULL, or the name of the first function that is missing. */
static const char *find_symbols(void *library, const struct cuda_symbol *symbol, size_t n, void *members)
{
	for (size_t i = 0; i < n; i++)
		if (!(*(void **)(void *)((char *)members + symbol[i].offset) = dlsym(library, symbol[i].name)))
			return symbol[i].name;
	return NULL;
}

static lt_status driver_start(struct lt_cuda_driver *d, struct lt_diag *diag)
{
	char text[200];
	CUresult r = d->init(0);
	if (!r)
		r = d->driver_version(&d->version);
	if (!r)
		return LT_OK;
	if (r == CUDA_ERROR_NO_DEVICE)
		return lt__report(diag, LT_EDEVICE, -1, -1, NULL, "NVIDIA's driver finds no device that runs CUDA");
	lt__cuda_error(d, r, text, sizeof text);
	return lt__report(diag, LT_EDEVICE, -1, -1,
		r == CUDA_ERROR_STUB_LIBRARY ? "take the toolkit's folder of stubs out of LD_LIBRARY_PATH"
			: "nvidia-smi may say more",
		"NVIDIA's driver does not start: %s", text);
}

static const char driver_name[] = "libcuda.so.1";

static lt_status driver_find(void **library, struct lt_diag *diag)
{
	*library = cuda_library(driver_name);
	return *library ? LT_OK
		: lt__report(diag, LT_ELOAD, -1, -1, "install NVIDIA's driver", "%s cannot be loaded: %s", driver_name,
			lt__load_error(driver_name));
}

lt_status lt__cuda_driver_there(struct lt_diag *diag)
{
	void *library;
	return driver_find(&library, diag);
}

lt_status lt__cuda_driver_load(struct lt_cuda_driver *d, struct lt_diag *diag)
{
	void *library;
	lt_status status = driver_find(&library, diag);
	if (status)
		return status;
	const char *missing = find_symbols(library, driver_symbols, sizeof driver_symbols / sizeof *driver_symbols, d);
	if (missing)
		return lt__report(diag, LT_ELOAD, -1, -1, "install NVIDIA's driver for CUDA 12 or later",
			"%s is too old: it has no %s", driver_name, missing);
	return driver_start(d, diag);
}

/* Where a toolkit that no loader knows is mostly installed. */
static const char toolkit_nvrtc[] = "/usr/local/cuda/lib64/libnvrtc.so";

static void *find_nvrtc(int driver_version)
{
	enum { OLDEST = 12 };           /* the first for sm_90a */
	void *library = NULL;
	char name[32];
	for (int major = driver_version / 1000; !library && major >= OLDEST; major--) {
		(void)snprintf(name, sizeof name, "libnvrtc.so.%d", major);
		library = cuda_library(name);
	}
	library = library ? library : cuda_library("libnvrtc.so");
	return library ? library : cuda_library(toolkit_nvrtc);
}

lt_status lt__cuda_nvrtc_load(struct lt_cuda_nvrtc *n, int driver_version, struct lt_diag *diag)
{
	static const char remedy[] = "install the CUDA toolkit's NVRTC, and name its folder in LD_LIBRARY_PATH";
	void *library = find_nvrtc(driver_version);
	if (!library)
		return lt__report(diag, LT_ELOAD, -1, -1, remedy, "libnvrtc.so.%d, which compiles kernels, is not found",
			driver_version / 1000);
	const char *missing = find_symbols(library, nvrtc_symbols, sizeof nvrtc_symbols / sizeof *nvrtc_symbols, n);
	if (missing || n->version(&n->major, &n->minor))
		return lt__report(diag, LT_ELOAD, -1, -1, remedy, "libnvrtc.so is too old: it has no %s",
			missing ? missing : "version");
	*(void **)&n->flow_callback = dlsym(library, "nvrtcSetFlowCallback");
	Dl_info at;
	if (dladdr(*(void **)&n->version, &at) && at.dli_fname)
		(void)snprintf(n->path, sizeof n->path, "%s", at.dli_fname);
	return LT_OK;
}

void lt__cuda_error(const struct lt_cuda_driver *d, CUresult r, char *text, size_t bytes)
{
	const char *name = NULL, *sentence = NULL;
	if (d->error_name(r, &name) || !name || d->error_text(r, &sentence) || !sentence)
		(void)snprintf(text, bytes, "error %d", (int)r);
	else
		(void)snprintf(text, bytes, "%s, %s", name, sentence);
}
