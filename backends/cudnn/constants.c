/* constants.c -- tensors of ones, which a form has where the library wants an operand that the call does not have. */
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"
#include "kernel/form/form.h"

lt_status lt__cudnn_ones(struct lt_session *s, const struct lt_cudnn_wish *w, struct lt_cudnn_plan *p,
	struct lt_diag *diag)
{
	const struct lt_cudnn_tensor *ones = NULL;
	for (int i = 0; i < w->form.n_tensor; i++)
		ones = w->form.tensor[i].operand == LT_CUDNN_ONES ? &w->form.tensor[i] : ones;
	if (!ones)
		return LT_OK;
	const size_t bytes = cudnn_bytes(ones);
	const union lt_number one = { .f = 1 };
	char *from = malloc(bytes);
	if (!from)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a scale of ones");
	for (size_t i = 0; i < bytes / cudnn_element_bytes(ones->dtype); i++)
		lt__number_store(from, (int64_t)i, ones->dtype, one);
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes, &p->ones);
	(void)pthread_mutex_unlock(&s->lock);
	CUstream stream = NULL;                 /* its own: a queue may be in use by who asks for the plan */
	if (!r)
		r = s->cuda.stream_new(&stream, CU_STREAM_NON_BLOCKING);
	if (!r)
		r = s->cuda.copy_to_device(p->ones, from, bytes, stream);
	if (!r)
		r = s->cuda.stream_wait(stream);
	if (stream)
		(void)s->cuda.stream_free(stream);
	free(from);
	return lt__cuda_check(s, r, diag, "a scale of ones");
}
