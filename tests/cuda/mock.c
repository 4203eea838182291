/* mock.c -- see mock.h: devices, contexts, memory and modules of the driver that is not there. */
#define _GNU_SOURCE 1
#include "tests/cuda/mock_state.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N_DEVICE = 2, MAX_BLOCK = 4096, DEVICE_SHIFT = 48 };

pthread_mutex_t mock_lock;
struct mock_cuda mock;
int mock_capturing;
static const struct mock_kernel *kernels;
static int n_kernel;
/* mapped: bytes of a mapping whose last page is behind the block; 0: it is the heap's. */
static struct block { char *at; size_t bytes, mapped; int device; } block[MAX_BLOCK];
static size_t used[N_DEVICE];


static struct CUctx_st contexts[N_DEVICE] = { { 0, 0 }, { 1, 0 } };
static __thread CUcontext stack[16];
static __thread int depth;

void mock_wrong(const char *what)
{
	if (!mock.wrong[0])
		(void)snprintf(mock.wrong, sizeof mock.wrong, "%s", what);
}

/* What every function begins with: the device is lost, the test has it fail, no context is current. */
CUresult mock_begin_call(const char *name, int context)
{
	if (mock.fail_at && strcmp(name, mock.fail) == 0 && --mock.fail_at == 0)
		return mock.fail_with;
	if (mock.lost)
		return mock.lost;
	if (context && !depth) {
		mock_wrong(name);
		return CUDA_ERROR_INVALID_CONTEXT;
	}
	return CUDA_SUCCESS;
}

int mock_device(void) { return stack[depth - 1]->device; }

static void *host_of(uint64_t address) { return (void *)(uintptr_t)(address & ((UINT64_C(1) << DEVICE_SHIFT) - 1)); }

/* The host's memory of a range that is in one block of this device. */
char *mock_range(CUdeviceptr at, size_t bytes, int device)
{
	char *p = host_of(at);
	for (int i = 0; i < MAX_BLOCK; i++)
		if (block[i].at && p >= block[i].at && p + bytes <= block[i].at + block[i].bytes && block[i].device == device
			&& at >> DEVICE_SHIFT == (unsigned)device + 1)
			return p;
	mock_wrong("an address that is none of this device");
	return NULL;
}

/* ---- the driver's functions: each with the lock ---- */

API CUresult cuInit(unsigned flags)
{
	(void)flags;
	BEGIN(0);
	return mock.n_device ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
/* NVRTC looks for the driver, too, and takes this function for granted where there is one. */
API CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	(void)id;
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}
API CUresult cuDriverGetVersion(int *version) { BEGIN(0); *version = 13000; return CUDA_SUCCESS; }
API CUresult cuGetErrorName(CUresult r, const char **name)
{
	*name = r == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
		: r == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
		: r == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
		: r == CUDA_ERROR_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" : "CUDA_ERROR_UNKNOWN";
	return CUDA_SUCCESS;
}
API CUresult cuGetErrorString(CUresult r, const char **text)
{
	*text = r == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory"
		: r == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
		: r == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? "too many resources requested for launch" : "unknown error";
	return CUDA_SUCCESS;
}
API CUresult cuDeviceGetCount(int *n) { BEGIN(0); *n = mock.n_device; return CUDA_SUCCESS; }
API CUresult cuDeviceGet(CUdevice *d, int i) { BEGIN(0); *d = i; return CUDA_SUCCESS; }
API CUresult cuDeviceGetName(char *to, int n, CUdevice d)
{
	BEGIN(0);
	(void)snprintf(to, (size_t)n, "Mock %d", d);
	return CUDA_SUCCESS;
}
API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice d) { BEGIN(0); *bytes = mock.memory[d]; return CUDA_SUCCESS; }

API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice d)
{
	static const struct { CUdevice_attribute a; int value[N_DEVICE]; } rows[] = {
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, { 9, 8 } },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, { 0, 0 } },
		{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, { 132, 108 } }, { CU_DEVICE_ATTRIBUTE_WARP_SIZE, { 32, 32 } },
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, { 1024, 1024 } },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, { 232448, 166912 } },
		{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, { 65536, 65536 } },
		{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, { 50 << 20, 40 << 20 } } };
	BEGIN(0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].a == a) {
			*value = rows[i].value[d];
			return CUDA_SUCCESS;
		}
	*value = 1;
	return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d)
{
	BEGIN(0);
	*c = &contexts[d];
	contexts[d].retained++;
	mock.contexts++;
	return CUDA_SUCCESS;
}
API CUresult cuDevicePrimaryCtxRelease(CUdevice d)
{
	LOCKED;
	if (contexts[d].retained-- <= 0)
		mock_wrong("a context that nobody holds is released");
	mock.contexts--;
	return CUDA_SUCCESS;
}
API CUresult cuCtxPushCurrent(CUcontext c) { BEGIN(0); stack[depth++] = c; return CUDA_SUCCESS; }
API CUresult cuCtxPopCurrent(CUcontext *c)
{
	LOCKED;
	if (!depth)
		mock_wrong("no context to pop");
	else
		*c = stack[--depth];
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice *d) { BEGIN(1); *d = mock_device(); return CUDA_SUCCESS; }
/* Pinned memory: so many bytes behind a header. */
enum { PINNED_HEAD = 64 };
struct pinned { struct pinned *next; size_t bytes; };
static struct pinned *all_pinned;

