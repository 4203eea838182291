/* capture.c -- a sequence of runs as one CUDA graph: one launch, whatever it holds.
 *
 * What the kernels read of the device's memory, run-time scalars too, is read when the graph runs.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"

struct lt_capture {
	struct lt_session *s;
	CUgraphExec graph;
	CUdeviceptr workspace;               /* for calls; 0: none needs it */
	CUdeviceptr device_fault;       /* a record for each run that takes one; 0: none does */
	struct lt_cuda_landing landing; /* landed: pinned; fault: the host's */
	void *stream;                   /* where it is replayed, and whether the host waits later */
	bool async;
};

/* Elements of the host's array may be longer or shorter than ours. */
static const struct lt_args *args_at(const struct lt_args *args, uint32_t i)
{
	return (const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
}

void lt__cuda_capture_free(struct lt_capture *c)
{
	if (!c)
		return;
	struct lt_session *s = c->s;
	lt__cuda_landing_forget(s, &c->landing);
	if (lt__cuda_enter(s, NULL) == LT_OK) {
		if (c->graph)
			(void)s->cuda.graph_made_free(c->graph);
		if (c->landing.landed)
			(void)s->cuda.pinned_free(c->landing.landed);
		lt__cuda_leave(s);
	}
	lt__cuda_mem_free(s, (void *)(uintptr_t)c->workspace);
	lt__cuda_mem_free(s, (void *)(uintptr_t)c->device_fault);
	free(c->landing.fault);
	free(c);
}

/* Memory for the records, before anything is recorded: it is taken from the device then. */
static lt_status capture_memory(struct lt_capture *c, struct lt_object *const *object, uint32_t n, struct lt_diag *diag)
{
	struct lt_session *s = c->s;
	void *landed = NULL;
	uint32_t n_fault = 0;
	for (uint32_t i = 0; i < n; i++)
		n_fault += object[i] && object[i]->code.faults;
	c->landing.fault = calloc(n_fault + 1, sizeof *c->landing.fault);
	if (!c->landing.fault)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory to record %u runs", (unsigned)n);
	if (!n_fault)
		return LT_OK;
	const size_t bytes = n_fault * sizeof(struct lt_fault);
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes, &c->device_fault);
	(void)pthread_mutex_unlock(&s->lock);
	if (!r)
		r = s->cuda.pinned_new(&landed, bytes, 0);
	c->landing.landed = landed;
	return lt__cuda_check(s, r, diag, "recording %u runs: memory for fault records", (unsigned)n);
}

/* How cuBLAS does the products is chosen, and their memory is there, before anything is recorded, too. */
static lt_status capture_room(struct lt_capture *c, struct lt_object *const *object, const struct lt_args *args,
	uint32_t n, struct lt_diag *diag)
{
	struct lt_session *s = c->s;
	lt_status status = LT_OK;
	size_t max_bytes = 0, bytes;
	for (uint32_t i = 0; !status && i < n; i++) {
		if (!object[i])
			continue;
		status = lt__cuda_calls_prepare(object[i], &object[i]->launches, args_at(args, i), &bytes, diag);
		max_bytes = !status && bytes > max_bytes ? bytes : max_bytes;
	}
	if (status || !max_bytes)
		return status;
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, max_bytes, &c->workspace);
	(void)pthread_mutex_unlock(&s->lock);
	return lt__cuda_check(s, r, diag, "recording %u runs: memory for their calls", (unsigned)n);
}

static lt_status capture_copy(
	struct lt_session *s, const struct lt_args *args, CUstream stream, struct lt_diag *diag)
{
	const struct lt_slot *to = &args->slot[0], *from = &args->slot[1];
	return lt__cuda_check(s, s->cuda.copy_within((CUdeviceptr)(uintptr_t)to->base + (CUdeviceptr)to->offset,
			(CUdeviceptr)(uintptr_t)from->base + (CUdeviceptr)from->offset, (size_t)to->bytes, stream), diag,
		"recording a copy");
}

