/* model.c -- targets by name: what each can do, how a compiler is made to generate code for it, whether
 * this machine runs it.
 *
 * native is this machine and has its numbers; the others have fixed ones, so that their trees and texts are the same
 * everywhere.
 */
#include <string.h>
#include "backends/cpu/cpu.h"

#if defined(__x86_64__)
#define MACHINE "x86_64"
static bool runs_v2(void) { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"); }
static bool runs_v3(void)
{
	return runs_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
static bool runs_v4(void)
{
	return runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
		&& __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
		&& __builtin_cpu_supports("avx512cd");
}
static bool runs_x86(void) { return true; }
static bool runs_arm(void) { return false; }
#else
#if defined(__aarch64__)
#define MACHINE "aarch64"
static bool runs_arm(void) { return true; }
#else
#define MACHINE "unknown"
static bool runs_arm(void) { return false; }
#endif
static bool runs_x86(void) { return false; }
#define runs_v2 runs_x86
#define runs_v3 runs_x86
#define runs_v4 runs_x86
#endif
static bool runs_here(void) { return true; }
static bool runs_nowhere(void) { return false; }

/* Caches that most processors of the kind have at least. */
#define FIXED(label, bytes, registers, l1, l2, l3, n_core) \
	.target = { .size = sizeof(struct lt_target), \
		.name = label, \
		.vector_bytes = bytes, \
		.vector_registers = registers, \
		.cores = n_core, \
		.cache_line = 64, \
		.l1_bytes = (l1) << 10, \
		.l1_ways = 8, \
		.l2_bytes = (l2) << 10, \
		.l2_ways = 8, \
		.l3_bytes = (l3) << 20, \
		.l3_ways = 16 }

/* A microcontroller: no vectors, no caches, one core. */
#define MICRO(label, registers, bits, dots) \
	.runs = runs_nowhere, \
	.int_bits = bits, \
	.target = { .size = sizeof(struct lt_target), .name = label, .vector_registers = registers, .cores = 1, \
		.dot_bytes = dots }

/* Compilers of clang's kind split vectors of 64 bytes where the processor prefers less. */
static const struct lt_cpu_model models[] = {
	{ .name = "native", .machine = MACHINE, .flags = { "-march=native" }, .runs = runs_here },
	{ .name = "avx512",
		.machine = "x86_64",
		.flags = { "-march=x86-64-v4", "-mprefer-vector-width=512" },
		.runs = runs_v4,
		FIXED("cpu:avx512", 64, 32, 32, 1024, 16, 4) },
	{ .name = "avx2",
		.machine = "x86_64",
		.flags = { "-march=x86-64-v3" },
		.runs = runs_v3,
		FIXED("cpu:avx2", 32, 16, 32, 512, 8, 4) },
	{ .name = "sse4",
		.machine = "x86_64",
		.flags = { "-march=x86-64-v2" },
		.runs = runs_v2,
		FIXED("cpu:sse4", 16, 16, 32, 256, 4, 4) },
	{ .name = "sse2",
		.machine = "x86_64",
		.flags = { "-march=x86-64" },
		.runs = runs_x86,
		FIXED("cpu:sse2", 16, 16, 32, 256, 4, 4) },
	{ .name = "neon",
		.machine = "aarch64",
		.flags = { "-march=armv8-a" },
		.runs = runs_arm,
		FIXED("cpu:neon", 16, 32, 32, 512, 4, 4) },
	/* Registers are the engine's, which has 16 on x86-64, keeps one to itself, and computes in the order of the code: a
	 * product's tile that would fill them is spilled, since the scalars of several rows are loaded
	 * together.  One thread. */
	{ .name = "wasm32",
		.machine = "wasm32",
		.flags = { "-msimd128" },
		.runs = runs_nowhere,
		FIXED("cpu:wasm32", 16, 12, 32, 256, 4, 1) },
	/* So few registers that gcc, which keeps colours for a loop at a time, keeps the wrong ones: what is used most comes
	 * first. */
	{ .name = "cortex-m0",
		.machine = "arm",
		.flags = { "-mcpu=cortex-m0", "-mthumb", "-fira-algorithm=priority", "-fira-region=one" },
		MICRO("cpu:cortex-m0", 8, 32, 0) },
	{ .name = "cortex-m3",
		.machine = "arm",
		.flags = { "-mcpu=cortex-m3", "-mthumb" },
		MICRO("cpu:cortex-m3", 13, 32, 0) },
	{ .name = "cortex-m4",
		.machine = "arm",
		.flags = { "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft" },
		MICRO("cpu:cortex-m4", 13, 32, 4) },
	{ .name = "avr5",
		.machine = "avr",
		.flags = { "-mmcu=atmega328p" },
		.flash = "__flash",
		.avr_libc = true,
		MICRO("cpu:avr5", 32, 16, 0) },
};

uint32_t lt__cpu_model_count(void) { return sizeof models / sizeof *models; }
const struct lt_cpu_model *lt__cpu_model_at(uint32_t i) { return &models[i]; }
const char *lt__cpu_machine(void) { return MACHINE; }

const struct lt_cpu_model *lt__cpu_model_find(const char *name, size_t bytes)
{
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++)
		if (strlen(models[i].name) == bytes && memcmp(models[i].name, name, bytes) == 0)
			return &models[i];
	return NULL;
}
