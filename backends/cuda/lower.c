/* lower.c -- a frozen tree's kernel program for the device, and its text. */
#include <string.h>
#include "backends/cuda/session.h"
#include "kernel/form/form.h"

/* As many of each dim as there may be stand for fewer. */
static lt_status call_check(struct lt_session *s, const struct lt_tree *t, const struct lt_kernel *k, uint32_t number,
	struct lt_diag *diag)
{
	const struct lt_kernel_call *c = &k->calls[number];
	struct lt_blas_shape shape;
	int64_t count[LT_MAX_CALL_DIMS];
	char why[200];
	if (c->n_result && s->more && strcmp(c->routine, s->more->routine) == 0)
		return s->more->takes(s, t, c, diag);
	if (c->n_result)
		return lt__report(diag, LT_EUNSUPPORTED, c->origin, -1, "remove the call: make it serial",
			"%s multiplies matrices, and what is handed over is another description", c->routine);
	for (int32_t d = 0; d < c->n_dim; d++)
		count[d] = c->dims[d].extent;
	if (!lt__cuda_blas_has(k, c))
		return lt__report(diag, LT_EUNSUPPORTED, c->origin, -1, "cast outside of the call, or remove it",
			"%s does not multiply these types, or not with what comes after", c->routine);
	if (lt__blas_shape(k, c, count, &shape, why, sizeof why))
		return lt__report(diag, LT_EUNSUPPORTED, c->origin, -1, "stage or materialize it outside of the call",
			"%s cannot take it: %s", c->routine, why);
	return LT_OK;
}

lt_status lt__cuda_lower(
	struct lt_session *s, const struct lt_tree *t, struct lt_cuda_code *out, struct lt_diag *diag)
{
	const struct lt_kernel_options options = {
		.last = LT_HAS(struct lt_host, s->host, kernel_step) ? (char)s->host->kernel_step : '\0'
	};
	struct lt_kernel *k;
	*out = (struct lt_cuda_code){ 0 };
	lt_status status = lt_kernel_new(t, &s->machine, &options, &k, diag);
	if (status)
		return status;
	status = lt__blocks_fit(k, s->target.max_block, s->machine.shared_bytes, diag);
	for (uint32_t i = 0; i < k->n_call && !status; i++)
		status = call_check(s, t, k, i, diag);
	if (!status)
		return lt__cuda_code_print(k, out, diag);
	lt_kernel_free(k);
	return status;
}
