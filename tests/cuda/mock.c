/* tests/cuda/mock.c -- see mock.h: built as libcuda.so.1, with the functions that backends/cuda calls. */
#define _GNU_SOURCE 1
#include "tests/cuda/mock.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { N_DEVICE = 2, MAX_BLOCK = 4096, MAX_ARG = 512, DEVICE_SHIFT = 48 };

static pthread_mutex_t lock;
static struct mock_cuda mock;
static const struct mock_kernel *kernels;
static int n_kernel;
static struct { char *at; size_t bytes; int device; } block[MAX_BLOCK];
static size_t used[N_DEVICE];
static float now_ms;

struct CUctx_st { int device, retained; };
static struct CUctx_st contexts[N_DEVICE] = { { 0, 0 }, { 1, 0 } };
static __thread CUcontext stack[16];
static __thread int depth;

enum op_kind { OP_LAUNCH, OP_TO_DEVICE, OP_TO_HOST, OP_WITHIN, OP_FILL, OP_RECORD, OP_WAIT, OP_GRAPH };
struct op {
	struct op *next;
	enum op_kind kind;
	int device;
	void *host;
	CUdeviceptr to, from;
	size_t bytes;
	const struct mock_kernel *kernel;
	unsigned blocks[3], threads[3], shared;
	uint64_t *arg;
	CUevent event;
	struct CUgraph_st *graph;
};
struct CUgraph_st { struct op *first, **last; int users; };
struct CUgraphExec_st { struct CUgraph_st *graph; };
struct CUstream_st { struct CUstream_st *next; struct CUgraph_st queue, *capture; int device; };
struct CUevent_st { struct CUevent_st *next; CUstream stream; int done; float at; };
static CUstream streams;
static CUevent dead;             /* events that were destroyed, and may still be in a stream */
struct CUmod_st { const char *image; struct CUfunc_st *functions; };
struct CUfunc_st { struct CUfunc_st *next; const struct mock_kernel *kernel; int dynamic; };

static void wrong(const char *what)
{
	if (!mock.wrong[0])
		(void)snprintf(mock.wrong, sizeof mock.wrong, "%s", what);
}

/* What every function begins with: the device is lost, the test has it fail, no context is current. */
static CUresult begin(const char *name, int context)
{
	if (mock.fail_at && strcmp(name, mock.fail) == 0 && --mock.fail_at == 0)
		return mock.fail_with;
	if (mock.lost)
		return mock.lost;
	if (context && !depth) {
		wrong(name);
		return CUDA_ERROR_INVALID_CONTEXT;
	}
	return CUDA_SUCCESS;
}

static int device_now(void) { return stack[depth - 1]->device; }

static void *host_of(uint64_t address) { return (void *)(uintptr_t)(address & ((UINT64_C(1) << DEVICE_SHIFT) - 1)); }

/* The host's memory of a range that is in one block of this device. */
static char *range(CUdeviceptr at, size_t bytes, int device)
{
	char *p = host_of(at);
	for (int i = 0; i < MAX_BLOCK; i++)
		if (block[i].at && p >= block[i].at && p + bytes <= block[i].at + block[i].bytes && block[i].device == device
			&& at >> DEVICE_SHIFT == (unsigned)device + 1)
			return p;
	wrong("an address that is none of this device");
	return NULL;
}

/* ---- what is enqueued ---- */

static CUresult drain(CUstream);

static CUresult op_run(const struct op *o)
{
	char *to, *from;
	CUresult r = CUDA_SUCCESS;
	switch (o->kind) {
	case OP_LAUNCH:
		mock.launches++;
		now_ms += 0.001f;
		memcpy(mock.blocks_of_launch, o->blocks, sizeof o->blocks);
		memcpy(mock.threads_of_launch, o->threads, sizeof o->threads);
		mock.shared_of_launch = o->shared;
		mock.device_of_launch = o->device;
		r = o->kernel->run(o->arg, o->blocks, o->threads);
		mock.lost = r ? r : mock.lost;
		break;
	case OP_TO_DEVICE:
		if ((to = range(o->to, o->bytes, o->device)))
			memcpy(to, o->host, o->bytes);
		break;
	case OP_TO_HOST:
		if ((from = range(o->from, o->bytes, o->device)))
			memcpy(o->host, from, o->bytes);
		break;
	case OP_WITHIN:
		to = range(o->to, o->bytes, o->device);
		from = range(o->from, o->bytes, o->device);
		if (to && from)
			memmove(to, from, o->bytes);
		break;
	case OP_FILL:
		if ((to = range(o->to, o->bytes, o->device)))
			memset(to, 0, o->bytes);
		break;
	case OP_RECORD:
		o->event->done = 1;
		o->event->at = now_ms;
		break;
	case OP_WAIT:
		if (!o->event->done && o->event->stream)
			r = drain(o->event->stream);
		break;
	case OP_GRAPH:
		mock.graph_launches++;
		for (const struct op *p = o->graph->first; !r && p; p = p->next)
			r = op_run(p);
		break;
	}
	return r;
}

