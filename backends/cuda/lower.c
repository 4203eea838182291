/* backends/cuda/lower.c -- a frozen tree's kernel program for the device, and its text. */
#include "backends/cuda/session.h"

lt_status lt__cuda_lower(
	const struct lt_session *s, const struct lt_tree *t, struct lt_cuda_code *out, struct lt_diag *diag)
{
	const struct lt_kernel_options options = {
		.last = LT_HAS(struct lt_host, s->host, kernel_step) ? (char)s->host->kernel_step : '\0'
	};
	struct lt_kernel *k;
	*out = (struct lt_cuda_code){ 0 };
	lt_status status = lt_kernel_new(t, &s->machine, &options, &k, diag);
	return status ? status : lt__cuda_code_print(k, out, diag);
}
