/* backends/cuda/launches.c -- what the host's region of a program launches, as a list. */
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/code.h"
#include "kernel/report.h"

struct cuda_launcher {
	struct lt_text_launcher base;
	const struct lt_cuda_code *code;
	struct lt_cuda_launches *to;
	struct lt_diag *diag;
};

/* Room for n more elements of so many bytes each. */
static bool launches_grow(void **at, uint32_t used, uint32_t *max, size_t n, size_t bytes)
{
	enum { FIRST = 8 };
	if (used + n <= *max)
		return true;
	const size_t more = 2 * (used + n) + FIRST;
	void *grown = more <= INT32_MAX ? realloc(*at, more * bytes) : NULL;
	if (!grown)
		return false;
	*at = grown;
	*max = (uint32_t)more;
	return true;
}

static lt_status launches_add(struct lt_text_launcher *base, const struct lt_text_launch *x)
{
	const struct cuda_launcher *c = (const struct cuda_launcher *)(const void *)base;
	struct lt_cuda_launches *l = c->to;
	const uint32_t n = (uint32_t)x->n_argument;
	void *launch = l->launch, *argument = l->argument;
	const bool grown = launches_grow(&launch, l->n_launch, &l->max_launch, 1, sizeof *l->launch)
		&& launches_grow(&argument, l->n_argument, &l->max_argument, n, sizeof *l->argument);
	l->launch = launch;
	l->argument = argument;
	if (!grown)
		return lt__report(c->diag, LT_ENOMEM, -1, -1, NULL, "no memory for the launches of kernel %s",
			c->code->kernel->name);
	struct lt_cuda_launch *to = &l->launch[l->n_launch++];
	*to = (struct lt_cuda_launch){ .grid = (uint32_t)x->region - 1, .first_argument = l->n_argument };
	for (int a = 0; a < 3; a++)
		to->blocks[a] = (uint32_t)x->blocks[a];
	if (n)
		memcpy(l->argument + l->n_argument, x->argument, n * sizeof *l->argument);
	l->n_argument += n;
	return LT_OK;
}

lt_status lt__cuda_launches(
	const struct lt_cuda_code *c, const int64_t *param, struct lt_cuda_launches *out, struct lt_diag *diag)
{
	struct cuda_launcher launcher = { { launches_add, NULL }, c, out, diag };
	*out = (struct lt_cuda_launches){ 0 };
	lt_status status = lt__text_launches(c->kernel, param, &launcher.base, diag);
	if (status)
		lt__cuda_launches_free(out);
	return status;
}

void lt__cuda_launches_free(struct lt_cuda_launches *l)
{
	free(l->launch);
	free(l->argument);
	*l = (struct lt_cuda_launches){ 0 };
}
