/* machine.c -- what a printer asks of the machine that it runs on: its cores, its vector functions. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include "lt/kernel.h"

uint32_t lt_kernel_cores(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (uint32_t)n : 1;
}

int lt_kernel_vector_library(void)
{
	int version = 0;
#if defined(__GLIBC__) && defined(__x86_64__)
	void *there = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
	char *remainder = NULL;
	long major = there ? strtol(gnu_get_libc_version(), &remainder, 10) : 0;
	if (there)
		(void)dlclose(there);
	if (major > 0 && *remainder == '.')
		version = (int)(100 * major + strtol(remainder + 1, NULL, 10));
#endif
	return version;
}