static void graph_put(struct CUgraph_st *g)
{
	if (--g->users > 0)
		return;
	for (struct op *o; (o = g->first); ) {
		g->first = o->next;
		free(o->arg);
		free(o);
	}
	free(g);
}

static CUresult drain(CUstream s)
{
	CUresult r = mock.lost;
	for (struct op *o; (o = s->queue.first); ) {
		s->queue.first = o->next;
		r = r ? r : op_run(o);
		if (o->kind == OP_GRAPH)
			graph_put(o->graph);
		free(o->arg);
		free(o);
	}
	s->queue.last = &s->queue.first;
	return r;
}

static CUresult enqueue(const char *name, CUstream s, struct op o)
{
	CUresult r = begin(name, 1);
	if (r)
		return r;
	if (!s || s->device != device_now()) {
		wrong("a stream of another device");
		return CUDA_ERROR_INVALID_HANDLE;
	}
	struct op *p = malloc(sizeof *p);
	*p = o;
	p->next = NULL;
	p->device = s->device;
	struct CUgraph_st *g = s->capture ? s->capture : &s->queue;
	*g->last = p;
	g->last = &p->next;
	return CUDA_SUCCESS;
}

static int capturing;

/* ---- the driver's functions: each with the lock ---- */

static void unlock(pthread_mutex_t **l) { (void)pthread_mutex_unlock(*l); }
#define LOCKED \
	__attribute__((cleanup(unlock))) pthread_mutex_t *locked_ = &lock; \
	(void)pthread_mutex_lock(locked_)
#define BEGIN(context) \
	LOCKED; \
	CUresult begun_ = begin(__func__, context); \
	if (begun_) \
	return begun_

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
		: r == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" : "CUDA_ERROR_UNKNOWN";
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
		wrong("a context that nobody holds is released");
	mock.contexts--;
	return CUDA_SUCCESS;
}
API CUresult cuCtxPushCurrent(CUcontext c) { BEGIN(0); stack[depth++] = c; return CUDA_SUCCESS; }
API CUresult cuCtxPopCurrent(CUcontext *c)
{
	LOCKED;
	if (!depth)
		wrong("no context to pop");
	else
		*c = stack[--depth];
	return CUDA_SUCCESS;
}

API CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
	BEGIN(1);
	*total = mock.memory[device_now()];
	*free_bytes = *total - used[device_now()];
	return CUDA_SUCCESS;
}
API CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
	BEGIN(1);
	int i = 0, d = device_now();
	if (capturing)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (bytes > mock.memory[d] - used[d])
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (block[i].at)
		i++;
	block[i].at = aligned_alloc(512, (bytes + 511) / 512 * 512);
	block[i].bytes = bytes;
	block[i].device = d;
	memset(block[i].at, 0xa5, bytes);
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
			free(block[i].at);
			block[i].at = NULL;
			return CUDA_SUCCESS;
		}
	wrong("memory that is none is freed");
	return CUDA_ERROR_INVALID_VALUE;
}
API CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
	(void)flags;
	BEGIN(1);
	*p = malloc(bytes);
	memset(*p, 0xa5, bytes);
	mock.pinned++;
	return CUDA_SUCCESS;
}
API CUresult cuMemFreeHost(void *p)
{
	BEGIN(1);
	for (CUstream s = streams; s; s = s->next)      /* what is enqueued may write it */
		(void)drain(s);
	free(p);
	mock.pinned--;
	return CUDA_SUCCESS;
}

API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
	LOCKED;
	mock.copies++;
	return enqueue(__func__, s,
		(struct op){ .kind = OP_TO_DEVICE, .to = to, .host = (void *)(uintptr_t)from, .bytes = bytes });
}
API CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
	LOCKED;
	mock.copies++;
	return enqueue(__func__, s, (struct op){ .kind = OP_TO_HOST, .from = from, .host = to, .bytes = bytes });
}
API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
	LOCKED;
	mock.copies++;
	return enqueue(__func__, s, (struct op){ .kind = OP_WITHIN, .to = to, .from = from, .bytes = bytes });
}
API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream s)
{
	LOCKED;
	if (value)
		wrong("only zeros are known");
	return enqueue(__func__, s, (struct op){ .kind = OP_FILL, .to = to, .bytes = bytes });
}

API CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
	(void)flags;
	BEGIN(1);
	CUstream s = *out = calloc(1, sizeof *s);
	s->queue.last = &s->queue.first;
	s->device = device_now();
	s->next = streams;
	streams = s;
	mock.streams++;
	return CUDA_SUCCESS;
}
API CUresult cuStreamDestroy(CUstream s)
{
	LOCKED;
	if (s->queue.first && !mock.lost)
		wrong("a stream with work in it is destroyed");
	(void)drain(s);
	CUstream *at = &streams;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	free(s);
	mock.streams--;
	return CUDA_SUCCESS;
}
API CUresult cuStreamSynchronize(CUstream s)
{
	BEGIN(1);
	mock.waits++;
	return s->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : drain(s);
}
API CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags)
{
	(void)flags;
	LOCKED;
	return enqueue(__func__, s, (struct op){ .kind = OP_WAIT, .event = e });
}
API CUresult cuEventCreate(CUevent *e, unsigned flags)
{
	(void)flags;
	BEGIN(1);
	*e = calloc(1, sizeof **e);
	mock.events++;
	return CUDA_SUCCESS;
}
API CUresult cuEventDestroy(CUevent e)
{
	LOCKED;
	e->next = dead;
	dead = e;
	mock.events--;
	return CUDA_SUCCESS;
}
API CUresult cuEventRecord(CUevent e, CUstream s)
{
	LOCKED;
	e->done = 0;
	e->stream = s;
	return enqueue(__func__, s, (struct op){ .kind = OP_RECORD, .event = e });
}
API CUresult cuEventSynchronize(CUevent e) { BEGIN(1); return e->done || !e->stream ? CUDA_SUCCESS : drain(e->stream); }
/* Headers give this name another version. */
#undef cuEventElapsedTime
API CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);
API CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
	BEGIN(1);
	*ms = to->at - from->at;
	return from->done && to->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
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
		free(f);
	}
	free(m);
	mock.modules--;
	return CUDA_SUCCESS;
}
API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
	BEGIN(1);
	for (int i = 0; i < n_kernel; i++)
		if (strcmp(kernels[i].name, name) == 0 && memcmp(m->image, "none", 4) != 0) {
			CUfunction f = *out = calloc(1, sizeof *f);
			f->kernel = &kernels[i];
			f->next = m->functions;
			m->functions = f;
			return CUDA_SUCCESS;
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
API CUresult cuLaunchKernel(CUfunction f, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
	unsigned shared, CUstream s, void **param, void **extra)
{
	(void)extra;
	LOCKED;
	struct op o = { .kind = OP_LAUNCH, .kernel = f->kernel, .blocks = { bx, by, bz }, .threads = { tx, ty, tz },
		.shared = shared };
	if (tx * ty * tz > (unsigned)f->kernel->max_threads || (int)shared > (f->dynamic ? f->dynamic : 49152))
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	o.arg = calloc((size_t)f->kernel->n_argument + 1, sizeof *o.arg);
	for (int i = 0; i < f->kernel->n_argument; i++)
		memcpy(&o.arg[i], param[i], sizeof *o.arg);
	CUresult r = enqueue(__func__, s, o);
	if (r)
		free(o.arg);
	return r;
}

API CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode)
{
	(void)mode;
	BEGIN(1);
	if (s->queue.first)
		wrong("a recording begins with work in the stream");
	s->capture = calloc(1, sizeof *s->capture);
	s->capture->last = &s->capture->first;
	s->capture->users = 1;
	capturing++;
	mock.graphs++;
	return CUDA_SUCCESS;
}
API CUresult cuStreamEndCapture(CUstream s, CUgraph *out)
{
	LOCKED;
	*out = s->capture;
	s->capture = NULL;
	capturing--;
	return begin(__func__, 1);
}
API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
	(void)flags;
	BEGIN(1);
	*out = calloc(1, sizeof **out);
	(*out)->graph = g;
	g->users++;
	mock.graphs_made++;
	return CUDA_SUCCESS;
}
API CUresult cuGraphDestroy(CUgraph g) { LOCKED; graph_put(g); mock.graphs--; return CUDA_SUCCESS; }
API CUresult cuGraphExecDestroy(CUgraphExec e)
{
	LOCKED;
	graph_put(e->graph);
	free(e);
	mock.graphs_made--;
	return CUDA_SUCCESS;
}
API CUresult cuGraphLaunch(CUgraphExec e, CUstream s)
{
	LOCKED;
	CUresult r = enqueue(__func__, s, (struct op){ .kind = OP_GRAPH, .graph = e->graph });
	e->graph->users += !r;
	return r;
}

static void mock_kernels(const struct mock_kernel *k, int n)
{
	kernels = k;
	n_kernel = n;
}

API struct mock_cuda *mock_cuda(void);
API struct mock_cuda *mock_cuda(void)
{
	if (!mock.host) {
		pthread_mutexattr_t a;
		(void)pthread_mutexattr_init(&a);
		(void)pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
		(void)pthread_mutex_init(&lock, &a);
		mock = (struct mock_cuda){ .n_device = N_DEVICE, .memory = { 64 << 20, 32 << 20 }, .host = host_of,
			.kernels = mock_kernels };
	}
	return &mock;
}