/* Whose memory it is; what kind.  Pageable memory is nothing that the driver knows. */
API CUresult cuPointerGetAttribute(void *out, CUpointer_attribute what, CUdeviceptr at)
{
	BEGIN(0);
	for (const struct pinned *x = all_pinned; x && what == CU_POINTER_ATTRIBUTE_MEMORY_TYPE; x = x->next)
		if (at - ((uintptr_t)x + PINNED_HEAD) < x->bytes) {
			*(unsigned *)out = CU_MEMORYTYPE_HOST;
			return CUDA_SUCCESS;
		}
	for (int d = 0; d < N_DEVICE; d++) {
		CUcontext c = &contexts[d];
		if (what != CU_POINTER_ATTRIBUTE_CONTEXT || !mock_range(at, 1, d))
			continue;
		memcpy(out, &c, sizeof c);
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
	BEGIN(1);
	*total = mock.memory[mock_device()];
	*free_bytes = *total - used[mock_device()];
	return CUDA_SUCCESS;
}
enum { POISON = 0xa5, POISON_BYTES = 2 << 20, PAGE = 64 << 10, ALIGN = 512 };     /* PAGE: of any machine */
static size_t whole(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* A file of POISON alone.  -1: there is none. */
static int poison_file(void)
{
	static int file;
	if (!file) {
		void *at = MAP_FAILED;
		file = memfd_create("poison", MFD_CLOEXEC);
		if (file >= 0 && !ftruncate(file, POISON_BYTES))
			at = mmap(NULL, POISON_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		if (at == MAP_FAILED)
			return file = -1;
		memset(at, POISON, POISON_BYTES);
		(void)munmap(at, POISON_BYTES);
	}
	return file;
}

/* Memory of POISON that takes a page when it is written there, not before: a private mapping of that file, again and
 * again, then a page that nobody may touch, next to the block's end. */
static int map_poison(struct block *b)
{
	const size_t room = whole(b->bytes, PAGE), mapped = room + PAGE;
	char *at = poison_file() < 0 ? MAP_FAILED
		: mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return 0;
	for (size_t k = 0; k < room; k += POISON_BYTES)
		if (mmap(at + k, room - k < POISON_BYTES ? room - k : POISON_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, poison_file(), 0) == MAP_FAILED) {
			(void)munmap(at, mapped);
			return 0;
		}
	b->at = at + room - whole(b->bytes, ALIGN);
	b->mapped = mapped;
	return 1;
}

/* What nobody has written is not zero.  Of large blocks, such as a library's workspace, most is never touched. */
static void take_block(struct block *b)
{
	b->mapped = 0;
	if (b->bytes >= POISON_BYTES && map_poison(b))
		return;
	b->at = aligned_alloc(ALIGN, whole(b->bytes, ALIGN));
	memset(b->at, POISON, b->bytes);
}

static void give_block(struct block *b)
{
	if (b->mapped)
		(void)munmap(b->at + whole(b->bytes, ALIGN) + PAGE - b->mapped, b->mapped);
	else
		free(b->at);
	b->at = NULL;
}

API CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
	BEGIN(1);
	int i = 0, d = mock_device();
	if (mock_capturing)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (bytes > mock.memory[d] - used[d])
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (block[i].at)
		i++;
	block[i].bytes = bytes;
	block[i].device = d;
	take_block(&block[i]);
	used[d] += bytes;
	mock.bytes += bytes;
	mock.blocks++;
	*out = (CUdeviceptr)(uintptr_t)block[i].at | ((CUdeviceptr)d + 1) << DEVICE_SHIFT;
	return CUDA_SUCCESS;
}
API CUresult cuMemFree(CUdeviceptr at)
{
	BEGIN(1);
	for (int i = 0; i < MAX_BLOCK; i++)
		if (block[i].at && block[i].at == host_of(at)) {
			used[block[i].device] -= block[i].bytes;
			mock.bytes -= block[i].bytes;
			mock.blocks--;
			give_block(&block[i]);
			return CUDA_SUCCESS;
		}
	mock_wrong("memory that is none is freed");
	return CUDA_ERROR_INVALID_VALUE;
}
API CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
	(void)flags;
	BEGIN(1);
	struct pinned *x = malloc(PINNED_HEAD + bytes);
	*x = (struct pinned){ all_pinned, bytes };
	all_pinned = x;
	*p = (char *)x + PINNED_HEAD;
	memset(*p, POISON, bytes);
	mock.pinned++;
	return CUDA_SUCCESS;
}
API CUresult cuMemFreeHost(void *p)
{
	BEGIN(1);
	mock_drain_all();                       /* what is enqueued may write it */
	struct pinned *x = (struct pinned *)(void *)((char *)p - PINNED_HEAD), **at = &all_pinned;
	while (*at && *at != x)
		at = &(*at)->next;
	if (!*at)
		mock_wrong("memory that is not pinned is freed");
	else
		*at = x->next;
	free(x);
	mock.pinned--;
	return CUDA_SUCCESS;
}

API CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
	BEGIN(1);
	*out = calloc(1, sizeof **out);
	(*out)->image = image;
	mock.modules++;
	return CUDA_SUCCESS;
}
API CUresult cuModuleUnload(CUmodule m)
{
	LOCKED;
	for (struct CUfunc_st *f; (f = m->functions); ) {
		m->functions = f->next;
		free(f->name);
		free(f);
	}
	free(m);
	mock.modules--;
	return CUDA_SUCCESS;
}
/* A program's name, and the number of one of its grids. */
static int is_function_of(const char *name, const char *kernel)
{
	const size_t n = strlen(kernel);
	return strncmp(name, kernel, n) == 0 && name[n] == '_' && strchr(name + n + 1, '_') == NULL;
}

