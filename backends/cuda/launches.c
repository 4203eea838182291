/* launches.c -- what the host's region of a program launches, as a list. */
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/code.h"
#include "kernel/form/form.h"

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

/* With n arguments, which are to be filled in; NULL: no memory. */
static struct lt_cuda_launch *launches_new(const struct cuda_launcher *c, uint32_t n)
{
	struct lt_cuda_launches *l = c->to;
	void *launch = l->launch, *argument = l->argument;
	const bool grown = launches_grow(&launch, l->n_launch, &l->max_launch, 1, sizeof *l->launch)
		&& launches_grow(&argument, l->n_argument, &l->max_argument, n, sizeof *l->argument);
	l->launch = launch;
	l->argument = argument;
	if (!grown) {
		(void)lt__report(c->diag, LT_ENOMEM, -1, -1, NULL, "no memory for the launches of kernel %s",
			c->code->kernel->name);
		return NULL;
	}
	struct lt_cuda_launch *to = &l->launch[l->n_launch++];
	*to = (struct lt_cuda_launch){ .call = -1, .first_argument = l->n_argument };
	l->n_argument += n;
	return to;
}

static lt_status launches_add(struct lt_text_launcher *base, const struct lt_text_launch *x)
{
	const struct cuda_launcher *c = (const struct cuda_launcher *)(const void *)base;
	const uint32_t n = (uint32_t)x->n_argument;
	struct lt_cuda_launch *to = launches_new(c, n);
	if (!to)
		return LT_ENOMEM;
	to->grid = (uint32_t)x->region - 1;
	for (int a = 0; a < 3; a++)
		to->blocks[a] = (uint32_t)x->blocks[a];
	if (n)
		memcpy(c->to->argument + to->first_argument, x->argument, n * sizeof *x->argument);
	return LT_OK;
}

static lt_status launches_call(struct lt_text_launcher *base, const struct lt_text_call *x)
{
	const struct cuda_launcher *c = (const struct cuda_launcher *)(const void *)base;
	const uint32_t begins = (uint32_t)x->what->n_operand, counts = (uint32_t)x->what->n_dim;
	struct lt_cuda_launch *to = launches_new(c, begins + counts);
	if (!to)
		return LT_ENOMEM;
	to->call = x->number;
	c->to->n_call++;
	memcpy(c->to->argument + to->first_argument, x->begin, begins * sizeof *x->begin);
	if (counts)
		memcpy(c->to->argument + to->first_argument + begins, x->count, counts * sizeof *x->count);
	return LT_OK;
}

lt_status lt__cuda_launches(
	const struct lt_cuda_code *c, const int64_t *param, struct lt_cuda_launches *out, struct lt_diag *diag)
{
	struct cuda_launcher launcher = { { launches_add, launches_call }, c, out, diag };
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
