/* examples/plugin/llvm/machine.c -- the machine this runs on: vectors, registers, caches, cores. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <llvm-c/Target.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include "machine.h"

static void initialize(void)
{
	(void)LLVMInitializeNativeTarget();
	(void)LLVMInitializeNativeAsmPrinter();
}

uint32_t lt_llvm_cores(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (uint32_t)n : 1;
}

/* Whether LLVM's list "+a,-b,+c" has the feature on. */
static bool has(const char *features, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = features; (at = strstr(at, name)) != NULL; at += n)
		if (at > features && at[-1] == '+' && (at[n] == ',' || at[n] == '\0'))
			return true;
	return false;
}

static long fact(int level, const char *what, char *word, size_t room)
{
	char path[128];
	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", level, what);
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(word, (int)room, f);
	if (f)
		fclose(f);
	return ok ? strtol(word, NULL, 10) : -1;
}

/* Sizes in that folder are in KiB; instruction caches are left out. */
static void caches(struct lt_target *t)
{
	uint64_t *bytes[] = { &t->l1_bytes, &t->l2_bytes, &t->l3_bytes };
	uint32_t *ways[] = { &t->l1_ways, &t->l2_ways, &t->l3_ways };
	char word[64];
	for (int i = 0; i < 8; i++) {
		long level = fact(i, "level", word, sizeof word);
		if (level < 1 || level > 3 || fact(i, "type", word, sizeof word) < 0 || word[0] == 'I')
			continue;
		long size = fact(i, "size", word, sizeof word), way = fact(i, "ways_of_associativity", word, sizeof word),
			line = fact(i, "coherency_line_size", word, sizeof word);
		*bytes[level - 1] = size > 0 ? (uint64_t)size << 10 : 0;
		*ways[level - 1] = way > 0 ? (uint32_t)way : 0;
		t->cache_line = line > 0 ? (uint32_t)line : t->cache_line;
	}
#ifdef _SC_LEVEL1_DCACHE_SIZE
	static const int size[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };
	for (int i = 0; i < 3; i++)
		if (*bytes[i] == 0 && sysconf(size[i]) > 0)
			*bytes[i] = (uint64_t)sysconf(size[i]);
#endif
	t->l1_bytes = t->l1_bytes ? t->l1_bytes : 32 << 10;
	t->l2_bytes = t->l2_bytes ? t->l2_bytes : 256 << 10;
	t->cache_line = t->cache_line ? t->cache_line : 64;
}

/* The version of glibc, 235 for 2.35, if its vector functions can be had here. */
static int vector_library(void)
{
	int version = 0;
#if defined(__GLIBC__) && defined(__x86_64__)
	void *there = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
	char *rest = NULL;
	long major = there ? strtol(gnu_get_libc_version(), &rest, 10) : 0;
	if (there)
		(void)dlclose(there);
	if (major > 0 && *rest == '.')
		version = (int)(100 * major + strtol(rest + 1, NULL, 10));
#endif
	return version;
}

bool lt_llvm_host_open(struct lt_llvm_host *h)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	(void)pthread_once(&once, initialize);          /* LLVM's own tables of targets */
	*h = (struct lt_llvm_host){ .triple = LLVMGetDefaultTargetTriple(), .cpu = LLVMGetHostCPUName(), .features = LLVMGetHostCPUFeatures() };
	(void)snprintf(h->name, sizeof h->name, "llvm:%s", h->cpu);
	h->target = (struct lt_target){ .size = sizeof h->target, .name = h->name, .vector_bytes = 16, .vector_registers = 16,
		.cores = lt_llvm_cores() };
	if (has(h->features, "avx512f") && has(h->features, "avx512vl") && has(h->features, "avx512bw")) {
		h->target.vector_bytes = 64;
		h->target.vector_registers = 32;
	} else if (has(h->features, "avx2")) {
		h->target.vector_bytes = 32;
	} else if (has(h->features, "neon")) {
		h->target.vector_registers = 32;
	}
	caches(&h->target);
	h->machine = (struct lt_llvm_machine){ h->target.vector_bytes, vector_library() };
	LLVMTargetMachineRef m = lt_llvm_target_machine(h, 2);
	if (m)
		LLVMDisposeTargetMachine(m);
	else
		lt_llvm_host_close(h);
	return m != NULL;
}

void lt_llvm_host_close(struct lt_llvm_host *h)
{
	LLVMDisposeMessage(h->triple);
	LLVMDisposeMessage(h->cpu);
	LLVMDisposeMessage(h->features);
	h->triple = h->cpu = h->features = NULL;
}

LLVMTargetMachineRef lt_llvm_target_machine(const struct lt_llvm_host *h, int level)
{
	static const LLVMCodeGenOptLevel levels[] = { LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive };
	LLVMTargetRef target;
	char *why = NULL;
	if (LLVMGetTargetFromTriple(h->triple, &target, &why)) {
		LLVMDisposeMessage(why);
		return NULL;
	}
	return LLVMCreateTargetMachine(target, h->triple, h->cpu, h->features, levels[level], LLVMRelocPIC, LLVMCodeModelSmall);
}
