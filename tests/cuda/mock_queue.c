/* mock_queue.c -- see mock.h: what is enqueued in streams, events, recordings. */
#include <stdlib.h>
#include <string.h>
#include "tests/cuda/mock_state.h"

static float now_ms;
enum op_kind {
	OP_LAUNCH, OP_TO_DEVICE, OP_TO_HOST, OP_WITHIN, OP_FILL, OP_RECORD, OP_WAIT, OP_GRAPH, OP_PEER, OP_WORK
};
struct op {
	struct op *next;
	enum op_kind kind;
	int device;
	void *host;
	CUdeviceptr to, from;
	size_t bytes;
	const struct mock_kernel *kernel;
	unsigned blocks[3], threads[3], shared;
	unsigned char value;
	const char *code;
	char *function;                 /* of that */
	uint64_t *arg;
	CUevent event;
	struct CUgraph_st *graph;
	mock_work_fn *work;
};
struct CUgraph_st { struct op *first, **last; int users; };
struct CUgraphExec_st { struct CUgraph_st *graph; };
struct CUstream_st { struct CUstream_st *next; struct CUgraph_st queue, *capture; int device, dead; };
struct CUevent_st { struct CUevent_st *next; CUstream stream; int done; float at; };
static CUstream streams, dead_streams;
static CUevent dead;             /* events that were destroyed, and may still be in a stream */

static CUresult drain(CUstream);

static CUresult run_code(const struct op *o)
{
	struct mock_launch l = { .code = o->code, .function = o->function, .arg = o->arg, .shared = o->shared };
	memcpy(l.blocks, o->blocks, sizeof l.blocks);
	memcpy(l.threads, o->threads, sizeof l.threads);
	return mock.run_code(&l);
}

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
		r = !o->code ? o->kernel->run(o->arg, o->blocks, o->threads)
			: mock.run_code ? run_code(o) : CUDA_ERROR_NOT_SUPPORTED;
		mock.lost = r ? r : mock.lost;
		break;
	case OP_TO_DEVICE:
		if ((to = mock_range(o->to, o->bytes, o->device)))
			memcpy(to, o->host, o->bytes);
		break;
	case OP_TO_HOST:
		if ((from = mock_range(o->from, o->bytes, o->device)))
			memcpy(o->host, from, o->bytes);
		break;
	case OP_WITHIN:
		to = mock_range(o->to, o->bytes, o->device);
		from = mock_range(o->from, o->bytes, o->device);
		if (to && from)
			memmove(to, from, o->bytes);
		break;
	case OP_PEER:
		to = mock_range(o->to, o->bytes, o->device);
		from = mock_range(o->from, o->bytes, (int)o->shared);
		if (to && from)
			memmove(to, from, o->bytes);
		break;
	case OP_FILL:
		if ((to = mock_range(o->to, o->bytes, o->device)))
			memset(to, o->value, o->bytes);
		break;
	case OP_RECORD:
		o->event->done = 1;
		o->event->at = now_ms;
		break;
	case OP_WAIT:
		if (!o->event->done && o->event->stream)
			r = drain(o->event->stream);
		break;
	case OP_WORK: r = o->work(o->arg, o->device); break;
	case OP_GRAPH:
		mock.graph_launches++;
		for (const struct op *p = o->graph->first; !r && p; p = p->next)
			r = op_run(p);
		break;
	}
	return r;
}

static void op_free(struct op *o)
{
	free(o->function);
	free(o->arg);
	free(o);
}

static void graph_put(struct CUgraph_st *g)
{
	if (--g->users > 0)
		return;
	for (struct op *o; (o = g->first); ) {
		g->first = o->next;
		op_free(o);
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
		op_free(o);
	}
	s->queue.last = &s->queue.first;
	return r;
}

