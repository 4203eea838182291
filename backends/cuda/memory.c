/* memory.c -- memory of the device for the host: a handle is an address there; where buffers are. */
#include <string.h>
#include "backends/cuda/session.h"

/* What is free, for the sentence, if the driver says. */
static lt_status no_memory(struct lt_session *s, CUresult r, size_t bytes, size_t held, struct lt_diag *diag)
{
	size_t free_bytes = 0, total = 0;
	if (r == LT_CUDA_NO_HOST_MEMORY)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory on the host");
	if (r != CUDA_ERROR_OUT_OF_MEMORY || s->cuda.memory_info(&free_bytes, &total))
		return lt__cuda_check(s, r, diag, "%zu bytes of the device's memory", bytes);
	return lt__report(diag, LT_ENOMEM, -1, -1, "use smaller extents, or free memory that other programs hold",
		"device %d has no memory for %zu bytes: %zu of its %zu MiB are free, and %zu MiB are this session's",
		s->config.device, bytes, free_bytes >> 20, total >> 20, held >> 20);
}

lt_status lt__cuda_mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	CUdeviceptr at;
	*out = NULL;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes ? bytes : 1, &at);
	const size_t held = s->pool.held;
	(void)pthread_mutex_unlock(&s->lock);
	if (r)
		status = no_memory(s, r, bytes, held, diag);
	else
		*out = (void *)(uintptr_t)at;
	lt__cuda_leave(s);
	return status;
}

void lt__cuda_mem_free(struct lt_session *s, void *handle)
{
	(void)pthread_mutex_lock(&s->lock);
	lt__cuda_pool_free(&s->pool, (CUdeviceptr)(uintptr_t)handle);
	(void)pthread_mutex_unlock(&s->lock);
}

static CUdeviceptr device_at(const struct lt_slot *slot)
{
	return (CUdeviceptr)(uintptr_t)slot->base + (CUdeviceptr)slot->offset;
}
static char *host_at(const struct lt_slot *slot) { return (char *)slot->base + slot->offset; }

static CUresult copy_enqueue(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy direction, CUstream stream)
{
	switch (direction) {
	case LT_COPY_TO_DEVICE: return s->cuda.copy_to_device(device_at(dst), host_at(src), bytes, stream);
	case LT_COPY_TO_HOST: return s->cuda.copy_to_host(host_at(dst), device_at(src), bytes, stream);
	default: return s->cuda.copy_within(device_at(dst), device_at(src), bytes, stream);
	}
}

/* The caller's stream has what somebody else waits for. */
static lt_status queue_copied(struct lt_session *s, struct lt_cuda_queue *q, struct lt_diag *diag)
{
	lt__cuda_queue_running(s, q, true);
	return lt__cuda_queue_end(s, q, diag);
}

lt_status lt__cuda_mem_peer(struct lt_session *s, const struct lt_slot *dst, struct lt_session *from,
	const struct lt_slot *src, size_t bytes, void *stream, struct lt_diag *diag)
{
	struct lt_cuda_queue *q;
	if (!bytes)
		return LT_OK;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_queue_take(s, stream, false, &q, diag);
	if (!status) {
		status = lt__cuda_check(s,
			s->cuda.copy_peer(device_at(dst), s->context, device_at(src), from->context, bytes, q->stream), diag,
			"copying %zu bytes from device %d to device %d", bytes, from->config.device, s->config.device);
		status = !status && stream ? queue_copied(s, q, diag) : status ? status : lt__cuda_queue_wait(s, q, diag);
		lt__cuda_queue_give(s, q);
	}
	lt__cuda_leave(s);
	return status;
}

lt_status lt__cuda_host_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	*out = NULL;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_check(s, s->cuda.pinned_new(out, bytes ? bytes : 1, CU_MEMHOSTALLOC_PORTABLE), diag,
		"%zu bytes of pinned memory", bytes);
	lt__cuda_leave(s);
	if (status)
		*out = NULL;
	return status;
}

void lt__cuda_host_free(struct lt_session *s, void *at)
{
	if (lt__cuda_enter(s, NULL) != LT_OK)
		return;
	(void)s->cuda.pinned_free(at);
	lt__cuda_leave(s);
}

/* Whether the driver would copy to memory of its own first. */
static bool is_pageable(struct lt_session *s, const void *at)
{
	unsigned kind = 0;
	CUresult r = s->cuda.pointer_attribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)at);
	return r == CUDA_ERROR_INVALID_VALUE || (!r && !kind);
}

/* Pinned memory of the queue; NULL: the system gives none, which only makes a copy slower. */
static void *staging(struct lt_session *s, struct lt_cuda_queue *q)
{
	void *pinned = NULL;
	if (!q->staged && !s->cuda.pinned_new(&pinned, LT_CUDA_STAGED, 0))
		q->staged = pinned;
	return q->staged;
}

/* A little to pageable memory: through pinned memory of the queue, in half of the time that the driver takes for it.
 * As with the driver's own copy, all of it is there at the end. */
static lt_status copy_staged(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	struct lt_cuda_queue *q, struct lt_diag *diag)
{
	CUresult r = s->cuda.copy_to_host(q->staged, device_at(src), bytes, q->stream);
	lt_status status = lt__cuda_check(s, r, diag, "copying %zu bytes to the host", bytes);
	status = status ? status : lt__cuda_queue_wait(s, q, diag);
	if (!status)
		memcpy(host_at(dst), q->staged, bytes);
	return status;
}

lt_status lt__cuda_mem_copy(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy direction, void *stream, struct lt_diag *diag)
{
	static const char *const where[] = { "to the device", "to the host", "on the device" };
	struct lt_cuda_queue *q;
	if (!bytes)
		return LT_OK;
	lt_status status = lt__cuda_enter(s, diag);
	if (status)
		return status;
	status = lt__cuda_queue_take(s, stream, false, &q, diag);
	if (!status && direction == LT_COPY_TO_HOST && bytes <= LT_CUDA_STAGED && is_pageable(s, host_at(dst))
		&& staging(s, q)) {
		status = copy_staged(s, dst, src, bytes, q, diag);
		lt__cuda_queue_give(s, q);
	} else if (!status) {
		status = lt__cuda_check(s, copy_enqueue(s, dst, src, bytes, direction, q->stream), diag, "copying %zu bytes %s",
			bytes, where[direction]);
		status = !status && stream ? queue_copied(s, q, diag) : status ? status : lt__cuda_queue_wait(s, q, diag);
		lt__cuda_queue_give(s, q);
	}
	lt__cuda_leave(s);
	return status;
}

uint64_t lt__cuda_buffer_address(const struct lt_kernel_buffer *b, const struct lt_args *args)
{
	if (b->space != LT_SPACE_SLOT)
		return (uint64_t)(uintptr_t)args->workspace + (uint64_t)b->offset;
	return (uint64_t)(uintptr_t)args->slot[b->slot].base + (uint64_t)args->slot[b->slot].offset;
}
