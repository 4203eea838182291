/* queue.c -- streams, and the fault records of what was enqueued in them.
 *
 * A queue is busy while a call uses it, so that threads that run objects of one session together each have one.  The
 * session's own first queue is that of asynchronous runs for which the host names no stream; the others wait for what
 * is in it.  A caller's stream may be destroyed whenever the caller has waited for it, which nobody is told: it is used
 * only while it is given to a call, and an event behind what was enqueued stands for it later.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"

enum { FAULT_BYTES = LT_CUDA_FAULTS * sizeof(struct lt_fault) };

static void queue_free(struct lt_session *s, struct lt_cuda_queue *q)
{
	if (q->handle)
		s->more->queue_free(s, q);
	if (q->own && q->stream)
		(void)s->cuda.stream_free(q->stream);
	if (q->order)
		(void)s->cuda.event_free(q->order);
	if (q->landed)
		(void)s->cuda.pinned_free(q->landed);
	if (q->staged)
		(void)s->cuda.pinned_free(q->staged);
	free(q);
}

/* Not yet in the session's list; the memory of its records is the pool's, which gives all back when it is closed. */
static lt_status queue_new(struct lt_session *s, void *stream, struct lt_cuda_queue **out, struct lt_diag *diag)
{
	struct lt_cuda_queue *q = *out = calloc(1, sizeof *q);
	if (!q)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory on the host");
	q->own = !stream;
	q->busy = true;
	q->stream = stream;
	void *landed = NULL;
	CUresult r = stream ? CUDA_SUCCESS : s->cuda.stream_new(&q->stream, CU_STREAM_NON_BLOCKING);
	if (!r)
		r = s->cuda.event_new(&q->order, CU_EVENT_DISABLE_TIMING);
	if (!r)
		r = s->cuda.pinned_new(&landed, FAULT_BYTES, 0);
	q->landed = landed;
	if (!r) {
		(void)pthread_mutex_lock(&s->lock);
		r = lt__cuda_pool_new(&s->pool, &s->cuda, FAULT_BYTES, &q->device_fault);
		(void)pthread_mutex_unlock(&s->lock);
	}
	lt_status status = lt__cuda_check(s, r, diag, "a queue of the device");
	if (!status)
		return LT_OK;
	queue_free(s, q);
	*out = NULL;
	return status;
}

/* Whether a stream may be gone. */
static bool queue_is_callers(const struct lt_cuda_queue *q) { return !q->own && !q->made; }

/* Nothing is in it, and no fault record is on its way to the host. */
static bool queue_is_spare(const struct lt_session *s, const struct lt_cuda_queue *q)
{
	return queue_is_callers(q) && !q->busy && (!q->running
		|| (!q->n_fault && !q->replayed && s->cuda.event_query(q->order) == CUDA_SUCCESS));
}

/* The caller's stream has one queue, or gets one that an earlier stream no longer needs; the session's own are the
 * first, or any that is free.  wait: it is there, and busy. */
static struct lt_cuda_queue *queue_find(const struct lt_session *s, void *stream, bool first, bool *wait)
{
	struct lt_cuda_queue *spare = NULL;
	*wait = false;
	for (struct lt_cuda_queue *q = s->queues; q; q = q->next) {
		if (stream && !spare && queue_is_spare(s, q))
			spare = q;
		if (stream ? q->own || q->stream != stream : !q->own)
			continue;
		if (!q->busy)
			return q;
		if (stream || first) {
			*wait = true;
			return NULL;
		}
	}
	if (spare) {
		spare->stream = stream;
		spare->running = false;
		spare->kernel[0] = '\0';
	}
	return spare;
}

static void queue_append(struct lt_session *s, struct lt_cuda_queue *q)
{
	struct lt_cuda_queue **where = &s->queues;
	while (*where && (*where)->own >= q->own)       /* own ones first */
		where = &(*where)->next;
	q->next = *where;
	*where = q;
}

/* What is in the first queue comes before what is enqueued next in this one. */
static lt_status queue_follow(struct lt_session *s, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	(void)pthread_mutex_lock(&s->lock);
	struct lt_cuda_queue *first = s->queues;
	const bool follows = q->own && first != q && first->running;
	CUresult r = follows ? s->cuda.event_record(first->order, first->stream) : CUDA_SUCCESS;
	if (follows && !r)
		r = s->cuda.stream_wait_event(q->stream, first->order, 0);
	(void)pthread_mutex_unlock(&s->lock);
	return lt__cuda_check(s, r, diag, "waiting for another queue");
}

/* With the lock; NULL: there is none. */
static struct lt_cuda_queue *queue_free_one(struct lt_session *s, void *stream, bool first)
{
	bool wait;
	struct lt_cuda_queue *q = queue_find(s, stream, first, &wait);
	while (wait) {
		(void)pthread_cond_wait(&s->freed, &s->lock);
		q = queue_find(s, stream, first, &wait);
	}
	if (q)
		q->busy = true;
	return q;
}

lt_status lt__cuda_queue_take(
	struct lt_session *s, void *stream, bool first, struct lt_cuda_queue **out, struct lt_diag *diag)
{
	(void)pthread_mutex_lock(&s->lock);
	struct lt_cuda_queue *q = queue_free_one(s, stream, first);
	(void)pthread_mutex_unlock(&s->lock);
	lt_status status = LT_OK;
	if (!q) {
		status = queue_new(s, stream, &q, diag);
		if (!status) {
			(void)pthread_mutex_lock(&s->lock);
			queue_append(s, q);
			if (first && !stream && q != s->queues) {       /* another thread was faster */
				q->busy = false;
				q = queue_free_one(s, stream, first);
			}
			(void)pthread_mutex_unlock(&s->lock);
		}
	}
	if (!status && (status = queue_follow(s, q, diag)))
		lt__cuda_queue_give(s, q);
	*out = status ? NULL : q;
	return status;
}

