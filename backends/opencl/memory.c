/* memory.c -- memory of the device for the host: a handle is a memory object, which has no address. */
#include "backends/opencl/session.h"

static lt_status no_memory(const struct lt_session *s, cl_int r, size_t bytes, struct lt_diag *diag)
{
	char number[40];
	const struct lt_opencl_facts *f = &s->facts;
	if (bytes > f->largest_bytes)
		return lt__report(diag, LT_ENOMEM, -1, -1, "use smaller extents",
			"device %d has no memory for %zu bytes in one piece: %llu MiB are the most", s->config.device, bytes,
			(unsigned long long)f->largest_bytes >> 20);
	return lt__report(diag, LT_ENOMEM, -1, -1, "use smaller extents, or free memory that other programs hold",
		"device %d has no memory for %zu bytes, of %llu MiB that it has: %s", s->config.device, bytes,
		(unsigned long long)f->memory_bytes >> 20, lt__opencl_error(r, number, sizeof number));
}

/* Drivers may put off finding the memory until a command needs it, and would fail there: a byte is written at once. */
lt_status lt__opencl_mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	static const cl_uchar zero = 0;
	cl_int r = CL_INVALID_BUFFER_SIZE;
	*out = NULL;
	bytes = bytes ? bytes : 1;
	cl_mem at = bytes > s->facts.largest_bytes ? NULL
		: s->cl.memory_new(s->context, CL_MEM_READ_WRITE, bytes, NULL, &r);
	if (!at)
		return no_memory(s, r, bytes, diag);
	r = s->cl.write(s->queue, at, CL_TRUE, 0, 1, &zero, 0, NULL, NULL);
	if (!r) {
		*out = at;
		return LT_OK;
	}
	(void)s->cl.memory_free(at);
	return no_memory(s, r, bytes, diag);
}

void lt__opencl_mem_free(struct lt_session *s, void *handle)
{
	if (handle)
		(void)s->cl.memory_free(handle);
}

lt_status lt__opencl_mem_copy(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy direction, void *stream, struct lt_diag *diag)
{
	static const char *const where[] = { "to the device", "to the host", "on the device" };
	cl_command_queue queue = stream ? stream : s->queue;
	const cl_bool waits = stream ? CL_FALSE : CL_TRUE;
	const size_t to = (size_t)dst->offset, from = (size_t)src->offset;
	cl_int r;
	if (!bytes)
		return LT_OK;
	switch (direction) {
	case LT_COPY_TO_DEVICE:
		r = s->cl.write(queue, dst->base, waits, to, bytes, (const char *)src->base + from, 0, NULL, NULL);
		break;
	case LT_COPY_TO_HOST:
		r = s->cl.read(queue, src->base, waits, from, bytes, (char *)dst->base + to, 0, NULL, NULL);
		break;
	default:
		r = s->cl.copy(queue, src->base, dst->base, from, to, bytes, 0, NULL, NULL);
		break;
	}
	lt_status status = lt__opencl_check(r, diag, "copying %zu bytes %s", bytes, where[direction]);
	return status || stream || direction != LT_COPY_DEVICE ? status : lt__opencl_wait(s, queue, diag, NULL);
}
