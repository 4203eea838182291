/* driver.c -- finds libOpenCL, and every function of it that is used. */
#define _GNU_SOURCE 1
#include "backends/opencl/driver.h"
#include <dlfcn.h>
#include "backends/backends.h"

static const struct opencl_symbol { const char *name; size_t offset; } symbols[] = {
#define ROW(member, function) { #function, offsetof(struct lt_opencl_driver, member) },
	LT_OPENCL_MAP(ROW)
#undef ROW
};

lt_status lt__opencl_driver_load(struct lt_opencl_driver *d, struct lt_diag *diag)
{
	static const char name[] = "libOpenCL.so.1";
	/* It stays loaded: drivers have threads, which do not survive being unloaded. */
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return lt__report(diag, LT_ELOAD, -1, -1, "install the loader (Debian: ocl-icd-libopencl1) and the device's driver",
			"%s cannot be loaded: %s", name, lt__load_error(name));
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (!(*(void **)(void *)((char *)d + symbols[i].offset) = dlsym(library, symbols[i].name)))
			return lt__report(diag, LT_ELOAD, -1, -1, "install a loader for OpenCL 1.2 or later",
				"%s is too old: it has no %s", name, symbols[i].name);
	return LT_OK;
}
