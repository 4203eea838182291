/* mask.c -- what says which scores of attention count, of which the library has no operation: a tensor of the queries'
 * type that it adds to the scores or takes the least with, made by a kernel in front of each run.
 *
 * The least of a score and infinity is the score, and of a score and -inf that, whatever the score is: the library's
 * minimum is the other value where one is NaN.  So what is chosen is chosen to the bit.
 *
 * Lengths the library reads itself, but says nothing of those without a key, nor of more than there are: it gets them
 * as they may be, and where the graph divides 0 by 0 that is written behind the plan.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"
#include "backends/cudnn/reference.h"

enum { APART = 256 };                   /* where what is made begins: a multiple of so many bytes */

static const struct lt_cudnn_tensor *mask_of(const struct lt_cudnn_form *f)
{
	for (int i = 0; i < f->n_tensor; i++)
		if (f->tensor[i].operand == LT_CUDNN_MASK)
			return &f->tensor[i];
	return NULL;
}

static const struct lt_cudnn_tensor *result_of(const struct lt_cudnn_form *f)
{
	const struct lt_cudnn_tensor *y = NULL;
	for (int i = 0; i < f->n_tensor; i++)
		y = f->tensor[i].operand == 0 ? &f->tensor[i] : y;
	return y;
}

size_t lt__cudnn_mask_bytes(const struct lt_cudnn_form *f)
{
	size_t most = 0;
	for (int i = 0; i < f->n_tensor; i++) {
		const size_t end = f->tensor[i].operand == LT_CUDNN_MASK
			? (size_t)cudnn_made_at(&f->tensor[i], 0) + cudnn_bytes(&f->tensor[i]) : 0;
		most = end > most ? end : most;
	}
	return most ? most + APART : 0;
}

uint64_t lt__cudnn_mask_at(uint64_t to)  { return (to + APART - 1) / APART * APART; }

const char *lt__cudnn_mask_program(const struct lt_tree *tree, const struct lt_call *call,
	const struct lt_cudnn_form *f, struct reference_program **out, size_t *bytes)
{
	const struct lt_cudnn_mask *m = &f->mask;
	const size_t n = (size_t)(call->n_result + call->n_read);
	struct reference_operand *operand = calloc(n + 1, sizeof *operand);
	const struct lt_cudnn_question q = { .tree = tree, .call = call, .operand = operand };
	*out = NULL;
	if (!operand)
		return "there is no memory for its mask";
	for (int32_t i = 0; i < f->n_tensor; i++)
		for (int32_t r = 0; r < m->n_read; r++)
			if (f->tensor[i].operand == m->read[r] && f->tensor[i].n_dim == 1)
				operand[m->read[r]] = (struct reference_operand){ .elems = f->tensor[i].dim[0],
					.type = (int32_t)f->tensor[i].dtype, .slot = r };
	const char *why = lt__cudnn_reference_mask(&q, m, out, bytes);
	free(operand);
	if (!why && ((*out)->n_value > REFERENCE_MASK_VALUES || (*out)->n_index > REFERENCE_MASK_INDICES)) {
		free(*out);
		*out = NULL;
		why = "what says which scores count is too long; compute it outside";
	}
	return why;
}

lt_status lt__cudnn_mask_new(struct lt_session *s, const struct lt_tree *tree, const struct lt_call *call,
	const struct lt_cudnn_form *f, CUdeviceptr *program, struct lt_diag *diag)
{
	struct reference_program *p;
	size_t bytes;
	CUstream stream = NULL;
	*program = 0;
	if (!f->mask.how || f->mask.how == LT_CUDNN_LENGTHS)
		return LT_OK;
	const char *why = lt__cudnn_mask_program(tree, call, f, &p, &bytes);
	if (why)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "%s", why);
	(void)pthread_mutex_lock(&s->lock);
	CUresult r = lt__cuda_pool_new(&s->pool, &s->cuda, bytes, program);
	(void)pthread_mutex_unlock(&s->lock);
	r = r ? r : s->cuda.stream_new(&stream, CU_STREAM_NON_BLOCKING);
	r = r ? r : s->cuda.copy_to_device(*program, p, bytes, stream);
	r = r ? r : s->cuda.stream_wait(stream);
	if (stream)
		(void)s->cuda.stream_free(stream);
	free(p);
	return lt__cuda_check(s, r, diag, "what a mask is made of");
}

