/* device.c -- which device it is, and what lowering and default trees need to know about it. */
#include <stdio.h>
#include <string.h>
#include "backends/opencl/session.h"

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };
/* Threads of a warp: what vendors' own extensions say. */
enum { WARP_SIZE_NV = 0x4003, WAVEFRONT_WIDTH_AMD = 0x4043 };

static void opencl_text(const struct lt_session *s, cl_device_info which, char *out, size_t bytes)
{
	char text[1024] = "";
	if (s->cl.device_fact(s->device, which, sizeof text, text, NULL))
		text[0] = '\0';
	(void)snprintf(out, bytes, "%.*s", (int)bytes - 1, text + strspn(text, " "));
}

/* 0: the driver does not say. */
static uint64_t opencl_number(const struct lt_session *s, cl_device_info which)
{
	unsigned char at[8] = { 0 };
	size_t bytes = 0;
	uint32_t small;
	uint64_t large;
	if (s->cl.device_fact(s->device, which, sizeof at, at, &bytes))
		return 0;
	memcpy(&small, at, sizeof small);
	memcpy(&large, at, sizeof large);
	return bytes == sizeof small ? small : bytes == sizeof large ? large : 0;
}

static void find_facts(struct lt_session *s)
{
	struct lt_opencl_facts *f = &s->facts;
	size_t along[16] = { 0 };
	if (s->cl.platform_fact(s->platform, CL_PLATFORM_NAME, sizeof f->platform, f->platform, NULL))
		(void)snprintf(f->platform, sizeof f->platform, "unnamed");
	opencl_text(s, CL_DEVICE_NAME, f->name, sizeof f->name);
	opencl_text(s, CL_DEVICE_VERSION, f->version, sizeof f->version);
	opencl_text(s, CL_DRIVER_VERSION, f->driver, sizeof f->driver);
	(void)snprintf(f->target_name, sizeof f->target_name, "opencl:%.50s", f->name);
	for (char *c = f->target_name + strlen("opencl:"); *c; c++)
		*c = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("._-", *c) ? *c
			: '_';
	f->max_threads = (size_t)opencl_number(s, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	if (!s->cl.device_fact(s->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof along, along, NULL))
		memcpy(f->max_along, along, sizeof f->max_along);
	f->parameter_bytes = (size_t)opencl_number(s, CL_DEVICE_MAX_PARAMETER_SIZE);
	f->memory_bytes = opencl_number(s, CL_DEVICE_GLOBAL_MEM_SIZE);
	f->largest_bytes = opencl_number(s, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	f->doubles = opencl_number(s, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
	f->divides = opencl_number(s, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

/* What every kernel needs. */
static lt_status check_device(const struct lt_session *s, struct lt_diag *diag)
{
	const struct lt_opencl_facts *f = &s->facts;
	int major = 0, minor = 0;
	char profile[64];
	opencl_text(s, CL_DEVICE_PROFILE, profile, sizeof profile);
	const char *why = !opencl_number(s, CL_DEVICE_AVAILABLE) ? "is not available"
		: !opencl_number(s, CL_DEVICE_COMPILER_AVAILABLE) ? "has no compiler"
		: !opencl_number(s, CL_DEVICE_ENDIAN_LITTLE) ? "has the highest byte of a number first"
		: strcmp(profile, "FULL_PROFILE") != 0 ? "has only the embedded profile"
		: sscanf(f->version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12 ? "has no OpenCL 1.2"
		: f->max_threads == 0 ? "runs no kernels" : NULL;
	return why ? lt__report(diag, LT_EUNSUPPORTED, -1, -1, "give another one, with platform=N/device=N",
		"device %d, %s, %s", s->config.device, f->name, why) : LT_OK;
}

/* No subgroups: threads of a block are combined through shared memory. */
static void find_machine(struct lt_session *s)
{
	enum { MAX_ARRAY = 4 << 10, MAX_STACK = 64 << 10 };     /* bytes of a thread's local array; of all together */
	s->machine = (struct lt_machine){ .array_bytes = MAX_ARRAY, .stack_bytes = MAX_STACK, .subgroup = 1,
		.shared_bytes = (int64_t)opencl_number(s, CL_DEVICE_LOCAL_MEM_SIZE) };
}

static void find_target(struct lt_session *s)
{
	const uint64_t warp = opencl_number(s, WARP_SIZE_NV), wave = opencl_number(s, WAVEFRONT_WIDTH_AMD);
	const uint64_t line = opencl_number(s, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
	const size_t most = s->facts.max_threads < LT_MAX_THREADS ? s->facts.max_threads : LT_MAX_THREADS;
	uint64_t dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1);
	s->target = (struct lt_target){ .size = sizeof s->target,
		.name = s->facts.target_name,
		.cores = 1,
		.cache_line = line ? (uint32_t)line : 64,
		.l2_bytes = opencl_number(s, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
		.multiprocessors = (uint32_t)opencl_number(s, CL_DEVICE_MAX_COMPUTE_UNITS),
		.warp = (uint32_t)(warp ? warp : wave ? wave : 1),
		.max_block = (uint32_t)most,
		.shared_bytes = (uint64_t)s->machine.shared_bytes };
	if (!s->facts.doubles)
		dtypes &= ~(UINT64_C(1) << LT_F64);
	s->caps = (struct lt_caps){ .size = sizeof s->caps,
		.device_memory = 1,
		.dtypes = dtypes,
		.loops = 1u << LT_SERIAL | 1u << LT_UNROLL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_GRID | 1u << LT_BLOCK
			| 1u << LT_GROUP,
		.understands = LT_KERNEL_NEEDS | LT_KERNEL_GRID_NEEDS,
		.target = &s->target,
		.promises = LT_PROMISE_RUN_TOGETHER };
}

/* Whether a platform has the device; n: how many it has. */
static bool find_device(struct lt_session *s, cl_platform_id platform, cl_uint *n)
{
	cl_device_id device[MAX_DEVICES];
	*n = 0;
	if (s->cl.devices(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, device, n))
		*n = 0;
	*n = *n < MAX_DEVICES ? *n : MAX_DEVICES;
	if (s->config.device >= (int)*n)
		return false;
	s->platform = platform;
	s->device = device[s->config.device];
	return true;
}

static lt_status choose_device(struct lt_session *s, struct lt_diag *diag)
{
	static const char driver[] = "install the device's driver, or PoCL, which runs on any processor (Debian: "
		"pocl-opencl-icd)";
	cl_platform_id platform[MAX_PLATFORMS];
	cl_uint n = 0, n_device = 0;
	cl_int r = s->cl.platforms(MAX_PLATFORMS, platform, &n);
	n = r ? 0 : n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
	if (n == 0)
		return lt__report(diag, LT_EDEVICE, -1, -1, driver, "OpenCL's loader finds no driver");
	if (s->config.platform >= (int)n)
		return lt__report(diag, LT_EINVAL, -1, -1, "write platform=0 or another number that there is",
			n == 1 ? "there is no platform %d: this machine has one, 0" : "there is no platform %d: this machine has 0 to %d",
			s->config.platform, (int)n - 1);
	for (cl_uint i = 0; i < n; i++) {
		const bool named = s->config.platform == (int)i;
		if (!named && s->config.platform >= 0)
			continue;
		if (find_device(s, platform[i], &n_device)) {
			s->config.platform = (int)i;
			return LT_OK;
		}
		if (named || n_device)
			return lt__report(diag, n_device ? LT_EINVAL : LT_EDEVICE, -1, -1,
				n_device ? "write device=0 or another number that there is" : driver,
				n_device == 0 ? "platform %d has no device" : n_device == 1
					? "platform %d has no device %d: it has one, 0" : "platform %d has no device %d: it has 0 to %d", (int)i,
				s->config.device, (int)n_device - 1);
	}
	return lt__report(diag, LT_EDEVICE, -1, -1, driver, "no driver of OpenCL has a device");
}

lt_status lt__opencl_device(struct lt_session *s, struct lt_diag *diag)
{
	lt_status status = choose_device(s, diag);
	if (status)
		return status;
	find_facts(s);
	status = check_device(s, diag);
	if (status)
		return status;
	find_machine(s);
	find_target(s);
	return LT_OK;
}

void lt__opencl_describe(struct lt_session *s, lt_write *write, void *user)
{
	const struct lt_opencl_facts *f = &s->facts;
	char text[800];
	int n = snprintf(text, sizeof text,
		"platform %d, %s\ndevice %d, %s\nversion %s\ndriver %s\nmemory %llu MiB, %llu MiB at most in one piece\n"
		"multiprocessors %u\nthreads %u a block\nshared %llu KiB a block\n%s", s->config.platform, f->platform,
		s->config.device, f->name, f->version, f->driver, (unsigned long long)f->memory_bytes >> 20,
		(unsigned long long)f->largest_bytes >> 20, (unsigned)s->target.multiprocessors, (unsigned)s->target.max_block,
		(unsigned long long)(s->target.shared_bytes >> 10), f->doubles ? "" : "doubles none\n");
	write(user, text, (size_t)n);
}
