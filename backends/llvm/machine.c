/* machine.c -- the machine this runs on, and the processors that code can be made for. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include "machine.h"
#include "diagnostic.h"

/* LLVM's C interface does not tell what its processors have; the levels are those of the x86-64 psABI.  Of the last one
 * only what no processor without it has is asked for. */
static const struct lt_llvm_cpu cpus[] = {
	{ "native", 16, 16, { NULL } },
#if defined(__x86_64__)
	{ "x86-64", 16, 16, { "sse2", NULL } },
	{ "x86-64-v2", 16, 16, { "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf", NULL } },
	{ "x86-64-v3", 32, 16, { "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe", "xsave", NULL } },
	{ "x86-64-v4", 64, 32, { "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", NULL } },
	{ "sapphirerapids", 64, 32,
		{ "avx512bf16", "avx512fp16", "avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq", "avxvnni",
			"gfni", "vaes", "amx-tile", NULL } },
#elif defined(__aarch64__)
	{ "generic", 16, 32, { "neon", NULL } },
#endif
};
enum { N_CPU = sizeof cpus / sizeof *cpus };
/* Arrays of a function: threads of a pool have small stacks. */
enum { MAX_ARRAY = 16 << 10, MAX_STACK = 128 << 10 };

const struct lt_llvm_cpu *lt_llvm_cpu_at(uint32_t i) { return i < N_CPU ? &cpus[i] : NULL; }

/* Whether LLVM is a part of this plug-in's own file, as it is where it was linked from its archives, and not a library
 * that others of the process may use, too. */
static bool has_own_llvm(void)
{
	Dl_info ours, theirs;
	return dladdr((void *)(uintptr_t)has_own_llvm, &ours) && dladdr((void *)(uintptr_t)LLVMContextCreate, &theirs)
		&& ours.dli_fbase == theirs.dli_fbase;
}

/* Of a code generator's passes the C interface lets nobody choose; LLVM's own options do, which hold for all of a
 * copy of LLVM.  Addresses come as loops need them (address.c), so looking for better ones, a third of all time, finds
 * nothing: in a copy of our own it is left out.  In a library that the process shares nothing is set, and compiling
 * takes so much longer.  An option that this LLVM does not have changes nothing and says nothing. */