void lt__cudnn_mask_free(struct lt_session *s, CUdeviceptr *program)
{
	(void)pthread_mutex_lock(&s->lock);
	if (*program)
		lt__cuda_pool_free(&s->pool, *program);
	(void)pthread_mutex_unlock(&s->lock);
	*program = 0;
}

static uint64_t bits_of(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* What a form's lengths are: where, whether they are int64, how far apart; the least of them. */
enum { LENGTH_ARGUMENTS = 4 };
static void put_lengths(const struct lt_cudnn_form *f, const uint64_t *operand, uint64_t *argument)
{
	const struct lt_cudnn_mask *m = &f->mask;
	bool wide = false;
	for (int i = 0; i < f->n_tensor; i++)
		wide = wide || (f->tensor[i].operand == m->read[0] && f->tensor[i].dtype == LT_I64);
	memcpy(argument, (const uint64_t[]){ operand[m->read[0]], wide, (uint64_t)m->stride[0], (uint64_t)m->least },
		LENGTH_ARGUMENTS * sizeof *argument);
}

static CUresult make_lengths(struct lt_session *s, const struct lt_cudnn_form *f, const uint64_t *operand, uint64_t to,
	CUstream stream)
{
	const int64_t n = mask_of(f)->dim[0];
	uint64_t argument[LENGTH_ARGUMENTS + 5] = { [LENGTH_ARGUMENTS] = (uint64_t)f->mask.most, to, (uint64_t)n,
		(uint64_t)cudnn_queries_at(n), (uint64_t)result_of(f)->dim[2] };
	put_lengths(f, operand, argument);
	return lt__cudnn_launch(s, LT_CUDNN_LENGTH, stream, n, argument, LENGTH_ARGUMENTS + 5);
}

CUresult lt__cudnn_mask_after(struct lt_session *s, const struct lt_cudnn_form *f, const uint64_t *operand,
	CUstream stream)
{
	if (f->mask.how != LT_CUDNN_LENGTHS)
		return CUDA_SUCCESS;
	const struct lt_cudnn_tensor *y = result_of(f);
	uint64_t argument[LENGTH_ARGUMENTS + 9] = { [LENGTH_ARGUMENTS] = operand[0], y->dtype, (uint64_t)y->dim[0] };
	put_lengths(f, operand, argument);
	for (int i = 0; i < 3; i++) {
		argument[LENGTH_ARGUMENTS + 3 + i] = (uint64_t)y->dim[1 + i];
		argument[LENGTH_ARGUMENTS + 6 + i] = (uint64_t)y->stride[i];
	}
	return lt__cudnn_launch(s, LT_CUDNN_EMPTY, stream, y->dim[0] * REFERENCE_EMPTY_LANES, argument, LENGTH_ARGUMENTS + 9);
}

CUresult lt__cudnn_mask_make(struct lt_session *s, const struct lt_cudnn_form *f, CUdeviceptr program,
	const uint64_t *operand, uint64_t to, CUstream stream)
{
	const struct lt_cudnn_mask *m = &f->mask;
	const struct lt_cudnn_tensor *t = mask_of(f);
	if (!m->how)
		return CUDA_SUCCESS;
	if (m->how == LT_CUDNN_LENGTHS)
		return make_lengths(s, f, operand, to, stream);
	const bool seen = m->how == LT_CUDNN_SEEN;
	const int64_t n = (int64_t)(cudnn_bytes(t) / cudnn_element_bytes(t->dtype));
	uint64_t argument[7 + LT_CUDNN_MASK_READS] = { program, to, (uint64_t)n, t->dtype, m->how != LT_CUDNN_ADDED,
		bits_of(seen ? (double)INFINITY : m->hidden), bits_of(seen ? m->hidden : (double)INFINITY) };
	for (int32_t r = 0; r < m->n_read; r++)
		argument[7 + r] = operand[m->read[r]];
	return lt__cudnn_launch(s, LT_CUDNN_MASKED, stream, n, argument, 7 + LT_CUDNN_MASK_READS);
}