static CUresult enqueue(const char *name, CUstream s, struct op o)
{
	CUresult r = mock_begin_call(name, 1);
	if (r)
		return r;
	if (s && s->dead) {
		mock_wrong("a stream that was destroyed is used");
		return CUDA_ERROR_INVALID_HANDLE;
	}
	if (!s || s->device != mock_device()) {
		mock_wrong("a stream of another device");
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

CUresult mock_work(const char *name, CUstream s, mock_work_fn *work, const void *arg, size_t bytes)
{
	struct op o = { .kind = OP_WORK, .work = work, .arg = malloc(bytes) };
	memcpy(o.arg, arg, bytes);
	CUresult r = enqueue(name, s, o);
	if (r)
		free(o.arg);
	return r;
}

void mock_pass(float ms) { now_ms += ms; }

void mock_drain_all(void)
{
	for (CUstream s = streams; s; s = s->next)
		(void)drain(s);
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
API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext a, CUdeviceptr from, CUcontext b, size_t bytes, CUstream s)
{
	LOCKED;
	if (!a || !b || a->device != mock_device())
		mock_wrong("a copy between devices without their contexts");
	mock.copies++;
	return enqueue(__func__, s,
		(struct op){ .kind = OP_PEER, .to = to, .from = from, .bytes = bytes, .shared = (unsigned)b->device });
}
API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream s)
{
	LOCKED;
	return enqueue(__func__, s, (struct op){ .kind = OP_FILL, .to = to, .bytes = bytes, .value = value });
}

API CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
	(void)flags;
	BEGIN(1);
	CUstream s = *out = calloc(1, sizeof *s);
	s->queue.last = &s->queue.first;
	s->device = mock_device();
	s->next = streams;
	streams = s;
	mock.streams++;
	return CUDA_SUCCESS;
}
API CUresult cuStreamDestroy(CUstream s)
{
	LOCKED;
	if (s->queue.first && !mock.lost)
		mock_wrong("a stream with work in it is destroyed");
	(void)drain(s);
	CUstream *at = &streams;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->next = dead_streams;
	s->dead = 1;
	dead_streams = s;
	mock.streams--;
	return CUDA_SUCCESS;
}
API CUresult cuStreamSynchronize(CUstream s)
{
	BEGIN(1);
	mock.waits++;
	if (s->dead) {
		mock_wrong("a stream that was destroyed is waited for");
		return CUDA_ERROR_INVALID_HANDLE;
	}
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
/* The device is as slow as it can be: it is not done with anything before somebody waits. */
API CUresult cuEventQuery(CUevent e) { BEGIN(1); return e->done || !e->stream ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; }
/* Headers give this name another version. */
#undef cuEventElapsedTime
API CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);
API CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
	BEGIN(1);
	*ms = to->at - from->at;
	return from->done && to->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* Kernels follow one another here, also those that need not. */
static CUresult mock_launch_with(const char *call, const CUlaunchConfig *c, CUfunction f, void **param)
{
	struct op o = { .kind = OP_LAUNCH, .kernel = f->kernel, .blocks = { c->gridDimX, c->gridDimY, c->gridDimZ },
		.threads = { c->blockDimX, c->blockDimY, c->blockDimZ }, .shared = c->sharedMemBytes };
	const unsigned threads = o.threads[0] * o.threads[1] * o.threads[2];
	if (c->numAttrs > 1 || (c->numAttrs && c->attrs->id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION))
		mock_wrong("a launch has other attributes");
	if (threads > (unsigned)f->kernel->max_threads || (int)o.shared > (f->dynamic ? f->dynamic : 49152))
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	mock.early += c->numAttrs && c->attrs->value.programmaticStreamSerializationAllowed;
	const int n = !f->code ? f->kernel->n_argument : mock.parameters ? mock.parameters(f->code, f->name) : 0;
	o.arg = calloc((size_t)n + 1, sizeof *o.arg);
	for (int i = 0; i < n; i++)
		memcpy(&o.arg[i], param[i], sizeof *o.arg);
	o.code = f->code;
	o.function = f->code ? strdup(f->name) : NULL;
	CUresult r = enqueue(call, c->hStream, o);
	if (r) {
		free(o.function);
		free(o.arg);
	}
	return r;
}
API CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **param, void **extra)
{
	(void)extra;
	LOCKED;
	return mock_launch_with(__func__, c, f, param);
}
API CUresult cuLaunchKernel(CUfunction f, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
	unsigned shared, CUstream s, void **param, void **extra)
{
	const CUlaunchConfig config = { .gridDimX = bx, .gridDimY = by, .gridDimZ = bz, .blockDimX = tx, .blockDimY = ty,
		.blockDimZ = tz, .sharedMemBytes = shared, .hStream = s };
	(void)extra;
	LOCKED;
	return mock_launch_with(__func__, &config, f, param);
}

API CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode)
{
	(void)mode;
	BEGIN(1);
	if (s->queue.first)
		mock_wrong("a recording begins with work in the stream");
	s->capture = calloc(1, sizeof *s->capture);
	s->capture->last = &s->capture->first;
	s->capture->users = 1;
	mock_capturing++;
	mock.graphs++;
	return CUDA_SUCCESS;
}
API CUresult cuStreamEndCapture(CUstream s, CUgraph *out)
{
	LOCKED;
	*out = s->capture;
	s->capture = NULL;
	mock_capturing--;
	return mock_begin_call(__func__, 1);
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