static void initialize(void)
{
	static const char *const options[] = { "looptree", "-disable-lsr" };
	(void)LLVMInitializeNativeTarget();
	(void)LLVMInitializeNativeAsmPrinter();
	if (has_own_llvm())
		LLVMParseCommandLineOptions(2, options, "");
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

static long fact(int level, const char *what, char *word, size_t cap)
{
	char path[128];
	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", level, what);
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(word, (int)cap, f);
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

const char *lt_llvm_lacks(const struct lt_llvm_host *h, const struct lt_llvm_cpu *cpu)
{
	for (const struct lt_llvm_cpu *c = cpus + 1; c <= cpu; c++)
		for (int i = 0; c->features[i]; i++)
			if (!has(h->has, c->features[i]))
				return c->features[i];
	return NULL;
}

/* The last one in the table that this machine has all of; native: none. */
static const struct lt_llvm_cpu *best(const struct lt_llvm_host *h)
{
	const struct lt_llvm_cpu *c = cpus + N_CPU - 1;
	while (lt_llvm_lacks(h, c))
		c--;
	return c;
}

/* Whether the processor of the table has the feature. */
static bool offers(const struct lt_llvm_cpu *cpu, const char *feature)
{
	for (const struct lt_llvm_cpu *c = cpus + 1; c <= cpu; c++)
		for (int i = 0; c->features[i]; i++)
			if (strcmp(c->features[i], feature) == 0)
				return true;
	return false;
}

/* What code may use beyond the table: all that this machine has, if it is made for it. */
static bool cpu_has(const struct lt_llvm_host *h, const struct lt_llvm_cpu *cpu, const char *feature)
{
	return h->features == h->has ? has(h->has, feature) : offers(cpu, feature);
}

/* What the printer and the lowering are told. */
static void describe_machine(struct lt_llvm_host *h, const struct lt_llvm_cpu *cpu)
{
	bool arm = offers(cpu, "neon");
	h->machine = (struct lt_llvm_machine){ .vector_bytes = h->target.vector_bytes,
		.vector_library = lt_kernel_vector_library(),
		.rounds = arm || offers(cpu, "sse4.1"), .halves = arm || offers(cpu, "f16c"),
		.scales = offers(cpu, "avx512dq"), .dots = offers(cpu, "sse2"),
		.vnni = cpu_has(h, cpu, "avx512vnni") && offers(cpu, "avx512vl") };
	h->lowering = (struct lt_machine){ .array_bytes = MAX_ARRAY, .stack_bytes = MAX_STACK, .teams = 1,
		.vector_bytes = h->target.vector_bytes, .masked = h->target.vector_bytes == 64,
		.gathered = h->target.vector_bytes >= 32, .dot_bytes = h->machine.dots ? 16 : 0, .unrolled = 1024, .copied = 64,
		.max_variables = 128,
		.tile_lanes = 16, .stream_bytes = 16 | 32 | 64, .cache_bytes = 1 << 20, .page_bytes = 4 << 10,
		.n_operator = lt_llvm_operators(&h->machine, h->operators), .operators = h->operators };
}

lt_status lt_llvm_host_open(struct lt_llvm_host *h, const struct lt_llvm_cpu *cpu, struct lt_diag *diag)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	(void)pthread_once(&once, initialize);          /* LLVM's own tables of targets */
	*h = (struct lt_llvm_host){
		.triple = LLVMGetDefaultTargetTriple(), .here = LLVMGetHostCPUName(), .has = LLVMGetHostCPUFeatures()
	};
	const char *lacks = lt_llvm_lacks(h, cpu);
	lt_status status = LT_OK;
	char remedy[64];
	(void)snprintf(remedy, sizeof remedy, "leave cpu= out, or give %s", best(h)->name);
	if (lacks)
		status = lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, remedy,
			"this machine does not run code for %s: it has no %s", cpu->name, lacks);
	h->cpu = cpu == cpus ? h->here : cpu->name;
	h->features = cpu == cpus ? h->has : "";
	(void)snprintf(h->name, sizeof h->name, "llvm:%s", h->cpu);
	cpu = cpu == cpus ? best(h) : cpu;
	h->target = (struct lt_target){ .size = sizeof h->target, .name = h->name, .vector_bytes = cpu->vector_bytes,
		.vector_registers = cpu->vector_registers, .cores = lt_kernel_cores() };
	caches(&h->target);
	describe_machine(h, cpu);
	LLVMTargetMachineRef m = status ? NULL : lt_llvm_target_machine(h, 2);
	if (m)
		LLVMDisposeTargetMachine(m);
	else if (!status)
		status = lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "LLVM has no code for this processor");
	if (status)
		lt_llvm_host_close(h);
	return status;
}

void lt_llvm_host_close(struct lt_llvm_host *h)
{
	LLVMDisposeMessage(h->triple);
	LLVMDisposeMessage(h->here);
	LLVMDisposeMessage(h->has);
	*h = (struct lt_llvm_host){ .triple = NULL };
}

LLVMTargetMachineRef lt_llvm_target_machine(const struct lt_llvm_host *h, int level)
{
	static const LLVMCodeGenOptLevel levels[] = { LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
		LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive };
	LLVMTargetRef target;
	char *why = NULL;
	if (LLVMGetTargetFromTriple(h->triple, &target, &why)) {
		LLVMDisposeMessage(why);
		return NULL;
	}
	return LLVMCreateTargetMachine(
		target, h->triple, h->cpu, h->features, levels[level], LLVMRelocPIC, LLVMCodeModelSmall);
}