void lt__cuda_queue_give(struct lt_session *s, struct lt_cuda_queue *q)
{
	(void)pthread_mutex_lock(&s->lock);
	q->busy = false;
	(void)pthread_cond_broadcast(&s->freed);
	(void)pthread_mutex_unlock(&s->lock);
}

/* What was enqueued is done, or (set false) lost. */
static void landing_done(struct lt_cuda_landing *l, bool set)
{
	for (uint32_t i = 0; set && i < l->n; i++)
		if (l->landed[i].n)
			*l->fault[i] = l->landed[i];
	l->enqueued = false;
}

void lt__cuda_landing_forget(struct lt_session *s, const struct lt_cuda_landing *l)
{
	(void)pthread_mutex_lock(&s->lock);
	for (struct lt_cuda_queue *q = s->queues; q; q = q->next)
		for (struct lt_cuda_landing **at = &q->replayed; *at; )
			if (*at == l)
				*at = l->before;
			else
				at = &(*at)->before;
	(void)pthread_mutex_unlock(&s->lock);
}

/* Behind a wait that has ended with r. */
static lt_status queue_waited(struct lt_session *s, struct lt_cuda_queue *q, CUresult r, struct lt_diag *diag)
{
	for (uint32_t i = 0; !r && i < q->n_fault; i++)
		if (q->landed[i].n)
			*q->fault[i] = q->landed[i];
	lt_status status = q->kernel[0]
		? lt__cuda_check(s, r, diag, "kernel %s, or what was enqueued before it", q->kernel)
		: lt__cuda_check(s, r, diag, "waiting for the device");
	for (struct lt_cuda_landing *l; (l = q->replayed); q->replayed = l->before)
		landing_done(l, r == CUDA_SUCCESS);
	q->n_fault = 0;
	q->kernel[0] = '\0';
	lt__cuda_queue_running(s, q, false);
	return status;
}

lt_status lt__cuda_queue_end(struct lt_session *s, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	return queue_is_callers(q)
		? lt__cuda_check(s, s->cuda.event_record(q->order, q->stream), diag, "the end of a run in the caller's stream")
		: LT_OK;
}

lt_status lt__cuda_queue_wait(struct lt_session *s, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	return queue_waited(s, q, s->cuda.stream_wait(q->stream), diag);
}

/* The same, where the stream may be gone. */
static lt_status queue_wait_later(struct lt_session *s, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	return queue_waited(s, q, queue_is_callers(q) ? s->cuda.event_wait(q->order) : s->cuda.stream_wait(q->stream), diag);
}

void lt__cuda_queue_running(struct lt_session *s, struct lt_cuda_queue *q, bool running)
{
	(void)pthread_mutex_lock(&s->lock);
	q->running = running;
	(void)pthread_mutex_unlock(&s->lock);
}

/* The one after q, or the first, of the session's own or not, once it is not busy; it is then. */
static struct lt_cuda_queue *queue_next(struct lt_session *s, const struct lt_cuda_queue *q)
{
	(void)pthread_mutex_lock(&s->lock);
	struct lt_cuda_queue *next = q ? q->next : s->queues;
	while (next && next->busy)
		(void)pthread_cond_wait(&s->freed, &s->lock);
	if (next)
		next->busy = true;
	(void)pthread_mutex_unlock(&s->lock);
	return next;
}

lt_status lt__cuda_sync(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	struct lt_cuda_queue *q;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	if (stream && !(status = lt__cuda_queue_take(s, stream, false, &q, diag))) {
		status = lt__cuda_queue_wait(s, q, diag);
		lt__cuda_queue_give(s, q);
	}
	for (q = stream ? NULL : queue_next(s, NULL); q; ) {
		struct lt_cuda_queue *done = q;
		if (!status && (q->own || q->running))
			status = queue_wait_later(s, q, diag);
		q = queue_next(s, q);
		lt__cuda_queue_give(s, done);
	}
	lt__cuda_leave(s);
	return status;
}

lt_status lt__cuda_stream_new(struct lt_session *s, void **stream, struct lt_diag *diag)
{
	CUstream made = NULL;
	*stream = NULL;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_check(s, s->cuda.stream_new(&made, CU_STREAM_NON_BLOCKING), diag, "a stream of the device");
	struct lt_cuda_queue *q;
	if (!status && (status = lt__cuda_queue_take(s, made, false, &q, diag)))
		(void)s->cuda.stream_free(made);
	if (!status) {
		q->made = true;
		lt__cuda_queue_give(s, q);
		*stream = made;
	}
	lt__cuda_leave(s);
	return status;
}

/* Its queue serves another stream from now on, and nobody waits for this one any more: the driver would fail. */
void lt__cuda_stream_free(struct lt_session *s, void *stream)
{
	if (lt__cuda_enter(s, NULL) != LT_OK)
		return;
	(void)pthread_mutex_lock(&s->lock);
	for (struct lt_cuda_queue *q = s->queues; q; q = q->next)
		if (q->made && q->stream == stream) {
			q->made = q->running = false;
			q->replayed = NULL;
			q->n_fault = 0;
			q->kernel[0] = '\0';
		}
	(void)pthread_mutex_unlock(&s->lock);
	(void)s->cuda.stream_free(stream);
	lt__cuda_leave(s);
}

void lt__cuda_queues_free(struct lt_session *s)
{
	while (s->queues) {
		struct lt_cuda_queue *q = s->queues;
		s->queues = q->next;
		if (q->own || q->running)
			(void)queue_wait_later(s, q, NULL);
		queue_free(s, q);
	}
}
