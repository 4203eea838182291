/* backends/cpu/runtime.c -- the run-time library of OpenMP, kept as long as its threads. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include "backends/cpu/cpu.h"

void lt__cpu_keep_runtime(struct lt_session *s, void *handle)
{
	static const char *const functions[] = { "GOMP_parallel", "__kmpc_fork_call" };         /* of gcc's, of clang's */
	Dl_info info;
	for (size_t i = 0; !s->runtime_kept && i < sizeof functions / sizeof *functions; i++) {
		void *f = dlsym(handle, functions[i]);
		if (f && dladdr(f, &info) && info.dli_fname)
			s->runtime_kept = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != NULL;
	}
}
