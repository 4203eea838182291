/* device.c -- which device it is, and what default trees need to know about it. */
#include <stdio.h>
#include <string.h>
#include "backends/cuda/session.h"
#include "kernel/form/form.h"

/* What stands for a device where there is no driver, and texts are looked at alone: the one that the tables of routines
 * were measured on, as its driver says. */
static const struct { CUdevice_attribute which; int value; } h200[] = {
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9 },
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0 },
	{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132 },
	{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536 },
	{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560 },
	{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144 },
	{ CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000 },
};
static const size_t h200_bytes = 150754820096;

/* -1: the driver does not say */
static int attribute(const struct lt_session *s, CUdevice_attribute which)
{
	int value = 0;
	for (size_t i = 0; s->absent && i < sizeof h200 / sizeof *h200; i++)
		if (h200[i].which == which)
			return h200[i].value;
	return s->absent || s->cuda.device_attribute(&value, which, s->device) ? -1 : value;
}

static uint64_t number(const struct lt_session *s, CUdevice_attribute which)
{
	int value = attribute(s, which);
	return value > 0 ? (uint64_t)value : 0;
}

static void find_facts(struct lt_session *s)
{
	struct lt_cuda_facts *f = &s->facts;
	if (s->absent) {
		(void)snprintf(f->name, sizeof f->name, "none: as for an H200");
		f->memory_bytes = h200_bytes;
	} else if (s->cuda.device_name(f->name, (int)sizeof f->name, s->device))
		(void)snprintf(f->name, sizeof f->name, "unnamed");
	if (!s->absent && s->cuda.device_memory(&f->memory_bytes, s->device))
		f->memory_bytes = 0;
	f->major = attribute(s, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
	f->minor = attribute(s, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	f->max_threads = attribute(s, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	f->shared_bytes = attribute(s, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
	f->multiprocessor_shared_bytes = attribute(s, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	f->bus_bits = attribute(s, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
	f->memory_khz = attribute(s, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
}

/* Whether products are handed to cuBLAS, or would be on the device that stands for one. */
static bool has_blas(const struct lt_session *s) { return s->absent ? !s->config.generated : s->blas.path[0] != '\0'; }

/* No vectors: those of the target are for the loops of a processor. */
static void find_target(struct lt_session *s)
{
	(void)snprintf(s->target_name, sizeof s->target_name, "cuda:%s", s->facts.arch);
	s->target = (struct lt_target){ .size = sizeof s->target,
		.name = s->target_name,
		.cores = 1,
		.cache_line = 128,
		.l2_bytes = number(s, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
		.multiprocessors = (uint32_t)number(s, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
		.warp = (uint32_t)number(s, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
		.max_block = (uint32_t)number(s, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
		.shared_bytes = number(s, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
		.registers = number(s, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
		.tiles = { lt__tile_names, lt__n_tile_name, sizeof *lt__tile_names },
		.allows = s->config.tf32 ? LT_ALLOW_TF32 : 0 };
	s->caps = (struct lt_caps){ .size = sizeof s->caps,
		.device_memory = 1,
		.dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1),
		.loops = 1u << LT_SERIAL | 1u << LT_UNROLL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_GRID | 1u << LT_BLOCK
			| 1u << LT_GROUP | 1u << LT_TILE,
		.understands = LT_KERNEL_NEEDS | LT_KERNEL_GRID_NEEDS,
		.target = &s->target,
		.promises = LT_PROMISE_RUN_TOGETHER };
	if (has_blas(s)) {
		s->caps.loops |= 1u << LT_CALL;
		s->target.routines = lt__cuda_routines(s->config.gelu, s->config.exact);
	}
}

/* Arrays that are not in registers are a thread's local memory, which is off the chip: a block of 1024 threads with as
 * much as this has 4 MiB.  An access has at most 16 bytes. */
static void find_machine(struct lt_session *s)
{
	enum { ARRAY = 4096, STACK = 65536, WIDEST = 16, MAX_UNROLLED = 4096, MAX_VARIABLES = 256 };
	s->machine = (struct lt_machine){ .array_bytes = ARRAY,
		.stack_bytes = STACK,
		.calls = has_blas(s),
		.memory_bytes = WIDEST,
		.dot_bytes = 16,
		.unrolled = MAX_UNROLLED,
		.max_variables = MAX_VARIABLES,
		.n_tile = lt__n_tile_name,
		.tiles = lt__tile_names,
		.subgroup = s->target.warp ? s->target.warp : 32,
		.shared_bytes = (int64_t)s->target.shared_bytes,
		.registers = (int64_t)s->target.registers };
}

static lt_status find_device(struct lt_session *s, struct lt_diag *diag)
{
	int count = 0;
	lt_status status = lt__cuda_check(s, s->cuda.device_count(&count), diag, "counting devices");
	if (status)
		return status;
	if (s->config.device >= count)
		return lt__report(diag, LT_EINVAL, -1, -1, count ? "write device=0 or another number that there is" : NULL,
			count == 1 ? "there is no device %d: this machine has one, 0"
				: count ? "there is no device %d: this machine has 0 to %d"
				: "there is no device that runs CUDA", s->config.device, count - 1);
	return lt__cuda_check(s, s->cuda.device_get(&s->device, s->config.device), diag, "device %d", s->config.device);
}

lt_status lt__cuda_device(struct lt_session *s, struct lt_diag *diag)
{
	lt_status status = s->absent ? LT_OK : find_device(s, diag);
	if (status)
		return status;
	find_facts(s);
	if (s->absent)
		(void)snprintf(s->facts.arch, sizeof s->facts.arch, "sm_%d%da", s->facts.major, s->facts.minor);
	else
		status = lt__cuda_arch(&s->nvrtc, s->facts.major, s->facts.minor, s->facts.arch, sizeof s->facts.arch, diag);
	if (status)
		return status;
	find_target(s);
	find_machine(s);
	return LT_OK;
}

lt_status lt__cuda_list(uint32_t i, struct lt_device *out, struct lt_diag *diag)
{
	struct lt_cuda_driver d = { 0 };
	char text[200];
	int count = 0;
	CUdevice device;
	size_t bytes = 0;
	lt_status status = lt__cuda_driver_load(&d, diag);
	if (status)
		return status;
	CUresult r = d.device_count(&count);
	if (!r && (int64_t)i >= count)
		return LT_EMISSING;
	if (!r)
		r = d.device_get(&device, (int)i);
	if (!r)
		r = d.device_name(out->name, (int)sizeof out->name, device);
	if (!r)
		r = d.device_memory(&bytes, device);
	out->bytes = bytes;
	(void)snprintf(out->config, sizeof out->config, "device=%u", (unsigned)i);
	if (!r)
		return LT_OK;
	lt__cuda_error(&d, r, text, sizeof text);
	return lt__report(diag, LT_EDEVICE, -1, -1, NULL, "device %u: %s", (unsigned)i, text);
}

void lt__cuda_describe(struct lt_session *s, lt_write *write, void *user)
{
	const struct lt_cuda_facts *f = &s->facts;
	char text[1200];
	int n = snprintf(text, sizeof text,
		"device %d, %.100s\narchitecture %s\ndriver for CUDA %d.%d\nNVRTC %d.%d\nmemory %zu MiB\n"
		"multiprocessors %u\nthreads %u a block, %u a warp\nshared %llu KiB a block\nL2 %llu MiB\ncuBLAS %.512s\n",
		s->config.device, f->name, f->arch, s->cuda.version / 1000, s->cuda.version % 1000 / 10, s->nvrtc.major,
		s->nvrtc.minor, f->memory_bytes >> 20, (unsigned)s->target.multiprocessors, (unsigned)s->target.max_block,
		(unsigned)s->target.warp, (unsigned long long)(s->target.shared_bytes >> 10),
		(unsigned long long)(s->target.l2_bytes >> 20),
		s->blas.path[0] ? s->blas.path : s->config.generated ? "is not called: generated"
		: "is not found: no libcublasLt.so.13 or .12 is where the loader looks, or beside "
		"NVRTC; no routines are called");
	write(user, text, (size_t)n);
}
