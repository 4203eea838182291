/* time.c -- how long a plan takes on the device: recorded runs, between events. */
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"

/* RUNS in a recording, as a program's are: executing costs the host more than a small plan takes the device.  BYTE:
 * of what is read: small normal numbers in every type, lengths of all keys. */
enum { RUNS = 10, TIMES = 5, BYTE = 0x3c };
/* Blocks behind those of the tensors: the workspace, and what a kernel makes in front of the plan. */
enum { WORKSPACE = LT_CUDNN_TENSORS, MADE };
struct cudnn_timing {
	struct lt_session *s;
	const struct lt_cudnn_wish *w;
	const struct lt_cudnn_plan *p;
	CUstream stream;
	CUevent from, to;
	CUgraph graph;
	CUgraphExec made;
	CUdeviceptr block[MADE + 1];
};

static CUresult block_new(struct cudnn_timing *t, int i, size_t bytes)
{
	const struct lt_cuda_driver *cuda = &t->s->cuda;
	(void)pthread_mutex_lock(&t->s->lock);
	CUresult r = lt__cuda_pool_new(&t->s->pool, cuda, bytes, &t->block[i]);
	(void)pthread_mutex_unlock(&t->s->lock);
	return r ? r : cuda->fill(t->block[i], BYTE, bytes, t->stream);
}

static CUresult begin(struct cudnn_timing *t)
{
	const struct lt_cuda_driver *cuda = &t->s->cuda;
	const struct lt_cudnn_form *f = &t->w->form;
	CUresult r = cuda->stream_new(&t->stream, CU_STREAM_NON_BLOCKING);
	r = r ? r : cuda->event_new(&t->from, CU_EVENT_DEFAULT);
	r = r ? r : cuda->event_new(&t->to, CU_EVENT_DEFAULT);
	for (int i = 0; i < f->n_tensor && !r; i++)
		if (f->tensor[i].operand >= 0)
			r = block_new(t, i, cudnn_bytes(&f->tensor[i]));
	const size_t made = lt__cudnn_mask_bytes(f);
	r = r || !made ? r : block_new(t, MADE, made);
	return r ? r : block_new(t, WORKSPACE, t->p->workspace ? (size_t)t->p->workspace : 1);
}

/* Once as it is, so that what is loaded late is there; then recorded. */
static CUresult record(struct cudnn_timing *t, cudnnHandle_t handle)
{
	const struct lt_cuda_driver *cuda = &t->s->cuda;
	const struct lt_cudnn_form *f = &t->w->form;
	const struct lt_cudnn *d = cudnn_of(t->s);
	uint64_t at[LT_CUDNN_TENSORS], operand[LT_CUDNN_TENSORS];
	const uint64_t made = lt__cudnn_mask_at(t->block[MADE]);
	for (int i = 0; i < f->n_tensor; i++) {
		at[i] = f->tensor[i].operand == LT_CUDNN_MASK ? cudnn_made_at(&f->tensor[i], made)
			: t->block[i] ? t->block[i] : cudnn_constant(t->p, &f->tensor[i]);
		if (f->tensor[i].operand >= 0)
			operand[f->tensor[i].operand] = at[i];
	}
	if (f->mask.how == LT_CUDNN_LENGTHS && lt__cudnn_mask_make(t->s, f, 0, operand, made, t->stream))
		return CUDA_ERROR_UNKNOWN;
	bool runs = !d->api.set_stream(handle, (cudaStream_t)t->stream)
		&& !lt__cudnn_execute(d, t->p, f, handle, at, t->block[WORKSPACE]);
	CUresult r = cuda->stream_wait(t->stream);
	r = r ? r : cuda->capture_begin(t->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	if (r)
		return r;
	for (int i = 0; i < RUNS && runs; i++)
		runs = !lt__cudnn_execute(d, t->p, f, handle, at, t->block[WORKSPACE]);
	r = cuda->capture_end(t->stream, &t->graph);            /* the recording ends, whatever it has become */
	r = r || runs ? r : CUDA_ERROR_UNKNOWN;
	return r ? r : cuda->graph_make(&t->made, t->graph, 0);
}

static CUresult measure(struct cudnn_timing *t, double *us)
{
	const struct lt_cuda_driver *cuda = &t->s->cuda;
	CUresult r = cuda->graph_launch(t->made, t->stream);
	for (int i = 0; i < TIMES && !r; i++) {
		float ms = 0;
		r = cuda->event_record(t->from, t->stream);
		r = r ? r : cuda->graph_launch(t->made, t->stream);
		r = r ? r : cuda->event_record(t->to, t->stream);
		r = r ? r : cuda->stream_wait(t->stream);
		r = r ? r : cuda->event_elapsed(&ms, t->from, t->to);
		const double one = (double)ms * 1000 / RUNS;
		*us = i == 0 || one < *us ? one : *us;
	}
	return r;
}

static void end(struct cudnn_timing *t)
{
	const struct lt_cuda_driver *cuda = &t->s->cuda;
	if (t->stream)
		(void)cuda->stream_wait(t->stream);
	if (t->made)
		(void)cuda->graph_made_free(t->made);
	if (t->graph)
		(void)cuda->graph_free(t->graph);
	if (t->from)
		(void)cuda->event_free(t->from);
	if (t->to)
		(void)cuda->event_free(t->to);
	(void)pthread_mutex_lock(&t->s->lock);
	for (int i = 0; i <= MADE; i++)
		if (t->block[i])
			lt__cuda_pool_free(&t->s->pool, t->block[i]);
	(void)pthread_mutex_unlock(&t->s->lock);
	if (t->stream)
		(void)cuda->stream_free(t->stream);
}

lt_status lt__cudnn_time(struct lt_session *s, const struct lt_cudnn_wish *w, const struct lt_cudnn_plan *p, double *us,
	struct lt_diag *diag)
{
	struct cudnn_timing t = { .s = s, .w = w, .p = p };
	const struct lt_cudnn *d = cudnn_of(s);
	*us = 0;
	CUresult r = begin(&t);
	r = r ? r : record(&t, d->handle);
	r = r ? r : measure(&t, us);
	(void)d->api.set_stream(d->handle, NULL);
	end(&t);
	return lt__cuda_check(s, r, diag, "timing a plan of cuDNN");
}
