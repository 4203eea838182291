/* context.c -- the session's context in a thread, and what is said when a call of the driver fails. */
#include <stdarg.h>
#include <stdio.h>
#include "backends/cuda/session.h"

/* After these nothing works in the context, nor in another one of the process on that device. */
static bool ends_context(CUresult r)
{
	static const CUresult ends[] = { CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_TIMEOUT,
		CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_INVALID_ADDRESS_SPACE,
		CUDA_ERROR_INVALID_PC, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ASSERT, CUDA_ERROR_ECC_UNCORRECTABLE,
		CUDA_ERROR_NVLINK_UNCORRECTABLE, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_DEVICE_UNAVAILABLE };
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (r == ends[i])
			return true;
	return false;
}

static const char again[] = "start the process again";

lt_status lt__cuda_check(struct lt_session *s, CUresult r, struct lt_diag *diag, const char *what, ...)
{
	char text[320], error[200];
	va_list args;
	if (r == CUDA_SUCCESS)
		return LT_OK;
	va_start(args, what);
	(void)vsnprintf(text, sizeof text, what, args);
	va_end(args);
	lt__cuda_error(&s->cuda, r, error, sizeof error);
	const bool ends = ends_context(r);
	(void)pthread_mutex_lock(&s->lock);
	if (ends && !s->lost) {
		s->lost = r;
		(void)snprintf(s->lost_text, sizeof s->lost_text, "%.120s: %.70s", text, error);
	}
	(void)pthread_mutex_unlock(&s->lock);
	return lt__report(diag, r == CUDA_ERROR_OUT_OF_MEMORY ? LT_ENOMEM : LT_EDEVICE, -1, -1, ends ? again : NULL,
		"%s: %s", text, error);
}

lt_status lt__cuda_enter(struct lt_session *s, struct lt_diag *diag)
{
	char text[200];
	(void)pthread_mutex_lock(&s->lock);
	const bool lost = s->lost != CUDA_SUCCESS;
	(void)snprintf(text, sizeof text, "%s", s->lost_text);
	(void)pthread_mutex_unlock(&s->lock);
	if (lost)
		return lt__report(diag, LT_EDEVICE, -1, -1, again, "device %d is lost since %s", s->config.device, text);
	return lt__cuda_check(s, s->cuda.context_push(s->context), diag, "the device's context");
}

void lt__cuda_leave(struct lt_session *s)
{
	CUcontext context;
	(void)s->cuda.context_pop(&context);
}
