/* nvrtc.c -- see nvrtc.h.  The library is opened, so that tests build without its headers. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/nvrtc.h"

typedef void *nvrtc_program;
static struct {
	void *handle;
	int (*create)(nvrtc_program *, const char *text, const char *name, int n, const char *const *, const char *const *);
	int (*compile)(nvrtc_program, int n, const char *const *options);
	int (*log_size)(nvrtc_program, size_t *);
	int (*log)(nvrtc_program, char *);
	int (*code_size)(nvrtc_program, size_t *);
	int (*code)(nvrtc_program, char *);
	int (*destroy)(nvrtc_program *);
} nvrtc;

static void *find(const char *name) { return dlsym(nvrtc.handle, name); }

bool nvrtc_is_there(void)
{
	static const char *const names[] = { "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
		"/usr/local/cuda/lib64/libnvrtc.so" };
	for (size_t i = 0; i < sizeof names / sizeof *names && !nvrtc.handle; i++)
		nvrtc.handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!nvrtc.handle)
		return false;
	*(void **)&nvrtc.create = find("nvrtcCreateProgram");
	*(void **)&nvrtc.compile = find("nvrtcCompileProgram");
	*(void **)&nvrtc.log_size = find("nvrtcGetProgramLogSize");
	*(void **)&nvrtc.log = find("nvrtcGetProgramLog");
	*(void **)&nvrtc.code_size = find("nvrtcGetCUBINSize");
	*(void **)&nvrtc.code = find("nvrtcGetCUBIN");
	*(void **)&nvrtc.destroy = find("nvrtcDestroyProgram");
	return nvrtc.create && nvrtc.compile && nvrtc.log_size && nvrtc.log && nvrtc.code_size && nvrtc.code && nvrtc.destroy;
}

bool nvrtc_compile(const char *text, const char *arch, char *message, size_t cap, char **code, size_t *bytes)
{
	nvrtc_program program = NULL;
	char option[64];
	const char *options[] = { option };
	size_t n = 0;
	(void)snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
	if (nvrtc.create(&program, text, "kernel.cu", 0, NULL, NULL))
		return false;
	bool good = nvrtc.compile(program, 1, options) == 0;
	char *log = !nvrtc.log_size(program, &n) ? calloc(n + 1, 1) : NULL;
	if (log && nvrtc.log(program, log) == 0)
		(void)snprintf(message, cap, "%s", log);
	free(log);
	good = good && nvrtc.code_size(program, &n) == 0 && n > 0;
	if (good && code) {
		*code = malloc(n);
		*bytes = n;
		good = *code && nvrtc.code(program, *code) == 0;
	}
	(void)nvrtc.destroy(&program);
	return good;
}