/* Between capture_begin and capture_end. */
static lt_status capture_runs(struct lt_capture *c, struct lt_object *const *object, const struct lt_args *args,
	uint32_t n, const struct lt_cuda_queue *q, struct lt_diag *diag)
{
	const CUstream stream = q->stream;
	const struct lt_cuda_driver *cuda = &c->s->cuda;
	const CUdeviceptr first = c->device_fault;
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < n; i++)
		if (object[i] && object[i]->code.faults)
			c->landing.fault[c->landing.n++] = args_at(args, i)->fault;
	const size_t bytes = c->landing.n * sizeof(struct lt_fault);
	if (c->landing.n)
		status = lt__cuda_check(c->s, cuda->fill(first, 0, bytes, stream), diag, "recording the fault records");
	CUdeviceptr at = first;
	for (uint32_t i = 0; !status && i < n; i++) {
		if (!object[i]) {
			status = capture_copy(c->s, args_at(args, i), stream, diag);
			continue;
		}
		status = lt__cuda_enqueue(object[i], &object[i]->launches, args_at(args, i),
			&(struct lt_cuda_where){ q->stream, at, c->workspace, q->handle }, diag);
		at += object[i]->code.faults ? sizeof(struct lt_fault) : 0;
	}
	if (!status && c->landing.n)
		status = lt__cuda_check(c->s, cuda->copy_to_host(c->landing.landed, first, bytes, stream), diag,
			"recording the fault records");
	return status;
}

static lt_status capture_graph(struct lt_capture *c, struct lt_object *const *object, const struct lt_args *args,
	uint32_t n, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	struct lt_session *s = c->s;
	const CUstream stream = q->stream;
	CUgraph graph = NULL;
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < n && !status && s->more; i++)
		status = object[i] && object[i]->launches.n_call ? s->more->ready(s, q, diag) : LT_OK;
	if (status)
		return status;
	status = lt__cuda_check(s, s->cuda.capture_begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), diag,
		"recording %u runs", (unsigned)n);
	if (status)
		return status;
	status = capture_runs(c, object, args, n, q, diag);
	CUresult r = s->cuda.capture_end(stream, &graph);       /* the recording ends, whatever it has become */
	if (!status)
		status = lt__cuda_check(s, r, diag, "recording %u runs", (unsigned)n);
	if (!status)
		status = lt__cuda_check(s, s->cuda.graph_make(&c->graph, graph, 0), diag, "a graph of %u runs", (unsigned)n);
	if (graph)
		(void)s->cuda.graph_free(graph);
	return status;
}

static lt_status object_check(const struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_cuda_launches none;
	if (!o)
		return args->n_slot == 2 ? LT_OK
			: lt__report(diag, LT_EINVAL, -1, -1, NULL, "a copy has two slots, %u were given", (unsigned)args->n_slot);
	lt_status status = lt__cuda_run_check(o, args, diag);
	/* What is in its way is found once more, now to be said. */
	return status || o->recorded ? status : lt__cuda_launches(&o->code, NULL, &none, diag);
}

lt_status lt__cuda_capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args,
	uint32_t n, struct lt_capture **out, struct lt_diag *diag)
{
	struct lt_cuda_queue *q;
	lt_status status = LT_OK;
	*out = NULL;
	for (uint32_t i = 0; !status && i < n; i++)
		status = object_check(object[i], args_at(args, i), diag);
	struct lt_capture *c = status ? NULL : calloc(1, sizeof *c);
	if (!c)
		return status ? status
			: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory to record %u runs", (unsigned)n);
	c->s = s;
	c->stream = n ? args->stream : NULL;
	c->async = n && args->async;
	status = lt__cuda_enter(s, diag);
	if (!status) {
		status = capture_memory(c, object, n, diag);
		if (!status)
			status = capture_room(c, object, args, n, diag);
		if (!status)
			status = lt__cuda_queue_take(s, NULL, false, &q, diag);
		if (!status) {
			status = capture_graph(c, object, args, n, q, diag);
			lt__cuda_queue_give(s, q);
		}
		lt__cuda_leave(s);
	}
	if (status)
		lt__cuda_capture_free(c);
	else
		*out = c;
	return status;
}

static lt_status replay_in(struct lt_capture *c, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	struct lt_session *s = c->s;
	/* Records have one place to land. */
	lt_status status = c->landing.enqueued ? lt__cuda_queue_wait(s, q, diag) : LT_OK;
	if (!status)
		status = lt__cuda_check(s, s->cuda.graph_launch(c->graph, q->stream), diag, "launching recorded runs");
	if (status)
		return status;
	if (c->landing.n) {
		c->landing.before = q->replayed;
		c->landing.enqueued = true;
		q->replayed = &c->landing;
	}
	lt__cuda_queue_running(s, q, true);
	return c->async ? lt__cuda_queue_end(s, q, diag) : lt__cuda_queue_wait(s, q, diag);
}

lt_status lt__cuda_replay(struct lt_capture *c, struct lt_diag *diag)
{
	struct lt_session *s = c->s;
	struct lt_cuda_queue *q;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_queue_take(s, c->stream, c->async, &q, diag);
	if (!status) {
		status = replay_in(c, q, diag);
		lt__cuda_queue_give(s, q);
	}
	lt__cuda_leave(s);
	return status;
}
