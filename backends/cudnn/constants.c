/* constants.c -- tensors of zeros and of ones, which a form has where the library wants an operand that the call does
 * not have. */
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"
#include "kernel/form/form.h"

/* The largest that has them: all of them begin in one place. */
static const struct lt_cudnn_tensor *largest(const struct lt_cudnn_wish *w, int32_t operand)
{
	const struct lt_cudnn_tensor *found = NULL;
	for (int i = 0; i < w->form.n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &w->form.tensor[i];
		if (t->operand == operand && (!found || cudnn_bytes(t) > cudnn_bytes(found)))
			found = t;
	}
	return found;
}

static lt_status constant_new(struct lt_session *s, const struct lt_cudnn_tensor *t, double value, CUdeviceptr *out,
	struct lt_diag *diag, const char *what)
{
	const size_t bytes = t ? cudnn_bytes(t) : 0;
	char *from = t ? malloc(bytes) : NULL;
	CUstream stream = NULL;                 /* its own: a queue may be in use by who asks for the plan */
	if (!t)
		return LT_OK;
	if (!from)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %s", what);
	for (size_t i = 0; i < bytes / cudnn_element_bytes(t->dtype); i++)
		lt__number_store(from, (int64_t)i, t->dtype, (union lt_number){ .f = value });
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes, out);
	(void)pthread_mutex_unlock(&s->lock);
	r = r ? r : s->cuda.stream_new(&stream, CU_STREAM_NON_BLOCKING);
	r = r ? r : s->cuda.copy_to_device(*out, from, bytes, stream);
	r = r ? r : s->cuda.stream_wait(stream);
	if (stream)
		(void)s->cuda.stream_free(stream);
	free(from);
	return lt__cuda_check(s, r, diag, "%s", what);
}

lt_status lt__cudnn_constants(struct lt_session *s, const struct lt_cudnn_wish *w, struct lt_cudnn_plan *p,
	struct lt_diag *diag)
{
	const lt_status status = constant_new(s, largest(w, LT_CUDNN_ZEROS), 0, &p->zeros, diag, "a bias of zeros");
	return status ? status : constant_new(s, largest(w, LT_CUDNN_ONES), 1, &p->ones, diag, "a scale of ones");
}