/* Code that NVRTC has made: it has what it names. */
static int is_in_code(const char *image, const char *name)
{
	Elf64_Ehdr h;
	if (memcmp(image, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&h, image, sizeof h);
	return memmem(image, h.e_shoff + (size_t)h.e_shnum * h.e_shentsize, name, strlen(name) + 1) != NULL;
}

static const struct mock_kernel compiled = { "compiled", NULL, 0, 32, 1024, 0 };

static CUresult function_new(CUmodule m, const struct mock_kernel *kernel, CUfunction *out)
{
	CUfunction f = *out = calloc(1, sizeof *f);
	f->kernel = kernel;
	f->next = m->functions;
	m->functions = f;
	return CUDA_SUCCESS;
}

API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
	BEGIN(1);
	for (int i = 0; i < n_kernel; i++)
		if (is_function_of(name, kernels[i].name) && memcmp(m->image, "none", 4) != 0)
			return function_new(m, &kernels[i], out);
	if (is_in_code(m->image, name)) {
		CUresult r = function_new(m, &compiled, out);
		(*out)->code = m->image;
		(*out)->name = strdup(name);
		return r;
	}
	return CUDA_ERROR_NOT_FOUND;
}
API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute a, CUfunction f)
{
	BEGIN(1);
	*value = a == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? f->kernel->max_threads
		: a == CU_FUNC_ATTRIBUTE_NUM_REGS ? f->kernel->registers
		: a == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? f->kernel->shared : 0;
	return CUDA_SUCCESS;
}
API CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int value)
{
	BEGIN(1);
	if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return CUDA_ERROR_INVALID_VALUE;
	f->dynamic = value;
	return CUDA_SUCCESS;
}
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared)
{
	(void)f, (void)shared;
	BEGIN(1);
	*blocks = 2048 / threads;
	return CUDA_SUCCESS;
}
static void mock_kernels(const struct mock_kernel *k, int n)
{
	kernels = k;
	n_kernel = n;
}

/* Also for a program that is given the library by its loader and cannot ask. */
__attribute__((constructor)) static void mock_start(void)
{
	pthread_mutexattr_t a;
	(void)pthread_mutexattr_init(&a);
	(void)pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	(void)pthread_mutex_init(&mock_lock, &a);
	const char *n = getenv("MOCK_CUDA_DEVICES");            /* of a program that the test only starts */
	mock = (struct mock_cuda){ .n_device = n ? atoi(n) : N_DEVICE, .memory = { 1 << 30, 1 << 30 }, .host = host_of,
		.kernels = mock_kernels };
}

API struct mock_cuda *mock_cuda(void);
API struct mock_cuda *mock_cuda(void)
{
	mock.memory[0] = 64 << 20;
	mock.memory[1] = 32 << 20;
	return &mock;
}
